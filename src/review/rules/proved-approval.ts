/**
 * The proof of a signed approval, from the key to the rows. Facts in the journal count only as far as a signature
 * confirms them. `approval.keys` names the keys outside the journal, so that write access to the journal alone makes
 * neither a signature with one of them nor another text for one.
 */
import { hash } from 'node:crypto';
import { type Waiting, WaitingDigest, type WaitingRow } from './approval.ts';
import { findBrokenLink, type PersonEvent, readFacts } from './chain.ts';
import type { Passkey } from './passkey.ts';
import type { Proposal } from './proposal.ts';
import { type ApprovalSignature, findSignatureFault } from './signature.ts';
import { describeMoney, describeTotal, readSignedLines, type SignedLines } from './signed-text.ts';

/** The terms that a signature must meet: its journal, and the keys that count. */
export interface SigningTerms {
  readonly companyId: string;
  readonly journalId: string;
  readonly isSandbox: boolean;
  /**
   * `approval.keys` of the settings: lower-case SHA-256 (hex) of public keys; empty: every confirmed passkey
   * counts.
   */
  readonly keys: readonly string[];
}

/** One approval of a batch, as the journal has it. */
export interface KeptApproval {
  readonly batchId: string;
  /** SHA-256 (hex) of the file. */
  readonly fileSha256: string;
  /** `BatchSeal.digest`. */
  readonly batchDigest: string | null;
  readonly payerAccount: string;
  readonly proposal: Proposal;
  /** The rows as they were approved, in the order of the file. */
  readonly rows: readonly WaitingRow[];
  readonly signatures: readonly ApprovalSignature[];
}

/** The people who sign, as the journal knows them. */
export interface Signers {
  readonly passkeys: readonly Passkey[];
  /** The whole history of people, in its order. */
  readonly events: readonly PersonEvent[];
}

/** The signing time in the text of the proving signature; otherwise the reason why none proves the approval. */
export type ApprovalProof =
  | { readonly kind: 'proved'; readonly signedAtMs: number }
  | { readonly kind: 'unproved'; readonly why: string };

const unproved = (why: string): ApprovalProof => ({ kind: 'unproved', why });

/** Finds a signature that proves an approval. */
export function proveApproval(approval: KeptApproval, people: Signers, terms: SigningTerms): ApprovalProof {
  const { proposal, signatures } = approval;
  const { proposalId, people: needed, makerId, checkerId } = proposal;
  const approverId = needed === 1 ? (checkerId ?? makerId) : checkerId;
  const own = signatures.filter(({ personId }) => personId === approverId);
  if (own.length === 0) return unproved(`no approver of proposal ${proposalId} has signed it`);
  if (findBrokenLink(people.events) !== undefined)
    return unproved('the history of users is not as it was written');
  const faults = own.map((signature) => findFault(signature, approval, people, terms));
  const proof = own.find((_, place) => faults[place] === undefined);
  if (proof === undefined) return unproved(`the signature under proposal ${proposalId}: ${faults[0]}`);
  return { kind: 'proved', signedAtMs: readSignedAtMs(proof) };
}

const readSignedAtMs = ({ text }: ApprovalSignature): number => Date.parse(readSignedLines(text).time);

function findFault(
  signature: ApprovalSignature,
  approval: KeptApproval,
  people: Signers,
  terms: SigningTerms,
): string | undefined {
  return (
    findSignatureFault(signature) ??
    findKeyFault(signature, people, terms) ??
    findTextFault(signature, approval, terms)
  );
}

const fingerprintOf = ({ publicKey }: Pick<Passkey, 'publicKey'>): string =>
  hash('sha256', Buffer.from(publicKey, 'base64url'), 'hex');

/** Checks that the settings accept the key, and that the chained history has its enrolment, confirmation and use. */
function findKeyFault(
  signature: ApprovalSignature,
  { passkeys, events }: Signers,
  { keys }: SigningTerms,
): string | undefined {
  const { credentialId, personId, proposalId } = signature;
  const keyHash = fingerprintOf(signature);
  if (keys.length > 0 && !keys.includes(keyHash))
    return 'approval.keys of the settings does not name its key';
  const passkey = passkeys.find((one) => one.credentialId === credentialId);
  if (passkey?.personId !== personId || passkey.publicKey !== signature.publicKey)
    return 'its key is not a passkey of this person';
  const says = (kind: PersonEvent['kind'], facts: Readonly<Record<string, string | number>>): boolean =>
    events.some(
      (event) =>
        event.kind === kind &&
        event.subject === personId &&
        Object.entries(facts).every(([name, value]) => readFacts(event)[name] === value),
    );
  const ofKey = { credentialId, keyHash };
  if (!says('passkey-enrolled', ofKey)) return 'the history of users does not say that its key was enrolled';
  if (!says('passkey-confirmed', ofKey))
    return 'the history of users does not say that its key was confirmed';
  const signatureHash = hash('sha256', signature.signature, 'hex');
  const textHash = hash('sha256', signature.text, 'hex');
  return says('approval-signed', { proposalId, signatureHash, textHash })
    ? undefined
    : 'the history of users does not say that it was signed';
}

/** Checks that the signed text names this journal, proposal and person, and exactly these rows. */
function findTextFault(
  signature: ApprovalSignature,
  approval: KeptApproval,
  { companyId, journalId, isSandbox }: SigningTerms,
): string | undefined {
  const { text, personId } = signature;
  const { proposal, batchId, fileSha256 } = approval;
  const lines = readSignedLines(text);
  if (lines.company !== companyId || lines.journal !== journalId) return 'its text is about another journal';
  if (!isSandbox && lines.money !== describeMoney(false)) return 'its text is about the money of a sandbox';
  const isOfProposal =
    lines.proposal === String(proposal.proposalId) &&
    lines.decision === 'approve-batch' &&
    lines.digest === proposal.digest;
  if (!isOfProposal) return 'its text is about another proposal';
  if (!lines.person.startsWith(`${personId} `)) return 'its text names another person';
  if (Number.isNaN(readSignedAtMs(signature))) return 'its text does not say when it was signed';
  const batch = lines.batches.find((one) => one.batchId === batchId);
  const waiting = digestOf(approval);
  if (batch?.version !== waiting.version || batch.fileSha256 !== fileSha256)
    return `its text is not about these rows of batch ${batchId}`;
  return isSumOf(lines, waiting) ? undefined : 'its text names another number of rows, or another sum';
}

/** A text about several batches names the sum of all; only the rows of one are known here. */
const isSumOf = ({ batches, rows, total }: SignedLines, waiting: Waiting): boolean =>
  batches.length > 1 || (rows === String(waiting.rows) && total === describeTotal(waiting.amountSatang));

/** Recomputes the digest, number and sum of the approved rows. */
function digestOf({ batchId, batchDigest, payerAccount, rows }: KeptApproval): Waiting {
  const digest = new WaitingDigest({ batchId, digest: batchDigest, payerAccount });
  for (const row of rows) digest.add(row);
  return digest.end();
}
