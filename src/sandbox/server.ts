/**
 * The sandbox bank: a server over real HTTP that follows the interface's rules, with a ledger of the money that really
 * moved. A table selects behaviours by the fields of a request: slow, silent, wrong or broken on purpose.
 */
import fastify, { type FastifyInstance } from 'fastify';
import { sandboxHeader } from '../bank/wire.ts';
import { makeServerFactory, refuseOtherHosts, type ServerLimits } from '../platform/http-server.ts';
import { openBank, type SandboxBank, type SandboxOptions } from './bank.ts';
import type { Ledger } from './book.ts';
import { addControlRoute, addLedgerRoute, control, type ControlCommand } from './controls.ts';
import { createHandlers } from './gateway.ts';
import { createInquiry } from './inquiry.ts';
import { createPayeeCheck } from './payee-check.ts';
import { Caller } from './registration/caller.ts';
import { createRegistration } from './registration/registration.ts';
import { SandboxError } from './sandbox-error.ts';
import { addDownloadRoute } from './statement/download.ts';
import { createReconcile } from './statement/reconcile.ts';
import { createTransfer } from './transfer.ts';

export interface Sandbox extends AsyncDisposable {
  /** "http://127.0.0.1:1234" */
  readonly baseUrl: string;
  readonly port: number;
  /** Bearer token for `GET /ledger` and `POST /sandbox/control`. */
  readonly controlToken: string;
  /** URL of the callbacks for its own client; empty: none. */
  readonly callbackUrl: string;
  /**
   * Changes the bank while it runs.
   * @throws SandboxError for an unreadable command
   */
  control(command: ControlCommand): void;
  /** The money that really moved, by the bank's present time. */
  ledger(): Ledger;
  /** Ends at once: waiting answers are dropped, connections are closed. */
  close(): Promise<void>;
}

const host = '127.0.0.1';
const bodyBytesMax = 64 * 1024;

/** Limits above what clients with the highest settings open at once. Answers may take any time. */
const usualLimits: ServerLimits = {
  connectionsMax: 4_096,
  headersMs: 10_000,
  requestMs: 30_000,
  restMs: 10_000,
};

/** As a real bank's server (`asBank`) it does not identify itself. */
function createApp({ asBank = false, limits }: SandboxOptions, bank: SandboxBank): FastifyInstance {
  const serverFactory = makeServerFactory({ ...usualLimits, ...limits });
  const app = fastify({ logger: false, forceCloseConnections: true, bodyLimit: bodyBytesMax, serverFactory });
  app.removeAllContentTypeParsers();
  // Set on the raw response, to which handlers write directly, so that every reply has it.
  if (!asBank)
    app.addHook('onRequest', (_request, reply, done) => {
      reply.raw.setHeader(sandboxHeader, '1');
      done();
    });
  app.addHook('onRequest', refuseOtherHosts(bank.table.hosts, 'add it to hosts in the sandbox section'));
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, text, done) => done(null, text));
  app.setErrorHandler((error: Error & { statusCode?: number }, request, reply) => {
    const status = error.statusCode ?? 500;
    const [bad, failed] =
      request.url === bank.names.paths.registration ? ['AU00400', 'SYS001'] : ['PT001', 'ED001'];
    const statusCode = status < 500 ? bad : failed;
    return reply
      .code(status)
      .send({ statusCode, statusDesc: error.message, severity: 'ERROR', requestUID: '' });
  });
  return app;
}

/**
 * GET /sandbox identifies the sandbox to a client, before that opens its journal. It does not count as a request to the
 * bank.
 */
function addSelfRoute(app: FastifyInstance, bank: SandboxBank): void {
  app.get('/sandbox', (request, reply) => {
    if (!bank.isOut) return reply.send({ sandbox: true });
    reply.hijack();
    return request.raw.socket.destroy();
  });
}

function addRoutes(app: FastifyInstance, bank: SandboxBank, caller: Caller): void {
  const { tokens, names } = bank;
  const handlers = createHandlers(bank);
  app.post(names.paths.token, handlers.token('token', tokens.issue));
  app.post(names.paths.tokenRefresh, handlers.token('tokenRefresh', tokens.refresh));
  app.post(names.paths.payeeCheck, handlers.business('payeeCheck', createPayeeCheck(bank)));
  app.post(names.paths.transfer, handlers.business('transfer', createTransfer(bank)));
  app.post(names.paths.inquiry, handlers.business('inquiry', createInquiry(bank)));
  app.post(names.paths.statement, handlers.business('statement', createReconcile(bank)));
  app.post(names.paths.registration, handlers.registration(createRegistration(bank, caller)));
  app.setNotFoundHandler(handlers.other);
}

async function listen(app: FastifyInstance, port: number): Promise<number> {
  try {
    await app.listen({ host, port });
  } catch (cause) {
    const why = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
    throw new SandboxError(`the sandbox cannot listen on ${host}:${port} (${why}): give another port`, {
      cause,
    });
  }
  const address = app.server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

/**
 * Starts a bank on the loopback address.
 * @throws SandboxError naming the key, file or port at fault
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const bank = openBank(options);
  const { book, registrations, statements, table } = bank;
  const caller = new Caller(bank);
  const ledger = (): Ledger => ({
    ...book.ledger(bank.clock.now(), bank.requests, statements),
    busiestSecond: bank.busiestSecond,
    registrations: registrations.ledger(bank.registration.table, bank.clock.now()),
  });
  const obey = (command: ControlCommand): void => {
    control(bank, command);
    caller.reconsider();
  };
  const app = createApp(options, bank);
  if (options.asBank !== true) addSelfRoute(app, bank);
  addRoutes(app, bank, caller);
  const fileApp = table.statement.host === 'other' ? createApp(options, bank) : app;
  addDownloadRoute(fileApp, bank);
  addLedgerRoute(app, bank, ledger);
  if (table.control) addControlRoute(app, bank, obey);

  const end = async (): Promise<void> => {
    await Promise.all([caller, ...new Set([app, fileApp])].map((open) => open.close()));
    book.close();
  };
  let ended: Promise<void> | undefined;
  const close = (): Promise<void> => (ended ??= end());
  try {
    const port = await listen(app, options.port ?? 0);
    const baseUrl = `http://${host}:${port}`;
    caller.resume();
    statements.origin = fileApp === app ? baseUrl : `http://${host}:${await listen(fileApp, 0)}`;
    return {
      baseUrl,
      port,
      controlToken: bank.controlToken,
      callbackUrl: table.registration.callbackUrl,
      control: obey,
      ledger,
      close,
      [Symbol.asyncDispose]: close,
    };
  } catch (cause) {
    await close();
    throw cause;
  }
}
