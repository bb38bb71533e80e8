/** `paydrop verify BATCH`: compares archive and outbox with the records. */
import { exitCodes } from './exit-codes.ts';
import { flagOption, loadCommandSettings, makeCommand } from './options.ts';
import { noSuchBatch } from './status.ts';

export const verifyCommand = makeCommand({
  command: 'verify <batch>',
  describe: "hold a batch's file in the archive and its reports in the outbox against their recorded hashes",
  exits: {
    0: 'all are as they were recorded',
    2: 'there is no such batch',
    3: 'one was changed, or is missing',
  },
  builder: (command) =>
    command
      .positional('batch', { type: 'string', demandOption: true, describe: 'a batch id' })
      .option('seen', flagOption('you have dealt with what was added to its file: ends that alarm'))
      .example('$0 verify 7B3KQ0M9ZX', 'each file with its state')
      .example('$0 verify 7B3KQ0M9ZX --seen', 'the partner has sent the rest in a file of its own'),
  run: async ({ batch: name, seen, json, ...options }) => {
    const loaded = await loadCommandSettings(options);
    const { verifyBatch } = await import('../app/verify.ts');
    const { print, printBanner } = await import('./views/shown.ts');
    const { showVerified } = await import('./views/verify.ts');
    const verified = await verifyBatch(loaded, name, seen);
    if (verified === undefined) throw noSuchBatch(name);
    printBanner(loaded, json);
    print(showVerified(verified), json);
    return verified.isWhole ? exitCodes.ok : exitCodes.exceptions;
  },
});
