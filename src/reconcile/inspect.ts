/**
 * Tells how the bytes of a file are to be read for its day, or why not; and examines what they hold as reconciling would,
 * without recording anything, so that people know what they decide on.
 */
import { formatBangkokDate } from '../core/bangkok-time.ts';
import { countOf, showBaht } from '../core/figures.ts';
import type { TableDraft } from '../platform/csv/table-writer.ts';
import { DayIndex } from './day-index.ts';
import {
  partOfDay,
  type StatementPart,
  type StatementRefusal,
  type StatementTotals,
  type StatementVersionMark,
  unreadDay,
  wholeDay,
} from './ports.ts';
import { indexDay, readLines, type Reading, type ReconcileContext } from './read-lines.ts';
import { type Provenance, refuseSuperseded, type StatementScope } from './rules/custody.ts';
import { makeTally } from './rules/tally.ts';

/** A day's statement, ready to be read as plain text. */
export interface StatementSource {
  /** YYYYMMDD. */
  readonly date: string;
  readonly originalSha256: string;
  readonly originalPath: string;
  /** The settings that affect the matching. */
  readonly reading: string;
  readonly provenance: Provenance;
  readonly scope: StatementScope;
  /** Reads the lines; first opens the file, if it is packed. */
  read(use: (parts: AsyncIterable<StatementPart>) => Promise<Read>): Promise<Read>;
}

type Read = StatementTotals | StatementRefusal;

/** True when the day has ended; before that it may get more transfers, and absence from its statement is not final. */
export function isWhole(date: string, nowMs: number): boolean {
  return date < formatBangkokDate(nowMs);
}

/** Decides how to read the bytes, or why not to. */
export function classifyFile(
  { date, reading, provenance }: StatementSource,
  isOver: boolean,
  versions: readonly StatementVersionMark[],
  bytes: StatementBytes,
): string | StatementRefusal {
  // A person's copy may be older than the bank's present bytes.
  const isHandedIn = provenance.from === 'file';
  const isSettled = versions.at(-1)?.provenance.isForced === true;
  const mayBeOld = !provenance.isForced && (isHandedIn || isSettled);
  const superseded = mayBeOld ? findSuperseded(date, versions, bytes) : undefined;
  return superseded ?? describeReading(reading, { isOver, isHandedIn }, versions, bytes);
}

/** Breaks of other days kept for display; the journal has all. */
export const otherDaysShownMax = 20;

/** The known facts about the day's statement; `previous` is the version accepted last. */
export async function readFormer(store: ReconcileContext['store'], date: string) {
  const previous = await store.statement(date);
  const left = await store.brokenOff(date, otherDaysShownMax);
  // After an interrupted matching the open breaks may be those of neither version, so the file is read again.
  const present = left === undefined ? previous : undefined;
  return { previous, present, left, versions: await store.statementVersions(date) };
}

/** Hashes of the bytes as packed by the bank, or, after reading, of the plain text, with the findings. */
type StatementBytes = Partial<Pick<StatementVersionMark, 'originalSha256' | 'sha256'>> & {
  /** True when an unreadable line may belong to any transfer. */
  readonly isUnread?: boolean;
};

const isOf =
  ({ originalSha256, sha256 }: StatementBytes) =>
  (mark: StatementVersionMark): boolean =>
    mark.originalSha256 === originalSha256 || mark.sha256 === sha256;

/**
 * Reason why bytes of a superseded version are refused; undefined for all others.
 * @param versions of the day, oldest first
 */
function findSuperseded(
  date: string,
  versions: readonly StatementVersionMark[],
  bytes: StatementBytes,
): StatementRefusal | undefined {
  const present = versions.at(-1);
  const known = versions.findLast(isOf(bytes));
  if (present === undefined || known === undefined || isOf(bytes)(present)) return undefined;
  return refuseSuperseded(date, known.version, present.version);
}

/**
 * The settings by which a day is judged, and whether its statement covers the whole day. A person's file that was first
 * read before the day had ended never covers the whole day.
 * @param isOver the day has ended
 * @param isHandedIn false when the bank has just given them
 */
function describeReading(
  settings: string,
  { isOver, isHandedIn }: { readonly isOver: boolean; readonly isHandedIn: boolean },
  versions: readonly StatementVersionMark[],
  bytes: StatementBytes,
): string {
  const isPart = ({ reading }: StatementVersionMark): boolean => reading.endsWith(` ${partOfDay}`);
  const known = versions.filter(isOf(bytes));
  const isKnownUnread = known.some(({ reading }) => reading === `${settings} ${unreadDay}`);
  if (bytes.isUnread === true || isKnownUnread) return `${settings} ${unreadDay}`;
  const isOld = isHandedIn && known.length > 0 && known.every(isPart);
  return `${settings} ${isOver && !isOld ? wholeDay : partOfDay}`;
}

// ---------------------------------------------------------------- examining

/** A table that is never written. */
const noTable: TableDraft = {
  add: () => undefined,
  finish: () => Promise.reject(new Error('a statement that is only looked at leaves no table')),
  [Symbol.asyncDispose]: async () => {},
};

/** The totals of a statement, and why reconciling would refuse it; only the refusal when it cannot be read. */
export interface Inspected {
  readonly totals: StatementTotals | undefined;
  readonly refusal: StatementRefusal | undefined;
}

/** @throws ReconcileInterrupted when the process is asked to stop */
export async function inspectStatement(
  context: ReconcileContext,
  source: StatementSource,
): Promise<Inspected> {
  const { store, clock, companyId } = context;
  const { date, provenance, scope, originalSha256 } = source;
  const { previous, versions } = await readFormer(store, date);
  const isOver = isWhole(date, clock.now());
  await using view = await store.openStatementView();
  using deferred = store.openDeferred();
  const { wholeDates, unreadDates } = view.days();
  const day = { date, companyId, readDates: new Set([...wholeDates, date]), unreadDates };
  const custody = { provenance, scope, presentSha256: previous?.sha256, closesDay: false };
  const reading: Reading = {
    context,
    day,
    version: (previous?.version ?? 0) + 1,
    view,
    deferred,
    index: new DayIndex(),
    tally: makeTally(),
    matched: noTable,
    custody,
  };
  const paid = await indexDay(reading);
  let totals: StatementTotals | undefined;
  const read = await source.read((parts) => readLines(reading, keepTotals(parts), paid.count));
  if ('code' in read) return { totals, refusal: read };
  const seen = classifyFile(source, isOver, versions, { originalSha256, sha256: read.sha256 });
  return { totals: read, refusal: typeof seen === 'string' ? undefined : seen };

  /** Keeps the totals of a readable statement that is refused. */
  async function* keepTotals(parts: Parameters<Parameters<StatementSource['read']>[0]>[0]) {
    for await (const part of parts) {
      if (part.kind === 'summary') totals = part.totals;
      yield part;
    }
  }
}

/** "12 lines, 1200.00 baht". */
export const describeTotals = ({ lines, amountSatang }: StatementTotals): string =>
  `${countOf(lines, 'line')}, ${showBaht(amountSatang)} baht`;
