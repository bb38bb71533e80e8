import { verbatim } from '../../src/core/message.ts';
import { describe, expect, test } from 'vitest';
import { BreakerGate, type Pass, PayerBreaker } from '../../src/payout/circuit-breaker.ts';
import type { BreakerSignal } from '../../src/payout/rules/read-reply.ts';
import { makeVirtualClock } from '../support/virtual-clock.ts';

type Entry = Awaited<ReturnType<BreakerGate['enter']>>;

const brake = { consecutiveFailures: 10, failureShare: 0.5, window: 100, inDoubtMax: 200 };
const trouble = {
  kind: 'service-trouble',
  reason: { code: 'ET004', text: verbatim('closed'), retryAfterMs: undefined },
} as const;
const payerStop: BreakerSignal = {
  kind: 'payer-stop',
  reason: { code: 'EM053', text: verbatim('no funds') },
};

type Shared = Pick<ConstructorParameters<typeof BreakerGate>[0], 'breaker' | 'hours'>;

function makeGate(shared: Shared = {}, startMs = 0) {
  const clock = makeVirtualClock(startMs);
  const stop = new AbortController();
  const gate = new BreakerGate({ clock, brake, stop: stop.signal, ...shared });
  const admissions: string[] = [];
  const passes: Pass[] = [];
  const note = (entry: Entry): void => {
    admissions.push(entry.kind);
    if (entry.kind === 'go') passes.push(entry);
  };
  const enter = (): void => void gate.enter().then(note);
  const ask = (passHalted = true): void => void gate.ask(passHalted).then(note);
  /** The request that was let through first ends so; without any, one that went before. */
  const leave = (signal: BreakerSignal): void => {
    const pass = passes.shift();
    if (pass === undefined) gate.observe(signal);
    else pass.leave(signal);
  };
  return { clock, stop, gate, admissions, enter, ask, leave };
}

describe('the gate', () => {
  test('lets everybody through while the line is open', async () => {
    const { clock, admissions, enter } = makeGate();
    for (const _ of [1, 2, 3]) enter();
    await clock.advance(0);
    expect(admissions).toEqual(['go', 'go', 'go']);
  });

  test('lets one probe through when the pause is over, and the others when it has done well', async () => {
    const { clock, admissions, enter, leave } = makeGate();
    leave(trouble);
    for (const _ of [1, 2, 3]) enter();
    await clock.advance(999);
    expect(admissions).toEqual([]);
    await clock.advance(1);
    expect(admissions).toEqual(['go']);
    leave({ kind: 'paid' });
    await clock.advance(0);
    expect(admissions).toEqual(['go', 'go', 'go']);
  });

  test('pauses longer when the probe meets the same trouble', async () => {
    const { clock, admissions, enter, leave } = makeGate();
    leave(trouble);
    enter();
    enter();
    await clock.advance(1_000);
    leave(trouble);
    await clock.advance(1_999);
    expect(admissions).toEqual(['go']);
    await clock.advance(1);
    expect(admissions).toEqual(['go', 'go']);
  });

  test('lets the next probe go when one ends with nothing learnt', async () => {
    const { clock, admissions, enter, leave } = makeGate();
    leave(trouble);
    enter();
    enter();
    await clock.advance(1_000);
    leave({ kind: 'nothing' });
    await clock.advance(0);
    expect(admissions).toEqual(['go', 'go']);
  });

  test('lets questions go on as ever while transfers have trouble', async () => {
    const { clock, gate, admissions, ask, leave } = makeGate();
    leave(trouble);
    for (const _ of [1, 2, 3]) ask();
    await clock.advance(0);
    leave({ kind: 'answered' });
    expect(admissions).toEqual(['go', 'go', 'go']);
    expect(gate.state.status).toBe('paused');
  });

  test('gives the slot of a probe back to nobody but the request that took it', async () => {
    const { clock, admissions, enter, ask, leave, gate } = makeGate();
    leave(trouble);
    enter();
    enter();
    await clock.advance(1_000);
    const asked = await gate.ask(true);
    if (asked.kind === 'go') asked.leave({ kind: 'answered' });
    ask();
    await clock.advance(10_000);
    expect(admissions).toEqual(['go', 'go']);
    expect(gate.breaker.isProbing).toEqual({ transfers: true, questions: false });
    leave({ kind: 'paid' });
    await clock.advance(0);
    expect(admissions).toEqual(['go', 'go', 'go']);
  });

  test('lets no other transfer try before one without an answer was asked about, within a minute', async () => {
    const { clock, gate, admissions, enter } = makeGate();
    const lost = { kind: 'unanswered', reason: { code: 'reply-lost', text: verbatim('no answer') } } as const;
    for (const ref of ['A', 'B']) {
      gate.observe(lost);
      gate.noteUnanswered(ref);
    }
    enter();
    await clock.advance(30_000);
    gate.noteAsked('A', false);
    await clock.advance(0);
    expect(admissions).toEqual([]);
    gate.noteAsked('B', true);
    await clock.advance(0);
    expect(admissions).toEqual(['go']);
    gate.observe(lost);
    gate.noteUnanswered('C');
    enter();
    await clock.advance(2 * 60_000);
    expect(gate.breaker.unasked.size).toBeLessThan(2);
  });

  test('an inquiry that finds a transfer without an answer ends the pause', async () => {
    const { clock, gate } = makeGate({}, 1_000);
    const lost = { kind: 'unanswered', reason: { code: 'reply-lost', text: verbatim('no answer') } } as const;
    gate.observe(lost);
    gate.noteUnanswered('A');
    gate.observe(lost);
    expect(gate.isPausing).toBe(true);
    gate.noteAsked('another', true);
    expect(gate.isPausing).toBe(true);
    gate.noteAsked('A', true);
    expect([gate.isPausing, gate.transfers.status]).toEqual([false, 'paused']);
    await clock.advance(0);
  });

  test('turns those away who wait when the line halts, but lets inquiries pass', async () => {
    const { clock, admissions, enter, ask, leave } = makeGate();
    leave(trouble);
    enter();
    leave(payerStop);
    enter();
    ask();
    await clock.advance(0);
    expect(admissions.toSorted()).toEqual(['go', 'halted', 'halted']);
  });

  test('turns everybody away when the process is asked to stop', async () => {
    const { clock, stop, admissions, enter, ask, leave } = makeGate();
    leave(trouble);
    enter();
    stop.abort();
    ask();
    await clock.advance(0);
    expect(admissions).toEqual(['stopped', 'stopped']);
  });
});

describe('a pause of the gate', () => {
  test('ends in its own time though our clock is set back while somebody waits', async () => {
    const { clock, gate, admissions, enter, leave } = makeGate({}, 3_600_000);
    leave({ ...trouble, reason: { ...trouble.reason, retryAfterMs: 30_000 } });
    enter();
    await clock.advance(0);
    clock.set(0);
    expect(gate.state.pausedUntilMs).toBe(30_000);
    await clock.advance(30_000);
    expect(admissions).toEqual(['go']);
  });

  test('that the bank wishes holds for questions, too; any other does not', async () => {
    const { clock, gate, admissions, ask } = makeGate();
    gate.observe(trouble);
    expect([gate.isPausing, gate.isSilent]).toEqual([true, false]);
    gate.observe({
      ...trouble,
      reason: { code: 'http-429', text: verbatim('slow down'), retryAfterMs: 30_000 },
    });
    ask();
    await clock.advance(29_999);
    expect([admissions, gate.isSilent]).toEqual([[], true]);
    await clock.advance(1);
    expect(admissions).toEqual(['go']);
  });

  test('of questions leaves transfers alone', async () => {
    const { clock, gate, admissions, enter } = makeGate();
    const asked = await gate.ask();
    if (asked.kind === 'go') asked.leave(trouble);
    enter();
    await clock.advance(0);
    expect([admissions, gate.isSilent, gate.transfers.status]).toEqual([['go'], true, 'open']);
    // What waits for a payee check is told of it.
    expect(gate.state).toMatchObject({ status: 'paused', why: { code: 'ET004' } });
  });
});

describe('two runs of one process', () => {
  test('share the counts of the brake, the pause and the halt, but not the halt of a batch', () => {
    const breaker = new PayerBreaker();
    const one = makeGate({ breaker }).gate;
    for (let ends = 0; ends < 9; ends += 1) one.observe({ kind: 'ended-otherwise' });
    one.haltFor({ code: 'cancelled', reason: verbatim('cancelled'), remedy: verbatim('none') });
    expect(one.state).toMatchObject({ status: 'halted', why: { code: 'cancelled' } });
    const other = makeGate({ breaker }).gate;
    expect(other.state.status).toBe('open');
    other.observe({ kind: 'ended-otherwise' });
    expect(other.state).toMatchObject({ status: 'halted', why: { code: 'brake-consecutive' } });
    expect(makeGate({ breaker }).gate.state.status).toBe('halted');
  });

  test('forget what was counted when a person lets the line go on', () => {
    const { gate } = makeGate();
    for (let ends = 0; ends < 9; ends += 1) gate.observe({ kind: 'ended-otherwise' });
    gate.haltFor({ code: 'batch-too-old', reason: verbatim('old'), remedy: verbatim('resume') });
    gate.reopen();
    gate.observe({ kind: 'ended-otherwise' });
    expect(gate.state).toMatchObject({ status: 'open', consecutiveFailures: 1 });
  });
});

describe('outside the service hours', () => {
  const hours = { openMinute: 6 * 60, closeMinute: 22 * 60 + 30 };
  const at = (bangkok: string): number => Date.parse(`${bangkok}+07:00`);

  test('transfers wait until the service opens, inquiries do not', async () => {
    const { clock, gate, admissions, enter, ask } = makeGate({ hours }, at('2026-11-21T23:00'));
    expect(gate.state).toMatchObject({ status: 'paused', why: { code: 'outside-service-hours' } });
    enter();
    enter();
    ask();
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
