/**
 * A company at the end of a month: a bank that outlives the walk, the watcher that pays and serves the page, four people,
 * and last month's salaries, paid and reconciled.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { dayMs, formatBangkokDate } from '../../src/core/bangkok-time.ts';
import { formatBaht, parseBaht, toSatang } from '../../src/core/money.ts';
import { openJournal } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { openScene, type Scene, until } from '../end-to-end/harness.ts';
import { partner } from '../support/core-fixtures.ts';
import { Users } from '../support/persons.ts';
import { type Browsers, openBrowsers } from './browsers.ts';

// ---------------------------------------------------------------- files

const header = 'payoutId,proxyType,proxyNo,payeeName,amount,reference1,reference2';
const firstNames = ['Somchai', 'Malee', 'Anan', 'Kanya', 'Prasert', 'Siriporn', 'Niran', 'Pimjai', 'Wichai'];
const lastNames = ['Jaidee', 'Srisuk', 'Thongdee', 'Rungruang', 'Boonmee', 'Chaiyo', 'Wongsa', 'Saelim'];

export interface PayoutFile {
  readonly name: string;
  readonly csv: string;
  readonly ids: readonly string[];
  readonly proxyNos: readonly string[];
  readonly rows: number;
  /** In baht, as the page writes it. */
  readonly sum: string;
}

interface FilePlan {
  readonly name: string;
  readonly letters: string;
  readonly rows: number;
  /** First payee of the file: others follow. */
  readonly payee: number;
  /** In baht, such as '2346099.60'. */
  readonly sum: string;
}

/** In satang: each payee gets about the same each month, and the last one what makes up the sum. */
function spread(sum: bigint, rows: number, payee: number): bigint[] {
  const mean = sum / BigInt(rows);
  const amounts = Array.from({ length: rows - 1 }, (_, place) => {
    const no = payee + place;
    return (mean * BigInt(45 + ((no * 47) % 111))) / 100n + BigInt(no % 97);
  });
  const rest = sum - amounts.reduce((one, other) => one + other, 0n);
  if (rest <= 0n) throw new Error(`the last amount of ${rows} is ${rest}`);
  return [...amounts, rest];
}

export function planFile({ name, letters, rows, payee, sum }: FilePlan): PayoutFile {
  const total = parseBaht(sum);
  if (total === undefined) throw new Error(`${sum} is no amount`);
  const lines = spread(total, rows, payee).map((satang, place) => {
    const no = payee + place;
    const id = `${letters}-${String(place + 1).padStart(4, '0')}`;
    const person = `${firstNames[no % firstNames.length]} ${lastNames[no % lastNames.length]}`;
    const proxyNo = `08${String(10_000_000 + no)}`;
    return { id, proxyNo, cells: [id, 'MSISDN', proxyNo, person, formatBaht(toSatang(satang)), id, ''] };
  });
  return {
    name,
    csv: `${[header, ...lines.map(({ cells }) => cells.join(','))].join('\n')}\n`,
    ids: lines.map(({ id }) => id),
    proxyNos: lines.map(({ proxyNo }) => proxyNo),
    rows,
    sum: sum.replaceAll(/\B(?=(\d{3})+(?!\d))/g, (comma, _digits, place: number) =>
      place < sum.indexOf('.') ? `${comma},` : comma,
    ),
  };
}

/** Some of last month's payees have gone, others are new. */
const october = planFile({
  name: 'salary-october.csv',
  letters: 'SALO',
  rows: 145,
  payee: 2_000,
  sum: '2281950.00',
});
export const salaries = planFile({
  name: 'salary-november.csv',
  letters: 'SAL',
  rows: 149,
  payee: 2_003,
  sum: '2346099.60',
});
export const pettyCash = planFile({
  name: 'petty-cash.csv',
  letters: 'PET',
  rows: 33,
  payee: 3_000,
  sum: '469459.39',
});
export const vendors = planFile({
  name: 'vendors-november.csv',
  letters: 'VEN',
  rows: 40,
  payee: 4_000,
  sum: '1250374.77',
});
export const commission = planFile({
  name: 'commission-november.csv',
  letters: 'COM',
  rows: 27,
  payee: 5_000,
  sum: '110802.83',
});
export const rebates = planFile({
  name: 'rebates-november.csv',
  letters: 'REB',
  rows: 300,
  payee: 6_000,
  sum: '412345.50',
});

// ---------------------------------------------------------------- the office

export interface Office extends Browsers, AsyncDisposable {
  readonly scene: Scene;
  readonly store: Store;
  /** Waits until so many payouts of a file are so. */
  untilOf(file: PayoutFile, status: string, count?: number): Promise<void>;
  countOf(file: PayoutFile, status: string): Promise<number>;
  seqOf(payoutId: string): Promise<number>;
  /** The Bangkok day of the scene, YYYYMMDD. */
  day(): string;
}

/** A port that nobody uses. */
async function findPort(): Promise<number> {
  const server = createServer().listen(0, 'localhost');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}

async function addPeople(users: Users): Promise<void> {
  await users.add('mali', 'admin', null);
  const mali = await users.find('mali');
  await users.add('boon', 'maker', mali);
  for (const name of ['nok', 'anan']) await users.add(name, 'checker', mali);
}

/** Two people approve what pays more than this. */
const approvalBaht = '1500000';

/** Pays last month's salaries, a month ago, before there were people. */
async function payOctober(scene: Scene): Promise<void> {
  const { clocks } = scene;
  clocks.pass(-30 * dayMs);
  const file = await scene.addFile(october.name, october.csv);
  const expectEnd = async (...args: string[]): Promise<void> => {
    const { code, stdout, stderr } = await scene.run(...args);
    if (code !== 0) throw new Error(`${args[0]} ended with ${code}: ${stdout}${stderr}`);
  };
  await expectEnd('init');
  await expectEnd('run', file);
  const date = formatBangkokDate(clocks.readMs()).replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3');
  clocks.pass(dayMs);
  await expectEnd('reconcile', '--date', date);
  clocks.pass(29 * dayMs);
}

/** Changes what stands in a file of settings. */
async function configure({ configPath }: Scene, changes: object): Promise<void> {
  const settings = parse(await readFile(configPath, 'utf8')) as object;
  await writeFile(configPath, stringify({ ...settings, ...changes }));
}

export async function openOffice(): Promise<Office> {
  await using stack = new AsyncDisposableStack();
  const scene = stack.use(
    await openScene({
      sandbox: { control: true, statement: { today: true }, latencyMs: 5 },
      transfer: { concurrency: 2 },
      brake: { inDoubtMax: 5 },
      watch: { stillMs: 50, rescanMs: 200 },
    }),
  );
  await payOctober(scene);
  const { bank, clocks, dataDir } = scene;
  const stamp = {
    bankAddress: bank.baseUrl,
    companyId: partner.companyId,
    isSandbox: false,
    serverKind: 'sandbox',
  } as const;
  const store = stack.use(await openJournal({ dataDir, stamp, access: 'beside' }));
  const users = new Users(store);
  users.clock.now = () => clocks.readMs();
  users.clock.sleep = async () => {};
  await addPeople(users);
  const listen = `localhost:${await findPort()}`;
  await configure(scene, {
    review: { listen },
    approval: { when: 'above', baht: approvalBaht, people: 2 },
  });
  scene.start('watch');
  const origin = `http://${listen}`;
  await until(async () =>
    fetch(`${origin}/sign-in`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  const browsers = stack.use(await openBrowsers(origin));
  const rowOf = async (payoutId: string) => (await store.findPayouts(payoutId))[0]?.row;
  const countOf = async ({ ids }: PayoutFile, status: string): Promise<number> => {
    const rows = await Promise.all(ids.map(rowOf));
    return rows.filter((row) => row?.status === status).length;
  };
  const owned = stack.move();
  return {
    ...browsers,
    scene,
    store,
    countOf,
    untilOf: async (file, status, count = file.rows) =>
      until(async () => (await countOf(file, status)) >= count),
    seqOf: async (payoutId) => (await rowOf(payoutId))?.seq ?? 0,
    day: () => formatBangkokDate(clocks.readMs()),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Where the page keeps a picture of each step, to be looked at; undefined: none is taken. */
const pictures = process.env['PAYDROP_WALK_PICTURES'];

export const picturePath = (name: string): string | undefined =>
  pictures === undefined || pictures === '' ? undefined : join(pictures, `${name}.png`);
