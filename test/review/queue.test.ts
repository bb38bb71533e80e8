/** The queue of what is no payout: each way in, and the ways out that people or the program take. */
import { expect, test } from 'vitest';
import { inEnglish, verbatim } from '../../src/core/message.ts';
import { breakTargetOf } from '../../src/review/queue-target.ts';
import type { ReviewContext } from '../../src/review/context.ts';
import { noteRefused } from '../../src/review/dropped/refused-run.ts';
import type { FileRejection } from '../../src/core/payout-file.ts';
import { readAttention } from '../../src/attention/attention-list.ts';
import { type QueueContext, readItems } from '../../src/attention/items.ts';
import { countKinds } from '../../src/attention/rules/entry.ts';
import type { OwnedItem, QueueItem } from '../../src/attention/rules/items.ts';
import { takeItem } from '../../src/review/owners.ts';
import { check, withdraw, type Wish } from '../../src/review/review.ts';
import type { Target } from '../../src/review/rules/proposal.ts';
import { moneyMovedOfDecisions, type QueueKind, queueKinds } from '../../src/review/rules/queue.ts';
import type { Store } from '../../src/store/store.ts';
import {
  applied,
  endOf,
  holdOf,
  ingest,
  ingestRunning,
  makeRows,
  noonMs,
  payer,
  readyOf,
  secondBatchId,
  why,
} from '../support/journal-fixtures.ts';
import { makePerson } from '../support/persons.ts';
import { lineFor, openDay, type ReconcileDay } from '../support/reconcile-kit.ts';
import {
  callbackOf,
  makeInstruction,
  makeRegistrationRow,
  registrationBatchId,
  takeRegistrationsIn,
} from '../support/registration-journal.ts';
import { propose } from '../support/review.ts';
import { makeSqliteStore } from '../support/sqlite-store.ts';
import { baht, date } from '../support/statement-fixtures.ts';
import { inWords } from '../support/in-words.ts';

/** A refusal that is of the whole file. */
const noPlace = { line: null, column: null };

const mali = makePerson({ personId: 1, name: 'mali', role: 'maker' });
const nok = makePerson({ personId: 2, name: 'nok', role: 'checker' });
const viewer = makePerson({ personId: 3, name: 'som', role: 'viewer' });
const dayMs = 86_400_000;
const laterMs = noonMs + 2 * dayMs;

const clock = { now: () => laterMs };
const contextOf = (store: Store): ReviewContext => ({
  journal: store,
  clock,
  rules: { payoutSatangMax: null },
  payerAccount: payer.payerAccount,
  people: 2,
  expireDays: 7,
});
const queueOf = (store: Store, more: Partial<QueueContext> = {}): QueueContext => ({
  journal: store,
  clock,
  doubtAfterMs: 3_600_000,
  lateAtMs: 0,
  ...more,
});

const decisions = {
  itemId: 'i1',
  fileName: 'monday.csv',
  droppedAtMs: laterMs - 60_000,
  sha256: 'ab'.repeat(32),
};

/** A journal with one of everything. */
async function openAll(): Promise<ReconcileDay> {
  const day = await openDay(['paid', 'submitted', 'paid']);
  const { store } = day;
  const [first, , third] = day.attempts;
  await day.reconcile([
    lineFor(first, { amountSatang: baht('99.00'), netSatang: baht('99.00') }),
    lineFor(third),
  ]);
  await ingest(store, makeRows(2, 11), { batchId: secondBatchId, fileName: 'next.csv' });
  await store.moveBatch(secondBatchId, 'running', null, noonMs);
  await store.moveBatch(secondBatchId, 'halted', why, noonMs);
  await store.recordPayerHalt({ ...payer, ...why, sinceMs: noonMs });
  const refusal = {
    ...noPlace,
    code: 'no-header',
    message: verbatim('there is no header'),
    reason: 'text',
    batchId: null,
  };
  await store.endIntake('item-1', 'rejected', noonMs, { fileName: 'bad.csv', droppedAtMs: noonMs, refusal });
  await takeRegistrationsIn(store, [makeRegistrationRow(1), makeRegistrationRow(2)]);
  await store.holdReadyRegistrations(registrationBatchId, 'halted', why, noonMs);
  await store.cancelUnsentRegistrations(registrationBatchId, noonMs);
  await takeRegistrationsIn(store, [makeRegistrationRow(3, { registrationId: 'r1' })], {
    batchId: 'REGBBBBBBB',
  });
  await store.keepCallback(callbackOf(makeInstruction(9)), null);
  const [open] = await store.openBreaks(date, 1);
  if (open === undefined) throw new Error('the break is open');
  await propose(contextOf(store), acceptOf(breakTargetOf(open)), mali);
  return day;
}

const acceptOf = (...targets: readonly Target[]): Wish => ({
  decision: 'accept-break',
  targets,
  note: 'the bank has explained it',
  evidence: null,
});

/** A day on which something was sent, and of which nothing has come: that of the fixtures is reconciled. */
const withoutStatement = (store: Store): Store => ({
  ...store,
  daysWithoutStatement: async (dates) => dates.filter((one) => one === '20261121'),
});

const kindsOf = (items: readonly QueueItem[]): readonly QueueKind[] =>
  queueKinds.filter((kind) => items.some((item) => item.kind === kind));
const find = (items: readonly OwnedItem[], kind: QueueKind) => items.find((item) => item.kind === kind);

test('each kind stands in it, with its amount, whether money moved, and what can be decided', async () => {
  await using day = await openAll();
  const store = withoutStatement(day.store);
  const context = queueOf(store, { listDecisions: async () => [decisions] });
  const queue = await readItems(context, { asker: makePerson({ personId: 9, name: 'ann' }) });
  expect(kindsOf(queue)).toEqual(queueKinds);
  const shown = queue.map((item) => [
    item.kind,
    item.amountSatang,
    item.moneyMoved,
    item.options.map(({ decision, whyNot }) => `${whyNot === undefined ? '' : 'not '}${decision}`).join(', '),
  ]);
  expect(new Set(shown)).toEqual(
    new Set([
      ['break', 9_900n, 'yes', 'not accept-break'],
      ['break', 10_002n, 'unknown', 'accept-break'],
      ['day', null, 'unknown', 'adopt-statement, acknowledge'],
      ['file', null, 'no', 'acknowledge'],
      ['payer', null, 'no', 'resume-payer, not halt-payer'],
      ['batch', 20_023n, 'no', 'not approve-batch, resume-batch, cancel-batch'],
      ['doubt', 10_002n, 'unknown', ''],
      ['registration', null, 'no', 'go-on, cancel'],
      ['callback', null, 'no', 'acknowledge'],
      ['proposal', 9_900n, 'unknown', 'approve, send-back, not withdraw'],
      ['decisions', null, 'unknown', 'confirm-file'],
    ]),
  );
  for (const { reason, remedy } of queue) {
    expect([reason, remedy].map(inEnglish).filter((text) => text === '')).toEqual([]);
  }
  const { entries } = await readAttention(context);
  expect(countKinds(entries).map(({ kind, items }) => [kind, items])).toEqual(
    queueKinds.map((kind) => [kind, kind === 'break' ? 2 : 1]),
  );
});

test.each([
  [['retry', 'release', 'cancel', 'go-on'], 'no'],
  [['retry', 'confirm-failed'], 'unknown'],
  [['confirm-paid'], 'unknown'],
  [['accept-break'], 'unknown'],
] as const)('of %j nobody says that money moved, nor that none has where that is open', (decided, moved) =>
  expect(moneyMovedOfDecisions(decided)).toBe(moved),
);

test('who may not decide is told why, and nobody checks his own', async () => {
  await using day = await openAll();
  const optionsFor = async (asker: typeof mali, kind: QueueKind) =>
    find(await readItems(queueOf(day.store), { asker }), kind)?.options.map(({ whyNot }) => whyNot);
  expect(inWords(await optionsFor(viewer, 'break'))).toEqual([
    expect.stringContaining('a viewer may not propose'),
  ]);
  expect(inWords(await optionsFor(mali, 'break'))).toEqual([
    expect.stringContaining('proposal 1 is about it'),
  ]);
  expect((await optionsFor(mali, 'proposal'))?.at(-1)).toBeUndefined();
  expect((await optionsFor(nok, 'proposal'))?.slice(0, 2)).toEqual([undefined, undefined]);
  const ann = makePerson({ personId: 1, name: 'ann' });
  expect(inWords((await optionsFor(ann, 'proposal'))?.[0])).toContain('you proposed this');
});

test('rows of a batch that are held by different things wait as one', async () => {
  await using opened = await makeSqliteStore();
  const { store } = opened;
  await ingestRunning(store, makeRows(3));
  const [first, second, third] = await readyOf(store);
  if (first === undefined || second === undefined || third === undefined) throw new Error('three are ready');
  for (const change of [holdOf(first, 'paused'), holdOf(second, 'halted'), holdOf(third, 'paused')])
    await applied(store, change);
  // While it runs, they wait for their account.
  expect(await store.heldBatches()).toEqual([]);
  await store.moveBatch(first.batchId, 'done', null, noonMs);
  const [held, ...others] = await store.heldBatches();
  expect([held, others]).toEqual([
    {
      batchId: first.batchId,
      rows: 3,
      amountSatang: 30_006n,
      sinceMs: noonMs,
      forApproval: 0,
      holds: expect.arrayContaining(['paused', 'halted']),
    },
    [],
  ]);
});

/** How people end the waiting of each kind, or what ends it by itself; returns nothing. */
const waysOut: Readonly<Record<QueueKind, (store: Store, day: ReconcileDay) => Promise<unknown>>> = {
  proposal: async (store) => withdraw(contextOf(store), 1, mali),
  break: async (store, { store: own }) => {
    const targets = (await own.openBreaks(date, 9)).map(breakTargetOf);
    await propose(contextOf(store), { ...acceptOf(), targets }, mali);
    return check(contextOf(store), 2, 'approve', nok);
  },
  day: async (store) => acknowledge(store, 'day', '20261121', ''),
  file: async (store) => acknowledge(store, 'file', 'item-1', String(noonMs)),
  payer: async (store) => {
    const target = {
      kind: 'payer',
      key: `${payer.companyId}/${payer.payerAccount}`,
      version: `${noonMs} `,
    } as const;
    const wish = { decision: 'resume-payer', targets: [target], note: 'mended', evidence: null } as const;
    await propose(contextOf(store), wish, mali);
    return check(contextOf(store), 5, 'approve', nok);
  },
  batch: async (store) => {
    const version = (await readItems(queueOf(store), { kinds: ['batch'] }))[0]?.version ?? '';
    const target = { kind: 'batch', key: secondBatchId, version } as const;
    const wish = { decision: 'cancel-batch', targets: [target], note: 'not needed', evidence: null } as const;
    await propose(contextOf(store), wish, mali);
    return store.moveBatch(secondBatchId, 'done', null, laterMs);
  },
  doubt: async (store) => {
    const [{ payout, attempt } = {}] = await store.inDoubt(0, 1);
    if (payout === undefined || attempt === undefined) throw new Error('it is in doubt');
    return store.apply([endOf({ payout, attempt }, 'unresolved')]);
  },
  registration: async (store) => {
    const [item] = await readItems(queueOf(store), { kinds: ['registration'] });
    const { key = '', version = '' } = item ?? {};
    const target = { kind: 'registration', key, version } as const;
    const wish = { decision: 'cancel', targets: [target], note: 'not needed', evidence: null } as const;
    return propose(contextOf(store), wish, mali);
  },
  callback: async (store) => {
    const [item] = await readItems(queueOf(store), { kinds: ['callback'] });
    await acknowledge(store, 'callback', item?.key ?? '', item?.version ?? '');
  },
  decisions: async () => undefined,
};

async function acknowledge(
  store: Store,
  kind: 'day' | 'file' | 'callback',
  key: string,
  version: string,
): Promise<void> {
  const wish = (note: string): Wish => ({
    decision: 'acknowledge',
    targets: [{ kind, key, version }],
    note,
    evidence: null,
  });
  expect(await propose(contextOf(store), wish(''), mali)).toMatchObject({ kind: 'refused' });
  expect(await propose(contextOf(store), wish('nobody waits for it'), mali)).toMatchObject({
    kind: 'applied',
    applied: { applied: 1 },
  });
  expect(await store.reviewNotes(kind, [key])).toMatchObject([
    { what: 'noted', person: 'mali', personId: 1, note: 'nobody waits for it' },
  ]);
  expect(await propose(contextOf(store), wish('once more'), mali)).toMatchObject({ kind: 'refused' });
}

test('each kind has a way out of it', async () => {
  await using day = await openAll();
  const store = withoutStatement(day.store);
  let left: readonly WaitingFile[] = [decisions];
  const context = queueOf(store, { listDecisions: async () => left });
  const gone: QueueKind[] = [];
  for (const kind of [
    'proposal',
    'break',
    'day',
    'file',
    'payer',
    'batch',
    'doubt',
    'registration',
    'callback',
    'decisions',
  ] as const) {
    if (kind === 'decisions') left = [];
    await waysOut[kind](store, day);
    gone.push(kind);
    expect(kindsOf(await readItems(context))).toEqual(queueKinds.filter((one) => !gone.includes(one)));
  }
});

type WaitingFile = typeof decisions;

test('a refused file leaves it when it is accepted after all', async () => {
  await using day = await openDay([]);
  const { store } = day;
  const start = {
    itemId: 'item-1',
    batchId: secondBatchId,
    fileName: 'a.csv',
    droppedAtMs: noonMs,
    nowMs: noonMs,
  };
  await store.startIntake(start);
  const refusal = {
    ...noPlace,
    code: 'changed',
    message: verbatim('it changed'),
    reason: 'text',
    batchId: secondBatchId,
  };
  await store.endIntake('item-1', 'rejected', noonMs, { fileName: 'a.csv', droppedAtMs: noonMs, refusal });
  expect(kindsOf(await readItems(queueOf(store)))).toEqual(['file']);
  await ingest(store, makeRows(1, 21), { batchId: secondBatchId });
  expect(kindsOf(await readItems(queueOf(store)))).toEqual([]);
});

const headless: FileRejection = {
  code: 'header-missing',
  message: verbatim('no header'),
  line: 1,
  column: null,
};

/** What a run has refused, at a moment. */
const refuse = async (store: Store, atMs: number, fileName: string, batchId?: string) =>
  noteRefused(store, { now: () => atMs }, fileName, { rejection: headless, batchId });

test('one of registrations leaves it when its bytes, or its name, are taken as registrations', async () => {
  await using day = await openDay([]);
  const { store } = day;
  const refuseKind = async (kind: 'payout' | 'registration', fileName: string, batchId?: string) =>
    noteRefused(store, { now: () => noonMs - 9 }, fileName, { kind, rejection: headless, batchId });
  const bytesOf = 'REGBYTESAA';
  const wrongInbox = { fileName: 'inbox.csv', droppedAtMs: noonMs, batchId: bytesOf };
  await refuseKind('registration', 'bytes.csv', bytesOf);
  await refuseKind('payout', 'wrong-command.csv', bytesOf);
  const refusal = {
    ...noPlace,
    code: 'registration-file',
    message: verbatim('these are registrations'),
    reason: '',
    batchId: null,
  };
  await store.endIntake('item-9', 'rejected', noonMs, { ...wrongInbox, refusal });
  await refuseKind('registration', `${bytesOf}N.csv`);
  await refuseKind('payout', `${bytesOf}N.csv`);
  expect(await waitingFiles(store)).toHaveLength(5);

  await takeRegistrationsIn(store, [makeRegistrationRow(1)], { batchId: bytesOf });
  expect(inWords(await waitingFiles(store)).toSorted()).toEqual([`${bytesOf}N.csv`, `${bytesOf}N.csv`]);
  await takeRegistrationsIn(store, [makeRegistrationRow(2)], { batchId: `${bytesOf}N` });
  const left = (await readItems(queueOf(store))).filter(({ kind }) => kind === 'file');
  // A file of payouts that has the same name is another one.
  expect(left.map(({ remedy }) => inEnglish(remedy))).toEqual([
    expect.stringContaining('Nothing of it was paid'),
  ]);
});

const waitingFiles = async (store: Store) =>
  (await readItems(queueOf(store))).filter(({ kind }) => kind === 'file').map(({ title }) => title);

test('what a run has refused waits, once by its name, until its bytes or its name are taken, or somebody notes it', async () => {
  await using day = await openDay([]);
  const { store } = day;
  await refuse(store, noonMs - 9, 'bytes.csv', secondBatchId);
  await refuse(store, noonMs - 8, 'name.csv', 'ZZZZZZZZZZ');
  await refuse(store, noonMs - 7, 'name.csv');
  await refuse(store, noonMs - 6, 'noted.csv');
  expect(inWords(await waitingFiles(store)).toSorted()).toEqual(['bytes.csv', 'name.csv', 'noted.csv']);
  const rejection = { ...headless, code: 'file-missing' };
  await noteRefused(store, { now: () => noonMs }, 'no-such.csv', { rejection });
  expect(await waitingFiles(store)).toHaveLength(3);

  const noted = (await readItems(queueOf(store))).find(({ title }) => inEnglish(title) === 'noted.csv');
  await acknowledge(store, 'file', noted?.key ?? '', noted?.version ?? '');
  await ingest(store, makeRows(1, 21), { batchId: secondBatchId });
  expect(inWords(await waitingFiles(store))).toEqual(['name.csv']);
  await ingest(store, makeRows(1, 41), { batchId: 'ABCDEFGHJL', fileName: 'name.csv' });
  expect(await waitingFiles(store)).toEqual([]);
  await refuse(store, laterMs + 86_400_000, 'name.csv');
  expect(inWords(await waitingFiles(store))).toEqual(['name.csv']);
});

test('anyone may take one and give it back; both are recorded', async () => {
  await using day = await openAll();
  const { store } = day;
  const context = queueOf(store);
  const item = { kind: 'file', key: 'item-1' } as const;
  const owner = async () => find(await readItems(context), 'file')?.owner?.person;
  expect(inWords(await takeItem(context, item, 'given-back', mali))).toBe('it has no owner');
  expect(await takeItem(context, item, 'taken', mali)).toBeUndefined();
  expect(inWords(await takeItem(context, item, 'taken', mali))).toContain('already');
  expect(await owner()).toBe('mali');
  expect(inWords(await takeItem(context, item, 'given-back', nok))).toContain('mali looks after it');
  expect(await takeItem(context, item, 'taken', nok)).toBeUndefined();
  expect(await owner()).toBe('nok');
  expect(await takeItem(context, item, 'given-back', nok)).toBeUndefined();
  expect(await owner()).toBeUndefined();
  expect(
    (await store.reviewNotes('file', ['item-1'])).map(({ what, person }) => `${person} ${what}`),
  ).toEqual(['mali taken', 'nok taken', 'nok given-back']);
});

test('what waits for approval, and what a pause stops, are told apart', async () => {
  await using day = await openDay([]);
  const { store } = day;
  const pausedId = 'KKKKKKKKKK';
  await ingest(store, makeRows(2, 11), { batchId: pausedId });
  await store.moveBatch(pausedId, 'running', null, noonMs);
  await store.holdReady(pausedId, 'paused', why, noonMs);
  await store.moveBatch(pausedId, 'paused', why, noonMs);
  expect(kindsOf(await readItems(queueOf(store)))).toEqual([]);
  await ingest(store, makeRows(2, 21), {
    batchId: secondBatchId,
    approval: { when: 'always', aboveSatang: baht('0'), people: 2 },
  });
  const [waiting] = await readItems(queueOf(store));
  expect(waiting).toMatchObject({ kind: 'batch', key: secondBatchId, amountSatang: 20_043n });
  expect(waiting?.options.map(({ decision, whyNot }) => [decision, whyNot === undefined])).toEqual([
    ['approve-batch', true],
    ['resume-batch', expect.any(Boolean)],
    ['cancel-batch', true],
  ]);
});
