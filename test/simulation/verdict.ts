/** What must hold when a run is over: the bank's book against the journal, and the journal against the files. */
import { isSameContent } from '../../src/core/attempt-numbers.ts';
import { formatBaht } from '../../src/core/money.ts';
import type { Attempt, TransferOrder } from '../../src/core/payout.ts';
import type { Batch, ResultRow } from '../../src/core/ports.ts';
import { summariseBatch } from '../../src/reports/rules/summary.ts';
import type { Journal } from '../../src/store/store.ts';
import type { Auditor } from './auditor.ts';
import { bangkokDay, type BankBook } from './bank-book.ts';
import type { SimulatedDisk } from './memory/disk.ts';
import type { PlannedFile } from './planned-files.ts';
import { company } from './process.ts';
import type { World } from './world.ts';

export interface VerdictParts {
  readonly world: World;
  readonly book: BankBook;
  readonly auditor: Auditor;
  readonly disk: SimulatedDisk;
  readonly files: readonly PlannedFile[];
  /** The bank breaks its own rules: nobody can promise that it pays once. */
  readonly isLying: boolean;
  /** Somebody has changed an amount in the journal: what is not paid waits for a person. */
  readonly isEdited: boolean;
  /** People have decided by the review. */
  readonly hasDecisions: boolean;
  /** Statements have called failed what the bank paid in the end. */
  readonly hasStatements: boolean;
  /** The bank's clock is wrong for good: what is to be sent may wait for a day that both clocks agree on. */
  readonly isBankTimeOff: boolean;
  /**
   * `another` than the run began with, of which less is asked; nobody goes on with one that is `refused`; one that was
   * `put-back` is worked until nothing is left, and what it has lost may be unknown to it.
   */
  readonly journal: 'kept' | 'another' | 'refused' | 'put-back';
}

/** A batch with its rows and every attempt for their payoutIds. */
interface Settled {
  readonly batch: Batch;
  readonly rows: readonly ResultRow[];
}

async function readBatches(journal: Journal): Promise<Settled[]> {
  await using snapshot = await journal.snapshot();
  const settled: Settled[] = [];
  for (const batch of await journal.batches()) {
    settled.push({ batch, rows: (await Array.fromAsync(snapshot.resultRows(batch.batchId))).flat() });
  }
  return settled;
}

/** I2: each row once, as it was in the file, and the amounts by status add up. */
async function judgeFiles(
  { disk, files, auditor }: VerdictParts,
  settled: readonly Settled[],
): Promise<string[]> {
  const isCorrected = (seq: number): boolean => auditor.decisions.corrected.has(seq);
  const broken: string[] = [];
  for (const { name, rows: planned } of files) {
    const found = settled.find(({ batch }) => batch.fileName === name);
    if (found === undefined) {
      broken.push(`I2: ${name} was never read`);
      continue;
    }
    const { batch, rows } = found;
    const corrected = new Set(rows.filter(({ seq }) => isCorrected(seq)).map(({ rowNo }) => rowNo));
    const spell = ({
      rowNo,
      amountSatang,
      cells,
    }: Pick<ResultRow, 'rowNo' | 'amountSatang' | 'cells'>): string =>
      `${rowNo} ${corrected.has(rowNo) ? 'corrected' : (amountSatang ?? '')} ${cells.payoutId}`;
    const shown = rows.map(spell);
    const wanted = planned.map(spell);
    if (shown.join() !== wanted.join()) broken.push(`I2: the rows of ${name} are ${shown.join()}`);
    const totals = await disk.journal.totals(batch.batchId);
    const holds = await disk.journal.holdTotals(batch.batchId);
    if (!summariseBatch(batch, totals, holds, { exceptionsOk: false }).addsUp)
      broken.push(`I2: ${name} does not add up`);
  }
  return broken;
}

/** I1: no payout is completed twice, over all attempts and files. */
function judgeBook({ book }: VerdictParts): string[] {
  const paid = new Map<string, number>();
  for (const entry of book.entries) {
    if (entry.isForeign || book.stateOf(entry) !== 'complete') continue;
    const payoutId = entry.order.reference1 ?? '';
    paid.set(payoutId, (paid.get(payoutId) ?? 0) + 1);
  }
  return [...paid].filter(([, times]) => times > 1).map(([id, times]) => `I1: ${id} was paid ${times} times`);
}

/** I3 and I4: what the bank's book says about each row. */
function judgeRows({ auditor, disk }: VerdictParts, settled: readonly Settled[]): string[] {
  return settled.flatMap(({ rows }) =>
    rows.flatMap((row) => {
      if (row.instruction === null) return [];
      const broken = auditor.judgeRow(disk.view.row(row.seq), row.status);
      return broken === undefined ? [] : [`I3: ${row.instruction.payoutId} is ${row.status}, but ${broken}`];
    }),
  );
}

/** I4: every transfer in the bank's book is an attempt in the journal. */
function judgeEntries(
  { book, disk }: VerdictParts,
  mustKnow: (order: TransferOrder) => boolean = () => true,
): string[] {
  return book.entries
    .filter(({ isForeign, order }) => !isForeign && mustKnow(order))
    .filter(({ order }) => disk.view.attempts(order.transRefNo).length === 0)
    .map(({ order }) => `I4: the journal knows nothing of ${order.transRefNo}`);
}

/**
 * The same after a loss: a row that stays in doubt, for all to see, may have been tried again in the part that was lost;
 * it is asked about before its next attempt.
 */
function judgeLostEntries(parts: VerdictParts, settled: readonly Settled[]): string[] {
  const inDoubt = new Set(
    settled
      .flatMap(({ rows }) => rows)
      .filter(({ status }) => status === 'unresolved')
      .map(({ instruction }) => instruction?.payoutId),
  );
  return judgeEntries(parts, ({ reference1 }) => !inDoubt.has(reference1 ?? ''));
}

/**
 * True when asking the bank now would end the attempt. Where its reference went more than once, an inquiry does not tell
 * which content is paid, nor of which send of a day an item is that bears another time.
 */
function isProvable({ world, book }: VerdictParts, attempt: Attempt, all: readonly Attempt[]): boolean {
  const { order, referenceConflict } = attempt;
  if (referenceConflict) return false;
  const others = all.filter((one) => one !== attempt && one.order.transRefNo === order.transRefNo);
  const today = bangkokDay(world.ourMs);
  const asked = [order, { ...order, tranDate: today }];
  const found = asked.map((one) => book.visible(one)).find((entries) => entries.length > 0) ?? [];
  const states = found.map((entry) => book.stateOf(entry));
  if (states.includes('complete')) return others.every((one) => isSameContent(one.order, order));
  const isTold = others.length === 0 || found.some((entry) => entry.order.tranTime === order.tranTime);
  return isTold && states.length > 0 && states.every((state) => state === 'failed');
}

/** Ends that need nobody's eye, or somebody's for good reason. */
async function judgeEnd(parts: VerdictParts, row: ResultRow): Promise<string | undefined> {
  const { instruction, status, holds, reasonCode } = row;
  if (instruction === null) return undefined;
  const attempts = await parts.disk.journal.attemptsOf(company.companyId, instruction.payoutId);
  const open = attempts.filter((attempt) => attempt.status !== 'paid' && attempt.status !== 'failed');
  // Another row had let go of its payoutId when a statement called it failed, and is paid after all.
  const isPaidByOther = parts.hasStatements && attempts.some(({ status: end }) => end === 'paid');
  if (isPaidByOther && (status === 'held' || status === 'ready')) return undefined;
  const where = `${instruction.payoutId} ${formatBaht(instruction.amountSatang)} ended ${status} ${reasonCode ?? ''}`;
  switch (status) {
    case 'paid':
    case 'failed':
    case 'unpayable':
    case 'rejected':
    case 'cancelled':
      return undefined;
    case 'unresolved':
      return attempts.some(
        (attempt) => attempt.status === 'unresolved' && isProvable(parts, attempt, attempts),
      )
        ? `I4: ${where}, though the bank would prove it`
        : undefined;
    case 'held': {
      const waitsForPeople = reasonCode === 'earlier-attempt-open' || reasonCode === 'attempts-used-up';
      if (parts.isBankTimeOff && holds.every((hold) => hold === 'paused')) return undefined;
      if (waitsForPeople && !open.some((attempt) => isProvable(parts, attempt, attempts))) return undefined;
      return `liveness: ${where} ${holds.join()}`;
    }
    case 'ready':
      return parts.isBankTimeOff ? undefined : `liveness: ${where}`;
    case 'staged':
    case 'submitted':
    case 'disputed':
      return `liveness: ${where}`;
  }
}

/** A bank that breaks its own rules: what it has let us know is never silently dropped. */
function judgeLies({ auditor, disk }: VerdictParts, settled: readonly Settled[]): string[] {
  const forgetful = ['failed', 'unpayable', 'cancelled', 'ready', 'rejected'];
  // It is another row's, or people look at another row of the same reference.
  const isKnown = (reference: string): boolean =>
    disk.view
      .attempts(reference)
      .map(({ seq }) => disk.view.row(seq))
      .some(({ status, isAlarm }) => isAlarm || !forgetful.includes(status));
  return settled.flatMap(({ rows }) =>
    rows.flatMap((row) => {
      if (row.instruction === null || row.isAlarm || !forgetful.includes(row.status)) return [];
      const { references } = disk.view.row(row.seq);
      const told = references.find((one) => auditor.isToldComplete(one) && !isKnown(one));
      return told === undefined
        ? []
        : [`I4: ${told} was shown complete, and its row is ${row.status} without an alarm`];
    }),
  );
}

/** Late proof takes the claim from a row that is unsent, so that it can never be sent. */
async function findContradictions({ disk, isLying, hasStatements }: VerdictParts): Promise<string[]> {
  const found = await disk.findContradictions();
  return isLying || hasStatements ? found.filter((what) => !what.startsWith('a live payout')) : found;
}

/** What the bank has paid is paid, once its last statements are read. */
function judgePaid({ book, disk }: VerdictParts): string[] {
  return book.entries
    .filter((entry) => !entry.isForeign && book.stateOf(entry) === 'complete')
    .filter(({ order }) => !disk.view.attempts(order.transRefNo).some(({ status }) => status === 'paid'))
    .map(({ order }) => `I4: the bank has paid ${order.transRefNo}, and the journal does not say so`);
}

/** Everything that is broken; `isConcluded` when the bank has been healthy for long and everything was run again. */
export async function judge(parts: VerdictParts, isConcluded: boolean): Promise<string[]> {
  if (parts.journal === 'refused') return judgeBook(parts);
  const settled = await readBatches(parts.disk.journal);
  if (parts.isLying) {
    return [...(await findContradictions(parts)), ...judgeLies(parts, settled)];
  }
  if (parts.isEdited) return [...judgeBook(parts), ...judgeRows(parts, settled), ...judgeEntries(parts)];
  if (parts.journal === 'another')
    return [...(await parts.disk.findContradictions()), ...judgeBook(parts), ...judgeRows(parts, settled)];
  const isPutBack = parts.journal === 'put-back';
  const broken = [
    ...(await findContradictions(parts)),
    ...judgeBook(parts),
    ...judgeRows(parts, settled),
    ...(isPutBack ? judgeLostEntries(parts, settled) : judgeEntries(parts)),
  ];
  if (!isConcluded) return broken;
  broken.push(...(await judgeFiles(parts, settled)));
  if (isPutBack) return broken;
  if (parts.hasDecisions) broken.push(...parts.auditor.decisions.judgeEnd());
  if (parts.hasStatements) broken.push(...judgePaid(parts));
  for (const { rows } of settled) {
    for (const row of rows) {
      const end = await judgeEnd(parts, row);
      if (end !== undefined) broken.push(end);
    }
  }
  return broken;
}
