/** Summary of a batch of registrations: figures that add up, its files, and the next commands. */
import type { RegisterOutcome } from '../../app/registration/register-file.ts';
import type { PresentRegistrationReports } from '../../app/result.ts';
import type { Session } from '../../app/session.ts';
import { formatBangkokMoment } from '../../core/bangkok-time.ts';
import { showMessage, toLines } from '../../core/outgoing-text.ts';
import type { RegistrationSummary, RegistrationSummaryContext } from '../../registration/rules/summary.ts';
import { countOf, showCount, showForReview } from './amounts.ts';
import { showRegistrationState } from './registration-status.ts';
import { alignColumns, sandboxBanner, type Shown, type ShownEnd } from './shown.ts';
import {
  renderFiles,
  renderNext,
  showBank,
  type ShownFile,
  showInterruption,
  showRejection,
  showWhen,
  summaryView,
} from './summary.ts';

/** Circumstances of the work that is summarised. */
interface Course {
  /** True when an earlier run did all of it. */
  readonly isRepeat?: boolean;
  /** True while a process is sending. */
  readonly isSending?: boolean;
}

function renderHead(
  { batch, totals }: RegistrationSummary,
  { isSandbox, bankAddress }: RegistrationSummaryContext,
  { isRepeat = false, isSending = false }: Course,
): string[] {
  const why = batch.reason === null ? '' : `: ${showMessage(batch.reason)}`;
  return alignColumns([
    ['File', batch.fileName],
    ['Batch', batch.batchId],
    ['Processed', showWhen(batch)],
    ...(isRepeat ? [['', 'by an earlier run; nothing is registered again']] : []),
    ['Bank', showBank(isSandbox, bankAddress)],
    ['State', `${showRegistrationState(batch.status, totals, isSending)}${why}`],
  ]);
}

function renderTotals({ totals, rows, addsUp, batch }: RegistrationSummary): string[] {
  const [head = '', ...lines] = alignColumns(
    [
      ['Status', 'Rows'],
      ...totals.map(({ status, rows: count }) => [status, showCount(count)]),
      ['total', showCount(rows)],
    ],
    [1],
  );
  const rule = '-'.repeat(head.length);
  return [
    head,
    rule,
    ...lines.slice(0, -1),
    rule,
    `${lines.at(-1)}${addsUp ? '  adds up to the file' : ''}`,
    ...(addsUp ? [] : [`DOES NOT ADD UP: the file has ${countOf(batch.rows, 'row')}`]),
  ];
}

function adviseStopped({ batch, holds }: RegistrationSummary): string[] {
  const remedy = batch.remedy === null ? [] : [`${showMessage(batch.remedy)}.`];
  const goOn = `go on with "paydrop resume ${batch.batchId}".`;
  if (batch.status === 'halted') return ['It was halted.', ...remedy, `Then let it ${goOn}`];
  if (holds.some(({ hold }) => hold === 'halted')) return ['Rows are held.', ...remedy, `Let them ${goOn}`];
  const again = 'Register the same file again: it goes on where it was.';
  return ['It stopped before every row was sent.', ...remedy, again];
}

function adviseByCode(summary: RegistrationSummary): string[] {
  const { exitCode, exceptionRows, awaitedRows, totals } = summary;
  const forReview = showForReview(exceptionRows);
  switch (exitCode) {
    case 0:
      return exceptionRows === 0 ? ['Nothing to do.'] : [`${forReview} (see the exceptions file).`];
    case 3: {
      if (exceptionRows > 0) return [`${forReview}. The exceptions file says what to do about each.`];
      return ['Nothing to do: what is not registered was cancelled or noted by a person.'];
    }
    case 4: {
      const doubted = totals.filter(({ status }) => status === 'in-doubt' || status === 'submitted');
      let inDoubt = 0;
      for (const { rows } of doubted) inDoubt += rows;
      return [
        `Waiting for the bank's callback: ${countOf(awaitedRows, 'row')}. Do not register ${awaitedRows === 1 ? 'it' : 'them'} again.`,
        '"paydrop callbacks" takes them; a watcher does so by itself.',
        ...(exceptionRows > inDoubt
          ? [`${showForReview(exceptionRows - inDoubt)} besides: see the exceptions file.`]
          : []),
      ];
    }
    case 5:
      return ['The whole file was rejected and nothing of it was sent. Correct it and register it again.'];
    case 6:
      return adviseStopped(summary);
  }
}

/** Advice on the next step: an alarm comes first, whatever the exit code. */
function adviseNext(summary: RegistrationSummary): string[] {
  const { alarmRows } = summary;
  const contradict = countOf(alarmRows, 'row contradicts', 'rows contradict');
  const alarm = alarmRows === 0 ? [] : [`ALARM: ${contradict} what was called ended.`];
  return [...alarm, ...adviseByCode(summary)];
}

/** A batch of registrations at rest, or as it is now. */
function showRegistrationSummary(
  summary: RegistrationSummary,
  context: RegistrationSummaryContext,
  files: readonly ShownFile[],
  course: Course & { readonly asOfMs?: number } = {},
): Shown {
  const { asOfMs, isRepeat, isSending = false } = course;
  const advice = adviseNext(summary);
  const text = toLines([
    ...(context.isSandbox ? [sandboxBanner, ''] : []),
    ...renderHead(summary, context, course),
    ...(asOfMs === undefined ? [] : [`As of      ${formatBangkokMoment(asOfMs)}`]),
    ...(summary.rows === 0 ? [] : ['', ...renderTotals(summary)]),
    ...renderFiles(files),
    '',
    ...renderNext(advice),
  ]);
  const { awaitedRows } = summary;
  const state = showRegistrationState(summary.batch.status, summary.totals, isSending);
  const json = summaryView.json({
    kind: 'registrations',
    summary,
    money: undefined,
    awaitedRows,
    context,
    state,
    files,
    advice,
    ...(isRepeat === undefined ? {} : { isRepeat }),
  });
  return { json, text };
}

/** Output of `result`. @param isSending true while a process is sending */
export function showPresentRegistrations(
  { summary, context, files }: PresentRegistrationReports,
  isSending: boolean,
): Shown {
  return showRegistrationSummary(summary, context, files, { isSending, asOfMs: context.nowMs });
}

/** Output of `register` about a file. */
export function showRegisterOutcome(
  { loaded: { isSandbox }, bankAddress, clock }: Session,
  path: string,
  outcome: RegisterOutcome,
): ShownEnd {
  switch (outcome.kind) {
    case 'rejected':
      return showRejection(path, outcome.rejection);
    case 'interrupted':
      return showInterruption({ path, batch: outcome.batch }, 'Register');
    case 'rested': {
      const { summary, files } = outcome.reports;
      const context = { isSandbox, bankAddress, nowMs: clock.now() };
      const shownFiles = files.map(({ kind, number, path: file, state }) => {
        return { kind, number, path: file, isGone: state === 'gone' };
      });
      const shown = showRegistrationSummary(summary, context, shownFiles, { isRepeat: outcome.isRepeat });
      return { ...shown, exitCode: summary.exitCode };
    }
  }
}
