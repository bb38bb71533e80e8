/**
 * Requests of admins about people, and their outcome: done at once, kept until a second admin confirms, or refused.
 * Once there have been two admins, neither grants rights alone; removing rights is done at once.
 */
import { listed, message, type Message } from '../../core/message.ts';
import type { EventFacts, PersonEventDraft, PersonEventKind } from './chain.ts';
import { type Passkey, standingOf } from './passkey.ts';
import {
  type Action,
  can,
  findTwoAdminsSince,
  isBeforeRestore,
  isManagedBy,
  nameRole,
  type Person,
  type Proof,
  type Role,
} from './people.ts';
import { type Proposal, type ProposalOf, whyNotCheck, whyNotOpen } from './proposal.ts';

/** The terms of decisions; a change needs the second admin, wherever it is written. */
export type ReviewPolicy = Readonly<Record<string, string | number | boolean>>;

export type PersonRequest =
  | { readonly kind: 'add'; readonly name: string; readonly displayName: string; readonly role: Role }
  | { readonly kind: 'role'; readonly personId: number; readonly role: Role }
  | { readonly kind: 'disable'; readonly personId: number }
  | { readonly kind: 'enable'; readonly personId: number }
  /** A new one-time password for another person. */
  | { readonly kind: 'reset-password'; readonly personId: number }
  | { readonly kind: 'confirm-passkey'; readonly personId: number; readonly credentialId: string }
  | { readonly kind: 'policy'; readonly policy: ReviewPolicy };

/** The person of a request; null for one not yet created, and for none. */
export const subjectOf = (request: PersonRequest): number | null =>
  'personId' in request ? request.personId : null;

/** The facts about people at a request. */
export interface KnownPersons {
  readonly people: readonly Person[];
  readonly passkeys: readonly Passkey[];
  /** The moment at which the journal was last restored or lost. */
  readonly restoredAtMs: number | undefined;
}

/** An admin, or (`null`) the owner of the journal. */
export type Asker = Person | null;

/** `applies`: at once; `waits`: for a second admin. */
type RequestVerdict =
  | { readonly kind: 'refused'; readonly why: Message }
  | { readonly kind: 'applies' }
  | { readonly kind: 'waits'; readonly why: Message };

const refused = (why: Message): RequestVerdict & { readonly kind: 'refused' } => ({ kind: 'refused', why });

/** Decides on a request of an admin, or on the first one of the owner of the journal. */
export function decideRequest(request: PersonRequest, by: Asker, known: KnownPersons): RequestVerdict {
  const why = findAskerObstacle(request, by, known) ?? findRequestObstacle(request, by, known);
  if (why !== undefined) return refused(why);
  if (findTwoAdminsSince(known.people) === undefined) return { kind: 'applies' };
  const needed = findSecondNeeded(request, known);
  return needed === undefined ? { kind: 'applies' } : { kind: 'waits', why: needed };
}

/** The refusal of users from before the journal was restored. */
export const beforeRestore: Message = message('right.restored');

function findAdminObstacle(
  by: Person,
  { restoredAtMs }: KnownPersons,
  action: Action = 'people',
): Message | undefined {
  if (isBeforeRestore(by.standsSinceMs, restoredAtMs)) return beforeRestore;
  const permission = can(by, action);
  return permission.allowed ? undefined : permission.why;
}

function findAskerObstacle(request: PersonRequest, by: Asker, known: KnownPersons): Message | undefined {
  if (by !== null) return findAdminObstacle(by, known, request.kind === 'policy' ? 'settings' : 'people');
  if (known.people.length > 0) return message('right.first-user');
  return request.kind === 'add' && request.role === 'admin' ? undefined : message('right.first-is-admin');
}

/** The reason why a request is impossible in the present state. */
function findRequestObstacle(request: PersonRequest, by: Asker, known: KnownPersons): Message | undefined {
  const { people, restoredAtMs } = known;
  if (request.kind === 'add')
    return complainAboutName(request.name, people) ?? complainAboutDisplayName(request.displayName);
  if (request.kind === 'policy') return undefined;
  const person = people.find(({ personId }) => personId === request.personId);
  if (person === undefined) return message('user.unknown');
  const { name } = person;
  const isStale = isBeforeRestore(person.standsSinceMs, restoredAtMs);
  switch (request.kind) {
    case 'role':
      if (person.role === request.role)
        return message('user.has-role', { name, role: nameRole(person.role) });
      return isLastAdmin(person, known) ? message('user.last-admin') : undefined;
    case 'disable':
      if (person.isDisabled) return message('user.disabled-already', { name });
      return isLastAdmin(person, known) ? message('user.last-admin') : undefined;
    case 'enable':
      return person.isDisabled || isStale || person.lockedUntilMs > 0
        ? undefined
        : message('user.not-disabled', { name });
    case 'reset-password':
      if (person.personId === by?.personId) return message('user.reset-own');
      if (isStale) return message('user.restored', { name });
      return person.isDisabled ? message('user.enable-first', { name }) : undefined;
    case 'confirm-passkey': {
      if (person.isDisabled) return message('user.disabled', { name });
      const passkey = findPasskey(request, known);
      if (passkey === undefined) return message('user.no-passkey', { name });
      const standing = standingOf(passkey, person, restoredAtMs);
      return standing === 'waits' ? undefined : message(`passkey-is.${standing}`);
    }
  }
}

const findPasskey = (
  { personId, credentialId }: PersonRequest & { readonly kind: 'confirm-passkey' },
  { passkeys }: KnownPersons,
): Passkey | undefined =>
  passkeys.find((one) => one.personId === personId && one.credentialId === credentialId);

/** The people who can act as admins now. */
const listAdmins = ({ people, restoredAtMs }: KnownPersons): readonly Person[] =>
  people.filter(
    ({ role, isDisabled, standsSinceMs }) =>
      role === 'admin' && !isDisabled && !isBeforeRestore(standsSinceMs, restoredAtMs),
  );

const isLastAdmin = (person: Person, known: KnownPersons): boolean => {
  const admins = listAdmins(known);
  return admins.length === 1 && admins[0]?.personId === person.personId;
};

/** Tells whether a role can approve, or create people who can. */
const isPowerful = (role: Role): boolean => role === 'checker' || role === 'admin';

/** Tells whether enabling needs a new password, beyond lifting a lock: the old one may have become known. */
const needsNewPassword = (person: Person, { restoredAtMs }: KnownPersons): boolean =>
  person.isDisabled || isBeforeRestore(person.standsSinceMs, restoredAtMs);

/** The reason why one admin cannot do a request alone; undefined where they can. Removing rights needs one admin. */
function findSecondNeeded(request: PersonRequest, known: KnownPersons): Message | undefined {
  const subject = known.people.find(({ personId }) => personId === subjectOf(request));
  switch (request.kind) {
    case 'add':
      return isPowerful(request.role)
        ? message('second-admin.making', { role: nameRole(request.role) })
        : undefined;
    case 'role':
      // An admin already has all rights of a checker.
      return isPowerful(request.role) && subject?.role !== 'admin'
        ? message('second-admin.making', { role: nameRole(request.role) })
        : undefined;
    case 'enable':
      return subject !== undefined && isPowerful(subject.role) && needsNewPassword(subject, known)
        ? message('second-admin.enabling', { role: nameRole(subject.role) })
        : undefined;
    case 'reset-password':
      // Knowledge of the one-time password suffices to act as that person.
      return subject !== undefined && isPowerful(subject.role)
        ? message('second-admin.password', { role: nameRole(subject.role) })
        : undefined;
    case 'confirm-passkey':
      return message('second-admin.passkey');
    case 'policy':
      return message('second-admin.policy');
    case 'disable':
      return undefined;
  }
}

// ---------------------------------------------------------------- names

const nameForm = /^[A-Za-z][A-Za-z0-9._@-]{1,63}$/;
const displayNameLengthMax = 80;

/** The key of a name; names that differ by case alone share it. */
export const nameKeyOf = (name: string): string => name.normalize('NFKC').trim().toLowerCase();

function complainAboutName(name: string, people: readonly Person[]): Message | undefined {
  if (!nameForm.test(name)) return message('user.name-form');
  const taken = people.find((person) => nameKeyOf(person.name) === nameKeyOf(name));
  if (taken === undefined) return undefined;
  return message(taken.isDisabled ? 'user.name-taken-disabled' : 'user.name-taken', { name: taken.name });
}

function complainAboutDisplayName(text: string): Message | undefined {
  const isFit = text.trim() === text && text !== '' && !/[\p{C}\p{Zl}\p{Zp}]/u.test(text);
  if (isFit && text.length <= displayNameLengthMax) return undefined;
  return message('user.full-name-form', { count: displayNameLengthMax });
}

// ---------------------------------------------------------------- changes that wait for a second admin

/** The days that a change waits for its second admin. */
export const changeDays = 7;

/** The decision of every proposal about people. */
export const personDecision = 'change-person';

/** The request, with the name of its person as it was when it was proposed; empty without one. */
interface PersonFigures {
  readonly of: 'person';
  readonly request: PersonRequest;
  readonly name: string;
}

/** A change of people that one admin has proposed, and its outcome. */
export interface PersonProposal extends ProposalOf<typeof personDecision, PersonFigures> {
  /** `versionOf` the person when the change was proposed. */
  readonly seen: string;
  /** The reason of a change that was stale when it was approved. */
  readonly why: Message | null;
}

export const isPersonProposal = (proposal: Proposal | PersonProposal): proposal is PersonProposal =>
  proposal.decision === personDecision;

/** The beginning of the key of a passkey; its credential follows. */
export const passkeyPrefix = 'passkey:';

/** The thing that a request is about; about each, one proposal is open at a time. */
export function keyOfRequest(request: PersonRequest): string {
  switch (request.kind) {
    case 'add':
      return `new:${nameKeyOf(request.name)}`;
    case 'confirm-passkey':
      return `${passkeyPrefix}${request.credentialId}`;
    case 'policy':
      return 'policy';
    case 'role':
    case 'disable':
    case 'enable':
    case 'reset-password':
      return `person:${request.personId}`;
  }
}

/** The version of a person that a second admin relies on: role, password and standing. */
export function versionOf(person: Person | undefined): string {
  if (person === undefined) return '';
  const { role, isDisabled, handedAtMs, standsSinceMs } = person;
  return [role, isDisabled, handedAtMs, standsSinceMs].join(' ');
}

/** The keys of others that no admin has asked to confirm yet. @param proposed by credential */
export const findUnconfirmed = (
  { people, passkeys, restoredAtMs }: KnownPersons,
  proposed: ReadonlyMap<string, unknown>,
  { personId: me }: Person,
): readonly Passkey[] =>
  passkeys.filter((passkey) => {
    const owner = people.find(({ personId }) => personId === passkey.personId && personId !== me);
    const waits = owner !== undefined && standingOf(passkey, owner, restoredAtMs) === 'waits';
    return waits && !proposed.has(passkey.credentialId);
  });

/** `stale`: the change cannot be carried out any more, and ends. */
type ConfirmationVerdict =
  | { readonly kind: 'refused'; readonly why: Message }
  | { readonly kind: 'stale'; readonly why: Message }
  | { readonly kind: 'applies' };

/** Decides whether this admin may approve a proposed change, and whether the change is still possible. */
export function decideConfirmation(
  proposal: PersonProposal,
  by: Person,
  known: KnownPersons,
  nowMs: number,
): ConfirmationVerdict {
  const why = findConfirmationObstacle(proposal, by, known, nowMs);
  if (why !== undefined) return refused(why);
  const { makerId, seen } = proposal;
  const { request } = proposal.figures;
  const proposer = known.people.find(({ personId }) => personId === makerId);
  const stale = (reason: Message): ConfirmationVerdict => ({ kind: 'stale', why: reason });
  if (proposer === undefined || !listAdmins(known).includes(proposer))
    return stale(message('user-change.no-admin'));
  const subject = known.people.find(({ personId }) => personId === subjectOf(request));
  if (versionOf(subject) !== seen) return stale(message('user-change.user-changed'));
  const verdict = decideRequest(request, proposer, known);
  return verdict.kind === 'refused' ? stale(verdict.why) : { kind: 'applies' };
}

function findConfirmationObstacle(
  proposal: PersonProposal,
  by: Person,
  known: KnownPersons,
  nowMs: number,
): Message | undefined {
  const why = findAdminObstacle(by, known) ?? whyNotCheck(proposal, by, [], nowMs);
  if (why !== undefined) return why;
  const subject = subjectOf(proposal.figures.request);
  if (by.personId === subject) return message('user-change.about-you');
  const others = listAdmins(known).filter(
    ({ personId }) => ![by.personId, proposal.makerId, subject].includes(personId),
  );
  if (isManagedBy(by, proposal.makerId ?? 0) && others.length > 0)
    return message('user-change.handed-you', {
      names: listed(
        others.map(({ name }) => name),
        'or',
      ),
    });
  return undefined;
}

/** Decides whether this admin may end a change: the proposer withdraws it, others send it back. */
export function decideSendingBack(
  proposal: PersonProposal,
  by: Person,
  known: KnownPersons,
  nowMs: number,
): { readonly kind: 'refused'; readonly why: Message } | { readonly kind: 'sent-back' | 'withdrawn' } {
  const why = findAdminObstacle(by, known) ?? whyNotOpen(proposal, nowMs);
  if (why !== undefined) return refused(why);
  return { kind: by.personId === proposal.makerId ? 'withdrawn' : 'sent-back' };
}

// ---------------------------------------------------------------- carrying it out

/** The people who requested and confirmed a change. */
interface ChangeHands {
  readonly by: Asker;
  readonly proof: Proof;
  /** The second admin; null where none was needed. */
  readonly confirmedBy: number | null;
  readonly proposalId: number | null;
}

/** The effect of a request once it is carried out. */
export interface RequestEffect {
  /** The person from now on; undefined where no person changes. */
  readonly person: Person | undefined;
  /** The person starts again with a one-time password, shown to the asker; with a second admin, each sees one half. */
  readonly givesOneTimePassword: boolean;
  /** All tokens of the person become invalid. */
  readonly revokesTokens: boolean;
  /** Wrong passwords are forgotten. */
  readonly forgivesTries: boolean;
  /** The passkey from now on. */
  readonly passkey?: Passkey;
  readonly event: PersonEventDraft;
}

/**
 * Computes the effect of a request that was allowed before.
 * @throws Error when the request is about an unknown person
 */
export function computeEffect(
  request: PersonRequest,
  hands: ChangeHands,
  known: KnownPersons,
  nowMs: number,
): RequestEffect {
  const subject = known.people.find(({ personId }) => personId === subjectOf(request));
  const draft = makeDraft(hands, nowMs);
  switch (request.kind) {
    case 'add':
      return addPerson(request, hands, known, nowMs);
    case 'policy':
      return { ...nothing, person: undefined, event: draft(0, 'policy-changed', { ...request.policy }) };
    case 'role': {
      const person = { ...required(subject), role: request.role };
      const adminSinceMs = person.adminSinceMs ?? (request.role === 'admin' ? nowMs : null);
      // The proposer may know that person's password; a new one keeps the granted rights from the proposer.
      const isNew = hands.confirmedBy !== null && isManagedBy(person, hands.by?.personId ?? 0);
      const facts = { from: required(subject).role, to: request.role, newPassword: isNew };
      return {
        givesOneTimePassword: isNew,
        revokesTokens: isNew,
        forgivesTries: isNew,
        person: { ...(isNew ? handOver(person, hands, nowMs) : person), adminSinceMs },
        event: draft(person.personId, 'role-changed', facts),
      };
    }
    case 'disable': {
      const person = { ...required(subject), isDisabled: true };
      return { ...nothing, revokesTokens: true, person, event: draft(person.personId, 'disabled') };
    }
    case 'enable': {
      const before = required(subject);
      const isNew = needsNewPassword(before, known);
      const person = isNew
        ? { ...handOver(before, hands, nowMs), isDisabled: false, standsSinceMs: nowMs }
        : before;
      const event = draft(person.personId, 'enabled', { newPassword: isNew });
      return { givesOneTimePassword: isNew, revokesTokens: isNew, forgivesTries: true, person, event };
    }
    case 'reset-password': {
      const person = handOver(required(subject), hands, nowMs);
      const event = draft(person.personId, 'password-reset');
      return { givesOneTimePassword: true, revokesTokens: true, forgivesTries: true, person, event };
    }
    case 'confirm-passkey': {
      const found = findPasskey(request, known);
      if (found === undefined) throw new Error('a passkey that is not there was let through');
      const confirmedBy = [
        hands.by?.personId ?? 0,
        ...(hands.confirmedBy === null ? [] : [hands.confirmedBy]),
      ];
      const passkey = { ...found, confirmedBy, confirmedAtMs: nowMs };
      const facts = { credentialId: request.credentialId, keyHash: found.keyHash };
      const event = draft(request.personId, 'passkey-confirmed', facts);
      return { ...nothing, person: undefined, passkey, event };
    }
  }
}

const nothing = { givesOneTimePassword: false, revokesTokens: false, forgivesTries: false } as const;

function required(person: Person | undefined): Person {
  if (person === undefined) throw new Error('a change of an unknown person was let through');
  return person;
}

const makeDraft =
  ({ by, proof, confirmedBy, proposalId }: ChangeHands, atMs: number) =>
  (
    subject: number,
    kind: PersonEventKind,
    facts: EventFacts = {},
    cells: PersonEventDraft['cells'] = {},
  ): PersonEventDraft => {
    const confirmed = proposalId === null ? {} : { confirmedBy, proposalId };
    const byPerson = by?.personId ?? null;
    return { subject, kind, atMs, byPerson, proof, facts: { ...facts, ...confirmed }, cells };
  };

/** Records the admins who are shown the one-time password and could act as the person; of two, each sees one half. */
const handOver = (person: Person, { by, confirmedBy }: ChangeHands, nowMs: number): Person => ({
  ...person,
  handedBy: by?.personId ?? null,
  handedAtMs: nowMs,
  confirmedBy,
});

function addPerson(
  { name, displayName, role }: PersonRequest & { readonly kind: 'add' },
  hands: ChangeHands,
  { people }: KnownPersons,
  nowMs: number,
): RequestEffect {
  const blank: Person = {
    personId: 1 + Math.max(0, ...people.map((one) => one.personId)),
    name,
    displayName,
    role,
    isDisabled: false,
    madeBy: hands.by?.personId ?? null,
    madeAtMs: nowMs,
    handedBy: null,
    handedAtMs: nowMs,
    confirmedBy: null,
    adminSinceMs: role === 'admin' ? nowMs : null,
    standsSinceMs: nowMs,
    lastSignInAtMs: null,
    lockedUntilMs: 0,
  };
  const person = handOver(blank, hands, nowMs);
  const event = makeDraft(hands, nowMs)(person.personId, 'made', { role }, { name, displayName });
  return { givesOneTimePassword: true, revokesTokens: false, forgivesTries: false, person, event };
}

/**
 * Makes a person an admin on behalf of the owner of the journal, or creates a new admin: the way back when no admin can
 * sign in any more. The event is an alarm.
 */
export function computeRecovery(
  { name, why, owner }: { readonly name: string; readonly why: string; readonly owner: string },
  known: KnownPersons,
  nowMs: number,
): RequestEffect | { readonly kind: 'refused'; readonly why: Message } {
  if (known.people.length === 0) return refused(message('user.none-yet'));
  if (why.trim() === '') return refused(message('user.why-missing'));
  const hands: ChangeHands = { by: null, proof: 'owner', confirmedBy: null, proposalId: null };
  const kept = known.people.find((person) => nameKeyOf(person.name) === nameKeyOf(name));
  const complaint = kept === undefined ? complainAboutName(name, known.people) : undefined;
  if (complaint !== undefined) return refused(complaint);
  const before =
    kept ?? addPerson({ kind: 'add', name, displayName: name, role: 'admin' }, hands, known, nowMs).person;
  const person = {
    ...handOver(required(before), hands, nowMs),
    role: 'admin' as const,
    isDisabled: false,
    adminSinceMs: before?.adminSinceMs ?? nowMs,
    standsSinceMs: nowMs,
  };
  const facts = { isNew: kept === undefined, from: kept?.role ?? null };
  const event = makeDraft(hands, nowMs)(person.personId, 'recovered', facts, {
    name: person.name,
    why,
    owner,
  });
  return { givesOneTimePassword: true, revokesTokens: true, forgivesTries: true, person, event };
}
