/**
 * Files that say one thing to their writers and could be read as another: by `check` and by `run`, judged by the bank's
 * ledger. What a message offers as its cure is typed, and then works.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import iconv from 'iconv-lite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { findReports, openScene, type ProgramEnd, readTable, type Scene } from './harness.ts';
import { partner } from '../support/core-fixtures.ts';

let scene: Scene;
beforeAll(async () => {
  const directory = [
    { proxyNo: '0810000001', name: 'Somchai Jaidee', nameTh: 'สมชาย ใจดี' },
    { proxyNo: '0810000002', name: 'Malee Srisuk', nameTh: 'มาลี ศรีสุข' },
    { proxyNo: '0810000003', name: 'Anan Thongdee', nameTh: 'อนันต์ ทองดี' },
  ];
  scene = await openScene({ sandbox: { directory } });
});
afterAll(() => scene[Symbol.asyncDispose]());

let configs = 0;

/** The scene's settings with these. */
async function configWith(changes: object): Promise<string> {
  configs += 1;
  const path = join(scene.folder, `with-${configs}.yaml`);
  const { baseUrl } = scene.bank;
  const limits = { similarDays: 0, likeFileDays: 0 };
  const settings = { dataDir: './data', bank: { baseUrl, ...partner }, limits, ...changes };
  await writeFile(path, stringify(settings));
  return path;
}

interface Played {
  readonly check: ProgramEnd;
  readonly run: ProgramEnd;
  /** What the bank has paid for it. */
  readonly paid: readonly string[];
}

async function play(name: string, content: string | Uint8Array, changes: object = {}): Promise<Played> {
  const path = join(scene.folder, 'in', name);
  await writeFile(path, content);
  const config = await configWith(changes);
  const before = (await scene.bank.ledger()).entries.length;
  const check = await scene.runWith(config, 'check', path);
  expect((await scene.bank.ledger()).entries).toHaveLength(before);
  const run = await scene.runWith(config, 'run', path);
  const { entries } = await scene.bank.ledger();
  return { check, run, paid: entries.slice(before).map(({ amount }) => amount) };
}

/** Exit codes of `check` and `run`, then what was paid. */
const outline = ({ check, run, paid }: Played): readonly unknown[] => [check.code, run.code, ...paid];

describe('amounts that a comma has cut', () => {
  const thousands = (prefix: string): string =>
    [
      'payoutId,proxyNo,payeeName,amount,reference1,reference2',
      `${prefix}-1,0810000001,Somchai Jaidee,18,500.00,INV-1`,
      `${prefix}-2,0810000002,Malee Srisuk,22,750.00,INV-2`,
      `${prefix}-3,0810000003,Anan Thongdee,40.00,,INV-3\n`,
    ].join('\n');

  test('their rows are rejected, and the others are paid', async () => {
    const played = await play('thousands.csv', thousands('T'));
    expect(outline(played)).toEqual([3, 3, '40.00']);
    expect(played.check.stdout).toContain('this reads as 18,500.00');
    expect(await play('mended.csv', thousands('M').replaceAll(/(\d),(\d{3}\.00)/g, '$1$2,'))).toMatchObject({
      paid: ['18500.00', '22750.00', '40.00'],
    });
  });

  test.each([
    ['thousands', ['S-1,0810000001,1,500', 'S-2,0810000002,20.00,']],
    ['decimals', ['D-1,0810000001,1234,50', 'D-2,0810000002,99,95']],
  ])('a file that does not show whether they are cut is refused: %s', async (name, rows) => {
    const content = `${['payoutId,proxyNo,amount,branch', ...rows].join('\n')}\n`;
    const played = await play(`${name}.csv`, content);
    expect(outline(played)).toEqual([5, 5]);
    const [, key = '', value = ''] =
      /set input\.(\w+) to (\w+)/.exec(played.run.stdout + played.run.stderr) ?? [];
    const cured = await play(`${name}.csv`, content, { input: { [key]: value } });
    expect(outline(cured).slice(0, 2)).toEqual([0, 0]);
    expect(cured.paid).toHaveLength(2);
  });
});

/** The settings that a message on the screen says to paste. */
function readOffers({ run, check }: Played): readonly object[] {
  const offers = [run, check].map(({ stdout, stderr }) =>
    (stdout + stderr).match(/\binput: \{ (?:columns: \{.*?\}|carry: \[.*?\]) \}/g),
  );
  expect(offers[0]).toEqual(offers[1]);
  return (offers[0] ?? []).map((offer) => parse(offer) as object);
}

describe('headings that look like ours', () => {
  const file = (header: string, id: string): string => `${header}\n${id},0810000001,100.00,มาลี ศรีสุข\n`;

  test('the name that stands below one is compared: with its own heading, or with the settings of the message', async () => {
    expect(outline(await play('named.csv', file('payoutId,proxyNo,amount,payeeName', 'N-1')))).toEqual([
      0, 3,
    ]);
    const content = file('payoutId,proxyNo,amount,payeeName\u200b', 'N-2');
    const refused = await play('unseen.csv', content);
    expect(outline(refused)).toEqual([5, 5]);
    const [mapping = {}, carrying = {}] = readOffers(refused);
    expect(outline(await play('unseen.csv', content, mapping))).toEqual([0, 3]);
    const carried = content.replace('N-2', 'N-3');
    expect(outline(await play('unseen-too.csv', carried, carrying))).toEqual([0, 0, '100.00']);
  });

  test.each([
    ['all marked as a template marks them', 'payoutId*,proxyNo*,amount*,reference1 (max 20)', 'Y-1'],
    ['a required one with a character that cannot be seen', 'payoutId,proxyNo\u200b,amount,why', 'Y-2'],
    ['a no-break space', 'payout\u00a0Id,proxyNo,amount,why', 'Y-3'],
  ])('a file is paid with the settings of the message: %s', async (_, header, id) => {
    const content = `${header}\n${id},0810000001,100.00,INV-1\n`;
    const refused = await play(`${id}.csv`, content);
    expect(outline(refused)).toEqual([5, 5]);
    const [mapping = {}] = readOffers(refused);
    expect(outline(await play(`${id}.csv`, content, mapping))).toEqual([0, 0, '100.00']);
  });
});

test('letters of windows-1252 are not read as Thai: nothing is paid before the settings say which they are', async () => {
  const content = iconv.encode(
    [
      'payoutId,proxyNo,payeeName,amount,note',
      'W-1,0810000001,José García,100.00,café',
      'W-2,0810000002,Malee Srisuk,200.00,crème brûlée',
      'W-3,0810000003,ÁLVAREZ,400.00,à la carte\n',
    ].join('\n'),
    'windows-1252',
  );
  const refused = await play('western.csv', content);
  expect(outline(refused)).toEqual([5, 5]);
  const [, encoding = ''] =
    /set input\.encoding to ([\w-]+)/.exec(refused.run.stdout + refused.run.stderr) ?? [];
  expect(outline(await play('western.csv', content, { input: { encoding } }))).toEqual([3, 3, '200.00']);
  const [result = ''] = await findReports(scene.outbox, /^western.*\.result\.csv$/);
  expect((await readTable(result)).map(({ status, note }) => [status, note])).toEqual([
    ['rejected', 'café'],
    ['paid', 'crème brûlée'],
    ['rejected', 'à la carte'],
  ]);
});

/** The parts of a cured file, in the words of the file that is refused. */
const header = 'payoutId,proxyNo,amount';
const text = (...lines: readonly string[]): string => `${lines.join('\n')}\n`;

describe('what looks right on a screen is told by what stands in it, and the cure that is told works', () => {
  test.each<
    [
      name: string,
      content: string | Uint8Array,
      codes: [number, number],
      told: string,
      cured: string | object,
    ]
  >([
    [
      'a title above the header',
      text('Payroll November 2026,,', ',,', header, 'L-1,0810000001,10.00'),
      [5, 5],
      'the header stands in line 3, remove the 2 lines above it',
      text(header, 'L-1,0810000001,10.00'),
    ],
    [
      'a separator too many at the end of each line',
      text(header, 'L-2,0810000001,10.00,'),
      [3, 3],
      'end the header in one, too',
      text(`${header},`, 'L-2,0810000001,10.00,'),
    ],
    [
      'formulas that keep digits',
      text(header, 'L-3,="0810000001",10.00'),
      [3, 3],
      'proxyNo is written as a formula',
      text(header, 'L-3,0810000001,10.00'),
    ],
    [
      'dashes of another kind in a mobile number',
      text(header, 'L-4,081\u2011000\u20110001,10.00'),
      [3, 3],
      'U+2011 "\u2011" (non-breaking hyphen)',
      text(header, 'L-4,081-000-0001,10.00'),
    ],
    [
      'a space of another kind in a name',
      text(`${header},payeeName`, 'L-5,0810000001,10.00,Somchai\u00a0Jaidee'),
      [3, 3],
      'U+00A0 (no-break space)',
      text(`${header},payeeName`, 'L-5,0810000001,10.00,Somchai Jaidee'),
    ],
    [
      'UTF-16 without its mark',
      Buffer.from(text(header, 'L-6,0810000001,10.00'), 'utf16le'),
      [5, 5],
      'set input.encoding to utf-16le',
      { encoding: 'utf-16le' },
    ],
    [
      'a trailer and the end mark of DOS',
      text(header, 'L-7,0810000001,10.00', 'TRAILER,1,10.00', '\u001a'),
      [5, 5],
      'set input.control to trailer',
      { control: 'trailer' },
    ],
    [
      'signs of windows-1252',
      iconv.encode(text(`${header},note`, 'L-8,0810000001,10.00,50°'), 'windows-1252'),
      [5, 5],
      'set input.encoding to windows-1252',
      { encoding: 'windows-1252' },
    ],
  ])('%s', async (name, content, codes, told, cured) => {
    const fileName = `${name.replaceAll(' ', '-')}.csv`;
    const played = await play(fileName, content);
    expect(outline(played)).toEqual(codes);
    const unwrapped = (shown: string): string => shown.replaceAll(/\s+/g, ' ');
    expect(unwrapped(played.check.stdout)).toContain(told);
    const after =
      typeof cured === 'string'
        ? await play(fileName, cured)
        : await play(fileName, content, { input: cured });
    expect(outline(after)).toEqual([0, 0, '10.00']);
  });
});

test('check tells before a run which payoutIds are like one that is paid: the run holds them, and resume pays them', async () => {
  await play('like-first.csv', text(header, 'LIKE-1,0810000001,10.00'));
  const played = await play(
    'like-again.csv',
    text(header, 'like1,0810000002,20.00', 'OTHER,0810000003,30.00'),
  );
  expect(outline(played)).toEqual([3, 3, '30.00']);
  const shown = played.check.stdout.replaceAll(/\s+/g, ' ');
  expect(shown).toContain('to be held 1 row, 20.00 baht');
  const [, ...words] = /\("paydrop (resume) (like1)"\)/.exec(shown) ?? [];
  const { code } = await scene.runWith(await configWith({}), ...words);
  expect(code).toBe(0);
  const run = await scene.runWith(await configWith({}), 'run', join(scene.folder, 'in', 'like-again.csv'));
  expect(run.code).toBe(0);
  expect((await scene.bank.ledger()).entries.map(({ amount }) => amount)).toContain('20.00');
});
