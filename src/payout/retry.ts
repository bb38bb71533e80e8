/** Lets what ended without money have its next attempt, because a person asks for it. */
import type { Batch, ResultRow } from '../core/ports.ts';
import type { RowRules } from '../intake/rules/row.ts';
import type { PeopleResult } from './operator.ts';
import type { BatchStore, PayoutStore } from './ports.ts';
import { decideRetry, decideRetryRejected, retriedStatuses, type RetryStep } from './rules/retry.ts';

/** Refusals that are told one by one; the rest is counted. */
const refusalsToldMax = 20;

/** Tries every failed, unpayable and rejected row of the batch again; a rejected one is validated anew. */
export async function retryBatch(
  journal: BatchStore & PayoutStore,
  batch: Batch,
  rules: RowRules,
  nowMs: number,
): Promise<PeopleResult> {
  const tally = new Tally();
  // A person lets it go on: its age is counted anew.
  await journal.renewAge(batch.batchId, nowMs);
  await using snapshot = await journal.snapshot();
  for await (const row of snapshot.resultRows(batch.batchId)) {
    if (retriedStatuses.includes(row.status)) tally.add(await retryRow(journal, batch, row, rules, nowMs));
  }
  return tally.result();
}

/** Tries these payouts again, one by one. */
export async function retryPayouts(
  journal: PayoutStore,
  found: readonly { readonly row: ResultRow; readonly batch: Batch }[],
  rules: RowRules,
  nowMs: number,
): Promise<PeopleResult> {
  const tally = new Tally();
  for (const { row, batch } of found) tally.add(await retryRow(journal, batch, row, rules, nowMs));
  return tally.result();
}

class Tally {
  #rowsChanged = 0;
  readonly #refusals: string[] = [];
  #untold = 0;

  add(refusal: string | undefined): void {
    if (refusal === undefined) this.#rowsChanged += 1;
    else if (this.#refusals.length < refusalsToldMax) this.#refusals.push(refusal);
    else this.#untold += 1;
  }

  result(): PeopleResult {
    const rest = this.#untold === 0 ? [] : [`${this.#untold} further rows stay as they are.`];
    return { rowsChanged: this.#rowsChanged, refusals: [...this.#refusals, ...rest] };
  }
}

/** Undefined when the row is tried again, else why not. */
async function retryRow(
  journal: PayoutStore,
  batch: Batch,
  row: ResultRow,
  rules: RowRules,
  nowMs: number,
): Promise<string | undefined> {
  const step = await decideRow(journal, batch, row, rules, nowMs);
  if (step.kind === 'refused') return step.why;
  const applied = await journal.apply(step.changes);
  if (applied.every(Boolean)) return undefined;
  const [holder] = await journal.claimHolders(batch.companyId, [row.cells.payoutId.trim()]);
  const where = `row ${row.rowNo} of batch ${batch.batchId}`;
  if (holder === undefined) return `${where} changed at the same moment: look again`;
  return `${where}: row ${holder.rowNo} of ${holder.fileName} (batch ${holder.batchId}) has its payoutId and is ${holder.status}`;
}

async function decideRow(
  journal: PayoutStore,
  batch: Batch,
  row: ResultRow,
  rules: RowRules,
  nowMs: number,
): Promise<RetryStep> {
  const similar = await journal.similarHolders(batch.companyId, row.cells.payoutId.trim());
  if (row.status === 'rejected') return decideRetryRejected(row, batch.batchId, rules, similar, nowMs);
  const payout = await journal.payout(row.seq);
  if (payout === undefined)
    return { kind: 'refused', why: `row ${row.rowNo} of batch ${batch.batchId} asks for nothing` };
  return decideRetry(payout, similar, nowMs);
}
