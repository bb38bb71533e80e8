/** What `verify` says at its end: of files that were changed, and of those that are not there. */
import { expect, test } from 'vitest';
import type { VerifiedFile } from '../../../src/app/verify.ts';
import { showVerified } from '../../../src/cli/views/verify.ts';

const batch = { batchId: '7B3KQ0M9ZX', fileName: 'a.csv', sha256: '' };

const endOf = (isOfMachines: boolean, ...states: readonly VerifiedFile['state'][]): string => {
  const files = states.map((state) => ({ kind: 'result', path: '/outbox/a', state }) as const);
  const isWhole = states.every((state) => state === 'as-recorded');
  return showVerified({ batch, files, isWhole, isOfMachines }).text.split('\n\n').at(-1) ?? '';
};

test('what is missing is not said to be changed, and may be on another machine', () => {
  expect(endOf(false, 'as-recorded')).toBe('All are as they were recorded.');
  expect(endOf(true, 'as-recorded')).toBe('All are as they were recorded.');
  expect(endOf(true, 'changed')).toMatch(
    /^The bytes of a file above are not those that were recorded[^\n]*$/,
  );
  expect(endOf(false, 'missing', 'as-recorded')).toMatch(/^A file above is not where it was written[^\n]*$/);
  expect(endOf(true, 'missing')).toMatch(
    /^A file above is not on this machine[^\n]*on the machine whose path it is/,
  );
  expect(endOf(true, 'missing', 'changed')).toMatch(
    /^The bytes of [^\n]*\nA file above is not on this machine/,
  );
});
