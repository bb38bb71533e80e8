/** The bank of a law: the lines that it lists on a day, and the bytes in which it writes them. */
import iconv from 'iconv-lite';
import { formatBangkokDate } from '../../../src/core/bangkok-time.ts';
import { formatBaht, toSatang } from '../../../src/core/money.ts';
import type { TransferOrder } from '../../../src/core/payout.ts';
import { computeTransRefNo } from '../../../src/core/reference.ts';
import {
  type LineStatus,
  type StatementColumn,
  statementColumns,
} from '../../../src/reconcile/rules/statement.ts';
import { noonMs, payer } from '../../support/core-fixtures.ts';
import { type AttemptPlan, type Edit, type FormPlan, honestStatus, type StrangerPlan } from './plan.ts';

export const dayMs = 86_400_000;
export const otherCompany = 'COMP000002';

/** YYYYMMDD of so many days after the first. */
export const dateOf = (day: number): string => formatBangkokDate(noonMs + day * dayMs);

/** An attempt that was made, as the bank could know it. */
export interface Made {
  readonly plan: AttemptPlan;
  readonly order: TransferOrder;
}

/** One line, before it is written down. Amounts are satang. */
export interface BankLine {
  readonly reference: string;
  readonly sysRefNo: string;
  readonly reference1: string;
  readonly effectiveDate: string;
  readonly payerAccount: string;
  readonly proxyType: string;
  readonly proxyNo: string;
  readonly name: string;
  readonly amount: bigint;
  readonly fee: bigint;
  readonly net: bigint;
  readonly status: LineStatus;
  readonly companyId: string;
  readonly chargeType: 'Our' | 'Ben';
  readonly isUnread: boolean;
  readonly hasLostZeros: boolean;
}

export const bahtToSatang = (text: string): bigint => BigInt(text.replace('.', ''));

const usualFee = 500n;
const usualEffective = { own: 0, neither: 7 } as const;

/** What a line may bear that is neither one attempt's only line, nor one that may contradict another. */
const harmless = (edit: Edit): Edit => ({
  ...edit,
  status: null,
  amount: 0n,
  isOtherPayee: false,
  isOtherCompany: false,
  isOtherPayer: false,
  isUnread: false,
});

/** @param isWild lines that contradict those of other days may be written, too */
export function linesFor({ plan, order }: Made, day: number, drawn: Edit, isWild: boolean): BankLine[] {
  const honest = honestStatus(plan, day);
  const isAlone = isWild || plan.booking === 'own' || (plan.booking === 'next' && honest !== null);
  const edit = isAlone ? drawn : harmless(drawn);
  const isOwnDay = plan.day === day;
  const status = isWild || (isOwnDay && plan.booking === 'own') ? (edit.status ?? honest) : honest;
  if (status === null || edit.isDropped) return [];
  const amount = bahtToSatang(order.amountText) + edit.amount;
  const fee = usualFee + edit.fee;
  const ours = edit.isFeeInNet ? amount + fee : amount;
  const effective = edit.effective === 'statement' ? day : plan.day + usualEffective[edit.effective];
  const line: BankLine = {
    reference: order.transRefNo,
    sysRefNo: `SYS${order.transRefNo.slice(2)}`,
    reference1: edit.isOtherReference ? 'OTHER' : (order.reference1 ?? ''),
    effectiveDate: dateOf(effective),
    payerAccount: edit.isOtherPayer ? '0009999999' : order.payerAccount,
    proxyType: order.proxyType,
    proxyNo: edit.isOtherPayee ? '0999999999' : order.proxyNo,
    name: edit.isOtherName ? 'สมหญิง รักดี' : 'สมชาย ใจดี',
    amount,
    fee,
    net: (edit.chargeType === 'Our' ? ours : amount - fee) + edit.net,
    status,
    companyId: edit.isOtherCompany ? otherCompany : order.companyId,
    chargeType: edit.chargeType,
    isUnread: edit.isUnread,
    // Where a number is another's, what is left of it may be nobody's.
    hasLostZeros: edit.hasLostZeros && !edit.isOtherPayee && !edit.isOtherPayer,
  };
  return Array.from({ length: edit.copies }, () => line);
}

/** Lines that nobody here has sent. */
export function strangersOf(plans: readonly StrangerPlan[], day: number): BankLine[] {
  return plans.flatMap(({ isOurCompany, reference, status, satang, copies, isUnread }, at) => {
    const companyId = isOurCompany ? payer.companyId : otherCompany;
    const references = {
      ours: computeTransRefNo(companyId, `STRANGER-${at}`, 1),
      other: `X-${at}`,
      none: '',
    };
    const line: BankLine = {
      reference: references[reference],
      sysRefNo: `SYSX${at}`,
      reference1: '',
      effectiveDate: dateOf(day),
      payerAccount: payer.payerAccount,
      proxyType: 'MSISDN',
      proxyNo: '0811111111',
      name: 'สมศรี มีสุข',
      amount: satang,
      fee: 0n,
      net: satang,
      status,
      companyId,
      chargeType: 'Our',
      isUnread,
      hasLostZeros: false,
    };
    return Array.from({ length: copies }, () => line);
  });
}

const codes: Readonly<Record<LineStatus, string>> = {
  complete: '010004',
  failed: '030003',
  'in-process': '010003',
  contradiction: '030003',
  other: '990001',
};
const words: Readonly<Record<LineStatus, string>> = {
  complete: 'Complete',
  failed: 'TRANSFER_FAILED',
  'in-process': 'processing',
  contradiction: 'Complete',
  other: 'REVERSED',
};
/** REASON CODE beside a code, and beside a word. */
const reasonCodes: Readonly<Record<LineStatus, readonly [code: string, word: string]>> = {
  complete: ['IC000', ''],
  failed: ['EV055', 'Rejected'],
  'in-process': ['ET001', ''],
  contradiction: ['IC000', 'EV055'],
  other: ['IC000', ''],
};

function writeAmount(satang: bigint, { hasSeparators, isWhole, delimiter, isQuoted }: FormPlan): string {
  const [whole = '', decimals = ''] = formatBaht(toSatang(satang)).split('.');
  const mayGroup = hasSeparators && (isQuoted || delimiter !== ',');
  const grouped = mayGroup ? whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ',') : whole;
  return isWhole && decimals === '00' ? grouped : `${grouped}.${decimals}`;
}

const writeDate = (date: string, { hasDashes }: FormPlan): string =>
  hasDashes ? `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}` : date;

function writeCells(line: BankLine, no: number, form: FormPlan): Record<StatementColumn, string> {
  const number = (text: string): string => (line.hasLostZeros ? text.replace(/^0+/, '') : text);
  const amount = writeAmount(line.amount, form);
  return {
    NO: String(no),
    'EFFECTIVE DATE': writeDate(line.effectiveDate, form),
    'TRANSREF NO': line.reference,
    'SYS REF NO': line.sysRefNo,
    'CHANNEL ID': 'PAYDROP',
    'PAYER ACCOUNT': number(line.payerAccount),
    'PROXY TYPE': line.proxyType,
    'PROXY NO': number(line.proxyNo),
    'PROXY NAME (EN)': 'SOMCHAI JAIDEE',
    'PROXY NAME (TH)': line.name,
    REFERENCE1: line.reference1,
    REFERENCE2: '',
    AMOUNT: line.isUnread ? `-${amount}` : amount,
    FEE: writeAmount(line.fee, form),
    'NET AMOUNT': writeAmount(line.net, form),
    STATUS: (form.isWordy ? words : codes)[line.status],
    'REASON CODE': reasonCodes[line.status][form.isWordy ? 1 : 0],
    'REASON DESC': 'said by the bank',
    'PARTNER ID': 'PARTNER1',
    'CLIENT ID': 'CLIENT1',
    'COMPANY ID': line.companyId,
    'CHARGE TYPE': line.chargeType,
    'EFFECTIVE TIME': '12:00:01',
  };
}

/** The bytes of a statement with these lines. */
export function writeStatement(lines: readonly BankLine[], form: FormPlan): Buffer {
  const { columnsFrom, isReversed, delimiter, isQuoted, lineEnd } = form;
  const turned = [...statementColumns.slice(columnsFrom), ...statementColumns.slice(0, columnsFrom)];
  const columns = isReversed ? turned.toReversed() : turned;
  const more = form.hasMoreColumns ? ['SOMETHING NEW'] : [];
  const cell = (text: string): string => (isQuoted ? `"${text}"` : text);
  const join = (cells: readonly string[]): string => cells.map(cell).join(delimiter) + lineEnd;
  let text = join([...columns, ...more]);
  for (const [at, line] of lines.entries()) {
    const cells = writeCells(line, at + 1, form);
    text += join([...columns.map((column) => cells[column]), ...more]);
  }
  if (form.isThai) return iconv.encode(text, 'windows-874');
  return Buffer.from(form.hasMark ? `\uFEFF${text}` : text);
}
