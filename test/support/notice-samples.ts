/** One notice of each kind, and of what differs within a kind: of a subject that a journal may hold in truth. */
import { describeGrowth, type FileGrowth, remedyOfGrowth } from '../../src/watch/rules/file-growth.ts';
import { findBankStatus } from '../../src/core/status-codes.ts';
import { catalogue, message, verbatim } from '../../src/core/message.ts';
import { toSatang } from '../../src/core/money.ts';
import {
  Alarms,
  CriticalBreaks,
  type AlarmEvent,
  describeAlarms,
  describeBreaks,
  describeChangedJournal,
  describeClock,
  describeDecisionsDropped,
  describeGap,
  describeNotReady,
  describeReady,
  describeStatementCame,
  describeStatementLate,
  describeUnexplained,
} from '../../src/notify/rules/journal-notices.ts';
import { describeDayHead } from '../../src/notify/rules/head-notices.ts';
import {
  describeBatchDone,
  describeBatchFailing,
  describeBatchHalted,
  describeFileGrown,
  describeFileRejected,
  describeInDoubt,
  describeJournalRefused,
  type NoticeScene,
  type RejectedFile,
} from '../../src/notify/rules/notice-body.ts';
import type { NoticeDraft } from '../../src/notify/rules/notice.ts';
import { describePersonNotice } from '../../src/notify/rules/person-notices.ts';
import {
  describeRegistrationAlarms,
  describeRegistrationsDone,
  describeRegistrationsHalted,
  describeUnknownCallbacks,
} from '../../src/notify/rules/registration-notices.ts';
import type { RegistrationBatch } from '../../src/registration/rules/registration-batch.ts';
import { summariseRegistrations } from '../../src/registration/rules/summary.ts';
import { breakKinds, type BreakRecord } from '../../src/reconcile/rules/types.ts';
import { summariseBatch } from '../../src/reports/rules/summary.ts';
import type { PersonEvent, PersonEventKind } from '../../src/review/rules/chain.ts';
import { describeFailing, type HealthReason } from '../../src/watch/rules/health.ts';
import type { Batch } from '../../src/core/ports.ts';
import {
  contradicted,
  makeRegistrationBatch,
  makeRegistrationTotal,
  unknownCallback,
} from './registration-report-fixtures.ts';
import { makeBatch, makeTotal, noonMs } from './report-fixtures.ts';

/** What the notices are about. */
export interface NoticeSubject {
  readonly batchId: string;
  /** Of registrations. */
  readonly registrationBatchId: string;
  /** YYYYMMDD. */
  readonly date: string;
  readonly transRefNo: string;
  /** A file that was rejected, absolute. */
  readonly path: string;
  readonly troubles: readonly HealthReason[];
}

export const newsOf = (changes: Partial<Batch>) => ({
  summary: summariseBatch(makeBatch(changes), [makeTotal('submitted', 3, 95n)], [], { exceptionsOk: false }),
  reports: [],
});

export const halted = (reasonCode: string, batchId = '4K7Q2M9XWD') =>
  newsOf({
    batchId,
    status: 'halted',
    reasonCode,
    reason: verbatim('why it is so'),
    remedy: findBankStatus(reasonCode)?.remedy ?? message('brake.await-inquiries'),
  });

export function breaksOf(kind: BreakRecord['kind'], date = '20261120'): CriticalBreaks {
  const breaks = new CriticalBreaks(date);
  breaks.add({
    key: 'PD1',
    kind,
    severity: 'critical',
    date,
    lineAt: null,
    reason: verbatim('row 1: failed, and the bank paid it'),
    version: 1,
    attempt: null,
    lines: [],
    openedAtMs: noonMs,
    state: 'open',
    closedAtMs: null,
    closedBy: null,
  });
  return breaks;
}

export const alarmOf = (transRefNo: string): AlarmEvent => ({
  seq: 7,
  cause: 'late-proof',
  batchId: 'B000000001',
  rowNo: 1,
  payoutId: 'A1',
  status: 'paid',
  amountSatang: toSatang(1_050n),
  reason: verbatim('the bank paid it'),
  transRefNo,
});

function alarmsOf(transRefNo: string): Alarms {
  const alarms = new Alarms();
  alarms.add(alarmOf(transRefNo));
  return alarms;
}

const personEventKinds = (): readonly PersonEventKind[] =>
  Object.keys(catalogue)
    .filter((code) => code.startsWith('person-event.'))
    .map((code) => code.slice('person-event.'.length) as PersonEventKind);

/** Facts of every kind of event. */
const personFacts = {
  role: 'maker',
  keyHash: 'ab12',
  expiresAtMs: 1,
  proposalId: 4,
  tokenId: 5,
  failedTries: 5,
  kind: 'break',
  batchId: '7B3KQ0M9ZX',
  row: 3,
  batch: '7B3KQ0M9ZX',
};

const personEvent = (kind: PersonEventKind) =>
  ({
    seq: 3,
    kind,
    subject: 1,
    atMs: noonMs,
    byPerson: null,
    proof: null,
    text: JSON.stringify({ facts: { ...personFacts, what: kind === 'noted' ? 'taken' : 'payee-number' } }),
    cells: null,
  }) as unknown as PersonEvent;

const head = {
  number: 1,
  date: '20261120',
  stretches: { payouts: { events: 1 }, people: { events: 2 }, proposals: { events: 0 } },
  text: 'paydrop day head v1\n',
  hash: 'ab'.repeat(32),
} as unknown as Parameters<typeof describeDayHead>[1];

const dropped = {
  itemId: '20261120T050001000-aaaaaa',
  fileName: 'a.csv',
  sha256: 'ab'.repeat(32),
  asks: 'Retry: 1 row, 100.00 baht',
  amount: '100.00',
};

const growth: FileGrowth = {
  sha256: 'ab'.repeat(32),
  bytes: 99,
  rows: 50,
  amount: '1234.50',
  payoutIds: ['A51'],
  seenAtMs: noonMs,
  isTold: true,
};

const taken = {
  fileName: 'a.csv',
  batchId: 'B000000001',
  bytes: 50,
  path: '/srv/paydrop/archive/a.csv',
  untilMs: 1,
  kind: undefined,
};

export const grown = {
  fileKey: 'item-1:ab',
  fileName: 'a.csv',
  batchId: 'B000000001',
  reason: describeGrowth(taken, growth),
  remedy: remedyOfGrowth(taken, growth),
  rows: 50,
  amount: '1234.50',
  payoutIds: ['A51'],
  reports: [],
};

export const rejected: RejectedFile = {
  kind: 'payout',
  fileKey: 'item-1',
  fileName: 'broken.csv',
  path: '/srv/paydrop/rejected/broken.csv',
  batchId: null,
  rejection: {
    code: 'column-missing',
    line: 1,
    column: 'amount',
    message: verbatim('there is no column "amount"'),
  },
  reports: [],
};

const why = {
  code: 'journal-changed',
  reason: verbatim('row 1 was changed'),
  remedy: message('journal.restore-backup'),
  sinceMs: 1,
};
const clock = (kind: 'differs' | 'jumped' | 'untold') => (scene: NoticeScene) =>
  describeClock(scene, { kind, text: message('clock.agrees') }, undefined) as NoticeDraft;

const registrations = (changes: Partial<RegistrationBatch>) => ({
  summary: summariseRegistrations(
    makeRegistrationBatch(changes),
    [makeRegistrationTotal('registered', 3)],
    [],
    { exceptionsOk: false },
  ),
  reports: [],
});

/** One of each kind, and of what differs within a kind. */
export const makeNoticeSamples = ({
  batchId,
  registrationBatchId,
  date,
  transRefNo,
  path,
  troubles,
}: NoticeSubject): readonly ((scene: NoticeScene) => NoticeDraft)[] => [
  (scene) => describeBatchDone(scene, newsOf({ batchId, status: 'done' }), 1),
  ...['brake-consecutive', 'brake-in-doubt', 'batch-too-old', 'file-grown', 'EM053', 'toString'].map(
    (code) => (scene: NoticeScene) => describeBatchHalted(scene, halted(code, batchId), 1),
  ),
  (scene) => {
    const failing = { batchId, why: 'it fails', namesTaken: ["/srv/pay's/outbox/a.result.csv"] };
    return describeBatchFailing(scene, batchId, 'a.csv', describeFailing(failing, undefined));
  },
  (scene) => describeInDoubt(scene, newsOf({ batchId, status: 'running' }), noonMs),
  ...(['payout', 'registration', 'decisions'] as const).map(
    (kind) => (scene: NoticeScene) => describeFileRejected(scene, { ...rejected, kind, path }),
  ),
  (scene) => describeFileRejected(scene, { ...rejected, path, batchId }),
  (scene) => describeJournalRefused(scene, '/data/journal.db', 'there is no journal: paydrop init'),
  (scene) => describeFileGrown(scene, { ...grown, batchId }),
  (scene) => describeFileGrown(scene, { ...grown, batchId, rows: null, amount: null }),
  (scene) => describeNotReady(scene, troubles),
  (scene) => describeReady(scene, noonMs, false),
  (scene) => describeReady(scene, noonMs, true),
  (scene) => describeStatementLate(scene, date),
  (scene) => describeStatementCame(scene, date),
  ...breakKinds.map((kind) => (scene: NoticeScene) => describeBreaks(scene, breaksOf(kind, date), [])),
  (scene) => describeAlarms(scene, alarmsOf(transRefNo)),
  clock('differs'),
  clock('jumped'),
  clock('untold'),
  (scene) => describeChangedJournal(scene, why),
  (scene) => describeUnexplained(scene, batchId, 7),
  (scene) => describeGap(scene, date, 'the totals differ'),
  ...personEventKinds().map(
    (kind) => (scene: NoticeScene) => describePersonNotice(scene, personEvent(kind), []),
  ),
  (scene) => describeDayHead(scene, head, '/outbox/head.txt'),
  (scene) => describeDecisionsDropped(scene, dropped),
  (scene) =>
    describeRegistrationsDone(scene, registrations({ batchId: registrationBatchId, status: 'done' }), 1),
  ...['BSN004', 'ZZ999', 'cancelled'].map((code) => (scene: NoticeScene) => {
    const stopped = {
      status: 'halted',
      reasonCode: code,
      reason: verbatim('why'),
      remedy: message('batch.what-is-cancelled'),
    } as const;
    const batch = { ...stopped, batchId: registrationBatchId };
    return describeRegistrationsHalted(scene, registrations(batch), 1);
  }),
  (scene) => describeRegistrationAlarms(scene, { rows: 1, first: [contradicted] }),
  (scene) => describeUnknownCallbacks(scene, { count: 2, latest: [unknownCallback] }),
];
