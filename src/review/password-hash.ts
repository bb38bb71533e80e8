/** Password hashes as the journal keeps them: scrypt, with its cost beside the hash. */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { encodeBase32 } from '../core/reference.ts';
import { KeyedMutex } from '../platform/keyed-mutex.ts';
import { normalisePassword } from './rules/password.ts';

/** The cost of a hash: scrypt's N (as a power of two), r and p. */
export interface PasswordCost {
  readonly logN: number;
  readonly r: number;
  readonly p: number;
}

/** 32 MiB and about 0.3 s for each guess. */
export const usualCost: PasswordCost = { logN: 15, r: 8, p: 3 };

const saltBytes = 16;
const hashBytes = 32;
const halfBytes = 5;
/** The length limit of a password in characters: hashing longer texts takes time. */
const lookedAtMax = 1_024;
/** The memory limit in bytes: paydrop writes no hash that needs more. */
const memoryMax = 268_435_456;

interface ScryptOptions {
  readonly N: number;
  readonly r: number;
  readonly p: number;
  readonly maxmem: number;
}

const runScrypt = (password: string, salt: Uint8Array, options: ScryptOptions): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    scrypt(password, salt, hashBytes, options, (error, derived) =>
      error === null ? resolve(derived) : reject(error),
    );
  });

/** Hashes one password at a time: many sign-ins at once would take the memory that paying needs. */
const turns = new KeyedMutex();

const derive = (password: string, salt: Uint8Array, { logN, r, p }: PasswordCost): Promise<Buffer> =>
  turns.run('scrypt', () =>
    runScrypt(normalisePassword(password), salt, { N: 2 ** logN, r, p, maxmem: memoryMax }),
  );

/** Returns `scrypt$15$8$3$<salt>$<hash>`, both base64url. */
export async function hashPassword(password: string, cost: PasswordCost = usualCost): Promise<string> {
  const salt = randomBytes(saltBytes);
  const derived = await derive(password, salt, cost);
  const { logN, r, p } = cost;
  return ['scrypt', logN, r, p, salt.toString('base64url'), derived.toString('base64url')].join('$');
}

const encodedForm = /^scrypt\$(\d{1,2})\$(\d{1,2})\$(\d{1,2})\$([\w-]{22})\$([\w-]{43})$/;

interface ParsedHash {
  readonly cost: PasswordCost;
  readonly salt: Buffer;
  readonly derived: Buffer;
}

function parseHash(encoded: string): ParsedHash | undefined {
  const [, logN, r, p, salt = '', derived = ''] = encodedForm.exec(encoded) ?? [];
  if (logN === undefined) return undefined;
  const cost = { logN: Number(logN), r: Number(r), p: Number(p) };
  if (2 ** cost.logN * cost.r * 128 >= memoryMax) return undefined;
  return { cost, salt: Buffer.from(salt, 'base64url'), derived: Buffer.from(derived, 'base64url') };
}

/** A hash that no password matches. */
const nobodys = (cost: PasswordCost): ParsedHash => ({
  cost,
  salt: Buffer.alloc(saltBytes),
  derived: Buffer.alloc(hashBytes),
});

/** Checks a password, taking the same time with a hash as without. */
export async function isRightPassword(
  password: string,
  encoded: string | undefined,
  usual: PasswordCost,
): Promise<boolean> {
  const parsed = encoded === undefined ? undefined : parseHash(encoded);
  const { cost, salt, derived } = parsed ?? nobodys(usual);
  const isTooLong = password.length > lookedAtMax;
  const given = await derive(isTooLong ? '' : password, salt, cost);
  return timingSafeEqual(given, derived) && parsed !== undefined && !isTooLong;
}

/** Tells whether a hash was made at less than today's usual cost. */
export const isWeaker = (encoded: string, usual: PasswordCost): boolean => {
  const cost = parseHash(encoded)?.cost;
  return cost === undefined || 2 ** cost.logN * cost.r * cost.p < 2 ** usual.logN * usual.r * usual.p;
};

/** Makes 40 random bits in groups that can be read out: `7B3K-Q0M9`. A one-time password is two of them. */
export function makeHalf(): string {
  const text = encodeBase32(randomBytes(halfBytes), 8);
  return `${text.slice(0, 4)}-${text.slice(4)}`;
}
