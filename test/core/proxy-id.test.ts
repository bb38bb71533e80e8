import { inEnglish } from '../../src/core/message.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { computeCheckDigit, maskDigits, readProxyId } from '../../src/core/proxy-id.ts';

const digits = (length: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: length, maxLength: length });

describe('mobile numbers are normalised to ten digits', () => {
  test.each([
    ['0812345678', undefined],
    ['0612345678', undefined],
    ['0912345678', 'MSISDN'],
    ['081-234-5678', undefined],
    ['081 234 5678', undefined],
    ['+66812345678', undefined],
    ['+66 81 234 5678', 'MSISDN'],
    ['66812345678', undefined],
    ['66-81-234-5678', 'MSISDN'],
    ['0066812345678', 'MSISDN'],
  ] as const)('%s, declared %s', (text, declared) => {
    const reading = readProxyId(text, declared);
    const proxyNo = text.startsWith('09')
      ? '0912345678'
      : text.startsWith('06')
        ? '0612345678'
        : '0812345678';
    expect(reading).toEqual({ ok: true, proxyType: 'MSISDN', proxyNo });
  });
});

describe('citizen and tax IDs need 13 digits and a right check digit', () => {
  test.each([
    ['9100000000011', undefined],
    ['9-1000-00000-01-1', undefined],
    ['9100000000020', 'NATID'],
    ['0995000000015', undefined],
    ['0 9950 00000 01 5', 'NATID'],
  ] as const)('%s, declared %s', (text, declared) => {
    expect(readProxyId(text, declared)).toEqual({
      ok: true,
      proxyType: 'NATID',
      proxyNo: text.replaceAll(/[- ]/g, ''),
    });
  });
});

describe('what cannot be a proxy ID says why, each in its own words', () => {
  test.each([
    ['', undefined, 'proxy-missing', 'is empty'],
    ["'0812345678", 'MSISDN', 'proxy-apostrophe', 'apostrophe'],
    ['’0995000000015', undefined, 'proxy-apostrophe', 'write the digits alone'],
    ['1.10E+12', undefined, 'proxy-damaged', 'exponent'],
    ['8.12E+08', 'MSISDN', 'proxy-damaged', 'exponent'],
    ['9,1E+12', 'NATID', 'proxy-damaged', 'exponent'],
    ['812345678.0', undefined, 'proxy-damaged', 'decimals'],
    ['812345678', undefined, 'proxy-damaged', 'leading zero'],
    ['812345678', 'MSISDN', 'proxy-damaged', 'leading zero'],
    ['995000000015', undefined, 'proxy-damaged', 'leading zero of this tax ID'],
    ['995000000015', 'NATID', 'proxy-damaged', 'leading zero of this tax ID'],
    ['๐๘๑๒๓๔๕๖๗๘', undefined, 'proxy-thai-digits', 'Thai digits'],
    ['08123456๗๘', undefined, 'proxy-thai-digits', 'Thai digits'],
    ['08I2345678', undefined, 'proxy-characters', 'letters'],
    ['สมชาย', undefined, 'proxy-characters', 'letters'],
    ['081/2345678', undefined, 'proxy-characters', 'only the digits'],
    ['081--2345678', undefined, 'proxy-characters', 'only the digits'],
    ['０８１２３４５６７８', undefined, 'proxy-characters', 'only the digits'],
    ['021234567', undefined, 'proxy-length', '9 digits'],
    ['08123456789', undefined, 'proxy-length', '11 digits'],
    ['910000000001', undefined, 'proxy-length', '12 digits'],
    ['91000000000112', undefined, 'proxy-length', '14 digits'],
    ['910000000001', 'NATID', 'proxy-length', '12 digits'],
    ['91000000000112', 'NATID', 'proxy-length', '14 digits'],
    ['08123456789', 'MSISDN', 'proxy-length', '11 digits'],
    ['12345', undefined, 'proxy-length', '5 digits'],
    ['9100000000012', undefined, 'proxy-check-digit', 'check digit'],
    ['9100000000012', 'NATID', 'proxy-check-digit', 'check digit'],
    ['0066812345678', undefined, 'proxy-ambiguous', 'say which'],
    ['0712345678', undefined, 'proxy-mobile-prefix', '06, 08 or 09'],
    ['0212345678', 'MSISDN', 'proxy-mobile-prefix', '06, 08 or 09'],
    ['660812345678', undefined, 'proxy-mobile-prefix', 'leading 0 is left out'],
    ['+660812345678', undefined, 'proxy-mobile-prefix', 'leading 0 is left out'],
    ['+85512345678', undefined, 'proxy-mobile-prefix', 'only Thai'],
    ['+0812345678', undefined, 'proxy-mobile-prefix', 'only Thai'],
    ['+6681234567', undefined, 'proxy-mobile-prefix', '06, 08 or 09'],
    ['9100000000011', 'MSISDN', 'proxy-type-contradicts', 'proxyType is MSISDN'],
    ['0812345678', 'NATID', 'proxy-type-contradicts', 'proxyType is NATID'],
    ['66812345678', 'NATID', 'proxy-type-contradicts', 'proxyType is NATID'],
    ['+66812345678', 'NATID', 'proxy-type-contradicts', 'proxyType is NATID'],
  ] as const)('%j, declared %s: %s', (text, declared, code, words) => {
    const reading = readProxyId(text, declared);
    expect(reading).toMatchObject({ ok: false, code });
    expect(reading.ok ? '' : inEnglish(reading.message)).toContain(words);
  });
});

describe('laws of mobile numbers', () => {
  const subscribers = fc.tuple(fc.constantFrom('6', '8', '9'), digits(8)).map((parts) => parts.join(''));

  test('all forms of a number are one number', () => {
    fc.assert(
      fc.property(subscribers, (subscriber) => {
        const national = `0${subscriber}`;
        const forms = [
          national,
          `${national.slice(0, 3)}-${national.slice(3, 6)}-${national.slice(6)}`,
          `+66${subscriber}`,
          `66${subscriber}`,
          `0066${subscriber}`,
        ];
        for (const form of forms) {
          expect(readProxyId(form, 'MSISDN')).toEqual({ ok: true, proxyType: 'MSISDN', proxyNo: national });
        }
        for (const form of forms.slice(0, 4)) expect(readProxyId(form, undefined).ok).toBe(true);
      }),
    );
  });

  test('what is read can be read again and stays as it is', () => {
    fc.assert(
      fc.property(fc.oneof(digits(9), digits(10), digits(11), digits(12), digits(13)), (text) => {
        const reading = readProxyId(text, undefined);
        if (reading.ok) expect(readProxyId(reading.proxyNo, reading.proxyType)).toEqual(reading);
      }),
    );
  });

  test('nothing but 10 or 13 digits ever comes out', () => {
    const texts = fc.string({ unit: fc.constantFrom(...'0123456789+- .e'), maxLength: 16 });
    fc.assert(
      fc.property(texts, fc.constantFrom(undefined, 'NATID', 'MSISDN'), (text, declared) => {
        const reading = readProxyId(text, declared);
        if (reading.ok)
          expect(reading.proxyNo).toMatch(reading.proxyType === 'MSISDN' ? /^0[689]\d{8}$/ : /^\d{13}$/);
      }),
    );
  });
});

describe('laws of the check digit', () => {
  const firstTwelves = digits(12).filter((text) => !/^0066[689]/.test(text));

  test('a number with its check digit is read', () => {
    fc.assert(
      fc.property(firstTwelves, (twelve) => {
        const id = `${twelve}${computeCheckDigit(twelve)}`;
        expect(readProxyId(id, 'NATID')).toEqual({ ok: true, proxyType: 'NATID', proxyNo: id });
      }),
    );
  });

  test('every other last digit is refused', () => {
    fc.assert(
      fc.property(firstTwelves, fc.integer({ min: 1, max: 9 }), (twelve, shift) => {
        const wrong = (computeCheckDigit(twelve) + shift) % 10;
        expect(readProxyId(`${twelve}${wrong}`, 'NATID')).toMatchObject({ code: 'proxy-check-digit' });
      }),
    );
  });

  /**
   * The digit is made of a sum modulo 11 and then cut to one digit. So it cannot see a change of the third digit,
   * whose weight is 11, nor one that moves the sum from remainder 0 to 10 or back; it sees every other.
   */
  test('a single changed digit is detected, but for the two kinds that the scheme cannot see', () => {
    const remainder = (twelve: string): number =>
      [...twelve].map((digit, place) => Number(digit) * (13 - place)).reduce((sum, part) => sum + part, 0) %
      11;
    fc.assert(
      fc.property(
        firstTwelves,
        fc.nat({ max: 11 }),
        fc.integer({ min: 1, max: 9 }),
        (twelve, place, shift) => {
          const digit = (Number(twelve[place]) + shift) % 10;
          const changed = `${twelve.slice(0, place)}${digit}${twelve.slice(place + 1)}`;
          const isBlindSpot = new Set([remainder(twelve), remainder(changed)]).isSubsetOf(new Set([0, 10]));
          const isDetected = computeCheckDigit(changed) !== computeCheckDigit(twelve);
          expect(isDetected).toBe(place !== 2 && !isBlindSpot);
        },
      ),
    );
  });
});

describe('maskDigits leaves the last four characters', () => {
  test.each([
    ['', ''],
    ['1234', '****'],
    ['12345', '*2345'],
    ['0812345678', '******5678'],
    ['9100000000011', '*********0011'],
  ])('%j', (text, masked) => expect(maskDigits(text)).toBe(masked));
});
