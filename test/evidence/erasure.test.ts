/** What names a payee goes from everywhere in the journal's file, and every chain and digest holds as before. */
import { rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Instruction } from '../../src/core/payout.ts';
import { computeInstructionDigest, DigestOfAll } from '../../src/core/reference.ts';
import { auditJournal } from '../../src/evidence/audit.ts';
import { makeDayHeads } from '../../src/evidence/day-heads.ts';
import { gatherEvidence } from '../../src/evidence/payout-evidence.ts';
import { erasePayout } from '../../src/evidence/erasure.ts';
import { eraseLine, whyNotErase } from '../../src/evidence/rules/erasure.ts';
import { blankLine, encodeLine } from '../../src/reconcile/rules/statement.ts';
import type { ReviewContext } from '../../src/review/context.ts';
import { check } from '../../src/review/review.ts';
import { commitTo } from '../../src/review/rules/payout-chain.ts';
import type { ProvedPerson } from '../../src/review/rules/people.ts';
import { openAuditOf } from '../../src/store/evidence/audit.ts';
import { ingest, makeRow, noonMs, payer } from '../support/journal-fixtures.ts';
import { placeScript, verifyBy } from '../support/evidence-script.ts';
import { transferFields } from '../support/core-fixtures.ts';
import { Users } from '../support/persons.ts';
import { propose } from '../support/review.ts';
import { tamper } from '../support/store-fixtures.ts';
import { dayMs, openTheatre, type StoreTheatre } from '../support/theatre.ts';

const [wrongNo, rightNo, othersNo] = ['0810000001', '0899999999', '0810000002'];
const [name, bankName, reference] = ['Malee Srisuk', 'MALEE SRISUKJAI', 'wages of Malee'];
const personal = [
  wrongNo,
  rightNo,
  name,
  bankName,
  reference,
  'malee@example.com',
  'told by Malee',
  'Malee called',
  'letter of Malee.pdf',
];
const letter = { name: 'letter of Malee.pdf', sha256: 'ab'.repeat(32), bytes: 8 };
const longAfterMs = noonMs + (90 + 2) * dayMs;

let theatre: StoreTheatre;
let [batchId, path] = ['', ''];
let admin: ProvedPerson;

const contextOf = (): ReviewContext => ({
  journal: theatre.journal,
  clock: theatre.time,
  rules: { payoutSatangMax: null },
  payerAccount: payer.payerAccount,
  people: 2,
  expireDays: 7,
});

/** Paid to the wrong payee, which the bank refused; corrected by two people, paid, and differing in the statement. */
async function payCorrected(): Promise<void> {
  await theatre.run(batchId, { transferConcurrency: 1 });
  const [failed] = await theatre.journal.findPayouts('INV-1');
  const target = {
    kind: 'payout',
    key: String(failed?.row.seq),
    version: String(failed?.row.version),
  } as const;
  const correction = { proxyNo: rightNo, amount: null };
  const wish = {
    decision: 'retry-corrected',
    note: 'told by Malee',
    evidence: null,
    evidenceFile: letter,
  } as const;
  const targets = [{ ...target, correction, note: 'Malee called' }];
  const proposed = await propose(contextOf(), { ...wish, targets }, { personId: 1, name: 'mali' });
  if (proposed.kind !== 'waiting') throw new Error(JSON.stringify(proposed));
  await check(contextOf(), proposed.proposal.proposalId, 'approve', { personId: 2, name: 'nok' });
  await theatre.run(batchId);
}

/** As a statement with another amount leaves it, and somebody who looks after it. */
async function addStatement(): Promise<void> {
  const [paid] = await theatre.journal.findPayouts('INV-1');
  const order = paid?.attempts.at(-1)?.order;
  const said = {
    transRefNo: order?.transRefNo ?? '',
    proxyNo: rightNo,
    proxyName: name,
    reference1: reference,
  };
  const line = encodeLine({ ...blankLine, ...said });
  using db = new DatabaseSync(path);
  db.prepare(
    `insert into statement_break (date, key, kind, state, version, severity, reason, attempt, lines, opened_at_ms, closed_at_ms, moved_by)
     values ('20261121', ?, 'amount-mismatch', 'closed', 1, 'high', 'differs', ?, ?, 1, 2, 'run')`,
  ).run(said.transRefNo, JSON.stringify({ order }), JSON.stringify([line]));
  db.prepare(`insert into statement_line values ('20261121', 1, 0, 0, 2, 'complete', ?, ?)`).run(
    said.transRefNo,
    line,
  );
  const note = { kind: 'payout', key: '1', version: '', what: 'taken', personId: 1, person: 'mali' } as const;
  await theatre.journal.addReviewNote({ ...note, note: 'Malee called', atMs: noonMs });
}

beforeAll(async () => {
  theatre = await openTheatre();
  theatre.script = {
    check: (asked) =>
      asked.proxyNo === rightNo
        ? theatre.answer({ ...transferFields('IC001'), payeeName: bankName, payeeNameTh: undefined })
        : undefined,
    transfer: (order) => (order.proxyNo === wrongNo ? theatre.code('EV042') : undefined),
    inquire: (inquiry) => theatre.found(inquiry, inquiry.transRefNo.endsWith('01') ? '030002' : undefined),
  };
  const first = makeRow(1);
  const instruction = first.instruction && { ...first.instruction, payeeName: name, reference1: reference };
  const cells = { ...first.cells, payeeName: name, reference1: reference };
  const named = { ...first, cells, instruction, extras: ['malee@example.com'] };
  ({ batchId } = await ingest(theatre.journal, [named, makeRow(2)]));
  path = join(theatre.folder, 'journal.db');
  await payCorrected();
  await addStatement();
  const users = new Users(theatre.journal);
  await users.add('mali', 'admin', null);
  admin = { person: await users.find('mali'), proof: 'password' };
  await makeDayHeads(theatre.journal, theatre.journal.journalId, noonMs + dayMs);
});
afterAll(() => theatre[Symbol.asyncDispose]());

async function findBroken(at = path): Promise<string[]> {
  await using reader = await openAuditOf(at);
  const { journalId } = theatre.journal;
  const { parts } = await auditJournal(reader, {
    journalId,
    outside: [],
    findEvidenceFault: () => undefined,
  });
  return parts.flatMap(({ findings }) => findings.map(({ place, why }) => `${place}: ${why}`));
}

/** What stands in the bytes of the journal's files, by chance or not. */
async function findLeft(texts: readonly string[]): Promise<string[]> {
  const files = await Promise.all(['', '-wal'].map((end) => readFile(`${path}${end}`)));
  return texts.filter((text) => files.some((bytes) => bytes.includes(text)));
}

/** By which the number could be tried out. */
function readOpenings(): readonly string[] {
  using db = new DatabaseSync(path);
  const found = db.prepare(
    `select digest as hash from payout_row where seq = 1 union select salt from payout_row where seq = 1
     union select digest from instruction_version union select order_hash from attempt where payout_seq = 1`,
  );
  return found.all().map(({ hash }) => String(hash));
}

const readHashes = (): unknown => {
  using db = new DatabaseSync(path);
  return db.prepare('select seq, hash from event union all select number, hash from day_head').all();
};

test('before the time has come, and by anybody but an admin, nothing is erased', async () => {
  const { journal } = theatre;
  expect(await findLeft(personal)).toEqual(personal);
  const checker = { ...admin, person: { ...admin.person, role: 'checker' } } as const;
  expect(await erasePayout(journal, { now: () => longAfterMs }, checker, 'INV-1')).toContain('only an admin');
  expect(await erasePayout(journal, { now: () => noonMs + dayMs }, admin, 'INV-1')).toContain(
    'within 90 days',
  );
  expect(await erasePayout(journal, { now: () => longAfterMs }, admin, 'INV-7')).toContain('no payout');
  for (const table of [
    'payout_row',
    'attempt',
    'instruction_version',
    'event',
    'proposal',
    'proposal_item',
    'review_note',
  ])
    expect(() => tamper(path, everyColumn(table))).toThrow(/never changed/v);
  expect(await findLeft(personal)).toEqual(personal);
});

/** Tries what the erasure does, of a row that has no commitment. */
function everyColumn(table: string): string {
  const set = {
    payout_row: `proxy_no = null`,
    attempt: `proxy_no = ''`,
    instruction_version: `instruction = null`,
    event: `detail = '{}'`,
    proposal: `evidence_file = json_set(evidence_file, '$.name', 'erased')`,
    proposal_item: `correction = null, note = null, salt = null, commitment = ''`,
    review_note: `note = ''`,
  }[table];
  return `update ${table} set ${set}`;
}

/** As it is now, elsewhere, and without what keeps it from being changed. */
async function auditRewritten(rewrite: (db: DatabaseSync) => void): Promise<readonly string[]> {
  const copy = `${path}.rewritten`;
  tamper(path, `vacuum into '${copy}'`);
  try {
    dropTriggers(copy);
    using db = new DatabaseSync(copy);
    rewrite(db);
    return await findBroken(copy);
  } finally {
    rmSync(copy);
  }
}

/** Row 1 was made to ask for another payee than people have agreed on, with every digest that is not in a chain. */
function rewriteVersion(db: DatabaseSync): void {
  const kept = db.prepare('select digest, salt, instruction from instruction_version').get() ?? {};
  const asked = JSON.parse(String(kept['instruction'])) as Instruction;
  const instruction = { ...asked, proxyNo: othersNo };
  const amountSatang = BigInt(asked.amountSatang);
  const place = { companyId: payer.companyId, batchId, rowNo: 1 };
  const digest = computeInstructionDigest(place, { ...instruction, amountSatang });
  const salt = String(kept['salt']);
  const versions = new DigestOfAll();
  for (const part of ['', '1/1/', commitTo(digest, salt) ?? '']) versions.add(part);
  const update = db.prepare('update instruction_version set digest = ?, instruction = ?');
  update.run(digest, JSON.stringify(instruction));
  db.prepare('update batch set versions_digest = ?').run(versions.end());
  db.prepare('update payout_row set proxy_no = ? where seq = 1').run(othersNo);
}

test('a correction to another payee than people have agreed on is found, before and after it is paid', async () => {
  expect(await auditRewritten(() => {})).toEqual([]);
  const found = await auditRewritten((db) => {
    rewriteVersion(db);
    // As it is while nothing was sent to that payee.
    db.exec(`delete from event where payout_seq = 1 and seq > (select seq from event where cause = 'corrected');
      delete from attempt where payout_seq = 1 and attempt_no = 2;
      update payout set status = 'ready', attempt_no = 1, bank_payee_name = null, last_event_seq = (select seq from event where cause = 'corrected') where seq = 1`);
  });
  const told = /^payout INV-1, row 1 .*: its history tells of other versions of what it asks for$/v;
  expect(found.filter((one) => one.startsWith('payout'))).toEqual([expect.stringMatching(told)]);
  const after = await auditRewritten(rewriteVersion);
  expect(after[0]).toMatch(told);
  const unsalted = await auditRewritten((db) => db.exec('update instruction_version set salt = null'));
  expect(unsalted[0]).toMatch(told);
});

test('erased, it is found nowhere in the file; every hash is as before, and the audit finds all whole', async () => {
  const before = readHashes();
  const openings = readOpenings();
  expect(openings.length).toBe(5);
  expect(await findBroken()).toEqual([]);
  expect(await erasePayout(theatre.journal, { now: () => longAfterMs }, admin, 'INV-1')).toBeUndefined();
  expect(await findLeft([...personal, ...openings])).toEqual([]);
  expect(await findLeft([othersNo])).toEqual([othersNo]);
  expect(readHashes()).toEqual(before);
  expect(await findBroken()).toEqual([]);
  const [history] = await theatre.journal.findPayouts('INV-1');
  expect(history?.row).toMatchObject({ status: 'paid', instruction: null, amountSatang: 10001n });
  expect((await theatre.journal.personEvents(0, 100)).at(-1)).toMatchObject({ kind: 'erased', byPerson: 1 });
  expect((await theatre.journal.proposal(1))?.evidenceFile).toEqual({ ...letter, name: 'erased' });
  expect(() => tamper(path, `update proposal set evidence_file = null`)).toThrow('never changed');
  expect(await theatre.statuses(batchId)).toEqual({ paid: 2 });
  // Once more changes nothing.
  expect(await erasePayout(theatre.journal, { now: () => longAfterMs }, admin, 'INV-1')).toBeUndefined();
});

test.each(['whole', 'masked'] as const)(
  'the script finds the evidence of it whole, numbers %s',
  async (numbers) => {
    const { journal, folder } = theatre;
    await using reader = await openAuditOf(path);
    const wish = { journalId: journal.journalId, isSandbox: false, madeAtMs: noonMs, madeBy: null, numbers };
    const evidence = await gatherEvidence(journal, reader, {
      ...wish,
      histories: await journal.findPayouts('INV-1'),
    });
    const { code, said } = await verifyBy(await placeScript(folder), evidence, []);
    expect([code, said.at(-1)]).toEqual([2, 'all else holds']);
    expect(said.at(-2)).toContain(numbers === 'whole' ? 'payee and amount (erased' : '(numbers are masked)');
    // The number that it may not show cannot be put in.
    const forged = evidence.replace('"instruction": null', '"instruction": { "payoutId": "INV-1" }');
    expect((await verifyBy(await placeScript(folder), forged, [])).code).toBe(numbers === 'whole' ? 1 : 2);
  },
);

test('what is left cannot be made to say something else, and nobody erases in silence', async () => {
  expect(() => tamper(path, `update payout_row set proxy_no = '0800000000' where seq = 1`)).toThrow(
    'never changed',
  );
  expect(() => tamper(path, `update payout_row set commitment = 'AAAA' where seq = 1`)).toThrow(
    'never changed',
  );
  tamper(
    path,
    `update payout_row set commitment = 'AAAA', cells = '[]', extras = null, proxy_type = null, proxy_no = null, payee_name = null,
       reference1 = null, reference2 = null, digest = null, salt = null where seq = 2`,
  );
  expect(await findBroken()).toEqual([
    expect.stringMatching(/^payout INV-2, row 2 .*event \d+: it is not what was written/v),
    expect.stringMatching(/^payout INV-2, row 2 .*no erasure is recorded/v),
    expect.stringMatching(/^payout INV-2, row 2 .*attempt 1 .*something stands there again/v),
  ]);
});

function dropTriggers(at: string): void {
  using db = new DatabaseSync(at);
  for (const { name: trigger } of db.prepare(`select name from sqlite_schema where type = 'trigger'`).all())
    db.exec(`drop trigger "${String(trigger)}"`);
}

/** Without what keeps it from being changed. @returns what the audit finds then */
async function rewriteErased(statement: string): Promise<string[]> {
  dropTriggers(path);
  tamper(path, statement);
  return await findBroken();
}

test.each<[what: string, there: string, gone: string, found: RegExp]>([
  [
    'a payee of the row',
    `update payout_row set proxy_type = 'MSISDN', proxy_no = '0800000000' where seq = 1`,
    `update payout_row set proxy_type = null, proxy_no = null where seq = 1`,
    /^payout INV-1, row 1 .*something stands there again/v,
  ],
  [
    'a payee who was paid',
    `update attempt set proxy_no = '0800000000' where payout_seq = 1 and attempt_no = 2`,
    `update attempt set proxy_no = '' where payout_seq = 1`,
    /^payout INV-1, row 1 .*attempt 2 .*something stands there again/v,
  ],
  [
    'another hash of what was sent',
    `update attempt set order_hash = order_hash || 'x' where payout_seq = 1 and attempt_no = 2`,
    `update attempt set order_hash = rtrim(order_hash, 'x') where payout_seq = 1`,
    /^payout INV-1, row 1 .*attempt 2 .*something else was sent/v,
  ],
])('%s, put where it was erased, is found', async (_what, there, gone, found) => {
  const before = await rewriteErased('select 1');
  const named = (await rewriteErased(there)).filter((one) => !before.includes(one));
  expect(named).toEqual([expect.stringMatching(found)]);
  expect(await rewriteErased(gone)).toEqual(before);
});

test.each<[why: string, change: object]>([
  ['is submitted', { row: { status: 'submitted', isAlarm: false } }],
  ['is paid', { attempts: [{ status: 'unresolved', nextInquiryAtMs: null }] }],
  ['is paid', { attempts: [{ status: 'paid', nextInquiryAtMs: 1 }] }],
  ['has an alarm', { row: { status: 'paid', isAlarm: true } }],
  ['is of a batch that is halted', { batch: { status: 'halted', startedAtMs: 0 } }],
  ['has changed within', { events: [{ atMs: longAfterMs - dayMs }] }],
])('a row keeps its payee while it %s', (why, change) => {
  const ended = {
    row: { status: 'paid', isAlarm: false },
    batch: { status: 'done', startedAtMs: 0 },
    attempts: [{ status: 'paid', nextInquiryAtMs: null }],
    events: [{ atMs: noonMs }],
  } as const;
  expect(whyNotErase(ended, longAfterMs)).toBeUndefined();
  expect(whyNotErase({ ...ended, ...change }, longAfterMs)).toContain(why);
});

test('of a line of a statement all stays but who was paid', () => {
  const line = { ...blankLine, transRefNo: 'PD1', sysRefNo: 'SB1' };
  const whole = {
    ...line,
    proxyNo: wrongNo,
    proxyName: name,
    proxyNameTh: 'มาลี',
    reference1: 'a',
    reference2: 'b',
  };
  expect(eraseLine(encodeLine(whole))).toBe(encodeLine(line));
});
