/** What a plan has of statements, and the plans that are about them alone. */
import type { Dice } from '../support/dice.ts';
import type { FaultKind, Plan, PlannedLife, PlannedStatement } from './plan.ts';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Of most occasions, or of a few. */
export const often = (dice: Dice): number => dice.wide(200, 950) / 1_000;

const statementKinds = [
  ...(['honest', 'honest', 'early', 'empty', 'hasty', 'hasty', 'hasty', 'old'] as const),
] satisfies PlannedStatement['how'][];

function drawStatement(dice: Dice, lives: readonly PlannedLife[]): PlannedStatement {
  return {
    life: dice.whole(0, lives.length - 1),
    afterMs: dice.wide(20, dice.chance(0.8) ? 30 * secondMs : 2 * hourMs),
    isOfDayBefore: dice.chance(0.2),
    how: dice.pick(statementKinds),
    by: dice.pick(['bank', 'bank', 'bank', 'file', 'insists'] as const),
    lagMs: dice.chance(0.6) ? dice.wide(1, 200) : dice.wide(200, 10 * minuteMs),
    killAtStep: dice.chance(0.15) ? dice.whole(1, 8) : Infinity,
  };
}

export function drawStatements(dice: Dice, lives: readonly PlannedLife[]): PlannedStatement[] {
  const all = Array.from({ length: dice.whole(1, 8) }, () => drawStatement(dice, lives));
  // What is called failed too early is withdrawn again.
  const withdrawn = all
    .filter(({ how }) => how === 'hasty' && dice.chance(0.4))
    .map((one): PlannedStatement => {
      const afterMs = one.afterMs + one.lagMs + dice.wide(100, minuteMs);
      return { ...one, afterMs, how: dice.pick(['early', 'empty']), by: 'insists', killAtStep: Infinity };
    });
  return [...all, ...withdrawn];
}

/** Answers that let something come in between, each with how many runs have it. */
export const slowFaults: readonly (readonly [FaultKind, number])[] = [
  ['in-process', 0.8],
  ['in-process-long', 0.4],
  ['request-late', 0.5],
  ['reply-late', 0.4],
  ['reply-lost', 0.3],
  ['ends-failed', 0.2],
];

/** One statement calls failed what the bank completes while it is read, and is asked about at that moment. */
export function makeHasty(dice: Dice, plan: Plan): Plan {
  const [first, ...lives] = plan.lives;
  const times = { afterMs: dice.wide(100, 5 * secondMs), lagMs: dice.wide(500, 30 * secondMs) };
  return {
    ...plan,
    isVerifying: false,
    lives: [{ gapMs: 0, ...first, killAtStep: Infinity, interruptAfterMs: undefined }, ...lives],
    faults: { 'in-process': 0.9, 'request-late': often(dice), 'reply-late': dice.pick([0, 0.3]) },
    closures: [],
    statements: [{ ...times, life: 0, isOfDayBefore: false, how: 'hasty', by: 'bank', killAtStep: Infinity }],
  };
}

/** What one statement calls failed another withdraws, while the same payoutIds of a second file are about to be sent. */
export function makeWithdrawn(dice: Dice, plan: Plan): Plan {
  const [file] = plan.files;
  const files = file === undefined ? [] : [file, { ...file, name: 'again.csv', fromLife: 1 }];
  const life: PlannedLife = { gapMs: 0, killAtStep: Infinity, interruptAfterMs: undefined };
  const statement = { isOfDayBefore: false, killAtStep: Infinity } as const;
  return {
    ...plan,
    // The same day, to its end.
    startMs: plan.startMs - ((plan.startMs + 7 * hourMs) % dayMs) + dice.whole(hourMs, 20 * hourMs),
    isVerifying: false,
    similarDays: 0,
    files,
    lives: [life, { ...life, gapMs: dice.wide(secondMs, minuteMs) }],
    faults: { 'in-process': 0.9, 'ends-failed': 0.7, 'request-late': often(dice) },
    closures: [],
    disturbances: [],
    statements: [
      { ...statement, life: 0, afterMs: dice.wide(100, 2 * secondMs), how: 'hasty', by: 'bank', lagMs: 100 },
      { ...statement, life: 1, afterMs: dice.wide(10, 5 * secondMs), how: 'empty', by: 'insists', lagMs: 1 },
    ],
  };
}

/** A bank whose statements contradict themselves inside a line, some of them where another one was whole, or too early. */
export const makeContradicting = (dice: Dice, plan: Plan): Plan => ({
  ...plan,
  statements: plan.statements.map((one) =>
    ['honest', 'hasty', 'empty'].includes(one.how) && dice.chance(0.6)
      ? { ...one, how: 'contradicting' }
      : one,
  ),
});
