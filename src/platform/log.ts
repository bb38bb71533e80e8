/**
 * The log, on stderr, with secrets and the numbers of people and accounts taken out: for a person on a terminal, JSON
 * lines anywhere else.
 */
import { createRequire } from 'node:module';
import { isatty } from 'node:tty';
import { pino } from 'pino';
import type * as Pretty from 'pino-pretty';
import type { DestinationStream, Level, Logger as PinoLogger } from 'pino';
import { formatBangkokMoment } from '../core/bangkok-time.ts';
import { encodeJson, maskNumbers, printable, toMessage } from '../core/outgoing-text.ts';
import { maskDigits } from '../core/proxy-id.ts';
import { wrapText } from '../core/wrap-text.ts';
import { clearLastLine, countColumns } from './last-line.ts';

export type Logger = PinoLogger;
export type LogLevel = Level | 'silent';

const standardError = 2;

/**
 * A logger of this level. Lines are written at once, so that none is lost when the process ends.
 * @param destination for tests; stderr when left out
 * @param isTerminal whether a person reads it
 */
export function makeLogger(
  level: LogLevel,
  destination: DestinationStream = openStandardError(),
  isTerminal = isatty(standardError),
): Logger {
  const show = isTerminal ? makePretty() : (line: string) => line;
  return pino(
    {
      level,
      base: isTerminal ? {} : { pid: process.pid },
      timestamp: isTerminal ? stampBangkokTime : pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: redactFields },
      // Errors are plain fields by now, with nothing of theirs left that could carry a request along.
      serializers: { err: (error: unknown) => error },
      hooks: { streamWrite: (line) => show(redactLine(line)) },
    },
    destination,
  );
}

/** As the screens say it: "2026-11-21 10:30:00". */
const stampBangkokTime = (): string => `,"time":"${formatBangkokMoment(Date.now())}"`;

/** What turns a finished line of JSON into one for a person. Its package is loaded where there is a terminal alone. */
function makePretty(): (line: string) => string {
  const { prettyFactory } = createRequire(import.meta.url)('pino-pretty') as typeof Pretty;
  const show = prettyFactory({
    colorize: isColored(),
    customColors: 'message:reset',
    translateTime: false,
    customPrettifiers: { time: (at) => at as string },
    // The fields stand behind the message, in this file's own words: what JSON had made harmless is read out again.
    hideObject: true,
    messageFormat: ({ level: _level, time: _time, pid: _pid, msg, ...fields }) =>
      [printable(typeof msg === 'string' ? msg : ''), ...Object.entries(fields).flatMap(showField)]
        .join('  ')
        .replaceAll(/ +\n/g, '\n'),
  });
  return (line) => wrapText(show(line), countColumns());
}

/** https://no-color.org */
const isColored = (): boolean => (process.env['NO_COLOR'] ?? '') === '' && process.env['TERM'] !== 'dumb';

/** 36 characters that the JSON of the log and the history of a payout have, and that fill half a line of a terminal. */
const onlyForMachines = 'xRequestId';

function showField([name, value]: readonly [name: string, value: unknown]): string[] {
  if (value === null || value === undefined || name === onlyForMachines) return [];
  if (name === 'err') return showError(value);
  const text = typeof value === 'string' ? printable(value) : encodeJson(value);
  // Name and value are one word, so that no line ends between them.
  return [`${name}=${/[\s"]/.test(text) ? encodeJson(text) : text}`];
}

/** With its stack on lines below, and that of each cause. */
function showError(error: unknown): string[] {
  if (typeof error !== 'object' || error === null) return [encodeJson(error)];
  const { stack, cause } = error as { readonly stack?: unknown; readonly cause?: unknown };
  const shown = typeof stack === 'string' ? `\n${toMessage(stack)}` : encodeJson(error);
  return [shown, ...(cause === undefined ? [] : [`\ncaused by:`, ...showError(cause)])];
}

/** Says nothing; for tests and for parts that need a logger and have nothing to say. */
export const silentLogger: Logger = pino({ level: 'silent' });

function openStandardError(): DestinationStream {
  const stream = pino.destination({ fd: standardError, sync: true });
  // The reader of the log may leave (EPIPE); that is no reason to stop paying.
  stream.on('error', () => undefined);
  return {
    write: (line) => {
      clearLastLine();
      stream.write(line);
    },
  };
}

// ---------------------------------------------------------------- what never reaches the log

const hidden = '****';
/** What lies deeper is not logged. */
const depthMax = 8;

/** Names are in lower case without separators. A longer name that ends like a secret's is one, too. */
const secretName = /(?:secret|token|authorization|password|apikey|unzipkey|signedurl|cookie)$/;
/** Of people, their numbers and accounts, with the scheme's word before most of them; and rows and headers as they came. */
const personalName =
  /(?:name|nameth|no|account|msisdn|natid|citizenid|taxid|mobile)$|^(?:cells|extras|digitalid)$/;
/** What ends like that and is none of theirs: our own and the bank's records, files, hosts. */
const recordName =
  /^(?:no|rowno|earlierrowno|attemptno|lineno|transrefno|sysrefno|name|filename|hostname|columnname)$/;

/** A copy of the fields of a log line in which every sensitive value, at any depth, is hidden or masked. */
function redactFields(fields: Record<string, unknown>): Record<string, unknown> {
  return redactEntries(Object.entries(fields), 0);
}

/** The same for a finished JSON line: what child loggers carry along is in no other place. */
function redactLine(line: string): string {
  return `${encodeJson(redactFields(JSON.parse(line) as Record<string, unknown>))}\n`;
}

/** Masks what may be the number of a person or an account, and hides what follows "Bearer". */
function redactText(text: string): string {
  return maskNumbers(text).replaceAll(/(bearer\s+)\S+/gi, `$1${hidden}`);
}

function redactEntries(entries: readonly [string, unknown][], depth: number): Record<string, unknown> {
  return Object.fromEntries(entries.map(([name, value]) => [name, redactNamed(name, value, depth)]));
}

function redactNamed(name: string, value: unknown, depth: number): unknown {
  if (value === null || value === undefined) return value;
  const plainName = name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  if (secretName.test(plainName)) return hidden;
  // A file may be called after a person's number.
  if (recordName.test(plainName)) return plainName.endsWith('name') ? redactValue(value, depth) : value;
  if (personalName.test(plainName)) {
    // The line is read a second time when it is finished: what is masked by then stays as it is.
    return typeof value === 'string' && /^[\p{Nd}*\p{Zs}\p{Pd}+]+$/u.test(value) ? maskDigits(value) : hidden;
  }
  return redactValue(value, depth);
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= depthMax) return hidden;
  if (value instanceof Error) return redactError(value, depth + 1);
  if (value instanceof Date) return value;
  if (Array.isArray(value)) return value.map((item) => redactValue(item, depth + 1));
  if (value instanceof Map || value instanceof Set || ArrayBuffer.isView(value)) return hidden;
  return redactEntries(Object.entries(value), depth + 1);
}

/** Only these parts of an error: libraries hang whole requests, with their headers, on theirs. */
function redactError(error: Error, depth: number): Record<string, unknown> {
  return {
    type: error.name,
    message: redactText(error.message),
    ...('code' in error ? { code: redactValue(error.code, depth) } : {}),
    stack: redactText(error.stack ?? ''),
    ...(error.cause === undefined ? {} : { cause: redactValue(error.cause, depth) }),
  };
}
