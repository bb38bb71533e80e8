/** Thai texts beside the English ones: nothing lacks its own, and each says the same about paying again. */
import { say } from '../../../src/core/message.ts';
import { describe, expect, test } from 'vitest';
import { holdReasons, payoutStatuses } from '../../../src/core/payout.ts';
import { bankStatuses } from '../../../src/core/status-codes.ts';
import { describeBreakRemedy } from '../../../src/reconcile/rules/break-remedies.ts';
import { agreedWords, breakWords } from '../../../src/reconcile/rules/break-words.ts';
import { agreedPlaces, breakKinds } from '../../../src/reconcile/rules/types.ts';
import { describeAlarmRemedy, describeHolds, describeRemedy } from '../../../src/reports/rules/remedies.ts';
import { englishRemedies, type RemedyTexts } from '../../../src/reports/rules/remedy-texts.ts';
import { thaiRemedies } from '../../../src/reports/rules/remedy-texts-th.ts';

const isThai = (text: string): boolean => /[\u0E01-\u0E5B]/.test(text);
/** Sentences of the other language; names of columns, codes and references may stand in a text. */
const isEnglish = (text: string): boolean => /\b(?:the|and|with|bank|pay)\b/i.test(text);
const forbids = (text: string): boolean => /do not pay|ห้ามจ่าย/i.test(text);

const pairsOf = (english: RemedyTexts, thai: RemedyTexts): (readonly [string, string, string])[] =>
  Object.entries(english).flatMap(([table, texts]) => {
    const others = thai[table as keyof RemedyTexts] as string | Readonly<Record<string, string>>;
    if (typeof texts === 'string') return [[table, texts, others as string] as const];
    const inThai = others as Readonly<Record<string, string>>;
    return Object.entries(texts as Readonly<Record<string, string>>).map(
      ([key, text]) => [`${table} ${key}`, text, inThai[key] ?? ''] as const,
    );
  });

describe('in Thai', () => {
  test('every remedy has its text, and forbids to pay again where the English one does', () => {
    const pairs = pairsOf(englishRemedies, thaiRemedies);
    expect(pairs.length).toBeGreaterThan(40);
    for (const [name, english, thai] of pairs) {
      expect({ name, isThai: isThai(thai), isEnglish: isEnglish(thai) }).toEqual({
        name,
        isThai: true,
        isEnglish: false,
      });
      expect({ name, forbids: forbids(thai) }).toEqual({ name, forbids: forbids(english) });
    }
  });

  test('every code of the bank has its remedy', () => {
    expect(bankStatuses).toHaveLength(57);
    for (const { code, remedy, remedyTh } of bankStatuses) {
      expect({ code, isThai: isThai(remedyTh) && !isEnglish(remedyTh) }).toEqual({ code, isThai: true });
      expect({ code, forbids: /ห้ามส่งซ้ำ/.test(remedyTh) }).toEqual({
        code,
        forbids: /do not send again/.test(remedy),
      });
    }
  });

  test('every row is told what to do, whatever has become of it', () => {
    for (const status of payoutStatuses) {
      const row = { status, holds: [], reasonCode: 'EM053', issues: [] };
      expect(isThai(describeRemedy(row, 'th'))).toBe(true);
      expect(isThai(describeAlarmRemedy(row, 'th'))).toBe(true);
    }
    const held = { status: 'held', holds: [...holdReasons], reasonCode: 'EM053', issues: [] } as const;
    expect(describeRemedy(held, 'th')).toMatch(/^นำเงินเข้าบัญชีผู้จ่าย/);
    expect(isThai(say('th', describeHolds(holdReasons)))).toBe(true);
    expect(describeRemedy({ ...held, reasonCode: 'constructor' }, 'th')).not.toContain('function');
  });

  test('every break has a name and a remedy', () => {
    const bare = { severity: 'high', attempt: null, lines: [], lineAt: null, date: '20261120' } as const;
    for (const kind of breakKinds) {
      const [english, thai] = [
        describeBreakRemedy({ kind, ...bare }),
        describeBreakRemedy({ kind, ...bare }, 'th'),
      ];
      expect({ kind, isThai: isThai(thai) && isThai(breakWords[kind][1]) }).toEqual({ kind, isThai: true });
      expect({ kind, forbids: /ห้ามจ่าย/.test(thai) }).toEqual({
        kind,
        forbids: /do not pay|not pay it again/i.test(english),
      });
    }
    for (const place of agreedPlaces) expect(isThai(agreedWords[place][1])).toBe(true);
  });
});
