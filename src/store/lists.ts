/** Lists that are handed to a statement as one value, so that it is compiled once however long they are: JSON. */
import { type Expression, type RawBuilder, sql, type SqlBool } from 'kysely';
import { inDialect } from './statements.ts';

/**
 * The elements as rows of `listed`: `->>` reaches the content of a list that is the `value` of one, as text.
 * @param json list of lists
 */
export const listed = (json: string) =>
  sql<{ readonly value: string }>`${inDialect({
    sqlite: sql`json_each(${json})`,
    postgres: sql`json_array_elements(cast(${json} as json))`,
  })}`.as('listed');

/** @param json list of texts */
export const isListed = (text: Expression<unknown>, json: string): RawBuilder<SqlBool> =>
  sql`${text} ${inDialect({
    sqlite: sql`in (select value from json_each(${json}))`,
    postgres: sql`= any(array(select json_array_elements_text(cast(${json} as json))))`,
  })}`;
