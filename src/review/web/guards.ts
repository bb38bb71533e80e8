/** What holds for every request of the page, before any view is asked: from where, in which form, how often, how many at once. */
import { createHash } from 'node:crypto';
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
import { ConnectionShares } from './connections.ts';
import type { Fields } from './view.ts';

/** How the page is asked for from other machines. */
export interface OutsideAddress {
  /** "https://review.example": a proxy speaks https for it. */
  readonly origin: string;
  /** Addresses of the proxy: nobody else is answered. */
  readonly proxies: readonly string[];
  /** In which the proxy says who is asking: then it signs people in, and no password does. */
  readonly userHeader?: string | undefined;
}

interface GuardOptions {
  /** Undefined on this machine alone. */
  readonly outside?: OutsideAddress | undefined;
  readonly store: Pick<SessionStore, 'session'> & { readonly journalId: string };
  readonly log: Log;
}

export const minuteMs = 60_000;
const requestsAMinute = 600;
const tooLargeStatus = 413;
/** Of one person, in all browsers; a browser has six, or through a proxy one for each tab and what it asks for. */
const connectionsOfOneMax = 32;

// ---------------------------------------------------------------- from where

/** An address of IPv4 as itself, where the system writes it as one of IPv6. */
const toPlain = (address: string): string => address.replace(/^::ffff:/, '');

/**
 * The network address that asks: the one that the trusted proxy names, and of IPv6 its network of 64 bits, which one
 * customer has whole. Undefined where all come from one address, be it this machine or a proxy that names none.
 */
export function findSource({ ip }: FastifyRequest, outside: OutsideAddress | undefined): string | undefined {
  if (outside === undefined || outside.proxies.includes(toPlain(ip))) return undefined;
  return toSource(ip);
}

// ---------------------------------------------------------------- cookies

/** No script reads it, and no other site sends it. */
export const secretCookie = { path: '/', httpOnly: true, sameSite: 'strict' } as const;
export const yearSeconds = 31_536_000;

/** What the browser keeps for the page, by its names. */
export type CookieNames = Readonly<Record<'session' | 'form' | 'language' | 'theme', string>>;

/** Behind https a name says that this very host has set it: no other page under its domain can. */
export function cookieNamesOf(outside: OutsideAddress | undefined): CookieNames {
  const prefix = outside === undefined ? '' : '__Host-';
  return {
    session: `${prefix}paydrop_session`,
    form: `${prefix}_csrf`,
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

/** The fields of a form; the last of one that stands several times. */
export const lastOfEach = (body: unknown): Fields =>
  Object.fromEntries(
    Object.entries((body ?? {}) as Readonly<Record<string, string | readonly string[]>>).map(
      ([name, value]) => [name, typeof value === 'string' ? value : value.at(-1)],
    ),
  );

/** Refuses a request in a line of text. The connection ends with it: a body that is still to come would hold it. */
export const sendText = (reply: FastifyReply, status: number, text: string): FastifyReply =>
  reply.code(status).header('connection', 'close').type('text/plain; charset=utf-8').send(text);

/** Only the proxy is answered, under the name that it serves, for whoever speaks https with it. */
const refuseAround =
  ({ origin, proxies }: OutsideAddress) =>
  async ({ socket, headers }: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const from = toPlain(socket.remoteAddress ?? '');
    if (!proxies.includes(from)) return sendText(reply, 403, 'ask for it through its proxy');
    if (headers.host !== new URL(origin).host) return sendText(reply, 421, 'not served under this name');
    return headers['x-forwarded-proto'] === 'https' ? undefined : sendText(reply, 403, 'ask for it by https');
  };

/**
 * The same for all pages of a journal: a form that was opened at one machine is taken by another, and after a restart. It
 * need be no secret: a token holds for one session alone, by a hash of its secret, and for one browser, by a cookie.
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
    // Without it the Origin of a form is `null`, and no form can be told from a foreign one.
    referrerPolicy: { policy: 'same-origin' },
    strictTransportSecurity: outside === undefined ? false : { maxAge: yearSeconds },
    xFrameOptions: { action: 'deny' },
  });
  app.addHook('onRequest', async (_request, reply) => {
    void reply
      .header('cache-control', 'no-store')
      .header('permissions-policy', 'camera=(), geolocation=(), microphone=(), payment=()');
  });
  // On plain http to the loopback address `Secure` would keep some browsers from sending them at all.
  await app.register(cookies, { parseOptions: { secure: outside !== undefined } });
  await app.register(forms);
  // Nothing but forms is posted.
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

/** Whoever sends what is too large tries something, or has a file that needs another way: the log says so. */
function addLogOfLarge(app: FastifyInstance, log: Log): void {
  app.addHook('onResponse', async ({ method, routeOptions, headers }, reply) => {
    if (reply.statusCode !== tooLargeStatus) return;
    const facts = { method, path: routeOptions.url, bytes: Number(headers['content-length']) || undefined };
    log('warn', 'the review page refused what was sent: it is too large', facts);
  });
}

/** Nobody holds all connections: by a body that never ends, an answer that is never read, or by asking again and again. */
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

/** A form of another page is not taken, whatever its browser makes of cookies. @param served under which it is asked for */
const refuseForeignPosts =
  (served: string | undefined) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    if (request.method === 'GET' || request.method === 'HEAD') return undefined;
    const { origin, host, 'sec-fetch-site': site = 'same-origin' } = request.headers;
    if (origin !== undefined && origin === (served ?? `http://${host}`) && site === 'same-origin')
      return undefined;
    return sendText(reply, 403, 'this form is not ours');
  };

/** A form belongs to the session in which it was shown. */
export const nameSession = ({ cookies: kept }: FastifyRequest, { session }: CookieNames): string => {
  const secret = kept[session];
  return secret === undefined ? 'nobody' : hashSession(secret);
};
