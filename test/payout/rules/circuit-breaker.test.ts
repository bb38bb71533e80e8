import { inEnglish, message, stopInEnglish, verbatim } from '../../../src/core/message.ts';
import { describe, expect, test } from 'vitest';
import type { BrakePolicy } from '../../../src/payout/rules/brake.ts';
import {
  type BreakerState,
  closeBreaker,
  computePauseMs,
  decideBreaker,
  decideOnInDoubt,
  decidePayer,
  describePause,
  fitPause,
  computeNextRepetitionAtMs,
  mayRepeat,
  openBreaker,
  openPayer,
  type RequestKind,
  restorePause,
} from '../../../src/payout/rules/circuit-breaker.ts';
import type { BreakerSignal } from '../../../src/payout/rules/read-reply.ts';

const brake: BrakePolicy = { consecutiveFailures: 3, failureShare: 0.5, window: 10, inDoubtMax: 5 };
const reason = { code: 'EM053', text: verbatim('Insufficient funds') };
const trouble = {
  kind: 'service-trouble',
  reason: { code: 'ET004', text: verbatim('closed'), retryAfterMs: undefined },
} as const;

/** The trouble, with the bank's wish for when to come back. */
const troubleFor = (retryAfterMs: number): BreakerSignal => ({
  ...trouble,
  reason: { ...trouble.reason, retryAfterMs },
});

const play = (signals: readonly BreakerSignal[], from: BreakerState = openBreaker): BreakerState =>
  signals.reduce((state, signal) => decideBreaker(state, signal, brake, 0), from);

const paid: BreakerSignal = { kind: 'paid' };
const otherwise: BreakerSignal = { kind: 'ended-otherwise' };

describe('the breaker', () => {
  test('halts at once for the payer, with the bank’s remedy', () => {
    expect(play([{ kind: 'payer-stop', reason }])).toMatchObject({
      status: 'halted',
      why: { code: 'EM053', remedy: message('bank-remedy.EM053') },
    });
  });

  test('for credentials it names the commands that prove them and let the batch go on', () => {
    const refused = { code: 'TK001', text: verbatim('the bank refuses our client ID and secret') };
    const { why } = play([{ kind: 'payer-stop', reason: refused }]);
    expect(why && inEnglish(why.remedy)).toMatch(/"paydrop config --login" .*"paydrop resume"/);
  });

  test('stays halted whatever is heard later', () => {
    const halted = play([{ kind: 'payer-stop', reason }]);
    expect(play([paid, trouble, otherwise], halted).status).toBe('halted');
  });

  test('pauses for the service, once for all who were under way, and longer each time', () => {
    const first = play([trouble, trouble]);
    expect(first).toMatchObject({ status: 'paused', pausedUntilMs: 1_000, troubles: 1 });
    const second = decideBreaker(first, trouble, brake, 1_000);
    expect(second).toMatchObject({ status: 'paused', pausedUntilMs: 3_000, troubles: 2 });
    expect(decideBreaker(second, paid, brake, 3_000)).toMatchObject({ status: 'open', troubles: 0 });
  });

  test('is not reopened by what was under way when the pause began, nor early by a wish that comes later', () => {
    const paused = play([troubleFor(60_000)]);
    expect(decideBreaker(paused, paid, brake, 59_999)).toMatchObject({
      status: 'paused',
      pausedUntilMs: 60_000,
    });
    expect(decideBreaker(paused, paid, brake, 60_000).status).toBe('open');
    const longer = decideBreaker(paused, troubleFor(90_000), brake, 1_000);
    expect(longer).toMatchObject({ pausedUntilMs: 91_000, troubles: 1 });
  });

  test.each([
    ['an answered question', { kind: 'answered' }],
    ['a payee check that ends a payout', { kind: 'ended-otherwise' }],
  ] as const)('is not reopened by %s while transfers have trouble', (_name, signal) => {
    const paused = { ...openPayer, transfers: play([trouble]) };
    expect(decidePayer(paused, signal, 'questions', brake, 5_000).transfers).toMatchObject({
      status: 'paused',
      troubles: 1,
    });
    const silent = { ...openPayer, questions: play([trouble]) };
    expect(decidePayer(silent, signal, 'questions', brake, 5_000).questions).toMatchObject({
      status: 'open',
      troubles: 0,
    });
  });

  test('of questions is moved by no transfer but one that the bank asks to come back later, and the reverse', () => {
    const lost = {
      kind: 'unanswered',
      reason: { code: 'reply-lost', text: verbatim('no answer came') },
    } as const;
    const closed = troubleFor(90_000);
    for (const signal of [trouble, lost, closed, paid, otherwise])
      expect(decidePayer(openPayer, signal, 'transfers', brake, 0).questions).toBe(openPayer.questions);
    expect(decidePayer(openPayer, closed, 'questions', brake, 0).transfers).toBe(openPayer.transfers);
    const reason429 = { code: 'http-429', text: verbatim('slow down'), retryAfterMs: 90_000 };
    for (const kind of ['transfers', 'questions'] as const) {
      const both = decidePayer(openPayer, { kind: 'service-trouble', reason: reason429 }, kind, brake, 0);
      expect([both.transfers.pausedUntilMs, both.questions.pausedUntilMs]).toEqual([90_000, 90_000]);
    }
  });

  test('lets a repetition go while transfers are answered, and try last of all', () => {
    const dead = play(Array.from({ length: 2 }, () => ({ kind: 'unanswered', reason }) as const));
    const sent = { isUndelivered: false, notFoundTrustMs: 2 * minuteMs };
    expect(mayRepeat(openBreaker, sent, 0)).toBe(true);
    expect(mayRepeat(dead, sent, dead.pausedUntilMs)).toBe(false);
    expect(mayRepeat(dead, sent, dead.pausedUntilMs + 10_000)).toBe(true);
    expect(mayRepeat(dead, { ...sent, isUndelivered: true }, dead.pausedUntilMs)).toBe(true);
    expect(mayRepeat(play([{ kind: 'payer-stop', reason }]), sent, hourMs)).toBe(false);
  });

  test.each([100, 150, 1_000, 2 * minuteMs])(
    'looks at a repetition again at a whole millisecond, whatever notFoundTrustMs is (%i)',
    (notFoundTrustMs) => {
      const dead = play(Array.from({ length: 2 }, () => ({ kind: 'unanswered', reason }) as const));
      for (const nowMs of [0, dead.pausedUntilMs, dead.pausedUntilMs + 1]) {
        const repetition = { isUndelivered: false, notFoundTrustMs };
        expect(computeNextRepetitionAtMs(dead, repetition, nowMs)).toSatisfy(Number.isSafeInteger);
      }
    },
  );

  test('takes many transfers without an answer for one trouble of the service, and a single one for none', () => {
    const lost: BreakerSignal = {
      kind: 'unanswered',
      reason: { code: 'reply-lost', text: verbatim('no answer came') },
    };
    expect(play([lost, paid, lost, paid, lost])).toMatchObject({ status: 'open' });
    const dead = play(Array.from({ length: 32 }, () => lost));
    expect(dead).toMatchObject({ status: 'paused', pausedUntilMs: 1_000, why: { code: 'reply-lost' } });
    const probed = decideBreaker(dead, lost, brake, 1_000);
    expect(probed).toMatchObject({ status: 'paused', pausedUntilMs: 3_000 });
    const back = decideBreaker(probed, paid, brake, 3_000);
    expect(back).toMatchObject({ status: 'open', troubles: 0, unanswered: 0 });
  });

  test('does not take a transfer that the bank works on for an end', () => {
    expect(play(Array.from({ length: 50 }, () => ({ kind: 'taken' })))).toMatchObject({
      status: 'open',
      ends: 0,
    });
  });

  test('waits as long as the bank asks for', () => {
    expect(computePauseMs(0, 30_000)).toBe(30_000);
    expect(computePauseMs(40, undefined)).toBe(60_000);
  });

  test.each([
    ['three in a row', [otherwise, otherwise, otherwise], 'halted'],
    ['a paid one between', [otherwise, otherwise, paid, otherwise, otherwise], 'open'],
    [
      'half of a full window',
      [paid, otherwise, otherwise, paid, otherwise, otherwise, paid, paid, paid, otherwise],
      'halted',
    ],
    ['half of a window not yet full', [paid, otherwise, otherwise, paid, otherwise, otherwise], 'open'],
  ])('brakes: %s', (_name, signals, status) => {
    expect(play(signals).status).toBe(status);
  });

  test('brakes when too many are in doubt at once', () => {
    expect(decideOnInDoubt(openBreaker, 4, brake).status).toBe('open');
    expect(decideOnInDoubt(openBreaker, 5, brake)).toMatchObject({
      status: 'halted',
      why: { code: 'brake-in-doubt' },
    });
  });
});

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const withCode = (code: string, retryAfterMs?: number): BreakerSignal => ({
  ...trouble,
  reason: { code, text: verbatim('trouble'), retryAfterMs },
});

/** The pauses one after another, each probe meeting the trouble again. */
function pausesOf(signal: BreakerSignal, count: number, kind: RequestKind = 'transfers'): number[] {
  let state = openBreaker;
  let nowMs = 0;
  return Array.from({ length: count }, () => {
    nowMs = state.pausedUntilMs;
    state = decideBreaker(state, signal, brake, nowMs, kind);
    return (state.pausedUntilMs - nowMs) / 1000;
  });
}

describe('a pause', () => {
  test.each([
    ['TM001 to a transfer', withCode('TM001'), 10_800, 'transfers'],
    ['EM058 to a transfer', withCode('EM058'), 10_800, 'transfers'],
    ['ET004 to a transfer', withCode('ET004'), 900, 'transfers'],
    ['429 to a transfer', withCode('http-429'), 900, 'transfers'],
    ['nothing sent', withCode('not-sent'), 60, 'transfers'],
    ['TM001 to a question', withCode('TM001'), 60, 'questions'],
  ] as const)('after %s grows up to its limit', (_name, signal, longest, kind) => {
    expect(pausesOf(signal, 5, kind)).toEqual([1, 2, 4, 8, 16]);
    expect(pausesOf(signal, 20, kind).at(-1)).toBe(longest);
  });

  test('of a bank that gives no answer grows to a minute', () => {
    const lost: BreakerSignal = {
      kind: 'unanswered',
      reason: { code: 'reply-lost', text: verbatim('no answer') },
    };
    expect(pausesOf(lost, 21).at(-1)).toBe(60);
  });

  test('follows the bank’s wish for a day, not for years', () => {
    expect(computePauseMs(0, 365 * 24 * hourMs)).toBe(24 * hourMs);
  });

  test('does not last longer when our clock is set back', () => {
    const paused = decideBreaker(openBreaker, withCode('http-429', hourMs), brake, 10 * hourMs);
    const fitted = fitPause(paused, 2 * hourMs);
    expect(fitted).toMatchObject({ pausedUntilMs: 3 * hourMs });
    expect(fitPause(fitted, 2 * hourMs + minuteMs)).toBe(fitted);
    expect(fitPause(paused, 10 * hourMs + minuteMs)).toBe(paused);
  });

  test('tells why and until when', () => {
    const paused = decideBreaker(openBreaker, withCode('TM001'), brake, Date.parse('2026-11-21T05:00:00Z'));
    const why = describePause(paused);
    expect(why && stopInEnglish(why)).toMatchObject({
      code: 'TM001',
      reason: 'trouble; the service is left alone until 2026-11-21 12:00:01 Bangkok time',
      remedy: 'Sent again when the service opens',
    });
  });
});

describe('the pause of an earlier run', () => {
  const account = { companyId: 'COMP000001', payerAccount: '0000345924' };
  const pause = {
    ...account,
    code: 'TM001',
    reason: verbatim('closed'),
    remedy: verbatim('wait'),
    troubles: 9,
    isTransfer: true,
  };
  const recorded = { ...pause, sinceMs: hourMs, untilMs: hourMs + 512_000 };

  test('goes on, and grows when its probe meets the trouble again', () => {
    const taken = restorePause(openBreaker, recorded, hourMs + minuteMs);
    expect(taken).toMatchObject({ status: 'paused', pausedUntilMs: recorded.untilMs, troubles: 9 });
    const probed = decideBreaker(taken, withCode('TM001'), brake, 2 * hourMs);
    expect(probed.pausedUntilMs - 2 * hourMs).toBe(512_000);
    expect(decideBreaker(taken, paid, brake, 2 * hourMs)).toMatchObject({ status: 'open', troubles: 0 });
  });

  test('is forgotten when it has been over for long', () => {
    expect(restorePause(openBreaker, recorded, recorded.untilMs + 36 * hourMs).status).toBe('paused');
    expect(restorePause(openBreaker, recorded, recorded.untilMs + 36 * hourMs + 1)).toBe(openBreaker);
  });

  test('lasts no longer than it was to last when our clock is behind it', () => {
    expect(restorePause(openBreaker, recorded, 0)).toMatchObject({ pausedAtMs: 0, pausedUntilMs: 512_000 });
  });
});

describe('a closed service', () => {
  test('is a pause that tells when it opens', () => {
    const closed = closeBreaker(openBreaker, Date.parse('2026-11-22T06:00:00+07:00'));
    expect(closed).toMatchObject({ status: 'paused', why: { code: 'outside-service-hours' } });
    const why = describePause(closed);
    expect(why && inEnglish(why.reason)).toContain('opens at 2026-11-22 06:00:00 Bangkok time');
  });

  test('hides neither a stop nor a longer pause', () => {
    const halted = play([{ kind: 'payer-stop', reason }]);
    expect(closeBreaker(halted, hourMs)).toBe(halted);
    const paused = play([troubleFor(2 * hourMs)]);
    expect(closeBreaker(paused, hourMs)).toBe(paused);
    expect(closeBreaker(paused, 3 * hourMs)).toMatchObject({ why: { code: 'outside-service-hours' } });
  });
});
