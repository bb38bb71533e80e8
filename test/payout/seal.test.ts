/** What was sealed is what is paid: rows that are changed in the journal behind the program. */
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { lost } from '../support/core-fixtures.ts';
import type { Instruction } from '../../src/core/payout.ts';
import { computeInstructionDigest, DigestOfAll } from '../../src/core/reference.ts';
import { ingest, makeRows, payer } from '../support/journal-fixtures.ts';
import { tamper } from '../support/store-fixtures.ts';
import { minuteMs, openTheatre, stage, type Theatre } from '../support/theatre.ts';

const edit = ({ folder }: Theatre, sql: string): void => tamper(join(folder, 'journal.db'), sql);

/** What an editor of the file can do who does not mind its triggers. */
const asEditor = (sql: string): string =>
  `drop trigger payout_row_never_changes; drop trigger if exists payout_amount_never_changes; drop trigger batch_digest_never_changes; drop trigger payout_never_goes; ${sql}`;

async function expectHalted(theatre: Theatre, batchId: string): Promise<void> {
  const batch = await theatre.batch(batchId);
  expect(batch).toMatchObject({ status: 'halted', reasonCode: 'journal-changed' });
  const halt = await theatre.journal.payerHalt(batch.companyId, batch.payerAccount);
  expect(halt).toMatchObject({ code: 'journal-changed' });
  expect(await theatre.exitCode(batchId)).toBe(6);
}

const changeAmount = (sum: string, which: string): string =>
  `drop trigger if exists payout_amount_never_changes; update payout set amount_satang = amount_satang ${sum} where ${which}`;

describe('a batch that is changed between seal and send', () => {
  test.each([
    ['an amount', changeAmount('* 10', 'row_no = 3')],
    ['a digest', asEditor("update payout_row set digest = 'other' where seq = 3")],
    ['the total', 'update batch set total_satang = 1'],
    ['a row that is gone', asEditor('delete from payout where row_no = 3')],
    ['its own digest', asEditor("update batch set digest = 'other'")],
  ])('%s: nothing of it is paid, and everything halts', async (_, sql) => {
    await using staged = await stage(4, () => ({}));
    const { theatre, batchId } = staged;
    edit(theatre, `pragma foreign_keys = off; ${sql}`);
    await theatre.run(batchId);
    expect(theatre.sent).toEqual([]);
    await expectHalted(theatre, batchId);
    await theatre.resume(batchId);
    await theatre.run(batchId);
    expect(theatre.sent).toEqual([]);
    await expectHalted(theatre, batchId);
  });
});

describe('rows that are changed so that the batch adds up as before', () => {
  test.each([
    ['amounts', `${changeAmount('+ 1', 'row_no = 7')}; ${changeAmount('- 1', 'row_no = 8')}`],
    ['payees', asEditor("update payout_row set proxy_no = '0899999999' where seq in (7, 8)")],
    ['names', asEditor("update payout_row set payee_name = 'Other Name' where seq in (7, 8)")],
    ['references', asEditor("update payout_row set reference2 = 'X' where seq in (7, 8)")],
  ])('%s: they are never paid, and everything halts', async (_, sql) => {
    await using staged = await stage(8, () => ({}));
    const { theatre, batchId } = staged;
    edit(theatre, sql);
    for (const run of [1, 2]) {
      await theatre.run(batchId);
      await expectHalted(theatre, batchId);
      const sent = theatre.sent.map(({ payoutId }) => payoutId);
      expect(sent).toEqual(expect.not.arrayContaining(['ref 7']));
      expect(sent).toEqual(expect.not.arrayContaining(['ref 8']));
      if (run === 1) await theatre.resume(batchId);
    }
  });
});

describe('a row that is changed when it was paid already', () => {
  test('halts when the batch has ended, until an operator resumes', async () => {
    await using staged = await stage(3, (theatre) => ({
      transfer: (_, no) => {
        if (no === 3) edit(theatre, changeAmount('* 10', 'row_no = 1'));
        return undefined;
      },
    }));
    const { theatre, batchId } = staged;
    await theatre.run(batchId);
    expect(theatre.sent).toHaveLength(3);
    await expectHalted(theatre, batchId);
    await theatre.resume(batchId);
    await theatre.run(batchId);
    expect((await theatre.batch(batchId)).status).toBe('done');
    expect(theatre.sent).toHaveLength(3);
  });
});

test('a batch whose run broke off after its last send is looked at when the next one has settled it', async () => {
  const interrupted = new AbortController();
  await using staged = await stage(1, (theatre) => ({
    transfer: () => {
      interrupted.abort();
      return lost;
    },
    inquire: (inquiry) => theatre.found(inquiry, '010004'),
  }));
  const { theatre, batchId } = staged;
  await theatre.run(batchId, { interrupted: interrupted.signal });
  expect(await theatre.statuses(batchId)).toEqual({ submitted: 1 });
  edit(theatre, changeAmount('* 10', 'row_no = 1'));
  await theatre.run(batchId);
  expect(await theatre.statuses(batchId)).toEqual({ paid: 1 });
  await expectHalted(theatre, batchId);
  await theatre.resume(batchId);
  await theatre.run(batchId);
  expect((await theatre.batch(batchId)).status).toBe('done');
});

test('a halt for it that is lifted while the run still asks about a row in doubt is laid on again', async () => {
  const interrupted = new AbortController();
  let inDoubt = '010003';
  await using staged = await stage(6, (theatre) => ({
    transfer: () => {
      interrupted.abort();
      return lost;
    },
    inquire: (inquiry) => theatre.found(inquiry, inDoubt),
  }));
  const { theatre, batchId } = staged;
  await theatre.run(batchId, { interrupted: interrupted.signal, transferConcurrency: 1 });
  const { length: sentBefore } = theatre.sent;
  const { ready = 0, submitted = 0 } = await theatre.statuses(batchId);
  expect([ready > 0, submitted > 0]).toEqual([true, true]);
  edit(theatre, asEditor("update batch set digest = 'other'"));
  const running = theatre.start(batchId);
  await theatre.time.advance(minuteMs);
  // As an operator does who resumes another batch of the account.
  const { companyId, payerAccount } = await theatre.batch(batchId);
  expect(await theatre.journal.liftPayerHalt(companyId, payerAccount, theatre.now())).toBe(true);
  await theatre.time.advance(minuteMs);
  expect(theatre.sent).toHaveLength(sentBefore);
  inDoubt = '010004';
  await theatre.time.drive(running);
  await expectHalted(theatre, batchId);
});

test('a batch that nobody has changed is paid, and ends', async () => {
  await using staged = await stage(3, () => ({}));
  const { theatre, batchId } = staged;
  await theatre.run(batchId);
  expect(await theatre.statuses(batchId)).toEqual({ paid: 3 });
  expect((await theatre.batch(batchId)).status).toBe('done');
});

/** Changes an amount and everything in the journal that is taken over it. */
function editWithDigests({ folder }: Theatre, batchId: string): void {
  using db = new DatabaseSync(join(folder, 'journal.db'));
  db.exec(asEditor('update payout set amount_satang = amount_satang * 10 where row_no = 3'));
  const rows = db
    .prepare(
      `select r.seq, p.row_no rowNo, amount_satang amountSatang, payout_id payoutId, proxy_type proxyType,
         proxy_no proxyNo, payee_name payeeName, reference1, reference2
       from payout p join payout_row r on r.seq = p.seq order by p.row_no`,
    )
    .all() as unknown as readonly (Instruction & { readonly seq: number; readonly rowNo: number })[];
  const all = new DigestOfAll();
  let total = 0n;
  for (const row of rows) {
    const amountSatang = BigInt(row.amountSatang) as Instruction['amountSatang'];
    const digest = computeInstructionDigest(
      { ...payer, batchId, rowNo: row.rowNo },
      { ...row, amountSatang },
    );
    db.prepare('update payout_row set digest = ? where seq = ?').run(digest, row.seq);
    all.add(digest);
    total += amountSatang;
  }
  db.prepare('update batch set digest = ?, total_satang = ?').run(all.end(), String(total));
}

describe('a journal that is edited together with its own digests', () => {
  test('while it is open: what stands beside the second mark tells', async () => {
    await using staged = await stage(4, () => ({}));
    const { theatre, batchId } = staged;
    editWithDigests(theatre, batchId);
    await theatre.run(batchId);
    expect(theatre.sent).toEqual([]);
    await expectHalted(theatre, batchId);
  });

  test('while nobody has it open: so it does, and no longer when it was taken away', async () => {
    const first = await openTheatre();
    await mkdir(join(first.folder, 'outbox'));
    const { batchId } = await ingest(first.journal, makeRows(4));
    await first.journal[Symbol.asyncDispose]();
    editWithDigests(first, batchId);
    {
      const second = await openTheatre(undefined, first.folder);
      await second.run(batchId);
      expect(second.sent).toEqual([]);
      await expectHalted(second, batchId);
      await second.resume(batchId);
      await second.journal[Symbol.asyncDispose]();
    }
    const outbox = join(first.folder, 'outbox');
    const names = await readdir(outbox);
    expect(names.map((name) => name.split('.').at(-1))).toEqual(['mark', 'seals']);
    for (const name of names) await rm(join(outbox, name));
    // As after a version that kept none: the journal alone tells, and is kept from now on.
    await using third = await openTheatre(undefined, first.folder);
    await third.run(batchId);
    expect(third.sent).toHaveLength(4);
    expect(await readdir(outbox)).toHaveLength(2);
  });
});
