/** Output of `status` and `show` about direct-debit registrations. */
import { countAlarms, countRows } from '../../core/exit-code.ts';
import { byName, listOf, recordOf, viewOf } from '../../core/view.ts';
import type {
  DirectDebitStanding,
  RegistrationBatchStanding,
  RegistrationHistory,
  RegistrationStanding,
} from '../../app/registration/standing.ts';
import { formatBangkokMoment } from '../../core/bangkok-time.ts';
import type { BatchStatus } from '../../core/payout.ts';
import {
  encodeJson,
  joinLines,
  printable,
  showText,
  showTextIfAny,
  toLines,
} from '../../core/outgoing-text.ts';
import { maskDigits } from '../../core/proxy-id.ts';
import { listNextOfRegistration, listNextOfRegistrations } from '../../registration/rules/next-commands.ts';
import type { RegistrationTotal } from '../../registration/rules/registration-batch.ts';
import {
  awaitedStatuses,
  latestRequestUid,
  type RegistrationAttempt,
  type RegistrationSettledBy,
} from '../../registration/rules/registration.ts';
import {
  describeRegistrationReason,
  readRegistrationCell,
  remedyOfRegistration,
} from '../../registration/rules/report-rows.ts';
import { orderTotals, renderRegistrationHolds } from '../../registration/rules/summary.ts';
import type { NextCommand } from '../../reports/rules/next-commands.ts';
import { countOf, namedTotals, rowsView, showCount } from './amounts.ts';
import { alignColumns, type Shown, showList } from './shown.ts';
import { carriedOf, eventView, listNames, maskFact, nextView, showNext, toProposal } from './status.ts';

/** Indent of the lines below the head of a batch, under its time. */
const indent = ' '.repeat(12);

/**
 * The state of a batch in words: `running` only says that some rows have not ended; no process may be working on them.
 * @param isSending true while a process is sending
 */
export function showRegistrationState(
  status: BatchStatus,
  totals: readonly RegistrationTotal[],
  isSending: boolean,
): BatchStatus | 'awaiting callbacks' | 'stopped' {
  if (status !== 'running') return status;
  const isToBeSent = countRows(totals, ['staged', 'ready']) > 0;
  if (!isToBeSent && countRows(totals, awaitedStatuses) > 0) return 'awaiting callbacks';
  return isSending ? status : 'stopped';
}

/** "27 registered, 3 refused". */
const showRegistrationsByStatus = (totals: readonly RegistrationTotal[]): string =>
  orderTotals(totals)
    .map(({ status, rows }) => `${showCount(rows)} ${status}`)
    .join(', ');

/** A batch with what follows from its standing. */
interface ShownBatch extends RegistrationBatchStanding {
  readonly state: string;
  readonly next: readonly NextCommand[];
}

/** A batch of registrations, by `status`. @forTests */
export const registrationBatchView = viewOf<ShownBatch>()('batch of registrations', {
  kind: ['text', 'registrations', () => 'registrations'],
  batchId: ({ batch }) => batch.batchId,
  file: ({ batch }) => batch.fileName,
  status: ({ batch }) => batch.status,
  state: ['text', 'status in a word: awaiting callbacks and stopped besides', ({ state }) => state],
  reasonCode: ({ batch }) => batch.reasonCode,
  reason: ({ batch }) => batch.reason,
  remedy: ({ batch }) => batch.remedy,
  rows: ({ batch }) => batch.rows,
  startedAt: ({ batch }) => batch.startedAtMs,
  restedAt: ({ batch }) => batch.restedAtMs,
  byStatus: [byName(rowsView), 'rows by status', ({ totals }) => namedTotals(orderTotals(totals))],
  holds: [
    'counts',
    'rows by hold',
    ({ holds }) => renderRegistrationHolds(holds.filter(({ rows }) => rows > 0)),
  ],
  awaited: [
    'number',
    'rows whose outcome the bank has not told',
    ({ totals }) => countRows(totals, awaitedStatuses),
  ],
  alarms: ({ totals }) => countAlarms(totals),
  proposal: ({ proposalId }) => proposalId,
  next: [listOf(nextView), 'commands to type next', ({ next }) => next],
});

/**
 * A batch of registrations: time, file, state and rows by status.
 * @param isSending true while a process is sending
 */
export function showRegistrationBatch(standing: RegistrationBatchStanding, isSending = false): Shown {
  const { batch, totals, proposalId } = standing;
  const next = proposalId === undefined ? listNextOfRegistrations(batch, totals) : [toProposal(proposalId)];
  const state = showRegistrationState(batch.status, totals, isSending);
  const json = registrationBatchView.json({ ...standing, state, next });
  const { batchId, file, alarms, reasonCode, reason, remedy, rows } = json;
  const held = Object.entries(json.holds).map(([hold, count]) => `${showCount(count)} ${hold}`);
  const counted = countOf(rows, 'registration');
  const below = [
    ...(alarms === 0
      ? []
      : [`ALARM: ${countOf(alarms, 'row contradicts', 'rows contradict')} what was called ended`]),
    totals.length === 0 ? counted : `${counted}: ${showRegistrationsByStatus(totals)}`,
    ...(held.length === 0 ? [] : [`held: ${held.join(', ')}`]),
    ...(reason === null ? [] : [`${reasonCode ?? ''}: ${reason}`]),
    ...(remedy === null ? [] : [`remedy: ${remedy}`]),
    ...(state === 'stopped' ? ['goes on when its file is registered again, or with a watcher'] : []),
    ...next
      .filter(({ command }) => remedy?.includes(`"${command}"`) !== true)
      .map(({ command, why }) => `${why}: ${command}`),
  ];
  const head = [batchId, formatBangkokMoment(batch.startedAtMs), state.padEnd(9), file].join('  ');
  return { json, text: toLines([head, ...below.map((line) => `${indent}${line}`)]) };
}

// ---------------------------------------------------------------- all of them

/** "All registrations", "Those of V001/COMP01". */
const nameBreaker = (payerAccount: string): string => {
  const [, company] = payerAccount.split(' ');
  return company === undefined ? 'All registrations' : `Those of ${showText(company)}`;
};

type KeptCallback = DirectDebitStanding['latestUnknown'][number];

/** An unknown callback. */
const unknownView = viewOf<KeptCallback>()('unknown callback', {
  receivedAt: ['moment', 'when it came', ({ receivedAtMs }) => receivedAtMs],
  vendorId: ({ callback }) => callback.identity.vendorId,
  companyId: ({ callback }) => callback.identity.companyId,
  accountNo: ({ callback }) => callback.identity.accountNo,
  refs: [
    'facts',
    'references, in order',
    ({ callback }) => callback.identity.refs.map((ref) => showTextIfAny(ref)),
  ],
  outcome: ['text', 'outcome that it tells', ({ callback }) => callback.outcome],
  respCode: ({ callback }) => callback.respCode,
  applyDtm: ({ callback }) => callback.applyDtm,
  repeats: ['number', 'how often it was told again', ({ repeats }) => repeats],
});

const cellsOfUnknown = ({ receivedAtMs, callback: { identity, outcome } }: KeptCallback): string[] => [
  `  ${formatBangkokMoment(receivedAtMs)}`,
  outcome,
  `${showText(identity.vendorId)}/${showText(identity.companyId)}`,
  maskDigits(identity.accountNo),
  identity.refs.flatMap((ref) => (ref === null ? [] : [showText(ref)])).join(', '),
];

const haltView = viewOf<DirectDebitStanding['halts'][number]>()('halt', {
  of: ['text', 'whose registrations are halted', ({ payerAccount }) => nameBreaker(payerAccount)],
  since: ['moment', 'since when', ({ sinceMs }) => sinceMs],
  reasonCode: ({ code }) => code,
  reason: ({ reason }) => reason,
  remedy: ({ remedy }) => remedy,
});

const pauseView = viewOf<NonNullable<DirectDebitStanding['pause']>>()('pause', {
  since: ['moment', 'since when', ({ sinceMs }) => sinceMs],
  until: ['moment', 'when it ends by itself', ({ untilMs }) => untilMs],
  reasonCode: ({ code }) => code,
  reason: ({ reason }) => reason,
});

/** The state of all registrations together, in a list of `status`. @forTests */
export const directDebitView = viewOf<DirectDebitStanding>()('all registrations', {
  kind: ['text', 'direct-debit', () => 'direct-debit'],
  halts: [listOf(haltView), 'halts', ({ halts }) => halts],
  pause: [recordOf(pauseView), 'the pause of all of them', ({ pause }) => pause],
  awaited: ['number', "rows that wait for the bank's callback", ({ awaitedRows }) => awaitedRows],
  nextOverdueAt: [
    'moment',
    'when the first of them counts as unanswered',
    ({ nextOverdueAtMs }) => nextOverdueAtMs,
  ],
  unanswered: ['number', 'rows that were never answered', ({ unansweredRows }) => unansweredRows],
  unknownCallbacks: [
    'number',
    'callbacks about no registration that is known here',
    (all) => all.unknownCallbacks,
  ],
  latestUnknown: [listOf(unknownView), 'the latest of them', ({ latestUnknown }) => latestUnknown],
});

/** State of all registrations together: halts, rows that await callbacks, and unknown callbacks. */
function showDirectDebit(standing: DirectDebitStanding): Shown {
  const { pause, awaitedRows, nextOverdueAtMs, unansweredRows, unknownCallbacks } = standing;
  const json = directDebitView.json(standing);
  const overdue =
    nextOverdueAtMs === undefined
      ? ''
      : `; the first counts as unanswered from ${formatBangkokMoment(nextOverdueAtMs)} on`;
  const lines = [
    ...json.halts.flatMap(({ of, reasonCode, reason, remedy }) => [
      `${of} are HALTED (${reasonCode}: ${reason})`,
      `  remedy: ${remedy}`,
    ]),
    ...(pause === undefined || json.pause === null
      ? []
      : [
          `All registrations are paused until ${formatBangkokMoment(pause.untilMs)}, and then go on by themselves (${pause.code}: ${json.pause.reason})`,
        ]),
    ...(awaitedRows === 0
      ? []
      : [
          `${countOf(awaitedRows, 'registration waits', 'registrations wait')} for the bank's callback${overdue}`,
        ]),
    ...(unansweredRows === 0
      ? []
      : [
          `${countOf(unansweredRows, 'registration was', 'registrations were')} never answered: paydrop list --registrations --status unanswered`,
        ]),
    ...(unknownCallbacks === 0
      ? []
      : [
          `${countOf(unknownCallbacks, 'callback is', 'callbacks are')} about no registration that is known here; kept, and matched if it turns up:`,
          ...alignColumns(standing.latestUnknown.map(cellsOfUnknown)),
        ]),
  ];
  return { json, text: toLines(lines) };
}

/** All registrations: their common state, then batch by batch. */
export interface ShownRegistrations extends Shown {
  readonly all: Shown;
  readonly batches: readonly Shown[];
  readonly isNothing: boolean;
}

export function showRegistrations(
  standings: readonly RegistrationBatchStanding[],
  all: DirectDebitStanding,
  isSending: boolean,
): ShownRegistrations {
  const batches = standings.map((one) => showRegistrationBatch(one, isSending));
  const directDebit = showDirectDebit(all);
  const json = { ...directDebit.json, batches: batches.map((one) => one.json) };
  const parts = [directDebit.text, joinLines(batches.map((one) => one.text))].filter((text) => text !== '');
  const isNothing = parts.length === 0;
  return {
    all: directDebit,
    batches,
    isNothing,
    json,
    text: isNothing ? printable(noRegistrations) : joinLines(parts, '\n\n'),
  };
}

const noRegistrations = 'No registrations yet.';

/** Batches of payouts, then registrations below them. @param none text without any batch of payouts */
export function withRegistrations(
  payouts: readonly Shown[],
  none: string,
  registrations: ShownRegistrations,
): Shown {
  const { isNothing, all, batches, text } = registrations;
  const shown = showList(payouts, none);
  const json = [...payouts, ...batches, ...(isNothing ? [] : [all])].map((part) => part.json);
  if (isNothing) return { json, text: shown.text };
  const beside = [toLines(['Registrations']), text];
  return { json, text: joinLines(payouts.length === 0 ? beside : [shown.text, toLines(['']), ...beside]) };
}

// ---------------------------------------------------------------- one registration

const attemptView = viewOf<RegistrationAttempt>()('attempt of a registration', {
  attemptNo: ({ attemptNo }) => attemptNo,
  requestUID: ['text', 'requestUID under which it was last sent', latestRequestUid],
  firstRequestUID: ['text', 'requestUID under which it was first sent', ({ requestUid }) => requestUid],
  intentAt: ({ intentAtMs }) => intentAtMs,
  httpStatus: ['number', "HTTP status of the bank's answer", ({ httpStatus }) => httpStatus],
  statusCode: ['text', "code of the bank's answer", ({ statusCode }) => statusCode],
  statusDesc: ['foreign', "the bank's words for it", ({ statusDesc }) => statusDesc],
  ddrOapiSeqId: ['text', "the bank's number of the request", ({ ddrOapiSeqId }) => ddrOapiSeqId],
  elapsedMs: ['number', 'milliseconds until the answer', ({ elapsedMs }) => elapsedMs],
});

function describeAttempt(attempt: RegistrationAttempt): string {
  const { attemptNo, requestUid, renewedUid, statusCode, statusDesc, ddrOapiSeqId, httpStatus } = attempt;
  const answer =
    statusCode === null
      ? httpStatus === null
        ? 'no answer'
        : `HTTP ${httpStatus}`
      : `answered ${printable(statusCode)}${statusDesc === null ? '' : ` (${showText(statusDesc)})`}`;
  const sequence = ddrOapiSeqId === null ? '' : `, ddrOapiSeqId ${printable(ddrOapiSeqId)}`;
  return `  attempt ${attemptNo}: ${requestUid}${renewedUid === null ? '' : `, again as ${renewedUid}`}, ${answer}${sequence}`;
}

function describeEvent({ cause, atMs, from, to, detail }: RegistrationHistory['events'][number]): string {
  const facts = Object.entries(maskFact('detail', detail) as object)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : encodeJson(value)}`);
  return `  ${formatBangkokMoment(atMs)}  ${from} -> ${to}  ${cause}  ${facts.join(' ')}`.trimEnd();
}

const callbackView = viewOf<KeptCallback>()('callback', {
  receivedAt: ['moment', 'when it came', ({ receivedAtMs }) => receivedAtMs],
  outcome: ['text', 'outcome that it tells', ({ callback }) => callback.outcome],
  respCode: ({ callback }) => callback.respCode,
  respDesc: ['text', "the bank's words for it", ({ callback }) => callback.respDesc],
  applyDtm: ({ callback }) => callback.applyDtm,
  requestUID: ['text', 'requestUID that it names', ({ callback }) => callback.requestUid],
  repeats: ['number', 'how often it was told again', ({ repeats }) => repeats],
});

function describeCallback({ callback, receivedAtMs, repeats }: KeptCallback): string {
  const { outcome, respCode, respDesc, applyDtm } = callback;
  const again = repeats === 0 ? '' : `, told ${countOf(repeats, 'time', 'times')} again`;
  return `  callback of ${formatBangkokMoment(receivedAtMs)}: ${outcome} (${respCode} ${respDesc}), applied ${applyDtm}${again}`;
}

/** Words for what settled a row, by the result's settledBy. */
const settlers: Readonly<Record<RegistrationSettledBy, string>> = {
  rules: 'the rules of the input',
  reply: "the bank's answer",
  callback: "the bank's callback",
  time: 'the time set for the callback',
  decision: "a person's decision",
};

const refColumns = ['ref1', 'ref2', 'ref3', 'ref4'] as const;

/** The four references of a registration. */
export const refsOf = (row: RegistrationStanding['row']): readonly string[] =>
  refColumns.map((column) => showText(readRegistrationCell(row, column)));

function describeWait({ row }: RegistrationHistory): string[] {
  const { awaitedUntilMs, settledAtMs, settledBy } = row;
  if (awaitedUntilMs !== null)
    return [`  the bank's callback is waited for until ${formatBangkokMoment(awaitedUntilMs)}`];
  if (settledAtMs === null || settledBy === null) return [];
  return [`  settled ${formatBangkokMoment(settledAtMs)} by ${settlers[settledBy]}`];
}

/** A registration with what follows from its standing. */
interface ShownRegistration extends RegistrationStanding {
  readonly next: readonly NextCommand[];
}

/** A registration with its history, by `show`. @forTests */
export const registrationView = viewOf<ShownRegistration>()('registration', {
  kind: ['text', 'registration', () => 'registration'],
  registrationId: ({ row }) => readRegistrationCell(row, 'registrationId'),
  batchId: ({ batch }) => batch.batchId,
  file: ({ batch }) => batch.fileName,
  rowNo: ({ row }) => row.rowNo,
  line: ({ row }) => row.line,
  customerId: ({ row }) => readRegistrationCell(row, 'customerId'),
  vendorId: ({ row }) => readRegistrationCell(row, 'vendorId'),
  companyId: ({ row }) => readRegistrationCell(row, 'companyId'),
  accountNo: ({ row }) => readRegistrationCell(row, 'accountNo'),
  refs: ['texts', 'its four references', ({ row }) => refsOf(row)],
  carried: [
    'words',
    'carried-through cells by column',
    ({ batch, row }) => carriedOf(batch.extraColumns, row.extras),
  ],
  status: ({ row }) => row.status,
  holds: ({ row }) => row.holds,
  reasonCode: ({ row }) => describeRegistrationReason(row)[0] || null,
  reason: ({ row }) => describeRegistrationReason(row)[1],
  isAlarm: ({ row }) => row.isAlarm,
  remedy: ['advice', 'what to do about it', ({ row }) => remedyOfRegistration(row)],
  respCode: ({ row }) => row.respCode,
  respDesc: ['text', "the bank's words in its callback", ({ row }) => row.respDesc],
  applyDtm: ({ row }) => row.applyDtm,
  awaitedUntil: ['moment', "until when the bank's callback is waited for", ({ row }) => row.awaitedUntilMs],
  submittedAt: ({ row }) => row.submittedAtMs,
  settledAt: ({ row }) => row.settledAtMs,
  settledBy: ({ row }) => row.settledBy,
  attempts: [listOf(attemptView), 'each request', ({ attempts }) => attempts],
  events: [listOf(eventView), 'all that happened to it', ({ events }) => events],
  callbacks: [listOf(callbackView), "the bank's callbacks about it", ({ callbacks }) => callbacks],
  proposal: ({ proposalId }) => proposalId,
  next: [listOf(nextView), 'commands to type next', ({ next }) => next],
});

/** One registration with its whole history. */
export function showRegistration(history: RegistrationStanding): Shown {
  const { row, batch, proposalId } = history;
  const { batchId, fileName } = batch;
  const next =
    proposalId === undefined ? listNextOfRegistration({ row, batchId, fileName }) : [toProposal(proposalId)];
  const json = registrationView.json({ ...history, next });
  const why = [json.reasonCode, json.reason].filter((text) => text !== null).join(': ');
  const lines = [
    `${json.registrationId}  registration of account ${json.accountNo}`,
    `  row ${json.rowNo} (line ${json.line}) of ${json.file}, batch ${json.batchId}`,
    ...listNames([
      ['customer', json.customerId],
      ['company', `${json.vendorId}/${json.companyId}`],
      ['references', json.refs.filter((ref) => ref !== '').join(', ')],
      ...Object.entries(json.carried),
    ]),
    `  ${json.status}${why === '' ? '' : ` (${why})`}`,
    ...describeWait(history),
    ...(json.isAlarm ? ['  ALARM: the bank contradicts what was called ended'] : []),
    `  remedy: ${json.remedy}`,
    ...history.attempts.map(describeAttempt),
    ...history.callbacks.map(describeCallback),
    ...history.events.map(describeEvent),
  ];
  return { json, text: toLines([...lines, ...showNext(next)]) };
}
