/**
 * The history of a payout as a chain: each event bears the hash of a text that has all of it, and the hash of the event
 * before it; the first follows the digest of the instruction that the row's file asks for. An event that is changed,
 * removed, exchanged or put in between breaks the chain of its payout, and no other.
 */
import { hash } from 'node:crypto';
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

type Detail = Readonly<Record<string, unknown>>;

/** What names people in the detail of an event. */
const personalNames = ['by', 'checkedBy'] as const;

/** What stands in a history for whoever decided before there were people with names. */
const unnamed = 'people';

const isPersonal = (value: unknown): value is string => typeof value === 'string' && value !== unnamed;

/**
 * The detail with a salt when it names people: their names enter the chain as salted hashes, so that they can be erased.
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

/** As it is hashed; few have a salt, and the others need not be read. */
const hashedDetail = (detail: string): string => (detail.includes('"salt":') ? eraseNames(detail) : detail);

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

/** Between the parts; none of them has it. */
export const partEnd = '\n';

export const textOf = (event: ChainedEvent): string =>
  partsOf({ ...event, detail: hashedDetail(event.detail) }).join(partEnd);

/**
 * The hash of an event (base64url): SHA-256 of its format, the hash before and its parts, a line each.
 * @param previous hash of the event before it of the same payout; of the first, the digest of the row's instruction (hex),
 * null where the row asked for nothing that could be read
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
  /** Of the instruction that its file asks for; null when that could not be read. */
  readonly digest: string | null;
  /** In their order. */
  readonly events: readonly KeptEvent[];
}

/** What rows are before their first event. */
const firstStatuses = ['staged', 'rejected'];

/** The first event of a payout that is not as it was written; undefined when all are. */
export function findBrokenEvent(payout: ChainedPayout): BrokenLink | undefined {
  let previous = payout.digest;
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
