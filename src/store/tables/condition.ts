/**
 * Conditions of rules. Both engines have the same words, but for questions to tables: SQLite has them in the condition
 * itself, and PostgreSQL, whose conditions cannot hold a query, as functions.
 */

/** A condition as each engine has it. */
export interface Condition {
  readonly sqlite: string;
  readonly postgres: string;
  /** Questions of the condition, each after those that it asks itself. */
  readonly asks: readonly Question[];
}

/** A function of PostgreSQL. */
export interface Question {
  readonly name: string;
  readonly types: readonly ('integer' | 'text')[];
  /** The condition, with `$1`, `$2` … for the arguments. */
  readonly answer: string;
}

/** A condition of plain SQL and of others. */
export function when(parts: TemplateStringsArray, ...holes: readonly (string | Condition)[]): Condition {
  const fill = (engine: 'sqlite' | 'postgres'): string =>
    String.raw({ raw: parts }, ...holes.map((hole) => (typeof hole === 'string' ? hole : hole[engine])));
  const asks = holes.flatMap((hole) => (typeof hole === 'string' ? [] : hole.asks));
  return { sqlite: fill('sqlite'), postgres: fill('postgres'), asks };
}

/**
 * A question to the tables.
 * @param types the types of the arguments
 * @param answer the condition, made of the expressions that are its arguments
 * @returns the condition of such expressions
 */
export function question(
  name: string,
  types: readonly ('integer' | 'text')[],
  answer: (...asked: readonly string[]) => Condition,
): (...asked: readonly string[]) => Condition {
  const { postgres, asks } = answer(...types.map((_type, place) => `$${place + 1}`));
  const all = [...asks, { name, types, answer: postgres }];
  return (...asked) => ({
    sqlite: `(${answer(...asked).sqlite})`,
    postgres: `${name}(${asked.join(', ')})`,
    asks: all,
  });
}

const rowOf = (which: 'new' | 'old', columns: string): string =>
  columns
    .split(', ')
    .map((name) => `${which}.${name}`)
    .join(', ');

/** @param columns their names, a comma between them */
export const areAsBefore = (columns: string): string =>
  `((${rowOf('new', columns)}) is not distinct from (${rowOf('old', columns)}))`;

export const areChanged = (columns: string): string => `(not ${areAsBefore(columns)})`;

export const areGone = (columns: string): string =>
  `(${columns
    .split(', ')
    .map((name) => `new.${name} is null`)
    .join(' and ')})`;
