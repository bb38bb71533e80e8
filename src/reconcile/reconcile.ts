/**
 * Reconciles one day: reads the bank's statement, judges it against the journal, records its proofs and the
 * differences, and leaves two tables beside the bank's file. Nothing is recorded before the whole file was read and
 * both sides agree. Each step is repeatable: after a crash the same matching reaches the same result. The version is
 * accepted last, in one transaction; then the files get their names.
 */
import { randomBytes } from 'node:crypto';
import { inEnglish } from '../core/message.ts';
import type { Change } from '../core/ports.ts';
import { applyOnLatest } from '../payout/apply-change.ts';
import { notifySiblings } from '../payout/superseded.ts';
import type { PublishedState } from '../platform/durable-file.ts';
import { DayIndex } from './day-index.ts';
import { classifyFile, isWhole, otherDaysShownMax, readFormer, type StatementSource } from './inspect.ts';
import type { StatementOutbox } from './file/tables.ts';
import {
  countAll,
  judgeAll,
  judgeKeys,
  type Matching,
  noteDay,
  noteOtherDays,
  RecalledError,
  requireTieOut,
} from './judge.ts';
import {
  type AcceptedStatement,
  type BrokenOff,
  type DeferredKey,
  isOfWholeDay,
  isUnread,
  type StatementFile,
  type StatementRefusal,
  type StatementRun,
} from './ports.ts';
import {
  inChunks,
  indexDay,
  type Reading,
  readLines,
  type ReconcileContext,
  yieldToEventLoop,
} from './read-lines.ts';
import { areSameLines, type BreakMove, followBreaks } from './rules/breaks.ts';
import { describeProvenance } from './rules/custody.ts';
import { decideOnStatement } from './rules/decide-statement.ts';
import { isRebuilt } from './rules/differences.ts';
import type { JudgedTransfer } from './rules/judge-transfer.ts';
import { breakColumns, computeStatementFileName, matchedColumns, renderBreak } from './rules/rows.ts';
import {
  addFigures,
  compareTotals,
  type DayTotals,
  decodeTotals,
  encodeTotals,
  makeTally,
} from './rules/tally.ts';
import type { BreakRecord, DaysRead } from './rules/types.ts';

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
  const source = inEnglish(describeProvenance(custody.provenance));
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

// ---------------------------------------------------------------- recording

/** An attempt was settled, or a break accepted, while the statement was judged: the findings are out of date. */
class ChangedMeanwhile extends Error {
  override readonly name = 'ChangedMeanwhile';

  constructor(transRefNo: string) {
    super(`${transRefNo} was settled or decided on while the statement was judged: reconcile the day again`);
  }
}

/** The changes made by a matching. */
interface Recorded {
  opened: number;
  changed: number;
  closed: number;
  /** Changed payouts, by cause. */
  readonly causes: Map<string, number>;
  /** Breaks opened on other days than the statement's: their number, and the first of them. */
  openedOnOtherDays: number;
  readonly firstOnOtherDays: BreakRecord[];
  /** Reference of a payout that was proved paid a second time: the lines of both transfers are judged again. */
  secondProof: string | undefined;
}

/** @param left remains of the day's interrupted matchings, which were not reported and count as this one's */
const nothingRecorded = (left?: BrokenOff): Recorded => ({
  opened: 0,
  changed: 0,
  closed: 0,
  causes: new Map(left?.causes),
  openedOnOtherDays: left?.openedOnOtherDays ?? 0,
  firstOnOtherDays: [...(left?.firstOnOtherDays ?? [])],
  secondProof: undefined,
});

/** True for a break to write. An unchanged one is written only when another version or other lines show it. */
function isNews({ kind, record }: BreakMove, standing: readonly BreakRecord[]): boolean {
  if (kind !== 'kept') return true;
  const known = standing.find((one) => one.state === 'open' && one.kind === record.kind);
  return known?.version !== record.version || !areSameLines(known.lines, record.lines);
}

function count(recorded: Recorded, { kind, record }: BreakMove, { date }: StatementRun): void {
  if (kind !== 'kept') recorded[kind] += 1;
  if (kind !== 'opened' || record.date === date) return;
  recorded.openedOnOtherDays += 1;
  if (recorded.firstOnOtherDays.length < otherDaysShownMax) recorded.firstOnOtherDays.push(record);
}

/**
 * Records every judgement: the lines of the day being read, the breaks of all days, the changes of payouts. In each chunk
 * the breaks come before the changes of payouts: after a crash in between, the same matching finds the break that it has
 * opened, although our side has changed since.
 */
async function recordAll(matching: Matching, recorded: Recorded): Promise<void> {
  for await (const chunk of judgeAll(matching)) {
    await recordLines(matching, chunk);
    await recordTransfers(matching, chunk, recorded);
  }
}

/** Stores the lines that were clear at first sight. */
async function recordCleanLines({ context, run }: Matching, { index, version }: Reading): Promise<void> {
  for (const lines of inChunks(index.countedLines(), cleanLinesPerWrite)) {
    await context.store.recordCleanLines(run, version, lines);
    await yieldToEventLoop(context);
  }
}

/** Clean lines stored in one transaction. */
const cleanLinesPerWrite = 5_000;

async function recordLines(
  { context, run, reading }: Matching,
  judged: readonly JudgedTransfer[],
): Promise<void> {
  if (reading === undefined) return;
  const kept = judged.flatMap(({ days }) => {
    const day = days.find(({ date }) => date === run.date);
    if (day === undefined) return [];
    const { facts, judgement } = day;
    return facts.lines.flatMap((line, at) =>
      isRebuilt(line) ? [] : [{ key: facts.key, line, hasCells: judgement.lineClasses[at] !== 'others' }],
    );
  });
  await context.store.recordLines(run, reading.version, kept);
}

/**
 * Records breaks and changes of some transfers, and judges the changed ones again: our new status may close a break of
 * another day.
 */
async function recordTransfers(
  matching: Matching,
  first: readonly JudgedTransfer[],
  recorded: Recorded,
): Promise<void> {
  let judged = first;
  let present = matching;
  for (let round = 1; judged.length > 0; round += 1) {
    await recordBreaks(present, judged, recorded);
    const changed = await takeSteps(present, judged, recorded);
    // Days that contradict each other are left as they are after some rounds, until a statement is read again.
    if (changed.length === 0 || round === roundsMax) return;
    await using view = await matching.context.store.openStatementView();
    present = { ...matching, view, read: { ...matching.read, readNow: undefined } };
    judged = await judgeKeys(present, changed);
  }
}

const roundsMax = 5;

async function recordBreaks(
  { context, run, nowMs }: Matching,
  judged: readonly JudgedTransfer[],
  recorded: Recorded,
): Promise<void> {
  const moves = judged.flatMap(({ days }) =>
    days.flatMap(({ facts, judgement, standingBreaks: standing, version }) => {
      if (standing.length === 0 && judgement.breaks.length === 0) return [];
      return followBreaks({ facts, judgement, standing, version, nowMs }).filter((move) =>
        isNews(move, standing),
      );
    }),
  );
  const decidedOn = await context.store.recordBreaks(run, moves);
  if (decidedOn !== undefined) throw new ChangedMeanwhile(decidedOn);
  for (const move of moves) count(recorded, move, run);
}

/** @returns the keys with changed attempts, with their lines of the day being read */
async function takeSteps(
  matching: Matching,
  judged: readonly JudgedTransfer[],
  recorded: Recorded,
): Promise<readonly DeferredKey[]> {
  const steps = judged.filter(({ step }) => step !== undefined);
  if (steps.length === 0) return [];
  const { context, run } = matching;
  const batchIds = new Set(steps.flatMap(({ facts }) => facts.attempt?.batchId ?? []));
  await context.store.markReports(run, [...batchIds]);
  // Changes of some transfers are reported even when another one was overtaken.
  const taken = await Promise.allSettled(steps.map((transfer) => takeStep(matching, transfer)));
  const changed: DeferredKey[] = [];
  for (const [place, outcome] of taken.entries()) {
    const transfer = steps[place];
    if (outcome.status === 'rejected' || transfer === undefined) continue;
    if (outcome.value === undefined) {
      if (transfer.step?.kind === 'prove') await requirePaid(matching, transfer);
      continue;
    }
    await tellChange(matching, transfer, outcome.value, recorded);
    const day = transfer.facts.lines.find(({ date }) => date === matching.reading?.day.date);
    const lines = (day?.lines ?? []).filter((line) => !isRebuilt(line));
    changed.push({ key: transfer.facts.key, lines });
  }
  const failed = taken.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return changed;
}

async function tellChange(
  matching: Matching,
  { facts }: JudgedTransfer,
  change: Change,
  recorded: Recorded,
): Promise<void> {
  const { cause } = change.event;
  recorded.causes.set(cause, (recorded.causes.get(cause) ?? 0) + 1);
  if (cause === 'second-proof') recorded.secondProof = facts.key;
  await tellOthers(matching, change);
}

/** Decides on the payout's present state, again if it changes meanwhile. */
async function takeStep(matching: Matching, { facts }: JudgedTransfer): Promise<Change | undefined> {
  const { context, read, nowMs } = matching;
  const { store } = context;
  const { attempt: known, lines, standingBreaks } = facts;
  if (known === undefined) return undefined;
  const owner = await store.payout(known.payoutSeq);
  if (owner === undefined) throw new Error(`attempt ${known.order.transRefNo} belongs to no payout`);
  const loss = await store.loss();
  const decide = (mayReopen: boolean) =>
    applyOnLatest({ journal: store }, owner, async (current) => {
      const attempts = await store.attemptsOf(known.order.companyId, known.payoutId);
      const attempt = attempts.find(
        ({ payoutSeq, attemptNo }) => payoutSeq === known.payoutSeq && attemptNo === known.attemptNo,
      );
      if (attempt === undefined) return undefined;
      // The breaks belong to the earlier status: the whole day is judged again.
      if (attempt.status !== known.attemptStatus) throw new ChangedMeanwhile(known.order.transRefNo);
      const isFailedByStatement = known.isFailedByStatement === true;
      const day = { lines, standingBreaks, isFailedByStatement, read, loss, nowMs };
      const evidence = { owner: current, attempt, attempts, ...day };
      return decideOnStatement(evidence, mayReopen);
    });
  return (await decide(true)) ?? (await decide(false));
}

/** Applies a proof for an attempt that had ended to every other row with the same payoutId. */
async function tellOthers({ context, run }: Matching, change: Change): Promise<void> {
  const { attempt, event, before } = change;
  if (event.detail['alarm'] !== true || attempt?.status !== 'paid') return;
  const { store, clock, log } = context;
  log('error', 'a statement proves paid what had been closed', { transRefNo: attempt.order.transRefNo });
  const rows = await store.findPayouts(before.instruction.payoutId);
  const others = rows.map(({ batch }) => batch.batchId).filter((batchId) => batchId !== before.batchId);
  if (others.length === 0) return;
  await store.markReports(run, [...new Set(others)]);
  await notifySiblings({ journal: store, clock, count: () => {} }, change, attempt);
}

/** Another process may have recorded the same proof first; nothing else may have prevented it. */
async function requirePaid({ context }: Matching, { facts }: JudgedTransfer): Promise<void> {
  const { attempt } = facts;
  if (attempt === undefined) return;
  const { companyId, transRefNo } = attempt.order;
  const latest = await context.store.attemptsOf(companyId, attempt.payoutId);
  if (latest.some(({ order, status }) => order.transRefNo === transRefNo && status === 'paid')) return;
  throw new Error(`the statement proves ${transRefNo} paid and the journal does not take it`);
}
