/** Signed approvals that are required: what is forged in the journal is not paid; the bank's ledger judges. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { hash } from 'node:crypto';
import { inEnglish } from '../../src/core/message.ts';
import type { TransferOrder } from '../../src/core/payout.ts';
import { computeOrderHash, computeTransRefNo } from '../../src/core/reference.ts';
import { Challenges } from '../../src/review/challenges.ts';
import {
  askForPasskey,
  askForSignature,
  enrolPasskey,
  type Question,
  type Signer,
  type SigningContext,
} from '../../src/review/passkeys.ts';
import { approveSigned, readMatter } from '../../src/review/signed-approval.ts';
import { openJournal } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { Authenticator } from '../support/authenticator.ts';
import { Users } from '../support/persons.ts';
import { openScene, type Scene } from './harness.ts';
import { addPeople } from './scene-people.ts';

const csv =
  'payoutId,proxyType,proxyNo,amount,reference1\n' +
  'S-1,MSISDN,0811111111,100.25,S-1\nS-2,MSISDN,0822222222,200.50,S-2\n';

const place = { origin: 'http://localhost:8484', rpId: 'localhost' };
const challengeOf = (options: object): string => (options as { readonly challenge: string }).challenge;

interface Office {
  readonly scene: Scene;
  readonly file: string;
  readonly batchId: string;
  /** Signs the shell in as somebody. */
  become(name: string): Promise<void>;
  /** Nok signs the proposal with the passkey. @returns what came of it */
  sign(proposalId?: number): Promise<string>;
  /** By whoever can write to the journal. */
  forge(...statements: readonly string[]): void;
}

/** Changes the journal as somebody does who may write to its file. */
function forge({ dataDir }: Scene, statements: readonly string[]): void {
  using db = new DatabaseSync(join(dataDir, 'journal.db'));
  for (const { name } of db.prepare("select name from sqlite_master where type = 'trigger'").all())
    db.exec(`drop trigger "${String(name)}"`);
  for (const statement of statements) db.exec(statement);
}

/** Nok at the review page. */
async function readSigning({ clocks }: Scene, store: Store, challenges: Challenges<Question>) {
  const users = new Users(store);
  users.clock.now = () => clocks.readMs();
  const context: SigningContext = { ...users.context, place, challenges };
  const signer: Signer = { person: await users.find('nok'), proof: 'session', sessionHash: 'session of nok' };
  return { users, context, signer };
}

/** Nok enrols the key, and ann confirms it. */
async function giveKey(
  { users, context, signer }: Awaited<ReturnType<typeof readSigning>>,
  key: Authenticator,
): Promise<void> {
  const answer = key.create(challengeOf(await askForPasskey(context, signer)));
  expect(await enrolPasskey(context, signer, JSON.stringify(answer), 'key')).not.toHaveProperty('why');
  const { personId } = signer.person;
  const wish = { kind: 'confirm-passkey', personId, credentialId: key.credentialId } as const;
  expect(await users.ask(wish, await users.find('ann'))).toMatchObject({ kind: 'done' });
}

function openBeside({ bank, dataDir }: Scene): Promise<Store> {
  const companyId = 'COMP000001';
  const stamp = { bankAddress: bank.baseUrl, companyId, isSandbox: false, serverKind: 'sandbox' } as const;
  return openJournal({ dataDir, stamp, access: 'beside' });
}

/** A batch that mali has proposed to pay; nok's passkey is the one that counts. */
async function openOffice(
  keysOf: (fingerprint: string) => readonly string[] = (one) => [one],
  planted: readonly string[] = [],
): Promise<Office> {
  const scene = await openScene();
  const file = await scene.addFile('signed.csv', csv);
  expect(await scene.run('init')).toEndWith(0);
  const become = await addPeople(scene);
  const key = new Authenticator(place.origin, place.rpId);
  const open = () => openBeside(scene);
  const challenges = new Challenges<Question>();
  const signing = (store: Store) => readSigning(scene, store, challenges);
  scene.clocks.pass(1_000);
  {
    await using store = await open();
    await giveKey(await signing(store), key);
  }
  const fingerprint = hash('sha256', Buffer.from(key.publicKey, 'base64url'), 'hex');
  const keys = JSON.stringify(keysOf(fingerprint));
  await writeFile(
    scene.configPath,
    `${await readFile(scene.configPath, 'utf8')}\napproval: { when: always, people: 2, signed: required, keys: ${keys} }\n`,
  );
  if (planted.length > 0) forge(scene, planted);
  await become('mali');
  const waiting = await scene.run('run', file);
  expect(waiting).toEndWith(6);
  const batchId = /--batch ([0-9A-Z]{10})/.exec(waiting.stdout)?.[1] ?? '';
  expect(await scene.run('approve', '--batch', batchId)).toEndWith(0);
  return {
    scene,
    file,
    batchId,
    become,
    async sign(proposalId = 1) {
      await using store = await open();
      const { context, signer } = await signing(store);
      const proposal = await store.proposal(proposalId);
      if (proposal === undefined) throw new Error('it is not there');
      const where = { isSandbox: false, companyId: 'COMP000001', journalId: store.journalId };
      const matter = await readMatter({ journal: store }, where, proposal);
      const asked = await askForSignature(context, signer, matter);
      if ('why' in asked) throw new Error(inEnglish(asked.why));
      const answer = JSON.stringify(key.get(challengeOf(asked.options)));
      const review = {
        journal: store,
        clock: { now: () => scene.clocks.readMs() },
        rules: { payoutSatangMax: null },
        payerAccount: 'ACCOUNT',
        people: 2,
        expireDays: 7,
        signing: {
          companyId: where.companyId,
          journalId: where.journalId,
          isSandbox: false,
          keys: keysOf(fingerprint),
        },
      } as const;
      const end = await approveSigned(review, context, signer, proposalId, answer);
      if (end.kind !== 'applied') return end.kind === 'refused' ? inEnglish(end.why) : end.kind;
      return end.applied.refused.map(({ why }) => why && inEnglish(why)).join() || 'applied';
    },
    forge: (...statements) => forge(scene, statements),
  };
}

const paidBy = async ({ bank }: Scene): Promise<number> => (await bank.ledger()).totals.count;

test('a batch that was signed is paid', async () => {
  const office = await openOffice();
  await using scene = office.scene;
  expect(await office.sign()).toBe('applied');
  expect(await scene.run('run', office.file)).toEndWith(0);
  expect(await paidBy(scene)).toBe(2);
});

const approve = `update proposal set status = 'approved', checker_id = 3, checker = 'nok', checked_at_ms = made_at_ms`;
const letGo =
  "update payout set holds = 0, status = 'ready', accepted_holds = accepted_holds | (select max(holds) from payout)";
const batchApproved = `update batch set approved_digest = digest, approved_payer = payer_account, status = 'running', reason_code = null`;

test.each<[string, readonly string[]]>([
  ['an approval without a signature', [approve]],
  ['a batch that is called approved', [approve, letGo, batchApproved]],
  [
    'a batch that is said to need nobody',
    [letGo, `update batch set approval_people = null, status = 'running', reason_code = null`],
  ],
])('forged in the journal: %s is not paid', async (_name, statements) => {
  const office = await openOffice();
  await using scene = office.scene;
  office.forge(...statements);
  await scene.run('run', office.file);
  await scene.run('run', office.file, '--wait', '1');
  expect(await paidBy(scene)).toBe(0);
});

test('another payee in a batch that was signed is not paid, whatever digests go with it', async () => {
  const office = await openOffice();
  await using scene = office.scene;
  expect(await office.sign()).toBe('applied');
  office.forge(`update payout_row set proxy_no = '0899999999' where payout_id = 'S-2'`);
  const end = await scene.run('run', office.file, '--wait', '1');
  expect(end).toEndWith(6);
  expect((await scene.bank.ledger()).entries.map(({ proxyNo }) => proxyNo)).not.toContain('0899999999');
});

test('a key that the settings do not name approves nothing', async () => {
  const office = await openOffice(() => ['0'.repeat(64)]);
  await using scene = office.scene;
  expect(await office.sign()).toContain('approval.keys of the settings does not name its key');
  await scene.run('run', office.file, '--wait', '1');
  expect(await paidBy(scene)).toBe(0);
});

const numberOf = (number: number): string => computeTransRefNo('COMP000001', 'S-2', number);

/** Row 2 as if its first send were in doubt, with something else in it, and every hash made anew. */
function reopen({ dataDir }: Scene, changes: Partial<TransferOrder>): readonly string[] {
  using db = new DatabaseSync(join(dataDir, 'journal.db'));
  const kept = db.prepare('select * from attempt where payout_seq = 2').get() ?? {};
  const text = (name: string): string => String(kept[name] ?? '');
  const order: TransferOrder = {
    transRefNo: numberOf(2),
    channelId: text('channel_id'),
    termId: text('term_id'),
    companyId: text('company_id'),
    payerAccount: text('payer_account'),
    tranDate: text('tran_date'),
    tranTime: text('tran_time'),
    proxyType: 'MSISDN',
    proxyNo: text('proxy_no'),
    proxyName: text('proxy_name'),
    amountText: text('amount_text'),
    reference1: text('reference1'),
    reference2: kept['reference2'] === null ? null : text('reference2'),
    ...changes,
  };
  return [
    `update attempt set status = 'recorded', sends = 1, uncounted_sends = 0, acknowledged = 0, inquiries = 0,
       last_inquiry_at_ms = null, last_finding = null, next_inquiry_at_ms = last_sent_at_ms + 1000, sys_ref_no = null,
       trans_ref_no = '${order.transRefNo}', term_id = '${order.termId}', reference1 = '${order.reference1}', payer_account = '${order.payerAccount}',
       order_hash = '${computeOrderHash(order)}' where payout_seq = 2`,
    `update payout set status = 'submitted' where seq = 2`,
    `update batch set status = 'running'`,
  ];
}

test.each<[string, Partial<TransferOrder>]>([
  ['other references', { reference1: 'OTHER' }],
  ['another account', { payerAccount: '9999999999' }],
  ['all that was signed, under the next number', {}],
  ['another terminal', { transRefNo: numberOf(1), termId: 'TERM0009' }],
  ['the reference of no payout', { transRefNo: 'PDZZZZZZZZZZZZZZZZ01' }],
])('a transfer that is made to look in doubt, with %s, does not leave again', async (_name, changes) => {
  const office = await openOffice();
  await using scene = office.scene;
  expect(await office.sign()).toBe('applied');
  expect(await scene.run('run', office.file)).toEndWith(0);
  const { requests } = await scene.bank.ledger();
  office.forge(...reopen(scene, changes));
  await scene.run('run', office.file, '--wait', '3');
  expect((await scene.bank.ledger()).requests.transfer).toBe(requests.transfer);
});

test('a row of which the digest is not that of the payee who is shown is not approved', async () => {
  const plant = `create trigger planted after insert on payout_row when new.payout_id = 'S-2' begin
    update payout_row set digest = (select digest from payout_row where payout_id = 'S-1') where seq = new.seq; end`;
  const office = await openOffice(undefined, [plant]);
  await using scene = office.scene;
  expect(await office.sign()).toContain('row 2 is not what its digest says');
  await scene.run('run', office.file, '--wait', '1');
  expect(await paidBy(scene)).toBe(0);
});

/** Row 2 as if it was to be sent. */
const unsent = [
  `update payout set status = 'ready', attempt_no = 0, submitted_at_ms = null, settled_at_ms = null where seq = 2`,
  `update claim set attempts_recorded = 0 where payout_id = 'S-2'`,
  `update batch set status = 'running', age_from_ms = age_from_ms + 9 * 86400000`,
];

/** Row 2 as if it had never been sent. */
const forgotten = ['delete from attempt where payout_seq = 2', ...unsent];

test.each([0, 1, 3])(
  'a signed row of which the journal forgets the send is not paid again after %d days',
  async (days) => {
    const office = await openOffice();
    await using scene = office.scene;
    expect(await office.sign()).toBe('applied');
    expect(await scene.run('run', office.file)).toEndWith(0);
    office.forge(...forgotten);
    scene.clocks.pass(days * 86_400_000);
    await scene.run('run', office.file, '--wait', '3');
    expect(await paidBy(scene)).toBe(2);
  },
);

test('what was approved before signatures were asked for waits for one, and is paid once it has it', async () => {
  const office = await openOffice();
  await using scene = office.scene;
  const asked = await readFile(scene.configPath, 'utf8');
  await writeFile(scene.configPath, asked.replace('signed: required', 'signed: optional'));
  await office.become('nok');
  expect(await scene.run('approve', '--batch', office.batchId)).toEndWith(0);
  await writeFile(scene.configPath, asked);
  await office.become('mali');
  const waiting = await scene.run('run', office.file, '--wait', '1');
  expect(waiting).toEndWith(6);
  expect(await paidBy(scene)).toBe(0);
  expect(await scene.run('audit')).toEndWith(0);
  expect(await scene.run('approve', '--batch', office.batchId)).toEndWith(0);
  expect(await office.sign(2)).toBe('applied');
  expect(await scene.run('run', office.file)).toEndWith(0);
  expect(await paidBy(scene)).toBe(2);
  expect(await scene.run('audit')).toEndWith(0);
});

test.each<[string, (scene: Scene) => readonly string[]]>([
  [
    'whose send is called failed',
    () => [
      `update attempt set status = 'failed', attempt_no = 9, next_inquiry_at_ms = null where payout_seq = 2`,
      ...unsent,
    ],
  ],
  [
    'whose send is called a failed one under number 4',
    (scene) => [
      ...reopen(scene, { transRefNo: numberOf(4) }),
      `update attempt set status = 'failed', has_failed_item = 1, next_inquiry_at_ms = null where payout_seq = 2`,
      ...unsent,
      `update payout set attempt_no = 1 where seq = 2`,
      `update claim set attempts_recorded = 1 where payout_id = 'S-2'`,
    ],
  ],
])('a signed row %s is not paid again', async (_name, statementsOf) => {
  const office = await openOffice();
  await using scene = office.scene;
  expect(await office.sign()).toBe('applied');
  expect(await scene.run('run', office.file)).toEndWith(0);
  office.forge(...statementsOf(scene));
  scene.clocks.pass(86_400_000);
  await scene.run('run', office.file, '--wait', '3');
  expect(await paidBy(scene)).toBe(2);
});

test('a text that names another sum than that of its rows approves nothing', async () => {
  const office = await openOffice();
  await using scene = office.scene;
  office.forge(`update proposal set total_satang = '100'`);
  expect(await office.sign()).toContain('another sum');
  await scene.run('run', office.file, '--wait', '1');
  expect(await paidBy(scene)).toBe(0);
});
