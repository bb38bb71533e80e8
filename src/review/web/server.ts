/**
 * The review page's server: who asks, from where, and whether he may, is settled here for every view alike.
 * Plain http, and so on the loopback address only, or behind a proxy that is named.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { isIP } from 'node:net';
import cookies from '@fastify/cookie';
import csrf from '@fastify/csrf-protection';
import forms from '@fastify/formbody';
import helmet from '@fastify/helmet';
import multipart, { type Multipart } from '@fastify/multipart';
import rateLimit from '@fastify/rate-limit';
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { ListenAddress } from '../../core/network-address.ts';
import type { Log } from '../../core/ports.ts';
import { makeServerFactory, refuseOtherHosts, type ServerLimits } from '../../platform/http-server.ts';
import { Challenges } from '../challenges.ts';
import type { SigningPlace } from '../passkeys.ts';
import { type Action, can, type ProvedPerson } from '../rules/people.ts';
import { type ProxyRefusal, readHeaderValues } from '../rules/proxy-header.ts';
import type { Queue } from '../rules/queue.ts';
import {
  hashSession,
  identifyByProxy,
  makeSessionSource,
  type SessionContext,
  startSessionByProxy,
} from '../sessions.ts';
import type { ChangeReader } from '../ports.ts';
import { frame, pageScript, plainPage, stylePath } from './layout.ts';
import { LiveFeed, type LiveTimes, usualTimes } from './live.ts';
import { type BatchPageContext, makeBatchViews } from './batch-page.ts';
import { makeDecideViews } from './decide-page.ts';
import { makeProxySignInViews, proxyRefusalPage, ProxyRefusals } from './proxy-door.ts';
import { makePayoutViews, type PayoutPageContext, type ReadReview } from './payout-page.ts';
import { makeJudge, makeProposalViews, type ProposalsPageContext } from './proposals-page.ts';
import type { ReadQueue } from './queue-items.ts';
import { makeQueueViews, type QueuePageContext, readQueueFilter } from './queue-page.ts';
import { makePasskeyViews } from './passkeys-page.ts';
import { passkeyScripts } from './passkey-script.ts';
import { makeSigningViews, type SigningPageContext } from './signing-page.ts';
import { makeSignInViews, type SignInPageContext } from './sign-in-page.ts';
import { style } from './style.ts';
import {
  type Answer,
  type Attachment,
  type Fields,
  type FileView,
  makeSay,
  type Page,
  type ProvedVisit,
  themes,
  type View,
  type Visit,
} from './view.ts';
import { languages } from './words.ts';

/** How the page is asked for from other machines. */
export interface OutsideAddress {
  /** "https://review.example": a proxy speaks https for it. */
  readonly origin: string;
  /** Addresses of the proxy: nobody else is answered. */
  readonly proxies: readonly string[];
  /** In which the proxy says who is asking: then it signs people in, and no password does. */
  readonly userHeader?: string | undefined;
}

export interface ReviewPageOptions {
  readonly listen: ListenAddress;
  readonly isSandbox: boolean;
  readonly store: SignInPageContext['store'] &
    SessionContext['store'] &
    QueuePageContext['store'] &
    ChangeReader &
    PayoutPageContext['store'] &
    BatchPageContext['store'] &
    ProposalsPageContext['store'] & { readonly journalId: string };
  readonly readContext: () => Promise<SignInPageContext>;
  readonly readReview: ReadReview;
  /** What waits and is no payout. */
  readonly readQueue?: ReadQueue;
  readonly log: Log;
  readonly payer?: { readonly companyId: string };
  /** Of other rooms. */
  readonly views: readonly View[];
  readonly fileViews?: readonly FileView[];
  /** Where files are kept that prove what became of a payout; undefined where none are taken. */
  readonly evidenceFolder?: string;
  /** Passkeys have changed: it is told outside. */
  readonly onUserChange?: () => Promise<void>;
  /** A session has ended, and what was kept for it goes. */
  readonly onSignOut?: (sessionHash: string) => Promise<void>;
  readonly liveTimes?: LiveTimes;
  /** Undefined on this machine alone. */
  readonly outside?: OutsideAddress | undefined;
}

/** With what the page keeps by itself. */
type PageParts = ReviewPageOptions & { readonly refusals: ProxyRefusals };

/** Disposing of it ends it at once: what is being answered is cut off. */
export interface ReviewPage extends AsyncDisposable {
  /** "http://localhost:8484". */
  readonly origin: string;
  /** All that it answers but for its own files, `/look` and `/live`. */
  readonly views: readonly Pick<View, 'method' | 'path' | 'action'>[];
}

const limits: ServerLimits = { connectionsMax: 128, headersMs: 5_000, requestMs: 30_000, restMs: 5_000 };
/** Where nobody reads what is no payout. */
const nothingElse: Queue = { items: [], totals: [] };

const bodyBytesMax = 65_536;
const minuteMs = 60_000;
const [requestsAMinute, signInsAMinute] = [600, 30];

const sessionCookie = 'paydrop_session';
/** No script reads it, and no other site sends it. */
const secretCookie = { path: '/', httpOnly: true, sameSite: 'strict' } as const;
const yearSeconds = 31_536_000;

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

/** Opens the page. @throws when the port is taken */
export async function openReviewPage(options: ReviewPageOptions): Promise<ReviewPage> {
  const { outside } = options;
  const app = fastify({
    logger: false,
    // Who asks, for the limits of requests, is whom the proxy names; nobody else is believed.
    ...(outside === undefined ? {} : { trustProxy: [...outside.proxies] }),
    forceCloseConnections: true,
    bodyLimit: bodyBytesMax,
    serverFactory: makeServerFactory(limits),
    frameworkErrors: (_error, _request, reply) => void sendText(reply, 400, 'bad request'),
  });
  const { store, payer, views, readContext } = options;
  await addGuards(app, outside, store.journalId);
  const readOrigin = (): string => {
    const { port } = app.server.address() as { readonly port: number };
    return outside?.origin ?? `http://${options.listen.host}:${port}`;
  };
  const signing: SigningPageContext = {
    readPersons: async () => {
      const context = await readContext();
      return { ...context, nowMs: context.clock.now() };
    },
    readReview: options.readReview,
    place: () => placeOf(readOrigin()),
    store,
    scene: { isSandbox: options.isSandbox, companyId: payer?.companyId ?? '', journalId: store.journalId },
    challenges: new Challenges(),
    onChange: options.onUserChange,
  };
  const parts: PageParts = { ...options, refusals: new ProxyRefusals(options.log) };
  const signInViews =
    outside?.userHeader === undefined ? makeSignInViews(options.readContext) : makeProxySignInViews();
  const deciding = makeDecideViews({
    ...options,
    readFilter: async (fields) => readQueueFilter(options.store, fields),
  });
  const all = [
    ...signInViews,
    ...makeQueueViews({ readQueue: async () => nothingElse, ...options }),
    ...makePayoutViews(options),
    ...deciding.views,
    ...makeProposalViews({ ...options, signing, judge: makeJudge() }),
    ...makeBatchViews(options),
    ...makePasskeyViews(signing),
    ...makeSigningViews(signing),
    ...views,
  ];
  addViews(app, parts, all);
  await addFileViews(app, { ...parts, fileViews: [...(options.fileViews ?? []), ...deciding.fileViews] });
  addLive(app, parts);
  // Of its own: fastify writes into what it is handed.
  await app.listen({ ...options.listen });
  return {
    origin: readOrigin(),
    views: all,
    [Symbol.asyncDispose]: async () => app.close(),
  };
}

/** Passkeys are bound to a name, never to a number: on this machine to `localhost`. */
function placeOf(origin: string): SigningPlace {
  const url = new URL(origin);
  if (isIP(url.hostname.replaceAll(/[[\]]/g, '')) !== 0) url.hostname = 'localhost';
  return { origin: url.origin, rpId: url.hostname };
}

// ---------------------------------------------------------------- for every request

const sendText = (reply: FastifyReply, status: number, text: string): FastifyReply =>
  reply.code(status).type('text/plain; charset=utf-8').send(text);

/** Only the proxy is answered, under the name that it serves, for whoever speaks https with it. */
const refuseAround =
  ({ origin, proxies }: OutsideAddress) =>
  async ({ socket, headers }: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const from = socket.remoteAddress?.replace(/^::ffff:/, '') ?? '';
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

async function addGuards(
  app: FastifyInstance,
  outside: OutsideAddress | undefined,
  journalId: string,
): Promise<void> {
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
    cookieOpts: secretCookie,
    csrfOpts: { hmacKey: formKeyOf(journalId) },
    getUserInfo: nameSession,
    getToken: (request) => lastOfEach(request.body)['_csrf'],
  });
  await app.register(rateLimit, { max: requestsAMinute, timeWindow: minuteMs });
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
const nameSession = ({ cookies: kept }: FastifyRequest): string => {
  const secret = kept[sessionCookie];
  return secret === undefined ? 'nobody' : hashSession(secret);
};

// ---------------------------------------------------------------- views

/** Words that a visitor has chosen, or his browser. */
function readLanguage({ cookies: kept, headers }: FastifyRequest): Visit['language'] {
  const chosen = languages.find((one) => one === kept['language']);
  return chosen ?? (/^\s*th\b/i.test(headers['accept-language'] ?? '') ? 'th' : 'en');
}

/** A path of ours: nothing that was typed stands in one, and none leads away. */
const ownPath = /^(?:\/[\w-]+)+$/;

/** What shows the same again: where nothing but a form leads to it, the queue. */
function readPath({ method, url, routeOptions, server }: FastifyRequest): string {
  const path = url.split('?')[0] ?? '';
  const isShown = method === 'GET' || server.hasRoute({ method: 'GET', url: routeOptions.url ?? '' });
  return isShown && ownPath.test(path) ? path : '/queue';
}

/** A page that keeps itself fresh: that is no use of the session. */
const asksByItself = ({ headers }: FastifyRequest): boolean => headers['x-live'] === '1';

/** Who asks; where the proxy has named nobody who counts, why. */
interface Known {
  readonly proved?: ProvedPerson;
  readonly refusal?: ProxyRefusal;
}

/** A visit, and how it is known whose it is. */
interface Seen extends Known {
  readonly visit: Visit;
}

/** A person opens a page: nothing of another site that is loaded within one begins a session. */
const isOpened = ({ method, headers }: FastifyRequest): boolean =>
  method === 'GET' && (headers['sec-fetch-mode'] ?? 'navigate') === 'navigate';

/** @param begin what signs in whom the proxy names, where a session may begin */
async function identify(
  request: FastifyRequest,
  parts: PageParts,
  context: SessionContext,
  isUse: boolean,
  begin?: (secret: string) => void,
): Promise<Known> {
  const { outside, refusals } = parts;
  const secret = request.cookies[sessionCookie];
  if (outside?.userHeader === undefined) {
    const known = await makeSessionSource(context, isUse).identify(secret);
    return known.ok ? { proved: { person: known.person, proof: known.proof } } : {};
  }
  const values = readHeaderValues(request.raw.rawHeaders, outside.userHeader);
  const known = await identifyByProxy(context, { secret, values }, isUse);
  if (known.kind === 'refused') {
    refusals.count(known.refusal, known.masked, context.clock.now());
    return { refusal: known.refusal };
  }
  const { person } = known;
  if (known.kind === 'named') {
    if (begin === undefined) return {};
    // What his browser had of somebody else, or of a password, ends with it.
    await endOwnSession(request, parts);
    begin(await startSessionByProxy(context, person));
  }
  return { proved: { person, proof: 'proxy' } };
}

/** @param mayBegin true where whom the proxy names is signed in */
async function readVisit(
  request: FastifyRequest,
  reply: FastifyReply,
  parts: PageParts,
  mayBegin = false,
): Promise<Seen> {
  const context = await parts.readContext();
  const language = readLanguage(request);
  const isUse = !asksByItself(request);
  // At once, without a way round: a browser that comes from another site keeps strict cookies to itself that long.
  const begin = (secret: string): void => {
    request.cookies[sessionCookie] = secret;
    void reply.setCookie(sessionCookie, secret, secretCookie);
  };
  const mayOpen = mayBegin && isUse && isOpened(request);
  const known = await identify(request, parts, context, isUse, mayOpen ? begin : undefined);
  const visit = {
    language,
    theme: themes.find((one) => one === request.cookies['theme']),
    isSandbox: parts.isSandbox,
    nowMs: context.clock.now(),
    person: known.proved?.person,
    mark: known.proved === undefined ? '' : await parts.store.changeMark(),
    csrfToken: reply.generateCsrf({ userInfo: nameSession(request) }),
    path: readPath(request),
    say: makeSay(language),
  };
  return { ...known, visit };
}

async function sendPage(reply: FastifyReply, visit: Visit, page: Page): Promise<FastifyReply> {
  return reply
    .code(page.status ?? 200)
    .type('text/html; charset=utf-8')
    .send(frame(visit, page).text);
}

/** Of a field that stands several times the last. */
const lastOfEach = (body: unknown): Fields =>
  Object.fromEntries(
    Object.entries((body ?? {}) as Readonly<Record<string, string | readonly string[]>>).map(
      ([name, value]) => [name, typeof value === 'string' ? value : value.at(-1)],
    ),
  );

async function answerView(
  view: View,
  request: FastifyRequest,
  reply: FastifyReply,
  parts: PageParts,
): Promise<FastifyReply> {
  const seen = await readVisit(request, reply, parts, view.action !== undefined);
  const { visit } = seen;
  const fields = { ...lastOfEach(request.body), ...(request.params as Fields) };
  if (view.action === undefined) {
    const answer = await view.answer(visit, fields);
    // Who signs in anew leaves no other session behind.
    if ('secret' in answer) await endOwnSession(request, parts);
    return sendAnswer(reply, visit, answer);
  }
  const proved = proveVisit(seen, view.action, request);
  if (!('proved' in proved)) return sendAnswer(reply, visit, proved);
  const answer = await view.answer(proved, fields);
  if ('isSignedOut' in answer) await endOwnSession(request, parts);
  return sendAnswer(reply, visit, answer);
}

async function endOwnSession(request: FastifyRequest, options: ReviewPageOptions): Promise<void> {
  const sessionHash = nameSession(request);
  await options.onSignOut?.(sessionHash);
  await options.store.endSession(sessionHash);
}

/** The visit of somebody who may do it, or what he is answered instead. */
function proveVisit(
  { visit, proved, refusal }: Seen,
  action: Action,
  request: FastifyRequest,
): ProvedVisit | Answer {
  if (refusal !== undefined) return proxyRefusalPage(visit, refusal);
  if (proved === undefined) return { goTo: '/sign-in' };
  const { person } = proved;
  const permission = can(person, action);
  if (!permission.allowed) return plainPage(visit, 403, visit.say('notAllowed'), permission.why);
  return { ...visit, person, proved, sessionHash: nameSession(request) };
}

// ---------------------------------------------------------------- files

/** Of a field that stands before a file: a reason of 2,000 characters of three bytes each. */
const fieldBytesMax = 8_000;

/** Rooms of their own: nothing but these forms may bring a file. */
async function addFileViews(app: FastifyInstance, pageParts: PageParts): Promise<void> {
  const { fileViews = [] } = pageParts;
  await app.register(async (room) => {
    await room.register(multipart, { throwFileSizeLimit: false });
    for (const view of fileViews)
      room.post(
        view.path,
        { config: { rateLimit: { max: signInsAMinute, timeWindow: minuteMs } } },
        async (request, reply) => answerFile(app, view, request, reply, pageParts),
      );
  });
}

/** The form's token stands before the file, and nothing of the file is read before it is known to be right. */
async function readFile(
  app: FastifyInstance,
  view: FileView,
  request: FastifyRequest,
  reply: FastifyReply,
  pageParts: PageParts,
): Promise<FastifyReply> {
  const seen = await readVisit(request, reply, pageParts);
  const { visit } = seen;
  const proved = proveVisit(seen, view.action, request);
  if (!('proved' in proved)) return sendAnswer(reply, visit, proved);
  if (!request.isMultipart()) return sendText(reply, 415, 'send it with the form');
  const { fieldsMax = 0, bytesMax } = view;
  const fieldSize = fieldsMax === 0 ? 1_000 : fieldBytesMax;
  const sizes = { fieldSize, fields: 1 + fieldsMax, files: 1, parts: 2 + fieldsMax, fileSize: bytesMax };
  const parts = request.parts({ limits: sizes });
  const nextPart = async (): Promise<Multipart | undefined> => {
    const step = await parts.next();
    return step.done === true ? undefined : step.value;
  };
  const first = await nextPart();
  const isToken = first?.type === 'field' && first.fieldname === '_csrf';
  request.body = { _csrf: isToken ? String(first.value) : '' };
  let isOurs = false;
  app.csrfProtection(request, reply, () => {
    isOurs = true;
  });
  if (!isOurs) return reply;
  const fields: Record<string, string> = {};
  let part = await nextPart();
  for (; part?.type === 'field'; part = await nextPart()) fields[part.fieldname] = String(part.value);
  if (part?.type !== 'file') return sendText(reply, 400, 'send it with the form');
  const { filename: name, file: stream } = part;
  // A part without a name has none, whatever its type says.
  const isCut = (): boolean => stream.truncated;
  const all = { ...fields, ...(request.params as Fields) };
  const answer = await view.receive(proved, { name: name ?? '', stream, isCut }, all);
  return sendAnswer(reply, visit, answer);
}

async function answerFile(...asked: Parameters<typeof readFile>): Promise<FastifyReply> {
  const [, , request] = asked;
  try {
    return await readFile(...asked);
  } finally {
    leaveUnread(request);
  }
}

/** What still comes of it goes nowhere. */
function leaveUnread({ raw }: FastifyRequest): void {
  raw.unpipe();
  raw.resume();
}

/** As an extended value of a header takes it: that escapes more than a part of an address. */
const escapeName = (name: string): string =>
  encodeURIComponent(name).replaceAll(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);

const sendFile = (reply: FastifyReply, { path, name, type }: Attachment): FastifyReply =>
  reply
    .type(type)
    .header('content-disposition', `attachment; filename*=UTF-8''${escapeName(name)}`)
    .send(createReadStream(path));

async function sendAnswer(reply: FastifyReply, visit: Visit, answer: Answer): Promise<FastifyReply> {
  if ('file' in answer) return sendFile(reply, answer.file);
  if (!('goTo' in answer)) return sendPage(reply, visit, answer);
  if ('secret' in answer) void reply.setCookie(sessionCookie, answer.secret, secretCookie);
  if ('isSignedOut' in answer) void reply.clearCookie(sessionCookie, secretCookie);
  return reply.redirect(answer.goTo, 303);
}

/** What says that something has changed, to whoever is signed in and for as long as he is. */
function addLive(app: FastifyInstance, parts: PageParts): void {
  const { store, readContext, log, liveTimes = usualTimes } = parts;
  const feed = new LiveFeed(store, liveTimes, (error) =>
    log('error', 'the review page could not look for changes', { err: error }),
  );
  app.addHook('preClose', async () => feed[Symbol.dispose]());
  // Without HEAD: what it opened would be heard by nobody, and stay.
  app.get('/live', { exposeHeadRoute: false }, async (request, reply) => {
    const isOpen = async () =>
      (await identify(request, parts, await readContext(), false)).proved !== undefined;
    if (!(await isOpen())) return sendText(reply, 401, 'sign in first');
    const stream = feed.listen(nameSession(request), isOpen);
    if (stream === undefined) return sendText(reply, 503, 'too many pages are open');
    return reply.type('text/event-stream').header('x-accel-buffering', 'no').send(stream);
  });
}

function addViews(app: FastifyInstance, parts: PageParts, views: readonly View[]): void {
  const csrfGuard = (request: FastifyRequest, reply: FastifyReply, done: () => void): void =>
    app.csrfProtection(request, reply, done);
  for (const view of views) {
    const isSlow = view.method === 'POST' && view.action === undefined;
    app.route({
      method: view.method,
      url: view.path,
      // Before it there is no body, and with it no token.
      preHandler: view.method === 'POST' ? [csrfGuard] : [],
      config: isSlow ? { rateLimit: { max: signInsAMinute, timeWindow: minuteMs } } : {},
      handler: async (request, reply) => answerView(view, request, reply, parts),
    });
  }
  // Browsers ask for it by themselves.
  app.get('/favicon.ico', async (_request, reply) => reply.code(204).send());
  app.get('/', async (_request, reply) => reply.redirect('/today', 303));
  app.post('/look', { preHandler: csrfGuard }, async (request, reply) => answerLook(request, reply));
  app.get(stylePath, async (_request, reply) =>
    reply.type('text/css; charset=utf-8').header('cache-control', `max-age=${yearSeconds}`).send(style),
  );
  for (const { path, type, text } of [...passkeyScripts(), pageScript])
    app.get(path, async (_request, reply) =>
      reply.type(`${type}; charset=utf-8`).header('cache-control', `max-age=${yearSeconds}`).send(text),
    );
  const saySomething = async (request: FastifyRequest, reply: FastifyReply, status: number) => {
    const { visit } = await readVisit(request, reply, parts);
    const word = sayings[status] ?? 'broken';
    return sendPage(reply, visit, plainPage(visit, status, visit.say(word)));
  };
  app.setNotFoundHandler({ preHandler: app.rateLimit() }, async (request, reply) =>
    saySomething(request, reply, 404),
  );
  app.setErrorHandler(async (error: { readonly statusCode?: number }, request, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500) parts.log('error', 'the review page could not answer', { err: error });
    return saySomething(request, reply, status);
  });
}

const sayings = { 403: 'outOfDate', 404: 'notFound', 429: 'tooMany' } as Readonly<
  Record<number, 'outOfDate' | 'notFound' | 'tooMany'>
>;

/** Language and colours are the browser's own business. */
function answerLook(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { language, theme, back = '' } = lastOfEach(request.body);
  const kept = { ...secretCookie, maxAge: yearSeconds };
  const chosen = {
    language: languages.find((one) => one === language),
    theme: themes.find((one) => one === theme),
  };
  for (const [name, value] of Object.entries(chosen))
    if (value !== undefined) void reply.setCookie(name, value, kept);
  return reply.redirect(ownPath.test(back) ? back : '/today', 303);
}
