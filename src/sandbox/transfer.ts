/** Endpoint 6: takes a transfer in and moves its money, or refuses it (§2.5, §4 rules 2 to 5). */
import type { WireNames } from '../bank/wire.ts';
import { formatBangkokDate } from '../core/bangkok-time.ts';
import { formatBaht, parseBaht, zeroSatang } from '../core/money.ts';
import type { Satang } from '../core/money.ts';
import { answerHead, findPayerFault } from './business.ts';
import type { Answer, AnswerRequest, BusinessTerms } from './business.ts';
import { findPayeeRefusal, normaliseName } from './directory.ts';
import { findProxyFault, textOf, transferRules } from './fields.ts';
import type { Body } from './fields.ts';
import { statusOf } from './status-texts.ts';
import type { BusinessStatus } from './status-texts.ts';
import type { Behaviour } from './table.ts';
import type { Transfer } from './transfers.ts';

/** A transfer request whose fields have been checked. */
interface Order {
  readonly body: Body;
  readonly transRefNo: string;
  readonly proxyNo: string;
  readonly proxyType: string;
  readonly proxyName: string | undefined;
  readonly amountSatang: Satang;
  readonly createdOn: string;
}

function readOrder(names: WireNames, body: Body, nowMs: number): Order {
  return {
    body,
    transRefNo: textOf(body, 'transRefNo') ?? '',
    proxyNo: textOf(body, names.proxyNo) ?? '',
    proxyType: textOf(body, names.proxyType) ?? '',
    proxyName: textOf(body, names.proxyName),
    amountSatang: parseBaht(textOf(body, 'tranAmount') ?? '') ?? zeroSatang,
    createdOn: formatBangkokDate(nowMs),
  };
}

/** What fails a transfer inside the bank before its money is touched: payee, limit, balance. */
function findInnerRefusal(terms: BusinessTerms, order: Order, feeSatang: Satang): BusinessStatus | undefined {
  const proxyFault = findProxyFault(order.proxyNo, order.proxyType, terms.names.proxyNo);
  if (proxyFault !== undefined) return proxyFault;
  const payeeCode = findPayeeRefusal(terms.findPayee(order.proxyNo, order.proxyName), order.proxyName);
  if (payeeCode !== undefined) return statusOf(payeeCode);
  const limit = parseBaht(terms.table.amountLimitBaht);
  if (limit !== undefined && order.amountSatang > limit) return statusOf('EM069');
  if (terms.payerBalanceSatang === null) return undefined;
  const spent = terms.book.spent(textOf(order.body, 'payerAccount') ?? '');
  return spent + order.amountSatang + feeSatang > terms.payerBalanceSatang ? statusOf('EM053') : undefined;
}

const processingCode = 'EM073';
const failedCode = 'EM003';

type Fate = Pick<Transfer, 'end' | 'code' | 'endCode' | 'feeSatang'> & { readonly delayMs: number };

const failNow = (code: string, endCode: string): Fate => ({
  end: 'failed',
  delayMs: 0,
  code,
  endCode,
  feeSatang: zeroSatang,
});

/** The end that a behaviour gives a transfer; without one the money moves at once. */
function computeFate(behaviour: Behaviour | undefined, feeSatang: Satang): Fate {
  const { code, failCode, afterMs: delayMs = 0, money = 'moves' } = behaviour ?? {};
  switch (money) {
    case 'moves':
    case 'untouched':
      return { end: 'complete', delayMs, code: code ?? 'IC000', endCode: 'IC000', feeSatang };
    case 'moves-later':
      return { end: 'complete', delayMs, code: code ?? processingCode, endCode: 'IC000', feeSatang };
    case 'stuck':
      return { end: 'none', delayMs, code: code ?? processingCode, endCode: '', feeSatang };
    case 'fails':
      return failNow(code ?? failedCode, failCode ?? code ?? failedCode);
    case 'fails-later':
      return { ...failNow(code ?? processingCode, failCode ?? failedCode), delayMs };
  }
}

const sysRefDigits = 10;

function toTransfer(
  order: Order,
  fate: Fate,
  behaviour: Behaviour | undefined,
  place: number,
  nowMs: number,
): Transfer {
  const text = (name: string): string => textOf(order.body, name) ?? '';
  return {
    transRefNo: order.transRefNo,
    sysRefNo: `SB${order.createdOn}${String(place).padStart(sysRefDigits, '0')}`,
    companyId: text('compId'),
    termId: text('termID'),
    channelId: text('channelID'),
    payerAccount: text('payerAccount'),
    tranDate: text('tranDate'),
    tranTime: text('tranTime'),
    proxyType: order.proxyType,
    proxyNo: order.proxyNo,
    proxyName: order.proxyName ?? '',
    amountSatang: order.amountSatang,
    feeSatang: fate.feeSatang,
    reference1: text('reference1'),
    reference2: text('reference2'),
    createdOn: order.createdOn,
    acceptedAtMs: nowMs,
    end: fate.end,
    endsAtMs: nowMs + fate.delayMs,
    code: fate.code,
    endCode: fate.endCode,
    stageCode: behaviour?.tranStatusCode ?? '',
    hiddenUntilMs: nowMs + (behaviour?.hiddenMs ?? 0),
    requests: 1,
  };
}

/** The answer's body; a refusal before processing has no reference of the bank's. */
function toBody(status: BusinessStatus, body: Body, transfer?: Transfer): Answer['body'] {
  const entered =
    transfer === undefined ? {} : { sysRefNo: transfer.sysRefNo, transFee: formatBaht(transfer.feeSatang) };
  return {
    ...answerHead(status, body),
    transRefNo: textOf(body, 'transRefNo') ?? '',
    ...entered,
    reference1: textOf(body, 'reference1') ?? '',
    reference2: textOf(body, 'reference2') ?? '',
  };
}

/** Takes the order into the book with the end that it meets, and answers. */
function enterTransfer(
  terms: BusinessTerms,
  order: Order,
  behaviour: Behaviour | undefined,
  nowMs: number,
): Answer {
  const feeSatang = parseBaht(terms.table.feeBaht) ?? zeroSatang;
  const refusal = findInnerRefusal(terms, order, feeSatang);
  const fate =
    refusal === undefined ? computeFate(behaviour, feeSatang) : failNow(refusal.code, refusal.code);
  const transfer = toTransfer(order, fate, behaviour, terms.book.count + 1, nowMs);
  const recorded = terms.book.enter(transfer);
  return { body: toBody(refusal ?? statusOf(fate.code), order.body, transfer), behaviour, recorded };
}

/** Makes the endpoint. */
export function createTransfer(terms: BusinessTerms): AnswerRequest {
  const { names, book } = terms;
  const findFieldFault = transferRules(names);
  const refuse = (status: BusinessStatus, body: Body, behaviour?: Behaviour): Answer => ({
    body: toBody(status, body),
    behaviour,
  });
  return (body, nowMs) => {
    const fault = findFieldFault(body) ?? findPayerFault(terms, body);
    if (fault !== undefined) return refuse(fault, body);
    if (!terms.isOpen) return refuse(statusOf('TM001'), body);
    const order = readOrder(names, body, nowMs);
    const held = book.findDuplicate(
      terms.companyId,
      textOf(body, 'termID') ?? '',
      order.transRefNo,
      order.createdOn,
    );
    if (held !== undefined)
      return { ...refuse(statusOf('EM001'), body), recorded: book.countDuplicate(held) };
    const behaviour = terms.findBehaviour('transfer', {
      transRefNo: order.transRefNo,
      reference1: textOf(body, 'reference1'),
      proxyNo: order.proxyNo,
      proxyName: order.proxyName === undefined ? undefined : normaliseName(order.proxyName),
      amountSatang: order.amountSatang,
    });
    if (behaviour?.money === 'untouched') return refuse(statusOf(behaviour.code ?? 'EA001'), body, behaviour);
    return enterTransfer(terms, order, behaviour, nowMs);
  };
}
