import { describe, expect, test } from 'vitest';
import type { TransferFields } from '../../src/core/bank-port.ts';
import { retryBatch, retryPayouts } from '../../src/payout/operator.ts';
import { settleOnce } from '../../src/payout/settle.ts';
import type { Journal } from '../../src/store/store.ts';
import { noonMs } from '../support/core-fixtures.ts';
import { ingest, makeRow, secondBatchId } from '../support/journal-fixtures.ts';
import { header, makeRehearsal, rowsOf } from '../support/rehearsal.ts';
import { minuteMs, stageInMemory, type Theatre } from '../support/theatre.ts';
import { inWords } from '../support/in-words.ts';

const rules = { payoutSatangMax: null };

async function retry(journal: Journal, batchId: string, nowMs = noonMs) {
  const batch = await journal.batch(batchId);
  if (batch === undefined) throw new Error(`no batch ${batchId}`);
  return retryBatch(journal, batch, rules, nowMs);
}

const retryNamed = async (journal: Journal, payoutId: string) =>
  retryPayouts(journal, await journal.findPayouts(payoutId), rules, noonMs);

describe('retry', () => {
  test('pays what had been refused under the same reference, once', async () => {
    const behaviours = [
      { match: { amount: '7.00' }, money: 'untouched', code: 'EV042', times: 1 },
      { match: { amount: '8.00' }, money: 'untouched', code: 'EV042' },
    ];
    await using rehearsal = await makeRehearsal({ sandbox: { behaviours } });
    const csv = rowsOf(['1.00', '7.00', '8.00', 'abc']);
    const first = await rehearsal.run(csv);
    expect(first).toMatchObject({ exitCode: 3, ledger: { count: 1 } });
    const [batchId = ''] = first.exceptions.map((line) => line['batchId']);
    const result = await rehearsal.beside(({ journal }) => retry(journal, batchId, Date.now()));
    expect(result.rowsChanged).toBe(2);
    expect(inWords(result.refusals)).toEqual([expect.stringContaining('is still wrong')]);

    const again = await rehearsal.run(csv);
    expect(again).toMatchObject({ exitCode: 3, ledger: { count: 2 } });
    const latest = new Map(again.results.map((line) => [line['payoutId'], line]));
    expect(latest.get('P2')).toMatchObject({ status: 'paid', attempts: '1' });
    expect(latest.get('P2')?.['transRefNo']).toMatch(/01$/);
    expect(latest.get('P3')).toMatchObject({ status: 'failed', attempts: '1' });
  });

  test('makes nothing of what is in doubt, paid or cancelled', async () => {
    await using one = await stageInMemory(2, (theatre) => ({
      transfer: (_order, no) => (no === 1 ? theatre.code('EM073') : undefined),
    }));
    const { theatre, batchId } = one;
    await theatre.run(batchId, { waitMs: 1_000 });
    expect(await theatre.statuses(batchId)).toEqual({ submitted: 1, paid: 1 });
    expect(await retry(theatre.journal, batchId)).toEqual({ rowsChanged: 0, refusals: [] });
    const named = await retryNamed(theatre.journal, 'INV-1');
    expect(inWords(named)).toEqual({ rowsChanged: 0, refusals: [expect.stringContaining('is submitted')] });
  });

  test('validates a rejected row anew once its payoutId is free again', async () => {
    let said = '010003';
    await using one = await stageInMemory(1, (theatre) => ({
      transfer: (order) => (order.transRefNo.endsWith('01') ? theatre.code('EM073') : undefined),
      inquire: (inquiry) => theatre.found(inquiry, said),
    }));
    const { theatre, batchId } = one;
    await theatre.run(batchId, { waitMs: 1_000 });
    const later = await ingest(theatre.journal, [makeRow(1)], {
      batchId: secondBatchId,
      fileName: 'later.csv',
    });
    expect(await theatre.statuses(later.batchId)).toEqual({ rejected: 1 });
    expect(inWords(await retry(theatre.journal, later.batchId, theatre.now()))).toEqual({
      rowsChanged: 0,
      refusals: [expect.stringMatching(/row 1 of payouts\.csv .* has its payoutId and is submitted/)],
    });
    said = '030002';
    await theatre.run(batchId);
    expect(await theatre.statuses(batchId)).toEqual({ failed: 1 });
    expect(await retry(theatre.journal, later.batchId, theatre.now())).toMatchObject({ rowsChanged: 1 });
    await theatre.run(later.batchId);
    expect(await theatre.statuses(later.batchId)).toEqual({ paid: 1 });
    const [history] = await theatre.journal.findPayouts('INV-1');
    expect(history?.row).toMatchObject({ attemptNo: 2, isAlarm: false });
  });

  test('does not let the repeats of a row within its file go on', async () => {
    await using rehearsal = await makeRehearsal({
      sandbox: { behaviours: [{ match: { amount: '7.00' }, money: 'untouched', code: 'EV042', times: 1 }] },
    });
    const row = 'P1,MSISDN,0812345678,,7.00,,';
    const csv = `${header}\n${row}\n${row}\n`;
    const first = await rehearsal.run(csv);
    expect(first.results.map((line) => line['status'])).toEqual(['failed', 'rejected']);
    const batchId = first.exceptions[0]?.['batchId'] ?? '';
    const result = await rehearsal.beside(({ journal }) => retry(journal, batchId, Date.now()));
    expect(inWords(result)).toEqual({
      rowsChanged: 1,
      refusals: [expect.stringContaining('send it in a new file')],
    });
    expect(await rehearsal.run(csv)).toMatchObject({ ledger: { count: 1 } });
  });
});

/** Every first attempt is refused for good; the bank changes its mind at a moment. */
const oneFails = (theatre: Theatre, says: () => string | undefined) => ({
  transfer: (order: { transRefNo: string }) =>
    order.transRefNo.endsWith('01') ? theatre.code('EV042') : undefined,
  inquire: (inquiry: Parameters<Theatre['found']>[0]) =>
    theatre.found(inquiry, inquiry.transRefNo.endsWith('01') ? says() : undefined),
});

describe('an earlier attempt stays under inquiry', () => {
  test('and its late proof stops the later one, loudly', async () => {
    const bank: { says?: string } = { says: '030002' };
    await using one = await stageInMemory(1, (theatre) => oneFails(theatre, () => bank.says));
    const { theatre, batchId } = one;
    await theatre.run(batchId);
    expect(await theatre.statuses(batchId)).toEqual({ failed: 1 });
    await retry(theatre.journal, batchId, theatre.now());
    bank.says = '010004';
    await theatre.run(batchId);
    expect(theatre.sent).toHaveLength(1);
    const [history] = await theatre.journal.findPayouts('INV-1');
    expect(history?.row).toMatchObject({ status: 'paid', isAlarm: true, reasonCode: 'late-proof' });
    expect(await theatre.exitCode(batchId)).toBe(3);
  });

  test('after the later one was paid: two transfers, an alarm', async () => {
    const bank: { says?: string } = { says: '030002' };
    await using one = await stageInMemory(1, (theatre) => oneFails(theatre, () => bank.says));
    const { theatre, batchId } = one;
    await theatre.run(batchId);
    await retry(theatre.journal, batchId, theatre.now());
    await theatre.run(batchId);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 1 });
    expect(await theatre.exitCode(batchId)).toBe(0);
    bank.says = '010004';
    await theatre.time.drive(settleOnce(theatre.context(), 'all'));
    const [history] = await theatre.journal.findPayouts('INV-1');
    expect(history?.row).toMatchObject({ status: 'paid', isAlarm: true, reasonCode: 'paid-twice' });
    expect(history?.attempts.map(({ status }) => status)).toEqual(['paid', 'paid']);
    expect(await theatre.exitCode(batchId)).toBe(3);
  });

  test('while the later one is with the bank: its own outcome is still recorded', async () => {
    const bank: { says?: string } = { says: '030002' };
    await using one = await stageInMemory(1, (theatre) => ({
      ...oneFails(theatre, () => bank.says),
      inquire: (inquiry) => theatre.found(inquiry, inquiry.transRefNo.endsWith('01') ? bank.says : '010003'),
    }));
    const { theatre, batchId } = one;
    await theatre.run(batchId);
    await retry(theatre.journal, batchId, theatre.now());
    theatre.script = { ...theatre.script, transfer: () => theatre.code('EM073') };
    await theatre.run(batchId, { waitMs: 5_000 });
    bank.says = '010004';
    await theatre.time.drive(settleOnce(theatre.context(), 'all'));
    expect(await theatre.statuses(batchId)).toEqual({ paid: 1 });
    theatre.script = { inquire: (inquiry) => theatre.found(inquiry, '010004') };
    await theatre.run(batchId, { waitMs: 30 * minuteMs });
    const [history] = await theatre.journal.findPayouts('INV-1');
    expect(history?.row).toMatchObject({ status: 'paid', isAlarm: true, reasonCode: 'paid-twice' });
  });

  test('of another file: the row of the later file is stopped before it is sent', async () => {
    const bank: { says?: string } = { says: '030002' };
    await using one = await stageInMemory(1, (theatre) => oneFails(theatre, () => bank.says));
    const { theatre, batchId } = one;
    await theatre.run(batchId);
    const later = await ingest(theatre.journal, [makeRow(1)], {
      batchId: secondBatchId,
      fileName: 'later.csv',
    });
    bank.says = '010004';
    await theatre.run(later.batchId);
    expect(theatre.sent).toHaveLength(1);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 1 });
    const [row] = await theatre.journal.findPayouts('INV-1');
    expect(row?.row).toMatchObject({ status: 'held', isAlarm: true });
    await theatre.run(later.batchId);
    expect(theatre.sent).toHaveLength(1);
  });

  test('of another file: the row of the later file that was paid bears the alarm too', async () => {
    const bank: { says?: string } = { says: '030002' };
    await using one = await stageInMemory(1, (theatre) => oneFails(theatre, () => bank.says));
    const { theatre, batchId } = one;
    await theatre.run(batchId);
    const changed = { ...makeRow(1), fileName: 'later.csv' };
    const later = await ingest(theatre.journal, [changed], { batchId: secondBatchId, fileName: 'later.csv' });
    await theatre.run(later.batchId);
    expect(await theatre.statuses(later.batchId)).toEqual({ paid: 1 });
    bank.says = '010004';
    await theatre.time.drive(settleOnce(theatre.context(), 'all'));
    const rows = await theatre.journal.findPayouts('INV-1');
    expect(rows.map(({ row }) => [row.status, row.isAlarm])).toEqual([
      ['paid', true],
      ['paid', true],
    ]);
  });

  test('that the bank works on again makes a failed row doubtful', async () => {
    const bank: { says?: string } = { says: '030002' };
    await using one = await stageInMemory(1, (theatre) => ({
      ...oneFails(theatre, () => bank.says),
      transfer: () => theatre.code('EV042'),
    }));
    const { theatre, batchId } = one;
    await theatre.run(batchId);
    await retry(theatre.journal, batchId, theatre.now());
    await theatre.run(batchId);
    expect(await theatre.statuses(batchId)).toEqual({ failed: 1 });
    bank.says = '010003';
    await theatre.time.drive(settleOnce(theatre.context(), 'all'));
    expect(await theatre.statuses(batchId)).toEqual({ unresolved: 1 });
    expect(await theatre.exitCode(batchId)).toBe(4);
    bank.says = '010004';
    await theatre.time.drive(settleOnce(theatre.context(), 'all'));
    expect(await theatre.statuses(batchId)).toEqual({ paid: 1 });
  });
});

describe('a payer’s trouble that an inquiry shows', () => {
  test('stops the line as one in a reply does', async () => {
    await using one = await stageInMemory(200, (theatre) => ({
      transfer: (_order, no) => (no === 1 ? theatre.code('EM073') : undefined),
      inquire: (inquiry) =>
        theatre.answer({
          ...theatreFields,
          items: [{ ...item, transRefNo: inquiry.transRefNo, tranStatusCode: '030003', statusCode: 'EM053' }],
        }),
    }));
    const { theatre, batchId } = one;
    await theatre.journal.moveBatch(batchId, 'running', null, noonMs);
    await theatre.run(batchId);
    const { payerAccount, companyId } = await theatre.batch(batchId);
    expect(await theatre.journal.payerHalt(companyId, payerAccount)).toMatchObject({ code: 'EM053' });
  });
});

const theatreFields = {
  statusCode: 'IC001',
  statusDesc: undefined,
  severity: undefined,
  requestUid: 'REQ00000000000000001',
};
const item = {
  sysRefNo: 'S1',
  tranDate: undefined,
  tranTime: undefined,
  reference1: undefined,
  tranStatusDesc: undefined,
  statusDesc: 'Insufficient funds',
};

describe('what the gateway turns away', () => {
  test.each([
    ['paid', 'IC000', { paid: 1 }],
    ['refused for good', 'EV042', { failed: 1 }],
  ] as const)('counts for nothing: sent again and %s', async (_name, code, statuses) => {
    await using one = await stageInMemory(1, (theatre) => ({
      transfer: ({ transRefNo }, no) =>
        no < 3
          ? theatre.answer<TransferFields>(undefined, { httpStatus: 429 })
          : theatre.code(code, { transRefNo }),
    }));
    const { theatre, batchId } = one;
    await theatre.run(batchId);
    expect(await theatre.statuses(batchId)).toEqual(statuses);
    expect(new Set(theatre.sent.map(({ transRefNo }) => transRefNo)).size).toBe(1);
    expect(theatre.sent).toHaveLength(3);
  });
});
