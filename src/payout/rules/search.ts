/** By what payouts are looked for, and how what a person has typed becomes that. */
import { readDay } from '../../core/bangkok-time.ts';
import { parseBaht, type Satang } from '../../core/money.ts';
import type { HoldReason, Payout, PayoutStatus } from '../../core/payout.ts';
import { maskNumbers } from '../../core/outgoing-text.ts';
import { readProxyId, unmaskedLength } from '../../core/proxy-id.ts';

/** A payee by the number, by how it ends (which is what screens show), or by a part of one of the names. */
export type PayeeWanted =
  | { readonly kind: 'number'; readonly proxyNo: string; readonly end: string }
  | { readonly kind: 'number-end'; readonly end: string }
  | { readonly kind: 'name'; readonly part: string };

export type MoneyMoved = 'no' | 'unknown' | 'yes';

/** Whatever is given must hold; what is left out holds for all. */
export interface PayoutFilter {
  /** One of these. */
  readonly statuses?: readonly PayoutStatus[];
  readonly hold?: HoldReason | undefined;
  readonly isAlarm?: boolean;
  readonly batchId?: string | undefined;
  /** payoutId, reference1 or reference2; or, through `ownerSeqs`, one that the bank knows. */
  readonly reference?: string | undefined;
  /** payoutId, or, through `ownerSeqs`, a reference that the bank knows: the names that screens never mask. */
  readonly ownName?: string | undefined;
  /** The rows whose attempts have this reference as transRefNo or sysRefNo. */
  readonly ownerSeqs?: readonly number[];
  readonly amountSatang?: Satang | undefined;
  readonly payee?: PayeeWanted | undefined;
  /** Of `placeInTime`: from here on. */
  readonly sinceMs?: number | undefined;
  /** And before this. */
  readonly untilMs?: number | undefined;
  /** It waits for a person who has not taken note of it. */
  readonly isWaiting?: boolean;
  /** What is known about its money, alarms considered. */
  readonly moneyMoved?: MoneyMoved | undefined;
  /** At least one of these lets it through. */
  readonly anyOf?: readonly PayoutFilter[] | undefined;
}

/** The moment by which a payout is listed: when it was sent, or, while it was not, when its file was taken in. */
export const placeInTime = (
  { submittedAtMs }: { readonly submittedAtMs: number | null },
  { startedAtMs }: { readonly startedAtMs: number },
): number => submittedAtMs ?? startedAtMs;

/** A hold is borne by what is held: said with its status, the search needs to look at nothing else. */
export const completeFilter = (filter: PayoutFilter): PayoutFilter =>
  filter.hold !== undefined && (filter.statuses ?? []).length === 0
    ? { ...filter, statuses: ['held'] }
    : filter;

/** What waits for a person, and is not only asked about. */
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
  /** One of these; of all when there are none. */
  readonly statuses: readonly PayoutStatus[];
  /** All of them wait for a person. */
  readonly isOpen: boolean;
}

/** Where to search: what waits for a person is few among many, and found without the rest. */
export function planSearch({ statuses = [], isAlarm, isWaiting }: PayoutFilter): readonly SearchedPayouts[] {
  if (isAlarm === true || isWaiting === true) return [{ statuses, isOpen: true }];
  if (statuses.length === 0) return [{ statuses, isOpen: false }];
  const open = statuses.filter((status) => openStatuses.includes(status));
  // Each in the order of its own index.
  const others = statuses.filter((status) => !openStatuses.includes(status));
  return [
    ...(open.length === 0 ? [] : [{ statuses: open, isOpen: true }]),
    ...others.map((status) => ({ statuses: [status], isOpen: false })),
  ];
}

/** Digits of a mobile number that are the same in all its writings. */
const mobileDigits = 9;

/** A number in any of its writings, its last digits with or without the mask before them, or a part of a name. */
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

/** How far a search reaches: to whole numbers, which is recorded, or to what screens show. */
export type SearchReach = 'whole' | 'shown';

/**
 * The payee as screens show one: a number by its last four digits, a name by its letters. Asked about further digits one by
 * one, a search would tell the whole number without a record. Undefined for a name with digits, which may hold a number.
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

/** Tells whether the payee is wanted by more than screens show. */
export const isBeyondMask = (wanted: PayeeWanted): boolean =>
  wanted.kind === 'number-end' ? wanted.end.length > unmaskedLength : maskPayee(wanted) !== wanted;

/** Tells whether screens mask the reference: it may be the number of a person or an account. */
export const isMaskedReference = (reference: string): boolean => maskNumbers(reference) !== reference;

/** Tells whether the text is the whole number of a payee. */
export const asksWholePayee = (text: string): boolean => parsePayee(text).kind === 'number';

/** Tells whether the text asks about a whole number, of a payee or as a reference. */
export const asksWholeNumber = (text: string): boolean =>
  asksWholePayee(text) || isMaskedReference(text.trim());

/** The payee that a text of the page means, within the reach; undefined when it can mean none. */
export function readPayee(text: string, reach: SearchReach): PayeeWanted | undefined {
  const wanted = parsePayee(text);
  return wanted.kind === 'number' && reach === 'whole' ? wanted : maskPayee(wanted);
}

/** What a person has typed into the one field of a search: a day, an amount, a number, a reference or a part of a name. */
export function parseSearch(text: string, reach: SearchReach): readonly PayoutFilter[] {
  const typed = text.trim();
  if (typed === '') return [];
  // Eight digits are the end of a payee's number before they are a day.
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
