import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  callbackKey,
  decideCallback,
  findMeant,
  identityKey,
  parseCallback,
  parseCallbackHeader,
  readBankDateTime,
  type RegistrationCallback,
  type SentRegistration,
} from '../../../src/registration/rules/callback.ts';
import { canMoveRegistration, registrationStatuses } from '../../../src/registration/rules/registration.ts';

type CallbackReading = ReturnType<typeof parseCallback>;

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
  if (!reading.ok) throw new Error(JSON.stringify(reading.faults));
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
    expect(reading).toMatchObject({ ok: false, faults: [{ field }] });
    // What the field holds is the customer's.
    expect(JSON.stringify(reading)).not.toContain('9001234567');
  });

  test('a year of the Buddhist era is called so', () =>
    expect(read({ applyDtm: '2569-11-22 14:03:05' })).toEqual({
      ok: false,
      faults: [
        {
          field: 'applyDtm',
          message:
            'it is of the Buddhist era: a time is YYYY-MM-DD HH:MM:SS or YYYYMMDD HH:mm:ss, by the Christian era',
        },
      ],
    }));

  test('names every field that is wrong, and each once', () => {
    const wrong = {
      vendorId: 7,
      accountNo: 'x',
      ref1: {},
      ref3: 'R'.repeat(21),
      applyDtm: '',
      respCode: 'I9',
    };
    const reading = read({ ...wrong, respDesc: undefined });
    const faults = reading.ok ? [] : reading.faults;
    expect(faults.map(({ field }) => field)).toEqual([...Object.keys(wrong), 'respDesc']);
    expect(read({ companyId: null, respDesc: 'Reject' })).toMatchObject({
      faults: [{ field: 'companyId' }, { field: 'respDesc', message: 'it must be Success beside I0000' }],
    });
  });

  test('a byte order mark before it is none of it', () => {
    expect(parseCallback(`\uFEFF${JSON.stringify(body)}`, 'uid-1')).toEqual(read());
    expect(parseCallback(`\uFEFF\uFEFF${JSON.stringify(body)}`, 'uid-1')).toMatchObject({ ok: false });
  });

  test.each(['', '[]', 'null', '"x"', '{', `${'['.repeat(5_000)}${']'.repeat(5_000)}`])(
    '%.20s is no body',
    (text) => {
      expect(parseCallback(text, 'uid')).toMatchObject({ ok: false, faults: [{ field: 'body' }] });
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
    expect(parseCallbackHeader(text)).toMatchObject({ ok: true, requestUid: 'u', apiKey: 'key' });
  });

  test.each([
    ['', 'msg-hdr'],
    ['x', 'msg-hdr'],
    ['{"requestUID":"u"}', 'x-api-key'],
    ['{"x-api-key":7,"requestUID":"u"}', 'x-api-key'],
    ['{"x-api-key":"k"}', 'requestUID'],
    [`{"x-api-key":"k","requestUID":"${'u'.repeat(37)}"}`, 'requestUID'],
  ])('%.40s lacks %s', (text, field) =>
    expect(parseCallbackHeader(text)).toMatchObject({ ok: false, faults: [{ field }] }),
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
  const secondMs = 1_000;
  const hourMs = 3_600_000;
  interface Named extends SentRegistration {
    readonly name: string;
  }
  const several = { status: 'acknowledged', taken: null, isOnly: false, bankOffsetMs: null } as const;
  const first: Named = { ...several, name: 'first', intentAtMs: atMs - hourMs, isLatest: false };
  const second: Named = { ...several, name: 'second', intentAtMs: atMs, isLatest: true };
  const find = (sent: readonly Named[], appliedMs: number, receivedMs = secondMs) => {
    const meaning = findMeant(sent, { appliedAtMs: atMs + appliedMs, receivedAtMs: atMs + receivedMs });
    return meaning.kind === 'attempt' ? meaning.sent.name : meaning.kind;
  };

  test.each([
    ['after both', 1_000, 'second'],
    ['between the two', -1_800_000, 'first'],
    ['by a clock that is a little behind', -30_000, 'second'],
    ['before both', -7_200_000, 'none'],
  ])('applied %s', (_, offsetMs, name) => {
    expect(find([first, second], offsetMs)).toBe(name);
  });

  test.each([
    ['65 s before our request', -65 * secondMs, secondMs, true],
    ['in the time of another zone', -7 * hourMs, secondMs, true],
    ['in the time of a zone that is ahead', 7 * hourMs, secondMs, true],
    ['half a day before: it is about something else', -13 * hourMs, secondMs, false],
    ['and heard of by a machine that is 3 s behind', -65 * secondMs, -3 * secondMs, true],
    ['before our request, and heard of before it, too', -65 * secondMs, -6 * secondMs, false],
    ['by a clock ahead, and heard of before our request', 300 * secondMs, -180 * secondMs, false],
  ])('of a single attempt, applied %s', (_, appliedMs, receivedMs, isMeant) => {
    const single = { ...second, isOnly: true };
    expect(find([single], appliedMs, receivedMs)).toBe(isMeant ? 'second' : 'none');
  });

  const withOffset = (offsetMs: number): readonly Named[] =>
    [first, second].map((one) => ({ ...one, bankOffsetMs: offsetMs }));
  test.each([
    ['a second after both', 0, 1, 1, 'second'],
    ['by clocks that are told in whole seconds', 0, -4, 1, 'second'],
    ['30 s before the second', 0, -30, 1, 'first'],
    ['by a clock that is 2 h ahead, after both', 7_200, 7_200, 1, 'second'],
    ['by a clock that is 90 s behind, at once: as told, it was before the second', -90, -90, 1, 'ambiguous'],
    ['by a clock that is 2 h ahead, or before the second', 7_200, 5_400, 1, 'ambiguous'],
    ['while the Date of a gateway, 2 h slow, says otherwise', -7_200, -1_200, 1_800, 'ambiguous'],
    ['7 h after its receipt', 0, 25_000, 1, 'ambiguous'],
    ['5 minutes after its receipt, which was before the second', 0, 300, -180, 'first'],
  ])('of several, with a known offset, applied %s', (_, offsetS, appliedS, receivedS, name) => {
    expect(find(withOffset(offsetS * secondMs), appliedS * secondMs, receivedS * secondMs)).toBe(name);
  });

  test('an attempt that the bank has not taken is no candidate beside one that it may have', () => {
    const unsent = { ...first, taken: 'no' } as const;
    const only = { ...second, isOnly: true };
    expect(find([unsent, only], -1_800_000)).toBe('second');
    expect(find([unsent, { ...second, taken: 'no' }], -1_800_000)).toBe('first');
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
