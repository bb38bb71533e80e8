/** A day paid at the sandbox bank over HTTP, and its statement fetched, opened and matched in every form. */
import { readdir, readFile, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openReconcileDesk, reportDueBatches } from '../../src/cli/reconcile-desk.ts';
import { reconcileDayBefore } from '../../src/cli/reconcile-round.ts';
import type { Sender } from '../../src/cli/sender.ts';
import type { BreakRecord } from '../../src/core/statement-types.ts';
import { header, makeRehearsal, type Rehearsal, type RehearsalSettings } from '../worker/rehearsal.ts';

const date = '20261121';
const never = new AbortController().signal;

const rows = 120;
/** Row numbers with a fate of their own, by the row's amount. */
const amountOf = (row: number): string => `${1_000 + row}.25`;
const fates = {
  /** In doubt, and the bank has completed it. */
  stuckPaid: 11,
  /** In doubt, and the bank has failed it. */
  stuckFailed: 12,
  /** Refused in so many words, and completed all the same. */
  deniedPaid: 13,
} as const;

const behaviours = [
  { match: { amount: amountOf(fates.stuckPaid) }, money: 'stuck' },
  { match: { amount: amountOf(fates.stuckFailed) }, money: 'stuck' },
  { match: { amount: amountOf(fates.deniedPaid) }, money: 'fails', code: 'EM003' },
];

const of = (row: number) => ({ match: { reference1: `INV${row}` } });
const settled = [
  { edit: 'alter', ...of(fates.stuckPaid), columns: { STATUS: '010004' } },
  { edit: 'alter', ...of(fates.stuckFailed), columns: { STATUS: '030003', 'REASON CODE': 'EM003' } },
];

const csv = `${[
  header,
  ...Array.from(
    { length: rows },
    (_, place) =>
      `P${place + 1},MSISDN,08${String(10_000_000 + place)},,${amountOf(place + 1)},INV${place + 1},`,
  ),
].join('\n')}\n`;

async function openPaidDay(statement: object): Promise<Rehearsal> {
  const sandbox = { behaviours, statement: { today: true, ...statement } };
  const settings: RehearsalSettings = {
    sandbox,
    // Nothing falls into doubt that is not meant to, however busy the machine.
    bank: { timeoutMs: 10_000 },
    settle: { giveUpAfterMs: 60_000 },
    transfer: { concurrency: 16 },
    verify: { enabled: false },
  };
  const rehearsal = await makeRehearsal(settings);
  await rehearsal.run(csv, { waitMs: 300 });
  return rehearsal;
}

async function openDesk(sender: Sender) {
  const { loaded, journal: store, bank, clock } = sender;
  return openReconcileDesk({ loaded, store, bank, clock, log: () => {} });
}

async function fetchAndReconcile(sender: Sender) {
  const desk = await openDesk(sender);
  const fetched = await desk.fetch(date, never);
  if (fetched.kind !== 'fetched') throw new Error(JSON.stringify(fetched));
  const done = await desk.reconcile(fetched.source, never);
  if (done.kind !== 'reconciled') throw new Error(done.refusal.message);
  return done;
}

const nameBreaks = (breaks: readonly BreakRecord[]) =>
  Object.fromEntries(breaks.map(({ kind, attempt, key }) => [kind, attempt?.payoutId ?? key]));

describe('a day at the sandbox bank', () => {
  test.each(['plain', 'zipcrypto', 'aes'])(
    '%s: what was in doubt is settled, and it ties out',
    async (form) => {
      await using rehearsal = await openPaidDay({
        form,
        edits: settled,
        thousands: form === 'aes',
        bom: form === 'plain',
      });
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
      { edit: 'alter', ...of(fates.deniedPaid), columns: { STATUS: '010004' } },
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
    await using rehearsal = await openPaidDay({ edits });
    await rehearsal.withSender(async (sender) => {
      await fetchAndReconcile(sender);
      const breaks = await sender.journal.openBreaks(date, 100);
      expect(nameBreaks(breaks)).toEqual({
        'status-differs': 'P13',
        'in-doubt-absent': 'P12',
        'still-in-process': 'P11',
        'missing-at-bank': 'P20',
        'amount-differs': 'P21',
        'payee-differs': 'P22',
        'other-company': 'P23',
        'other-payer': 'P24',
        twice: 'P25',
        'unknown-status-word': 'P26',
        'fee-differs': 'P27',
        'net-differs': 'P28',
        'wrong-day': 'P29',
        'unknown-to-us': 'FOREIGN0000000000013',
      });
      expect(breaks[0]?.kind).toBe('status-differs');
      const [denied] = await sender.journal.findPayouts('P13');
      expect(denied?.row).toMatchObject({ status: 'paid', isAlarm: true, settledBy: 'statement' });
    });
  });

  test('called paid by the bank and failed in its statement: disputed, and told in an exceptions update', async () => {
    await using rehearsal = await openPaidDay({
      edits: [...settled, { edit: 'alter', ...of(30), columns: { STATUS: '030003' } }],
    });
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
      expect('refusal' in done ? done.refusal.message : '').toMatch(/kept as .*20261121\.\w+\.original\./);
      expect(await sender.journal.statementDays()).toEqual([]);
    });
  });

  async function openOneRow(statement: object): Promise<Rehearsal> {
    const rehearsal = await makeRehearsal({ sandbox: { statement: { today: true, ...statement } } });
    await rehearsal.run(`${header}\nP1,MSISDN,0810000001,,10.00,,\n`, { waitMs: 300 });
    return rehearsal;
  }

  test('the round of the day asks again until there is a file', async () => {
    await using rehearsal = await openOneRow({ notBefore: { requests: 2 } });
    await rehearsal.withSender(async (sender) => {
      expect(await reconcileDayBefore(sender, '20261122', never)).toBe(false);
      expect(await reconcileDayBefore(sender, '20261122', never)).toBe(true);
      expect(await sender.journal.statementDays()).toMatchObject([{ date, openBreaks: 0 }]);
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
  async function fetchLongAgo(sender: Sender, times: number): Promise<number> {
    const folder = sender.loaded.folders.statements;
    const longAgo = Date.now() / 1_000 - 7_200;
    for (let time = 0; time < times; time += 1) {
      await reconcileDayBefore(sender, '20261122', never);
      for (const name of await readdir(folder)) await utimes(join(folder, name), longAgo, longAgo);
    }
    return (await readdir(folder)).filter((name) => name.endsWith('.zip')).length;
  }

  test.each([
    ['of a day that has none, the newest stay', {}, 3],
    ['once one was accepted, all stay', { fromIssue: 2 }, 5],
  ])('files that cannot be opened, packed anew each time: %s', async (_, issues, left) => {
    const damages = [{ damage: 'wrong-key', ...issues }];
    await using rehearsal = await openOneRow({ form: 'aes', damages });
    await rehearsal.withSender(async (sender) => expect(await fetchLongAgo(sender, 5)).toBe(left));
  });
});
