/**
 * Erases the cells that name the payee of a row that ended long ago; the person who does it is recorded first, in the
 * same transaction.
 */
import type { Clock } from '../core/ports.ts';
import type { ArchiveStore, PayoutStore } from '../payout/ports.ts';
import { appendEdit } from '../review/people.ts';
import type { PersonStore } from '../review/ports.ts';
import type { ProvedPerson } from '../review/rules/people.ts';
import type { ErasureStore } from './ports.ts';
import { whyNotErase } from './rules/erasure.ts';

type Store = Pick<PersonStore, 'persons' | 'editPersons'> &
  Pick<PayoutStore, 'findPayouts'> &
  Pick<ArchiveStore, 'recall'> &
  ErasureStore;

/**
 * Erases every row with the payoutId, or none; an archived row is brought back first.
 * @param by an admin with proof of identity
 * @returns why not; undefined once the journal's file has nothing of it left
 */
export async function erasePayout(
  store: Store,
  clock: Pick<Clock, 'now'>,
  { person, proof }: ProvedPerson,
  payoutId: string,
): Promise<string | undefined> {
  if (person.role !== 'admin') return 'only an admin erases what names a payee';
  const nowMs = clock.now();
  await store.recall('payoutId', [payoutId], nowMs);
  const found = await store.findPayouts(payoutId);
  if (found.length === 0) return `there is no payout ${payoutId}`;
  for (const history of found) {
    const why = whyNotErase(history, nowMs);
    if (why !== undefined) return `row ${history.row.rowNo} of batch ${history.batch.batchId} ${why}`;
  }
  const { personId } = person;
  const by = {
    subject: personId,
    kind: 'erased',
    atMs: nowMs,
    byPerson: personId,
    proof,
    cells: {},
  } as const;
  const erases = found.map(({ row: { seq, version } }) => ({ seq, version }));
  const events = found.map(({ row: { seq, rowNo }, batch: { batchId } }) => ({
    ...by,
    facts: { payout: seq, row: rowNo, batch: batchId },
  }));
  await appendEdit(store, () => ({ events, erases }));
  await store.wipeErased();
  return undefined;
}
