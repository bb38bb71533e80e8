/** What befalls a run beside its own kills, drawn from the seed: when, for how long, and in what order. */
import type { Dice } from '../support/dice.ts';

/** `both`: time passes for the bank too, as while a machine is suspended. `paydrop`: only its own clock is wrong. */
type ClockOwner = 'both' | 'paydrop';

export type Trouble =
  /** The bank is killed and comes back with its ledger. */
  | { readonly kind: 'bank'; readonly forMs: number }
  /** SIGSTOP, then SIGCONT; the clocks have gone on by `jumpMs` more when it goes on. */
  | { readonly kind: 'stop'; readonly forMs: number; readonly jumpMs: number }
  | { readonly kind: 'full-disk'; readonly forMs: number }
  | { readonly kind: 'read-only'; readonly forMs: number }
  /** paydrop's clock is wrong for a while, or, for `both`, time passes at a stroke. */
  | { readonly kind: 'clock'; readonly whose: ClockOwner; readonly jumpMs: number; readonly forMs: number }
  /** A person's command beside the run. */
  | { readonly kind: 'command'; readonly args: readonly string[] };

export interface PlannedTrouble {
  /** So many transfers have entered the bank. */
  readonly afterTransfers: number;
  readonly trouble: Trouble;
}

/** How often each befalls the run. */
export interface StormCounts {
  readonly bankKills: number;
  readonly stops: number;
  readonly fullDisks: number;
  readonly readOnlys: number;
  readonly clockJumps: number;
  readonly commands: number;
}

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** Shorter and longer than the scene's timeout of a request. */
const stopsMs: readonly (readonly [from: number, to: number])[] = [
  [50, 700],
  [1_100, 2_200],
];

/** How far a clock goes wrong; the last takes noon over midnight. */
const wrongByMs = [2 * second, -2 * second, 90 * second, -90 * second, 20 * minute, -20 * minute];
const wrongByMore = [3 * hour, -3 * hour, 13 * hour];

/** What passes at a stroke: a token's life, the margin before midnight, midnight itself. A night passes once. */
const shortPassesMs = [0, 5 * second, 20 * minute];
const nightMs = [11 * hour + 52 * minute, 13 * hour];

const commands: readonly (readonly string[])[] = [
  ['status'],
  ['settle'],
  ['resume', 'BATCH'],
  ['status', 'BATCH'],
  ['run', 'FILE'],
  ['show', 'PAYOUT'],
];

function drawStop(place: number, dice: Dice): Trouble {
  const [from, to] = stopsMs[place % stopsMs.length] ?? [0, 0];
  // Every second one is a machine that was suspended.
  const jumpMs = place % 4 < 2 ? 0 : dice.pick(shortPassesMs);
  return { kind: 'stop', forMs: dice.between(from, to), jumpMs };
}

/** Over midnight goes the first wrong clock and the second passing of time; the others are drawn. */
function drawClock(place: number, dice: Dice): Trouble {
  const forMs = dice.between(100, 1_500);
  if (place % 2 === 0) {
    const jumpMs = place === 0 ? 13 * hour : dice.pick([...wrongByMs, ...wrongByMore]);
    return { kind: 'clock', whose: 'paydrop', jumpMs, forMs };
  }
  const jumpMs = place === 1 ? dice.pick(nightMs) : dice.pick(shortPassesMs);
  return { kind: 'clock', whose: 'both', jumpMs, forMs };
}

/** Draws `count` troubles, one in each equal part of the run. */
function spread(
  count: number,
  transfers: number,
  dice: Dice,
  draw: (place: number) => Trouble,
): PlannedTrouble[] {
  return Array.from({ length: count }, (_, place) => ({
    // The batch is there once the first transfer is.
    afterTransfers: 1 + Math.floor(((place + dice.between(0, 1)) / count) * transfers),
    trouble: draw(place),
  }));
}

/** Plans a storm, in the order of its coming. @param transfers how many the file makes in all, about */
export function planStorm(counts: StormCounts, transfers: number, dice: Dice): PlannedTrouble[] {
  const forMs = (): number => dice.between(100, 1_200);
  // Room that the journal has taken before lasts it a while.
  const longer = (): number => dice.between(500, 2_500);
  const planned = [
    ...spread(counts.bankKills, transfers, dice, () => ({ kind: 'bank', forMs: forMs() })),
    ...spread(counts.stops, transfers, dice, (place) => drawStop(place, dice)),
    ...spread(counts.fullDisks, transfers, dice, () => ({ kind: 'full-disk', forMs: longer() })),
    ...spread(counts.readOnlys, transfers, dice, () => ({ kind: 'read-only', forMs: longer() })),
    ...spread(counts.clockJumps, transfers, dice, (place) => drawClock(place, dice)),
    ...spread(counts.commands, transfers, dice, (place) => {
      return { kind: 'command', args: commands[place % commands.length] ?? [] };
    }),
  ];
  return planned.toSorted((one, other) => one.afterTransfers - other.afterTransfers);
}

const showMs = (ms: number): string =>
  Math.abs(ms) >= minute ? `${Math.round(ms / minute)} min` : `${Math.round(ms)} ms`;

/** In words, for whoever watches. */
export function describeTrouble(trouble: Trouble): string {
  switch (trouble.kind) {
    case 'bank':
      return `the bank is killed, and back after ${showMs(trouble.forMs)}`;
    case 'stop':
      return `the run is stopped for ${showMs(trouble.forMs)}, in which the clocks go on by ${showMs(trouble.jumpMs)}`;
    case 'full-disk':
      return `the disk is full for ${showMs(trouble.forMs)}`;
    case 'read-only':
      return `the journal is read-only for ${showMs(trouble.forMs)}`;
    case 'clock':
      return trouble.whose === 'both'
        ? `${showMs(trouble.jumpMs)} pass at a stroke`
        : `paydrop's clock is wrong by ${showMs(trouble.jumpMs)} for ${showMs(trouble.forMs)}`;
    case 'command':
      return `a person types ${trouble.args.join(' ')}`;
  }
}
