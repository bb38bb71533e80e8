/**
 * Reads attempts one by one, or in stretches when they are requested nearly in the order in which they were made, as in
 * a statement: a separate query for each would take twice the time.
 */
import type { AttemptKey } from '../core/ports.ts';

/** Attempts of one stretch. */
export const stretchRows = 256;
/** Distance in payouts that counts as nearly in order: many transfers are under way at once. */
const nearness = 64;
/** Upper limit of attempt numbers. */
const attemptsBelow = 128;

const keyOf = ({ payoutSeq, attemptNo }: AttemptKey): number => payoutSeq * attemptsBelow + attemptNo;

export class ReadAhead<Row extends AttemptKey> {
  readonly #readOne: (place: AttemptKey) => Promise<Row | undefined>;
  readonly #readFrom: (payoutSeq: number) => Promise<readonly Row[]>;
  /** The latest stretch, and the one before it, for late requests. */
  #stretch = new Map<number, Row>();
  #earlier = new Map<number, Row>();
  /** Last payout of the latest stretch. */
  #endSeq = -Infinity;
  /** Last payout outside any stretch. */
  #strayedSeq = -Infinity;

  /** @param readFrom reads the next `stretchRows` attempts of this payout and those after it, in order */
  constructor(
    readOne: (place: AttemptKey) => Promise<Row | undefined>,
    readFrom: (payoutSeq: number) => Promise<readonly Row[]>,
  ) {
    this.#readOne = readOne;
    this.#readFrom = readFrom;
  }

  /** An attempt that was read ahead. */
  find(place: AttemptKey): Row | undefined {
    const key = keyOf(place);
    return this.#stretch.get(key) ?? this.#earlier.get(key);
  }

  /**
   * Reads an attempt; call it again only after the previous one has returned.
   * @returns undefined when it does not exist
   */
  async get(place: AttemptKey): Promise<Row | undefined> {
    const known = this.find(place);
    if (known !== undefined) return known;
    const fromSeq = this.#findStart(place.payoutSeq);
    if (fromSeq !== undefined) await this.#takeStretch(fromSeq);
    else this.#strayedSeq = place.payoutSeq;
    return this.#stretch.get(keyOf(place)) ?? this.#readOne(place);
  }

  /** Start of a stretch for this payout and the following ones; undefined when it stands alone. */
  #findStart(payoutSeq: number): number | undefined {
    const isNear = (seq: number): boolean => payoutSeq > seq && payoutSeq - seq <= nearness;
    if (isNear(this.#endSeq)) return this.#endSeq + 1;
    return isNear(this.#strayedSeq) ? this.#strayedSeq + 1 : undefined;
  }

  async #takeStretch(fromSeq: number): Promise<void> {
    const rows = await this.#readFrom(fromSeq);
    this.#earlier = this.#stretch;
    this.#stretch = new Map(rows.map((row) => [keyOf(row), row]));
    // The last payout may have more attempts than fit into the stretch; the rest is read one by one.
    this.#endSeq = rows.at(-1)?.payoutSeq ?? fromSeq;
  }
}
