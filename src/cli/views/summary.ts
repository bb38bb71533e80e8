/** Output of `run` about each file: figures that add up, its files, and the next commands. */
import { inEnglish } from '../../core/message.ts';
import type { FileOutcome } from '../../app/run-file.ts';
import type { PresentReports } from '../../app/result.ts';
import type { Session } from '../../app/session.ts';
import { formatBangkokDateTime, formatBangkokMoment } from '../../core/bangkok-time.ts';
import { showMessage, showMessageIfAny, showText, showTextIfAny, toLines } from '../../core/outgoing-text.ts';
import { countRows } from '../../core/exit-code.ts';
import { wrapText } from '../../core/wrap-text.ts';
import type { FileRejection } from '../../core/payout-file.ts';
import type { Batch, JournalLoss, OtherReferences } from '../../core/ports.ts';
import { isInQuestion, showDate } from '../../payout/rules/lost-journal.ts';
import { journalChanged } from '../../payout/rules/seal.ts';
import {
  type BatchSummary,
  renderSummary,
  stripSecrets,
  type SummaryContext,
} from '../../reports/rules/summary.ts';
import { commandsOfHolds, listNextOfBatch, type NextCommand } from '../../reports/rules/next-commands.ts';
import { describeHoldRemedy } from '../../reports/rules/remedies.ts';
import { approvalCode } from '../../review/rules/approval.ts';
import { describeGrowth, remedyOfGrowth } from '../../watch/rules/file-growth.ts';
import { exitCodes, weightierOf } from '../exit-codes.ts';
import {
  countOf,
  showBaht,
  showCount,
  showDuration,
  showForReview,
  showReady,
  showState,
} from './amounts.ts';
import { holdsOfRest } from './status.ts';
import { alignColumns, sandboxBanner, showReportPath, type Shown, type ShownEnd } from './shown.ts';

/** A duration, with tenths of a second for a short run. */
const showElapsed = (ms: number): string => (ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : showDuration(ms));

/** Time and duration of the work on a batch. */
export function showWhen(batch: Pick<Batch, 'startedAtMs' | 'restedAtMs'>): string {
  if (batch.restedAtMs === null) return `began ${formatBangkokMoment(batch.startedAtMs)}`;
  return `${formatBangkokMoment(batch.restedAtMs)}, after ${showElapsed(batch.restedAtMs - batch.startedAtMs)}`;
}

/** The bank's address; a built-in sandbox has none before it runs. */
export function showBank(isSandbox: boolean, bankAddress: string): string {
  if (bankAddress === 'sandbox') return 'SANDBOX, built in';
  return `${isSandbox ? 'SANDBOX ' : ''}${stripSecrets(bankAddress)}`;
}

function renderHead(
  { batch, totals }: BatchSummary,
  { isSandbox, bankAddress, pace }: SummaryContext,
  isRepeat: boolean,
  isSending = false,
): string[] {
  const ready = showReady(batch.status, totals);
  const why =
    batch.reason === null ? (ready === undefined ? '' : `, ${ready}`) : `: ${showMessage(batch.reason)}`;
  const reduced = pace && `reduced to ${pace.limit} of ${pace.ceiling} transfers at once (${pace.why})`;
  return alignColumns([
    ['File', batch.fileName],
    ['Batch', batch.batchId],
    ['Processed', showWhen(batch)],
    ...(isRepeat ? [['', 'by an earlier run; no payee is paid again']] : []),
    ['Bank', showBank(isSandbox, bankAddress)],
    ['State', `${showState(batch.status, totals, isSending)}${why}`],
    ...(reduced === undefined ? [] : [['Concurrency', reduced]]),
  ]);
}

function renderTotals(summary: BatchSummary): string[] {
  const { totals, addsUp, batch, unreadableAmounts, correctionSatang } = summary;
  const [head = '', ...lines] = alignColumns(
    [
      ['Status', 'Rows', 'Baht'],
      ...totals.map(({ status, rows, amountSatang }) => [status, showCount(rows), showBaht(amountSatang)]),
      ['total', showCount(summary.rows), showBaht(summary.amountSatang)],
    ],
    [1, 2],
  );
  const rule = '-'.repeat(head.length);
  const found = `the file has ${countOf(batch.rows, 'row')}, ${showBaht(batch.totalSatang)} baht`;
  const unreadable = `Rows whose amount cannot be read, and is in no total: ${showCount(unreadableAmounts)}`;
  return [
    head,
    rule,
    ...lines.slice(0, -1),
    rule,
    `${lines.at(-1)}${addsUp ? `  adds up to the file${correctionSatang === 0n ? '' : ` and its corrections (${showBaht(correctionSatang)})`}` : ''}`,
    ...(addsUp ? [] : [`DOES NOT ADD UP: ${found}`]),
    ...(unreadableAmounts === 0 ? [] : [unreadable]),
  ];
}

/** Reported, not held: rows with references of their own are other payments. */
function renderOtherReferences({ rows, firstRowNos }: OtherReferences): string[] {
  if (rows === 0) return [];
  const more = rows - firstRowNos.length;
  const named = `${firstRowNos.join(', ')}${more === 0 ? '' : ` and ${showCount(more)} more`}`;
  return [
    '',
    `${rows === 1 ? 'Row' : 'Rows'} ${named} ${rows === 1 ? 'pays' : 'pay'} a payee`,
    'the amount that another row paid, with another reference1: told, not held.',
    `Make sure that ${rows === 1 ? 'it is a payment of its own' : 'they are payments of their own'}.`,
  ];
}

type Rested = Extract<FileOutcome, { kind: 'rested' }>;

export interface ShownFile {
  readonly kind: string;
  readonly path: string;
  readonly isGone?: boolean;
}

export function renderFiles(files: readonly ShownFile[]): string[] {
  if (files.length === 0) return [];
  const rows = files.map(({ kind, path, isGone = false }) => [`  ${kind}`, showReportPath(path, isGone)]);
  return ['', 'Files', ...alignColumns(rows)];
}

const renderNext = (summary: BatchSummary, files: readonly ShownFile[]): string[] =>
  [...adviseNext(summary), ...adviseUpdated(summary, files)].map((line, index) =>
    index === 0 ? `Next: ${line}` : `      ${line}`,
  );

/** True while a sender works on the batch, and nothing has stopped it. */
const isBeingPaid = ({ batch, alarmRows }: BatchSummary, isSending: boolean): boolean =>
  isSending && batch.status === 'running' && alarmRows === 0;

/** Output of `result`. @param isSending true while a process is sending */
export function showPresent({ summary, context, files }: PresentReports, isSending: boolean): Shown {
  const { isSandbox, nowMs } = context;
  const text = toLines([
    ...(isSandbox ? [sandboxBanner, ''] : []),
    ...renderHead(summary, context, false, isSending),
    `As of      ${formatBangkokMoment(nowMs)}`,
    '',
    ...renderTotals(summary),
    ...renderOtherReferences(context.otherReferences),
    ...renderFiles(files),
    '',
    ...(isBeingPaid(summary, isSending)
      ? ['Next: Nothing to do: it is being paid.']
      : renderNext(summary, files)),
  ]);
  const shownFiles = files.map(({ kind, path, rows, sha256 }) => ({ kind, path, rows, sha256 }));
  const { reason, remedy } = summary.batch;
  const words = { reason: showMessageIfAny(reason), remedy: showMessageIfAny(remedy) };
  return { json: { ...renderSummary(summary, [], context), ...words, files: shownFiles }, text };
}

/** Advice after changes: the exceptions file is written once, and a new one has what changed since. */
function adviseUpdated({ batch, exceptionRows }: BatchSummary, files: readonly ShownFile[]): string[] {
  if (exceptionRows === 0 || !files.some(({ kind }) => kind === 'result-update')) return [];
  const command = `paydrop exceptions --batch ${batch.batchId} --out exceptions.xlsx`;
  return ['That file is of before the update; as they are now they are written by', `"${command}"`];
}

function adviseStopped(summary: BatchSummary): string[] {
  const { batch, holds, totals } = summary;
  const ready = showReady(batch.status, totals);
  if (ready !== undefined) return [`${ready}.`, 'Run the same file again, or leave it to a watcher.'];
  const remedy = batch.remedy === null ? [] : [`${showMessage(batch.remedy)}.`];
  const goOn = `go on with "paydrop resume ${batch.batchId}".`;
  if (batch.status === 'halted') return ['It was halted.', ...remedy, `Then let it ${goOn}`];
  if (batch.reasonCode === approvalCode) return ['It waits for approval.', ...remedy];
  if (holds.some(({ hold }) => hold === 'halted')) return ['Rows are held.', ...remedy, `Let them ${goOn}`];
  const held = adviseHeld(summary);
  if (held.length > 0) return held;
  return [
    'It stopped before every row was sent.',
    ...remedy,
    'Run the same file again: it goes on where it was.',
  ];
}

/** Advice for a batch at rest with held rows: what each hold asks for, and the command. */
function adviseHeld({ batch, holds, totals, exceptionRows }: BatchSummary): string[] {
  const kept = holdsOfRest(batch, holds);
  if (kept.length === 0) return [];
  const others = exceptionRows - countRows(totals, ['held']);
  return [
    ...kept.flatMap((held) =>
      inColumns(`${countOf(held.rows, 'row')} held (${held.hold}). ${inEnglish(describeHoldRemedy(held))}.`),
    ),
    ...commandsOfHolds(batch.batchId, kept).map(sayCommand),
    'The exceptions file says it of each row.',
    ...(others > 0 ? [`${showForReview(others)} besides.`] : []),
  ];
}

/** Columns for the text beside "Next:", so that it fits a terminal of 80 columns. */
const adviceColumns = 72;

const inColumns = (text: string): string[] => wrapText(text, adviceColumns).split('\n');

const sayCommand = ({ command, why }: NextCommand): string => `"${command}" ${why}.`;

/** Commands that settle rows in doubt. */
const settlingVerbs = /^paydrop (settle|reconcile) /;

/** Advice on the next step: an alarm comes first, whatever the exit code. */
function adviseNext(summary: BatchSummary): string[] {
  const { alarmRows } = summary;
  const contradict = countOf(alarmRows, 'row contradicts', 'rows contradict');
  const alarm = alarmRows === 0 ? [] : [`ALARM: ${contradict} what was called proved before.`];
  return [...alarm, ...adviseByCode(summary)];
}

function adviseByCode(summary: BatchSummary): string[] {
  const { batch, exitCode, exceptionRows, inDoubtRows } = summary;
  const forReview = showForReview(exceptionRows);
  switch (exitCode) {
    case 0:
      return exceptionRows === 0 ? ['Nothing to do.'] : [`${forReview} (see the exceptions file).`];
    case 3: {
      const held = adviseHeld(summary);
      if (held.length > 0) return held;
      const files = summary.alarmRows > 0 ? 'files say' : 'file says';
      if (exceptionRows === 0) return ['Nothing to do: what is not paid was cancelled or noted by a person.'];
      return [`${forReview}. The exceptions ${files} what to do about each.`];
    }
    case 4:
      return [
        `Transfers in doubt: ${showCount(inDoubtRows)}. Do not pay them again by hand.`,
        ...listNextOfBatch(batch, summary.totals)
          .filter(({ command }) => settlingVerbs.test(command))
          .map(sayCommand),
        ...(exceptionRows > inDoubtRows
          ? [`${showForReview(exceptionRows - inDoubtRows)} besides: see the exceptions file.`]
          : []),
      ];
    case 5:
      return ['The whole file was rejected and nothing of it was sent. Correct it and run it again.'];
    case 6:
      return adviseStopped(summary);
  }
}

/** A file of either kind that was rejected as a whole. */
export function showRejection(path: string, rejection: FileRejection): ShownEnd {
  const { code, line } = rejection;
  const message = showText(inEnglish(rejection.message));
  const column = showTextIfAny(rejection.column);
  const exitCode = exitCodes.fileRejected;
  const json = { file: path, status: 'rejected', exitCode, code, line, column, message };
  const where = line === null ? path : `${path}:${line}`;
  const text = toLines([
    `${where}: ${message}`,
    `The whole file was rejected (${code}) and nothing of it was sent.`,
  ]);
  return { json, text, exitCode };
}

export function showOutcome(session: Session, path: string, outcome: FileOutcome): ShownEnd {
  switch (outcome.kind) {
    case 'rejected':
      return showRejection(path, outcome.rejection);
    case 'interrupted': {
      const exitCode = exitCodes.stoppedShort;
      const json = { file: path, status: 'interrupted', exitCode, batchId: outcome.batch?.batchId ?? null };
      const text = toLines([
        `${path}: interrupted; everything that was sent is recorded. Run it again: it goes on where it was.`,
      ]);
      return { json, text, exitCode };
    }
    case 'rested':
      return showRested(session, outcome);
  }
}

/** Lines longer than 80 characters hold only paths or the bank's own words. */
function showRested(
  { loaded: { isSandbox }, bankAddress, clock, loss }: Session,
  { reports, isRepeat, pace, grown }: Rested,
): ShownEnd {
  const { summary, files, otherReferences } = reports;
  const context: SummaryContext = { isSandbox, bankAddress, nowMs: clock.now(), pace, otherReferences };
  const shownFiles = files.map(({ kind, number, path, state }) => {
    return { kind, number, path, isGone: state === 'gone' };
  });
  const growth = grown?.growth ?? null;
  const alarm =
    grown === undefined || growth === null
      ? []
      : [
          '',
          `ALARM: ${inEnglish(describeGrowth(grown, growth))}.`,
          `${inEnglish(remedyOfGrowth(grown, growth))}.`,
        ];
  const text = toLines([
    ...(isSandbox ? [sandboxBanner, ''] : []),
    ...renderHead(summary, context, isRepeat),
    ...(summary.rows === 0 ? [] : ['', ...renderTotals(summary)]),
    ...renderOtherReferences(otherReferences),
    ...renderFiles(shownFiles),
    ...alarm,
    '',
    ...renderNext(summary, shownFiles),
  ]);
  const figures = renderSummary(summary, [], context);
  const reason = showMessageIfAny(summary.batch.reason);
  const remedy = showMessageIfAny(summary.batch.remedy);
  return {
    json: {
      ...figures,
      reason,
      remedy,
      isRepeat,
      journalLoss: showLoss(loss),
      files: shownFiles,
      fileGrown: growth,
    },
    text,
    exitCode: growth === null ? summary.exitCode : weightierOf(summary.exitCode, exitCodes.exceptions),
  };
}

/** The days on which the journal may lack something; null when it lacks nothing. */
function showLoss(loss: JournalLoss | undefined): object | null {
  if (!isInQuestion(loss)) return null;
  const { recoveredAtMs, sinceDate, untilDate } = loss;
  return {
    recoveredAt: formatBangkokDateTime(recoveredAtMs),
    since: showDate(sinceDate),
    until: showDate(untilDate),
  };
}

/** @throws Error for rows that do not add up, unless the batch is halted for that: the gap is then known */
export function refuseUnexplained(
  name: string,
  { addsUp, batch }: { readonly addsUp: boolean; readonly batch: Pick<Batch, 'status' | 'reasonCode'> },
): void {
  if (addsUp || (batch.status === 'halted' && batch.reasonCode === journalChanged)) return;
  throw new Error(`${name}: the rows by status do not add up to the file; nothing of it can be trusted`);
}
