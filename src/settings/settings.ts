/**
 * The settings: one YAML file, checked key by key (schema.ts has every key and default). Every message names the key
 * and the cure.
 */
import { readFileSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { parseBaht, type Satang } from '../core/money.ts';
import { maskDigits } from '../core/proxy-id.ts';
import { findOpenJournalHost, hasPassword, maskJournalUrl } from './journal-url.ts';
import { describeComplaint, describeIssues } from './messages.ts';
import {
  amountKeys,
  type FolderName,
  folderNames,
  sandboxBaseUrl,
  type Settings,
  settingsSchema,
} from './schema.ts';
import {
  type CallbackKeysReading,
  type CredentialsReading,
  type Environment,
  maskWebAddress,
  othersMask,
  readCallbackKeys,
  readCredentials,
  readJournalUrl,
  readPersonToken,
  readWebhookSecret,
  type SecretReading,
  SettingsError,
} from './secrets.ts';
import { parseSettingsText, type SettingsDocument } from './yaml.ts';

export type { Settings } from './schema.ts';

/** The folders that a file passes through; absolute paths. */
export type Folders = Readonly<Record<FolderName, string>>;

/** Limits on one file and one payout; null means no limit. */
interface Limits {
  readonly rowsPerFile: number | null;
  readonly bytesPerFile: number | null;
  readonly satangPerPayout: Satang | null;
  readonly satangPerBatch: Satang | null;
}

/** A note for operators about the settings, for example about a changed meaning. */
interface SettingsNote {
  /** Code by which the journal remembers that the note was shown. */
  readonly code: string;
  readonly text: string;
}

/** The settings with the facts that follow from their place. */
export interface LoadedSettings {
  /** Notes shown to an operator when a command begins to send, once in the life of a journal. */
  readonly notes: readonly SettingsNote[];
  readonly settings: Settings;
  /** Absolute path of the settings file. */
  readonly path: string;
  /**
   * True for a rehearsal, as shown on every screen and file: bank.baseUrl is `sandbox`, or a server that identifies
   * itself as one.
   */
  readonly isSandbox: boolean;
  /** Kind of server at a loopback address, by its own answer; undefined when it was not asked, or gave none. */
  readonly serverKind?: 'sandbox' | 'bank' | undefined;
  /** Absolute path. */
  readonly dataDir: string;
  /** The data directory given in place of the settings' one. */
  readonly dataDirOption?: string | undefined;
  readonly folders: Folders;
  readonly limits: Limits;
  /** Read now, but required only by a command that contacts the bank: see requireCredentials. */
  readonly credentials: CredentialsReading;
  /**
   * Address of the journal's database, empty for SQLite in `dataDir`; required only by a command that opens it: see
   * requireJournalUrl.
   */
  readonly journalUrl: SecretReading;
  readonly notices: NoticeSettings;
  readonly callbacks: CallbackSettings;
  /**
   * Token of the user of the command; undefined without one. Required only by a command that needs the user's identity.
   */
  readonly personToken?: SecretReading | undefined;
}

interface NoticeSettings {
  /** Empty: no webhook. */
  readonly webhookUrl: string;
  /** Read now, but required only by a command that posts notices: see requireWebhook. Undefined without a webhook. */
  readonly webhookSecret: SecretReading | undefined;
  /** A program, by absolute path or in PATH, and its arguments; empty: none. */
  readonly command: readonly string[];
}

/** Values resolved from `settings.registration.callbacks`. */
interface CallbackSettings {
  /** Read now, but required only by a command that listens: see requireCallbackKeys. */
  readonly keys: CallbackKeysReading;
  /** Absolute paths; undefined: plain HTTP. */
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
}

interface SettingsSources {
  /** Option --config, relative to `cwd`. */
  readonly configPath?: string | undefined;
  /** Option --data-dir, relative to `cwd`. */
  readonly dataDir?: string | undefined;
  /** Absolute path. */
  readonly cwd: string;
  readonly env: Environment;
}

const defaultFileName = 'paydrop.yaml';
const settingsBytesMax = 1_048_576;

/**
 * Finds, reads and checks the settings.
 * @throws SettingsError with every wrong key, or what to do when there is no file
 */
export function loadSettings(sources: SettingsSources): LoadedSettings {
  const path = resolve(sources.cwd, sources.configPath ?? defaultFileName);
  const text = readSettingsFile(path, sources.configPath !== undefined);
  const document = parseSettingsText(text, path, amountKeys);
  if (document.value === null || document.value === undefined) {
    throw new SettingsError(`${path} is empty: docs/install.md shows the settings a bank needs`);
  }
  const parsed = settingsSchema.safeParse(document.value);
  if (!parsed.success) throw new SettingsError(describeIssues(parsed.error.issues, document, path));
  const settings = parsed.data;
  const contradiction = findContradiction(settings);
  if (contradiction !== undefined)
    throw new SettingsError(describeComplaint(document, path, ...contradiction));
  const notes = hasIntentAgeZero(document.value) ? [intentAgeNote] : [];
  const openKey = isOpenToAll(path) ? findOwnSecret(settings) : undefined;
  if (openKey !== undefined) notes.push(describeOpenSecret(openKey, path));
  const resolved = resolveSettings(settings, path, sources, document);
  if (settings.bank.accessToken === 'shared' && resolved.journalUrl.ok && resolved.journalUrl.secret === '')
    throw new SettingsError(describeComplaint(document, path, 'bank.accessToken', sharedAlone));
  const openHost = resolved.journalUrl.ok ? findOpenJournalHost(resolved.journalUrl.secret) : undefined;
  if (openHost !== undefined) notes.push(describeOpenJournal(openHost));
  return { ...resolved, notes };
}

const sharedAlone =
  'is "shared", which is for machines that work one journal in a database: set journal.url, or leave it out';

/** True when users other than owner and group may read the file. */
const isOpenToAll = (path: string): boolean =>
  process.platform !== 'win32' && (statSync(path).mode & othersMask) !== 0;

/** A secret in the settings file itself; secrets of a bank on this machine are worthless on any other. */
function findOwnSecret({ bank, journal, notices, registration }: Settings): string | undefined {
  const isReal = bank.baseUrl.startsWith('https:');
  if (isReal && bank.clientSecret !== undefined) return 'bank.clientSecret';
  if (isReal && registration.callbacks.keys.length > 0) return 'registration.callbacks.keys';
  if (hasPassword(journal.url)) return 'journal.url';
  return notices.webhookSecret === undefined ? undefined : 'notices.webhookSecret';
}

/**
 * A note, not a refusal: an installation that has paid with such a file goes on. A separate secret file with these
 * rights is refused.
 */
const describeOpenSecret = (key: string, path: string): SettingsNote => ({
  code: 'secret-open',
  text: `${key} stands in ${path}, which every user of this machine may read: run chmod 600 ${path}, or name a file of its own with ${key}File`,
});

const describeOpenJournal = (host: string): SettingsNote => ({
  code: 'journal-in-clear',
  text: `the journal at ${host} is read and written without TLS: any machine on the way can read and change the payments; add ?sslmode=verify-full to its address`,
});

/** True for an explicit 0, which may have been meant in its earlier sense. */
function hasIntentAgeZero(written: unknown): boolean {
  const found = z.object({ settle: z.object({ intentMaxAgeMs: z.literal(0) }) }).safeParse(written);
  return found.success;
}

const intentAgeNote: SettingsNote = {
  code: 'intent-age-zero',
  text:
    'settle.intentMaxAgeMs is 0: before, nothing was ever sent then; now the same transfer may go again until 15 minutes ' +
    'before midnight, under all the other rules (settle.resendsMax: 0 sends nothing again)',
};

/** Path of the packaged rehearsal settings, as typed in a folder. */
function packagedSettingsFrom(folder: string): string {
  const path = fileURLToPath(new URL('../../config/sandbox.yaml', import.meta.url));
  const here = relative(folder, path);
  return here.startsWith('..') || isAbsolute(here) ? path : here;
}

function readSettingsFile(path: string, isNamed: boolean): string {
  const stats = tryReading(path, () => statSync(path, { throwIfNoEntry: false }));
  if (stats === undefined) {
    throw new SettingsError(
      isNamed
        ? `there is no settings file ${path}: correct --config`
        : `no settings: there is no ${defaultFileName} in ${dirname(path)}. "paydrop init" writes one to fill in; or name ` +
            `one with --config FILE (${packagedSettingsFrom(dirname(path))} rehearses against the built-in sandbox bank)`,
    );
  }
  if (!stats.isFile()) throw new SettingsError(`${path} is not a file: name the settings file itself`);
  if (stats.size > settingsBytesMax) throw new SettingsError(`${path} is too large to be a settings file`);
  const bytes = tryReading(path, () => readFileSync(path));
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new SettingsError(`${path} is not UTF-8: save it in that encoding`, { cause: error });
  }
}

function tryReading<Result>(path: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw new SettingsError(`${path} cannot be read: check its owner and permissions`, { cause: error });
  }
}

/** A key of the settings, and its fault. */
type Complaint = readonly [key: string, complaint: string];

/** Finds two keys that set the same value. */
function findDouble({ bank, journal, notices, registration }: Settings): Complaint | undefined {
  const { keys, keysFile } = registration.callbacks;
  const doubles = [
    ['bank.clientSecret', bank.clientSecret !== undefined && bank.clientSecretFile !== undefined],
    ['journal.url', journal.url !== '' && journal.urlFile !== undefined],
    ['notices.webhookSecret', notices.webhookSecret !== undefined && notices.webhookSecretFile !== undefined],
    ['registration.callbacks.keys', keys.length > 0 && keysFile !== ''],
  ] as const;
  const [key] = doubles.find(([, isDouble]) => isDouble) ?? [];
  return key === undefined ? undefined : [`${key}File`, `stands here beside ${key}: remove one of the two`];
}

/** Least trust time in ms of "not found" with a real bank, which may take this long over a request. */
const notFoundTrustMinMs = 30_000;

/** Finds values that contradict each other. */
function findContradiction(settings: Settings): Complaint | undefined {
  const { bank, settle, approval } = settings;
  const { firstDelayMs, maxDelayMs, notFoundTrustMs } = settle;
  if (firstDelayMs > maxDelayMs)
    return [
      'settle.firstDelayMs',
      `is ${firstDelayMs}, longer than settle.maxDelayMs: lower it to ${maxDelayMs}, or raise settle.maxDelayMs to ${firstDelayMs}`,
    ];
  const trustMinMs = Math.max(notFoundTrustMinMs, bank.timeoutMs);
  if (bank.baseUrl.startsWith('https:') && notFoundTrustMs < trustMinMs)
    return [
      'settle.notFoundTrustMs',
      `is ${notFoundTrustMs}: the bank may have the request before it knows the transfer, and a request is on its way for up to ` +
        `bank.timeoutMs; raise it to ${trustMinMs}`,
    ];
  if (approval.when === 'above' && parseBaht(approval.baht) === 0n)
    return [
      'approval.when',
      'is "above" and approval.baht is 0: say in approval.baht above how many baht a batch waits, or "always" here',
    ];
  return findDouble(settings);
}

/** True when a sandbox is to be started with the program, for its own use. */
export const isBuiltInSandbox = ({ bank }: Settings): boolean => bank.baseUrl === sandboxBaseUrl;

function resolveSettings(
  settings: Settings,
  path: string,
  sources: SettingsSources,
  document: SettingsDocument,
): Omit<LoadedSettings, 'notes'> {
  const { bank, journal, notices, limits, registration } = settings;
  const { env } = sources;
  // Paths are relative to the settings file, not to the folder in which the command starts: a journal that moved with
  // that folder would not know the earlier payments, and could repeat them.
  const inSettings = (text: string) => resolve(findBase(path, sources.cwd), text);
  const fileOf = (text: string | undefined) => (text ? inSettings(text) : undefined);
  const dataDir =
    sources.dataDir === undefined ? inSettings(settings.dataDir) : resolve(sources.cwd, sources.dataDir);
  if (isInPackages(dataDir)) {
    throw new SettingsError(
      `the data directory ${dataDir} lies in node_modules, which the next install removes: give another with --data-dir`,
    );
  }
  const isSandbox = isBuiltInSandbox(settings);
  const bankSecret = { value: bank.clientSecret, file: fileOf(bank.clientSecretFile), env };
  const noticeSecret = { value: notices.webhookSecret, file: fileOf(notices.webhookSecretFile), env };
  const { webhookUrl } = notices;
  return {
    settings,
    path,
    isSandbox,
    dataDir,
    dataDirOption: sources.dataDir === undefined ? undefined : dataDir,
    folders: resolveFolders(settings, dataDir, inSettings, (name, complaint) => {
      throw new SettingsError(describeComplaint(document, path, `folders.${name}`, complaint));
    }),
    limits: {
      rowsPerFile: limits.rowsPerFile || null,
      bytesPerFile: limits.bytesPerFile || null,
      satangPerPayout: toLimit(limits.bahtPerPayout),
      satangPerBatch: toLimit(limits.bahtPerBatch),
    },
    credentials: readCredentials(bank.clientId, bankSecret, isSandbox),
    journalUrl: readJournalUrl({ value: journal.url, file: fileOf(journal.urlFile), env }),
    personToken: readPersonToken(fileOf(settings.review.tokenFile), env),
    callbacks: findCallbacks(registration.callbacks, fileOf, env, isSandbox),
    notices: {
      webhookUrl,
      webhookSecret: webhookUrl === '' ? undefined : readWebhookSecret(noticeSecret),
      // A bare name is searched in PATH.
      command: notices.command.map((word, place) =>
        place === 0 && word.includes('/') ? inSettings(word) : word,
      ),
    },
  };
}

function findCallbacks(
  { keys, keysFile, tls }: Settings['registration']['callbacks'],
  fileOf: (text: string) => string | undefined,
  env: Environment,
  isSandbox: boolean,
): CallbackSettings {
  const [certFile, keyFile] = [fileOf(tls.certFile), fileOf(tls.keyFile)];
  return {
    keys: readCallbackKeys(keys, { file: fileOf(keysFile), env }, isSandbox),
    tls: certFile === undefined || keyFile === undefined ? undefined : { certFile, keyFile },
  };
}

const isInPackages = (path: string): boolean => path.split(sep).includes('node_modules');

/**
 * The base of relative paths. Settings inside an installed package are an example: their base is the same place in the
 * present folder.
 */
function findBase(path: string, cwd: string): string {
  const [, inPackage] = /.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+[\\/](.+)$/.exec(path) ?? [];
  return inPackage === undefined ? dirname(path) : join(cwd, dirname(inPackage));
}

function resolveFolders(
  { folders }: Settings,
  dataDir: string,
  inSettings: (text: string) => string,
  refuse: (name: FolderName, complaint: string) => never,
): Folders {
  const owners = new Map<string, FolderName>();
  for (const name of folderNames) {
    const chosen = folders[name];
    const folder = chosen === undefined ? join(dataDir, name) : inSettings(chosen);
    const other = owners.get(folder);
    if (other !== undefined) {
      const [given, beside] = chosen === undefined ? [other, name] : [name, other];
      refuse(given, `is the folder of folders.${beside}, too: each needs its own`);
    }
    owners.set(folder, name);
  }
  return Object.fromEntries([...owners].map(([folder, name]) => [name, folder])) as Folders;
}

function toLimit(baht: string): Satang | null {
  const amount = parseBaht(baht);
  return amount === undefined || amount === 0n ? null : amount;
}

/**
 * The settings in effect, for operators and programs, with secrets and the account masked. The sandbox's table is left
 * out: it is not a setting of paydrop.
 */
export function describeSettings(loaded: LoadedSettings): Record<string, unknown> {
  const { credentials, settings, notices, callbacks, journalUrl } = loaded;
  const { webhookSecret } = notices;
  const { sandbox: _table, ...ours } = settings;
  return {
    settingsFile: loaded.path,
    isSandbox: loaded.isSandbox,
    secretFrom: credentials.ok ? credentials.secretFrom : credentials.message,
    ...(!(journalUrl.ok && journalUrl.secret === '') && {
      journalUrlFrom: journalUrl.ok ? journalUrl.from : journalUrl.message,
    }),
    ...(webhookSecret && {
      webhookSecretFrom: webhookSecret.ok ? webhookSecret.from : webhookSecret.message,
    }),
    ...((callbacks.keys.ok || settings.registration.callbacks.port > 0) && {
      callbackKeysFrom: callbacks.keys.ok ? callbacks.keys.from : callbacks.keys.message,
    }),
    settings: {
      ...ours,
      dataDir: loaded.dataDir,
      folders: loaded.folders,
      bank: {
        ...ours.bank,
        clientId: credentials.ok ? credentials.clientId : (ours.bank.clientId ?? ''),
        clientSecret: credentials.ok ? '****' : '',
        payerAccount: maskDigits(ours.bank.payerAccount),
      },
      journal: { ...ours.journal, url: journalUrl.ok ? maskJournalUrl(journalUrl.secret) : '' },
      notices: {
        ...ours.notices,
        webhookUrl: maskWebAddress(notices.webhookUrl),
        webhookSecret: webhookSecret?.ok === true || ours.notices.webhookSecret !== undefined ? '****' : '',
        command: notices.command.map(maskWebAddress),
      },
      registration: {
        ...ours.registration,
        callbacks: {
          ...ours.registration.callbacks,
          keys: (callbacks.keys.ok ? callbacks.keys.keys : ours.registration.callbacks.keys).map(
            () => '****',
          ),
        },
      },
    },
  };
}
