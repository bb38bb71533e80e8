/** The bank's daily statement (§2.7): its columns, and one of its lines as we read it. */
import { toSatang } from '../../core/money.ts';
import type { Satang } from '../../core/money.ts';

/** What statement columns have in their names for the scheme's word is a setting (`bank.scheme`): here PROXY. */
export const statementColumns = [
  'NO',
  'EFFECTIVE DATE',
  'TRANSREF NO',
  'SYS REF NO',
  'CHANNEL ID',
  'PAYER ACCOUNT',
  'PROXY TYPE',
  'PROXY NO',
  'PROXY NAME (EN)',
  'PROXY NAME (TH)',
  'REFERENCE1',
  'REFERENCE2',
  'AMOUNT',
  'FEE',
  'NET AMOUNT',
  'STATUS',
  'REASON CODE',
  'REASON DESC',
  'PARTNER ID',
  'CLIENT ID',
  'COMPANY ID',
  'CHARGE TYPE',
  'EFFECTIVE TIME',
] as const;
export type StatementColumn = (typeof statementColumns)[number];

/** What the bank says of a line's transfer; `other` is a word that neither the interface nor the settings know. */
export type LineStatus = 'complete' | 'failed' | 'in-process' | 'other';

/** One transfer as the statement has it. Texts are trimmed; empty where the file has nothing. */
export interface StatementLine {
  /** Where its record begins in the file; the header is line 1. */
  readonly line: number;
  /** NO as written. */
  readonly no: string;
  /** YYYYMMDD. */
  readonly effectiveDate: string;
  /** As written. */
  readonly effectiveTime: string;
  readonly transRefNo: string;
  readonly sysRefNo: string;
  readonly channelId: string;
  readonly payerAccount: string;
  readonly proxyType: string;
  readonly proxyNo: string;
  readonly proxyName: string;
  readonly proxyNameTh: string;
  readonly reference1: string;
  readonly reference2: string;
  readonly amountSatang: Satang;
  readonly feeSatang: Satang;
  readonly netSatang: Satang;
  /** STATUS as written. */
  readonly statusText: string;
  readonly status: LineStatus;
  readonly reasonCode: string;
  readonly reasonDesc: string;
  readonly partnerId: string;
  readonly clientId: string;
  readonly companyId: string;
  /** `Our`: the payer bears the fee; `Ben`: the payee does. Any other word as written. */
  readonly chargeType: string;
}

/** The words of STATUS that mean each; compared without regard to case. Anything else is `other`. */
export interface StatementWords {
  readonly complete: readonly string[];
  readonly failed: readonly string[];
  readonly inProcess: readonly string[];
}

/** The codes and names of §3.2, and what they are commonly called. */
export const commonStatementWords: StatementWords = {
  complete: ['010004', 'COMPLETE', 'COMPLETED', 'SUCCESS', 'SUCCESSFUL'],
  failed: [
    '030002',
    '030003',
    'VALIDATE FAILED',
    'VALIDATE_FAILED',
    'TRANSFER FAILED',
    'TRANSFER_FAILED',
    'FAIL',
    'FAILED',
    'REJECTED',
  ],
  inProcess: [
    '010001',
    '010002',
    '010003',
    '030004',
    'RECEIVE',
    'VALIDATE',
    'TRANSFER',
    'PROCESSING',
    'PENDING',
  ],
};

/** One line as a JSON list: a million of them are written and few are read. */
export function encodeLine(line: StatementLine): string {
  return JSON.stringify([
    line.line,
    line.no,
    line.effectiveDate,
    line.effectiveTime,
    line.transRefNo,
    line.sysRefNo,
    line.channelId,
    line.payerAccount,
    line.proxyType,
    line.proxyNo,
    line.proxyName,
    line.proxyNameTh,
    line.reference1,
    line.reference2,
    String(line.amountSatang),
    String(line.feeSatang),
    String(line.netSatang),
    line.statusText,
    line.status,
    line.reasonCode,
    line.reasonDesc,
    line.partnerId,
    line.clientId,
    line.companyId,
    line.chargeType,
  ]);
}

type LineCells = readonly [number, ...string[]];

/** Reads a line that was kept as a list. */
export function decodeLine(text: string): StatementLine {
  const [line, ...texts] = JSON.parse(text) as LineCells;
  const cell = (place: number): string => texts[place] ?? '';
  const satang = (place: number) => toSatang(BigInt(cell(place)));
  return {
    line,
    no: cell(0),
    effectiveDate: cell(1),
    effectiveTime: cell(2),
    transRefNo: cell(3),
    sysRefNo: cell(4),
    channelId: cell(5),
    payerAccount: cell(6),
    proxyType: cell(7),
    proxyNo: cell(8),
    proxyName: cell(9),
    proxyNameTh: cell(10),
    reference1: cell(11),
    reference2: cell(12),
    amountSatang: satang(13),
    feeSatang: satang(14),
    netSatang: satang(15),
    statusText: cell(16),
    status: cell(17) as LineStatus,
    reasonCode: cell(18),
    reasonDesc: cell(19),
    partnerId: cell(20),
    clientId: cell(21),
    companyId: cell(22),
    chargeType: cell(23),
  };
}
