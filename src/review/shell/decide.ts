/** Decisions that are typed in a shell or filed, made by the person whom the personal token proves. */
import { basename } from 'node:path';
import { inEnglish, type Message, message } from '../../core/message.ts';
import { FileRejected, openRegularFile } from '../../platform/csv/open.ts';
import { SettingsError } from '../../settings/secrets.ts';
import { approveBatch, type ApproveTerms, type BatchApproved } from '../approve-batch.ts';
import type { DecisionSession } from '../context.ts';
import {
  evidenceBytesMax,
  evidenceFolderOf,
  type PreparedEvidence,
  prepareEvidence,
} from '../evidence-files.ts';
import {
  type Named,
  nameBatch,
  nameFiled,
  nameOne,
  nameRetried,
  nameRetriedRegistrations,
  type RowDecision,
  type UnknownRow,
} from './named-targets.ts';
import { type DecisionFileReading, readDecisionFile } from '../read-decision-file.ts';
import { type Checked, decide, type Proposed, type Wish } from '../review.ts';
import { can, type ProvedPerson } from '../rules/people.ts';
import type { Decider } from '../rules/proposal.ts';
import { type Decision, decisionTerms, type PayoutDecision } from '../rules/terms.ts';
import { identifyPerson } from '../tokens.ts';
import { deciderOf, giveVerdict, type Verdict } from '../verdict.ts';

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
  const proposed = await decide(context, maker, asked, keepFiles);
  if (proposed.kind === 'proposed') return { kind: 'decided', ends: proposed.ends };
  const objections = proposed.objections.map(({ target, why }) => ({
    where: all.find((one) => one.target === target)?.where,
    why,
  }));
  return { kind: 'refused', objections };
}

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
