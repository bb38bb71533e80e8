import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toSatang, zeroSatang } from '../../../src/core/money.ts';
import { type AttemptStatus, attemptStatuses } from '../../../src/core/payout.ts';
import { computeTransRefNo } from '../../../src/core/reference.ts';
import { followBreaks } from '../../../src/reconcile/rules/breaks.ts';
import { lineKeyOf } from '../../../src/reconcile/rules/differences.ts';
import { judgeDay } from '../../../src/reconcile/rules/judge-day.ts';
import type { LineStatus, StatementLine } from '../../../src/reconcile/rules/statement.ts';
import { decodeTotals, encodeTotals, findTotalsGaps, makeTally } from '../../../src/reconcile/rules/tally.ts';
import { type AttemptFacts, breakKinds, type DayFacts } from '../../../src/reconcile/rules/types.ts';
import { payer } from '../../support/core-fixtures.ts';
import { baht, date, day, makeFacts, makeKey, makeLine, nextDate } from '../../support/statement-fixtures.ts';

const yesterday = '20261120';
const lineStatuses: readonly LineStatus[] = ['complete', 'failed', 'in-process', 'contradiction', 'other'];

/** What was done to the line that an honest statement has of an attempt. Amounts are added to what it says, in satang. */
interface Edits {
  readonly drop: boolean;
  readonly double: boolean;
  readonly status: LineStatus | undefined;
  readonly amount: bigint;
  readonly fee: bigint;
  readonly net: bigint;
  readonly payee: boolean;
  readonly company: boolean;
  readonly payer: boolean;
  readonly day: boolean;
}

interface Case {
  readonly attempt: AttemptFacts;
  /** What an honest statement has of it; null when it has no line. */
  readonly honest: LineStatus | null;
  readonly chargeType: 'Our' | 'Ben';
  readonly edits: Edits;
}

const rarely = fc.integer({ min: 0, max: 9 }).map((n) => n === 0);
const delta = fc.tuple(rarely, fc.bigInt(1n, 400n)).map(([isEdited, by]) => (isEdited ? by : 0n));
const edits: fc.Arbitrary<Edits> = fc.record({
  drop: rarely,
  double: rarely,
  status: fc.option(fc.constantFrom(...lineStatuses), { nil: undefined, freq: 5 }),
  amount: delta,
  fee: delta,
  net: delta,
  payee: rarely,
  company: rarely,
  payer: rarely,
  day: rarely,
});

const honestLines: Readonly<Record<'paid' | 'closed' | 'open', readonly (LineStatus | null)[]>> = {
  paid: ['complete'],
  closed: ['failed', null],
  open: ['complete', 'failed', 'in-process', null],
};

const wordOf = (status: AttemptStatus) =>
  status === 'paid' ? 'paid' : status === 'failed' || status === 'refused' ? 'closed' : 'open';

const oneCase: fc.Arbitrary<
  Omit<Case, 'attempt'> & { attempt: Omit<Partial<AttemptFacts>, 'order'>; satang: bigint; tranDate: string }
> = fc.constantFrom(...attemptStatuses).chain((attemptStatus) =>
  fc.record({
    attempt: fc.constant({ attemptStatus }),
    satang: fc.bigInt(1_000n, 10n ** 15n),
    tranDate: fc.constantFrom(date, date, date, yesterday),
    honest: fc.constantFrom(...honestLines[wordOf(attemptStatus)]),
    chargeType: fc.constantFrom('Our' as const, 'Ben' as const),
    edits,
  }),
);

const cases = fc.array(oneCase, { maxLength: 30 }).map((drafts) =>
  drafts.map(({ attempt: { attemptStatus = 'paid' }, satang, tranDate, ...rest }, at): Case => {
    const [payoutId, proxyNo] = [`INV-${at}`, `08100${String(at).padStart(5, '0')}`];
    const amountText = `${satang / 100n}.${String(satang % 100n).padStart(2, '0')}`;
    const transRefNo = computeTransRefNo(payer.companyId, payoutId, 1);
    const order = { transRefNo, proxyNo, amountText, tranDate };
    return { attempt: makeFacts(attemptStatus, { payoutSeq: at, payoutId, rowNo: at + 1 }, order), ...rest };
  }),
);

/** The edited lines of one attempt: figures that belong together are edited together. */
function write({ attempt, honest, chargeType, edits: made }: Case): StatementLine[] {
  const status = made.status ?? honest;
  if (status === null || made.drop) return [];
  const amountSatang = toSatang(baht(attempt.order.amountText) + made.amount);
  const feeSatang = toSatang(500n + made.fee);
  const net = chargeType === 'Our' ? amountSatang + feeSatang : amountSatang - feeSatang;
  const line = makeLine(attempt, status, {
    chargeType,
    amountSatang,
    feeSatang,
    netSatang: toSatang(net + made.net),
    ...(made.payee ? { proxyNo: '0999999999' } : {}),
    ...(made.company ? { companyId: 'COMP000002' } : {}),
    ...(made.payer ? { payerAccount: '9999999999' } : {}),
    ...(made.day ? { effectiveDate: nextDate } : {}),
  });
  return made.double ? [line, line] : [line];
}

/** What the edits must be called: the rule again, in the simplest words there are. */
function expectKinds({ attempt, honest, edits: made }: Case): string[] {
  const word = wordOf(attempt.attemptStatus);
  const status = made.status ?? honest;
  if (status === null || made.drop) {
    if (attempt.order.tranDate !== date || word === 'closed') return [];
    return [word === 'paid' ? 'missing-at-bank' : 'pending-not-in-statement'];
  }
  const isComplete = status === 'complete';
  const differs: Record<string, boolean> = {
    'status-mismatch':
      (word === 'closed' && isComplete) ||
      // In doubt, a failure of another day than the transfer's settles nothing.
      (status === 'failed' && (word === 'paid' || (word === 'open' && made.day))),
    'status-contradiction': status === 'contradiction',
    'payee-mismatch': made.payee,
    'amount-mismatch': made.amount > 0n,
    'other-company': made.company,
    'payer-mismatch': made.payer,
    'duplicate-line': made.double,
    'unknown-status-word': status === 'other',
    'fee-mismatch': made.fee > 0n && isComplete && word === 'paid',
    'net-mismatch': made.net > 0n && isComplete,
    'date-mismatch': made.day,
    'pending-at-bank': status === 'in-process',
  };
  return breakKinds.filter((kind) => differs[kind] === true);
}

const isProved = ({ attempt, honest, edits: made }: Case): boolean =>
  attempt.attemptStatus !== 'paid' &&
  !made.drop &&
  (made.status ?? honest) === 'complete' &&
  !made.payee &&
  made.amount === 0n &&
  !made.company &&
  !made.payer;

/** Lines that nobody here has sent. */
const foreign = fc
  .array(
    fc.tuple(fc.constantFrom(payer.companyId, 'COMP000002'), fc.boolean(), fc.constantFrom(...lineStatuses)),
    {
      maxLength: 5,
    },
  )
  .map((drafts) =>
    drafts.map(([companyId, isOwnShape, status], at) => {
      const transRefNo = isOwnShape ? computeTransRefNo(companyId, `OTHER-${at}`, 1) : `X${at}`;
      return makeLine(makeFacts('paid'), status, { companyId, transRefNo });
    }),
  );

const keysOf = (all: readonly Case[], strangers: readonly StatementLine[]): DayFacts[] => [
  ...all.map((one) => makeKey(one.attempt, write(one))),
  ...strangers.map((line) => ({ ...makeKey(undefined, [line]), key: lineKeyOf(line) })),
];

const sum = (amounts: readonly bigint[]) => ({
  count: amounts.length,
  satang: toSatang(amounts.reduce((a, b) => a + b, zeroSatang as bigint)),
});

describe('any journal, and any statement that was derived from it', () => {
  test('has exactly the edits for breaks', () => {
    fc.assert(
      fc.property(cases, (all) => {
        for (const one of all) {
          const kinds = judgeDay(makeKey(one.attempt, write(one)), day).breaks.map(({ kind }) => kind);
          expect(kinds).toEqual(expectKinds(one));
        }
      }),
      { numRuns: 500 },
    );
  });

  test('names every line that nobody here has sent, but for other companies’ own', () => {
    fc.assert(
      fc.property(foreign, (strangers) => {
        for (const line of strangers) {
          const { breaks, lineClasses, step } = judgeDay(makeKey(undefined, [line]), day);
          const kind = line.companyId === payer.companyId ? 'unmatched-bank-line' : 'others';
          expect([lineClasses, step]).toEqual([[kind], undefined]);
          expect(breaks.map((one) => one.kind)).toEqual(kind === 'others' ? [] : [kind]);
        }
      }),
    );
  });

  test('ties out to the satang', () => {
    fc.assert(
      fc.property(cases, foreign, (all, strangers) => {
        const tally = makeTally();
        const keys = keysOf(all, strangers);
        for (const key of keys) tally.add(key, judgeDay(key, day));
        const paid = all.filter(
          (one) =>
            one.attempt.order.tranDate === date && (one.attempt.attemptStatus === 'paid' || isProved(one)),
        );
        const apart = {
          statement: sum(keys.flatMap(({ lines }) => lines.map((line) => line.amountSatang))),
          paid: sum(paid.map(({ attempt }) => baht(attempt.order.amountText))),
        };
        const totals = tally.totals();
        expect(findTotalsGaps(totals, apart)).toEqual([]);
        expect(decodeTotals(encodeTotals(totals))).toEqual(totals);
        const more = { ...apart.paid, satang: toSatang(apart.paid.satang + 1n) };
        expect(findTotalsGaps(totals, { ...apart, paid: more }).map(({ where }) => where)).toEqual(['paid']);
      }),
      { numRuns: 300 },
    );
  });

  test('proves paid what is complete and ours, and nothing else', () => {
    fc.assert(
      fc.property(cases, (all) => {
        for (const one of all) {
          const { step } = judgeDay(makeKey(one.attempt, write(one)), day);
          expect(step === 'prove').toBe(isProved(one));
        }
      }),
      { numRuns: 500 },
    );
  });

  test('has no new break when it is judged again, and none when it is put right', () => {
    fc.assert(
      fc.property(cases, (all) => {
        for (const one of all) {
          const follow = (
            facts: DayFacts,
            open: Parameters<typeof followBreaks>[0]['standing'],
            version: number,
          ) =>
            followBreaks({ facts, judgement: judgeDay(facts, day), standing: open, version, nowMs: version });
          const edited = makeKey(one.attempt, write(one));
          const opened = follow(edited, [], 1);
          expect(opened.every(({ kind }) => kind === 'opened')).toBe(true);
          const records = opened.map(({ record }) => record);
          const again = follow(edited, records, 1);
          expect(again.map(({ kind, record }) => [kind, record])).toEqual(
            records.map((record) => ['kept', record]),
          );
          const honest = one.attempt.attemptStatus === 'paid' ? [makeLine(one.attempt, 'complete')] : [];
          if (wordOf(one.attempt.attemptStatus) === 'open') continue;
          const corrected = follow(makeKey(one.attempt, honest), records, 2);
          expect(corrected.every(({ kind }) => kind === 'closed')).toBe(true);
          expect(corrected.every(({ record }) => record.closedBy?.kind === 'corrected')).toBe(true);
        }
      }),
    );
  });
});
