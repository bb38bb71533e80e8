/** Shells and the page decide on the same rows, beside a watcher that sends what they let go on. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { openDecisions } from '../../src/app/decide/open.ts';
import { loadSettings } from '../../src/settings/settings.ts';
import { openScene, type Scene, until } from '../end-to-end/harness.ts';
import { addPeople } from '../end-to-end/scene-people.ts';
import { Browser } from '../support/browser.ts';
import { Dice } from '../support/dice.ts';
import { passwordOf } from '../support/persons.ts';
import { decideOnPage, type PageReport } from './decide-page.ts';
import { judgeDecisions, type Verdict } from './decide-verdict.ts';
import type { WorkerReport, WorkerTask } from './decide-worker.ts';

export interface SiegeOptions {
  /** One for each item, over all shells; the page's come on top. */
  readonly decisions: number;
  readonly shells: number;
  readonly rows: number;
  readonly rowsPerFile: number;
  readonly seed: number;
  readonly waitMs: number;
}

export interface Besieged {
  readonly verdict: Verdict;
  readonly shells: readonly WorkerReport[];
  readonly page: PageReport;
  readonly workedMs: number;
}

const header = 'payoutId,proxyType,proxyNo,payeeName,amount,reference1,reference2';

/** Each over the limit, so that it waits for people; some of them the bank refuses. */
function composeFile(first: number, rows: number, dice: Dice): string {
  const lines = Array.from({ length: rows }, (_, place) => {
    const no = first + place;
    const satang = dice.chance(0.3) ? '07' : String(10 + (no % 80));
    return `D${no},MSISDN,08${10_000_000 + no},,${200 + (no % 700)}.${satang},D${no},`;
  });
  return `${[header, ...lines].join('\n')}\n`;
}

/** Amounts of seven satang are refused, three times each: more in a row would be what the brake is for. */
const behaviours = Array.from({ length: 700 }, (_, place) => ({
  match: { amount: `${200 + place}.07` },
  money: 'untouched',
  code: 'EV042',
  times: 3,
}));

async function dropFiles(scene: Scene, { rows, rowsPerFile, seed }: SiegeOptions): Promise<number> {
  const inbox = join(scene.dataDir, 'inbox');
  await mkdir(inbox, { recursive: true });
  let files = 0;
  for (let first = 1; first <= rows; first += rowsPerFile, files += 1) {
    const name = `d-${files}.csv`;
    await writeFile(
      join(inbox, `${name}.tmp`),
      composeFile(first, Math.min(rowsPerFile, rows - first + 1), new Dice(seed + files)),
    );
    await rename(join(inbox, `${name}.tmp`), join(inbox, name));
  }
  return files;
}

const workerPath = join(import.meta.dirname, 'decide-worker.ts');
const noonClockUrl = new URL('../end-to-end/noon-clock.ts', import.meta.url).href;

async function runWorker(scene: Scene, task: WorkerTask): Promise<WorkerReport> {
  const child = spawn(process.execPath, ['--import', noonClockUrl, workerPath, JSON.stringify(task)], {
    env: { ...process.env, PAYDROP_TEST_CLOCK_FILE: scene.clocks.pathOf('paydrop') },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  if (code !== 0) throw new Error(`a shell ended with ${String(code)}: ${said}`);
  return JSON.parse(said) as WorkerReport;
}

async function openPage(scene: Scene): Promise<string> {
  const page = scene.start('review', '--port', '0', '--json');
  const said = until(() => page.stdout.includes('\n'));
  const ended = page.ended.then(({ code, stderr }) => {
    throw new Error(`the page ended with ${String(code)}: ${stderr}`);
  });
  await Promise.race([said, ended]);
  ended.catch(() => undefined);
  return (JSON.parse(page.stdout.trim()) as { origin: string }).origin;
}

async function signIn(origin: string, name: string): Promise<Browser> {
  const browser = new Browser(origin);
  const { status } = await browser.signIn(name, passwordOf(name));
  if (status !== 200) throw new Error(`${name} cannot sign in: ${status}`);
  return browser;
}

const countStatus = async (scene: Scene, ...statuses: readonly string[]): Promise<number> => {
  // Batches, and beside them what stops paydrop or needs a person.
  const shown = JSON.parse((await scene.run('status', '--json')).stdout) as {
    readonly byStatus?: Readonly<Record<string, { readonly rows: number }>>;
  }[];
  return shown.reduce(
    (sum, { byStatus }) => sum + statuses.reduce((rows, status) => rows + (byStatus?.[status]?.rows ?? 0), 0),
    0,
  );
};

const statusPollMs = 500;

export async function besiegeDecisions(
  options: SiegeOptions,
  say: (line: string) => void,
): Promise<Besieged> {
  await using scene = await openScene({
    sandbox: { behaviours },
    verify: { enabled: false },
    transfer: { concurrency: 8, askFirst: 'never' },
    limits: { bahtPerPayout: 100, similarDays: 0, likeFileDays: 0 },
    bank: { timeoutMs: 60_000 },
    watch: { stillMs: 100 },
  });
  const watch = scene.start('watch');
  await dropFiles(scene, options);
  const { waitMs, rows, seed, decisions } = options;
  await until(async () => (await countStatus(scene, 'held')) === rows, waitMs, statusPollMs);
  say(`${rows} rows wait for people`);
  const tokens = await addPeople(scene);
  const origin = await openPage(scene);
  const [maker, checker] = [await signIn(origin, 'mali'), await signIn(origin, 'nok')];
  const startedMs = performance.now();
  let isOver = false;
  const pageWork = decideOnPage(maker, checker, new Dice(seed + 3), () => isOver);
  const items = Math.ceil(decisions / options.shells);
  const task = { configPath: scene.configPath, cwd: scene.folder, rows, items };
  const both = { tokens: [tokens.tokenOf('mali'), tokens.tokenOf('nok')] } as const;
  const shells = await Promise.all(
    Array.from({ length: options.shells }, (_, no) =>
      runWorker(scene, { ...task, ...both, seed: seed + no + 10 }),
    ),
  ).finally(() => (isOver = true));
  say(`the shells have ended after ${Math.round(performance.now() - startedMs)} ms`);
  const page = await pageWork;
  const workedMs = performance.now() - startedMs;
  await until(async () => (await countStatus(scene, 'ready', 'submitted')) === 0, waitMs, statusPollMs);
  watch.kill('SIGTERM');
  await watch.ended;
  // Whoever opens the journal for decisions next applies what others have left.
  const loaded = loadSettings({ configPath: scene.configPath, cwd: scene.folder, env: {} });
  await (await openDecisions(loaded))[Symbol.asyncDispose]();
  const told = shells.flatMap((shell) => shell.told);
  const verdict = judgeDecisions(join(scene.dataDir, 'journal.db'), await scene.bank.ledger(), told);
  return { verdict, shells, page, workedMs };
}
