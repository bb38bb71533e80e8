/** Opens the journal for decisions, with the settings that are agreed on. */
import { systemClock } from '../../platform/clock.ts';
import { type Logger, silentLogger } from '../../platform/log.ts';
import { readTimeLimits } from '../../payout/rules/limits.ts';
import { readAttention } from '../../attention/attention-list.ts';
import { type QueueContext, readItems } from '../../attention/items.ts';
import type { AttentionEntry } from '../../attention/rules/entry.ts';
import type { OwnedItem } from '../../attention/rules/items.ts';
import { parseTimeOfDay } from '../../payout/rules/service-hours.ts';
import { listDropped } from '../../review/dropped/waiting.ts';
import type { DecisionSession, ReviewContext } from '../../review/context.ts';
import { agreeSettings, readSigningTerms } from '../../review/policy.ts';
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

/** Everything that needs a person, read alongside the sender; nothing where there is no journal. */
export async function readEntries(loaded: LoadedSettings): Promise<readonly AttentionEntry[]> {
  await using journal = await openReadOnlyJournal(loaded);
  return journal === undefined ? [] : (await readAttention(makeQueueContext(loaded, journal))).entries;
}

/** The items behind these entries, likewise. */
export async function readWaitingItems(
  loaded: LoadedSettings,
  asked: Parameters<typeof readItems>[1],
): Promise<readonly OwnedItem[]> {
  await using journal = await openReadOnlyJournal(loaded);
  return journal === undefined ? [] : await readItems(makeQueueContext(loaded, journal), asked);
}
