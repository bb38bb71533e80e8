/** When a batch is not what was sealed: by its own record, and by what was kept outside the journal. */
import { inEnglish } from '../../../src/core/message.ts';
import { expect, test } from 'vitest';
import { toSatang } from '../../../src/core/money.ts';
import type { KeptSeal } from '../../../src/payout/rules/journal-place.ts';
import { findChangedBatch } from '../../../src/payout/rules/seal.ts';

const sealed = { rows: 2, totalSatang: toSatang(300n), digest: 'D', versionsDigest: 'V2' };

const cases: readonly (readonly [string, readonly KeptSeal[], boolean])[] = [
  ['nothing was kept', [], false],
  ['the same was kept', [{ digest: 'D', versionsDigest: 'V2' }], false],
  ['a copy lags behind by a version', [{ digest: 'D', versionsDigest: 'V1' }], false],
  ['a copy is from the seal', [{ digest: 'D', versionsDigest: null }], false],
  ['other rows were kept', [{ digest: 'X', versionsDigest: null }], true],
  ['one of two copies has other rows', [sealed, { digest: 'X', versionsDigest: null }], true],
  ['other versions were kept', [{ digest: 'D', versionsDigest: 'X' }], true],
];

test.each(cases)('%s', (_, kept, isChanged) => {
  const reading = { recorded: sealed, present: sealed, versionsDigests: ['V1', 'V2'], kept };
  const why = findChangedBatch('0123456789', reading);
  const reason = why === undefined ? '' : inEnglish(why.reason);
  expect(reason.includes('other digests than were kept outside it')).toBe(isChanged);
});
