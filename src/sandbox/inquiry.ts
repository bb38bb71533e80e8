/** Endpoint 7: the state of a transfer (§2.6). */
import { formatBangkokDate } from '../core/bangkok-time.ts';
import { type AnswerRequest, answerHead, findCompanyFault, type SandboxBank } from './bank.ts';
import { computeState, type Transfer } from './book.ts';
import { inquiryRules, textOf } from './fields.ts';
import { statusOf } from './status-texts.ts';
import type { SandboxTable } from './table.ts';

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
