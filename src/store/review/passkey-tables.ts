/** Keys by which people sign approvals, and what they have signed. */
import type { RowOf } from '../../platform/record-rows.ts';
import type { Passkey } from '../../review/rules/passkey.ts';
import type { ApprovalSignature } from '../../review/rules/signature.ts';

/** As statements of Kysely's see them. */
export interface PasskeyTables {
  passkey: RowOf<Passkey>;
  approval_signature: RowOf<ApprovalSignature>;
}
