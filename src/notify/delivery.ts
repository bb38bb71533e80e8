/**
 * Delivers the notices that the store keeps. Each channel goes at its own pace, one notice at a time, the oldest first; a
 * notice that fails waits for its next try and lets the others pass. A notice is delivered at least once: its receiver
 * recognises a repeat by the id. Delivery never delays a payout.
 */
import { computeBackoffMs } from '../core/backoff.ts';
import type { Clock, Log } from '../core/ports.ts';
import { type Signal, waitForAny } from '../platform/signal.ts';
import type { DeliveryStore } from './ports.ts';
import type { DeliveryFailure, DeliveryResult, DueNotice, NoticeSender } from './rules/notice.ts';

export interface NoticeContext {
  readonly store: DeliveryStore;
  /** At most one for each channel. */
  readonly senders: readonly NoticeSender[];
  readonly clock: Clock;
  readonly log: Log;
  /** Random number from 0 up to 1. */
  readonly random: () => number;
}

/** Notices read at a time. */
const pageSize = 20;
/** Interval of looks at the store: another process may have left a notice without a signal. */
const lookAgainMs = 60_000;
/** Pause after a failure of the store. */
const storeRetryMs = 30_000;
/** Time for which a delivery under way may go on after a request to stop. */
const partingMs = 5_000;

/** Delivers due notices until the stop; a failure of a channel or of the store never ends it. */
export async function deliverNotices(context: NoticeContext, news: Signal, stop: AbortSignal): Promise<void> {
  const { clock, senders } = context;
  const cut = new AbortController();
  const over = new AbortController();
  const part = (): void => void clock.sleep(partingMs, over.signal).then(() => cut.abort());
  stop.addEventListener('abort', part, { once: true });
  await Promise.all(
    senders.map(async (sender) => {
      const channel = new Channel(context, sender, cut.signal);
      while (!stop.aborted) {
        const { next } = news;
        const waitMs = await channel.workDue(stop);
        await waitForAny(clock, waitMs, next, stop);
      }
    }),
  );
  stop.removeEventListener('abort', part);
  over.abort();
}

/** Tries every due notice once, for at most `waitMs`; the next process tries the rest. */
export async function deliverNoticesOnce(
  context: NoticeContext,
  waitMs: number,
  stop: AbortSignal,
): Promise<void> {
  const { clock, senders } = context;
  const late = new AbortController();
  const over = new AbortController();
  void clock.sleep(waitMs, over.signal).then(() => late.abort());
  const until = AbortSignal.any([late.signal, stop]);
  await Promise.all(senders.map((sender) => new Channel(context, sender, until).tryDueOnce(until)));
  over.abort();
}

/** Delivery through one channel. */
class Channel {
  readonly #context: NoticeContext;
  readonly #sender: NoticeSender;
  /** Aborted to give up a delivery under way. */
  readonly #cut: AbortSignal;
  /** Results that the store could not record yet: none of these notices is sent again meanwhile. */
  readonly #unrecorded = new Map<number, DeliveryResult>();

  constructor(context: NoticeContext, sender: NoticeSender, cut: AbortSignal) {
    this.#context = context;
    this.#sender = sender;
    this.#cut = cut;
  }

  /** Delivers a page of due notices. @returns how long to wait before the next look */
  async workDue(stop: AbortSignal): Promise<number> {
    const { store, clock } = this.#context;
    try {
      const nextAtMs = await store.nextNoticeAtMs(this.#sender.channel);
      if (nextAtMs === undefined) return lookAgainMs;
      const waitMs = nextAtMs - clock.now();
      // No try waits longer than an hour unless the clock has been set back since.
      const isDue = waitMs <= 0 || waitMs > retryBackoff.maxMs;
      if (!isDue) return Math.min(waitMs, lookAgainMs);
      return (await this.#deliverPage(Math.max(clock.now(), nextAtMs), stop)) === 0 ? lookAgainMs : 0;
    } catch (error) {
      this.#logStoreFailure(error);
      return storeRetryMs;
    }
  }

  /** Tries each due notice once: a failed try falls due again only after the start. */
  async tryDueOnce(stop: AbortSignal): Promise<void> {
    const startedMs = this.#context.clock.now();
    try {
      while (!stop.aborted && (await this.#deliverPage(startedMs, stop)) > 0);
    } catch (error) {
      this.#logStoreFailure(error);
    }
  }

  async #deliverPage(dueMs: number, stop: AbortSignal): Promise<number> {
    const { channel } = this.#sender;
    const due = await this.#context.store.dueNotices(dueMs, pageSize, channel);
    for (const notice of due) {
      if (stop.aborted) break;
      await this.#deliver(notice);
    }
    return due.length;
  }

  async #deliver(notice: DueNotice): Promise<void> {
    const result = this.#unrecorded.get(notice.seq) ?? (await this.#try(notice));
    if (result === undefined) return;
    this.#unrecorded.set(notice.seq, result);
    await this.#context.store.recordDelivery(notice.seq, this.#sender.channel, result);
    this.#unrecorded.delete(notice.seq);
  }

  /** Result of one try; undefined when it was cut short, which is no failure of the receiver's. */
  async #try(notice: DueNotice): Promise<DeliveryResult | undefined> {
    const { clock, random } = this.#context;
    const sent = await this.#send(notice);
    if (!sent.ok && this.#cut.aborted) return undefined;
    const nowMs = clock.now();
    const result: DeliveryResult = sent.ok
      ? { kind: 'delivered', atMs: nowMs }
      : decideNextTry(notice, sent, nowMs, random());
    this.#logResult(notice, result);
    return result;
  }

  async #send(notice: DueNotice): ReturnType<NoticeSender['send']> {
    try {
      return await this.#sender.send(notice, this.#cut);
    } catch (error) {
      this.#context.log('error', 'the sender of notices has failed', { err: error });
      return { ok: false, why: 'internal error' };
    }
  }

  #logResult({ kind, batchId, tries, body }: DueNotice, result: DeliveryResult): void {
    const facts = { channel: this.#sender.channel, kind, batchId, notice: body['id'], tries: tries + 1 };
    const [level, words] = logWords[result.kind];
    this.#context.log(level, words, result.kind === 'delivered' ? facts : { ...facts, why: result.why });
  }

  #logStoreFailure(error: unknown): void {
    const { channel } = this.#sender;
    this.#context.log('error', 'notices cannot be read or recorded: tried again later', {
      channel,
      err: error,
    });
  }
}

const logWords = {
  delivered: ['info', 'notice delivered'],
  later: ['warn', 'notice not delivered: it is tried again later'],
  'given-up': ['error', 'notice not delivered and given up'],
} as const satisfies Record<DeliveryResult['kind'], readonly [string, string]>;

// ---------------------------------------------------------------- tries

/** From 5 s to an hour; a wait is shortened by up to a quarter, so that the tries of many spread out. */
const retryBackoff = { baseMs: 5_000, maxMs: 3_600_000, jitterShare: 0.25 };
/** Time for which a notice is tried, from the event that it reports. */
const retryForMs = 259_200_000;
/** Least tries of each notice, however old it is: the machine may have been off, or its clock wrong. */
const triesMin = 10;

/**
 * Result of a failed try: each wait is twice the one before, from 5 s to an hour, for three days.
 * @param chance from 0 up to 1 @forTests
 */
export function decideNextTry(
  notice: Pick<DueNotice, 'tries' | 'atMs'>,
  { why, isFinal }: Pick<DeliveryFailure, 'why' | 'isFinal'>,
  nowMs: number,
  chance: number,
): DeliveryResult {
  const isTooOld = nowMs - notice.atMs >= retryForMs && notice.tries + 1 >= triesMin;
  if (isFinal === true || isTooOld) return { kind: 'given-up', why };
  return { kind: 'later', nextAtMs: nowMs + computeBackoffMs(retryBackoff, notice.tries, chance), why };
}
