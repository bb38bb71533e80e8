/** `paydrop result BATCH`: writes the whole present result. */
import { SettingsError } from '../settings/secrets.ts';
import { loadCommandSettings, makeCommand, textOption } from './options.ts';
import { noSuchBatch } from './status.ts';

export const resultCommand = makeCommand({
  command: 'result <batch>',
  describe: 'write result, exceptions and summary of a batch as they are now, into files of their own',
  exits: {
    0: 'written, whatever became of its rows',
    2: 'there is no such batch, or it has no rows: its file was rejected as a whole, or is still being read',
  },
  builder: (command) =>
    command
      .positional('batch', { type: 'string', demandOption: true, describe: 'a batch id' })
      .option('out', textOption('the folder to write to (default: the outbox)'))
      .example('$0 result 7B3KQ0M9ZX', 'into the outbox, beside what was written when it came to rest')
      .example('$0 result 7B3KQ0M9ZX --out .', 'into this folder'),
  run: async ({ batch: name, out, json, ...options }) => {
    const loaded = await loadCommandSettings(options);
    const { writeResult } = await import('../app/result.ts');
    const { print } = await import('./views/shown.ts');
    const { showPresent, refuseUnexplained } = await import('./views/summary.ts');
    const written = await writeResult(loaded, name, out);
    if (written === undefined) throw noSuchBatch(name);
    const { summary, files } = written.reports;
    const { batch } = summary;
    if (files.length === 0) {
      const why = batch.status === 'rejected' ? 'was rejected as a whole' : 'is still being read';
      throw new SettingsError(
        `batch ${batch.batchId} has no result: its file ${why}; "paydrop status ${batch.batchId}" says more`,
      );
    }
    print(showPresent(written), json);
    refuseUnexplained(`batch ${batch.batchId}`, summary);
  },
});
