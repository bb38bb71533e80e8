/** Network addresses, and whether secrets may travel to one. */

/** bank.baseUrl cannot be used; the message names the setting and the cure. */
export class BankAddressError extends Error {
  override readonly name = 'BankAddressError';
}

/** Address on which a server listens. */
export interface ListenAddress {
  /** Host name or IP address, without the brackets of IPv6. */
  readonly host: string;
  /** Port number; for our own servers, 0 takes any free port. */
  readonly port: number;
}

/** The bank's address in parts, for the connection. */
export interface BankAddress extends ListenAddress {
  readonly isSecure: boolean;
  /** Prefix of every path of §4: "" or "/gateway". */
  readonly basePath: string;
  /** "https://bank.example:8443", for messages. */
  readonly origin: string;
}

const loopbackPattern = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** True for a host name, as a URL has it, that never leaves the machine. */
export const isLoopback = (hostname: string): boolean => loopbackPattern.test(hostname);

/** True for a bank.baseUrl in plain http to a loopback address: a sandbox may listen there. */
export function isLoopbackAddress(baseUrl: string): boolean {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  return url?.protocol === 'http:' && isLoopback(url.hostname);
}

/**
 * Reads bank.baseUrl. Plain http is allowed only for a loopback address, since client secret and token travel
 * unencrypted.
 * @throws BankAddressError naming bank.baseUrl
 */
export function readBankAddress(baseUrl: string): BankAddress {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  const refuse = (why: string): BankAddressError => new BankAddressError(`bank.baseUrl ${why}`);
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw refuse('is no web address: write it as https://host or https://host/path');
  if (url.username !== '' || url.password !== '')
    throw refuse('holds a user or password: use bank.clientId and bank.clientSecret');
  if (url.search !== '' || url.hash !== '') throw refuse('holds a ? or #: give the address and path only');
  const isSecure = url.protocol === 'https:';
  if (!isSecure && !isLoopback(url.hostname))
    throw refuse(`is plain http to ${url.hostname}, which is allowed to a loopback address only: use https`);
  return {
    isSecure,
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? (isSecure ? 443 : 80) : Number(url.port),
    basePath: url.pathname.replace(/\/+$/, ''),
    origin: url.origin,
  };
}

const pattern = /^(?:\[([0-9a-f:.]+)\]|([^\s:[\]/]+)):(\d{1,5})$/i;
const portMax = 65_535;

/** Reads `host:port` or `[ipv6]:port`; undefined for anything else. */
export function parseListenAddress(text: string): ListenAddress | undefined {
  const [, ipv6, name, port] = pattern.exec(text) ?? [];
  const host = ipv6 ?? name;
  if (host === undefined || port === undefined || Number(port) > portMax) return undefined;
  return { host, port: Number(port) };
}

/** True for a bare host name or IP address, IPv6 with or without brackets. */
export function isHostName(text: string): boolean {
  if (/^[0-9a-f:.]*:[0-9a-f:.]*$/i.test(text)) return isHostName(`[${text}]`);
  return /^(?:\[[0-9a-f:.]+\]|[\w.-]+)$/i.test(text) && URL.canParse(`http://${text}/`);
}

/**
 * True for a `Host` header that a server may answer: an address, localhost or a listed name. A request without the
 * header does not come from a browser.
 */
export function isServedHost(header: string | undefined, names: readonly string[]): boolean {
  if (header === undefined || header === '') return true;
  const [, host] = /^(\[[0-9a-f:.]+\]|[\w.-]+?)\.?(?::\d*)?$/i.exec(header) ?? [];
  if (host === undefined || !URL.canParse(`http://${host}/`)) return false;
  const { hostname } = new URL(`http://${host}/`);
  const isAddress = hostname.startsWith('[') || /^\d+\.\d+\.\d+\.\d+$/.test(hostname);
  return isAddress || hostname === 'localhost' || names.some((name) => name.toLowerCase() === hostname);
}

interface AddressRange {
  readonly address: string;
  readonly family: 'ipv4' | 'ipv6';
  /** Number of leading bits that an address must share: 32 or 128 for one address. */
  readonly prefixLength: number;
}

const ipv4Pattern = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

/** Reads an IP address or a range of them (CIDR): "203.0.113.7", "203.0.113.0/24", "2001:db8::/32"; undefined for anything else. */
export function parseAddressRange(text: string): AddressRange | undefined {
  const [, address = '', prefix] = /^([0-9a-f.:]+)(?:\/(0|[1-9]\d{0,2}))?$/i.exec(text) ?? [];
  const isIpv4 = ipv4Pattern.test(address);
  if (!isIpv4 && !(address.includes(':') && URL.canParse(`http://[${address}]/`))) return undefined;
  const lengthMax = isIpv4 ? 32 : 128;
  const prefixLength = prefix === undefined ? lengthMax : Number(prefix);
  if (prefixLength > lengthMax) return undefined;
  return { address, family: isIpv4 ? 'ipv4' : 'ipv6', prefixLength };
}
