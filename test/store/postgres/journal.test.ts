import { Client } from 'pg';
import { expect, test } from 'vitest';
import { ingest, makeRows } from '../../support/journal-fixtures.ts';
import { makePostgresStore } from '../../support/postgres-store.ts';
import { describePostgres } from '../../support/postgres.ts';

const lookUps = {
  payout: 'seq = 1',
  claim: `company_id = 'A' and similar_key = 'B' and payout_id = 'C'`,
  event: 'payout_seq = 1',
  attempt: 'payout_seq = 1 and attempt_no = 1',
};

describePostgres('after a file was sealed', () => {
  test('nothing is looked up by reading a table whole, what fills later neither', async () => {
    await using store = await makePostgresStore();
    await ingest(store.journal, makeRows(500));
    const client = new Client(store.url);
    await client.connect();
    for (const [table, condition] of Object.entries(lookUps)) {
      const { rows } = await client.query(`explain select from paydrop.${table} where ${condition}`);
      expect(`${table}: ${JSON.stringify(rows)}`).toMatch(/Index|Bitmap/);
    }
    await client.end();
  });
});
