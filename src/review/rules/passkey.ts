/** Passkeys that sign approvals: enrolled by their owner, confirmed by admins, and valid until revoked. */
import { isBeforeRestore, type Person } from './people.ts';

/** Whether the key can be on several devices, and is. */
export type PasskeyBackup = 'none' | 'possible' | 'done';

export interface Passkey {
  /** The authenticator's name for the key: base64url. */
  readonly credentialId: string;
  /** The owner, who enrolled the key. */
  readonly personId: number;
  /** The owner's words. */
  readonly label: string;
  /** SubjectPublicKeyInfo (DER), base64url. */
  readonly publicKey: string;
  /** The same key as the authenticator wrote it (COSE), base64url. */
  readonly coseKey: string;
  /** SHA-256 (hex) of `publicKey`; people compare its first digits. */
  readonly keyHash: string;
  /** The host name to which the key is bound; under another name it is lost. */
  readonly rpId: string;
  readonly origin: string;
  readonly backup: PasskeyBackup;
  readonly transports: readonly string[];
  /** The counter of the authenticator, if it has one; otherwise 0. */
  readonly signCount: number;
  readonly enrolledAtMs: number;
  /** The admins who confirmed that the key is its owner's; null before that. */
  readonly confirmedBy: readonly number[] | null;
  readonly confirmedAtMs: number | null;
  readonly revokedBy: number | null;
  readonly revokedAtMs: number | null;
  readonly lastUsedAtMs: number | null;
}

/** The limit of valid or waiting keys of one person. */
export const passkeysMax = 10;

/** The digits of a key that people compare: `ab12 cd34`. */
export const showKey = ({ keyHash }: Pick<Passkey, 'keyHash'>): string =>
  `${keyHash.slice(0, 4)} ${keyHash.slice(4, 8)}`;

/** `of-before`: enrolled before its owner got a new password or was enabled again, or the journal was restored. */
export type PasskeyStanding = 'good' | 'waits' | 'revoked' | 'of-before';

/**
 * The standing of a key now. An attacker who knew an earlier password could have enrolled a key then.
 * @param restoredAtMs the moment of the journal's last restore or loss; revocations after the backup are unknown
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
