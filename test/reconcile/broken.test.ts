/** A judging that broke off: the next one finds the day as the statement that it reads shows it, whichever that is. */
import { describe, expect, test } from 'vitest';
import { toSatang } from '../../src/core/money.ts';
import type { Store } from '../../src/store/store.ts';
import { statusesOf } from '../support/journal-fixtures.ts';
import { lineFor, openDay, openKinds, type ReconcileDay } from '../support/reconcile-kit.ts';
import { date, nextDate } from '../support/statement-fixtures.ts';

/** A store whose process dies before it accepts a statement: everything else of it is recorded. */
const dying = ({ store }: ReconcileDay): Store => ({
  ...store,
  acceptStatement: async () => {
    throw new Error('killed');
  },
});

describe('a corrected version whose judging broke off', () => {
  test('leaves nothing when the version before is read again', async () => {
    await using day = await openDay(['paid', 'paid']);
    const [one, two] = day.attempts;
    const first = [lineFor(one, { amountSatang: toSatang(1n) }), lineFor(two)];
    await day.reconcile(first);
    const before = await openKinds(day);
    expect(before).toEqual(['amount-mismatch', 'net-mismatch']);
    await expect(day.reconcile([lineFor(one)], { through: dying(day) })).rejects.toThrow('killed');
    expect(await openKinds(day)).toEqual(['missing-at-bank']);
    expect(await day.reconcile(first)).toMatchObject({ isRepeat: false, statement: { version: 2 } });
    expect(await openKinds(day)).toEqual(before);
    expect(await day.reconcile(first)).toMatchObject({ isRepeat: true });
  });

  test('leaves nothing when another correction is read instead', async () => {
    await using day = await openDay(['paid', 'paid']);
    const [one, two] = day.attempts;
    day.daysLater = 2;
    await day.reconcile([lineFor(one), lineFor(two)]);
    const absent = [lineFor(two)];
    await expect(day.reconcile(absent, { through: dying(day) })).rejects.toThrow('killed');
    expect(await openKinds(day)).toEqual(['missing-at-bank']);
    await day.reconcile([lineFor(two), lineFor(one)]);
    expect(await openKinds(day)).toEqual([]);
    // Had the day not been said to have it, the next would repeat nothing.
    await day.reconcile([lineFor(one, { effectiveDate: nextDate })], { on: nextDate });
    expect(await openKinds(day, nextDate)).toEqual(['duplicate-line']);
  });

  test('does not hush what the day says against a failure on the next', async () => {
    await using day = await openDay(['unresolved', 'paid']);
    const [one, two] = day.attempts;
    day.daysLater = 2;
    const lines = [lineFor(one, { proxyNo: '0899999999' }), lineFor(two)];
    await day.reconcile(lines);
    const again = day.reconcile(lines, { reading: 'others', through: dying(day) });
    await expect(again).rejects.toThrow('killed');
    await day.reconcile([lineFor(one, { status: 'failed', effectiveDate: nextDate })], { on: nextDate });
    expect(await statusesOf(day.store)).toEqual(['unresolved', 'paid']);
    expect(await openKinds(day, nextDate)).toEqual(['status-mismatch']);
    expect(await openKinds(day, date)).toEqual(['payee-mismatch', 'status-mismatch']);
  });
});
