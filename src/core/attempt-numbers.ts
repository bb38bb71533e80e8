/**
 * The number of the next send of a payoutId (design: "Attempts and sends"). Numbers are never burnt: the next one is
 * used only after the bank has shown a failed item for the one before. The numbers that the bank knows are therefore
 * contiguous, and a search after a loss of the journal finds the last of them.
 */
import { type Attempt, openAttemptStatuses, type TransferOrder } from './payout.ts';
import { attemptsMax, readAttemptNumber } from './reference.ts';

/** An earlier send with its identical repetitions, as far as it affects the next one. */
type EarlierSend = Pick<
  Attempt,
  'order' | 'status' | 'acknowledged' | 'sends' | 'refusals' | 'unprovenRefusals' | 'hasFailedItem'
>;

/** A send without its reference. */
export type SendContent = Omit<TransferOrder, 'transRefNo'>;

export type NextNumber =
  | { readonly kind: 'free'; readonly number: number }
  /** The bank may have completed, or may yet complete, this reference. */
  | { readonly kind: 'open'; readonly transRefNo: string }
  /**
   * The bank holds this reference and has shown no failed item for it: the reference is never sent again, on no day.
   */
  | { readonly kind: 'kept'; readonly transRefNo: string }
  /** The bank may have processed this reference on another day, or with other content: a person decides. */
  | { readonly kind: 'undecided'; readonly transRefNo: string }
  | { readonly kind: 'used-up' };

/** True for an attempt that the bank may have completed, or may yet complete. */
export const isOpenAttempt = ({ status }: Pick<Attempt, 'status'>): boolean =>
  openAttemptStatuses.includes(status);

/** True when no send of the attempt took effect: each ended in a refusal that bore our requestUID, or left no byte. */
export const isProvenUnsent = ({ sends, refusals }: Pick<Attempt, 'sends' | 'refusals'>): boolean =>
  sends === refusals;

/** Fields by which the bank tells one payment from another: all of an order but its number and its time. */
const contentKeys = [
  'channelId',
  'companyId',
  'payerAccount',
  'proxyType',
  'proxyNo',
  'proxyName',
  'amountText',
  'reference1',
  'reference2',
] as const satisfies readonly (keyof SendContent)[];

/** True when both pay the same payee the same amount, from the same account, with the same texts. */
export const isSameContent = (one: SendContent, other: SendContent): boolean =>
  contentKeys.every((key) => one[key] === other[key]);

/** True when the bank would refuse one as a duplicate of the other (§4 rule 2), and both have the same content. */
const isDuplicateFor = (one: SendContent, other: SendContent): boolean =>
  one.tranDate === other.tranDate && one.termId === other.termId && isSameContent(one, other);

/** True when the number of this send may go again with `next`, without a decision. */
function goesAgain(send: EarlierSend, next: SendContent): boolean {
  const isRefused = send.sends === send.refusals + send.unprovenRefusals;
  return isProvenUnsent(send) || (isRefused && isDuplicateFor(send.order, next));
}

/**
 * Decides the number of the next send.
 * @param earlier every send of the payoutId, over all files, each freshly inquired
 * @param next content of the next send
 * @param isDecided a person has decided that the same number goes again for this row
 */
export function decideNextNumber(
  earlier: readonly EarlierSend[],
  next: SendContent,
  isDecided: boolean,
): NextNumber {
  const open = earlier.find(isOpenAttempt);
  if (open !== undefined) return { kind: 'open', transRefNo: open.order.transRefNo };
  const highest = Math.max(0, ...earlier.map(({ order }) => readAttemptNumber(order.transRefNo)));
  const latest = earlier.filter(({ order }) => readAttemptNumber(order.transRefNo) === highest);
  const [one] = latest;
  if (one === undefined) return { kind: 'free', number: 1 };
  const { transRefNo } = one.order;
  if (latest.some((send) => send.acknowledged && !send.hasFailedItem)) return { kind: 'kept', transRefNo };
  const isShownFailed = latest.some(({ hasFailedItem }) => hasFailedItem);
  // A send of unknown outcome beside a failed one can still complete under this number.
  const isClear = isShownFailed
    ? latest.every((send) => send.hasFailedItem || isProvenUnsent(send))
    : latest.every((send) => goesAgain(send, next));
  if (!isClear && !isDecided) return { kind: 'undecided', transRefNo };
  if (!isShownFailed) return { kind: 'free', number: highest };
  return highest < attemptsMax ? { kind: 'free', number: highest + 1 } : { kind: 'used-up' };
}
