/**
 * Reads files: a first pass inspects the file, and a second reads its rows and must find the same bytes, whatever the
 * format. The first bytes determine the format, not the name.
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
import type { FileReader, ReadPart, RejectedFile } from '../ports.ts';
import { type ControlForm, type ControlTotals, readControlFile } from '../rules/control-totals.ts';
import { readCsv } from './csv.ts';
import type { FileKind, FileOptions, FileRow } from './file-kind.ts';
import { inspectWorkbook, readXlsx } from './xlsx.ts';

/** The limit of a control file, which holds a number or two. */
const controlFileBytesMax = 65_536;

async function readSidecar(path: string, form: ControlForm): Promise<ControlTotals> {
  const sidecarPath = `${path}.control.json`;
  const about = (message: string): string => `${sidecarPath}: ${message}`;
  await using file = await openRegularFile(sidecarPath).catch((error: unknown) => {
    if (!(error instanceof FileRejected)) throw error;
    throw new FileRejected('control-missing', about(error.rejection.message));
  });
  if (file.sizeBytes > controlFileBytesMax)
    throw new FileRejected('control-unreadable', about('too large for a control file'));
  const text = await file.handle.readFile('utf8');
  const reading = readControlFile(text.replace(/^\ufeff/, ''), form);
  if (!reading.ok) throw new FileRejected(reading.code, about(reading.message));
  return reading.totals;
}

async function* readFile<Row extends FileRow, Totals>(
  inspection: Inspection,
  kind: FileKind<Row, Totals>,
  options: FileOptions,
): AsyncGenerator<ReadPart<Row, Totals>> {
  await using file = await openRegularFile(inspection.path);
  try {
    await requireUnchanged(file, inspection);
    const hash = createHash('sha256');
    const take = (bytes: Uint8Array): void => void hash.update(bytes);
    const sidecar = options.control === 'sidecar' ? await readSidecar(inspection.path, kind.control) : null;
    const totals = (await beginsAsArchive(file))
      ? yield* readXlsx(file, kind, options, take, sidecar)
      : yield* readCsv(file, inspection, kind, options, take, sidecar);
    await requireUnchanged(file, inspection);
    if (hash.digest('hex') !== inspection.sha256) throw rejectChanged();
    yield { kind: 'summary', totals };
  } catch (error) {
    if (error instanceof FileRejected) await requireUnchanged(file, inspection);
    throw error;
  }
}

async function inspect(path: string, { encoding, limits }: FileOptions): Promise<Inspection> {
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

/** Makes a reader of files of this kind. */
export function makeFileReader<Row extends FileRow, Totals>(
  kind: FileKind<Row, Totals>,
  options: FileOptions,
): FileReader<Row, Totals> {
  return {
    inspect: (path) =>
      inspect(path, options).then((inspection) => ({ kind: 'inspected', inspection }), asRejected),
    async *read(inspection) {
      try {
        yield* readFile(inspection, kind, options);
      } catch (error) {
        yield asRejected(error);
      }
    },
  };
}
