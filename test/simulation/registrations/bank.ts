/**
 * The simulated bank of registrations: what it takes and turns down, how it answers, and whom it calls, early, late, twice,
 * against its own word, or never. Its book is what everything else is judged by.
 */
import type {
  BankReply,
  RegistrationBank,
  RegistrationFields,
  RegistrationOrder,
} from '../../../src/core/bank-port.ts';
import { formatBangkokMoment } from '../../../src/core/bangkok-time.ts';
import {
  identityKey,
  type RegistrationIdentity,
  type RegistrationOutcome,
} from '../../../src/registration/rules/callback.ts';
import type { Life, World } from '../world.ts';
import type { Fault, RegistrationsPlan } from './plan.ts';

const secondMs = 1_000;
const hourMs = 3_600_000;

/** What the bank has taken. */
export interface Entry {
  readonly order: RegistrationOrder;
  readonly takenAtMs: number;
  /** Null for one that is never decided. */
  readonly outcome: RegistrationOutcome | null;
  readonly decidedAtMs: number;
}

/** One call, tried until it is taken. */
export interface Call {
  readonly number: number;
  readonly identity: RegistrationIdentity;
  readonly outcome: RegistrationOutcome;
  /** In whole seconds, as its text has it. */
  readonly appliedAtMs: number;
  tries: number;
  /** How often it was answered as taken, whether the bank was told or not. */
  taken: number;
  isDone: boolean;
}

/** A request on its way, and what its process was told. */
export interface Sent {
  /** Its requestUID is another in each play. */
  readonly name: string;
  readonly order: RegistrationOrder;
  readonly life: Life;
  readonly leftAtMs: number;
  entry: Entry | undefined;
  /** The bank has decided about the request, or never will. */
  isSettled: boolean;
  reply: BankReply<RegistrationFields> | undefined;
}

/** Told of what happens at the bank's door; the auditor holds the rules against it. */
export interface Witness {
  leaves(sent: Sent): void;
  told(sent: Sent): void;
}

/** Delivers a call to whoever listens. @returns false when nobody does */
export type Deliver = (call: Call, onAnswer: (isTaken: boolean) => void) => boolean;

interface Spoken {
  readonly httpStatus: number;
  readonly code: string | undefined;
  readonly seqId?: string;
  /** It bears the number of another's request, or none. */
  readonly isForeign?: true;
}

const say = (code: string, seqId?: string): Spoken => ({
  httpStatus: 200,
  code,
  ...(seqId === undefined ? {} : { seqId }),
});

const codes = {
  registration: ['CMN001', 'CMN002', 'CMN003', 'CMN004', 'CMN005', 'CBS001', 'CBS002', 'CBS003'],
  company: ['BSN001', 'BSN004', 'BSN005'],
  service: ['AU00400', 'AU00401', 'AU00003', 'AU00004', 'BSN006'],
  doubtful: ['SYS001', 'SYS002', 'BSN003', 'BSN002', 'BSN007'],
} as const;

/** Retries of a call: each wait is twice the one before, as long as the play lasts. */
const retryMs = 5 * secondMs;
const retryMaxMs = hourMs;

export class RegisteringBank {
  readonly entries: Entry[] = [];
  readonly calls: Call[] = [];
  readonly sent: Sent[] = [];
  /** No fault happens any more, and what was never told is told. */
  isHealed = false;
  readonly #world: World;
  readonly #plan: RegistrationsPlan;
  readonly #witness: Witness;
  readonly #deliver: Deliver;
  readonly #requestUids = new Set<string>();
  #blockedUntilMs = 0;

  constructor(world: World, plan: RegistrationsPlan, witness: Witness, deliver: Deliver) {
    this.#world = world;
    this.#plan = plan;
    this.#witness = witness;
    this.#deliver = deliver;
  }

  /** True when a fault of this kind happens now. */
  roll(fault: Fault): boolean {
    if (this.isHealed) return false;
    const happens = this.#world.dice.chance(this.#plan.faults[fault] ?? 0);
    if (happens) this.#world.figures.count(fault);
    return happens;
  }

  // -------------------------------------------------------------- endpoint 3

  /** The bank as one process sees it. */
  portFor(life: Life): RegistrationBank {
    return { register: async (order, mayTransmit) => this.#register(order, mayTransmit, life) };
  }

  async #register(
    order: RegistrationOrder,
    mayTransmit: () => boolean,
    life: Life,
  ): Promise<BankReply<RegistrationFields>> {
    const { dice } = this.#world;
    // For a token, or a place.
    await this.#pass(dice.chance(0.1) ? dice.wide(100, 20_000) : dice.whole(0, 5), 'may send', life);
    if (this.roll('not-sent')) return { kind: 'not-sent', why: 'ECONNREFUSED' };
    if (!mayTransmit()) return { kind: 'withheld' };
    const sent: Sent = {
      name: `request ${this.sent.length + 1}`,
      order,
      life,
      leftAtMs: this.#world.nowMs,
      entry: undefined,
      isSettled: false,
      reply: undefined,
    };
    this.#world.figures.count('sent');
    this.sent.push(sent);
    this.#witness.leaves(sent);
    const reply = await this.#ask(sent);
    sent.reply = reply;
    this.#witness.told(sent);
    return reply;
  }

  #pass(ms: number, label: string, life: Life): Promise<void> {
    return new Promise((resolve) => void this.#world.after(ms, label, life, resolve));
  }

  /** One reply, whatever becomes of the request and of the answer to it. */
  async #ask(sent: Sent): Promise<BankReply<RegistrationFields>> {
    const { order, life, leftAtMs } = sent;
    const world = this.#world;
    const exchange = () => ({
      requestUid: order.requestUid,
      xRequestId: `X-${order.requestUid}`,
      elapsedMs: world.nowMs - leftAtMs,
    });
    return new Promise((resolve) => {
      let isAnswered = false;
      const deadline = world.after(this.#plan.timeoutMs, `hears nothing of ${sent.name}`, life, () => {
        isAnswered = true;
        resolve({ kind: 'lost', why: 'timed out', ...exchange() });
      });
      const answer = ({ httpStatus, code, seqId, isForeign }: Spoken): void => {
        const isLate = this.roll('answer-late');
        if (this.roll('lost-after')) return;
        const wayMs = isLate ? world.dice.wide(2_000, 2 * this.#plan.timeoutMs) : world.dice.whole(1, 40);
        const requestUid = isForeign === true ? world.dice.pick(['OF-ANOTHER', undefined]) : order.requestUid;
        const fields =
          code === undefined
            ? undefined
            : {
                statusCode: code,
                statusDesc: `says ${code}`,
                severity: 'INFO',
                requestUid,
                ddrOapiSeqId: seqId,
              };
        const told = {
          kind: 'answered',
          httpStatus,
          fields,
          bankDateMs: undefined,
          retryAfterMs: undefined,
        } as const;
        world.after(wayMs, `is told ${code ?? httpStatus} about ${sent.name}`, life, () => {
          if (isAnswered) return;
          isAnswered = true;
          world.cancel(deadline);
          resolve({ ...told, ...exchange() });
        });
      };
      this.#carry(sent, answer);
    });
  }

  /** The way there: the request may be lost, or come twice. */
  #carry(sent: Sent, answer: (spoken: Spoken) => void): void {
    const { dice } = this.#world;
    if (this.roll('lost-before')) {
      sent.isSettled = true;
      return;
    }
    const wayMs = dice.chance(0.1) ? dice.wide(100, 60_000) : dice.whole(1, 40);
    this.#world.after(wayMs, `bank receives ${sent.name}`, undefined, () => {
      const spoken = this.#receive(sent);
      sent.isSettled = true;
      if (this.roll('copied')) answer(say('BSN007'));
      else if (spoken !== undefined) answer(spoken);
    });
  }

  /** @returns what it says; undefined when it says nothing */
  #receive(sent: Sent): Spoken | undefined {
    const { order } = sent;
    const { dice, nowMs } = this.#world;
    if (this.#requestUids.has(order.requestUid))
      this.#world.fail(`${sent.name} bears the requestUID of another`);
    this.#requestUids.add(order.requestUid);
    if (nowMs < this.#blockedUntilMs) return say('0429');
    if (this.roll('usage-exceeded')) {
      this.#blockedUntilMs = nowMs + hourMs;
      return say('0429');
    }
    for (const scope of ['registration', 'company', 'service'] as const)
      if (this.roll(`refused-${scope}`)) return say(dice.pick(codes[scope]));
    const isTaken = !this.#isKeptOut(order);
    const isDoubtful = this.roll('doubtful-code');
    const hasTrouble = this.roll('http-trouble');
    const isOdd = this.roll('unknown-code');
    if (!isTaken) return say('BSN002');
    const isForeign = this.roll('foreign-uid');
    if (isForeign && dice.chance(0.5)) return { ...say('0', '1'), isForeign };
    if ((isDoubtful || hasTrouble || isOdd) && dice.chance(0.5))
      return this.#speakOddly(isDoubtful, hasTrouble);
    this.#take(sent);
    if (isDoubtful || hasTrouble || isOdd) return this.#speakOddly(isDoubtful, hasTrouble);
    const taken = say('0', String(100_000 + this.entries.length));
    return isForeign ? { ...taken, isForeign } : taken;
  }

  #speakOddly(isDoubtful: boolean, hasTrouble: boolean): Spoken | undefined {
    const { dice } = this.#world;
    if (isDoubtful) return say(dice.pick(codes.doubtful));
    if (!hasTrouble) return say('XX999');
    return dice.pick([
      { httpStatus: 500, code: undefined },
      { httpStatus: 502, code: undefined },
      { httpStatus: 504, code: undefined },
      { httpStatus: 200, code: undefined },
      { httpStatus: 302, code: 'CMN001' },
      undefined,
    ]);
  }

  /** While one like it is undecided, or has succeeded (BSN002). */
  #isKeptOut(order: RegistrationOrder): boolean {
    const key = identityKey(order);
    const { nowMs } = this.#world;
    return this.entries.some(({ order: other, outcome, decidedAtMs }) => {
      if (identityKey(other) !== key) return false;
      return outcome === null || outcome === 'registered' || nowMs < decidedAtMs;
    });
  }

  /** True while nobody can say that the bank does not have it. */
  mayHave(sent: Sent): boolean {
    if (!sent.isSettled) return true;
    return sent.entry !== undefined;
  }

  // -------------------------------------------------------------- what is decided, and told

  #take(sent: Sent): void {
    const { order } = sent;
    const { dice, nowMs } = this.#world;
    const isNever = this.roll('never-decided');
    const outcome = isNever ? null : this.roll('refused') ? 'refused' : 'registered';
    const isAtOnce = outcome !== null && this.roll('told-before-answer');
    const decidedAtMs = nowMs + (isAtOnce ? 0 : dice.wide(200, 2 * hourMs));
    const entry: Entry = { order, takenAtMs: nowMs, outcome, decidedAtMs };
    this.entries.push(entry);
    sent.entry = entry;
    this.#world.note(`bank takes ${sent.name}: ${outcome ?? 'never decided'}`);
    if (outcome === null || this.roll('never-told')) return;
    const delayMs = isAtOnce ? 0 : this.roll('told-late') ? dice.wide(secondMs, 60 * hourMs) : 0;
    const call = this.#makeCall(order, outcome, decidedAtMs);
    this.#callAfter(call, decidedAtMs + delayMs - nowMs);
    if (this.roll('told-twice')) this.#callAgain(call, decidedAtMs + delayMs - nowMs);
    if (!this.roll('told-otherwise')) return;
    const otherwise = outcome === 'registered' ? 'refused' : 'registered';
    const atMs = decidedAtMs + delayMs + dice.wide(secondMs, 10 * hourMs);
    this.#callAfter(this.#makeCall(order, otherwise, atMs), atMs - nowMs);
  }

  /** About an identity that it has nothing of, or not from us. */
  callStray(identity: RegistrationIdentity): void {
    const { dice, nowMs } = this.#world;
    const outcome = dice.chance(0.5) ? 'registered' : 'refused';
    this.#callAfter(this.#makeCall(identity, outcome, nowMs), 0);
  }

  #makeCall(
    { vendorId, companyId, accountNo, refs }: RegistrationIdentity,
    outcome: RegistrationOutcome,
    atMs: number,
  ): Call {
    const identity = { vendorId, companyId, accountNo, refs };
    const appliedAtMs = Math.floor(atMs / secondMs) * secondMs;
    const number = this.calls.length + 1;
    const call: Call = { number, identity, outcome, appliedAtMs, tries: 0, taken: 0, isDone: false };
    this.calls.push(call);
    return call;
  }

  #callAfter(call: Call, ms: number): void {
    this.#world.after(ms, `bank makes call ${call.number}: ${call.outcome}`, undefined, () =>
      this.#try(call),
    );
  }

  /** The very same once more, at the same moment or later, taken before or not. */
  #callAgain(call: Call, ms: number): void {
    const { dice } = this.#world;
    const laterMs = dice.chance(0.4) ? 0 : dice.wide(10, 30 * hourMs);
    this.#world.after(ms + laterMs, `bank makes call ${call.number} again`, undefined, () =>
      this.#tryOnce(call),
    );
  }

  #try(call: Call): void {
    if (call.isDone) return;
    this.#tryOnce(call);
    const waitMs = Math.min(retryMaxMs, retryMs * 2 ** Math.min(call.tries, 20));
    this.#world.after(waitMs, `bank looks after call ${call.number}`, undefined, () => this.#try(call));
  }

  #tryOnce(call: Call): void {
    call.tries += 1;
    this.#deliver(call, (isTaken) => {
      if (!isTaken) return;
      call.taken += 1;
      // The answer may be lost on its way.
      if (!this.roll('ack-lost')) call.isDone = true;
    });
  }

  /** What it has decided, and could not make us hear. */
  get owed(): readonly Call[] {
    return this.calls.filter(({ isDone }) => !isDone);
  }
}

/** The body of a call, as §2.3 has it. */
export function writeCall({ identity, outcome, appliedAtMs }: Call): string {
  const { refs, ...texts } = identity;
  const given = refs.map((ref, place) => [`ref${place + 1}`, ref] as const).filter(([, ref]) => ref !== null);
  const [respCode, respDesc] = outcome === 'registered' ? ['I0000', 'Success'] : ['I0001', 'Reject'];
  return JSON.stringify({
    ...texts,
    ...Object.fromEntries(given),
    applyDtm: formatBangkokMoment(appliedAtMs),
    respCode,
    respDesc,
  });
}
