/** What a password must be, and how long somebody waits who gives wrong ones. */
import { dayMs } from '../../core/bangkok-time.ts';

/** Characters. */
const lengthMin = 12;
/** A longer one only costs time to hash. */
const lengthMax = 256;
/** As few different ones are typed by a finger that does not move. */
const differentMin = 5;
/** A shorter name may stand in any password. */
const ownNameMin = 3;

/** Long enough, and tried first by whoever guesses. */
const commonPasswords: ReadonlySet<string> = new Set([
  '123456789012',
  '1234567890123',
  '1234567890ab',
  '1q2w3e4r5t6y',
  '1qaz2wsx3edc',
  'abcdefghijkl',
  'adminadminadmin',
  'administrator',
  'changemeplease',
  'changeme12345',
  'iloveyou1234',
  'letmeinletmein',
  'paydroppaydrop',
  'password1234',
  'password12345',
  'password123456',
  'passwordpassword',
  'p@ssw0rd1234',
  'qazwsxedcrfv',
  'qwerty123456',
  'qwerty1234567',
  'qwertyqwerty',
  'qwertyuiop12',
  'qwertyuiop123',
  'sawasdee1234',
  'thailand1234',
  'welcome12345',
]);

/** One spelling for one password, however the keyboard composes its characters. */
export const normalisePassword = (password: string): string => password.normalize('NFC');

/** Why it will not do; undefined when it will. Never names the password. */
export function complainAboutPassword(
  password: string,
  { name, displayName }: { readonly name: string; readonly displayName: string },
): string | undefined {
  const plain = normalisePassword(password);
  const letters = Array.from(plain);
  if (letters.length < lengthMin) return `a password has at least ${lengthMin} characters`;
  if (letters.length > lengthMax) return `a password has at most ${lengthMax} characters`;
  if (new Set(letters).size < differentMin)
    return `a password has at least ${differentMin} different characters`;
  const lower = plain.toLowerCase();
  if (commonPasswords.has(lower)) return 'this password is one of those that everybody tries first';
  const ownNames = [name, name.split('@')[0] ?? name, displayName].map((own) => own.toLowerCase());
  let rest = lower;
  for (const own of ownNames) if (own.length >= ownNameMin) rest = rest.replaceAll(own, '');
  if (rest.length < lower.length && rest.length < lengthMin / 2)
    return 'a password is more than the user’s own name';
  return undefined;
}

// ---------------------------------------------------------------- wrong ones

/** How many may be wrong before anybody waits. */
const freeTries = 4;
/** From so many on nobody signs in with a password for a day, unless an admin enables the user. */
export const lockTries = 12;
const firstDelayMs = 15_000;
const lockMs = dayMs;
/** So long after the latest, all are forgotten: a lock that is over leaves none behind. */
const forgottenAfterMs = dayMs;

/** Tries that have failed one after another, and until when no other counts. */
export interface PasswordTries {
  readonly failedTries: number;
  /** The moment of the latest where it made nobody wait. */
  readonly lockedUntilMs: number;
}

/** A try that is made now, counted as failed before it is looked at: many at once are no way around. */
export type TryVerdict =
  | { readonly kind: 'locked' }
  | { readonly kind: 'counts'; readonly after: PasswordTries; readonly isLockedNow: boolean };

export function decideTry(before: PasswordTries, nowMs: number): TryVerdict {
  // A clock that was set back has nobody wait whom no try made wait.
  if (computeDelayMs(before.failedTries) > 0 && nowMs < before.lockedUntilMs) return { kind: 'locked' };
  const failedTries = computeTriesNow(before, nowMs) + 1;
  return {
    kind: 'counts',
    after: { failedTries, lockedUntilMs: nowMs + computeDelayMs(failedTries) },
    isLockedNow: failedTries === lockTries,
  };
}

/** How many are not forgotten yet. */
export function computeTriesNow({ failedTries, lockedUntilMs }: PasswordTries, nowMs: number): number {
  const latestMs = lockedUntilMs - computeDelayMs(failedTries);
  return nowMs - latestMs >= forgottenAfterMs ? 0 : failedTries;
}

function computeDelayMs(tries: number): number {
  if (tries <= freeTries) return 0;
  return tries >= lockTries ? lockMs : firstDelayMs * 2 ** (tries - freeTries - 1);
}

/** For one person from one network address: half of what locks the person out, whom another address may lock no sooner. */
export const personTriesMax = lockTries / 2;
/** From one network address, whoever is named: people of one office may share it. */
export const sourceTriesMax = 40;
/** So long after the latest one that was looked at, an address may try again. */
const sourceForgottenAfterMs = 3_600_000;

/** Wrong passwords from one network address that were looked at. */
export interface SourceCount {
  readonly byPerson: ReadonlyMap<number, number>;
  readonly all: number;
  readonly latestMs: number;
}

export interface TriedPerson {
  readonly personId: number;
  /** From all addresses, as `computeTriesNow` gives them: what is forgotten or forgiven there is so here. */
  readonly triesNow: number;
}

/** @returns the count with this try; undefined where it is not looked at, and so not counted */
export function decideSourceTry(
  before: SourceCount | undefined,
  tried: TriedPerson | undefined,
  nowMs: number,
): SourceCount | undefined {
  const { byPerson = new Map<number, number>(), all = 0, latestMs = nowMs } = before ?? {};
  const allNow = nowMs - latestMs >= sourceForgottenAfterMs ? 0 : all;
  if (allNow >= sourceTriesMax) return undefined;
  const after = { byPerson, all: allNow + 1, latestMs: nowMs };
  if (tried === undefined) return after;
  const ofPerson = Math.min(byPerson.get(tried.personId) ?? 0, tried.triesNow);
  if (ofPerson >= personTriesMax) return undefined;
  return { ...after, byPerson: new Map([...byPerson, [tried.personId, ofPerson + 1]]) };
}

/** A one-time password that nobody has used by then is none any more. */
const oneTimeDays = 7;

export const isOneTimeOver = (handedAtMs: number, nowMs: number): boolean =>
  nowMs >= handedAtMs + oneTimeDays * dayMs;
