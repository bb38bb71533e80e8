/** The decisions of people: their requirements, names and effects. */
import { type Argument, message, type Message, type PlainCode } from '../../core/message.ts';
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

/** The requirements of a decision; a registration's are those of the payout decision with the same name. */
interface DecisionTerms {
  /** The decision can move money or declares an outcome, so that a second person checks it. */
  readonly needsSecond: boolean;
  /** The decision needs a reference to its proof. */
  readonly needsEvidence: boolean;
}

const alone: DecisionTerms = { needsSecond: false, needsEvidence: false };
const second: DecisionTerms = { needsSecond: true, needsEvidence: false };
const proof: DecisionTerms = { needsSecond: true, needsEvidence: true };

export const decisionTerms: Readonly<Record<Decision, DecisionTerms>> = {
  'go-on': second,
  cancel: alone,
  release: second,
  retry: second,
  'retry-corrected': second,
  'confirm-paid': proof,
  'confirm-failed': proof,
  'confirm-registered': proof,
  'confirm-refused': proof,
  acknowledge: alone,
  'approve-batch': second,
  'resume-batch': second,
  'cancel-batch': alone,
  'resume-payer': second,
  'halt-payer': alone,
  'accept-break': second,
  'accept-statement': second,
  'adopt-statement': second,
};

/** Decisions whose words are the same whatever they are about. */
type EitherDecision = 'confirm-registered' | 'confirm-refused' | 'acknowledge';

/** True where a registration has words of its own. */
const isOfRegistration = (
  decision: string,
  kind: string | undefined,
): decision is Exclude<RegistrationDecision, EitherDecision> =>
  kind === 'registration' &&
  isRegistrationDecision(decision) &&
  decision !== 'confirm-registered' &&
  decision !== 'confirm-refused' &&
  decision !== 'acknowledge';

/** The name of a decision about targets of a kind. */
export function nameOfDecision(decision: Decision, kind: string | undefined): PlainCode {
  if (isOfRegistration(decision, kind)) return `registration-decision.${decision}`;
  const isOfBatch = decision === 'resume-batch' || decision === 'cancel-batch';
  return isOfBatch && kind === 'registration-batch'
    ? `registration-decision.${decision}`
    : `decision.${decision}`;
}

/** The outcome for a target; callers add "… once another person has approved it" where it applies. */
export const outcomeOfDecision = (decision: Decision, kind: string | undefined): PlainCode =>
  isOfRegistration(decision, kind) ? `registration-outcome.${decision}` : `decision-outcome.${decision}`;

/**
 * The effect of a decision on its target, for the person who decides.
 * @param what the target in words
 */
export const describeEffect = (decision: Decision, what: Argument, kind: string | undefined): Message =>
  isOfRegistration(decision, kind)
    ? message(`registration-effect.${decision}`, { what })
    : message(`decision-effect.${decision}`, { what });

/** A decision in a sentence: "retry 27 payouts, 110,802.83 baht". @param what the targets, counted */
export const describeAct = (decision: Decision, what: Argument): Message =>
  message(`decision-act.${decision}`, { what });

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
