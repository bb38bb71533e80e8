/**
 * Typed text that outlasts a session: the fields of a form that came after its session had ended, kept in memory for
 * the person to whom the form was shown. The form returns filled in; nothing of it is carried out.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sessionLongestMs } from '../rules/session.ts';
import { lastOfEach, secretCookie } from './guards.ts';
import type { Fields, ProvedVisit, Visit } from './view.ts';

/** The person to whom a form was shown, and the path of its page. */
interface FormOwner {
  readonly personId: number;
  readonly path: string;
}

interface KeptPost extends FormOwner {
  readonly fields: Fields;
  readonly atMs: number;
}

/** The name of the sealed field in a form. */
export const sealField = '_seal';

/** The field that tells a page of a form that returns filled in. */
export const keptMark = '_kept';

/** @forTests */
export const keptMs = 30 * 60_000;
/** The limits over all people, and for each of them: the oldest goes first. */
const postsMax = 200;
const postsOfOneMax = 5;
/** The limit of characters in the fields of one post. */
const charactersMax = 16_000;

const macOf = (key: Uint8Array, text: string): Buffer => createHmac('sha256', key).update(text).digest();

export class KeptPosts {
  /** The key of this process: a seal of another one opens nothing. */
  readonly #key = randomBytes(32);
  readonly #posts = new Map<string, KeptPost>();
  readonly #cookie: string;

  /** @param cookie the name of the cookie that links a browser to its post */
  constructor(cookie: string) {
    this.#cookie = cookie;
  }

  seal({ personId, path }: FormOwner, nowMs: number): string {
    const text = `${personId} ${nowMs} ${path}`;
    return `${Buffer.from(text).toString('base64url')}.${macOf(this.#key, text).toString('base64url')}`;
  }

  /** @returns undefined for a text that this process has not sealed, and for a form older than any session */
  openSeal(sealed: string | undefined, nowMs: number): FormOwner | undefined {
    const [text64 = '', mac64 = ''] = (sealed ?? '').split('.');
    const text = Buffer.from(text64, 'base64url').toString();
    const mac = Buffer.from(mac64, 'base64url');
    const own = macOf(this.#key, text);
    if (mac.length !== own.length || !timingSafeEqual(mac, own)) return undefined;
    const [personId = '', atMs = '', path = ''] = text.split(' ');
    return nowMs - Number(atMs) > sessionLongestMs + keptMs
      ? undefined
      : { personId: Number(personId), path };
  }

  /** @returns the secret for the browser; undefined where nothing, or too much, was typed */
  keep(owner: FormOwner, posted: Fields, nowMs: number): string | undefined {
    // Names with an underscore are of the form itself.
    const typed = Object.entries(posted).filter(([name]) => !name.startsWith('_'));
    const characters = typed.reduce((sum, [name, text = '']) => sum + name.length + text.length, 0);
    if (characters === 0 || characters > charactersMax) return undefined;
    for (const [old, { atMs }] of this.#posts) if (nowMs - atMs >= keptMs) this.#posts.delete(old);
    const secret = randomBytes(24).toString('base64url');
    this.#posts.set(secret, { ...owner, fields: Object.fromEntries(typed), atMs: nowMs });
    const own = [...this.#posts].filter(([, { personId }]) => personId === owner.personId);
    for (const [oldest] of own.slice(0, -postsOfOneMax)) this.#posts.delete(oldest);
    for (const [oldest] of [...this.#posts].slice(0, -postsMax)) this.#posts.delete(oldest);
    return secret;
  }

  /**
   * Keeps the form of a request whose session has ended, or is another one of the same person.
   * @returns the path of the form's page; undefined where nothing is kept
   */
  receive(
    { body }: FastifyRequest,
    reply: FastifyReply,
    { person, nowMs }: Pick<Visit, 'person' | 'nowMs'>,
  ): string | undefined {
    const fields = lastOfEach(body);
    const owner = this.openSeal(fields[sealField], nowMs);
    if (owner === undefined || (person !== undefined && person.personId !== owner.personId)) return undefined;
    const secret = this.keep(owner, fields, nowMs);
    if (secret === undefined) return undefined;
    void reply.setCookie(this.#cookie, secret, { ...secretCookie, maxAge: keptMs / 1_000 });
    return owner.path;
  }

  #find({ cookies }: FastifyRequest, nowMs: number): KeptPost | undefined {
    const post = this.#posts.get(cookies[this.#cookie] ?? '');
    return post !== undefined && nowMs - post.atMs < keptMs ? post : undefined;
  }

  /** Tells whether text of this browser is kept, for any person. */
  isOf(request: FastifyRequest, nowMs: number): boolean {
    return this.#find(request, nowMs) !== undefined;
  }

  /** The page on which a person has typed text in this browser. */
  findPage(request: FastifyRequest, personId: number | undefined, nowMs: number): string | undefined {
    const post = this.#find(request, nowMs);
    return post?.personId === personId ? post?.path : undefined;
  }

  /** Gives the text to its owner, once, where the owner opens its page. */
  giveBack(request: FastifyRequest, reply: FastifyReply, visit: ProvedVisit): Fields {
    const { person, path, nowMs } = visit;
    const post = request.method === 'GET' ? this.#find(request, nowMs) : undefined;
    if (post?.personId !== person.personId || post.path !== path) return {};
    this.#posts.delete(request.cookies[this.#cookie] ?? '');
    void reply.clearCookie(this.#cookie, secretCookie);
    return { ...post.fields, [keptMark]: '1' };
  }
}
