/** What the tests of the other engine stand on. */
import { expect, test } from 'vitest';
import { describePostgres, makeDatabase } from '../../support/postgres.ts';

describePostgres('a database of a test', () => {
  test('is its own, and goes whoever is connected', async () => {
    await using watcher = await makeDatabase();
    await using beside = await watcher.connect();
    let name: unknown;
    {
      await using database = await makeDatabase();
      const client = await database.connect();
      await client.query('create table kept (id bigint)');
      name = (await client.query('select current_database() as name')).rows[0].name;
      expect((await beside.query(`select to_regclass('kept') as found`)).rows).toEqual([{ found: null }]);
    }
    const left = await beside.query('select 1 from pg_database where datname = $1', [name]);
    expect(left.rows).toEqual([]);
  });

  test('has the letters of every script', async () => {
    await using database = await makeDatabase();
    await using client = await database.connect();
    const { rows } = await client.query(`select current_setting('server_encoding') as encoding, $1 as text`, [
      'ก😀',
    ]);
    expect(rows).toEqual([{ encoding: 'UTF8', text: 'ก😀' }]);
  });
});
