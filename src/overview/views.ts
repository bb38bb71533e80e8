/** Views of the page beside those in which people decide: the day, payees, users and the log. */
import type { SignInPageContext } from '../review/web/sign-in-page.ts';
import type { View } from '../review/web/view.ts';
import { type LogReader, makeLogViews } from './log-page.ts';
import { makePayeesViews, type PayeesReader } from './payees-page.ts';
import { makeUserViews } from './people-page.ts';
import { makeReconciliationViews, type ReconciliationReader } from './reconciliation-page.ts';
import { makeTodayViews, type TodayContext } from './today-page.ts';

export interface OverviewOptions {
  readonly store: TodayContext['store'] & PayeesReader & LogReader & ReconciliationReader;
  readonly readContext: () => Promise<SignInPageContext>;
  readonly payer?: TodayContext['payer'];
  readonly readSurroundings?: TodayContext['readSurroundings'];
  /** Users have changed: it is told outside. */
  readonly onUserChange?: () => Promise<void>;
}

export function makeOverviewViews(options: OverviewOptions): readonly View[] {
  const { store, payer, readSurroundings, readContext, onUserChange } = options;
  const readPersons = async () => {
    const context = await readContext();
    return { ...context, nowMs: context.clock.now() };
  };
  return [
    ...makeTodayViews({ store, payer, readSurroundings }),
    ...makeReconciliationViews(store),
    ...makePayeesViews(store),
    ...makeUserViews({ readPersons, onChange: async () => onUserChange?.() }),
    ...makeLogViews(store),
  ];
}
