/** What a person may type next about a row: commands that do something for it as it stands, and nothing else. */
import { parseBangkokDate } from '../../core/bangkok-time.ts';
import { paydropCommand } from '../../core/command-line.ts';
import { countAlarms, countRows, inDoubtStatuses } from '../../core/exit-code.ts';
import { countOf } from '../../core/figures.ts';
import type { HoldReason, PayoutStatus } from '../../core/payout.ts';
import type { Batch, ResultRow, StatusTotal } from '../../core/ports.ts';
import { cancelledCode, dayHolds } from '../../payout/rules/operator.ts';
import { approvalCode } from '../../review/rules/approval.ts';
import { exceptionStatuses } from './report-rows.ts';

export interface NextCommand {
  /** To be typed as it is. */
  readonly command: string;
  /** What it does, or when it is right. */
  readonly why: string;
}

interface Asked {
  readonly row: Pick<ResultRow, 'status' | 'holds' | 'reasonCode' | 'cells' | 'isAlarm'>;
  readonly batchId: string;
  readonly fileName: string;
  /** tranDate (YYYYMMDD) of the latest attempt; undefined before the first. */
  readonly tranDate: string | undefined;
}

/** Of a row by its own id; what begins like an option is told to be none. */
export const ofRow = (verb: string, id: string): string =>
  paydropCommand(undefined, verb, ...(id.startsWith('-') ? ['--', id] : [id]));

const approving = (batchId: string): string => paydropCommand(undefined, 'approve', '--batch', batchId);

/** Held with all of its file, or for what concerns the payer account: the word is about the batch. */
const batchHolds: readonly HoldReason[] = ['halted', 'paused', 'unavailable', ...dayHolds];
const likeFileCodes: readonly (string | null)[] = ['like-file', 'in-like-file'];

function commandsOfHeld({ row, batchId }: Asked, payoutId: string): readonly NextCommand[] {
  const { holds, reasonCode } = row;
  if (holds.includes('approval'))
    return [
      {
        command: approving(batchId),
        why: 'approves what waits of the whole batch, once you have looked at it',
      },
      { command: ofRow('cancel', payoutId), why: 'never sends it' },
    ];
  const isOfBatch = holds.every((hold) => batchHolds.includes(hold)) || likeFileCodes.includes(reasonCode);
  const target = isOfBatch ? batchId : payoutId;
  const all = isOfBatch ? 'all of the batch that is held so' : 'it';
  // What a day holds goes on within the limits of another one, or in spite of them all.
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

const inDoubt = ({ batchId, tranDate }: Asked): readonly NextCommand[] => {
  const isDay = tranDate !== undefined && parseBangkokDate(tranDate) !== undefined;
  const day = isDay && tranDate.replace(/(....)(..)(..)/, '$1-$2-$3');
  return [
    { command: paydropCommand(undefined, 'settle', batchId), why: 'asks the bank what became of it' },
    ...(day === false
      ? []
      : [
          {
            command: paydropCommand(undefined, 'reconcile', '--date', day),
            why: 'settles it by the statement',
          },
        ]),
  ];
};

/** Commands for the row, the likeliest first; none where nothing is to be typed. */
export function listNextCommands(asked: Asked): readonly NextCommand[] {
  const { row, fileName } = asked;
  const payoutId = row.cells.payoutId.trim();
  switch (row.status) {
    case 'held':
      return commandsOfHeld(asked, payoutId);
    case 'failed':
    case 'unpayable':
      // What the bank says of it must be cleared first.
      if (row.isAlarm) return [];
      return [{ command: ofRow('retry', payoutId), why: 'makes its next attempt, once the cause is gone' }];
    case 'submitted':
    case 'unresolved':
      return inDoubt(asked);
    case 'staged':
    case 'ready':
      return [
        { command: paydropCommand(undefined, 'run', fileName), why: 'sends it; a watcher does so by itself' },
      ];
    case 'rejected':
    case 'cancelled':
    case 'paid':
    case 'disputed':
      return [];
  }
}

/** Commands for a batch as a whole, the likeliest first; none where nothing is to be typed. */
export function listNextOfBatch(
  { batchId, status, reasonCode }: Pick<Batch, 'batchId' | 'status' | 'reasonCode'>,
  totals: readonly StatusTotal[],
): readonly NextCommand[] {
  const doubtRows = countRows(totals, inDoubtStatuses);
  const isCancelled = status === 'halted' && reasonCode === cancelledCode;
  // What a halt holds goes on with the batch.
  const reviewed = status === 'halted' ? without(reviewedStatuses, ['held']) : reviewedStatuses;
  const forReview = reviewed.filter((one) => countRows(totals, [one]) > 0);
  const [rows, alarms] = [countRows(totals, reviewed), countAlarms(totals)];
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
    ...(doubtRows === 0
      ? []
      : [
          {
            command: paydropCommand(undefined, 'settle', batchId),
            why: `${countOf(doubtRows, 'row is', 'rows are')} in doubt`,
          },
        ]),
    ...(rows === 0
      ? []
      : [
          {
            command: list('--status', ...forReview),
            why: countOf(rows, 'row needs review', 'rows need review'),
          },
        ]),
    ...(alarms === 0
      ? []
      : [{ command: list('--alarms'), why: `${countOf(alarms, 'row bears', 'rows bear')} an alarm` }]),
  ];
}

const without = (statuses: readonly PayoutStatus[], left: readonly PayoutStatus[]): readonly PayoutStatus[] =>
  statuses.filter((status) => !left.includes(status));

/** What is in doubt has a command of its own. */
const reviewedStatuses = without(exceptionStatuses, inDoubtStatuses);
