/** Records the intent to pay one payout and sends it. Without a durable intent nothing is sent. */
import { afterChange } from '../core/change.ts';
import type { Attempt, Payout } from '../core/payout.ts';
import type { Change, PaymentLikeness } from '../core/ports.ts';
import type { RunInTurn } from '../platform/fair-semaphore.ts';
import { applyOnLatest, readReference } from './apply-change.ts';
import { callBank } from './adaptive-limit.ts';
import { noticeHalt, type Pass, type Payer, recordHalt } from './circuit-breaker.ts';
import {
  caseOf,
  countDoubt,
  countUnderWay,
  idOf,
  logFactsOf,
  payerOf,
  type WorkerContext,
} from './context.ts';
import type { InDoubt } from './ports.ts';
import { preSendChecks, type Row } from './pre-send-checks.ts';
import { decideReply } from './rules/after-transfer.ts';
import { withEnd } from './rules/brake.ts';
import type { BreakerState } from './rules/circuit-breaker.ts';
import { type BankNames, decideIntent } from './rules/intent.ts';
import type { SendTimes } from './rules/intents-ahead.ts';
import { hasWaitedTooLong } from './rules/lease.ts';
import { dayLimitsOf } from './rules/limits.ts';
import {
  type BreakerSignal,
  type FindingOf,
  readReply,
  type ReadReply,
  type TransferFinding,
} from './rules/read-reply.ts';
import { mayBytesLeaveFirst, withSendTimes, withUnansweredTrial } from './rules/resend.ts';
import { likenessOf } from './rules/similar.ts';
import { toBrakeCount, noticeHaltByEnd } from './shared-breaker.ts';
import { recordLearnt } from './superseded.ts';

/** A row with a payable payee, and the bank's names of the payee. */
interface PayableRow extends Row {
  readonly names: BankNames;
}

/**
 * Pays one ready payout. The lane is taken once the intent is durable, so that a place never waits for the disk.
 * @param inLane runs the sending when a lane is free, which bounds the transfers at the bank
 * @returns a function that records the outcome
 */
export async function submitPayout(
  context: WorkerContext,
  row: PayableRow,
  inLane: RunInTurn,
): Promise<() => Promise<void>> {
  const intended = await inLikenessTurn(context, row, () => recordIntent(context, row));
  if (intended === undefined) return async () => {};
  const { gate, settle, bankClock, clock } = context;
  return inLane(async () => {
    const { pass, attempt } = intended;
    const stop = findStop(gate.transfers, pass.isProbe) ?? findLateness(context, attempt);
    if (stop !== undefined) {
      pass.leave();
      return () => recordOutcome(context, intended, { finding: stop, facts: {} });
    }
    const mayTransmit = (): boolean => mayBytesLeaveFirst(attempt, settle, bankClock.read());
    const beganAtMs = clock.elapsedMs();
    const record = await sendAttempt(context, intended, pass, mayTransmit);
    noteTime(context, 'sendMs', beganAtMs);
    return record;
  });
}

/** Records the duration of a step when several machines share the journal: a commit then also waits for theirs. */
function noteTime(
  { share, adaptiveLimits, clock }: WorkerContext,
  step: keyof SendTimes,
  beganAtMs: number,
): void {
  if (share !== undefined) adaptiveLimits.transfers.noteTime(step, clock.elapsedMs() - beganAtMs);
}

/** Runs like payouts one at a time: each is checked after the intent of the one before is recorded. */
function inLikenessTurn<T>(
  { likeness, limits, clock }: WorkerContext,
  { payout, batch }: Row,
  work: () => Promise<T>,
): Promise<T> {
  const like = findLikeness({ limits, clock }, { payout, batch });
  if (like === undefined) return work();
  const { proxyType, proxyNo, amountSatang } = like;
  return likeness.run(`${proxyType} ${proxyNo} ${amountSatang}`, work);
}

const findLikeness = (
  { limits, clock }: Pick<WorkerContext, 'limits' | 'clock'>,
  { payout, batch }: Pick<Row, 'payout' | 'batch'>,
): PaymentLikeness | undefined => likenessOf(payout, batch.companyId, limits.similarDays, clock.now());

interface Intended extends InDoubt {
  readonly pass: Pass;
}

/** Most checks of one row before its intent is recorded: an earlier attempt may come alive after each. */
const looksMax = 3;

/** Records the intent. Undefined when nothing may be sent; otherwise the gate is passed. */
async function recordIntent(context: WorkerContext, row: PayableRow): Promise<Intended | undefined> {
  for (let looks = 1; looks <= looksMax; looks += 1) {
    const tried = await tryIntent(context, row, looks === 1);
    if (tried !== 'refused') return tried;
    // The row was cancelled or held, or its batch or account halted, meanwhile.
    await noticeHalt(context, row.batch);
    // Other payouts that count on the same day, or that are like it, may have come first.
    const isLimited = dayLimitsOf(context.limits.overTime, row.payout) !== undefined;
    const isCompared = findLikeness(context, row) !== undefined;
    if (row.attemptsRecorded === 0 && !isLimited && !isCompared) return undefined;
    const latest = await context.journal.payout(row.payout.seq);
    if (latest?.version !== row.payout.version) return undefined;
  }
  return undefined;
}

/** Reads the known loss before any check: the intent depends on it. */
async function noteKnownLoss({ journal }: WorkerContext): Promise<Pick<Change, 'lossKnownMs'>> {
  if (journal.knownLoss === undefined) return {};
  return { lossKnownMs: (await journal.knownLoss())?.recoveredAtMs ?? null };
}

/** Tries to record the intent; `refused` when the checked facts have changed meanwhile. */
async function tryIntent(
  context: WorkerContext,
  row: PayableRow,
  isFirstLook: boolean,
): Promise<Intended | 'refused' | undefined> {
  const { run, bankClock, settle, clock } = context;
  const { payout, batch } = row;
  const limits = dayLimitsOf(context.limits.overTime, payout);
  context.reopened.delete(idOf(batch.companyId, payout));
  const guards = await noteKnownLoss(context);
  const check = await preSendChecks(context, row, isFirstLook);
  if (check.kind === 'hold') await recordHold(context, payout, check.decide);
  if (check.kind !== 'clear') return undefined;
  const { cleared, number, pass } = check;
  const payer = payerOf(context, batch);
  const terms = { cleared, number, payer, limits, likeness: findLikeness(context, row), policy: settle };
  const { change: intent, attempt } = decideIntent({ ...row, ...terms, ...bankClock.read() });
  const change = { ...intent, ...guards };
  run.inFlight.add(payout.seq);
  run.hasSent = true;
  let isRecorded = false;
  const beganAtMs = clock.elapsedMs();
  try {
    [isRecorded = false] = await context.journal.apply([change]);
    noteTime(context, 'commitMs', beganAtMs);
  } finally {
    if (!isRecorded) {
      run.inFlight.delete(payout.seq);
      pass.leave();
    }
  }
  if (!isRecorded) return 'refused';
  return { payout: afterChange(change), attempt, pass };
}

async function recordHold(
  context: WorkerContext,
  payout: Payout,
  decide: (current: Payout) => Change,
): Promise<void> {
  const change = await applyOnLatest(context, payout, (current) =>
    current.status === 'ready' ? decide(current) : undefined,
  );
  if (change === undefined) return;
  context.run.noteProgress();
  context.count(afterChange(change));
}

/** Reason why an attempt is not sent: the account was paused or halted since its intent was recorded. */
function findStop({ status, why }: BreakerState, isProbe: boolean): FindingOf<'not-sent'> | undefined {
  if (why === null || status === 'open' || (status === 'paused' && isProbe)) return undefined;
  const scope = status === 'halted' ? 'payer' : 'service';
  return { kind: 'not-sent', scope, reason: { code: why.code, text: why.reason } };
}

/**
 * Stops an attempt that has waited for too long since the bank became slow, when another machine may inquire about it.
 */
function findLateness(
  { share, clock }: WorkerContext,
  attempt: Attempt,
): FindingOf<'aborted-before-send'> | undefined {
  return share !== undefined && hasWaitedTooLong(attempt, clock.now())
    ? { kind: 'aborted-before-send' }
    : undefined;
}

/**
 * Sends an attempt, whose send the caller has made durable.
 * @param sent the payout after the change that recorded the send
 * @param pass pass of the gate; returned here
 * @param mayTransmit asked again just before the bytes leave
 * @returns a function that records the outcome, so that the caller's place in the queue is free meanwhile
 */
export async function sendAttempt(
  context: WorkerContext,
  sent: InDoubt,
  pass: Pass,
  mayTransmit: () => boolean,
): Promise<() => Promise<void>> {
  const { bank, bankClock, gate, run, reopened, mayTransmit: mayStillSend = () => true } = context;
  const { payout, attempt } = sent;
  const { sameReference } = await readReferenceOf(context, sent);
  context.log('debug', 'transfer begins', logFactsOf(payout, attempt));
  const answeredBefore = gate.breaker.answered;
  const id = idOf(attempt.order.companyId, payout);
  const said = await callBank(context, {
    pass,
    kind: 'transfers',
    send: () =>
      bank.transfer(
        attempt.order,
        () => gate.isServiceOpen && mayStillSend() && mayTransmit() && !reopened.has(id),
        context.stop,
      ),
    read: (reply) => readReply(reply, attempt, sameReference),
  });
  const { kind } = said.breaker;
  const isUnanswered = kind === 'unanswered';
  if (isUnanswered) gate.noteUnanswered(attempt.order.transRefNo);
  const isTrial = isUnanswered && gate.breaker.answered === answeredBefore;
  if (kind === 'paid' || kind === 'taken' || kind === 'ended-otherwise') run.noteProgress();
  const clocks = bankClock.read();
  const counted = (one: Attempt): Attempt => {
    const timed = withSendTimes(one, said.facts.elapsedMs, clocks);
    return isTrial ? withUnansweredTrial(timed) : timed;
  };
  return () => recordOutcome(context, sent, said, counted);
}

/** The first attempt of a payoutId is alone under its reference while it is sent. */
const readReferenceOf = async (context: WorkerContext, { payout, attempt }: InDoubt) =>
  attempt.attemptNo === 1 ? { sameReference: [] } : readReference(context, payout, attempt);

/** The result of a send; without a signal when nothing was sent. */
type Recorded = Omit<ReadReply<TransferFinding>, 'breaker' | 'limit' | 'bankDateMs'> & {
  readonly breaker?: BreakerSignal;
};

/**
 * Records the outcome of a send.
 * @param counted the attempt, in its present state, with the times and the counting of this send
 */
async function recordOutcome(
  context: WorkerContext,
  sent: InDoubt,
  { finding, facts, breaker }: Recorded,
  counted: (attempt: Attempt) => Attempt = (one) => one,
): Promise<void> {
  const { inFlight } = context.run;
  const { payout, attempt } = sent;
  const end = toBrakeCount(context, breaker);
  try {
    const settled = await recordLearnt(context, sent, {
      finding,
      caseOf: (current, latest) => caseOf(context, current, counted(latest), [], facts),
      decide: (known) => withEnd(decideReply(known, finding), end),
    });
    context.log(levelOf(finding), 'transfer answered', {
      ...logFactsOf(payout, attempt),
      xRequestId: facts.xRequestId,
      finding: finding.kind,
      code: 'reason' in finding ? finding.reason.code : null,
      status: settled?.status,
    });
    await recordHalt(context, attempt.order);
    await noticeHaltByEnd(context, attempt.order, end);
    context.count(settled);
    inFlight.delete(payout.seq);
    if (settled?.status === 'submitted') await observeInDoubt(context, attempt.order);
  } finally {
    inFlight.delete(payout.seq);
  }
}

/**
 * Log level of a finding. Doubt about one payout is normal, and settled by inquiry; trouble of the account or of the
 * reference is a warning.
 */
function levelOf(finding: TransferFinding): 'debug' | 'info' | 'warn' {
  switch (finding.kind) {
    case 'paid':
      return 'debug';
    case 'aborted-before-send':
    case 'refused':
    case 'not-sent':
      return 'warn';
    case 'failed':
      return finding.scope === 'payout' ? 'debug' : 'warn';
    case 'unknown':
      return finding.scope === 'payout' && !finding.referenceConflict ? 'info' : 'warn';
  }
}

/** Applies the brake on doubt; rows that only wait for their answer do not count. */
async function observeInDoubt(context: WorkerContext, payer: Payer): Promise<void> {
  const { run, runs, gate } = context;
  const underWay = countUnderWay({ runs }, run);
  gate.observeInDoubt((await countDoubt(context)) - underWay);
  await recordHalt(context, payer);
  run.notify();
}
