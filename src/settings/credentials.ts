/** The client ID and secret (§5), from the environment, a file of its own, or the settings. */
import { readSecretFile, type SecretReading, SettingsError } from './secrets.ts';

export interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** The credentials and where the secret came from, or what to do to have them. */
export type CredentialsReading =
  | ({ readonly ok: true; readonly secretFrom: string } & Credentials)
  | { readonly ok: false; readonly message: string };

export interface CredentialsSources {
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  /** Absolute path. */
  readonly clientSecretFile: string | undefined;
  readonly isSandbox: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const clientIdVariable = 'PAYDROP_CLIENT_ID';
const clientSecretVariable = 'PAYDROP_CLIENT_SECRET';

/** What the built-in sandbox gives and takes when its settings name nothing; worth nothing anywhere else. */
const sandboxCredentials: Credentials = { clientId: 'sandbox-client', clientSecret: 'sandbox-secret' };

/**
 * Finds the credentials: the environment comes before the settings.
 * The sandbox never takes them from the environment: it prints its credentials, and those are the bank's.
 */
export function readCredentials(sources: CredentialsSources): CredentialsReading {
  const clientId = fromEnvironment(sources, clientIdVariable) ?? sources.clientId;
  const secret = readSecret(sources);
  if (sources.isSandbox && secret === undefined) {
    return {
      ok: true,
      ...sandboxCredentials,
      clientId: clientId ?? sandboxCredentials.clientId,
      secretFrom: 'sandbox',
    };
  }
  if (clientId === undefined) {
    return { ok: false, message: `no client ID: set bank.clientId or the variable ${clientIdVariable}` };
  }
  if (secret === undefined) {
    const ways = `set ${clientSecretVariable}, bank.clientSecretFile or bank.clientSecret`;
    return { ok: false, message: `no client secret: ${ways}` };
  }
  if (!secret.ok) return secret;
  return { ok: true, clientId, clientSecret: secret.secret, secretFrom: secret.from };
}

/**
 * The credentials, for a command that talks to the bank.
 * @throws SettingsError saying what to set
 */
export function requireCredentials(reading: CredentialsReading): Credentials {
  if (!reading.ok) throw new SettingsError(reading.message);
  return { clientId: reading.clientId, clientSecret: reading.clientSecret };
}

/** An empty variable counts as none: shells and schedulers set them so. */
function fromEnvironment({ env, isSandbox }: CredentialsSources, name: string): string | undefined {
  const value = env[name];
  return isSandbox || value === '' ? undefined : value;
}

function readSecret(sources: CredentialsSources): SecretReading | undefined {
  const secret = fromEnvironment(sources, clientSecretVariable);
  if (secret !== undefined) return { ok: true, secret, from: clientSecretVariable };
  if (sources.clientSecretFile !== undefined)
    return readSecretFile('bank.clientSecretFile', sources.clientSecretFile);
  if (sources.clientSecret === undefined) return undefined;
  return { ok: true, secret: sources.clientSecret, from: 'bank.clientSecret' };
}
