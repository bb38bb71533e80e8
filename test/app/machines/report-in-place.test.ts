/** What a process leaves in the outbox when another has taken its place while it wrote. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { reportInPlace } from '../../../src/app/machines/report-in-place.ts';
import { removeUnrecorded } from '../../../src/reports/batch-reports.ts';
import { openOutbox } from '../../../src/reports/outbox.ts';
import type { ReportOutbox, ReportStore } from '../../../src/reports/ports.ts';
import { type WrittenReports, writeReports } from '../../../src/reports/write-reports.ts';
import { PlaceTakenError } from '../../../src/store/connection.ts';
import {
  makeBatchOf,
  makeRejectedRow,
  makeRow,
  MemoryJournal,
  reportContext as context,
} from '../../support/report-fixtures.ts';

const rows = [makeRow({ rowNo: 1 }), makeRejectedRow(2)];
const { batchId } = makeBatchOf(rows);

let folder = '';
let [former, next]: ReportOutbox[] = [];
let journal: MemoryJournal;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paydrop-in-place-'));
  [former, next] = [await openOutbox(folder), await openOutbox(folder)];
  journal = new MemoryJournal(rows);
});
afterEach(() => rm(folder, { recursive: true }));

const write = (store: ReportStore, outbox: ReportOutbox | undefined): Promise<WrittenReports> => {
  if (outbox === undefined) throw new Error('no outbox');
  return reportInPlace(
    () => writeReports(store, outbox, batchId, context),
    () => removeUnrecorded(store, outbox, batchId),
  );
};

/** The journal of a process that comes too late. */
const lateTo = (store: MemoryJournal, error: Error): ReportStore => ({
  reports: (id) => store.reports(id),
  snapshot: () => store.snapshot(),
  recordReports: () => Promise.reject(error),
});

const endings = async () =>
  (await readdir(folder)).map((name) => name.slice(name.lastIndexOf('.'))).toSorted();

test('what was not recorded when another took the place goes, and what the other has written stays', async () => {
  const written = await write(journal, next);
  const taken = new PlaceTakenError('another process has taken the place of this one');
  // It had looked before the other recorded anything.
  let looks = 0;
  const reports: ReportStore['reports'] = (id) =>
    (looks += 1) === 1 ? Promise.resolve([]) : journal.reports(id);
  await expect(write({ ...lateTo(journal, taken), reports }, former)).rejects.toBe(taken);
  expect((await readdir(folder)).toSorted()).toEqual(
    written.files.map(({ path }) => path.slice(folder.length + 1)).toSorted(),
  );
});

test('of what may have been recorded nothing goes', async () => {
  const unknown = new Error('it is not known whether it was recorded');
  await expect(write(lateTo(journal, unknown), former)).rejects.toBe(unknown);
  expect(await endings()).toEqual(['.tmp', '.tmp', '.tmp']);
});
