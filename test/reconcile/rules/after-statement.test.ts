import { inEnglishIfAny } from '../../../src/core/message.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { requireAllowed } from '../../../src/core/change.ts';
import {
  type Attempt,
  type AttemptStatus,
  attemptStatuses,
  canMoveAttempt,
  type Payout,
  type PayoutStatus,
  payoutStatuses,
} from '../../../src/core/payout.ts';
import type { Change } from '../../../src/core/ports.ts';
import { decideOnStatement } from '../../../src/reconcile/rules/decide-statement.ts';
import type { LineStatus, StatementLine } from '../../../src/reconcile/rules/statement.ts';
import { factsOf } from '../../../src/reconcile/rules/types.ts';
import { makePayout, makeSubmitted, noonMs } from '../../support/core-fixtures.ts';
import { baht, date, makeLine, readOnly } from '../../support/statement-fixtures.ts';

type StatementEvidence = Parameters<typeof decideOnStatement>[0];

const attemptOf = (status: AttemptStatus, changes: Partial<Attempt> = {}): Attempt =>
  makeSubmitted(noonMs, { status, ...changes }).attempt;
const ownerOf = (status: PayoutStatus, changes: Partial<Payout> = {}) =>
  makePayout({ status, attemptNo: 1, ...changes });

interface Told extends Partial<Omit<StatementEvidence, 'lines'>> {
  readonly owner: Payout;
  readonly attempt: Attempt;
  readonly lines?: readonly StatementLine[];
}

function decide(told: Told, status: LineStatus, changes: Partial<StatementLine> = {}, mayReopen = true) {
  const { owner, attempt, lines = [makeLine(factsOf(owner, attempt), status, changes)] } = told;
  const days = lines.length === 0 ? [] : [{ date, lines }];
  const isFailedByStatement = attempt.status === 'failed' && owner.settledBy === 'statement';
  const known = { attempts: [attempt], standingBreaks: [], isFailedByStatement };
  const rest = { ...known, read: readOnly, loss: undefined, nowMs: noonMs };
  const change = decideOnStatement({ ...rest, ...told, lines: days }, mayReopen);
  if (change !== undefined) {
    requireAllowed(change);
    expect(canMoveAttempt(attempt.status, change.attempt?.status ?? attempt.status)).toBe(true);
  }
  return change;
}

const show = (change: Change | undefined) =>
  change === undefined
    ? undefined
    : [change.after.status, change.event.cause, change.attempt?.status, change.after.isAlarm];

describe('a line that proves an attempt paid', () => {
  test.each<[AttemptStatus, PayoutStatus, string, boolean, string]>([
    ['sent', 'submitted', 'proved', false, 'statement-complete'],
    ['recorded', 'submitted', 'proved', false, 'statement-complete'],
    ['unresolved', 'unresolved', 'proved', false, 'statement-complete'],
    ['refused', 'submitted', 'proved', true, 'late-proof'],
    ['failed', 'failed', 'late-proof', true, 'late-proof'],
    ['failed', 'ready', 'late-proof', true, 'late-proof'],
    ['refused', 'held', 'late-proof', true, 'late-proof'],
    ['failed', 'cancelled', 'late-proof', true, 'late-proof'],
    ['unresolved', 'failed', 'late-proof', true, 'late-proof'],
    ['paid', 'disputed', 'late-proof', true, 'late-proof'],
    ['failed', 'paid', 'second-proof', true, 'paid-twice'],
  ])('%s attempt of a %s payout: %s, alarm %s', (attemptStatus, payoutStatus, cause, isAlarm, code) => {
    const change = decide({ owner: ownerOf(payoutStatus), attempt: attemptOf(attemptStatus) }, 'complete');
    expect(show(change)).toEqual(['paid', cause, 'paid', isAlarm]);
    expect(change?.after.reasonCode).toBe(code);
    expect(change?.event.detail['alarm']).toBe(isAlarm ? true : undefined);
    expect(change?.attempt).toMatchObject({ sysRefNo: 'SYS1', feeText: '5.00', nextInquiryAtMs: null });
    if (cause !== 'second-proof') expect(change?.after).toMatchObject({ settledBy: 'statement', holds: [] });
  });

  test('proves a referenceConflict reference, which an inquiry never does', () => {
    const attempt = attemptOf('unresolved', { acknowledged: true, referenceConflict: true });
    expect(show(decide({ owner: ownerOf('unresolved'), attempt }, 'complete'))?.[0]).toBe('paid');
  });

  test('says nothing new of one that is paid', () => {
    const attempt = attemptOf('paid', { feeText: '5.00' });
    expect(decide({ owner: ownerOf('paid'), attempt }, 'complete')).toBeUndefined();
  });
});

describe('a line that says failed', () => {
  test.each<[AttemptStatus, PayoutStatus]>([
    ['sent', 'submitted'],
    ['unresolved', 'unresolved'],
  ])('ends what was in doubt: %s, %s', (attemptStatus, payoutStatus) => {
    // The reply, or an inquiry, has told why it is in doubt: no request of it is under way.
    const owner = ownerOf(payoutStatus, { reasonCode: 'EM027' });
    const told = { owner, attempt: attemptOf(attemptStatus) };
    const reason = { reasonCode: 'EM053', reasonDesc: 'account 0123456789 has no money' };
    const change = decide(told, 'failed', reason);
    expect(show(change)).toEqual(['failed', 'statement-failed', 'failed', false]);
    expect(change?.after).toMatchObject({ reasonCode: 'EM053', settledBy: 'statement' });
    expect(inEnglishIfAny(change?.after.reason)).toMatch(
      /line 2\) says that it failed: account \*{6}6789 has no money/,
    );
    expect(decide(told, 'failed')?.after.reasonCode).toBe('statement-failed');
  });

  test('leaves the row in doubt while another of its attempts may be completed', () => {
    const attempt = attemptOf('unresolved');
    const open = attemptOf('sent', { attemptNo: 2 });
    const other = { ...open, order: { ...open.order, transRefNo: 'OTHER' } };
    for (const status of ['submitted', 'unresolved'] as const) {
      const owner = ownerOf(status, { attemptNo: status === 'submitted' ? 1 : 2 });
      const change = decide({ owner, attempt, attempts: [attempt, other] }, 'failed');
      expect([change?.after.status, change?.attempt?.status]).toEqual(['unresolved', 'failed']);
    }
  });

  test('ends the row whatever another row of its payoutId has come to', () => {
    const attempt = attemptOf('unresolved');
    const other = {
      ...attempt,
      payoutSeq: 8,
      status: 'paid',
      order: { ...attempt.order, transRefNo: 'OTHER' },
    } as const;
    const change = decide({ owner: ownerOf('unresolved'), attempt, attempts: [attempt, other] }, 'failed');
    expect(change?.after.status).toBe('failed');
  });

  test('ends the attempt alone when the row’s outcome hangs on a later one', () => {
    const attempt = attemptOf('unresolved');
    for (const status of ['submitted', 'ready', 'paid', 'cancelled'] as const) {
      const change = decide({ owner: ownerOf(status, { attemptNo: 2 }), attempt }, 'failed');
      expect(show(change)).toEqual([status, 'statement-read', 'failed', false]);
    }
  });

  test('waits for an inquiry while a lost journal may have made a later attempt', () => {
    const loss = { recoveredAtMs: noonMs + 1, sinceDate: date, untilDate: date };
    const attempt = attemptOf('unresolved');
    const told = { owner: ownerOf('unresolved'), attempt, loss };
    expect(show(decide(told, 'failed'))).toEqual(['unresolved', 'statement-read', 'unresolved', false]);
    const noted = attemptOf('unresolved', { acknowledged: true });
    expect(decide({ ...told, attempt: noted, attempts: [noted] }, 'failed')).toBeUndefined();
    const over = { ...loss, recoveredAtMs: noonMs - 1 };
    expect(decide({ ...told, loss: over }, 'failed')?.after.status).toBe('failed');
  });

  test('contradicts one that was paid', () => {
    const attempt = attemptOf('paid');
    const change = decide({ owner: ownerOf('paid'), attempt }, 'failed');
    expect(show(change)).toEqual(['disputed', 'statement-contradicts', undefined, true]);
    expect(decide({ owner: ownerOf('disputed'), attempt }, 'failed')).toBeUndefined();
  });

  test('raises an alarm, once, when another paid attempt stands for the row', () => {
    const attempt = attemptOf('paid');
    const second = { ...attempt, attemptNo: 2, order: { ...attempt.order, transRefNo: 'OTHER' } };
    const told = { owner: ownerOf('paid'), attempt, attempts: [attempt, second] };
    const change = decide(told, 'failed');
    expect(show(change)).toEqual(['paid', 'alarm-raised', undefined, true]);
    expect(decide({ ...told, owner: change?.after ?? told.owner }, 'failed')).toBeUndefined();
  });
});

describe('a line that settles nothing', () => {
  test('shows that the bank knows an attempt in doubt', () => {
    const told = { owner: ownerOf('unresolved'), attempt: attemptOf('unresolved') };
    const change = decide(told, 'in-process');
    expect(show(change)).toEqual(['unresolved', 'statement-read', 'unresolved', false]);
    expect(change?.attempt).toMatchObject({ acknowledged: true, referenceConflict: false });
  });

  test.each<Partial<StatementLine>>([
    { proxyNo: '0999999999' },
    { payerAccount: '9999999999' },
    { companyId: 'COMP000002' },
    { amountSatang: baht('100.01') },
  ])('is an alarm when it has other details (edit %#)', (changes) => {
    const told = { owner: ownerOf('submitted'), attempt: attemptOf('sent') };
    const change = decide(told, 'complete', changes);
    expect(show(change)).toEqual(['submitted', 'alarm-raised', 'sent', true]);
    expect(change?.attempt).toMatchObject({ acknowledged: true, referenceConflict: true });
    expect(JSON.stringify([change?.event.detail, change?.after.reason])).not.toMatch(/0810000001|0000345924/);
  });

  test.each<[PayoutStatus, string, AttemptStatus]>([
    ['ready', 'unresolved', 'failed'],
    ['held', 'unresolved', 'refused'],
    ['failed', 'unresolved', 'failed'],
    ['cancelled', 'cancelled', 'failed'],
    ['paid', 'paid', 'failed'],
  ])('brings an ended attempt of a %s row back: %s', (from, to, attemptStatus) => {
    const told = { owner: ownerOf(from), attempt: attemptOf(attemptStatus) };
    expect(show(decide(told, 'in-process'))?.toSpliced(1, 1)).toEqual([to, 'unresolved', true]);
    const other = decide(told, 'complete', { proxyNo: '0999999999' });
    expect([other?.after.status, other?.attempt?.referenceConflict]).toEqual([to, true]);
    expect(decide(told, 'in-process', {}, false)?.after.status).toBe(from);
  });

  test('has what was to be sent again asked about at once', () => {
    const change = decide({ owner: ownerOf('submitted'), attempt: attemptOf('refused') }, 'in-process');
    expect(show(change)).toEqual(['submitted', 'alarm-raised', 'sent', true]);
    expect(change?.attempt?.nextInquiryAtMs).toBe(noonMs);
  });
});

describe('a row that bears an alarm already', () => {
  test('gets no other for a line with other details, unless it is in doubt', () => {
    const attempt = attemptOf('unresolved', { acknowledged: true });
    const known = { isAlarm: true, reasonCode: 'late-proof' };
    const edit = { proxyNo: '0999999999' };
    const change = decide({ owner: ownerOf('paid', known), attempt }, 'complete', edit);
    expect(show(change)).toEqual(['paid', 'statement-read', 'unresolved', true]);
    expect(change?.event.detail['alarm']).toBeUndefined();
    expect(change?.attempt?.referenceConflict).toBe(true);
    const inDoubt = decide({ owner: ownerOf('unresolved', known), attempt }, 'complete', edit);
    expect(inDoubt?.event).toMatchObject({ cause: 'alarm-raised', detail: { alarm: true } });
  });
});

describe('a failure that no statement says any more', () => {
  const told = {
    owner: ownerOf('failed', { settledBy: 'statement' }),
    attempt: attemptOf('failed'),
    lines: [],
  };

  test('has the row in doubt again, so that nothing more is sent for it', () => {
    const change = decide(told, 'failed');
    expect(show(change)).toEqual(['unresolved', 'earlier-attempt-alive', 'unresolved', true]);
    expect(change?.attempt).toMatchObject({ acknowledged: true, nextInquiryAtMs: null });
    expect(change?.after).toMatchObject({ reasonCode: 'earlier-attempt-open' });
  });

  test('is an alarm, and no more, where another row has the claim by now', () => {
    expect(show(decide(told, 'failed', {}, false))).toEqual(['failed', 'alarm-raised', 'unresolved', true]);
  });
});

describe('any payout, any attempt, any lines', () => {
  const statuses: readonly LineStatus[] = ['complete', 'failed', 'in-process', 'other'];
  const lines = fc.array(
    fc.record({
      status: fc.constantFrom(...statuses),
      changes: fc.constantFrom<Partial<StatementLine>>(
        {},
        {},
        {},
        { proxyNo: '0999999999' },
        { payerAccount: '9999999999' },
        { companyId: 'COMP000002' },
        { amountSatang: baht('1.00') },
        { effectiveDate: '' },
      ),
    }),
    { maxLength: 3 },
  );

  test('calls paid and failed what the lines prove, and no store would refuse the change', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...payoutStatuses.filter((status) => status !== 'staged')),
        fc.constantFrom(...attemptStatuses),
        fc.record({ acknowledged: fc.boolean(), referenceConflict: fc.boolean() }),
        lines,
        (payoutStatus, attemptStatus, known, drafts) => {
          const told = { owner: ownerOf(payoutStatus), attempt: attemptOf(attemptStatus, known) };
          const facts = factsOf(told.owner, told.attempt);
          const said = drafts.map(({ status, changes }) => makeLine(facts, status, changes));
          const change = decide({ ...told, lines: said }, 'complete');
          if (change === undefined) return;
          const isOurs = (line: StatementLine) =>
            line.proxyNo === facts.order.proxyNo &&
            line.payerAccount === facts.order.payerAccount &&
            line.companyId === facts.order.companyId &&
            line.amountSatang === baht(facts.order.amountText);
          const becomes = (status: AttemptStatus & PayoutStatus) =>
            (change.after.status === status && payoutStatus !== status) ||
            (change.attempt?.status === status && attemptStatus !== status);
          if (becomes('paid'))
            expect(said.some((line) => line.status === 'complete' && isOurs(line))).toBe(true);
          if (becomes('failed')) expect(said.every((line) => line.status === 'failed')).toBe(true);
          expect(said.length).toBeGreaterThan(0);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
