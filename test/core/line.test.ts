import { describe, expect, it } from 'vitest';
import type { LineSignal } from '../../src/core/decide-transfer.ts';
import {
  computePauseMs,
  decideLine,
  decideOnInDoubt,
  openLine,
  type BrakePolicy,
  type LineState,
} from '../../src/core/line.ts';

const brake: BrakePolicy = { consecutiveFailures: 3, failureShare: 0.5, window: 10, inDoubtMax: 5 };
const reason = { code: 'EM053', text: 'Insufficient funds' };
const trouble: LineSignal = {
  kind: 'service-trouble',
  reason: { code: 'ET004', text: 'closed' },
  retryAfterMs: undefined,
  isTransfer: true,
};

const play = (signals: readonly LineSignal[], from: LineState = openLine): LineState =>
  signals.reduce((state, signal) => decideLine(state, signal, brake, 0), from);

const paid: LineSignal = { kind: 'paid' };
const otherwise: LineSignal = { kind: 'ended-otherwise' };

describe('the line', () => {
  it('halts at once for the payer, with the bank’s remedy', () => {
    expect(play([{ kind: 'payer-stop', reason }])).toMatchObject({
      status: 'halted',
      why: { code: 'EM053', remedy: 'Fund the payer account then resume the batch' },
    });
  });

  it('stays halted whatever is heard later', () => {
    const halted = play([{ kind: 'payer-stop', reason }]);
    expect(play([paid, trouble, otherwise], halted).status).toBe('halted');
  });

  it('pauses for the service, once for all who were under way, and longer each time', () => {
    const first = play([trouble, trouble]);
    expect(first).toMatchObject({ status: 'paused', pausedUntilMs: 1_000, troubles: 1 });
    const second = decideLine(first, trouble, brake, 1_000);
    expect(second).toMatchObject({ status: 'paused', pausedUntilMs: 3_000, troubles: 2 });
    expect(decideLine(second, paid, brake, 3_000)).toMatchObject({ status: 'open', troubles: 0 });
  });

  it('is not reopened by what was under way when the pause began, nor early by a wish that comes later', () => {
    const paused = play([{ ...trouble, retryAfterMs: 60_000 }]);
    expect(decideLine(paused, paid, brake, 59_999)).toMatchObject({
      status: 'paused',
      pausedUntilMs: 60_000,
    });
    expect(decideLine(paused, paid, brake, 60_000).status).toBe('open');
    const longer = decideLine(paused, { ...trouble, retryAfterMs: 90_000 }, brake, 1_000);
    expect(longer).toMatchObject({ pausedUntilMs: 91_000, troubles: 1 });
  });

  it('is not reopened by an answered question while transfers have trouble', () => {
    const paused = play([trouble]);
    expect(decideLine(paused, { kind: 'answered' }, brake, 5_000)).toMatchObject({
      status: 'paused',
      troubles: 1,
    });
    const unanswered = play([{ ...trouble, isTransfer: false }]);
    expect(decideLine(unanswered, { kind: 'answered' }, brake, 5_000)).toMatchObject({
      status: 'open',
      troubles: 0,
    });
  });

  it('takes many transfers without an answer for one trouble of the service, and a single one for none', () => {
    const lost: LineSignal = { kind: 'unanswered', reason: { code: 'reply-lost', text: 'no answer came' } };
    expect(play([lost, paid, lost, paid, lost])).toMatchObject({ status: 'open' });
    const dead = play(Array.from({ length: 32 }, () => lost));
    expect(dead).toMatchObject({ status: 'paused', pausedUntilMs: 1_000, why: { code: 'reply-lost' } });
    const probed = decideLine(dead, lost, brake, 1_000);
    expect(probed).toMatchObject({ status: 'paused', pausedUntilMs: 3_000 });
    const back = decideLine(probed, paid, brake, 3_000);
    expect(back).toMatchObject({ status: 'open', troubles: 0, unanswered: 0 });
  });

  it('does not take a transfer that the bank works on for an end', () => {
    expect(play(Array.from({ length: 50 }, () => ({ kind: 'taken' })))).toMatchObject({
      status: 'open',
      ends: [],
    });
  });

  it('waits as long as the bank asks for', () => {
    expect(computePauseMs(0, 30_000)).toBe(30_000);
    expect(computePauseMs(40, undefined)).toBe(60_000);
  });

  it.each([
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

  it('brakes when too many are in doubt at once', () => {
    expect(decideOnInDoubt(openLine, 4, brake).status).toBe('open');
    expect(decideOnInDoubt(openLine, 5, brake)).toMatchObject({
      status: 'halted',
      why: { code: 'brake-in-doubt' },
    });
  });
});
