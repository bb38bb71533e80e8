/**
 * Amounts that a comma has cut where commas separate the cells: unquoted, 18,500.00 becomes the cells 18 and 500.00,
 * and 99,95 becomes 99 and 95. Such a row can still have the right number of cells, if its empty last cell was left
 * out.
 */
import { listedInWords, message, type Message } from '../../core/message.ts';
import { showCount } from '../../core/figures.ts';

/** A record of a comma-delimited file. */
interface CommaRecord {
  readonly line: number;
  readonly cells: readonly string[];
  /** The places of the quoted cells, in order. */
  readonly quoted: readonly number[];
}

/** The fault of an amount that is, or may be, cut, with the cure. */
interface CutAmount {
  readonly line: number;
  readonly code: string;
  readonly message: Message;
}

/** Three digits followed by decimals, a minus or a currency end an amount, and no reference or code. */
const certainCut = /^\d{1,3}(?:,\d{3})+(?:\.\d{0,2}|(?=[^\d.,]))\s*(?:-|\p{Sc}|THB|baht|บาท)?(?=,|$)/iu;
const maybeCut = /^(?:\d{1,3},\d{3}|\d+,\d{1,2})(?=,|$)/;

/**
 * The probable amount before a comma cut it, from the unquoted cells that follow it.
 * @param place the place of the amount
 */
export function findUncut(
  { cells, quoted }: Omit<CommaRecord, 'line'>,
  place: number,
): { readonly uncut: string; readonly isSure: boolean } | undefined {
  const end = quoted.find((one) => one >= place) ?? cells.length;
  if (end === place || !/^\s*\d+\s*$/.test(cells[place] ?? '')) return undefined;
  const text = cells
    .slice(place, end)
    .map((cell) => cell.trim())
    .join(',');
  const [sure] = certainCut.exec(text) ?? [];
  const [uncut = sure] = sure === undefined ? (maybeCut.exec(text) ?? []) : [];
  return uncut === undefined ? undefined : { uncut, isSure: uncut === sure };
}

const amountPattern = /^(\d+)(\.\d+)?$/;

/** Amounts of a file that may be cut, all before thousands or all before decimals. */
class Doubt {
  #first: { readonly line: number; readonly amount: string; readonly uncut: string } | undefined;
  readonly #otherLines: number[] = [];
  #others = 0;

  add(line: number, amount: string, uncut: string): void {
    if (this.#first === undefined) {
      this.#first = { line, amount, uncut };
      return;
    }
    this.#others += 1;
    if (this.#otherLines.length < linesNamed) this.#otherLines.push(line);
  }

  #nameOtherLines(): Message {
    const lines = this.#otherLines.map(String);
    if (this.#others === 1) return message('file.line-named', { line: lines.join() });
    const rest = this.#others > linesNamed ? [message('list.others')] : [];
    return message('file.lines-named', { lines: listedInWords([...lines, ...rest]) });
  }

  /** Names every amount: correcting the first alone would remove the doubt about the rest. */
  explain(): CutAmount | undefined {
    if (this.#first === undefined) return undefined;
    const { line, amount, uncut } = this.#first;
    const whole = /,\d{3}$/.test(uncut) ? uncut.replaceAll(',', '') : uncut.replace(',', '.');
    const said = { uncut, whole, amount };
    const why =
      this.#others === 0
        ? message('file.amount-unclear', said)
        : message('file.amounts-unclear', {
            ...said,
            count: showCount(this.#others),
            lines: this.#nameOtherLines(),
          });
    return { line, code: 'amount-unclear', message: why };
  }
}

/** The limit of lines that are named; further ones are counted. */
const linesNamed = 10;

/** Examines the amounts of one comma-delimited file, in order. */
export class CutAmounts {
  readonly #thousands = new Doubt();
  readonly #decimals = new Doubt();
  /**
   * An amount of four digits disproves commas before thousands; an amount with a point disproves commas
   * before decimals.
   */
  #hasPlainThousands = false;
  #hasPlainDecimals = false;

  /** The amount of a record that is certainly cut; undefined for any other. @param place the place of the amount */
  take(record: CommaRecord, place: number): CutAmount | undefined {
    const cell = record.cells[place] ?? '';
    // Once the file has shown how it writes amounts, only amounts of one to three digits can be cut.
    if (this.#hasPlainThousands && this.#hasPlainDecimals && cell.length > 3) return undefined;
    const [amount, whole = '', decimals] = amountPattern.exec(cell.trim()) ?? [];
    if (amount === undefined) return undefined;
    this.#hasPlainThousands ||= whole.length > 3;
    this.#hasPlainDecimals ||= decimals !== undefined;
    if (decimals !== undefined) return undefined;
    const found = findUncut(record, place);
    if (found?.isSure === true) return explainCut(record.line, amount, found.uncut);
    if (found === undefined) return undefined;
    const doubt = /,\d{3}$/.test(found.uncut) ? this.#thousands : this.#decimals;
    doubt.add(record.line, amount, found.uncut);
    return undefined;
  }

  /** The first doubt, in a file without another amount that disproves such commas. */
  findUnclear(): CutAmount | undefined {
    const unclear = [
      this.#hasPlainThousands ? undefined : this.#thousands.explain(),
      this.#hasPlainDecimals ? undefined : this.#decimals.explain(),
    ];
    return unclear.flatMap((one) => one ?? []).toSorted((one, other) => one.line - other.line)[0];
  }
}

function explainCut(line: number, amount: string, uncut: string): CutAmount {
  return { line, code: 'amount-cut', message: message('issue.amount-cut', { uncut, amount }) };
}
