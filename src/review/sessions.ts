/** Sessions of the page: the browser keeps a random secret, the journal its hash. */
import { createHash, randomBytes } from 'node:crypto';
import { message } from '../core/message.ts';
import type { Clock } from '../core/ports.ts';
import type { PersonStore, SessionStore } from './ports.ts';
import { computeMomentAfterRestore, type Person, type ProvedPerson } from './rules/people.ts';
import { findNamed, type ProxyRefusal } from './rules/proxy-header.ts';
import { isSessionOpen, isUseNoted, type PersonSession, sessionLongestMs } from './rules/session.ts';
import type { Identified, PersonSource } from './tokens.ts';

export interface SessionContext {
  readonly store: Pick<PersonStore, 'persons'> & SessionStore;
  readonly clock: Pick<Clock, 'now'>;
  /** The moment at which the journal was last restored or lost. */
  readonly restoredAtMs: number | undefined;
}

const secretBytes = 32;
/** The prefix of a secret whose session a proxy started; without its header the session is invalid, under any settings. */
const proxyMark = 'proxy.';

export const hashSession = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/** A person, and the hash that the password matched. A session starts only while that hash is kept. */
export interface LetIn {
  readonly person: Person;
  readonly passwordHash: string;
}

/**
 * Starts a session after a right password.
 * @param sinceMs the start of the sign-in; a password changed since then ends it
 * @returns the secret for the browser, new each time (no fixation); undefined where the password has changed since
 */
export const startSession = async (
  context: SessionContext,
  { person, passwordHash }: LetIn,
  sinceMs: number,
): Promise<string | undefined> => begin(context, person, sinceMs, { mark: '', passwordHash });

interface SessionProof {
  readonly mark: '' | typeof proxyMark;
  /** Null where no password was checked. */
  readonly passwordHash: string | null;
}

async function begin(
  { store, clock, restoredAtMs }: SessionContext,
  { personId, role }: Person,
  sinceMs: number,
  { mark, passwordHash }: SessionProof,
): Promise<string | undefined> {
  const secret = mark + randomBytes(secretBytes).toString('base64url');
  const nowMs = clock.now();
  const madeAtMs = computeMomentAfterRestore(sinceMs, restoredAtMs);
  const session = { sessionHash: hashSession(secret), personId, role, madeAtMs, usedAtMs: madeAtMs };
  const hasBegun = await store.startSession(session, nowMs - sessionLongestMs, passwordHash);
  return hasBegun ? secret : undefined;
}

const ended: Identified = { ok: false, why: message('sign-in.first') };

interface SessionLook {
  /** False for a page's own polling, which does not extend the session. */
  readonly isUse: boolean;
  /** The person to whom the session must belong; null for none. Left out: any person. */
  readonly onlyOf?: number | null;
}

/** Finds the session and its person as of now; ends a session that is over or another person's. */
async function findSignedIn(
  { store, clock, restoredAtMs }: SessionContext,
  secret: string | undefined,
  { isUse, onlyOf }: SessionLook,
): Promise<Person | undefined> {
  if (secret === undefined || secret === '') return undefined;
  const sessionHash = hashSession(secret);
  const session = await store.session(sessionHash);
  if (session === undefined) return undefined;
  const { people } = await store.persons();
  const person = people.find(({ personId }) => personId === session.personId);
  const nowMs = clock.now();
  const isHis = onlyOf === undefined || onlyOf === session.personId;
  if (person === undefined || !isHis || !isSessionOpen(session, person, nowMs, restoredAtMs)) {
    await store.endSession(sessionHash);
    return undefined;
  }
  if (isUse && isUseNoted(session, nowMs)) await store.noteSessionUse(sessionHash, nowMs);
  return person;
}

/** The open sessions of a person, the latest first. */
export async function findOpenSessions(
  { store, clock, restoredAtMs }: SessionContext,
  person: Person,
): Promise<readonly PersonSession[]> {
  const nowMs = clock.now();
  const all = await store.sessionsOf(person.personId);
  return all.filter((session) => isSessionOpen(session, person, nowMs, restoredAtMs));
}

/**
 * Identifies people by the secret of their session.
 * @param isUse false for a page's own polling, which does not extend the session
 */
export const makeSessionSource = (
  context: SessionContext,
  isUse = true,
): PersonSource<string | undefined> => ({
  async identify(secret) {
    if (secret?.startsWith(proxyMark) === true) return ended;
    const person = await findSignedIn(context, secret, { isUse });
    return person === undefined ? ended : { ok: true, person, proof: 'session' };
  },
});

// ---------------------------------------------------------------- by the header of a proxy

interface ShownByProxy {
  readonly secret: string | undefined;
  /** The values of the header in which the proxy names the person. */
  readonly values: readonly string[];
}

type IdentifiedByProxy =
  | ({ readonly kind: 'signed-in' } & ProvedPerson)
  /** The person has no session yet. */
  | { readonly kind: 'named'; readonly person: Person }
  | { readonly kind: 'refused'; readonly refusal: ProxyRefusal; readonly masked: string };

/** Identifies people by the proxy's header at each request, and by their session, which another or no name ends. */
export async function identifyByProxy(
  context: SessionContext,
  { secret, values }: ShownByProxy,
  isUse: boolean,
): Promise<IdentifiedByProxy> {
  const { people } = await context.store.persons();
  const named = findNamed(values, people, context.restoredAtMs);
  const ofProxy = secret?.startsWith(proxyMark) === true ? secret : undefined;
  const onlyOf = named.ok ? named.person.personId : null;
  const person = await findSignedIn(context, ofProxy, { isUse, onlyOf });
  if (!named.ok) return { kind: 'refused', refusal: named.refusal, masked: named.masked };
  if (person === undefined) return { kind: 'named', person: named.person };
  return { kind: 'signed-in', person, proof: 'proxy' };
}

/** Starts a session on the proxy's word; no password is checked. @returns the secret for the browser */
export async function startSessionByProxy(context: SessionContext, person: Person): Promise<string> {
  const proof = { mark: proxyMark, passwordHash: null } as const;
  const secret = await begin(context, person, context.clock.now(), proof);
  if (secret === undefined) throw new Error('a session without a password was held against one');
  return secret;
}
