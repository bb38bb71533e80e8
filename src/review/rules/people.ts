/** Who may do what in the review, and which changes of people one admin does not make alone. Nothing here asks anybody. */

export const roles = ['viewer', 'maker', 'checker', 'admin'] as const;
/** One for each person: a maker proposes, a checker decides on what others propose, an admin does both and keeps people. */
export type Role = (typeof roles)[number];

export interface Person {
  /** From 1, in the order in which they were made; never given again. */
  readonly personId: number;
  /** As it is typed to sign in; no two differ by case alone. */
  readonly name: string;
  /** As it is shown beside decisions. */
  readonly displayName: string;
  readonly role: Role;
  readonly isDisabled: boolean;
  /** Who made it; null for whoever owns the journal. */
  readonly madeBy: number | null;
  readonly madeAtMs: number;
  /** Who was shown the one-time password that the person last began with, and when. */
  readonly handedBy: number | null;
  readonly handedAtMs: number;
  /** The second admin who confirmed that; null where none did. */
  readonly confirmedBy: number | null;
  /** When the person was first an admin; null for one who never was. */
  readonly adminSinceMs: number | null;
  /** When the person was made, or last enabled or recovered. */
  readonly standsSinceMs: number;
  readonly lastSignInAtMs: number | null;
  /** Until when no password is looked at, after too many wrong ones; 0 for no such time. */
  readonly lockedUntilMs: number;
}

/** How somebody has proved who he is; `owner`: by being able to write the journal, which is no proof of a person. */
export type Proof = 'token' | 'password' | 'session' | 'proxy' | 'oidc' | 'owner';

/** Somebody who has proved who he is. */
export interface ProvedPerson {
  readonly person: Person;
  readonly proof: Exclude<Proof, 'owner'>;
}

/** Whether something may be done; where not, the reason in words for the person. */
export type Permission = { readonly allowed: true } | { readonly allowed: false; readonly why: string };

const allowed: Permission = { allowed: true };
const refuse = (why: string): Permission & { readonly allowed: false } => ({ allowed: false, why });

// ---------------------------------------------------------------- what a role may do

/**
 * `see`: everything, numbers masked; `reveal`: a whole number, which is recorded; `take`: to look after it; `propose`: decisions, uploads and
 * corrections; `check`: what another has proposed; `people`: users, tokens and passkeys of others; `settings`: how many
 * people a decision or an approval takes.
 */
export const actions = ['see', 'reveal', 'take', 'propose', 'check', 'people', 'settings'] as const;
export type Action = (typeof actions)[number];

/** An admin proposes and checks, too, though never the same: a firm of two people has two admins. */
const allowedRoles: Readonly<Record<Action, readonly Role[]>> = {
  see: ['viewer', 'maker', 'checker', 'admin'],
  reveal: ['maker', 'checker', 'admin'],
  take: ['maker', 'checker', 'admin'],
  propose: ['maker', 'admin'],
  check: ['checker', 'admin'],
  people: ['admin'],
  settings: ['admin'],
};

/** What follows "may". */
export const actionWords: Readonly<Record<Action, string>> = {
  see: 'look at the review',
  reveal: 'see whole numbers',
  take: 'look after what waits',
  propose: 'propose decisions',
  check: 'check what others propose',
  people: 'change users',
  settings: 'change how many people a decision takes',
};

/** Whether the person may do it at all; `null` is nobody who has proved who he is. */
export function can(person: Pick<Person, 'role' | 'isDisabled'> | null, action: Action): Permission {
  const what = actionWords[action];
  if (person === null) return refuse(`only a user who has proved who they are may ${what}`);
  if (person.isDisabled) return refuse('this user is disabled');
  const may = allowedRoles[action];
  if (may.includes(person.role)) return allowed;
  return refuse(`a ${person.role} may not ${what}: that takes ${listRoles(may)}`);
}

const listRoles = (wanted: readonly Role[]): string => wanted.map(nameRole).join(' or ');

/** A person who does not count since the journal was restored: what became of him after the backup is not known. */
export const isBeforeRestore = (standsSinceMs: number, restoredAtMs: number | undefined): boolean =>
  restoredAtMs !== undefined && standsSinceMs <= restoredAtMs;

/** When something is made now: what bears an earlier moment than the restore counts no more. */
export const computeMomentAfterRestore = (nowMs: number, restoredAtMs: number | undefined): number =>
  restoredAtMs === undefined ? nowMs : Math.max(nowMs, restoredAtMs + 1);

/** Since when there have been two who were admins; undefined before. What needs a second one needs it for ever from then. */
export function findTwoAdminsSince(people: readonly Person[]): number | undefined {
  const since = people
    .flatMap(({ adminSinceMs }) => adminSinceMs ?? [])
    .toSorted((one, other) => one - other);
  return since[1];
}

/**
 * Why this person may not check what that one has proposed; undefined when he may. Once there have been two admins, a
 * user whose first password one of them alone was shown may be nobody but that admin. The second admin is believed to
 * be somebody else: nobody but the first could have made that user.
 */
export function findCheckObstacle(
  checker: Person,
  maker: Person,
  people: readonly Person[],
): string | undefined {
  if (checker.personId === maker.personId) return 'you proposed this and cannot approve it';
  const permission = can(checker, 'check');
  if (!permission.allowed) return permission.why;
  return findSharedHand(checker, maker, people);
}

/** Why one of these may be the other behind a second name; undefined when two people had a part in one of them. */
function findSharedHand(checker: Person, other: Person, people: readonly Person[]): string | undefined {
  if (findTwoAdminsSince(people) === undefined) return undefined;
  const [ofChecker, ofOther] = [findSoleHand(checker), findSoleHand(other)];
  const cure = 'so that another person has to check this';
  if (ofOther === checker.personId) return `you alone gave ${other.name} the first password, ${cure}`;
  if (ofChecker === other.personId) return `${other.name} alone gave you the first password, ${cure}`;
  return ofOther !== null && ofOther === ofChecker
    ? `the same admin alone gave you and ${other.name} the first password, ${cure}`
    : undefined;
}

/**
 * Why this person may not approve what others had a part in: he may be one of them behind a second name.
 * @param involved people who uploaded the file, or corrected a row in it
 */
export function findHandObstacle(
  checker: Person,
  involved: readonly number[],
  people: readonly Person[],
): string | undefined {
  const others = people.filter(
    ({ personId }) => involved.includes(personId) && personId !== checker.personId,
  );
  for (const other of others) {
    const why = findSharedHand(checker, other, people);
    if (why !== undefined) return `${other.name} uploaded the file, or corrected a row in it: ${why}`;
  }
  return undefined;
}

/**
 * Why what somebody has proposed is approved by nobody any more; undefined when it may be.
 * @param action that he must be allowed still: of what he decides alone, to check
 */
export function findMakerObstacle(
  maker: Person,
  action: 'propose' | 'check',
  proposedAtMs: number,
  restoredAtMs: number | undefined,
): string | undefined {
  const cure = 'send it back, to be proposed anew';
  const permission = can(maker, action);
  if (maker.isDisabled) return `${maker.name}, who proposed it, is disabled: ${cure}`;
  if (!permission.allowed) return `${maker.name} proposed it, and ${permission.why}: ${cure}`;
  // Why he was disabled may be what he proposed: that he counts again says nothing of it.
  if (proposedAtMs < maker.standsSinceMs)
    return `${maker.name}, who proposed it, was enabled anew since: ${cure}`;
  return isBeforeRestore(maker.standsSinceMs, restoredAtMs)
    ? `${maker.name}, who proposed it, does not count since the journal was restored: ${cure}`
    : undefined;
}

/** The admin who could be this person; null where two had a part in it. */
const findSoleHand = ({ role, handedBy, confirmedBy }: Person): number | null =>
  role === 'admin' || confirmedBy !== null ? null : handedBy;

/** Nobody but this admin can say that the person is another one than himself. */
export const isInHandsOf = ({ handedBy, confirmedBy }: Person, adminId: number): boolean =>
  handedBy === adminId && confirmedBy === null;

export const nameRole = (role: Role): string => (role === 'admin' ? 'an admin' : `a ${role}`);
