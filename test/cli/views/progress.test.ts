import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { describeWait, formatBar, openProgress } from '../../../src/cli/views/progress.ts';
import type { ProgressFigures, Wait } from '../../../src/core/progress.ts';
import { clearLastLine } from '../../../src/platform/last-line.ts';

function figures(rowsDone: number, changes: Partial<ProgressFigures> = {}): ProgressFigures {
  return { phase: 'paying', rowsDone, rowsTotal: 20_000, paid: rowsDone - 1, inDoubt: 1, ...changes };
}

/** What the lines of a log say. */
const readMessages = (lines: string): readonly string[] =>
  lines
    .trimEnd()
    .split('\n')
    .map((line) => String(JSON.parse(line).msg));

function makeStream(isTTY: boolean): { stream: PassThrough & { isTTY: boolean }; text: () => string } {
  const chunks: string[] = [];
  const stream = Object.assign(new PassThrough({ encoding: 'utf8' }), {
    isTTY,
    columns: 120,
    cursorTo: () => true,
    clearLine: () => true,
    moveCursor: () => true,
  });
  stream.on('data', (chunk: string) => chunks.push(chunk));
  return { stream, text: () => chunks.join('') };
}

describe('where nobody watches', () => {
  test('a line comes every ten seconds, however often something happens', async () => {
    const { stream, text } = makeStream(false);
    let nowMs = 0;
    const progress = await openProgress(stream, () => nowMs);
    for (nowMs = 0; nowMs <= 25_000; nowMs += 5) progress.show(figures(1000 + nowMs / 5));
    progress.close();
    expect(readMessages(text())).toEqual([
      'paying: 3,000 of 20,000 rows, 2,999 paid, 1 in doubt, 1 min 25 s left, 200 rows/s',
      'paying: 5,000 of 20,000 rows, 4,999 paid, 1 in doubt, 1 min 15 s left, 200 rows/s',
    ]);
  });

  test('it is a line of the log, with the figures, whatever the phase is called', async () => {
    const { stream, text } = makeStream(false);
    let nowMs = 0;
    const progress = await openProgress(stream, () => nowMs);
    nowMs = 10_000;
    progress.show(figures(1000, { phase: 'paying "a"\n\u001B[2J.csv' }));
    expect(JSON.parse(text())).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      pid: process.pid,
      event: 'in-work',
      rows: 20_000,
      rowsDone: 1000,
      paid: 999,
      inDoubt: 1,
      waitsFor: null,
      msg: 'paying "a"??[2J.csv: 1,000 of 20,000 rows, 999 paid, 1 in doubt',
    });
  });

  test('tells of a pace below the settings, and of no other', async () => {
    const { stream, text } = makeStream(false);
    let nowMs = 0;
    const progress = await openProgress(stream, () => nowMs);
    for (const limit of [16, 2]) {
      nowMs += 10_000;
      progress.show(figures(1000, { pace: { limit, ceiling: 16 } }));
    }
    expect(readMessages(text())).toEqual([
      expect.stringMatching(/ in doubt$/),
      expect.stringMatching(/ in doubt, pace 2 of 16$/),
    ]);
  });

  test('a short run stays silent', async () => {
    const { stream, text } = makeStream(false);
    let nowMs = 0;
    const progress = await openProgress(stream, () => nowMs);
    for (nowMs = 0; nowMs < 9_999; nowMs += 100) progress.show(figures(nowMs));
    progress.close();
    expect(text()).toBe('');
  });

  test('each phase has a rate of its own, and a total may be unknown', async () => {
    const { stream, text } = makeStream(false);
    let nowMs = 0;
    const progress = await openProgress(stream, () => nowMs);
    progress.show(figures(0, { phase: 'reading', rowsTotal: undefined, paid: 0, inDoubt: 0 }));
    nowMs = 10_000;
    progress.show(figures(50_000, { phase: 'reading', rowsTotal: undefined, paid: 0, inDoubt: 0 }));
    nowMs = 20_000;
    progress.show(figures(100, { paid: 100, inDoubt: 0 }));
    expect(readMessages(text())).toEqual([
      'reading: 50,000 rows, 5,000 rows/s',
      'paying: 100 of 20,000 rows, 100 paid',
    ]);
  });
});

const wait: Wait = { kind: 'inquiry', dueInMs: 8_400, givesUpInMs: 240_000, why: undefined };

test('where nobody watches, a wait is told when it begins, and then once a minute', async () => {
  const { stream, text } = makeStream(false);
  let nowMs = 0;
  const progress = await openProgress(stream, () => nowMs);
  progress.show(figures(19_999));
  for (nowMs = 10_000; nowMs < 135_000; nowMs += 1_000)
    progress.showWait?.({ ...wait, dueInMs: 300_000 - nowMs, givesUpInMs: 400_000 - nowMs });
  progress.showWait?.(undefined);
  const rows = 'settling: 19,999 of 20,000 rows, 19,998 paid, 1 in doubt';
  expect(readMessages(text())).toEqual([
    `${rows}, next inquiry in 4 min 50 s, waits up to 6 min 30 s`,
    `${rows}, next inquiry in 3 min 50 s, waits up to 5 min 30 s`,
    `${rows}, next inquiry in 2 min 50 s, waits up to 4 min 30 s`,
  ]);
  expect(JSON.parse(text().split('\n')[0] ?? '')).toMatchObject({ waitsFor: 'inquiry', rowsDone: 19_999 });
});

test.each<[Partial<Wait>, readonly string[]]>([
  [{}, ['next inquiry in 8 s', 'waits up to 4 min']],
  [{ dueInMs: 0 }, ['inquiring', 'waits up to 4 min']],
  [{ kind: 'answer', dueInMs: undefined }, ["waiting for the bank's answer", 'waits up to 4 min']],
  [
    { kind: 'pause', why: 'no answer\nof 0812345678' },
    ['trying again in 8 s', 'waits up to 4 min', 'no answer?of ******5678'],
  ],
  [{ kind: 'opening', dueInMs: 3 * 3_600_000, givesUpInMs: 0 }, ['the bank is closed, opens in 3 h']],
  [{ kind: 'midnight', givesUpInMs: 0 }, ['midnight in Bangkok, goes on in 8 s']],
  [{ kind: 'clocks', givesUpInMs: 0 }, ['the clocks tell different days, looking again in 8 s']],
  [{ kind: 'recovery', givesUpInMs: 0 }, ['asks what was sent before the loss in 8 s']],
])('a wait %j in words', (changes, words) => {
  expect(describeWait({ ...wait, ...changes })).toEqual(words);
});

describe('on a terminal', () => {
  afterEach(() => vi.useRealTimers());

  /** The frames of a bar, one for each figures shown. */
  async function draw(...shown: readonly ProgressFigures[]): Promise<string> {
    vi.useFakeTimers();
    const { stream, text } = makeStream(true);
    const progress = await openProgress(stream, () => performance.now());
    for (const one of shown) {
      progress.show(one);
      await vi.advanceTimersByTimeAsync(1_000);
    }
    progress.close();
    progress.close();
    return text();
  }

  test('a bar shows the figures, and is gone at the end', async () => {
    const text = await draw(figures(0), figures(10_000));
    expect(text).toContain(
      'paying [==========----------] 10,000 of 20,000 rows | 9,999 paid | 1 in doubt | 1 s left | 10,000 rows/s',
    );
    // Erased, and nothing after it.
    // oxlint-disable-next-line no-control-regex
    expect(text).toMatch(/rows\/s[^\n]*\n?(\u001B\[[0-9;?]*[A-Za-z])+$/);
  });

  test('counts a wait down by itself', async () => {
    vi.useFakeTimers();
    const { stream, text } = makeStream(true);
    const progress = await openProgress(stream, () => performance.now());
    progress.show(figures(19_999, { phase: 'settling' }));
    progress.showWait?.(wait);
    await vi.advanceTimersByTimeAsync(4_000);
    progress.close();
    for (const seconds of [8, 7, 6, 5])
      expect(text()).toContain(`settling: 1 in doubt | next inquiry in ${seconds} s | waits up to `);
  });

  test('is cleared before anything else is written, and comes back', async () => {
    vi.useFakeTimers();
    const { stream, text } = makeStream(true);
    const progress = await openProgress(stream, () => performance.now());
    progress.show(figures(10));
    await vi.advanceTimersByTimeAsync(250);
    const before = text();
    expect(before).toContain('10 of 20,000 rows');
    clearLastLine();
    expect(text().slice(before.length)).toContain('\u001B[2K');
    stream.write('a message\n');
    await vi.advanceTimersByTimeAsync(250);
    progress.close();
    clearLastLine();
    expect(text().slice(text().indexOf('a message'))).toContain('10 of 20,000 rows');
  });

  test('does not flood', async () => {
    const { stream, text } = makeStream(true);
    const progress = await openProgress(stream, () => 0);
    for (let rows = 0; rows < 20_000; rows += 1) progress.show(figures(rows));
    progress.close();
    expect(text().length).toBeLessThan(5_000);
  });

  test('shows nothing when there was nothing to show', async () => {
    expect(await draw()).toBe('');
  });

  test('leaves signals to the command', async () => {
    const before = process.listenerCount('SIGINT');
    await draw(figures(1));
    expect(process.listenerCount('SIGINT')).toBe(before);
  });
});

describe('a line holds', () => {
  const long = figures(123_456, { rowsTotal: 1_000_000, inDoubt: 123, pace: { limit: 2, ceiling: 16 } });

  test.each([
    [
      120,
      'paying [==------------------] 123,456 of 1,000,000 rows | 123,455 paid | 123 in doubt | 1 h 13 min left | 200 rows/s',
    ],
    [80, 'paying [=---------] 123,456 of 1,000,000 rows | 123,455 paid | 123 in doubt'],
    [20, 'paying [=---------]'],
  ])('of %i columns, what is most important', (columns, expected) => {
    expect(formatBar(long, 200, columns)).toBe(expected);
  });

  test.each([
    [
      120,
      '123 in doubt | next inquiry in 8 s | waits up to 4 min | 123,456 of 1,000,000 rows | 123,455 paid',
    ],
    [80, '123 in doubt | next inquiry in 8 s | waits up to 4 min'],
  ])('of %i columns, first what is waited for', (columns, expected) => {
    expect(formatBar(long, 200, columns, wait)).toBe(`settling: ${expected}`);
  });

  test('of so many columns, everything', () => {
    expect(formatBar(long, 200, 200)).toMatch(/ \| 200 rows\/s \| pace 2 of 16$/);
  });

  test('the pace where it is that of the settings, nothing of it', () => {
    expect(formatBar(figures(1, { pace: { limit: 16, ceiling: 16 } }), 0, 200)).not.toContain('pace');
  });

  test('payees asked about, and how many of them would not be paid', () => {
    const asking = { phase: 'asking', rowsDone: 300, rowsTotal: 1_200, inDoubt: 0, refused: 2 };
    expect(formatBar(asking, 50, 120)).toBe(
      'asking [=====---------------] 300 of 1,200 rows | 2 would not be paid | 18 s left | 50 rows/s',
    );
  });

  test('no bar while the total is not known', () => {
    expect(formatBar(figures(5, { phase: 'reading', rowsTotal: undefined }), 5, 80)).toBe(
      'reading 5 rows | 1 in doubt | 5 rows/s',
    );
  });
});
