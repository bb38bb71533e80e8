/** Places that queues take turns for: never more than there are, in order within a queue, and nobody is passed over. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FairSemaphore, type RunInTurn } from '../../src/platform/fair-semaphore.ts';

const queueCount = 4;

type Step =
  | { readonly kind: 'add'; readonly queue: number }
  | { readonly kind: 'end'; readonly place: number; readonly fails: boolean }
  | { readonly kind: 'resize'; readonly limit: number };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ kind: fc.constant('add'), queue: fc.nat(queueCount - 1) }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('end'), place: fc.nat(9), fails: fc.boolean() }) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('resize'), limit: fc.integer({ min: 1, max: 5 }) }),
    },
  ),
  { maxLength: 60 },
);

interface UnderWay {
  readonly queue: number;
  readonly end: (fails: boolean) => void;
}

/** Queues with work that ends when the test says so. */
class Scene {
  readonly underWay: UnderWay[] = [];
  /** Queue and number of each piece of work, in the order in which they began. */
  readonly begun: { readonly queue: number; readonly no: number }[] = [];
  readonly added = Array.from({ length: queueCount }, () => 0);
  limit: number;
  readonly #places: FairSemaphore;
  readonly #queues: readonly RunInTurn[];
  readonly #ended: Promise<unknown>[] = [];

  constructor(limit: number) {
    this.limit = limit;
    this.#places = new FairSemaphore(limit);
    this.#queues = this.added.map(() => this.#places.openQueue());
  }

  waitingIn(queue: number): number {
    return (this.added[queue] ?? 0) - this.begun.filter((one) => one.queue === queue).length;
  }

  take(step: Step): void {
    switch (step.kind) {
      case 'add':
        this.#add(step.queue);
        break;
      case 'end':
        this.underWay.splice(step.place % Math.max(1, this.underWay.length), 1)[0]?.end(step.fails);
        break;
      case 'resize':
        this.limit = step.limit;
        this.#places.resize(step.limit);
    }
  }

  #add(queue: number): void {
    const no = this.added[queue] ?? 0;
    this.added[queue] = no + 1;
    const work = async (): Promise<void> => {
      this.begun.push({ queue, no });
      await new Promise<void>((resolve, reject) => {
        const end = (fails: boolean): void => (fails ? reject(new Error('it failed')) : resolve());
        this.underWay.push({ queue, end });
      });
    };
    this.#ended.push(this.#queues[queue]?.(work).catch(() => undefined) ?? Promise.resolve());
  }

  async endAll(): Promise<void> {
    while (this.underWay.length > 0) {
      for (const one of this.underWay.splice(0)) one.end(false);
      await settle();
    }
    await Promise.all(this.#ended);
  }
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** How often each other queue was served while somebody was first in this one. */
function countPassedOver(scene: Scene, passed: number[][], before: number): void {
  for (const { queue } of scene.begun.slice(before)) {
    passed[queue] = Array.from({ length: queueCount }, () => 0);
    for (const [other, times] of passed.entries())
      if (other !== queue) times[queue] = (times[queue] ?? 0) + 1;
  }
}

describe('fair places', () => {
  test('are never more than the limit, are never left empty, and are taken in turn', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), steps, async (limit, plan) => {
        const scene = new Scene(limit);
        const passed = scene.added.map(() => scene.added.map(() => 0));
        for (const step of plan) {
          const before = { begun: scene.begun.length, underWay: scene.underWay.length };
          // Nobody was passed over in a queue where nobody waited.
          for (const queue of scene.added.keys()) if (scene.waitingIn(queue) === 0) passed[queue]?.fill(0);
          scene.take(step);
          await settle();
          countPassedOver(scene, passed, before.begun);
          const mostNow = Math.max(scene.limit, step.kind === 'resize' ? before.underWay : 0);
          const isShrinking = before.underWay > scene.limit;
          expect(scene.underWay.length).toBeLessThanOrEqual(isShrinking ? before.underWay : mostNow);
          const waiting = scene.added.reduce((sum, _, queue) => sum + scene.waitingIn(queue), 0);
          if (scene.underWay.length < scene.limit) expect(waiting).toBe(0);
          for (const [queue, times] of passed.entries())
            if (scene.waitingIn(queue) > 0) expect(Math.max(...times)).toBeLessThanOrEqual(1);
        }
        await scene.endAll();
        for (const [queue, added] of scene.added.entries())
          expect(scene.begun.filter((one) => one.queue === queue).map(({ no }) => no)).toEqual(
            Array.from({ length: added }, (_, no) => no),
          );
      }),
      { numRuns: 60 },
    );
  });

  test('serves a late short queue before the rest of a long one', async () => {
    const scene = new Scene(1);
    for (let works = 0; works < 20; works += 1) scene.take({ kind: 'add', queue: 0 });
    scene.take({ kind: 'add', queue: 1 });
    await settle();
    scene.take({ kind: 'end', place: 0, fails: true });
    await settle();
    scene.take({ kind: 'end', place: 0, fails: false });
    await settle();
    expect(scene.begun.map(({ queue }) => queue)).toEqual([0, 0, 1]);
    await scene.endAll();
  });
});
