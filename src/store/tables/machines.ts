/**
 * Processes that work the journal, the rows that each of them pays, and the latest sends; by the database's clock. On
 * PostgreSQL alone: several machines work a journal there.
 */
import { counted, flag, integer, text } from './column.ts';
import { index, type Table, table, uniqueIndex } from './table.ts';

/** When the bank may be called next. */
const requestSlot = table('request_slot', {
  columns: {
    name: text().key(),
    next_us: integer(),
    /** How many turns were taken since a moment, and within a window of time before it. */
    window_ms: integer(),
    taken: integer(),
    taken_before: integer(),
  },
});

/** The number of the latest transaction of each process that writes. */
const writeMark = table('write_mark', {
  columns: { writer: text().key(), mark: integer(), at_ms: integer() },
});

/** The access token that machines share, which none can read without the secret of the bank. */
const sharedToken = table('shared_token', {
  columns: {
    name: text().key(),
    generation: integer(),
    sealed: text(),
    since_ms: integer(),
    claimed_until_ms: integer(),
  },
});

/**
 * The latest ends of a payer account, counted by all machines, oldest first, as `formatBlocks` writes them; and the worker
 * that tries whether its pause is over.
 */
const payerBreaker = table('payer_breaker', {
  columns: {
    company_id: text(),
    payer_account: text(),
    consecutive_failures: integer().usually(0),
    ends: text().usually(''),
    probe_worker_id: integer().orNull(),
    probe_until_ms: integer().orNull(),
    is_answered: flag().usually(0),
  },
  key: ['company_id', 'payer_account'],
});

/** How many requests of a kind the bank bears at once, of all machines together, while that is less than they may make. */
const bankLimit = table('bank_limit', {
  columns: {
    kind: text().key(),
    places: integer(),
    ceiling: integer(),
    answers: integer(),
    round: integer(),
    why: text().orNull(),
    heard_at_ms: integer(),
  },
});

const worker = table('worker', {
  columns: {
    worker_id: counted(),
    machine: text(),
    pid: integer(),
    command: text(),
    role: text().oneOf('sender', 'helper'),
    epoch: integer(),
    since_ms: integer(),
    lease_until_ms: integer(),
    ended_at_ms: integer().orNull(),
    superseded_at_ms: integer().orNull(),
    /** Version of the tables that its program knows. */
    tables_version: integer().usually(0),
    /** 1 for a worker with a mark that proves the journal complete, or that joined one with such a mark. */
    is_witness: flag().usually(0),
  },
  indexes: [
    uniqueIndex('one_sender', 'role', `role = 'sender' and ended_at_ms is null and superseded_at_ms is null`),
  ],
});

const shard = table('shard', {
  columns: {
    shard_id: counted(),
    batch_id: text().of('batch'),
    from_row: integer(),
    to_row: integer(),
    worker_id: integer().of('worker'),
    epoch: integer(),
    taken_at_ms: integer(),
    ended_at_ms: integer().orNull(),
  },
  indexes: [
    index('shard_of_batch', 'batch_id, to_row'),
    index('shard_not_ended', 'batch_id', 'ended_at_ms is null'),
  ],
});

/** The process that works a file that was taken in, and the folder of the file; the worker may be gone. */
const fileClaim = table('file_claim', {
  columns: {
    item_id: text().key(),
    file_name: text(),
    folder_id: text(),
    worker_id: integer(),
    machine: text(),
    claimed_at_ms: integer(),
  },
});

const latestSend = table('latest_send', {
  columns: {
    payout_seq: integer(),
    attempt_no: integer(),
    worker_id: integer().of('worker'),
    sent_at_ms: integer(),
  },
  key: ['payout_seq', 'attempt_no', 'worker_id'],
  indexes: [index('latest_send_when', 'sent_at_ms')],
});

/** Tables of PostgreSQL alone, each after those that it refers to. */
export const machineTables: readonly Table[] = [
  requestSlot,
  writeMark,
  sharedToken,
  payerBreaker,
  bankLimit,
  worker,
  shard,
  fileClaim,
  latestSend,
];
