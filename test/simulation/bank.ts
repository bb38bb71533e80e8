/** The simulated bank: what it does with each request that arrives, and what it answers. */
import type {
  InquiryFields,
  PayeeCheck,
  PayeeCheckFields,
  StatusInquiry,
  TransferFields,
} from '../../src/core/bank-port.ts';
import { BankBook, type Entry, type Send } from './bank-book.ts';
import * as codes from './bank-codes.ts';
import { drawLateMs } from './refusals.ts';
import type { Closure, FaultKind, Plan } from './plan.ts';
import { thaiName } from './planned-files.ts';
import type { World } from './world.ts';

/** What the bank sends back: a body that may be no body of the interface, or nothing at all. */
export type Answer<Fields> =
  | {
      readonly kind: 'answer';
      readonly httpStatus: number;
      readonly fields: Fields | undefined;
      readonly retryAfterMs: number | undefined;
    }
  | { readonly kind: 'silence' };

/** Told when the bank takes a transfer in; the auditor looks whether that pays anybody twice. */
export type OnEntry = (entry: Entry) => void;

const silence = { kind: 'silence' } as const;

const answer = <Fields>(
  fields: Fields | undefined,
  httpStatus = 200,
  retryAfterMs?: number,
): Answer<Fields> => ({ kind: 'answer', httpStatus, fields, retryAfterMs });

export class SimulatedBank {
  readonly book: BankBook;
  isHealed = false;
  readonly #world: World;
  readonly #plan: Plan;
  readonly #onEntry: OnEntry;
  #sysRefNos = 0;

  constructor(world: World, plan: Plan, onEntry: OnEntry) {
    this.#world = world;
    this.#plan = plan;
    this.#onEntry = onEntry;
    this.book = new BankBook(world, plan);
  }

  /** True when a fault of this kind happens now. */
  roll(kind: FaultKind): boolean {
    if (this.isHealed) return false;
    const happens = this.#world.dice.chance(this.#plan.faults[kind] ?? 0);
    if (happens) this.#world.figures.count(kind);
    return happens;
  }

  /** True while transfers get no answer. */
  get isOut(): boolean {
    const { outage } = this.#plan;
    const { nowMs } = this.#world;
    return outage !== undefined && outage.fromMs <= nowMs && nowMs < outage.toMs;
  }

  closure(): Closure['how'] | undefined {
    if (this.isHealed) return undefined;
    const { nowMs } = this.#world;
    const how = this.#plan.closures.find(({ fromMs, toMs }) => fromMs <= nowMs && nowMs < toMs)?.how;
    if (how !== undefined) this.#world.figures.count(`closed-${how}`);
    return how;
  }

  /** What the gateway, or a closed service, answers to any request; undefined lets it through. */
  #turnAway<Fields>(
    say: (code: string) => Fields,
    onRefused: () => void = () => {},
  ): Answer<Fields> | undefined {
    const { dice } = this.#world;
    const closed = this.closure();
    const retryAfterMs = dice.chance(0.5) ? dice.wide(500, 30_000) : undefined;
    if (closed === 'silent') return silence;
    if (closed === 'http-503') return answer<Fields>(undefined, 503, retryAfterMs);
    if (closed === 'http-429' || this.roll('http-429')) {
      const body = dice.chance(0.2) ? say('ET004') : undefined;
      return answer<Fields>(body, 429, retryAfterMs);
    }
    if (closed !== undefined && closed !== 'unreachable') {
      if (codes.refusals.service.includes(closed)) onRefused();
      return answer(say(closed));
    }
    if (this.roll('http-401')) return answer<Fields>(undefined, 401);
    if (this.roll('http-403')) return answer<Fields>(undefined, 403);
    return undefined;
  }

  /** A transfer arrives; `isCopy` for one that the way here has doubled. */
  receive(send: Send, isCopy: boolean): Answer<TransferFields> {
    const say = (code: string, entry?: Entry): TransferFields => this.#say(code, send, entry);
    if (isCopy) {
      // What was not taken in the first time is refused the second time too.
      const known = this.book.findDuplicate(send.order);
      return known === undefined ? silence : answer(say(codes.duplicateCode));
    }
    send.isDecided = true;
    const known = this.book.findDuplicate(send.order);
    const rejectedByGateway = this.#turnAway(
      (code) => say(code),
      () => {
        if (known === undefined) this.#remember(send);
      },
    );
    if (rejectedByGateway !== undefined) return rejectedByGateway;
    const decided =
      known === undefined ? this.#decide(send, say) : answer(say(this.#codeForDuplicate(known, send)));
    // What is processed all the same: the body tells more than the status.
    if (decided.kind === 'silence' || !this.roll('processed-under-refusal')) return decided;
    return { ...decided, httpStatus: this.#world.dice.pick([401, 403, 429]) };
  }

  #codeForDuplicate(known: Entry, send: Send): string {
    const { dice } = this.#world;
    this.#world.figures.count('duplicate-refused');
    if (known.order.amountText !== send.order.amountText && dice.chance(0.5))
      return dice.pick(codes.otherDetailsCodes);
    if (this.book.stateOf(known) === 'open' && dice.chance(0.6)) return dice.pick(codes.processingCodes);
    return codes.duplicateCode;
  }

  #decide(send: Send, say: (code: string, entry?: Entry) => TransferFields): Answer<TransferFields> {
    const { dice } = this.#world;
    for (const scope of ['payout', 'payer', 'service'] as const) {
      if (!this.roll(`refused-${scope}`)) continue;
      if (this.#plan.lie === 'refused-and-moved' && dice.chance(0.6)) this.#enter(send, 'complete', 0);
      else this.#remember(send);
      return answer(say(dice.pick(codes.refusals[scope])), dice.pick([200, 200, 400, 500]));
    }
    if (this.roll('refused-bare-moved')) {
      this.#enter(send, 'complete', dice.chance(0.7) ? 0 : dice.wide(100, 3_600_000));
      const bare = { ...say(dice.pick(codes.allRefusals)), requestUid: undefined };
      if (dice.chance(0.5)) return answer(bare, dice.pick([200, 400, 401, 403, 429]));
      return answer<TransferFields>(undefined, dice.pick([401, 403, 429]));
    }
    if (this.roll('vague-unmoved')) {
      const code = dice.chance(0.3) ? dice.pick(codes.processingCodes) : dice.pick(codes.vagueCodes);
      return answer(say(code));
    }
    if (this.roll('strange-code')) {
      if (dice.chance(0.5)) this.#enter(send, 'complete', 0);
      return answer(say(codes.strangeCode));
    }
    if (this.roll('success-canned'))
      return answer({ ...say('IC000'), transRefNo: undefined, requestUid: undefined });
    const isLong = this.roll('in-process-long');
    if (isLong || this.roll('in-process')) {
      const ms = isLong ? dice.wide(60_000, 20 * 3_600_000) : dice.wide(100, 60_000);
      this.#enter(send, this.roll('ends-failed') ? 'failed' : 'complete', ms);
      if (dice.chance(0.2)) return dice.chance(0.5) ? silence : answer<TransferFields>(undefined, 504);
      return answer(
        say(dice.pick([...codes.processingCodes, ...codes.processingCodes, ...codes.vagueCodes])),
      );
    }
    const entry = this.#enter(send, this.roll('ends-failed') ? 'failed' : 'complete', 0);
    if (entry.end === 'failed') return answer(say(dice.pick(codes.vagueCodes)));
    if (this.roll('vague-moved')) return answer(say(dice.pick(codes.vagueCodes)));
    return answer(say(codes.successCode, entry));
  }

  /** A transfer that is refused, as the bank keeps such. */
  #remember(send: Send): void {
    const { dice, nowMs } = this.#world;
    const { refused } = this.#plan.memory;
    this.#world.note(`bank refuses ${send.order.transRefNo}: ${refused}`);
    if (refused === 'shown') this.#enter(send, 'failed', 0);
    else if (refused !== 'forgotten') {
      const visibleAtMs = refused === 'unshown' ? Infinity : nowMs + drawLateMs(dice);
      const countsFromMs = refused === 'unshown' ? nowMs : visibleAtMs;
      this.book.enter({ ...this.#makeEntry(send, 'failed', 0), visibleAtMs, countsFromMs });
    }
  }

  #enter(send: Send, end: Entry['end'], endsInMs: number): Entry {
    const entry = this.#makeEntry(send, end, endsInMs);
    const { order } = send;
    this.#world.note(`bank enters ${order.transRefNo} ${order.reference1 ?? ''} to be ${end}`);
    this.#onEntry(entry);
    this.book.enter(entry);
    return entry;
  }

  /** For how long inquiries do not find what has just arrived. */
  #drawHiddenMs(): number {
    const { dice } = this.#world;
    const trustMs = this.#plan.policy.notFoundTrustMs;
    if (this.roll('hidden-long')) return dice.wide(trustMs, 30 * 3_600_000);
    return this.roll('hidden') ? dice.wide(100, trustMs - 1) : 0;
  }

  #makeEntry({ order }: Send, end: Entry['end'], endsInMs: number): Entry {
    const { dice, nowMs } = this.#world;
    this.#sysRefNos += 1;
    return {
      order,
      day: this.book.day,
      sysRefNo: `SYS${this.#sysRefNos}`,
      visibleAtMs: nowMs + this.#drawHiddenMs(),
      countsFromMs: nowMs,
      endsAtMs: nowMs + endsInMs,
      end,
      failedItems: this.roll('earlier-failed-items') ? dice.whole(1, 2) : 0,
      revivesAtMs:
        end === 'failed' && this.#plan.lie === 'failed-and-completed'
          ? nowMs + dice.wide(1_000, 7_200_000)
          : Infinity,
      isForeign: false,
    };
  }

  #say(code: string, { order, requestUid }: Send, entry?: Entry): TransferFields {
    return {
      statusCode: code,
      statusDesc: `says ${code}`,
      severity: undefined,
      requestUid,
      transRefNo: order.transRefNo,
      sysRefNo: entry?.sysRefNo,
      transFee: entry === undefined ? undefined : '0.00',
    };
  }

  inquire(inquiry: StatusInquiry, requestUid: string): Answer<InquiryFields> {
    const say = (code: string, items: InquiryFields['items'] = []): InquiryFields => {
      return { statusCode: code, statusDesc: undefined, severity: undefined, requestUid, items };
    };
    const rejectedByGateway = this.#turnAway((code) => say(code));
    if (rejectedByGateway !== undefined) return rejectedByGateway;
    const { dice } = this.#world;
    if (this.roll('inquiry-code')) return answer(say(codes.inquiryTrouble(dice)));
    if (this.roll('unreadable-list')) return answer({ ...say('IC001'), items: undefined });
    const found = this.book.visible(inquiry);
    const others = this.roll('others-items')
      ? this.book.entries.filter((entry) => !found.includes(entry))
      : [];
    const strangers = others.filter(({ order }) => order.transRefNo !== inquiry.transRefNo);
    const items = this.book.show([...found, ...strangers], this.roll('contradictory-items'));
    if (items.length > 0) return answer(say('IC001', items));
    return answer(say(dice.pick(['EV034', 'EV035', 'IC001'])));
  }

  check({ proxyName }: PayeeCheck, requestUid: string): Answer<PayeeCheckFields> {
    const { dice } = this.#world;
    const say = (code: string): PayeeCheckFields => {
      const names = { payeeName: proxyName ?? 'Somchai Jaidee', payeeNameTh: thaiName };
      return { statusCode: code, statusDesc: undefined, severity: undefined, requestUid, ...names };
    };
    const rejectedByGateway = this.#turnAway(say);
    if (rejectedByGateway !== undefined) return rejectedByGateway;
    if (this.roll('check-code')) return answer(say(dice.pick(codes.allCodes)));
    if (this.roll('check-other-name')) return answer({ ...say('IC001'), payeeNameTh: 'สมหญิง รักดี' });
    return answer(say('IC001'));
  }
}
