/** Ask the bank now, from the page of a watcher, against a bank over HTTP: settles as `settle` does, and sends nothing. */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { openJournal } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { Browser } from '../support/browser.ts';
import { partner } from '../support/core-fixtures.ts';
import { passwordOf, Users } from '../support/persons.ts';
import { openScene, type Scene, type SceneSettings, until } from './harness.ts';
import { findFreePort } from '../support/free-port.ts';

const header = 'payoutId,proxyType,proxyNo,payeeName,amount,reference1,reference2';

/** The fate of each payout: the money moves and the answer is lost; fails a moment later; is in process for ever. */
const fates = {
  MOVED: { money: 'moves', reply: 'lost' },
  FAILED: { money: 'fails-later', afterMs: 1 },
  STUCK: { money: 'stuck' },
} as const;
type Id = keyof typeof fates;
const ids = Object.keys(fates) as Id[];
const behaviours = ids.map((id) => ({ match: { reference1: id }, ...fates[id] }));
const csv = `${[header, ...ids.map((id, place) => `${id},MSISDN,081000000${place + 1},Khun ${id},${place + 1}00.25,${id},`)].join('\n')}\n`;

/** Nothing is asked by itself for an hour. */
const patient: SceneSettings = {
  sandbox: { control: true, behaviours },
  settle: { firstDelayMs: 3_600_000, maxDelayMs: 7_200_000, giveUpAfterMs: 172_800_000 },
  watch: { stillMs: 50, rescanMs: 100, waitMs: 3_600_000 },
};

const openStore = (scene: Scene): Promise<Store> =>
  openJournal({
    dataDir: scene.dataDir,
    stamp: {
      bankAddress: scene.bank.baseUrl,
      companyId: partner.companyId,
      isSandbox: false,
      serverKind: 'sandbox',
    },
    access: 'beside',
  });

const rowOf = async (store: Store, id: Id) => {
  const [found] = await store.findPayouts(id);
  const history = found && (await store.history(found.row.seq));
  const attempt = history?.attempts.at(-1);
  if (history === undefined || attempt === undefined) return undefined;
  const { status, reasonCode, isAlarm } = history.row;
  const { lastFinding, sends, inquiries, status: sent } = attempt;
  return { seq: history.row.seq, sends, inquiries, sent, end: { status, reasonCode, isAlarm, lastFinding } };
};

interface Desk extends AsyncDisposable {
  readonly scene: Scene;
  readonly store: Store;
  readonly browser: Browser;
  drop(): Promise<void>;
  /** Asks from the page of a payout. */
  ask(id: Id): Promise<string>;
}

/** A watcher that serves the page to an admin. */
async function openDesk(settings: SceneSettings): Promise<Desk> {
  await using stack = new AsyncDisposableStack();
  const scene = stack.use(await openScene(settings));
  expect(await scene.run('init')).toEndWith(0);
  const store = stack.use(await openStore(scene));
  const users = new Users(store);
  users.clock.now = () => scene.clocks.readMs();
  await users.add('mali', 'admin', null);
  const listen = `localhost:${await findFreePort('localhost')}`;
  const config = parse(await readFile(scene.configPath, 'utf8')) as object;
  await writeFile(scene.configPath, stringify({ ...config, review: { listen } }));
  scene.start('watch');
  const origin = `http://${listen}`;
  await until(async () =>
    fetch(`${origin}/sign-in`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  const browser = new Browser(origin);
  await browser.signIn('mali', passwordOf('mali'));
  const inbox = join(scene.dataDir, 'inbox');
  const owned = stack.move();
  return {
    scene,
    store,
    browser,
    drop: async () => {
      await mkdir(inbox, { recursive: true });
      await writeFile(join(inbox, 'a.csv.tmp'), csv);
      await rename(join(inbox, 'a.csv.tmp'), join(inbox, 'a.csv'));
    },
    ask: async (id) => {
      const row = await rowOf(store, id);
      return (await browser.post(`/payout/${row?.seq}/ask`, { back: `/payout/${row?.seq}` })).text;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Waits until every row has left, and none of its requests is under way. */
const untilInDoubt = (store: Store) =>
  until(async () => {
    const rows = await Promise.all(ids.map(async (id) => rowOf(store, id)));
    return rows.every((row) => row?.end.status === 'submitted' && row.sent !== 'recorded');
  });

/** The transfers of each payout in the ledger of the bank. */
const transfersOf = async ({ bank }: Scene) =>
  (await bank.ledger()).entries.map(({ reference1, transRefNo }) => ({ reference1, transRefNo }));

test('settles each payout as paydrop settle does, and sends nothing', async () => {
  await using desk = await openDesk(patient);
  const { scene, store } = desk;
  await desk.drop();
  await untilInDoubt(store);
  const before = await transfersOf(scene);
  for (const id of ids) await desk.ask(id);
  const asked = Object.fromEntries(
    await Promise.all(ids.map(async (id) => [id, (await rowOf(store, id))?.end] as const)),
  );
  expect(asked).toMatchObject({
    MOVED: { status: 'paid' },
    FAILED: { status: 'failed' },
    STUCK: { status: 'submitted', lastFinding: 'in-process' },
  });
  const shown = await desk.browser.get(`/payout/${(await rowOf(store, 'STUCK'))?.seq}`);
  expect(shown.text.replaceAll(/\s+/g, ' ')).toMatch(/The bank was asked at .*in process/);
  // The ledger has the same transfers, each once; what moved is what is called paid.
  expect(await transfersOf(scene)).toEqual(before);
  expect(before.map(({ reference1 }) => reference1).toSorted()).toEqual(ids.toSorted());
  expect((await scene.bank.ledger()).totals.count).toBe(1);
  // The same by the shell, on a journal of its own.
  await using twin = await openScene(patient);
  const file = await twin.addFile('a.csv', csv);
  expect(await twin.run('run', file, '--wait', '1')).toEndWith(4);
  await twin.run('settle');
  await using own = await openStore(twin);
  expect(
    Object.fromEntries(await Promise.all(ids.map(async (id) => [id, (await rowOf(own, id))?.end] as const))),
  ).toEqual(asked);
});

test('a lost reply leaves it unknown, and the next question finds it', async () => {
  await using desk = await openDesk({ ...patient, bank: { timeoutMs: 3_000 } });
  const { scene, store } = desk;
  await desk.drop();
  await untilInDoubt(store);
  const before = await transfersOf(scene);
  await scene.bank.control({ behaviours: [{ endpoint: 'inquiry', match: {}, reply: 'lost' }] });
  await desk.ask('MOVED');
  const lost = await rowOf(store, 'MOVED');
  expect(lost).toMatchObject({ sends: 1, end: { status: 'submitted' } });
  await scene.bank.control({ behaviours: [] });
  expect(await transfersOf(scene)).toEqual(before);
  // Not within 30 seconds: the page does not ask the bank twice in a row.
  await desk.ask('MOVED');
  expect((await rowOf(store, 'MOVED'))?.end).toEqual(lost?.end);
  scene.clocks.pass(31_000);
  await desk.ask('MOVED');
  expect((await rowOf(store, 'MOVED'))?.end.status).toBe('paid');
  expect(await transfersOf(scene)).toEqual(before);
});

test('asks nothing about a payout whose request is under way', async () => {
  await using desk = await openDesk({ ...patient, sandbox: { control: true, behaviours, latencyMs: 4_000 } });
  const { scene, store } = desk;
  await desk.drop();
  await until(async () => (await rowOf(store, 'MOVED'))?.end.status === 'submitted');
  await desk.ask('MOVED');
  expect(await rowOf(store, 'MOVED')).toMatchObject({ inquiries: 0, end: { lastFinding: null } });
  await untilInDoubt(store);
  const entries = await transfersOf(scene);
  expect(entries.filter(({ reference1 }) => reference1 === 'MOVED')).toHaveLength(1);
});
