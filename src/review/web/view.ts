/** What a view of the page is given, and what it answers. */
import type { Action, Person, ProvedPerson } from '../rules/people.ts';
import type { Part } from './html.ts';
import { type Language, say, type Word } from './words.ts';

export const themes = ['light', 'dark'] as const;
export type Theme = (typeof themes)[number];

/** Somebody asks for a page. */
export interface Visit {
  readonly language: Language;
  /** Undefined: as the system has it. */
  readonly theme: Theme | undefined;
  readonly isSandbox: boolean;
  readonly nowMs: number;
  readonly person: Person | undefined;
  /** Network address that asks, as a trusted proxy names it; undefined where none does. */
  readonly source: string | undefined;
  /** `changeMark` before anything of the page was read; empty for whoever has not signed in. */
  readonly mark: string;
  /** Goes with every form that is posted. */
  readonly csrfToken: string;
  /** Path of the view, which bears nothing of what was typed. */
  readonly path: string;
  readonly say: (word: Word) => string;
}

/** A visit of somebody who is signed in. */
export interface ProvedVisit extends Visit {
  readonly person: Person;
  readonly proved: ProvedPerson;
  /** Of the session in which it is. */
  readonly sessionHash: string;
}

export interface Page {
  readonly title: string;
  readonly body: Part;
  /** Paths of what it loads, in this order. */
  readonly scripts?: readonly string[];
  /** HTTP status; 200 when it is left out. */
  readonly status?: number;
}

/** To be kept by whoever asks for it: it is never shown as a page. */
export interface Attachment {
  readonly path: string;
  readonly name: string;
  readonly type: string;
}

/** What the browser keeps from now on: a session's secret, or none. */
export type Answer =
  | Page
  | { readonly file: Attachment }
  | { readonly goTo: string }
  | { readonly goTo: string; readonly secret: string }
  | { readonly goTo: string; readonly isSignedOut: true };

/** Fields of a form and parts of the path, by name; of a field that stands twice the last. */
export type Fields = Readonly<Record<string, string | undefined>>;

interface Place {
  readonly method: 'GET' | 'POST';
  /** Of fastify: `/payout/:seq`. */
  readonly path: string;
}

/** A file on its way: nothing of it has been read. */
export interface SentFile {
  /** As the browser says. */
  readonly name: string;
  readonly stream: AsyncIterable<Uint8Array>;
  /** Known at the end of the stream: it was larger than a file may be, and is not whole. */
  readonly isCut: () => boolean;
}

/** What takes a file: by then it is known who sends it, and that the form was ours. */
export interface FileView {
  readonly path: string;
  readonly action: Action;
  readonly bytesMax: number;
  /** Of the form's fields before the file; none but its token when left out. */
  readonly fieldsMax?: number;
  /** @param fields and parts of the path; without a name no file was chosen */
  readonly receive: (visit: ProvedVisit, file: SentFile, fields: Fields) => Promise<Answer>;
}

/** A view; one without `action` is for those who have not signed in. */
export type View =
  | (Place & {
      readonly action: Action;
      readonly answer: (visit: ProvedVisit, fields: Fields) => Promise<Answer>;
    })
  | (Place & {
      readonly action?: undefined;
      readonly answer: (visit: Visit, fields: Fields) => Promise<Answer>;
    });

export const makeSay =
  (language: Language) =>
  (word: Word): string =>
    say(language, word);
