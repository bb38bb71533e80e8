/** The `.reason.txt` beside a rejected file: what a partner needs to send a better one. */
import { formatBangkokDateTime } from '../../core/bangkok-time.ts';
import { printable } from '../../core/cell-text.ts';
import type { FileRejection } from '../../core/payout-file.ts';
import type { BatchStatus } from '../../core/payout.ts';

/** The file that is not worked. */
export interface RefusedIntake {
  readonly fileName: string;
  readonly droppedAtMs: number;
  readonly nowMs: number;
}

const whatToDo =
  'Nothing of this file was paid. Correct what is said above and drop the file again, under any name.';

/** A file that was rejected as a whole. */
export function describeRejectedFile(
  file: RefusedIntake,
  { code, message, line, column }: FileRejection,
): string {
  const place = [
    ...(line === null ? [] : [`line ${line}`]),
    ...(column === null ? [] : [`column ${column}`]),
  ];
  return write(file, [
    `Reason:   ${code}`,
    ...(place.length === 0 ? [] : [`Where:    ${place.join(', ')}`]),
    '',
    message,
    '',
    whatToDo,
  ]);
}

/** What is known of the file that came first, whose rows were accepted. */
export interface FirstFile {
  readonly fileName: string;
  readonly batchId: string;
  readonly status: Exclude<BatchStatus, 'ingesting' | 'rejected'>;
}

/** A file whose very bytes came before. */
export function describeDuplicateFile(file: RefusedIntake, { fileName, batchId, status }: FirstFile): string {
  const { state, result } = firstWords[status];
  return write(file, [
    'Reason:   duplicate-file',
    '',
    `This file has the same bytes as ${printable(fileName)}, which ${state} as batch ${batchId}.`,
    'Its payouts are those of that batch: nothing is paid for this copy.',
    '',
    `What becomes of each payout ${result}, under the batch ${batchId};`,
    `"paydrop status ${batchId}" shows how it stands. One that was not paid is tried again there, not by this copy.`,
    'If these are new payouts, give them payoutIds of their own and drop the file again.',
  ]);
}

const isWritten = 'is in its result in the outbox';
const isToCome = 'comes with its result to the outbox';

/** What is said of the first file's batch: nothing of what may yet become of its payouts. */
const firstWords: Record<FirstFile['status'], { readonly state: string; readonly result: string }> = {
  sealed: { state: 'waits to be worked', result: isToCome },
  running: { state: 'is being worked', result: isToCome },
  paused: { state: 'is being worked, and is paused,', result: isWritten },
  halted: { state: 'was halted until a person lets it go on', result: isWritten },
  done: { state: 'was worked', result: isWritten },
};

/** A file to which somebody was still writing when it had been taken. */
export function describeUnfinishedFile(file: RefusedIntake): string {
  return write(file, [
    'Reason:   changed-while-read',
    '',
    'The file was still being written when it was taken.',
    'Write files under a temporary name (ending in .part or .tmp) and rename them when they are whole,',
    'or have the settings ask for a marker (watch.marker).',
    '',
    whatToDo,
  ]);
}

/** A file to which somebody wrote after its rows had been read in. */
export function describeLateWriting(file: RefusedIntake, batchId: string, rows: number): string {
  return write(file, [
    'Reason:   changed-after-reading',
    '',
    `The file was written to after it had been read. Batch ${batchId} is what it held before: ${rows} rows,`,
    'whose result comes to the outbox. What was written later has not been read, and nothing of it was paid.',
    '',
    'Drop the whole file again: rows of that batch are then refused by their payoutIds, so nobody is paid twice.',
    'Write files under a temporary name (ending in .part or .tmp) and rename them when they are whole.',
  ]);
}

/** A file that was no longer in work/. @param read what its rows were read into before, if they were */
export function describeVanishedFile(
  file: RefusedIntake,
  read: { readonly batchId: string; readonly rows: number } | undefined,
): string {
  const words =
    read === undefined
      ? [
          'Somebody removed the file from the work folder before it was read: nothing of it was paid.',
          '',
          'Drop the file again, and leave the work folder to paydrop.',
        ]
      : [
          'Somebody removed the file from the work folder after it had been read.',
          `Batch ${read.batchId} is what it held: ${read.rows} rows, whose result comes to the outbox.`,
          '',
          'Nothing is to be dropped again. Leave the work folder to paydrop.',
        ];
  return write(file, ['Reason:   vanished', '', ...words]);
}

function write({ fileName, droppedAtMs, nowMs }: RefusedIntake, lines: readonly string[]): string {
  const head = [
    `File:     ${printable(fileName)}`,
    `Dropped:  ${formatBangkokDateTime(droppedAtMs)}`,
    `Rejected: ${formatBangkokDateTime(nowMs)}`,
  ];
  return `${[...head, ...lines].join('\n')}\n`;
}
