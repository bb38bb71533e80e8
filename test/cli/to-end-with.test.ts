/** What commands that are run by tests begin with, and what is told where they end otherwise than expected. */
import { expect, test, vi } from 'vitest';
import { startClean } from '../clean-start.ts';

test('of the file before no variable, module function or clock is left', () => {
  vi.stubEnv('PAYDROP_JOURNAL_URL', 'postgres://of.another.test/journal');
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  vi.useFakeTimers({ now: 0 });
  startClean();
  expect(process.env).not.toHaveProperty('PAYDROP_JOURNAL_URL');
  expect(vi.isMockFunction(process.stderr.write)).toBe(false);
  expect(Date.now()).toBeGreaterThan(0);
});

test('a command that ends otherwise tells all that it has said', () => {
  const ended = { code: 2, stdout: '', stderr: 'paydrop: no such file\n' };
  expect(ended).toEndWith(2);
  expect(() => expect(ended).toEndWith(3)).toThrow(
    'the command ended with 2 (expected: 3)\nstdout: nothing\nstderr:\npaydrop: no such file',
  );
});
