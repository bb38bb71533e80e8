import { inEnglish, inEnglishIfAny, verbatim } from '../../../src/core/message.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canMovePayout, moneyMoved } from '../../../src/core/payout.ts';
import type { JournalLoss } from '../../../src/core/ports.ts';
import { computeOrderHash, computeTransRefNo, readAttemptNumber } from '../../../src/core/reference.ts';
import {
  addAnswer,
  attemptsAhead,
  computeNextToAsk,
  daysInQuestion,
  daysSinceSigned,
  decideAfterProbe,
  describeLoss,
  findHiddenSend,
  isInQuestion,
  mustProbe,
  parseSince,
  rangeFromHighest,
  type ReferenceFinding,
} from '../../../src/payout/rules/lost-journal.ts';
import type { isSameSend } from '../../../src/payout/rules/inquiry-items.ts';
import type { InquiryReading } from '../../../src/payout/rules/read-reply.ts';
import { makePayout, makeSubmitted, noonMs, payer, policy } from '../../support/core-fixtures.ts';

type SendMoment = Parameters<typeof isSameSend>[0];

const hourMs = 3_600_000;
const reason = { code: '010001', text: verbatim('said by the bank') };
const readings = {
  complete: {
    kind: 'complete',
    reason,
    sysRefNo: 'SYS9',
    send: null,
    moments: [{ tranDate: '', tranTime: '' }],
    isTwice: false,
  },
  'in-process': { kind: 'in-process', reason, moments: [{ tranDate: '', tranTime: '' }] },
  failed: {
    kind: 'failed',
    reason: { code: '030003', text: verbatim('no such proxy') },
    sysRefNo: 'SYS8',
    sends: [],
    moments: [{ tranDate: '', tranTime: '' }],
    isOfLast: true,
  },
  'not-found': { kind: 'not-found', reason },
  'nothing-said': { kind: 'nothing-said', reason: { ...reason, retryAfterMs: undefined }, isTrouble: false },
} as const satisfies Record<InquiryReading['kind'], InquiryReading>;
type Kind = keyof typeof readings;
const kinds = Object.keys(readings) as Kind[];

const payout = makePayout();
const refOf = (number: number): string =>
  computeTransRefNo(payer.companyId, payout.instruction.payoutId, number);
const said = (kind: Kind, number = 1, tranDate = '20261120') => ({
  number,
  transRefNo: refOf(number),
  tranDate,
  termId: payer.termId,
  reading: readings[kind],
});
const found = (kind: Kind, number: number): ReferenceFinding => ({
  ...said(kind, number),
  inquiries: 2,
});

const loss: JournalLoss = { recoveredAtMs: noonMs, sinceDate: '20261119', untilDate: '20261121' };

describe('the day of --since', () => {
  test.each([
    ['2026-11-21', '20261121'],
    ['20261119', '20261119'],
    ['2026-08-23', '20260823'],
    ['2026-11-22', '20261122'],
  ])('%s is a day', (text, sinceDate) => {
    expect(parseSince(text, noonMs)).toEqual({ kind: 'date', sinceDate });
  });

  test.each([
    ['2026-11-23', 'in the future; tomorrow (2026-11-22)'],
    ['2026-08-22', 'more than 90 days ago; the earliest is 2026-08-23'],
    ['2026-02-30', 'names no day'],
    ['21.11.2026', 'names no day'],
    ['2026-1121', 'names no day'],
    ['', 'names no day'],
  ])('%s is refused', (text, why) => {
    expect(parseSince(text, noonMs)).toMatchObject({ kind: 'refused', why: expect.stringContaining(why) });
  });

  test('is counted in Bangkok', () => {
    const lateMs = noonMs + 13 * hourMs;
    expect(parseSince('2026-11-23', lateMs)).toEqual({ kind: 'date', sinceDate: '20261123' });
  });
});

describe('the days in question', () => {
  test.each([
    ['20261119', '20261121', ['20261119', '20261120', '20261121']],
    ['20261231', '20270101', ['20261231', '20270101']],
    ['20261121', '20261121', ['20261121']],
    ['20261122', '20261121', []],
  ])('from %s to %s', (sinceDate, untilDate, days) => {
    const one = { ...loss, sinceDate, untilDate };
    expect(daysInQuestion(one)).toEqual(days);
    expect(isInQuestion(one)).toBe(days.length > 0);
  });

  test('are said in a line', () => {
    expect(inEnglish(describeLoss(loss))).toContain('from 2026-11-19 to 2026-11-21');
    expect(inEnglish(describeLoss({ ...loss, sinceDate: '20261121' }))).toContain('on 2026-11-21');
  });
});

describe('who is looked up', () => {
  const at = (intentAtMs: number) => makeSubmitted(intentAtMs).attempt;

  test.each<[string, JournalLoss | undefined, ReturnType<typeof at>[], boolean]>([
    ['nobody when the journal was never lost', undefined, [], false],
    ['nobody when no day is in question', { ...loss, sinceDate: '20261122' }, [], false],
    ['a payoutId without any attempt', loss, [], true],
    ['one whose attempts are all from before', loss, [at(noonMs - 1), at(noonMs)], true],
    ['not one that was tried since', loss, [at(noonMs - 1), at(noonMs + 1)], false],
  ])('%s', (_name, which, attempts, expected) => expect(mustProbe(which, attempts)).toBe(expected));

  test('and an adopted attempt is no attempt made since, so the next one is looked up again', () => {
    const step = decideAfterProbe({
      payout,
      known: [],
      findings: [found('failed', 1)],
      payer,
      policy,
      nowMs: noonMs,
    });
    if (step === undefined) throw new Error('it was not adopted');
    expect(mustProbe(loss, step.adopts ?? [])).toBe(true);
  });
});

describe('the numbers that are asked for', () => {
  const ask = (recorded: number, answers: Readonly<Record<number, Kind>>): number[] => {
    const findings: ReferenceFinding[] = [];
    for (;;) {
      const next = computeNextToAsk(rangeFromHighest(recorded, attemptsAhead), findings);
      if (next === undefined) return findings.map(({ number }) => number);
      findings.push(found(answers[next] ?? 'not-found', next));
    }
  };

  test.each<[string, number, Record<number, Kind>, number[]]>([
    ['1 to 5 when nothing is known', 0, {}, [1, 2, 3, 4, 5]],
    ['the highest that the journal knows, and the five beyond', 2, {}, [2, 3, 4, 5, 6, 7]],
    ['five beyond what the bank knows', 0, { 2: 'failed' }, [1, 2, 3, 4, 5, 6, 7]],
    ['no sixth for a day without an answer', 0, { 3: 'nothing-said' }, [1, 2, 3, 4, 5]],
    ['none that has no name', 97, {}, [97, 98, 99]],
    ['the last alone', 99, {}, [99]],
  ])('%s', (_name, recorded, answers, expected) => expect(ask(recorded, answers)).toEqual(expected));
});

describe('what several questions say of one reference', () => {
  test.each<[Kind[], Kind]>([
    [['not-found', 'not-found'], 'not-found'],
    [['failed', 'not-found'], 'failed'],
    [['failed', 'nothing-said'], 'nothing-said'],
    [['nothing-said', 'complete'], 'complete'],
    [['in-process', 'failed', 'nothing-said'], 'in-process'],
    [['complete', 'in-process'], 'complete'],
  ])('%j is %s, in any order', (days, expected) => {
    for (const inOrder of [days, days.toReversed()]) {
      let finding: ReferenceFinding | undefined;
      for (const kind of inOrder) finding = addAnswer(finding, said(kind));
      expect(finding).toMatchObject({ reading: { kind: expected }, inquiries: days.length });
    }
  });

  test('keeps the day and the terminal for which it was known', () => {
    const first = addAnswer(undefined, said('not-found', 1, '20261121'));
    const known = { tranDate: '20261120', termId: 'TERM0000' };
    expect(addAnswer(first, { ...said('failed'), ...known })).toMatchObject(known);
  });
});

const decide = (answers: readonly Kind[]) =>
  decideAfterProbe({
    payout,
    known: [],
    findings: answers.map((kind, index) => found(kind, index + 1)),
    payer,
    policy,
    nowMs: noonMs,
  });

describe('after the search', () => {
  test('a payout that the bank knows nothing of goes on', () => {
    expect(decide(['not-found', 'not-found'])).toBeUndefined();
  });

  test('one that may be paid is in doubt until amount and payee are proved', () => {
    const step = decide(['failed', 'complete', 'not-found']);
    expect(step).toMatchObject({
      after: { status: 'unresolved', attemptNo: 2, reasonCode: 'found-after-loss', holds: [] },
      event: { cause: 'found-after-loss' },
      adopts: [
        { attemptNo: 1, status: 'failed', referenceConflict: true, lastFinding: 'failed', sysRefNo: 'SYS8' },
        {
          attemptNo: 2,
          status: 'unresolved',
          referenceConflict: true,
          lastFinding: 'complete',
          sysRefNo: 'SYS9',
        },
      ],
    });
    expect(inEnglishIfAny(step?.after.reason)).toContain(refOf(2));
  });

  describe('beside a send that the journal knows, refused', () => {
    const { attempt } = makeSubmitted(noonMs, { status: 'refused', nextInquiryAtMs: null });
    const { tranDate, tranTime, termId } = attempt.order;
    const decideOn = (kind: 'complete' | 'in-process', moment: SendMoment, of = termId) => {
      const send = kind === 'complete' ? { send: attempt.order } : {};
      const reading = { ...readings[kind], ...send, moments: [moment] };
      const finding = { ...found(kind, 1), tranDate, termId: of, reading };
      return decideAfterProbe({
        payout,
        known: [attempt],
        findings: [finding],
        payer,
        policy,
        nowMs: noonMs,
      });
    };

    test.each(['complete', 'in-process'] as const)(
      'what is %s is another one, but for its own moment',
      (kind) => {
        const other = { tranDate, tranTime: '23:59:59' };
        for (const moment of [other, { tranDate: '', tranTime: '' }, { tranDate: '20261101', tranTime }])
          for (const terminal of [termId, 'TERM9'])
            expect(decideOn(kind, moment, terminal)?.after).toMatchObject({
              status: 'unresolved',
              reasonCode: 'found-after-loss',
            });
        expect(decideOn(kind, { tranDate, tranTime })).toBeUndefined();
      },
    );
  });

  test('one of which the bank shows nothing but failures has failed, as it had before', () => {
    expect(decide(['failed', 'not-found'])).toMatchObject({
      after: {
        status: 'failed',
        attemptNo: 1,
        reasonCode: '030003',
        settledBy: 'inquiry',
        settledAtMs: noonMs,
      },
      adopts: [{ attemptNo: 1, status: 'failed' }],
    });
  });

  test('one that the bank gives no answer about is held, and nothing is believed', () => {
    expect(decide(['failed', 'nothing-said'])).toMatchObject({
      after: { status: 'held', holds: ['unavailable'], reasonCode: 'look-up-unanswered', attemptNo: 0 },
    });
  });

  test('an adopted attempt is what this row would have sent, on the day for which it was found', () => {
    const step = decide(['in-process']);
    const [adopted] = step?.adopts ?? [];
    expect(adopted).toMatchObject({
      payoutSeq: payout.seq,
      order: {
        transRefNo: refOf(1),
        tranDate: '20261120',
        tranTime: '00:00:00',
        amountText: '100.00',
        ...payer,
      },
      acknowledged: true,
      nextInquiryAtMs: null,
      lastInquiryAtMs: noonMs,
    });
    expect(adopted?.orderHash).toBe(adopted && computeOrderHash(adopted.order));
  });

  test('goes on only when every answer was not-found, and never says that no money moved when it may have', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...kinds), { minLength: 1, maxLength: 8 }), (answers) => {
        const step = decide(answers);
        expect(step === undefined).toBe(answers.every((kind) => kind === 'not-found'));
        if (step === undefined) return;
        const { before, after, event, adopts = [] } = step;
        expect(canMovePayout(before.status, after.status, event.cause)).toBe(true);
        const mayHaveMoved = answers.some((kind) => kind === 'complete' || kind === 'in-process');
        expect(moneyMoved(after.status)).toBe(mayHaveMoved ? 'unknown' : 'no');
        if (after.status === 'held') return;
        const known = answers.flatMap((kind, index) =>
          kind === 'not-found' || kind === 'nothing-said' ? [] : [index + 1],
        );
        expect(adopts.map(({ order }) => readAttemptNumber(order.transRefNo))).toEqual(known);
        expect(adopts.map(({ attemptNo }) => attemptNo)).toEqual(known.map((_, index) => index + 1));
        expect(after.attemptNo).toBe(known.length);
        expect(adopts.every(({ referenceConflict, acknowledged }) => referenceConflict && acknowledged)).toBe(
          true,
        );
      }),
    );
  });
});

describe('a signed row goes under a number', () => {
  test.each<[string, number, readonly Kind[], string | undefined]>([
    ['when the bank knows none', 1, ['not-found', 'not-found'], undefined],
    ['not when it knows that one', 1, ['complete', 'not-found'], 'earlier-attempt-open'],
    ['not when it knows one beyond', 1, ['not-found', 'in-process'], 'earlier-attempt-open'],
    ['when the one before has failed', 2, ['failed', 'not-found', 'not-found'], undefined],
    [
      'not when it does not show the one before',
      2,
      ['not-found', 'not-found', 'not-found'],
      'earlier-attempt-open',
    ],
    ['not without an answer', 1, ['nothing-said'], 'look-up-unanswered'],
  ])('%s', (_name, number, answers, expected) => {
    const findings = answers.map((kind, place) => found(kind, place + 1));
    expect(findHiddenSend(number, findings)?.code).toBe(expected);
  });

  test('and is looked for on each day since the signature, and on those of its known sends', () => {
    const dayMs = 24 * hourMs;
    const known = [{ order: { ...makeSubmitted().attempt.order, tranDate: '20260101' } }] as never;
    expect(daysSinceSigned(noonMs - 2 * dayMs, known, noonMs)).toHaveLength(4);
    expect(daysSinceSigned(noonMs + dayMs, [], noonMs)).toHaveLength(1);
  });
});
