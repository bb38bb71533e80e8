/**
 * Brings the statement from its signed address, which may be on anybody's host: a plain GET that carries none of our
 * credentials, within limits of size and time, over no redirect that leaves https. Messages name the host alone, since
 * path and query of a signed address are as good as the file.
 */
import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isLoopback } from '../core/network-address.ts';
import type { StatementCourier, StatementDelivery, StatementRefused } from '../reconcile/ports.ts';
import type { TrustedCertificates } from './transport.ts';

export interface CourierOptions {
  readonly bytesMax: number;
  /** Covers everything, redirects and our own writing included. */
  readonly timeoutMs: number;
  /** The longest silence; a minute when left out. */
  readonly idleMs?: number;
  /** Certificates (PEM) to trust instead of the system's. */
  readonly ca?: TrustedCertificates;
}

const usualIdleMs = 60_000;

const redirectsMax = 3;
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Bytes at the start by which a web page is known. */
const headBytes = 512;

/** Carries a refusal up to the courier's boundary, where it becomes a value. */
class NotBrought extends Error {
  override readonly name = 'NotBrought';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

const refusalOf = (code: string, message: string) => ({ code, line: null, column: null, message });
const refuse = (code: string, message: string): StatementRefused => ({
  kind: 'refused',
  refusal: refusalOf(code, message),
});

/** One bringing: its time runs from the start to the last byte. */
interface Errand {
  readonly options: CourierOptions;
  readonly take: (bytes: Uint8Array) => Promise<void>;
  /** Aborts when the time is over, the other side is silent, or the caller gives up. */
  readonly stop: AbortController;
  /** Says that something has come. */
  readonly stir: () => void;
}

export function makeStatementCourier(options: CourierOptions): StatementCourier {
  return {
    async bring(address, take, signal) {
      const stop = new AbortController();
      const abort = (code: string, message: string) => stop.abort(new NotBrought(code, message));
      const giveUp = () => abort('download-stopped', 'the download was stopped: ask for the statement again');
      const { timeoutMs, idleMs = usualIdleMs } = options;
      const whole = setTimeout(
        () => abort('download-slow', `the file has not come whole within ${timeoutMs} ms: ${askAgain}`),
        timeoutMs,
      );
      const idle = setTimeout(
        () => abort('download-silent', `the file's host was silent for ${idleMs} ms: ${askAgain}`),
        idleMs,
      );
      signal?.addEventListener('abort', giveUp);
      if (signal?.aborted === true) giveUp();
      try {
        return await run({ options, take, stop, stir: () => void idle.refresh() }, address);
      } finally {
        clearTimeout(whole);
        clearTimeout(idle);
        signal?.removeEventListener('abort', giveUp);
      }
    },
  };
}

const askAgain = 'ask for the statement again later';

async function run(errand: Errand, address: string): Promise<StatementDelivery> {
  try {
    let url = readAddress(address);
    for (let redirects = 0; ; redirects += 1) {
      const response = await get(errand, url);
      if (!redirectStatuses.has(response.statusCode ?? 0)) return await receive(errand, url, response);
      response.destroy();
      if (redirects === redirectsMax)
        throw new NotBrought(
          'redirects',
          `the address leads over more than ${redirectsMax} redirects: ${askBank}`,
        );
      url = followRedirect(url, response.headers.location);
    }
  } catch (error) {
    const reason: unknown = errand.stop.signal.aborted ? errand.stop.signal.reason : error;
    if (reason instanceof NotBrought) return refuse(reason.code, reason.message);
    throw error;
  }
}

const askBank = 'ask the bank for an address that leads to the file';

/** @throws NotBrought for what is no web address, or one over which the file would travel in the clear */
function readAddress(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new NotBrought('address-unusable', `the bank's address of the file is no web address: ${askBank}`);
  if (url.username !== '' || url.password !== '')
    throw new NotBrought('address-unusable', `the bank's address of the file holds a user: ${askBank}`);
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    const message = `the bank's address of the file is plain http to ${url.hostname}, where anybody can read and change it: ask the bank for an https address`;
    throw new NotBrought('address-insecure', message);
  }
  return url;
}

/** Other names of this machine than those over which plain http is allowed: a URL writes [::ffff:127.0.0.1] in hex. */
const ownNamePattern =
  /^(?:.*\.)?localhost\.?$|^0(?:\.\d+){3}$|^\[::\]$|^\[::ffff:(?:7f[0-9a-f]{2}|0):[0-9a-f]{1,4}\]$/;

const isThisMachine = (hostname: string): boolean => isLoopback(hostname) || ownNamePattern.test(hostname);

/** @throws NotBrought for a redirect that may not be followed */
export function followRedirect(from: URL, location: string | undefined): URL {
  if (location === undefined || !URL.canParse(location, from.href))
    throw new NotBrought('redirect-unusable', `${from.host} redirects to no address: ${askBank}`);
  const to = new URL(location, from);
  if (to.protocol !== from.protocol) {
    const kinds = `from ${from.protocol.slice(0, -1)} to ${to.protocol.slice(0, -1)}`;
    throw new NotBrought(
      'redirect-refused',
      `${from.host} redirects ${kinds}, which is not followed: ${askBank}`,
    );
  }
  if (isThisMachine(to.hostname) && !isThisMachine(from.hostname))
    throw new NotBrought('redirect-refused', `${from.host} redirects to this machine: ${askBank}`);
  return readAddress(to.href);
}

/** Sends the request over a connection of its own, with no header that we need not send. */
function get({ options, stop, stir }: Errand, url: URL): Promise<IncomingMessage> {
  const isSecure = url.protocol === 'https:';
  const proof = { rejectUnauthorized: true, ...(options.ca === undefined ? {} : { ca: options.ca }) };
  const agent = isSecure ? new HttpsAgent(proof) : new HttpAgent();
  return new Promise((resolve, reject) => {
    const request = (isSecure ? httpsRequest : httpRequest)({
      host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: url.port === '' ? (isSecure ? 443 : 80) : Number(url.port),
      path: url.pathname + url.search,
      method: 'GET',
      headers: { accept: '*/*', 'accept-encoding': 'identity' },
      agent,
      signal: stop.signal,
    });
    request.on('response', (response) => {
      stir();
      resolve(response);
    });
    request.on('error', (error) => reject(explainNoConnection(url, codeOf(error))));
    request.end();
  });
}

const distrusted =
  'is from nobody whom this machine trusts: look for a proxy on the way, and have the issuer trusted (NODE_EXTRA_CA_CERTS)';

/** What is wrong with a certificate, by the codes of OpenSSL and Node. */
const certificateTroubles: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'has expired: tell the bank, and look at the clock of this machine',
  CERT_NOT_YET_VALID: 'is not valid yet: look at the clock of this machine',
  ERR_TLS_CERT_ALTNAME_INVALID: `is for another name: ${askBank}`,
  DEPTH_ZERO_SELF_SIGNED_CERT: distrusted,
  SELF_SIGNED_CERT_IN_CHAIN: distrusted,
  UNABLE_TO_GET_ISSUER_CERT: distrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: distrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: distrusted,
};

const otherCertificatePattern = /^(?:CERT_|ERR_TLS_CERT_|INVALID_CA$|INVALID_PURPOSE$|PATH_LENGTH_EXCEEDED$)/;

/** A host that does not prove who it is will not do so a minute later either. */
function explainNoConnection(url: URL, code: string): NotBrought {
  const trouble =
    certificateTroubles[code] ??
    (otherCertificatePattern.test(code) ? 'is not accepted: tell the bank' : undefined);
  return trouble === undefined
    ? new NotBrought('download-failed', `no connection to ${url.host} (${code}): ${askAgain}`)
    : new NotBrought('certificate-refused', `the certificate of ${url.host} (${code}) ${trouble}`);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'closed';
}

async function receive(errand: Errand, url: URL, response: IncomingMessage): Promise<StatementDelivery> {
  try {
    requireOk(url, response.statusCode ?? 0);
    requireEnd(url, response);
    const head = await takeBody(errand, url, response);
    if (!response.complete) throw cutShort(url);
    return isWebPage(response.headers['content-type'], head.bytes)
      ? { kind: 'web-page', refusal: refusalOf('web-page', pageMessage(url)) }
      : { kind: 'delivered', sizeBytes: head.total };
  } finally {
    response.destroy();
  }
}

function requireOk(url: URL, status: number): void {
  if (status === 200) return;
  const cause =
    status === 403
      ? 'the address has expired, or this machine may not fetch it: ask for the statement again'
      : status === 404 || status === 410
        ? 'the file is not there any more: ask for the statement again'
        : askAgain;
  throw new NotBrought(`download-http-${status}`, `${url.host} answered HTTP ${status}: ${cause}`);
}

/** @throws NotBrought for a body that ends where the connection does: nobody could tell whether it came whole */
function requireEnd(url: URL, { headers }: IncomingMessage): void {
  if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) return;
  const message = `${url.host} does not say how long the file is, so that one cut short would look whole: ask the bank, or fetch it yourself and use --file`;
  throw new NotBrought('length-missing', message);
}

const cutShort = (url: URL) =>
  new NotBrought('download-cut', `the file from ${url.host} was cut short: ${askAgain}`);

interface Head {
  readonly bytes: Buffer;
  readonly total: number;
}

/** Hands the body over, block by block, and remembers how it begins. */
async function takeBody(errand: Errand, url: URL, response: IncomingMessage): Promise<Head> {
  const { bytesMax } = errand.options;
  const tooLarge = () =>
    new NotBrought(
      'download-too-large',
      `the file is larger than ${bytesMax} bytes: raise reconcile.maxBytes`,
    );
  const announced = Number(response.headers['content-length'] ?? 0);
  if (announced > bytesMax) throw tooLarge();
  let total = 0;
  let head = Buffer.alloc(0);
  for await (const block of blocksOf(url, response)) {
    errand.stir();
    total += block.length;
    if (total > bytesMax) throw tooLarge();
    if (head.length < headBytes) head = Buffer.concat([head, block.subarray(0, headBytes - head.length)]);
    await errand.take(block);
    errand.stir();
  }
  return { bytes: head, total };
}

/** The body's blocks; a connection that breaks is told apart from a disk that does. */
async function* blocksOf(url: URL, response: IncomingMessage): AsyncGenerator<Buffer> {
  const blocks = response[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  for (;;) {
    let next: IteratorResult<Buffer>;
    try {
      next = await blocks.next();
    } catch {
      throw cutShort(url);
    }
    if (next.done === true) return;
    yield next.value;
  }
}

/** An archive is one whatever its host calls it. */
function isWebPage(contentType: string | undefined, head: Buffer): boolean {
  const text = head
    .toString('latin1')
    .replace(/^\xef\xbb\xbf/, '')
    .trimStart();
  if (text.startsWith('<')) return true;
  const isArchive = text.startsWith('PK') || text.startsWith('\x1f\x8b');
  return !isArchive && /^(?:text\/html|application\/xhtml)/i.test(contentType ?? '');
}

function pageMessage(url: URL): string {
  return `${url.host} sent a web page, not a statement: a login or an error page, perhaps a proxy's; look at what was kept, then ${askAgain}`;
}
