/**
 * What a proposal lets happen, counted when it was made. It is kept with the proposal, so that whoever proposes, checks or
 * signs reads the same figures, whatever has become of the rows since.
 */
import { countOf, showBaht } from '../../core/figures.ts';
import { type Satang, sumSatang, toSatang, zeroSatang } from '../../core/money.ts';
import type { HoldReason, PayoutStatus } from '../../core/payout.ts';
import type { Batch } from '../../core/ports.ts';
import { maskDigits } from '../../core/proxy-id.ts';
import { batchWideHolds, dayHolds, rerunHolds } from '../../payout/rules/operator.ts';
import { likeFileCodes } from '../../payout/rules/similar.ts';
import { type ApprovalState, isApproved, WaitingDigest, type WaitingRow } from './approval.ts';
import type { Decision } from './terms.ts';

/** What the rows of a proposal are; `others`: differences, days, files and callbacks, which are counted as its items. */
export type CountedThing = 'payouts' | 'registrations' | 'others';

/** What a proposal lets happen of one file. */
export interface FiguredFile {
  readonly batchId: string;
  readonly fileName: string;
  readonly rows: number;
  readonly amountSatang: Satang;
  /** Over exactly these rows, as `paydrop check FILE --digest` gives it; null where single rows were chosen. */
  readonly digest: string | null;
  /** The file alone does not have the digest: rows of it were corrected. */
  readonly isCorrected: boolean;
  /** Rows of the file that ask for something and are not among these: `check --digest` is told of them. */
  readonly leftOut: { readonly rows: number; readonly firstRowNos: readonly number[] };
}

/** One of the largest; its payee is looked up when it is shown. */
export interface FiguredRowOfMany {
  readonly seq: number;
  readonly amountSatang: Satang;
  readonly isNewPayee: boolean;
}

export interface ProposalFigures {
  readonly of: CountedThing;
  readonly rows: number;
  /** Before they are corrected; null where nothing is. */
  readonly wasSatang: Satang | null;
  /** Masked. */
  readonly payerAccounts: readonly string[];
  /** The largest sum first. */
  readonly files: readonly FiguredFile[];
  /** To payees who were never paid before, each counted once. */
  readonly newPayees: { readonly payees: number; readonly rows: number; readonly amountSatang: Satang };
  readonly largest: readonly FiguredRowOfMany[];
}

/** A payee who was never paid before. */
interface NewPayee {
  readonly proxyNo: string;
  readonly rows: number;
  readonly amountSatang: Satang;
}

/** What is counted of one file. */
export interface CountedFile {
  readonly file: FiguredFile;
  readonly payerAccount: string;
  readonly newPayees: readonly NewPayee[];
  readonly largest: readonly FiguredRowOfMany[];
}

/** What is counted of one target of a proposal. */
export interface TargetFigures {
  readonly of: CountedThing;
  readonly wasSatang: Satang | null;
  readonly files: readonly CountedFile[];
}

/** All that is counted of one target. */
export const sumTarget = ({ files }: TargetFigures): Satang =>
  sumSatang(files.map(({ file }) => file.amountSatang));

/** What is no payout and no registration: the target itself is all that is counted. */
export const nothingCounted: TargetFigures = { of: 'others', wasSatang: null, files: [] };

/** So many of the largest are named. */
const largestMax = 5;
/** Rows that are left out are named so far. */
const leftOutMax = 50;

/** The largest first. */
const byAmount = (
  one: { readonly amountSatang: Satang },
  other: { readonly amountSatang: Satang },
): number => (one.amountSatang === other.amountSatang ? 0 : one.amountSatang < other.amountSatang ? 1 : -1);

/** Of two that are as large the first stays before. */
function keepLargest(largest: readonly FiguredRowOfMany[], more: readonly FiguredRowOfMany[]) {
  return [...largest, ...more].toSorted(byAmount).slice(0, largestMax);
}

// ---------------------------------------------------------------- what goes on of a batch

/** What a decision about a batch or an account lets go on of a batch. */
export interface LetsGoOn {
  /** Holds that are no obstacle. */
  readonly lifted: readonly HoldReason[] | 'all';
  /** That the whole file is like another one is no obstacle, either. */
  readonly liftsLikeFile: boolean;
  /** Rows that were not approved yet as they are: left out, the only ones, or as all others. */
  readonly unapproved: 'left-out' | 'only' | 'alike';
  /** From which the batch is paid then. */
  readonly payerAccount: string;
}

export type DecisionOnWhole =
  'approve-batch' | 'resume-batch' | 'cancel-batch' | 'resume-payer' | 'halt-payer';

/** @param payerAccount of the settings, from which a batch is paid that is resumed */
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
      const lifted = [...batchWideHolds, ...dayHolds];
      // What is like another file goes on with it, but not with a halt: `resumeBatch`.
      const liftsLikeFile = batch.status !== 'halted';
      return { lifted, liftsLikeFile, unapproved: 'left-out', payerAccount };
    }
    case 'resume-payer':
    case 'halt-payer':
      return { ...own, lifted: rerunHolds, unapproved: 'left-out' };
  }
}

/** A row as it is counted. */
export interface CountedRow extends Omit<WaitingRow, 'amountSatang'> {
  readonly seq: number;
  readonly proxyNo: string | null;
  /** Null where it cannot be read. */
  readonly amountSatang: bigint | null;
  readonly status: PayoutStatus;
  readonly reasonCode: string | null;
  readonly holds: readonly HoldReason[];
  readonly acceptedHolds: readonly HoldReason[];
  /** Nothing was ever paid to its payee. */
  readonly isNewPayee: boolean;
}

const isOfLikeFile = ({ reasonCode }: CountedRow): boolean =>
  Object.values<string | null>(likeFileCodes).includes(reasonCode);

/** A batch as it is counted. */
export interface CountedBatch extends ApprovalState {
  readonly batchId: string;
  readonly fileName: string;
  readonly versionsDigest: string | null;
}

/** Takes one row of a batch after the other; memory stays flat but for the payees who are new. */
export class GoingOn {
  readonly #batch: CountedBatch;
  readonly #terms: LetsGoOn;
  readonly #isApproved: boolean;
  readonly #digest: WaitingDigest;
  readonly #newPayees = new Map<string, NewPayee>();
  #largest: readonly FiguredRowOfMany[] = [];
  #leftOutRows = 0;
  readonly #leftOut: number[] = [];

  constructor(batch: CountedBatch, terms: LetsGoOn) {
    this.#batch = { ...batch, payerAccount: terms.payerAccount };
    this.#terms = terms;
    this.#isApproved = isApproved(this.#batch);
    this.#digest = new WaitingDigest(this.#batch);
  }

  /** In the order of the file. */
  add(row: CountedRow): void {
    if (!this.#goesOn(row)) {
      this.#leaveOut(row);
      return;
    }
    const { seq, rowNo, digest, proxyNo, isNewPayee } = row;
    const amountSatang = toSatang(row.amountSatang ?? 0n);
    this.#digest.add({ rowNo, amountSatang, digest });
    if (isNewPayee) addPayee(this.#newPayees, { proxyNo: proxyNo ?? '', rows: 1, amountSatang });
    const least = this.#largest[largestMax - 1]?.amountSatang;
    if (least === undefined || amountSatang > least)
      this.#largest = keepLargest(this.#largest, [{ seq, amountSatang, isNewPayee }]);
  }

  /** Called once. */
  end(): CountedFile {
    const { batchId, fileName, payerAccount, versionsDigest } = this.#batch;
    const { rows, amountSatang, version: digest } = this.#digest.end();
    const leftOut = { rows: this.#leftOutRows, firstRowNos: this.#leftOut };
    const isCorrected = versionsDigest !== null;
    return {
      file: { batchId, fileName, rows, amountSatang, digest, isCorrected, leftOut },
      payerAccount,
      newPayees: [...this.#newPayees.values()],
      largest: this.#largest,
    };
  }

  #goesOn(row: CountedRow): boolean {
    const { status, holds, acceptedHolds } = row;
    if (status !== 'ready' && status !== 'held') return false;
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
export interface ChosenPayout {
  readonly seq: number;
  readonly batchId: string;
  readonly fileName: string;
  readonly payerAccount: string;
  readonly proxyNo: string;
  /** As it is paid from then on. */
  readonly amountSatang: Satang;
  readonly wasSatang: Satang | null;
  readonly isNewPayee: boolean;
}

const noneLeftOut = { rows: 0, firstRowNos: [] } as const;

export function countPayout(payout: ChosenPayout): TargetFigures {
  const { seq, batchId, fileName, payerAccount, proxyNo, amountSatang, wasSatang, isNewPayee } = payout;
  const file = { batchId, fileName, rows: 1, amountSatang, digest: null, isCorrected: false };
  const newPayees = isNewPayee ? [{ proxyNo, rows: 1, amountSatang }] : [];
  const largest = [{ seq, amountSatang, isNewPayee }];
  const counted = { file: { ...file, leftOut: noneLeftOut }, payerAccount, newPayees, largest };
  return { of: 'payouts', wasSatang, files: [counted] };
}

/** Registrations of a file: no money is moved by them. */
export function countRegistrations(batchId: string, fileName: string, rows: number): CountedFile {
  const file = { batchId, fileName, rows, amountSatang: zeroSatang, digest: null, isCorrected: false };
  return { file: { ...file, leftOut: noneLeftOut }, payerAccount: '', newPayees: [], largest: [] };
}

// ---------------------------------------------------------------- all targets of a proposal

function addFile(files: Map<string, FiguredFile>, more: FiguredFile): void {
  const known = files.get(more.batchId);
  files.set(
    more.batchId,
    known === undefined
      ? more
      : {
          ...known,
          rows: known.rows + more.rows,
          amountSatang: sumSatang([known.amountSatang, more.amountSatang]),
        },
  );
}

/** Adds up what is counted of each target. */
export function sumFigures(all: readonly TargetFigures[]): ProposalFigures {
  const files = new Map<string, FiguredFile>();
  const payees = new Map<string, NewPayee>();
  const accounts = new Set<string>();
  let largest: readonly FiguredRowOfMany[] = [];
  for (const counted of all.flatMap((one) => one.files)) {
    addFile(files, counted.file);
    if (counted.payerAccount !== '') accounts.add(maskDigits(counted.payerAccount));
    for (const payee of counted.newPayees) addPayee(payees, payee);
    largest = keepLargest(largest, counted.largest);
  }
  const of = all[0]?.of ?? 'others';
  const was = all.flatMap(({ wasSatang }) => wasSatang ?? []);
  const newOnes = [...payees.values()];
  return {
    of,
    rows: of === 'others' ? all.length : sumOf([...files.values()].map(({ rows }) => rows)),
    wasSatang: was.length === 0 ? null : sumSatang(was),
    payerAccounts: [...accounts],
    files: [...files.values()].toSorted(byAmount),
    newPayees: {
      payees: newOnes.length,
      rows: sumOf(newOnes.map(({ rows }) => rows)),
      amountSatang: sumSatang(newOnes.map(({ amountSatang }) => amountSatang)),
    },
    largest,
  };
}

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

/** How many of what a proposal is about, and how much; null where nobody has counted, or no money is meant. */
export interface Counted {
  readonly of: CountedThing;
  readonly rows: number | null;
  readonly amountSatang: Satang | null;
}

/** A proposal as far as it is counted. */
interface CountedProposal {
  /** Of its first item. */
  readonly kind?: string | undefined;
  readonly items: number;
  readonly totalSatang: Satang;
  readonly figures?: ProposalFigures | null;
}

/** Of an older program, which has counted a batch or an account as one, and of an account no money. */
function countOlder({ kind, items, totalSatang }: CountedProposal): Counted {
  if (kind === 'payout') return { of: 'payouts', rows: items, amountSatang: sumOrNone(totalSatang) };
  if (kind === 'batch') return { of: 'payouts', rows: null, amountSatang: totalSatang };
  if (kind === 'payer') return { of: 'payouts', rows: null, amountSatang: null };
  if (kind === 'registration') return { of: 'registrations', rows: items, amountSatang: null };
  if (kind === 'registration-batch') return { of: 'registrations', rows: null, amountSatang: null };
  return { of: 'others', rows: items, amountSatang: sumOrNone(totalSatang) };
}

/** Nothing is said of a sum where no amount can be read, or none is meant: never 0.00. */
const sumOrNone = (sum: Satang): Satang | null => (sum === zeroSatang ? null : sum);

/** What a proposal is about, as it was counted when it was made. */
export function countedOf(proposal: CountedProposal): Counted {
  const { figures, totalSatang } = proposal;
  if (!figures) return countOlder(proposal);
  const { of, rows } = figures;
  return { of, rows, amountSatang: of === 'registrations' ? null : sumOrNone(totalSatang) };
}

const thingWords: Readonly<Record<CountedThing, string>> = {
  payouts: 'payout',
  registrations: 'registration',
  others: 'item',
};

/** "147 payouts, 2,346,099.60 baht". */
export function describeCounted(proposal: CountedProposal): string {
  const { of, rows, amountSatang } = countedOf(proposal);
  const count = rows === null ? `${thingWords[of]}s that were not counted` : countOf(rows, thingWords[of]);
  return amountSatang === null ? count : `${count}, ${showBaht(amountSatang)} baht`;
}

/**
 * Why more would happen by now than was proposed; undefined when it would not. Less may: what was paid or cancelled
 * meanwhile was decided by others.
 */
export function findMore(proposed: ProposalFigures, now: ProposalFigures): string | undefined {
  const known = new Map(proposed.files.map((file) => [file.batchId, file]));
  const more = now.files.find(({ batchId, rows, amountSatang }) => {
    const file = known.get(batchId);
    return rows > (file?.rows ?? 0) || amountSatang > (file?.amountSatang ?? zeroSatang);
  });
  if (more === undefined) return undefined;
  return `more would be sent by it now than was proposed, of ${more.fileName} (batch ${more.batchId}): send it back, to be proposed anew`;
}

/** Decisions that let something be sent of rows that none of them names. */
export const sendsWhatWaits = (decision: Decision): boolean =>
  decision === 'resume-batch' || decision === 'resume-payer';

// ---------------------------------------------------------------- as they are kept

const isAmount = (name: string): boolean => name.endsWith('Satang');

/** As JSON; amounts are satang in digits, which no number could hold. */
export const encodeFigures = (figures: ProposalFigures): string =>
  JSON.stringify(figures, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));

export const decodeFigures = (text: string): ProposalFigures =>
  JSON.parse(text, (name, value: unknown) =>
    isAmount(name) && typeof value === 'string' ? toSatang(BigInt(value)) : value,
  ) as ProposalFigures;
