/** Notices about the whole journal or the machine, rather than one batch or file. */
import { inEnglish, joined, listed, type Message, message, say, sayCode } from '../../core/message.ts';
import { createHash } from 'node:crypto';
import { formatBangkokDate, formatBangkokDateTime, formatThaiDate } from '../../core/bangkok-time.ts';
import { paydropCommand } from '../../core/command-line.ts';
import { showCount } from '../../core/figures.ts';
import type { Language } from '../../core/language.ts';
import { formatBaht, type Satang, sumSatang, zeroSatang } from '../../core/money.ts';
import { showMessageIfAny, showText, showTextIfAny } from '../../core/outgoing-text.ts';
import type { BatchReason } from '../../core/ports.ts';
import type { PayoutStatus } from '../../core/payout.ts';
import type { ClockAlarm } from '../../payout/rules/clock-skew.ts';
import { showDate } from '../../payout/rules/lost-journal.ts';
import { describeBreakRemedy } from '../../reconcile/rules/break-remedies.ts';
import { amountOfBreak } from '../../reconcile/rules/breaks.ts';
import type { BreakRecord } from '../../reconcile/rules/types.ts';
import { type HealthReason, sayHealth } from '../../watch/rules/health.ts';
import { draftNotice, type NoticeFacts, type NoticeScene } from './notice-body.ts';
import type { NoticeDraft, NoticeKind } from './notice.ts';

/** Items named of many. */
const namedMax = 5;

/** A notice about no batch. `subject` identifies what it is about, `mark` the state of that. */
function draftOfJournal(
  scene: NoticeScene,
  kind: NoticeKind,
  [subject, mark]: readonly [subject: string, mark: string],
  facts: NoticeFacts,
): NoticeDraft {
  return draftNotice(scene, { kind, batchId: null, key: `${subject}${mark}` }, facts);
}

/** The day in the notice's language: `2026-11-21` or `21 พ.ย. 2569`. @param date YYYYMMDD */
export const sayDay = ({ language }: Pick<NoticeScene, 'language'>, date: string): string =>
  language === 'th' ? formatThaiDate(date) : showDate(date);

// ---------------------------------------------------------------- ready or not

export const readinessSubject = 'readiness:';

/** A file dropped now is not worked. */
export function describeNotReady(scene: NoticeScene, reasons: readonly HealthReason[]): NoticeDraft {
  const codes = reasons.map(({ code }) => code);
  return draftOfJournal(scene, 'not-ready', [readinessSubject, `${codes.join(',')}:${scene.nowMs}`], {
    status: 'not-ready',
    reasonCode: codes[0] ?? null,
    reason: message('notice.not-ready', {
      reasons: listed(
        reasons.map(({ text }) => text),
        'semicolon',
      ),
    }),
    remedy: joined(reasons.map(({ remedy }) => remedy)),
    reasons: reasons.map((reason) => sayHealth(scene.language ?? 'en', reason)),
    commands: reasons.flatMap(({ command }) => command ?? []),
  });
}

/**
 * A file dropped now is worked again.
 * @param sinceMs time at which the watcher was reported as not ready
 * @param isStandingBy another process works it; this one takes over when that ends
 */
export function describeReady(scene: NoticeScene, sinceMs: number, isStandingBy: boolean): NoticeDraft {
  return draftOfJournal(scene, 'ready', [readinessSubject, `ready:${scene.nowMs}`], {
    status: isStandingBy ? 'standby' : 'ready',
    notReadySince: formatBangkokDateTime(sinceMs),
    reason: message(isStandingBy ? 'notice.standby' : 'notice.ready'),
    remedy: null,
    commands: [],
  });
}

// ---------------------------------------------------------------- statements

export const statementSubject = (date: string): string => `statement:${date}:`;

/** The statement of a day with payouts is long overdue, or not whole. @param date YYYYMMDD */
export function describeStatementLate(scene: NoticeScene, date: string): NoticeDraft {
  const day = showDate(date);
  return draftOfJournal(scene, 'statement-late', [statementSubject(date), 'late'], {
    status: 'late',
    statement: day,
    reasonCode: 'statement-late',
    reason: message('notice.statement-late', { day: sayDay(scene, date) }),
    remedy: message('notice.ask-for-statement'),
    commands: [paydropCommand(scene.place, 'reconcile', '--date', day)],
  });
}

/** A statement that was reported as late has come. */
export function describeStatementCame(scene: NoticeScene, date: string): NoticeDraft {
  const day = showDate(date);
  return draftOfJournal(scene, 'statement-came', [statementSubject(date), 'came'], {
    status: 'came',
    statement: day,
    reason: message('notice.statement-came', { day: sayDay(scene, date) }),
    remedy: null,
    commands: [],
  });
}

export const breaksSubject = (date: string): string => `critical-breaks:${date}:`;

/** The open critical breaks of a day: number, amount, and the first of them. */
export class CriticalBreaks {
  readonly date: string;
  count = 0;
  version = 0;
  newestAtMs = 0;
  satang: Satang = zeroSatang;
  readonly first: BreakRecord[] = [];
  readonly #hash = createHash('sha256');

  /** @param date YYYYMMDD of the statement */
  constructor(date: string) {
    this.date = date;
  }

  add(record: BreakRecord): void {
    this.count += 1;
    this.version = Math.max(this.version, record.version);
    this.newestAtMs = Math.max(this.newestAtMs, record.openedAtMs);
    this.satang = sumSatang([this.satang, amountOfBreak(record)]);
    if (this.first.length < namedMax) this.first.push(record);
    this.#hash.update(`${record.kind} ${record.key}\n`);
  }

  /** Digest of the breaks; equal for the same breaks. */
  digest(): string {
    return this.#hash.copy().digest('hex').slice(0, 16);
  }
}

/** Whether the breaks of a day differ from the last notice; breaks that were closed are no news. */
export function isNewsOfBreaks(
  breaks: CriticalBreaks,
  last: Pick<NoticeDraft, 'atMs' | 'body'> | undefined,
): boolean {
  if (breaks.count === 0) return false;
  if (last === undefined) return true;
  const { digest, breaks: count, version } = last.body;
  if (digest === breaks.digest()) return false;
  const hasMore = breaks.count >= Number(count) || breaks.newestAtMs > last.atMs;
  return hasMore || version !== breaks.version;
}

/** Money moved that paydrop had called unmoved, by a day's statement. @param reports absolute path of the breaks' table */
export function describeBreaks(
  scene: NoticeScene,
  breaks: CriticalBreaks,
  reports: readonly string[],
): NoticeDraft {
  const { date, count, version, first } = breaks;
  const mark = `v${version}:${breaks.digest()}:${scene.nowMs}`;
  const day = showDate(date);
  return draftOfJournal(scene, 'critical-breaks', [breaksSubject(date), mark], {
    statement: day,
    version,
    breaks: count,
    amount: formatBaht(breaks.satang),
    digest: breaks.digest(),
    reasonCode: first[0]?.kind ?? null,
    reason: message(count === 1 ? 'notice.critical-break' : 'notice.critical-breaks', {
      day: sayDay(scene, date),
      count: showCount(count),
    }),
    remedy: first[0] === undefined ? null : describeBreakRemedy(first[0]),
    firstBreaks: first.map((record) => showBreak(record, scene.language)),
    commands: [
      ...first.flatMap(({ attempt }) => attempt?.order.transRefNo ?? []).map((one) => showOf(scene, one)),
      paydropCommand(scene.place, 'reconcile', '--date', day),
    ],
    reports,
  });
}

function showBreak(record: BreakRecord, language: Language = 'en'): object {
  const { kind, reason, attempt } = record;
  return {
    kind,
    batchId: attempt?.batchId ?? null,
    rowNo: attempt?.rowNo ?? null,
    payoutId: showTextIfAny(attempt?.payoutId ?? null),
    transRefNo: showTextIfAny(attempt?.order.transRefNo ?? record.lines[0]?.transRefNo ?? null),
    amount: formatBaht(amountOfBreak(record)),
    reason: showText(
      language === 'th' ? `${sayCode('th', `break.${kind}`)}: ${say('th', reason)}` : inEnglish(reason),
    ),
    remedy: showText(say(language, describeBreakRemedy(record))),
  };
}

/** The command for a row by name. A payoutId may be a person's number: the reference, if any, goes out whole. */
const showOf = (scene: NoticeScene, name: string): string => paydropCommand(scene.place, 'show', name);

// ---------------------------------------------------------------- alarms

export const alarmsSubject = 'alarms:';

/** An event that contradicts a proved outcome. */
export interface AlarmEvent {
  /** Number of the event; later ones have higher numbers. */
  readonly seq: number;
  readonly cause: string;
  readonly batchId: string;
  readonly rowNo: number;
  readonly payoutId: string;
  readonly status: PayoutStatus;
  readonly amountSatang: Satang;
  readonly reason: Message | null;
  /** Reference of the attempt that it is about; null where the event names none. */
  readonly transRefNo: string | null;
}

/** The alarms since the last notice: each row counts once. */
export class Alarms {
  latestSeq = 0;
  satang: Satang = zeroSatang;
  readonly first: AlarmEvent[] = [];
  readonly #rows = new Set<string>();

  get rows(): number {
    return this.#rows.size;
  }

  add(alarm: AlarmEvent): void {
    this.latestSeq = alarm.seq;
    const row = `${alarm.batchId} ${alarm.rowNo}`;
    if (this.#rows.has(row)) return;
    this.#rows.add(row);
    this.satang = sumSatang([this.satang, alarm.amountSatang]);
    if (this.first.length < namedMax) this.first.push(alarm);
  }
}

/** Number of the last event whose alarms were reported. */
export const readToldSeq = (last: Pick<NoticeDraft, 'body'> | undefined): number =>
  Number(last?.body['eventSeq'] ?? 0);

export function describeAlarms(scene: NoticeScene, alarms: Alarms): NoticeDraft {
  const { rows, latestSeq, first } = alarms;
  return draftOfJournal(scene, 'alarm', [alarmsSubject, String(latestSeq)], {
    rows,
    amount: formatBaht(alarms.satang),
    eventSeq: latestSeq,
    reasonCode: first[0]?.cause ?? null,
    reason: message(rows === 1 ? 'notice.row-alarm' : 'notice.row-alarms', { count: showCount(rows) }),
    remedy: message('notice.look-at-alarms'),
    firstRows: first.map((alarm) => showAlarm(alarm, scene.language)),
    commands: first.map(({ transRefNo, payoutId }) => showOf(scene, transRefNo ?? payoutId)),
  });
}

/** An alarm's public fields; the rest of the record stays here. */
const showAlarm = (
  { cause, batchId, rowNo, status, payoutId, transRefNo, ...one }: AlarmEvent,
  language: Language = 'en',
): object => ({
  cause,
  batchId,
  rowNo,
  status,
  payoutId: showText(payoutId),
  transRefNo: showTextIfAny(transRefNo),
  amount: formatBaht(one.amountSatang),
  reason: showMessageIfAny(one.reason, language),
});

// ---------------------------------------------------------------- files of decisions

/** A file of decisions that waits for a maker. */
export interface DroppedDecisions {
  readonly itemId: string;
  readonly fileName: string;
  /** SHA-256 (hex) of its bytes. */
  readonly sha256: string;
  readonly asks: string;
  /** Decimal baht. */
  readonly amount: string;
}

/** @param file reported once */
export function describeDecisionsDropped(scene: NoticeScene, file: DroppedDecisions): NoticeDraft {
  const { itemId, fileName, sha256, asks, amount } = file;
  return draftOfJournal(scene, 'decisions-dropped', ['decisions-dropped:', itemId], {
    file: showText(fileName),
    status: 'waiting',
    sha256,
    asks: showText(asks),
    amount,
    reason: message('notice.decisions-dropped', { asks }),
    remedy: message('notice.confirm-decisions', { file: itemId }),
    commands: [paydropCommand(scene.place, 'decide', '--waiting')],
  });
}

// ---------------------------------------------------------------- clocks

export const clockSubject = 'clock:';
const clockJumpSubject = 'clock-jump:';

const clockRemedies: Readonly<Record<ClockAlarm['kind'], Message | null>> = {
  differs: message('notice.set-clock'),
  jumped: message('notice.let-server-set-clock'),
  untold: message('notice.ask-for-date'),
  agrees: null,
};

/** Notice of the clocks: each change of their state once, and a jump at most once an hour. */
export function describeClock(
  scene: NoticeScene,
  { kind, text }: ClockAlarm,
  last: Pick<NoticeDraft, 'body'> | undefined,
): NoticeDraft | undefined {
  const before = last?.body['status'] ?? 'agrees';
  if (kind !== 'jumped' && kind === before) return undefined;
  const hour = formatBangkokDateTime(scene.nowMs).slice(0, 13);
  const place = kind === 'jumped' ? [clockJumpSubject, hour] : [clockSubject, `${kind}:${scene.nowMs}`];
  return draftOfJournal(scene, 'clock', place as [string, string], {
    ...(kind === 'agrees' ? { severity: 'info' } : {}),
    status: kind,
    reasonCode: `clock-${kind}`,
    reason: text,
    remedy: clockRemedies[kind],
    commands: kind === 'agrees' ? [] : ['timedatectl status', 'date -u'],
  });
}

// ---------------------------------------------------------------- sums

/** The payer account is halted: a batch is not as it was sealed. @param sinceMs of the halt, which is reported once */
export function describeChangedJournal(
  scene: NoticeScene,
  { code, reason, remedy, sinceMs }: BatchReason & { readonly sinceMs: number },
): NoticeDraft {
  return describeSums(scene, `${code}:${sinceMs}`, {
    reasonCode: code,
    reason: message('notice.journal-changed', { why: reason }),
    remedy,
  });
}

/** A batch's rows and amounts by status are not those of its file. @param eventSeq the latest that its reports show */
export function describeUnexplained(scene: NoticeScene, batchId: string, eventSeq: number): NoticeDraft {
  return describeSums(scene, `batch:${batchId}:${eventSeq}`, {
    reasonCode: 'does-not-add-up',
    reason: message('notice.does-not-add-up', { batch: batchId }),
    remedy: message('notice.report-sums'),
    commands: [paydropCommand(scene.place, 'status', batchId)],
  });
}

/** Statement and journal do not tie out, which is a fault of paydrop: reported once a day. @param date YYYYMMDD */
export function describeGap(scene: NoticeScene, date: string, why: string): NoticeDraft {
  const day = showDate(date);
  return describeSums(scene, `statement:${date}:${formatBangkokDate(scene.nowMs)}`, {
    statement: day,
    reasonCode: 'statement-does-not-tie-out',
    reason: message('notice.does-not-tie-out', { why }),
    remedy: message('notice.report-statement'),
    commands: [paydropCommand(scene.place, 'reconcile', '--date', day)],
  });
}

function describeSums(
  scene: NoticeScene,
  mark: string,
  facts: Pick<NoticeFacts, 'reason' | 'remedy'> & { readonly [name: string]: unknown },
): NoticeDraft {
  return draftOfJournal(scene, 'sums', ['sums:', mark], {
    commands: [paydropCommand(scene.place, 'status')],
    ...facts,
  });
}
