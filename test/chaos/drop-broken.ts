/** Files that are no payout files, each broken in a way of its own, and what the partner must be told of it. */
import { formatBaht, sumSatang, toSatang } from '../../src/core/money.ts';
import { type PlannedRow, writeRows } from './plan.ts';

/** How a file says what it holds (`input.control`). */
export type Control = 'none' | 'trailer' | 'sidecar';

/** The limits under which some of the files are too large. */
export const brokenLimits = { bytesPerFile: 1_000_000, bahtPerBatch: '100000000' } as const;

interface Content {
  readonly bytes: Buffer;
  /** Of the control file; undefined: none is dropped. */
  readonly sidecar?: string;
}

interface Breakage {
  readonly what: string;
  /** The reason's code. */
  readonly code: string;
  readonly controls: readonly Control[];
  /** @param round how often all ways have been used before */
  break(rows: readonly PlannedRow[], rowsMax: number, round: number): Content | Buffer | string;
}

const totalOf = (rows: readonly PlannedRow[]): string =>
  formatBaht(sumSatang(rows.map(({ amountSatang }) => amountSatang)));

/** The trailer row that goes with the rows. */
export const writeTrailer = (rows: readonly PlannedRow[], count = rows.length, total = totalOf(rows)) =>
  `TRAILER,${count},${total}\n`;

/** The control file that goes with the rows. */
export const writeSidecar = (rows: readonly PlannedRow[], count = rows.length, total = totalOf(rows)) =>
  JSON.stringify({ rows: count, total });

const anyControl: readonly Control[] = ['none', 'trailer', 'sidecar'];

const splitLines = (rows: readonly PlannedRow[]): string[] => writeRows(rows).split('\n');
const overRows = 40;
const hugeSatang = toSatang(199_999_900n);

/** Repeats rows under payoutIds of their own. */
function multiply(rows: readonly PlannedRow[], times: number): PlannedRow[] {
  return Array.from({ length: times }, (_, place) => {
    const row = rows[place % rows.length];
    if (row === undefined) throw new Error('there is no row to multiply');
    return { ...row, payoutId: `${row.payoutId}.${place}` };
  });
}

/** What can be wrong with any file before its rows are looked at. */
const plainly: readonly Breakage[] = [
  {
    what: 'with nothing in it',
    code: 'file-empty',
    controls: anyControl,
    break: (_rows, _rowsMax, round) => '\n'.repeat(round),
  },
  {
    what: 'without a header',
    code: 'header-missing',
    controls: anyControl,
    break: (rows) => splitLines(rows).slice(1).join('\n'),
  },
  {
    what: 'without a column',
    code: 'column-missing',
    controls: anyControl,
    break: (rows) => writeRows(rows).replace('amount', 'sum'),
  },
  {
    what: 'with a column twice',
    code: 'column-doubled',
    controls: anyControl,
    break: (rows) => writeRows(rows).replace('desk', 'amount'),
  },
  {
    what: 'with a column that is almost one of ours',
    code: 'column-unclear',
    controls: anyControl,
    break: (rows) => writeRows(rows).replace('payeeName', 'payee_name'),
  },
  {
    what: 'with an open quotation mark in its header',
    code: 'header-unreadable',
    controls: anyControl,
    break: (rows) => writeRows(rows).replace('payoutId,', '"payoutId,'),
  },
  {
    what: 'with a byte that is no text',
    code: 'undecodable',
    controls: anyControl,
    break: (rows) => replaceByte(writeRows(rows), 'Jaidee', 0xff),
  },
  {
    what: 'with a Thai letter cut short',
    code: 'undecodable',
    controls: anyControl,
    break: (rows) => Buffer.concat([Buffer.from(writeRows(rows)), Buffer.from('กก').subarray(0, 4)]),
  },
  {
    what: 'with NUL bytes',
    code: 'nul-bytes',
    controls: anyControl,
    break: (rows) => replaceByte(writeRows(rows), 'Jaidee', 0),
  },
  {
    what: 'that is a ZIP',
    code: 'nul-bytes',
    controls: anyControl,
    break: (rows) =>
      Buffer.concat([Buffer.from('504b03040a0000000000', 'hex'), Buffer.from(writeRows(rows))]),
  },
  {
    what: 'that is a spreadsheet',
    code: 'nul-bytes',
    controls: anyControl,
    break: (rows) =>
      Buffer.concat([
        Buffer.from('504b030414000600080000002100', 'hex'),
        Buffer.from(`[Content_Types].xml${writeRows(rows)}`),
      ]),
  },
  {
    what: 'of any bytes at all',
    code: 'undecodable',
    controls: anyControl,
    break: (rows) =>
      Buffer.from([...Buffer.from(writeRows(rows)).map((byte) => ((byte * 7) % 254) + 1), 0x81, 0xff]),
  },
  {
    what: 'in UTF-16 without its mark',
    code: 'nul-bytes',
    controls: anyControl,
    break: (rows) => Buffer.from(writeRows(rows), 'utf16le'),
  },
  {
    what: 'in UTF-16 with half a letter at its end',
    code: 'undecodable',
    controls: anyControl,
    break: (rows) => Buffer.concat([Buffer.from(`\ufeff${writeRows(rows)}`, 'utf16le'), Buffer.from('x')]),
  },
  {
    what: 'that is a web page',
    code: 'not-a-csv',
    controls: anyControl,
    break: (rows) => `<!DOCTYPE html>\n<html><body><pre>${writeRows(rows)}</pre></body></html>\n`,
  },
  {
    what: 'of more bytes than the limit',
    code: 'bytes-over-limit',
    controls: anyControl,
    break: (rows) => writeRows(rows) + ' \n'.repeat(brokenLimits.bytesPerFile / 2),
  },
];

/** What shows only once the rows are read. */
const inItsRows: readonly Breakage[] = [
  {
    what: 'with nothing but a header',
    code: 'rows-missing',
    controls: anyControl,
    break: (rows) => `${splitLines(rows)[0]?.replace('desk', rows[0]?.payoutId ?? '') ?? ''}\n`,
  },
  {
    what: 'with an open quotation mark',
    code: 'quote-unclosed',
    controls: anyControl,
    break: (rows) => writeRows(rows).replace('desk 1', '"desk 1'),
  },
  {
    what: 'with a row of 70,000 bytes',
    code: 'row-too-long',
    controls: anyControl,
    break: (rows) => writeRows(rows).replace('desk 1', 'd'.repeat(70_000)),
  },
  {
    what: 'that breaks off in its last line',
    code: 'line-end-missing',
    controls: ['none'],
    break: (rows) => writeRows(rows).slice(0, -3),
  },
  {
    what: 'of more rows than the limit',
    code: 'rows-over-limit',
    controls: anyControl,
    break: (rows, rowsMax) => writeRows(multiply(rows, rowsMax + overRows)),
  },
  {
    what: 'of more baht than the limit',
    code: 'total-over-limit',
    controls: ['none'],
    break: (rows) => writeRows(multiply(rows, 60).map((row) => ({ ...row, amountSatang: hugeSatang }))),
  },
];

/** What the control totals are there to find. */
const ofItsTotals: readonly Breakage[] = [
  {
    what: 'cut off before its trailer',
    code: 'control-missing',
    controls: ['trailer'],
    break: (rows) => writeRows(rows),
  },
  {
    what: 'with a wrong count in its trailer',
    code: 'control-rows',
    controls: ['trailer'],
    break: (rows) => writeRows(rows) + writeTrailer(rows, rows.length + 1),
  },
  {
    what: 'with a wrong total in its trailer',
    code: 'control-total',
    controls: ['trailer'],
    break: (rows) => writeRows(rows) + writeTrailer(rows, rows.length, '1.00'),
  },
  {
    what: 'with rows after its trailer',
    code: 'control-not-last',
    controls: ['trailer'],
    break: (rows) => writeRows(rows) + writeTrailer(rows) + splitLines(rows).slice(1).join('\n'),
  },
  {
    what: 'with a wrong count in its control file',
    code: 'control-rows',
    controls: ['sidecar'],
    break: (rows) => ({ bytes: Buffer.from(writeRows(rows)), sidecar: writeSidecar(rows, 999) }),
  },
  {
    what: 'with a wrong total in its control file',
    code: 'control-total',
    controls: ['sidecar'],
    break: (rows) => ({
      bytes: Buffer.from(writeRows(rows)),
      sidecar: writeSidecar(rows, rows.length, '1.00'),
    }),
  },
  {
    what: 'with a control file that is no JSON',
    code: 'control-unreadable',
    controls: ['sidecar'],
    break: (rows) => ({ bytes: Buffer.from(writeRows(rows)), sidecar: 'rows: 3' }),
  },
];

function replaceByte(text: string, word: string, byte: number): Buffer {
  const bytes = Buffer.from(text);
  bytes[Math.max(0, bytes.indexOf(word))] = byte;
  return bytes;
}

/** A broken file: its bytes, and the code under which it must be turned away. */
export interface BrokenContent extends Content {
  readonly what: string;
  readonly code: string;
}

/** One file in each way after the other, the same way again with other rows when they are used up. */
export function breakFile(
  place: number,
  rows: readonly PlannedRow[],
  rowsMax: number,
  control: Control,
): BrokenContent {
  const ways = [...plainly, ...inItsRows, ...ofItsTotals].filter(({ controls }) =>
    controls.includes(control),
  );
  const way = ways[place % ways.length];
  if (way === undefined) throw new Error(`nothing can be broken under ${control}`);
  const made = way.break(rows, rowsMax, Math.floor(place / ways.length));
  const content = typeof made === 'string' || Buffer.isBuffer(made) ? { bytes: Buffer.from(made) } : made;
  const sidecar = control === 'sidecar' ? (content.sidecar ?? writeSidecar(rows)) : undefined;
  const { what, code } = way;
  return { what, code, bytes: content.bytes, ...(sidecar === undefined ? {} : { sidecar }) };
}
