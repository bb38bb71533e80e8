/** A reference that was refused and went again: a failure of its day may be of either send. */
import { inEnglishIfAny, verbatim } from '../../src/core/message.ts';
import { expect, test } from 'vitest';
import { move } from '../../src/core/change.ts';
import type { Attempt } from '../../src/core/payout.ts';
import { returnUnsent } from '../../src/payout/rules/case.ts';
import { decideIntent, noBankNames } from '../../src/payout/rules/intent.ts';
import { caseAt, noonMs, payer, policy } from '../support/core-fixtures.ts';
import { describeOnEngines, type MakeStore } from '../support/engines.ts';
import {
  applied,
  bringTo,
  firstReady,
  ingestRunning,
  makeRows,
  statusesOf,
  submit,
} from '../support/journal-fixtures.ts';
import { lineFor, openDayOf, openKinds } from '../support/reconcile-kit.ts';
import { date } from '../support/statement-fixtures.ts';

/** Two rows: the reference of the first was refused, and went again on the same day without an answer; the other is paid. */
async function openRepeatedDay(makeStore: MakeStore) {
  await using stack = new AsyncDisposableStack();
  const { store, path = '' } = stack.use(await makeStore());
  await ingestRunning(store, makeRows(2));
  const first = await submit(store, await firstReady(store));
  const refused: Attempt = { ...first.attempt, status: 'refused', refusals: 1, nextInquiryAtMs: null };
  const known = caseAt(noonMs, { payout: first.payout, attempt: refused });
  const held = await applied(
    store,
    returnUnsent(known, 'paused', { code: 'TM001', text: verbatim('closed') }),
  );
  const lifted = { patch: { status: 'ready', holds: [] }, cause: 'hold-lifted', nowMs: noonMs } as const;
  const payout = await applied(store, move({ payout: held, ...lifted }));
  const shared = { attemptsRecorded: 1, number: 1, cleared: [refused], names: noBankNames };
  const again = decideIntent({ payout, ...shared, payer, policy, nowMs: noonMs + 60_000 });
  expect(again.attempt.order.transRefNo).toBe(first.attempt.order.transRefNo);
  await applied(store, again.change);
  await bringTo(store, 'paid');
  return await openDayOf(store, path, stack.move());
}

describeOnEngines('a reference that went twice on one day', (makeStore) => {
  test('is not failed by a line, which does not tell of which send it is', async () => {
    await using day = await openRepeatedDay(makeStore);
    const [repeated, paid] = day.attempts;
    day.daysLater = 2;
    await day.reconcile([lineFor(repeated, { status: 'failed' }), lineFor(paid)]);
    expect(await statusesOf(day.store)).toEqual(['submitted', 'paid']);
    const [found] = await day.store.openBreaks(date, 10);
    expect(found).toMatchObject({ kind: 'status-mismatch', severity: 'low' });
    expect(inEnglishIfAny(found?.reason)).toMatch(
      /its reference went twice on that day: the line does not tell which send failed$/,
    );
    await day.reconcile([lineFor(repeated), lineFor(paid)]);
    expect([await statusesOf(day.store), await openKinds(day)]).toEqual([['paid', 'paid'], []]);
  });
});
