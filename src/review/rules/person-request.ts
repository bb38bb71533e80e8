/**
 * What admins ask for about people, and what becomes of it: done at once, kept until a second admin confirms it, or
 * refused. Once there have been two admins, neither gives rights alone; what takes rights away is done at once.
 */
import { dayMs } from '../../core/bangkok-time.ts';
import { countOf } from '../../core/figures.ts';
import type { EventFacts, PersonEventDraft, PersonEventKind } from './chain.ts';
import { type Passkey, standingOf, standingWords } from './passkey.ts';
import {
  type Action,
  can,
  findTwoAdminsSince,
  isBeforeRestore,
  isInHandsOf,
  nameRole,
  type Person,
  type Proof,
  type Role,
} from './people.ts';

/** How decisions are taken; a change of it needs the second admin, wherever it is written. */
export type ReviewPolicy = Readonly<Record<string, string | number | boolean>>;

export type PersonRequest =
  | { readonly kind: 'add'; readonly name: string; readonly displayName: string; readonly role: Role }
  | { readonly kind: 'role'; readonly personId: number; readonly role: Role }
  | { readonly kind: 'disable'; readonly personId: number }
  | { readonly kind: 'enable'; readonly personId: number }
  /** A new one-time password for somebody else. */
  | { readonly kind: 'reset-password'; readonly personId: number }
  | { readonly kind: 'confirm-passkey'; readonly personId: number; readonly credentialId: string }
  | { readonly kind: 'policy'; readonly policy: ReviewPolicy };

/** Whom a request is about; null for somebody who is yet to be, and for nobody. */
export const subjectOf = (request: PersonRequest): number | null =>
  'personId' in request ? request.personId : null;

/** What is known of people when something is asked for. */
export interface KnownPersons {
  readonly people: readonly Person[];
  readonly passkeys: readonly Passkey[];
  /** When the journal was last restored or lost. */
  readonly restoredAtMs: number | undefined;
}

/** An admin, or (`null`) whoever owns the journal. */
export type Asker = Person | null;

/** `applies`: at once; `waits`: for a second admin. */
export type RequestVerdict =
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'applies' }
  | { readonly kind: 'waits'; readonly why: string };

const refused = (why: string): RequestVerdict & { readonly kind: 'refused' } => ({ kind: 'refused', why });

/** What becomes of a request of an admin's, or of the first one of whoever owns the journal. */
export function decideRequest(request: PersonRequest, by: Asker, known: KnownPersons): RequestVerdict {
  const why = findAskerObstacle(request, by, known) ?? findRequestObstacle(request, by, known);
  if (why !== undefined) return refused(why);
  if (findTwoAdminsSince(known.people) === undefined) return { kind: 'applies' };
  const what = describeSensitive(request, known);
  return what === undefined ? { kind: 'applies' } : { kind: 'waits', why: `${what} takes a second admin` };
}

/** What a restored journal says of those whom it knew before. */
export const beforeRestore =
  'the journal was restored or lost since this user was last enabled: an admin has to enable the user again (paydrop user enable; the first admin: paydrop user recover)';

function findAdminObstacle(
  by: Person,
  { restoredAtMs }: KnownPersons,
  action: Action = 'people',
): string | undefined {
  if (isBeforeRestore(by.standsSinceMs, restoredAtMs)) return beforeRestore;
  const permission = can(by, action);
  return permission.allowed ? undefined : permission.why;
}

function findAskerObstacle(request: PersonRequest, by: Asker, known: KnownPersons): string | undefined {
  if (by !== null) return findAdminObstacle(by, known, request.kind === 'policy' ? 'settings' : 'people');
  if (known.people.length > 0) return 'only an admin may change users, and proves it with a token';
  if (request.kind !== 'add' || request.role !== 'admin') return 'the first user is an admin: --role admin';
  return undefined;
}

/** Why it makes no sense as things stand. */
function findRequestObstacle(request: PersonRequest, by: Asker, known: KnownPersons): string | undefined {
  const { people, restoredAtMs } = known;
  if (request.kind === 'add')
    return complainAboutName(request.name, people) ?? complainAboutDisplayName(request.displayName);
  if (request.kind === 'policy') return undefined;
  const person = people.find(({ personId }) => personId === request.personId);
  if (person === undefined) return 'there is no such user';
  const isStale = isBeforeRestore(person.standsSinceMs, restoredAtMs);
  switch (request.kind) {
    case 'role':
      if (person.role === request.role) return `${person.name} is ${nameRole(person.role)} already`;
      return isLastAdmin(person, known) ? lastAdmin : undefined;
    case 'disable':
      if (person.isDisabled) return `${person.name} is disabled already`;
      return isLastAdmin(person, known) ? lastAdmin : undefined;
    case 'enable':
      return person.isDisabled || isStale || person.lockedUntilMs > 0
        ? undefined
        : `${person.name} is not disabled`;
    case 'reset-password':
      if (person.personId === by?.personId)
        return 'this is you: change it with "paydrop user password" and no --reset';
      if (isStale) return `${person.name} has to be enabled first: the journal was restored`;
      return person.isDisabled ? `${person.name} is disabled: enable the user first` : undefined;
    case 'confirm-passkey': {
      if (person.isDisabled) return `${person.name} is disabled`;
      const passkey = findPasskey(request, known);
      if (passkey === undefined) return `${person.name} has no such passkey`;
      const standing = standingOf(passkey, person, restoredAtMs);
      return standing === 'waits' ? undefined : standingWords[standing];
    }
  }
}

const findPasskey = (
  { personId, credentialId }: PersonRequest & { readonly kind: 'confirm-passkey' },
  { passkeys }: KnownPersons,
): Passkey | undefined =>
  passkeys.find((one) => one.personId === personId && one.credentialId === credentialId);

const lastAdmin = 'nobody would be left who may change users: make another admin first';

/** Who may act as an admin now. */
const listAdmins = ({ people, restoredAtMs }: KnownPersons): readonly Person[] =>
  people.filter(
    ({ role, isDisabled, standsSinceMs }) =>
      role === 'admin' && !isDisabled && !isBeforeRestore(standsSinceMs, restoredAtMs),
  );

const isLastAdmin = (person: Person, known: KnownPersons): boolean => {
  const admins = listAdmins(known);
  return admins.length === 1 && admins[0]?.personId === person.personId;
};

/** Who can approve, or make those who can. */
const isPowerful = (role: Role): boolean => role === 'checker' || role === 'admin';

/** Enabled anew, and not only let try again: what was known of the password may have become known to others. */
const needsNewPassword = (person: Person, { restoredAtMs }: KnownPersons): boolean =>
  person.isDisabled || isBeforeRestore(person.standsSinceMs, restoredAtMs);

/** What of it one admin does not do alone; undefined where he may. What takes rights away he may, at once. */
function describeSensitive(request: PersonRequest, known: KnownPersons): string | undefined {
  const subject = known.people.find(({ personId }) => personId === subjectOf(request));
  switch (request.kind) {
    case 'add':
      return isPowerful(request.role) ? `making ${nameRole(request.role)}` : undefined;
    case 'role':
      // An admin may do all that a checker may.
      return isPowerful(request.role) && subject?.role !== 'admin'
        ? `making ${nameRole(request.role)}`
        : undefined;
    case 'enable':
      return subject !== undefined && isPowerful(subject.role) && needsNewPassword(subject, known)
        ? `enabling ${nameRole(subject.role)}`
        : undefined;
    case 'reset-password':
      // Whoever knows the one-time password can be that person.
      return subject !== undefined && isPowerful(subject.role)
        ? `a new password for ${nameRole(subject.role)}`
        : undefined;
    case 'confirm-passkey':
      return 'confirming a passkey';
    case 'policy':
      return 'changing approval or review.people';
    case 'disable':
      return undefined;
  }
}

// ---------------------------------------------------------------- names

const nameForm = /^[A-Za-z][A-Za-z0-9._@-]{1,63}$/;
const displayNameLengthMax = 80;

/** Names that differ by case alone are the same. */
export const nameKeyOf = (name: string): string => name.normalize('NFKC').trim().toLowerCase();

function complainAboutName(name: string, people: readonly Person[]): string | undefined {
  if (!nameForm.test(name))
    return 'a user name has 2 to 64 letters, digits, dots, hyphens, underscores or @, and begins with a letter';
  const taken = people.find((person) => nameKeyOf(person.name) === nameKeyOf(name));
  return taken && `there is a user ${taken.name} already${taken.isDisabled ? ', disabled' : ''}`;
}

function complainAboutDisplayName(text: string): string | undefined {
  const isFit = text.trim() === text && text !== '' && !/[\p{C}\p{Zl}\p{Zp}]/u.test(text);
  if (isFit && text.length <= displayNameLengthMax) return undefined;
  return `a full name has 1 to ${displayNameLengthMax} characters, and no line ends`;
}

// ---------------------------------------------------------------- what waits for a second admin

/** How long a change waits for its second admin. */
const changeDays = 7;

export const changeStatuses = ['waiting', 'applied', 'sent-back', 'withdrawn', 'stale'] as const;
export type ChangeStatus = (typeof changeStatuses)[number];

/** A change of people that one admin has asked for, and what became of it. */
export interface PersonChange {
  readonly changeId: number;
  readonly request: PersonRequest;
  readonly status: ChangeStatus;
  readonly proposedBy: number;
  readonly proposedAtMs: number;
  /** `versionOf` whom it is about, when it was proposed. */
  readonly seen: string;
  readonly endedBy: number | null;
  readonly endedAtMs: number | null;
  /** Of one that was sent back or is stale. */
  readonly why: string | null;
  /**
   * Of the one-time password that comes of it: whoever proposed was shown this half, and the second admin is shown the
   * other, so that neither can sign in as that person. Null where none comes of it, and once it has ended. Not for screens.
   */
  readonly firstHalf: string | null;
}

/** What a second admin relies on: another role, password or standing is another version. */
export function versionOf(person: Person | undefined): string {
  if (person === undefined) return '';
  const { role, isDisabled, handedAtMs, standsSinceMs } = person;
  return [role, isDisabled, handedAtMs, standsSinceMs].join(' ');
}

/** True once nobody has confirmed it in time. */
export const isLapsed = ({ status, proposedAtMs }: PersonChange, nowMs: number): boolean =>
  status === 'waiting' && nowMs >= proposedAtMs + changeDays * dayMs;

/** `stale`: it cannot be carried out any more, and ends. */
export type ConfirmationVerdict =
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'stale'; readonly why: string }
  | { readonly kind: 'applies' };

/** Whether this admin may confirm a change that waits, and whether it still makes sense. */
export function decideConfirmation(
  change: PersonChange,
  by: Person,
  known: KnownPersons,
  nowMs: number,
): ConfirmationVerdict {
  const why = findConfirmationObstacle(change, by, known, nowMs);
  if (why !== undefined) return refused(why);
  const proposer = known.people.find(({ personId }) => personId === change.proposedBy);
  const stale = (reason: string): ConfirmationVerdict => ({ kind: 'stale', why: reason });
  if (proposer === undefined || !listAdmins(known).includes(proposer))
    return stale('the proposer is no longer an admin');
  const subject = known.people.find(({ personId }) => personId === subjectOf(change.request));
  if (versionOf(subject) !== change.seen) return stale('the user has changed since it was proposed');
  const verdict = decideRequest(change.request, proposer, known);
  return verdict.kind === 'refused' ? stale(verdict.why) : { kind: 'applies' };
}

function findConfirmationObstacle(
  change: PersonChange,
  by: Person,
  known: KnownPersons,
  nowMs: number,
): string | undefined {
  const why = findAdminObstacle(by, known);
  if (why !== undefined) return why;
  if (change.status !== 'waiting') return `it is ${change.status} already`;
  if (isLapsed(change, nowMs))
    return `nobody confirmed it within ${countOf(changeDays, 'day')}: propose it again`;
  if (by.personId === change.proposedBy) return 'you proposed this and cannot confirm it';
  if (by.personId === subjectOf(change.request)) return 'this is about you: another admin has to confirm it';
  const others = listAdmins(known).filter(
    ({ personId }) => ![by.personId, change.proposedBy, subjectOf(change.request)].includes(personId),
  );
  if (isInHandsOf(by, change.proposedBy) && others.length > 0)
    return `the admin who proposed this made your user alone: ${listNames(others)} can confirm it`;
  return undefined;
}

const listNames = (people: readonly Person[]): string => people.map(({ name }) => name).join(' or ');

/** Whether this admin may end a change without carrying it out: whoever proposed it withdraws it, others send it back. */
export function decideSendingBack(
  change: PersonChange,
  by: Person,
  known: KnownPersons,
): { readonly kind: 'refused'; readonly why: string } | { readonly kind: 'sent-back' | 'withdrawn' } {
  const why = findAdminObstacle(by, known);
  if (why !== undefined) return refused(why);
  if (change.status !== 'waiting') return refused(`it is ${change.status} already`);
  return { kind: by.personId === change.proposedBy ? 'withdrawn' : 'sent-back' };
}

// ---------------------------------------------------------------- carrying it out

/** Who asked for a change and who confirmed it. */
export interface ChangeHands {
  readonly by: Asker;
  readonly proof: Proof;
  /** The second admin; null where none was needed. */
  readonly confirmedBy: number | null;
  readonly changeId: number | null;
}

/** What a request changes once it is carried out. */
export interface RequestEffect {
  /** As it is from now on; undefined where nobody changes. */
  readonly person: Person | undefined;
  /** The person begins again with a one-time password, which is shown to who asked; with a second admin a half to each. */
  readonly givesOneTimePassword: boolean;
  /** No token of the person's counts any more. */
  readonly revokesTokens: boolean;
  /** Wrong passwords are forgotten. */
  readonly forgivesTries: boolean;
  /** As it is from now on. */
  readonly passkey?: Passkey;
  readonly event: PersonEventDraft;
}

/** The request was decided on before. @throws Error when it is about somebody who is not there */
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
      const person = { ...surely(subject), role: request.role };
      const adminSinceMs = person.adminSinceMs ?? (request.role === 'admin' ? nowMs : null);
      // Who proposed it could sign in as that person: what is given now is not given to him.
      const isNew = hands.confirmedBy !== null && isInHandsOf(person, hands.by?.personId ?? 0);
      const facts = { from: surely(subject).role, to: request.role, newPassword: isNew };
      return {
        givesOneTimePassword: isNew,
        revokesTokens: isNew,
        forgivesTries: isNew,
        person: { ...(isNew ? handOver(person, hands, nowMs) : person), adminSinceMs },
        event: draft(person.personId, 'role-changed', facts),
      };
    }
    case 'disable': {
      const person = { ...surely(subject), isDisabled: true };
      return { ...nothing, revokesTokens: true, person, event: draft(person.personId, 'disabled') };
    }
    case 'enable': {
      const before = surely(subject);
      const isNew = needsNewPassword(before, known);
      const person = isNew
        ? { ...handOver(before, hands, nowMs), isDisabled: false, standsSinceMs: nowMs }
        : before;
      const event = draft(person.personId, 'enabled', { newPassword: isNew });
      return { givesOneTimePassword: isNew, revokesTokens: isNew, forgivesTries: true, person, event };
    }
    case 'reset-password': {
      const person = handOver(surely(subject), hands, nowMs);
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

function surely(person: Person | undefined): Person {
  if (person === undefined) throw new Error('a change of somebody who is not there was let through');
  return person;
}

const makeDraft =
  ({ by, proof, confirmedBy, changeId }: ChangeHands, atMs: number) =>
  (
    subject: number,
    kind: PersonEventKind,
    facts: EventFacts = {},
    cells: PersonEventDraft['cells'] = {},
  ): PersonEventDraft => {
    const confirmed = changeId === null ? {} : { confirmedBy, changeId };
    const byPerson = by?.personId ?? null;
    return { subject, kind, atMs, byPerson, proof, facts: { ...facts, ...confirmed }, cells };
  };

/** Whoever is shown the one-time password could be that person; of two, each is shown one half. */
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
 * Whoever owns the journal makes an admin of somebody, or a new admin, whatever the admins say: the way back in when none
 * of them can sign in any more. It is an alarm.
 */
export function computeRecovery(
  { name, why, owner }: { readonly name: string; readonly why: string; readonly owner: string },
  known: KnownPersons,
  nowMs: number,
): RequestEffect | { readonly kind: 'refused'; readonly why: string } {
  if (known.people.length === 0)
    return refused('there is no user yet: make the first with "paydrop user add NAME --role admin"');
  if (why.trim() === '') return refused('say why, with --why: it is kept for ever');
  const hands: ChangeHands = { by: null, proof: 'owner', confirmedBy: null, changeId: null };
  const kept = known.people.find((person) => nameKeyOf(person.name) === nameKeyOf(name));
  const complaint = kept === undefined ? complainAboutName(name, known.people) : undefined;
  if (complaint !== undefined) return refused(complaint);
  const before =
    kept ?? addPerson({ kind: 'add', name, displayName: name, role: 'admin' }, hands, known, nowMs).person;
  const person = {
    ...handOver(surely(before), hands, nowMs),
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
