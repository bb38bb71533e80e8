/** What `status` and `show` print. */
import { formatBangkokStamp } from '../core/bangkok-time.ts';
import { printable } from '../core/cell-text.ts';
import { countAlarms } from '../core/exit-code.ts';
import { formatBaht } from '../core/money.ts';
import type { Attempt } from '../core/payout.ts';
import type { Batch, HoldTotal, ResultRow, StatusTotal } from '../core/ports.ts';
import { maskDigits } from '../core/proxy-id.ts';
import type { PayoutEvent, PayoutHistory } from '../payout/ports.ts';
import { describeAlarmRemedy, describeRemedy } from '../reports/rules/remedies.ts';

/** A batch in a few lines: when, which file, its state and its rows by status. */
export function renderBatch(
  batch: Batch,
  totals: readonly StatusTotal[],
  holds: readonly HoldTotal[],
): string {
  const started = formatBangkokStamp(batch.startedAtMs).slice(0, 16).replace('T', ' ');
  const head = `${batch.batchId}  ${started}  ${batch.status.padEnd(9)}  ${batch.rows} rows, ${formatBaht(batch.totalSatang)} baht  ${batch.fileName}`;
  const counts = totals.map(
    ({ status, rows, amountSatang }) => `${rows} ${status} (${formatBaht(amountSatang)})`,
  );
  const held = holds.map(({ hold, rows }) => `${rows} ${hold}`);
  const alarms = countAlarms(totals);
  return [
    head,
    ...(alarms === 0 ? [] : [`            ALARM: ${alarms} rows contradict what was called proved`]),
    ...(counts.length === 0 ? [] : [`            ${counts.join(', ')}`]),
    ...(held.length === 0 ? [] : [`            held: ${held.join(', ')}`]),
    ...(batch.reason === null ? [] : [`            ${batch.reasonCode ?? ''}: ${batch.reason}`]),
    ...(batch.remedy === null ? [] : [`            remedy: ${batch.remedy}`]),
  ]
    .map(printable)
    .join('\n');
}

/** Amounts as decimal baht, times in Bangkok: for --json. */
export function describeBatch(
  batch: Batch,
  totals: readonly StatusTotal[],
  holds: readonly HoldTotal[],
): object {
  return {
    batchId: batch.batchId,
    file: batch.fileName,
    status: batch.status,
    reasonCode: batch.reasonCode,
    reason: batch.reason,
    remedy: batch.remedy,
    rows: batch.rows,
    amount: formatBaht(batch.totalSatang),
    unreadableAmounts: batch.unreadableAmounts,
    startedAt: stamp(batch.startedAtMs),
    restedAt: stamp(batch.restedAtMs),
    byStatus: Object.fromEntries(
      totals.map(({ status, rows, amountSatang }) => [status, { rows, amount: formatBaht(amountSatang) }]),
    ),
    holds: Object.fromEntries(holds.map(({ hold, rows }) => [hold, rows])),
    alarms: countAlarms(totals),
  };
}

const stamp = (epochMs: number | null): string | null =>
  epochMs === null ? null : formatBangkokStamp(epochMs);

function describeAttempt(attempt: Attempt): object {
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

function describeEvent(event: PayoutEvent): object {
  const { cause, atMs, from, to, attemptNo, detail } = event;
  return { at: stamp(atMs), cause, from, to, attemptNo, detail };
}

/** One payout with its whole history; proxy numbers are masked, the result file has them in full. */
export function describePayout({ row, batch, attempts, events }: PayoutHistory): object {
  return {
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
    remedy: remedyOf(row),
    attempts: attempts.map(describeAttempt),
    events: events.map(describeEvent),
  };
}

/** The same for a person. */
export function renderPayout(history: PayoutHistory): string {
  const { row, batch, attempts, events } = history;
  const amount = row.amountSatang === null ? 'unreadable amount' : `${formatBaht(row.amountSatang)} baht`;
  const why = row.reason === null ? '' : ` (${row.reasonCode ?? ''}: ${row.reason})`;
  const holds = row.holds.length === 0 ? '' : ` [${row.holds.join(', ')}]`;
  return [
    `${row.cells.payoutId}  ${amount} to ${maskDigits(row.instruction?.proxyNo ?? row.cells.proxyNo)}`,
    `  row ${row.rowNo} (line ${row.line}) of ${batch.fileName}, batch ${batch.batchId}`,
    `  ${row.status}${holds}${why}`,
    ...(row.isAlarm ? ['  ALARM: the bank contradicts what was called proved'] : []),
    `  remedy: ${remedyOf(row)}`,
    ...attempts.map(renderAttempt),
    ...events.map(renderEvent),
  ]
    .map(printable)
    .join('\n');
}

const remedyOf = (row: ResultRow): string => (row.isAlarm ? describeAlarmRemedy(row) : describeRemedy(row));

function renderAttempt(attempt: Attempt): string {
  const { order, attemptNo, status, sends, inquiries, lastFinding } = attempt;
  const found = lastFinding === null ? '' : `, last one: ${lastFinding}`;
  return `  attempt ${attemptNo}: ${order.transRefNo} ${status}, tranDate ${order.tranDate}, sent ${sends}x, inquired ${inquiries}x${found}`;
}

function renderEvent({ atMs, cause, from, to, detail }: PayoutEvent): string {
  const facts = Object.entries(detail).map(([name, value]) => `${name}=${String(value)}`);
  return `  ${formatBangkokStamp(atMs)}  ${from} -> ${to}  ${cause}  ${facts.join(' ')}`.trimEnd();
}
