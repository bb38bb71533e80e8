/** `paydrop backup FILE`: copies the journal as it is now, while others write to it. */
import { toLines } from '../../core/outgoing-text.ts';
import { loadCommandSettings, makeCommand } from '../options.ts';

export const backupCommand = makeCommand({
  command: 'backup <file>',
  describe: 'copy the journal as it is now into a new file, while others go on sending',
  exits: { 0: 'copied, and read through', 1: 'it cannot be written', 2: 'the file is there already' },
  builder: (command) =>
    command
      .positional('file', { type: 'string', demandOption: true, describe: 'the copy; must not exist yet' })
      .example('$0 backup /backup/journal-2026-11-21.db', 'keep it away from this machine'),
  run: async ({ file, json: asJson, ...options }) => {
    const loaded = await loadCommandSettings(options);
    const { backUp } = await import('../../app/open-store.ts');
    const { print } = await import('../views/shown.ts');
    const json = await backUp(loaded, file);
    const { path, bytes, latestEventSeq, archives } = json;
    const { describeArchives } = await import('../../payout/rules/archive.ts');
    const text = toLines([
      `${path}: ${bytes} bytes, up to event ${latestEventSeq}. It is whole.`,
      ...describeArchives(archives, 'Copy its archives, too, each once'),
    ]);
    print({ json, text }, asJson);
  },
});
