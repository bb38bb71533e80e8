/**
 * Limits over time: amounts submitted on one Bangkok day, payees never paid before, days without service. Each holds a
 * row, none rejects it. A payout counts on the day of its submission, from its intent until it is proved that no money
 * moved.
 */
import { joined, message, type Message } from '../../core/message.ts';
import { bangkokWeekday, formatBangkokDate } from '../../core/bangkok-time.ts';
import { move } from '../../core/change.ts';
import { showBaht, showCount } from '../../core/figures.ts';
import { parseBaht, type Satang, toSatang, zeroSatang } from '../../core/money.ts';
import type { HoldReason, Payout } from '../../core/payout.ts';
import type { Change, DayLimits } from '../../core/ports.ts';
import { mayBePaidStatuses } from './similar.ts';

/** The setting of each limit. */
export const settingOf: Readonly<Record<LimitFinding['code'], string>> = {
  'new-payee': 'limits.newPayeeBaht',
  'baht-per-day': 'limits.bahtPerDay',
  'payee-per-day': 'limits.bahtPerPayeePerDay',
  'files-per-day': 'limits.filesPerDay',
  'service-day': 'limits.serviceDays',
};

/** Findings that concern all rows of a file alike. */
export const fileWideCodes: readonly LimitFinding['code'][] = ['files-per-day', 'service-day'];

/** Weekdays in the order of `bangkokWeekday`. */
export const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
type Weekday = (typeof weekdays)[number];

/** The settings of `limits` about time. */
interface LimitSettings {
  readonly bahtPerDay: string;
  readonly bahtPerPayeePerDay: string;
  readonly filesPerDay: number;
  readonly newPayeeBaht: string;
  readonly serviceDays: readonly Weekday[];
  readonly closedDates: readonly string[];
}

export interface TimeLimits extends DayLimits {
  /** Amount above which a payee never paid before is held; null means at no amount. */
  readonly newPayeeSatang: Satang | null;
  /** Days on which payouts are sent; empty means every day. */
  readonly serviceDays: readonly Weekday[];
  /** YYYY-MM-DD; no payouts are sent on these days. */
  readonly closedDates: readonly string[];
}

/** Reads limits that the settings have checked; undefined when none is set. */
export function readTimeLimits(limits: LimitSettings): TimeLimits | undefined {
  const read: TimeLimits = {
    satangPerDay: toLimit(limits.bahtPerDay),
    satangPerPayeePerDay: toLimit(limits.bahtPerPayeePerDay),
    filesPerDay: limits.filesPerDay === 0 ? null : limits.filesPerDay,
    newPayeeSatang: toLimit(limits.newPayeeBaht),
    serviceDays: limits.serviceDays,
    closedDates: limits.closedDates,
  };
  const isAny = Object.values(read).some((limit) =>
    Array.isArray(limit) ? limit.length > 0 : limit !== null,
  );
  return isAny ? read : undefined;
}

function toLimit(baht: string): Satang | null {
  const amount = parseBaht(baht);
  if (amount === undefined) throw new Error('a limit that the settings have not checked');
  return amount === 0n ? null : amount;
}

/** "2026-11-21" in Bangkok. */
const showDay = (nowMs: number): string => formatBangkokDate(nowMs).replace(/(....)(..)(..)/, '$1-$2-$3');

// ---------------------------------------------------------------- what counts

/** The use of a day so far, as one file sees it. */
export interface DayUse {
  readonly satang: Satang;
  /** Files with rows that count. */
  readonly files: number;
  /** True when the file is among them. */
  readonly isFileCounted: boolean;
}

/** False for a row that people released in spite of the limits: it does not open its file for the other rows. */
export const countsItsFile = ({ acceptedHolds }: Pick<Payout, 'acceptedHolds'>): boolean =>
  !acceptedHolds.includes('day-limit');

/** The effect of a change on the use of a day. */
export interface UseMove {
  /** YYYYMMDD in Bangkok. */
  readonly date: string;
  readonly by: 1 | -1;
  readonly payout: Payout;
}

/** The day on which a payout counts; undefined for one that has moved no money. @forTests */
export const countedDate = ({ status, submittedAtMs }: Payout): string | undefined =>
  submittedAtMs === null || !mayBePaidStatuses.includes(status)
    ? undefined
    : formatBangkokDate(submittedAtMs);

/** The effect of a change on the days on which its payout counts. */
export function computeUseMoves({ before, after }: Pick<Change, 'before' | 'after'>): readonly UseMove[] {
  const [from, to] = [countedDate(before), countedDate(after)];
  if (from === to) return [];
  return [
    ...(from === undefined ? [] : [{ date: from, by: -1, payout: before } as const]),
    ...(to === undefined ? [] : [{ date: to, by: 1, payout: after } as const]),
  ];
}

// ---------------------------------------------------------------- holds

/** Why a limit holds a row. */
export interface LimitFinding {
  readonly hold: Extract<HoldReason, 'new-payee' | 'day-limit' | 'service-day'>;
  readonly code: 'new-payee' | 'baht-per-day' | 'payee-per-day' | 'files-per-day' | 'service-day';
  readonly text: Message;
}

/** The fields of a payout that limits apply to. */
export interface LimitedPayout extends Pick<Payout, 'acceptedHolds'> {
  readonly instruction: Pick<Payout['instruction'], 'proxyNo' | 'amountSatang'>;
}

/** The limits of the day for a payout; undefined without limits, or when people released it in spite of them. */
export function dayLimitsOf(
  limits: TimeLimits | undefined,
  { acceptedHolds }: Pick<Payout, 'acceptedHolds'>,
): DayLimits | undefined {
  if (limits === undefined || acceptedHolds.includes('day-limit')) return undefined;
  const { satangPerDay, satangPerPayeePerDay, filesPerDay } = limits;
  const isAny = satangPerDay !== null || satangPerPayeePerDay !== null || filesPerDay !== null;
  return isAny ? { satangPerDay, satangPerPayeePerDay, filesPerDay } : undefined;
}

/** True when a payout needs a payee who was paid before. */
export const needsKnownPayee = (
  limits: TimeLimits | undefined,
  { instruction, acceptedHolds }: LimitedPayout,
): boolean =>
  limits !== undefined &&
  limits.newPayeeSatang !== null &&
  instruction.amountSatang > limits.newPayeeSatang &&
  !acceptedHolds.includes('new-payee');

/** Limits of the day that a further payout would exceed. */
export function findDayExcess(
  limits: DayLimits,
  amountSatang: Satang,
  use: DayUse,
  payeeSatang: Satang,
  nowMs: number,
): readonly LimitFinding[] {
  const { satangPerDay, satangPerPayeePerDay, filesPerDay } = limits;
  const [ofDay, ofPayee] = [use.satang, payeeSatang].map((before) => toSatang(before + amountSatang)) as [
    Satang,
    Satang,
  ];
  const day = showDay(nowMs);
  const found: LimitFinding[] = [];
  const hold = (code: LimitFinding['code'], text: Message): void => {
    found.push({ hold: 'day-limit', code, text });
  };
  if (satangPerDay !== null && ofDay > satangPerDay)
    hold(
      'baht-per-day',
      message('limit.baht-per-day', { amount: showBaht(ofDay), day, limit: showBaht(satangPerDay) }),
    );
  if (satangPerPayeePerDay !== null && ofPayee > satangPerPayeePerDay)
    hold(
      'payee-per-day',
      message('limit.payee-per-day', {
        amount: showBaht(ofPayee),
        day,
        limit: showBaht(satangPerPayeePerDay),
      }),
    );
  if (filesPerDay !== null && !use.isFileCounted && use.files >= filesPerDay) {
    const code = use.files === 1 ? 'limit.file-per-day' : 'limit.files-per-day';
    hold('files-per-day', message(code, { files: showCount(use.files), day }));
  }
  return found;
}

/** Reason why no payouts are sent on a day; undefined on a day of service. */
function findClosedDay({ serviceDays, closedDates }: TimeLimits, nowMs: number): LimitFinding | undefined {
  const day = showDay(nowMs);
  const hold = 'service-day';
  if (closedDates.includes(day)) return { hold, code: hold, text: message('limit.closed-day', { day }) };
  const weekday = weekdays[bangkokWeekday(nowMs)];
  if (serviceDays.length === 0 || weekday === undefined || serviceDays.includes(weekday)) return undefined;
  return {
    hold,
    code: hold,
    text: message('limit.weekday', { weekday: message(`weekday.${weekday}`), day }),
  };
}

/** Facts about a payout and the day, for the limits. */
export interface LimitFacts {
  readonly use: DayUse;
  /** Use of that day by the payee. */
  readonly payeeSatang: Satang;
  /** True when a payout to the same number was proved paid before. */
  readonly isPayeeKnown: boolean;
}

/** Facts for limits that are not set. */
export const noFacts: LimitFacts = {
  use: { satang: zeroSatang, files: 0, isFileCounted: false },
  payeeSatang: zeroSatang,
  isPayeeKnown: true,
};

/** Every limit that a payout would exceed, without those that people released it from. */
export function findLimits(
  limits: TimeLimits,
  payout: LimitedPayout,
  { use, payeeSatang, isPayeeKnown }: LimitFacts,
  nowMs: number,
): readonly LimitFinding[] {
  const found: LimitFinding[] = [];
  if (needsKnownPayee(limits, payout) && !isPayeeKnown)
    found.push({ hold: 'new-payee', code: 'new-payee', text: describeNewPayee(limits.newPayeeSatang) });
  const ofDay = dayLimitsOf(limits, payout);
  if (ofDay !== undefined)
    found.push(...findDayExcess(ofDay, payout.instruction.amountSatang, use, payeeSatang, nowMs));
  const closed = payout.acceptedHolds.includes('service-day') ? undefined : findClosedDay(limits, nowMs);
  return closed === undefined ? found : [...found, closed];
}

const describeNewPayee = (limit: Satang | null): Message =>
  message('limit.new-payee', { limit: showBaht(limit ?? zeroSatang) });

/**
 * Holds a ready payout for each limit that it would exceed.
 * @param found at least one
 */
export function decideLimitHold(payout: Payout, found: readonly LimitFinding[], nowMs: number): Change {
  const holds = [...new Set([...payout.holds, ...found.map(({ hold }) => hold)])];
  const codes = found.map(({ code }) => code);
  const reason = joined(found.map(({ text }) => text));
  return move({
    payout,
    patch: { status: 'held', holds, reasonCode: codes[0] ?? null, reason },
    cause: 'hold-added',
    nowMs,
    detail: { hold: holds.filter((hold) => !payout.holds.includes(hold)).join(' '), code: codes.join(' ') },
  });
}
// ---------------------------------------------------------------- forecast

/** Forecasts which rows the limits would hold if they were sent one after another; uses about 100 bytes a payee. */
export class LimitForecast {
  readonly limits: TimeLimits;
  readonly #nowMs: number;
  #use: DayUse;
  readonly #payees = new Map<string, bigint>();

  /** @param use present use of the day on which the rows would be sent */
  constructor(limits: TimeLimits, use: DayUse, nowMs: number) {
    this.limits = limits;
    this.#use = use;
    this.#nowMs = nowMs;
  }

  /** Holds of the next row; a row without one counts from then on. */
  add(
    payout: LimitedPayout,
    known: Pick<LimitFacts, 'payeeSatang' | 'isPayeeKnown'>,
  ): readonly LimitFinding[] {
    const { proxyNo, amountSatang } = payout.instruction;
    const earlier = this.#payees.get(proxyNo) ?? 0n;
    const payeeSatang = toSatang(known.payeeSatang + earlier);
    const found = findLimits(this.limits, payout, { ...known, use: this.#use, payeeSatang }, this.#nowMs);
    if (found.length === 0) {
      const { satang, files, isFileCounted } = this.#use;
      this.#use = {
        satang: toSatang(satang + amountSatang),
        files: isFileCounted ? files : files + 1,
        isFileCounted: true,
      };
      if (this.limits.satangPerPayeePerDay !== null) this.#payees.set(proxyNo, earlier + amountSatang);
    }
    return found;
  }
}
