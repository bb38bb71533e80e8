import { describe, expect, test } from 'vitest';
import { BreakerGate, PayerBreaker } from '../../src/payout/circuit-breaker.ts';
import type { BreakerSignal } from '../../src/payout/rules/read-reply.ts';
import { makeVirtualClock } from '../support/virtual-clock.ts';

const brake = { consecutiveFailures: 10, failureShare: 0.5, window: 100, inDoubtMax: 200 };
const trouble = {
  kind: 'service-trouble',
  reason: { code: 'ET004', text: 'closed', retryAfterMs: undefined },
  isTransfer: true,
} as const;
const payerStop: BreakerSignal = { kind: 'payer-stop', reason: { code: 'EM053', text: 'no funds' } };

type Shared = Pick<ConstructorParameters<typeof BreakerGate>[0], 'breaker' | 'hours'>;

function makeGate(shared: Shared = {}, startMs = 0) {
  const clock = makeVirtualClock(startMs);
  const stop = new AbortController();
  const gate = new BreakerGate({ clock, brake, stop: stop.signal, ...shared });
  const admissions: string[] = [];
  const enter = (passHalted = false): void =>
    void gate.enter(passHalted).then((admission) => admissions.push(admission));
  return { clock, stop, gate, admissions, enter };
}

describe('the gate', () => {
  test('lets everybody through while the line is open', async () => {
    const { clock, admissions, enter } = makeGate();
    for (const _ of [1, 2, 3]) enter();
    await clock.advance(0);
    expect(admissions).toEqual(['go', 'go', 'go']);
  });

  test('lets one probe through when the pause is over, and the others when it has done well', async () => {
    const { clock, gate, admissions, enter } = makeGate();
    gate.leave(trouble);
    for (const _ of [1, 2, 3]) enter();
    await clock.advance(999);
    expect(admissions).toEqual([]);
    await clock.advance(1);
    expect(admissions).toEqual(['go']);
    gate.leave({ kind: 'paid' });
    await clock.advance(0);
    expect(admissions).toEqual(['go', 'go', 'go']);
  });

  test('pauses longer when the probe meets the same trouble', async () => {
    const { clock, gate, admissions, enter } = makeGate();
    gate.leave(trouble);
    enter();
    enter();
    await clock.advance(1_000);
    gate.leave(trouble);
    await clock.advance(1_999);
    expect(admissions).toEqual(['go']);
    await clock.advance(1);
    expect(admissions).toEqual(['go', 'go']);
  });

  test('lets the next probe go when one ends with nothing learnt', async () => {
    const { clock, gate, admissions, enter } = makeGate();
    gate.leave(trouble);
    enter();
    enter();
    await clock.advance(1_000);
    gate.leave({ kind: 'nothing' });
    await clock.advance(0);
    expect(admissions).toEqual(['go', 'go']);
  });

  test('lets questions go on one by one while transfers have trouble', async () => {
    const { clock, gate, admissions, enter } = makeGate();
    gate.leave(trouble);
    for (const _ of [1, 2, 3]) enter(true);
    await clock.advance(1_000);
    for (const _ of [1, 2]) {
      gate.leave({ kind: 'answered' });
      await clock.advance(0);
    }
    expect(admissions).toEqual(['go', 'go', 'go']);
    expect(gate.state.status).toBe('paused');
  });

  test('turns those away who wait when the line halts, but lets inquiries pass', async () => {
    const { clock, gate, admissions, enter } = makeGate();
    gate.leave(trouble);
    enter();
    gate.leave(payerStop);
    enter();
    enter(true);
    await clock.advance(0);
    expect(admissions.toSorted()).toEqual(['go', 'halted', 'halted']);
  });

  test('turns everybody away when the process is asked to stop', async () => {
    const { clock, stop, gate, admissions, enter } = makeGate();
    gate.leave(trouble);
    enter();
    stop.abort();
    enter(true);
    await clock.advance(0);
    expect(admissions).toEqual(['stopped', 'stopped']);
  });
});

describe('a pause of the gate', () => {
  test('ends in its own time though our clock is set back while somebody waits', async () => {
    const { clock, gate, admissions, enter } = makeGate({}, 3_600_000);
    gate.leave({ ...trouble, reason: { ...trouble.reason, retryAfterMs: 30_000 } });
    enter();
    await clock.advance(0);
    clock.set(0);
    expect(gate.state.pausedUntilMs).toBe(30_000);
    await clock.advance(30_000);
    expect(admissions).toEqual(['go']);
  });

  test('lets questions through after a minute, transfers only at its end', async () => {
    const { clock, gate, admissions, enter } = makeGate();
    for (let troubles = 0; troubles < 12; troubles += 1) {
      gate.leave(trouble);
      await clock.advance(Math.max(0, gate.state.pausedUntilMs - clock.now()));
    }
    gate.leave(trouble);
    expect(gate.isShut).toBe(true);
    enter();
    await clock.advance(59_999);
    enter(true);
    expect(admissions).toEqual([]);
    await clock.advance(1);
    expect(admissions).toEqual(['go']);
    gate.leave({ kind: 'answered' });
    await clock.advance(15 * 60_000);
    expect(admissions).toEqual(['go', 'go']);
  });
});

describe('two runs of one process', () => {
  test('share the counts of the brake, the pause and the halt, but not the halt of a batch', () => {
    const breaker = new PayerBreaker();
    const one = makeGate({ breaker }).gate;
    for (let ends = 0; ends < 9; ends += 1) one.leave({ kind: 'ended-otherwise' });
    one.haltFor({ code: 'cancelled', reason: 'cancelled', remedy: 'none' });
    expect(one.state).toMatchObject({ status: 'halted', why: { code: 'cancelled' } });
    const other = makeGate({ breaker }).gate;
    expect(other.state.status).toBe('open');
    other.leave({ kind: 'ended-otherwise' });
    expect(other.state).toMatchObject({ status: 'halted', why: { code: 'brake-consecutive' } });
    expect(makeGate({ breaker }).gate.state.status).toBe('halted');
  });

  test('forget what was counted when a person lets the line go on', () => {
    const { gate } = makeGate();
    for (let ends = 0; ends < 9; ends += 1) gate.leave({ kind: 'ended-otherwise' });
    gate.haltFor({ code: 'batch-too-old', reason: 'old', remedy: 'resume' });
    gate.reopen();
    gate.leave({ kind: 'ended-otherwise' });
    expect(gate.state).toMatchObject({ status: 'open', consecutiveFailures: 1 });
  });
});

describe('outside the service hours', () => {
  const hours = { openMinute: 6 * 60, closeMinute: 22 * 60 + 30 };
  const at = (bangkok: string): number => Date.parse(`${bangkok}+07:00`);

  test('transfers wait until the service opens, inquiries do not', async () => {
    const { clock, gate, admissions, enter } = makeGate({ hours }, at('2026-11-21T23:00'));
    expect(gate.state).toMatchObject({ status: 'paused', why: { code: 'outside-service-hours' } });
    enter();
    enter();
    enter(true);
    await clock.advance(7 * 3_600_000 - 1);
    expect(admissions).toEqual(['go']);
    await clock.advance(1);
    expect(admissions).toEqual(['go', 'go', 'go']);
  });

  test('nothing begins in the last half minute, and bytes may leave until the very end', () => {
    const { clock, gate } = makeGate({ hours }, at('2026-11-21T22:29:29'));
    expect([gate.state.status, gate.isServiceOpen]).toEqual(['open', true]);
    clock.set(at('2026-11-21T22:29:30'));
    expect([gate.state.status, gate.isServiceOpen]).toEqual(['paused', true]);
    clock.set(at('2026-11-21T22:30:00'));
    expect([gate.state.status, gate.isServiceOpen]).toEqual(['paused', false]);
  });

  test('a halt is told before the hours', () => {
    const { gate } = makeGate({ hours }, at('2026-11-21T23:00'));
    gate.observe(payerStop);
    expect(gate.state).toMatchObject({ status: 'halted', why: { code: 'EM053' } });
  });
});
