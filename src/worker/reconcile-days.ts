/**
 * Judges the other days again: a statement brings news of transfers that another day's lacked, and what has been
 * settled meanwhile closes breaks. Of those days no line is read again: a break keeps the lines that it speaks of.
 */
import { formatBangkokDate } from '../core/bangkok-time.ts';
import { matchKey } from '../core/statement-match.ts';
import type { StatementLine } from '../core/statement.ts';
import type { AttemptStatus } from '../core/payout.ts';
import type { StatementRun } from '../core/statement-store-port.ts';
import type { AttemptFacts, BreakRecord, StatementDay } from '../core/statement-types.ts';
import { findElsewhere, holdBack, type JudgedKey } from './reconcile-judge.ts';
import { breathe, type ReconcileContext } from './reconcile-judging.ts';
import { recordKeys, type Bench, type Recorded } from './reconcile-record.ts';

/** Keys that are judged between two breaths. */
const keysPerBreath = 200;

/** Days to be judged again, and how far each statement has come. */
interface OtherDays {
  readonly run: StatementRun;
  /** Version of each day's present statement. */
  readonly versions: ReadonlyMap<string, number>;
  readonly readDates: ReadonlySet<string>;
}

/**
 * Judges the breaks of all days but those of a statement that has just been judged, and everything in doubt.
 * @param judgedDate its day; undefined when no statement was read anew
 */
export async function judgeOtherDays(
  context: ReconcileContext,
  run: StatementRun,
  judgedDate: string | undefined,
  recorded: Recorded,
): Promise<void> {
  const states = await context.store.statementDays();
  const versions = new Map(states.map(({ date, version }) => [date, version]));
  const readDates = new Set(readWholeDays(context, run));
  if (judgedDate !== undefined && isWhole(judgedDate, context.clock.now())) readDates.add(judgedDate);
  const days: OtherDays = { run, versions, readDates };
  const doubtful = readDoubtful(context, days, judgedDate);
  const strays = judgedDate === undefined ? new Map<string, Strays>() : readStrays(context, run, judgedDate);
  for (const { date, openBreaks } of states) {
    if (date === judgedDate) continue;
    const news = { inDoubt: doubtful.get(date) ?? [], strays: strays.get(date) ?? new Map() };
    const isNews = openBreaks > 0 || news.inDoubt.length > 0 || news.strays.size > 0;
    if (isNews) await judgeDay(context, days, date, news, recorded);
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

/** Lines of a day's statement for transfers of another day, by their key. */
type Strays = Map<string, StatementLine[]>;

/** What concerns a day beside its open breaks. */
interface DayNews {
  readonly inDoubt: readonly string[];
  readonly strays: ReadonlyMap<string, readonly StatementLine[]>;
}

/** Transfers of the judged day that other days' statements have, too: together they may say that it was made twice. */
function readStrays(
  { store }: ReconcileContext,
  run: StatementRun,
  judgedDate: string,
): ReadonlyMap<string, Strays> {
  using view = store.openStatementView(run);
  const byDate = new Map<string, Strays>();
  for (const key of view.keysWithPast(judgedDate)) {
    for (const { date, line } of view.elsewhere(key, judgedDate)) {
      const strays: Strays = byDate.get(date) ?? new Map();
      strays.set(key, [...(strays.get(key) ?? []), line]);
      byDate.set(date, strays);
    }
  }
  return byDate;
}

/** References in doubt by the day of their transfer, where that day's statement was read. */
function readDoubtful(
  { store }: ReconcileContext,
  { run, readDates }: OtherDays,
  judgedDate: string | undefined,
): ReadonlyMap<string, readonly string[]> {
  using view = store.openStatementView(run);
  const byDate = new Map<string, string[]>();
  for (const { order } of view.attemptsInDoubt()) {
    if (order.tranDate === judgedDate || !readDates.has(order.tranDate)) continue;
    const references = byDate.get(order.tranDate) ?? [];
    references.push(order.transRefNo);
    byDate.set(order.tranDate, references);
  }
  return byDate;
}

async function judgeDay(
  context: ReconcileContext,
  { run, versions, readDates }: OtherDays,
  date: string,
  { inDoubt, strays }: DayNews,
  recorded: Recorded,
): Promise<void> {
  using view = context.store.openStatementView(run);
  const day: StatementDay = {
    date,
    companyId: context.companyId,
    readDates: new Set([...readDates, date]),
  };
  const bench: Bench = {
    context,
    run,
    day,
    version: versions.get(date) ?? 1,
    nowMs: context.clock.now(),
    view,
  };
  // One in doubt that the day's statement has, too, is judged by its break alone: only a break keeps the lines.
  const absent = inDoubt.filter((key) => view.wasAbsent(key, date));
  const keys = [...new Set([...view.keysWithBreaks(date), ...absent, ...strays.keys()])];
  for (let from = 0; from < keys.length; from += keysPerBreath) {
    const chunk = keys.slice(from, from + keysPerBreath);
    const attempts = view.byReference(chunk);
    const judged = chunk.map((key) => judgeAgain(bench, key, attempts.get(key), strays.get(key)));
    await recordKeys(bench, await holdBack(bench, judged), recorded);
    await breathe(context);
  }
}

function judgeAgain(
  { view, day }: Bench,
  key: string,
  attempt: AttemptFacts | undefined,
  strays: readonly StatementLine[] = [],
): JudgedKey {
  const [known] = view.openBreaks(key, day.date);
  const lines = known?.lines ?? strays;
  const elsewhere = findElsewhere(view, key, lines, attempt, day);
  const facts = { key, lines, attempt, elsewhere, isSettledSince: wasSettledSince(known, attempt) };
  const judgement = matchKey(facts, day);
  // What was answered when the day itself was judged is closed already.
  const breaks = judgement.breaks.filter(({ isAnswered }) => known !== undefined || isAnswered !== true);
  return { facts, judgement: { ...judgement, breaks }, counted: [] };
}

/** An inquiry or a person has settled the attempt after its lines were judged: theirs is the newer word. */
function wasSettledSince(known: BreakRecord | undefined, attempt: AttemptFacts | undefined): boolean {
  if (known === undefined || known.attempt === null || attempt === undefined) return false;
  const wasOpen = openStatuses.includes(known.attempt.attemptStatus);
  const isAsked = (attempt.lastInquiryAtMs ?? 0) > known.openedAtMs;
  return !openStatuses.includes(attempt.attemptStatus) && (wasOpen || isAsked);
}

const openStatuses: readonly AttemptStatus[] = ['recorded', 'sent', 'unresolved'];
