import { inEnglish } from '../../src/core/message.ts';
import { readdir } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, describe, expect, test } from 'vitest';
import { toSatang } from '../../src/core/money.ts';
import { describeBreakRemedy } from '../../src/reconcile/rules/break-remedies.ts';
import type { Store } from '../../src/store/store.ts';
import { noonMs, resultRows, statusesOf } from '../support/journal-fixtures.ts';
import { dayMs, lineFor, openDay, openKinds, type ReconcileDay } from '../support/reconcile-kit.ts';
import { date, nextDate } from '../support/statement-fixtures.ts';

const everyEnding = [
  'paid',
  'paid',
  'paid',
  'failed',
  'failed',
  'unresolved',
  'unresolved',
  'submitted',
] as const;

/** Two match, one is missing; a failed one is paid; two in doubt are settled; one is not there; one is nobody's. */
const mixedLines = ({ attempts }: ReconcileDay) => [
  lineFor(attempts[0]),
  lineFor(attempts[1]),
  lineFor(attempts[3]),
  lineFor(attempts[5]),
  lineFor(attempts[6], { status: 'failed' }),
  { ...lineFor(attempts[0]), transRefNo: 'FOREIGN', sysRefNo: 'F1' },
];

describe('a day', () => {
  test('settles what was in doubt, names what differs, and ties out', async () => {
    await using day = await openDay(everyEnding);
    const { recorded, totals } = await day.reconcile(mixedLines(day));
    expect(await statusesOf(day.store)).toEqual([
      'paid',
      'paid',
      'paid',
      'paid',
      'failed',
      'paid',
      'failed',
      'submitted',
    ]);
    const kinds = await openKinds(day);
    expect(kinds).toEqual([
      'status-mismatch',
      'unmatched-bank-line',
      'missing-at-bank',
      'pending-not-in-statement',
    ]);
    expect(Object.fromEntries(recorded.causes)).toEqual({
      'late-proof': 1,
      proved: 1,
      'statement-failed': 1,
    });
    expect(totals.lines.get('matched')?.count).toBe(2);
    expect(totals.paid.get('settled-paid')?.count).toBe(1);
    const rows = await resultRows(day.store);
    expect(rows.map(({ isAlarm }) => isAlarm)).toEqual([
      false,
      false,
      false,
      true,
      false,
      false,
      false,
      false,
    ]);
    expect(rows[5]?.settledBy).toBe('statement');
  });

  test('leaves two tables: what agrees, and what differs with its remedy', async () => {
    await using day = await openDay(everyEnding);
    await day.reconcile(mixedLines(day));
    const matched = await day.tables('matched');
    expect(matched.map((row) => `${row['payoutId']} ${row['outcome']}`)).toEqual([
      'INV-1 matched',
      'INV-2 matched',
      'INV-6 settled-paid',
      'INV-7 settled-failed',
    ]);
    const breaks = await day.tables('breaks');
    expect(breaks.map((row) => row['kind'])).toEqual(await openKinds(day));
    expect(breaks.every((row) => (row['remedy'] ?? '').length > 20)).toBe(true);
    expect(await readdir(day.folder)).toHaveLength(2);
  });

  test('the same again changes nothing, and says the same', async () => {
    await using day = await openDay(everyEnding);
    const first = await day.reconcile(mixedLines(day));
    const before = await day.dump();
    const second = await day.reconcile(mixedLines(day));
    expect(second).toMatchObject({ isRepeat: true, statement: first.statement, totals: first.totals });
    expect(await day.dump()).toBe(before);
    expect(second.files.map(({ state }) => state)).toEqual(['already-there', 'already-there']);
  });

  test('the same bytes under other words are judged anew', async () => {
    await using day = await openDay(['paid']);
    await day.reconcile([lineFor(day.attempts[0], { status: 'other', statusText: 'DONE' })]);
    expect(await openKinds(day)).toEqual(['unknown-status-word']);
    const done = await day.reconcile([lineFor(day.attempts[0])], { reading: 'with DONE' });
    expect(done).toMatchObject({ isRepeat: false, statement: { version: 2 } });
    expect(await openKinds(day)).toEqual([]);
  });

  test.each([
    ['10004', '010004'],
    ['10004.0', '010004'],
    ['30003', '030003'],
    ['10002', '010002'],
  ])(
    'a code that a spreadsheet has changed (%s) is told, not believed, and fetched again',
    async (statusText, code) => {
      await using day = await openDay(['paid', 'unresolved']);
      const [paid, sent] = day.attempts;
      await day.reconcile([
        lineFor(paid, { status: 'other', statusText }),
        lineFor(sent, { status: 'other', statusText }),
      ]);
      const told = {
        kind: 'unknown-status-word',
      };
      const words = `the statement says "${statusText}": a spreadsheet has dropped the zero of ${code}`;
      const found = await day.store.openBreaks(date, 10);
      expect(found).toMatchObject([told, told]);
      expect(found.map(({ reason }) => inEnglish(reason))).toEqual([words, words]);
      expect(await day.store.countInDoubt()).toBe(1);
      for (const one of await day.store.openBreaks(date, 10)) {
        expect(inEnglish(describeBreakRemedy(one))).toContain(
          'fetch the statement of the day from the bank again',
        );
        expect(inEnglish(describeBreakRemedy(one))).not.toContain('reconcile.words');
      }
      await day.reconcile([lineFor(paid), lineFor(sent)]);
      expect(await openKinds(day)).toEqual([]);
      expect(await day.store.countInDoubt()).toBe(0);
    },
  );

  test('a corrected version supersedes, closes what it puts right, and says what changed', async () => {
    await using day = await openDay(['paid', 'paid', 'paid']);
    const [one, two, three] = day.attempts;
    await day.reconcile([lineFor(one), lineFor(two, { amountSatang: toSatang(1n) }), lineFor(two)]);
    expect(await openKinds(day)).toEqual(['duplicate-line', 'missing-at-bank']);
    const done = await day.reconcile([lineFor(one), lineFor(two), lineFor(three)]);
    expect(done).toMatchObject({
      supersedes: 1,
      statement: { version: 2, changes: { closed: 2, opened: 0 } },
    });
    expect(done.statement.changes.figures.map(({ place }) => place)).toContain('missing-at-bank');
    expect(await openKinds(day)).toEqual([]);
    const closed = (await day.tables('breaks')).filter((row) => row['state'] === 'closed');
    expect(closed.map((row) => row['closedBy'])).toEqual(Array(2).fill('version 2 of the statement'));
  });

  test('one line for each of two transfers, and a third line for the first: counted once each', async () => {
    await using day = await openDay(['paid', 'paid']);
    const [one, two] = day.attempts;
    const { totals } = await day.reconcile([lineFor(one), lineFor(two), lineFor(one), lineFor(one)]);
    expect(totals.lines.get('matched')?.count).toBe(2);
    expect(totals.lines.get('duplicate-line')?.count).toBe(2);
    const [twice] = await day.store.openBreaks(date, 10);
    expect(twice).toMatchObject({ kind: 'duplicate-line', severity: 'high' });
    expect(twice?.lines.map(({ line }) => line)).toEqual([2, 4, 5]);
    expect((await day.tables('matched')).map((row) => row['bankLine'])).toEqual(['2', '3']);
    // Of the line that was clear at first sight no cells are kept, and the break is not written anew for that.
    const movedBy = (): unknown => {
      using db = new DatabaseSync(day.path, { readOnly: true });
      return db.prepare('select moved_by, lines from statement_break').all();
    };
    const before = movedBy();
    await day.reconcile([lineFor(one), lineFor(two), lineFor(one), lineFor(one)]);
    expect(movedBy()).toEqual(before);
  });

  test('a refused file leaves no trace', async () => {
    await using day = await openDay(everyEnding);
    const before = await day.dump();
    const many = Array.from({ length: 1_001 }, () => lineFor(day.attempts[0]));
    await expect(day.reconcile(many)).rejects.toThrow('more than 1000 lines');
    expect(await day.dump()).toBe(before);
    expect(await readdir(day.folder)).toEqual([]);
  });
});

describe('days that follow', () => {
  test('the next statement finds what the day lacked', async () => {
    await using day = await openDay(['paid', 'unresolved']);
    await day.reconcile([]);
    expect(await openKinds(day)).toEqual(['missing-at-bank', 'pending-not-in-statement']);
    day.daysLater = 2;
    const late = { effectiveDate: nextDate };
    await day.reconcile([lineFor(day.attempts[0], late), lineFor(day.attempts[1], late)], { on: nextDate });
    expect(await openKinds(day)).toEqual([]);
    expect(await openKinds(day, nextDate)).toEqual([]);
    expect(await statusesOf(day.store)).toEqual(['paid', 'paid']);
  });

  test('a transfer that both statements have complete is named', async () => {
    await using day = await openDay(['paid']);
    await day.reconcile([lineFor(day.attempts[0])]);
    day.daysLater = 2;
    await day.reconcile([lineFor(day.attempts[0], { effectiveDate: nextDate })], { on: nextDate });
    expect(await openKinds(day, nextDate)).toEqual(['duplicate-line']);
  });

  test('in neither statement, not found since, and never acknowledged: no trace, and still unresolved', async () => {
    await using day = await openDay(['unresolved']);
    await day.reconcile([]);
    day.daysLater = 2;
    await day.reconcile([], { on: nextDate });
    expect(await openKinds(day)).toEqual(['pending-not-in-statement']);
    const payout = await day.store.payout(day.attempts[0]?.payoutSeq ?? 0);
    const [attempt] = await day.store.attemptsOf(day.attempts[0]?.order.companyId ?? '', 'INV-1');
    if (payout === undefined || attempt === undefined) throw new Error('the payout is gone');
    const asked = { ...attempt, lastInquiryAtMs: noonMs + dayMs, lastFinding: 'not-found' } as const;
    const event = { cause: 'inquired', atMs: 1, detail: {} } as const;
    await day.store.apply([{ before: payout, after: payout, event, attempt: asked }]);
    await day.reconcile([], { on: nextDate });
    expect(await openKinds(day)).toEqual(['no-trace']);
    expect(await statusesOf(day.store)).toEqual(['unresolved']);
  });

  test('what an inquiry settles meanwhile closes its break, though the statement is the same', async () => {
    await using day = await openDay(['failed', 'unresolved']);
    await day.reconcile([]);
    expect(await openKinds(day)).toEqual(['pending-not-in-statement']);
    const payout = await day.store.payout(day.attempts[1]?.payoutSeq ?? 0);
    if (payout === undefined) throw new Error('the payout is gone');
    const [attempt] = await day.store.attemptsOf(day.attempts[1]?.order.companyId ?? '', 'INV-2');
    if (attempt === undefined) throw new Error('the attempt is gone');
    const after = { ...payout, status: 'failed' } as const;
    const event = { cause: 'inquiry-failed', atMs: 1, detail: {} } as const;
    await day.store.apply([{ before: payout, after, event, attempt: { ...attempt, status: 'failed' } }]);
    const done = await day.reconcile([]);
    expect(done).toMatchObject({ isRepeat: true, recorded: { closed: 1 } });
    expect(await openKinds(day)).toEqual([]);
  });
});

/** The methods that write, in the order in which a judging comes to them. */
const writes = [
  'beginStatement',
  'recordBreaks',
  'markReports',
  'apply',
  'recordLines',
  'recordCleanLines',
  'acceptStatement',
] as const;

/** A store whose process dies at the n-th call of a method, before or after it has done its work. */
function dieAt(store: Store, method: (typeof writes)[number], when: 'before' | 'after'): Store {
  const die = async (...args: unknown[]): Promise<unknown> => {
    if (when === 'before') throw new Error('killed');
    await (store[method] as (...given: unknown[]) => Promise<unknown>)(...args);
    throw new Error('killed');
  };
  return new Proxy(store, { get: (target, name) => (name === method ? die : Reflect.get(target, name)) });
}

describe('a crash', () => {
  let calm: { readonly dump: string; readonly breaks: readonly Record<string, string>[] };

  beforeAll(async () => {
    await using day = await openDay(everyEnding);
    await day.reconcile(mixedLines(day));
    calm = { dump: await day.dump(), breaks: await day.tables('breaks') };
  });

  test.each(writes.flatMap((method) => [[method, 'before'] as const, [method, 'after'] as const]))(
    'at %s, %s it was done: run again, it comes to the same end',
    async (method, when) => {
      await using day = await openDay(everyEnding);
      await expect(
        day.reconcile(mixedLines(day), { through: dieAt(day.store, method, when) }),
      ).rejects.toThrow('killed');
      await day.reconcile(mixedLines(day));
      expect(await day.dump()).toBe(calm.dump);
      expect(await day.tables('breaks')).toEqual(calm.breaks);
      expect((await day.store.dueReports()).map(({ batchId }) => batchId)).toEqual(['0123456789']);
    },
  );

  test('whoever begins later ends the judging of whoever began first', async () => {
    await using day = await openDay(everyEnding);
    const overtaken = new Proxy(day.store, {
      get: (target, name) =>
        name === 'recordCleanLines'
          ? async () => void (await day.reconcile(mixedLines(day)))
          : (Reflect.get(target, name) as unknown),
    });
    await expect(day.reconcile(mixedLines(day), { through: overtaken })).rejects.toThrow('another paydrop');
    expect(await day.store.statementDays()).toMatchObject([{ version: 1 }]);
  });
});
