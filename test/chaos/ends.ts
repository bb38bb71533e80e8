/** How a command may end under fire. Anything else is a complaint. */
import type { ProgramEnd } from '../end-to-end/harness.ts';

/** `turned-away`: another process had the right to send. `machine`: the disk or the journal took nothing. */
export type EndKind = 'killed' | 'ended' | 'turned-away' | 'stopped-short' | 'machine' | 'wrong';

const usage = 2;
const stoppedShort = 6;
const fine: readonly (number | null)[] = [0, 3, 4];
const machineFailures: readonly (number | null)[] = [1, usage];

// The last word of a command, which is a line of JSON with `--json`.
const turnedAwayText =
  /(^|"msg":")paydrop: .* holds the right to send from this data directory\. Wait until it ends/m;
const machineText = /(^|"msg":")paydrop: .* cannot be (written|opened): \S/m;
const programText = /internal error|at .*\.ts:\d+/;

/** A run that stops short says in its outcome why. */
function saysWhyItStopped(stdout: string): boolean {
  try {
    const { status, exitCode } = JSON.parse(stdout) as { readonly status: string; readonly exitCode: number };
    return (
      exitCode === stoppedShort && ['paused', 'halted', 'interrupted', 'running', 'done'].includes(status)
    );
  } catch {
    return false;
  }
}

/**
 * Judges an end.
 * @param hadDiskTrouble while the command lived, the disk was full or the journal read-only
 */
export function judgeEnd(args: readonly string[], end: ProgramEnd, hadDiskTrouble: boolean): EndKind {
  const { code, signal, stdout, stderr } = end;
  if (signal !== null) return 'killed';
  if (programText.test(stderr)) return 'wrong';
  if (fine.includes(code)) return 'ended';
  if (code === stoppedShort && turnedAwayText.test(stderr)) return 'turned-away';
  if (code === stoppedShort && args[0] === 'run') return saysWhyItStopped(stdout) ? 'stopped-short' : 'wrong';
  if (hadDiskTrouble && machineFailures.includes(code) && machineText.test(stderr)) return 'machine';
  // There is nothing held to let go on.
  if (code === usage && args[0] === 'resume') return 'ended';
  return 'wrong';
}

export const describeEnd = (args: readonly string[], { code, signal, stdout, stderr }: ProgramEnd): string =>
  `"${args.join(' ')}" ended with ${signal ?? code}: ${stdout.slice(0, shownLength)} ${stderr.slice(-shownLength)}`;

const shownLength = 1_500;
