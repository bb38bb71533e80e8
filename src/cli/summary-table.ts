/** What a person reads when a batch ends: figures that add up, where the files are, and what to do next. */
import { formatBangkokMoment } from '../core/bangkok-time.ts';
import { printable } from '../core/cell-text.ts';
import type { Batch } from '../core/ports.ts';
import type { LowestPace } from '../payout/rules/adaptive-limit.ts';
import { type BatchSummary, stripSecrets } from '../reports/rules/summary.ts';
import { sandboxBanner, showBaht, showCount } from './screen.ts';

/** A file as the table names it. */
export interface ListedFile {
  readonly kind: string;
  readonly path: string;
  /** Taken out of the outbox since it was written. */
  readonly isGone: boolean;
}

export interface SummaryTableContext {
  readonly isSandbox: boolean;
  readonly bankAddress: string;
  /** The file's bytes were processed by an earlier run, and this one paid nobody. */
  readonly isRepeat: boolean;
  /** The lowest pace of this run; undefined when it was never below the settings. */
  readonly pace?: LowestPace | undefined;
}

function showDuration(ms: number): string {
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  const rest = minutes < 60 ? `${Math.floor((ms % 60_000) / 1000)} s` : `${minutes % 60} min`;
  return minutes < 60 ? `${minutes} min ${rest}` : `${showCount(Math.floor(minutes / 60))} h ${rest}`;
}

function showWhen(batch: Batch): string {
  if (batch.restedAtMs === null) return `began ${formatBangkokMoment(batch.startedAtMs)}`;
  return `${formatBangkokMoment(batch.restedAtMs)}, after ${showDuration(batch.restedAtMs - batch.startedAtMs)}`;
}

function renderHead({ batch }: BatchSummary, context: SummaryTableContext): string[] {
  const why = batch.reason === null ? '' : `: ${printable(batch.reason)}`;
  return [
    `File       ${printable(batch.fileName)}`,
    `Batch      ${batch.batchId}`,
    `Processed  ${showWhen(batch)}`,
    ...(context.isRepeat ? ['           by an earlier run; nobody is paid again'] : []),
    `Bank       ${context.isSandbox ? 'SANDBOX ' : ''}${stripSecrets(context.bankAddress)}`,
    `State      ${batch.status}${why}`,
    ...renderPace(context.pace),
  ];
}

function renderPace(pace: LowestPace | undefined): string[] {
  if (pace === undefined) return [];
  const { limit, ceiling, why } = pace;
  return [`Pace       as low as ${limit} of ${ceiling} transfers at once (${why})`];
}

type Line = readonly [label: string, rows: string, baht: string];

function layOut(lines: readonly Line[]): string[] {
  const labelWidth = Math.max(...lines.map(([label]) => label.length));
  const rowsWidth = Math.max(...lines.map(([, rows]) => rows.length));
  const bahtWidth = Math.max(...lines.map(([, , baht]) => baht.length));
  return lines.map(
    ([label, rows, baht]) =>
      `${label.padEnd(labelWidth)}  ${rows.padStart(rowsWidth)}  ${baht.padStart(bahtWidth)}`,
  );
}

function renderTotals(summary: BatchSummary): string[] {
  const lines = layOut([
    ['Status', 'Rows', 'Baht'],
    ...summary.totals.map(({ status, rows, amountSatang }): Line => [
      status,
      showCount(rows),
      showBaht(amountSatang),
    ]),
    ['total', showCount(summary.rows), showBaht(summary.amountSatang)],
  ]);
  const rule = '-'.repeat(lines[0]?.length ?? 0);
  const total = `${lines.at(-1) ?? ''}${summary.addsUp ? '  adds up to the file' : ''}`;
  return [
    ...lines.slice(0, 1),
    rule,
    ...lines.slice(1, -1),
    rule,
    total,
    ...renderMismatch(summary),
    ...renderUnreadable(summary),
  ];
}

function renderMismatch({ addsUp, batch }: BatchSummary): string[] {
  if (addsUp) return [];
  return [`DOES NOT ADD UP: the file has ${showCount(batch.rows)} rows, ${showBaht(batch.totalSatang)} baht`];
}

function renderUnreadable({ unreadableAmounts }: BatchSummary): string[] {
  if (unreadableAmounts === 0) return [];
  return [`Rows whose amount cannot be read, and is in no total: ${showCount(unreadableAmounts)}`];
}

function renderFiles(files: readonly ListedFile[]): string[] {
  if (files.length === 0) return [];
  const width = Math.max(...files.map((file) => file.kind.length));
  const lines = files.map(
    ({ kind, path, isGone }) =>
      `  ${kind.padEnd(width)}  ${printable(path)}${isGone ? '  (taken away since)' : ''}`,
  );
  return ['', 'Files', ...lines];
}

/** Why a batch has stopped short, and how it goes on. */
function adviseStopped({ batch, holds }: BatchSummary): string[] {
  const remedy = batch.remedy === null ? [] : [`${printable(batch.remedy)}.`];
  if (batch.status === 'halted') {
    return ['It was halted.', ...remedy, `Then let it go on with "paydrop resume ${batch.batchId}".`];
  }
  if (holds.some(({ hold }) => hold === 'halted' || hold === 'approval')) {
    return ['Rows are held.', ...remedy, `Let them go on with "paydrop resume ${batch.batchId}".`];
  }
  return [
    'It stopped before every row was sent.',
    ...remedy,
    'Run the same file again: it goes on where it was.',
  ];
}

function adviseNext(summary: BatchSummary): string[] {
  const { batch, exitCode } = summary;
  const exceptions = showCount(summary.exceptionRows);
  switch (exitCode) {
    case 0:
      return summary.exceptionRows === 0
        ? ['Nothing to do.']
        : [`Rows for a person to look at: ${exceptions} (see the exceptions file).`];
    case 3:
      if (summary.alarmRows > 0)
        return [
          `ALARM: ${showCount(summary.alarmRows)} contradict what was called proved before.`,
          `Rows for a person to look at: ${exceptions}. The exceptions files say what to do about each.`,
        ];
      return [`Rows for a person to look at: ${exceptions}. The exceptions file says what to do about each.`];
    case 4:
      return [
        `Transfers in doubt: ${showCount(summary.inDoubtRows)}. Do not pay them again by hand.`,
        `"paydrop settle ${batch.batchId}" asks the bank what became of them.`,
      ];
    case 5:
      return ['The whole file was rejected and nothing of it was sent. Correct it and run it again.'];
    case 6:
      return adviseStopped(summary);
  }
}

/**
 * The summary of a batch as plain text for stdout, without a last line end. Only paths and the bank's own words
 * may make a line longer than 80 characters.
 */
export function formatSummary(
  summary: BatchSummary,
  files: readonly ListedFile[],
  context: SummaryTableContext,
): string {
  const banner = context.isSandbox ? [sandboxBanner, ''] : [];
  const totals = summary.rows === 0 ? [] : ['', ...renderTotals(summary)];
  const next = adviseNext(summary).map((line, index) => (index === 0 ? `Next: ${line}` : `      ${line}`));
  return [...banner, ...renderHead(summary, context), ...totals, ...renderFiles(files), '', ...next].join(
    '\n',
  );
}
