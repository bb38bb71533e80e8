/** The day in figures: money by status, batches under way, and the persons that work waits for. */
import { isSameBangkokDay } from '../../core/bangkok-time.ts';
import { countRows, toBeSentStatuses } from '../../core/exit-code.ts';
import { sumSatang } from '../../core/money.ts';
import { finalStatuses, type PayoutStatus } from '../../core/payout.ts';
import type { Batch, StatusTotal } from '../../core/ports.ts';
import { findCheckObstacle, type Person } from '../../review/rules/people.ts';

/** Order of the bar: finished first, lost last. */
const barOrder: readonly PayoutStatus[] = [
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

export type MoneyInStatus = Pick<StatusTotal, 'status' | 'rows' | 'amountSatang' | 'unreadableAmounts'>;

/** Totals over several batches, in the order of the bar. */
export function addTotals(totals: readonly MoneyInStatus[]): readonly MoneyInStatus[] {
  return barOrder.flatMap((status) => {
    const found = totals.filter((total) => total.status === status);
    if (found.length === 0) return [];
    const count = (of: 'rows' | 'unreadableAmounts') => found.reduce((sum, total) => sum + total[of], 0);
    const amountSatang = sumSatang(found.map((total) => total.amountSatang));
    return [{ status, rows: count('rows'), amountSatang, unreadableAmounts: count('unreadableAmounts') }];
  });
}

/** A piece of a bar, in hundredths of its length. */
interface Piece {
  readonly status: PayoutStatus;
  readonly start: number;
  readonly width: number;
}

/** Least visible width of a piece. */
const widthMin = 1;
const [whole, steps] = [100, 10_000n];

/** Divides the bar by amounts; a status without money has no piece. */
export function divideBar(money: readonly MoneyInStatus[]): readonly Piece[] {
  const shown = money.filter(({ amountSatang }) => amountSatang > 0n);
  const all = sumSatang(shown.map(({ amountSatang }) => amountSatang));
  const pieces: Piece[] = [];
  let start = 0;
  for (const { status, amountSatang } of shown) {
    const hundredths = (amountSatang * steps) / all;
    const share = Number(hundredths) / Number(steps);
    const width = widthMin + share * (whole - widthMin * shown.length);
    pieces.push({ status, start, width });
    start += width;
  }
  return pieces;
}

// ---------------------------------------------------------------- batches

/** True for a batch that is under way, or of this day. */
export const isOfToday = ({ status, startedAtMs }: Batch, nowMs: number): boolean =>
  isUnderWay(status) || isSameBangkokDay(startedAtMs, nowMs);

export const isUnderWay = (status: Batch['status']): boolean => status !== 'done' && status !== 'rejected';

/** First sends of a batch among the latest events of the journal. */
export interface SendsSeen {
  readonly batchId: string;
  readonly sends: number;
  readonly firstMs: number;
  readonly lastMs: number;
}

export interface Progress {
  readonly rows: number;
  /** Rows with a known outcome. */
  readonly rowsEnded: number;
  /** Recent first sends a minute; undefined while nothing is sent. */
  readonly perMinute: number | undefined;
  /** Time of the last send at that rate. */
  readonly endsAtMs: number | undefined;
}

/** Time in ms without a send after which a batch stands still. */
const quietMs = 60_000;
/** Fewest sends that give a rate. */
const sendsMin = 5;

/** The progress of a batch, and its expected end. */
export function computeProgress(
  totals: readonly Pick<StatusTotal, 'status' | 'rows'>[],
  sends: SendsSeen | undefined,
  nowMs: number,
): Progress {
  const rows = totals.reduce((sum, total) => sum + total.rows, 0);
  const rowsEnded = countRows(totals, finalStatuses);
  const perMs = sends === undefined ? undefined : rateOf(sends, nowMs);
  const perMinute = perMs === undefined ? undefined : Math.round(perMs * quietMs);
  const left = countRows(totals, toBeSentStatuses);
  const endsAtMs = perMs === undefined || left === 0 ? undefined : nowMs + Math.ceil(left / perMs);
  return { rows, rowsEnded, perMinute, endsAtMs };
}

function rateOf({ sends, firstMs, lastMs }: SendsSeen, nowMs: number): number | undefined {
  if (sends < sendsMin || nowMs - lastMs > quietMs || lastMs <= firstMs) return undefined;
  return (sends - 1) / (lastMs - firstMs);
}

// ---------------------------------------------------------------- waiting work

interface Proposed {
  readonly makerId: number | null;
}

/** Number of proposals that this person may check now, and number of their own. */
export function countChecks(
  proposals: readonly Proposed[],
  person: Person,
  people: readonly Person[],
): { readonly mine: number; readonly forMe: number } {
  const makers = new Map(people.map((one) => [one.personId, one]));
  const mine = proposals.filter(({ makerId }) => makerId === person.personId).length;
  const forMe = proposals.filter(({ makerId }) => {
    const maker = makers.get(makerId ?? 0);
    return maker !== undefined && findCheckObstacle(person, maker, people) === undefined;
  }).length;
  return { mine, forMe };
}
