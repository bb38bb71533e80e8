/**
 * Digests over the instructions of a batch: taken when its rows are read in and when it is sealed, and read again before
 * its first send and after its last. What is decided on them stands in payout/rules.
 */
import type { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { toSatang, zeroSatang } from '../../core/money.ts';
import { computeInstructionDigest, DigestOfAll } from '../../core/reference.ts';
import { commitTo } from '../../review/rules/payout-chain.ts';
import type { KeptSeal } from '../../payout/rules/journal-place.ts';
import type { SealReading } from '../../payout/rules/seal.ts';
import { asWriteError } from '../connection.ts';
import type { Engine } from '../engine.ts';
import { define, drive, inDialect, query, type Reading, type Step, textStatement } from '../statements.ts';
import { batchReads } from './batches.ts';

/** A later version takes nothing away from what was sealed: it stands beside it, in the order in which they came. */
const digestTables = `
alter table payout_row add column digest text;
alter table batch add column digest text;
alter table batch add column versions_digest text;

create table instruction_version (
  id integer primary key,
  batch_id text not null references batch,
  payout_seq integer not null references payout,
  version integer not null,
  digest text not null,
  at_ms integer not null
) strict;
create unique index version_of_instruction on instruction_version (payout_seq, version);
create trigger instruction_version_never_changes before update on instruction_version begin
  select raise(abort, 'a version of an instruction is never changed');
end;
create trigger instruction_version_never_goes before delete on instruction_version begin
  select raise(abort, 'a version of an instruction is never removed');
end;
create trigger batch_digest_never_changes before update of digest on batch when old.digest is not null begin
  select raise(abort, 'what was sealed is never changed');
end;

drop trigger payout_row_never_changes;
`;

/** As it was, and the digest with it. */
const rowTrigger = `
create trigger payout_row_never_changes before update on payout_row
when old.proxy_type is not null
  or new.seq is not old.seq or new.payout_id is not old.payout_id or new.line is not old.line
  or new.cells is not old.cells or new.extras is not old.extras or new.digest is not old.digest
begin
  select raise(abort, 'a row as its file has it is never changed');
end;
`;

/** What a corrected row asks for, and asked for before, stands with its version; its file's cells stay as they are. */
export const correctionTables = `
alter table instruction_version add column instruction text;
alter table instruction_version add column replaced text;
-- What the row's file asks for; null while that is what it asks for.
alter table payout add column sealed_satang integer;

drop trigger payout_row_never_changes;
create trigger payout_row_never_changes before update on payout_row
when new.seq is not old.seq or new.payout_id is not old.payout_id or new.line is not old.line
  or new.cells is not old.cells or new.extras is not old.extras or new.digest is not old.digest
  or (old.proxy_type is not null and not exists (
    select 1 from instruction_version v
    where v.payout_seq = old.seq
      and v.version = (select max(version) from instruction_version where payout_seq = old.seq)
      and json_extract(v.instruction, '$.proxyType') is new.proxy_type
      and json_extract(v.instruction, '$.proxyNo') is new.proxy_no
      and json_extract(v.instruction, '$.payeeName') is new.payee_name
      and json_extract(v.instruction, '$.reference1') is new.reference1
      and json_extract(v.instruction, '$.reference2') is new.reference2))
begin
  select raise(abort, 'a row as its file has it is never changed');
end;
create trigger payout_amount_never_changes before update of amount_satang on payout
when new.amount_satang is not old.amount_satang and not exists (
  select 1 from instruction_version v
  where v.payout_seq = old.seq
    and v.version = (select max(version) from instruction_version where payout_seq = old.seq)
    and json_extract(v.instruction, '$.amountSatang') = cast(new.amount_satang as text))
begin
  select raise(abort, 'an amount is changed by a correction alone');
end;
create trigger payee_of_corrected after update of proxy_no on payout_row when old.proxy_no is not null begin
  insert or ignore into payee_place
    select new.proxy_no, amount_satang, seq from payout where seq = new.seq and amount_satang is not null;
end;
`;

/** A row of the statement that reads what a journal of an older program holds. */
interface OlderRow {
  readonly seq: bigint;
  readonly batch_id: string;
  readonly company_id: string;
  readonly row_no: bigint;
  readonly amount_satang: bigint;
  readonly payout_id: string;
  readonly proxy_type: string;
  readonly proxy_no: string;
  readonly payee_name: string | null;
  readonly reference1: string | null;
  readonly reference2: string | null;
}

const olderPageRows = 5_000;

/** Takes the digests of everything that an older program has read in, as it stands; inside the caller's transaction. */
export function addDigests(db: DatabaseSync): void {
  db.exec(digestTables);
  const page = db.prepare(
    `select r.seq, p.batch_id, b.company_id, p.row_no, p.amount_satang, r.payout_id, r.proxy_type, r.proxy_no,
       r.payee_name, r.reference1, r.reference2
     from payout_row r join payout p on p.seq = r.seq join batch b on b.batch_id = p.batch_id
     where r.seq > ? and r.proxy_type is not null and r.payout_id is not null and p.amount_satang is not null
     order by r.seq limit ${olderPageRows}`,
  );
  page.setReadBigInts(true);
  const keep = db.prepare('update payout_row set digest = ? where seq = ?');
  let after = 0n;
  for (;;) {
    const rows = page.all(after) as unknown as readonly OlderRow[];
    for (const row of rows) keep.run(digestOf(row), row.seq);
    after = rows.at(-1)?.seq ?? after;
    if (rows.length < olderPageRows) break;
  }
  db.exec(rowTrigger);
  const sealed = db.prepare('select batch_id from batch where sealed_at_ms is not null').all();
  const seal = db.prepare('update batch set digest = ? where batch_id = ?');
  for (const { batch_id: batchId } of sealed)
    seal.run(drive(db, readSealedDigest(String(batchId))), String(batchId));
}

const digestOf = (row: OlderRow): string =>
  computeInstructionDigest(
    { companyId: row.company_id, batchId: row.batch_id, rowNo: row.row_no },
    {
      payoutId: row.payout_id,
      proxyType: row.proxy_type,
      proxyNo: row.proxy_no,
      payeeName: row.payee_name,
      amountSatang: row.amount_satang,
      reference1: row.reference1,
      reference2: row.reference2,
    },
  );

/**
 * Rows whose digests are read as one text: a call for each would cost more than the hash. The limit keeps them in order:
 * SQLite must sort before it can count them off.
 */
const digestPageRows = 2_000;

const allDigests = inDialect({
  sqlite: sql`group_concat(d.digest, ',')`,
  postgres: sql`string_agg(d.digest, ',' order by d.row_no)`,
});

const digestPage = define(({ batchId, afterRowNo }: { batchId: string; afterRowNo: number }) =>
  textStatement<{ readonly digests: string | null; readonly last_row_no: number | null }>(
    sql`select ${allDigests} as digests, max(d.row_no) as last_row_no from (
      select r.digest, p.row_no from payout p join payout_row r on r.seq = p.seq
      where p.batch_id = ${batchId} and p.row_no > ${afterRowNo} and r.digest is not null
      order by p.row_no limit ${sql.lit(digestPageRows)}) d`,
  ),
);

/** Over the digests of all rows of a batch as they were read in, in row order. */
export function* readSealedDigest(batchId: string): Reading<string> {
  const all = new DigestOfAll();
  for (let afterRowNo = 0; ;) {
    const page = yield* digestPage.get({ batchId, afterRowNo });
    if (page === undefined || page.digests === null) return all.end();
    all.add(page.digests);
    afterRowNo = page.last_row_no ?? afterRowNo;
  }
}

interface VersionDigest {
  readonly seq: number;
  readonly version: number;
  readonly digest: string;
  /** Null of a version of an older program, and of one that was erased: its digest is the commitment. */
  readonly salt: string | null;
}

/** The digest over the versions so far, with one more. */
export function addVersion(before: string | null, { seq, version, digest, salt }: VersionDigest): string {
  const all = new DigestOfAll();
  for (const part of [before ?? '', `${seq}/${version}/`, commitTo(digest, salt) ?? '']) all.add(part);
  return all.end();
}

/** Versions that are read at a time, so that memory stays flat but for the digests. */
const versionPageRows = 1_000;

const versionPage = define((values: { batchId: string; afterId: number }) =>
  query
    .selectFrom('instruction_version')
    .select(['id', 'payout_seq as seq', 'version', 'digest', 'salt'])
    .where('batch_id', '=', values.batchId)
    .where('id', '>', values.afterId)
    .orderBy('id')
    .limit(versionPageRows),
);

function* readVersionsDigests(batchId: string): Reading<string[]> {
  const digests: string[] = [];
  for (let afterId = 0; ;) {
    const page = yield* versionPage.all({ batchId, afterId });
    for (const version of page) digests.push(addVersion(digests.at(-1) ?? null, version));
    afterId = page.at(-1)?.id ?? afterId;
    if (page.length < versionPageRows) return digests;
  }
}

const recordedDigests = define((values: { batchId: string }) =>
  query
    .selectFrom('batch')
    .select(['digest', 'versions_digest as versionsDigest'])
    .where('batch_id', '=', values.batchId),
);

/** What the journal has recorded of a batch's digests. */
export function* readRecordedDigests(batchId: string): Reading<KeptSeal> {
  return (yield* recordedDigests.get({ batchId })) ?? { digest: null, versionsDigest: null };
}

/** SQLite keeps the order of a cross join: few rows were erased. */
const thenJoin = inDialect({ sqlite: sql`cross join`, postgres: sql`join` });

const erasedRow = define(({ batchId }: { batchId: string }) =>
  textStatement<{ readonly seq: number }>(
    sql`select p.seq from payout_row r ${thenJoin} payout p on p.seq = r.seq
      where r.commitment is not null and p.batch_id = ${batchId} limit 1`,
  ),
);

type Seal = Omit<SealReading, 'kept'>;

/** The seal of a batch as it was recorded, and as its rows show it now, for whoever reads all of one moment. */
export function* readSealNow(batchId: string): Reading<Seal> {
  const batch = yield* batchReads.batch(batchId);
  if (batch === undefined) throw new Error(`there is no batch ${batchId}`);
  let rows = 0;
  let totalSatang = zeroSatang;
  for (const total of yield* batchReads.totals(batchId)) {
    rows += total.rows;
    // A correction is a version of its own: what was sealed is compared with what its file asks for.
    totalSatang = toSatang(totalSatang + total.amountSatang - (total.correctionSatang ?? 0n));
  }
  const sums = { rows: batch.rows, totalSatang: batch.totalSatang };
  const recorded = yield* readRecordedDigests(batchId);
  // Of a row that was erased its chain has the commitment alone: what was sealed of them all cannot be added up again.
  const isErased = (yield* erasedRow.get({ batchId })) !== undefined;
  const digest = isErased ? recorded.digest : yield* readSealedDigest(batchId);
  const versionsDigests = yield* readVersionsDigests(batchId);
  const versionsDigest = versionsDigests.at(-1) ?? null;
  return {
    recorded: { ...sums, ...recorded },
    present: { rows, totalSatang, digest, versionsDigest },
    versionsDigests,
  };
}

function* oneStep(step: Step<'get' | 'all'>): Reading<unknown> {
  return yield step;
}

/**
 * The same for many rows: others get their turn after each stretch, and what they write meanwhile is not seen. A thread
 * would take more memory than all that it reads.
 */
export async function readSealByStretches(engine: Pick<Engine, 'openView'>, batchId: string): Promise<Seal> {
  try {
    await using view = await engine.openView();
    const steps = readSealNow(batchId);
    let step = steps.next();
    while (step.done !== true) {
      const stretch = step.value;
      step = steps.next(await view.read(() => oneStep(stretch)));
      await new Promise((resolve) => setImmediate(resolve));
    }
    return step.value;
  } catch (error) {
    throw asWriteError(error);
  }
}
