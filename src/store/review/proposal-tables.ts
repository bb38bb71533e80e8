/** The tables of decisions that were proposed. */
import type { Generated } from 'kysely';
import type { ItemStatus } from '../../review/ports.ts';
import type { ProposalStatus, TargetKind } from '../../review/rules/proposal.ts';
import type { Decision } from '../../review/rules/terms.ts';

/** As statements of Kysely's see them. */
export interface ProposalTables {
  proposal: {
    readonly proposal_id: number;
    readonly decision: Decision;
    readonly status: ProposalStatus;
    readonly note: string;
    readonly evidence: string | null;
    readonly evidence_file: string | null;
    readonly maker_id: number | null;
    readonly maker: string;
    readonly people: 1 | 2;
    readonly made_at_ms: number;
    readonly expires_at_ms: number;
    readonly checker_id: number | null;
    readonly checker: string | null;
    readonly checked_at_ms: number | null;
    readonly check_note: string | null;
    readonly ended_at_ms: number | null;
    readonly items: number;
    readonly total_satang: string;
    readonly figures: string | null;
    readonly digest: string;
  };
  proposal_item: {
    readonly proposal_id: number;
    readonly item_no: number;
    readonly kind: TargetKind;
    readonly key: string;
    readonly version: string;
    /** JSON. */
    readonly correction: string | null;
    readonly note: string | null;
    readonly salt: string | null;
    readonly commitment: Generated<string | null>;
    readonly status: ItemStatus;
    readonly why: string | null;
  };
}
