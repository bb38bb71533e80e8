import { createHash, hash } from 'node:crypto';
import type { Instruction, TransferOrder } from './payout.ts';

const prefix = 'PD';
const bodyLength = 16;

/**
 * A reference that no payout of ours can have, so that the bank knows no transfer by it. Used to ask for the other
 * facts of an answer.
 */
export const impossibleReference = 'ZZ000000000000000000';

/** Highest number of an attempt: it takes the last two digits of a transRefNo. */
export const attemptsMax = 99;

/** Crockford base32 characters of the file's SHA-256 that form a batchId. */
const batchIdLength = 10;

/** The batchId of a file, from the SHA-256 (hex) of its bytes: the same bytes give the same batch. */
export function computeBatchId(sha256Hex: string): string {
  return encodeBase32(Buffer.from(sha256Hex, 'hex'), batchIdLength);
}

const beyondPrintable = /[^ -~]/;

/**
 * Encodes parts so that no two lists share an encoding: each part follows its length in bytes, and a missing one is a
 * dash.
 */
function encodeUnambiguously(parts: readonly (string | null)[]): string {
  const text = encodeByLength(parts, (part) => part.length);
  // Most texts are ASCII, one byte a character: counting the bytes of each part would take as long as the hash.
  return beyondPrintable.test(text) ? encodeByLength(parts, (part) => Buffer.byteLength(part, 'utf8')) : text;
}

function encodeByLength(parts: readonly (string | null)[], lengthOf: (part: string) => number): string {
  let text = '';
  for (const part of parts) {
    if (text !== '') text += ',';
    text += part === null ? '-' : `${lengthOf(part)}:${part}`;
  }
  return text;
}

/**
 * transRefNo (§2.5): 20 characters A–Z0–9, a pure function of company, payoutId and the attempt's number. It depends on
 * no clock, file name, row position or random number, so the same payout has the same reference even when the journal
 * is lost.
 * @throws RangeError for an attempt outside 1–99
 */
export function computeTransRefNo(companyId: string, payoutId: string, number: number): string {
  if (!Number.isInteger(number) || number < 1 || number > attemptsMax) {
    throw new RangeError(`attempt ${number} is outside 1–${attemptsMax}`);
  }
  const encoded = encodeUnambiguously(['paydrop/1', companyId, payoutId, String(number)]);
  const digest = hash('sha256', encoded, 'buffer');
  return `${prefix}${encodeBase32(digest, bodyLength)}${String(number).padStart(2, '0')}`;
}

/** The attempt number, 1–99, in a transRefNo of ours. */
export const readAttemptNumber = (transRefNo: string): number => Number(transRefNo.slice(-2));

/** True when a transRefNo belongs to this payoutId. */
export function isReferenceOf(transRefNo: string, companyId: string, payoutId: string): boolean {
  const number = readAttemptNumber(transRefNo);
  return (
    number >= 1 && number <= attemptsMax && computeTransRefNo(companyId, payoutId, number) === transRefNo
  );
}

/** SHA-256 (hex) over all content of an attempt; compared before it is sent again. */
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

/** Place of an instruction: company, batch and row. */
interface InstructionPlace {
  readonly companyId: string;
  readonly batchId: string;
  readonly rowNo: number | bigint;
}

/** An instruction as stored, by this or an earlier program. */
interface DigestedInstruction extends Omit<Instruction, 'proxyType' | 'amountSatang'> {
  readonly proxyType: string;
  readonly amountSatang: bigint;
}

/**
 * SHA-256 (base64url) over an instruction and its place. Computed when the row is read from its file, and compared when
 * its intent is made. A changed encoding gets another version in its first part.
 */
export function computeInstructionDigest(
  { companyId, batchId, rowNo }: InstructionPlace,
  instruction: DigestedInstruction,
): string {
  const { payoutId, proxyType, proxyNo, payeeName, amountSatang, reference1, reference2 } = instruction;
  const place = ['instruction/1', companyId, batchId, String(rowNo)];
  const asked = [payoutId, proxyType, proxyNo, payeeName, String(amountSatang), reference1, reference2];
  return hash('sha256', encodeUnambiguously([...place, ...asked]), 'base64url');
}

/** One digest over many parts, in their order. */
export class DigestOfAll {
  readonly #hash = createHash('sha256').update('digests/1');

  add(part: string): void {
    this.#hash.update(`,${part}`);
  }

  /** SHA-256 (base64url); call it once. */
  end(): string {
    return this.#hash.digest('base64url');
  }
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
