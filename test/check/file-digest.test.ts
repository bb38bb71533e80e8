/** The digest that an approval names, computed from the file alone. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { computeFileDigest } from '../../src/check/file-digest.ts';
import { toSatang } from '../../src/core/money.ts';
import { makePayoutFileReader } from '../../src/intake/formats/payout-file.ts';
import { ingestFile } from '../../src/intake/ingest.ts';
import { readApprovalFigures } from '../../src/review/approve-batch.ts';
import type { ApprovalPolicy } from '../../src/review/rules/approval.ts';
import { payer } from '../support/core-fixtures.ts';
import { ingest, makeRow } from '../support/journal-fixtures.ts';
import { openTheatre, type StoreTheatre } from '../support/theatre.ts';

const header = 'payoutId,proxyType,proxyNo,payeeName,amount,reference1,reference2';
const reader = makePayoutFileReader({
  columns: {},
  carry: [],
  encoding: 'auto',
  delimiter: 'auto',
  control: 'none',
  trailerMark: 'TRAILER',
  finalLineEnd: 'required',
  numberAfterAmount: 'refused',
  guardFormulas: true,
  limits: { rowsMax: null, bytesMax: null, payoutSatangMax: toSatang(100_000n), fileSatangMax: null },
});

let theatre: StoreTheatre;
let path = '';
let folder = '';
beforeEach(async () => {
  theatre = await openTheatre();
  folder = await mkdtemp(join(tmpdir(), 'paydrop-digest-'));
  path = join(folder, 'a.csv');
});
afterEach(async () => {
  await theatre[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

async function takeIn(...rows: readonly string[]) {
  return takeInBy('always', rows);
}

async function takeInBy(when: ApprovalPolicy['when'], rows: readonly string[]) {
  await writeFile(path, `${[header, ...rows].join('\n')}\n`);
  const { journal, time: clock } = theatre;
  const { companyId, payerAccount } = payer;
  const given = {
    companyId,
    payerAccount,
    likeFileDays: 0,
    mayRead: async () => true,
    onRows: () => undefined,
  };
  const stop = new AbortController().signal;
  const approval = async () => ({ when, aboveSatang: toSatang(0n), people: 2 }) as const;
  const end = await ingestFile({ journal, reader, clock, ...given, stop, approval }, path, 'a.csv');
  if (end.kind !== 'batch') throw new Error(`it ended as ${end.kind}`);
  const figures = await readApprovalFigures({ journal, clock }, end.batch.batchId);
  if (figures === undefined) throw new Error('there are no figures');
  return figures;
}

const digestOf = async (without: readonly number[] = [], payerAccount: string = payer.payerAccount) => {
  const terms = { companyId: payer.companyId, payerAccount, without: new Set(without) };
  const digest = await computeFileDigest(reader, path, terms);
  return digest.kind === 'digest' ? digest : undefined;
};

const rows = [
  'A1,MSISDN,0810000001,,100.25,,',
  'A2,MSISDN,0810000002,,abc,,',
  'A3,MSISDN,0810000003,,5000,,',
  'A4,MSISDN,0810000004,,10,,',
  'A4,MSISDN,0810000005,,10,,',
  'A6,MSISDN,0810000006,,60,,',
  'A6,MSISDN,0810000006,,60,,',
];

test('is what the journal has of what waits: rejected rows are not in it, held ones are', async () => {
  const { digest, batchId, toPay, held } = await takeIn(...rows);
  expect([toPay.rows, held.rows]).toEqual([2, 1]);
  expect(await digestOf()).toMatchObject({ batchId, rows: 3, amountSatang: 516_025n, version: digest });
  // From another account, or with another amount, it is another.
  expect((await digestOf([], '0000999999'))?.version).not.toBe(digest);
  await writeFile(path, `${[header, ...rows].join('\n').replace('100.25', '100.26')}\n`);
  expect((await digestOf())?.version).not.toBe(digest);
});

test('of a file of which another has a payoutId it is told which rows do not wait', async () => {
  await ingest(theatre.journal, [makeRow(1, { payoutId: 'A1' })]);
  const { digest, leftOut } = await takeIn(...rows);
  expect(leftOut).toEqual({ rows: 2, firstRowNos: [1, 4] });
  expect((await digestOf())?.version).not.toBe(digest);
  expect((await digestOf(leftOut.firstRowNos))?.version).toBe(digest);
});

test('the same file again, under settings that ask for no approval, waits as before', async () => {
  const { digest } = await takeIn(...rows);
  expect(await takeInBy('never', rows)).toMatchObject({ digest, people: 2, toPay: { rows: 2 } });
  for (const { batchId } of await theatre.journal.batches()) {
    await theatre.run(batchId);
    expect(await theatre.statuses(batchId)).toMatchObject({ held: 3 });
  }
  expect(theatre.sent).toEqual([]);
});

test('of a file that would be rejected there is none', async () => {
  await writeFile(path, 'nothing\n');
  expect(await digestOf()).toBeUndefined();
});
