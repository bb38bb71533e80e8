/**
 * ky over undici, for what moves no money: each client makes connections of its own, to whom they were meant for.
 * Both are loaded with the first client, since most commands ask nobody. undici's `request` stands in for its `fetch`, which undoes a Content-Encoding and takes one cut short for whole.
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

export interface HttpOptions {
  /** Longer bodies are refused. */
  readonly bodyBytesMax: number;
  /** The longest silence while connecting, before the answer and within it. */
  readonly idleMs: number;
  readonly ca?: TrustedCertificates | undefined;
  /**
   * What forbids this address, if anything does: asked of each that the name leads to, before anything connects there, and
   * of the one that a connection has come to, before anything is written.
   */
  readonly findObstacle?: (address: string | undefined) => Error | undefined;
  /** Finds the addresses of a name; the system's when left out. */
  readonly lookup?: LookupFunction | undefined;
}

export interface HttpClient extends AsyncDisposable {
  /** Every status is an answer, no redirect is followed, and nothing is tried again, unless a call says otherwise. */
  readonly http: KyInstance;
  /** True once a connection has stood: from then on bytes may have left. */
  readonly hasConnected: boolean;
}

/** The longest time that a timer of Node holds; beyond it, it would fire at once. */
export const timerMsMax = 2_147_483_647;

const usual = {
  retry: 0,
  timeout: false,
  throwHttpErrors: false,
  redirect: 'manual',
} as const;

/** Opens a client for one errand; closing it ends what is under way. */
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

/** The lookup, ending in what forbids any address that it finds. */
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
    // Said aloud, so that no variable of the environment can switch the proof off.
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
      // An address that is written out is looked up nowhere.
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

/** Each piece of a body costs some hundred bytes, so that a megabyte in pieces of one byte would take half a gigabyte. */
const piecesMax = 4_096;
const pieceBytesMin = 64;

/** True for a body that comes in far more pieces than any server cuts it into. */
export const isCrumbled = (pieces: number, bytes: number): boolean =>
  pieces > piecesMax && bytes < pieces * pieceBytesMin;

/** Hands all that has come meanwhile over as one piece, as a stream that is iterated does. */
async function* mergePieces(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* body;
}

/** Statuses whose answer has no body, as a Response wants it. */
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
  // A Request that has been collected hands no abort on any more.
  body.once('close', () => void request);
  const pairs = Object.entries(headers).map(([name, value = '']): [string, string] => [name, String(value)]);
  const isBodiless = bodilessStatuses.has(statusCode);
  if (isBodiless) body.resume();
  const stream = isBodiless
    ? null
    : (Readable.toWeb(Readable.from(mergePieces(body), { objectMode: false })) as ReadableStream<Uint8Array>);
  return new Response(stream, { status: statusCode, headers: pairs });
}

/** Told by their names, so that nobody loads ky to ask. */
const isNamed = (error: unknown, name: string): boolean => error instanceof Error && error.name === name;
export const isTimeout = (error: unknown): boolean => isNamed(error, 'TimeoutError');
export const isHttpError = (error: unknown): error is HTTPError => isNamed(error, 'HTTPError');

/** undici's names of what node:http and its users know under other ones. */
const commonCodes: Readonly<Record<string, string>> = { UND_ERR_SOCKET: 'ECONNRESET' };

/** The code of a failure, from wherever it was wrapped: messages may quote an address or what was sent. */
export function findErrorCode(error: unknown): string {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1) {
    if ('code' in cause && typeof cause.code === 'string') return commonCodes[cause.code] ?? cause.code;
  }
  return error instanceof Error ? error.name : 'unknown reason';
}

/** True for a failure that says that the other side was silent for too long. */
export const isSilence = (code: string): boolean => /^UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT$/.test(code);

/** Failures by which a certificate is from nobody whom this machine trusts. */
export const distrustCodes: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);
