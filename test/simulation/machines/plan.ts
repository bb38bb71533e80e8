/** What a seed lets several machines meet: who lives when, who stands still, and what becomes of the way to the database. */
import type { Dice } from '../../support/dice.ts';
import { drawFiles } from '../planned-files.ts';
import { type Act, drawPlan, type Plan } from '../plan.ts';
import type { Freeze } from '../world.ts';
import type { LinkLuck } from './link.ts';
import { drawPutBack, type PutBackPlan } from './put-back.ts';

interface MachineLife {
  /** Since the end of the life before, or the beginning. */
  readonly gapMs: number;
  readonly killAtStep: number;
  /** A signal asks it to stop so long after its start. */
  readonly interruptAfterMs: number | undefined;
  readonly freezes: readonly Freeze[];
}

export interface PlannedMachine {
  /** Its wall clock less the true time. */
  readonly clockOffsetMs: number;
  readonly lives: readonly MachineLife[];
}

export interface ClusterPlan {
  readonly plan: Plan;
  readonly machines: readonly PlannedMachine[];
  /** So long everything goes on; then the bank is healthy, and so is all else. */
  readonly workMs: number;
  /** When each file is dropped, since the beginning. */
  readonly droppedAfterMs: readonly number[];
  readonly luck: LinkLuck;
  /** Times in which nobody reaches the database. */
  readonly aways: readonly { readonly afterMs: number; readonly ms: number }[];
  readonly jumps: readonly { readonly afterMs: number; readonly machine: number; readonly ms: number }[];
  readonly acts: readonly { readonly afterMs: number; readonly act: Act }[];
  /** Share of the transfers whose process stands still between its last look and the bytes. */
  readonly heldBytesShare: number;
  /** The clock of the database less the true time. */
  readonly databaseOffsetMs: number;
  /** No shard is larger: files are small here. */
  readonly shardRowsMax: number;
  /** In some runs the database is put back to an older copy of itself. */
  readonly putBack: PutBackPlan | undefined;
}

const secondMs = 1_000;
const minuteMs = 60 * secondMs;

const putBackShare = 0.25;
const losesMarksShare = 0.3;
const heldHelpersShare = 0.12;
const lateRepetitionsShare = 0.06;
const cancelledIntentsShare = 0.1;

const notFoundTrustMs = 2 * minuteMs;
/** In Bangkok. */
const noonMs = Date.UTC(2026, 10, 21, 5);

/** No process stands still for longer between its last look and the bytes: the 60 s after which no send is on its way. */
export const heldBytesMaxMs = 20 * secondMs;

/** Clocks may be off, or set. */
const hows = ['stopped', 'stopped', 'asleep'] as const;
const howsOfWrongClocks = [...hows, 'set-back', 'set-back'] as const;

function drawFreezes(dice: Dice, isOff: boolean): Freeze[] {
  if (!dice.chance(0.6)) return [];
  return Array.from({ length: dice.whole(1, 3) }, () => ({
    atStep: dice.wide(3, 400),
    // Shorter than a lease, or longer.
    ms: dice.chance(0.3) ? dice.wide(500, 9 * secondMs) : dice.wide(10 * secondMs, 90 * secondMs),
    how: dice.pick(isOff ? howsOfWrongClocks : hows),
  }));
}

function drawMachine(dice: Dice, place: number): PlannedMachine {
  const isOff = dice.chance(0.3);
  const lives = Array.from({ length: dice.whole(1, 3) }, (_, no): MachineLife => ({
    gapMs: no === 0 ? place * dice.whole(0, 3 * secondMs) : dice.wide(100, 30 * secondMs),
    killAtStep: dice.chance(0.5) ? dice.wide(5, 900) : Infinity,
    interruptAfterMs: dice.chance(0.2) ? dice.wide(100, minuteMs) : undefined,
    freezes: drawFreezes(dice, isOff),
  }));
  const offMs = isOff ? dice.wide(secondMs, 20 * minuteMs) * (dice.chance(0.5) ? 1 : -1) : 0;
  return { clockOffsetMs: offMs, lives };
}

function drawLuck(
  dice: Dice,
): Omit<LinkLuck, 'heldRepetitions' | 'heldIntents' | 'heldHelpers' | 'cancelledIntents'> {
  const share = (chance: number): number => (dice.chance(chance) ? dice.wide(3, 80) / 1_000 : 0);
  return {
    slow: share(0.6),
    cut: share(0.4),
    answerLost: share(0.5),
    neverTold: share(0.2),
    heldRenewals: dice.pick([0, 0, 0.03]),
  };
}

/** The bank and the files as in the other shapes, one process at a time taken out. */
function drawBankPlan(dice: Dice): Plan {
  const plan = drawPlan(dice, dice.pick(['simple', 'limits', 'limits', 'mixed'] as const));
  const { limits: _limits, ...rest } = plan;
  return {
    ...rest,
    // So that what is under way is under way for a while.
    ...(dice.chance(0.6) && {
      files: drawFiles(dice, 'outage'),
      faults: {
        ...plan.faults,
        'request-late': dice.pick([0.3, 0.9]),
        'token-slow': dice.pick([0, 0.1, 0.5]),
      },
    }),
    // As it must be set where several machines send.
    policy: { ...plan.policy, maxDelayMs: 15 * secondMs, notFoundTrustMs, intentMaxAgeMs: 0 },
    concurrency: dice.whole(1, 3),
    waitMs: dice.wide(10 * secondMs, minuteMs),
    lives: [],
    closures: plan.closures.map((one) => ({ ...one, toMs: Math.min(one.toMs, one.fromMs + minuteMs) })),
    disturbances: [],
    foreignPayoutIds: [],
    inquiryDay: 'any',
    untoldShare: 0,
  };
}

const acts: readonly Act[] = [
  ...(['stop-line', 'resume-batch', 'resume-batch', 'retry-batch', 'retry-batch', 'retry-payout'] as const),
  ...(['resume-payout', 'cancel-payout', 'cancel-batch'] as const),
];

const actsOnRows = ['retry-payout', 'retry-payout', 'resume-payout', 'resume-payout', 'retry-batch'] as const;

/** Nobody dies, and many transfers are lost: what is in doubt is sent again, and nothing stops the account. */
function letTransfersBeLost({ plan, machines, ...drawn }: ClusterPlan): ClusterPlan {
  const calm = { killAtStep: Infinity, interruptAfterMs: undefined, freezes: [] };
  return {
    ...drawn,
    plan: {
      ...plan,
      // What goes again although nothing is answered is counted by each machine for itself.
      policy: { ...plan.policy, resendsMax: 10 },
      waitMs: 10 * secondMs,
      inDoubtMax: 1_000,
      consecutiveFailures: 1_000,
      faults: { ...plan.faults, 'transfer-lost': 0.4 },
    },
    machines: machines.map(({ clockOffsetMs, lives }) => ({
      clockOffsetMs,
      lives: lives.slice(0, 1).map((life) => ({ ...life, ...calm })),
    })),
  };
}

/**
 * A helper stands still with what it has recorded, until others have settled it and longer. It has rows of a batch to itself
 * when people give back single ones while others are in doubt for long, and nobody else dies.
 */
function letOneOversleep(dice: Dice, drawn: ClusterPlan): ClusterPlan {
  const { workMs, luck } = drawn;
  const { plan, machines, ...lost } = letTransfersBeLost(drawn);
  // Whose clock is wrong is set back while it stands still: what it has recorded is not old by it.
  const isOff = dice.chance(0.5);
  return {
    ...lost,
    plan: {
      ...plan,
      clocksDiffer: isOff || plan.clocksDiffer === true,
      faults: { ...plan.faults, 'refused-payout': 0.4 },
    },
    machines: isOff ? machines.map((one) => ({ ...one, clockOffsetMs: -minuteMs })) : machines,
    workMs: workMs + 10 * minuteMs,
    luck: { ...luck, heldHelpers: 1 },
    acts: Array.from({ length: 15 }, () => ({
      afterMs: dice.wide(10 * secondMs, workMs + 3 * minuteMs),
      act: dice.pick(actsOnRows),
    })),
    // A machine stands still once, and not once more after its last look.
    heldBytesShare: 0,
  };
}

/** Whoever is to send again what was lost stands still before it records that, until its place is taken as a rule. */
function letRepetitionsBeLate(drawn: ClusterPlan): ClusterPlan {
  const { plan, ...lost } = letTransfersBeLost(drawn);
  return {
    ...lost,
    // Nothing goes again after midnight, nor while it might be found.
    plan: { ...plan, startMs: noonMs, closures: [], faults: { 'transfer-lost': 0.6 } },
    workMs: drawn.workMs + 3 * notFoundTrustMs,
    luck: { ...drawn.luck, heldRepetitions: 1 },
    heldBytesShare: 0,
  };
}

/** @param otherDice for what only some runs have: it leaves all others as they are */
export function drawCluster(dice: Dice, otherDice: Dice): ClusterPlan {
  const drawn = drawUsual(dice, otherDice);
  const isOfHelpers = otherDice.chance(heldHelpersShare);
  if (drawn.putBack !== undefined) return drawn;
  if (isOfHelpers) return letOneOversleep(otherDice, drawn);
  if (otherDice.chance(lateRepetitionsShare)) return letRepetitionsBeLate(drawn);
  if (otherDice.chance(cancelledIntentsShare))
    return { ...drawn, luck: { ...drawn.luck, cancelledIntents: 0.5 } };
  return drawn;
}

function drawUsual(dice: Dice, otherDice: Dice): ClusterPlan {
  const banksPlan = drawBankPlan(dice);
  const shortMs = dice.wide(30 * secondMs, 5 * minuteMs);
  const machines = Array.from({ length: dice.whole(2, 4) }, (_, place) => drawMachine(dice, place));
  const clocksDiffer = machines.some(({ clockOffsetMs }) => clockOffsetMs !== 0);
  const plan = { ...banksPlan, clocksDiffer };
  const putBack = otherDice.chance(putBackShare) ? drawPutBack(otherDice, shortMs) : undefined;
  const heldRepetitions = otherDice.pick([0, 0, 0, 0, 0, 0.7]);
  const heldIntents = otherDice.pick([0, 0, 0, 0, 0, 0.2]);
  const losesMarks = putBack !== undefined && otherDice.chance(losesMarksShare);
  // Nothing is sent again before a not-found is trusted.
  const workMs = shortMs + (heldRepetitions > 0 ? 2 * notFoundTrustMs : 0);
  const times = (most: number): number[] =>
    Array.from({ length: dice.whole(0, most) }, () => dice.wide(100, workMs));
  return {
    plan,
    machines,
    workMs,
    droppedAfterMs: plan.files.map((_file, place) => place * dice.wide(10, 20 * secondMs)),
    luck: { ...drawLuck(dice), heldRepetitions, heldIntents, heldHelpers: 0, cancelledIntents: 0 },
    aways: dice.chance(0.3)
      ? times(2).map((afterMs) => ({ afterMs, ms: dice.wide(100, 80 * secondMs) }))
      : [],
    jumps:
      clocksDiffer && dice.chance(0.6)
        ? times(2).map((afterMs) => ({
            afterMs,
            machine: dice.whole(0, machines.length - 1),
            ms: dice.wide(secondMs, 30 * minuteMs) * (dice.chance(0.5) ? 1 : -1),
          }))
        : [],
    acts: dice.chance(0.5) ? times(5).map((afterMs) => ({ afterMs, act: dice.pick(acts) })) : [],
    heldBytesShare: dice.pick([0, 0, 0.1, 0.4]),
    databaseOffsetMs: dice.pick([0, -5 * 3_600_000, 7 * 3_600_000]),
    shardRowsMax: dice.whole(1, 3),
    putBack: putBack && { ...putBack, losesMarks },
  };
}
