/** The address of a journal that is in a PostgreSQL database: what it may be, and how it is shown. */
import { isLoopback } from '../core/network-address.ts';

const form = 'postgres://user:password@host:5432/database';

/** What may stand behind the question mark; all else would overrule how connections are set up. */
const parameterNames = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'host'] as const;
const fileParameters: readonly string[] = ['sslrootcert', 'sslcert', 'sslkey'];

/** Words of others, such as `require`, mean something else to each program that reads them. */
const sslModes: readonly string[] = ['verify-full', 'disable'];

const parse = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined);

/** Why the journal cannot be there; undefined when it can. Nothing of the address is in it: it may hold a password. */
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

/** What may be shown of an address that is one: never its password. */
export function maskJournalUrl(text: string): string {
  const url = parse(text);
  if (url === undefined) return text === '' ? '' : '****';
  if (url.password !== '') url.password = '****';
  return url.href;
}

/** For sentences: where the database is, and not who asks it. */
export function nameJournalUrl(text: string): string {
  const { host, pathname, searchParams } = new URL(text);
  return `postgres://${host || (searchParams.get('host') ?? '')}${pathname}`;
}

export const hasPassword = (text: string): boolean => (parse(text)?.password ?? '') !== '';

/** The server's name where what is read and written goes to it unprotected through a network; undefined elsewhere. */
export function findOpenJournalHost(text: string): string | undefined {
  const url = parse(text);
  if (url === undefined || url.hostname === '' || url.searchParams.has('host')) return undefined;
  const isSafe = url.searchParams.get('sslmode') === 'verify-full';
  const isHere = isLoopback(url.hostname) || /^%2f/i.test(url.hostname);
  return isSafe || isHere ? undefined : url.hostname;
}
