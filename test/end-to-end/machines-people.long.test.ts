/** What people and the bank bring to a machine that does not send: files of registrations, callbacks, approvals. */
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { parse, stringify } from 'yaml';
import { requireJournal } from '../../src/app/open-store.ts';
import { awaitedStatuses } from '../../src/registration/rules/registration.ts';
import { loadSettings } from '../../src/settings/settings.ts';
import { describePostgres, makeJournalDatabase, type TestDatabase } from '../support/postgres.ts';
import { findPaidTwice } from './as-bank.ts';
import { findReports, type Line, type Program, readTable, type Scene, until } from './harness.ts';
import { findFreePort } from '../support/free-port.ts';
import { accountOf, expectedOf, openRegisterScene } from './register-scene.ts';
import { addPeopleTo } from './scene-people.ts';

let database: TestDatabase;
beforeEach(async () => {
  database = await makeJournalDatabase();
  vi.stubEnv('PAYDROP_JOURNAL_URL', database.url);
});
afterEach(() => database[Symbol.asyncDispose]());

interface Machine {
  readonly dataDir: string;
  run(...args: readonly string[]): ReturnType<Scene['run']>;
  start(...args: readonly string[]): Program;
  /** As somebody hands a file over: whole at once. */
  drop(folder: string, name: string, csv: string): Promise<void>;
}

/** A machine with settings and folders of its own. */
async function makeMachine(scene: Scene, name: string, changes: object): Promise<Machine> {
  const settings = parse(await readFile(scene.configPath, 'utf8')) as Record<string, object>;
  const changed = Object.entries(changes).map(([key, value]) => [key, { ...settings[key], ...value }]);
  const dataDir = join(scene.folder, name);
  const path = join(scene.folder, `${name}.yaml`);
  await writeFile(path, stringify({ ...settings, ...Object.fromEntries(changed), dataDir }));
  return {
    dataDir,
    run: (...args) => scene.runWith(path, ...args),
    start: (...args) => scene.startWith(path, ...args),
    drop: async (folder, file, csv) => {
      const inbox = join(dataDir, folder);
      await mkdir(inbox, { recursive: true });
      await writeFile(join(inbox, `${file}.part`), csv);
      await rename(join(inbox, `${file}.part`), join(inbox, file));
    },
  };
}

const list = (...folder: readonly string[]): Promise<string[]> =>
  readdir(join(...folder), { recursive: true }).catch(() => []);

const isAwaited = (status: string | undefined): boolean =>
  awaitedStatuses.some((awaited) => awaited === status);

const payouts = [1, 2, 3].map((no) => `P-${no},081000000${no},${no}00.25`);
const payoutsCsv = `payoutId,proxyNo,amount\n${payouts.join('\n')}\n`;
const numbers = Array.from({ length: 12 }, (_, index) => index + 1);
const registrations = numbers.map((rowNo) => `R-${rowNo},C-${rowNo},${accountOf(rowNo)}`);
const registrationsCsv = `registrationId,customerId,accountNo\n${registrations.join('\n')}\n`;

/** Each with the status that the latest report says. */
async function readRegistrations(outbox: string): Promise<readonly Line[]> {
  const present: Line[] = [];
  for (const path of await findReports(outbox, /^reg\..*\.(?:result|result-update-\d+)\.csv$/))
    for (const line of await readTable(path)) present[Number(line['rowNo']) - 1] = line;
  return present;
}

async function makePeople(scene: Scene) {
  const loaded = loadSettings({ cwd: scene.folder, configPath: scene.configPath, env: process.env });
  await using store = await requireJournal({ ...loaded, serverKind: 'sandbox' });
  return await addPeopleTo(store, scene);
}

const approve = (machine: Machine, batchId: string) => machine.run('approve', '--batch', batchId);

describePostgres('a machine that helps', () => {
  test('takes registrations, callbacks and approvals, as does one without a watcher', async () => {
    const watch = { stillMs: 50, rescanMs: 200, probeMs: 200, graceMs: 10_000 };
    await using scene = await openRegisterScene({ watch });
    expect(await scene.run('init')).toEndWith(0);
    const become = await makePeople(scene);
    const approval = { when: 'always', people: 2 };
    const page = `127.0.0.1:${await findFreePort()}`;
    // The bank calls the port of the one that helps.
    const one = await makeMachine(scene, 'one', { approval, registration: { callbacks: { port: 0 } } });
    const two = await makeMachine(scene, 'two', { approval, review: { listen: page } });
    const three = await makeMachine(scene, 'three', { approval });
    const sender = one.start('watch');
    await until(() => sender.stdout.includes('working; drop files'));
    const helper = two.start('watch');
    await until(() => helper.stdout.includes('callbacks: '));
    const signIn = async (): Promise<number> => (await fetch(`http://${page}/sign-in`)).status;
    expect(await signIn()).toBe(200);

    await two.drop('inbox/registrations', 'reg.csv', registrationsCsv);
    await two.drop('inbox', 'pay.csv', payoutsCsv);
    let batchId = '';
    await until(async () => {
      const { stdout } = await three.run('status', '--json');
      batchId = /approve --batch ([0-9A-Z]{10})/.exec(stdout)?.[1] ?? '';
      return batchId !== '';
    });
    await become('mali');
    expect(await approve(three, batchId)).toEndWith(0);
    await become('nok');
    expect(await approve(two, batchId)).toEndWith(0);
    await until(
      async () => (await list(two.dataDir, 'archive')).filter((name) => name.endsWith('.csv')).length === 2,
    );

    const outbox = join(one.dataDir, 'outbox');
    await until(async () => (await scene.bank.ledger()).totals.count === payouts.length);
    await until(
      async () =>
        (await readRegistrations(outbox)).filter(({ status }) => !isAwaited(status)).length ===
        numbers.length,
    );
    for (const { rowNo, status } of await readRegistrations(outbox))
      expect([rowNo, status]).toEqual([rowNo, expectedOf(Number(rowNo))]);
    const ledger = await scene.bank.ledger();
    expect(findPaidTwice(ledger)).toEqual([]);
    expect(ledger.registrations).toMatchObject({ duplicatesRefused: 0, repeatedRequestUids: 0 });
    expect(ledger.registrations.entries).toHaveLength(numbers.length);

    sender.kill('SIGTERM');
    expect(await sender.ended).toEndWith(0);
    await until(() => helper.stdout.includes('taken over'));
    expect(await signIn()).toBe(200);
    helper.kill('SIGTERM');
    expect(await helper.ended).toEndWith(0);
  }, 60_000);
});
