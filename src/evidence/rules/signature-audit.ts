/** Checks that signatures match the chained history of people, and belong to what they were given for. */
import { hash } from 'node:crypto';
import { type Link, readFacts } from '../../review/rules/chain.ts';
import type { Proposal } from '../../review/rules/proposal.ts';
import { type ApprovalSignature, readBackup } from '../../review/rules/signature.ts';
import { readSignedValue } from '../../review/rules/signed-text.ts';
import {
  compare,
  confirmersOf,
  type Difference,
  hashKey,
  type KeptPersons,
  ofKind,
  missingInHistory,
} from './people-audit.ts';

type Event = Link<string>;

const sha256 = (text: string): string => hash('sha256', text, 'hex');

const nameSignature = ({ signatureId, proposalId }: ApprovalSignature): string =>
  `signature ${signatureId} under proposal ${proposalId}`;

/** The admins who had confirmed a key at the time of an event. */
function confirmersAt(events: readonly Event[], { seq }: Event, credentialId: unknown): readonly unknown[] {
  const confirmed = events.find(
    (event) =>
      event.kind === 'passkey-confirmed' &&
      event.seq < seq &&
      readFacts(event)['credentialId'] === credentialId,
  );
  return confirmersOf(confirmed) ?? [];
}

/**
 * Signatures that contradict the history of people, or do not belong to what their text names.
 * @param proposals all, by number
 */
export function* listChangedSignatures(
  { signatures }: Pick<KeptPersons, 'signatures'>,
  events: readonly Event[],
  proposals: ReadonlyMap<number, Proposal>,
  journalId: string,
): Generator<Difference> {
  const keyOf = (textHash: unknown, signatureHash: unknown): string =>
    `${String(textHash)} ${String(signatureHash)}`;
  const signed = ofKind(events, 'approval-signed');
  const said = new Map(
    signed.map((event) => {
      const { textHash, signatureHash } = readFacts(event);
      return [keyOf(textHash, signatureHash), event];
    }),
  );
  const found = new Set<Event>();
  for (const one of signatures) {
    const place = nameSignature(one);
    const event = said.get(keyOf(sha256(one.text), sha256(one.signature)));
    if (event === undefined) {
      yield { place, why: missingInHistory('signature') };
      continue;
    }
    found.add(event);
    const facts = readFacts(event);
    const about = `it is of proposal ${String(facts['proposalId'])}`;
    const person = readSignedValue(one.text, 'person').split(' ')[0];
    yield* compare(place, [
      { why: about, is: one.proposalId, said: facts['proposalId'] },
      { why: 'another user has signed it', is: one.personId, said: event.subject },
      { why: 'it is by another passkey', is: one.credentialId, said: facts['credentialId'] },
      { why: 'its key is not the one that has signed', is: hashKey(one.publicKey), said: facts['keyHash'] },
      { why: 'when it was given is another', is: one.signedAtMs, said: event.atMs },
      { why: 'who enrolled its key is another', is: one.enrolledBy, said: event.subject },
      {
        why: 'who confirmed its key is another',
        is: one.confirmedBy,
        said: confirmersAt(events, event, facts['credentialId']),
      },
      {
        why: 'where its key may be kept is another',
        is: one.backup,
        said: readBackup(one.authenticatorData),
      },
      {
        why: 'its text names another proposal',
        is: readSignedValue(one.text, 'proposal'),
        said: `${one.proposalId}`,
      },
      { why: 'its text names another user', is: person, said: `${one.personId}` },
      {
        why: 'its text names another digest',
        is: readSignedValue(one.text, 'digest'),
        said: proposals.get(one.proposalId)?.digest,
      },
      { why: 'its text names another journal', is: readSignedValue(one.text, 'journal'), said: journalId },
    ]);
  }
  for (const event of signed)
    if (!found.has(event))
      yield {
        place: `proposal ${String(readFacts(event)['proposalId'])}`,
        why: `the signature that event ${event.seq} of people tells of is gone`,
      };
}

/** True when approvals had to be signed at a moment, by an agreement of two admins. */
function isSigningAgreed(events: readonly Event[], atMs: number): boolean {
  const agreed = ofKind(events, 'policy-changed')
    .filter((event) => event.atMs < atMs)
    .map((event) => readFacts(event)['approval.signed']);
  return agreed.findLast((one) => one !== undefined) === 'required';
}

/** The person who approved a proposal that needs a signature; undefined for any other. */
function signerOf({
  people,
  decision,
  status,
  makerId,
  checkerId,
  checkedAtMs,
}: Proposal): number | null | undefined {
  const isApproved =
    status === 'approved' || status === 'applied' || (status === 'stale' && checkedAtMs !== null);
  if (!isApproved || (people === 1 && decision !== 'approve-batch')) return undefined;
  return checkerId ?? makerId;
}

/** Approvals without a signature, although two admins had agreed by then that they need one. */
export function* listUnsignedApprovals(
  { signatures }: Pick<KeptPersons, 'signatures'>,
  events: readonly Event[],
  proposals: Iterable<Proposal>,
): Generator<Difference> {
  for (const proposal of proposals) {
    const { proposalId, checkedAtMs, madeAtMs } = proposal;
    const signer = signerOf(proposal);
    const isNeeded = signer !== undefined && isSigningAgreed(events, checkedAtMs ?? madeAtMs);
    if (isNeeded && !signatures.some((one) => one.proposalId === proposalId && one.personId === signer))
      yield {
        place: `proposal ${proposalId}`,
        why: 'it counts as approved, and the person who approved it has not signed it',
      };
  }
}
