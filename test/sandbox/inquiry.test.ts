import { describe, expect, test } from 'vitest';
import type { BehaviourInput } from '../../src/sandbox/table.ts';
import { goodInquiry, goodTransfer, itemsOf, openBank } from '../support/sandbox-kit.ts';

test('a complete transfer is shown with all its fields (§2.6)', async () => {
  const bank = await openBank();
  const { sysRefNo } = await bank.ask('transfer', { ...goodTransfer, reference2: 'R2' });
  expect(await bank.ask('inquiry', goodInquiry)).toEqual({
    statusCode: 'IC001',
    statusDesc: 'Inquiry successful',
    severity: 'INFO',
    requestUID: goodInquiry['requestUID'],
    fundTfrInfoList: [
      {
        tranDate: '20261121',
        tranTime: '12:00:00',
        transRefNo: goodTransfer['transRefNo'],
        sysRefNo,
        tranStatusCode: '010004',
        tranStatusDesc: 'COMPLETE',
        statusCode: 'IC000',
        statusDesc: 'Fund transfer executed successfully',
        reference1: 'INV-1',
        reference2: 'R2',
      },
    ],
  });
});

describe('what is in process goes on by the clock', () => {
  type Walk = readonly (readonly [atMs: number, tranStatusCode: string, statusCode: string, moved: number])[];
  test.each<readonly [string, BehaviourInput, reply: string, Walk]>([
    [
      'complete later',
      { match: {}, money: 'moves-later', afterMs: 3_000 },
      'EM073',
      [
        [0, '010001', 'EM073', 0],
        [1_000, '010002', 'EM073', 0],
        [2_000, '010003', 'EM073', 0],
        [2_999, '010003', 'EM073', 0],
        [3_000, '010004', 'IC000', 1],
        [86_000, '010004', 'IC000', 1],
      ],
    ],
    [
      'complete later, timed out inside the bank',
      { match: {}, money: 'moves-later', afterMs: 3_000, code: 'ET001', tranStatusCode: '030004' },
      'ET001',
      [
        [0, '030004', 'ET001', 0],
        [2_999, '030004', 'ET001', 0],
        [3_000, '010004', 'IC000', 1],
      ],
    ],
    [
      'failed later',
      { match: {}, money: 'fails-later', afterMs: 3_000 },
      'EM073',
      [
        [2_999, '010003', 'EM073', 0],
        [3_000, '030003', 'EM003', 0],
      ],
    ],
    [
      'failed later in validation',
      { match: {}, money: 'fails-later', afterMs: 3_000, code: 'EM066', failCode: 'EV040' },
      'EM066',
      [
        [0, '010001', 'EM066', 0],
        [3_000, '030002', 'EV040', 0],
      ],
    ],
    [
      'failed at once',
      { match: {}, money: 'fails', code: 'EM003', failCode: 'EM013' },
      'EM003',
      [[0, '030002', 'EM013', 0]],
    ],
    [
      'stuck',
      { match: {}, money: 'stuck' },
      'EM073',
      [
        [0, '010003', 'EM073', 0],
        [800_000, '010003', 'EM073', 0],
      ],
    ],
    [
      'stuck in a state that nobody knows',
      { match: {}, money: 'stuck', tranStatusCode: '099999' },
      'EM073',
      [[800_000, '099999', 'EM073', 0]],
    ],
  ])('%s', async (_, behaviour, reply, walk) => {
    const bank = await openBank({ behaviours: [behaviour] });
    const startMs = bank.clock.now();
    expect(await bank.ask('transfer', goodTransfer)).toMatchObject({ statusCode: reply });
    const seen: unknown[] = [];
    for (const [atMs] of walk) {
      bank.clock.set(startMs + atMs);
      const [item] = itemsOf(await bank.ask('inquiry', goodInquiry));
      seen.push([atMs, item?.['tranStatusCode'], item?.['statusCode'], bank.sandbox.ledger().totals.count]);
    }
    expect(seen).toEqual(walk);
  });
});

describe('finding nothing', () => {
  test.each([
    ['EV035', { statusCode: 'EV035', statusDesc: 'Transaction not found' }],
    ['EV034', { statusCode: 'EV034', statusDesc: 'Cannot find transaction' }],
    ['empty', { statusCode: 'IC001', fundTfrInfoList: [] }],
  ] as const)('is said as %s', async (inquiryNotFound, says) => {
    const bank = await openBank({ inquiryNotFound });
    expect(await bank.ask('inquiry', goodInquiry)).toMatchObject(says);
  });

  test('happens for as long as a transfer is hidden, though its money has moved', async () => {
    const bank = await openBank({ behaviours: [{ match: {}, money: 'moves', hiddenMs: 5_000 }] });
    await bank.ask('transfer', goodTransfer);
    expect(bank.sandbox.ledger().totals.count).toBe(1);
    bank.clock.skip(4_999);
    expect(await bank.ask('inquiry', goodInquiry)).toMatchObject({ statusCode: 'EV035' });
    expect(await bank.ask('transfer', goodTransfer)).toMatchObject({ statusCode: 'EM001' });
    bank.clock.skip(1);
    expect(itemsOf(await bank.ask('inquiry', goodInquiry))).toMatchObject([{ tranStatusCode: '010004' }]);
  });

  test.each([
    ['transfer', '20261121', 'IC001'],
    ['transfer', '20261122', 'EV035'],
    ['today', '20261121', 'EV035'],
    ['today', '20261122', 'IC001'],
    ['any', '20261120', 'IC001'],
  ] as const)(
    'follows from the date: the bank expects %s, asked with %s',
    async (inquiryDate, tranDate, code) => {
      const bank = await openBank({ inquiryDate, accessTokenSeconds: 86_400 });
      await bank.ask('transfer', goodTransfer);
      bank.clock.skip(43_200_000);
      expect(await bank.ask('inquiry', { ...goodInquiry, tranDate })).toMatchObject({ statusCode: code });
    },
  );
});

test.each([
  [undefined, 'TERM0001', 'IC001'],
  [undefined, 'TERM0002', 'EV035'],
  [true, 'TERM0002', 'EV035'],
  [false, 'TERM0002', 'IC001'],
] as const)(
  'where transfers are kept by terminal (%j), an inquiry from %s finds %s',
  async (keeps, termID, code) => {
    const bank = await openBank({ ...(keeps !== undefined && { keepsByTerminal: keeps }) });
    await bank.ask('transfer', goodTransfer);
    expect(await bank.ask('inquiry', { ...goodInquiry, termID })).toMatchObject({ statusCode: code });
  },
);

test('a reference that moved money on two days has two items', async () => {
  const bank = await openBank({ inquiryDate: 'any', accessTokenSeconds: 86_400 });
  await bank.ask('transfer', goodTransfer);
  bank.clock.skip(43_200_000);
  await bank.ask('transfer', goodTransfer);
  expect(itemsOf(await bank.ask('inquiry', goodInquiry))).toHaveLength(2);
  expect(bank.sandbox.ledger().totals).toMatchObject({ count: 2, references: 1, amount: '200.50' });
});

describe('an inquiry meets behaviours by what its transfer carries', () => {
  test.each([
    [{ proxyNo: '0812345678' }],
    [{ amount: '100.25' }],
    [{ reference1: 'INV-1' }],
    [{ transRefNo: 'PD000000000000000101' }],
    [{ proxyName: 'SOMCHAI JAIDEE' }],
    [{}],
  ])('%j', async (match) => {
    const bank = await openBank({ behaviours: [{ match, endpoint: 'inquiry', code: 'EA001', times: 1 }] });
    await bank.ask('transfer', { ...goodTransfer, proxyName: 'Somchai Jaidee' });
    expect(await bank.ask('inquiry', goodInquiry)).toMatchObject({ statusCode: 'EA001' });
    expect(await bank.ask('inquiry', goodInquiry)).toMatchObject({ statusCode: 'IC001' });
  });

  test('another reference is not met', async () => {
    const behaviours: BehaviourInput[] = [
      { match: { amount: '100.26' }, endpoint: 'inquiry', code: 'EA001' },
    ];
    const bank = await openBank({ behaviours });
    await bank.ask('transfer', goodTransfer);
    expect(await bank.ask('inquiry', goodInquiry)).toMatchObject({ statusCode: 'IC001' });
  });

  test('it can be answered with somebody else’s transfer', async () => {
    const bank = await openBank({
      behaviours: [{ match: {}, endpoint: 'inquiry', reply: 'wrong-reference' }],
    });
    const [item] = itemsOf(await bank.ask('inquiry', goodInquiry));
    expect(item).toMatchObject({ tranStatusCode: '010004' });
    expect(item?.['transRefNo']).not.toBe(goodInquiry['transRefNo']);
  });
});
