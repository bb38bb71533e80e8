/** What people are told of the journal as a whole: each change once, also by the next process, and nothing lost by a kill. */
import { inEnglish, verbatim } from '../../../src/core/message.ts';
import { expect, test } from 'vitest';
import { AttentionNotices, readAttention, ReadinessNotices } from '../../../src/app/notices/attention.ts';
import { EarlyNotices, Notifier } from '../../../src/app/notices/notifier.ts';
import type { Session } from '../../../src/app/session.ts';
import type { NoticeSender } from '../../../src/notify/rules/notice.ts';
import { BankClock } from '../../../src/payout/bank-clock.ts';
import { journalChanged } from '../../../src/payout/rules/seal.ts';
import { loadSettings } from '../../../src/settings/settings.ts';
import type { Store } from '../../../src/store/store.ts';
import {
  countAlarms,
  type HealthReason,
  listCriticalBreaks,
  listLateStatements,
  sayHealth,
} from '../../../src/watch/rules/health.ts';
import { fetchAndReconcile } from '../../end-to-end/statement-day.ts';
import { noonMs } from '../../support/core-fixtures.ts';
import { header, makeRehearsal, type Rehearsal } from '../../support/rehearsal.ts';
import { makeSqliteStore } from '../../support/sqlite-store.ts';
import { makeVirtualClock, type VirtualClock } from '../../support/virtual-clock.ts';

const minuteMs = 60_000;

const deniedPaid = '1013.25';

/** A day with a row that the bank had refused, and that its statement shows complete. Nothing is in doubt or waited for. */
async function openDay(): Promise<Rehearsal> {
  const complete = {
    edit: 'alter',
    match: { reference1: 'INV2' },
    columns: { STATUS: '010004', 'REASON CODE': 'IC000' },
  };
  const rehearsal = await makeRehearsal({
    sandbox: {
      behaviours: [{ match: { amount: deniedPaid }, money: 'fails', code: 'EM003' }],
      statement: { today: true, edits: [complete] },
    },
    verify: { enabled: false },
  });
  const rows = `P1,MSISDN,0810000001,,10.00,INV1,\nP2,MSISDN,0810000012,,${deniedPaid},INV2,\n`;
  await rehearsal.run(`${header}\n${rows}`);
  return rehearsal;
}

const notifierOf = ({ loaded, clock }: Pick<Session, 'loaded' | 'clock'>, store: Store): Notifier =>
  new Notifier(loaded, {
    store,
    senders: [{ channel: 'command', send: async () => ({ ok: true }) }],
    clock,
    log: () => undefined,
    random: () => 0,
  });

const kept = async (store: Store) => store.dueNotices(Number.MAX_SAFE_INTEGER, 100);

/** A process that looks; `look` gives the kinds of the notices that it has made. */
function begin(watched: Session, store: Store = watched.journal) {
  const notices = new AttentionNotices(watched, notifierOf(watched, store));
  return {
    look: async (isSettled = true) => {
      const before = (await kept(watched.journal)).length;
      const attention = await readAttention(watched);
      await notices.notify(attention, isSettled);
      const made = (await kept(watched.journal)).slice(before);
      return { attention, made, kinds: made.map(({ kind }) => kind) };
    },
  };
}

test('a late statement, its coming, critical breaks and alarms are told once each, and not again by the next process', async () => {
  await using rehearsal = await openDay();
  await rehearsal.withSender(async (own) => {
    let minutes = 0;
    const clock = { ...own.clock, now: () => own.clock.now() + minutes * minuteMs };
    const sender = { ...own, clock };
    let process = begin(sender);
    minutes = 23 * 60 + 55;
    expect((await process.look()).kinds).toEqual([]);
    minutes = 24 * 60 + 1;
    const late = await process.look();
    expect(late.made.map(({ body }) => [body['kind'], body['statement']])).toEqual([
      ['statement-late', '2026-11-21'],
    ]);
    expect(listLateStatements(late.attention)).toEqual(['20261121']);
    expect((await process.look()).kinds).toEqual([]);
    process = begin(sender);
    expect((await process.look()).kinds).toEqual([]);

    await fetchAndReconcile(sender);
    // Whoever only looks now and then waits until the breaks come to rest.
    const first = await process.look(false);
    expect(first.kinds).toEqual(['statement-came', 'alarm']);
    expect(countAlarms(first.attention)).toBe(1);
    expect(listCriticalBreaks(first.attention)).toEqual([{ date: '20261121', breaks: 1 }]);
    const second = await process.look(false);
    expect(second.kinds).toEqual(['critical-breaks']);
    expect(second.made[0]?.body).toMatchObject({
      breaks: 1,
      amount: deniedPaid,
      severity: 'critical',
      statement: '2026-11-21',
      firstBreaks: [{ kind: 'status-mismatch', payoutId: 'P2', amount: deniedPaid }],
      reports: [expect.stringMatching(/20261121\.v1\.breaks\.csv$/)],
    });
    const [, alarm] = first.made;
    expect(alarm?.body).toMatchObject({ rows: 1, amount: deniedPaid, reasonCode: 'late-proof' });
    for (const { body } of [...first.made.slice(1), ...second.made]) {
      expect(body['commands']).toContainEqual(
        expect.stringMatching(/^paydrop \w+ .*--config \S+paydrop\.yaml$/),
      );
      expect(JSON.stringify(body)).not.toMatch(/08\d{8}/);
    }
    for (const one of [process, begin(sender)]) {
      expect((await one.look(false)).kinds).toEqual([]);
      expect((await one.look(true)).kinds).toEqual([]);
    }
  });
});

test('what a process could not keep before it was killed is told by the next', async () => {
  await using rehearsal = await openDay();
  await rehearsal.withSender(async (own) => {
    const sender = { ...own, clock: { ...own.clock, now: () => own.clock.now() + 24 * 60 * minuteMs } };
    await fetchAndReconcile(sender);
    const refusing: Store = {
      ...own.journal,
      addNotice: () => Promise.reject(new Error('the disk is full')),
    };
    const killed = begin(sender, refusing);
    expect((await killed.look()).kinds).toEqual([]);
    // In memory it is told: the same process does not make it again.
    expect((await killed.look()).kinds).toEqual([]);
    expect((await begin(sender).look()).kinds.toSorted()).toEqual(['alarm', 'critical-breaks']);
  });
});

const loaded = loadSettings({ configPath: 'config/sandbox.yaml', cwd: process.cwd(), env: {} });

test('clocks and a journal that was changed are told once for each change', async () => {
  await using opened = await makeSqliteStore();
  const { store: journal } = opened;
  const clock = makeVirtualClock(noonMs);
  const open = () => {
    const bankClock = new BankClock(clock);
    return { bankClock, ...begin({ loaded, journal, clock, bankClock } as Partial<Session> as Session) };
  };
  let process = open();
  const see = async (offsetMinutes: number | undefined) => {
    clock.skip(1_000);
    if (offsetMinutes === undefined) process.bankClock.hear(undefined);
    else process.bankClock.see({ bankDateMs: clock.now() + offsetMinutes * minuteMs });
    const { made, attention } = await process.look();
    return [attention.clock?.kind, ...made.map(({ body }) => String(body['status']))];
  };
  expect((await process.look()).kinds).toEqual([]);
  expect(await see(undefined)).toEqual(['untold', 'untold']);
  expect(await see(undefined)).toEqual(['untold']);
  expect(await see(0)).toEqual([undefined, 'agrees']);
  expect(await see(3)).toEqual([undefined, 'jumped']);
  expect(await see(0)).toEqual([undefined]);
  expect(await see(6)).toEqual(['differs', 'differs']);
  expect(await see(30)).toEqual(['differs']);
  process = open();
  expect(await see(30)).toEqual(['differs']);
  process = open();
  expect(await see(0)).toEqual([undefined, 'agrees']);

  const why = {
    code: journalChanged,
    reason: verbatim('batch B is not what was sealed'),
    remedy: verbatim('find out'),
  };
  const { companyId, payerAccount } = loaded.settings.bank;
  await journal.recordPayerHalt({ companyId, payerAccount, ...why, sinceMs: noonMs });
  const halted = await process.look();
  expect(halted.made.map(({ body }) => [body['kind'], body['reason'], body['remedy']])).toEqual([
    ['sums', inEnglish(why.reason), inEnglish(why.remedy)],
  ]);
  expect((await open().look()).kinds).toEqual([]);
});

const bankAway: HealthReason = {
  code: 'bank',
  text: verbatim('the bank is out of reach'),
  remedy: verbatim('wait'),
  command: 'paydrop config --login',
};

/** Looks every two seconds for so many minutes. */
async function lookFor(one: ReadinessNotices, clock: VirtualClock, minutes: number, reasons: HealthReason[]) {
  for (let at = 0; at < minutes * 30; at += 1) {
    await one.look({ ready: reasons.length === 0, reasons });
    clock.skip(2_000);
  }
}

test('that a watcher is not ready, and ready again, is told once, whatever is restarted in between', async () => {
  await using opened = await makeSqliteStore();
  const { store } = opened;
  const clock = makeVirtualClock(noonMs);
  const open = () => new ReadinessNotices(notifierOf({ loaded, clock }, store), clock, minuteMs);
  await lookFor(open(), clock, 5, [bankAway]);
  await lookFor(open(), clock, 5, [bankAway]);
  const last = open();
  await lookFor(last, clock, 1, [bankAway]);
  await lookFor(last, clock, 10, []);
  await lookFor(open(), clock, 10, []);
  const notices = await kept(store);
  expect(notices.map(({ kind, atMs }) => [kind, (atMs - noonMs) / minuteMs])).toEqual([
    ['not-ready', 1],
    ['ready', 12],
  ]);
  expect(notices[0]?.body).toMatchObject({
    reasonCode: 'bank',
    reasons: [sayHealth('en', bankAway)],
    commands: [bankAway.command],
    severity: 'critical',
  });
  expect(notices[1]?.body).toMatchObject({ notReadySince: '2026-11-21T12:01:00+07:00' });
});

test('one that stands by tells what keeps it from the journal, with its reason, and when nothing does any more', async () => {
  const clock = makeVirtualClock(noonMs);
  const log = () => undefined;
  const early = new EarlyNotices(loaded, {
    senders: [{ channel: 'webhook', send: async () => ({ ok: true }) }],
    clock,
    log,
    random: () => 0,
  });
  const readiness = new ReadinessNotices(early, clock, minuteMs);
  const away: HealthReason = { ...bankAway, code: 'journal-away', command: 'pg_isready' };
  const standby: HealthReason = { ...bankAway, code: 'standby' };
  const last = () => early.unkept.last('readiness:');
  await lookFor(readiness, clock, 0.5, [standby, away]);
  await lookFor(readiness, clock, 5, [standby]);
  expect(last()).toBeUndefined();
  await lookFor(readiness, clock, 2, [standby, away]);
  expect(last()).toMatchObject({
    kind: 'not-ready',
    body: {
      severity: 'critical',
      reasonCode: 'journal-away',
      reasons: [sayHealth('en', away)],
      commands: ['pg_isready'],
    },
  });
  await lookFor(readiness, clock, 2, [standby]);
  expect(last()).toMatchObject({
    kind: 'ready',
    body: { status: 'standby', reason: expect.stringContaining('stands by again') },
  });
});

test('a trouble of the journal itself is sent though the journal takes nothing, and kept when it does', async () => {
  await using opened = await makeSqliteStore();
  const clock = makeVirtualClock(noonMs);
  let isFull = true;
  const store: Store = {
    ...opened.store,
    addNotice: async (...notice) => {
      if (isFull) throw new Error('the disk is full');
      await opened.store.addNotice(...notice);
    },
  };
  const sent: string[] = [];
  const send: NoticeSender['send'] = async ({ kind }) => {
    sent.push(kind);
    return { ok: true };
  };
  const notifier = new Notifier(loaded, {
    store,
    senders: [{ channel: 'webhook', send }],
    clock,
    log: () => undefined,
    random: () => 0,
  });
  const stop = new AbortController();
  const delivering = notifier.deliver(stop.signal);
  const readiness = new ReadinessNotices(notifier, clock, minuteMs);
  await lookFor(readiness, clock, 2, [{ ...bankAway, code: 'disk' }]);
  await clock.advance(1_000);
  expect(sent).toEqual(['not-ready']);
  isFull = false;
  await lookFor(readiness, clock, 3, []);
  await clock.advance(minuteMs);
  expect(sent).toEqual(['not-ready', 'ready']);
  expect([(await opened.store.lastNotice('readiness:'))?.kind, await opened.store.countNotices()]).toEqual([
    'ready',
    0,
  ]);
  stop.abort();
  await clock.drive(delivering);
});

test('a journal that does not answer from the beginning keeps nothing from being told, and is heard later', async () => {
  await using opened = await makeSqliteStore();
  const clock = makeVirtualClock(noonMs);
  const answer = Promise.withResolvers<void>();
  const store: Store = {
    ...opened.store,
    lastNotice: async (...asked) => {
      await answer.promise;
      return opened.store.lastNotice(...asked);
    },
  };
  const first = new ReadinessNotices(notifierOf({ loaded, clock }, opened.store), clock, minuteMs);
  await lookFor(first, clock, 2, [bankAway]);
  const readiness = new ReadinessNotices(notifierOf({ loaded, clock }, store), clock, minuteMs);
  const look = async (reasons: HealthReason[]) => {
    for (let at = 0; at < 60; at += 1) {
      await clock.drive(readiness.look({ ready: reasons.length === 0, reasons }));
      await clock.advance(2_000);
    }
  };
  const away: HealthReason = { ...bankAway, code: 'journal-away' };
  await look([away]);
  answer.resolve();
  const kinds = async () =>
    (await kept(store)).map(({ kind, body }) => `${kind} ${String(body['reasonCode'])}`);
  expect(await kinds()).toEqual(['not-ready bank', 'not-ready journal-away']);
  await look([]);
  expect(await kinds()).toEqual(['not-ready bank', 'not-ready journal-away', 'ready undefined']);
});

test('a watcher that has told of a trouble tells its end though it has lost its place to another since', async () => {
  await using opened = await makeSqliteStore();
  const clock = makeVirtualClock(noonMs);
  const sender: NoticeSender = { channel: 'webhook', send: async () => ({ ok: true }) };
  const context = { senders: [sender], clock, log: () => undefined, random: () => 0 };
  const early = new EarlyNotices(loaded, context);
  const readiness = new ReadinessNotices(early, clock, minuteMs);
  readiness.moveTo(notifierOf({ loaded, clock }, opened.store));
  await lookFor(readiness, clock, 2, [{ ...bankAway, code: 'journal-away' }]);
  readiness.moveTo(early);
  await lookFor(readiness, clock, 2, [{ ...bankAway, code: 'standby' }]);
  expect(early.unkept.last('readiness:')).toMatchObject({ kind: 'ready', body: { status: 'standby' } });
  // The journal tells the notifier, once it sends again, which notices the other has sent.
  await lookFor(
    new ReadinessNotices(notifierOf({ loaded, clock }, opened.store), clock, minuteMs),
    clock,
    2,
    [bankAway],
  );
  readiness.moveTo(notifierOf({ loaded, clock }, opened.store));
  await lookFor(readiness, clock, 2, [bankAway]);
  expect((await kept(opened.store)).filter(({ body }) => body['reasonCode'] === 'bank')).toHaveLength(1);
});

test('a watcher that a full disk keeps from its journal tells of it, and goes on from there once it has it', async () => {
  await using opened = await makeSqliteStore();
  const { store } = opened;
  const clock = makeVirtualClock(noonMs);
  const sent: string[] = [];
  const send: NoticeSender['send'] = async ({ kind }) => {
    sent.push(kind);
    return { ok: true };
  };
  const context = {
    senders: [{ channel: 'webhook', send }],
    clock,
    log: () => undefined,
    random: () => 0,
  } as const;
  const early = new EarlyNotices(loaded, context);
  const readiness = new ReadinessNotices(early, clock, minuteMs);
  const over = new AbortController();
  const delivering = early.deliver(over.signal);
  await lookFor(readiness, clock, 2, [
    { ...bankAway, code: 'disk' },
    { ...bankAway, code: 'starting' },
  ]);
  await clock.advance(1_000);
  expect(sent).toEqual(['not-ready']);
  over.abort();
  await clock.drive(delivering);
  readiness.moveTo(new Notifier(loaded, { ...context, store }, early.unkept));
  await lookFor(readiness, clock, 3, []);
  expect((await kept(store)).map(({ kind }) => kind)).toEqual(['ready']);
  expect(await store.lastNotice('readiness:disk')).toMatchObject({
    kind: 'not-ready',
    body: { reasons: [{ code: 'disk' }] },
  });

  // One that has told nothing before its journal was open knows from there what an earlier process has told.
  const next = new ReadinessNotices(new EarlyNotices(loaded, context), clock, minuteMs);
  await lookFor(readiness, clock, 3, [bankAway]);
  await lookFor(next, clock, 1, [{ ...bankAway, code: 'starting' }]);
  next.moveTo(notifierOf({ loaded, clock }, store));
  await lookFor(next, clock, 3, []);
  expect((await kept(store)).map(({ kind }) => kind)).toEqual(['ready', 'not-ready', 'ready']);
});
