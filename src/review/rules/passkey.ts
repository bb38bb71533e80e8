/** Keys by which people sign approvals: enrolled by their owner, confirmed by admins, and good until they are revoked. */
import { isBeforeRestore, type Person } from './people.ts';

/** Whether the key may be on more devices than one, and is. */
export type PasskeyBackup = 'none' | 'possible' | 'done';

export interface Passkey {
  /** As the authenticator names it: base64url. */
  readonly credentialId: string;
  /** Its owner, who enrolled it. */
  readonly personId: number;
  /** In the owner's words. */
  readonly label: string;
  /** SubjectPublicKeyInfo (DER), base64url. */
  readonly publicKey: string;
  /** The same as the authenticator wrote it (COSE), base64url. */
  readonly coseKey: string;
  /** SHA-256 (hex) of `publicKey`: its first digits are what people compare. */
  readonly keyHash: string;
  /** The name to which it is bound; another name loses it. */
  readonly rpId: string;
  readonly origin: string;
  readonly backup: PasskeyBackup;
  readonly transports: readonly string[];
  /** As the authenticator counts, if it does; 0 otherwise. */
  readonly signCount: number;
  readonly enrolledAtMs: number;
  /** The admins who confirmed that it is its owner's; null while nobody has. */
  readonly confirmedBy: readonly number[] | null;
  readonly confirmedAtMs: number | null;
  readonly revokedBy: number | null;
  readonly revokedAtMs: number | null;
  readonly lastUsedAtMs: number | null;
}

/** So many of one person's may count, or wait, at once. */
export const passkeysMax = 10;

/** What people compare of a key: `ab12 cd34`. */
export const showKey = ({ keyHash }: Pick<Passkey, 'keyHash'>): string =>
  `${keyHash.slice(0, 4)} ${keyHash.slice(4, 8)}`;

/** `of-before`: it was enrolled before its owner got a new password, was enabled again, or the journal was restored. */
export type PasskeyStanding = 'good' | 'waits' | 'revoked' | 'of-before';

/**
 * Whether a key counts now. Whoever knew an earlier password could have enrolled it then.
 * @param restoredAtMs when the journal was last restored or lost: what was revoked after the backup is not known
 */
export function standingOf(
  { enrolledAtMs, confirmedAtMs, revokedAtMs }: Passkey,
  { standsSinceMs, handedAtMs }: Pick<Person, 'standsSinceMs' | 'handedAtMs'>,
  restoredAtMs: number | undefined,
): PasskeyStanding {
  if (revokedAtMs !== null) return 'revoked';
  if (enrolledAtMs < Math.max(standsSinceMs, handedAtMs) || isBeforeRestore(enrolledAtMs, restoredAtMs))
    return 'of-before';
  return confirmedAtMs === null ? 'waits' : 'good';
}

export const standingWords: Readonly<Record<PasskeyStanding, string>> = {
  good: 'it counts',
  waits: 'an admin has yet to confirm it',
  revoked: 'it was revoked',
  'of-before':
    'it was enrolled before its owner’s password was replaced, the user enabled again, or the journal restored',
};
