/** A day paid at the sandbox bank over HTTP, and its statement fetched, opened and matched in every form. */
import { inEnglish } from '../../src/core/message.ts';
import { readdir, readFile, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Session } from '../../src/app/session.ts';
import { reportDueBatches } from '../../src/app/reconcile.ts';
import { reconcileDayBefore } from '../../src/app/reconciler.ts';
import type { BreakRecord } from '../../src/reconcile/rules/types.ts';
import { header, makeRehearsal, type Rehearsal } from '../support/rehearsal.ts';
import {
  date,
  fates,
  fetchAndReconcile,
  never,
  of,
  openDesk,
  openPaidDay,
  settled,
} from './statement-day.ts';

/** A day of 5,000 is `npm run bench -- g`. */
const rows = 120;

const nameBreaks = (breaks: readonly BreakRecord[]) =>
  Object.fromEntries(breaks.map(({ kind, attempt, key }) => [kind, attempt?.payoutId ?? key]));

describe('a day at the sandbox bank', () => {
  test.each(['plain', 'zipcrypto', 'aes'])(
    '%s: what was in doubt is settled, and it ties out',
    async (form) => {
      const statement = { form, edits: settled, thousands: form === 'aes', bom: form === 'plain' };
      await using rehearsal = await openPaidDay(statement, rows);
      await rehearsal.withSender(async (sender) => {
        const done = await fetchAndReconcile(sender);
        expect(Object.fromEntries(done.recorded.causes)).toEqual({ proved: 1, 'statement-failed': 1 });
        expect(done.totals.paid.get('matched')?.count).toBe(rows - 3);
        expect(await sender.journal.countOpenBreaks(date)).toEqual(new Map());
        expect(await sender.journal.countInDoubt()).toBe(0);
        const [update] = await reportDueBatches(sender);
        const text = await readFile(update ?? '', 'utf8');
        expect(text.trim().split('\n')).toHaveLength(3);
        expect(text).toContain(`P${fates.stuckPaid},`);
        expect(await sender.journal.dueReports()).toEqual([]);
        expect(await fetchAndReconcile(sender)).toMatchObject({ isRepeat: true });
        expect(await reportDueBatches(sender)).toEqual([]);
      });
    },
  );

  test('every difference is named', async () => {
    const edits = [
      { edit: 'alter', ...of(fates.deniedPaid), columns: { STATUS: '010004', 'REASON CODE': 'IC000' } },
      { edit: 'alter', ...of(19), columns: { STATUS: '030003' } },
      { edit: 'drop', ...of(fates.stuckFailed) },
      { edit: 'drop', ...of(20) },
      { edit: 'alter', ...of(21), columns: { AMOUNT: '1.00' } },
      { edit: 'alter', ...of(22), columns: { 'PROXY NO': '0899999999' } },
      { edit: 'alter', ...of(23), columns: { 'COMPANY ID': 'COMP000009' } },
      { edit: 'alter', ...of(24), columns: { 'PAYER ACCOUNT': '0000000001' } },
      { edit: 'double', ...of(25) },
      { edit: 'alter', ...of(26), columns: { STATUS: 'REVERSED' } },
      { edit: 'alter', ...of(27), columns: { FEE: '9.00' } },
      { edit: 'alter', ...of(28), columns: { 'NET AMOUNT': '9.00' } },
      { edit: 'alter', ...of(29), columns: { 'EFFECTIVE DATE': '20261201' } },
      { edit: 'add' },
    ];
    await using rehearsal = await openPaidDay({ edits }, rows);
    await rehearsal.withSender(async (sender) => {
      await fetchAndReconcile(sender);
      const breaks = await sender.journal.openBreaks(date, 100);
      expect(nameBreaks(breaks)).toEqual({
        'status-mismatch': 'P13',
        'status-contradiction': 'P19',
        'pending-not-in-statement': 'P12',
        'pending-at-bank': 'P11',
        'missing-at-bank': 'P20',
        'amount-mismatch': 'P21',
        'payee-mismatch': 'P22',
        'other-company': 'P23',
        'payer-mismatch': 'P24',
        'duplicate-line': 'P25',
        'unknown-status-word': 'P26',
        'fee-mismatch': 'P27',
        'net-mismatch': 'P28',
        'date-mismatch': 'P29',
        'unmatched-bank-line': 'FOREIGN0000000000014',
      });
      expect(breaks[0]?.kind).toBe('status-mismatch');
      const [denied] = await sender.journal.findPayouts('P13');
      expect(denied?.row).toMatchObject({ status: 'paid', isAlarm: true, settledBy: 'statement' });
    });
  });

  test('called paid by the bank and failed in its statement: disputed, and told in an exceptions update', async () => {
    const failed = { STATUS: '030003', 'REASON CODE': 'EV055' };
    const edits = [...settled, { edit: 'alter', ...of(30), columns: failed }];
    await using rehearsal = await openPaidDay({ edits }, rows);
    await rehearsal.withSender(async (sender) => {
      await fetchAndReconcile(sender);
      const [disputed] = await sender.journal.findPayouts('P30');
      expect(disputed?.row).toMatchObject({ status: 'disputed', isAlarm: true });
      const updates = await reportDueBatches(sender);
      expect(updates.some((path) => path.includes('exceptions-update-1'))).toBe(true);
    });
  });

  test.each([
    ['html', 'plain', 'web-page'],
    ['path', 'zipcrypto', 'zip-path'],
    ['wrong-key', 'aes', 'zip-key-wrong'],
  ])('%s is refused, kept, and nothing is recorded', async (damage, form, code) => {
    await using rehearsal = await makeRehearsal({
      sandbox: { statement: { today: true, emptyDays: true, form, damages: [{ damage }] } },
    });
    await rehearsal.withSender(async (sender) => {
      const desk = await openDesk(sender);
      const fetched = await desk.fetch(date, never);
      const done = fetched.kind === 'fetched' ? await desk.reconcile(fetched.source, never) : fetched;
      expect(done).toMatchObject({ refusal: { code } });
      expect('refusal' in done ? inEnglish(done.refusal.message) : '').toMatch(
        /kept as .*20261121\.\w+\.original\./,
      );
      expect(await sender.journal.statementDays()).toEqual([]);
    });
  });

  async function openOneRow(statement: object): Promise<Rehearsal> {
    const rehearsal = await makeRehearsal({ sandbox: { statement: { today: true, ...statement } } });
    await rehearsal.run(`${header}\nP1,MSISDN,0810000001,,10.00,,\n`);
    return rehearsal;
  }

  test.each(['zero', 'blank'])(
    'a line of what failed is none the worse for %s figures, and no day',
    async (failedAmount) => {
      const edits = [{ edit: 'alter', match: { row: 1 }, columns: { 'EFFECTIVE DATE': '' } }];
      await using rehearsal = await makeRehearsal({
        sandbox: {
          behaviours: [{ match: { amount: '10.00' }, money: 'fails', code: 'EM003' }],
          statement: { today: true, failedAmount, edits },
        },
      });
      await rehearsal.run(`${header}\nP1,MSISDN,0810000001,,10.00,,\n`);
      await rehearsal.withSender(async (sender) => {
        const { totals } = await fetchAndReconcile(sender);
        expect([...totals.lines.keys()]).toEqual(['agreed-failed']);
        expect(await sender.journal.countOpenBreaks(date)).toEqual(new Map());
      });
    },
  );

  test('the round of the day asks again until there is a file', async () => {
    await using rehearsal = await openOneRow({ notBefore: { requests: 2 } });
    await rehearsal.withSender(async (sender) => {
      expect(await reconcileDayBefore(sender, '20261122', never)).toBe(false);
      expect(await reconcileDayBefore(sender, '20261122', never)).toBe(true);
      expect(await sender.journal.statementDays()).toMatchObject([{ date, openBreaks: 0 }]);
    });
  });

  test.each(['plain', 'aes'])(
    'an early empty file (%s) does not close the day: it is asked for again',
    async (form) => {
      await using rehearsal = await openOneRow({ form, edits: [{ edit: 'drop', match: {}, toIssue: 1 }] });
      await rehearsal.withSender(async (sender) => {
        expect(await reconcileDayBefore(sender, '20261122', never)).toBe(false);
        expect(await sender.journal.statementDays()).toEqual([]);
        expect(await readdir(sender.loaded.folders.statements)).toHaveLength(form === 'plain' ? 1 : 2);
        expect(await reconcileDayBefore(sender, '20261122', never)).toBe(true);
        expect(await sender.journal.statementDays()).toMatchObject([{ date, openBreaks: 0 }]);
      });
    },
  );

  test("another company's file is refused, and the right one by hand is taken after it", async () => {
    const columns = { 'COMPANY ID': 'COMP000009', 'TRANSREF NO': 'OTHER00000000000001' };
    await using rehearsal = await openOneRow({ edits: [{ edit: 'alter', match: {}, columns, toIssue: 1 }] });
    await rehearsal.withSender(async (sender) => {
      const desk = await openDesk(sender);
      const reconcileNext = async () => {
        const fetched = await desk.fetch(date, never);
        if (fetched.kind !== 'fetched') throw new Error(fetched.kind);
        return await desk.reconcile(fetched.source, never);
      };
      expect(await reconcileNext()).toMatchObject({ refusal: { code: 'other-company' } });
      expect(await reconcileNext()).toMatchObject({ kind: 'reconciled', supersedes: undefined });
    });
  });

  test('the round of a later day asks for a file that was late, and waits for none of a day without transfers', async () => {
    await using rehearsal = await openOneRow({ notBefore: { requests: 2 } });
    await rehearsal.withSender(async (sender) => {
      expect(await reconcileDayBefore(sender, '20261122', never)).toBe(false);
      expect(await reconcileDayBefore(sender, '20261124', never)).toBe(true);
      expect(await sender.journal.statementDays()).toMatchObject([{ date, openBreaks: 0 }]);
      expect(await reconcileDayBefore(sender, '20261130', never)).toBe(true);
      expect(await sender.journal.statementDays()).toHaveLength(1);
    });
  });

  /** Asks for the statement so many times, long ago. @returns how many originals lie in the folder then */
  async function fetchLongAgo(sender: Session, times: number): Promise<number> {
    const folder = sender.loaded.folders.statements;
    const longAgo = Date.now() / 1_000 - 7_200;
    for (let time = 0; time < times; time += 1) {
      // A process that was started anew, which knows of no earlier try.
      await reconcileDayBefore({ ...sender, journal: { ...sender.journal } }, '20261122', never);
      for (const name of await readdir(folder)) await utimes(join(folder, name), longAgo, longAgo);
    }
    return (await readdir(folder)).filter((name) => name.endsWith('.zip')).length;
  }

  test.each([
    ['of a day that has none, the newest stay', {}, 3],
    ['that of an accepted one stays besides', { fromIssue: 2 }, 4],
  ])('files that cannot be opened, packed anew each time: %s', async (_, issues, left) => {
    const damages = [{ damage: 'wrong-key', ...issues }];
    await using rehearsal = await openOneRow({ form: 'aes', damages });
    await rehearsal.withSender(async (sender) => expect(await fetchLongAgo(sender, 5)).toBe(left));
  });
});
