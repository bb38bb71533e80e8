import { describe, expect, test } from 'vitest';
import {
  BankAddressError,
  isHostName,
  isServedHost,
  readBankAddress,
} from '../../src/core/network-address.ts';

describe('bank.baseUrl', () => {
  test.each([
    ['https://bank.example', { isSecure: true, host: 'bank.example', port: 443, basePath: '' }],
    ['https://bank.example:8443/', { isSecure: true, host: 'bank.example', port: 8443, basePath: '' }],
    ['https://bank.example/gateway/v1/', { host: 'bank.example', basePath: '/gateway/v1' }],
    ['http://127.0.0.1:8080', { isSecure: false, host: '127.0.0.1', port: 8080 }],
    ['http://127.255.3.4', { isSecure: false, host: '127.255.3.4', port: 80 }],
    ['http://127.1', { isSecure: false, host: '127.0.0.1' }],
    ['http://[::1]:9', { isSecure: false, host: '::1', port: 9 }],
    ['http://[0:0::1]', { isSecure: false, host: '::1' }],
    ['http://LOCALHOST:1', { isSecure: false, host: 'localhost', port: 1 }],
    ['https://[2001:db8::1]', { isSecure: true, host: '2001:db8::1', port: 443 }],
  ])('%s is read', (baseUrl, address) => {
    expect(readBankAddress(baseUrl)).toMatchObject(address);
  });

  test.each([
    ['http://bank.example', 'plain http to bank.example'],
    ['http://10.0.0.1', 'plain http to 10.0.0.1'],
    ['http://128.0.0.1', 'plain http'],
    ['http://127.0.0.1.evil.example', 'plain http'],
    ['http://localhost.evil.example', 'plain http'],
    ['http://evil-localhost', 'plain http'],
    ['http://0.0.0.0', 'plain http'],
    ['http://[::]', 'plain http'],
    ['http://[::ffff:127.0.0.1]', 'plain http'],
    ['HTTP://bank.example', 'plain http'],
    ['ftp://bank.example', 'no web address'],
    ['file:///etc/passwd', 'no web address'],
    ['bank.example', 'no web address'],
    ['sandbox', 'no web address'],
    ['', 'no web address'],
    ['https://', 'no web address'],
    ['https://bank.example/?a=1', 'a ? or #'],
    ['https://bank.example/#a', 'a ? or #'],
  ])('%s is refused by name', (baseUrl, text) => {
    expect(() => readBankAddress(baseUrl)).toThrow(BankAddressError);
    expect(() => readBankAddress(baseUrl)).toThrow('bank.baseUrl');
    expect(() => readBankAddress(baseUrl)).toThrow(text);
  });

  test('with a password in it is refused without quoting it', () => {
    const error = (() => {
      try {
        return readBankAddress('https://me:hush@bank.example');
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(error).toBeInstanceOf(BankAddressError);
    expect(String(error)).not.toMatch(/hush|me:/);
  });
});

describe('a Host header', () => {
  const names = ['monitor.internal', 'paydrop-1'];

  test.each([
    [undefined],
    [''],
    ['127.0.0.1'],
    ['127.0.0.1:8765'],
    ['10.2.3.4:80'],
    ['[::1]:8765'],
    ['[fd00::1]'],
    ['localhost'],
    ['LOCALHOST:9'],
    ['monitor.internal'],
    ['Monitor.Internal.:8765'],
    ['paydrop-1:1'],
  ])('%s is served', (header) => {
    expect(isServedHost(header, names)).toBe(true);
  });

  test.each([
    ['evil.example'],
    ['evil.example:8765'],
    ['127.0.0.1.evil.example'],
    ['localhost.evil.example'],
    ['x.monitor.internal'],
    ['monitor.internal.evil.example'],
    ['evil.example@127.0.0.1'],
    ['evil.example/127.0.0.1'],
    ['127.0.0.1 evil.example'],
    ['127.0.0.1,evil.example'],
    ['127.0.0.1:x'],
    ['[evil.example]'],
    ['1.2.3.4.5'],
    [':80'],
  ])('%s is not', (header) => {
    expect(isServedHost(header, names)).toBe(false);
  });
});

test.each([
  ['files.example', true],
  ['10.1.2.3', true],
  ['::1', true],
  ['[fd00::1]', true],
  ['files-1', true],
  ['https://files.example', false],
  ['files.example:443', false],
  ['files.example/x', false],
  ['me@files.example', false],
  ['*.example', false],
  ['[::x]', false],
  ['', false],
])('%j as the name of a host: %s', (text, isOne) => {
  expect(isHostName(text)).toBe(isOne);
});
