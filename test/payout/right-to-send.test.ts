/** What a run does while its process may have lost the right to send, and what it does beside others that send. */
import { describe, expect, test } from 'vitest';
import type { EarlierPayment } from '../../src/core/ports.ts';
import { retryBatch } from '../../src/payout/operator.ts';
import type { PayoutJournal } from '../../src/payout/ports.ts';
import type { Journal } from '../../src/store/store.ts';
import { lost, noonMs } from '../support/core-fixtures.ts';
import { makeRows } from '../support/journal-fixtures.ts';
import { minuteMs, stage, stageInMemory, type Theatre } from '../support/theatre.ts';

/** A right that is lost and had again. */
class Right {
  isHeld = true;
  readonly options = { mayTransmit: () => this.isHeld, isPaused: () => !this.isHeld };
}

/** The journal of a theatre, some of it done by the test. */
const withOwn = ({ journal }: Theatre, own: Partial<PayoutJournal>): Journal =>
  new Proxy(journal, {
    get: (target, name) => Reflect.get(name in own ? own : target, name) as unknown,
  });

describe('a run whose process loses the right to send', () => {
  test('sends nothing from then on, and goes on once it has it again', async () => {
    await using one = await stage(20, () => ({}));
    const { theatre, batchId } = one;
    const right = new Right();
    theatre.script.transfer = (_order, no) => {
      if (no === 5) right.isHeld = false;
      return undefined;
    };
    const run = theatre.start(batchId, right.options);
    await theatre.time.advance(minuteMs);
    const sentUntilThen = theatre.sent.length;
    // Of two that were on their way at once the other may have left before.
    expect(sentUntilThen).toBeLessThanOrEqual(6);
    right.isHeld = true;
    await theatre.time.drive(run);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 20 });
    expect(new Set(theatre.sent.map(({ payoutId }) => payoutId)).size).toBe(theatre.sent.length);
  });

  test('sends nothing whose intent is recorded when the bytes are about to leave', async () => {
    await using one = await stage(1, () => ({}));
    const { theatre, batchId } = one;
    let intents = 0;
    const journal = withOwn(theatre, {
      apply: async (changes) => {
        intents += changes.filter(({ isIntent }) => isIntent === true).length;
        return theatre.journal.apply(changes);
      },
    });
    await theatre.run(batchId, { journal, mayTransmit: () => intents !== 1 });
    expect(theatre.sent).toHaveLength(1);
    const [found] = await theatre.journal.findPayouts('INV-1');
    expect(found?.attempts).toMatchObject([
      { status: 'refused', sends: 0 },
      { status: 'paid', sends: 1 },
    ]);
  });

  test('asks about nothing, and repeats nothing, while it has not got it', async () => {
    await using one = await stageInMemory(1, () => ({}));
    const { theatre, batchId } = one;
    const right = new Right();
    let inquiries = 0;
    theatre.script.inquire = () => void (inquiries += 1);
    theatre.script.transfer = (_order, no) => {
      right.isHeld = no > 1;
      return no === 1 ? lost : undefined;
    };
    const run = theatre.start(batchId, right.options);
    await theatre.time.advance(3 * minuteMs);
    expect([inquiries, theatre.sent.length]).toEqual([0, 1]);
    right.isHeld = true;
    await theatre.time.drive(run);
    expect(inquiries).toBeGreaterThan(0);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 1 });
  });

  test('ends when its rows can no longer be read, and not before what it has sent is answered', async () => {
    await using one = await stage(1_000, () => ({}));
    const { theatre, batchId } = one;
    const [answer, asked] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    theatre.script.transfer = async (_order, no) => {
      if (no === 1) asked.resolve(undefined);
      return no === 1 ? answer.promise : undefined;
    };
    const journal = withOwn(theatre, {
      readyPage: async (...page) => {
        if (page[1] === 0) return theatre.journal.readyPage(...page);
        throw new Error('away');
      },
    });
    let hasEnded = false;
    const run = theatre.start(batchId, { journal, transferConcurrency: 2 }).finally(() => (hasEnded = true));
    run.catch(() => {});
    await asked.promise;
    await theatre.time.advance(minuteMs);
    expect(hasEnded).toBe(false);
    answer.resolve(undefined);
    await expect(theatre.time.drive(run)).rejects.toThrow('away');
  });

  test('leaves it to the next to conclude the batch when it ends', async () => {
    await using one = await stage(3, () => ({}));
    const { theatre, batchId } = one;
    const right = new Right();
    const interruption = new AbortController();
    theatre.script.transfer = () => {
      right.isHeld = false;
      interruption.abort();
      return undefined;
    };
    await theatre.run(batchId, { ...right.options, interrupted: interruption.signal });
    expect(await theatre.batch(batchId)).toMatchObject({ status: 'running' });
    await theatre.run(batchId);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 3 });
  });
});

describe('a run beside others that send', () => {
  test('holds a payout whose like another machine has paid between the look and the intent', async () => {
    await using one = await stage(1, () => ({}));
    const { theatre, batchId } = one;
    const [like] = makeRows(1, 7);
    const earlier = { batchId: 'ABCDEFGHJK', rowNo: 7, fileName: 'other.csv', submittedAtMs: noonMs };
    let isPaidElsewhere = false;
    const journal = withOwn(theatre, {
      similarPayment: async (): Promise<EarlierPayment | undefined> =>
        isPaidElsewhere
          ? { ...earlier, status: 'paid', payoutId: like?.instruction?.payoutId ?? '' }
          : undefined,
      apply: async (changes) => {
        const isRefused = changes.some(({ likeness }) => likeness !== undefined) && !isPaidElsewhere;
        isPaidElsewhere ||= isRefused;
        return isRefused ? [false] : theatre.journal.apply(changes);
      },
    });
    await theatre.run(batchId, { journal, limits: { batchMaxAgeHours: 0, similarDays: 3 } });
    expect(theatre.sent).toEqual([]);
    const [found] = await theatre.journal.findPayouts('INV-1');
    expect(found?.row).toMatchObject({ status: 'held', holds: ['similar'] });
  });

  test.each([{ isLike: true }, { isLike: false }])(
    'leaves the look for like payouts to the journal that refuses them, and looks once it has: $isLike',
    async ({ isLike }) => {
      await using one = await stage(1, () => ({}));
      const { theatre, batchId } = one;
      const earlier = { batchId: 'ABCDEFGHJK', rowNo: 7, fileName: 'other.csv', submittedAtMs: noonMs };
      const steps: string[] = [];
      const journal = withOwn(theatre, {
        refusesLike: true,
        similarPayment: async (): Promise<EarlierPayment | undefined> => {
          steps.push('look');
          return isLike ? { ...earlier, status: 'paid', payoutId: 'OTHER-7' } : undefined;
        },
        apply: async (changes) => {
          const isIntent = changes.some(({ likeness }) => likeness !== undefined);
          if (isIntent) steps.push('intent');
          return isIntent && isLike ? [false] : theatre.journal.apply(changes);
        },
      });
      await theatre.run(batchId, { journal, limits: { batchMaxAgeHours: 0, similarDays: 3 } });
      expect(steps).toEqual(isLike ? ['intent', 'look'] : ['intent']);
      expect(theatre.sent).toHaveLength(isLike ? 0 : 1);
      expect(await theatre.statuses(batchId)).toEqual(isLike ? { held: 1 } : { paid: 1 });
    },
  );

  test('waits with the next attempt until nothing of the one before can be on its way, and asks then', async () => {
    await using one = await stageInMemory(1, (theatre) => ({
      transfer: (_order, no) => (no === 1 ? theatre.code('EV042') : undefined),
    }));
    const { theatre, batchId } = one;
    await theatre.run(batchId);
    expect(await theatre.statuses(batchId)).toEqual({ failed: 1 });
    await retryBatch(theatre.journal, await theatre.batch(batchId), { payoutSatangMax: null }, theatre.now());
    const endsAtMs = theatre.now() + minuteMs;
    const inquiredAtMs: number[] = [];
    theatre.script.inquire = () => void inquiredAtMs.push(theatre.now());
    const journal = withOwn(theatre, { attemptWaitMs: async () => Math.max(0, endsAtMs - theatre.now()) });
    await theatre.run(batchId, { journal });
    expect(await theatre.statuses(batchId)).toEqual({ paid: 1 });
    expect(inquiredAtMs[0]).toBeGreaterThanOrEqual(endsAtMs);
    expect(theatre.sent[1]?.atMs).toBeGreaterThanOrEqual(endsAtMs);
  });
});
