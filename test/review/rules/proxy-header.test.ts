/** Whom the header of a trusted proxy names, and when nobody. */
import { describe, expect, test } from 'vitest';
import { findNamed, readHeaderValues, toSource } from '../../../src/review/rules/proxy-header.ts';
import { noonMs } from '../../support/core-fixtures.ts';
import { makePerson } from '../../support/persons.ts';

const mali = makePerson();
const anan = makePerson({ personId: 2, name: 'Anan.S@firm', role: 'viewer', isDisabled: true });

describe('the header of a request', () => {
  test.each([
    [['X-User', 'mali'], ['mali']],
    [['x-uSER', 'mali', 'Host', 'X-User'], ['mali']],
    [
      ['X-User', 'mali', 'X-USER', 'mali'],
      ['mali', 'mali'],
    ],
    [['X-User-Name', 'mali', 'Host', 'x-user'], []],
    [['X-User', ''], ['']],
  ])('%o says %o', (raw, values) => {
    expect(readHeaderValues(raw, 'X-User')).toEqual(values);
  });
});

test.each([
  ['203.0.113.9', '203.0.113.9'],
  ['203.0.113.9:4711', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['2001:db8:0:7::1', '2001:db8:0:7::/64'],
  ['2001:db8:0:7:ffff:0:0:9', '2001:db8:0:7::/64'],
  ['[2001:db8:0:7::1]:443', '2001:db8:0:7::/64'],
  ['::1', '0:0:0:0::/64'],
  ['unknown', 'unknown'],
])('%s counts as %s', (address, source) => {
  expect(toSource(address)).toBe(source);
});

describe('whom it names', () => {
  test.each([
    [['mali'], 'mali'],
    [['MALI'], 'mali'],
    [[], 'unnamed'],
    [[''], 'unnamed'],
    [['mali', 'mali'], 'doubled'],
    [['mali,mali'], 'unknown'],
    [['mali, mali'], 'unknown'],
    // It would be mali, once it is made plain.
    [['m\u00AAli'], 'unknown'],
    [['mal'], 'unknown'],
    [['anan.s@firm'], 'disabled'],
  ])('%o: %s', (values, expected) => {
    const named = findNamed(values, [mali, anan], undefined);
    expect(named.ok ? named.person.name : named.refusal).toBe(expected);
  });

  test('counts after a restore once it has been enabled again', () => {
    expect(findNamed(['mali'], [mali], noonMs)).toMatchObject({ ok: false, refusal: 'before-restore' });
    const enabled = makePerson({ standsSinceMs: noonMs + 1 });
    expect(findNamed(['mali'], [enabled], noonMs)).toEqual({ ok: true, person: enabled });
  });

  test('stands in no log whole', () => {
    for (const [name, masked] of [
      ['somebody@firm.example', 'so***'],
      ['9000000000017', '*****'],
      ['anna', 'a***'],
      ['ab', '***'],
    ] as const)
      expect(findNamed([name], [mali], undefined)).toMatchObject({ refusal: 'unknown', masked });
  });
});
