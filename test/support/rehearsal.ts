/** One file paid in this process: real settings, journal, files and HTTP, against a sandbox bank that lives as long as the rehearsal. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { initJournal } from '../../src/app/init.ts';
import { requireJournal } from '../../src/app/open-store.ts';
import { type FileOutcome, runFile } from '../../src/app/run-file.ts';
import { openSession, type Session } from '../../src/app/session.ts';
import { openProgress } from '../../src/cli/views/progress.ts';
import type { Clock } from '../../src/core/ports.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { silentLogger } from '../../src/platform/log.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts';
import { parseSandboxTable } from '../../src/sandbox/table.ts';
import { type LoadedSettings, loadSettings } from '../../src/settings/settings.ts';
import type { Journal } from '../../src/store/store.ts';
import { noonMs, partner } from './core-fixtures.ts';
import { type Line, readTables } from './tables.ts';

/** The machine's pace, but always around noon in Bangkok: rules about midnight do not depend on when tests run. */
function makeNoonClock(): Clock {
  const offsetMs = noonMs - Date.now();
  return { ...systemClock, now: () => Date.now() + offsetMs };
}

export type { Line as ResultLine };

export interface Rehearsal extends AsyncDisposable {
  readonly dataDir: string;
  readonly bank: Sandbox;
  /** Runs the file with this content; the same name again replaces it. */
  run(
    csv: string,
    options?: { name?: string; waitMs?: number; interrupted?: AbortSignal },
  ): Promise<Rehearsed>;
  /** Changes the settings, as a person would between two runs. */
  correct(changes: RehearsalSettings): Promise<void>;
  /** Opens the journal beside whoever is sending. */
  beside<T>(use: (opened: { journal: Journal }) => Promise<T>): Promise<T>;
  /** Opens the sender for as long as the callback takes. */
  withSender<T>(use: (sender: Session) => Promise<T>): Promise<T>;
}

export interface Rehearsed {
  readonly outcome: FileOutcome;
  readonly exitCode: number | undefined;
  /** Rows of the first result, then of each update, as the files have them. */
  readonly results: readonly Line[];
  readonly exceptions: readonly Line[];
  readonly ledger: { count: number; amount: string };
}

/** Where something stays in doubt for good. */
export const soonGivenUp = { settle: { giveUpAfterMs: 1_000 } } as const;

export const header = 'payoutId,proxyType,proxyNo,payeeName,amount,reference1,reference2';

export interface RehearsalSettings {
  readonly sandbox?: object;
  readonly settle?: object;
  readonly brake?: object;
  readonly verify?: object;
  readonly transfer?: object;
  readonly bank?: object;
  readonly limits?: object;
}

function settingsText({ bank, brake, verify, transfer, limits }: RehearsalSettings, baseUrl: string): string {
  return stringify({
    dataDir: './data',
    bank: { baseUrl, ...partner, ...bank, timeoutMs: undefined },
    brake: { consecutiveFailures: 1_000, window: 1_000, inDoubtMax: 1_000, ...brake },
    ...(verify === undefined ? {} : { verify }),
    // What a young journal asks before it pays has tests of its own (ask-first.test.ts).
    transfer: { askFirst: 'never', ...transfer },
    // The files of the tests pay a few payees the same again and again.
    limits: { similarDays: 0, likeFileDays: 0, ...limits },
  });
}

/** A rehearsal waits for nothing as long as a real run has to: no settings file may say so. */
function hurry(loaded: LoadedSettings, { bank, settle }: RehearsalSettings): LoadedSettings {
  const { settings } = loaded;
  // No reply is lost, and nothing is given up, because the machine is busy.
  const { timeoutMs } = { timeoutMs: 10_000, ...bank };
  const short = { firstDelayMs: 20, maxDelayMs: 100, notFoundTrustMs: 150, giveUpAfterMs: 60_000 };
  return {
    ...loaded,
    settings: {
      ...settings,
      bank: { ...settings.bank, timeoutMs },
      settle: { ...settings.settle, ...short, ...settle },
    },
  };
}

/** A folder of its own with settings, removed at the end. */
export async function makeRehearsal(changes: RehearsalSettings = {}): Promise<Rehearsal> {
  const folder = await mkdtemp(join(tmpdir(), 'paydrop-rehearsal-'));
  const configPath = join(folder, 'paydrop.yaml');
  const clock = makeNoonClock();
  const sandbox = await startSandbox({
    ...parseSandboxTable(changes.sandbox ?? {}),
    ...partner,
    payerAccounts: [partner.payerAccount],
    now: () => clock.now(),
  });
  await writeFile(configPath, settingsText(changes, sandbox.baseUrl));
  const load = (asked: RehearsalSettings): LoadedSettings =>
    hurry(loadSettings({ configPath, cwd: folder, env: {} }), asked);
  let loaded = load(changes);
  await mkdir(join(folder, 'in'));
  const withSender = async <T>(use: (sender: Session) => Promise<T>): Promise<T> => {
    // Who is no sandbox, or does not say so, gets its journal from init alone.
    const isOwnBank = loaded.settings.bank.baseUrl === sandbox.baseUrl;
    if (!isOwnBank && !existsSync(join(loaded.dataDir, 'journal.db'))) await initJournal(loaded, []);
    await using sender = await openSession(loaded, silentLogger, 'test', { clock });
    return await use(sender);
  };
  return {
    dataDir: loaded.dataDir,
    bank: sandbox,
    withSender,
    correct: async (corrected) => {
      await writeFile(configPath, settingsText(corrected, sandbox.baseUrl));
      loaded = load(corrected);
    },
    beside: async (use) => {
      await using journal = await requireJournal(loaded);
      return await use({ journal });
    },
    run: (csv, { name = 'payouts.csv', waitMs = 60_000, interrupted = new AbortController().signal } = {}) =>
      withSender(async (sender) => {
        const path = join(folder, 'in', name);
        await writeFile(path, csv);
        const progress = await openProgress();
        const outcome = await runFile(sender, path, { waitMs, exceptionsOk: false, interrupted, progress });
        const outbox = loaded.folders.outbox;
        return {
          outcome,
          exitCode: outcome.kind === 'rested' ? outcome.reports.summary.exitCode : undefined,
          results: await readTables(outbox, /\.result(-update-\d+)?\.csv$/),
          exceptions: await readTables(outbox, /\.exceptions\.csv$/),
          ledger: sandbox.ledger().totals,
        };
      }),
    [Symbol.asyncDispose]: async () => {
      await sandbox.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A file of one row for each amount, paid to an invented payee. */
export function rowsOf(amounts: readonly string[], prefix = 'P'): string {
  const rows = amounts.map((amount, index) => `${prefix}${index + 1},MSISDN,0812345678,,${amount},,`);
  return `${[header, ...rows].join('\n')}\n`;
}
