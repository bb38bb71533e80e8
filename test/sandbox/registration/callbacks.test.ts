/** The callback (§2.3, §6): what it says, when it comes, and what becomes of it when it is not answered. */
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { parseCallback, parseCallbackHeader } from '../../../src/registration/rules/callback.ts';
import { readAcknowledgement } from '../../../src/sandbox/registration/caller.ts';
import type { RegistrationBehaviourInput } from '../../../src/sandbox/registration/table.ts';
import { eventually } from '../../support/eventually.ts';
import { makeCertificate } from '../../support/self-signed.ts';
import { askForToken, companyId, tokenOf } from '../../support/sandbox-kit.ts';
import {
  accept,
  goodRegistration,
  openListener,
  openRegistrationBank,
  vendorId,
} from '../../support/sandbox-registration-kit.ts';
import type { AnswerCall, HeardCall, RegistrationBank } from '../../support/sandbox-registration-kit.ts';

const always = (outcome: 'success' | 'reject', rest: Partial<RegistrationBehaviourInput> = {}) => ({
  behaviours: [{ match: {}, outcome, ...rest } as const],
});

/** What the calls said, in the order in which they came. */
const saidIn = (calls: readonly HeardCall[]) => calls.map(({ body }) => body['respCode']);

/** Moves the bank's clock step by step until so many tries have been made. */
async function advanceUntilTries(bank: RegistrationBank, count: number, stepMs = 1_000) {
  for (let tries = bank.registrations().callbacks.tries; tries < count;) {
    await bank.clock.advance(stepMs);
    ({ tries } = (await bank.untilTries(tries + 1)).callbacks);
  }
  return bank.registrations();
}

describe('a callback', () => {
  test('comes after the decision, and bears all that §2.3 has', async () => {
    const bank = await openRegistrationBank({ decideAfterMs: 5_000 });
    await bank.register({ body: { ref3: 'อ้างอิง' } });
    await bank.clock.advance(4_999);
    expect(bank.listener.calls).toEqual([]);
    expect(bank.registrations().entries).toMatchObject([{ outcome: null, decidedAt: null }]);
    await bank.clock.advance(1);
    await bank.untilTries(1);
    expect(bank.listener.calls[0]).toEqual({
      contentType: 'application/json',
      header: {
        channelId: 'PAYDROP',
        'oapi-client-id': 'partner-app',
        'oapi-partner-id': 'PARTNER001',
        requestUID: expect.stringMatching(/^[0-9a-f-]{36}$/),
        requestDateTime: '20261121 12:00:05',
        'x-api-key': 'the-right-key',
      },
      body: {
        vendorId,
        companyId,
        accountNo: goodRegistration['accountNo'],
        ref1: goodRegistration['ref1'],
        ref3: 'อ้างอิง',
        applyDtm: '2026-11-21 12:00:05',
        respCode: 'I0000',
        respDesc: 'Success',
      },
    });
  });

  test('is read by our own rules, and stands in the ledger with its try', async () => {
    const bank = await openRegistrationBank();
    await bank.register({ body: { ref3: 'อ้างอิง' } });
    await bank.clock.advance(1_000);
    const ledger = await bank.untilTries(1);
    const [call] = bank.listener.calls;
    const uid = String(call?.header['requestUID']);
    expect(parseCallbackHeader(JSON.stringify(call?.header))).toMatchObject({ ok: true, requestUid: uid });
    expect(parseCallback(JSON.stringify(call?.body), uid)).toMatchObject({
      ok: true,
      callback: { outcome: 'registered', appliedAtMs: bank.clock.now() },
    });
    expect(ledger).toEqual({
      totals: { success: 1, reject: 0, undecided: 0 },
      duplicatesRefused: 0,
      repeatedRequestUids: 0,
      callbacks: { acknowledged: 1, owed: 0, givenUp: 0, tries: 1 },
      entries: [
        {
          ddrOapiSeqId: 100_001,
          requestUID: expect.stringMatching(/^REQUEST-/),
          clientId: 'partner-app',
          digitalId: '9100000000011',
          vendorId,
          companyId,
          accountNo: goodRegistration['accountNo'],
          ref1: goodRegistration['ref1'],
          ref2: '',
          ref3: 'อ้างอิง',
          ref4: '',
          outcome: 'success',
          acceptedAt: '2026-11-21T12:00:00+07:00',
          decidedAt: '2026-11-21T12:00:01+07:00',
          requests: 1,
          callbacks: [
            {
              outcome: 'success',
              key: 'right',
              dueAt: '2026-11-21T12:00:01+07:00',
              state: 'acknowledged',
              tries: [{ at: '2026-11-21T12:00:01+07:00', requestUID: uid, result: 'acknowledged' }],
            },
          ],
        },
      ],
    });
  });

  test.each([
    ['dashed', '2026-11-21 12:00:01'],
    ['compact', '20261121 12:00:01'],
  ] as const)('has its applyDtm %s: %s', async (applyDtm, text) => {
    const bank = await openRegistrationBank({ applyDtm, ...always('reject') });
    await bank.register();
    await bank.clock.advance(1_000);
    await bank.untilTries(1);
    expect(bank.listener.calls).toMatchObject([
      { body: { applyDtm: text, respCode: 'I0001', respDesc: 'Reject' } },
    ]);
  });
});

/** The calls of the table, what is heard and when (ms after the decision), and the calls' ends by then. */
const behaviours: readonly (readonly [
  what: string,
  outcome: 'success' | 'reject',
  callbacks: NonNullable<RegistrationBehaviourInput['callbacks']>,
  heard: readonly string[],
  atMs: readonly number[],
])[] = [
  ['once', 'success', [{}], ['I0000'], [0]],
  ['never', 'success', [], [], []],
  ['twice', 'success', [{}, { afterMs: 500 }], ['I0000', 'I0000'], [0, 500]],
  ['late', 'reject', [{ afterMs: 3_600_000 }], ['I0001'], [3_600_000]],
  [
    'a success after a reject',
    'reject',
    [{}, { outcome: 'success', afterMs: 500 }],
    ['I0001', 'I0000'],
    [0, 500],
  ],
];

describe('the table makes it come', () => {
  test.each(behaviours)('%s', async (_, outcome, callbacks, heard, atMs) => {
    const bank = await openRegistrationBank(always(outcome, { callbacks, decideAfterMs: 1_000 }));
    const startMs = bank.clock.now() + 1_000;
    await bank.register();
    for (const [place, dueMs] of atMs.entries()) {
      const waitMs = startMs + dueMs - bank.clock.now();
      await bank.clock.advance(waitMs - 1);
      expect(bank.listener.calls).toHaveLength(place);
      await bank.clock.advance(1);
      await bank.untilTries(place + 1);
    }
    await bank.clock.advance(100_000);
    expect(saidIn(bank.listener.calls)).toEqual(heard);
    expect(bank.registrations()).toMatchObject({
      totals: { [outcome]: 1 },
      callbacks: { acknowledged: heard.length, owed: 0, givenUp: 0, tries: heard.length },
    });
    const uids = bank.listener.calls.map(({ header }) => header['requestUID']);
    expect(new Set(uids).size).toBe(heard.length);
  });

  test('twice with one applyDtm, and a contradiction with its own', async () => {
    const callbacks = [{}, { afterMs: 1_000 }, { outcome: 'success', afterMs: 2_000 } as const];
    const bank = await openRegistrationBank(always('reject', { callbacks, decideAfterMs: 0 }));
    await bank.register();
    await bank.untilTries(1);
    await advanceUntilTries(bank, 3);
    expect(bank.listener.calls.map(({ body }) => body['applyDtm'])).toEqual([
      '2026-11-21 12:00:00',
      '2026-11-21 12:00:00',
      '2026-11-21 12:00:02',
    ]);
  });

  test('before the answer to the registration', async () => {
    const bank = await openRegistrationBank(always('success', { callbacks: [{ beforeAnswer: true }] }));
    const order: string[] = [];
    bank.listener.answers.push((response, call) => {
      order.push('callback');
      accept(response, call);
    });
    expect(await bank.register()).toMatchObject({ statusCode: '0' });
    order.push('answer');
    expect(order).toEqual(['callback', 'answer']);
    expect(bank.registrations().callbacks).toEqual({ acknowledged: 1, owed: 0, givenUp: 0, tries: 1 });
  });

  test('although the answer was lost', async () => {
    const bank = await openRegistrationBank(always('success', { reply: 'lost' }));
    expect(await bank.sendRegistration()).toBe('closed');
    await bank.clock.advance(1_000);
    expect((await bank.untilTries(1)).callbacks.acknowledged).toBe(1);
  });

  test('although the answer was a refusal', async () => {
    const bank = await openRegistrationBank(always('success', { code: 'SYS001' }));
    expect(await bank.register()).toMatchObject({ statusCode: 'SYS001' });
    await bank.clock.advance(1_000);
    expect((await bank.untilTries(1)).callbacks.acknowledged).toBe(1);
  });

  test('never for what is undecided', async () => {
    const bank = await openRegistrationBank({ behaviours: [{ match: {}, outcome: 'undecided' }] });
    await bank.register();
    await bank.clock.advance(1_000_000_000);
    expect(bank.listener.calls).toEqual([]);
    expect(bank.registrations().totals).toEqual({ success: 0, reject: 0, undecided: 1 });
  });

  test.each([
    ['wrong', 'a-key-never-given-out'],
    ['none', undefined],
  ] as const)('with a key that is %s', async (key, heard) => {
    const bank = await openRegistrationBank(always('success', { callbacks: [{ key }] }));
    await bank.register();
    await bank.clock.advance(1_000);
    await bank.untilTries(1);
    expect(bank.listener.calls[0]?.header['x-api-key']).toBe(heard);
    expect(JSON.stringify(bank.registrations())).not.toContain('the-right-key');
  });

  test('with other fields, and without some', async () => {
    const fields = { respCode: 'I0009', accountNo: null, applyDtm: 5 };
    const bank = await openRegistrationBank(always('success', { callbacks: [{ fields }] }));
    await bank.register();
    await bank.clock.advance(1_000);
    await bank.untilTries(1);
    const body = bank.listener.calls[0]?.body ?? {};
    expect(body).toMatchObject({ respCode: 'I0009', applyDtm: 5, respDesc: 'Success' });
    expect(body).not.toHaveProperty('accountNo');
  });

  test('to its own client, with that one’s key and name', async () => {
    const mine = await openListener();
    const client = {
      clientId: 'other-app',
      clientSecret: 'other-secret',
      partnerId: 'PARTNER009',
      companies: [{ companyId: 'COMP000009', payerAccounts: ['0000000099'] }],
      vendors: [{ vendorId: 'VENDOR0009', companyIds: ['COMP000009'] }],
      callbackUrl: mine.url,
      apiKey: 'another-key',
    };
    const bank = await openRegistrationBank({}, { clients: [client] });
    await bank.register();
    const credentials = { client_id: 'other-app', client_secret: 'other-secret' };
    bank.token = tokenOf(await askForToken(bank.sandbox.baseUrl, credentials));
    await bank.register({ body: { vendorID: 'VENDOR0009', companyID: 'COMP000009' } });
    await bank.clock.advance(1_000);
    await bank.untilTries(2);
    expect(bank.listener.calls).toMatchObject([{ header: { 'x-api-key': 'the-right-key' } }]);
    expect(mine.calls).toMatchObject([
      {
        header: {
          'x-api-key': 'another-key',
          'oapi-client-id': 'other-app',
          'oapi-partner-id': 'PARTNER009',
        },
        body: { vendorId: 'VENDOR0009', companyId: 'COMP000009' },
      },
    ]);
  });
});

const say =
  (status: number, text: string): AnswerCall =>
  (response) =>
    response.writeHead(status).end(text);

describe('a callback that is not answered as it should be', () => {
  test('is made again, each wait twice the one before, with a requestUID of its own, until it is', async () => {
    const callbackRetries = { max: 5, delayMs: 1_000, delayMaxMs: 3_000 };
    const bank = await openRegistrationBank({ callbackRetries, ...always('success', { decideAfterMs: 0 }) });
    const hangUp: AnswerCall = (response) => response.destroy();
    bank.listener.answers.push(say(500, ''), say(200, 'no JSON'), say(200, '{"statusCode":"99"}'), hangUp);
    await bank.register();
    await bank.untilTries(1);
    for (const [place, waitMs] of [1_000, 2_000, 3_000, 3_000].entries()) {
      await bank.clock.advance(waitMs - 1);
      expect(bank.listener.calls).toHaveLength(place + 1);
      await bank.clock.advance(1);
      await bank.untilTries(place + 2);
    }
    const [call] = bank.registrations().entries[0]?.callbacks ?? [];
    expect(call?.tries.map(({ at, result }) => `${at.slice(11, 19)} ${result}`)).toEqual([
      '12:00:00 HTTP 500',
      '12:00:01 the answer is no JSON object',
      '12:00:03 statusCode 99',
      '12:00:06 no answer (ECONNRESET)',
      '12:00:09 acknowledged',
    ]);
    const uids = bank.listener.calls.map(({ header }) => header['requestUID']);
    expect(new Set(uids).size).toBe(5);
    expect(new Set(bank.listener.calls.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(call?.state).toBe('acknowledged');
  });

  test('is given up after so many', async () => {
    const callbacks = [{}, { afterMs: 60_000, retries: 0 }];
    const bank = await openRegistrationBank({
      callbackRetries: { max: 2 },
      ...always('success', { decideAfterMs: 0, callbacks }),
    });
    bank.listener.answers.push(...Array.from({ length: 9 }, () => say(503, '')));
    await bank.register();
    await advanceUntilTries(bank, 4, 60_000);
    await bank.clock.advance(1_000_000);
    expect(bank.listener.calls).toHaveLength(4);
    expect(bank.registrations()).toMatchObject({
      callbacks: { acknowledged: 0, owed: 0, givenUp: 2, tries: 4 },
      entries: [{ callbacks: [{ state: 'given-up' }, { state: 'given-up', tries: [{}] }] }],
    });
  });

  test('as one that nobody answers at all, or not in time, or with a redirect', async () => {
    const bank = await openRegistrationBank({
      ...always('success', { decideAfterMs: 0 }),
      callbackTimeoutMs: 100,
    });
    bank.listener.answers.push(
      () => undefined,
      (response) => response.write('{'),
      (response) => response.writeHead(307, { location: '/callbacks' }).end(),
    );
    await bank.register();
    await bank.untilTries(1);
    await bank.clock.advance(1_000);
    await bank.untilTries(2);
    await bank.clock.advance(2_000);
    await bank.untilTries(3);
    bank.sandbox.control({ registration: { callbackUrl: 'http://127.0.0.1:1/' } });
    await bank.clock.advance(4_000);
    const [call] = (await bank.untilTries(4)).entries[0]?.callbacks ?? [];
    expect(call?.tries.map(({ result }) => result)).toEqual([
      'no answer in time',
      'no answer in time',
      'HTTP 307',
      'no answer (ECONNREFUSED)',
    ]);
    expect(bank.listener.calls).toHaveLength(3);
  });

  test.each([
    [200, { statusCode: '0', statusDesc: 'Success', requestUID: 'mine' }, 'acknowledged'],
    [201, { statusCode: '0', statusDesc: '', requestUID: 'mine', more: 1 }, 'acknowledged'],
    [404, { statusCode: '0', statusDesc: 'Success', requestUID: 'mine' }, 'HTTP 404'],
    [200, { statusCode: 0, statusDesc: 'Success', requestUID: 'mine' }, 'the answer has no statusCode'],
    [200, { statusCode: '012345', statusDesc: '', requestUID: 'mine' }, 'the answer has no statusCode'],
    [200, { statusCode: 'AU401', statusDesc: 'secret words', requestUID: 'mine' }, 'statusCode AU401'],
    [200, { statusCode: '0', requestUID: 'mine' }, 'the answer has no statusDesc'],
    [
      200,
      { statusCode: '0', statusDesc: 'x'.repeat(257), requestUID: 'mine' },
      'the answer has no statusDesc',
    ],
    [
      200,
      { statusCode: '0', statusDesc: 'Success', requestUID: 'yours' },
      'the answer bears another requestUID',
    ],
    [200, [], 'the answer is no JSON object'],
  ])('HTTP %i %j: %s', (status, answer, result) => {
    expect(readAcknowledgement(status, JSON.stringify(answer), 'mine')).toBe(result);
  });
});

describe('a listener', () => {
  test('over TLS is called only when its certificate is trusted', async () => {
    const certificate = makeCertificate(Date.now());
    const secure = await openListener(certificate);
    const callbackRetries = { max: 0 };
    for (const [callbackCa, result] of [
      ['', 'no answer (DEPTH_ZERO_SELF_SIGNED_CERT)'],
      [certificate.cert, 'acknowledged'],
    ] as const) {
      const bank = await openRegistrationBank({ callbackUrl: secure.url, callbackCa, callbackRetries });
      await bank.register();
      await bank.clock.advance(1_000);
      const [entry] = (await bank.untilTries(1)).entries;
      expect(entry?.callbacks[0]?.tries[0]?.result).toBe(result);
    }
    expect(secure.calls).toHaveLength(1);
  });

  test('under the name localhost is this machine’s', async () => {
    const bank = await openRegistrationBank({ callbackUrl: '' });
    const callbackUrl = bank.listener.url.replace('127.0.0.1', 'localhost');
    bank.sandbox.control({ registration: { callbackUrl } });
    await bank.register();
    await bank.clock.advance(1_000);
    expect((await bank.untilTries(1)).callbacks.acknowledged).toBe(1);
  });

  test('that answers without end is heard no further', async () => {
    const bank = await openRegistrationBank({ callbackRetries: { max: 0 } });
    bank.listener.answers.push((response) => void response.end(`{"statusDesc":"${'x'.repeat(9_000_000)}"}`));
    await bank.register();
    await bank.clock.advance(1_000);
    const [entry] = (await bank.untilTries(1)).entries;
    expect(entry?.callbacks[0]?.tries[0]?.result).toBe('the answer is no JSON object');
  });
});

describe('the controls', () => {
  test('name whom to call later: what is owed waits for that', async () => {
    const bank = await openRegistrationBank({ callbackUrl: '' });
    await bank.register();
    await bank.clock.advance(5_000);
    expect(bank.registrations().callbacks).toMatchObject({ owed: 1, tries: 0 });
    bank.sandbox.control({ registration: { callbackUrl: bank.listener.url } });
    expect((await bank.untilTries(1)).callbacks).toMatchObject({ owed: 0, acknowledged: 1 });
  });

  test('hold the calls back while the bank is out', async () => {
    const bank = await openRegistrationBank();
    await bank.register();
    bank.sandbox.control({ outage: true });
    await bank.clock.advance(5_000);
    expect(bank.registrations().callbacks).toMatchObject({ owed: 1, tries: 0 });
    bank.sandbox.control({ outage: false });
    expect((await bank.untilTries(1)).callbacks).toMatchObject({ acknowledged: 1 });
  });

  test('set the clock on to what is due', async () => {
    const bank = await openRegistrationBank({ decideAfterMs: 3_600_000 });
    await bank.register();
    bank.sandbox.control({ advanceMs: 3_600_000 });
    await bank.untilTries(1);
    expect(saidIn(bank.listener.calls)).toEqual(['I0000']);
  });

  test('replace behaviours and accounts, and keep the times of what they leave', async () => {
    const once = { match: {}, outcome: 'untouched', code: 'SYS001', times: 1 } as const;
    const bank = await openRegistrationBank({ behaviours: [once] });
    const codeOf = async (ref1: string) => (await bank.register({ body: { ref1 } }))['statusCode'];
    expect(await codeOf('A')).toBe('SYS001');
    bank.sandbox.control({ registration: { knownAccountsOnly: true } });
    expect(await codeOf('A')).toBe('CBS001');
    bank.sandbox.control({ registration: { knownAccountsOnly: false, behaviours: [once] } });
    expect([await codeOf('A'), await codeOf('A')]).toEqual(['SYS001', '0']);
  });

  test.each([
    [
      { callbackUrl: 'https://bank.example/' },
      'registration.callbackUrl: must be an http or https address of this',
    ],
    [{ callbackCa: 'x' }, 'registration.callbackCa: cannot be changed'],
    [{ colour: 'red' }, 'registration: Unrecognized key'],
  ])('refuse %j', async (registration, says) => {
    const bank = await openRegistrationBank();
    expect(() => bank.sandbox.control({ registration })).toThrow(says);
  });
});

test('many that are due at once are made so many at a time, and all of them', async () => {
  const bank = await openRegistrationBank({ callbackConcurrency: 4, decideAfterMs: 1_000 });
  const held: (() => void)[] = [];
  const hold: AnswerCall = (response, call) => void held.push(() => accept(response, call));
  bank.listener.answers.push(hold, hold, hold, hold);
  const register = (_: unknown, place: number) => bank.register({ body: { ref1: `R${place}` } });
  await Promise.all(Array.from({ length: 40 }, register));
  await bank.clock.advance(1_000);
  await eventually(() => expect(held).toHaveLength(4));
  await bank.clock.quieten();
  expect(bank.listener.calls).toHaveLength(4);
  for (const release of held) release();
  expect((await bank.untilTries(40)).callbacks.acknowledged).toBe(40);
  expect(new Set(bank.listener.calls.map(({ body }) => body['ref1'])).size).toBe(40);
});

test('a bank that is closed calls nobody any more, and waits for nobody', async () => {
  const bank = await openRegistrationBank(always('success', { decideAfterMs: 0 }));
  bank.listener.answers.push(() => undefined);
  await bank.register();
  await eventually(() => expect(bank.listener.calls).toHaveLength(1));
  await bank.register({ body: { ref1: 'B' } });
  await eventually(() => expect(bank.listener.calls).toHaveLength(2));
  await bank.sandbox.close();
  await bank.clock.advance(1_000_000);
  await pause(1);
  expect(bank.listener.calls).toHaveLength(2);
});
