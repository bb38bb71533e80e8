/** The payee check (endpoint 5) of one payout, asked again while it gives no answer. */
import type { Bank } from '../core/bank-port.ts';
import { nameForBank } from '../core/payee-name.ts';
import type { Instruction, Payout } from '../core/payout.ts';
import { callBank, type CallContext } from './adaptive-limit.ts';
import type { WorkerContext } from './context.ts';
import { askUntilSaid } from './inquire.ts';
import { noBankNames } from './rules/intent.ts';
import { decidePayee, judgePayee, type PayeeVerdict, type Verified } from './rules/payee.ts';
import { readPayeeCheck, wasAsked } from './rules/read-reply.ts';

/** Dependencies of a payee check; a dry run has only these. */
export interface AskContext extends CallContext, Pick<WorkerContext, 'clock' | 'stop'> {
  readonly bank: Pick<Bank, 'checkPayee'>;
}

/** The part of an instruction that a payee check sends. */
export type AskedPayee = Pick<Instruction, 'proxyType' | 'proxyNo' | 'payeeName'>;

/** Checks the payee of a ready payout. */
export async function verifyPayee(context: WorkerContext, payout: Payout): Promise<Verified> {
  if (!context.verify.enabled) return { kind: 'payable', names: noBankNames };
  const verdict = await askAboutPayee(context, payout.instruction);
  return decidePayee(payout, verdict, context.verify, context.clock.now());
}

/** Asks the bank about a payee until there is an answer about it, as long as the gate passes questions. */
export async function askAboutPayee(context: AskContext, payee: AskedPayee): Promise<PayeeVerdict> {
  const { proxyType, proxyNo, payeeName } = payee;
  const check = { proxyType, proxyNo, proxyName: nameForBank(payeeName) };
  const said = await askUntilSaid(context, true, async (isLastAsk) => {
    const pass = await context.gate.ask();
    if (pass.kind !== 'go') return undefined;
    const answer = await callBank(context, {
      pass,
      kind: 'checks',
      send: () => context.bank.checkPayee(check, context.stop),
      read: (reply) => readPayeeCheck(reply, isLastAsk),
    });
    return wasAsked(answer.finding) ? answer : undefined;
  });
  return said === undefined ? { kind: 'stopped' } : judgePayee(said.finding, payeeName);
}
