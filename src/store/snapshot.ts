/** A consistent view for reports. */
import { sql } from 'kysely';
import { dayMs } from '../core/bangkok-time.ts';
import { quietCauses } from '../core/payout.ts';
import type { OtherReferences, ResultRow, Snapshot } from '../core/ports.ts';
import { mayBePaidStatuses } from '../payout/rules/similar.ts';
import { type Engine, openOn, type Reader, type View } from './engine.ts';
import { batchReads } from './payouts/batches.ts';
import {
  type BatchPage,
  isOnPage,
  readLastRowNo,
  readLatestEventSeq,
  selectResultRows,
  toResultRow,
} from './payouts/rows.ts';
import { literal } from './schema.ts';
import { define, query } from './statements.ts';

/** Rows that are read at a time, so that memory stays flat. */
const pageRows = 500;

/** Events of a row that a process with its result wants to hear of. */
const selectNews = (changedSince: number) =>
  query
    .selectFrom('event as e')
    .select('e.seq')
    .whereRef('e.payout_seq', '=', sql.ref('p.seq'))
    .where('e.seq', '>', changedSince)
    .where(
      'e.cause',
      'not in',
      quietCauses.map((cause) => sql.lit(cause)),
    );

const selectPage = (page: BatchPage) => selectResultRows().where(isOnPage(page)).orderBy('p.row_no');

const anyPage = define((values: BatchPage) => selectPage(values));

const changedPage = define((values: BatchPage & { changedSince: number }) =>
  selectPage(values)
    .where('p.last_event_seq', '>', values.changedSince)
    .where(({ exists }) => exists(selectNews(values.changedSince))),
);

async function* readRows(
  reader: Reader,
  batchId: string,
  changedSince: number | undefined,
): AsyncGenerator<readonly ResultRow[]> {
  const endsAt = await reader.read(() => readLastRowNo(batchId));
  for (let afterRowNo = 0; afterRowNo < endsAt; afterRowNo += pageRows) {
    const asked = { batchId, afterRowNo, lastRowNo: afterRowNo + pageRows };
    const page = await reader.read(() =>
      changedSince === undefined ? anyPage.all(asked) : changedPage.all({ ...asked, changedSince }),
    );
    if (page.length > 0) yield page.map(toResultRow);
  }
}

/** Rows that are looked at before others get their turn. */
const likePageRows = 2_000;

/** The rows that a message names, at most. */
const firstRowsMax = 5;

interface LikePage extends BatchPage {
  /** The time before an attempt within which another counts as like it. */
  readonly spanMs: number;
}

const otherReferences = define(({ spanMs, ...page }: LikePage) =>
  query
    .selectFrom('payout as p')
    .innerJoin('payout_row as r', 'r.seq', 'p.seq')
    .innerJoin('attempt as a', (join) =>
      join.onRef('a.payout_seq', '=', 'p.seq').onRef('a.attempt_no', '=', 'p.attempt_no'),
    )
    .select('p.row_no')
    .where(isOnPage(page))
    .where('p.status', 'in', mayBePaidStatuses.map(literal))
    .where(({ exists, selectFrom, eb }) =>
      exists(
        selectFrom('attempt as o')
          .innerJoin('payout as op', 'op.seq', 'o.payout_seq')
          .innerJoin('payout_row as other', 'other.seq', 'o.payout_seq')
          .select('o.payout_seq')
          .whereRef('o.proxy_no', '=', 'a.proxy_no')
          .whereRef('o.amount_text', '=', 'a.amount_text')
          .where('o.intent_at_ms', '>=', eb('a.intent_at_ms', '-', spanMs))
          .where(sql<boolean>`(o.intent_at_ms, o.payout_seq) < (a.intent_at_ms, a.payout_seq)`)
          .whereRef('o.proxy_type', '=', 'a.proxy_type')
          .whereRef('o.company_id', '=', 'a.company_id')
          .whereRef('o.reference1', '<>', 'a.reference1')
          .whereRef('other.payout_id', '<>', 'r.payout_id')
          .where('op.status', 'in', mayBePaidStatuses.map(literal)),
      ),
    )
    .orderBy('p.row_no'),
);

async function findOtherReferences(view: Reader, batchId: string, days: number): Promise<OtherReferences> {
  const found = { rows: 0, firstRowNos: [] as number[] };
  if (days === 0) return found;
  const spanMs = days * dayMs;
  const endsAt = await view.read(() => readLastRowNo(batchId));
  for (let afterRowNo = 0; afterRowNo < endsAt; afterRowNo += likePageRows) {
    const asked = { batchId, afterRowNo, lastRowNo: afterRowNo + likePageRows, spanMs };
    const rowNos = (await view.read(() => otherReferences.all(asked))).map((row) => row.row_no);
    found.rows += rowNos.length;
    found.firstRowNos.push(...rowNos.slice(0, firstRowsMax - found.firstRowNos.length));
    await new Promise((resolve) => setImmediate(resolve));
  }
  return found;
}

/** Opens a reader of the rows of a batch that has left the journal; undefined while they stand in it. */
type OpenArchived = (
  view: Reader,
  batchId: string,
) => Promise<(Reader & (AsyncDisposable | Disposable)) | undefined>;

/** Reads the rows of a batch, from its archive where it stands in one. */
async function* readRowsOf(
  view: View,
  openArchived: OpenArchived,
  batchId: string,
  changedSince: number | undefined,
): AsyncGenerator<readonly ResultRow[]> {
  await using archive = await openArchived(view, batchId);
  yield* readRows(archive ?? view, batchId, changedSince);
}

/** Opens a view of this moment; its owner closes it soon. */
export async function openSnapshot(
  engine: Pick<Engine, 'openView'>,
  openArchived: OpenArchived,
): Promise<Snapshot> {
  return openOn(await engine.openView(), async (view) => {
    const eventSeq = await view.read(readLatestEventSeq);
    return {
      eventSeq,
      batch: async (batchId) => view.read(() => batchReads.batch(batchId)),
      totals: async (batchId) => view.read(() => batchReads.totals(batchId)),
      holdTotals: async (batchId) => view.read(() => batchReads.holdTotals(batchId)),
      otherReferences: async (batchId, days) => findOtherReferences(view, batchId, days),
      resultRows: (batchId, changedSince) => readRowsOf(view, openArchived, batchId, changedSince),
      [Symbol.asyncDispose]: async () => view[Symbol.asyncDispose](),
    };
  });
}
