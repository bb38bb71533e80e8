import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parse } from 'csv-parse/sync';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { tableCell } from '../../src/core/cell-text.ts';
import { unescapeSpreadsheetCell } from '../../src/platform/csv/spreadsheet-cells.ts';
import { findForeignHand } from '../../src/platform/ownership.ts';
import { formatExceptionRecords, formatResultRecords, openOutbox } from '../../src/reports/outbox.ts';
import type { ReportOutbox, TableStyle } from '../../src/reports/ports.ts';
import { payoutLines } from '../../src/reports/rules/report-rows.ts';

let folder = '';
let outbox: ReportOutbox;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paydrop-outbox-'));
  outbox = await openOutbox(join(folder, 'out'));
});
afterEach(() => rm(folder, { recursive: true }));

const names = async () => (await readdir(join(folder, 'out'))).toSorted();

async function writeTable(style: TableStyle, records: readonly (readonly string[])[]): Promise<string> {
  await using table = await outbox.openTable('t.csv', style);
  for (const record of records) await table.add(record);
  return await readFile((await table.finish()).temporaryPath, 'utf8');
}

const cells = fc.array(
  fc.array(fc.oneof(fc.string(), fc.constantFrom('a,b', '"', '\r', '\n', '\r\n', ' x ', "'=", '')), {
    minLength: 2,
    maxLength: 2,
  }),
  { minLength: 1, maxLength: 5 },
);

describe('a table', () => {
  test('for programs is plain: no mark at the start, nothing escaped', async () => {
    const records = [
      ['payoutId', 'name'],
      ['=cmd', '0812345678'],
      ['ก,ข', 'say "x"\r\n'],
    ];
    expect(await writeTable('program', records)).toBe('payoutId,name\n=cmd,0812345678\n"ก,ข","say ""x"" "\n');
  });

  test('for a spreadsheet is marked as UTF-8, ends its lines with CRLF and keeps values as text', async () => {
    const row = payoutLines.exceptionColumns.map((column) =>
      column === 'amount' ? '1234.50' : column === 'proxyNo' ? '0812345678' : '',
    );
    const text = await writeTable('spreadsheet', [payoutLines.exceptionColumns, row]);
    expect(text).toBe(
      `\uFEFF${payoutLines.exceptionColumns.join(',')}\r\n,,,,,'0812345678,,1234.50,,,,,,,,,,,,,,\r\n`,
    );
  });

  test('gives a reader back every value, but for what steers a screen', () => {
    fc.assert(
      fc.property(cells, (records) => {
        const shown = records.map((record) => record.map(tableCell));
        expect(parse(formatResultRecords(records), { record_delimiter: '\n' })).toEqual(shown);
        const read = parse(formatExceptionRecords(records), { record_delimiter: '\r\n' });
        expect(read.map((record) => record.map(unescapeSpreadsheetCell))).toEqual(shown);
      }),
    );
  });

  test.each([
    ['an escape sequence', 'a\u001b[2Jb', 'a?[2Jb'],
    ['a C1 control', 'a\u009b2Jb', 'a?2Jb'],
    ['what turns the text', 'a\u202eb\u2066c', 'a?b?c'],
    ['a forged line', 'a\r\nb,c', 'a b,c'],
    ['a separator of lines', 'a\u2028b\u0085c', 'a b c'],
    ['Thai with a zero-width space', 'สวัสดี\u200bครับ', 'สวัสดี\u200bครับ'],
  ])('keeps %s out, and each row whole', (_name, cell, shown) => {
    const records = [
      ['one', cell, 'three'],
      ['four', 'five', 'six'],
    ];
    const expected = [['one', shown, 'three'], records[1]];
    expect(parse(formatResultRecords(records), { record_delimiter: '\n' })).toEqual(expected);
    expect(parse(formatExceptionRecords(records), { record_delimiter: '\r\n' })).toEqual(expected);
    expect(formatResultRecords(records).match(/\n/g)).toHaveLength(2);
  });

  test.each([99, 100, 101, 300])('of %i records has each of them once, with one mark', async (count) => {
    const records = Array.from({ length: count }, (_, index) => [`r${index}`, 'x']);
    const text = await writeTable('spreadsheet', records);
    expect(parse(text, { bom: true })).toEqual(records);
    expect(text.lastIndexOf('\uFEFF')).toBe(0);
  });
});

describe('the outbox', () => {
  test('is created for its owner only', async () => {
    expect((await stat(join(folder, 'out'))).mode & 0o777).toBe(0o700);
  });

  describe('that its group may read', () => {
    /** Root may give a file to any group; others to those that they are in. */
    const isRoot = process.geteuid?.() === 0;
    const groupId = isRoot ? 12_345 : (process.getgroups?.().at(-1) ?? 0);
    const shared = () => join(folder, 'shared');
    beforeEach(async () => {
      await mkdir(shared(), { mode: 0o700 });
      await chown(shared(), -1, groupId);
    });

    test('gives it every file, whatever the umask, and nobody else', async () => {
      const umask = process.umask(0o077);
      try {
        const open = await openOutbox(shared(), true);
        await open.publish(await open.writeWhole('s.json', '{}'));
        await using table = await open.openTable('t.csv', 'program');
        await table.add(['x']);
        await open.publish(await table.finish());
      } finally {
        process.umask(umask);
      }
      const rights = async (path: string) => {
        const { mode, gid } = await stat(path);
        return [(mode & 0o7777).toString(8), gid];
      };
      expect(await rights(shared())).toEqual(['2750', groupId]);
      for (const name of ['s.json', 't.csv'])
        expect(await rights(join(shared(), name))).toEqual(['640', groupId]);
    });

    test('is what it was without the setting', async () => {
      const open = await openOutbox(shared());
      await open.publish(await open.writeWhole('s.json', '{}'));
      expect((await stat(shared())).mode & 0o7777).toBe(0o700);
      expect((await stat(join(shared(), 's.json'))).mode & 0o777).toBe(0o600);
    });

    test('is refused where this user could give no file to that group, with what to run', async () => {
      vi.spyOn(process, 'geteuid').mockReturnValue(54_321);
      vi.spyOn(process, 'getgroups').mockReturnValue([54_321]);
      vi.spyOn(process, 'getegid').mockReturnValue(54_321);
      await expect(openOutbox(shared(), true)).rejects.toThrow(/run chgrp GROUP .*shared .* chmod g\+rxs/);
      await chmod(shared(), 0o2750);
      await expect(openOutbox(shared(), true)).resolves.toBeDefined();
    });

    test('is nothing that settings, secrets and journal must not be: others may read, and not write', () => {
      expect(findForeignHand('/srv/outbox', { uid: 7, mode: 0o42750 }, 7, 'own')).toBeUndefined();
      expect(findForeignHand('/srv/outbox', { uid: 7, mode: 0o42770 }, 7, 'own')).toContain('chmod g-w');
    });
  });

  test('that cannot be created says why', async () => {
    await writeFile(join(folder, 'file'), '');
    await expect(openOutbox(join(folder, 'file', 'out'))).rejects.toThrow(
      /cannot create .*file\/out: a part of the path/,
    );
  });

  test('shows a file under its own name only when it is published', async () => {
    const prepared = await outbox.writeWhole('s.json', '{}\n');
    expect(await names()).toEqual([expect.stringMatching(/^\.s\.json\..*\.tmp$/)]);
    await outbox.publish(prepared);
    expect(await names()).toEqual(['s.json']);
  });

  test('drops a table that is left unfinished', async () => {
    {
      await using table = await outbox.openTable('t.csv', 'program');
      await table.add(['x']);
    }
    expect(await names()).toEqual([]);
  });

  test('removes leftovers of this batch and nothing else', async () => {
    const kept = [
      '.pay.4K7Q2M9XWE.result.csv.0123456789ab.tmp',
      '.pay.4K7Q2M9XWD.other.csv.0123456789ab.tmp',
      '.pay.4K7Q2M9XWD.result.csv.tmp',
      '.x.4K7Q2M9XWD.result.csv.aaaaaaaaaaaa.tmp',
      'pay.4K7Q2M9XWD.result.csv',
    ];
    const leftovers = ['result.csv', 'exceptions.csv', 'summary.json', 'result-update-12.csv'];
    for (const name of kept) await writeFile(join(folder, 'out', name), '');
    for (const ending of leftovers) {
      await writeFile(join(folder, 'out', `.pay.4K7Q2M9XWD.${ending}.0123456789ab.tmp`), '');
    }
    const recorded = join(folder, 'out', '.x.4K7Q2M9XWD.result.csv.aaaaaaaaaaaa.tmp');
    await outbox.removeLeftovers('4K7Q2M9XWD', [recorded]);
    expect(await names()).toEqual(kept.toSorted());
  });
});

describe('room for reports', () => {
  const wanted = ['a.4K7Q2M9XWD.result.csv', 'a.4K7Q2M9XWD.summary.json'];

  test('is there where nothing has their names, and looking leaves nothing behind', async () => {
    await writeFile(join(folder, 'out', 'b.4K7Q2M9XWD.result.csv'), 'theirs');
    await outbox.requireRoom(wanted);
    expect(await names()).toEqual(['b.4K7Q2M9XWD.result.csv']);
    expect(await outbox.findLeftovers()).toEqual([]);
  });

  test('is not there while a file or a folder has a name: all of them are named, and moved away as it says', async () => {
    const [first = '', second = ''] = wanted.map((name) => join(folder, 'out', name));
    await writeFile(first, 'theirs');
    await mkdir(second);
    const refused = await outbox.requireRoom(wanted).catch((error: unknown) => String(error));
    expect(refused).toContain(
      `cannot publish ${first}: another file has this name already; move it away and run it again; so it is with ${second}`,
    );
    for (const path of [first, second]) await rename(path, `${path}.old`);
    await outbox.requireRoom(wanted);
  });

  test.each([
    [
      'has gone',
      () => rm(join(folder, 'out'), { recursive: true }),
      /out: the folder is not there: create it/,
    ],
    [
      'has become a file',
      async () => {
        await rm(join(folder, 'out'), { recursive: true });
        await writeFile(join(folder, 'out'), '');
      },
      /out: a part of the path is not a folder: move it away/,
    ],
  ])('is not there where the folder %s', async (_what, spoil, message) => {
    await spoil();
    await expect(outbox.requireRoom(wanted)).rejects.toThrow(message);
    await rm(join(folder, 'out'), { recursive: true, force: true });
    await mkdir(join(folder, 'out'));
    await outbox.requireRoom(wanted);
  });

  test('is not there for a name that the file system does not take', async () => {
    const long = `${'x'.repeat(245)}.csv`;
    await expect(outbox.requireRoom(['a.csv', long])).rejects.toThrow(
      /the name is too long for this file system: shorten the name of the input file/,
    );
  });
});

describe('the clearing of temporary files', () => {
  test('reads the outbox once, and knows what is written since', async () => {
    await writeFile(join(folder, 'out', '.old.4K7Q2M9XWD.result.csv.0123456789ab.tmp'), '');
    await outbox.removeLeftovers('4K7Q2M9XWD', []);
    const foreign = '.late.4K7Q2M9XWD.result.csv.0123456789ab.tmp';
    await writeFile(join(folder, 'out', foreign), '');
    await outbox.writeWhole('half.4K7Q2M9XWD.summary.json', '{}');
    const kept = await outbox.writeWhole('kept.4K7Q2M9XWD.summary.json', '{}');
    await outbox.removeLeftovers('4K7Q2M9XWD', [kept.temporaryPath]);
    expect(await names()).toEqual([basename(kept.temporaryPath), foreign].toSorted());
    await outbox.publish(kept);
    await outbox.removeLeftovers('4K7Q2M9XWD', []);
    expect(await names()).toEqual([foreign, 'kept.4K7Q2M9XWD.summary.json']);
    expect(await outbox.findLeftovers()).toEqual(['4K7Q2M9XWD']);
  });
});

describe('what a crash has left', () => {
  test.each([
    'result.csv',
    'exceptions.csv',
    'summary.json',
    'workbook.xlsx',
    'result-update-12.csv',
    'exceptions-update-2.csv',
  ])('of %s is found by its batch, and cleared away unless it is recorded', async (ending) => {
    await outbox.writeWhole(`a.b.4K7Q2M9XWD.${ending}`, 'half');
    const kept = await outbox.writeWhole(`c.0ZEJBG25N5.${ending}`, 'whole');
    expect((await outbox.findLeftovers()).toSorted()).toEqual(['0ZEJBG25N5', '4K7Q2M9XWD']);
    for (const batchId of ['0ZEJBG25N5', '4K7Q2M9XWD'])
      await outbox.removeLeftovers(batchId, [kept.temporaryPath]);
    expect(await outbox.findLeftovers()).toEqual(['0ZEJBG25N5']);
  });

  test('of others stay while somebody else may be writing them, and own ones go', async () => {
    let isEntitled = false;
    const beside = await openOutbox(join(folder, 'out'), false, () => isEntitled);
    const others = await outbox.writeWhole('payouts.4K7Q2M9XWD.summary.json', '{}');
    const own = await beside.writeWhole('payouts.4K7Q2M9XWD.summary.json', '{}');
    await beside.removeLeftovers('4K7Q2M9XWD', []);
    expect(await names()).toEqual([basename(others.temporaryPath)]);
    expect(own.temporaryPath).not.toBe(others.temporaryPath);
    isEntitled = true;
    await beside.removeLeftovers('4K7Q2M9XWD', []);
    expect(await names()).toEqual([]);
  });

  test('is not what others keep here', async () => {
    await writeFile(join(folder, 'out', '.notes.tmp'), '');
    await writeFile(join(folder, 'out', 'a.4K7Q2M9XWD.result.csv'), '');
    expect(await outbox.findLeftovers()).toEqual([]);
  });
});
