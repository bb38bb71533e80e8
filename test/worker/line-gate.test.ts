import { describe, expect, it } from 'vitest';
import type { LineSignal } from '../../src/core/decide-transfer.ts';
import { LineGate, type Passage } from '../../src/worker/line-gate.ts';
import { makeFakeClock } from '../bank/fake-clock.ts';

const brake = { consecutiveFailures: 10, failureShare: 0.5, window: 100, inDoubtMax: 200 };
const trouble: LineSignal = {
  kind: 'service-trouble',
  reason: { code: 'ET004', text: 'closed' },
  retryAfterMs: undefined,
  isTransfer: true,
};
const payerStop: LineSignal = { kind: 'payer-stop', reason: { code: 'EM053', text: 'no funds' } };

function makeGate() {
  const clock = makeFakeClock(0);
  const stop = new AbortController();
  const gate = new LineGate(clock, brake, stop.signal);
  const passages: Passage[] = [];
  const enter = (passHalted = false): void =>
    void gate.enter(passHalted).then((passage) => passages.push(passage));
  return { clock, stop, gate, passages, enter };
}

describe('the gate', () => {
  it('lets everybody through while the line is open', async () => {
    const { clock, passages, enter } = makeGate();
    for (const _ of [1, 2, 3]) enter();
    await clock.advance(0);
    expect(passages).toEqual(['go', 'go', 'go']);
  });

  it('lets one probe through when the pause is over, and the others when it has done well', async () => {
    const { clock, gate, passages, enter } = makeGate();
    gate.leave(trouble);
    for (const _ of [1, 2, 3]) enter();
    await clock.advance(999);
    expect(passages).toEqual([]);
    await clock.advance(1);
    expect(passages).toEqual(['go']);
    gate.leave({ kind: 'paid' });
    await clock.advance(0);
    expect(passages).toEqual(['go', 'go', 'go']);
  });

  it('pauses longer when the probe meets the same trouble', async () => {
    const { clock, gate, passages, enter } = makeGate();
    gate.leave(trouble);
    enter();
    enter();
    await clock.advance(1_000);
    gate.leave(trouble);
    await clock.advance(1_999);
    expect(passages).toEqual(['go']);
    await clock.advance(1);
    expect(passages).toEqual(['go', 'go']);
  });

  it('lets the next probe go when one ends with nothing learnt', async () => {
    const { clock, gate, passages, enter } = makeGate();
    gate.leave(trouble);
    enter();
    enter();
    await clock.advance(1_000);
    gate.leave({ kind: 'nothing' });
    await clock.advance(0);
    expect(passages).toEqual(['go', 'go']);
  });

  it('lets questions go on one by one while transfers have trouble', async () => {
    const { clock, gate, passages, enter } = makeGate();
    gate.leave(trouble);
    for (const _ of [1, 2, 3]) enter(true);
    await clock.advance(1_000);
    for (const _ of [1, 2]) {
      gate.leave({ kind: 'answered' });
      await clock.advance(0);
    }
    expect(passages).toEqual(['go', 'go', 'go']);
    expect(gate.state.status).toBe('paused');
  });

  it('turns those away who wait when the line halts, but lets inquiries pass', async () => {
    const { clock, gate, passages, enter } = makeGate();
    gate.leave(trouble);
    enter();
    gate.leave(payerStop);
    enter();
    enter(true);
    await clock.advance(0);
    expect(passages.toSorted()).toEqual(['go', 'halted', 'halted']);
  });

  it('turns everybody away when the process is asked to stop', async () => {
    const { clock, stop, gate, passages, enter } = makeGate();
    gate.leave(trouble);
    enter();
    stop.abort();
    enter(true);
    await clock.advance(0);
    expect(passages).toEqual(['stopped', 'stopped']);
  });
});
