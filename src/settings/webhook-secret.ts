/** The key of the webhook's signatures, from the environment, a file of its own, or the settings. */
import { readSecretFile, type SecretReading, SettingsError } from './secrets.ts';

export interface WebhookSecretSources {
  readonly webhookUrl: string;
  readonly webhookSecret: string | undefined;
  /** Absolute path. */
  readonly webhookSecretFile: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const secretVariable = 'PAYDROP_WEBHOOK_SECRET';

/** Where notices are posted, and what they are signed with. */
export interface WebhookAccess {
  readonly url: string;
  readonly secret: string;
}

/** Finds the secret: the environment comes before the settings. Undefined when no notices are posted. */
export function readWebhookSecret(sources: WebhookSecretSources): SecretReading | undefined {
  if (sources.webhookUrl === '') return undefined;
  const { [secretVariable]: fromEnvironment } = sources.env;
  // An empty variable counts as none: shells and schedulers set them so.
  if (fromEnvironment !== undefined && fromEnvironment !== '')
    return { ok: true, secret: fromEnvironment, from: secretVariable };
  if (sources.webhookSecretFile !== undefined)
    return readSecretFile('notices.webhookSecretFile', sources.webhookSecretFile);
  if (sources.webhookSecret !== undefined)
    return { ok: true, secret: sources.webhookSecret, from: 'notices.webhookSecret' };
  const ways = `set ${secretVariable}, notices.webhookSecretFile or notices.webhookSecret`;
  return {
    ok: false,
    message: `notices.webhookUrl stands without a secret to sign notices with: ${ways}`,
  };
}

/**
 * The webhook, for a command that posts notices; undefined when the settings name none.
 * @throws SettingsError saying what to set
 */
export function requireWebhook(url: string, reading: SecretReading | undefined): WebhookAccess | undefined {
  if (reading === undefined) return undefined;
  if (!reading.ok) throw new SettingsError(reading.message);
  return { url, secret: reading.secret };
}

/** A webhook's address as it may be shown: its path and query are often as good as a password. */
export function maskWebAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return text;
  return url.pathname === '/' && url.search === '' && url.hash === '' ? url.origin : `${url.origin}/****`;
}
