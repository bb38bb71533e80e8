/** What the bank's own book says of a file: whether each of its payouts was paid once. */
import type { LedgerEntry } from '../../../src/sandbox/book.ts';

export interface LedgerVerdict {
  readonly once: number;
  readonly moreThanOnce: number;
  readonly never: number;
  /** Transfers that are none of the file's. */
  readonly strange: number;
}

/** What the bank is compared by; a file has each `reference1` once. */
export interface Owed {
  readonly reference1: string;
  /** Decimal baht with two digits. */
  readonly amount: string;
}

type Moved = Pick<LedgerEntry, 'reference1' | 'amount' | 'movedAt'>;

/** @param entries of the transfers since the file was begun; only moved money counts */
export function judgeLedger(entries: readonly Moved[], owed: readonly Owed[]): LedgerVerdict {
  const amounts = new Map(owed.map(({ reference1, amount }) => [reference1, amount]));
  const times = new Map<string, number>();
  let strange = 0;
  for (const { reference1, amount, movedAt } of entries) {
    if (movedAt === null) continue;
    if (amounts.get(reference1) === amount) times.set(reference1, (times.get(reference1) ?? 0) + 1);
    else strange += 1;
  }
  const once = [...times.values()].filter((count) => count === 1).length;
  return { once, moreThanOnce: times.size - once, never: amounts.size - times.size, strange };
}

/** "each once", or what is wrong. */
export function describeVerdict({ once, moreThanOnce, never, strange }: LedgerVerdict): string {
  const wrong = [
    ...(moreThanOnce > 0 ? [`${moreThanOnce} more than once`] : []),
    ...(never > 0 ? [`${never} never`] : []),
    ...(strange > 0 ? [`${strange} strange`] : []),
  ];
  return wrong.length > 0 ? `${once} once, ${wrong.join(', ')}` : 'each once';
}
