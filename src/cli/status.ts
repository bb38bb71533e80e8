/** `paydrop status [BATCH]` and `paydrop show PAYOUT`: how batches, days and payouts stand. */
import { paydropCommand } from '../core/command-line.ts';
import { toLines } from '../core/outgoing-text.ts';
import { SettingsError } from '../settings/secrets.ts';
import type { LoadedSettings } from '../settings/settings.ts';
import { flagOption, loadCommandSettings, makeCommand } from './options.ts';

export const statusCommand = makeCommand({
  command: 'status [batch]',
  describe: 'show the batches, or one batch, with counts and totals, and the days that were reconciled',
  exits: { 0: 'shown', 2: 'there is no such batch' },
  builder: (command) =>
    command
      .positional('batch', { type: 'string', describe: 'a batch id' })
      .option('statements', flagOption('only the days whose statement was reconciled, all of them'))
      .example('$0 status', 'all batches, the newest first')
      .example('$0 status 7B3KQ0M9ZX --json', 'one batch, for a program')
      .example('$0 status --statements', 'days with their version, open breaks and the oldest of them'),
  run: async ({ batch, statements, json, ...options }) => {
    const loaded = await loadCommandSettings(options);
    const { findSender, openJournalBeside, readBatches, readDays } = await import('../app/status.ts');
    const { print, printBanner, showList } = await import('./views/shown.ts');
    const { showBatch, showDays } = await import('./views/status.ts');
    await using journal = await openJournalBeside(loaded);
    const nowMs = Date.now();
    const readAllDays = async () => (journal === undefined ? [] : readDays(journal, nowMs));
    printBanner(loaded, json);
    if (statements) {
      print(showDays(await readAllDays(), nowMs), json);
      return;
    }
    const batches = await readBatches(journal, batch, loaded.settings.limits);
    if (batches === undefined) throw noSuchBatch(batch);
    const owner = journal && findSender(loaded.dataDir);
    if (owner !== undefined && !json) {
      const { nameOwner } = await import('../app/session.ts');
      const { printText } = await import('./output.ts');
      printText(toLines([`Sending: ${nameOwner(owner)}`, '']));
    }
    print(
      showList(
        batches.map((standing) => showBatch(standing, owner !== undefined)),
        journal === undefined
          ? `No batches yet: there is no journal in ${loaded.dataDir}.`
          : 'No batches yet.',
      ),
      json,
    );
    if (batch !== undefined || json) return;
    const days = await readAllDays();
    if (days.length > 0) print(showDays(days, nowMs, daysShownMax), json);
    await printWaiting(loaded);
  },
});

/** What else needs a person; nothing where nothing does. */
export async function printWaiting(loaded: LoadedSettings): Promise<void> {
  const { readWaiting } = await import('../app/review/queue.ts');
  const { printText } = await import('./output.ts');
  const { linesOfWaiting } = await import('./views/queue.ts');
  const lines = linesOfWaiting(await readWaiting(loaded));
  if (lines.length > 0) printText(toLines(['', ...lines]));
}

/** Days that are shown below the batches, beside those with open breaks. */
const daysShownMax = 10;

export const showCommand = makeCommand({
  command: 'show <payout>',
  describe: 'show one payout with its whole history',
  exits: { 0: 'shown', 2: 'there is no such payout' },
  builder: (command) =>
    command
      .positional('payout', { type: 'string', demandOption: true, describe: 'a payoutId or a transRefNo' })
      .example('$0 show INV-2026-0001', 'everything that happened to it')
      .example('$0 show PD8S3K0Q2M7XW1VZ5T01', 'the same, found by the reference that the bank knows'),
  run: async ({ payout, json, ...options }) => {
    const loaded = await loadCommandSettings(options);
    const { findPayouts } = await import('../app/status.ts');
    const { print, printBanner, showList } = await import('./views/shown.ts');
    const { showPayout } = await import('./views/status.ts');
    const { found, isReference } = await findPayouts(loaded, payout);
    if (found.length === 0) throw noSuchPayout(payout, isReference);
    printBanner(loaded, json);
    print(showList(found.map(showPayout), '', '\n\n'), json);
  },
});

export function noSuchPayout(name: string, isReference: boolean): SettingsError {
  const list = paydropCommand(undefined, 'list', '--reference', name);
  const way = isReference
    ? `as another reference it is there: "${list}" lists the rows`
    : '"paydrop list" finds payouts by name, number, amount and more';
  return new SettingsError(`no payout has the payoutId or transRefNo ${name}; ${way}`);
}

export const noSuchBatch = (batchId: string | undefined): SettingsError =>
  new SettingsError(`there is no batch ${batchId}; "paydrop status" lists them all`);
