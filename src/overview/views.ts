/** Views of the page besides those for decisions: the day, payees, users and the log. */
import type { SignInPageContext } from '../review/web/sign-in-page.ts';
import type { FileView, View } from '../review/web/view.ts';
import { type LogReader, makeLogViews } from './log-page.ts';
import { makePayeesViews, type PayeesReader } from './payees-page.ts';
import { makeUserViews } from './people-page.ts';
import { makeReconciliationViews, type ReconciliationReader } from './reconciliation-page.ts';
import { makeUploadView, makeUploadViews, type UploadPageContext } from './upload-page.ts';
import { makeRegistrationBatchViews, type RegistrationBatchContext } from './registrations/batch-page.ts';
import { makeRegistrationListViews, type RegistrationListReader } from './registrations/list-page.ts';
import {
  makeRegistrationFileView,
  makeRegistrationViews,
  type RegistrationPageContext,
} from './registrations/one-page.ts';
import type { ReadReview } from '../review/web/payout-page.ts';
import type { Uploads } from './uploads.ts';
import { makeTodayViews, type TodayContext } from './today-page.ts';

interface OverviewOptions {
  readonly store: TodayContext['store'] &
    PayeesReader &
    LogReader &
    ReconciliationReader &
    UploadPageContext['store'] &
    RegistrationListReader &
    RegistrationPageContext['store'] &
    RegistrationBatchContext['store'];
  readonly readReview: ReadReview;
  /** Folder for evidence files; undefined when none are accepted. */
  readonly evidenceFolder?: string | undefined;
  readonly readContext: () => Promise<SignInPageContext>;
  readonly payer?: TodayContext['payer'];
  readonly readSurroundings?: TodayContext['readSurroundings'];
  /** Uploaded files until they are dropped; undefined when none are accepted. */
  readonly uploads?: Uploads;
  /** Reports a change of users outside. */
  readonly onUserChange?: () => Promise<void>;
}

export function makeOverviewViews(options: OverviewOptions): readonly View[] {
  const { store, payer, readSurroundings, readContext, readReview, evidenceFolder, onUserChange, uploads } =
    options;
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
    ...makeRegistrationListViews(store),
    ...makeRegistrationViews({ store, readReview, evidenceFolder }),
    ...makeRegistrationBatchViews({ store, readReview }),
    ...(uploads === undefined ? [] : makeUploadViews({ store, uploads, readSurroundings })),
  ];
}

/** Views that receive files, and those that discard them. */
export const makeFileViews = (
  uploads: Uploads,
  registrations?: RegistrationPageContext,
): {
  readonly fileViews: readonly FileView[];
  readonly onSignOut: (sessionHash: string) => Promise<void>;
} => ({
  fileViews: [
    makeUploadView(uploads),
    ...(registrations?.evidenceFolder === undefined ? [] : [makeRegistrationFileView(registrations)]),
  ],
  onSignOut: async (sessionHash) => uploads.discard(sessionHash),
});
