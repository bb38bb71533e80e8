/** Notices in Thai: no kind lacks its words, keys and codes stay, and what must not be paid again says so. */
import { describe, expect, test } from 'vitest';
import { toSatang } from '../../../src/core/money.ts';
import {
  Alarms,
  CriticalBreaks,
  describeAlarms,
  describeBreaks,
  describeChangedJournal,
  describeClock,
  describeDecisionsDropped,
  describeGap,
  describeNotReady,
  describeReady,
  describeStatementCame,
  describeStatementLate,
  describeUnexplained,
} from '../../../src/notify/rules/journal-notices.ts';
import { describeDayHead } from '../../../src/notify/rules/head-notices.ts';
import {
  describeBatchDone,
  describeBatchHalted,
  describeFileGrown,
  describeFileRejected,
  describeInDoubt,
  describeJournalRefused,
  type NoticeScene,
} from '../../../src/notify/rules/notice-body.ts';
import { type NoticeDraft, noticeKinds } from '../../../src/notify/rules/notice.ts';
import { describePersonNotice } from '../../../src/notify/rules/person-notices.ts';
import {
  describeRegistrationAlarms,
  describeRegistrationsDone,
  describeRegistrationsHalted,
  describeUnknownCallbacks,
} from '../../../src/notify/rules/registration-notices.ts';
import type { RegistrationBatch } from '../../../src/registration/rules/registration-batch.ts';
import { summariseRegistrations } from '../../../src/registration/rules/summary.ts';
import { breakKinds, type BreakRecord } from '../../../src/reconcile/rules/types.ts';
import { summariseBatch } from '../../../src/reports/rules/summary.ts';
import { personEventWords } from '../../../src/review/rules/person-words.ts';
import type { PersonEvent, PersonEventKind } from '../../../src/review/rules/chain.ts';
import { healthCodes } from '../../../src/watch/rules/health.ts';
import type { Batch } from '../../../src/core/ports.ts';
import {
  contradicted,
  makeRegistrationBatch,
  makeRegistrationTotal,
  unknownCallback,
} from '../../support/registration-report-fixtures.ts';
import { makeBatch, makeTotal, noonMs } from '../../support/report-fixtures.ts';

const isThai = (text: unknown): boolean => typeof text === 'string' && /[\u0E01-\u0E5B]/.test(text);
const forbids = (text: unknown): boolean => /do not pay|pay nothing|ห้ามจ่าย/i.test(String(text));

const place = { settingsPath: '/etc/paydrop.yaml' };
const english: NoticeScene = { journalId: 'journal-1', isSandbox: false, nowMs: noonMs, place };
const thai: NoticeScene = { ...english, language: 'th' };

const newsOf = (changes: Partial<Batch>) => ({
  summary: summariseBatch(makeBatch(changes), [makeTotal('submitted', 3, 95n)], [], { exceptionsOk: false }),
  reports: [],
});

const halted = (reasonCode: string) =>
  newsOf({ status: 'halted', reasonCode, reason: 'why it is so', remedy: 'Do something about it' });

function breaksOf(kind: BreakRecord['kind']): CriticalBreaks {
  const breaks = new CriticalBreaks('20261120');
  breaks.add({
    key: 'PD1',
    kind,
    severity: 'critical',
    date: '20261120',
    lineAt: null,
    reason: 'row 1: failed, and the bank paid it',
    version: 1,
    attempt: null,
    lines: [],
    openedAtMs: noonMs,
    state: 'open',
    closedAtMs: null,
    closedBy: null,
  });
  return breaks;
}

function alarmsOf(): Alarms {
  const alarms = new Alarms();
  alarms.add({
    seq: 7,
    cause: 'late-proof',
    batchId: 'B000000001',
    rowNo: 1,
    payoutId: 'A1',
    status: 'paid',
    amountSatang: toSatang(1_050n),
    reason: 'the bank paid it',
    transRefNo: 'PDABCDEFGHJKMNP00001',
  });
  return alarms;
}

const personEvent = (kind: PersonEventKind) =>
  ({
    seq: 3,
    kind,
    subject: 1,
    atMs: noonMs,
    byPerson: null,
    proof: null,
    text: '{"facts":{"role":"maker","keyHash":"ab12","expiresAtMs":1,"proposalId":4,"tokenId":5,"changeId":6,"wanted":"enable","failedTries":5,"what":"a number","kind":"break","batchId":"7B3KQ0M9ZX"}}',
    cells: null,
  }) as unknown as PersonEvent;

const head = {
  number: 1,
  date: '20261120',
  stretches: { payouts: { events: 1 }, people: { events: 2 }, proposals: { events: 0 } },
  text: 'paydrop day head v1\n',
  hash: 'ab'.repeat(32),
} as unknown as Parameters<typeof describeDayHead>[1];

const dropped = {
  itemId: '20261120T050001000-aaaaaa',
  fileName: 'a.csv',
  sha256: 'ab'.repeat(32),
  asks: 'Retry: 1 row, 100.00 baht',
  amount: '100.00',
};

const grown = {
  fileKey: 'item-1:ab',
  fileName: 'a.csv',
  batchId: 'B000000001',
  reason: 'a.csv was written to',
  remedy: 'Have the partner send the whole file again',
  rows: 50,
  amount: '1234.50',
  payoutIds: ['A51'],
  reports: [],
};

const rejected = {
  fileKey: 'item-1',
  fileName: 'broken.csv',
  batchId: null,
  rejection: { code: 'column-missing', line: 1, column: 'amount', message: 'there is no column "amount"' },
  remedy: null,
  reports: [],
};

const troubles = healthCodes.map((code) => ({
  code,
  text: `text of ${code}`,
  remedy: `remedy of ${code}`,
  command: 'df -h',
}));
const why = { code: 'journal-changed', reason: 'row 1 was changed', remedy: 'Restore it', sinceMs: 1 };
const clock = (kind: 'differs' | 'jumped' | 'untold') => (scene: NoticeScene) =>
  describeClock(scene, { kind, text: 'a clock' }, undefined) as NoticeDraft;

const registrations = (changes: Partial<RegistrationBatch>) => ({
  summary: summariseRegistrations(
    makeRegistrationBatch(changes),
    [makeRegistrationTotal('registered', 3)],
    [],
    { exceptionsOk: false },
  ),
  reports: [],
});

/** One of each kind, and of what differs within a kind. */
const makers: readonly ((scene: NoticeScene) => NoticeDraft)[] = [
  (scene) => describeBatchDone(scene, newsOf({ status: 'done' }), 1),
  ...['brake-consecutive', 'brake-in-doubt', 'batch-too-old', 'file-grown', 'EM053', 'toString'].map(
    (code) => (scene: NoticeScene) => describeBatchHalted(scene, halted(code), 1),
  ),
  (scene) => describeInDoubt(scene, newsOf({ status: 'running' }), noonMs),
  (scene) => describeFileRejected(scene, rejected),
  (scene) => describeJournalRefused(scene, '/data/journal.db', 'there is no journal: paydrop init'),
  (scene) => describeFileGrown(scene, grown),
  (scene) => describeFileGrown(scene, { ...grown, rows: null, amount: null }),
  (scene) => describeNotReady(scene, troubles),
  (scene) => describeReady(scene, noonMs, false),
  (scene) => describeReady(scene, noonMs, true),
  (scene) => describeStatementLate(scene, '20261120'),
  (scene) => describeStatementCame(scene, '20261120'),
  ...breakKinds.map((kind) => (scene: NoticeScene) => describeBreaks(scene, breaksOf(kind), [])),
  (scene) => describeAlarms(scene, alarmsOf()),
  clock('differs'),
  clock('jumped'),
  clock('untold'),
  (scene) => describeChangedJournal(scene, why),
  (scene) => describeUnexplained(scene, 'B000000001', 7),
  (scene) => describeGap(scene, '20261120', 'the totals differ'),
  ...(Object.keys(personEventWords) as PersonEventKind[]).map(
    (kind) => (scene: NoticeScene) => describePersonNotice(scene, personEvent(kind), []),
  ),
  (scene) => describeDayHead(scene, head, '/outbox/head.txt'),
  (scene) => describeDecisionsDropped(scene, dropped),
  (scene) => describeRegistrationsDone(scene, registrations({ status: 'done' }), 1),
  ...['BSN004', 'ZZ999', 'cancelled'].map((code) => (scene: NoticeScene) => {
    const stopped = { status: 'halted', reasonCode: code, reason: 'why', remedy: 'Do something' } as const;
    return describeRegistrationsHalted(scene, registrations(stopped), 1);
  }),
  (scene) => describeRegistrationAlarms(scene, { rows: 1, first: [contradicted] }),
  (scene) => describeUnknownCallbacks(scene, { count: 2, latest: [unknownCallback] }),
];

const saidBy = (make: (scene: NoticeScene) => NoticeDraft) => [make(english).body, make(thai).body] as const;

describe('a notice in Thai', () => {
  test('there is one of every kind, and its reason and remedy are Thai', () => {
    expect(new Set(makers.map((make) => make(thai).kind))).toEqual(new Set(noticeKinds));
    for (const [inEnglish, inThai] of makers.map(saidBy)) {
      const name = [inThai['kind'], inThai['reasonCode']];
      expect({ name, isThai: isThai(inThai['reason']) }).toEqual({ name, isThai: true });
      expect({ name, isThai: isThai(inEnglish['reason']) }).toEqual({ name, isThai: false });
      if (inEnglish['remedy'] !== null)
        expect({ name, isThai: isThai(inThai['remedy']) }).toEqual({ name, isThai: true });
      expect(`${String(inThai['reason'])}${String(inThai['remedy'])}`).not.toMatch(/undefined|NaN|function/);
    }
  });

  test('is the same happening with the same keys, codes, figures and commands', () => {
    const said = ['reason', 'remedy', 'reasons', 'firstBreaks'];
    const rest = (body: NoticeDraft['body']) =>
      Object.fromEntries(Object.entries(body).filter(([key]) => !said.includes(key)));
    for (const make of makers) {
      const [one, other] = [make(english), make(thai)];
      expect(other.key).toBe(one.key);
      expect(Object.keys(other.body)).toEqual(Object.keys(one.body));
      expect(rest(other.body)).toEqual(rest(one.body));
    }
  });

  test('forbids to pay again wherever the English one does', () => {
    for (const [inEnglish, inThai] of makers.map(saidBy))
      if (forbids(inEnglish['remedy'])) expect(String(inThai['remedy'])).toMatch(/ห้ามจ่าย/);
    expect(describeInDoubt(thai, newsOf({ status: 'running' }), noonMs).body['remedy']).toMatch(/^ห้ามจ่ายซ้ำ/);
  });

  test('names every trouble of a watcher in Thai, and keeps its code', () => {
    const reasons = describeNotReady(thai, troubles).body['reasons'] as typeof troubles;
    expect(reasons.map(({ code }) => code)).toEqual(healthCodes);
    for (const { code, text, remedy, command } of reasons)
      expect([code, isThai(text), isThai(remedy), command]).toEqual([code, true, true, 'df -h']);
    const [first] = describeBreaks(thai, breaksOf('status-mismatch'), []).body['firstBreaks'] as {
      reason: string;
      remedy: string;
    }[];
    expect(first?.reason).toBe('สถานะไม่ตรงกัน: row 1: failed, and the bank paid it');
    expect(first?.remedy).toMatch(/^ห้ามจ่ายซ้ำ/);
  });

  test('has the Buddhist era in its text alone, and the words of others as they are', () => {
    expect(describeStatementLate(thai, '20261120').body).toMatchObject({
      statement: '2026-11-20',
      reason: 'มีการส่งรายการจ่ายในวันที่ 20 พ.ย. 2569 แต่ยังไม่ได้รับรายการเดินบัญชีครบทั้งวัน',
    });
    expect(describeBatchHalted(thai, halted('EM053'), 1).body['reason']).toMatch(/: why it is so$/);
    expect(describeFileRejected(thai, rejected).body['reason']).toContain('there is no column "amount"');
    expect(describeFileGrown(thai, grown).body['reason']).toContain('50 รายการ รวม 1,234.50 บาท ซึ่งยังไม่ได้จ่าย');
  });
});
