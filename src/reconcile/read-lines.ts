/**
 * Reads one day's statement: lines that are clear at first sight are counted, the rest is deferred. Nothing is
 * recorded.
 */
import { inEnglish, message } from '../core/message.ts';
import type { Clock, Log } from '../core/ports.ts';
import type { PayoutJournal } from '../payout/ports.ts';
import { showDate } from '../payout/rules/lost-journal.ts';
import type { TableDraft } from '../platform/csv/table-writer.ts';
import type { DayIndex } from './day-index.ts';
import type {
  Deferred,
  StatementPart,
  StatementRefusal,
  StatementStore,
  StatementTotals,
  StatementView,
} from './ports.ts';
import {
  describeProvenance,
  type LineOwners,
  type LostLines,
  type Provenance,
  refuseStatement,
  refuseUnread,
  type StatementScope,
} from './rules/custody.ts';
import { isPlaced, isSameNumber, lineKeyOf } from './rules/differences.ts';
import { judgeDay } from './rules/judge-day.ts';
import { renderMatched } from './rules/rows.ts';
import type { StatementLine } from './rules/statement.ts';
import { addFigures, noFigures, type Tally } from './rules/tally.ts';
import type { AttemptFacts, DayFacts, Figures, Judgement, StatementDay } from './rules/types.ts';

/** Dependencies of reconciling. */
export interface ReconcileContext {
  readonly store: StatementStore & PayoutJournal;
  readonly clock: Clock;
  readonly companyId: string;
  readonly log: Log;
  /** Aborted when the process is asked to stop; the next reading continues the work. */
  readonly stop: AbortSignal;
}

/** Facts besides the lines that decide whether a statement is accepted. */
interface Custody {
  readonly provenance: Provenance;
  readonly scope: StatementScope;
  /** SHA-256 (hex) of the plain text of the day's present version; undefined before the first. */
  readonly presentSha256: string | undefined;
  /** True when the present version was read before the day had ended, and the bank now gives one of the whole day. */
  readonly closesDay: boolean;
}

/** A day whose statement is being read. */
export interface Reading {
  readonly context: ReconcileContext;
  readonly day: StatementDay;
  readonly version: number;
  readonly view: StatementView;
  readonly deferred: Deferred;
  readonly index: DayIndex;
  readonly tally: Tally;
  readonly matched: TableDraft;
  readonly custody: Custody;
}

/** The process was asked to stop before the statement was accepted; nothing of it is published. */
export class ReconcileInterrupted extends Error {
  override readonly name = 'ReconcileInterrupted';
}

/**
 * Lets other work of the process run.
 * @throws ReconcileInterrupted when the process is asked to stop
 */
export async function yieldToEventLoop({ stop }: Pick<ReconcileContext, 'stop'>): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  if (stop.aborted) throw new ReconcileInterrupted('stopped before the statement was accepted');
}

/**
 * Yields lists of as many items as one turn processes.
 * @param weigh share of an item in a list
 */
export function* inChunks<Item>(
  items: Iterable<Item>,
  size: number,
  weigh: (item: Item) => number = () => 1,
): Generator<readonly Item[]> {
  let chunk: Item[] = [];
  let weight = 0;
  for (const item of items) {
    chunk.push(item);
    weight += weigh(item);
    if (weight < size) continue;
    yield chunk;
    chunk = [];
    weight = 0;
  }
  if (chunk.length > 0) yield chunk;
}

/** Reads the day's attempts into the index; returns the paid ones. */
export async function indexDay({ context, view, index, day: { date } }: Reading): Promise<Figures> {
  let paid = noFigures;
  for await (const page of view.attemptsOfDay(date)) {
    for (const attempt of page) {
      const entry = index.add(attempt.transRefNo, attempt, attempt.status);
      if (attempt.isFailedByStatement) index.notePast(entry);
      if (attempt.status === 'paid') paid = addFigures(paid, { count: 1, satang: attempt.amountSatang });
    }
    await yieldToEventLoop(context);
  }
  for await (const keys of view.keysWithPast(date)) {
    for (const key of keys) {
      const entry = index.find(key);
      if (entry !== undefined) index.notePast(entry);
    }
    await yieldToEventLoop(context);
  }
  return paid;
}

/** Lines processed in one turn of the event loop. */
const linesPerTurn = 500;
/** Most lines for one transfer in a plausible statement. */
const linesPerKeyMax = 1_000;
/** Most unreadable lines; with more, the file has another form, and a break for each would be useless. */
const unreadLinesMax = 100;

/** Processes every line: those clear at first sight are counted, the rest is deferred. Nothing is recorded. */
export async function readLines(
  reading: Reading,
  parts: AsyncIterable<StatementPart>,
  paidCount: number,
): Promise<StatementTotals | StatementRefusal> {
  const owners = new OwnerCount(reading);
  let linesInTurn = 0;
  let totals: StatementTotals | undefined;
  const unread = new UnreadLines(reading.index);
  let dated: StatementLine | undefined;
  let isOfTheDay = false;
  for await (const part of parts) {
    if (part.kind === 'refused') return part.refusal;
    if (part.kind === 'summary') {
      totals = part.totals;
      continue;
    }
    dated ??= part.lines.find(({ effectiveDate }) => effectiveDate !== '');
    for (const line of part.lines) {
      isOfTheDay ||= line.effectiveDate === reading.day.date;
      const isOwn = owners.add(line);
      if (line.fault !== '') unread.note(line, isOwn);
      const written = lookAtLine(reading, line);
      if (written !== undefined) await written;
    }
    if (unread.count > unreadLinesMax) return unread.refuse();
    linesInTurn += part.lines.length;
    if (linesInTurn < linesPerTurn) continue;
    linesInTurn = 0;
    await yieldToEventLoop(reading.context);
  }
  await yieldToEventLoop(reading.context);
  if (totals === undefined) throw new Error('the statement was read to its end and has no totals');
  if (!isOfTheDay && dated !== undefined) return refuseOtherDay(reading.day.date, dated);
  if (!isOfTheDay && unread.count > 0) return unread.refuse();
  if (reading.deferred.largestKey() <= linesPerKeyMax)
    return (await refuseByCustody(reading, owners.count, totals, paidCount)) ?? totals;
  const why = message('statement-file.lines-repeated', { most: linesPerKeyMax });
  return { code: 'lines-repeated', line: null, column: null, message: why };
}

/** Refuses a file of another day, whose missing lines say nothing about this day. */
function refuseOtherDay(date: string, { line, effectiveDate }: StatementLine): StatementRefusal {
  const days = { day: showDate(date), first: showDate(effectiveDate) };
  const why = message('statement-file.other-day', days);
  return { code: 'wrong-day', line, column: 'EFFECTIVE DATE', message: why };
}

/** Counts the lines of our company and those of others. */
class OwnerCount {
  readonly #own: readonly string[];
  readonly count: { own: number; others: number; otherCompanyId: string | undefined } = {
    own: 0,
    others: 0,
    otherCompanyId: undefined,
  };

  constructor({ day, custody }: Pick<Reading, 'day' | 'custody'>) {
    this.#own = [day.companyId, custody.scope.companyId];
  }

  /** @returns true when it is ours; a line without a company counts as ours */
  add({ companyId }: StatementLine): boolean {
    const isOwn = companyId === '' || this.#own.some((own) => isSameNumber(companyId, own));
    if (isOwn) this.count.own += 1;
    else {
      this.count.others += 1;
      this.count.otherCompanyId ??= companyId;
    }
    return isOwn;
  }
}

/** Lines of a statement that cannot be read. */
class UnreadLines {
  readonly #index: DayIndex;
  #first: StatementLine | undefined;
  count = 0;

  constructor(index: DayIndex) {
    this.#index = index;
  }

  note(line: StatementLine, isOwn: boolean): void {
    this.#first ??= line;
    this.count += 1;
    if (isOwn && !isPlaced(line)) this.#index.hasUnplacedLine = true;
  }

  refuse(): StatementRefusal {
    if (this.#first === undefined) throw new Error('every line was read');
    return refuseUnread(this.#first, this.count);
  }
}

/**
 * Reason why a readable statement is refused. The present one is accepted again, unless it would close the day: it may
 * have been empty early in the day, when nothing was paid yet.
 */
async function refuseByCustody(
  reading: Reading,
  owners: LineOwners,
  { sha256 }: StatementTotals,
  paidCount: number,
): Promise<StatementRefusal | undefined> {
  const { custody, day } = reading;
  if (sha256 === custody.presentSha256 && !custody.closesDay) return undefined;
  const { scope, provenance } = custody;
  const { isForced } = provenance;
  const isFirst = custody.presentSha256 === undefined;
  const lost = isForced || isFirst ? nothingLost : await findLost(reading);
  return refuseStatement({ date: day.date, scope, isForced, owners, paidCount, lost });
}

const nothingLost: LostLines = { count: 0, key: undefined };

/**
 * Transfers of the day's present version that no line names any more, without lines of other companies, and without
 * lines that have no reference and are identified by their content.
 */
async function findLost({ context, view, index, deferred, day }: Reading): Promise<LostLines> {
  let lost = nothingLost;
  const lose = (key: string): void => {
    lost = { count: lost.count + 1, key: lost.key ?? key };
  };
  for (const places of inChunks(index.unseen(), linesPerTurn)) {
    for (const place of await view.withCleanLine(day.date, places))
      lose((await view.attempt(place)).order.transRefNo);
    await yieldToEventLoop(context);
  }
  for await (const keys of view.unclearKeysOf(day.date)) {
    for (const key of keys) {
      const entry = index.find(key);
      const isThere = entry === undefined ? deferred.hasLine(key) : index.isSeen(entry);
      if (!isThere && !key.startsWith('line:')) lose(key);
    }
    await yieldToEventLoop(context);
  }
  return lost;
}

/**
 * Decides whether a line is clear: the first with its reference, its attempt of the day, and both sides equal. Further
 * lines do not change that: of several, the first one without a difference counts.
 */
function lookAtLine(reading: Reading, line: StatementLine): Promise<void> | undefined {
  const { index, deferred, view } = reading;
  const key = lineKeyOf(line);
  const entry = line.transRefNo === '' ? undefined : index.find(key);
  const isFirst = entry !== undefined && !index.isSeen(entry) && !index.hasPast(entry);
  if (entry === undefined || !isFirst) {
    if (entry !== undefined) deferWithFirst(reading, key, entry);
    deferred.put(key, line);
    return undefined;
  }
  const attempt = view.attempt(index.keyOf(entry));
  // Avoids a turn of the event loop for each line: nearly all attempts are read ahead.
  return attempt instanceof Promise
    ? attempt.then((read) => compareFirst(reading, { key, entry, line }, read))
    : compareFirst(reading, { key, entry, line }, attempt);
}

/** Compares the first line of a reference with its attempt. */
function compareFirst(
  { index, deferred, day, tally, matched, version, custody }: Reading,
  { key, entry, line }: { readonly key: string; readonly entry: number; readonly line: StatementLine },
  attempt: AttemptFacts,
): Promise<void> | undefined {
  const facts: DayFacts = { key, lines: [line], attempt, otherDayLines: [] };
  const isSame = attempt.order.transRefNo === key;
  const judgement = isSame ? judgeDay(facts, day) : undefined;
  if (judgement === undefined || !isClear(judgement)) {
    if (isSame) index.noteLine(entry, 0);
    deferred.put(key, line);
    return undefined;
  }
  index.noteLine(entry, line.line);
  tally.add(facts, judgement);
  const source = inEnglish(describeProvenance(custody.provenance));
  const [row] = renderMatched(day.date, version, facts, judgement, source);
  return row === undefined ? undefined : matched.add(row);
}

/** Defers the line counted at first sight, to be judged with the others of its reference. */
function deferWithFirst({ index, deferred }: Reading, key: string, entry: number): void {
  const first = index.countedLineOf(entry);
  if (first > 0) deferred.putCounted(key, first);
  index.noteLine(entry, first);
}

function isClear({ lineClasses, paidClass, breaks, step }: Judgement): boolean {
  return lineClasses[0] === 'matched' && paidClass === 'matched' && breaks.length === 0 && step === undefined;
}
