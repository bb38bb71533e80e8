/**
 * Reconciles one day: reads the bank's statement, judges it against the journal, records what it proves and where both
 * sides differ, and leaves two tables beside the bank's own file.
 *
 * Nothing is recorded before the whole file was read and both sides tie out. Each step can be taken again: the same
 * judging after a crash comes to the same end. The version is accepted last, in one transaction; what was written under
 * temporary names is then given its name.
 */
import { randomBytes, randomInt } from 'node:crypto';
import type { PublishedState } from '../reports/ports.ts';
import { indexDay, type Judging, readLines, type ReconcileContext } from './context.ts';
import { DayIndex } from './day-index.ts';
import { isWhole, judgeOtherDays } from './judge-days.ts';
import { countUnclear, judgeUnclear, requireTieOut } from './judge.ts';
import {
  type AcceptedStatement,
  type BrokenOff,
  computeStatementFileName,
  type StatementChanges,
  type StatementFile,
  type StatementOutbox,
  type StatementPart,
  type StatementRefusal,
  type StatementRun,
  type StatementTotals,
  type StatementVersionMark,
  wholeDay,
} from './ports.ts';
import {
  ChangedMeanwhile,
  elsewhereShownMax,
  findStrays,
  nothingRecorded,
  type Recorded,
  recordKeys,
} from './record.ts';
import { breakColumns, matchedColumns, renderBreak } from './rules/rows.ts';
import { compareTotals, type DayTotals, decodeTotals, encodeTotals, makeTally } from './rules/tally.ts';
import { describeReading, refuseSuperseded, type StatementBytes } from './rules/versions.ts';

/** A day's statement in plain text, ready to be read. */
export interface StatementSource {
  /** YYYYMMDD. */
  readonly date: string;
  readonly originalSha256: string;
  readonly originalPath: string;
  /** What of the settings bears on the judging. */
  readonly reading: string;
  /** A person's copy: the bank may have other bytes by now. */
  readonly isHandedIn?: boolean;
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

/** How the bytes are to be read, or why they are not. */
function lookAtBytes(
  { date, reading, isHandedIn = false }: StatementSource,
  isOver: boolean,
  versions: readonly StatementVersionMark[],
  bytes: StatementBytes,
): string | StatementRefusal {
  const superseded = isHandedIn ? refuseSuperseded(date, versions, bytes) : undefined;
  return superseded ?? describeReading(reading, { isOver, isHandedIn }, versions, bytes);
}

async function readFormer(store: ReconcileContext['store'], date: string): Promise<Former> {
  const previous = await store.statement(date);
  const left = await store.brokenOff(date, elsewhereShownMax);
  // After a judging that broke off, what is open may be what neither version shows: the file is read again.
  const present = left === undefined ? previous : undefined;
  return { previous, present, left, versions: await store.statementVersions(date) };
}

/** Inquiries go on beside it: a judging that one of them has overtaken begins again, and nothing is accepted before. */
async function judgeAgainWhenChanged<T>({ log }: ReconcileContext, judge: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await judge();
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile) || tries === judgingsMax) throw error;
      log('info', 'the journal has changed meanwhile: the statement is judged again', { why: error.message });
    }
  }
}

const judgingsMax = 5;

/** The statement is known: what has come to light since may close breaks, and nothing else changes. */
async function repeat(
  context: ReconcileContext,
  outbox: StatementOutbox,
  run: StatementRun,
  statement: AcceptedStatement,
  recorded: Recorded,
): Promise<Reconciled> {
  await judgeOtherDays(context, run, undefined, recorded);
  requireNamed(recorded);
  await context.store.endStatement(run);
  const files = await publishAll(outbox, statement.files);
  const totals = decodeTotals(statement.totals);
  return { kind: 'reconciled', statement, totals, isRepeat: true, recorded, files, supersedes: undefined };
}

/** What is known of the day's statement. */
interface Former {
  /** The version that was accepted last. */
  readonly previous: AcceptedStatement | undefined;
  /** The same, unless a judging has broken off since. */
  readonly present: AcceptedStatement | undefined;
  readonly left: BrokenOff | undefined;
  readonly versions: readonly StatementVersionMark[];
}

async function judgeAnew(
  context: ReconcileContext,
  outbox: StatementOutbox,
  run: StatementRun,
  source: StatementSource,
  { previous, present, versions }: Former,
  recorded: Recorded,
): Promise<Reconciliation> {
  const { store, clock, companyId } = context;
  const { date } = source;
  const version = (previous?.version ?? 0) + 1;
  using view = store.openStatementView(run);
  using scratch = store.openLineScratch();
  await using matched = await outbox.openMatched(computeStatementFileName(date, version, 'matched'));
  await matched.add(matchedColumns);
  const isOver = isWhole(date, clock.now());
  const readDates = new Set(view.readDates());
  if (isOver) readDates.add(date);
  const index = new DayIndex([randomInt(2 ** 32), randomInt(2 ** 32)]);
  const shared = { run, day: { date, companyId, readDates }, version, nowMs: clock.now(), view, scratch };
  const judging: Judging = { context, ...shared, index, tally: makeTally(), matched };
  const paid = await indexDay(context, view, index, date);
  const read = await source.read((parts) => readLines(judging, parts));
  if ('code' in read) return { kind: 'refused', refusal: read };
  const { originalSha256, originalPath } = source;
  const reading = lookAtBytes(source, isOver, versions, { originalSha256, sha256: read.sha256 });
  if (typeof reading !== 'string') return { kind: 'refused', refusal: reading };
  const isOfWhole = reading.endsWith(` ${wholeDay}`);
  if (!isOfWhole) readDates.delete(date);
  if (present?.sha256 === read.sha256 && present.reading === reading)
    return await repeat(context, outbox, run, present, recorded);
  const proved = await countUnclear(judging);
  const totals = judging.tally.totals();
  requireTieOut(totals, read, paid, proved);
  await store.beginRecording(run);
  await recordUnclear(judging, recorded);
  await judgeOtherDays(context, run, { date, version, isWhole: isOfWhole }, recorded);
  requireNamed(recorded);
  const changes = describeChanges(recorded, previous, totals);
  const files = await writeTables(judging, outbox);
  const statement: AcceptedStatement = {
    date,
    version,
    sha256: read.sha256,
    originalSha256,
    originalPath,
    reading,
    statement: read,
    totals: encodeTotals(totals),
    changes,
    files,
    acceptedAtMs: clock.now(),
  };
  await store.acceptStatement(run, statement);
  const published = await publishAll(outbox, files);
  const supersedes = previous?.version;
  return { kind: 'reconciled', statement, totals, isRepeat: false, recorded, files: published, supersedes };
}

/** Two transfers of one payout are named once both are known to be paid: the statement is judged again. */
function requireNamed(recorded: Recorded): void {
  const { secondProof } = recorded;
  recorded.secondProof = undefined;
  if (secondProof !== undefined) throw new ChangedMeanwhile(secondProof);
}

async function recordUnclear(judging: Judging, recorded: Recorded): Promise<void> {
  const { context, run, day } = judging;
  for await (const chunk of judgeUnclear(judging)) {
    await context.store.recordStrays(run, findStrays(chunk, day));
    await recordKeys(judging, chunk, recorded);
  }
}

function describeChanges(
  { opened, changed, closed }: Recorded,
  previous: AcceptedStatement | undefined,
  totals: DayTotals,
): StatementChanges {
  const changes = previous === undefined ? [] : compareTotals(decodeTotals(previous.totals), totals);
  const figures = changes.map(({ side, place, before, after }) => ({
    side,
    place,
    before: { count: before.count, satang: String(before.satang) },
    after: { count: after.count, satang: String(after.satang) },
  }));
  return { opened, changed, closed, figures };
}

/** The breaks that are open, the loudest first, and those that this judging has closed. */
async function writeTables(
  { context, run, day, version, matched }: Judging,
  outbox: StatementOutbox,
): Promise<readonly StatementFile[]> {
  await using breaks = await outbox.openBreaks(computeStatementFileName(day.date, version, 'breaks'));
  await breaks.add(breakColumns);
  const nowMs = context.clock.now();
  for await (const page of context.store.breaksToShow(run)) {
    for (const record of page) await breaks.add(renderBreak(record, nowMs));
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
  const published: PublishedFile[] = [];
  for (const file of files) published.push({ ...file, state: await outbox.publish(file) });
  return published;
}
