import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as references from '../../src/core/reference.ts';

const { attemptsMax, computeBatchId, computeInstructionDigest, computeTransRefNo, DigestOfAll } = references;

const printable = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
});
const payoutIds = printable.filter((text) => text.length > 0 && text.length <= 64);
const attempts = fc.integer({ min: 1, max: attemptsMax });

describe('transRefNo', () => {
  // A published reference may never change its meaning: a payout of last year must meet the same one.
  test.each([
    ['COMP000001', 'INV-1', 1, 'PDMJZVRAZ6BY6NEPV501'],
    ['COMP000001', 'INV-1', 2, 'PD86XST8FFXG3M8FB202'],
    ['COMP000001', 'INV-2', 1, 'PDC4VYXAJZM3F4RF7401'],
    ['COMP000002', 'INV-1', 1, 'PD8W1M43DPMX1TNHGY01'],
  ])('of %s %s attempt %i is for ever %s', (company, payoutId, attempt, reference) => {
    expect(computeTransRefNo(company, payoutId, attempt)).toBe(reference);
  });

  test('has 20 characters A–Z0–9, ends in its attempt, and is the same whenever it is asked for', () => {
    fc.assert(
      fc.property(payoutIds, payoutIds, attempts, (company, payoutId, attempt) => {
        const reference = computeTransRefNo(company, payoutId, attempt);
        expect(reference).toMatch(/^PD[0-9A-Z]{16}\d{2}$/);
        expect(Number(reference.slice(-2))).toBe(attempt);
        expect(computeTransRefNo(company, payoutId, attempt)).toBe(reference);
      }),
    );
  });

  test('differs as soon as company, payoutId or attempt differ, wherever the border between them lies', () => {
    const triples = fc.tuple(payoutIds, payoutIds, attempts);
    fc.assert(
      fc.property(triples, triples, (one, other) => {
        const isSame = one.every((part, place) => part === other[place]);
        expect(computeTransRefNo(...one) === computeTransRefNo(...other)).toBe(isSame);
      }),
    );
    expect(computeTransRefNo('AB', 'C', 1)).not.toBe(computeTransRefNo('A', 'BC', 1));
    expect(computeTransRefNo('A,1:B', 'C', 1)).not.toBe(computeTransRefNo('A', '1:B,C', 1));
  });

  test('does not clash over 200,000 payouts', () => {
    const seen = new Set<string>();
    for (let number = 0; number < 200_000; number += 1) {
      seen.add(computeTransRefNo('COMP000001', `PAY-${number}`, 1).slice(2, 18));
    }
    expect(seen.size).toBe(200_000);
  });

  test.each([0, -1, 100, 1.5, Number.NaN])('refuses attempt %s', (attempt) => {
    expect(() => computeTransRefNo('COMP000001', 'INV-1', attempt)).toThrow(RangeError);
  });
});

describe('batchId', () => {
  test('is the first ten characters of the Crockford base32 of the SHA-256', () => {
    const sha256 = createHash('sha256').update('payoutId\n').digest('hex');
    const bits = BigInt(`0x${sha256}`) >> (256n - 50n);
    const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
    const digits = Array.from({ length: 10 }, (_, place) => Number((bits >> BigInt(45 - 5 * place)) & 31n));
    expect(computeBatchId(sha256)).toBe(digits.map((digit) => alphabet[digit]).join(''));
  });
});

// Journals hold them: one that came out otherwise would halt every batch that was sealed before.
test('digests of instructions, one and many, are for ever what they are', () => {
  const names = { payeeName: 'สมชาย ใจดี', reference1: null, reference2: 'a,1:b' };
  const digest = computeInstructionDigest(
    { companyId: 'COMP000001', batchId: '0123456789', rowNo: 7 },
    { payoutId: 'INV-1', proxyType: 'MSISDN', proxyNo: '0812345678', amountSatang: 125_050n, ...names },
  );
  expect(digest).toBe('6Ua7ORDJNFkm3Z2AjIBk0jst5UfW8OArPq9ogUsoYTQ');
  const all = new DigestOfAll();
  for (const part of [digest, digest]) all.add(part);
  expect(all.end()).toBe('p2hD79jd1eL7vzXjeM_8FKkpMdz_aHe_g0J6eG2_SVA');
});
