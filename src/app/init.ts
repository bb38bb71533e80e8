/** `paydrop init`: begins a journal. Only a person can tell a new journal from one that was lost. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { systemClock } from '../platform/clock.ts';
import { nameTerminals } from '../payout/rules/journal-place.ts';
import { AtomicFile, publishFile } from '../platform/durable-file.ts';
import { SettingsError } from '../settings/secrets.ts';
import type { LoadedSettings } from '../settings/settings.ts';
import { describePlace, findJournalPlace, makeAtPlace } from './journal/place.ts';
import { describeIdentity, openReadOnlyJournal } from './open-store.ts';
import { findTraces } from './traces.ts';

/** Address in the template; it belongs to no bank. */
const templateAddress = 'https://bank.example';

/** The least that a bank needs, with blanks to fill in. */
const template = `# paydrop's settings. Fill in what your bank gave you, then run "paydrop init" again, which makes the journal.
# Every other key has a default: docs/settings.md. Paths hang on this file's folder.

dataDir: ./paydrop-data          # journal and folders; on a disk of its own that is always mounted before paydrop starts

bank:
  baseUrl: ${templateAddress}  # the bank's address; "sandbox" rehearses with the built-in bank
  clientId: my-app
  clientSecretFile: ./secret     # chmod 600; or the variable PAYDROP_CLIENT_SECRET
  channelId: PAYDROP
  termId: TERM0001               # a terminal of this journal's own
  companyId: COMP000001
  payerAccount: '0000345924'     # in quotes, or leading zeros are lost

limits:
  bahtPerPayout: 2000000         # a row above it waits for a person: set it to the most that you really pay
  bahtPerBatch: 0                # a file above it is rejected; 0: none

transfer:
  concurrency: 4                 # transfers at a time: what your bank agrees to

# notices:                       # who hears of a halt or a rejected file
#   webhookUrl: https://hooks.example/paydrop
#   webhookSecretFile: ./webhook-secret
#   command: [/usr/local/bin/on-paydrop]

# approval:                      # what a batch waits for before it is paid; users first: docs/review.md
#   when: above                  # or always
#   baht: 500000
#   people: 2                    # one proposes it, another approves it

# registration:                  # direct debits to be registered: docs/registration.md
#   vendorId: VENDOR0001         # company code of rows that name none
#   companyId: COMP000001
#   callbacks:
#     port: 8090                 # where the bank tells how each ended, through a proxy that speaks TLS, or with tls:
#     keysFile: ./callback-keys  # chmod 600; or the variable PAYDROP_CALLBACK_KEYS

# input:
#   control: trailer             # demand control totals, so that no file can lose a row unnoticed
`;

/** Writes a settings template where no settings exist. @returns its path; undefined where settings exist */
export async function writeSettingsIfMissing(configPath: string): Promise<string | undefined> {
  const path = resolve(configPath);
  if (existsSync(path)) return undefined;
  await using file = await AtomicFile.open(path);
  await file.write(template);
  await publishFile(await file.finish());
  return path;
}

/** A new journal. */
interface BegunJournal {
  readonly journalId: string;
  readonly dataDir: string;
  readonly bankAddress: string;
  readonly companyId: string;
  readonly isSandbox: boolean;
  /** Address of the database, without user and password; null for SQLite in `dataDir`. */
  readonly database: string | null;
  /** False on a network or FUSE file system, and for a database: a copy of the file goes unnoticed. */
  readonly isBoundToFile: boolean;
}

/**
 * Makes the journal.
 * @param sentFrom terminals from which payouts were sent before, as a person states
 * @throws SettingsError where the folders bear traces of another journal
 * @throws JournalRefusedError where a journal exists, or existed
 */
export async function initJournal(
  loaded: LoadedSettings,
  sentFrom: readonly string[],
): Promise<BegunJournal> {
  requireFilledIn(loaded);
  const { dataDir, isSandbox } = loaded;
  const stamp = describeIdentity(loaded);
  const { acquireSenderLock } = await import('./sender-lock.ts');
  // Checks first without the lock, whose file would appear in a folder where nothing is to be made.
  await requireNone(loaded);
  const lock = await acquireSenderLock(dataDir, 'init');
  if ('heldBy' in lock)
    throw new SettingsError(`another paydrop process works in ${dataDir}: it has a journal`);
  await using stack = new AsyncDisposableStack();
  stack.use(lock);
  await requireNone(loaded);
  const place = findJournalPlace(loaded);
  await using journal = await makeAtPlace(loaded, stamp, sentFrom, systemClock.now());
  const { identifyFile } = await import('../platform/file-identity.ts');
  const isBoundToFile = place.kind === 'file' && identifyFile(place.path) !== undefined;
  const database = place.kind === 'file' ? null : place.address.name;
  const { bankAddress, companyId } = stamp;
  return {
    journalId: journal.journalId,
    dataDir,
    bankAddress,
    companyId,
    isSandbox,
    database,
    isBoundToFile,
  };
}

/** Refuses the template's bank and company: a journal is bound to both for good. */
function requireFilledIn({ settings, path }: LoadedSettings): void {
  if (settings.bank.baseUrl !== templateAddress) return;
  throw new SettingsError(
    `bank.baseUrl in ${path} is still ${templateAddress}: fill in what your bank gave you, then run it again`,
  );
}

async function requireNone(loaded: LoadedSettings): Promise<void> {
  await using there = await openReadOnlyJournal(loaded);
  if (there !== undefined)
    throw new SettingsError(`there is a journal ${describePlace(loaded)} already: nothing is to be made`);
  const traces = await findTraces(loaded.folders);
  if (traces.length > 0) throw describeTraces(traces);
}

const describeTraces = (traces: readonly string[]): SettingsError =>
  new SettingsError(
    `another journal has worked with these folders (${traces.join(', ')}), and a new one would pay again what that one ` +
      'paid. Correct dataDir or --data-dir if it is elsewhere, or mount its volume; if it is lost, ' +
      `"paydrop run --journal-lost --since YYYY-MM-DD FILE.." asks the bank before it pays, ${nameTerminals}. ` +
      'Set other folders only if this is another company, or other payouts',
  );
