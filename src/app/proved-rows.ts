/** The rows that signed approvals name, read from the journal and proved against the settings of this machine. */
import type { Clock } from '../core/ports.ts';
import type { ProvedRows } from '../payout/ports.ts';
import { decideApprovalNow } from '../review/rules/approval.ts';
import { whyNotProved } from '../review/rules/proved-approval.ts';
import type { LoadedSettings } from '../settings/settings.ts';
import { parseBaht } from '../core/money.ts';
import type { Store } from '../store/store.ts';
import { readSigningTerms } from './review/signing-terms.ts';

/** The signed approvals of one batch, as they were last read. */
interface Found {
  readonly isNeeded: boolean;
  /** Digests by row number; a later approval takes the place of an earlier one. */
  readonly digests: ReadonlyMap<number, string | null>;
  /** The account that the approvals are for; undefined where none proves anything. */
  readonly payerAccount: string | undefined;
  /** Why the latest approval that proves nothing does not. */
  readonly fault: string | undefined;
  readonly readAtMs: number;
}

/** How long what was found is taken as it is: a batch may come to need an approval meanwhile. */
const freshForMs = 60_000;

/** Undefined where the settings ask for no signature. */
export function makeProvedRows(
  loaded: LoadedSettings,
  journal: Pick<Store, 'journalId' | 'totals' | 'approvalOf' | 'approvalsOf' | 'signers'>,
  clock: Pick<Clock, 'elapsedMs'>,
): ProvedRows | undefined {
  const terms = readSigningTerms(loaded, journal.journalId);
  if (terms === undefined) return undefined;
  const { when, baht, people } = loaded.settings.approval;
  const known = new Map<string, Found>();

  const isNeeded = async (batchId: string): Promise<boolean> => {
    if (when === 'always' || (await journal.approvalOf(batchId)) !== undefined) return true;
    if (when === 'never') return false;
    const aboveSatang = parseBaht(baht);
    if (aboveSatang === undefined) return true;
    return decideApprovalNow({ aboveSatang, people }, await journal.totals(batchId)) !== undefined;
  };

  const read = async (batchId: string): Promise<Found> => {
    const [approvals, signers] = [await journal.approvalsOf(batchId), await journal.signers()];
    const digests = new Map<number, string | null>();
    let fault: string | undefined;
    let payerAccount: string | undefined;
    for (const approval of approvals) {
      const why = whyNotProved(approval, signers, terms);
      if (why === undefined) {
        payerAccount = approval.payerAccount;
        for (const { rowNo, digest } of approval.rows) digests.set(rowNo, digest);
      }
      fault = why ?? fault;
    }
    const readAtMs = clock.elapsedMs();
    const found = { isNeeded: await isNeeded(batchId), digests, payerAccount, fault, readAtMs };
    known.set(batchId, found);
    return found;
  };

  return {
    async whyNot({ batchId, payerAccount }, { rowNo, digest }) {
      const isProved = ({ isNeeded: needed, digests, payerAccount: provedPayer }: Found): boolean =>
        !needed || (digests.get(rowNo) === digest && provedPayer === payerAccount);
      let found = known.get(batchId);
      const isFresh = found !== undefined && clock.elapsedMs() - found.readAtMs < freshForMs;
      if (found === undefined || !isFresh || !isProved(found)) found = await read(batchId);
      if (isProved(found)) return undefined;
      return found.fault ?? 'no approval of the batch is about it as it is now';
    },
  };
}
