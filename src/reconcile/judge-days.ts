/**
 * Judges the other days again: a statement brings news of transfers that another day's lacked, and what has been
 * settled meanwhile closes breaks. Of those days no line is read again: a break keeps the lines that it speaks of.
 */
import { formatBangkokDate } from '../core/bangkok-time.ts';
import { type Bench, breathe, type ReconcileContext } from './context.ts';
import { findElsewhere, holdBack, inChunks, type JudgedKey } from './judge.ts';
import type { StatementDayState, StatementRun, StatementView } from './ports.ts';
import { type Recorded, recordKeys } from './record.ts';
import { wasSettledSince } from './rules/evidence.ts';
import { matchKey } from './rules/match.ts';
import type { StatementLine } from './rules/statement.ts';
import type { AttemptFacts, StatementDay } from './rules/types.ts';

/** The day of a statement that has just been judged, and as which version. */
export interface JudgedDay {
  readonly date: string;
  readonly version: number;
  /** The statement is of the whole day. */
  readonly isWhole: boolean;
}

/** Days to be judged again, and how far each statement has come. */
interface OtherDays {
  readonly run: StatementRun;
  /** Undefined when no statement was read anew. */
  readonly judged: JudgedDay | undefined;
  /** Each day's present statement. */
  readonly states: ReadonlyMap<string, StatementDayState>;
  readonly readDates: ReadonlySet<string>;
}

/**
 * Judges the breaks of all days but those of a statement that has just been judged, and everything in doubt.
 * @param judged undefined when no statement was read anew
 */
export async function judgeOtherDays(
  context: ReconcileContext,
  run: StatementRun,
  judged: JudgedDay | undefined,
  recorded: Recorded,
): Promise<void> {
  const known = await context.store.statementDays();
  const states = new Map(known.map((state) => [state.date, state]));
  const readDates = new Set(readWholeDays(context, run));
  if (judged?.isWhole === true) readDates.add(judged.date);
  const days: OtherDays = { run, judged, states, readDates };
  const news = await readNews(context, days);
  for (const { date, openBreaks } of known) {
    if (date === judged?.date) continue;
    const ofDay = news.get(date);
    if (openBreaks > 0 || ofDay !== undefined)
      await judgeDay(context, days, date, ofDay ?? noNews(), recorded);
  }
  for (const [date, { found }] of news) {
    if (!states.has(date)) await reopenWithdrawn(context, days, date, found, recorded);
  }
}

/** What had failed by a line that another day's statement has no more; that of its own day was never read. */
async function reopenWithdrawn(
  context: ReconcileContext,
  { run, judged, readDates }: OtherDays,
  date: string,
  found: ReadonlySet<string>,
  recorded: Recorded,
): Promise<void> {
  using view = context.store.openStatementView(run, judged?.version);
  const day: StatementDay = { date, companyId: context.companyId, readDates };
  const bench: Bench = { context, run, day, version: 0, nowMs: context.clock.now(), view };
  for (const keys of inChunks(found)) {
    const attempts = view.byReference(keys);
    const again = keys.map((key) => judgeAgain(bench, key, attempts.get(key), []));
    const withdrawn = again.filter(({ judgement }) => judgement.step === 'reopen');
    // Nothing can be absent from a statement that nobody has read.
    const steps = withdrawn.map((key) => ({ ...key, judgement: { ...key.judgement, breaks: [] } }));
    await recordKeys(bench, steps, recorded);
    await breathe(context);
  }
}

/** A day that has not ended may get more transfers: nothing is absent from its statement for good. */
export function isWhole(date: string, nowMs: number): boolean {
  return date < formatBangkokDate(nowMs);
}

function readWholeDays({ store }: ReconcileContext, run: StatementRun): ReadonlySet<string> {
  using view = store.openStatementView(run);
  return view.readDates();
}

/** References that concern a day beside its open breaks. */
interface DayNews {
  /** Of its transfers that are in doubt. */
  readonly inDoubt: Set<string>;
  /** Of its transfers of which the judged statement has, or in the version before had, a line. */
  readonly found: Set<string>;
  /** Of its transfers that we called failed when it was read, and that an inquiry has proved paid since. */
  readonly provedLate: Set<string>;
  /** Of transfers of the judged day that its statement has, too. */
  readonly strays: Set<string>;
}

const noNews = (): DayNews => ({
  inDoubt: new Set(),
  found: new Set(),
  provedLate: new Set(),
  strays: new Set(),
});

/** What concerns each day but the judged one. */
async function readNews(context: ReconcileContext, days: OtherDays): Promise<ReadonlyMap<string, DayNews>> {
  using view = context.store.openStatementView(days.run, days.judged?.version);
  const byDate = new Map<string, DayNews>();
  const newsOf = (date: string): DayNews => {
    const news = byDate.get(date) ?? noNews();
    byDate.set(date, news);
    return news;
  };
  for (const { order } of view.attemptsInDoubt()) {
    if (days.readDates.has(order.tranDate)) newsOf(order.tranDate).inDoubt.add(order.transRefNo);
  }
  for (const { order, lastInquiryAtMs } of view.attemptsProvedLate()) {
    const acceptedAtMs = days.states.get(order.tranDate)?.acceptedAtMs ?? Infinity;
    if ((lastInquiryAtMs ?? 0) > acceptedAtMs) newsOf(order.tranDate).provedLate.add(order.transRefNo);
  }
  if (days.judged === undefined) return byDate;
  const judgedDate = days.judged.date;
  for (const keys of inChunks(view.strayKeys(judgedDate))) {
    for (const { order } of view.byReference(keys).values()) {
      if (order.tranDate !== judgedDate) newsOf(order.tranDate).found.add(order.transRefNo);
    }
    await breathe(context);
  }
  // Together with the judged day's they may say that a transfer was made twice.
  for (const keys of inChunks(view.keysElsewhere(judgedDate))) {
    for (const key of keys) {
      for (const { date } of view.elsewhere(key, judgedDate)) newsOf(date).strays.add(key);
    }
    await breathe(context);
  }
  return byDate;
}

async function judgeDay(
  context: ReconcileContext,
  { run, judged, states, readDates }: OtherDays,
  date: string,
  news: DayNews,
  recorded: Recorded,
): Promise<void> {
  using view = context.store.openStatementView(run, judged?.version);
  const day: StatementDay = { date, companyId: context.companyId, readDates };
  const [version, nowMs] = [states.get(date)?.version ?? 1, context.clock.now()];
  const bench: Bench = { context, run, day, version, nowMs, view };
  for (const keys of keysToJudge(view, date, news, judged)) {
    const attempts = view.byReference(keys);
    const again = keys.map((key) => {
      const isKept = news.found.has(key) || news.strays.has(key);
      return judgeAgain(bench, key, attempts.get(key), isKept ? readKeptLines(view, key, date, judged) : []);
    });
    await recordKeys(bench, await holdBack(bench, again), recorded);
    await breathe(context);
  }
}

/** In chunks, each once, as the view has them, whatever is recorded meanwhile: a bad day has a hundred thousand breaks. */
function* keysToJudge(
  view: StatementView,
  date: string,
  { inDoubt, found, provedLate, strays }: DayNews,
  judged: JudgedDay | undefined,
): Generator<readonly string[]> {
  yield* inChunks(view.keysWithBreaks(date));
  const hasNoBreak = (key: string): boolean => view.openBreaks(key, date).length === 0;
  // One that the day's statement has, too, is judged by its break alone: only a break keeps the lines.
  const isAbsent = (key: string): boolean => hasNoBreak(key) && view.isAbsent(key, date);
  const isKept = (key: string): boolean =>
    hasNoBreak(key) && readKeptLines(view, key, date, judged).length > 0;
  for (const keys of inChunks(inDoubt)) yield keys.filter(isAbsent);
  // What the line had closed there is open again when it has gone.
  for (const keys of inChunks(found)) {
    yield keys.filter((key) => isKept(key) || (!inDoubt.has(key) && isAbsent(key)));
  }
  for (const keys of inChunks(provedLate)) yield keys.filter((key) => !view.isNoted(key, date));
  for (const keys of inChunks(strays)) yield keys.filter(hasNoBreak);
}

/** Lines of a day's statement that a closed break keeps, or that were kept for the judged day's sake. */
function readKeptLines(
  view: StatementView,
  key: string,
  date: string,
  judged: JudgedDay | undefined,
): readonly StatementLine[] {
  if (judged === undefined) return [];
  const elsewhere = view.elsewhere(key, judged.date);
  return elsewhere.filter((other) => other.date === date).map(({ line }) => line);
}

/** @param strays its lines, where no break keeps them */
function judgeAgain(
  { view, day }: Bench,
  key: string,
  attempt: AttemptFacts | undefined,
  strays: readonly StatementLine[],
): JudgedKey {
  const open = view.openBreaks(key, day.date);
  const [known] = open;
  const lines = known?.lines ?? strays;
  const elsewhere = findElsewhere(view, key, lines, attempt, day);
  const facts = { key, lines, attempt, elsewhere, isSettledSince: wasSettledSince(known, attempt) };
  const judgement = matchKey(facts, day);
  // What was answered when the day itself was judged is closed already; what is outdated since was right then.
  const breaks = judgement.breaks.filter(
    ({ kind, isAnswered = false, isOutdated = false }) =>
      !(isAnswered || isOutdated) || open.some((record) => record.kind === kind),
  );
  return { facts, judgement: { ...judgement, breaks }, counted: [] };
}
