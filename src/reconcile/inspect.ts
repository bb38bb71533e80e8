/** Examines a statement as reconciling would, without recording anything: people know what they decide on. */
import { countOf, showBaht } from '../core/figures.ts';
import type { TableDraft } from '../platform/csv/table-writer.ts';
import { DayIndex } from './day-index.ts';
import type { StatementRefusal, StatementTotals } from './ports.ts';
import { indexDay, readLines, type Reading, type ReconcileContext } from './read-lines.ts';
import { isWhole, classifyFile, readFormer, type StatementSource } from './reconcile.ts';
import { makeTally } from './rules/tally.ts';

/** A table that is never written. */
const noTable: TableDraft = {
  add: () => undefined,
  finish: () => Promise.reject(new Error('a statement that is only looked at leaves no table')),
  [Symbol.asyncDispose]: async () => {},
};

/** The totals of a statement, and why reconciling would refuse it; only the refusal when it cannot be read. */
export interface Inspected {
  readonly totals: StatementTotals | undefined;
  readonly refusal: StatementRefusal | undefined;
}

/** @throws ReconcileInterrupted when the process is asked to stop */
export async function inspectStatement(
  context: ReconcileContext,
  source: StatementSource,
): Promise<Inspected> {
  const { store, clock, companyId } = context;
  const { date, provenance, scope, originalSha256 } = source;
  const { previous, versions } = await readFormer(store, date);
  const isOver = isWhole(date, clock.now());
  await using view = await store.openStatementView();
  using deferred = store.openDeferred();
  const { wholeDates, unreadDates } = view.days();
  const day = { date, companyId, readDates: new Set([...wholeDates, date]), unreadDates };
  const custody = { provenance, scope, presentSha256: previous?.sha256, closesDay: false };
  const reading: Reading = {
    context,
    day,
    version: (previous?.version ?? 0) + 1,
    view,
    deferred,
    index: new DayIndex(),
    tally: makeTally(),
    matched: noTable,
    custody,
  };
  const paid = await indexDay(reading);
  let totals: StatementTotals | undefined;
  const read = await source.read((parts) => readLines(reading, keepTotals(parts), paid.count));
  if ('code' in read) return { totals, refusal: read };
  const seen = classifyFile(source, isOver, versions, { originalSha256, sha256: read.sha256 });
  return { totals: read, refusal: typeof seen === 'string' ? undefined : seen };

  /** Keeps the totals of a readable statement that is refused. */
  async function* keepTotals(parts: Parameters<Parameters<StatementSource['read']>[0]>[0]) {
    for await (const part of parts) {
      if (part.kind === 'summary') totals = part.totals;
      yield part;
    }
  }
}

/** "12 lines, 1200.00 baht". */
export const describeTotals = ({ lines, amountSatang }: StatementTotals): string =>
  `${countOf(lines, 'line')}, ${showBaht(amountSatang)} baht`;
