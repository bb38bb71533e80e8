/** Every code of the attention list × its five renderings: each shows it, or the table of codes says why it does not. */
import { expect, test } from 'vitest';
import { readAttention } from '../../src/attention/attention-list.ts';
import { type AttentionCode, attentionTerms, renderings, termsOf } from '../../src/attention/rules/codes.ts';
import {
  type Attention,
  type AttentionEntry,
  type EntryRows,
  makeEntry,
} from '../../src/attention/rules/entry.ts';
import type { OwnedItem } from '../../src/attention/rules/items.ts';
import { addEntries, linesOfWaiting } from '../../src/cli/views/queue.ts';
import { addStops } from '../../src/cli/views/status.ts';
import { message, verbatim } from '../../src/core/message.ts';
import { toSatang } from '../../src/core/money.ts';
import { printable } from '../../src/core/outgoing-text.ts';
import { describeNotReady } from '../../src/notify/rules/journal-notices.ts';
import { isTrouble } from '../../src/notify/rules/readiness.ts';
import { noticeKinds } from '../../src/notify/rules/notice.ts';
import type { QueueKind } from '../../src/review/rules/queue.ts';
import { makeMetrics } from '../../src/watch/monitor/metrics.ts';
import {
  healthCodes,
  type HealthReason,
  judgeHealth,
  type WatchState,
} from '../../src/watch/rules/health.ts';
import { noonMs, payer as account, why as stop } from '../support/journal-fixtures.ts';
import { noticeScene } from '../support/notices.ts';
import { openTestPage } from '../support/review-page.ts';

const codes = Object.keys(attentionTerms) as readonly AttentionCode[];

/** A row: the things behind the entry, the state of a watcher that says it, and the notice of its own. */
interface Row {
  readonly kind?: QueueKind | 'payouts';
  readonly state?: Partial<WatchState>;
  readonly notice?: (typeof noticeKinds)[number];
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
    args: { day: '20261120', critical: 1, ...(code === 'sent-back' && { maker: 1 }) },
    commands: [],
    decisions: ['acknowledge'],
    rows: rowsOf(code),
  });

const there = { state: { kind: 'there' }, waiting: 0, left: [], stuck: [] } as const;
const idle: WatchState = {
  role: 'active',
  inbox: there,
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
const gone = { ...there, state: { kind: 'gone', why: 'it is away', isMissing: true } } as const;
const why = { code: 'x', reason: verbatim('why'), remedy: verbatim('remedy') };
const payer = {
  account: message('account.registrations'),
  haltedSinceMs: 0,
  paysNewFiles: true,
  pausedUntilMs: 9e9,
};
const entries = (code: AttentionCode) => ({
  attention: {
    entries: [{ code, count: 3, args: { day: '20261120', critical: 1 } }],
    clock: undefined,
    clockOffsetMs: undefined,
  },
});
const loss = { recoveredAtMs: 0, sinceDate: '20261119', untilDate: '20261120' };
const grown = {
  itemId: 'i',
  batchId: 'B',
  fileName: 'a.csv',
  path: '/a.csv',
  inode: '1',
  bytes: 1,
  sha256: 'ab',
  untilMs: null,
  isWatched: true,
  growth: { kind: 'rows', fileKey: 'k', rows: 1, amount: '1.00', payoutIds: ['P'] },
} as never;

/** Every code; without a row of its own it does not compile. */
const table: Readonly<Record<AttentionCode, Row>> = {
  alarm: { kind: 'payouts', state: entries('alarm'), notice: 'alarm' },
  'registration-alarm': { kind: 'registration', notice: 'registration-alarm' },
  'payer-halted': {
    kind: 'payer',
    state: { payers: [{ ...payer, status: 'halted', why }] },
  },
  'critical-breaks': {
    kind: 'break',
    state: entries('critical-breaks'),
    notice: 'critical-breaks',
  },
  'high-breaks': { kind: 'break' },
  proposal: { kind: 'proposal', notice: 'people' },
  'sent-back': { kind: 'proposal', notice: 'people' },
  'decisions-dropped': { kind: 'decisions', notice: 'decisions-dropped' },
  'in-doubt': { kind: 'payouts', notice: 'in-doubt' },
  unresolved: { kind: 'payouts' },
  disputed: { kind: 'payouts' },
  'batch-halted': { kind: 'batch', notice: 'batch-halted' },
  'batch-approval': { kind: 'batch', notice: 'batch-done' },
  'batch-held': { kind: 'batch' },
  'file-refused': { kind: 'file', notice: 'file-rejected' },
  'statement-late': {
    kind: 'day',
    state: entries('statement-late'),
    notice: 'statement-late',
  },
  breaks: { kind: 'break' },
  'not-paid': { kind: 'payouts' },
  rejected: { kind: 'payouts' },
  held: { kind: 'payouts' },
  'registration-in-doubt': { kind: 'registration' },
  'not-registered': { kind: 'registration' },
  'registration-rejected': { kind: 'registration' },
  'registration-held': { kind: 'registration' },
  'unknown-callback': { kind: 'callback', notice: 'unknown-callbacks' },
  'loop-stalled': { state: { lastPollMs: -1e9 } },
  standby: { state: { role: 'standby' } },
  starting: { state: { role: 'starting' } },
  stopping: { state: { role: 'stopping' } },
  'inbox-gone': { state: { inbox: gone } },
  'inbox-unresponsive': { state: { inbox: there, inboxPollMs: 1e9 } },
  disk: { state: { diskTrouble: trouble } },
  'journal-locked': { state: { journalTrouble: trouble } },
  'journal-away': { state: { journalAway: trouble } },
  'journal-damaged': { state: { journalDamage: trouble } },
  bank: { state: { bankTrouble: trouble } },
  'payer-paused': { state: { payers: [{ ...payer, status: 'paused', why }] } },
  'service-closed': {
    state: { payers: [{ ...payer, status: 'paused', why: { ...why, code: 'outside-service-hours' } }] },
  },
  'batch-failing': {
    state: { failingBatches: [{ batchId: 'B', why: 'it fails', namesTaken: [] }] },
    notice: 'batch-failing',
  },
  'after-loss': { state: { loss } },
  'file-stuck': {
    state: { inbox: { ...there, stuck: [{ fileName: 'a.csv', why: 'no room' }] } },
  },
  'inbox-left': { state: { inbox: { ...there, left: ['folder'] } } },
  'file-grown': { state: { grownFiles: [grown] }, notice: 'file-grown' },
  clock: {
    state: {
      attention: {
        entries: [],
        clock: { kind: 'differs', text: verbatim('ahead') },
        clockOffsetMs: 1,
      } as never,
    },
    notice: 'clock',
  },
};

function rowsOf(code: AttentionCode): EntryRows {
  const { kind = 'payouts' } = table[code];
  if (kind === 'payouts')
    return { of: 'payouts', filter: { statuses: ['failed'], causes: ['none such'], isWaiting: true } };
  return kind === 'registration'
    ? { of: 'registrations', filter: { statuses: ['failed'], causes: ['none such'], isAlarm: false } }
    : { of: 'items', kind, keys: ['20261120x'] };
}

async function metricsOf(state: WatchState): Promise<string> {
  const pace = { state: { limit: 1, ceiling: 1 } };
  const text = await makeMetrics({
    version: '1',
    isSandbox: true,
    now: () => 0,
    readWatch: () => state,
    readHealth: () => judgeHealth(state, 0),
    readLimits: () => ({ transfers: pace, checks: pace, inquiries: pace }),
    countRowsUnderWay: () => 0,
    countNoticesWaiting: async () => 0,
    countByStatus: async () => new Map(),
    changeCount: () => 0,
    log: () => undefined,
  }).render();
  return text
    .split('\n')
    .filter((line) => line.startsWith('paydrop'))
    .join('\n');
}

const saysOf = (code: AttentionCode): readonly HealthReason[] => {
  const { reasons, notes } = judgeHealth({ ...idle, ...table[code].state }, 0);
  return [...reasons, ...notes].filter((reason) => reason.code === code);
};

/** The same as far as any other process looks it up. */
const stopsOf = (code: AttentionCode): readonly HealthReason[] => {
  const {
    inbox,
    diskTrouble,
    bankTrouble,
    payers,
    failingBatches,
    loss: lost,
  } = { ...idle, ...table[code].state };
  const found = {
    inbox: inbox && { ...there, state: inbox.state },
    diskTrouble,
    bankTrouble,
    payers,
    failingBatches,
  };
  const { reasons, notes } = judgeHealth({ ...idle, ...found, loss: lost }, 0);
  return [...reasons, ...notes].filter((reason) => reason.code === code);
};

/** Read from the journal, as entries. */
const isOfJournal = (code: AttentionCode): boolean => table[code].kind !== undefined;

type Page = Awaited<ReturnType<typeof openListPage>>;

/** A page whose list has one entry, with an item that can be decided. */
async function openListPage() {
  let list: Attention = { atMs: 0, movedRows: 0, entries: [] };
  const option = {
    decision: 'acknowledge',
    label: 'decision.acknowledge',
    needsSecond: false,
    whyNot: undefined,
  } as const;
  const page = await openTestPage({
    payer: account,
    readSurroundings: async () => ({ sender: undefined, freeBytes: 0n }),
    readAttention: async () => list,
    readItems: async (_asker, _limit, kinds) =>
      kinds.map((kind): OwnedItem => ({
        kind,
        code: 'held',
        key: '20261120x',
        version: '1',
        title: verbatim('an item'),
        sinceMs: 1,
        amountSatang: null,
        moneyMoved: 'no',
        reason: verbatim('why'),
        remedy: verbatim('what to do'),
        options: [option],
        owner: undefined,
      })),
  });
  await page.store.recordPayerPause({
    ...account,
    ...stop,
    sinceMs: noonMs,
    untilMs: noonMs + 1e12,
    troubles: 1,
    isTransfer: true,
  });
  await page.signIn('mali');
  return {
    page,
    read: async (path: string, code: AttentionCode): Promise<string> => {
      list = { atMs: 0, movedRows: 0, entries: isOfJournal(code) ? [entryOf(code)] : [] };
      return (await page.browser.get(path)).text;
    },
    [Symbol.asyncDispose]: () => page[Symbol.asyncDispose](),
  };
}

/** A state of the journal and the machine of which Today says a fault that is no entry. */
const todaySays: Readonly<Partial<Record<AttentionCode, string>>> = {
  disk: '0 MiB',
  'payer-paused': 'is paused',
};

const shows: Readonly<
  Record<(typeof renderings)[number], (code: AttentionCode, page: Page) => Promise<boolean>>
> = {
  queue: async (code, { read }) => {
    if (!isOfJournal(code)) return false;
    const group = await read(`/queue/${code}.x`, code);
    expect(group).toContain(`the reason of ${code}<`);
    expect(group).toContain(`the remedy of ${code}<`);
    expect(group).toContain('123.45');
    return (await read('/queue', code)).includes(`the subject of ${code}<`);
  },
  today: async (code, { read }) => {
    const text = await read('/today', code);
    return text.includes(todaySays[code] ?? `the subject of ${code}<`);
  },
  status: async (code) => {
    if (!isOfJournal(code)) {
      const { json, text } = addStops(stopsOf(code), { json: {}, text: printable('') });
      return /NOT SENDING|NOT TAKING FILES|NOTE/.test(text) && JSON.stringify(json).includes(`"${code}"`);
    }
    const { json } = addEntries([entryOf(code)], { json: [], text: printable('') });
    expect(json).toMatchObject([{ kind: 'attention', entries: [{ code, amount: '123.45', count: 3 }] }]);
    return linesOfWaiting([entryOf(code)])
      .join()
      .includes('for a person: paydrop queue');
  },
  health: async (code) => {
    if (saysOf(code).length === 0) return false;
    // A loss is no number.
    const isSame = (await metricsOf({ ...idle, ...table[code].state })) === (await metricsOf(idle));
    expect(isSame).toBe(code === 'after-loss');
    return true;
  },
  notice: async (code) => {
    const { notice } = table[code];
    if (notice !== undefined) return noticeKinds.includes(notice);
    const { reasons } = judgeHealth({ ...idle, ...table[code].state }, 0);
    const against = reasons.filter((reason) => reason.code === code && isTrouble(reason));
    return against.length > 0 && JSON.stringify(describeNotReady(noticeScene, against).body).includes(code);
  },
};

test('every code is shown by each rendering, or its terms say why not', async () => {
  await using page = await openListPage();
  const found: Record<string, readonly string[]> = {};
  const said: Record<string, readonly string[]> = {};
  for (const code of codes) {
    const shown: string[] = [];
    for (const rendering of renderings) if (await shows[rendering](code, page)) shown.push(rendering);
    found[code] = shown;
    said[code] = renderings.filter((rendering) => termsOf(code).notShown[rendering] === undefined);
  }
  expect(found).toEqual(said);
});

test('health says nothing but what the table has', () => {
  expect(healthCodes.filter((code) => !(code in attentionTerms))).toEqual([]);
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
