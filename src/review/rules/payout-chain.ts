/**
 * The history of a payout as a chain: each event bears the hash of a text that has all of it, and the hash of the event
 * before it; the first follows a commitment to the instruction that the row's file asks for. An event that is changed,
 * removed, exchanged or put in between breaks the chain of its payout, and no other.
 */
import { hash } from 'node:crypto';
import type { Attempt, HoldReason, Payout } from '../../core/payout.ts';
import type { Change } from '../../core/ports.ts';
import { type BrokenLink, hashCell } from './chain.ts';

/** The event of a row, as it is kept. No cell of the row enters its text: what it asks for does as a digest. */
export interface ChainedEvent<Text = string, Count = number> {
  readonly companyId: Text;
  readonly batchId: Text;
  readonly rowNo: Count;
  readonly seq: Count;
  readonly from: Text;
  readonly to: Text;
  readonly cause: Text;
  readonly atMs: Count;
  readonly attemptNo: Count;
  /** JSON. */
  readonly detail: Text;
}

const format = 'paydrop payout event v1';
const startFormat = 'paydrop payout start v1';

/** Between the parts of a text; none of them has it. */
export const partEnd = '\n';

/**
 * What the first event of a payout follows: SHA-256 (base64url) over a salt and the digest of what its row asks for.
 * Nobody tries out numbers until one fits it, once the salt is gone.
 * @param digest `computeInstructionDigest`; null where the row asks for nothing that could be read
 * @param salt of the row; null of one that an older program has read in: its chain follows the digest itself
 */
export const commitTo = (digest: string | null, salt: string | null): string | null =>
  digest === null || salt === null
    ? digest
    : hash('sha256', `${startFormat}${partEnd}${salt}${partEnd}${digest}`, 'base64url');

type Detail = Readonly<Record<string, unknown>>;

/** What names people in the detail of an event, and what tells a number by trial: all else that is sent is known. */
const personalNames = ['by', 'checkedBy', 'orderHash', 'bankNames'] as const;

/** What stands in a history for whoever decided before there were people with names. */
const unnamed = 'people';

const isPersonal = (value: unknown): value is string => typeof value === 'string' && value !== unnamed;

/** What stands in a payout or an attempt, and in no other member of a detail: an audit holds the tables against it. */
interface ToldState {
  /** Of a row that is held, or was. */
  readonly holds?: readonly HoldReason[];
  /** Holds that a person has accepted, but for `approval`: of a row that has any, or had. */
  readonly accepted?: readonly HoldReason[];
  /** The change itself was approved. */
  readonly approvalGiven?: true;
  /** JSON: number, status, the bank's reference and fee of the attempt. */
  readonly shows?: string;
  /** JSON: what the bank calls the payee, and in Thai; null where it calls nobody anything. */
  readonly bankNames?: string | null;
}

/** What the event of a registration says of its state, besides its own facts. */
interface ToldRegistration {
  /** JSON: code, text and moment that the bank has called back; null before. */
  readonly answer: string | null;
  /** SHA-256 (hex) of the body of the callback that is taken by it. */
  readonly callbackHash?: string;
}

/** Members of a detail that audits read, and no person: each stands in a table that people read. */
const chainMembers: ReadonlySet<string> = new Set<keyof ToldState | keyof ToldRegistration | 'salt'>([
  'salt',
  'holds',
  'accepted',
  'approvalGiven',
  'shows',
  'bankNames',
  'answer',
  'callbackHash',
]);

/** The detail of an event for people: what is of the chain alone left out. */
export const readDetail = (detail: string): Detail =>
  Object.fromEntries(
    Object.entries(JSON.parse(detail) as Detail).filter(([name]) => !chainMembers.has(name)),
  );

/** What the bank has called back about a registration. */
interface Answer {
  readonly respCode: string | null;
  readonly respDesc: string | null;
  readonly applyDtm: string | null;
}

/** Null where the bank has called nothing back. */
export const showAnswer = ({ respCode, respDesc, applyDtm }: Answer): string | null =>
  respCode === null ? null : JSON.stringify([respCode, respDesc, applyDtm]);

/** What the event of a change says of what the change leaves behind. @param body of a callback that it takes */
export const describeRegistration = (after: Answer, body: string | undefined): ToldRegistration => ({
  answer: showAnswer(after),
  ...(body !== undefined && { callbackHash: hashBody(body) }),
});

/** What an event says of the body of a callback. */
export const hashBody = (body: string): string => hash('sha256', body, 'hex');

export const showAttempt = ({
  attemptNo,
  status,
  sysRefNo,
  feeText,
}: Pick<Attempt, 'attemptNo' | 'sysRefNo' | 'feeText'> & { readonly status: string | null }): string =>
  JSON.stringify([attemptNo, status, sysRefNo, feeText]);

type BankNames = Pick<Payout, 'bankPayeeName' | 'bankPayeeNameTh'>;

/** Null where there are none. */
export const showBankNames = ({ bankPayeeName, bankPayeeNameTh }: BankNames): string | null =>
  bankPayeeName === null && bankPayeeNameTh === null
    ? null
    : JSON.stringify([bankPayeeName, bankPayeeNameTh]);

/** What the event of a change says of what the change leaves behind. */
export function describeState(
  { before, after, attempt, isIntent }: Change,
  isApprovalGiven: boolean,
): ToldState {
  const isHeld = before.holds.length + after.holds.length > 0;
  const isAccepted = before.acceptedHolds.length + after.acceptedHolds.length > 0;
  const accepted = after.acceptedHolds.filter((hold) => hold !== 'approval');
  const bankNames = showBankNames(after);
  return {
    ...(isHeld && { holds: after.holds }),
    ...(isAccepted && { accepted }),
    ...(isApprovalGiven && { approvalGiven: true }),
    ...(attempt !== undefined && { shows: showAttempt(attempt) }),
    ...((isIntent === true || bankNames !== showBankNames(before)) && { bankNames }),
  };
}

/**
 * The detail with a salt when it names people: that enters the chain as salted hashes, so that it can be erased.
 * @param makeSalt a new one each time: 128 bits of chance, as hex
 */
export function saltDetail(detail: Detail, makeSalt: () => string): Detail {
  const isNamed = personalNames.some((name) => isPersonal(detail[name]));
  return isNamed ? { ...detail, salt: makeSalt() } : detail;
}

/** The detail without what names people; the chain holds as before. */
export function eraseNames(detail: string): string {
  return JSON.stringify(withHashes(JSON.parse(detail) as Detail));
}

/** A name that was erased: what was hashed of it is left. */
const erased = (salt: string, value: string) => ({ sha256: hashCell({ salt, value }) });

function withHashes({ salt, ...detail }: Detail): Detail {
  if (typeof salt !== 'string') return detail;
  const hashed = personalNames.flatMap((name) => {
    const value = detail[name];
    return isPersonal(value) ? [[name, erased(salt, value)] as const] : [];
  });
  return { ...detail, ...Object.fromEntries(hashed) };
}

/** As it is hashed; one without a salt need not be read. */
export const hashedDetail = (detail: string): string =>
  detail.includes('"salt":') ? eraseNames(detail) : detail;

/**
 * What the text of an event has after the hash of the one before, a line each; a statement that makes many events joins
 * them in SQL. A detail that names people enters with their hashes.
 */
export const partsOf = <Text, Count>(event: ChainedEvent<Text, Count>): readonly (Text | Count)[] => [
  event.companyId,
  event.batchId,
  event.rowNo,
  event.seq,
  event.from,
  event.to,
  event.cause,
  event.atMs,
  event.attemptNo,
  event.detail,
];

export const textOf = (event: ChainedEvent): string =>
  partsOf({ ...event, detail: hashedDetail(event.detail) }).join(partEnd);

/**
 * The hash of an event (base64url): SHA-256 of its format, the hash before and its parts, a line each.
 * @param previous hash of the event before it of the same payout; of the first, `commitTo` what its row asks for
 * @param text `textOf` the event
 */
export const hashEvent = (previous: string | null, text: string): string =>
  hash('sha256', `${format}${partEnd}${previous ?? '-'}${partEnd}${text}`, 'base64url');

/** An event as it is read, with its hash; null of one that was put in by other means. */
export interface KeptEvent extends ChainedEvent {
  readonly hash: string | null;
}

/** A payout whose history is checked, as it stands. */
export interface ChainedPayout {
  readonly seq: number;
  readonly status: string;
  readonly lastEventSeq: number;
  /** What its first event follows: `commitTo` what its file asks for. */
  readonly start: string | null;
  /** In their order. */
  readonly events: readonly KeptEvent[];
}

/** What rows are before their first event. */
const firstStatuses = ['staged', 'rejected'];

/** The first event of a payout that is not as it was written; undefined when all are. */
export function findBrokenEvent(payout: ChainedPayout): BrokenLink | undefined {
  let previous = payout.start;
  let status: string | undefined;
  for (const event of payout.events) {
    if (event.hash !== hashEvent(previous, textOf(event)))
      return { seq: event.seq, why: 'it is not what was written, or does not follow the event before it' };
    if (status === undefined ? !firstStatuses.includes(event.from) : event.from !== status)
      return { seq: event.seq, why: 'it begins at another status than the event before it ends at' };
    previous = event.hash;
    status = event.to;
  }
  return findBrokenEnd(payout, status);
}

function findBrokenEnd(payout: ChainedPayout, status: string | undefined): BrokenLink | undefined {
  const { lastEventSeq: seq, events } = payout;
  if ((events.at(-1)?.seq ?? 0) !== seq)
    return { seq, why: 'it is not the latest event of the payout that it is said to be' };
  const isAsTold = status === undefined ? firstStatuses.includes(payout.status) : status === payout.status;
  return isAsTold ? undefined : { seq, why: 'the payout is in another status than its latest event says' };
}
