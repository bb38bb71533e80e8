/** Payout files: rows with an amount, which add up to a total. */
import { showBaht } from '../../core/figures.ts';
import { message } from '../../core/message.ts';
import { type Satang, toSatang, zeroSatang } from '../../core/money.ts';
import type { RowCells, RowColumn, SealTotals, StagedRow } from '../../core/payout-file.ts';
import { FileRejected } from '../../platform/csv/open.ts';
import type { PayoutFileReader } from '../ports.ts';
import { type ControlTotals, looksLikeTrailer } from '../rules/control-totals.ts';
import { fileColumns } from '../rules/file-columns.ts';
import { parseRow } from '../rules/row.ts';
import type { FileKind, FileLimits, FileOptions, RowCount } from './file-kind.ts';
import { makeFileReader } from './file-reader.ts';
import { requireControl } from './file-rows.ts';

/** @forTests */
export interface PayoutFileOptions extends FileOptions<RowColumn> {
  readonly limits: PayoutFileLimits;
}

/** The limits of a payout file; null stands for no limit. */
interface PayoutFileLimits extends FileLimits {
  /** The limit above which a payout is held. */
  readonly payoutSatangMax: Satang | null;
  /** The limit of the total above which the file is rejected. */
  readonly fileSatangMax: Satang | null;
}

/** The largest amount that a store with 64-bit integers can hold, far above any honest file. */
const storableSatangMax = 2n ** 63n - 1n;

class PayoutCount implements RowCount<StagedRow, SealTotals> {
  readonly #limits: PayoutFileLimits;
  rows = 0;
  totalSatang: Satang = zeroSatang;
  unreadableAmounts = 0;
  unreadableLine: number | null = null;

  constructor(limits: PayoutFileLimits) {
    this.#limits = limits;
  }

  add({ amountSatang, line }: StagedRow): void {
    this.rows += 1;
    if (amountSatang === null) {
      this.unreadableAmounts += 1;
      this.unreadableLine ??= line;
    } else this.totalSatang = toSatang(this.totalSatang + amountSatang);
  }

  isTrailer(cells: readonly string[], columns: number): boolean {
    return looksLikeTrailer(cells, this, columns);
  }

  requireControl(declared: ControlTotals, trailerLine: number | null): void {
    requireControl(declared, this, trailerLine);
  }

  end(conflictingRowNos: readonly number[]): SealTotals {
    const { rows, totalSatang, unreadableAmounts } = this;
    this.#requireLimit();
    return { rows, totalSatang, unreadableAmounts, conflictingRowNos };
  }

  #requireLimit(): void {
    const { totalSatang } = this;
    const { fileSatangMax } = this.#limits;
    const limit = fileSatangMax ?? toSatang(storableSatangMax);
    if (totalSatang <= limit) return;
    const name = fileSatangMax === null ? 'file.over-any-limit' : 'file.over-baht-limit';
    const why = message(name, { total: showBaht(totalSatang), most: showBaht(limit) });
    throw new FileRejected('total-over-limit', why);
  }
}

function pickCells(pick: (column: RowColumn) => string): RowCells {
  return {
    payoutId: pick('payoutId'),
    proxyType: pick('proxyType'),
    proxyNo: pick('proxyNo'),
    payeeName: pick('payeeName'),
    amount: pick('amount'),
    reference1: pick('reference1'),
    reference2: pick('reference2'),
  };
}

const payoutKind = (limits: PayoutFileLimits): FileKind<StagedRow, SealTotals> => ({
  columns: fileColumns.payout,
  maskedColumns: new Set<RowColumn>(['proxyNo']),
  control: 'rows and total',
  amountColumn: 'amount' satisfies RowColumn,
  pickCells,
  readRow({ rowNo, line, cells, extras }) {
    const { instruction, amountSatang, holds, issues } = parseRow(cells, line, limits);
    return { rowNo, line, cells, instruction, amountSatang, holds, issues, extras };
  },
  rejectRow: ({ rowNo, line, cells, extras }, issues) => ({
    rowNo,
    line,
    cells,
    instruction: null,
    amountSatang: null,
    holds: [],
    issues,
    extras,
  }),
  doubtCells: (row, columns) => (columns.includes('amount') ? { ...row, amountSatang: null } : row),
  count: () => new PayoutCount(limits),
});

/** Makes a reader of payout files with these settings. */
export const makePayoutFileReader = (options: PayoutFileOptions): PayoutFileReader =>
  makeFileReader(payoutKind(options.limits), options);
