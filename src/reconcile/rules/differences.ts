/** Compares one line of a statement with one attempt: whether it is ours, and the differences. */
import { hash } from 'node:crypto';
import { decodeMessage, listed, message, type Message } from '../../core/message.ts';
import { dayMs, formatBangkokDate, parseBangkokDate } from '../../core/bangkok-time.ts';
import { showBaht } from '../../core/figures.ts';
import { parseBaht, type Satang, toSatang, zeroSatang } from '../../core/money.ts';
import type { ProxyType } from '../../core/payout.ts';
import { maskDigits, readProxyId } from '../../core/proxy-id.ts';
import { showDate } from '../../payout/rules/lost-journal.ts';
import { maskForeignNumbers } from '../../core/outgoing-text.ts';
import { blankLine, type StatementLine } from './statement.ts';
import type { AttemptFacts, BreakKind, LineBreakKind } from './types.ts';

/** The form of references from `computeTransRefNo`. */
const ownReference = /^PD[0-9A-HJKMNP-TV-Z]{16}\d{2}$/;

/** True for a transRefNo that this program, for any company, may have made. */
export function isOwnReference(transRefNo: string): boolean {
  return ownReference.test(transRefNo);
}

/**
 * False for a line that may belong to any transfer: a cell is unreadable, and its reference, which may be damaged, too,
 * is not one of ours.
 */
export const isPlaced = ({ fault, transRefNo }: StatementLine): boolean =>
  fault === '' || isOwnReference(transRefNo);

/**
 * Key that joins lines: the transRefNo. A line without one has the bank's reference as its key, else a digest of its
 * content. The line's place is not part of it, since a corrected statement has new numbers, except for a line that may
 * belong to any transfer, which is its own key. No such key can equal a transRefNo: it contains a colon.
 */
export function lineKeyOf(line: StatementLine): string {
  if (line.transRefNo !== '' && isPlaced(line)) return line.transRefNo;
  if (line.sysRefNo !== '' && isPlaced(line)) return `sys:${line.sysRefNo}`;
  const { effectiveDate, effectiveTime, companyId, payerAccount, proxyType, proxyNo, statusText } = line;
  const amounts = [line.amountSatang, line.feeSatang, line.netSatang].map(String);
  const said = [effectiveDate, effectiveTime, companyId, payerAccount, proxyType, proxyNo, statusText];
  if (!isPlaced(line)) said.push(line.transRefNo, line.sysRefNo, line.fault, String(line.line));
  return `line:${hash('sha256', JSON.stringify([...said, ...amounts]), 'hex').slice(0, 16)}`;
}

/** A difference of one line, before its severity is known. */
export interface Difference {
  readonly kind: LineBreakKind;
  readonly reason: Message;
}

/** Differences in whose money went where: a line with one proves nothing. */
const identityKinds: readonly BreakKind[] = [
  'payee-mismatch',
  'amount-mismatch',
  'other-company',
  'payer-mismatch',
];

/** True when amount, payee, payer account or company belong to another transfer; the reference may, too. */
export const isOfAnother = (differences: readonly Pick<Difference, 'kind'>[]): boolean =>
  differences.some(({ kind }) => identityKinds.includes(kind));

/** True unless amount, payee, payer account or company differ, or cannot be read (design: I3). */
export const fitsIdentity = (differences: readonly Pick<Difference, 'kind'>[]): boolean =>
  !isOfAnother(differences) && !differences.some(({ kind }) => kind === 'line-unreadable');

/**
 * The amount of the attempt.
 * @throws RangeError for an order that no payout can have made
 */
export function amountOf({ order }: AttemptFacts): Satang {
  const amount = parseBaht(order.amountText);
  if (amount === undefined) throw new RangeError(`attempt ${order.transRefNo} has no readable amount`);
  return amount;
}

const stripSeparators = (text: string): string => text.replaceAll(/[ -]/g, '');

const digitsOnly = /^\d+$/;

/** True for the same number, also when a spreadsheet has removed leading zeros. */
export const isSameNumber = (text: string, ours: string): boolean =>
  text === ours || (digitsOnly.test(text) && text.padStart(ours.length, '0') === ours);

/** The proxy as it would have been sent: mobile numbers in any form of an input file. */
function normaliseProxyNo(proxyType: ProxyType, text: string): string {
  const reading = proxyType === 'MSISDN' ? readProxyId(text, 'MSISDN') : undefined;
  return reading?.ok === true ? reading.proxyNo : stripSeparators(text);
}

function isPayee({ proxyType, proxyNo }: AttemptFacts['order'], line: StatementLine): boolean {
  if (line.proxyType !== proxyType && line.proxyType.toUpperCase() !== proxyType) return false;
  return line.proxyNo === proxyNo || isSameNumber(normaliseProxyNo(proxyType, line.proxyNo), proxyNo);
}

/** True for a number that is too short for its type, even with leading zeros. */
function hasLostDigits({ proxyType, proxyNo }: StatementLine): boolean {
  const type = proxyType.toUpperCase();
  const digits = stripSeparators(proxyNo);
  if (!digitsOnly.test(digits) || (type !== 'MSISDN' && type !== 'NATID')) return false;
  const reading = readProxyId(digits, type);
  return !reading.ok && reading.code === 'proxy-length' && digits.length < proxyLengths[type];
}

const proxyLengths: Readonly<Record<ProxyType, number>> = { MSISDN: 10, NATID: 13 };

/** The unreadable part of a line, with its place in the file. */
export const describeFault = ({ line, fault }: StatementLine): Message =>
  message('break-reason.fault', { line, fault: decodeMessage(fault) });

const nameLostDigits = (line: StatementLine, column: string, number: string): Difference => {
  const fault = message('break-reason.lost-digits', { column, number: masked(number) });
  return { kind: 'line-unreadable', reason: message('break-reason.fault', { line: line.line, fault }) };
};

/** A word of the bank's, masked: shifted columns can put a person's number into any of them. */
export const shown = (text: string): string | Message =>
  text === '' ? message('break-reason.nothing') : maskForeignNumbers(text);
const masked = (text: string): string | Message =>
  text === '' ? message('break-reason.nothing') : maskDigits(text);

/**
 * Finds the differences in amount, payee, company and payer account. A line that failed, or may have, can have an
 * amount of zero, since AMOUNT is what was credited (§2.7). An empty cell does not agree.
 */
function findIdentityDifferences(line: StatementLine, attempt: AttemptFacts): Difference[] {
  const { order } = attempt;
  const found: Difference[] = [];
  if (!isPayee(order, line) && hasLostDigits(line))
    found.push(nameLostDigits(line, 'PROXY NO', line.proxyNo));
  else if (!isPayee(order, line)) {
    const [ours, banks] = [masked(order.proxyNo), masked(line.proxyNo)] as const;
    const types = { type: order.proxyType, banksType: shown(line.proxyType) };
    const reason = message('break-reason.payee', { ...types, ours, banks });
    found.push({ kind: 'payee-mismatch', reason });
  }
  const amount = amountOf(attempt);
  const mayHaveFailed = line.status === 'failed' || line.status === 'contradiction';
  const isNothingCredited = mayHaveFailed && line.amountSatang === 0n;
  if (line.amountSatang !== amount && !isNothingCredited) {
    const [ours, banks] = [showBaht(amount), showBaht(line.amountSatang)] as const;
    const reason = message('break-reason.amount', { ours, banks });
    found.push({ kind: 'amount-mismatch', reason });
  }
  if (!isSameNumber(line.companyId, order.companyId)) {
    const reason = message('break-reason.company', { ours: order.companyId, banks: shown(line.companyId) });
    found.push({ kind: 'other-company', reason });
  }
  const [shownPayer, payer] = [stripSeparators(line.payerAccount), stripSeparators(order.payerAccount)];
  const isPayer = isSameNumber(shownPayer, payer);
  if (!isPayer && digitsOnly.test(shownPayer) && shownPayer.length < payer.length)
    found.push(nameLostDigits(line, 'PAYER ACCOUNT', line.payerAccount));
  else if (!isPayer) {
    const [ours, banks] = [masked(order.payerAccount), masked(line.payerAccount)] as const;
    found.push({ kind: 'payer-mismatch', reason: message('break-reason.payer', { ours, banks }) });
  }
  return found;
}

/**
 * The net amounts that a line may have. The interface neither says whether NET AMOUNT is what leaves the payer or what
 * reaches the payee, nor gives an example (§2.7), so each charge type accepts its possible meanings and nothing else.
 * `Our`, the payer bears the fee: the payee gets AMOUNT, and the net is AMOUNT, or AMOUNT plus the fee. `Ben`, the
 * payee bears it: AMOUNT minus the fee. Another word: any of the three.
 */
function acceptableNets({ chargeType, amountSatang, feeSatang }: StatementLine): readonly Satang[] {
  const [more, less] = [toSatang(amountSatang + feeSatang), toSatang(amountSatang - feeSatang)];
  const word = chargeType.toLowerCase();
  if (word === 'our') return [amountSatang, more];
  return word === 'ben' ? [less] : [amountSatang, more, less];
}

/** Differences in the charges of a complete line from the reply to the transfer; none when the reply had no fee. */
function findChargeDifferences(line: StatementLine, { feeText }: AttemptFacts): Difference[] {
  const found: Difference[] = [];
  const fee = feeText === null ? undefined : parseBaht(feeText);
  if (fee !== undefined && fee !== line.feeSatang) {
    const reason = message('break-reason.fee', { ours: showBaht(fee), banks: showBaht(line.feeSatang) });
    found.push({ kind: 'fee-mismatch', reason });
  }
  if (line.netSatang === line.amountSatang && line.feeSatang === 0n) return found;
  const nets = acceptableNets(line);
  if (!nets.includes(line.netSatang)) {
    const reason = message('break-reason.net', {
      net: showBaht(line.netSatang),
      chargeType: shown(line.chargeType),
      fee: showBaht(line.feeSatang),
      expected: listed([...new Set(nets)].map(showBaht), 'or'),
    });
    found.push({ kind: 'net-mismatch', reason });
  }
  return found;
}

/**
 * True when the bank booked the line before the attempt was made: it concerns an earlier transfer under the same
 * reference, which repeats by design after a loss of the journal.
 * @param date YYYYMMDD of the statement with the line
 */
export function isOfEarlierTransfer(line: StatementLine, attempt: AttemptFacts, date: string): boolean {
  const { effectiveDate } = line;
  const { tranDate } = attempt.order;
  const isBefore = date < tranDate || (effectiveDate !== '' && effectiveDate < tranDate);
  return isBefore && !isBookedBeforeMidnight(line, attempt, date);
}

const withoutZeros = (text: string): string => text.replace(/^0+(?=\d+$)/, '');

/**
 * Reason why a failed line may concern another transfer than our last send under its reference, which may yet complete:
 * its day or its REFERENCE1 differs, or the reference was sent twice on that day.
 * @param date YYYYMMDD of the statement, and of a line without its own day
 */
export function whyOfNoSend(line: StatementLine, attempt: AttemptFacts, date: string): Message | undefined {
  const { tranDate, reference1: sent } = attempt.order;
  const lineDate = line.effectiveDate === '' ? date : line.effectiveDate;
  if (lineDate !== tranDate) return message('break-reason.nothing-sent', { day: showDate(lineDate) });
  const isOther =
    line.reference1 !== '' &&
    // A spreadsheet removes leading zeros from a number.
    withoutZeros(line.reference1) !== withoutZeros(sent ?? '');
  if (isOther) return message('break-reason.other-reference1');
  if (attempt.isRepeatedOnDay !== true) return undefined;
  return message('break-reason.sent-twice-that-day');
}

/** Largest difference in ms between our clock at the send and the bank's at the booking. */
const acrossMidnightMaxMs = 5 * 60_000;

/** Distance in ms of a time of day, "HH:mm:ss" or "HHmmss", from midnight; undefined for any other text. */
function readMsFromMidnight(time: string): number | undefined {
  const [, hours, minutes, seconds] = /^([01]\d|2[0-3]):?([0-5]\d):?([0-5]\d)$/.exec(time) ?? [];
  if (seconds === undefined) return undefined;
  const sinceMs = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000;
  return Math.min(sinceMs, dayMs - sinceMs);
}

/**
 * True when the bank booked a transfer just before midnight that our clock sent just after: complete, with the same
 * amount, payee, payer and company, and near that midnight or with the bank's own reference for it. A failed one is
 * left to inquiry: if it were another transfer's, this one might yet complete.
 */
function isBookedBeforeMidnight(line: StatementLine, attempt: AttemptFacts, date: string): boolean {
  const { tranDate, tranTime } = attempt.order;
  const startMs = parseBangkokDate(tranDate);
  if (line.status !== 'complete' || startMs === undefined) return false;
  const days = [tranDate, formatBangkokDate(startMs - dayMs)];
  const isNextTo = [date, line.effectiveDate].every((on) => on === '' || days.includes(on));
  const isJustAfter = tranTime < '12' && isNearMidnight(tranTime);
  if (!isNextTo || !isJustAfter || !fitsIdentity(findIdentityDifferences(line, attempt))) return false;
  // A rebuilt line passed this check when it was read whole.
  const isBanksOwn = line.sysRefNo !== '' && line.sysRefNo === attempt.sysRefNo;
  return isBanksOwn || isRebuilt(line) || isNearMidnight(line.effectiveTime);
}

const isNearMidnight = (time: string): boolean =>
  (readMsFromMidnight(time) ?? Infinity) <= acrossMidnightMaxMs;

/**
 * Finds a difference in the day. The effective date is the statement's or the transfer's own: a transfer sent just
 * before midnight may be effective, and listed, on the next day.
 */
function findDayDifference(line: StatementLine, attempt: AttemptFacts, date: string): Difference[] {
  const { tranDate } = attempt.order;
  const isEarlier = isOfEarlierTransfer(line, attempt, date);
  if (!isEarlier && (line.effectiveDate === date || line.effectiveDate === tranDate)) return [];
  const reason = message(isEarlier ? 'break-reason.earlier-day' : 'break-reason.day', {
    effective: showDay(line.effectiveDate),
    day: showDate(date),
    sent: showDate(tranDate),
  });
  return [{ kind: 'date-mismatch', reason }];
}

const showDay = (text: string): string | Message => (/^\d{8}$/.test(text) ? showDate(text) : shown(text));

/**
 * All differences, except in status, between a line and the attempt with its reference. Fee and net only count for a
 * transfer that was made. An unreadable line has no further difference.
 */
export function findDifferences(line: StatementLine, attempt: AttemptFacts, date: string): Difference[] {
  if (line.fault !== '') return [{ kind: 'line-unreadable', reason: describeFault(line) }];
  const found = findIdentityDifferences(line, attempt);
  if (line.status === 'complete') found.push(...findChargeDifferences(line, attempt));
  found.push(...findDayDifference(line, attempt, date));
  return found;
}

/**
 * Rebuilds a complete line that was stored only as equal to its attempt. Values known only to the bank's file, such as
 * its word for STATUS, are empty; the fee is that of the reply.
 * @param line its place in the original
 */
export function rebuildLine({ order, sysRefNo, feeText }: AttemptFacts, line: number): StatementLine {
  const amountSatang = parseBaht(order.amountText) ?? zeroSatang;
  return {
    ...blankLine,
    status: 'complete',
    line,
    effectiveDate: order.tranDate,
    transRefNo: order.transRefNo,
    sysRefNo: sysRefNo ?? '',
    payerAccount: order.payerAccount,
    proxyType: order.proxyType,
    proxyNo: order.proxyNo,
    amountSatang,
    feeSatang: parseBaht(feeText ?? '') ?? zeroSatang,
    netSatang: amountSatang,
    companyId: order.companyId,
  };
}

/** True for a line from `rebuildLine`: no bank calls a transfer complete without a word. */
export const isRebuilt = ({ status, statusText }: StatementLine): boolean =>
  status === 'complete' && statusText === '';
