import { describe, expect, test } from 'vitest';
import { verbatim } from '../../../src/core/message.ts';
import type { BatchStatus } from '../../../src/core/payout.ts';
import type {
  RegistrationHoldTotal,
  RegistrationTotal,
} from '../../../src/registration/rules/registration-batch.ts';
import type { RegistrationStatus } from '../../../src/registration/rules/registration.ts';
import {
  renderRegistrationSummary,
  summariseRegistrations,
} from '../../../src/registration/rules/summary.ts';
import { makeRegistrationBatch, makeRegistrationTotal } from '../../support/registration-report-fixtures.ts';
import { noonMs } from '../../support/report-fixtures.ts';

const summarise = (
  totals: readonly RegistrationTotal[],
  holds: readonly RegistrationHoldTotal[] = [],
  status: BatchStatus = 'done',
  exceptionsOk = false,
) => {
  let rows = 0;
  for (const total of totals) rows += total.rows;
  return summariseRegistrations(makeRegistrationBatch({ rows, status }), totals, holds, { exceptionsOk });
};

describe('the exit code', () => {
  test.each([
    [0, []],
    [0, ['registered']],
    [3, ['registered', 'refused']],
    [3, ['cancelled']],
    [3, ['unanswered']],
    [3, ['contradicted']],
    [3, ['held']],
    [4, ['registered', 'acknowledged', 'failed']],
    [4, ['in-doubt']],
    [4, ['submitted']],
    [6, ['ready', 'in-doubt']],
  ] as const)('is %i of %j', (code, statuses) => {
    expect(
      summarise(statuses.map((status: RegistrationStatus) => makeRegistrationTotal(status))).exitCode,
    ).toBe(code);
  });

  test('is 6 while something holds more than the row, or nothing goes on by itself', () => {
    const held = [makeRegistrationTotal('held', 2)];
    expect(summarise(held, [{ hold: 'halted', rows: 1 }]).exitCode).toBe(6);
    expect(summarise(held, [{ hold: 'paused', rows: 2 }]).exitCode).toBe(6);
    expect(summarise(held, [{ hold: 'similar', rows: 2 }]).exitCode).toBe(3);
    expect(summarise([makeRegistrationTotal('in-doubt')], [], 'halted').exitCode).toBe(6);
    expect(summarise([], [], 'rejected').exitCode).toBe(5);
  });

  test('is 0 with --exceptions-ok, but for an alarm and for what is awaited', () => {
    const refused = makeRegistrationTotal('refused', 3);
    expect(summarise([refused], [], 'done', true).exitCode).toBe(0);
    expect(summarise([{ ...refused, alarmRows: 1 }], [], 'done', true).exitCode).toBe(3);
    expect(summarise([refused, makeRegistrationTotal('acknowledged')], [], 'done', true).exitCode).toBe(4);
  });
});

describe('the figures', () => {
  test('stand in the order of a life and add up to the file', () => {
    const summary = summarise([
      makeRegistrationTotal('refused', 2, { acknowledgedRows: 1 }),
      makeRegistrationTotal('registered', 5, { alarmRows: 1 }),
      makeRegistrationTotal('in-doubt', 1),
      makeRegistrationTotal('failed', 0),
    ]);
    expect(summary.totals.map(({ status }) => status)).toEqual(['in-doubt', 'registered', 'refused']);
    expect(summary).toMatchObject({
      rows: 8,
      addsUp: true,
      exceptionRows: 3,
      alarmRows: 1,
      awaitedRows: 1,
    });
  });

  test('do not add up to another file', () => {
    const batch = makeRegistrationBatch({ rows: 2 });
    const options = { exceptionsOk: false };
    const totals = [makeRegistrationTotal('registered')];
    expect(summariseRegistrations(batch, totals, [], options).addsUp).toBe(false);
    const rejected = { ...batch, status: 'rejected' } as const;
    expect(summariseRegistrations(rejected, [], [], options).addsUp).toBe(true);
    expect(summariseRegistrations(rejected, totals, [], options).addsUp).toBe(false);
  });

  test('as JSON say what kind of batch it is, and bear no secret of the address', () => {
    const summary = summarise([makeRegistrationTotal('registered', 2)], [{ hold: 'similar', rows: 0 }]);
    const context = {
      isSandbox: true,
      bankAddress: 'https://u:p@bank.example/x?key=1',
      nowMs: noonMs + 9000,
    };
    const file = { kind: 'result', name: 'a.csv', rows: 2, sha256: 'cd' } as const;
    expect(renderRegistrationSummary(summary, [file], context)).toEqual({
      kind: 'registrations',
      batchId: '4K7Q2M9XWD',
      file: 'ลงทะเบียน november.csv',
      sha256: 'ab'.repeat(32),
      isSandbox: true,
      bank: 'https://bank.example/x',
      companyId: 'COMP000001',
      status: 'done',
      reasonCode: null,
      reason: null,
      remedy: null,
      exitCode: 0,
      rows: 2,
      byStatus: { registered: { rows: 2 } },
      holds: {},
      addsUp: true,
      exceptions: 0,
      alarms: 0,
      awaited: 0,
      startedAt: '2026-11-21T14:03:05+07:00',
      sealedAt: '2026-11-21T14:03:05+07:00',
      restedAt: '2026-11-21T14:03:08+07:00',
      reportedAt: '2026-11-21T14:03:14+07:00',
      durationMs: 3200,
      files: [file],
    });
  });

  test('as JSON say in English why the batch stands still, and what to do', () => {
    const stop = {
      reasonCode: 'interrupted',
      reason: verbatim('it broke off'),
      remedy: verbatim('run it again'),
    };
    const batch = { ...makeRegistrationBatch({ status: 'paused' }), ...stop };
    const summary = summariseRegistrations(batch, [], [], { exceptionsOk: false });
    const context = { isSandbox: false, bankAddress: 'https://bank.example/', nowMs: noonMs };
    expect(renderRegistrationSummary(summary, [], context)).toMatchObject({
      reasonCode: 'interrupted',
      reason: 'it broke off',
      remedy: 'run it again',
    });
  });
});
