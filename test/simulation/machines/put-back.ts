/** A database that is put back to an older copy of itself in the midst of a run, and the person who lets it go on. */
import { formatBangkokDate } from '../../../src/core/bangkok-time.ts';
import type { Dice } from '../../support/dice.ts';
import type { Life, Machine, World } from '../world.ts';
import { goOnAfterLoss, type Marks, type PutBackDatabase, SeenJournal } from './past.ts';

export interface PutBackPlan {
  /** When the copy is taken that takes the place of the database, and when it does; since the beginning. */
  readonly copiedAfterMs: number;
  readonly putBackAfterMs: number;
  /** All processes die with the database; else they are at work. */
  readonly allDie: boolean;
  /** The server tells that it was put back, as after a promotion; else it is as after a snapshot of its disk. */
  readonly isOtherTimeline: boolean;
  /** So long nobody comes to let it go on. */
  readonly noticedAfterMs: number;
  /** All machines are new ones from then on, with no marks: nothing tells, and nobody comes. */
  readonly losesMarks: boolean;
}

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

export function drawPutBack(dice: Dice, workMs: number): Omit<PutBackPlan, 'losesMarks'> {
  const putBackAfterMs = dice.whole(workMs / 4, workMs);
  return {
    putBackAfterMs,
    copiedAfterMs: dice.whole(0, putBackAfterMs / 2),
    allDie: dice.chance(0.3),
    isOtherTimeline: dice.chance(0.3),
    // On one day the bank refuses the same reference by itself: a night is what it cannot make good.
    noticedAfterMs: dice.chance(0.5) ? dice.wide(10 * secondMs, 3 * minuteMs) : dice.whole(10, 40) * hourMs,
  };
}

/** What the run does for it. */
export interface Around {
  readonly world: World;
  readonly database: PutBackDatabase;
  readonly machines: readonly Machine[];
  /** Those that are alive. */
  readonly lives: () => readonly Life[];
  /** Told as soon as the copy is in place. */
  readonly onPutBack: () => void;
  /** Moves away the reports that the copy knows nothing of. */
  readonly moveReports: () => void;
  /** Has everything stop, and resolves when nothing of it is there any more. */
  readonly stopAll: () => Promise<void>;
  /** Nobody begins for so long. */
  readonly rest: (ms: number) => Promise<void>;
}

/** The clocks of machines may be so far off: what was sent may bear the day before. */
const clockSlackMs = 2 * hourMs;

export class PutBack {
  readonly #plan: PutBackPlan;
  readonly #around: Around;
  readonly #marks: Marks<Machine> = new Map();
  readonly #seenBy = new Map<Life, SeenJournal<Machine>>();
  /** Of whom the journal is that was lost. */
  readonly #former = new Set<Life>();
  #copiedAtMs: number | undefined;
  #copiedSeq = 0;
  #state: 'whole' | 'lost' | 'going-on' = 'whole';
  readonly #over = Promise.withResolvers<void>();

  constructor(plan: PutBackPlan, around: Around) {
    this.#plan = plan;
    this.#around = around;
  }

  get isLost(): boolean {
    return this.#state === 'lost';
  }

  get hasHappened(): boolean {
    return this.#state !== 'whole';
  }

  /** What a new process sees of the journal. */
  see(life: Life): SeenJournal<Machine> {
    const seen = new SeenJournal(this.#around.database, this.#marks, this.#around.world.machineOf(life));
    this.#seenBy.set(life, seen);
    return seen;
  }

  /** Another process is at work that knows that nothing is missing. */
  isWitnessed(life: Life): boolean {
    return [...this.#seenBy].some(
      ([other, seen]) => other !== life && other.isAlive && seen.isWitness && seen.isConnected,
    );
  }

  /** True of a process that may still send what it had recorded in the journal that was lost. */
  isFormer(life: Life): boolean {
    return this.#former.has(life);
  }

  /** Resolves when nothing of it is to come. */
  async ended(): Promise<void> {
    await this.#over.promise;
  }

  async play(): Promise<void> {
    const { world, database, onPutBack } = this.#around;
    const { copiedAfterMs, putBackAfterMs, noticedAfterMs } = this.#plan;
    await world.pause(copiedAfterMs);
    this.#copiedAtMs = world.nowMs;
    this.#copiedSeq = database.readProgress().latestEventSeq;
    database.copy();
    await world.pause(putBackAfterMs - copiedAfterMs);
    this.#putBack();
    onPutBack();
    if (this.#plan.losesMarks) await this.#beginAnew();
    else {
      await world.pause(noticedAfterMs);
      await this.#goOn();
    }
    this.#over.resolve();
  }

  #putBack(): void {
    const { world, database, lives, machines } = this.#around;
    // A machine that has seen nothing of what is missing cannot notice, unless the server tells.
    const isSeenByAll = machines.every(
      (machine) => (this.#marks.get(machine)?.latestEventSeq ?? 0) > this.#copiedSeq,
    );
    const { losesMarks } = this.#plan;
    const isOtherTimeline = !losesMarks && (this.#plan.isOtherTimeline || !isSeenByAll);
    const how = losesMarks ? 'snapshot, without marks' : isOtherTimeline ? 'another timeline' : 'snapshot';
    world.note(`the database is put back to event ${this.#copiedSeq}: ${how}`);
    world.figures.count(`put-back ${how}`);
    this.#state = 'lost';
    for (const life of lives()) {
      this.#former.add(life);
      if (this.#plan.allDie || losesMarks) life.killAtStep = 0;
    }
    if (losesMarks) this.#marks.clear();
    database.putBack(isOtherTimeline);
  }

  /** Machines that know nothing come after a night: on one day the bank refuses the same reference by itself. */
  async #beginAnew(): Promise<void> {
    const { rest, moveReports } = this.#around;
    await rest(30 * hourMs);
    moveReports();
    this.#state = 'going-on';
  }

  /** A person stops everything, moves the reports away, and says since when something may be missing. */
  async #goOn(): Promise<void> {
    const { world, database, stopAll, moveReports } = this.#around;
    await stopAll();
    moveReports();
    const since = formatBangkokDate((this.#copiedAtMs ?? 0) - clockSlackMs);
    world.note(`a person lets the journal go on: --since ${since}`);
    goOnAfterLoss(database, since, world.nowMs);
    this.#state = 'going-on';
  }

  /** A process was refused the journal. */
  judgeRefused(life: Life, why: string): void {
    const { world } = this.#around;
    world.figures.count('journal-refused');
    if (!this.isLost && !this.isFormer(life)) world.fail(`liveness: ${life.name} is refused: ${why}`);
  }

  /** Something is recorded to be sent. */
  judgeIntent(payoutId: string, life: Life): void {
    if (this.isLost || this.isFormer(life))
      this.#around.world.fail(
        `${payoutId} is recorded to be sent by ${life.name} in a journal that was put back`,
      );
  }
}
