import { describe, expect, test } from 'vitest';
import { Callers } from '../../../src/registration/listener/callers.ts';

const bank = ['203.0.113.0/24', '2001:db8:1::/48', '198.51.100.7'];
const proxies = ['10.0.0.0/8', 'fd00::/8'];

describe('seen directly', () => {
  test.each([
    ['203.0.113.9', true],
    ['::ffff:203.0.113.9', true],
    ['198.51.100.7', true],
    ['198.51.100.8', false],
    ['2001:db8:1::5', true],
    ['2001:db8:2::5', false],
    ['127.0.0.1', false],
    ['10.0.0.1', false],
    ['fe80::1%eth0', false],
    ['', false],
    [undefined, false],
  ])('%s may call: %s', (peer, isAllowed) => {
    const callers = new Callers({ allowFrom: bank, trustedProxies: [] });
    expect(callers.find(peer, undefined) !== undefined).toBe(isAllowed);
    expect(callers.mayConnect(peer)).toBe(isAllowed);
  });

  test('from everywhere, where no range is named', () => {
    const callers = new Callers({ allowFrom: [], trustedProxies: [] });
    for (const peer of ['203.0.113.9', '2001:db8::1', '::1'])
      expect(callers.find(peer, undefined)).toBe(peer);
    expect(callers.find('nobody', undefined)).toBeUndefined();
  });

  test.each(['203.0.113.9', '127.0.0.1', 'rubbish'])(
    'nobody who is no trusted proxy speaks for %s',
    (said) => {
      const callers = new Callers({ allowFrom: bank, trustedProxies: [] });
      expect(callers.find('192.0.2.1', said)).toBeUndefined();
      expect(callers.find('203.0.113.9', said)).toBe('203.0.113.9');
    },
  );
});

describe('behind a trusted proxy', () => {
  const callers = new Callers({ allowFrom: bank, trustedProxies: proxies });

  test.each([
    // The proxy writes whom it saw at the end.
    ['203.0.113.9', '203.0.113.9'],
    ['192.0.2.1', undefined],
    ['203.0.113.9, 192.0.2.1', undefined],
    ['192.0.2.1, 203.0.113.9', '203.0.113.9'],
    // Through two of ours.
    ['203.0.113.9, 10.2.3.4', '203.0.113.9'],
    ['203.0.113.9, 192.0.2.1, 10.2.3.4', undefined],
    ['203.0.113.9,10.2.3.4,fd00::9', '203.0.113.9'],
    // Shapes that proxies write.
    ['203.0.113.9:4711', '203.0.113.9'],
    ['[2001:db8:1::5]:4711', '2001:db8:1::5'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    // Nobody, and what is no address.
    ['10.2.3.4', undefined],
    ['', undefined],
    ['203.0.113.9, unknown', undefined],
    ['203.0.113.9, ', undefined],
    ['203.0.113.9.evil', undefined],
    [undefined, undefined],
  ])('who was forwarded as %s is %s', (forwardedFor, address) => {
    expect(callers.find('10.0.0.1', forwardedFor)).toBe(address);
    expect(callers.find('::ffff:10.0.0.1', forwardedFor)).toBe(address);
    if (address !== undefined) expect(callers.trace('10.0.0.1', forwardedFor)).toBe(address);
  });

  test('a proxy may connect, and itself calls from nowhere', () => {
    expect(callers.mayConnect('10.0.0.1')).toBe(true);
    expect(callers.mayConnect('192.0.2.1')).toBe(false);
  });
});

test('who may not call is told of by the address that a trusted proxy names', () => {
  const callers = new Callers({ allowFrom: ['203.0.113.0/24'], trustedProxies: ['10.0.0.1'] });
  expect(callers.find('10.0.0.1', '198.51.100.7')).toBeUndefined();
  expect(callers.trace('10.0.0.1', '198.51.100.7')).toBe('198.51.100.7');
  expect(callers.trace('198.51.100.9', '203.0.113.5')).toBe('198.51.100.9');
});
