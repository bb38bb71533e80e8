import { expect, test } from 'vitest';
import { makePostgresEngine } from '../../../src/store/postgres/engine.ts';
import { readWorkRates, reserveRequestSlots } from '../../../src/store/postgres/bank-calls.ts';
import { describePostgres, makeJournalDatabase } from '../../support/postgres.ts';

const requestWindowMs = 5_000;

describePostgres('turns at the bank', () => {
  test('are reserved by several machines at once, and no two have the same', async () => {
    await using database = await makeJournalDatabase();
    await using one = makePostgresEngine(database.url);
    await using other = makePostgresEngine(database.url);
    const blocks = await Promise.all(
      Array.from({ length: 40 }, (_, at) =>
        reserveRequestSlots(at % 2 === 0 ? one : other, 1 + (at % 3), 12.5),
      ),
    );
    const moments = blocks
      .flatMap(({ firstMs, count, intervalMs }) =>
        Array.from({ length: count }, (_, place) => firstMs + place * intervalMs),
      )
      .toSorted((first, second) => first - second);
    for (const [place, atMs] of moments.entries())
      if (place > 0) expect(atMs - (moments[place - 1] ?? 0)).toBeGreaterThanOrEqual(12.49);
    // The clock is read once more for the answer.
    for (const { firstMs, nowMs } of blocks) expect(firstMs).toBeGreaterThan(nowMs - 1_000);
  });

  test('are counted, all that were taken within a window of time', async () => {
    await using database = await makeJournalDatabase();
    await using engine = makePostgresEngine(database.url);
    await using client = await database.connect();
    const read = async () => (await engine.read(readWorkRates)).requestsPerSecond;
    const pass = (ms: number) =>
      client.query(`update paydrop.request_slot set window_ms = window_ms - ${ms}`);
    expect(await read()).toBeNull();
    await reserveRequestSlots(engine, 30, 1);
    await reserveRequestSlots(engine, 20, 1);
    expect(await read()).toBe(0);
    await pass(requestWindowMs);
    expect(await read()).toBe(10);
    await reserveRequestSlots(engine, 5, 1);
    expect(await read()).toBe(10);
    await pass(requestWindowMs);
    expect(await read()).toBe(1);
    await pass(requestWindowMs);
    expect(await read()).toBeNull();
    await reserveRequestSlots(engine, 5, 1);
    expect(await read()).toBe(0);
  });
});
