/** Files of invented registrations, and what the bank is to do with each of their rows. */
import type { RegistrationStatus } from '../../src/registration/rules/registration.ts';
import type { RegistrationBehaviourInput } from '../../src/sandbox/registration/table.ts';
import type { Dice } from '../support/dice.ts';

export const vendorId = 'VENDOR0001';

/** A row of a file, and how it ends when nobody is killed. */
export interface PlannedRegistration {
  readonly registrationId: string;
  readonly customerId: string;
  readonly accountNo: string;
  readonly ref1: string;
  /** By which the bank knows what to do with it; empty: it registers it at once and says so. */
  readonly ref4: string;
  /** A column that is only carried through. */
  readonly desk: string;
  readonly endsAs: RegistrationStatus;
}

export interface PlannedRegistrationFile {
  readonly name: string;
  readonly rows: readonly PlannedRegistration[];
}

interface Ending {
  readonly ref4: string;
  readonly endsAs: RegistrationStatus;
  readonly behaviour: Omit<RegistrationBehaviourInput, 'match'>;
}

/** Each within seconds, but for those that nobody is told of. */
const endings: readonly Ending[] = [
  { ref4: 'REJECT', endsAs: 'refused', behaviour: { outcome: 'reject' } },
  {
    ref4: 'TWICE',
    endsAs: 'registered',
    behaviour: { outcome: 'success', callbacks: [{}, { afterMs: 300 }] },
  },
  { ref4: 'AT-ONCE', endsAs: 'registered', behaviour: { outcome: 'success', callbacks: [{}, {}, {}] } },
  { ref4: 'LATE', endsAs: 'registered', behaviour: { outcome: 'success', callbacks: [{ afterMs: 2_500 }] } },
  {
    ref4: 'BEFORE',
    endsAs: 'registered',
    behaviour: { outcome: 'success', callbacks: [{ beforeAnswer: true }] },
  },
  {
    ref4: 'WRONG-KEY',
    endsAs: 'registered',
    behaviour: { outcome: 'success', callbacks: [{ key: 'wrong', retries: 0 }, { afterMs: 200 }] },
  },
  {
    ref4: 'BOTH',
    endsAs: 'contradicted',
    behaviour: { outcome: 'reject', callbacks: [{}, { afterMs: 1_500, outcome: 'success' }] },
  },
  { ref4: 'LOST', endsAs: 'registered', behaviour: { outcome: 'success', reply: 'lost' } },
  { ref4: 'HTTP', endsAs: 'refused', behaviour: { outcome: 'reject', reply: 'http', httpStatus: 500 } },
  { ref4: 'CUT', endsAs: 'registered', behaviour: { outcome: 'success', reply: 'cut' } },
  { ref4: 'SYS001', endsAs: 'registered', behaviour: { outcome: 'success', code: 'SYS001' } },
  { ref4: 'CBS001', endsAs: 'failed', behaviour: { outcome: 'untouched', code: 'CBS001' } },
  { ref4: 'UNTOLD', endsAs: 'unanswered', behaviour: { outcome: 'success', callbacks: [] } },
  { ref4: 'UNDECIDED', endsAs: 'unanswered', behaviour: { outcome: 'undecided' } },
  { ref4: 'GONE', endsAs: 'unanswered', behaviour: { outcome: 'untouched', reply: 'lost' } },
];

/** The sandbox table that goes with the plan. */
export const registrationBehaviours: readonly RegistrationBehaviourInput[] = endings.map(
  ({ ref4, behaviour }) => ({ match: { ref4 }, ...behaviour }),
);

/** One row in six meets something else than success at once, one in fifty cannot be valid. */
function planRow(place: number, prefix: string, dice: Dice): PlannedRegistration {
  const ending = place % 6 === 4 ? dice.pick(endings) : undefined;
  const row = {
    registrationId: `${prefix}-${String(place).padStart(6, '0')}`,
    customerId: `9${String(place).padStart(12, '0')}`,
    accountNo: `99${String(place).padStart(8, '0')}`,
    ref1: `REF${place % 97}`,
    ref4: ending?.ref4 ?? '',
    desk: `desk ${place % 7}`,
    endsAs: ending?.endsAs ?? 'registered',
  } as const;
  return place % 50 === 9 ? { ...row, accountNo: `${row.accountNo}X`, endsAs: 'rejected' } : row;
}

/** Some repeat the number, or the account and references, of the row before. */
function planFile(firstPlace: number, rows: number, prefix: string, dice: Dice): PlannedRegistration[] {
  const planned: PlannedRegistration[] = [];
  for (let place = firstPlace; place < firstPlace + rows; place += 1) {
    const row = planRow(place, prefix, dice);
    const before = planned.at(-1);
    const isRepeat = before !== undefined && before.endsAs !== 'rejected' && place % 50 === 20;
    if (!isRepeat) planned.push(row);
    else if (place % 100 === 20) planned.push({ ...before, endsAs: 'rejected' });
    else planned.push({ ...before, registrationId: row.registrationId, endsAs: 'rejected' });
  }
  return planned;
}

/** Plans files of so many rows in all. @param prefix begins each registrationId */
export function planRegistrations(
  { rows, files }: { readonly rows: number; readonly files: number },
  prefix: string,
  dice: Dice,
): PlannedRegistrationFile[] {
  const each = Math.ceil(rows / files);
  return Array.from({ length: Math.ceil(rows / each) }, (_, place) => ({
    name: `registrations ${place + 1}.csv`,
    rows: planFile(place * each + 1, Math.min(each, rows - place * each), prefix, dice),
  }));
}

export function writeRegistrations(rows: readonly PlannedRegistration[]): string {
  const lines = rows.map(({ registrationId, customerId, accountNo, ref1, ref4, desk }) =>
    [registrationId, customerId, accountNo, ref1, ref4, desk].join(','),
  );
  return `registrationId,customerId,accountNo,ref1,ref4,desk\n${lines.join('\n')}\n`;
}
