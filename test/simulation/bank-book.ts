/** The simulated bank's own book: what it took in, what became of it, and what it shows to whom asks. */
import type { InquiryItem, StatusInquiry } from '../../src/core/bank-port.ts';
import type { TransferOrder } from '../../src/core/payout.ts';
import { completeState, contradictoryCodes, failedState, openState, successCode } from './bank-codes.ts';
import type { InquiryDay, Plan } from './plan.ts';
import type { World } from './world.ts';

/** One transfer that the bank has taken in. */
export interface Entry {
  readonly order: TransferOrder;
  /** Bangkok day by the bank's clock on which it was received. */
  readonly day: string;
  readonly sysRefNo: string;
  /** Inquiries do not find it before; Infinity for what they never find. */
  readonly visibleAtMs: number;
  /** From when on the same order is a duplicate. */
  readonly countsFromMs: number;
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

/** What an inquiry names. */
export type AskedFor = Pick<StatusInquiry, 'transRefNo' | 'tranDate' | 'termId'>;

const bangkokMs = 7 * 3_600_000;

export const bangkokDay = (epochMs: number): string =>
  new Date(epochMs + bangkokMs).toISOString().slice(0, 10).replaceAll('-', '');

/** §4 rule 2: what makes a repetition on the same day. */
const keyOf = ({ companyId, termId, transRefNo, tranDate }: TransferOrder, day: string): string =>
  [companyId, termId, transRefNo, tranDate, day].join(' ');

export class BankBook {
  readonly entries: Entry[] = [];
  readonly sends: Send[] = [];
  readonly #byKey = new Map<string, Entry[]>();
  readonly #byReference = new Map<string, Entry[]>();
  readonly #world: World;
  readonly #plan: Pick<Plan, 'bankOffsetMs' | 'inquiryDay' | 'memory'>;

  constructor(world: World, plan: Pick<Plan, 'bankOffsetMs' | 'inquiryDay' | 'memory'>) {
    this.#world = world;
    this.#plan = plan;
  }

  /** The bank's own clock. */
  get bankMs(): number {
    return this.#world.nowMs + this.#plan.bankOffsetMs;
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
    const { nowMs } = this.#world;
    return this.#byKey.get(keyOf(order, this.day))?.findLast(({ countsFromMs }) => nowMs >= countsFromMs);
  }

  enter(entry: Entry): void {
    this.entries.push(entry);
    const key = keyOf(entry.order, entry.day);
    this.#byKey.set(key, [...(this.#byKey.get(key) ?? []), entry]);
    this.#byReference.set(entry.order.transRefNo, [...this.of(entry.order.transRefNo), entry]);
  }

  /** Money of ours has moved under this reference, or may still move, by an order that is meant. */
  mayMove(transRefNo: string, isMeant: (order: TransferOrder) => boolean = () => true): boolean {
    const isLive = this.of(transRefNo)
      .filter((entry) => !entry.isForeign && isMeant(entry.order))
      .some((entry) => this.stateOf(entry) !== 'failed');
    if (isLive) return true;
    return this.sends
      .filter(({ order, isDecided }) => !isDecided && order.transRefNo === transRefNo && isMeant(order))
      .some(({ order }) => this.findDuplicate(order) === undefined);
  }

  /** What an inquiry can see now. */
  visible({ transRefNo, tranDate, termId }: AskedFor): readonly Entry[] {
    const { nowMs } = this.#world;
    const { inquiryDay, memory } = this.#plan;
    const dayOf: Record<InquiryDay, (entry: Entry) => string> = {
      any: () => tranDate,
      'transfer-date': ({ order }) => order.tranDate,
      'received-date': ({ day }) => day,
    };
    return this.of(transRefNo)
      .filter(({ visibleAtMs }) => visibleAtMs <= nowMs)
      .filter(({ visibleAtMs, endsAtMs, end }) => {
        const keepsMs = end === 'failed' ? memory.keepsFailedMs : memory.keepsMs;
        return nowMs < Math.max(visibleAtMs, endsAtMs) + keepsMs;
      })
      .filter(({ order }) => !memory.isByTerminal || order.termId === termId)
      .filter((entry) => dayOf[inquiryDay](entry) === tranDate);
  }

  /** The list of an inquiry, in no order. @param isContradictory each item says two things */
  show(entries: readonly Entry[], isContradictory: boolean): InquiryItem[] {
    const { dice } = this.#world;
    const items = entries.flatMap((entry) => {
      const state = this.stateOf(entry);
      if (isContradictory) {
        const [tranStatusCode, statusCode] = contradictoryCodes(dice, state);
        return [{ ...this.#item(entry, tranStatusCode), statusCode }];
      }
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
