/** The sandbox cannot be started or set as it was told; the message names the place and the cure. */
export class SandboxError extends Error {
  override readonly name = 'SandboxError';
}
