/** Registrations, and batches of them, as targets of decisions: their facts, possible decisions and changes. */
import { isMessage, type Message, message } from '../core/message.ts';
import { zeroSatang } from '../core/money.ts';
import { isSealed } from '../core/payout.ts';
import type {
  RegistrationBatch,
  RegistrationEvent,
  RegistrationStore,
  RegistrationTotal,
} from '../registration/ports.ts';
import { identityKey } from '../registration/rules/callback.ts';
import {
  decideRegistration,
  instructionToSend,
  optionsForRegistration,
  type ReviewedRegistration,
} from '../registration/rules/decisions.ts';
import {
  awaitedStatuses,
  type Registration,
  type RegistrationCause,
  type RegistrationInstruction,
  type RegistrationStatus,
} from '../registration/rules/registration.ts';
import type { RegistrationDefaults } from '../registration/rules/registration-row.ts';
import { servicePayer } from '../registration/rules/intent.ts';
import { cancelledReason, openPayer } from '../payout/operator.ts';
import { describeRow } from '../payout/rules/operator.ts';
import { type Examined, noResources, readTerms, type ReviewContext, type TargetWork } from './context.ts';
import { countWhole, findMoreThanProposed } from './freeze.ts';
import { applyToRow, markOf } from './payout-target.ts';
import { directDebitOf, type PayerKey } from './rules/batch-decisions.ts';
import type { Possible } from './rules/offers.ts';
import { markChanges } from './rules/payout-decisions.ts';
import { type ChangeTerms, findChangeSince, type Target } from './rules/proposal.ts';
import { countRegistrations } from './rules/proposal-figures.ts';
import { type Decision, isRegistrationDecision, type RegistrationDecision } from './rules/terms.ts';

const changeTerms: ChangeTerms<RegistrationCause, RegistrationStatus> = {
  quiet: ['request-renewed', 'answered-late', 'released'],
  describe: (cause) => message(`registration-cause.${cause}`),
  describeStatus: (status) => message(`registration-is.${status}`),
};

/** The visible change of a registration since a version; undefined when there is none. */
export const findRegistrationChangeSince = (
  version: number,
  present: Pick<Registration, 'version'>,
  events: readonly RegistrationEvent[],
): Message | undefined => findChangeSince(version, present, events, changeTerms);

/** A registration and its history, as a decision reads them. */
interface Reviewed extends ReviewedRegistration {
  readonly batch: RegistrationBatch;
  readonly events: readonly RegistrationEvent[];
}

const noDefaults: RegistrationDefaults = { vendorId: '', companyId: '' };

/** The limit of waiting registrations that are read; one account has fewer waiting at a time. */
const waitingMax = 1_000;
/** The limit of unknown callbacks that are read; more at a time are too many to look at. */
const unknownMax = 10_000;

/** Reads other registrations of the same identity that wait to be sent or await a callback. */
async function readOpenOthers(
  { journal }: Pick<RegistrationContext, 'journal'>,
  own: Registration,
  asked: RegistrationInstruction,
): Promise<readonly Registration[]> {
  const identity = identityKey(asked);
  const sent = (await journal.sentRegistrations(identity)).map(({ registration }) => registration);
  const filter = { accountNo: asked.accountNo, statuses: ['ready', 'held'] } as const;
  const waiting: Registration[] = [];
  for (const row of await journal.searchRegistrations(filter, Number.MAX_SAFE_INTEGER, waitingMax)) {
    if (row.currentInstruction === null || identityKey(row.currentInstruction) !== identity) continue;
    const found = await journal.registration(row.seq);
    if (found !== undefined) waiting.push(found);
  }
  const awaited = sent.filter(({ status }) => awaitedStatuses.some((one) => one === status));
  return [...awaited, ...waiting].filter(({ seq }) => seq !== own.seq);
}

/** The context in which a registration is examined. */
export type RegistrationContext = Pick<ReviewContext, 'clock' | 'registrationDefaults'> & {
  readonly journal: RegistrationStore;
};

/** Reads everything on which a decision about a registration rests; undefined for one outside the journal. */
async function readReviewed(
  { journal, clock, registrationDefaults: defaults = noDefaults }: RegistrationContext,
  seq: number,
  newAccountNo?: string,
): Promise<Reviewed | undefined> {
  const history = await journal.registrationHistory(seq);
  const registration = await journal.registration(seq);
  if (history === undefined || registration === undefined) return undefined;
  const { row, batch, events } = history;
  const registrationId = row.cells.registrationId.trim();
  const asked = instructionToSend({ registration, row, defaults, newAccountNo });
  const unknown = asked === null ? [] : await journal.unknownCallbacks(unknownMax);
  return {
    registration,
    row,
    batch,
    events,
    holder: await journal.registrationHolder(batch.companyId, registrationId),
    similar: await journal.similarRegistrationHolders(batch.companyId, registrationId),
    openOthers: asked === null ? [] : await readOpenOthers({ journal }, registration, asked),
    isCalledBack:
      asked !== null && unknown.some(({ callback }) => identityKey(callback.identity) === identityKey(asked)),
    defaults,
    newAccountNo,
    nowMs: clock.now(),
  };
}

/** Reads the decisions that a registration allows now, and why others are not; undefined for an unknown one. */
export async function readRegistrationOptions(
  context: RegistrationContext,
  seq: number,
): Promise<readonly Possible<RegistrationDecision>[] | undefined> {
  const reviewed = await readReviewed(context, seq);
  return reviewed && optionsForRegistration(reviewed);
}

/** Finds the registration, or the reason why a decision on it is impossible. */
async function findReviewed(
  context: ReviewContext,
  decision: RegistrationDecision,
  { key, version, correction }: Pick<Target, 'key' | 'version' | 'correction'>,
): Promise<Reviewed | Message> {
  const reviewed = await readReviewed(context, Number(key), correction?.accountNo);
  if (reviewed === undefined) return message('decide.no-row');
  const changed = findRegistrationChangeSince(Number(version), reviewed.registration, reviewed.events);
  if (changed !== undefined) return changed;
  if (decision === 'retry-corrected' && correction?.accountNo === undefined)
    return message('register.to-what');
  const decided = decideRegistration(decision, reviewed);
  return isMessage(decided) ? decided : reviewed;
}

function requireDecision(decision: Decision): RegistrationDecision {
  if (!isRegistrationDecision(decision)) throw new Error(`${decision} is not about a registration`);
  return decision;
}

/** Tells whether the decision sends the bank something that was not examined before. */
const asksAnew = (decision: RegistrationDecision, { registration }: Reviewed): boolean =>
  decision === 'retry-corrected' || (decision === 'retry' && registration.status === 'rejected');

/**
 * Decides on a registration at once, where persons need not prove who they are.
 * @returns true, or the reason for a refusal
 */
export async function changeRegistration(
  context: ReviewContext,
  decision: RegistrationDecision,
  seq: number,
): Promise<true | Message> {
  const reviewed = await readReviewed(context, seq);
  if (reviewed === undefined) return message('decide.no-row');
  const where = describeRow(reviewed.registration);
  const changes = decideRegistration(decision, reviewed);
  if (isMessage(changes)) return message('place.with-why', { where, why: changes });
  const applied = await context.journal.applyRegistrations(changes);
  return applied.every(Boolean) || message('change.at-same-moment', { where });
}

/** Registrations as targets, by their numbers. */
export function makeRegistrationWork(context: ReviewContext): TargetWork {
  const { journal } = context;
  return {
    ...noResources,
    async examine(decision, target): Promise<Examined> {
      const asked = requireDecision(decision);
      const reviewed = await findReviewed(context, asked, target);
      if (isMessage(reviewed)) return reviewed;
      const isApproval = asksAnew(asked, reviewed);
      const { batchId, fileName } = reviewed.batch;
      const { row, registration } = reviewed;
      const accountNo = registration.instruction?.accountNo ?? row.cells.accountNo;
      return {
        amountSatang: zeroSatang,
        figures: { of: 'registrations', wasSatang: null, files: [countRegistrations(batchId, fileName, 1)] },
        was: { proxyNo: null, amount: null, accountNo },
        ...(isApproval ? { approval: await readTerms(context, reviewed.batch.batchId) } : {}),
      };
    },
    async apply(proposal, item) {
      if (item.status !== 'open') return;
      const { proposalId, itemNo } = item;
      const decision = requireDecision(proposal.decision);
      await applyToRow(journal, item, async () => {
        const reviewed = await findReviewed(context, decision, item);
        if (isMessage(reviewed)) return reviewed;
        const changes = decideRegistration(decision, reviewed);
        if (isMessage(changes)) return undefined;
        const applied = await journal.applyRegistrations(
          markChanges(changes, markOf(proposal), { proposalId, itemNo }),
        );
        return applied[0] === true;
      });
    },
  };
}

// ---------------------------------------------------------------- batches of them

/** The version of a batch of registrations, as a decision refers to it. */
export const versionOfRegistrations = ({ status, reasonCode, restedAtMs }: RegistrationBatch): string =>
  [status, reasonCode ?? '', restedAtMs ?? ''].join(' ');

const hasAny = (totals: readonly RegistrationTotal[], statuses: readonly string[]): boolean =>
  totals.some(({ status, rows }) => rows > 0 && statuses.includes(status));

/** The reason why a decision on a batch of registrations is impossible; undefined when it is possible. */
export function decideRegistrationBatch(
  decision: Decision,
  batch: Pick<RegistrationBatch, 'status'>,
  totals: readonly RegistrationTotal[],
): Message | undefined {
  const status = message(`batch-is.${batch.status}`);
  if (!isSealed(batch.status)) return message('register.batch-unsealed', { status });
  if (decision === 'cancel-batch')
    return hasAny(totals, ['ready', 'held']) ? undefined : message('register.batch-sent');
  if (decision !== 'resume-batch') return message('register.batch-decisions');
  const isStopped = batch.status === 'halted' || batch.status === 'paused';
  return isStopped || hasAny(totals, ['held']) ? undefined : message('batch.nothing-held', { status });
}

type DirectDebitJournal = Pick<
  ReviewContext['journal'],
  | keyof RegistrationStore
  | 'payerHalts'
  | 'payerHalt'
  | 'liftPayerHalt'
  | 'payerPause'
  | 'recordPayerHalt'
  | 'recordPayerPause'
  | 'clearPayerPause'
>;

/** Lifts the batch-wide holds of a batch. @returns the number of rows released */
async function liftBatch(
  journal: DirectDebitJournal,
  { batchId, status }: RegistrationBatch,
  nowMs: number,
): Promise<number> {
  const rows = await journal.liftRegistrationHolds(batchId, ['halted', 'paused'], nowMs);
  if (rows > 0 || status === 'halted' || status === 'paused')
    await journal.moveRegistrationBatch(batchId, 'running', null, nowMs);
  return rows;
}

/** Resumes a batch, and direct debit with it. @returns the number of rows released */
export async function resumeRegistrations(
  journal: DirectDebitJournal,
  batch: RegistrationBatch,
  nowMs: number,
): Promise<number> {
  const { companyId } = batch;
  const rows = await liftBatch(journal, batch, nowMs);
  const halted = (await journal.payerHalts()).filter(
    (halt) => halt.companyId === companyId && directDebitOf(halt.payerAccount) !== undefined,
  );
  const accounts = [servicePayer(companyId), ...halted].map(({ payerAccount }) => payerAccount);
  for (const payerAccount of new Set(accounts)) await openPayer(journal, { companyId, payerAccount }, nowMs);
  return rows;
}

/** Lifts the halt or pause of direct debit and its holds; another halt in force holds its rows again. */
export async function openDirectDebit(
  journal: DirectDebitJournal,
  payer: PayerKey,
  nowMs: number,
): Promise<void> {
  for (const batch of await journal.registrationBatches())
    if (isSealed(batch.status) && batch.reasonCode !== cancelledReason.code)
      await liftBatch(journal, batch, nowMs);
  await openPayer(journal, payer, nowMs);
}

/** Cancels every unsent row of a batch. @returns the number of cancelled rows */
export async function cancelRegistrations(
  journal: RegistrationStore,
  { batchId }: RegistrationBatch,
  nowMs: number,
): Promise<number> {
  // Rows in transit may come back unsent. A halted batch sends nothing more; its end cancels those rows too.
  const isHalted = await journal.moveRegistrationBatch(batchId, 'halted', cancelledReason, nowMs);
  const rows = await journal.cancelUnsentRegistrations(batchId, nowMs);
  if ((await journal.countAwaitedRegistrations(batchId)) > 0) {
    // The batch may have begun meanwhile: it cannot be halted before its first row is sent.
    if (!isHalted) await journal.moveRegistrationBatch(batchId, 'halted', cancelledReason, nowMs);
    return rows;
  }
  // Adds the rows that came back after the first cancellation.
  const all = rows + (await journal.cancelUnsentRegistrations(batchId, nowMs));
  if (isHalted || all > 0) await journal.moveRegistrationBatch(batchId, 'done', null, nowMs);
  return all;
}

/** Batches of registrations as targets, by their ids. */
export function makeRegistrationBatchWork(context: ReviewContext): TargetWork {
  const { journal, clock } = context;
  const find = async (
    decision: Decision,
    { key, version }: Pick<Target, 'key' | 'version'>,
  ): Promise<RegistrationBatch | Message> => {
    const batch = await journal.registrationBatch(key);
    if (batch === undefined) return message('decide.no-batch', { batch: key });
    if (versionOfRegistrations(batch) !== version) return message('change.since');
    return decideRegistrationBatch(decision, batch, await journal.registrationTotals(key)) ?? batch;
  };
  return {
    ...noResources,
    async examine(decision, target): Promise<Examined> {
      const batch = await find(decision, target);
      if (isMessage(batch)) return batch;
      return { amountSatang: zeroSatang, figures: await countWhole(context, decision, target) };
    },
    async apply(proposal, item) {
      if (item.status !== 'open') return;
      const { proposalId, itemNo } = item;
      const { decision } = proposal;
      const batch = await find(decision, item);
      const why = isMessage(batch) ? batch : await findMoreThanProposed(context, proposal, [item]);
      if (!isMessage(batch) && why === undefined)
        await (decision === 'cancel-batch' ? cancelRegistrations : resumeRegistrations)(
          journal,
          batch,
          clock.now(),
        );
      await journal.endItem(proposalId, itemNo, why === undefined ? 'applied' : 'refused', why ?? null);
    },
  };
}
