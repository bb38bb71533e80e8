/**
 * The whole history of one payout with its proofs, as a record that is checked without the journal (docs/evidence.md).
 */
import { inEnglish } from '../../core/message.ts';
import { formatBangkokDateTime } from '../../core/bangkok-time.ts';
import { maskDigits } from '../../core/proxy-id.ts';
import type { Attempt } from '../../core/payout.ts';
import type { Batch, ResultRow } from '../../core/ports.ts';
import type { Link } from '../../review/rules/chain.ts';
import {
  type ChainedPayout,
  commitTo,
  hashedDetail,
  type KeptEvent,
  textOf,
} from '../../review/rules/payout-chain.ts';
import type { KeptVersion, Opening, RowName } from './audit.ts';
import type { HashedHead, HeadChain, ProofStep } from './day-head.ts';

const evidenceFormat = 'paydrop payout evidence v1';

/** Form of the numbers of people and accounts: whole or masked. */
export type Numbers = 'whole' | 'masked';

/** Nine digits or more in a row, with or without separators. */
const longNumber = /\d(?:[ \-]?\d){8,}/gv;

const maskNumbers = (text: string): string => text.replaceAll(longNumber, maskDigits);

/** Fields whose numbers are not personal: references for the bank, and amounts. */
const ownNames = new Set(['amount', 'amountSatang', 'amountText', 'transRefNo', 'sysRefNo']);

/** Masks all texts of a record, at any depth; hashed texts are not part of it. */
function maskAll(value: unknown): unknown {
  if (typeof value === 'string') return maskNumbers(value);
  if (Array.isArray(value)) return value.map(maskAll);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, ownNames.has(name) ? inner : maskAll(inner)]),
  );
}

const show = (value: unknown, numbers: Numbers): unknown => (numbers === 'whole' ? value : maskAll(value));

/** A row with all that the journal has of it. */
export interface StoredRow {
  readonly history: {
    readonly row: ResultRow;
    readonly batch: Batch;
    readonly attempts: readonly Attempt[];
  };
  readonly chain: ChainedPayout & RowName & Opening;
  readonly versions: readonly KeptVersion[];
  /** Lines of statements under the references of its attempts. */
  readonly lines: readonly { readonly date: string; readonly line: object }[];
}

/** The proof of an event: its neighbours' hashes on the path to the root in its day's head. */
export interface EventProof {
  readonly chain: HeadChain;
  readonly seq: number;
  readonly eventHash: string;
  /** Hash of the head. */
  readonly head: string;
  readonly steps: readonly ProofStep[];
}

function describeRow({ history, chain, versions, lines }: StoredRow, numbers: Numbers): object {
  const { row, batch, attempts } = history;
  const { cells, extras, instruction, reason, ...others } = row;
  const { issues: found, ...state } = { ...others, reason: reason && inEnglish(reason) };
  const issues = found.map((issue) => ({ ...issue, message: inEnglish(issue.message) }));
  const { batchId, fileName, sha256, companyId, payerAccount, status, rows, startedAtMs } = batch;
  const file = { batchId, fileName, sha256, companyId, status, rows, startedAtMs };
  return {
    batch: { ...file, payerAccount: show(payerAccount, numbers) },
    asRead: show({ cells, extras, issues }, numbers),
    instruction: show(instruction, numbers),
    state: show(state, numbers),
    chain: {
      start: chain.start,
      ...showOpening(chain, numbers),
      status: chain.status,
      events: chain.events.map((event) => ({
        seq: event.seq,
        hash: event.hash,
        text: textOf(event),
        detail: showDetail(event, numbers),
      })),
    },
    versions: versions.map(({ digest, salt, instruction: asked, replaced }) => ({
      ...(numbers === 'whole' ? { digest, salt } : { digest: commitTo(digest, salt) }),
      instruction: show(asked && JSON.parse(asked), numbers),
      replaced: show(replaced && JSON.parse(replaced), numbers),
    })),
    attempts: attempts.map((attempt) => describeAttempt(attempt, chain.events, numbers)),
    statementLines: show(lines, numbers),
  };
}

/** Digest and salt together permit guessing a masked number. */
const showOpening = ({ digest, salt }: Opening, numbers: Numbers): Opening =>
  numbers === 'whole' ? { digest, salt } : { digest: null, salt: null };

/**
 * The part of a detail that its text has as hashes, with the salt; null without any. The hash of an order is shown only
 * with whole numbers.
 */
function showDetail({ detail }: KeptEvent, numbers: Numbers): string | null {
  const isShown =
    hashedDetail(detail) !== detail && (numbers === 'whole' || hashOfOrder(detail) === undefined);
  return isShown ? detail : null;
}

const hashOfOrder = (detail: string): unknown => (JSON.parse(detail) as { orderHash?: unknown }).orderHash;

/** Hides the hash as the text of its event does. */
function hideOrderHash(orderHash: string, events: readonly KeptEvent[]): string {
  const ofAttempt = events.find(({ detail }) => hashOfOrder(detail) === orderHash);
  const hidden = ofAttempt && hashOfOrder(hashedDetail(ofAttempt.detail));
  return typeof hidden === 'object' ? (hidden as { readonly sha256: string }).sha256 : orderHash;
}

/** Describes an attempt. References, days and amounts stay, because the bank needs them for an answer. */
function describeAttempt(
  { order, ...attempt }: Attempt,
  events: readonly KeptEvent[],
  numbers: Numbers,
): object {
  const { transRefNo, tranDate, tranTime, amountText, ...others } = order;
  const { orderHash: plain, ...state } = attempt;
  const orderHash = numbers === 'whole' ? plain : hideOrderHash(plain, events);
  const sent = { transRefNo, tranDate, tranTime, amountText, ...(show(others, numbers) as object) };
  return { ...state, order: sent, orderHash };
}

/** An event of a proposal, with the cells that name people beside its hashes. */
export const describeLink = ({ seq, text, hash, cells }: Link<string>): object => ({
  seq,
  text,
  hash,
  cells,
});

export interface EvidenceParts {
  readonly journalId: string;
  readonly isSandbox: boolean;
  readonly madeAtMs: number;
  /** Person who requested it; null without proof of identity. */
  readonly madeBy: string | null;
  readonly numbers: Numbers;
  readonly rows: readonly StoredRow[];
  readonly proposals: readonly object[];
  readonly proofs: readonly EventProof[];
  readonly heads: readonly HashedHead[];
  /** Events of a day that has not ended: no head covers them yet. */
  readonly withoutHead: readonly { readonly chain: HeadChain; readonly seq: number }[];
}

/** Composes the record, with amounts as text, so that no reader rounds them. */
export function composeEvidence(parts: EvidenceParts): string {
  const { journalId, isSandbox, madeAtMs, madeBy, numbers, rows, proposals, proofs, heads, withoutHead } =
    parts;
  const made = { at: formatBangkokDateTime(madeAtMs), by: madeBy };
  const record = {
    format: evidenceFormat,
    made,
    journalId,
    companyId: rows[0]?.history.batch.companyId ?? null,
    isSandbox,
    numbers,
    rows: rows.map((row) => describeRow(row, numbers)),
    proposals,
    heads: heads.map(({ text, hash }) => ({ text, hash })),
    proofs,
    withoutHead,
  };
  const asText = (_name: string, value: unknown): unknown =>
    typeof value === 'bigint' ? String(value) : value;
  return `${JSON.stringify(record, asText, 2)}\n`;
}
