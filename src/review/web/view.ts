/** The input and the answer of a view of the page. */
import type { Language } from '../../core/language.ts';
import {
  inEnglish,
  isTranslated,
  type Message,
  message,
  type PlainCode,
  sayOnPage,
} from '../../core/message.ts';
import { shortenMasks } from '../../core/proxy-id.ts';
import type { Action, Person, ProvedPerson } from '../rules/people.ts';
import type { Part } from './html.ts';

export const themes = ['light', 'dark'] as const;
type Theme = (typeof themes)[number];

/** A request for a page. */
export interface Visit {
  readonly language: Language;
  /** Undefined: the theme of the system. */
  readonly theme: Theme | undefined;
  readonly isSandbox: boolean;
  readonly nowMs: number;
  readonly person: Person | undefined;
  /** This browser has typed text that is kept for a person who signs in. */
  readonly hasKeptText: boolean;
  /** The network address of the visitor, as a trusted proxy names it; undefined where none does. */
  readonly source: string | undefined;
  /** `changeMark` before any of the page was read; empty for a visitor who is not signed in. */
  readonly mark: string;
  /** The token in every posted form. */
  readonly csrfToken: string;
  /** The path of the view, without anything that was typed. */
  readonly path: string;
  /** A text in the visitor's language. */
  readonly say: (text: PlainCode | Message) => string;
}

/** A visit by a signed-in person. */
export interface ProvedVisit extends Visit {
  readonly person: Person;
  readonly proved: ProvedPerson;
  /** The session of the visit. */
  readonly sessionHash: string;
  /** Seals the person and a form's page, so that the form's text outlasts the session. */
  readonly seal: (path: string) => string;
}

export interface Page {
  readonly title: string;
  readonly body: Part;
  /** The paths of its scripts, in this order. */
  readonly scripts?: readonly string[];
  /** The HTTP status; 200 when left out. */
  readonly status?: number;
}

/** A file for the visitor to keep, never displayed as a page. */
export interface Attachment {
  readonly path: string;
  readonly name: string;
  readonly type: string;
}

/** The answer of a view; it may set or end the session's secret in the browser. */
export type Answer =
  | Page
  | { readonly file: Attachment }
  | { readonly goTo: string }
  | { readonly goTo: string; readonly secret: string }
  | { readonly goTo: string; readonly isSignedOut: true };

/** Fields of a form and parts of the path, by name; the last value of a repeated field. */
export type Fields = Readonly<Record<string, string | undefined>>;

interface Route {
  readonly method: 'GET' | 'POST';
  /** The path in fastify's form: `/payout/:seq`. */
  readonly path: string;
}

/** An uploaded file, before any of it is read. */
export interface SentFile {
  /** The name that the browser sends. */
  readonly name: string;
  readonly stream: AsyncIterable<Uint8Array>;
  /** Known at the end of the stream: the file exceeded the limit and is incomplete. */
  readonly isCut: () => boolean;
}

/** A view that receives a file, after its sender and the form's token were checked. */
export interface FileView {
  readonly path: string;
  readonly action: Action;
  readonly bytesMax: number;
  /** The number of the form's fields before the file; left out: only its token. */
  readonly fieldsMax?: number;
  /**
   * @param fields the form's fields and parts of the path
   * @param file a file without a name means that none was chosen
   */
  readonly receive: (visit: ProvedVisit, file: SentFile, fields: Fields) => Promise<Answer>;
}

/** A view; without `action`, it is for visitors who are not signed in. */
export type View =
  | (Route & {
      readonly action: Action;
      readonly answer: (visit: ProvedVisit, fields: Fields) => Promise<Answer>;
    })
  | (Route & {
      readonly action?: undefined;
      readonly answer: (visit: Visit, fields: Fields) => Promise<Answer>;
    });

type ActionView = Extract<View, { readonly action: Action }>;

/** A view for the signed-in people who may do this. */
export const viewAt = (
  method: Route['method'],
  path: string,
  action: Action,
  answer: (visit: ProvedVisit, fields: Fields) => Answer | Promise<Answer>,
): ActionView => ({ method, path, action, answer: async (visit, fields) => answer(visit, fields) });

/** A form, and the same path for what is posted. */
export const formAt = (
  path: string,
  action: Action,
  answer: (visit: ProvedVisit, fields: Fields, isPosted: boolean) => Answer | Promise<Answer>,
): readonly ActionView[] =>
  (['GET', 'POST'] as const).map((method) =>
    viewAt(method, path, action, (visit, fields) => answer(visit, fields, method === 'POST')),
  );

/** A search: it is posted, so that no address and no log has what was typed. */
export const searchAt = (
  path: string,
  action: Action,
  answer: (visit: ProvedVisit, fields: Fields) => Promise<Answer>,
): readonly ActionView[] =>
  formAt(path, action, (visit, fields, isPosted) => answer(visit, isPosted ? fields : {}));

/** The views of the page, and those that receive files. */
export interface PageViews {
  readonly views: readonly View[];
  readonly fileViews: readonly FileView[];
}

export const makeSay =
  (language: Language) =>
  (text: PlainCode | Message): string =>
    shortenMasks(sayOnPage(language, typeof text === 'string' ? message(text) : text));

/** A text with the language that it is in: one that is not paydrop's own stays as it is. */
export const sayWhy = (
  language: Language,
  why: Message,
): { readonly text: string; readonly language: Language } =>
  isTranslated(why)
    ? { text: shortenMasks(sayOnPage(language, why)), language }
    : { text: inEnglish(why), language: 'en' };
