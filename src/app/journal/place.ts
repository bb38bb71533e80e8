/** The place of the journal, a file of the data directory or a PostgreSQL database, and how it is opened there. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { nameJournalUrl } from '../../settings/journal-url.ts';
import { requireJournalUrl, SettingsError } from '../../settings/secrets.ts';
import type { LoadedSettings } from '../../settings/settings.ts';
import type { JournalOpening } from '../../store/opening.ts';
import type { JournalAddress } from '../../store/postgres/open.ts';
import type { ServerKind } from '../../store/server-kind.ts';
import type { Store } from '../../store/store.ts';

const journalName = 'journal.db';

/** The settings that opening a journal needs. */
export type JournalSettings = Pick<LoadedSettings, 'dataDir' | 'journalUrl'>;

export type JournalPlace =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'database'; readonly address: JournalAddress };

/** @throws SettingsError where the address of a database cannot be read, or is none */
export function findJournalPlace({ dataDir, journalUrl }: JournalSettings): JournalPlace {
  const url = requireJournalUrl(journalUrl);
  if (url === '') return { kind: 'file', path: join(dataDir, journalName) };
  return { kind: 'database', address: { url, name: nameJournalUrl(url) } };
}

/** The journal's name in messages: path of the file, or address of the database without user and password. */
export function nameJournal(settings: JournalSettings): string {
  const place = findJournalPlace(settings);
  return place.kind === 'file' ? place.path : place.address.name;
}

/** "in /data" or "at postgres://…". */
export function describePlace(settings: JournalSettings): string {
  const place = findJournalPlace(settings);
  return place.kind === 'file' ? `in ${settings.dataDir}` : `at ${place.address.name}`;
}

/**
 * The path of the journal's file, for commands that read the file itself.
 * @param instead what to do where the journal is in a database
 * @throws SettingsError for a journal in a database
 */
export function requireJournalFile(settings: JournalSettings, instead: string): string {
  const place = findJournalPlace(settings);
  if (place.kind === 'file') return place.path;
  throw new SettingsError(`the journal is at ${place.address.name}: ${instead}`);
}

/** True where a journal's file exists; false for a database, which only a query could tell. */
export function isFileThere(settings: JournalSettings): boolean {
  const place = findJournalPlace(settings);
  return place.kind === 'file' && (statSync(place.path, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** Opens the journal alongside the sender; undefined when there is none yet. */
export async function openAtPlace(
  settings: JournalSettings,
  stamp: JournalOpening['stamp'],
): Promise<Store | undefined> {
  const place = findJournalPlace(settings);
  const opening = { dataDir: settings.dataDir, stamp };
  if (place.kind === 'file') {
    const { openJournalIfThere } = await import('../../store/open.ts');
    return openJournalIfThere({ ...opening, access: 'beside' });
  }
  const { openDatabaseJournal } = await import('../../store/postgres/open.ts');
  return openDatabaseJournal({ ...opening, access: 'beside' }, place.address);
}

/**
 * Makes the journal, for the owner of the sender lock.
 * @param sentFrom terminals from which payouts were sent before, as a person states
 * @throws JournalRefusedError where a journal exists, or existed
 */
export async function makeAtPlace(
  settings: JournalSettings,
  stamp: JournalOpening['stamp'],
  sentFrom: readonly string[],
  nowMs: number,
): Promise<Store> {
  const place = findJournalPlace(settings);
  const { dataDir } = settings;
  const opening = { dataDir, stamp, sentFrom, nowMs, access: 'own', creation: 'only' } as const;
  if (place.kind === 'file') {
    const { openJournal } = await import('../../store/open.ts');
    return openJournal(opening);
  }
  const { openDatabaseJournal } = await import('../../store/postgres/open.ts');
  const made = await openDatabaseJournal(opening, place.address);
  if (made === undefined) throw new Error('a journal that was to be made was not');
  return made;
}

/** The kind of server at a loopback address, as the journal recorded it; undefined without a readable journal. */
export async function peekAtPlace(settings: JournalSettings): Promise<ServerKind | undefined> {
  const place = findJournalPlace(settings);
  if (place.kind === 'file') {
    const { peekServerKind } = await import('../../store/server-kind.ts');
    return peekServerKind(settings.dataDir, journalName);
  }
  const { peekServerKind } = await import('../../store/postgres/open.ts');
  return peekServerKind(place.address);
}
