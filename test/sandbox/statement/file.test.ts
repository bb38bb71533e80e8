/** What a statement file holds, and in which form it comes (§2.7). */
import { gunzipSync } from 'node:zlib';
import { Uint8ArrayReader, Uint8ArrayWriter, ZipReader } from '@zip.js/zip.js';
import type { FileEntry } from '@zip.js/zip.js';
import { parse } from 'csv-parse/sync';
import iconv from 'iconv-lite';
import { describe, expect, test } from 'vitest';
import { statementColumns } from '../../../src/reconcile/rules/statement.ts';
import { writeStatement } from '../../../src/sandbox/statement/lines.ts';
import { parseStatementTable } from '../../../src/sandbox/table.ts';
import { clientId, companyId, payerAccount } from '../../support/sandbox-kit.ts';
import { columnOf, dayMs, openStatementBank, payThree, today } from '../../support/sandbox-statement-kit.ts';

const yesterday = today;

describe('the lines', () => {
  test('have the 23 columns of §2.7 in order', async () => {
    const bank = await openStatementBank(
      { chargeType: 'Ben', partnerId: 'PARTNER9' },
      {
        feeBaht: '5.00',
        directory: [{ proxyNo: '0812345678', name: 'Malee, Srisuk', nameTh: 'มาลี "ต้อย" ศรีสุข' }],
      },
    );
    await bank.pay({ tranAmount: '2000', reference2: 'R2' });
    const file = await bank.download();
    const [columns, cells] = parse(file);
    expect(columns).toEqual(statementColumns);
    expect(cells).toEqual([
      '1',
      '20261121',
      'PD000000000000000101',
      'SB202611210000000001',
      'PAYDROP',
      payerAccount,
      'MSISDN',
      '0812345678',
      'Malee, Srisuk',
      'มาลี "ต้อย" ศรีสุข',
      'INV-1',
      'R2',
      '2000.00',
      '5.00',
      '1995.00',
      '010004',
      'IC000',
      'Fund transfer executed successfully',
      'PARTNER9',
      clientId,
      companyId,
      'Ben',
      '12:00:00',
    ]);
  });

  test('bear the word of the scheme, like the file', async () => {
    const bank = await openStatementBank({ today: true }, { scheme: 'swift9', behaviours: [] });
    await bank.pay({ swift9No: '0812345678', swift9Type: 'MSISDN' });
    const { storageSignedUrl = '' } = await bank.statement({ date: today, companyID: companyId });
    expect(new URL(storageSignedUrl).pathname).toContain(`/PARTNER001_${companyId}_SWIFT9_20261121.csv`);
    expect(await (await fetch(storageSignedUrl)).text()).toContain(',SWIFT9 NO,SWIFT9 NAME (EN),');
  });

  test('say what ended well, what failed and what is in process, by code or by name', async () => {
    const bank = await openStatementBank(undefined, {
      behaviours: [
        { match: { transRefNo: 'B' }, money: 'fails', code: 'EV040' },
        { match: { transRefNo: 'C' }, money: 'stuck' },
        { match: { transRefNo: 'D' }, money: 'untouched', code: 'ED001' },
      ],
    });
    await payThree(bank);
    await bank.pay({ transRefNo: 'D' });
    const lines = await bank.lines();
    expect(columnOf(lines, 'STATUS')).toEqual(['010004', '030002', '010003']);
    expect(columnOf(lines, 'REASON CODE')).toEqual(['IC000', 'EV040', 'EM073']);
    bank.sandbox.control({ statement: { status: 'name' } });
    expect(columnOf(await bank.lines(), 'STATUS')).toEqual(['COMPLETE', 'VALIDATE FAILED', 'TRANSFER']);
  });

  test.each([
    ['sent', '2000.00'],
    ['zero', '0.00'],
    ['blank', ''],
  ] as const)('of what failed have their figures as failedAmount: %s says', async (failedAmount, figure) => {
    const bank = await openStatementBank(
      { failedAmount },
      {
        behaviours: [
          { match: { transRefNo: 'B' }, money: 'fails', code: 'EV040' },
          { match: { transRefNo: 'C' }, money: 'stuck' },
        ],
      },
    );
    await payThree(bank);
    const lines = await bank.lines();
    expect(columnOf(lines, 'AMOUNT')).toEqual(['100.25', figure, '3.50']);
    expect(columnOf(lines, 'NET AMOUNT')[1]).toBe(figure);
    expect(columnOf(lines, 'FEE')[1]).toBe(failedAmount === 'blank' ? '' : '0.00');
  });

  test('are as of the end of the day; what ends on the next day is in that file too', async () => {
    const bank = await openStatementBank(undefined, {
      accessTokenSeconds: 300_000,
      behaviours: [{ match: { transRefNo: 'B' }, money: 'moves-later', afterMs: dayMs }],
    });
    await payThree(bank);
    bank.clock.skip(2 * dayMs);
    const first = await bank.lines({ date: yesterday });
    expect(columnOf(first, 'STATUS')).toEqual(['010004', '010002', '010004']);
    const second = await bank.lines({ date: '2026-11-22' });
    expect(second).toHaveLength(1);
    expect(second[0]).toMatchObject({
      'TRANSREF NO': 'B',
      STATUS: '010004',
      'EFFECTIVE DATE': '20261122',
      'EFFECTIVE TIME': '12:00:00',
    });
    expect((await bank.statement({ date: '2026-11-23' }))['statusCode']).toBe('AU00002');
  });

  test.each([
    ['Our', 'received', '100.25'],
    ['Our', 'debited', '105.25'],
    ['Ben', 'received', '95.25'],
    ['Ben', 'debited', '100.25'],
  ] as const)('charge type %s, net %s: %s', async (chargeType, net, netAmount) => {
    const bank = await openStatementBank({ chargeType, net }, { feeBaht: '5.00' });
    await bank.pay({});
    expect(await bank.lines()).toMatchObject([
      { AMOUNT: '100.25', FEE: '5.00', 'NET AMOUNT': netAmount, 'CHARGE TYPE': chargeType },
    ]);
  });
});

describe('the bytes', () => {
  test.each([
    [{}, /^NO,[^\n]+\r\n1,[^\n]+\r\n$/],
    [{ bom: true }, /^\uFEFFNO,[^\n]+\r\n1,[^\n]+\r\n$/],
    [{ lineEnd: 'lf' }, /^NO,[^\r\n]+\n1,[^\r\n]+\n$/],
    [{ thousands: true }, /,"1,234,567\.50",0\.00,"1,234,567\.50",/],
  ] as const)('%j', async (table, pattern) => {
    const bank = await openStatementBank(table);
    await bank.pay({ tranAmount: '1234567.5' });
    expect((await bank.download()).toString()).toMatch(pattern);
  });

  test('windows-874', async () => {
    const nameTh = 'กขฃ ฮฯะาำ ฺ฿เ แ ๆ็่ ๐๙๛';
    const bank = await openStatementBank(
      { encoding: 'windows-874' },
      { directory: [{ proxyNo: '0812345678', name: 'Zoë', nameTh }] },
    );
    await bank.pay({});
    const text = iconv.decode(await bank.download(), 'windows-874');
    expect(text).toContain(`,Zo?,${nameTh},`);
  });
});

async function unzip(bytes: Buffer, password: string) {
  await using reader = new ZipReader(new Uint8ArrayReader(new Uint8Array(bytes)));
  const [entry, ...others] = (await reader.getEntries()) as FileEntry[];
  expect(others).toEqual([]);
  const content = await entry?.getData(new Uint8ArrayWriter(), { password, useWebWorkers: false });
  return { entry, text: Buffer.from(content ?? []).toString() };
}

describe('the form', () => {
  test('gzip', async () => {
    const bank = await openStatementBank();
    await payThree(bank);
    const plain = await bank.download();
    bank.sandbox.control({ statement: { form: 'gzip' } });
    const { storageSignedUrl = '', unZipKey } = await bank.statement();
    expect(storageSignedUrl).toContain('/PARTNER001_PROXY_20261121.csv.gz?');
    expect(unZipKey).toBe('');
    expect(gunzipSync(await bank.download())).toEqual(plain);
  });

  test.each([
    ['zipcrypto', true],
    ['aes', false],
  ] as const)('%s opens with the key alone', async (form, zipCrypto) => {
    const bank = await openStatementBank();
    await payThree(bank);
    const plain = (await bank.download()).toString();
    bank.sandbox.control({ statement: { form } });
    const { storageSignedUrl = '', unZipKey = '' } = await bank.statement();
    expect(storageSignedUrl).toContain('/PARTNER001_PROXY_20261121.zip?');
    const bytes = Buffer.from(await (await fetch(storageSignedUrl)).arrayBuffer());
    const { entry, text } = await unzip(bytes, unZipKey);
    expect(entry).toMatchObject({ filename: 'PARTNER001_PROXY_20261121.csv', encrypted: true, zipCrypto });
    expect(text).toBe(plain);
    await expect(unzip(bytes, 'x')).rejects.toThrow();
    expect((await bank.statement())['unZipKey']).not.toBe(unZipKey);
    bank.sandbox.control({ statement: { unZipKey: 'a key of ours' } });
    expect((await bank.statement())['unZipKey']).toBe('a key of ours');
  });
});

test('a great statement is written in small pieces', () => {
  let asked = 0;
  const cells = statementColumns.map((column) => (column === 'NO' ? '' : 'x'));
  const lines = (function* () {
    for (; asked < 2_000; asked += 1) yield cells;
  })();
  const sizes: number[] = [];
  for (const chunk of writeStatement(lines, 'PROXY', parseStatementTable({}))) {
    sizes.push(chunk.length);
    expect(asked).toBeLessThanOrEqual(sizes.length * 500);
  }
  expect(sizes.length).toBeGreaterThan(3);
});
