/**
 * Watches a run from outside and holds the promises against what really happens: at the bank's door, in its book and
 * on the disk, at the very moment, so that a broken promise is found even where luck mends it later.
 */
import { formatBaht } from '../../src/core/money.ts';
import type { BankReply, InquiryFields, InquiryItem, TransferFields } from '../../src/core/bank-port.ts';
import type { PayoutStatus, TransferOrder } from '../../src/core/payout.ts';
import type { Change, ResultRow } from '../../src/core/ports.ts';
import { bangkokDay, type BankBook, type Entry } from './bank-book.ts';
import { duplicateCode, otherDetailsCodes, processingCodes } from './bank-codes.ts';
import type { DiskView, SeenEvent, SeenRow } from './disk-view.ts';
import { LimitWatch } from './limit-watch.ts';
import { DecisionJudge } from './decisions/judge.ts';
import type { Witness } from './network.ts';
import type { Plan } from './plan.ts';
import { originOf } from './planned-files.ts';
import type { Life, World } from './world.ts';

/** A statement that is read; what it calls failed. */
interface StatementReading {
  readonly date: string;
  readonly failed: ReadonlySet<string>;
  /** Which matching it is, in their order; Infinity while it has not begun. */
  begun: number;
}

type Finding = 'complete' | 'open' | 'failed' | 'not-found';

/** What has been seen of one reference. */
interface Watched {
  /** When the latest send was decided on, and when the one was whose bytes left last. */
  recordedAtMs: number;
  leftRecordedAtMs: number;
  leaves: number;
  rejectedByGateway: number;
  /** Repetitions that got no answer while no other transfer was paid: they only tried whether the bank is back. */
  unansweredTrials: number;
  /** Transfers that had been paid, as all processes were told, when its bytes left last. */
  paidBefore: number;
  intentLife: Life | undefined;
  acknowledgedIn: Life | undefined;
  isToldComplete: boolean;
  /** What each process was told last. */
  readonly findings: Map<Life, Finding>;
}

/** So soon the outcome of what got no answer is to be known once it can be. */
const soonMs = 60_000;
/** With so many transfers in a row without an answer the bank is out of reach. */
const silencesMax = 2;

const acknowledging: readonly string[] = [duplicateCode, ...processingCodes, ...otherDetailsCodes];

/** Holds that only a word about the very row lifts. */
const personalHolds: readonly string[] = ['approval', 'name', 'limit', 'similar', 'new-payee'];

/** A row in one of these has given its payoutId back, or never had it. */
const claimless: readonly PayoutStatus[] = ['staged', 'rejected', 'failed', 'unpayable'];

/** What comes of a statement, or of a proof against one. */
const statementCauses: ReadonlySet<string> = new Set(
  (
    'statement-read statement-failed statement-contradicts earlier-attempt-alive alarm-raised ' +
    'late-proof second-proof'
  ).split(' '),
);

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
  /** The bank's time less the true one, as each process was told it last. */
  readonly #bankOffsets = new WeakMap<Life, number>();
  readonly #references = new Map<string, string>();
  /** What the files ask for: payoutId, amount and payee. */
  readonly #asked: Set<string>;
  /** Rows held for a person's eye, and not let go on by name since. */
  readonly #unapproved = new Set<number>();
  readonly #limits: LimitWatch | undefined;
  #eventSeq = 0;
  /** Transfers that a process was told are paid. */
  #paid = 0;
  #book: BankBook | undefined;
  #disk: DiskView | undefined;
  readonly decisions: DecisionJudge;

  constructor(world: World, plan: Plan) {
    this.#world = world;
    this.#plan = plan;
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
    this.#references.clear();
    this.#unapproved.clear();
    this.#written.clear();
    this.#disk = disk;
    this.#eventSeq = Math.max(0, ...disk.eventsAfter(0).map(({ seq }) => seq));
  }

  get #seen(): { readonly book: BankBook; readonly disk: DiskView } {
    if (this.#book === undefined || this.#disk === undefined) throw new Error('nothing to look at');
    return { book: this.#book, disk: this.#disk };
  }

  #watch(transRefNo: string): Watched {
    const known = this.#watched.get(transRefNo);
    if (known !== undefined) return known;
    const none = { acknowledgedIn: undefined, findings: new Map<Life, Finding>(), intentLife: undefined };
    const watched = {
      recordedAtMs: 0,
      leftRecordedAtMs: 0,
      leaves: 0,
      rejectedByGateway: 0,
      unansweredTrials: 0,
      paidBefore: 0,
      isToldComplete: false,
      ...none,
    };
    this.#watched.set(transRefNo, watched);
    return watched;
  }

  /** True when an inquiry has told a process that the transfer is complete. */
  isToldComplete(transRefNo: string): boolean {
    return this.#watched.get(transRefNo)?.isToldComplete ?? false;
  }

  /** A person lets a row go on by name. */
  approve(seq: number): void {
    this.#unapproved.delete(seq);
    this.#limits?.letGo(seq);
  }

  /** Changes that a process wants; the reference of an attempt must be the same whenever it is composed. */
  asked(changes: readonly Change[], life: Life, askedAtMs = this.#world.nowMs): void {
    for (const { isIntent, attempt, before, event } of changes) {
      if (attempt === undefined) continue;
      const { transRefNo } = attempt.order;
      if (isIntent === true || event.cause === 'sending-again')
        this.#watch(transRefNo).recordedAtMs = askedAtMs;
      if (isIntent !== true) continue;
      const name = `${before.instruction.payoutId} ${attempt.attemptNo}`;
      const known = this.#references.get(name);
      if (known !== undefined && known !== transRefNo)
        this.#world.fail(`attempt ${name} is called ${transRefNo}, and was called ${known}`);
      this.#references.set(name, transRefNo);
      this.#watch(transRefNo).intentLife = life;
    }
  }

  leaves(order: TransferOrder, isRepetitionOf401: boolean, life: Life): void {
    const { transRefNo } = order;
    const watched = this.#watch(transRefNo);
    const isFirst = watched.leaves === 0;
    this.#world.figures.count(isFirst ? 'first-send' : 'repeated-send');
    if (isRepetitionOf401) watched.rejectedByGateway += 1;
    const broken = this.#judgeProbe() ?? this.#judgeLeaving(order, watched, life, isFirst, isRepetitionOf401);
    if (broken !== undefined) this.#world.fail(`${transRefNo} is sent although ${broken}`);
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
    const attempt = disk.attempt(order.transRefNo);
    if (attempt === undefined) return 'its intent is not on the disk';
    if (spell(attempt.order) !== spell(order)) return 'another order is on the disk';
    const letThrough = watched.leaves - watched.rejectedByGateway;
    if (attempt.sends < letThrough + 1) return `the disk knows of ${attempt.sends} sends`;
    const row = disk.row(attempt.seq);
    if (row.status !== 'submitted' || row.attemptNo !== attempt.attemptNo)
      return `its row is ${row.status} at attempt ${row.attemptNo}`;
    if (row.amountText !== order.amountText || row.proxyNo !== order.proxyNo)
      return 'it is not what the row asks for';
    if (!this.#asked.has(`${order.reference1 ?? ''} ${order.amountText} ${order.proxyNo}`))
      return 'no file asks for it';
    if (this.#unapproved.has(attempt.seq)) return 'no person has let its row go on';
    const alive = this.#findAlive(order, attempt.attemptNo);
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
    if (isFirst && watched.intentLife === life) return this.#judgeEarlier(order, attempt.attemptNo, life);
    if (isRepetitionOf401 || isFirst) return undefined;
    if (attempt.acknowledged) return 'the disk says that the bank has acknowledged it';
    return this.#judgeRepetition(order, watched, letThrough, life);
  }

  /** No other attempt of the payoutId may be paid, or still be open, as far as the disk knows. */
  #findAlive({ reference1 }: TransferOrder, attemptNo: number): string | undefined {
    for (let other = 1; ; other += 1) {
      const transRefNo = this.#references.get(`${reference1 ?? ''} ${other}`);
      if (transRefNo === undefined && other > attemptNo) return undefined;
      const status = transRefNo === undefined ? undefined : this.#seen.disk.attempt(transRefNo)?.status;
      if (other === attemptNo || status === undefined) continue;
      if (status !== 'failed' && status !== 'refused') return `attempt ${other} is ${status}`;
    }
  }

  /** Every earlier reference must have been inquired, and have shown nothing but failed or not found. */
  #judgeEarlier({ reference1 }: TransferOrder, attemptNo: number, life: Life): string | undefined {
    for (let earlier = 1; earlier < attemptNo; earlier += 1) {
      const transRefNo = this.#references.get(`${reference1 ?? ''} ${earlier}`);
      if (transRefNo === undefined) continue;
      const finding = this.#watch(transRefNo).findings.get(life);
      if (finding === undefined) return `attempt ${earlier} was not inquired before`;
      if (finding !== 'failed' && finding !== 'not-found') return `attempt ${earlier} is ${finding}`;
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
    if (watched.findings.get(life) !== 'not-found') return 'no inquiry has found nothing before';
    if (watched.acknowledgedIn === life) return 'the bank has acknowledged it';
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

  toldOfTransfer({ transRefNo }: TransferOrder, reply: BankReply<TransferFields>, life: Life): void {
    this.#noteTime(reply, life);
    this.#underWay.delete(transRefNo);
    const fields = readable(reply);
    if (isProof(reply, fields, transRefNo)) this.#proofs.set(transRefNo, life);
    const watched = this.#watch(transRefNo);
    const isRepetition = watched.leaves - watched.rejectedByGateway > 1;
    if (reply.kind === 'lost' && isRepetition && watched.paidBefore === this.#paid)
      watched.unansweredTrials += 1;
    if (fields?.statusCode === 'IC000') this.#paid += 1;
    this.#noteSilence(transRefNo, reply.kind === 'lost');
    const isRejected = reply.kind === 'answered' && [401, 403, 429].includes(reply.httpStatus);
    // Its token was refused, and it was not sent once more with the new one.
    if (isRejected || reply.kind === 'withheld') watched.rejectedByGateway += 1;
    if (fields === undefined || (fields.transRefNo ?? transRefNo) !== transRefNo) return;
    this.#world.figures.count(`code-${fields.statusCode}`);
    if (acknowledging.includes(fields.statusCode)) watched.acknowledgedIn = life;
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

  toldOfInquiry(transRefNo: string, reply: BankReply<InquiryFields>, life: Life): void {
    this.#noteTime(reply, life);
    const fields = readable(reply);
    const finding = fields === undefined ? undefined : findIn(fields, transRefNo);
    if (finding === undefined) return;
    const watched = this.#watch(transRefNo);
    this.#unasked.delete(transRefNo);
    watched.findings.set(life, finding);
    if (finding === 'complete') {
      watched.isToldComplete = true;
      this.#proofs.set(transRefNo, life);
    }
    if (finding !== 'not-found') watched.acknowledgedIn = life;
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
    for (const event of disk.eventsAfter(this.#eventSeq)) {
      this.#eventSeq = Math.max(this.#eventSeq, event.seq);
      const row = disk.row(event.payoutSeq);
      this.#world.note(`journal: row ${event.payoutSeq} ${event.cause} ${event.to}`);
      const isSend = event.cause === 'intent-recorded' || event.cause === 'sending-again';
      if (isSend && !disk.isOpen(event.payoutSeq))
        this.#world.fail(`row ${event.payoutSeq}: ${event.cause} while its line is stopped`);
      const passed = this.#limits?.see(event, row, disk.attempt(row.references.at(-1) ?? '')?.order.tranDate);
      if (passed !== undefined)
        this.#world.fail(`row ${event.payoutSeq} is submitted beyond limits.${passed}`);
      if (this.#plan.decisions !== undefined) this.#noteDecision(event, row);
      this.#judgeOrigin(event, row);
      if (event.to === 'held' && row.holds.some((hold) => personalHolds.includes(hold)))
        this.#unapproved.add(event.payoutSeq);
      const broken = this.judgeRow(row, event.to);
      if (broken !== undefined)
        this.#world.fail(`I3: row ${event.payoutSeq} becomes ${event.to}, but ${broken}`);
      if (this.#plan.statements.length > 0) this.#judgeBesideStatements(event, row);
    }
  }

  /** By the payoutId as it was at first: how each row writes it, and what has become of the row. */
  readonly #written = new Map<
    string,
    Map<number, { readonly payoutId: string; readonly status: PayoutStatus }>
  >();

  /** A row whose payoutId another has in another way of writing waits for a person while that one keeps its own. */
  #judgeOrigin({ payoutSeq, cause, to }: SeenEvent, { payoutId }: SeenRow): void {
    if (payoutId === null) return;
    const origin = originOf(payoutId);
    const rows = this.#written.get(origin) ?? new Map();
    this.#written.set(
      origin,
      rows.set(payoutSeq, { payoutId, status: cause === 'released' ? 'failed' : to }),
    );
    if (cause !== 'sealed' || to !== 'ready') return;
    for (const other of rows.values())
      if (other.payoutId !== payoutId && !claimless.includes(other.status))
        this.#world.fail(`row ${payoutSeq}: ${payoutId} goes on though ${other.payoutId} is ${other.status}`);
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
    for (const reference of failed) this.#everCalledFailed.add(reference);
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
      const attempt = disk.attempt(order.transRefNo);
      return attempt?.status === 'paid' && attempt.order.tranDate === date;
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
      const attempt = disk.attempt(reference);
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
      const attempt = this.#seen.disk.attempt(reference);
      if (attempt !== undefined && attempt.status !== 'paid' && !attempt.referenceConflict)
        this.#world.fail(`I4: ${life.name} was told that ${reference} is paid, and it is ${attempt.status}`);
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
    const status = this.#seen.disk.attempt(reference)?.status;
    return (
      this.#everCalledFailed.has(reference) && row.isAlarm && (status === 'unresolved' || status === 'paid')
    );
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
        book.mayMove(reference) && !this.#isCalledFailed(reference) && !this.#isAlarmed(row, reference),
    );
    return live === undefined ? undefined : `money of ${live} has moved or may still move`;
  }
}

/** The same text for the same order, whatever the order of its fields. */
const spell = (order: TransferOrder): string =>
  JSON.stringify(Object.entries(order).toSorted(([one], [other]) => (one < other ? -1 : 1)));

/** IC000 with our references. */
function isProof(
  reply: BankReply<TransferFields>,
  fields: TransferFields | undefined,
  transRefNo: string,
): boolean {
  if (reply.kind !== 'answered' || fields?.statusCode !== 'IC000') return false;
  return fields.transRefNo === transRefNo && fields.requestUid === reply.requestUid;
}

/** The fields of a reply that is ours to believe. */
function readable<Fields extends { readonly requestUid: string | undefined }>(
  reply: BankReply<Fields>,
): Fields | undefined {
  if (reply.kind !== 'answered' || reply.fields === undefined) return undefined;
  const { httpStatus, fields } = reply;
  if ((httpStatus >= 300 && httpStatus < 400) || [401, 403, 429].includes(httpStatus)) return undefined;
  return (fields.requestUid ?? reply.requestUid) === reply.requestUid ? fields : undefined;
}

function findIn({ statusCode, items }: InquiryFields, transRefNo: string): Finding | undefined {
  if (statusCode === 'EV034' || statusCode === 'EV035') return 'not-found';
  if (statusCode !== 'IC001' || items === undefined) return undefined;
  if (items.length === 0) return 'not-found';
  const ours = items.filter((item: InquiryItem) => item.transRefNo === transRefNo);
  if (ours.length === 0) return undefined;
  if (ours.some(({ tranStatusCode }) => tranStatusCode === '010004')) return 'complete';
  const isFailed = (code: string | undefined): boolean => code === '030002' || code === '030003';
  return ours.every(({ tranStatusCode }) => isFailed(tranStatusCode)) ? 'failed' : 'open';
}
