/** Exit codes of the process (design: "Exit codes"). Where several apply, `weightierOf` chooses. */
export const exitCodes = {
  /** All paid, or nothing to do. */
  ok: 0,
  /** A bug, or a broken machine. */
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
 * The codes by weight, the least first. The highest of several files applies; an error ranks above exceptions, since it
 * leaves work undone, and never hides transfers in doubt, a rejected file or a batch that has stopped short.
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

/** The weightier of two codes. */
export const weightierOf = (one: ExitCode, other: ExitCode): ExitCode =>
  byWeight.indexOf(other) > byWeight.indexOf(one) ? other : one;

let noted: ExitCode = exitCodes.ok;

/** Notes the code of a part of a command: a later error does not hide it. */
export function noteExitCode(code: ExitCode): void {
  noted = weightierOf(noted, code);
}

/** The weightiest code noted so far. */
export const notedExitCode = (): ExitCode => noted;

/** Clears the noted code before a command. */
export function forgetExitCode(): void {
  noted = exitCodes.ok;
}
