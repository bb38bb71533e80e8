/** The causes of changes within a sentence. */
import { type PlainCode, sayCode } from '../../core/message.ts';
import type { PayoutCause } from '../../core/payout.ts';

/** The separator of causes within a sentence; none of the words contains it. */
export const causesParted = ', then ';

/** The words of a cause within a sentence. @param words the English words of a cause */
export const causeWithin = (words: string): string => words.slice(0, 1).toLowerCase() + words.slice(1);

/** @param codes of the causes, in their order */
export const joinCauses = (codes: readonly PlainCode[]): string =>
  codes.map((code) => causeWithin(sayCode('en', code))).join(causesParted);

/** @param causes the causes in their order */
export const describeCauses = (causes: readonly PayoutCause[]): string =>
  joinCauses(causes.map((cause) => `payout-cause.${cause}` as const));
