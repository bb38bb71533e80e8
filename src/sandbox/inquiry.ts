/** Endpoint 7: how does a transfer stand (§2.6)? */
import { formatBangkokDate } from '../core/bangkok-time.ts';
import type { Subject } from './behaviours.ts';
import { answerHead } from './business.ts';
import type { Answer, AnswerRequest, BusinessTerms } from './business.ts';
import { normaliseName } from './directory.ts';
import { inquiryRules, textOf } from './fields.ts';
import { statusOf } from './status-texts.ts';
import type { BusinessStatus } from './status-texts.ts';
import type { Behaviour, SandboxTable } from './table.ts';
import { computeState } from './transfers.ts';
import type { Transfer } from './transfers.ts';

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

/** An inquiry carries only a reference; the rest of what the table matches comes from the transfer that it names. */
function toSubject(transRefNo: string, held: Transfer | undefined): Subject {
  if (held === undefined) return { transRefNo };
  const { proxyNo, proxyName, amountSatang, reference1 } = held;
  return { transRefNo, proxyNo, proxyName: normaliseName(proxyName), amountSatang, reference1 };
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

/** Makes the endpoint. */
export function createInquiry(terms: BusinessTerms): AnswerRequest {
  const { book, companyId } = terms;
  const { inquiryDate, inquiryNotFound } = terms.table;
  const findFieldFault = inquiryRules();
  return (body, nowMs) => {
    const answer = (status: BusinessStatus, behaviour?: Behaviour, items?: readonly unknown[]): Answer => ({
      body: { ...answerHead(status, body), ...(items === undefined ? {} : { fundTfrInfoList: items }) },
      behaviour,
    });
    const fault = findFieldFault(body) ?? (body['compId'] === companyId ? undefined : statusOf('EM002'));
    if (fault !== undefined) return answer(fault);
    const transRefNo = textOf(body, 'transRefNo') ?? '';
    const tranDate = textOf(body, 'tranDate') ?? '';
    const held = book.find(companyId, transRefNo);
    const behaviour = terms.findBehaviour('inquiry', toSubject(transRefNo, held.at(-1)));
    if (behaviour?.code !== undefined) return answer(statusOf(behaviour.code), behaviour);
    const found = held.filter((transfer) => isAskedFor(transfer, inquiryDate, tranDate, nowMs));
    if (found.length === 0 && inquiryNotFound !== 'empty')
      return answer(statusOf(inquiryNotFound), behaviour);
    return answer(
      statusOf('IC001'),
      behaviour,
      found.map((transfer) => toItem(transfer, nowMs)),
    );
  };
}
