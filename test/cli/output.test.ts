/** Output that cannot be written: the end of a command that prints a result, and nothing to a watcher. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { payer } from '../support/core-fixtures.ts';
import { paydropPath, runPaydrop } from './run-paydrop.ts';

const bank = { ...payer, baseUrl: 'sandbox' };

interface Ended {
  readonly code: number | null;
  readonly stderr: string;
}

/** Runs `paydrop` with a stdout that refuses every byte, as on a full disk. */
async function runOnFullDisk(cwd: string, args: readonly string[]): Promise<Ended> {
  const full = openSync('/dev/full', 'w');
  const child = spawn(process.execPath, [paydropPath, ...args], { cwd, stdio: ['ignore', full, 'pipe'] });
  closeSync(full);
  const stderr = child.stderr;
  if (stderr === null) throw new Error('it has no stderr');
  // What it logs while it works asks it to stop.
  let said: string | undefined = '';
  stderr.setEncoding('utf8').on('data', (chunk: string) => {
    if (said === undefined) return;
    said += chunk;
    if (!said.includes('has the right to send')) return;
    said = undefined;
    child.kill('SIGTERM');
  });
  const [whole, [code]] = await Promise.all([text(stderr), once(child, 'close')]);
  return { code: code as number | null, stderr: whole };
}

async function openFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'paydrop-output-'));
  await writeFile(join(path, 'paydrop.yaml'), stringify({ bank, watch: { listen: '' } }));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

test('a command whose result cannot be written says so, and fails', async () => {
  await using folder = await openFolder();
  expect(await runOnFullDisk(folder.path, ['config'])).toEqual({
    code: 1,
    stderr: 'paydrop: the output cannot be written: the disk is full (ENOSPC)\n',
  });
});

test('a watcher goes on without its screen, says so once in the log, and ends as it is asked to', async () => {
  await using folder = await openFolder();
  const { code, stderr } = await runOnFullDisk(folder.path, ['watch']);
  expect(code).toBe(0);
  expect(stderr.match(/the output cannot be written: the disk is full/g)).toHaveLength(1);
});

test('a silent log has no line of JSON, whoever says it, and a failure is said all the same', async () => {
  await using folder = await openFolder();
  const { path } = folder;
  await writeFile(join(path, 'a.csv'), 'payoutId,proxyType,proxyNo,amount\nA1,MSISDN,0812345678,10.00\n');
  const lost = ['run', 'a.csv', '--journal-lost', '--since', new Date().toISOString().slice(0, 10)];
  await runPaydrop(['run', 'a.csv'], { cwd: path });
  const loud = await runPaydrop(lost, { cwd: path });
  expect(loud.stderr).toMatch(/"level":"warn".*"msg":"The journal was lost/);
  const silent = await runPaydrop([...lost, '--log-level', 'silent'], { cwd: path });
  expect({ code: silent.code, stderr: silent.stderr }).toEqual({ code: loud.code, stderr: '' });
  const failed = await runPaydrop(['status', 'NOSUCH', '--json', '--log-level=silent'], { cwd: path });
  expect(failed.stderr).toContain('there is no batch NOSUCH');
});
