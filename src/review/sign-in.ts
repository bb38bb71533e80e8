/**
 * Signs people in with a password. An unknown name, a wrong password, and a disabled or locked user take the same time
 * and get the same answer, so that guessing reveals nothing.
 */
import { type Message, message } from '../core/message.ts';
import type { Clock } from '../core/ports.ts';
import type { AccessNotes } from './access-record.ts';
import { hashPassword, isRightPassword, isWeaker, type PasswordCost, usualCost } from './password-hash.ts';
import { appendEdit } from './people.ts';
import type { PersonPassword, PersonStore } from './ports.ts';
import type { PersonEventDraft } from './rules/chain.ts';
import {
  complainAboutPassword,
  computeTriesNow,
  decideTry,
  isOneTimeOver,
  type PasswordTries,
  personTriesMax,
  type TriedPerson,
  foldPassword,
} from './rules/password.ts';
import { isBeforeRestore, type Person, type ProvedPerson } from './rules/people.ts';
import { nameKeyOf, versionOf } from './rules/person-request.ts';
import type { TrySource } from './source-tries.ts';

/** `must-change`: the one-time password was right; it lets its owner set a password of their own and nothing else. */
type SignIn =
  | ({ readonly kind: 'signed-in'; readonly passwordHash: string } & ProvedPerson)
  | { readonly kind: 'must-change'; readonly person: Person }
  | { readonly kind: 'refused'; readonly why: Message };

/** One text for every failure, so that it reveals neither names nor locks. @forTests */
export const signInRefusal: Message = message('sign-in.refused');

/** The delay of a refusal, or twice that. It hides whether a try was counted and whether the name exists. */
const refusalMs = 1_000;

/** The place where a password is typed. */
export interface SignInPlace {
  readonly tries: TrySource;
  readonly access: AccessNotes;
  /** The network, as far as it may be kept; undefined where it is unknown. */
  readonly network: string | undefined;
  /** The name of the place in the history. */
  readonly name: 'page' | 'shell';
}

export interface SignInContext {
  readonly store: PersonStore;
  readonly clock: Clock;
  /** The moment at which the journal was last restored or lost. */
  readonly restoredAtMs: number | undefined;
  readonly cost?: PasswordCost;
  readonly place: SignInPlace;
  /** Called when a user is locked out: the history has it already, and a notice is due. */
  readonly onLock: () => void;
}

/** The reasons for a failed sign-in, as the history names them. */
type Failure =
  'unknown-name' | 'too-many-tries' | 'wrong-password' | 'disabled' | 'before-restore' | 'one-time-over';

type LookedAt =
  | Exclude<SignIn, { readonly kind: 'refused' }>
  | { readonly kind: 'failed'; readonly failure: Failure; readonly subject: number };

/** Checks a password and counts the try. */
export async function signIn(context: SignInContext, name: string, password: string): Promise<SignIn> {
  const { clock, place } = context;
  const answer = await prove(context, name, password);
  if (answer.kind === 'signed-in') {
    const { person, proof } = answer;
    const access = { kind: 'signed-in', subject: person.personId, proof, what: place.name } as const;
    await place.access.note(access, clock.now());
  }
  return answer;
}

/** Records a failure in the history, and answers it like every other. */
async function prove(context: SignInContext, name: string, password: string): Promise<SignIn> {
  const { clock, place } = context;
  const startMs = clock.elapsedMs();
  const looked = await lookAt(context, name, password);
  if (looked.kind !== 'failed') return looked;
  const { failure, subject } = looked;
  await place.access.note({ kind: 'sign-in-failed', subject, proof: null, what: failure }, clock.now());
  const takenMs = clock.elapsedMs() - startMs;
  const wholeMs = Math.max(1, Math.ceil(takenMs / refusalMs)) * refusalMs;
  await clock.sleep(wholeMs - takenMs);
  return { kind: 'refused', why: signInRefusal };
}

async function lookAt(context: SignInContext, name: string, password: string): Promise<LookedAt> {
  const { store, clock, restoredAtMs, cost = usualCost, place } = context;
  const nowMs = clock.now();
  const kept = await store.personPassword(nameKeyOf(name));
  const fromHere = place.tries.count(kept && triedPersonOf(kept, nowMs), nowMs);
  const isCounted = fromHere !== 'refused' && kept !== undefined && (await countTry(context, kept));
  // Runs for unknown names, too, so that they take as long.
  const isRight = await isRightPassword(password, kept?.passwordHash, cost);
  const failure = findFailure(kept, { isCounted, isRight, nowMs, restoredAtMs });
  if (kept !== undefined && failure === 'wrong-password' && fromHere === 'last')
    await lockHere(context, kept.person);
  if (kept === undefined || failure !== undefined)
    return { kind: 'failed', failure: failure ?? 'unknown-name', subject: kept?.person.personId ?? 0 };
  const { person, mustChange, passwordHash } = kept;
  await store.noteSignIn(person.personId, nowMs);
  place.tries.forgive(person.personId);
  if (mustChange) return { kind: 'must-change', person };
  const hashedAnew = isWeaker(passwordHash, cost)
    ? await keepPassword(context, person, password, { rehashed: true })
    : undefined;
  return { kind: 'signed-in', person, proof: 'password', passwordHash: hashedAnew ?? passwordHash };
}

/** Records a lock of the person at one address, and reports it like any lock. */
async function lockHere({ store, clock, place, onLock }: SignInContext, person: Person): Promise<void> {
  const facts = { failedTries: personTriesMax, isOfOneAddress: true };
  const cells = place.network === undefined ? {} : { network: place.network };
  const lock = makeDraft(person, clock.now(), 'locked-out', facts);
  await store.recordPersonEvent({ ...lock, byPerson: null, proof: null, cells });
  onLock();
}

interface Looked {
  readonly isCounted: boolean;
  readonly isRight: boolean;
  readonly nowMs: number;
  readonly restoredAtMs: number | undefined;
}

function findFailure(
  kept: PersonPassword | undefined,
  { isCounted, isRight, nowMs, restoredAtMs }: Looked,
): Failure | undefined {
  if (kept === undefined) return 'unknown-name';
  const { person, mustChange } = kept;
  if (!isCounted) return 'too-many-tries';
  if (!isRight) return 'wrong-password';
  if (person.isDisabled) return 'disabled';
  if (isBeforeRestore(person.standsSinceMs, restoredAtMs)) return 'before-restore';
  return mustChange && isOneTimeOver(person.handedAtMs, nowMs) ? 'one-time-over' : undefined;
}

const triedPersonOf = (kept: PersonPassword, nowMs: number): TriedPerson => ({
  personId: kept.person.personId,
  triesNow: computeTriesNow(kept, nowMs),
});

/** Counts a try; false during a lock, or when another try came first. A lock enters the history at once. */
async function countTry(
  { store, clock, onLock }: SignInContext,
  { person, failedTries, lockedUntilMs }: PersonPassword,
): Promise<boolean> {
  const before: PasswordTries = { failedTries, lockedUntilMs };
  const nowMs = clock.now();
  const verdict = decideTry(before, nowMs);
  if (verdict.kind === 'locked') return false;
  const { after, isLockedNow } = verdict;
  const facts = { failedTries: after.failedTries };
  const lock = { ...makeDraft(person, nowMs, 'locked-out', facts), byPerson: null, proof: null };
  const isCounted = await store.countTry(person.personId, before, after, isLockedNow ? lock : undefined);
  if (isCounted && isLockedNow) onLock();
  return isCounted;
}

/** An event for a change that people make to their own user. */
const makeDraft = (
  { personId }: Person,
  atMs: number,
  kind: PersonEventDraft['kind'],
  facts: PersonEventDraft['facts'],
): PersonEventDraft => ({
  subject: personId,
  kind,
  atMs,
  byPerson: personId,
  proof: 'password',
  facts,
  cells: {},
});

/**
 * Sets the password and ends all sessions of the person.
 * @returns the hash; undefined when an admin has meanwhile replaced the password or disabled the user
 */
async function keepPassword(
  { store, clock, cost }: SignInContext,
  person: Person,
  password: string,
  facts: { readonly rehashed?: true },
): Promise<string | undefined> {
  const passwordHash = await hashPassword(password, cost);
  let isKept = false;
  await appendEdit(store, ({ people }) => {
    const now = people.find(({ personId }) => personId === person.personId);
    isKept = versionOf(now) === versionOf(person);
    if (!isKept) return undefined;
    return {
      events: [makeDraft(person, clock.now(), 'password-changed', facts)],
      password: {
        personId: person.personId,
        passwordHash,
        mustChange: false,
        endsSessions: facts.rehashed !== true,
      },
    };
  });
  return isKept ? passwordHash : undefined;
}

/**
 * Sets a person's own password, given the present one, which may be a one-time password.
 * @returns the reason for a refusal; undefined once set
 */
export async function changePassword(
  context: SignInContext,
  name: string,
  present: string,
  wanted: string,
): Promise<Message | undefined> {
  const answer = await prove(context, name, present);
  if (answer.kind === 'refused') return answer.why;
  const { person } = answer;
  const complaint =
    complainAboutPassword(wanted, person, await loadGuessedPasswords()) ??
    (wanted === present ? message('password.same') : undefined);
  if (complaint !== undefined) return complaint;
  const kept = await keepPassword(context, person, wanted, {});
  return kept === undefined ? signInRefusal : undefined;
}

/** Guessed words of this program and this country, and rows of keys, which the list of zxcvbn lacks. */
const besides = [
  'paydrop',
  'sawasdee',
  'sawatdee',
  'sawadee',
  'krungthep',
  'songkran',
  'changemeplease',
  'abcdefghijkl',
  '1234567890ab',
];

let guessed: Promise<ReadonlySet<string>> | undefined;

/** Loads the passwords that attackers guess first, about 50,000, folded: once, when a password is first set. @forTests */
export const loadGuessedPasswords = (): Promise<ReadonlySet<string>> => (guessed ??= loadGuessed());

async function loadGuessed(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set([...dictionary['passwords-common'], ...besides].map(foldPassword));
}
