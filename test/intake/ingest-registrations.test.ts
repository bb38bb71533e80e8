/** A registration file on its way into a journal, of which this knows as much as the way needs. */
import { describe, expect, test } from 'vitest';
import type { Inspection } from '../../src/core/payout-file.ts';
import { makeRegistrationFileReader } from '../../src/intake/formats/registration-file.ts';
import { ingestRegistrations } from '../../src/intake/ingest.ts';
import type { RegistrationFileJournal, TakenBatch } from '../../src/intake/ports.ts';
import { defaults, file as payouts, row as payoutRow, useFolder } from '../support/payout-file-kit.ts';

const folder = useFolder();
const head = 'registrationId,customerId,accountNo';
const content = `${head},branch\nR1,C1,1234567890,BKK\nR2,C2,12,CNX\n`;

const reader = makeRegistrationFileReader({
  ...defaults,
  columns: {},
  defaults: { vendorId: 'VENDOR0001', companyId: 'COMP000001' },
});

/** It writes down what it is told. */
function makeJournal() {
  const told: unknown[] = [];
  const batches = new Map<string, TakenBatch>();
  const move = (batchId: string, status: TakenBatch['status']): TakenBatch => {
    const batch = { batchId, sha256: '', fileName: '', ...batches.get(batchId), status };
    batches.set(batchId, batch);
    return batch;
  };
  const journal: RegistrationFileJournal<TakenBatch> = {
    batch: async (batchId) => batches.get(batchId),
    async startIngest({ batchId, sha256, fileName, ...start }) {
      told.push(start);
      batches.set(batchId, { batchId, sha256, fileName, status: 'ingesting' });
    },
    stage: async (_batchId, rows) =>
      void told.push(...rows.map(({ rowNo, issues }) => [rowNo, issues.length])),
    async seal(batchId, totals, nowMs) {
      told.push({ totals, nowMs });
      return move(batchId, 'sealed');
    },
    rejectBatch: async (batchId, code) => void told.push(move(batchId, 'rejected').status, code),
  };
  return { told, journal };
}

const contextOf = (journal: RegistrationFileJournal<TakenBatch>) => ({
  journal,
  reader,
  clock: { now: () => 7, elapsedMs: () => 7, sleep: async () => undefined },
  companyId: 'COMP000001',
  droppedAtMs: 5,
  stop: new AbortController().signal,
  onRows: () => undefined,
});

describe('a registration file', () => {
  test('is staged and sealed, and known again under any name', async () => {
    const { told, journal } = makeJournal();
    const path = await folder.write(content);
    const ingested = await ingestRegistrations(contextOf(journal), path, 'a.csv');
    expect(ingested).toMatchObject({
      kind: 'batch',
      isNew: true,
      batch: { status: 'sealed', fileName: 'a.csv' },
    });
    expect(told).toEqual([
      { companyId: 'COMP000001', droppedAtMs: 5, extraColumns: ['branch'], nowMs: 7 },
      [1, 0],
      [2, 1],
      { totals: { rows: 2, conflictingRowNos: [] }, nowMs: 7 },
    ]);
    const again = await ingestRegistrations(contextOf(journal), await folder.write(content), 'b.csv');
    expect(again).toMatchObject({ kind: 'batch', isNew: false, batch: { fileName: 'a.csv' } });
  });

  test('that is one of payouts is rejected, and the rejection kept', async () => {
    const { told, journal } = makeJournal();
    const path = await folder.write(payouts(payoutRow('A')));
    const ingested = await ingestRegistrations(contextOf(journal), path, 'a.csv');
    expect(ingested).toMatchObject({
      kind: 'rejected',
      rejection: { code: 'payout-file' },
      batch: { status: 'rejected' },
    });
    expect(told.slice(1)).toEqual(['rejected', 'payout-file']);
  });

  test('that another journal has taken is not taken', async () => {
    const { told, journal } = makeJournal();
    const findTrace = async (_inspection: Inspection) => '/outbox/a.result.csv';
    const path = await folder.write(content);
    const ingested = await ingestRegistrations({ ...contextOf(journal), findTrace }, path, 'a.csv');
    expect(ingested).toMatchObject({ kind: 'rejected', rejection: { code: 'taken-by-another-journal' } });
    expect(told).toEqual([]);
  });
});
