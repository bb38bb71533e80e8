/**
 * Signing in with a password. Whoever guesses learns nothing: an unknown name, a wrong password, a user who is disabled
 * or locked, all take the same time and meet the same answer.
 */
import type { Clock } from '../core/ports.ts';
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
  type TriedPerson,
} from './rules/password.ts';
import { isBeforeRestore, type Person, type ProvedPerson } from './rules/people.ts';
import { nameKeyOf, versionOf } from './rules/person-request.ts';
import { sharedSource, type TrySource } from './source-tries.ts';

/** `must-change`: the one-time password was right, and lets its owner do nothing but set one of his own. */
export type SignIn =
  | ({ readonly kind: 'signed-in'; readonly passwordHash: string } & ProvedPerson)
  | { readonly kind: 'must-change'; readonly person: Person }
  | { readonly kind: 'refused'; readonly why: string };

/** The same for every failure: neither names nor locks can be found out by it. */
export const signInRefusal =
  'the name or the password is not right, or too many wrong ones were given: wait, or ask an admin';

/** A refusal comes after so long, or twice as long: that a try was counted, or nobody is called so, is not told by it. */
const refusalMs = 1_000;

export interface SignInContext {
  readonly store: PersonStore;
  readonly clock: Clock;
  /** When the journal was last restored or lost. */
  readonly restoredAtMs: number | undefined;
  readonly cost?: PasswordCost;
  /** A user is locked out: the history says so already, and a notice is due. */
  readonly onLock: () => void;
}

/** Looks at a password, which counts among the tries. @param source where it is typed */
export async function signIn(
  context: SignInContext,
  name: string,
  password: string,
  source: TrySource = sharedSource,
): Promise<SignIn> {
  const { clock } = context;
  const startMs = clock.elapsedMs();
  const answer = await lookAt(context, name, password, source);
  const takenMs = clock.elapsedMs() - startMs;
  const wholeMs = Math.max(1, Math.ceil(takenMs / refusalMs)) * refusalMs;
  if (answer.kind === 'refused') await clock.sleep(wholeMs - takenMs);
  return answer;
}

async function lookAt(
  context: SignInContext,
  name: string,
  password: string,
  source: TrySource,
): Promise<SignIn> {
  const { store, clock, restoredAtMs, cost = usualCost } = context;
  const refusal = { kind: 'refused', why: signInRefusal } as const;
  const nowMs = clock.now();
  const kept = await store.personPassword(nameKeyOf(name));
  const isFromHere = source.count(kept && triedPersonOf(kept, nowMs), nowMs);
  const isCounted = isFromHere && kept !== undefined && (await countTry(context, kept));
  // Also for nobody, so that it takes as long.
  const isRight = await isRightPassword(password, kept?.passwordHash, cost);
  if (!isRight || !isCounted) return refusal;
  const { person, mustChange, passwordHash } = kept;
  if (person.isDisabled || isBeforeRestore(person.standsSinceMs, restoredAtMs)) return refusal;
  if (mustChange && isOneTimeOver(person.handedAtMs, nowMs)) return refusal;
  await store.noteSignIn(person.personId, nowMs);
  source.forgive(person.personId);
  if (mustChange) return { kind: 'must-change', person };
  const hashedAnew = isWeaker(passwordHash, cost)
    ? await keepPassword(context, person, password, { rehashed: true })
    : undefined;
  return { kind: 'signed-in', person, proof: 'password', passwordHash: hashedAnew ?? passwordHash };
}

const triedPersonOf = (kept: PersonPassword, nowMs: number): TriedPerson => ({
  personId: kept.person.personId,
  triesNow: computeTriesNow(kept, nowMs),
});

/** False when none is looked at now, or another came first. A lock is in the history as soon as it holds. */
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

/** What somebody does about himself. */
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
 * With another password the person's sessions end, all of them.
 * @returns the hash; undefined when an admin has replaced the password, or disabled the user, since it was looked at
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
 * Somebody sets a password of his own, which takes the one that he has, be it a one-time one.
 * @returns why not; undefined when it is set
 */
export async function changePassword(
  context: SignInContext,
  name: string,
  present: string,
  wanted: string,
  source: TrySource = sharedSource,
): Promise<string | undefined> {
  const answer = await signIn(context, name, present, source);
  if (answer.kind === 'refused') return answer.why;
  const { person } = answer;
  const complaint =
    complainAboutPassword(wanted, person) ??
    (wanted === present ? 'the new password is the one that you have' : undefined);
  if (complaint !== undefined) return complaint;
  const kept = await keepPassword(context, person, wanted, {});
  return kept === undefined ? signInRefusal : undefined;
}
