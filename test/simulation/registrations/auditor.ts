/**
 * What must hold at every moment: each request and each new event of the journal is held against the bank's book, what the
 * process was told, and what was told by callback.
 */
import { identityKey, type RegistrationOutcome } from '../../../src/registration/rules/callback.ts';
import { isOpenRegistration, type RegistrationStatus } from '../../../src/registration/rules/registration.ts';
import type { RegistrationDecision } from '../../../src/review/rules/terms.ts';
import type { Life, World } from '../world.ts';
import type { Call, RegisteringBank, Sent, Witness } from './bank.ts';
import type { JournalView, SeenAttempt, SeenEvent, SeenRow } from './journal.ts';
import type { RegistrationsPlan } from './plan.ts';

const hourMs = 3_600_000;
/** So far the bank's clock may go behind ours. */
const toleranceMs = 60_000;
/** Whoever has lived so long after he was told has kept it: a slow commit takes 30 s. */
const keptAfterMs = 120_000;

const notTaken: Readonly<Record<'failed' | 'given-back', readonly string[]>> = {
  failed: ['CMN001', 'CMN002', 'CMN003', 'CMN004', 'CMN005', 'CBS001', 'CBS002', 'CBS003'],
  'given-back': [
    ...(['BSN001', 'BSN004', 'BSN005'] as const),
    ...(['AU00400', 'AU00401', 'AU00003', 'AU00004', 'BSN006', '0429'] as const),
  ],
};

/** Somebody was told that too much was asked for. */
interface Exceeded {
  readonly life: Life;
  readonly atMs: number;
  readonly ourMs: number;
}

/** What people have asked for, by row; it need not have come about. */
export interface PeoplesWord {
  /** As which it is to be called ended. */
  readonly decided: Map<number, RegistrationStatus[]>;
  readonly triedAgain: Set<number>;
}

const confirmedAs: Readonly<Partial<Record<RegistrationDecision, RegistrationStatus>>> = {
  'confirm-registered': 'registered',
  'confirm-refused': 'refused',
  'confirm-failed': 'failed',
};

/** Something else of this identity, or of this registrationId, is open. */
function findClash({ instruction }: SeenAttempt, other: SeenRow): string | undefined {
  const isOpen = isOpenRegistration(other.status);
  if (isOpen && other.identity === identityKey(instruction))
    return `leaves while another of its identity (row ${other.seq}) is ${other.status}`;
  const { registrationId } = instruction;
  if (other.registrationId === registrationId && (isOpen || other.status === 'registered'))
    return `leaves while ${registrationId} is ${other.status} (row ${other.seq})`;
  return undefined;
}

const keepsId: readonly string[] = ['ready', 'held', 'cancelled', 'registered', 'contradicted'];

export class RegistrationAuditor implements Witness {
  readonly people: PeoplesWord = { decided: new Map(), triedAgain: new Set() };
  /** Our clock was set: less can be asked. */
  hasJumped = false;
  readonly #world: World;
  readonly #plan: RegistrationsPlan;
  readonly #view: JournalView;
  #exceeded: Exceeded[] = [];
  #seenSeq = 0;
  /** Set once it is there. */
  bank: RegisteringBank | undefined;

  constructor(world: World, plan: RegistrationsPlan, view: JournalView) {
    this.#world = world;
    this.#plan = plan;
    this.#view = view;
  }

  get #bank(): RegisteringBank {
    if (this.bank === undefined) throw new Error('there is no bank yet');
    return this.bank;
  }

  #fail(what: string): void {
    this.#world.fail(what);
  }

  /** Somebody is about to propose this. */
  asks(seq: number, decision: RegistrationDecision): void {
    const to = confirmedAs[decision];
    if (decision === 'retry') this.people.triedAgain.add(seq);
    if (to !== undefined) this.people.decided.set(seq, [...(this.people.decided.get(seq) ?? []), to]);
  }

  // -------------------------------------------------------------- requests

  /** Bytes are leaving. */
  leaves(sent: Sent): void {
    const broken = this.#findBroken(sent);
    if (broken !== undefined) this.#world.fail(`${sent.name} ${broken}`);
  }

  #findBroken(sent: Sent): string | undefined {
    const { order, life } = sent;
    const { requestUid } = order;
    const attempt = this.#view.attempt(requestUid);
    if (attempt === undefined) return 'leaves, and the journal has no such intent';
    if (this.#bank.sent.some((other) => other !== sent && other.order.requestUid === requestUid))
      return 'leaves twice';
    const { customerId } = attempt.instruction;
    if (identityKey(order) !== identityKey(attempt.instruction) || order.customerId !== customerId)
      return 'is not what was intended';
    const row = this.#view.row(attempt.seq);
    if (row?.attemptNo !== attempt.attemptNo) return 'is not the latest attempt of its row';
    if (this.#isWithinHour(life)) return 'leaves within the hour after 0429';
    for (const other of this.#view.rows()) {
      const clash = other.seq === row.seq ? undefined : findClash(attempt, other);
      if (clash !== undefined) return clash;
    }
    return undefined;
  }

  /** The bank has told this process that it asks for too much, or another that has lived to keep it. */
  #isWithinHour(life: Life): boolean {
    const { nowMs, ourMs } = this.#world;
    return this.#exceeded.some(
      (told) =>
        ourMs < told.ourMs + hourMs &&
        nowMs < told.atMs + hourMs &&
        (told.life === life || told.life.isAlive || this.#hasOutlived(told)),
    );
  }

  readonly #diedAtMs = new Map<Life, number>();

  /** A process has ended: of itself, or not. */
  ended(life: Life, wasKilled: boolean): void {
    this.#diedAtMs.set(life, wasKilled ? this.#world.nowMs : Infinity);
  }

  #hasOutlived({ life, atMs }: Exceeded): boolean {
    return (this.#diedAtMs.get(life) ?? Infinity) >= atMs + keptAfterMs;
  }

  /** A reply has reached the process. */
  told({ reply, life }: Sent): void {
    if (reply?.kind !== 'answered' || reply.fields?.statusCode !== '0429' || reply.httpStatus !== 200) return;
    if (reply.fields.requestUid === undefined) return;
    this.#exceeded.push({ life, atMs: this.#world.nowMs, ourMs: this.#world.ourMs });
  }

  /** Somebody lets it go on, or the clock is set: the hour is over for whoever looks at it. */
  forgetPauses(): void {
    this.#exceeded = [];
  }

  // -------------------------------------------------------------- callbacks

  /** The bank is about to hear that its call was taken. */
  answered(call: Call): void {
    const key = identityKey(call.identity);
    const kept = this.#view
      .callbacks()
      .filter(
        (one) => one.identity === key && one.outcome === call.outcome && one.appliedAtMs === call.appliedAtMs,
      );
    if (kept.length !== 1)
      this.#fail(`call ${call.number} is answered as taken, and the journal has it ${kept.length} times`);
  }

  // -------------------------------------------------------------- events

  /** Something was written. */
  written(): void {
    for (const event of this.#view.eventsAfter(this.#seenSeq)) {
      this.#seenSeq = event.seq;
      const broken = this.#judge(event);
      this.#world.figures.count(`event ${event.cause}`);
      this.#world.note(`journal: row ${event.registrationSeq} ${event.from} to ${event.to} (${event.cause})`);
      if (broken !== undefined)
        this.#fail(`row ${event.registrationSeq} comes from ${event.from} to ${event.to}: ${broken}`);
    }
  }

  #attemptOf({ registrationSeq, attemptNo }: SeenEvent): SeenAttempt | undefined {
    return this.#view
      .attempts()
      .find((attempt) => attempt.seq === registrationSeq && attempt.attemptNo === attemptNo);
  }

  #sentOf(attempt: SeenAttempt | undefined): Sent | undefined {
    return this.#bank.sent.find(({ order }) => order.requestUid === attempt?.requestUid);
  }

  #judge(event: SeenEvent): string | undefined {
    const attempt = this.#attemptOf(event);
    const sent = this.#sentOf(attempt);
    switch (event.cause) {
      case 'sealed':
        return this.#judgeSealed(event);
      case 'intent-recorded':
        return this.#judgeIntent(event);
      case 'acknowledged':
        return sent?.entry === undefined ? 'the bank has not taken it' : undefined;
      case 'turned-down':
        return this.#judgeNotTaken(sent, notTaken.failed);
      case 'turned-down-for-all':
        return sent === undefined ? undefined : this.#judgeNotTaken(sent, notTaken['given-back']);
      case 'called-back':
      case 'called-back-after-all':
        return this.#wasTold(attempt, event.to as RegistrationOutcome)
          ? undefined
          : 'the bank has not called';
      case 'contradicted':
        return this.#wasTold(attempt, 'registered') || this.#wasTold(attempt, 'refused')
          ? undefined
          : 'the bank has not called';
      case 'time-passed':
        return this.#judgeOverdue(event, attempt);
      case 'decided':
        return this.people.decided.get(event.registrationSeq)?.includes(event.to) === true
          ? undefined
          : 'nobody has decided it';
      case 'tried-again':
        return this.people.triedAgain.has(event.registrationSeq) ? undefined : 'nobody has asked for it';
      case 'request-renewed':
      case 'outcome-in-doubt':
      case 'answered-late':
      case 'hold-added':
      case 'hold-lifted':
      case 'cancelled':
      case 'released':
      case 'acknowledged-by-person':
        return undefined;
    }
  }

  #others(event: SeenEvent): { readonly row: SeenRow; readonly others: readonly SeenRow[] } | undefined {
    const rows = this.#view.rows();
    const row = rows.find(({ seq }) => seq === event.registrationSeq);
    return row && { row, others: rows.filter(({ seq }) => seq !== row.seq) };
  }

  /** What cannot be told apart, or has the number of another, is not let in. */
  #judgeSealed(event: SeenEvent): string | undefined {
    if (event.to === 'rejected') return undefined;
    const found = this.#others(event);
    if (found === undefined) return 'there is no such row';
    const { row, others } = found;
    const isIn = ({ status }: SeenRow): boolean =>
      isOpenRegistration(status) || status === 'ready' || status === 'held';
    const like = others.find((other) => isIn(other) && other.identity === row.identity);
    if (like !== undefined) return `row ${like.seq} has its identity and is ${like.status}`;
    const same = others.find(
      (other) =>
        other.registrationId === row.registrationId &&
        (isOpenRegistration(other.status) || keepsId.includes(other.status)),
    );
    return same && !this.people.decided.has(same.seq)
      ? `row ${same.seq} has its registrationId and is ${same.status}`
      : undefined;
  }

  #judgeIntent(event: SeenEvent): string | undefined {
    const found = this.#others(event);
    if (found === undefined) return 'there is no such row';
    const { row, others } = found;
    const like = others.find((other) => isOpenRegistration(other.status) && other.identity === row.identity);
    return like && `row ${like.seq} has its identity and is ${like.status}`;
  }

  #judgeNotTaken(sent: Sent | undefined, codes: readonly string[]): string | undefined {
    const reply = sent?.reply;
    if (sent === undefined || reply === undefined) return 'no reply has come';
    if (this.#bank.mayHave(sent)) return 'the bank may have it';
    const code = reply.kind === 'answered' ? reply.fields?.statusCode : undefined;
    return code !== undefined && codes.includes(code) ? undefined : `the bank has said ${code ?? reply.kind}`;
  }

  /** The bank has told this outcome of the identity: a refusal of after the latest request, a success of after any. */
  #wasTold(latest: SeenAttempt | undefined, outcome: RegistrationOutcome): boolean {
    if (latest === undefined) return false;
    const key = identityKey(latest.instruction);
    const own = this.#view
      .attempts()
      .filter(({ seq, instruction }) => seq === latest.seq && identityKey(instruction) === key);
    const sinceMs = outcome === 'refused' ? latest.intentAtMs : (own[0] ?? latest).intentAtMs;
    return this.#bank.calls.some(
      (call) =>
        call.tries > 0 &&
        call.outcome === outcome &&
        identityKey(call.identity) === key &&
        call.appliedAtMs + toleranceMs >= sinceMs,
    );
  }

  #judgeOverdue(event: SeenEvent, attempt: SeenAttempt | undefined): string | undefined {
    if (attempt === undefined) return 'it was never sent';
    const waitedMs = event.atMs - attempt.intentAtMs;
    return waitedMs < this.#plan.answerWithinMs
      ? `after ${waitedMs} ms of ${this.#plan.answerWithinMs}`
      : undefined;
  }
}
