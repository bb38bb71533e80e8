/** Passwords that whoever guesses tries first: the list of zxcvbn, which is kept up to date, and some of this country. */
import { foldPassword } from './rules/password.ts';

/** Of this program, this country, and rows of keys; the list has none of them. */
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

let folded: Promise<ReadonlySet<string>> | undefined;

/** About 50,000, folded. Read once, and only where somebody sets a password. */
export const loadGuessedPasswords = (): Promise<ReadonlySet<string>> => (folded ??= load());

async function load(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set([...dictionary['passwords-common'], ...besides].map(foldPassword));
}
