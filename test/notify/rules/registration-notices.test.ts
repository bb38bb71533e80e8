import { describe, expect, test } from 'vitest';
import {
  describeRegistrationAlarms,
  describeRegistrationsDone,
  describeRegistrationsHalted,
  describeUnknownCallbacks,
  isNewsOfRegistrationAlarms,
  isNewsOfUnknownCallbacks,
  registrationAlarmsSubject,
  unknownCallbacksSubject,
} from '../../../src/notify/rules/registration-notices.ts';
import { summariseRegistrations } from '../../../src/registration/rules/summary.ts';
import {
  contradicted,
  makeRegistrationBatch,
  makeRegistrationTotal,
  unknownCallback,
} from '../../support/registration-report-fixtures.ts';
import { noonMs } from '../../support/report-fixtures.ts';
import { noticeScene } from '../../support/notices.ts';

const scene = { ...noticeScene, nowMs: noonMs };
const news = {
  summary: summariseRegistrations(
    makeRegistrationBatch({ rows: 3 }),
    [makeRegistrationTotal('registered', 2), makeRegistrationTotal('acknowledged', 1)],
    [],
    { exceptionsOk: false },
  ),
  reports: ['/outbox/a.result.csv'],
};

describe('a batch of registrations', () => {
  test('is told of in figures, once for each state', () => {
    const notice = describeRegistrationsDone(scene, news, 42);
    expect(notice).toMatchObject({ kind: 'registrations-done', batchId: '4K7Q2M9XWD' });
    expect(notice.body).toMatchObject({
      rows: 3,
      byStatus: { acknowledged: { rows: 1 }, registered: { rows: 2 } },
      awaitedRows: 1,
      exitCode: 4,
      commands: ['paydrop status 4K7Q2M9XWD --config /etc/paydrop.yaml'],
      reports: ['/outbox/a.result.csv'],
    });
    expect(describeRegistrationsDone(scene, news, 42).key).toBe(notice.key);
    expect(describeRegistrationsDone(scene, news, 43).key).not.toBe(notice.key);
    expect(describeRegistrationsHalted(scene, news, 1).key).not.toBe(
      describeRegistrationsHalted(scene, news, 2).key,
    );
  });
});

describe('alarms', () => {
  const alarms = { rows: 1, first: [contradicted] };

  test('say what to do, and name no account and no person', () => {
    const { body, key } = describeRegistrationAlarms(scene, alarms);
    expect(key.startsWith(registrationAlarmsSubject)).toBe(true);
    expect(body).toMatchObject({ severity: 'critical', rows: 1, reasonCode: 'contradicted' });
    expect(body['remedy']).toMatch(/^Rely on neither/);
    expect(JSON.stringify(body)).not.toMatch(/0012345678|9000000000004/);
    expect(JSON.stringify(body)).toContain('******5678');
  });

  test('are news when there are more of them, or a later one', () => {
    const last = { ...describeRegistrationAlarms(scene, alarms), atMs: noonMs + 5000 };
    expect(isNewsOfRegistrationAlarms(alarms, undefined)).toBe(true);
    expect(isNewsOfRegistrationAlarms(alarms, last)).toBe(false);
    expect(isNewsOfRegistrationAlarms({ ...alarms, rows: 2 }, last)).toBe(true);
    const later = { ...contradicted, settledAtMs: noonMs + 6000 };
    expect(isNewsOfRegistrationAlarms({ rows: 1, first: [later] }, last)).toBe(true);
    expect(isNewsOfRegistrationAlarms({ rows: 0, first: [] }, last)).toBe(false);
  });
});

describe('callbacks that nobody knows', () => {
  const unknown = { count: 3, latest: [unknownCallback] };

  test('are told with masked accounts', () => {
    const { body, key } = describeUnknownCallbacks(scene, unknown);
    expect(body).toMatchObject({ callbacks: 3, latestId: 7, reasonCode: 'unknown-callbacks' });
    expect(JSON.stringify(body)).not.toContain('0012345678');
    expect(key).toBe(`${unknownCallbacksSubject}7`);
  });

  test('are told once an hour at most', () => {
    const last = describeUnknownCallbacks(scene, unknown);
    const another = { count: 4, latest: [{ ...unknownCallback, id: 8 }, unknownCallback] };
    expect(isNewsOfUnknownCallbacks(unknown, undefined, noonMs)).toBe(true);
    expect(isNewsOfUnknownCallbacks(unknown, last, noonMs + 7_200_000)).toBe(false);
    expect(isNewsOfUnknownCallbacks(another, last, noonMs + 60_000)).toBe(false);
    expect(isNewsOfUnknownCallbacks(another, last, noonMs + 3_600_000)).toBe(true);
    expect(isNewsOfUnknownCallbacks({ count: 0, latest: [] }, undefined, noonMs)).toBe(false);
  });
});
