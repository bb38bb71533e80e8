import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { columnWordings } from '../../src/core/messages/columns.ts';
import { noticeWordings } from '../../src/core/messages/notices.ts';
import { type Wording, wordings } from '../../src/core/messages/wording.ts';
import {
  catalogue,
  counted,
  decodeMessage,
  encodeMessage,
  inEnglish,
  isTranslated,
  joined,
  listed,
  message,
  say,
  sayOnPage,
  verbatim,
} from '../../src/core/message.ts';
import { shellCommand } from '../support/shell-command.ts';

describe('the catalogue', () => {
  const holesOf = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, hole = '']) => hole).toSorted();
  const thaiLetter = /[\u0E00-\u0E7F]/;

  test('has the same holes in both languages, and Thai letters where the English has words', () => {
    const entries = Object.entries<Wording>(catalogue);
    const bare = (text: string) => text.replaceAll(/\{\w+\}/g, '');
    expect(
      entries.filter(
        ([, [shell, th, page = shell]]) =>
          new Set(holesOf(page)).symmetricDifference(new Set(holesOf(th))).size > 0 ||
          !new Set(holesOf(page)).isSubsetOf(new Set(holesOf(shell))),
      ),
    ).toEqual([]);
    expect(entries.filter(([, [en, th]]) => /[a-z]{2}/.test(bare(en)) && !thaiLetter.test(bare(th)))).toEqual(
      [],
    );
  });

  test('has each code once', async () => {
    const folder = new URL('../../src/core/messages/', import.meta.url);
    const names = readdirSync(folder).filter((name) => name !== 'wording.ts');
    const tables = await Promise.all(
      names.map(async (name) => Object.values((await import(new URL(name, folder).href)) as object)),
    );
    const codes = tables.flat().flatMap((table: object) => Object.keys(table));
    expect(codes.filter((code, at) => codes.indexOf(code) !== at)).toEqual([]);
    expect(codes.toSorted()).toEqual(Object.keys(catalogue).toSorted());
  });

  test('names a command of the shell on no page, in either language', () => {
    const offPage = { ...columnWordings, ...noticeWordings };
    const onPage = Object.entries<Wording>(catalogue).filter(([code]) => !Object.hasOwn(offPage, code));
    expect(onPage.length).toBeGreaterThan(1_000);
    for (const [code, [shell, th, page = shell]] of onPage)
      expect({ code, found: [th, page].filter((text) => shellCommand.test(text)) }).toEqual({
        code,
        found: [],
      });
    expect(inEnglish(message('payout-remedy.failed'))).toContain('"paydrop retry"');
    expect(sayOnPage('en', joined([message('payout-remedy.failed'), message('alarm-remedy.end')]))).toMatch(
      /then "Retry" it as it is.*"Acknowledge" ends the alarm/,
    );
  });

  test('does not compile with a code that lacks its Thai, or a hole in one language alone', () => {
    // @ts-expect-error the Thai is missing
    wordings({ a: ['English'] });
    // @ts-expect-error the Thai has another hole
    wordings({ a: ['row {row}', 'แถวที่ {line}'] });
    // @ts-expect-error the page has a command
    wordings({ a: ['ask with "paydrop settle"', 'สอบถาม'] });
    // @ts-expect-error the Thai has a command
    wordings({ a: ['ask with "paydrop settle"', 'สอบถามด้วย "paydrop settle"', 'ask'] });
    // @ts-expect-error the page has another hole
    wordings({ a: ['ask about "{command}"', 'สอบถาม {row}', 'ask about {row}'] });
    // @ts-expect-error the argument is missing
    message('row.one');
    expect(wordings({ a: ['row {row}', 'แถวที่ {row}'] })).toEqual({ a: ['row {row}', 'แถวที่ {row}'] });
  });
});

test('a message is rendered in each language, with the messages within it', () => {
  const said = counted(1200, 'row');
  expect([inEnglish(said), say('th', said)]).toEqual(['1,200 rows', '1,200 รายการ']);
  const text = message('verbatim', { text: listed([counted(1, 'row'), 'x {count}'], 'or') });
  expect([inEnglish(text), say('th', text)]).toEqual(['1 row or x {count}', '1 รายการหรือx {count}']);
});

test('a message is the same after it was kept', () => {
  const said = message('verbatim', { text: counted(2, 'payout') });
  expect(decodeMessage(encodeMessage(said))).toEqual(said);
  expect([isTranslated(verbatim('Account closed')), isTranslated(counted(1, 'row'))]).toEqual([false, true]);
});

const causes = listed(
  [{ within: message('payout-cause.hold-added') }, { within: message('payout-cause.hold-lifted') }],
  'inTurn',
);

test.each([
  [
    message('right.role', {
      role: message('role.viewer'),
      action: message('action.propose'),
      roles: listed([message('a-role.maker'), message('a-role.admin')], 'or'),
    }),
    'a viewer may not propose decisions: that takes a maker or an admin',
    'ผู้ดูข้อมูลไม่มีสิทธิ์เสนอการตัดสินใจ ต้องเป็นผู้ทำรายการหรือผู้ดูแลระบบ',
  ],
  [
    message('cancel.too-late', {
      where: message('place.payout', { payoutId: 'INV 1', row: 3, batch: '0123456789' }),
      status: message('payout-is.paid'),
    }),
    'payout INV 1 (row 3 of batch 0123456789) is paid: only what is ready or held can be cancelled',
    'รายการ INV 1 (แถวที่ 3 ของชุด 0123456789) มีสถานะ จ่ายสำเร็จ ยกเลิกได้เฉพาะรายการที่พร้อมจ่ายหรือระงับไว้',
  ],
  [
    message('change.other-status', {
      before: message('payout-is.held'),
      now: message('payout-is.ready'),
      causes,
    }),
    'it was held then, and is ready now (held, then a hold was lifted)',
    'เดิมสถานะคือ ระงับไว้ ปัจจุบันคือ พร้อมจ่าย (ระงับไว้, ยกเลิกการระงับ)',
  ],
])('a reason is a sentence in both languages: %j', (said, english, thai) => {
  expect([say('en', said), say('th', said)]).toEqual([english, thai]);
});

test('an unknown code, as of a journal that another program has changed, is shown as it is', () => {
  expect(say('th', decodeMessage('{"code":"no.such","args":{}}'))).toBe('no.such');
});
