/** What the simulated disk holds: the records of a journal, each replaced and never changed in place. */
import { computeSimilarKey } from '../../../src/payout/rules/similar.ts';
import type { Issue, StagedRow } from '../../../src/core/payout-file.ts';
import { type Attempt, type HoldReason, holdReasons, type Payout } from '../../../src/core/payout.ts';
import type { AttemptKey, Batch, PayerPause, Report } from '../../../src/core/ports.ts';
import { computeInstructionDigest, DigestOfAll } from '../../../src/core/reference.ts';
import type { PayerHalt, PayoutEvent } from '../../../src/payout/ports.ts';
import type { AcceptedStatement, StatementStore } from '../../../src/reconcile/ports.ts';
import type { StatementLine } from '../../../src/reconcile/rules/statement.ts';
import type { BreakRecord } from '../../../src/reconcile/rules/types.ts';
import type { Proposal, ProposalItem } from '../../../src/review/ports.ts';
import { type PayerKey, payerKeyOf } from '../../../src/review/rules/batch-decisions.ts';

type DueReport = Parameters<StatementStore['clearDueReport']>[0];

/** One row: as its file has it, and as it stands. The payout of a row without an instruction is never handed out. */
export interface StoredRow {
  readonly staged: StagedRow;
  /** Trimmed; null when the cell is empty. */
  readonly payoutId: string | null;
  readonly issues: readonly Issue[];
  readonly payout: Payout;
  readonly lastEventSeq: number;
  /** Of the instruction as it was sealed, or validated later; null while there is none. */
  readonly digest: string | null;
  /** The amount of its file, where people have corrected it. */
  readonly sealedSatang?: StagedRow['amountSatang'];
}

export interface StoredEvent extends Omit<PayoutEvent, 'detail'> {
  /** JSON, as the real journal keeps it. */
  readonly detail: string;
}

/** One for each company and payoutId, for ever. */
export interface StoredClaim {
  readonly payoutSeq: number | null;
  readonly attemptsRecorded: number;
}

export interface StoredBreak extends BreakRecord {
  readonly id: number;
  /** The matching that moved it last. */
  readonly movedBy: string;
}

export interface StoredLine {
  readonly date: string;
  readonly version: number;
  readonly line: number;
  /** The attempt that it agrees with in everything; undefined for any other line. */
  readonly clean: AttemptKey | undefined;
  readonly key: string | undefined;
  /** Undefined where its cells are not kept. */
  readonly cells: StatementLine | undefined;
}

/** Replaced, never changed in place, but for `runId`. */
export interface MemoryStatements {
  runId: string;
  versions: readonly AcceptedStatement[];
  breaks: readonly StoredBreak[];
  lines: readonly StoredLine[];
  /** By day: how far the journal had come before a version began to be recorded that was not accepted. */
  readings: ReadonlyMap<string, { readonly eventSeq: number; readonly breaks: number }>;
  reports: readonly (DueReport & { readonly isDue: boolean })[];
}

const makeMemoryStatements = (): MemoryStatements => ({
  runId: '',
  versions: [],
  breaks: [],
  lines: [],
  readings: new Map(),
  reports: [],
});

export interface MemoryStore {
  readonly batches: Map<string, Batch>;
  /** The batches that are halted for the halt of their account alone, with its key. */
  readonly haltedWithPayer: Map<string, string>;
  /** Over the digests of the rows, by batch, as they were sealed or validated later. */
  readonly digests: Map<string, string>;
  /** By number, in the order of the numbers. */
  readonly rows: Map<number, StoredRow>;
  /** Numbers of a batch's rows in input order. */
  readonly rowsOf: Map<string, readonly number[]>;
  /** Oldest first, by the row's number. */
  readonly attempts: Map<number, readonly Attempt[]>;
  /** Row number by reference. */
  readonly references: Map<string, readonly number[]>;
  readonly claims: Map<string, StoredClaim>;
  /** payoutIds that are like each other, by what they have in common. */
  readonly similar: Map<string, readonly string[]>;
  readonly events: StoredEvent[];
  readonly lineStops: (PayerHalt & { readonly liftedAtMs: number | null })[];
  /** The latest of each payer account. */
  readonly linePauses: Map<string, PayerPause>;
  readonly reports: Report[];
  readonly statements: MemoryStatements;
  /** By number, in the order of the numbers. */
  readonly proposals: Map<number, Proposal>;
  /** Of each, in their order. */
  readonly items: Map<number, readonly ProposalItem[]>;
  /** People who have corrected a row of a batch. */
  readonly hands: Map<string, readonly number[]>;
  latestEventSeq: number;
}

export function makeMemoryStore(): MemoryStore {
  return {
    batches: new Map(),
    haltedWithPayer: new Map(),
    digests: new Map(),
    rows: new Map(),
    rowsOf: new Map(),
    attempts: new Map(),
    references: new Map(),
    claims: new Map(),
    similar: new Map(),
    events: [],
    lineStops: [],
    linePauses: new Map(),
    reports: [],
    statements: makeMemoryStatements(),
    proposals: new Map(),
    items: new Map(),
    hands: new Map(),
    latestEventSeq: 0,
  };
}

/** Takes back what a call has done, the latest first. */
export type Undo = (() => void)[];

/** Sets an entry of a map so that it can be taken back. */
export function put<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, undo: Undo): void {
  const before = map.get(key);
  undo.push(() => (before === undefined ? map.delete(key) : map.set(key, before)));
  map.set(key, value);
}

export const claimKey = (companyId: string, payoutId: string): string => `${companyId} ${payoutId}`;

export const similarKey = (companyId: string, payoutId: string): string =>
  `${companyId} ${computeSimilarKey(payoutId)}`;

/** A set of holds in the order of the core's list, as the real journal gives it back. */
export function inOrder(holds: readonly HoldReason[]): readonly HoldReason[] {
  return holds.length < 2 ? holds : holdReasons.filter((hold) => holds.includes(hold));
}

export function requireRow(store: MemoryStore, seq: number): StoredRow {
  const row = store.rows.get(seq);
  if (row === undefined) throw new Error(`there is no row ${seq}`);
  return row;
}

export function requireBatch(store: MemoryStore, batchId: string): Batch {
  const batch = store.batches.get(batchId);
  if (batch === undefined) throw new Error(`there is no batch ${batchId}`);
  return batch;
}

/** The rows of a batch in input order. */
export function rowsOfBatch(store: MemoryStore, batchId: string): StoredRow[] {
  return (store.rowsOf.get(batchId) ?? []).map((seq) => requireRow(store, seq));
}

/** Rows that name a payoutId in a file that has been sealed. */
export function findPlaces(store: MemoryStore, payoutId: string): StoredRow[] {
  return [...store.rows.values()].filter(
    (row) => row.payoutId === payoutId && store.batches.get(row.payout.batchId)?.sealedAtMs !== null,
  );
}

export function isStopped(store: MemoryStore, companyId: string, payerAccount: string): boolean {
  return findStop(store, companyId, payerAccount) !== undefined;
}

/** The stop in force for a payer account. */
export function findStop(
  store: MemoryStore,
  companyId: string,
  payerAccount: string,
): MemoryStore['lineStops'][number] | undefined {
  return store.lineStops.find(
    (stop) => stop.liftedAtMs === null && stop.companyId === companyId && stop.payerAccount === payerAccount,
  );
}

/** What a row becomes, with the event that says why. */
interface RowMove {
  readonly row: StoredRow;
  readonly after: Payout;
  readonly cause: PayoutEvent['cause'];
  readonly atMs: number;
  readonly detail: string;
  /** The row gets the instruction that it never had. */
  readonly isValidated?: boolean;
  /** It asks for something else than its file from now on. */
  readonly isCorrected?: boolean;
}

/** Replaces a row's state, raises its version and appends the event. */
export function moveRow(
  store: MemoryStore,
  { row, after, cause, atMs, detail, isValidated, isCorrected }: RowMove,
): StoredRow {
  const before = row.payout;
  store.latestEventSeq += 1;
  const seq = store.latestEventSeq;
  const { status: to, attemptNo } = after;
  store.events.push({ seq, payoutSeq: before.seq, from: before.status, to, cause, atMs, attemptNo, detail });
  const payout: Payout = {
    ...after,
    instruction: isValidated === true || isCorrected === true ? after.instruction : before.instruction,
    holds: inOrder(after.holds),
    acceptedHolds: inOrder(after.acceptedHolds),
    version: before.version + 1,
    // Only a person who has taken note of it ends it.
    isAlarm: (before.isAlarm && cause !== 'acknowledged') || after.isAlarm,
  };
  const amounts = isCorrected === true ? correctAmount(row, after.instruction.amountSatang) : {};
  const moved = { ...row, ...amounts, payout, lastEventSeq: seq };
  store.rows.set(before.seq, moved);
  if (isCorrected === true || (isValidated === true && row.digest === null)) sealAnew(store, moved);
  return moved;
}

function correctAmount(
  { staged, sealedSatang = staged.amountSatang }: StoredRow,
  amountSatang: Payout['instruction']['amountSatang'],
): Pick<StoredRow, 'staged' | 'sealedSatang'> {
  return { staged: { ...staged, amountSatang }, sealedSatang };
}

/** A row asks for something, or for something else, from now on: its digest counts with those that were sealed. */
function sealAnew(store: MemoryStore, row: StoredRow): void {
  const { seq, batchId, rowNo, instruction } = row.payout;
  const { companyId } = requireBatch(store, batchId);
  const digest = computeInstructionDigest({ companyId, batchId, rowNo }, instruction);
  store.rows.set(seq, { ...row, digest });
  store.digests.set(batchId, digestRows(rowsOfBatch(store, batchId)));
}

/** Over the digests of rows. */
export function digestRows(rows: readonly StoredRow[]): string {
  const all = new DigestOfAll();
  for (const { digest } of rows) if (digest !== null) all.add(digest);
  return all.end();
}

/** The batches that go on with their account. */
function goOnWithPayer(store: MemoryStore, payer: PayerKey, nowMs: number): void {
  for (const [batchId, batch] of store.batches) {
    if (payerKeyOf(batch) !== payerKeyOf(payer)) continue;
    const isWithPayer = store.haltedWithPayer.delete(batchId);
    const { status } = batch;
    const going = isWithPayer
      ? ({ status: 'running', reasonCode: null, reason: null, remedy: null } as const)
      : {};
    if (isWithPayer || status === 'sealed' || status === 'running' || status === 'paused')
      store.batches.set(batchId, { ...batch, ...going, ageFromMs: nowMs });
  }
}

/** Lifts a halt, and with it those of the batches that were halted with their account. */
export function liftHalt(
  store: MemoryStore,
  companyId: string,
  payerAccount: string,
  nowMs: number,
): boolean {
  const stop = findStop(store, companyId, payerAccount);
  if (stop === undefined) return false;
  store.lineStops[store.lineStops.indexOf(stop)] = { ...stop, liftedAtMs: nowMs };
  goOnWithPayer(store, { companyId, payerAccount }, nowMs);
  return true;
}
