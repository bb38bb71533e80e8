/** Invented attempts and the statement lines that a bank would write for them. */
import { parseBaht, type Satang, toSatang, zeroSatang } from '../../src/core/money.ts';
import type { AttemptStatus, PayoutStatus } from '../../src/core/payout.ts';
import { computeTransRefNo } from '../../src/core/reference.ts';
import { judgeDay } from '../../src/reconcile/rules/judge-day.ts';
import type { LineStatus, StatementLine } from '../../src/reconcile/rules/statement.ts';
import type {
  AttemptFacts,
  DayFacts,
  DaysRead,
  Judgement,
  StatementDay,
} from '../../src/reconcile/rules/types.ts';
import { payer } from './core-fixtures.ts';

export const date = '20261121';
export const nextDate = '20261122';
export const day: StatementDay = {
  date,
  companyId: payer.companyId,
  readDates: new Set([date]),
  unreadDates: new Set(),
};

/** No other day was read, and this one is read now. */
export const readOnly: DaysRead = {
  companyId: payer.companyId,
  days: new Map([[date, 1]]),
  acceptedAtMs: new Map(),
  wholeDates: new Set([date]),
  unreadDates: new Set(),
  readNow: date,
};

const payoutStatusOf: Readonly<Record<AttemptStatus, PayoutStatus>> = {
  recorded: 'submitted',
  sent: 'submitted',
  paid: 'paid',
  failed: 'failed',
  refused: 'held',
  unresolved: 'unresolved',
};

export function makeFacts(
  attemptStatus: AttemptStatus,
  changes: Partial<AttemptFacts> = {},
  order: Partial<AttemptFacts['order']> = {},
): AttemptFacts {
  return {
    payoutSeq: 7,
    payoutId: 'INV-1',
    batchId: '0123456789',
    rowNo: 1,
    attemptNo: 1,
    payoutStatus: payoutStatusOf[attemptStatus],
    attemptStatus,
    order: {
      transRefNo: computeTransRefNo(payer.companyId, 'INV-1', 1),
      companyId: payer.companyId,
      payerAccount: payer.payerAccount,
      tranDate: date,
      tranTime: '10:00:00',
      reference1: null,
      proxyType: 'MSISDN',
      proxyNo: '0810000001',
      proxyName: 'Somchai Jaidee',
      amountText: '100.00',
      ...order,
    },
    sends: 1,
    acknowledged: false,
    referenceConflict: false,
    lastInquiryAtMs: null,
    lastFinding: null,
    sysRefNo: null,
    feeText: attemptStatus === 'paid' ? '5.00' : null,
    settledBy: null,
    ...changes,
  };
}

const words: Readonly<Record<LineStatus, string>> = {
  complete: 'COMPLETE',
  failed: 'FAILED',
  'in-process': 'PROCESSING',
  contradiction: 'FAILED',
  other: 'REVERSED',
};

export const baht = (text: string): Satang => parseBaht(text) ?? zeroSatang;

/** What a bank writes of an attempt: the fee is the payer's, and debited besides. */
export function makeLine(
  attempt: AttemptFacts,
  status: LineStatus,
  changes: Partial<StatementLine> = {},
): StatementLine {
  const { order } = attempt;
  const amountSatang = baht(order.amountText);
  const feeSatang = baht('5.00');
  return {
    line: 2,
    no: '1',
    effectiveDate: order.tranDate,
    effectiveTime: '12:00:01',
    transRefNo: order.transRefNo,
    sysRefNo: 'SYS1',
    channelId: payer.channelId,
    payerAccount: order.payerAccount,
    proxyType: order.proxyType,
    proxyNo: order.proxyNo,
    proxyName: 'SOMCHAI JAIDEE',
    proxyNameTh: '',
    reference1: '',
    reference2: '',
    amountSatang,
    feeSatang,
    netSatang: toSatang(amountSatang + feeSatang),
    statusText: words[status],
    status,
    reasonCode: '',
    reasonDesc: '',
    partnerId: 'PARTNER',
    clientId: 'CLIENT',
    companyId: order.companyId,
    chargeType: 'Our',
    fault: '',
    ...changes,
  };
}

export function makeKey(
  attempt: AttemptFacts | undefined,
  lines: readonly StatementLine[],
  otherDayLines: DayFacts['otherDayLines'] = [],
): DayFacts {
  const key = attempt?.order.transRefNo ?? lines[0]?.transRefNo ?? '';
  return { key, lines, attempt, otherDayLines };
}

export const judge = (
  attempt: AttemptFacts | undefined,
  lines: readonly StatementLine[],
  otherDayLines: DayFacts['otherDayLines'] = [],
  on = day,
): Judgement => judgeDay(makeKey(attempt, lines, otherDayLines), on);

export const kindsOf = ({ breaks }: Judgement): string[] => breaks.map(({ kind }) => kind);
