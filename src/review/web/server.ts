/**
 * The server of the review page. It settles for every view who asks, from which address, and with what permission. It
 * speaks plain http, and therefore listens on the loopback address only, or behind a named proxy.
 */
import { languages } from '../../core/language.ts';
import type { PlainCode } from '../../core/message.ts';
import { createReadStream } from 'node:fs';
import { isIP } from 'node:net';
import multipart, { type Multipart } from '@fastify/multipart';
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { ListenAddress } from '../../core/network-address.ts';
import type { Log } from '../../core/ports.ts';
import { makeServerFactory, type ServerLimits } from '../../platform/http-server.ts';
import { type AccessNotes, AccessRecord } from '../access-record.ts';
import type { SigningPlace } from '../passkeys.ts';
import type { FrameFacts } from '../for-me.ts';
import { type Action, can, type ProvedPerson } from '../rules/people.ts';
import { type ProxyRefusal, readHeaderValues, toNetwork } from '../rules/proxy-header.ts';
import {
  hashSession,
  identifyByProxy,
  makeSessionSource,
  type SessionContext,
  startSessionByProxy,
} from '../sessions.ts';
import type { ChangeReader, PersonStore } from '../ports.ts';
import type { SignInPlace } from '../sign-in.ts';
import { SourceTries } from '../source-tries.ts';
import { frame, pageScript, plainPage, stylePath } from './layout.ts';
import {
  addGuards,
  type CookieNames,
  cookieNamesOf,
  findSource,
  lastOfEach,
  minuteMs,
  nameSession,
  type OutsideAddress,
  secretCookie,
  sendText,
  yearSeconds,
} from './guards.ts';
import { KeptPosts } from './kept-posts.ts';
import type { LiveFeed } from './live.ts';
import { proxyRefusalPage, ProxyRefusals } from './proxy-door.ts';
import { passkeyScripts } from './passkey-script.ts';
import { style } from './style.ts';
import {
  type Answer,
  type Attachment,
  type Fields,
  type FileView,
  makeSay,
  type Page,
  type PageViews,
  type ProvedVisit,
  themes,
  type View,
  type Visit,
} from './view.ts';

/** @forTests */
export interface ReviewPageOptions {
  readonly listen: ListenAddress;
  readonly isSandbox: boolean;
  readonly store: SessionContext['store'] &
    Pick<PersonStore, 'recordPersonEvent'> &
    ChangeReader & { readonly journalId: string };
  readonly readContext: () => Promise<SessionContext>;
  readonly log: Log;
  /** Lists the views, which the server serves without knowing any. */
  readonly listViews: (place: ServedPlace) => ServedViews;
  readonly feed: LiveFeed;
  /** Called after a session has ended, to delete the data kept for it. */
  readonly onSignOut?: ((sessionHash: string) => Promise<void>) | undefined;
  /** Undefined where the page answers this machine only. */
  readonly outside?: OutsideAddress | undefined;
}

/** Every view, and the facts of the frame around each page. */
export interface ServedViews extends PageViews {
  readonly readFrame: (visit: ProvedVisit) => Promise<FrameFacts>;
}

/** The facts that views need of the server. */
export interface ServedPlace {
  /** The place to which passkeys are bound, known once the page is open. */
  readonly signingPlace: () => SigningPlace;
  /** The place of a sign-in: its tries, and the record of its address. */
  readonly signInPlaceOf: (visit: Visit) => SignInPlace;
}

/** The options, with the state that the page keeps itself. */
type PageParts = ReviewPageOptions & {
  readonly readFrame: ServedViews['readFrame'];
  readonly refusals: ProxyRefusals;
  readonly cookieNames: CookieNames;
  readonly access: AccessRecord;
  readonly kept: KeptPosts;
};

/** The open page. Its disposal cuts off requests that are being answered. @forTests */
export interface ReviewPage extends AsyncDisposable {
  /** The origin, such as "http://localhost:8484". */
  readonly origin: string;
  /** All views except its own files, `/look` and `/live`. */
  readonly views: readonly Pick<View, 'method' | 'path' | 'action'>[];
}

const limits: ServerLimits = { connectionsMax: 128, headersMs: 5_000, requestMs: 30_000, restMs: 5_000 };

const bodyBytesMax = 65_536;
const signInsAMinute = 30;

/** Opens the page. @throws Error when the port is taken */
export async function openReviewPage(options: ReviewPageOptions): Promise<ReviewPage> {
  const { outside } = options;
  const app = fastify({
    logger: false,
    // The proxy alone names the client, on whom the limits of requests are counted.
    ...(outside === undefined ? {} : { trustProxy: [...outside.proxies] }),
    forceCloseConnections: true,
    bodyLimit: bodyBytesMax,
    serverFactory: makeServerFactory(limits),
    frameworkErrors: (_error, _request, reply) => void sendText(reply, 400, 'bad request'),
  });
  const { store, log } = options;
  await addGuards(app, options);
  const readOrigin = (): string => {
    const { port } = app.server.address() as { readonly port: number };
    return outside?.origin ?? `http://${options.listen.host}:${port}`;
  };
  const access = new AccessRecord(store, log);
  const refusals = new ProxyRefusals(log);
  const { views, fileViews, readFrame } = options.listViews({
    signingPlace: () => placeOf(readOrigin()),
    signInPlaceOf: makePlaces(access),
  });
  const cookieNames = cookieNamesOf(outside);
  const parts: PageParts = {
    ...options,
    cookieNames,
    access,
    refusals,
    readFrame,
    kept: new KeptPosts(cookieNames.kept),
  };
  recordAccess(app, parts);
  addViews(app, parts, views);
  await addFileViews(app, parts, fileViews);
  addLive(app, parts);
  // A copy, because fastify writes into its argument.
  await app.listen({ ...options.listen });
  return {
    origin: readOrigin(),
    views,
    [Symbol.asyncDispose]: async () => app.close(),
  };
}

/** The place to which passkeys are bound: a name, never a number; on this machine `localhost`. */
function placeOf(origin: string): SigningPlace {
  const url = new URL(origin);
  if (isIP(url.hostname.replaceAll(/[[\]]/g, '')) !== 0) url.hostname = 'localhost';
  return { origin: url.origin, rpId: url.hostname };
}

// ---------------------------------------------------------------- records

/** The person of each request, until the answer is sent. */
const askers = new WeakMap<FastifyRequest, ProvedPerson>();

const networkOf = (source: string | undefined): string | undefined =>
  source === undefined ? undefined : toNetwork(source);

const notesOf = (request: FastifyRequest, { access, outside }: PageParts): AccessNotes =>
  access.at(networkOf(findSource(request, outside)));

/** Makes the places of sign-ins; tries are counted over all sign-ins of this page. */
function makePlaces(access: AccessRecord): (visit: Visit) => SignInPlace {
  const tries = new SourceTries();
  return ({ source }) => {
    const network = networkOf(source);
    return { name: 'page', tries: tries.of(source), access: access.at(network), network };
  };
}

/** Records each refusal, by any guard, under the path in the table of views, without typed text. */
function recordAccess(app: FastifyInstance, parts: PageParts): void {
  const { access, readContext } = parts;
  const flush = async (isAll = false) => access.flush((await readContext()).clock.now(), isAll);
  const timer = setInterval(() => void flush().catch(ignore), minuteMs).unref();
  app.addHook('onClose', async () => {
    clearInterval(timer);
    await flush(true).catch(ignore);
  });
  app.addHook('onResponse', async (request, reply) => {
    if (reply.statusCode !== 403) return;
    const proved = askers.get(request);
    const what = `${request.method} ${request.routeOptions.url ?? 'no view'}`;
    const { clock } = await readContext();
    const by = { subject: proved?.person.personId ?? 0, proof: proved?.proof ?? null };
    await notesOf(request, parts).note({ kind: 'refused', ...by, what }, clock.now());
  });
}

/** Ignores an unreadable journal, which the views report. */
const ignore = (): undefined => undefined;

// ---------------------------------------------------------------- views

/** The language that the visitor has chosen, or that the browser prefers. */
function readLanguage({ cookies: kept, headers }: FastifyRequest, names: CookieNames): Visit['language'] {
  const chosen = languages.find((one) => one === kept[names.language]);
  return chosen ?? (/^\s*th\b/i.test(headers['accept-language'] ?? '') ? 'th' : 'en');
}

/** The form of a path of paydrop: without typed text, and without a way to other sites. */
const ownPath = /^(?:\/[\w-]+)+$/;

/** The path that shows the same page again; the queue, where only a form leads to the page. */
function readPath({ method, url, routeOptions, server }: FastifyRequest): string {
  const path = url.split('?')[0] ?? '';
  const isShown = method === 'GET' || server.hasRoute({ method: 'GET', url: routeOptions.url ?? '' });
  return isShown && ownPath.test(path) ? path : '/queue';
}

/** Tells whether a page polls by itself, which does not extend the session. */
const asksByItself = ({ headers }: FastifyRequest): boolean => headers['x-live'] === '1';

/** The person of a request; otherwise the reason for the proxy's refusal. */
interface Known {
  readonly proved?: ProvedPerson;
  readonly refusal?: ProxyRefusal;
}

/** A visit, and the person behind it. */
interface Seen extends Known {
  readonly visit: Visit;
}

/** Tells whether a person opens a page; content loaded by another site starts no session. */
const isOpened = ({ method, headers }: FastifyRequest): boolean =>
  method === 'GET' && (headers['sec-fetch-mode'] ?? 'navigate') === 'navigate';

/** @param begin signs the person in whom the proxy names, where a session may start */
async function identify(
  request: FastifyRequest,
  parts: PageParts,
  context: SessionContext,
  isUse: boolean,
  begin?: (secret: string) => void,
): Promise<Known> {
  const { outside, refusals } = parts;
  const secret = request.cookies[parts.cookieNames.session];
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
    // The new session replaces the browser's earlier one, of another person or of a password.
    await endOwnSession(request, parts);
    begin(await startSessionByProxy(context, person));
    const signedIn = { kind: 'signed-in', subject: person.personId, proof: 'proxy', what: 'page' } as const;
    await notesOf(request, parts).note(signedIn, context.clock.now());
  }
  return { proved: { person, proof: 'proxy' } };
}

/** @param mayBegin true where the person whom the proxy names may be signed in */
async function readVisit(
  request: FastifyRequest,
  reply: FastifyReply,
  parts: PageParts,
  mayBegin = false,
): Promise<Seen> {
  const context = await parts.readContext();
  const language = readLanguage(request, parts.cookieNames);
  const isUse = !asksByItself(request);
  // The secret applies at once, without a redirect, because a browser coming from another site withholds strict
  // cookies.
  const begin = (secret: string): void => {
    request.cookies[parts.cookieNames.session] = secret;
    void reply.setCookie(parts.cookieNames.session, secret, secretCookie);
  };
  const mayOpen = mayBegin && isUse && isOpened(request);
  const known = await identify(request, parts, context, isUse, mayOpen ? begin : undefined);
  if (known.proved !== undefined) askers.set(request, known.proved);
  const nowMs = context.clock.now();
  const visit = {
    language,
    theme: themes.find((one) => one === request.cookies[parts.cookieNames.theme]),
    isSandbox: parts.isSandbox,
    nowMs,
    person: known.proved?.person,
    hasKeptText: parts.kept.isOf(request, nowMs),
    source: findSource(request, parts.outside),
    mark: known.proved === undefined ? '' : await parts.store.changeMark(),
    csrfToken: reply.generateCsrf({ userInfo: nameSession(request, parts.cookieNames) }),
    path: readPath(request),
    say: makeSay(language),
  };
  return { ...known, visit };
}

async function sendPage(
  reply: FastifyReply,
  visit: Visit | ProvedVisit,
  page: Page,
  readFrame?: ServedViews['readFrame'],
): Promise<FastifyReply> {
  const facts = 'proved' in visit ? await readFrame?.(visit) : undefined;
  return reply
    .code(page.status ?? 200)
    .type('text/html; charset=utf-8')
    .send(frame(visit, page, facts).text);
}

async function answerView(
  view: View,
  request: FastifyRequest,
  reply: FastifyReply,
  parts: PageParts,
): Promise<FastifyReply> {
  const seen = await readVisit(request, reply, parts, view.action !== undefined);
  const { visit } = seen;
  const asked = view.method === 'GET' ? request.query : request.body;
  const fields = { ...lastOfEach(asked), ...(request.params as Fields) };
  if (view.action === undefined) {
    const answer = await view.answer(visit, fields);
    if (!('secret' in answer)) return sendAnswer(reply, visit, answer, parts);
    // A new sign-in ends the browser's earlier session.
    await endOwnSession(request, parts);
    const session = await parts.store.session(hashSession(answer.secret));
    const goTo = parts.kept.findPage(request, session?.personId, visit.nowMs) ?? answer.goTo;
    return sendAnswer(reply, visit, { ...answer, goTo }, parts);
  }
  const proved = proveVisit(seen, view.action, request, parts);
  if (!('proved' in proved))
    return sendAnswer(reply, visit, keepText(seen, request, reply, parts) ?? proved, parts);
  const typed = asksByItself(request) ? {} : parts.kept.giveBack(request, reply, proved);
  const answer = await view.answer(proved, { ...typed, ...fields });
  if ('isSignedOut' in answer) await endOwnSession(request, parts);
  return sendAnswer(reply, proved, answer, parts);
}

async function endOwnSession(request: FastifyRequest, parts: PageParts): Promise<void> {
  const sessionHash = nameSession(request, parts.cookieNames);
  await parts.onSignOut?.(sessionHash);
  await parts.store.endSession(sessionHash);
}

/** The visit of a permitted person, or the answer for anyone else. */
function proveVisit(
  { visit, proved, refusal }: Seen,
  action: Action,
  request: FastifyRequest,
  parts: PageParts,
): ProvedVisit | Answer {
  if (refusal !== undefined) return proxyRefusalPage(visit, refusal);
  if (proved === undefined) return { goTo: '/sign-in' };
  const { person } = proved;
  const permission = can(person, action);
  if (!permission.allowed) return plainPage(visit, 403, visit.say('page.not-allowed'), permission.why);
  return {
    ...visit,
    person,
    proved,
    sessionHash: nameSession(request, parts.cookieNames),
    seal: (path) => parts.kept.seal({ personId: person.personId, path }, visit.nowMs),
  };
}

/** Keeps the text of a form whose session has ended. @returns the way back to the form; undefined where nothing is kept */
function keepText(
  { visit, refusal }: Seen,
  request: FastifyRequest,
  reply: FastifyReply,
  { kept, outside }: PageParts,
): Answer | undefined {
  const path = refusal === undefined ? kept.receive(request, reply, visit) : undefined;
  // A proxy signs in by itself.
  const isSignedIn = visit.person !== undefined || outside?.userHeader !== undefined;
  return path === undefined ? undefined : { goTo: isSignedIn ? path : '/sign-in' };
}

// ---------------------------------------------------------------- files

/** The limit in bytes of a field before a file: a reason of 2,000 characters of three bytes each. */
const fieldBytesMax = 8_000;

/** A separate fastify context, so that only these forms may bring a file. */
async function addFileViews(
  app: FastifyInstance,
  pageParts: PageParts,
  fileViews: readonly FileView[],
): Promise<void> {
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

/** Reads the fields of a form up to its file. The form's token is checked before any of the file is read. */
async function readFile(
  app: FastifyInstance,
  view: FileView,
  request: FastifyRequest,
  reply: FastifyReply,
  pageParts: PageParts,
): Promise<FastifyReply> {
  const seen = await readVisit(request, reply, pageParts);
  const { visit } = seen;
  const proved = proveVisit(seen, view.action, request, pageParts);
  const isProved = 'proved' in proved;
  if (!isProved && (visit.person !== undefined || !request.isMultipart()))
    return sendAnswer(reply, visit, proved, pageParts);
  if (!request.isMultipart()) return sendText(reply, 415, 'send it with the form');
  const { fieldsMax = 0, bytesMax } = view;
  const fieldSize = fieldsMax === 0 ? 1_000 : fieldBytesMax;
  const sizes = { fieldSize, fields: 2 + fieldsMax, files: 1, parts: 3 + fieldsMax, fileSize: bytesMax };
  const parts = request.parts({ limits: sizes });
  const nextPart = async (): Promise<Multipart | undefined> => {
    const step = await parts.next().catch(rethrowBroken);
    return step.done === true ? undefined : step.value;
  };
  const fields: Record<string, string> = {};
  let part = await nextPart();
  for (; part?.type === 'field'; part = await nextPart()) fields[part.fieldname] = String(part.value);
  request.body = fields;
  if (!isProved)
    return sendAnswer(reply, visit, keepText(seen, request, reply, pageParts) ?? proved, pageParts);
  let isOurs = false;
  app.csrfProtection(request, reply, () => {
    isOurs = true;
  });
  if (!isOurs) return reply;
  if (part?.type !== 'file') return sendText(reply, 400, 'send it with the form');
  const { filename: name, file: stream } = part;
  // A part without a name has no file, whatever its type.
  const isCut = (): boolean => stream.truncated;
  const all = { ...fields, ...(request.params as Fields) };
  const answer = await view.receive(proved, { name: name ?? '', stream: readWhole(stream), isCut }, all);
  return sendAnswer(reply, proved, answer, pageParts);
}

/** A form that broke off or is malformed: the browser's fault (400). */
class BrokenFormError extends Error {
  override readonly name = 'BrokenFormError';
  readonly statusCode = 400;
}

/** Rethrows the error; exceeded limits of a form have a status of their own. @throws Error always */
function rethrowBroken(error: unknown): never {
  if ((error as { readonly statusCode?: number }).statusCode !== undefined) throw error;
  throw new BrokenFormError('the form broke off', { cause: error });
}

/** @throws BrokenFormError where the bytes end before the file does */
async function* readWhole(stream: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  try {
    yield* stream;
  } catch (error) {
    rethrowBroken(error);
  }
}

async function answerFile(...asked: Parameters<typeof readFile>): Promise<FastifyReply> {
  const [, , request] = asked;
  try {
    return await readFile(...asked);
  } finally {
    leaveUnread(request);
  }
}

/** Discards the rest of the request. */
function leaveUnread({ raw }: FastifyRequest): void {
  raw.unpipe();
  raw.resume();
}

/** Escapes a name as an extended header value, which needs more escapes than a URL component. */
const escapeName = (name: string): string =>
  encodeURIComponent(name).replaceAll(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);

const sendFile = (reply: FastifyReply, { path, name, type }: Attachment): FastifyReply =>
  reply
    .type(type)
    .header('content-disposition', `attachment; filename*=UTF-8''${escapeName(name)}`)
    .send(createReadStream(path));

async function sendAnswer(
  reply: FastifyReply,
  visit: Visit,
  answer: Answer,
  { cookieNames: { session }, readFrame }: PageParts,
): Promise<FastifyReply> {
  if ('file' in answer) return sendFile(reply, answer.file);
  if (!('goTo' in answer)) return sendPage(reply, visit, answer, readFrame);
  if ('secret' in answer) void reply.setCookie(session, answer.secret, secretCookie);
  if ('isSignedOut' in answer) void reply.clearCookie(session, secretCookie);
  return reply.redirect(answer.goTo, 303);
}

/** Adds the stream of changes, for signed-in people while their session lasts. */
function addLive(app: FastifyInstance, parts: PageParts): void {
  const { feed, readContext } = parts;
  app.addHook('preClose', async () => feed[Symbol.dispose]());
  // A HEAD request would open a stream that nothing reads and nothing closes.
  app.get('/live', { exposeHeadRoute: false }, async (request, reply) => {
    const isOpen = async () =>
      (await identify(request, parts, await readContext(), false)).proved !== undefined;
    if (!(await isOpen())) return sendText(reply, 401, 'sign in first');
    const stream = feed.listen(nameSession(request, parts.cookieNames), isOpen);
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
      // The guard is a `preHandler`, because the token is in the body, which earlier hooks lack.
      preHandler: view.method === 'POST' ? [csrfGuard] : [],
      config: isSlow ? { rateLimit: { max: signInsAMinute, timeWindow: minuteMs } } : {},
      handler: async (request, reply) => answerView(view, request, reply, parts),
    });
  }
  // Browsers request this icon by themselves.
  app.get('/favicon.ico', async (_request, reply) => reply.code(204).send());
  app.get('/', async (_request, reply) => reply.redirect('/today', 303));
  app.post('/look', { preHandler: csrfGuard }, async (request, reply) =>
    answerLook(request, reply, parts.cookieNames),
  );
  app.get(stylePath, async (_request, reply) =>
    reply.type('text/css; charset=utf-8').header('cache-control', `max-age=${yearSeconds}`).send(style),
  );
  for (const { path, type, text } of [...passkeyScripts(), pageScript])
    app.get(path, async (_request, reply) =>
      reply.type(`${type}; charset=utf-8`).header('cache-control', `max-age=${yearSeconds}`).send(text),
    );
  const saySomething = async (request: FastifyRequest, reply: FastifyReply, status: number) => {
    const { visit } = await readVisit(request, reply, parts);
    const word = sayings[status] ?? 'page.broken';
    return sendPage(reply, visit, plainPage(visit, status, visit.say(word)));
  };
  app.setNotFoundHandler({ preHandler: app.rateLimit() }, async (request, reply) =>
    saySomething(request, reply, 404),
  );
  app.setErrorHandler(async (error: { readonly statusCode?: number }, request, reply) => {
    const status = error.statusCode ?? 500;
    if (status === 403) {
      // The form is of a session that has ended, or of another one of the same person.
      const seen = await readVisit(request, reply, parts);
      const back = keepText(seen, request, reply, parts);
      if (back !== undefined) return sendAnswer(reply, seen.visit, back, parts);
    }
    if (status >= 500) parts.log('error', 'the review page could not answer', { err: error });
    return saySomething(request, reply, status);
  });
}

const sayings: Readonly<Partial<Record<number, PlainCode>>> = {
  400: 'page.broke-off',
  403: 'page.out-of-date',
  404: 'page.not-found',
  413: 'page.sent-too-large',
  429: 'page.too-many',
};

/** Sets language and colours, which are kept in the browser alone. */
function answerLook(request: FastifyRequest, reply: FastifyReply, names: CookieNames): FastifyReply {
  const { language, theme, back = '' } = lastOfEach(request.body);
  const kept = { ...secretCookie, maxAge: yearSeconds };
  const chosen = {
    [names.language]: languages.find((one) => one === language),
    [names.theme]: themes.find((one) => one === theme),
  };
  for (const [name, value] of Object.entries(chosen))
    if (value !== undefined) void reply.setCookie(name, value, kept);
  return reply.redirect(ownPath.test(back) ? back : '/today', 303);
}
