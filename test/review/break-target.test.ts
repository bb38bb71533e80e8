import { describe, expect, test } from 'vitest';
import type { BreakRecord } from '../../src/reconcile/rules/types.ts';
import { breakTargetOf } from '../../src/review/queue-target.ts';
import type { ReviewContext } from '../../src/review/context.ts';
import { check } from '../../src/review/review.ts';
import { propose } from '../support/review.ts';
import type { Decider } from '../../src/review/rules/proposal.ts';
import type { Store } from '../../src/store/store.ts';
import { noonMs, payer } from '../support/journal-fixtures.ts';
import { lineFor, openDay, openKinds, type ReconcileDay } from '../support/reconcile-kit.ts';
import { baht, date, nextDate } from '../support/statement-fixtures.ts';
import { inWords } from '../support/in-words.ts';

const mali: Decider = { personId: 1, name: 'Mali' };
const nok: Decider = { personId: 2, name: 'Nok' };

const contextOf = ({ store }: ReconcileDay): ReviewContext => ({
  journal: store,
  clock: { now: () => noonMs },
  rules: { payoutSatangMax: null },
  payerAccount: payer.payerAccount,
  people: 2,
  expireDays: 7,
});

const wishOf = (...records: readonly BreakRecord[]) =>
  ({
    decision: 'accept-break',
    targets: records.map(breakTargetOf),
    note: 'the bank has confirmed it by telephone',
    evidence: null,
  }) as const;

/** Proposed by one and approved by another. */
async function accept(day: ReconcileDay, ...records: readonly BreakRecord[]) {
  const proposed = await propose(contextOf(day), wishOf(...records), mali);
  if (proposed.kind !== 'waiting') return proposed;
  return check(contextOf(day), proposed.proposal.proposalId, 'approve', nok);
}

const openOf = ({ store }: ReconcileDay, on = date): Promise<readonly BreakRecord[]> =>
  store.openBreaks(on, 100);

const amount = (text: string) => ({ amountSatang: baht(text), netSatang: baht(text) });

/** Two paid payouts, the first of them with another amount in the statement. */
async function openDifferent() {
  const day = await openDay(['paid', 'paid']);
  const lines = [lineFor(day.attempts[0], amount('99.00')), lineFor(day.attempts[1])] as const;
  await day.reconcile(lines);
  return { day, lines, [Symbol.asyncDispose]: () => day[Symbol.asyncDispose]() };
}

const strange = (key: string) => ({ transRefNo: key, ...amount('7.00') });

describe('an accepted break', () => {
  test('leaves the open ones by two people, and no later judging of the same opens it again', async () => {
    await using scene = await openDifferent();
    const { day, lines } = scene;
    const open = await openOf(day);
    expect(open.map(({ kind }) => kind)).toEqual(['amount-mismatch']);
    const proposed = await propose(contextOf(day), wishOf(...open), mali);
    expect(proposed).toMatchObject({ kind: 'waiting', proposal: { totalSatang: baht('99.00') } });
    expect(await openKinds(day)).toEqual(['amount-mismatch']);
    expect(await check(contextOf(day), 1, 'approve', mali)).toMatchObject({ kind: 'refused' });
    expect(await check(contextOf(day), 1, 'approve', nok)).toMatchObject({
      kind: 'applied',
      applied: { applied: 1, refused: [] },
    });
    expect(await openKinds(day)).toEqual([]);
    expect(await day.store.statementDays()).toMatchObject([{ openBreaks: 0 }]);
    // The same bytes; then another version of them, in which the line stands elsewhere; then the next day's.
    await day.reconcile(lines);
    await day.reconcile([lineFor(day.attempts[1]), lineFor(day.attempts[0], lines[0])]);
    await day.reconcile([], { on: nextDate });
    expect(await openKinds(day)).toEqual([]);
    const rows = await day.tables('breaks');
    const told = rows.filter((row) => row['state'] === 'accepted');
    expect(told.map((row) => [row['version'], row['kind'], row['closedBy'], row['remedy']])).toEqual([
      ['1', 'amount-mismatch', 'accepted by Mali, checked by Nok (proposal 1)', 'Nothing to do'],
    ]);
  });

  test('opens anew when the statement says something else', async () => {
    await using scene = await openDifferent();
    const { day, lines } = scene;
    await accept(day, ...(await openOf(day)));
    await day.reconcile([lineFor(day.attempts[0], amount('98.00')), lines[1]]);
    expect(await openKinds(day)).toEqual(['amount-mismatch']);
    // And is accepted anew.
    await accept(day, ...(await openOf(day)));
    expect(await openKinds(day)).toEqual([]);
    // What was accepted first is known, too.
    await day.reconcile(lines, { reading: 'other words' });
    expect(await openKinds(day)).toEqual(['amount-mismatch']);
  });

  test('of a payout that is missing, and of one that we do not know: each stays accepted', async () => {
    await using day = await openDay(['paid', 'paid']);
    const lines = [lineFor(day.attempts[0]), lineFor(day.attempts[1], strange('STRANGE1'))];
    await day.reconcile(lines);
    const open = await openOf(day);
    expect(open.map(({ kind }) => kind)).toEqual(['missing-at-bank', 'unmatched-bank-line']);
    await accept(day, ...open);
    await day.reconcile(lines, { reading: 'other words' });
    expect(await openKinds(day)).toEqual([]);
    await day.reconcile(
      [lineFor(day.attempts[0]), lineFor(day.attempts[1], { ...strange('STRANGE1'), status: 'failed' })],
      { reading: 'other words' },
    );
    expect(await openKinds(day)).toEqual(['unmatched-bank-line']);
  });

  test('is refused where it changed, or was closed, before the second person looked', async () => {
    await using scene = await openDifferent();
    const { day, lines } = scene;
    const open = await openOf(day);
    await propose(contextOf(day), wishOf(...open), mali);
    await day.reconcile([lineFor(day.attempts[0], amount('98.00')), lines[1]]);
    expect(inWords(await check(contextOf(day), 1, 'approve', nok))).toMatchObject({
      proposal: { status: 'stale' },
      applied: { applied: 0, refused: [{ why: expect.stringContaining('says something else by now') }] },
    });
    const [changed] = await openOf(day);
    await day.reconcile([lineFor(day.attempts[0]), lines[1]]);
    if (changed === undefined) throw new Error('it is open');
    expect(inWords(await accept(day, changed))).toMatchObject({
      objections: [{ why: expect.stringContaining('no such break is open') }],
    });
  });

  test('is not opened again by a judging that had begun before', async () => {
    await using scene = await openDifferent();
    const { day, lines } = scene;
    const open = await openOf(day);
    let isAccepted = false;
    const through: Store = {
      ...day.store,
      recordBreaks: async (run, moves) => {
        if (!isAccepted) {
          isAccepted = true;
          expect(await accept(day, ...open)).toMatchObject({ applied: { applied: 1 } });
        }
        return day.store.recordBreaks(run, moves);
      },
    };
    await day.reconcile([...lines, lineFor(day.attempts[1], strange('STRANGE1'))], { through });
    expect(isAccepted).toBe(true);
    expect(await openKinds(day)).toEqual(['unmatched-bank-line']);
  });
});
