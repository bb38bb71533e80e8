/** Endpoint 5: checks whether a payee can receive (§2.4). */
import { type AnswerRequest, answerHead, findPayerFault, type SandboxBank } from './bank.ts';
import { findPayeeRefusal } from './directory.ts';
import { findProxyFault, payeeCheckRules, textOf } from './fields.ts';
import { statusOf } from './status-texts.ts';

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
