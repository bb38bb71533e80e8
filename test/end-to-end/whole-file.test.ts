import { describe, expect, test } from 'vitest';
import { formatBaht, parseBaht, sumSatang, zeroSatang } from '../../src/core/money.ts';
import { header, makeRehearsal } from '../support/rehearsal.ts';

const rowCount = 600;

/** Every fortieth row is broken; amounts differ. */
function makeRows(): { csv: string; total: string; broken: number } {
  const rows: string[] = [header];
  const amounts: string[] = [];
  for (let row = 1; row <= rowCount; row += 1) {
    const amount = `${(row % 977) + 1}.${String(row % 100).padStart(2, '0')}`;
    amounts.push(amount);
    const mobile = row % 40 === 0 ? '081234' : `08${String(10_000_000 + row)}`;
    rows.push(`P${row},MSISDN,${mobile},,${amount},R${row},`);
  }
  const total = formatBaht(sumSatang(amounts.map((amount) => parseBaht(amount) ?? zeroSatang)));
  return { csv: `${rows.join('\n')}\n`, total, broken: rowCount / 40 };
}

describe(`a file of ${rowCount} rows`, () => {
  test('has every row once in the result, adds up, and agrees with the bank’s ledger to the satang', async () => {
    await using rehearsal = await makeRehearsal({ transfer: { concurrency: 16 } });
    const { csv, total, broken } = makeRows();
    const { results, outcome, ledger, exceptions } = await rehearsal.run(csv);
    expect(results.map(({ rowNo }) => Number(rowNo))).toEqual(
      Array.from({ length: rowCount }, (_, at) => at + 1),
    );
    expect(exceptions).toHaveLength(broken);
    const amountOf = (status: string): string =>
      formatBaht(
        sumSatang(
          results
            .filter((row) => row['status'] === status)
            .map(({ amount = '' }) => parseBaht(amount) ?? zeroSatang),
        ),
      );
    expect(ledger).toMatchObject({ count: rowCount - broken, amount: amountOf('paid') });
    if (outcome.kind !== 'rested') throw new Error('the run did not come to rest');
    const { summary } = outcome.reports;
    expect(summary).toMatchObject({ addsUp: true, rows: rowCount, exceptionRows: broken, exitCode: 3 });
    expect(formatBaht(summary.amountSatang)).toBe(total);
  });
});
