import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { formatBaht, parseBaht, sumSatang, toSatang, zeroSatang } from '../../src/core/money.ts';
import { Book, type Ledger, type Transfer } from '../../src/sandbox/book.ts';
import type { SandboxOptions } from '../../src/sandbox/bank.ts';
import { StateFile } from '../../src/sandbox/state-file.ts';
import {
  companyId,
  goodInquiry,
  goodTransfer,
  itemsOf,
  noonMs,
  openBank,
  payerAccount,
  silenceMs,
} from '../support/sandbox-kit.ts';
import { anyCharacter } from '../support/any-character.ts';

let path = '';

beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-state-'));
  path = join(folder, 'bank.jsonl');
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

const open = (options: Partial<SandboxOptions> = {}) => openBank({ stateFile: path, ...options });

test('a bank that is started again knows its transfers, its ledger and its duplicates', async () => {
  const before = await open({ feeBaht: '1.00' });
  await before.ask('transfer', { ...goodTransfer, proxyName: 'Zoë Müller' });
  await before.ask('transfer', goodTransfer);
  const ledger = before.sandbox.ledger();
  await before.sandbox.close();

  const after = await open({ feeBaht: '1.00' });
  const sinceStart = { requests: { ...ledger.requests, transfer: 0 }, busiestSecond: 0 };
  expect(after.sandbox.ledger()).toEqual({ ...ledger, ...sinceStart });
  expect(ledger).toMatchObject({ totals: { count: 1 }, duplicatesRefused: 1, entries: [{ requests: 2 }] });
  expect(await after.ask('transfer', goodTransfer)).toMatchObject({ statusCode: 'EM001' });
  expect(itemsOf(await after.ask('inquiry', goodInquiry))).toMatchObject([{ tranStatusCode: '010004' }]);
});

test('what was in process when it stopped goes on by the clock', async () => {
  const before = await open({
    behaviours: [
      { match: { amount: '1' }, money: 'moves-later', afterMs: 3_000, hiddenMs: 2_000 },
      { match: { amount: '2' }, money: 'fails-later', afterMs: 3_000 },
      { match: { amount: '3' }, money: 'stuck', tranStatusCode: '030004' },
    ],
  });
  for (const amount of ['1.00', '2.00', '3.00']) {
    await before.ask('transfer', { ...goodTransfer, transRefNo: `R${amount}`, tranAmount: amount });
  }
  await before.sandbox.close();

  const after = await open();
  expect(await after.ask('inquiry', { ...goodInquiry, transRefNo: 'R1.00' })).toMatchObject({
    statusCode: 'EV035',
  });
  expect(after.sandbox.ledger().entries.map(({ status }) => status)).toEqual(['010001', '010001', '030004']);
  after.clock.skip(3_000);
  expect(after.sandbox.ledger()).toMatchObject({
    totals: { count: 1, amount: '1.00' },
    entries: [{ status: '010004' }, { status: '030003' }, { status: '030004' }],
  });
});

test('the numbers of the bank and the spent balance go on', async () => {
  const before = await open({ payerBalanceBaht: '150.00' });
  await before.ask('transfer', goodTransfer);
  await before.sandbox.close();
  const after = await open({ payerBalanceBaht: '150.00' });
  expect(await after.ask('transfer', { ...goodTransfer, transRefNo: 'B' })).toMatchObject({
    statusCode: 'EM053',
    sysRefNo: 'SB202611210000000002',
  });
});

describe('an answer waits for its line in the file', () => {
  test('which is there when it is heard', async () => {
    const bank = await open();
    await bank.ask('transfer', goodTransfer);
    expect(readFileSync(path, 'utf8')).toContain(goodTransfer['transRefNo']);
  });

  test('for ever', async () => {
    const bank = await open();
    bank.waitMs = silenceMs;
    vi.spyOn(StateFile.prototype, 'append').mockReturnValue(new Promise(() => {}));
    expect(await bank.send('transfer', goodTransfer)).toBe('silence');
  });

  test('and is never spoken when that cannot be written', async () => {
    const bank = await open();
    vi.spyOn(StateFile.prototype, 'append').mockRejectedValue(new Error('no space left'));
    expect(await bank.send('transfer', goodTransfer)).toBe('closed');
  });
});

test('the file is readable by its owner only', async () => {
  await open();
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

describe('a torn last line', () => {
  test.each([1, 20, 80])(
    'of %d bytes is dropped, and the file goes on behind what is whole',
    async (bytes) => {
      const before = await open();
      await before.ask('transfer', goodTransfer);
      await before.ask('transfer', { ...goodTransfer, transRefNo: 'B' });
      await before.sandbox.close();
      const whole = readFileSync(path, 'utf8');
      writeFileSync(path, whole.slice(0, -bytes));

      const torn = await open();
      expect(torn.sandbox.ledger().totals.count).toBe(1);
      expect(await torn.ask('transfer', { ...goodTransfer, transRefNo: 'B' })).toMatchObject({
        statusCode: 'IC000',
      });
      await torn.sandbox.close();
      expect((await open()).sandbox.ledger().totals.count).toBe(2);
    },
  );

  test('that is the first one begins the file anew', async () => {
    writeFileSync(path, '{"kind":"sand');
    const bank = await open();
    await bank.ask('transfer', goodTransfer);
    await bank.sandbox.close();
    expect((await open()).sandbox.ledger().totals.count).toBe(1);
  });

  test('in the middle of a Thai letter', async () => {
    await (await open()).sandbox.close();
    const whole = readFileSync(path);
    appendFileSync(path, Buffer.from('{"kind":"transfer","reference1":"ก').subarray(0, -1));
    await (await open()).sandbox.close();
    expect(readFileSync(path)).toEqual(whole);
  });
});

describe('a file that is no state of this bank is refused and left as it is', () => {
  const header = `{"kind":"sandbox","version":1,"companyId":"${companyId}"}\n`;
  test.each([
    ['another text', 'payoutId,amount\n'],
    ['another text without a line end', 'my notes'],
    ['another company', header.replace(companyId, 'COMP000009')],
    ['another version', header.replace(':1,', ':2,')],
    ['a line that is no JSON', `${header}x\n${header}`],
    ['a line of another kind', `${header}{"kind":"money"}\n`],
    ['a duplicate of nothing', `${header}{"kind":"duplicate","companyId":"C","transRefNo":"R"}\n`],
    ['a transfer without an amount', `${header}{"kind":"transfer","transRefNo":"R"}\n`],
    ['null', `${header}null\n`],
  ])('%s', async (_, text) => {
    writeFileSync(path, text);
    await expect(open()).rejects.toThrow(expect.objectContaining({ name: 'SandboxError' }));
    await expect(open()).rejects.toThrow(path);
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  test('a folder', async () => {
    await expect(open({ stateFile: join(path, '..') })).rejects.toThrow('give a path that can be written');
  });
});

describe('the book', () => {
  const transfers = fc.array(
    fc.record({
      transRefNo: fc.constantFrom('A', 'B', 'C', 'D'),
      satang: fc.bigInt({ min: 1n, max: 10n ** 17n - 1n }),
      fee: fc.bigInt({ min: 0n, max: 1_000n }),
      end: fc.constantFrom('complete', 'failed', 'none'),
      delayMs: fc.integer({ min: 0, max: 3_000 }),
      reference1: fc.string({ maxLength: 20, unit: anyCharacter }),
    }),
    { maxLength: 20 },
  );
  const noRequests = {
    token: 0,
    tokenRefresh: 0,
    payeeCheck: 0,
    transfer: 0,
    inquiry: 0,
    statement: 0,
    registration: 0,
    other: 0,
  };

  const toTransfer = (
    {
      satang,
      fee,
      delayMs,
      ...rest
    }: { satang: bigint; fee: bigint; delayMs: number } & Pick<Transfer, 'transRefNo' | 'end' | 'reference1'>,
    place: number,
  ): Transfer => ({
    ...rest,
    sysRefNo: `SB${place}`,
    companyId,
    termId: 'TERM0001',
    channelId: 'PAYDROP',
    payerAccount,
    tranDate: '20261121',
    tranTime: '12:00:00',
    proxyType: 'MSISDN',
    proxyNo: '0812345678',
    proxyName: '',
    amountSatang: toSatang(satang),
    feeSatang: toSatang(fee),
    reference2: '',
    createdOn: `day ${place}`,
    acceptedAtMs: noonMs,
    endsAtMs: noonMs + delayMs,
    code: 'EM073',
    endCode: 'IC000',
    stageCode: '',
    hiddenUntilMs: 0,
    requests: 1,
  });

  const readTotals = ({ totals }: Pick<Ledger, 'totals'>) => ({
    count: totals.count,
    satang: parseBaht(totals.amount),
  });

  test('totals are what has moved by then, to the satang, and survive a restart', async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(transfers, fc.integer({ min: 0, max: 3_000 }), async (drafts, laterMs) => {
        run += 1;
        const file = `${path}.${run}`;
        const entered = drafts.map(toTransfer);
        const before = new Book(companyId, file);
        for (const transfer of entered) await before.enter(transfer);
        before.close();
        const moved = entered.filter(
          ({ end, endsAtMs }) => end === 'complete' && endsAtMs <= noonMs + laterMs,
        );
        const satang = sumSatang(moved.map(({ amountSatang }) => amountSatang));
        for (const book of [before, new Book(companyId, file)]) {
          const ledger = book.ledger(noonMs + laterMs, noRequests);
          expect(ledger.totals.amount).toBe(formatBaht(satang));
          expect(ledger.totals.count).toBe(moved.length);
          expect(ledger.entries).toHaveLength(entered.length);
          expect(ledger.entries.map(({ reference1 }) => reference1)).toEqual(
            drafts.map((draft) => draft.reference1),
          );
          const spent = entered
            .filter(({ end }) => end !== 'failed')
            .flatMap((t) => [t.amountSatang, t.feeSatang]);
          expect(book.spent(payerAccount)).toBe(sumSatang(spent));
        }
      }),
      { numRuns: 60 },
    );
  });

  test('knows nothing at first', () => {
    const book = new Book(companyId, undefined);
    expect(readTotals(book.ledger(noonMs, noRequests))).toEqual({ count: 0, satang: zeroSatang });
  });
});
