/**
 * Control totals: the partner's declaration of a file's content, in a trailer row (`TRAILER,<rows>,<total>`) or in a
 * separate file; for rows without amounts, their number alone. A difference rejects the whole file, because a row may
 * be lost or an amount cut short.
 */
import { showBaht, showCount } from '../../core/figures.ts';
import { counted, message, type Message } from '../../core/message.ts';
import { parseBaht, type Satang } from '../../core/money.ts';
import type { FileTotals } from '../../core/payout-file.ts';

export interface ControlTotals {
  readonly rows: number;
  /** Null for rows without amounts. */
  readonly totalSatang: Satang | null;
}

/** The content of the control totals of a kind of file. */
export type ControlForm = 'rows and total' | 'rows';

/** The counted totals of the rows; without amounts where rows have none. */
interface CountedTotals extends Partial<Omit<FileTotals, 'rows'>> {
  readonly rows: number;
  /** The line of the first unreadable amount; null when all are readable. */
  readonly unreadableLine?: number | null;
}

type ControlReading =
  | { readonly ok: true; readonly totals: ControlTotals }
  | { readonly ok: false; readonly code: string; readonly message: Message };

const failed = (why: Message): ControlReading => ({ ok: false, code: 'control-unreadable', message: why });

/** The digits of a row count, up to the largest that is read. */
const rowsPattern = /^\d{1,12}$/;

/** @param total null where no total is to be read */
function readTotals(rows: string, total: string | null, where: 'trailer' | 'file'): ControlReading {
  if (!rowsPattern.test(rows)) {
    return failed(message(`control.${where}-rows-unread`));
  }
  const totalSatang = total === null ? null : parseBaht(total);
  if (totalSatang === undefined) {
    return failed(message(`control.${where}-total-unread`));
  }
  return { ok: true, totals: { rows: Number(rows), totalSatang } };
}

/** Reads a trailer row: its mark, the number of rows and their total; empty cells may follow. */
export function readTrailer(cells: readonly string[], form: ControlForm): ControlReading {
  return form === 'rows' ? readRowsTrailer(cells) : readTotalTrailer(cells);
}

function readRowsTrailer(cells: readonly string[]): ControlReading {
  const [, rows = '', ...rest] = cells.map((cell) => cell.trim());
  if (rest.every((cell) => cell === '')) return readTotals(rows, null, 'trailer');
  return failed(message('control.more-than-rows'));
}

function readTotalTrailer(cells: readonly string[]): ControlReading {
  const [, rows = '', total = '', ...rest] = cells.map((cell) => cell.trim());
  if (rest.some((cell) => cell !== '')) {
    return failed(message('control.more-than-total'));
  }
  return readTotals(rows, total, 'trailer');
}

/** Reads the text of a control file: {"rows": 3, "total": "1234.50"}, possibly with other keys. */
export function readControlFile(text: string, form: ControlForm): ControlReading {
  const example = form === 'rows' ? '{"rows": 3}' : '{"rows": 3, "total": "1234.50"}';
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    return failed(message('control.no-json', { example }));
  }
  const { rows, total } = typeof content === 'object' && content !== null ? (content as Controls) : {};
  if (rows === undefined || (form !== 'rows' && total === undefined)) {
    return failed(message(form === 'rows' ? 'control.needs-rows' : 'control.needs-both', { example }));
  }
  if (typeof rows !== 'number' || !Number.isSafeInteger(rows)) {
    return failed(message('control.rows-not-whole', { example: '{"rows": 3, …}' }));
  }
  if (form === 'rows') return readTotals(String(rows), null, 'file');
  if (typeof total !== 'string') {
    return failed(message('control.total-not-text'));
  }
  return readTotals(String(rows), total, 'file');
}

interface Controls {
  readonly rows?: unknown;
  readonly total?: unknown;
}

/** Compares the declared with the counted totals; undefined when they agree. */
export function findControlMismatch(
  declared: ControlTotals,
  found: CountedTotals,
): { readonly code: string; readonly line: number | null; readonly message: Message } | undefined {
  if (declared.rows !== found.rows) {
    const why = message('control.rows-differ', {
      declared: counted(declared.rows, 'row'),
      rows: showCount(found.rows),
    });
    return { code: 'control-rows', line: null, message: why };
  }
  const { totalSatang = null, unreadableAmounts = 0, unreadableLine = null } = found;
  if (declared.totalSatang === null || totalSatang === null) return undefined;
  if (unreadableAmounts > 0) {
    const why = message('control.unproved', {
      amounts: counted(unreadableAmounts, 'amount'),
      total: showBaht(declared.totalSatang),
    });
    return { code: 'control-unproved', line: unreadableLine, message: why };
  }
  if (declared.totalSatang !== totalSatang) {
    const why = message('control.total-differs', {
      declared: showBaht(declared.totalSatang),
      total: showBaht(totalSatang),
    });
    return { code: 'control-total', line: null, message: why };
  }
  return undefined;
}

/** The words in the first cell of trailers, without punctuation. */
const trailerWords: ReadonlySet<string> = new Set(
  'TRAILER TRL TOTAL TOTALS GRANDTOTAL SUM FOOTER CONTROL END EOF รวม ยอดรวม รวมทั้งสิ้น รวมทั้งหมด'.split(' '),
);

/** The digits of a row count, fewer than those of a mobile or citizen number. */
const rowCountPattern = /^\d{1,7}$/;

/** The number of cells of a trailer: mark, rows, total. A row with so few columns may be a payment with a fault. */
const trailerCells = 3;

const beginsAsTrailer = (mark: string): boolean =>
  trailerWords.has(mark.toUpperCase().replaceAll(/[^\p{L}\p{M}]/gu, ''));

/**
 * Tells whether a row without amounts looks like a trailer: by its first word, or because it has nothing but the number
 * of the rows before it.
 */
export function looksLikeRowsTrailer(cells: readonly string[], rowsBefore: number): boolean {
  const [mark = '', ...rest] = cells.map((cell) => cell.trim());
  if (beginsAsTrailer(mark)) return true;
  const [rows = '', ...more] = rest.filter((cell) => cell !== '');
  return more.length === 0 && rowCountPattern.test(rows) && Number(rows) === rowsBefore;
}

/**
 * True when a row that is no payment looks like a trailer: by its first word, or because it has nothing but a row count
 * and an amount beside its mark; in a file of few columns, exactly those of the rows before it.
 * @param columns the number of columns in the header
 */
export function looksLikeTrailer(cells: readonly string[], before: FileTotals, columns: number): boolean {
  const [mark = '', ...rest] = cells.map((cell) => cell.trim());
  if (beginsAsTrailer(mark)) return true;
  const [one = '', other = '', ...more] = rest.filter((cell) => cell !== '');
  if (more.length > 0) return false;
  return [
    [one, other],
    [other, one],
  ].some(([rows = '', total = '']) => {
    const totalSatang = parseBaht(total.replaceAll(',', ''));
    if (!rowCountPattern.test(rows) || totalSatang === undefined) return false;
    return columns > trailerCells || (Number(rows) === before.rows && totalSatang === before.totalSatang);
  });
}
