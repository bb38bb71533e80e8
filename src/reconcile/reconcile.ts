/**
 * Reconciles one day: reads the bank's statement, judges it against the journal, records what it proves and where both
 * sides differ, and leaves two tables beside the bank's own file.
 *
 * Nothing is recorded before the whole file was read and both sides tie out. Each step can be taken again: the same
 * matching after a crash comes to the same end. The version is accepted last, in one transaction; what was written under
 * temporary names is then given its name.
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

/** A day's statement in plain text, ready to be read. */
export interface StatementSource {
  /** YYYYMMDD. */
  readonly date: string;
  readonly originalSha256: string;
  readonly originalPath: string;
  /** What of the settings bears on the matching. */
  readonly reading: string;
  readonly provenance: Provenance;
  readonly scope: StatementScope;
  /** Reads the lines; opens the file first, if it is packed. */
  read(use: (parts: AsyncIterable<StatementPart>) => Promise<Read>): Promise<Read>;
}

type Read = StatementTotals | StatementRefusal;

export interface PublishedFile extends StatementFile {
  readonly state: PublishedState;
}

export interface Reconciled {
  readonly kind: 'reconciled';
  readonly statement: AcceptedStatement;
  readonly totals: DayTotals;
  /** The statement was accepted before. */
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
  const seen = lookAtBytes(source, isWhole(date, clock.now()), former.versions, { originalSha256 });
  if (typeof seen !== 'string') return { kind: 'refused', refusal: seen };
  const { previous, present } = former;
  const isKnown = present?.originalSha256 === originalSha256 && present.reading === seen;
  const recorded = nothingRecorded(former.left);
  return judgeAgainWhenChanged(context, async () => {
    if (previous !== undefined && isKnown) return repeat(context, outbox, run, previous, recorded);
    return judgeAnew(context, outbox, run, source, former, recorded);
  });
}

/** A day that has not ended may get more transfers: nothing is absent from its statement for good. */
export function isWhole(date: string, nowMs: number): boolean {
  return date < formatBangkokDate(nowMs);
}

/** How the bytes are to be read, or why they are not. */
export function lookAtBytes(
  { date, reading, provenance }: StatementSource,
  isOver: boolean,
  versions: readonly StatementVersionMark[],
  bytes: StatementBytes,
): string | StatementRefusal {
  // A person's copy: the bank may have other bytes by now.
  const isHandedIn = provenance.from === 'file';
  const isSettled = versions.at(-1)?.provenance?.isForced === true;
  const mayBeOld = !provenance.isForced && (isHandedIn || isSettled);
  const superseded = mayBeOld ? findSuperseded(date, versions, bytes) : undefined;
  return superseded ?? describeReading(reading, { isOver, isHandedIn }, versions, bytes);
}

/** What is known of the day's statement; `previous` is the version that was accepted last. */
export async function readFormer(store: ReconcileContext['store'], date: string) {
  const previous = await store.statement(date);
  const left = await store.brokenOff(date, otherDaysShownMax);
  // After a matching that broke off, what is open may be what neither version shows: the file is read again.
  const present = left === undefined ? previous : undefined;
  return { previous, present, left, versions: await store.statementVersions(date) };
}

/** Inquiries go on beside it: a matching that one of them has overtaken begins again, and nothing is accepted before. */
async function judgeAgainWhenChanged<T>({ log }: ReconcileContext, judge: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await judge();
    } catch (error) {
      if (error instanceof RecalledError) {
        // Each time there is one archived batch less.
        tries -= 1;
        continue;
      }
      if (!(error instanceof ChangedMeanwhile) || tries === triesMax) throw error;
      log('info', 'the journal has changed meanwhile: the statement is judged again', { why: error.message });
    }
  }
}

const triesMax = 5;

/** The statement is known: what has come to light since may close breaks, and nothing else changes. */
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
  const words = lookAtBytes(source, isOver, versions, bytes);
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

/** Notes how much of its day a statement tells. @param reading of its version */
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

/** The days with the one that is read now. */
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

/** Two transfers of one payout are named once both are known to be paid: the statement is judged again. */
function requireNamed(recorded: Recorded): void {
  const { secondProof } = recorded;
  recorded.secondProof = undefined;
  if (secondProof !== undefined) throw new ChangedMeanwhile(secondProof);
}

/** The breaks that are open, the most severe first, and those that this matching has closed. */
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

// ---------------------------------------------------------------- bytes that are known

/** Bytes as the bank packed them, or, once they were read, in plain text, and with what was found in them. */
type StatementBytes = Partial<Pick<StatementVersionMark, 'originalSha256' | 'sha256'>> & {
  /** A line that cannot be read may be of any transfer. */
  readonly isUnread?: boolean;
};

const isOf =
  ({ originalSha256, sha256 }: StatementBytes) =>
  (mark: StatementVersionMark): boolean =>
    mark.originalSha256 === originalSha256 || mark.sha256 === sha256;

/**
 * Why bytes are not taken that are those of a superseded version; undefined for all others.
 * @param versions of the day, the oldest first
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
 * The settings that a day is judged by, with whether its statement is of the whole day. Bytes that a person hands in are
 * of a part of it for good when they were read before it had ended.
 * @param isOver the day has ended
 * @param isHandedIn false when the bank has given them now
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
