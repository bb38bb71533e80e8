/**
 * Downloads the statement from its signed address, which may be on any host: a plain GET without our credentials,
 * within limits of size and time. It follows no redirect that leaves https, and connects to no machine inside our own
 * network unless the settings name it. Messages name the host only, because path and query of a signed address give
 * access to the file.
 */
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net';
import type { ReadableStream } from 'node:stream/web';
import type { Options } from 'ky';
import { inEnglish, message, type Message, type PlainCode } from '../core/message.ts';
import { computeBackoffMs } from '../core/backoff.ts';
import { isLoopback } from '../core/network-address.ts';
import {
  distrustCodes,
  findErrorCode,
  type HttpClient,
  isHttpError,
  isSilence,
  openHttpClient,
  timerMsMax,
  type TrustedCertificates,
} from '../platform/http.ts';
import { asIs } from './exchange.ts';
import type { StatementDelivery, StatementDownloader } from '../reconcile/ports.ts';

interface DownloaderOptions {
  /** Host of bank.baseUrl; statement files may be there, too. */
  readonly bankHost: string;
  /** Other hosts, by name or address, whose files may come from a loopback, private or link-local address. */
  readonly hosts?: readonly string[];
  readonly bytesMax: number;
  /** Limit on the whole download, redirects and our own writing included. */
  readonly timeoutMs: number;
  /** Longest silence; one minute when left out. */
  readonly idleMs?: number;
  /** Certificates (PEM) to trust instead of the system's. */
  readonly ca?: TrustedCertificates;
  /** Resolves names; the system's resolver when left out. */
  readonly lookup?: LookupFunction;
}

const usualIdleMs = 60_000;

const redirectsMax = 3;
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Bytes at the start by which a web page is recognised. */
const headBytes = 512;

/** Carries a refusal to the downloader's boundary, which turns it into a value. */
class NotBrought extends Error {
  override readonly name = 'NotBrought';
  readonly code: string;
  readonly why: Message;

  constructor(code: string, why: Message) {
    super(inEnglish(why));
    this.code = code;
    this.why = why;
  }
}

const refusalOf = ({ code, why }: NotBrought) => ({ code, line: null, column: null, message: why });

/** One download; its time runs from the start to the last byte. */
interface Download extends DownloaderOptions {
  readonly idleMs: number;
  readonly take: (bytes: Uint8Array) => Promise<void>;
  /** Aborts when the time is over or the caller gives up. */
  readonly stop: AbortSignal;
}

export function makeStatementDownloader(options: DownloaderOptions): StatementDownloader {
  const { timeoutMs, idleMs = usualIdleMs } = options;
  return {
    async bring(address, take, signal) {
      const late = AbortSignal.timeout(Math.min(timeoutMs, timerMsMax));
      const stop = signal === undefined ? late : AbortSignal.any([late, signal]);
      try {
        return await follow({ ...options, idleMs, take, stop }, readAddress(address));
      } catch (error) {
        const cause = signal?.aborted === true ? wasStopped : late.aborted ? wasSlow(timeoutMs) : error;
        if (cause instanceof NotBrought) return { kind: 'refused', refusal: refusalOf(cause) };
        throw error;
      }
    },
  };
}

const wasStopped = new NotBrought('download-stopped', message('download.stopped'));
const wasSlow = (timeoutMs: number) =>
  new NotBrought('download-slow', message('download.slow', { ms: timeoutMs }));

/**
 * Downloads from an address and follows its redirects.
 * @param from the address that redirected here
 */
async function follow(
  download: Download,
  at: URL,
  from?: URL,
  redirectsLeft = redirectsMax,
): Promise<StatementDelivery> {
  const { bytesMax: bodyBytesMax, idleMs, ca, lookup } = download;
  const findObstacle = (address: string | undefined) => explainForbidden(download, { at, from }, address);
  await using client = await openHttpClient({ bodyBytesMax, idleMs, ca, findObstacle, lookup });
  const response = await get(download, client, at);
  if (!redirectStatuses.has(response.status)) return await receive(download, at, response);
  if (redirectsLeft === 0)
    throw new NotBrought('redirects', message('download.redirects', { most: redirectsMax }));
  const to = followRedirect(at, response.headers.get('location'), download.hosts);
  return await follow(download, to, at, redirectsLeft - 1);
}

// ---------------------------------------------------------------- addresses

/**
 * @throws NotBrought for a text that is not a web address, or an address over which the file would travel unencrypted
 */
function readAddress(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new NotBrought('address-unusable', message('download.no-address'));
  if (url.username !== '' || url.password !== '')
    throw new NotBrought('address-unusable', message('download.holds-user'));
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) throw travelsInTheClear(url);
  return url;
}

const travelsInTheClear = (url: URL) =>
  new NotBrought('address-insecure', message('download.in-the-clear', { host: url.hostname }));

/** Addresses of this machine, also in IPv6 form. */
const ownAddresses = new BlockList();
ownAddresses.addSubnet('127.0.0.0', 8);
ownAddresses.addSubnet('0.0.0.0', 8);
ownAddresses.addAddress('::1', 'ipv6');
ownAddresses.addAddress('::', 'ipv6');

const isOwnAddress = (address: string): boolean =>
  isIP(address) !== 0 && ownAddresses.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');

/** Addresses that are not public: this machine's, private, link-local and multicast. */
const innerIpv4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const;
/** The first entry has ::, ::1 and IPv4 in an obsolete form; 2002:: (6to4) holds any IPv4 address. */
const innerIpv6 = [
  ['::', 96],
  ['64:ff9b:1::', 48],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 9],
  ['ff00::', 8],
] as const;
const innerAddresses = new BlockList();
for (const [net, prefix] of innerIpv6) innerAddresses.addSubnet(net, prefix, 'ipv6');
for (const [net, prefix] of innerIpv4) {
  innerAddresses.addSubnet(net, prefix);
  // The NAT64 form.
  innerAddresses.addSubnet(`64:ff9b::${net}`, 96 + prefix, 'ipv6');
}

/** True for an inner address, looked up or connected to; a zone ("fe80::1%eth0") is ignored. */
const isInnerAddress = (address: string): boolean => {
  const [bare = ''] = address.split('%');
  return isIP(bare) !== 0 && innerAddresses.check(bare, isIPv6(bare) ? 'ipv6' : 'ipv4');
};

/** A host in the form used for comparison: no brackets, no root dot, lower case. */
const plainHost = (host: string): string => {
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  const url = `http://${isIPv6(bare) ? `[${bare}]` : bare}/`;
  return URL.canParse(url) ? new URL(url).hostname.replace(/\.$/, '') : bare.toLowerCase();
};

const isAmong = (hosts: readonly string[], { hostname }: URL): boolean =>
  hosts.some((host) => plainHost(host) === plainHost(hostname));

/** Judges by the name alone, whatever it resolves to. */
const isOwnHost = (host: string): boolean =>
  /^(?:.*\.)?localhost\.?$/.test(host) || isOwnAddress(host.replace(/^\[(.*)\]$/, '$1'));
const isThisMachine = ({ hostname }: URL): boolean => isOwnHost(hostname);

const leadsHere = (from: URL) =>
  new NotBrought('redirect-refused', message('download.leads-here', { host: from.host }));

/**
 * @param hosts the hosts that the settings name
 * @throws NotBrought for a redirect that may not be followed @forTests
 */
export function followRedirect(from: URL, location: string | null, hosts: readonly string[] = []): URL {
  if (location === null || !URL.canParse(location, from.href))
    throw new NotBrought('redirect-unusable', message('download.redirect-unusable', { host: from.host }));
  const to = new URL(location, from);
  if (to.protocol !== from.protocol) {
    const kinds = { from: from.protocol.slice(0, -1), to: to.protocol.slice(0, -1) };
    throw new NotBrought(
      'redirect-refused',
      message('download.redirect-refused', { host: from.host, ...kinds }),
    );
  }
  if (isThisMachine(to) && !isThisMachine(from) && !isAmong(hosts, to)) throw leadsHere(from);
  return readAddress(to.href);
}

/**
 * Refuses what the name has hidden: plain http that leaves this machine, or an address inside our network that the
 * settings do not name.
 */
function explainForbidden(
  download: Download,
  { at, from }: { readonly at: URL; readonly from: URL | undefined },
  address = '',
): NotBrought | undefined {
  const isHere = isOwnAddress(address);
  if (at.protocol === 'http:' && !isHere) return travelsInTheClear(at);
  const { bankHost, hosts = [] } = download;
  if (!isInnerAddress(address) || isAmong(hosts, at)) return undefined;
  const comesFromElsewhere = from !== undefined && from.host !== at.host && !isThisMachine(from);
  if (isHere && comesFromElsewhere) return leadsHere(from);
  const isBankThere = isAmong([bankHost], at) || (isHere && isOwnHost(bankHost));
  return isBankThere ? undefined : leadsInside(at);
}

const leadsInside = (at: URL) =>
  new NotBrought('address-internal', message('download.leads-inside', { host: at.hostname }));

// ---------------------------------------------------------------- request

/** Sends the request over a new connection, with only the headers that are needed. */
async function get({ stop, idleMs }: Download, { http }: HttpClient, at: URL): Promise<Response> {
  const headers = { accept: '*/*', ...asIs };
  const throwHttpErrors = (status: number) => busyStatuses.includes(status);
  try {
    return await http.get(at, { headers, signal: stop, retry, throwHttpErrors });
  } catch (error) {
    if (error instanceof NotBrought) throw error;
    if (isHttpError(error)) throw explainStatus(at, error.response.status);
    throw explainNoAnswer(at, findErrorCode(error), idleMs);
  }
}

/** A host that is busy or out of reach is retried before the caller gets a refusal. */
const retryBackoff = { baseMs: 250, maxMs: 2_000 };
const busyStatuses = [408, 429, 502, 503, 504];
const passingCodes: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ECONNRESET', 'EAI_AGAIN']);
const retry: NonNullable<Options['retry']> = {
  limit: 2,
  delay: (attempt) => computeBackoffMs(retryBackoff, attempt - 1),
  statusCodes: busyStatuses,
  maxRetryAfter: retryBackoff.maxMs,
  shouldRetry: ({ error }) => (isHttpError(error) ? undefined : passingCodes.has(findErrorCode(error))),
};

/** Causes and cures of certificate errors, by the codes of OpenSSL and Node. */
const certificateTroubles: Readonly<Record<string, PlainCode>> = {
  CERT_HAS_EXPIRED: 'certificate.expired',
  CERT_NOT_YET_VALID: 'certificate.not-yet-valid',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate.other-name',
};

const otherCertificatePattern = /^(?:CERT_|ERR_TLS_CERT_|INVALID_CA$|INVALID_PURPOSE$|PATH_LENGTH_EXCEEDED$)/;

/** Explains why there is no answer. A failed certificate is not retried: it fails a minute later as well. */
function explainNoAnswer(url: URL, code: string, idleMs: number): NotBrought {
  if (isSilence(code)) return wasSilent(idleMs);
  const trouble =
    certificateTroubles[code] ??
    (distrustCodes.has(code) ? 'certificate.distrusted' : undefined) ??
    (otherCertificatePattern.test(code) ? 'certificate.not-accepted' : undefined);
  return trouble === undefined
    ? new NotBrought('download-failed', message('download.no-connection', { host: url.host, code }))
    : new NotBrought(
        'certificate-refused',
        message('download.certificate', { host: url.host, code, trouble: message(trouble) }),
      );
}

const wasSilent = (idleMs: number) =>
  new NotBrought('download-silent', message('download.silent', { ms: idleMs }));

function explainStatus(url: URL, status: number): NotBrought {
  const cause =
    status === 403
      ? 'download.address-expired'
      : status === 404 || status === 410
        ? 'download.not-there'
        : 'download.ask-again';
  return new NotBrought(
    `download-http-${status}`,
    message('download.http', { host: url.host, status, cure: message(cause) }),
  );
}

// ---------------------------------------------------------------- the file

/** Passes the body on, block by block, and keeps its first bytes. */
async function receive(download: Download, at: URL, response: Response): Promise<StatementDelivery> {
  const { headers, body, status } = response;
  if (status !== 200) throw explainStatus(at, status);
  requireEnd(at, headers);
  if (Number(headers.get('content-length') ?? 0) > download.bytesMax) throw tooLarge(download);
  const reader = (body as ReadableStream<Uint8Array> | null)?.getReader();
  let sizeBytes = 0;
  let head = Buffer.alloc(0);
  for (;;) {
    // Separates a broken connection from a failing disk.
    const next = await reader?.read().catch((error: unknown) => {
      throw explainBreak(download, at, findErrorCode(error));
    });
    if (next === undefined || next.done) break;
    const block = next.value;
    sizeBytes += block.length;
    if (head.length < headBytes) head = Buffer.concat([head, block.subarray(0, headBytes - head.length)]);
    await download.take(block);
  }
  return isWebPage(headers.get('content-type'), head)
    ? { kind: 'web-page', refusal: refusalOf(isPage(at)) }
    : { kind: 'delivered', sizeBytes };
}

/** @throws NotBrought for a body that ends with its connection: a cut file would look whole */
function requireEnd(url: URL, headers: Headers): void {
  if (headers.has('content-length') || headers.has('transfer-encoding')) return;
  throw new NotBrought('length-missing', message('download.length-missing', { host: url.host }));
}

const tooLarge = ({ bytesMax }: Download) =>
  new NotBrought('download-too-large', message('download.too-large', { most: bytesMax }));

function explainBreak(download: Download, at: URL, code: string): NotBrought {
  if (isSilence(code)) return wasSilent(download.idleMs);
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return tooLarge(download);
  return new NotBrought('download-cut', message('download.cut', { host: at.host }));
}

/** True for a web page; an archive stays an archive whatever content type its host sends. */
function isWebPage(contentType: string | null, head: Buffer): boolean {
  const text = head
    .toString('latin1')
    .replace(/^\xef\xbb\xbf/, '')
    .trimStart();
  if (text.startsWith('<')) return true;
  const isArchive = text.startsWith('PK') || text.startsWith('\x1f\x8b');
  return !isArchive && /^(?:text\/html|application\/xhtml)/i.test(contentType ?? '');
}

const isPage = ({ host }: URL) => new NotBrought('web-page', message('download.web-page', { host }));
