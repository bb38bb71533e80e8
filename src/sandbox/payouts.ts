/** Endpoints 5 to 7: checks a payee, accepts or refuses a transfer, and tells its state (§2.4–2.6, §4 rules 2 to 5). */
import type { WireNames } from '../bank/wire.ts';
import { formatBangkokDate } from '../core/bangkok-time.ts';
import { formatBaht, parseBaht, type Satang, zeroSatang } from '../core/money.ts';
import {
  answerHead,
  type AnswerRequest,
  findCompanyFault,
  findPayerFault,
  type SandboxBank,
} from './bank.ts';
import { computeState, type Transfer } from './book.ts';
import type { Delivery } from './delivery.ts';
import { findPayeeRefusal } from './directory.ts';
import {
  type Body,
  echo,
  findProxyFault,
  inquiryRules,
  payeeCheckRules,
  textOf,
  transferRules,
} from './fields.ts';
import { type BusinessStatus, statusOf } from './status-texts.ts';
import type { Behaviour, SandboxTable } from './table.ts';

/** Endpoint 5: checks whether a payee can receive (§2.4). */
export function createPayeeCheck(bank: SandboxBank): AnswerRequest {
  const { names } = bank;
  const findFieldFault = payeeCheckRules(names);
  return (body, _nowMs, client) => {
    const proxyNo = textOf(body, names.proxyNo);
    const fault =
      findFieldFault(body) ??
      findPayerFault(bank, client, body) ??
      findProxyFault(proxyNo, textOf(body, names.proxyType), names.proxyNo);
    if (fault !== undefined) return { body: answerHead(fault, body) };
    const proxyName = textOf(body, names.proxyName);
    const behaviour = bank.findBehaviour('payeeCheck', { proxyNo, proxyName });
    const payee = bank.findPayee(proxyNo, proxyName);
    const code = behaviour?.code ?? findPayeeRefusal(payee, proxyName) ?? 'IC001';
    const found =
      code === 'IC001' ? { [names.proxyName]: payee.name, [names.displayProxyName]: payee.nameTh } : {};
    return { body: { ...answerHead(statusOf(code), body), ...found }, behaviour };
  };
}

/** The transfer of a request with valid fields. */
type Order = ReturnType<typeof readOrder> & { readonly clientId: string };

function readOrder(names: WireNames, body: Body, nowMs: number) {
  return {
    transRefNo: textOf(body, 'transRefNo'),
    companyId: textOf(body, 'compId'),
    termId: textOf(body, 'termID'),
    channelId: textOf(body, 'channelID'),
    payerAccount: textOf(body, 'payerAccount'),
    tranDate: textOf(body, 'tranDate'),
    tranTime: textOf(body, 'tranTime'),
    proxyType: textOf(body, names.proxyType),
    proxyNo: textOf(body, names.proxyNo),
    proxyName: textOf(body, names.proxyName),
    amountSatang: parseBaht(textOf(body, 'tranAmount')) ?? zeroSatang,
    reference1: textOf(body, 'reference1'),
    reference2: textOf(body, 'reference2'),
    createdOn: formatBangkokDate(nowMs),
    acceptedAtMs: nowMs,
  };
}

/** The reason why a transfer fails inside the bank before its money moves: payee, limit, balance. */
function findInnerRefusal(bank: SandboxBank, order: Order, feeSatang: Satang): BusinessStatus | undefined {
  const { proxyNo, proxyName, amountSatang } = order;
  const proxyFault = findProxyFault(proxyNo, order.proxyType, bank.names.proxyNo);
  if (proxyFault !== undefined) return proxyFault;
  const payeeCode = findPayeeRefusal(bank.findPayee(proxyNo, proxyName), proxyName);
  if (payeeCode !== undefined) return statusOf(payeeCode);
  const limit = parseBaht(bank.table.amountLimitBaht);
  if (limit !== undefined && amountSatang > limit) return statusOf('EM069');
  if (bank.payerBalanceSatang === null) return undefined;
  const spent = bank.book.spent(order.payerAccount);
  return spent + amountSatang + feeSatang > bank.payerBalanceSatang ? statusOf('EM053') : undefined;
}

const processingCode = 'EM073';
const failedCode = 'EM003';

type Fate = Pick<Transfer, 'end' | 'code' | 'endCode' | 'feeSatang'> & { readonly delayMs: number };

const fail = (code: string, endCode: string, delayMs = 0): Fate => ({
  end: 'failed',
  delayMs,
  code,
  endCode,
  feeSatang: zeroSatang,
});

/** The end of a transfer by its behaviour; without one the money moves at once. */
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
      return fail(code ?? failedCode, failCode ?? code ?? failedCode);
    case 'fails-later':
      return fail(code ?? processingCode, failCode ?? failedCode, delayMs);
  }
}

/** The answer's body; a refusal before processing has no bank reference. */
function toBody(status: BusinessStatus, body: Body, transfer?: Transfer): Delivery['body'] {
  const entered =
    transfer === undefined ? {} : { sysRefNo: transfer.sysRefNo, transFee: formatBaht(transfer.feeSatang) };
  return {
    ...answerHead(status, body),
    transRefNo: echo(body, 'transRefNo'),
    ...entered,
    reference1: echo(body, 'reference1'),
    reference2: echo(body, 'reference2'),
  };
}

const sysRefDigits = 10;

/** Enters the order into the book with its end, and answers. */
function enterTransfer(
  bank: SandboxBank,
  order: Order,
  behaviour: Behaviour | undefined,
  body: Body,
): Delivery {
  const { book, table } = bank;
  const feeSatang = parseBaht(table.feeBaht) ?? zeroSatang;
  const refusal = findInnerRefusal(bank, order, feeSatang);
  const { delayMs, ...fate } =
    refusal === undefined ? computeFate(behaviour, feeSatang) : fail(refusal.code, refusal.code);
  const transfer: Transfer = {
    ...order,
    ...fate,
    sysRefNo: `SB${order.createdOn}${String(book.count + 1).padStart(sysRefDigits, '0')}`,
    endsAtMs: order.acceptedAtMs + delayMs,
    stageCode: behaviour?.tranStatusCode ?? '',
    hiddenUntilMs: order.acceptedAtMs + (behaviour?.hiddenMs ?? 0),
    requests: 1,
  };
  const recorded = book.enter(transfer);
  return { body: toBody(refusal ?? statusOf(fate.code), body, transfer), behaviour, recorded };
}

/** Endpoint 6: accepts a transfer and moves its money, or refuses it (§2.5). */
export function createTransfer(bank: SandboxBank): AnswerRequest {
  const { names, book } = bank;
  const findFieldFault = transferRules(names);
  return (body, nowMs, client) => {
    const fault = findFieldFault(body) ?? findPayerFault(bank, client, body);
    if (fault !== undefined) return { body: toBody(fault, body) };
    if (!bank.isOpen) return { body: toBody(statusOf('TM001'), body) };
    const order = { ...readOrder(names, body, nowMs), clientId: client.clientId };
    const held = book.findDuplicate(order);
    if (held !== undefined)
      return { body: toBody(statusOf('EM001'), body), recorded: book.countDuplicate(held) };
    const behaviour = bank.findBehaviour('transfer', order);
    return behaviour?.money === 'untouched'
      ? { body: toBody(statusOf(behaviour.code ?? 'EA001'), body), behaviour }
      : enterTransfer(bank, order, behaviour, body);
  };
}

function toItem(transfer: Transfer, nowMs: number): Record<string, string> {
  const { transRefNo, sysRefNo, tranDate, tranTime, reference1, reference2 } = transfer;
  return {
    tranDate,
    tranTime,
    transRefNo,
    sysRefNo,
    ...computeState(transfer, nowMs),
    reference1,
    reference2,
  };
}

type InquiryDate = SandboxTable['inquiryDate'];

function isAskedFor(transfer: Transfer, rule: InquiryDate, tranDate: string, nowMs: number): boolean {
  if (nowMs < transfer.hiddenUntilMs) return false;
  switch (rule) {
    case 'any':
      return true;
    case 'transfer':
      return tranDate === transfer.tranDate;
    case 'today':
      return tranDate === formatBangkokDate(nowMs);
  }
}

/** Endpoint 7: the state of a transfer (§2.6). */
export function createInquiry(bank: SandboxBank): AnswerRequest {
  const { inquiryDate, inquiryNotFound, keepsByTerminal } = bank.table;
  const findFieldFault = inquiryRules();
  return (body, nowMs, client) => {
    const head = (code: string) => answerHead(statusOf(code), body);
    const fault = findFieldFault(body) ?? findCompanyFault(client, body);
    if (fault !== undefined) return { body: answerHead(fault, body) };
    const transRefNo = textOf(body, 'transRefNo');
    const tranDate = textOf(body, 'tranDate');
    const termId = textOf(body, 'termID');
    const held = bank.book
      .find(textOf(body, 'compId'), transRefNo)
      .filter((transfer) => !keepsByTerminal || transfer.termId === termId);
    // An inquiry carries only a reference; the other fields to match come from its transfer.
    const behaviour = bank.findBehaviour('inquiry', held.at(-1) ?? { transRefNo });
    if (behaviour?.code !== undefined) return { body: head(behaviour.code), behaviour };
    const found = held.filter((transfer) => isAskedFor(transfer, inquiryDate, tranDate, nowMs));
    if (found.length === 0 && inquiryNotFound !== 'empty') return { body: head(inquiryNotFound), behaviour };
    const fundTfrInfoList = found.map((transfer) => toItem(transfer, nowMs));
    return { body: { ...head('IC001'), fundTfrInfoList }, behaviour };
  };
}
