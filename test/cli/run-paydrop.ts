/** Runs the program as a shell would. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { startInResident } from '../support/resident.ts';

/** The program that tests run: put together beforehand, or the source as it is. */
export const paydropPath =
  process.env['PAYDROP_TEST_PROGRAM'] ?? join(import.meta.dirname, '../../src/main.ts');

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Surroundings {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Runs `paydrop` with these arguments to its end, where there need not be a process of its own for it. */
export async function runPaydrop(args: readonly string[], { cwd, env }: Surroundings = {}): Promise<Ended> {
  const task = { args, cwd: cwd ?? process.cwd(), env: { ...process.env, ...env } };
  const { code, stdout, stderr } = await startInResident(task).ended;
  return { code, stdout, stderr };
}

/** Runs Node, the one that runs the tests, with these arguments to its end. */
export async function runNode(args: readonly string[], { cwd, env }: Surroundings = {}): Promise<Ended> {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { code, stdout, stderr };
}
