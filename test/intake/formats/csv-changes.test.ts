/** What is no file to read, and a file that does not stay what it was. */
import { execFileSync } from 'node:child_process';
import { appendFile, chmod, mkdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { makePayoutFileReader } from '../../../src/intake/formats/payout-file.ts';
import {
  defaults,
  file,
  gather,
  inspectPath,
  readPath,
  row,
  useFolder,
} from '../../support/payout-file-kit.ts';

const folder = useFolder();

describe('what is no file to read', () => {
  test('a folder, a link, a pipe, nothing at all', async () => {
    await mkdir(folder.path('folder.csv'));
    const target = await folder.write(file(row('A')), 'target.csv');
    await symlink(target, folder.path('link.csv'));
    await symlink(folder.path('nowhere.csv'), folder.path('broken-link.csv'));
    execFileSync('mkfifo', [folder.path('pipe.csv')]);
    const codes = [
      'folder.csv',
      'link.csv',
      'broken-link.csv',
      'pipe.csv',
      'none.csv',
      'target.csv/x.csv',
      'x'.repeat(300),
    ].map(async (name) => (await readPath(folder.path(name))).rejection?.code);
    expect(await Promise.all(codes)).toEqual([
      'file-directory',
      'file-link',
      'file-link',
      'file-special',
      'file-missing',
      'file-missing',
      'file-missing',
    ]);
  });

  test.skipIf(process.getuid?.() === 0)('one without the right to read it', async () => {
    const path = await folder.write(file(row('A')));
    await chmod(path, 0o000);
    expect((await readPath(path)).rejection?.code).toBe('file-unreadable');
  });
});

describe('a file that changes between the two readings', () => {
  const reader = makePayoutFileReader(defaults);
  const content = file(row('A'), row('B'));

  async function readAfter(change: (path: string) => Promise<void>): Promise<string | undefined> {
    const path = await folder.write(content);
    const inspection = await inspectPath(path);
    await change(path);
    const { rejection, totals } = await gather(reader.read(inspection));
    expect(totals).toBeUndefined();
    return rejection?.code;
  }

  test.each<[string, (path: string) => Promise<void>, string]>([
    ['grows', (path) => appendFile(path, `${row('C')}\n`), 'file-changed'],
    [
      'is written again in the same length',
      (path) => writeFile(path, content.replace('100.00', '900.00')),
      'file-changed',
    ],
    [
      'is replaced by another',
      (path) => rename(path, `${path}.old`).then(() => writeFile(path, content)),
      'file-changed',
    ],
    ['vanishes', (path) => rm(path), 'file-missing'],
    [
      'becomes a link',
      (path) => rename(path, `${path}.old`).then(() => symlink(`${path}.old`, path)),
      'file-link',
    ],
  ])('%s', async (_, change, code) => expect(await readAfter(change)).toBe(code));

  test('is found out by its hash even when size and time are as they were', async () => {
    const path = await folder.write(content);
    const moment = new Date('2026-11-21T00:00:00Z');
    await utimes(path, moment, moment);
    const inspection = await inspectPath(path);
    await writeFile(path, content.replace('100.00', '900.00'));
    await utimes(path, moment, moment);
    expect((await gather(reader.read(inspection))).rejection?.code).toBe('file-changed');
  });

  test('is found out while it is read', async () => {
    const path = await folder.write(file(...Array.from({ length: 5_000 }, (_, place) => row(`P${place}`))));
    const inspection = await inspectPath(path);
    const codes: (string | undefined)[] = [];
    for await (const part of reader.read(inspection)) {
      if (part.kind === 'header') await appendFile(path, `${row('LATE')}\n`);
      if (part.kind === 'rejected') codes.push(part.rejection.code);
      expect(part.kind).not.toBe('summary');
    }
    expect(codes).toEqual(['file-changed']);
  });
});

describe('a reading that is given up', () => {
  test('leaves the file as it was', async () => {
    const path = await folder.write(file(row('A'), row('B')));
    const reader = makePayoutFileReader(defaults);
    const inspection = await inspectPath(path);
    for await (const part of reader.read(inspection)) {
      if (part.kind === 'rows') expect(part.rows.map(({ cells }) => cells.payoutId)).toEqual(['A', 'B']);
      if (part.kind === 'rows') break;
    }
    expect((await gather(reader.read(inspection))).totals?.rows).toBe(2);
  });
});
