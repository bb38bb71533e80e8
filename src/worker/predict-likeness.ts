/** Foresees the hold for payouts like one that was paid, or may have been (limits.similarDays). */
import { dayMs } from '../core/bangkok-time.ts';
import { makeDuplicateIndex } from '../core/duplicates.ts';
import type { GoodRow } from '../core/predict.ts';
import type { PredictContext } from './predict.ts';

/** Remembers what would be paid of a file, about 30 bytes a row, and only where the setting asks for it. */
export class LikePayments {
  readonly #context: PredictContext;
  readonly #index = makeDuplicateIndex();

  constructor(context: PredictContext) {
    this.#context = context;
  }

  /** True when the journal, or an earlier row that would be paid, has the same payee and amount. */
  async has({ rowNo, line, instruction }: GoodRow & { readonly rowNo: number }): Promise<boolean> {
    const { journal, companyId, similarDays, clock } = this.#context;
    if (similarDays === 0) return false;
    const { payoutId, proxyType, proxyNo, amountSatang } = instruction;
    const sinceMs = clock.now() - similarDays * dayMs;
    const likeness = { companyId, payoutId, proxyType, proxyNo, amountSatang, sinceMs };
    if ((await journal?.similarPayment(likeness)) !== undefined) return true;
    const key = `${proxyType} ${proxyNo} ${amountSatang}`;
    return this.#index.add({ rowNo, line, payoutId: key, cells: [], isValid: true }).kind !== 'new';
  }
}
