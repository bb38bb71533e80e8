/**
 * A script: paydrop as a process that runs one command after the other, each as the process's own arguments would have
 * it: in a folder and an environment of its own, its output ended by the mark that it was given. To start a process costs
 * many times what most commands take. Loaded behind noon-clock.ts.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommandLine } from '../../src/cli/commands.ts';
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

/** What keeps this process from ending. */
const describeActivity = (): string => process.getActiveResourcesInfo().toSorted().join(' ');

function takeEnvironment(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
}

async function serve({ args, cwd, env, endMark }: Task): Promise<void> {
  process.chdir(cwd);
  takeEnvironment(env);
  await sleep(clockLooksMs);
  const idle = describeActivity();
  process.exitCode = undefined;
  await runCommandLine(args);
  // A process of its own would end when nothing keeps it any more, and not before.
  while (describeActivity() !== idle) await sleep(activityPollMs);
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
