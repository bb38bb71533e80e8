/** What signing in writes: tries, locks, sessions and the history of people, on both engines. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findBrokenLink, type PersonEventDraft } from '../../../src/review/rules/chain.ts';
import { lockTries } from '../../../src/review/rules/password.ts';
import { changePassword } from '../../../src/review/sign-in.ts';
import type { Store } from '../../../src/store/store.ts';
import { passwordOf, Users } from '../../support/persons.ts';
import { makePostgresStore } from '../../support/postgres-store.ts';
import { describePostgres } from '../../support/postgres.ts';
import { makeSqliteStore } from '../../support/sqlite-store.ts';

interface OpenStore extends AsyncDisposable {
  readonly store: Store;
}

function signInSuite(open: () => Promise<OpenStore>): void {
  let opened: OpenStore;
  let store: Store;
  let users: Users;
  beforeEach(async () => {
    opened = await open();
    ({ store } = opened);
    users = new Users(store);
    await users.add('mali', 'admin', null);
  });
  afterEach(() => opened[Symbol.asyncDispose]());

  const draft = (subject: number, kind: PersonEventDraft['kind']): PersonEventDraft => ({
    subject,
    kind,
    atMs: users.clock.now(),
    byPerson: null,
    proof: null,
    facts: { what: 'x', times: 1 },
    cells: { network: '203.0.113.0/24' },
  });

  test('a lock is in the history with the try that makes it, and only with that', async () => {
    const before = { failedTries: lockTries - 1, lockedUntilMs: 5 };
    const after = { failedTries: lockTries, lockedUntilMs: 9 };
    await store.countTry(1, { failedTries: 0, lockedUntilMs: 0 }, before, undefined);
    expect(await store.countTry(1, before, after, draft(1, 'locked-out'))).toBe(true);
    expect(await store.countTry(1, before, after, draft(1, 'locked-out'))).toBe(false);
    expect((await users.kindsOfEvents()).filter((kind) => kind === '1 locked-out')).toHaveLength(1);
  });

  test('the latest event of each is known, of nobody too', async () => {
    for (const subject of [0, 1, 1, 0]) await store.recordPersonEvent(draft(subject, 'refused'));
    const events = await store.personEvents(0, 100);
    expect(findBrokenLink(events)).toBeUndefined();
    const { heads, latestSeq } = await store.persons();
    const latest = [0, 1].map((subject) => events.findLast((event) => event.subject === subject));
    expect(heads.toSorted((one, other) => one.subject - other.subject)).toEqual(
      latest.map((event) => ({ subject: event?.subject, seq: event?.seq, hash: event?.hash })),
    );
    expect(latestSeq).toBe(events.length);
  });

  test('sessions begin while the password is kept, and end with it, or all at once', async () => {
    const passwordHash = async () => (await store.personPassword('mali'))?.passwordHash ?? '';
    const begin = async (sign: string, madeAtMs: number, hash: string | null) => {
      const session = { sessionHash: sign.repeat(64), personId: 1, role: 'admin', usedAtMs: 0 } as const;
      return store.startSession({ ...session, madeAtMs }, 0, hash);
    };
    const first = await passwordHash();
    expect(await begin('a', 1, first)).toBe(true);
    expect(await begin('b', 2, null)).toBe(true);
    expect((await store.sessionsOf(1)).map(({ madeAtMs }) => madeAtMs)).toEqual([2, 1]);
    expect(await changePassword(users.context, 'mali', passwordOf('mali'), 'another tea at noon')).toBe(
      undefined,
    );
    expect(await store.sessionsOf(1)).toEqual([]);
    expect(await begin('c', 3, first)).toBe(false);
    expect(await begin('d', 4, await passwordHash())).toBe(true);
    expect(await begin('e', 5, null)).toBe(true);
    expect((await store.endSessionsOf(1)).toSorted()).toEqual(['d'.repeat(64), 'e'.repeat(64)]);
    expect(await store.sessionsOf(1)).toEqual([]);
  });
}

describe('on SQLite', () => {
  signInSuite(makeSqliteStore);
});
describePostgres('on PostgreSQL', () => {
  signInSuite(makePostgresStore);
});
