/**
 * Inquires about superseded attempts: each before the next attempt of its payoutId is made, and all again for a while
 * afterwards, since a late proof can always come (I4).
 */
import { message, type Message } from '../core/message.ts';
import { afterChange, move } from '../core/change.ts';
import type { Attempt, Payout } from '../core/payout.ts';
import type { AttemptKey, Change } from '../core/ports.ts';
import { applyOnAttempt, applyOnLatest, readReference } from './apply-change.ts';
import { caseOf, contextFor, idOf, logFactsOf, type WorkerContext } from './context.ts';
import { askUntilSaid, inquire, type Inquired } from './inquire.ts';
import { searchBeforeCancel } from './lost-journal.ts';
import type { InDoubt } from './ports.ts';
import { type Case, mayHaveMoved } from './rules/case.ts';
import { findNamed, isShownFailed } from './rules/inquiry-items.ts';
import { whyNotCancel } from './rules/operator.ts';
import type { InquiryReading, TransferFinding } from './rules/read-reply.ts';
import { computeTrustAtMs } from './rules/resend.ts';
import {
  decideOnClosed,
  decideOnSibling,
  decideSuperseded,
  hasEnded,
  holdForSuperseded,
  isCleared,
  isTrusted,
  provesPaid,
} from './rules/superseded.ts';

/** Reason why a row is not sent now. */
export type Obstacle =
  /** The row is held for an operator or a later run. */
  | { readonly kind: 'hold'; readonly decide: (current: Payout) => Change }
  /** Nothing may be sent now; the reason is recorded if there is one. */
  | { readonly kind: 'blocked' };

/**
 * Whether earlier attempts, oldest first, permit the next one: the bank showed failed items, noted on each attempt, or
 * did not find them.
 */
export type Clearing = { readonly kind: 'clear'; readonly cleared: readonly Attempt[] } | Obstacle;

/** Inquires about every attempt ever made for the payoutId. */
export async function clearSuperseded(
  context: WorkerContext,
  payout: Payout,
  companyId: string,
): Promise<Clearing> {
  const attempts = await context.journal.attemptsOf(companyId, payout.instruction.payoutId);
  const cleared: Attempt[] = [];
  for (const ofReference of Map.groupBy(attempts, ({ order }) => order.transRefNo).values()) {
    const one = await clearReference(context, payout, ofReference);
    if (one.kind !== 'clear') return one;
    cleared.push(...one.cleared);
  }
  return { kind: 'clear', cleared };
}

/**
 * Inquires about one reference.
 * @param attempts all under it, oldest first
 */
async function clearReference(
  context: WorkerContext,
  payout: Payout,
  attempts: readonly Attempt[],
): Promise<Clearing> {
  const said = await askUntilTrusted(context, attempts);
  if (said === undefined) return { kind: 'blocked' };
  const { finding } = said;
  const latest = attempts.at(-1);
  const isNobodys = finding.kind === 'failed' && !attempts.some(({ order }) => isShownFailed(finding, order));
  if (isNobodys && latest !== undefined) {
    const known = caseOf(context, payout, latest, []);
    return { kind: 'hold', decide: (current) => holdForSuperseded(current, known, finding.kind) };
  }
  const cleared: Attempt[] = [];
  for (const attempt of mayHaveMoved(finding) ? [findShown(attempts, finding)] : attempts) {
    const one = await clearOne(context, payout, attempt, finding);
    if (one.kind !== 'clear') return one;
    cleared.push(...one.cleared);
  }
  return { kind: 'clear', cleared };
}

/** The attempt that an answer concerns: the one that it names, else the latest. */
function findShown(attempts: readonly Attempt[], finding: InquiryReading): Attempt {
  const named = finding.kind === 'complete' ? findNamed(attempts, finding.send) : undefined;
  const one = named ?? attempts.at(-1);
  if (one === undefined) throw new Error('no attempt went under the reference');
  return one;
}

/**
 * Waits until "not found" about an attempt can be trusted; one with a failed item needs no wait.
 * @returns false when the run stops before
 */
async function waitUntilTrusted(
  { clock, bankClock, settle, stop }: WorkerContext,
  attempt: Attempt,
): Promise<boolean> {
  while (!isTrusted(attempt, settle, bankClock.read())) {
    if (stop.aborted) return false;
    const clocks = bankClock.read();
    await clock.sleep(computeTrustAtMs(attempt, settle, clocks) - clocks.nowMs, stop);
  }
  return true;
}

/** Inquires, and again once "not found" can be trusted. */
async function askUntilTrusted(
  context: WorkerContext,
  attempts: readonly Attempt[],
): Promise<Inquired | undefined> {
  const [latest, ...others] = attempts.toReversed();
  if (latest === undefined) throw new Error('no attempt went under the reference');
  for (;;) {
    const ask = () => inquire(context, latest, others.toReversed(), false);
    const said = await askUntilSaid(context, true, ask);
    if (said?.finding.kind !== 'not-found' && said?.finding.kind !== 'failed') return said;
    const clocks = context.bankClock.read();
    const { finding } = said;
    const untrusted = attempts.find(
      (one) => !isShownFailed(finding, one.order) && !isTrusted(one, context.settle, clocks),
    );
    if (untrusted === undefined) return said;
    if (!(await waitUntilTrusted(context, untrusted))) return undefined;
  }
}

async function clearOne(
  context: WorkerContext,
  payout: Payout,
  attempt: Attempt,
  finding: InquiryReading,
): Promise<Clearing> {
  const isOwn = attempt.payoutSeq === payout.seq;
  const owner = isOwn ? payout : await context.journal.payout(attempt.payoutSeq);
  const { transRefNo } = attempt.order;
  if (owner === undefined) throw new Error(`attempt ${transRefNo} belongs to no payout`);
  // A statement may have revived the attempt during the inquiry.
  const { latest, sameReference } = await readReference(context, owner, attempt);
  const known = caseOf(context, owner, latest, sameReference);
  const hasFailedItem = latest.hasFailedItem || isShownFailed(finding, latest.order);
  const cleared = { ...latest, hasFailedItem };
  if (isCleared(known, finding)) return { kind: 'clear', cleared: [cleared] };
  const facts = { ...logFactsOf(owner, attempt), finding: finding.kind };
  context.log('warn', 'an earlier attempt was not settled', facts);
  const change = await recordOnOwner(context, { payout: owner, attempt }, finding);
  // The finding has moved the payout itself: there is nothing left to hold.
  if (change !== undefined && isOwn) return { kind: 'blocked' };
  if (change !== undefined && hasEnded(change))
    return { kind: 'clear', cleared: [{ ...cleared, ...change.attempt }] };
  return { kind: 'hold', decide: (current) => holdForSuperseded(current, known, finding.kind) };
}

/** Asks the bank before a row is cancelled (`AskBeforeCancel`), and records answers that contradict us. */
export const askBeforeCancel = (
  context: WorkerContext,
  payout: Payout,
  attempt: Attempt | undefined,
): Promise<Message | undefined> =>
  attempt === undefined
    ? searchBeforeCancel(context, payout)
    : askAboutSend(contextFor(context, attempt.order), payout, attempt);

/** @returns why the row cannot be cancelled; undefined when the attempt's reference permits it */
async function askAboutSend(
  context: WorkerContext,
  payout: Payout,
  attempt: Attempt,
): Promise<Message | undefined> {
  const { latest, sameReference } = await readReference(context, payout, attempt);
  const said = await askUntilSaid(context, false, () => inquire(context, latest, sameReference, true));
  const finding: InquiryReading = said?.finding ?? notAsked;
  const why = whyNotCancel(caseOf(context, payout, latest, sameReference), finding);
  if (why === undefined) return undefined;
  const change = await recordOnShown(context, payout, [...sameReference, latest], finding);
  if (change === undefined && said !== undefined) await noteAsked(context, payout, latest, said);
  return why;
}

/**
 * Records in the history of an unchanged row that the bank was asked, and its answer. The attempt stays unchanged: a
 * "not found" that came too early must never count later.
 */
async function noteAsked(
  context: WorkerContext,
  payout: Payout,
  attempt: Attempt,
  { finding, facts }: Inquired,
): Promise<void> {
  const { transRefNo } = attempt.order;
  const detail = { ...facts, transRefNo, finding: finding.kind, code: finding.reason.code, for: 'cancel' };
  await applyOnLatest(context, payout, (current) =>
    move({ payout: current, patch: {}, cause: 'inquired', nowMs: context.clock.now(), detail }),
  );
}

const notAsked: InquiryReading = {
  kind: 'nothing-said',
  reason: { code: 'not-asked', text: message('reply.not-asked') },
  isTrouble: true,
};

/** Key before every attempt. */
const firstKey: AttemptKey = { payoutSeq: 0, attemptNo: 0 };

/** Inquires about the superseded attempts in rounds, a few at a time. */
export class Watch {
  readonly #context: WorkerContext;
  #after = firstKey;
  #nextRoundAtMs = 0;

  constructor(context: WorkerContext) {
    this.#context = context;
  }

  /** Inquires about the next few while no other question waits; false when there is none, or the round is not due. */
  async step(): Promise<boolean> {
    const { clock, gate, settle } = this.#context;
    if (clock.now() < this.#nextRoundAtMs || gate.isSilent) return false;
    const isAny = await this.ask();
    if (!isAny) this.#nextRoundAtMs = clock.now() + settle.maxDelayMs;
    return isAny;
  }

  /** Inquires about the next few; false when there is none, and the round begins anew. */
  async ask(): Promise<boolean> {
    const { journal, clock, settle, transferConcurrency } = this.#context;
    const sinceMs = clock.now() - settle.giveUpAfterMs;
    const page = await journal.superseded(sinceMs, this.#after, transferConcurrency);
    await Promise.all(page.map((one) => watchOne(contextFor(this.#context, one.attempt.order), one)));
    const last = page.at(-1)?.attempt;
    this.#after = last ?? firstKey;
    return last !== undefined;
  }
}

async function watchOne(context: WorkerContext, { payout, attempt }: InDoubt): Promise<void> {
  const { latest, sameReference } = await readReference(context, payout, attempt);
  const said = await inquire(context, latest, sameReference, true);
  if (said !== undefined) await recordOnShown(context, payout, [...sameReference, latest], said.finding);
}

/**
 * Records an answer that contradicts us with the attempt that it concerns.
 * @param attempts all under the reference, oldest first
 */
async function recordOnShown(
  context: WorkerContext,
  payout: Payout,
  attempts: readonly Attempt[],
  finding: InquiryReading,
): Promise<Change | undefined> {
  const shown = findShown(attempts, finding);
  const owner = shown.payoutSeq === payout.seq ? payout : await context.journal.payout(shown.payoutSeq);
  if (owner === undefined) throw new Error(`attempt ${shown.order.transRefNo} belongs to no payout`);
  return recordOnOwner(context, { payout: owner, attempt: shown }, finding);
}

/**
 * Records an answer that contradicts us with the payout that made the attempt, as an alarm. Undefined without a
 * contradiction.
 */
async function recordOnOwner(
  context: WorkerContext,
  { payout, attempt }: InDoubt,
  finding: InquiryReading,
): Promise<Change | undefined> {
  const decide = (mayReopen: boolean) =>
    applyOnLatest(context, payout, async (current) => {
      // Read after the payout: another inquiry may have changed it, and every change of an attempt changes the payout.
      const { latest, sameReference } = await readReference(context, current, attempt);
      return decideSuperseded(caseOf(context, current, latest, sameReference), finding, mayReopen);
    });
  const change = (await decide(true)) ?? (await decide(false));
  if (change === undefined) return undefined;
  const facts = logFactsOf(payout, attempt);
  if (finding.kind === 'failed') {
    context.log('info', 'an attempt that had come alive has failed', facts);
    return change;
  }
  context.reopened.add(idOf(attempt.order.companyId, payout));
  context.log('error', 'an attempt that had ended is alive', { ...facts, finding: finding.kind });
  context.count(change.after);
  await notifySiblings(context, change, attempt);
  return change;
}

/** Applies a late proof for one row to every other row with the same payoutId. */
export async function notifySiblings(
  { journal, clock, count }: Pick<WorkerContext, 'journal' | 'clock' | 'count'>,
  proof: Change,
  proved: Attempt,
): Promise<void> {
  const { before } = proof;
  if (!provesPaid(proof)) return;
  for (const { row } of await journal.findPayouts(before.instruction.payoutId)) {
    if (row.seq === before.seq || row.instruction === null) continue;
    const sibling = await journal.payout(row.seq);
    if (sibling === undefined) continue;
    const change = await applyOnLatest({ journal }, sibling, (current) =>
      decideOnSibling(current, proved.order.transRefNo, clock.now()),
    );
    count(change?.after);
  }
}

/** News about an attempt, and its effect while the journal does not know the outcome. */
interface Learnt {
  readonly finding: TransferFinding | InquiryReading;
  readonly caseOf: (current: Payout, latest: Attempt) => Case;
  readonly decide: (known: Case) => Change | undefined;
}

/**
 * Records news about an attempt in doubt; a proof even when the journal has closed the attempt meanwhile.
 * @returns the payout afterwards
 */
export async function recordLearnt(
  context: WorkerContext,
  one: InDoubt,
  { finding, caseOf: caseFor, decide }: Learnt,
): Promise<Payout | undefined> {
  let late: Change | undefined;
  const after = await applyOnAttempt(
    context,
    one,
    (current, latest) => decide(caseFor(current, latest)),
    (current, latest) => {
      late = decideOnClosed(caseFor(current, latest), finding);
      return late;
    },
  );
  if (late === undefined || after?.version !== afterChange(late).version) return after;
  const facts = { ...logFactsOf(one.payout, one.attempt), finding: finding.kind };
  context.reopened.add(idOf(one.attempt.order.companyId, one.payout));
  context.log('error', 'an attempt that had been closed meanwhile is proved', facts);
  await notifySiblings(context, late, one.attempt);
  return after;
}
