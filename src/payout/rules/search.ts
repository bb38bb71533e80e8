/** Search of payouts: the filters, and how a typed text becomes a filter. */
import { readDay } from '../../core/bangkok-time.ts';
import { parseBaht, type Satang } from '../../core/money.ts';
import type { HoldReason, Payout, PayoutStatus } from '../../core/payout.ts';
import { maskNumbers } from '../../core/outgoing-text.ts';
import { readProxyId, unmaskedLength } from '../../core/proxy-id.ts';

/** A payee by number, by the end of the number (which screens show), or by a part of a name. */
export type PayeeWanted =
  | { readonly kind: 'number'; readonly proxyNo: string; readonly end: string }
  | { readonly kind: 'number-end'; readonly end: string }
  | { readonly kind: 'name'; readonly part: string };

export type MoneyMoved = 'no' | 'unknown' | 'yes';

/** A filter: every given member must match; a member left out matches all. */
export interface PayoutFilter {
  /** One of these statuses. */
  readonly statuses?: readonly PayoutStatus[];
  readonly hold?: HoldReason | undefined;
  /** One of these sets of holds, exactly. */
  readonly holdSets?: readonly (readonly HoldReason[])[];
  /** One of these causes: the code of the first issue of a rejected row, else that of the reason; empty without one. */
  readonly causes?: readonly string[] | undefined;
  /** Rows with an alarm, or those without; both when left out. */
  readonly isAlarm?: boolean | undefined;
  readonly batchId?: string | undefined;
  /** Rows of the batch by their numbers in its file, the first exclusive. */
  readonly rowNos?: { readonly after: number; readonly upTo: number } | undefined;
  /** payoutId, reference1 or reference2; or, by `ownerSeqs`, a reference that the bank knows. */
  readonly reference?: string | undefined;
  /** payoutId, or, by `ownerSeqs`, a reference that the bank knows: names that screens never mask. */
  readonly ownName?: string | undefined;
  /** Rows with an attempt that has this reference as transRefNo or sysRefNo. */
  readonly ownerSeqs?: readonly number[];
  readonly amountSatang?: Satang | undefined;
  readonly payee?: PayeeWanted | undefined;
  /** Earliest `placeInTime`, inclusive. */
  readonly sinceMs?: number | undefined;
  /** Latest `placeInTime`, exclusive. */
  readonly untilMs?: number | undefined;
  /** True: the payout waits for a person who has not acknowledged it. */
  readonly isWaiting?: boolean;
  /** Whether money moved, alarms considered. */
  readonly moneyMoved?: MoneyMoved | undefined;
  /** One of these batches. */
  readonly batchIds?: readonly string[] | undefined;
  /** One of these payouts. */
  readonly seqs?: readonly number[] | undefined;
  /** Bounds of the amount, both exclusive. */
  readonly aboveSatang?: Satang | undefined;
  readonly belowSatang?: Satang | undefined;
  /** Alternatives: at least one must match. */
  readonly anyOf?: readonly PayoutFilter[] | undefined;
}

/** The moment that orders payouts in lists: the submission, or before it the time at which the file was accepted. */
export const placeInTime = (
  { submittedAtMs }: { readonly submittedAtMs: number | null },
  { startedAtMs }: { readonly startedAtMs: number },
): number => submittedAtMs ?? startedAtMs;

/** The order of waiting payouts: the longest wait, the largest amount, or the payees by name first. */
export const waitingOrders = ['age', 'amount', 'payee'] as const;
export type WaitingOrder = (typeof waitingOrders)[number];

/** A place in a list: right after a row, or right before it; the beginning when undefined. */
export type WaitingPlace = { readonly side: 'after' | 'before'; readonly seq: number } | undefined;

/** Adds the status to a filter by hold, which only held payouts have: the search then reads nothing else. */
export const completeFilter = (filter: PayoutFilter): PayoutFilter =>
  filter.hold !== undefined && (filter.statuses ?? []).length === 0
    ? { ...filter, statuses: ['held'] }
    : filter;

/** Statuses that wait for a person, without those that are only inquired about. */
export const openStatuses: readonly PayoutStatus[] = [
  'held',
  'rejected',
  'unpayable',
  'failed',
  'unresolved',
  'disputed',
];

export const isOpen = ({ status, isAlarm }: Pick<Payout, 'status' | 'isAlarm'>): boolean =>
  isAlarm || openStatuses.includes(status);

/** Payouts that are searched together. */
export interface SearchedPayouts {
  /** One of these statuses; empty means all. */
  readonly statuses: readonly PayoutStatus[];
  /** True: all of them wait for a person. */
  readonly isOpen: boolean;
}

/** Plans the search: payouts that wait for a person are few, and found without the rest. */
export function planSearch({ statuses = [], isAlarm, isWaiting }: PayoutFilter): readonly SearchedPayouts[] {
  if (isAlarm === true || isWaiting === true) return [{ statuses, isOpen: true }];
  if (statuses.length === 0) return [{ statuses, isOpen: false }];
  const open = statuses.filter((status) => openStatuses.includes(status));
  // Each status in the order of its own index.
  const others = statuses.filter((status) => !openStatuses.includes(status));
  return [
    ...(open.length === 0 ? [] : [{ statuses: open, isOpen: true }]),
    ...others.map((status) => ({ statuses: [status], isOpen: false })),
  ];
}

/** Digits of a mobile number that all its forms share. */
const mobileDigits = 9;

/** Reads a number in any of its forms, its last digits with or without the mask before them, or a part of a name. */
export function parsePayee(text: string): PayeeWanted {
  const typed = text.trim();
  if (!/^[\d\s*+-]*\d$/.test(typed)) return { kind: 'name', part: typed };
  const digits = typed.replaceAll(/\D/g, '');
  for (const type of [undefined, 'MSISDN', 'NATID'] as const) {
    const reading = readProxyId(typed, type);
    if (!reading.ok) continue;
    const { proxyNo, proxyType } = reading;
    return { kind: 'number', proxyNo, end: proxyType === 'MSISDN' ? proxyNo.slice(-mobileDigits) : proxyNo };
  }
  return { kind: 'number-end', end: digits };
}

/** The reach of a search: whole numbers, which is recorded, or only what screens show. */
export type SearchReach = 'whole' | 'shown';

/**
 * The payee as screens show one: a number by its last four digits, a name by its letters. A search by ever more digits
 * would otherwise reveal the whole number without a record. Undefined for a name with digits, which may contain a
 * number.
 */
export function maskPayee(wanted: PayeeWanted): PayeeWanted | undefined {
  switch (wanted.kind) {
    case 'number':
    case 'number-end':
      return { kind: 'number-end', end: wanted.end.slice(-unmaskedLength) };
    case 'name':
      return /\p{Nd}/u.test(wanted.part) ? undefined : wanted;
  }
}

/** True when the text asks for more of the payee than screens show. */
export const isBeyondMask = (wanted: PayeeWanted): boolean =>
  wanted.kind === 'number-end' ? wanted.end.length > unmaskedLength : maskPayee(wanted) !== wanted;

/** True when screens mask the reference: it may be the number of a person or an account. */
export const isMaskedReference = (reference: string): boolean => maskNumbers(reference) !== reference;

/** True when the text is the whole number of a payee. */
export const asksWholePayee = (text: string): boolean => parsePayee(text).kind === 'number';

/** True when the text is a whole number, of a payee or as a reference. */
export const asksWholeNumber = (text: string): boolean =>
  asksWholePayee(text) || isMaskedReference(text.trim());

/** The payee that a text of the page means, within the reach; undefined when it cannot mean one. */
export function readPayee(text: string, reach: SearchReach): PayeeWanted | undefined {
  const wanted = parsePayee(text);
  return wanted.kind === 'number' && reach === 'whole' ? wanted : maskPayee(wanted);
}

/** Filters for the text of a search field: a day, an amount, a number, a reference or a part of a name. */
export function parseSearch(text: string, reach: SearchReach): readonly PayoutFilter[] {
  const typed = text.trim();
  if (typed === '') return [];
  // Eight digits without hyphens are read as the end of a payee's number, not as a day.
  const day = typed.includes('-') ? readDay(typed) : undefined;
  const amountSatang = parseBaht(typed.replaceAll(',', ''));
  const payee = readPayee(typed, reach);
  const isHidden = reach === 'shown' && isMaskedReference(typed);
  return [
    isHidden ? { ownName: typed } : { reference: typed },
    ...(payee === undefined ? [] : [{ payee }]),
    ...(day?.ok !== true ? [] : [{ sinceMs: day.startMs, untilMs: day.endMs }]),
    ...(amountSatang === undefined ? [] : [{ amountSatang }]),
  ];
}
