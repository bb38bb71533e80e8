/** The simulated bank's own book: what it took in, what became of it, and what it shows to whom asks. */
import type { InquiryItem, StatusInquiry } from '../../src/core/bank-port.ts';
import type { TransferOrder } from '../../src/core/payout.ts';
import { completeState, failedState, openState, successCode } from './bank-codes.ts';
import type { InquiryDay } from './plan.ts';
import type { World } from './world.ts';

/** One transfer that the bank has taken in. */
export interface Entry {
  readonly order: TransferOrder;
  /** Bangkok day by the bank's clock on which it was received. */
  readonly day: string;
  readonly sysRefNo: string;
  /** Inquiries do not find it before. */
  readonly visibleAtMs: number;
  readonly endsAtMs: number;
  readonly end: 'complete' | 'failed';
  /** From when on the bank shows it as complete after all, against its own rules. */
  readonly revivesAtMs: number;
  /** Failed items of the same reference that are shown beside the transfer itself. */
  readonly failedItems: number;
  /** Made by somebody else under the same reference. */
  readonly isForeign: boolean;
}

export type EntryState = 'open' | 'complete' | 'failed';

/** Bytes of a transfer that have left us. */
export interface Send {
  readonly order: TransferOrder;
  readonly requestUid: string;
  readonly leftAtMs: number;
  /** Arrived at the bank, or lost for ever. */
  isDecided: boolean;
}

const bangkokMs = 7 * 3_600_000;

export const bangkokDay = (epochMs: number): string =>
  new Date(epochMs + bangkokMs).toISOString().slice(0, 10).replaceAll('-', '');

/** §4 rule 2: what makes a repetition on the same day. */
const keyOf = ({ companyId, termId, transRefNo, tranDate }: TransferOrder, day: string): string =>
  [companyId, termId, transRefNo, tranDate, day].join(' ');

export class BankBook {
  readonly entries: Entry[] = [];
  readonly sends: Send[] = [];
  readonly #byKey = new Map<string, Entry>();
  readonly #byReference = new Map<string, Entry[]>();
  readonly #world: World;
  readonly #offsetMs: number;
  readonly #inquiryDay: InquiryDay;

  constructor(world: World, offsetMs: number, inquiryDay: InquiryDay) {
    this.#world = world;
    this.#offsetMs = offsetMs;
    this.#inquiryDay = inquiryDay;
  }

  /** The bank's own clock. */
  get bankMs(): number {
    return this.#world.nowMs + this.#offsetMs;
  }

  get day(): string {
    return bangkokDay(this.bankMs);
  }

  stateOf(entry: Entry): EntryState {
    if (this.#world.nowMs >= entry.revivesAtMs) return 'complete';
    return this.#world.nowMs < entry.endsAtMs ? 'open' : entry.end;
  }

  of(transRefNo: string): readonly Entry[] {
    return this.#byReference.get(transRefNo) ?? [];
  }

  /** What the same-day rule finds for an order that arrives now. */
  findDuplicate(order: TransferOrder): Entry | undefined {
    return this.#byKey.get(keyOf(order, this.day));
  }

  enter(entry: Entry): void {
    this.entries.push(entry);
    this.#byKey.set(keyOf(entry.order, entry.day), entry);
    this.#byReference.set(entry.order.transRefNo, [...this.of(entry.order.transRefNo), entry]);
  }

  /** Money of ours has moved under this reference, or may still move. */
  mayMove(transRefNo: string): boolean {
    const isLive = this.of(transRefNo).some((entry) => !entry.isForeign && this.stateOf(entry) !== 'failed');
    if (isLive) return true;
    return this.sends.some(
      ({ order, isDecided }) =>
        !isDecided && order.transRefNo === transRefNo && this.findDuplicate(order) === undefined,
    );
  }

  /** What an inquiry can see now: it keeps transfers by terminal. */
  visible({
    transRefNo,
    tranDate,
    termId,
  }: Pick<StatusInquiry, 'transRefNo' | 'tranDate' | 'termId'>): readonly Entry[] {
    const dayOf: Record<InquiryDay, (entry: Entry) => string> = {
      any: () => tranDate,
      'transfer-date': ({ order }) => order.tranDate,
      'received-date': ({ day }) => day,
    };
    return this.of(transRefNo).filter(
      (entry) =>
        this.#world.nowMs >= entry.visibleAtMs &&
        entry.order.termId === termId &&
        dayOf[this.#inquiryDay](entry) === tranDate,
    );
  }

  /** The list of an inquiry, in no order. */
  show(entries: readonly Entry[]): InquiryItem[] {
    const { dice } = this.#world;
    const items = entries.flatMap((entry) => {
      const state = this.stateOf(entry);
      const own = { complete: completeState, failed: failedState(dice), open: openState(dice) }[state];
      const failed = Array.from({ length: entry.failedItems }, () => this.#item(entry, failedState(dice)));
      return [...failed, this.#item(entry, own)];
    });
    return dice.shuffle(items);
  }

  #item({ order, sysRefNo }: Entry, tranStatusCode: string | undefined): InquiryItem {
    const isTold = this.#world.dice.chance(0.5);
    const statusCode = tranStatusCode === completeState ? successCode : 'EV055';
    return {
      transRefNo: order.transRefNo,
      sysRefNo,
      tranDate: order.tranDate,
      tranTime: order.tranTime,
      reference1: order.reference1 ?? undefined,
      tranStatusCode,
      tranStatusDesc: undefined,
      statusCode: isTold ? statusCode : undefined,
      statusDesc: undefined,
    };
  }
}
