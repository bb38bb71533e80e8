/** `paydrop audit` and `paydrop evidence`: whether the journal is what was written, and what proves one payout's story. */
import { exitCodes } from './exit-codes.ts';
import { flagOption, loadCommandSettings, makeCommand, readDayOption, textOption } from './options.ts';
import { noSuchPayout } from './status.ts';

export const auditCommand = makeCommand({
  command: 'audit',
  describe: 'hold the whole history, its archives and the heads of days against what was written',
  exits: {
    0: 'all is as it was written',
    2: 'there is no journal, or no head where --heads says',
    3: 'something was changed, removed or put in: the first of each part is named',
  },
  builder: (command) =>
    command
      .option(
        'since',
        textOption('YYYY-MM-DD: only what happened from this day on; the days before are taken as they are'),
      )
      .option('file', textOption('a backup, to be looked at where it lies (default: the journal)'))
      .option(
        'heads',
        textOption('a file or folder with heads of days that were kept elsewhere (default: the outbox)'),
      )
      .example('$0 audit', 'everything, against the heads in the outbox')
      .example('$0 audit --heads /mnt/auditor/heads', 'against heads that this machine cannot change')
      .example('$0 audit --file /backup/journal-20261121.db', 'a backup, without putting it in place')
      .example('$0 audit --since 2026-11-01 --json', 'the days since then, for a program'),
  run: async ({ since, heads, file, json, ...options }) => {
    const sinceDate = since === undefined ? undefined : readDayOption('--since', since).date;
    const loaded = await loadCommandSettings(options);
    const { runAudit } = await import('../app/evidence/audit.ts');
    const { print, printBanner } = await import('./views/shown.ts');
    const { showAudited } = await import('./views/audit.ts');
    const audited = await runAudit(loaded, { file, heads, sinceDate });
    printBanner(loaded, json);
    print(showAudited(audited), json);
    return audited.isWhole ? exitCodes.ok : exitCodes.exceptions;
  },
});

export const evidenceCommand = makeCommand({
  command: 'evidence <payout>',
  describe: "write one payout's whole story with its proofs, which is checked without the journal",
  exits: {
    0: 'written',
    2: 'there is no such payout, the file is there already, or this person may not see whole numbers',
  },
  builder: (command) =>
    command
      .positional('payout', { type: 'string', demandOption: true, describe: 'a payoutId or a transRefNo' })
      .option('out', { ...textOption('the file to write (JSON)'), demandOption: true })
      .option(
        'full',
        flagOption(
          'with the whole numbers of people and accounts, for a user who may see them: it is recorded',
        ),
      )
      .example('$0 evidence INV-2026-0001 --out INV-2026-0001.json', 'numbers masked')
      .example('$0 evidence INV-2026-0001 --out whole.json --full', 'all of it can be checked'),
  run: async ({ payout, out, full, json, ...options }) => {
    const loaded = await loadCommandSettings(options);
    const { findPayouts } = await import('../app/status.ts');
    const { writeEvidence } = await import('../app/evidence/payout.ts');
    const { print, printBanner } = await import('./views/shown.ts');
    const { showEvidence } = await import('./views/evidence.ts');
    const written = await writeEvidence(loaded, { name: payout, out, isFull: full });
    if (written === undefined) throw noSuchPayout(payout, (await findPayouts(loaded, payout)).isReference);
    printBanner(loaded, json);
    print(showEvidence(written), json);
  },
});
