/** A Redis of its own for BullMQ, on a free port, which keeps every command before it answers. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { readCpuMs } from '../processes.ts';
import { findFreePort } from '../../support/free-port.ts';

export interface RedisCounts {
  /** Commands so far, those within scripts among them. */
  readonly commands: number;
  readonly cpuMs: number;
}

export interface RedisServer extends AsyncDisposable {
  readonly port: number;
  count(): Promise<RedisCounts>;
}

const host = '127.0.0.1';

/** When what was written is on the disk: as a commit of PostgreSQL (`always`), or within a second, as Redis does by itself. */
export type RedisSync = 'always' | 'everysec';

/**
 * @param folder where it keeps its file
 * @returns why not where there is no redis-server
 */
export async function openRedisServer(
  folder: string,
  sync: RedisSync,
): Promise<RedisServer | { readonly why: string }> {
  const port = await findFreePort();
  const place = ['--bind', host, '--port', String(port), '--dir', folder];
  const child = spawn(
    'redis-server',
    [...place, '--save', '', '--appendonly', 'yes', '--appendfsync', sync],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const failed = once(child, 'error').then(([error]) => (error as Error).message);
  const why = await Promise.race([failed, waitUntilReady(child)]);
  if (why !== undefined) return { why: `no redis-server (${why}): Debian's package is redis-server` };
  return {
    port,
    count: async () => ({
      commands: parseCommands(await ask(port, 'INFO stats')),
      cpuMs: readCpuMs(child.pid),
    }),
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'close');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function waitUntilReady({ stdout }: ChildProcess): Promise<string | undefined> {
  if (stdout === null) return 'it has no output';
  let last = 'it said nothing';
  for await (const line of createInterface({ input: stdout })) {
    last = line;
    if (line.includes('Ready to accept connections')) {
      stdout.resume();
      return undefined;
    }
  }
  return last;
}

/** One command and its answer, which is a text with its length before it. */
async function ask(port: number, command: string): Promise<string> {
  const socket = connect(port, host).setEncoding('utf8');
  socket.end(`${command}\r\n`);
  let answer = '';
  for await (const part of socket) answer += String(part);
  return answer;
}

/** @throws Error where the count is not there */
export function parseCommands(stats: string): number {
  const text = /^total_commands_processed:(\d+)/m.exec(stats)?.[1];
  if (text === undefined) throw new Error('Redis does not say how many commands it had');
  return Number(text);
}
