/** The names of the files that a batch leaves in the outbox. */
import { formatBangkokMoment } from '../../core/bangkok-time.ts';
import { joinCommand } from '../../core/command-line.ts';
import type { ReportKind } from '../../core/ports.ts';

/**
 * Bytes of the input file's name that are kept: with the batch's id, the longest ending and the part of a temporary
 * name, the whole stays within the 255 bytes that file systems allow.
 */
const stemBytesMax = 190;

/** Invisible characters, line separators, lone surrogates, and characters that Unix or Windows forbids in a name. */
const unsafeCharacters = /[\p{C}\p{Zl}\p{Zp}/\\:*?"<>|]/gu;

/** The longest start of a text with at most so many bytes in UTF-8, without a half letter. */
export function cutToBytes(text: string, bytesMax: number): string {
  let bytes = 0;
  let kept = '';
  for (const character of text) {
    bytes += Buffer.byteLength(character, 'utf8');
    if (bytes > bytesMax) return kept;
    kept += character;
  }
  return kept;
}

/** Replaces characters of a file's name that are unsafe on some system, and a leading dot, which would hide it. */
export function replaceUnsafe(name: string): string {
  return name.replaceAll(unsafeCharacters, '_').replace(/^\.+/, '_');
}

/** The input file's name without `.csv` or `.xlsx`, safe as a part of a file name on any system. */
function computeStem(fileName: string): string {
  const stem = replaceUnsafe(fileName.replace(/\.(?:csv|xlsx)$/i, ''));
  return cutToBytes(stem, stemBytesMax).trim() || 'payouts';
}

const endings: Readonly<Record<ReportKind, (number: number) => string>> = {
  result: () => 'result.csv',
  exceptions: () => 'exceptions.csv',
  summary: () => 'summary.json',
  workbook: () => 'workbook.xlsx',
  'result-update': (number) => `result-update-${number}.csv`,
  'exceptions-update': (number) => `exceptions-update-${number}.csv`,
};

/**
 * `<name>.<batchId>.result.csv` and its kin.
 * @param number counts the updates from 1; the first files' names have none
 */
export function computeReportName(
  fileName: string,
  batchId: string,
  kind: ReportKind,
  number: number,
): string {
  return `${computeStem(fileName)}.${batchId}.${endings[kind](number)}`;
}

/**
 * `<name>.<batchId>.result-at-20261121-140305.csv` and its kin: the batch as it stands when an operator asks. A program
 * that waits for `.result.csv` never takes one for the report that is written once.
 * @param atMs the moment, written in Bangkok time
 * @param copy counts the files of the same second from 1
 */
export function computePresentName(
  fileName: string,
  batchId: string,
  kind: ReportKind,
  atMs: number,
  copy: number,
): string {
  const moment = formatBangkokMoment(atMs).replaceAll(/[-:]/g, '').replace(' ', '-');
  const extension = endings[kind](0).split('.').at(-1);
  return `${computeStem(fileName)}.${batchId}.${kind}-at-${moment}${copy === 1 ? '' : `-${copy}`}.${extension}`;
}

const presentEnding = String.raw`(?:result|exceptions|summary)-at-\d{8}-\d{6}(?:-\d+)?`;

/** Form of the names that `computePresentName` gives. */
export const presentForm = new RegExp(String.raw`\.${presentEnding}\.(?:csv|json)$`);

const reportForm = new RegExp(
  String.raw`\.([0-9A-HJKMNP-TV-Z]{10})\.(?:(?:result|exceptions|summary|(?:result|exceptions)-update-\d+|${presentEnding})\.(?:csv|json)|workbook\.xlsx)$`,
);

/** The batch of a report by its name; undefined for any other name. */
export function readReportName(name: string): string | undefined {
  return reportForm.exec(name)?.[1];
}

/** The command that moves files out of the outbox, into a folder beside it, without overwriting any there. */
export function commandToMoveAway(paths: readonly string[]): string {
  const folder = `${(paths[0] ?? '').replace(/\/[^/]*$/, '')}-before-loss`;
  return `${joinCommand('mkdir', '-p', folder)} && ${joinCommand('mv', '--backup=numbered', ...paths, folder)}`;
}
