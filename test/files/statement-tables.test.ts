import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { PreparedFile } from '../../src/core/report-outbox.ts';
import type { StatementOutbox } from '../../src/core/statement-outbox.ts';
import { openStatementOutbox } from '../../src/files/statement-tables.ts';

let folder = '';
let outbox: StatementOutbox;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paydrop-tables-'));
  outbox = await openStatementOutbox(folder);
});
afterEach(() => rm(folder, { recursive: true }));

const longAgo = 1_000;
const beforeMs = 2_000_000;

/** A whole table under its temporary name, as old as a test wants it. */
async function prepare(name: string, isOld = true): Promise<PreparedFile> {
  await using draft = await outbox.openMatched(name);
  await draft.add([name]);
  const prepared = await draft.finish();
  if (isOld) await utimes(prepared.temporaryPath, longAgo, longAgo);
  return prepared;
}

describe('what a crash has left', () => {
  test('is published if its version was accepted, and else removed; what is new stays', async () => {
    const accepted = await prepare('20261121.v1.matched.csv');
    await prepare('20261121.v2.matched.csv');
    const fresh = await prepare('20261122.v1.matched.csv', false);
    expect(await outbox.finishLeftovers(beforeMs, [accepted])).toEqual([]);
    expect((await readdir(folder)).map((name) => join(folder, name)).toSorted()).toEqual([
      fresh.temporaryPath,
      accepted.path,
    ]);
    expect(await outbox.publish(accepted)).toBe('already-there');
  });

  test('is published in a folder that was moved since', async () => {
    const accepted = await prepare('20261121.v1.matched.csv');
    const moved = (path: string) => path.replace(folder, '/elsewhere');
    const recorded = {
      ...accepted,
      path: moved(accepted.path),
      temporaryPath: moved(accepted.temporaryPath),
    };
    await outbox.finishLeftovers(beforeMs, [recorded]);
    expect(await readdir(folder)).toEqual(['20261121.v1.matched.csv']);
  });

  test('stays while another file has its name, and holds nothing else up', async () => {
    const taken = await prepare('20261120.v1.matched.csv');
    const free = await prepare('20261121.v1.matched.csv');
    await writeFile(taken.path, 'not ours');
    const failures = await outbox.finishLeftovers(beforeMs, [taken, free]);
    expect(failures).toEqual([expect.stringContaining('another file has this name already')]);
    expect(await readFile(taken.path, 'utf8')).toBe('not ours');
    expect(await outbox.publish(free)).toBe('already-there');
    await rm(taken.path);
    expect(await outbox.publish(taken)).toBe('published');
  });
});
