/** Guards of every request, before any view: its address, its form, its rate, and its share of the connections. */
import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import cookies from '@fastify/cookie';
import csrf from '@fastify/csrf-protection';
import forms from '@fastify/formbody';
import helmet from '@fastify/helmet';
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../../core/ports.ts';
import { refuseOtherHosts } from '../../platform/http-server.ts';
import type { SessionStore } from '../ports.ts';
import { toSource } from '../rules/proxy-header.ts';
import { hashSession } from '../sessions.ts';
import type { Fields } from './view.ts';

/** The address of the page for other machines. */
export interface OutsideAddress {
  /** The origin, such as "https://review.example", for which a proxy speaks https. */
  readonly origin: string;
  /** The addresses of the proxy; all other addresses are refused. */
  readonly proxies: readonly string[];
  /** The header in which the proxy names the person; with it, no password signs anyone in. */
  readonly userHeader?: string | undefined;
}

interface GuardOptions {
  /** Undefined where the page answers this machine only. */
  readonly outside?: OutsideAddress | undefined;
  readonly store: Pick<SessionStore, 'session'> & { readonly journalId: string };
  readonly log: Log;
}

export const minuteMs = 60_000;
const requestsAMinute = 600;
const tooLargeStatus = 413;
/** The limit of one person over all browsers; a browser opens six, or behind a proxy one per tab and request. */
const connectionsOfOneMax = 32;

// ---------------------------------------------------------------- source address

/** Turns an IPv4 address written as IPv6 into plain IPv4. */
const toPlain = (address: string): string => address.replace(/^::ffff:/, '');

/**
 * The network address of the client: the one that the trusted proxy names, and for IPv6 its 64-bit network, which
 * belongs to one customer. Undefined where all requests share one address: this machine, or a proxy that names none.
 */
export function findSource({ ip }: FastifyRequest, outside: OutsideAddress | undefined): string | undefined {
  if (outside === undefined || outside.proxies.includes(toPlain(ip))) return undefined;
  return toSource(ip);
}

// ---------------------------------------------------------------- cookies

/** Options of a secret cookie: hidden from scripts, and not sent with requests from other sites. */
export const secretCookie = { path: '/', httpOnly: true, sameSite: 'strict' } as const;
export const yearSeconds = 31_536_000;

/** The cookies of the page, by name. */
export type CookieNames = Readonly<Record<'session' | 'form' | 'kept' | 'language' | 'theme', string>>;

/** Behind https, the prefix `__Host-` proves that this very host has set the cookie, not another page of its domain. */
export function cookieNamesOf(outside: OutsideAddress | undefined): CookieNames {
  const prefix = outside === undefined ? '' : '__Host-';
  return {
    session: `${prefix}paydrop_session`,
    form: `${prefix}_csrf`,
    kept: `${prefix}kept`,
    language: `${prefix}language`,
    theme: `${prefix}theme`,
  };
}

// ---------------------------------------------------------------- guards

const own = ["'self'"];
const contentSecurityPolicy = {
  useDefaults: false,
  directives: {
    defaultSrc: ["'none'"],
    scriptSrc: own,
    styleSrc: own,
    imgSrc: own,
    connectSrc: own,
    formAction: own,
    baseUri: ["'none'"],
    frameAncestors: ["'none'"],
  },
};

/** The fields of a form; the last value of a repeated one. */
export const lastOfEach = (body: unknown): Fields =>
  Object.fromEntries(
    Object.entries((body ?? {}) as Readonly<Record<string, string | readonly string[]>>).map(
      ([name, value]) => [name, typeof value === 'string' ? value : value.at(-1)],
    ),
  );

/** Refuses a request with a line of text, and closes the connection, which an unsent body would hold. */
export const sendText = (reply: FastifyReply, status: number, text: string): FastifyReply =>
  reply.code(status).header('connection', 'close').type('text/plain; charset=utf-8').send(text);

/** Refuses all requests except the proxy's, under the name that it serves and over https. */
const refuseAround =
  ({ origin, proxies }: OutsideAddress) =>
  async ({ socket, headers }: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const from = toPlain(socket.remoteAddress ?? '');
    if (!proxies.includes(from)) return sendText(reply, 403, 'ask for it through its proxy');
    if (headers.host !== new URL(origin).host) return sendText(reply, 421, 'not served under this name');
    return headers['x-forwarded-proto'] === 'https' ? undefined : sendText(reply, 403, 'ask for it by https');
  };

/**
 * The key for form tokens, shared by all pages of a journal: a form opened at one machine works at another, and after a
 * restart. The key need not be secret: a token is valid for one session, by a hash of its secret, and for one browser,
 * by a cookie.
 */
const formKeyOf = (journalId: string): string =>
  createHash('sha256').update(`paydrop review forms ${journalId}`).digest('hex');

export async function addGuards(app: FastifyInstance, { outside, store, log }: GuardOptions): Promise<void> {
  const names = cookieNamesOf(outside);
  if (outside === undefined) app.addHook('onRequest', refuseOtherHosts([], 'open it as http://localhost'));
  else app.addHook('onRequest', refuseAround(outside));
  app.addHook('onRequest', refuseForeignPosts(outside?.origin));
  await app.register(helmet, {
    contentSecurityPolicy,
    // Without this policy, the Origin of a form is `null`, the same as that of a foreign form.
    referrerPolicy: { policy: 'same-origin' },
    strictTransportSecurity: outside === undefined ? false : { maxAge: yearSeconds },
    xFrameOptions: { action: 'deny' },
  });
  app.addHook('onRequest', async (_request, reply) => {
    void reply
      .header('cache-control', 'no-store')
      .header('permissions-policy', 'camera=(), geolocation=(), microphone=(), payment=()');
  });
  // On plain http to the loopback address, some browsers do not send `Secure` cookies at all.
  await app.register(cookies, { parseOptions: { secure: outside !== undefined } });
  await app.register(forms);
  // Forms are the only accepted bodies.
  app.removeContentTypeParser('application/json');
  await app.register(csrf, {
    cookieKey: names.form,
    cookieOpts: secretCookie,
    csrfOpts: { hmacKey: formKeyOf(store.journalId) },
    getUserInfo: (request) => nameSession(request, names),
    getToken: (request) => lastOfEach(request.body)['_csrf'],
  });
  await app.register(rateLimit, { max: requestsAMinute, timeWindow: minuteMs });
  addShares(app, store, names);
  addLogOfLarge(app, log);
}

/** Logs requests that are too large: an attack, or a file that needs another way. */
function addLogOfLarge(app: FastifyInstance, log: Log): void {
  app.addHook('onResponse', async ({ method, routeOptions, headers }, reply) => {
    if (reply.statusCode !== tooLargeStatus) return;
    const facts = { method, path: routeOptions.url, bytes: Number(headers['content-length']) || undefined };
    log('warn', 'the review page refused what was sent: it is too large', facts);
  });
}

/** Limits each holder's connections: a body without end, an unread answer or repeated requests would hold them all. */
function addShares(
  app: FastifyInstance,
  store: Pick<SessionStore, 'session'>,
  { session: sessionCookie }: CookieNames,
): void {
  const shares = new ConnectionShares(connectionsOfOneMax);
  app.addHook('onRequest', async (request, reply) => {
    const secret = request.cookies[sessionCookie];
    const session = secret === undefined ? undefined : await store.session(hashSession(secret));
    const holder = session === undefined ? `from ${request.ip}` : `person ${session.personId}`;
    const { admission, end } = shares.begin(holder, request.raw.socket);
    if (reply.raw.destroyed) end();
    else reply.raw.once('close', end);
    if (admission !== 'keep') void reply.header('connection', 'close');
    return admission === 'refuse' ? sendText(reply, 429, 'too many connections at once') : undefined;
  });
}

/**
 * Refuses forms of other pages, whatever the browser does with cookies.
 * @param served the origin under which the page is requested
 */
const refuseForeignPosts =
  (served: string | undefined) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    if (request.method === 'GET' || request.method === 'HEAD') return undefined;
    const { origin, host, 'sec-fetch-site': site = 'same-origin' } = request.headers;
    if (origin !== undefined && origin === (served ?? `http://${host}`) && site === 'same-origin')
      return undefined;
    return sendText(reply, 403, 'this form is not ours');
  };

/** The session to which a form belongs: the one in which it was displayed. */
export const nameSession = ({ cookies: kept }: FastifyRequest, { session }: CookieNames): string => {
  const secret = kept[session];
  return secret === undefined ? 'no session' : hashSession(secret);
};

/** The connections and requests of one holder. */
interface Held {
  /** The requests that are not yet answered. */
  requests: number;
  /** The connections on which the holder asked last, idle ones included. */
  readonly sockets: Set<Socket>;
}

/** `close`: the connection ends with the answer; `refuse`: the only answer is that there are too many. */
type Admission = 'keep' | 'close' | 'refuse';

/** Counts connections by their holders, and limits each holder's, so that others find some free. @forTests */
export class ConnectionShares {
  readonly #max: number;
  readonly #holders = new Map<string, Held>();
  readonly #holderOf = new WeakMap<Socket, string>();

  /** @param max the limit for one holder */
  constructor(max: number) {
    this.#max = max;
  }

  /** Begins a request. The caller calls `end` once, when the request is over. */
  begin(holder: string, socket: Socket): { readonly admission: Admission; readonly end: () => void } {
    const held = this.#take(holder, socket);
    held.requests += 1;
    const end = (): void => {
      held.requests -= 1;
      this.#drop(holder, held);
    };
    if (held.requests > this.#max) return { admission: 'refuse', end };
    return { admission: held.sockets.size > this.#max ? 'close' : 'keep', end };
  }

  /** Assigns a connection to its latest holder: behind a proxy, a connection carries requests of many. */
  #take(holder: string, socket: Socket): Held {
    const before = this.#holderOf.get(socket);
    if (before !== holder) {
      if (before === undefined) socket.once('close', () => this.#release(socket));
      else this.#release(socket);
      this.#holderOf.set(socket, holder);
    }
    const held = this.#holders.get(holder) ?? { requests: 0, sockets: new Set() };
    held.sockets.add(socket);
    this.#holders.set(holder, held);
    return held;
  }

  #release(socket: Socket): void {
    const holder = this.#holderOf.get(socket) ?? '';
    const held = this.#holders.get(holder);
    if (held === undefined) return;
    held.sockets.delete(socket);
    this.#drop(holder, held);
  }

  #drop(holder: string, held: Held): void {
    if (held.requests === 0 && held.sockets.size === 0) this.#holders.delete(holder);
  }
}
