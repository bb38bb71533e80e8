import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DuplicateIndex } from '../../../src/intake/rules/duplicates.ts';

type SeenRow = Parameters<DuplicateIndex['add']>[0];

interface Row {
  readonly id: string;
  readonly cells: readonly string[];
  readonly isValid: boolean;
}

const row = (id: string, amount: string, isValid = true): Row => ({
  id,
  cells: [id, amount],
  isValid,
});

const number = (rows: readonly Row[]): SeenRow[] =>
  rows.map((one, index) => ({ ...one, rowNo: index + 1, line: index + 2 }));

function judge(rows: readonly Row[]): { verdicts: string[]; conflicting: readonly number[] } {
  const index = new DuplicateIndex();
  const verdicts = number(rows).map((one) => {
    const verdict = index.add(one);
    return verdict.kind === 'new'
      ? 'new'
      : `${verdict.kind} of ${verdict.firstRowNo} in line ${verdict.firstLine}`;
  });
  return { verdicts, conflicting: index.conflictingRowNos };
}

/** The same in the plainest words, with everything kept. */
function judgeNaively(rows: readonly Row[]): { verdicts: string[]; conflicting: readonly number[] } {
  const first = new Map<string, SeenRow>();
  const differing = new Set<string>();
  const conflicting: number[] = [];
  const verdicts = number(rows).map((one) => {
    const earlier = first.get(one.id);
    if (earlier === undefined) {
      first.set(one.id, one);
      return 'new';
    }
    const isSame = JSON.stringify(earlier.cells) === JSON.stringify(one.cells);
    if (!isSame && !differing.has(one.id)) {
      differing.add(one.id);
      if (earlier.isValid) conflicting.push(earlier.rowNo);
    }
    return `${differing.has(one.id) ? 'differs' : 'repeat'} of ${earlier.rowNo} in line ${earlier.line}`;
  });
  return { verdicts, conflicting };
}

describe('a name twice in a file', () => {
  test.each<[string, Row[], string[], number[]]>([
    ['different ones', [row('A', '1'), row('B', '1')], ['new', 'new'], []],
    ['an identical row', [row('A', '1'), row('A', '1')], ['new', 'repeat of 1 in line 2'], []],
    ['a differing row', [row('A', '1'), row('A', '2')], ['new', 'differs of 1 in line 2'], [1]],
    [
      'one like the first after one that differs',
      [row('A', '1'), row('A', '2'), row('A', '1')],
      ['new', 'differs of 1 in line 2', 'differs of 1 in line 2'],
      [1],
    ],
    [
      'a repeat and then one that differs',
      [row('B', '1'), row('A', '1'), row('A', '1'), row('A', '2')],
      ['new', 'new', 'repeat of 2 in line 3', 'differs of 2 in line 3'],
      [2],
    ],
    ['a broken twin', [row('A', '1'), row('A', 'x', false)], ['new', 'differs of 1 in line 2'], [1]],
    ['a broken first one', [row('A', 'x', false), row('A', '1')], ['new', 'differs of 1 in line 2'], []],
    ['case counts', [row('a', '1'), row('A', '1')], ['new', 'new'], []],
  ])('%s', (_, rows, verdicts, conflicting) => expect(judge(rows)).toEqual({ verdicts, conflicting }));

  test('cells do not flow into each other', () => {
    const cells = [['AB', 'C'], ['A', 'BC'], ['ABC', ''], ['', 'ABC'], ['ABC']];
    const index = new DuplicateIndex();
    const add = (id: string, of: readonly string[]): string =>
      index.add({ rowNo: 1, line: 1, id, cells: of, isValid: true }).kind;
    for (const [a, one] of cells.entries()) {
      for (const [b, other] of cells.entries()) {
        expect(add(`${a}-${b}`, one)).toBe('new');
        expect(add(`${a}-${b}`, other)).toBe(a === b ? 'repeat' : 'differs');
      }
    }
  });

  test('what is found is what a map of everything finds', () => {
    const rows = fc.array(
      fc.record<Row>({
        id: fc.constantFrom('A', 'B', 'C', 'AA', 'a'),
        cells: fc.array(fc.constantFrom('', '1', '2', '12'), { maxLength: 3 }),
        isValid: fc.boolean(),
      }),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(rows, (list) => {
        expect(judge(list)).toEqual(judgeNaively(list));
      }),
    );
  });

  test('half a million payouts are all told apart, and found again', () => {
    const index = new DuplicateIndex();
    const add = (place: number, amount: string): string => {
      const id = `PAY-2026-${place}`;
      return index.add({
        rowNo: place + 1,
        line: place + 2,
        id,
        cells: [id, amount],
        isValid: true,
      }).kind;
    };
    const kinds = new Set<string>();
    for (let place = 0; place < 500_000; place += 1) kinds.add(add(place, '1.00'));
    expect([...kinds]).toEqual(['new']);
    expect([add(0, '1.00'), add(499_999, '1.00'), add(250_000, '1.01')]).toEqual([
      'repeat',
      'repeat',
      'differs',
    ]);
    expect(index.conflictingRowNos).toEqual([250_001]);
  });
});
