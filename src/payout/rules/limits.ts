/**
 * Limits over time: what is submitted on one Bangkok day, payees never paid before, days on which nothing is sent. Each
 * holds a row, none rejects it. A payout counts on the day on which it was submitted, from its intent on, until it is
 * proved that no money moved.
 */
import { bangkokWeekday, formatBangkokDate } from '../../core/bangkok-time.ts';
import { move } from '../../core/change.ts';
import { countOf, showBaht } from '../../core/figures.ts';
import { parseBaht, type Satang, toSatang, zeroSatang } from '../../core/money.ts';
import type { HoldReason, Payout } from '../../core/payout.ts';
import type { Change, DayLimits } from '../../core/ports.ts';
import { mayBePaidStatuses } from './similar.ts';

/** The setting that says so. */
export const settingOf: Readonly<Record<LimitFinding['code'], string>> = {
  'new-payee': 'limits.newPayeeBaht',
  'baht-per-day': 'limits.bahtPerDay',
  'payee-per-day': 'limits.bahtPerPayeePerDay',
  'files-per-day': 'limits.filesPerDay',
  'service-day': 'limits.serviceDays',
};

/** Findings that are about all rows of a file alike. */
export const fileWideCodes: readonly LimitFinding['code'][] = ['files-per-day', 'service-day'];

/** In the order in which `bangkokWeekday` counts them. */
export const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
export type Weekday = (typeof weekdays)[number];

/** What of `limits` is about time, in the words of the settings. */
interface LimitSettings {
  readonly bahtPerDay: string;
  readonly bahtPerPayeePerDay: string;
  readonly filesPerDay: number;
  readonly newPayeeBaht: string;
  readonly serviceDays: readonly Weekday[];
  readonly closedDates: readonly string[];
}

export interface TimeLimits extends DayLimits {
  /** A payee never paid before is held above it; null means at no amount. */
  readonly newPayeeSatang: Satang | null;
  /** On which payouts are sent; on all where it is empty. */
  readonly serviceDays: readonly Weekday[];
  /** YYYY-MM-DD: nothing is sent on them. */
  readonly closedDates: readonly string[];
}

/** Reads limits that the settings have checked; undefined where none is set. */
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
  if (amount === undefined) throw new Error('a limit that nobody checked');
  return amount === 0n ? null : amount;
}

/** "2026-11-21" in Bangkok. */
const showDay = (nowMs: number): string => formatBangkokDate(nowMs).replace(/(....)(..)(..)/, '$1-$2-$3');

// ---------------------------------------------------------------- what counts

/** What counts on a day already, as one file sees it. */
export interface DayUse {
  readonly satang: Satang;
  /** Files of which anything counts. */
  readonly files: number;
  /** The file is one of them. */
  readonly isFileCounted: boolean;
}

/** What people let go on in spite of the limits opens no file for the rest of its rows. */
export const countsItsFile = ({ acceptedHolds }: Pick<Payout, 'acceptedHolds'>): boolean =>
  !acceptedHolds.includes('day-limit');

/** What a change adds to a day, or takes from it. */
export interface UseMove {
  /** YYYYMMDD in Bangkok. */
  readonly date: string;
  readonly by: 1 | -1;
  readonly payout: Payout;
}

/** The day on which a payout counts; undefined for one of which no money has moved. */
export const countedDate = ({ status, submittedAtMs }: Payout): string | undefined =>
  submittedAtMs === null || !mayBePaidStatuses.includes(status)
    ? undefined
    : formatBangkokDate(submittedAtMs);

/** What a change does to the days on which its payout counts. */
export function computeUseMoves({ before, after }: Pick<Change, 'before' | 'after'>): readonly UseMove[] {
  const [from, to] = [countedDate(before), countedDate(after)];
  if (from === to) return [];
  return [
    ...(from === undefined ? [] : [{ date: from, by: -1, payout: before } as const]),
    ...(to === undefined ? [] : [{ date: to, by: 1, payout: after } as const]),
  ];
}

// ---------------------------------------------------------------- what holds

/** Why a limit holds a row. */
export interface LimitFinding {
  readonly hold: Extract<HoldReason, 'new-payee' | 'day-limit' | 'service-day'>;
  readonly code: 'new-payee' | 'baht-per-day' | 'payee-per-day' | 'files-per-day' | 'service-day';
  readonly text: string;
}

/** All of a payout that a limit is held against. */
export interface LimitedPayout extends Pick<Payout, 'acceptedHolds'> {
  readonly instruction: Pick<Payout['instruction'], 'proxyNo' | 'amountSatang'>;
}

/** The limits of the day that a payout is to keep; undefined where there is none, or people let it go on in spite of them. */
export function dayLimitsOf(
  limits: TimeLimits | undefined,
  { acceptedHolds }: Pick<Payout, 'acceptedHolds'>,
): DayLimits | undefined {
  if (limits === undefined || acceptedHolds.includes('day-limit')) return undefined;
  const { satangPerDay, satangPerPayeePerDay, filesPerDay } = limits;
  const isAny = satangPerDay !== null || satangPerPayeePerDay !== null || filesPerDay !== null;
  return isAny ? { satangPerDay, satangPerPayeePerDay, filesPerDay } : undefined;
}

/** True when a payout is to be paid only to a payee who was paid before. */
export const needsKnownPayee = (
  limits: TimeLimits | undefined,
  { instruction, acceptedHolds }: LimitedPayout,
): boolean =>
  limits !== undefined &&
  limits.newPayeeSatang !== null &&
  instruction.amountSatang > limits.newPayeeSatang &&
  !acceptedHolds.includes('new-payee');

/** Which limits of the day a further payout would pass. */
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
  const found: LimitFinding[] = [];
  const hold = (code: LimitFinding['code'], text: string): void => {
    found.push({ hold: 'day-limit', code, text });
  };
  if (satangPerDay !== null && ofDay > satangPerDay)
    hold(
      'baht-per-day',
      `with it ${showBaht(ofDay)} baht would be sent on ${showDay(nowMs)}, more than ${showBaht(satangPerDay)} (limits.bahtPerDay)`,
    );
  if (satangPerPayeePerDay !== null && ofPayee > satangPerPayeePerDay)
    hold(
      'payee-per-day',
      `with it ${showBaht(ofPayee)} baht would be sent to this payee on ${showDay(nowMs)}, more than ${showBaht(satangPerPayeePerDay)} (limits.bahtPerPayeePerDay)`,
    );
  if (filesPerDay !== null && !use.isFileCounted && use.files >= filesPerDay) {
    const files = countOf(use.files, 'other file was', 'other files were');
    hold('files-per-day', `${files} paid from on ${showDay(nowMs)}, as many as limits.filesPerDay allows`);
  }
  return found;
}

/** Why nothing is sent on a day; undefined when it is a day on which payouts are sent. */
function findClosedDay({ serviceDays, closedDates }: TimeLimits, nowMs: number): LimitFinding | undefined {
  const day = showDay(nowMs);
  const hold = 'service-day';
  if (closedDates.includes(day))
    return { hold, code: hold, text: `${day} is a day on which nothing is sent (limits.closedDates)` };
  const weekday = weekdays[bangkokWeekday(nowMs)];
  if (serviceDays.length === 0 || weekday === undefined || serviceDays.includes(weekday)) return undefined;
  return {
    hold,
    code: hold,
    text: `nothing is sent on a ${weekday}, and ${day} is one (limits.serviceDays)`,
  };
}

/** What is known about a payout and the day when it is held against the limits. */
export interface LimitFacts {
  readonly use: DayUse;
  /** What counts of its payee on that day. */
  readonly payeeSatang: Satang;
  /** A payout to the same number was proved paid before. */
  readonly isPayeeKnown: boolean;
}

/** Of what nobody asks for. */
export const noFacts: LimitFacts = {
  use: { satang: zeroSatang, files: 0, isFileCounted: false },
  payeeSatang: zeroSatang,
  isPayeeKnown: true,
};

/** Every limit that a payout would pass, but for those in spite of which people let it go on. */
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

const describeNewPayee = (limit: Satang | null): string =>
  `nobody was proved paid under this number before, and it is above ${showBaht(limit ?? zeroSatang)} baht (limits.newPayeeBaht)`;

/** Holds a ready payout for each limit that it would pass; @param found at least one */
export function decideLimitHold(payout: Payout, found: readonly LimitFinding[], nowMs: number): Change {
  const holds = [...new Set([...payout.holds, ...found.map(({ hold }) => hold)])];
  const codes = found.map(({ code }) => code);
  const reason = found.map(({ text }) => text).join('; ');
  return move({
    payout,
    patch: { status: 'held', holds, reasonCode: codes[0] ?? null, reason },
    cause: 'hold-added',
    nowMs,
    detail: { hold: holds.filter((hold) => !payout.holds.includes(hold)).join(' '), code: codes.join(' ') },
  });
}
// ---------------------------------------------------------------- before it is sent

/** Foresees what the limits would hold of rows that are sent one after another; about 100 bytes a payee. */
export class LimitForecast {
  readonly limits: TimeLimits;
  readonly #nowMs: number;
  #use: DayUse;
  readonly #payees = new Map<string, bigint>();

  /** @param use what counts already on the day on which they would be sent */
  constructor(limits: TimeLimits, use: DayUse, nowMs: number) {
    this.limits = limits;
    this.#use = use;
    this.#nowMs = nowMs;
  }

  /** What would hold the next row; one that nothing holds counts from then on. */
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
