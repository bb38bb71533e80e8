/** What the bank holds of a transfer, and how it stands at a moment. Nothing here waits: a state follows from the clock. */
import { formatBaht, parseBaht } from '../core/money.ts';
import type { Satang } from '../core/money.ts';
import { describeState, describeStatus } from './status-texts.ts';

/** A transfer that has entered the bank; everything but the count of requests is fixed from then on. */
export interface Transfer {
  readonly transRefNo: string;
  readonly sysRefNo: string;
  readonly companyId: string;
  readonly termId: string;
  readonly channelId: string;
  readonly payerAccount: string;
  readonly tranDate: string;
  readonly tranTime: string;
  readonly proxyType: string;
  readonly proxyNo: string;
  /** As it was sent; empty when it was not. */
  readonly proxyName: string;
  readonly amountSatang: Satang;
  readonly feeSatang: Satang;
  readonly reference1: string;
  readonly reference2: string;
  /** YYYYMMDD in Bangkok by the bank's clock: the creation date of §4 rule 2. */
  readonly createdOn: string;
  readonly acceptedAtMs: number;
  readonly end: 'complete' | 'failed' | 'none';
  /** When the end comes; the same as acceptedAtMs when it comes at once. */
  readonly endsAtMs: number;
  /** statusCode while in process. */
  readonly code: string;
  /** statusCode once it has ended. */
  readonly endCode: string;
  /** Shown while in process, instead of 010001 to 010003; empty for those. */
  readonly stageCode: string;
  /** Inquiries find nothing before. */
  readonly hiddenUntilMs: number;
  /** Requests that bore this reference on this day, the first counted. */
  requests: number;
}

/** How a transfer stands, in the words of an inquiry's item (§2.6, §3.2). */
export interface TransferState {
  readonly tranStatusCode: string;
  readonly tranStatusDesc: string;
  readonly statusCode: string;
  readonly statusDesc: string;
}

/** Failures of validation (030002); every other is one of the transfer itself (030003), §3.2. */
const validationFailures = new Set(
  (
    'EM002 EM004 EM005 EM009 EM013 EM069 EM070 EV001 EV007 EV013 EV032 ' +
    'EV036 EV039 EV040 EV042 EV043 EV051 EV052 EV053 EV054 EV055 EV056'
  ).split(' '),
);

const stages = ['010001', '010002', '010003'] as const;

/** What is in process goes through its stages in equal parts of its time; what never ends stays in the last. */
function computeStage(transfer: Transfer, nowMs: number): string {
  if (transfer.stageCode !== '') return transfer.stageCode;
  const spanMs = transfer.endsAtMs - transfer.acceptedAtMs;
  if (transfer.end === 'none' || spanMs <= 0) return stages[2];
  const place = Math.floor(((nowMs - transfer.acceptedAtMs) / spanMs) * stages.length);
  return stages[Math.max(0, place)] ?? stages[2];
}

function hasEnded(transfer: Transfer, nowMs: number): boolean {
  return transfer.end !== 'none' && nowMs >= transfer.endsAtMs;
}

/** True when the money is with the payee. */
export function hasMoved(transfer: Transfer, nowMs: number): boolean {
  return transfer.end === 'complete' && hasEnded(transfer, nowMs);
}

/** The tranStatusCode of a moment. */
function computeStateCode(transfer: Transfer, nowMs: number): string {
  if (!hasEnded(transfer, nowMs)) return computeStage(transfer, nowMs);
  if (transfer.end === 'complete') return '010004';
  return validationFailures.has(transfer.endCode) ? '030002' : '030003';
}

/** The state of a moment, as an inquiry shows it. */
export function computeState(transfer: Transfer, nowMs: number): TransferState {
  const tranStatusCode = computeStateCode(transfer, nowMs);
  const statusCode = hasEnded(transfer, nowMs) ? transfer.endCode : transfer.code;
  return {
    tranStatusCode,
    tranStatusDesc: describeState(tranStatusCode),
    statusCode,
    statusDesc: describeStatus(statusCode),
  };
}

/** A transfer as a line of the state file carries it. */
export function writeTransfer(transfer: Transfer): Record<string, unknown> {
  const { amountSatang, feeSatang, requests: _, ...rest } = transfer;
  return { kind: 'transfer', ...rest, amount: formatBaht(amountSatang), fee: formatBaht(feeSatang) };
}

/**
 * Reads a line of the state file back.
 * @throws TypeError when it is no transfer
 */
export function readTransfer(line: Readonly<Record<string, unknown>>): Transfer {
  const { kind: _, amount, fee, ...rest } = line;
  const amountSatang = parseBaht(String(amount));
  const feeSatang = parseBaht(String(fee));
  if (amountSatang === undefined || feeSatang === undefined || typeof rest['transRefNo'] !== 'string') {
    throw new TypeError('not a transfer');
  }
  return { ...(rest as unknown as Transfer), amountSatang, feeSatang, requests: 1 };
}
