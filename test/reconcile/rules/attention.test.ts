import { expect, test } from 'vitest';
import type { Reconciled } from '../../../src/reconcile/reconcile.ts';
import { isQuiet } from '../../../src/reconcile/rules/attention.ts';
import type { BreakKind } from '../../../src/reconcile/rules/types.ts';
import { noneRecorded } from '../../support/reconcile-kit.ts';

const causedBy = (cause: string): Partial<Reconciled['recorded']> => ({ causes: new Map([[cause, 1]]) });
const none: ReadonlyMap<BreakKind, number> = new Map();

test.each<readonly [boolean, string, ReadonlyMap<BreakKind, number>, Partial<Reconciled['recorded']>]>([
  [true, 'nothing', none, {}],
  [true, 'what was proved and settled', none, { ...causedBy('proved'), closed: 2 }],
  [false, 'a break that is open on the day', new Map([['duplicate-line', 1]]), {}],
  [false, 'a break that was opened on another day', none, { opened: 1, openedOnOtherDays: 1 }],
  [false, 'a late proof', none, causedBy('late-proof')],
  [false, 'a second proof', none, causedBy('second-proof')],
  [false, 'a dispute', none, causedBy('statement-contradicts')],
  [false, 'an attempt that was closed and lives', none, causedBy('earlier-attempt-alive')],
  [false, 'an alarm', none, causedBy('alarm-raised')],
])('%s: it is quiet after %s', (expected, _, openBreaks, changes) => {
  expect(isQuiet(openBreaks, { ...noneRecorded, ...changes })).toBe(expected);
});
