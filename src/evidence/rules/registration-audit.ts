/** Checks that a registration matches its file or its latest correction, and that the bank's answers are recorded. */
import { type ChainedPayout, commitTo, hashBody, showAnswer } from '../../review/rules/payout-chain.ts';
import type { Difference } from './people-audit.ts';

/** The content of a registration after a correction. */
interface KeptCorrection {
  /** Digest as stored, and digest of the present content. */
  readonly digest: string;
  readonly present: string;
}

/** A stored callback. */
export interface KeptCall {
  readonly id: number;
  readonly body: string;
  /** True when the stored fields match its body. */
  readonly isAsRead: boolean;
}

/** A registration with its history and digests to check. */
export interface KeptRegistrationState extends ChainedPayout {
  /** Digest of its file's content as stored, and of the present content. */
  readonly digest: string | null;
  readonly fileDigest: string | null;
  readonly salt: string | null;
  /** Digest of its present content; null without any. */
  readonly askedDigest: string | null;
  /** Corrections, oldest first. */
  readonly corrections: readonly KeptCorrection[];
  readonly attempts: readonly { readonly attemptNo: number; readonly digest: string }[];
  readonly calls: readonly KeptCall[];
  readonly respCode: string | null;
  readonly respDesc: string | null;
  readonly applyDtm: string | null;
}

interface Detail {
  readonly asksFor?: string;
  readonly answer?: string | null;
  readonly callbackHash?: string;
}

const readDetails = ({ events }: KeptRegistrationState) =>
  events.map(({ seq, detail }) => ({ seq, ...(JSON.parse(detail) as Detail) }));

function findChangedAsked(kept: KeptRegistrationState): string | undefined {
  const { digest, fileDigest, askedDigest, corrections } = kept;
  if (digest !== fileDigest) return 'what its file asks for is not what was sealed';
  const recorded = readDetails(kept).flatMap(({ asksFor }) => asksFor ?? []);
  if (recorded.join() !== corrections.map((one) => one.digest).join())
    return 'its history tells of other corrections of what it asks for';
  const changed = corrections.findIndex((one) => one.digest !== one.present);
  if (changed !== -1) return `correction ${changed + 1} of what it asks for was changed`;
  return askedDigest !== null && askedDigest !== (corrections.at(-1)?.digest ?? digest)
    ? 'what it asks for is not what was sealed, nor what it was corrected to'
    : undefined;
}

/** @param place name of the registration */
export function* listChangedRegistration(kept: KeptRegistrationState, place: string): Generator<Difference> {
  const asked = findChangedAsked(kept);
  if (asked !== undefined) yield { place, why: asked };
  const known = new Set([kept.digest, ...kept.corrections.map(({ digest }) => digest)]);
  for (const { attemptNo, digest } of kept.attempts)
    if (!known.has(digest))
      yield {
        place: `${place}: attempt ${attemptNo}`,
        why: 'it asked for something else than its row ever did',
      };
  const details = readDetails(kept);
  const answer = details.findLast((one) => one.answer !== undefined)?.answer;
  if (answer !== undefined && answer !== showAnswer(kept))
    yield { place, why: 'what the bank has said of it is not what its history says' };
  const bodies = new Set(kept.calls.map(({ body }) => hashBody(body)));
  for (const { seq, callbackHash } of details)
    if (callbackHash !== undefined && !bodies.has(callbackHash))
      yield { place: `${place}: event ${seq}`, why: 'the callback that it tells of is gone, or was changed' };
}

/** Callbacks whose stored fields differ from their bodies. */
export function* listChangedCalls(calls: Iterable<KeptCall>): Generator<Difference> {
  for (const { id, isAsRead } of calls)
    if (!isAsRead) yield { place: `callback ${id}`, why: 'what was read of it is not what its body says' };
}

/** Start of a registration's chain. */
export const startOf = ({ digest, salt }: Pick<KeptRegistrationState, 'digest' | 'salt'>): string | null =>
  commitTo(digest, salt);
