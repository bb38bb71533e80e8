/** Changes of people in a journal: by one admin, by two, by many at once, and by whoever owns the journal, on both engines. */
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { auditJournal } from '../../src/evidence/audit.ts';
import {
  appendEdit,
  confirmChange,
  recoverAdmin,
  requestChange,
  sendBackChange,
} from '../../src/review/people.ts';
import { findBrokenLink, type PersonEventDraft } from '../../src/review/rules/chain.ts';
import { readAgreedPolicy } from '../../src/review/policy.ts';
import type { PersonRequest, ReviewPolicy } from '../../src/review/rules/person-request.ts';
import { describePersonEvent } from '../../src/review/rules/person-words.ts';
import { signIn } from '../../src/review/sign-in.ts';
import { openAuditOf } from '../../src/store/evidence/audit.ts';
import { noonMs } from '../support/core-fixtures.ts';
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
    const ofProposals = async () =>
      (await opened.store.proposalEvents(0, 1_000)).map(
        ({ subject, kind, byPerson }) => `${subject} ${kind} by ${byPerson}`,
      );

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
        const own = await confirmChange(users.context, asked.proposalId, await users.prove('mali'));
        expect(inWords(own)).toEqual({ kind: 'refused', why: 'you proposed this and cannot approve it' });
        const done = await confirmChange(users.context, asked.proposalId, await users.prove('anan'));
        if (done.kind !== 'done') throw new Error(done.kind);
        const { text, isHalf } = done.oneTimePassword ?? { text: '', isHalf: false };
        expect(isHalf).toBe(true);
        for (const half of [asked.firstHalf ?? '', text])
          expect(await signIn(users.context, 'dao', half)).toMatchObject({ kind: 'refused' });
        await users.begin(done, asked.firstHalf);
        expect(await signIn(users.context, 'dao', passwordOf('dao'))).toMatchObject({ kind: 'signed-in' });
        expect(await users.find('dao')).toMatchObject({ handedBy: 1, confirmedBy: 2 });
        // The change ends once, and nothing of the password is left of it.
        const again = await confirmChange(users.context, asked.proposalId, await users.prove('anan'));
        expect(inWords(again)).toEqual({ kind: 'refused', why: 'it was applied' });
        expect(await users.changes()).toMatchObject([{ status: 'applied', checkerId: 2 }]);
        expect(await opened.store.firstHalf(asked.proposalId)).toBeNull();
      });

      test('a maker whom one admin could be is given another password when he becomes a checker', async () => {
        await beginWithTwo();
        const { personId } = await users.find('boon');
        const asked = await users.ask({ kind: 'role', personId, role: 'checker' }, await users.find('mali'));
        if (asked.kind !== 'waits') throw new Error(asked.kind);
        const done = await confirmChange(users.context, asked.proposalId, await users.prove('anan'));
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
          'there is no proposal 9',
        );
        expect(await users.changes()).toMatchObject([
          { status: 'sent-back', checkNote: 'Dao has left', checker: 'anan' },
          { status: 'withdrawn', checkNote: null, checker: 'mali' },
        ]);
        expect((await ofProposals()).slice(-2)).toEqual(['1 sent-back by 2', '2 withdrawn by 1']);
        expect([await opened.store.firstHalf(1), await opened.store.firstHalf(2)]).toEqual([null, null]);
      });

      test('has seven days, after which the change ends with its half of the password, once', async () => {
        await beginWithTwo();
        const mali = await users.find('mali');
        await users.ask(wanted, mali);
        await users.ask({ ...wanted, name: 'ek' }, mali);
        const waiting = await users.changes();
        const half = await opened.store.firstHalf(2);
        const dueMs = (waiting[0]?.madeAtMs ?? 0) + 7 * 86_400_000;
        await opened.store.expireProposals(dueMs - 1);
        expect(await users.changes()).toEqual(waiting);
        await using other = await opened.openAnother();
        await Promise.all([opened.store.expireProposals(dueMs), other.expireProposals(dueMs)]);
        expect(await users.changes()).toMatchObject([
          { status: 'expired', checkerId: null, endedAtMs: dueMs },
          { status: 'proposed' },
        ]);
        expect([await opened.store.firstHalf(1), await opened.store.firstHalf(2)]).toEqual([null, half]);
        expect((await ofProposals()).filter((event) => event.includes('expired'))).toEqual([
          '1 expired by null',
        ]);
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
        expect(inWords(await users.changes())).toMatchObject([
          { status: 'stale', why: expect.stringContaining('changed since') },
        ]);
        expect((await ofProposals()).slice(-2)).toEqual(['1 approved by 2', '1 stale by null']);
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

describe('an audit', () => {
  /** mali and anan are admins; dao was added by both, ek lapsed, fon was withdrawn, and gof waits. */
  async function tell() {
    const sqlite = await makeSqliteStore();
    const users = new Users(sqlite.store);
    await users.add('mali', 'admin', null);
    await users.add('anan', 'admin', await users.find('mali'));
    const mali = await users.find('mali');
    const ask = (name: string) =>
      users.ask({ kind: 'add', name, displayName: `Khun ${name}`, role: 'checker' }, mali);
    await ask('dao');
    await confirmChange(users.context, 1, await users.prove('anan'));
    await ask('ek');
    await sqlite.store.expireProposals(users.clock.now() + 7 * 86_400_000);
    await ask('fon');
    await sendBackChange(users.context, 3, await users.prove('mali'), '');
    await ask('gof');
    return sqlite;
  }

  async function findIn({ path, store }: SqliteStore): Promise<readonly string[]> {
    await using audited = await openAuditOf(path);
    const found = await auditJournal(audited, {
      journalId: store.journalId,
      outside: [],
      findEvidenceFault: () => undefined,
    });
    return found.parts.flatMap(({ part, findings }) =>
      findings.map(({ place, why }) => `${part}: ${place}: ${why}`),
    );
  }

  test('knows what was confirmed, has lapsed, was withdrawn and waits', async () => {
    await using sqlite = await tell();
    expect(await findIn(sqlite)).toEqual([]);
  });

  const forget = (where: string) => `delete from proposal_event where subject ${where};
    delete from proposal_item where proposal_id ${where}; delete from proposal where proposal_id ${where}`;

  test.each<readonly [string, sql: string, expected: RegExp]>([
    ['no proposal', forget('= 1'), /people: event \d+ of people: no proposal says/],
    [
      'a proposal that has lapsed',
      `update proposal set status = 'expired' where proposal_id = 1`,
      /people: proposal 1 about users: it is expired, and the history of users says otherwise/,
    ],
    [
      'a proposal of another',
      `update proposal set maker_id = 2 where proposal_id = 1`,
      /people: proposal 1 about users: .*others proposed and confirmed it/,
    ],
    [
      'a proposal that its maker approved',
      `update proposal set checker_id = 1 where proposal_id = 1`,
      /people: proposal 1 about users: .*others proposed and confirmed it/,
    ],
    [
      'another role than was proposed',
      `update proposal set figures = replace(figures, '"checker"', '"admin"') where proposal_id = 1`,
      /people: proposal 1 about users: it asks for something else/,
    ],
    [
      'another name than was proposed',
      `update proposal set figures = replace(figures, 'Khun dao', 'Khun Dow') where proposal_id = 1`,
      /people: proposal 1 about users: it asks for something else/,
    ],
    [
      'nothing, though a proposal was applied',
      `update proposal set status = 'applied', checker_id = 2 where proposal_id = 4`,
      /people: proposal 4 about users: the history of users tells of no such change/,
    ],
  ])('finds a change that rests on %s', async (_what, sql, expected) => {
    await using sqlite = await tell();
    using db = new DatabaseSync(sqlite.path);
    db.exec('pragma foreign_keys = off');
    for (const { name } of db.prepare(`select name from sqlite_schema where type = 'trigger'`).all())
      db.exec(`drop trigger "${String(name)}"`);
    db.exec(sql);
    const found = (await findIn(sqlite)).join('\n');
    expect(found).toMatch(expected);
    // The history of proposals tells the same.
    expect(found).toMatch(/proposals: /);
  });

  test.each<readonly [string, Partial<PersonEventDraft>, RegExp]>([
    [
      'the number of no proposal',
      { facts: { confirmedBy: 2, proposalId: 99 } },
      /event \d+ of people: no proposal says that a second admin confirmed it/,
    ],
    [
      'the number of a proposal that waits',
      { facts: { confirmedBy: 2, proposalId: 4 } },
      /proposal 4 about users: it is proposed, and the history of users says otherwise/,
    ],
    [
      'the number of a proposal that was applied before',
      { facts: { confirmedBy: 2, proposalId: 1 } },
      /proposal 1 about users: it is applied, and the history of users says otherwise/,
    ],
  ])('finds an event that was put in with %s', async (_what, forged, expected) => {
    await using sqlite = await tell();
    const role = { from: 'checker', to: 'admin', newPassword: false };
    const place = { subject: 3, kind: 'role-changed', byPerson: 1, proof: 'token', cells: {} } as const;
    const draft = { ...place, atMs: noonMs, facts: { ...role, ...forged.facts } };
    await appendEdit(sqlite.store, () => ({ events: [draft] }));
    expect((await findIn(sqlite)).join('\n')).toMatch(expected);
  });
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
