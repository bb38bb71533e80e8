/**
 * What has left under each number of each payoutId, and how each send has ended, as its process was told: the numbers that
 * the bank knows are contiguous, and the same number goes again only after refusals (design: "Attempts and sends").
 */
import type { BankReply, TransferFields } from '../../src/core/bank-port.ts';
import type { TransferOrder } from '../../src/core/payout.ts';
import { refusals } from './bank-codes.ts';
import type { DiskView } from './disk-view.ts';
import { acknowledging, type Finding } from './told.ts';
import type { Life } from './world.ts';

/** `unproven`: a refusal without our requestUID; `held`: the bank has said that it holds the reference. */
type SendEnd = 'unknown' | 'refused' | 'unproven' | 'held';

interface SeenSend {
  readonly order: TransferOrder;
  readonly life: Life;
  /** Of a new token, after the gateway has refused the one before. */
  readonly isRenewal: boolean;
  end: SendEnd;
  /** What people have decided on its row since: that it goes again, or that it has failed. */
  readonly decided: Set<Decided>;
}

type Decided = 'again' | 'failed';

const refusing: readonly string[] = Object.values(refusals).flat();
const gatewayStatuses: readonly number[] = [401, 403, 429];

export const numberOf = (transRefNo: string): number => Number(transRefNo.slice(-2));

/** The same text for the same order, whatever the order of its fields. */
export const spell = (order: TransferOrder): string =>
  JSON.stringify(Object.entries(order).toSorted(([one], [other]) => (one < other ? -1 : 1)));

/** All that a payment is but its reference, day and time. */
const spellContent = (order: TransferOrder): string =>
  spell({ ...order, transRefNo: '', tranDate: '', tranTime: '' });

/** True when an inquiry about the reference of these sends does not tell which of two contents was completed. */
export const areTwoContents = (
  sends: readonly { readonly order: TransferOrder; readonly sends: number }[],
): boolean =>
  new Set(sends.filter((one) => one.sends > 0).map(({ order }) => spellContent({ ...order, termId: '' })))
    .size > 1;

export class SendWatch {
  readonly #disk: () => DiskView;
  /** By payoutId and number; of the journal that is at work. */
  readonly #sends = new Map<string, SeenSend[]>();
  /** References by payoutId and number, that have ever left, whatever the journal. */
  readonly #left = new Map<string, string>();
  /** References of which the bank has ever shown nothing but failed items. */
  readonly #failed = new Set<string>();
  /** References that have left, and whether the bank has been asked since, and has shown them failed or nothing. */
  readonly #settled = new Map<string, boolean>();
  /** Days and terminals for which each process has asked about a reference since it was sent last. */
  readonly #asked = new WeakMap<Life, Set<string>>();

  constructor(disk: () => DiskView) {
    this.#disk = disk;
  }

  /** Another journal takes the place of the one before. */
  lookAnew(): void {
    this.#sends.clear();
    this.#settled.clear();
  }

  noteShown(transRefNo: string, finding: Finding): void {
    if (this.#settled.has(transRefNo))
      this.#settled.set(transRefNo, finding === 'failed' || finding === 'not-found');
  }

  /** @returns why a row with these references must not be cancelled; undefined when it may, or is not */
  judgeCancel(cause: string, references: readonly string[]): string | undefined {
    if (cause !== 'cancelled') return undefined;
    const open = references.find((one) => this.#settled.get(one) === false);
    return open === undefined ? undefined : `the bank was not asked about ${open}, which had left`;
  }

  noteFailed(transRefNo: string): void {
    this.#failed.add(transRefNo);
  }

  noteAsked(asked: Pick<TransferOrder, 'transRefNo' | 'tranDate' | 'termId'>, life: Life): void {
    const known = this.#asked.get(life) ?? new Set();
    this.#asked.set(life, known.add(spellAsked(asked)));
  }

  noteDecision(payoutId: string | null, what: Decided): void {
    for (const [name, sends] of this.#sends)
      if (name.startsWith(`${payoutId ?? ''} `)) for (const { decided } of sends) decided.add(what);
  }

  /** How a send stands to those before it; undefined for a first one, or one that repeats the same order. */
  kindOf(order: TransferOrder): 'same-number-again' | 'next-number' | undefined {
    const earlier = this.#sends.get(nameOf(order)) ?? [];
    if (earlier.length === 0) return numberOf(order.transRefNo) > 1 ? 'next-number' : undefined;
    return earlier.some((send) => spell(send.order) === spell(order)) ? undefined : 'same-number-again';
  }

  /** @returns why these bytes must not leave; undefined when they may */
  judge(order: TransferOrder, life: Life, isRenewal: boolean): string | undefined {
    const { reference1, transRefNo } = order;
    const number = numberOf(transRefNo);
    if (number > 1) {
      const before = this.#left.get(`${reference1 ?? ''} ${number - 1}`);
      if (before === undefined) return `the bank has never seen number ${number - 1}`;
      if (!this.#failed.has(before)) return `the bank has shown no failed item for ${before}`;
    }
    const earlier = this.#sends.get(nameOf(order)) ?? [];
    if (isRenewal || earlier.length === 0) return undefined;
    return (
      earlier.map((send) => this.#judgeAfter(send, order, life)).find((why) => why !== undefined) ??
      this.#judgeAsked(earlier, life)
    );
  }

  /** Whether the same number may go again after this send of it. */
  #judgeAfter(send: SeenSend, order: TransferOrder, life: Life): string | undefined {
    const isKept =
      send.life === life ||
      this.#disk()
        .attempts(order.transRefNo)
        .some(({ acknowledged }) => acknowledged);
    if (send.end === 'held' && isKept) return 'the bank has said that it holds the reference';
    const { end, decided } = send;
    if (end === 'refused' || decided.has('failed') || (end === 'unproven' && decided.has('again')))
      return undefined;
    if (end !== 'unproven')
      return spell(send.order) === spell(order) ? undefined : 'an earlier send of it may still be paid';
    const isSameContent = spellContent(send.order) === spellContent(order);
    const isSamePlace = send.order.tranDate === order.tranDate;
    return isSameContent && isSamePlace ? undefined : 'it was refused without our requestUID, as another';
  }

  /** The bank has been asked for each day and terminal of its sends. */
  #judgeAsked(earlier: readonly SeenSend[], life: Life): string | undefined {
    const asked = this.#asked.get(life);
    const missing = earlier.find(({ order }) => asked?.has(spellAsked(order)) !== true);
    if (missing === undefined) return undefined;
    const { tranDate, termId } = missing.order;
    return `nobody has asked about it for ${tranDate} and ${termId}`;
  }

  left(order: TransferOrder, life: Life, isRenewal: boolean): void {
    const name = nameOf(order);
    this.#left.set(name, order.transRefNo);
    this.#settled.set(order.transRefNo, false);
    const send: SeenSend = { order, life, isRenewal, end: 'unknown', decided: new Set() };
    const earlier = this.#sends.get(name) ?? [];
    // The gateway has refused the one before it, and nothing more comes of that.
    const present = isRenewal ? earlier.slice(0, -1) : earlier;
    this.#sends.set(name, [...present, send]);
    const asked = this.#asked.get(life);
    for (const one of asked ?? []) if (one.startsWith(order.transRefNo)) asked?.delete(one);
  }

  told(order: TransferOrder, reply: BankReply<TransferFields>, life: Life): void {
    const send = this.#sends
      .get(nameOf(order))
      ?.findLast((one) => one.life === life && spell(one.order) === spell(order));
    if (send !== undefined) send.end = endOf(order, reply);
  }
}

const nameOf = ({ reference1, transRefNo }: TransferOrder): string =>
  `${reference1 ?? ''} ${numberOf(transRefNo)}`;

const spellAsked = ({
  transRefNo,
  tranDate,
  termId,
}: Pick<TransferOrder, 'transRefNo' | 'tranDate' | 'termId'>): string =>
  `${transRefNo} ${tranDate} ${termId}`;

/** How a send has ended, by its reply. */
function endOf({ transRefNo }: TransferOrder, reply: BankReply<TransferFields>): SendEnd {
  if (reply.kind === 'withheld') return 'refused';
  if (reply.kind !== 'answered') return 'unknown';
  const { httpStatus, fields, requestUid, followsBare401 } = reply;
  if (httpStatus >= 300 && httpStatus < 400) return 'unknown';
  const isAnothers =
    (fields?.transRefNo ?? transRefNo) !== transRefNo || (fields?.requestUid ?? requestUid) !== requestUid;
  if (isAnothers) return 'unknown';
  if (fields === undefined) return gatewayStatuses.includes(httpStatus) ? 'unproven' : 'unknown';
  if (acknowledging.includes(fields.statusCode)) return 'held';
  if (!refusing.includes(fields.statusCode)) return 'unknown';
  return fields.requestUid === requestUid && followsBare401 !== true ? 'refused' : 'unproven';
}
