/** Commands for a person to paste into a shell. */

/** Where a command finds the same journal; both absolute. */
export interface CommandPlace {
  readonly settingsPath: string;
  /** As it was given on the command line; undefined where the settings say it. */
  readonly dataDir?: string | undefined;
}

/** A word as a POSIX shell reads it back. */
const quoteWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

/** Any program with its arguments, on one line. */
export const joinCommand = (...words: readonly string[]): string => words.map(quoteWord).join(' ');

/** `paydrop status 4K7Q2M9XWD --config /etc/paydrop/paydrop.yaml`. @param place settings that are found without a word when left out */
export function paydropCommand(place: CommandPlace | undefined, ...words: readonly string[]): string {
  const settings = place === undefined ? [] : ['--config', place.settingsPath];
  const elsewhere = place?.dataDir === undefined ? [] : ['--data-dir', place.dataDir];
  return joinCommand('paydrop', ...words, ...settings, ...elsewhere);
}
