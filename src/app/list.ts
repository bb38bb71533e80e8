/** Lists payouts by what is known of them, beside whoever is sending. */
import type { FoundPayout, PayoutSearch } from '../payout/ports.ts';
import { completeFilter, type PayoutFilter } from '../payout/rules/search.ts';

export type { FoundPayout } from '../payout/ports.ts';

export interface ListedPage {
  readonly found: readonly FoundPayout[];
  /** It is the last one, and there are more that were not asked for. */
  readonly isMore: boolean;
}

/** Rows that are read at a time, so that memory stays flat. */
const pageRows = 500;

/** The newest payouts that the filter lets through, in pages. @param rowsMax how many; Infinity for all */
export async function* listPayouts(
  store: PayoutSearch,
  filter: PayoutFilter,
  rowsMax: number,
): AsyncGenerator<ListedPage> {
  const { reference } = filter;
  const ownerSeqs = reference === undefined ? [] : await store.findOwners(reference);
  const wanted = { ...completeFilter(filter), ownerSeqs };
  let beforeSeq = Number.MAX_SAFE_INTEGER;
  for (let left = rowsMax; ;) {
    const rows = Math.min(left, pageRows);
    const read = await store.searchPayouts(wanted, beforeSeq, rows + 1);
    const found = read.slice(0, rows);
    left -= found.length;
    const isMore = read.length > rows;
    yield { found, isMore: isMore && left === 0 };
    if (!isMore || left === 0) return;
    beforeSeq = found.at(-1)?.row.seq ?? 0;
  }
}
