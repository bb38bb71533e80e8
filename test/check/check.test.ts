/** Checking a file: every issue told, every row counted, memory left alone. */
import { inEnglish } from '../../src/core/message.ts';
import { appendFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { checkFile, type CheckOutcome } from '../../src/check/check.ts';
import { toSatang } from '../../src/core/money.ts';
import { foreseeLimits } from '../../src/payout/limits-ahead.ts';
import { readTimeLimits } from '../../src/payout/rules/limits.ts';
import type { ClaimOwner, RowTotal } from '../../src/core/ports.ts';
import { makePayoutFileReader, type PayoutFileOptions } from '../../src/intake/formats/payout-file.ts';
import { defaults, file, inspectPath, noLimits, row, useFolder } from '../support/payout-file-kit.ts';

type CheckOptions = Parameters<typeof checkFile>[2];

const folder = useFolder();

interface Checked {
  readonly outcome: CheckOutcome;
  /** "row line column code" */
  readonly issues: readonly string[];
  readonly messages: readonly string[];
}

async function check(
  path: string,
  changes: Partial<CheckOptions> = {},
  options: Partial<PayoutFileOptions> = {},
): Promise<Checked> {
  const issues: string[] = [];
  const messages: string[] = [];
  const outcome = await checkFile(makePayoutFileReader({ ...defaults, ...options }), path, {
    onIssues: (found) => {
      for (const { rowNo, issue } of found) {
        issues.push(`${rowNo} ${issue.line} ${issue.column ?? '-'} ${issue.code}`);
        messages.push(inEnglish(issue.message));
      }
    },
    ...changes,
  });
  return { outcome, issues, messages };
}

const total = (rows: number, satang: bigint, unreadableAmounts = 0): RowTotal => ({
  rows,
  amountSatang: toSatang(satang),
  unreadableAmounts,
});

const none = total(0, 0n);

const holder = (payoutId: string, changes: Partial<ClaimOwner> = {}): ClaimOwner => ({
  payoutId,
  batchId: '0123456789',
  rowNo: 12,
  fileName: 'yesterday.csv',
  status: 'paid',
  ...changes,
});

describe('totals by what the rows would become', () => {
  test('count what limits over time would hold, and what is rejected after all but once', async () => {
    const limits = readTimeLimits({
      bahtPerDay: '5',
      bahtPerPayeePerDay: '0',
      filesPerDay: 0,
      newPayeeBaht: '0',
      serviceDays: [],
      closedDates: [],
    });
    if (limits === undefined) throw new Error('no limit is set');
    const content = file(row('A', '3'), row('B', '4'), row('C', '2'), row('B', '1'));
    const { outcome, issues } = await check(await folder.write(content), {
      foreseeLimits: (batchId) => foreseeLimits(undefined, limits, { companyId: 'C', batchId }, 0),
    });
    expect(outcome).toMatchObject({
      totals: { all: total(4, 1_000n), ready: total(2, 500n), held: none, rejected: total(2, 500n) },
    });
    expect(issues).toEqual([
      '4 5 payoutId duplicate-differs',
      '2 3 amount baht-per-day',
      '2 3 payoutId duplicate-differs',
    ]);
  });

  test('add up to the whole file', async () => {
    const content = file(
      row('A', '1'),
      row('B', '2.50'),
      row('', '4'),
      row('D', '8,0'),
      row('E', '1e3'),
      row('F', '1'),
    );
    const limits = { ...noLimits, payoutSatangMax: toSatang(200n) };
    const { outcome, issues } = await check(await folder.write(content), {}, { limits });
    expect(issues).toEqual([
      '3 4 payoutId payout-id-missing',
      '4 5 - cell-count',
      '5 6 amount amount-exponent',
    ]);
    expect(outcome).toMatchObject({
      kind: 'checked',
      totals: {
        all: total(6, 850n, 2),
        ready: total(2, 200n),
        held: total(1, 250n),
        rejected: total(3, 400n, 2),
      },
    });
  });

  test('a rejected file has none', async () => {
    const { outcome, issues } = await check(await folder.write(file(row('A', 'x')).slice(0, -1)));
    expect(outcome).toMatchObject({ kind: 'rejected', rejection: { code: 'line-end-missing' } });
    expect(issues).toEqual([]);
    expect((await check(folder.path('none.csv'))).outcome).toMatchObject({
      rejection: { code: 'file-missing' },
    });
  });
});

describe('rows with the same payoutId', () => {
  test('are all told and all rejected when they differ, the first one last', async () => {
    const { outcome, issues } = await check(
      await folder.write(file(row('A', '1'), row('B', '2'), row('A', '4'))),
    );
    expect(issues).toEqual(['3 4 payoutId duplicate-differs', '1 2 payoutId duplicate-differs']);
    expect(outcome).toMatchObject({
      totals: { ready: total(1, 200n), held: none, rejected: total(2, 500n) },
    });
  });

  test('are paid once when they are the same', async () => {
    const { outcome, issues } = await check(await folder.write(file(row('A', '1'), row('A', '1'))));
    expect(issues).toEqual(['2 3 payoutId duplicate-repeat']);
    expect(outcome).toMatchObject({ totals: { ready: total(1, 100n), rejected: total(1, 100n) } });
  });

  test('a file that changes before the second look is rejected', async () => {
    const path = await folder.write(file(row('A', '1'), row('A', '2')));
    const onIssues = (): Promise<void> => appendFile(path, `${row('B')}\n`);
    expect((await check(path, { onIssues })).outcome).toMatchObject({ rejection: { code: 'file-changed' } });
  });
});

describe('payoutIds that the journal holds', () => {
  test('are told with their batch, file, row and status', async () => {
    const asked: string[][] = [];
    const claimHolders = (payoutIds: readonly string[]): Promise<ClaimOwner[]> => {
      asked.push([...payoutIds]);
      return Promise.resolve([holder('B')]);
    };
    const path = await folder.write(file(row('A', '1'), row(' B ', '2'), row('C', 'x')));
    const { outcome, issues, messages } = await check(path, { claimHolders });
    expect(asked).toEqual([['A', 'B']]);
    expect(issues).toEqual(['2 3 payoutId payout-id-claimed', '3 4 amount amount-characters']);
    expect(messages[0]).toContain('row 12 of batch 0123456789 (yesterday.csv) has this payoutId and is paid');
    expect(outcome).toMatchObject({ totals: { ready: total(1, 100n), rejected: total(2, 200n, 1) } });
  });

  test.each([
    ['paid', /is paid: do not pay it again; .*; remove the row$/],
    ['unresolved', /is unresolved: do not pay it again; /],
    ['held', /is held: do not send it twice; it goes on or is cancelled there, /],
    [
      'cancelled',
      /is cancelled: a person has cancelled it, .* if it is to be paid after all, send it under another/,
    ],
  ] as const)('and with what to do, where it is %s', async (status, words) => {
    const path = await folder.write(file(row('B', '2')));
    const claimHolders = (): Promise<ClaimOwner[]> => Promise.resolve([holder('B', { status })]);
    expect((await check(path, { claimHolders })).messages[0]).toMatch(words);
  });

  test('by this very file are no issue: it has been run before', async () => {
    const path = await folder.write(file(row('A', '1')));
    const { sha256 } = await inspectPath(path);
    const { outcome } = await check(path);
    const batchId = outcome.kind === 'checked' ? outcome.batchId : '';
    const claimHolders = (): Promise<ClaimOwner[]> => Promise.resolve([holder('A', { batchId })]);
    const again = await check(path, { claimHolders });
    expect(again.issues).toEqual([]);
    expect(again.outcome).toMatchObject({
      batchId,
      inspection: { sha256 },
      totals: { ready: total(1, 100n) },
    });
  });

  test('and conflict within the file too are counted once', async () => {
    const claimHolders = (): Promise<ClaimOwner[]> => Promise.resolve([holder('A')]);
    const { outcome, issues } = await check(await folder.write(file(row('A', '1'), row('A', '2'))), {
      claimHolders,
    });
    expect(issues).toEqual(['1 2 payoutId payout-id-claimed', '2 3 payoutId duplicate-differs']);
    expect(outcome).toMatchObject({ totals: { all: total(2, 300n), ready: none, rejected: total(2, 300n) } });
  });
});

test('rows are handed on as they stand after the check, and the reading waits for whoever takes them', async () => {
  const path = await folder.write(
    file(...Array.from({ length: 2_000 }, (_, place) => row(`P${place}`, '1'))),
  );
  let taken = 0;
  let isBusy = false;
  const { outcome } = await check(path, {
    claimHolders: () => Promise.resolve([holder('P7')]),
    onRows: async (rows) => {
      expect(isBusy).toBe(false);
      isBusy = true;
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      taken += rows.filter(({ instruction }) => instruction !== null).length;
      isBusy = false;
    },
  });
  expect(taken).toBe(1_999);
  expect(outcome).toMatchObject({ totals: { all: total(2_000, 200_000n), ready: total(1_999, 199_900n) } });
});

describe('payoutIds that differ in little', () => {
  test('hold their rows: the later one when it is read, the first at the end', async () => {
    const path = await folder.write(file(row('a1', '3'), row('B', '4'), row('A1', '5'), row('007', '6')));
    const held: string[] = [];
    const { outcome } = await check(path, {
      similarHolders: async (id) => (id === '007' ? [holder('7')] : []),
      onHeld: (rows) => {
        for (const { rowNo, holds } of rows) held.push(`${rowNo} ${holds.join()}`);
      },
    });
    expect(held).toEqual(['3 similar', '4 similar', '1 similar']);
    expect(outcome).toMatchObject({
      totals: { all: total(4, 1_800n), ready: total(1, 400n), held: total(3, 1_400n), rejected: none },
    });
  });

  test('of its own batch are no others, and what is rejected is like nothing', async () => {
    const path = await folder.write(file(row('a1', '3'), row('A1', '4'), row('a1', '5'), row('C', '6')));
    const { batchId } = (await check(path)).outcome as { readonly batchId: string };
    const held: number[] = [];
    const { outcome } = await check(path, {
      similarHolders: async () => [holder('c', { batchId })],
      claimHolders: async () => [holder('A1')],
      onHeld: (rows) => void held.push(...rows.map(({ rowNo }) => rowNo)),
    });
    expect(held).toEqual([]);
    expect(outcome).toMatchObject({ totals: { ready: total(1, 600n), rejected: total(3, 1_200n) } });
  });

  test('count once where a later row contradicts them', async () => {
    const path = await folder.write(file(row('A1', '3'), row('a1', '4'), row('a1', '5')));
    const { outcome } = await check(path);
    expect(outcome).toMatchObject({
      totals: { all: total(3, 1_200n), rejected: total(2, 900n), held: total(1, 300n), ready: none },
    });
  });
});
