/** Carries out changes of people: an admin requests and a second one confirms, or the owner of the journal acts. */
import { randomBytes } from 'node:crypto';
import { dayMs } from '../core/bangkok-time.ts';
import { type Message, message, verbatim } from '../core/message.ts';
import type { PayoutStore } from '../payout/ports.ts';
import { systemClock } from '../platform/clock.ts';
import { hashPassword, makeHalf, type PasswordCost } from './password-hash.ts';
import type { PersonEdit, PersonsKept, PersonStore } from './ports.ts';
import { chainEvent, digestSecret, type PersonEventDraft } from './rules/chain.ts';
import { computeMomentAfterRestore, type Person, type Proof, type ProvedPerson } from './rules/people.ts';
import {
  type Asker,
  changeDays,
  computeEffect,
  computeRecovery,
  decideConfirmation,
  decideRequest,
  decideSendingBack,
  type KnownPersons,
  type PersonChange,
  type PersonRequest,
  type RequestEffect,
  subjectOf,
  versionOf,
} from './rules/person-request.ts';
import { isOverdue, type RequestEnd } from './rules/proposal.ts';

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
  build: (kept: PersonsKept) => EditDraft | undefined,
): Promise<PersonsKept> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const kept = await store.persons();
    const draft = build(kept);
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
      readonly changeId: number;
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

const knownOf = ({ people, passkeys }: PersonsKept, { restoredAtMs }: PersonContext): KnownPersons => ({
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
  await appendEdit(context.store, (kept) => {
    const asker = by === null ? null : findAsNow(kept, by);
    const known = knownOf(kept, context);
    const verdict = decideRequest(request, asker, known);
    if (verdict.kind === 'refused') {
      outcome = verdict;
      return undefined;
    }
    if (verdict.kind === 'waits' && asker !== null) {
      const change = makeChange(context, kept, request, asker, oneTime.halves[0]);
      const { changeId, firstHalf } = change;
      outcome = { ...verdict, changeId, firstHalf: firstHalf ?? undefined };
      return { change, events: [draftOfChange(context, change, asker, proof, 'change-proposed')] };
    }
    const hands = { by: asker, proof, confirmedBy: null, changeId: null };
    const effect = computeEffect(request, hands, known, momentOf(context));
    outcome = toOutcome(effect, oneTime);
    return toEdit(effect, oneTime);
  });
  return required(outcome);
}

function required(outcome: ChangeOutcome | undefined): ChangeOutcome {
  if (outcome === undefined) throw new Error('a change of people has neither been made nor refused');
  return outcome;
}

function makeChange(
  context: PersonContext,
  kept: PersonsKept,
  request: PersonRequest,
  by: Person,
  half: string,
): PersonChange {
  const { nowMs } = context;
  const { people, changes } = kept;
  const hands = { by, proof: 'token', confirmedBy: by.personId, changeId: null } as const;
  const { givesOneTimePassword } = computeEffect(request, hands, knownOf(kept, context), nowMs);
  return {
    firstHalf: givesOneTimePassword ? half : null,
    changeId: 1 + Math.max(0, ...changes.map(({ changeId }) => changeId)),
    request,
    status: 'proposed',
    makerId: by.personId,
    madeAtMs: nowMs,
    expiresAtMs: nowMs + changeDays * dayMs,
    seen: versionOf(people.find(({ personId }) => personId === subjectOf(request))),
    checkerId: null,
    endedAtMs: null,
    why: null,
  };
}

/** @param why the reason in the admin's own words */
function draftOfChange(
  { nowMs }: Pick<PersonContext, 'nowMs'>,
  { changeId, request, seen, expiresAtMs }: PersonChange,
  by: Asker,
  proof: Proof | null,
  kind: PersonEventDraft['kind'],
  why = '',
): PersonEventDraft {
  const { kind: wanted } = request;
  const role = 'role' in request ? { role: request.role } : {};
  const credential = 'credentialId' in request ? { credentialId: request.credentialId } : {};
  const policy = 'policy' in request ? { policy: JSON.stringify(request.policy) } : {};
  const named = request.kind === 'add' ? { name: request.name, displayName: request.displayName } : {};
  return {
    subject: subjectOf(request) ?? 0,
    kind,
    atMs: nowMs,
    byPerson: by?.personId ?? null,
    proof,
    facts: { changeId, wanted, seen, expiresAtMs, ...role, ...credential, ...policy },
    cells: { ...named, ...(why === '' ? {} : { why }) },
  };
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

/** Ends a change; the half of its one-time password ends with it. @param by null for a lapse */
const endOf = (
  change: PersonChange,
  status: RequestEnd,
  by: Asker,
  nowMs: number,
  why: Message | null = null,
): PersonChange => ({
  ...change,
  status,
  why,
  checkerId: by?.personId ?? null,
  endedAtMs: nowMs,
  firstHalf: null,
});

/** Confirms another admin's request. The change is carried out at once, unless it has become stale. */
export async function confirmChange(
  context: PersonContext,
  changeId: number,
  { person: by, proof }: ProvedPerson,
): Promise<ChangeOutcome> {
  const { store, nowMs } = context;
  const proposed = (await store.persons()).changes.find((one) => one.changeId === changeId);
  const oneTime = await prepareOneTime(context, proposed?.request, proposed?.firstHalf ?? undefined);
  let outcome: ChangeOutcome | undefined;
  await appendEdit(store, (kept) => {
    const change = kept.changes.find((one) => one.changeId === changeId);
    const confirmer = findAsNow(kept, by);
    const known = knownOf(kept, context);
    if (change === undefined) {
      outcome = { kind: 'refused', why: noSuchChange(changeId) };
      return undefined;
    }
    const verdict = decideConfirmation(change, confirmer, known, nowMs);
    if (verdict.kind === 'refused') {
      outcome = verdict;
      return undefined;
    }
    if (verdict.kind === 'stale') {
      outcome = { kind: 'refused', why: message('user-change.propose-again', { why: verdict.why }) };
      const event = draftOfChange(context, change, confirmer, proof, 'change-stale');
      return { change: endOf(change, 'stale', confirmer, nowMs, verdict.why), events: [event] };
    }
    const proposer = kept.people.find(({ personId }) => personId === change.makerId) ?? null;
    const hands = { by: proposer, proof, confirmedBy: confirmer.personId, changeId };
    const effect = computeEffect(change.request, hands, known, momentOf(context));
    outcome = toOutcome(effect, oneTime);
    return { ...toEdit(effect, oneTime), change: endOf(change, 'applied', confirmer, nowMs) };
  });
  return required(outcome);
}

const noSuchChange = (id: number): Message => message('user-change.unknown', { id });

/** Ends a change without carrying it out. @returns the reason for a refusal; undefined once ended */
export async function sendBackChange(
  context: PersonContext,
  changeId: number,
  { person: by, proof }: ProvedPerson,
  why: string,
): Promise<Message | undefined> {
  const { store, nowMs } = context;
  let refusal: Message | undefined;
  await appendEdit(store, (kept) => {
    refusal = undefined;
    const change = kept.changes.find((one) => one.changeId === changeId);
    const admin = findAsNow(kept, by);
    if (change === undefined) {
      refusal = noSuchChange(changeId);
      return undefined;
    }
    const verdict = decideSendingBack(change, admin, knownOf(kept, context), nowMs);
    if (verdict.kind === 'refused') {
      refusal = verdict.why;
      return undefined;
    }
    return {
      change: endOf(change, verdict.kind, admin, nowMs, verbatim(why)),
      events: [draftOfChange(context, change, admin, proof, `change-${verdict.kind}`, why)],
    };
  });
  return refusal;
}

/** Ends the changes that were not confirmed in time. */
export async function expireChanges(
  store: Pick<PersonStore, 'persons' | 'editPersons'>,
  nowMs: number,
): Promise<void> {
  const { changes } = await store.persons();
  for (const { changeId } of changes.filter((change) => isOverdue(change, nowMs)))
    await appendEdit(store, (kept) => {
      const change = kept.changes.find((one) => one.changeId === changeId && isOverdue(one, nowMs));
      if (change === undefined) return undefined;
      const event = draftOfChange({ nowMs }, change, null, null, 'change-expired');
      return { change: endOf(change, 'expired', null, nowMs), events: [event] };
    });
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
