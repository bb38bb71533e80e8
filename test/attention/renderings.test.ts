/** Every code of the attention list and its five renderings: each shows an entry, or the table says why it does not. */
import { expect, test } from 'vitest';
import { readAttention } from '../../src/attention/attention-list.ts';
import { type AttentionCode, attentionTerms, renderings, termsOf } from '../../src/attention/rules/codes.ts';
import {
  type Attention,
  type AttentionEntry,
  type EntryRows,
  makeEntry,
} from '../../src/attention/rules/entry.ts';
import { linesOfWaiting } from '../../src/cli/views/queue.ts';
import { addStops } from '../../src/cli/views/status.ts';
import { printable } from '../../src/core/outgoing-text.ts';
import { message, verbatim } from '../../src/core/message.ts';
import { noticeKinds } from '../../src/notify/rules/notice.ts';
import type { QueueKind } from '../../src/review/rules/queue.ts';
import { toSatang } from '../../src/core/money.ts';
import {
  healthCodes,
  judgeHealth,
  type HealthReason,
  type WatchState,
} from '../../src/watch/rules/health.ts';
import { openTestPage } from '../support/review-page.ts';

const codes = Object.keys(attentionTerms) as readonly AttentionCode[];
const isOfMachine = (code: AttentionCode): boolean =>
  (healthCodes as readonly string[]).includes(code) && !journalCodes.includes(code);
/** Codes that the journal itself says, under the names that health has for them, too. */
const journalCodes: readonly string[] = ['alarm', 'payer-halted', 'critical-breaks', 'statement-late'];

/** The kind of item by which the shell counts an entry. */
const kindOf: Readonly<Partial<Record<AttentionCode, QueueKind>>> = {
  'registration-alarm': 'registration',
  'payer-halted': 'payer',
  'critical-breaks': 'break',
  'high-breaks': 'break',
  breaks: 'break',
  proposal: 'proposal',
  'decisions-dropped': 'decisions',
  'in-doubt': 'doubt',
  'batch-halted': 'batch',
  'batch-approval': 'batch',
  'batch-held': 'batch',
  'file-refused': 'file',
  'statement-late': 'day',
  'registration-in-doubt': 'registration',
  'not-registered': 'registration',
  'registration-rejected': 'registration',
  'registration-held': 'registration',
  'unknown-callback': 'callback',
};

/** The notice that says an entry; codes without one say why in their terms. */
const noticeOf: Readonly<Partial<Record<AttentionCode, (typeof noticeKinds)[number]>>> = {
  alarm: 'alarm',
  'registration-alarm': 'registration-alarm',
  'payer-halted': 'not-ready',
  'critical-breaks': 'critical-breaks',
  proposal: 'people',
  'sent-back': 'people',
  'decisions-dropped': 'decisions-dropped',
  'batch-halted': 'batch-halted',
  'batch-approval': 'batch-done',
  'file-refused': 'file-rejected',
  'statement-late': 'statement-late',
  'unknown-callback': 'unknown-callbacks',
  'batch-failing': 'batch-failing',
  'file-grown': 'file-grown',
  clock: 'clock',
};

function rowsOf(code: AttentionCode): EntryRows {
  const kind = kindOf[code];
  if (kind === 'registration')
    return { of: 'registrations', filter: { statuses: ['failed'], causes: ['none such'], isAlarm: false } };
  if (kind !== undefined && kind !== 'doubt') return { of: 'items', kind, keys: ['x'] };
  return { of: 'payouts', filter: { statuses: ['failed'], causes: ['none such'], isWaiting: true } };
}

const entryOf = (code: AttentionCode): AttentionEntry =>
  makeEntry({
    code,
    cause: 'x',
    subject: verbatim(`the subject of ${code}`),
    reason: verbatim(`the reason of ${code}`),
    remedy: verbatim(`the remedy of ${code}`),
    sinceMs: 1_000,
    count: 3,
    amountSatang: toSatang(12_345n),
    args: { day: '20261120', critical: 1 },
    commands: [],
    decisions: [],
    rows: rowsOf(code),
  });

const idle: WatchState = {
  role: 'active',
  inbox: undefined,
  diskTrouble: undefined,
  bankTrouble: undefined,
  payers: undefined,
  filesInWork: 1,
  rowsInDoubt: undefined,
  oldestInDoubtAtMs: undefined,
  openBatches: undefined,
  failingBatches: undefined,
  lastPollMs: 0,
};
const trouble = { sinceMs: 0, why: 'it is so' };
const there = { state: { kind: 'there' }, waiting: 0, left: [], stuck: [] } as const;
const gone = { ...there, state: { kind: 'gone', why: 'it is away', isMissing: true } } as const;
const why = { code: 'x', reason: verbatim('why'), remedy: verbatim('remedy') };
const payer = {
  account: message('account.registrations'),
  haltedSinceMs: 0,
  paysNewFiles: true,
  pausedUntilMs: 9e9,
};
const entries = (code: AttentionCode) => ({
  attention: { entries: [entryOf(code)], clock: undefined, clockOffsetMs: undefined },
});

/** A watcher of which a code is true. */
const stateOf: Readonly<Partial<Record<AttentionCode, Partial<WatchState>>>> = {
  'loop-stalled': { lastPollMs: -1e9 },
  standby: { role: 'standby' },
  starting: { role: 'starting' },
  stopping: { role: 'stopping' },
  'inbox-gone': { inbox: gone },
  'inbox-unresponsive': { inbox: there, inboxPollMs: 1e9 },
  disk: { diskTrouble: trouble },
  'journal-locked': { journalTrouble: trouble },
  'journal-away': { journalAway: trouble },
  'journal-damaged': { journalDamage: trouble },
  bank: { bankTrouble: trouble },
  'payer-halted': { payers: [{ ...payer, status: 'halted', why }] },
  'payer-paused': { payers: [{ ...payer, status: 'paused', why }] },
  'service-closed': {
    payers: [{ ...payer, status: 'paused', why: { ...why, code: 'outside-service-hours' } }],
  },
  'batch-failing': { failingBatches: [{ batchId: 'B', why: 'it fails', namesTaken: [] }] },
  'file-stuck': { inbox: { ...there, stuck: [{ fileName: 'a.csv', why: 'no room' }] } },
  'inbox-left': { inbox: { ...there, left: ['folder'] } },
  alarm: entries('alarm'),
  'critical-breaks': entries('critical-breaks'),
  'statement-late': entries('statement-late'),
  clock: {
    attention: {
      entries: [],
      clock: { kind: 'differs', text: verbatim('ahead') },
      clockOffsetMs: 1,
    } as never,
  },
};

const saysOf = (code: AttentionCode): readonly HealthReason[] => {
  const { reasons, notes } = judgeHealth({ ...idle, ...stateOf[code] }, 0);
  return [...reasons, ...notes].filter((reason) => reason.code === code);
};

/** Health needs more of a journal or of files than a state can say here; their own tests show them. */
const shownElsewhere: readonly AttentionCode[] = ['after-loss', 'file-grown'];

const shows: Readonly<Record<'status' | 'health' | 'notice', (code: AttentionCode) => boolean>> = {
  status: (code) => {
    const kind = kindOf[code];
    if (kind !== undefined && !isOfMachine(code)) {
      return linesOfWaiting([entryOf(code)])
        .join()
        .includes('for a person');
    }
    const { text } = addStops(saysOf(code), { json: {}, text: printable('') });
    return text.includes('NOT SENDING') || text.includes('NOT TAKING FILES');
  },
  health: (code) => saysOf(code).length > 0,
  notice: (code) => {
    const kind = noticeOf[code] ?? (saysOf(code).length > 0 ? 'not-ready' : undefined);
    return kind !== undefined && (noticeKinds as readonly string[]).includes(kind);
  },
};

test.each(codes)('%s is shown by each rendering that does not say why it has none', (code) => {
  const { notShown } = termsOf(code);
  for (const rendering of ['status', 'health', 'notice'] as const) {
    if (notShown[rendering] !== undefined || shownElsewhere.includes(code)) continue;
    expect([rendering, shows[rendering](code)]).toEqual([rendering, true]);
  }
  for (const rendering of renderings) expect(notShown[rendering]?.length ?? 99).toBeGreaterThan(10);
});

test('health says nothing but what the table has', () => {
  expect(healthCodes.filter((code) => !(code in attentionTerms))).toEqual([]);
});

test('the queue page shows each entry with its subject, reason, remedy and sum, or none for a fault of the machine', async () => {
  const shown = codes.filter((code) => termsOf(code).notShown.queue === undefined);
  const list: Attention = {
    atMs: 0,
    movedRows: 0,
    entries: shown.map((code) => {
      const entry = entryOf(code);
      return code === 'sent-back' ? { ...entry, args: { maker: 1 } } : entry;
    }),
  };
  await using page = await openTestPage({ readAttention: async () => list });
  await page.signIn('mali', '/queue');
  const { text } = await page.browser.get('/queue');
  for (const code of shown) {
    expect(text).toContain(`the subject of ${code}<`);
    const group = await page.browser.get(`/queue/${code}.x`);
    expect(group.text).toContain(`the reason of ${code}<`);
    expect(group.text).toContain(`the remedy of ${code}<`);
    expect(group.text).toContain('123.45');
  }
  expect((await page.browser.get('/queue/no.such')).status).toBe(404);
});

test('a fault of the machine stands in no list of the journal', async () => {
  await using page = await openTestPage();
  const { entries: found } = await readAttention({
    journal: page.store,
    clock: page.users.clock,
    doubtAfterMs: 0,
    lateAtMs: 0,
  });
  expect(found).toEqual([]);
});
