/** A halted line is opened by a person alone: those who look before the stop is recorded must not take it for lifted. */
import { describe, expect, test } from 'vitest';
import { takeUpLine } from '../../src/payout/breaker-pause.ts';
import { recordLineStop } from '../../src/payout/breaker-stop.ts';
import { Line } from '../../src/payout/circuit-breaker.ts';
import type { Journal } from '../../src/store/store.ts';
import { noonMs, payer } from '../support/core-fixtures.ts';
import { minuteMs, openTheatre, stage, type Theatre } from '../support/theatre.ts';

const noMoney = { code: 'EM053', text: 'Insufficient funds' };

const stopOf = ({ journal }: Theatre) => journal.lineStop(payer.companyId, payer.payerAccount);

/** A line that a reply has just halted, as two runs of one process see it. */
function haltLine(theatre: Theatre, changes: Partial<Journal> = {}) {
  const line = new Line();
  const journal = { ...theatre.journal, ...changes };
  const one = theatre.context({ line, journal });
  one.gate.seePayerStop(noMoney);
  return { line, one, other: theatre.context({ line, journal }) };
}

describe('a line that was halted', () => {
  test('stays so for whoever looks before the stop is recorded', async () => {
    await using theatre = await openTheatre();
    const { line, one, other } = haltLine(theatre);
    await takeUpLine(other, payer);
    expect([line.state.status, await stopOf(theatre)]).toEqual(['halted', undefined]);
    await recordLineStop(one, payer);
    await takeUpLine(other, payer);
    expect([line.state.status, (await stopOf(theatre))?.code]).toEqual(['halted', 'EM053']);
  });

  test('stays so for whoever looks while the stop is being recorded', async () => {
    await using theatre = await openTheatre();
    const { line, one, other } = haltLine(theatre, {
      recordLineStop: async (stop) => {
        await theatre.time.sleep(1_000);
        await theatre.journal.recordLineStop(stop);
      },
    });
    const looked = [recordLineStop(one, payer), takeUpLine(other, payer), takeUpLine(one, payer)];
    await theatre.time.drive(Promise.all(looked));
    expect([line.state.status, (await stopOf(theatre))?.code]).toEqual(['halted', 'EM053']);
  });

  test('is recorded by the next to look when that has failed, and stays halted meanwhile', async () => {
    await using theatre = await openTheatre();
    let failures = 0;
    const { line, one, other } = haltLine(theatre, {
      recordLineStop: async (stop) => {
        failures += 1;
        if (failures === 1) throw new Error('the disk is full');
        await theatre.journal.recordLineStop(stop);
      },
    });
    const both = await Promise.allSettled([recordLineStop(one, payer), recordLineStop(other, payer)]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await takeUpLine(other, payer);
    expect([line.state.status, await stopOf(theatre)]).toEqual(['halted', undefined]);
    await recordLineStop(other, payer);
    expect([line.state.status, (await stopOf(theatre))?.code]).toEqual(['halted', 'EM053']);
  });

  test('is open when a person has lifted the stop, and the next stop is recorded, too', async () => {
    await using theatre = await openTheatre();
    const { line, one, other } = haltLine(theatre);
    for (let stops = 0; stops < 2; stops += 1) {
      one.gate.seePayerStop(noMoney);
      await recordLineStop(one, payer);
      expect(await stopOf(theatre)).toBeDefined();
      await theatre.journal.liftLineStop(payer.companyId, payer.payerAccount, noonMs + 1);
      await takeUpLine(other, payer);
      expect([line.state.status, await other.gate.enter()]).toEqual(['open', 'go']);
      other.gate.leave({ kind: 'nothing' });
    }
  });

  test('halts its batch though others look at the line again and again', async () => {
    const ended = new AbortController();
    await using one = await stage(12, (theatre) => ({
      transfer: (_order, no) => (no >= 4 ? theatre.code('EM053') : undefined),
    }));
    const { theatre, batchId } = one;
    const line = new Line();
    const looks = (async () => {
      const context = theatre.context({ line });
      while (!ended.signal.aborted) {
        await takeUpLine(context, payer);
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    await theatre.run(batchId, { line, waitMs: minuteMs });
    ended.abort();
    await looks;
    expect(await theatre.batch(batchId)).toMatchObject({ status: 'halted', reasonCode: 'EM053' });
    expect([line.state.status, (await stopOf(theatre))?.code]).toEqual(['halted', 'EM053']);
    // Two at once, and one whose intent was recorded ahead.
    expect(theatre.sent.length).toBeLessThanOrEqual(6);
  });
});

describe('a pause', () => {
  const pause = {
    companyId: payer.companyId,
    payerAccount: payer.payerAccount,
    code: 'TM001',
    reason: 'out of hours',
    remedy: 'wait',
    troubles: 1,
    isTransfer: true,
    sinceMs: noonMs,
    untilMs: noonMs + minuteMs,
  };

  test('of an earlier run goes on, and is over when a person has ended it', async () => {
    await using theatre = await openTheatre();
    await theatre.journal.recordLinePause(pause);
    const line = new Line();
    await takeUpLine(theatre.context({ line }), payer);
    expect(line.state).toMatchObject({ status: 'paused', pausedUntilMs: pause.untilMs });
    await theatre.journal.clearLinePause(payer.companyId, payer.payerAccount);
    await takeUpLine(theatre.context({ line }), payer);
    expect(line.state.status).toBe('open');
  });
});
