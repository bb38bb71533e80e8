/**
 * A company at the end of a month: a bank that outlives the walk, the watcher that pays and serves the page, four people,
 * and last month's salaries, paid and reconciled.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { parse, stringify } from 'yaml';
import { dayMs, formatBangkokDate } from '../../src/core/bangkok-time.ts';
import { showBaht } from '../../src/core/figures.ts';
import { formatBaht, parseBaht, toSatang } from '../../src/core/money.ts';
import type { ResultRow } from '../../src/core/ports.ts';
import { openJournal } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { dayOf, passTo } from '../end-to-end/as-bank.ts';
import { openScene, type Scene, until } from '../end-to-end/harness.ts';
import { partner } from '../support/core-fixtures.ts';
import { Users } from '../support/persons.ts';
import { type Browsers, openBrowsers } from './browsers.ts';
import { findFreePort } from '../support/free-port.ts';

// ---------------------------------------------------------------- files

const header = 'payoutId,proxyType,proxyNo,payeeName,amount,reference1,reference2';
const firstNames = ['Somchai', 'Malee', 'Anan', 'Kanya', 'Prasert', 'Siriporn', 'Niran', 'Pimjai', 'Wichai'];
const lastNames = ['Jaidee', 'Srisuk', 'Thongdee', 'Rungruang', 'Boonmee', 'Chaiyo', 'Wongsa', 'Saelim'];

export interface PayoutFile {
  readonly name: string;
  readonly csv: string;
  readonly ids: readonly string[];
  readonly proxyNos: readonly string[];
  /** In satang, by payout id. */
  readonly amounts: ReadonlyMap<string, bigint>;
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
    return (mean * BigInt(45 + ((no * 47) % 111))) / 100n - BigInt(no % 97);
  });
  const rest = sum - amounts.reduce((one, other) => one + other, 0n);
  if (rest <= 0n) throw new Error(`the last amount of ${rows} is ${rest}`);
  return [...amounts, rest];
}

function planFile({ name, letters, rows, payee, sum }: FilePlan): PayoutFile {
  const total = parseBaht(sum);
  if (total === undefined) throw new Error(`${sum} is no amount`);
  const lines = spread(total, rows, payee).map((satang, place) => {
    const no = payee + place;
    const id = `${letters}-${String(place + 1).padStart(4, '0')}`;
    const person = `${firstNames[no % firstNames.length]} ${lastNames[no % lastNames.length]}`;
    const proxyNo = `08${String(10_000_000 + no)}`;
    return {
      id,
      proxyNo,
      satang,
      cells: [id, 'MSISDN', proxyNo, person, formatBaht(toSatang(satang)), id, ''],
    };
  });
  return {
    name,
    csv: `${[header, ...lines.map(({ cells }) => cells.join(','))].join('\n')}\n`,
    ids: lines.map(({ id }) => id),
    proxyNos: lines.map(({ proxyNo }) => proxyNo),
    amounts: new Map(lines.map(({ id, satang }) => [id, satang])),
    rows,
    sum: showBaht(total),
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
export const bonus = planFile({
  name: 'bonus-november.csv',
  letters: 'BON',
  rows: 20,
  payee: 2_010,
  sum: '1812000.00',
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
/** Rebates of two regions: together a list of 2,723 rows. */
export const rebates = [
  planFile({ name: 'rebates-north.csv', letters: 'RBN', rows: 545, payee: 6_000, sum: '212345.50' }),
  planFile({ name: 'rebates-south.csv', letters: 'RBS', rows: 2_178, payee: 7_000, sum: '848210.75' }),
] as const;

// ---------------------------------------------------------------- the office

export interface Office extends Browsers, AsyncDisposable {
  readonly scene: Scene;
  readonly store: Store;
  /** Company and account that pay. */
  readonly account: readonly [companyId: string, payerAccount: string];
  /** Waits until so many payouts of a file are so. */
  untilOf(file: PayoutFile, status: string, count?: number): Promise<void>;
  countOf(file: PayoutFile, status: string): Promise<number>;
  /** The payouts of a file that wait to be sent. */
  unsentOf(file: PayoutFile): Promise<readonly string[]>;
  /** The batch of a file, once it is taken in. */
  batchOf(file: PayoutFile): Promise<string>;
  /** Changes what the bank does. */
  control(command: object): Promise<void>;
  /** The Bangkok day of the scene, YYYYMMDD, so many days from today. */
  day(days: number): string;
  /** Lets time pass until a time of tomorrow, HH:mm in Bangkok. */
  passTo(time: string): void;
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

/** Limit in ms that ends a test which hangs; no measure of speed. */
const waitMs = 480_000;

/** Reads how the rows of a file stand. */
function watchFiles(store: Store): Pick<Office, 'countOf' | 'untilOf' | 'unsentOf' | 'batchOf'> {
  const find = async ({ name }: PayoutFile) =>
    (await store.batches()).find(({ fileName }) => fileName === name)?.batchId;
  /** The rows of a file; none before the file is taken in. */
  const rowsOf = async (file: PayoutFile): Promise<readonly ResultRow[]> => {
    const batchId = await find(file);
    if (batchId === undefined) return [];
    await using snapshot = await store.snapshot();
    return (await Array.fromAsync(snapshot.resultRows(batchId))).flat();
  };
  const countOf = async (file: PayoutFile, status: string): Promise<number> =>
    (await rowsOf(file)).filter((row) => row.status === status).length;
  /** In words. */
  const describe = async (file: PayoutFile): Promise<string> => {
    const words = (await rowsOf(file)).map((row) => `${row.status} ${row.holds.join()} ${row.reasonCode}`);
    return [...Map.groupBy(words, (one) => one)].map(([one, all]) => `${all.length} × ${one}`).join('; ');
  };
  return {
    countOf,
    untilOf: async (file, status, count = file.rows) => {
      try {
        await until(async () => (await countOf(file, status)) >= count, waitMs);
      } catch (cause) {
        throw new Error(`${file.name} is not ${status}: ${await describe(file)}`, { cause });
      }
    },
    unsentOf: async (file) =>
      (await rowsOf(file)).flatMap((row) =>
        ['ready', 'held'].includes(row.status) ? [row.cells.payoutId] : [],
      ),
    batchOf: async (file) => {
      await until(async () => (await find(file)) !== undefined);
      return (await find(file)) ?? '';
    },
  };
}

export async function openOffice(): Promise<Office> {
  await using stack = new AsyncDisposableStack();
  const scene = stack.use(
    await openScene({
      sandbox: { control: true, statement: { today: true }, latencyMs: 5 },
      transfer: { concurrency: 2 },
      settle: { firstDelayMs: 2_000, maxDelayMs: 3_600_000, giveUpAfterMs: 172_800_000 },
      brake: { inDoubtMax: 5, window: 100_000, consecutiveFailures: 10_000 },
      // A file waits for an hour for what is in doubt: its account alone is halted meanwhile.
      watch: { stillMs: 50, rescanMs: 200, waitMs: 3_600_000 },
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
  const listen = `localhost:${await findFreePort('localhost')}`;
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
  const owned = stack.move();
  return {
    ...browsers,
    scene,
    store,
    account: [partner.companyId, partner.payerAccount],
    ...watchFiles(store),
    control: bank.control,
    day: (days) => dayOf(scene, days),
    passTo: (time) => passTo(scene, time),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
