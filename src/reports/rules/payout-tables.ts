/** Payouts in tables for people and programs: the rows that need a person, their columns, and the texts of a workbook. */
import { inBoth, say, sayCode } from '../../core/message.ts';
import { showBaht, showCount } from '../../core/figures.ts';
import { type Satang, sumSatang, zeroSatang } from '../../core/money.ts';
import { holdReasons, type PayoutStatus, payoutStatuses } from '../../core/payout.ts';
import type { ResultRow } from '../../core/ports.ts';
import { bankStatuses } from '../../core/status-codes.ts';
import { decisionWords } from '../../review/rules/decision-words.ts';
import type { SheetTable } from './column-words.ts';
import { isException, moneyMovedOf, payoutLines } from './report-rows.ts';
import type { ReportTables } from './report-tables.ts';
import { type BookTally, type BookWords, listWord, summaryColumns } from './workbook.ts';

/** Rows of one status, and whether their money moved. */
interface TallyLine {
  readonly status: PayoutStatus;
  readonly moneyMoved: ReturnType<typeof moneyMovedOf>;
  readonly rows: number;
  readonly amountSatang: Satang;
}

/** Adds up payouts as they come. */
class StatusTally implements BookTally<Tallied> {
  readonly #lines = new Map<string, TallyLine>();

  add(row: Tallied): void {
    const moneyMoved = moneyMovedOf(row);
    const key = `${row.status} ${moneyMoved}`;
    const before = this.#lines.get(key);
    this.#lines.set(key, {
      status: row.status,
      moneyMoved,
      rows: (before?.rows ?? 0) + 1,
      amountSatang: sumSatang([before?.amountSatang ?? zeroSatang, row.amountSatang ?? zeroSatang]),
    });
  }

  /** Lines in the order of a payout's life. */
  #listLines(): readonly TallyLine[] {
    const placeOf = ({ status }: TallyLine): number => payoutStatuses.indexOf(status);
    return [...this.#lines.values()].toSorted(
      (one, other) => placeOf(one) - placeOf(other) || one.moneyMoved.localeCompare(other.moneyMoved),
    );
  }

  table(): Pick<SheetTable, 'columns' | 'rows'> {
    const lines = this.#listLines();
    const rows = lines.map(({ status, moneyMoved, rows: count, amountSatang }) => [
      `${status}\n${sayCode('th', `payout-meaning.${status}`)}`,
      `${moneyMoved}\n${sayCode('th', `money-meaning.${moneyMoved}`)}`,
      showCount(count),
      showBaht(amountSatang),
    ]);
    let count = 0;
    for (const line of lines) count += line.rows;
    const sum = showBaht(sumSatang(lines.map((line) => line.amountSatang)));
    const heads = (['column.status', 'column.moneyMoved', 'sheet.rows', 'column.amount'] as const).map(
      inBoth,
    );
    return {
      columns: summaryColumns,
      rows: [heads, ...rows, [inBoth('sheet.total'), '', showCount(count), sum]],
    };
  }
}

type Tallied = Pick<ResultRow, 'status' | 'isAlarm' | 'amountSatang'>;

// ---------------------------------------------------------------- words

const book: BookWords<ResultRow> = {
  idColumn: 'payoutId',
  // The bank's names stand beside the name in the file.
  beside: { payeeName: ['bankPayeeName', 'bankPayeeNameTh'] },
  decisions: decisionWords,
  lists: [
    ...payoutStatuses.map((status) => listWord(status, `payout-meaning.${status}`, 'status')),
    ...(['no', 'unknown', 'yes'] as const).map((moved) =>
      listWord(moved, `money-meaning.${moved}`, 'moneyMoved'),
    ),
    ...holdReasons.map((hold) => listWord(hold, `hold-reason.${hold}`, 'reasonCode')),
    ...bankStatuses.map(
      ({ code, remedy }) => [code, say('en', remedy), say('th', remedy), 'reasonCode'] as const,
    ),
    ...payoutStatuses.map((status) => listWord(status, `payout-remedy.${status}`, 'remedy')),
  ],
  howTo: [
    'how-to.payouts',
    'how-to.unknown-money',
    'how-to.yellow-columns',
    'how-to.payout-decisions',
    'how-to.payout-columns',
    'how-to.every-cell-is-text',
    'how-to.changed-rows',
  ],
  batch: 'sheet.payout-batch',
  openTally: () => new StatusTally(),
};

export const payoutTables: ReportTables<ResultRow> = { ...payoutLines, isException, book };
