/** What a seed lets happen: files, lives of the process, and which faults occur how often. */
import type { SettlePolicy } from '../../src/payout/rules/resend.ts';
import type { Dice } from '../support/dice.ts';
import type { PlannedLimits } from './limit-watch.ts';
import { addDecisions, type PlannedDecision } from './decisions/plan.ts';
import { conspiracies, deniesMoved, type FaultKind, faultKinds, patienceFaults } from './faults.ts';
import { drawFiles, type PlannedFile } from './planned-files.ts';
import {
  drawStatements,
  makeContradicting,
  makeHasty,
  makeWithdrawn,
  often,
  slowFaults,
} from './planned-statements.ts';
import { type BankMemory, drawMemoryFor, makeRefusing } from './refusals.ts';

export type { FaultKind } from './faults.ts';

/** A time in which the bank's service is closed. */
export interface Closure {
  readonly fromMs: number;
  readonly toMs: number;
  readonly how: 'TM001' | 'EM058' | 'ET004' | 'ET002' | 'http-503' | 'http-429' | 'unreachable' | 'silent';
}

/** A time in which transfers get no answer, while everything else is answered. */
interface Outage {
  readonly fromMs: number;
  readonly toMs: number;
  /** Share of those transfers that reach the bank all the same. */
  readonly reachesShare: number;
}

export interface PlannedLife {
  /** Since the end of the life before. */
  readonly gapMs: number;
  readonly killAtStep: number;
  /** A signal asks it to stop this long after its start. */
  readonly interruptAfterMs: number | undefined;
  /** Its terminal, where it is not the usual one. */
  readonly termId?: string;
}

export type Act =
  | 'stop-line'
  | 'resume-batch'
  | 'cancel-batch'
  | 'retry-batch'
  | 'resume-payout'
  | 'cancel-payout'
  | 'retry-payout';

export interface Disturbance {
  readonly atMs: number;
  readonly what:
    | { readonly kind: 'suspend'; readonly ms: number }
    | { readonly kind: 'clock-jump'; readonly ms: number }
    | { readonly kind: 'person'; readonly act: Act };
}

/** How the bank looks a transfer up: whose date it expects in an inquiry is not shown (§2.6). */
export type InquiryDay = 'any' | 'transfer-date' | 'received-date';

/** Who gives us a statement: the bank, a person who has its file, or one who insists on it. */
export type StatementGiver = 'bank' | 'file' | 'insists';

/** A statement that the bank writes while we work, or between two lives. */
export interface PlannedStatement {
  /** Since the beginning of which life, from 0. */
  readonly life: number;
  readonly afterMs: number;
  /** Of the day before that moment, by the bank's clock, or of the day itself. */
  readonly isOfDayBefore: boolean;
  /**
   * `early`: half of the lines are missing; `hasty`: what is in process is called failed; `contradicting`: STATUS and
   * REASON CODE of a line say different things; `old`: one that was written before comes again.
   */
  readonly how: 'honest' | 'early' | 'empty' | 'hasty' | 'contradicting' | 'old';
  readonly by: StatementGiver;
  /** From its writing to its reading. */
  readonly lagMs: number;
  readonly killAtStep: number;
}

export interface Plan {
  readonly startMs: number;
  readonly policy: SettlePolicy;
  readonly inDoubtMax: number;
  readonly consecutiveFailures: number;
  readonly isVerifying: boolean;
  readonly whenUnavailable: 'hold' | 'pay';
  readonly concurrency: number;
  readonly waitMs: number;
  /** How long a reply is waited for. */
  readonly timeoutMs: number;
  /** Like payouts of so many days before are held; 0 for none. */
  readonly similarDays: number;
  /** None where it is left out. */
  readonly limits?: PlannedLimits;
  readonly files: readonly PlannedFile[];
  readonly lives: readonly PlannedLife[];
  readonly faults: Readonly<Partial<Record<FaultKind, number>>>;
  readonly closures: readonly Closure[];
  /** Nothing else goes wrong in a run with one; undefined in all others. */
  readonly outage: Outage | undefined;
  readonly disturbances: readonly Disturbance[];
  /** The bank's clock less the true time; it counts its days by it. */
  readonly bankOffsetMs: number;
  /** The bank's `Date` header less the bank's clock. */
  readonly dateOffsetMs: number;
  /** The reply to the token bears that header, so that the bank's time is known before anything is sent. */
  readonly tokenTellsTime: boolean;
  readonly inquiryDay: InquiryDay;
  /** References that somebody else has used before us, by payoutId. */
  readonly foreignPayoutIds: readonly string[];
  /** Chance that what waits to be synced reaches the disk when the process is killed. */
  readonly untoldShare: number;
  /** How the bank breaks its own rules. */
  readonly lie: 'none' | 'refused-and-moved' | 'failed-and-completed';
  /** Before which life somebody changes the amount of a row that is sealed and not sent; none where it is left out. */
  readonly editedBeforeLife?: number;
  readonly memory: BankMemory;
  /** What people decide by the review; undefined where they step in by the commands of before. */
  readonly decisions?: readonly PlannedDecision[];
  /** Machines with clocks of their own pay together, so that none can tell what another's has shown. */
  readonly clocksDiffer?: boolean;
  /** None in most runs. */
  readonly statements: readonly PlannedStatement[];
}

/**
 * How much goes on; `people` is about files that repeat one another and persons who step in,
 * `lying` about a bank that breaks its own rules, `outage` about transfers that hang while inquiries are answered,
 * `edited` about somebody who changes an amount in the journal, `clocks` about a machine that sleeps and clocks that
 * are set while replies are on their way, `limits` about limits over time, `statements` about statements that are read
 * meanwhile, `decisions` about people who propose and check, whatever else goes on.
 */
export type Shape = DrawnShape | 'statements' | 'decisions';
export type DrawnShape =
  'simple' | 'mixed' | 'wild' | 'people' | 'lying' | 'outage' | 'edited' | 'clocks' | 'limits';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** 2026-11-21 00:00 in Bangkok. */
const firstMidnightMs = Date.UTC(2026, 10, 20, 17);

const defaultPolicy: SettlePolicy = {
  firstDelayMs: 2_000,
  maxDelayMs: 300_000,
  giveUpAfterMs: dayMs,
  notFoundTrustMs: 120_000,
  resendsMax: 2,
  intentMaxAgeMs: 0,
};

/** The same proportions at a pace that needs fewer steps. */
const quickPolicy: SettlePolicy = {
  ...defaultPolicy,
  firstDelayMs: 1_000,
  maxDelayMs: 30_000,
  notFoundTrustMs: 15_000,
  intentMaxAgeMs: 120_000,
};

function drawStart(dice: Dice): number {
  if (dice.chance(0.35)) return firstMidnightMs + dayMs - dice.whole(1, 10 * minuteMs);
  return firstMidnightMs + dice.whole(0, dayMs);
}

/** How many kinds of fault a run has at most. */
const faultKindsMax: Readonly<Record<DrawnShape, number>> = {
  simple: 2,
  mixed: 7,
  wild: 16,
  people: 3,
  lying: 2,
  outage: 0,
  edited: 0,
  clocks: 0,
  limits: 3,
};

function drawFaults(dice: Dice, shape: DrawnShape): Plan['faults'] {
  const faults: Partial<Record<FaultKind, number>> = {};
  const kinds = dice.whole(0, faultKindsMax[shape]);
  for (let count = 0; count < kinds; count += 1) {
    faults[dice.pick(faultKinds)] = dice.chance(0.3) ? often(dice) : dice.wide(5, 400) / 1_000;
  }
  if (dice.chance(shape === 'simple' ? 0.15 : 0.4)) {
    const together = dice.pick(conspiracies);
    for (const kind of together)
      if (dice.chance(0.8)) faults[kind] = together.length === 1 ? 0.95 : often(dice);
  }
  // Of what it hides for long a bank must not say that it has refused it, or nobody could tell.
  if (deniesMoved(faults)) delete faults['hidden-long'];
  if (shape === 'people') faults['refused-payer'] = dice.wide(10, 500) / 1_000;
  // A full disk ends the process each time: now and then is enough.
  if (faults['disk-full'] !== undefined) faults['disk-full'] = Math.min(faults['disk-full'], 0.02);
  return faults;
}

function drawGap(dice: Dice): number {
  const spans = [
    [100, 5 * secondMs],
    [5 * secondMs, 5 * minuteMs],
    [30 * secondMs, 4 * minuteMs],
    [5 * minuteMs, 3 * hourMs],
    [3 * hourMs, 30 * hourMs],
  ] as const;
  const [from, to] = dice.pick(spans);
  return dice.wide(from, to);
}

function drawLives(dice: Dice, shape: DrawnShape): PlannedLife[] {
  const count = dice.whole(1, shape === 'simple' ? 2 : 4);
  return Array.from({ length: count }, (_, place) => ({
    gapMs: place === 0 ? 0 : drawGap(dice),
    killAtStep: dice.chance(shape === 'people' ? 0.2 : 0.7)
      ? dice.wide(1, shape === 'simple' ? 60 : 300)
      : Infinity,
    interruptAfterMs: dice.chance(0.15) ? dice.wide(5, minuteMs) : undefined,
    ...(dice.chance(0.15) && { termId: 'TERM0002' }),
  }));
}

const closureKinds: readonly Closure['how'][] = [
  ...(['TM001', 'EM058', 'ET004', 'ET002', 'http-503', 'http-429', 'unreachable', 'silent'] as const),
];

function drawClosures(dice: Dice, shape: DrawnShape, startMs: number): Closure[] {
  if (shape === 'simple' || !dice.chance(0.3)) return [];
  const fromMs = startMs + dice.wide(1, 10 * minuteMs);
  return [{ fromMs, toMs: fromMs + dice.wide(secondMs, 8 * hourMs), how: dice.pick(closureKinds) }];
}

const acts: readonly Act[] = [
  ...([
    'resume-batch',
    'resume-batch',
    'resume-payout',
    'retry-batch',
    'retry-batch',
    'retry-payout',
  ] as const),
  ...(['cancel-batch', 'cancel-payout', 'stop-line'] as const),
];

function drawDisturbances(dice: Dice, shape: DrawnShape, startMs: number, mayJump: boolean): Disturbance[] {
  const disturbances: Disturbance[] = [];
  const isPeople = shape === 'people' || shape === 'lying';
  const count =
    shape === 'simple'
      ? 0
      : dice.whole(
          isPeople ? 6 : 0,
          { mixed: 4, wild: 8, people: 16, lying: 16, outage: 0, edited: 0, clocks: 0, limits: 6 }[shape],
        );
  for (let place = 0; place < count; place += 1) {
    const atMs = startMs + dice.wide(10, isPeople ? secondMs : 20 * minuteMs);
    const kind = isPeople
      ? 'person'
      : dice.pick(['suspend', 'clock-jump', 'person', 'person', 'person'] as const);
    if (kind === 'person') disturbances.push({ atMs, what: { kind, act: dice.pick(acts) } });
    else if (kind === 'suspend')
      disturbances.push({ atMs, what: { kind, ms: dice.wide(secondMs, 10 * hourMs) } });
    else if (mayJump) {
      const ms = dice.wide(secondMs, 26 * hourMs) * (dice.chance(0.5) ? 1 : -1);
      disturbances.push({ atMs, what: { kind, ms } });
    }
  }
  return disturbances;
}

/**
 * Somebody else has used some of our references before us on the same day. An inquiry carries no amount or payee, so
 * only the bank's answer to the transfer can tell: nothing else goes wrong in such a run.
 */
function giveAway(dice: Dice, plan: Plan): Plan {
  const payoutIds = plan.files.flatMap(({ rows }) =>
    rows.flatMap(({ instruction }) => instruction?.payoutId ?? []),
  );
  return {
    ...plan,
    startMs: firstMidnightMs + hourMs,
    lives: [{ gapMs: 0, killAtStep: Infinity, interruptAfterMs: undefined }],
    faults: { 'in-process': 0.3, hidden: 0.3, 'others-items': 0.5, 'earlier-failed-items': 0.3 },
    closures: [],
    disturbances: [],
    bankOffsetMs: 0,
    inquiryDay: 'any',
    foreignPayoutIds: payoutIds.filter(() => dice.chance(0.4)),
  };
}

/** Nothing else goes wrong, so that whatever the bank lets slip is seen to be written down. */
function makeLying(dice: Dice, plan: Plan): Plan {
  return {
    ...plan,
    lives: plan.lives.map((life) => ({ ...life, killAtStep: Infinity, interruptAfterMs: undefined })),
    faults: { 'refused-payout': 0.4, 'ends-failed': 0.5, 'in-process': 0.4, 'reply-lost': 0.1 },
    closures: [],
    bankOffsetMs: 0,
    dateOffsetMs: 0,
    inquiryDay: 'any',
    lie: dice.pick(['refused-and-moved', 'failed-and-completed']),
  };
}

/** Long enough for every outage to be waited out. */
const outageWaitMs = 3 * hourMs;

/** Nothing else goes wrong, so that how soon everything is settled can be told. */
function makeOutage(dice: Dice, plan: Plan): Plan {
  // Later in the day the same transfer may not go again for as long as an outage lasts.
  const startMs = firstMidnightMs + dice.whole(hourMs, 20 * hourMs);
  const fromMs = startMs + dice.wide(1, 300);
  const toMs = fromMs + dice.wide(30 * secondMs, 40 * minuteMs);
  return {
    ...plan,
    startMs,
    policy: defaultPolicy,
    timeoutMs: 30 * secondMs,
    inDoubtMax: 200,
    consecutiveFailures: 1_000,
    waitMs: outageWaitMs,
    similarDays: 0,
    lives: [{ gapMs: 0, killAtStep: Infinity, interruptAfterMs: undefined }],
    faults: {},
    closures: [],
    outage: { fromMs, toMs, reachesShare: dice.pick([0, 0.3, 0.8]) },
    disturbances: [],
    bankOffsetMs: 0,
    dateOffsetMs: 0,
    tokenTellsTime: true,
    inquiryDay: 'any',
    lie: 'none',
  };
}

/** The machine sleeps with replies on their way, or clocks are set in the midst; little else goes wrong. */
function makeClocks(dice: Dice, plan: Plan): Plan {
  return dice.chance(0.2) ? makeEarlyMidnight(dice, plan) : makeSleep(dice, plan);
}

/** For our clock alone it is tomorrow when the file is sent; the program dies soon, and our clock is set right. */
function makeEarlyMidnight(dice: Dice, plan: Plan): Plan {
  const startMs = firstMidnightMs - dice.whole(6, 12) * minuteMs;
  const ms = dice.whole(15, 30) * minuteMs;
  const jump = { kind: 'clock-jump', ms } as const;
  return {
    ...plan,
    startMs,
    policy: defaultPolicy,
    timeoutMs: 30 * secondMs,
    isVerifying: false,
    lives: [
      { gapMs: 0, killAtStep: 2, interruptAfterMs: undefined },
      { gapMs: dice.wide(secondMs, minuteMs), killAtStep: dice.whole(8, 16), interruptAfterMs: undefined },
      { gapMs: 3 * hourMs, killAtStep: Infinity, interruptAfterMs: undefined },
    ],
    disturbances: [
      { atMs: startMs + 1, what: jump },
      { atMs: startMs + 5 * minuteMs, what: { ...jump, ms: -ms } },
    ],
    faults: { 'transfer-very-late': 0.6, 'transfer-lost': 0.2 },
    closures: [],
    bankOffsetMs: 0,
    dateOffsetMs: 0,
    tokenTellsTime: false,
    inquiryDay: 'received-date',
  };
}

function makeSleep(dice: Dice, plan: Plan): Plan {
  const startMs = firstMidnightMs + dice.whole(hourMs, 22 * hourMs);
  const isBanks = dice.chance(0.7);
  const disturbances = Array.from({ length: dice.whole(3, 8) }, (): Disturbance => {
    const atMs = startMs + dice.wide(10, secondMs);
    if (isBanks || dice.chance(0.5))
      return { atMs, what: { kind: 'suspend', ms: dice.wide(minuteMs, 10 * hourMs) } };
    const ms = dice.wide(minuteMs, 26 * hourMs) * (dice.chance(0.5) ? 1 : -1);
    return { atMs, what: { kind: 'clock-jump', ms } };
  });
  return {
    ...plan,
    startMs,
    disturbances,
    lives: plan.lives.map((life) => ({ ...life, killAtStep: Infinity, interruptAfterMs: undefined })),
    faults: { 'in-process': 0.2, 'reply-late': 0.2 },
    closures: [],
    bankOffsetMs: isBanks ? dice.wide(hourMs, 20 * hourMs) * (dice.chance(0.5) ? 1 : -1) : 0,
    dateOffsetMs: 0,
    inquiryDay: 'any',
  };
}

/** The bank closes soon after the file was sealed, and is open again when the amount has been changed. */
function makeEdited(dice: Dice, plan: Plan): Plan {
  const gapMs = dice.wide(20 * minuteMs, 2 * hourMs);
  const fromMs = plan.startMs + dice.wide(1, 2 * secondMs);
  const life = { killAtStep: Infinity, interruptAfterMs: undefined };
  return {
    ...plan,
    files: plan.files.map((file) => ({ ...file, fromLife: 0 })),
    lives: [
      { ...life, gapMs: 0 },
      { ...life, gapMs },
    ],
    faults: {},
    closures: [{ fromMs, toMs: fromMs + 15 * minuteMs, how: 'unreachable' }],
    disturbances: [],
    editedBeforeLife: 1,
  };
}

/** Clocks are right, so that it can be told on which day something was submitted; all else may go wrong. */
function makeLimited(dice: Dice, plan: Plan): Plan {
  const limits: PlannedLimits = {
    bahtPerDay: dice.pick(['0', '6000', '12000']),
    bahtPerPayeePerDay: dice.pick(['0', '0', '5000']),
    filesPerDay: dice.pick([0, 0, 1]),
    newPayeeBaht: dice.pick(['0', '0', '0', '4000']),
    closedDates: dice.pick([[], [], [], ['2026-11-22']]),
  };
  const disturbances = plan.disturbances.filter(({ what }) => what.kind !== 'clock-jump');
  return { ...plan, limits, disturbances, bankOffsetMs: 0, dateOffsetMs: 0, inquiryDay: 'any' };
}

/** What the other shapes bring, and statements; both clocks are right, by which a statement is of this day or another. */
function drawWithStatements(dice: Dice): Plan {
  const plan = drawWithUsualStatements(dice);
  return dice.chance(0.25) ? makeContradicting(dice, plan) : plan;
}

function drawWithUsualStatements(dice: Dice): Plan {
  const usual = drawUsual(dice, dice.pick(['simple', 'mixed', 'people', 'wild'] as const));
  const plan: Plan = {
    ...usual,
    disturbances: usual.disturbances.filter(({ what }) => what.kind !== 'clock-jump'),
    bankOffsetMs: 0,
    dateOffsetMs: 0,
    inquiryDay: 'any',
  };
  if (dice.chance(0.4)) return makeHasty(dice, plan);
  if (dice.chance(0.1)) return makeWithdrawn(dice, plan);
  const faults: Partial<Record<FaultKind, number>> = { ...plan.faults };
  for (const [kind, share] of slowFaults) if (dice.chance(share)) faults[kind] ??= often(dice);
  return { ...plan, faults, statements: drawStatements(dice, plan.lives) };
}

/** Statements are honest here: what people decide by them is what is looked at. */
function drawWithDecisions(dice: Dice): Plan {
  const usual = drawUsual(dice, dice.pick(['simple', 'mixed', 'people', 'people'] as const));
  const statements = dice.chance(0.5) ? drawStatements(dice, usual.lives) : [];
  const honest = statements.map((one): PlannedStatement => ({ ...one, how: 'honest', by: 'bank' }));
  return addDecisions(dice, { ...usual, statements: honest });
}

/** Everything that the seed decides beforehand. */
export function drawPlan(dice: Dice, shape: Shape): Plan {
  if (shape === 'statements') return drawWithStatements(dice);
  if (shape === 'decisions') return drawWithDecisions(dice);
  const plan = drawUsual(dice, shape);
  if (shape === 'lying') return makeLying(dice, plan);
  if (shape === 'outage') return makeOutage(dice, plan);
  if (shape === 'edited') return makeEdited(dice, plan);
  if (shape === 'clocks') return makeClocks(dice, plan);
  if (shape === 'limits') return makeLimited(dice, plan);
  if (dice.chance(0.03)) return giveAway(dice, plan);
  return dice.chance(0.12) ? makeRefusing(dice, plan) : plan;
}

function drawUsual(dice: Dice, shape: DrawnShape): Plan {
  const startMs = drawStart(dice);
  const isHurried = dice.chance(0.7);
  const policy = isHurried ? quickPolicy : defaultPolicy;
  // Two clocks that are wrong in the same way cannot be told from two right ones: at most one of them is.
  const wrongClock =
    shape === 'simple' ? 'none' : dice.pick(['none', 'none', 'ours', 'bank', 'date'] as const);
  const offsetMs = dice.wide(secondMs, 20 * hourMs) * (dice.chance(0.5) ? 1 : -1);
  const faults = drawFaults(dice, shape);
  // Waiting costs steps, and what is sent again is sent by a process that has waited.
  const isPatient = dice.chance(0.1) || patienceFaults.some((kind) => (faults[kind] ?? 0) > 0.1);
  const memory = drawMemoryFor(dice, faults);
  return {
    startMs,
    policy,
    inDoubtMax: dice.pick([3, 200, 200]),
    consecutiveFailures: dice.pick([3, 10, 1_000]),
    isVerifying: dice.chance(0.6),
    whenUnavailable: dice.pick(['hold', 'pay']),
    concurrency: dice.whole(1, 4),
    waitMs: isPatient ? dice.wide(30 * secondMs, 250 * secondMs) : dice.wide(2 * secondMs, 20 * secondMs),
    timeoutMs: isHurried ? 8 * secondMs : 30 * secondMs,
    files: drawFiles(dice, shape),
    similarDays: dice.pick([0, 0, 3]),
    lives: drawLives(dice, shape),
    faults,
    closures: drawClosures(dice, shape, startMs),
    outage: undefined,
    disturbances: drawDisturbances(dice, shape, startMs, wrongClock === 'ours'),
    bankOffsetMs: wrongClock === 'bank' ? offsetMs : 0,
    dateOffsetMs: wrongClock === 'date' ? offsetMs : 0,
    tokenTellsTime: dice.chance(0.8),
    inquiryDay: dice.pick(['any', 'any', 'transfer-date', 'received-date']),
    foreignPayoutIds: [],
    untoldShare: dice.pick([0, 0.3, 0.8]),
    lie: 'none',
    memory,
    statements: [],
  };
}

export function drawShape(dice: Dice): Shape {
  const roll = dice.next();
  if (roll < 0.5) return 'simple';
  if (roll < 0.82) return 'mixed';
  return roll < 0.9 ? 'people' : 'wild';
}
