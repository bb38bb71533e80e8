/**
 * The simulated world: one true time, one queue of steps, one source of chance. Everything that happens outside the
 * code under test is a step of this queue, and after each step the code runs until it waits for another one.
 */
import { Dice } from '../support/dice.ts';
import type { Figures } from './figures.ts';

/** A process, or a person's command: what dies or sleeps together. */
export interface Life {
  readonly name: string;
  isAlive: boolean;
  /** Steps that the life has lived through. */
  steps: number;
  /** It is killed after this one; Infinity lets it live. */
  killAtStep: number;
  /** What its death brings about. */
  onKill: () => void;
  /** The computer that it runs on, where there are several. */
  readonly machine?: Machine;
  /** Moments at which it stands still, whatever it is at. */
  readonly freezes?: readonly Freeze[];
}

/** The computer that our processes run on. */
export interface Machine {
  /** Our wall clock less the true time. */
  clockOffsetMs: number;
  /** Nothing of ours runs before this. */
  suspendedUntilMs: number;
  /** For how long it has slept: the clock that nobody sets has stood still. */
  sleptMs?: number;
}

export interface Freeze {
  /** After this step of the life. */
  readonly atStep: number;
  readonly ms: number;
  /**
   * `asleep`: its machine sleeps, so that the clock that nobody sets stands still; `set-back`: the clock that people set
   * stands still, too; else its process alone stands still.
   */
  readonly how: 'stopped' | 'asleep' | 'set-back';
}

export interface Step {
  atMs: number;
  order: number;
  readonly label: string;
  readonly owner: Life | undefined;
  run: (() => void) | undefined;
}

const isBefore = (one: Step, other: Step): boolean =>
  one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);

/** Steps by time; those of one moment in the order that chance gives them. */
class StepQueue {
  readonly #heap: Step[] = [];

  push(step: Step): void {
    const heap = this.#heap;
    let place = heap.length;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = heap[parent] as Step;
      if (!isBefore(step, above)) break;
      heap[place] = above;
      place = parent;
    }
    heap[place] = step;
  }

  pop(): Step | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Step, heap[child] as Step)) child += 1;
      if (!isBefore(heap[child] as Step, last)) break;
      heap[place] = heap[child] as Step;
      place = child;
    }
    heap[place] = last;
    return first;
  }
}

/** A broken invariant; the run ends with the first. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

/** More than any run of one process should need. */
const usualStepsMax = 60_000;

export class World {
  readonly seed: number;
  readonly dice: Dice;
  readonly figures: Figures;
  readonly machine: Machine = { clockOffsetMs: 0, suspendedUntilMs: 0 };
  readonly trace: ((line: string) => void) | undefined;
  /** True time, epoch milliseconds. */
  nowMs = 0;
  steps = 0;
  /** Over everything that has happened. */
  hash = 0;
  violation: Violation | undefined;
  /** Calls of the real journal that are still under way. */
  diskCalls = 0;
  readonly #queue = new StepQueue();
  readonly #stepsMax: number;

  constructor(
    seed: number,
    figures: Figures,
    trace: ((line: string) => void) | undefined,
    stepsMax = usualStepsMax,
  ) {
    this.seed = seed;
    this.dice = new Dice(seed);
    this.figures = figures;
    this.trace = trace;
    this.#stepsMax = stepsMax;
  }

  /** What takes real time: the simulated one stands still meanwhile. */
  async wait<Value>(work: Promise<Value>): Promise<Value> {
    this.diskCalls += 1;
    try {
      return await work;
    } finally {
      this.diskCalls -= 1;
    }
  }

  /** What our own clock shows. */
  get ourMs(): number {
    return this.nowMs + this.machine.clockOffsetMs;
  }

  machineOf({ machine = this.machine }: Pick<Life, 'machine'>): Machine {
    return machine;
  }

  /** What the clock of a process shows. */
  timeOf(life: Life): number {
    return this.nowMs + this.machineOf(life).clockOffsetMs;
  }

  /** Lets something happen later, unless its owner has died by then. */
  after(ms: number, label: string, owner: Life | undefined, run: () => void): Step {
    const atMs = this.nowMs + Math.max(0, Math.round(ms));
    const step = { atMs, order: this.dice.next(), label, owner, run };
    this.#queue.push(step);
    return step;
  }

  cancel(step: Step | undefined): void {
    if (step !== undefined) step.run = undefined;
  }

  /** Nothing of ours runs for a while; the world goes on. */
  suspend(ms: number): void {
    this.machine.suspendedUntilMs = Math.max(this.machine.suspendedUntilMs, this.nowMs + ms);
  }

  /** Nothing of a process runs for a while; the world goes on. */
  freeze(life: Life, ms: number, how: Freeze['how'] = 'stopped'): void {
    this.note(`${life.name} stands still for ${ms} ms: ${how}`);
    this.figures.count(`freeze-${how}`);
    const machine = this.machineOf(life);
    machine.suspendedUntilMs = Math.max(machine.suspendedUntilMs, this.nowMs + ms);
    if (how === 'asleep') machine.sleptMs = (machine.sleptMs ?? 0) + ms;
    if (how === 'set-back') machine.clockOffsetMs -= ms;
  }

  /** Waits in true time; for the script of a run, not for the code under test. */
  async pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.after(ms, 'time passes', undefined, resolve));
  }

  /** Something has happened: part of the hash, and of the trace. */
  note(what: string): void {
    let hash = this.hash ^ Math.floor(this.nowMs % 2 ** 31);
    for (let place = 0; place < what.length; place += 1)
      hash = Math.imul(hash ^ what.charCodeAt(place), 0x01000193);
    this.hash = hash;
    this.trace?.(`${new Date(this.nowMs + 7 * 3_600_000).toISOString().slice(8, 23)} ${what}`);
  }

  /** Breaks the run off. */
  fail(what: string): void {
    if (this.violation !== undefined) return;
    this.note(`VIOLATION ${what}`);
    this.violation = new Violation(what);
  }

  #kill(life: Life): void {
    this.note(`${life.name} killed at its step ${life.steps}`);
    this.figures.count('kill');
    life.isAlive = false;
    life.onKill();
  }

  /** Takes the next step. @returns false when there is none, or the run is broken off */
  #step(): boolean {
    for (;;) {
      if (this.violation !== undefined) return false;
      const step = this.#queue.pop();
      if (step === undefined) return false;
      const { owner, run } = step;
      if (run === undefined || owner?.isAlive === false) continue;
      const awakeAtMs = owner === undefined ? 0 : this.machineOf(owner).suspendedUntilMs;
      if (step.atMs < awakeAtMs) {
        step.atMs = awakeAtMs;
        step.order = this.dice.next();
        this.#queue.push(step);
        continue;
      }
      this.nowMs = Math.max(this.nowMs, step.atMs);
      this.steps += 1;
      if (this.steps > this.#stepsMax) this.fail(`it never ends: ${this.#stepsMax} steps`);
      this.note(owner === undefined ? step.label : `${owner.name} ${step.label}`);
      run();
      this.#lastOwner = owner;
      return true;
    }
  }

  #lastOwner: Life | undefined;

  /** After the code has run to its next wait: the moment at which a process may be killed. @returns true when it was */
  #settleStep(): boolean {
    const owner = this.#lastOwner;
    this.#lastOwner = undefined;
    if (owner?.isAlive !== true) return false;
    owner.steps += 1;
    const freeze = owner.freezes?.find(({ atStep }) => atStep === owner.steps);
    if (freeze !== undefined) this.freeze(owner, freeze.ms, freeze.how);
    if (owner.steps < owner.killAtStep) return false;
    this.#kill(owner);
    return true;
  }

  /** Takes steps until the script of the run has ended, or nothing can happen any more. */
  async drive(script: Promise<void>): Promise<void> {
    let isOver = false;
    const watched = script.then(
      () => void (isOver = true),
      (error: unknown) => {
        isOver = true;
        throw error;
      },
    );
    watched.catch(() => undefined);
    await new Promise<void>((resolve, reject) => {
      const turn = (): void => {
        try {
          if (this.diskCalls > 0) setImmediate(turn);
          else if (isOver || !this.#takeTurn()) resolve();
          // A tick asked for from a microtask comes when all microtasks are done: the code has run to its next wait.
          else queueMicrotask(() => process.nextTick(turn));
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      };
      queueMicrotask(() => process.nextTick(turn));
    });
    if (isOver) await watched;
  }

  /** @returns false when the run cannot go on */
  #takeTurn(): boolean {
    // What follows from a death comes before anything else.
    if (this.#settleStep() || this.#step()) return true;
    if (this.violation === undefined) this.fail('nothing can happen any more, and the run has not ended');
    return false;
  }
}
