/** Files whose bytes mean one thing in windows-874 and another in windows-1252. */
import iconv from 'iconv-lite';
import { expect, test } from 'vitest';
import { file, row, useFolder, type WholeReading } from '../../support/payout-file-kit.ts';

const folder = useFolder();

const western = (text: string): Buffer => iconv.encode(text, 'windows-1252');
const thai = (text: string): Buffer => iconv.encode(text, 'windows-874');
const outline = ({ rejection, rows }: WholeReading): readonly unknown[] =>
  rejection === undefined ? rows.map(({ extras }) => extras[0]) : [rejection.code, rejection.line];

const noted = (...notes: readonly string[]): string =>
  ['payoutId,proxyNo,amount,note', ...notes.map((note, at) => `W-${at + 1},081000000${at + 1},1.00,${note}`)]
    .map((line) => `${line}\n`)
    .join('');

test.each([
  ['crème brûlée', '"crème"', 'cr่me br๛l้e'],
  ['50° ½', '"50°"', '50ฐ ฝ'],
])(
  'letters and signs of windows-1252 are not read as Thai, and each cure of the message works: %s',
  async (note, told, asThai) => {
    const text = noted('plain', note);
    const { rejection } = await folder.read(western(text));
    expect(rejection).toMatchObject({ code: 'encoding-unclear', line: 3 });
    expect(rejection?.message).toContain(told);
    expect(outline(await folder.read(text))).toEqual(['plain', note]);
    const [, ...settings] =
      /set input.encoding to ([\w-]+) or, .*, to ([\w-]+)$/.exec(rejection?.message ?? '') ?? [];
    expect(settings).toEqual(['windows-1252', 'windows-874']);
    expect(outline(await folder.read(western(text), { encoding: 'windows-1252' }))).toEqual(['plain', note]);
    expect(outline(await folder.read(western(text), { encoding: 'windows-874' }))).toEqual(['plain', asThai]);
  },
);

test('bytes that windows-874 leaves unassigned are told with a setting that works', async () => {
  const text = noted('Jürgen’s €5');
  const { rejection } = await folder.read(western(text));
  expect(rejection).toMatchObject({ code: 'undecodable', line: 2 });
  expect(rejection?.message).toContain('input.encoding to windows-1252');
  expect(outline(await folder.read(western(text), { encoding: 'windows-1252' }))).toEqual(['Jürgen’s €5']);
});

test.each([
  ['utf-16le', (text: string) => Buffer.from(text, 'utf16le')],
  ['utf-16be', (text: string) => Buffer.from(text, 'utf16le').swap16()],
])('%s without its mark is read with the setting of the message', async (_, encode) => {
  const bytes = encode(noted('ก', 'plain'));
  const { rejection } = await folder.read(bytes);
  const [, encoding = ''] = /set input\.encoding to ([\w-]+)$/.exec(rejection?.message ?? '') ?? [];
  expect(outline(await folder.read(bytes, { encoding: encoding as 'utf-16le' }))).toEqual(['ก', 'plain']);
});

test('no setting is offered where NUL bytes stand in what is no text', async () => {
  const { rejection } = await folder.read(Buffer.from([1, 0, 2, 3, 0, 0, 4, 5, 0, 10]));
  expect(rejection).toMatchObject({ code: 'nul-bytes' });
  expect(rejection?.message).not.toContain('input.encoding');
});

test('bytes that windows-1252 leaves unassigned are told, too', async () => {
  const bytes = Buffer.concat([Buffer.from(file(row('A'))), Buffer.from([0x81, 10])]);
  expect((await folder.read(bytes, { encoding: 'windows-1252' })).rejection?.code).toBe('undecodable');
});

test('it is told before any heading is to be mapped, and wherever in the file it stands', async () => {
  const header = western(noted('x').replace('amount', 'montant payé'));
  expect(outline(await folder.read(header))).toEqual(['encoding-unclear', 1]);
  const rows = Array.from({ length: 4_000 }, (_, at) => row(`P-${at}`));
  expect(outline(await folder.read(western(file(...rows, row('Z', '1.00', 'José')))))).toEqual([
    'encoding-unclear',
    4_002,
  ]);
});

test('Thai is read beside Latin letters, however little of it there is', async () => {
  const notes = ['Somchai', 'นา', 'ABCจำกัด', 'Aก', 'ก', 'Somchai้'];
  expect(outline(await folder.read(thai(noted(...notes))))).toEqual(notes);
  expect(outline(await folder.read(thai(noted('Somchai', 'ลี'))))).toEqual(['Somchai', 'ลี']);
  const rows = Array.from({ length: 4_000 }, (_, at) => row(`P-${at}`));
  const { rows: read } = await folder.read(thai(file(...rows, row('Z', '1.00', 'มาลี'))));
  expect(read.at(-1)?.cells.payeeName).toBe('มาลี');
});
