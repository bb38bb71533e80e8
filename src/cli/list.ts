/** `paydrop list`: payouts by what is known of them. */
import type { PayoutFilter } from '../payout/rules/search.ts';
import { parseDay, parsePayee } from '../payout/rules/search.ts';
import { parseBaht } from '../core/money.ts';
import { encodeJson, joinLines } from '../core/outgoing-text.ts';
import { holdReasons, payoutStatuses } from '../core/payout.ts';
import { SettingsError } from '../settings/secrets.ts';
import { flagOption, loadCommandSettings, makeCommand, numberOption, textOption } from './options.ts';
import { noSuchBatch } from './status.ts';

export const listCommand = makeCommand({
  command: 'list',
  describe: 'list payouts, the newest first: by status, hold, batch, reference, amount, payee, day',
  exits: {
    0: 'listed, also when there is none',
    2: 'there is no such batch, or what is looked for makes no sense',
  },
  builder: (command) =>
    command
      .option('status', {
        choices: payoutStatuses,
        array: true,
        requiresArg: true,
        describe: 'in one of these statuses; in doubt are submitted and unresolved',
      })
      .option('hold', { choices: holdReasons, requiresArg: true, describe: 'held for this' })
      .option('alarms', flagOption('only those that bear an alarm'))
      .option('batch', textOption('of this batch'))
      .option('reference', textOption('with this payoutId, transRefNo, sysRefNo, reference1 or reference2'))
      .option('amount', textOption('of just this amount, in baht'))
      .option(
        'payee',
        textOption('to this mobile number or ID, or to one that ends so; or to a name that has this in it'),
      )
      .option('since', textOption('sent on this day (YYYY-MM-DD, Bangkok) or later; unsent: taken in then'))
      .option('until', textOption('sent on this day or before; unsent: taken in then'))
      .option('limit', numberOption(50, 'how many at most; 0 for all'))
      .example('$0 list --status failed unpayable', 'what did not get through')
      .example('$0 list --hold name --batch 7B3KQ0M9ZX', 'whose names to compare')
      .example('$0 list --payee 5678 --since 2026-11-01', 'by the digits that screens show')
      .example('$0 list --reference INV-1041', 'by what the partner, or the bank, calls it')
      .example('$0 list --status failed --limit 0 --json', 'all of them, one line of JSON each'),
  run: async ({ limit, json, ...options }) => {
    const filter = readFilter(options);
    if (!Number.isInteger(limit) || limit < 0) throw new SettingsError('--limit takes a whole number');
    const loaded = await loadCommandSettings(options);
    const { openJournalBeside } = await import('../app/status.ts');
    const { listPayouts } = await import('../app/list.ts');
    const { countColumns, printText, say } = await import('./output.ts');
    const { describeFound, PayoutTable } = await import('./views/list.ts');
    const { printBanner } = await import('./views/shown.ts');
    await using journal = await openJournalBeside(loaded);
    const { batchId } = filter;
    if (batchId !== undefined && (await journal?.batch(batchId)) === undefined) throw noSuchBatch(batchId);
    printBanner(loaded, json);
    const table = new PayoutTable(countColumns());
    let end = table.end(false);
    const pages = journal === undefined ? [] : listPayouts(journal, filter, limit === 0 ? Infinity : limit);
    for await (const { found, isMore } of pages) {
      const shown = table.show(found);
      end = table.end(isMore);
      if (found.length > 0)
        printText(json ? joinLines(found.map((one) => encodeJson(describeFound(one)))) : shown);
    }
    if (json) say(end.trim());
    else printText(end);
  },
});

interface Asked extends Pick<PayoutFilter, 'hold' | 'reference'> {
  readonly status?: PayoutFilter['statuses'] | undefined;
  readonly alarms: boolean;
  readonly batch?: string | undefined;
  readonly amount?: string | undefined;
  readonly payee?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** @throws SettingsError naming the option that makes no sense */
function readFilter(asked: Asked): PayoutFilter {
  const { status: statuses = [], hold, alarms, batch, reference, amount, payee } = asked;
  const amountSatang = amount === undefined ? undefined : parseBaht(amount.replaceAll(',', ''));
  if (amount !== undefined && amountSatang === undefined)
    throw new SettingsError(`--amount takes baht such as 1250.00, not "${amount}"`);
  const since = readDay('since', asked.since);
  const until = readDay('until', asked.until);
  if (since !== undefined && until !== undefined && since.startMs > until.startMs)
    throw new SettingsError('--since is after --until');
  return {
    statuses,
    hold,
    isAlarm: alarms,
    batchId: batch?.toUpperCase(),
    reference: reference?.trim(),
    amountSatang,
    payee: payee === undefined ? undefined : parsePayee(payee),
    sinceMs: since?.startMs,
    untilMs: until?.endMs,
  };
}

function readDay(option: string, text: string | undefined): ReturnType<typeof parseDay> {
  if (text === undefined) return undefined;
  const day = parseDay(text);
  if (day === undefined) throw new SettingsError(`--${option} takes a day such as 2026-11-20, not "${text}"`);
  return day;
}
