/** The `.reason.txt` beside a rejected file: what a partner needs to send a better one. */
import { formatBangkokStamp } from './bangkok-time.ts';
import type { FileRejection } from './payout-file-port.ts';

/** The file that is not worked. */
export interface TurnedAway {
  readonly fileName: string;
  readonly droppedAtMs: number;
  readonly nowMs: number;
}

const whatToDo =
  'Nothing of this file was paid. Correct what is said above and drop the file again, under any name.';

/** A file that was rejected as a whole. */
export function describeRejectedFile(
  file: TurnedAway,
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

/** What is known of the file that came first. */
export interface FirstFile {
  readonly fileName: string;
  readonly batchId: string;
  /** Whether its batch is at rest, and its result written. */
  readonly isWorked: boolean;
}

/** A file whose very bytes came before. */
export function describeDuplicateFile(file: TurnedAway, first: FirstFile): string {
  const state = first.isWorked ? 'was worked' : 'is being worked';
  return write(file, [
    'Reason:   duplicate-file',
    '',
    `This file has the same bytes as ${quote(first.fileName)}, which ${state} as batch ${first.batchId}.`,
    'Each of its payouts is made once; nothing is paid for this copy.',
    '',
    `The result of the first file is in the outbox, under the batch ${first.batchId}.`,
    'If these are new payouts, give them payoutIds of their own and drop the file again.',
  ]);
}

/** A file to which somebody was still writing when it had been taken. */
export function describeUnfinishedFile(file: TurnedAway): string {
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
export function describeLateWriting(file: TurnedAway, batchId: string, rows: number): string {
  return write(file, [
    'Reason:   changed-after-reading',
    '',
    `The file was written to after it had been read. Batch ${batchId} is what it held before: ${rows} rows,`,
    'whose result is in the outbox. What was written later has not been read, and nothing of it was paid.',
    '',
    'Drop the whole file again: rows of that batch are then refused by their payoutIds, so nobody is paid twice.',
    'Write files under a temporary name (ending in .part or .tmp) and rename them when they are whole.',
  ]);
}

function write({ fileName, droppedAtMs, nowMs }: TurnedAway, lines: readonly string[]): string {
  const head = [
    `File:     ${quote(fileName)}`,
    `Dropped:  ${formatBangkokStamp(droppedAtMs)}`,
    `Rejected: ${formatBangkokStamp(nowMs)}`,
  ];
  return `${[...head, ...lines].join('\n')}\n`;
}

/** A name may hold line breaks: it stays on its line. */
const quote = (name: string): string => name.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '?');
