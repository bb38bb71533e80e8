/** What every change must hold when it is applied: each guard alone keeps one back, and nothing has changed then. */
import { describe, expect } from 'vitest';
import type { RegistrationChange } from '../../../src/registration/rules/change.ts';
import type { Registration } from '../../../src/registration/rules/registration.ts';
import { noonMs } from '../../support/journal-fixtures.ts';
import { type RegistrationJournal, testOnEngines } from '../../support/registration-engines.ts';
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
  registrationBatchId,
  registrationPayer,
  runRegistrations,
} from '../../support/registration-journal.ts';

async function readyOne({ store }: RegistrationJournal): Promise<Registration> {
  const [ready] = await runRegistrations(store, [makeRegistrationRow(1), makeRegistrationRow(2)]);
  if (ready === undefined) throw new Error('none is ready');
  return ready;
}

/** All that a change may change. */
async function lookAtAll({ look }: RegistrationJournal): Promise<string> {
  const tables = ['', '_asked', '_attempt', '_claim', '_event', '_callback', '_version', '_place'];
  const found: unknown[] = [];
  for (const name of tables) found.push(await look(`select * from registration${name}`));
  return JSON.stringify(found);
}

const item = { proposalId: 1, itemNo: 1 };

const propose = (status: string): string => `
insert into proposal (proposal_id, decision, status, note, maker, people, made_at_ms, expires_at_ms, items, total_satang, digest,
    figures)
  values (1, 'cancel', '${status}', 'why', 'm', 1, 1, 2, 1, '0', '${'a'.repeat(64)}', '{}');
insert into proposal_item (proposal_id, item_no, kind, key, version, status) values (1, 1, 'payout', '1', '2', 'open');`;

const halt = `insert into payer_halt (company_id, payer_account, code, reason, remedy, since_ms)
  values ('${registrationPayer.companyId}', '${registrationPayer.payerAccount}', 'c', 'r', 'm', 1)`;

/** What lets a change through, and what alone keeps it back. */
const guards: Record<
  string,
  { readonly change: (ready: Registration) => RegistrationChange; readonly unless: string }
> = {
  'another version': {
    change: intentOf,
    unless: 'update registration set version = 3 where seq = 1',
  },
  'another status': {
    change: intentOf,
    unless: `update registration set status = 'held' where seq = 1`,
  },
  'a claim that another row holds': {
    change: intentOf,
    unless: `update registration_claim set registration_seq = 2 where registration_id = 'R1'`,
  },
  'a claim that was given back': {
    change: intentOf,
    unless: `update registration_claim set registration_seq = null where registration_id = 'R1'`,
  },
  'another of its identity that is awaited': {
    change: intentOf,
    unless: `update registration_asked set identity_key = (select identity_key from registration_asked where seq = 1) where seq = 2;
      update registration set status = 'acknowledged' where seq = 2`,
  },
  'a batch that is paused': {
    change: intentOf,
    unless: `update registration_batch set status = 'paused'`,
  },
  'a halt of one of its payers': { change: intentOf, unless: halt },
  'a release of what another holds': {
    change: (ready) => changeOf({ ...ready, status: 'cancelled' }, 'released', {}, { isReleased: true }),
    unless: `update registration_claim set registration_seq = 2 where registration_id = 'R1'`,
  },
  'an item that is dealt with': {
    change: (ready) => changeOf(ready, 'cancelled', { status: 'cancelled' }, { decision: item }),
    unless: `update proposal_item set status = 'stale'`,
  },
  'a callback that is bound': {
    change: (ready) => calledBack(ready, 'registered', 'called-back-after-all'),
    unless: 'update registration_callback set registration_seq = 2',
  },
};

describe('a change is applied, but not beside', () => {
  for (const [name, { change, unless }] of Object.entries(guards))
    testOnEngines(name, async (journal, makeAnother) => {
      const { store, tamper } = journal;
      const ready = await readyOne(journal);
      await tamper(propose('approved'));
      await store.keepCallback(callbackOf(makeInstruction(1)), null);
      if (name.startsWith('a release'))
        await tamper(`update registration set status = 'cancelled' where seq = 1`);
      await tamper(unless);
      const before = await lookAtAll(journal);
      expect(await store.applyRegistrations([change(ready)])).toEqual([false]);
      expect(await lookAtAll(journal)).toBe(before);
      await using other = await makeAnother();
      const free = await readyOne(other);
      await other.tamper(propose('approved'));
      await other.store.keepCallback(callbackOf(makeInstruction(1)), null);
      if (name.startsWith('a release'))
        await other.tamper(`update registration set status = 'cancelled' where seq = 1`);
      expect(await other.store.applyRegistrations([change(free)])).toEqual([true]);
    });
});

/** What no store applies, whatever stands in it: whoever composes it is wrong. */
const forbidden: Record<string, (ready: Registration) => RegistrationChange> = {
  'cannot become': (ready) => changeOf(ready, 'called-back', { status: 'registered' }),
  'composed for registration 2': (ready) => changeOf(ready, 'cancelled', { status: 'cancelled', seq: 2 }),
  'gives its registrationId back': (ready) =>
    changeOf(ready, 'cancelled', { status: 'cancelled' }, { isReleased: true }),
  'has a time until which it is': (ready) => {
    const { after, ...change } = intentOf(ready);
    return { ...change, after: { ...after, awaitedUntilMs: null } };
  },
  'the attempt is another’s': (ready) => {
    const { attempt, ...change } = intentOf(ready);
    return { ...change, attempt: { ...(attempt ?? attemptOf(ready)), registrationSeq: 2 } };
  },
  'is marked as one': (ready) =>
    changeOf(ready, 'cancelled', { status: 'cancelled' }, { intent: { payers: [] } }),
  'makes a new attempt': (ready) =>
    changeOf(ready, 'cancelled', { status: 'cancelled' }, { attempt: attemptOf(ready) }),
  'is not the next one': (ready) => {
    const { attempt, after, ...change } = intentOf(ready);
    return {
      ...change,
      after: { ...after, attemptNo: 2 },
      attempt: { ...(attempt ?? attemptOf(ready)), attemptNo: 2 },
    };
  },
  'sends something else': (ready) => {
    const { attempt, ...change } = intentOf(ready);
    return { ...change, attempt: { ...(attempt ?? attemptOf(ready)), instruction: makeInstruction(2) } };
  },
  'changes what it asks for': (ready) =>
    changeOf(ready, 'cancelled', {
      status: 'cancelled',
      instruction: makeInstruction(1, { accountNo: '1' }),
    }),
  'asks for something': (ready) =>
    changeOf(ready, 'cancelled', { status: 'cancelled', instruction: null }, { isCorrected: true }),
  'keeps the registrationId': (ready) =>
    changeOf(
      ready,
      'cancelled',
      { status: 'cancelled', instruction: makeInstruction(2) },
      { isCorrected: true },
    ),
  'is awaited is not corrected': (ready) => {
    const { after, attempt, ...change } = intentOf(ready);
    const instruction = makeInstruction(1, { accountNo: '1' });
    return {
      ...change,
      after: { ...after, instruction },
      attempt: { ...(attempt ?? attemptOf(ready)), instruction },
      isCorrected: true,
    };
  },
};

testOnEngines('what no table allows is refused as a bug of whoever composed it', async (journal) => {
  const ready = await readyOne(journal);
  const before = await lookAtAll(journal);
  for (const [why, change] of Object.entries(forbidden))
    await expect(journal.store.applyRegistrations([change(ready)])).rejects.toThrow(why);
  expect(await lookAtAll(journal)).toBe(before);
});

testOnEngines('a correction keeps what was asked for before, and is found by both', async (journal) => {
  const { store, look } = journal;
  const ready = await readyOne(journal);
  const { now: sent } = await applyOne(store, intentOf(ready));
  const failed = { status: 'failed', awaitedUntilMs: null } as const;
  const { now } = await applyOne(store, changeOf(sent, 'turned-down', failed));
  const instruction = makeInstruction(1, { accountNo: '7770001' });
  await journal.tamper(propose('approved'));
  const again = { status: 'ready', instruction } as const;
  const corrected = changeOf(now, 'tried-again', again, { isCorrected: true, decision: item });
  expect((await applyOne(store, corrected)).now.instruction).toEqual(instruction);
  const [history] = await store.findRegistrations('R1');
  expect(history?.row.instruction?.accountNo).toBe('1234560001');
  expect(history?.row.currentInstruction?.accountNo).toBe('7770001');
  expect(history?.attempts[0]?.instruction.accountNo).toBe('1234560001');
  for (const accountNo of ['1234560001', '7770001'])
    expect(await store.searchRegistrations({ accountNo }, 100, 10)).toMatchObject([{ seq: 1 }]);
  const [version] = await look('select instruction, replaced from registration_version');
  expect(Object.values(version ?? {}).map((text) => JSON.parse(String(text)))).toEqual([
    instruction,
    ready.instruction,
  ]);
  expect(await look('select status from proposal_item')).toEqual([{ status: 'applied' }]);
  // The bank's word on what was sent before is still found.
  expect(await store.sentRegistrations(callbackOf(makeInstruction(1)).key)).toEqual([]);
});

testOnEngines(
  'concurrent calls are one commit, and one that cannot be applied is taken out',
  async ({ store, countCommits }) => {
    const rows = Array.from({ length: 20 }, (_one, place) => makeRegistrationRow(place + 1));
    const ready = await runRegistrations(store, rows);
    const second = intentOf(ready[1] as Registration);
    const twice = { ...second, attempt: { ...attemptOf(ready[1] as Registration), requestUid: 'uid-1-1' } };
    const before = await countCommits();
    const calls = [intentOf(ready[0] as Registration), twice, ...ready.slice(2).map((row) => intentOf(row))];
    const kept = store.keepCallback(callbackOf(makeInstruction(99)), null);
    const settled = await Promise.allSettled(calls.map(async (change) => store.applyRegistrations([change])));
    expect(settled.map(({ status }) => status)).toEqual(
      calls.map((_call, place) => (place === 1 ? 'rejected' : 'fulfilled')),
    );
    expect(await kept).toBe(true);
    expect((await countCommits()) - before).toBe(1);
    expect(await present(store, { seq: 2 })).toMatchObject({ status: 'ready', attemptNo: 0 });
    expect(await store.countAwaitedRegistrations(registrationBatchId)).toBe(19);
    expect(await store.submittedRegistrations(noonMs + 1, 15, 3)).toHaveLength(3);
  },
);
