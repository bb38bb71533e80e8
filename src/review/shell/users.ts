/** The work of people on users, typed in a shell: their own passwords and tokens, and the changes of admins. */
import { inEnglish, type Message } from '../../core/message.ts';
import type { Log } from '../../core/ports.ts';
import { systemClock } from '../../platform/clock.ts';
import { SettingsError } from '../../settings/secrets.ts';
import type { LoadedSettings } from '../../settings/settings.ts';
import { AccessRecord } from '../access-record.ts';
import {
  type ChangeOutcome,
  confirmChange,
  listOpenChanges,
  makePersonContext,
  type PersonJournal,
  readEventsOf,
  recoverAdmin,
  requestChange,
  sendBackChange,
} from '../people.ts';
import { readAgreedPolicy } from '../policy.ts';
import type { PersonsKept } from '../ports.ts';
import type { PersonEvent } from '../rules/chain.ts';
import { can, type Person, type ProvedPerson, type Role } from '../rules/people.ts';
import { nameKeyOf, type PersonProposal, type PersonRequest } from '../rules/person-request.ts';
import { describeDifference, readPolicy } from '../rules/policy.ts';
import { changePassword, signIn, type SignInContext } from '../sign-in.ts';
import { sharedSource } from '../source-tries.ts';
import { makeToken, type NewToken, readUser, revokeToken, type TokenWish } from '../tokens.ts';

/** Context for a password typed in the shell; the end of the command reports the changes. */
async function makeSignInContext({ journal, log }: UserSession): Promise<SignInContext> {
  const access = new AccessRecord(journal, log).at(undefined);
  const place = { tries: sharedSource, access, network: undefined, name: 'shell' } as const;
  return { ...(await makePersonContext(journal)), clock: systemClock, place, onLock: () => {} };
}

// ---------------------------------------------------------------- users

/** An open journal, for one command about users. */
export interface UserSession extends AsyncDisposable {
  readonly journal: PersonJournal;
  readonly log: Log;
  /** The person who types the command; null where there is no user yet. @throws SettingsError as `identifyPerson` does */
  asker(): Promise<ProvedPerson | null>;
}

/** The person who signs in with a password in place of a token. @throws SettingsError when the password fails */
export async function signInWithPassword(
  session: UserSession,
  name: string,
  password: string,
): Promise<ProvedPerson> {
  const answer = await signIn(await makeSignInContext(session), name, password);
  if (answer.kind === 'refused') throw new SettingsError(inEnglish(answer.why));
  if (answer.kind === 'signed-in') return { person: answer.person, proof: answer.proof };
  throw new SettingsError(
    `a one-time password is good for one thing: set your own with "paydrop user password ${answer.person.name}"`,
  );
}

/** @throws SettingsError for an unknown name */
function requirePerson({ people }: PersonsKept, name: string): Person {
  const found = people.find((person) => nameKeyOf(person.name) === nameKeyOf(name));
  if (found === undefined) throw new SettingsError(`there is no user ${name}: "paydrop user list" shows all`);
  return found;
}

/** A command's wish for one user; the person who asks decides the rest. */
export type UserWish =
  | { readonly action: 'add'; readonly displayName: string; readonly role: Role }
  | { readonly action: 'role'; readonly role: Role }
  | { readonly action: 'disable' | 'enable' | 'reset-password' };

/** Changes a user for the person who types the command. @throws SettingsError as `asker` does */
export async function changeUser(
  { journal, asker }: UserSession,
  name: string,
  wish: UserWish,
): Promise<ChangeOutcome> {
  const by = await asker();
  const kept = await journal.persons();
  const request = toRequest(kept, name, wish);
  return requestChange(await makePersonContext(journal), request, by?.person ?? null, by?.proof ?? 'owner');
}

function toRequest(kept: PersonsKept, name: string, wish: UserWish): PersonRequest {
  if (wish.action === 'add') return { kind: 'add', name, displayName: wish.displayName, role: wish.role };
  const { personId } = requirePerson(kept, name);
  return wish.action === 'role'
    ? { kind: 'role', personId, role: wish.role }
    : { kind: wish.action, personId };
}

/** @throws SettingsError without a valid token */
async function requireAsker(session: UserSession): Promise<ProvedPerson> {
  const by = await session.asker();
  if (by === null)
    throw new SettingsError('there is no user yet: make the first with "paydrop user add NAME --role admin"');
  return by;
}

export async function confirmUserChange(session: UserSession, proposalId: number): Promise<ChangeOutcome> {
  const by = await requireAsker(session);
  return confirmChange(await makePersonContext(session.journal), proposalId, by);
}

/** @throws SettingsError with the reason */
export async function sendBackUserChange(
  session: UserSession,
  proposalId: number,
  why: string,
): Promise<void> {
  const by = await requireAsker(session);
  refuseWith(await sendBackChange(await makePersonContext(session.journal), proposalId, by, why));
}

export async function recoverUser(
  { journal }: UserSession,
  name: string,
  why: string,
): Promise<ChangeOutcome> {
  return recoverAdmin(await makePersonContext(journal), { name, why, owner: readUser() });
}

function refuseWith(why: Message | undefined): void {
  if (why !== undefined) throw new SettingsError(inEnglish(why));
}

// ---------------------------------------------------------------- what two admins agreed on

/** Proposes to agree on what the settings say. @throws SettingsError where they say nothing new */
export async function proposePolicy(
  session: UserSession,
  { settings }: LoadedSettings,
): Promise<ChangeOutcome> {
  const { person, proof } = await requireAsker(session);
  const context = await makePersonContext(session.journal);
  const policy = readPolicy(settings);
  const agreed = await readAgreedPolicy(context, policy);
  if (agreed === undefined || describeDifference(policy, agreed).length === 0)
    throw new SettingsError(
      'review.people and approval hold as the settings have them: nothing is to be agreed on',
    );
  return requestChange(context, { kind: 'policy', policy }, person, proof);
}

// ---------------------------------------------------------------- one's own

/** @throws SettingsError with the reason */
export async function setPassword(
  session: UserSession,
  name: string,
  present: string,
  wanted: string,
): Promise<void> {
  refuseWith(await changePassword(await makeSignInContext(session), name, present, wanted));
}

/** @param by the user; the person who types the command when left out. @throws SettingsError with the reason */
export async function makeOwnToken(
  session: UserSession,
  wish: TokenWish,
  by?: ProvedPerson,
): Promise<NewToken> {
  const made = await makeToken(
    await makePersonContext(session.journal),
    by ?? (await requireAsker(session)),
    wish,
  );
  if ('why' in made) throw new SettingsError(inEnglish(made.why));
  return made;
}

/** @throws SettingsError with the reason */
export async function endToken(session: UserSession, tokenId: number, by?: ProvedPerson): Promise<void> {
  refuseWith(
    await revokeToken(await makePersonContext(session.journal), by ?? (await requireAsker(session)), tokenId),
  );
}

// ---------------------------------------------------------------- what there is

export interface UsersListed extends PersonsKept {
  /** When the journal was last restored or lost: earlier users may do nothing until they are enabled. */
  readonly restoredAtMs: number | undefined;
  readonly nowMs: number;
  /** Proposals that wait for a second admin. */
  readonly waiting: readonly PersonProposal[];
  /** Users to be shown: all, or the named one. */
  readonly shown: readonly Person[];
  /** Events of the named user; empty without a name. */
  readonly events: readonly PersonEvent[];
}

/** Lists users for admins. @param name of one user, with all their events */
export async function listUsers(session: UserSession, name: string | undefined): Promise<UsersListed> {
  const { journal } = session;
  const by = await session.asker();
  if (by !== null) {
    const permission = can(by.person, 'people');
    if (!permission.allowed) throw new SettingsError(inEnglish(permission.why));
  }
  const kept = await journal.persons();
  const context = await makePersonContext(journal);
  const { nowMs, restoredAtMs } = context;
  // Without a user, nothing was proposed.
  const waiting = by === null ? [] : await listOpenChanges(context, by.person);
  const listed = { ...kept, nowMs, restoredAtMs, waiting };
  if (name === undefined) return { ...listed, shown: kept.people, events: [] };
  const person = requirePerson(kept, name);
  const { personId } = person;
  const events = await readEventsOf(journal, personId);
  return {
    ...listed,
    shown: [person],
    tokens: kept.tokens.filter((token) => token.personId === personId),
    events,
  };
}
