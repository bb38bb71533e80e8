/**
 * The settings: one YAML file, checked key by key (schema.ts has every key and default). Every message names the key
 * and the cure.
 */
import { readFileSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { parseBaht, type Satang } from '../core/money.ts';
import { findNearest } from '../core/nearest.ts';
import { type FolderName, folderNames } from './files-schema.ts';
import { findOpenJournalHost, hasPassword } from './journal-url.ts';
import { amountKeys, sandboxBaseUrl, type Settings, settingsSchema } from './schema.ts';
import {
  type CallbackKeysReading,
  type CredentialsReading,
  type Environment,
  othersMask,
  readCallbackKeys,
  readCredentials,
  readJournalUrl,
  readPersonToken,
  readWebhookSecret,
  type SecretReading,
  SettingsError,
  showFound,
} from './secrets.ts';
import {
  type Document,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type YAMLError,
} from 'yaml';

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

// ---------------------------------------------------------------- the file as YAML: its values, and the line of each key

type KeyPath = readonly (string | number)[];

interface SettingsDocument {
  readonly value: unknown;
  /** Line (from 1) of the key at this path, or of the nearest existing section. */
  lineOf(path: KeyPath): number;
}

/**
 * Parses the text of a settings file. Numbers under `textKeys` are returned as their text in the file.
 * @throws SettingsError naming line and column; it never quotes the line, which may contain a secret
 */
function parseSettingsText(text: string, fileName: string, textKeys: readonly KeyPath[]): SettingsDocument {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  const problem = document.errors[0] ?? document.warnings[0];
  if (problem !== undefined) {
    const { line, col } = lines.linePos(problem.pos[0]);
    throw new SettingsError(
      `${fileName}, line ${line}, column ${col}: not readable as YAML: ${explainProblem(problem, text)}`,
    );
  }
  for (const path of textKeys) keepAsText(document, path);
  return {
    value: toPlainValue(document, fileName),
    lineOf: (path) => lines.linePos(findOffset(document, path)).line,
  };
}

/** A key before its colon, without any part of a value, which may be a secret. */
const keyPattern = /^[a-z][A-Za-z0-9]{1,40}(?=\s*:)/;

/** The fault in words that name the key, if the parser's do not. */
function explainProblem({ code, message, pos }: YAMLError, text: string): string {
  const [key] = keyPattern.exec(text.slice(pos[0])) ?? [];
  if (code === 'DUPLICATE_KEY' && key !== undefined)
    return `${key} stands here for the second time: put all of it into one place`;
  return message;
}

function keepAsText(document: Document.Parsed, path: KeyPath): void {
  const node = document.getIn(path, true);
  if (isScalar(node) && typeof node.value === 'number' && node.source !== undefined) node.value = node.source;
}

function toPlainValue(document: Document.Parsed, fileName: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    throw new SettingsError(`${fileName}: not readable as YAML: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** Finds the start of the key, or the list item, at `path`; else of the deepest section above it. */
function findOffset(document: Document.Parsed, path: KeyPath): number {
  let node: unknown = document.contents;
  let offset = 0;
  for (const key of path) {
    const pair = isMap(node)
      ? node.items.find((item) => isScalar(item.key) && item.key.value === key)
      : undefined;
    const item = isSeq(node) ? node.items[Number(key)] : undefined;
    const start = pair?.key ?? item;
    if (!isNode(start)) return offset;
    offset = start.range?.[0] ?? offset;
    node = pair?.value ?? item;
  }
  return offset;
}

// ---------------------------------------------------------------- messages that name the key, its value, and the cure

type Issue = z.core.$ZodIssue;

/** One message for all faults of a settings file, one line each. */
function describeIssues(issues: readonly Issue[], document: SettingsDocument, fileName: string): string {
  // A number beyond all integers breaks two rules; it is reported once.
  const keys = issues.map(({ path, code }) => `${code} ${path.join('.')}`);
  const firsts = issues.filter((_, place) => keys.indexOf(keys[place] ?? '') === place);
  const lines = firsts.flatMap((issue) => describeIssue(issue, document));
  const [only] = lines;
  if (lines.length === 1 && only !== undefined) return `${fileName}: ${only}`;
  return [`${fileName}: ${lines.length} settings are wrong`, ...lines.map((line) => `  ${line}`)].join('\n');
}

function describeIssue(issue: Issue, document: SettingsDocument): string[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => complainAt(document, [...path, key], explainUnknownKey(key, path)));
  }
  const found = valueAt(document.value, path);
  return [complainAt(document, path, explain(issue, path, found))];
}

/**
 * The message of a complaint from outside the schema.
 * @param key such as `bank.termId`
 */
const describeComplaint = (
  document: SettingsDocument,
  fileName: string,
  key: string,
  complaint: string,
): string => `${fileName}: ${complainAt(document, key.split('.'), complaint)}`;

function complainAt(document: SettingsDocument, path: readonly string[], complaint: string): string {
  const name = path.length === 0 ? 'the file' : path.join('.');
  return `${name} (line ${document.lineOf(path)}): ${complaint}`;
}

function explainUnknownKey(key: string, path: readonly string[]): string {
  const known = knownKeys(path);
  const nearest = findNearest(key, known);
  if (nearest !== undefined) return `unknown key: did you mean ${nearest}?`;
  return `unknown key: known here are ${known.join(', ')}`;
}

function explain(issue: Issue, path: readonly string[], found: unknown): string {
  if (found === undefined) return `is missing: ${cureForMissing(path)}`;
  const shown = showFound(path, found);
  if (issue.code === 'invalid_type' && issue.expected === 'string' && typeof found === 'number') {
    const form = forms[path.join('.')];
    if (form !== undefined) return `is a number here: ${form}`;
    return 'is a number here, which loses leading zeros: put the value in quotes';
  }
  if (issue.code === 'invalid_type') {
    const isQuoted = typeof found === 'string' && quotableTypes.has(issue.expected) && isPlain(found);
    const cure = isQuoted ? ': take the quotes away' : '';
    return `must be ${typeNames[issue.expected] ?? issue.expected}, found ${shown}${cure}`;
  }
  if (issue.code === 'invalid_value') {
    const isQuoted = typeof found === 'string' && issue.values.map(String).includes(found);
    const cure = isQuoted ? ': take the quotes away' : '';
    return `must be one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}, found ${shown}${cure}`;
  }
  if (issue.code === 'too_small' || issue.code === 'too_big') {
    return typeof found === 'string' && found.trim() === ''
      ? `is empty: ${cureForEmpty(path)}`
      : explainSize(issue, found, shown);
  }
  return typeof found === 'object' ? issue.message : `${issue.message}, found ${shown}`;
}

function explainSize(
  issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig,
  found: unknown,
  shown: string,
): string {
  const bound = issue.code === 'too_small' ? `at least ${issue.minimum}` : `at most ${issue.maximum}`;
  if (typeof found === 'string') return `must be ${bound} characters, found ${found.length}`;
  const why = typeof found === 'number' ? `: ${issue.message}` : '';
  return `must be ${bound}, found ${shown}${why}`;
}

/** Cures for keys whose text has a special form, when a number was given. */
const forms: Readonly<Record<string, string>> = {
  'watch.listen': 'give host and port, such as "127.0.0.1:8765"',
};

/** The key's description says what to add. */
function cureForMissing(path: readonly string[]): string {
  const description = valueAt(describeSection(path), ['description']);
  return `add ${typeof description === 'string' ? description : 'it'}`;
}

/** A required key cannot be left out. */
function cureForEmpty(path: readonly string[]): string {
  const required = valueAt(describeSection(path.slice(0, -1)), ['required']);
  const isRequired = Array.isArray(required) && required.includes(path.at(-1));
  return isRequired ? cureForMissing(path) : 'give a value, or remove the line';
}

/** Types that quotes turn into text. */
const quotableTypes: ReadonlySet<string> = new Set(['number', 'int', 'boolean']);

/** True for a number or truth value that is text only because of its quotes. */
const isPlain = (text: string): boolean => /^(?:-?\d+(?:\.\d+)?|true|false)$/.test(text);

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'a section with keys of its own',
  record: 'a section with keys of its own',
  array: 'a list, in square brackets',
};

function valueAt(value: unknown, path: readonly string[]): unknown {
  let found = value;
  for (const key of path) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = (found as Record<string, unknown>)[key];
  }
  return found;
}

/** The schema of the section or key at `path`. */
function describeSection(path: readonly string[]): unknown {
  const whole = z.toJSONSchema(settingsSchema, { io: 'input', unrepresentable: 'any' });
  return valueAt(
    whole,
    path.flatMap((key) => ['properties', key]),
  );
}

/** The keys in the schema of the section at `path`. */
function knownKeys(path: readonly string[]): string[] {
  const section = describeSection(path);
  const names = valueAt(section, ['properties']) ?? {};
  const pattern = valueAt(section, ['propertyNames', 'enum']);
  return Array.isArray(pattern) ? pattern.map(String) : Object.keys(names);
}
