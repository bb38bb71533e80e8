import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  escapeAmountCell,
  escapeQuickly,
  escapeSpreadsheetCell,
} from '../../../src/platform/csv/spreadsheet-cells.ts';
import type { PreparedFile } from '../../../src/platform/durable-file.ts';
import { openStatementOutbox, type StatementOutbox } from '../../../src/reconcile/file/tables.ts';
import { matchedColumns } from '../../../src/reconcile/rules/rows.ts';

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

const cells = fc.oneof(
  fc.string(),
  fc.stringMatching(/^['=+@-]?[0-9]{0,12}(\.[0-9]{0,3})?$/),
  fc.stringMatching(/^[A-Za-z]{1,5}[0-9 /:.-]{0,6}$/),
  fc.constantFrom(
    '',
    '0',
    '00',
    '0.00',
    '010004',
    '12:00:01',
    'TRUE',
    '7E10',
    'มี.ค. 67',
    '0810000001',
    'a"b',
    'a,b',
  ),
  fc.integer({ min: 32_760, max: 32_770 }).map((length) => 'B'.repeat(length)),
  fc.integer({ min: 32_760, max: 32_770 }).map((length) => '1'.repeat(length)),
);

test('a cell is escaped quickly as it is slowly', () => {
  fc.assert(
    fc.property(cells, (text) => {
      expect(escapeQuickly(text, false)).toBe(escapeSpreadsheetCell(text));
      expect(escapeQuickly(text, true)).toBe(escapeAmountCell(text));
    }),
    { seed: 5, numRuns: 300 },
  );
});

test('the matched ones open in a spreadsheet undamaged', async () => {
  const record = (changes: Partial<Record<(typeof matchedColumns)[number], string>>) =>
    matchedColumns.map((column) => changes[column] ?? '');
  const rows = [
    record({ proxyNo: '0810000001', amount: '1234.50', bankLine: '7', sysRefNo: '=1+1', payoutId: 'P1' }),
    record({ proxyNo: '0810000001', amount: '007.50', bankLine: '8', sysRefNo: 'a "b", c' }),
  ];
  const draft = await outbox.openMatched('20261121.v1.matched.csv');
  await draft.add(matchedColumns);
  for (const row of rows) await draft.add(row);
  const { temporaryPath } = await draft.finish();
  const text = await readFile(temporaryPath, 'utf8');
  expect(text.startsWith(`\ufeffdate,`)).toBe(true);
  const [, first, second, end] = parse(text, { record_delimiter: '\r\n' }).concat([[]]);
  expect(first).toEqual(
    record({ proxyNo: "'0810000001", amount: '1234.50', bankLine: '7', sysRefNo: "'=1+1", payoutId: 'P1' }),
  );
  expect(second).toEqual(
    record({ proxyNo: "'0810000001", amount: "'007.50", bankLine: '8', sysRefNo: 'a "b", c' }),
  );
  expect(end).toEqual([]);
});

test.each(['\n', '\r', '\r\n'])(
  'a line end %j inside a cell ends no row, in either table',
  async (lineEnd) => {
    for (const open of [outbox.openMatched, outbox.openBreaks]) {
      await using draft = await open('20261121.v1.csv');
      await draft.add(['one', `a${lineEnd}b`]);
      const text = await readFile((await draft.finish()).temporaryPath, 'utf8');
      expect(text).toBe(`\ufeffone,"a${lineEnd}b"\r\n`);
    }
  },
);
