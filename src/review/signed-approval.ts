/** Signed approvals: the text of a proposal, and the approval that its signature proves. */
import type { ReviewContext } from './context.ts';
import { keepSignature, type Signer, type SigningContext } from './passkeys.ts';
import type { Proposal } from './ports.ts';
import type { Checked } from './review.ts';
import { countedOf } from './rules/proposal-figures.ts';
import type { SignedBatch, SignedMatter } from './rules/signed-text.ts';
import { giveVerdict } from './verdict.ts';

/** The journal and the company whose money is paid. */
export interface SigningScene {
  readonly isSandbox: boolean;
  readonly companyId: string;
  readonly journalId: string;
}

/** The limit of batches in a proposal. */
const batchesMax = 100;

/** Reads what is approved with a proposal; its list and its digest were frozen when it was made. */
export async function readMatter(
  { journal }: Pick<ReviewContext, 'journal'>,
  scene: SigningScene,
  proposal: Proposal,
): Promise<SignedMatter> {
  const { proposalId, decision, totalSatang, digest } = proposal;
  const batches: SignedBatch[] = [];
  const isPayment = decision === 'approve-batch';
  for (const item of isPayment ? await journal.proposalItems(proposalId, 0, batchesMax) : []) {
    const batch = await journal.batch(item.key);
    batches.push({ batchId: item.key, version: item.version, fileSha256: batch?.sha256 ?? '' });
  }
  const { rows } = countedOf(proposal);
  return { ...scene, proposalId, decision, batches, rows, totalSatang, digest };
}

/** Keeps the signature, and approves the proposal that it signs. @param answer the answer of the browser, as JSON */
export async function approveSigned(
  review: ReviewContext,
  signing: SigningContext,
  signer: Signer,
  proposalId: number,
  answer: string,
): Promise<Checked> {
  const signed = await keepSignature(signing, signer, answer);
  if ('why' in signed) return { kind: 'refused', why: signed.why };
  const terms = { note: null, seen: signed.digest, signed };
  return giveVerdict(review, proposalId, 'approve', signer, terms);
}
