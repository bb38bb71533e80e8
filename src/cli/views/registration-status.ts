/** Output of `status` and `show` about direct-debit registrations. */
import { inEnglish, inEnglishIfAny } from '../../core/message.ts';
import type {
  DirectDebitStanding,
  RegistrationBatchStanding,
  RegistrationHistory,
  RegistrationStanding,
} from '../../app/registration/standing.ts';
import { formatBangkokDateTime, formatBangkokMoment } from '../../core/bangkok-time.ts';
import type { BatchStatus } from '../../core/payout.ts';
import {
  encodeJson,
  joinLines,
  printable,
  showMessage,
  showMessageIfAny,
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
import {
  countRegistrationAlarms,
  countRegistrations,
  orderTotals,
  renderRegistrationHolds,
  renderRegistrationTotals,
} from '../../registration/rules/summary.ts';
import { countOf, showCount } from './amounts.ts';
import { alignColumns, type Shown, showList } from './shown.ts';
import { maskFact, showNext, toProposal } from './status.ts';

const stamp = (epochMs: number | null): string | null =>
  epochMs === null ? null : formatBangkokDateTime(epochMs);

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
  const isToBeSent = countRegistrations(totals, ['staged', 'ready']) > 0;
  if (!isToBeSent && countRegistrations(totals, awaitedStatuses) > 0) return 'awaiting callbacks';
  return isSending ? status : 'stopped';
}

/** "27 registered, 3 refused". */
const showRegistrationsByStatus = (totals: readonly RegistrationTotal[]): string =>
  orderTotals(totals)
    .map(({ status, rows }) => `${showCount(rows)} ${status}`)
    .join(', ');

/**
 * A batch of registrations: time, file, state and rows by status.
 * @param isSending true while a process is sending
 */
export function showRegistrationBatch(standing: RegistrationBatchStanding, isSending = false): Shown {
  const { batch, totals, holds, proposalId } = standing;
  const next = proposalId === undefined ? listNextOfRegistrations(batch, totals) : [toProposal(proposalId)];
  const json = {
    kind: 'registrations',
    batchId: batch.batchId,
    file: batch.fileName,
    status: batch.status,
    reasonCode: batch.reasonCode,
    reason: showMessageIfAny(batch.reason),
    remedy: showMessageIfAny(batch.remedy),
    rows: batch.rows,
    startedAt: formatBangkokDateTime(batch.startedAtMs),
    restedAt: stamp(batch.restedAtMs),
    byStatus: renderRegistrationTotals(orderTotals(totals)),
    holds: renderRegistrationHolds(holds.filter(({ rows }) => rows > 0)),
    awaited: countRegistrations(totals, awaitedStatuses),
    alarms: countRegistrationAlarms(totals),
    proposal: proposalId ?? null,
    next,
  };
  const { batchId, file, alarms, reasonCode, reason, remedy, rows } = json;
  const state = showRegistrationState(batch.status, totals, isSending);
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

function showCallback({ callback, receivedAtMs, repeats }: DirectDebitStanding['latestUnknown'][number]) {
  const { identity, outcome, respCode, applyDtm } = callback;
  const { vendorId, companyId, accountNo, refs } = identity;
  return {
    json: {
      receivedAt: formatBangkokDateTime(receivedAtMs),
      vendorId: showText(vendorId),
      companyId: showText(companyId),
      accountNo: maskDigits(accountNo),
      refs: refs.map((ref) => showTextIfAny(ref)),
      outcome,
      respCode,
      applyDtm,
      repeats,
    },
    cells: [
      `  ${formatBangkokMoment(receivedAtMs)}`,
      outcome,
      `${showText(vendorId)}/${showText(companyId)}`,
      maskDigits(accountNo),
      refs.flatMap((ref) => (ref === null ? [] : [showText(ref)])).join(', '),
    ],
  };
}

/** State of all registrations together: halts, rows that await callbacks, and unknown callbacks. */
function showDirectDebit(standing: DirectDebitStanding): Shown {
  const { halts, pause, awaitedRows, nextOverdueAtMs, unansweredRows, unknownCallbacks } = standing;
  const unknown = standing.latestUnknown.map(showCallback);
  const json = {
    halts: halts.map(({ payerAccount, sinceMs, code, reason, remedy }) => ({
      of: nameBreaker(payerAccount),
      since: formatBangkokDateTime(sinceMs),
      reasonCode: code,
      reason: showMessage(reason),
      remedy: showMessage(remedy),
    })),
    pause:
      pause === undefined
        ? null
        : {
            since: formatBangkokDateTime(pause.sinceMs),
            until: formatBangkokDateTime(pause.untilMs),
            reasonCode: pause.code,
            reason: showMessage(pause.reason),
          },
    awaited: awaitedRows,
    nextOverdueAt: stamp(nextOverdueAtMs ?? null),
    unanswered: unansweredRows,
    unknownCallbacks,
    latestUnknown: unknown.map((one) => one.json),
  };
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
          ...alignColumns(unknown.map(({ cells }) => cells)),
        ]),
  ];
  return { json, text: toLines(lines) };
}

/** All registrations: their common state, then batch by batch. */
export interface ShownRegistrations extends Shown {
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
  const { isNothing, batches, text } = registrations;
  const list = showList(payouts, none);
  const json = [...payouts, ...batches].map((one) => one.json);
  if (isNothing) return { json, text: list.text };
  const beside = [toLines(['Registrations']), text];
  return { json, text: joinLines(payouts.length === 0 ? beside : [list.text, toLines(['']), ...beside]) };
}

// ---------------------------------------------------------------- one registration

function showAttempt(attempt: RegistrationAttempt): Shown {
  const { attemptNo, requestUid, renewedUid, intentAtMs, statusCode, statusDesc, ddrOapiSeqId, httpStatus } =
    attempt;
  const answer =
    statusCode === null
      ? httpStatus === null
        ? 'no answer'
        : `HTTP ${httpStatus}`
      : `answered ${printable(statusCode)}${statusDesc === null ? '' : ` (${showText(statusDesc)})`}`;
  const sequence = ddrOapiSeqId === null ? '' : `, ddrOapiSeqId ${printable(ddrOapiSeqId)}`;
  return {
    json: {
      attemptNo,
      requestUID: latestRequestUid(attempt),
      firstRequestUID: requestUid,
      intentAt: formatBangkokDateTime(intentAtMs),
      httpStatus,
      statusCode,
      statusDesc: showTextIfAny(statusDesc),
      ddrOapiSeqId,
      elapsedMs: attempt.elapsedMs,
    },
    text: printable(
      `  attempt ${attemptNo}: ${requestUid}${renewedUid === null ? '' : `, again as ${renewedUid}`}, ${answer}${sequence}`,
    ),
  };
}

function showEvent({
  cause,
  atMs,
  from,
  to,
  attemptNo,
  ...event
}: RegistrationHistory['events'][number]): Shown {
  const detail = Object.fromEntries(
    Object.entries(event.detail).map(([name, value]) => [name, maskFact(name, value)]),
  );
  const facts = Object.entries(detail)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : encodeJson(value)}`);
  return {
    json: { at: formatBangkokDateTime(atMs), cause, from, to, attemptNo, detail },
    text: printable(
      `  ${formatBangkokMoment(atMs)}  ${from} -> ${to}  ${cause}  ${facts.join(' ')}`.trimEnd(),
    ),
  };
}

function showKept({ callback, receivedAtMs, repeats }: RegistrationHistory['callbacks'][number]): Shown {
  const { outcome, respCode, respDesc, applyDtm, requestUid } = callback;
  const again = repeats === 0 ? '' : `, told ${countOf(repeats, 'time', 'times')} again`;
  return {
    json: {
      receivedAt: formatBangkokDateTime(receivedAtMs),
      outcome,
      respCode,
      respDesc,
      applyDtm,
      requestUID: requestUid,
      repeats,
    },
    text: printable(
      `  callback of ${formatBangkokMoment(receivedAtMs)}: ${outcome} (${respCode} ${respDesc}), applied ${applyDtm}${again}`,
    ),
  };
}

/** Words for what settled a row, by the result's settledBy. */
const settlers: Readonly<Record<RegistrationSettledBy, string>> = {
  rules: 'the rules of the input',
  reply: "the bank's answer",
  callback: "the bank's callback",
  time: 'the time set for the callback',
  decision: "a person's decision",
};

/** The partner's values; numbers of people and accounts are masked, the result file has them in full. */
function describeInstruction({ row, batch }: RegistrationHistory) {
  const cell = (column: Parameters<typeof readRegistrationCell>[1]): string =>
    readRegistrationCell(row, column);
  return {
    customerId: maskDigits(cell('customerId')),
    vendorId: showText(cell('vendorId')),
    companyId: showText(cell('companyId')),
    accountNo: maskDigits(cell('accountNo')),
    refs: (['ref1', 'ref2', 'ref3', 'ref4'] as const).map((column) => showText(cell(column))),
    carried: Object.fromEntries(
      batch.extraColumns.map((name, place) => [showText(name), showText(row.extras[place] ?? '')]),
    ),
  };
}

/** The same as lines, without empty ones. */
function showInstruction({
  customerId,
  vendorId,
  companyId,
  refs,
  carried,
}: ReturnType<typeof describeInstruction>) {
  const rows = [
    ['customer', customerId],
    ['company', `${vendorId}/${companyId}`],
    ['references', refs.filter((ref) => ref !== '').join(', ')],
    ...Object.entries(carried),
  ];
  return alignColumns(
    rows.filter(([, text]) => text !== '').map(([name = '', text = '']) => [`  ${name}`, text]),
  );
}

function describeWait({ row }: RegistrationHistory): string[] {
  const { awaitedUntilMs, settledAtMs, settledBy } = row;
  if (awaitedUntilMs !== null)
    return [`  the bank's callback is waited for until ${formatBangkokMoment(awaitedUntilMs)}`];
  if (settledAtMs === null || settledBy === null) return [];
  return [`  settled ${formatBangkokMoment(settledAtMs)} by ${settlers[settledBy]}`];
}

/** One registration with its whole history. */
export function showRegistration(history: RegistrationStanding): Shown {
  const { row, batch, proposalId } = history;
  const attempts = history.attempts.map(showAttempt);
  const events = history.events.map(showEvent);
  const callbacks = history.callbacks.map(showKept);
  const asked = describeInstruction(history);
  const [reasonCode, said] = describeRegistrationReason(row);
  const reason = inEnglishIfAny(said);
  const { batchId, fileName } = batch;
  const next =
    proposalId === undefined ? listNextOfRegistration({ row, batchId, fileName }) : [toProposal(proposalId)];
  const json = {
    kind: 'registration',
    registrationId: readRegistrationCell(row, 'registrationId'),
    batchId: batch.batchId,
    file: batch.fileName,
    rowNo: row.rowNo,
    line: row.line,
    ...asked,
    status: row.status,
    holds: row.holds,
    reasonCode: reasonCode === '' ? null : reasonCode,
    reason: reason === '' ? null : showText(reason),
    isAlarm: row.isAlarm,
    remedy: inEnglish(remedyOfRegistration(row)),
    respCode: row.respCode,
    respDesc: row.respDesc,
    applyDtm: row.applyDtm,
    awaitedUntil: stamp(row.awaitedUntilMs),
    submittedAt: stamp(row.submittedAtMs),
    settledAt: stamp(row.settledAtMs),
    settledBy: row.settledBy,
    attempts: attempts.map((one) => one.json),
    events: events.map((one) => one.json),
    callbacks: callbacks.map((one) => one.json),
    proposal: proposalId ?? null,
    next,
  };
  const why = [json.reasonCode, json.reason].filter((text) => text !== null).join(': ');
  const lines = [
    `${json.registrationId}  registration of account ${json.accountNo}`,
    `  row ${json.rowNo} (line ${json.line}) of ${json.file}, batch ${json.batchId}`,
    ...showInstruction(asked),
    `  ${json.status}${why === '' ? '' : ` (${why})`}`,
    ...describeWait(history),
    ...(json.isAlarm ? ['  ALARM: the bank contradicts what was called ended'] : []),
    `  remedy: ${json.remedy}`,
    ...attempts.map((one) => one.text),
    ...callbacks.map((one) => one.text),
    ...events.map((one) => one.text),
  ];
  return { json, text: toLines([...lines, ...showNext(next)]) };
}
