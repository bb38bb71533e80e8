/** `paydrop list`: payouts, or registrations, by a filter. */
import type { Journal } from '../app/open-store.ts';
import type { RegistrationFilter } from '../app/registration/standing.ts';
import { parseBaht } from '../core/money.ts';
import { joinLines, type PrintableText, toLines } from '../core/outgoing-text.ts';
import { type HoldReason, holdReasons, type PayoutStatus, payoutStatuses } from '../core/payout.ts';
import type { PayoutFilter } from '../payout/rules/search.ts';
import { parsePayee } from '../payout/rules/search.ts';
import {
  type RegistrationHold,
  registrationHolds,
  type RegistrationStatus,
  registrationStatuses,
} from '../registration/rules/registration.ts';
import { SettingsError } from '../settings/secrets.ts';
import type { ListTable } from './views/list.ts';
import type { LoadedSettings } from '../settings/settings.ts';
import { flagOption, loadCommandSettings, makeCommand, readDayOption, textOption } from './options.ts';
import { noSuchBatch } from './status.ts';

/** Rows of a screen without `--limit`. */
const rowsShownMax = 50;

export const listCommand = makeCommand({
  command: 'list',
  describe:
    'list payouts, or registrations, the newest first: by status, hold, batch, reference, payee, day and more',
  exits: {
    0: 'listed, also when there is none',
    2: 'there is no such batch, or what is looked for makes no sense',
  },
  builder: (command) =>
    command
      .option('registrations', flagOption('direct-debit registrations instead of payouts'))
      .option('status', {
        choices: [...new Set([...payoutStatuses, ...registrationStatuses])],
        array: true,
        requiresArg: true,
        describe: 'in one of these statuses; of payouts, in doubt are submitted and unresolved',
      })
      .option('hold', {
        choices: [...new Set([...holdReasons, ...registrationHolds])],
        requiresArg: true,
        describe: 'held for this',
      })
      .option('alarms', flagOption('only those that bear an alarm'))
      .option('batch', textOption('of this batch'))
      .option(
        'reference',
        textOption(
          'with this payoutId, transRefNo, sysRefNo or reference; a registration: with this registrationId, customerId, requestUID, ddrOapiSeqId or reference',
        ),
      )
      .option('amount', textOption('of just this amount, in baht'))
      .option(
        'payee',
        textOption(
          'to this mobile number or ID, or to one that ends so; or to a name that has this in it. Where there are users, more than the last four digits are for those who may see whole numbers, and each such search is recorded',
        ),
      )
      .option(
        'account',
        textOption(
          'a registration of this account, or of one whose number ends so; whole numbers as with --payee',
        ),
      )
      .option('since', textOption('sent on this day (YYYY-MM-DD, Bangkok) or later; unsent: taken in then'))
      .option('until', textOption('sent on this day or before; unsent: taken in then'))
      .option('limit', {
        type: 'number',
        requiresArg: true,
        describe: `how many at most; 0 for all (default: ${rowsShownMax}; with --json all)`,
      })
      .example('$0 list --status failed unpayable', 'what did not get through')
      .example('$0 list --hold name --batch 7B3KQ0M9ZX', 'whose names to compare')
      .example('$0 list --payee 5678 --since 2026-11-01', 'by the digits that screens show')
      .example('$0 list --reference INV-1041', 'by what the partner, or the bank, calls it')
      .example('$0 list --status failed --json', 'all of them, one line of JSON each')
      .example('$0 list --registrations --status unanswered', 'about which the bank never called back'),
  run: async ({ limit, json, registrations, ...options }) => {
    const prepare = registrations ? searchRegistrations(options) : searchPayouts(options);
    const rowsMax = limit ?? (json ? 0 : rowsShownMax);
    if (!Number.isInteger(rowsMax) || rowsMax < 0) throw new SettingsError('--limit takes a whole number');
    const loaded = await loadCommandSettings(options);
    const { openReadOnlyJournal } = await import('../app/status.ts');
    const { countColumns, printText, say } = await import('./output.ts');
    const { encodeResult, printBanner } = await import('./views/shown.ts');
    await using journal = await openReadOnlyJournal(loaded);
    if (options.batch !== undefined) await requireBatch(journal, options.batch, registrations);
    const { search, isNarrowed } = await prepare(loaded, journal);
    printBanner(loaded, json);
    if (isNarrowed) say(narrowed);
    const pages = search(rowsMax === 0 ? Infinity : rowsMax, countColumns());
    for await (const { lines, records, end } of pages) {
      if (records.length > 0) printText(json ? joinLines(records.map((one) => encodeResult(one))) : lines);
      if (end === undefined) continue;
      if (json) say(end.trim());
      else printText(end);
    }
  },
});

const narrowed =
  '--reference was compared with the names alone that screens show: with PAYDROP_TOKEN of a user who may see whole numbers it finds customers and numbers, too';

/** @throws SettingsError when there is no such batch, or its rows are of the other kind */
async function requireBatch(
  journal: Journal | undefined,
  batch: string,
  ofRegistrations: boolean,
): Promise<void> {
  const { findAnyBatch } = await import('../review/shell/named-targets.ts');
  const found = journal && (await findAnyBatch(journal, batch));
  if (found === undefined) throw noSuchBatch(batch);
  if ((found.kind === 'registrations') === ofRegistrations) return;
  const cure = ofRegistrations ? 'leave out --registrations' : 'add --registrations';
  throw new SettingsError(`batch ${found.batch.batchId} is of ${found.kind}: ${cure}`);
}

/** A page of rows found. */
interface ShownPage {
  readonly lines: PrintableText;
  /** The same rows for a program. */
  readonly records: readonly object[];
  /** Text below the last page; undefined below any other. */
  readonly end: PrintableText | undefined;
}

type Search = (rowsMax: number, width: number | undefined) => AsyncIterable<ShownPage>;

/** A search of this journal. @throws SettingsError for a search by more than the asking person may see */
type Prepare = (
  loaded: LoadedSettings,
  journal: Journal | undefined,
) => Promise<{ readonly search: Search; readonly isNarrowed: boolean }>;

/** @throws SettingsError naming an option that makes no sense */
function searchPayouts(options: ListOptions): Prepare {
  const wanted = readFilter(options);
  return async (loaded, journal) => {
    const { limitPayoutSearch } = await import('../review/shell/search-reach.ts');
    const { listPayouts } = await import('../app/list.ts');
    const { foundPayoutView, ListTable, payoutList } = await import('./views/list.ts');
    const limited = journal && (await limitPayoutSearch(loaded, journal, wanted));
    const search: Search = (rowsMax, width) =>
      showPages(
        journal && limited ? listPayouts(journal, limited.filter, rowsMax) : noPages(),
        new ListTable(payoutList, width),
        foundPayoutView.json,
      );
    return { search, isNarrowed: limited?.isNarrowed ?? false };
  };
}

/** @throws SettingsError naming an option that makes no sense */
function searchRegistrations(options: ListOptions): Prepare {
  const wanted = readRegistrationFilter(options);
  return async (loaded, journal) => {
    const { limitRegistrationSearch } = await import('../review/shell/search-reach.ts');
    const { listRegistrations } = await import('../app/registration/standing.ts');
    const { ListTable } = await import('./views/list.ts');
    const { foundRegistrationView, registrationList } = await import('./views/registration-list.ts');
    const limited = journal && (await limitRegistrationSearch(loaded, journal, wanted));
    const search: Search = (rowsMax, width) =>
      showPages(
        journal && limited ? listRegistrations(journal, limited.filter, rowsMax) : noPages(),
        new ListTable(registrationList, width),
        foundRegistrationView.json,
      );
    return { search, isNarrowed: limited?.isNarrowed ?? false };
  };
}

async function* noPages(): AsyncGenerator<{ readonly found: readonly never[]; readonly isMore: boolean }> {
  yield { found: [], isMore: false };
}

/** Yields the pages as they are read, then the text below them. */
async function* showPages<Found>(
  pages: AsyncIterable<{ readonly found: readonly Found[]; readonly isMore: boolean }>,
  table: ListTable<Found>,
  describeOne: (found: Found) => object,
): AsyncGenerator<ShownPage> {
  let isMore = false;
  for await (const page of pages) {
    isMore = page.isMore;
    yield { lines: table.show(page.found), records: page.found.map(describeOne), end: undefined };
  }
  yield { lines: toLines([]), records: [], end: table.end(isMore) };
}

interface ListOptions {
  readonly status?: readonly (PayoutStatus | RegistrationStatus)[] | undefined;
  readonly hold?: HoldReason | RegistrationHold | undefined;
  readonly alarms: boolean;
  readonly batch?: string | undefined;
  readonly reference?: string | undefined;
  readonly amount?: string | undefined;
  readonly payee?: string | undefined;
  readonly account?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** Filters for both kinds of rows. */
function readShared({ alarms, batch, reference, ...options }: ListOptions) {
  const since = options.since === undefined ? undefined : readDayOption('--since', options.since);
  const until = options.until === undefined ? undefined : readDayOption('--until', options.until);
  if (since !== undefined && until !== undefined && since.startMs > until.startMs)
    throw new SettingsError('--since is after --until');
  return {
    isAlarm: alarms || undefined,
    batchId: batch?.toUpperCase(),
    reference: reference?.trim(),
    sinceMs: since?.startMs,
    untilMs: until?.endMs,
  };
}

/** The given values that these rows can have. @throws SettingsError for any other value */
function keepKnown<Known extends string>(
  option: string,
  given: readonly string[],
  known: readonly Known[],
  isOfRegistrations: boolean,
): readonly Known[] {
  return given.map((value) => {
    const found = known.find((one) => one === value);
    if (found !== undefined) return found;
    const other = isOfRegistrations
      ? `no registration has --${option} ${value}; leave out --registrations to list payouts`
      : `no payout has --${option} ${value}; add --registrations to list registrations`;
    throw new SettingsError(other);
  });
}

function refuse(option: string, value: unknown, cure: string): void {
  if (value !== undefined) throw new SettingsError(`--${option} is not for these rows: ${cure}`);
}

/** @throws SettingsError naming an option that makes no sense */
function readRegistrationFilter(options: ListOptions): RegistrationFilter {
  const ofPayouts = 'leave out --registrations to list payouts';
  refuse('amount', options.amount, ofPayouts);
  refuse('payee', options.payee, ofPayouts);
  const [hold] = keepKnown('hold', options.hold === undefined ? [] : [options.hold], registrationHolds, true);
  const account = options.account?.replaceAll(/[\s*-]/g, '');
  if (account !== undefined && !/^\d+$/.test(account))
    throw new SettingsError('--account takes the digits of an account number, or its last ones');
  return {
    ...readShared(options),
    statuses: keepKnown('status', options.status ?? [], registrationStatuses, true),
    hold,
    accountEnd: account,
  };
}

/** @throws SettingsError naming an option that makes no sense */
function readFilter(options: ListOptions): PayoutFilter {
  refuse('account', options.account, 'add --registrations to list registrations');
  const { amount, payee } = options;
  const amountSatang = amount === undefined ? undefined : parseBaht(amount.replaceAll(',', ''));
  if (amount !== undefined && amountSatang === undefined)
    throw new SettingsError(`--amount takes baht such as 1250.00, not "${amount}"`);
  const [hold] = keepKnown('hold', options.hold === undefined ? [] : [options.hold], holdReasons, false);
  return {
    ...readShared(options),
    statuses: keepKnown('status', options.status ?? [], payoutStatuses, false),
    hold,
    amountSatang,
    payee: payee === undefined ? undefined : parsePayee(payee),
  };
}
