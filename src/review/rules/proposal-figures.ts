/**
 * The effect of a proposal, counted when it is made. The figures are kept with the proposal, so that its maker, checker
 * and signer read the same ones, however the rows change.
 */
import { showBaht } from '../../core/figures.ts';
import { counted, message, type Message } from '../../core/message.ts';
import { type Satang, sumSatang, toSatang, zeroSatang } from '../../core/money.ts';
import type { HoldReason, PayoutStatus } from '../../core/payout.ts';
import type { Batch } from '../../core/ports.ts';
import { maskDigits } from '../../core/proxy-id.ts';
import { accountHolds, dayHolds, ownCauses } from '../../payout/rules/operator.ts';
import { likeFileCodes } from '../../payout/rules/similar.ts';
import { type ApprovalState, isApproved, WaitingDigest, type WaitingRow } from './approval.ts';
import type { Decision } from './terms.ts';

/** The kind of thing that a proposal counts; `others`: differences, days, files and callbacks, counted as items. */
type CountedThing = 'payouts' | 'registrations' | 'others';

interface FiguredRows {
  readonly rows: number;
  readonly amountSatang: Satang;
}

const noneHeld: FiguredRows = { rows: 0, amountSatang: zeroSatang };

/** The effect of a proposal on one file. */
export interface FiguredFile {
  readonly batchId: string;
  readonly fileName: string;
  readonly rows: number;
  readonly amountSatang: Satang;
  /** Rows among these that an approval covers and another hold keeps back. */
  readonly held: FiguredRows;
  /** The digest over exactly these rows, as `paydrop check FILE --digest` prints it; null for single rows. */
  readonly digest: string | null;
  /** Rows of the file were corrected, so that the file alone does not have the digest. */
  readonly isCorrected: boolean;
  /** Rows of the file with an instruction that are not among these; `check --digest` needs their numbers. */
  readonly leftOut: { readonly rows: number; readonly firstRowNos: readonly number[] };
}

/** One of the largest rows; its payee is looked up for display. */
interface FiguredRowOfMany {
  readonly seq: number;
  readonly amountSatang: Satang;
  readonly isNewPayee: boolean;
}

export interface ProposalFigures {
  readonly of: CountedThing;
  readonly rows: number;
  /** The sum before the correction; null where nothing is corrected. */
  readonly wasSatang: Satang | null;
  /** The masked accounts. */
  readonly payerAccounts: readonly string[];
  /** The files, the largest sum first. */
  readonly files: readonly FiguredFile[];
  /** All payees, each counted once. */
  readonly payees: number;
  /** Payees who were never paid before, each counted once. */
  readonly newPayees: { readonly payees: number; readonly rows: number; readonly amountSatang: Satang };
  readonly largest: readonly FiguredRowOfMany[];
  /** The number of rows of each size, by `sizeOf`. */
  readonly sizes: readonly number[];
}

/** The upper bounds of the sizes, in baht; the last size has none. */
export const sizeBounds = [1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000] as const;

const satangPerBaht = 100;

/** The place of an amount among the sizes; an amount equal to a bound belongs to the larger size. */
export function sizeOf(amountSatang: bigint): number {
  const place = sizeBounds.findIndex((bound) => amountSatang < BigInt(bound * satangPerBaht));
  return place === -1 ? sizeBounds.length : place;
}

const noSizes = (): number[] => Array.from({ length: sizeBounds.length + 1 }, () => 0);

/** The sizes of one row alone. */
const sizesOf = (amountSatang: bigint): readonly number[] =>
  noSizes().map((none, place) => (place === sizeOf(amountSatang) ? 1 : none));

/** A payee who was never paid before. */
interface NewPayee {
  readonly proxyNo: string;
  readonly rows: number;
  readonly amountSatang: Satang;
}

/** The count of one file. */
export interface CountedFile {
  readonly file: FiguredFile;
  readonly payerAccount: string;
  /** The numbers of all payees. */
  readonly payees: ReadonlySet<string>;
  readonly newPayees: readonly NewPayee[];
  readonly largest: readonly FiguredRowOfMany[];
  readonly sizes: readonly number[];
}

/** The count of one target of a proposal. */
export interface TargetFigures {
  readonly of: CountedThing;
  readonly wasSatang: Satang | null;
  readonly files: readonly CountedFile[];
}

/** The sum of one target. */
export const sumTarget = ({ files }: TargetFigures): Satang =>
  sumSatang(files.map(({ file }) => file.amountSatang));

/** A target other than payouts and registrations counts as one item. */
export const nothingCounted: TargetFigures = { of: 'others', wasSatang: null, files: [] };

/** The number of largest rows that are named. */
const largestMax = 5;
/** The number of left-out rows that are named. */
const leftOutMax = 50;

/** Sorts the largest first. */
const byAmount = (
  one: { readonly amountSatang: Satang },
  other: { readonly amountSatang: Satang },
): number => (one.amountSatang === other.amountSatang ? 0 : one.amountSatang < other.amountSatang ? 1 : -1);

/** Keeps the largest rows; among equal amounts the earlier row comes first. */
function keepLargest(largest: readonly FiguredRowOfMany[], more: readonly FiguredRowOfMany[]) {
  return [...largest, ...more].toSorted(byAmount).slice(0, largestMax);
}

// ---------------------------------------------------------------- rows of a batch that are released

/** The terms by which a decision about a batch or an account releases rows of a batch. */
export interface LetsGoOn {
  /** Holds that the decision lifts. */
  readonly lifted: readonly HoldReason[] | 'all';
  /** The decision also lifts a hold of the whole file for its likeness to another. */
  readonly liftsLikeFile: boolean;
  /** Rows not approved in their present form: left out, the only ones counted, or counted as all others. */
  readonly unapproved: 'left-out' | 'only' | 'alike';
  /** The account from which the batch is then paid. */
  readonly payerAccount: string;
}

export type DecisionOnWhole =
  'approve-batch' | 'resume-batch' | 'cancel-batch' | 'resume-payer' | 'halt-payer';

/** @param payerAccount the account in the settings, from which a resumed batch is paid */
export function letsGoOn(
  decision: DecisionOnWhole,
  batch: Pick<Batch, 'payerAccount' | 'status'>,
  payerAccount: string,
): LetsGoOn {
  const own = { liftsLikeFile: false, payerAccount: batch.payerAccount };
  switch (decision) {
    case 'approve-batch':
      return { ...own, lifted: 'all', unapproved: 'only' };
    case 'cancel-batch':
      return { ...own, lifted: 'all', unapproved: 'alike' };
    case 'resume-batch': {
      const lifted = [...accountHolds, ...dayHolds];
      // A resumed batch releases rows held as like another file's, except after a halt: `resumeBatch`.
      const liftsLikeFile = batch.status !== 'halted';
      return { lifted, liftsLikeFile, unapproved: 'left-out', payerAccount };
    }
    case 'resume-payer':
    case 'halt-payer':
      return { ...own, lifted: accountHolds, unapproved: 'left-out' };
  }
}

/** A row as it is counted. */
export interface CountedRow extends Omit<WaitingRow, 'amountSatang'> {
  readonly seq: number;
  readonly proxyNo: string | null;
  /** Null for an unreadable amount. */
  readonly amountSatang: bigint | null;
  readonly status: PayoutStatus;
  readonly reasonCode: string | null;
  readonly holds: readonly HoldReason[];
  readonly acceptedHolds: readonly HoldReason[];
  /** Its payee was never paid before. */
  readonly isNewPayee: boolean;
}

const isOfLikeFile = ({ reasonCode }: CountedRow): boolean =>
  Object.values<string | null>(likeFileCodes).includes(reasonCode);

/** A batch as it is counted. */
interface CountedBatch extends ApprovalState {
  readonly batchId: string;
  readonly fileName: string;
  readonly versionsDigest: string | null;
}

/** Counts the rows of a batch one by one; memory grows with the payees alone. */
export class GoingOn {
  readonly #batch: CountedBatch;
  readonly #terms: LetsGoOn;
  readonly #isApproved: boolean;
  readonly #digest: WaitingDigest;
  readonly #payees = new Set<string>();
  readonly #newPayees = new Map<string, NewPayee>();
  readonly #sizes = noSizes();
  #largest: readonly FiguredRowOfMany[] = [];
  #held = noneHeld;
  #leftOutRows = 0;
  readonly #leftOut: number[] = [];

  constructor(batch: CountedBatch, terms: LetsGoOn) {
    this.#batch = { ...batch, payerAccount: terms.payerAccount };
    this.#terms = terms;
    this.#isApproved = isApproved(this.#batch);
    this.#digest = new WaitingDigest(this.#batch);
  }

  /** Adds a row, in the order of the file. */
  add(row: CountedRow): void {
    if (!this.#goesOn(row)) {
      this.#leaveOut(row);
      return;
    }
    const { seq, rowNo, digest, proxyNo, isNewPayee } = row;
    const amountSatang = toSatang(row.amountSatang ?? 0n);
    this.#digest.add({ rowNo, amountSatang, digest });
    if (this.#terms.unapproved === 'only' && row.holds.some((hold) => hold !== 'approval'))
      this.#held = addFigures(this.#held, { rows: 1, amountSatang });
    this.#payees.add(proxyNo ?? '');
    const size = sizeOf(amountSatang);
    this.#sizes[size] = (this.#sizes[size] ?? 0) + 1;
    if (isNewPayee) addPayee(this.#newPayees, { proxyNo: proxyNo ?? '', rows: 1, amountSatang });
    const least = this.#largest[largestMax - 1]?.amountSatang;
    if (least === undefined || amountSatang > least)
      this.#largest = keepLargest(this.#largest, [{ seq, amountSatang, isNewPayee }]);
  }

  /** Ends the count. Called once. */
  end(): CountedFile {
    const { batchId, fileName, payerAccount, versionsDigest } = this.#batch;
    const { rows, amountSatang, version: digest } = this.#digest.end();
    const leftOut = { rows: this.#leftOutRows, firstRowNos: this.#leftOut };
    const isCorrected = versionsDigest !== null;
    return {
      file: { batchId, fileName, rows, amountSatang, held: this.#held, digest, isCorrected, leftOut },
      payerAccount,
      payees: this.#payees,
      newPayees: [...this.#newPayees.values()],
      largest: this.#largest,
      sizes: this.#sizes,
    };
  }

  #goesOn(row: CountedRow): boolean {
    const { status, holds, acceptedHolds } = row;
    if (status !== 'ready' && status !== 'held') return false;
    if (this.#terms.lifted !== 'all' && ownCauses.includes(row.reasonCode ?? '')) return false;
    const { lifted, liftsLikeFile, unapproved } = this.#terms;
    const isRowApproved =
      this.#batch.people === null || (this.#isApproved && acceptedHolds.includes('approval'));
    if (unapproved === 'left-out' && !isRowApproved) return false;
    if (unapproved === 'only' && isRowApproved) return false;
    if (lifted === 'all') return true;
    const liftsLike = liftsLikeFile && isOfLikeFile(row);
    return holds.every((hold) => lifted.includes(hold) || (hold === 'similar' && liftsLike));
  }

  #leaveOut({ digest, rowNo }: CountedRow): void {
    if (digest === null) return;
    this.#leftOutRows += 1;
    if (this.#leftOut.length < leftOutMax) this.#leftOut.push(rowNo);
  }
}

const addFigures = (one: FiguredRows, other: FiguredRows): FiguredRows => ({
  rows: one.rows + other.rows,
  amountSatang: sumSatang([one.amountSatang, other.amountSatang]),
});

function addPayee(payees: Map<string, NewPayee>, { proxyNo, rows, amountSatang }: NewPayee): void {
  const known = payees.get(proxyNo);
  payees.set(proxyNo, {
    proxyNo,
    rows: rows + (known?.rows ?? 0),
    amountSatang: sumSatang([amountSatang, known?.amountSatang ?? zeroSatang]),
  });
}

// ---------------------------------------------------------------- one payout, registrations

/** A payout that is chosen by itself. */
interface ChosenPayout {
  readonly seq: number;
  readonly batchId: string;
  readonly fileName: string;
  readonly payerAccount: string;
  readonly proxyNo: string;
  /** The amount paid from then on. */
  readonly amountSatang: Satang;
  readonly wasSatang: Satang | null;
  readonly isNewPayee: boolean;
}

const noneLeftOut = { rows: 0, firstRowNos: [] } as const;

export function countPayout(payout: ChosenPayout): TargetFigures {
  const { seq, batchId, fileName, payerAccount, proxyNo, amountSatang, wasSatang, isNewPayee } = payout;
  const file = { batchId, fileName, rows: 1, amountSatang, held: noneHeld, digest: null, isCorrected: false };
  const newPayees = isNewPayee ? [{ proxyNo, rows: 1, amountSatang }] : [];
  const largest = [{ seq, amountSatang, isNewPayee }];
  const payees = new Set([proxyNo]);
  const sizes = sizesOf(amountSatang);
  const figured = {
    file: { ...file, leftOut: noneLeftOut },
    payerAccount,
    payees,
    newPayees,
    largest,
    sizes,
  };
  return { of: 'payouts', wasSatang, files: [figured] };
}

/** Counts registrations of a file, which move no money. */
export function countRegistrations(batchId: string, fileName: string, rows: number): CountedFile {
  const file = { batchId, fileName, rows, amountSatang: zeroSatang, held: noneHeld };
  const whole = { digest: null, isCorrected: false, leftOut: noneLeftOut };
  const none = { payees: new Set<string>(), newPayees: [], largest: [], sizes: noSizes() };
  return { file: { ...file, ...whole }, payerAccount: '', ...none };
}

// ---------------------------------------------------------------- all targets of a proposal

function addFile(files: Map<string, FiguredFile>, more: FiguredFile): void {
  const known = files.get(more.batchId);
  files.set(
    more.batchId,
    known === undefined
      ? more
      : { ...known, ...addFigures(known, more), held: addFigures(known.held, more.held) },
  );
}

/** Adds up the figures of all targets. */
export function sumFigures(all: readonly TargetFigures[]): ProposalFigures {
  const files = new Map<string, FiguredFile>();
  const payees = new Set<string>();
  const newOnes = new Map<string, NewPayee>();
  const sizes = noSizes();
  const accounts = new Set<string>();
  let largest: readonly FiguredRowOfMany[] = [];
  for (const figured of all.flatMap((one) => one.files)) {
    addFile(files, figured.file);
    if (figured.payerAccount !== '') accounts.add(maskDigits(figured.payerAccount));
    for (const payee of figured.payees) payees.add(payee);
    for (const payee of figured.newPayees) addPayee(newOnes, payee);
    for (const [size, rows] of figured.sizes.entries()) sizes[size] = (sizes[size] ?? 0) + rows;
    largest = keepLargest(largest, figured.largest);
  }
  const of = all[0]?.of ?? 'others';
  const was = all.flatMap(({ wasSatang }) => wasSatang ?? []);
  const neverPaid = [...newOnes.values()];
  return {
    of,
    rows: of === 'others' ? all.length : sumOf([...files.values()].map(({ rows }) => rows)),
    wasSatang: was.length === 0 ? null : sumSatang(was),
    payerAccounts: [...accounts],
    files: [...files.values()].toSorted(byAmount),
    payees: payees.size,
    newPayees: {
      payees: neverPaid.length,
      rows: sumOf(neverPaid.map(({ rows }) => rows)),
      amountSatang: sumSatang(neverPaid.map(({ amountSatang }) => amountSatang)),
    },
    largest,
    sizes,
  };
}

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

/** The number and sum of a proposal's rows; the sum is null where no money is involved. */
export interface Counted {
  readonly of: CountedThing;
  readonly rows: number;
  readonly amountSatang: Satang | null;
}

/** A proposal as far as it is counted. */
interface CountedProposal {
  readonly totalSatang: Satang;
  readonly figures: ProposalFigures;
}

/** No sum where no amount is readable or no money is involved: never 0.00. */
const sumOrNone = (sum: Satang): Satang | null => (sum === zeroSatang ? null : sum);

/** The rows of a proposal, as they were counted when it was made. */
export function countedOf({ figures, totalSatang }: CountedProposal): Counted {
  const { of, rows } = figures;
  return { of, rows, amountSatang: of === 'registrations' ? null : sumOrNone(totalSatang) };
}

const things = { payouts: 'payout', registrations: 'registration', others: 'item' } as const;

/** "147 payouts, 2,346,099.60 baht". */
export function describeCounted({ of, rows, amountSatang }: Counted): Message {
  const count = counted(rows, things[of]);
  if (amountSatang === null) return count;
  return message('money.counted', { count, amount: showBaht(amountSatang) });
}

/** The rows that an approval covers and another hold keeps back. */
export function heldOf({ files }: Pick<ProposalFigures, 'files'>): FiguredRows {
  let sum = noneHeld;
  for (const { held } of files) sum = addFigures(sum, held);
  return sum;
}

/** The rows of a proposal without those that stay held: these are sent. */
export function paidOf(proposal: CountedProposal): Counted {
  const { of, rows, amountSatang } = countedOf(proposal);
  const held = heldOf(proposal.figures);
  const paid = amountSatang === null ? null : sumOrNone(toSatang(amountSatang - held.amountSatang));
  return { of, rows: rows - held.rows, amountSatang: paid };
}

/** "33 payouts, 6,195.04 baht", and the rows among them that stay held. */
export function describeProposed(proposal: CountedProposal): Message {
  const all = describeCounted(countedOf(proposal));
  const held = heldOf(proposal.figures);
  if (held.rows === 0) return all;
  const args = { counted: all, held: describeCounted({ of: 'payouts', ...held }) };
  return message(held.rows === 1 ? 'money.one-stays-held' : 'money.some-stay-held', args);
}

/** "180 payouts, 2,500,374.77 baht of 2 files are sent at once". */
export function describeSent({ rows, files }: ProposalFigures): Message {
  if (rows === 0) return message('approval.nothing-sent');
  const amountSatang = sumSatang(files.map((file) => file.amountSatang));
  const what = describeCounted({ of: 'payouts', rows, amountSatang });
  const said = { counted: what, files: counted(files.length, 'file') };
  return message(rows === 1 ? 'approval.sent.one' : 'approval.sent.many', said);
}

/**
 * The reason why more would happen now than was proposed; undefined when it would not. Less is allowed: others decided
 * on rows that were meanwhile paid or cancelled.
 */
export function findMore(proposed: ProposalFigures, now: ProposalFigures): Message | undefined {
  const known = new Map(proposed.files.map((file) => [file.batchId, file]));
  const more = now.files.find(({ batchId, rows, amountSatang }) => {
    const file = known.get(batchId);
    return rows > (file?.rows ?? 0) || amountSatang > (file?.amountSatang ?? zeroSatang);
  });
  if (more === undefined) return undefined;
  return message('proposal.more-now', { file: more.fileName, batch: more.batchId });
}

/** Decisions after which money is sent. */
export const pays = (decision: Decision): boolean =>
  decision === 'approve-batch' ||
  decision === 'go-on' ||
  decision.startsWith('retry') ||
  sendsWhatWaits(decision);

/** Decisions that send rows which they do not name. */
export const sendsWhatWaits = (decision: Decision): boolean =>
  decision === 'resume-batch' || decision === 'resume-payer';

// ---------------------------------------------------------------- stored form

const isAmount = (name: string): boolean => name.endsWith('Satang');

/** Encodes as JSON; amounts are satang as digits, beyond the range of JSON numbers. */
export const encodeFigures = (figures: object): string =>
  JSON.stringify(figures, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));

export const decodeFigures = (text: string): object =>
  JSON.parse(text, (name, value: unknown) =>
    isAmount(name) && typeof value === 'string' ? toSatang(BigInt(value)) : value,
  ) as object;
