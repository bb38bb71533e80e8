/** Sends one attempt whose intent is durable, and records what came of it. */
import type { BankReply, TransferFields } from '../core/bank-port.ts';
import { afterChange } from '../core/change.ts';
import type { Attempt, Payout } from '../core/payout.ts';
import type { Change } from '../core/ports.ts';
import { recordLineStop } from './breaker-stop.ts';
import { logFactsOf, type WorkerContext } from './context.ts';
import { type LineSignal, lineSignalOf } from './rules/after-transfer.ts';
import { classifyTransferReply, replyFacts, type TransferFinding } from './rules/read-reply.ts';
import { countLetThrough, withSendTimes } from './rules/resend.ts';
import { decideOnReply, isOpenAttempt, keepInDoubt } from './rules/superseded.ts';

/**
 * Sends an attempt. The caller has passed the gate and has made the send durable; the gate is left here.
 * @param payout as it stands after the change that recorded the send
 * @param mayLeave asked again when the bytes are about to leave
 * @returns a function that records the outcome, so that the caller's place in the queue is free while it is written
 */
export async function sendAttempt(
  context: WorkerContext,
  payout: Payout,
  attempt: Attempt,
  mayLeave: () => boolean,
): Promise<() => Promise<void>> {
  let signal: LineSignal = { kind: 'nothing' };
  try {
    context.log('debug', 'transfer begins', logFactsOf(payout, attempt));
    const reply = await context.bank.transfer(attempt.order, mayLeave);
    context.bankClock.see(reply);
    const isFirst = countLetThrough(attempt) === 1;
    const finding = classifyTransferReply(reply, attempt.order.transRefNo, isFirst);
    signal = lineSignalOf(finding);
    if (signal.kind === 'paid' || signal.kind === 'taken' || signal.kind === 'ended-otherwise')
      context.run.noteProgress();
    const elapsedMs = 'elapsedMs' in reply ? reply.elapsedMs : undefined;
    const clocks = context.bankClock.read();
    const timed = (one: Attempt): Attempt => withSendTimes(one, elapsedMs, clocks);
    return () => recordOutcome(context, payout, { attempt, timed }, finding, reply);
  } finally {
    context.gate.leave(signal);
  }
}

/** No byte of an attempt has left. */
export type NotSent = Extract<TransferFinding, { kind: 'not-sent' }>;

/** Leaves an attempt unsent whose send was made durable; the gate is left here. @returns as `sendAttempt` does */
export function keepBack(
  context: WorkerContext,
  payout: Payout,
  attempt: Attempt,
  finding: NotSent,
): () => Promise<void> {
  context.gate.leave({ kind: 'nothing' });
  const sent: Sent = { attempt, timed: (one) => one };
  return () => recordOutcome(context, payout, sent, finding, { kind: 'withheld' });
}

interface Sent {
  /** As it was when it was sent. */
  readonly attempt: Attempt;
  /** The attempt, whatever has become of it since, with the times of this send. */
  readonly timed: (attempt: Attempt) => Attempt;
}

async function recordOutcome(
  context: WorkerContext,
  payout: Payout,
  { attempt, timed }: Sent,
  finding: TransferFinding,
  reply: BankReply<TransferFields>,
): Promise<void> {
  try {
    const facts = replyFacts(reply);
    const decide = (current: Payout, latest: Attempt): Change =>
      decideOnReply(current, timed(latest), finding, facts, context.settle, context.bankClock.read());
    const settled = await applyOnCurrent(context, payout, attempt, decide);
    const { xRequestId } = facts;
    const asked = { ...logFactsOf(payout, attempt), xRequestId };
    logOutcome(context, asked, finding, settled);
    await recordLineStop(context, attempt.order);
    context.count(settled);
    context.run.inFlight.delete(payout.seq);
    if (settled?.status === 'submitted') await seeInDoubt(context);
  } finally {
    context.run.inFlight.delete(payout.seq);
  }
}

/**
 * Applies a change decided on payout and attempt as we know them; when somebody else has changed them meanwhile, decides
 * again on what both have become, as long as the payout still is in doubt, or was paid by another of its attempts.
 * Returns what it is afterwards.
 * @param decide undefined when what we have learnt is out of date by now
 */
export async function applyOnCurrent(
  context: WorkerContext,
  known: Payout,
  attempt: Attempt,
  decide: (current: Payout, latest: Attempt) => Change | undefined,
): Promise<Payout | undefined> {
  let current: Payout | undefined = known;
  let latest = attempt;
  while (current !== undefined && (await isUndecided(context, current, attempt))) {
    const decided = decide(current, latest);
    if (decided === undefined) return current;
    const others = await readOthersOpen(context, current, attempt);
    const open = others.find(({ payoutSeq }) => payoutSeq === known.seq);
    const change = open === undefined ? decided : keepInDoubt(decided, open);
    const [isApplied] = await context.journal.apply([change]);
    if (isApplied === true) return afterChange(change);
    current = await context.journal.payout(known.seq);
    // After the payout: every change of an attempt changes its payout, too.
    if (current !== undefined) latest = await readLatest(context, current, attempt);
  }
  return current;
}

/** The attempt as the journal has it now. */
export async function readLatest(
  { journal }: Pick<WorkerContext, 'journal'>,
  owner: Payout,
  known: Attempt,
): Promise<Attempt> {
  const { companyId, transRefNo } = known.order;
  const attempts = await journal.attemptsOf(companyId, owner.instruction.payoutId);
  return attempts.find(({ order }) => order.transRefNo === transRefNo) ?? known;
}

/** Other attempts of the payoutId, over all files, that the bank has completed or may yet complete. */
export async function readOthersOpen(
  { journal }: WorkerContext,
  payout: Payout,
  { order }: Attempt,
): Promise<readonly Attempt[]> {
  if (payout.attemptNo <= 1) return [];
  const attempts = await journal.attemptsOf(order.companyId, payout.instruction.payoutId);
  return attempts.filter((other) => isOpenAttempt(other) && other.order.transRefNo !== order.transRefNo);
}

/** True while the journal does not know how this attempt ended. */
async function isUndecided(context: WorkerContext, current: Payout, attempt: Attempt): Promise<boolean> {
  if (current.status === 'submitted' || current.status === 'unresolved') return true;
  if (current.status !== 'paid') return false;
  return (await readLatest(context, current, attempt)).status !== 'paid';
}

function logOutcome(
  context: WorkerContext,
  asked: object,
  finding: TransferFinding,
  payout: Payout | undefined,
): void {
  context.log(loudnessOf(finding), 'transfer answered', {
    ...asked,
    finding: finding.kind,
    code: 'reason' in finding ? finding.reason.code : null,
    status: payout?.status,
  });
}

/** Doubt about one payout is what inquiries are for; trouble of the line, or of the reference, is not. */
function loudnessOf(finding: TransferFinding): 'debug' | 'info' | 'warn' {
  switch (finding.kind) {
    case 'paid':
      return 'debug';
    case 'withheld':
    case 'refused':
    case 'not-sent':
      return 'warn';
    case 'failed':
      return finding.scope === 'payout' ? 'debug' : 'warn';
    case 'unknown':
      return finding.scope === 'payout' && !finding.contested ? 'info' : 'warn';
  }
}

/** The brake on doubt: rows that merely wait for their answer do not count. */
async function seeInDoubt(context: WorkerContext): Promise<void> {
  const underWay = context.countUnderWay?.() ?? context.run.inFlight.size;
  const inDoubt = (await context.journal.countInDoubt('submitted')) - underWay;
  context.gate.seeInDoubt(inDoubt);
  context.run.ring();
}
