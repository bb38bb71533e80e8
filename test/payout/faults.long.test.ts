/** Replies that are another's, late, or none of the bank's: the whole worker over HTTP, money judged by the bank's ledger. */
import { setTimeout as later } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { FileOutcome } from '../../src/app/run-file.ts';
import {
  fieldsOf,
  makeAmbush,
  type Passing,
  type ProxyReply,
  type Tamper,
  withFields,
} from './hostile-proxy.ts';
import {
  makeRehearsal,
  type RehearsalSettings,
  type ResultLine,
  rowsOf,
  soonGivenUp,
} from '../support/rehearsal.ts';

const off = { verify: { enabled: false } };

describe('a reply that bears another request’s ids', () => {
  test('never settles a row: two transfers under way get each other’s', async () => {
    let first: { readonly reply: ProxyReply; readonly answer: (reply: ProxyReply) => void } | undefined;
    let swaps = 0;
    const tamper: Tamper = async ({ endpoint, pass }) => {
      const reply = await pass();
      if (endpoint !== 'transfer') return reply;
      if (first === undefined) {
        return new Promise<ProxyReply>((answer) => {
          first = { reply, answer };
        });
      }
      const other = first;
      first = undefined;
      swaps += 1;
      other.answer(reply);
      return other.reply;
    };
    await using ambush = await makeAmbush(tamper, { ...off, transfer: { concurrency: 2 } });
    const { results, ledger, exitCode } = await ambush.rehearsal.run(
      rowsOf(['1.00', '2.00', '3.00', '4.00']),
    );
    expect(results.map(({ status, settledBy }) => `${status} ${settledBy}`)).toEqual(
      Array.from({ length: 4 }, () => 'paid inquiry'),
    );
    expect([swaps, exitCode, ledger.count, ledger.amount]).toEqual([2, 0, 4, '10.00']);
  });

  const stray: Tamper = async ({ endpoint, pass }) => {
    const reply = await pass();
    return endpoint === 'transfer' ? withFields(reply, { requestUID: 'REQ00000000000000009' }) : reply;
  };
  const strayRefusal: Tamper = async ({ endpoint, pass }) => {
    const reply = await pass();
    const others = { statusCode: 'EM069', requestUID: 'REQ00000000000000009' };
    return endpoint === 'transfer' ? withFields(reply, others) : reply;
  };
  const alienRefusal: Tamper = async ({ endpoint, pass }) => {
    const reply = await pass();
    const others = { statusCode: 'EM053', transRefNo: 'PD0123456789ABCDEF01' };
    return endpoint === 'transfer' ? withFields(reply, others) : reply;
  };

  test.each([
    ['success with another’s requestUID', stray],
    ['a refusal with another’s requestUID', strayRefusal],
    ['a refusal of the payer with another’s transRefNo', alienRefusal],
  ])('%s proves nothing; the inquiry does', async (_name, tamper) => {
    await using ambush = await makeAmbush(tamper, off);
    const { results, ledger } = await ambush.rehearsal.run(rowsOf(['7.00']));
    expect(results).toMatchObject([{ status: 'paid', settledBy: 'inquiry' }]);
    expect(ledger).toMatchObject({ count: 1, amount: '7.00' });
  });

  test('is no answer to an inquiry, nor to a payee check', async () => {
    const tamper: Tamper = async ({ endpoint, no, pass }) => {
      const reply = await pass();
      if (endpoint === 'transfer') return undefined;
      const isSpoilt = no === 1 && (endpoint === 'inquiry' || endpoint === 'payeeCheck');
      const lie = {
        statusCode: endpoint === 'inquiry' ? 'EV035' : 'EV033',
        requestUID: 'REQ00000000000000009',
      };
      return isSpoilt ? withFields(reply, lie) : reply;
    };
    await using ambush = await makeAmbush(tamper);
    const { results, ledger } = await ambush.rehearsal.run(rowsOf(['7.00']));
    expect(results).toMatchObject([{ status: 'paid', settledBy: 'inquiry' }]);
    expect(ledger).toMatchObject({ count: 1, amount: '7.00' });
    const asked = ambush.proxy.passed.map(({ endpoint }) => endpoint).filter((name) => name !== 'token');
    expect(asked).toEqual(['payeeCheck', 'payeeCheck', 'transfer', 'inquiry', 'inquiry']);
  });
});

const alarmsOf = (outcome: FileOutcome): number | undefined =>
  outcome.kind === 'rested' ? outcome.reports.summary.alarmRows : undefined;

describe('a surplus answer on a kept-alive connection', () => {
  /** A whole refusal that bears no reference, written past the server. */
  function writeRefusal(socket: Passing['socket'], statusCode: string): void {
    const body = JSON.stringify({ statusCode, statusDesc: 'refused' });
    const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`;
    socket.write(`${head}\r\n\r\n${body}`);
  }

  test.each([
    ['before its own answer', 'EV033', true],
    ['before its own answer, for the payer', 'EM053', true],
    ['after an answer, while the connection rests', 'EV033', false],
  ])('%s ends no payment that the bank has made', async (_name, code, isBefore) => {
    const tamper: Tamper = async ({ endpoint, socket, pass }) => {
      if (endpoint !== 'transfer') return pass();
      if (isBefore) writeRefusal(socket, code);
      const reply = await pass();
      if (!isBefore) setTimeout(() => writeRefusal(socket, code), 1);
      return reply;
    };
    await using ambush = await makeAmbush(tamper, { ...off, transfer: { concurrency: 1 } });
    const { results, ledger } = await ambush.rehearsal.run(
      rowsOf(['1.00', '2.00', '3.00', '4.00', '5.00', '6.00']),
    );
    const latest = new Map(results.map((line) => [line['payoutId'], line['status']]));
    const sent = ambush.proxy.passed.filter(({ endpoint }) => endpoint === 'transfer').length;
    expect([...latest.values()].filter((status) => status === 'paid')).toHaveLength(sent);
    expect([...latest.values()]).not.toContain('failed');
    expect(ledger.count).toBe(sent);
  });
});

describe('EM001 on a first send', () => {
  const duplicate = (money: 'moves' | 'untouched'): RehearsalSettings => ({
    sandbox: { behaviours: [{ match: { amount: '7.00' }, money, code: 'EM001' }] },
    ...off,
    ...soonGivenUp,
  });

  test.each([
    ['moves', '7.00'],
    ['untouched', '0.00'],
  ] as const)(
    'is no success and is never sent again, whatever inquiries say (money %s)',
    async (money, moved) => {
      await using ambush = await makeAmbush(({ pass }) => pass(), duplicate(money));
      const runs = [
        await ambush.rehearsal.run(rowsOf(['7.00'])),
        await ambush.rehearsal.run(rowsOf(['7.00'])),
      ];
      for (const { outcome, results, exceptions, exitCode, ledger } of runs) {
        expect([results.at(-1)?.['status'], exitCode, ledger.amount]).toEqual(['unresolved', 4, moved]);
        expect(exceptions).toMatchObject([{ status: 'unresolved', moneyMoved: 'unknown' }]);
        expect(alarmsOf(outcome)).toBe(1);
        expect(exceptions[0]?.['remedy']).toMatch(/Do not pay it again by hand/);
      }
      const sent = ambush.proxy.passed.filter(({ endpoint }) => endpoint === 'transfer');
      expect(sent).toHaveLength(1);
      expect(ambush.proxy.passed.some(({ endpoint }) => endpoint === 'inquiry')).toBe(true);
    },
  );
});

describe('the items of an inquiry', () => {
  const failed = { tranStatusCode: '030003', statusCode: 'EM003' };
  const validateFailed = { tranStatusCode: '030002', statusCode: 'EV055' };
  const complete = { tranStatusCode: '010004', statusCode: 'IC000' };
  const open = { tranStatusCode: '010002' };
  const unknown = { tranStatusCode: '099999' };
  const alien = { ...complete, transRefNo: 'PD0123456789ABCDEF01' };
  const contradictory = (statusCode: string) => ({ tranStatusCode: '030003', statusCode });

  test.each([
    ['failed, then complete', [failed, complete], 'paid'],
    ['complete, then failed', [complete, failed], 'paid'],
    ['complete between failed ones', [failed, complete, validateFailed], 'paid'],
    ['open before failed', [open, failed], 'submitted'],
    ['failed before open', [failed, open], 'submitted'],
    ['failed before one that the interface lacks', [failed, unknown], 'submitted'],
    ['all failed', [failed, validateFailed], 'failed'],
    ['another’s complete among our failed ones', [alien, failed], 'failed'],
    ['another’s complete alone', [alien], 'submitted'],
    ['failed, and by its own code a success', [contradictory('IC000')], 'submitted'],
    ['failed, and by its own code timed out', [contradictory('ET001')], 'submitted'],
    ['failed, and by its own code in process', [contradictory('EM066')], 'submitted'],
    ['failed, and by its own code in process, too', [contradictory('EM073')], 'submitted'],
    ['failed, beside one that contradicts itself', [failed, contradictory('IC000')], 'submitted'],
    ['complete, and by its own code refused', [{ ...complete, statusCode: 'EV055' }], 'submitted'],
    ['failed on another day', [{ ...failed, tranDate: '20250101' }], 'submitted'],
    ['failed with another reference 1', [{ ...failed, reference1: 'ANOTHER' }], 'submitted'],
  ])('%s', async (_name, items, status) => {
    const tamper: Tamper = async ({ endpoint, fields, pass }) => {
      const reply = await pass();
      if (endpoint === 'transfer') return undefined;
      if (endpoint !== 'inquiry') return reply;
      const { transRefNo, tranDate } = fields;
      const fundTfrInfoList = items.map((item) => ({ tranDate, transRefNo, sysRefNo: 'SYS1', ...item }));
      return withFields(reply, { statusCode: 'IC001', fundTfrInfoList });
    };
    await using ambush = await makeAmbush(tamper, off);
    // It ends as soon as nothing is in doubt any more.
    const waiting = status === 'submitted' ? { waitMs: 500 } : {};
    const { results, ledger } = await ambush.rehearsal.run(rowsOf(['7.00']), waiting);
    expect(results).toMatchObject([{ status }]);
    expect(ledger.count).toBe(1);
    expect(ambush.proxy.passed.filter(({ endpoint }) => endpoint === 'transfer')).toHaveLength(1);
  });
});

describe('an HTTP status that refuses a transfer which the bank has made', () => {
  /** The bank answers the first transfer so, once it has made it. */
  const underStatus =
    (status: number, hasBody: boolean, changes = {}): Tamper =>
    async ({ endpoint, no, pass }) => {
      const reply = await pass();
      if (endpoint !== 'transfer' || no > 1) return reply;
      return { ...(hasBody ? withFields(reply, changes) : { ...reply, body: '' }), status };
    };

  test.each([401, 403, 429])('%i beside the proof is paid by it, sent once', async (status) => {
    await using ambush = await makeAmbush(underStatus(status, true), off);
    const { results, ledger } = await ambush.rehearsal.run(rowsOf(['7.00']));
    expect(results).toMatchObject([{ status: 'paid', settledBy: 'reply' }]);
    expect(ledger).toMatchObject({ count: 1, amount: '7.00' });
    expect(ambush.proxy.passed.filter(({ endpoint }) => endpoint === 'transfer')).toHaveLength(1);
  });

  test.each([401, 403, 429])('%i beside a code in process is asked about, sent once', async (status) => {
    await using ambush = await makeAmbush(underStatus(status, true, { statusCode: 'ET001' }), off);
    const { results, ledger } = await ambush.rehearsal.run(rowsOf(['7.00']));
    expect(results).toMatchObject([{ status: 'paid', settledBy: 'inquiry' }]);
    expect(ledger).toMatchObject({ count: 1, amount: '7.00' });
    expect(ambush.proxy.passed.filter(({ endpoint }) => endpoint === 'transfer')).toHaveLength(1);
  });

  test('401 without a body is sent again, refused as a duplicate, and paid once', async () => {
    await using ambush = await makeAmbush(underStatus(401, false), off);
    const { results, ledger } = await ambush.rehearsal.run(rowsOf(['7.00']));
    expect(results).toMatchObject([{ status: 'paid', settledBy: 'inquiry' }]);
    expect(ledger).toMatchObject({ count: 1, amount: '7.00' });
  });
});

describe('a bank clock that is', () => {
  // The rehearsal begins at noon in Bangkok: 13 hours off is another day for the bank.
  const noonMs = Date.UTC(2026, 10, 21, 5, 0, 0);

  test.each([
    [-2, 'paid', 2],
    [2, 'paid', 2],
    [-13, 'held', 0],
    [13, 'held', 0],
  ])(
    '%i hours off: a transfer lost before the bank had it ends %s after %i sends',
    async (hours, status, sends) => {
      const startedMs = Date.now();
      const tamper: Tamper = async ({ endpoint, no, pass }) => {
        if (endpoint === 'transfer' && no === 1) return undefined;
        const reply = await pass();
        const bankMs = noonMs + hours * 3_600_000 + Date.now() - startedMs;
        return { ...reply, headers: { ...reply.headers, date: new Date(bankMs).toUTCString() } };
      };
      await using ambush = await makeAmbush(tamper);
      const waiting = status === 'held' ? { waitMs: 1_000 } : {};
      const { results, ledger } = await ambush.rehearsal.run(rowsOf(['7.00']), waiting);
      expect(results).toMatchObject([{ status }]);
      expect(ledger.count).toBe(Math.max(0, sends - 1));
      expect(ambush.proxy.passed.filter(({ endpoint }) => endpoint === 'transfer')).toHaveLength(sends);
    },
  );
});

describe('a late reply', () => {
  const timeoutMs = 400;
  const amounts = Array.from({ length: 8 }, (_, place) => `${place + 1}.00`);

  /** Each row is paid, and bears the reference that the bank gave to this very transfer. */
  function expectOwnProofs(results: readonly ResultLine[], proofs: ReadonlyMap<string, unknown>): void {
    const last = new Map(results.map((result) => [result['payoutId'], result]));
    expect(last.size).toBe(amounts.length);
    for (const result of last.values()) {
      expect(result).toMatchObject({ status: 'paid' });
      expect(result['sysRefNo']).toBe(proofs.get(result['transRefNo'] ?? ''));
    }
  }

  test('that comes after its timeout is nobody’s: its connection is not used again', async () => {
    const proofs = new Map<string, unknown>();
    const abandoned = new Set<unknown>();
    let usedAgain = 0;
    const tamper: Tamper = async ({ endpoint, no, fields, socket, pass }) => {
      if (abandoned.has(socket)) usedAgain += 1;
      const reply = await pass();
      if (endpoint !== 'transfer') return reply;
      proofs.set(String(fields['transRefNo']), fieldsOf(reply)['sysRefNo']);
      if (no % 2 === 1) {
        abandoned.add(socket);
        await later(timeoutMs + 50);
      }
      return reply;
    };
    await using ambush = await makeAmbush(tamper, {
      ...off,
      transfer: { concurrency: 1 },
      bank: { timeoutMs },
    });
    const { results, ledger } = await ambush.rehearsal.run(rowsOf(amounts));
    expectOwnProofs(results, proofs);
    expect([usedAgain, abandoned.size > 3, ledger.count, ledger.amount]).toEqual([0, true, 8, '36.00']);
  });

  test('that meets the next request on a connection is not taken for its answer', async () => {
    const proofs = new Map<string, unknown>();
    const latest = new Map<unknown, ProxyReply>();
    let late = 0;
    const tamper: Tamper = async ({ endpoint, fields, socket, pass }) => {
      const reply = await pass();
      if (endpoint !== 'transfer') return reply;
      proofs.set(String(fields['transRefNo']), fieldsOf(reply)['sysRefNo']);
      const earlier = latest.get(socket);
      latest.set(socket, reply);
      if (earlier !== undefined) late += 1;
      return earlier ?? reply;
    };
    await using ambush = await makeAmbush(tamper, { ...off, transfer: { concurrency: 1 } });
    const { results, ledger } = await ambush.rehearsal.run(rowsOf(amounts));
    expectOwnProofs(results, proofs);
    const byInquiry = results.filter(({ settledBy }) => settledBy === 'inquiry');
    expect([late > 0, byInquiry.length, ledger.count, ledger.amount]).toEqual([true, late, 8, '36.00']);
  });
});

describe('a proxy’s page with status 200', () => {
  const page = (endpoint: string, times?: number, more: object[] = []): RehearsalSettings => ({
    sandbox: {
      behaviours: [
        ...more,
        { match: {}, endpoint, reply: 'html', ...(times === undefined ? {} : { times }) },
      ],
    },
  });
  const lostReply = { match: {}, money: 'moves', reply: 'lost' };

  test.each([
    ['payee check, twice', page('payeeCheck', 2), 'paid', 0, '7.00'],
    ['payee check, for ever', page('payeeCheck'), 'held', 3, '0.00'],
    ['inquiry, twice', page('inquiry', 2, [lostReply]), 'paid', 0, '7.00'],
    ['inquiry, for ever', page('inquiry', undefined, [lostReply]), 'unresolved', 4, '7.00'],
    ['token, twice', page('token', 2), 'paid', 0, '7.00'],
    ['token, for ever', page('token'), 'held', 6, '0.00'],
  ] as const)('at the %s', async (_name, settings, status, exitCode, moved) => {
    const patience = status === 'unresolved' ? soonGivenUp : {};
    await using rehearsal = await makeRehearsal({ ...patience, ...settings });
    const waiting = status === 'held' ? { waitMs: 1_000 } : {};
    const { results, exitCode: code, ledger } = await rehearsal.run(rowsOf(['7.00']), waiting);
    expect([results.at(-1)?.['status'], code, ledger.amount]).toEqual([status, exitCode, moved]);
  });
});
