/** Commands that a person may type next about a registration: only those that change something for it as it stands. */
import { countRows } from '../../core/exit-code.ts';
import { paydropCommand } from '../../core/command-line.ts';
import { countOf } from '../../core/figures.ts';
import { cancelledCode } from '../../payout/rules/operator.ts';
import { listReviewed, type NextCommand, ofRow } from '../../reports/rules/next-commands.ts';
import type { RegistrationBatch, RegistrationRow, RegistrationTotal } from './registration-batch.ts';
import { awaitedStatuses, type RegistrationHold, type RegistrationStatus } from './registration.ts';
import { registrationExceptionStatuses } from './report-rows.ts';

interface ReportedRegistration {
  readonly row: Pick<RegistrationRow, 'status' | 'holds' | 'cells' | 'isAlarm'>;
  readonly batchId: string;
  readonly fileName: string;
}

/** Holds of the whole company or service: the command is about the batch. */
const batchHolds: readonly RegistrationHold[] = ['halted', 'paused'];

const takeCallbacks: NextCommand = {
  command: paydropCommand(undefined, 'callbacks'),
  why: "takes the bank's callback; a watcher does so by itself",
};

/** Commands for the row, the likeliest first; empty where there is nothing to type. */
export function listNextOfRegistration({
  row,
  batchId,
  fileName,
}: ReportedRegistration): readonly NextCommand[] {
  const registrationId = row.cells.registrationId.trim();
  switch (row.status) {
    case 'held': {
      const isOfBatch = row.holds.every((hold) => batchHolds.includes(hold));
      const [target, all] = isOfBatch
        ? [batchId, 'all of the batch that is held so']
        : [registrationId, 'it'];
      return [
        { command: ofRow('resume', target), why: `lets ${all} go on` },
        { command: ofRow('cancel', registrationId), why: 'never sends it' },
      ];
    }
    case 'failed':
    case 'refused':
    case 'unanswered':
      // The bank's contradiction must be cleared first.
      if (row.isAlarm) return [];
      return [{ command: ofRow('retry', registrationId), why: 'registers it anew, once the cause is gone' }];
    case 'submitted':
    case 'in-doubt':
    case 'acknowledged':
      return [takeCallbacks];
    case 'staged':
    case 'ready':
      return [
        {
          command: paydropCommand(undefined, 'register', fileName),
          why: 'sends it; a watcher does so by itself',
        },
      ];
    case 'rejected':
    case 'cancelled':
    case 'registered':
    case 'contradicted':
      return [];
  }
}

/** Statuses for review; awaited rows have a command of their own. */
const reviewedStatuses: readonly RegistrationStatus[] = registrationExceptionStatuses.filter(
  (status) => !awaitedStatuses.some((awaited) => awaited === status),
);

/** Commands for a batch of registrations as a whole, the likeliest first; empty where there is nothing to type. */
export function listNextOfRegistrations(
  { batchId, status, reasonCode }: Pick<RegistrationBatch, 'batchId' | 'status' | 'reasonCode'>,
  totals: readonly RegistrationTotal[],
): readonly NextCommand[] {
  const awaitedRows = countRows(totals, awaitedStatuses);
  // Rows held by a halt go on with the batch.
  const reviewed = reviewedStatuses.filter((one) => status !== 'halted' || one !== 'held');
  const list = (...words: readonly string[]): string =>
    paydropCommand(undefined, 'list', '--registrations', '--batch', batchId, ...words);
  return [
    ...(status === 'halted' && reasonCode !== cancelledCode
      ? [{ command: ofRow('resume', batchId), why: 'to go on' }]
      : []),
    ...(awaitedRows === 0
      ? []
      : [
          {
            ...takeCallbacks,
            why: `${countOf(awaitedRows, 'row waits', 'rows wait')} for the bank's callback`,
          },
        ]),
    ...listReviewed(list, reviewed, totals),
  ];
}
