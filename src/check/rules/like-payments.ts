/** Finds rows of one file with the same payee and amount; uses about 60 bytes a row. */
import type { StagedRow } from '../../core/payout-file.ts';
import type { Instruction } from '../../core/payout.ts';
import { DuplicateIndex } from '../../intake/rules/duplicates.ts';

/**
 * The likeness of a payout to those that were paid, or would be, within `limits.similarDays`: none; same payee and
 * amount with a different reference1, so that it is paid and reported; or apparently the same payment.
 */
export type Likeness = 'none' | 'other-reference' | 'same-payment';

interface PayingRow extends Pick<StagedRow, 'rowNo' | 'line'> {
  readonly instruction: Instruction;
}

export class LikePayments {
  readonly #seen = new DuplicateIndex();

  /** Adds a row, and returns its likeness to the earlier ones. */
  add({ rowNo, line, instruction }: PayingRow): Likeness {
    const { proxyType, proxyNo, amountSatang, reference1 } = instruction;
    const payment = `${proxyType} ${proxyNo} ${amountSatang}`;
    const isSeen = (what: string): boolean =>
      this.#seen.add({ rowNo, line, id: `${payment}${what}`, cells: [], isValid: true }).kind !== 'new';
    const isLike = isSeen('');
    const isSame = isSeen(reference1 === null ? ' bare' : ` by ${reference1}`);
    if (!isLike) return 'none';
    const isBare = reference1 === null || this.#seen.has(`${payment} bare`);
    return isSame || isBare ? 'same-payment' : 'other-reference';
  }
}
