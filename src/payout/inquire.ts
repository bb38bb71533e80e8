/** Asks the bank what became of an attempt (endpoint 7). */
import { formatBangkokDate, formatBangkokTime } from '../core/bangkok-time.ts';
import type { Attempt, TransferOrder } from '../core/payout.ts';
import type { WorkerContext } from './context.ts';
import type { LineSignal } from './rules/after-transfer.ts';
import {
  classifyInquiryReply,
  type InquiryReading,
  replyFacts,
  type ReplyFacts,
} from './rules/read-reply.ts';

export interface Inquired {
  readonly reading: InquiryReading;
  readonly facts: ReplyFacts;
}

/**
 * Inquires with the attempt's own date; when that finds nothing and the day has changed, with today's too, by our clock
 * and by the bank's (whose date the bank expects is not shown in §2.6).
 * @returns undefined when the gate lets nothing pass any more: half an answer is none
 */
export async function inquire(
  context: WorkerContext,
  attempt: Attempt,
  passHalted: boolean,
): Promise<Inquired | undefined> {
  const { tranDate } = attempt.order;
  let said = await inquireFor(context, attempt.order, tranDate, passHalted);
  for (const today of otherDays(context, tranDate)) {
    if (said?.reading.kind !== 'not-found') break;
    said = await inquireFor(context, attempt.order, today, passHalted);
  }
  return said;
}

/** Today by either clock, where it is not the attempt's own day. */
function otherDays({ bankClock }: WorkerContext, tranDate: string): readonly string[] {
  const { nowMs, bankNowMs } = bankClock.read();
  const days = new Set([formatBangkokDate(nowMs), formatBangkokDate(bankNowMs ?? nowMs)]);
  days.delete(tranDate);
  return [...days];
}

/** Whom an inquiry asks about. */
export type Inquiry = Pick<TransferOrder, 'transRefNo' | 'channelId' | 'termId' | 'companyId'>;

/** Asks once, for one day. @returns undefined when the gate lets nothing pass any more */
export async function inquireFor(
  context: WorkerContext,
  { transRefNo, channelId, termId, companyId }: Inquiry,
  tranDate: string,
  passHalted: boolean,
): Promise<Inquired | undefined> {
  if ((await context.gate.enter(passHalted)) !== 'go') return undefined;
  let signal: LineSignal = { kind: 'nothing' };
  try {
    const tranTime = formatBangkokTime(context.clock.now());
    const reply = await context.bank.inquire({
      transRefNo,
      channelId,
      termId,
      companyId,
      tranDate,
      tranTime,
    });
    context.bankClock.see(reply);
    const reading = classifyInquiryReply(reply, transRefNo);
    signal = signalOf(reading);
    return { reading, facts: replyFacts(reply) };
  } finally {
    context.gate.leave(signal);
  }
}

function signalOf(reading: InquiryReading): LineSignal {
  if (reading.kind !== 'nothing-said') return { kind: 'answered' };
  if (!reading.isTrouble) return { kind: 'nothing' };
  const { reason } = reading;
  return { kind: 'service-trouble', reason, retryAfterMs: reason.retryAfterMs, isTransfer: false };
}

/** How often an inquiry that says nothing is made again; a sick service is waited for instead. */
const asksMax = 3;
const askAgainAfterMs = 250;

/**
 * Asks until something is said, or often enough.
 * @param waitsForService a sick service is asked on and on: the gate makes each question wait
 */
export async function askUntilSaid(
  { clock, stop }: WorkerContext,
  waitsForService: boolean,
  ask: () => Promise<Inquired | undefined>,
): Promise<Inquired | undefined> {
  for (let asks = 1; ;) {
    const inquired = await ask();
    if (inquired?.reading.kind !== 'nothing-said') return inquired;
    if (inquired.reading.isTrouble && waitsForService) continue;
    if (asks >= asksMax) return inquired;
    await clock.sleep(askAgainAfterMs * asks, stop);
    asks += 1;
  }
}
