/** The sandbox cannot be started or changed as requested; the message names the place and the cure. */
export class SandboxError extends Error {
  override readonly name = 'SandboxError';
}
