/** What people decide in a run, and when: beside whoever sends, and between two lives. */
import type { Dice } from '../../support/dice.ts';
import type { FaultKind, Plan, PlannedLife } from '../plan.ts';

/** One thing that a person does at a moment. */
export interface PlannedDecision {
  /** Since the beginning of which life, from 0; those of `Infinity` come between the lives of the end. */
  readonly life: number;
  readonly afterMs: number;
  readonly act: 'propose' | 'check' | 'withdraw' | 'sweep' | 'halt-batch';
  /** From the look at what there is to the word: meanwhile it may change. */
  readonly thinksMs: number;
  /** The command is killed after this one of its steps. */
  readonly killAtStep: number;
}

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

const usual = ['propose', 'propose', 'propose', 'check', 'check', 'check', 'withdraw', 'sweep'] as const;
const acts = [...usual, 'halt-batch'] as const;

function drawDecision(dice: Dice, life: number): PlannedDecision {
  return {
    life,
    afterMs: dice.wide(20, dice.chance(0.7) ? 20 * secondMs : 10 * minuteMs),
    act: dice.pick(acts),
    thinksMs: dice.chance(0.5) ? dice.whole(0, 20) : dice.wide(20, 5 * minuteMs),
    killAtStep: dice.chance(0.2) ? dice.whole(1, 12) : Infinity,
  };
}

/** So many of the end are in each pause. */
export const decisionsAtRest = 6;

function drawDecisions(dice: Dice, lives: readonly PlannedLife[]): PlannedDecision[] {
  const beside = lives.flatMap((_, life) =>
    Array.from({ length: dice.whole(2, 12) }, () => drawDecision(dice, life)),
  );
  const atRest = Array.from({ length: 4 * decisionsAtRest }, () => drawDecision(dice, Infinity));
  return [...beside, ...atRest];
}

/** What leaves rows failed, unresolved or held, and how often. */
const troubles: readonly (readonly [FaultKind, number])[] = [
  ['refused-payout', 0.6],
  ['vague-unmoved', 0.4],
  ['transfer-lost', 0.4],
  ['reply-lost', 0.3],
  ['in-process-long', 0.3],
  ['ends-failed', 0.3],
  ['check-other-name', 0.3],
];

/** Doubt is given up soon, so that people can end it; both clocks are right, and nobody steps in otherwise. */
export function addDecisions(dice: Dice, plan: Plan): Plan {
  const faults: Partial<Record<FaultKind, number>> = { ...plan.faults };
  for (const [kind, share] of troubles) if (dice.chance(share)) faults[kind] ??= dice.wide(100, 700) / 1_000;
  const giveUpAfterMs = dice.pick([30 * secondMs, 2 * minuteMs, hourMs]);
  return {
    ...plan,
    policy: { ...plan.policy, giveUpAfterMs },
    faults,
    disturbances: plan.disturbances.filter(({ what }) => what.kind === 'suspend'),
    bankOffsetMs: 0,
    dateOffsetMs: 0,
    inquiryDay: 'any',
    foreignPayoutIds: [],
    decisions: drawDecisions(dice, plan.lives),
  };
}
