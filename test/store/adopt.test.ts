import { verbatim } from '../../src/core/message.ts';
import { describe, expect, test } from 'vitest';
import type { Attempt, Payout } from '../../src/core/payout.ts';
import type { Change } from '../../src/core/ports.ts';
import { computeTransRefNo } from '../../src/core/reference.ts';
import { decideAfterProbe, type ReferenceFinding } from '../../src/payout/rules/lost-journal.ts';
import { policy } from '../support/core-fixtures.ts';
import {
  firstReady,
  holdOf,
  ingestAs,
  ingestRunning,
  intentOf,
  makeRows,
  noonMs,
  payer,
  readyOf,
  secondBatchId,
  statusesOf,
  submit,
} from '../support/journal-fixtures.ts';
import { makeSqliteStore } from '../support/sqlite-store.ts';
import { findContradictions } from '../support/store-consistency.ts';

const reason = { code: 'IC001', text: verbatim('said by the bank') };

const findingOf = (
  { instruction }: Payout,
  number: number,
  kind: 'complete' | 'failed',
): ReferenceFinding => ({
  number,
  transRefNo: computeTransRefNo(payer.companyId, instruction.payoutId, number),
  tranDate: '20261120',
  termId: payer.termId,
  reading: {
    kind,
    reason,
    sysRefNo: 'SYS1',
    send: null,
    moments: [{ tranDate: '', tranTime: '' }],
    isTwice: false,
    sends: [],
    isOfLast: true,
  },
  inquiries: 1,
});

/** The change that adopts these attempts of a ready payout. */
function adopt(payout: Payout, ...found: readonly [number, 'complete' | 'failed'][]): Change {
  return adoptBeside([], payout, ...found);
}

/** The same where the journal knows other attempts of the payoutId. */
function adoptBeside(
  known: readonly Attempt[],
  payout: Payout,
  ...found: readonly [number, 'complete' | 'failed'][]
): Change {
  const findings = found.map(([number, kind]) => findingOf(payout, number, kind));
  const change = decideAfterProbe({ payout, known, findings, payer, policy, nowMs: noonMs });
  if (change === undefined) throw new Error('nothing is adopted');
  return change;
}

describe('attempts found after a loss', () => {
  test('are recorded with the payout, each after those before it', async () => {
    await using store = await makeSqliteStore();
    const { journal, path } = store;
    await ingestRunning(journal, makeRows(1));
    const change = adopt(await firstReady(journal), [1, 'failed'], [3, 'complete']);
    expect(await journal.apply([change])).toEqual([true]);
    expect(await statusesOf(journal)).toEqual(['unresolved']);
    expect(await journal.attemptsOf(payer.companyId, 'INV-1')).toEqual(change.adopts);
    expect(await journal.inDoubt(0, 9)).toMatchObject([{ attempt: { attemptNo: 2 } }]);
    const [history] = await journal.findPayouts('INV-1');
    expect(history?.events.at(-1)).toMatchObject({ cause: 'found-after-loss', attemptNo: 2 });
    expect(findContradictions(path)).toEqual([]);
  });

  test('that failed give the payoutId back, for a next attempt beyond them', async () => {
    await using store = await makeSqliteStore();
    const { journal, path } = store;
    await ingestRunning(journal, makeRows(1));
    expect(await journal.apply([adopt(await firstReady(journal), [1, 'failed'])])).toEqual([true]);
    await ingestRunning(journal, makeRows(1), { batchId: secondBatchId });
    const [next] = await journal.readyPage(secondBatchId, 0, 9);
    expect(next?.attemptsRecorded).toBe(1);
    await submit(journal, await firstReady(journal, secondBatchId), 1);
    expect(await journal.attemptsOf(payer.companyId, 'INV-1')).toMatchObject([
      { attemptNo: 1 },
      { attemptNo: 2 },
    ]);
    expect(findContradictions(path)).toEqual([]);
  });

  test('are refused when somebody has changed the payout meanwhile, or it does not hold the claim', async () => {
    await using store = await makeSqliteStore();
    const { journal } = store;
    await ingestRunning(journal, makeRows(2));
    const [first, second] = (await readyOf(journal)) as [Payout, Payout];
    await journal.apply([holdOf(first, 'name')]);
    const someoneElses = { ...second, instruction: { ...second.instruction, payoutId: 'INV-9' } };
    expect(await journal.apply([adopt(first, [1, 'complete'])])).toEqual([false]);
    expect(await journal.apply([adopt(someoneElses, [1, 'complete'])])).toEqual([false]);
    expect(await statusesOf(journal)).toEqual(['held', 'ready']);
  });

  test.each<[string, (change: Change) => Change, string]>([
    ['without an attempt', (change) => ({ ...change, adopts: [] }), 'nothing else, is adopted'],
    ['for another payout', (change) => withAdopted(change, { payoutSeq: 99 }), 'another payout’s'],
    ['in the wrong order', (change) => ({ ...change, adopts: change.adopts?.toReversed() ?? [] }), 'follow'],
    [
      'with another latest attempt',
      (change) => ({ ...change, after: { ...change.after, attemptNo: 9 } }),
      'not the payout’s latest',
    ],
    [
      'from another account',
      (change) => withAdopted(change, { order: { ...orderOf(change), payerAccount: '1' } }),
      'another company or payer account',
    ],
  ])('a change %s is a bug', async (_name, spoil, why) => {
    await using store = await makeSqliteStore();
    const { journal } = store;
    await ingestRunning(journal, makeRows(1));
    const change = adopt(await firstReady(journal), [1, 'failed'], [2, 'complete']);
    await expect(journal.apply([spoil(change)])).rejects.toThrow(why);
    expect(await statusesOf(journal)).toEqual(['ready']);
  });

  test('a number that is known is not adopted, and no other change adopts any', async () => {
    await using store = await makeSqliteStore();
    const { journal } = store;
    await ingestAs(journal, ['failed']);
    await ingestRunning(journal, makeRows(1), { batchId: secondBatchId });
    const payout = await firstReady(journal, secondBatchId);
    await expect(journal.apply([adopt(payout, [1, 'complete'])])).rejects.toThrow(
      'attempt 1 is known already',
    );
    const { adopts = [] } = adopt(payout, [5, 'complete']);
    await expect(journal.apply([{ ...intentOf(payout, 1).change, adopts }])).rejects.toThrow('is adopted');
    const known = await journal.attemptsOf(payer.companyId, 'INV-1');
    expect(await journal.apply([adoptBeside(known, payout, [2, 'complete'])])).toEqual([true]);
  });
});

function orderOf({ adopts = [] }: Change): Attempt['order'] {
  const [attempt] = adopts;
  if (attempt === undefined) throw new Error('nothing is adopted');
  return attempt.order;
}

const withAdopted = (change: Change, changes: Partial<Attempt>): Change => ({
  ...change,
  adopts: change.adopts?.map((attempt) => ({ ...attempt, ...changes })) ?? [],
});
