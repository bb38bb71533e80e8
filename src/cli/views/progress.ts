/** Progress for whoever watches stderr: a bar on a terminal, a line now and then anywhere else. */
import type { Progress, ProgressFigures } from '../../core/progress.ts';
import { holdLastLine } from '../../platform/last-line.ts';
import { progressStream } from '../output.ts';
import { showCount, showDuration } from './amounts.ts';

/** Between two lines where stderr is no terminal. */
const lineIntervalMs = 10_000;

/** Between two drawings of the bar. */
const frameIntervalMs = 200;

type ProgressStream = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };

/** Monotonic milliseconds. */
type Stopwatch = () => number;

/** Rows a second since the phase was first shown; rows that an earlier run had done do not count. */
function makeRateMeter(stopwatch: Stopwatch): (figures: ProgressFigures) => number {
  let first: { readonly atMs: number; readonly rowsDone: number; readonly phase: string } | undefined;
  return ({ rowsDone, phase }) => {
    const atMs = stopwatch();
    if (first?.phase !== phase) first = { atMs, rowsDone, phase };
    const elapsedMs = atMs - first.atMs;
    return elapsedMs <= 0 ? 0 : Math.round(((rowsDone - first.rowsDone) * 1000) / elapsedMs);
  };
}

/** The figures in words, the most important first. `rate` is in rows a second. */
function describe({ rowsDone, rowsTotal, paid, inDoubt, pace }: ProgressFigures, rate: number): string[] {
  const of = rowsTotal === undefined ? '' : ` of ${showCount(rowsTotal)}`;
  const leftMs = rowsTotal === undefined || rate === 0 ? 0 : ((rowsTotal - rowsDone) * 1_000) / rate;
  // Said while fewer transfers are under way at once than the settings allow.
  const isSlower = pace !== undefined && pace.limit < pace.ceiling;
  return [
    `${showCount(rowsDone)}${of} rows`,
    ...(rowsTotal === undefined ? [] : [`${showCount(paid)} paid`]),
    ...(inDoubt === 0 ? [] : [`${showCount(inDoubt)} in doubt`]),
    ...(leftMs < 1_000 ? [] : [`${showDuration(leftMs)} left`]),
    ...(rate === 0 ? [] : [`${showCount(rate)} rows/s`]),
    ...(isSlower ? [`pace ${pace.limit} of ${pace.ceiling}`] : []),
  ];
}

/** A line at most every 10 seconds, the first one not before; short runs stay silent. */
function openLines(stream: ProgressStream, stopwatch: Stopwatch): Progress {
  const measure = makeRateMeter(stopwatch);
  let lastLineAtMs = stopwatch();
  return {
    show(figures) {
      const rate = measure(figures);
      const nowMs = stopwatch();
      if (nowMs - lastLineAtMs < lineIntervalMs) return;
      lastLineAtMs = nowMs;
      stream.write(`${figures.phase}: ${describe(figures, rate).join(', ')}\n`);
    },
    close() {},
  };
}

const barWidth = 20;
const separator = ' | ';

/** The bar and as many figures as one line of so many columns holds. */
export function formatBar(figures: ProgressFigures, rate: number, columns: number): string {
  const { phase, rowsDone, rowsTotal } = figures;
  const filled = rowsTotal === undefined ? 0 : Math.floor((barWidth * rowsDone) / Math.max(1, rowsTotal));
  const bar = rowsTotal === undefined ? '' : ` [${'='.repeat(filled)}${'-'.repeat(barWidth - filled)}]`;
  let line = `${phase}${bar}`;
  for (const [place, part] of describe(figures, rate).entries()) {
    const longer = `${line}${place === 0 ? ' ' : separator}${part}`;
    // The last column stays free: a terminal may go to the next line there.
    if (longer.length >= columns) break;
    line = longer;
  }
  return line;
}

/** Drawn again at a steady pace, so that it comes back below what others have written. */
async function openBar(stream: ProgressStream, stopwatch: Stopwatch): Promise<Progress> {
  const { createLogUpdate } = await import('log-update');
  const line = createLogUpdate(stream, { showCursor: true });
  const measure = makeRateMeter(stopwatch);
  let shown: (() => string) | undefined;
  using stack = new DisposableStack();
  stack.use(holdLastLine(() => line.clear()));
  const timer = setInterval(() => shown && line(shown()), frameIntervalMs);
  stack.defer(() => clearInterval(timer));
  stack.defer(() => line.clear());
  const opened = stack.move();
  return {
    show(figures) {
      const rate = measure(figures);
      shown = () => formatBar(figures, rate, stream.columns ?? 80);
    },
    close: () => opened.dispose(),
  };
}

/**
 * Opens the progress display that fits the stream; its owner closes it.
 * @param stopwatch monotonic milliseconds
 */
export async function openProgress(
  stream: ProgressStream = progressStream(),
  stopwatch: Stopwatch = () => performance.now(),
): Promise<Progress> {
  return stream.isTTY === true ? await openBar(stream, stopwatch) : openLines(stream, stopwatch);
}
