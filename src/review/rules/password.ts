/** What a password must be, and how long a person waits who gives wrong ones. */
import { dayMs } from '../../core/bangkok-time.ts';

/** Characters. */
const lengthMin = 12;
/** A longer one only costs time to hash. */
const lengthMax = 256;
/** As few different ones are typed by a finger that does not move. */
const differentMin = 5;
/** A shorter name may stand in any password. */
const ownNameMin = 3;

/** One spelling for one password, however the keyboard composes its characters. */
export const normalisePassword = (password: string): string => password.normalize('NFC');

/** What people write for a letter, so that a word looks like another one; each is one sign long, as what it stands for. */
const standIns: Readonly<Record<string, string>> = {
  '@': 'a',
  '4': 'a',
  '8': 'b',
  '(': 'c',
  '3': 'e',
  '9': 'g',
  '6': 'g',
  '1': 'i',
  '!': 'i',
  '|': 'i',
  l: 'i',
  '0': 'o',
  $: 's',
  '5': 's',
  '7': 't',
  '+': 't',
  '2': 'z',
};

/** The same for all spellings of a word that a guess tries in its place: `P@ssw0rd` and `password`. As long as the text. */
export const foldPassword = (text: string): string =>
  text.toLowerCase().replaceAll(/[@4($8396!1|l05$7+2]/g, (sign) => standIns[sign] ?? sign);

/**
 * Why it will not do; undefined when it will. Never names the password.
 * @param guessed passwords that are tried first, each folded
 */
export function complainAboutPassword(
  password: string,
  { name, displayName }: { readonly name: string; readonly displayName: string },
  guessed: ReadonlySet<string>,
): string | undefined {
  const plain = normalisePassword(password);
  const letters = Array.from(plain);
  if (letters.length < lengthMin) return `a password has at least ${lengthMin} characters`;
  if (letters.length > lengthMax) return `a password has at most ${lengthMax} characters`;
  if (new Set(letters).size < differentMin)
    return `a password has at least ${differentMin} different characters`;
  const lower = plain.toLowerCase();
  if (!hasLetter(lower)) return 'a password is more than digits and signs';
  const rest = removeNames(lower, [name, displayName]);
  if (rest !== lower && (!hasLetter(rest) || rest.length < lengthMin / 2))
    return 'a password is more than the user’s own name, with or without digits behind it';
  return isGuessed(lower, guessed)
    ? 'this password, or a word of it that has but digits and signs around it, is among those that a guesser tries first: take several words'
    : undefined;
}

const hasLetter = (text: string): boolean => /\p{L}/u.test(text);

/** What is left once the names, and each part of them, are taken out, however they are spelt. */
function removeNames(lower: string, names: readonly string[]): string {
  const parts = names.flatMap((name) => [name, name.split('@')[0] ?? name, ...name.split(/[^\p{L}\p{M}]+/u)]);
  let rest = lower;
  for (const part of parts.toSorted((one, other) => other.length - one.length)) {
    const folded = foldPassword(part);
    if (part.length < ownNameMin) continue;
    for (let at = 0; (at = foldPassword(rest).indexOf(folded)) >= 0;)
      rest = rest.slice(0, at) + rest.slice(at + folded.length);
  }
  return rest;
}

/** Shorter ones stand in any password. */
const guessedMin = 4;
/** None in the list is as long, even twice over. */
const guessedMax = 64;
/** Digits and signs may belong to the word; so many at either end are looked at one by one, and further ones only as a whole. */
const edgeMax = 16;

/** How much may be taken off an end of so many digits and signs. */
const edgesOf = (length: number): readonly number[] => [
  ...Array.from({ length: Math.min(length, edgeMax) }, (_, taken) => taken),
  length,
];

/** It is one that is tried first, once or again and again, with any digits and signs before and behind it. */
function isGuessed(lower: string, guessed: ReadonlySet<string>): boolean {
  const before = /^[^\p{L}]*/u.exec(lower)?.[0].length ?? 0;
  const behind = /[^\p{L}\p{M}]*$/u.exec(lower)?.[0].length ?? 0;
  return edgesOf(before).some((start) =>
    edgesOf(behind).some((end) => isGuessedWord(lower.slice(start, lower.length - end), guessed)),
  );
}

function isGuessedWord(text: string, guessed: ReadonlySet<string>): boolean {
  if (text.length < guessedMin || text.length > guessedMax) return false;
  const word = foldPassword(text);
  const again = /^(.{3,}?)\1+$/u.exec(word)?.[1];
  return guessed.has(word) || (again !== undefined && guessed.has(again));
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
