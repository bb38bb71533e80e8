/** The look back at earlier files before an approval: the last file of the same name, and payments like this one's. */
import { type Satang, toSatang, zeroSatang } from '../../core/money.ts';
import type { PayoutStatus } from '../../core/payout.ts';

const thaiMonths =
  /(?:มกราคม|กุมภาพันธ์|มีนาคม|เมษายน|พฤษภาคม|มิถุนายน|กรกฎาคม|สิงหาคม|กันยายน|ตุลาคม|พฤศจิกายน|ธันวาคม)|(?:ม\.ค|ก\.พ|มี\.ค|เม\.ย|พ\.ค|มิ\.ย|ก\.ค|ส\.ค|ก\.ย|ต\.ค|พ\.ย|ธ\.ค)\.?/gu;
const englishMonth =
  /^(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)$/u;

/** The words of a file's name without dates, months, numbers and the ending: "salary" for "salary-november-2026.csv". @forTests */
export const stemOf = (fileName: string): string =>
  (
    fileName
      .normalize('NFC')
      .toLowerCase()
      .replace(/\.[a-z]{2,5}$/u, '')
      .replaceAll(thaiMonths, ' ')
      .match(/[\p{L}\p{M}]+/gu) ?? []
  )
    .filter((word) => !englishMonth.test(word))
    .join(' ');

/** A file that came in before. */
export interface EarlierFile {
  readonly batchId: string;
  readonly fileName: string;
  readonly startedAtMs: number;
}

/** The last file of the same name; files are listed with the latest first. Undefined for a first file of its name. */
export function findLastOfName<File extends EarlierFile>(
  fileName: string,
  earlier: readonly File[],
): File | undefined {
  const stem = stemOf(fileName);
  return stem === '' ? undefined : earlier.find((file) => stemOf(file.fileName) === stem);
}

/** The rows of one file that are not rejected or cancelled. */
interface FileSum {
  readonly payouts: number;
  readonly amountSatang: Satang;
  readonly largestSatang: Satang;
}

/** The parts of a difference between two files: payees who are new, gone, changed by over a fifth, and all others. */
export const changeKinds = ['new', 'gone', 'changed', 'other'] as const;
export type ChangeKind = (typeof changeKinds)[number];

/** Payees of one kind, and the part of the difference that they make. */
interface Change {
  readonly payees: number;
  readonly changeSatang: Satang;
}

/** A payee who gets over twice the amount of the last file. */
interface Grown {
  readonly seq: number;
  readonly rowNo: number;
  readonly payeeName: string | null;
  readonly nowSatang: Satang;
  readonly beforeSatang: Satang;
}

/** A file beside the last file of its name. The changes sum to the difference of the two. */
export interface Compared {
  readonly last: EarlierFile;
  readonly now: FileSum;
  readonly before: FileSum;
  readonly changes: Readonly<Record<ChangeKind, Change>>;
  /** Payees who get over twice as much; the first by their factor. */
  readonly grown: { readonly payees: number; readonly first: readonly Grown[] };
  /** The amount of the last file for the payees of the largest rows, by row; a row without one is left out. */
  readonly beforeBySeq: ReadonlyMap<number, Satang>;
}

/** A row of either file. */
export interface ComparedRow {
  readonly seq: number;
  readonly rowNo: number;
  readonly proxyNo: string | null;
  readonly payeeName: string | null;
  /** Null for an unreadable amount. */
  readonly amountSatang: bigint | null;
  readonly status: PayoutStatus;
}

const percent = 100n;
/** A change of more than this share is unusual, in percent. */
const unusualPercent = 20n;
/** Statuses of rows that no file pays. */
const neverPaid: readonly PayoutStatus[] = ['rejected', 'cancelled'];
/** The number of payees with grown amounts that are named. */
const grownMax = 3;
/** The number of largest rows whose amount before is read. */
const largestMax = 20;

/** One payee in both files; null in a file without this payee. */
interface Pair {
  now: bigint | null;
  before: bigint | null;
  row: ComparedRow;
}

/** Sorts the larger first. */
const byAmount = (one: bigint, other: bigint): number => (one === other ? 0 : one < other ? 1 : -1);

class Summed {
  payouts = 0;
  amountSatang = 0n;
  largestSatang = 0n;

  add(amountSatang: bigint): void {
    this.payouts += 1;
    this.amountSatang += amountSatang;
    if (amountSatang > this.largestSatang) this.largestSatang = amountSatang;
  }

  get sum(): FileSum {
    const { payouts, amountSatang, largestSatang } = this;
    return { payouts, amountSatang: toSatang(amountSatang), largestSatang: toSatang(largestSatang) };
  }
}

function kindOf({ now, before }: Pair): ChangeKind {
  if (before === null) return 'new';
  if (now === null) return 'gone';
  const change = now > before ? now - before : before - now;
  return change * percent > before * unusualPercent ? 'changed' : 'other';
}

const isGrown = ({ now, before }: Pair): boolean => now !== null && before !== null && now > 2n * before;

/** Adds the rows of two files, and compares them payee by payee; memory grows with the payees. */
export class Comparison {
  readonly #last: EarlierFile;
  readonly #pairs = new Map<string, Pair>();
  readonly #now = new Summed();
  readonly #before = new Summed();
  #largest: readonly ComparedRow[] = [];

  constructor(last: EarlierFile) {
    this.#last = last;
  }

  addNow(row: ComparedRow): void {
    const amount = this.#add(row, 'now', this.#now);
    const least = this.#largest[largestMax - 1]?.amountSatang ?? -1n;
    if (amount === undefined || amount <= least) return;
    this.#largest = [...this.#largest, row]
      .toSorted((one, other) => byAmount(one.amountSatang ?? 0n, other.amountSatang ?? 0n))
      .slice(0, largestMax);
  }

  addBefore(row: ComparedRow): void {
    this.#add(row, 'before', this.#before);
  }

  /** Ends the comparison; undefined for a last file without any row. Called once. */
  end(): Compared | undefined {
    if (this.#before.payouts === 0) return undefined;
    const pairs = [...this.#pairs.values()];
    const grown = pairs
      .filter(isGrown)
      .toSorted((one, other) =>
        byAmount((one.now ?? 0n) * (other.before ?? 0n), (other.now ?? 0n) * (one.before ?? 0n)),
      );
    return {
      last: this.#last,
      now: this.#now.sum,
      before: this.#before.sum,
      changes: sumChanges(pairs),
      grown: { payees: grown.length, first: grown.slice(0, grownMax).map(nameGrown) },
      beforeBySeq: new Map(
        this.#largest.flatMap(({ seq, proxyNo }) => {
          const before = this.#pairs.get(proxyNo ?? '')?.before ?? null;
          return before === null ? [] : [[seq, toSatang(before)] as const];
        }),
      ),
    };
  }

  #add(row: ComparedRow, side: 'now' | 'before', sum: Summed): bigint | undefined {
    const { proxyNo, amountSatang, status } = row;
    if (neverPaid.includes(status)) return undefined;
    const amount = amountSatang ?? 0n;
    sum.add(amount);
    const key = proxyNo ?? '';
    const known = this.#pairs.get(key) ?? { now: null, before: null, row };
    known[side] = (known[side] ?? 0n) + amount;
    if (side === 'now' && known.now === amount) known.row = row;
    this.#pairs.set(key, known);
    return amount;
  }
}

function nameGrown({ now, before, row: { seq, rowNo, payeeName } }: Pair): Grown {
  return { seq, rowNo, payeeName, nowSatang: toSatang(now ?? 0n), beforeSatang: toSatang(before ?? 0n) };
}

function sumChanges(pairs: readonly Pair[]): Record<ChangeKind, Change> {
  const none = { payees: 0, changeSatang: zeroSatang };
  const changes: Record<ChangeKind, Change> = { new: none, gone: none, changed: none, other: none };
  for (const pair of pairs) {
    const kind = kindOf(pair);
    const { payees, changeSatang } = changes[kind];
    const change = (pair.now ?? 0n) - (pair.before ?? 0n);
    changes[kind] = { payees: payees + 1, changeSatang: toSatang(changeSatang + change) };
  }
  return changes;
}

/** The payment that a row is like. */
export interface LikePayment {
  readonly seq: number;
  readonly fileName: string;
  readonly atMs: number;
}

export interface LookBack {
  /** Undefined for a first file of its name, and where the rows of the last one are archived. */
  readonly compared: Compared | undefined;
  /** The last file of the name, with archived rows. */
  readonly archived: EarlierFile | undefined;
  /** A file with exactly this name, of which rows were paid. */
  readonly sameName: EarlierFile | undefined;
  /** The latest earlier payment for each asked row. */
  readonly likes: ReadonlyMap<number, LikePayment>;
}

export const differenceOf = ({ now, before }: Pick<Compared, 'now' | 'before'>): Satang =>
  toSatang(now.amountSatang - before.amountSatang);

/** True for a total that is off by over a fifth of the last file. */
export function isTotalUnusual(compared: Pick<Compared, 'now' | 'before'>): boolean {
  const difference = differenceOf(compared);
  const size = difference < 0n ? -difference : difference;
  return size * percent > compared.before.amountSatang * unusualPercent;
}

/** The change in tenths of a percent of the amount before; undefined for nothing before. */
export function perMilleOf(now: bigint, before: bigint): number | undefined {
  if (before === 0n) return undefined;
  const perMille = 1_000n;
  const doubled = (2n * perMille * (now - before)) / before;
  return Math.round(Number(doubled) / 2);
}
