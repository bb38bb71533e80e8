/**
 * Digests over the instructions of a batch: taken when its rows are read in and when it is sealed, and read again before
 * its first send and after its last. What is decided on them stands in payout/rules.
 */
import { sql } from 'kysely';
import { toSatang, zeroSatang } from '../../core/money.ts';
import { DigestOfAll } from '../../core/reference.ts';
import { commitTo } from '../../review/rules/payout-chain.ts';
import type { KeptSeal } from '../../payout/rules/journal-place.ts';
import type { SealReading } from '../../payout/rules/seal.ts';
import { asWriteError } from '../connection.ts';
import type { Engine } from '../engine.ts';
import { define, inDialect, query, type Reading, type Step, textStatement } from '../statements.ts';
import { batchReads } from './batches.ts';

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

/** The digest over those of all rows of a batch as they were read in, in row order. */
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
  /** The salt; null of a version that was erased: its digest is the commitment. */
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

/** The digests that the journal has recorded of a batch. */
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

/** The seal of a batch as it was recorded, and as its rows show it now, for a reader of one moment. */
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
  // The chain has the commitment alone of a row that was erased: what was sealed of them all cannot be added up again.
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
 * Reads the same for many rows: others get their turn after each stretch, and their writes are not seen. A thread
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
