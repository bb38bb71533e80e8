/** An operator's action on a batch or a payout, alongside the sender. */
import { type Message, message } from '../core/message.ts';
import type { Batch } from '../core/ports.ts';
import type { RowRules } from '../intake/rules/row.ts';
import {
  type AskBeforeCancel,
  cancelBatch,
  cancelPayouts,
  changeEach,
  describeLikeRows,
  findRefusal,
  findRetryRefusal,
  type OperatorResult,
  type OperatorVerb,
  resumeBatch,
  resumePayouts,
  retryBatch,
  retryPayouts,
} from '../payout/operator.ts';
import type { PayoutHistory } from '../payout/ports.ts';
import type { RegistrationBatch, RegistrationHistory, RegistrationSnapshot } from '../registration/ports.ts';
import { sourceStatusesOf } from '../registration/rules/registration.ts';
import { cancelQuestionsOf } from '../review/context.ts';
import { figureWhole } from '../review/freeze.ts';
import { describeSent } from '../review/rules/proposal-figures.ts';
import {
  cancelRegistrations,
  changeRegistration,
  resumeRegistrations,
} from '../review/registration-target.ts';
import { systemClock } from '../platform/clock.ts';
import type { LoadedSettings } from '../settings/settings.ts';
import type { Store } from '../store/store.ts';
import { findAnyBatch, findRows } from '../review/shell/named-targets.ts';
import { decideByVerb, type Decided } from '../review/shell/decide.ts';
import { openDecisions, type OpenDecisions } from './decide/open.ts';

export type { OperatorVerb } from '../payout/operator.ts';

export type OperatorOutcome = OperatorResult;

/** The outcome for a batch that went on with its account, which a target before it has resumed. */
const tellWentOn = async (journal: Store, batchId: string): Promise<OperatorOutcome> => ({
  rowsChanged: 0,
  refusals: [],
  notes: [message('batch.went-on-with-account'), ...(await describeLikeRows(journal, batchId))],
});

/** Outcome for one target. */
interface ChangedTarget {
  readonly target: string;
  /** Undefined for a name that nothing has, and once there are users. */
  readonly outcome?: OperatorOutcome | undefined;
  /** Present once there are users: what was applied or proposed. */
  readonly decided?: Decided;
}

/**
 * Changes one target after the other, and yields each outcome at once; a failure of one stops no other.
 * @param targets each a batch id, a payoutId or a transRefNo
 * @throws SettingsError without a journal
 */
export async function* changeTargets(
  loaded: LoadedSettings,
  verb: OperatorVerb,
  targets: readonly string[],
): AsyncGenerator<ChangedTarget> {
  await using session = await openDecisions(loaded);
  await using questions = cancelQuestionsOf(session.context);
  const isHalted = async (target: string): Promise<boolean> =>
    verb === 'resume' && (await session.journal.batch(target))?.status === 'halted';
  const halted = new Set<string>();
  for (const target of targets) if (await isHalted(target)) halted.add(target);
  for (const target of new Set(targets)) {
    // The person was shown the halt of this batch alone: rows held as like others are not let go on with it.
    if (halted.has(target) && !(await isHalted(target))) {
      yield { target, outcome: await tellWentOn(session.journal, target) };
      continue;
    }
    const decided = await decideByVerb(session, verb, target);
    if (decided !== undefined) yield { target, decided };
    else yield { target, outcome: await changeTarget(session, questions.ask, verb, target) };
  }
}

/** Resumes a batch, and says what else of its payer account goes on with it. */
async function resumeWithAccount(
  { journal, context }: OpenDecisions,
  batch: Batch,
  nowMs: number,
): Promise<OperatorOutcome> {
  const figures = await figureWhole(context, 'resume-batch', { kind: 'batch', key: batch.batchId });
  const outcome = await resumeBatch(journal, batch, nowMs, context.payerAccount);
  const isMore = figures.files.some(({ batchId }) => batchId !== batch.batchId);
  if (!isMore || outcome.refusals.length > 0) return outcome;
  return { ...outcome, notes: [describeSent(figures), ...(outcome.notes ?? [])] };
}

async function changeTarget(
  session: OpenDecisions,
  ask: AskBeforeCancel,
  verb: OperatorVerb,
  target: string,
): Promise<OperatorOutcome | undefined> {
  const { journal, loaded } = session;
  const nowMs = systemClock.now();
  const rules = { payoutSatangMax: loaded.limits.satangPerPayout };
  const context: OperatorContext = { journal, ask, verb, rules, nowMs };
  const whole = await findAnyBatch(journal, target);
  if (whole?.kind === 'registrations') return changeRegistrationBatch(session, verb, whole.batch);
  if (whole !== undefined) {
    const { batch } = whole;
    switch (verb) {
      case 'resume':
        return await resumeWithAccount(session, batch, nowMs);
      case 'cancel':
        return await cancelBatch(journal, batch, nowMs, ask);
      case 'retry':
        return (
          (await refuseArchivedBatch(context, batch)) ?? (await retryBatch(journal, batch, rules, nowMs))
        );
    }
  }
  const found = await findRows(journal, target);
  if (found === undefined) return undefined;
  if (found.kind === 'registration') return changeRegistrations(session, verb, found.registrations);
  const refusals: Message[] = [];
  const present: PayoutHistory[] = [];
  for (const one of found.payouts) {
    const why = await refuseArchived(context, one);
    if (why === undefined) present.push(one);
    else refusals.push(why);
  }
  const done = await changePayouts(context, present);
  return { ...done, refusals: [...refusals, ...done.refusals] };
}

// ---------------------------------------------------------------- registrations

/** The decision that each verb means for one registration. */
const registrationVerbs = { resume: 'go-on', cancel: 'cancel', retry: 'retry' } as const;

const changeRegistrations = (
  { context }: OpenDecisions,
  verb: OperatorVerb,
  found: Iterable<Pick<RegistrationHistory, 'row'>> | AsyncIterable<Pick<RegistrationHistory, 'row'>>,
): Promise<OperatorOutcome> =>
  changeEach(found, ({ row }) => changeRegistration(context, registrationVerbs[verb], row.seq));

async function changeRegistrationBatch(
  session: OpenDecisions,
  verb: OperatorVerb,
  batch: RegistrationBatch,
): Promise<OperatorOutcome> {
  const { journal, context } = session;
  if (verb === 'retry') {
    await using snapshot = await journal.registrationReports.snapshot();
    return await changeRegistrations(session, verb, endedRegistrations(snapshot, batch));
  }
  const nowMs = context.clock.now();
  const change = verb === 'cancel' ? cancelRegistrations : resumeRegistrations;
  return { rowsChanged: await change(journal, batch, nowMs), refusals: [] };
}

/** Registrations of a batch that might be tried again. */
async function* endedRegistrations(
  snapshot: RegistrationSnapshot,
  { batchId }: RegistrationBatch,
): AsyncGenerator<Pick<RegistrationHistory, 'row'>> {
  for await (const rows of snapshot.resultRows(batchId))
    for (const row of rows) if (sourceStatusesOf('ready', 'tried-again').includes(row.status)) yield { row };
}

// ---------------------------------------------------------------- payouts

interface OperatorContext {
  readonly journal: Store;
  readonly ask: AskBeforeCancel;
  readonly verb: OperatorVerb;
  readonly rules: RowRules;
  readonly nowMs: number;
}

async function changePayouts(
  { journal, ask, verb, rules, nowMs }: OperatorContext,
  found: readonly PayoutHistory[],
): Promise<OperatorOutcome> {
  const seqs = found.map(({ row }) => row.seq);
  switch (verb) {
    case 'resume':
      return await resumePayouts(journal, seqs, nowMs);
    case 'cancel':
      return await cancelPayouts(journal, seqs, nowMs, ask);
    case 'retry':
      return await retryPayouts(journal, found, rules, nowMs);
  }
}

/**
 * Judges an archived row in its archive: only a row that will change brings its batch back, which may be large.
 * @returns why it stays as it is; undefined for one that stands in the journal now
 */
async function refuseArchived(
  { journal, verb, rules, nowMs }: OperatorContext,
  one: Pick<PayoutHistory, 'row' | 'batch'>,
): Promise<Message | undefined> {
  const { batchId } = one.batch;
  if ((await journal.archived('batch', [batchId])).length === 0) return undefined;
  const why = await findRefusal(journal, verb, one, rules, nowMs);
  if (why === undefined) await journal.recall('batch', [batchId], nowMs);
  return why;
}

/** The same for a batch whose rows are to be tried again. */
async function refuseArchivedBatch(
  { journal, rules, nowMs }: OperatorContext,
  batch: Batch,
): Promise<OperatorOutcome | undefined> {
  const { batchId } = batch;
  if ((await journal.archived('batch', [batchId])).length === 0) return undefined;
  const refusal = await findRetryRefusal(journal, batch, rules, nowMs);
  if (refusal === undefined) await journal.recall('batch', [batchId], nowMs);
  return refusal;
}
