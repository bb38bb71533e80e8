import { expect, test } from 'vitest';
import { makeRequestUid } from '../../src/bank/messages.ts';

test('a requestUID has 20 characters of Crockford base32 and never comes twice', () => {
  const uids = Array.from({ length: 20_000 }, makeRequestUid);
  expect(uids.filter((uid) => !/^[0-9A-HJKMNP-TV-Z]{20}$/.test(uid))).toEqual([]);
  expect(new Set(uids).size).toBe(uids.length);
});

test('every place of a requestUID is random', () => {
  const uids = Array.from({ length: 2_000 }, makeRequestUid);
  for (let place = 0; place < 20; place += 1) {
    expect(new Set(uids.map((uid) => uid[place])).size).toBe(32);
  }
});
