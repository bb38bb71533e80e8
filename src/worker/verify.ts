/** The payee check (endpoint 5) of one payout, asked again while it gives no answer. */
import { classifyPayeeCheckReply, type PayeeFinding, type ServiceTrouble } from '../core/classify.ts';
import { decideHold } from '../core/change.ts';
import { decideNameHold, decideUnpayable, noBankNames, type BankNames } from '../core/decide.ts';
import type { LineSignal } from '../core/decide-transfer.ts';
import { nameForBank, thaiNamesAgree } from '../core/payee-name.ts';
import type { Payout } from '../core/payout.ts';
import type { Change } from '../core/ports.ts';
import type { WorkerContext } from './context.ts';

/** What the check says about going on: pay, record a change instead, or stop because the line has. */
export type Verified =
  | { readonly kind: 'payable'; readonly names: BankNames }
  | { readonly kind: 'change'; readonly change: Change }
  | { readonly kind: 'stopped' };

/** How often an answer that says nothing about the payee is asked again; a sick service is waited for instead. */
const asksMax = 3;
const askAgainAfterMs = 250;

/** Checks the payee of a ready payout. */
export async function verifyPayee(context: WorkerContext, payout: Payout): Promise<Verified> {
  if (!context.verify.enabled) return { kind: 'payable', names: noBankNames };
  let asks = 0;
  for (;;) {
    if ((await context.gate.enter()) !== 'go') return { kind: 'stopped' };
    const finding = await askOnce(context, payout, asks + 1 >= asksMax);
    if (finding.kind === 'halt') return { kind: 'stopped' };
    if (finding.kind !== 'ask-again') return decideOnFinding(context, payout, finding);
    if (finding.isTrouble) continue;
    asks += 1;
    if (asks >= asksMax) return decideUnavailable(context, payout, finding.reason);
    await context.clock.sleep(askAgainAfterMs * asks, context.stop);
  }
}

async function askOnce(context: WorkerContext, payout: Payout, isLastAsk: boolean): Promise<PayeeFinding> {
  const { proxyType, proxyNo, payeeName } = payout.instruction;
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

function decideOnFinding(
  context: WorkerContext,
  payout: Payout,
  finding: Extract<PayeeFinding, { kind: 'payable' | 'unpayable' }>,
): Verified {
  const nowMs = context.clock.now();
  if (finding.kind === 'unpayable')
    return { kind: 'change', change: decideUnpayable(payout, finding.reason, nowMs) };
  const names: BankNames = { payeeName: finding.payeeName, payeeNameTh: finding.payeeNameTh };
  if (context.verify.onThaiNameMismatch === 'hold' && !isNameAccepted(payout, names)) {
    return { kind: 'change', change: decideNameHold(payout, names, nowMs) };
  }
  return { kind: 'payable', names };
}

/** A row that was held for this very name of the bank's and let go on has been looked at by a person. */
function isNameAccepted(payout: Payout, { payeeNameTh }: BankNames): boolean {
  const isReviewed = payeeNameTh !== null && payout.bankPayeeNameTh === payeeNameTh;
  return isReviewed || thaiNamesAgree(payout.instruction.payeeName, payeeNameTh);
}

function decideUnavailable(context: WorkerContext, payout: Payout, reason: ServiceTrouble): Verified {
  if (context.verify.whenUnavailable === 'pay') return { kind: 'payable', names: noBankNames };
  const text = `the payee check gave no answer: ${reason.text}`;
  const change = decideHold(payout, 'unavailable', { code: reason.code, text }, context.clock.now());
  return { kind: 'change', change };
}
