/** Before each file of tests: `expect(ended).toEndWith(3)`, which tells all that a command has said where it ends otherwise. */
import { expect } from 'vitest';
import type { Ended } from './run-paydrop.ts';

declare module 'vitest' {
  interface Matchers<R extends void | Promise<void> = void | Promise<void>> {
    /** Of a command that has run to its end: its exit code. */
    toEndWith(code: Ended['code']): R;
  }
}

const quote = (said: string): string => (said.trim() === '' ? ' nothing' : `\n${said.trimEnd()}`);

expect.extend({
  toEndWith: ({ code, stdout, stderr }: Ended, expected: Ended['code']) => ({
    pass: code === expected,
    message: () =>
      `the command ended with ${code} (expected: ${expected})\nstdout:${quote(stdout)}\nstderr:${quote(stderr)}`,
  }),
});
