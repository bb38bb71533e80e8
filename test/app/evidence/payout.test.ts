/** Whole numbers are handed out to whoever may see them alone, and that is recorded; a file is never written over. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inEnglish } from '../../../src/core/message.ts';
import { writeEvidence } from '../../../src/app/evidence/payout.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { makeToken } from '../../../src/review/tokens.ts';
import type { LoadedSettings } from '../../../src/settings/settings.ts';
import { ingestRunning, makeRows } from '../../support/journal-fixtures.ts';
import { Users } from '../../support/persons.ts';
import { makeSqliteStore, stamp } from '../../support/sqlite-store.ts';

test('whole numbers are for whoever has proved that he may see them', async () => {
  await using sqlite = await makeSqliteStore();
  const { store, dataDir } = sqlite;
  const [row] = makeRows(1);
  await ingestRunning(store, [row!]);
  const users = new Users(store);
  users.clock.ms = systemClock.now() - users.clock.now();
  const { companyId, bankAddress: baseUrl } = stamp;
  const write = (out: string, isFull: boolean, secret?: string) => {
    const personToken = secret === undefined ? undefined : { ok: true, secret, from: 'PAYDROP_TOKEN' };
    const journalUrl = { ok: true, secret: '', from: 'journal.url' };
    const settings = { bank: { companyId, baseUrl } };
    const loaded = { dataDir, isSandbox: false, settings, personToken, journalUrl };
    return writeEvidence(loaded as unknown as LoadedSettings, {
      name: 'INV-1',
      out: join(dataDir, out),
      isFull,
    });
  };
  await expect(write('a.json', true)).rejects.toThrow('there is no user yet');
  await users.add('mali', 'admin', null);
  await users.add('vee', 'viewer', await users.find('mali'));
  const tokenOf = async (name: string): Promise<string> => {
    const made = await makeToken(users.context, await users.prove(name), { label: '', days: 1 });
    return 'why' in made ? inEnglish(made.why) : made.token;
  };
  await expect(write('a.json', true)).rejects.toThrow('no personal token');
  await expect(write('a.json', true, await tokenOf('vee'))).rejects.toThrow('--full: ');
  expect(await users.kindsOfEvents()).not.toContain('1 revealed');

  expect(await write('a.json', true, await tokenOf('mali'))).toMatchObject({ rows: 1, isFull: true });
  expect(await users.kindsOfEvents()).toContain('1 revealed');
  const whole = await readFile(join(dataDir, 'a.json'), 'utf8');
  expect([whole.includes(row!.cells.proxyNo), whole.includes('"by": "mali"')]).toEqual([true, true]);
  expect((await stat(join(dataDir, 'a.json'))).mode & 0o077).toBe(0);

  await expect(write('a.json', false)).rejects.toThrow('nothing is overwritten');
  await write('b.json', false);
  expect(await readFile(join(dataDir, 'b.json'), 'utf8')).not.toContain(row!.cells.proxyNo);
});
