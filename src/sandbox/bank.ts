/** The running sandbox bank: its table, its state, and the parts that may change while it runs. */
import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { wireNames } from '../bank/wire.ts';
import { parseBaht } from '../core/money.ts';
import type { Clock } from '../core/ports.ts';
import { systemClock } from '../platform/clock.ts';
import type { ServerLimits } from '../platform/http-server.ts';
import { createBehaviourIndex } from './behaviours.ts';
import { Book, type Ledger } from './book.ts';
import { type Client, createClients } from './clients.ts';
import type { Delivery } from './delivery.ts';
import { createDirectory } from './directory.ts';
import { type Body, echo, textOf } from './fields.ts';
import { RegistrationBook } from './registration/book.ts';
import { indexTable } from './registration/table-index.ts';
import { createSignedStatements } from './statement/signed-statements.ts';
import { type BusinessStatus, statusOf } from './status-texts.ts';
import { endpoints, parseSandboxTable, pickTable, type SandboxTableInput } from './table.ts';
import { createTokenService } from './tokens.ts';

/** The partner's credentials, the bank's place, and its whole table. */
export interface SandboxOptions extends SandboxTableInput {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly companyId: string;
  /** Accounts registered for the company (§4 rule 4). */
  readonly payerAccounts: string[];
  /** The scheme's word; "proxy" when left out. */
  readonly scheme?: string | undefined;
  /** Port; 0 or left out: a free one. */
  readonly port?: number | undefined;
  /** File that keeps transfers and duplicates across restarts. */
  readonly stateFile?: string | undefined;
  /** True: the bank does not identify itself as a sandbox, so that everything about a real bank can be rehearsed. */
  readonly asBank?: boolean | undefined;
  readonly limits?: Partial<ServerLimits>;
  /** Source of the bank's time, epoch milliseconds. */
  readonly now?: (() => number) | undefined;
  /** Waits by the same time; left out: the machine's own. */
  readonly sleep?: Clock['sleep'] | undefined;
}

const controlTokenBytes = 24;

/** Formats `Date` headers, once per second: a rehearsal's bank has thousands of answers in it. */
function makeHeaderFormat(): (epochMs: number) => string {
  const written = { second: NaN, text: '' };
  return (epochMs) => {
    const second = Math.floor(epochMs / 1_000);
    if (second !== written.second) Object.assign(written, { second, text: new Date(epochMs).toUTCString() });
    return written.text;
  };
}

export type SandboxBank = ReturnType<typeof openBank>;

/**
 * Opens a bank; each request reads the changeable parts anew.
 * @throws SandboxError
 */
export function openBank(options: SandboxOptions) {
  const { scheme = 'proxy', now = Date.now, sleep = systemClock.sleep } = options;
  const table = parseSandboxTable(pickTable(options));
  const clients = createClients({ ...options, ...table });
  const formatHeader = makeHeaderFormat();
  const clock = {
    /** Offset in ms of the bank's time from its source. */
    aheadMs: 0,
    now: (): number => now() + clock.aheadMs,
    sleep,
    /** The `Date` header of an answer. */
    dateHeader: (): string => formatHeader(clock.now()),
  };
  const registrations = new RegistrationBook((line) => book.append(line));
  const book = new Book(clients.homeCompanyId, options.stateFile, (line) => registrations.replay(line));
  return {
    clients,
    /**
     * Token of the ledger and the controls: new at each start, and known only through the process that starts the bank.
     */
    controlToken: randomBytes(controlTokenBytes).toString('base64url'),
    names: wireNames(scheme),
    table,
    clock,
    tokens: createTokenService(clients, table),
    book,
    registrations,
    /** The section's present table, and its index for fast look-ups. */
    registration: { table: table.registration, index: indexTable(table.registration) },
    statements: createSignedStatements(table.statement),
    findPayee: createDirectory(table.directory, table.knownPayeesOnly),
    findBehaviour: createBehaviourIndex(table.behaviours),
    requests: Object.fromEntries([...endpoints, 'other'].map((name) => [name, 0])) as Ledger['requests'],
    /** Most requests within any one second, without those for tokens. */
    busiestSecond: 0,
    /** False: transfers get TM001. */
    isOpen: true,
    /** True: every connection is closed without an answer. */
    isOut: false,
    /** Funds of each payer account; null: unlimited. */
    payerBalanceSatang: parseBaht(table.payerBalanceBaht) ?? null,
  };
}

/** Answers a request with a JSON body and a known token. */
export type AnswerRequest = (body: Body, nowMs: number, client: Client) => Delivery;

/** A raw request to endpoint 3. */
export interface RegistrationRequest {
  readonly headers: IncomingHttpHeaders;
  /** Undefined when the body is not a JSON object. */
  readonly body: Body | undefined;
  /** The client of its token; undefined for an unknown token. */
  readonly client: Client | undefined;
  readonly nowMs: number;
}

export type AnswerRegistration = (request: RegistrationRequest) => Delivery;

/** First fields of every business answer (§2.4–2.6). Severities other than INFO are not shown (§4 rule 8). */
export function answerHead({ code, text }: BusinessStatus, body: Body): Record<string, string> {
  const severity = code === 'IC000' || code === 'IC001' ? 'INFO' : 'ERROR';
  return { statusCode: code, statusDesc: text, severity, requestUID: echo(body, 'requestUID') };
}

/** Checks that the company is the client's. */
export function findCompanyFault(client: Client, body: Body): BusinessStatus | undefined {
  return client.companyIds.has(textOf(body, 'compId')) ? undefined : statusOf('EM002');
}

/** Checks that the company is the client's, and the payer account is registered for it (§4 rule 4). */
export function findPayerFault(bank: SandboxBank, client: Client, body: Body): BusinessStatus | undefined {
  const accounts = bank.clients.accountsOf(textOf(body, 'compId'));
  return (
    findCompanyFault(client, body) ??
    (accounts.has(textOf(body, 'payerAccount')) ? undefined : statusOf('EM004'))
  );
}
