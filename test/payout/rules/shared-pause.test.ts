import { describe, expect, test } from 'vitest';
import { type BreakerState, openBreaker } from '../../../src/payout/rules/circuit-breaker.ts';
import {
  followPause,
  isUnrecorded,
  type KnownPause,
  mayProbe,
} from '../../../src/payout/rules/shared-pause.ts';
import { payer } from '../../support/core-fixtures.ts';

type Probe = NonNullable<Parameters<typeof mayProbe>[0]>;

const why = { code: 'ET004', reason: 'closed', remedy: 'Wait' };

const pausedFrom = (pausedAtMs: number, pausedUntilMs: number): BreakerState => ({
  ...openBreaker,
  status: 'paused',
  why,
  pausedAtMs,
  pausedUntilMs,
  troubles: 1,
});

const recordedFrom = (sinceMs: number, untilMs: number) => {
  const { companyId, payerAccount } = payer;
  return { companyId, payerAccount, ...why, troubles: 3, isTransfer: true, sinceMs, untilMs };
};

const knownFrom = (pausedAtMs: number, pausedUntilMs: number): KnownPause => ({ pausedAtMs, pausedUntilMs });

const describeState = ({ status, pausedAtMs, pausedUntilMs }: BreakerState): string =>
  status === 'paused' ? `paused ${pausedAtMs}-${pausedUntilMs}` : status;

const describeKnown = (known: KnownPause | undefined): string =>
  known === undefined ? 'none' : `${known.pausedAtMs}-${known.pausedUntilMs}`;

const nowMs = 500;
const halted: BreakerState = { ...openBreaker, status: 'halted', why };

interface Look {
  readonly own: BreakerState;
  readonly known?: KnownPause;
  readonly found?: ReturnType<typeof recordedFrom>;
  readonly isAnswered?: boolean;
  readonly becomes: string;
  readonly knows: string;
}

describe('a machine that looks what others have recorded', () => {
  test.each<readonly [string, Look]>([
    ['nothing is known', { own: openBreaker, becomes: 'open', knows: 'none' }],
    [
      'another has met trouble',
      { own: openBreaker, found: recordedFrom(100, 900), becomes: 'paused 100-900', knows: '100-900' },
    ],
    [
      'another waits for longer',
      {
        own: pausedFrom(90, 600),
        found: recordedFrom(100, 900),
        becomes: 'paused 100-900',
        knows: '100-900',
      },
    ],
    [
      'its own pause is longer, and still to be recorded',
      { own: pausedFrom(90, 990), found: recordedFrom(100, 900), becomes: 'paused 90-990', knows: 'none' },
    ],
    [
      'its own was ended since by what it knows',
      { own: pausedFrom(200, 200), found: recordedFrom(100, 900), becomes: 'paused 200-200', knows: 'none' },
    ],
    [
      'its own is recorded',
      {
        own: pausedFrom(100, 900),
        known: knownFrom(100, 900),
        found: recordedFrom(100, 900),
        becomes: 'paused 100-900',
        knows: '100-900',
      },
    ],
    [
      'it has been answered since, and is to say so',
      {
        own: openBreaker,
        known: knownFrom(100, 400),
        found: recordedFrom(100, 400),
        becomes: 'open',
        knows: '100-400',
      },
    ],
    [
      'it has been answered since, and another has met trouble after that',
      {
        own: openBreaker,
        known: knownFrom(100, 400),
        found: recordedFrom(450, 900),
        becomes: 'paused 450-900',
        knows: '450-900',
      },
    ],
    [
      'the probe of another was answered',
      {
        own: pausedFrom(100, 400),
        known: knownFrom(100, 400),
        isAnswered: true,
        becomes: 'open',
        knows: 'none',
      },
    ],
    [
      'an operator has ended the pause',
      { own: pausedFrom(100, 900), known: knownFrom(100, 900), becomes: 'paused 500-500', knows: '500-500' },
    ],
    [
      'an operator has ended a pause that was over',
      { own: pausedFrom(100, 400), known: knownFrom(100, 400), becomes: 'paused 100-400', knows: '100-400' },
    ],
    [
      'the probe of another was answered, and it has met trouble itself after that',
      {
        own: pausedFrom(450, 900),
        known: knownFrom(100, 400),
        isAnswered: true,
        becomes: 'paused 450-900',
        knows: 'none',
      },
    ],
    [
      'its own trouble is still to be recorded',
      { own: pausedFrom(450, 900), becomes: 'paused 450-900', knows: 'none' },
    ],
    ['it is halted', { own: halted, found: recordedFrom(100, 900), becomes: 'halted', knows: 'none' }],
  ])('when %s', (_name, { own, known, found: pause, isAnswered = false, becomes, knows }) => {
    const followed = followPause(own, known, { pause, isAnswered }, nowMs);
    expect([describeState(followed.state), describeKnown(followed.known)]).toEqual([becomes, knows]);
  });

  test('goes on with the pause as it was counted by the others', () => {
    const { state } = followPause(
      openBreaker,
      undefined,
      { pause: recordedFrom(100, 900), isAnswered: false },
      500,
    );
    expect(state).toMatchObject({ troubles: 3, why });
  });

  test('forgets the troubles when another was answered', () => {
    const own = { ...pausedFrom(100, 400), unanswered: 2 };
    const { state } = followPause(own, knownFrom(100, 400), { pause: undefined, isAnswered: true }, nowMs);
    expect(state).toMatchObject({ status: 'open', why: null, troubles: 0, unanswered: 0 });
  });
});

test.each<readonly [string, BreakerState, KnownPause | undefined, boolean]>([
  ['open as before', openBreaker, undefined, false],
  ['open again', openBreaker, knownFrom(1, 2), true],
  ['paused anew', pausedFrom(1, 2), undefined, true],
  ['paused for longer', pausedFrom(1, 3), knownFrom(1, 2), true],
  ['paused as recorded', pausedFrom(1, 2), knownFrom(1, 2), false],
  ['halted', halted, knownFrom(1, 2), false],
])('%s: whether it is news to the others', (_name, state, known, said) => {
  expect(isUnrecorded(state, known)).toBe(said);
});

test.each<readonly [string, Probe | undefined, boolean]>([
  ['nobody tries', undefined, true],
  ['another tries', { workerId: 2, untilMs: 900, isThere: true }, false],
  ['another that is gone had tried', { workerId: 2, untilMs: 900, isThere: false }, true],
  ['another has tried for too long', { workerId: 2, untilMs: 500, isThere: true }, true],
  ['another tried before the clock was put back', { workerId: 2, untilMs: 10_800_000, isThere: true }, true],
  ['it has the turn already', { workerId: 1, untilMs: 900, isThere: true }, true],
])('when %s, a machine may try or not', (_name, present, may) => {
  expect(mayProbe(present, 1, nowMs)).toBe(may);
});
