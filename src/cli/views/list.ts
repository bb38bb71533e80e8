/** Output of `list`: a line for each payout, as wide as the terminal. */
import { inEnglishIfAny } from '../../core/message.ts';
import type { FoundPayout } from '../../app/list.ts';
import { formatBangkokMoment } from '../../core/bangkok-time.ts';
import { type Satang, sumSatang, zeroSatang } from '../../core/money.ts';
import { printable, showText, toLines } from '../../core/outgoing-text.ts';
import { maskDigits } from '../../core/proxy-id.ts';
import { viewOf } from '../../core/view.ts';
import { widthOf } from '../../core/wrap-text.ts';
import { placeInTime } from '../../payout/rules/search.ts';
import { describeReason, moneyMovedOf } from '../../reports/rules/report-rows.ts';
import { countOf, showBaht, showCount } from './amounts.ts';
import { alignColumns, cutText } from './shown.ts';

/** Widths from which time and payee fit, and from which the batch fits as well. */
export const [wideColumns, widestColumns] = [100, 140];

/** A column of a list. */
interface Column<Found> {
  readonly head: string;
  readonly cell: (found: Found) => string;
  /** Terminal width in columns from which it is shown. */
  readonly from?: number;
  /** Length in characters after which it is cut, on a wide terminal, too. */
  readonly max: number;
  readonly isRight?: boolean;
  /** True for paydrop's own name for a row, which is typed again: its digits are not masked. */
  readonly isId?: boolean;
}

const amountOf = ({ row }: FoundPayout): string =>
  row.amountSatang === null ? row.cells.amount : showBaht(row.amountSatang);

/** The payee's number, masked as on every screen. */
const proxyOf = ({ row }: FoundPayout): string => maskDigits(row.instruction?.proxyNo ?? row.cells.proxyNo);

const nameOf = ({ row }: FoundPayout): string =>
  row.bankPayeeName ?? row.bankPayeeNameTh ?? (row.instruction ?? row.cells).payeeName ?? '';

function whyOf({ row }: FoundPayout): string {
  if (row.status === 'paid' && !row.isAlarm) return '';
  const [code, reason] = describeReason(row);
  const why = [code, inEnglishIfAny(reason)].filter((text) => text !== '').join(': ');
  return row.isAlarm ? `ALARM ${why}` : why;
}

const columns: readonly Column<FoundPayout>[] = [
  {
    head: 'When',
    cell: ({ row, batch }) => formatBangkokMoment(placeInTime(row, batch)),
    from: wideColumns,
    max: 19,
  },
  { head: 'PayoutId', cell: ({ row }) => row.cells.payoutId, max: 20, isId: true },
  { head: 'Status', cell: ({ row }) => row.status, max: 10 },
  { head: 'Baht', cell: amountOf, max: 15, isRight: true },
  { head: 'Payee', cell: proxyOf, max: 13 },
  { head: 'Name', cell: nameOf, from: wideColumns, max: 20 },
  { head: 'Batch', cell: ({ batch }) => batch.batchId, from: widestColumns, max: 10 },
  { head: 'Why', cell: whyOf, max: Infinity },
];

/** A kind of row in a list. */
export interface ListKind<Found> {
  readonly columns: readonly Column<Found>[];
  readonly noun: 'payout' | 'registration';
  /** The word for its name in commands. */
  readonly idWord: string;
  /** Undefined where no money moves. */
  readonly satangOf?: (found: Found) => Satang | null;
}

/** Aligned lines, those of later pages as the first, and below them their number and sum. */
export class ListTable<Found> {
  readonly #kind: ListKind<Found>;
  readonly #shown: readonly Column<Found>[];
  readonly #width: number;
  #widths: readonly number[] = [];
  #rows = 0;
  #amount: Satang = zeroSatang;

  /** @param width of the terminal; without one all columns are shown, and none is cut */
  constructor(kind: ListKind<Found>, width: number | undefined) {
    this.#kind = kind;
    this.#width = width ?? Infinity;
    this.#shown = kind.columns.filter(({ from = 0 }) => from <= this.#width);
  }

  /** The lines of a page, the first page with its heads. */
  show(found: readonly Found[]) {
    const isFirst = this.#rows === 0;
    this.#rows += found.length;
    const { satangOf = () => null } = this.#kind;
    this.#amount = sumSatang([this.#amount, ...found.flatMap((one) => satangOf(one) ?? [])]);
    const isCut = this.#width !== Infinity;
    const cells = found.map((one) =>
      this.#shown.map(({ cell, max, isId }) => {
        const text = cell(one);
        return cutText(isId === true ? printable(text) : showText(text), isCut ? max : Infinity);
      }),
    );
    const table = isFirst ? [this.#shown.map(({ head }) => head), ...cells] : cells;
    this.#widths = this.#shown.map((_, place) =>
      Math.max(this.#widths[place] ?? 0, ...table.map((row) => widthOf(row[place] ?? ''))),
    );
    const right = [...this.#shown.keys()].filter((place) => this.#shown[place]?.isRight);
    const lines = alignColumns(table, right, this.#widths);
    return toLines(lines.map((line) => cutText(line.trimEnd(), this.#width)));
  }

  /** Text below the last page. @param isMore true when more rows exist than were asked for */
  end(isMore: boolean) {
    const { noun, idWord, satangOf } = this.#kind;
    const rows = this.#rows;
    if (rows === 0) return printable(`No ${noun} matches.`);
    const total = satangOf === undefined ? '' : `, ${showBaht(this.#amount)} baht`;
    return toLines([
      '',
      isMore
        ? `The newest ${showCount(rows)}${total}. More: --limit ${rows * 10}, or 0 for all.`
        : `${countOf(rows, noun)}${total}.`,
      `"paydrop show ${idWord}" tells the whole story of one, and what to type.`,
    ]);
  }
}

export const payoutList: ListKind<FoundPayout> = {
  columns,
  noun: 'payout',
  idWord: 'PAYOUT',
  satangOf: ({ row }) => row.amountSatang,
};

/** One payout of a list; numbers of payees are masked, the result file has them in full. */
export const foundPayoutView = viewOf<FoundPayout>()('payout of a list', {
  payoutId: ({ row }) => row.cells.payoutId,
  batchId: ({ batch }) => batch.batchId,
  file: ({ batch }) => batch.fileName,
  rowNo: ({ row }) => row.rowNo,
  status: ({ row }) => row.status,
  holds: ({ row }) => row.holds,
  isAlarm: ({ row }) => row.isAlarm,
  moneyMoved: ['text', 'whether money moved: no, unknown or yes', ({ row }) => moneyMovedOf(row)],
  amount: ({ row }) => row.amountSatang,
  proxyNo: ({ row }) => row.instruction?.proxyNo ?? row.cells.proxyNo,
  payeeName: ({ row }) => (row.instruction ?? row.cells).payeeName,
  bankPayeeName: ({ row }) => row.bankPayeeName,
  bankPayeeNameTh: ({ row }) => row.bankPayeeNameTh,
  reference1: ({ row }) => (row.instruction ?? row.cells).reference1,
  reference2: ({ row }) => (row.instruction ?? row.cells).reference2,
  reasonCode: ({ row }) => describeReason(row)[0],
  reason: [
    'foreign',
    'why it is so; empty without a reason',
    ({ row }) => inEnglishIfAny(describeReason(row)[1]),
  ],
  transRefNo: ({ row }) => row.transRefNo,
  sysRefNo: ({ row }) => row.sysRefNo,
  takenInAt: ({ batch }) => batch.startedAtMs,
  submittedAt: ({ row }) => row.submittedAtMs,
  settledAt: ({ row }) => row.settledAtMs,
});
