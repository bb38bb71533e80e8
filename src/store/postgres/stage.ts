/** Takes rows of a file in with one statement for each table: each statement is a way to the server and back. */
import { sql } from 'kysely';
import type { StagedRow } from '../../core/payout-file.ts';
import { makeRecorder } from '../payouts/ingest.ts';
import { type Body, define, textStatement } from '../statements.ts';
import { withoutNul } from './compile.ts';

/** A list of records as JSON, amounts as text, which no reader of JSON rounds, and without half letters. */
const encodeRecords = (records: readonly object[]): string =>
  JSON.stringify(records, (_name, value: unknown) => {
    if (typeof value === 'bigint') return String(value);
    return typeof value === 'string' ? withoutNul(value.toWellFormed()) : value;
  });

/** Inserts payouts; a column that no record has gets its default. */
const insertPayouts = define(({ records }: { records: string }) =>
  textStatement(sql`
    insert into payout (seq, batch_id, row_no, amount_satang, status, holds, reason_code, reason, issues, settled_at_ms,
      settled_by, version, attempt_no, last_event_seq)
    select seq, batch_id, row_no, amount_satang, status, holds, reason_code, reason, issues, settled_at_ms, settled_by, 1, 0, 0
    from json_populate_recordset(null::payout, ${records})`),
);

const insertRows = define(({ records }: { records: string }) =>
  textStatement(
    sql`insert into payout_row select * from json_populate_recordset(null::payout_row, ${records})`,
  ),
);

/** Adds rows to a batch that is being read, as `stage` does. */
export function* stageTogether(batchId: string, rows: readonly StagedRow[]): Body<void> {
  const records = rows.map(yield* makeRecorder(batchId, rows.length));
  yield* insertPayouts.run({ records: encodeRecords(records.map(({ payout }) => payout)) });
  yield* insertRows.run({ records: encodeRecords(records.map(({ row }) => row)) });
}
