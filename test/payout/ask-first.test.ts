/** A journal that another may have gone before asks about each reference before it uses it (`transfer.askFirst`). */
import { verbatim } from '../../src/core/message.ts';
import { expect, test } from 'vitest';
import type { StatusInquiry } from '../../src/core/bank-port.ts';
import { computeTransRefNo } from '../../src/core/reference.ts';
import { PayerBreaker } from '../../src/payout/circuit-breaker.ts';
import { openBreaker } from '../../src/payout/rules/circuit-breaker.ts';
import {
  computeInquiriesBefore,
  computeMissesSince,
  daysToAskFirst,
  isNewJournal,
} from '../../src/payout/rules/lost-journal.ts';
import { noonMs, payer, policy } from '../support/core-fixtures.ts';
import { ingest, makeRows } from '../support/journal-fixtures.ts';
import { minuteMs, stage, type Theatre } from '../support/theatre.ts';

const dayMs = 86_400_000;
const ahead = { settle: policy, asksFirst: async () => true };
const refOf = (rowNo: number, attemptNo = 1): string =>
  computeTransRefNo(payer.companyId, `INV-${rowNo}`, attemptNo);

interface Asked extends Pick<StatusInquiry, 'transRefNo' | 'tranDate'> {
  readonly sentBefore: number;
}

/** A bank that knows some references, each with its state on its day; everything that was asked is noted. */
async function stageKnowing(
  rows: number,
  known: Readonly<Record<string, readonly [on: string, status: string]>>,
) {
  const asked: Asked[] = [];
  const opened = await stage(rows, (theatre) => ({
    inquire: (inquiry) => {
      const { transRefNo, tranDate } = inquiry;
      asked.push({ transRefNo, tranDate, sentBefore: theatre.sent.length });
      const [on, status] = known[transRefNo] ?? [];
      return theatre.found(inquiry, on === tranDate ? status : undefined);
    },
  }));
  return { ...opened, asked };
}

async function reasonsOf({ journal }: Theatre, rowNo: number) {
  const [history] = await journal.findPayouts(`INV-${rowNo}`);
  const { status, reasonCode, attemptNo } = history?.row ?? {};
  return { status, reasonCode, attemptNo };
}

test('the next reference is asked for today and yesterday, and the row is sent when nobody knows it', async () => {
  await using opened = await stageKnowing(1, {});
  const { theatre, batchId, asked } = opened;
  await theatre.run(batchId, ahead);
  expect(asked).toEqual(
    ['20261121', '20261120'].map((tranDate) => ({ transRefNo: refOf(1), tranDate, sentBefore: 0 })),
  );
  expect(await reasonsOf(theatre, 1)).toMatchObject({ status: 'paid', attemptNo: 1 });
});

test.each([
  ['asks first', true, undefined],
  ['proves signatures', false, noonMs - 2 * dayMs],
  ['does both', true, noonMs],
  ['does neither', false, undefined],
])('the dry run foresees as many inquiries as a run that %s makes', async (_, isFirst, signedAtMs) => {
  await using opened = await stageKnowing(3, {});
  const { theatre, batchId, asked } = opened;
  const { sealedAtMs = null } = (await theatre.journal.batch(batchId)) ?? {};
  const unknown = { loss: undefined, missesSinceMs: undefined, sealedAtMs, terminals: 1 };
  const before = computeInquiriesBefore({ ...unknown, asksFirst: isFirst, signedAtMs }, theatre.now());
  const proof =
    signedAtMs === undefined ? ({ kind: 'not-needed' } as const) : ({ kind: 'proved', signedAtMs } as const);
  const provedRows = { people: 1 as const, prove: async () => proof };
  await theatre.run(batchId, { settle: policy, asksFirst: async () => isFirst, provedRows });
  expect(theatre.sent).toHaveLength(3);
  expect(before.each).toBe(asked.length / 3);
});

test('after a loss it foresees the search over days, numbers and terminals', () => {
  const loss = { sinceDate: '20261120', untilDate: '20261121', recoveredAtMs: noonMs };
  const asked = { loss, asksFirst: true, signedAtMs: undefined, terminals: 2 };
  const before = computeInquiriesBefore({ ...asked, missesSinceMs: undefined, sealedAtMs: null }, noonMs);
  expect(before).toEqual({ each: 2 * 5 * 2, reasons: ['loss'] });
});

test('what is found is taken over: never sent, failed or paid by the word of an inquiry alone', async () => {
  await using opened = await stageKnowing(4, {
    [refOf(1)]: ['20261120', '010004'],
    [refOf(2)]: ['20261121', '010001'],
    [refOf(3)]: ['20261121', '030003'],
    [refOf(3, 2)]: ['20261121', '010004'],
  });
  const { theatre, batchId } = opened;
  await theatre.run(batchId, ahead);
  expect(theatre.sent.map(({ transRefNo }) => transRefNo)).toEqual([refOf(4)]);
  const found = { status: 'unresolved', reasonCode: 'found-after-loss' };
  expect(await reasonsOf(theatre, 1)).toEqual({ ...found, attemptNo: 1 });
  expect(await reasonsOf(theatre, 2)).toEqual({ ...found, attemptNo: 1 });
  expect(await reasonsOf(theatre, 3)).toEqual({ ...found, attemptNo: 2 });
});

test('no answer holds the row', async () => {
  await using opened = await stage(1, (theatre) => ({ inquire: () => theatre.answer(undefined) }));
  const { theatre, batchId } = opened;
  await theatre.run(batchId, ahead);
  expect(theatre.sent).toEqual([]);
  expect(await reasonsOf(theatre, 1)).toMatchObject({ status: 'held', reasonCode: 'look-up-unanswered' });
});

test('a further attempt is asked for anew', async () => {
  await using opened = await stageKnowing(1, {});
  const { theatre, batchId, asked } = opened;
  Object.assign(theatre.script, { transfer: () => theatre.code('EV055') });
  await theatre.run(batchId, ahead);
  expect(await reasonsOf(theatre, 1)).toMatchObject({ status: 'failed', attemptNo: 1 });
  await ingest(theatre.journal, makeRows(1), { batchId: 'ABCDEFGHJK' });
  await theatre.run('ABCDEFGHJK', ahead);
  expect(asked.filter(({ transRefNo }) => transRefNo === refOf(1, 2))).toMatchObject([
    { tranDate: '20261121' },
    { tranDate: '20261120' },
  ]);
});

test('an answer from before a pause counts no more: another journal may have paid it meanwhile', async () => {
  const asked: number[] = [];
  await using opened = await stage(1, (theatre) => ({
    inquire: (inquiry) => {
      asked.push(theatre.now() - noonMs);
      return theatre.found(inquiry, theatre.now() < noonMs + 10 * minuteMs ? undefined : '010004');
    },
  }));
  const { theatre, batchId } = opened;
  const breaker = new PayerBreaker();
  const pause = { pausedAtMs: noonMs, pausedUntilMs: noonMs + 30 * minuteMs };
  breaker.become({
    ...openBreaker,
    status: 'paused',
    why: { code: 'x', reason: verbatim('x'), remedy: verbatim('x') },
    ...pause,
  });
  await theatre.run(batchId, { ...ahead, breaker, waitMs: 60 * minuteMs });
  expect(theatre.sent).toEqual([]);
  expect(await reasonsOf(theatre, 1)).toMatchObject({ status: 'unresolved', reasonCode: 'found-after-loss' });
  expect(asked[0]).toBeLessThan(minuteMs);
  expect(asked.at(-1)).toBeGreaterThanOrEqual(30 * minuteMs);
});

test.each([
  [undefined, 0, false],
  [noonMs, noonMs - dayMs, true],
  [noonMs, noonMs, true],
  [noonMs, noonMs + 7 * dayMs - 1, true],
  [noonMs, noonMs + 7 * dayMs, false],
])('a journal that is new since %s is so at %s: %s', (sinceMs, nowMs, isNew) => {
  expect(isNewJournal(sinceMs, nowMs)).toBe(isNew);
});

test('the days are those of both clocks', () => {
  expect(daysToAskFirst(noonMs, undefined)).toEqual(['20261120', '20261121']);
  expect(daysToAskFirst(noonMs, noonMs + dayMs)).toEqual(['20261120', '20261121', '20261122']);
});

test.each([
  ['a file of today', undefined, noonMs, ['20261120', '20261121']],
  ['a file that waited', undefined, noonMs - 2 * dayMs, ['20261118', '20261119', '20261120', '20261121']],
  ['an adopted journal', noonMs - 2 * dayMs, noonMs, ['20261119', '20261120', '20261121']],
])(
  'of %s all days count on which another journal may have sent it',
  (_of, missesSinceMs, sealedAtMs, days) => {
    expect(daysToAskFirst(noonMs, undefined, { missesSinceMs, sealedAtMs })).toEqual(days);
  },
);

test('no more days are asked about than a search may have', () => {
  const unknown = { missesSinceMs: noonMs - 1_000 * dayMs, sealedAtMs: noonMs };
  expect(daysToAskFirst(noonMs, undefined, unknown)).toHaveLength(91);
});

test.each([
  ['the latest that it knew', { latestMs: 5, newSinceMs: 1, missesSinceMs: undefined }, 5],
  ['its beginning, when it knew nothing', { latestMs: 0, newSinceMs: 1, missesSinceMs: undefined }, 1],
  ['an earlier adoption, while that is new', { latestMs: 9, newSinceMs: 6, missesSinceMs: 5 }, 5],
  ['not one of long ago', { latestMs: 9, newSinceMs: 6 - 7 * dayMs, missesSinceMs: 5 }, 9],
  ['nothing, when nobody knows', { latestMs: 0, newSinceMs: undefined, missesSinceMs: undefined }, 10],
])('an adopted journal may miss what was sent since %s', (_what, known, sinceMs) => {
  expect(computeMissesSince(known, 10)).toBe(sinceMs);
});
