/** A person asks the bank about a row that waits to be sent again: what is held by the answer goes on with the next run. */
import { expect, test } from 'vitest';
import { settleRow } from '../../src/payout/settle.ts';
import { minuteMs, notSent, stage } from '../support/theatre.ts';

test('a row that waits for its repetition needs no person after a question of one', async () => {
  await using one = await stage(1, () => ({}));
  const { theatre, batchId } = one;
  const interrupted = new AbortController();
  const refuseAndStop = () => {
    interrupted.abort();
    return notSent;
  };
  theatre.script = { transfer: refuseAndStop };
  await theatre.run(batchId, { interrupted: interrupted.signal });
  const [found] = await theatre.journal.findPayouts('INV-1');
  const seq = found?.row.seq ?? 0;
  expect(found?.row.status).toBe('submitted');
  await theatre.time.advance(5 * minuteMs);
  await theatre.time.drive(settleRow(theatre.context(), seq));
  const payout = await theatre.journal.payout(seq);
  expect([payout?.status, payout?.holds]).toEqual(['held', ['paused']]);
  expect((await theatre.journal.runnableBatches()).map(({ batch }) => batch.batchId)).toEqual([batchId]);
  theatre.script = {};
  await theatre.run(batchId);
  expect(await theatre.statuses(batchId)).toEqual({ paid: 1 });
  expect(theatre.sent).toHaveLength(2);
});
