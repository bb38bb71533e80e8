import { describe, expect, test } from 'vitest';
import { makeContext } from '../../src/app/session.ts';
import { cancelBatch, cancelPayouts, resumeBatch, resumePayouts } from '../../src/payout/operator.ts';
import { settleOnce } from '../../src/payout/settle.ts';
import {
  header,
  makeRehearsal,
  type Rehearsal,
  type Rehearsed,
  rowsOf,
  soonGivenUp,
} from '../support/rehearsal.ts';
import { inWords } from '../support/in-words.ts';

const many = (rows: number, special: Readonly<Record<number, string>> = {}): string =>
  rowsOf(Array.from({ length: rows }, (_, index) => special[index + 1] ?? '10.00'));

const countBy = (lines: Rehearsed['results']): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { status = '' } of lines) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

const batchOf = async (rehearsal: Rehearsal, use: 'resume' | 'cancel') =>
  rehearsal.withSender(async ({ journal, clock, loaded }) => {
    const [batch] = await journal.batches();
    if (batch === undefined) throw new Error('no batch');
    if (use === 'cancel') return cancelBatch(journal, batch, clock.now());
    return resumeBatch(journal, batch, clock.now(), loaded.settings.bank.payerAccount);
  });

const seqsOf = async (
  rehearsal: Rehearsal,
  payoutId: string,
  use: typeof resumePayouts | typeof cancelPayouts,
) =>
  rehearsal.withSender(async ({ journal, clock }) => {
    const found = await journal.findPayouts(payoutId);
    return use(
      journal,
      found.map(({ row }) => row.seq),
      clock.now(),
    );
  });

describe('insufficient funds early in a file', () => {
  const settings = {
    sandbox: { behaviours: [{ match: { amount: '9.05' }, money: 'untouched', code: 'EM053', times: 1 }] },
    transfer: { concurrency: 4 },
  };

  test('costs at most as many refusals as there are transfers at once, and goes on when a person resumes', async () => {
    await using rehearsal = await makeRehearsal(settings);
    const csv = many(200, { 3: '9.05' });
    const first = await rehearsal.run(csv);
    const counts = countBy(first.results);
    expect(first.exitCode).toBe(6);
    expect((counts['paid'] ?? 0) + (counts['held'] ?? 0)).toBe(200);
    expect(counts['paid'] ?? 0).toBeLessThan(40);
    const held = first.exceptions.find(({ rowNo }) => rowNo === '200');
    expect(held).toMatchObject({ status: 'held', reasonCode: 'EM053', moneyMoved: 'no' });
    expect(held?.['remedy']).toContain('Fund the payer account');

    const again = await rehearsal.run(csv);
    expect(again).toMatchObject({ exitCode: 6, ledger: first.ledger });
    expect(await batchOf(rehearsal, 'resume')).toMatchObject({ refusals: [], isLineOpened: true });
    const resumed = await rehearsal.run(csv);
    expect(resumed).toMatchObject({ exitCode: 0, ledger: { count: 200 } });
    const updated = new Map(resumed.results.map((line) => [line['payoutId'], line]));
    expect(countBy([...updated.values()])).toEqual({ paid: 200 });
    expect(updated.get('P3')).toMatchObject({ attempts: '1' });
    expect(updated.get('P3')?.['transRefNo']).toMatch(/01$/);
  });

  test('stops the next file of the same payer too, until somebody resumes', async () => {
    await using rehearsal = await makeRehearsal(settings);
    await rehearsal.run(many(5, { 1: '9.05' }));
    const next = await rehearsal.run(rowsOf(['1.00', '2.00'], 'Q'), { name: 'next.csv' });
    expect(next.exitCode).toBe(6);
    expect(next.results.filter(({ payoutId = '' }) => payoutId.startsWith('Q'))).toMatchObject([
      { status: 'held', reasonCode: 'EM053' },
      { status: 'held', reasonCode: 'EM053' },
    ]);
  });

  test('leaves a file alone that has nothing to send: it is done, and its name stands under no halt', async () => {
    await using rehearsal = await makeRehearsal(settings);
    await rehearsal.run(many(5, { 1: '9.05' }));
    const next = await rehearsal.run(rowsOf(['nothing', '-1.00'], 'Q'), { name: 'next.csv' });
    const statuses = await rehearsal.beside(async ({ journal }) =>
      (await journal.batches()).map(({ fileName, status, reason }) => [fileName, status, reason !== null]),
    );
    expect(statuses).toEqual([
      ['next.csv', 'done', false],
      ['payouts.csv', 'halted', true],
    ]);
    expect(next.exitCode).toBe(3);
  });

  test('can be cancelled: what was not sent never is', async () => {
    await using rehearsal = await makeRehearsal(settings);
    const csv = many(50, { 2: '9.05' });
    const first = await rehearsal.run(csv);
    const { rowsChanged, refusals } = await batchOf(rehearsal, 'cancel');
    const { held = 0 } = countBy(first.results);
    // Those whose request has left are kept: here the bank is not asked about them.
    expect([rowsChanged, refusals.length > 0]).toEqual([held - refusals.length, true]);
    const after = await rehearsal.run(csv);
    expect(after).toMatchObject({ exitCode: 6, ledger: first.ledger });
  });
});

describe('a person who resumes while the run still waits', () => {
  test('lets the same run go on', async () => {
    await using rehearsal = await makeRehearsal({
      sandbox: {
        behaviours: [
          { match: { amount: '9.05' }, money: 'untouched', code: 'EM053', times: 1 },
          { match: { amount: '7.00' }, money: 'moves-later', afterMs: 4_000 },
        ],
      },
    });
    const running = rehearsal.run(many(30, { 1: '7.00', 3: '9.05' }));
    await expect
      .poll(() => rehearsal.beside(({ journal }) => journal.payerHalt('COMP000001', '0000345924')))
      .toMatchObject({ code: 'EM053' });
    await rehearsal.beside(async ({ journal }) => {
      const [batch] = await journal.batches();
      if (batch !== undefined) await resumeBatch(journal, batch, Date.now());
    });
    expect(await running).toMatchObject({ exitCode: 0, ledger: { count: 30 } });
  });
});

describe('the brake', () => {
  test('costs ten rows, not all of them, when every payout is refused', async () => {
    await using rehearsal = await makeRehearsal({
      sandbox: { behaviours: [{ match: { amount: '10.00' }, money: 'untouched', code: 'EM069' }] },
      brake: { consecutiveFailures: 10 },
    });
    const { results, exitCode } = await rehearsal.run(many(300));
    const { failed = 0, held = 0 } = countBy(results);
    expect({ exitCode, total: failed + held }).toEqual({ exitCode: 6, total: 300 });
    expect(failed).toBeLessThanOrEqual(14);
  });
});

describe('a held row', () => {
  test('with another Thai name waits for a person, and is paid when they have looked', async () => {
    await using rehearsal = await makeRehearsal({
      sandbox: { directory: [{ proxyNo: '0812345678', name: 'Somchai Jaidee', nameTh: 'สมชาย ใจดี' }] },
    });
    const csv = `${header}\nA,,0812345678,สมศรี ใจงาม,5.00,,\nB,,0812345678,นายสมชาย  ใจดี,6.00,,\n`;
    const first = await rehearsal.run(csv);
    expect(first.exitCode).toBe(3);
    expect(first.results).toMatchObject([
      { status: 'held', reasonCode: 'thai-name-differs', bankPayeeNameTh: 'สมชาย ใจดี', final: 'false' },
      { status: 'paid' },
    ]);
    expect(await seqsOf(rehearsal, 'A', resumePayouts)).toEqual({ rowsChanged: 1, refusals: [] });
    const second = await rehearsal.run(csv);
    expect(second).toMatchObject({ exitCode: 0, ledger: { count: 2, amount: '11.00' } });
  });

  test('over the limit, or much like another, is held and can be cancelled', async () => {
    await using rehearsal = await makeRehearsal({ limits: { bahtPerPayout: 100 } });
    const csv = `${header}\nA1,,0812345678,,100.01,,\nB1,,0812345678,,1.00,,\nb1,,0812345678,,1.00,,\n`;
    const { results, exitCode } = await rehearsal.run(csv);
    expect(exitCode).toBe(3);
    expect(countBy(results)).toEqual({ held: 3 });
    expect(await seqsOf(rehearsal, 'A1', cancelPayouts)).toEqual({ rowsChanged: 1, refusals: [] });
    const refused = await seqsOf(rehearsal, 'A1', cancelPayouts);
    expect(inWords(refused.refusals)).toEqual([
      expect.stringContaining('only what is ready or held can be cancelled'),
    ]);
  });
});

describe('the same payoutId again', () => {
  test('in another file is rejected while it is paid, naming batch and row', async () => {
    await using rehearsal = await makeRehearsal();
    await rehearsal.run(rowsOf(['1.00']), { name: 'one.csv' });
    const { results, ledger } = await rehearsal.run(rowsOf(['1.00', '2.00']), { name: 'two.csv' });
    const rejected = results.find(({ status }) => status === 'rejected');
    expect(rejected).toMatchObject({ payoutId: 'P1', reasonCode: 'payout-id-claimed' });
    expect(rejected?.['reason']).toMatch(/row 1 of one\.csv \(batch [0-9A-Z]{10}\), which is paid/);
    expect(ledger).toMatchObject({ count: 2, amount: '3.00' });
  });

  test('in another file after a refusal goes under the same reference', async () => {
    await using rehearsal = await makeRehearsal({
      sandbox: { behaviours: [{ match: { amount: '1.00' }, money: 'untouched', code: 'EM069', times: 1 }] },
    });
    await rehearsal.run(rowsOf(['1.00']), { name: 'one.csv' });
    const { results, ledger } = await rehearsal.run(`${rowsOf(['1.00'])}\n`, { name: 'two.csv' });
    expect(results.at(-1)).toMatchObject({ status: 'paid', attempts: '1' });
    expect(ledger).toMatchObject({ count: 1 });
  });

  test('in the same bytes under another name pays nobody', async () => {
    await using rehearsal = await makeRehearsal();
    const csv = many(20);
    const first = await rehearsal.run(csv);
    const second = await rehearsal.run(csv, { name: 'renamed.csv' });
    expect(second.outcome).toMatchObject({ kind: 'rested', isRepeat: true });
    expect(second.ledger).toEqual(first.ledger);
  });
});

describe('running again while a row stays unresolved', () => {
  test('asks again and writes no update that says nothing new', async () => {
    await using rehearsal = await makeRehearsal({
      sandbox: { behaviours: [{ match: { amount: '7.00' }, money: 'untouched', reply: 'lost' }] },
      settle: { ...soonGivenUp.settle, resendsMax: 0 },
    });
    const csv = rowsOf(['7.00', '8.00']);
    const first = await rehearsal.run(csv);
    expect(first.results.map(({ status }) => status)).toEqual(['unresolved', 'paid']);
    const again = await rehearsal.run(csv);
    expect(again).toMatchObject({ exitCode: 4, ledger: first.ledger });
    expect(again.results).toEqual(first.results);
  });
});

describe('a payer account that was wrong', () => {
  test('is corrected in the settings, and the batch goes on from the right one', async () => {
    await using rehearsal = await makeRehearsal({ bank: { payerAccount: '9999999999' } });
    const csv = rowsOf(['1.00', '2.00']);
    const first = await rehearsal.run(csv);
    expect(first.exitCode).toBe(6);
    expect(first.exceptions[0]).toMatchObject({ reasonCode: 'EM004', status: 'held' });
    await rehearsal.correct({});
    expect(await batchOf(rehearsal, 'resume')).toMatchObject({
      payerMoved: { from: '******9999', to: '******5924' },
    });
    expect(await rehearsal.run(csv)).toMatchObject({ exitCode: 0, ledger: { count: 2 } });
  });

  test('moves nothing while rows are in doubt under it', async () => {
    await using rehearsal = await makeRehearsal({
      sandbox: { behaviours: [{ match: { amount: '7.00' }, money: 'untouched', reply: 'lost' }] },
      settle: { ...soonGivenUp.settle, resendsMax: 0 },
      verify: { onThaiNameMismatch: 'hold' },
      limits: { bahtPerPayout: 100 },
    });
    const csv = rowsOf(['7.00', '800.00']);
    expect((await rehearsal.run(csv)).results.map(({ status }) => status)).toEqual(['unresolved', 'held']);
    await rehearsal.correct({ bank: { payerAccount: '0000345925' } });
    expect(await rehearsal.run(csv)).toMatchObject({ exitCode: 6, ledger: { count: 0 } });
    const { rowsChanged, refusals } = await batchOf(rehearsal, 'resume');
    expect(rowsChanged).toBe(0);
    expect(inWords(refusals)).toEqual([expect.stringMatching(/in doubt under account \*{6}5924/)]);
  });
});

describe('settle', () => {
  test('inquires about what was left in doubt, due or not', async () => {
    await using rehearsal = await makeRehearsal({
      sandbox: { behaviours: [{ match: { amount: '7.00' }, money: 'moves-later', afterMs: 900 }] },
    });
    const first = await rehearsal.run(rowsOf(['7.00']), { waitMs: 100 });
    expect(first.exitCode).toBe(4);
    await expect
      .poll(() =>
        rehearsal.withSender(async (sender) => {
          await settleOnce(
            makeContext(sender, new AbortController().signal, () => {}),
            'all',
          );
          return sender.journal.countInDoubt();
        }),
      )
      .toBe(0);
  });
});

describe('an interrupt', () => {
  test('finishes what is in flight, and the same command goes on', async () => {
    await using rehearsal = await makeRehearsal({ sandbox: { latencyMs: 20 } });
    const csv = many(60);
    const interrupt = new AbortController();
    setTimeout(() => interrupt.abort(), 250);
    const first = await rehearsal.run(csv, { interrupted: interrupt.signal });
    expect(first.outcome.kind).toBe('interrupted');
    expect(first.ledger.count).toBeLessThan(60);
    const second = await rehearsal.run(csv);
    expect(second).toMatchObject({ exitCode: 0, ledger: { count: 60, amount: '600.00' } });
  });
});

describe('a payee check without an answer', () => {
  test('holds the row, and running the file again asks again', async () => {
    await using rehearsal = await makeRehearsal({
      sandbox: {
        behaviours: [
          { match: { proxyNo: '0890000058' }, endpoint: 'payeeCheck', reply: 'garbage', times: 3 },
        ],
      },
    });
    const csv = rowsOf(['7.00', '8.00']).replace('0812345678', '0890000058');
    const first = await rehearsal.run(csv);
    expect(first.exitCode).toBe(3);
    expect(first.results).toMatchObject([
      { status: 'held', reasonCode: 'unreadable-reply' },
      { status: 'paid' },
    ]);
    expect(await rehearsal.run(csv)).toMatchObject({ exitCode: 0, ledger: { count: 2 } });
  });
});
