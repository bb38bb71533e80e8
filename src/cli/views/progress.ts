/** Progress on stderr: a bar on a terminal, else a line of the log at intervals. */
import { showText } from '../../core/outgoing-text.ts';
import type { Progress, ProgressFigures, Wait, WaitKind } from '../../core/progress.ts';
import { widthOf } from '../../core/wrap-text.ts';
import { holdLastLine } from '../../platform/last-line.ts';
import { progressStream, writeRecord } from '../output.ts';
import { showCount, showDuration } from './amounts.ts';

/** Time between two lines where stderr is no terminal. */
const lineIntervalMs = 10_000;
/** The same while the wait stays the same. */
const waitIntervalMs = 60_000;

/** Time between two drawings of the bar. */
const frameIntervalMs = 200;

type ProgressStream = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };

/** Monotonic milliseconds. */
type Stopwatch = () => number;

/** Rows a second since the phase was first shown; rows done by an earlier run do not count. */
function makeRateMeter(stopwatch: Stopwatch): (figures: ProgressFigures) => number {
  let first: { readonly atMs: number; readonly rowsDone: number; readonly phase: string } | undefined;
  return ({ rowsDone, phase }) => {
    const atMs = stopwatch();
    if (first?.phase !== phase) first = { atMs, rowsDone, phase };
    const elapsedMs = atMs - first.atMs;
    return elapsedMs <= 0 ? 0 : Math.round(((rowsDone - first.rowsDone) * 1000) / elapsedMs);
  };
}

/** Rows by outcome, the most important first. */
function describeRows(figures: ProgressFigures): string[] {
  const { rowsDone, rowsTotal, paid, registered, awaited = 0, inDoubt, refused = 0 } = figures;
  const of = rowsTotal === undefined ? '' : ` of ${showCount(rowsTotal)}`;
  return [
    `${showCount(rowsDone)}${of} ${rowsTotal === 1 ? 'row' : 'rows'}`,
    ...(paid === undefined || rowsTotal === undefined ? [] : [`${showCount(paid)} paid`]),
    ...(registered === undefined ? [] : [`${showCount(registered)} registered`]),
    ...(awaited === 0 ? [] : [`${showCount(awaited)} awaited`]),
    ...(refused === 0 ? [] : [`${showCount(refused)} would not be paid`]),
    ...(inDoubt === 0 ? [] : [`${showCount(inDoubt)} in doubt`]),
  ];
}

/** Speed and time left. `rate` is in rows a second. */
function describeSpeed({ rowsDone, rowsTotal, pace }: ProgressFigures, rate: number): string[] {
  const leftMs = rowsTotal === undefined || rate === 0 ? 0 : ((rowsTotal - rowsDone) * 1_000) / rate;
  // Shown while fewer transfers run at once than the settings allow.
  const isSlower = pace !== undefined && pace.limit < pace.ceiling;
  return [
    ...(leftMs < 1_000 ? [] : [`${showDuration(leftMs)} left`]),
    ...(rate === 0 ? [] : [`${showCount(rate)} rows/s`]),
    ...(isSlower ? [`pace ${pace.limit} of ${pace.ceiling}`] : []),
  ];
}

/** A wait in words, and its longest duration. @forTests */
export function describeWait({ kind, dueInMs = 0, givesUpInMs, why }: Wait): string[] {
  const due = dueInMs < 1_000 ? undefined : showDuration(dueInMs);
  const soon = due === undefined ? 'now' : `in ${due}`;
  const words: Readonly<Record<WaitKind, string>> = {
    inquiry: due === undefined ? 'inquiring' : `next inquiry ${soon}`,
    answer: "waiting for the bank's answer",
    callback: "waiting for the bank's callbacks",
    pause: due === undefined ? 'trying again' : `trying again ${soon}`,
    opening: `the bank is closed, opens ${soon}`,
    midnight: `midnight in Bangkok, goes on ${soon}`,
    clocks: `the clocks tell different days, looking again ${soon}`,
    recovery: `asks what was sent before the loss ${soon}`,
  };
  const limit =
    givesUpInMs === undefined || givesUpInMs < 1_000 ? [] : [`waits up to ${showDuration(givesUpInMs)}`];
  return [words[kind], ...limit, ...(why === undefined ? [] : [showText(why)])];
}

const laterBy = (wait: Wait, elapsedMs: number): Wait => ({
  ...wait,
  dueInMs: wait.dueInMs === undefined ? undefined : wait.dueInMs - elapsedMs,
  givesUpInMs: wait.givesUpInMs === undefined ? undefined : wait.givesUpInMs - elapsedMs,
});

/** Keeps the latest wait, and counts it down between reports. */
function makeWaitReader(stopwatch: Stopwatch) {
  let latest: { readonly wait: Wait; readonly atMs: number } | undefined;
  return {
    hear: (wait: Wait | undefined): void => void (latest = wait && { wait, atMs: stopwatch() }),
    read: (): Wait | undefined => latest && laterBy(latest.wait, stopwatch() - latest.atMs),
  };
}

/** Columns of a line for a file's name. */
const phaseColumnsMax = 32;

function showPhase(phase: string): string {
  const text = showText(phase);
  return widthOf(text) <= phaseColumnsMax ? text : `${text.slice(0, phaseColumnsMax / 2)}…${text.slice(-8)}`;
}

/** Under a halt no more rows are paid; rows in doubt are settled all the same. */
const phaseOf = ({ phase }: ProgressFigures, wait: Wait): string =>
  wait.kind === 'inquiry' && phase === 'paying' ? 'settling' : showPhase(phase);

/** Progress as a line: the rows' standing, and the wait. */
export const describeProgress = (figures: ProgressFigures, wait: Wait | undefined): string =>
  [
    `${wait === undefined ? showPhase(figures.phase) : phaseOf(figures, wait)}: ${describeRows(figures).join(', ')}`,
    ...(wait === undefined ? [] : describeWait(wait)),
  ].join(', ');

/** The figures for a program, named as those of `watch --json`. */
const listFacts = (
  { rowsDone, rowsTotal, paid, inDoubt, refused }: ProgressFigures,
  wait?: Wait,
): object => ({
  event: 'in-work',
  rows: rowsTotal,
  rowsDone,
  paid,
  inDoubt,
  refused,
  waitsFor: wait?.kind ?? null,
});

/** A line at most every 10 seconds, the first after 10 seconds; short runs stay silent. A wait is shown once a minute. */
function openLines(stream: ProgressStream, stopwatch: Stopwatch): Progress {
  const measure = makeRateMeter(stopwatch);
  const waiting = makeWaitReader(stopwatch);
  let lastLineAtMs = stopwatch();
  let shown: ProgressFigures | undefined;
  let lastKind: WaitKind | undefined;
  const write = (figures: ProgressFigures, parts: readonly string[], wait?: Wait): void => {
    lastLineAtMs = stopwatch();
    const phase = wait === undefined ? showPhase(figures.phase) : phaseOf(figures, wait);
    const text = [`${phase}: ${describeRows(figures).join(', ')}`, ...parts].join(', ');
    writeRecord(stream, 'info', text, listFacts(figures, wait));
  };
  const isDue = (intervalMs: number): boolean => stopwatch() - lastLineAtMs >= intervalMs;
  return {
    show(figures) {
      shown = figures;
      if (figures === undefined) return;
      const rate = measure(figures);
      if (waiting.read() === undefined && isDue(lineIntervalMs)) write(figures, describeSpeed(figures, rate));
    },
    showWait(wait) {
      waiting.hear(wait);
      const isKnown = wait?.kind === lastKind;
      if (wait === undefined || shown === undefined || !isDue(isKnown ? waitIntervalMs : lineIntervalMs))
        return;
      lastKind = wait.kind;
      write(shown, describeWait(wait), wait);
    },
    close() {},
  };
}

/** Width of the bar: a narrow terminal needs the room for figures. */
const barWidthOf = (columns: number): number => (columns < 100 ? 10 : 20);
const separator = ' | ';

/** As many parts as fit in one line of so many columns. The last column stays free: a terminal may wrap there. */
function fitLine(head: string, parts: readonly string[], columns: number): string {
  let line = head;
  for (const [place, part] of parts.entries()) {
    const longer = `${line}${place === 0 ? ' ' : separator}${part}`;
    if (widthOf(longer) >= columns) break;
    line = longer;
  }
  return line;
}

/** The bar and as many figures as fit in one line of so many columns; no bar while nothing moves. @forTests */
export function formatBar(figures: ProgressFigures, rate: number, columns: number, wait?: Wait): string {
  const { phase, rowsDone, rowsTotal } = figures;
  if (wait !== undefined) {
    const [rows = '', paid = '', ...doubt] = describeRows(figures);
    const [what = '', ...limits] = describeWait(wait);
    return fitLine(
      `${phaseOf(figures, wait)}:`,
      [...doubt, what, ...limits.slice(0, 1), rows, paid, ...limits.slice(1)],
      columns,
    );
  }
  const barWidth = barWidthOf(columns);
  const filled = rowsTotal === undefined ? 0 : Math.floor((barWidth * rowsDone) / Math.max(1, rowsTotal));
  const bar = rowsTotal === undefined ? '' : ` [${'='.repeat(filled)}${'-'.repeat(barWidth - filled)}]`;
  return fitLine(
    `${showPhase(phase)}${bar}`,
    [...describeRows(figures), ...describeSpeed(figures, rate)],
    columns,
  );
}

/** Redraws at a steady pace, so that the bar comes back below other output. */
async function openBar(stream: ProgressStream, stopwatch: Stopwatch): Promise<Progress> {
  const { createLogUpdate } = await import('log-update');
  const line = createLogUpdate(stream, { showCursor: true });
  const measure = makeRateMeter(stopwatch);
  const waiting = makeWaitReader(stopwatch);
  let shown: (() => string) | undefined;
  using stack = new DisposableStack();
  stack.use(holdLastLine(() => line.clear()));
  const timer = setInterval(() => shown && line(shown()), frameIntervalMs);
  stack.defer(() => clearInterval(timer));
  stack.defer(() => line.clear());
  const opened = stack.move();
  return {
    show(figures) {
      if (figures === undefined) {
        shown = undefined;
        line.clear();
        return;
      }
      const rate = measure(figures);
      shown = () => formatBar(figures, rate, stream.columns ?? 80, waiting.read());
    },
    showWait: waiting.hear,
    close: () => opened.dispose(),
  };
}

/**
 * Opens the progress display that fits the stream; the caller closes it.
 * @param stopwatch monotonic milliseconds
 */
export async function openProgress(
  stream: ProgressStream = progressStream(),
  stopwatch: Stopwatch = () => performance.now(),
): Promise<Progress> {
  return stream.isTTY === true ? await openBar(stream, stopwatch) : openLines(stream, stopwatch);
}
