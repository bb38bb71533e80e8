/** The payee check (endpoint 5) of one payout, asked again while it gives no answer. */
import type { Bank } from '../core/bank-port.ts';
import { decideHold } from '../core/change.ts';
import { nameForBank } from '../core/payee-name.ts';
import type { Instruction, Payout } from '../core/payout.ts';
import type { Change } from '../core/ports.ts';
import type { WorkerContext } from './context.ts';
import type { LineSignal } from './rules/after-transfer.ts';
import { type BankNames, decideNameHold, decideUnpayable, noBankNames } from './rules/intent.ts';
import { judgePayee, type PayeeVerdict } from './rules/payee.ts';
import { classifyPayeeCheckReply, type PayeeFinding } from './rules/read-reply.ts';

/** What the check says about going on: pay, record a change instead, or stop because the line has. */
export type Verified =
  | { readonly kind: 'payable'; readonly names: BankNames }
  | { readonly kind: 'change'; readonly change: Change }
  | { readonly kind: 'stopped' };

/** What asking about a payee takes; a dry run has no more than this. */
export interface AskContext extends Pick<WorkerContext, 'bankClock' | 'clock' | 'gate' | 'stop'> {
  readonly bank: Pick<Bank, 'checkPayee'>;
}

/** The part of an instruction that the bank is asked about. */
export type AskedPayee = Pick<Instruction, 'proxyType' | 'proxyNo' | 'payeeName'>;

/** How often an answer that says nothing about the payee is asked again; a sick service is waited for instead. */
const asksMax = 3;
const askAgainAfterMs = 250;

/** Checks the payee of a ready payout. */
export async function verifyPayee(context: WorkerContext, payout: Payout): Promise<Verified> {
  if (!context.verify.enabled) return { kind: 'payable', names: noBankNames };
  const verdict = await askAboutPayee(context, payout.instruction);
  const nowMs = context.clock.now();
  switch (verdict.kind) {
    case 'stopped':
    case 'payable':
      return verdict;
    case 'unpayable':
      return { kind: 'change', change: decideUnpayable(payout, verdict.reason, nowMs) };
    case 'other-name':
      if (context.verify.onThaiNameMismatch === 'pay' || isReviewed(payout, verdict.names))
        return { kind: 'payable', names: verdict.names };
      return { kind: 'change', change: decideNameHold(payout, verdict.names, nowMs) };
    case 'unavailable': {
      if (context.verify.whenUnavailable === 'pay') return { kind: 'payable', names: noBankNames };
      const { code } = verdict.reason;
      const text = `the payee check gave no answer: ${verdict.reason.text}`;
      return { kind: 'change', change: decideHold(payout, 'unavailable', { code, text }, nowMs) };
    }
  }
}

/** A row that was held for this very name of the bank's and let go on has been looked at by a person. */
function isReviewed(payout: Payout, { payeeNameTh }: BankNames): boolean {
  return payeeNameTh !== null && payout.bankPayeeNameTh === payeeNameTh;
}

/** Asks the bank about a payee until it says something about the payee, as long as the line lets questions through. */
export async function askAboutPayee(context: AskContext, payee: AskedPayee): Promise<PayeeVerdict> {
  let asks = 0;
  for (;;) {
    if ((await context.gate.enter()) !== 'go') return { kind: 'stopped' };
    const finding = await askOnce(context, payee, asks + 1 >= asksMax);
    if (finding.kind === 'halt') return { kind: 'stopped' };
    if (finding.kind !== 'ask-again') return judgePayee(finding, payee.payeeName);
    if (finding.isTrouble) continue;
    asks += 1;
    if (asks >= asksMax) return { kind: 'unavailable', reason: finding.reason };
    await context.clock.sleep(askAgainAfterMs * asks, context.stop);
  }
}

async function askOnce(context: AskContext, payee: AskedPayee, isLastAsk: boolean): Promise<PayeeFinding> {
  const { proxyType, proxyNo, payeeName } = payee;
  let signal: LineSignal = { kind: 'nothing' };
  try {
    const reply = await context.bank.checkPayee({ proxyType, proxyNo, proxyName: nameForBank(payeeName) });
    context.bankClock.see(reply);
    const finding = classifyPayeeCheckReply(reply);
    signal = signalOf(finding, isLastAsk);
    return finding;
  } finally {
    context.gate.leave(signal);
  }
}

/** A check that never gives an answer counts as an end for the brake, as a payout that was not paid does. */
function signalOf(finding: PayeeFinding, isLastAsk: boolean): LineSignal {
  switch (finding.kind) {
    case 'payable':
      return { kind: 'answered' };
    case 'unpayable':
      return { kind: 'ended-otherwise' };
    case 'halt':
      return { kind: 'payer-stop', reason: finding.reason };
    case 'ask-again':
      if (finding.isTrouble) {
        return {
          kind: 'service-trouble',
          reason: finding.reason,
          retryAfterMs: finding.reason.retryAfterMs,
          isTransfer: false,
        };
      }
      return { kind: isLastAsk ? 'ended-otherwise' : 'nothing' };
  }
}
