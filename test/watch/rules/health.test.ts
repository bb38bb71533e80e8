import { message, verbatim } from '../../../src/core/message.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { closeBreaker, openBreaker } from '../../../src/payout/rules/circuit-breaker.ts';
import {
  type HealthReason,
  judgeHealth,
  type PayerHealth,
  readPayer,
  sayHealth,
  showHealth,
  watchRoles,
  type WatchState,
} from '../../../src/watch/rules/health.ts';

const nowMs = Date.parse('2026-11-21T03:00:00Z');
const second = 1_000;
const account = '0000345924';

const inbox = { state: { kind: 'there' }, waiting: 2, stuck: [], left: [] } as const;
const well: WatchState = {
  role: 'active',
  inbox,
  diskTrouble: undefined,
  bankTrouble: undefined,
  payers: [],
  filesInWork: 0,
  rowsInDoubt: 0,
  oldestInDoubtAtMs: undefined,
  openBatches: 0,
  failingBatches: [],
  lastPollMs: nowMs - second,
};

const why = { code: 'ET004', reason: verbatim('maintenance'), remedy: verbatim('wait for the bank') };
const ofAccount = {
  account: message('account.payer', { number: '******5924' }),
  haltedSinceMs: undefined,
  paysNewFiles: true,
};
const payer = (status: PayerHealth['status'], part: Partial<PayerHealth> = {}): PayerHealth => ({
  status,
  why: status === 'open' ? null : why,
  pausedUntilMs: nowMs + 30 * second,
  ...ofAccount,
  ...part,
});
const closed: PayerHealth = { ...closeBreaker(openBreaker, nowMs + 3_600 * second), ...ofAccount };
const over = { pausedUntilMs: nowMs - second };
const trouble = { sinceMs: nowMs - 60 * second, why: 'it is broken: mend it' };
const growth = {
  sha256: 'f0',
  bytes: 9,
  rows: 2,
  amount: '2.00',
  payoutIds: ['B1'],
  seenAtMs: 0,
  isTold: true,
};
const grown = {
  itemId: '20261121T070305123-48b2f8',
  batchId: 'B000000001',
  fileName: 'a.csv',
  path: '/archive/a.csv',
  inode: '7',
  bytes: 5,
  sha256: 'e0',
  untilMs: 1,
  isWatched: true,
  growth,
};
const failing = [{ batchId: 'B000000001', why: `no row of ${account}`, namesTaken: [] }];

const place = {
  command: { settingsPath: '/etc/paydrop.yaml', dataDir: '/srv/my data' },
  dataDir: '/srv/my data',
  inbox: '/srv/my data/inbox',
  registrations: '/srv/my data/inbox/registrations',
};
const amiss = {
  entries: [
    { code: 'statement-late', count: 1, args: { day: '20261120' } },
    { code: 'critical-breaks', count: 3, args: { day: '20261119', critical: 1 } },
    { code: 'alarm', count: 2, args: {} },
  ],
  clock: { kind: 'differs', text: verbatim('the clock is 6 minutes ahead') },
  clockOffsetMs: -360_000,
} as const;

const codes = (state: WatchState) => {
  const { live, ready, reasons, notes } = judgeHealth(state, nowMs);
  return { live, ready, reasons: reasons.map(({ code }) => code), notes: notes.map(({ code }) => code) };
};

const inEnglish = (reasons: readonly HealthReason[]) => reasons.map((reason) => sayHealth('en', reason));

describe('a watcher', () => {
  test.each<[string, Partial<WatchState>, string[], string[]]>([
    ['that is well', {}, [], []],
    ['on standby', { role: 'standby' }, ['standby'], []],
    ['that starts', { role: 'starting' }, ['starting'], []],
    ['that is being stopped', { role: 'stopping' }, ['stopping'], []],
    [
      'without its inbox',
      { inbox: { ...inbox, state: { kind: 'gone', why: 'mount it', isMissing: false } } },
      ['inbox-gone'],
      [],
    ],
    ['whose inbox answers slowly', { inboxPollMs: 60 * second }, [], []],
    ['whose inbox never answers', { inboxPollMs: 61 * second }, ['inbox-unresponsive'], []],
    [
      'whose inbox hangs at the start',
      { inbox: undefined, inboxPollMs: 61 * second },
      ['inbox-unresponsive'],
      [],
    ],
    [
      'without its inbox of registrations',
      { registrations: { inbox: { ...inbox, state: { kind: 'gone', why: 'mount it', isMissing: false } } } },
      ['inbox-gone'],
      [],
    ],
    [
      'whose inbox of registrations never answers',
      { registrations: { inbox, inboxPollMs: 61 * second } },
      ['inbox-unresponsive'],
      [],
    ],
    [
      'whose inbox of registrations hangs at the start',
      { registrations: { inbox: undefined, inboxPollMs: 61 * second } },
      ['inbox-unresponsive'],
      [],
    ],
    [
      'with registrations that nobody takes, and one too big for its work folder',
      {
        registrations: {
          inbox: { ...inbox, left: ['a.csv'], stuck: [{ fileName: 'b.csv', why: 'free space' }] },
        },
      },
      [],
      ['file-stuck', 'inbox-left'],
    ],
    ['beside what nobody takes', { inbox: { ...inbox, left: ['a.csv'] } }, [], ['inbox-left']],
    [
      'with a file too big for work/',
      { inbox: { ...inbox, stuck: [{ fileName: 'a.csv', why: 'free space' }] } },
      [],
      ['file-stuck'],
    ],
    ['whose journal is locked', { journalTrouble: trouble }, ['journal-locked'], []],
    ['whose database is away', { journalAway: trouble }, ['journal-away'], []],
    ['on a disk that is full', { diskTrouble: trouble }, ['disk'], []],
    ['without its bank', { bankTrouble: trouble }, ['bank'], []],
    ['with everything amiss', { diskTrouble: trouble, bankTrouble: trouble }, ['disk', 'bank'], []],
    ['with an open payer', { payers: [payer('open')] }, [], []],
    ['whose payer is paused', { payers: [payer('paused')] }, ['payer-paused'], []],
    ['whose payer is halted', { payers: [payer('halted')] }, ['payer-halted'], []],
    ['outside the service hours', { payers: [closed] }, [], ['service-closed']],
    ['whose pause is over, idle', { payers: [payer('paused', over)] }, [], ['payer-paused']],
    ['that is trying again', { payers: [payer('paused', over)], filesInWork: 1 }, ['payer-paused'], []],
    [
      'with an earlier account halted',
      { payers: [payer('halted', { paysNewFiles: false })] },
      [],
      ['payer-halted'],
    ],
    [
      'with an earlier account paused',
      { payers: [payer('paused', { paysNewFiles: false })] },
      [],
      ['payer-paused'],
    ],
    ['with a batch that fails', { failingBatches: failing }, [], ['batch-failing']],
    ['with a file that has grown', { grownFiles: [grown] }, [], ['file-grown']],
  ])('%s', (_, part, reasons, notes) => {
    expect(codes({ ...well, ...part })).toEqual({ live: true, ready: reasons.length === 0, reasons, notes });
  });

  test.each([
    ['for a minute', 60 * second, true],
    ['for longer', 60 * second + 1, false],
    ['in a future that a clock once had', -3_600 * second, true],
  ])('is alive when its loop has not turned %s: %s ms, %s', (_, idleMs, live) => {
    const health = judgeHealth({ ...well, lastPollMs: nowMs - idleMs }, nowMs);
    expect(health).toMatchObject({ live, ready: live });
    expect(health.reasons.map(({ code }) => code)).toEqual(live ? [] : ['loop-stalled']);
  });

  test('counts its own idle time by a steady clock where it has one', () => {
    expect(judgeHealth({ ...well, lastPollMs: 0 }, nowMs, second).live).toBe(true);
    expect(judgeHealth(well, nowMs, 61 * second).live).toBe(false);
  });

  test('that is stopping stays alive until it has ended', () => {
    expect(codes({ ...well, role: 'stopping', lastPollMs: 0 })).toMatchObject({ live: true, ready: false });
  });

  test('says why and what to do', () => {
    const sick = { ...well, diskTrouble: trouble, payers: [payer('paused')] };
    const { reasons } = judgeHealth({ ...sick, place }, nowMs);
    expect(inEnglish(reasons)).toEqual([
      {
        code: 'disk',
        text: 'the disk refuses writes since 2026-11-21 09:59:00 Bangkok time: it is broken: mend it',
        remedy: 'Nothing is sent meanwhile; goes on by itself when the trouble is over',
        command: "df -h '/srv/my data'",
      },
      {
        code: 'payer-paused',
        text: 'sending is paused until 2026-11-21 10:00:30 Bangkok time: maintenance (ET004)',
        remedy: 'wait for the bank',
        command: "paydrop status --config /etc/paydrop.yaml --data-dir '/srv/my data'",
      },
    ]);
  });

  test('names the inbox that is gone, or does not answer, and the folder to look at', () => {
    const gone = {
      inbox: { ...inbox, state: { kind: 'gone', why: 'cannot use it', isMissing: false } },
    } as const;
    const { reasons } = judgeHealth({ ...well, ...gone, registrations: gone, place }, nowMs);
    expect(reasons.map(({ command }) => command)).toEqual([
      "ls -ld '/srv/my data/inbox'",
      "ls -ld '/srv/my data/inbox/registrations'",
    ]);
    const silent = judgeHealth({ ...well, registrations: { inbox, inboxPollMs: 61 * second }, place }, nowMs);
    expect(inEnglish(silent.reasons)).toMatchObject([
      {
        text: expect.stringMatching(/^the inbox of registrations, or the way .* for 61 seconds$/),
        command: "findmnt --target '/srv/my data/inbox/registrations'",
      },
    ]);
  });

  test('names the command that makes an inbox which is not there', () => {
    const state = { kind: 'gone', why: 'the folder is not there', isMissing: true } as const;
    const { reasons } = judgeHealth({ ...well, registrations: { inbox: { ...inbox, state } }, place }, nowMs);
    expect(reasons).toMatchObject([
      { code: 'inbox-gone', command: "mkdir -p '/srv/my data/inbox/registrations'" },
    ]);
  });

  test('names the account that is halted, without its number, and since when', () => {
    const { reasons } = judgeHealth({ ...well, payers: [payer('halted', { haltedSinceMs: nowMs })] }, nowMs);
    expect(inEnglish(reasons)).toMatchObject([
      {
        text: 'sending is halted for account ******5924 since 2026-11-21 10:00:00 Bangkok time: maintenance (ET004)',
      },
    ]);
  });

  test('names a remedy and a command with each reason and note', () => {
    for (const role of watchRoles) {
      const sick: WatchState = {
        ...well,
        role,
        inbox: {
          state: { kind: 'gone', why: 'mount it', isMissing: false },
          waiting: 0,
          stuck: [{ fileName: 'a', why: 'x' }],
          left: ['b'],
        },
        diskTrouble: trouble,
        journalTrouble: trouble,
        journalAway: trouble,
        bankTrouble: trouble,
        journalDamage: trouble,
        payers: [payer('halted'), payer('paused', { paysNewFiles: false }), closed],
        failingBatches: failing,
        grownFiles: [grown],
        attention: amiss,
      };
      const { reasons, notes } = judgeHealth(sick, nowMs);
      for (const { remedy, command } of inEnglish([...reasons, ...notes])) {
        expect(remedy).not.toBe('');
        expect(command).toMatch(/^(paydrop|df|ls|fuser|pg_isready|findmnt|systemctl|timedatectl) /);
      }
    }
  });

  test('tells what people must look at, each with its command', () => {
    const { ready, notes } = judgeHealth(
      { ...well, attention: amiss, place: { ...place, command: { settingsPath: '/p.yaml' } } },
      nowMs,
    );
    expect(ready).toBe(true);
    expect(inEnglish(notes).map(({ code, text, command }) => [code, text, command])).toEqual([
      [
        'statement-late',
        'the statement of 2026-11-20 is late: payouts were sent on that day',
        'paydrop reconcile --date 2026-11-20 --config /p.yaml',
      ],
      [
        'critical-breaks',
        '1 critical break is open on 2026-11-19',
        'paydrop reconcile --date 2026-11-19 --config /p.yaml',
      ],
      ['alarm', 'ALARM: 2 rows contradict what was called proved', 'paydrop status --config /p.yaml'],
      ['clock', 'the clock is 6 minutes ahead', 'timedatectl status'],
    ]);
  });
});

describe('a payer', () => {
  test.each<[string, PayerHealth]>([
    ['open', payer('open')],
    ['halted', payer('halted')],
    ['paused', payer('paused')],
    ['probing', payer('paused', { pausedUntilMs: nowMs })],
    ['closed', closed],
    ['open', { ...closed, pausedUntilMs: nowMs }],
  ])('is %s', (word, one) => expect(readPayer(one, nowMs)).toBe(word));
});

const anyNumber = fc.constantFrom(
  account,
  '345-1-24680-9',
  '0812345678',
  '+66812345678',
  '9-0000-00000-00-4',
  'no-0812345678',
);

describe('what is shown', () => {
  test('holds no number of a person or an account, whatever the texts hold', () => {
    fc.assert(
      fc.property(anyNumber, fc.constantFrom('x', ''), (number, word) => {
        const text = `no account ${number}${word === '' ? '' : `, ${word}`}`;
        const told = { sinceMs: nowMs, why: text };
        const sick: WatchState = {
          ...well,
          inbox: {
            state: { kind: 'gone', why: text, isMissing: false },
            waiting: 0,
            left: [text],
            stuck: [{ fileName: text, why: text }],
          },
          diskTrouble: told,
          journalTrouble: told,
          bankTrouble: told,
          payers: [
            payer('halted', { why: { code: 'EM004', reason: verbatim(text), remedy: verbatim(text) } }),
          ],
          failingBatches: [{ batchId: 'B000000001', why: text, namesTaken: [] }],
        };
        const shown = JSON.stringify(showHealth(sick, nowMs));
        expect(shown).not.toContain(number);
        expect(shown).toContain(number.slice(-4));
        expect(shown).toContain('2026-11-21 10:00:00 Bangkok time');
      }),
    );
  });

  test('is ready exactly when no reason is given, and never when it is not alive', () => {
    const anyPayer = fc.constantFrom(
      payer('open'),
      payer('paused'),
      payer('paused', over),
      payer('halted'),
      closed,
    );
    const anyTrouble = fc.constantFrom(undefined, trouble);
    const anyState = fc
      .record({
        role: fc.constantFrom(...watchRoles),
        diskTrouble: anyTrouble,
        bankTrouble: anyTrouble,
        payers: fc.array(anyPayer, { maxLength: 2 }),
        filesInWork: fc.nat(2),
        lastPollMs: fc.integer({ min: nowMs - 200 * second, max: nowMs }),
      })
      .map((part): WatchState => ({ ...well, ...part }));
    fc.assert(
      fc.property(anyState, (state) => {
        const { live, ready, reasons } = judgeHealth(state, nowMs);
        expect(ready).toBe(reasons.length === 0);
        expect(ready && (!live || state.role !== 'active' || state.diskTrouble !== undefined)).toBe(false);
      }),
    );
  });

  test('is JSON with the figures, and the times of Bangkok', () => {
    const state: WatchState = {
      ...well,
      payers: [payer('paused'), closed],
      bankTrouble: trouble,
      failingBatches: failing,
      rowsInDoubt: 3,
      oldestInDoubtAtMs: nowMs - 3_600 * second,
    };
    const shown = showHealth(state, nowMs);
    expect(JSON.parse(JSON.stringify(shown))).toEqual(shown);
    expect(shown).toMatchObject({
      live: true,
      ready: false,
      role: 'active',
      at: '2026-11-21T10:00:00+07:00',
      lastLookAt: '2026-11-21T09:59:59+07:00',
      inbox: 'there',
      diskTroubleSince: null,
      bankTroubleSince: '2026-11-21T09:59:00+07:00',
      payers: [
        { state: 'paused', code: 'ET004', until: '2026-11-21T10:00:30+07:00', paysNewFiles: true },
        { state: 'closed', code: 'outside-service-hours', until: '2026-11-21T11:00:00+07:00' },
      ],
      filesWaiting: 2,
      filesInWork: 0,
      openBatches: 0,
      failingBatches: ['B000000001'],
      rowsInDoubt: 3,
      oldestInDoubtAt: '2026-11-21T09:00:00+07:00',
    });
  });
});
