/** The person who types a command, and admins' work on users: all on the journal, alongside the sender. */
import { userInfo } from 'node:os';
import { inEnglish, type Message } from '../../core/message.ts';
import type { Log } from '../../core/ports.ts';
import type { Logger } from '../../platform/log.ts';
import { systemClock } from '../../platform/clock.ts';
import { AccessRecord } from '../../review/access-record.ts';
import {
  type ChangeOutcome,
  confirmChange,
  type PersonContext,
  recoverAdmin,
  requestChange,
  sendBackChange,
} from '../../review/people.ts';
import { readAgreedPolicy } from '../../review/policy.ts';
import type { PersonsKept } from '../../review/ports.ts';
import { hasToldOfUsers, journalFactKinds, type PersonEvent } from '../../review/rules/chain.ts';
import type { Person, ProvedPerson, Role } from '../../review/rules/people.ts';
import { can } from '../../review/rules/people.ts';
import { nameKeyOf, type PersonRequest } from '../../review/rules/person-request.ts';
import { describeDifference, readPolicy } from '../../review/rules/policy.ts';
import { changePassword, signIn, type SignInContext } from '../../review/sign-in.ts';
import { sharedSource } from '../../review/source-tries.ts';
import {
  makeToken,
  makeTokenSource,
  type NewToken,
  revokeToken,
  type TokenWish,
} from '../../review/tokens.ts';
import { SettingsError } from '../../settings/secrets.ts';
import type { LoadedSettings } from '../../settings/settings.ts';
import type { Store } from '../../store/store.ts';
import { openNotifier } from '../notices/notifier.ts';
import { PersonNotices } from '../notices/persons.ts';
import { requireJournal } from '../open-store.ts';
import { findSenderOf } from '../machines/find-sender.ts';
import { agreeSettings } from './agreed.ts';

export type { ChangeOutcome } from '../../review/people.ts';
export type { PersonToken } from '../../review/ports.ts';

type Journal = Pick<Store, 'loss'> & PersonContext['store'];

async function makeContext(store: Journal): Promise<PersonContext> {
  const loss = await store.loss();
  return { store, nowMs: systemClock.now(), restoredAtMs: loss?.recoveredAtMs };
}

/** Context for a password typed in the shell; the end of the command reports the changes. */
async function makeSignInContext({ journal, log }: UserSession): Promise<SignInContext> {
  const access = new AccessRecord(journal, log).at(undefined);
  const place = { tries: sharedSource, access, network: undefined, name: 'shell' } as const;
  return { ...(await makeContext(journal)), clock: systemClock, place, onLock: () => {} };
}

/**
 * The person who types the command, by the personal token of the environment or the settings; a typed name proves nothing.
 * @returns undefined while there is no user at all: decisions are then unproved
 * @throws SettingsError (exit 2) without a token, or with one that is no longer valid
 */
export async function identifyPerson(
  loaded: LoadedSettings,
  journal: Journal,
): Promise<ProvedPerson | undefined> {
  const { people, heads } = await journal.persons();
  if (people.length === 0 && !hasToldOfUsers(heads)) return undefined;
  const reading = loaded.personToken;
  if (reading === undefined)
    throw new SettingsError(
      'no personal token: set PAYDROP_TOKEN, PAYDROP_TOKEN_FILE or review.tokenFile; "paydrop user token NAME" makes one',
    );
  if (!reading.ok) throw new SettingsError(reading.message);
  const identified = await makeTokenSource(await makeContext(journal)).identify(reading.secret);
  if (!identified.ok) throw new SettingsError(`${reading.from}: ${inEnglish(identified.why)}`);
  return identified;
}

// ---------------------------------------------------------------- users

/** An open journal, for one command about users. */
export interface UserSession extends AsyncDisposable {
  readonly journal: Store;
  readonly log: Log;
  /** The person who types the command; null where there is no user yet. @throws SettingsError as `identifyPerson` does */
  asker(): Promise<ProvedPerson | null>;
}

/**
 * Opens the journal; closing it sends notices of the changes.
 * @throws SettingsError without a journal
 */
export async function openUsers(loaded: LoadedSettings, logger: Logger): Promise<UserSession> {
  const journal = await requireJournal(loaded);
  return {
    journal,
    log: (level, message, facts) => logger[level](facts, message),
    asker: async () => (await identifyPerson(loaded, journal)) ?? null,
    [Symbol.asyncDispose]: async () => {
      await notifyOfPersons(loaded, journal, logger);
      await journal[Symbol.asyncDispose]();
    },
  };
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

/** Longest wait at the end of a command for the delivery of notices; the next sender tries the rest. */
const deliveryMs = 10_000;

/** Sends notices of changes of users; the next sender delivers what fails. */
export async function notifyOfPersons(loaded: LoadedSettings, journal: Store, log: Logger): Promise<void> {
  try {
    // Once there are two admins, the agreement begins with what the settings say now.
    await agreeSettings(loaded, journal);
    const notifier = await openNotifier({ loaded, journal, log, clock: systemClock });
    await new PersonNotices(journal, notifier).notify();
    // A running sender delivers what is kept.
    if ((await findSenderOf(loaded, journal)) === undefined)
      await notifier.deliverOnce(AbortSignal.timeout(deliveryMs));
  } catch (error) {
    log.error({ err: error }, 'the notices of changed users could not be made');
  }
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
  return requestChange(await makeContext(journal), request, by?.person ?? null, by?.proof ?? 'owner');
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

export async function confirmUserChange(session: UserSession, changeId: number): Promise<ChangeOutcome> {
  const by = await requireAsker(session);
  return confirmChange(await makeContext(session.journal), changeId, by);
}

/** @throws SettingsError with the reason */
export async function sendBackUserChange(session: UserSession, changeId: number, why: string): Promise<void> {
  const by = await requireAsker(session);
  refuseWith(await sendBackChange(await makeContext(session.journal), changeId, by, why));
}

export async function recoverUser(
  { journal }: UserSession,
  name: string,
  why: string,
): Promise<ChangeOutcome> {
  return recoverAdmin(await makeContext(journal), { name, why, owner: userInfo().username });
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
  const context = await makeContext(session.journal);
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
  const made = await makeToken(await makeContext(session.journal), by ?? (await requireAsker(session)), wish);
  if ('why' in made) throw new SettingsError(inEnglish(made.why));
  return made;
}

/** @throws SettingsError with the reason */
export async function endToken(session: UserSession, tokenId: number, by?: ProvedPerson): Promise<void> {
  refuseWith(
    await revokeToken(await makeContext(session.journal), by ?? (await requireAsker(session)), tokenId),
  );
}

// ---------------------------------------------------------------- what there is

export interface UsersListed extends PersonsKept {
  /** When the journal was last restored or lost: earlier users may do nothing until they are enabled. */
  readonly restoredAtMs: number | undefined;
  readonly nowMs: number;
  /** Users to be shown: all, or the named one. */
  readonly shown: readonly Person[];
  /** Events of the named user; empty without a name. */
  readonly events: readonly PersonEvent[];
}

/** Events read at a time. */
const pageSize = 1_000;

/** Lists users for admins. @param name of one user, with all their events */
export async function listUsers(session: UserSession, name: string | undefined): Promise<UsersListed> {
  const { journal } = session;
  const by = await session.asker();
  if (by !== null) {
    const permission = can(by.person, 'people');
    if (!permission.allowed) throw new SettingsError(inEnglish(permission.why));
  }
  const kept = await journal.persons();
  const { nowMs, restoredAtMs } = await makeContext(journal);
  if (name === undefined) return { ...kept, nowMs, restoredAtMs, shown: kept.people, events: [] };
  const person = requirePerson(kept, name);
  const { personId } = person;
  const events = await readEventsOf(journal, personId);
  return {
    ...kept,
    nowMs,
    restoredAtMs,
    shown: [person],
    tokens: kept.tokens.filter((token) => token.personId === personId),
    events,
  };
}

async function readEventsOf(journal: Store, personId: number): Promise<readonly PersonEvent[]> {
  const found: PersonEvent[] = [];
  for (let afterSeq = 0; ;) {
    const page = await journal.personEvents(afterSeq, pageSize);
    found.push(...page.filter(({ subject, kind }) => !journalFactKinds.has(kind) && subject === personId));
    if (page.length < pageSize) return found;
    afterSeq = page.at(-1)?.seq ?? afterSeq;
  }
}
