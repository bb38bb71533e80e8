/** Commands for a person to paste into a shell. */

/** The settings and data directory of a journal, for a command; both paths are absolute. */
export interface CommandPlace {
  readonly settingsPath: string;
  /** Data directory given on the command line; undefined when the settings give it. */
  readonly dataDir?: string | undefined;
}

/** A word as a POSIX shell reads it back. */
const quoteWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

/** Joins a program and its arguments into one shell line. */
export const joinCommand = (...words: readonly string[]): string => words.map(quoteWord).join(' ');

/**
 * A command such as `paydrop status 4K7Q2M9XWD --config /etc/paydrop/paydrop.yaml`.
 * @param place left out when the settings are found without an option
 */
export function paydropCommand(place: CommandPlace | undefined, ...words: readonly string[]): string {
  const settings = place === undefined ? [] : ['--config', place.settingsPath];
  const elsewhere = place?.dataDir === undefined ? [] : ['--data-dir', place.dataDir];
  return joinCommand('paydrop', ...words, ...settings, ...elsewhere);
}
