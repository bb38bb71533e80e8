/** A proof that comes when the journal has closed the attempt otherwise, while the bank was still answering. */
import { describe, expect, test } from 'vitest';
import { move, settled } from '../../src/core/change.ts';
import type { Attempt } from '../../src/core/payout.ts';
import type { InDoubt } from '../../src/payout/ports.ts';
import { settleAll } from '../../src/payout/settle.ts';
import { Watch } from '../../src/payout/superseded.ts';
import { noonMs, payer } from '../support/core-fixtures.ts';
import { applied, ingest, ingestAs, makeRows, secondBatchId } from '../support/journal-fixtures.ts';
import { openTheatre, type Theatre } from '../support/theatre.ts';

/** What a statement's word does to the first row in doubt, whoever has read it. */
async function failByStatement({ journal, time }: Theatre): Promise<InDoubt> {
  const [one] = await journal.inDoubt(0, 1);
  if (one === undefined) throw new Error('nothing is in doubt');
  const { payout, attempt } = one;
  const ended: Attempt = { ...attempt, status: 'failed', acknowledged: true, nextInquiryAtMs: null };
  const patch = { status: 'failed', ...settled('statement', time.now()) } as const;
  await applied(
    journal,
    move({ payout, patch, cause: 'statement-failed', nowMs: time.now(), attempt: ended }),
  );
  return one;
}

async function historyOf({ journal }: Theatre, { payout }: InDoubt) {
  const [history] = await journal.findPayouts(payout.instruction.payoutId);
  return history;
}

describe('a row that a statement calls failed while the bank is being asked to pay it', () => {
  test('is paid by the reply that proves it, loudly', async () => {
    await using theatre = await openTheatre();
    const { batchId } = await ingest(theatre.journal, makeRows(1));
    let failed: InDoubt | undefined;
    theatre.script = {
      transfer: async () => {
        failed = await failByStatement(theatre);
        return undefined;
      },
    };
    await theatre.run(batchId);
    if (failed === undefined) throw new Error('nothing was sent');
    const history = await historyOf(theatre, failed);
    expect(history?.row).toMatchObject({ status: 'paid', isAlarm: true, settledBy: 'reply' });
    expect(history?.attempts).toMatchObject([{ status: 'paid', sysRefNo: 'SYS1', feeText: '0.00' }]);
    expect(history?.events.at(-1)).toMatchObject({ cause: 'late-proof', from: 'failed', to: 'paid' });
    expect(theatre.sent).toHaveLength(1);
  });

  test('is paid by the inquiry that proves it', async () => {
    await using theatre = await openTheatre();
    const { batchId } = await ingest(theatre.journal, makeRows(1));
    theatre.script = { transfer: () => theatre.code('EM027') };
    await theatre.run(batchId, { waitMs: 1_000 });
    const [one] = await theatre.journal.inDoubt(0, 1);
    if (one === undefined) throw new Error('nothing is in doubt');
    theatre.script = {
      inquire: async (inquiry) => {
        await failByStatement(theatre);
        return theatre.found(inquiry, '010004');
      },
    };
    await theatre.time.drive(settleAll(theatre.context(), [one]));
    const history = await historyOf(theatre, one);
    expect(history?.row).toMatchObject({ status: 'paid', isAlarm: true, settledBy: 'inquiry' });
    expect(history?.events.at(-1)).toMatchObject({ cause: 'late-proof' });
  });

  test('stays failed by a reply that proves nothing', async () => {
    await using theatre = await openTheatre(noonMs);
    const { batchId } = await ingest(theatre.journal, makeRows(1));
    theatre.script = {
      transfer: async () => {
        await failByStatement(theatre);
        return theatre.code('EM027');
      },
    };
    await theatre.run(batchId);
    expect(await theatre.statuses(batchId)).toEqual({ failed: 1 });
  });
});

/** What a statement does that no longer has the line by which one before it had failed the first attempt of row 1. */
async function withdraw({ journal, time }: Theatre): Promise<void> {
  const payout = await journal.payout(1);
  const [attempt] = await journal.attemptsOf(payer.companyId, 'INV-1');
  if (payout === undefined || attempt === undefined) throw new Error('row 1 was never sent');
  const patch = { isAlarm: true };
  const open: Attempt = { ...attempt, status: 'unresolved' };
  await applied(journal, move({ payout, patch, cause: 'alarm-raised', nowMs: time.now(), attempt: open }));
}

describe('a failure that is withdrawn while another file’s row with the same payoutId is about to be sent', () => {
  async function openRefiled(): Promise<Theatre> {
    const theatre = await openTheatre();
    await ingestAs(theatre.journal, ['failed']);
    await ingest(theatre.journal, makeRows(1), { batchId: secondBatchId });
    return theatre;
  }

  const attemptsOf = ({ journal }: Theatre) => journal.attemptsOf(payer.companyId, 'INV-1');

  test('is failed again by the inquiry that says so, before the next attempt is made', async () => {
    await using theatre = await openRefiled();
    let isWithdrawn = false;
    theatre.script = {
      inquire: async (inquiry) => {
        if (!isWithdrawn) await withdraw(theatre);
        isWithdrawn = true;
        return theatre.found(inquiry, '030002');
      },
    };
    await theatre.run(secondBatchId);
    expect(await attemptsOf(theatre)).toMatchObject([{ status: 'failed' }, { status: 'paid' }]);
    expect(theatre.sent).toHaveLength(1);
  });

  test.each([
    ['030002', ['failed', 'paid'], 'paid'],
    ['010003', ['unresolved'], 'held'],
    ['010004', ['paid'], 'held'],
  ] as const)(
    'after the inquiry: it is asked about again, and %s counts',
    async (later, attempts, status) => {
      await using theatre = await openRefiled();
      let isWithdrawn = false;
      theatre.script = { inquire: (inquiry) => theatre.found(inquiry, isWithdrawn ? later : '030002') };
      const journal: Theatre['journal'] = {
        ...theatre.journal,
        apply: async (changes) => {
          if (!isWithdrawn && changes[0]?.isIntent === true) {
            isWithdrawn = true;
            await withdraw(theatre);
          }
          return theatre.journal.apply(changes);
        },
      };
      await theatre.run(secondBatchId, { journal });
      expect((await attemptsOf(theatre)).map((one) => one.status)).toEqual(attempts);
      expect(await theatre.statuses(secondBatchId)).toEqual({ [status]: 1 });
      expect(theatre.sent).toHaveLength(attempts.length - 1);
    },
  );

  test.each(['010003', '010004'])(
    'after the intent, while its bytes wait for their turn: they do not leave, and %s counts',
    async (later) => {
      await using theatre = await openRefiled();
      const reopened = new Set<string>();
      let isAlive = false;
      theatre.script = { inquire: (inquiry) => theatre.found(inquiry, isAlive ? later : '030002') };
      const bank: Theatre['bank'] = {
        ...theatre.bank,
        transfer: async (order, mayTransmit, stop) => {
          isAlive = true;
          await new Watch(theatre.context({ reopened })).ask();
          return theatre.bank.transfer(order, mayTransmit, stop);
        },
      };
      await theatre.run(secondBatchId, { bank, reopened, waitMs: 1_000 });
      expect(theatre.sent).toEqual([]);
      const [first, second] = await attemptsOf(theatre);
      expect(first?.status).toBe(later === '010004' ? 'paid' : 'unresolved');
      expect(second).toMatchObject({ status: 'refused', sends: 0 });
      expect(await theatre.statuses(secondBatchId)).toEqual({ held: 1 });
    },
  );
});
