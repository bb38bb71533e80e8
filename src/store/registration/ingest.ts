/** Takes the rows of a file of registrations in, chunk by chunk; nothing of it can be sent before the seal. */
import { type Insertable, sql } from 'kysely';
import { toColumns } from '../../platform/record-rows.ts';
import type { RegistrationBatch, RegistrationIntakeStore } from '../../registration/ports.ts';
import { computeSimilarKey } from '../../payout/rules/similar.ts';
import { identityKey } from '../../registration/rules/callback.ts';
import type { RegistrationFileRow } from '../../registration/rules/registration-file.ts';
import type { RegistrationInstruction } from '../../registration/rules/registration.ts';
import { beginningOf, clearForReading, rejectReading, requireReading } from '../batch-steps.ts';
import { makeSalt } from '../payouts/chain.ts';
import { encodeList, toStaged } from '../payouts/rows.ts';
import type { Tables } from '../schema.ts';
import { type BodiesOf, type Body, change, define, query, type Reading, together } from '../statements.ts';
import { registrationBatchReads } from './reads.ts';
import { computeRegistrationDigest, encodeCells, encodeHolds } from './rows.ts';

/** The batch whose file is being read. @throws Error when it is not */
export function* readReading(batchId: string): Reading<RegistrationBatch> {
  return requireReading(batchId, yield* registrationBatchReads.registrationBatch(batchId));
}

const latestSeq = define((_values: object) =>
  query.selectFrom('registration').select(({ fn }) => fn.max<number | null>('seq').as('seq')),
);

const insertState = define((values: Insertable<Tables['registration']>) =>
  query.insertInto('registration').values(values),
);

const insertRow = define((values: Tables['registration_row']) =>
  query.insertInto('registration_row').values(values),
);

const insertAsked = define(({ seq, ...asked }: Tables['registration_asked']) =>
  query
    .insertInto('registration_asked')
    .values({ seq, ...asked })
    .onConflict((conflict) => conflict.column('seq').doUpdateSet(asked)),
);

/** Sets what a row asks for from now on; inside the caller's transaction. */
export function keepAskedOf(seq: number, instruction: RegistrationInstruction): Body<number> {
  const { refs, ...asked } = instruction;
  const [ref1, ref2, ref3, ref4] = refs;
  const keys = {
    identity_key: identityKey(instruction),
    similar_key: computeSimilarKey(asked.registrationId),
  };
  return insertAsked.run({ seq, ...toColumns(asked), ref1, ref2, ref3, ref4, ...keys });
}

function toRow(seq: number, { companyId, batchId }: RegistrationBatch, row: RegistrationFileRow) {
  const { rowNo, instruction, line } = row;
  const registrationId = instruction?.registrationId ?? row.cells.registrationId.trim();
  return {
    seq,
    registration_id: registrationId === '' ? null : registrationId,
    line,
    cells: encodeCells(row.cells),
    extras: encodeList(row.extras),
    instruction: instruction && JSON.stringify(instruction),
    digest: instruction && computeRegistrationDigest({ companyId, batchId, rowNo }, instruction),
    salt: instruction && makeSalt(),
  };
}

function* stageRow(seq: number, batch: RegistrationBatch, row: RegistrationFileRow): Body<void> {
  yield* insertState.run({ seq, ...toStaged(batch, row, encodeHolds(row.holds)) });
  yield* insertRow.run(toRow(seq, batch, row));
  if (row.instruction !== null) yield* keepAskedOf(seq, row.instruction);
}

/** Writes that are one transaction each. */
export const registrationIngestWrites = {
  *startIngest(start) {
    const known = yield* registrationBatchReads.registrationBatch(start.batchId);
    yield* clearForReading('registration_batch', start, known);
    const batch = { ...beginningOf(start), dropped_at_ms: start.droppedAtMs ?? start.nowMs };
    const insert = query.insertInto('registration_batch').values({ batch_id: start.batchId, ...batch });
    yield* change(insert.onConflict((conflict) => conflict.column('batch_id').doUpdateSet(batch)));
  },
  *stage(batchId, rows) {
    const batch = yield* readReading(batchId);
    const last = (yield* latestSeq.get({}))?.seq ?? 0;
    yield* together(rows.map((row, place) => stageRow(last + 1 + place, batch, row)));
  },
  *rejectBatch(batchId, code, reason, nowMs) {
    yield* readReading(batchId);
    yield* rejectReading('registration_batch', batchId, code, reason, nowMs);
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
