/** Who came in, who could not, and what was refused: in the history, and bounded, however many come. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { inEnglish, type Message, say } from '../../src/core/message.ts';
import { AccessRecord, type AccessNotes } from '../../src/review/access-record.ts';
import { findBrokenLink, readFacts } from '../../src/review/rules/chain.ts';
import { describePersonEvent } from '../../src/review/rules/person-words.ts';
import { signIn } from '../../src/review/sign-in.ts';
import { passwordOf, Users } from '../support/persons.ts';
import { makeSqliteStore, type SqliteStore } from '../support/sqlite-store.ts';

type Access = Parameters<AccessNotes['note']>[0];

let sqlite: SqliteStore;
let users: Users;
beforeEach(async () => {
  sqlite = await makeSqliteStore();
  users = new Users(sqlite.store);
  await users.add('mali', 'admin', null);
});
afterEach(() => sqlite[Symbol.asyncDispose]());

const accessKinds: readonly string[] = ['signed-in', 'sign-in-failed', 'refused'];

/** What the history says of them, in words. */
const readSentences = async () => (await readEvents()).map(inEnglish);

async function readEvents(): Promise<readonly Message[]> {
  const { people } = await sqlite.store.persons();
  const events = await sqlite.store.personEvents(0, 1_000);
  expect(findBrokenLink(events)).toBeUndefined();
  return events
    .filter(({ kind }) => accessKinds.includes(kind))
    .map((event) => describePersonEvent(event, people));
}

const logged: string[] = [];
const openRecord = (store: ConstructorParameters<typeof AccessRecord>[0] = sqlite.store) =>
  new AccessRecord(store, (_level, message) => void logged.push(message));

const failed: Access = { kind: 'sign-in-failed', subject: 0, proof: null, what: 'unknown-name' };
const refused = (what: string): Access => ({ kind: 'refused', subject: 1, proof: 'session', what });

test('a right password, a wrong one and a name that no user has', async () => {
  await signIn(users.context, 'mali', 'not the password');
  await signIn(users.context, 'MALI', passwordOf('mali'));
  await signIn(users.context, 'a password in the wrong field', 'x');
  expect(await readSentences()).toEqual([
    'a sign-in as mali failed (wrong-password)',
    'mali has signed in (shell)',
    'a sign-in under an unknown name failed (unknown-name)',
  ]);
  const events = await sqlite.store.personEvents(0, 100);
  // Whoever gave a wrong password need not be the person.
  expect(events.slice(-3).map(({ byPerson, proof }) => [byPerson, proof])).toEqual([
    [null, null],
    [1, 'password'],
    [null, null],
  ]);
  // What was typed stands nowhere.
  expect(JSON.stringify(events)).not.toMatch(/wrong field|not the password/);
});

test('a flood is one event at once, and one for each quarter of an hour after it', async () => {
  const record = openRecord();
  const notes = record.at('203.0.113.0/24');
  for (let second = 0; second < 3_600; second += 1) {
    await notes.note(failed, second * 1_000);
    if (second % 60 === 0) await record.flush(second * 1_000);
  }
  await record.flush(3_600_000, true);
  const times = (await sqlite.store.personEvents(0, 100))
    .filter(({ kind }) => kind === 'sign-in-failed')
    .map((event) => Number(readFacts(event)['times']));
  expect(times).toHaveLength(5);
  expect([times[0], times.reduce((sum, some) => sum + some, 0)]).toEqual([1, 3_600]);
  expect((await readSentences()).at(-1)).toMatch(
    /^a sign-in under an unknown name failed \(unknown-name\), from 203\.0\.113\.0\/24, \d+ times since 1970-01-01 07:45:00$/,
  );
});

test('what is gathered names so many different views, and a network where it is but one', async () => {
  const record = openRecord();
  await record.at('203.0.113.0/24').note(refused('GET /people'), 0);
  for (let view = 0; view < 20; view += 1) {
    await record.at('203.0.113.0/24').note(refused(`GET /view-${view}`), 1);
    await record.at('198.51.100.0/24').note(refused(`GET /view-${view}`), 1);
  }
  await record.flush(2, true);
  const [first, second = ''] = await readSentences();
  expect(first).toBe('mali was refused (GET /people), from 203.0.113.0/24');
  expect(second).toMatch(/^mali was refused \((?:GET \/view-\d, ){7}GET \/view-7\), 40 times since /);
  // Nothing is kept of who is quiet.
  await record.flush(10_000_000);
  await record.flush(20_000_000, true);
  expect(await readSentences()).toHaveLength(2);
});

test('all of it is said in Thai, too', async () => {
  const record = openRecord();
  for (const access of [
    failed,
    { ...failed, subject: 1 },
    refused('GET /log'),
    { ...refused('x'), subject: 0 },
  ])
    for (const network of ['203.0.113.0/24', '203.0.113.0/24', undefined])
      await record.at(network).note(access, 0);
  await signIn(users.context, 'mali', passwordOf('mali'));
  await record.flush(0, true);
  const said = (await readEvents()).map((event) => say('th', event));
  expect(said).toHaveLength(9);
  expect(said[0]).toBe('เข้าสู่ระบบด้วยชื่อที่ไม่มีในระบบไม่สำเร็จ (unknown-name) จาก 203.0.113.0/24');
});

test('what cannot be written is logged, and keeps nobody out', async () => {
  logged.length = 0;
  const record = openRecord({ recordPersonEvent: () => Promise.reject(new Error('the disk is full')) });
  await record.at(undefined).note(failed, 0);
  expect(logged).toEqual(['who came in, or was refused, could not be recorded']);
});
