/**
 * Payout files in: a first pass says what the file is, a second reads its rows and must meet the same bytes, whatever the
 * format. Which one it is, its first bytes say, not its name.
 */
import { createHash } from 'node:crypto';
import type { Inspection } from '../../core/payout-file.ts';
import {
  FileRejected,
  inspectFile,
  openRegularFile,
  rejectChanged,
  requireUnchanged,
} from '../../platform/csv/open.ts';
import { beginsAsArchive } from '../../platform/workbook/reader.ts';
import type { PayoutFileReader, ReadPart, RejectedFile } from '../ports.ts';
import { type ControlTotals, readControlFile } from '../rules/control-totals.ts';
import { readCsv } from './csv.ts';
import type { PayoutFileOptions } from './payout-rows.ts';
import { inspectWorkbook, readXlsx } from './xlsx.ts';

export type { PayoutFileLimits, PayoutFileOptions } from './payout-rows.ts';

/** A control file holds two numbers. */
const controlFileBytesMax = 65_536;

async function readSidecar(path: string): Promise<ControlTotals> {
  const sidecarPath = `${path}.control.json`;
  const about = (message: string): string => `${sidecarPath}: ${message}`;
  await using file = await openRegularFile(sidecarPath).catch((error: unknown) => {
    if (!(error instanceof FileRejected)) throw error;
    throw new FileRejected('control-missing', about(error.rejection.message));
  });
  if (file.sizeBytes > controlFileBytesMax)
    throw new FileRejected('control-unreadable', about('too large for a control file'));
  const text = await file.handle.readFile('utf8');
  const reading = readControlFile(text.replace(/^\ufeff/, ''));
  if (!reading.ok) throw new FileRejected(reading.code, about(reading.message));
  return reading.totals;
}

async function* readPayoutFile(inspection: Inspection, options: PayoutFileOptions): AsyncGenerator<ReadPart> {
  await using file = await openRegularFile(inspection.path);
  try {
    await requireUnchanged(file, inspection);
    const hash = createHash('sha256');
    const take = (bytes: Uint8Array): void => void hash.update(bytes);
    const sidecar = options.control === 'sidecar' ? await readSidecar(inspection.path) : null;
    const totals = (await beginsAsArchive(file))
      ? yield* readXlsx(file, options, take, sidecar)
      : yield* readCsv(file, inspection, options, take, sidecar);
    await requireUnchanged(file, inspection);
    if (hash.digest('hex') !== inspection.sha256) throw rejectChanged();
    yield { kind: 'summary', totals };
  } catch (error) {
    if (error instanceof FileRejected) await requireUnchanged(file, inspection);
    throw error;
  }
}

async function inspect(path: string, { encoding, limits }: PayoutFileOptions): Promise<Inspection> {
  const { bytesMax } = limits;
  await using file = await openRegularFile(path);
  if (!(await beginsAsArchive(file))) return await inspectFile(path, { encoding, bytesMax });
  const inspection = await inspectWorkbook(file, path, bytesMax);
  await requireUnchanged(file, inspection);
  return inspection;
}

function asRejected(error: unknown): RejectedFile {
  if (error instanceof FileRejected) return { kind: 'rejected', rejection: error.rejection };
  throw error;
}

/** A reader of payout files under these settings. */
export function makePayoutFileReader(options: PayoutFileOptions): PayoutFileReader {
  return {
    inspect: (path) =>
      inspect(path, options).then((inspection) => ({ kind: 'inspected', inspection }), asRejected),
    async *read(inspection) {
      try {
        yield* readPayoutFile(inspection, options);
      } catch (error) {
        yield asRejected(error);
      }
    },
  };
}
