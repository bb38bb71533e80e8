/** Limits of every HTTP server of ours, on connections and time, and the check of the host names that it serves. */
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { isServedHost } from '../core/network-address.ts';

export interface ServerLimits {
  /** Most connections; further ones are closed at once. */
  readonly connectionsMax: number;
  /** Time in ms from the connection, or the end of the previous request, to the last header. */
  readonly headersMs: number;
  /** Time in ms to the end of the body. */
  readonly requestMs: number;
  /** Time in ms between two requests on a connection. */
  readonly restMs: number;
  /** Bytes of all headers together; left out: Node's own limit. */
  readonly headerBytesMax?: number;
}

/** Key and certificate as PEM; the certificate includes the intermediate ones. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** Longest interval in ms at which Node checks for late connections. */
const lookMsMax = 1_000;

/**
 * Makes fastify's `serverFactory`: each server that it opens, one for each address of a name, has the limits.
 * @param certificate set for a server that speaks TLS
 */
export const makeServerFactory =
  (
    { connectionsMax, headersMs, requestMs, restMs, headerBytesMax }: ServerLimits,
    certificate?: Certificate,
  ) =>
  (handler: RequestListener): Server => {
    const options = {
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      keepAliveTimeout: restMs,
      connectionsCheckingInterval: Math.min(lookMsMax, headersMs),
      ...(headerBytesMax === undefined ? {} : { maxHeaderSize: headerBytesMax }),
    };
    // Both kinds of server have what fastify needs.
    const server =
      certificate === undefined
        ? createServer(options)
        : (createSecureServer({ ...options, ...certificate, handshakeTimeout: headersMs }) as Server);
    server.on('request', handler);
    server.maxConnections = connectionsMax;
    return server;
  };

/** HTTP 421, for a request under a name that is not served. */
const misdirectedStatus = 421;

/**
 * Makes fastify's `onRequest`, which refuses requests under another host name. A foreign page whose name was pointed
 * here (DNS rebinding) then reads nothing through its visitor's browser.
 * @param names besides addresses and localhost
 */
export const refuseOtherHosts =
  (names: readonly string[], hint: string) =>
  (
    { headers: { host } }: { readonly headers: { readonly host?: string | undefined } },
    reply: {
      code(status: number): { header(name: string, value: string): { send(body: object): unknown } };
    },
    done: () => void,
  ): void => {
    if (isServedHost(host, names)) done();
    else {
      // A body that is still on its way would hold the connection.
      const refused = reply.code(misdirectedStatus).header('connection', 'close');
      refused.send({ error: `not served under this name: ${hint}` });
    }
  };
