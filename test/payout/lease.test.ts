/** The keeper of a lease: what is renewed in time is held, and nothing is held for longer. */
import { describe, expect, test } from 'vitest';
import { beginLease, LeaseKeeper } from '../../src/payout/lease.ts';
import { makeVirtualClock, type VirtualClock } from '../support/virtual-clock.ts';

/** A journal that answers as the test says. */
class Granting {
  readonly clock: VirtualClock = makeVirtualClock();
  readonly logged: string[] = [];
  answer: () => Promise<boolean> = async () => true;
  renewals = 0;

  keep(): LeaseKeeper {
    const renew = (): Promise<boolean> => {
      this.renewals += 1;
      return this.answer();
    };
    const log = (_level: string, message: string): void => void this.logged.push(message);
    return new LeaseKeeper({ renew, clock: this.clock, log }, beginLease(this.clock));
  }

  /** What is held each second. */
  async watch(keeper: LeaseKeeper, seconds: number): Promise<string> {
    let seen = '';
    for (let second = 0; second < seconds; second += 1) {
      await this.clock.advance(1_000);
      seen += keeper.isHeld ? 'H' : '-';
    }
    return seen;
  }
}

const refuse = async (): Promise<boolean> => {
  throw new Error('the database cannot be reached');
};

describe('a lease', () => {
  test('is held from the moment it is taken, and renewed every two seconds', async () => {
    const granting = new Granting();
    await using keeper = granting.keep();
    expect(keeper.mayTransmit()).toBe(true);
    expect(await granting.watch(keeper, 60)).toBe('H'.repeat(60));
    expect(granting.renewals).toBe(30);
    expect(granting.logged).toEqual([]);
  });

  test('that cannot be renewed is held for five seconds, and again once it is renewed', async () => {
    const granting = new Granting();
    await using keeper = granting.keep();
    await granting.clock.advance(2_000);
    granting.answer = refuse;
    expect(await granting.watch(keeper, 8)).toBe('HHHHH---');
    granting.answer = async () => true;
    expect(await granting.watch(keeper, 2)).toBe('HH');
    expect(keeper.lost.aborted).toBe(false);
    expect(granting.logged).toHaveLength(2);
  });

  test('counts from when its renewal began, not from when it was answered', async () => {
    const granting = new Granting();
    await using keeper = granting.keep();
    granting.answer = async () => {
      granting.answer = refuse;
      await granting.clock.sleep(4_500);
      return true;
    };
    await granting.clock.advance(6_500);
    expect(keeper.isHeld).toBe(true);
    await granting.clock.advance(501);
    expect(keeper.isHeld).toBe(false);
  });

  test.each([
    [1_500, 500],
    [4_000, 0],
  ])('whose renewal is answered after %i ms is renewed again %i ms later', async (lateMs, afterMs) => {
    const granting = new Granting();
    await using keeper = granting.keep();
    granting.answer = async () => {
      granting.answer = async () => true;
      await granting.clock.sleep(lateMs);
      return true;
    };
    await granting.clock.advance(2_000 + lateMs - 1);
    expect(granting.renewals).toBe(1);
    await granting.clock.advance(1 + afterMs);
    expect([granting.renewals, keeper.isHeld]).toEqual([2, true]);
  });

  test('whose place was taken is lost for good', async () => {
    const granting = new Granting();
    await using keeper = granting.keep();
    granting.answer = async () => false;
    await granting.clock.advance(2_000);
    expect(keeper.lost.aborted).toBe(true);
    granting.answer = async () => true;
    expect(await granting.watch(keeper, 20)).toBe('-'.repeat(20));
    expect(granting.renewals).toBe(1);
  });

  test('that the journal has refused is asked about at once', async () => {
    const granting = new Granting();
    await using keeper = granting.keep();
    await granting.clock.advance(500);
    keeper.noteRefused();
    expect(keeper.isHeld).toBe(false);
    await granting.clock.quieten();
    expect(granting.renewals).toBe(1);
    expect(keeper.isHeld).toBe(true);
  });

  test.each([
    ['sleeps', (clock: VirtualClock) => clock.skip(3_600_000)],
    ['has its clock set forward', (clock: VirtualClock) => clock.jump(3_600_000)],
    ['has its clock set back', (clock: VirtualClock) => clock.jump(-3_600_000)],
  ])('of a machine that %s is not held until it is renewed', async (_name, happen) => {
    const granting = new Granting();
    await using keeper = granting.keep();
    await granting.clock.advance(1_000);
    happen(granting.clock);
    expect(keeper.isHeld).toBe(false);
    await granting.clock.advance(2_000);
    expect(keeper.isHeld).toBe(true);
  });

  test('that is given back is held no more, whatever is answered afterwards', async () => {
    const granting = new Granting();
    const keeper = granting.keep();
    const { promise, resolve } = Promise.withResolvers<boolean>();
    granting.answer = () => promise;
    await granting.clock.advance(2_000);
    const ended = keeper[Symbol.asyncDispose]();
    expect(keeper.isHeld).toBe(false);
    resolve(true);
    await ended;
    expect(keeper.isHeld).toBe(false);
    expect(granting.clock.sleepers).toBe(0);
  });

  test('that took too long to get is renewed before anything is begun', async () => {
    const granting = new Granting();
    const log = (): void => {};
    const beganAt = beginLease(granting.clock);
    granting.clock.skip(20_000);
    await using keeper = new LeaseKeeper({ renew: async () => true, clock: granting.clock, log }, beganAt);
    expect(keeper.isHeld).toBe(false);
    await granting.clock.advance(0);
    expect(keeper.isHeld).toBe(true);
  });
});
