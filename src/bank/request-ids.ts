import { randomFillSync } from 'node:crypto';
import { encodeBase32 } from '../core/base32.ts';

/** §2.4: requestUID has 20 characters. */
const uidLength = 20;
/** 20 characters carry 5 bits each. */
const uidBytes = 13;
const uidsPerFill = 256;

/** Random bytes are drawn for many ids at once: a draw of 13 costs nearly as much as one of 3,328. */
const pool = Buffer.alloc(uidBytes * uidsPerFill);
let poolOffset = pool.length;

/** requestUID (§2.4): 20 random characters A–Z0–9, new for every request. */
export function makeRequestUid(): string {
  if (poolOffset === pool.length) {
    randomFillSync(pool);
    poolOffset = 0;
  }
  const bytes = pool.subarray(poolOffset, poolOffset + uidBytes);
  poolOffset += uidBytes;
  return encodeBase32(bytes, uidLength);
}
