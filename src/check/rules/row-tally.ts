/** Rows and their amounts, added up as a file is read. */
import { type Satang, toSatang, zeroSatang } from '../../core/money.ts';

/** Rows, the total of their readable amounts, and how many amounts cannot be read. */
export interface RowTotal {
  readonly rows: number;
  readonly amountSatang: Satang;
  readonly unreadableAmounts: number;
}

const nothing: RowTotal = { rows: 0, amountSatang: zeroSatang, unreadableAmounts: 0 };

export class RowTally {
  #rows: number;
  #amountSatang: bigint;
  #unreadableAmounts: number;

  constructor({ rows, amountSatang, unreadableAmounts }: RowTotal = nothing) {
    this.#rows = rows;
    this.#amountSatang = amountSatang;
    this.#unreadableAmounts = unreadableAmounts;
  }

  add(amountSatang: Satang | null): void {
    this.#count(amountSatang, 1);
  }

  /** Takes back a row that was added. */
  remove(amountSatang: Satang | null): void {
    this.#count(amountSatang, -1);
  }

  #count(amountSatang: Satang | null, sign: 1 | -1): void {
    this.#rows += sign;
    if (amountSatang === null) this.#unreadableAmounts += sign;
    else this.#amountSatang += BigInt(sign) * amountSatang;
  }

  get total(): RowTotal {
    const amountSatang = toSatang(this.#amountSatang);
    return { rows: this.#rows, amountSatang, unreadableAmounts: this.#unreadableAmounts };
  }
}

/** The sum of totals that have no row in common. */
export function sumTotals(totals: readonly RowTotal[]): RowTotal {
  let rows = 0;
  let amountSatang: bigint = zeroSatang;
  let unreadableAmounts = 0;
  for (const total of totals) {
    rows += total.rows;
    amountSatang += total.amountSatang;
    unreadableAmounts += total.unreadableAmounts;
  }
  return { rows, amountSatang: toSatang(amountSatang), unreadableAmounts };
}
