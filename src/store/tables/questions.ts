/** Questions that rules of several tables ask. */
import { question, when } from './condition.ts';

/** Rows go only in the transaction that names the archive which has their copy. */
export const isBatchMoving = question(
  'is_moving',
  ['text'],
  (batchId) => when`exists (select 1 from archived_batch where batch_id = ${batchId} and is_moving = 1)`,
);

export const isPayoutMoving = question(
  'is_moving',
  ['integer'],
  (seq) => when`exists (
    select 1 from payout p join archived_batch a on a.batch_id = p.batch_id where p.seq = ${seq} and a.is_moving = 1)`,
);

export const isAnyMoving = question(
  'is_any_moving',
  [],
  () => when`exists (select 1 from archived_batch where is_moving = 1)`,
);

export const isSealed = question(
  'is_sealed',
  ['text'],
  (batchId) => when`exists (select 1 from batch where batch_id = ${batchId} and sealed_at_ms is not null)`,
);

/** The personal cells of a row are gone, and its commitment stands in their place. */
export const isErased = question(
  'is_erased',
  ['integer'],
  (seq) => when`exists (select 1 from payout_row where seq = ${seq} and commitment is not null)`,
);

/** Notes about a payout that was erased may go, too. */
export const isAboutErased = question(
  'is_about_erased',
  ['text', 'text'],
  (kind, key) =>
    when`${kind} = 'payout' and ${isErased(`case when ${kind} = 'payout' then cast(${key} as bigint) end`)}`,
);
