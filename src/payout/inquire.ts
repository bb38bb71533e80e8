/** Asks the bank for the outcome of an attempt (endpoint 7). */
import { formatBangkokDate, formatBangkokTime } from '../core/bangkok-time.ts';
import type { StatusInquiry } from '../core/bank-port.ts';
import type { Attempt, TransferOrder } from '../core/payout.ts';
import { impossibleReference } from '../core/reference.ts';
import { callBank } from './adaptive-limit.ts';
import type { Payer } from './circuit-breaker.ts';
import { payerOf, type WorkerContext } from './context.ts';
import { clocksDiffer, dayPollMs } from './rules/clock-skew.ts';
import type { AskedTransfer } from './rules/inquiry-items.ts';
import { combine, mayHaveMoved } from './rules/case.ts';
import {
  type InquiryReading,
  type PayeeFinding,
  readInquiry,
  type ReadReply,
  wasAsked,
} from './rules/read-reply.ts';

export type Inquired = ReadReply<InquiryReading>;

/**
 * Inquires about the reference of an attempt for each day and terminal of its sends. If nothing is found and the day
 * has changed, it also inquires for today, by our clock and by the bank's, under each of these terminals (§2.6 does not
 * show which date the bank expects).
 * @param sameReference other attempts under the reference
 * @returns the joint meaning of all answers; undefined when the gate stops the inquiry, since a part of the answers
 * proves nothing
 */
export async function inquire(
  context: WorkerContext,
  attempt: Attempt,
  sameReference: readonly Attempt[],
  passHalted: boolean,
): Promise<Inquired | undefined> {
  const all = [...sameReference, attempt].toSorted((one, other) => one.attemptNo - other.attemptNo);
  const sends = knownSends(all);
  const places = findPlaces(all);
  let known: Inquired | undefined;
  for (const place of [...places, ...todaysPlaces(context, places)]) {
    if (known !== undefined && known.finding.kind !== 'not-found' && !places.includes(place)) break;
    const said = await inquireFor(context, { ...place, sends }, place.tranDate, passHalted);
    if (said === undefined) return undefined;
    known = known === undefined ? said : { ...said, finding: combine(known.finding, said.finding) };
    if (mayHaveMoved(said.finding) || said.finding.kind === 'nothing-said') return known;
  }
  return known;
}

/** One order for each day and terminal, latest first. */
function findPlaces(attempts: readonly Attempt[]): readonly TransferOrder[] {
  const orders = attempts.map(({ order }) => order).toReversed();
  return [...new Map(orders.map((order) => [nameOf(order), order])).values()];
}

/**
 * The known sends; empty when the reference may belong to another transfer, or was used with a content that only the
 * bank knows.
 */
function knownSends(attempts: readonly Attempt[]): AskedTransfer['sends'] {
  if (attempts.some(({ referenceConflict }) => referenceConflict)) return [];
  return attempts.filter(({ sends }) => sends > 0).map(({ order }) => order);
}

/** The orders dated today by either clock, one for each terminal, without those already asked about. */
function todaysPlaces(
  { bankClock }: WorkerContext,
  places: readonly TransferOrder[],
): readonly TransferOrder[] {
  const { nowMs, bankNowMs } = bankClock.read();
  const days = new Set([formatBangkokDate(nowMs), formatBangkokDate(bankNowMs ?? nowMs)]);
  const asked = new Set(places.map(nameOf));
  const byTerminal = new Map(places.toReversed().map((order) => [order.termId, order]));
  return [...byTerminal.values()]
    .toReversed()
    .flatMap((order) => [...days].map((tranDate) => ({ ...order, tranDate })))
    .filter((order) => !asked.has(nameOf(order)));
}

const nameOf = ({ tranDate, termId }: TransferOrder): string => `${tranDate} ${termId}`;

/**
 * Asks once, for one day.
 * @returns undefined when the gate stops the inquiry
 */
export async function inquireFor(
  context: WorkerContext,
  {
    transRefNo,
    channelId,
    termId,
    companyId,
    sends,
  }: Omit<StatusInquiry, 'tranDate' | 'tranTime'> & AskedTransfer,
  tranDate: string,
  passHalted: boolean,
): Promise<Inquired | undefined> {
  const { gate, clock, bank, run, stop } = context;
  const pass = await gate.ask(passHalted);
  if (pass.kind !== 'go') return undefined;
  const tranTime = formatBangkokTime(clock.now());
  const said = await callBank(context, {
    pass,
    kind: 'inquiries',
    send: () => bank.inquire({ transRefNo, channelId, termId, companyId, tranDate, tranTime }, stop),
    read: (reply) => readInquiry(reply, { transRefNo, sends }),
  });
  if (!wasAsked(said.finding)) return undefined;
  if (said.finding.kind !== 'nothing-said') run.noteAnswer();
  return said;
}

/**
 * Asks the bank for its time while the clocks differ in the day, until told to end: there may be no other request, and
 * either clock may have been corrected.
 */
export async function pollBankTime(context: WorkerContext, payer: Payer, end: AbortSignal): Promise<void> {
  const { gate, clock } = context;
  const question = { ...payerOf(context, payer), transRefNo: impossibleReference, sends: [] };
  while (!end.aborted) {
    const isWaiting = gate.transfers.why?.code === clocksDiffer && !gate.isSilent;
    if (isWaiting) await inquireFor(context, question, formatBangkokDate(clock.now()), true);
    await clock.sleep(dayPollMs, end);
  }
}

/** Tries of a question that yields nothing. A service in trouble is waited for instead. */
const asksMax = 3;
const askAgainAfterMs = 250;

/**
 * Asks until the bank says something, or the tries are used up.
 * @param waitsForService true: asks on while the service is in trouble, and the gate makes each question wait
 */
export async function askUntilSaid<Said extends ReadReply<InquiryReading | PayeeFinding>>(
  { clock, stop }: Pick<WorkerContext, 'clock' | 'stop'>,
  waitsForService: boolean,
  ask: (isLast: boolean) => Promise<Said | undefined>,
): Promise<Said | undefined> {
  for (let asks = 1; ;) {
    const said = await ask(asks >= asksMax);
    if (said?.finding.kind !== 'nothing-said') return said;
    if (said.finding.isTrouble && waitsForService) continue;
    if (asks >= asksMax) return said;
    await clock.sleep(askAgainAfterMs * asks, stop);
    asks += 1;
  }
}
