import { message, verbatim } from '../../../src/core/message.ts';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { type PayoutStatus, payoutStatuses } from '../../../src/core/payout.ts';
import { bankStatuses } from '../../../src/core/status-codes.ts';
import { endpoints, makeMetrics, type Metrics, nameCallResult } from '../../../src/watch/monitor/metrics.ts';
import type { PayerHealth, WatchState } from '../../../src/watch/rules/health.ts';

type CallRecord = Parameters<typeof nameCallResult>[0];

type MetricSources = Parameters<typeof makeMetrics>[0];

const ofAccount = {
  account: message('account.payer', { number: '******5924' }),
  haltedSinceMs: undefined,
  paysNewFiles: true,
};

const nowMs = Date.parse('2026-11-21T03:00:00Z');
const minuteMs = 60_000;

const idle: WatchState = {
  role: 'active',
  inbox: { state: { kind: 'there' }, waiting: 0, stuck: [], left: [] },
  diskTrouble: undefined,
  bankTrouble: undefined,
  payers: [],
  filesInWork: 0,
  rowsInDoubt: 0,
  oldestInDoubtAtMs: undefined,
  openBatches: 0,
  failingBatches: [],
  lastPollMs: nowMs,
};

function makeSources(part: Partial<MetricSources> = {}): MetricSources {
  const pace = { state: { limit: 3, ceiling: 8 } };
  return {
    version: '0.1.0',
    isSandbox: true,
    now: () => nowMs,
    readWatch: () => idle,
    readHealth: () => ({ live: true, ready: true }),
    readLimits: () => ({ transfers: pace, checks: pace, inquiries: { state: { limit: 1, ceiling: 1 } } }),
    countRowsUnderWay: () => 5,
    countNoticesWaiting: async () => 2,
    countByStatus: async () => new Map<PayoutStatus, number>([['paid', 7]]),
    changeCount: () => 0,
    log: () => undefined,
    ...part,
  };
}

/** Every sample of ours by its name and labels. */
async function scrape(metrics: Metrics): Promise<Readonly<Record<string, number>>> {
  const lines = (await metrics.render()).split('\n').filter((line) => line.startsWith('paydrop_'));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

const answered: CallRecord = {
  endpoint: 'transfer',
  outcome: 'answered',
  httpStatus: 200,
  code: 'IC000',
  elapsedMs: 120,
};

test('each has a row in docs/operations.md', async () => {
  const page = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8');
  const types = (await makeMetrics(makeSources()).render()).matchAll(/^# TYPE (paydrop_\w+) /gm);
  const names = Array.from(types, ([, name]) => name);
  expect(names.length).toBeGreaterThan(15);
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

test('what people must look at is counted, and left out as long as nobody has looked', async () => {
  const why = { code: 'journal-changed', reason: verbatim('x'), remedy: verbatim('y') };
  const attention = {
    entries: [
      { code: 'statement-late', count: 1, args: { day: '20261119' } },
      { code: 'statement-late', count: 1, args: { day: '20261120' } },
      { code: 'critical-breaks', count: 9, args: { day: '20261118', critical: 3 } },
      { code: 'critical-breaks', count: 1, args: { day: '20261117', critical: 1 } },
      { code: 'alarm', count: 2, args: {} },
      { code: 'alarm', count: 3, args: {} },
    ],
    clock: { kind: 'differs', text: verbatim('z') },
    clockOffsetMs: -360_000,
  } as const;
  const payers: PayerHealth[] = [{ status: 'halted', why, pausedUntilMs: 0, ...ofAccount }];
  const amiss = makeMetrics(makeSources({ readWatch: () => ({ ...idle, payers, attention }) }));
  expect(await scrape(amiss)).toMatchObject({
    paydrop_statements_late: 2,
    paydrop_critical_breaks: 4,
    paydrop_alarms: 5,
    paydrop_clock_offset_seconds: -360,
    'paydrop_trouble{kind="clock"}': 1,
    'paydrop_trouble{kind="sums"}': 1,
  });
  const unseen = await scrape(makeMetrics(makeSources()));
  expect(unseen).toMatchObject({ 'paydrop_trouble{kind="sums"}': 0 });
  for (const name of ['statements_late', 'critical_breaks', 'alarms', 'clock_offset_seconds'])
    expect(unseen).not.toHaveProperty(`paydrop_${name}`);
});

test('files that a person looks at are counted, and one that has grown is an alarm', async () => {
  const stuck = [{ itemId: 'i', fileName: 'a.csv', why: 'no room' }];
  const inbox = { state: { kind: 'there' }, waiting: 0, stuck, left: ['folder', 'link'] };
  const grownFiles = [{}];
  const attention = { entries: [{ code: 'alarm', count: 5, args: {} }] };
  const watch = { ...idle, inbox, grownFiles, attention } as unknown as WatchState;
  expect(await scrape(makeMetrics(makeSources({ readWatch: () => watch })))).toMatchObject({
    paydrop_files_stuck: 1,
    paydrop_inbox_left: 2,
    paydrop_files_grown: 1,
    paydrop_alarms: 6,
  });
});

describe('what happens is counted', () => {
  test('files by their end, from zero', async () => {
    const metrics = makeMetrics(makeSources());
    metrics.countFile('archived');
    metrics.countFile('archived');
    metrics.countFile('duplicate');
    expect(await scrape(metrics)).toMatchObject({
      'paydrop_files_total{outcome="archived"}': 2,
      'paydrop_files_total{outcome="rejected"}': 0,
      'paydrop_files_total{outcome="duplicate"}': 1,
    });
  });

  test('changes of payouts by the status they got', async () => {
    const metrics = makeMetrics(makeSources());
    metrics.countChange('submitted');
    metrics.countChange('paid');
    metrics.countChange('paid');
    expect(await scrape(metrics)).toMatchObject({
      'paydrop_payout_changes_total{status="submitted"}': 1,
      'paydrop_payout_changes_total{status="paid"}': 2,
      'paydrop_payout_changes_total{status="failed"}': 0,
    });
  });

  test("the bank's callbacks by what became of them, from zero", async () => {
    const metrics = makeMetrics(makeSources());
    metrics.countCallback('taken');
    metrics.countCallback('taken');
    metrics.countCallback('refused');
    expect(await scrape(metrics)).toMatchObject({
      'paydrop_callbacks_total{result="taken"}': 2,
      'paydrop_callbacks_total{result="repeated"}': 0,
      'paydrop_callbacks_total{result="unknown"}': 0,
      'paydrop_callbacks_total{result="refused"}': 1,
    });
  });

  test('calls to the bank, and the time of those that it had a part in', async () => {
    const metrics = makeMetrics(makeSources());
    metrics.countCall(answered);
    metrics.countCall({
      ...answered,
      outcome: 'lost',
      httpStatus: undefined,
      code: undefined,
      elapsedMs: 29_000,
    });
    metrics.countCall({ ...answered, outcome: 'not-sent', httpStatus: undefined, code: undefined });
    expect(await scrape(metrics)).toMatchObject({
      'paydrop_bank_calls_total{endpoint="transfer",code="IC000"}': 1,
      'paydrop_bank_calls_total{endpoint="transfer",code="lost"}': 1,
      'paydrop_bank_calls_total{endpoint="transfer",code="not-sent"}': 1,
      'paydrop_bank_calls_total{endpoint="inquiry",code="lost"}': 0,
      'paydrop_bank_call_duration_seconds_bucket{le="0.1",endpoint="transfer"}': 0,
      'paydrop_bank_call_duration_seconds_bucket{le="0.25",endpoint="transfer"}': 1,
      'paydrop_bank_call_duration_seconds_bucket{le="30",endpoint="transfer"}': 2,
      'paydrop_bank_call_duration_seconds_count{endpoint="transfer"}': 2,
      'paydrop_bank_call_duration_seconds_sum{endpoint="transfer"}': 29.12,
      'paydrop_bank_call_duration_seconds_count{endpoint="inquiry"}': 0,
    });
  });

  test.each<[Partial<CallRecord>, string]>([
    [{}, 'IC000'],
    [{ code: 'ET004', httpStatus: 500 }, 'ET004'],
    [{ code: 'XX999' }, 'other-code'],
    [{ code: '' }, 'other-code'],
    [{ code: undefined, httpStatus: 429 }, 'http-429'],
    [{ code: undefined, httpStatus: 999 }, 'http-other'],
    [{ code: undefined, httpStatus: undefined }, 'http-other'],
    [{ outcome: 'lost', code: 'IC000' }, 'lost'],
    [{ outcome: 'withheld' }, 'withheld'],
  ])('%o is named %s', (part, name) => expect(nameCallResult({ ...answered, ...part })).toBe(name));

  test('under a number of names that no bank can raise', () => {
    const names = new Set<string>();
    const anyCode = fc.option(fc.string(), { nil: undefined });
    fc.assert(
      fc.property(anyCode, fc.integer(), (code, httpStatus) => {
        names.add(nameCallResult({ ...answered, code, httpStatus }));
      }),
      { numRuns: 500 },
    );
    const known = new Set([...bankStatuses.map(({ code }) => code), 'other-code', 'http-other']);
    expect([...names].filter((name) => !known.has(name) && !/^http-[1-5]\d\d$/.test(name))).toEqual([]);
  });
});

describe('what is so now', () => {
  test('when nothing goes on', async () => {
    expect(await scrape(makeMetrics(makeSources()))).toMatchObject({
      'paydrop_build_info{version="0.1.0",sandbox="true"}': 1,
      'paydrop_role{role="active"}': 1,
      'paydrop_role{role="standby"}': 0,
      paydrop_live: 1,
      paydrop_ready: 1,
      'paydrop_trouble{kind="disk"}': 0,
      'paydrop_payer_state{state="halted"}': 0,
      paydrop_in_doubt: 0,
      paydrop_in_doubt_oldest_age_seconds: 0,
      paydrop_payouts_in_flight: 5,
      paydrop_notices_waiting: 2,
      'paydrop_concurrency_limit{kind="transfers"}': 3,
      'paydrop_concurrency_max{kind="transfers"}': 8,
      'paydrop_concurrency_limit{kind="inquiries"}': 1,
    });
  });

  test('when much does, and is asked anew', async () => {
    const why = { code: 'ET004', reason: verbatim('maintenance'), remedy: verbatim('wait') };
    const payer: PayerHealth = { status: 'paused', why, pausedUntilMs: nowMs + 1, ...ofAccount };
    const busy: WatchState = {
      ...idle,
      role: 'stopping',
      inbox: { state: { kind: 'gone', why: 'mount it', isMissing: false }, waiting: 4, stuck: [], left: [] },
      diskTrouble: { sinceMs: nowMs, why: 'full' },
      payers: [payer, { ...payer, status: 'halted' }, { ...payer, status: 'halted' }],
      filesInWork: 3,
      openBatches: 2,
      failingBatches: [{ batchId: 'B1', why: 'x', namesTaken: [] }],
      rowsInDoubt: 6,
      oldestInDoubtAtMs: nowMs - 90_500,
    };
    let watch = busy;
    const metrics = makeMetrics(
      makeSources({ readWatch: () => watch, readHealth: () => ({ live: true, ready: false }) }),
    );
    expect(await scrape(metrics)).toMatchObject({
      'paydrop_role{role="stopping"}': 1,
      'paydrop_role{role="active"}': 0,
      paydrop_ready: 0,
      'paydrop_trouble{kind="disk"}': 1,
      'paydrop_trouble{kind="bank"}': 0,
      'paydrop_trouble{kind="inbox"}': 1,
      'paydrop_payer_state{state="paused"}': 1,
      'paydrop_payer_state{state="halted"}': 2,
      paydrop_files_waiting: 4,
      paydrop_files_in_work: 3,
      paydrop_batches_open: 2,
      paydrop_batches_failing: 1,
      paydrop_in_doubt: 6,
      paydrop_in_doubt_oldest_age_seconds: 90.5,
    });
    watch = { ...idle, oldestInDoubtAtMs: nowMs + 5 };
    expect(await scrape(metrics)).toMatchObject({
      'paydrop_role{role="stopping"}': 0,
      'paydrop_payer_state{state="halted"}': 0,
      paydrop_in_doubt_oldest_age_seconds: 0,
    });
  });

  test('of the process itself, under the names that every dashboard knows', async () => {
    const text = await makeMetrics(makeSources()).render();
    expect(text).toContain('\nprocess_cpu_seconds_total ');
    expect(text).toContain('\nnodejs_eventloop_lag_p99_seconds ');
  });
});

describe('payouts by status', () => {
  /** A journal whose rows are costly to count. */
  function makeLedger() {
    const ledger = { nowMs, changes: 0, paid: 1 };
    const countByStatus = vi.fn(async () => new Map<PayoutStatus, number>([['paid', ledger.paid]]));
    const log = vi.fn();
    const sources = { now: () => ledger.nowMs, changeCount: () => ledger.changes, countByStatus, log };
    return { ledger, countByStatus, log, metrics: makeMetrics(makeSources(sources)) };
  }
  const paid = 'paydrop_payouts{status="paid"}';

  test('are shown for every status', async () => {
    const { metrics } = makeLedger();
    const samples = await scrape(metrics);
    for (const status of payoutStatuses)
      expect(samples[`paydrop_payouts{status="${status}"}`]).toBe(status === 'paid' ? 1 : 0);
  });

  test('are counted once a minute at the most', async () => {
    const { ledger, countByStatus, metrics } = makeLedger();
    await Promise.all([scrape(metrics), scrape(metrics)]);
    ledger.changes += 1;
    ledger.paid = 2;
    ledger.nowMs += minuteMs - 1;
    expect((await scrape(metrics))[paid]).toBe(1);
    expect(countByStatus).toHaveBeenCalledTimes(1);
    ledger.nowMs += 1;
    expect((await scrape(metrics))[paid]).toBe(2);
    expect(countByStatus).toHaveBeenCalledTimes(2);
  });

  test('are not counted while nothing changes', async () => {
    const { ledger, countByStatus, metrics } = makeLedger();
    await scrape(metrics);
    ledger.nowMs += 600 * minuteMs;
    expect((await scrape(metrics))[paid]).toBe(1);
    expect(countByStatus).toHaveBeenCalledTimes(1);
  });

  test('are counted again when something changed meanwhile', async () => {
    const { ledger, countByStatus, metrics } = makeLedger();
    countByStatus.mockImplementationOnce(async () => {
      ledger.changes += 1;
      return new Map([['paid', 1]]);
    });
    await scrape(metrics);
    ledger.nowMs += minuteMs;
    await scrape(metrics);
    expect(countByStatus).toHaveBeenCalledTimes(2);
  });

  test('are counted again after the clock was set back', async () => {
    const { ledger, countByStatus, metrics } = makeLedger();
    await scrape(metrics);
    ledger.changes += 1;
    ledger.nowMs -= 600 * minuteMs;
    await scrape(metrics);
    expect(countByStatus).toHaveBeenCalledTimes(2);
  });

  test('are left out while the journal cannot be read, and come back', async () => {
    const { ledger, countByStatus, log, metrics } = makeLedger();
    await scrape(metrics);
    countByStatus.mockRejectedValueOnce(new Error('the disk is sick'));
    ledger.changes += 1;
    ledger.nowMs += minuteMs;
    for (let times = 0; times < 3; times += 1) {
      const samples = await scrape(metrics);
      expect(samples).not.toHaveProperty([paid]);
      expect(samples).toHaveProperty('paydrop_ready');
    }
    expect(countByStatus).toHaveBeenCalledTimes(2);
    expect(log).toHaveBeenCalledTimes(1);
    ledger.nowMs += minuteMs;
    expect((await scrape(metrics))[paid]).toBe(1);
  });
});

describe('registrations by status', () => {
  test('are all there, counted after a change and after a minute, and not without any source', async () => {
    const ledger = { nowMs, changes: 0 };
    const countByStatus = vi.fn(async () => new Map([['registered', 4 + ledger.changes] as const]));
    const registrations = { countByStatus, changeCount: () => ledger.changes };
    const metrics = makeMetrics(makeSources({ now: () => ledger.nowMs, registrations }));
    expect(await scrape(metrics)).toMatchObject({
      'paydrop_registrations{status="registered"}': 4,
      'paydrop_registrations{status="in-doubt"}': 0,
    });
    ledger.changes += 1;
    await scrape(metrics);
    expect(countByStatus).toHaveBeenCalledTimes(1);
    ledger.nowMs += minuteMs;
    expect((await scrape(metrics))['paydrop_registrations{status="registered"}']).toBe(5);
    const without = await scrape(makeMetrics(makeSources()));
    expect(without).not.toHaveProperty(['paydrop_registrations{status="registered"}']);
  });
});

describe('notices waiting', () => {
  test('are left out while they cannot be counted, and come back', async () => {
    const countNoticesWaiting = vi.fn(async () => 4);
    const metrics = makeMetrics(makeSources({ countNoticesWaiting }));
    await scrape(metrics);
    countNoticesWaiting.mockRejectedValueOnce(new Error('the disk is sick'));
    expect(await scrape(metrics)).not.toHaveProperty('paydrop_notices_waiting');
    expect((await scrape(metrics))['paydrop_notices_waiting']).toBe(4);
  });
});

describe('the labels', () => {
  test('have a fixed set of values, whatever happens', async () => {
    const metrics = makeMetrics(makeSources());
    const before = Object.keys(await scrape(metrics)).length;
    for (const endpoint of endpoints)
      for (let number = 0; number < 500; number += 1)
        metrics.countCall({ ...answered, endpoint, code: `X${number}`, httpStatus: number });
    expect(Object.keys(await scrape(metrics)).length - before).toBe(endpoints.length);
  });
});
