/**
 * Reconciles one day: reads the bank's statement, judges it against the journal, records its proofs and the
 * differences, and leaves two tables beside the bank's file. Nothing is recorded before the whole file was read and
 * both sides agree. Each step is repeatable: after a crash the same matching reaches the same result. The version is
 * accepted last, in one transaction; then the files get their names.
 */
import { randomBytes } from 'node:crypto';
import { formatBangkokDate } from '../core/bangkok-time.ts';
import type { PublishedState } from '../platform/durable-file.ts';
import { DayIndex } from './day-index.ts';
import type { StatementOutbox } from './file/tables.ts';
import { countAll, type Matching, noteDay, noteOtherDays, RecalledError, requireTieOut } from './judge.ts';
import {
  type AcceptedStatement,
  isOfWholeDay,
  isUnread,
  partOfDay,
  type StatementFile,
  type StatementPart,
  type StatementRefusal,
  type StatementRun,
  type StatementTotals,
  type StatementVersionMark,
  unreadDay,
  wholeDay,
} from './ports.ts';
import { indexDay, type Reading, readLines, type ReconcileContext } from './read-lines.ts';
import {
  ChangedMeanwhile,
  nothingRecorded,
  otherDaysShownMax,
  recordAll,
  recordCleanLines,
  type Recorded,
} from './record.ts';
import {
  describeProvenance,
  type Provenance,
  refuseSuperseded,
  type StatementScope,
} from './rules/custody.ts';
import { breakColumns, computeStatementFileName, matchedColumns, renderBreak } from './rules/rows.ts';
import {
  addFigures,
  compareTotals,
  type DayTotals,
  decodeTotals,
  encodeTotals,
  makeTally,
} from './rules/tally.ts';
import type { DaysRead } from './rules/types.ts';

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

interface PublishedFile extends StatementFile {
  readonly state: PublishedState;
}

export interface Reconciled {
  readonly kind: 'reconciled';
  readonly statement: AcceptedStatement;
  readonly totals: DayTotals;
  /** True when the statement was accepted before. */
  readonly isRepeat: boolean;
  readonly recorded: Recorded;
  readonly files: readonly PublishedFile[];
  /** The version that this one supersedes. */
  readonly supersedes: number | undefined;
}

export type Reconciliation = Reconciled | { readonly kind: 'refused'; readonly refusal: StatementRefusal };

/** Reconciles the day of a statement; the same statement again changes nothing. */
export async function reconcile(
  context: ReconcileContext,
  outbox: StatementOutbox,
  source: StatementSource,
): Promise<Reconciliation> {
  const { store, clock } = context;
  const { date, originalSha256 } = source;
  const run: StatementRun = { date, runId: randomBytes(8).toString('hex') };
  await store.beginStatement(run);
  await store.recall('date', [date], clock.now());
  const former = await readFormer(store, date);
  const seen = classifyFile(source, isWhole(date, clock.now()), former.versions, { originalSha256 });
  if (typeof seen !== 'string') return { kind: 'refused', refusal: seen };
  const { previous, present } = former;
  const isKnown = present?.originalSha256 === originalSha256 && present.reading === seen;
  const recorded = nothingRecorded(former.left);
  return judgeAgainWhenChanged(context, async () => {
    if (previous !== undefined && isKnown) return repeat(context, outbox, run, previous, recorded);
    return judgeAnew(context, outbox, run, source, former, recorded);
  });
}

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

/** The known facts about the day's statement; `previous` is the version accepted last. */
export async function readFormer(store: ReconcileContext['store'], date: string) {
  const previous = await store.statement(date);
  const left = await store.brokenOff(date, otherDaysShownMax);
  // After an interrupted matching the open breaks may be those of neither version, so the file is read again.
  const present = left === undefined ? previous : undefined;
  return { previous, present, left, versions: await store.statementVersions(date) };
}

/** Repeats a matching during which an inquiry has changed the facts; nothing is accepted before. */
async function judgeAgainWhenChanged<T>({ log }: ReconcileContext, judge: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await judge();
    } catch (error) {
      if (error instanceof RecalledError) {
        // Each such retry leaves one archived batch less, so it does not count.
        tries -= 1;
        continue;
      }
      if (!(error instanceof ChangedMeanwhile) || tries === triesMax) throw error;
      log('info', 'the journal has changed meanwhile: the statement is judged again', { why: error.message });
    }
  }
}

const triesMax = 5;

/** Judges a known statement again: newer facts may close breaks; nothing else changes. */
async function repeat(
  context: ReconcileContext,
  outbox: StatementOutbox,
  run: StatementRun,
  statement: AcceptedStatement,
  recorded: Recorded,
): Promise<Reconciled> {
  const { store, clock, companyId } = context;
  await using view = await store.openStatementView();
  using deferred = store.openDeferred();
  const read: DaysRead = { companyId, ...view.days(), readNow: undefined };
  const matching = { context, run, read, nowMs: clock.now(), view, deferred, reading: undefined };
  await noteOtherDays(matching);
  await recordAll(matching, recorded);
  requireNamed(recorded);
  await store.endStatement(run);
  const files = await publishAll(outbox, statement.files);
  const totals = decodeTotals(statement.totals);
  return { kind: 'reconciled', statement, totals, isRepeat: true, recorded, files, supersedes: undefined };
}

async function judgeAnew(
  context: ReconcileContext,
  outbox: StatementOutbox,
  run: StatementRun,
  source: StatementSource,
  { previous, present, versions }: Awaited<ReturnType<typeof readFormer>>,
  recorded: Recorded,
): Promise<Reconciliation> {
  const { store, clock, companyId } = context;
  const { date } = source;
  const version = (previous?.version ?? 0) + 1;
  await using view = await store.openStatementView();
  using deferred = store.openDeferred();
  await using matched = await outbox.openMatched(computeStatementFileName(date, version, 'matched'));
  await matched.add(matchedColumns);
  const isOver = isWhole(date, clock.now());
  const days = view.days();
  const wholeDates = new Set(days.wholeDates);
  const unreadDates = new Set(days.unreadDates);
  if (isOver) wholeDates.add(date);
  const day = { date, companyId, readDates: wholeDates, unreadDates };
  const index = new DayIndex();
  const tally = makeTally();
  const { provenance, scope } = source;
  const wasOfPart = previous !== undefined && !isOfWholeDay(previous.reading);
  const closesDay = wasOfPart && isOver && provenance.from === 'bank';
  const custody = { provenance, scope, presentSha256: previous?.sha256, closesDay };
  const reading: Reading = { context, day, version, view, deferred, index, tally, matched, custody };
  const paid = await indexDay(reading);
  const totalsRead = await source.read((parts) => readLines(reading, parts, paid.count));
  if ('code' in totalsRead) return { kind: 'refused', refusal: totalsRead };
  const { originalSha256, originalPath } = source;
  const bytes = { originalSha256, sha256: totalsRead.sha256, isUnread: index.hasUnplacedLine };
  const words = classifyFile(source, isOver, versions, bytes);
  if (typeof words !== 'string') return { kind: 'refused', refusal: words };
  noteExtent(words, date, { wholeDates, unreadDates });
  if (present?.sha256 === totalsRead.sha256 && present.reading === words)
    return await repeat(context, outbox, run, present, recorded);
  const nowMs = clock.now();
  const known = { companyId, ...days, wholeDates, unreadDates };
  const read = withDay(known, { date, version, acceptedAtMs: nowMs, provenance });
  const matching: Matching = { context, run, read, nowMs, view, deferred, reading };
  await noteDay(matching, reading);
  const proved = await countAll(matching, reading);
  const totals = reading.tally.totals();
  requireTieOut(totals, totalsRead, addFigures(paid, proved));
  await recordDay(matching, reading, recorded);
  const encoded = encodeTotals(totals);
  const { opened, changed, closed } = recorded;
  const figures = previous === undefined ? [] : compareTotals(previous.totals, encoded);
  const statement: AcceptedStatement = {
    date,
    version,
    sha256: totalsRead.sha256,
    originalSha256,
    originalPath,
    reading: words,
    statement: totalsRead,
    totals: encoded,
    changes: { opened, changed, closed, figures },
    files: await writeTables(matching, reading, outbox),
    acceptedAtMs: clock.now(),
    provenance,
  };
  await accept(context, run, statement);
  const files = await publishAll(outbox, statement.files);
  const supersedes = previous?.version;
  return { kind: 'reconciled', statement, totals, isRepeat: false, recorded, files, supersedes };
}

/**
 * Records how much of its day a statement covers.
 * @param reading of its version
 */
function noteExtent(
  reading: string,
  date: string,
  { wholeDates, unreadDates }: Record<'wholeDates' | 'unreadDates', Set<string>>,
): void {
  if (!isOfWholeDay(reading)) wholeDates.delete(date);
  if (isUnread(reading)) unreadDates.add(date);
  else unreadDates.delete(date);
}

/** @throws RecalledError when the statement was judged without payouts that had gone to an archive; they are back */
async function accept(
  { store, clock }: ReconcileContext,
  run: StatementRun,
  statement: AcceptedStatement,
): Promise<void> {
  if (await store.acceptStatement(run, statement)) return;
  await store.recall('date', [run.date], clock.now());
  throw new RecalledError('payouts of the day had gone to an archive meanwhile');
}

/** The days read, including the present one. */
function withDay(
  { days, acceptedAtMs, provenances, ...known }: Omit<DaysRead, 'readNow'>,
  now: Pick<AcceptedStatement, 'date' | 'version' | 'acceptedAtMs'> & Pick<StatementSource, 'provenance'>,
): DaysRead {
  const { date } = now;
  return {
    ...known,
    days: new Map(days).set(date, now.version),
    acceptedAtMs: new Map(acceptedAtMs).set(date, now.acceptedAtMs),
    provenances: new Map(provenances).set(date, now.provenance),
    readNow: date,
  };
}

async function recordDay(matching: Matching, reading: Reading, recorded: Recorded): Promise<void> {
  const { context, run } = matching;
  await context.store.beginRecording(run, reading.version);
  await noteOtherDays(matching);
  await recordAll(matching, recorded);
  requireNamed(recorded);
  await recordCleanLines(matching, reading);
}

/** Reports two transfers of one payout once both are known to be paid: the statement is judged again. */
function requireNamed(recorded: Recorded): void {
  const { secondProof } = recorded;
  recorded.secondProof = undefined;
  if (secondProof !== undefined) throw new ChangedMeanwhile(secondProof);
}

/** Writes the tables: open breaks, most severe first, and those that this matching has closed. */
async function writeTables(
  { context, run }: Matching,
  { day, version, matched, custody }: Reading,
  outbox: StatementOutbox,
): Promise<readonly StatementFile[]> {
  await using breaks = await outbox.openBreaks(computeStatementFileName(day.date, version, 'breaks'));
  await breaks.add(breakColumns);
  const nowMs = context.clock.now();
  const source = describeProvenance(custody.provenance);
  for await (const page of context.store.breaksToShow(run)) {
    for (const record of page) await breaks.add(renderBreak(record, nowMs, source));
  }
  return [
    { ...(await matched.finish()), kind: 'matched' },
    { ...(await breaks.finish()), kind: 'breaks' },
  ];
}

async function publishAll(
  outbox: StatementOutbox,
  files: readonly StatementFile[],
): Promise<readonly PublishedFile[]> {
  return Array.fromAsync(files, async (file) => ({ ...file, state: await outbox.publish(file) }));
}

// ---------------------------------------------------------------- known bytes

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
