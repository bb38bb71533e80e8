/** The pace follows what the bank can take, within the settings. */
import { describe, expect, test } from 'vitest';
import { makeAdaptiveLimits } from '../../src/payout/adaptive-limit.ts';
import { lost } from '../support/core-fixtures.ts';
import { minuteMs, stage, type Theatre } from '../support/theatre.ts';

/** Counts what is with the bank at once. */
class Crowd {
  now = 0;
  most = 0;

  async during<T>(work: () => Promise<T>): Promise<T> {
    this.now += 1;
    this.most = Math.max(this.most, this.now);
    try {
      return await work();
    } finally {
      this.now -= 1;
    }
  }
}

const tooMany = (theatre: Theatre) => theatre.answer<never>(undefined, { httpStatus: 429 });

describe('a bank that takes three transfers at once', () => {
  test('is sent fewer when it asks for that, and everything is paid in the end', async () => {
    const crowd = new Crowd();
    let refusals = 0;
    await using one = await stage(120, (theatre) => ({
      transfer: ({ transRefNo }) =>
        crowd.during(async () => {
          await theatre.time.sleep(100);
          if (crowd.now > 3) refusals += 1;
          return crowd.now > 3 ? tooMany(theatre) : theatre.code('IC000', { transRefNo });
        }),
    }));
    const { theatre, batchId } = one;
    const limits = makeAdaptiveLimits(16, 2);
    await theatre.run(batchId, { transferConcurrency: 16, adaptiveLimits: limits, waitMs: 60 * minuteMs });
    expect(await theatre.statuses(batchId)).toEqual({ paid: 120 });
    expect(crowd.most).toBeLessThanOrEqual(16);
    expect(limits.transfers.lowest?.limit).toBeLessThanOrEqual(4);
    expect(limits.transfers.lowest).toMatchObject({ ceiling: 16, why: 'HTTP 429' });
    // At a pace of 16 nearly all would be refused, again and again.
    expect(refusals).toBeLessThan(60);
  });
});

describe('a bank that is slow for a while', () => {
  test('gets the whole pace again when it answers', async () => {
    const crowd = new Crowd();
    let later = 0;
    await using one = await stage(150, (theatre) => ({
      transfer: ({ transRefNo }, no) =>
        crowd.during(async () => {
          if (no > 140) later = Math.max(later, crowd.now);
          await theatre.time.sleep(100);
          return no <= 8 ? lost : theatre.code('IC000', { transRefNo });
        }),
      inquire: (inquiry) => {
        const isSent = theatre.sent.some(({ transRefNo }) => transRefNo === inquiry.transRefNo);
        return theatre.found(inquiry, isSent ? '010004' : undefined);
      },
    }));
    const { theatre, batchId } = one;
    const limits = makeAdaptiveLimits(8, 8);
    const slower: object[] = [];
    await theatre.run(batchId, {
      transferConcurrency: 8,
      adaptiveLimits: limits,
      log: (_level, message, facts) => void (message === 'fewer requests at a time' && slower.push(facts)),
    });
    expect(await theatre.statuses(batchId)).toEqual({ paid: 150 });
    // The eight that were lost at once count once.
    expect(limits.transfers.lowest).toEqual({ limit: 4, ceiling: 8, why: 'no answer' });
    expect(slower).toEqual([{ kind: 'transfers', limit: 4, why: 'no answer' }]);
    expect(later).toBe(8);
  });

  test('is asked about payees more slowly, too, while transfers keep their own pace', async () => {
    const crowd = new Crowd();
    let most = 0;
    let checks = 0;
    await using one = await stage(40, (theatre) => ({
      check: () =>
        crowd.during(async () => {
          checks += 1;
          if (checks > 14 && checks <= 22) most = Math.max(most, crowd.now);
          await theatre.time.sleep(100);
          return checks <= 12 ? lost : theatre.checked('IC001');
        }),
    }));
    const { theatre, batchId } = one;
    const limits = makeAdaptiveLimits(4, 8);
    const verify = {
      enabled: true,
      concurrency: 8,
      whenUnavailable: 'pay',
      onThaiNameMismatch: 'hold',
    } as const;
    await theatre.run(batchId, { verify, adaptiveLimits: limits });
    expect(await theatre.statuses(batchId)).toEqual({ paid: 40 });
    expect(limits.checks.lowest?.limit).toBeLessThanOrEqual(4);
    expect(limits.transfers.lowest).toBeUndefined();
    expect(most).toBeLessThanOrEqual(4);
  });
});
