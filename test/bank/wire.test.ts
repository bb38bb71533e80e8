import { describe, expect, test } from 'vitest';
import { wireNames } from '../../src/bank/wire.ts';

describe('names on the wire', () => {
  test.each([
    [
      'proxy',
      ['proxyNo', 'proxyName', 'proxyType', 'displayProxyName'],
      '/directcredit/v1/open-api/proxy/fundtransfer',
    ],
    [
      'promptpay',
      ['promptpayNo', 'promptpayName', 'promptpayType', 'displayPromptpayName'],
      '/directcredit/v1/open-api/promptpay/fundtransfer',
    ],
  ])('follow from the scheme %s', (scheme, fields, transfer) => {
    const names = wireNames(scheme);
    expect([names.proxyNo, names.proxyName, names.proxyType, names.displayProxyName]).toEqual(fields);
    expect(names.paths.transfer).toBe(transfer);
    expect(names.paths.inquiry).toBe(`${transfer}/inquiry`);
    expect(names.paths.token).toBe('/oauth/authentication/api/v2/token');
    expect(names.paths.tokenRefresh).toBe('/oauth/authentication/api/v2/token/refresh');
  });

  test('name endpoint 5 as §4 does', () => {
    expect(wireNames('proxy').paths.payeeCheck).toBe('/directcredit/v1/open-api/proxy/account/inquirystatus');
  });
});
