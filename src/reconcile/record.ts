/**
 * Records what a judging has shown. Of each chunk the breaks come first, then the changes of payouts: after a crash in
 * between the same judging finds the break that it has opened, though our own side has moved on since.
 */
import type { Change } from '../core/ports.ts';
import { applyOnLatest } from '../payout/apply-change.ts';
import { tellSiblings } from '../payout/superseded.ts';
import type { Bench } from './context.ts';
import type { JudgedKey } from './judge.ts';
import type { BrokenOff, StatementRun, StrayLine } from './ports.ts';
import { decideOnStatement } from './rules/after-statement.ts';
import { areSameLines, type BreakMove, followBreaks } from './rules/breaks.ts';
import type { BreakRecord, StatementDay } from './rules/types.ts';

/** Somebody has settled an attempt while the statement was judged: what was found out about it is out of date. */
export class ChangedMeanwhile extends Error {
  override readonly name = 'ChangedMeanwhile';

  constructor(transRefNo: string) {
    super(`${transRefNo} was settled while the statement was judged: reconcile the day again`);
  }
}

/** What a judging has done. */
export interface Recorded {
  opened: number;
  changed: number;
  closed: number;
  /** Payouts that were changed, by cause. */
  readonly causes: Map<string, number>;
  readonly batchIds: Set<string>;
  /** Breaks that were opened on other days than the statement's: how many, and the first of them. */
  openedElsewhere: number;
  readonly firstElsewhere: BreakRecord[];
  /** A payout was proved paid a second time: the lines of both transfers are to be judged again for that. */
  secondProof: string | undefined;
}

/** Breaks of other days that are kept to be shown; the journal has them all. */
export const elsewhereShownMax = 20;

/** @param left by judgings of the day that broke off: nobody was told of it, so that it counts as this one's */
export const nothingRecorded = (left?: BrokenOff): Recorded => ({
  opened: 0,
  changed: 0,
  closed: 0,
  causes: new Map(left?.causes),
  batchIds: new Set(),
  openedElsewhere: left?.openedElsewhere ?? 0,
  firstElsewhere: [...(left?.firstElsewhere ?? [])],
  secondProof: undefined,
});

/** A break that stays as it was is written again only when another version shows it, or other lines do. */
function isNews({ kind, record }: BreakMove, open: readonly BreakRecord[]): boolean {
  if (kind !== 'kept') return true;
  const known = open.find((one) => one.kind === record.kind);
  return known?.version !== record.version || !areSameLines(known.lines, record.lines);
}

function count(recorded: Recorded, { kind, record }: BreakMove, { date }: StatementRun): void {
  if (kind !== 'kept') recorded[kind] += 1;
  if (kind !== 'opened' || record.date === date) return;
  recorded.openedElsewhere += 1;
  if (recorded.firstElsewhere.length < elsewhereShownMax) recorded.firstElsewhere.push(record);
}

/** Records breaks and changes of some keys. */
export async function recordKeys(
  bench: Bench,
  judged: readonly JudgedKey[],
  recorded: Recorded,
): Promise<void> {
  const { context, run, view, version, nowMs, day } = bench;
  const moves = judged.flatMap(({ facts, judgement }) => {
    const open = view.openBreaks(facts.key, day.date);
    if (open.length === 0 && judgement.breaks.length === 0) return [];
    return followBreaks({ facts, judgement, open, version, nowMs }).filter((move) => isNews(move, open));
  });
  await context.store.recordBreaks(run, moves);
  for (const move of moves) count(recorded, move, run);
  await takeSteps(bench, judged, recorded);
}

/**
 * What the judging of other days is to know of this one: lines of their transfers, and of its own transfers what it says
 * of those that failed, or that another day's statement has, too. That it lacks one is known from a break, else it is
 * noted.
 */
export function findStrays(judged: readonly JudgedKey[], { date }: StatementDay): StrayLine[] {
  return judged.flatMap(({ facts: { key, attempt, lines, elsewhere }, judgement }): StrayLine[] => {
    if (attempt === undefined) return [];
    const isOfDay = attempt.order.tranDate === date;
    if (lines.length === 0) return isOfDay && judgement.breaks.length === 0 ? [{ key, line: null }] : [];
    const isNoted = !isOfDay || elsewhere.length > 0 || lines.some(({ status }) => status === 'failed');
    return isNoted ? lines.map((line) => ({ key, line })) : [];
  });
}

async function takeSteps(bench: Bench, judged: readonly JudgedKey[], recorded: Recorded): Promise<void> {
  const steps = judged.filter(({ judgement }) => judgement.step !== undefined);
  if (steps.length === 0) return;
  const { context, run } = bench;
  const batchIds = new Set(steps.flatMap(({ facts }) => facts.attempt?.batchId ?? []));
  await context.store.markReports(run, [...batchIds]);
  // What some of them have changed is told, too, when another was overtaken.
  const taken = await Promise.allSettled(steps.map((key) => takeStep(bench, key)));
  for (const [place, outcome] of taken.entries()) {
    const key = steps[place];
    if (outcome.status === 'rejected' || key === undefined) continue;
    if (outcome.value !== undefined) await tellChange(bench, key, outcome.value, recorded);
    else if (key.judgement.step === 'prove') await requirePaid(bench, key);
  }
  const failed = taken.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

async function tellChange(
  bench: Bench,
  { facts }: JudgedKey,
  change: Change,
  recorded: Recorded,
): Promise<void> {
  const { cause } = change.event;
  recorded.causes.set(cause, (recorded.causes.get(cause) ?? 0) + 1);
  recorded.batchIds.add(change.before.batchId);
  if (cause === 'second-proof') recorded.secondProof = facts.key;
  await tellOthers(bench, change, recorded);
}

/** Decides on the payout as it is now, again when somebody else changes it meanwhile. */
async function takeStep(bench: Bench, { facts }: JudgedKey): Promise<Change | undefined> {
  const { context, day, version, nowMs } = bench;
  const { store } = context;
  const { attempt: known, lines, elsewhere } = facts;
  if (known === undefined) return undefined;
  const owner = await store.payout(known.payoutSeq);
  if (owner === undefined) throw new Error(`attempt ${known.order.transRefNo} belongs to no payout`);
  const loss = await store.loss();
  const decide = (mayReopen: boolean) =>
    applyOnLatest({ journal: store }, owner, async (current) => {
      const attempts = await store.attemptsOf(known.order.companyId, known.payoutId);
      const attempt = attempts.find(({ order }) => order.transRefNo === known.order.transRefNo);
      if (attempt === undefined) return undefined;
      // Its breaks are those of what it was: the whole day is judged again on what it is.
      if (attempt.status !== known.attemptStatus) throw new ChangedMeanwhile(known.order.transRefNo);
      const evidence = { owner: current, attempt, attempts, lines, elsewhere, day, version, loss, nowMs };
      return decideOnStatement(evidence, mayReopen);
    });
  return (await decide(true)) ?? (await decide(false));
}

/** Proof for an attempt that had ended concerns every other row with the same payoutId. */
async function tellOthers({ context, run }: Bench, change: Change, recorded: Recorded): Promise<void> {
  const { attempt, event, before } = change;
  if (event.detail['alarm'] !== true || attempt?.status !== 'paid') return;
  const { store, clock, log } = context;
  log('error', 'a statement proves paid what had been closed', { transRefNo: attempt.order.transRefNo });
  const rows = await store.findPayouts(before.instruction.payoutId);
  const others = rows.map(({ batch }) => batch.batchId).filter((batchId) => batchId !== before.batchId);
  if (others.length === 0) return;
  await store.markReports(run, [...new Set(others)]);
  await tellSiblings({ journal: store, clock, count: () => {} }, change, attempt);
  for (const batchId of others) recorded.batchIds.add(batchId);
}

/** Somebody else may have recorded the same proof first; nobody else may have prevented it. */
async function requirePaid({ context }: Bench, { facts }: JudgedKey): Promise<void> {
  const { attempt } = facts;
  if (attempt === undefined) return;
  const { companyId, transRefNo } = attempt.order;
  const latest = await context.store.attemptsOf(companyId, attempt.payoutId);
  if (latest.find(({ order }) => order.transRefNo === transRefNo)?.status === 'paid') return;
  throw new Error(`the statement proves ${transRefNo} paid and the journal does not take it`);
}
