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

/** The same command with the settings it was typed with; a command of another program stays. */
function placeCommand(command: string, place: CommandPlace): string {
  if (!command.startsWith('paydrop ') || / --config /.test(command)) return command;
  const settings = paydropCommand(place).slice('paydrop'.length);
  const end = command.indexOf(' -- ');
  return end === -1 ? command + settings : command.slice(0, end) + settings + command.slice(end);
}

/** Commands in a text: with their arguments in quotes, alone at the beginning of a line, or after a colon at its end. */
const commandsInText =
  /(?<=")paydrop [a-z-]+ (?!--\w+")[^"\n]*(?=")|(?<=^ *)paydrop \S(?:.*?(?= {2})|.*$)|(?<=: )paydrop [^"\n]*$/gm;

/** A text whose commands name the settings, so that they find the same journal when they are pasted. */
export const placeCommands = (text: string, place: CommandPlace): string =>
  text.replaceAll(commandsInText, (command) => placeCommand(command, place));
