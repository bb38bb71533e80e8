import { inEnglishIfAny, verbatim } from '../../../src/core/message.ts';
import { describe, expect, test } from 'vitest';
import type { RegistrationRow } from '../../../src/registration/rules/registration-batch.ts';
import { registrationStatuses } from '../../../src/registration/rules/registration.ts';
import {
  countRegistrationExceptions,
  describeRegistrationReason,
  finalRegistrationStatuses,
  isRegistrationException,
  registrationLines,
} from '../../../src/registration/rules/report-rows.ts';
import {
  makeInstruction,
  makeRegistrationRow,
  makeRejectedRegistration,
  makeUnsentRow,
  totalRegistrations,
} from '../../support/registration-report-fixtures.ts';

const resultOf = (row: RegistrationRow): Record<string, string> => {
  const cells = registrationLines.renderResult(row);
  return Object.fromEntries(registrationLines.resultColumns.map((name, place) => [name, cells[place] ?? '']));
};
const exceptionOf = (row: RegistrationRow): Record<string, string> => {
  const cells = registrationLines.renderException('4K7Q2M9XWD', row);
  return Object.fromEntries(
    registrationLines.exceptionColumns.map((name, place) => [name, cells[place] ?? '']),
  );
};

describe('the columns', () => {
  test('are those that partners were told', () => {
    expect(registrationLines.resultColumns.join(', ')).toBe(
      'rowNo, registrationId, customerId, vendorId, companyId, accountNo, ref1, ref2, ref3, ref4, status, final, reasonCode, ' +
        'reason, statusCode, statusDesc, requestUID, ddrOapiSeqId, respCode, respDesc, applyDtm, attempts, submittedAt, ' +
        'settledAt, settledBy',
    );
    expect(registrationLines.exceptionColumns.join(', ')).toBe(
      'batchId, rowNo, version, registrationId, customerId, vendorId, companyId, accountNo, ref1, ref2, ref3, ref4, status, ' +
        'reasonCode, reason, remedy, requestUID, decision, newAccountNo, note',
    );
  });

  test('of the partner follow, with a name of their own where ours has it', () => {
    expect(registrationLines.renderResultHeader(['branch', 'Status']).slice(-2)).toEqual([
      'branch',
      'input.Status',
    ]);
    expect(registrationLines.renderExceptionHeader(['note']).at(-1)).toBe('input.note');
    const row = makeRegistrationRow({ extras: ['B1'] });
    expect(registrationLines.renderResult(row, 2).slice(-2)).toEqual(['B1', '']);
    expect(registrationLines.renderException('B', row, 1).at(-1)).toBe('B1');
  });
});

describe('a row of the result', () => {
  test('that the bank has registered', () => {
    expect(resultOf(makeRegistrationRow())).toEqual({
      rowNo: '1',
      registrationId: 'REG-0001',
      customerId: '9000000000004',
      vendorId: 'V001',
      companyId: 'COMP01',
      accountNo: '0012345678',
      ref1: 'R1',
      ref2: '',
      ref3: '',
      ref4: '',
      status: 'registered',
      final: 'true',
      reasonCode: 'I0000',
      reason: 'Success',
      statusCode: '0',
      statusDesc: 'Success',
      requestUID: '5f0c7f0a-6d0f-4a36-9a0e-6f1f8a2b3c4d',
      ddrOapiSeqId: 'DDR0000000001',
      respCode: 'I0000',
      respDesc: 'Success',
      applyDtm: '2026-11-21 14:03:06',
      attempts: '1',
      submittedAt: '2026-11-21T14:03:05+07:00',
      settledAt: '2026-11-21T14:03:06+07:00',
      settledBy: 'callback',
    });
  });

  test('that was rejected has its cells as they were written, and every issue', () => {
    const cells = resultOf(makeRejectedRegistration(2));
    expect(cells).toMatchObject({ registrationId: '=cmd', customerId: 'ก, "ข"', accountNo: '1.10E+12' });
    expect(cells['reasonCode']).toBe('account-characters cells-missing');
    expect(cells['reason']).toBe(
      'line 3, accountNo: digits alone (found "1.10E+12"); line 3: a cell is missing',
    );
    expect(cells).toMatchObject({ statusCode: '', requestUID: '', attempts: '0', final: 'true' });
  });

  test('that was corrected has what it asks for now', () => {
    const row = makeRegistrationRow({ currentInstruction: makeInstruction({ accountNo: '0099999999' }) });
    expect(resultOf(row)['accountNo']).toBe('0099999999');
  });

  test('that is held says by what', () => {
    const held = makeUnsentRow({ status: 'held', holds: ['similar', 'halted'] });
    const reasonOf = (row: RegistrationRow) => {
      const [code, reason] = describeRegistrationReason(row);
      return [code, inEnglishIfAny(reason)];
    };
    expect(reasonOf(held)).toEqual([
      'similar halted',
      'another registrationId is like it; registering is halted (held: similar, halted)',
    ]);
    expect(reasonOf({ ...held, reasonCode: '0429', reason: verbatim('Too many') })).toEqual([
      '0429',
      'Too many (held: similar, halted)',
    ]);
  });

  test('is final where nothing more is to be expected', () => {
    expect(registrationStatuses.filter((one) => !finalRegistrationStatuses.includes(one))).toEqual([
      'staged',
      'ready',
      'held',
      'submitted',
      'in-doubt',
      'acknowledged',
      'unanswered',
    ]);
  });
});

describe('an exception', () => {
  const isOne = (status: RegistrationRow['status'], changes: Partial<RegistrationRow> = {}) =>
    isRegistrationException(makeRegistrationRow({ status, ...changes }));

  test('is what a person must look at', () => {
    expect(registrationStatuses.filter((status) => isOne(status))).toEqual([
      'rejected',
      'held',
      'submitted',
      'in-doubt',
      'unanswered',
      'refused',
      'failed',
      'contradicted',
    ]);
  });

  test('is over when somebody has taken note of it, but for an alarm', () => {
    expect(isOne('refused', { isAcknowledged: true })).toBe(false);
    expect(isOne('registered', { isAlarm: true })).toBe(true);
    expect(isOne('refused', { isAlarm: true, isAcknowledged: true })).toBe(true);
  });

  test('is counted from the totals as row by row', () => {
    const rows = registrationStatuses.flatMap((status) =>
      [{}, { isAlarm: true }, { isAcknowledged: true }].map((changes) =>
        makeRegistrationRow({ status, ...changes }),
      ),
    );
    expect(countRegistrationExceptions(totalRegistrations(rows))).toBe(
      rows.filter((row) => isRegistrationException(row)).length,
    );
  });

  test('leaves to be filled in what people decide', () => {
    const row = makeRegistrationRow({ status: 'refused', reasonCode: 'I0001', reason: verbatim('Reject') });
    expect(exceptionOf(row)).toMatchObject({
      batchId: '4K7Q2M9XWD',
      rowNo: '1',
      version: '4',
      status: 'refused',
      reasonCode: 'I0001',
      requestUID: '5f0c7f0a-6d0f-4a36-9a0e-6f1f8a2b3c4d',
      decision: '',
      newAccountNo: '',
      note: '',
    });
    expect(exceptionOf(row)['remedy']).toMatch(/^The bank has refused it/);
    expect(exceptionOf({ ...row, isAlarm: true })['remedy']).toMatch(/^The bank has told how it ended/);
  });

  test('has its remedy in Thai below the English in a workbook', () => {
    const row = makeRegistrationRow({ status: 'refused' });
    const cells = registrationLines.addThaiRemedy(registrationLines.renderException('4K7Q2M9XWD', row), row);
    const remedy = cells[registrationLines.exceptionColumns.indexOf('remedy')];
    expect(remedy).toMatch(/^The bank has refused it[^\n]*\nธนาคารปฏิเสธการลงทะเบียน/);
  });
});

test.each([
  ['in-doubt', true],
  ['unanswered', true],
  ['registered', false],
] as const)('a row that is %s and was sent twice names both requestUIDs: %s', (status, isNamed) => {
  const row = makeRegistrationRow({ status });
  const attempt = row.attempt && { ...row.attempt, requestUid: 'UID-1', renewedUid: 'UID-2' };
  const sent = { ...row, attempt };
  expect(resultOf(sent)['requestUID']).toBe('UID-2');
  for (const text of [resultOf(sent)['reason'], exceptionOf(sent)['remedy']])
    expect(text?.includes('UID-1') === true && text.includes('UID-2')).toBe(isNamed);
});
