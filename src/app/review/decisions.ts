/** Decisions from the shell, made by the person whom the personal token proves. */
import { basename } from 'node:path';
import { showBaht } from '../../core/figures.ts';
import { inEnglish, type Message, message } from '../../core/message.ts';
import type { ResultRow } from '../../core/ports.ts';
import { maskDigits } from '../../core/proxy-id.ts';
import type { PayoutHistory } from '../../payout/ports.ts';
import { retriedStatuses } from '../../payout/rules/operator.ts';
import { systemClock } from '../../platform/clock.ts';
import { FileRejected, openRegularFile } from '../../platform/csv/open.ts';
import { type Logger, silentLogger } from '../../platform/log.ts';
import {
  evidenceBytesMax,
  evidenceFolderOf,
  type PreparedEvidence,
  prepareEvidence,
} from '../../review/evidence-files.ts';
import type { ReviewContext } from '../../review/context.ts';
import type { Proposal, ProposalItem } from '../../review/ports.ts';
import { approveBatch, type ApproveTerms, type BatchApproved } from '../../review/approve-batch.ts';
import { type DecisionFileReading, readDecisionFile } from '../../review/read-decision-file.ts';
import { type Checked, proposeAll, type Proposed, sweepProposals, type Wish } from '../../review/review.ts';
import { deciderOf, giveVerdict, type Verdict } from '../../review/verdict.ts';
import { versionOfBatch, describeTarget } from '../../review/rules/batch-decisions.ts';
import {
  type FiledDecision,
  type FiledPayout,
  type FiledRegistration,
  isFiledRegistration,
} from '../../review/rules/decision-file.ts';
import type { RegistrationHistory } from '../../registration/ports.ts';
import { sourceStatusesOf } from '../../registration/rules/registration.ts';
import { can, type ProvedPerson } from '../../review/rules/people.ts';
import type { Decider, ProposalStatus, Target } from '../../review/rules/proposal.ts';
import {
  type Decision,
  decisionTerms,
  isPayoutDecision,
  isRegistrationDecision,
  type PayoutDecision,
  type RegistrationDecision,
} from '../../review/rules/terms.ts';
import { SettingsError } from '../../settings/secrets.ts';
import { readSigningTerms } from './signing-terms.ts';
import { readTimeLimits } from '../../payout/rules/limits.ts';
import type { LoadedSettings } from '../../settings/settings.ts';
import type { Store } from '../../store/store.ts';
import { requireJournal } from '../open-store.ts';
import { findAnyBatch } from '../registration/standing.ts';
import { makeCancelQuestions } from '../cancel-questions.ts';
import { agreeSettings } from './agreed.ts';
import type { AskingSession } from '../session.ts';
import { identifyPerson } from './people.ts';
import { makeDecidedStatements } from './decided-statements.ts';

export type { BatchApproved } from '../../review/approve-batch.ts';
export type { Checked, Proposed } from '../../review/review.ts';
export type { Proposal } from '../../review/ports.ts';

/** The journal, open for decisions; the caller closes it. */
export interface DecisionSession extends AsyncDisposable {
  readonly journal: Store;
  readonly context: ReviewContext;
  readonly loaded: LoadedSettings;
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
): Promise<DecisionSession> {
  const journal = await requireJournal(loaded);
  const context = await readReview(loaded, journal, log);
  await sweepProposals(context);
  return { journal, context, loaded, [Symbol.asyncDispose]: () => journal[Symbol.asyncDispose]() };
}

/** The person who decides. @throws SettingsError without a valid token, or for a person who may not */
export async function requirePerson(
  { loaded, journal }: DecisionSession,
  action: 'propose' | 'check' | 'see' | 'take',
): Promise<ProvedPerson> {
  const proved = await identifyPerson(loaded, journal);
  if (proved === undefined)
    throw new SettingsError(
      'a decision needs a person who has proved who he is, and there is no user yet: "paydrop user add NAME --role admin" makes the first',
    );
  const permission = can(proved.person, action);
  if (!permission.allowed) throw new SettingsError(inEnglish(permission.why));
  return proved;
}

/** A target, and where people find it: a row of a batch, a line of a file. */
export interface Named {
  readonly where: string;
  readonly target: Target;
}

/** A refused decision: nothing was done. */
interface NothingDecided {
  readonly kind: 'refused';
  readonly objections: readonly { readonly where: string | undefined; readonly why: Message }[];
}

export type Decided = NothingDecided | { readonly kind: 'decided'; readonly ends: readonly Proposed[] };

interface NamedWish extends Omit<Wish, 'targets'> {
  readonly named: readonly Named[];
}

/** Proposes all wishes, or none; each refusal is reported with its place. */
export async function decideNamed(
  { context }: Pick<DecisionSession, 'context'>,
  wishes: readonly NamedWish[],
  maker: Decider,
  keepFiles?: () => Promise<void>,
): Promise<Decided> {
  const all = wishes.flatMap(({ named }) => named);
  const asked = wishes.map(({ named, ...wish }) => ({ ...wish, targets: named.map(({ target }) => target) }));
  const proposed = await proposeAll(context, asked, maker, keepFiles);
  if (proposed.kind === 'proposed') return { kind: 'decided', ends: proposed.ends };
  const objections = proposed.objections.map(({ target, why }) => ({
    where: all.find((one) => one.target === target)?.where,
    why,
  }));
  return { kind: 'refused', objections };
}

const describeRow = (row: Pick<ResultRow, 'rowNo' | 'cells'>, batchId: string): string =>
  `${row.cells.payoutId.trim()} (row ${row.rowNo} of batch ${batchId})`;

const nameRow = ({ row, batch }: Pick<PayoutHistory, 'row' | 'batch'>): Named => ({
  where: describeRow(row, batch.batchId),
  target: { kind: 'payout', key: String(row.seq), version: String(row.version) },
});

const nameRegistration = ({ row, batch }: Pick<RegistrationHistory, 'row' | 'batch'>): Named => ({
  where: `${row.cells.registrationId.trim()} (row ${row.rowNo} of batch ${batch.batchId})`,
  target: { kind: 'registration', key: String(row.seq), version: String(row.version) },
});

/** A decision on a payout, on a registration, or on either. */
type RowDecision = PayoutDecision | RegistrationDecision;

/**
 * Decides on payouts and registrations by their ids, or by the bank's references. A name that stands in several files
 * means the row in the file where the decision is possible.
 * @throws SettingsError as `identifyPerson` does, and for an unknown name
 */
export async function decideOnRows(
  session: DecisionSession,
  decision: RowDecision,
  names: readonly string[],
  {
    evidencePath,
    ...terms
  }: Pick<Wish, 'note' | 'evidence'> & { readonly evidencePath?: string | undefined },
): Promise<Decided> {
  const maker = deciderOf(await requirePerson(session, 'propose'));
  const named: Named[] = [];
  for (const name of new Set(names)) named.push(await nameOne(session, decision, name));
  await using prepared = evidencePath === undefined ? undefined : await prepareFile(session, evidencePath);
  const evidenceFile = prepared?.file ?? null;
  const wishes = (['payout', 'registration'] as const)
    .map((kind) => named.filter(({ target }) => target.kind === kind))
    .filter((some) => some.length > 0)
    .map((some) => ({ decision, named: some, ...terms, evidenceFile }));
  // Awaited here: the temporary file lives until this function ends.
  return await decideNamed(session, wishes, maker, async () => prepared?.keep());
}

/** @throws SettingsError for a file that cannot be kept */
async function prepareFile(
  { loaded }: Pick<DecisionSession, 'loaded'>,
  path: string,
): Promise<PreparedEvidence> {
  try {
    await using file = await openRegularFile(path);
    const source = file.handle.createReadStream({ autoClose: false });
    const kept = await prepareEvidence(evidenceFolderOf(loaded.dataDir), basename(path), source);
    if (kept === 'empty') throw new SettingsError(`${path} is empty: it proves nothing`);
    if (kept === 'tooLarge')
      throw new SettingsError(`${path} has more than ${evidenceBytesMax} bytes: a smaller one is kept`);
    return kept;
  } catch (error) {
    if (error instanceof FileRejected) throw new SettingsError(`${path}: ${error.message}`);
    throw error;
  }
}

/** Rows that a name may mean: those of payouts, or those of registrations. */
type FoundRows =
  | { readonly kind: 'payout'; readonly payouts: readonly PayoutHistory[] }
  | { readonly kind: 'registration'; readonly registrations: readonly RegistrationHistory[] };

const kindMark = /^(payout|registration):(.+)$/s;

/**
 * Finds rows by name: a payoutId, a registrationId, or the bank's reference of one. A prefix `payout:` or `registration:`
 * selects the kind.
 * @returns undefined for an unknown name
 * @throws SettingsError where a payout and a registration have the name
 */
export async function findRows(
  journal: Pick<Store, 'findPayouts' | 'findRegistrations'>,
  text: string,
): Promise<FoundRows | undefined> {
  const [, kind, name = text] = kindMark.exec(text) ?? [];
  const payouts = kind === 'registration' ? [] : await journal.findPayouts(name);
  const registrations = kind === 'payout' ? [] : await journal.findRegistrations(name);
  if (payouts.length > 0 && registrations.length > 0)
    throw new SettingsError(
      `a payout and a registration are called ${name}: say payout:${name} or registration:${name}`,
    );
  if (registrations.length > 0) return { kind: 'registration', registrations };
  return payouts.length > 0 ? { kind: 'payout', payouts } : undefined;
}

async function nameOne(session: DecisionSession, decision: RowDecision, name: string): Promise<Named> {
  const { journal } = session;
  const plain = kindMark.exec(name)?.[2] ?? name;
  for (const by of ['payoutId', 'transRefNo'] as const) await journal.recall(by, [plain], systemClock.now());
  const found = await findRows(journal, name);
  if (found === undefined)
    throw new SettingsError(
      `no payout and no registration is called ${name}; "paydrop list" finds payouts, "paydrop list --registrations" registrations`,
    );
  return found.kind === 'payout'
    ? namePayout(session, decision, found.payouts)
    : nameFoundRegistration(session, decision, found.registrations);
}

interface PossibleOne {
  readonly decision: string;
  readonly whyNot: Message | undefined;
}

/** The first row for which a decision is possible, or the latest. */
async function findPossible<One>(
  found: readonly One[],
  decision: RowDecision,
  read: (one: One) => Promise<readonly PossibleOne[] | undefined>,
): Promise<One | undefined> {
  for (const one of found) {
    const options = await read(one);
    if (options?.some((option) => option.decision === decision && option.whyNot === undefined)) return one;
  }
  return found[0];
}

const requireKnown = (one: Named | undefined): Named => {
  if (one === undefined) throw new Error('a name was found, and means nothing');
  return one;
};

async function namePayout(
  { context }: DecisionSession,
  decision: RowDecision,
  found: readonly PayoutHistory[],
): Promise<Named> {
  const { readOptions } = await import('../../review/payout-target.ts');
  if (!isPayoutDecision(decision))
    throw new SettingsError(`${found[0]?.row.cells.payoutId ?? ''} is a payout, not a registration`);
  const one = await findPossible(found, decision, ({ row }) => readOptions(context, row.seq));
  return requireKnown(one && nameRow(one));
}

async function nameFoundRegistration(
  { context }: DecisionSession,
  decision: RowDecision,
  found: readonly RegistrationHistory[],
): Promise<Named> {
  const { readRegistrationOptions } = await import('../../review/registration-target.ts');
  if (!isRegistrationDecision(decision))
    throw new SettingsError(`${found[0]?.row.cells.registrationId ?? ''} is a registration, not a payout`);
  const one = await findPossible(found, decision, ({ row }) => readRegistrationOptions(context, row.seq));
  return requireKnown(one && nameRegistration(one));
}

/** Outcome of a filled-in exceptions file. */
export type FileDecided =
  Exclude<DecisionFileReading, { readonly kind: 'decisions' }> | (Decided & { readonly undecided: number });

/**
 * Decides all of a filled-in exceptions file, or nothing of it.
 * @throws SettingsError as `identifyPerson` does
 */
export async function decideByFile(session: DecisionSession, path: string): Promise<FileDecided> {
  const maker = deciderOf(await requirePerson(session, 'propose'));
  return decideReading(session, await readDecisionFile(path), maker, `by the file ${path}`);
}

/** Decides all of a file that was read, or nothing of it. @param note of every proposal */
export async function decideReading(
  session: Pick<DecisionSession, 'journal' | 'context'>,
  reading: DecisionFileReading,
  maker: Decider,
  note: string,
): Promise<FileDecided> {
  if (reading.kind !== 'decisions') return reading;
  const { decisions, undecided } = reading;
  if (decisions.length === 0) return { kind: 'decided', ends: [], undecided };
  const rows = new Map<RowDecision, Named[]>();
  const unknown: UnknownRow[] = [];
  for (const filed of decisions) {
    const named = await nameFiled(session, filed);
    if ('why' in named) unknown.push(named);
    else rows.set(filed.decision, [...(rows.get(filed.decision) ?? []), named]);
  }
  if (unknown.length > 0) return { kind: 'refused', objections: unknown, undecided };
  const wishes = [...rows].map(([decision, named]) => ({
    decision,
    named,
    note,
    // Each row's own note names its evidence.
    evidence: decisionTerms[decision].needsEvidence ? note : null,
  }));
  return { ...(await decideNamed(session, wishes, maker)), undecided };
}

interface UnknownRow {
  readonly where: string;
  readonly why: Message;
}

/** Finds the row that a line of the file means. */
const nameFiled = (
  session: Pick<DecisionSession, 'journal'>,
  filed: FiledDecision,
): Promise<Named | UnknownRow> =>
  isFiledRegistration(filed) ? nameFiledRegistration(session, filed) : nameFiledPayout(session, filed);

async function nameFiledPayout(
  { journal }: Pick<DecisionSession, 'journal'>,
  { line, batchId, rowNo, payoutId, version, newProxyNo, newAmount, note }: FiledPayout,
): Promise<Named | UnknownRow> {
  await journal.recall('batch', [batchId], systemClock.now());
  const found = (await journal.findPayouts(payoutId)).find(
    ({ row, batch }) => batch.batchId === batchId && row.rowNo === rowNo,
  );
  const where = `line ${line}`;
  if (found === undefined)
    return {
      where,
      why: message('decision-file.no-such-payout', {
        where: message('place.row', { row: rowNo, batch: batchId }),
        id: payoutId,
      }),
    };
  const correction =
    newProxyNo === null && newAmount === null ? undefined : { proxyNo: newProxyNo, amount: newAmount };
  const { row } = found;
  const target: Target = { kind: 'payout', key: String(row.seq), version: String(version), note, correction };
  return { where: `${where}, ${describeRow(row, batchId)}`, target };
}

async function nameFiledRegistration(
  { journal }: Pick<DecisionSession, 'journal'>,
  { line, batchId, rowNo, registrationId, version, newAccountNo, note }: FiledRegistration,
): Promise<Named | UnknownRow> {
  const found = (await journal.findRegistrations(registrationId)).find(
    ({ row, batch }) => batch.batchId === batchId && row.rowNo === rowNo,
  );
  if (found === undefined)
    return {
      where: `line ${line}`,
      why: message('decision-file.no-such-registration', {
        where: message('place.row', { row: rowNo, batch: batchId }),
        id: registrationId,
      }),
    };
  const { where, target } = nameRegistration(found);
  const correction =
    newAccountNo === null ? undefined : { proxyNo: null, amount: null, accountNo: newAccountNo };
  return {
    where: `line ${line}, ${where}`,
    target: { ...target, version: String(version), note, correction },
  };
}

// ---------------------------------------------------------------- resume, cancel and retry, once there are users

/** The decisions that the verbs mean. */
const decisionsOf = {
  resume: { batch: 'resume-batch', payout: 'go-on' },
  cancel: { batch: 'cancel-batch', payout: 'cancel' },
  retry: { batch: undefined, payout: 'retry' },
} as const satisfies Record<string, { batch: Decision | undefined; payout: PayoutDecision }>;

/**
 * Decides on a whole batch, or on a payout, by a verb of the shell.
 * @returns undefined while there are no users: then the verb does it at once, unproved
 * @throws SettingsError as `identifyPerson` does
 */
export async function decideByVerb(
  session: DecisionSession,
  verb: keyof typeof decisionsOf,
  name: string,
): Promise<Decided | undefined> {
  const { journal, loaded } = session;
  if ((await identifyPerson(loaded, journal)) === undefined) return undefined;
  const note = `by "paydrop ${verb}"`;
  const { batch: ofBatch, payout } = decisionsOf[verb];
  const whole = await nameBatch(session, name);
  if (whole === undefined) return decideOnRows(session, payout, [name], { note, evidence: null });
  const maker = deciderOf(await requirePerson(session, 'propose'));
  const named =
    ofBatch !== undefined
      ? [whole]
      : whole.target.kind === 'batch'
        ? await nameRetried(session, whole.target.key)
        : await nameRetriedRegistrations(session, whole.target.key);
  if (named.length === 0)
    return {
      kind: 'refused',
      objections: [{ where: whole.where, why: message('retry.nothing') }],
    };
  return decideNamed(session, [{ decision: ofBatch ?? payout, named, note, evidence: null }], maker);
}

/** A whole batch of payouts or of registrations; undefined for an unknown name. */
async function nameBatch({ journal, context }: DecisionSession, name: string): Promise<Named | undefined> {
  const found = await findAnyBatch(journal, name);
  if (found === undefined) return undefined;
  const { batchId: key } = found.batch;
  const where = `batch ${key}`;
  if (found.kind === 'payouts') {
    const version = versionOfBatch(found.batch, context.payerAccount);
    return { where, target: { kind: 'batch', key, version } };
  }
  const { versionOfRegistrations } = await import('../../review/registration-target.ts');
  return {
    where,
    target: { kind: 'registration-batch', key, version: versionOfRegistrations(found.batch) },
  };
}

/** Registrations of a batch that can be tried again; the checker sees the list. */
async function nameRetriedRegistrations(
  { journal, context }: DecisionSession,
  batchId: string,
): Promise<readonly Named[]> {
  const batch = await journal.registrationBatch(batchId);
  const { readRegistrationOptions } = await import('../../review/registration-target.ts');
  const named: Named[] = [];
  await using snapshot = await journal.registrationSnapshot();
  for await (const rows of snapshot.resultRows(batchId))
    for (const row of rows) {
      if (!sourceStatusesOf('ready', 'tried-again').includes(row.status) || batch === undefined) continue;
      const options = await readRegistrationOptions(context, row.seq);
      if (options?.some(({ decision, whyNot }) => decision === 'retry' && whyNot === undefined))
        named.push(nameRegistration({ row, batch }));
    }
  return named;
}

/** Rows of a batch that can be tried again; the checker sees the list. */
async function nameRetried(
  { journal, context }: DecisionSession,
  batchId: string,
): Promise<readonly Named[]> {
  await journal.recall('batch', [batchId], systemClock.now());
  const batch = await journal.batch(batchId);
  const { readOptions } = await import('../../review/payout-target.ts');
  const named: Named[] = [];
  await using snapshot = await journal.snapshot();
  for await (const rows of snapshot.resultRows(batchId))
    for (const row of rows) {
      if (!retriedStatuses.includes(row.status) || batch === undefined) continue;
      const options = await readOptions(context, row.seq);
      if (options?.some(({ decision, whyNot }) => decision === 'retry' && whyNot === undefined))
        named.push(nameRow({ row, batch }));
    }
  return named;
}

/**
 * Approves the rows of a batch that wait for it, or proposes that where it takes a second person.
 * @throws SettingsError as `identifyPerson` does
 */
export async function approveBatchInShell(
  session: DecisionSession,
  batchId: string,
  terms: ApproveTerms,
): Promise<BatchApproved> {
  const proved = await requirePerson(session, 'see');
  return approveBatch(session.context, proved, batchId.toUpperCase(), terms);
}

// ---------------------------------------------------------------- proposals

/** A proposal with what it is about. */
export interface ProposalShown {
  readonly proposal: Proposal;
  readonly items: readonly ShownItem[];
}

interface ShownItem {
  readonly item: ProposalItem;
  readonly where: string;
  /** Payouts: amount, payee and present status. */
  readonly about?: string;
}

const itemsShownMax = 1_000;

/** The latest proposals, in these statuses. @throws SettingsError as `identifyPerson` does */
export async function listProposals(
  session: DecisionSession,
  statuses: readonly ProposalStatus[],
  limit: number,
): Promise<readonly Proposal[]> {
  return session.journal.proposals(statuses, Number.MAX_SAFE_INTEGER, limit);
}

/** One proposal with its items; undefined when there is none. */
export async function readProposal(
  { journal }: DecisionSession,
  proposalId: number,
): Promise<ProposalShown | undefined> {
  const proposal = await journal.proposal(proposalId);
  if (proposal === undefined) return undefined;
  const items: ShownItem[] = [];
  for (const item of await journal.proposalItems(proposalId, 0, itemsShownMax))
    items.push({ item, ...(await describeItem(journal, item)) });
  return { proposal, items };
}

async function describeItem(journal: Store, { kind, key }: ProposalItem): Promise<Omit<ShownItem, 'item'>> {
  if (kind === 'registration') return describeRegistrationItem(journal, Number(key));
  if (kind !== 'payout') return { where: inEnglish(describeTarget(kind, key)) };
  const history = await journal.history(Number(key));
  if (history === undefined) return { where: `row ${key}, in an archive` };
  const { row, batch } = history;
  const amount = row.amountSatang === null ? row.cells.amount : `${showBaht(row.amountSatang)} baht`;
  const payee = maskDigits(row.instruction?.proxyNo ?? row.cells.proxyNo);
  return { where: describeRow(row, batch.batchId), about: `${amount} to ${payee}, now ${row.status}` };
}

async function describeRegistrationItem(journal: Store, seq: number): Promise<Omit<ShownItem, 'item'>> {
  const history = await journal.registrationHistory(seq);
  if (history === undefined) return { where: `registration ${seq}` };
  const { row } = history;
  const account = maskDigits(row.currentInstruction?.accountNo ?? row.cells.accountNo);
  return { where: nameRegistration(history).where, about: `account ${account}, now ${row.status}` };
}

/** @throws SettingsError as `identifyPerson` does */
export async function checkProposal(
  session: DecisionSession,
  proposalId: number,
  verdict: Verdict,
  note: string | null,
): Promise<Checked> {
  const proved = await requirePerson(session, verdict === 'withdraw' ? 'propose' : 'check');
  return giveVerdict(session.context, proposalId, verdict, proved, { note });
}
