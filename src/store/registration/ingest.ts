/** Takes the rows of a file of registrations in, chunk by chunk; nothing of it can be sent before the seal. */
import { sql } from 'kysely';
import { encodeMessage, joined } from '../../core/message.ts';
import { canMoveBatch } from '../../core/payout.ts';
import type { RegistrationBatch, RegistrationIntakeStore } from '../../registration/ports.ts';
import { computeSimilarKey } from '../../payout/rules/similar.ts';
import { identityKey } from '../../registration/rules/callback.ts';
import type { RegistrationFileRow } from '../../registration/rules/registration-file.ts';
import type { RegistrationInstruction } from '../../registration/rules/registration.ts';
import { makeSalt } from '../payouts/chain.ts';
import { encodeList } from '../payouts/rows.ts';
import { type BodiesOf, type Body, change, define, query, type Reading, together } from '../statements.ts';
import { registrationBatchReads } from './reads.ts';
import { computeRegistrationDigest, encodeCells, encodeHolds } from './rows.ts';

/** The batch whose file is being read. @throws Error when it is not */
export function* requireReading(batchId: string): Reading<RegistrationBatch> {
  const batch = yield* registrationBatchReads.registrationBatch(batchId);
  if (batch?.status === 'ingesting') return batch;
  throw new Error(`batch ${batchId} is ${batch?.status ?? 'not there'}: its file is not being read`);
}

const dropRows = define((values: { batchId: string }) =>
  query.deleteFrom('registration').where('batch_id', '=', values.batchId),
);

const latestSeq = define((_values: object) =>
  query.selectFrom('registration').select(({ fn }) => fn.max<number | null>('seq').as('seq')),
);

interface StagedValues {
  readonly seq: number;
  readonly batchId: string;
  readonly rowNo: number;
  readonly status: 'staged' | 'rejected';
  readonly holds: number;
  readonly reasonCode: string | null;
  readonly reason: string | null;
  readonly issues: string | null;
  readonly settledAtMs: number | null;
  readonly settledBy: 'rules' | null;
}

const insertState = define((values: StagedValues) =>
  query.insertInto('registration').values({
    seq: values.seq,
    batch_id: values.batchId,
    row_no: values.rowNo,
    status: values.status,
    holds: values.holds,
    reason_code: values.reasonCode,
    reason: values.reason,
    issues: values.issues,
    settled_at_ms: values.settledAtMs,
    settled_by: values.settledBy,
  }),
);

interface RowValues {
  readonly seq: number;
  readonly registrationId: string | null;
  readonly line: number;
  readonly cells: string;
  readonly extras: string | null;
  readonly instruction: string | null;
  readonly digest: string | null;
  readonly salt: string | null;
}

const insertRow = define((values: RowValues) =>
  query.insertInto('registration_row').values({
    seq: values.seq,
    registration_id: values.registrationId,
    line: values.line,
    cells: values.cells,
    extras: values.extras,
    instruction: values.instruction,
    digest: values.digest,
    salt: values.salt,
  }),
);

interface AskedValues extends Omit<RegistrationInstruction, 'refs'> {
  readonly seq: number;
  readonly ref1: string | null;
  readonly ref2: string | null;
  readonly ref3: string | null;
  readonly ref4: string | null;
  readonly identity: string;
  readonly similarKey: string;
}

const insertAsked = define((values: AskedValues) => {
  const asked = {
    registration_id: values.registrationId,
    customer_id: values.customerId,
    vendor_id: values.vendorId,
    company_id: values.companyId,
    account_no: values.accountNo,
    ref1: values.ref1,
    ref2: values.ref2,
    ref3: values.ref3,
    ref4: values.ref4,
    identity_key: values.identity,
    similar_key: values.similarKey,
  };
  return query
    .insertInto('registration_asked')
    .values({ seq: values.seq, ...asked })
    .onConflict((conflict) => conflict.column('seq').doUpdateSet(asked));
});

/** Sets what a row asks for from now on; inside the caller's transaction. */
export function keepAskedOf(seq: number, instruction: RegistrationInstruction): Body<number> {
  const { refs, ...asked } = instruction;
  const [ref1, ref2, ref3, ref4] = refs;
  const identity = identityKey(instruction);
  const similarKey = computeSimilarKey(asked.registrationId);
  return insertAsked.run({ seq, ...asked, ref1, ref2, ref3, ref4, identity, similarKey });
}

function toState(seq: number, batch: RegistrationBatch, row: RegistrationFileRow): StagedValues {
  const isRejected = row.issues.length > 0 || row.instruction === null;
  return {
    seq,
    batchId: batch.batchId,
    rowNo: row.rowNo,
    status: isRejected ? 'rejected' : 'staged',
    holds: isRejected ? 0 : encodeHolds(row.holds),
    reasonCode: row.issues[0]?.code ?? row.holds[0] ?? null,
    reason: isRejected ? encodeMessage(joined(row.issues.map(({ message }) => message))) : null,
    issues: encodeList(row.issues),
    settledAtMs: isRejected ? batch.startedAtMs : null,
    settledBy: isRejected ? 'rules' : null,
  };
}

function toRow(seq: number, { companyId, batchId }: RegistrationBatch, row: RegistrationFileRow): RowValues {
  const { rowNo, instruction, line } = row;
  const registrationId = instruction?.registrationId ?? row.cells.registrationId.trim();
  return {
    seq,
    registrationId: registrationId === '' ? null : registrationId,
    line,
    cells: encodeCells(row.cells),
    extras: encodeList(row.extras),
    instruction: instruction && JSON.stringify(instruction),
    digest: instruction && computeRegistrationDigest({ companyId, batchId, rowNo }, instruction),
    salt: instruction && makeSalt(),
  };
}

function* stageRow(seq: number, batch: RegistrationBatch, row: RegistrationFileRow): Body<void> {
  yield* insertState.run(toState(seq, batch, row));
  yield* insertRow.run(toRow(seq, batch, row));
  if (row.instruction !== null) yield* keepAskedOf(seq, row.instruction);
}

/** Writes that are one transaction each. */
export const registrationIngestWrites = {
  *startIngest(start) {
    const { batchId, sha256 } = start;
    const batch = {
      sha256,
      file_name: start.fileName,
      company_id: start.companyId,
      status: 'ingesting',
      reason_code: null,
      reason: null,
      remedy: null,
      rows: 0,
      extra_columns: JSON.stringify(start.extraColumns),
      started_at_ms: start.nowMs,
      dropped_at_ms: start.droppedAtMs ?? start.nowMs,
      sealed_at_ms: null,
      rested_at_ms: null,
    } as const;
    const known = yield* registrationBatchReads.registrationBatch(batchId);
    if (known !== undefined && known.sha256 !== sha256)
      throw new Error(`two files share the batch id ${batchId}`);
    if (known !== undefined && known.status !== 'ingesting' && !canMoveBatch(known.status, 'ingesting'))
      throw new Error(`batch ${batchId} is ${known.status}: its file is not read again`);
    yield* dropRows.run({ batchId });
    const insert = query.insertInto('registration_batch').values({ batch_id: batchId, ...batch });
    yield* change(insert.onConflict((conflict) => conflict.column('batch_id').doUpdateSet(batch)));
  },
  *stage(batchId, rows) {
    const batch = yield* requireReading(batchId);
    const last = (yield* latestSeq.get({}))?.seq ?? 0;
    yield* together(rows.map((row, place) => stageRow(last + 1 + place, batch, row)));
  },
  *rejectBatch(batchId, code, reason, nowMs) {
    yield* requireReading(batchId);
    yield* dropRows.run({ batchId });
    const rejected = {
      status: 'rejected',
      reason_code: code,
      reason: encodeMessage(reason),
      remedy: null,
      rested_at_ms: nowMs,
    } as const;
    yield* change(query.updateTable('registration_batch').set(rejected).where('batch_id', '=', batchId));
  },
} satisfies Partial<BodiesOf<RegistrationIntakeStore>>;

/** Makes the rows of a file findable by what their cells name, rejected ones too; once, at the seal. */
export function* recordPlaces(batchId: string): Body<void> {
  for (const [kind, column] of [
    ['registrationId', 'r.registration_id'],
    ['customerId', 'a.customer_id'],
    ['accountNo', 'a.account_no'],
    ['ref', 'a.ref1'],
    ['ref', 'a.ref2'],
    ['ref', 'a.ref3'],
    ['ref', 'a.ref4'],
  ] as const) {
    const places = query
      .selectFrom('registration as p')
      .innerJoin('registration_row as r', 'r.seq', 'p.seq')
      .leftJoin('registration_asked as a', 'a.seq', 'p.seq')
      .select([
        sql<string>`${sql.ref(column)}`.as('text'),
        sql<typeof kind>`cast(${kind} as text)`.as('kind'),
        'p.seq',
      ])
      .where('p.batch_id', '=', batchId)
      .where(sql.ref(column), 'is not', null)
      .orderBy('text')
      .orderBy('p.seq');
    const insert = query.insertInto('registration_place').columns(['text', 'kind', 'registration_seq']);
    yield* change(insert.expression(places).onConflict((conflict) => conflict.doNothing()));
  }
}
