/** Permissions in the review, and the changes of people that need a second admin. Everything here is pure. */
import { listed, message, type Message } from '../../core/message.ts';

export const roles = ['viewer', 'maker', 'checker', 'admin'] as const;
/** The role of a person: makers propose, checkers decide on others' proposals, admins do both and manage people. */
export type Role = (typeof roles)[number];

export interface Person {
  /** The number from 1, in the order of creation; never reused. */
  readonly personId: number;
  /** The name typed to sign in; no two differ by case alone. */
  readonly name: string;
  /** The name displayed beside decisions. */
  readonly displayName: string;
  readonly role: Role;
  readonly isDisabled: boolean;
  /** The creator; null for the owner of the journal. */
  readonly madeBy: number | null;
  readonly madeAtMs: number;
  /** The admin who was shown the person's latest one-time password; the moment is `handedAtMs`. */
  readonly handedBy: number | null;
  readonly handedAtMs: number;
  /** The second admin who confirmed that password; null where none did. */
  readonly confirmedBy: number | null;
  /** The moment at which the person first became an admin; null for one who never was. */
  readonly adminSinceMs: number | null;
  /** The moment at which the person was created, or last enabled or recovered. */
  readonly standsSinceMs: number;
  readonly lastSignInAtMs: number | null;
  /** The end of the lock after too many wrong passwords; 0 for no lock. */
  readonly lockedUntilMs: number;
}

/** The way in which a person proved who they are; `owner`: write access to the journal, which proves no person. */
export type Proof = 'token' | 'password' | 'session' | 'proxy' | 'oidc' | 'owner';

/** A person who has proved who they are. */
export interface ProvedPerson {
  readonly person: Person;
  readonly proof: Exclude<Proof, 'owner'>;
}

/** Whether something is allowed; otherwise the reason for the person. */
type Permission = { readonly allowed: true } | { readonly allowed: false; readonly why: Message };

const allowed: Permission = { allowed: true };
const refuse = (why: Message): Permission & { readonly allowed: false } => ({ allowed: false, why });

// ---------------------------------------------------------------- the permissions of a role

/**
 * `see`: everything, numbers masked; `reveal`: a whole number, which is recorded; `take`: to own an item;
 * `propose`: decisions, uploads and corrections; `check`: another's proposal; `people`: users, tokens and
 * passkeys of others; `settings`: how many people a decision or an approval takes. @forTests
 */
export const actions = ['see', 'reveal', 'take', 'propose', 'check', 'people', 'settings'] as const;
export type Action = (typeof actions)[number];

/** An admin proposes and checks, though never the same proposal: a firm of two people has two admins. */
const allowedRoles: Readonly<Record<Action, readonly Role[]>> = {
  see: ['viewer', 'maker', 'checker', 'admin'],
  reveal: ['maker', 'checker', 'admin'],
  take: ['maker', 'checker', 'admin'],
  propose: ['maker', 'admin'],
  check: ['checker', 'admin'],
  people: ['admin'],
  settings: ['admin'],
};

/** Whether a person may do something at all; `null` stands for an unproved person. */
export function can(person: Pick<Person, 'role' | 'isDisabled'> | null, action: Action): Permission {
  const what = message(`action.${action}`);
  if (person === null) return refuse(message('right.unproved', { action: what }));
  if (person.isDisabled) return refuse(message('right.disabled'));
  const may = allowedRoles[action];
  if (may.includes(person.role)) return allowed;
  const role = message(`role.${person.role}`);
  return refuse(message('right.role', { role, action: what, roles: listed(may.map(nameRole), 'or') }));
}

declare const isAdmin: unique symbol;
/** A person who may read the proposals about people: their readers ask for one. */
export type Admin = Person & { readonly [isAdmin]: true };

/** The person as an admin; undefined for others. */
export const asAdmin = (person: Person): Admin | undefined =>
  can(person, 'people').allowed ? (person as Admin) : undefined;

/** Tells whether a person's standing is older than the restore: their history after the backup is unknown. */
export const isBeforeRestore = (standsSinceMs: number, restoredAtMs: number | undefined): boolean =>
  restoredAtMs !== undefined && standsSinceMs <= restoredAtMs;

/** The moment for something made now, always after the restore; earlier moments are invalid. */
export const computeMomentAfterRestore = (nowMs: number, restoredAtMs: number | undefined): number =>
  restoredAtMs === undefined ? nowMs : Math.max(nowMs, restoredAtMs + 1);

/** The moment since which there have been two admins; undefined before. The second is needed from then on. */
export function findTwoAdminsSince(people: readonly Person[]): number | undefined {
  const since = people
    .flatMap(({ adminSinceMs }) => adminSinceMs ?? [])
    .toSorted((one, other) => one - other);
  return since[1];
}

/**
 * The reason why the checker may not check the maker's proposal; undefined when they may. Once there have been two
 * admins, a user whose first password only one admin saw may be that admin under a second name. The second admin counts
 * as a different person, because only the first could have created that user.
 */
export function findCheckObstacle(
  checker: Person,
  maker: Person,
  people: readonly Person[],
): Message | undefined {
  if (checker.personId === maker.personId) return message('check.own');
  const permission = can(checker, 'check');
  if (!permission.allowed) return permission.why;
  return findSharedHand(checker, maker, people);
}

/** The reason why two users may be one person under two names; undefined when two people created one of them. */
function findSharedHand(checker: Person, other: Person, people: readonly Person[]): Message | undefined {
  if (findTwoAdminsSince(people) === undefined) return undefined;
  const [ofChecker, ofOther] = [findSoleHand(checker), findSoleHand(other)];
  const { name } = other;
  if (ofOther === checker.personId) return message('check.you-handed', { name });
  if (ofChecker === other.personId) return message('check.handed-you', { name });
  return ofOther !== null && ofOther === ofChecker ? message('check.same-hand', { name }) : undefined;
}

/**
 * The reason why a person may not approve what others had a part in: they may be one of them under a second name.
 * @param involved people who uploaded the file, or corrected a row in it
 */
export function findHandObstacle(
  checker: Person,
  involved: readonly number[],
  people: readonly Person[],
): Message | undefined {
  const others = people.filter(
    ({ personId }) => involved.includes(personId) && personId !== checker.personId,
  );
  for (const other of others) {
    const why = findSharedHand(checker, other, people);
    if (why !== undefined) return message('check.involved-hand', { name: other.name, why });
  }
  return undefined;
}

/**
 * The reason why a maker's proposal can no longer be approved; undefined when it can.
 * @param action the permission that the maker must still have: `check` for a decision made alone
 */
export function findMakerObstacle(
  maker: Person,
  action: 'propose' | 'check',
  proposedAtMs: number,
  restoredAtMs: number | undefined,
): Message | undefined {
  const { name } = maker;
  const permission = can(maker, action);
  if (maker.isDisabled) return message('check.maker-disabled', { name });
  if (!permission.allowed) return message('check.maker-may-not', { name, why: permission.why });
  // The proposal may be why the maker was disabled; enabling them again does not vouch for it.
  if (proposedAtMs < maker.standsSinceMs) return message('check.maker-anew', { name });
  return isBeforeRestore(maker.standsSinceMs, restoredAtMs)
    ? message('check.maker-before-restore', { name })
    : undefined;
}

/** The admin who could be this person; null where two people had a part. */
const findSoleHand = ({ role, handedBy, confirmedBy }: Person): number | null =>
  role === 'admin' || confirmedBy !== null ? null : handedBy;

/** Tells whether this admin alone can vouch that the person is another one. */
export const isManagedBy = ({ handedBy, confirmedBy }: Person, adminId: number): boolean =>
  handedBy === adminId && confirmedBy === null;

/** "a maker", "an admin". */
export const nameRole = (role: Role): Message => message(`a-role.${role}`);
