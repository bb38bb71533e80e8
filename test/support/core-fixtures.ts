/** Invented payouts, attempts and replies for the tests of the core. */
import type { BankReply, InquiryFields, InquiryItem, TransferFields } from '../../src/core/bank-port.ts';
import { afterChange } from '../../src/core/change.ts';
import { parseBaht, toSatang } from '../../src/core/money.ts';
import type { Attempt, Payout } from '../../src/core/payout.ts';
import type { Case } from '../../src/payout/rules/case.ts';
import { decideIntent, noBankNames } from '../../src/payout/rules/intent.ts';
import type { SettlePolicy } from '../../src/payout/rules/resend.ts';

/** 2026-11-21 12:00:00 in Bangkok. */
export const noonMs = Date.UTC(2026, 10, 21, 5, 0, 0);

export const policy: SettlePolicy = {
  firstDelayMs: 2_000,
  maxDelayMs: 300_000,
  giveUpAfterMs: 86_400_000,
  notFoundTrustMs: 120_000,
  resendsMax: 2,
  intentMaxAgeMs: 300_000,
};

export const payer = {
  channelId: 'PAYDROP',
  termId: 'TERM0001',
  companyId: 'COMP000001',
  payerAccount: '0000345924',
};

/** The partner, as the bank and paydrop know it. */
export const partner = { clientId: 'test-app', clientSecret: 'test-secret-of-no-value', ...payer };

/** JSON of what may hold amounts. */
export const toJson = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? String(one) : one));

export function makePayout(changes: Partial<Payout> = {}): Payout {
  return {
    seq: 7,
    batchId: '0123456789',
    rowNo: 1,
    instruction: {
      payoutId: 'INV-1',
      proxyType: 'MSISDN',
      proxyNo: '0810000001',
      payeeName: 'Somchai Jaidee',
      amountSatang: parseBaht('100.00') ?? toSatang(0n),
      reference1: null,
      reference2: null,
    },
    version: 1,
    status: 'ready',
    holds: [],
    reasonCode: null,
    reason: null,
    attemptNo: 0,
    bankPayeeName: null,
    bankPayeeNameTh: null,
    submittedAtMs: null,
    settledAtMs: null,
    settledBy: null,
    acceptedHolds: [],
    isAlarm: false,
    isAcknowledged: false,
    ...changes,
  };
}

/** A payout whose first attempt is recorded and on its way. */
export function makeSubmitted(
  nowMs = noonMs,
  changes: Partial<Attempt> = {},
): { payout: Payout; attempt: Attempt } {
  const intent = decideIntent({
    payout: makePayout(),
    attemptsRecorded: 0,
    number: 1,
    cleared: [],
    names: noBankNames,
    payer,
    policy,
    nowMs,
    bankNowMs: nowMs,
  });
  return { payout: afterChange(intent.change), attempt: { ...intent.attempt, ...changes } };
}

/** What a decision is taken on at a moment by both clocks; nothing was kept of a reply. */
export const caseAt = (nowMs: number, known: Pick<Case, 'payout' | 'attempt'>): Case => ({
  sameReference: [],
  ...known,
  facts: {},
  policy,
  nowMs,
  bankNowMs: nowMs,
});

const exchange = {
  requestUid: 'REQ00000000000000001',
  xRequestId: '00000000-0000-4000-8000-000000000001',
  elapsedMs: 5,
};

export type Answer<Fields> = Partial<Omit<Extract<BankReply<Fields>, { kind: 'answered' }>, 'fields'>>;

export function answered<Fields>(
  fields: Fields | undefined,
  changes: Answer<Fields> = {},
): BankReply<Fields> {
  return {
    kind: 'answered',
    httpStatus: 200,
    fields,
    bankDateMs: noonMs,
    retryAfterMs: undefined,
    ...exchange,
    ...changes,
  };
}

export const lost: BankReply<never> = { kind: 'lost', why: 'timed out', ...exchange };

export function transferFields(statusCode: string, changes: Partial<TransferFields> = {}): TransferFields {
  return {
    statusCode,
    statusDesc: 'said by the bank',
    severity: undefined,
    requestUid: exchange.requestUid,
    transRefNo: undefined,
    sysRefNo: 'SYS1',
    transFee: '0.00',
    ...changes,
  };
}

export function inquiryItem(transRefNo: string, tranStatusCode: string | undefined): InquiryItem {
  return {
    transRefNo,
    sysRefNo: 'SYS1',
    tranDate: '20261121',
    tranTime: '12:00:00',
    reference1: undefined,
    tranStatusCode,
    tranStatusDesc: undefined,
    statusCode: undefined,
    statusDesc: undefined,
  };
}

export function inquiryFields(
  items: readonly InquiryItem[] | undefined,
  statusCode = 'IC001',
): InquiryFields {
  return { statusCode, statusDesc: undefined, severity: undefined, requestUid: exchange.requestUid, items };
}
