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
import { firstBatchId, secondBatchId } from '../support/journal-fixtures.ts';
import { describePostgres } from '../support/postgres.ts';
import { makePostgresStore } from '../support/postgres-store.ts';
import { makeSqliteStore } from '../support/sqlite-store.ts';
import { tellAll } from '../support/told-journal.ts';

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

const boon = `(select person_id from person where name = 'boon')`;
const nok = `(select person_id from person where name = 'nok')`;
const seqOf = (payoutId: string): string => `(select seq from payout_row where payout_id = '${payoutId}')`;
const key64 = '0'.repeat(64);

type Changed = readonly [what: string, sql: string, part: Finding['part'], words: RegExp];

const authorising: readonly Changed[] = [
  [
    'a signature is deleted',
    'delete from approval_signature where proposal_id = 1',
    'proposals',
    /proposal 1: the signature/,
  ],
  [
    'a signature moves to another proposal',
    'update approval_signature set proposal_id = 2 where proposal_id = 1',
    'proposals',
    /under proposal 2: .*proposal 1/,
  ],
  [
    'a signature becomes another person’s',
    `update approval_signature set person_id = ${boon} where proposal_id = 1`,
    'proposals',
    /under proposal 1: .*another/,
  ],
  [
    'a signature is copied to another proposal',
    `insert into approval_signature select 99, 3, person_id, signed_at_ms, text || ' ', credential_id, public_key, authenticator_data, client_data_json, signature, rp_id, origin, backup, enrolled_by, confirmed_by from approval_signature where proposal_id = 1`,
    'proposals',
    /signature 99 under proposal 3/,
  ],
  [
    'who confirmed the key of a signature',
    `update approval_signature set confirmed_by = '[4]' where proposal_id = 1`,
    'proposals',
    /confirmed/,
  ],
  [
    'when it was signed',
    `update approval_signature set signed_at_ms = signed_at_ms - 1 where proposal_id = 1`,
    'proposals',
    /signature 1 /,
  ],
  [
    'the text of a signature',
    `update approval_signature set text = replace(text, 'rows: 4', 'rows: 5') where proposal_id = 1`,
    'proposals',
    /signature 1 /,
  ],
  [
    'a passkey is put in',
    `insert into passkey select 'forged', ${boon}, label, public_key || 'A', cose_key, '${key64}', rp_id, origin, backup, transports, 0, enrolled_at_ms, confirmed_by, confirmed_at_ms, null, null, null from passkey`,
    'people',
    /passkey 0000 0000: .*tells of no/,
  ],
  [
    'the key of a passkey is replaced',
    `update passkey set public_key = 'AAAA'`,
    'people',
    /passkey .*: .*key/,
  ],
  [
    'the key that the authenticator wrote is replaced',
    `update passkey set cose_key = 'AAAA'`,
    'people',
    /passkey .*: .*key/,
  ],
  [
    'key and hash of a passkey are replaced',
    `update passkey set public_key = 'AAAA', key_hash = '709e80c88487a2411e1ee4dfb9f22a861492d20c4765150c0c794abd70f8147c'`,
    'people',
    /passkey 709e 80c8/,
  ],
  [
    'a passkey becomes another person’s',
    `update passkey set person_id = ${boon}`,
    'people',
    /passkey .*: .*whose/,
  ],
  ['a passkey goes', 'delete from passkey', 'people', /passkey .*: it is gone/],
  ['who confirmed a passkey', `update passkey set confirmed_by = '[4]'`, 'people', /passkey .*: .*confirmed/],
  [
    'a passkey is bound to another name',
    `update passkey set rp_id = 'evil.example'`,
    'people',
    /passkey .*: .*rpId/,
  ],
  [
    'a passkey is older',
    `update passkey set enrolled_at_ms = enrolled_at_ms + 9000000`,
    'people',
    /passkey .*: .*enrolled/,
  ],
  [
    'another password',
    `update person set password_hash = (select password_hash from person where name = 'mali') where name = 'boon'`,
    'people',
    /user boon: .*password/,
  ],
  [
    'a one-time password counts as a person’s own',
    `update person set must_change = 1 - must_change where name = 'boon'`,
    'people',
    /user boon: .*password/,
  ],
  [
    'a token is put in',
    `insert into person_token select 99, ${nok}, '${key64}', label, made_at_ms, expires_at_ms, null, null from person_token where token_id = 1`,
    'people',
    /token 99: .*tells of no/,
  ],
  [
    'another token in its place',
    `update person_token set token_hash = '${key64}' where token_id = 1`,
    'people',
    /token 1: /,
  ],
  [
    'a token becomes another person’s',
    `update person_token set person_id = ${nok} where token_id = 1`,
    'people',
    /token 1: .*whose/,
  ],
  [
    'a token lasts longer',
    `update person_token set expires_at_ms = expires_at_ms + 1 where token_id = 1`,
    'people',
    /token 1: .*lasts/,
  ],
  [
    'a revoked token counts again',
    `update person_token set revoked_at_ms = null where token_id = 2`,
    'people',
    /token 2: .*revoked/,
  ],
  ['a token goes', 'delete from person_token where token_id = 1', 'people', /token 1: it is gone/],
  [
    'a session is put in',
    `insert into person_session (session_hash, person_id, role, made_at_ms, used_at_ms) select '${key64}', person_id, role, made_at_ms, used_at_ms from person_session`,
    'people',
    /session of user nok: .*tells of no/,
  ],
  [
    'a session becomes another person’s',
    `update person_session set person_id = ${boon}`,
    'people',
    /session of user boon/,
  ],
  [
    'since when somebody is an admin',
    `update person set admin_since_ms = null where name = 'anan'`,
    'people',
    /user anan: .*admin/,
  ],
  [
    'who handed the first password',
    `update person set handed_by = null where name = 'nok'`,
    'people',
    /user nok: .*handed/,
  ],
  [
    'who confirmed a user',
    `update person set confirmed_by = 4 where name = 'nok'`,
    'people',
    /user nok: .*confirmed/,
  ],
  [
    'since when a user stands',
    `update person set stands_since_ms = 0 where name = 'nok'`,
    'people',
    /user nok: .*stands/,
  ],
  [
    'by what name a user signs in',
    `update person set name = 'nokk', name_key = 'nokk' where name = 'nok'`,
    'people',
    /user nokk: .*name/,
  ],
  [
    'by what name a user is known',
    `update person set display_name = 'Boss' where name = 'nok'`,
    'people',
    /user nok: .*name/,
  ],
  [
    'a user is put in',
    `insert into person (person_id, name_key, name, display_name, role, is_disabled, made_by, made_at_ms, handed_by, handed_at_ms, confirmed_by, admin_since_ms, stands_since_ms, last_sign_in_at_ms, password_hash, must_change, failed_tries, locked_until_ms) select 99, 'eve', 'eve', 'Eve', role, 0, made_by, made_at_ms, handed_by, handed_at_ms, confirmed_by, admin_since_ms, stands_since_ms, null, password_hash, 0, 0, 0 from person where name = 'nok'`,
    'people',
    /user eve/,
  ],
  ['a user goes', `delete from person where name = 'anan'`, 'people', /user 4: it is gone/],
  [
    'who proposed a change of users',
    `update person_change set proposed_by = 4`,
    'people',
    /change 1 of users: .*proposed/,
  ],
  [
    'what a change of users asks for',
    `update person_change set request = replace(request, 'checker', 'admin')`,
    'people',
    /change 1 of users: .*asks/,
  ],
  [
    'a change of users is put in',
    `insert into person_change select 99, request, status, 4, proposed_at_ms, seen, ended_by, ended_at_ms, why, first_half from person_change`,
    'people',
    /change 99 of users: .*tells of no/,
  ],
  [
    'who uploaded a file is forgotten',
    `delete from batch_hand where part = 'uploaded'`,
    'people',
    /upload of batch 0123456789.*gone/,
  ],
  [
    'another has uploaded it',
    `update batch_hand set person_id = ${nok} where part = 'uploaded'`,
    'people',
    /hand .*0123456789/,
  ],
  [
    'who corrected a row is forgotten',
    `delete from batch_hand where part = 'corrected'`,
    'people',
    /correction in batch 0123456789.*gone/,
  ],
  [
    'somebody is said to have corrected',
    `insert into batch_hand values ('${secondBatchId}', ${nok}, 'corrected')`,
    'people',
    /hand .*ABCDEFGHJK/,
  ],
  [
    'how many people approve',
    `update batch set approval_people = 1 where batch_id = '${secondBatchId}'`,
    'batches',
    /ABCDEFGHJK: .*approve/,
  ],
  [
    'nobody needs to approve',
    `update batch set approval_people = null where batch_id = '${secondBatchId}'`,
    'batches',
    /ABCDEFGHJK: .*approve/,
  ],
  [
    'what needs no approval',
    `update batch set approval_bound_satang = '99999999', approval_bound_people = 1 where batch_id = '${secondBatchId}'`,
    'batches',
    /ABCDEFGHJK: .*approv/,
  ],
  [
    'a batch counts as approved',
    `update batch set approved_digest = digest, approved_payer = payer_account where batch_id = '${secondBatchId}'`,
    'batches',
    /ABCDEFGHJK: .*approved/,
  ],
  [
    'another digest counts as approved',
    `update batch set approved_digest = 'x' where batch_id = '${firstBatchId}'`,
    'batches',
    /0123456789: .*approved/,
  ],
  [
    'an approval is forgotten',
    `update batch set approved_digest = null, approved_payer = null where batch_id = '${firstBatchId}'`,
    'batches',
    /0123456789: .*approved/,
  ],
  [
    'approved to be paid from another account',
    `update batch set approved_payer = '0000999999' where batch_id = '${firstBatchId}'`,
    'batches',
    /0123456789: .*account/,
  ],
  [
    'paid from another account',
    `update batch set payer_account = '0000999999' where batch_id = '${secondBatchId}'`,
    'batches',
    /ABCDEFGHJK: .*account/,
  ],
  [
    'a hold is lifted',
    `update payout set holds = 0, status = 'ready' where seq = ${seqOf('INV-11')}`,
    'payouts',
    /INV-11/,
  ],
  [
    'one hold of two is lifted',
    `update payout set holds = 1 where seq = ${seqOf('INV-4')}`,
    'payouts',
    /INV-4.*held/,
  ],
  [
    'a hold is put on',
    `update payout set holds = holds | 2 where seq = ${seqOf('INV-11')}`,
    'payouts',
    /INV-11.*held/,
  ],
  [
    'a hold counts as accepted',
    `update payout set accepted_holds = accepted_holds | 4 where seq = ${seqOf('INV-4')}`,
    'payouts',
    /INV-4.*accepted/,
  ],
  [
    'a row counts as approved',
    `update payout set accepted_holds = accepted_holds | 1 where seq = ${seqOf('INV-11')}`,
    'payouts',
    /INV-11.*accepted/,
  ],
  [
    'a decision counts as not applied',
    `update proposal_item set status = 'open' where proposal_id = 2`,
    'proposals',
    /proposal 2/,
  ],
  [
    'who checked, by name',
    `update proposal set checker = 'anan' where proposal_id = 1`,
    'proposals',
    /proposal 1/,
  ],
  [
    'when it was checked',
    `update proposal set checked_at_ms = checked_at_ms - 1 where proposal_id = 1`,
    'proposals',
    /proposal 1/,
  ],
  [
    'when it was proposed',
    `update proposal set made_at_ms = made_at_ms - 1 where proposal_id = 1`,
    'proposals',
    /proposal 1/,
  ],
  [
    'what its checker said',
    `update proposal set check_note = 'fine' where proposal_id = 1`,
    'proposals',
    /proposal 1/,
  ],
];

const proving: readonly Changed[] = [
  ['a claim goes', `delete from claim where payout_id = 'INV-1'`, 'payouts', /claim on INV-1/],
  [
    'a claim is given back',
    `update claim set payout_seq = null where payout_id = 'INV-1'`,
    'payouts',
    /claim on INV-1/,
  ],
  [
    'a claim becomes another row’s',
    `update claim set payout_seq = ${seqOf('INV-4')} where payout_id = 'INV-1'`,
    'payouts',
    /claim on INV-1/,
  ],
  [
    'fewer attempts were counted',
    `update claim set attempts_recorded = 0 where payout_id = 'INV-1'`,
    'payouts',
    /claim on INV-1/,
  ],
  [
    'more attempts were counted',
    `update claim set attempts_recorded = 7 where payout_id = 'INV-1'`,
    'payouts',
    /claim on INV-1/,
  ],
  [
    'the bank’s reference',
    `update attempt set sys_ref_no = 'SYS0' where payout_seq = ${seqOf('INV-1')}`,
    'attempts',
    /INV-1.*bank/,
  ],
  [
    'the fee',
    `update attempt set fee_text = '0.00' where payout_seq = ${seqOf('INV-1')}`,
    'attempts',
    /INV-1.*bank/,
  ],
  [
    'how an attempt ended',
    `update attempt set status = 'failed' where payout_seq = ${seqOf('INV-1')}`,
    'attempts',
    /INV-1.*bank/,
  ],
  [
    'the payee’s name at the bank',
    `update payout set bank_payee_name = 'Eve' where seq = ${seqOf('INV-1')}`,
    'payouts',
    /INV-1.*name/,
  ],
  [
    'the payee’s Thai name at the bank',
    `update payout set bank_payee_name_th = 'อีฟ' where seq = ${seqOf('INV-1')}`,
    'payouts',
    /INV-1.*name/,
  ],
  [
    'the hash of a report',
    `update report set sha256 = '${key64}' where kind = 'result'`,
    'batches',
    /report result 1/,
  ],
  ['a report goes', `delete from report where kind = 'result'`, 'batches', /report result 1.*gone/],
  [
    'a report is put in',
    `insert into report (batch_id, kind, number, path, temporary_path, sha256, event_seq, at_ms) select batch_id, kind, 2, path, temporary_path, sha256, event_seq, at_ms from report where kind = 'result'`,
    'batches',
    /report result 2/,
  ],
  [
    'the account that a registration asks for',
    `update registration_asked set account_no = '1234569999' where registration_id = 'R1'`,
    'registrations',
    /R1.*asks/,
  ],
  [
    'the account in its file',
    `update registration_row set instruction = replace(instruction, '1234560001', '1234569999') where registration_id = 'R1'`,
    'registrations',
    /R1.*file/,
  ],
  [
    'the account that was sent',
    `update registration_attempt set instruction = replace(instruction, '1234560001', '1234569999')`,
    'registrations',
    /R1.*attempt 1/,
  ],
  [
    'the digest of a registration',
    `update registration_row set digest = 'x' where registration_id = 'R1'`,
    'registrations',
    /R1/,
  ],
  [
    'what the bank called back, by its code',
    `update registration set resp_code = 'I0001' where row_no = 1`,
    'registrations',
    /R1.*bank/,
  ],
  [
    'when a registration was applied',
    `update registration set apply_dtm = '2026-01-01 00:00:00' where row_no = 1`,
    'registrations',
    /R1.*bank/,
  ],
  [
    'the body of a callback',
    `update registration_callback set body = replace(body, 'I0000', 'I0001') where registration_seq = 1`,
    'registrations',
    /callback 1/,
  ],
  [
    'what a callback was read as',
    `update registration_callback set callback = replace(callback, 'I0000', 'I0001') where registration_seq = 1`,
    'registrations',
    /callback 1/,
  ],
  [
    'a callback becomes another’s',
    `update registration_callback set registration_seq = 2 where registration_seq = 1`,
    'registrations',
    /callback/,
  ],
  [
    'a callback goes',
    `delete from registration_callback where registration_seq = 1`,
    'registrations',
    /callback .*gone|gone/,
  ],
  [
    'the claim of a registration goes',
    `delete from registration_claim where registration_id = 'R1'`,
    'registrations',
    /claim on R1/,
  ],
];

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
        `proposal ${subject}: it counts as approved, and whoever approved it has not signed it`,
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
