/** Each way into the queue of what needs a person has a way out of it that people can take. */
import { inEnglish, isMessage, sayCode, verbatim } from '../../../src/core/message.ts';
import { describe, expect, test } from 'vitest';
import { afterChange } from '../../../src/core/change.ts';
import {
  type Attempt,
  type BatchStatus,
  batchStatuses,
  type HoldReason,
  holdReasons,
  isSealed,
  type Payout,
  type PayoutStatus,
  payoutStatuses,
} from '../../../src/core/payout.ts';
import { groupPayouts } from '../../../src/attention/groups.ts';
import {
  batchItem,
  type BatchInQueue,
  breakItem,
  callbackItem,
  dayItem,
  decisionsItem,
  doubtItem,
  fileItem,
  payerItem,
  proposalItem,
  type QueueItem,
  registrationItem,
} from '../../../src/attention/rules/items.ts';
import { showDate } from '../../../src/payout/rules/lost-journal.ts';
import { type BreakKind, breakKinds, severities } from '../../../src/reconcile/rules/types.ts';
import { isException } from '../../../src/reports/rules/report-rows.ts';
import { breakTargetOf } from '../../../src/review/queue-target.ts';
import { check } from '../../../src/review/review.ts';
import { decideBatch, decidePayer } from '../../../src/review/rules/batch-decisions.ts';
import { decidePayout, optionsFor, type ReviewedPayout } from '../../../src/review/rules/payout-decisions.ts';
import {
  canMoveProposal,
  type ProposalStatus,
  proposalStatuses,
} from '../../../src/review/rules/proposal.ts';
import { type QueueKind, queueKinds } from '../../../src/review/rules/queue.ts';
import { decisionTerms } from '../../../src/review/rules/terms.ts';
import { nothingCounted, sumFigures } from '../../../src/review/rules/proposal-figures.ts';
import { makePayout, makeSubmitted, noonMs } from '../../support/core-fixtures.ts';
import { payer } from '../../support/journal-fixtures.ts';
import { callbackOf, makeInstruction } from '../../support/registration-journal.ts';
import { makeRegistrationRow } from '../../support/registration-report-fixtures.ts';
import { makeBatch, makeRow } from '../../support/report-fixtures.ts';
import { propose } from '../../support/review.ts';
import { makeSqliteStore } from '../../support/sqlite-store.ts';
import { date, makeFacts, makeLine } from '../../support/statement-fixtures.ts';
import { inWords } from '../../support/in-words.ts';
import { sayWhy } from '../../../src/review/web/view.ts';

/** A row that is submitted is asked about by the program itself: unless it bears an alarm nobody need do anything. */
const waitsForPerson = (row: Pick<Payout, 'status' | 'isAlarm' | 'isAcknowledged'>): boolean =>
  isException(row) && (row.isAlarm || row.status !== 'submitted');

interface Situation {
  readonly status: PayoutStatus;
  readonly holds?: readonly HoldReason[];
  readonly isAlarm?: boolean;
  /** What the bank said last of its transfer, where that is in doubt. */
  readonly lastFinding?: Attempt['lastFinding'];
  readonly acknowledged?: boolean;
}

function reviewedOf({ lastFinding = null, acknowledged = false, ...changes }: Situation): ReviewedPayout {
  const payout = makePayout({ holds: [], isAlarm: false, ...changes });
  const { seq, batchId, rowNo, instruction, status } = payout;
  const inDoubt = { payoutSeq: seq, lastFinding, acknowledged } as const;
  const attempts: Attempt[] = [];
  if (status === 'submitted') attempts.push({ ...makeSubmitted().attempt, ...inDoubt, status: 'sent' });
  if (status === 'unresolved')
    attempts.push({ ...makeSubmitted().attempt, ...inDoubt, status: 'unresolved' });
  const holder = { payoutId: instruction.payoutId, batchId, rowNo, fileName: 'a.csv', status };
  const facts = { attempts, holder, similar: [], rules: { payoutSatangMax: null } } as const;
  return {
    row: makeRow({ ...payout, instruction }),
    batchId,
    payout,
    ...facts,
    traceOf: () => 'unread',
    nowMs: noonMs,
  };
}

/** As it is once the changes of a decision were recorded. */
function after(reviewed: ReviewedPayout, payout: Payout, attempts: readonly Attempt[]): ReviewedPayout {
  const known = attempts.map(({ order }) => order.transRefNo);
  const others = reviewed.attempts.filter(({ order }) => !known.includes(order.transRefNo));
  const row = { ...makeRow({ ...payout, instruction: payout.instruction }) };
  return { ...reviewed, payout, row, attempts: [...others, ...attempts] };
}

/** The shortest chain of decisions that ends the waiting; undefined when there is none. */
function findWayOut(from: ReviewedPayout, stepsMax = 2): readonly string[] | undefined {
  if (from.payout === undefined || !waitsForPerson(from.payout)) return [];
  if (stepsMax === 0) return undefined;
  const ways = optionsFor(from).flatMap(({ decision, whyNot }) => {
    const changes = whyNot ?? decidePayout(decision, from);
    const last = isMessage(changes) ? undefined : changes.at(-1);
    if (isMessage(changes) || last === undefined) return [];
    const attempts = changes.flatMap(({ attempt }) => (attempt === undefined ? [] : [attempt]));
    const rest = findWayOut(after(from, afterChange(last), attempts), stepsMax - 1);
    return rest === undefined ? [] : [[decision, ...rest]];
  });
  return ways.toSorted((one, other) => one.length - other.length)[0];
}

const holdSets: readonly (readonly HoldReason[])[] = [...holdReasons.map((hold) => [hold]), [...holdReasons]];
const findings: readonly Attempt['lastFinding'][] = [null, 'not-found', 'in-process', 'failed', 'complete'];

const situations: readonly Situation[] = [false, true].flatMap((isAlarm) => [
  ...payoutStatuses
    .filter((status) => !['staged', 'held', 'unresolved'].includes(status))
    .map((status) => ({ status, isAlarm })),
  ...holdSets.map((holds) => ({ status: 'held', holds, isAlarm }) as const),
  ...findings.flatMap((lastFinding) =>
    [false, true].map(
      (acknowledged) => ({ status: 'unresolved', lastFinding, acknowledged, isAlarm }) as const,
    ),
  ),
]);

test('what waits for a person is among the situations: every status, hold and alarm', () => {
  const waiting = situations.filter((situation) => waitsForPerson(makePayout({ holds: [], ...situation })));
  expect(new Set(waiting.filter(({ isAlarm }) => isAlarm === true).map(({ status }) => status))).toEqual(
    new Set(payoutStatuses.filter((status) => status !== 'staged')),
  );
  expect(new Set(waiting.filter(({ isAlarm }) => isAlarm !== true).map(({ status }) => status))).toEqual(
    new Set(['rejected', 'unpayable', 'failed', 'held', 'unresolved', 'disputed']),
  );
  expect(new Set(waiting.flatMap(({ holds = [] }) => holds))).toEqual(new Set(holdReasons));
});

test.for(situations.map((situation) => [JSON.stringify(situation), situation] as const))(
  'people can end it: %s',
  ([, situation]) => {
    expect(findWayOut(reviewedOf(situation))).toBeDefined();
  },
);

test.for(['new-payee', 'day-limit', 'service-day'] as const)(
  'what a limit over time holds goes on by a decision that needs a second person, and is not held for it again: %s',
  (hold) => {
    const from = reviewedOf({ status: 'held', holds: [hold] });
    expect(findWayOut(from)).toBeDefined();
    const changes = decidePayout('go-on', from);
    if (isMessage(changes)) throw new Error(inEnglish(changes));
    expect(decisionTerms['go-on'].needsSecond).toBe(true);
    expect(changes.at(-1)?.after).toMatchObject({ status: 'ready', holds: [], acceptedHolds: [hold] });
  },
);

describe('batches and payer accounts', () => {
  const total = (status: PayoutStatus) =>
    ({ status, rows: 1, amountSatang: makePayout().instruction.amountSatang, alarmRows: 0 }) as never;
  const whyNot = (decision: 'resume-batch' | 'cancel-batch', status: BatchStatus, hold?: HoldReason) =>
    decideBatch(
      decision,
      makeBatch({ status }),
      [total('held')],
      hold === undefined ? [] : [{ hold, rows: 1 }],
    );

  test.for(batchStatuses.filter(isSealed))(
    'a batch that is %s, with rows that are unsent, is cancelled',
    (status) => {
      expect(whyNot('cancel-batch', status)).toBeUndefined();
    },
  );

  test.for(['paused', 'halted'] as const)('a batch that is %s goes on', (status) => {
    expect(whyNot('resume-batch', status)).toBeUndefined();
  });

  test.for(['paused', 'unavailable', 'halted', 'similar', 'day-limit', 'service-day'] as const)(
    'a batch goes on whose rows are held together: %s',
    (hold) => expect(whyNot('resume-batch', 'done', hold)).toBeUndefined(),
  );

  test.for([
    ['halted', {}, undefined],
    ['paused', undefined, {}],
    ['both', {}, {}],
  ] as const)('a payer account that is stopped goes on: %s', ([, halt, pause]) => {
    expect(decidePayer('resume-payer', halt, pause)).toBeUndefined();
  });
});

test('a proposal that waits ends by a checker, by its maker, or by itself', () => {
  const waiting: readonly ProposalStatus[] = ['proposed', 'approved'];
  for (const from of waiting)
    expect(proposalStatuses.filter((to) => !waiting.includes(to) && canMoveProposal(from, to))).not.toEqual(
      [],
    );
  for (const to of ['approved', 'sent-back', 'withdrawn', 'expired'] as const)
    expect(canMoveProposal('proposed', to)).toBe(true);
});

test('every kind of break, of every severity, is accepted by two people', async () => {
  await using opened = await makeSqliteStore();
  const { store } = opened;
  const run = { date, runId: 'first' };
  await store.beginStatement(run);
  const attempt = makeFacts('paid');
  const recordOf = (kind: BreakKind, severity: (typeof severities)[number]) => {
    const lines = [makeLine(attempt, 'complete')];
    const now = { state: 'open', openedAtMs: 1, closedAtMs: null, closedBy: null } as const;
    const found = { kind, severity, date, lineAt: 0, reason: verbatim('it differs'), version: 1 };
    return { ...found, key: `${severity}/${kind}`, attempt, lines, ...now };
  };
  const records = breakKinds.flatMap((kind) => severities.map((severity) => recordOf(kind, severity)));
  await store.recordBreaks(
    run,
    records.map((record) => ({ kind: 'opened', record })),
  );
  const context = {
    journal: store,
    clock: { now: () => noonMs },
    rules: { payoutSatangMax: null },
    payerAccount: payer.payerAccount,
    people: 2,
    expireDays: 7,
  } as const;
  const targets = records.map(breakTargetOf);
  const wish = { decision: 'accept-break', targets, note: 'explained', evidence: null } as const;
  expect(decisionTerms['accept-break'].needsSecond).toBe(true);
  await propose(context, wish, { personId: 1, name: 'Mali' });
  expect(await check(context, 1, 'approve', { personId: 2, name: 'Nok' })).toMatchObject({
    applied: { applied: records.length, refused: [] },
  });
  expect(await store.openBreaks(date, 1_000)).toEqual([]);
  expect(await store.countAcceptedBreaks(date)).toBe(records.length);
});

describe('what is no payout', () => {
  const admin = { personId: 2, name: 'ann', role: 'admin', isDisabled: false } as const;
  const amountSatang = makePayout().instruction.amountSatang;
  const waitingOf = (hold: HoldReason, status: BatchStatus): BatchInQueue => ({
    batch: makeBatch({ status }),
    totals: [{ status: 'held', rows: 1, amountSatang, alarmRows: 0, unreadableAmounts: 0 }],
    holds: [{ hold, rows: 1 }],
    waiting: {
      batchId: 'A',
      rows: 1,
      amountSatang,
      sinceMs: 1,
      forApproval: hold === 'approval' ? 1 : 0,
      holds: [hold],
    },
  });
  const breaks = breakKinds.map((kind) => {
    const found = {
      kind,
      severity: 'high',
      date,
      lineAt: 0,
      reason: verbatim('it differs'),
      version: 1,
    } as const;
    const kept = { key: kind, state: 'open', openedAtMs: 1, closedAtMs: null, closedBy: null } as const;
    return breakItem({ ...found, ...kept, attempt: makeFacts('paid'), lines: [] }, admin);
  });
  const halt = {
    companyId: 'C',
    payerAccount: '0000345924',
    code: 'EM053',
    reason: verbatim('no money'),
    remedy: verbatim('fund it'),
  };
  const proposal = {
    proposalId: 7,
    decision: 'retry',
    figures: sumFigures([nothingCounted]),
    status: 'proposed',
    makerId: 1,
    maker: 'mali',
    people: 2,
    note: 'mended',
    items: 1,
    totalSatang: amountSatang,
    madeAtMs: 1,
    expiresAtMs: noonMs + 1,
    digest: 'ab',
  } as const;
  const doubted = {
    status: 'submitted',
    isAlarm: false,
    holds: [],
    cause: 'EM066',
    rows: 1,
    batches: 1,
    amountSatang,
    oldestMs: 1,
  } as const;
  const samples: Readonly<Record<QueueKind, readonly QueueItem[]>> = {
    break: breaks,
    day: [dayItem(date, admin)],
    file: (['payout', 'registration'] as const).flatMap((kind) =>
      ['a', 'run-a'].map((itemId) =>
        fileItem(
          { itemId, kind, fileName: 'a.csv', endedAtMs: 1, code: 'x', message: verbatim('no header') },
          admin,
        ),
      ),
    ),
    payer: [payerItem({ ...halt, sinceMs: 1 }, admin)],
    batch: [
      batchItem(waitingOf('halted', 'halted'), 'v', admin),
      batchItem(waitingOf('approval', 'paused'), 'v', admin),
      batchItem(waitingOf('similar', 'done'), 'v', admin),
      batchItem(waitingOf('unavailable', 'done'), 'v', admin),
    ],
    doubt: groupPayouts([doubted], noonMs).map(doubtItem),
    registration: [
      registrationItem(
        {
          code: 'registration-held',
          row: makeRegistrationRow({ status: 'held', holds: ['similar'] }),
          batchId: 'A',
          sinceMs: 1,
          options: [{ decision: 'go-on', whyNot: undefined }],
        },
        admin,
      ),
    ],
    callback: [
      callbackItem({ id: 1, receivedAtMs: 1, callback: callbackOf(makeInstruction(1)).callback }, admin),
    ],
    proposal: [proposalItem(proposal, [], noonMs, admin)],
    decisions: [decisionsItem({ itemId: 'x', fileName: 'a.csv', droppedAtMs: 1, sha256: 'ab' }, admin)],
  };

  test.for(queueKinds.map((kind) => [kind, samples[kind]] as const))(
    '%s: people can end it',
    ([kind, items]) => {
      expect(items).not.toEqual([]);
      for (const { options, reason, remedy } of items) {
        const possible = options.filter(({ whyNot }) => whyNot === undefined);
        // The program goes on asking: what it cannot settle becomes unresolved, which has a way out of its own above.
        if (kind === 'doubt') expect(inEnglish(remedy)).toContain('goes on asking');
        else expect(possible).not.toEqual([]);
        expect([reason, remedy].map(inEnglish)).not.toContain('');
        // What the bank or a person said stays as it is.
        if (kind !== 'payer') expect(sayWhy('th', remedy).language).toBe('th');
      }
    },
  );

  test('a break is called what it is in both languages, not by its code', () => {
    for (const [place, kind] of breakKinds.entries()) {
      const title = breaks[place]?.title ?? verbatim('');
      expect(inWords(title)).toBe(`${showDate(date)}: ${sayCode('en', `break.${kind}`)} (${kind})`);
      expect(sayWhy('th', title).text).toBe(`${showDate(date)}: ${sayCode('th', `break.${kind}`)} (${kind})`);
    }
  });

  test('a registration without a reason is told by its status', () => {
    const row = makeRegistrationRow({ status: 'unanswered', reasonCode: null, reason: null });
    const { reason } = registrationItem(
      { code: 'registration-in-doubt', row, batchId: 'A', sinceMs: 1, options: [] },
      admin,
    );
    expect(inEnglish(reason)).toBe('it is unanswered');
  });
});
