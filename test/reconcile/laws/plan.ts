/** What a law of reconciliation is tried on: rows with their attempts, and statements of some days with edits, at random. */
import fc from 'fast-check';
import { type AttemptStatus, attemptStatuses, type ProxyType } from '../../../src/core/payout.ts';
import type { LineStatus } from '../../../src/reconcile/rules/statement.ts';

/** In which days' statements the bank lists an attempt, counted from its own. */
const bookings = {
  own: [0],
  next: [1],
  both: [0, 1],
  /** In process in its own day's, finished in the next. */
  pending: [0, 1],
} as const satisfies Record<string, readonly number[]>;
type Booking = keyof typeof bookings;

export interface AttemptPlan {
  /** Days after the first. */
  readonly day: number;
  readonly ending: AttemptStatus;
  readonly isAcknowledged: boolean;
  /** The reply to the transfer bore a fee. */
  readonly hasFee: boolean;
  /** An inquiry on its own day found nothing. */
  readonly isAskedEarly: boolean;
  /** What the bank's line says; null for none at all. */
  readonly truth: LineStatus | null;
  readonly booking: Booking;
}

export interface RowPlan {
  /** Which file, from 0. */
  readonly file: number;
  readonly satang: bigint;
  readonly proxyType: ProxyType;
  readonly attempts: readonly AttemptPlan[];
  /** What comes after the first attempt is a row of the next file, with the same payoutId. */
  readonly isSentAgain: boolean;
}

/** What is done to the line that an honest statement has of an attempt. Amounts are added, in satang. */
export interface Edit {
  readonly isDropped: boolean;
  readonly copies: number;
  readonly status: LineStatus | null;
  readonly amount: bigint;
  readonly fee: bigint;
  readonly net: bigint;
  readonly isOtherPayee: boolean;
  readonly isOtherName: boolean;
  readonly isOtherCompany: boolean;
  readonly isOtherPayer: boolean;
  /** Another REFERENCE1 than the row's. */
  readonly isOtherReference: boolean;
  /** Its AMOUNT cannot be read. */
  readonly isUnread: boolean;
  /** A spreadsheet has taken the zeros before its numbers. */
  readonly hasLostZeros: boolean;
  /** Effective on its own day, on the statement's, or on neither. */
  readonly effective: 'own' | 'statement' | 'neither';
  readonly chargeType: 'Our' | 'Ben';
  /** With `Our`: the net amount has the fee in it. */
  readonly isFeeInNet: boolean;
}

export interface StrangerPlan {
  readonly isOurCompany: boolean;
  readonly reference: 'ours' | 'other' | 'none';
  readonly status: LineStatus;
  readonly satang: bigint;
  readonly copies: number;
  readonly isUnread: boolean;
}

/** How the bytes of a file are written. */
export interface FormPlan {
  readonly columnsFrom: number;
  readonly isReversed: boolean;
  readonly hasMark: boolean;
  readonly isThai: boolean;
  readonly delimiter: ',' | ';' | '\t';
  readonly lineEnd: '\r\n' | '\n';
  readonly isQuoted: boolean;
  readonly hasSeparators: boolean;
  readonly isWhole: boolean;
  readonly hasDashes: boolean;
  readonly isWordy: boolean;
  readonly hasMoreColumns: boolean;
}

/** The process dies at one of its commits, before or after it. */
export interface KillPlan {
  readonly at: number;
  readonly isDone: boolean;
  /** The journal is opened anew, as by another process. */
  readonly isReopened: boolean;
}

export type Finding = 'complete' | 'failed' | 'in-process' | 'not-found';

export type StepPlan =
  | {
      readonly kind: 'statement';
      readonly day: number;
      /** One for each attempt, in turn. */
      readonly edits: readonly Edit[];
      readonly strangers: readonly StrangerPlan[];
      readonly form: FormPlan;
      readonly kill: KillPlan | null;
    }
  /** The lines that the day has already, written otherwise. */
  | { readonly kind: 'rewritten'; readonly day: number; readonly form: FormPlan }
  /** The bytes that the day has already. */
  | { readonly kind: 'repeated'; readonly day: number }
  /** Asks about one of those that may be asked about at the time. */
  | { readonly kind: 'inquiry'; readonly of: number; readonly finding: Finding };

export interface Plan {
  readonly rows: readonly RowPlan[];
  readonly steps: readonly StepPlan[];
}

/** Which plans are drawn. */
export interface Breadth {
  readonly bookings: readonly Booking[];
  /** Lines of several days may contradict each other, and corrected ones take back what was proved by them. */
  readonly isWild: boolean;
}

/** Days on which attempts are made; their statements reach one day further. */
const days = 3;

const rarely = (oneIn = 10): fc.Arbitrary<boolean> =>
  fc.integer({ min: 0, max: oneIn - 1 }).map((n) => n === oneIn - 1);
const delta = (oneIn: number): fc.Arbitrary<bigint> =>
  fc.tuple(rarely(oneIn), fc.bigInt(1n, 400n)).map(([isEdited, by]) => (isEdited ? by : 0n));
const lineStatuses: readonly LineStatus[] = ['complete', 'failed', 'in-process', 'contradiction', 'other'];

/** What an honest bank says of an attempt that we have seen end so. */
const truths: Readonly<Record<AttemptStatus, readonly (LineStatus | null)[]>> = {
  paid: ['complete'],
  failed: ['failed', null, null, 'complete', 'contradiction'],
  refused: [null, null, 'failed', 'complete'],
  recorded: ['complete', 'failed', 'in-process', 'contradiction', null],
  sent: ['complete', 'failed', 'failed', 'in-process', 'contradiction', null],
  unresolved: ['complete', 'failed', 'failed', 'contradiction', null],
};

const attempt = (endings: readonly AttemptStatus[], breadth: Breadth): fc.Arbitrary<AttemptPlan> =>
  fc.constantFrom(...endings).chain((ending) =>
    fc.record({
      day: fc.constantFrom(0, 0, 0, 1, 1, days - 1),
      ending: fc.constant(ending),
      isAcknowledged: rarely(4),
      hasFee: fc.boolean(),
      isAskedEarly: rarely(4),
      truth: fc.constantFrom(...truths[ending]),
      booking: fc.constantFrom<Booking>('own', 'own', ...breadth.bookings),
    }),
  );

/** Only the last attempt of a row may be anything but ended without money, and none is earlier than the one before. */
const attempts = (breadth: Breadth): fc.Arbitrary<readonly AttemptPlan[]> =>
  fc
    .tuple(
      fc.array(attempt(['failed', 'refused'], breadth), { maxLength: 2, size: 'small' }),
      fc.option(attempt([...attemptStatuses, 'paid', 'paid'], breadth), { nil: undefined, freq: 12 }),
      rarely(3),
    )
    .map(([earlier, last, hasEarlier]) => {
      const all = [...(hasEarlier ? earlier : []), ...(last === undefined ? [] : [last])];
      const inOrder = all.map(({ day }) => day).toSorted((one, other) => one - other);
      return all.map((one, at) => ({ ...one, day: inOrder[at] ?? 0 }));
    });

const row = (breadth: Breadth): fc.Arbitrary<RowPlan> =>
  fc.record({
    file: fc.integer({ min: 0, max: 1 }),
    satang: fc.oneof(fc.bigInt(1_000n, 10_000_000n), fc.bigInt(1_000n, 10n ** 15n)),
    proxyType: fc.constantFrom<ProxyType>('MSISDN', 'MSISDN', 'NATID'),
    attempts: attempts(breadth),
    isSentAgain: rarely(3),
  });

const edit: fc.Arbitrary<Edit> = fc.record({
  isDropped: rarely(5),
  copies: rarely(12).map((isDoubled) => (isDoubled ? 2 : 1)),
  status: fc.option(fc.constantFrom(...lineStatuses), { nil: null, freq: 8 }),
  amount: delta(12),
  fee: delta(12),
  net: delta(12),
  isOtherPayee: rarely(12),
  isOtherName: rarely(6),
  isOtherCompany: rarely(14),
  isOtherPayer: rarely(14),
  isOtherReference: rarely(14),
  isUnread: rarely(12),
  hasLostZeros: rarely(5),
  effective: fc.constantFrom('own', 'own', 'own', 'statement', 'statement', 'neither'),
  chargeType: fc.constantFrom('Our', 'Ben'),
  isFeeInNet: fc.boolean(),
});

const stranger: fc.Arbitrary<StrangerPlan> = fc
  .record({
    isOurCompany: fc.boolean(),
    reference: fc.constantFrom('ours', 'other', 'none'),
    status: fc.constantFrom(...lineStatuses),
    satang: fc.bigInt(0n, 10n ** 15n),
    copies: rarely(5).map((isDoubled) => (isDoubled ? 2 : 1)),
    isUnread: rarely(6),
  })
  .map((drawn) => (drawn.isUnread ? { ...drawn, copies: 1 } : drawn));

const form: fc.Arbitrary<FormPlan> = fc.record({
  columnsFrom: fc.integer({ min: 0, max: 22 }),
  isReversed: fc.boolean(),
  hasMark: fc.boolean(),
  isThai: fc.boolean(),
  delimiter: fc.constantFrom(',', ',', ';', '\t'),
  lineEnd: fc.constantFrom('\r\n', '\n'),
  isQuoted: fc.boolean(),
  hasSeparators: fc.boolean(),
  isWhole: fc.boolean(),
  hasDashes: fc.boolean(),
  isWordy: fc.boolean(),
  hasMoreColumns: rarely(3),
});

const kill: fc.Arbitrary<KillPlan | null> = fc.option(
  fc.record({ at: fc.integer({ min: 1, max: 9 }), isDone: fc.boolean(), isReopened: rarely(3) }),
  { nil: null, freq: 2 },
);

const statementDay = fc.constantFrom(0, 0, 0, 1, 1, 1, 2, days);

const statement = fc.record({
  kind: fc.constant('statement' as const),
  day: statementDay,
  edits: fc.array(edit, { minLength: 1, maxLength: 9, size: 'max' }),
  strangers: fc.array(stranger, { maxLength: 2 }),
  form,
  kill,
});

const step: fc.Arbitrary<StepPlan> = fc.oneof(
  { weight: 6, arbitrary: statement },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('rewritten' as const), day: statementDay, form }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('repeated' as const), day: statementDay }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('inquiry' as const),
      of: fc.constantFrom(0, 0, 0, 1, 2, 3),
      finding: fc.constantFrom<Finding>('complete', 'in-process', 'failed', 'not-found'),
    }),
  },
);

const untouched: Edit = {
  isDropped: false,
  copies: 1,
  status: null,
  amount: 0n,
  fee: 0n,
  net: 0n,
  isOtherPayee: false,
  isOtherName: false,
  isOtherCompany: false,
  isOtherPayer: false,
  isOtherReference: false,
  isUnread: false,
  hasLostZeros: false,
  effective: 'own',
  chargeType: 'Our',
  isFeeInNet: false,
};

/** A row in doubt whose line says that it failed, and what an inquiry says of it when that line was read. */
const failedByLine: fc.Arbitrary<Plan> = fc
  .record({
    row: row({ bookings: ['own'], isWild: false }),
    ending: fc.constantFrom<AttemptStatus>('sent', 'unresolved'),
    day: fc.constantFrom(0, 1),
    finding: fc.constantFrom<Finding>('complete', 'in-process'),
    form,
  })
  .map(({ row: drawn, ending, day, finding, form: written }) => {
    const shared = { isAcknowledged: false, hasFee: false, isAskedEarly: false } as const;
    const failed: AttemptPlan = { ...shared, day, ending, truth: 'failed', booking: 'own' };
    return {
      rows: [{ ...drawn, attempts: [failed] }],
      steps: [
        { kind: 'statement', day, edits: [untouched], strangers: [], form: written, kill: null },
        { kind: 'inquiry', of: 0, finding },
      ],
    };
  });

/** Draws plans; some of them begin with an inquiry that contradicts a line. @param stepsMax of one plan */
export const plans = (breadth: Breadth, stepsMax: number): fc.Arbitrary<Plan> =>
  fc
    .record({
      first: fc.option(failedByLine, { nil: undefined, freq: 2 }),
      rows: fc.array(row(breadth), { minLength: 1, maxLength: 4, size: 'max' }),
      steps: fc.array(step, { minLength: 1, maxLength: stepsMax, size: 'max' }),
    })
    .map(({ first = { rows: [], steps: [] }, rows, steps }) => ({
      rows: [...first.rows, ...rows],
      steps: [...first.steps, ...steps].slice(0, Math.max(stepsMax, 3)),
    }));

/** What the bank's statement of a day says of an attempt before anybody edits it; null when it has no line. */
export function honestStatus(
  { day, truth, booking }: AttemptPlan,
  statementDayNo: number,
): LineStatus | null {
  const after = statementDayNo - day;
  const isListed = bookings[booking].some((listed) => listed === after);
  if (!isListed) return null;
  if (booking === 'pending' && after === 0) return 'in-process';
  return truth;
}
