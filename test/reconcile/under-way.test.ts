/** A statement that is read while a request of ours is under way, in whatever process. */
import { inEnglishIfAny, verbatim } from '../../src/core/message.ts';
import { describe, expect, test } from 'vitest';
import { move, reasonPatch } from '../../src/core/change.ts';
import { applied, noonMs } from '../support/journal-fixtures.ts';
import { dayMs, lineFor, openDay, openKinds, type ReconcileDay } from '../support/reconcile-kit.ts';
import { date } from '../support/statement-fixtures.ts';

async function statusOf({ store, attempts }: ReconcileDay): Promise<string | undefined> {
  const [known] = attempts;
  return known && (await store.payout(known.payoutSeq))?.status;
}

const readFailed = async (day: ReconcileDay) =>
  day.reconcile([lineFor(day.attempts[0], { status: 'failed', statusText: 'FAILED' })]);

/** Records that the reply has told nothing about the money. */
async function answer({ store }: ReconcileDay): Promise<void> {
  const [one] = await store.inDoubt(0, 1);
  if (one === undefined) throw new Error('nothing is in doubt');
  const { payout, attempt } = one;
  const patch = reasonPatch({ code: 'EM027', text: verbatim('no answer') });
  const asked = { ...attempt, status: 'sent' } as const;
  await applied(store, move({ payout, patch, cause: 'outcome-in-doubt', nowMs: noonMs, attempt: asked }));
}

describe('a line that failed, of an attempt', () => {
  test('whose request is under way settles nothing, and is named', async () => {
    await using day = await openDay(['submitted']);
    day.daysLater = 0;
    const { recorded } = await readFailed(day);
    expect(await statusOf(day)).toBe('submitted');
    expect([...recorded.causes.keys()]).toEqual(['statement-read']);
    const [found] = await day.store.openBreaks(date, 10);
    expect(found).toMatchObject({ kind: 'status-mismatch', severity: 'low' });
    expect(inEnglishIfAny(found?.reason)).toContain('under way');
  });

  test('is heeded once the request is answered, when the next statement is read', async () => {
    await using day = await openDay(['submitted']);
    day.daysLater = 0;
    await readFailed(day);
    await answer(day);
    await day.reconcile([], { on: '20261122' });
    expect(await statusOf(day)).toBe('failed');
    expect(await openKinds(day)).toEqual([]);
  });

  test('is heeded when no request of that day can be under way any more', async () => {
    await using day = await openDay(['submitted']);
    // An hour after the Bangkok day has ended.
    day.daysLater = (13 * 3_600_000) / dayMs;
    await readFailed(day);
    expect(await statusOf(day)).toBe('failed');
  });
});
