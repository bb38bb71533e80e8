/** Service hours: nothing is sent while the service is closed, and the line starts by itself when it opens. */
import { inEnglishIfAny } from '../../src/core/message.ts';
import { describe, expect, test } from 'vitest';
import { BankClock } from '../../src/payout/bank-clock.ts';
import { cancelBatch } from '../../src/payout/operator.ts';
import type { ServiceHours } from '../../src/payout/rules/service-hours.ts';
import { lost } from '../support/core-fixtures.ts';
import { ingest, makeRows } from '../support/journal-fixtures.ts';
import type { Script } from '../support/scripted-bank.ts';
import { minuteMs, openMemoryTheatre, type Theatre } from '../support/theatre.ts';

const hourMs = 60 * minuteMs;
const at = (bangkok: string): number => Date.parse(`${bangkok}+07:00`);
const day: ServiceHours = { openMinute: 6 * 60, closeMinute: 22 * 60 + 30 };
const nearlyAlways: ServiceHours = { openMinute: 8 * 60, closeMinute: 6 * 60 };

/** A theatre with one sealed file at this moment; hours go by in it. */
async function stageAt(startMs: number, rows: number, write: (theatre: Theatre) => Script = () => ({})) {
  const theatre = openMemoryTheatre(startMs);
  theatre.script = write(theatre);
  const { batchId } = await ingest(theatre.journal, makeRows(rows));
  return { theatre, batchId, [Symbol.asyncDispose]: () => theatre[Symbol.asyncDispose]() };
}

async function holdsOf({ journal }: Theatre, batchId: string) {
  await using snapshot = await journal.snapshot();
  const rows = (await Array.fromAsync(snapshot.resultRows(batchId))).flat();
  return rows.map(({ holds, reasonCode, reason }) => ({ holds, reasonCode, reason }));
}

describe('a run while the service is closed', () => {
  test('ends with exit 6, having asked and sent nothing; every row says when it opens', async () => {
    let checks = 0;
    await using one = await stageAt(at('2026-11-21T23:00'), 3, (theatre) => ({
      check: () => {
        checks += 1;
        return theatre.checked('IC001');
      },
    }));
    const { theatre, batchId } = one;
    await theatre.run(batchId, { hours: day, waitMs: 5 * minuteMs });
    expect([await theatre.exitCode(batchId), theatre.sent.length, checks]).toEqual([6, 0, 0]);
    expect(theatre.now()).toBeLessThan(at('2026-11-21T23:00:05'));
    expect(await theatre.batch(batchId)).toMatchObject({
      status: 'paused',
      reasonCode: 'outside-service-hours',
    });
    for (const row of await holdsOf(theatre, batchId)) {
      expect(row).toMatchObject({ holds: ['paused'], reasonCode: 'outside-service-hours' });
      expect(inEnglishIfAny(row.reason)).toContain('opens at 2026-11-22 06:00:00 Bangkok time');
    }
    theatre.time.jump(8 * hourMs);
    await theatre.run(batchId, { hours: day });
    expect(await theatre.statuses(batchId)).toEqual({ paid: 3 });
  });

  test('starts by itself when the service opens within the wait', async () => {
    await using one = await stageAt(at('2026-11-21T23:00'), 3);
    await one.theatre.run(one.batchId, { hours: day, waitMs: 8 * hourMs });
    expect(await one.theatre.statuses(one.batchId)).toEqual({ paid: 3 });
    expect(one.theatre.sent[0]?.atMs).toBe(at('2026-11-22T06:00'));
  });

  test('does not wait for the opening when a person cancels the batch', async () => {
    await using one = await stageAt(at('2026-11-21T23:00'), 12);
    const { theatre, batchId } = one;
    const run = theatre.start(batchId, { hours: day, waitMs: 8 * hourMs });
    await theatre.time.advanceTo(at('2026-11-21T23:10'));
    await cancelBatch(theatre.journal, await theatre.batch(batchId), theatre.now());
    await theatre.time.drive(run);
    expect(theatre.now()).toBeLessThan(at('2026-11-21T23:12'));
    expect([(await theatre.batch(batchId)).status, await theatre.statuses(batchId)]).toEqual([
      'done',
      { cancelled: 12 },
    ]);
  });

  test('goes on asking about what is in doubt', async () => {
    await using one = await stageAt(at('2026-11-21T22:00'), 1, (theatre) => ({
      transfer: () => lost,
      inquire: (inquiry) =>
        theatre.found(inquiry, theatre.now() < at('2026-11-21T23:00') ? '010003' : '010004'),
    }));
    const { theatre, batchId } = one;
    await theatre.run(batchId, { hours: day, waitMs: minuteMs });
    expect(await theatre.statuses(batchId)).toEqual({ submitted: 1 });
    theatre.time.jump(2 * hourMs);
    await theatre.run(batchId, { hours: day, waitMs: minuteMs });
    expect([await theatre.statuses(batchId), await theatre.exitCode(batchId)]).toEqual([{ paid: 1 }, 0]);
  });
});

describe('a service that closes during the run', () => {
  const slowRun = async (hours: ServiceHours, startMs: number) => {
    const one = await stageAt(startMs, 10, (theatre) => ({
      transfer: async ({ transRefNo }) => {
        await theatre.time.sleep(10_000);
        return theatre.code('IC000', { transRefNo });
      },
    }));
    await one.theatre.run(one.batchId, { hours, waitMs: 9 * hourMs });
    return one;
  };

  test.each([
    ['in the evening', day, at('2026-11-21T22:29:10'), at('2026-11-21T22:30'), at('2026-11-22T06:00')],
    [
      'in the morning',
      nearlyAlways,
      at('2026-11-22T05:59:10'),
      at('2026-11-22T06:00'),
      at('2026-11-22T08:00'),
    ],
  ])(
    '%s is sent nothing after the close, and the rest when it opens',
    async (_name, hours, startMs, closeMs, openMs) => {
      await using one = await slowRun(hours, startMs);
      const { theatre, batchId } = one;
      expect(await theatre.statuses(batchId)).toEqual({ paid: 10 });
      const after = theatre.sent.filter(({ atMs }) => atMs >= closeMs - 30_000);
      expect(after.every(({ atMs }) => atMs >= openMs)).toBe(true);
      expect(after.length).toBeGreaterThan(3);
      expect(theatre.sent.length - after.length).toBeGreaterThan(3);
    },
  );

  test('sends no bytes of an attempt that waited past the close on its way out', async () => {
    await using one = await stageAt(at('2026-11-21T22:29:20'), 2);
    const { theatre, batchId } = one;
    const { bank } = theatre;
    const checkPayee: typeof bank.checkPayee = (check) => bank.checkPayee(check);
    const slowToLeave: typeof bank = {
      checkPayee,
      inquire: (inquiry) => bank.inquire(inquiry),
      transfer: async (order, mayTransmit) => {
        await theatre.time.sleep(60_000);
        return bank.transfer(order, mayTransmit);
      },
    };
    await theatre.run(batchId, { hours: day, waitMs: minuteMs, bank: slowToLeave });
    expect([theatre.sent.length, await theatre.statuses(batchId)]).toEqual([0, { held: 2 }]);
    theatre.time.jump(8 * hourMs);
    await theatre.run(batchId, { hours: day });
    expect([theatre.sent.length, await theatre.statuses(batchId)]).toEqual([2, { paid: 2 }]);
  });
});

describe('a bank that says that it is closed during its service hours', () => {
  const closedUntil =
    (untilMs: number) =>
    (theatre: Theatre): Script => ({
      transfer: () => (theatre.now() < untilMs ? theatre.code('TM001') : undefined),
    });
  const options = { limits: { batchMaxAgeHours: 0, similarDays: 0 }, transferConcurrency: 1 };

  test('is left alone until it opens, and all is paid by a run that waits', async () => {
    const noon: ServiceHours = { openMinute: 12 * 60, closeMinute: 11 * 60 + 59 };
    await using one = await stageAt(at('2026-11-21T11:30'), 3, closedUntil(at('2026-11-21T12:00')));
    const { theatre, batchId } = one;
    await theatre.run(batchId, { ...options, hours: noon, waitMs: hourMs });
    expect(await theatre.statuses(batchId)).toEqual({ paid: 3 });
    expect(theatre.sent.map(({ atMs }) => atMs)).toEqual([
      at('2026-11-21T11:30'),
      ...Array.from({ length: 3 }, () => at('2026-11-21T12:00')),
    ]);
  });

  test('costs one attempt an opening, however often the file is run anew, and all is paid when it opens', async () => {
    await using one = await stageAt(at('2026-11-21T10:00'), 3, closedUntil(at('2026-11-23T06:00')));
    const { theatre, batchId } = one;
    while (theatre.now() < at('2026-11-23T08:00')) {
      await theatre.run(batchId, { ...options, hours: day, waitMs: minuteMs });
      theatre.time.jump(2 * hourMs);
    }
    expect(await theatre.statuses(batchId)).toEqual({ paid: 3 });
    expect(theatre.sent).toHaveLength(2 + 3);
  });

  test('is not asked to pay before it opens by its own clock', async () => {
    await using one = await stageAt(at('2026-11-21T23:00'), 2, (theatre) => ({
      check: () => ({ ...theatre.checked('IC001'), bankDateMs: theatre.now() - 2 * minuteMs }),
    }));
    const { theatre, batchId } = one;
    const bankClock = new BankClock(theatre.time);
    bankClock.see({ bankDateMs: theatre.now() - 2 * minuteMs });
    await theatre.run(batchId, { hours: day, bankClock, waitMs: 8 * hourMs });
    expect(await theatre.statuses(batchId)).toEqual({ paid: 2 });
    expect(theatre.sent[0]?.atMs).toBe(at('2026-11-22T06:02'));
  });
});
