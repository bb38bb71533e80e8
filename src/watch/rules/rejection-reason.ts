/** The reason of a refused file, and the `.reason.txt` beside it, from which a partner can make a better file. */
import { countOf } from '../../core/figures.ts';
import { counted, inEnglish, message, type Message } from '../../core/message.ts';
import { formatBangkokMoment } from '../../core/bangkok-time.ts';
import { printable } from '../../core/outgoing-text.ts';
import type { FileRejection } from '../../core/payout-file.ts';
import type { BatchStatus } from '../../core/payout.ts';
import type { FileKindName } from './drop-folder.ts';

/** The refusal of a file. Kept with its end: until the file is moved, every process gives the same refusal. */
export interface IntakeRefusal extends FileRejection {
  /** The text beside the file, in English. */
  readonly reason: string;
  /** The batch that the rows are in or were read into; null for none. */
  readonly batchId: string | null;
}

/** The path of the file with the reason, beside a rejected file. */
export const reasonPathOf = (path: string): string => `${path}.reason.txt`;

/** The file that is refused. */
interface RefusedIntake {
  /** `payout` when left out. */
  readonly kind?: FileKindName;
  readonly fileName: string;
  readonly droppedAtMs: number;
  readonly nowMs: number;
}

/** The batch that the rows of a file were read into before. */
interface ReadBefore {
  readonly batchId: string;
  readonly rows: number;
  readonly status?: BatchStatus;
}

/** The words that differ between files of payouts and of registrations. */
const wordsOf = {
  payout: {
    undone: 'paid',
    ids: 'payoutIds',
    rows: 'payouts',
    each: 'each payout',
    one: 'One that was not paid',
    nobodyTwice: 'so no payee is paid twice',
    goOn: 'pays what of it was not sent',
  },
  registration: {
    undone: 'registered',
    ids: 'registrationIds',
    rows: 'registrations',
    each: 'each registration',
    one: 'One that was not registered',
    nobodyTwice: 'so none is sent twice',
    goOn: 'sends what of it was not sent',
  },
} as const;

const whatToDo = ({ kind = 'payout' }: RefusedIntake): string =>
  `Nothing of this file was ${wordsOf[kind].undone}. Correct what is said above and drop the file again, under any name.`;
const howToWrite =
  'Write files under a temporary name (ending in .part or .tmp) and rename them when they are whole';

/** Refuses a file that was rejected as a whole. */
export function refuseRejectedFile(
  file: RefusedIntake,
  { code, message: why, line, column }: FileRejection,
): IntakeRefusal {
  const place = [line === null ? [] : `line ${line}`, column === null ? [] : `column ${column}`].flat();
  const where = place.length === 0 ? [] : [`Where:    ${place.join(', ')}`];
  const lines = [...where, '', inEnglish(why), '', whatToDo(file)];
  return refuse(file, { code, message: why, line, column }, lines);
}

/** Refuses a file of decisions. @param why the lines of the reason; the first is the message */
export function refuseDecisions(
  file: RefusedIntake,
  code: string,
  why: readonly [Message, ...Message[]],
): IntakeRefusal {
  const [first, ...others] = why;
  const said = others.length === 0 ? first : message('drop.and-more', { first, count: others.length });
  return refuse(file, { code, message: said }, [
    '',
    ...why.map(inEnglish),
    '',
    'Nothing was decided by it. Correct what is said above and drop the file again.',
  ]);
}

/** The facts about the first file, whose rows were accepted. */
export interface FirstFile {
  readonly fileName: string;
  readonly batchId: string;
  readonly status: Exclude<BatchStatus, 'ingesting' | 'rejected'>;
  /** The kind as which the first file was taken, where it is another kind. */
  readonly takenAs?: FileKindName | undefined;
}

/** Refuses a file with the same bytes as an earlier one. */
export function refuseDuplicateFile(
  file: RefusedIntake,
  { fileName, batchId, status, takenAs }: FirstFile,
): IntakeRefusal {
  if (takenAs !== undefined) return refuseOtherKind(file, fileName, batchId, takenAs);
  const { state, result } = firstWords[status];
  const { rows, undone, each, one, ids } = wordsOf[file.kind ?? 'payout'];
  const why = message('drop.same-bytes', { name: fileName, batch: batchId });
  return refuse(file, { code: 'duplicate-file', message: why, batchId }, [
    '',
    `This file has the same bytes as ${printable(fileName)}, which ${state} as batch ${batchId}.`,
    `Its ${rows} are those of that batch: nothing is ${undone} for this copy.`,
    '',
    `What becomes of ${each} ${result}, under the batch ${batchId};`,
    `"paydrop status ${batchId}" shows how it stands. ${one} is tried again there, not by this copy.`,
    `If these are new ${rows}, give them ${ids} of their own and drop the file again.`,
  ]);
}

/** Refuses a file with the columns of both kinds. */
function refuseOtherKind(
  file: RefusedIntake,
  fileName: string,
  batchId: string,
  takenAs: FileKindName,
): IntakeRefusal {
  const { rows, undone } = wordsOf[file.kind ?? 'payout'];
  const why = message(`drop.same-bytes-as-${wordsOf[takenAs].rows}`, { name: fileName, batch: batchId });
  return refuse(file, { code: 'duplicate-file', message: why, batchId }, [
    '',
    `This file has the same bytes as ${printable(fileName)}, which was taken as ${wordsOf[takenAs].rows}, batch ${batchId}.`,
    `No file is taken as both: nothing of this one was ${undone}. Drop its ${rows} as a file of their own.`,
  ]);
}

const isWritten = 'is in its result in the outbox';
const isToCome = 'comes with its result to the outbox';

/** The words about the first file's batch, without a forecast of its payouts. */
const firstWords: Record<FirstFile['status'], { readonly state: string; readonly result: string }> = {
  sealed: { state: 'waits to be worked', result: isToCome },
  running: { state: 'is being worked', result: isToCome },
  paused: { state: 'is being worked, and is paused,', result: isWritten },
  halted: { state: 'was halted until a person lets it go on', result: isWritten },
  done: { state: 'was worked', result: isWritten },
};

/** Refuses a file that was still being written when it was taken, or after its rows had been read. */
export function refuseWrittenFile(file: RefusedIntake, read: ReadBefore | undefined): IntakeRefusal {
  if (read === undefined) {
    return refuse(file, { code: 'changed-while-read', message: message('drop.still-written') }, [
      '',
      'The file was still being written when it was taken.',
      `${howToWrite},`,
      'or have the settings ask for a marker (watch.marker).',
      '',
      whatToDo(file),
    ]);
  }
  const { batchId, rows } = read;
  const { undone, ids, nobodyTwice, goOn } = wordsOf[file.kind ?? 'payout'];
  const why = message('drop.written-after', { rows: counted(rows, 'row') });
  if (read.status === 'halted') {
    return refuse(file, { code: 'changed-after-reading', message: why, batchId }, [
      '',
      `The file was written to after it had been read. Batch ${batchId} is what it held before: ${countOf(rows, 'row')}, and is`,
      `halted: "paydrop resume ${batchId}" ${goOn}, "paydrop cancel ${batchId}" gives that up.`,
      `What was written later has not been read, and nothing of it was ${undone}.`,
      '',
      `Drop the whole file again: rows of that batch are then refused by their ${ids}, ${nobodyTwice}.`,
      `${howToWrite}.`,
    ]);
  }
  return refuse(file, { code: 'changed-after-reading', message: why, batchId }, [
    '',
    `The file was written to after it had been read. Batch ${batchId} is what it held before: ${countOf(rows, 'row')},`,
    `whose result comes to the outbox. What was written later has not been read, and nothing of it was ${undone}.`,
    '',
    `Drop the whole file again: rows of that batch are then refused by their ${ids}, ${nobodyTwice}.`,
    `${howToWrite}.`,
  ]);
}

/** Refuses a file that was no longer in work/. */
export function refuseVanishedFile(file: RefusedIntake, read: ReadBefore | undefined): IntakeRefusal {
  const code = 'vanished';
  if (read === undefined) {
    return refuse(file, { code, message: message('drop.removed-before') }, [
      '',
      `The file was removed from the work folder before it was read: nothing of it was ${wordsOf[file.kind ?? 'payout'].undone}.`,
      '',
      'Drop the file again, and leave the work folder to paydrop.',
    ]);
  }
  const { batchId, rows } = read;
  const why = message('drop.removed-after', { rows: counted(rows, 'row') });
  return refuse(file, { code, message: why, batchId }, [
    '',
    'The file was removed from the work folder after it had been read.',
    `Batch ${batchId} is what it held: ${countOf(rows, 'row')}, whose result comes to the outbox.`,
    '',
    'Nothing is to be dropped again. Leave the work folder to paydrop.',
  ]);
}

function refuse(
  { fileName, droppedAtMs, nowMs }: RefusedIntake,
  refusal: Pick<IntakeRefusal, 'code' | 'message'> & Partial<IntakeRefusal>,
  lines: readonly string[],
): IntakeRefusal {
  const head = [
    `File:     ${printable(fileName)}`,
    `Dropped:  ${formatBangkokMoment(droppedAtMs)} Bangkok time`,
    `Rejected: ${formatBangkokMoment(nowMs)} Bangkok time`,
    `Reason:   ${refusal.code}`,
  ];
  const reason = `${[...head, ...lines].join('\n')}\n`;
  return { line: null, column: null, batchId: null, ...refusal, reason };
}
