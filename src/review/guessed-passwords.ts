/** Passwords that attackers guess first: the maintained list of zxcvbn, and common ones of this country. */
import { foldPassword } from './rules/password.ts';

/** Words of this program and this country, and rows of keys, which the list of zxcvbn lacks. */
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

/** Loads about 50,000 folded passwords, once, when a password is first set. */
export const loadGuessedPasswords = (): Promise<ReadonlySet<string>> => (folded ??= load());

async function load(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set([...dictionary['passwords-common'], ...besides].map(foldPassword));
}
