/**
 * Watches a run from outside and holds the promises against what really happens: at the bank's door, in its book and
 * on the disk, at the very moment, so that a broken promise is found even where luck mends it later.
 */
import { formatBaht } from '../../src/core/money.ts';
import type { BankReply, InquiryFields, StatusInquiry, TransferFields } from '../../src/core/bank-port.ts';
import type { PayoutStatus, TransferOrder } from '../../src/core/payout.ts';
import type { Change, ResultRow } from '../../src/core/ports.ts';
import { bangkokDay, type BankBook, type Entry } from './bank-book.ts';
import type { DiskView, SeenAttempt, SeenEvent, SeenRow } from './disk-view.ts';
import { LimitWatch } from './limit-watch.ts';
import { DecisionJudge } from './decisions/judge.ts';
import type { Witness } from './network.ts';
import { OriginWatch } from './origins.ts';
import type { Plan } from './plan.ts';
import { areTwoContents, numberOf, SendWatch, spell } from './sends.ts';
import { acknowledging, type Finding, findTold, isProof, isRefusedForAll, readable } from './told.ts';
import type { Life, World } from './world.ts';

/** A statement that is read; what it calls failed. */
interface StatementReading {
  readonly date: string;
  readonly failed: ReadonlySet<string>;
  /** Which matching it is, in their order; Infinity while it has not begun. */
  begun: number;
}

/** What has been seen of one order, sent once or repeated. */
interface Watched {
  /** When the latest send was decided on, and when the one was whose bytes left last. */
  recordedAtMs: number;
  leftRecordedAtMs: number;
  leaves: number;
  /** Sends of these that were refused, for the payer or the service by their code: they count for no limit. */
  uncounted: number;
  /** Repetitions that got no answer while no other transfer was paid: they only tried whether the bank is back. */
  unansweredTrials: number;
  /** Transfers that had been paid, as all processes were told, when its bytes left last. */
  paidBefore: number;
  intentLife: Life | undefined;
}

/** What has been seen of one reference. */
interface Known {
  acknowledgedIn: Life | undefined;
  isToldComplete: boolean;
  /** What each process was told last. */
  readonly findings: Map<Life, Finding>;
}

/** So soon the outcome of what got no answer is to be known once it can be. */
const soonMs = 60_000;
/** With so many transfers in a row without an answer the bank is out of reach. */
const silencesMax = 2;

/** Holds that only a word about the very row lifts. */
const personalHolds: readonly string[] = ['approval', 'name', 'limit', 'similar', 'new-payee'];

/** What comes of a statement, or of a proof against one. */
const statementCauses: ReadonlySet<string> = new Set(
  (
    'statement-read statement-failed statement-contradicts earlier-attempt-alive alarm-raised ' +
    'late-proof second-proof'
  ).split(' '),
);

/** What people decide on a row, by the cause of the event. */
const decidedAs: Readonly<Record<string, 'again' | 'failed'>> = {
  'tried-again': 'again',
  corrected: 'again',
  'decided-failed': 'failed',
};

/** No money may have moved, or move later, for a row in one of these. */
const unpaidStatuses: readonly PayoutStatus[] = [
  'failed',
  'held',
  'ready',
  'unpayable',
  'cancelled',
  'rejected',
];

export class Auditor implements Witness {
  readonly #world: World;
  readonly #plan: Plan;
  readonly #watched = new Map<string, Watched>();
  readonly #known = new Map<string, Known>();
  readonly #sends = new SendWatch(() => this.#seen.disk);
  /** The bank's time less the true one, as each process was told it last. */
  readonly #bankOffsets = new WeakMap<Life, number>();
  readonly #references = new Map<string, string>();
  /** What the files ask for: payoutId, amount and payee. */
  readonly #asked: Set<string>;
  /** Rows held for a person's eye, and not let go on by name since. */
  readonly #unapproved = new Set<number>();
  readonly #limits: LimitWatch | undefined;
  readonly #origins: OriginWatch;
  #eventSeq = 0;
  #isAnew = false;
  /** Transfers that a process was told are paid. */
  #paid = 0;
  #book: BankBook | undefined;
  #disk: DiskView | undefined;
  readonly decisions: DecisionJudge;

  constructor(world: World, plan: Plan) {
    this.#world = world;
    this.#plan = plan;
    this.#origins = new OriginWatch(world);
    this.#limits = plan.limits && new LimitWatch(plan.limits);
    const hasStatement = (date: string): boolean => this.#calledFailed.has(date);
    this.decisions = new DecisionJudge(world, () => this.#seen.disk, hasStatement);
    const instructions = plan.files.flatMap(({ rows }) =>
      rows.flatMap(({ instruction }) => instruction ?? []),
    );
    this.#asked = new Set(
      instructions.map(
        ({ payoutId, amountSatang, proxyNo }) => `${payoutId} ${formatBaht(amountSatang)} ${proxyNo}`,
      ),
    );
  }

  look(book: BankBook, disk: DiskView): void {
    this.#book = book;
    this.#disk = disk;
  }

  /** Another journal takes the place of the one before: what that one knew is no promise of this one. */
  lookAnew(disk: DiskView): void {
    this.#watched.clear();
    this.#known.clear();
    this.#sends.lookAnew();
    this.#references.clear();
    this.#unapproved.clear();
    this.#origins.lookAnew();
    this.#isAnew = true;
    this.#disk = disk;
    this.#eventSeq = Math.max(0, ...disk.eventsAfter(0).map(({ seq }) => seq));
  }

  get #seen(): { readonly book: BankBook; readonly disk: DiskView } {
    if (this.#book === undefined || this.#disk === undefined) throw new Error('nothing to look at');
    return { book: this.#book, disk: this.#disk };
  }

  #know(transRefNo: string): Known {
    const present = this.#known.get(transRefNo);
    if (present !== undefined) return present;
    const none = { acknowledgedIn: undefined, isToldComplete: false, findings: new Map<Life, Finding>() };
    this.#known.set(transRefNo, none);
    return none;
  }

  #watch(order: TransferOrder): Watched {
    const name = spell(order);
    const present = this.#watched.get(name);
    if (present !== undefined) return present;
    const watched = {
      recordedAtMs: 0,
      leftRecordedAtMs: 0,
      leaves: 0,
      uncounted: 0,
      unansweredTrials: 0,
      paidBefore: 0,
      intentLife: undefined,
    };
    this.#watched.set(name, watched);
    return watched;
  }

  /** True when an inquiry has told a process that the transfer is complete. */
  isToldComplete(transRefNo: string): boolean {
    return this.#known.get(transRefNo)?.isToldComplete ?? false;
  }

  /** A person lets a row go on by name. */
  approve(seq: number): void {
    this.#sends.noteDecision(this.#seen.disk.row(seq).payoutId, 'again');
    this.#unapproved.delete(seq);
    this.#limits?.letGo(seq);
  }

  /** Changes that a process wants; the reference of an attempt must be the same whenever it is composed. */
  asked(changes: readonly Change[], life: Life, askedAtMs = this.#world.nowMs): void {
    for (const { isIntent, attempt, before, event } of changes) {
      if (attempt === undefined) continue;
      const { transRefNo } = attempt.order;
      if (isIntent === true || event.cause === 'sending-again')
        this.#watch(attempt.order).recordedAtMs = askedAtMs;
      if (isIntent !== true) continue;
      const name = `${before.instruction.payoutId} ${numberOf(transRefNo)}`;
      const known = this.#references.get(name);
      if (known !== undefined && known !== transRefNo)
        this.#world.fail(`attempt ${name} is called ${transRefNo}, and was called ${known}`);
      this.#references.set(name, transRefNo);
      this.#watch(attempt.order).intentLife = life;
    }
  }

  leaves(order: TransferOrder, isRepetitionOf401: boolean, life: Life): void {
    const { transRefNo } = order;
    const watched = this.#watch(order);
    const isFirst = watched.leaves === 0;
    this.#world.figures.count(isFirst ? 'first-send' : 'repeated-send');
    if (isRepetitionOf401) watched.uncounted += 1;
    const broken =
      this.#judgeProbe() ??
      this.#judgeLeaving(order, watched, life, isFirst, isRepetitionOf401) ??
      this.#sends.judge(order, life, isRepetitionOf401);
    if (broken !== undefined) this.#world.fail(`${transRefNo} is sent although ${broken}`);
    const kind = this.#sends.kindOf(order);
    if (kind !== undefined) this.#world.figures.count(kind);
    this.#sends.left(order, life, isRepetitionOf401);
    this.#know(transRefNo).findings.delete(life);
    this.#underWay.set(transRefNo, life);
    watched.leaves += 1;
    watched.paidBefore = this.#paid;
    watched.leftRecordedAtMs = watched.recordedAtMs;
    this.#world.note(`sends ${transRefNo} ${order.reference1 ?? ''} ${order.amountText}`);
  }

  #judgeLeaving(
    order: TransferOrder,
    watched: Watched,
    life: Life,
    isFirst: boolean,
    isRepetitionOf401: boolean,
  ): string | undefined {
    const { disk } = this.#seen;
    const attempts = disk.attempts(order.transRefNo);
    if (attempts.length === 0) return 'its intent is not on the disk';
    const attempt = attempts.findLast((one) => spell(one.order) === spell(order));
    if (attempt === undefined) return 'another order is on the disk';
    const letThrough = watched.leaves - watched.uncounted;
    if (attempt.sends < letThrough + 1) return `the disk knows of ${attempt.sends} sends`;
    const row = disk.row(attempt.seq);
    if (row.status !== 'submitted' || row.attemptNo !== attempt.attemptNo)
      return `its row is ${row.status} at attempt ${row.attemptNo}`;
    if (row.amountText !== order.amountText || row.proxyNo !== order.proxyNo)
      return 'it is not what the row asks for';
    if (!this.#asked.has(`${order.reference1 ?? ''} ${order.amountText} ${order.proxyNo}`))
      return 'no file asks for it';
    if (this.#unapproved.has(attempt.seq)) return 'no person has let its row go on';
    const alive = this.#findAlive(attempt);
    if (alive !== undefined) return alive;
    const { nowMs } = this.#world;
    const ourMs = this.#world.timeOf(life);
    const offsetMs = this.#bankOffsets.get(life);
    const ageMs = ourMs - attempt.intentAtMs;
    const ageMaxMs = this.#plan.policy.intentMaxAgeMs;
    if (order.tranDate !== bangkokDay(ourMs)) return 'its day is over';
    const banksDay = bangkokDay(offsetMs === undefined ? ourMs : nowMs + offsetMs);
    if (order.tranDate !== banksDay) return `the bank has told that its day is ${banksDay}`;
    if (ageMs < 0 || (ageMaxMs > 0 && ageMs > ageMaxMs)) return `its intent is ${ageMs} ms old`;
    if (isFirst && watched.intentLife === life) return this.#judgeEarlier(attempt, life);
    if (isRepetitionOf401 || isFirst) return undefined;
    if (attempt.acknowledged) return 'the disk says that the bank has acknowledged it';
    return this.#judgeRepetition(order, watched, letThrough, life);
  }

  /** No other attempt of the payoutId may be paid, or still be open, as far as the disk knows. */
  #findAlive({ order, seq, attemptNo }: SeenAttempt): string | undefined {
    const number = numberOf(order.transRefNo);
    for (let other = 1; ; other += 1) {
      const transRefNo = this.#references.get(`${order.reference1 ?? ''} ${other}`);
      if (transRefNo === undefined && other > number) return undefined;
      const attempts = transRefNo === undefined ? [] : this.#seen.disk.attempts(transRefNo);
      const alive = attempts
        .filter((one) => one.seq !== seq || one.attemptNo !== attemptNo)
        .find(({ status }) => status !== 'failed' && status !== 'refused');
      if (alive !== undefined) return `attempt ${alive.attemptNo} is ${alive.status}`;
    }
  }

  /**
   * Every earlier reference must have been inquired, and have shown nothing but failed or not found; its own, where it
   * goes again, has not been found.
   */
  #judgeEarlier({ order, attemptNo }: SeenAttempt, life: Life): string | undefined {
    const number = numberOf(order.transRefNo);
    for (let earlier = 1; earlier <= number; earlier += 1) {
      const transRefNo = this.#references.get(`${order.reference1 ?? ''} ${earlier}`);
      if (transRefNo === undefined) continue;
      const isEarlier = this.#seen.disk.attempts(transRefNo).some((one) => one.attemptNo < attemptNo);
      if (!isEarlier) continue;
      const finding = this.#know(transRefNo).findings.get(life);
      if (finding === undefined) return `${transRefNo} was not inquired before`;
      const isEnded = finding === 'not-found' || (finding === 'failed' && earlier < number);
      if (!isEnded) return `${transRefNo} is ${finding}`;
    }
    return undefined;
  }

  /** The rule of sending the same attempt again. */
  #judgeRepetition(
    order: TransferOrder,
    watched: Watched,
    letThrough: number,
    life: Life,
  ): string | undefined {
    const { policy, disturbances, clocksDiffer = false } = this.#plan;
    const { findings, acknowledgedIn } = this.#know(order.transRefNo);
    if (findings.get(life) !== 'not-found') return 'no inquiry has found nothing before';
    if (acknowledgedIn === life) return 'the bank has acknowledged it';
    const counted = letThrough - watched.unansweredTrials;
    if (policy.resendsMax === 0 || counted > policy.resendsMax) return `it was sent ${letThrough} times`;
    if (this.#seen.book.day !== order.tranDate) return 'the bank counts another day';
    const hasJumped = clocksDiffer || disturbances.some(({ what }) => what.kind === 'clock-jump');
    const sinceMs = this.#world.nowMs - watched.leftRecordedAtMs;
    if (!hasJumped && sinceMs < policy.notFoundTrustMs) return `not found is trusted after ${sinceMs} ms`;
    return undefined;
  }

  /** In an outage: what has hung, and when it was given up last. */
  readonly #hung = new Map<string, number>();
  /** Those of them that nobody has asked about since. */
  readonly #unasked = new Set<string>();
  /** Transfers of one process, one after another, that got no answer. */
  #silences = 0;

  #noteSilence(transRefNo: string, isLost: boolean): void {
    if (this.#plan.outage === undefined) return;
    this.#silences = isLost ? this.#silences + 1 : 0;
    if (!isLost) return;
    this.#hung.set(transRefNo, this.#world.nowMs);
    this.#unasked.add(transRefNo);
  }

  /** Before another transfer tries whether the bank answers again, those that got no answer are asked about. */
  #judgeProbe(): string | undefined {
    return this.#silences >= silencesMax && this.#unasked.size > 0
      ? `nobody has asked about ${[...this.#unasked].join()} yet`
      : undefined;
  }

  /**
   * When the only run of a plan with an outage is over: what reached the bank is settled within a minute, once nobody
   * waits for its answer any more; what did not within a minute of the trust in a not-found, once the outage is over.
   */
  judgeOutage(rows: readonly Pick<ResultRow, 'transRefNo' | 'status' | 'settledAtMs'>[]): void {
    const { outage, policy } = this.#plan;
    if (outage === undefined) return;
    for (const { transRefNo, status, settledAtMs } of rows) {
      const givenUpAtMs = transRefNo === null ? undefined : this.#hung.get(transRefNo);
      if (transRefNo === null || givenUpAtMs === undefined) continue;
      const [entry] = this.#seen.book.of(transRefNo);
      const hasArrived = entry !== undefined && entry.visibleAtMs < outage.toMs;
      const sinceMs = hasArrived ? givenUpAtMs : outage.toMs;
      const limitMs = soonMs + (hasArrived ? 0 : policy.notFoundTrustMs);
      const tookMs = (settledAtMs ?? Infinity) - sinceMs;
      if (status !== 'paid' || tookMs > limitMs)
        this.#world.fail(`outage: ${transRefNo} is ${status} after ${tookMs} ms`);
    }
  }

  toldOfTransfer(order: TransferOrder, reply: BankReply<TransferFields>, life: Life): void {
    const { transRefNo } = order;
    this.#noteTime(reply, life);
    this.#sends.told(order, reply, life);
    this.#underWay.delete(transRefNo);
    const fields = readable(reply);
    if (isProof(reply, fields, transRefNo)) this.#proofs.set(transRefNo, life);
    const watched = this.#watch(order);
    const isRepetition = watched.leaves - watched.uncounted > 1;
    if (reply.kind === 'lost' && isRepetition && watched.paidBefore === this.#paid)
      watched.unansweredTrials += 1;
    if (fields?.statusCode === 'IC000') this.#paid += 1;
    this.#noteSilence(transRefNo, reply.kind === 'lost');
    // Withheld: its token was refused, and it was not sent once more with the new one.
    if (isRefusedForAll(reply) || reply.kind === 'withheld') watched.uncounted += 1;
    if (fields === undefined || (fields.transRefNo ?? transRefNo) !== transRefNo) return;
    this.#world.figures.count(`code-${fields.statusCode}`);
    if (acknowledging.includes(fields.statusCode)) this.#know(transRefNo).acknowledgedIn = life;
  }

  /** A process has begun, and has its token. */
  begins(life: Life): void {
    const { tokenTellsTime, bankOffsetMs, dateOffsetMs } = this.#plan;
    if (tokenTellsTime) this.#bankOffsets.set(life, bankOffsetMs + dateOffsetMs);
    else this.#bankOffsets.delete(life);
    this.#silences = 0;
  }

  /** What a process has been told of the bank's time. */
  #noteTime(reply: BankReply<unknown>, life: Life): void {
    if (reply.kind !== 'answered' || reply.bankDateMs === undefined) return;
    // It waited while the machine was suspended, or on its way: it tells no time of now.
    if (reply.elapsedMs > 60_000) return;
    this.#bankOffsets.set(life, reply.bankDateMs - this.#world.nowMs);
  }

  toldOfInquiry(inquiry: StatusInquiry, reply: BankReply<InquiryFields>, life: Life): void {
    const { transRefNo } = inquiry;
    this.#noteTime(reply, life);
    const finding = findTold(reply, transRefNo);
    if (finding === undefined) return;
    const known = this.#know(transRefNo);
    this.#sends.noteShown(transRefNo, finding);
    this.#unasked.delete(transRefNo);
    known.findings.set(life, finding);
    this.#sends.noteAsked(inquiry, life);
    if (finding === 'failed') this.#sends.noteFailed(transRefNo);
    if (finding === 'complete') {
      known.isToldComplete = true;
      if (!areTwoContents(this.#seen.disk.attempts(transRefNo))) this.#proofs.set(transRefNo, life);
    }
    if (finding !== 'not-found') known.acknowledgedIn = life;
    this.#world.figures.count(`inquiry-${finding}`);
  }

  /** The bank takes a transfer in: nobody else's may be under way, or done, for the same payout. */
  entered(entry: Entry): void {
    if (entry.end === 'failed' || this.#plan.lie !== 'none') return;
    const { book } = this.#seen;
    const payoutId = entry.order.reference1;
    const other = book.entries.find(
      (one) => !one.isForeign && one.order.reference1 === payoutId && book.stateOf(one) !== 'failed',
    );
    if (other === undefined) return;
    const { transRefNo } = other.order;
    this.#world.fail(`I1: ${payoutId ?? ''} is paid by ${entry.order.transRefNo} and by ${transRefNo}`);
  }

  /** Something was written: no row may be called what the bank contradicts. */
  written(): void {
    const { disk } = this.#seen;
    this.decisions.noteWritten();
    for (const event of disk.eventsAfter(this.#eventSeq)) {
      this.#eventSeq = Math.max(this.#eventSeq, event.seq);
      const row = disk.row(event.payoutSeq);
      this.#world.note(`journal: row ${event.payoutSeq} ${event.cause} ${event.to}`);
      const isSend = event.cause === 'intent-recorded' || event.cause === 'sending-again';
      if (isSend && !disk.isOpen(event.payoutSeq))
        this.#world.fail(`row ${event.payoutSeq}: ${event.cause} while its line is stopped`);
      const latest = row.references
        .flatMap((one) => disk.attempts(one))
        .findLast(({ attemptNo }) => attemptNo === row.attemptNo);
      const passed = this.#limits?.see(event, row, latest?.order.tranDate);
      const decided = decidedAs[event.cause];
      if (decided !== undefined) this.#sends.noteDecision(row.payoutId, decided);
      if (passed !== undefined)
        this.#world.fail(`row ${event.payoutSeq} is submitted beyond limits.${passed}`);
      if (this.#plan.decisions !== undefined) this.#noteDecision(event, row);
      this.#origins.see(event, row);
      if (event.to === 'held' && row.holds.some((hold) => personalHolds.includes(hold)))
        this.#unapproved.add(event.payoutSeq);
      const broken = this.judgeRow(row, event.to) ?? this.#sends.judgeCancel(event.cause, row.references);
      if (broken !== undefined)
        this.#world.fail(`I3: row ${event.payoutSeq} becomes ${event.to}, but ${broken}`);
      if (this.#plan.statements.length > 0) this.#judgeBesideStatements(event, row);
    }
  }

  /** People have looked at a row that they let go on, or have corrected: it asks for what they say from then on. */
  #noteDecision(event: SeenEvent, row: SeenRow): void {
    const { payoutSeq, cause } = event;
    const payoutId = row.payoutId ?? '';
    const isDecided = this.decisions.noteEvent(event, row, (asked) =>
      this.#asked.add(`${payoutId} ${asked}`),
    );
    if (isDecided && (cause === 'hold-lifted' || cause === 'corrected')) this.approve(payoutSeq);
  }

  // ---- statements that are read meanwhile

  /** Transfers whose request is under way, by the process that waits for its answer. */
  readonly #underWay = new Map<string, Life>();
  /** Transfers that a process was told are complete, by the process. */
  readonly #proofs = new Map<string, Life>();
  /** What the accepted statement of each day calls failed, and what readings that have not ended, or broke off. */
  readonly #calledFailed = new Map<string, ReadonlySet<string>>();
  readonly #readings = new Set<StatementReading>();
  #readingsBegun = 0;
  readonly #everCalledFailed = new Set<string>();
  readonly #rows = new Set<number>();

  /**
   * A statement is read that calls these references failed.
   * @returns to be told when its matching has begun, and what became of it; what one that breaks off has called failed
   * counts until a later one of its day is accepted
   */
  beginStatement(date: string, failed: ReadonlySet<string>) {
    const reading: StatementReading = { date, failed, begun: Infinity };
    this.#readings.add(reading);
    for (const reference of failed) {
      this.#everCalledFailed.add(reference);
      this.#sends.noteFailed(reference);
    }
    return {
      begun: (): void => {
        this.#readingsBegun += 1;
        reading.begun = this.#readingsBegun;
      },
      end: (how: 'accepted' | 'refused'): void => {
        this.#readings.delete(reading);
        if (how === 'refused') return;
        for (const other of this.#readings)
          if (other.date === date && other.begun < reading.begun) this.#readings.delete(other);
        this.#calledFailed.set(date, failed);
        this.#judgeAll();
      },
    };
  }

  isAnyPaidOn(date: string): boolean {
    const { book, disk } = this.#seen;
    return book.entries.some(({ order }) => {
      const attempts = disk.attempts(order.transRefNo);
      return attempts.some((attempt) => attempt.status === 'paid' && attempt.order.tranDate === date);
    });
  }

  /** True while a statement, right or wrong, says so. */
  #isCalledFailed(reference: string): boolean {
    if (!this.#everCalledFailed.has(reference)) return false;
    const readings = [...this.#readings].map(({ failed }) => failed);
    return [...this.#calledFailed.values(), ...readings].some((failed) => failed.has(reference));
  }

  #judgeBesideStatements({ payoutSeq, from, to, cause }: SeenEvent, row: SeenRow): void {
    const { disk } = this.#seen;
    if (statementCauses.has(cause)) this.#world.figures.count(`event ${cause}`);
    this.#rows.add(payoutSeq);
    const isClosed = from !== null && !['submitted', 'unresolved', 'paid'].includes(from);
    if (to === 'paid' && isClosed && !row.isAlarm)
      this.#world.fail(`I4: row ${payoutSeq} was ${from} and is paid without an alarm`);
    for (const [reference, life] of this.#underWay) {
      const attempt = disk.attempts(reference).at(-1);
      // An hour after its day nobody waits for an answer any more.
      const isLate =
        attempt !== undefined && bangkokDay(this.#world.ourMs - 3_600_000) > attempt.order.tranDate;
      if (life.isAlive && attempt?.status === 'failed' && !isLate)
        this.#world.fail(`I3: ${reference} is called failed while its request is under way`);
    }
  }

  /** A process has ended by itself: what it was told is paid it has written down. */
  judgeProofs(life: Life): void {
    for (const [reference, by] of this.#proofs) {
      if (by !== life) continue;
      const attempts = this.#seen.disk.attempts(reference);
      const isPaid = attempts.some(({ status }) => status === 'paid');
      const latest = attempts.at(-1);
      if (latest !== undefined && !isPaid && !latest.referenceConflict)
        this.#world.fail(`I4: ${life.name} was told that ${reference} is paid, and it is ${latest.status}`);
    }
  }

  #judgeAll(): void {
    const { disk } = this.#seen;
    for (const seq of this.#rows) {
      const row = disk.row(seq);
      const broken = this.judgeRow(row, row.status);
      if (broken !== undefined) this.#world.fail(`I3: row ${seq} is ${row.status}, but ${broken}`);
    }
  }

  /** Somebody has been told to look: the attempt is open again, though its row has ended. */
  #isAlarmed(row: SeenRow, reference: string): boolean {
    const isOpen = this.#seen.disk
      .attempts(reference)
      .some(({ status }) => status === 'unresolved' || status === 'paid');
    return this.#everCalledFailed.has(reference) && row.isAlarm && isOpen;
  }

  /** False for the order of another row under the same reference, and for one that a lost journal has sent. */
  #mayBeOf({ seq }: SeenRow, order: TransferOrder): boolean {
    const ofReference = this.#seen.disk.attempts(order.transRefNo);
    const same = ofReference.filter((attempt) => spell(attempt.order) === spell(order));
    return same.length === 0 ? !this.#isAnew : same.some((attempt) => attempt.seq === seq);
  }

  /** What of a row's status the bank's book contradicts. */
  judgeRow(row: SeenRow, status: PayoutStatus): string | undefined {
    if (this.#plan.lie !== 'none') return undefined;
    const { book } = this.#seen;
    if (status === 'paid') {
      const isPaid = row.references.some((reference) =>
        book
          .of(reference)
          .some(
            (entry) =>
              !entry.isForeign &&
              book.stateOf(entry) === 'complete' &&
              entry.order.amountText === row.amountText &&
              entry.order.proxyNo === row.proxyNo,
          ),
      );
      return isPaid ? undefined : 'the bank has not completed it';
    }
    if (!unpaidStatuses.includes(status)) return undefined;
    const live = row.references.find(
      (reference) =>
        book.mayMove(reference, (order) => this.#mayBeOf(row, order)) &&
        !this.#isCalledFailed(reference) &&
        !this.#isAlarmed(row, reference),
    );
    return live === undefined ? undefined : `money of ${live} has moved or may still move`;
  }
}
