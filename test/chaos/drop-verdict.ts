/** Whether each dropped file was worked once: folders, reports and the bank's own ledger are laid side by side. */
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isMarkName } from '../../src/app/journal/mark-copies.ts';
import { exitCodes } from '../../src/cli/exit-codes.ts';
import { formatBaht, parseBaht, sumSatang, zeroSatang } from '../../src/core/money.ts';
import type { Ledger } from '../../src/sandbox/book.ts';
import { type Line, readTable } from '../end-to-end/harness.ts';
import type { DropEvidence, EndedFile } from './drop-evidence.ts';
import { type GoodDrop, hashOf, type LateDrop } from './drop-plan.ts';
import type { PlannedRow } from './plan.ts';
import { type Evidence, findBrokenPromises } from './verdict.ts';

interface Summary {
  readonly exitCode: number;
}

const compareUpdates = (one: string, other: string): number =>
  one.length - other.length || (one < other ? -1 : 1);

/** Each row as the latest update has it. @param updates names of files in the outbox, in any order */
export async function readPresent(
  outbox: string,
  first: readonly Line[],
  updates: readonly string[],
): Promise<Line[]> {
  const present = [...first];
  for (const name of updates.toSorted(compareUpdates)) {
    for (const line of await readTable(join(outbox, name))) present[Number(line['rowNo']) - 1] = line;
  }
  return present;
}

/** The ledger as if the bank had seen no other file. */
function narrowLedger({ ledger, entriesByPayout }: DropEvidence, rows: readonly PlannedRow[]): Ledger {
  const ids = new Set(rows.map(({ payoutId }) => payoutId));
  const entries = [...ids].flatMap((id) => entriesByPayout.get(id) ?? []);
  const moved = entries.filter(({ movedAt }) => movedAt !== null);
  const totals = {
    ...ledger.totals,
    count: moved.length,
    references: new Set(moved.map(({ transRefNo }) => transRefNo)).size,
    amount: formatBaht(sumSatang(moved.map(({ amount }) => parseBaht(amount) ?? zeroSatang))),
  };
  return { ...ledger, entries, totals };
}

/** Lays the reports of a batch beside the file and the ledger, as if it had been run alone. */
async function judgeBatch(
  evidence: DropEvidence,
  batchId: string,
  rows: readonly PlannedRow[],
): Promise<string[]> {
  const { outbox, reports } = evidence;
  const own = reports.filter((name) => name.includes(`.${batchId}.`));
  const nameOf = (ending: string): string | undefined => own.find((name) => name.endsWith(ending));
  const [result, exceptions, summary] = [
    nameOf('.result.csv'),
    nameOf('.exceptions.csv'),
    nameOf('.summary.json'),
  ];
  if (result === undefined || exceptions === undefined || summary === undefined)
    return [`batch ${batchId} has the reports ${own.join(', ') || 'none'}`];
  const first = await readTable(join(outbox, result));
  const updates = own.filter((name) => /\.result-update-\d+\.csv$/.test(name));
  const said = JSON.parse(await readFile(join(outbox, summary), 'utf8')) as Evidence['summary'] & Summary;
  const complaints = findBrokenPromises({
    planned: rows,
    first,
    present: await readPresent(outbox, first, updates),
    exceptions: await readTable(join(outbox, exceptions)),
    summary: said,
    ledger: narrowLedger(evidence, rows),
    exitCode: said.exitCode,
    hasJumped: false,
    names: own.filter((name) => !/\.exceptions-update-\d+\.csv$/.test(name)),
  });
  // Unresolved is as far as a row comes that the bank has refused when a later process sent it again.
  const unfinished = first.filter(({ final, status }) => final !== 'true' && status !== 'unresolved').length;
  if (unfinished > 0) complaints.push(`it was written when ${unfinished} rows had not come to their end`);
  return complaints.map((words) => `${result}: ${words}`);
}

/** A name may hold line breaks: it stays on its line. */
const showName = (name: string): string => name.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '?');

/** What a reason must have: the file's name, the code, and what to do. */
function complainOfReason({ path, reason }: EndedFile, code: string, names: readonly string[]): string[] {
  const about = basename(path);
  if (reason === undefined) return [`${about} is rejected without a reason`];
  const complaints: string[] = [];
  const named = /^File: +(.*)$/m.exec(reason)?.[1];
  if (!names.map(showName).includes(named ?? ''))
    complaints.push(`the reason of ${about} names the file ${named}`);
  const given = /^Reason: +(.*)$/m.exec(reason)?.[1];
  if (given !== code) complaints.push(`the reason of ${about} is ${given}, not ${code}`);
  if (!/drop the (?:whole )?file again/i.test(reason)) complaints.push(`the reason of ${about} has no cure`);
  return complaints;
}

/** Where the copies of a file have ended. */
interface Ended {
  readonly archived: readonly EndedFile[];
  readonly rejected: readonly EndedFile[];
}

/** Files by their content: what ended where, and how often. */
class Endings {
  readonly #archived: Map<string, EndedFile[]>;
  readonly #rejected: Map<string, EndedFile[]>;

  constructor({ archived, rejected }: DropEvidence) {
    this.#archived = Map.groupBy(archived, ({ hash }) => hash);
    this.#rejected = Map.groupBy(rejected, ({ hash }) => hash);
  }

  /** Each is asked for once. */
  take(hash: string): Ended {
    const taken = { archived: this.#archived.get(hash) ?? [], rejected: this.#rejected.get(hash) ?? [] };
    this.#archived.delete(hash);
    this.#rejected.delete(hash);
    return taken;
  }

  /** A file of this name, whatever it holds by now. */
  takeNamed(name: string): Ended {
    const find = (files: Map<string, EndedFile[]>): EndedFile[] =>
      [...files.values()].flat().filter(({ path }) => basename(path) === name);
    const taken = { archived: find(this.#archived), rejected: find(this.#rejected) };
    for (const { hash } of taken.archived) this.#archived.delete(hash);
    for (const { hash } of taken.rejected) this.#rejected.delete(hash);
    return taken;
  }

  get left(): readonly string[] {
    return [...this.#archived.values(), ...this.#rejected.values()].flat().map(({ path }) => path);
  }
}

async function judgeGood(evidence: DropEvidence, endings: Endings): Promise<string[]> {
  const complaints: string[] = [];
  for (const drop of evidence.plan.drops) {
    if (drop.kind !== 'good') continue;
    const { archived, rejected } = endings.take(hashOf(drop.bytes));
    if (archived.length !== 1)
      complaints.push(`${showName(drop.name)} is in the archive ${archived.length} times`);
    if (rejected.length !== drop.copies.length)
      complaints.push(
        `${showName(drop.name)} is rejected ${rejected.length} times, not ${drop.copies.length}`,
      );
    const names = [drop.name, ...drop.copies.map(({ name }) => name)];
    for (const copy of rejected) complaints.push(...complainOfCopy(copy, drop.batchId, names));
    if (drop.isFrayed) complaints.push(...(await judgeFrayed(evidence, drop)));
    else complaints.push(...(await judgeBatch(evidence, drop.batchId, drop.rows)));
  }
  return complaints;
}

/** Each row is there, in its place, rejected and not paid. */
async function judgeFrayed(
  { outbox, reports, entriesByPayout }: DropEvidence,
  { batchId, rows }: GoodDrop,
): Promise<string[]> {
  const result = reports.find((name) => name.endsWith(`.${batchId}.result.csv`));
  const lines = result === undefined ? [] : await readTable(join(outbox, result));
  const isRejected = lines.every(
    ({ status, payoutId }, place) => status === 'rejected' && payoutId === rows[place]?.payoutId,
  );
  if (lines.length !== rows.length || !isRejected) return [`${batchId} is not a result of rejected rows`];
  return rows
    .filter(({ payoutId }) => entriesByPayout.has(payoutId))
    .map(({ payoutId }) => `${payoutId} was paid, and its row cannot be trusted`);
}

/** A duplicate is told which file came first, and as which batch. */
function complainOfCopy(copy: EndedFile, batchId: string, names: readonly string[]): string[] {
  const complaints = complainOfReason(copy, 'duplicate-file', names);
  const [, first, batch] = /same bytes as (.*), which .* as batch (\w+)\./.exec(copy.reason ?? '') ?? [];
  const own = /^File: +(.*)$/m.exec(copy.reason ?? '')?.[1];
  if (batch !== batchId) complaints.push(`${basename(copy.path)} names the batch ${batch}, not ${batchId}`);
  if (!names.map(showName).includes(first ?? '') || first === own)
    complaints.push(`${basename(copy.path)} names the first file ${first}`);
  return complaints;
}

function judgeBroken({ plan }: DropEvidence, endings: Endings): string[] {
  return plan.drops.flatMap((drop) => {
    if (drop.kind !== 'broken') return [];
    const { archived, rejected } = endings.take(hashOf(drop.bytes));
    const [file] = rejected;
    const about = `${drop.name} (${drop.what})`;
    if (file === undefined || rejected.length > 1 || archived.length > 0)
      return [`${about} is rejected ${rejected.length} times, archived ${archived.length} times`];
    return complainOfReason(file, drop.code, [drop.name]);
  });
}

const isHeldAsGrown = ({ status, reasonCode }: Line): boolean =>
  status === 'held' && reasonCode === 'file-grown';

/** A file that was found to have grown before anything of it was sent: what was read of it waits for a person. */
async function judgeHeldWhole(
  { outbox, reports }: DropEvidence,
  batchId: string,
  rows: readonly PlannedRow[],
  table: readonly Line[],
): Promise<string[]> {
  const complaints: string[] = [];
  if (table.some(({ payoutId }, place) => payoutId !== rows[place]?.payoutId))
    complaints.push(`the held rows of ${batchId} are not those of its file`);
  const exceptions = reports.find((name) => name.endsWith(`.${batchId}.exceptions.csv`));
  const excepted = exceptions === undefined ? [] : await readTable(join(outbox, exceptions));
  if (excepted.length !== table.length)
    complaints.push(`${excepted.length} of the ${table.length} held rows of ${batchId} are exceptions`);
  const summary = reports.find((name) => name.endsWith(`.${batchId}.summary.json`));
  if (summary === undefined) return [...complaints, `${batchId} has no summary`];
  const { exitCode } = JSON.parse(await readFile(join(outbox, summary), 'utf8')) as Summary;
  if (exitCode !== exitCodes.stoppedShort)
    complaints.push(`${batchId} is held whole, and its exit code ${exitCode}`);
  return complaints;
}

/** A file of which half may have been paid; it is named, and what was paid of it said. */
async function judgeLateOne(
  evidence: DropEvidence,
  { name, rows }: LateDrop,
  { archived, rejected }: Ended,
): Promise<string[]> {
  const stem = name.replace(/\.csv$/, '');
  const results = evidence.reports.filter(
    (report) => report.startsWith(`${stem}.`) && report.endsWith('.result.csv'),
  );
  const [file, more] = [...archived, ...rejected];
  if (file === undefined || more !== undefined)
    return [`${name} is archived ${archived.length} times, rejected ${rejected.length} times`];
  const [result, another] = results;
  if (another !== undefined) return [`${name} has the results ${results.join(', ')}`];
  const complaints: string[] = [];
  const batchId = result?.slice(stem.length + 1).replace('.result.csv', '') ?? '';
  const table = result === undefined ? [] : await readTable(join(evidence.outbox, result));
  const reported = table.length;
  const isHeldWhole = reported > 0 && table.every(isHeldAsGrown);
  if (isHeldWhole) complaints.push(...(await judgeHeldWhole(evidence, batchId, rows, table)));
  else if (result !== undefined)
    complaints.push(...(await judgeBatch(evidence, batchId, rows.slice(0, reported))));
  const paid = rows
    .slice(isHeldWhole ? 0 : reported)
    .filter(({ payoutId }) => evidence.entriesByPayout.has(payoutId));
  if (paid.length > 0) complaints.push(`${paid.length} rows of ${name} were paid, and no result has them`);
  if (archived.length > 0) {
    if (reported !== rows.length) complaints.push(`${name} is archived, and ${reported} rows are reported`);
    return complaints;
  }
  const code = /^Reason: +(.*)$/m.exec(file.reason ?? '')?.[1] ?? '';
  if (!lateCodes.includes(code)) complaints.push(`${name} is rejected for ${code}`);
  if (reported > 0 && file.reason?.includes(batchId) !== true)
    complaints.push(`the reason of ${name} does not name the batch ${batchId} that was paid of it`);
  return [...complaints, ...complainOfReason(file, code, [name])];
}

/**
 * Files that were written to after their claim: rejected, with what was paid of them said; or worked whole, when nobody
 * had looked at them before they were complete.
 */
async function judgeLate(evidence: DropEvidence, endings: Endings): Promise<string[]> {
  const complaints: string[] = [];
  for (const drop of evidence.plan.drops) {
    if (drop.kind !== 'late') continue;
    complaints.push(...(await judgeLateOne(evidence, drop, endings.takeNamed(drop.name))));
  }
  return complaints;
}

const lateCodes: readonly string[] = [
  'changed-while-read',
  'changed-after-reading',
  'file-changed',
  // Half of it, or half a line more, may be all that was there when it was read.
  'line-end-missing',
  'control-missing',
  'control-rows',
  'control-total',
];

/** The bank has paid each payout of the good and the late files at most once, and nobody else. */
function judgeLedger({ plan, entriesByPayout, ledger }: DropEvidence): string[] {
  const known = new Set(
    plan.drops.flatMap((drop) => (drop.kind === 'broken' ? [] : drop.rows.map(({ payoutId }) => payoutId))),
  );
  const complaints: string[] = [];
  for (const [payoutId, entries] of entriesByPayout) {
    const moved = entries.filter(({ movedAt }) => movedAt !== null).length;
    if (!known.has(payoutId)) complaints.push(`${payoutId} is in the ledger and in no good file`);
    if (moved > 1) complaints.push(`${payoutId} was paid ${moved} times`);
  }
  if (ledger.totals.references !== ledger.totals.count)
    complaints.push(`${ledger.totals.count} payments bear ${ledger.totals.references} references`);
  return complaints;
}

/** Nothing is left over: neither on its way, nor half written. */
function judgeFolders(
  { inbox, claimed, work, reports, plan }: DropEvidence,
  left: readonly string[],
): string[] {
  const complain = (where: string, names: readonly string[]): string[] =>
    names.length === 0 ? [] : [`${where} holds ${names.map(showName).join(', ')}`];
  const stays = new Set(['.paydrop', ...left]);
  const batchIds = plan.drops.flatMap((drop) => (drop.kind === 'good' ? [drop.batchId] : []));
  const isOfBatch = (name: string): boolean => batchIds.some((id) => name.includes(`.${id}.`));
  return [
    ...complain(
      'the inbox',
      inbox.filter((name) => !stays.has(name)),
    ),
    ...complain(
      'what is missing from the inbox:',
      left.filter((name) => !inbox.includes(name)),
    ),
    ...complain('claimed/', claimed),
    ...complain(
      'work/',
      work.filter((name) => !name.startsWith('.paydrop')),
    ),
    ...complain(
      'the outbox',
      reports.filter((name) => !isMarkName(name) && (name.endsWith('.tmp') || name.startsWith('.'))),
    ),
    ...complain(
      'beside the batches, the outbox',
      reports.filter((name) => !isMarkName(name) && !isOfBatch(name) && !name.startsWith('late ')),
    ),
  ];
}

/**
 * Every promise that is broken, in words; none when each file was worked once.
 * @param left names that must still be in the inbox
 */
export async function findBrokenDrops(evidence: DropEvidence, left: readonly string[]): Promise<string[]> {
  const endings = new Endings(evidence);
  const complaints = [
    ...(await judgeLate(evidence, endings)),
    ...(await judgeGood(evidence, endings)),
    ...judgeBroken(evidence, endings),
    ...judgeLedger(evidence),
    ...judgeFolders(evidence, left),
  ];
  return [...complaints, ...endings.left.map((path) => `nobody has dropped ${showName(path)}`)];
}
