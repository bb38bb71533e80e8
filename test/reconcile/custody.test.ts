/** Which statements are taken, what each says of where it came from, and how one goes back to an earlier version. */
import { expect, test } from 'vitest';
import { move, settled } from '../../src/core/change.ts';
import type { StatementLine } from '../../src/reconcile/rules/statement.ts';
import { applied, noonMs } from '../support/journal-fixtures.ts';
import { lineFor, openDay, openKinds, type ReconcileDay } from '../support/reconcile-kit.ts';
import { date } from '../support/statement-fixtures.ts';

const taken = { isForced: false, isOfAllCompanies: false };
const byHand = { ...taken, isHandedIn: true };
const insisted = { ...byHand, isForced: true };

const versionOf = async ({ store }: ReconcileDay): Promise<number | undefined> =>
  (await store.statement(date))?.version;

/** The reply comes that proves the payout paid which is under way. */
async function prove({ store }: ReconcileDay): Promise<void> {
  const [one] = await store.inDoubt(0, 1);
  if (one === undefined) throw new Error('nothing is in doubt');
  const { payout, attempt } = one;
  const patch = { status: 'paid', ...settled('reply', noonMs) } as const;
  const paid = { ...attempt, status: 'paid', nextInquiryAtMs: null } as const;
  await applied(store, move({ payout, patch, cause: 'proved', nowMs: noonMs, attempt: paid }));
}

/** As another company's file has them. */
const ofOther = (lines: readonly StatementLine[]): StatementLine[] =>
  lines.map((line, place) => ({ ...line, companyId: 'COMP000009', transRefNo: `OTHER${place}` }));

test("another company's file is refused, whoever insists, and the right one is taken after it", async () => {
  await using day = await openDay(['paid', 'paid']);
  const right = day.attempts.map((attempt) => lineFor(attempt));
  for (const options of [taken, byHand, insisted]) {
    await expect(day.reconcile(ofOther(right), options)).rejects.toThrow('COMP000009');
    expect(await versionOf(day)).toBeUndefined();
  }
  await day.reconcile(right, byHand);
  await expect(day.reconcile(ofOther(right), byHand)).rejects.toThrow('COMP000009');
  expect([await versionOf(day), await openKinds(day)]).toEqual([1, []]);
});

test('an empty file of a day on which we paid is not complete yet, and the right one is taken after it', async () => {
  await using day = await openDay(['paid', 'failed']);
  await expect(day.reconcile([], taken)).rejects.toThrow(
    'not complete yet: it has no line of ours, and 1 payout of',
  );
  expect([await versionOf(day), await openKinds(day)]).toEqual([undefined, []]);
  const right = [lineFor(day.attempts[0])];
  await day.reconcile(right, taken);
  await expect(day.reconcile([], taken)).rejects.toThrow('not complete yet: it lacks 1 transfer');
  expect([await versionOf(day), await openKinds(day)]).toEqual([1, []]);
});

test('an empty file of a day on which nothing was paid is an empty day', async () => {
  await using day = await openDay(['failed']);
  await day.reconcile([], taken);
  expect(await versionOf(day)).toBe(1);
});

test('an empty file that came before anything was paid does not close the day when it comes again', async () => {
  await using day = await openDay(['submitted']);
  day.daysLater = 0;
  await day.reconcile([], taken);
  await prove(day);
  expect(await day.reconcile([], taken)).toMatchObject({ isRepeat: true });
  day.daysLater = 1;
  await expect(day.reconcile([], taken)).rejects.toThrow('it has no line of ours, and 1 payout of');
  // What a person hands in was written before the day had ended, and is no more of it than then.
  expect(await day.reconcile([], byHand)).toMatchObject({ isRepeat: true });
  expect([await versionOf(day), await openKinds(day)]).toEqual([1, ['missing-at-bank']]);
  expect(await day.store.daysReadInPart()).toEqual([date]);
  await day.reconcile([lineFor(day.attempts[0])], taken);
  expect([await versionOf(day), await openKinds(day)]).toEqual([2, []]);
});

test.each([
  ['a line that agreed', 0],
  ['a line that differed', 1],
  ['a line that we do not know', 3],
])('a version that loses %s is not complete yet, unless somebody insists', async (_, place) => {
  await using day = await openDay(['paid', 'paid', 'unresolved']);
  const [one, two, three] = day.attempts;
  const all = [
    lineFor(one),
    lineFor(two, { statusText: 'REVERSED', status: 'other' }),
    lineFor(three),
    lineFor(one, { transRefNo: 'UNKNOWN1' }),
  ];
  const fewer = all.filter((_line, at) => at !== place);
  await day.reconcile(all, taken);
  const before = await day.dump();
  await expect(day.reconcile(fewer, byHand)).rejects.toThrow('lacks 1 transfer');
  await expect(day.reconcile([...fewer, ...fewer.slice(0, 1)], taken)).rejects.toThrow('not complete yet');
  expect(await day.dump()).toBe(before);
  expect(await day.reconcile(fewer, insisted)).toMatchObject({ supersedes: 1 });
});

test('a version that lists a transfer once that was doubled before, and others besides, is taken', async () => {
  await using day = await openDay(['paid', 'paid']);
  const [one, two] = day.attempts;
  const foreign = ofOther([lineFor(one)]);
  await day.reconcile([lineFor(one), lineFor(one), ...foreign], taken);
  expect(await day.reconcile([lineFor(two), lineFor(one)], taken)).toMatchObject({ supersedes: 1 });
  expect(await openKinds(day)).toEqual([]);
});

test('one goes back to an earlier version by insisting, and what the bank still has does not undo it', async () => {
  await using day = await openDay(['paid', 'paid']);
  const [one, two] = day.attempts;
  const right = [lineFor(one), lineFor(two)];
  const wrong = [lineFor(one), lineFor(two, { statusText: 'REVERSED', status: 'other' })];
  await day.reconcile(right, byHand);
  await day.reconcile(wrong, byHand);
  await expect(day.reconcile(right, byHand)).rejects.toThrow('to go back to this version add --force');
  expect(await day.reconcile(right, insisted)).toMatchObject({ supersedes: 2 });
  expect([await versionOf(day), await openKinds(day)]).toEqual([3, []]);
  await expect(day.reconcile(wrong, taken)).rejects.toThrow('which version 3 has superseded');
  expect(await day.reconcile(right, taken)).toMatchObject({ isRepeat: true });
  const corrected = [lineFor(one), lineFor(two, { feeSatang: lineFor(one).amountSatang })];
  expect(await day.reconcile(corrected, taken)).toMatchObject({ supersedes: 3 });
});

test('where a statement came from stands in its version, its days, its tables and the events', async () => {
  await using day = await openDay(['paid', 'unresolved']);
  const [one, two] = day.attempts;
  await day.reconcile([lineFor(one), lineFor(two)], byHand);
  const provenance = { from: 'file', user: 'alice', isForced: false };
  expect(await day.store.statement(date)).toMatchObject({ provenance });
  expect(await day.store.statementDays()).toMatchObject([{ date, provenance }]);
  const rows = await day.tables('matched');
  expect(rows.map((row) => row['source'])).toEqual(['a file given by alice', 'a file given by alice']);
  const [history] = await day.store.findPayouts(two?.payoutId ?? '');
  expect(history?.events.at(-1)).toMatchObject({
    cause: 'proved',
    detail: { source: 'a file given by alice' },
  });
});
