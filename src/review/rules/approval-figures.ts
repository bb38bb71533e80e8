/** The figures that the approver of a batch looks at: the sums, the payees and everything unusual. */
import type { Message } from '../../core/message.ts';
import { type Satang, toSatang, zeroSatang } from '../../core/money.ts';
import type { HoldReason, PayoutStatus } from '../../core/payout.ts';
import { maskDigits } from '../../core/proxy-id.ts';
import { type LimitFinding, settingOf } from '../../payout/rules/limits.ts';
import { WaitingDigest } from './approval.ts';
import type { CountedRow } from './proposal-figures.ts';

/** A batch, as the journal has it. */
interface FiguredBatch {
  readonly batchId: string;
  readonly fileName: string;
  readonly payerAccount: string;
  /** The number of people who must approve it; null for none. */
  readonly people: 1 | 2 | null;
  readonly digest: string | null;
  readonly versionsDigest: string | null;
  /** The reason why the whole batch is held as like another file; null when it is not. */
  readonly likeReason: Message | null;
}

/** A row of the batch, in the order of the file. */
export interface FiguredRow extends Omit<CountedRow, 'reasonCode'> {
  readonly payoutId: string | null;
  readonly payeeName: string | null;
  /** An approval releases the row. */
  readonly isWaiting: boolean;
  /** Another file paid its payee an equal amount shortly before. */
  readonly isLike: boolean;
}

export interface Figure {
  readonly rows: number;
  readonly amountSatang: Satang;
}

/** A row that is named to the approver. */
export interface NamedRow {
  readonly seq: number;
  readonly rowNo: number;
  readonly payoutId: string;
  /** The masked number. */
  readonly proxyNo: string;
  readonly payeeName: string | null;
  readonly amountSatang: Satang;
  readonly isNewPayee: boolean;
}

export interface ApprovalFigures {
  readonly batchId: string;
  readonly fileName: string;
  readonly people: 1 | 2 | null;
  /** The masked account. */
  readonly payerAccount: string;
  /** The digest of the waiting rows, named by an approval. `paydrop check FILE --digest` computes it from the file. */
  readonly digest: string;
  /** All rows that an approval releases, now or once their other holds end. */
  readonly approved: Figure;
  /** Rows that are paid as soon as they are approved. */
  readonly toPay: Figure;
  /** Rows with further holds, and the rows by hold; a row may have several. */
  readonly held: Figure;
  readonly holds: readonly (readonly [hold: HoldReason, rows: number])[];
  /** Rows that are not paid: rejected, unpayable, failed or cancelled. */
  readonly refused: Figure;
  /** Rows that were sent before, or are approved already. */
  readonly before: Figure;
  /** Waiting rows to payees who were never paid before; `payees` counts each payee once. */
  readonly newPayees: Figure & { readonly payees: number; readonly largest: readonly NamedRow[] };
  /** Waiting rows for which another file paid the same payee an equal amount shortly before; the first are named. */
  readonly like: Figure & { readonly first: readonly NamedRow[] };
  /** Rows among `toPay` that limits over time would hold if they were sent now. */
  readonly limited: Figure;
  /** The rows by setting; a row may exceed several. */
  readonly limitedBy: readonly (readonly [setting: string, rows: number])[];
  readonly likeReason: Message | null;
  readonly largest: readonly NamedRow[];
  /** The digest covers corrected rows, so that the file alone does not have it. */
  readonly isCorrected: boolean;
  /** Rows of the file with an instruction that do not wait; `check --digest` needs their numbers. */
  readonly leftOut: { readonly rows: number; readonly firstRowNos: readonly number[] };
}

/** The number of largest rows, and of rows like earlier payments, that are named. */
const largestMax = 5;
/** The number of left-out rows that are named. */
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

function nameRow({
  seq,
  rowNo,
  payoutId,
  proxyNo,
  payeeName,
  amountSatang,
  isNewPayee,
}: FiguredRow): NamedRow {
  const named = { payoutId: payoutId ?? '', proxyNo: maskDigits(proxyNo ?? ''), payeeName };
  return { seq, rowNo, ...named, amountSatang: toSatang(amountSatang ?? 0n), isNewPayee };
}

/** Keeps the largest rows so far; among equal amounts the earlier row. */
function keepLarge(largest: NamedRow[], row: FiguredRow): void {
  const amountSatang = toSatang(row.amountSatang ?? 0n);
  const last = largest.at(-1);
  if (largest.length === largestMax && last !== undefined && last.amountSatang >= amountSatang) return;
  const place = largest.findIndex((one) => one.amountSatang < amountSatang);
  largest.splice(place === -1 ? largest.length : place, 0, nameRow(row));
  largest.length = Math.min(largest.length, largestMax);
}

const hasOtherHolds = ({ holds }: FiguredRow): boolean => holds.some((hold) => hold !== 'approval');

/** True for a row that is paid as soon as it is approved. */
export const isToPay = (row: FiguredRow): boolean => row.isWaiting && !hasOtherHolds(row);

function count<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** Adds up the figures row by row; memory grows with the new payees alone. */
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
  readonly #largest: NamedRow[] = [];
  readonly #largestNew: NamedRow[] = [];
  readonly #firstLike: NamedRow[] = [];
  #leftOutRows = 0;
  readonly #leftOut: number[] = [];

  constructor(batch: FiguredBatch) {
    this.#batch = batch;
    this.#waiting = new WaitingDigest(batch);
  }

  /**
   * Adds a row, in the order of the file.
   * @param limited the limits over time that would hold the row, where it is to be paid (`isToPay`)
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
      keepLarge(this.#largestNew, row);
    }
    if (isLike) {
      this.#like.add(amountSatang);
      if (this.#firstLike.length < largestMax) this.#firstLike.push(nameRow(row));
    }
    keepLarge(this.#largest, row);
  }

  /** Ends the count. Called once. */
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
      newPayees: { ...this.#newRows.figure, payees: this.#newPayees.size, largest: this.#largestNew },
      like: { ...this.#like.figure, first: this.#firstLike },
      limited: this.#limited.figure,
      limitedBy: [...this.#limitedBy],
      likeReason: batch.likeReason,
      largest: this.#largest,
      isCorrected: batch.versionsDigest !== null,
      leftOut: { rows: this.#leftOutRows, firstRowNos: this.#leftOut },
    };
  }
}
