/**
 * The secrets: client ID and secret (§5), the journal's address, the key of webhook signatures and the keys of
 * callbacks. Each comes from the environment, a separate file, or the settings.
 */
import { readFileSync, statSync } from 'node:fs';
import { maskDigits } from '../core/proxy-id.ts';
import { complainAboutJournalUrl } from './journal-url.ts';

/**
 * Wrong usage or settings: exit code 2. The message names the place and the cure. Defined here, so that the command
 * line can throw it without loading the settings' reader.
 */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/** The secret and its source, or why there is none. */
export type SecretReading =
  | { readonly ok: true; readonly secret: string; readonly from: string }
  | { readonly ok: false; readonly message: string };

export type Environment = Readonly<Record<string, string | undefined>>;

/** An empty variable counts as missing: shells and schedulers set such variables. */
const readVariable = (env: Environment, name: string): string | undefined =>
  env[name] === '' ? undefined : env[name];

/** The possible places of one secret. */
interface SecretPlaces {
  /** Value in the settings. */
  readonly value: string | undefined;
  /** Absolute path of the file that the settings name instead. */
  readonly file: string | undefined;
  readonly env: Environment;
}

/**
 * Finds a secret; the environment comes before the settings.
 * @param setting key of the secret; the key of its file has the same name with File
 * @param lack fault when the secret is in none of the places
 */
function readSecret(
  { value, file, env }: SecretPlaces,
  setting: string,
  variable: string,
  lack: string,
): SecretReading {
  const given = readVariable(env, variable);
  if (given !== undefined) return { ok: true, secret: given, from: variable };
  if (file !== undefined) return readSecretFile(`${setting}File`, file);
  if (value !== undefined) return { ok: true, secret: value, from: setting };
  return { ok: false, message: `${lack}: set ${variable}, ${setting}File or ${setting}` };
}

const secretBytesMax = 4_096;
/** Permission bits of all users but the owner and the group. */
export const othersMask = 0o007;

/**
 * Reads a file that contains only a secret; a line end after it is ignored.
 * @param setting key that names the file, for messages
 */
function readSecretFile(setting: string, path: string): SecretReading {
  const refuse = (why: string): SecretReading => ({ ok: false, message: `${setting} ${path} ${why}` });
  try {
    const stats = statSync(path);
    if (!stats.isFile()) return refuse('is not a file: name the file that holds the secret');
    if (process.platform !== 'win32' && (stats.mode & othersMask) !== 0) {
      return refuse(`is open to every user of this machine: run chmod 600 ${path}`);
    }
    if (stats.size > secretBytesMax)
      return refuse(`holds more than ${secretBytesMax} bytes: it must hold the secret alone`);
    const secret = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
    if (secret === '') return refuse('is empty: write the secret into it');
    return { ok: true, secret, from: path };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
    return refuse(`cannot be read (${code}): correct the path or the file's owner`);
  }
}

// ---------------------------------------------------------------- the bank

interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** The credentials and the secret's source, or how to provide them. */
export type CredentialsReading =
  | ({ readonly ok: true; readonly secretFrom: string } & Credentials)
  | { readonly ok: false; readonly message: string };

const clientIdVariable = 'PAYDROP_CLIENT_ID';

/**
 * Finds the credentials. The sandbox never reads them from the environment: it prints its credentials, and those are
 * the bank's. Its default credentials open nothing but the sandbox.
 */
export function readCredentials(
  clientIdSet: string | undefined,
  places: SecretPlaces,
  isSandbox: boolean,
): CredentialsReading {
  const env = isSandbox ? {} : places.env;
  const isOurs = isSandbox && places.value === undefined && places.file === undefined;
  const clientId =
    readVariable(env, clientIdVariable) ?? clientIdSet ?? (isOurs ? 'sandbox-client' : undefined);
  if (clientId === undefined)
    return { ok: false, message: `no client ID: set bank.clientId or the variable ${clientIdVariable}` };
  if (isOurs) return { ok: true, clientId, clientSecret: 'sandbox-secret', secretFrom: 'sandbox' };
  const secretVariable = 'PAYDROP_CLIENT_SECRET';
  const reading = readSecret({ ...places, env }, 'bank.clientSecret', secretVariable, 'no client secret');
  if (!reading.ok) return reading;
  return { ok: true, clientId, clientSecret: reading.secret, secretFrom: reading.from };
}

/**
 * The credentials, for a command that contacts the bank.
 * @throws SettingsError saying what to set
 */
export function requireCredentials(reading: CredentialsReading): Credentials {
  if (!reading.ok) throw new SettingsError(reading.message);
  return { clientId: reading.clientId, clientSecret: reading.clientSecret };
}

// ---------------------------------------------------------------- the journal

/** Finds the address of the journal's database, which may contain a password; empty for SQLite. */
export function readJournalUrl(places: SecretPlaces): SecretReading {
  const lack = 'no address of the journal';
  const reading = readSecret(places, 'journal.url', 'PAYDROP_JOURNAL_URL', lack);
  if (!reading.ok) return reading;
  const complaint = complainAboutJournalUrl(reading.secret);
  return complaint === undefined ? reading : { ok: false, message: `${reading.from} ${complaint}` };
}

/**
 * The address of the journal's database, for a command that opens it; empty for SQLite in the data directory.
 * @throws SettingsError saying what to set
 */
export function requireJournalUrl(reading: SecretReading): string {
  if (!reading.ok) throw new SettingsError(reading.message);
  return reading.secret;
}

// ---------------------------------------------------------------- statements

const zipKeyVariable = 'PAYDROP_UNZIP_KEY';

/**
 * The key of an encrypted ZIP, given by a person; never on a command line, which every user of the machine can read.
 * @param file file with the key, from --key-file; the variable takes precedence
 * @returns null without a key
 * @throws SettingsError when the file cannot be used
 */
export function readZipKey(file: string | undefined, env: Environment): string | null {
  const given = readVariable(env, zipKeyVariable);
  if (given !== undefined) return given;
  if (file === undefined) return null;
  const reading = readSecretFile('--key-file', file);
  if (!reading.ok) throw new SettingsError(reading.message);
  return reading.secret;
}

// ---------------------------------------------------------------- people

/**
 * The personal token of the user of a command; never on a command line, which every user of the machine can read.
 * @param file absolute path of `review.tokenFile`
 * @returns undefined without a token
 */
export function readPersonToken(file: string | undefined, env: Environment): SecretReading | undefined {
  const secret = readVariable(env, 'PAYDROP_TOKEN');
  if (secret !== undefined) return { ok: true, secret, from: 'PAYDROP_TOKEN' };
  const named = readVariable(env, 'PAYDROP_TOKEN_FILE');
  if (named !== undefined) return readSecretFile('PAYDROP_TOKEN_FILE', named);
  return file === undefined ? undefined : readSecretFile('review.tokenFile', file);
}

// ---------------------------------------------------------------- callbacks

/** The accepted keys of callbacks and their source, or how to provide them. */
export type CallbackKeysReading =
  | { readonly ok: true; readonly keys: readonly string[]; readonly from: string }
  | { readonly ok: false; readonly message: string };

/** Reason why a text cannot be a key of callbacks; undefined when it can. Longer keys are not compared. */
export const complainAboutCallbackKey = (key: string): string | undefined =>
  /^[\x21-\x2b\x2d-\x7e]{8,512}$/.test(key)
    ? undefined
    : 'must be 8 to 512 printable ASCII characters without spaces and commas';

/** Default key of the built-in sandbox bank's callbacks. */
const sandboxCallbackKey = 'sandbox-callback-key';
const keysSetting = 'registration.callbacks.keys';
const keysVariable = 'PAYDROP_CALLBACK_KEYS';

/**
 * Finds the keys of callbacks. As with credentials, the sandbox never reads them from the environment, and its default
 * key opens nothing but the sandbox.
 * @param keys keys in the settings
 * @param places other possible places
 */
export function readCallbackKeys(
  keys: readonly string[],
  places: Omit<SecretPlaces, 'value'>,
  isSandbox: boolean,
): CallbackKeysReading {
  const isUnset = keys.length === 0 && places.file === undefined;
  if (isSandbox && isUnset) return { ok: true, keys: [sandboxCallbackKey], from: 'sandbox' };
  const value = keys.length === 0 ? undefined : keys.join(',');
  const env = isSandbox ? {} : places.env;
  const reading = readSecret({ ...places, env, value }, keysSetting, keysVariable, 'no key for callbacks');
  if (!reading.ok) return reading;
  const found = [...new Set(reading.secret.split(/[,\r\n]+/).map((key) => key.trim()))].filter(Boolean);
  if (found.length === 0)
    return { ok: false, message: `${reading.from} holds no key: write the keys into it` };
  const complaint = found.map(complainAboutCallbackKey).find((one) => one !== undefined);
  if (complaint !== undefined) return { ok: false, message: `${reading.from}: each key ${complaint}` };
  return { ok: true, keys: found, from: reading.from };
}

/**
 * The accepted keys of callbacks, for a command that listens.
 * @throws SettingsError saying what to set
 */
export function requireCallbackKeys(reading: CallbackKeysReading): readonly string[] {
  if (!reading.ok) throw new SettingsError(reading.message);
  return reading.keys;
}

// ---------------------------------------------------------------- notices

/** The key of the webhook's signatures. */
export const readWebhookSecret = (places: SecretPlaces): SecretReading =>
  readSecret(
    places,
    'notices.webhookSecret',
    'PAYDROP_WEBHOOK_SECRET',
    'notices.webhookUrl stands without a secret to sign notices with',
  );

/**
 * The URL and the signing key of notices, for a command that posts them; undefined without a webhook in the settings.
 * @throws SettingsError saying what to set
 */
export function requireWebhook(
  url: string,
  reading: SecretReading | undefined,
): { readonly url: string; readonly secret: string } | undefined {
  if (reading === undefined) return undefined;
  if (!reading.ok) throw new SettingsError(reading.message);
  return { url, secret: reading.secret };
}

/** A webhook's address for display: its path and query often work like a password. */
export function maskWebAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return text;
  return url.pathname === '/' && url.search === '' && url.hash === '' ? url.origin : `${url.origin}/****`;
}

// ---------------------------------------------------------------- values in messages

const foundLengthMax = 40;

/** Keys whose values are hidden: secrets, and an address that often works like one. */
const hiddenKeys = new Set(['clientSecret', 'webhookSecret', 'webhookUrl', 'keys', 'url']);

/** The value in the file, without secrets and whole account numbers. */
export function showFound(path: readonly string[], found: unknown): string {
  const key = path.at(-1) ?? '';
  if (path.some((part) => hiddenKeys.has(part))) return 'a value that is not shown here';
  if (found === null) return 'nothing';
  if (Array.isArray(found)) return 'a list';
  if (typeof found === 'object') return 'a section';
  if (typeof found === 'number' || typeof found === 'boolean') return String(found);
  if (typeof found !== 'string' || path.length < 2) return 'text';
  if (key === 'payerAccount') return JSON.stringify(maskDigits(found));
  if (found.includes('@')) return 'an address with a user';
  return JSON.stringify(found.length > foundLengthMax ? `${found.slice(0, foundLengthMax)}…` : found);
}
