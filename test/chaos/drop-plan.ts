/** The files that are dropped in a soak: what each holds, under which name, when and how it is dropped. */
import { createHash } from 'node:crypto';
import { toSatang } from '../../src/core/money.ts';
import { computeBatchId } from '../../src/core/reference.ts';
import type { Dice } from '../support/dice.ts';
import { breakFile, type Control, writeSidecar, writeTrailer } from './drop-broken.ts';
import { type PlannedRow, planRows, writeRows } from './plan.ts';

/** How a file comes into the inbox. */
type Manner =
  /** Under a temporary name that is then changed. */
  | 'renamed'
  /** In one go, under its own name. */
  | 'written'
  /** Over several seconds under its own name, in pieces with pauses. */
  | 'slow'
  /** Over several seconds under a temporary name. */
  | 'slow-temporary'
  /** Half of it in one go; the other half as soon as it has been claimed, through the same descriptor. */
  | 'late'
  /** The same, but only once its rows have been read. */
  | 'very-late';

/** When a duplicate is dropped. */
type Moment = 'beside its first' | 'when its first is taken' | 'when its first is done';

interface AnyDrop {
  readonly name: string;
  readonly bytes: Buffer;
  readonly sidecar: string | undefined;
  readonly manner: Manner;
}

export interface GoodDrop extends AnyDrop {
  readonly kind: 'good';
  readonly rows: readonly PlannedRow[];
  readonly batchId: string;
  /** Each row lacks its last cell, so none of its cells can be trusted: all are rejected, and no amount counts. */
  readonly isFrayed: boolean;
  /** The same bytes again. */
  readonly copies: readonly { readonly name: string; readonly moment: Moment }[];
}

interface BrokenDrop extends AnyDrop {
  readonly kind: 'broken';
  /** The code that its reason must give. */
  readonly code: string;
  readonly what: string;
}

/** Somebody goes on writing to it after it was claimed. */
export interface LateDrop extends AnyDrop {
  readonly kind: 'late';
  readonly rows: readonly PlannedRow[];
  /** Bytes that stand there when it is claimed: whole rows. */
  readonly bytesAtFirst: number;
}

export type PlannedDrop = GoodDrop | BrokenDrop | LateDrop;

export interface DropCounts {
  /** All files, duplicates too. */
  readonly files: number;
  readonly broken: number;
  readonly duplicates: number;
  readonly slow: number;
  /** Half of them write as soon as the file is claimed, the others once it has been read. */
  readonly late: number;
  readonly rowsMax: number;
  readonly control: Control;
}

export interface DropPlan extends DropCounts {
  readonly drops: readonly PlannedDrop[];
  /** Rows of all good files. */
  readonly rows: number;
}

export const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const cut = (name: string, bytes: number): string => Buffer.from(name).subarray(0, bytes).toString();

/** Names that a file system allows; each is a good file's. */
const strangeNames: readonly string[] = [
  'line\nbreak.csv',
  'two..dots..csv',
  `${'n'.repeat(251)}.csv`,
  `${cut('จ่าย'.repeat(40), 249)}ab.csv`,
  'จ่ายเงินเดือน พฤศจิกายน.csv',
  'payouts 💸👩‍👩‍👧.csv',
  ' blanks before and after ',
  '-rf.csv',
  '$(touch x);`y`.csv',
  'C:\\drop\\payouts.csv',
  '"quoted" and \'quoted\'.csv',
  'no ending',
  'UPPER.CSV',
  'two.endings.csv.csv',
  'x.csv.reason.txt',
  'tab\tand\rreturn.csv',
  '\u202egnp.csv',
  'CON.csv',
  '%2e%2e%2f.csv',
  'journal.json',
];

/** A share of the files bears one and the same name. */
const commonName = 'payouts.csv';
const commonEvery = 25;

/** The control file's name is longer, and longer still under its temporary name. */
const nameBytesMax = { none: 255, trailer: 255, sidecar: 236 } as const;

function nameGood(place: number, how: Control): string {
  const strange = strangeNames[Math.floor(place / 3)];
  if (place % 3 === 1 && strange !== undefined && Buffer.byteLength(strange) <= nameBytesMax[how])
    return strange;
  return place % commonEvery === 0 ? commonName : `payouts ${place}.csv`;
}

/** Many small files and few big ones, as shares of the largest: the share of files, and their sizes. */
const sizes: readonly (readonly [upTo: number, from: number, to: number])[] = [
  [0.7, 0, 0.01],
  [0.92, 0.005, 0.12],
  [0.99, 0.1, 0.5],
  [1, 0.5, 1],
];

function drawRows(place: number, rowsMax: number, dice: Dice): number {
  if (place === 0) return rowsMax;
  if (place === 1) return 1;
  const share = dice.between(0, 1);
  const [, from, to] = sizes.find(([upTo]) => share < upTo) ?? [1, 0, 0.01];
  return Math.max(1, Math.round(dice.between(from, to) * rowsMax));
}

function fray(rows: readonly PlannedRow[]): { rows: PlannedRow[]; text: string } {
  const frayed = rows.map((row): PlannedRow => ({ ...row, desk: '', endsAs: 'rejected', isFaulty: false }));
  return { rows: frayed, text: writeRows(frayed).replaceAll(/,\n/g, '\n') };
}

const faultShare = 0.25;

/** Leaves one fault of four: a bank that loses every thirtieth answer is only paid to slowly. */
function calm(rows: readonly PlannedRow[], dice: Dice): PlannedRow[] {
  return rows.map((row) => {
    if (!row.isFaulty || dice.between(0, 1) < faultShare) return row;
    const amountSatang = toSatang(BigInt(dice.whole(10_000, 500_000)));
    return { ...row, amountSatang, endsAs: 'paid', isFaulty: false };
  });
}

function planGood(place: number, prefix: string, counts: DropCounts, dice: Dice): GoodDrop {
  const planned = calm(planRows(drawRows(place, counts.rowsMax, dice), prefix, dice), dice);
  const isFrayed = place === 2 && counts.control === 'none';
  const { rows, text } = isFrayed ? fray(planned) : { rows: planned, text: writeRows(planned) };
  const { bytes, sidecar } = control(text, rows, counts.control);
  const manner = place % 2 === 0 ? 'renamed' : 'written';
  const batchId = computeBatchId(hashOf(bytes));
  return {
    kind: 'good',
    name: nameGood(place, counts.control),
    bytes,
    sidecar,
    manner,
    rows,
    batchId,
    isFrayed,
    copies: [],
  };
}

/** The text with what says that it is whole. */
function control(
  text: string,
  rows: readonly PlannedRow[],
  how: Control,
): { readonly bytes: Buffer; readonly sidecar: string | undefined } {
  const trailer = how === 'trailer' ? writeTrailer(rows) : '';
  return { bytes: Buffer.from(text + trailer), sidecar: how === 'sidecar' ? writeSidecar(rows) : undefined };
}

/** Rows that the bank pays at once, one and all. */
export const planSoundRows = (rows: number, prefix: string, dice: Dice): PlannedRow[] =>
  planRows(rows, prefix, dice).filter(({ endsAs, isFaulty }) => endsAs === 'paid' && !isFaulty);

const brokenRows = 12;

function planBroken(
  place: number,
  prefix: string,
  { rowsMax, control: how }: DropCounts,
  dice: Dice,
): BrokenDrop {
  const rows = planSoundRows(brokenRows, prefix, dice);
  const { bytes, sidecar, code, what } = breakFile(place, rows, rowsMax, how);
  const manner = place % 2 === 0 ? 'renamed' : 'written';
  return { kind: 'broken', name: `broken ${place}.csv`, bytes, sidecar, manner, code, what };
}

const lateRowsMax = 1_500;

function planLate(
  place: number,
  prefix: string,
  { rowsMax, control: how }: DropCounts,
  dice: Dice,
): LateDrop {
  const rows = planSoundRows(Math.min(rowsMax, lateRowsMax), prefix, dice);
  const { bytes, sidecar } = control(writeRows(rows), rows, how);
  const half = rows.slice(0, Math.ceil(rows.length / 2));
  const bytesAtFirst = Buffer.byteLength(writeRows(half));
  // Under control totals half a file is never read in.
  const manner = place % 2 === 0 || how !== 'none' ? 'late' : 'very-late';
  return { kind: 'late', name: `late ${place}.csv`, bytes, sidecar, manner, rows, bytesAtFirst };
}

const moments: readonly Moment[] = ['when its first is done', 'when its first is taken', 'beside its first'];

/** Some good files come slowly, others come again. */
function planManners(good: readonly GoodDrop[], { slow, duplicates }: DropCounts): GoodDrop[] {
  const every = Math.max(1, Math.floor(good.length / Math.max(1, slow + duplicates)));
  let [slowLeft, copiesLeft] = [slow, duplicates];
  return good.map((drop, place) => {
    if (place % every !== every - 1 || drop.name === commonName) return drop;
    if (slowLeft > 0 && (slowLeft >= copiesLeft || place % 2 === 0)) {
      slowLeft -= 1;
      return { ...drop, manner: slowLeft % 2 === 0 ? 'slow' : 'slow-temporary' };
    }
    if (copiesLeft === 0) return drop;
    copiesLeft -= 1;
    const moment = moments[copiesLeft % moments.length] ?? 'beside its first';
    return { ...drop, copies: [{ name: `again ${copiesLeft} ${drop.name}`.slice(0, 60), moment }] };
  });
}

/** Plans the files, in the order in which they are dropped. @param prefix begins each payoutId */
export function planDrops(counts: DropCounts, prefix: string, dice: Dice): DropPlan {
  const { files, broken, duplicates, late } = counts;
  const plan = <T>(letter: string, count: number, make: (place: number, prefix: string) => T): T[] =>
    Array.from({ length: count }, (_, place) => make(place, `${prefix}${letter}${place}`));
  const goodCount = files - broken - duplicates - late;
  const good = plan('G', goodCount, (place, own) => planGood(place, own, counts, dice));
  const drops = [
    ...planManners(good, counts),
    ...plan('B', broken, (place, own) => planBroken(place, own, counts, dice)),
    ...plan('L', late, (place, own) => planLate(place, own, counts, dice)),
  ];
  const rows = good.reduce((sum, { rows: own }) => sum + own.length, 0);
  return { ...counts, drops: dice.shuffle(drops), rows };
}
