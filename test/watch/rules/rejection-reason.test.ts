import { verbatim } from '../../../src/core/message.ts';
import { describe, expect, test } from 'vitest';
import {
  refuseDuplicateFile,
  refuseRejectedFile,
  refuseVanishedFile,
  refuseWrittenFile,
} from '../../../src/watch/rules/rejection-reason.ts';

const atMs = Date.UTC(2026, 10, 21, 7, 3, 5);
const file = { fileName: 'payouts.csv', droppedAtMs: atMs, nowMs: atMs + 1_000 };

describe('the reason beside a rejected file', () => {
  test('names file, times, rule, place and cure', () => {
    const rejection = {
      code: 'column-missing',
      line: 1,
      column: 'amount',
      message: verbatim('there is no column amount: add it'),
    };
    expect(refuseRejectedFile(file, rejection).reason).toBe(
      [
        'File:     payouts.csv',
        'Dropped:  2026-11-21 14:03:05 Bangkok time',
        'Rejected: 2026-11-21 14:03:06 Bangkok time',
        'Reason:   column-missing',
        'Where:    line 1, column amount',
        '',
        'there is no column amount: add it',
        '',
        'Nothing of this file was paid. Correct what is said above and drop the file again, under any name.',
        '',
      ].join('\n'),
    );
  });

  test('leaves out a place that there is not', () => {
    const rejection = { code: 'empty', line: null, column: null, message: verbatim('empty') };
    const { reason: text } = refuseRejectedFile(file, rejection);
    expect(text).not.toContain('Where');
  });

  test.each([
    ['sealed', 'waits to be worked', 'comes with its result to the outbox'],
    ['running', 'is being worked', 'comes with its result to the outbox'],
    ['paused', 'is being worked, and is paused,', 'is in its result in the outbox'],
    ['halted', 'was halted until a person lets it go on', 'is in its result in the outbox'],
    ['done', 'was worked', 'is in its result in the outbox'],
  ] as const)(
    'names the first file of a duplicate, and how its batch stands: %s',
    (status, state, result) => {
      const { reason: text } = refuseDuplicateFile(file, {
        fileName: 'first.csv',
        batchId: '7B3KQ0M9ZX',
        status,
      });
      expect(text).toContain(`the same bytes as first.csv, which ${state} as batch 7B3KQ0M9ZX`);
      expect(text).toContain('nothing is paid for this copy');
      expect(text).toContain(`${result}, under the batch 7B3KQ0M9ZX`);
      expect(text).not.toContain('is made once');
    },
  );

  test('says of a file that somebody removed what had been read of it', () => {
    const read = { batchId: '7B3KQ0M9ZX', rows: 12 };
    expect(refuseVanishedFile(file, read).reason).toContain('Batch 7B3KQ0M9ZX is what it held: 12 rows');
    expect(refuseVanishedFile(file, read).reason).toContain('Nothing is to be dropped again');
    expect(refuseVanishedFile(file, undefined).reason).toContain('nothing of it was paid');
  });

  test('says what was paid of a file that was written to afterwards', () => {
    const { reason: text } = refuseWrittenFile(file, { batchId: '7B3KQ0M9ZX', rows: 12 });
    expect(text).toContain('Batch 7B3KQ0M9ZX is what it held before: 12 rows');
    expect(text).toContain('Drop the whole file again');
  });

  test('tells the writer of an unfinished file how to write', () => {
    expect(refuseWrittenFile(file, undefined).reason).toContain('rename them when they are whole');
  });

  test('keeps a name with line breaks on its line', () => {
    const named = { ...file, fileName: 'a\nReason: paid\u2028.csv' };
    const { reason: text } = refuseWrittenFile(named, undefined);
    expect(text.split('\n')[0]).toBe('File:     a?Reason: paid?.csv');
  });
});
