/** No funds early in a large file, against the sandbox bank over HTTP. */
import { describe, expect, test } from 'vitest';
import { makeRehearsal, rowsOf } from '../support/rehearsal.ts';

const manyRows = (rows: number): string => rowsOf(Array.from({ length: rows }, () => '10.00'));

describe('no funds at row 3 of 10,000', () => {
  test('costs at most as many refused transfers as there are at once', async () => {
    await using rehearsal = await makeRehearsal({ transfer: { concurrency: 4 }, verify: { enabled: false } });
    rehearsal.bank.control({ payerBalanceBaht: '20.00' });
    const { results, exceptions, exitCode, ledger } = await rehearsal.run(manyRows(10_000));
    expect([exitCode, ledger.count, results.length, exceptions.length]).toEqual([6, 2, 10_000, 9_998]);
    expect(rehearsal.bank.ledger().requests.transfer - 2).toBeLessThanOrEqual(4);
    const untold = exceptions.filter(
      ({ reasonCode, remedy = '' }) =>
        reasonCode !== 'EM053' || !/Fund the payer account.*"paydrop resume"/.test(remedy),
    );
    expect(untold).toEqual([]);
  });
});

describe('a bank that asks us to slow down', () => {
  test('is obeyed, and the summary says so', async () => {
    await using rehearsal = await makeRehearsal({
      transfer: { concurrency: 8 },
      sandbox: {
        behaviours: [
          { match: { amount: '7.00' }, money: 'untouched', reply: 'http', httpStatus: 429, times: 3 },
        ],
      },
    });
    const { outcome, exitCode } = await rehearsal.run(rowsOf(['1.00', '7.00', '2.00', '3.00']), {
      waitMs: 20_000,
    });
    expect(exitCode).toBe(0);
    expect(outcome).toMatchObject({ kind: 'rested', pace: { ceiling: 8, why: 'HTTP 429' } });
  });
});
