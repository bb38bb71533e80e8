/** Output of `status` and `show`: batches, days and their statements, and payouts. */
import { inEnglish } from '../../core/message.ts';
import { byName, listOf, recordOf, type Said, viewOf } from '../../core/view.ts';
import { type SaidHealthReason, sayHealth } from '../../watch/rules/health.ts';
import type {
  BatchStanding,
  DayStanding,
  HealthReason,
  PayoutHistory,
  PayoutStanding,
} from '../../app/status.ts';
import { dayMs, formatBangkokMoment } from '../../core/bangkok-time.ts';
import { paydropCommand } from '../../core/command-line.ts';
import { countAlarms } from '../../core/exit-code.ts';
import { type Attempt, type SettledBy, payoutStatuses } from '../../core/payout.ts';
import type { Batch, HoldTotal, StatusTotal } from '../../core/ports.ts';
import {
  joinLines,
  printable,
  type PrintableText,
  showMessageIfAny,
  showText,
  toLines,
} from '../../core/outgoing-text.ts';
import { readAttemptNumber } from '../../core/reference.ts';
import type { RegistrationHistory } from '../../app/registration/standing.ts';
import { describeProvenance, type Provenance } from '../../reconcile/rules/custody.ts';
import { listNextCommands, listNextOfBatch, type NextCommand } from '../../reports/rules/next-commands.ts';
import { describeAlarmRemedy, describeHoldRemedy, describeRemedy } from '../../reports/rules/remedies.ts';
import { describeGrowth, remedyOfGrowth, type TakenFile } from '../../watch/rules/file-growth.ts';
import {
  countOf,
  showAmount,
  showByStatus,
  showCount,
  showReady,
  showState,
  showTotal,
  namedTotals,
  totalView,
} from './amounts.ts';
import { approvalView, showFigures } from './approval-figures.ts';
import { alignColumns, type Shown } from './shown.ts';

/** A command to type next. */
export const nextView = viewOf<NextCommand>()('next command', {
  command: ['text', 'command to type; words in capitals are filled in', ({ command }) => command],
  why: ['text', 'what it does, or when it fits', ({ why }) => why],
});

const stopView = viewOf<SaidHealthReason>()('stop', {
  code: ['text', 'code of the stop, as in /healthz', ({ code }) => code],
  text: ['text', 'what keeps payouts from being sent', ({ text }) => text],
  remedy: ['text', 'what to do about it', ({ remedy }) => remedy],
  command: ['text', 'command to type', ({ command }) => command],
});

/** Indent of the lines below the head of a batch, under its time. */
const indent = ' '.repeat(12);

/** Totals in the order of every other table. */
const inOrder = (totals: readonly StatusTotal[]): readonly StatusTotal[] =>
  totals.toSorted((one, other) => payoutStatuses.indexOf(one.status) - payoutStatuses.indexOf(other.status));

/** Stops in a list of batches. @forTests */
export const stopsView = viewOf<readonly SaidHealthReason[]>()('stops', {
  kind: ['text', 'stops', () => 'stops'],
  stops: [listOf(stopView), 'what keeps payouts from being sent', (stops) => stops],
});

const growthView = viewOf<TakenFile>()('growth of a file', {
  reason: ['advice', 'what was added', (grown) => grown.growth && describeGrowth(grown, grown.growth)],
  remedy: ['advice', 'what to do', (grown) => grown.growth && remedyOfGrowth(grown, grown.growth)],
  rowsNotPaid: ['number', 'rows that were added, and are not paid', ({ growth }) => growth?.rows],
  amountNotPaid: ['baht', 'their sum', ({ growth }) => growth?.amount],
  payoutIds: ['texts', 'the first of their payoutIds', ({ growth }) => growth?.payoutIds ?? []],
});

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
    ? [...(json as readonly object[]), ...(stops.length === 0 ? [] : [stopsView.json(said)])]
    : { ...json, stops: said };
  if (stops.length === 0) return { ...shown, json: withStops };
  return { json: withStops, text: joinLines([showStops(said), shown.text], '\n\n') };
}

/** The holds of a batch at rest; one that is paused or halted has a remedy of its own. */
export const holdsOfRest = (
  { status, remedy }: Pick<Batch, 'status' | 'remedy'>,
  holds: readonly HoldTotal[],
): readonly HoldTotal[] => (status === 'done' && remedy === null ? holds.filter(({ rows }) => rows > 0) : []);

/** A batch with what follows from its standing. */
interface ShownBatch extends BatchStanding {
  readonly state: string;
  readonly next: readonly NextCommand[];
}

/** A batch of payouts, by `status`. @forTests */
export const batchView = viewOf<ShownBatch>()('batch', {
  kind: ['text', 'payouts', () => 'payouts'],
  batchId: ({ batch }) => batch.batchId,
  file: ({ batch }) => batch.fileName,
  status: ({ batch }) => batch.status,
  state: ['text', 'status in a word: held, in doubt and stopped besides', ({ state }) => state],
  reasonCode: ({ batch }) => batch.reasonCode,
  reason: ({ batch }) => batch.reason,
  remedy: ({ batch }) => batch.remedy,
  rows: ({ batch }) => batch.rows,
  amount: ({ batch }) => batch.totalSatang,
  unreadableAmounts: ({ batch }) => batch.unreadableAmounts,
  startedAt: ({ batch }) => batch.startedAtMs,
  restedAt: ({ batch }) => batch.restedAtMs,
  byStatus: [byName(totalView), 'rows and amount by status', ({ totals }) => namedTotals(inOrder(totals))],
  holds: [
    'counts',
    'rows by hold',
    ({ holds }) => Object.fromEntries(holds.map((one) => [one.hold, one.rows])),
  ],
  holdRemedies: ['words', 'what to do, by hold', ({ batch, holds }) => remediesOf(holdsOfRest(batch, holds))],
  alarms: ({ totals }) => countAlarms(totals),
  fileGrown: [
    recordOf(growthView),
    'what was added to the file after it was read',
    ({ grown }) => grown?.growth && grown,
  ],
  proposal: ({ proposalId }) => proposalId,
  approval: [
    recordOf(approvalView),
    'what an approval releases, where it is waited for and one batch is asked for',
    ({ approval }) => approval,
  ],
  stops: [listOf(stopView), 'what keeps it from being sent now', ({ stops = [] }) => inWords(stops)],
  next: [listOf(nextView), 'commands to type next', ({ next }) => next],
});

const remediesOf = (holds: readonly HoldTotal[]): Readonly<Record<string, string>> =>
  Object.fromEntries(holds.map((held) => [held.hold, inEnglish(describeHoldRemedy(held))]));

/**
 * A batch: time, file, state and rows by status.
 * @param isSending true while a process is sending
 */
export function showBatch(standing: BatchStanding, isSending = false): Shown {
  const { batch, totals, holds, proposalId, approval, stops = [] } = standing;
  const isHalted = stops.some(({ code }) => code === 'payer-halted');
  // A halt of the account counts as the batch's before the batch itself is halted.
  const stopped = isHalted && batch.status !== 'done' ? ({ ...batch, status: 'halted' } as const) : batch;
  const next = proposalId === undefined ? listNextOfBatch(stopped, totals, holds) : [toProposal(proposalId)];
  const state = showState(stopped.status, totals, isSending);
  const json = batchView.json({ ...standing, state, next });
  const { batchId, file, byStatus, alarms, reasonCode, reason, remedy } = json;
  const started = formatBangkokMoment(batch.startedAtMs);
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

const attemptView = viewOf<Attempt>()('attempt', {
  attemptNo: ({ attemptNo }) => attemptNo,
  transRefNo: ({ order }) => order.transRefNo,
  status: ['text', 'status of the attempt', ({ status }) => status],
  tranDate: ['text', 'date of the transfer, YYYYMMDD', ({ order }) => order.tranDate],
  amount: ({ order }) => order.amountText,
  intentAt: ({ intentAtMs }) => intentAtMs,
  sends: ['number', 'how often it was sent', ({ sends }) => sends],
  inquiries: ['number', 'how often the bank was asked about it', ({ inquiries }) => inquiries],
  lastFinding: ['text', 'what the last inquiry found', ({ lastFinding }) => lastFinding],
  nextInquiryAt: ['moment', 'when the bank is asked next', ({ nextInquiryAtMs }) => nextInquiryAtMs],
  sysRefNo: (attempt) => attempt.sysRefNo,
  fee: ['text', 'fee, as the bank names it', ({ feeText }) => feeText],
});

function describeAttempt({
  order: { transRefNo, tranDate },
  status,
  sends,
  inquiries,
  lastFinding,
}: Attempt): string {
  const found = lastFinding === null ? '' : `, last one: ${lastFinding}`;
  return `  attempt ${readAttemptNumber(transRefNo)}: ${transRefNo} ${status}, tranDate ${tranDate}, sent ${sends}x, inquired ${inquiries}x${found}`;
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

/** An event of either kind of row. */
export const eventView = viewOf<PayoutHistory['events'][number] | RegistrationHistory['events'][number]>()(
  'event',
  {
    at: ({ atMs }) => atMs,
    cause: ['text', 'what caused it', ({ cause }) => cause],
    from: ['text', 'status before', ({ from }) => from],
    to: ['text', 'status after', ({ to }) => to],
    attemptNo: ({ attemptNo }) => attemptNo,
    detail: ['facts', 'further facts, numbers masked', ({ detail }) => maskFact('detail', detail)],
  },
);

function describeEvent({ atMs, from, to, cause, detail }: PayoutHistory['events'][number]): string {
  const facts = Object.entries(detail).map(([name, value]) => `${name}=${showFact(maskFact(name, value))}`);
  return `  ${formatBangkokMoment(atMs)}  ${from} -> ${to}  ${cause}  ${facts.join(' ')}`.trimEnd();
}

/** Carried-through cells by the names of their columns. */
export const carriedOf = (
  columns: readonly string[],
  cells: readonly string[],
): Readonly<Record<string, string>> =>
  Object.fromEntries(columns.map((name, place) => [showText(name), showText(cells[place] ?? '')]));

/** "name  value" lines, without empty values. */
export const listNames = (rows: readonly (readonly [name: string, text: string])[]): string[] =>
  alignColumns(rows.filter(([, text]) => text !== '').map(([name, text]) => [`  ${name}`, text]));

/** Names and references as lines. */
function showNames({ carried, ...said }: Said<typeof payoutView>): string[] {
  const join = (...texts: readonly (string | null)[]): string =>
    texts.filter((text) => text !== null).join(', ');
  return listNames([
    ['name in the file', said.payeeName ?? ''],
    ['name at the bank', join(said.bankPayeeName, said.bankPayeeNameTh)],
    ['references', join(said.reference1, said.reference2)],
    ...Object.entries(carried),
  ]);
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

/** A payout with what follows from its standing. */
interface ShownPayout extends PayoutStanding {
  readonly said: readonly SaidHealthReason[];
  readonly next: readonly NextCommand[];
}

const filedOf = ({ row }: PayoutHistory) => row.instruction ?? row.cells;
const unlessEmpty = (text: string | null): string | null => (text === '' ? null : text);

/** A payout with its history, by `show`. @forTests */
export const payoutView = viewOf<ShownPayout>()('payout', {
  kind: ['text', 'payout', () => 'payout'],
  payoutId: ({ row }) => row.cells.payoutId,
  batchId: ({ batch }) => batch.batchId,
  file: ({ batch }) => batch.fileName,
  rowNo: ({ row }) => row.rowNo,
  line: ({ row }) => row.line,
  proxyNo: ({ row }) => row.instruction?.proxyNo ?? row.cells.proxyNo,
  amount: ({ row }) => row.amountSatang,
  status: ({ row }) => row.status,
  holds: ({ row }) => row.holds,
  reasonCode: ({ row }) => row.reasonCode,
  reason: ({ row }) => row.reason,
  isAlarm: ({ row }) => row.isAlarm,
  remedy: [
    'text',
    'what to do about it',
    ({ row, said, loss }) =>
      row.isAlarm ? inEnglish(describeAlarmRemedy(row)) : describeUnsentRemedy(row, said, loss),
  ],
  sysRefNo: ({ row }) => row.sysRefNo,
  fee: ['foreign', 'fee, as the bank names it', ({ row }) => row.feeText],
  attempts: [listOf(attemptView), 'each reference under which it was sent', ({ attempts }) => attempts],
  events: [listOf(eventView), 'all that happened to it', ({ events }) => events],
  payeeName: (history) => unlessEmpty(filedOf(history).payeeName),
  bankPayeeName: ({ row }) => unlessEmpty(row.bankPayeeName),
  bankPayeeNameTh: ({ row }) => unlessEmpty(row.bankPayeeNameTh),
  reference1: (history) => unlessEmpty(filedOf(history).reference1),
  reference2: (history) => unlessEmpty(filedOf(history).reference2),
  carried: [
    'words',
    'carried-through cells by column',
    ({ batch, row }) => carriedOf(batch.extraColumns, row.extras),
  ],
  proposal: ({ proposalId }) => proposalId,
  stops: [listOf(stopView), 'what keeps it from being sent now', ({ said }) => said],
  next: [listOf(nextView), 'commands to type next', ({ next }) => next],
  settledAt: ({ row }) => row.settledAtMs,
  settledBy: ({ row }) => row.settledBy,
});

/** One payout with its whole history; proxy numbers are masked, the result file has them in full. */
export function showPayout(history: PayoutStanding): Shown {
  const { row, batch, proposalId, stops = [] } = history;
  const latest = history.attempts.at(-1);
  const [tranDate, lastFinding] = [latest?.order.tranDate, latest?.lastFinding ?? null];
  const next =
    proposalId === undefined
      ? listNextCommands({ row, batchId: batch.batchId, fileName: batch.fileName, tranDate, lastFinding })
      : [toProposal(proposalId)];
  const said = inWords(stops);
  const stopped = said.filter(isTyped).map(({ command, text }) => ({ command, why: `first: ${text}` }));
  const json = payoutView.json({ ...history, said, next: [...stopped, ...next] });
  const amount = json.amount === null ? 'unreadable amount' : `${showAmount(json.amount)} baht`;
  const why = json.reason === null ? '' : ` (${json.reasonCode ?? ''}: ${json.reason})`;
  const holds = json.holds.length === 0 ? '' : ` [${json.holds.join(', ')}]`;
  const lines = [
    `${json.payoutId}  ${amount} to ${json.proxyNo}`,
    `  row ${json.rowNo} (line ${json.line}) of ${json.file}, batch ${json.batchId}`,
    ...showNames(json),
    `  ${json.status}${holds}${why}`,
    ...showSettled(row),
    ...(json.isAlarm ? ['  ALARM: the bank contradicts what was called proved'] : []),
    ...said.map(({ text }) => `  NOT SENDING: ${text}`),
    `  remedy: ${json.remedy}`,
    ...history.attempts.map(describeAttempt),
    ...history.events.map(describeEvent),
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

/** The origin of a statement. */
export const sourceView = viewOf<Provenance>()('source of a statement', {
  from: ['text', 'bank or file', ({ from }) => from],
  user: ['text', 'who gave it or insisted on it', ({ user }) => user],
  proposal: ({ proposal }) => proposal,
  checkedBy: ['text', 'second person who approved it', ({ checkedBy }) => checkedBy],
  isForced: [
    'flag',
    'whether it was taken though it lacks lines, is empty or was superseded',
    ({ isForced }) => isForced,
  ],
});

/** A day with what the breaks of it add up to. */
interface ShownDay extends DayStanding {
  readonly oldestOpenDays: number | null;
}

/** A day, by `status --statements`. @forTests */
export const dayView = viewOf<ShownDay>()('day', {
  date: ['day', 'the day, in Bangkok', ({ date }) => date],
  statementVersion: ['number', 'version of its statement, the first is 1', ({ state }) => state?.version],
  reconciledAt: ['moment', 'when the statement was accepted', ({ state }) => state?.acceptedAtMs],
  isWhole: ['flag', 'whether the day had ended and every line could be read', ({ isWhole }) => isWhole],
  openBreaks: ['number', 'its open breaks', ({ state }) => state?.openBreaks],
  oldestOpenDays: ['number', 'whole days for which the oldest of them is open', (day) => day.oldestOpenDays],
  source: [recordOf(sourceView), 'where the statement came from', ({ state }) => state?.provenance],
});

/** One line for a day. @forTests */
export function showDay(day: DayStanding, nowMs: number): Shown {
  const { state, isWhole } = day;
  const openedAtMs = state?.oldestOpenedAtMs ?? null;
  // Whole days that the oldest open break has been open.
  const oldestOpenDays = openedAtMs === null ? null : Math.max(0, Math.floor((nowMs - openedAtMs) / dayMs));
  const json = dayView.json({ ...day, oldestOpenDays });
  const { date } = json;
  if (state === undefined)
    return {
      json,
      text: printable(`${date}  not reconciled: payouts were sent, and no statement was accepted`),
    };
  const { version, acceptedAtMs, openBreaks, provenance } = state;
  const breaks = renderBreaks(isWhole, openBreaks, oldestOpenDays);
  const found = isWhole ? breaks : `the day is not complete: reconcile it again; ${breaks}`;
  const from = provenance === null ? '' : `; from ${inEnglish(describeProvenance(provenance))}`;
  return {
    json,
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
