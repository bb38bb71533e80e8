import { verbatim } from '../../src/core/message.ts';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { PreparedFile } from '../../src/platform/durable-file.ts';
import { readSheet } from '../../src/platform/workbook/reader.ts';
import type { SheetRow } from '../../src/platform/workbook/sheet.ts';
import { openOutbox } from '../../src/reports/outbox.ts';
import type { ReportOutbox, ReportStore } from '../../src/reports/ports.ts';
import { finishReports, requireReportable } from '../../src/reports/batch-reports.ts';
import { writePresent, writeReports } from '../../src/reports/write-reports.ts';
import {
  makeBatchOf,
  makeRejectedRow,
  makeRow,
  MemoryJournal,
  reportContext as context,
} from '../support/report-fixtures.ts';

type ReportContext = Parameters<typeof writeReports>[3];

const batchId = '4K7Q2M9XWD';
const prefix = `เงินเดือน payouts.${batchId}`;
const [result, exceptions, summary] = ['result.csv', 'exceptions.csv', 'summary.json'].map(
  (end) => `${prefix}.${end}`,
);
const firstNames = [exceptions, result, summary];

const rows = [
  makeRow({ rowNo: 1 }),
  makeRejectedRow(2),
  makeRow({ rowNo: 3, status: 'submitted', reasonCode: 'ET001', settledAtMs: null }),
  makeRow({ rowNo: 4 }),
];

let folder = '';
let outbox: ReportOutbox;
let journal: MemoryJournal;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paydrop-report-'));
  outbox = await openOutbox(folder);
  journal = new MemoryJournal(rows);
});
afterEach(() => rm(folder, { recursive: true }));

const names = async () => (await readdir(folder)).toSorted();
const read = (name = '') => readFile(join(folder, name), 'utf8');
const readTable = async (name = '') =>
  parse<Record<string, string>>(await read(name), { columns: true, bom: true });
const write = () => writeReports(journal, outbox, batchId, context);
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('when a batch first comes to rest', () => {
  test('there are a result, exceptions and a summary', async () => {
    const { files, filesWritten } = await write();
    expect(await names()).toEqual(firstNames);
    expect(filesWritten).toBe(3);
    expect(files.map(({ kind, state }) => `${kind} ${state}`)).toEqual([
      'result published',
      'exceptions published',
      'summary published',
    ]);
    expect(journal.snapshotsOpen).toBe(0);
  });

  test('the result has every row once, in input order', async () => {
    await write();
    expect((await readTable(result)).map((row) => `${row['rowNo']} ${row['status']}`)).toEqual([
      '1 paid',
      '2 rejected',
      '3 submitted',
      '4 paid',
    ]);
  });

  test('the exceptions are the rows that a person must look at', async () => {
    await write();
    expect((await readTable(exceptions)).map((row) => row['rowNo'])).toEqual(['2', '3']);
  });

  test('the summary adds up and names the files by their hashes', async () => {
    const written = await write();
    const parsed = JSON.parse(await read(summary));
    expect(parsed).toMatchObject({
      addsUp: true,
      exitCode: 4,
      isSandbox: true,
      rows: 4,
      amount: '301.50',
      exceptions: 2,
    });
    expect(parsed.files).toEqual([
      { kind: 'result', name: result, rows: 4, sha256: sha256(await read(result)) },
      { kind: 'exceptions', name: exceptions, rows: 2, sha256: sha256(await read(exceptions)) },
    ]);
    expect(written.summary.exitCode).toBe(4);
  });

  test('what is due is recorded with the event that it shows', async () => {
    await write();
    expect(journal.recorded.map(({ kind, number, eventSeq }) => [kind, number, eventSeq])).toEqual([
      ['result', 0, 100],
      ['exceptions', 0, 100],
      ['summary', 0, 100],
    ]);
    expect(journal.recorded[0]?.sha256).toBe(sha256(await read(result)));
  });

  test('carried-through columns come along', async () => {
    const extra = [
      makeRow({ extras: ['B1', 'x'] }),
      makeRow({ rowNo: 2, extras: ['B2'] }),
      makeRow({ rowNo: 3, status: 'failed', extras: ['0812345678', '=cmd'] }),
    ];
    journal = new MemoryJournal(extra, makeBatchOf(extra, { extraColumns: ['branch', 'status'] }));
    await write();
    const [first, second] = await readTable(result);
    expect(first).toMatchObject({ branch: 'B1', 'input.status': 'x', status: 'paid' });
    expect(second).toMatchObject({ branch: 'B2', 'input.status': '' });
    // For a spreadsheet: text stays text, and no formula is run.
    const [exception] = await readTable(exceptions);
    expect(exception).toMatchObject({ branch: "'0812345678", 'input.status': "'=cmd", status: 'failed' });
  });
});

describe('a batch that has nothing to show', () => {
  test.each(['rejected', 'ingesting'] as const)('%s leaves no file', async (status) => {
    journal = new MemoryJournal([], makeBatchOf([], { status }));
    const { files, summary: figures } = await write();
    expect(files).toEqual([]);
    expect(figures.exitCode).toBe(status === 'rejected' ? 5 : 6);
    expect(await names()).toEqual([]);
  });

  test('that the journal does not know is a bug', async () => {
    await expect(writeReports(journal, outbox, 'XXXXXXXXXX', context)).rejects.toThrow('no batch XXXXXXXXXX');
  });
});

describe('how a batch stands now', () => {
  const nameOf = (kind: string) => `now.${kind}`;
  const present = async (given = journal) =>
    writePresent(given, await openOutbox(folder), batchId, nameOf, context);

  test('is written whole, with nothing recorded and nothing taken from what is due', async () => {
    journal.change(3, { status: 'paid' });
    const written = await present();
    expect(await names()).toEqual(['now.exceptions', 'now.result', 'now.summary']);
    expect((await readTable('now.result')).map((row) => row['status']).join()).toBe(
      'paid,rejected,paid,paid',
    );
    expect(JSON.parse(await read('now.summary'))).toMatchObject({
      addsUp: true,
      files: [{ name: 'now.result' }, { name: 'now.exceptions', rows: 1 }],
    });
    expect(written?.files.map(({ kind, rows: count }) => [kind, count])).toEqual([
      ['result', 4],
      ['exceptions', 1],
      ['summary', 0],
    ]);
    expect(journal.recorded).toEqual([]);
    expect(journal.snapshotsOpen).toBe(0);
    expect((await write()).filesWritten).toBe(3);
  });

  test('never overwrites, and leaves nothing half behind', async () => {
    await writeFile(join(folder, 'now.result'), 'another');
    await expect(present()).rejects.toThrow(/another file has this name already/);
    expect(await names()).toEqual(['now.result']);
    expect(await read('now.result')).toBe('another');
  });

  test('is nothing of a batch that has no rows, or is not there', async () => {
    expect((await present(new MemoryJournal([], makeBatchOf([], { status: 'rejected' }))))?.files).toEqual(
      [],
    );
    expect(
      await writePresent(journal, await openOutbox(folder), 'XXXXXXXXXX', nameOf, context),
    ).toBeUndefined();
    expect(await names()).toEqual([]);
  });
});

describe('a result that does not have each row once is never published', () => {
  test.each([
    ['a row is missing', [makeRow({ rowNo: 1 })], 2],
    ['a row comes twice', [makeRow({ rowNo: 1 }), makeRow({ rowNo: 1 })], 2],
    ['rows are out of order', [makeRow({ rowNo: 2 }), makeRow({ rowNo: 1 })], 2],
  ])('%s', async (_name, wrongRows, count) => {
    journal = new MemoryJournal(wrongRows, makeBatchOf(wrongRows, { rows: count }));
    await expect(write()).rejects.toThrow(/no report is written/);
    expect(await names()).toEqual([]);
    expect(journal.recorded).toEqual([]);
  });

  test('amounts that do not add up are said loudly', async () => {
    journal.batch = {
      ...journal.batch,
      totalSatang: journal.batch.unreadableAmounts === 1 ? rows[0]!.amountSatang! : journal.batch.totalSatang,
    };
    expect((await write()).summary.addsUp).toBe(false);
    expect(JSON.parse(await read(summary))).toMatchObject({ addsUp: false });
  });
});

describe('later changes', () => {
  test('nothing changed, nothing written', async () => {
    await write();
    const again = await write();
    expect(again.filesWritten).toBe(0);
    expect(again.files.map((file) => file.state)).toEqual([
      'already-there',
      'already-there',
      'already-there',
    ]);
    expect(await names()).toEqual(firstNames);
  });

  test('that are alarms go to an exceptions file of their own, with the remedy', async () => {
    await write();
    journal.change(3, {
      status: 'paid',
      isAlarm: true,
      reasonCode: 'late-proof',
      reason: verbatim('completed'),
    });
    journal.change(4, { status: 'paid' });
    const { summary: figures } = await write();
    expect(figures).toMatchObject({ alarmRows: 1, exceptionRows: 2, exitCode: 3 });
    const update = `${prefix}.exceptions-update-1.csv`;
    expect(await names()).toEqual([update, exceptions, `${prefix}.result-update-1.csv`, result, summary]);
    const [alarm, ...others] = await readTable(update);
    expect(others).toEqual([]);
    expect(alarm).toMatchObject({ rowNo: '3', status: 'paid', reasonCode: 'late-proof' });
    expect(alarm?.['remedy']).toContain('by other means');
  });

  test('go to numbered updates with the changed rows only', async () => {
    await write();
    journal.change(3, { status: 'paid', settledBy: 'inquiry' });
    expect((await write()).filesWritten).toBe(1);
    journal.change(4, { status: 'disputed' });
    journal.change(1, { status: 'disputed' });
    const { files } = await write();
    const updates = [1, 2].map((number) => `${prefix}.result-update-${number}.csv`);
    expect(await names()).toEqual([exceptions, updates[0], updates[1], result, summary]);
    expect((await readTable(updates[0])).map((row) => `${row['rowNo']} ${row['status']}`)).toEqual([
      '3 paid',
    ]);
    expect((await readTable(updates[1])).map((row) => row['rowNo'])).toEqual(['1', '4']);
    expect(files.map((file) => file.number)).toEqual([0, 0, 0, 1, 2]);
  });

  test('leave the first files as they were', async () => {
    await write();
    const before = await read(result);
    journal.change(3, { status: 'paid' });
    await write();
    expect(await read(result)).toBe(before);
  });

  test('a file that somebody took away is not written again', async () => {
    await write();
    await rm(join(folder, result ?? ''));
    const { files } = await write();
    expect(files.map(({ kind, state }) => `${kind} ${state}`)).toEqual([
      'result gone',
      'exceptions already-there',
      'summary already-there',
    ]);
    expect(await names()).toEqual([exceptions, summary]);
  });
});

/** The outbox and journal of a process that dies at one step: from then on nothing of it happens. */
type Step =
  | 'first table'
  | 'second table'
  | 'summary'
  | 'before the record'
  | 'after the record'
  | `publish ${number}`
  | `linked ${number}`;

class Crash extends Error {}

function dying(at: Step): { outbox: ReportOutbox; journal: ReportStore } {
  const real = outbox;
  let published = 0;
  let isDead = false;
  const crash = (step: Step) => {
    isDead ||= step === at;
    if (isDead) throw new Crash(step);
  };
  const dead: ReportOutbox = {
    ...real,
    openTable: async (fileName, style) => {
      const table = await real.openTable(fileName, style);
      const step = fileName === result ? 'first table' : 'second table';
      return {
        add: (record) => table.add(record),
        finish: async () => {
          const prepared = await table.finish();
          crash(step);
          return prepared;
        },
        [Symbol.asyncDispose]: async () => {
          const before = await names();
          await table[Symbol.asyncDispose]();
          const after = await names();
          // A process that is killed removes nothing.
          for (const name of before) if (!after.includes(name)) await writeFile(join(folder, name), 'half');
        },
      };
    },
    writeWhole: async (fileName, text) => {
      const prepared = await real.writeWhole(fileName, text);
      crash('summary');
      return prepared;
    },
    publish: async (prepared: PreparedFile) => {
      if (existsSync(prepared.temporaryPath)) published += 1;
      crash(`publish ${published}`);
      if (at === `linked ${published}`) await link(prepared.temporaryPath, prepared.path);
      crash(`linked ${published}`);
      return await real.publish(prepared);
    },
    removeLeftovers: () => Promise.resolve(),
  };
  const recordReports: ReportStore['recordReports'] = async (reports) => {
    crash('before the record');
    await journal.recordReports(reports);
    crash('after the record');
  };
  return {
    outbox: dead,
    journal: { reports: (id) => journal.reports(id), snapshot: () => journal.snapshot(), recordReports },
  };
}

const steps: Step[] = [
  ...(['first table', 'second table', 'summary', 'before the record', 'after the record'] as const),
  ...([1, 2, 3] as const).flatMap((count): Step[] => [`publish ${count}`, `linked ${count}`]),
];

describe('after a crash at any step', () => {
  test.each(steps)(
    '%s: the next start ends with each file once, whole, with the same bytes',
    async (step) => {
      const calm = await mkdtemp(join(tmpdir(), 'paydrop-calm-'));
      await writeReports(new MemoryJournal(rows), await openOutbox(calm), batchId, context);
      const wanted = await Promise.all(firstNames.map((name) => readFile(join(calm, name ?? ''), 'utf8')));
      await rm(calm, { recursive: true });

      const dead = dying(step);
      await expect(writeReports(dead.journal, dead.outbox, batchId, context)).rejects.toThrow(Crash);
      for (const name of await names()) if (!name.startsWith('.')) expect(wanted).toContain(await read(name));

      const { files } = await write();
      expect(await names()).toEqual(firstNames);
      expect(await Promise.all(firstNames.map(read))).toEqual(wanted);
      expect(files).toHaveLength(3);
      expect(journal.recorded).toHaveLength(3);
    },
  );

  test.each<Step>(['before the record', 'after the record', 'publish 1', 'linked 1'])(
    '%s of an update: the next start ends with it once, whole',
    async (step) => {
      await write();
      journal.change(3, { status: 'paid' });
      const dead = dying(step);
      await expect(writeReports(dead.journal, dead.outbox, batchId, context)).rejects.toThrow(Crash);
      await write();
      const update = `${prefix}.result-update-1.csv`;
      expect(await names()).toEqual([exceptions, update, result, summary]);
      expect((await readTable(update)).map((row) => `${row['rowNo']} ${row['status']}`)).toEqual(['3 paid']);
      expect((await write()).filesWritten).toBe(0);
    },
  );

  test('what was recorded is published though the rows have changed since, and the change follows', async () => {
    const dead = dying('after the record');
    await expect(writeReports(dead.journal, dead.outbox, batchId, context)).rejects.toThrow(Crash);
    journal.change(3, { status: 'paid' });
    expect((await finishReports(journal, outbox, batchId)).map((file) => file.state)).toEqual(
      Array(3).fill('published'),
    );
    expect((await readTable(result)).map((row) => row['status'])).toEqual([
      'paid',
      'rejected',
      'submitted',
      'paid',
    ]);
    await write();
    expect((await readTable(`${prefix}.result-update-1.csv`)).map((row) => row['status'])).toEqual(['paid']);
  });

  test('a record whose temporary file is damaged is never published', async () => {
    const dead = dying('after the record');
    await expect(writeReports(dead.journal, dead.outbox, batchId, context)).rejects.toThrow(Crash);
    await writeFile(journal.recorded[0]!.temporaryPath, 'half');
    const files = await finishReports(journal, outbox, batchId);
    expect(files.map((file) => file.state)).toEqual(['gone', 'published', 'published']);
  });
});

describe('a file that somebody takes while it is written', () => {
  test('is told of, with what helps', async () => {
    const recordReports: ReportStore['recordReports'] = async (reports) => {
      await journal.recordReports(reports);
      for (const name of await readdir(folder))
        if (name.includes('.result.csv.')) await rm(join(folder, name));
    };
    const store = {
      reports: journal.reports.bind(journal),
      snapshot: journal.snapshot.bind(journal),
      recordReports,
    };
    await expect(writeReports(store, outbox, batchId, context)).rejects.toThrow(
      `result.csv was taken away before it had its name, or since: if it cannot be found, write how the batch stands now with "paydrop result ${batchId}"`,
    );
    expect(await names()).toEqual([exceptions, summary]);
    expect((await write()).files.map(({ kind, state }) => `${kind} ${state}`)).toEqual([
      'result gone',
      'exceptions already-there',
      'summary already-there',
    ]);
  });
});

describe('before a batch is run', () => {
  const batch = { batchId, fileName: 'เงินเดือน payouts.csv', rows: rows.length };
  const look = (workbookRowsMax = 0) => requireReportable(journal, outbox, batch, workbookRowsMax);
  const takeName = async (name = ''): Promise<void> => {
    await writeFile(join(folder, name), 'theirs');
  };

  test.each([result, exceptions, summary])('another file with the name %s is found', async (name) => {
    await takeName(name);
    await expect(look()).rejects.toThrow(`${name}: another file has this name already; move it away`);
    await rm(join(folder, name ?? ''));
    await look();
    await write();
    expect(await names()).toEqual(firstNames);
  });

  test('one with the name of a workbook is found where a workbook is due', async () => {
    await takeName(`${prefix}.workbook.xlsx`);
    await look();
    await look(rows.length - 1);
    await expect(look(rows.length)).rejects.toThrow('workbook.xlsx: another file has this name already');
  });

  test('one with the name of the next update is found, and those that are reported are no others', async () => {
    await write();
    await look();
    await takeName(`${prefix}.result-update-2.csv`);
    await look();
    await takeName(`${prefix}.exceptions-update-1.csv`);
    await expect(look()).rejects.toThrow('exceptions-update-1.csv: another file has this name already');
  });

  test('what was recorded and not published appears, or is told of', async () => {
    const publish = outbox.publish.bind(outbox);
    outbox.publish = () => Promise.reject(new Error('killed'));
    await expect(write()).rejects.toThrow('killed');
    outbox.publish = publish;
    await takeName(result);
    await expect(look()).rejects.toThrow('result.csv: another file has this name already');
    await rm(join(folder, result ?? ''));
    await look();
    expect(await names()).toEqual(firstNames);
  });
});

describe('a name that another file has', () => {
  test('is left alone, the others are published, and it follows when the name is free', async () => {
    await writeFile(join(folder, result ?? ''), 'theirs');
    await expect(write()).rejects.toThrow(/result\.csv: another file has this name already; move it away/);
    await expect(write()).rejects.toThrow(/another file has this name already/);
    expect((await names()).filter((name) => !name.startsWith('.'))).toEqual(firstNames);
    expect(await read(result)).toBe('theirs');
    await rm(join(folder, result ?? ''));
    await write();
    expect(await names()).toEqual(firstNames);
    expect(await readTable(result)).toHaveLength(4);
  });
});

test('a full disk leaves nothing behind', async () => {
  const full: ReportOutbox = { ...outbox, writeWhole: () => Promise.reject(new Error('the disk is full')) };
  await expect(writeReports(journal, full, batchId, context)).rejects.toThrow('the disk is full');
  expect(await names()).toEqual([]);
  expect(journal.snapshotsOpen).toBe(0);
});

describe('with output.workbook', () => {
  const workbook = `${prefix}.workbook.xlsx`;
  const writeBook = (changes: Partial<ReportContext> = {}) =>
    writeReports(journal, outbox, batchId, { ...context, workbookRowsMax: 4, ...changes });
  const readBook = async (preferredName: string) => {
    const bytes = new Uint8Array(await readFile(join(folder, workbook)));
    const pages = await Array.fromAsync(readSheet(bytes, { preferredName }));
    return (pages.slice(1).flat() as readonly SheetRow[]).map(({ cells }) => cells);
  };

  test('a batch has a workbook of summary, exceptions and result, written as its other files are, and once', async () => {
    const { files } = await writeBook();
    expect(files.map(({ kind, state }) => `${kind} ${state}`)).toEqual([
      'result published',
      'exceptions published',
      'workbook published',
      'summary published',
    ]);
    expect(await names()).toEqual([exceptions, result, summary, workbook]);
    const hash = createHash('sha256')
      .update(await readFile(join(folder, workbook)))
      .digest('hex');
    expect(journal.recorded.find(({ kind }) => kind === 'workbook')?.sha256).toBe(hash);
    expect(JSON.parse(await read(summary)).files.at(-1)).toEqual({
      kind: 'workbook',
      name: workbook,
      rows: 4,
      sha256: hash,
    });
    const idOf = (cells: readonly string[]) =>
      cells.find((cell) => cell.startsWith('INV-') || cell === '=cmd');
    expect((await readBook('Exceptions')).slice(1).map(idOf)).toEqual(['=cmd', 'INV-0003']);
    expect((await readBook('Result')).slice(1).map(idOf)).toEqual([
      'INV-0001',
      '=cmd',
      'INV-0003',
      'INV-0004',
    ]);
    expect((await readBook('Summary')).map(([name]) => name?.split('\n')[0])).toEqual([
      'status',
      'rejected',
      'submitted',
      'paid',
      'total',
      'as of',
      'sandbox',
      `batch ${batchId}`,
      'state',
      'adds up to the file',
    ]);
    // An update is CSV alone.
    journal.change(3, { status: 'paid', reasonCode: 'IC000' });
    expect((await writeBook()).files.map(({ kind }) => kind).at(-1)).toBe('result-update');
    expect((await names()).filter((name) => name.endsWith('.xlsx'))).toEqual([workbook]);
  });

  test('there is none of a batch with too many rows', async () => {
    await writeBook({ workbookRowsMax: 3 });
    expect(await names()).toEqual(firstNames);
  });

  test('after a crash it is published as it was written, and written anew the same bytes', async () => {
    const failing: ReportOutbox = { ...outbox, publish: () => Promise.reject(new Error('killed')) };
    await expect(writeReports(journal, failing, batchId, { ...context, workbookRowsMax: 4 })).rejects.toThrow(
      'killed',
    );
    await finishReports(journal, outbox, batchId);
    const first = await readFile(join(folder, workbook));
    await rm(folder, { recursive: true });
    [outbox, journal] = [await openOutbox(folder), new MemoryJournal(rows)];
    await writeBook();
    expect(Buffer.compare(first, await readFile(join(folder, workbook)))).toBe(0);
  });
});
