/** Versions of a row since it was sealed: a rejected one that is validated anew, and one that people have corrected. */
import { sql, type SqlBool } from 'kysely';
import type { Instruction, Payout } from '../../core/payout.ts';
import type { Change } from '../../core/ports.ts';
import { computeInstructionDigest } from '../../core/reference.ts';
import { commitTo } from '../../review/rules/payout-chain.ts';
import { type Body, define, query } from '../statements.ts';
import { makeSalt } from './chain.ts';
import { addVersion } from './digests.ts';

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
