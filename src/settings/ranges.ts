/** The range of each number in the settings, with the reason that a refusal gives. */
import { z } from 'zod';

interface Range {
  readonly unit?: string;
  readonly least: number;
  readonly most: number;
  /** Reason why a smaller number is refused. */
  readonly tooLow: string;
  readonly tooHigh: string;
  /** True: 0 is also permitted, and means none. */
  readonly mayBeNone?: true;
  readonly isFraction?: true;
}

const dayMs = 86_400_000;
const weekMs = 7 * dayMs;
const hourMs = 3_600_000;
/** Longest timer of the platform in ms. */
const timerMaxMs = 2_147_483_647;

const noNegative = 'a time is not negative';
const noLimit = '0 sets no limit';
const timerEnds = 'no timer waits longer than 24 days';
const onItsDay = 'a transfer goes again on its own day alone';
const neverActs = 'no batch has more rows, so that it never acts as it is';
const nothingSent = 'nothing would be sent';
const likeAttack = 'so many requests at once look like an attack to the bank';
const diskRead = 'the disk would be read all the time';
const seenLate = 'a file that is dropped would not be seen for so long';

const ranges = {
  'bank.timeoutMs': {
    unit: 'ms',
    least: 1_000,
    most: 300_000,
    tooLow: 'a bank that answers a little later would leave every transfer in doubt',
    tooHigh: 'a bank that is away would hold every request for so long',
  },
  'bank.requestsPerSecond': {
    unit: 'requests a second',
    least: 0.1,
    most: 10_000,
    tooLow: 'a transfer in doubt would wait for minutes before it is asked about; 0 sets no limit',
    tooHigh: noLimit,
    mayBeNone: true,
    isFraction: true,
  },
  'verify.concurrency': {
    unit: 'requests',
    least: 1,
    most: 1_000,
    tooLow: 'no payee would be checked; verify.enabled: false leaves the check out',
    tooHigh: likeAttack,
  },
  'transfer.concurrency': {
    unit: 'requests',
    least: 1,
    most: 1_000,
    tooLow: nothingSent,
    tooHigh: likeAttack,
  },
  'settle.firstDelayMs': {
    unit: 'ms',
    least: 100,
    most: hourMs,
    tooLow: 'the bank knows nothing so soon, and would be asked again and again',
    tooHigh: 'a transfer whose answer was lost would not be asked about for so long',
  },
  'settle.maxDelayMs': {
    unit: 'ms',
    least: 100,
    most: dayMs,
    tooLow: 'the bank would be asked again and again',
    tooHigh: 'a transfer in doubt would be asked about less than once a day',
  },
  'settle.giveUpAfterMs': {
    unit: 'ms',
    least: 1_000,
    most: timerMaxMs,
    tooLow: 'a transfer would be given up before it is asked about',
    tooHigh: timerEnds,
  },
  'settle.notFoundTrustMs': {
    unit: 'ms',
    least: 100,
    most: dayMs,
    tooLow: 'the request may still be on its way to the bank, and would go a second time',
    tooHigh: onItsDay,
  },
  'settle.resendsMax': {
    unit: 'times',
    least: 0,
    most: 100,
    tooLow: '0 sends nothing again',
    tooHigh: 'a transfer that is lost so often needs a person',
  },
  'settle.intentMaxAgeMs': {
    unit: 'ms',
    least: 60_000,
    most: dayMs,
    tooLow: 'a payout that waits for its turn would be too old to be sent; 0 sets no limit',
    tooHigh: onItsDay,
    mayBeNone: true,
  },
  'brake.consecutiveFailures': {
    unit: 'rows',
    least: 1,
    most: 1_000_000,
    tooLow: '0 does not switch it off: 1000000 never acts',
    tooHigh: neverActs,
  },
  'brake.failureShare': {
    unit: 'share',
    least: 0.01,
    most: 1,
    tooLow:
      'a few failures among all rows of a day would halt it; 1 halts only when every row of the window fails',
    tooHigh: 'it is a part of 1: half of the rows are 0.5',
    isFraction: true,
  },
  'brake.window': {
    unit: 'rows',
    least: 1,
    most: 1_000_000,
    tooLow: 'a share needs rows to look back on',
    tooHigh: 'no batch has more rows, so that brake.failureShare would never act',
  },
  'brake.inDoubtMax': {
    unit: 'rows',
    least: 1,
    most: 1_000_000,
    tooLow: '0 does not switch it off: 1000000 never acts',
    tooHigh: neverActs,
  },
  'limits.rowsPerFile': {
    unit: 'rows',
    least: 0,
    most: 1_000_000_000,
    tooLow: noLimit,
    tooHigh: noLimit,
  },
  'limits.bytesPerFile': {
    unit: 'bytes',
    least: 0,
    most: 1_099_511_627_776,
    tooLow: noLimit,
    tooHigh: noLimit,
  },
  'limits.batchMaxAgeHours': {
    unit: 'hours',
    least: 0,
    most: 8_784,
    tooLow: noLimit,
    tooHigh: `a file of last year would be paid unseen; ${noLimit}`,
  },
  'limits.similarDays': {
    unit: 'days',
    least: 0,
    most: 366,
    tooLow: '0 compares with nothing',
    tooHigh: 'every payout would be compared with those of more than a year',
  },
  'limits.likeFileDays': {
    unit: 'days',
    least: 0,
    most: 366,
    tooLow: '0 compares with nothing',
    tooHigh: 'every file would be compared with those of more than a year',
  },
  'limits.filesPerDay': {
    unit: 'files',
    least: 0,
    most: 1_000_000,
    tooLow: noLimit,
    tooHigh: noLimit,
  },
  'watch.filesAtOnce': {
    unit: 'files',
    least: 1,
    most: 100,
    tooLow: nothingSent,
    tooHigh: 'each of them has rows of its own in memory',
  },
  'watch.stillMs': {
    unit: 'ms',
    least: 50,
    most: hourMs,
    tooLow: 'a file would be taken while it is still written',
    tooHigh: 'every file would wait for so long before it is paid',
  },
  'watch.pollMs': { unit: 'ms', least: 50, most: hourMs, tooLow: diskRead, tooHigh: seenLate },
  'watch.rescanMs': { unit: 'ms', least: 100, most: hourMs, tooLow: diskRead, tooHigh: seenLate },
  'watch.waitMs': {
    unit: 'ms',
    least: 0,
    most: dayMs,
    tooLow: noNegative,
    tooHigh: 'a result would not be written on the day of its file',
  },
  'watch.graceMs': {
    unit: 'ms',
    least: 1_000,
    most: hourMs,
    tooLow: 'every stop would leave in doubt what is in flight',
    tooHigh: 'a machine that is shut down does not wait so long',
  },
  'watch.probeMs': {
    unit: 'ms',
    least: 100,
    most: hourMs,
    tooLow: 'bank and disks would be probed all the time',
    tooHigh: 'a bank out of reach, or a full disk, would not be noticed for so long',
  },
  'notices.inDoubtAfterMs': {
    unit: 'ms',
    least: 0,
    most: weekMs,
    tooLow: noNegative,
    tooHigh: 'money would be in doubt for more than a week before it is told of',
  },
  'notices.notReadyAfterMs': {
    unit: 'ms',
    least: 0,
    most: dayMs,
    tooLow: noNegative,
    tooHigh: 'a watcher would stand still for more than a day before it is told of',
  },
  'reconcile.maxBytes': {
    unit: 'bytes',
    least: 1_024,
    most: 1_099_511_627_776,
    tooLow: 'every statement would be refused',
    tooHigh: 'a packed file could fill the disk',
  },
  'reconcile.timeoutMs': {
    unit: 'ms',
    least: 1_000,
    most: dayMs,
    tooLow: 'every download would be broken off',
    tooHigh: 'a download that hangs would hold up the statement of the next day',
  },
  'output.workbookRows': {
    unit: 'rows',
    least: 1,
    most: 30_000,
    tooLow: 'output.workbook: false writes none',
    tooHigh:
      'all of them are in memory while the workbook is made, some 30 kB each when each is an exception',
  },
  'review.expireDays': {
    unit: 'days',
    least: 1,
    most: 90,
    tooLow: 'a proposal would lapse before it is read',
    tooHigh: 'too much has changed since a proposal was made',
  },
  'review.doubtAfterMs': {
    unit: 'ms',
    least: 0,
    most: weekMs,
    tooLow: noNegative,
    tooHigh: 'money would be in doubt for more than a week before it stands in the queue',
  },
  'registration.concurrency': {
    unit: 'requests',
    least: 1,
    most: 1_000,
    tooLow: nothingSent,
    tooHigh: likeAttack,
  },
  'registration.answerWithinMs': {
    unit: 'ms',
    least: 1_000,
    most: timerMaxMs,
    tooLow: 'every registration would be unanswered before the bank calls',
    tooHigh: timerEnds,
  },
  'registration.callbacks.port': {
    least: 0,
    most: 65_535,
    tooLow: '0 listens nowhere',
    tooHigh: 'no port is higher',
  },
  'registration.callbacks.bodyBytesMax': {
    unit: 'bytes',
    least: 1_024,
    most: 1_048_576,
    tooLow: 'callbacks of the bank would be refused',
    tooHigh: 'each connection may hold as much in memory',
  },
  'registration.callbacks.requestTimeoutMs': {
    unit: 'ms',
    least: 100,
    most: 300_000,
    tooLow: 'callbacks over a slow line would be cut off',
    tooHigh: 'callers that send nothing would hold every connection',
  },
  'registration.callbacks.connectionsMax': {
    unit: 'connections',
    least: 1,
    most: 100_000,
    tooLow: 'no callback would be taken',
    tooHigh: 'each of them may hold a whole callback in memory',
  },
} as const satisfies Readonly<Record<string, Range>>;

/** @param key name of the number in the settings */
export function numberOf(key: keyof typeof ranges) {
  const { unit, least, most, tooLow, tooHigh, mayBeNone, isFraction }: Range = ranges[key];
  const bounded = z
    .number()
    .min(mayBeNone ? 0 : least, tooLow)
    .max(most, tooHigh);
  const whole = isFraction ? bounded : bounded.int();
  const kind = isFraction ? 'a number' : 'a whole number';
  const allowed = `${mayBeNone ? '0, or ' : ''}${kind}, ${least} to ${most}`;
  return whole.meta({ allowed, ...(unit !== undefined && { unit }) }).superRefine((value, context) => {
    if (mayBeNone !== true || value === 0 || value >= least || value < 0) return;
    const issue = { code: 'too_small', origin: 'number', minimum: least, inclusive: true } as const;
    context.addIssue({ ...issue, input: value, message: tooLow });
  });
}
