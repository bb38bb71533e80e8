/** The page in Thai: every view is walked, and no English sentence of ours stands on it. */
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sayWhy } from '../../../src/review/web/words.ts';
import { whyPairs } from '../../../src/reports/rules/why-texts.ts';
import type { Browser, Shown } from '../../support/browser.ts';
import {
  bringTo,
  firstBatchId,
  ingest,
  ingestRunning,
  makeBadRow,
  makeRow,
  makeRows,
  noonMs,
  payer,
  secondBatchId,
} from '../../support/journal-fixtures.ts';
import { type OpenTestPage, openTestPage } from '../../support/review-page.ts';

let rig: OpenTestPage;
const halt = {
  code: 'halted-by-operator',
  reason: 'nok has halted it: โทร',
  remedy: 'Ask the person who halted it; "paydrop halt --lift" lets it go on',
};

beforeAll(async () => {
  rig = await openTestPage({}, { nok: 'maker', dao: 'checker', ploy: 'viewer', anan: 'admin' });
  const { store } = rig;
  await ingestRunning(store, [
    ...makeRows(6),
    makeRow(7, { holds: ['name'] }),
    makeRow(8, { holds: ['similar', 'limit'] }),
    makeBadRow(9),
  ]);
  for (const status of ['failed', 'unpayable', 'unresolved', 'paid', 'cancelled', 'submitted'] as const)
    await bringTo(store, status);
  const approval = { when: 'always', aboveSatang: 0n as never, people: 2 } as const;
  const later = [11, 12].map((rowNo) => makeRow(rowNo));
  await ingest(store, later, { batchId: secondBatchId, fileName: 'b.csv', approval });
  await store.recordPayerHalt({ ...payer, ...halt, sinceMs: noonMs });
  const refusal = {
    line: null,
    column: null,
    code: 'no-header',
    message: 'ไม่มีหัวตาราง',
    reason: 'x',
    batchId: null,
  };
  await store.endIntake('item-1', 'rejected', noonMs, { fileName: 'c.csv', droppedAtMs: noonMs, refusal });
});
afterAll(async () => rig[Symbol.asyncDispose]());

/** What stands on a page for its reader; what the bank or a file said, and what is signed, is in `code` or `pre`. */
const textsOf = (page: string): readonly string[] =>
  page
    .replaceAll(/<(script|style|head|code|pre)\b.*?<\/\1>/gs, '')
    .split(/<[^>]*>/)
    .map((text) =>
      text
        .replaceAll(/&\w+;|&#\d+;/g, '"')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    );

/** Three words of English on end; commands, codes and names have none. */
const sentence = /\b[A-Za-z][a-z’']+(?: [a-z][a-z’']+){2,}/;
const commands = /"paydrop [^"]*"|\(paydrop \w+\)/g;
const findEnglish = ({ text }: Shown): readonly string[] =>
  textsOf(text).filter((one) => sentence.test(one.replaceAll(commands, '')));

async function openThai(name: string): Promise<Browser> {
  const browser = await rig.open(name);
  await browser.get('/today');
  browser.cookies.set('language', 'th');
  return browser;
}

/** What stands for the parts of a path, of those that show something. */
const values = {
  batchId: [firstBatchId, secondBatchId],
  personId: ['1', '2'],
  id: ['1'],
  date: ['20261121'],
};
const decisions = ['go-on', 'release', 'retry', 'retry-corrected', 'confirm-paid', 'acknowledge'];

function pathsOf(path: string): readonly string[] {
  const name = /:(\w+)/.exec(path)?.[1];
  if (name === undefined) return [path];
  const isBatch = path.startsWith('/batch');
  const decided = isBatch ? ['approve-batch', 'resume-batch', 'cancel-batch'] : decisions;
  const seqs = path.includes(':decision') ? ['3', '9'] : ['1', '2', '3', '4', '5', '6', '7', '8', '9'];
  const all = { ...values, seq: seqs, decision: decided } as Readonly<Record<string, readonly string[]>>;
  return (all[name] ?? ['1']).flatMap((value) => pathsOf(path.replace(`:${name}`, value)));
}

describe('a Thai page says nothing of ours in English', () => {
  // What a viewer may not is told him in the same places.
  test.each([
    ['mali', /^/],
    ['ploy', /^\/(?:queue|payout\/[19]|batch\/\w+|proposals)$/],
  ])('whatever %s looks at', async (name, shown) => {
    const browser = await openThai(name);
    const paths = rig.views.filter(({ method }) => method === 'GET').flatMap(({ path }) => pathsOf(path));
    const found: string[] = [];
    for (const path of [...paths, '/nowhere'].filter((one) => shown.test(one)))
      for (const text of findEnglish(await browser.get(path))) found.push(`${path}: ${text}`);
    expect(found).toEqual([]);
  });
});

describe('reasons', () => {
  const sourcesIn = (folder: string): readonly string[] =>
    readdirSync(new URL(`../../../src/${folder}`, import.meta.url), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('why-texts.ts'))
      .map((file) => readFileSync(new URL(`../../../src/${folder}/${file}`, import.meta.url), 'utf8'));

  const jointsMax = 4;
  /** Each three words on end. */
  const runsOf = (text: string): readonly string[] => {
    const words = text.split(' ').filter((word) => word !== '');
    return words.slice(2).map((_, place) => words.slice(place, place + 3).join(' '));
  };

  test('stand in the rules as they stand in the table', () => {
    const source = [
      'review',
      'app/review',
      'payout',
      'reconcile',
      'reports',
      'store/payouts',
      'intake',
      'core',
    ]
      .flatMap(sourcesIn)
      .join('\n')
      .replaceAll(/['`] \+\s*['`]/g, '')
      .replaceAll(String.raw`\'`, "'");
    // Where a sentence is put together, the words at its joints stand beside each other nowhere.
    const gone = whyPairs.filter(([english]) => {
      const runs = english.split(/\{\w+\}/).flatMap(runsOf);
      return runs.length > 0 && runs.filter((run) => !source.includes(run)).length > jointsMax;
    });
    expect(gone).toEqual([]);
  });

  test('of the table have the blanks of their English in Thai, or leave them out', () => {
    const blanksOf = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([blank]) => blank);
    const more = whyPairs.filter(([en, th]) => blanksOf(th).some((blank) => !blanksOf(en).includes(blank)));
    expect(more).toEqual([]);
    const isSaid = (text: string, letters: RegExp) => letters.test(text.replaceAll(/\{\w+\}/g, ''));
    expect(whyPairs.filter(([en, th]) => isSaid(en, /[a-z]/) && !isSaid(th, /[\u0E00-\u0E7F]/))).toEqual([]);
  });

  test.each([
    ['it is held, without an alarm: there is nothing to take note of', 'สถานะคือ ระงับไว้ และ'],
    [
      'a viewer may not propose decisions: that takes a maker or an admin',
      'ผู้ดูข้อมูลไม่มีสิทธิ์เสนอการตัดสินใจ ต้องเป็นผู้ทำรายการหรือผู้ดูแลระบบ',
    ],
    [
      'payout INV 1 (row 3 of batch 0123456789) is paid: only what is ready or held can be cancelled',
      'รายการ INV 1 (แถวที่ 3 ของชุด 0123456789) มีสถานะ จ่ายสำเร็จ',
    ],
    [
      'boon was added as a maker by mali, confirmed by anan: ชั่วคราว',
      'เพิ่ม boon เป็นผู้ทำรายการ โดย mali ยืนยันโดย anan: ชั่วคราว',
    ],
    [
      'nok has halted it: it is paid: nothing of it can be paid',
      'nok สั่งหยุดจ่าย: it is paid: nothing of it can be paid',
    ],
    [
      'it was held then, and is ready now (held, then a hold was lifted, then no clear answer: the bank is asked)',
      '(ระงับไว้, ยกเลิกการระงับ, ไม่มีคำตอบชัดเจน จึงสอบถามธนาคาร)',
    ],
  ])('%s', (english, thai) => {
    expect(sayWhy('th', english)).toEqual({ text: expect.stringContaining(thai) as string, language: 'th' });
    expect(sayWhy('en', english)).toEqual({ text: english, language: 'en' });
  });

  test('of the bank, or with words that are none of ours, stay as they are', () => {
    for (const text of [
      'Account closed',
      'it is strange: nothing of it can be paid',
      `it is ${'x'.repeat(999)}`,
    ])
      expect(sayWhy('th', text)).toEqual({ text, language: 'en' });
  });
});
