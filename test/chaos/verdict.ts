/** Whether every satang is accounted for: the file, the reports and the bank's own ledger are laid side by side. */
import { readdir, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { formatBaht, parseBaht, type Satang, sumSatang, zeroSatang } from '../../src/core/money.ts';
import type { Ledger, LedgerEntry } from '../../src/sandbox/book.ts';
import { findReports, type Line, readPresentResult, readTable, type Scene } from '../end-to-end/harness.ts';
import type { PlannedRow } from './plan.ts';

interface Summary {
  readonly rows: number;
  readonly amount: string;
  readonly exitCode: number;
  readonly addsUp: boolean;
  readonly inDoubt: number;
  readonly exceptions: number;
  readonly byStatus: Readonly<Record<string, { readonly rows: number; readonly amount: string }>>;
  readonly files: readonly { readonly kind: string; readonly name: string; readonly rows: number }[];
}

/** All that there is to judge by. */
export interface Evidence {
  readonly planned: readonly PlannedRow[];
  /** The result as it was first published. */
  readonly first: readonly Line[];
  /** The same, each row as the latest update has it. */
  readonly present: readonly Line[];
  readonly exceptions: readonly Line[];
  readonly summary: Summary;
  readonly ledger: Ledger;
  readonly exitCode: number | null;
  /**
   * The clocks have jumped: what was in doubt over midnight, or while a clock was wrong, may never be sent again. Such a
   * row may stay unresolved, as long as the bank has not paid it.
   */
  readonly hasJumped: boolean;
  /** Names of all files of outbox and data directory. */
  readonly names: readonly string[];
}

async function readOnly<T>(scene: Scene, pattern: RegExp, read: (path: string) => Promise<T>): Promise<T> {
  const paths = await findReports(scene.outbox, pattern);
  const [path] = paths;
  if (path === undefined || paths.length > 1)
    throw new Error(`the outbox has ${paths.length} files ${String(pattern)}: ${paths.join(', ')}`);
  return read(path);
}

/** Gathers the evidence of the only file that was ever run in the scene. @throws Error when a report is not there once */
export async function gatherEvidence(
  scene: Scene,
  planned: readonly PlannedRow[],
  exitCode: number | null,
  hasJumped = false,
): Promise<Evidence> {
  return {
    planned,
    exitCode,
    hasJumped,
    first: await readOnly(scene, /^[^.].*\.result\.csv$/, readTable),
    present: await readPresentResult(scene.outbox),
    exceptions: await readOnly(scene, /^[^.].*\.exceptions\.csv$/, readTable),
    summary: await readOnly(scene, /^[^.].*\.summary\.json$/, async (path) => {
      return JSON.parse(await readFile(path, 'utf8')) as Summary;
    }),
    ledger: await scene.bank.ledger(),
    names: [...(await readdir(scene.outbox)), ...(await readdir(scene.dataDir))],
  };
}

const inDoubt = ['submitted', 'unresolved'];
const isMoved = (entry: LedgerEntry): boolean => entry.movedAt !== null;

function countBy<T>(things: readonly T[], keyOf: (thing: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const thing of things) counts.set(keyOf(thing), (counts.get(keyOf(thing)) ?? 0) + 1);
  return counts;
}

const amountOf = (line: Line): Satang => parseBaht(line['amount'] ?? '') ?? zeroSatang;

/** I1: no payout, and no reference, has moved money twice. */
function findPaidTwice({ ledger, planned }: Evidence): string[] {
  const moved = ledger.entries.filter(isMoved);
  const known = new Set(planned.map(({ payoutId }) => payoutId));
  const twice = (what: string, keyOf: (entry: LedgerEntry) => string): string[] =>
    [...countBy(moved, keyOf)]
      .filter(([, times]) => times > 1)
      .map(([key, times]) => `${what} ${key} has moved money ${times} times`);
  return [
    ...twice('payout', (entry) => entry.reference1),
    ...twice('reference', (entry) => entry.transRefNo),
    ...moved
      .filter(({ reference1 }) => !known.has(reference1))
      .map(({ reference1 }) => `${reference1} was paid and is not in the file`),
  ];
}

/** After a restart an attempt is inquired, never simply sent: what the bank took at once it is not offered again. */
function findSentBlindly({ ledger, planned }: Evidence): string[] {
  const faulty = new Set(planned.filter(({ isFaulty }) => isFaulty).map(({ payoutId }) => payoutId));
  return ledger.entries
    .filter(({ requests, reference1 }) => requests > 1 && !faulty.has(reference1))
    .map(({ requests, reference1 }) => `${reference1} was sent ${requests} times although the bank had it`);
}

/** I2: each row of the file is in the result once, in input order, with what the file says of it. */
function findLostRows({ planned, first, present }: Evidence): string[] {
  const complaints = [first, present]
    .filter((lines) => lines.length !== planned.length)
    .map((lines) => `the result has ${lines.length} rows, the file ${planned.length}`);
  for (const [index, row] of planned.entries()) {
    for (const line of [first[index], present[index]]) {
      const isRow =
        line?.['rowNo'] === String(index + 1) &&
        line['payoutId'] === row.payoutId &&
        line['proxyNo'] === row.proxyNo &&
        line['amount'] === formatBaht(row.amountSatang) &&
        line['desk'] === row.desk;
      if (!isRow) complaints.push(`row ${index + 1} of the result is not that row of the file`);
    }
  }
  return complaints;
}

function complainOfRow(line: Line, entry: LedgerEntry | undefined): string | undefined {
  const { status = '', payoutId = '' } = line;
  if (status === 'paid') {
    const isProved =
      entry !== undefined &&
      entry.amount === line['amount'] &&
      entry.proxyNo === line['proxyNo'] &&
      entry.transRefNo === line['transRefNo'] &&
      entry.sysRefNo === line['sysRefNo'];
    return isProved
      ? undefined
      : `${payoutId} is called paid, the ledger has ${JSON.stringify(entry ?? null)}`;
  }
  if (entry === undefined || inDoubt.includes(status)) return undefined;
  return `${payoutId} is called ${status} although its money has moved`;
}

/** I3: what is called paid has moved, to that payee and in that amount; what is called anything else, but in doubt, has not. */
function findUntruths({ present, ledger }: Evidence): string[] {
  const moved = new Map(ledger.entries.filter(isMoved).map((entry) => [entry.reference1, entry]));
  // A rejected row may repeat the payoutId of one that was paid.
  const paid = new Set(present.filter(({ status }) => status === 'paid').map(({ payoutId }) => payoutId));
  return present.flatMap((line) => {
    const isRepeat = line['status'] === 'rejected' && paid.has(line['payoutId']);
    const complaint = isRepeat ? undefined : complainOfRow(line, moved.get(line['payoutId'] ?? ''));
    return complaint === undefined ? [] : [complaint];
  });
}

/**
 * Each row has ended as the bank's behaviour makes it end. One that the bank refused when it was sent again stays in
 * doubt: the refusal says nothing about the first sending.
 */
function findWrongEnds({ planned, present, ledger, hasJumped }: Evidence): string[] {
  const moved = new Set(ledger.entries.filter(isMoved).map(({ reference1 }) => reference1));
  return present.flatMap((line, index) => {
    const { status = '', payoutId = '', reasonCode, reason } = line;
    const endsAs = planned[index]?.endsAs;
    if (status === endsAs || (endsAs === 'failed' && inDoubt.includes(status))) return [];
    if (hasJumped && status === 'unresolved' && !moved.has(payoutId)) return [];
    return [`${payoutId} (row ${index + 1}) is ${status} (${reasonCode}: ${reason}), not ${endsAs}`];
  });
}

/** The sums: file, result, summary and ledger. */
function findWrongSums({ planned, first, present, summary, ledger }: Evidence): string[] {
  const complaints: string[] = [];
  const expect = (what: string, found: unknown, wanted: unknown): void => {
    if (found !== wanted) complaints.push(`${what} is ${String(found)}, not ${String(wanted)}`);
  };
  const total = formatBaht(sumSatang(planned.map(({ amountSatang }) => amountSatang)));
  expect('the rows of the summary', summary.rows, planned.length);
  expect('the total of the summary', summary.amount, total);
  expect('"adds up" of the summary', summary.addsUp, true);
  for (const [status, rows] of countBy(first, (line) => line['status'] ?? '')) {
    const lines = first.filter((line) => line['status'] === status);
    expect(`rows ${status} of the summary`, summary.byStatus[status]?.rows, rows);
    expect(
      `amount ${status} of the summary`,
      summary.byStatus[status]?.amount,
      formatBaht(sumSatang(lines.map(amountOf))),
    );
  }
  const sums = Object.values(summary.byStatus);
  expect(
    'the sum of the statuses',
    formatBaht(sumSatang(sums.map((sum) => amountOf(sum as unknown as Line)))),
    total,
  );
  const movedIds = new Set(ledger.entries.filter(isMoved).map(({ reference1 }) => reference1));
  const isExplained = ({ status = '', payoutId = '' }: Line): boolean =>
    status === 'paid' || (inDoubt.includes(status) && movedIds.has(payoutId));
  const explained = present.filter(isExplained);
  expect('the total of the ledger', ledger.totals.amount, formatBaht(sumSatang(explained.map(amountOf))));
  expect('the count of the ledger', ledger.totals.count, explained.length);
  expect('the references of the ledger', ledger.totals.references, ledger.totals.count);
  return complaints;
}

const countStatuses = (lines: readonly Line[], statuses: readonly string[]): number =>
  lines.filter(({ status = '' }) => statuses.includes(status)).length;

/** The reports were written once, nothing is left half done, and the process has said how it stands. */
function findWrongReports({ present, first, exceptions, summary, exitCode, names }: Evidence): string[] {
  const complaints = names.filter((name) => name.endsWith('.tmp')).map((name) => `${name} is left over`);
  const written = names.filter((name) => /\.(csv|json)$/.test(name) && name !== 'sender.json');
  const updates = written.filter((name) => /\.result-update-\d+\.csv$/.test(name));
  for (const ending of [/\.result\.csv$/, /\.exceptions\.csv$/, /\.summary\.json$/]) {
    const found = written.filter((name) => ending.test(name));
    if (found.length !== 1) complaints.push(`${found.length} files ${String(ending)}`);
  }
  if (written.length !== updates.length + 3) complaints.push(`the outbox has ${written.join(', ')}`);
  const named = summary.files.map(({ name }) => name);
  if (!named.every((name) => written.includes(basename(name))))
    complaints.push(`the summary names ${named.join(', ')}`);
  const doubtful = countStatuses(present, inDoubt);
  const exceptional = present.length - countStatuses(present, ['paid', ...inDoubt]);
  const wanted = doubtful > 0 ? 4 : exceptional > 0 ? 3 : 0;
  if (exitCode !== wanted) complaints.push(`the exit code is ${exitCode}, not ${wanted}`);
  // Nobody need look at what is paid, cancelled by a person, or merely not sent yet.
  const listed = first.length - countStatuses(first, ['paid', 'cancelled', 'ready']);
  if (exceptions.length !== listed) complaints.push(`${exceptions.length} exceptions, not ${listed}`);
  return complaints;
}

/** Every promise that is broken, in words; none when every satang is accounted for. */
export function findBrokenPromises(evidence: Evidence): string[] {
  return [
    ...findPaidTwice(evidence),
    ...findSentBlindly(evidence),
    ...findLostRows(evidence),
    ...findUntruths(evidence),
    ...findWrongEnds(evidence),
    ...findWrongSums(evidence),
    ...findWrongReports(evidence),
  ];
}
