import { hash } from 'node:crypto';
import { encodeBase32 } from './base32.ts';
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
