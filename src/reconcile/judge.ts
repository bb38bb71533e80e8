/**
 * Judges each transfer once over the lines of all days, and compares the totals of the day being read with both sides.
 */
import { inEnglish } from '../core/message.ts';
import { mustProbe } from '../payout/rules/lost-journal.ts';
import type { Deferred, DeferredKey, StatementRun, StatementTotals, StatementView } from './ports.ts';
import { inChunks, type Reading, type ReconcileContext, yieldToEventLoop } from './read-lines.ts';
import { describeProvenance } from './rules/custody.ts';
import { amountOf, isRebuilt, lineKeyOf, rebuildLine } from './rules/differences.ts';
import { isRequestUnderWay } from './rules/evidence.ts';
import { type JudgedDay, type JudgedTransfer, judgeTransfer } from './rules/judge-transfer.ts';
import { renderMatched } from './rules/rows.ts';
import { addFigures, type DayTotals, findTotalsGaps, noFigures } from './rules/tally.ts';
import type { AttemptFacts, DayLines, DaysRead, Figures } from './rules/types.ts';

/** Keys judged in one turn of the event loop; fewer when they have many lines. */
const keysPerTurn = 200;
const linesPerTurn = 1_000;

/** The facts by which transfers are judged. */
export interface Matching {
  readonly context: ReconcileContext;
  readonly run: StatementRun;
  readonly read: DaysRead;
  readonly nowMs: number;
  readonly view: StatementView;
  /** Keys to judge. */
  readonly deferred: Deferred;
  /** The day being read; undefined when no statement is being read. */
  readonly reading: Reading | undefined;
}

/** Share of a key in a turn. */
const weighKey = ({ lines }: DeferredKey): number => Math.max(linesPerTurn / keysPerTurn, lines.length);

/** Adds the keys of the day being read, besides those of deferred lines. */
export async function noteDay(matching: Matching, reading: Reading): Promise<void> {
  const { date } = reading.day;
  await note(matching, referencesMissed(reading));
  // Keys that the previous version has and this one lacks.
  await note(matching, matching.view.unclearKeysOf(date));
  await note(matching, matching.view.keysWithBreaks(date));
}

/** Adds the keys that any statement, or a settlement since the last one, may have changed. */
export async function noteOtherDays(matching: Matching): Promise<void> {
  const { view, read } = matching;
  await note(matching, view.keysWithBreaks());
  await note(matching, referencesInDoubt(view, read));
  await note(matching, referencesProvedLate(view));
}

async function note({ context, deferred }: Matching, pages: AsyncIterable<readonly string[]>): Promise<void> {
  for await (const keys of pages) {
    deferred.note(keys);
    await yieldToEventLoop(context);
  }
}

async function* referencesInDoubt(
  view: StatementView,
  { wholeDates }: DaysRead,
): AsyncGenerator<readonly string[]> {
  for await (const page of view.attemptsInDoubt())
    yield page.flatMap(({ order }) => (wholeDates.has(order.tranDate) ? [order.transRefNo] : []));
}

async function* referencesProvedLate(view: StatementView): AsyncGenerator<readonly string[]> {
  const proved = await view.attemptsProvedLate();
  yield proved.map(({ order }) => order.transRefNo);
}

async function* referencesMissed({ index, view }: Reading): AsyncGenerator<readonly string[]> {
  for (const places of inChunks(index.missed(), keysPerTurn)) {
    const references: string[] = [];
    for (const place of places) references.push((await view.attempt(place)).order.transRefNo);
    yield references;
  }
}

/** Judges every key, in chunks; a repeated call gives the same result. */
export async function* judgeAll(matching: Matching): AsyncGenerator<readonly JudgedTransfer[]> {
  for (const keys of inChunks(matching.deferred.keys(), linesPerTurn, weighKey)) {
    yield await judgeKeys(matching, keys);
    await yieldToEventLoop(matching.context);
  }
}

/** Judges some keys by the facts of a view. */
export async function judgeKeys(
  matching: Matching,
  keys: readonly DeferredKey[],
): Promise<readonly JudgedTransfer[]> {
  const { view, read } = matching;
  const names = keys.map(({ key }) => key);
  const attempts = await view.byReference(names);
  await recallMissing(matching, keys, attempts);
  const kept = await view.linesOf(names, attempts.values());
  const breaks = await view.standingBreaks(names);
  const judged = keys.map(({ key, lines: deferred }) => {
    if (deferred.some((line) => lineKeyOf(line) !== key)) throw new Error('lines of two keys were mixed');
    const attempt = attempts.get(key);
    const lines = findLines(matching, { key, lines: deferred }, attempt, kept.get(key) ?? []);
    return judgeTransfer({ key, attempt, lines, standingBreaks: breaks.get(key) ?? [] }, read);
  });
  return holdBack(matching, judged);
}

/** Archived batches have come back into the journal: the keys are judged again by a view that includes them. */
export class RecalledError extends Error {
  override readonly name = 'RecalledError';
}

/** @throws RecalledError when keys without an attempt in the journal belong to archived attempts */
async function recallMissing(
  { context: { store }, nowMs }: Matching,
  keys: readonly DeferredKey[],
  attempts: ReadonlyMap<string, AttemptFacts>,
): Promise<void> {
  const missing = keys.map(({ key }) => key).filter((key) => !attempts.has(key));
  if ((await store.recall('transRefNo', missing, nowMs)) > 0)
    throw new RecalledError('archived payouts are back in the journal');
}

/** The lines of a key: for the day being read as they were read, for other days from their present statements. */
function findLines(
  { reading }: Matching,
  { key, lines: deferred }: DeferredKey,
  attempt: AttemptFacts | undefined,
  kept: readonly DayLines[],
): readonly DayLines[] {
  if (reading === undefined) return kept;
  const { index, day } = reading;
  const others = kept.filter(({ date }) => date !== day.date);
  const counted = attempt === undefined ? 0 : index.countedLine(key, attempt);
  const lines =
    attempt === undefined || counted === 0
      ? deferred
      : [rebuildLine(attempt, counted), ...deferred].toSorted((one, other) => one.line - other.line);
  if (lines.length === 0) return others;
  return [...others, { date: day.date, lines }].toSorted((one, other) => (one.date < other.date ? -1 : 1));
}

/**
 * Judges again a transfer that would fail while a request of it is under way, or while a lost part of the journal may
 * have made a later attempt: it waits, and is reported, until the request is answered or the attempt was searched for.
 */
async function holdBack(
  { context: { store }, read, nowMs }: Matching,
  judged: readonly JudgedTransfer[],
): Promise<readonly JudgedTransfer[]> {
  const loss = judged.some(({ step }) => step?.kind === 'fail') ? await store.loss() : undefined;
  return Promise.all(
    judged.map(async (transfer) => {
      const { facts, step } = transfer;
      const known = facts.attempt;
      if (step?.kind !== 'fail' || known === undefined) return transfer;
      const attempts = await store.attemptsOf(known.order.companyId, known.payoutId);
      const attempt = attempts.find(
        ({ payoutSeq, attemptNo }) => payoutSeq === known.payoutSeq && attemptNo === known.attemptNo,
      );
      const owner = await store.payout(known.payoutSeq);
      const isUnderWay =
        attempt !== undefined && owner !== undefined && isRequestUnderWay(owner, attempt, nowMs);
      const mayHaveLaterAttempt = mustProbe(loss, attempts);
      if (!isUnderWay && !mayHaveLaterAttempt) return transfer;
      return judgeTransfer({ ...facts, isUnderWay, mayHaveLaterAttempt }, read);
    }),
  );
}

/** A line counted at first sight is judged differently together with the rest: a bug, or a damaged journal. */
class ClearLineError extends Error {
  override readonly name = 'ClearLineError';
}

/** The judgement without the line counted at first sight, which is already in the totals. */
function withoutCounted({ facts, judgement }: JudgedDay): Pick<JudgedDay, 'facts' | 'judgement'> {
  const counted = facts.lines.findIndex(isRebuilt);
  if (counted < 0) return { facts, judgement };
  const isStillClear = judgement.paidClass === 'matched' && judgement.lineClasses[counted] === 'matched';
  if (!isStillClear || judgement.step !== undefined)
    throw new ClearLineError('a line that was clear at first sight is not so any more: nothing is recorded');
  const isRest = (_: unknown, at: number): boolean => at !== counted;
  return {
    facts: { ...facts, lines: facts.lines.filter(isRest) },
    judgement: { ...judgement, lineClasses: judgement.lineClasses.filter(isRest), paidClass: undefined },
  };
}

/** Counts every key that is not clear, and lists its agreeing lines. Returns the payouts that this makes paid. */
export async function countAll(
  matching: Matching,
  { tally, matched, day, version, custody }: Reading,
): Promise<Figures> {
  const source = inEnglish(describeProvenance(custody.provenance));
  let proved = noFigures;
  for await (const chunk of judgeAll(matching)) {
    for (const { days } of chunk) {
      const judged = days.find(({ date }) => date === day.date);
      if (judged === undefined) continue;
      const { facts, judgement } = withoutCounted(judged);
      tally.add(facts, judgement);
      for (const row of renderMatched(day.date, version, facts, judgement, source)) await matched.add(row);
      const { attempt } = facts;
      const isProved = judgement.step === 'prove' && attempt !== undefined;
      if (!isProved || attempt.attemptStatus === 'paid' || attempt.order.tranDate !== day.date) continue;
      proved = addFigures(proved, { count: 1, satang: amountOf(attempt) });
    }
  }
  return proved;
}

/** The totals of the day do not agree: a bug, or a damaged journal. Nothing is recorded or published. */
class TotalsGapError extends Error {
  override readonly name = 'TotalsGapError';
}

/** @throws TotalsGapError unless both sides agree to the satang */
export function requireTieOut(totals: DayTotals, statement: StatementTotals, paid: Figures): void {
  const gaps = findTotalsGaps(totals, {
    statement: { count: statement.lines, satang: statement.amountSatang },
    paid,
  });
  if (gaps.length === 0) return;
  const places = gaps.map(
    ({ where, counted, expected }) =>
      `${where}: ${counted.count} for ${counted.satang} satang, expected ${expected.count} for ${expected.satang}`,
  );
  throw new TotalsGapError(
    `the statement does not tie out with the journal (${places.join('; ')}): nothing is recorded`,
  );
}
