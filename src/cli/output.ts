/**
 * The screen: the one file that writes to stdout and stderr, beside the log, and only texts that went through the gate.
 * Also what becomes of output that cannot be written: stdout on a full disk, or a reader who has left.
 */
import { writeSync } from 'node:fs';
import { encodeJson, type PrintableText, toMessage } from '../core/outgoing-text.ts';
import { wrapText } from '../core/wrap-text.ts';
import { clearLastLine, setColumns } from '../platform/last-line.ts';
import { exitCodes } from './exit-codes.ts';

/** Writes a result to stdout, and a line end. */
export function printText(text: PrintableText): void {
  clearLastLine();
  process.stdout.write(`${text}\n`);
}

/** The same of a text for an operator: on a terminal it is broken between words. */
export function printWrapped(text: PrintableText): void {
  printText(wrapText(text, countColumns()));
}

/** What is a line of JSON where stderr is no terminal, as the log's lines are: a program reads it. */
let recorded: 'nothing' | 'messages' | 'failures, too' = 'nothing';

/** From now on; a command that logs has its messages recorded, and `--json` what it fails with, too. */
export const recordOnStderr = (what: typeof recorded): void => void (recorded = what);

let isSilent = false;

/** `--log-level silent`: nothing is recorded but what a command fails with. */
export const silenceRecords = (isAsked: boolean): void => void (isSilent = isAsked);

type RecordLevel = 'info' | 'warn' | 'error';

/** A line as the log has them. @param facts figures and words of our own, or such as went through the gate */
const formatRecord = (level: RecordLevel, message: string, facts: object = {}): PrintableText =>
  encodeJson({
    level,
    time: new Date().toISOString(),
    pid: process.pid,
    ...facts,
    msg: toMessage(message),
  });

/** Writes a line as the log has them, unless the log is silent. */
export function writeRecord(
  stream: Pick<NodeJS.WriteStream, 'write'>,
  level: RecordLevel,
  message: string,
  facts: object = {},
): void {
  if (!isSilent) stream.write(`${formatRecord(level, message, facts)}\n`);
}

/** Says a message on stderr, on lines of its own. */
export function say(message: string, level: RecordLevel = 'info'): void {
  if (recorded !== 'nothing' && !process.stderr.isTTY) recordMessage(message, level);
  else showMessage(message);
}

/** Says what a command fails with: the last word on stderr, for whoever has typed it. */
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

/** The terminal has written "^C" where the cursor stood: what is said next begins its own line. */
export function clearEcho(): void {
  const { stderr } = process;
  clearLastLine();
  if (stderr.isTTY) stderr.write('\r\u001B[2K');
}

/** Where progress is shown: figures and words of our own alone. */
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

/** In words, for an operator: `the output cannot be written: the disk is full (ENOSPC)`. */
function describe({ code, message }: NodeJS.ErrnoException): string {
  const cause = causes[code ?? ''];
  return `the output cannot be written: ${cause === undefined ? message : `${cause} (${code})`}`;
}

/** A command that prints its result is worth nothing without it. Its reader may leave: `paydrop status | head`. */
const endOver: OutputErrorHandler = (error) => {
  if (error.code === 'EPIPE') return;
  try {
    writeSync(standardError, `paydrop: ${toMessage(describe(error))}\n`);
  } catch {
    // There is nobody left to report to.
  }
  // oxlint-disable-next-line unicorn/no-process-exit
  process.exit(exitCodes.internalError);
};

let handleStdout = endOver;

/**
 * Takes the errors of stdout and stderr of the whole process. Those of stdout end it with a message, unless
 * `outlastOutput` has been called; those of stderr never do: what is said there is beside the work.
 */
export function guardOutput(): void {
  setColumns(() => process.stderr.columns);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => handleStdout(error));
  process.stderr.on('error', () => undefined);
}

/** From now on nothing that happens to stdout ends the process. @param note called with the first error, in words */
export function outlastOutput(note: (why: string) => void): void {
  let isNoted = false;
  handleStdout = (error) => {
    if (isNoted) return;
    isNoted = true;
    note(describe(error));
  };
}
