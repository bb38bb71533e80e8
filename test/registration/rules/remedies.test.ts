import { inEnglish, say, sayCode, verbatim } from '../../../src/core/message.ts';
import { describe, expect, test } from 'vitest';
import {
  describeRegistrationAlarmRemedy,
  describeRegistrationHolds,
  describeRegistrationRemedy,
} from '../../../src/registration/rules/report-rows.ts';
import {
  registrationHolds,
  type RegistrationHold,
  type RegistrationStatus,
  registrationStatuses,
} from '../../../src/registration/rules/registration.ts';
import { registrationCodes } from '../../../src/core/direct-debit-codes.ts';

const codes = [null, 'ZZ999', 'no-callback', ...registrationCodes.map(({ code }) => code)];
const holdSets: readonly (readonly RegistrationHold[])[] = [
  [],
  ...registrationHolds.map((hold) => [hold]),
  registrationHolds,
];
const combinations = registrationStatuses.flatMap((status) =>
  codes.flatMap((reasonCode) => holdSets.map((holds) => ({ status, reasonCode, holds, issues: [] }))),
);
const makeRow = (
  status: RegistrationStatus,
  reasonCode: string | null = null,
  holds: readonly RegistrationHold[] = [],
) => ({ status, reasonCode, holds, issues: [] });

describe('a remedy of a registration', () => {
  test('is there for every status, code and hold, in both languages', () => {
    for (const row of combinations)
      for (const describeIt of [describeRegistrationRemedy, describeRegistrationAlarmRemedy]) {
        expect(inEnglish(describeIt(row))).toMatch(/^[A-Z].{8,}/);
        expect(inEnglish(describeIt(row))).not.toMatch(/undefined|null|\.\.|[ก-๛]/);
        expect(say('th', describeIt(row))).toMatch(/^[ก-๛].{8,}/);
        expect(say('th', describeIt(row))).not.toMatch(/undefined|null/);
      }
  });

  test('forbids to register again exactly what may be with the bank and is not to be asked for anew', () => {
    const forbidden = registrationStatuses.filter((status) =>
      inEnglish(describeRegistrationRemedy(makeRow(status))).startsWith('Do not register it again'),
    );
    expect(forbidden).toEqual(['submitted', 'in-doubt']);
    expect(inEnglish(describeRegistrationRemedy(makeRow('contradicted')))).toContain('debit nothing');
  });

  test.each([
    ['failed', 'CBS003', [], /^The customer's account is not active: ask for another one\. Nothing was/],
    ['failed', 'BSN002', [], /^Nothing was registered/],
    ['failed', 'ZZ999', [], /^Nothing was registered/],
    ['in-doubt', 'BSN002', [], /^Do not register it again.*The bank has such a registration already/],
    ['in-doubt', 'CBS001', [], /with the requestUID$/],
    ['held', '0429', ['paused'], /^Goes on by itself an hour later\. The service could not take it/],
    ['held', 'BSN004', ['halted'], /^The bank has no profile of this company.*Registering is halted/],
    ['held', null, [], /^Not registered/],
    ['held', null, ['similar', 'called-back'], /compare the two.*The bank has told of such a registration/],
    ['refused', 'I0001', [], /"paydrop retry"/],
    ['unanswered', 'no-callback', [], /^The bank has not called back in time.*"paydrop retry"/],
  ] as const)('of %s %s %j', (status, reasonCode, holds, text) => {
    expect(inEnglish(describeRegistrationRemedy(makeRow(status, reasonCode, holds)))).toMatch(text);
  });

  test('of a rejected row says what no correction of a cell cures, each cause once', () => {
    const issue = (code: string) => ({ line: 2, column: null, code, value: null, message: verbatim(code) });
    const of = (...found: readonly string[]) =>
      inEnglish(describeRegistrationRemedy({ ...makeRow('rejected'), issues: found.map(issue) }));
    expect(of('account-characters', 'ref-length')).toBe(sayCode('en', 'registered-remedy.rejected'));
    expect(of('registration-id-length')).toBe(sayCode('en', 'registered-remedy.rejected-for-its-id'));
    expect(of('registration-id-claimed')).toBe(
      sayCode('en', 'registration-rejection-remedy.registration-id-claimed'),
    );
    expect(of('duplicate-repeat', 'account-characters')).toBe(
      `${sayCode('en', 'registration-rejection-remedy.duplicate-repeat')}. ${sayCode('en', 'registered-remedy.rejected')}`,
    );
  });

  test('of an alarm never says to try again, nor that there is nothing to do', () => {
    for (const status of ['registered', 'refused', 'contradicted'] as const)
      expect(inEnglish(describeRegistrationAlarmRemedy(makeRow(status)))).not.toMatch(/retry|Nothing to do/);
  });

  test('holds say why where nothing else does', () => {
    expect(say('en', describeRegistrationHolds(['paused', 'similar']))).toBe(
      'the service could not take it; another registrationId is like it',
    );
    expect(say('th', describeRegistrationHolds(['paused']))).toBe('บริการของธนาคารยังไม่พร้อม');
  });
});
