/** A payout file of invented payees, and what the bank is to do with each of its rows. */
import { formatBaht, type Satang, toSatang } from '../../src/core/money.ts';
import type { PayoutStatus, ProxyType } from '../../src/core/payout.ts';
import { computeCheckDigit } from '../../src/core/proxy-id.ts';
import type { BehaviourInput } from '../../src/sandbox/table.ts';
import type { Dice } from '../support/dice.ts';

/** A row of the file, and how it ends when nothing is left in doubt. */
export interface PlannedRow {
  readonly payoutId: string;
  readonly proxyType: ProxyType;
  readonly proxyNo: string;
  readonly payeeName: string;
  readonly amountSatang: Satang;
  /** A column that is only carried through. */
  readonly desk: string;
  readonly endsAs: PayoutStatus;
  /** The bank does not simply take it and say so. */
  readonly isFaulty: boolean;
}

interface Fault {
  /** Exact baht, which no other row has. */
  readonly amount: string;
  readonly endsAs: PayoutStatus;
  readonly behaviour: Omit<BehaviourInput, 'match'>;
}

/** How the bank misbehaves; everything settles within seconds. */
const faults: readonly Fault[] = [
  { amount: '71.01', endsAs: 'paid', behaviour: { money: 'moves', reply: 'lost' } },
  { amount: '71.02', endsAs: 'paid', behaviour: { money: 'moves-later', afterMs: 400 } },
  { amount: '71.03', endsAs: 'paid', behaviour: { money: 'moves', reply: 'http', httpStatus: 500 } },
  { amount: '71.04', endsAs: 'paid', behaviour: { money: 'moves', latencyMs: 300 } },
  { amount: '71.05', endsAs: 'failed', behaviour: { money: 'fails-later', afterMs: 300 } },
  { amount: '71.06', endsAs: 'failed', behaviour: { money: 'untouched', code: 'EV042' } },
  { amount: '71.07', endsAs: 'paid', behaviour: { money: 'moves', reply: 'cut' } },
  { amount: '71.08', endsAs: 'paid', behaviour: { money: 'untouched', reply: 'lost', times: 3 } },
  { amount: '71.09', endsAs: 'paid', behaviour: { money: 'moves', reply: 'lost', hiddenMs: 250 } },
];

/** The sandbox table that goes with the plan. */
export const faultyBehaviours: readonly BehaviourInput[] = faults.map(({ amount, behaviour }) => ({
  match: { amount },
  ...behaviour,
}));

const names = ['Somchai Jaidee', 'Malee Srisuk', 'Anan Thongdee', 'Kanya Rungruang', ''];
const otherAmountsFromSatang = 10_000;
const otherAmountsToSatang = 500_000;

function makeProxy(place: number): Pick<PlannedRow, 'proxyType' | 'proxyNo'> {
  if (place % 3 > 0) return { proxyType: 'MSISDN', proxyNo: `09${String(10_000_000 + place)}` };
  const firstTwelve = `9${String(place).padStart(11, '0')}`;
  return { proxyType: 'NATID', proxyNo: `${firstTwelve}${computeCheckDigit(firstTwelve)}` };
}

/** One row in fifteen meets a fault of the bank, one in fifty cannot be valid, one in a hundred repeats the row before it. */
function planRow(place: number, prefix: string, dice: Dice): PlannedRow {
  const payoutId = `${prefix}-${String(place).padStart(6, '0')}`;
  const payeeName = names[place % names.length] ?? '';
  const proxy = makeProxy(place);
  const fault = place % 15 === 7 ? dice.pick(faults) : undefined;
  const amountSatang = toSatang(
    fault === undefined
      ? BigInt(dice.whole(otherAmountsFromSatang, otherAmountsToSatang - 1))
      : BigInt(fault.amount.replace('.', '')),
  );
  const desk = `desk ${place % 7}`;
  const ends = { endsAs: fault?.endsAs ?? 'paid', isFaulty: fault !== undefined } as const;
  const row = { payoutId, ...proxy, payeeName, amountSatang, desk, ...ends };
  if (place % 50 !== 9) return row;
  return { ...row, proxyNo: proxy.proxyNo.slice(0, -1), endsAs: 'rejected' };
}

/** Plans a file. @param prefix begins each payoutId */
export function planRows(rows: number, prefix: string, dice: Dice): PlannedRow[] {
  const planned: PlannedRow[] = [];
  for (let place = 1; place <= rows; place += 1) {
    const before = planned.at(-1);
    if (place % 100 === 50 && before !== undefined) planned.push({ ...before, endsAs: 'rejected' });
    else planned.push(planRow(place, prefix, dice));
  }
  return planned;
}

/** Plans rows that a bank without faults pays, one and all. */
export function planGoodRows(rows: number, prefix: string, dice: Dice): PlannedRow[] {
  const valid = planRows(rows, prefix, dice).filter(({ endsAs }) => endsAs !== 'rejected');
  return valid.map((row) => ({ ...row, endsAs: 'paid', isFaulty: false }));
}

/** The file: `reference1` bears the payoutId to the bank, so that its ledger tells whom it has paid. */
export function writeRows(planned: readonly PlannedRow[]): string {
  const lines = planned.map(({ payoutId, proxyType, proxyNo, payeeName, amountSatang, desk }) =>
    [payoutId, proxyType, proxyNo, payeeName, formatBaht(amountSatang), payoutId, desk].join(','),
  );
  return `payoutId,proxyType,proxyNo,payeeName,amount,reference1,desk\n${lines.join('\n')}\n`;
}
