/** The packages of the peers: exact versions, installed beside the project, and loaded from there by whoever measures them. */
import { execFile } from 'node:child_process';
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** What is installed for each peer, always the same. BullMQ brings no client of Redis with it. */
export const packages = {
  'pg-boss': ['pg-boss@12.35.0'],
  'graphile-worker': ['graphile-worker@0.18.0'],
  bullmq: ['bullmq@6.7.0', 'ioredis@5.11.1'],
  dbos: ['@dbos-inc/dbos-sdk@5.3.0'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type PeerName = keyof typeof packages;

const run = promisify(execFile);
const installMs = 300_000;

/** Nobody else's: what lies in it is run. */
const cacheFolder = join(tmpdir(), `paydrop-bench-peers-${userInfo().uid}`);

async function isOurs(folder: string): Promise<boolean> {
  const { uid, mode } = await stat(folder);
  return uid === userInfo().uid && (mode & 0o022) === 0;
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/**
 * Installs a peer's packages, or finds them installed.
 * @returns the folder that has them, or why it has not
 */
export async function installPeer(
  name: PeerName,
): Promise<{ readonly folder: string } | { readonly why: string }> {
  const wanted = packages[name];
  const folder = join(cacheFolder, wanted.join('+').replaceAll('/', '-'));
  await mkdir(cacheFolder, { recursive: true, mode: 0o700 });
  if (!(await isOurs(cacheFolder))) return { why: `${cacheFolder} belongs to somebody else: remove it` };
  if (await isThere(folder)) return { folder };
  const unfinished = `${folder}.${process.pid}`;
  try {
    await mkdir(unfinished);
    await writeFile(join(unfinished, 'package.json'), '{ "private": true }\n');
    const switches = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel', 'error'];
    await run('npm', ['install', ...switches, '--prefix', unfinished, ...wanted], { timeout: installMs });
    await rename(unfinished, folder);
    return { folder };
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    return { why: `npm cannot install ${wanted.join(' and ')}: ${describeFailure(error)}` };
  }
}

/** What npm says, in a line. */
export function describeFailure(error: unknown): string {
  const { stderr, message, killed } = error as { stderr?: string; message: string; killed?: boolean };
  if (killed === true) return `no end after ${installMs / 1_000} s`;
  const said = (stderr ?? '')
    .split('\n')
    .map((line) => line.replace(/^npm error /, '').trim())
    .filter((line) => line !== '' && !/^npm |complete log/.test(line));
  return said.length > 0 ? said.slice(0, 3).join('; ') : message;
}

/** Loads a package from where it was installed. */
export function loadPackage(folder: string, name: string): unknown {
  return createRequire(join(folder, 'package.json'))(name);
}
