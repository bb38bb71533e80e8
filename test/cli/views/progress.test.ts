import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { openProgress } from '../../../src/cli/views/progress.ts';
import type { ProgressFigures } from '../../../src/core/progress.ts';

function figures(rowsDone: number, changes: Partial<ProgressFigures> = {}): ProgressFigures {
  return { phase: 'paying', rowsDone, rowsTotal: 20_000, paid: rowsDone - 1, inDoubt: 1, ...changes };
}

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
    expect(text()).toBe(
      'paying: 3,000 of 20,000 rows, 2,999 paid, 1 in doubt, 200 rows/s\n' +
        'paying: 5,000 of 20,000 rows, 4,999 paid, 1 in doubt, 200 rows/s\n',
    );
  });

  test('tells of a pace below the settings, and of no other', async () => {
    const { stream, text } = makeStream(false);
    let nowMs = 0;
    const progress = await openProgress(stream, () => nowMs);
    for (const limit of [16, 2]) {
      nowMs += 10_000;
      progress.show(figures(1000, { pace: { limit, ceiling: 16 } }));
    }
    expect(text()).toMatch(/rows\/s\n.*, 0 rows\/s, pace 2 of 16\n$/);
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
    expect(text()).toBe(
      'reading: 50,000 rows, 0 paid, 0 in doubt, 5,000 rows/s\n' +
        'paying: 100 of 20,000 rows, 100 paid, 0 in doubt, 0 rows/s\n',
    );
  });
});

describe('on a terminal', () => {
  test('a bar shows the figures and ends its line', async () => {
    const { stream, text } = makeStream(true);
    let nowMs = 0;
    const progress = await openProgress(stream, () => nowMs);
    progress.show(figures(0));
    nowMs = 1000;
    progress.show(figures(10_000));
    progress.close();
    progress.close();
    expect(text()).toMatch(
      /paying \[=+-+\] 10,000\/20,000 rows \| 9,999 paid \| 1 in doubt \| 10,000 rows\/s[^\n]*\n$/,
    );
  });

  test('tells of a pace below the settings', async () => {
    const { stream, text } = makeStream(true);
    const progress = await openProgress(stream, () => 0);
    progress.show(figures(10, { pace: { limit: 2, ceiling: 16 } }));
    progress.close();
    expect(text()).toContain('rows/s | pace 2 of 16');
  });

  test('does not flood', async () => {
    const { stream, text } = makeStream(true);
    const progress = await openProgress(stream, () => 0);
    for (let rows = 0; rows < 20_000; rows += 1) progress.show(figures(rows));
    progress.close();
    expect(text().length).toBeLessThan(5_000);
  });

  test('shows nothing when there was nothing to show', async () => {
    const { stream, text } = makeStream(true);
    (await openProgress(stream, () => 0)).close();
    expect(text()).toBe('');
  });

  test('leaves signals to the command', async () => {
    const before = process.listenerCount('SIGINT');
    const { stream } = makeStream(true);
    const progress = await openProgress(stream, () => 0);
    progress.show(figures(1));
    expect(process.listenerCount('SIGINT')).toBe(before);
    progress.close();
  });
});
