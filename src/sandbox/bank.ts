/** The running bank: what it is like, what it holds, and what may change while it runs. */
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
  /** True: it does not say that it is a sandbox, so that all that is asked of a real bank can be rehearsed. */
  readonly asBank?: boolean | undefined;
  readonly limits?: Partial<ServerLimits>;
  /** Source of the bank's time, epoch milliseconds. */
  readonly now?: (() => number) | undefined;
  /** Waits by the same time; the machine's own when left out. */
  readonly sleep?: Clock['sleep'] | undefined;
}

const controlTokenBytes = 24;

/** A `Date` header, written once a second: a bank of a rehearsal has thousands of answers in it. */
function makeHeaderFormat(): (epochMs: number) => string {
  const written = { second: NaN, text: '' };
  return (epochMs) => {
    const second = Math.floor(epochMs / 1_000);
    if (second !== written.second) Object.assign(written, { second, text: new Date(epochMs).toUTCString() });
    return written.text;
  };
}

export type SandboxBank = ReturnType<typeof openBank>;

/** The parts that can change while it runs are read anew for each request. @throws SandboxError */
export function openBank(options: SandboxOptions) {
  const { scheme = 'proxy', now = Date.now, sleep = systemClock.sleep } = options;
  const table = parseSandboxTable(pickTable(options));
  const clients = createClients({ ...options, ...table });
  const formatHeader = makeHeaderFormat();
  const clock = {
    /** How far the bank's own time is set apart from its source. */
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
    /** Which the ledger and the controls want: new at each start, and told by who starts the bank alone. */
    controlToken: randomBytes(controlTokenBytes).toString('base64url'),
    names: wireNames(scheme),
    table,
    clock,
    tokens: createTokenService(clients, table),
    book,
    registrations,
    /** What the section says now, and the same for quick looks. */
    registration: { table: table.registration, index: indexTable(table.registration) },
    statements: createSignedStatements(table.statement),
    findPayee: createDirectory(table.directory, table.knownPayeesOnly),
    findBehaviour: createBehaviourIndex(table.behaviours),
    requests: Object.fromEntries([...endpoints, 'other'].map((name) => [name, 0])) as Ledger['requests'],
    /** The most requests that came within one second, wherever it begins; requests for tokens aside. */
    busiestSecond: 0,
    /** False: transfers get TM001. */
    isOpen: true,
    /** True: every connection is closed without an answer. */
    isOut: false,
    /** What each payer account has to spend; null = no end of money. */
    payerBalanceSatang: parseBaht(table.payerBalanceBaht) ?? null,
  };
}

/** Answers a body that has been read as a JSON object, from a bearer that the bank knows. */
export type AnswerRequest = (body: Body, nowMs: number, client: Client) => Delivery;

/** A request to endpoint 3, before anybody has looked at it. */
export interface RegistrationRequest {
  readonly headers: IncomingHttpHeaders;
  /** Undefined for what is no JSON object. */
  readonly body: Body | undefined;
  /** Whose token it bears; undefined for nobody's. */
  readonly client: Client | undefined;
  readonly nowMs: number;
}

export type AnswerRegistration = (request: RegistrationRequest) => Delivery;

/** Fields that every business answer begins with (§2.4–2.6). Severities but INFO are not shown (§4 rule 8). */
export function answerHead({ code, text }: BusinessStatus, body: Body): Record<string, string> {
  const severity = code === 'IC000' || code === 'IC001' ? 'INFO' : 'ERROR';
  return { statusCode: code, statusDesc: text, severity, requestUID: echo(body, 'requestUID') };
}

/** The company must be the client's. */
export function findCompanyFault(client: Client, body: Body): BusinessStatus | undefined {
  return client.companyIds.has(textOf(body, 'compId')) ? undefined : statusOf('EM002');
}

/** The company must be the client's, and the payer account registered for it (§4 rule 4). */
export function findPayerFault(bank: SandboxBank, client: Client, body: Body): BusinessStatus | undefined {
  const accounts = bank.clients.accountsOf(textOf(body, 'compId'));
  return (
    findCompanyFault(client, body) ??
    (accounts.has(textOf(body, 'payerAccount')) ? undefined : statusOf('EM004'))
  );
}
