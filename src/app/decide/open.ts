/** Opens the journal for decisions, with the settings that are agreed on. */
import { systemClock } from '../../platform/clock.ts';
import { type Logger, silentLogger } from '../../platform/log.ts';
import { readTimeLimits } from '../../payout/rules/limits.ts';
import type { DecisionSession, ReviewContext } from '../../review/context.ts';
import { agreeSettings, readSigningTerms } from '../../review/policy.ts';
import { sweepProposals } from '../../review/review.ts';
import type { LoadedSettings } from '../../settings/settings.ts';
import type { Store } from '../../store/store.ts';
import { makeCancelQuestions } from '../cancel-questions.ts';
import { makeDecidedStatements } from './kept-statements.ts';
import { requireJournal } from '../open-store.ts';
import type { AskingSession } from '../session.ts';

/** The journal, open for decisions; the caller closes it. */
export interface OpenDecisions extends DecisionSession {
  readonly journal: Store;
}

/**
 * Reads what a decision needs: the journal, and the settings agreed on at this moment.
 * @param session asks the bank; undefined where the process has none
 */
export async function readReview(
  loaded: LoadedSettings,
  journal: Store,
  log: Logger = silentLogger,
  session?: AskingSession,
): Promise<ReviewContext> {
  const { review, bank, approval, registration } = (await agreeSettings(loaded, journal)).settings;
  return {
    journal,
    clock: systemClock,
    rules: { payoutSatangMax: loaded.limits.satangPerPayout },
    registrationDefaults: registration,
    payerAccount: bank.payerAccount,
    people: review.people,
    approvers: approval.people,
    signing: readSigningTerms(loaded, journal.journalId),
    overTime: readTimeLimits(loaded.settings.limits),
    expireDays: review.expireDays,
    statements: makeDecidedStatements({ loaded, journal, clock: systemClock, log }),
    openCancelQuestions: () => makeCancelQuestions({ loaded, journal, clock: systemClock, log, session }),
  };
}

/** @throws SettingsError without a journal */
export async function openDecisions(
  loaded: LoadedSettings,
  log: Logger = silentLogger,
): Promise<OpenDecisions> {
  const journal = await requireJournal(loaded);
  const context = await readReview(loaded, journal, log);
  await sweepProposals(context);
  return { journal, context, loaded, [Symbol.asyncDispose]: () => journal[Symbol.asyncDispose]() };
}
