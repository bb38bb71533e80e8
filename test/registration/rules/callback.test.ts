import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type CallbackReading,
  callbackKey,
  decideCallback,
  findMeant,
  identityKey,
  parseCallback,
  parseCallbackHeader,
  readBankDateTime,
  type RegistrationCallback,
} from '../../../src/registration/rules/callback.ts';
import { canMoveRegistration, registrationStatuses } from '../../../src/registration/rules/registration.ts';

const body = {
  vendorId: 'VENDOR01',
  companyId: 'COMP000001',
  accountNo: '9001234567',
  ref1: 'R-1',
  ref2: null,
  ref3: '',
  applyDtm: '2026-11-22 14:03:05',
  respCode: 'I0000',
  respDesc: 'Success',
};

const read = (changes: object = {}): CallbackReading =>
  parseCallback(JSON.stringify({ ...body, ...changes }), 'uid-1');

function readWell(changes: object = {}): RegistrationCallback {
  const reading = read(changes);
  if (!reading.ok) throw new Error(`${reading.field}: ${reading.message}`);
  return reading.callback;
}

describe('a callback as §2.3 has it', () => {
  test('is read, with what tells it from others', () => {
    expect(readWell()).toEqual({
      identity: {
        vendorId: 'VENDOR01',
        companyId: 'COMP000001',
        accountNo: '9001234567',
        refs: ['R-1', null, null, null],
      },
      outcome: 'registered',
      respCode: 'I0000',
      respDesc: 'Success',
      applyDtm: '2026-11-22 14:03:05',
      appliedAtMs: Date.parse('2026-11-22T14:03:05+07:00'),
      requestUid: 'uid-1',
    });
  });

  test('a reject is a refusal', () => {
    expect(readWell({ respCode: 'I0001', respDesc: 'Reject' }).outcome).toBe('refused');
  });

  test('its time may stand in both shapes of §6, and means the same', () => {
    const dashed = readWell();
    const plain = readWell({ applyDtm: '20261122 14:03:05' });
    expect(plain.appliedAtMs).toBe(dashed.appliedAtMs);
    expect(callbackKey(plain)).toBe(callbackKey(dashed));
  });
});

describe('a callback that is not as §2.3 has it names the field', () => {
  test.each<[string, object, string]>([
    ['no vendor', { vendorId: undefined }, 'vendorId'],
    ['a long vendor', { vendorId: 'V'.repeat(11) }, 'vendorId'],
    ['a company that is a number', { companyId: 5 }, 'companyId'],
    ['an account with a letter', { accountNo: '90012O4567' }, 'accountNo'],
    ['a long account', { accountNo: '9'.repeat(14) }, 'accountNo'],
    ['an account that is a number', { accountNo: 9_001_234_567 }, 'accountNo'],
    ['a reference that is a list', { ref1: ['R'] }, 'ref1'],
    ['a long reference', { ref4: 'R'.repeat(21) }, 'ref4'],
    ['a reference over two lines', { ref2: 'a\nb' }, 'ref2'],
    ['a reference that turns the text around it', { ref2: 'a\u202eb' }, 'ref2'],
    ['no time', { applyDtm: null }, 'applyDtm'],
    ['half a shape', { applyDtm: '2026-1122 14:03:05' }, 'applyDtm'],
    ['a day that is none', { applyDtm: '2026-02-30 14:03:05' }, 'applyDtm'],
    ['an hour that is none', { applyDtm: '2026-11-22 24:03:05' }, 'applyDtm'],
    ['a year of the Buddhist era', { applyDtm: '2569-11-22 14:03:05' }, 'applyDtm'],
    ['a year of the Buddhist era without hyphens', { applyDtm: '25691122 14:03:05' }, 'applyDtm'],
    ['a year far off', { applyDtm: '3026-11-22 14:03:05' }, 'applyDtm'],
    ['a code of another kind', { respCode: 'I0002' }, 'respCode'],
    ['a code from the prototype', { respCode: 'toStr' }, 'respCode'],
    ['a text against its code', { respDesc: 'Reject' }, 'respDesc'],
  ])('%s', (_, changes, field) => {
    const reading = read(changes);
    expect(reading).toMatchObject({ ok: false, field });
    // What the field holds is the customer's.
    expect(JSON.stringify(reading)).not.toContain('9001234567');
  });

  test('a year of the Buddhist era is called so', () =>
    expect(read({ applyDtm: '2569-11-22 14:03:05' })).toEqual({
      ok: false,
      field: 'applyDtm',
      message:
        'it is of the Buddhist era: a time is YYYY-MM-DD HH:MM:SS or YYYYMMDD HH:mm:ss, by the Christian era',
    }));

  test.each(['', '[]', 'null', '"x"', '{', `${'['.repeat(5_000)}${']'.repeat(5_000)}`])(
    '%.20s is no body',
    (text) => {
      expect(parseCallback(text, 'uid')).toMatchObject({ ok: false, field: 'body' });
    },
  );

  test('whatever arrives is read or refused, never thrown at', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.json(),
          fc.string(),
          fc.jsonValue().map((value) => JSON.stringify({ ...body, ...Object(value) })),
        ),
        (text) => {
          const reading = parseCallback(text, 'uid');
          expect(typeof reading.ok).toBe('boolean');
        },
      ),
    );
  });
});

describe('the header msg-hdr', () => {
  test('has the key and the number of the call', () => {
    const text = JSON.stringify({ 'x-api-key': 'key', requestUID: 'u', channelId: 'c' });
    expect(parseCallbackHeader(text)).toEqual({ ok: true, requestUid: 'u', apiKey: 'key' });
  });

  test.each([
    ['', 'msg-hdr'],
    ['x', 'msg-hdr'],
    ['{"requestUID":"u"}', 'x-api-key'],
    ['{"x-api-key":7,"requestUID":"u"}', 'x-api-key'],
    ['{"x-api-key":"k"}', 'requestUID'],
    [`{"x-api-key":"k","requestUID":"${'u'.repeat(37)}"}`, 'requestUID'],
  ])('%.40s lacks %s', (text, field) =>
    expect(parseCallbackHeader(text)).toMatchObject({ ok: false, field }),
  );
});

test('no two identities have one key', () => {
  const text = fc.string({ maxLength: 4 });
  const ref = fc.option(fc.string({ minLength: 1, maxLength: 3 }));
  const identity = fc.record({
    vendorId: text,
    companyId: text,
    accountNo: text,
    refs: fc.tuple(ref, ref, ref, ref),
  });
  fc.assert(
    fc.property(identity, identity, (one, other) => {
      const isSame = JSON.stringify(one) === JSON.stringify(other);
      expect(identityKey(one) === identityKey(other)).toBe(isSame);
    }),
  );
});

test.each([
  ['20261122 14:03:05', '2026-11-22T14:03:05+07:00'],
  ['2026-11-22 00:00:00', '2026-11-22T00:00:00+07:00'],
])('%s is %s', (text, iso) => expect(readBankDateTime(text)).toEqual({ ok: true, atMs: Date.parse(iso) }));

describe('whose callback it is', () => {
  const atMs = Date.parse('2026-11-22T14:00:00+07:00');
  const sent = [
    { name: 'first', status: 'unanswered', intentAtMs: atMs - 3_600_000, isLatest: false },
    { name: 'second', status: 'acknowledged', intentAtMs: atMs, isLatest: true },
  ] as const;

  test.each([
    ['after both', 1_000, 'second'],
    ['between the two', -1_800_000, 'first'],
    ['by a clock that is a little behind', -30_000, 'second'],
    ['before both', -7_200_000, undefined],
  ])('applied %s', (_, offsetMs, name) => {
    expect(findMeant(sent, { appliedAtMs: atMs + offsetMs })?.name).toBe(name);
  });
});

describe('what a callback does', () => {
  test.each([
    ['submitted', 'registered', 'registered', false],
    ['in-doubt', 'refused', 'refused', false],
    ['acknowledged', 'registered', 'registered', false],
    ['unanswered', 'registered', 'registered', false],
    ['registered', 'refused', 'contradicted', true],
    ['refused', 'registered', 'contradicted', true],
    ['contradicted', 'registered', 'contradicted', true],
    ['failed', 'registered', 'registered', true],
    ['cancelled', 'registered', 'registered', true],
    ['held', 'refused', 'refused', true],
  ] as const)('%s, told %s: %s', (status, outcome, to, isAlarm) => {
    expect(decideCallback(status, outcome, true)).toMatchObject({ to, isAlarm });
  });

  test.each(['registered', 'refused'] as const)('%s, told so again, stays as it is', (status) => {
    expect(decideCallback(status, status, true)).toBeUndefined();
  });

  test.each(registrationStatuses)(
    '%s, told that an earlier attempt was refused, stays as it is',
    (status) => {
      expect(decideCallback(status, 'refused', false)).toBeUndefined();
    },
  );

  test('what an earlier attempt has brought about is so', () => {
    expect(decideCallback('in-doubt', 'registered', false)).toMatchObject({
      to: 'registered',
      isAlarm: false,
    });
    expect(decideCallback('refused', 'registered', false)).toMatchObject({
      to: 'contradicted',
      isAlarm: true,
    });
  });

  test('whatever it does stands in the table', () => {
    for (const status of registrationStatuses) {
      for (const outcome of ['registered', 'refused'] as const) {
        const decision = decideCallback(status, outcome, true);
        if (decision !== undefined)
          expect(canMoveRegistration(status, decision.to, decision.cause), `${status} ${outcome}`).toBe(true);
      }
    }
  });
});
