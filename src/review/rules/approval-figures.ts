/** What whoever approves a batch looks at: what would be paid, to whom, and what is unusual about it. */
import { type Satang, toSatang, zeroSatang } from '../../core/money.ts';
import type { HoldReason, PayoutStatus } from '../../core/payout.ts';
import { maskDigits } from '../../core/proxy-id.ts';
import { type LimitFinding, settingOf } from '../../payout/rules/limits.ts';
import { WaitingDigest, type WaitingRow } from './approval.ts';

/** Of a batch, as the journal has it. */
export interface FiguredBatch {
  readonly batchId: string;
  readonly fileName: string;
  readonly payerAccount: string;
  /** How many people must approve it; null where nobody need. */
  readonly people: 1 | 2 | null;
  readonly digest: string | null;
  readonly versionsDigest: string | null;
  /** Why all of it is held as another file's; null when it is not. */
  readonly likeReason: string | null;
}

/** A row of it, in the order of the file. */
export interface FiguredRow extends Omit<WaitingRow, 'amountSatang'> {
  readonly seq: number;
  readonly payoutId: string | null;
  readonly proxyNo: string | null;
  readonly payeeName: string | null;
  /** Null where it cannot be read. */
  readonly amountSatang: bigint | null;
  readonly status: PayoutStatus;
  readonly holds: readonly HoldReason[];
  readonly acceptedHolds: readonly HoldReason[];
  /** An approval lets it go on. */
  readonly isWaiting: boolean;
  /** Nothing was ever paid to its payee. */
  readonly isNewPayee: boolean;
  /** Another file paid its payee as much a short time before. */
  readonly isLike: boolean;
}

export interface Figure {
  readonly rows: number;
  readonly amountSatang: Satang;
}

/** One of the largest. */
export interface LargeRow {
  readonly seq: number;
  readonly rowNo: number;
  readonly payoutId: string;
  /** Masked. */
  readonly proxyNo: string;
  readonly payeeName: string | null;
  readonly amountSatang: Satang;
  readonly isNewPayee: boolean;
}

export interface ApprovalFigures {
  readonly batchId: string;
  readonly fileName: string;
  readonly people: 1 | 2 | null;
  /** Masked. */
  readonly payerAccount: string;
  /** Of what waits: an approval names it. `paydrop check FILE --digest` computes the same from the file. */
  readonly digest: string;
  /** All that an approval lets be paid, at once or once nothing else holds it. */
  readonly approved: Figure;
  /** Would be paid as soon as it is approved. */
  readonly toPay: Figure;
  /** Waits for something else besides, by which hold; a row may have several. */
  readonly held: Figure;
  readonly holds: readonly (readonly [hold: HoldReason, rows: number])[];
  /** Is not paid: rejected, unpayable, failed or cancelled. */
  readonly refused: Figure;
  /** Was sent before, or is approved already. */
  readonly before: Figure;
  /** Of what waits: to payees who were never paid before, each counted once. */
  readonly newPayees: Figure & { readonly payees: number };
  /** Of what waits: as much as another file paid the same payee a short time before. */
  readonly like: Figure;
  /** Of what would be paid: what limits over time would hold, if it came up to be sent now. */
  readonly limited: Figure;
  /** By the setting; a row may pass several. */
  readonly limitedBy: readonly (readonly [setting: string, rows: number])[];
  readonly likeReason: string | null;
  readonly largest: readonly LargeRow[];
  /** The digest covers a row as it was corrected: the file alone does not have it. */
  readonly isCorrected: boolean;
  /** Rows of the file that ask for something and do not wait: `check --digest` is told of these. */
  readonly leftOut: { readonly rows: number; readonly firstRowNos: readonly number[] };
}

/** So many of the largest are named. */
const largestMax = 5;
/** Rows that are left out are named so far. */
const leftOutMax = 50;

const refusedStatuses: readonly PayoutStatus[] = ['rejected', 'unpayable', 'failed', 'cancelled'];

class Tally implements Figure {
  rows = 0;
  amountSatang = zeroSatang;

  add(amountSatang: bigint | null): void {
    this.rows += 1;
    this.amountSatang = toSatang(this.amountSatang + (amountSatang ?? 0n));
  }

  get figure(): Figure {
    return { rows: this.rows, amountSatang: this.amountSatang };
  }
}

/** The largest of those seen so far, the first of two that are as large. */
function keepLarge(largest: LargeRow[], row: FiguredRow): void {
  const amountSatang = toSatang(row.amountSatang ?? 0n);
  const last = largest.at(-1);
  if (largest.length === largestMax && last !== undefined && last.amountSatang >= amountSatang) return;
  const place = largest.findIndex((one) => one.amountSatang < amountSatang);
  const { seq, rowNo, payoutId, proxyNo, payeeName, isNewPayee } = row;
  const named = { payoutId: payoutId ?? '', proxyNo: maskDigits(proxyNo ?? ''), payeeName };
  const large = { seq, rowNo, ...named, amountSatang, isNewPayee };
  largest.splice(place === -1 ? largest.length : place, 0, large);
  largest.length = Math.min(largest.length, largestMax);
}

const hasOtherHolds = ({ holds }: FiguredRow): boolean => holds.some((hold) => hold !== 'approval');

/** True of a row that is paid as soon as it is approved. */
export const isToPay = (row: FiguredRow): boolean => row.isWaiting && !hasOtherHolds(row);

function count<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** Takes the figures of one row after the other; memory stays flat but for the payees who are new. */
export class Figures {
  readonly #batch: FiguredBatch;
  readonly #waiting: WaitingDigest;
  readonly #toPay = new Tally();
  readonly #held = new Tally();
  readonly #refused = new Tally();
  readonly #before = new Tally();
  readonly #newRows = new Tally();
  readonly #like = new Tally();
  readonly #limited = new Tally();
  readonly #limitedBy = new Map<string, number>();
  readonly #holds = new Map<HoldReason, number>();
  readonly #newPayees = new Set<string>();
  readonly #largest: LargeRow[] = [];
  #leftOutRows = 0;
  readonly #leftOut: number[] = [];

  constructor(batch: FiguredBatch) {
    this.#batch = batch;
    this.#waiting = new WaitingDigest(batch);
  }

  /**
   * In the order of the file.
   * @param limited what limits over time would hold it for, where it is to be paid (`isToPay`)
   */
  add(row: FiguredRow, limited: readonly LimitFinding[]): void {
    const { status, amountSatang, digest, rowNo } = row;
    if (row.isWaiting) {
      this.#addWaiting(row, limited);
      return;
    }
    (refusedStatuses.includes(status) ? this.#refused : this.#before).add(amountSatang);
    if (digest === null) return;
    this.#leftOutRows += 1;
    if (this.#leftOut.length < leftOutMax) this.#leftOut.push(rowNo);
  }

  #addWaiting(row: FiguredRow, limited: readonly LimitFinding[]): void {
    const { rowNo, amountSatang, digest, holds, proxyNo, isNewPayee, isLike } = row;
    this.#waiting.add({ rowNo, amountSatang: amountSatang ?? 0n, digest });
    (hasOtherHolds(row) ? this.#held : this.#toPay).add(amountSatang);
    if (limited.length > 0) this.#limited.add(amountSatang);
    for (const { code } of limited) count(this.#limitedBy, settingOf[code]);
    for (const hold of holds) if (hold !== 'approval') count(this.#holds, hold);
    if (isNewPayee) {
      this.#newRows.add(amountSatang);
      this.#newPayees.add(proxyNo ?? '');
    }
    if (isLike) this.#like.add(amountSatang);
    keepLarge(this.#largest, row);
  }

  /** Called once. */
  end(): ApprovalFigures {
    const batch = this.#batch;
    const { version: digest, rows, amountSatang } = this.#waiting.end();
    return {
      batchId: batch.batchId,
      fileName: batch.fileName,
      people: batch.people,
      payerAccount: maskDigits(batch.payerAccount),
      digest,
      approved: { rows, amountSatang },
      toPay: this.#toPay.figure,
      held: this.#held.figure,
      holds: [...this.#holds],
      refused: this.#refused.figure,
      before: this.#before.figure,
      newPayees: { ...this.#newRows.figure, payees: this.#newPayees.size },
      like: this.#like.figure,
      limited: this.#limited.figure,
      limitedBy: [...this.#limitedBy],
      likeReason: batch.likeReason,
      largest: this.#largest,
      isCorrected: batch.versionsDigest !== null,
      leftOut: { rows: this.#leftOutRows, firstRowNos: this.#leftOut },
    };
  }
}
