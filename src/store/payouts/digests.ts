/**
 * Digests over the instructions of a batch: taken when its rows are read in and when it is sealed, with each version that a
 * row gets afterwards, and read again before its first send and after its last. What is decided on them stands in
 * payout/rules.
 */
import { sql, type SqlBool } from 'kysely';
import { toSatang, zeroSatang } from '../../core/money.ts';
import type { Instruction, Payout } from '../../core/payout.ts';
import type { Change } from '../../core/ports.ts';
import { computeInstructionDigest, DigestOfAll } from '../../core/reference.ts';
import { commitTo } from '../../review/rules/payout-chain.ts';
import type { KeptSeal } from '../../payout/rules/journal-place.ts';
import type { SealReading } from '../../payout/rules/seal.ts';
import { asWriteError } from '../connection.ts';
import type { Engine } from '../engine.ts';
import {
  type Body,
  define,
  inDialect,
  query,
  type Reading,
  type Step,
  textStatement,
} from '../statements.ts';
import { batchReads } from './batches.ts';
import { makeSalt } from './chain.ts';

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
function addVersion(before: string | null, { seq, version, digest, salt }: VersionDigest): string {
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

// ---------------------------------------------------------------- versions of a row since it was sealed

const setInstruction = (values: Instruction & { readonly seq: number }) =>
  query
    .updateTable('payout_row')
    .set({
      proxy_type: values.proxyType,
      proxy_no: values.proxyNo,
      payee_name: values.payeeName,
      reference1: values.reference1,
      reference2: values.reference2,
    })
    .where('seq', '=', values.seq);

/** Gives a row its instruction: only one that never had any gets it. */
const keepInstruction = define((values: Instruction & { readonly seq: number }) =>
  setInstruction(values).where('proxy_type', 'is', null),
);

/** A corrected row asks for something else than its file; what it asked for is kept with the version. */
const correctInstruction = {
  row: define(setInstruction),
  amount: define((values: { readonly amountSatang: bigint; readonly seq: number }) =>
    query
      .updateTable('payout')
      .set((eb) => ({
        sealed_satang: sql<bigint>`coalesce(${eb.ref('sealed_satang')}, ${eb.ref('amount_satang')})`,
        amount_satang: values.amountSatang,
      }))
      .where('seq', '=', values.seq)
      .where((eb) => sql<SqlBool>`${eb.ref('amount_satang')} <> ${values.amountSatang}`),
  ),
};

/** Encodes amounts as text, which no JSON reader rounds. */
const encodeInstruction = (instruction: Instruction): string =>
  JSON.stringify({ ...instruction, amountSatang: String(instruction.amountSatang) });

interface VersionKey {
  readonly batchId: string;
  readonly seq: number;
}

interface InstructionVersion extends VersionKey {
  readonly version: number;
  readonly digest: string;
  readonly salt: string;
  readonly atMs: number;
  readonly instruction: string | null;
  readonly replaced: string | null;
}

const versions = {
  latest: define((values: VersionKey) =>
    query
      .selectFrom('batch')
      .select('versions_digest')
      .select((eb) =>
        eb
          .selectFrom('instruction_version as v')
          .select((latest) => sql<number>`coalesce(${latest.fn.max('v.version')}, 0)`.as('version'))
          .where('v.payout_seq', '=', values.seq)
          .as('version'),
      )
      .where('batch_id', '=', values.batchId),
  ),
  add: define((values: InstructionVersion) =>
    query.insertInto('instruction_version').values({
      batch_id: values.batchId,
      payout_seq: values.seq,
      version: values.version,
      digest: values.digest,
      salt: values.salt,
      at_ms: values.atMs,
      instruction: values.instruction,
      replaced: values.replaced,
    }),
  ),
  seal: define((values: { batchId: string; versionsDigest: string }) =>
    query
      .updateTable('batch')
      .set({ versions_digest: values.versionsDigest })
      .where('batch_id', '=', values.batchId),
  ),
};

/**
 * Keeps the instruction of the row from now on, where it has changed: a version beside what was sealed, with a digest of
 * its own.
 * @returns what the event of the change commits to: `commitTo` the digest; undefined where there is no version
 */
export function* keepAsked(change: Change, companyId: string): Body<string | undefined> {
  const { after, event, isCorrected, isValidated } = change;
  if (isCorrected === true) return yield* keepCorrection(change, companyId);
  if (isValidated !== true) return undefined;
  const { seq, instruction } = after;
  if ((yield* keepInstruction.run({ seq, ...instruction })) === 0) return undefined;
  return yield* addInstructionVersion(after, companyId, event.atMs);
}

function* keepCorrection({ before, after, event }: Change, companyId: string): Body<string | undefined> {
  const { seq, instruction } = after;
  const replaced = before.instruction === instruction ? null : encodeInstruction(before.instruction);
  const corrected = { instruction: encodeInstruction(instruction), replaced };
  const asksFor = yield* addInstructionVersion(after, companyId, event.atMs, corrected);
  yield* correctInstruction.amount.run({ seq, amountSatang: instruction.amountSatang });
  if ((yield* keepInstruction.run({ seq, ...instruction })) === 0)
    yield* correctInstruction.row.run({ seq, ...instruction });
  return asksFor;
}

function* addInstructionVersion(
  { seq, batchId, rowNo, instruction }: Payout,
  companyId: string,
  atMs: number,
  corrected: Pick<InstructionVersion, 'instruction' | 'replaced'> = { instruction: null, replaced: null },
): Body<string | undefined> {
  const latest = yield* versions.latest.get({ batchId, seq });
  const version = (latest?.version ?? 0) + 1;
  const digest = computeInstructionDigest({ companyId, batchId, rowNo }, instruction);
  const salt = makeSalt();
  yield* versions.add.run({ batchId, seq, version, digest, salt, atMs, ...corrected });
  const versionsDigest = addVersion(latest?.versions_digest ?? null, { seq, version, digest, salt });
  yield* versions.seal.run({ batchId, versionsDigest });
  return commitTo(digest, salt) ?? undefined;
}
