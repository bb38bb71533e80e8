/**
 * Statements that nobody means well with, or that were damaged on their way: the same ones every time. Each is made of a
 * sound statement, and none says in so many words that a transfer is complete which the bank has not completed.
 */
import { gzipSync } from 'node:zlib';
import { Uint8ArrayReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js';
import iconv from 'iconv-lite';
import { type StatementColumn, statementColumns } from '../../../src/reconcile/rules/statement.ts';
import { Dice } from '../../support/dice.ts';

export type Row = Readonly<Record<StatementColumn, string>>;

export interface HostileStatement {
  readonly name: string;
  /** Its bytes, piece by piece: some are larger than the memory that may be used. */
  readonly pieces: Iterable<string | Uint8Array> | AsyncIterable<Uint8Array>;
  /** What its file is called. */
  readonly fileName?: string;
}

/** What the statement is about. */
export interface Sound {
  readonly rows: readonly Row[];
  /** Places of rows that the bank has not completed. */
  readonly unpaid: readonly number[];
}

const header = statementColumns.join(',');
const lineOf = (row: Row): string => statementColumns.map((column) => row[column]).join(',');
const csvOf = (rows: readonly Row[], head = header): string => [head, ...rows.map(lineOf), ''].join('\r\n');

const number = (rows: readonly Row[]): Row[] => rows.map((row, at) => ({ ...row, NO: String(at + 1) }));

/** The rows with some columns of these places written otherwise. */
const alter = ({ rows }: Sound, places: readonly number[], columns: Partial<Row>): Row[] =>
  rows.map((row, at) => (places.includes(at) ? { ...row, ...columns } : row));

type Named = readonly [name: string, content: string | Uint8Array, fileName?: string];

async function zipOf(name: string, content: Uint8Array, password?: string): Promise<Buffer> {
  const writer = new ZipWriter(new Uint8ArrayWriter(), { useWebWorkers: false });
  await writer.add(name, new Uint8ArrayReader(content), password === undefined ? {} : { password });
  return Buffer.from(await writer.close());
}

/** What every transfer of the bank that was not completed is told to be: nearly complete, and not ours. */
const strangers: readonly Partial<Row>[] = [
  { AMOUNT: '1.00' },
  { AMOUNT: '99999999999999.99', 'NET AMOUNT': '99999999999999.99' },
  { 'PROXY NO': '0899999999' },
  { 'PROXY TYPE': 'NATID' },
  { 'PAYER ACCOUNT': '9999999999' },
  { 'PAYER ACCOUNT': '' },
  { 'COMPANY ID': 'COMP000009' },
  { 'COMPANY ID': '' },
  { 'EFFECTIVE DATE': '20250101' },
  { 'TRANSREF NO': '' },
];

/** Words that look like the one for complete. */
const likeComplete = [
  'ＣＯＭＰＬＥＴＥ',
  'COMPLETE\u200b',
  'СOMPLETE',
  'COMP LETE',
  '010004.0',
  '10004',
  '๐๑๐๐๐๔',
  "COMPLETE'; --",
  'NOT COMPLETE',
  '',
];

const badAmounts = [
  '-1000.00',
  '1000.00-',
  '(1000.00)',
  '1e3',
  '1.0E+15',
  '0x10',
  '1000.001',
  '1,00.00',
  '9'.repeat(40),
  'NaN',
  'Infinity',
  '๑๐๐๐.๐๐',
  '１０００.００',
  '1 000.00',
  '',
  '+-1',
];

const badDates = [
  '20261399',
  '00000000',
  '99999999',
  '25691121',
  '21/11/2026',
  '2026-11-21T00:00',
  '',
  '20261122',
];

const controls = ['\u0000', '\u001b[31m', '\u009b31m', '\u202e', '\u0007', '\u000b', '\ufeff', '\ud800'];

const encodings = ['utf16le', 'utf16be', 'utf-16', 'windows874', 'latin1', 'gb18030', 'shiftjis', 'utf7'];

function* ofContent(sound: Sound): Generator<Named> {
  const { rows, unpaid } = sound;
  for (const columns of strangers)
    yield [
      `complete, with ${JSON.stringify(columns)}`,
      csvOf(alter(sound, unpaid, { STATUS: '010004', ...columns })),
    ];
  for (const word of likeComplete) yield [`STATUS "${word}"`, csvOf(alter(sound, unpaid, { STATUS: word }))];
  for (const amount of badAmounts) {
    const columns = { STATUS: '010004', AMOUNT: amount };
    yield [`AMOUNT "${amount.slice(0, 20)}"`, csvOf(alter(sound, unpaid, columns))];
  }
  for (const date of badDates)
    yield [`EFFECTIVE DATE "${date}"`, csvOf(alter(sound, [...rows.keys()], { 'EFFECTIVE DATE': date }))];
  for (const control of controls)
    for (const column of ['PROXY NAME (EN)', 'STATUS', 'TRANSREF NO'] as const) {
      const text = `${rows[0]?.[column] ?? ''}${control}`;
      yield [`${JSON.stringify(control)} in ${column}`, csvOf(alter(sound, [0], { [column]: text }))];
    }
}

function* ofLines(sound: Sound): Generator<Named> {
  const { rows } = sound;
  const failed = new Set(rows.filter(({ STATUS }) => STATUS === '030003'));
  const both = rows.flatMap((row) => (failed.has(row) ? [row, { ...row, STATUS: '010004' }] : [row]));
  yield ['lines that contradict each other', csvOf(number(both))];
  yield ['every line twice', csvOf(number(rows.flatMap((row) => [row, row])))];
  yield ['every line twice, with its number', csvOf(rows.flatMap((row) => [row, row]))];
  yield ['one line 2,000 times', csvOf(number(Array.from({ length: 2_000 }, () => rows[0] as Row)))];
  yield ['lines out of order', csvOf(rows.toReversed())];
  yield ['a line is missing', csvOf(rows.filter((_, at) => at !== 1))];
  const swapped = rows.map((row, at) => ({
    ...row,
    'TRANSREF NO': rows[(at + 1) % rows.length]?.['TRANSREF NO'] ?? '',
  }));
  yield ['references of other transfers', csvOf(swapped)];
  yield ['cells too few', csvOf(rows).replace(/,Ben,/, ',')];
  yield ['cells too many', csvOf(rows).replace(/,Ben,/, ',Ben,,')];
  yield ['a quotation mark that never closes', csvOf(rows).replace(/SOMCHAI/, '"SOMCHAI')];
  yield ['quotation marks within cells', csvOf(rows).replaceAll('SOMCHAI', 'SOM"CHAI')];
  yield ['formulas', csvOf(alter(sound, [0], { 'PROXY NAME (EN)': '=cmd|/C calc!A1' }))];
  yield ['line ends of all kinds', csvOf(rows).replace('\r\n', '\n').replace('\r\n', '\r')];
  yield ['blank lines', csvOf(rows).replaceAll('\r\n', '\r\n\r\n')];
  yield ['no last line end', csvOf(rows).trimEnd()];
  yield ['a trailer', `${csvOf(rows)}TOTAL,${rows.length}\r\n`];
}

function* ofColumns({ rows }: Sound): Generator<Named> {
  const text = csvOf(rows);
  const swap = (one: string, other: string): string =>
    csvOf(rows, header.replace(one, '?').replace(other, one).replace('?', other));
  yield ['a header alone', `${header}\r\n`];
  yield ['no header', text.slice(text.indexOf('\r\n') + 2)];
  yield ['two headers', `${header}\r\n${text}`];
  yield ['AMOUNT and FEE swapped', swap('AMOUNT,FEE', 'FEE,AMOUNT')];
  yield ['STATUS and REASON CODE swapped', swap('STATUS', 'REASON CODE')];
  yield ['PAYER ACCOUNT and PROXY NO swapped', swap('PAYER ACCOUNT', 'PROXY NO')];
  yield ['TRANSREF NO and SYS REF NO swapped', swap('TRANSREF NO', 'SYS REF NO')];
  yield ['a column twice', csvOf(rows, header.replace('REFERENCE1', 'AMOUNT'))];
  yield ['a column in two cases', csvOf(rows, header.replace('REFERENCE1', 'amount'))];
  for (const column of ['TRANSREF NO', 'PROXY NO', 'AMOUNT', 'STATUS', 'COMPANY ID'])
    yield [`without ${column}`, csvOf(rows, header.replace(column, 'X'))];
  yield ['semicolons in the header', text.replace(header, header.replaceAll(',', ';'))];
  yield ['columns of two schemes', csvOf(rows, header.replace('PROXY NO', 'PROMPTPAY NO'))];
  yield ['one character', 'N'];
  yield ['a byte order mark', '\ufeff'];
  yield ['a line end', '\r\n'];
  yield ['nothing', ''];
  yield ['a web page', '<!DOCTYPE html><html>010004</html>'];
  yield ['a JSON text', JSON.stringify(rows)];
  yield ['a PDF', '%PDF-1.7\n'];
}

function* ofOthers(sound: Sound): Generator<Named> {
  const { rows } = sound;
  const every = [...rows.keys()];
  yield ["another company's lines", csvOf(alter(sound, every, { 'COMPANY ID': 'COMP000009' }))];
  const foreign = rows.map((row, at) => ({
    ...row,
    'COMPANY ID': 'COMP000009',
    'TRANSREF NO': `OTHER${at}`,
  }));
  yield ["another company's transfers", csvOf(foreign)];
  yield ["another company's name", csvOf(rows), 'P1_COMP000009_PROXY_20261121.csv'];
  yield ["another company's name on an empty file", `${header}\r\n`, 'P1_COMP000009_PROXY_20261121.csv'];
}

function* ofBytes({ rows }: Sound, dice: Dice): Generator<Named> {
  const bytes = Buffer.from(csvOf(rows));
  for (let time = 0; time < 12; time += 1) {
    const at = dice.whole(1, bytes.length - 1);
    yield [`cut at byte ${at}`, bytes.subarray(0, at)];
    yield [`gzip cut at byte ${at}`, gzipSync(bytes).subarray(0, dice.whole(3, 400))];
  }
  for (let time = 0; time < 30; time += 1) {
    const flipped = Buffer.from(bytes);
    const at = dice.whole(0, bytes.length - 1);
    flipped[at] = (flipped[at] ?? 0) ^ (1 << dice.whole(0, 7));
    yield [`a bit of byte ${at} flipped`, flipped];
  }
  for (const encoding of encodings) yield [encoding, iconv.encode(csvOf(rows), encoding)];
  yield ['UTF-8 and windows-874 mixed', Buffer.concat([bytes, iconv.encode('สมชาย', 'windows874')])];
  yield ['garbage', Buffer.from(Array.from({ length: 5_000 }, () => dice.whole(0, 255)))];
}

async function* ofArchives({ rows }: Sound, dice: Dice): AsyncGenerator<Named> {
  const bytes = Buffer.from(csvOf(rows));
  const zip = await zipOf('s.csv', bytes);
  const central = zip.indexOf('PK\x01\x02');
  const end = zip.lastIndexOf('PK\x05\x06');
  const forge = (change: (forged: Buffer) => void): Buffer => {
    const forged = Buffer.from(zip);
    change(forged);
    return forged;
  };
  yield ['a ZIP whose records name two files', forge((forged) => void forged.write('t', 30))];
  yield ['a ZIP whose records tell two sizes', forge((forged) => void forged.writeUInt32LE(5, central + 24))];
  yield ['a ZIP whose records tell two methods', forge((forged) => void forged.writeUInt16LE(0, 8))];
  yield ['a ZIP that counts 65,534 files', forge((forged) => void forged.writeUInt16LE(65_534, end + 10))];
  yield [
    'a ZIP whose table lies elsewhere',
    forge((forged) => void forged.writeUInt32LE(4_000_000_000, end + 16)),
  ];
  yield [
    'a ZIP of 4 GB by its table',
    forge((forged) => void forged.writeUInt32LE(4_294_967_294, central + 20)),
  ];
  yield ['a ZIP with two tables', Buffer.concat([zip, await zipOf('t.csv', bytes)])];
  yield ['a ZIP with a page behind it', Buffer.concat([zip, Buffer.from('<html>')])];
  yield ['a ZIP in a ZIP', await zipOf('s.csv', zip)];
  yield ['a ZIP with a path', await zipOf('../../s.csv', bytes)];
  yield ['a ZIP with control characters in its name', await zipOf('s\u001b[2J\u202e.csv', bytes)];
  yield ["another company's name in a ZIP", await zipOf('P1_COMP000009_PROXY_20261121.csv', bytes)];
  yield ['a ZIP without its key', await zipOf('s.csv', bytes, 'key')];
  for (let time = 0; time < 15; time += 1) {
    const at = dice.whole(0, zip.length - 1);
    yield [`a ZIP, byte ${at} changed`, forge((forged) => void forged.writeUInt8(dice.whole(0, 255), at))];
  }
}

const megabyte = 1_048_576;

function* repeat(
  piece: string | Uint8Array,
  times: number,
  head = '',
  tail = '',
): Generator<string | Uint8Array> {
  yield head;
  for (let time = 0; time < times; time += 1) yield piece;
  yield tail;
}

/** More than fits in the memory that is allowed. */
function* ofSize({ rows }: Sound): Generator<HostileStatement> {
  const [row] = rows as [Row];
  const [before, after] = lineOf(row).split(row['PROXY NAME (EN)']) as [string, string];
  const ending = `${after}\r\n`;
  const start = `${header}\r\n${before}`;
  const filler = 'A'.repeat(megabyte);
  yield { name: 'a cell of 1 MB', pieces: repeat(filler, 1, start, ending) };
  yield { name: 'a cell of 40 MB', pieces: repeat(filler, 40, start, ending) };
  yield { name: 'a cell of 40 MB in quotation marks', pieces: repeat(filler, 40, `${start}"`, `"${ending}`) };
  yield { name: 'a header of 40 MB', pieces: repeat('COLUMN,'.repeat(150_000), 40) };
  yield { name: '100 MB without a line end', pieces: repeat('0,'.repeat(megabyte / 2), 100) };
  yield { name: '100 MB of line ends', pieces: repeat('\r\n'.repeat(megabyte / 2), 100) };
  const foreign = Array.from({ length: 1_000 }, (_, at) =>
    lineOf({ ...row, NO: '', 'TRANSREF NO': `X${at}` }),
  );
  yield {
    name: '40,000 lines of 1,000 references',
    pieces: repeat(`${foreign.join('\r\n')}\r\n`, 40, `${header}\r\n`),
  };
  const member = gzipSync(Buffer.alloc(16 * megabyte));
  yield { name: 'a gzip bomb of 3 GB', pieces: repeat(member, 200) };
  const lines = gzipSync(Buffer.from(`${foreign.join('\r\n')}\r\n`.repeat(20)));
  yield { name: 'a gzip bomb of lines', pieces: repeat(lines, 300, '', '') };
}

async function* bombZip(): AsyncGenerator<Uint8Array> {
  const zeros = new Uint8Array(megabyte);
  let left = 100;
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      left -= 1;
      if (left < 0) controller.close();
      else controller.enqueue(zeros);
    },
  });
  const writer = new ZipWriter(new Uint8ArrayWriter(), { useWebWorkers: false });
  await writer.add('s.csv', stream);
  yield await writer.close();
}

/** Made in parts, each for a process of its own. */
export const hostileParts = ['content', 'form', 'bytes', 'archives', 'size'] as const;
export type HostilePart = (typeof hostileParts)[number];

/** All of one part. */
export async function* makeHostileStatements(
  sound: Sound,
  part: HostilePart,
  seed: number,
): AsyncGenerator<HostileStatement> {
  const dice = new Dice(seed);
  switch (part) {
    case 'content':
      for (const named of ofContent(sound)) yield toStatement(named);
      return;
    case 'form':
      for (const family of [ofLines, ofColumns, ofOthers])
        for (const named of family(sound)) yield toStatement(named);
      return;
    case 'bytes':
      for (const named of ofBytes(sound, dice)) yield toStatement(named);
      return;
    case 'archives':
      for await (const named of ofArchives(sound, dice)) yield toStatement(named);
      return;
    case 'size':
      yield* ofSize(sound);
      yield { name: 'a ZIP bomb', pieces: bombZip() };
  }
}

const toStatement = ([name, content, fileName]: Named): HostileStatement => ({
  name,
  pieces: [content],
  ...(fileName === undefined ? {} : { fileName }),
});
