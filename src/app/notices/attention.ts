/**
 * Facts about the journal as a whole and about the clocks that need a person: read at intervals, shown by /healthz and
 * /metrics, and sent as one notice for each change. The notices in the journal tell what was sent.
 */
import { readWholeJournal } from '../../attention/attention-list.ts';
import { message } from '../../core/message.ts';
import type { Clock } from '../../core/ports.ts';
import { dayMs, formatBangkokDate } from '../../core/bangkok-time.ts';
import {
  Alarms,
  alarmsSubject,
  breaksSubject,
  clockSubject,
  CriticalBreaks,
  describeAlarms,
  describeBreaks,
  describeChangedJournal,
  describeClock,
  describeGap,
  describeNotReady,
  describeReady,
  describeStatementCame,
  describeStatementLate,
  isNewsOfBreaks,
  readinessSubject,
  readToldSeq,
  statementSubject,
} from '../../notify/rules/journal-notices.ts';
import { beginReadiness, decideReadiness, isTrouble, type Readiness } from '../../notify/rules/readiness.ts';
import { parseTimeOfDay } from '../../payout/rules/service-hours.ts';
import { journalChanged } from '../../payout/rules/seal.ts';
import {
  countAlarms,
  type Health,
  type HealthReason,
  listCriticalBreaks,
  listLateStatements,
  type WatchedAttention,
} from '../../watch/rules/health.ts';
import { endsWithin } from '../../platform/signal.ts';
import {
  type EarlyNotices,
  type NoticeBoard,
  type Notifier,
  openEarlyNotices,
  openNotifier,
} from './notifier.ts';
import type { WatchStatus } from '../watch-status.ts';
import { PersonNotices } from './persons.ts';
import type { Session } from '../session.ts';
import {
  describeRegistrationAlarms,
  describeUnknownCallbacks,
  isNewsOfRegistrationAlarms,
  isNewsOfUnknownCallbacks,
  registrationAlarmsSubject,
  unknownCallbacksSubject,
} from '../../notify/rules/registration-notices.ts';
import type { RegistrationStore } from '../../registration/ports.ts';

/** Sources of these facts; a command alongside the sender has no bank clock. */
type Watched = Pick<Session, 'loaded' | 'journal' | 'clock'> & Partial<Pick<Session, 'bankClock'>>;

/** Days for which a late statement is still asked for. */
const daysBack = 7;
/** Alarms read at a time. */
const pageSize = 500;

/** Reads the entries of the attention list that concern the whole journal, and the clocks. */
export async function readAttention({
  loaded,
  journal,
  clock,
  bankClock,
}: Watched): Promise<WatchedAttention> {
  const entries = await readWholeJournal({
    journal,
    clock,
    doubtAfterMs: loaded.settings.review.doubtAfterMs,
    lateAtMs: (parseTimeOfDay(loaded.settings.reconcile.lateAt) ?? 0) * 60_000,
  });
  // Without a daily round a person reconciles, and knows what is late.
  const isDaily = loaded.settings.reconcile.at !== '';
  return {
    entries: entries.filter(({ code }) => isDaily || code !== 'statement-late'),
    clock: bankClock?.trouble,
    clockOffsetMs: bankClock?.offsetMs,
  };
}

/** A day that could not be reconciled, and the error. */
export interface BrokenDay {
  /** YYYYMMDD. */
  readonly date: string;
  readonly error: unknown;
}

/** Statement and journal do not tie out: a bug of paydrop, or a damaged journal. */
const gapErrors = ['TotalsGapError', 'ClearLineError'];

export const isGap = (error: unknown): error is Error =>
  error instanceof Error && gapErrors.includes(error.name);

export class AttentionNotices {
  readonly #watched: Watched;
  readonly #notifier: Notifier;
  /** Days of the last look: number of breaks, and whether they were examined then. */
  readonly #days = new Map<string, { readonly breaks: number; readonly isLookedAt: boolean }>();
  readonly #persons: PersonNotices;
  #alarmsToldSeq: number | undefined;

  constructor(watched: Watched, notifier: Notifier) {
    this.#watched = watched;
    this.#notifier = notifier;
    this.#persons = new PersonNotices(watched.journal, notifier);
  }

  /**
   * Sends notices of what is new.
   * @param isSettled true while no statement is being recorded; breaks wait until the recording has ended
   */
  async notify(attention: WatchedAttention, isSettled: boolean): Promise<void> {
    if (!this.#notifier.isListenedTo) return;
    await this.#notifyOfStatements(attention);
    await this.#notifyOfBreaks(attention, isSettled);
    await this.#notifyOfAlarms(attention);
    await this.#notifyOfClock(attention);
    await this.#notifyOfChangedJournal();
    const { journal, clock } = this.#watched;
    await notifyOfRegistrations(journal, this.#notifier, clock.now());
    await this.#persons.notify();
  }

  /** Sends a notice of a day that does not tie out, once a day; other failures send none. */
  async notifyOfBroken({ date, error }: BrokenDay): Promise<void> {
    if (isGap(error)) await this.#notifier.add(describeGap(this.#notifier.scene, date, error.message));
  }

  async #notifyOfStatements(attention: WatchedAttention): Promise<void> {
    const lateStatements = listLateStatements(attention);
    const notifier = this.#notifier;
    const nowMs = this.#watched.clock.now();
    for (let back = daysBack; back >= 1; back -= 1) {
      const date = formatBangkokDate(nowMs - back * dayMs);
      const isLate = lateStatements.includes(date);
      const last = await notifier.lastNotice(statementSubject(date));
      if (isLate && last === undefined) await notifier.add(describeStatementLate(notifier.scene, date));
      if (!isLate && last?.kind === 'statement-late' && (await this.#watched.journal.statement(date)))
        await notifier.add(describeStatementCame(notifier.scene, date));
    }
  }

  async #notifyOfBreaks(attention: WatchedAttention, isSettled: boolean): Promise<void> {
    for (const { date, breaks } of listCriticalBreaks(attention)) {
      const before = this.#days.get(date);
      const isAtRest = isSettled || before?.breaks === breaks;
      const isLookedAt = isAtRest && (isSettled || before?.isLookedAt !== true);
      this.#days.set(date, { breaks, isLookedAt: isAtRest });
      if (isLookedAt) await this.#notifyOfBreaksOf(date);
    }
  }

  async #notifyOfBreaksOf(date: string): Promise<void> {
    const { journal } = this.#watched;
    const notifier = this.#notifier;
    const breaks = new CriticalBreaks(date);
    // The most severe come first.
    for await (const page of journal.breaksToShow({ date, runId: '' })) {
      const critical = page.filter(({ severity }) => severity === 'critical');
      for (const record of critical) breaks.add(record);
      if (critical.length < page.length) break;
    }
    if (!isNewsOfBreaks(breaks, await notifier.lastNotice(breaksSubject(date)))) return;
    const files = (await journal.statement(date))?.files ?? [];
    const reports = files.flatMap(({ kind, path }) => (kind === 'breaks' ? [path] : []));
    await notifier.add(describeBreaks(notifier.scene, breaks, reports));
  }

  async #notifyOfAlarms(attention: WatchedAttention): Promise<void> {
    if (countAlarms(attention) === 0) return;
    const { journal } = this.#watched;
    const notifier = this.#notifier;
    this.#alarmsToldSeq ??= readToldSeq(await this.#lastAlarm());
    const alarms = new Alarms();
    for (let afterSeq = this.#alarmsToldSeq; ; afterSeq = alarms.latestSeq) {
      const page = await journal.alarmsAfter(afterSeq, pageSize);
      for (const alarm of page) alarms.add(alarm);
      if (page.length < pageSize) break;
    }
    if (alarms.rows === 0) return;
    // Another process may have sent the notice meanwhile.
    const reportedSeq = readToldSeq(await this.#lastAlarm());
    if (reportedSeq < alarms.latestSeq) await notifier.add(describeAlarms(notifier.scene, alarms));
    this.#alarmsToldSeq = alarms.latestSeq;
  }

  #lastAlarm(): ReturnType<Notifier['lastNotice']> {
    return this.#notifier.lastNotice(alarmsSubject);
  }

  async #notifyOfClock({ clock, clockOffsetMs }: WatchedAttention): Promise<void> {
    const notifier = this.#notifier;
    const jump = this.#watched.bankClock?.takeJump();
    const agrees = { kind: 'agrees', text: message('clock.agrees') } as const;
    // Nothing is known before the bank's first answer.
    const state = clock ?? (clockOffsetMs === undefined ? undefined : agrees);
    for (const alarm of [jump, state]) {
      if (alarm === undefined) continue;
      const draft = describeClock(notifier.scene, alarm, await notifier.lastNotice(clockSubject));
      if (draft !== undefined) await notifier.add(draft);
    }
  }

  async #notifyOfChangedJournal(): Promise<void> {
    const { loaded, journal } = this.#watched;
    const { companyId, payerAccount } = loaded.settings.bank;
    const halt = await journal.payerHalt(companyId, payerAccount);
    if (halt?.code === journalChanged)
      await this.#notifier.add(describeChangedJournal(this.#notifier.scene, halt));
  }
}

/** The newest alarms and unknown callbacks that are read of many. */
const readMax = 20;

type RegistrationFacts = Pick<
  RegistrationStore,
  'searchRegistrations' | 'countFoundRegistrations' | 'unknownCallbacks' | 'countUnknownCallbacks'
>;

/** Sends notices of registrations as a whole: new alarms, and new callbacks for no known registration. @forTests */
export async function notifyOfRegistrations(
  journal: RegistrationFacts,
  board: NoticeBoard,
  nowMs: number,
): Promise<void> {
  const rows = await journal.countFoundRegistrations({ isAlarm: true });
  if (rows > 0) {
    const first = await journal.searchRegistrations({ isAlarm: true }, Number.MAX_SAFE_INTEGER, readMax);
    const alarms = { rows, first };
    if (isNewsOfRegistrationAlarms(alarms, await board.lastNotice(registrationAlarmsSubject)))
      await board.add(describeRegistrationAlarms(board.scene, alarms));
  }
  const latest = await journal.unknownCallbacks(readMax);
  if (latest.length === 0) return;
  const unknown = { count: await journal.countUnknownCallbacks(), latest };
  if (isNewsOfUnknownCallbacks(unknown, await board.lastNotice(unknownCallbacksSubject), nowMs))
    await board.add(describeUnknownCallbacks(board.scene, unknown));
}

/** Sends notices of what a command has changed, once its work has ended. Never throws. */
export async function notifyOnce(
  watched: Watched,
  log: Session['log'],
  notifier: Notifier,
  broken?: BrokenDay,
): Promise<void> {
  if (!notifier.isListenedTo) return;
  try {
    const notices = new AttentionNotices(watched, notifier);
    if (broken !== undefined) await notices.notifyOfBroken(broken);
    await notices.notify(await readAttention(watched), true);
  } catch (error) {
    log.error({ err: error }, 'notices could not be made');
  }
}

/**
 * Sends notices at the end of a command that has a journal open, and delivers them.
 * @param isSender false alongside a process that delivers kept notices
 * @param broken the day at which the command has failed
 */
export async function notifyAtEnd(
  watched: Watched & Pick<Session, 'log'>,
  isSender: boolean,
  stop: AbortSignal,
  broken?: BrokenDay,
): Promise<void> {
  try {
    const notifier = await openNotifier(watched);
    await notifyOnce(watched, watched.log, notifier, broken);
    if (isSender) await notifier.deliverOnce(stop);
  } catch (error) {
    watched.log.error({ err: error }, 'notices could not be made');
  }
}

// ---------------------------------------------------------------- ready or not

/** Longest wait for the journal to tell what an earlier process has sent. */
const toldWithinMs = 2_000;

/** Sends a notice when a watcher stops being ready, and one when it is ready again. @forTests */
export class ReadinessNotices {
  #board: NoticeBoard;
  readonly #clock: Clock;
  readonly #afterMs: number;
  #state: Readiness | undefined;
  /** The read of an earlier process's notices, under way or done. */
  #reading: Promise<void> | undefined;
  /** Time of the latest `not-ready` notice without a `ready` after it; 0 without one. */
  #toldAtMs = 0;

  /** @param afterMs notices.notReadyAfterMs */
  constructor(board: NoticeBoard, clock: Clock, afterMs: number) {
    this.#board = board;
    this.#clock = clock;
    this.#afterMs = afterMs;
  }

  /** Follows the journal once it is open, or the early notices once the sender's place is lost. */
  moveTo(board: NoticeBoard): void {
    this.#board = board;
    this.#reading = undefined;
    if (this.#toldAtMs === 0) this.#state = undefined;
  }

  /** Judges the health once; an earlier process may have sent a notice of it. */
  async look(health: Pick<Health, 'ready' | 'reasons'>): Promise<void> {
    const board = this.#board;
    if (!board.isListenedTo) return;
    if (this.#toldAtMs === 0) {
      this.#reading ??= this.#readTold(board);
      // Bounded, so that a database that is away from the start is reported, too.
      await endsWithin(this.#clock, toldWithinMs, this.#reading);
    }
    const nowMs = this.#clock.elapsedMs();
    const before = this.#state ?? beginReadiness([], nowMs);
    const { after, tell } = decideReadiness(before, health, nowMs, this.#afterMs);
    this.#state = after;
    if (tell === undefined) return;
    const { scene } = board;
    const draft =
      tell === 'ready'
        ? describeReady(scene, this.#toldAtMs, !health.ready)
        : describeNotReady(scene, health.reasons.filter(isTrouble));
    this.#toldAtMs = tell === 'not-ready' ? scene.nowMs : 0;
    await board.add(draft);
  }

  /** Starts with the codes of the latest notice, unless this process has sent one meanwhile. */
  async #readTold(board: NoticeBoard): Promise<void> {
    const last = await board.lastNotice(readinessSubject).catch(() => null);
    if (this.#board !== board || this.#toldAtMs !== 0) return;
    // The next look asks again.
    if (last === null) this.#reading = undefined;
    if (last?.kind !== 'not-ready') return;
    this.#toldAtMs = last.atMs;
    const codes = (last.body['reasons'] as readonly Pick<HealthReason, 'code'>[]).map(({ code }) => code);
    this.#state = beginReadiness(codes, this.#clock.elapsedMs());
  }
}

/** Interval at which the watcher's readiness is judged. */
const readinessPollMs = 2_000;
const readinessPollMinMs = 100;

/** Sends notices in a process that has no journal, or only helps the sender. */
export interface Early {
  readonly notices: EarlyNotices;
  readonly readiness: ReadinessNotices;
}

/** Opens these notices, which are sent from memory while the journal is away. */
export async function openEarly(
  { loaded, log, clock }: Pick<Session, 'loaded' | 'log' | 'clock'>,
  status: Pick<WatchStatus, 'isJournalAway'>,
): Promise<Early> {
  const notices = await openEarlyNotices(loaded, log, clock, () => status.isJournalAway);
  return {
    notices,
    readiness: new ReadinessNotices(notices, clock, loaded.settings.notices.notReadyAfterMs),
  };
}

/**
 * Sends notices of what keeps the watcher from its journal, or from the sender's place.
 * @returns a function that ends this, after notices under way, so that none is sent twice
 */
export function notifyEarly(
  { notices, readiness }: Early,
  status: Pick<WatchStatus, 'readHealth'>,
  { loaded, clock, stop }: Pick<Session, 'loaded' | 'clock'> & { readonly stop: AbortSignal },
): () => Promise<void> {
  const over = new AbortController();
  const until = AbortSignal.any([over.signal, stop]);
  const look = async (): Promise<void> => {
    while (!until.aborted) await lookWhetherReady(readiness, status, { loaded, clock }, until);
  };
  readiness.moveTo(notices);
  const work = notices.isListenedTo ? Promise.all([look(), notices.deliver(until)]) : undefined;
  return async () => {
    over.abort();
    await work;
  };
}

/** Judges once whether the watcher is ready, and waits for the next time. */
export async function lookWhetherReady(
  readiness: ReadinessNotices,
  status: Pick<WatchStatus, 'readHealth'>,
  { loaded, clock }: Pick<Session, 'loaded' | 'clock'>,
  stop: AbortSignal,
): Promise<void> {
  await readiness.look(status.readHealth());
  const { notReadyAfterMs } = loaded.settings.notices;
  await clock.sleep(Math.max(readinessPollMinMs, Math.min(readinessPollMs, notReadyAfterMs)), stop);
}
