/** The short form of `npm run chaos -- --machines 4`: real processes and a real server, which are killed, and the bank's own ledger. */
import { describe, expect, test } from 'vitest';
import { besiegeMachines } from '../chaos/machines/siege.ts';
import { findPostgresPrograms } from '../support/own-postgres.ts';

const programs = findPostgresPrograms();
if (programs === undefined)
  console.warn('No PostgreSQL to be started here: several machines are not tested.');

const storm = {
  machines: 2,
  rows: 200,
  kills: 2,
  freezes: 1,
  restarts: 1,
  cuts: 2,
  rate: 0,
  latencyMs: 20,
  seed: 2,
  keep: false,
} as const;

describe.skipIf(programs === undefined)('machines that work one journal in a storm', () => {
  test('pay every row once, lose none, and tell how each has ended', async () => {
    const said: string[] = [];
    const { verdict, came } = await besiegeMachines(programs ?? '', storm, (line) => said.push(line));
    const { complaints, payouts } = verdict;
    expect({ complaints, said: complaints.length > 0 ? said : [] }).toEqual({ complaints: [], said: [] });
    expect(payouts).toBeGreaterThan(storm.rows * 0.9);
    expect(came.get('kill')).toBe(storm.kills);
    expect(came.get('restart')).toBe(storm.restarts);
  });
});
