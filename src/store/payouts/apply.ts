/**
 * The one way to change a payout. Calls that come while the loop is busy are gathered into one transaction, so that
 * one sync to disk serves them all (group commit).
 */
import type { DatabaseSync } from 'node:sqlite';
import { ForbiddenChangeError, requireAllowed } from '../../core/change.ts';
import { claimReleasingStatuses } from '../../core/payout.ts';
import type { Attempt, PayoutStatus, TransferOrder } from '../../core/payout.ts';
import type { Change } from '../../core/ports.ts';
import { inTransaction } from '../connection.ts';
import { sqliteCodeOf, sqliteCodes } from '../errors.ts';
import { WriteQueue } from '../write-queue.ts';
import {
  type ApplyStatements,
  type ClaimGuard,
  type ClaimOfRow,
  prepareApply,
  prepareLatestEventSeq,
} from './apply-statements.ts';
import { toAttemptRecord, toAttemptState, toInstructionColumns, toPayoutState } from './rows.ts';

interface Call {
  readonly changes: readonly Change[];
  readonly resolve: (applied: readonly boolean[]) => void;
  readonly reject: (reason: unknown) => void;
}

/** Thrown through a transaction to end it: this call alone is to blame. */
class CallFailure extends Error {
  readonly call: Call;

  constructor(call: Call, cause: unknown) {
    super('a call cannot be applied', { cause });
    this.call = call;
  }
}

/** What the batch says about its rows, read once a transaction. */
interface Gate {
  readonly companyId: string;
  readonly payerAccount: string;
  /** The batch is running and no line stop is in force for its payer account. */
  readonly isOpen: boolean;
}

interface Transaction {
  readonly statements: ApplyStatements;
  readonly gates: Map<string, Gate>;
  latestEventSeq: number;
}

export interface Applier {
  apply(changes: readonly Change[]): Promise<readonly boolean[]>;
  /** Has what is waiting committed, as soon as those who write before it have done so. */
  flush(): void;
}

const isReleased = (status: PayoutStatus): boolean => claimReleasingStatuses.includes(status);

function readGate({ statements, gates }: Transaction, batchId: string): Gate {
  const known = gates.get(batchId);
  if (known !== undefined) return known;
  const record = statements.gate.get({ batchId });
  if (record === undefined) throw new ForbiddenChangeError(`there is no batch ${batchId}`);
  const isOpen = record.status === 'running' && record.stopped_since_ms === null;
  const gate = { companyId: record.company_id, payerAccount: record.payer_account, isOpen };
  gates.set(batchId, gate);
  return gate;
}

/** The line stop is looked up for the batch's account, so the bytes must name that account and no other. */
function checkOrder({ before }: Change, order: TransferOrder | undefined, gate: Gate): void {
  if (order?.companyId === gate.companyId && order.payerAccount === gate.payerAccount) return;
  throw new ForbiddenChangeError(`payout ${before.seq}: the order names another company or payer account`);
}

function claimGuardOf({ before, after, isIntent, adopts }: Change): ClaimGuard {
  if (isIntent === true || adopts !== undefined) return 'held-by-row';
  const takesItBack = isReleased(before.status) && !isReleased(after.status) && after.status !== 'paid';
  return takesItBack ? 'not-held-by-another' : 'none';
}

/** False when a guard no longer holds; nothing has changed then. */
function applyChange(transaction: Transaction, change: Change): boolean {
  const { before, after, event, attempt, adopts = [] } = change;
  const { statements } = transaction;
  const gate = readGate(transaction, before.batchId);
  if (change.isIntent === true) checkOrder(change, attempt?.order, gate);
  for (const adopted of adopts) checkOrder(change, adopted.order, gate);
  // Nothing leaves, not even what was sent before, while the batch or its payer account is stopped.
  const isSend = change.isIntent === true || event.cause === 'sending-again';
  if (isSend && !gate.isOpen) return false;
  const claim = { companyId: gate.companyId, payoutId: before.instruction.payoutId, seq: before.seq };
  const eventSeq = transaction.latestEventSeq + 1;
  const changed = statements.payout[claimGuardOf(change)].run({
    ...toPayoutState(after),
    ...claim,
    statusBefore: before.status,
    versionBefore: before.version,
    versionAfter: before.version + 1,
    eventSeq,
  });
  if (changed === 0) return false;
  if (change.isValidated === true) statements.validated.run(toInstructionColumns(after));
  moveClaim(statements, change, claim);
  if (attempt !== undefined) keepAttempt(statements, attempt, change.isIntent === true);
  for (const adopted of adopts) keepAttempt(statements, adopted, true);
  statements.appendEvent.run({
    seq: eventSeq,
    payout_seq: before.seq,
    from_status: before.status,
    to_status: after.status,
    cause: event.cause,
    at_ms: event.atMs,
    attempt_no: after.attemptNo,
    detail: JSON.stringify(event.detail),
  });
  transaction.latestEventSeq = eventSeq;
  return true;
}

function moveClaim(
  { claim: statements }: ApplyStatements,
  { before, after, event, attempt, isIntent, adopts = [] }: Change,
  claim: ClaimOfRow,
): void {
  const [lowest] = adopts;
  if (lowest !== undefined) {
    const raised = { ...claim, attemptNo: after.attemptNo, attemptsBelow: lowest.attemptNo };
    if (statements.raise.run(raised) === 0)
      throw new ForbiddenChangeError(`payout ${before.seq}: attempt ${lowest.attemptNo} is known already`);
  }
  if (isIntent === true && attempt !== undefined) {
    const { attemptNo } = attempt;
    const counted = statements.count.run({ ...claim, attemptNo, attemptsBefore: attemptNo - 1 });
    if (counted === 0)
      throw new ForbiddenChangeError(`payout ${before.seq}: attempt ${attemptNo} is not the next one`);
  } else if (event.cause === 'late-proof') {
    statements.takeForPaid.run(claim);
  } else if (isReleased(after.status)) {
    statements.giveBack.run(claim);
  } else if (isReleased(before.status)) {
    statements.takeIfFree.run(claim);
  }
}

function keepAttempt({ attempt: statements }: ApplyStatements, attempt: Attempt, isNew: boolean): void {
  if (isNew) {
    statements.insert.run(toAttemptRecord(attempt));
    return;
  }
  const { payoutSeq, attemptNo, status } = attempt;
  const state = toAttemptState(attempt);
  if (statements.update[status].run({ ...state, payout_seq: payoutSeq, attempt_no: attemptNo }) === 1) return;
  const present = statements.status.get({ payoutSeq, attemptNo });
  throw new ForbiddenChangeError(
    present === undefined
      ? `payout ${payoutSeq} has no attempt ${attemptNo}`
      : `attempt ${attemptNo} of payout ${payoutSeq} is ${present.status} and cannot become ${status}`,
  );
}

/** True when the error comes from what the call asked for, not from the disk or the file. */
function isCallToBlame(error: unknown): boolean {
  const code = sqliteCodeOf(error);
  return code === undefined || code === sqliteCodes.constraint;
}

function applyCall(transaction: Transaction, call: Call): boolean[] {
  try {
    return call.changes.map((change) => applyChange(transaction, change));
  } catch (error) {
    throw isCallToBlame(error) ? new CallFailure(call, error) : error;
  }
}

/** Turns of the loop that a commit waits while each of them brings more calls: fewer syncs serve them all. */
const gatherTurnsMax = 4;

/**
 * Gathers and commits the changes of one connection.
 * @param onCommit told the number of the latest event once it is durable, before anybody else is; what it throws is
 * a failure of the calls, so that nothing is sent on the strength of them
 * @param queue of the connection, where its other writers wait too
 */
export function makeApplier(
  db: DatabaseSync,
  onCommit: (latestEventSeq: number) => void = () => {},
  queue: WriteQueue = new WriteQueue(db),
): Applier {
  const statements = prepareApply(db);
  const readLatestEventSeq = prepareLatestEventSeq(db);
  let waiting: Call[] = [];

  const commit = (calls: readonly Call[]): readonly (readonly boolean[])[] => {
    const transaction: Transaction = { statements, gates: new Map(), latestEventSeq: 0 };
    const applied = inTransaction(db, () => {
      transaction.latestEventSeq = readLatestEventSeq();
      return calls.map((call) => applyCall(transaction, call));
    });
    onCommit(transaction.latestEventSeq);
    return applied;
  };

  const settle = async (calls: readonly Call[]): Promise<void> => {
    let left = calls;
    /** A call that cannot be applied is taken out, and the others are applied without it. */
    const commitAll = (): void => {
      while (left.length > 0) {
        try {
          const applied = commit(left);
          for (const [place, call] of left.entries()) call.resolve(applied[place] ?? []);
          return;
        } catch (error) {
          if (!(error instanceof CallFailure)) throw error;
          error.call.reject(error.cause);
          left = left.filter((call) => call !== error.call);
        }
      }
    };
    try {
      await queue.run(commitAll);
    } catch (error) {
      for (const call of left) call.reject(error);
    }
  };

  const flush = (): void => {
    const calls = waiting;
    waiting = [];
    if (calls.length > 0) void settle(calls);
  };

  const gather = (seen: number, turn: number): void => {
    if (waiting.length === seen || turn >= gatherTurnsMax) flush();
    else setImmediate(gather, waiting.length, turn + 1);
  };

  return {
    flush,
    apply: async (changes) => {
      for (const change of changes) requireAllowed(change);
      if (changes.length === 0) return [];
      return new Promise((resolve, reject) => {
        waiting.push({ changes, resolve, reject });
        if (waiting.length === 1) setImmediate(gather, 0, 1);
      });
    },
  };
}
