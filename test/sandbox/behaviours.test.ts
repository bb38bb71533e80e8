import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseBaht } from '../../src/core/money.ts';
import { createBehaviourIndex } from '../../src/sandbox/behaviours.ts';
import { normaliseName } from '../../src/sandbox/directory.ts';
import { parseBehaviours } from '../../src/sandbox/table.ts';
import type { Behaviour, BehaviourInput } from '../../src/sandbox/table.ts';
import {
  askForToken,
  clientId,
  clientSecret,
  goodCheck,
  goodInquiry,
  goodTransfer,
  isHeard,
  itemsOf,
  openBank,
  readBody,
  silenceMs,
} from '../support/sandbox-kit.ts';
import type { Outcome, TestBank } from '../support/sandbox-kit.ts';

type Subject = Parameters<ReturnType<typeof createBehaviourIndex>>[1];

type Reply = NonNullable<BehaviourInput['reply']>;

/** An outcome in a few words: the status and what is notable about the body, or how it failed to come. */
function describeOutcome(outcome: Outcome): string {
  if (!isHeard(outcome)) return outcome;
  const { status, headers, text } = outcome;
  if (headers['location'] !== undefined) return `${status} to ${String(headers['location']).slice(-6)}`;
  if (text === '') return `${status} empty`;
  if (text.startsWith('<')) return `${status} page`;
  try {
    const { statusCode, transRefNo, requestUID } = JSON.parse(text);
    const isOurs = transRefNo === undefined || transRefNo === goodTransfer['transRefNo'];
    const isOurRequest = requestUID === undefined || requestUID === goodTransfer['requestUID'];
    return [status, statusCode, isOurs ? '' : 'alien', isOurRequest ? '' : 'stray'].filter(Boolean).join(' ');
  } catch {
    return `${status} garbage`;
  }
}

/** Reply, what is heard when the money moves, what when it does not. */
const replies: readonly (readonly [
  Partial<BehaviourInput> & { reply: Reply },
  moves: string,
  untouched: string,
])[] = [
  [{ reply: 'normal' }, '200 IC000', '200 EV042'],
  [{ reply: 'lost' }, 'closed', 'closed'],
  [{ reply: 'silent' }, 'silence', 'silence'],
  [{ reply: 'cut' }, 'cut', 'cut'],
  [{ reply: 'stalled' }, 'silence', 'silence'],
  [{ reply: 'garbage' }, '200 garbage', '200 garbage'],
  [{ reply: 'html' }, '200 page', '200 page'],
  [{ reply: 'empty' }, '200 empty', '200 empty'],
  [{ reply: 'redirect' }, '307 to /moved', '307 to /moved'],
  [{ reply: 'http', httpStatus: 500 }, '500', '500 EV042'],
  [{ reply: 'http', httpStatus: 401 }, '401', '401 EV042'],
  [{ reply: 'wrong-reference' }, '200 IC000 alien', '200 EV042 alien'],
  [{ reply: 'wrong-request' }, '200 IC000 stray', '200 EV042 stray'],
];

/** What is heard of a request; only where silence is expected is the wait short. */
async function hear(
  bank: TestBank,
  endpoint: Parameters<TestBank['send']>[0],
  isSilent: boolean,
): Promise<string> {
  const requests = { payeeCheck: goodCheck, transfer: goodTransfer, inquiry: goodInquiry };
  const { waitMs } = bank;
  if (isSilent) bank.waitMs = silenceMs;
  const heard = describeOutcome(await bank.send(endpoint, requests[endpoint]));
  bank.waitMs = waitMs;
  return heard;
}

describe.each(replies)('%j', (form, heardMoving, heardUntouched) => {
  const isSilent = heardMoving === 'silence';
  const match = { amount: '100.25' };

  test(`after the money moved: ${heardMoving}, and the inquiry proves it`, async () => {
    const bank = await openBank({ behaviours: [{ match, money: 'moves', ...form }] });
    expect(await hear(bank, 'transfer', isSilent)).toBe(heardMoving);
    expect(bank.sandbox.ledger().totals).toMatchObject({ count: 1, amount: '100.25' });
    expect(itemsOf(await bank.ask('inquiry', goodInquiry))).toMatchObject([{ tranStatusCode: '010004' }]);
    expect(await bank.ask('transfer', goodTransfer)).toMatchObject({ statusCode: 'EM001' });
  });

  test(`before anything happened: ${heardUntouched}, and nothing is there`, async () => {
    const behaviour: BehaviourInput = { match, money: 'untouched', code: 'EV042', ...form };
    const bank = await openBank({ behaviours: [behaviour] });
    expect(await hear(bank, 'transfer', isSilent)).toBe(heardUntouched);
    expect(bank.sandbox.ledger()).toMatchObject({
      totals: { count: 0 },
      entries: [],
      requests: { transfer: 1 },
    });
    expect(await bank.ask('inquiry', goodInquiry)).toMatchObject({ statusCode: 'EV035' });
  });

  test('on a payee check and on an inquiry', async () => {
    const rest = { match: {}, times: 1, code: 'EV042', ...form };
    const behaviours: BehaviourInput[] = [
      { ...rest, endpoint: 'payeeCheck' },
      { ...rest, endpoint: 'inquiry' },
    ];
    const bank = await openBank({ behaviours });
    const expected = heardUntouched
      .replace(' alien', '')
      .replace('EV042', form.reply === 'wrong-reference' ? 'IC001' : 'EV042');
    expect(await hear(bank, 'payeeCheck', isSilent)).toBe(expected);
    expect(await hear(bank, 'inquiry', isSilent)).toBe(expected);
    expect(await bank.ask('inquiry', goodInquiry)).toMatchObject({ statusCode: 'EV035' });
  });
});

test('silence that ends with the money moved later', async () => {
  const behaviours: BehaviourInput[] = [{ match: {}, money: 'moves-later', afterMs: 2_500, reply: 'silent' }];
  const bank = await openBank({ behaviours });
  expect(await hear(bank, 'transfer', true)).toBe('silence');
  expect(bank.sandbox.ledger().totals.count).toBe(0);
  bank.clock.skip(2_500);
  expect(bank.sandbox.ledger().totals.count).toBe(1);
});

test.each([
  ['429', { httpStatus: 429, retryAfterSeconds: 7 }, '7'],
  ['403', { httpStatus: 403 }, undefined],
])('%s with its Retry-After', async (_, form, retryAfter) => {
  const bank = await openBank({ behaviours: [{ match: {}, money: 'untouched', reply: 'http', ...form }] });
  const outcome = await bank.send('transfer', goodTransfer);
  expect(isHeard(outcome) && [outcome.status, outcome.headers['retry-after']]).toEqual([
    form.httpStatus,
    retryAfter,
  ]);
});

test.each(['IC001', 'PT001', 'EM001', 'EM053', 'EV058', 'ET004', 'XX999'])('any code: %s', async (code) => {
  const behaviours: BehaviourInput[] = [
    { match: { amount: '1' }, money: 'moves', code },
    { match: { amount: '2' }, money: 'untouched', code },
  ];
  const bank = await openBank({ behaviours });
  for (const [place, tranAmount] of ['1.00', '2.00'].entries()) {
    const request = { ...goodTransfer, transRefNo: `R${place}`, tranAmount };
    expect(await bank.ask('transfer', request)).toMatchObject({ statusCode: code });
  }
  expect(bank.sandbox.ledger().totals).toMatchObject({ count: 1, amount: '1.00' });
});

test.each([
  [{ proxyNo: '0812345678' }],
  [{ amount: '100.25' }],
  [{ proxyName: 'somchai jaidee' }],
  [{ transRefNo: 'PD000000000000000101' }],
  [{ reference1: 'INV-1' }],
  [{ reference1: 'INV-1', amount: '100.250'.slice(0, 6) }],
])('a transfer is met by %j, one that differs is not', async (match) => {
  const bank = await openBank({ behaviours: [{ match, money: 'untouched', code: 'EM069' }] });
  const named = { ...goodTransfer, proxyName: 'Somchai Jaidee' };
  const other = {
    ...named,
    proxyNo: '0812345679',
    tranAmount: '100.26',
    proxyName: 'Malee',
    transRefNo: 'X',
    reference1: 'INV-2',
  };
  expect(await bank.ask('transfer', named)).toMatchObject({ statusCode: 'EM069' });
  expect(await bank.ask('transfer', other)).toMatchObject({ statusCode: 'IC000' });
});

test('latency delays every answer, a behaviour adds its own', async () => {
  const behaviours: BehaviourInput[] = [{ match: {}, endpoint: 'payeeCheck', latencyMs: 40 }];
  const bank = await openBank({ latencyMs: 30, behaviours });
  const startedMs = performance.now();
  await bank.ask('payeeCheck', goodCheck);
  expect(performance.now() - startedMs).toBeGreaterThan(65);
});

test('closing does not wait for what is silent, stalled or delayed', async () => {
  const behaviours: BehaviourInput[] = [
    { match: { amount: '1' }, money: 'moves', reply: 'silent' },
    { match: { amount: '2' }, money: 'moves', reply: 'stalled' },
    { match: { amount: '3' }, money: 'moves', latencyMs: 60_000 },
  ];
  const bank = await openBank({ behaviours });
  const hung = ['1.00', '2.00', '3.00'].map((tranAmount, place) =>
    bank.send('transfer', { ...goodTransfer, transRefNo: `R${place}`, tranAmount }),
  );
  while (bank.sandbox.ledger().totals.count < hung.length) await new Promise(setImmediate);
  await bank.sandbox.close();
  expect(await Promise.all(hung)).toEqual(['closed', expect.stringMatching(/cut|closed/), 'closed']);
});

test('the rate limit answers 429 and opens again with the next second', async () => {
  const bank = await openBank({ requestsPerSecondLimit: 2 });
  const statuses: unknown[] = [];
  for (let count = 0; count < 3; count += 1) {
    const outcome = await bank.send('payeeCheck', goodCheck);
    statuses.push(isHeard(outcome) && [outcome.status, outcome.headers['retry-after']]);
  }
  bank.clock.skip(1_000);
  const later = await bank.send('payeeCheck', goodCheck);
  // The token took the first place of its second.
  expect(statuses).toEqual([
    [200, undefined],
    [429, '1'],
    [429, '1'],
  ]);
  expect(isHeard(later) && later.status).toBe(200);
});

test('a token request can be lost', async () => {
  const { sandbox } = await openBank({
    behaviours: [{ match: {}, endpoint: 'token', reply: 'lost', times: 2 }],
  });
  const form = { client_id: clientId, client_secret: clientSecret };
  expect(await askForToken(sandbox.baseUrl, form)).toBe('closed');
  expect(readBody(await askForToken(sandbox.baseUrl, form))).toMatchObject({ code: '0000' });
});

describe('the index', () => {
  const few = <Value>(...values: Value[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
  const matchOf = fc
    .record({
      proxyNo: few('0811111111', '0822222222'),
      amount: few('1', '1.00', '2.00'),
      proxyName: few('A b', 'C'),
      transRefNo: few('R1', 'R2'),
      reference1: few('I1', 'I2'),
    })
    .map((match) => Object.fromEntries(Object.entries(match).filter(([, value]) => value !== undefined)));
  const table = fc
    .array(
      fc.record({ match: matchOf, times: fc.option(fc.integer({ min: 1, max: 2 }), { nil: undefined }) }),
      { maxLength: 8 },
    )
    .map((rows) =>
      parseBehaviours(
        rows.map(({ match, times }) => ({
          match,
          money: 'stuck',
          ...(times === undefined ? {} : { times }),
        })),
      ),
    );
  const subjects = fc.array(
    fc.record({
      proxyNo: fc.constantFrom('0811111111', '0822222222'),
      amountSatang: fc.constantFrom(parseBaht('1')!, parseBaht('2')!),
      proxyName: few('ab', 'c'),
      transRefNo: fc.constantFrom('R1', 'R2', 'R3'),
      reference1: few('I1', 'I2'),
    }),
    { maxLength: 12 },
  );

  /** The plain way: the first row of the table, top to bottom, that fits and is not used up. */
  function makePlainSearch(rows: readonly Behaviour[]): (subject: Subject) => Behaviour | undefined {
    const used = new Map<Behaviour, number>();
    return (subject) => {
      const found = rows.find(
        (row) =>
          (used.get(row) ?? 0) < (row.times ?? Infinity) &&
          (row.match.proxyNo ?? subject.proxyNo) === subject.proxyNo &&
          (row.match.transRefNo ?? subject.transRefNo) === subject.transRefNo &&
          (row.match.reference1 ?? subject.reference1) === subject.reference1 &&
          (row.match.amount === undefined || parseBaht(row.match.amount) === subject.amountSatang) &&
          (row.match.proxyName === undefined || normaliseName(row.match.proxyName) === subject.proxyName),
      );
      if (found !== undefined) used.set(found, (used.get(found) ?? 0) + 1);
      return found;
    };
  }

  test('finds what a search from top to bottom finds, request by request', () => {
    fc.assert(
      fc.property(table, subjects, (rows, requests) => {
        const find = createBehaviourIndex(rows);
        const search = makePlainSearch(rows);
        for (const subject of requests) expect(find('transfer', subject)).toBe(search(subject));
        expect(find('inquiry', requests[0] ?? {})).toBeUndefined();
      }),
    );
  });
});
