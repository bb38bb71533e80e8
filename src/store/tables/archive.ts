/** Traces in the journal of batches in an archive. */
import type { PayoutStatus } from '../../core/payout.ts';
import { flag, integer, text } from './column.ts';
import { when } from './condition.ts';
import { isAnyMoving, isBatchMoving } from './questions.ts';
import { index, neverChanges, neverGoes, table } from './table.ts';

const namesArchive = 'what names an archive is never removed';

export const archivedBatch = table('archived_batch', {
  columns: {
    batch_id: text().key().of('batch'),
    /** Its file, or `tables`. */
    archive: text(),
    digest: text().ofLength(64),
    /** JSON, by status. */
    totals: text(),
    first_date: text().orNull(),
    last_date: text().orNull(),
    latest_event_seq: integer(),
    archived_at_ms: integer(),
    /** 1 only inside the transaction that moves its rows. */
    is_moving: flag(),
  },
  indexes: [
    index('archived_batch_event', 'latest_event_seq'),
    index('archived_batch_moving', 'batch_id', 'is_moving = 1'),
  ],
  rules: [neverGoes(namesArchive, when`old.is_moving = 0`)],
});

/** Rows in the order of their file that stand in one status. */
export const archivedRows = table('archived_rows', {
  columns: {
    first_seq: integer().key(),
    last_seq: integer(),
    batch_id: text(),
    first_row_no: integer(),
    status: text<PayoutStatus>(),
  },
  indexes: [index('archived_rows_of_batch', 'batch_id')],
  rules: [neverGoes(namesArchive, when`not ${isBatchMoving('old.batch_id')}`)],
});

/** References by row: rows with one payoutId bear the same one where the first was refused. */
export const usedReference = table('used_reference', {
  columns: { trans_ref_no: text(), payout_seq: integer() },
  key: ['trans_ref_no', 'payout_seq'],
  rules: [
    neverGoes('a used reference is never removed', when`not ${isAnyMoving()}`),
    neverChanges('a used reference is never changed'),
  ],
});
