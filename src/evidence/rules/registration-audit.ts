/** Whether a registration asks for what its file, or its latest correction, says, and what the bank said of it is told. */
import { type ChainedPayout, commitTo, hashBody, showAnswer } from '../../review/rules/payout-chain.ts';
import type { Difference } from './people-audit.ts';

/** What a registration asked for with a correction. */
export interface KeptCorrection {
  /** As it was kept, and of what stands there now. */
  readonly digest: string;
  readonly present: string;
}

/** A callback as it is kept. */
export interface KeptCall {
  readonly id: number;
  readonly body: string;
  /** What stands beside its body is what the body says. */
  readonly isAsRead: boolean;
}

/** A registration with what its history and its digests are held against. */
export interface KeptRegistrationState extends ChainedPayout {
  /** Of what its file asks for: as it was kept, and of what stands there now. */
  readonly digest: string | null;
  readonly fileDigest: string | null;
  readonly salt: string | null;
  /** Of what it asks for now; null where it asks for nothing. */
  readonly askedDigest: string | null;
  /** The oldest first. */
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
  const told = readDetails(kept).flatMap(({ asksFor }) => asksFor ?? []);
  if (told.join() !== corrections.map((one) => one.digest).join())
    return 'its history tells of other corrections of what it asks for';
  const changed = corrections.findIndex((one) => one.digest !== one.present);
  if (changed !== -1) return `correction ${changed + 1} of what it asks for was changed`;
  return askedDigest !== null && askedDigest !== (corrections.at(-1)?.digest ?? digest)
    ? 'what it asks for is not what was sealed, nor what it was corrected to'
    : undefined;
}

/** @param place how the registration is named */
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

/** Callbacks beside which something else stands than they say. */
export function* listChangedCalls(calls: Iterable<KeptCall>): Generator<Difference> {
  for (const { id, isAsRead } of calls)
    if (!isAsRead) yield { place: `callback ${id}`, why: 'what was read of it is not what its body says' };
}

/** What the chain of a registration begins with. */
export const startOf = ({ digest, salt }: Pick<KeptRegistrationState, 'digest' | 'salt'>): string | null =>
  commitTo(digest, salt);
