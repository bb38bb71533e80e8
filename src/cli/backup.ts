/** `paydrop backup FILE`: a copy of the journal as it is now, while others go on. */
import type { CommandModule } from 'yargs';
import { type GlobalOptions, loadCommandSettings } from './options.ts';

interface BackupOptions extends GlobalOptions {
  readonly file: string;
}

export const backupCommand: CommandModule<GlobalOptions, BackupOptions> = {
  command: 'backup <file>',
  describe: 'copy the journal as it is now into a new file, while others go on sending',
  builder: (command) =>
    command
      .positional('file', { type: 'string', demandOption: true, describe: 'the copy; must not exist yet' })
      .example('$0 backup /backup/journal-2026-11-21.db', 'keep it away from this machine'),
  handler: async (options) => {
    const loaded = await loadCommandSettings(options);
    const { backUp } = await import('../app/open-store.ts');
    const { print } = await import('./views/shown.ts');
    const json = await backUp(loaded, options.file);
    const { path, bytes, latestEventSeq } = json;
    print(
      { json, text: `${path}: ${bytes} bytes, up to event ${latestEventSeq}. It is whole.` },
      options.json,
    );
  },
};
