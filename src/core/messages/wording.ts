/** The wording of the catalogue's texts. */

/**
 * English, ไทย, and the English of the page where the first names commands of the shell: the Thai and the page name
 * buttons. A hole for an argument is written `{name}`; what a page shows has the same holes in both languages.
 */
export type Wording = readonly [en: string, th: string] | readonly [shell: string, th: string, page: string];

export type HolesOf<Text extends string> = Text extends `${string}{${infer Hole}}${infer Rest}`
  ? Hole | HolesOf<Rest>
  : never;

/** The English that a page shows. */
type OnPage<Texts extends Wording> = Texts extends readonly [string, string, infer Page extends string]
  ? Page
  : Texts[0];

/** A text that tells people to type a command. */
type OfShell = `${string}"paydrop ${string}` | `${string} --${string}` | `${string}"{command${string}`;

type Table = Readonly<Record<string, Wording>>;

/** Makes the compiler compare the holes of both languages. */
type Matched<Texts extends Wording> = [HolesOf<OnPage<Texts>>] extends [HolesOf<Texts[1]> & HolesOf<Texts[0]>]
  ? [HolesOf<Texts[1]>] extends [HolesOf<OnPage<Texts>>]
    ? Texts
    : readonly [en: string, th: 'has a hole that the English lacks']
  : readonly [en: string, th: 'lacks a hole of the English'];

/** Makes the compiler refuse a command on a page. */
type WithoutCommands<Texts extends Wording> = [Extract<OnPage<Texts> | Texts[1], OfShell>] extends [never]
  ? Matched<Texts>
  : readonly [shell: string, th: string, page: 'the page and the Thai name buttons, not commands'];

/** A table of the catalogue, whose English and Thai have the same holes; a page may show each of them. */
export const wordings = <const Texts extends Table>(
  table: Texts & { readonly [Code in keyof Texts]: WithoutCommands<Texts[Code]> },
): Texts => table;

/** A table of texts that no page shows. */
export const wordingsOffPage = <const Texts extends Table>(
  table: Texts & { readonly [Code in keyof Texts]: Matched<Texts[Code]> },
): Texts => table;
