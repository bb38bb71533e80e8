/** What the simulated bank remembers of what it has refused, and the plans that are about refusals alone. */
import type { Dice } from '../support/dice.ts';
import { deniesMoved, type FaultKind } from './faults.ts';
import type { Act, Disturbance, Plan } from './plan.ts';

export interface BankMemory {
  /**
   * What it keeps of a transfer that it has refused. `shown`: it counts as a duplicate, and inquiries show a failed item;
   * `forgotten`: nothing; `unshown`: it counts as a duplicate, and no inquiry shows it; `late`: an inquiry shows its
   * failed item some time later, and it counts as a duplicate from then on.
   */
  readonly refused: 'shown' | 'forgotten' | 'unshown' | 'late';
  /** An inquiry finds nothing that has ended longer ago. */
  readonly keepsMs: number;
  /** The same of what has failed. */
  readonly keepsFailedMs: number;
  /** An inquiry finds nothing that was sent under another terminal than its own. */
  readonly isByTerminal: boolean;
}

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

const drawMemory = (dice: Dice): BankMemory => {
  const keepsMs = dice.chance(0.15) ? dice.wide(26 * hourMs, 120 * hourMs) : Infinity;
  return {
    refused: dice.pick(['shown', 'shown', 'forgotten', 'forgotten', 'forgotten', 'unshown', 'late']),
    keepsMs,
    keepsFailedMs: dice.chance(0.2) ? Math.min(keepsMs, dice.wide(hourMs, 60 * hourMs)) : keepsMs,
    isByTerminal: dice.chance(0.3),
  };
};

/** How long a failed item that is written late takes. */
export const drawLateMs = (dice: Dice): number => dice.wide(secondMs, 40 * hourMs);

const acts: readonly Act[] = ['resume-batch', 'resume-payout', 'retry-batch', 'retry-payout', 'retry-batch'];

/** What comes between two sends of one number, each with how many runs have it. */
const between: readonly (readonly [FaultKind, number])[] = [
  ['refused-service', 0.7],
  ['refused-payer', 0.4],
  ['refused-payout', 0.5],
  ['reply-bare', 0.4],
  ['reply-lost', 0.4],
  ['reply-late', 0.2],
  ['transfer-very-late', 0.4],
  ['transfer-lost', 0.3],
  ['in-process', 0.3],
  ['in-process-long', 0.2],
  ['ends-failed', 0.3],
  ['hidden', 0.3],
  ['http-401', 0.2],
  ['http-403', 0.2],
  ['http-429', 0.2],
];

/** The bank refuses much, and people let it be sent again and again, on the same day and on later ones. */
export function makeRefusing(dice: Dice, plan: Plan): Plan {
  const faults: Partial<Record<FaultKind, number>> = {};
  for (const [kind, share] of between) if (dice.chance(share)) faults[kind] = dice.wide(50, 700) / 1_000;
  if (dice.chance(0.3)) faults[dice.chance(0.5) ? 'refused-bare-moved' : 'hidden-long'] = 0.3;
  const memory = drawMemoryFor(dice, faults);
  const disturbances = Array.from({ length: dice.whole(4, 14) }, (): Disturbance => {
    const atMs = plan.startMs + dice.wide(secondMs, dice.chance(0.6) ? 10 * minuteMs : 40 * hourMs);
    return { atMs, what: { kind: 'person', act: dice.pick(acts) } };
  });
  return {
    ...plan,
    lives: Array.from({ length: dice.whole(2, 5) }, (_, place) => ({
      gapMs: place === 0 ? 0 : dice.wide(10 * secondMs, dice.chance(0.6) ? 5 * minuteMs : 20 * hourMs),
      killAtStep: dice.chance(0.3) ? dice.wide(5, 300) : Infinity,
      interruptAfterMs: undefined,
      ...(dice.chance(0.2) && { termId: 'TERM0002' }),
    })),
    faults,
    disturbances,
    closures: [],
    consecutiveFailures: 1_000,
    waitMs: dice.wide(10 * secondMs, 200 * secondMs),
    memory,
  };
}

export const allKept = { keepsMs: Infinity, keepsFailedMs: Infinity } as const;

/** Of what it forgets a bank must not say that it has refused it, or nobody could tell. */
export function drawMemoryFor(dice: Dice, faults: Plan['faults']): BankMemory {
  const memory = drawMemory(dice);
  return deniesMoved(faults) ? { ...memory, ...allKept } : memory;
}
