/**
 * The review page's server: who asks, from where, and whether he may, is settled here for every view alike.
 * Plain http, and so on the loopback address only, or behind a proxy that is named.
 */
import { createReadStream } from 'node:fs';
import { isIP } from 'node:net';
import multipart, { type Multipart } from '@fastify/multipart';
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { ListenAddress } from '../../core/network-address.ts';
import type { Log } from '../../core/ports.ts';
import { makeServerFactory, type ServerLimits } from '../../platform/http-server.ts';
import { type AccessNotes, AccessRecord } from '../access-record.ts';
import { Challenges } from '../challenges.ts';
import type { SigningPlace } from '../passkeys.ts';
import { type Action, can, type ProvedPerson } from '../rules/people.ts';
import { type ProxyRefusal, readHeaderValues, toNetwork } from '../rules/proxy-header.ts';
import type { Queue } from '../rules/queue.ts';
import { identifyByProxy, makeSessionSource, type SessionContext, startSessionByProxy } from '../sessions.ts';
import type { ChangeReader } from '../ports.ts';
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
import { makeSessionViews } from './sessions-page.ts';
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
type PageParts = ReviewPageOptions & {
  readonly refusals: ProxyRefusals;
  readonly cookieNames: CookieNames;
  readonly access: AccessRecord;
};

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
const signInsAMinute = 30;

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
  await addGuards(app, options);
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
  const cookieNames = cookieNamesOf(outside);
  const access = new AccessRecord(store, options.log);
  const parts: PageParts = { ...options, cookieNames, access, refusals: new ProxyRefusals(options.log) };
  recordAccess(app, parts);
  const signInViews =
    outside?.userHeader === undefined
      ? makeSignInViews({ readContext, placeOf: makePlaces(access) })
      : makeProxySignInViews();
  const deciding = makeDecideViews({
    ...options,
    readFilter: async (visit, fields) => readQueueFilter(options.store, visit, fields),
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
    ...makeSessionViews({ readContext, onSignOut: options.onSignOut }),
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

// ---------------------------------------------------------------- what is recorded

/** Who has asked, until the answer is out. */
const askers = new WeakMap<FastifyRequest, ProvedPerson>();

const networkOf = (source: string | undefined): string | undefined =>
  source === undefined ? undefined : toNetwork(source);

const notesOf = (request: FastifyRequest, { access, outside }: PageParts): AccessNotes =>
  access.at(networkOf(findSource(request, outside)));

/** Tries are counted over all sign-ins of this page. */
function makePlaces(access: AccessRecord): (visit: Visit) => SignInPlace {
  const tries = new SourceTries();
  return ({ source }) => {
    const network = networkOf(source);
    return { name: 'page', tries: tries.of(source), access: access.at(network), network };
  };
}

/** Each refusal, whoever has refused it; the path as the table of views has it, without what was typed. */
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

/** A journal that cannot be read is told of by whoever works on it. */
const ignore = (): undefined => undefined;

// ---------------------------------------------------------------- views

/** Words that a visitor has chosen, or his browser. */
function readLanguage({ cookies: kept, headers }: FastifyRequest, names: CookieNames): Visit['language'] {
  const chosen = languages.find((one) => one === kept[names.language]);
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
    // What his browser had of somebody else, or of a password, ends with it.
    await endOwnSession(request, parts);
    begin(await startSessionByProxy(context, person));
    const signedIn = { kind: 'signed-in', subject: person.personId, proof: 'proxy', what: 'page' } as const;
    await notesOf(request, parts).note(signedIn, context.clock.now());
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
  const language = readLanguage(request, parts.cookieNames);
  const isUse = !asksByItself(request);
  // At once, without a way round: a browser that comes from another site keeps strict cookies to itself that long.
  const begin = (secret: string): void => {
    request.cookies[parts.cookieNames.session] = secret;
    void reply.setCookie(parts.cookieNames.session, secret, secretCookie);
  };
  const mayOpen = mayBegin && isUse && isOpened(request);
  const known = await identify(request, parts, context, isUse, mayOpen ? begin : undefined);
  if (known.proved !== undefined) askers.set(request, known.proved);
  const visit = {
    language,
    theme: themes.find((one) => one === request.cookies[parts.cookieNames.theme]),
    isSandbox: parts.isSandbox,
    nowMs: context.clock.now(),
    person: known.proved?.person,
    source: findSource(request, parts.outside),
    mark: known.proved === undefined ? '' : await parts.store.changeMark(),
    csrfToken: reply.generateCsrf({ userInfo: nameSession(request, parts.cookieNames) }),
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
    return sendAnswer(reply, visit, answer, parts.cookieNames);
  }
  const proved = proveVisit(seen, view.action, request, parts);
  if (!('proved' in proved)) return sendAnswer(reply, visit, proved, parts.cookieNames);
  const answer = await view.answer(proved, fields);
  if ('isSignedOut' in answer) await endOwnSession(request, parts);
  return sendAnswer(reply, visit, answer, parts.cookieNames);
}

async function endOwnSession(request: FastifyRequest, parts: PageParts): Promise<void> {
  const sessionHash = nameSession(request, parts.cookieNames);
  await parts.onSignOut?.(sessionHash);
  await parts.store.endSession(sessionHash);
}

/** The visit of somebody who may do it, or what he is answered instead. */
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
  if (!permission.allowed) return plainPage(visit, 403, visit.say('notAllowed'), permission.why);
  return { ...visit, person, proved, sessionHash: nameSession(request, parts.cookieNames) };
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
  const proved = proveVisit(seen, view.action, request, pageParts);
  if (!('proved' in proved)) return sendAnswer(reply, visit, proved, pageParts.cookieNames);
  if (!request.isMultipart()) return sendText(reply, 415, 'send it with the form');
  const { fieldsMax = 0, bytesMax } = view;
  const fieldSize = fieldsMax === 0 ? 1_000 : fieldBytesMax;
  const sizes = { fieldSize, fields: 1 + fieldsMax, files: 1, parts: 2 + fieldsMax, fileSize: bytesMax };
  const parts = request.parts({ limits: sizes });
  const nextPart = async (): Promise<Multipart | undefined> => {
    const step = await parts.next().catch(rethrowBroken);
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
  const answer = await view.receive(proved, { name: name ?? '', stream: readWhole(stream), isCut }, all);
  return sendAnswer(reply, visit, answer, pageParts.cookieNames);
}

/** A form that broke off on the way, or is none: the browser's fault, and not ours (400). */
class BrokenFormError extends Error {
  override readonly name = 'BrokenFormError';
  readonly statusCode = 400;
}

/** Limits that a form exceeds have a status of their own. @throws always */
function rethrowBroken(error: unknown): never {
  if ((error as { readonly statusCode?: number }).statusCode !== undefined) throw error;
  throw new BrokenFormError('the form broke off', { cause: error });
}

/** @throws BrokenFormError where the bytes end before their file does */
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

async function sendAnswer(
  reply: FastifyReply,
  visit: Visit,
  answer: Answer,
  { session }: CookieNames,
): Promise<FastifyReply> {
  if ('file' in answer) return sendFile(reply, answer.file);
  if (!('goTo' in answer)) return sendPage(reply, visit, answer);
  if ('secret' in answer) void reply.setCookie(session, answer.secret, secretCookie);
  if ('isSignedOut' in answer) void reply.clearCookie(session, secretCookie);
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
      // Before it there is no body, and with it no token.
      preHandler: view.method === 'POST' ? [csrfGuard] : [],
      config: isSlow ? { rateLimit: { max: signInsAMinute, timeWindow: minuteMs } } : {},
      handler: async (request, reply) => answerView(view, request, reply, parts),
    });
  }
  // Browsers ask for it by themselves.
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

const sayings: Readonly<
  Partial<Record<number, 'brokeOff' | 'outOfDate' | 'notFound' | 'sentTooLarge' | 'tooMany'>>
> = { 400: 'brokeOff', 403: 'outOfDate', 404: 'notFound', 413: 'sentTooLarge', 429: 'tooMany' };

/** Language and colours are the browser's own business. */
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
