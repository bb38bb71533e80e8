/** People decide on registrations by the same proposals as on payouts: made, checked, applied once, chained, guarded. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { ReviewContext } from '../../src/review/context.ts';
import type { Registration, RegistrationStatus } from '../../src/registration/rules/registration.ts';
import {
  cancelRegistrations,
  openDirectDebit,
  readRegistrationOptions,
  versionOfRegistrations,
} from '../../src/review/registration-target.ts';
import { check, type Wish } from '../../src/review/review.ts';
import { payerKeyOf, versionOfPayer } from '../../src/review/rules/batch-decisions.ts';
import type { Target } from '../../src/review/rules/proposal.ts';
import type { Decision } from '../../src/review/rules/terms.ts';
import type { Store } from '../../src/store/store.ts';
import { noonMs, payer, why } from '../support/journal-fixtures.ts';
import {
  attemptOf,
  changeOf,
  intentOf,
  makeRegistrationRow,
  registrationBatchId,
  registrationPayer,
  runRegistrations,
} from '../support/registration-journal.ts';
import { propose } from '../support/review.ts';
import { makeSqliteStore, type SqliteStore } from '../support/sqlite-store.ts';
import { inWords } from '../support/in-words.ts';

const mali = { personId: 1, name: 'mali' } as const;
const nok = { personId: 2, name: 'nok' } as const;
const later = noonMs + 3_600_000;

let opened: SqliteStore;
beforeEach(async () => {
  opened = await makeSqliteStore();
  return () => opened[Symbol.asyncDispose]();
});

const contextOf = (store: Store): ReviewContext => ({
  journal: store,
  clock: { now: () => later },
  rules: { payoutSatangMax: null },
  payerAccount: payer.payerAccount,
  people: 2,
  expireDays: 7,
});

async function apply(store: Store, change: ReturnType<typeof changeOf>): Promise<Registration> {
  expect(await store.applyRegistrations([change])).toEqual([true]);
  const found = await store.registration(change.before.seq);
  if (found === undefined) throw new Error('it is in the journal');
  return found;
}

/** One registration that was sent, and stands so. */
async function sent(store: Store, status: 'in-doubt' | 'failed' | 'unanswered'): Promise<Registration> {
  const [ready] = await runRegistrations(store, [makeRegistrationRow(1), makeRegistrationRow(2)]);
  if (ready === undefined) throw new Error('one is ready');
  const submitted = await apply(store, intentOf(ready));
  if (status === 'failed')
    return apply(store, changeOf(submitted, 'turned-down', { status, awaitedUntilMs: null }));
  const doubted = await apply(store, changeOf(submitted, 'outcome-in-doubt', { status: 'in-doubt' }));
  return status === 'in-doubt'
    ? doubted
    : apply(store, changeOf(doubted, 'time-passed', { status, awaitedUntilMs: null }));
}

const targetOf = ({ seq, version }: Registration, more: Partial<Target> = {}): Target => ({
  kind: 'registration',
  key: String(seq),
  version: String(version),
  ...more,
});

const wishOf = (decision: Decision, ...targets: readonly Target[]): Wish => ({
  decision,
  targets,
  note: 'the bank wrote',
  evidence: 'letter 7',
});

const statusOf = async (store: Store, seq: number): Promise<RegistrationStatus | undefined> =>
  (await store.registration(seq))?.status;

describe('one registration', () => {
  test('an outcome is confirmed by two people, with evidence, and chained with who they were', async () => {
    const { store } = opened;
    const row = await sent(store, 'unanswered');
    const context = contextOf(store);
    const wish = wishOf('confirm-registered', targetOf(row));
    expect(await propose(context, { ...wish, evidence: null }, mali)).toMatchObject({ kind: 'refused' });
    const proposed = await propose(context, wish, mali);
    expect(proposed).toMatchObject({ kind: 'waiting', proposal: { kind: 'registration', people: 2 } });
    expect(await check(context, 1, 'approve', mali)).toMatchObject({ kind: 'refused' });
    expect(await check(context, 1, 'approve', nok)).toMatchObject({ applied: { applied: 1, refused: [] } });
    expect(await store.registration(row.seq)).toMatchObject({
      status: 'registered',
      settledBy: 'decision',
      reasonCode: 'confirmed-registered',
    });
    const events = (await store.registrationHistory(row.seq))?.events ?? [];
    expect(events.at(-1)).toMatchObject({
      cause: 'decided',
      detail: { by: 'mali', checkedBy: 'nok', proposal: 1 },
    });
  });

  test('what one person is enough for is applied at once, and once', async () => {
    const { store } = opened;
    const row = await sent(store, 'failed');
    expect(await propose(contextOf(store), wishOf('acknowledge', targetOf(row)), mali)).toMatchObject({
      kind: 'applied',
      applied: { applied: 1 },
    });
    expect(await store.registration(row.seq)).toMatchObject({
      isAcknowledged: true,
      version: row.version + 1,
    });
    const found = await store.searchRegistrations({ isWaiting: true }, Number.MAX_SAFE_INTEGER, 9);
    expect(found.map(({ seq }) => seq)).not.toContain(row.seq);
  });

  test('a decision is about the row as it was: changed since, it is refused and told', async () => {
    const { store } = opened;
    const row = await sent(store, 'in-doubt');
    const context = contextOf(store);
    await propose(context, wishOf('confirm-failed', targetOf(row)), mali);
    await apply(store, changeOf(row, 'called-back', { status: 'registered', awaitedUntilMs: null }));
    const checked = await check(context, 1, 'approve', nok);
    expect(inWords(checked)).toMatchObject({
      applied: {
        applied: 0,
        refused: [{ why: expect.stringContaining('it was in-doubt then, and is registered now') }],
      },
    });
    expect(await statusOf(store, row.seq)).toBe('registered');
    expect(await propose(context, wishOf('confirm-failed', targetOf(row)), mali)).toMatchObject({
      kind: 'refused',
    });
  });

  test('it is tried again by two people, as a new attempt later', async () => {
    const { store } = opened;
    const row = await sent(store, 'failed');
    await propose(contextOf(store), wishOf('retry', targetOf(row)), mali);
    await check(contextOf(store), 1, 'approve', nok);
    const [ready] = (await store.readyRegistrations(registrationBatchId, 0, 9)).filter(
      ({ seq }) => seq === row.seq,
    );
    expect(ready).toMatchObject({ status: 'ready', attemptNo: 1 });
    if (ready === undefined) throw new Error('it is ready');
    expect(attemptOf(ready).attemptNo).toBe(2);
  });

  test('corrected, it asks for another account, and who corrected it checks nothing of its batch', async () => {
    const { store } = opened;
    const row = await sent(store, 'failed');
    const correction = { proxyNo: null, amount: null, accountNo: '999-8-88777-6' };
    const context = contextOf(store);
    expect(await propose(context, wishOf('retry-corrected', targetOf(row)), mali)).toMatchObject({
      kind: 'refused',
    });
    await propose(context, wishOf('retry-corrected', targetOf(row, { correction })), mali);
    expect(await check(context, 1, 'approve', nok)).toMatchObject({ applied: { applied: 1, refused: [] } });
    const corrected = await store.registration(row.seq);
    expect(corrected).toMatchObject({ status: 'ready', instruction: { accountNo: '9998887776' } });
    expect(await store.handsOf(registrationBatchId)).toEqual([mali.personId]);
    expect(JSON.stringify((await store.registrationHistory(row.seq))?.events)).not.toContain('9998887776');
  });

  test('whoever dropped its file lets nothing of it go on', async () => {
    const { store } = opened;
    const row = await sent(store, 'failed');
    await store.keepUpload(registrationBatchId, nok.personId, noonMs);
    await propose(contextOf(store), wishOf('retry', targetOf(row)), mali);
    expect(inWords(await check(contextOf(store), 1, 'approve', nok))).toMatchObject({
      kind: 'refused',
      why: 'you uploaded the file, or corrected a row in it, and cannot approve it',
    });
  });

  test('nothing is sent again while another of its account and references is awaited', async () => {
    const { store } = opened;
    const row = await sent(store, 'failed');
    const { instruction } = row;
    const [other] = await runRegistrations(
      store,
      [makeRegistrationRow(1, { ...instruction, registrationId: 'OTHER-1' })],
      { batchId: 'REGBBBBBBB' },
    );
    if (other === undefined) throw new Error('the other is ready');
    const optionOf = async () =>
      (await readRegistrationOptions(contextOf(store), row.seq))?.find(({ decision }) => decision === 'retry')
        ?.whyNot;
    expect(inWords(await optionOf())).toContain('waits to be sent');
    await apply(store, intentOf(other));
    expect(inWords(await optionOf())).toContain("awaits the bank's callback");
    expect(await propose(contextOf(store), wishOf('retry', targetOf(row)), mali)).toMatchObject({
      kind: 'refused',
    });
  });

  test('registrations and payouts are not proposed together', async () => {
    const { store } = opened;
    const row = await sent(store, 'failed');
    const other = { kind: 'day', key: '20261122', version: '' } as const;
    expect(
      inWords(await propose(contextOf(store), wishOf('acknowledge', targetOf(row), other), mali)),
    ).toMatchObject({
      kind: 'refused',
      objections: expect.arrayContaining([
        { why: 'registrations are decided on apart from everything else' },
      ]),
    });
  });
});

describe('a batch of registrations, and direct debit', () => {
  const batchTarget = async (store: Store): Promise<Target> => {
    const batch = await store.registrationBatch(registrationBatchId);
    if (batch === undefined) throw new Error('it was taken in');
    return { kind: 'registration-batch', key: batch.batchId, version: versionOfRegistrations(batch) };
  };
  const halt = async (store: Store): Promise<void> => {
    await runRegistrations(store, [makeRegistrationRow(1), makeRegistrationRow(2)]);
    await store.holdReadyRegistrations(registrationBatchId, 'halted', why, noonMs);
    await store.moveRegistrationBatch(registrationBatchId, 'halted', why, noonMs);
    await store.recordPayerHalt({ ...registrationPayer, ...why, sinceMs: noonMs });
  };

  test('it goes on by two people, and its halt is lifted', async () => {
    const { store } = opened;
    await halt(store);
    await propose(contextOf(store), wishOf('resume-batch', await batchTarget(store)), mali);
    expect(await check(contextOf(store), 1, 'approve', nok)).toMatchObject({ applied: { applied: 1 } });
    expect(await store.readyRegistrations(registrationBatchId, 0, 9)).toHaveLength(2);
    expect(await store.registrationBatch(registrationBatchId)).toMatchObject({ status: 'running' });
    expect(await store.payerHalts()).toEqual([]);
    expect(
      await propose(contextOf(store), wishOf('approve-batch', await batchTarget(store)), mali),
    ).toMatchObject({ kind: 'refused' });
  });

  test('what was not sent of it is cancelled by one', async () => {
    const { store } = opened;
    await halt(store);
    expect(
      await propose(contextOf(store), wishOf('cancel-batch', await batchTarget(store)), mali),
    ).toMatchObject({ kind: 'applied', applied: { applied: 1 } });
    expect(await store.countRegistrations()).toEqual(new Map([['cancelled', 2]]));
    expect(await store.registrationBatch(registrationBatchId)).toMatchObject({ status: 'done' });
  });

  test('while something of it is awaited, it stays halted, so that what comes back unsent is cancelled, too', async () => {
    const { store } = opened;
    await sent(store, 'in-doubt');
    await propose(contextOf(store), wishOf('cancel-batch', await batchTarget(store)), mali);
    expect(await store.registrationBatch(registrationBatchId)).toMatchObject({
      status: 'halted',
      reasonCode: 'cancelled',
    });
    expect(await store.countRegistrations()).toEqual(
      new Map([
        ['cancelled', 1],
        ['in-doubt', 1],
      ]),
    );
  });

  test('a halt of direct debit is lifted by two, and what it held goes on', async () => {
    const { store } = opened;
    await halt(store);
    const halts = await store.payerHalts();
    const target: Target = {
      kind: 'payer',
      key: payerKeyOf(registrationPayer),
      version: versionOfPayer(halts[0], undefined),
    };
    await propose(contextOf(store), wishOf('resume-payer', target), mali);
    expect(await check(contextOf(store), 1, 'approve', nok)).toMatchObject({ applied: { applied: 1 } });
    expect(await store.readyRegistrations(registrationBatchId, 0, 9)).toHaveLength(2);
    await openDirectDebit(store, registrationPayer, later);
    expect(await store.payerHalts()).toEqual([]);
  });

  test('a batch that was cancelled stays so when direct debit goes on', async () => {
    const { store } = opened;
    const [first] = await runRegistrations(store, [makeRegistrationRow(1), makeRegistrationRow(2)]);
    await store.applyRegistrations([intentOf(first!)]);
    await cancelRegistrations(store, (await store.registrationBatch(registrationBatchId))!, later);
    await openDirectDebit(store, registrationPayer, later);
    expect(await store.registrationBatch(registrationBatchId)).toMatchObject({ status: 'halted' });
  });
});
