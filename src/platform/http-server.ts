/** What every HTTP server of ours has: bounds on connections and time, and an ear only for names that it is known by. */
import { createServer, type RequestListener, type Server } from 'node:http';
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
}

/** Node looks for connections that are late only so often. */
const lookMsMax = 1_000;

/** For fastify's `serverFactory`: each server that it opens, one for each address of a name, has the limits. */
export const makeServerFactory =
  ({ connectionsMax, headersMs, requestMs, restMs }: ServerLimits) =>
  (handler: RequestListener): Server => {
    const server = createServer({
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      keepAliveTimeout: restMs,
      connectionsCheckingInterval: Math.min(lookMsMax, headersMs),
    });
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
    reply: { code(status: number): { send(body: object): unknown } },
    done: () => void,
  ): void => {
    if (isServedHost(host, names)) done();
    else reply.code(misdirectedStatus).send({ error: `not served under this name: ${hint}` });
  };
