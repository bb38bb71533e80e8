/** The wording of the catalogue's texts. */

/** English, ไทย. A hole for an argument is written `{name}`; both languages have the same holes. */
export type Wording = readonly [en: string, th: string];

export type HolesOf<Text extends string> = Text extends `${string}{${infer Hole}}${infer Rest}`
  ? Hole | HolesOf<Rest>
  : never;

/** Makes the compiler compare the holes of both languages. */
type Matched<Table extends Readonly<Record<string, Wording>>> = {
  readonly [Code in keyof Table]: [HolesOf<Table[Code][0]>] extends [HolesOf<Table[Code][1]>]
    ? [HolesOf<Table[Code][1]>] extends [HolesOf<Table[Code][0]>]
      ? Table[Code]
      : readonly [en: string, th: 'has a hole that the English lacks']
    : readonly [en: string, th: 'lacks a hole of the English'];
};

/** A table of the catalogue, whose English and Thai have the same holes. */
export const wordings = <const Table extends Readonly<Record<string, Wording>>>(
  table: Table & Matched<Table>,
): Table => table;
