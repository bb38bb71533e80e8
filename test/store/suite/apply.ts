import { expect } from 'vitest';
import { afterChange, move } from '../../../src/core/change.ts';
import { canMovePayout, payoutStatuses, payoutTransitions } from '../../../src/core/payout.ts';
import type { AttemptStatus, Payout } from '../../../src/core/payout.ts';
import type { Change } from '../../../src/core/ports.ts';
import type { Journal } from '../../../src/store/store.ts';
import * as fixtures from '../../support/journal-fixtures.ts';
import type { StoreCase } from './suite.ts';

const { applied, bringTo, endOf, firstBatchId, firstReady, holdOf, ingest, ingestRunning, intentOf } =
  fixtures;
const { makeRow, makeRows, noonMs, payer, readyOf, secondBatchId, statusesOf, submit, why } = fixtures;

const causes = [...new Set(payoutTransitions.map(({ cause }) => cause))];

function* everyForbiddenMove(payout: Payout): Generator<Change> {
  for (const from of payoutStatuses) {
    for (const to of payoutStatuses) {
      for (const cause of causes) {
        if (canMovePayout(from, to, cause)) continue;
        yield move({ payout: { ...payout, status: from }, patch: { status: to }, cause, nowMs: noonMs });
      }
    }
  }
}

const tryAgain = (payout: Payout): Change =>
  move({ payout, patch: { status: 'ready' }, cause: 'tried-again', nowMs: noonMs });

const lateProof = (payout: Payout): Change =>
  move({ payout, patch: { status: 'paid' }, cause: 'late-proof', nowMs: noonMs });

async function holderOf(journal: Journal, payoutId = 'INV-1'): Promise<string | undefined> {
  const [holder] = await journal.claimHolders(payer.companyId, [payoutId]);
  return holder && `${holder.batchId} ${holder.status}`;
}

/** Makes a payout with the attempt status that the next change starts from. */
const attemptMove = (from: AttemptStatus, to: AttemptStatus): StoreCase => ({
  name: `an attempt that is ${from} never becomes ${to}`,
  run: async (journal) => {
    await ingestRunning(journal, makeRows(1));
    const { payout, attempt } = await submit(journal, await firstReady(journal));
    const cause = 'outcome-in-doubt';
    const first = move({ payout, patch: {}, cause, nowMs: noonMs, attempt: { ...attempt, status: from } });
    const latest = await applied(journal, first);
    const second = move({
      payout: latest,
      patch: {},
      cause,
      nowMs: noonMs,
      attempt: { ...attempt, status: to },
    });
    await expect(journal.apply([second])).rejects.toThrow(`${from} and cannot become ${to}`);
    expect((await journal.payout(payout.seq))?.version).toBe(latest.version);
  },
});

const guards: readonly StoreCase[] = [
  {
    name: 'every move that the table does not have is refused loudly',
    run: async (journal) => {
      await ingestRunning(journal, makeRows(1));
      const payout = await firstReady(journal);
      const results = await Promise.allSettled(
        [...everyForbiddenMove(payout)].map((change) => journal.apply([change])),
      );
      expect(results.length).toBeGreaterThan(1_000);
      expect(results.filter(({ status }) => status !== 'rejected')).toEqual([]);
      expect(await firstReady(journal)).toEqual(payout);
    },
  },
  {
    name: 'a change decided on an older version, or on another status, is refused and nothing is overwritten',
    run: async (journal) => {
      await ingestRunning(journal, makeRows(1));
      const ready = await firstReady(journal);
      const { payout } = await submit(journal, ready);
      const stale = [
        intentOf(ready).change,
        holdOf(ready, 'name'),
        holdOf({ ...ready, version: payout.version }, 'name'),
      ];
      expect(await journal.apply(stale)).toEqual([false, false, false]);
      expect(await journal.payout(payout.seq)).toEqual(payout);
    },
  },
  {
    name: 'of two changes decided on the same version, one is applied',
    run: async (journal) => {
      await ingestRunning(journal, makeRows(1));
      const ready = await firstReady(journal);
      const both = [journal.apply([intentOf(ready).change]), journal.apply([holdOf(ready, 'name')])];
      expect(await Promise.all(both)).toEqual([[true], [false]]);
    },
  },
  {
    name: 'one change refused does not undo the others',
    run: async (journal) => {
      await ingestRunning(journal, makeRows(3));
      const [first, second, third] = (await readyOf(journal)) as [Payout, Payout, Payout];
      const stale = { ...second, version: 9 };
      expect(await journal.apply([first, stale, third].map((payout) => holdOf(payout, 'name')))).toEqual([
        true,
        false,
        true,
      ]);
      expect(await statusesOf(journal)).toEqual(['held', 'ready', 'held']);
    },
  },
  {
    name: 'a call with a bug is rejected whole, and the calls beside it are applied',
    run: async (journal) => {
      await ingestRunning(journal, makeRows(4));
      const [first, second, third, fourth] = (await readyOf(journal)) as [Payout, Payout, Payout, Payout];
      const transRefNo = intentOf(first).attempt.order.transRefNo;
      const { change, attempt } = intentOf(third);
      const sameReference = { ...change, attempt: { ...attempt, order: { ...attempt.order, transRefNo } } };
      const results = await Promise.allSettled([
        journal.apply([intentOf(first).change]),
        journal.apply([intentOf(second).change, sameReference]),
        journal.apply([intentOf(fourth).change]),
      ]);
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect(await statusesOf(journal)).toEqual(['submitted', 'ready', 'ready', 'submitted']);
    },
  },
  {
    name: 'an event that cannot be written as JSON is its call’s fault alone',
    run: async (journal) => {
      await ingestRunning(journal, makeRows(2));
      const [first, second] = (await readyOf(journal)) as [Payout, Payout];
      const change = holdOf(first, 'name');
      const unwritable = { ...change, event: { ...change.event, detail: { amount: 1n } } };
      const results = await Promise.allSettled([
        journal.apply([unwritable]),
        journal.apply([holdOf(second, 'name')]),
      ]);
      expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    },
  },
];

const refusedIntent = (name: string, prepare: (journal: Journal) => Promise<unknown>): StoreCase => ({
  name: `no intent ${name}`,
  run: async (journal) => {
    await ingestRunning(journal, makeRows(1));
    const { change } = intentOf(await firstReady(journal));
    await prepare(journal);
    expect(await journal.apply([change])).toEqual([false]);
    expect(await statusesOf(journal)).toEqual(['ready']);
    expect(await journal.attemptsOf(payer.companyId, 'INV-1')).toEqual([]);
  },
});

const stop = { companyId: payer.companyId, payerAccount: payer.payerAccount, ...why, sinceMs: noonMs };

const intents: readonly StoreCase[] = [
  refusedIntent('while the batch is paused', (journal) =>
    journal.moveBatch(firstBatchId, 'paused', why, noonMs),
  ),
  refusedIntent('while the batch is halted', (journal) =>
    journal.moveBatch(firstBatchId, 'halted', why, noonMs),
  ),
  refusedIntent('while the payer account is stopped', (journal) => journal.recordPayerHalt(stop)),
  {
    name: 'no intent before the batch runs',
    run: async (journal) => {
      await ingest(journal, makeRows(1));
      expect(await journal.apply([intentOf(await firstReady(journal)).change])).toEqual([false]);
    },
  },
  {
    name: 'another payer account’s stop does not matter, nor one that was lifted',
    run: async (journal) => {
      await ingestRunning(journal, makeRows(1));
      await journal.recordPayerHalt({ ...stop, payerAccount: '0000999999' });
      await journal.recordPayerHalt(stop);
      await journal.liftPayerHalt(payer.companyId, payer.payerAccount, noonMs);
      expect(await journal.apply([intentOf(await firstReady(journal)).change])).toEqual([true]);
    },
  },
  {
    name: 'an intent must be marked, make the next attempt, and name the batch’s payer',
    run: async (journal) => {
      await ingestRunning(journal, makeRows(1));
      const ready = await firstReady(journal);
      const { change, attempt } = intentOf(ready);
      const { before, after, event } = change;
      const second = intentOf(ready, 1);
      const wrong: readonly [Change, string][] = [
        [{ before, after, event, attempt }, 'marked as one'],
        [{ before, after, event, isIntent: true }, 'makes a new attempt'],
        [{ ...change, attempt: { ...attempt, payoutSeq: 99 } }, 'another payout’s'],
        [{ ...change, attempt: { ...attempt, attemptNo: 5 } }, 'not the payout’s latest'],
        [{ ...second.change, attempt: { ...second.attempt, order: attempt.order } }, 'not the next one'],
        [intentOf(ready, 0, { payerAccount: '0000999999' }).change, 'payer account'],
        [{ ...holdOf(ready, 'name'), isIntent: true }, 'marked as one'],
        [{ ...holdOf(ready, 'name'), attempt }, 'makes a new attempt'],
      ];
      for (const [one, message] of wrong) await expect(journal.apply([one])).rejects.toThrow(message);
      expect(await journal.payout(ready.seq)).toEqual(ready);
      expect(await journal.apply([change])).toEqual([true]);
    },
  },
  {
    name: 'an intent is kept with everything that is sent, and with its event',
    run: async (journal) => {
      await ingestRunning(journal, makeRows(1));
      const { payout, attempt } = await submit(journal, await firstReady(journal));
      const [found] = await journal.findPayouts(attempt.order.transRefNo);
      expect(found?.attempts).toEqual([attempt]);
      expect(await journal.payout(payout.seq)).toEqual(payout);
      const detail = { transRefNo: attempt.order.transRefNo, orderHash: attempt.orderHash };
      expect(found?.events.at(-1)).toMatchObject({ from: 'ready', to: 'submitted', attemptNo: 1, detail });
      expect(found?.events.at(-1)).toMatchObject({ cause: 'intent-recorded', payoutSeq: payout.seq });
    },
  },
  {
    name: 'many intents at once are applied in the order of the calls',
    run: async (journal) => {
      await ingestRunning(journal, makeRows(300));
      const payouts = await readyOf(journal);
      const results = await Promise.all(payouts.map((payout) => journal.apply([intentOf(payout).change])));
      expect(results.flat().filter(Boolean)).toHaveLength(300);
      expect(await journal.countInDoubt()).toBe(300);
      const histories = await Promise.all(
        payouts.map(({ instruction }) => journal.findPayouts(instruction.payoutId)),
      );
      const seqs = histories.map(([history]) => history?.events.at(-1)?.seq ?? 0);
      expect(seqs).toEqual(seqs.toSorted((left, right) => left - right));
      expect(new Set(seqs).size).toBe(300);
    },
  },
];

const attempts: readonly StoreCase[] = [
  attemptMove('failed', 'sent'),
  attemptMove('paid', 'failed'),
  attemptMove('unresolved', 'sent'),
  {
    name: 'what an attempt sends, and that the bank knows it, is never undone',
    run: async (journal) => {
      await ingestRunning(journal, makeRows(1));
      const { payout, attempt } = await submit(journal, await firstReady(journal));
      const known = { ...attempt, status: 'sent', acknowledged: true, referenceConflict: true } as const;
      const cause = 'inquired';
      const latest = await applied(
        journal,
        move({ payout, patch: {}, cause, nowMs: noonMs, attempt: known }),
      );
      const order = { ...attempt.order, amountText: '1.00' };
      const forgetful = { ...attempt, status: 'sent', inquiries: 3, order, intentAtMs: 1 } as const;
      await applied(journal, move({ payout: latest, patch: {}, cause, nowMs: noonMs, attempt: forgetful }));
      expect(await journal.attemptsOf(payer.companyId, 'INV-1')).toEqual([{ ...known, inquiries: 3 }]);
    },
  },
  {
    name: 'an attempt that was never recorded cannot be changed',
    run: async (journal) => {
      await ingestRunning(journal, makeRows(1));
      const { payout, attempt } = await submit(journal, await firstReady(journal));
      const change = endOf({ payout, attempt: { ...attempt, attemptNo: 0 } }, 'paid');
      await expect(journal.apply([change])).rejects.toThrow('has no attempt 0');
      expect(await statusesOf(journal)).toEqual(['submitted']);
    },
  },
];

const claims: readonly StoreCase[] = [
  {
    name: 'a failed payout gives its claim back, takes it again to be tried again, and never while another has it',
    run: async (journal) => {
      await ingestRunning(journal, makeRows(1));
      const failed = await bringTo(journal, 'failed');
      expect(await holderOf(journal)).toBeUndefined();
      const again = await applied(journal, tryAgain(failed));
      expect(await holderOf(journal)).toBe(`${firstBatchId} ready`);
      const failedAgain = await applied(journal, endOf(await submit(journal, again, 1), 'failed'));
      await ingestRunning(journal, makeRows(1), { batchId: secondBatchId });
      expect(await journal.apply([tryAgain(failedAgain)])).toEqual([false]);
      expect(await holderOf(journal)).toBe(`${secondBatchId} ready`);
      expect(await statusesOf(journal)).toEqual(['failed']);
    },
  },
  {
    name: 'a paid payout keeps its claim for ever',
    run: async (journal) => {
      await ingestRunning(journal, makeRows(1));
      const paid = await bringTo(journal, 'paid');
      const cause = 'statement-contradicts';
      await applied(journal, move({ payout: paid, patch: { status: 'disputed' }, cause, nowMs: noonMs }));
      expect(await holderOf(journal)).toBe(`${firstBatchId} disputed`);
    },
  },
  {
    name: 'a late proof takes the claim from a row that is unsent, so that it can never be sent',
    run: async (journal) => {
      await ingestRunning(journal, makeRows(1));
      const failed = await bringTo(journal, 'failed');
      await ingestRunning(journal, makeRows(1), { batchId: secondBatchId });
      const { change } = intentOf(await firstReady(journal, secondBatchId), 1);
      await applied(journal, lateProof(failed));
      expect(await holderOf(journal)).toBe(`${firstBatchId} paid`);
      expect(await journal.apply([change])).toEqual([false]);
    },
  },
  {
    name: 'a late proof does not take the claim from a row that is paid itself',
    run: async (journal) => {
      await ingestRunning(journal, makeRows(1));
      const failed = await bringTo(journal, 'failed');
      await ingestRunning(journal, makeRows(1), { batchId: secondBatchId });
      await bringTo(journal, 'paid', secondBatchId, 1);
      expect(afterChange(lateProof(failed)).status).toBe('paid');
      await applied(journal, lateProof(failed));
      expect(await statusesOf(journal)).toEqual(['paid']);
      expect(await holderOf(journal)).toBe(`${secondBatchId} paid`);
    },
  },
  {
    name: 'no intent is recorded while another attempt of the payoutId may be paid, in whatever file',
    run: async (journal) => {
      await ingestRunning(journal, makeRows(1));
      const failed = await bringTo(journal, 'failed');
      await ingestRunning(journal, makeRows(1), { batchId: secondBatchId });
      const { change } = intentOf(await firstReady(journal, secondBatchId), 1);
      const [attempt] = await journal.attemptsOf(payer.companyId, 'INV-1');
      if (attempt === undefined) throw new Error('there is no attempt');
      const nowMs = noonMs;
      const reopened: Change = move({
        payout: failed,
        patch: { isAlarm: true },
        cause: 'alarm-raised',
        nowMs,
        attempt: { ...attempt, status: 'unresolved' },
      });
      const payout = await applied(journal, reopened);
      expect(await journal.apply([change])).toEqual([false]);
      await applied(journal, move({ payout, patch: {}, cause: 'inquired', nowMs, attempt }));
      expect(await journal.apply([change])).toEqual([true]);
    },
  },
  {
    name: 'a row rejected at the seal may be tried again once the payoutId is free',
    run: async (journal) => {
      await ingestRunning(journal, makeRows(1));
      await ingestRunning(journal, [makeRow(1)], { batchId: secondBatchId });
      const [history] = await journal.findPayouts('INV-1');
      const rejected = await journal.payout(history?.row.seq ?? 0);
      if (rejected === undefined) throw new Error('the rejected row is not there');
      expect(await journal.apply([tryAgain(rejected)])).toEqual([false]);
      await bringTo(journal, 'unpayable');
      expect(await journal.apply([tryAgain(rejected)])).toEqual([true]);
      expect(await holderOf(journal)).toBe(`${secondBatchId} ready`);
    },
  },
];

export const applyCases: readonly StoreCase[] = [...guards, ...intents, ...attempts, ...claims];
