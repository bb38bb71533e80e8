import { describe, expect, test } from 'vitest';
import { makeRehearsal, type RehearsalSettings, rowsOf, soonGivenUp } from '../support/rehearsal.ts';

const at = (behaviour: object): RehearsalSettings => ({
  sandbox: { behaviours: [{ match: { amount: '7.00' }, ...behaviour }] },
});

interface Case {
  readonly name: string;
  readonly settings: RehearsalSettings;
  readonly status: string;
  readonly exitCode: number;
  readonly code?: string;
  readonly moved: '0.00' | '7.00';
  readonly waitMs?: number;
}

const cases: readonly Case[] = [
  { name: 'no behaviour', settings: {}, status: 'paid', exitCode: 0, code: 'IC000', moved: '7.00' },
  {
    name: 'in process, then complete',
    settings: at({ money: 'moves-later', afterMs: 200 }),
    status: 'paid',
    exitCode: 0,
    moved: '7.00',
  },
  {
    name: 'in process, then failed',
    settings: at({ money: 'fails-later', afterMs: 200, failCode: 'EM003' }),
    status: 'failed',
    exitCode: 3,
    code: 'EM003',
    moved: '0.00',
  },
  {
    name: 'in process for ever',
    settings: at({ money: 'stuck' }),
    status: 'submitted',
    exitCode: 4,
    moved: '0.00',
    waitMs: 600,
  },
  {
    name: 'inquiries used up',
    settings: at({ money: 'stuck' }),
    status: 'unresolved',
    exitCode: 4,
    moved: '0.00',
  },
  {
    name: 'reply lost after the money moved',
    settings: at({ money: 'moves', reply: 'lost' }),
    status: 'paid',
    exitCode: 0,
    moved: '7.00',
  },
  {
    name: 'timeout, then complete',
    settings: { ...at({ money: 'moves-later', afterMs: 600, reply: 'silent' }), bank: { timeoutMs: 400 } },
    status: 'paid',
    exitCode: 0,
    moved: '7.00',
  },
  {
    name: 'reply lost once before anything happened',
    settings: at({ money: 'untouched', reply: 'lost', times: 1 }),
    status: 'paid',
    exitCode: 0,
    moved: '7.00',
  },
  {
    name: 'reply lost every time before anything happened',
    // Of a lone row nobody can tell it from an outage: it goes on trying until a quarter of an hour before midnight.
    settings: { ...at({ money: 'untouched', reply: 'lost' }), settle: { giveUpAfterMs: 60_000 } },
    status: 'submitted',
    exitCode: 4,
    moved: '0.00',
    waitMs: 3_000,
  },
  {
    name: 'no answer at all',
    settings: {
      ...at({ money: 'untouched', reply: 'silent' }),
      bank: { timeoutMs: 400 },
      settle: { resendsMax: 0, giveUpAfterMs: 1_000 },
    },
    status: 'unresolved',
    exitCode: 4,
    moved: '0.00',
  },
  {
    name: 'HTTP 500 with effect',
    settings: at({ money: 'moves', reply: 'http', httpStatus: 500 }),
    status: 'paid',
    exitCode: 0,
    moved: '7.00',
  },
  {
    name: 'HTTP 500 without effect',
    settings: at({ money: 'untouched', reply: 'http', httpStatus: 500 }),
    status: 'unresolved',
    exitCode: 4,
    moved: '0.00',
  },
  {
    name: 'a garbage body',
    settings: at({ money: 'moves', reply: 'garbage' }),
    status: 'paid',
    exitCode: 0,
    moved: '7.00',
  },
  {
    name: 'an HTML page with status 200',
    settings: at({ money: 'moves', reply: 'html' }),
    status: 'paid',
    exitCode: 0,
    moved: '7.00',
  },
  {
    name: 'a redirect',
    settings: at({ money: 'untouched', reply: 'redirect', times: 1 }),
    status: 'paid',
    exitCode: 0,
    moved: '7.00',
  },
  {
    name: 'success that bears another’s transRefNo, with effect',
    settings: at({ money: 'moves', reply: 'wrong-reference' }),
    status: 'paid',
    exitCode: 0,
    moved: '7.00',
  },
  {
    name: 'success that bears another’s transRefNo, without effect',
    settings: at({ money: 'untouched', code: 'IC000', reply: 'wrong-reference' }),
    status: 'unresolved',
    exitCode: 4,
    moved: '0.00',
  },
  {
    name: 'an unknown code without effect',
    settings: at({ money: 'untouched', code: 'XX999' }),
    status: 'unresolved',
    exitCode: 4,
    moved: '0.00',
  },
  {
    name: 'over the limit',
    settings: at({ money: 'untouched', code: 'EM069' }),
    status: 'failed',
    exitCode: 3,
    code: 'EM069',
    moved: '0.00',
  },
  {
    name: 'insufficient funds',
    settings: at({ money: 'fails', code: 'EM053' }),
    status: 'held',
    exitCode: 6,
    code: 'EM053',
    moved: '0.00',
  },
  {
    name: 'forbidden',
    settings: at({ money: 'untouched', reply: 'http', httpStatus: 403 }),
    status: 'held',
    exitCode: 6,
    code: 'http-403',
    moved: '0.00',
  },
  {
    name: 'a token that is always refused',
    settings: at({ money: 'untouched', reply: 'http', httpStatus: 401 }),
    status: 'held',
    exitCode: 6,
    code: 'http-401',
    moved: '0.00',
  },
  {
    name: 'service closed for good',
    settings: at({ money: 'untouched', code: 'TM001' }),
    status: 'held',
    exitCode: 6,
    code: 'TM001',
    moved: '0.00',
    waitMs: 1_500,
  },
  {
    name: 'service closed once',
    settings: at({ money: 'untouched', code: 'TM001', times: 1 }),
    status: 'paid',
    exitCode: 0,
    moved: '7.00',
  },
  {
    name: '429 once',
    settings: at({ money: 'untouched', reply: 'http', httpStatus: 429, times: 1 }),
    status: 'paid',
    exitCode: 0,
    moved: '7.00',
  },
  {
    name: 'the reference held with other details',
    settings: at({ money: 'untouched', code: 'EM059' }),
    status: 'unresolved',
    exitCode: 4,
    moved: '0.00',
  },
  {
    name: 'a duplicate on the first send, as if it were another’s',
    settings: at({ money: 'moves', code: 'EM001' }),
    status: 'unresolved',
    exitCode: 4,
    moved: '7.00',
  },
  {
    name: 'an inactive payee',
    settings: { sandbox: { directory: [{ proxyNo: '0812345678', name: 'Nobody Here', state: 'inactive' }] } },
    status: 'unpayable',
    exitCode: 3,
    code: 'EV033',
    moved: '0.00',
  },
  {
    name: 'an unknown payee',
    settings: { sandbox: { directory: [{ proxyNo: '0812345678', state: 'unknown' }] } },
    status: 'unpayable',
    exitCode: 3,
    code: 'EV006',
    moved: '0.00',
  },
];

describe('each behaviour of the bank ends as the design says', () => {
  test.concurrent.each(cases.map((one) => [one.name, one] as const))('%s', async (_name, one) => {
    const patience = one.status === 'unresolved' ? soonGivenUp : {};
    await using rehearsal = await makeRehearsal({ ...patience, ...one.settings });
    const waiting = one.waitMs === undefined ? {} : { waitMs: one.waitMs };
    const { results, exitCode, ledger } = await rehearsal.run(rowsOf(['7.00']), waiting);
    expect(results.map(({ status }) => status)).toEqual([one.status]);
    expect({ exitCode, moved: ledger.amount }).toEqual({ exitCode: one.exitCode, moved: one.moved });
    if (one.code !== undefined) expect(results[0]).toMatchObject({ reasonCode: one.code });
  });
});
