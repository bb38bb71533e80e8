/** What the bank means by its codes (§7.3), written down apart from the code under test: a wrong table must be found. */
import type { Dice } from '../support/dice.ts';

/** Codes as a line of words. */
const list = (words: string): readonly string[] => words.split(' ');

/** The bank has refused it and moves no money for it; whom the refusal concerns. */
export const refusals = {
  payout: list(
    'PT001 EM068 EM069 EM070 EV006 EV011 EV033 EV037 EV038 EV039 EV040 EV042 EV043 EV051 EV052 EV053 EV055 EV056',
  ),
  payer: list('EM002 EM004 EM005 EM006 EM009 EM013 EM026 EM053 EM063 EV001 EV007 EV012 EV013 EV032 EV054'),
  service: list('TM001 EM058'),
};

export const allRefusals: readonly string[] = Object.values(refusals).flat();

/** The bank has the reference and works on it. */
export const processingCodes = ['EM066', 'EM073', 'ET001'] as const;

/** The bank has the reference. */
export const duplicateCode = 'EM001';

/** The bank has the reference with other details. */
export const otherDetailsCodes = ['EM059', 'EM067'] as const;

/** Says nothing about the money: it may have moved, or move later, or not at all. */
export const vagueCodes = list(
  'IC001 ED001 EA001 EA002 EA003 EA004 EM000 EM003 EM027 EV034 EV035 EV036 EV058 ET002 ET004',
);

export const successCode = 'IC000';

/** Codes of an inquiry that say nothing about the transfer. */
export function inquiryTrouble(dice: Dice): string {
  const said = ['IC001', 'EV034', 'EV035'];
  return dice.pick(allCodes.filter((code) => !said.includes(code)));
}

/** A code that §7.3 does not have. */
export const strangeCode = 'ZZ999';

export const allCodes: readonly string[] = [
  successCode,
  duplicateCode,
  ...processingCodes,
  ...otherDetailsCodes,
  ...vagueCodes,
  ...refusals.payout,
  ...refusals.payer,
  ...refusals.service,
];

const noItem = [undefined, '010001', '010002', '010003', '030004', '010009'] as const;

/** tranStatusCode of a transfer that has not ended (§3.2), or one that nobody knows. */
export const openState = (dice: Dice): string | undefined => dice.pick(noItem);

export const completeState = '010004';

/** The status and the code beside it of an item or a statement line, of which one says otherwise than the other. */
export function contradictoryCodes(dice: Dice, state: 'open' | 'complete' | 'failed'): [string, string] {
  const refusal = dice.pick(refusals.payout);
  if (state === 'failed')
    return dice.chance(0.5) ? [completeState, refusal] : [failedState(dice), successCode];
  const processing = dice.pick([...processingCodes, duplicateCode]);
  if (state === 'open') return [dice.pick([failedState(dice), completeState]), processing];
  return dice.chance(0.7) ? [failedState(dice), successCode] : [completeState, refusal];
}

/** A line says that its transfer failed, and no code of it says otherwise. */
export const saysFailed = (status: string, reasonCode: string): boolean =>
  ['030002', '030003'].includes(status) &&
  ![successCode, completeState, duplicateCode, ...otherDetailsCodes, ...processingCodes].includes(reasonCode);

export const failedState = (dice: Dice): string => dice.pick(['030002', '030003']);
