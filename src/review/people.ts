/** Carries out changes of people: an admin proposes and a second one approves, or the owner of the journal acts. */
import { randomBytes } from 'node:crypto';
import { dayMs } from '../core/bangkok-time.ts';
import { type Message, message } from '../core/message.ts';
import { zeroSatang } from '../core/money.ts';
import type { PayoutStore } from '../payout/ports.ts';
import { systemClock } from '../platform/clock.ts';
import { hashPassword, makeHalf, type PasswordCost } from './password-hash.ts';
import type { PersonEdit, PersonsKept, PersonStore } from './ports.ts';
import {
  chainEvent,
  digestSecret,
  journalFactKinds,
  type PersonEvent,
  type PersonEventDraft,
} from './rules/chain.ts';
import {
  asAdmin,
  can,
  computeMomentAfterRestore,
  type Person,
  type Proof,
  type ProvedPerson,
} from './rules/people.ts';
import {
  type Asker,
  changeDays,
  computeEffect,
  computeRecovery,
  decideConfirmation,
  decideRequest,
  decideSendingBack,
  keyOfRequest,
  type KnownPersons,
  personDecision,
  type PersonProposal,
  type PersonRequest,
  type RequestEffect,
  subjectOf,
  versionOf,
} from './rules/person-request.ts';
import { computeProposalDigest, isOverdue } from './rules/proposal.ts';

// ---------------------------------------------------------------- one edit

/** The content of an edit; its events are not yet in their chains. */
interface EditDraft extends Omit<PersonEdit, 'afterSeq' | 'events'> {
  readonly events: readonly PersonEventDraft[];
}

/** The limit of attempts when other edits come first. */
const triesMax = 50;
const saltBytes = 16;

/** Makes 128 random bits, as hex. */
export const makeSalt = (): string => randomBytes(saltBytes).toString('hex');

/**
 * Builds an edit from the present state and stores it; builds it again when another edit has come first.
 * @param build returns `undefined` to end without a change
 * @returns the state from which the edit was built
 */
export async function appendEdit(
  store: Pick<PersonStore, 'persons' | 'editPersons'>,
  build: (kept: PersonsKept) => EditDraft | undefined | Promise<EditDraft | undefined>,
): Promise<PersonsKept> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const kept = await store.persons();
    const draft = await build(kept);
    if (draft === undefined) return kept;
    if (await store.editPersons({ ...draft, afterSeq: kept.latestSeq, events: chainAll(draft, kept) }))
      return kept;
  }
  throw new Error('users are being changed all the time');
}

/** Adds the password's digest to the event that sets it. */
function withPassword(draft: PersonEventDraft, password: EditDraft['password']): PersonEventDraft {
  if (password === undefined || draft.subject !== password.personId) return draft;
  return { ...draft, facts: { ...draft.facts, passwordDigest: digestSecret(password.passwordHash) } };
}

function chainAll({ events, password }: EditDraft, { heads, latestSeq }: PersonsKept): PersonEdit['events'] {
  const latest = new Map(heads.map(({ subject, hash }) => [subject, hash]));
  return events.map((given, place) => {
    const draft = withPassword(given, password);
    const event = chainEvent(draft, latestSeq + 1 + place, latest.get(draft.subject) ?? null, makeSalt);
    latest.set(draft.subject, event.hash);
    return event;
  });
}

// ---------------------------------------------------------------- what is asked for

export interface PersonContext {
  readonly store: PersonStore;
  readonly nowMs: number;
  /** The moment at which the journal was last restored or lost. */
  readonly restoredAtMs: number | undefined;
  readonly cost?: PasswordCost;
}

/** The journal as changes of people read and write it. */
export type PersonJournal = PersonStore & Pick<PayoutStore, 'loss'>;

/** The context of a change that is made now. */
export async function makePersonContext(store: PersonJournal): Promise<PersonContext> {
  const loss = await store.loss();
  return { store, nowMs: systemClock.now(), restoredAtMs: loss?.recoveredAtMs };
}

/** The outcome of an admin's request. A one-time password appears here alone, and only once. */
export type ChangeOutcome =
  | { readonly kind: 'refused'; readonly why: Message }
  | {
      readonly kind: 'waits';
      readonly why: Message;
      readonly proposalId: number;
      /** The first half of the resulting one-time password. */
      readonly firstHalf: string | undefined;
    }
  | {
      readonly kind: 'done';
      readonly person: Person | undefined;
      /** The whole password, or its second half where another admin was shown the first. */
      readonly oneTimePassword: { readonly text: string; readonly isHalf: boolean } | undefined;
    };

interface OneTimePassword {
  readonly halves: readonly [first: string, second: string];
  readonly passwordHash: string;
  /** The password or half of it that is shown now. */
  readonly shown: { readonly text: string; readonly isHalf: boolean };
}

/** Requests that create no one-time password. */
const withoutPassword: readonly unknown[] = ['disable', 'confirm-passkey', 'policy'];

/** Hashes the one-time password before the journal is locked. @param firstHalf the half that another admin was shown */
async function prepareOneTime(
  { cost }: PersonContext,
  request: PersonRequest | undefined,
  firstHalf?: string,
): Promise<OneTimePassword> {
  if (withoutPassword.includes(request?.kind))
    return { halves: ['', ''], passwordHash: '', shown: { text: '', isHalf: false } };
  const halves = [firstHalf ?? makeHalf(), makeHalf()] as const;
  const whole = halves.join('-');
  const shown = firstHalf === undefined ? { text: whole, isHalf: false } : { text: halves[1], isHalf: true };
  return { halves, passwordHash: await hashPassword(whole, cost), shown };
}

const knownOf = (
  { people, passkeys }: PersonsKept,
  { restoredAtMs }: Pick<PersonContext, 'restoredAtMs'>,
): KnownPersons => ({
  people,
  passkeys,
  restoredAtMs,
});

/** The moment from which things made now are valid. */
const momentOf = ({ nowMs, restoredAtMs }: PersonContext): number =>
  computeMomentAfterRestore(nowMs, restoredAtMs);

/** Finds the present state of a person, who may have been disabled a moment ago. */
function findAsNow(kept: PersonsKept, person: Person): Person {
  const found = kept.people.find(({ personId }) => personId === person.personId);
  if (found === undefined) throw new Error(`there is no person ${person.personId} any more`);
  return found;
}

/** Requests a change of people. @param by the proved asker; null for the owner of the journal */
export async function requestChange(
  context: PersonContext,
  request: PersonRequest,
  by: Asker,
  proof: Proof,
): Promise<ChangeOutcome> {
  const oneTime = await prepareOneTime(context, request);
  let outcome: ChangeOutcome | undefined;
  let waits: (() => Promise<ChangeOutcome>) | undefined;
  await appendEdit(context.store, (kept) => {
    const asker = by === null ? null : findAsNow(kept, by);
    const known = knownOf(kept, context);
    const verdict = decideRequest(request, asker, known);
    waits = undefined;
    if (verdict.kind === 'refused') {
      outcome = verdict;
      return undefined;
    }
    if (verdict.kind === 'waits' && asker !== null) {
      waits = () => propose(context, request, asker, known, oneTime, verdict.why);
      return undefined;
    }
    const hands = { by: asker, proof, confirmedBy: null, proposalId: null };
    const effect = computeEffect(request, hands, known, momentOf(context));
    outcome = toOutcome(effect, oneTime);
    return toEdit(effect, oneTime);
  });
  return required((await waits?.()) ?? outcome);
}

function required(outcome: ChangeOutcome | undefined): ChangeOutcome {
  if (outcome === undefined) throw new Error('a change of people has neither been made nor refused');
  return outcome;
}

/** Proposes a change to the second admin; a later change of its person makes the proposal stale. */
async function propose(
  { store, nowMs }: PersonContext,
  request: PersonRequest,
  by: Person,
  known: KnownPersons,
  { halves: [half] }: OneTimePassword,
  why: Message,
): Promise<ChangeOutcome> {
  const subject = known.people.find(({ personId }) => personId === subjectOf(request));
  const name = request.kind === 'add' ? request.name : (subject?.name ?? '');
  const targets = [{ kind: 'person', key: keyOfRequest(request), version: versionOf(subject) }] as const;
  const hands = { by, proof: 'token', confirmedBy: by.personId, proposalId: null } as const;
  const { givesOneTimePassword } = computeEffect(request, hands, known, nowMs);
  const firstHalf = givesOneTimePassword ? half : null;
  // One that has lapsed makes way.
  await store.expireProposals(nowMs);
  const draft = {
    decision: personDecision,
    note: '',
    evidence: null,
    people: 2,
    totalSatang: zeroSatang,
    figures: { of: 'person', request, name },
    digest: computeProposalDigest(personDecision, targets),
    maker: by,
    madeAtMs: nowMs,
    expiresAtMs: nowMs + changeDays * dayMs,
    targets,
  } as const;
  const added = await store.addPersonProposal(draft, firstHalf);
  return typeof added === 'number'
    ? { kind: 'waits', why, proposalId: added, firstHalf: firstHalf ?? undefined }
    : { kind: 'refused', why: message('user-change.open', { id: added.openId }) };
}

const toOutcome = (effect: RequestEffect, { shown }: OneTimePassword): ChangeOutcome => ({
  kind: 'done',
  person: effect.person,
  oneTimePassword: effect.givesOneTimePassword ? shown : undefined,
});

function toEdit(effect: RequestEffect, { passwordHash }: OneTimePassword): EditDraft {
  const { person, event, passkey } = effect;
  if (person === undefined) return { events: [event], passkey };
  const { personId } = person;
  return {
    events: [event],
    person,
    password: effect.givesOneTimePassword
      ? { personId, passwordHash, mustChange: true, endsSessions: true }
      : undefined,
    forgivesTriesOf: effect.forgivesTries ? personId : undefined,
    revokes: effect.revokesTokens ? { personId, atMs: event.atMs } : undefined,
  };
}

/** Events read at a time. */
const pageSize = 1_000;

/** Every event of people, in order. */
export async function* readPersonEvents(
  store: Pick<PersonStore, 'personEvents'>,
): AsyncGenerator<PersonEvent> {
  for (let afterSeq = 0; ;) {
    const page = await store.personEvents(afterSeq, pageSize);
    yield* page;
    if (page.length < pageSize) return;
    afterSeq = page.at(-1)?.seq ?? afterSeq;
  }
}

/** The events of one person that people read, in order. */
export async function readEventsOf(
  store: Pick<PersonStore, 'personEvents'>,
  personId: number,
): Promise<readonly PersonEvent[]> {
  const found: PersonEvent[] = [];
  for await (const event of readPersonEvents(store))
    if (!journalFactKinds.has(event.kind) && event.subject === personId) found.push(event);
  return found;
}

// ---------------------------------------------------------------- proposals about people

/** The limit of open proposals about people that are read. */
const openMax = 200;
const newest = Number.MAX_SAFE_INTEGER;

/** The open proposals about people, the newest first; none for a person who is no admin. */
export async function listOpenChanges(
  { store, nowMs }: { readonly store: Pick<PersonStore, 'personProposals'>; readonly nowMs: number },
  person: Person,
): Promise<readonly PersonProposal[]> {
  const admin = asAdmin(person);
  const open = admin === undefined ? [] : await store.personProposals(['proposed'], newest, openMax, admin);
  return open.filter((one) => !isOverdue(one, nowMs));
}

/** The proposals, of these, that this admin may approve now. */
export async function listChangesToCheck(
  context: Pick<PersonContext, 'store' | 'nowMs' | 'restoredAtMs'>,
  person: Person,
  open: readonly PersonProposal[],
): Promise<readonly PersonProposal[]> {
  if (open.length === 0) return [];
  const known = knownOf(await context.store.persons(), context);
  return open.filter((one) => decideConfirmation(one, person, known, context.nowMs).kind === 'applies');
}

/** One proposal about people, for an admin; otherwise the reason why there is nothing to read. */
export async function findChange(
  { store }: Pick<PersonContext, 'store'>,
  proposalId: number,
  person: Person,
): Promise<{ readonly proposal: PersonProposal } | { readonly kind: 'refused'; readonly why: Message }> {
  const permission = can(person, 'people');
  if (!permission.allowed) return { kind: 'refused', why: permission.why };
  const admin = asAdmin(person);
  const proposal = admin && (await store.personProposal(proposalId, admin));
  return proposal === undefined
    ? { kind: 'refused', why: message('proposal.unknown', { id: proposalId }) }
    : { proposal };
}

/** Approves another admin's proposal. The change is carried out at once, unless it has become stale. */
export async function confirmChange(
  context: PersonContext,
  proposalId: number,
  { person: by, proof }: ProvedPerson,
): Promise<ChangeOutcome> {
  const { store, nowMs } = context;
  const looked = await findChange(context, proposalId, by);
  if ('why' in looked) return looked;
  const { request } = looked.proposal.figures;
  const oneTime = await prepareOneTime(context, request, (await store.firstHalf(proposalId)) ?? undefined);
  let outcome: ChangeOutcome | undefined;
  await appendEdit(store, async (kept) => {
    const confirmer = findAsNow(kept, by);
    const now = await findChange(context, proposalId, confirmer);
    const known = knownOf(kept, context);
    const verdict = 'why' in now ? now : decideConfirmation(now.proposal, confirmer, known, nowMs);
    if ('why' in now || verdict.kind === 'refused') {
      outcome = verdict.kind === 'refused' ? verdict : undefined;
      return undefined;
    }
    const approval = { proposalId, checker: confirmer, atMs: nowMs };
    if (verdict.kind === 'stale') {
      outcome = { kind: 'refused', why: message('user-change.propose-again', { why: verdict.why }) };
      return { events: [], approves: { ...approval, why: verdict.why } };
    }
    const proposer = kept.people.find(({ personId }) => personId === now.proposal.makerId) ?? null;
    const hands = { by: proposer, proof, confirmedBy: confirmer.personId, proposalId };
    const effect = computeEffect(request, hands, known, momentOf(context));
    outcome = toOutcome(effect, oneTime);
    return { ...toEdit(effect, oneTime), approves: { ...approval, why: null } };
  });
  return required(outcome);
}

/** Ends a proposal without carrying it out. @returns the reason for a refusal; undefined once ended */
export async function sendBackChange(
  context: PersonContext,
  proposalId: number,
  { person: by }: ProvedPerson,
  why: string,
): Promise<Message | undefined> {
  const { store, nowMs } = context;
  const kept = await store.persons();
  const admin = findAsNow(kept, by);
  const now = await findChange(context, proposalId, admin);
  if ('why' in now) return now.why;
  const verdict = decideSendingBack(now.proposal, admin, knownOf(kept, context), nowMs);
  if (verdict.kind === 'refused') return verdict.why;
  const move = { to: verdict.kind, by: admin, note: why === '' ? null : why, nowMs };
  return (await store.moveProposal(proposalId, move)) ? undefined : message('change.other-decision');
}

/**
 * Makes a person an admin, on behalf of the owner of the journal.
 * @param owner the user of the operating system, as it names itself
 */
export async function recoverAdmin(
  context: PersonContext,
  asked: { readonly name: string; readonly why: string; readonly owner: string },
): Promise<ChangeOutcome> {
  const oneTime = await prepareOneTime(context, undefined);
  let outcome: ChangeOutcome | undefined;
  await appendEdit(context.store, (kept) => {
    const effect = computeRecovery(asked, knownOf(kept, context), momentOf(context));
    if ('kind' in effect) {
      outcome = effect;
      return undefined;
    }
    outcome = toOutcome(effect, oneTime);
    return toEdit(effect, oneTime);
  });
  return required(outcome);
}
