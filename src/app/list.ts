/** Lists payouts by a filter, alongside the sender. */
import type { FoundPayout, PayoutSearch } from '../payout/ports.ts';
import { completeFilter, type PayoutFilter } from '../payout/rules/search.ts';

export type { FoundPayout } from '../payout/ports.ts';

interface ListedPage {
  readonly found: readonly FoundPayout[];
  /** True on the last page when more payouts exist than were asked for. */
  readonly isMore: boolean;
}

/** Rows read at a time, so that memory stays flat. */
const pageRows = 500;

/** The newest payouts that match the filter, in pages. @param rowsMax largest number of rows; Infinity for all */
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
