/** Exit codes of the process (design: "Exit codes"). Where several apply, `weightierOf` says which. */
export const exitCodes = {
  /** All paid, or nothing to do. */
  ok: 0,
  /** A bug, or a machine that broke. */
  internalError: 1,
  /** Wrong usage or settings. */
  usage: 2,
  /** Finished, with exceptions. */
  exceptions: 3,
  /** Transfers are still in doubt. */
  inDoubt: 4,
  /** A file was rejected as a whole. */
  fileRejected: 5,
  /** Halted, interrupted, waiting for approval, or the bank is out of reach: run it again, or resume. */
  stoppedShort: 6,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/**
 * The least first. Of several files the highest applies; an error stands above exceptions, since it has left work undone,
 * and never hides transfers in doubt, a rejected file or a batch that has stopped short.
 */
const byWeight: readonly ExitCode[] = [
  exitCodes.ok,
  exitCodes.exceptions,
  exitCodes.usage,
  exitCodes.internalError,
  exitCodes.inDoubt,
  exitCodes.fileRejected,
  exitCodes.stoppedShort,
];

/** The code that matters more. */
export const weightierOf = (one: ExitCode, other: ExitCode): ExitCode =>
  byWeight.indexOf(other) > byWeight.indexOf(one) ? other : one;

let noted: ExitCode = exitCodes.ok;

/** Notes what a part of a command has come to: an error after it does not hide that. */
export function noteExitCode(code: ExitCode): void {
  noted = weightierOf(noted, code);
}

/** The weightiest code that was noted. */
export const notedExitCode = (): ExitCode => noted;

/** Before a command: nothing has been noted. */
export function forgetExitCode(): void {
  noted = exitCodes.ok;
}
