/** Output of `status` and `show`: batches, days and their statements, and payouts. */
import { inEnglish } from '../../core/message.ts';
import { type SaidHealthReason, sayHealth } from '../../watch/rules/health.ts';
import type {
  BatchStanding,
  DayStanding,
  HealthReason,
  PayoutHistory,
  PayoutStanding,
} from '../../app/status.ts';
import { dayMs, formatBangkokDateTime, formatBangkokMoment } from '../../core/bangkok-time.ts';
import { paydropCommand } from '../../core/command-line.ts';
import { countAlarms } from '../../core/exit-code.ts';
import { formatBaht } from '../../core/money.ts';
import { type Attempt, type SettledBy, payoutStatuses } from '../../core/payout.ts';
import type { Batch, HoldTotal, StatusTotal } from '../../core/ports.ts';
import {
  joinLines,
  printable,
  type PrintableText,
  showMessageIfAny,
  showText,
  showTextIfAny,
  toLines,
} from '../../core/outgoing-text.ts';
import { maskDigits } from '../../core/proxy-id.ts';
import { readAttemptNumber } from '../../core/reference.ts';
import { showDate } from '../../payout/rules/lost-journal.ts';
import { describeProvenance } from '../../reconcile/rules/custody.ts';
import { listNextCommands, listNextOfBatch, type NextCommand } from '../../reports/rules/next-commands.ts';
import { describeAlarmRemedy, describeHoldRemedy, describeRemedy } from '../../reports/rules/remedies.ts';
import type { ApprovalFigures, Figure } from '../../review/rules/approval-figures.ts';
import { describeGrowth, remedyOfGrowth } from '../../watch/rules/file-growth.ts';
import {
  countOf,
  showAmount,
  showByStatus,
  showCount,
  showReady,
  showState,
  showTotal,
  totalsByStatus,
  showBaht,
} from './amounts.ts';
import { alignColumns, type Shown } from './shown.ts';

const stamp = (epochMs: number | null): string | null =>
  epochMs === null ? null : formatBangkokDateTime(epochMs);

/** Indent of the lines below the head of a batch, under its time. */
const indent = ' '.repeat(12);

/** Totals in the order of every other table. */
const inOrder = (totals: readonly StatusTotal[]): readonly StatusTotal[] =>
  totals.toSorted((one, other) => payoutStatuses.indexOf(one.status) - payoutStatuses.indexOf(other.status));

/** Growth of the batch's file after its rows were read; null where it needs no person. */
function showGrowth(grown: BatchStanding['grown']) {
  if (grown === undefined || grown.growth === null) return null;
  const { rows, amount, payoutIds } = grown.growth;
  const words = {
    reason: inEnglish(describeGrowth(grown, grown.growth)),
    remedy: inEnglish(remedyOfGrowth(grown, grown.growth)),
  };
  return { ...words, rowsNotPaid: rows, amountNotPaid: amount, payoutIds };
}

/** The next automatic step, or the command to type, on a line of its own so that it can be copied. */
function showNextOfBatch(
  { batch, totals }: BatchStanding,
  state: string,
  next: readonly NextCommand[],
): string[] {
  const ready = showReady(batch.status, totals);
  const remedy = showMessageIfAny(batch.remedy);
  const isUnsaid = ({ command }: NextCommand): boolean => remedy?.includes(`"${command}"`) !== true;
  return [
    ...(ready === undefined ? [] : [`${ready}: by a watcher, or when its file is run again`]),
    ...(state === 'stopped' ? ['goes on when its file is run again, or with a watcher'] : []),
    ...next.filter(isUnsaid).map(({ command, why }) => `${why}: ${command}`),
  ];
}

const inWords = (stops: readonly HealthReason[]): readonly SaidHealthReason[] =>
  stops.map((stop) => sayHealth('en', stop));

/** The words before a stop that keeps nothing from being sent. */
const stopLabels: Readonly<Partial<Record<HealthReason['code'], string>>> = {
  'inbox-gone': 'NOT TAKING FILES',
  'inbox-unresponsive': 'NOT TAKING FILES',
  'after-loss': 'NOTE',
};

/** Leaves out commands that only lead here. */
const isTyped = ({ command }: SaidHealthReason): boolean => !/^paydrop status( |$)/.test(command);

/** The stops of payouts, above all batches, whatever the state of each says. */
const showStops = (stops: readonly SaidHealthReason[]): PrintableText =>
  toLines(
    stops.flatMap((stop) => {
      const { code, text, remedy, command } = stop;
      return [
        `${stopLabels[code] ?? 'NOT SENDING'}: ${text}`,
        `  remedy: ${remedy}`,
        ...(isTyped(stop) ? [`  ${code === 'payer-halted' ? 'then type' : 'type first'}: ${command}`] : []),
      ];
    }),
  );

/** The view below the stops; JSON has them at the end of a list, or as `stops`. */
export function addStops(stops: readonly HealthReason[], shown: Shown): Shown {
  const { json } = shown;
  const said = inWords(stops);
  const withStops = Array.isArray(json)
    ? [...(json as readonly object[]), ...(stops.length === 0 ? [] : [{ kind: 'stops', stops: said }])]
    : { stops: said, ...json };
  if (stops.length === 0) return { ...shown, json: withStops };
  return { json: withStops, text: joinLines([showStops(said), shown.text], '\n\n') };
}

/** The holds of a batch at rest; one that is paused or halted has a remedy of its own. */
export const holdsOfRest = (
  { status, remedy }: Pick<Batch, 'status' | 'remedy'>,
  holds: readonly HoldTotal[],
): readonly HoldTotal[] => (status === 'done' && remedy === null ? holds.filter(({ rows }) => rows > 0) : []);

/**
 * A batch: time, file, state and rows by status.
 * @param isSending true while a process is sending
 */
export function showBatch(standing: BatchStanding, isSending = false): Shown {
  const { batch, totals, holds, grown, proposalId, approval, stops = [] } = standing;
  const isHalted = stops.some(({ code }) => code === 'payer-halted');
  // A halt of the account counts as the batch's before the batch itself is halted.
  const stopped = isHalted && batch.status !== 'done' ? ({ ...batch, status: 'halted' } as const) : batch;
  const next = proposalId === undefined ? listNextOfBatch(stopped, totals, holds) : [toProposal(proposalId)];
  const json = {
    batchId: batch.batchId,
    file: batch.fileName,
    status: batch.status,
    reasonCode: batch.reasonCode,
    reason: showMessageIfAny(batch.reason),
    remedy: showMessageIfAny(batch.remedy),
    rows: batch.rows,
    amount: formatBaht(batch.totalSatang),
    unreadableAmounts: batch.unreadableAmounts,
    startedAt: formatBangkokDateTime(batch.startedAtMs),
    restedAt: stamp(batch.restedAtMs),
    byStatus: totalsByStatus(inOrder(totals)),
    holds: Object.fromEntries(holds.map(({ hold, rows }) => [hold, rows])),
    holdRemedies: Object.fromEntries(
      holdsOfRest(batch, holds).map((held) => [held.hold, inEnglish(describeHoldRemedy(held))]),
    ),
    alarms: countAlarms(totals),
    fileGrown: showGrowth(grown),
    proposal: proposalId ?? null,
    ...(approval === undefined ? {} : { approval: jsonOfFigures(approval) }),
    stops: inWords(stops),
    next,
  };
  const { batchId, file, byStatus, alarms, reasonCode, reason, remedy } = json;
  const started = formatBangkokMoment(batch.startedAtMs);
  const state = showState(stopped.status, totals, isSending);
  const held = Object.entries(json.holds).map(([hold, rows]) => `${showCount(rows)} ${hold}`);
  const below = [
    ...(alarms === 0
      ? []
      : [`ALARM: ${countOf(alarms, 'row contradicts', 'rows contradict')} what was called proved`]),
    ...(json.fileGrown === null
      ? []
      : [`ALARM: ${json.fileGrown.reason}`, `remedy: ${json.fileGrown.remedy}`]),
    totals.length === 0 ? showTotal(json) : `${showTotal(json)}: ${showByStatus(byStatus)}`,
    ...(held.length === 0 ? [] : [`held: ${held.join(', ')}`]),
    ...Object.values(json.holdRemedies).map((cure) => `remedy: ${cure}`),
    ...(reason === null ? [] : [`${reasonCode ?? ''}: ${reason}`]),
    ...(remedy === null ? [] : [`remedy: ${remedy}`]),
    ...(approval === undefined ? [] : showFigures(approval)),
    ...showNextOfBatch(standing, state, next),
  ];
  const head = [batchId, started, state.padEnd(9), file].join('  ');
  return { json, text: toLines([head, ...below.map((line) => `${indent}${line}`)]) };
}

function showAttempt(attempt: Attempt): Shown {
  const { attemptNo, order, status, sends, inquiries, lastFinding, sysRefNo } = attempt;
  const { transRefNo, tranDate } = order;
  const found = lastFinding === null ? '' : `, last one: ${lastFinding}`;
  return {
    json: {
      attemptNo,
      transRefNo,
      status,
      tranDate,
      amount: order.amountText,
      intentAt: stamp(attempt.intentAtMs),
      sends,
      inquiries,
      lastFinding,
      nextInquiryAt: stamp(attempt.nextInquiryAtMs),
      sysRefNo,
      fee: attempt.feeText,
    },
    text: printable(
      `  attempt ${readAttemptNumber(transRefNo)}: ${transRefNo} ${status}, tranDate ${tranDate}, sent ${sends}x, inquired ${inquiries}x${found}`,
    ),
  };
}

/** True for names of references, which look like account numbers and are none. */
const isReference = (name: string): boolean => /(?:RefNo|requestUid|xRequestId|batchId|SeqId)$/i.test(name);

/** A fact of an event, masked for a screen. */
export function maskFact(name: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => maskFact(name, one));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([of, one]) => [of, maskFact(of, one)]));
  return typeof value === 'string' && !isReference(name) ? showText(value) : value;
}

/** Contents of a fact, without the names within it: `found=PDMJZ…01 2026-11-21 complete, PDMJZ…02 …`. */
function showFact(value: unknown): string {
  if (Array.isArray(value)) return value.map(showFact).join(', ');
  if (typeof value === 'object' && value !== null) return Object.values(value).map(showFact).join(' ');
  return String(value);
}

function showEvent({ cause, atMs, from, to, attemptNo, ...event }: PayoutHistory['events'][number]): Shown {
  const detail = Object.fromEntries(
    Object.entries(event.detail).map(([name, value]) => [name, maskFact(name, value)]),
  );
  const facts = Object.entries(detail).map(([name, value]) => `${name}=${showFact(value)}`);
  return {
    json: { at: formatBangkokDateTime(atMs), cause, from, to, attemptNo, detail },
    text: printable(
      `  ${formatBangkokMoment(atMs)}  ${from} -> ${to}  ${cause}  ${facts.join(' ')}`.trimEnd(),
    ),
  };
}

/** Names of the payee, by the file and by the bank, and references of the payment; null where there is none. */
function describeNames({ row, batch }: PayoutHistory) {
  const { payeeName, reference1, reference2 } = row.instruction ?? row.cells;
  const orNull = (text: string | null): string | null => showTextIfAny(text === '' ? null : text);
  return {
    payeeName: orNull(payeeName),
    bankPayeeName: orNull(row.bankPayeeName),
    bankPayeeNameTh: orNull(row.bankPayeeNameTh),
    reference1: orNull(reference1),
    reference2: orNull(reference2),
    carried: Object.fromEntries(
      batch.extraColumns.map((name, place) => [showText(name), showText(row.extras[place] ?? '')]),
    ),
  };
}

/** The same as lines, without empty ones. */
function showNames({ carried, ...names }: ReturnType<typeof describeNames>): string[] {
  const join = (...texts: readonly (string | null)[]): string =>
    texts.filter((text) => text !== null).join(', ');
  const rows = [
    ['name in the file', names.payeeName ?? ''],
    ['name at the bank', join(names.bankPayeeName, names.bankPayeeNameTh)],
    ['references', join(names.reference1, names.reference2)],
    ...Object.entries(carried),
  ];
  return alignColumns(
    rows.filter(([, text]) => text !== '').map(([name = '', text = '']) => [`  ${name}`, text]),
  );
}

/** Words for what settled a row, by the result's settledBy. */
const settlers: Readonly<Record<SettledBy, string>> = {
  rules: 'the rules of the input',
  check: 'the check of the payee',
  reply: "the bank's reply to the transfer",
  inquiry: "the bank's answer to an inquiry",
  statement: "the bank's statement",
  decision: "a person's decision",
};

/** When and by what the row was settled, and the bank's reference of the transfer, as an auditor needs them. */
function showSettled({ settledAtMs, settledBy, sysRefNo, feeText }: PayoutHistory['row']): string[] {
  const settler = Object.entries(settlers).find(([name]) => name === settledBy)?.[1];
  const facts = [
    ...(settledAtMs === null || settler === undefined
      ? []
      : [`settled ${formatBangkokMoment(settledAtMs)} by ${settler}`]),
    ...(sysRefNo === null ? [] : [`the bank's reference (sysRefNo) is ${printable(sysRefNo)}`]),
    ...(feeText === null ? [] : [`fee ${showText(feeText)}`]),
  ];
  return facts.length === 0 ? [] : [`  ${facts.join('; ')}`];
}

/** One payout with its whole history; proxy numbers are masked, the result file has them in full. */
export function showPayout(history: PayoutStanding): Shown {
  const { row, batch, proposalId, stops = [], loss } = history;
  const attempts = history.attempts.map(showAttempt);
  const events = history.events.map(showEvent);
  const names = describeNames(history);
  const latest = history.attempts.at(-1);
  const [tranDate, lastFinding] = [latest?.order.tranDate, latest?.lastFinding ?? null];
  const next =
    proposalId === undefined
      ? listNextCommands({ row, batchId: batch.batchId, fileName: batch.fileName, tranDate, lastFinding })
      : [toProposal(proposalId)];
  const said = inWords(stops);
  const stopped = said.filter(isTyped).map(({ command, text }) => ({ command, why: `first: ${text}` }));
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
    reason: showTextIfAny(row.reason && inEnglish(row.reason)),
    isAlarm: row.isAlarm,
    remedy: row.isAlarm ? inEnglish(describeAlarmRemedy(row)) : describeUnsentRemedy(row, said, loss),
    attempts: attempts.map((one) => one.json),
    events: events.map((one) => one.json),
    ...names,
    proposal: proposalId ?? null,
    stops: said,
    next: [...stopped, ...next],
    settledAt: stamp(row.settledAtMs),
    settledBy: row.settledBy,
  };
  const amount = json.amount === null ? 'unreadable amount' : `${showAmount(json.amount)} baht`;
  const why = json.reason === null ? '' : ` (${json.reasonCode ?? ''}: ${json.reason})`;
  const holds = json.holds.length === 0 ? '' : ` [${json.holds.join(', ')}]`;
  const lines = [
    `${json.payoutId}  ${amount} to ${json.proxyNo}`,
    `  row ${json.rowNo} (line ${json.line}) of ${json.file}, batch ${json.batchId}`,
    ...showNames(names),
    `  ${json.status}${holds}${why}`,
    ...showSettled(row),
    ...(json.isAlarm ? ['  ALARM: the bank contradicts what was called proved'] : []),
    ...said.map(({ text }) => `  NOT SENDING: ${text}`),
    `  remedy: ${json.remedy}`,
    ...attempts.map((one) => one.text),
    ...events.map((one) => one.text),
  ];
  return { json, text: toLines([...lines, ...showNext(json.next)]) };
}

/** The next steps for a row; its stops are removed first. */
function describeUnsentRemedy(
  row: PayoutHistory['row'],
  stops: readonly SaidHealthReason[],
  loss: PayoutStanding['loss'],
): string {
  const first = [...new Set(stops.map(({ remedy }) => remedy))];
  const asked =
    loss === undefined
      ? inEnglish(describeRemedy(row))
      : `This journal has not sent it, but may have before it was lost or restored: pay it by no other means. Run the ` +
        `same file again: the bank is asked first`;
  return [...first, asked].join('. ');
}

/** The command that shows its open proposal, which comes first: only one is open at a time. */
export const toProposal = (proposalId: number): NextCommand => ({
  command: paydropCommand(undefined, 'proposals', String(proposalId)),
  why: `proposal ${proposalId} about it waits for another person`,
});

/** Commands on lines of their own, so that they can be copied. */
export function showNext(next: readonly NextCommand[]): string[] {
  const rows = next.map(({ command, why }) => [`  ${command}`, why]);
  return rows.length === 0 ? [] : ['', 'What to type next', ...alignColumns(rows)];
}

// ---------------------------------------------------------------- days

function renderBreaks(isWhole: boolean, openBreaks: number, oldestOpenDays: number | null): string {
  if (openBreaks === 0) return isWhole ? 'ties out, no open breaks' : 'no open breaks so far';
  const age = oldestOpenDays === null ? '' : `, the oldest for ${countOf(oldestOpenDays, 'day')}`;
  return `${countOf(openBreaks, 'open break')}${age}`;
}

/** One line for a day. @forTests */
export function showDay({ date: day, state, isWhole }: DayStanding, nowMs: number): Shown {
  const date = showDate(day);
  const none = {
    statementVersion: null,
    reconciledAt: null,
    isWhole,
    openBreaks: null,
    oldestOpenDays: null,
    source: null,
  };
  if (state === undefined)
    return {
      json: { date, ...none },
      text: printable(`${date}  not reconciled: payouts were sent, and no statement was accepted`),
    };
  const { version, acceptedAtMs, openBreaks, oldestOpenedAtMs: openedAtMs, provenance: source } = state;
  // Whole days that the oldest open break has been open.
  const oldestOpenDays = openedAtMs === null ? null : Math.max(0, Math.floor((nowMs - openedAtMs) / dayMs));
  const breaks = renderBreaks(isWhole, openBreaks, oldestOpenDays);
  const found = isWhole ? breaks : `the day is not complete: reconcile it again; ${breaks}`;
  const from = source === null ? '' : `; from ${inEnglish(describeProvenance(source))}`;
  const reconciledAt = formatBangkokDateTime(acceptedAtMs);
  return {
    json: { date, statementVersion: version, reconciledAt, isWhole, openBreaks, oldestOpenDays, source },
    text: printable(`${date}  v${version}  reconciled ${formatBangkokMoment(acceptedAtMs)}  ${found}${from}`),
  };
}

/** @param daysMax of days without open breaks in the text; days with open breaks are all shown */
export function showDays(days: readonly DayStanding[], nowMs: number, daysMax = Infinity): Shown {
  const json = days.map((day) => showDay(day, nowMs).json);
  if (days.length === 0) return { json, text: printable('No day was reconciled yet.') };
  const shown = days.filter(({ state }, place) => place < daysMax || (state?.openBreaks ?? 0) > 0);
  const lines = shown.map((day) => showDay(day, nowMs).text);
  const left = days.length - shown.length;
  const rest = left === 0 ? [] : [`${left} more without open breaks: paydrop status --statements`];
  return { json, text: toLines(['', 'Statements by day', ...lines, ...rest]) };
}

// ---------------------------------------------------------------- the figures of an approval

const totalOf = ({ rows, amountSatang }: Figure) => ({ rows, amount: formatBaht(amountSatang) });

/** "to be paid   3 rows, 600.75 baht", and its parts. */
function listTotals(figures: ApprovalFigures): readonly (readonly string[])[] {
  const { approved, toPay, held, holds, refused, before, newPayees, like, limited, limitedBy } = figures;
  const why = holds.map(([hold, rows]) => `${rows} ${hold}`).join(', ');
  const limits = limitedBy.map(([setting, rows]) => `${rows} ${setting}`).join(', ');
  const payees = countOf(newPayees.payees, 'payee', 'payees');
  const line = (label: string, figure: Figure, more = ''): readonly (readonly string[])[] =>
    figure.rows === 0 ? [] : [[`  ${label}`, `${showTotal(totalOf(figure))}${more}`]];
  return [
    ['  to be paid', showTotal(totalOf(toPay))],
    ...line('held besides', held, ` (${why})`),
    ...(held.rows > 0 ? line('approved in all', approved) : []),
    ...line('not paid', refused),
    ...line('sent or approved before', before),
    ...line('never paid before', newPayees, ` to ${payees}`),
    ...line('like earlier payments', like),
    ...line('held if sent now', limited, ` (${limits})`),
  ];
}

function listLargest({ largest }: ApprovalFigures): string[] {
  const rows = largest.map(({ rowNo, payoutId, proxyNo, payeeName, amountSatang, isNewPayee }) => [
    `    ${showBaht(amountSatang)}`,
    `row ${rowNo}`,
    showText(payoutId),
    proxyNo,
    `${showText(payeeName ?? '')}${isNewPayee ? ' (never paid before)' : ''}`,
  ]);
  return rows.length === 0 ? [] : ['  the largest:', ...alignColumns(rows, [0])];
}

/** Advice on computing the digest from the file, on another machine. */
function adviseDigest({ fileName, leftOut, isCorrected }: ApprovalFigures): string {
  if (isCorrected) return 'rows were corrected since: the file alone does not have this digest';
  const { rows, firstRowNos } = leftOut;
  if (rows > firstRowNos.length)
    return `${countOf(rows, 'row')} of the file do not wait: too many to compute it from the file`;
  const without = rows === 0 ? [] : ['--without', firstRowNos.join(',')];
  return `the file alone must have it, too: ${paydropCommand(undefined, 'check', fileName, '--digest', ...without)}`;
}

function showFigures(figures: ApprovalFigures): string[] {
  const { payerAccount, digest, likeReason } = figures;
  return [
    `waits for approval, to be paid from account ${payerAccount}:`,
    ...alignColumns(listTotals(figures)),
    ...(likeReason === null ? [] : [`  ${showText(inEnglish(likeReason))}`]),
    ...listLargest(figures),
    `  digest ${digest}`,
    printable(`  ${adviseDigest(figures)}`),
  ];
}

function jsonOfFigures(figures: ApprovalFigures): object {
  const { people, payerAccount, digest, likeReason, largest, newPayees, leftOut, isCorrected } = figures;
  return {
    people,
    payerAccount,
    digest,
    isCorrected,
    approved: totalOf(figures.approved),
    toPay: totalOf(figures.toPay),
    held: { ...totalOf(figures.held), holds: Object.fromEntries(figures.holds) },
    notPaid: totalOf(figures.refused),
    before: totalOf(figures.before),
    newPayees: { ...totalOf(newPayees), payees: newPayees.payees },
    likeEarlier: totalOf(figures.like),
    heldByLimits: { ...totalOf(figures.limited), limits: Object.fromEntries(figures.limitedBy) },
    likeReason: showTextIfAny(likeReason && inEnglish(likeReason)),
    largest: largest.map(({ amountSatang, payoutId, payeeName, ...row }) => ({
      ...row,
      payoutId: showText(payoutId),
      payeeName: showTextIfAny(payeeName),
      amount: formatBaht(amountSatang),
    })),
    leftOut,
  };
}
