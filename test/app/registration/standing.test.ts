import { describe, expect, test } from 'vitest';
import { findAnyBatch } from '../../../src/review/shell/named-targets.ts';
import type { BatchStatus } from '../../../src/core/payout.ts';
import { makeRegistrationBatch } from '../../support/registration-report-fixtures.ts';
import { makeBatch } from '../../support/report-fixtures.ts';

/** A journal that has the same bytes as a batch of payouts, of registrations, or of both. */
const journalWith = (payouts?: BatchStatus, registrations?: BatchStatus) => ({
  batch: async () => payouts && makeBatch({ status: payouts }),
  registrationBatch: async () => registrations && makeRegistrationBatch({ status: registrations }),
});

describe('a batch id', () => {
  test.each([
    [undefined, undefined, undefined],
    ['done', undefined, 'payouts'],
    [undefined, 'done', 'registrations'],
    // A file that was tried as the wrong kind first.
    ['rejected', 'done', 'registrations'],
    ['done', 'rejected', 'payouts'],
    ['rejected', undefined, 'payouts'],
  ] as const)(
    'of payouts that are %s and of registrations that are %s',
    async (payouts, registrations, kind) => {
      const found = await findAnyBatch(journalWith(payouts, registrations), '4k7q2m9xwd');
      expect(found?.kind).toBe(kind);
    },
  );
});
