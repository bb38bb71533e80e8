/** What a seed decides of a play of registrations: files, processes, the bank's faults, what people do and when. */
import { verbatim } from '../../../src/core/message.ts';
import { hash } from 'node:crypto';
import type { RegistrationFileRow } from '../../../src/registration/rules/registration-file.ts';
import type { RegistrationInstruction } from '../../../src/registration/rules/registration.ts';
import type { Dice } from '../../support/dice.ts';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

export const companyId = 'COMP000001';

/** What may happen at each moment, with the chance that it does. */
export type Fault =
  | 'commit-slow'
  | 'disk-full'
  | 'not-sent'
  | 'lost-before'
  | 'lost-after'
  | 'answer-late'
  | 'copied'
  | 'refused-registration'
  | 'refused-company'
  | 'refused-service'
  | 'usage-exceeded'
  | 'doubtful-code'
  | 'http-trouble'
  | 'foreign-uid'
  | 'unknown-code'
  | 'never-decided'
  | 'refused'
  | 'told-before-answer'
  | 'told-twice'
  | 'told-late'
  | 'told-otherwise'
  | 'never-told'
  | 'ack-lost';

export interface PlannedRegistrations {
  readonly name: string;
  readonly batchId: string;
  readonly rows: readonly RegistrationFileRow[];
  /** The life, from 0, that finds it first. */
  readonly fromLife: number;
}

/** A process that sends. */
export interface PlannedSender {
  readonly gapMs: number;
  /** Infinity lets it live. */
  readonly killAtStep: number;
  readonly interruptAfterMs: number | undefined;
  /** It takes callbacks itself. */
  readonly listens: boolean;
  /** What people do before it is started. */
  readonly actsBefore: readonly Act[];
  /** The bank calls about some row of the files a moment before it is started. */
  readonly isCalledBefore: boolean;
}

/** A process that takes callbacks, beside whoever is sending. */
export interface PlannedListener {
  readonly atMs: number;
  readonly forMs: number;
  readonly killAtStep: number;
}

const acts = ['resume', 'cancel-batch', 'cancel', 'retry', 'make-ready', 'go-on', 'decide'] as const;
export type Act = (typeof acts)[number];

/** Some are done more often than others. */
const drawAct = (dice: Dice): Act => (dice.chance(0.4) ? 'retry' : dice.pick(acts));

interface PlannedAct {
  readonly atMs: number;
  readonly act: Act;
}

/** A call about something that nobody has sent; of a row's identity where it names one. */
interface PlannedStray {
  readonly atMs: number;
  readonly of: RegistrationInstruction | undefined;
}

export interface RegistrationsPlan {
  readonly startMs: number;
  readonly answerWithinMs: number;
  readonly concurrency: number;
  readonly waitMs: number;
  /** Waits out every pause, as the watcher does. */
  readonly isPatient: boolean;
  /** All files of a process are worked at the same time. */
  readonly isAtOnce: boolean;
  /** Nobody wakes sooner than this: the machine has other things to do. */
  readonly oversleepMs: number;
  readonly timeoutMs: number;
  readonly faults: Readonly<Partial<Record<Fault, number>>>;
  readonly untoldShare: number;
  readonly files: readonly PlannedRegistrations[];
  readonly senders: readonly PlannedSender[];
  readonly listeners: readonly PlannedListener[];
  readonly clockJumps: readonly { readonly atMs: number; readonly ms: number }[];
  readonly acts: readonly PlannedAct[];
  readonly strays: readonly PlannedStray[];
}

const baseFaults: Readonly<Record<Fault, number>> = {
  'commit-slow': 0.04,
  'disk-full': 0,
  'not-sent': 0.04,
  'lost-before': 0.06,
  'lost-after': 0.08,
  'answer-late': 0.08,
  copied: 0.06,
  'refused-registration': 0.12,
  'refused-company': 0.03,
  'refused-service': 0.03,
  'usage-exceeded': 0.05,
  'doubtful-code': 0.1,
  'http-trouble': 0.06,
  'foreign-uid': 0.15,
  'unknown-code': 0.03,
  'never-decided': 0.08,
  refused: 0.3,
  'told-before-answer': 0.15,
  'told-twice': 0.2,
  'told-late': 0.35,
  'told-otherwise': 0.08,
  'never-told': 0.1,
  'ack-lost': 0.1,
};

/** Each seed has its own weather: some faults never come, others often. */
function drawFaults(dice: Dice): Partial<Record<Fault, number>> {
  const drawn = Object.entries(baseFaults).map(([fault, chance]): [string, number] => [
    fault,
    dice.chance(0.3) ? 0 : Math.min(0.9, chance * dice.wide(0.3, 4)),
  ]);
  return { ...Object.fromEntries(drawn), 'disk-full': dice.chance(0.05) ? 0.02 : 0 };
}

const accountOf = (place: number): string => `99000000${String(place).padStart(2, '0')}`;

function drawInstruction(dice: Dice, registrationId: string, accounts: number): RegistrationInstruction {
  const ref1 = dice.chance(0.8) ? `REF${dice.whole(1, Math.min(accounts, 3))}` : null;
  return {
    registrationId,
    customerId: '9100000000011',
    vendorId: dice.chance(0.85) ? 'VENDOR0001' : 'VENDOR0002',
    companyId,
    accountNo: accountOf(dice.whole(1, accounts)),
    refs: [ref1, null, null, null],
  };
}

const badAccount = 'no account';

function makeRow(rowNo: number, asked: RegistrationInstruction, isBad: boolean): RegistrationFileRow {
  const { refs, ...texts } = asked;
  const [ref1, ref2, ref3, ref4] = refs;
  const line = rowNo + 1;
  const issue = {
    line,
    column: 'accountNo',
    code: 'account-no',
    value: null,
    message: verbatim('digits alone'),
  } as const;
  return {
    rowNo,
    line,
    cells: {
      ...texts,
      accountNo: isBad ? badAccount : asked.accountNo,
      ref1: ref1 ?? '',
      ref2: ref2 ?? '',
      ref3: ref3 ?? '',
      ref4: ref4 ?? '',
    },
    instruction: isBad ? null : asked,
    holds: [],
    issues: isBad ? [issue] : [],
    extras: [],
  };
}

function drawFiles(dice: Dice): PlannedRegistrations[] {
  const files: PlannedRegistrations[] = [];
  let made = 0;
  // So few that some are alike, or so many that most are not.
  const accounts = dice.pick([1, 2, 5, 5]);
  for (let place = 0; place < dice.whole(1, 3); place += 1) {
    const rows: RegistrationFileRow[] = [];
    for (let rowNo = 1; rowNo <= dice.whole(1, 4); rowNo += 1) {
      // Some have the number of another row, as it is or as a spreadsheet leaves it.
      const taken = made > 0 && dice.chance(0.15) ? dice.whole(1, made) : undefined;
      if (taken === undefined) made += 1;
      const spelling = taken !== undefined && dice.chance(0.3) ? 'reg-0' : 'REG-';
      const asked = drawInstruction(dice, `${spelling}${taken ?? made}`, accounts);
      rows.push(makeRow(rowNo, asked, dice.chance(0.05)));
    }
    files.push({
      name: `registrations ${place + 1}.csv`,
      batchId: `00000000R${place + 1}`,
      rows,
      fromLife: dice.whole(0, 2),
    });
  }
  return files;
}

function drawSender(dice: Dice): PlannedSender {
  return {
    gapMs: dice.chance(0.5) ? dice.wide(secondMs, 10 * minuteMs) : dice.wide(minuteMs, 40 * hourMs),
    killAtStep: dice.chance(0.65) ? dice.wide(1, 120) : Infinity,
    interruptAfterMs: dice.chance(0.15) ? dice.wide(secondMs, hourMs) : undefined,
    listens: dice.chance(0.6),
    actsBefore: dice.chance(0.5) ? [drawAct(dice), drawAct(dice), drawAct(dice)] : [],
    isCalledBefore: dice.chance(0.1),
  };
}

export function drawRegistrationsPlan(dice: Dice): RegistrationsPlan {
  // Noon in Bangkok, on a day of its own.
  const startMs = Date.UTC(2026, 10, 22, 5);
  const files = drawFiles(dice);
  const answerWithinMs = dice.wide(10 * minuteMs, 30 * hourMs);
  const many = <One>(max: number, draw: () => One): One[] =>
    Array.from({ length: dice.whole(0, max) }, () => draw());
  const sometime = (): number => startMs + dice.wide(secondMs, 40 * hourMs);
  const rows = files.flatMap((file) => file.rows.flatMap(({ instruction }) => instruction ?? []));
  return {
    startMs,
    answerWithinMs,
    concurrency: dice.whole(1, 4),
    waitMs: dice.chance(0.6) ? dice.wide(secondMs, 10 * minuteMs) : dice.wide(10 * minuteMs, 2 * hourMs),
    isPatient: dice.chance(0.3),
    isAtOnce: dice.chance(0.3),
    oversleepMs: dice.wide(20 * secondMs, 5 * minuteMs),
    timeoutMs: 30 * secondMs,
    faults: drawFaults(dice),
    untoldShare: dice.pick([0, 0.5, 0.9]),
    files,
    senders: [drawSender(dice), ...many(4, () => drawSender(dice))],
    listeners: many(3, () => ({
      atMs: sometime(),
      forMs: dice.wide(minuteMs, 20 * hourMs),
      killAtStep: dice.chance(0.4) ? dice.wide(1, 40) : Infinity,
    })),
    clockJumps: dice.chance(0.15)
      ? many(2, () => ({
          atMs: sometime(),
          ms: (dice.chance(0.5) ? -1 : 1) * dice.wide(secondMs, 3 * hourMs),
        }))
      : [],
    acts: dice.chance(0.7) ? many(8, () => ({ atMs: sometime(), act: drawAct(dice) })) : [],
    strays: dice.chance(0.4)
      ? many(2, () => ({
          atMs: sometime(),
          of: dice.chance(0.7) && rows.length > 0 ? dice.pick(rows) : undefined,
        }))
      : [],
  };
}

export const hashOfFile = ({ name, rows }: PlannedRegistrations): string =>
  hash('sha256', `${name}${JSON.stringify(rows.map(({ cells }) => cells))}`);
