/**
 * Checks a passkey's signature under an approval with hashing and the key alone: no library, no journal, no bank. (W3C
 * Web Authentication, level 3, §7.2.)
 */
import { createPublicKey, hash, verify } from 'node:crypto';
import { type Message, message } from '../../core/message.ts';
import type { PasskeyBackup } from './passkey.ts';
import { computeChallenge } from './signed-text.ts';

/** The answer of an authenticator and a browser to a text; bytes as base64url. */
interface Assertion {
  /** The signed text, byte for byte. */
  readonly text: string;
  readonly credentialId: string;
  /** SubjectPublicKeyInfo (DER). */
  readonly publicKey: string;
  readonly authenticatorData: string;
  /** The JSON of the browser, byte for byte. */
  readonly clientDataJson: string;
  readonly signature: string;
  /** The host name to which the key is bound. */
  readonly rpId: string;
  readonly origin: string;
}

/** A signed approval as it is kept. */
export interface ApprovalSignature extends Assertion {
  readonly signatureId: number;
  readonly proposalId: number;
  readonly personId: number;
  readonly signedAtMs: number;
  readonly backup: PasskeyBackup;
  /** The person who enrolled the key, and the admins who confirmed it. */
  readonly enrolledBy: number;
  readonly confirmedBy: readonly number[];
}

const bytesOf = (base64url: string): Buffer => Buffer.from(base64url, 'base64url');

/** The bits of the flags in authenticatorData. */
const flags = { present: 0x01, verified: 0x04, mayBeBackedUp: 0x08, isBackedUp: 0x10 } as const;
const [rpIdHashBytes, flagsPlace, leastBytes] = [32, 32, 37] as const;

const flagsOf = (authenticatorData: string): number => bytesOf(authenticatorData)[flagsPlace] ?? 0;

export function readBackup(authenticatorData: string): PasskeyBackup {
  const bits = flagsOf(authenticatorData);
  if ((bits & flags.mayBeBackedUp) === 0) return 'none';
  return (bits & flags.isBackedUp) === 0 ? 'possible' : 'done';
}

interface SignedByBrowser {
  readonly type?: unknown;
  readonly challenge?: unknown;
  readonly origin?: unknown;
  readonly crossOrigin?: unknown;
}

function readSignedByBrowser(clientDataJson: string): SignedByBrowser {
  try {
    const read: unknown = JSON.parse(bytesOf(clientDataJson).toString('utf8'));
    return typeof read === 'object' && read !== null ? read : {};
  } catch {
    return {};
  }
}

/** A page may use keys of a name that is its host or a parent domain of it. */
function isWithin(origin: string, rpId: string): boolean {
  const host = URL.parse(origin)?.hostname;
  return host === rpId || host?.endsWith(`.${rpId}`) === true;
}

function findClientFault({ text, clientDataJson, origin, rpId }: Assertion): string | undefined {
  const { type, challenge, origin: shownOrigin, crossOrigin } = readSignedByBrowser(clientDataJson);
  if (type !== 'webauthn.get') return 'it is no signature of a sign-in or an approval';
  if (challenge !== computeChallenge(text)) return 'another text was signed';
  if (shownOrigin !== origin) return 'it was signed on another page';
  if (crossOrigin === true) return 'it was signed inside another page';
  return isWithin(origin, rpId) ? undefined : 'its page may not use this key';
}

function findAuthenticatorFault({ authenticatorData, rpId }: Assertion): string | undefined {
  const bytes = bytesOf(authenticatorData);
  if (bytes.length < leastBytes) return 'what the authenticator said is cut off';
  if (!bytes.subarray(0, rpIdHashBytes).equals(hash('sha256', rpId, 'buffer')))
    return 'it was signed for another name';
  const bits = flagsOf(authenticatorData);
  if ((bits & flags.present) === 0) return 'no person was present at the authenticator';
  return (bits & flags.verified) === 0 ? 'the authenticator did not make sure who was there' : undefined;
}

/** The reason why a signature proves nothing; undefined when it is valid. */
export function findSignatureFault(assertion: Assertion): string | undefined {
  const fault = findClientFault(assertion) ?? findAuthenticatorFault(assertion);
  if (fault !== undefined) return fault;
  const { publicKey, authenticatorData, clientDataJson, signature } = assertion;
  const clientDataHash = hash('sha256', bytesOf(clientDataJson), 'buffer');
  const signed = Buffer.concat([bytesOf(authenticatorData), clientDataHash]);
  try {
    const key = createPublicKey({ key: bytesOf(publicKey), format: 'der', type: 'spki' });
    // Ed25519 hashes internally.
    const algorithm = key.asymmetricKeyType === 'ed25519' ? null : 'sha256';
    return verify(algorithm, signed, key, bytesOf(signature))
      ? undefined
      : 'the signature is not of this key';
  } catch {
    return 'its key cannot be read';
  }
}

/** A signature under a proposal, with the digest that was shown. */
export interface Signed extends Pick<ApprovalSignature, 'proposalId' | 'personId'> {
  readonly digest: string;
}

/** `approval.signed` of the settings. */
type SigningRule = 'optional' | 'required';

/** The reason why this person's approval is not signed as required; undefined when it is. */
export function whyNotSigned(
  rule: SigningRule,
  { proposalId, digest }: { readonly proposalId: number; readonly digest: string },
  personId: number | null,
  signed: Signed | undefined,
): Message | undefined {
  if (signed === undefined) return rule === 'required' ? message('approve.sign-on-page') : undefined;
  const isOfThis = signed.proposalId === proposalId && signed.digest === digest;
  return isOfThis && signed.personId === personId ? undefined : message('approve.other-signed');
}
