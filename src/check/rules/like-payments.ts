/** Rows of one file that have payee and amount in common, found in little memory: about 60 bytes a row. */
import type { StagedRow } from '../../core/payout-file.ts';
import type { Instruction } from '../../core/payout.ts';
import { DuplicateIndex } from '../../intake/rules/duplicates.ts';

/**
 * How a payout stands to those that were paid, or would be, within `limits.similarDays`: nothing in common; payee and
 * amount, with a reference1 of its own, so that it is paid and told of; or the same payment for all that can be seen.
 */
export type Likeness = 'none' | 'other-reference' | 'same-payment';

interface PayingRow extends Pick<StagedRow, 'rowNo' | 'line'> {
  readonly instruction: Instruction;
}

export class LikePayments {
  readonly #seen = new DuplicateIndex();

  /** Remembers a row and says how it stands to the earlier ones. */
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
