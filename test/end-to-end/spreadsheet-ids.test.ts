/** The same file once a spreadsheet or a program has taken its payoutIds for numbers: nobody is paid again. */
import { expect, test } from 'vitest';
import { describePostgres, makeJournalDatabase } from '../support/postgres.ts';
import { findReports, openScene, readTable, type Scene } from './harness.ts';

/** Nothing but the payoutId tells that a row was paid before. */
const limits = { similarDays: 0, likeFileDays: 0 };

const toCsv = (rows: readonly (readonly [payoutId: string, payee: number])[]): string => {
  const lines = rows.map(
    ([payoutId, payee]) => `"${payoutId}",08100000${String(payee).padStart(2, '0')},${payee}00.00`,
  );
  return ['payoutId,proxyNo,amount', ...lines, ''].join('\n');
};

/** Of each row what it is called in the file that is paid first, and in the one that is handed in later. */
const sameIds = [
  ['1001', '1001.0'],
  ['1002', '1002.00'],
  ['1003', '1,003'],
  ['1004', '1,004.000000'],
  ['0001005', '1005.0'],
  ['1006.0', '1006'],
  ['1,007.00', '01007'],
  ['inv-8', 'INV 8'],
  ['12345678', '1.2345678E7'],
] as const;

const otherIds = [
  ['10010', '100100'],
  ['12E5', '1200000'],
  ['1e10', '10000000000'],
  ['1A.0', '1A'],
  ['INV-1001.0', 'INV-1001'],
] as const;

/** Runs a file of these rows; returns what became of each, by its payoutId. */
async function pay(scene: Scene, name: string, ids: readonly string[], firstPayee: number) {
  const rows = ids.map((payoutId, place) => [payoutId, firstPayee + place] as const);
  const ended = await scene.run('run', await scene.addFile(`${name}.csv`, toCsv(rows)));
  const [result = ''] = await findReports(scene.outbox, new RegExp(`^${name}\\..*\\.result\\.csv$`));
  const lines = await readTable(result);
  return {
    ended,
    statusOf: new Map(lines.map(({ payoutId, status, reasonCode }) => [payoutId, [status, reasonCode]])),
  };
}

const countPaid = async ({ bank }: Scene): Promise<number> => (await bank.ledger()).entries.length;

async function judge(url: string): Promise<void> {
  await using scene = await openScene({ limits, journal: { url } });
  const ids = [...sameIds, ...otherIds];
  const first = await pay(
    scene,
    'first',
    ids.map(([id]) => id),
    1,
  );
  expect(first.ended).toEndWith(0);
  expect(await countPaid(scene)).toBe(ids.length);
  // To other payees: what was paid before is told by the payoutId alone.
  const again = await pay(
    scene,
    'again',
    ids.map(([, id]) => id),
    51,
  );
  expect(again.ended).toEndWith(3);
  for (const [, id] of sameIds) expect([id, again.statusOf.get(id)]).toEqual([id, ['held', 'similar']]);
  for (const [, id] of otherIds) expect([id, again.statusOf.get(id)?.[0]]).toEqual([id, 'paid']);
  expect(await countPaid(scene)).toBe(ids.length + otherIds.length);
  // An exponent may stand for any of many: its row is never paid.
  const damaged = ['1.2E+07', '1.2e+07', '1e+16'];
  const lost = await pay(scene, 'lost', damaged, 31);
  for (const id of damaged)
    expect([id, lost.statusOf.get(id)]).toEqual([id, ['rejected', 'payout-id-damaged']]);
  // 1 or 1000.
  const either = await pay(scene, 'either', ['1.000'], 41);
  expect(either.statusOf.get('1.000')).toEqual(['rejected', 'payout-id-ambiguous']);
  expect(await countPaid(scene)).toBe(ids.length + otherIds.length);
  // Both are meant: a person lets one go on.
  expect(await scene.run('resume', '1001.0')).toEndWith(0);
  await scene.run('run', `${scene.folder}/in/again.csv`);
  expect(await countPaid(scene)).toBe(ids.length + otherIds.length + 1);
}

test('on SQLite', () => judge(''));

describePostgres('on PostgreSQL', () => {
  test('too', async () => {
    await using database = await makeJournalDatabase();
    await judge(database.url);
  });
});
