/**
 * All tables of a journal, each after those that it refers to, and the types of their rows. Those of files, notices,
 * archives and statements are defined here; dates are YYYYMMDD.
 */
import type { PayoutStatus } from '../core/payout.ts';
import type { NoticeChannel, NoticeDraft } from '../notify/rules/notice.ts';
import type { LineStatus } from '../reconcile/rules/statement.ts';
import type { BreakRecord } from '../reconcile/rules/types.ts';
import type { IntakeRecord } from '../watch/ports.ts';
import type { FileKindName } from '../watch/rules/drop-folder.ts';
import { counted, flag, integer, type RowOf, text } from './tables/column.ts';
import { when } from './tables/condition.ts';
import {
  attempt,
  batch,
  claim,
  dayUse,
  event,
  instructionVersion,
  openPayout,
  paidPayee,
  payeePlace,
  payerHalt,
  payerPause,
  payout,
  payoutPlace,
  payoutRow,
  report,
} from './tables/payouts.ts';
import {
  approvalSignature,
  approvedRow,
  contributor,
  dayHead,
  passkey,
  person,
  personEvent,
  personSession,
  personToken,
  proposal,
  proposalEvent,
  proposalItem,
  reviewNote,
} from './tables/people.ts';
import { isAnyMoving, isBatchMoving } from './tables/questions.ts';
import {
  registration,
  registrationAsked,
  registrationAttempt,
  registrationBatch,
  registrationCallback,
  registrationClaim,
  registrationEvent,
  registrationPlace,
  registrationReport,
  registrationRow,
  registrationVersion,
} from './tables/registrations.ts';
import {
  countedKey,
  index,
  neverChanges,
  neverGoes,
  storedColumns,
  type Table,
  table,
  uniqueIndex,
} from './tables/table.ts';

// ---------------------------------------------------------------- the journal itself, files and notices

/** Facts of the journal by name, such as its identity. */
const meta = table('meta', { columns: { key: text().key(), value: text() } });

/** Each time that the journal was lost or restored and a person let it go on; dates are YYYYMMDD in Bangkok. */
const journalLoss = table('journal_loss', {
  columns: { recovered_at_ms: integer().key(), since_date: text(), until_date: text() },
});

/** A file that was taken in, and the batch that its bytes are. */
const intakeItem = table('intake_item', {
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
const takenFile = table('taken_file', {
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
const dailyJob = table('daily_job', { columns: { name: text().key(), date: text() } });

/** Something that happened and is told to people outside. */
const notice = table('notice', {
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
const noticeDelivery = table('notice_delivery', {
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

// ---------------------------------------------------------------- batches in an archive

const namesArchive = 'what names an archive is never removed';

const archivedBatch = table('archived_batch', {
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
const archivedRows = table('archived_rows', {
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
const usedReference = table('used_reference', {
  columns: { trans_ref_no: text(), payout_seq: integer() },
  key: ['trans_ref_no', 'payout_seq'],
  rules: [
    neverGoes('a used reference is never removed', when`not ${isAnyMoving()}`),
    neverChanges('a used reference is never changed'),
  ],
});

// ---------------------------------------------------------------- the bank's statements

/** The run that judges statements, of any day: the last to begin. Its date is empty. */
const statementRun = table('statement_run', { columns: { date: text().key(), run_id: text() } });

/** `AcceptedStatement`, and the matching that accepted it. */
const statementVersion = table('statement_version', {
  columns: {
    date: text(),
    version: integer(),
    run_id: text(),
    sha256: text(),
    original_sha256: text(),
    original_path: text(),
    reading: text(),
    /** These four are JSON. */
    statement: text(),
    totals: text(),
    changes: text(),
    files: text(),
    accepted_at_ms: integer(),
    /** JSON: where it came from. */
    provenance: text(),
  },
  key: ['date', 'version'],
});

/** `BreakRecord`. */
const statementBreak = table('statement_break', {
  columns: {
    id: counted(),
    date: text(),
    key: text(),
    kind: text<BreakRecord['kind']>(),
    state: text<BreakRecord['state']>().oneOf('open', 'closed'),
    version: integer(),
    severity: text<BreakRecord['severity']>(),
    line_at: integer().orNull(),
    reason: text(),
    /** JSON. */
    attempt: text().orNull(),
    /** JSON. */
    lines: text(),
    opened_at_ms: integer(),
    closed_at_ms: integer().orNull(),
    /** JSON. */
    closed_by: text().orNull(),
    /** The matching that last moved it. */
    moved_by: text(),
  },
  checks: [`(state = 'closed') = (closed_at_ms is not null)`],
  indexes: [
    uniqueIndex('statement_break_open', 'date, key, kind', `state = 'open'`),
    index('statement_break_by_key', 'key'),
    index('statement_break_moved', 'moved_by, date, state, severity'),
    index('statement_break_by_severity', 'date, severity, id, opened_at_ms', `state = 'open'`),
    /** Accepted breaks are judged with each statement of their day, and shown with it. */
    index('statement_break_accepted', 'date, severity, key', `closed_by ->> '$.kind' = 'accepted'`),
  ],
});

/** A batch whose rows a statement has changed; reported once the statement is accepted. */
const statementReport = table('statement_report', {
  columns: { batch_id: text(), date: text(), run_id: text(), is_due: flag() },
  key: ['batch_id', 'date'],
});

/**
 * A line with its day's version. One that agrees in everything has its attempt and no cells; any other has its key and, if
 * it may be ours, its cells.
 */
const statementLine = table('statement_line', {
  columns: {
    date: text(),
    version: integer(),
    /** The payout of the attempt that the line agrees with; 0 for any other line, as is the attempt's number. */
    payout_seq: integer(),
    attempt_no: integer(),
    /** The place in the original. */
    line: integer(),
    status: text<LineStatus>(),
    key: text().orNull(),
    /** JSON. */
    cells: text().orNull(),
  },
  key: ['date', 'version', 'payout_seq', 'attempt_no', 'line'],
  indexes: [index('statement_line_by_key', 'key', 'cells is not null')],
});

/** A version that has begun to be recorded and was not accepted, with the last event and the last break before. */
const statementReading = table('statement_reading', {
  columns: { date: text().key(), event_seq: integer(), break_id: integer() },
});

// ---------------------------------------------------------------- all tables

const journal = [meta, journalLoss, dailyJob, intakeItem, takenFile, notice, noticeDelivery];
const batches = [batch, report, payout, payoutRow, payoutPlace, payeePlace, openPayout];
const sent = [instructionVersion, attempt, claim, event, payerHalt, payerPause, dayUse, paidPayee];
const archive = [archivedBatch, archivedRows, usedReference];
const statements = [
  statementRun,
  statementVersion,
  statementBreak,
  statementReport,
  statementLine,
  statementReading,
];
const people = [person, personToken, personSession, passkey];
const decisions = [proposal, proposalItem, reviewNote, contributor, approvedRow, approvalSignature];
const chains = [dayHead, personEvent, proposalEvent];
const registrations = [
  registrationBatch,
  registration,
  registrationRow,
  registrationAsked,
  registrationVersion,
  registrationPlace,
  registrationAttempt,
  registrationClaim,
  registrationEvent,
  registrationCallback,
  registrationReport,
];

const own = [
  ...journal,
  ...batches,
  ...sent,
  ...archive,
  ...statements,
  ...people,
  ...decisions,
  ...chains,
  ...registrations,
];

/** Tables of both engines. */
export const journalTables: readonly Table[] = own;

/** The rows of each table, as Kysely sees them. */
export type JournalRows = { [One in (typeof own)[number] as One['name']]: RowOf<One> };

interface MovedTable {
  readonly name: string;
  /** The columns of its key. */
  readonly key: string;
  /** The column that is the payout. */
  readonly seq: string;
  /** Columns of which a digest is taken. */
  readonly digested: string;
  /** Columns that are carried back: rows whose number is counted get it anew, in their order. */
  readonly carried: string;
}

/** Tables whose rows go into an archive with their batch, parents first. */
export const movedTables: readonly MovedTable[] = journalTables.flatMap((one) => {
  if (one.archiving === null) return [];
  const { by, digested } = one.archiving;
  const carried = storedColumns(one).filter((name) => name !== countedKey(one));
  return [{ name: one.name, key: one.key.join(', '), seq: by, digested, carried: carried.join(', ') }];
});
