/** The rows that signed approvals name, read from the journal and proved against the settings of this machine. */
import type { Clock } from '../core/ports.ts';
import type { ProvedRows, RowProof } from '../payout/ports.ts';
import { decideApprovalNow } from '../review/rules/approval.ts';
import { proveApproval } from '../review/rules/proved-approval.ts';
import type { LoadedSettings } from '../settings/settings.ts';
import { parseBaht } from '../core/money.ts';
import type { Store } from '../store/store.ts';
import { readSigningTerms } from '../review/policy.ts';

/** A row as a signed approval names it. */
interface SignedRow {
  readonly digest: string | null;
  /** Time of the first signature that names the row, in its present or earlier form: it may have been sent since. */
  readonly signedAtMs: number;
}

/** The signed approvals of one batch, as they were last read. */
interface Found {
  readonly isNeeded: boolean;
  /** Rows by their number; a later approval takes the place of an earlier one. */
  readonly rows: ReadonlyMap<number, SignedRow>;
  /** The account that the approvals are for; undefined where none proves anything. */
  readonly payerAccount: string | undefined;
  /** Why the latest unproved approval proves nothing. */
  readonly fault: string | undefined;
  readonly readAtMs: number;
}

/** Time for which findings are reused: a batch may come to need an approval meanwhile. */
const freshForMs = 60_000;

/** Time of the first signature on a batch's rows; undefined without one, or where the settings ask for none. */
export async function findSignedAtMs(
  loaded: LoadedSettings,
  journal: Pick<Store, 'journalId' | 'approvalsOf' | 'signers'>,
  batchId: string,
): Promise<number | undefined> {
  const terms = readSigningTerms(loaded, journal.journalId);
  if (terms === undefined) return undefined;
  const [approvals, signers] = [await journal.approvalsOf(batchId), await journal.signers()];
  const proofs = approvals.map((approval) => proveApproval(approval, signers, terms));
  const moments = proofs.flatMap((proof) => (proof.kind === 'unproved' ? [] : [proof.signedAtMs]));
  return moments.length === 0 ? undefined : Math.min(...moments);
}

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
    const rows = new Map<number, SignedRow>();
    let fault: string | undefined;
    let payerAccount: string | undefined;
    for (const approval of approvals) {
      const proof = proveApproval(approval, signers, terms);
      if (proof.kind === 'unproved') {
        fault = proof.why;
        continue;
      }
      payerAccount = approval.payerAccount;
      for (const { rowNo, digest } of approval.rows)
        rows.set(rowNo, {
          digest,
          signedAtMs: Math.min(rows.get(rowNo)?.signedAtMs ?? Infinity, proof.signedAtMs),
        });
    }
    const readAtMs = clock.elapsedMs();
    const found = { isNeeded: await isNeeded(batchId), rows, payerAccount, fault, readAtMs };
    known.set(batchId, found);
    return found;
  };

  return {
    people,
    async prove({ batchId, payerAccount }, { rowNo, digest }) {
      const proofIn = ({ isNeeded: needed, rows, payerAccount: provedPayer, fault }: Found): RowProof => {
        if (!needed) return { kind: 'not-needed' };
        const row = rows.get(rowNo);
        if (row?.digest === digest && provedPayer === payerAccount)
          return { kind: 'proved', signedAtMs: row.signedAtMs };
        return { kind: 'unproved', why: fault ?? 'no approval of the batch is about it as it is now' };
      };
      const found = known.get(batchId);
      if (found !== undefined && clock.elapsedMs() - found.readAtMs < freshForMs) {
        const proof = proofIn(found);
        if (proof.kind !== 'unproved') return proof;
      }
      return proofIn(await read(batchId));
    },
  };
}
