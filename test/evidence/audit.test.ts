/** Whatever is changed in a journal by hand is found, and named; also when all of it was made to fit. */
import { createHash } from 'node:crypto';
import { chmod, copyFile, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { backUpJournal } from '../../src/app/backup.ts';
import { dayMs } from '../../src/core/bangkok-time.ts';
import { auditJournal } from '../../src/evidence/audit.ts';
import { makeDayHeads } from '../../src/evidence/day-heads.ts';
import { computeOrderHash } from '../../src/core/reference.ts';
import { computeProposalDigest } from '../../src/review/rules/proposal.ts';
import { hashEvent, textOf } from '../../src/review/rules/payout-chain.ts';
import { openConnection } from '../../src/store/connection.ts';
import { openAuditOf } from '../../src/store/evidence/audit.ts';
import { makeJournal } from '../../src/store/store.ts';
import { nothingCounted, sumFigures } from '../../src/review/rules/proposal-figures.ts';
import {
  bringTo,
  firstBatchId,
  ingestAs,
  ingestDone,
  ingestRunning,
  makeBadRow,
  makeRow,
  noonMs,
  secondBatchId,
} from '../support/journal-fixtures.ts';
import { Users } from '../support/persons.ts';
import { makeSqliteStore } from '../support/sqlite-store.ts';
import { archiveAll, settled, tamper } from '../support/store-fixtures.ts';
import { readChains } from '../support/store-consistency.ts';

type AuditOptions = Parameters<typeof auditJournal>[1];

let sqlite: Awaited<ReturnType<typeof makeSqliteStore>>;
let journalId = '';
let outside: AuditOptions['outside'] = [];

const letter = { name: 'letter.pdf', sha256: 'ab'.repeat(32), bytes: 9 };

/** Two days with payouts in two files, one of them archived; two users, and a proposal that one made and one approved. */
beforeAll(async () => {
  sqlite = await makeSqliteStore();
  const { store, path } = sqlite;
  ({ journalId } = store);
  await ingestDone(store);
  const rows = [makeRow(1, { payoutId: 'B1' }), makeRow(2, { payoutId: 'B2' }), makeBadRow(3)];
  await ingestRunning(store, rows, { batchId: secondBatchId });
  await bringTo(store, 'failed', secondBatchId);
  const users = new Users(store);
  await users.add('mali', 'admin', null);
  await users.add('nok', 'checker', await users.find('mali'));
  const targets = [{ kind: 'payout', key: '2', version: '3' }] as const;
  const digest = computeProposalDigest('retry', targets);
  const maker = { personId: 1, name: 'mali' };
  const made = { madeAtMs: noonMs, expiresAtMs: noonMs + dayMs, totalSatang: 0n as never };
  await store.addProposals([
    {
      decision: 'retry',
      figures: sumFigures([nothingCounted]),
      note: 'again',
      evidence: null,
      evidenceFile: letter,
      people: 2,
      digest,
      maker,
      targets,
      ...made,
    },
  ]);
  const by = { personId: 2, name: 'nok' };
  await store.moveProposal(1, { to: 'approved', by, note: null, nowMs: noonMs + 5 });
  const note = { kind: 'payout', key: '2', version: '', person: 'mali', note: '', atMs: noonMs + 6 } as const;
  await store.addReviewNote({ ...note, what: 'taken', personId: 1 });
  await store.addReviewNote({ ...note, what: 'given-back', personId: 1 });
  await makeDayHeads(store, journalId, noonMs + dayMs);
  await bringTo(store, 'paid', secondBatchId);
  tamper(path, settled);
  await archiveAll(store);
  outside = await readHeads(path);
  await store[Symbol.asyncDispose]();
});
afterAll(() => sqlite[Symbol.asyncDispose]());

async function readHeads(path: string): Promise<AuditOptions['outside']> {
  await using reader = await openAuditOf(path);
  const heads = await Array.fromAsync(reader.dayHeads());
  return heads.map(({ text, hash }) => ({ text, hash, file: 'heads.txt' }));
}

async function audit(path: string, options: Partial<AuditOptions> = {}) {
  await using reader = await openAuditOf(path);
  return await auditJournal(reader, { journalId, outside, findEvidenceFault: () => undefined, ...options });
}

const everyTrigger = (db: DatabaseSync): void => {
  for (const { name } of db.prepare(`select name from sqlite_schema where type = 'trigger'`).all())
    db.exec(`drop trigger "${String(name)}"`);
};

/** A copy of the journal, without what keeps it from being changed. */
async function openCopy() {
  const path = join(dirname(sqlite.path), 'copy.db');
  await copyFile(sqlite.path, path);
  const db = new DatabaseSync(path);
  everyTrigger(db);
  return {
    path,
    db,
    [Symbol.asyncDispose]: async () => {
      if (db.isOpen) db.close();
      for (const end of ['', '-wal', '-shm']) await rm(`${path}${end}`, { force: true });
    },
  };
}

test('a journal that nobody has touched is whole, and everything of it was looked at', async () => {
  const found = await audit(sqlite.path);
  expect(found.parts.flatMap(({ findings }) => findings)).toEqual([]);
  expect(Object.fromEntries(found.parts.map(({ part, looked }) => [part, looked]))).toEqual({
    payouts: { payouts: 4, events: 9 },
    instructions: { rows: 4 },
    attempts: { attempts: 3 },
    batches: { batches: 2 },
    archives: { archives: 1, batches: 1 },
    people: { people: 2, events: 8 },
    proposals: { proposals: 1, events: 2, files: 1 },
    notes: { notes: 2 },
    limits: {},
    registrations: {},
    days: { days: 1, events: expect.any(Number) },
    outside: { heads: 1 },
  });
  expect(found.notes).toEqual(['2 events of today, or late, under no head yet']);
  expect(found.isWhole).toBe(true);
});

/** `payout 2` is B1, whose transfer failed; 1 stands in the archive. */
const last = '(select max(seq) from event where payout_seq = 2)';
const second = '(select min(seq) + 1 from event where payout_seq = 2)';
const anEvent = '(select min(seq) from event where payout_seq = 2)';

describe('found and named', () => {
  test.each<[what: string, sql: string, place: RegExp]>([
    [
      'an event is changed',
      `update event set detail = '{"code":"IC000"}' where seq = ${last}`,
      /B1, row 1 .*event \d+$/m,
    ],
    ['the last event goes', `delete from event where seq = ${last}`, /B1, row 1/],
    [
      'the last event goes, and its payout says so',
      `update payout set status = 'submitted', last_event_seq = last_event_seq - 1 where seq = 2;
       delete from event where seq = ${last}`,
      /day 2026-11-21/,
    ],
    [
      'a whole payout goes',
      `delete from event where payout_seq = 2; delete from attempt where payout_seq = 2;
       delete from payout_row where seq = 2; delete from payout where seq = 2`,
      /batch ABCDEFGHJK/,
    ],
    [
      'two events change places',
      `update event set seq = -1 where seq = ${last}; update event set seq = 1000 where seq = ${anEvent};
       update event set seq = 900 where seq = -1`,
      /B1, row 1/,
    ],
    [
      'an event is put in',
      `insert into event select 1000, 2, 'failed', 'paid', 'late-proof', at_ms, 1, '{}', hash from event where seq = ${last}`,
      /B1, row 1 .*event 1000/,
    ],
    ['another payee', `update payout_row set proxy_no = '0899999999' where seq = 2`, /B1, row 1/],
    ['another amount', `update payout set amount_satang = amount_satang + 1 where seq = 3`, /B2, row 2/],
    [
      'another payee was paid',
      `update attempt set proxy_no = '0899999999' where payout_seq = 2`,
      /B1.*attempt 1/,
    ],
    ['an attempt goes', 'delete from attempt where payout_seq = 2', /B1.*attempt 1/],
    ['a status', `update payout set status = 'paid' where seq = 2`, /B1, row 1/],
    [
      'the digest of a batch',
      `update batch set digest = 'x' where batch_id = '${secondBatchId}'`,
      /batch ABCD/,
    ],
    ['a role', `update person set role = 'admin' where name = 'nok'`, /user nok/],
    ['an event of a person goes', 'delete from person_event where seq = 4', /event of people|day/],
    [
      'a name in the history',
      `update person_event set cells = replace(cells, 'nok', 'mai')`,
      /event 5 of people/,
    ],
    ['who approved', `update proposal set checker_id = 1`, /proposal 1/],
    ['why it was proposed', `update proposal set note = 'because'`, /proposal 1/],
    ['what was approved', `update proposal_item set key = '3'`, /proposal 1/],
    ['the file of a proposal', `update proposal set evidence_file = null`, /proposal 1/],
    [
      'another file in its place',
      `update proposal set evidence_file = replace(evidence_file, 'abab', 'cdcd')`,
      /proposal 1/,
    ],
    [
      'the name of its file',
      `update proposal set evidence_file = replace(evidence_file, 'letter', 'bill')`,
      /proposal 1/,
    ],
    ['a proposal goes', 'delete from proposal_item; delete from proposal', /proposal 1/],
    ['an approval goes', `delete from proposal_event where kind = 'approved'`, /proposal 1|day/],
    ['who took what waits', `update review_note set person = 'nok' where seq = 1`, /note 1 on payout/],
    ['what was taken', `update review_note set key = '3' where seq = 1`, /note 1 on payout/],
    ['a note goes', 'delete from review_note where seq = 2', /event \d+ of people/],
    [
      'a note is put in',
      `insert into review_note select 3, kind, key, version, what, person_id, person, note, at_ms, 0 from review_note where seq = 1`,
      /note 3 on payout/,
    ],
    ['a head', `update day_head set text = replace(text, 'number 1', 'number 2')`, /day 2026-11-21/],
    ['the head goes', 'delete from day_head', /heads.txt/],
    [
      'the journal’s archive is another',
      `update archived_batch set digest = '${'0'.repeat(64)}'`,
      /journal-archive-0001/,
    ],
  ])('%s', async (_what, sql, place) => {
    await using copy = await openCopy();
    copy.db.exec('pragma foreign_keys = off');
    copy.db.exec(sql);
    const { isWhole, parts } = await audit(copy.path);
    expect(isWhole).toBe(false);
    const findings = parts.flatMap((part) => part.findings);
    expect(findings.map((finding) => finding.place).join('\n')).toMatch(place);
    for (const { why, remedy } of findings) expect(Math.min(why.length, remedy.length)).toBeGreaterThan(10);
  });
});

test('what was sent, rewritten with its hash, is not what the history of its payout says', async () => {
  await using copy = await openCopy();
  const names =
    'transRefNo channelId termId companyId payerAccount tranDate tranTime proxyType proxyNo'.split(' ');
  const all = [...names, 'proxyName', 'amountText', 'reference1', 'reference2'];
  copy.db.function('hash_order', { varargs: true }, (...parts) =>
    computeOrderHash(Object.fromEntries(all.map((name, at) => [name, parts[at]])) as never),
  );
  const sent = `trans_ref_no, channel_id, term_id, company_id, payer_account, tran_date, tran_time, proxy_type, proxy_no,
    proxy_name, amount_text, reference1, reference2`;
  const find = async () =>
    (await audit(copy.path)).parts.flatMap(({ findings }) => findings.map(({ why }) => why));
  copy.db.exec(`update attempt set order_hash = hash_order(${sent})`);
  expect(await find()).toEqual([]);
  copy.db.exec(`update attempt set payer_account = '0000999999' where payout_seq = 2;
    update attempt set order_hash = hash_order(${sent})`);
  expect(await find()).toEqual([
    'its history says that something else was sent',
    'it was sent from account ******9999, and its history says another',
  ]);
});

test('a file that proved a decision and is gone is told with its proposal', async () => {
  const { parts } = await audit(sqlite.path, { findEvidenceFault: ({ name }) => `its file ${name} is gone` });
  expect(parts.flatMap(({ findings }) => findings)).toMatchObject([
    { part: 'proposals', place: 'proposal 1', why: 'its file letter.pdf is gone' },
  ]);
});

/** As well as it can be done by whoever owns the machine: chains and heads are made anew. */
async function rewrite({ path, db }: { readonly path: string; readonly db: DatabaseSync }): Promise<void> {
  db.exec(`update event set detail = '{"code":"EM999"}' where seq = ${second}`);
  const keep = db.prepare('update event set hash = ? where seq = ?');
  for (const { start, events } of readChains(db)) {
    let previous = start;
    for (const event of events) {
      previous = hashEvent(previous, textOf(event));
      keep.run(previous, event.seq);
    }
  }
  db.exec('delete from day_head');
  db.close();
  await using store = makeJournal({ db: openConnection(path), path, journalId });
  await makeDayHeads(store, journalId, noonMs + dayMs);
}

test('a journal that was rewritten to its last hash is found by the head outside, and by nothing else', async () => {
  await using copy = await openCopy();
  await rewrite(copy);
  const within = await audit(copy.path, { outside: [] });
  expect(within.parts.flatMap(({ findings }) => findings)).toEqual([]);
  const { parts } = await audit(copy.path);
  expect(parts.flatMap(({ findings }) => findings)).toMatchObject([
    { part: 'outside', place: 'heads.txt, day 2026-11-21', why: expect.stringContaining('written anew') },
  ]);
});

test('from a day on, what is under earlier heads is taken as it is, but for what goes on', async () => {
  const { isWhole, parts } = await audit(sqlite.path, { sinceDate: '20261122' });
  const looked = Object.fromEntries(parts.map(({ part, looked: all }) => [part, all]));
  expect(isWhole).toBe(true);
  expect(looked).toMatchObject({ payouts: { payouts: 1 }, instructions: { rows: 1 }, people: { events: 8 } });
  expect(looked['days']).toEqual({});
});

test('an archive that is missing, or was changed, is named; the rest is looked at all the same', async () => {
  await using copy = await openCopy();
  const archive = join(dirname(sqlite.path), 'journal-archive-0001.db');
  await copyFile(archive, `${archive}.kept`);
  tamper(archive, `drop trigger order_never_changes; update attempt set amount_text = '9.00'`);
  const changed = (await audit(copy.path)).parts.flatMap(({ findings }) => findings);
  expect(changed.map(({ part, why }) => [part, why])).toEqual([
    ['attempts', 'what it sends was changed'],
    ['archives', 'it is not what was moved into the archive'],
  ]);
  await rm(archive);
  const missing = (await audit(copy.path)).parts.filter(({ broken }) => broken > 0);
  expect(missing.map(({ part }) => part)).toEqual(['archives', 'days']);
  await copyFile(`${archive}.kept`, archive);
});

test('heads of a journal that was lost or restored are told of, and are no fault', async () => {
  await using copy = await openCopy();
  const other = { ...outside[0]!, text: outside[0]!.text.replace(journalId, 'another'), file: 'old.txt' };
  const foreign = { ...other, hash: createHash('sha256').update(other.text).digest('hex') };
  const find = async () => audit(copy.path, { outside: [...outside, foreign] });
  expect((await find()).parts.flatMap(({ findings }) => findings.map(({ why }) => why))).toEqual([
    'it is of another journal',
  ]);
  copy.db.exec(`insert into journal_loss values (${noonMs + dayMs}, '20261121', '20261122')`);
  expect((await find()).isWhole).toBe(true);
  expect((await find()).notes.join()).toContain(
    'old.txt: it is of another journal, from before the journal was lost',
  );
});

test('sums that limits are held against are what their rows add up to', async () => {
  await using counted = await makeSqliteStore();
  const { store, path } = counted;
  await ingestAs(store, ['paid'], [makeRow(1), makeRow(2)]);
  await store.countDay('COMP000001', '20261121');
  const find = async () => {
    const { parts } = await audit(path, { journalId: store.journalId, outside: [] });
    const limits = parts.filter(({ part }) => part === 'limits');
    return limits.map(({ looked, findings }) => [looked, ...findings.map(({ place }) => place)]);
  };
  expect(await find()).toEqual([[{ days: 1 }]]);
  tamper(path, `update day_use set low = low - 1, rows = rows - 1 where kind = 'payee'`);
  expect(await find()).toEqual([
    [{ days: 1 }, expect.stringMatching(/^limits of 2026-11-21: payee \D+\d{0,4}$/v)],
  ]);
  tamper(path, `delete from day_use where kind <> 'day'; update day_use set high = 7`);
  expect((await find())[0]?.slice(1)).toEqual([
    'limits of 2026-11-21: day',
    expect.stringContaining('payee'),
    `limits of 2026-11-21: file ${firstBatchId}`,
  ]);
});

test('a backup is audited where it lies, and nothing is written beside it', async () => {
  const folder = join(dirname(sqlite.path), 'away');
  await mkdir(folder);
  const backup = join(folder, 'backup.db');
  backUpJournal(dirname(sqlite.path), backup);
  const before = await readFile(backup);
  await chmod(backup, 0o400);
  await chmod(folder, 0o500);
  const find = async (path: string) => {
    await using reader = await openAuditOf(path, dirname(sqlite.path));
    expect(reader.journalId).toBe(journalId);
    return await auditJournal(reader, {
      journalId: reader.journalId,
      outside,
      findEvidenceFault: () => undefined,
    });
  };
  expect(await find(backup)).toEqual(await audit(sqlite.path));
  expect(await readdir(folder)).toEqual(['backup.db']);
  expect(await readFile(backup)).toEqual(before);
  await chmod(folder, 0o700);
  tamper(
    backup,
    `drop trigger event_never_changes; update event set at_ms = at_ms + 1 where seq = ${second}`,
  );
  expect((await find(backup)).isWhole).toBe(false);
  tamper(backup, 'update schema_version set version = 39');
  await expect(openAuditOf(backup)).rejects.toThrow('written by an older paydrop');
  await expect(openAuditOf(join(import.meta.dirname, 'audit.test.ts'))).rejects.toThrow('cannot be opened');
});
