/**
 * A PostgreSQL server of a test's own, which may be killed: on a port of its own, in a folder that goes with it. What it
 * has committed is on the disk, as on a server for good.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  accessSync,
  chownSync,
  constants,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { findFreePort } from './free-port.ts';

/** `postmaster`: its children find out and end by themselves. `all`: every process of the server at once. */
export type PostgresKill = 'postmaster' | 'all';

export interface OwnPostgres extends AsyncDisposable {
  readonly port: number;
  /** An empty database, of a role that owns it and is no superuser; at another port, the way through a proxy. */
  url(port?: number): string;
  /** The same database, as superuser. */
  readonly adminUrl: string;
  /** Resolves when none of its processes is left. */
  kill(how: PostgresKill): Promise<void>;
  /** Starts it again after a kill; resolves when it answers. */
  start(): Promise<void>;
}

/** Who runs it: a server refuses to be run by root. Undefined: whoever runs the tests. */
interface Account {
  readonly uid: number;
  readonly gid: number;
}

const serverAccount = 'postgres';
const database = 'journal';
const owner = 'paydrop';
const admin = 'admin';

/** Where distributions put what is not in the path, the newest last. */
const debianFolder = '/usr/lib/postgresql';

function listProgramFolders(): readonly string[] {
  const inPath = (process.env['PATH'] ?? '').split(delimiter);
  try {
    const versions = readdirSync(debianFolder).toSorted((one, other) => Number(other) - Number(one));
    return [...versions.map((version) => join(debianFolder, version, 'bin')), ...inPath];
  } catch {
    return inPath;
  }
}

function mayRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The folder of `initdb` and `postgres`; undefined where the machine has none, or nobody who may run them. */
export function findPostgresPrograms(): string | undefined {
  const isRoot = process.getuid?.() === 0;
  if (isRoot && findAccount() === undefined) return undefined;
  return listProgramFolders().find((folder) =>
    ['initdb', 'postgres'].every((name) => mayRun(join(folder, name))),
  );
}

function findAccount(): Account | undefined {
  try {
    const ask = (what: string): number =>
      Number(execFileSync('id', [what, serverAccount], { stdio: 'pipe' }));
    return { uid: ask('-u'), gid: ask('-g') };
  } catch {
    return undefined;
  }
}

/** What a server is made with. */
export interface PostgresPlan {
  /** Its folder is made in it. */
  readonly parent: string;
  /** Whether roles are let in by their password alone; the superuser needs none. */
  readonly asksForPasswords: boolean;
  readonly settings: Readonly<Record<string, string>>;
}

const onDisk: PostgresPlan = {
  // Not in memory, as the folders of tests are: what a commit waits for is the disk.
  parent: '/tmp',
  asksForPasswords: false,
  // Recovery reads no more than this.
  settings: { shared_buffers: '32MB', max_wal_size: '128MB' },
};

const settingsOf = (folder: string, port: number): Readonly<Record<string, string>> => ({
  port: String(port),
  listen_addresses: '127.0.0.1',
  unix_socket_directories: folder,
  fsync: 'on',
  // Goes with the folder, after a kill, too.
  dynamic_shared_memory_type: 'mmap',
  log_line_prefix: '%m [%p] %a ',
});

const localAddress = '127.0.0.1/32';
/** `md5` stands for what a role's password is kept as: scram, where it was not given otherwise. */
const passwordRules = `host all ${admin} ${localAddress} trust\nhost all all ${localAddress} md5\n`;

/** Ends the server and removes its folder when this process wants it, or is no more. */
function startCaretaker(folder: string): () => Promise<void> {
  const kill = (signal: string): string => `kill -${signal} "$(head -n 1 "$0/data/postmaster.pid")" 2>&-`;
  // A server that is killed outright leaves its shared memory to the machine.
  const script = `read -r _; ${kill('QUIT')} && sleep 0.5 && ${kill('KILL')}; rm -rf "$0"`;
  const caretaker = spawn('sh', ['-c', script, folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  return async () => {
    const closed = once(caretaker, 'close');
    caretaker.stdin.end();
    await closed;
  };
}

/** Processes whose parent is this one. */
function findChildren(parent: number): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => readProcess(pid)?.parent === parent).map(Number);
}

/** Undefined when it is gone: one that nobody has asked how it ended holds nothing any more. */
function readProcess(pid: string | number): { readonly parent: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' ? undefined : { parent: Number(parent) };
  } catch {
    return undefined;
  }
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

const startMaxMs = 60_000;
const lookMs = 20;

async function untilAnswering(url: string, server: ChildProcess): Promise<void> {
  const endsAtMs = performance.now() + startMaxMs;
  for (;;) {
    const client = new Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.query('select 1');
      return;
    } catch (error) {
      if (server.exitCode !== null)
        throw new Error(`the server has ended: ${server.exitCode}`, { cause: error });
      if (performance.now() > endsAtMs) throw error;
      await sleep(lookMs);
    } finally {
      await client.end().catch(() => {});
    }
  }
}

async function makeJournalDatabase(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`create role ${owner} login`);
    await client.query(`create database ${database} owner ${owner} encoding 'UTF8' template template0`);
  } finally {
    await client.end();
  }
}

/** Makes a server and starts it. @param programs what `findPostgresPrograms` has found */
export async function openOwnPostgres(programs: string, plan = onDisk): Promise<OwnPostgres> {
  const account = process.getuid?.() === 0 ? findAccount() : undefined;
  const folder = mkdtempSync(join(plan.parent, 'paydrop-postgres-'));
  const clearAway = startCaretaker(folder);
  if (account !== undefined) chownSync(folder, account.uid, account.gid);
  const dataFolder = join(folder, 'data');
  const made = ['-D', dataFolder, '-U', admin, '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
  execFileSync(join(programs, 'initdb'), made, { ...account, cwd: folder, stdio: 'pipe' });
  if (plan.asksForPasswords) writeFileSync(join(dataFolder, 'pg_hba.conf'), passwordRules);
  const port = await findFreePort();
  const urlOf = (user: string, name: string, at = port): string =>
    `postgres://${user}@127.0.0.1:${at}/${name}`;
  let server: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    const settings = Object.entries({ ...settingsOf(folder, port), ...plan.settings }).flatMap(
      ([key, value]) => ['-c', `${key}=${value}`],
    );
    server = spawn(join(programs, 'postgres'), ['-D', dataFolder, ...settings], {
      ...account,
      cwd: folder,
      stdio: 'ignore',
    });
    await untilAnswering(urlOf(admin, 'postgres'), server);
  };
  const kill = async (how: PostgresKill): Promise<void> => {
    const { pid } = server ?? {};
    if (server === undefined || pid === undefined) return;
    const closed = once(server, 'close');
    const children = findChildren(pid);
    killQuietly(pid);
    if (how === 'all') for (const child of children) killQuietly(child);
    await closed;
    // A server does not start while anybody of the one before is left.
    while (children.some((child) => readProcess(child)?.parent !== undefined)) await sleep(lookMs);
    server = undefined;
  };
  const end = async (): Promise<void> => {
    if (server?.exitCode === null && server.signalCode === null) {
      const closed = once(server, 'close');
      server.kill('SIGQUIT');
      await closed;
    }
    await clearAway();
  };
  try {
    await start();
    await makeJournalDatabase(urlOf(admin, 'postgres'));
  } catch (error) {
    await end();
    throw error;
  }
  return {
    port,
    url: (at) => urlOf(owner, database, at),
    adminUrl: urlOf(admin, database),
    kill,
    start,
    [Symbol.asyncDispose]: end,
  };
}
