/**
 * Payees' names. The bank compares a name in Latin letters (§4 rule 5: English only); a name in Thai is compared here
 * with the Thai name that the bank returns (displayProxyName, §2.4).
 */

type PayeeNameScript = 'latin' | 'thai' | 'other';

const latinPattern = /^[\x20-\x7e]+$/;
/**
 * Thai letters, marks and digits, printable ASCII, no-break spaces, and the characters that a web page leaves between
 * words.
 */
const thaiPattern = /^[\u0e01-\u0e3a\u0e40-\u0e5b\x20-\x7e\u00a0\u200b-\u200d\u2060\ufeff]+$/;
const thaiConsonant = /[\u0e01-\u0e2e]/;

/**
 * The script of a name, which decides how it is compared: `latin` is printable ASCII, `thai` has Thai letters, `other`
 * fits neither.
 */
export function payeeNameScript(name: string): PayeeNameScript {
  if (latinPattern.test(name)) return 'latin';
  return thaiPattern.test(name) && thaiConsonant.test(name) ? 'thai' : 'other';
}

/** Titles, longest first: otherwise นาง would be cut from นางสาว. */
const titles = ['นางสาว', 'น.ส.', 'นาย', 'นาง'];

function stripTitle(name: string): string {
  const title = titles.find((candidate) => name.startsWith(candidate));
  return title === undefined ? name : name.slice(title.length);
}

/**
 * A Thai name for comparison: canonical order of marks, no spaces, nothing invisible, no title. Two spellings that look
 * alike on screen (sara am from two marks, sara ae from two sara e) become one.
 */
function normaliseThaiName(name: string): string {
  const visible = name.normalize('NFC').replaceAll(/[\s\u200b-\u200d\u2060\ufeff]/g, '');
  return stripTitle(visible.replaceAll('\u0e4d\u0e32', '\u0e33').replaceAll('\u0e40\u0e40', '\u0e41'));
}

/** True when the payer's and the bank's Thai name differ only in titles, spaces and invisible characters. @forTests */
export function compareThaiNames(ours: string, banks: string): boolean {
  const normalised = normaliseThaiName(ours);
  return normalised !== '' && normalised === normaliseThaiName(banks);
}

/** The name to send to the bank, which compares English names only (§2.4); null for any other. */
export function nameForBank(name: string | null): string | null {
  return name !== null && payeeNameScript(name) === 'latin' ? name : null;
}

/** False when our Thai name and the bank's differ; true when they cannot be compared. */
export function thaiNamesAgree(ours: string | null, banks: string | null): boolean {
  if (ours === null || banks === null || payeeNameScript(ours) !== 'thai') return true;
  return compareThaiNames(ours, banks);
}
