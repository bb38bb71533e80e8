/** What every HTTP server of ours has: bounds on connections and time, and an ear only for names that it is known by. */
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { isServedHost } from '../core/network-address.ts';

export interface ServerLimits {
  /** Further ones are closed at once. */
  readonly connectionsMax: number;
  /** From the connection, or the end of the request before, to the last header. */
  readonly headersMs: number;
  /** The same to the end of the body. */
  readonly requestMs: number;
  /** Between two requests on a connection. */
  readonly restMs: number;
  /** Of all headers together; Node's own limit when left out. */
  readonly headerBytesMax?: number;
}

/** Both as PEM; the certificate with those between it and a root. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** Node looks for connections that are late only so often. */
const lookMsMax = 1_000;

/**
 * For fastify's `serverFactory`: each server that it opens, one for each address of a name, has the limits.
 * @param certificate of a server that speaks TLS
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
    // What fastify asks of a server, both kinds have.
    const server =
      certificate === undefined
        ? createServer(options)
        : (createSecureServer({ ...options, ...certificate, handshakeTimeout: headersMs }) as Server);
    server.on('request', handler);
    server.maxConnections = connectionsMax;
    return server;
  };

/** What is answered to those who came under a name that is not served (HTTP 421). */
const misdirectedStatus = 421;

/**
 * For fastify's `onRequest`: ends requests under another name. A page of somebody else's name that has been made to lead
 * here (DNS rebinding) reads nothing through its visitor's browser.
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
      // A body that is still to come would hold the connection.
      const refused = reply.code(misdirectedStatus).header('connection', 'close');
      refused.send({ error: `not served under this name: ${hint}` });
    }
  };
