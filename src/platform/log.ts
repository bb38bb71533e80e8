/**
 * The log, on stderr, without secrets and without the numbers of people and accounts: readable text on a terminal, JSON
 * lines otherwise.
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
type LogLevel = Level | 'silent';

const standardError = 2;

/**
 * A logger of this level. Lines are written at once, so that none is lost when the process ends.
 * @param destination for tests; left out: stderr
 * @param isTerminal true when a person reads it
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
      // Errors are plain fields at this point, without anything that could contain a request.
      serializers: { err: (error: unknown) => error },
      hooks: { streamWrite: (line) => show(redactLine(line)) },
    },
    destination,
  );
}

/** The time as on the screens: "2026-11-21 10:30:00". */
const stampBangkokTime = (): string => `,"time":"${formatBangkokMoment(Date.now())}"`;

/** Formats a finished JSON line for a person. The package is loaded only on a terminal. */
function makePretty(): (line: string) => string {
  const { prettyFactory } = createRequire(import.meta.url)('pino-pretty') as typeof Pretty;
  const show = prettyFactory({
    colorize: isColored(),
    customColors: 'message:reset',
    translateTime: false,
    customPrettifiers: { time: (at) => at as string },
    // The fields follow the message in this file's own format; JSON's escapes are undone.
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

/** A field only for JSON and the history: its 36 characters fill half a line of a terminal. */
const onlyForMachines = 'xRequestId';

function showField([name, value]: readonly [name: string, value: unknown]): string[] {
  if (value === null || value === undefined || name === onlyForMachines) return [];
  if (name === 'err') return showError(value);
  const text = typeof value === 'string' ? printable(value) : encodeJson(value);
  // Name and value form one word, so that no line breaks between them.
  return [`${name}=${/[\s"]/.test(text) ? encodeJson(text) : text}`];
}

/** An error with its stack on the lines below, and those of its causes. */
function showError(error: unknown): string[] {
  if (typeof error !== 'object' || error === null) return [encodeJson(error)];
  const { stack, cause } = error as { readonly stack?: unknown; readonly cause?: unknown };
  const shown = typeof stack === 'string' ? `\n${toMessage(stack)}` : encodeJson(error);
  return [shown, ...(cause === undefined ? [] : [`\ncaused by:`, ...showError(cause)])];
}

/** A logger without output, for tests and for parts that have nothing to log. */
export const silentLogger: Logger = pino({ level: 'silent' });

function openStandardError(): DestinationStream {
  const stream = pino.destination({ fd: standardError, sync: true });
  // The reader of the log may exit (EPIPE); payments go on.
  stream.on('error', () => undefined);
  return {
    write: (line) => {
      clearLastLine();
      stream.write(line);
    },
  };
}

// ---------------------------------------------------------------- redaction

const hidden = '****';
/** Deepest level that is logged. */
const depthMax = 8;

/** Names of secrets, in lower case without separators; also at the end of a longer name. */
const secretName = /(?:secret|token|authorization|password|apikey|unzipkey|signedurl|cookie)$/;
/**
 * Names of personal data (people, their numbers and accounts), usually after the scheme's word; and rows and headers as
 * received.
 */
const personalName =
  /(?:name|nameth|no|account|msisdn|natid|citizenid|taxid|mobile)$|^(?:cells|extras|digitalid)$/;
/** Names that match but are not personal: records of ours and the bank's, files, hosts. */
const recordName =
  /^(?:no|rowno|earlierrowno|attemptno|lineno|transrefno|sysrefno|name|filename|hostname|columnname)$/;

/** A copy of a log line's fields with every sensitive value, at any depth, hidden or masked. */
function redactFields(fields: Record<string, unknown>): Record<string, unknown> {
  return redactEntries(Object.entries(fields), 0);
}

/** The same for a finished JSON line, the only place that has the fields of child loggers. */
function redactLine(line: string): string {
  return `${encodeJson(redactFields(JSON.parse(line) as Record<string, unknown>))}\n`;
}

/** Masks possible numbers of persons and accounts, and hides the text after "Bearer". */
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
  // A file's name may contain a person's number.
  if (recordName.test(plainName)) return plainName.endsWith('name') ? redactValue(value, depth) : value;
  if (personalName.test(plainName)) {
    // The finished line is redacted a second time: a masked value must stay as it is.
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

/** Copies only these parts of an error: libraries attach whole requests, with headers. */
function redactError(error: Error, depth: number): Record<string, unknown> {
  return {
    type: error.name,
    message: redactText(error.message),
    ...('code' in error ? { code: redactValue(error.code, depth) } : {}),
    stack: redactText(error.stack ?? ''),
    ...(error.cause === undefined ? {} : { cause: redactValue(error.cause, depth) }),
  };
}
