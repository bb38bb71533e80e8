import { describe, expect, test } from 'vitest';
import {
  canMoveRegistration,
  isOpenRegistration,
  registrationStatuses,
  registrationTransitions,
  type RegistrationStatus,
  sourceStatusesOf,
} from '../../../src/registration/rules/registration.ts';

const leadsTo = (from: RegistrationStatus): RegistrationStatus[] => [
  ...new Set(
    registrationTransitions.filter((row) => row.from === from && row.to !== from).map((row) => row.to),
  ),
];

describe('where a registration can go from each status', () => {
  test.each<[RegistrationStatus, RegistrationStatus[]]>([
    ['staged', ['ready', 'held', 'rejected']],
    ['rejected', ['ready']],
    ['ready', ['held', 'cancelled', 'submitted', 'registered', 'refused']],
    ['held', ['ready', 'cancelled', 'registered', 'refused']],
    ['cancelled', ['registered', 'refused']],
    ['submitted', ['acknowledged', 'in-doubt', 'failed', 'held', 'registered', 'refused']],
    ['in-doubt', ['acknowledged', 'registered', 'refused', 'failed', 'unanswered']],
    ['acknowledged', ['registered', 'refused', 'unanswered']],
    ['unanswered', ['registered', 'refused', 'failed', 'ready']],
    ['registered', ['contradicted']],
    ['refused', ['contradicted', 'ready']],
    ['failed', ['ready', 'registered', 'refused']],
    ['contradicted', ['registered', 'refused']],
  ])('%s', (from, to) => expect(leadsTo(from).toSorted()).toEqual(to.toSorted()));

  test('every status is in the table', () => {
    const named = new Set(registrationTransitions.flatMap(({ from, to }) => [from, to]));
    expect([...named].toSorted()).toEqual([...registrationStatuses].toSorted());
  });
});

describe('what must never happen to a registration', () => {
  test('it is sent by its intent alone, and only when it is ready', () => {
    const into = registrationTransitions.filter(({ from, to }) => to === 'submitted' && from !== to);
    expect(into).toEqual([{ from: 'ready', to: 'submitted', cause: 'intent-recorded' }]);
  });

  test('what is with the bank is never ready again, held or cancelled before its time has passed', () => {
    for (const from of ['in-doubt', 'acknowledged'] as const) {
      for (const to of ['ready', 'held', 'cancelled'] as const) expect(leadsTo(from)).not.toContain(to);
    }
    expect(sourceStatusesOf('ready', 'tried-again')).not.toContain('registered');
    expect(sourceStatusesOf('ready', 'tried-again')).not.toContain('contradicted');
  });

  test('nothing is registered but by a callback, or a decision with evidence', () => {
    const causes = registrationTransitions.filter(({ from, to }) => to === 'registered' && from !== to);
    expect([...new Set(causes.map(({ cause }) => cause))].toSorted()).toEqual([
      'called-back',
      'called-back-after-all',
      'decided',
    ]);
  });

  test('a callback can always be recorded, whatever was believed', () => {
    for (const from of registrationStatuses.filter((status) => isOpenRegistration(status))) {
      expect(canMoveRegistration(from, 'registered', 'called-back')).toBe(true);
      expect(canMoveRegistration(from, 'refused', 'called-back')).toBe(true);
    }
  });
});
