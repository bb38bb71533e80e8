/** Whose a registrationId is, and what cannot be told apart: at the seal, at the intent, and by late proof. */
import { inEnglishIfAny } from '../../../src/core/message.ts';
import { expect, test } from 'vitest';
import { identityKey } from '../../../src/registration/rules/callback.ts';
import { keepsClaim } from '../../../src/registration/rules/claim.ts';
import {
  registrationStatuses,
  type Registration,
  type RegistrationInstruction,
} from '../../../src/registration/rules/registration.ts';
import { noonMs, payer } from '../../support/journal-fixtures.ts';
import { testOnEngines } from '../../support/registration-engines.ts';
import {
  applyOne,
  attemptOf,
  calledBack,
  callbackOf,
  changeOf,
  intentOf,
  makeInstruction,
  makeRegistrationRow,
  present,
  registrationPayer,
  type Registrations,
  runRegistrations,
  takeRegistrationsIn,
} from '../../support/registration-journal.ts';

const otherBatchId = 'REGBBBBBBBBB';

/** The rows of a file as its seal has left them. */
async function sealOther(store: Registrations, ...own: readonly Partial<RegistrationInstruction>[]) {
  const rows = own.map((cells, place) => makeRegistrationRow(place + 11, cells));
  const { batchId } = await takeRegistrationsIn(store, rows, { batchId: otherBatchId });
  const found = await store.searchRegistrations({ batchId }, Number.MAX_SAFE_INTEGER, 100);
  return found
    .toReversed()
    .map(({ status, reasonCode, reason, holds }) => ({ status, reasonCode, reason, holds }));
}

async function one(store: Registrations): Promise<Registration> {
  const [ready] = await runRegistrations(store, [makeRegistrationRow(1)]);
  if (ready === undefined) throw new Error('none is ready');
  return ready;
}

const cancelOne = (before: Registration) => changeOf(before, 'cancelled', { status: 'cancelled' });
const failed = { status: 'failed', awaitedUntilMs: null } as const;
const unanswered = { status: 'unanswered', awaitedUntilMs: null } as const;

async function sendOne(store: Registrations): Promise<Registration> {
  return (await applyOne(store, intentOf(await one(store)))).now;
}

async function leaveUnanswered(store: Registrations): Promise<Registration> {
  const doubtful = changeOf(await sendOne(store), 'outcome-in-doubt', { status: 'in-doubt' });
  const { now } = await applyOne(store, doubtful);
  return (await applyOne(store, changeOf(now, 'time-passed', unanswered))).now;
}

test('a status either keeps the registrationId or gives it back', () => {
  const kept = registrationStatuses.filter(keepsClaim).join(' ');
  expect(kept).toBe('ready held cancelled submitted in-doubt acknowledged registered contradicted');
});

const reach: Record<string, (store: Registrations) => Promise<unknown>> = {
  ready: one,
  submitted: sendOne,
  registered: async (store) => applyOne(store, calledBack(await sendOne(store))),
  cancelled: async (store) => applyOne(store, cancelOne(await one(store))),
};

for (const [status, go] of Object.entries(reach))
  testOnEngines(`a ${status} one keeps its registrationId, and its holder is named`, async ({ store }) => {
    await go(store);
    const [rejected] = await sealOther(store, { registrationId: 'R1' });
    expect(rejected).toMatchObject({ status: 'rejected', reasonCode: 'registration-id-claimed' });
    expect(inEnglishIfAny(rejected?.reason)).toContain(
      `row 1 of REGAAAAAAAAA.csv (batch REGAAAAAAAAA), which is ${status}`,
    );
    expect(await store.registrationHolder(payer.companyId, 'R1')).toMatchObject({ seq: 1, status });
  });

const leave: Record<string, (store: Registrations) => Promise<unknown>> = {
  failed: async (store) => applyOne(store, changeOf(await sendOne(store), 'turned-down', failed)),
  refused: async (store) => applyOne(store, calledBack(await sendOne(store), 'refused')),
  unanswered: leaveUnanswered,
  released: async (store) => {
    const { now } = await applyOne(store, cancelOne(await one(store)));
    return applyOne(store, changeOf(now, 'released', {}, { isReleased: true }));
  },
};

for (const [status, go] of Object.entries(leave))
  testOnEngines(`a ${status} one gives its registrationId back`, async ({ store }) => {
    await go(store);
    expect(await store.registrationHolder(payer.companyId, 'R1')).toBeUndefined();
    expect(await sealOther(store, { registrationId: 'R1' })).toMatchObject([{ status: 'ready' }]);
    const before = await present(store, { seq: 1 });
    // It is another's by now: it cannot be tried again.
    if (before.status === 'cancelled') return;
    const again = changeOf(before, 'tried-again', { status: 'ready' });
    expect(await store.applyRegistrations([again])).toEqual([false]);
  });

testOnEngines('what is tried again has its registrationId back, unless another has it', async ({ store }) => {
  const before = await leaveUnanswered(store);
  const again = await applyOne(store, changeOf(before, 'tried-again', { status: 'ready' }));
  expect(again.isApplied).toBe(true);
  expect(await sealOther(store, { registrationId: 'R1' })).toMatchObject([{ status: 'rejected' }]);
});

testOnEngines(
  'what is tried again stays as it is while another with its account and references waits to be sent',
  async ({ store }) => {
    const before = await leaveUnanswered(store);
    const { accountNo, refs } = makeInstruction(1);
    expect(await sealOther(store, { accountNo, refs })).toMatchObject([{ status: 'ready' }]);
    const again = changeOf(before, 'tried-again', { status: 'ready' });
    expect(await store.applyRegistrations([again])).toEqual([false]);
  },
);

testOnEngines(
  'proof is recorded though another has claimed the registrationId, which then is not sent any more',
  async ({ store }) => {
    const before = await leaveUnanswered(store);
    await sealOther(store, { registrationId: 'R1' });
    await store.moveRegistrationBatch(otherBatchId, 'running', null, noonMs);
    const other = await present(store, { seq: 2 });
    expect((await applyOne(store, calledBack(before))).now).toMatchObject({ status: 'registered' });
    expect(await store.registrationHolder(payer.companyId, 'R1')).toMatchObject({ seq: 1 });
    expect(await store.applyRegistrations([intentOf(other)])).toEqual([false]);
  },
);

testOnEngines(
  'proof is recorded though another of the same registrationId is with the bank, which keeps it',
  async ({ store }) => {
    const before = await leaveUnanswered(store);
    await sealOther(store, { registrationId: 'R1' });
    await store.moveRegistrationBatch(otherBatchId, 'running', null, noonMs);
    expect((await applyOne(store, intentOf(await present(store, { seq: 2 })))).isApplied).toBe(true);
    expect((await applyOne(store, calledBack(before))).now).toMatchObject({ status: 'registered' });
    expect(await store.registrationHolder(payer.companyId, 'R1')).toMatchObject({ seq: 2 });
  },
);

testOnEngines(
  'two that nobody could tell apart are not both taken, in one file or in two',
  async ({ store }) => {
    await one(store);
    const { registrationId: _id, customerId: _customer, ...same } = makeInstruction(1);
    const twin = { accountNo: '5550001', refs: [null, null, null, null] } as const;
    const sealed = await sealOther(store, same, twin, twin);
    expect(sealed.map(({ status, reasonCode }) => [status, reasonCode])).toEqual([
      ['rejected', 'same-as-another'],
      ['ready', null],
      ['rejected', 'same-as-another'],
    ]);
    expect(sealed.map(({ reason }) => inEnglishIfAny(reason)).join()).not.toMatch(/5550001|1234560001/);
    expect(inEnglishIfAny(sealed[0]?.reason)).toContain(
      'registrationId R1 (row 1 of REGAAAAAAAAA.csv (batch REGAAAAAAAAA))',
    );
    expect(inEnglishIfAny(sealed[2]?.reason)).toContain('registrationId R12 (row 12 of this file)');
    // Nothing keeps the registrationId of one that was rejected.
    expect(await store.registrationHolder(payer.companyId, 'R11')).toBeUndefined();
  },
);

testOnEngines(
  'one that differs in case or leading zeros alone is held, and so is one that the bank told of',
  async ({ store }) => {
    await one(store);
    const told = { accountNo: '5550001' };
    await store.keepCallback(callbackOf(makeInstruction(12, told)), null);
    const sealed = await sealOther(store, { registrationId: '0r-1' }, told);
    expect(sealed.map(({ status, reasonCode, holds }) => [status, reasonCode, holds])).toEqual([
      ['held', 'similar', ['similar']],
      ['held', 'called-back', ['called-back']],
    ]);
    expect(inEnglishIfAny(sealed[0]?.reason)).toContain('registrationId R1 (row 1 of');
    expect(inEnglishIfAny(sealed[1]?.reason)).toContain(
      'registered before, for no registration that is known here',
    );
    const similar = await store.similarRegistrationHolders(payer.companyId, 'R1');
    expect(similar.map(({ instruction }) => instruction?.registrationId)).toEqual(['0r-1']);
  },
);

testOnEngines('one that a spreadsheet took for a number is held', async ({ store }) => {
  await runRegistrations(store, [makeRegistrationRow(1, { registrationId: '1001' })]);
  const ids = ['1001.0', '1,001.00', '01001', '10010', '12E5', '1200000'];
  const sealed = await sealOther(store, ...ids.map((registrationId) => ({ registrationId })));
  expect(sealed.map(({ status }, place) => [ids[place], status])).toEqual([
    ['1001.0', 'held'],
    ['1,001.00', 'held'],
    ['01001', 'held'],
    ['10010', 'ready'],
    ['12E5', 'ready'],
    ['1200000', 'ready'],
  ]);
});

testOnEngines(
  'rows whose registrationId a later row of the file repeats with other contents are rejected',
  async ({ store }) => {
    const rows = [makeRegistrationRow(1), makeRegistrationRow(2)];
    await takeRegistrationsIn(store, rows, { conflictingRowNos: [1] });
    expect(await store.registration(1)).toMatchObject({
      status: 'rejected',
      reasonCode: 'duplicate-differs',
    });
    expect(await store.registration(2)).toMatchObject({ status: 'ready' });
  },
);

testOnEngines('while one is with the bank, no other of its identity is sent', async ({ store, tamper }) => {
  const before = await leaveUnanswered(store);
  const { registrationId: _id, ...same } = makeInstruction(1);
  await sealOther(store, { accountNo: '9999999999' });
  await store.moveRegistrationBatch(otherBatchId, 'running', null, noonMs);
  const { now: again } = await applyOne(store, changeOf(before, 'tried-again', { status: 'ready' }));
  const other = await present(store, { seq: 2 });
  // No change leads there: by the hand of somebody who has opened the journal.
  const identity = identityKey(makeInstruction(11, same));
  await tamper(`update registration_asked set identity_key = '${identity}' where seq = 2`);
  const asLike = { ...other, instruction: makeInstruction(11, same) };
  expect(await store.applyRegistrations([intentOf(again), intentOf(asLike)])).toEqual([true, false]);
  expect(attemptOf(other).attemptNo).toBe(1);
  expect(registrationPayer.companyId).toBe(payer.companyId);
});
