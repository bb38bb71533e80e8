/** The open exceptions on request: on a screen, or as a file to fill in. */
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, extname, resolve } from 'node:path';
import { dayMs } from '../core/bangkok-time.ts';
import { printable } from '../core/outgoing-text.ts';
import { systemClock } from '../platform/clock.ts';
import { removeOldTemporaries } from '../platform/durable-file.ts';
import {
  type ExceptionSource,
  findExceptions,
  type OpenExceptions,
  writeExceptionsCsv,
  writeExceptionsWorkbook,
} from '../reports/open-exceptions.ts';
import { countRegistrationExceptions } from '../registration/rules/report-rows.ts';
import { registrationTables } from '../registration/rules/report-tables.ts';
import { openOutbox } from '../reports/outbox.ts';
import { payoutTables } from '../reports/rules/payout-tables.ts';
import { countExceptions } from '../reports/rules/report-rows.ts';
import type { ReportTables } from '../reports/rules/report-tables.ts';
import { SettingsError } from '../settings/secrets.ts';
import type { LoadedSettings } from '../settings/settings.ts';
import { requireJournal } from './open-store.ts';
import { findAnyBatch } from '../review/shell/named-targets.ts';

export { formatExceptions } from '../reports/open-exceptions.ts';

/**
 * The open exceptions as of now, read alongside the sender; the caller closes them.
 * @param name of a batch of either kind; exceptions of all batches when left out
 * @param ofRegistrations without a name: those of all registrations instead of all payouts
 * @returns undefined when there is no such batch
 * @throws SettingsError without a journal
 */
export async function openExceptions(
  loaded: LoadedSettings,
  name: string | undefined,
  ofRegistrations: boolean,
): Promise<(OpenExceptions & AsyncDisposable) | undefined> {
  await using opened = new AsyncDisposableStack();
  const store = opened.use(await requireJournal(loaded));
  const named = name === undefined ? undefined : await findAnyBatch(store, name);
  if (name !== undefined && named === undefined) return undefined;
  const isOfRegistrations = named === undefined ? ofRegistrations : named.kind === 'registrations';
  const batches = named && [named.batch];
  const open = isOfRegistrations
    ? await findIn(
        registrationTables,
        opened.use(await store.registrationReports.snapshot()),
        countRegistrationExceptions,
        batches ?? (await store.registrationBatches()),
      )
    : await findIn(
        payoutTables,
        opened.use(await store.snapshot()),
        countExceptions,
        batches ?? (await store.batches()),
      );
  const kept = opened.move();
  return { ...open, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** The exceptions among the rows of one kind, as of the moment of a snapshot. */
const findIn = <Row extends { readonly extras: readonly string[] }, Totals>(
  tables: ReportTables<Row>,
  snapshot: Pick<ExceptionSource<Row>, 'batch' | 'resultRows'> & {
    totals(batchId: string): Promise<Totals>;
  },
  count: (totals: Totals) => number,
  batches: readonly { readonly batchId: string }[],
): Promise<OpenExceptions> =>
  findExceptions(
    {
      tables,
      batch: (batchId) => snapshot.batch(batchId),
      countExceptions: async (batchId) => count(await snapshot.totals(batchId)),
      resultRows: (batchId) => snapshot.resultRows(batchId),
    },
    batches,
  );

/** The file that was written. */
export interface WrittenExceptions {
  readonly path: string;
  readonly rows: number;
  readonly batches: number;
  /** True when a workbook was asked for and the rows exceed its limit: the file is CSV. */
  readonly isTooLong: boolean;
}

const workbookEnding = '.xlsx';

/** @throws SettingsError for a name that says no form, or that exists */
function choosePath(
  out: string,
  rows: number,
  rowsMax: number,
): Pick<WrittenExceptions, 'path' | 'isTooLong'> {
  const asked = resolve(out);
  const ending = extname(asked);
  const isWorkbook = ending.toLowerCase() === workbookEnding;
  if (!isWorkbook && ending.toLowerCase() !== '.csv')
    throw new SettingsError(
      `--out ${out}: give a name that ends in .xlsx or .csv, which says what is written`,
    );
  const isTooLong = isWorkbook && rows > rowsMax;
  const path = isTooLong ? `${asked.slice(0, -ending.length)}.csv` : asked;
  if (existsSync(path))
    throw new SettingsError(`${path} is there already: give another name, nothing is overwritten`);
  return { path, isTooLong };
}

/**
 * Writes the exceptions into a file, as a workbook or as CSV by its name; a workbook of too many rows becomes CSV.
 * @throws SettingsError for a name that says no form, or that exists
 */
export async function writeExceptions(
  { settings, isSandbox }: LoadedSettings,
  open: OpenExceptions,
  out: string,
): Promise<WrittenExceptions> {
  const { path, isTooLong } = choosePath(out, open.rows, settings.output.workbookRows);
  const [folder, name] = [dirname(path), basename(path)];
  await requireFolder(folder);
  const outbox = await openOutbox(folder);
  const nowMs = systemClock.now();
  // Left by a process that was killed while writing; no write takes a day.
  await removeOldTemporaries(folder, new RegExp(`^${RegExp.escape(name)}$`), nowMs - dayMs);
  try {
    if (extname(path).toLowerCase() === workbookEnding)
      await writeExceptionsWorkbook(outbox, name, open, { isSandbox, nowMs });
    else await writeExceptionsCsv(outbox, name, open);
  } catch (error) {
    await outbox.discardUnpublished().catch(() => undefined);
    throw error;
  }
  return { path, rows: open.rows, batches: open.batches.length, isTooLong };
}

/** Creates no folder: a mistyped name must not make one. @throws SettingsError where there is none */
async function requireFolder(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory() !== true)
    throw new SettingsError(`--out: there is no folder ${printable(folder)}; make it first`);
}
