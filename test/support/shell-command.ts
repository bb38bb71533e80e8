/** Words of the shell, which no page tells people to type. */
import { commands } from '../../src/commands.ts';

const names = commands.map(({ command }) => command.split(' ')[0]).join('|');

/** A command of the shell, or an option of one. */
export const shellCommand = new RegExp(`paydrop (?:${names})\\b| --[a-z]`);
