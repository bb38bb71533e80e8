/** Progress for whoever watches stderr: a bar on a terminal, a line now and then anywhere else. */
import type { Progress, ProgressFigures } from '../../core/progress.ts';
import { progressStream } from '../output.ts';
import { showCount } from './amounts.ts';

/** Between two lines where stderr is no terminal. */
const lineIntervalMs = 10_000;

const barFramesPerSecond = 5;

type ProgressStream = NodeJS.WritableStream & { readonly isTTY?: boolean };

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

/** The figures as both displays show them. */
function show({ phase, paid, inDoubt, pace }: ProgressFigures, rate: number) {
  // Said while fewer transfers are under way at once than the settings allow.
  const isSlower = pace !== undefined && pace.limit < pace.ceiling;
  return {
    phase,
    paid: showCount(paid),
    inDoubt: showCount(inDoubt),
    rate: showCount(rate),
    pace: isSlower ? `pace ${pace.limit} of ${pace.ceiling}` : '',
  };
}

function formatLine(figures: ProgressFigures, rate: number): string {
  const { rowsDone, rowsTotal } = figures;
  const { phase, paid, inDoubt, rate: shownRate, pace } = show(figures, rate);
  const of = rowsTotal === undefined ? '' : ` of ${showCount(rowsTotal)}`;
  const rest = pace === '' ? '' : `, ${pace}`;
  return `${phase}: ${showCount(rowsDone)}${of} rows, ${paid} paid, ${inDoubt} in doubt, ${shownRate} rows/s${rest}\n`;
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
      stream.write(formatLine(figures, rate));
    },
    close() {},
  };
}

/** The bar's package is loaded only where there is a terminal. */
async function openBar(stream: ProgressStream, stopwatch: Stopwatch): Promise<Progress> {
  const { default: cliProgress } = await import('cli-progress');
  const measure = makeRateMeter(stopwatch);
  const bar = new cliProgress.SingleBar({
    format: '{phase} [{bar}] {value}/{total} rows | {paid} paid | {inDoubt} in doubt | {rate} rows/s{pace}',
    barsize: 20,
    fps: barFramesPerSecond,
    stream,
    hideCursor: null,
    emptyOnZero: true,
    // Signals are the command's own business: it ends what is in flight and then closes the bar.
    gracefulExit: false,
    formatValue: (value, _options, type) =>
      type === 'value' || type === 'total' ? showCount(value) : String(value),
  });
  let isOpen = false;
  return {
    show(figures) {
      const { rowsDone, rowsTotal = rowsDone } = figures;
      const shown = show(figures, measure(figures));
      const payload = { ...shown, pace: shown.pace === '' ? '' : ` | ${shown.pace}` };
      if (!isOpen) bar.start(rowsTotal, rowsDone, payload);
      isOpen = true;
      bar.setTotal(rowsTotal);
      bar.update(rowsDone, payload);
    },
    close() {
      if (isOpen) bar.stop();
      isOpen = false;
    },
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
