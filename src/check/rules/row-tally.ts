/** Sums of rows and amounts while a file is read. */
import { type Satang, toSatang, zeroSatang } from '../../core/money.ts';
import type { RowTotal } from '../../core/ports.ts';

export class RowTally implements RowTotal {
  rows = 0;
  amountSatang = zeroSatang;
  unreadableAmounts = 0;

  add(amountSatang: Satang | null): void {
    this.#count(amountSatang, 1);
  }

  /** Removes a row that was added. */
  remove(amountSatang: Satang | null): void {
    this.#count(amountSatang, -1);
  }

  #count(amountSatang: Satang | null, sign: 1 | -1): void {
    this.rows += sign;
    if (amountSatang === null) this.unreadableAmounts += sign;
    else this.amountSatang = toSatang(this.amountSatang + BigInt(sign) * amountSatang);
  }
}

/** The sum of totals without common rows. */
export function sumTotals(totals: readonly RowTotal[]): RowTally {
  const sum = new RowTally();
  for (const { rows, amountSatang, unreadableAmounts } of totals) {
    sum.rows += rows;
    sum.amountSatang = toSatang(sum.amountSatang + amountSatang);
    sum.unreadableAmounts += unreadableAmounts;
  }
  return sum;
}
