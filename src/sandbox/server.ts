/**
 * The sandbox bank: a server over real HTTP that keeps the interface's rules, with a ledger of what really moved.
 * Behaviours that a table chooses by what a request carries make it slow, silent, wrong or broken on purpose.
 */
import fastify from 'fastify';
import type { FastifyInstance } from 'fastify';
import { wireNames } from '../bank/wire.ts';
import type { WirePaths } from '../bank/wire.ts';
import { parseBaht } from '../core/money.ts';
import { createBehaviourIndex } from './behaviours.ts';
import { Book } from './book.ts';
import type { Ledger } from './book.ts';
import type { BusinessTerms } from './business.ts';
import { createBankClock } from './clock.ts';
import { addControlRoute, createControls } from './controls.ts';
import type { SandboxControls } from './controls.ts';
import { createDirectory } from './directory.ts';
import { createHandlers } from './gateway.ts';
import type { Gateway } from './gateway.ts';
import { createInquiry } from './inquiry.ts';
import { createPayeeCheck } from './payee-check.ts';
import { SandboxError } from './sandbox-error.ts';
import { addDownloadRoute } from './statement/download.ts';
import { createReconcile } from './statement/reconcile.ts';
import { createSignedStatements } from './statement/signed-statements.ts';
import { parseSandboxTable, pickTable } from './table.ts';
import type { SandboxTable, SandboxTableInput } from './table.ts';
import { createTokenService } from './tokens.ts';
import { createTransfer } from './transfer.ts';

/** Who the partner is, where the bank stands, and the whole of its table. */
export interface SandboxOptions extends SandboxTableInput {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly companyId: string;
  /** Registered for the company (§4 rule 4). */
  readonly payerAccounts: string[];
  /** The scheme's word; "proxy" when left out. */
  readonly scheme?: string | undefined;
  /** 0 or left out: a free one. */
  readonly port?: number | undefined;
  /** Remembers transfers and duplicates across restarts. */
  readonly stateFile?: string | undefined;
  /** Source of the bank's time, epoch milliseconds. */
  readonly now?: (() => number) | undefined;
}

export interface Sandbox extends AsyncDisposable {
  /** "http://127.0.0.1:1234" */
  readonly baseUrl: string;
  readonly port: number;
  readonly controls: SandboxControls;
  /** What really moved, as of the bank's now. */
  ledger(): Ledger;
  /** Ends at once: answers that are waiting are dropped, connections are closed. */
  close(): Promise<void>;
}

const host = '127.0.0.1';
const bodyBytesMax = 64 * 1024;

function createTerms(options: SandboxOptions, table: SandboxTable): BusinessTerms {
  return {
    names: wireNames(options.scheme ?? 'proxy'),
    clientId: options.clientId,
    companyId: options.companyId,
    payerAccounts: new Set(options.payerAccounts),
    table,
    book: new Book(options.companyId, options.stateFile),
    statements: createSignedStatements(table.statement),
    findPayee: createDirectory(table.directory, table.knownPayeesOnly),
    findBehaviour: createBehaviourIndex(table.behaviours),
    isOpen: true,
    payerBalanceSatang: parseBaht(table.payerBalanceBaht) ?? null,
  };
}

function createGateway(options: SandboxOptions, table: SandboxTable): Gateway {
  const { clientId, clientSecret } = options;
  const { accessTokenSeconds, refreshTokenSeconds, latencyMs, requestsPerSecondLimit } = table;
  return {
    clock: createBankClock(options.now ?? Date.now),
    tokens: createTokenService({ clientId, clientSecret, accessTokenSeconds, refreshTokenSeconds }),
    terms: createTerms(options, table),
    requests: { token: 0, tokenRefresh: 0, payeeCheck: 0, transfer: 0, inquiry: 0, statement: 0, other: 0 },
    latencyMs,
    requestsPerSecondLimit,
    waiting: new Set(),
    isOut: false,
  };
}

function createApp(): FastifyInstance {
  const app = fastify({ logger: false, forceCloseConnections: true, bodyLimit: bodyBytesMax });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, text, done) => done(null, text));
  app.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
    const status = error.statusCode ?? 500;
    const statusCode = status < 500 ? 'PT001' : 'ED001';
    return reply
      .code(status)
      .send({ statusCode, statusDesc: error.message, severity: 'ERROR', requestUID: '' });
  });
  return app;
}

function addRoutes(app: FastifyInstance, gateway: Gateway, paths: WirePaths): void {
  const { terms, tokens } = gateway;
  const handlers = createHandlers(gateway);
  app.post(paths.token, handlers.token('token', tokens.issue));
  app.post(paths.tokenRefresh, handlers.token('tokenRefresh', tokens.refresh));
  app.post(paths.payeeCheck, handlers.business('payeeCheck', createPayeeCheck(terms)));
  app.post(paths.transfer, handlers.business('transfer', createTransfer(terms)));
  app.post(paths.inquiry, handlers.business('inquiry', createInquiry(terms)));
  app.post(paths.statement, handlers.business('statement', createReconcile(terms)));
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
 * Starts a bank of its own on the loopback address.
 * @throws SandboxError naming the key, file or port that is wrong
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const table = parseSandboxTable(pickTable(options));
  const gateway = createGateway(options, table);
  const { book, names, statements } = gateway.terms;
  const ledger = (): Ledger => book.ledger(gateway.clock.now(), gateway.requests, statements);
  const controls = createControls(gateway);
  const app = createApp();
  addRoutes(app, gateway, names.paths);
  const fileApp = table.statement.host === 'other' ? createApp() : app;
  addDownloadRoute(fileApp, gateway);
  app.get('/ledger', (_request, reply) => reply.send(ledger()));
  if (table.control) addControlRoute(app, controls);

  const end = async (): Promise<void> => {
    for (const timer of gateway.waiting) clearTimeout(timer);
    gateway.waiting.clear();
    await Promise.all([...new Set([app, fileApp])].map((server) => server.close()));
    book.close();
  };
  let ended: Promise<void> | undefined;
  const close = (): Promise<void> => (ended ??= end());
  try {
    const port = await listen(app, options.port ?? 0);
    const baseUrl = `http://${host}:${port}`;
    statements.origin = fileApp === app ? baseUrl : `http://${host}:${await listen(fileApp, 0)}`;
    return { baseUrl, port, controls, ledger, close, [Symbol.asyncDispose]: close };
  } catch (cause) {
    await close();
    throw cause;
  }
}
