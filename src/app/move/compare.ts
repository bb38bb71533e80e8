/** Reads both sides again, and names the first difference. */
import { hash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import type { ClientBase } from 'pg';
import { showCount } from '../../core/figures.ts';
import { type Look, lookAt, movedTables, otherLooks, requireKnownColumns } from './tables.ts';

/** Digests fetched at a time. */
const pageRows = 5_000;

/** The digests of the rows, in order. */
async function* readDigests(client: ClientBase, { statement }: Look): AsyncGenerator<readonly string[]> {
  const digest = `encode(sha256(convert_to(whole, 'UTF8')), 'hex')`;
  await client.query(
    `declare looked no scroll cursor for select ${digest} as digest from (${statement}) as look`,
  );
  for (;;) {
    const { rows } = await client.query<{ readonly digest: string }>(`fetch ${pageRows} from looked`);
    yield rows.map((row) => row.digest);
    if (rows.length < pageRows) break;
  }
  await client.query('close looked');
}

/** The first row at which the two sides differ; undefined where they are the same. */
async function findDifference(db: DatabaseSync, client: ClientBase, look: Look): Promise<string | undefined> {
  const here = db.prepare(look.statement).iterate() as Iterable<unknown> as Iterable<{
    readonly whole: string;
  }>;
  const rows = here[Symbol.iterator]();
  let place = 0;
  for await (const digests of readDigests(client, look)) {
    for (const digest of digests) {
      place += 1;
      const row = rows.next();
      if (row.done === true) return `${look.what} end here after ${showCount(place - 1)}, and go on there`;
      if (hash('sha256', row.value.whole) !== digest)
        return `${look.what}: number ${showCount(place)} is another`;
    }
  }
  if (rows.next().done !== true) return `${look.what} end there after ${showCount(place)}, and go on here`;
  return undefined;
}

/**
 * Compares every row of every table, and the totals and chains derived from them.
 * @param client in a transaction of its own, which sees committed rows
 * @returns the first difference, in words; undefined when there is none
 */
export async function compareSides(db: DatabaseSync, client: ClientBase): Promise<string | undefined> {
  await requireKnownColumns(db, client);
  for (const look of [...movedTables.map(lookAt), ...otherLooks]) {
    const difference = await findDifference(db, client, look);
    if (difference !== undefined) return difference;
  }
  return undefined;
}
