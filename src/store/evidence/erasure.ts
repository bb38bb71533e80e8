/** Erases what names the payee of a row, in every table that has it; `evidence/rules/erasure.ts` lists it. */
import { sql } from 'kysely';
import type { ErasureStore } from '../../evidence/ports.ts';
import {
  eraseBreakAttempt,
  erasedCells,
  erasedFileName,
  eraseLine,
  erasePayeeOf,
} from '../../evidence/rules/erasure.ts';
import type { ErasedRow } from '../../review/ports.ts';
import { commitTo } from '../../review/rules/payout-chain.ts';
import { commitToTarget } from '../../review/rules/proposal.ts';
import { becomeArchivist } from '../archivist.ts';
import type { Engine } from '../engine.ts';
import { recordRow } from '../payouts/open-payouts.ts';
import { proposalItemsAbout } from '../review/proposals.ts';
import type { Tables } from '../schema.ts';
import { type Body, change, query, type Reading, select, selectFirst } from '../statements.ts';

/** Nothing of a row without an instruction is in its chain. */
const nothingCommitted = '-';

/** @throws Error when it has changed meanwhile, or is not in the journal: nothing at all is erased then */
export function* eraseRow({ seq, version }: ErasedRow): Body<void> {
  const row = yield* selectFirst(
    query
      .selectFrom('payout_row as r')
      .innerJoin('payout as p', 'p.seq', 'r.seq')
      .select(['r.digest', 'r.salt', 'r.proxy_no', 'r.commitment'])
      .where('r.seq', '=', seq)
      .where('p.version', '=', version),
  );
  if (row === undefined) throw new Error(`payout ${seq} has changed meanwhile, or stands in an archive`);
  if (row.commitment !== null) return;
  yield* becomeArchivist();
  const numbers = yield* readNumbers(seq, row.proxy_no);
  const nothing = { proxy_type: null, proxy_no: null, payee_name: null, reference1: null, reference2: null };
  const erased = { cells: erasedCells, extras: null, ...nothing, digest: null, salt: null };
  const commitment = commitTo(row.digest, row.salt) ?? nothingCommitted;
  const update = query.updateTable('payout_row').set({ ...erased, commitment });
  yield* change(update.where('seq', '=', seq));
  const named = { bank_payee_name: null, bank_payee_name_th: null, reason: null, issues: null };
  yield* change(query.updateTable('payout').set(named).where('seq', '=', seq));
  yield* recordRow(seq);
  yield* eraseAttempts(seq);
  yield* eraseVersions(seq);
  yield* eraseDecisions(seq);
  yield* erasePlaces(seq, numbers);
}

/** The numbers that the row was ever to pay. */
function* readNumbers(seq: number, present: string | null): Reading<readonly string[]> {
  const attempts = yield* select(
    query.selectFrom('attempt').select('proxy_no').where('payout_seq', '=', seq),
  );
  const versions = query.selectFrom('instruction_version').select(['instruction', 'replaced']);
  const asked = (yield* select(versions.where('payout_seq', '=', seq)))
    .flatMap(({ instruction, replaced }) => [instruction, replaced])
    .map((text) => (JSON.parse(text ?? '{}') as { readonly proxyNo?: string }).proxyNo);
  const all = [present, ...attempts.map(({ proxy_no: proxyNo }) => proxyNo), ...asked];
  return [...new Set(all)].filter((number) => typeof number === 'string');
}

function* eraseAttempts(seq: number): Body<void> {
  const hidden = new Map<string, string>();
  const events = query.selectFrom('event').select(['seq', 'detail']).where('payout_seq', '=', seq);
  for (const event of yield* select(events)) {
    const erased = erasePayeeOf(event.detail);
    if (erased === undefined) continue;
    if (erased.orderHash !== undefined) hidden.set(erased.orderHash.before, erased.orderHash.after);
    yield* change(query.updateTable('event').set({ detail: erased.detail }).where('seq', '=', event.seq));
  }
  const erasedPayee = { proxy_no: '', proxy_name: null, reference1: null, reference2: null };
  const sent = query.selectFrom('attempt').select(['attempt_no', 'order_hash', 'trans_ref_no']);
  for (const attempt of yield* select(sent.where('payout_seq', '=', seq))) {
    const hash = hidden.get(attempt.order_hash) ?? attempt.order_hash;
    const update = query.updateTable('attempt').set({ ...erasedPayee, order_hash: hash });
    yield* change(update.where('payout_seq', '=', seq).where('attempt_no', '=', attempt.attempt_no));
    yield* eraseStatements(attempt.trans_ref_no);
  }
}

/** Erases the statements' cells of a transfer. */
function* eraseStatements(key: string): Body<void> {
  const lines = query.selectFrom('statement_line').selectAll();
  for (const line of yield* select(lines.where('key', '=', key).where('cells', 'is not', null))) {
    const { date, version, payout_seq, attempt_no, line: at } = line;
    const cells = eraseLine(line.cells ?? '');
    const update = query.updateTable('statement_line').set({ cells });
    yield* change(update.where(({ and }) => and({ date, version, payout_seq, attempt_no, line: at })));
  }
  const breaks = query.selectFrom('statement_break').select(['id', 'attempt', 'lines']);
  for (const found of yield* select(breaks.where('key', '=', key))) {
    const attempt = found.attempt === null ? null : eraseBreakAttempt(found.attempt);
    const kept = JSON.stringify((JSON.parse(found.lines) as string[]).map(eraseLine));
    const update = query.updateTable('statement_break').set({ attempt, lines: kept } as never);
    yield* change(update.where('id', '=', found.id));
  }
}

function* eraseVersions(seq: number): Body<void> {
  const versions = query.selectFrom('instruction_version').select(['id', 'digest', 'salt']);
  for (const { id, digest, salt } of yield* select(versions.where('payout_seq', '=', seq))) {
    const erased = {
      digest: commitTo(digest, salt) ?? digest,
      salt: null,
      instruction: null,
      replaced: null,
    };
    yield* change(
      query
        .updateTable('instruction_version')
        .set(erased as never)
        .where('id', '=', id),
    );
  }
}

/** Erases what people have written of this row; a note for many rows stays. */
function* eraseDecisions(seq: number): Body<void> {
  for (const item of yield* proposalItemsAbout('payout', String(seq))) {
    const { proposalId, itemNo } = item;
    if (item.status === 'open') throw new Error(`proposal ${proposalId} about payout ${seq} is still open`);
    const commitment = commitToTarget(item);
    const gone = { correction: null, note: null, salt: null, commitment };
    if (commitment !== undefined)
      yield* change(
        query
          .updateTable('proposal_item')
          .set(gone)
          .where('proposal_id', '=', proposalId)
          .where('item_no', '=', itemNo),
      );
    const fileText = sql<string>`json_set(evidence_file, '$.name', ${erasedFileName})`;
    const cleared = query
      .updateTable('proposal')
      .set({ note: '', evidence: null, evidence_file: fileText, check_note: null });
    const isOwn = yield* change(cleared.where('proposal_id', '=', proposalId).where('items', '=', 1));
    if (isOwn > 0)
      yield* change(
        query.updateTable('proposal_event').set({ cells: null }).where('subject', '=', proposalId),
      );
  }
  const ofRow = { kind: 'payout', key: String(seq) } as const;
  const written = query
    .selectFrom('review_note')
    .select('event_seq')
    .where(({ and }) => and(ofRow));
  const cleared = query.updateTable('person_event').set({ cells: null });
  for (const { event_seq } of yield* select(written)) yield* change(cleared.where('seq', '=', event_seq));
  const notes = query.updateTable('review_note').set({ note: '' });
  yield* change(notes.where(({ and }) => and(ofRow)).where('note', '<>', ''));
}

/** Erases the places where a number is looked for; what other rows have of it stays. */
function* erasePlaces(seq: number, numbers: readonly string[]): Body<void> {
  for (const number of numbers) {
    const places = query.deleteFrom('payee_place').where('proxy_no', '=', number);
    yield* change(places.where('payout_seq', '=', seq));
    const others = query
      .selectFrom('payee_place')
      .select('payout_seq')
      .where('proxy_no', '=', number)
      .limit(1);
    if ((yield* selectFirst(others)) !== undefined) continue;
    yield* change(query.deleteFrom('paid_payee').where('proxy_no', '=', number));
    yield* change(query.deleteFrom('day_use').where('kind', '=', sql.lit('payee')).where('key', '=', number));
  }
}

/** The tables that name payees, and those with what is said of them. */
export const namingTables = [
  'payout_row',
  'payout',
  'open_payout',
  'attempt',
  'event',
  'instruction_version',
  'statement_line',
  'statement_break',
  'proposal',
  'proposal_item',
  'proposal_event',
  'person_event',
  'review_note',
  'payee_place',
  'paid_payee',
  'day_use',
] as const satisfies readonly (keyof Tables)[];

export const makeErasureStore = (engine: Pick<Engine, 'wipe'>) =>
  ({
    wipeErased: async () => engine.wipe(namingTables),
  }) satisfies ErasureStore;
