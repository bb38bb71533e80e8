/** Changes of people in a journal: by one admin, by two, by many at once, and by whoever owns the journal, on both engines. */
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { auditJournal } from '../../src/evidence/audit.ts';
import {
  confirmChange,
  expireChanges,
  recoverAdmin,
  requestChange,
  sendBackChange,
} from '../../src/review/people.ts';
import { findBrokenLink } from '../../src/review/rules/chain.ts';
import { readAgreedPolicy } from '../../src/review/policy.ts';
import type { PersonRequest, ReviewPolicy } from '../../src/review/rules/person-request.ts';
import { describePersonEvent } from '../../src/review/rules/person-words.ts';
import { signIn } from '../../src/review/sign-in.ts';
import { openAuditOf } from '../../src/store/evidence/audit.ts';
import { passwordOf, Users } from '../support/persons.ts';
import { makePostgresStore } from '../support/postgres-store.ts';
import { describePostgres } from '../support/postgres.ts';
import { makeSqliteStore, type SqliteStore } from '../support/sqlite-store.ts';
import { inWords } from '../support/in-words.ts';

/** A journal that can be opened once more. */
type OpenStore = Pick<SqliteStore, 'store' | 'openAnother'> & AsyncDisposable;

describe.each([
  ['SQLite', describe, makeSqliteStore],
  ['PostgreSQL', describePostgres, makePostgresStore],
] as const)('on %s', (_engine, describeOnEngines, open: () => Promise<OpenStore>) => {
  describeOnEngines('changes of people', () => {
    let opened: OpenStore;
    let users: Users;
    beforeEach(async () => {
      opened = await open();
      users = new Users(opened.store);
    });
    afterEach(() => opened[Symbol.asyncDispose]());

    /** mali and anan are admins, boon is a maker. */
    async function beginWithTwo(): Promise<void> {
      await users.add('mali', 'admin', null);
      await users.add('anan', 'admin', await users.find('mali'));
      await users.add('boon', 'maker', await users.find('mali'));
    }

    const events = () => opened.store.personEvents(0, 1_000);

    describe('one admin', () => {
      test('is the first user, whom whoever owns the journal makes, and makes the second', async () => {
        expect(await users.add('boon', 'maker', null)).toMatchObject({ kind: 'refused' });
        await beginWithTwo();
        expect(await users.find('mali')).toMatchObject({ role: 'admin', madeBy: null, handedBy: null });
        expect(await users.find('anan')).toMatchObject({
          role: 'admin',
          madeBy: 1,
          handedBy: 1,
          confirmedBy: null,
        });
        expect(await users.add('kwan', 'admin', null)).toMatchObject({ kind: 'refused' });
        expect((await users.kindsOfEvents()).slice(0, 3)).toEqual(['1 made', '1 password-changed', '2 made']);
        expect(findBrokenLink(await events())).toBeUndefined();
      });

      test('disables at once: tokens and passwords count no more, and come not back with the user', async () => {
        await beginWithTwo();
        const mali = await users.find('mali');
        const { personId } = await users.find('boon');
        expect(await users.ask({ kind: 'disable', personId }, mali)).toMatchObject({ kind: 'done' });
        expect(await signIn(users.context, 'boon', passwordOf('boon'))).toMatchObject({ kind: 'refused' });
        const enabled = await users.ask({ kind: 'enable', personId }, mali);
        expect(enabled).toMatchObject({ kind: 'done', oneTimePassword: { isHalf: false } });
        expect(await signIn(users.context, 'boon', passwordOf('boon'))).toMatchObject({ kind: 'refused' });
        await users.begin(enabled);
        expect(await signIn(users.context, 'boon', passwordOf('boon'))).toMatchObject({ kind: 'signed-in' });
      });

      test('is looked at as he is now, not as he was when he asked', async () => {
        await beginWithTwo();
        const [mali, anan] = [await users.find('mali'), await users.find('anan')];
        await users.ask({ kind: 'disable', personId: anan.personId }, mali);
        expect(inWords(await users.add('kwan', 'viewer', anan))).toEqual({
          kind: 'refused',
          why: 'this user is disabled',
        });
      });
    });

    describe('a second admin', () => {
      const wanted = { kind: 'add', name: 'dao', displayName: 'Dao', role: 'checker' } as const;

      test('confirms, and each has but a half of the one-time password', async () => {
        await beginWithTwo();
        const mali = await users.find('mali');
        const asked = await users.ask(wanted, mali);
        if (asked.kind !== 'waits') throw new Error(asked.kind);
        await expect(users.find('dao')).rejects.toThrow('no user dao');
        const own = await confirmChange(users.context, asked.changeId, await users.prove('mali'));
        expect(inWords(own)).toEqual({ kind: 'refused', why: 'you proposed this and cannot approve it' });
        const done = await confirmChange(users.context, asked.changeId, await users.prove('anan'));
        if (done.kind !== 'done') throw new Error(done.kind);
        const { text, isHalf } = done.oneTimePassword ?? { text: '', isHalf: false };
        expect(isHalf).toBe(true);
        for (const half of [asked.firstHalf ?? '', text])
          expect(await signIn(users.context, 'dao', half)).toMatchObject({ kind: 'refused' });
        await users.begin(done, asked.firstHalf);
        expect(await signIn(users.context, 'dao', passwordOf('dao'))).toMatchObject({ kind: 'signed-in' });
        expect(await users.find('dao')).toMatchObject({ handedBy: 1, confirmedBy: 2 });
        // The change ends once, and nothing of the password is left of it.
        const again = await confirmChange(users.context, asked.changeId, await users.prove('anan'));
        expect(inWords(again)).toEqual({ kind: 'refused', why: 'it was applied' });
        const { changes } = await opened.store.persons();
        expect(changes).toMatchObject([{ status: 'applied', checkerId: 2, firstHalf: null }]);
      });

      test('a maker whom one admin could be is given another password when he becomes a checker', async () => {
        await beginWithTwo();
        const { personId } = await users.find('boon');
        const asked = await users.ask({ kind: 'role', personId, role: 'checker' }, await users.find('mali'));
        if (asked.kind !== 'waits') throw new Error(asked.kind);
        const done = await confirmChange(users.context, asked.changeId, await users.prove('anan'));
        expect(done).toMatchObject({ kind: 'done', oneTimePassword: { isHalf: true } });
        expect(await signIn(users.context, 'boon', passwordOf('boon'))).toMatchObject({ kind: 'refused' });
        await users.begin(done, asked.firstHalf);
        expect(await users.find('boon')).toMatchObject({ role: 'checker', confirmedBy: 2 });
      });

      test('sends it back, with the reason; whoever proposed it withdraws it', async () => {
        await beginWithTwo();
        const mali = await users.find('mali');
        await users.ask(wanted, mali);
        await users.ask({ ...wanted, name: 'ek' }, mali);
        expect(
          await sendBackChange(users.context, 1, await users.prove('anan'), 'Dao has left'),
        ).toBeUndefined();
        expect(await sendBackChange(users.context, 2, await users.prove('mali'), '')).toBeUndefined();
        expect(inWords(await sendBackChange(users.context, 2, await users.prove('mali'), ''))).toBe(
          'it was withdrawn',
        );
        expect(inWords(await sendBackChange(users.context, 9, await users.prove('mali'), ''))).toBe(
          'no change 9 waits',
        );
        const { changes } = await opened.store.persons();
        expect(inWords(changes)).toMatchObject([
          { status: 'sent-back', why: 'Dao has left' },
          { status: 'withdrawn' },
        ]);
        expect((await users.kindsOfEvents()).slice(-2)).toEqual(['0 change-sent-back', '0 change-withdrawn']);
        expect(findBrokenLink(await events())).toBeUndefined();
      });

      test('has seven days, after which the change ends with its half of the password, once', async () => {
        await beginWithTwo();
        const mali = await users.find('mali');
        await users.ask(wanted, mali);
        await users.ask({ ...wanted, name: 'ek' }, mali);
        const { changes: waiting } = await opened.store.persons();
        const dueMs = (waiting[0]?.madeAtMs ?? 0) + 7 * 86_400_000;
        await expireChanges(opened.store, dueMs - 1);
        expect((await opened.store.persons()).changes).toEqual(waiting);
        await using other = await opened.openAnother();
        await Promise.all([expireChanges(opened.store, dueMs), expireChanges(other, dueMs)]);
        const { changes } = await opened.store.persons();
        expect(changes).toMatchObject([
          { status: 'expired', checkerId: null, endedAtMs: dueMs, firstHalf: null },
          { status: 'proposed', firstHalf: waiting[1]?.firstHalf },
        ]);
        const last = (await events()).at(-1);
        expect(inWords(last && describePersonEvent(last, []))).toBe('change 1 (add dao as a checker) lapsed');
        expect((await users.kindsOfEvents()).filter((kind) => kind === '0 change-expired')).toHaveLength(1);
        expect(inWords(await confirmChange(users.context, 1, await users.prove('anan')))).toEqual({
          kind: 'refused',
          why: 'it has lapsed: it was not checked in time',
        });
      });

      test('cannot carry out what is stale, which ends it', async () => {
        await beginWithTwo();
        const { personId } = await users.find('boon');
        const request: PersonRequest = { kind: 'role', personId, role: 'checker' };
        await users.ask(request, await users.find('mali'));
        await users.ask({ kind: 'role', personId, role: 'viewer' }, await users.find('anan'));
        const outcome = await confirmChange(users.context, 1, await users.prove('anan'));
        expect(inWords(outcome)).toMatchObject({
          kind: 'refused',
          why: expect.stringContaining('changed since'),
        });
        expect((await opened.store.persons()).changes).toMatchObject([{ status: 'stale' }]);
        expect(await users.find('boon')).toMatchObject({ role: 'viewer' });
      });
    });

    describe('what two admins agreed on', () => {
      const said = { 'review.people': 2 };
      const read = (settings: ReviewPolicy) => readAgreedPolicy(users.context, settings);

      test('is what the settings said when there first were two, and holds whatever they say since', async () => {
        await users.add('mali', 'admin', null);
        expect(await read({ 'review.people': 1 })).toBeUndefined();
        await users.add('anan', 'admin', await users.find('mali'));
        expect(await read(said)).toEqual(said);
        expect(await read({ 'review.people': 1, 'approval.when': 'never' })).toEqual({
          ...said,
          'approval.when': 'never',
        });
        // A key that comes later is agreed on as it is first seen.
        expect(await read({ 'review.people': 1, 'approval.when': 'always' })).toEqual({
          ...said,
          'approval.when': 'never',
        });
        expect((await users.kindsOfEvents()).filter((kind) => kind === '0 policy-changed')).toHaveLength(2);
      });

      test('changes when one proposes and the other confirms', async () => {
        await beginWithTwo();
        await read(said);
        const policy = { 'review.people': 1 };
        const mali = await users.prove('mali');
        expect(await users.ask({ kind: 'policy', policy }, mali.person)).toMatchObject({
          kind: 'waits',
          firstHalf: undefined,
        });
        expect(await read(policy)).toEqual(said);
        expect(await confirmChange(users.context, 1, mali)).toMatchObject({ kind: 'refused' });
        expect(await confirmChange(users.context, 1, await users.prove('anan'))).toMatchObject({
          kind: 'done',
        });
        expect(await read(said)).toEqual(policy);
        const { people } = await opened.store.persons();
        const last = (await events()).at(-1);
        expect(inWords(last && describePersonEvent(last, people))).toBe(
          'it was agreed on: review.people 1 by mali, confirmed by anan',
        );
      });

      test('is the word of whoever was first', async () => {
        await beginWithTwo();
        await using other = await opened.openAnother();
        const ends = await Promise.all([
          read(said),
          readAgreedPolicy({ ...users.context, store: other }, { 'review.people': 1 }),
        ]);
        expect(ends[0]).toEqual(ends[1]);
      });
    });

    describe('at the same moment', () => {
      test('two admins who confirm each other’s change carry each out once', async () => {
        await beginWithTwo();
        const [mali, anan] = [await users.prove('mali'), await users.prove('anan')];
        await users.ask({ kind: 'add', name: 'one', displayName: 'One', role: 'checker' }, mali.person);
        await users.ask({ kind: 'add', name: 'two', displayName: 'Two', role: 'checker' }, anan.person);
        await using other = await opened.openAnother();
        const ends = await Promise.all([
          ...[1, 1, 1].map((id) => confirmChange({ ...users.context, store: other }, id, anan)),
          ...[2, 2, 2].map((id) => confirmChange(users.context, id, mali)),
        ]);
        expect(ends.filter(({ kind }) => kind === 'done')).toHaveLength(2);
        const { people } = await opened.store.persons();
        expect(people.map(({ name }) => name).toSorted()).toEqual(['anan', 'boon', 'mali', 'one', 'two']);
        expect(findBrokenLink(await events())).toBeUndefined();
      });

      test('two admins who disable each other: one is left', async () => {
        await users.add('mali', 'admin', null);
        await users.add('anan', 'admin', await users.find('mali'));
        const [mali, anan] = [await users.find('mali'), await users.find('anan')];
        await using other = await opened.openAnother();
        const ends = await Promise.all([
          requestChange(users.context, { kind: 'disable', personId: anan.personId }, mali, 'token'),
          requestChange(
            { ...users.context, store: other },
            { kind: 'disable', personId: mali.personId },
            anan,
            'token',
          ),
        ]);
        expect(ends.map(({ kind }) => kind).toSorted()).toEqual(['done', 'refused']);
      });

      test('a name is given once', async () => {
        await beginWithTwo();
        const mali = await users.find('mali');
        const names = ['Kwan', 'kwan', 'KWAN'];
        const ends = await Promise.all(
          names.map((name) => users.ask({ kind: 'add', name, displayName: name, role: 'viewer' }, mali)),
        );
        expect(ends.map(({ kind }) => kind).toSorted()).toEqual(['done', 'refused', 'refused']);
      });
    });

    describe('when no admin can sign in any more', () => {
      const asked = { name: 'mali', why: 'both phones were lost', owner: 'paydrop' };

      test('whoever owns the journal makes one, and all can see it', async () => {
        await beginWithTwo();
        await users.ask({ kind: 'disable', personId: 1 }, await users.find('anan'));
        const done = await recoverAdmin(users.context, asked);
        expect(done).toMatchObject({ kind: 'done', oneTimePassword: { isHalf: false } });
        await users.begin(done);
        expect(await users.find('mali')).toMatchObject({ role: 'admin', isDisabled: false, handedBy: null });
        const recovered = (await events()).at(-2);
        expect(recovered).toMatchObject({ kind: 'recovered', byPerson: null, proof: 'owner' });
        expect(recovered?.cells).toMatchObject({ why: { value: asked.why }, owner: { value: 'paydrop' } });
        // The recovered admin still needs a second one.
        const alone = await users.ask(
          { kind: 'add', name: 'x.y', displayName: 'X', role: 'checker' },
          await users.find('mali'),
        );
        expect(alone).toMatchObject({ kind: 'waits' });
      });

      test('somebody new, too; never without a reason, nor where there is nobody yet', async () => {
        expect(inWords(await recoverAdmin(users.context, asked))).toMatchObject({
          why: expect.stringContaining('user add'),
        });
        await beginWithTwo();
        expect(await recoverAdmin(users.context, { ...asked, name: 'somsri' })).toMatchObject({
          kind: 'done',
        });
        expect(await users.find('somsri')).toMatchObject({ role: 'admin' });
        expect(await recoverAdmin(users.context, { ...asked, why: ' ' })).toMatchObject({ kind: 'refused' });
        expect(await recoverAdmin(users.context, { ...asked, name: '1' })).toMatchObject({ kind: 'refused' });
      });
    });

    test('a restored journal knows nobody until its owner says who is the admin', async () => {
      await beginWithTwo();
      users.clock.ms += 1_000;
      users.restoredAtMs = users.clock.now();
      expect(await signIn(users.context, 'mali', passwordOf('mali'))).toMatchObject({ kind: 'refused' });
      const mali = await users.find('mali');
      expect(inWords(await users.add('kwan', 'viewer', mali))).toMatchObject({
        why: expect.stringContaining('was restored'),
      });
      // By a clock that is behind the restore, too.
      users.clock.ms -= 500;
      await users.begin(await recoverAdmin(users.context, { name: 'mali', why: 'restored', owner: 'root' }));
      expect(await signIn(users.context, 'mali', passwordOf('mali'))).toMatchObject({ kind: 'signed-in' });
      const boon = await users.find('boon');
      const enabled = await users.ask({ kind: 'enable', personId: boon.personId }, await users.find('mali'));
      expect(enabled).toMatchObject({ kind: 'done', oneTimePassword: { isHalf: false } });
      const anan = await users.find('anan');
      expect(
        await users.ask({ kind: 'enable', personId: anan.personId }, await users.find('mali')),
      ).toMatchObject({ kind: 'waits' });
    });
  });
});

test('an audit knows a change that lapsed', async () => {
  await using sqlite = await makeSqliteStore();
  const users = new Users(sqlite.store);
  await users.add('mali', 'admin', null);
  await users.add('anan', 'admin', await users.find('mali'));
  await users.ask(
    { kind: 'add', name: 'dao', displayName: 'Dao', role: 'checker' },
    await users.find('mali'),
  );
  await expireChanges(sqlite.store, users.clock.now() + 7 * 86_400_000);
  await using audited = await openAuditOf(sqlite.path);
  const { journalId } = sqlite.store;
  const found = await auditJournal(audited, { journalId, outside: [], findEvidenceFault: () => undefined });
  expect(found.parts.flatMap(({ findings }) => findings)).toEqual([]);
});

test('the journal itself keeps the history as it was written', async () => {
  await using sqlite = await makeSqliteStore();
  const users = new Users(sqlite.store);
  await users.add('mali', 'admin', null);
  await users.add('anan', 'admin', await users.find('mali'));
  await users.add('boon', 'maker', await users.find('mali'));
  const events = () => sqlite.store.personEvents(0, 1_000);
  using db = new DatabaseSync(sqlite.path);
  const hurt = (statement: string) => () => db.exec(statement);
  expect(hurt('delete from person_event where seq = 1')).toThrow('never removed');
  expect(hurt("update person_event set kind = 'enabled' where seq = 1")).toThrow('never changed');
  expect(hurt("update person_event set cells = '{}' where seq = 1")).toThrow('never changed');
  expect(
    hurt(
      'insert into person_event select seq + 100, subject, kind, at_ms, by_person, proof, text, previous_hash, hash || 1, cells from person_event where seq = 1',
    ),
  ).toThrow('follows');
  expect(hurt('delete from person')).toThrow('never removed');
  db.exec('update person_event set cells = null where subject = 3');
  expect(findBrokenLink(await events())).toBeUndefined();
  // Whoever takes the triggers away is found out by the chain.
  db.exec(
    "drop trigger person_event_never_changes; update person_event set by_person = 2 where kind = 'made' and subject = 3",
  );
  expect(findBrokenLink(await events())).toMatchObject({ why: expect.stringContaining('byPerson') });
});
