/** Personal tokens: whose they are, and what ends them. */
import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { inEnglish } from '../../src/core/message.ts';
import { makeToken, makeTokenSource, revokeToken } from '../../src/review/tokens.ts';
import { Users } from '../support/persons.ts';
import { makeSqliteStore, type SqliteStore } from '../support/sqlite-store.ts';
import { inWords } from '../support/in-words.ts';

let sqlite: SqliteStore;
let users: Users;
beforeEach(async () => {
  sqlite = await makeSqliteStore();
  users = new Users(sqlite.store);
  await users.add('mali', 'admin', null);
  await users.add('boon', 'maker', await users.find('mali'));
});
afterEach(() => sqlite[Symbol.asyncDispose]());

async function make(name: string, days = 90): Promise<string> {
  const made = await makeToken(users.context, await users.prove(name), { label: 'laptop', days });
  if ('why' in made) throw new Error(inEnglish(made.why));
  return made.token;
}
const identify = (token: string) => makeTokenSource(users.context).identify(token);
const refusedAs = (why: string) => ({ ok: false, why: expect.stringContaining(why) });

test('a token says whose it is, until it expires', async () => {
  const token = await make('boon');
  expect(token).toMatch(/^pdt_[\w-]{43}$/);
  expect(await identify(`${token}\n`)).toMatchObject({ ok: true, proof: 'token', person: { name: 'boon' } });
  expect((await sqlite.store.persons()).tokens).toMatchObject([{ lastUsedAtMs: users.clock.now() }]);
  users.clock.ms += 90 * 86_400_000;
  expect(inWords(await identify(token))).toEqual(refusedAs('expired on 2027'));
});

test('it stands nowhere in the journal', async () => {
  const token = await make('boon');
  for (const path of [sqlite.path, `${sqlite.path}-wal`])
    expect((await readFile(path)).includes(token.slice(4))).toBe(false);
});

test.each(['', 'mali', 'pdt_', `pdt_${'A'.repeat(43)}`, `pdt_${'A'.repeat(44)}`, "' or 1=1 --"])(
  '%j is none',
  async (text) => {
    await make('boon');
    const answer = await identify(text);
    expect(answer).toMatchObject({ ok: false });
    if (text !== '' && !answer.ok) expect(answer.why).not.toContain(text);
  },
);

test('it ends with the user, and does not come back with him', async () => {
  const [token, mali] = [await make('boon'), await users.find('mali')];
  await users.ask({ kind: 'disable', personId: 2 }, mali);
  expect(inWords(await identify(token))).toEqual(refusedAs('revoked'));
  const disabled = await makeToken(
    users.context,
    { person: { ...mali, personId: 2 }, proof: 'token' },
    { label: '', days: 1 },
  );
  expect(inWords(disabled)).toEqual({ why: 'this user is disabled' });
  await users.ask({ kind: 'enable', personId: 2 }, mali);
  expect(inWords(await identify(token))).toEqual(refusedAs('revoked'));
});

test('its role is the one that the user has now', async () => {
  const token = await make('boon');
  await users.ask({ kind: 'role', personId: 2, role: 'viewer' }, await users.find('mali'));
  expect(await identify(token)).toMatchObject({ ok: true, person: { role: 'viewer' } });
});

test('its owner ends it, and an admin; nobody else, who does not even learn that it is there', async () => {
  const [mine, hers] = [await make('boon'), await make('mali')];
  expect(inWords(await revokeToken(users.context, await users.prove('boon'), 2))).toBe('you have no token 2');
  expect(inWords(await revokeToken(users.context, await users.prove('boon'), 9))).toBe('you have no token 9');
  expect(await identify(hers)).toMatchObject({ ok: true });
  expect(await revokeToken(users.context, await users.prove('mali'), 1)).toBeUndefined();
  expect(inWords(await identify(mine))).toEqual(refusedAs('revoked'));
  expect(await revokeToken(users.context, await users.prove('mali'), 2)).toBeUndefined();
  expect(await users.kindsOfEvents()).toEqual(expect.arrayContaining(['2 token-revoked', '1 token-revoked']));
});

test.each([0, 367, 1.5, Number.NaN])('none lasts %d days', async (days) => {
  const made = await makeToken(users.context, await users.prove('boon'), { label: '', days });
  expect(inWords(made)).toEqual({ why: 'a token lasts 1 to 366 days' });
});

test('one that was revoked after the backup does not live again in the journal that is restored from it', async () => {
  const token = await make('mali');
  users.clock.ms += 1_000;
  users.restoredAtMs = users.clock.now();
  expect(inWords(await identify(token))).toEqual(refusedAs('paydrop user recover'));
  // Nor when its user is enabled again.
  const { people } = await sqlite.store.persons();
  const [mali] = people;
  users.clock.ms += 1;
  const { latestSeq } = await sqlite.store.persons();
  expect(latestSeq).toBeGreaterThan(0);
  const context = { ...users.context, restoredAtMs: (mali?.standsSinceMs ?? 0) - 1 };
  expect(await makeTokenSource(context).identify(token)).toMatchObject({ ok: true });
  const between = { ...users.context, restoredAtMs: mali?.standsSinceMs };
  expect(await makeTokenSource(between).identify(token)).toMatchObject({ ok: false });
});
