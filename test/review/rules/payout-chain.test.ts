import { describe, expect, test } from 'vitest';
import {
  type ChainedEvent,
  eraseNames,
  findBrokenEvent,
  hashEvent,
  saltDetail,
  textOf,
} from '../../../src/review/rules/payout-chain.ts';

const event = (detail: object): ChainedEvent => ({
  companyId: 'COMP000001',
  batchId: '0123456789',
  rowNo: 7,
  seq: 12,
  from: 'staged',
  to: 'ready',
  cause: 'sealed',
  atMs: 1_795_311_815_518,
  attemptNo: 0,
  detail: JSON.stringify(detail),
});

test('a text has a line for each part', () => {
  expect(textOf(event({ code: 'IC000' })).split('\n')).toEqual([
    'COMP000001',
    '0123456789',
    '7',
    '12',
    'staged',
    'ready',
    'sealed',
    '1795311815518',
    '0',
    '{"code":"IC000"}',
  ]);
});

test('the same event has the same hash for ever, and another one after another', () => {
  const hash = hashEvent('ab', textOf(event({})));
  expect(hash).toBe('-689Eie8ZN7293eJxZYlP0XY52K74-TGCvohtUYtn1w');
  expect(hashEvent(null, textOf(event({})))).not.toBe(hash);
});

describe('names', () => {
  const detail = saltDetail({ by: 'mali', checkedBy: 'nok', proposal: 3 }, () => 'ab12');

  test('are salted where they are people’s', () => {
    expect(detail).toEqual({ by: 'mali', checkedBy: 'nok', proposal: 3, salt: 'ab12' });
    expect(saltDetail({ by: 'people' }, () => 'ab12')).toEqual({ by: 'people' });
  });

  test('stand in no text, and can be erased without breaking the chain', () => {
    const before = event(detail);
    const after = { ...before, detail: eraseNames(before.detail) };
    expect(textOf(before)).not.toMatch(/mali|nok|ab12/v);
    expect(after.detail).not.toMatch(/mali|nok|ab12/v);
    expect(textOf(after)).toBe(textOf(before));
    const hash = hashEvent(null, textOf(before));
    const payout = { seq: 1, status: 'ready', lastEventSeq: 12, start: null };
    expect(findBrokenEvent({ ...payout, events: [{ ...after, hash }] })).toBeUndefined();
  });

  test('that are exchanged are found', () => {
    const hash = hashEvent(null, textOf(event(detail)));
    const changed = { ...event({ ...detail, by: 'nok' }), hash };
    const payout = { seq: 1, status: 'ready', lastEventSeq: 12, start: null };
    expect(findBrokenEvent({ ...payout, events: [changed] })).toMatchObject({ seq: 12 });
  });
});
