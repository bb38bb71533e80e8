/** Each single change of what authorises or proves a payment, made by whoever owns the database, is found by an audit. */
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { auditJournal } from '../../src/evidence/audit.ts';
import type { Finding } from '../../src/evidence/rules/audit.ts';
import { readerOf, type Reader } from '../../src/store/engine.ts';
import { openAudit } from '../../src/store/evidence/audit.ts';
import { driveOn } from '../../src/store/postgres/drive.ts';
import { makePostgresEngine } from '../../src/store/postgres/engine.ts';
import { chainEvent, proposalFormat } from '../../src/review/rules/chain.ts';
import type { Store } from '../../src/store/store.ts';
import { describePostgres } from '../support/postgres.ts';
import { makePostgresStore } from '../support/postgres-store.ts';
import { makeSqliteStore } from '../support/sqlite-store.ts';
import { authorising, proving } from './single-changes.ts';
import { tellAll } from './told-journal.ts';

/** A journal, and what somebody makes of it who drops whatever guards its tables; nothing of that stays. */
interface Owned extends AsyncDisposable {
  readonly store: Store;
  /** @param sql left out: nothing is changed */
  changed<Result>(sql: string | undefined, look: (reader: Reader) => Promise<Result>): Promise<Result>;
}

async function ownSqlite(): Promise<Owned> {
  const { store, path, [Symbol.asyncDispose]: dispose } = await makeSqliteStore();
  return {
    store,
    changed: async (sql, look) => {
      using db = new DatabaseSync(path);
      db.exec('pragma foreign_keys = off; begin');
      for (const { name } of db.prepare(`select name from sqlite_schema where type = 'trigger'`).all())
        db.exec(`drop trigger "${String(name)}"`);
      if (sql !== undefined) db.exec(sql);
      return await look(readerOf(db));
    },
    [Symbol.asyncDispose]: dispose,
  };
}

const dropGuards = `
do $$ declare one record; begin
  for one in select t.tgname, c.relname from pg_trigger t join pg_class c on c.oid = t.tgrelid where not t.tgisinternal
    loop execute format('drop trigger %I on paydrop.%I', one.tgname, one.relname); end loop;
  for one in select k.conname, c.relname from pg_constraint k join pg_class c on c.oid = k.conrelid where k.contype = 'f'
    loop execute format('alter table paydrop.%I drop constraint %I', one.relname, one.conname); end loop;
end $$`;

async function ownPostgres(): Promise<Owned> {
  const { store, url, [Symbol.asyncDispose]: dispose } = await makePostgresStore();
  return {
    store,
    changed: async (sql, look) => {
      await using engine = makePostgresEngine(url);
      const client = await engine.pool.connect();
      try {
        await client.query('begin');
        await client.query(dropGuards);
        if (sql !== undefined) await client.query(sql);
        return await look({ read: (makeBody) => driveOn(client, makeBody()) });
      } finally {
        client.release(true);
      }
    },
    [Symbol.asyncDispose]: dispose,
  };
}

async function findIn({ store, changed }: Owned, sql?: string): Promise<readonly Finding[]> {
  return changed(sql, async (reader) => {
    const view = { ...reader, [Symbol.asyncDispose]: async () => {} };
    const { parts } = await auditJournal(await openAudit({ openView: async () => view }), {
      journalId: store.journalId,
      outside: [],
      findEvidenceFault: () => undefined,
    });
    return parts.flatMap(({ findings }) => findings);
  });
}

describe.each([
  ['SQLite', describe, ownSqlite],
  ['PostgreSQL', describePostgres, ownPostgres],
] as const)('on %s', (_engine, describeEngine, own) => {
  describeEngine('a journal of which everything is told', () => {
    let owned: Owned;

    beforeAll(async () => {
      owned = await own();
      await tellAll(owned.store);
    });
    afterAll(() => owned[Symbol.asyncDispose]());

    test('is whole', async () => {
      expect(await findIn(owned)).toEqual([]);
    });

    test('is not, when an approval is forged with its event and its hash', async () => {
      const events = await owned.store.proposalEvents(0, 1_000);
      const [last] = events.slice(-1);
      if (last === undefined) throw new Error('nothing was proposed');
      const { subject, seq, hash, atMs } = last;
      const { personId, name } = (await owned.store.persons()).people.find((one) => one.name === 'nok') ?? {
        personId: 0,
        name: '',
      };
      const place = { subject, kind: 'approved', atMs: atMs + 1, byPerson: personId, proof: null } as const;
      const draft = { ...place, facts: {}, cells: { checker: name } };
      const forged = chainEvent(draft, seq + 1, hash, () => 'ab'.repeat(16), proposalFormat);
      const cells = JSON.stringify(forged.cells);
      const found = await findIn(
        owned,
        `insert into proposal_event values (${seq + 1}, ${subject}, 'approved', ${atMs + 1}, ${personId}, null, '${forged.text}', '${hash}', '${forged.hash}', '${cells}');
         update proposal set status = 'approved', checker_id = ${personId}, checker = '${name}', checked_at_ms = ${atMs + 1} where proposal_id = ${subject}`,
      );
      expect(found.map(({ place: at, why }) => `${at}: ${why}`)).toEqual([
        `proposal ${subject}: it counts as approved, and the person who approved it has not signed it`,
      ]);
    });

    test.each([...authorising, ...proving])(
      'is not, when this changes: %s',
      async (_what, sql, part, words) => {
        const found = await findIn(owned, sql);
        const said = found.map((finding) => `${finding.part}: ${finding.place}: ${finding.why}`).join('\n');
        expect(found.map((finding) => finding.part)).toContain(part);
        expect(said).toMatch(words);
      },
    );
  });
});
