/**
 * Delivers the notices that the store keeps. Each channel goes at its own pace, one notice at a time, the oldest first;
 * one that fails waits for its next try and lets the others pass. A notice is delivered at least once: whoever gets it
 * knows it again by its id. Nothing here ever holds up a payout.
 */
import { computeBackoffMs } from '../core/backoff.ts';
import type { Clock, Log } from '../core/ports.ts';
import { type Signal, waitForAny } from '../platform/signal.ts';
import type { DeliveryStore } from './ports.ts';
import type { DeliveryFailure, DeliveryResult, DueNotice, NoticeSender } from './rules/notice.ts';

export interface NoticeContext {
  readonly store: DeliveryStore;
  /** At most one of a channel. */
  readonly senders: readonly NoticeSender[];
  readonly clock: Clock;
  readonly log: Log;
  /** From 0 up to 1. */
  readonly random: () => number;
}

/** Notices looked up at once. */
const pageSize = 20;
/** Another process may have left a notice without notifying. */
const lookAgainMs = 60_000;
/** After the store has failed. */
const storeRetryMs = 30_000;
/** What is under way when the process is asked to stop may take so long. */
const partingMs = 5_000;

/** Delivers what is due until stopped; a failure of a channel or of the store never ends it. */
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

/** Tries everything that is due once, for at most `waitMs`; what is left waits for the next process. */
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

/** One channel's turn at the store. */
class Channel {
  readonly #context: NoticeContext;
  readonly #sender: NoticeSender;
  /** Aborted when what is under way is to be given up. */
  readonly #cut: AbortSignal;
  /** What became of notices while the store could not record it: none of them is sent again meanwhile. */
  readonly #unrecorded = new Map<number, DeliveryResult>();

  constructor(context: NoticeContext, sender: NoticeSender, cut: AbortSignal) {
    this.#context = context;
    this.#sender = sender;
    this.#cut = cut;
  }

  /** Delivers a page of what is due. @returns how long to wait before the next look */
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

  /** A failed try falls due after the moment at which this began, so each notice has one. */
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

  /** What becomes of the notice; undefined when it was cut short, which is no failure of the receiver's. */
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
/** How long a notice is tried, counted from what it tells of. */
const retryForMs = 259_200_000;
/** Tries that each notice gets, however old it is: the machine may have been off, or its clock wrong. */
const triesMin = 10;

/**
 * What follows from a failed try: each wait is twice the one before, from 5 s to an hour, for three days.
 * @param chance from 0 up to 1
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
