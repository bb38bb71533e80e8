/** The requirements of a password, and the delays after wrong ones. */
import { dayMs } from '../../core/bangkok-time.ts';
import { message, type Message } from '../../core/message.ts';

/** The least length in characters. */
const lengthMin = 12;
/** The greatest length in characters: more only costs time to hash. */
const lengthMax = 256;
/** The least number of different characters, more than a resting finger types. */
const differentMin = 5;
/** The least length of a user name that is looked for in a password; a shorter one occurs by chance. */
const ownNameMin = 3;

/** Normalises the spelling, however the keyboard composes its characters. */
export const normalisePassword = (password: string): string => password.normalize('NFC');

/** Characters that people write in place of a letter; each is one character long, as its letter is. */
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

/** Folds all spellings of a word that a guess tries: `P@ssw0rd` and `password`. Keeps the length of the text. */
export const foldPassword = (text: string): string =>
  text.toLowerCase().replaceAll(/[@4($8396!1|l05$7+2]/g, (sign) => standIns[sign] ?? sign);

/** The requirements, for a person who chooses a password. */
export const describePasswordRules = (): readonly Message[] => [
  message('password.short', { count: lengthMin }),
  message('password.few-characters', { count: differentMin }),
  message('password.no-letter'),
  message('password.own-name'),
  message('password.several-words'),
];

/**
 * The reason against a password; undefined when it is good. Never contains the password.
 * @param guessed the passwords that are guessed first, each folded
 */
export function complainAboutPassword(
  password: string,
  { name, displayName }: { readonly name: string; readonly displayName: string },
  guessed: ReadonlySet<string>,
): Message | undefined {
  const plain = normalisePassword(password);
  const letters = Array.from(plain);
  if (letters.length < lengthMin) return message('password.short', { count: lengthMin });
  if (letters.length > lengthMax) return message('password.long', { count: lengthMax });
  if (new Set(letters).size < differentMin)
    return message('password.few-characters', { count: differentMin });
  const lower = plain.toLowerCase();
  if (!hasLetter(lower)) return message('password.no-letter');
  const rest = removeNames(lower, [name, displayName]);
  if (rest !== lower && (!hasLetter(rest) || rest.length < lengthMin / 2))
    return message('password.own-name');
  return isGuessed(lower, guessed) ? message('password.guessed') : undefined;
}

const hasLetter = (text: string): boolean => /\p{L}/u.test(text);

/** Removes the names, and each part of them, in any spelling. */
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

/** The least length of a guessed word; a shorter one occurs in any password. */
const guessedMin = 4;
/** The greatest length of a guessed word: each in the list is shorter, even twice over. */
const guessedMax = 64;
/** Digits and signs may belong to the word. At either end, up to so many are tried one by one, more only as a whole. */
const edgeMax = 16;

/** The numbers of characters to cut off an end with so many digits and signs. */
const edgesOf = (length: number): readonly number[] => [
  ...Array.from({ length: Math.min(length, edgeMax) }, (_, taken) => taken),
  length,
];

/** Tells whether a password is a guessed word, once or repeated, with any digits and signs before and behind it. */
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

// ---------------------------------------------------------------- wrong passwords

/** The number of wrong passwords without a delay. */
const freeTries = 4;
/** The number of wrong passwords that locks the user out for a day, unless an admin enables the user. @forTests */
export const lockTries = 12;
const firstDelayMs = 15_000;
const lockMs = dayMs;
/** The time after the latest wrong password at which all are forgotten; a lock leaves none behind. */
const forgottenAfterMs = dayMs;

/** Successive failed tries, and the moment before which no other counts. */
export interface PasswordTries {
  readonly failedTries: number;
  /** The end of the delay; the moment of the latest try where that had no delay. */
  readonly lockedUntilMs: number;
}

/** The verdict on a try, which counts as failed before it is checked, so that parallel tries gain nothing. */
type TryVerdict =
  | { readonly kind: 'locked' }
  | { readonly kind: 'counts'; readonly after: PasswordTries; readonly isLockedNow: boolean };

export function decideTry(before: PasswordTries, nowMs: number): TryVerdict {
  // Without a delay, a clock that was set back locks no user out.
  if (computeDelayMs(before.failedTries) > 0 && nowMs < before.lockedUntilMs) return { kind: 'locked' };
  const failedTries = computeTriesNow(before, nowMs) + 1;
  return {
    kind: 'counts',
    after: { failedTries, lockedUntilMs: nowMs + computeDelayMs(failedTries) },
    isLockedNow: failedTries === lockTries,
  };
}

/** The number of tries that are not yet forgotten. */
export function computeTriesNow({ failedTries, lockedUntilMs }: PasswordTries, nowMs: number): number {
  const latestMs = lockedUntilMs - computeDelayMs(failedTries);
  return nowMs - latestMs >= forgottenAfterMs ? 0 : failedTries;
}

function computeDelayMs(tries: number): number {
  if (tries <= freeTries) return 0;
  return tries >= lockTries ? lockMs : firstDelayMs * 2 ** (tries - freeTries - 1);
}

/** The limit for one person from one address: half of the lock limit, so that no single address locks a person out. */
export const personTriesMax = lockTries / 2;
/** The limit from one network address over all names: people of one office may share it. */
const sourceTriesMax = 40;
/** The time after the latest checked try at which an address may try again. */
const sourceForgottenAfterMs = 3_600_000;

/** Wrong passwords from one network address that were checked. */
export interface SourceCount {
  readonly byPerson: ReadonlyMap<number, number>;
  readonly all: number;
  readonly latestMs: number;
}

export interface TriedPerson {
  readonly personId: number;
  /** The tries from all addresses, as `computeTriesNow` returns them: forgotten and forgiven tries are left out. */
  readonly triesNow: number;
}

/** @returns the count with this try; undefined where it is refused, and so not counted */
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

/** The life of an unused one-time password. */
const oneTimeDays = 7;

export const isOneTimeOver = (handedAtMs: number, nowMs: number): boolean =>
  nowMs >= handedAtMs + oneTimeDays * dayMs;
