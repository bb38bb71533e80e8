/** Judges what a statement says beyond the lines that are clear: lines put aside, attempts that it misses, breaks of before. */
import { toSatang, zeroSatang } from '../core/money.ts';
import { isInQuestion, mustLookUp } from '../payout/rules/lost-journal.ts';
import { breathe, type Judging, type PaidOfDay } from './context.ts';
import type { LineGroup, StatementTotals, StatementView } from './ports.ts';
import { amountOf, lineKeyOf } from './rules/differences.ts';
import { withOwnDay } from './rules/evidence.ts';
import { matchKey } from './rules/match.ts';
import { renderMatched } from './rules/rows.ts';
import type { StatementLine } from './rules/statement.ts';
import { type DayTotals, findTotalsGaps, type TotalsGap } from './rules/tally.ts';
import type { AttemptFacts, Judgement, KeyFacts, LineElsewhere, StatementDay } from './rules/types.ts';

/** Keys that are judged between two breaths. */
const keysPerBreath = 200;

/** One key with what the comparison has shown. */
export interface JudgedKey {
  readonly facts: KeyFacts;
  readonly judgement: Judgement;
  /** Places of lines that were counted when they were read. */
  readonly counted: readonly number[];
}

/** Yields lists of as many as are judged between two breaths. */
export function* inChunks<Item>(items: Iterable<Item>): Generator<readonly Item[]> {
  let chunk: Item[] = [];
  for (const item of items) {
    chunk.push(item);
    if (chunk.length < keysPerBreath) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

/** What other days' statements say of a key. */
export function findElsewhere(
  view: StatementView,
  key: string,
  lines: readonly StatementLine[],
  attempt: AttemptFacts | undefined,
  day: StatementDay,
): readonly LineElsewhere[] {
  const known = view.elsewhere(key, day.date);
  if (attempt === undefined || lines.length === 0 || attempt.order.tranDate === day.date) return known;
  const isAbsent = view.isAbsent(key, attempt.order.tranDate);
  return withOwnDay({ lines: known, isAbsent, open: view.openBreaks(key, day.date) }, lines, attempt, day);
}

/**
 * Judges again what would be settled as failed while a lost part of the journal may have made a later attempt: it waits,
 * and is named, until that was looked for.
 */
export async function holdBack(
  { context: { store }, day }: Pick<Judging, 'context' | 'day'>,
  judged: readonly JudgedKey[],
): Promise<readonly JudgedKey[]> {
  if (!judged.some(({ judgement }) => judgement.step === 'fail')) return judged;
  const loss = await store.loss();
  if (!isInQuestion(loss)) return judged;
  return Promise.all(
    judged.map(async (key) => {
      const { attempt } = key.facts;
      if (key.judgement.step !== 'fail' || attempt === undefined) return key;
      const attempts = await store.attemptsOf(attempt.order.companyId, attempt.payoutId);
      if (!mustLookUp(loss, attempts)) return key;
      const facts = { ...key.facts, mayHaveLaterAttempt: true };
      return { ...key, facts, judgement: matchKey(facts, day) };
    }),
  );
}

function judge(
  { view, day }: Judging,
  key: string,
  group: Partial<LineGroup>,
  attempt?: AttemptFacts,
): JudgedKey {
  const { lines = [], counted = [] } = group;
  const facts = { key, lines, attempt, elsewhere: findElsewhere(view, key, lines, attempt, day) };
  return { facts, judgement: matchKey(facts, day), counted };
}

function judgeGroups(judging: Judging, groups: readonly LineGroup[]): JudgedKey[] {
  const attempts = judging.view.byReference(groups.map(({ key }) => key));
  return groups.map((group) => {
    const { key, lines } = group;
    if (lines.some((line) => lineKeyOf(line) !== key)) throw new Error('lines of two keys were mixed');
    return judge(judging, key, group, attempts.get(key));
  });
}

/** Keys with open breaks of a version before that are neither a line's of this one nor an attempt's of the day. */
function* leftKeys({ view, index, scratch, day }: Judging): Generator<string> {
  for (const key of view.keysWithBreaks(day.date)) {
    if (index.find(key) === undefined && !scratch.has(key)) yield key;
  }
}

/** Every key that is not clear, in chunks; the same each time it is asked for. */
export async function* judgeUnclear(judging: Judging): AsyncGenerator<readonly JudgedKey[]> {
  const { scratch, index, view, context } = judging;
  for (const groups of inChunks(scratch.groups())) {
    yield await holdBack(judging, judgeGroups(judging, groups));
    await breathe(context);
  }
  for (const keys of inChunks(index.missed())) {
    yield keys.map(({ payoutSeq, attemptNo }) => {
      const attempt = view.attempt(payoutSeq, attemptNo);
      return judge(judging, attempt.order.transRefNo, {}, attempt);
    });
    await breathe(context);
  }
  for (const keys of inChunks(leftKeys(judging))) {
    const attempts = view.byReference(keys);
    yield keys.map((key) => judge(judging, key, {}, attempts.get(key)));
    await breathe(context);
  }
}

/** A bug of ours, or a damaged journal: what was counted already is judged otherwise together with the rest. */
class ClearLineError extends Error {
  override readonly name = 'ClearLineError';

  constructor() {
    super('a line that was clear at first sight is not so any more: nothing is recorded');
  }
}

/** Without the lines that were counted at first sight: these are in the totals already. */
function withoutCounted({ facts, judgement, counted }: JudgedKey): Pick<JudgedKey, 'facts' | 'judgement'> {
  if (counted.length === 0) return { facts, judgement };
  const isStillClear =
    judgement.paidClass === 'matched' && counted.every((at) => judgement.lineClasses[at] === 'matched');
  if (!isStillClear || judgement.step !== undefined) {
    throw new ClearLineError();
  }
  const isRest = (_: unknown, at: number): boolean => !counted.includes(at);
  return {
    facts: { ...facts, lines: facts.lines.filter(isRest) },
    judgement: { ...judgement, lineClasses: judgement.lineClasses.filter(isRest), paidClass: undefined },
  };
}

/** Counts every key that is not clear, and lists the lines among them that agree. Returns what will be paid by it. */
export async function countUnclear(judging: Judging): Promise<PaidOfDay> {
  const { tally, matched, day, version } = judging;
  let count = 0;
  let satang: bigint = zeroSatang;
  for await (const chunk of judgeUnclear(judging)) {
    for (const judged of chunk) {
      const rest = withoutCounted(judged);
      tally.add(rest.facts, rest.judgement);
      for (const row of renderMatched(day.date, version, rest.facts, rest.judgement)) await matched.add(row);
      const { attempt } = judged.facts;
      const isProved = judged.judgement.step === 'prove' && attempt !== undefined;
      if (!isProved || attempt.attemptStatus === 'paid' || attempt.order.tranDate !== day.date) continue;
      count += 1;
      satang += amountOf(attempt);
    }
  }
  return { count, satang: toSatang(satang) };
}

/** The day does not tie out: a bug of ours, or a damaged journal. Nothing is recorded or published. */
class TotalsGapError extends Error {
  override readonly name = 'TotalsGapError';
  readonly gaps: readonly TotalsGap[];

  constructor(gaps: readonly TotalsGap[]) {
    const places = gaps.map(
      ({ where, counted, expected }) =>
        `${where}: ${counted.count} for ${counted.satang} satang, expected ${expected.count} for ${expected.satang}`,
    );
    super(`the statement does not tie out with the journal (${places.join('; ')}): nothing is recorded`);
    this.gaps = gaps;
  }
}

/** @throws TotalsGapError unless both sides add up to the satang */
export function requireTieOut(
  totals: DayTotals,
  statement: StatementTotals,
  paid: PaidOfDay,
  proved: PaidOfDay,
): void {
  const gaps = findTotalsGaps(totals, {
    statement: { count: statement.lines, satang: statement.amountSatang },
    paid: { count: paid.count + proved.count, satang: toSatang(paid.satang + proved.satang) },
  });
  if (gaps.length > 0) throw new TotalsGapError(gaps);
}
