/** Passkeys in a journal: enrolled, confirmed, revoked, and what is signed with them. */
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { inEnglish } from '../../src/core/message.ts';
import { zeroSatang } from '../../src/core/money.ts';
import { PersonNotices } from '../../src/app/notices/persons.ts';
import { Challenges } from '../../src/review/challenges.ts';
import { confirmChange } from '../../src/review/people.ts';
import {
  askForPasskey,
  askForSignature,
  enrolPasskey,
  keepSignature,
  type Question,
  revokePasskey,
  type Signer,
  type SigningContext,
} from '../../src/review/passkeys.ts';
import { check } from '../../src/review/review.ts';
import { findBrokenLink } from '../../src/review/rules/chain.ts';
import { describePersonEvent } from '../../src/review/rules/person-words.ts';
import { findSignatureFault } from '../../src/review/rules/signature.ts';
import type { SignedMatter } from '../../src/review/rules/signed-text.ts';
import { Authenticator, type AuthenticatorFault } from '../support/authenticator.ts';
import { payer } from '../support/core-fixtures.ts';
import { ingest, makeRow } from '../support/journal-fixtures.ts';
import { Users } from '../support/persons.ts';
import { propose } from '../support/review.ts';
import { makeSqliteStore, type SqliteStore } from '../support/sqlite-store.ts';
import { inWords } from '../support/in-words.ts';

let sqlite: SqliteStore;
let users: Users;
let challenges: Challenges<Question>;
const place = { origin: 'http://localhost:8484', rpId: 'localhost' };

beforeEach(async () => {
  sqlite = await makeSqliteStore();
  users = new Users(sqlite.store);
  challenges = new Challenges();
  await users.add('mali', 'admin', null);
  await users.add('boon', 'maker', await users.find('mali'));
  await users.add('nok', 'checker', await users.find('mali'));
});
afterEach(() => sqlite[Symbol.asyncDispose]());

const context = (): SigningContext => ({ ...users.context, place, challenges });
const signerOf = async (name: string, sessionHash = `session of ${name}`): Promise<Signer> => ({
  person: await users.find(name),
  proof: 'session',
  sessionHash,
});
const keysOf = async () => (await sqlite.store.persons()).passkeys;
const challengeOf = (options: object): string => (options as { readonly challenge: string }).challenge;

async function enrol(name: string, key = new Authenticator(), fault: AuthenticatorFault = {}) {
  users.clock.ms += 1;
  const signer = await signerOf(name);
  const answer = key.create(challengeOf(await askForPasskey(context(), signer)), fault);
  return { key, made: await enrolPasskey(context(), signer, JSON.stringify(answer), 'phone') };
}

const confirm = async (key: Authenticator, owner: string, by: string) =>
  users.ask(
    {
      kind: 'confirm-passkey',
      personId: (await users.find(owner)).personId,
      credentialId: key.credentialId,
    },
    await users.find(by),
  );

/** Nok has a key that counts. */
async function giveKey(): Promise<Authenticator> {
  const { key } = await enrol('nok');
  expect(await confirm(key, 'nok', 'mali')).toMatchObject({ kind: 'done' });
  return key;
}

describe('a passkey', () => {
  test('is enrolled by whoever may check, counts once an admin has confirmed it, and is in the chained history', async () => {
    expect(inWords((await enrol('boon')).made)).toMatchObject({
      why: expect.stringContaining('a maker may not check'),
    });
    const { key, made } = await enrol('nok');
    expect(made).toMatchObject({
      credentialId: key.credentialId,
      publicKey: key.publicKey,
      confirmedAtMs: null,
    });
    const nok = await signerOf('nok');
    expect(inWords(await askForSignature(context(), nok, matter))).toMatchObject({
      why: expect.stringContaining('no passkey'),
    });
    expect(await confirm(key, 'nok', 'mali')).toMatchObject({ kind: 'done' });
    expect(inWords(await confirm(key, 'nok', 'mali'))).toEqual({ kind: 'refused', why: 'it counts' });
    expect(await askForSignature(context(), nok, matter)).toHaveProperty('text');
    expect(await keysOf()).toMatchObject([
      { personId: nok.person.personId, confirmedBy: [1], backup: 'none' },
    ]);
    expect(inWords(await revokePasskey(context(), await signerOf('boon'), key.credentialId))).toBe(
      'you have no such passkey',
    );
    expect(await revokePasskey(context(), await signerOf('mali'), key.credentialId)).toBeUndefined();
    expect(inWords(await askForSignature(context(), nok, matter))).toMatchObject({
      why: expect.stringContaining('no passkey'),
    });
    const events = await sqlite.store.personEvents(0, 100);
    const { people } = await sqlite.store.persons();
    expect(findBrokenLink(events)).toBeUndefined();
    const told = events
      .slice(-3)
      .map((event) =>
        inEnglish(describePersonEvent(event, people)).replaceAll(/[0-9a-f]{4} [0-9a-f]{4}/g, 'KEY'),
      );
    expect(told).toEqual([
      'nok has enrolled passkey KEY, which waits for an admin',
      'passkey KEY of nok was confirmed by mali',
      'passkey KEY of nok was revoked by mali',
    ]);
  });

  test('is confirmed by two, once there have been two admins, and by none of them about himself', async () => {
    await users.add('anan', 'admin', await users.find('mali'));
    const { key } = await enrol('mali');
    const asked = await confirm(key, 'mali', 'mali');
    if (asked.kind !== 'waits') throw new Error(asked.kind);
    expect(await confirmChange(users.context, asked.proposalId, await users.prove('mali'))).toMatchObject({
      kind: 'refused',
    });
    expect(await confirmChange(users.context, asked.proposalId, await users.prove('anan'))).toMatchObject({
      kind: 'done',
    });
    expect(await keysOf()).toMatchObject([{ confirmedBy: [1, 4] }]);
  });

  test('that was revoked meanwhile is not confirmed', async () => {
    await users.add('anan', 'admin', await users.find('mali'));
    const { key } = await enrol('nok');
    const asked = await confirm(key, 'nok', 'mali');
    await revokePasskey(context(), await signerOf('nok'), key.credentialId);
    const proposalId = asked.kind === 'waits' ? asked.proposalId : 0;
    expect(inWords(await confirmChange(users.context, proposalId, await users.prove('anan')))).toMatchObject({
      kind: 'refused',
      why: expect.stringContaining('revoked'),
    });
    expect(await keysOf()).toMatchObject([{ confirmedAtMs: null }]);
  });

  test.each(['reset-password', 'disable'] as const)(
    'counts no more after %s: who knew the password could have enrolled it',
    async (kind) => {
      const key = await giveKey();
      const { personId } = await users.find('nok');
      users.clock.ms += 1;
      await users.ask({ kind, personId }, await users.find('mali'));
      if (kind === 'disable') await users.ask({ kind: 'enable', personId }, await users.find('mali'));
      expect(inWords(await askForSignature(context(), await signerOf('nok'), matter))).toMatchObject({
        why: expect.stringContaining('no passkey'),
      });
      expect(await confirm(key, 'nok', 'mali')).toMatchObject({ kind: 'refused' });
    },
  );

  test('of before a restore counts no more', async () => {
    await giveKey();
    users.restoredAtMs = users.clock.now() + 1;
    expect(await askForSignature(context(), await signerOf('nok'), matter)).toHaveProperty('why');
  });

  test.each<readonly [string, AuthenticatorFault]>([
    ['another page', { origin: 'http://evil.example' }],
    ['another name', { rpId: 'evil.example' }],
    ['nobody made sure who was there', { flags: 0x01 }],
  ])('made for %s is not taken', async (_name, fault) => {
    expect((await enrol('nok', new Authenticator(), fault)).made).toHaveProperty('why');
    expect(await keysOf()).toEqual([]);
  });

  test('answers one question, of one session, within five minutes, once', async () => {
    const nok = await signerOf('nok');
    const key = new Authenticator();
    const ask = async () => JSON.stringify(key.create(challengeOf(await askForPasskey(context(), nok))));
    const enrolAs = async (who: Signer, answer: string) => enrolPasskey(context(), who, answer, '');
    const foreign = await ask();
    expect(await enrolAs(await signerOf('nok', 'another session'), foreign)).toHaveProperty('why');
    // Whoever brings it uses it up.
    expect(await enrolAs(nok, foreign)).toHaveProperty('why');
    const late = await ask();
    users.clock.ms += 300_000;
    expect(await enrolAs(nok, late)).toHaveProperty('why');
    for (const rubbish of ['', '{', '{}', 'null', '{"response":{"clientDataJSON":"AAAA"}}'])
      expect(await enrolAs(nok, rubbish)).toHaveProperty('why');
    const good = await ask();
    expect(await enrolAs(nok, good)).toHaveProperty('credentialId');
    expect(await enrolAs(nok, good)).toHaveProperty('why');
    expect(inWords(await enrolAs(nok, await ask()))).toEqual({ why: 'this passkey is enrolled already' });
    expect(await keysOf()).toHaveLength(1);
  });

  test('is never changed nor removed by hand', async () => {
    await giveKey();
    using db = new DatabaseSync(sqlite.path);
    expect(() => db.exec(`update passkey set public_key = 'AAAA'`)).toThrow('what it was');
    expect(() => db.exec('update passkey set confirmed_at_ms = 1')).toThrow('what it was');
    expect(() => db.exec('delete from passkey')).toThrow('never removed');
  });
});

const matter: SignedMatter = {
  isSandbox: true,
  companyId: payer.companyId,
  journalId: 'j',
  proposalId: 1,
  decision: 'go-on',
  batches: [],
  rows: 1,
  totalSatang: makeRow(1).amountSatang ?? zeroSatang,
  digest: '0'.repeat(64),
};

/** A held row whose hold boon proposes to lift, where approvals have to be signed. */
async function proposeOne() {
  await ingest(sqlite.store, [makeRow(1, { holds: ['name'] })]);
  const [found] = await sqlite.store.findPayouts('INV-1');
  if (found === undefined) throw new Error('the row is not there');
  const { seq, version } = found.row;
  const review = {
    journal: sqlite.store,
    clock: users.clock,
    rules: { payoutSatangMax: null },
    payerAccount: payer.payerAccount,
    people: 2,
    expireDays: 7,
    signing: { companyId: payer.companyId, journalId: sqlite.store.journalId, isSandbox: true, keys: [] },
  } as const;
  const boon = await users.find('boon');
  const target = { kind: 'payout', key: String(seq), version: String(version) } as const;
  const wish = { decision: 'go-on', targets: [target], note: 'seen', evidence: null } as const;
  const end = await propose(review, wish, { personId: boon.personId, name: 'boon' });
  if (end.kind !== 'waiting') throw new Error(end.kind);
  const { proposalId, digest } = end.proposal;
  return { review, proposalId, of: { ...matter, proposalId, digest } };
}

/** Asked, answered with this key, and kept. */
async function signWith(key: Authenticator, of: SignedMatter, fault: AuthenticatorFault = {}) {
  const nok = await signerOf('nok');
  const asked = await askForSignature(context(), nok, of);
  if ('why' in asked) return asked;
  return keepSignature(context(), nok, JSON.stringify(key.get(challengeOf(asked.options), fault)));
}

describe('an approval', () => {
  test('is refused without a signature where one is required, and given with it', async () => {
    const key = await giveKey();
    const { review, proposalId, of } = await proposeOne();
    const { personId } = await users.find('nok');
    const nok = { personId, name: 'nok' };
    expect(inWords(await check(review, proposalId, 'approve', nok))).toMatchObject({
      kind: 'refused',
      why: expect.stringContaining('approve it on the review page'),
    });
    const other = await signWith(key, { ...of, digest: 'f'.repeat(64) });
    if ('why' in other) throw new Error(inEnglish(other.why));
    expect(inWords(await check(review, proposalId, 'approve', nok, { signed: other }))).toEqual({
      kind: 'refused',
      why: 'something else was signed',
    });
    users.clock.ms += 1_000;
    const signed = await signWith(key, of);
    if ('why' in signed) throw new Error(inEnglish(signed.why));
    expect(
      await check(review, proposalId, 'approve', { personId: 1, name: 'mali' }, { signed }),
    ).toMatchObject({ kind: 'refused' });
    expect(await check(review, proposalId, 'approve', nok, { signed })).toMatchObject({
      kind: 'applied',
      applied: { applied: 1 },
    });
    const kept = await sqlite.store.signaturesOf(proposalId);
    expect(kept.map(findSignatureFault)).toEqual([undefined, undefined]);
    expect(kept[1]).toMatchObject({
      enrolledBy: personId,
      confirmedBy: [1],
      backup: 'none',
      rpId: 'localhost',
    });
    expect(kept[1]?.text).toContain(`digest: ${of.digest}`);
    expect(findBrokenLink(await sqlite.store.personEvents(0, 100))).toBeUndefined();
    expect((await users.kindsOfEvents()).filter((kind) => kind.endsWith('approval-signed'))).toHaveLength(2);
    using db = new DatabaseSync(sqlite.path);
    expect(() => db.exec('update approval_signature set text = 1')).toThrow('never changed');
    expect(() => db.exec('delete from approval_signature')).toThrow('never removed');
  });

  test('is sent back, and withdrawn, without one', async () => {
    const { review, proposalId } = await proposeOne();
    const { personId } = await users.find('nok');
    const sent = await check(review, proposalId, 'send-back', { personId, name: 'nok' }, { note: 'no' });
    expect(sent).toMatchObject({ kind: 'sent-back' });
  });

  test.each<readonly [string, AuthenticatorFault]>([
    ['on another page', { origin: 'http://localhost:1' }],
    ['for another name', { rpId: 'evil.example' }],
    ['without making sure who was there', { flags: 0x01 }],
  ])('signed %s is not taken', async (_name, fault) => {
    const key = await giveKey();
    const { of, proposalId } = await proposeOne();
    expect(await signWith(key, of, fault)).toHaveProperty('why');
    expect(await sqlite.store.signaturesOf(proposalId)).toEqual([]);
  });

  test('signed once is not signed again by the same answer, nor by the key of another', async () => {
    const key = await giveKey();
    const { of, proposalId } = await proposeOne();
    const nok = await signerOf('nok');
    const asked = await askForSignature(context(), nok, of);
    if ('why' in asked) throw new Error(inEnglish(asked.why));
    const foreign = new Authenticator();
    expect(
      await keepSignature(context(), nok, JSON.stringify(foreign.get(challengeOf(asked.options)))),
    ).toHaveProperty('why');
    const again = await askForSignature(context(), nok, of);
    if ('why' in again) throw new Error(inEnglish(again.why));
    const answer = JSON.stringify(key.get(challengeOf(again.options)));
    expect(await keepSignature(context(), nok, answer)).toMatchObject({ proposalId });
    expect(await keepSignature(context(), nok, answer)).toHaveProperty('why');
    expect(await sqlite.store.signaturesOf(proposalId)).toHaveLength(1);
  });

  test('that was signed is no notice of its own; a key that was enrolled is', async () => {
    const key = await giveKey();
    const { of } = await proposeOne();
    await signWith(key, of);
    const told: string[] = [];
    const board = {
      isListenedTo: true,
      scene: { journalId: 'j', isSandbox: true, nowMs: users.clock.now(), place: {} as never },
      lastNotice: async () => undefined,
      add: async (draft: object) =>
        told.push(/passkey-\w+|approval-signed/.exec(JSON.stringify(draft))?.[0] ?? ''),
    };
    await new PersonNotices(sqlite.store, board as never).notify();
    expect(told.slice(-2)).toEqual(['passkey-enrolled', 'passkey-confirmed']);
  });
});
