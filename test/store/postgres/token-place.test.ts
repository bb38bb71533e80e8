/** Where machines keep the token that they share: who renews it is told by the database alone. */
import { expect, test } from 'vitest';
import { makeBankClient } from '../../../src/bank/client.ts';
import { makePostgresEngine } from '../../../src/store/postgres/engine.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { makeTokenPlace } from '../../../src/store/postgres/bank-calls.ts';
import { clientOptions } from '../../support/fake-bank.ts';
import { describePostgres, makeJournalDatabase, openSqlBeside } from '../../support/postgres.ts';
import { clientId, clientSecret, openBank } from '../../support/sandbox-kit.ts';

const day = 86_400_000;
const check = { proxyType: 'MSISDN', proxyNo: '0812345678', proxyName: null } as const;

/** Two machines on one journal. */
async function openTwo() {
  await using stack = new AsyncDisposableStack();
  const { url } = stack.use(await makeJournalDatabase());
  const sql = stack.use(await openSqlBeside(url));
  const places = [0, 1].map(() => makeTokenPlace(stack.use(makePostgresEngine(url))));
  const owned = stack.move();
  return { sql, places, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

describePostgres('the place of a shared token', () => {
  test('lets one of many renew it, until it has, gives up or has had its time', async () => {
    await using two = await openTwo();
    const place = two.places[0]!;
    const claimAll = async (generation: number) =>
      (
        await Promise.all(
          Array.from({ length: 10 }, (_, at) => two.places[at % 2]!.claim('a', generation, day)),
        )
      ).filter((claimed) => claimed !== undefined);
    expect(await place.read('a', day)).toBe(undefined);
    const [first, ...others] = await claimAll(0);
    expect(others).toEqual([]);
    expect(await place.read('a', day)).toMatchObject({ generation: 0, sealed: '', isClaimed: true });
    await place.release('a', first! - 1);
    expect(await claimAll(0)).toEqual([]);
    await place.release('a', first!);
    const [second] = await claimAll(0);
    expect(await place.put('a', { generation: 1, sealed: 's1', sinceMs: second! - day })).toBe(true);
    expect(await place.put('a', { generation: 1, sealed: 's2', sinceMs: second! - day })).toBe(false);
    expect(await claimAll(0)).toEqual([]);
    const kept = await place.read('a', day);
    expect(kept).toMatchObject({ generation: 1, sealed: 's1', isClaimed: false });
    expect(kept?.ageMs).toBeLessThan(60_000);
    expect(await claimAll(1)).toHaveLength(1);
    await two.sql(`update shared_token set claimed_until_ms = claimed_until_ms - ${day}`);
    expect(await claimAll(1)).toHaveLength(1);
    expect(await place.read('b', day)).toBe(undefined);
  });

  test('is free again where the clock of the database was put back since it was claimed', async () => {
    await using two = await openTwo();
    const [place, other] = [two.places[0]!, two.places[1]!];
    expect(await place.claim('a', 0, 60_000)).toBeDefined();
    await two.sql('update shared_token set claimed_until_ms = claimed_until_ms + 30000');
    expect(await other.read('a', 60_000)).toMatchObject({ isClaimed: true });
    expect(await other.claim('a', 0, 60_000)).toBe(undefined);
    await two.sql(`update shared_token set claimed_until_ms = claimed_until_ms + ${day}`);
    expect(await other.read('a', 60_000)).toMatchObject({ isClaimed: false });
    expect(await other.claim('a', 0, 60_000)).toBeDefined();
    expect(await place.claim('a', 0, 60_000)).toBe(undefined);
  });

  test.each([
    ['shared: nobody’s ends', true],
    ['of each machine: each ends the other’s', false],
  ])('with a bank that ends the old, %s', async (_, isShared) => {
    await using two = await openTwo();
    const { sandbox } = await openBank({ newTokenEndsOld: true });
    const seen: string[] = [];
    const machines = two.places.map((place) =>
      makeBankClient(
        clientOptions(sandbox.baseUrl, {
          clientId,
          clientSecret,
          clock: systemClock,
          tokenPlace: isShared ? place : undefined,
          onExchange: ({ endpoint, httpStatus }) => void seen.push(`${endpoint} ${httpStatus}`),
        }),
      ),
    );
    for (let round = 0; round < 3; round += 1) {
      const asked = machines.flatMap((machine) => [machine, machine].map((one) => one.checkPayee(check)));
      await Promise.all(asked);
    }
    const tokens = seen.filter((line) => line.startsWith('token')).length;
    const refused = seen.filter((line) => line.endsWith(' 401')).length;
    if (isShared) expect([tokens, refused]).toEqual([1, 0]);
    else expect([tokens > 2, refused > 0]).toEqual([true, true]);
    const [row] = await two.sql('select generation, sealed from shared_token');
    expect(row?.['generation']).toBe(isShared ? '1' : undefined);
    for (const machine of machines) await machine[Symbol.asyncDispose]();
  });
});
