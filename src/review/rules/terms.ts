/** The decisions of people: their names, effects and requirements. */
import type { PayoutCause } from '../../core/payout.ts';

/** Decisions about one payout. */
export const payoutDecisions = [
  'go-on',
  'cancel',
  'release',
  'retry',
  'retry-corrected',
  'confirm-paid',
  'confirm-failed',
  'acknowledge',
] as const;
export type PayoutDecision = (typeof payoutDecisions)[number];

/** Decisions about one registration: named as for payouts, except those about its outcome. */
export const registrationDecisions = [
  'go-on',
  'cancel',
  'release',
  'retry',
  'retry-corrected',
  'confirm-registered',
  'confirm-refused',
  'confirm-failed',
  'acknowledge',
] as const;
export type RegistrationDecision = (typeof registrationDecisions)[number];

/** Decisions about a batch, a payer account, a break or a day's statement. */
export const otherDecisions = [
  'approve-batch',
  'resume-batch',
  'cancel-batch',
  'resume-payer',
  'halt-payer',
  'accept-break',
  'accept-statement',
  'adopt-statement',
] as const;
type OtherDecision = (typeof otherDecisions)[number];

export type Decision = PayoutDecision | RegistrationDecision | OtherDecision;

export const isPayoutDecision = (word: string): word is PayoutDecision =>
  payoutDecisions.some((name) => name === word);

export const isRegistrationDecision = (word: string): word is RegistrationDecision =>
  registrationDecisions.some((name) => name === word);

/** The requirements and the effect of a decision. */
export interface DecisionTerms {
  /** The name for people. */
  readonly label: string;
  readonly labelTh: string;
  /** The effect on one payout; callers add "… once another person has approved it" where it applies. */
  readonly effect: string;
  /** The decision can move money or declares an outcome, so that a second person checks it. */
  readonly needsSecond: boolean;
  /** The decision needs a reference to its proof. */
  readonly needsEvidence: boolean;
}

const term = (
  label: string,
  labelTh: string,
  effect: string,
  needs: { readonly second?: true; readonly evidence?: true } = {},
): DecisionTerms => ({
  label,
  labelTh,
  effect,
  needsSecond: needs.second === true,
  needsEvidence: needs.evidence === true,
});

const second = { second: true } as const;
const proof = { second: true, evidence: true } as const;

const confirmRegistered = term(
  'Confirm registered',
  'ยืนยันว่าลงทะเบียนสำเร็จ',
  'it counts as registered, by your proof',
  proof,
);
const confirmRefused = term(
  'Confirm refused',
  'ยืนยันว่าธนาคารปฏิเสธ',
  'it counts as refused, by your proof, and may be registered again',
  proof,
);
const acknowledge = term(
  'Acknowledge',
  'รับทราบ',
  'it leaves the queue, and an alarm ends; nothing else changes',
);

export const decisionTerms: Readonly<Record<Decision, DecisionTerms>> = {
  'go-on': term('Go on', 'ดำเนินการต่อ', 'lifts its holds: it is paid by the next run', second),
  cancel: term(
    'Cancel payout',
    'ยกเลิกรายการ',
    'it is never sent, and keeps its number until that is released',
  ),
  release: term(
    'Release the number',
    'ปลดเลขที่ให้ใช้ใหม่',
    'another file may pay under its payoutId from then on',
    second,
  ),
  retry: term(
    'Retry',
    'ส่งจ่ายใหม่',
    'it gets its next attempt, after the bank was asked about those before',
    second,
  ),
  'retry-corrected': term(
    'Retry corrected',
    'แก้ไขแล้วส่งจ่ายใหม่',
    'it gets its next attempt with the new payee or amount',
    second,
  ),
  'confirm-paid': term('Confirm paid', 'ยืนยันว่าจ่ายสำเร็จ', 'it counts as paid, by your proof', proof),
  'confirm-failed': term(
    'Confirm failed',
    'ยืนยันว่าจ่ายไม่สำเร็จ',
    'it counts as failed, by your proof, and may be paid again',
    proof,
  ),
  'confirm-registered': confirmRegistered,
  'confirm-refused': confirmRefused,
  acknowledge,
  'approve-batch': term('Approve', 'อนุมัติ', 'its rows are paid as they were sealed', second),
  'resume-batch': term('Resume the batch', 'ดำเนินการชุดต่อ', 'what waits of it is sent', second),
  'cancel-batch': term(
    'Cancel the batch',
    'ยกเลิกชุด',
    'nothing more of it is sent; the bank is asked about what was',
  ),
  'resume-payer': term('Resume the account', 'เปิดบัญชีผู้จ่ายต่อ', 'what waits on this account is sent', second),
  'halt-payer': term('Halt the account', 'หยุดจ่ายจากบัญชี', 'nothing more is sent from this account'),
  'accept-break': term('Accept break', 'ยอมรับผลต่าง', 'it counts as explained', second),
  'accept-statement': term(
    'Accept the statement',
    'ยอมรับรายการเดินบัญชี',
    'it takes the place of the version before, though it has fewer lines',
    second,
  ),
  'adopt-statement': term(
    'Adopt the statement',
    'ใช้รายการเดินบัญชีจากไฟล์',
    'the day is reconciled with this file',
    second,
  ),
};

/** The same decisions about a registration, with the same numbers of people and the same need for proof. */
export const registrationTerms: Readonly<Record<RegistrationDecision, DecisionTerms>> = {
  'go-on': term('Go on', 'ดำเนินการต่อ', 'lifts its holds: it is sent to the bank by the next run', second),
  cancel: term(
    'Cancel registration',
    'ยกเลิกการลงทะเบียน',
    'it is never sent, and keeps its number until that is released',
  ),
  release: term(
    'Release the number',
    'ปลดเลขที่ให้ใช้ใหม่',
    'another file may register under its registrationId from then on',
    second,
  ),
  retry: term('Retry', 'ส่งลงทะเบียนใหม่', 'it is sent to the bank once more, as a new request', second),
  'retry-corrected': term(
    'Retry corrected',
    'แก้ไขแล้วส่งลงทะเบียนใหม่',
    'it is sent to the bank with the new account, as a new request',
    second,
  ),
  'confirm-registered': confirmRegistered,
  'confirm-refused': confirmRefused,
  'confirm-failed': term(
    'Confirm failed',
    'ยืนยันว่าลงทะเบียนไม่สำเร็จ',
    'it counts as failed, by your proof, and may be registered again',
    proof,
  ),
  acknowledge,
};

/** The name and effect of a decision about targets of a kind. */
export const termsOf = (decision: Decision, kind: string | undefined): DecisionTerms =>
  kind === 'registration' && isRegistrationDecision(decision)
    ? registrationTerms[decision]
    : decisionTerms[decision];

/** The cause by which each decision changes a payout; the transition table limits the decisions by it. @forTests */
export const causeOf: Readonly<Record<PayoutDecision, PayoutCause>> = {
  'go-on': 'hold-lifted',
  cancel: 'cancelled',
  release: 'released',
  retry: 'tried-again',
  'retry-corrected': 'corrected',
  'confirm-paid': 'decided-paid',
  'confirm-failed': 'decided-failed',
  acknowledge: 'acknowledged',
};
