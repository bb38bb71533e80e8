/**
 * Attempts read one by one, or a stretch at once where they are asked for nearly in the order in which they were made,
 * as a statement lists them: a search for each would cost twice the time.
 */
import type { AttemptKey } from '../core/ports.ts';

/** Attempts of one stretch. */
export const stretchRows = 256;
/** So few payouts further on is nearly in order: many transfers are under way at once. */
const nearness = 64;
/** Attempts of a payout are numbered below it. */
const attemptsBelow = 128;

const keyOf = ({ payoutSeq, attemptNo }: AttemptKey): number => payoutSeq * attemptsBelow + attemptNo;

export class ReadAhead<Row extends AttemptKey> {
  readonly #readOne: (place: AttemptKey) => Promise<Row | undefined>;
  readonly #readFrom: (payoutSeq: number) => Promise<readonly Row[]>;
  /** The latest stretch, and the one before, for those that come late. */
  #stretch = new Map<number, Row>();
  #earlier = new Map<number, Row>();
  /** The last payout of the latest stretch. */
  #endSeq = -Infinity;
  /** The last payout that was in no stretch. */
  #strayedSeq = -Infinity;

  /** @param readFrom the next `stretchRows` attempts of this payout and those after it, in their order */
  constructor(
    readOne: (place: AttemptKey) => Promise<Row | undefined>,
    readFrom: (payoutSeq: number) => Promise<readonly Row[]>,
  ) {
    this.#readOne = readOne;
    this.#readFrom = readFrom;
  }

  /** What was read ahead. */
  find(place: AttemptKey): Row | undefined {
    const key = keyOf(place);
    return this.#stretch.get(key) ?? this.#earlier.get(key);
  }

  /** One at a time is asked for. @returns undefined for one that is not there */
  async get(place: AttemptKey): Promise<Row | undefined> {
    const known = this.find(place);
    if (known !== undefined) return known;
    const fromSeq = this.#findStart(place.payoutSeq);
    if (fromSeq !== undefined) await this.#takeStretch(fromSeq);
    else this.#strayedSeq = place.payoutSeq;
    return this.#stretch.get(keyOf(place)) ?? this.#readOne(place);
  }

  /** Where the stretch begins that may serve this payout and those to come; undefined when it stands alone. */
  #findStart(payoutSeq: number): number | undefined {
    const isNear = (seq: number): boolean => payoutSeq > seq && payoutSeq - seq <= nearness;
    if (isNear(this.#endSeq)) return this.#endSeq + 1;
    return isNear(this.#strayedSeq) ? this.#strayedSeq + 1 : undefined;
  }

  async #takeStretch(fromSeq: number): Promise<void> {
    const rows = await this.#readFrom(fromSeq);
    this.#earlier = this.#stretch;
    this.#stretch = new Map(rows.map((row) => [keyOf(row), row]));
    // The last payout may have more attempts than the stretch has room for; those are read alone.
    this.#endSeq = rows.at(-1)?.payoutSeq ?? fromSeq;
  }
}
