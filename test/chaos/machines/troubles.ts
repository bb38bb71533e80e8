/** What befalls machines that work one journal, drawn from the seed: what, whom, when, and for how long. */
import type { PostgresKill } from '../../support/own-postgres.ts';
import type { Dice } from '../../support/dice.ts';
import type { TroubleCounts } from './options.ts';

/**
 * What a kill waits for, and then whom it hits: at `start` one that has only begun, `alone` one when all are at work and
 * nothing else befalls anybody until its rows have gone on.
 */
export type KillAt = 'time' | 'alone' | 'start' | 'claim' | 'work' | 'report' | 'archive';

/** How the way to the database fails. */
type Cut =
  /** The server ends some of the connections, whosever they are. */
  | { readonly how: 'terminate'; readonly backends: number }
  | { readonly how: 'break' | 'lose-answers' | 'stall' | 'close'; readonly forMs: number };

export type Trouble =
  /** It is started again after a while. */
  | {
      readonly kind: 'kill';
      readonly machine: number;
      readonly at: KillAt;
      readonly waitMs: number;
      readonly awayMs: number;
    }
  /** `report`: the sender, while it writes reports. */
  | {
      readonly kind: 'freeze';
      readonly machine: number;
      readonly at: 'time' | 'report';
      readonly forMs: number;
    }
  | { readonly kind: 'restart'; readonly how: PostgresKill; readonly forMs: number }
  | { readonly kind: 'cut'; readonly machine: number; readonly cut: Cut };

export type TroubleKind = Trouble['kind'];

export interface PlannedTrouble {
  /** So many transfers have entered the bank. */
  readonly afterTransfers: number;
  readonly trouble: Trouble;
}

/** Longer than a lease, and than what is left of one that was just renewed. */
const overLeaseMs = [10_500, 16_000] as const;
const withinLeaseMs = [500, 9_000] as const;

/** The sender is what is killed at a moment of a file: nobody else moves one. */
const killMoments: readonly KillAt[] = [
  'time',
  'time',
  'claim',
  'time',
  'report',
  'time',
  'start',
  'time',
  'archive',
  'time',
  'work',
];
const longAwayShare = 0.1;
/** Each costs a lease. */
const aloneEvery = 50;
const aloneFirst = 10;

function drawKill(place: number, machines: number, dice: Dice): Trouble {
  const isLongAway = dice.chance(longAwayShare);
  return {
    kind: 'kill',
    machine: dice.whole(0, machines - 1),
    at: place % aloneEvery === aloneFirst ? 'alone' : (killMoments[place % killMoments.length] ?? 'time'),
    waitMs: dice.between(0, place % 2 === 0 ? 15 : 400),
    awayMs: isLongAway ? dice.between(...overLeaseMs) : dice.between(0, 1_500),
  };
}

const shortFreezeEvery = 5;

/** Most outlast the lease; the first does. */
function drawFreeze(place: number, machines: number, dice: Dice): Trouble {
  const isShort = place % shortFreezeEvery === shortFreezeEvery - 1;
  const [from, to] = isShort ? withinLeaseMs : overLeaseMs;
  const at = place % 2 === 0 ? 'report' : 'time';
  return { kind: 'freeze', machine: dice.whole(0, machines - 1), at, forMs: dice.between(from, to) };
}

const longRestartEvery = 7;

function drawRestart(place: number, dice: Dice): Trouble {
  const isLong = place % longRestartEvery === longRestartEvery - 1;
  const forMs = isLong ? dice.between(...overLeaseMs) : dice.between(0, 2_500);
  return { kind: 'restart', how: place % 2 === 0 ? 'all' : 'postmaster', forMs };
}

const cutWays = [
  'terminate',
  'break',
  'lose-answers',
  'terminate',
  'stall',
  'lose-answers',
  'close',
] as const;
const longCutEvery = 10;
const shortCutMs = [200, 4_000] as const;
const loseAnswersMs = [5, 300] as const;

function drawCut(place: number, machines: number, dice: Dice): Trouble {
  const how = cutWays[place % cutWays.length] ?? 'break';
  const isLong = place % longCutEvery === longCutEvery - 1;
  const [from, to] = how === 'lose-answers' ? loseAnswersMs : isLong ? overLeaseMs : shortCutMs;
  const forMs = dice.between(from, to);
  const cut: Cut = how === 'terminate' ? { how, backends: dice.whole(1, 6) } : { how, forMs };
  return { kind: 'cut', machine: dice.whole(0, machines - 1), cut };
}

/** Nothing new comes once so much is paid: the rest is paid in what the last ones have left. */
const lastShare = 0.97;

/** Draws `count` troubles, one in each equal part of the transfers. */
function spread(
  count: number,
  transfers: number,
  dice: Dice,
  draw: (place: number) => Trouble,
): PlannedTrouble[] {
  return Array.from({ length: count }, (_, place) => ({
    afterTransfers: Math.floor(((place + dice.between(0, 1)) / count) * transfers * lastShare),
    trouble: draw(place),
  }));
}

/** Plans all of them, in the order of their coming. @param transfers how many are made in all, about */
export function planTroubles(
  { kills, freezes, restarts, cuts }: TroubleCounts,
  machines: number,
  transfers: number,
  dice: Dice,
): PlannedTrouble[] {
  const planned = [
    ...spread(kills, transfers, dice, (place) => drawKill(place, machines, dice)),
    ...spread(freezes, transfers, dice, (place) => drawFreeze(place, machines, dice)),
    ...spread(restarts, transfers, dice, (place) => drawRestart(place, dice)),
    ...spread(cuts, transfers, dice, (place) => drawCut(place, machines, dice)),
  ];
  return planned.toSorted((one, other) => one.afterTransfers - other.afterTransfers);
}

const showMs = (ms: number): string => `${Math.round(ms)} ms`;

/** In words, for whoever watches. */
export function describeTrouble(trouble: Trouble): string {
  switch (trouble.kind) {
    case 'kill':
      return `machine ${trouble.machine} or another is killed at ${trouble.at}, and away for ${showMs(trouble.awayMs)}`;
    case 'freeze':
      return `machine ${trouble.machine} or another stands still at ${trouble.at} for ${showMs(trouble.forMs)}`;
    case 'restart':
      return `the database is killed (${trouble.how}), and away for ${showMs(trouble.forMs)}`;
    case 'cut':
      return trouble.cut.how === 'terminate'
        ? `the server ends ${trouble.cut.backends} connections`
        : `the way of machine ${trouble.machine} to the database: ${trouble.cut.how}, ${showMs(trouble.cut.forMs)}`;
  }
}
