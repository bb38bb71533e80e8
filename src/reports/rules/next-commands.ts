/** Commands that a person may type next about a row: only those that change something for it as it stands. */
import { formatBangkokDate, parseBangkokDate } from '../../core/bangkok-time.ts';
import { paydropCommand } from '../../core/command-line.ts';
import {
  countAlarms,
  type CountedStatus,
  countRows,
  inDoubtStatuses,
  statementCodes,
} from '../../core/exit-code.ts';
import { countOf } from '../../core/figures.ts';
import type { Attempt, HoldReason, PayoutStatus } from '../../core/payout.ts';
import type { Batch, HoldTotal, ResultRow, StatusTotal } from '../../core/ports.ts';
import { showDate } from '../../payout/rules/lost-journal.ts';
import { cancelledCode, dayHolds } from '../../payout/rules/operator.ts';
import { likeFileCodes } from '../../payout/rules/similar.ts';
import { approvalCode } from '../../review/rules/approval.ts';
import { exceptionStatuses } from './report-rows.ts';

export interface NextCommand {
  /** The command to type; words in capitals are filled in. */
  readonly command: string;
  /** Effect of the command, or the case that it fits. */
  readonly why: string;
}

interface ReportedPayout {
  readonly row: Pick<ResultRow, 'status' | 'holds' | 'reasonCode' | 'cells' | 'isAlarm'>;
  readonly batchId: string;
  readonly fileName: string;
  /** tranDate (YYYYMMDD) of the latest attempt; undefined before the first. */
  readonly tranDate: string | undefined;
  /** Finding of the latest inquiry about that attempt. */
  readonly lastFinding: Attempt['lastFinding'];
}

/** A command about a row by its own id; `--` precedes an id that begins like an option. */
export const ofRow = (verb: string, id: string): string =>
  paydropCommand(undefined, verb, ...(id.startsWith('-') ? ['--', id] : [id]));

const approving = (batchId: string): string => paydropCommand(undefined, 'approve', '--batch', batchId);

/** Holds of a whole file, or of the payer account: the command is about the batch. */
const batchHolds: readonly HoldReason[] = ['halted', 'paused', 'unavailable', ...dayHolds];
const ofFile: readonly (string | null)[] = Object.values(likeFileCodes);

function commandsOfHeld({ row, batchId }: ReportedPayout, payoutId: string): readonly NextCommand[] {
  const { holds, reasonCode } = row;
  if (holds.includes('approval'))
    return [
      {
        command: approving(batchId),
        why: 'approves what waits of the whole batch, once you have looked at it',
      },
      { command: ofRow('cancel', payoutId), why: 'never sends it' },
    ];
  const isOfBatch = holds.every((hold) => batchHolds.includes(hold)) || ofFile.includes(reasonCode);
  const target = isOfBatch ? batchId : payoutId;
  const all = isOfBatch ? 'all of the batch that is held so' : 'it';
  // A row that a day holds is paid within the limits of another day, or in spite of them all.
  const inSpite =
    isOfBatch && holds.some((hold) => dayHolds.includes(hold))
      ? [{ command: ofRow('resume', payoutId), why: 'pays it alone, in spite of the limits of a day' }]
      : [];
  return [
    { command: ofRow('resume', target), why: `lets ${all} go on` },
    ...inSpite,
    { command: ofRow('cancel', payoutId), why: 'never sends it' },
  ];
}

const isByStatement = ({ row }: Pick<ReportedPayout, 'row'>): boolean =>
  statementCodes.includes(row.reasonCode ?? '');

const settling = (batchId: string, why: string): NextCommand => ({
  command: paydropCommand(undefined, 'settle', batchId),
  why,
});

const reconciling = (tranDate: string | undefined, why: string): readonly NextCommand[] =>
  tranDate === undefined || parseBangkokDate(tranDate) === undefined
    ? []
    : [{ command: paydropCommand(undefined, 'reconcile', '--date', showDate(tranDate)), why }];

/** A command with options that a person fills in. */
const saying = (verb: string, id: string, ...words: readonly string[]): string =>
  ofRow(verb, id).replace(`paydrop ${verb}`, `paydrop ${[verb, ...words].join(' ')}`);

/** The bank's answer by phone or letter, recorded by two people. A transfer that may be complete is never called failed. */
const confirming = ({ row, lastFinding }: ReportedPayout): readonly NextCommand[] => {
  const id = row.cells.payoutId.trim();
  const confirm = (outcome: string, why: string): NextCommand => ({
    command: saying('confirm', id, outcome, '--evidence', 'WHERE', '--note', 'WHY'),
    why: `${why}: two people record it`,
  });
  const mayHaveFailed = lastFinding !== 'complete' && lastFinding !== 'in-process';
  return [
    confirm('--paid', 'the bank has told you that it is paid'),
    ...(mayHaveFailed
      ? [confirm('--failed', 'the bank has told you that no money moved, and none will')]
      : []),
  ];
};

const inDoubt = (reported: ReportedPayout): readonly NextCommand[] => [
  ...(isByStatement(reported) ? [] : [settling(reported.batchId, 'asks the bank what became of it')]),
  ...reconciling(reported.tranDate, 'settles it by the statement'),
  ...(reported.row.status === 'unresolved' ? confirming(reported) : []),
];

/** Ends the alarm, which blocks every other command. */
const acknowledging = (payoutId: string): NextCommand => ({
  command: saying('ack', payoutId, '--note', 'WHY'),
  why: 'ends the alarm, once the bank has cleared it',
});

/** Commands for the row, the likeliest first; empty where there is nothing to type. */
export function listNextCommands(reported: ReportedPayout): readonly NextCommand[] {
  const { row } = reported;
  const end = row.isAlarm ? [acknowledging(row.cells.payoutId.trim())] : [];
  return [...commandsByStatus(reported), ...end];
}

function commandsByStatus(reported: ReportedPayout): readonly NextCommand[] {
  const { row, fileName } = reported;
  const payoutId = row.cells.payoutId.trim();
  switch (row.status) {
    case 'held':
      return commandsOfHeld(reported, payoutId);
    case 'failed':
    case 'unpayable':
      // The bank's contradiction must be cleared first.
      if (row.isAlarm) return [];
      return [{ command: ofRow('retry', payoutId), why: 'makes its next attempt, once the cause is gone' }];
    case 'submitted':
    case 'unresolved':
      return inDoubt(reported);
    case 'staged':
    case 'ready':
      return [
        { command: paydropCommand(undefined, 'run', fileName), why: 'sends it; a watcher does so by itself' },
      ];
    case 'disputed':
      return confirming(reported).slice(0, 1);
    case 'rejected':
    case 'cancelled':
    case 'paid':
      return [];
  }
}

/** Commands that release the held rows of a batch at rest together, where one command does. */
export const commandsOfHolds = (batchId: string, holds: readonly HoldTotal[]): readonly NextCommand[] =>
  holds.flatMap((held) => {
    const rows = countOf(held.rows, 'row');
    if (held.hold === 'approval')
      return [
        {
          command: approving(batchId),
          why: `approves what waits of it: ${rows}`,
        },
      ];
    if (held.isOfFile !== true && !batchHolds.includes(held.hold)) return [];
    return [
      { command: ofRow('resume', batchId), why: `lets the ${rows} held as ${held.hold} go on` },
      { command: ofRow('cancel', batchId), why: 'stops what is held of it' },
    ];
  });

/** Rows of a batch that only a statement settles, and when the first of them was sent. */
function findByStatement(totals: readonly StatusTotal[]): StatusTotal['byStatement'] {
  const found = totals.flatMap(({ byStatement }) => byStatement ?? []);
  if (found.length === 0) return undefined;
  const rows = found.reduce((sum, one) => sum + one.rows, 0);
  return { rows, firstSentAtMs: Math.min(...found.map(({ firstSentAtMs }) => firstSentAtMs)) };
}

/** Commands that list the rows of a batch that need a person, and those that bear an alarm. */
export function listReviewed<Status extends string>(
  list: (...words: readonly string[]) => string,
  reviewed: readonly Status[],
  totals: readonly CountedStatus<Status>[],
): readonly NextCommand[] {
  const statuses = reviewed.filter((one) => countRows(totals, [one]) > 0);
  const [rows, alarms] = [countRows(totals, reviewed), countAlarms(totals)];
  const review = {
    command: list('--status', ...statuses),
    why: countOf(rows, 'row needs review', 'rows need review'),
  };
  const alarm = { command: list('--alarms'), why: `${countOf(alarms, 'row bears', 'rows bear')} an alarm` };
  return [...(rows === 0 ? [] : [review]), ...(alarms === 0 ? [] : [alarm])];
}

/** Commands for a batch as a whole, the likeliest first; empty where there is nothing to type. */
export function listNextOfBatch(
  { batchId, status, reasonCode }: Pick<Batch, 'batchId' | 'status' | 'reasonCode'>,
  totals: readonly StatusTotal[],
  holds: readonly HoldTotal[] = [],
): readonly NextCommand[] {
  const byStatement = findByStatement(totals);
  const doubtRows = countRows(totals, inDoubtStatuses) - (byStatement?.rows ?? 0);
  const isCancelled = status === 'halted' && reasonCode === cancelledCode;
  // Rows held by a halt go on with the batch.
  const reviewed = status === 'halted' ? without(reviewedStatuses, ['held']) : reviewedStatuses;
  const list = (...words: readonly string[]): string =>
    paydropCommand(undefined, 'list', '--batch', batchId, ...words);
  return [
    ...(status === 'halted' && !isCancelled ? [{ command: ofRow('resume', batchId), why: 'to go on' }] : []),
    ...(isCancelled && countRows(totals, ['held']) > 0
      ? [{ command: ofRow('cancel', batchId), why: 'asks the bank about what was sent, and cancels it' }]
      : []),
    ...(reasonCode === approvalCode && status === 'paused'
      ? [{ command: approving(batchId), why: 'to approve it' }]
      : []),
    ...(status === 'done' ? commandsOfHolds(batchId, holds) : []),
    ...(doubtRows === 0
      ? []
      : [settling(batchId, `asks the bank what became of ${countOf(doubtRows, 'row')} in doubt`)]),
    ...(byStatement === undefined
      ? []
      : reconciling(
          formatBangkokDate(byStatement.firstSentAtMs),
          `settles ${countOf(byStatement.rows, 'row')} by the statement: the bank cannot be asked about ${byStatement.rows === 1 ? 'it' : 'them'}`,
        )),
    ...listReviewed(list, reviewed, totals),
  ];
}

const without = (statuses: readonly PayoutStatus[], left: readonly PayoutStatus[]): readonly PayoutStatus[] =>
  statuses.filter((status) => !left.includes(status));

/** Statuses for review; rows in doubt have a command of their own. */
const reviewedStatuses = without(exceptionStatuses, inDoubtStatuses);
