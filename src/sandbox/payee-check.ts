/** Endpoint 5: can this payee receive (§2.4)? */
import { answerHead, findPayerFault } from './business.ts';
import type { Answer, AnswerRequest, BusinessTerms } from './business.ts';
import { findPayeeRefusal, normaliseName } from './directory.ts';
import { findProxyFault, payeeCheckRules, textOf } from './fields.ts';
import { statusOf } from './status-texts.ts';
import type { BusinessStatus } from './status-texts.ts';
import type { Behaviour } from './table.ts';

/** Makes the endpoint. */
export function createPayeeCheck(terms: BusinessTerms): AnswerRequest {
  const { names } = terms;
  const findFieldFault = payeeCheckRules(names);
  return (body) => {
    const answer = (
      status: BusinessStatus,
      behaviour?: Behaviour,
      found: Record<string, string> = {},
    ): Answer => ({
      body: { ...answerHead(status, body), ...found },
      behaviour,
    });
    const fault = findFieldFault(body) ?? findPayerFault(terms, body);
    if (fault !== undefined) return answer(fault);
    const proxyNo = textOf(body, names.proxyNo) ?? '';
    const sentName = textOf(body, names.proxyName);
    const proxyFault = findProxyFault(proxyNo, textOf(body, names.proxyType) ?? '', names.proxyNo);
    if (proxyFault !== undefined) return answer(proxyFault);
    const proxyName = sentName === undefined ? undefined : normaliseName(sentName);
    const behaviour = terms.findBehaviour('payeeCheck', { proxyNo, proxyName });
    const payee = terms.findPayee(proxyNo, sentName);
    const code = behaviour?.code ?? findPayeeRefusal(payee, sentName) ?? 'IC001';
    const isActive = code === 'IC001';
    const found = isActive ? { [names.proxyName]: payee.name, [names.displayProxyName]: payee.nameTh } : {};
    return answer(statusOf(code), behaviour, found);
  };
}
