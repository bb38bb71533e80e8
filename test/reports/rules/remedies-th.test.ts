/** Thai texts beside the English ones: nothing lacks its own, and each says the same about paying again. */
import { rowRemedyWordings } from '../../../src/core/messages/row-remedies.ts';
import type { Wording } from '../../../src/core/messages/wording.ts';
import { inEnglish, say } from '../../../src/core/message.ts';
import { describe, expect, test } from 'vitest';
import { holdReasons, payoutStatuses } from '../../../src/core/payout.ts';
import { bankStatuses } from '../../../src/core/status-codes.ts';
import { describeBreakRemedy } from '../../../src/reconcile/rules/break-remedies.ts';
import { breakKinds } from '../../../src/reconcile/rules/types.ts';
import { describeAlarmRemedy, describeHolds, describeRemedy } from '../../../src/reports/rules/remedies.ts';

const isThai = (text: string): boolean => /[\u0E01-\u0E5B]/.test(text);
/** Sentences of the other language; names of columns, codes and references may stand in a text. */
const isEnglish = (text: string): boolean => /\b(?:the|and|with|bank|pay)\b/i.test(text);
const forbids = (text: string): boolean => /do not pay|ห้ามจ่าย/i.test(text);

describe('in Thai', () => {
  test('every remedy has its text, and forbids to pay again where the English one does', () => {
    const all = Object.entries<Wording>(rowRemedyWordings);
    expect(all.length).toBeGreaterThan(40);
    for (const [name, [english, thai, page = english]] of all) {
      expect({ name, isThai: isThai(thai), isEnglish: isEnglish(thai) }).toEqual({
        name,
        isThai: true,
        isEnglish: false,
      });
      expect({ name, forbids: [forbids(thai), forbids(page)] }).toEqual({
        name,
        forbids: [forbids(english), forbids(english)],
      });
    }
  });

  test('every code of the bank has its remedy', () => {
    expect(bankStatuses).toHaveLength(57);
    for (const { code, remedy } of bankStatuses) {
      const remedyTh = say('th', remedy);
      expect({ code, isThai: isThai(remedyTh) && !isEnglish(remedyTh) }).toEqual({ code, isThai: true });
      expect({ code, forbids: /ห้ามส่งซ้ำ/.test(remedyTh) }).toEqual({
        code,
        forbids: /do not send again/.test(inEnglish(remedy)),
      });
    }
  });

  test('every row is told what to do, whatever has become of it', () => {
    for (const status of payoutStatuses) {
      const row = { status, holds: [], reasonCode: 'EM053', issues: [] };
      expect(isThai(say('th', describeRemedy(row)))).toBe(true);
      expect(isThai(say('th', describeAlarmRemedy(row)))).toBe(true);
    }
    const held = { status: 'held', holds: [...holdReasons], reasonCode: 'EM053', issues: [] } as const;
    expect(say('th', describeRemedy(held))).toMatch(/^นำเงินเข้าบัญชีผู้จ่าย/);
    expect(isThai(say('th', describeHolds(holdReasons)))).toBe(true);
    expect(say('th', describeRemedy({ ...held, reasonCode: 'constructor' }))).not.toContain('function');
  });

  test('every break has a remedy', () => {
    const bare = { severity: 'high', attempt: null, lines: [], lineAt: null, date: '20261120' } as const;
    for (const kind of breakKinds) {
      const [english, thai] = [
        inEnglish(describeBreakRemedy({ kind, ...bare })),
        say('th', describeBreakRemedy({ kind, ...bare })),
      ];
      expect({ kind, isThai: isThai(thai) }).toEqual({ kind, isThai: true });
      expect({ kind, forbids: /ห้ามจ่าย/.test(thai) }).toEqual({
        kind,
        forbids: /do not pay|not pay it again/i.test(english),
      });
    }
  });
});
