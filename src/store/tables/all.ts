/** All tables of a journal, each after those that it refers to, and the types of their rows. */
import { archivedBatch, archivedRows, usedReference } from './archive.ts';
import type { RowOf } from './column.ts';
import {
  bankLimit,
  fileClaim,
  latestSend,
  payerBreaker,
  requestSlot,
  shard,
  sharedToken,
  worker,
  writeMark,
} from './machines.ts';
import { dayUse, paidPayee, payerHalt, payerPause } from './payers.ts';
import {
  attempt,
  batch,
  claim,
  event,
  instructionVersion,
  openPayout,
  payeePlace,
  payout,
  payoutPlace,
  payoutRow,
  report,
} from './payouts.ts';
import {
  dayHead,
  passkey,
  person,
  personChange,
  personEvent,
  personSession,
  personToken,
  proposalEvent,
} from './people.ts';
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
} from './registrations.ts';
import { approvalSignature, approvedRow, contributor, proposal, proposalItem, reviewNote } from './review.ts';
import {
  statementBreak,
  statementLine,
  statementReading,
  statementReport,
  statementRun,
  statementVersion,
} from './statements.ts';
import { countedKey, storedColumns, type Table } from './table.ts';
import { dailyJob, intakeItem, journalLoss, meta, notice, noticeDelivery, takenFile } from './watch.ts';

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
const people = [person, personToken, personChange, personSession, passkey];
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

/** Tables of PostgreSQL alone. */
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
