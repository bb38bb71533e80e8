/** The day in figures: money by outcome and by day, unknown money by age, and the progress of batches. */
import { dayMs, formatBangkokDate } from '../../core/bangkok-time.ts';
import { countRows, toBeSentStatuses } from '../../core/exit-code.ts';
import { type Satang, sumSatang } from '../../core/money.ts';
import { moneyMoved, type PayoutStatus } from '../../core/payout.ts';
import type { Batch, StatusTotal } from '../../core/ports.ts';
import { approvalCode } from '../../review/rules/approval.ts';

/** Money by what is known of it: `unknown` may have left the account, `none` did not, `wait` was not sent. */
export const outcomes = ['paid', 'unknown', 'none', 'wait'] as const;
export type Outcome = (typeof outcomes)[number];

export interface Figures {
  readonly rows: number;
  readonly amountSatang: Satang;
  /** Rows without an amount that can be read. */
  readonly unreadableAmounts: number;
}

export function addFigures(all: readonly Figures[]): Figures {
  let [rows, unreadableAmounts] = [0, 0];
  for (const one of all) {
    rows += one.rows;
    unreadableAmounts += one.unreadableAmounts;
  }
  return { rows, unreadableAmounts, amountSatang: sumSatang(all.map(({ amountSatang }) => amountSatang)) };
}

/** Rows of a batch that stand alike. */
export interface MoneyRows extends Figures {
  readonly batchId: string;
  readonly status: PayoutStatus;
  /** The bank contradicts the status, and no person has acknowledged it. */
  readonly isAlarm: boolean;
  /** Its holds. */
  readonly isForApproval: boolean;
  readonly isHalted: boolean;
  /** Bangkok day of the last send, YYYYMMDD; undefined before any. */
  readonly sentOn: string | undefined;
}

/** Rows whose outcome is unknown, by class of age: 0 is the youngest. */
export interface UnknownRows extends Figures {
  readonly age: number;
  /** True: paydrop asks the bank again by itself. */
  readonly isAsked: boolean;
}

/** Statuses of rows that may still be sent. */
const unsentStatuses: readonly PayoutStatus[] = ['staged', 'ready', 'held'];

/** A contradicted row is neither called paid nor called not paid. */
export function outcomeOf({ status, isAlarm }: Pick<MoneyRows, 'status' | 'isAlarm'>): Outcome {
  const moved = moneyMoved(status);
  if (isAlarm || moved === 'unknown') return 'unknown';
  if (moved === 'yes') return 'paid';
  return unsentStatuses.includes(status) ? 'wait' : 'none';
}

/** The reasons why a row is not sent yet. */
export const waitReasons = ['approval', 'halted', 'held', 'under-way'] as const;
type WaitReason = (typeof waitReasons)[number];

function waitOf({ status, isForApproval, isHalted }: MoneyRows, batch: Batch): WaitReason {
  if (isForApproval || (batch.status === 'paused' && batch.reasonCode === approvalCode)) return 'approval';
  if (isHalted || batch.status === 'halted') return 'halted';
  return status === 'held' ? 'held' : 'under-way';
}

/** The day of a row: of its send; an unsent row of a batch under way stands on today, another on the day of its file. */
function dayOf(rows: MoneyRows, batch: Batch, today: string): string {
  if (outcomeOf(rows) === 'wait' && isUnderWay(batch.status)) return today;
  return rows.sentOn ?? formatBangkokDate(batch.startedAtMs);
}

export interface DayMoney {
  /** YYYYMMDD. */
  readonly date: string;
  readonly byOutcome: Readonly<Record<Outcome, Figures>>;
  readonly byWait: Readonly<Record<WaitReason, Figures>>;
}

const groupFigures = <Key extends string>(
  keys: readonly Key[],
  rows: readonly MoneyRows[],
  keyOf: (one: MoneyRows) => Key | undefined,
): Readonly<Record<Key, Figures>> => {
  const groups = Map.groupBy(rows, keyOf);
  const entries = keys.map((key) => [key, addFigures(groups.get(key) ?? [])] as const);
  return Object.fromEntries(entries) as Record<Key, Figures>;
};

/** The money of each of these days. @param batches those of the rows */
export function sumDays(
  rows: readonly MoneyRows[],
  batches: ReadonlyMap<string, Batch>,
  dates: readonly string[],
  nowMs: number,
): readonly DayMoney[] {
  const today = formatBangkokDate(nowMs);
  const ofDate = Map.groupBy(rows, (one) => {
    const batch = batches.get(one.batchId);
    return batch && dayOf(one, batch, today);
  });
  return dates.map((date) => {
    const found = ofDate.get(date) ?? [];
    const waitReasonOf = (one: MoneyRows): WaitReason | undefined => {
      const batch = batches.get(one.batchId);
      return batch && outcomeOf(one) === 'wait' ? waitOf(one, batch) : undefined;
    };
    return {
      date,
      byOutcome: groupFigures(outcomes, found, outcomeOf),
      byWait: groupFigures(waitReasons, found, waitReasonOf),
    };
  });
}

/** The borders between the classes of age, in ms. */
export const unknownAges = [3_600_000, dayMs, 3 * dayMs] as const;

/** The figures of each class of age. */
export const sumAges = (rows: readonly UnknownRows[]): readonly Figures[] =>
  [0, 1, 2, 3].map((age) => addFigures(rows.filter((one) => one.age === age)));

// ---------------------------------------------------------------- money by status

/** Order of statuses: finished first, lost last. */
const statusOrder: readonly PayoutStatus[] = [
  'paid',
  'submitted',
  'unresolved',
  'ready',
  'staged',
  'held',
  'unpayable',
  'failed',
  'rejected',
  'cancelled',
  'disputed',
];

type MoneyInStatus = Pick<StatusTotal, 'status' | 'rows' | 'amountSatang' | 'unreadableAmounts'>;

/** Totals over several batches, in this order. */
export function addTotals(totals: readonly MoneyInStatus[]): readonly MoneyInStatus[] {
  return statusOrder.flatMap((status) => {
    const found = totals.filter((total) => total.status === status);
    if (found.length === 0) return [];
    const count = (of: 'rows' | 'unreadableAmounts') => found.reduce((sum, total) => sum + total[of], 0);
    const amountSatang = sumSatang(found.map((total) => total.amountSatang));
    return [{ status, rows: count('rows'), amountSatang, unreadableAmounts: count('unreadableAmounts') }];
  });
}

// ---------------------------------------------------------------- batches

export const isUnderWay = (status: Batch['status']): boolean => status !== 'done' && status !== 'rejected';

/** First sends of a batch among the latest events of the journal. */
export interface SendsSeen {
  readonly batchId: string;
  readonly sends: number;
  readonly firstMs: number;
  readonly lastMs: number;
}

export interface Progress {
  /** Recent first sends a minute; undefined while nothing is sent. */
  readonly perMinute: number | undefined;
  /** Time of the last send at that rate. */
  readonly endsAtMs: number | undefined;
}

/** Time in ms without a send after which a batch stands still. */
const quietMs = 60_000;
/** Fewest sends that give a rate. */
const sendsMin = 5;

/** The rate of a batch, and its expected end. */
export function computeProgress(
  totals: readonly Pick<StatusTotal, 'status' | 'rows'>[],
  sends: SendsSeen | undefined,
  nowMs: number,
): Progress {
  const perMs = sends === undefined ? undefined : rateOf(sends, nowMs);
  const perMinute = perMs === undefined ? undefined : Math.round(perMs * quietMs);
  const left = countRows(totals, toBeSentStatuses);
  const endsAtMs = perMs === undefined || left === 0 ? undefined : nowMs + Math.ceil(left / perMs);
  return { perMinute, endsAtMs };
}

function rateOf({ sends, firstMs, lastMs }: SendsSeen, nowMs: number): number | undefined {
  if (sends < sendsMin || nowMs - lastMs > quietMs || lastMs <= firstMs) return undefined;
  return (sends - 1) / (lastMs - firstMs);
}
