/** Progress for whoever watches stderr: a bar on a terminal, a line now and then anywhere else. */
import type { Progress, ProgressFigures } from '../core/progress.ts';

/** Between two lines where stderr is no terminal. */
const lineIntervalMs = 10_000;

const barFramesPerSecond = 5;

export interface ProgressStream extends NodeJS.WritableStream {
  readonly isTTY?: boolean;
}

/** Monotonic milliseconds, for rates. */
export type Stopwatch = () => number;

/** Rows a second since progress was first shown; rows that an earlier run had done do not count. */
class RateMeter {
  readonly #stopwatch: Stopwatch;
  #first: { readonly atMs: number; readonly rowsDone: number; readonly phase: string } | undefined;

  constructor(stopwatch: Stopwatch) {
    this.#stopwatch = stopwatch;
  }

  measure({ rowsDone, phase }: ProgressFigures): number {
    const atMs = this.#stopwatch();
    if (this.#first?.phase !== phase) this.#first = { atMs, rowsDone, phase };
    const elapsedMs = atMs - this.#first.atMs;
    return elapsedMs <= 0 ? 0 : Math.round(((rowsDone - this.#first.rowsDone) * 1000) / elapsedMs);
  }
}

const group = (count: number): string => count.toLocaleString('en-US');

/** Shown while fewer transfers are under way at once than the settings allow. */
function showPace({ pace }: ProgressFigures): string[] {
  return pace === undefined || pace.limit >= pace.ceiling ? [] : [`pace ${pace.limit} of ${pace.ceiling}`];
}

function formatLine(figures: ProgressFigures, rate: number): string {
  const { phase, rowsDone, rowsTotal, paid, inDoubt } = figures;
  const of = rowsTotal === undefined ? '' : ` of ${group(rowsTotal)}`;
  const rows = `${phase}: ${group(rowsDone)}${of} rows`;
  const parts = [rows, `${group(paid)} paid`, `${group(inDoubt)} in doubt`, `${group(rate)} rows/s`];
  return `${[...parts, ...showPace(figures)].join(', ')}\n`;
}

/** A line at most every 10 seconds, the first one not before; short runs stay silent. */
function openLines(stream: ProgressStream, stopwatch: Stopwatch): Progress {
  const meter = new RateMeter(stopwatch);
  let lastLineAtMs = stopwatch();
  return {
    show(figures) {
      const rate = meter.measure(figures);
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
  const meter = new RateMeter(stopwatch);
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
      type === 'value' || type === 'total' ? group(value) : String(value),
  });
  let isOpen = false;
  return {
    show(figures) {
      const { phase, rowsDone, rowsTotal = rowsDone, paid, inDoubt } = figures;
      const payload = {
        phase,
        paid: group(paid),
        inDoubt: group(inDoubt),
        rate: group(meter.measure(figures)),
        pace: showPace(figures).map((pace) => ` | ${pace}`),
      };
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
  stream: ProgressStream = process.stderr,
  stopwatch: Stopwatch = () => performance.now(),
): Promise<Progress> {
  return stream.isTTY === true ? await openBar(stream, stopwatch) : openLines(stream, stopwatch);
}
