/** Opens the journal for decisions, with the settings that are agreed on. */
import { systemClock } from '../../platform/clock.ts';
import { type Logger, silentLogger } from '../../platform/log.ts';
import { readTimeLimits } from '../../payout/rules/limits.ts';
import { type QueueContext, readQueue } from '../../attention/items.ts';
import { parseTimeOfDay } from '../../payout/rules/service-hours.ts';
import { listDropped } from '../../review/dropped/waiting.ts';
import type { DecisionSession, ReviewContext } from '../../review/context.ts';
import { agreeSettings, readSigningTerms } from '../../review/policy.ts';
import type { Queue } from '../../review/rules/queue.ts';
import { sweepProposals } from '../../review/review.ts';
import type { LoadedSettings } from '../../settings/settings.ts';
import type { Store } from '../../store/store.ts';
import { makeCancelQuestions } from '../cancel-questions.ts';
import { makeDecidedStatements } from './kept-statements.ts';
import { openReadOnlyJournal, requireJournal } from '../open-store.ts';
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

const minuteMs = 60_000;

/** Sources of the queue. */
export function makeQueueContext(
  { settings, dataDir }: Pick<LoadedSettings, 'settings' | 'dataDir'>,
  journal: Store,
): QueueContext {
  const { review, reconcile, bank, registration } = settings;
  return {
    journal,
    clock: systemClock,
    payerAccount: bank.payerAccount,
    registrationDefaults: registration,
    doubtAfterMs: review.doubtAfterMs,
    lateAtMs: (parseTimeOfDay(reconcile.lateAt) ?? 0) * minuteMs,
    listDecisions: async () => listDropped(dataDir),
  };
}

/** The queue, read alongside the sender; empty where there is no journal. */
export async function readWaiting(
  loaded: LoadedSettings,
  asked: Parameters<typeof readQueue>[1] = {},
): Promise<Queue> {
  await using journal = await openReadOnlyJournal(loaded);
  if (journal === undefined) return { items: [], totals: [] };
  return await readQueue(makeQueueContext(loaded, journal), asked);
}
