/** The read-only server of /healthz, /livez and /metrics of a daemon. */
import { fastify } from 'fastify';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { encodeJson } from '../../core/outgoing-text.ts';
import type { ListenAddress } from '../../core/network-address.ts';
import type { Clock } from '../../core/ports.ts';
import { makeServerFactory, refuseOtherHosts, type ServerLimits } from '../../platform/http-server.ts';

/** The health of the process, shown whole as JSON: without secrets and full numbers. */
interface HealthAnswer {
  readonly live: boolean;
  readonly ready: boolean;
  readonly [fact: string]: unknown;
}

interface MonitorOptions {
  readonly listen: ListenAddress;
  /** The host names under which requests are accepted, besides addresses, localhost and the listening host. */
  readonly hosts?: readonly string[];
  readonly limits?: Partial<ServerLimits>;
  readonly readHealth: () => HealthAnswer;
  /** Renders Prometheus' text form. */
  readonly renderMetrics: () => Promise<string>;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly log: (level: 'info' | 'warn' | 'error', message: string, facts: object) => void;
}

/** Disposing of the monitor ends it at once and cuts off open answers. */
export interface Monitor extends AsyncDisposable {
  /** Resolves when it listens, or with undefined when it is closed before. Never rejects. */
  readonly opened: Promise<ListenAddress | undefined>;
}

const retryMs = 2_000;
const bodyBytesMax = 1_024;
const usualLimits: ServerLimits = {
  // Probes and one or two collectors. More connections must not take descriptors from payouts.
  connectionsMax: 64,
  // Slow requests are cut off.
  headersMs: 5_000,
  requestMs: 10_000,
  restMs: 5_000,
};
const loopbackPattern = /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/i;
const prometheusText = 'text/plain; version=0.0.4; charset=utf-8';

/** Opens the server. A taken port is tried until it is free: a standby waits for the process that it replaces. */
export function openMonitor(options: MonitorOptions): Monitor {
  const { host, port } = options.listen;
  if (!loopbackPattern.test(host)) {
    options.log('warn', 'health and metrics can be read from other machines: there is no password', {
      host,
      port,
    });
  }
  const app = createApp(options);
  const stop = new AbortController();
  const opened = listenPatiently(app, options, stop.signal);
  return {
    opened,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await opened;
      await app.close();
    },
  };
}

async function listenPatiently(
  app: FastifyInstance,
  { listen, clock, log }: MonitorOptions,
  stop: AbortSignal,
): Promise<ListenAddress | undefined> {
  const said = new Set<string>();
  while (!stop.aborted) {
    const trouble = await tryToListen(app, listen);
    if (trouble === undefined) {
      const { port } = app.server.address() as { readonly port: number };
      log('info', 'health and metrics can be read', { host: listen.host, port });
      return { host: listen.host, port };
    }
    if (!said.has(trouble)) log('warn', 'health and metrics cannot be read yet', { ...listen, why: trouble });
    said.add(trouble);
    await clock.sleep(retryMs, stop);
  }
  return undefined;
}

const listenTroubles: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is taken by another process (watch.listen): tried again until it is free',
  EACCES: 'this user may not listen on this port: set one above 1023 (watch.listen)',
  EADDRNOTAVAIL: 'this machine has no such address (watch.listen)',
  ENOTFOUND: 'this machine has no such name (watch.listen)',
};

/** Tries to listen; returns the reason for a failure, undefined once it listens. */
async function tryToListen(app: FastifyInstance, { host, port }: ListenAddress): Promise<string | undefined> {
  try {
    // A copy, because fastify writes into its argument.
    await app.listen({ host, port });
    return undefined;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    return listenTroubles[code] ?? code;
  }
}

function createApp(options: MonitorOptions): FastifyInstance {
  const { readHealth, renderMetrics, log, listen, hosts = [], limits } = options;
  const app = fastify({
    logger: false,
    forceCloseConnections: true,
    bodyLimit: bodyBytesMax,
    serverFactory: makeServerFactory({ ...usualLimits, ...limits }),
    frameworkErrors: (_error, _request, reply) => void sendNotFound(reply),
  });
  app.setReplySerializer((payload) => encodeJson(payload));
  app.addHook('onRequest', async (request, reply) => {
    void reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff');
    // Refuses before any body is read: nothing here accepts writes.
    return request.method === 'GET' ? undefined : sendNotFound(reply);
  });
  app.addHook('onRequest', refuseOtherHosts([...hosts, listen.host], 'add it to watch.hosts'));
  app.setNotFoundHandler((_request, reply) => sendNotFound(reply));
  app.setErrorHandler((error, _request, reply) => {
    log('error', 'health or metrics could not be told', { err: error });
    return reply.code(500).send({ error: 'this could not be told: the log says why' });
  });
  const sendHealth = (reply: FastifyReply, isAskedForLife: boolean): FastifyReply => {
    const health = readHealth();
    const isWell = isAskedForLife ? health.live : health.ready;
    return reply.code(isWell ? 200 : 503).send(health);
  };
  app.get('/healthz', (request, reply) => sendHealth(reply, Object.hasOwn(request.query as object, 'live')));
  app.get('/livez', (_request, reply) => sendHealth(reply, true));
  app.get('/metrics', async (_request, reply) => reply.type(prometheusText).send(await renderMetrics()));
  return app;
}

function sendNotFound(reply: FastifyReply): FastifyReply {
  return reply.code(404).header('cache-control', 'no-store').send({ error: 'not found' });
}
