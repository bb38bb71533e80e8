/** What the shell finds by a whole number: for those who may see one, and recorded; for others by what screens show. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { inEnglish } from '../../../src/core/message.ts';
import { limitPayoutSearch, limitRegistrationSearch } from '../../../src/review/shell/search-reach.ts';
import { parsePayee } from '../../../src/payout/rules/search.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import type { RegistrationFilter } from '../../../src/registration/ports.ts';
import { describePersonEvent } from '../../../src/review/rules/person-words.ts';
import { makeToken } from '../../../src/review/tokens.ts';
import type { LoadedSettings } from '../../../src/settings/settings.ts';
import { Users } from '../../support/persons.ts';
import { makeRegistrationRow, runRegistrations } from '../../support/registration-journal.ts';
import { makeSqliteStore, type SqliteStore } from '../../support/sqlite-store.ts';

let sqlite: SqliteStore;
let users: Users;
beforeEach(async () => {
  sqlite = await makeSqliteStore();
  users = new Users(sqlite.store);
  users.clock.ms = systemClock.now() - users.clock.now();
  await runRegistrations(sqlite.store, [makeRegistrationRow(1)]);
});
afterEach(() => sqlite[Symbol.asyncDispose]());

const loadedWith = (secret?: string): LoadedSettings =>
  ({
    personToken: secret === undefined ? undefined : { ok: true, secret, from: 'PAYDROP_TOKEN' },
  }) as LoadedSettings;

async function addUsers() {
  await users.add('mali', 'admin', null);
  await users.add('ploy', 'viewer', await users.find('mali'));
  const tokenOf = async (name: string) => {
    const made = await makeToken(users.context, await users.prove(name), { label: '', days: 1 });
    return 'why' in made ? inEnglish(made.why) : made.token;
  };
  return { mali: loadedWith(await tokenOf('mali')), ploy: loadedWith(await tokenOf('ploy')) };
}

const reveals = async () => {
  const { people } = await sqlite.store.persons();
  return (await sqlite.store.personEvents(0, 1_000)).flatMap((event) =>
    event.kind === 'revealed' ? [inEnglish(describePersonEvent(event, people))] : [],
  );
};
const payouts = (loaded: LoadedSettings, payee: string) =>
  limitPayoutSearch(loaded, sqlite.store, { payee: parsePayee(payee) });
const registrations = (loaded: LoadedSettings, filter: RegistrationFilter) =>
  limitRegistrationSearch(loaded, sqlite.store, filter);

test('without users everything is found, and nothing is recorded', async () => {
  const loaded = loadedWith();
  expect(await payouts(loaded, '0812345678')).toMatchObject({ filter: { payee: { kind: 'number' } } });
  const reference = '9000000000001';
  expect(await registrations(loaded, { reference })).toMatchObject({ filter: { reference } });
  expect(await reveals()).toEqual([]);
});

test('whole numbers are for those who may see them, and each search is recorded', async () => {
  const { mali, ploy } = await addUsers();
  for (const [payee, cure] of [
    ['0812345678', 'give the last four digits, --payee 5678'],
    ['45678', 'give the last four digits, --payee 5678'],
    ['Somchai 08', 'give a part of the name without digits'],
  ] as const) {
    await expect(payouts(ploy, payee)).rejects.toThrow(cure);
    await expect(payouts(loadedWith(), payee)).rejects.toThrow(/no personal token: .*; or give/);
  }
  for (const payee of ['5678', 'Somchai'])
    expect(await payouts(loadedWith(), payee)).toEqual({
      filter: { payee: parsePayee(payee) },
      isNarrowed: false,
    });
  await expect(registrations(ploy, { accountEnd: '1234560001' })).rejects.toThrow(
    'a maker or a checker or an admin; give the last four digits, --account 0001',
  );
  expect(await registrations(ploy, { accountEnd: '0001' })).toMatchObject({ isNarrowed: false });
  expect(await reveals()).toEqual([]);
  expect(await payouts(mali, '0812345678')).toMatchObject({ filter: { payee: { kind: 'number' } } });
  expect(await registrations(mali, { accountEnd: '1234560001' })).toMatchObject({ isNarrowed: false });
  expect(await reveals()).toEqual([
    'mali has looked at the answer of a search of the payouts for *****5678',
    'mali has looked at the answer of a search of the registrations for ******0001',
  ]);
});

test('references are compared with what screens show, and with numbers for those who may see them', async () => {
  const { mali, ploy } = await addUsers();
  const [number, customer] = ['0812345678', '9000000000001'];
  for (const loaded of [loadedWith(), ploy]) {
    const found = await limitPayoutSearch(loaded, sqlite.store, { reference: number });
    expect(found).toEqual({ filter: { ownName: number }, isNarrowed: true });
    expect(await registrations(loaded, { reference: customer })).toMatchObject({
      filter: { request: customer },
      isNarrowed: true,
    });
    expect(await registrations(loaded, { reference: 'R1' })).toMatchObject({ isNarrowed: false });
  }
  expect(await reveals()).toEqual([]);
  expect(await limitPayoutSearch(mali, sqlite.store, { reference: number })).toMatchObject({
    filter: { reference: number },
  });
  expect(await registrations(mali, { reference: customer })).toMatchObject({
    filter: { reference: customer },
  });
  expect(await reveals()).toHaveLength(2);
});
