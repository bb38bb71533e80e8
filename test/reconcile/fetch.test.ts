/** What becomes of a file between the disk and the judging. */
import { verbatim } from '../../src/core/message.ts';
import { expect, test } from 'vitest';
import { type FetchContext, takeFile } from '../../src/reconcile/fetch.ts';
import type { StatementPart } from '../../src/reconcile/ports.ts';
import type { StatementLine } from '../../src/reconcile/rules/statement.ts';

const date = '20261121';
const before = '20261120';

/** The days of the lines that are judged, from these days in the file; "|" begins another part. */
async function readDays(days: string): Promise<readonly string[]> {
  const parts = days.split('|').map((part) => ({
    kind: 'lines',
    lines: part.split(',').map((effectiveDate) => ({ effectiveDate, fault: '' }) as StatementLine),
  }));
  const kit = {
    originals: { keepFile: async () => ({ path: 'kept' }) },
    unpacker: {
      open: async () => ({ kind: 'opened', path: 'plain', name: '', [Symbol.asyncDispose]: async () => {} }),
    },
    reader: {
      async *read() {
        yield* parts;
      },
    },
    scope: { companyId: 'COMP000001', isOfAllCompanies: false, scheme: 'proxy' },
  } as unknown as FetchContext;
  const taken = await takeFile(kit, date, 'mine.csv', { user: 'alice', isForced: false });
  if (taken.kind !== 'fetched') throw new Error(taken.kind);
  const found: string[] = [];
  await taken.source.read(async (read: AsyncIterable<StatementPart>) => {
    for await (const part of read)
      if (part.kind === 'lines') found.push(...part.lines.map(({ effectiveDate }) => effectiveDate));
    return { code: 'enough', line: null, column: null, message: verbatim('') };
  });
  return found;
}

test.each([
  ['', [date]],
  [`${date},`, [date, date]],
  [`,${date}`, [date, date]],
  [`${before},,${date}|`, [before, date, date, date]],
  [`,${before}|`, [before, before, before]],
  [`${before}|,${date},`, [before, date, date, date]],
])(
  'lines of the days %j without one are of the statement, unless the file is of another',
  async (days, expected) => {
    expect(await readDays(days)).toEqual(expected);
  },
);
