/**
 * ky over undici, for requests that move no money; each client has its own connections. Both load with the first
 * client, since most commands make no request. undici's `request` replaces its `fetch`, which undoes a Content-Encoding
 * and accepts a truncated one as whole.
 */
import dns from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { ConnectionOptions } from 'node:tls';
import type { HTTPError, KyInstance } from 'ky';
import type { Agent } from 'undici';

/** Certificates to trust instead of the system's, PEM. */
export type TrustedCertificates = NonNullable<ConnectionOptions['ca']>;

interface HttpOptions {
  /** Most bytes of a body; a longer one is refused. */
  readonly bodyBytesMax: number;
  /** Longest silence in ms while connecting, before the answer and within it. */
  readonly idleMs: number;
  readonly ca?: TrustedCertificates | undefined;
  /**
   * The reason that forbids an address, if any. Asked for each address of the name before connecting, and for the
   * connected one before anything is written.
   */
  readonly findObstacle?: (address: string | undefined) => Error | undefined;
  /** Resolves names; left out: the system's resolver. */
  readonly lookup?: LookupFunction | undefined;
}

export interface HttpClient extends AsyncDisposable {
  /** Every status is an answer, no redirect is followed, and nothing is retried, unless a call says otherwise. */
  readonly http: KyInstance;
  /** True once a connection has stood: from then on bytes may have left. */
  readonly hasConnected: boolean;
}

/** Longest timer of Node in ms; a longer one would fire at once. */
export const timerMsMax = 2_147_483_647;

const usual = {
  retry: 0,
  timeout: false,
  throwHttpErrors: false,
  redirect: 'manual',
} as const;

/** Opens a client for one task; closing it aborts what is under way. */
export async function openHttpClient(options: HttpOptions): Promise<HttpClient> {
  const { default: ky } = await import('ky');
  let hasConnected = false;
  const agent = await makeAgent(options, () => {
    hasConnected = true;
  });
  return {
    http: ky.create({
      ...usual,
      fetch: (input) => ask(agent, input instanceof Request ? input : new Request(input)),
    }),
    get hasConnected() {
      return hasConnected;
    },
    [Symbol.asyncDispose]: () => agent.destroy(),
  };
}

/** The lookup; it fails with the reason that forbids an address. */
function guardLookup({ findObstacle, lookup = dns.lookup }: HttpOptions): LookupFunction {
  return (name, options, found) =>
    lookup(name, options, (error, addresses, family) => {
      const all =
        typeof addresses === 'string' ? [addresses] : (addresses?.map(({ address }) => address) ?? []);
      const [obstacle] = all.flatMap((address) => findObstacle?.(address) ?? []);
      found(error ?? obstacle ?? null, addresses, family);
    });
}

async function makeAgent(options: HttpOptions, onConnected: () => void): Promise<Agent> {
  const { bodyBytesMax, idleMs, ca, findObstacle } = options;
  const { Agent, buildConnector } = await import('undici');
  const connect = buildConnector({
    // Set explicitly, so that no environment variable can switch certificate checks off.
    rejectUnauthorized: true,
    allowH2: false,
    timeout: idleMs,
    lookup: guardLookup(options),
    ...(ca === undefined ? {} : { ca }),
  });
  return new Agent({
    pipelining: 0,
    maxResponseSize: bodyBytesMax,
    headersTimeout: idleMs,
    bodyTimeout: idleMs,
    connect: (target, callback) => {
      // A literal address is not looked up.
      const forbidden = isIP(target.hostname) === 0 ? undefined : findObstacle?.(target.hostname);
      if (forbidden !== undefined) {
        callback(forbidden, null);
        return;
      }
      connect(target, (...connected) => {
        const [error, socket] = connected;
        const obstacle = error === null ? findObstacle?.(socket.remoteAddress) : undefined;
        if (obstacle === undefined) {
          if (error === null) onConnected();
          callback(...connected);
        } else {
          socket?.destroy();
          callback(obstacle, null);
        }
      });
    },
  });
}

/** Limits on pieces: each costs some hundred bytes, so a megabyte in one-byte pieces would take half a gigabyte. */
const piecesMax = 4_096;
const pieceBytesMin = 64;

/** True for a body in far more pieces than any server would send. */
export const isCrumbled = (pieces: number, bytes: number): boolean =>
  pieces > piecesMax && bytes < pieces * pieceBytesMin;

/** Merges all pieces that have arrived into one, as iterating over a stream does. */
async function* mergePieces(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* body;
}

/** Statuses without a body, as a Response requires. */
const bodilessStatuses: ReadonlySet<number> = new Set([204, 205, 304]);

async function ask(dispatcher: Agent, request: Request): Promise<Response> {
  const { request: askOver } = await import('undici');
  const { statusCode, headers, body } = await askOver(request.url, {
    dispatcher,
    method: request.method,
    headers: Object.fromEntries(request.headers),
    body: request.body === null ? null : await request.text(),
    signal: request.signal,
  });
  // A Request that was garbage-collected no longer passes on an abort.
  body.once('close', () => void request);
  const pairs = Object.entries(headers).map(([name, value = '']): [string, string] => [name, String(value)]);
  const isBodiless = bodilessStatuses.has(statusCode);
  if (isBodiless) body.resume();
  const stream = isBodiless
    ? null
    : (Readable.toWeb(Readable.from(mergePieces(body), { objectMode: false })) as ReadableStream<Uint8Array>);
  return new Response(stream, { status: statusCode, headers: pairs });
}

/** Recognised by name, so that the check does not load ky. */
const isNamed = (error: unknown, name: string): boolean => error instanceof Error && error.name === name;
export const isTimeout = (error: unknown): boolean => isNamed(error, 'TimeoutError');
export const isHttpError = (error: unknown): error is HTTPError => isNamed(error, 'HTTPError');

/** Common codes for undici's own. */
const commonCodes: Readonly<Record<string, string>> = { UND_ERR_SOCKET: 'ECONNRESET' };

/** The code of a failure, however deep it is wrapped; messages may quote an address or the request. */
export function findErrorCode(error: unknown): string {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1) {
    if ('code' in cause && typeof cause.code === 'string') return commonCodes[cause.code] ?? cause.code;
  }
  return error instanceof Error ? error.name : 'unknown reason';
}

/** True for the code of a silence that was too long. */
export const isSilence = (code: string): boolean => /^UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT$/.test(code);

/** Codes of certificates that this machine does not trust. */
export const distrustCodes: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);
