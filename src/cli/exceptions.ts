/** `paydrop exceptions`: rows that need a person, as a table to fill in. */
import { joinLines, printable } from '../core/outgoing-text.ts';
import { flagOption, loadCommandSettings, makeCommand, textOption } from './options.ts';
import { noSuchBatch, printWaiting } from './status.ts';

export const exceptionsCommand = makeCommand({
  command: 'exceptions',
  describe: 'write the rows that need a person, of one batch or of all, as a workbook or CSV to fill in',
  exits: {
    0: 'written, also when there is none',
    2: 'there is no such batch, or the file cannot be called so',
  },
  builder: (command) =>
    command
      .option('batch', textOption('of this batch alone, be it of payouts or of registrations'))
      .option('registrations', flagOption('of direct-debit registrations instead of payouts'))
      .option(
        'out',
        textOption('the file to write, .xlsx or .csv by its name (default: CSV to standard output)'),
      )
      .example('$0 exceptions --out exceptions.xlsx', 'all that are open, to be filled in')
      .example('$0 exceptions --batch 7B3KQ0M9ZX --out review.csv', 'those of one batch')
      .example('$0 exceptions | grep unresolved', 'for a look')
      .example('$0 exceptions --registrations --out registrations.xlsx', 'those of registrations'),
  run: async ({ batch, out, registrations, json, ...options }) => {
    const loaded = await loadCommandSettings(options);
    const { formatExceptions, openExceptions, writeExceptions } = await import('../app/exceptions.ts');
    await using open = await openExceptions(loaded, batch, registrations);
    if (open === undefined) throw noSuchBatch(batch);
    const { printText } = await import('./output.ts');
    const { encodeResult, print, printBanner } = await import('./views/shown.ts');
    if (out !== undefined) {
      const { showWrittenExceptions } = await import('./views/exceptions.ts');
      const written = await writeExceptions(loaded, open, out);
      printBanner(loaded, json);
      print(showWrittenExceptions(written, loaded.settings.output.workbookRows), json);
      const { readEntries } = await import('../app/decide/open.ts');
      if (batch === undefined && !json) await printWaiting(await readEntries(loaded));
    } else if (json) {
      for await (const page of open.read())
        for (const record of page)
          printText(
            encodeResult(
              Object.fromEntries(open.header.map((column, at) => [nameOfCell(column), record[at] ?? ''])),
            ),
          );
    } else for await (const lines of formatExceptions(open)) printText(joinLines(lines.map(printable)));
  },
});

/** In JSON `version` is that of the JSON; a carried column of the row version's name gets a prefix. */
const nameOfCell = (column: string): string =>
  column === 'version' ? 'rowVersion' : column === 'rowVersion' ? 'input.rowVersion' : column;
