import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  computeRoom,
  orderFinished,
  classifyName,
  composeName,
  computeArchiveNames,
  computeRejectedNames,
  decideTaking,
  type IntakeRules,
  makeItemId,
  noteSighting,
  readItemId,
} from '../../../src/watch/rules/drop-folder.ts';
import { anyCharacter } from '../../support/any-character.ts';

const rules: IntakeRules = {
  stillMs: 1_000,
  isMarkerExpected: true,
  isSidecarExpected: true,
  sidecarWaitMs: 60_000,
};
const plain = { ...rules, isMarkerExpected: false, isSidecarExpected: false };

describe('a name', () => {
  test.each([
    ['a.part', 'ignored'],
    ['A.PART', 'ignored'],
    ['a.csv.tmp', 'ignored'],
    ['a.FilePart', 'ignored'],
    ['a.crdownload', 'ignored'],
    ['.a.csv', 'ignored'],
    ['.paydrop', 'ignored'],
    ['~$a.csv', 'ignored'],
    ['..foo', 'ignored'],
    ['.done', 'ignored'],
    ['a.csv', 'file'],
    ['~a.csv', 'file'],
    ['-rf', 'file'],
    ['a\nb.csv', 'file'],
    ['part', 'file'],
    ['a.part.csv', 'file'],
    ['a.parted', 'file'],
    ['a.csv.done', 'marker'],
    ['a.csv.DONE', 'marker'],
    ['a.csv.control.json', 'sidecar'],
    ['control.json', 'file'],
  ])('%j is %s', (name, kind) => expect(classifyName(name, rules).kind).toBe(kind));

  test('of a companion tells whose it is', () => {
    expect(classifyName('a\n.csv.Done', rules)).toEqual({ kind: 'marker', of: 'a\n.csv' });
    expect(classifyName('a.csv.control.json', rules)).toEqual({ kind: 'sidecar', of: 'a.csv' });
  });

  test.each(['a.csv.done', 'a.csv.control.json'])('%s is a file where no companion is expected', (name) => {
    expect(classifyName(name, plain).kind).toBe('file');
  });
});

describe('a file', () => {
  const still = { print: 'p', sinceMs: 0 };
  const facts = { file: still, hasMarker: true, sidecar: still } as const;

  test('that has changed begins to be still anew', () => {
    expect(noteSighting(undefined, 'p', 5)).toEqual({ print: 'p', sinceMs: 5 });
    expect(noteSighting(still, 'p', 5)).toBe(still);
    expect(noteSighting(still, 'q', 5)).toEqual({ print: 'q', sinceMs: 5 });
  });

  test.each([
    [0, 1_000],
    [999, 1],
    [1_000, undefined],
  ])('is finished when it has been still: at %i ms', (nowMs, forMs) => {
    expect(decideTaking({ ...facts, hasMarker: false, sidecar: 'missing' }, plain, nowMs)).toEqual(
      forMs === undefined ? { kind: 'take', withSidecar: false } : { kind: 'wait', forMs },
    );
  });

  test('waits for its marker as long as it takes', () => {
    expect(decideTaking({ ...facts, hasMarker: false }, rules, 1e9)).toEqual({
      kind: 'wait',
      forMs: undefined,
    });
    expect(decideTaking(facts, rules, 999)).toEqual({ kind: 'wait', forMs: 1 });
    expect(decideTaking(facts, rules, 1_000)).toEqual({ kind: 'take', withSidecar: true });
  });

  test.each([
    ['missing', 1_000, { kind: 'wait', forMs: 60_000 }],
    ['missing', 60_999, { kind: 'wait', forMs: 1 }],
    ['missing', 61_000, { kind: 'take', withSidecar: false }],
    [500, 1_000, { kind: 'wait', forMs: 500 }],
    [500, 1_500, { kind: 'take', withSidecar: true }],
    [60_900, 60_950, { kind: 'wait', forMs: 50 }],
    [60_900, 61_000, { kind: 'take', withSidecar: false }],
  ] as const)('waits for its sidecar, but not for ever: %s at %i ms', (since, nowMs, expected) => {
    const sidecar = since === 'missing' ? since : { print: 's', sinceMs: since };
    expect(decideTaking({ ...facts, sidecar }, rules, nowMs)).toEqual(expected);
  });
});

describe('the id of an item', () => {
  test('sorts by the time of the drop, and gives it back', () => {
    const ids = [0, 5, 999, 1_795_237_200_000].map((ms) => makeItemId(ms, 'abcdef'));
    expect(ids.toSorted()).toEqual(ids);
    expect(ids.map(readItemId)).toEqual([0, 5, 999, 1_795_237_200_000]);
    expect(makeItemId(-1.5, 'abcdef')).toBe('19700101T000000000-abcdef');
  });

  test.each([
    '',
    'x',
    '19700101T000000000-ABCDEF',
    '19700101T00000000-abcdef',
    '19700101T000000000-abcdef.tmp',
  ])('%j is none', (name) => expect(readItemId(name)).toBeUndefined());
});

describe('the name of an ended file', () => {
  test('is its own, then one with the batch, then with numbers', () => {
    const names = [...computeArchiveNames('pay.csv', '4K7Q2M9XWD', 'ID')];
    expect(names.slice(0, 3)).toEqual(['pay.csv', 'pay.4K7Q2M9XWD.csv', 'pay.4K7Q2M9XWD.2.csv']);
    expect(names.at(-1)).toBe('pay.ID.csv');
    expect(new Set(names).size).toBe(names.length);
  });

  test('among the rejected is its own, then one with numbers', () => {
    const names = [...computeRejectedNames('pay', 'ID')];
    expect([names[0], names[1], names.at(-1)]).toEqual(['pay', 'pay.2', 'pay.ID']);
  });

  test.each([
    ['a\nb.csv', 'a_b.csv'],
    ['..\\x.csv', '__x.csv'],
    ['-rf.csv', '-rf.csv'],
    ['', 'payouts'],
    ['   ', 'payouts'],
    ['a.b.CSV', 'a.b.CSV'],
    [`a.${'x'.repeat(30)}`, `a.${'x'.repeat(30)}`],
  ])('%j becomes %j', (name, expected) => expect(composeName(name, '')).toBe(expected));

  test('leaves room for its companions and stays in its folder, whatever it was', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: anyCharacter, maxLength: 400 }),
        fc.constantFrom('', 'm.2'),
        (name, mark) => {
          const composed = composeName(`a${name}.csv`, mark);
          expect(Buffer.byteLength(`${composed}.control.json`)).toBeLessThanOrEqual(255);
          expect(composed).not.toMatch(/[/\\\p{C}]|^\./u);
          expect(composed.endsWith(mark === '' ? '.csv' : '.m.2.csv')).toBe(true);
          expect(Buffer.from(composed).toString()).toBe(composed);
        },
      ),
      { numRuns: 30 },
    );
  });
});

describe('the order of finished files', () => {
  const waiting = (names: readonly string[]) =>
    names.map((name, place) => ({ name: Buffer.from(name), droppedAtNs: BigInt(place) }));
  const ordered = (names: readonly string[]): readonly string[] =>
    orderFinished(waiting(names)).map(({ name }) => name.toString());
  const junk = Array.from({ length: 3_000 }, (_, number) => `junk${number}.csv`);
  const random = junk.map((_name, number) => `${String.fromCodePoint(0x4e00 + number)}.csv`);

  test('is the order in which they were dropped, while few wait', () => {
    expect(ordered(['b', 'a2', 'a1'])).toEqual(['b', 'a2', 'a1']);
    expect(ordered(junk.slice(0, 32))).toEqual(junk.slice(0, 32));
  });

  test.each([
    ['behind a flood', [...junk, 'payouts-20261121.csv']],
    ['behind a flood without order in its names', [...random, 'payouts-20261121.csv']],
    ['in the midst of a flood', junk.toSpliced(1_500, 0, 'payouts-20261121.csv')],
    ['before it', ['payouts-20261121.csv', ...junk]],
  ])('takes a good file %s among the first', (_where, names) => {
    expect(ordered(names).indexOf('payouts-20261121.csv')).toBeLessThan(3);
  });

  test('forgets none, and takes the oldest in every third turn at the latest', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ minLength: 1, maxLength: 3 }), { maxLength: 100 }), (names) => {
        const found = ordered(names);
        expect(found.toSorted()).toEqual(names.toSorted());
        for (const [age, name] of names.entries()) expect(found.indexOf(name)).toBeLessThanOrEqual(3 * age);
      }),
    );
  });
});

test.each([
  ['an empty work/', 0, 0, 32],
  ['files that are read', 20, 16, 16],
  ['many files that are read', 20, 17, 0],
  ['many batches', 490, 0, 10],
  ['too many', 600, 0, 0],
])('room beside %s', (_what, inWork, unread, room) => {
  expect(computeRoom(inWork, unread)).toBe(room);
});
