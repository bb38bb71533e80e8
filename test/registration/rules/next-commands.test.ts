import { describe, expect, test } from 'vitest';
import {
  listNextOfRegistration,
  listNextOfRegistrations,
} from '../../../src/registration/rules/next-commands.ts';
import type { RegistrationRow } from '../../../src/registration/rules/registration-batch.ts';
import { registrationStatuses } from '../../../src/registration/rules/registration.ts';
import { makeRegistrationRow, makeRegistrationTotal } from '../../support/registration-report-fixtures.ts';

const batchId = '4K7Q2M9XWD';
const nextOf = (changes: Partial<RegistrationRow>): string[] =>
  listNextOfRegistration({ row: makeRegistrationRow(changes), batchId, fileName: 'nov 1.csv' }).map(
    ({ command }) => command,
  );

describe('what to type for one registration', () => {
  test.each([
    [{ status: 'held', holds: ['halted'] }, [`paydrop resume ${batchId}`, 'paydrop cancel REG-0001']],
    [
      { status: 'held', holds: ['paused', 'similar'] },
      ['paydrop resume REG-0001', 'paydrop cancel REG-0001'],
    ],
    [{ status: 'failed' }, ['paydrop retry REG-0001']],
    [{ status: 'refused' }, ['paydrop retry REG-0001']],
    [{ status: 'unanswered' }, ['paydrop retry REG-0001']],
    [{ status: 'refused', isAlarm: true }, []],
    [{ status: 'in-doubt' }, ['paydrop callbacks']],
    [{ status: 'acknowledged' }, ['paydrop callbacks']],
    [{ status: 'ready' }, ["paydrop register 'nov 1.csv'"]],
    [{ status: 'registered' }, []],
    [{ status: 'contradicted', isAlarm: true }, []],
  ] as const)('%j', (changes, commands) => {
    expect(nextOf(changes)).toEqual(commands);
  });

  test('never sends again what may be with the bank', () => {
    for (const status of ['submitted', 'in-doubt', 'acknowledged', 'registered', 'contradicted'] as const)
      expect(nextOf({ status }).join()).not.toMatch(/retry|resume|register /);
  });

  test('takes an id that begins like an option for none', () => {
    const { cells } = makeRegistrationRow();
    expect(nextOf({ status: 'failed', cells: { ...cells, registrationId: '-1' } })).toEqual([
      'paydrop retry -- -1',
    ]);
  });
});

describe('what to type for a batch of registrations', () => {
  const all = registrationStatuses.map((status) => makeRegistrationTotal(status));
  const list = `paydrop list --registrations --batch ${batchId}`;

  test('names what is awaited, and what needs review', () => {
    const done = { batchId, status: 'done', reasonCode: null } as const;
    expect(listNextOfRegistrations(done, all).map(({ command, why }) => `${command}: ${why}`)).toEqual([
      "paydrop callbacks: 3 rows wait for the bank's callback",
      `${list} --status rejected held unanswered refused failed contradicted: 6 rows need review`,
    ]);
    expect(listNextOfRegistrations(done, [makeRegistrationTotal('registered', 9)])).toEqual([]);
  });

  test('of a halted one begins with what lets it go on, which is no review of what it holds', () => {
    const halted = { batchId, status: 'halted', reasonCode: 'BSN004' } as const;
    const totals = [
      makeRegistrationTotal('held', 2),
      makeRegistrationTotal('registered', 1, { alarmRows: 1 }),
    ];
    expect(listNextOfRegistrations(halted, totals).map(({ command }) => command)).toEqual([
      `paydrop resume ${batchId}`,
      `${list} --alarms`,
    ]);
    const cancelled = { ...halted, reasonCode: 'cancelled' };
    expect(listNextOfRegistrations(cancelled, []).map(({ command }) => command)).toEqual([]);
  });
});
