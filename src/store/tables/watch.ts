/** The journal itself; what a drop folder's files have become, what is told of them, and what was done once a day. */
import type { NoticeChannel, NoticeDraft } from '../../notify/rules/notice.ts';
import type { IntakeRecord } from '../../watch/ports.ts';
import type { FileKindName } from '../../watch/rules/drop-folder.ts';
import { counted, flag, integer, text } from './column.ts';
import { index, table, uniqueIndex } from './table.ts';

/** Facts of the journal by name, such as its identity. */
export const meta = table('meta', { columns: { key: text().key(), value: text() } });

/** Each time that the journal was lost or restored and a person let it go on; dates are YYYYMMDD in Bangkok. */
export const journalLoss = table('journal_loss', {
  columns: { recovered_at_ms: integer().key(), since_date: text(), until_date: text() },
});

/** A file that was taken in, and the batch that its bytes are. */
export const intakeItem = table('intake_item', {
  columns: {
    item_id: text().key(),
    /** May name a batch that is not there yet: the file is known before anything of it is read in. */
    batch_id: text(),
    file_name: text(),
    dropped_at_ms: integer(),
    started_at_ms: integer(),
    /** 1 for the one file that is or was worked for its batch. */
    owns_batch: flag(),
    outcome: text<NonNullable<IntakeRecord['outcome']>>().orNull(),
    ended_at_ms: integer().orNull(),
    /** JSON of why it was rejected; null unless it was. */
    refusal: text().orNull(),
    kind: text<FileKindName>().usually('payout'),
  },
  checks: [`outcome is null or outcome = 'archived' or owns_batch = 0`],
  indexes: [
    uniqueIndex('intake_owner', 'batch_id', 'owns_batch = 1'),
    index('intake_by_outcome', 'outcome'),
    index('intake_refused', 'ended_at_ms', `outcome = 'rejected'`),
  ],
});

/** A file whose rows were read, and what became of its bytes afterwards: `TakenFile`. */
export const takenFile = table('taken_file', {
  columns: {
    item_id: text().key(),
    batch_id: text(),
    file_name: text(),
    path: text(),
    inode: text(),
    bytes: integer(),
    sha256: text(),
    /** Null while it stands in work/. */
    until_ms: integer().orNull(),
    is_watched: flag(),
    /** JSON of what it is now, where it was written to afterwards; null unless it has grown. */
    growth: text().orNull(),
    /** SHA-256 of the growth, and of the growth that was dealt with. */
    growth_sha256: text().orNull(),
    closed_sha256: text().orNull(),
    kind: text<FileKindName>().usually('payout'),
  },
  indexes: [
    index('taken_file_of_batch', 'batch_id'),
    index('taken_file_watched', 'item_id', 'is_watched = 1'),
    index('taken_file_grown', 'growth_sha256', 'growth_sha256 is not null'),
  ],
});

/** The last day for which a job was done: YYYYMMDD in Bangkok. */
export const dailyJob = table('daily_job', { columns: { name: text().key(), date: text() } });

/** Something that happened and is told to people outside. */
export const notice = table('notice', {
  columns: {
    seq: counted(),
    key: text().unique(),
    kind: text<NoticeDraft['kind']>(),
    batch_id: text().orNull(),
    at_ms: integer(),
    /** JSON. */
    body: text(),
  },
});

/** How far one channel has come with a notice. */
export const noticeDelivery = table('notice_delivery', {
  columns: {
    notice_seq: integer().of('notice'),
    channel: text<NoticeChannel>(),
    status: text<'due' | 'delivered' | 'given-up'>(),
    /** Tries that have failed. */
    tries: integer(),
    /** Null when it is not tried any more. */
    next_at_ms: integer().orNull(),
    delivered_at_ms: integer().orNull(),
    /** Why the last failed try did. */
    why: text().orNull(),
  },
  key: ['notice_seq', 'channel'],
  checks: [`(status = 'due') = (next_at_ms is not null)`],
  indexes: [index('notice_due', 'channel, next_at_ms', `status = 'due'`)],
});
