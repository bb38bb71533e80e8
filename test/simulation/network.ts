/** The way to the bank and back, as the `Bank` port sees it: it delays, loses, doubles, mixes up and spoils. */
import type {
  Bank,
  BankReply,
  BusinessFields,
  Exchange,
  InquiryFields,
  StatusInquiry,
  TransferFields,
} from '../../src/core/bank-port.ts';
import type { TransferOrder } from '../../src/core/payout.ts';
import type { Send } from './bank-book.ts';
import { allRefusals } from './bank-codes.ts';
import type { Answer, SimulatedBank } from './bank.ts';
import type { Plan } from './plan.ts';
import type { Life, Step, World } from './world.ts';

/** What the code under test did at the bank's door and was told; the auditor holds the rules against it. */
export interface Witness {
  /** Bytes of a transfer are leaving. */
  leaves(order: TransferOrder, isRepetitionOf401: boolean, life: Life): void;
  /** A reply to a transfer has reached the process. */
  toldOfTransfer(order: TransferOrder, reply: BankReply<TransferFields>, life: Life): void;
  /** A reply to an inquiry has reached the process. */
  toldOfInquiry(inquiry: StatusInquiry, reply: BankReply<InquiryFields>, life: Life): void;
}

/** For how long a process stands still between its last look and the bytes that leave; 0 in most cases. */
export type HoldBytes = (life: Life) => number;

type Resolve<Fields> = (reply: BankReply<Fields>) => void;

/** One request on its way. */
interface Request<Fields> {
  readonly what: string;
  readonly exchange: Exchange;
  readonly leftAtMs: number;
  readonly resolve: Resolve<Fields>;
  readonly life: Life;
  deadline: Step | undefined;
  isSettled: boolean;
}

/** A reply that came too late: it may come out of a connection that another request uses. */
interface Stray {
  readonly kind: string;
  readonly answer: Extract<Answer<BusinessFields>, { kind: 'answer' }>;
}

export class Network {
  readonly #world: World;
  readonly #plan: Plan;
  readonly #bank: SimulatedBank;
  readonly #witness: Witness;
  readonly #strays: Stray[] = [];
  readonly #holdBytes: HoldBytes;
  #requests = 0;

  constructor(
    world: World,
    plan: Plan,
    bank: SimulatedBank,
    witness: Witness,
    holdBytes: HoldBytes = () => 0,
  ) {
    this.#holdBytes = holdBytes;
    this.#world = world;
    this.#plan = plan;
    this.#bank = bank;
    this.#witness = witness;
  }

  /** The bank as one process sees it. */
  portFor(life: Life): Bank {
    return {
      transfer: async (order, mayTransmit) => this.#transfer(order, mayTransmit, life),
      inquire: async (inquiry) => {
        const { transRefNo } = inquiry;
        const reply = await this.#ask(`inquiry ${transRefNo}`, life, (uid) =>
          this.#bank.inquire(inquiry, uid),
        );
        this.#witness.toldOfInquiry(inquiry, reply, life);
        return reply;
      },
      checkPayee: async (check) =>
        this.#ask(`check ${check.proxyNo}`, life, (uid) => this.#bank.check(check, uid)),
    };
  }

  #newExchange(): Exchange {
    this.#requests += 1;
    const requestUid = `R${String(this.#requests).padStart(19, '0')}`;
    return { requestUid, xRequestId: requestUid, elapsedMs: 0 };
  }

  /** Before bytes leave: the token, and whether there is a bank at all. */
  #failBefore(): BankReply<never> | undefined {
    if (this.#bank.roll('credentials-refused')) return { kind: 'credentials-refused', code: 'TK001' };
    if (this.#bank.roll('not-sent')) return { kind: 'not-sent', why: 'ECONNREFUSED' };
    if (this.#bank.closure() === 'unreachable') return { kind: 'not-sent', why: 'ENOTFOUND' };
    return undefined;
  }

  #tokenMs(): number {
    const { dice } = this.#world;
    return this.#bank.roll('token-slow') ? dice.wide(100, 400_000) : dice.whole(0, 2);
  }

  async #transfer(
    order: TransferOrder,
    mayTransmit: () => boolean,
    life: Life,
  ): Promise<BankReply<TransferFields>> {
    return new Promise((resolve) => {
      this.#world.after(this.#tokenMs(), `is about to send ${order.transRefNo}`, life, () => {
        const failed = this.#failBefore();
        if (failed !== undefined) resolve(failed);
        else if (mayTransmit()) this.#leave(order, mayTransmit, life, resolve, false);
        else {
          this.#world.figures.count('withheld');
          resolve({ kind: 'withheld' });
        }
      });
    });
  }

  #leave(
    order: TransferOrder,
    mayTransmit: () => boolean,
    life: Life,
    resolve: Resolve<TransferFields>,
    isRepetition: boolean,
  ): void {
    this.#witness.leaves(order, isRepetition, life);
    const told: Resolve<TransferFields> = (reply) => {
      this.#witness.toldOfTransfer(order, reply, life);
      resolve(reply);
    };
    // The gateway refuses our token, and the client renews it and sends once more.
    if (!isRepetition && this.#bank.roll('token-renewed')) {
      this.#refuseToken(order);
      this.#world.after(this.#tokenMs(), 'has a new token', life, () => {
        const again: Resolve<TransferFields> = (reply) =>
          resolve(reply.kind === 'answered' ? { ...reply, followsBare401: true } : reply);
        if (mayTransmit()) this.#leave(order, mayTransmit, life, again, true);
        else told({ ...this.#bare401(), unrepeated: { kind: 'withheld' } });
      });
      return;
    }
    const exchange = this.#newExchange();
    const { requestUid } = exchange;
    const send: Send = { order, requestUid, leftAtMs: this.#world.nowMs, isDecided: false };
    this.#bank.book.sends.push(send);
    const what = `transfer ${order.transRefNo}`;
    const carry = (): void => {
      const leftAtMs = this.#world.nowMs;
      const request = {
        what,
        exchange,
        leftAtMs,
        resolve: told,
        life,
        deadline: undefined,
        isSettled: false,
      };
      this.#carry(request, {
        arrive: (isCopy) => this.#bank.receive(send, isCopy),
        lose: () => (send.isDecided = true),
      });
    };
    const heldMs = this.#holdBytes(life);
    if (heldMs === 0) carry();
    else this.#carryLate(send, life, heldMs, carry);
  }

  /** A process stands still with bytes that are about to leave; killed before, it never sends them. */
  #carryLate(send: Send, life: Life, heldMs: number, carry: () => void): void {
    this.#world.freeze(life, heldMs);
    let hasLeft = false;
    this.#world.after(heldMs, `sends ${send.order.transRefNo} now`, life, () => {
      hasLeft = true;
      carry();
    });
    const lookAgain = (): void => {
      if (hasLeft) return;
      if (life.isAlive) this.#world.after(heldMs, 'bytes may be left', undefined, lookAgain);
      else send.isDecided = true;
    };
    this.#world.after(heldMs + 1, 'bytes may be left', undefined, lookAgain);
  }

  /** A 401 without a body proves nothing: now and then the bank has processed the request all the same. */
  #refuseToken(order: TransferOrder): void {
    if (!this.#bank.roll('processed-before-renewal')) return;
    const { requestUid } = this.#newExchange();
    const send: Send = { order, requestUid, leftAtMs: this.#world.nowMs, isDecided: false };
    this.#bank.book.sends.push(send);
    this.#bank.receive(send, false);
  }

  #bare401(): Extract<BankReply<never>, { kind: 'answered' }> {
    const said = { httpStatus: 401, fields: undefined, bankDateMs: undefined, retryAfterMs: undefined };
    return { kind: 'answered', ...said, ...this.#newExchange() };
  }

  async #ask<Fields extends BusinessFields>(
    what: string,
    life: Life,
    arrive: (requestUid: string) => Answer<Fields>,
  ): Promise<BankReply<Fields>> {
    return new Promise((resolve) => {
      const failed = this.#failBefore();
      const exchange = this.#newExchange();
      if (failed !== undefined) {
        this.#world.after(this.#tokenMs(), `cannot send ${what}`, life, () => resolve(failed));
        return;
      }
      const leftAtMs = this.#world.nowMs;
      const request = { what, exchange, leftAtMs, resolve, life, deadline: undefined, isSettled: false };
      this.#carry(request, { arrive: () => arrive(exchange.requestUid), lose: () => {} });
    });
  }

  /** Carries a request to the bank and its answer back. */
  #carry<Fields extends BusinessFields>(
    request: Request<Fields>,
    bank: { readonly arrive: (isCopy: boolean) => Answer<Fields>; readonly lose: () => void },
  ): void {
    const { dice } = this.#world;
    const isTransfer = request.what.startsWith('transfer');
    if (isTransfer && this.#bank.isOut) {
      this.#hang(request, bank);
      return;
    }
    if (this.#bank.roll(isTransfer ? 'transfer-lost' : 'question-lost')) {
      bank.lose();
      this.#giveUpAt(request, this.#lossMs(request));
      return;
    }
    let wayMs = dice.whole(1, 40);
    if (this.#bank.roll('request-late')) wayMs = dice.wide(1_000, 25_000);
    if (isTransfer && this.#bank.roll('transfer-very-late')) wayMs = dice.wide(30_000, 600_000);
    if (wayMs >= this.#plan.timeoutMs) this.#giveUpAt(request, request.leftAtMs + this.#plan.timeoutMs);
    this.#world.after(wayMs, `bank receives ${request.what}`, undefined, () =>
      this.#answer(request, bank.arrive(false)),
    );
    if (isTransfer && this.#bank.roll('transfer-copied')) {
      const copyMs = wayMs + dice.wide(1, 60_000);
      this.#world.after(copyMs, `bank receives ${request.what} again`, undefined, () => {
        const answer = bank.arrive(true);
        // The reply to the copy may come before the one to the request itself.
        if (!request.isSettled && dice.chance(0.5)) this.#answer(request, answer);
      });
    }
  }

  /** Nobody answers; the bank may get it all the same. */
  #hang<Fields extends BusinessFields>(
    request: Request<Fields>,
    bank: { readonly arrive: (isCopy: boolean) => Answer<Fields>; readonly lose: () => void },
  ): void {
    const { dice, figures } = this.#world;
    figures.count('transfer-hung');
    this.#giveUpAt(request, request.leftAtMs + this.#plan.timeoutMs);
    if (!dice.chance(this.#plan.outage?.reachesShare ?? 0)) bank.lose();
    else
      this.#world.after(dice.whole(1, 40), `bank receives ${request.what}`, undefined, () => {
        bank.arrive(false);
      });
  }

  /** A connection breaks at once, or nothing comes until the time is over. */
  #lossMs({ leftAtMs }: Pick<Request<never>, 'leftAtMs'>): number {
    const atMs = leftAtMs + this.#plan.timeoutMs;
    if (!this.#bank.roll('connection-closed')) return atMs;
    return Math.min(atMs, this.#world.nowMs + this.#world.dice.whole(1, 500));
  }

  #giveUpAt<Fields>(request: Request<Fields>, atMs: number): void {
    if (request.deadline !== undefined) return;
    const { what, life, exchange } = request;
    request.deadline = this.#world.after(atMs - this.#world.nowMs, `hears nothing of ${what}`, life, () =>
      settle(request, { kind: 'lost', why: 'timed out', ...exchange }),
    );
  }

  #answer<Fields extends BusinessFields>(request: Request<Fields>, answer: Answer<Fields>): void {
    if (answer.kind === 'silence' || this.#bank.roll('reply-lost')) {
      this.#giveUpAt(request, this.#lossMs(request));
      return;
    }
    const { dice, nowMs } = this.#world;
    const kind = request.what.slice(0, 5);
    const wayMs = this.#bank.roll('reply-late') ? dice.wide(2_000, 90_000) : dice.whole(1, 40);
    const atMs = request.leftAtMs + this.#plan.timeoutMs;
    if (nowMs + wayMs >= atMs) {
      // Without a body nobody could tell whose it is: the client's own connections must not mix those up.
      if (answer.fields !== undefined) this.#strays.push({ kind, answer });
      this.#giveUpAt(request, atMs);
      return;
    }
    const spoiled = this.#spoil(kind, answer);
    const bankDateMs = this.#bank.roll('date-missing')
      ? undefined
      : Math.floor((this.#bank.book.bankMs + this.#plan.dateOffsetMs) / 1_000) * 1_000;
    this.#world.after(wayMs, `is told about ${request.what}: ${describe(spoiled)}`, request.life, () => {
      this.#world.cancel(request.deadline);
      const { httpStatus, fields, retryAfterMs } = spoiled;
      settle(request, {
        kind: 'answered',
        httpStatus,
        fields,
        bankDateMs,
        retryAfterMs,
        ...request.exchange,
        elapsedMs: this.#world.nowMs - request.leftAtMs,
      });
    });
  }

  /** What a proxy, a mixed-up connection or a fault of the bank's front makes of an answer. */
  #spoil<Fields extends BusinessFields>(
    kind: string,
    answer: Extract<Answer<Fields>, { kind: 'answer' }>,
  ): Extract<Answer<Fields>, { kind: 'answer' }> {
    const { dice } = this.#world;
    const { fields } = answer;
    if (this.#bank.roll('reply-html')) return { ...answer, httpStatus: 200, fields: undefined };
    if (this.#bank.roll('reply-5xx')) {
      return { ...answer, httpStatus: dice.pick([500, 502, 503, 504]), fields: undefined };
    }
    if (fields === undefined) return answer;
    // Whoever sends us elsewhere may say anything.
    const anything = dice.pick(kind === 'trans' ? ['IC000', 'EV055', 'EM053'] : ['EV034', 'EV033']);
    const said = dice.chance(0.7) ? { ...fields, statusCode: anything } : fields;
    if (this.#bank.roll('reply-redirect'))
      return { ...withFields(answer, said), httpStatus: dice.pick([301, 302, 307]) };
    const stray = this.#strays.findLastIndex((one) => one.kind === kind);
    if (stray >= 0 && this.#bank.roll('reply-swapped')) {
      const [taken] = this.#strays.splice(stray, 1);
      this.#strays.push({ kind, answer: { ...answer, fields } });
      return taken?.answer as Extract<Answer<Fields>, { kind: 'answer' }>;
    }
    if (this.#bank.roll('reply-foreign-uid')) {
      const nameless = 'transRefNo' in said ? { ...said, transRefNo: undefined } : said;
      return withFields(answer, { ...nameless, requestUid: 'R-OF-ANOTHER' });
    }
    if ('transRefNo' in fields && this.#bank.roll('reply-foreign-reference')) {
      const statusCode = dice.pick(['IC000', 'EV055', 'EM053', fields.statusCode]);
      return withFields(answer, { ...fields, statusCode, transRefNo: 'PDOTHEROTHEROTHER001' });
    }
    if (kind === 'trans' && this.#bank.roll('reply-surplus')) {
      // A second answer to no request at all, on a connection that was kept alive.
      const statusCode = dice.pick(allRefusals);
      const surplus = { ...fields, statusCode, requestUid: undefined, transRefNo: undefined };
      return { ...withFields(answer, surplus), httpStatus: 200 };
    }
    if (this.#bank.roll('reply-bare')) {
      const bare = 'transRefNo' in fields ? { ...fields, transRefNo: undefined } : fields;
      return withFields(answer, { ...bare, requestUid: dice.chance(0.5) ? undefined : fields.requestUid });
    }
    return answer;
  }
}

/** The first reply is the one. */
function settle<Fields>(request: Request<Fields>, reply: BankReply<Fields>): void {
  if (request.isSettled) return;
  request.isSettled = true;
  request.resolve(reply);
}

function withFields<Fields>(
  answer: Extract<Answer<Fields>, { kind: 'answer' }>,
  fields: Fields,
): Extract<Answer<Fields>, { kind: 'answer' }> {
  return { ...answer, fields };
}

const describe = ({
  httpStatus,
  fields,
}: Stray['answer'] | { httpStatus: number; fields: BusinessFields | undefined }): string =>
  `${httpStatus} ${fields?.statusCode ?? 'no body'}`;
