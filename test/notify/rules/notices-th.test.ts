/** Notices in Thai: no kind lacks its words, keys and codes stay, and what must not be paid again says so. */
import { message } from '../../../src/core/message.ts';
import { describe, expect, test } from 'vitest';
import {
  Alarms,
  describeAlarms,
  describeBreaks,
  describeNotReady,
  describeStatementLate,
} from '../../../src/notify/rules/journal-notices.ts';
import {
  describeBatchHalted,
  describeFileGrown,
  describeFileRejected,
  describeInDoubt,
  type NoticeScene,
} from '../../../src/notify/rules/notice-body.ts';
import { type NoticeDraft, noticeKinds } from '../../../src/notify/rules/notice.ts';
import { healthCodes, type SaidHealthReason } from '../../../src/watch/rules/health.ts';
import {
  alarmOf,
  breaksOf,
  grown,
  halted,
  makeNoticeSamples,
  newsOf,
  rejected,
} from '../../support/notice-samples.ts';
import { noticeScene } from '../../support/notices.ts';
import { noonMs } from '../../support/report-fixtures.ts';

const isThai = (text: unknown): boolean => typeof text === 'string' && /[\u0E01-\u0E5B]/.test(text);
const forbids = (text: unknown): boolean => /do not pay|pay nothing|ห้ามจ่าย/i.test(String(text));

const english = { ...noticeScene, nowMs: noonMs };
const thai: NoticeScene = { ...english, language: 'th' };

const troubles = healthCodes.map((code) => ({
  code,
  text: message('health.standby'),
  remedy: message('health.takes-over'),
  command: 'df -h',
}));

const makers = makeNoticeSamples({
  batchId: 'B000000001',
  registrationBatchId: 'B000000002',
  date: '20261120',
  transRefNo: 'PDABCDEFGHJKMNP00001',
  path: '/srv/paydrop/rejected/broken.csv',
  troubles,
});

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
    const reasons = describeNotReady(thai, troubles).body['reasons'] as readonly SaidHealthReason[];
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

  test('says in Thai why the first rows of an alarm contradict', () => {
    const alarms = new Alarms();
    alarms.add({ ...alarmOf('PDABCDEFGHJKMNP00001'), reason: message('reason.confirmed-paid') });
    const [first] = describeAlarms(thai, alarms).body['firstRows'] as { reason: string }[];
    expect(isThai(first?.reason)).toBe(true);
  });

  test('has the Buddhist era in its text alone, and the words of others as they are', () => {
    expect(describeStatementLate(thai, '20261120').body).toMatchObject({
      statement: '2026-11-20',
      reason: 'มีการส่งรายการจ่ายในวันที่ 20 พ.ย. 2569 แต่ยังไม่ได้รับรายการเดินบัญชีครบทั้งวัน',
    });
    expect(describeBatchHalted(thai, halted('EM053'), 1).body['reason']).toMatch(/: why it is so$/);
    expect(describeFileRejected(thai, rejected).body['reason']).toContain('there is no column "amount"');
    expect(describeFileGrown(thai, grown).body['reason']).toContain(
      '50 รายการ รวม 1,234.50 บาท (A51, …) ซึ่งยังไม่ได้จ่าย',
    );
  });
});
