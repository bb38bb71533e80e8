/**
 * The history of a payout as a chain: each event bears the hash of its whole text and the hash of the event before it;
 * the first follows a commitment to the row's instruction in the file. An event that is changed, removed, exchanged or
 * inserted breaks the chain of its payout, and no other chain.
 */
import { hash } from 'node:crypto';
import type { Attempt, HoldReason, Payout } from '../../core/payout.ts';
import type { Change } from '../../core/ports.ts';
import { type BrokenLink, hashCell } from './chain.ts';

/** The event of a row, as it is kept. Its text has no cell of the row: the instruction enters as a digest. */
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
  /** The detail as JSON. */
  readonly detail: Text;
}

const format = 'paydrop payout event v1';
const startFormat = 'paydrop payout start v1';

/** The separator of the parts of a text; no part contains it. */
export const partEnd = '\n';

/**
 * The predecessor of a payout's first event: SHA-256 (base64url) over a salt and the digest of the row's instruction.
 * Once the salt is gone, a number cannot be found by trial.
 * @param digest `computeInstructionDigest`; null where the row has no readable instruction
 * @param salt the salt of the digest; null where the digest is the commitment, since its instruction was erased
 */
export const commitTo = (digest: string | null, salt: string | null): string | null =>
  digest === null || salt === null
    ? digest
    : hash('sha256', `${startFormat}${partEnd}${salt}${partEnd}${digest}`, 'base64url');

type Detail = Readonly<Record<string, unknown>>;

/** Members that name people, or that reveal a number by trial, because all other parts of the order are known. */
const personalNames = ['by', 'checkedBy', 'orderHash', 'bankNames'] as const;

/** The name in a history for a decider from the time before named people. */
const unnamed = 'people';

const isPersonal = (value: unknown): value is string => typeof value === 'string' && value !== unnamed;

/** The state that a detail repeats, and no other member: an audit compares the tables with it. */
interface ToldState {
  /** The holds of a row that has or had any. */
  readonly holds?: readonly HoldReason[];
  /** Holds that a person accepted, except `approval`, for a row that has or had any. */
  readonly accepted?: readonly HoldReason[];
  /** The change itself was approved. */
  readonly approvalGiven?: true;
  /** JSON: number, status, the bank's reference and fee of the attempt. */
  readonly shows?: string;
  /** JSON: the bank's names of the payee, English and Thai; null where it has none. */
  readonly bankNames?: string | null;
}

/** The state that the event of a registration repeats, beside its own facts. */
interface ToldRegistration {
  /** JSON: code, text and moment of the bank's callback; null before it. */
  readonly answer: string | null;
  /** SHA-256 (hex) of the body of the callback that the event takes. */
  readonly callbackHash?: string;
}

/** Members of a detail for audits alone: people read each of them in a table. */
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

/** The detail of an event for people, without the members for the chain. */
export const readDetail = (detail: string): Detail =>
  Object.fromEntries(
    Object.entries(JSON.parse(detail) as Detail).filter(([name]) => !chainMembers.has(name)),
  );

/** The bank's callback about a registration. */
interface Answer {
  readonly respCode: string | null;
  readonly respDesc: string | null;
  readonly applyDtm: string | null;
}

/** The callback as JSON; null before it. */
export const showAnswer = ({ respCode, respDesc, applyDtm }: Answer): string | null =>
  respCode === null ? null : JSON.stringify([respCode, respDesc, applyDtm]);

/**
 * The state after a change of a registration, for its event.
 * @param body the body of the callback that the change takes
 */
export const describeRegistration = (after: Answer, body: string | undefined): ToldRegistration => ({
  answer: showAnswer(after),
  ...(body !== undefined && { callbackHash: hashBody(body) }),
});

/** The hash of a callback's body, for an event. */
export const hashBody = (body: string): string => hash('sha256', body, 'hex');

export const showAttempt = ({
  attemptNo,
  status,
  sysRefNo,
  feeText,
}: Pick<Attempt, 'attemptNo' | 'sysRefNo' | 'feeText'> & { readonly status: string | null }): string =>
  JSON.stringify([attemptNo, status, sysRefNo, feeText]);

type BankNames = Pick<Payout, 'bankPayeeName' | 'bankPayeeNameTh'>;

/** The bank's names as JSON; null where there are none. */
export const showBankNames = ({ bankPayeeName, bankPayeeNameTh }: BankNames): string | null =>
  bankPayeeName === null && bankPayeeNameTh === null
    ? null
    : JSON.stringify([bankPayeeName, bankPayeeNameTh]);

/** The state after a change, for its event. */
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
 * Adds a salt to a detail that names people: the names enter the chain as salted hashes, so that they can be erased.
 * @param makeSalt returns a new salt each time: 128 random bits, as hex
 */
export function saltDetail(detail: Detail, makeSalt: () => string): Detail {
  const isNamed = personalNames.some((name) => isPersonal(detail[name]));
  return isNamed ? { ...detail, salt: makeSalt() } : detail;
}

/** Removes the names of people from a detail; the chain holds as before. */
export function eraseNames(detail: string): string {
  return JSON.stringify(withHashes(JSON.parse(detail) as Detail));
}

/** An erased name: its hash remains. */
const erased = (salt: string, value: string) => ({ sha256: hashCell({ salt, value }) });

function withHashes({ salt, ...detail }: Detail): Detail {
  if (typeof salt !== 'string') return detail;
  const hashed = personalNames.flatMap((name) => {
    const value = detail[name];
    return isPersonal(value) ? [[name, erased(salt, value)] as const] : [];
  });
  return { ...detail, ...Object.fromEntries(hashed) };
}

/** The detail as it is hashed; a detail without a salt needs no parsing. */
export const hashedDetail = (detail: string): string =>
  detail.includes('"salt":') ? eraseNames(detail) : detail;

/**
 * The parts of an event's text after the previous hash, one line each; a statement that makes many events joins them in
 * SQL. A detail that names people enters with the hashes of the names.
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
 * The hash of an event (base64url): SHA-256 of its format, the previous hash and its parts, a line each.
 * @param previous hash of the previous event of the same payout; for the first, `commitTo` of its row's instruction
 * @param text `textOf` the event
 */
export const hashEvent = (previous: string | null, text: string): string =>
  hash('sha256', `${format}${partEnd}${previous ?? '-'}${partEnd}${text}`, 'base64url');

/** An event as it is read, with its hash; null for an event inserted by other means. */
export interface KeptEvent extends ChainedEvent {
  readonly hash: string | null;
}

/** A payout whose history is checked, in its present state. */
export interface ChainedPayout {
  readonly seq: number;
  readonly status: string;
  readonly lastEventSeq: number;
  /** The predecessor of the first event: `commitTo` of the instruction in its file. */
  readonly start: string | null;
  /** The events in their order. */
  readonly events: readonly KeptEvent[];
}

/** The statuses of rows before their first event. */
const firstStatuses = ['staged', 'rejected'];

/** Finds the first event of a payout that differs from what was written; undefined when none does. */
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
