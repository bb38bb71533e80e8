/** What the process says when it ends (design: "Exit codes"). Of several files the highest applies. */
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

/** Of several files the highest applies. */
export const higherOf = (one: ExitCode, other: ExitCode): ExitCode => (other > one ? other : one);
