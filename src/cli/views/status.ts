/** What `status` and `show` print: batches, days and their statements, and payouts. */
import type { BatchStanding, DayStanding, PayoutHistory } from '../../app/status.ts';
import { dayMs, formatBangkokDateTime, formatBangkokMoment } from '../../core/bangkok-time.ts';
import { countAlarms } from '../../core/exit-code.ts';
import { formatBaht } from '../../core/money.ts';
import type { Attempt } from '../../core/payout.ts';
import { maskDigits } from '../../core/proxy-id.ts';
import { showDate } from '../../payout/rules/lost-journal.ts';
import { describeAlarmRemedy, describeRemedy } from '../../reports/rules/remedies.ts';
import { countOf, showByStatus, showTotal, totalsByStatus } from './amounts.ts';
import { type Shown, toLines } from './shown.ts';

const stamp = (epochMs: number | null): string | null =>
  epochMs === null ? null : formatBangkokDateTime(epochMs);

/** The lines below the head of a batch begin under its time. */
const indent = ' '.repeat(12);

/** A batch: when, which file, its state and its rows by status. */
export function showBatch({ batch, totals, holds }: BatchStanding): Shown {
  const json = {
    batchId: batch.batchId,
    file: batch.fileName,
    status: batch.status,
    reasonCode: batch.reasonCode,
    reason: batch.reason,
    remedy: batch.remedy,
    rows: batch.rows,
    amount: formatBaht(batch.totalSatang),
    unreadableAmounts: batch.unreadableAmounts,
    startedAt: formatBangkokDateTime(batch.startedAtMs),
    restedAt: stamp(batch.restedAtMs),
    byStatus: totalsByStatus(totals),
    holds: Object.fromEntries(holds.map(({ hold, rows }) => [hold, rows])),
    alarms: countAlarms(totals),
  };
  const { batchId, status, file, startedAt, byStatus, alarms, reasonCode, reason, remedy } = json;
  const started = startedAt.slice(0, 16).replace('T', ' ');
  const held = Object.entries(json.holds).map(([hold, rows]) => `${rows} ${hold}`);
  const below = [
    ...(alarms === 0 ? [] : [`ALARM: ${alarms} rows contradict what was called proved`]),
    ...(totals.length === 0 ? [] : [showByStatus(byStatus)]),
    ...(held.length === 0 ? [] : [`held: ${held.join(', ')}`]),
    ...(reason === null ? [] : [`${reasonCode ?? ''}: ${reason}`]),
    ...(remedy === null ? [] : [`remedy: ${remedy}`]),
  ];
  const head = [batchId, started, status.padEnd(9), showTotal(json), file].join('  ');
  return { json, text: toLines([head, ...below.map((line) => `${indent}${line}`)]) };
}

function describeAttempt(attempt: Attempt) {
  const { order } = attempt;
  return {
    attemptNo: attempt.attemptNo,
    transRefNo: order.transRefNo,
    status: attempt.status,
    tranDate: order.tranDate,
    amount: order.amountText,
    intentAt: stamp(attempt.intentAtMs),
    sends: attempt.sends,
    inquiries: attempt.inquiries,
    lastFinding: attempt.lastFinding,
    nextInquiryAt: stamp(attempt.nextInquiryAtMs),
    sysRefNo: attempt.sysRefNo,
    fee: attempt.feeText,
  };
}

function renderAttempt(attempt: ReturnType<typeof describeAttempt>): string {
  const { attemptNo, transRefNo, status, tranDate, sends, inquiries, lastFinding } = attempt;
  const found = lastFinding === null ? '' : `, last one: ${lastFinding}`;
  return `  attempt ${attemptNo}: ${transRefNo} ${status}, tranDate ${tranDate}, sent ${sends}x, inquired ${inquiries}x${found}`;
}

function describeEvent({ cause, atMs, from, to, attemptNo, detail }: PayoutHistory['events'][number]) {
  return { at: formatBangkokDateTime(atMs), cause, from, to, attemptNo, detail };
}

function renderEvent({ at, cause, from, to, detail }: ReturnType<typeof describeEvent>): string {
  const facts = Object.entries(detail).map(([name, value]) => `${name}=${String(value)}`);
  return `  ${at}  ${from} -> ${to}  ${cause}  ${facts.join(' ')}`.trimEnd();
}

/** One payout with its whole history; proxy numbers are masked, the result file has them in full. */
export function showPayout({ row, batch, attempts, events }: PayoutHistory): Shown {
  const json = {
    payoutId: row.cells.payoutId,
    batchId: batch.batchId,
    file: batch.fileName,
    rowNo: row.rowNo,
    line: row.line,
    proxyNo: maskDigits(row.instruction?.proxyNo ?? row.cells.proxyNo),
    amount: row.amountSatang === null ? null : formatBaht(row.amountSatang),
    status: row.status,
    holds: row.holds,
    reasonCode: row.reasonCode,
    reason: row.reason,
    isAlarm: row.isAlarm,
    remedy: row.isAlarm ? describeAlarmRemedy(row) : describeRemedy(row),
    attempts: attempts.map(describeAttempt),
    events: events.map(describeEvent),
  };
  const amount = json.amount === null ? 'unreadable amount' : `${json.amount} baht`;
  const why = json.reason === null ? '' : ` (${json.reasonCode ?? ''}: ${json.reason})`;
  const holds = json.holds.length === 0 ? '' : ` [${json.holds.join(', ')}]`;
  const text = toLines([
    `${json.payoutId}  ${amount} to ${json.proxyNo}`,
    `  row ${json.rowNo} (line ${json.line}) of ${json.file}, batch ${json.batchId}`,
    `  ${json.status}${holds}${why}`,
    ...(json.isAlarm ? ['  ALARM: the bank contradicts what was called proved'] : []),
    `  remedy: ${json.remedy}`,
    ...json.attempts.map(renderAttempt),
    ...json.events.map(renderEvent),
  ]);
  return { json, text };
}

// ---------------------------------------------------------------- days

type DayState = NonNullable<DayStanding['state']>;

/** Whole days that the oldest open break has been open; null without one. */
function computeOldestDays({ oldestOpenedAtMs }: DayState, nowMs: number): number | null {
  return oldestOpenedAtMs === null ? null : Math.max(0, Math.floor((nowMs - oldestOpenedAtMs) / dayMs));
}

function describeDay({ date, state, isWhole }: DayStanding, nowMs: number) {
  return {
    date: showDate(date),
    version: state?.version ?? null,
    reconciledAt: state === undefined ? null : formatBangkokDateTime(state.acceptedAtMs),
    isWhole,
    openBreaks: state?.openBreaks ?? null,
    oldestOpenDays: state === undefined ? null : computeOldestDays(state, nowMs),
  };
}

function renderBreaks(isWhole: boolean, openBreaks: number, oldestOpenDays: number | null): string {
  if (openBreaks === 0) return isWhole ? 'ties out, no open breaks' : 'no open breaks so far';
  const age = oldestOpenDays === null ? '' : `, the oldest for ${countOf(oldestOpenDays, 'day')}`;
  return `${countOf(openBreaks, 'open break')}${age}`;
}

/** One line a day. */
export function showDay(day: DayStanding, nowMs: number): Shown {
  const json = describeDay(day, nowMs);
  const { date, version, isWhole, openBreaks, oldestOpenDays } = json;
  if (day.state === undefined)
    return { json, text: `${date}  not reconciled: payouts were sent, and no statement was accepted` };
  const breaks = renderBreaks(isWhole, openBreaks ?? 0, oldestOpenDays);
  const state = isWhole ? breaks : `the day had not ended: reconcile it again; ${breaks}`;
  const reconciled = formatBangkokMoment(day.state.acceptedAtMs);
  return { json, text: `${date}  v${version}  reconciled ${reconciled}  ${state}` };
}

/** @param daysMax of the days without open breaks in the text; those with are all there */
export function showDays(days: readonly DayStanding[], nowMs: number, daysMax = Infinity): Shown {
  const json = days.map((day) => describeDay(day, nowMs));
  if (days.length === 0) return { json, text: 'No day was reconciled yet.' };
  const shown = days.filter(({ state }, place) => place < daysMax || (state?.openBreaks ?? 0) > 0);
  const lines = shown.map((day) => showDay(day, nowMs).text);
  const left = days.length - shown.length;
  const rest = left === 0 ? [] : [`${left} more without open breaks: paydrop status --statements`];
  return { json, text: ['\nStatements by day', ...lines, ...rest].join('\n') };
}
