/** Message and exit code of a command that fails. */
import { restoreBackup } from '../payout/rules/journal-place.ts';
import { type ExitCode, exitCodes, noteExitCode } from './exit-codes.ts';
import { UsageError } from './options.ts';
import { say, sayFailure } from './output.ts';

/**
 * Errors whose message names the place and the cure, so that a stack would only hide it. They are listed by name:
 * loading the modules that throw them would slow every `--help`.
 */
const expectedErrors: Readonly<Record<string, ExitCode>> = {
  SettingsError: exitCodes.usage,
  JournalRefusedError: exitCodes.usage,
  InboxRefusedError: exitCodes.usage,
  BankAddressError: exitCodes.usage,
  SandboxError: exitCodes.usage,
  CallbackListenerError: exitCodes.usage,
  /** Error of the command line's parser. */
  YError: exitCodes.usage,
  SenderBusyError: exitCodes.stoppedShort,
  StatementOvertakenError: exitCodes.stoppedShort,
  ReconcileInterrupted: exitCodes.stoppedShort,
  ChangedMeanwhile: exitCodes.stoppedShort,
  /** A bug of paydrop or a damaged journal, found before anything was recorded. */
  TotalsGapError: exitCodes.internalError,
  ClearLineError: exitCodes.internalError,
  /** A disk that is full, read-only or broken: the machine is at fault, not the program. */
  JournalWriteError: exitCodes.internalError,
  OutputFileError: exitCodes.internalError,
};

const keepAsItIs =
  'Running it again will not help: make a copy with "paydrop backup", keep the statement, and report it.';

/** Cures for errors whose message names none. */
const cures: Readonly<Record<string, string>> = {
  ChangedMeanwhile:
    'It was tried several times, and each time something was settled meanwhile: run it again when less is under way.',
  TotalsGapError: keepAsItIs,
  ClearLineError: keepAsItIs,
};

/**
 * Notes, after a failure, that payouts are in doubt, which matters more than the error. A journal that cannot be read may
 * hold some.
 * @param count number of rows in doubt
 * @param advice what to do about it
 */
export async function noteDoubt(count: () => Promise<number>, advice: string): Promise<void> {
  const inDoubt = await count().catch(() => undefined);
  if (inDoubt === 0) return;
  noteExitCode(exitCodes.inDoubt);
  say(
    inDoubt === undefined ? `The journal cannot be read. ${advice}` : `In doubt: ${inDoubt}. ${advice}`,
    'warn',
  );
}

/** Writes the error to stderr. A bug's stack goes to the log, which hides secrets. */
export async function reportFailure(thrown: unknown): Promise<ExitCode> {
  const error = findFirstError(thrown);
  const expected = error instanceof Error ? expectedErrors[error.name] : undefined;
  if (error instanceof Error && expected !== undefined) {
    const cure = cures[error.name];
    const message = error instanceof UsageError ? await error.suggest() : error.message;
    sayFailure(`paydrop: ${message}${cure === undefined ? '' : `. ${cure}`}`);
    return expected;
  }
  const machine = findMachineTrouble(error);
  if (machine !== undefined) {
    sayFailure(`paydrop: ${machine}. Nothing that was recorded is lost`);
    return exitCodes.internalError;
  }
  const { makeLogger } = await import('../platform/log.ts');
  makeLogger('error').error({ err: error }, 'internal error');
  sayFailure(
    'paydrop: internal error, logged above. Nothing that was recorded is lost: run the same command again.',
  );
  return exitCodes.internalError;
}

const damaged =
  `the journal is damaged: stop every paydrop process, look at the disk, then ${restoreBackup} ` +
  '(docs/runbook.md says how)';
const unreadable =
  'the disk reports an error where the journal is read: look at the disk before anything else';
const tooManyFiles = 'too many files are open on this machine: raise ulimit -n, then run it again';

/** Messages by SQLite's primary result code, or the system's own code. */
const machineTroubles: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  [10, unreadable],
  [11, damaged],
  [26, damaged],
  ['EIO', 'the disk reports an error (EIO): look at it before anything else'],
  ['EMFILE', tooManyFiles],
  ['ENFILE', tooManyFiles],
]);

/** Length of the chain of causes that is searched. */
const causesMax = 8;

/** Trouble of the machine that caused an error, directly or through its causes; undefined for a bug of paydrop. */
function findMachineTrouble(thrown: unknown): string | undefined {
  let error = thrown;
  for (let depth = 0; depth < causesMax && error instanceof Error; depth += 1) {
    const code = 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
    const found = machineTroubles.get(code ?? ('code' in error ? error.code : undefined));
    if (found !== undefined) return found;
    error = error.cause;
  }
  return undefined;
}

/** The first error, where closing resources has failed as well: on a full disk one follows from the other. */
function findFirstError(thrown: unknown): unknown {
  return thrown instanceof SuppressedError ? findFirstError(thrown.suppressed) : thrown;
}
