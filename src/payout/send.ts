/** Sends one attempt whose intent is durable, and records what came of it. */
import type { Attempt } from '../core/payout.ts';
import { applyOnAttempt } from './apply-change.ts';
import { callBank } from './call-bank.ts';
import { recordHalt } from './circuit-breaker.ts';
import { caseOf, logFactsOf, type WorkerContext } from './context.ts';
import type { InDoubt } from './ports.ts';
import { decideReply } from './rules/after-transfer.ts';
import { readReply, type ReadReply, type TransferFinding } from './rules/read-reply.ts';
import { withSendTimes } from './rules/resend.ts';

/**
 * Sends an attempt. The caller has passed the gate and has made the send durable; the gate is left here.
 * @param sent the payout as it stands after the change that recorded the send
 * @param mayLeave asked again when the bytes are about to leave
 * @returns a function that records the outcome, so that the caller's place in the queue is free while it is written
 */
export async function sendAttempt(
  context: WorkerContext,
  sent: InDoubt,
  mayLeave: () => boolean,
): Promise<() => Promise<void>> {
  const { bank, bankClock, gate, run } = context;
  const { payout, attempt } = sent;
  context.log('debug', 'transfer begins', logFactsOf(payout, attempt));
  const said = await callBank(context, {
    kind: 'transfers',
    send: () => bank.transfer(attempt.order, () => gate.isServiceOpen && mayLeave()),
    read: (reply) => readReply(reply, attempt),
  });
  const { kind } = said.breaker;
  if (kind === 'paid' || kind === 'taken' || kind === 'ended-otherwise') run.noteProgress();
  const clocks = bankClock.read();
  const timed = (one: Attempt): Attempt => withSendTimes(one, said.facts.elapsedMs, clocks);
  return () => recordOutcome(context, sent, said, timed);
}

/** Why no byte of an attempt has left. */
export type NotSent = Extract<TransferFinding, { kind: 'not-sent' }>;

/** Leaves an attempt unsent whose send was made durable; the gate is left here. @returns as `sendAttempt` does */
export function leaveUnsent(context: WorkerContext, unsent: InDoubt, finding: NotSent): () => Promise<void> {
  context.gate.leave({ kind: 'nothing' });
  return () => recordOutcome(context, unsent, { finding, facts: {} });
}

/** @param timed the attempt, whatever has become of it since, with the times of this send */
async function recordOutcome(
  context: WorkerContext,
  sent: InDoubt,
  { finding, facts }: Pick<ReadReply<TransferFinding>, 'finding' | 'facts'>,
  timed: (attempt: Attempt) => Attempt = (one) => one,
): Promise<void> {
  const { inFlight } = context.run;
  const { payout, attempt } = sent;
  try {
    const settled = await applyOnAttempt(context, sent, (current, latest) =>
      decideReply(caseOf(context, current, timed(latest), facts), finding),
    );
    context.log(levelOf(finding), 'transfer answered', {
      ...logFactsOf(payout, attempt),
      xRequestId: facts.xRequestId,
      finding: finding.kind,
      code: 'reason' in finding ? finding.reason.code : null,
      status: settled?.status,
    });
    await recordHalt(context, attempt.order);
    context.count(settled);
    inFlight.delete(payout.seq);
    if (settled?.status === 'submitted') await observeInDoubt(context);
  } finally {
    inFlight.delete(payout.seq);
  }
}

/** Doubt about one payout is what inquiries are for; trouble of the account, or of the reference, is not. */
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

/** The brake on doubt: rows that merely wait for their answer do not count. */
async function observeInDoubt({ run, journal, gate, countUnderWay }: WorkerContext): Promise<void> {
  const underWay = countUnderWay?.() ?? run.inFlight.size;
  gate.observeInDoubt((await journal.countInDoubt('submitted')) - underWay);
  run.notify();
}
