import { hash } from 'node:crypto';
import type { TransferOrder } from './payout.ts';

const prefix = 'PD';
const bodyLength = 16;

/** The attempt takes the last two digits of a transRefNo, so a hundredth attempt has no name. */
export const attemptsMax = 99;

/** Crockford base32 characters of the file's SHA-256 that name a batch. */
const batchIdLength = 10;

/** The batch of a file, from the SHA-256 of its bytes as hex: the same bytes are the same batch. */
export function computeBatchId(sha256Hex: string): string {
  return encodeBase32(Buffer.from(sha256Hex, 'hex'), batchIdLength);
}

/** Each part is preceded by its length in bytes, so that no two triples share an encoding. */
function encodeUnambiguously(parts: readonly string[]): string {
  return parts.map((part) => `${Buffer.byteLength(part, 'utf8')}:${part}`).join(',');
}

/**
 * transRefNo (§2.5): 20 characters A–Z0–9, a pure function of company, payoutId and attempt.
 * It depends on no clock, file name, row position or random number, so the same payout meets
 * the same reference even when the journal is lost.
 * @throws RangeError for an attempt outside 1–99
 */
export function computeTransRefNo(companyId: string, payoutId: string, attemptNo: number): string {
  if (!Number.isInteger(attemptNo) || attemptNo < 1 || attemptNo > attemptsMax) {
    throw new RangeError(`attempt ${attemptNo} is outside 1–${attemptsMax}`);
  }
  const encoded = encodeUnambiguously(['paydrop/1', companyId, payoutId, String(attemptNo)]);
  const digest = hash('sha256', encoded, 'buffer');
  return `${prefix}${encodeBase32(digest, bodyLength)}${String(attemptNo).padStart(2, '0')}`;
}

/** SHA-256 (hex) over everything that an attempt sends; compared before it is sent again. */
export function computeOrderHash(order: TransferOrder): string {
  const parts = [
    order.transRefNo,
    order.channelId,
    order.termId,
    order.companyId,
    order.payerAccount,
    order.tranDate,
    order.tranTime,
    order.proxyType,
    order.proxyNo,
    order.proxyName ?? '',
    order.amountText,
    order.reference1 ?? '',
    order.reference2 ?? '',
  ];
  return hash('sha256', encodeUnambiguously(['order/1', ...parts]), 'hex');
}

/** Crockford base32: digits and capital letters without I, L, O and U. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Encodes bytes, most significant bit first, to the first `length` characters (5 bits each). */
export function encodeBase32(bytes: Uint8Array, length: number): string {
  let text = '';
  let bits = 0;
  let pending = 0;
  for (const byte of bytes) {
    pending = (pending << 8) | byte;
    bits += 8;
    while (bits >= 5 && text.length < length) {
      bits -= 5;
      text += alphabet[(pending >> bits) & 31];
    }
    pending &= (1 << bits) - 1;
  }
  return text;
}
