import { describe, expect, test } from 'vitest';
import {
  companyId,
  goodCheck,
  goodInquiry,
  goodTransfer,
  isHeard,
  itemsOf,
  openBank,
  payerAccount,
  speak,
} from '../support/sandbox-kit.ts';

const midnightMs = Date.parse('2026-11-22T00:00:00+07:00');

test('a transfer moves its money and says so (§2.5)', async () => {
  const bank = await openBank({ feeBaht: '2.50' });
  expect(await bank.ask('transfer', { ...goodTransfer, reference2: 'R2' })).toEqual({
    statusCode: 'IC000',
    statusDesc: 'Fund transfer executed successfully',
    severity: 'INFO',
    requestUID: goodTransfer['requestUID'],
    transRefNo: goodTransfer['transRefNo'],
    sysRefNo: 'SB202611210000000001',
    transFee: '2.50',
    reference1: 'INV-1',
    reference2: 'R2',
  });
  expect(bank.sandbox.ledger().totals).toEqual({ count: 1, references: 1, amount: '100.25', fees: '2.50' });
});

test('a payee check gives both names (§2.4)', async () => {
  const bank = await openBank({
    directory: [{ proxyNo: '0812345678', name: 'Malee Srisuk', nameTh: 'มาลี ศรีสุข' }],
  });
  expect(await bank.ask('payeeCheck', goodCheck)).toEqual({
    statusCode: 'IC001',
    statusDesc: 'Inquiry successful',
    severity: 'INFO',
    requestUID: goodCheck['requestUID'],
    proxyName: 'Malee Srisuk',
    displayProxyName: 'มาลี ศรีสุข',
  });
});

describe('the duplicate check (§4 rule 2)', () => {
  /** What the second request changes, and what it gets. */
  test.each([
    ['the same', {}, 0, 'EM001', 1],
    ['the same with another amount and payee', { tranAmount: '1.00', proxyNo: '0899999999' }, 0, 'EM001', 1],
    ['the same with another tranDate', { tranDate: '20261120' }, 0, 'EM001', 1],
    ['the same at the last second of the Bangkok day', {}, midnightMs - 1, 'EM001', 1],
    ['the same after the Bangkok midnight', {}, midnightMs, 'IC000', 2],
    ['another terminal', { termID: 'TERM0002' }, 0, 'IC000', 2],
    ['another reference', { transRefNo: 'PD000000000000000102' }, 0, 'IC000', 2],
  ])('%s', async (_, changes, laterMs, code, count) => {
    const bank = await openBank();
    await bank.ask('transfer', goodTransfer);
    bank.clock.set(Math.max(bank.clock.now(), laterMs));
    await bank.renew();
    const second = await bank.ask('transfer', { ...goodTransfer, ...changes });
    expect(second).toMatchObject({ statusCode: code });
    const ledger = bank.sandbox.ledger();
    expect(ledger.totals.count).toBe(count);
    expect(ledger.duplicatesRefused).toBe(code === 'EM001' ? 1 : 0);
    expect(ledger.entries[0]?.requests).toBe(code === 'EM001' ? 2 : 1);
  });

  test('holds for a transfer in process and for one that failed inside the bank', async () => {
    const bank = await openBank({
      directory: [{ proxyNo: '0890000033', state: 'inactive' }],
      behaviours: [{ match: { amount: '7' }, money: 'stuck' }],
    });
    for (const changes of [{ tranAmount: '7.00' }, { transRefNo: 'B', proxyNo: '0890000033' }]) {
      await bank.ask('transfer', { ...goodTransfer, ...changes });
      expect(await bank.ask('transfer', { ...goodTransfer, ...changes })).toMatchObject({
        statusCode: 'EM001',
      });
    }
  });

  test('does not hold for one that was refused before processing', async () => {
    const bank = await openBank({ behaviours: [{ match: {}, money: 'untouched', code: 'TM001', times: 1 }] });
    expect(await bank.ask('transfer', goodTransfer)).toMatchObject({ statusCode: 'TM001' });
    expect(await bank.ask('transfer', goodTransfer)).toMatchObject({ statusCode: 'IC000' });
  });
});

describe('what fails inside the bank stays there as failed', () => {
  const directory = [
    { proxyNo: '0890000033', name: 'Nobody', state: 'inactive' as const },
    { proxyNo: '0890000006', state: 'unknown' as const },
    { proxyNo: '0890000051', name: 'Wichai Dokmai' },
  ];
  test.each([
    ['an inactive payee', { proxyNo: '0890000033' }, 'EV033', '030003'],
    ['an unknown payee', { proxyNo: '0890000006' }, 'EV006', '030003'],
    ['a wrong name', { proxyNo: '0890000051', proxyName: 'Wichai Dokma' }, 'EV051', '030002'],
    ['a malformed proxy number', { proxyNo: '0212345678' }, 'EV055', '030002'],
    ['an amount over the limit', { tranAmount: '500.01' }, 'EM069', '030002'],
    ['more than the balance', { tranAmount: '300.01' }, 'EM053', '030003'],
  ])('%s', async (_, changes, code, state) => {
    const bank = await openBank({
      directory,
      amountLimitBaht: '500.00',
      payerBalanceBaht: '300.00',
      feeBaht: '0.00',
    });
    const request = { ...goodTransfer, ...changes };
    expect(await bank.ask('transfer', request)).toMatchObject({
      statusCode: code,
      severity: 'ERROR',
      sysRefNo: expect.stringMatching(/^SB\d{18}$/),
      transFee: '0.00',
    });
    expect(itemsOf(await bank.ask('inquiry', goodInquiry))).toEqual([
      expect.objectContaining({ tranStatusCode: state, statusCode: code }),
    ]);
    expect(bank.sandbox.ledger().totals.count).toBe(0);
    expect(bank.sandbox.ledger().entries).toMatchObject([{ status: state, statusCode: code, movedAt: null }]);
  });

  test.each([
    ['Wichai Dokmai', 'IC001', 'IC000'],
    ['WICHAI  DOKMAI', 'IC001', 'IC000'],
    [' wichaidokmai ', 'IC001', 'IC000'],
    ['Wichai', 'EV051', 'EV051'],
    ['Wichai Dokmaii', 'EV051', 'EV051'],
  ])('the name %j is compared without case and spaces', async (proxyName, check, transfer) => {
    const bank = await openBank({ directory });
    const named = { proxyNo: '0890000051', proxyName };
    expect(await bank.ask('payeeCheck', { ...goodCheck, ...named })).toMatchObject({ statusCode: check });
    expect(await bank.ask('transfer', { ...goodTransfer, ...named })).toMatchObject({ statusCode: transfer });
  });
});

test('an amount of exactly the limit and the balance is paid', async () => {
  const bank = await openBank({ amountLimitBaht: '100.25', payerBalanceBaht: '100.25' });
  expect(await bank.ask('transfer', goodTransfer)).toMatchObject({ statusCode: 'IC000' });
});

test('without a name, a listed payee is simply paid', async () => {
  const bank = await openBank({ directory: [{ proxyNo: '0812345678', name: 'Malee Srisuk' }] });
  expect(await bank.ask('transfer', goodTransfer)).toMatchObject({ statusCode: 'IC000' });
});

test('a payee that is not listed bears the name that was sent', async () => {
  const bank = await openBank();
  const answer = await bank.ask('payeeCheck', { ...goodCheck, proxyName: 'Anybody At All' });
  expect(answer).toMatchObject({ statusCode: 'IC001', proxyName: 'Anybody At All' });
  expect(answer['displayProxyName']).toMatch(/^[\u0E00-\u0E7F]+ [\u0E00-\u0E7F]+$/);
});

test('knownPayeesOnly: one that is not listed is unknown', async () => {
  const bank = await openBank({ knownPayeesOnly: true });
  expect(await bank.ask('payeeCheck', goodCheck)).toMatchObject({ statusCode: 'EV006' });
  expect(await bank.ask('transfer', goodTransfer)).toMatchObject({ statusCode: 'EV006' });
});

describe('the payer balance', () => {
  test('is spent by amounts and fees, not by failures, and can be filled up', async () => {
    const bank = await openBank({
      payerBalanceBaht: '21.00',
      feeBaht: '0.50',
      behaviours: [{ match: { amount: '20.00' }, money: 'fails', code: 'EM003' }],
    });
    const pay = async (transRefNo: string, tranAmount: string) =>
      (await bank.ask('transfer', { ...goodTransfer, transRefNo, tranAmount }))['statusCode'];
    expect(await pay('A', '20.00')).toBe('EM003');
    expect(await pay('B', '10.00')).toBe('IC000');
    expect(await pay('C', '10.01')).toBe('EM053');
    expect(await pay('D', '10.00')).toBe('IC000');
    expect(await pay('E', '0.01')).toBe('EM053');
    bank.sandbox.control({ payerBalanceBaht: '21.51' });
    expect(await pay('F', '0.01')).toBe('IC000');
    expect(bank.sandbox.ledger().totals).toEqual({ count: 3, references: 3, amount: '20.01', fees: '1.50' });
  });

  test('is one for each account', async () => {
    const bank = await openBank({ payerBalanceBaht: '100.25', payerAccounts: [payerAccount, '0000000002'] });
    const codes: unknown[] = [];
    for (const account of [payerAccount, '0000000002', payerAccount]) {
      const request = { ...goodTransfer, transRefNo: `R${codes.length}`, payerAccount: account };
      codes.push((await bank.ask('transfer', request))['statusCode']);
    }
    expect(codes).toEqual(['IC000', 'IC000', 'EM053']);
  });
});

test('a closed service refuses transfers and still answers checks and inquiries', async () => {
  const bank = await openBank();
  bank.sandbox.control({ serviceOpen: false });
  expect(await bank.ask('transfer', goodTransfer)).toMatchObject({ statusCode: 'TM001' });
  expect(await bank.ask('payeeCheck', goodCheck)).toMatchObject({ statusCode: 'IC001' });
  expect(await bank.ask('inquiry', goodInquiry)).toMatchObject({ statusCode: 'EV035' });
  bank.sandbox.control({ serviceOpen: true });
  expect(await bank.ask('transfer', goodTransfer)).toMatchObject({ statusCode: 'IC000' });
});

test("the scheme's word is in paths and field names", async () => {
  const bank = await openBank({ scheme: 'promptpay' });
  const named = (fields: Record<string, unknown>) =>
    Object.fromEntries(
      Object.entries(fields).map(([key, value]) => [key.replace(/^proxy/, 'promptpay'), value]),
    );
  expect(await bank.ask('payeeCheck', named({ ...goodCheck, proxyName: 'A B' }))).toMatchObject({
    statusCode: 'IC001',
    promptpayName: 'A B',
    displayPromptpayName: expect.any(String),
  });
  expect(await bank.ask('transfer', named(goodTransfer))).toMatchObject({ statusCode: 'IC000' });
  expect(await bank.ask('transfer', goodTransfer)).toMatchObject({
    statusCode: 'PT001',
    statusDesc: expect.stringContaining('promptpayType is required'),
  });
});

test("every answer bears the bank's own date", async () => {
  const bank = await openBank();
  bank.sandbox.control({ advanceMs: 3_600_000 });
  const outcome = await bank.send('inquiry', goodInquiry);
  expect(isHeard(outcome) && outcome.headers['date']).toBe('Sat, 21 Nov 2026 06:00:00 GMT');
});

test('an address that the bank does not have gets 404 and is counted', async () => {
  const { sandbox } = await openBank();
  const outcome = await speak(sandbox.baseUrl, { path: '/elsewhere', body: '', method: 'GET' });
  expect(isHeard(outcome) && outcome.status).toBe(404);
  expect(sandbox.ledger().requests).toEqual({
    token: 1,
    tokenRefresh: 0,
    payeeCheck: 0,
    transfer: 0,
    inquiry: 0,
    statement: 0,
    registration: 0,
    other: 1,
  });
});

test('the company is asked for on every endpoint', async () => {
  const bank = await openBank({ companyId: `${companyId.slice(0, -1)}9` });
  expect(await bank.ask('payeeCheck', goodCheck)).toMatchObject({ statusCode: 'EM002' });
  expect(await bank.ask('inquiry', goodInquiry)).toMatchObject({ statusCode: 'EM002' });
});
