/** What is said outside of the journal as a whole: few words however much there is, numbers masked, commands to paste. */
import { verbatim } from '../../../src/core/message.ts';
import { describe, expect, test } from 'vitest';
import { toSatang } from '../../../src/core/money.ts';
import {
  type AlarmEvent,
  Alarms,
  CriticalBreaks,
  describeAlarms,
  describeBreaks,
  describeChangedJournal,
  describeClock,
  describeGap,
  describeNotReady,
  describeReady,
  describeStatementCame,
  describeStatementLate,
  describeUnexplained,
  isNewsOfBreaks,
} from '../../../src/notify/rules/journal-notices.ts';
import type { NoticeDraft } from '../../../src/notify/rules/notice.ts';
import type { BreakRecord } from '../../../src/reconcile/rules/types.ts';
import { noonMs } from '../../support/core-fixtures.ts';
import { noticeScene } from '../../support/notices.ts';

const scene = { ...noticeScene, nowMs: noonMs };
const mobile = '0812345678';

const breakOf = (n: number, changes: Partial<BreakRecord> = {}): BreakRecord => ({
  key: `PD${n}`,
  kind: 'status-mismatch',
  severity: 'critical',
  date: '20261120',
  lineAt: null,
  reason: verbatim(`row ${n} of ${mobile}: failed, and the bank paid it`),
  version: 1,
  attempt: {
    payoutSeq: n,
    payoutId: mobile,
    batchId: 'B000000001',
    rowNo: n,
    attemptNo: 1,
    payoutStatus: 'failed',
    attemptStatus: 'failed',
    sends: 1,
    acknowledged: true,
    referenceConflict: false,
    lastInquiryAtMs: null,
    lastFinding: null,
    sysRefNo: null,
    feeText: null,
    settledBy: null,
    order: {
      transRefNo: `PDABCDEFGHJKMNP${String(n).padStart(5, '0')}`,
      companyId: 'C',
      payerAccount: 'A',
      tranTime: '10:00:00',
      reference1: null,
      tranDate: '20261120',
      proxyType: 'MSISDN',
      proxyNo: mobile,
      proxyName: '',
      amountText: '10.50',
    },
  },
  lines: [],
  openedAtMs: noonMs,
  state: 'open',
  closedAtMs: null,
  closedBy: null,
  ...changes,
});

function gather(records: readonly BreakRecord[]): CriticalBreaks {
  const breaks = new CriticalBreaks('20261120');
  for (const record of records) breaks.add(record);
  return breaks;
}

const many = (count: number, from = 0) => Array.from({ length: count }, (_, n) => breakOf(from + n));

describe('critical breaks', () => {
  test('a thousand of them are one notice, with count, sum and the first few, masked', () => {
    const { key, body } = describeBreaks(scene, gather(many(1_000)), ['/statements/20261120.v1.breaks.csv']);
    expect(key).toMatch(/^critical-breaks:20261120:v1:/);
    expect(body).toMatchObject({
      kind: 'critical-breaks',
      severity: 'critical',
      statement: '2026-11-20',
      breaks: 1_000,
      amount: '10500.00',
      commands: expect.arrayContaining([
        'paydrop show PDABCDEFGHJKMNP00000 --config /etc/paydrop.yaml',
        'paydrop reconcile --date 2026-11-20 --config /etc/paydrop.yaml',
      ]),
      reports: ['/statements/20261120.v1.breaks.csv'],
    });
    expect(body['firstBreaks']).toHaveLength(5);
    const text = JSON.stringify(body);
    expect(text).not.toContain(mobile);
    expect(text.length).toBeLessThan(6_000);
  });

  test.each<[string, BreakRecord[], BreakRecord[], boolean]>([
    ['the same', many(3), many(3), false],
    ['one more', many(3), many(4), true],
    ['others, as many', many(3), many(3, 7), true],
    ['fewer', many(3), many(2), false],
    ['fewer, by another version', many(3), many(2).map((one) => ({ ...one, version: 2 })), true],
    ['fewer, and one opened since', many(3), [breakOf(9, { openedAtMs: noonMs + 1 })], true],
    ['none any more', many(3), [], false],
  ])('told before: %s', (_, before, after, isNews) => {
    const last = describeBreaks(scene, gather(before), []);
    expect(isNewsOfBreaks(gather(after), last)).toBe(isNews);
  });

  test('nothing told before', () => {
    expect(isNewsOfBreaks(gather(many(1)), undefined)).toBe(true);
    expect(isNewsOfBreaks(gather([]), undefined)).toBe(false);
  });
});

const alarmOf = (seq: number, changes: Partial<AlarmEvent> = {}): AlarmEvent => ({
  seq,
  cause: 'late-proof',
  batchId: 'B000000001',
  rowNo: seq,
  payoutId: `P${seq}`,
  status: 'paid',
  amountSatang: toSatang(250n),
  reason: verbatim(`account ${mobile} was paid after all`),
  transRefNo: null,
  ...changes,
});

test('alarms count each row once, and name the first few', () => {
  const alarms = new Alarms();
  // Whatever else a record holds is not told.
  const more = { proxyNo: mobile } as object;
  for (let seq = 1; seq <= 900; seq += 1) alarms.add(alarmOf(seq, more));
  alarms.add(alarmOf(901, { rowNo: 1 }));
  const { key, body } = describeAlarms(scene, alarms);
  expect(key).toBe('alarms:901');
  expect(body).toMatchObject({ kind: 'alarm', rows: 900, amount: '2250.00', eventSeq: 901 });
  expect(body['firstRows']).toHaveLength(5);
  expect(body['commands']).toContain('paydrop show P1 --config /etc/paydrop.yaml');
  expect(JSON.stringify(body)).not.toContain(mobile);
});

test('clocks are told of once for each state, and a jump once an hour', () => {
  const differs = { kind: 'differs', text: verbatim('the clock is 6 minutes ahead') } as const;
  const agrees = { kind: 'agrees', text: verbatim('together again') } as const;
  const first = describeClock(scene, differs, undefined);
  expect(first?.body).toMatchObject({ status: 'differs', commands: ['timedatectl status', 'date -u'] });
  expect(describeClock(scene, differs, first)).toBeUndefined();
  const second = describeClock(scene, agrees, first);
  expect(second?.body).toMatchObject({
    status: 'agrees',
    severity: 'info',
    commands: ['paydrop status --config /etc/paydrop.yaml'],
  });
  expect(describeClock(scene, agrees, second)).toBeUndefined();
  expect(describeClock(scene, agrees, undefined)).toBeUndefined();
  const jumped = { kind: 'jumped', text: verbatim('jumped by 3 minutes') } as const;
  const keys = [0, 1, 61].map(
    (minutes) => describeClock({ ...scene, nowMs: noonMs + minutes * 60_000 }, jumped, first)?.key,
  );
  expect(new Set(keys).size).toBe(2);
});

test('each has an id of its own, a command, and no number of a person', () => {
  const reasons = [
    { code: 'bank', text: verbatim('away'), remedy: verbatim('wait'), command: 'paydrop config --login' },
  ] as const;
  const halt = {
    code: 'journal-changed',
    reason: verbatim(`row of ${mobile}`),
    remedy: verbatim('find out'),
    sinceMs: 1,
  };
  const notices: readonly NoticeDraft[] = [
    describeNotReady(scene, reasons),
    describeStatementLate(scene, '20261120'),
    describeStatementLate(scene, '20261119'),
    describeChangedJournal(scene, halt),
    describeUnexplained(scene, 'B000000001', 7),
    describeGap(scene, '20261120', `account ${mobile}`),
  ];
  for (const { body } of notices) expect(body['commands']).not.toEqual([]);
  const ids = [...notices, describeReady(scene, noonMs, false), describeStatementCame(scene, '20261120')].map(
    ({ body }) => body['id'],
  );
  expect(new Set(ids).size).toBe(ids.length);
  expect(JSON.stringify(notices)).not.toContain(mobile);
});
