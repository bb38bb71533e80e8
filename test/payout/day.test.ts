/** No transfer is begun while the day is another by the bank's clock than by ours, nor around midnight: rows wait. */
import { describe, expect, test } from 'vitest';
import { BankClock } from '../../src/payout/bank-clock.ts';
import { ingest, makeRows } from '../support/journal-fixtures.ts';
import { dayMs, minuteMs, openTheatre } from '../support/theatre.ts';

const at = (bangkok: string): number => Date.parse(`${bangkok}+07:00`);

describe('a clock that is a day ahead', () => {
  test.each([true, false])(
    'sends nothing, says why, and goes on when it is right (payee checks: %s)',
    async (enabled) => {
      await using theatre = await openTheatre(at('2026-11-22T11:00'));
      const { batchId } = await ingest(theatre.journal, makeRows(5));
      const bankClock = new BankClock(theatre.time);
      let aheadMs = dayMs;
      // The token comes before the first request, and its reply tells the bank's time.
      const { bank } = theatre;
      const hear = (): void => bankClock.hear(theatre.now() - aheadMs);
      const heard: typeof bank = {
        checkPayee: async (check) => {
          hear();
          return bank.checkPayee(check);
        },
        transfer: async (order, mayTransmit) => {
          hear();
          return bank.transfer(order, mayTransmit);
        },
        inquire: async (inquiry) => {
          hear();
          return bank.inquire(inquiry);
        },
      };
      theatre.script = {
        check: () => ({ ...theatre.checked('IC001'), bankDateMs: theatre.now() - aheadMs }),
        inquire: (inquiry) => ({ ...theatre.found(inquiry, undefined), bankDateMs: theatre.now() - aheadMs }),
      };
      const verify = {
        enabled,
        concurrency: 2,
        whenUnavailable: 'hold',
        onThaiNameMismatch: 'hold',
      } as const;
      const options = { bank: heard, bankClock, verify, waitMs: 5 * minuteMs };
      await theatre.run(batchId, options);
      expect([theatre.sent.length, await theatre.exitCode(batchId)]).toEqual([0, 6]);
      expect(await theatre.statuses(batchId)).toEqual({ held: 5 });
      expect(await theatre.batch(batchId)).toMatchObject({ status: 'paused', reasonCode: 'clocks-differ' });
      // The next run waits until the clock is set right: what it was told of the bank's time by the wrong clock is void.
      const running = theatre.start(batchId, { ...options, waitMs: 60 * minuteMs });
      await theatre.time.advance(10 * minuteMs);
      expect(theatre.sent).toEqual([]);
      theatre.time.jump(-dayMs);
      aheadMs = 0;
      await theatre.time.drive(running);
      expect(await theatre.statuses(batchId)).toEqual({ paid: 5 });
    },
  );
});

describe('around midnight', () => {
  test('nothing is begun within a minute of it, and the rest a minute later', async () => {
    await using theatre = await openTheatre(at('2026-11-21T23:58:50'));
    theatre.script = {
      transfer: async ({ transRefNo }) => {
        await theatre.time.sleep(5_000);
        return theatre.code('IC000', { transRefNo });
      },
    };
    const { batchId } = await ingest(theatre.journal, makeRows(12));
    await theatre.run(batchId, { waitMs: 10 * minuteMs });
    expect(await theatre.statuses(batchId)).toEqual({ paid: 12 });
    const times = theatre.sent.map(({ atMs }) => atMs);
    expect(times.filter((ms) => ms > at('2026-11-21T23:59:00') && ms < at('2026-11-22T00:01'))).toEqual([]);
    expect(times.some((ms) => ms >= at('2026-11-22T00:01'))).toBe(true);
  });
});

test('a bank whose answers bear no Date header is told of once, and not once it has told its time', () => {
  const said: string[] = [];
  const clock = { now: () => at('2026-11-21T12:00'), elapsedMs: () => 0, sleep: async () => {} };
  const bankClock = new BankClock(clock, ({ kind }) => void said.push(kind));
  for (let answers = 0; answers < 3; answers += 1) bankClock.hear(undefined);
  expect([said, bankClock.read().bankNowMs]).toEqual([['untold'], undefined]);
  const spoken = new BankClock(clock, ({ kind }) => void said.push(kind));
  for (const bankDateMs of [clock.now(), undefined]) spoken.hear(bankDateMs);
  expect([said, spoken.read().bankNowMs]).toEqual([['untold'], clock.now()]);
});

test("the bank's time stays what it is when somebody sets our clock", () => {
  let aheadMs = 0;
  let elapsedMs = 0;
  const startMs = at('2026-11-21T12:00');
  const clock = {
    now: () => startMs + elapsedMs + aheadMs,
    elapsedMs: () => elapsedMs,
    sleep: async () => {},
  };
  const bankClock = new BankClock(clock);
  bankClock.hear(startMs);
  [aheadMs, elapsedMs] = [dayMs, minuteMs];
  expect(bankClock.read()).toEqual({ nowMs: startMs + dayMs + minuteMs, bankNowMs: startMs + minuteMs });
});
