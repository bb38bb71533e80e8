/** A proof that comes when the journal has closed the attempt otherwise, while the bank was still answering. */
import { describe, expect, test } from 'vitest';
import { move, settled } from '../../src/core/change.ts';
import type { Attempt } from '../../src/core/payout.ts';
import type { InDoubt } from '../../src/payout/ports.ts';
import { settleAll } from '../../src/payout/settle.ts';
import { noonMs } from '../support/core-fixtures.ts';
import { applied, ingest, makeRows } from '../support/journal-fixtures.ts';
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
