/** One payout's whole story with its proofs, as a record that is checked without the journal (docs/evidence.md). */
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
import type { KeptVersion, Opening, RowPlace } from './audit.ts';
import type { HashedHead, HeadChain, ProofStep } from './day-head.ts';

const evidenceFormat = 'paydrop payout evidence v1';

/** Whether numbers of people and accounts stand in it whole. */
export type Numbers = 'whole' | 'masked';

/** Nine digits or more in a row, however they are set apart. */
const longNumber = /\d(?:[ \-]?\d){8,}/gv;

const maskNumbers = (text: string): string => text.replaceAll(longNumber, maskDigits);

/** Named so, a number is nobody's: the bank is asked by it, or it is money. */
const ownNames = new Set(['amount', 'amountSatang', 'amountText', 'transRefNo', 'sysRefNo']);

/** All texts of a record, however deep; what is hashed is not among them. */
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
  readonly chain: ChainedPayout & RowPlace & Opening;
  readonly versions: readonly KeptVersion[];
  /** Lines of statements under the references of its attempts. */
  readonly lines: readonly { readonly date: string; readonly line: object }[];
}

/** Where an event hangs: the hashes beside it on the way to the root that the head of its day has. */
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
  const { cells, extras, instruction, issues, ...state } = row;
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

/** Whoever has digest and salt finds a masked number by trial; without a salt the chain itself has the digest. */
const showOpening = ({ digest, salt }: Opening, numbers: Numbers): Opening =>
  numbers === 'whole' || salt === null ? { digest, salt } : { digest: null, salt: null };

/** What stands in the text as hashes, with the salt; null where nothing does. The hash of an order is for whole numbers. */
function showDetail({ detail }: KeptEvent, numbers: Numbers): string | null {
  const isShown =
    hashedDetail(detail) !== detail && (numbers === 'whole' || hashOfOrder(detail) === undefined);
  return isShown ? detail : null;
}

const hashOfOrder = (detail: string): unknown => (JSON.parse(detail) as { orderHash?: unknown }).orderHash;

/** As the text of its event has it. */
function hideOrderHash(orderHash: string, events: readonly KeptEvent[]): string {
  const ofAttempt = events.find(({ detail }) => hashOfOrder(detail) === orderHash);
  const hidden = ofAttempt && hashOfOrder(hashedDetail(ofAttempt.detail));
  return typeof hidden === 'object' ? (hidden as { readonly sha256: string }).sha256 : orderHash;
}

/** References, days and amounts stay: by them the bank is asked. */
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

/** An event of a proposal, with what names people beside its hashes. */
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
  /** Who had it made; null where nobody has proved it. */
  readonly madeBy: string | null;
  readonly numbers: Numbers;
  readonly rows: readonly StoredRow[];
  readonly proposals: readonly object[];
  readonly proofs: readonly EventProof[];
  readonly heads: readonly HashedHead[];
  /** Events of a day that has not ended: nothing outside stands for them yet. */
  readonly withoutHead: readonly { readonly chain: HeadChain; readonly seq: number }[];
}

/** The whole record; amounts as text, which no reader rounds. */
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
