/**
 * The lost-journal probe: after a loss of the journal, before anything is sent for a payout, the bank is asked about
 * every reference that the payout may have used on the days in question, under each terminal that may have sent it. A
 * new journal only asks about the next reference, which another journal may have used.
 */
import { inEnglish, message, type Message } from '../core/message.ts';
import { formatBangkokMoment } from '../core/bangkok-time.ts';
import { decideHold } from '../core/change.ts';
import type { Attempt, Payout } from '../core/payout.ts';
import type { Batch, Change, JournalLoss } from '../core/ports.ts';
import { computeTransRefNo, readAttemptNumber } from '../core/reference.ts';
import { paydropCommand } from '../core/command-line.ts';
import { payerOf, settlePolicyOf, type WorkerContext } from './context.ts';
import { askUntilSaid, inquireFor } from './inquire.ts';
import type { InDoubt, ReadyPayout } from './ports.ts';
import { mayHaveMoved } from './rules/case.ts';
import {
  addAnswer,
  attemptsAhead,
  computeNextToAsk,
  daysSinceSigned,
  daysToSearch,
  daysToAskFirst,
  decideAfterProbe,
  decideProbeLater,
  findHiddenSend,
  isInQuestion,
  knownOrders,
  mustProbe,
  type NumberRange,
  type Probe,
  rangeFromHighest,
  rangeUpTo,
  type ReferenceFinding,
} from './rules/lost-journal.ts';
import { describeUnknownSends } from './rules/operator.ts';
import { mayHaveGoneUnseen } from './rules/resend.ts';

/**
 * `clear`: money may move, as far as a loss is concerned. `clear-now`: the same, but another journal may still work, so
 * the answer ages. `blocked`: money may not move; if the bank was asked, the reason is recorded.
 */
type ProbeEnd = 'clear' | 'clear-now' | 'blocked';

/** Rows remembered at once; a forgotten row is asked about again. */
const rememberedMax = 10_000;

/** Asks about a ready payout that a lost journal, or another one, may have sent. */
export function probeLostJournal(
  context: WorkerContext,
  batch: Batch,
  { payout }: Pick<ReadyPayout, 'payout'>,
): Promise<ProbeEnd> {
  const { sealedAtMs } = batch;
  const payer = payerOf(context, batch);
  return probe({ context, payer, payout, asked: undefined, sealedAtMs, passHalted: false });
}

/** A signed row, and the number under which it would be sent. */
interface SignedSend {
  readonly batch: Batch;
  readonly payout: Payout;
  readonly number: number;
  readonly signedAtMs: number;
}

/** Asks about every number of a ready row since its signature, and records the reason if it may not be sent. */
export async function probeSigned(context: WorkerContext, send: SignedSend): Promise<ProbeEnd> {
  const search = searchOfSigned(context, send, false);
  const range = await rangeSinceSigned(search, send);
  const findings = await searchReferences(search, range);
  if (findings === undefined) return 'blocked';
  const found = decideOnFindings(search, range, findings);
  if (found !== undefined) return block(context, found);
  const hidden = findHiddenSend(send.number, findings);
  if (hidden === undefined) return 'clear-now';
  return block(context, decideHold(send.payout, 'unavailable', hidden, context.clock.now()));
}

function searchOfSigned(context: WorkerContext, send: SignedSend, passHalted: boolean): Search {
  const [payer, { payout }] = [payerOf(context, send.batch), send];
  return { context, payer, payout, asked: undefined, sealedAtMs: null, passHalted };
}

/**
 * Reason why a signed row in doubt is not sent again, by the bank's answers about all its numbers; undefined when it
 * may be.
 */
export async function findAgainstRepeating(
  context: WorkerContext,
  send: SignedSend,
): Promise<string | undefined> {
  const search = searchOfSigned(context, send, true);
  const findings = await searchReferences(search, await rangeSinceSigned(search, send));
  if (findings === undefined) return 'the bank was not asked';
  const hidden = findHiddenSend(send.number, findings);
  return hidden && inEnglish(hidden.text);
}

/** The search of every number up to the next one, for each day since the signature and each day of a known send. */
async function rangeSinceSigned(
  { context, payer, payout }: Search,
  { number, signedAtMs }: SignedSend,
): Promise<SearchRange> {
  const known = await context.journal.attemptsOf(payer.companyId, payout.instruction.payoutId);
  const { nowMs, bankNowMs } = context.bankClock.read();
  const days = daysSinceSigned(signedAtMs, known, nowMs, bankNowMs);
  return { days, known, numbers: rangeUpTo(number) };
}

/**
 * Asks beyond an attempt from before the loss that the bank shows as failed: the lost part may have made another one
 * since.
 */
export function probeBeyond(context: WorkerContext, { payout, attempt }: InDoubt): Promise<ProbeEnd> {
  const payer = payerOf(attempt.order, attempt.order);
  return probe({ context, payer, payout, asked: attempt, sealedAtMs: null, passHalted: true });
}

/**
 * Searches for sends of a row that a lost part of the journal may have made, before the row is cancelled, and records
 * them.
 * @returns why the row cannot be cancelled; undefined when the bank knows of no send
 */
export async function searchBeforeCancel(
  context: WorkerContext,
  payout: Payout,
): Promise<Message | undefined> {
  const batch = await context.journal.batch(payout.batchId);
  if (batch === undefined) throw new Error(`there is no batch ${payout.batchId}`);
  const payer = payerOf(context, batch);
  const search = { context, payer, payout, asked: undefined, sealedAtMs: batch.sealedAtMs };
  if ((await probe({ ...search, passHalted: true })) !== 'blocked') return undefined;
  const command = paydropCommand(undefined, 'show', payout.instruction.payoutId);
  return message('cancel.not-ruled-out', { sent: describeUnknownSends(payout), command });
}

/** The search and its gate: a search beyond a failed attempt passes a halted account. */
interface Search extends Pick<Probe, 'payer' | 'payout' | 'asked'> {
  readonly context: WorkerContext;
  readonly sealedAtMs: number | null;
  /** True when nothing is sent because of the answer: a halted account is asked about, too. */
  readonly passHalted: boolean;
}

async function probe(search: Search): Promise<ProbeEnd> {
  const { context, payer, payout, asked } = search;
  const { journal, run } = context;
  const loss = await (journal.knownLoss ?? journal.loss)();
  const isLost = isInQuestion(loss) && !(asked === undefined && run.probed.has(payout.seq));
  const mayMiss = asked === undefined || mayHaveGoneUnseen(asked, settlePolicyOf(context));
  const isFirst = mayMiss && (await context.asksFirst?.()) === true;
  if (!isLost && !isFirst) return 'clear';
  const known = await journal.attemptsOf(payer.companyId, payout.instruction.payoutId);
  const mustSearch = isLost && mustProbe(loss, known);
  if (!mustSearch && !isFirst) return 'clear';
  const end = mustSearch ? await probeLost(search, loss, known) : await askFirst(search, known);
  return end === 'clear' && isFirst ? 'clear-now' : end;
}

async function probeLost(search: Search, loss: JournalLoss, known: readonly Attempt[]): Promise<ProbeEnd> {
  const { context, payout, asked } = search;
  const { run, settle: policy, clock, stop } = context;
  const tooEarly = await waitUntilTrusted(context, loss);
  if (stop.aborted) return 'blocked';
  if (tooEarly !== undefined) {
    const reason = { code: 'clock-behind-journal', text: tooEarly };
    const early = { payout, asked, policy, nowMs: clock.now() };
    return block(context, decideProbeLater(early, reason, { tooEarly: inEnglish(tooEarly) }));
  }
  const { nowMs, bankNowMs } = context.bankClock.read();
  const numbers = rangeFromHighest(highestOf(known), attemptsAhead);
  const end = await searchAndDecide(search, { days: daysToSearch(loss, nowMs, bankNowMs), known, numbers });
  if (end === 'clear' && asked === undefined) remember(run.probed, payout.seq);
  return end;
}

/**
 * Asks about the highest reference that the journal knows and the next one. The answer counts for this attempt only;
 * the next attempt asks again.
 */
async function askFirst(search: Search, known: readonly Attempt[]): Promise<ProbeEnd> {
  const { context, sealedAtMs } = search;
  const { nowMs, bankNowMs } = context.bankClock.read();
  const missesSinceMs = context.missesSince?.();
  const days = daysToAskFirst(nowMs, bankNowMs, { missesSinceMs, sealedAtMs });
  return searchAndDecide(search, { days, known, numbers: rangeFromHighest(highestOf(known), 1) });
}

async function searchAndDecide(search: Search, range: SearchRange): Promise<ProbeEnd> {
  const findings = await searchReferences(search, range);
  if (findings === undefined) return 'blocked';
  const found = decideOnFindings(search, range, findings);
  return found === undefined ? 'clear' : block(search.context, found);
}

function decideOnFindings(
  { context, payer, payout, asked }: Search,
  { known }: SearchRange,
  findings: readonly ReferenceFinding[],
): Change | undefined {
  const { settle: policy, clock, run } = context;
  if (asked === undefined) run.noteProgress();
  return decideAfterProbe({ payout, asked, known, findings, payer, policy, nowMs: clock.now() });
}

function remember(probed: Set<number>, seq: number): void {
  if (probed.size >= rememberedMax) probed.clear();
  probed.add(seq);
}

async function block(context: WorkerContext, change: Change): Promise<'blocked'> {
  const { batchId, rowNo, reasonCode, status } = change.after;
  const found = change.adopts?.map(({ order, lastFinding }) => `${order.transRefNo} ${lastFinding}`) ?? [];
  const facts = { batchId, rowNo, status, reasonCode, found };
  context.log('warn', 'looked up after a loss of the journal', facts);
  const [isApplied] = await context.journal.apply([change]);
  if (isApplied === true) context.count(change.after);
  return 'blocked';
}

/** Longest wait in ms beyond the trust time; a longer one means that the clock was set back. */
const waitSlackMs = 60_000;

/**
 * Waits until "not found" can be trusted: the lost process may have sent up to the moment of the recovery, and the bank
 * does not find a recent send at once. Returns the reason when waiting is useless.
 */
async function waitUntilTrusted(
  { clock, settle, stop }: WorkerContext,
  loss: JournalLoss,
): Promise<Message | undefined> {
  const waitMs = loss.recoveredAtMs + settle.notFoundTrustMs - clock.now();
  if (waitMs > settle.notFoundTrustMs + waitSlackMs) {
    const [now, since] = [formatBangkokMoment(clock.now()), formatBangkokMoment(loss.recoveredAtMs)];
    return message('attempt.clock-behind-journal', { now, since });
  }
  if (waitMs > 0) await clock.sleep(waitMs, stop);
  return undefined;
}

/** The references and days of a search. */
interface SearchRange {
  /** Days in order. */
  readonly days: readonly string[];
  /** Every attempt that the journal knows for the payoutId. */
  readonly known: readonly Attempt[];
  readonly numbers: NumberRange;
}

const highestOf = (known: readonly Attempt[]): number =>
  Math.max(0, ...known.map(({ order }) => readAttemptNumber(order.transRefNo)));

/** Asks about one reference after another. Undefined when the gate stops the search, or the run ends. */
async function searchReferences(
  search: Search,
  { days, known, numbers }: SearchRange,
): Promise<readonly ReferenceFinding[] | undefined> {
  const findings: ReferenceFinding[] = [];
  const terminals = await terminalsInQuestion(search);
  const questions = days
    .toReversed()
    .flatMap((tranDate) => terminals.map((termId): Question => ({ tranDate, termId })));
  for (;;) {
    const number = computeNextToAsk(numbers, findings);
    if (number === undefined) return findings;
    const finding = await searchReference(search, questions, number, known);
    if (finding === undefined) return undefined;
    findings.push(finding);
    // The row is held in any case, unless money may have moved: the next search asks about all again.
    if (finding.reading.kind === 'nothing-said') return findings;
  }
}

/** A day and a terminal of a possible send: the bank finds transfers by both. */
type Question = Pick<ReferenceFinding, 'tranDate' | 'termId'>;

/** The present terminal, and each other that is known to have sent payouts. */
async function terminalsInQuestion({ context, payer }: Search): Promise<readonly string[]> {
  const known = await context.journal.terminals();
  return [...new Set([payer.termId, ...known.toReversed()])];
}

/** Asks each question, latest day first, until the reference is found or there is no answer. */
async function searchReference(
  { context, payer, payout, passHalted }: Search,
  questions: readonly Question[],
  number: number,
  known: readonly Attempt[],
): Promise<ReferenceFinding | undefined> {
  const transRefNo = computeTransRefNo(payer.companyId, payout.instruction.payoutId, number);
  const sends = knownOrders(known, transRefNo);
  let finding: ReferenceFinding | undefined;
  for (const { tranDate, termId } of questions) {
    // A search that passes a halted account does not wait for it: a bank in trouble is asked again later.
    const said = await askUntilSaid(context, !passHalted, () =>
      inquireFor(context, { ...payer, termId, transRefNo, sends }, tranDate, passHalted),
    );
    if (said === undefined) return undefined;
    finding = addAnswer(finding, { number, transRefNo, tranDate, termId, reading: said.finding });
    if (mayHaveMoved(finding.reading) || said.finding.kind === 'nothing-said') break;
  }
  return finding;
}
