/** A halted line is opened by a person alone: those who look before the stop is recorded must not take it for lifted. */
import { describe, expect, test } from 'vitest';
import { verbatim } from '../../src/core/message.ts';
import type { Log } from '../../src/core/ports.ts';
import { PayerBreaker, recordHalt, recordPause, restoreBreaker } from '../../src/payout/circuit-breaker.ts';
import type { Journal } from '../../src/store/store.ts';
import { noonMs, payer } from '../support/core-fixtures.ts';
import { minuteMs, openTheatre, stage, type Theatre } from '../support/theatre.ts';

const noMoney = { code: 'EM053', text: verbatim('Insufficient funds') };

const stopOf = ({ journal }: Theatre) => journal.payerHalt(payer.companyId, payer.payerAccount);

/** A line that a reply has just halted, as two runs of one process see it. */
function haltAccount(theatre: Theatre, changes: Partial<Journal> = {}) {
  const breaker = new PayerBreaker();
  const journal = { ...theatre.journal, ...changes };
  const one = theatre.context({ breaker, journal });
  one.gate.observe({ kind: 'payer-stop', reason: noMoney });
  return { breaker, one, other: theatre.context({ breaker, journal }) };
}

describe('a line that was halted', () => {
  test('stays so for whoever looks before the stop is recorded', async () => {
    await using theatre = await openTheatre();
    const { breaker, one, other } = haltAccount(theatre);
    await restoreBreaker(other, payer);
    expect([breaker.state.status, await stopOf(theatre)]).toEqual(['halted', undefined]);
    await recordHalt(one, payer);
    await restoreBreaker(other, payer);
    expect([breaker.state.status, (await stopOf(theatre))?.code]).toEqual(['halted', 'EM053']);
  });

  test('stays so for whoever looks while the stop is being recorded', async () => {
    await using theatre = await openTheatre();
    const { breaker, one, other } = haltAccount(theatre, {
      recordPayerHalt: async (stop) => {
        await theatre.time.sleep(1_000);
        await theatre.journal.recordPayerHalt(stop);
      },
    });
    const looked = [recordHalt(one, payer), restoreBreaker(other, payer), restoreBreaker(one, payer)];
    await theatre.time.drive(Promise.all(looked));
    expect([breaker.state.status, (await stopOf(theatre))?.code]).toEqual(['halted', 'EM053']);
  });

  test('is recorded by the next to look when that has failed, and stays halted meanwhile', async () => {
    await using theatre = await openTheatre();
    let failures = 0;
    const { breaker, one, other } = haltAccount(theatre, {
      recordPayerHalt: async (stop) => {
        failures += 1;
        if (failures === 1) throw new Error('the disk is full');
        await theatre.journal.recordPayerHalt(stop);
      },
    });
    const both = await Promise.allSettled([recordHalt(one, payer), recordHalt(other, payer)]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await restoreBreaker(other, payer);
    expect([breaker.state.status, await stopOf(theatre)]).toEqual(['halted', undefined]);
    await recordHalt(other, payer);
    expect([breaker.state.status, (await stopOf(theatre))?.code]).toEqual(['halted', 'EM053']);
  });

  test('is open when a person has lifted the stop, and the next stop is recorded, too', async () => {
    await using theatre = await openTheatre();
    const { breaker, one, other } = haltAccount(theatre);
    for (let stops = 0; stops < 2; stops += 1) {
      one.gate.observe({ kind: 'payer-stop', reason: noMoney });
      await recordHalt(one, payer);
      expect(await stopOf(theatre)).toBeDefined();
      await theatre.journal.liftPayerHalt(payer.companyId, payer.payerAccount, noonMs + 1);
      await restoreBreaker(other, payer);
      const entry = await other.gate.enter();
      expect([breaker.state.status, entry.kind]).toEqual(['open', 'go']);
      if (entry.kind === 'go') entry.leave();
    }
  });

  test('halts its batch though others look at the line again and again', async () => {
    const ended = new AbortController();
    await using one = await stage(12, (theatre) => ({
      transfer: (_order, no) => (no >= 4 ? theatre.code('EM053') : undefined),
    }));
    const { theatre, batchId } = one;
    const breaker = new PayerBreaker();
    const looks = (async () => {
      const context = theatre.context({ breaker });
      while (!ended.signal.aborted) {
        await restoreBreaker(context, payer);
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    await theatre.run(batchId, { breaker, waitMs: minuteMs });
    ended.abort();
    await looks;
    expect(await theatre.batch(batchId)).toMatchObject({ status: 'halted', reasonCode: 'EM053' });
    expect([breaker.state.status, (await stopOf(theatre))?.code]).toEqual(['halted', 'EM053']);
    // Two at once, and one whose intent was recorded ahead.
    expect(theatre.sent.length).toBeLessThanOrEqual(6);
  });
});

describe('a pause that a reply has just begun', () => {
  const busy = { code: 'http-429', text: verbatim('too many requests'), retryAfterMs: 10 * minuteMs };

  test.each([
    ['while it is being recorded', undefined],
    ['when it could not be recorded', 'the disk is full'],
  ])('is not taken for one that a person has ended %s', async (_, failure) => {
    await using theatre = await openTheatre();
    const breaker = new PayerBreaker();
    const journal: Journal = {
      ...theatre.journal,
      recordPayerPause: async (pause) => {
        await theatre.time.sleep(1_000);
        if (failure !== undefined) throw new Error(failure);
        await theatre.journal.recordPayerPause(pause);
      },
    };
    const [one, other] = [theatre.context({ breaker, journal }), theatre.context({ breaker, journal })];
    one.gate.observe({ kind: 'service-trouble', reason: busy });
    const recording = recordPause(one, payer).catch((error: unknown) => (error as Error).message);
    await restoreBreaker(other, payer);
    expect(breaker.state.status).toBe('paused');
    expect(await theatre.time.drive(recording)).toBe(failure);
    await restoreBreaker(other, payer);
    expect(breaker.state.status).toBe('paused');
  });

  test('stands in the log with its reason in English', async () => {
    await using theatre = await openTheatre();
    const logged: object[] = [];
    const log: Log = (level, text, facts) => void logged.push({ level, text, ...facts });
    const context = theatre.context({ breaker: new PayerBreaker(), log });
    context.gate.observe({ kind: 'service-trouble', reason: busy });
    await recordPause(context, payer);
    const line = {
      level: 'warn',
      text: 'payer account paused',
      code: 'http-429',
      reason: 'too many requests',
    };
    expect(logged).toContainEqual({ ...line, forMs: 10 * minuteMs });
  });
});

describe('a pause', () => {
  const pause = {
    companyId: payer.companyId,
    payerAccount: payer.payerAccount,
    code: 'TM001',
    reason: verbatim('out of hours'),
    remedy: verbatim('wait'),
    troubles: 1,
    isTransfer: true,
    sinceMs: noonMs,
    untilMs: noonMs + minuteMs,
  };

  test('of an earlier run goes on, and is over when a person has ended it', async () => {
    await using theatre = await openTheatre();
    await theatre.journal.recordPayerPause(pause);
    const breaker = new PayerBreaker();
    await restoreBreaker(theatre.context({ breaker }), payer);
    expect(breaker.state).toMatchObject({ status: 'paused', pausedUntilMs: pause.untilMs });
    await theatre.journal.clearPayerPause(payer.companyId, payer.payerAccount);
    await restoreBreaker(theatre.context({ breaker }), payer);
    expect(breaker.state.status).toBe('open');
  });
});
