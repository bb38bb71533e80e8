/** What a benchmark pays with, and how fast it did: settings, payout files, and a folder that goes when the benchmark ends. */
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { stringify } from 'yaml';

/** The partner, as the sandbox bank and the programs know it. */
export const partner = {
  clientId: 'bench-app',
  clientSecret: 'bench-secret-of-no-value',
  channelId: 'PAYDROP',
  termId: 'TERM0001',
  companyId: 'COMP000001',
  payerAccount: '0000345924',
};

export interface Lanes {
  /** Payee checks at once. */
  readonly checks: number;
  /** Transfers at once. */
  readonly transfers: number;
}

/** A folder on a real disk, removed in the end. */
export async function openFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'paydrop-bench-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** Settings of a bank that keeps every rule and plays no trick. */
export async function writeBankSettings(folder: string): Promise<string> {
  const path = join(folder, 'bank.yaml');
  await writeFile(path, stringify({ bank: { baseUrl: 'sandbox', ...partner }, sandbox: {} }));
  return path;
}

/**
 * paydrop's settings. Nothing of its care is switched off; no brake can act, since every row is paid.
 * @param more sections beside these
 */
export async function writePaydropSettings(
  folder: string,
  baseUrl: string,
  { checks, transfers }: Lanes,
  more: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const path = join(folder, 'paydrop.yaml');
  const settings = {
    dataDir: './data',
    bank: { baseUrl, ...partner },
    verify: { enabled: checks > 0, ...(checks > 0 ? { concurrency: checks } : {}) },
    transfer: { concurrency: transfers },
    brake: { inDoubtMax: 1_000_000 },
    ...more,
  };
  // An address of a journal in PostgreSQL bears a password.
  await writeFile(path, stringify(settings), { mode: 0o600 });
  return path;
}

/** When each payout was settled as paid, in epoch milliseconds, by the journal in SQLite. */
export function readSettledMs(folder: string): readonly number[] {
  using journal = new DatabaseSync(join(folder, 'data', 'journal.db'), { readOnly: true });
  const rows = journal.prepare(`select settled_at_ms as atMs from payout where status = 'paid'`).all();
  return rows.map(({ atMs }) => Number(atMs));
}

/** Payouts a second between two shares of the outcomes. @param settledMs when each was settled */
export function computePerSecond(settledMs: readonly number[], fromShare: number, toShare: number): number {
  const inOrder = settledMs.toSorted((one, other) => one - other);
  const first = Math.floor((inOrder.length - 1) * fromShare);
  const last = Math.floor((inOrder.length - 1) * toShare);
  const elapsedMs = (inOrder[last] ?? NaN) - (inOrder[first] ?? NaN);
  return ((last - first) / elapsedMs) * 1_000;
}

/** The plain script's settings. */
export async function writePlainSettings(
  folder: string,
  baseUrl: string,
  rowsAtOnce: number,
): Promise<string> {
  const path = join(folder, 'plain.json');
  await writeFile(path, JSON.stringify({ baseUrl, ...partner, rowsAtOnce }));
  return path;
}

const firstNames = ['Somchai', 'Malee', 'Anan', 'Kanya', 'Prasert', 'Siriporn', 'Niran', 'Pimjai'];
const lastNames = ['Jaidee', 'Srisuk', 'Thongdee', 'Rungruang', 'Boonmee', 'Chaiyo', 'Wongsa'];

/** One row in five goes without a name, as in files of partners who do not send any. */
function formatRow(mark: string, place: number): string {
  const mobile = `08${String((place * 7_919) % 100_000_000).padStart(8, '0')}`;
  const name = `${firstNames[place % firstNames.length]} ${lastNames[place % lastNames.length]}`;
  const amount = `${100 + (place % 5_000)}.${String(place % 100).padStart(2, '0')}`;
  const payoutId = `${mark}-${String(place).padStart(8, '0')}`;
  return `${payoutId},MSISDN,${mobile},${place % 5 === 0 ? '' : name},${amount},INV${place},\n`;
}

const stretchRows = 1_000;

/** Writes a file of clean rows, every one of which the bank will pay. @param mark begins each payoutId */
export async function writePayouts(path: string, rows: number, mark: string): Promise<void> {
  await using file = await open(path, 'w');
  await file.write('payoutId,proxyType,proxyNo,payeeName,amount,reference1,reference2\n');
  for (let from = 0; from < rows; from += stretchRows) {
    const places = Array.from({ length: Math.min(stretchRows, rows - from) }, (_, index) => from + index);
    await file.write(places.map((place) => formatRow(mark, place)).join(''));
  }
}
