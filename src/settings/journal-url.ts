/** The address of a journal in a PostgreSQL database: its permitted form, and its display. */
import { isLoopback } from '../core/network-address.ts';

const form = 'postgres://user:password@host:5432/database';

/** Permitted parameters; any other one would override the way in which connections are set up. */
const parameterNames = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'host'] as const;
const fileParameters: readonly string[] = ['sslrootcert', 'sslcert', 'sslkey'];

/** Permitted values of sslmode; others, such as `require`, differ in meaning between programs. */
const sslModes: readonly string[] = ['verify-full', 'disable'];

const parse = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined);

/**
 * Reason why the journal cannot be at this address; undefined when it can. It quotes no part of the address, which may
 * contain a password.
 */
export function complainAboutJournalUrl(text: string): string | undefined {
  if (text === '') return undefined;
  if (!/^postgres(?:ql)?:\/\//i.test(text))
    return `must be empty, for SQLite in dataDir, or the address of a PostgreSQL database: ${form}`;
  const url = parse(text);
  if (url === undefined || url.hash !== '')
    return `must have the form ${form}, and in the password @ / ? # % as %40 %2F %3F %23 %25`;
  if (url.host.includes(',')) return 'names several servers: name the one that always is the primary';
  if (!/^\/[^/]+$/.test(url.pathname)) return `must name one database behind the host: ${form}`;
  if (!isDecodable(url)) return 'has a % that begins no character: write it as %25';
  return complainAboutParameters(url.searchParams);
}

function isDecodable({ username, password, hostname, pathname }: URL): boolean {
  try {
    for (const part of [username, password, hostname, pathname]) decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}

function complainAboutParameters(given: URLSearchParams): string | undefined {
  for (const [name, value] of given) {
    if (!(parameterNames as readonly string[]).includes(name))
      return `must have nothing behind its ? but ${parameterNames.join(', ')}`;
    if (name === 'sslmode' && !sslModes.includes(value))
      return 'must have sslmode=verify-full, which proves the server, or sslmode=disable';
    if (name === 'host' && !value.startsWith('/'))
      return 'may have host= for the folder of a socket alone, as an absolute path';
    if (fileParameters.includes(name) && !value.startsWith('/'))
      return `must name its files by absolute paths, ${name} too`;
  }
  return undefined;
}

/** The address for display, without its password. */
export function maskJournalUrl(text: string): string {
  const url = parse(text);
  if (url === undefined) return text === '' ? '' : '****';
  if (url.password !== '') url.password = '****';
  return url.href;
}

/** Name of the database for sentences, without the user. */
export function nameJournalUrl(text: string): string {
  const { host, pathname, searchParams } = new URL(text);
  return `postgres://${host || (searchParams.get('host') ?? '')}${pathname}`;
}

export const hasPassword = (text: string): boolean => (parse(text)?.password ?? '') !== '';

/** Name of the server when traffic passes a network without protection; undefined otherwise. */
export function findOpenJournalHost(text: string): string | undefined {
  const url = parse(text);
  if (url === undefined || url.hostname === '' || url.searchParams.has('host')) return undefined;
  const isSafe = url.searchParams.get('sslmode') === 'verify-full';
  const isHere = isLoopback(url.hostname) || /^%2f/i.test(url.hostname);
  return isSafe || isHere ? undefined : url.hostname;
}
