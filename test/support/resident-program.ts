/**
 * A script: paydrop as a process that runs one command after the other, each as the process's own arguments would have
 * it: in a folder and an environment of its own, its output ended by the mark that it was given. To start a process costs
 * many times what most commands take. Loaded behind noon-clock.ts.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommandLine } from '../../src/commands.ts';
import { guardOutput } from '../../src/cli/output.ts';

/** What one command is given. */
export interface Task {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Written to stdout and stderr behind all that the command has said. */
  readonly endMark: string;
}

/** Until the clock has looked at the new environment. */
const clockLooksMs = 4;

const activityPollMs = 5;

/** Its output, its errors, and the line to the tests. */
const ownPipes = 3;

/** A process of its own would go on, with a command that has returned. */
function isKept(): boolean {
  const keepers = process.getActiveResourcesInfo();
  return keepers.length > ownPipes || keepers.some((name) => name !== 'PipeWrap');
}

function takeEnvironment(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** A signal for a command that has just ended is not for the next. */
const ignore = (): void => undefined;

async function serve({ args, cwd, env, endMark }: Task): Promise<void> {
  process.chdir(cwd);
  takeEnvironment(env);
  await sleep(clockLooksMs);
  process.exitCode = undefined;
  for (const signal of signals) process.off(signal, ignore);
  await runCommandLine(args);
  while (isKept()) await sleep(activityPollMs);
  for (const signal of signals) process.on(signal, ignore);
  process.send?.(process.exitCode ?? 0);
  process.exitCode = undefined;
  process.stdout.write(endMark);
  process.stderr.write(endMark);
}

guardOutput();
// Each command may leave a listener that would clear away at the end of its process.
process.setMaxListeners(0);
process.on('message', (task: Task) => void serve(task));
// The tests are over.
process.on('disconnect', () => process.exit());
