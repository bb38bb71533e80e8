/** The log: JSON lines on stderr, with secrets and the numbers of people and accounts taken out. */
import { pino } from 'pino';
import type { DestinationStream, Level, Logger as PinoLogger } from 'pino';
import { redactFields, redactLine } from './log-redaction.ts';

export type Logger = PinoLogger;
export type LogLevel = Level | 'silent';

const standardError = 2;

/**
 * A logger of this level. Lines are written at once, so that none is lost when the process ends.
 * @param destination for tests; stderr when left out
 */
export function makeLogger(level: LogLevel, destination?: DestinationStream): Logger {
  return pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: redactFields },
      // Errors are plain fields by now, with nothing of theirs left that could carry a request along.
      serializers: { err: (error: unknown) => error },
      hooks: { streamWrite: redactLine },
    },
    destination ?? openStandardError(),
  );
}

/** Says nothing; for tests and for parts that need a logger and have nothing to say. */
export const silentLogger: Logger = pino({ level: 'silent' });

function openStandardError(): DestinationStream {
  const stream = pino.destination({ fd: standardError, sync: true });
  // The reader of the log may leave (EPIPE); that is no reason to stop paying.
  stream.on('error', () => undefined);
  return stream;
}
