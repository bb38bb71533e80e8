/** Who types a command: by a token, in the journal as it is, and in one that was restored. */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { inEnglish } from '../../src/core/message.ts';
import { backUpJournal, placeBackup } from '../../src/app/backup.ts';
import { agreeSettings } from '../../src/review/policy.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { recoverAdmin } from '../../src/review/people.ts';
import { identifyPerson, makeToken } from '../../src/review/tokens.ts';
import type { LoadedSettings } from '../../src/settings/settings.ts';
import { openJournal } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { cheap, Users } from '../support/persons.ts';
import { makeSqliteStore, openingIn, type SqliteStore, stamp } from '../support/sqlite-store.ts';

let sqlite: SqliteStore;
let users: Users;
beforeEach(async () => {
  sqlite = await makeSqliteStore();
  users = new Users(sqlite.store);
  // The journal is opened by the machine's clock.
  users.clock.ms = systemClock.now() - users.clock.now();
});
afterEach(() => sqlite[Symbol.asyncDispose]());

const identify = (store: Store, secret?: string) => {
  const personToken =
    secret === undefined ? undefined : ({ ok: true, secret, from: 'PAYDROP_TOKEN' } as const);
  return identifyPerson({ personToken } as LoadedSettings, store);
};

async function tokenOf(name: string): Promise<string> {
  const made = await makeToken(users.context, await users.prove(name), { label: '', days: 1 });
  return 'why' in made ? inEnglish(made.why) : made.token;
}

test('nobody has to prove anything before the first user, and everybody from then on', async () => {
  expect(await identify(sqlite.store)).toBeUndefined();
  await users.add('mali', 'admin', null);
  await expect(identify(sqlite.store)).rejects.toThrow('no personal token');
  await expect(identify(sqlite.store, 'mali')).rejects.toThrow('PAYDROP_TOKEN: the token is none');
  const token = await tokenOf('mali');
  expect(await identify(sqlite.store, token)).toMatchObject({ person: { name: 'mali' }, proof: 'token' });
  const unreadable = { personToken: { ok: false, message: 'review.tokenFile x is empty' } };
  await expect(identifyPerson(unreadable as LoadedSettings, sqlite.store)).rejects.toThrow('is empty');
  // All that there were are disabled: that is no way back to nobody.
  await users.add('anan', 'admin', await users.find('mali'));
  await users.ask({ kind: 'disable', personId: 1 }, await users.find('anan'));
  await expect(identify(sqlite.store)).rejects.toThrow('no personal token');
});

test('settings that were changed since there were two admins change nothing of how many people decide', async () => {
  const settingsWith = (people: number) => ({ settings: { review: { people, tokenFile: 'x' } } });
  const agree = async (people: number) => {
    const loaded = settingsWith(people) as unknown as LoadedSettings;
    return (await agreeSettings(loaded, sqlite.store)).settings.review;
  };
  await users.add('mali', 'admin', null);
  expect(await agree(1)).toEqual({ people: 1, tokenFile: 'x' });
  await users.add('anan', 'admin', await users.find('mali'));
  expect(await agree(2)).toEqual({ people: 2, tokenFile: 'x' });
  expect(await agree(1)).toEqual({ people: 2, tokenFile: 'x' });
});

test('a use that cannot be noted keeps nobody out', async () => {
  await users.add('mali', 'admin', null);
  const token = await tokenOf('mali');
  const noteTokenUse = () => Promise.reject(new Error('the disk takes no writes'));
  expect(await identify({ ...sqlite.store, noteTokenUse }, token)).toMatchObject({ proof: 'token' });
});

test('in a journal that was restored nobody counts of those whom the backup knew', async () => {
  await users.add('mali', 'admin', null);
  await users.add('boon', 'maker', await users.find('mali'));
  const [mali, boon] = [await tokenOf('mali'), await tokenOf('boon')];
  const [copy, restored] = [join(sqlite.dataDir, 'copy.db'), join(sqlite.dataDir, 'restored')];
  backUpJournal(sqlite.dataDir, copy);
  expect((await readFile(copy)).includes(mali.slice(4))).toBe(false);
  await users.ask({ kind: 'disable', personId: 2 }, await users.find('mali'));
  await expect(identify(sqlite.store, boon)).rejects.toThrow('revoked');
  await mkdir(restored);
  placeBackup(copy, restored, stamp, systemClock.now());
  const recovery = { sinceDate: '20261101' };
  const nowMs = systemClock.now();
  await using store = await openJournal({ ...openingIn(restored), nowMs, recovery, restores: true });
  for (const token of [mali, boon])
    await expect(identify(store, token)).rejects.toThrow('the journal was restored or lost');
  const restoredAtMs = (await store.loss())?.recoveredAtMs;
  const context = { store, nowMs: systemClock.now(), restoredAtMs, cost: cheap };
  await recoverAdmin(context, { name: 'mali', why: 'restored', owner: 'root' });
  await expect(identify(store, mali)).rejects.toThrow('revoked');
  await expect(identify(store, boon)).rejects.toThrow('the journal was restored or lost');
});
