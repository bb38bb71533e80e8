/**
 * The screen: the only file, besides the log, that writes to stdout and stderr, and only texts that passed the gate. It
 * also handles output that cannot be written: stdout on a full disk, or a reader that has left.
 */
import { writeSync } from 'node:fs';
import { encodeJson, type PrintableText, toMessage } from '../core/outgoing-text.ts';
import { wrapText } from '../core/wrap-text.ts';
import { clearLastLine, setColumns } from '../platform/last-line.ts';
import { exitCodes } from './exit-codes.ts';

/** Writes a result and a line end to stdout. */
export function printText(text: PrintableText): void {
  clearLastLine();
  process.stdout.write(`${text}\n`);
}

/** The same for a text for an operator: a terminal breaks it between words. */
export function printWrapped(text: PrintableText): void {
  printText(wrapText(text, countColumns()));
}

/** Texts written as lines of JSON where stderr is no terminal, like the log's lines: a program reads them. */
let recorded: 'nothing' | 'messages' | 'failures, too' = 'nothing';

/** Sets this from now on: messages for a command that logs, failures, too, for `--json`. */
export const recordOnStderr = (what: typeof recorded): void => void (recorded = what);

let isSilent = false;

/** `--log-level silent`: records only failures. */
export const silenceRecords = (isAsked: boolean): void => void (isSilent = isAsked);

type RecordLevel = 'info' | 'warn' | 'error';

/** A line in the log's format. @param facts paydrop's own figures and words, or texts that passed the gate */
const formatRecord = (level: RecordLevel, message: string, facts: object = {}): PrintableText =>
  encodeJson({
    level,
    time: new Date().toISOString(),
    pid: process.pid,
    ...facts,
    msg: toMessage(message),
  });

/** Writes a line in the log's format, unless the log is silent. */
export function writeRecord(
  stream: Pick<NodeJS.WriteStream, 'write'>,
  level: RecordLevel,
  message: string,
  facts: object = {},
): void {
  if (!isSilent) stream.write(`${formatRecord(level, message, facts)}\n`);
}

/** Writes a message to stderr, on lines of its own. */
export function say(message: string, level: RecordLevel = 'info'): void {
  if (recorded !== 'nothing' && !process.stderr.isTTY) recordMessage(message, level);
  else showMessage(message);
}

/** Writes a command's failure, the last message on stderr, for the person at the command. */
export function sayFailure(message: string): void {
  const isRecorded = recorded === 'failures, too' && !process.stderr.isTTY;
  if (!isRecorded) showMessage(message);
  else process.stderr.write(`${formatRecord('error', message)}\n`);
}

function recordMessage(message: string, level: RecordLevel): void {
  clearLastLine();
  writeRecord(process.stderr, level, message);
}

function showMessage(message: string): void {
  const { stderr } = process;
  clearLastLine();
  stderr.write(`${wrapText(toMessage(message), stderr.columns)}\n`);
}

/** Starts a new line for the next text: the terminal has written "^C" at the cursor. */
export function clearEcho(): void {
  const { stderr } = process;
  clearLastLine();
  if (stderr.isTTY) stderr.write('\r\u001B[2K');
}

/** Stream for progress, which holds only paydrop's own figures and words. */
export const progressStream = (): NodeJS.WriteStream => process.stderr;

/** Columns of the terminal; undefined where there is none. */
export const countColumns = (): number | undefined => process.stdout.columns;

type OutputErrorHandler = (error: NodeJS.ErrnoException) => void;

const standardError = 2;

const causes: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EIO: 'the disk or the terminal reports an error',
};

/** Message for an operator: `the output cannot be written: the disk is full (ENOSPC)`. */
function describe({ code, message }: NodeJS.ErrnoException): string {
  const cause = causes[code ?? ''];
  return `the output cannot be written: ${cause === undefined ? message : `${cause} (${code})`}`;
}

/** Ends a command whose result cannot be written: it is worth nothing. A reader may leave: `paydrop status | head`. */
const endOver: OutputErrorHandler = (error) => {
  if (error.code === 'EPIPE') return;
  try {
    writeSync(standardError, `paydrop: ${toMessage(describe(error))}\n`);
  } catch {
    // No stream is left to report to.
  }
  // oxlint-disable-next-line unicorn/no-process-exit
  process.exit(exitCodes.internalError);
};

let handleStdout = endOver;

/**
 * Handles errors of stdout and stderr for the whole process. An error of stdout ends it with a message, unless
 * `outlastOutput` has been called; an error of stderr never does: messages there are no part of the work.
 */
export function guardOutput(): void {
  setColumns(() => process.stderr.columns);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => handleStdout(error));
  process.stderr.on('error', () => undefined);
}

/** Keeps errors of stdout from ending the process. @param note called with the first error, in words */
export function outlastOutput(note: (why: string) => void): void {
  let isNoted = false;
  handleStdout = (error) => {
    if (isNoted) return;
    isNoted = true;
    note(describe(error));
  };
}
