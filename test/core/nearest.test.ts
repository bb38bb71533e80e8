import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findNearest } from '../../src/core/nearest.ts';

const known = ['config', 'data-dir', 'json', 'log-level', 'clientSecret', 'clientSecretFile'];

test.each([
  ['confg', 'config'],
  ['cofnig', 'config'],
  ['Config', 'config'],
  ['jsno', 'json'],
  ['data_dir', 'data-dir'],
  ['clientsecretfiel', 'clientSecretFile'],
  ['loglevel', 'log-level'],
])('%s was meant to be %s', (word, nearest) => {
  expect(findNearest(word, known)).toBe(nearest);
});

test.each(['x', 'frobnicate', '', 'js'])('%j was meant to be none of them', (word) => {
  expect(findNearest(word, known)).toBeUndefined();
});

test('a word is nearest to itself', () => {
  const words = fc.uniqueArray(fc.stringMatching(/^[a-z]{2,12}$/), { minLength: 1 });
  fc.assert(fc.property(words, (all) => all.every((word) => findNearest(word, all) === word)));
});
