/** Facts about the journal itself, each a text by its name. */
import { type Body, define, query, type Reading } from './statements.ts';

const kept = define((values: { key: string }) =>
  query.selectFrom('meta').select('value').where('key', '=', values.key),
);

const forget = define((values: { key: string }) => query.deleteFrom('meta').where('key', '=', values.key));

const keep = define((values: { key: string; value: string }) => query.insertInto('meta').values(values));

export function* readFact(key: string): Reading<string | undefined> {
  return (yield* kept.get({ key }))?.value;
}

/** Sets a fact, or takes it away. */
export function* writeFact(key: string, value: string | null | undefined): Body<void> {
  yield* forget.run({ key });
  if (value !== null && value !== undefined) yield* keep.run({ key, value });
}
