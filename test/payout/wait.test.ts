/** What a run says that it waits for: by the rule, and told by a run in virtual time. */
import { verbatim } from '../../src/core/message.ts';
import { describe, expect, test } from 'vitest';
import type { Wait } from '../../src/core/progress.ts';
import { openBreaker } from '../../src/payout/rules/circuit-breaker.ts';
import { decideWait, type WaitScene } from '../../src/payout/rules/wait.ts';
import { settleNow } from '../../src/payout/settle.ts';
import { lost, noonMs } from '../support/core-fixtures.ts';
import { minuteMs, notSent, stage } from '../support/theatre.ts';

const pausedFor = (code: string) => ({
  ...openBreaker,
  status: 'paused' as const,
  why: { code, reason: verbatim('the bank is sick'), remedy: verbatim('wait') },
  pausedUntilMs: noonMs + 12_000,
});

const scene: WaitScene = {
  nowMs: noonMs,
  breaker: openBreaker,
  isSending: false,
  underWay: 0,
  lastProgressAtMs: noonMs,
  nextInquiryAtMs: undefined,
  trustsFromMs: undefined,
  givesUpAtMs: noonMs + 4 * minuteMs,
};

describe('of a run that', () => {
  const givesUpInMs = 4 * minuteMs;
  const asks = { nextInquiryAtMs: noonMs + 8_000 };
  const pause = { kind: 'pause', dueInMs: 12_000, givesUpInMs, why: 'the bank is sick' } as const;
  const waitFor = (kind: Wait['kind'], dueInMs?: number): Wait => ({
    kind,
    dueInMs,
    givesUpInMs,
    why: undefined,
  });

  test.each<[string, Partial<WaitScene>, Wait | undefined]>([
    ['sends rows', { isSending: true, underWay: 3 }, undefined],
    ['has something in doubt', asks, waitFor('inquiry', 8_000)],
    ['is asking', { nextInquiryAtMs: noonMs - 1 }, waitFor('inquiry', 0)],
    ['meets a sick bank', { isSending: true, breaker: pausedFor('http-503') }, pause],
    ['may not even ask', { nextInquiryAtMs: noonMs, breaker: pausedFor('http-429') }, pause],
    ['asks while transfers wait', { ...asks, breaker: pausedFor('SE001') }, waitFor('inquiry', 8_000)],
    [
      'comes while the bank is closed',
      { isSending: true, breaker: pausedFor('outside-service-hours') },
      waitFor('opening', 12_000),
    ],
    ['comes at midnight', { breaker: pausedFor('around-midnight') }, waitFor('midnight', 12_000)],
    ['has another day than the bank', { breaker: pausedFor('clocks-differ') }, waitFor('clocks', 12_000)],
    [
      'follows a loss',
      { isSending: true, trustsFromMs: noonMs + 90_000, underWay: 1 },
      waitFor('recovery', 90_000),
    ],
    ['gets no answer', { underWay: 1, lastProgressAtMs: noonMs - 2_000 }, waitFor('answer')],
    [
      'tries an account again and gets no answer',
      { underWay: 1, lastProgressAtMs: 0, breaker: { ...pausedFor('http-503'), pausedUntilMs: noonMs - 1 } },
      { ...waitFor('answer'), why: 'the bank is sick' },
    ],
    ['gets one soon', { underWay: 1, lastProgressAtMs: noonMs - 1_999 }, undefined],
    [
      'is past its wait',
      { ...asks, givesUpAtMs: noonMs - 5 },
      { ...waitFor('inquiry', 8_000), givesUpInMs: 0 },
    ],
  ])('%s', (_, changes, expected) => {
    expect(decideWait({ ...scene, ...changes })).toEqual(expected);
  });
});

/** The waits that were told, each kind once, with the longest time until it was over. */
function hearWaits() {
  const heard = new Map<string, Wait>();
  return {
    heard,
    reportWait: (wait: Wait | undefined): void => {
      const before = wait && heard.get(wait.kind);
      if (wait !== undefined && (before?.dueInMs ?? -1) < (wait.dueInMs ?? 0)) heard.set(wait.kind, wait);
    },
  };
}

describe('told', () => {
  test('by a run that waits for inquiries, and by settling by hand', async () => {
    await using one = await stage(30, (theatre) => ({
      transfer: () => lost,
      inquire: (inquiry) => theatre.found(inquiry, '010003'),
    }));
    const { theatre, batchId } = one;
    const { heard, reportWait } = hearWaits();
    await theatre.run(batchId, { waitMs: 5 * minuteMs, reportWait });
    const { dueInMs = 0, givesUpInMs = 0 } = heard.get('inquiry') ?? {};
    expect(dueInMs).toBeGreaterThan(10_000);
    expect(givesUpInMs).toBeLessThanOrEqual(5 * minuteMs);

    theatre.script = { inquire: () => notSent };
    const waitOver = new AbortController();
    const settled = hearWaits();
    const context = theatre.context({ reportWait: settled.reportWait }, waitOver.signal);
    await theatre.time.drive(settleNow(context, { batchId, waitMs: minuteMs, waitOver }));
    expect(settled.heard.get('pause')?.why).toBeDefined();
  });

  test('by a run that the bank keeps waiting', async () => {
    await using one = await stage(20, () => ({ transfer: () => notSent }));
    const { heard, reportWait } = hearWaits();
    await one.theatre.run(one.batchId, { waitMs: minuteMs, reportWait });
    const pause = heard.get('pause');
    expect(pause?.dueInMs).toBeGreaterThan(1_000);
    expect(pause?.why).toContain('ECONNREFUSED');
  });

  test('what fails to tell it ends the run, once what is under way has ended', async () => {
    await using one = await stage(20, (theatre) => ({
      transfer: async () => {
        await theatre.time.sleep(minuteMs);
        return undefined;
      },
    }));
    const { theatre, batchId } = one;
    const reportWait = (): void => {
      if (theatre.sent.length > 0) throw new Error('nobody can be told');
    };
    await expect(theatre.run(batchId, { reportWait })).rejects.toThrow('nobody can be told');
    // Two at once, and one whose intent was recorded ahead.
    expect(await theatre.statuses(batchId)).toEqual({ paid: 3, ready: 17 });
  });

  test('what fails to tell it ends settling by hand, too', async () => {
    await using one = await stage(1, () => ({ transfer: () => lost, inquire: () => notSent }));
    const { theatre, batchId } = one;
    await theatre.run(batchId, { waitMs: minuteMs });
    const waitOver = new AbortController();
    let waits = 0;
    const reportWait = (): void => {
      waits += 1;
      if (waits > 1) throw new Error('nobody can be told');
    };
    theatre.script = {
      inquire: async () => {
        await theatre.time.sleep(minuteMs);
        return notSent;
      },
    };
    const context = theatre.context({ reportWait }, waitOver.signal);
    const settling = settleNow(context, { batchId, waitMs: minuteMs, waitOver });
    await expect(theatre.time.drive(settling)).rejects.toThrow('nobody can be told');
  });
});
