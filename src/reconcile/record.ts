/**
 * Records the result of a matching. In each chunk the breaks come before the changes of payouts: after a crash in
 * between, the same matching finds the break that it has opened, although our side has changed since.
 */
import type { Change } from '../core/ports.ts';
import { applyOnLatest } from '../payout/apply-change.ts';
import { notifySiblings } from '../payout/superseded.ts';
import { judgeAll, judgeKeys, type Matching } from './judge.ts';
import type { BrokenOff, DeferredKey, StatementRun } from './ports.ts';
import { inChunks, type Reading, yieldToEventLoop } from './read-lines.ts';
import { areSameLines, type BreakMove, followBreaks } from './rules/breaks.ts';
import { decideOnStatement } from './rules/decide-statement.ts';
import { isRebuilt } from './rules/differences.ts';
import type { JudgedTransfer } from './rules/judge-transfer.ts';
import type { BreakRecord } from './rules/types.ts';

/** An attempt was settled, or a break accepted, while the statement was judged: the findings are out of date. */
export class ChangedMeanwhile extends Error {
  override readonly name = 'ChangedMeanwhile';

  constructor(transRefNo: string) {
    super(`${transRefNo} was settled or decided on while the statement was judged: reconcile the day again`);
  }
}

/** The changes made by a matching. */
export interface Recorded {
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

/** Breaks of other days kept for display; the journal has all. */
export const otherDaysShownMax = 20;

/** @param left remains of the day's interrupted matchings, which were not reported and count as this one's */
export const nothingRecorded = (left?: BrokenOff): Recorded => ({
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

/** Records every judgement: the lines of the day being read, the breaks of all days, the changes of payouts. */
export async function recordAll(matching: Matching, recorded: Recorded): Promise<void> {
  for await (const chunk of judgeAll(matching)) {
    await recordLines(matching, chunk);
    await recordTransfers(matching, chunk, recorded);
  }
}

/** Stores the lines that were clear at first sight. */
export async function recordCleanLines(
  { context, run }: Matching,
  { index, version }: Reading,
): Promise<void> {
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
