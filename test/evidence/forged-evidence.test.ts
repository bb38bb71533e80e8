/** The script of the docs, on honest files of evidence and on forged ones. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dayMs } from '../../src/core/bangkok-time.ts';
import { computeInstructionDigest } from '../../src/core/reference.ts';
import { makeDayHeads } from '../../src/evidence/day-heads.ts';
import { gatherEvidence } from '../../src/evidence/payout-evidence.ts';
import { renderHead } from '../../src/evidence/rules/day-head.ts';
import { placeScript, verifyBy } from '../support/evidence-script.ts';
import { firstBatchId, noonMs, payer } from '../support/journal-fixtures.ts';
import { makeSqliteStore, type SqliteStore } from '../support/sqlite-store.ts';
import { tellAll } from './told-journal.ts';

/** As far as these tests forge it. */
interface Told {
  journalId: string;
  rows: {
    instruction: Record<string, string> | null;
    state: Record<string, unknown>;
    versions: { instruction: Record<string, string> | null; digest: string }[];
    attempts: { sysRefNo: string | null; feeText: string | null; order: Record<string, string> }[];
  }[];
  proposals: {
    proposalId: number;
    checkerId: number | null;
    checker: string | null;
    maker: string;
    decision: string;
    totalSatang: string;
    signatures: Record<string, unknown>[];
  }[];
}

let sqlite: SqliteStore;
let [script, heads] = ['', ''];
const files = { whole: '', masked: '' };

beforeAll(async () => {
  sqlite = await makeSqliteStore();
  const { store, dataDir } = sqlite;
  await tellAll(store);
  const [head] = await makeDayHeads(store, store.journalId, noonMs + dayMs);
  heads = join(dataDir, 'heads.txt');
  if (head === undefined) throw new Error('the day has no head');
  await writeFile(heads, renderHead(head));
  script = await placeScript(dataDir);
  for (const numbers of ['whole', 'masked'] as const) {
    await using reader = await store.openAudit();
    const wish = { journalId: store.journalId, isSandbox: false, madeAtMs: noonMs, madeBy: null, numbers };
    files[numbers] = await gatherEvidence(store, reader, {
      ...wish,
      histories: await store.findPayouts('INV-2'),
    });
  }
});
afterAll(() => sqlite[Symbol.asyncDispose]());

const forge = (numbers: keyof typeof files, change: (told: Told) => unknown): string => {
  const told = JSON.parse(files[numbers]) as Told;
  change(told);
  return JSON.stringify(told);
};

const maskedWords =
  'NOT CHECKED: row 2 of batch 0123456789: payee, amount and what was sent (numbers are masked)';

describe('an honest file', () => {
  test('whole, signed and under heads from elsewhere, holds', async () => {
    const { code, said } = await verifyBy(script, files.whole, [heads]);
    expect([code, said.at(-1)]).toEqual([0, 'all of it holds']);
    expect(said.slice(1, -1)).toEqual(
      [1, 3].map((id) =>
        expect.stringMatching(new RegExp(`^proposal ${id}: signed by 3 nok with passkey \\w{4} \\w{4}: `)),
      ),
    );
  });

  test('masked, says what could not be checked', async () => {
    const { code, said } = await verifyBy(script, files.masked, [heads]);
    expect([code, said.slice(-2)]).toEqual([2, [maskedWords, 'all else holds']]);
  });

  test('without heads from elsewhere, says so', async () => {
    const { code, said } = await verifyBy(script, files.whole, []);
    expect([code, said.at(-2)]).toEqual([
      2,
      expect.stringContaining('none were given that were kept elsewhere'),
    ]);
  });
});

const first = ({ proposals: [one] }: Told) => {
  if (one === undefined) throw new Error('there is no proposal');
  return one;
};

test.each<[what: string, numbers: keyof typeof files, change: (told: Told) => unknown, words: RegExp]>([
  [
    'a payee and an amount, masked',
    'masked',
    ({ rows: [row] }) => {
      const asks = { proxyNo: '******9999', amountSatang: '999900' };
      for (const one of [row?.instruction, row?.versions[0]?.instruction]) Object.assign(one ?? {}, asks);
    },
    /NOT CHECKED: .*payee, amount and what was sent/,
  ],
  [
    'a payee and an amount of the latest version, with its digest',
    'whole',
    ({ rows: [row] }) => {
      const asks = { proxyNo: '0899999999', amountSatang: '999900' };
      for (const one of [row?.instruction, row?.versions[0]?.instruction]) Object.assign(one ?? {}, asks);
      Object.assign(row?.state ?? {}, { amountSatang: '999900' });
      const place = { companyId: payer.companyId, batchId: firstBatchId, rowNo: 2 };
      const asked = { ...row?.instruction, amountSatang: 999_900n } as never;
      Object.assign(row?.versions[0] ?? {}, { digest: computeInstructionDigest(place, asked) });
    },
    /NOT PROVED: .*the versions of what it asks/,
  ],
  [
    'no signature',
    'whole',
    (told) => (first(told).signatures = []),
    /proposal 1: who approved it \(NOT SIGNED\)/,
  ],
  [
    'another proposal’s signature',
    'whole',
    (told) => (first(told).signatures = told.proposals[1]?.signatures ?? []),
    /NOT PROVED: .*a signature under proposal 1: its proposal is another’s/,
  ],
  [
    'another proposal’s signature, said to be of this one',
    'whole',
    (told) =>
      (first(told).signatures = (told.proposals[1]?.signatures ?? []).map((one) => ({
        ...one,
        proposalId: 1,
      }))),
    /NOT PROVED: .*its digest is another’s/,
  ],
  [
    'another proposal’s signature, its text made to fit',
    'whole',
    (told) =>
      (first(told).signatures = (told.proposals[1]?.signatures ?? []).map((one) => ({
        ...one,
        proposalId: 1,
        text: first(told).signatures[0]?.['text'],
      }))),
    /NOT PROVED: .*a signature under proposal 1/,
  ],
  [
    'who has signed',
    'whole',
    (told) => Object.assign(first(told).signatures[0] ?? {}, { personId: 1 }),
    /NOT PROVED: .*whose it is/,
  ],
  [
    'who has approved',
    'whole',
    (told) => Object.assign(first(told), { checkerId: 1, checker: 'mali' }),
    /NOT PROVED: .*who approved it/,
  ],
  [
    'who has approved, by name',
    'whole',
    (told) => (first(told).checker = 'mali'),
    /NOT PROVED: .*who approved it/,
  ],
  ['who has proposed', 'whole', (told) => (first(told).maker = 'nok'), /NOT PROVED: .*who proposed it/],
  [
    'the sum that was approved',
    'whole',
    (told) => (first(told).totalSatang = '1'),
    /NOT PROVED: .*what was proposed/,
  ],
  ['the journal', 'whole', (told) => (told.journalId = 'another'), /NOT PROVED: .*its journal is another’s/],
  [
    'what the bank said',
    'whole',
    ({ rows: [row] }) => Object.assign(row?.attempts[0] ?? {}, { sysRefNo: 'SYS1' }),
    /NOT PROVED: .*what the bank said of attempt 1/,
  ],
])('a file with another %s never holds', async (_what, numbers, change, words) => {
  const forged = forge(numbers, change);
  expect(forged).not.toBe(JSON.stringify(JSON.parse(files[numbers])));
  const { code, said } = await verifyBy(script, forged, [heads]);
  expect(said.join('\n')).toMatch(words);
  expect(code).toBe(words.source.startsWith('NOT PROVED') ? 1 : 2);
  expect(said).not.toContain('all of it holds');
});
