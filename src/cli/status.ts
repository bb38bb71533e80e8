/** `paydrop status [BATCH]` and `paydrop show ID`: how batches, days, payouts and registrations stand. */
import { type CommandPlace, paydropCommand } from '../core/command-line.ts';
import { toLines } from '../core/outgoing-text.ts';
import { SettingsError } from '../settings/secrets.ts';
import type { LoadedSettings } from '../settings/settings.ts';
import { flagOption, loadCommandSettings, makeCommand } from './options.ts';
import type { ActiveMachines, SenderLockOwner } from '../app/status.ts';
import type { Journal } from '../app/open-store.ts';
import type { AttentionEntry } from '../attention/rules/entry.ts';
import type { ShownRegistrations } from './views/registration-status.ts';
import type { Shown } from './views/shown.ts';

export const statusCommand = makeCommand({
  command: 'status [batch]',
  describe: 'show the batches, or one batch, with counts and totals, and the days that were reconciled',
  exits: { 0: 'shown', 2: 'there is no such batch' },
  builder: (command) =>
    command
      .positional('batch', { type: 'string', describe: 'a batch id, of payouts or of registrations' })
      .option('statements', flagOption('only the days whose statement was reconciled, all of them'))
      .option('registrations', flagOption('only direct-debit registrations: batches, halts, callbacks'))
      .example('$0 status', 'all batches, the newest first')
      .example('$0 status 7B3KQ0M9ZX --json', 'one batch, for a program')
      .example('$0 status --statements', 'days with their version, open breaks and the oldest of them')
      .example('$0 status --registrations', 'what waits for the bank, and unknown callbacks'),
  run: async ({ batch, statements, registrations, json, ...options }) => {
    const loaded = await loadCommandSettings(options);
    const { findSenderOf, openReadOnlyJournal, readDays, readMachines, readStops } =
      await import('../app/status.ts');
    const { placeShown, print: printShown, printBanner } = await import('./views/shown.ts');
    const place = placeOfOptions(options, loaded);
    const print = (shown: Shown, asJson: boolean): void => printShown(placeShown(shown, place), asJson);
    const { showDays } = await import('./views/status.ts');
    await using journal = await openReadOnlyJournal(loaded);
    const nowMs = Date.now();
    const readAllDays = async () => (journal === undefined ? [] : readDays(journal, nowMs));
    printBanner(loaded, json);
    if (statements) {
      print(showDays(await readAllDays(), nowMs), json);
      return;
    }
    const owner = journal && (await findSenderOf(loaded, journal));
    const isSending = owner !== undefined;
    if (registrations) {
      const { addStops } = await import('./views/status.ts');
      const stops = journal === undefined ? [] : (await readStops(loaded, journal, [], nowMs)).all;
      print(addStops(stops, await showAllRegistrations(loaded, journal, isSending)), json);
      return;
    }
    const shown = await showBatches(loaded, journal, batch, isSending);
    if (!json) await printMachines(loaded, owner, await readMachines(journal));
    const { readEntries } = await import('../app/decide/open.ts');
    const { addEntries } = await import('./views/queue.ts');
    const entries = batch === undefined ? await readEntries(loaded) : [];
    print(addEntries(entries, shown), json);
    if (batch !== undefined || json) return;
    const days = await readAllDays();
    if (days.length > 0) print(showDays(days, nowMs, daysShownMax), json);
    await printWaiting(entries, place);
  },
});

/** The options that commands need to find the same journal; undefined where they were typed without. */
function placeOfOptions(
  { config, dataDir }: { readonly config?: string | undefined; readonly dataDir?: string | undefined },
  { path: settingsPath, dataDirOption }: LoadedSettings,
): CommandPlace | undefined {
  return config === undefined && dataDir === undefined ? undefined : { settingsPath, dataDir: dataDirOption };
}

/** The sender and its helpers, with their speed; nothing without a sender. */
async function printMachines(
  { settings }: LoadedSettings,
  owner: SenderLockOwner | undefined,
  machines: ActiveMachines | undefined,
): Promise<void> {
  const { printText } = await import('./output.ts');
  const { linesOfMachines } = await import('./views/machines.ts');
  const lines = linesOfMachines(owner, machines, settings.bank.requestsPerSecond);
  if (lines.length > 0) printText(toLines([...lines, '']));
}

/** All batches, or the named one, of either kind. @throws SettingsError when there is no such batch */
async function showBatches(
  loaded: LoadedSettings,
  journal: Journal | undefined,
  batch: string | undefined,
  isSending: boolean,
): Promise<Shown> {
  const { describePlace, readBatches, stopBatches } = await import('../app/status.ts');
  const { showList } = await import('./views/shown.ts');
  const { withRegistrations } = await import('./views/registration-status.ts');
  const { addStops, showBatch } = await import('./views/status.ts');
  const named = batch === undefined ? undefined : await showNamedRegistrations(journal, batch, isSending);
  if (named !== undefined) return showList([named], '');
  const batches = await readBatches(journal, batch, loaded.settings.limits);
  if (batches === undefined) throw noSuchBatch(batch);
  const { standings, stops } =
    journal === undefined
      ? { standings: batches, stops: [] }
      : await stopBatches(loaded, journal, batches, Date.now());
  const payouts = standings.map((standing) => showBatch(standing, isSending));
  const none =
    journal === undefined
      ? `No batches yet: there is no journal ${describePlace(loaded)}.`
      : 'No batches yet.';
  const shown =
    batch === undefined
      ? withRegistrations(payouts, none, await showAllRegistrations(loaded, journal, isSending))
      : showList(payouts, none);
  return addStops(stops, shown);
}

/** Every batch of registrations, and the state of all registrations together. */
async function showAllRegistrations(
  { settings }: LoadedSettings,
  journal: Journal | undefined,
  isSending: boolean,
): Promise<ShownRegistrations> {
  const { nothingStands, readDirectDebit, readRegistrationBatches } =
    await import('../app/registration/standing.ts');
  const { showRegistrations } = await import('./views/registration-status.ts');
  if (journal === undefined) return showRegistrations([], nothingStands, isSending);
  const all = await readDirectDebit(journal, settings.bank.companyId);
  const batches = await readRegistrationBatches(journal, await journal.registrationBatches());
  return showRegistrations(batches, all, isSending);
}

/** A batch by its id; undefined when it is no batch of registrations. */
async function showNamedRegistrations(
  journal: Journal | undefined,
  name: string,
  isSending: boolean,
): Promise<Shown | undefined> {
  const { readRegistrationBatches } = await import('../app/registration/standing.ts');
  const { findAnyBatch } = await import('../review/shell/named-targets.ts');
  const { showRegistrationBatch } = await import('./views/registration-status.ts');
  const found = journal && (await findAnyBatch(journal, name));
  if (journal === undefined || found?.kind !== 'registrations') return undefined;
  const [standing] = await readRegistrationBatches(journal, [found.batch]);
  return standing && showRegistrationBatch(standing, isSending);
}

/** The other things that need a person; nothing without one. */
export async function printWaiting(entries: readonly AttentionEntry[], place?: CommandPlace): Promise<void> {
  const { printText } = await import('./output.ts');
  const { linesOfWaiting } = await import('./views/queue.ts');
  const lines = linesOfWaiting(entries, place);
  if (lines.length > 0) printText(toLines(['', ...lines]));
}

/** Days shown below the batches, besides those with open breaks. */
const daysShownMax = 10;

export const showCommand = makeCommand({
  command: 'show <id>',
  describe: 'show one payout or one registration with its whole history',
  exits: { 0: 'shown', 2: 'there is none' },
  builder: (command) =>
    command
      .positional('id', {
        type: 'string',
        demandOption: true,
        describe: 'a payoutId or a transRefNo; or a registrationId, a requestUID or a ddrOapiSeqId',
      })
      .example('$0 show INV-2026-0001', 'everything that happened to it')
      .example('$0 show PD8S3K0Q2M7XW1VZ5T01', 'the same, found by the reference that the bank knows')
      .example('$0 show REG-0001', 'a registration, with its callbacks'),
  run: async ({ id, json, ...options }) => {
    const loaded = await loadCommandSettings(options);
    const { findPayouts } = await import('../app/status.ts');
    const { findRegistrations } = await import('../app/registration/standing.ts');
    const { placeShown, print, printBanner, showList } = await import('./views/shown.ts');
    const { showPayout } = await import('./views/status.ts');
    const { showRegistration } = await import('./views/registration-status.ts');
    const payouts = await findPayouts(loaded, id);
    const registrations = await findRegistrations(loaded, id);
    const shown = [...payouts.found.map(showPayout), ...registrations.found.map(showRegistration)];
    if (shown.length === 0) {
      if (registrations.isReference && !payouts.isReference) throw noSuchRegistration(id);
      throw noSuchPayout(id, payouts.isReference);
    }
    printBanner(loaded, json);
    print(placeShown(showList(shown, '', '\n\n'), placeOfOptions(options, loaded)), json);
  },
});

function noSuchRegistration(name: string): SettingsError {
  const list = paydropCommand(undefined, 'list', '--registrations', '--reference', name);
  return new SettingsError(
    `no registration has the registrationId, requestUID or ddrOapiSeqId ${name}; as another reference it is there: ` +
      `"${list}" lists the rows`,
  );
}

export function noSuchPayout(name: string, isReference: boolean): SettingsError {
  const list = paydropCommand(undefined, 'list', '--reference', name);
  const way = isReference
    ? `as another reference it is there: "${list}" lists the rows`
    : '"paydrop list" finds payouts by name, number, amount and more';
  return new SettingsError(`no payout has the payoutId or transRefNo ${name}; ${way}`);
}

export const noSuchBatch = (batchId: string | undefined): SettingsError =>
  new SettingsError(`there is no batch ${batchId}; "paydrop status" lists them all`);
