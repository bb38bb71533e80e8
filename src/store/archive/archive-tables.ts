/** What the journal keeps of batches that stand in an archive. */
import type { PayoutStatus } from '../../core/payout.ts';

/** As statements of Kysely's see them. */
export interface ArchiveTables {
  archived_batch: {
    readonly batch_id: string;
    readonly archive: string;
    readonly digest: string;
    readonly totals: string;
  };
  archived_rows: {
    readonly first_seq: number;
    readonly batch_id: string;
    readonly status: PayoutStatus;
  };
  used_reference: { readonly trans_ref_no: string; readonly payout_seq: number };
}
