/** `paydrop backup FILE`: a copy of the journal as it is now, while others go on. */
import type { CommandModule } from 'yargs';
import { loadCommandSettings } from './load-settings.ts';
import type { GlobalOptions } from './options.ts';

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
    const { requireJournal } = await import('./adapters.ts');
    // Whose journal it is, and whether it is whole, is looked at first.
    const journal = await requireJournal(loaded);
    await journal[Symbol.asyncDispose]();
    const { backUpJournal } = await import('../store/backup.ts');
    const backup = backUpJournal(loaded.dataDir, options.file);
    const { path, bytes, latestEventSeq } = backup;
    process.stdout.write(
      options.json
        ? `${JSON.stringify(backup)}\n`
        : `${path}: ${bytes} bytes, up to event ${latestEventSeq}. It is whole.\n`,
    );
  },
};
