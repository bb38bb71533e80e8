/** The sheets of a workbook for people: exceptions, result, summary, the lists of words, and how to fill it in. */
import { formatBangkokMoment } from '../../core/bangkok-time.ts';
import { showBaht, showCount } from '../../core/figures.ts';
import { type Satang, sumSatang, zeroSatang } from '../../core/money.ts';
import { holdReasons, type PayoutStatus, payoutStatuses } from '../../core/payout.ts';
import type { ResultRow } from '../../core/ports.ts';
import { decisionWords } from '../../review/rules/decision-words.ts';
import { bankStatuses } from '../../core/status-codes.ts';
import { headingOf, lookOf, type SheetTable } from './column-words.ts';
import { describeHolds } from './remedies.ts';
import { englishRemedies } from './remedy-texts.ts';
import { thaiRemedies } from './remedy-texts-th.ts';
import { moneyMovedOf } from './report-rows.ts';

/** Beside the name in the file stand those that the bank has told. */
const besidePayeeName: readonly string[] = ['bankPayeeName', 'bankPayeeNameTh'];

/** Places of the columns as people read them. */
function orderForPeople(header: readonly string[]): readonly number[] {
  const moved = besidePayeeName.map((column) => header.indexOf(column)).filter((place) => place >= 0);
  return header.flatMap((column, place) => {
    if (moved.includes(place)) return [];
    return column === 'payeeName' ? [place, ...moved] : [place];
  });
}

const decisionsAt = `Lists!$A$2:$A$${decisionWords.length + 1}`;

/**
 * A table of ours as a sheet.
 * @param ownColumns how many columns of the header are ours: what is carried through may bear any name
 * @param rows as `renderException` and `renderResultRow` give them
 */
export function makeTableSheet(
  name: string,
  header: readonly string[],
  ownColumns: number,
  rows: readonly (readonly string[])[],
): SheetTable {
  const order = orderForPeople(header.slice(0, ownColumns));
  const carried = header.slice(ownColumns).map((_, at) => ownColumns + at);
  const places = [...order, ...carried];
  const ours = (place: number): string | undefined => (place < ownColumns ? header[place] : undefined);
  const heads = places.map((place) => {
    const column = ours(place);
    return column === undefined ? (header[place] ?? '') : headingOf(column);
  });
  return {
    name,
    frozenColumns: 1 + order.findIndex((place) => header[place] === 'payoutId'),
    columns: places.map((place) => {
      const look = lookOf(ours(place) ?? '');
      return header[place] === 'decision' && place < ownColumns ? { ...look, listedAt: decisionsAt } : look;
    }),
    rows: [heads, ...rows.map((row) => places.map((place) => row[place] ?? ''))],
  };
}

// ---------------------------------------------------------------- the summary

/** Rows of one status, and whether their money moved. */
interface TallyLine {
  readonly status: PayoutStatus;
  readonly moneyMoved: string;
  readonly rows: number;
  readonly amountSatang: Satang;
}

/** Adds up rows as they come. */
export class StatusTally {
  readonly #lines = new Map<string, TallyLine>();

  add(row: Pick<ResultRow, 'status' | 'isAlarm' | 'amountSatang'>): void {
    const moneyMoved = moneyMovedOf(row);
    const key = `${row.status} ${moneyMoved}`;
    const before = this.#lines.get(key);
    this.#lines.set(key, {
      status: row.status,
      moneyMoved,
      rows: (before?.rows ?? 0) + 1,
      amountSatang: sumSatang([before?.amountSatang ?? zeroSatang, row.amountSatang ?? zeroSatang]),
    });
  }

  /** In the order of a payout's life. */
  lines(): readonly TallyLine[] {
    const placeOf = ({ status }: TallyLine): number => payoutStatuses.indexOf(status);
    return [...this.#lines.values()].toSorted(
      (one, other) => placeOf(one) - placeOf(other) || one.moneyMoved.localeCompare(other.moneyMoved),
    );
  }
}

/** What the summary says beside the figures: name and value. */
export type Fact = readonly [name: string, value: string];

/** When, and whether it was a rehearsal. */
export const describeMaking = (isSandbox: boolean, nowMs: number): readonly Fact[] => [
  ['as of\nณ วันที่', `${formatBangkokMoment(nowMs)} (Bangkok)`],
  ...(isSandbox ? [['sandbox\nระบบทดสอบ', 'a rehearsal, no real money\nไม่มีเงินจริง'] as const] : []),
];

export function makeSummarySheet(facts: readonly Fact[], tally: StatusTally): SheetTable {
  const lines = tally.lines();
  const rows = lines.map(({ status, moneyMoved, rows: count, amountSatang }) => [
    `${status}\n${statusWords[status]}`,
    `${moneyMoved}\n${moneyWords[moneyMoved] ?? ''}`,
    showCount(count),
    showBaht(amountSatang),
  ]);
  let count = 0;
  for (const line of lines) count += line.rows;
  const total = [
    'total\nรวม',
    '',
    showCount(count),
    showBaht(sumSatang(lines.map((line) => line.amountSatang))),
  ];
  const wide = facts.map(([name, value]) => [name, value]);
  return {
    name: 'Summary',
    frozenColumns: 0,
    columns: [
      { width: 28, isWrapped: true },
      { width: 44, isWrapped: true },
      { width: 12, isNumber: true },
      { width: 20, isNumber: true },
    ],
    rows: [
      ['status\nสถานะ', 'moneyMoved\nเงินออกแล้วหรือไม่', 'rows\nจำนวนรายการ', 'amount\nจำนวนเงิน (บาท)'],
      ...rows,
      total,
      [],
      ...wide,
    ],
  };
}

// ---------------------------------------------------------------- words

const statusWords: Readonly<Record<PayoutStatus, string>> = {
  staged: 'กำลังรับเข้าระบบ',
  rejected: 'ไม่รับเข้าระบบ',
  ready: 'พร้อมจ่าย',
  held: 'ระงับไว้',
  cancelled: 'ยกเลิกแล้ว',
  unpayable: 'ตรวจผู้รับไม่ผ่าน',
  submitted: 'ส่งธนาคารแล้ว ยังไม่ทราบผล',
  paid: 'จ่ายสำเร็จ',
  failed: 'จ่ายไม่สำเร็จ',
  unresolved: 'ยังสรุปผลไม่ได้',
  disputed: 'ผลขัดแย้งกับธนาคาร',
};

const statusMeanings: Readonly<Record<PayoutStatus, string>> = {
  staged: 'Being read',
  rejected: 'Rejected: never sent',
  ready: 'Ready to be paid',
  held: 'Held: waits for a person',
  cancelled: 'Cancelled: never sent',
  unpayable: 'The payee check said no',
  submitted: 'Sent to the bank, in doubt',
  paid: 'Paid, proved by the bank',
  failed: 'Not paid, proved by the bank',
  unresolved: 'Nobody has proved what became of it',
  disputed: 'The bank contradicts itself',
};

const moneyWords: Readonly<Record<string, string>> = {
  no: 'เงินยังไม่ออก',
  unknown: 'ไม่ทราบว่าเงินออกหรือไม่ ห้ามจ่ายซ้ำ',
  yes: 'เงินออกแล้ว',
};

const moneyMeanings: Readonly<Record<string, string>> = {
  no: 'No money moved',
  unknown: 'Unknown if it moved: do not pay again',
  yes: 'Money moved',
};

/** Every word that the sheets hold, in both languages; the decisions first, where the list of their column looks. */
export function makeListsSheet(): SheetTable {
  return {
    name: 'Lists',
    frozenColumns: 0,
    columns: [{ width: 20 }, { width: 44 }, { width: 44 }, { width: 16 }],
    rows: [
      ['code\nรหัส', 'English\nอังกฤษ', 'Thai\nไทย', 'column\nคอลัมน์'],
      ...decisionWords.map((words) => [...words, 'decision']),
      ...payoutStatuses.map((status) => [status, statusMeanings[status], statusWords[status], 'status']),
      ...Object.keys(moneyWords).map((word) => [
        word,
        moneyMeanings[word] ?? '',
        moneyWords[word] ?? '',
        'moneyMoved',
      ]),
      ...holdReasons.map((hold) => [hold, describeHolds([hold]), describeHolds([hold], 'th'), 'reasonCode']),
      ...bankStatuses.map(({ code, remedy, remedyTh }) => [code, remedy, remedyTh, 'reasonCode']),
      ...payoutStatuses.map((status) => [
        status,
        englishRemedies.statuses[status],
        thaiRemedies.statuses[status],
        'remedy',
      ]),
    ],
  };
}

const howTo: readonly (readonly [english: string, thai: string])[] = [
  [
    'Each row of "Exceptions" needs a person. "reason" says why, "remedy" what to do, "moneyMoved" whether money left the account.',
    'ทุกแถวในแผ่น "Exceptions" ต้องมีคนตรวจสอบ คอลัมน์ reason บอกสาเหตุ remedy บอกวิธีแก้ไข moneyMoved บอกว่าเงินออกแล้วหรือไม่',
  ],
  [
    'Where moneyMoved is "unknown", do not pay the row by any other means.',
    'ถ้า moneyMoved เป็น "unknown" ห้ามจ่ายซ้ำด้วยวิธีอื่น',
  ],
  [
    'Fill in the yellow columns only: choose a decision from the list, and say why in "note". A row without a decision stays as it is.',
    'กรอกเฉพาะคอลัมน์สีเหลือง เลือกการตัดสินใจจากรายการ และเขียนเหตุผลใน "note" แถวที่ไม่ได้เลือกจะไม่เปลี่ยนแปลง',
  ],
  [
    'With "retry-corrected" give newProxyNo or newAmount, or both. With confirm-paid and confirm-failed say in "note" what proves it.',
    'ถ้าเลือก "retry-corrected" ให้กรอก newProxyNo หรือ newAmount หรือทั้งสองอย่าง ถ้าเลือก confirm-paid หรือ confirm-failed ให้ระบุหลักฐานใน "note"',
  ],
  [
    'Rows and columns may be sorted, filtered, moved or left out, but batchId, rowNo, version, payoutId, decision and note must stay.',
    'เรียงลำดับ กรอง ย้าย หรือลบแถวและคอลัมน์ได้ แต่ต้องคงคอลัมน์ batchId, rowNo, version, payoutId, decision และ note ไว้',
  ],
  [
    'Every cell is a text, so that no digit is lost. Save as .xlsx or as CSV UTF-8; whoever decides gives it back with "paydrop decide" and its name.',
    'ทุกเซลล์เป็นข้อความ เพื่อไม่ให้ตัวเลขสูญหาย บันทึกเป็น .xlsx หรือ CSV UTF-8 แล้วผู้ตัดสินใจส่งกลับด้วยคำสั่ง "paydrop decide" ตามด้วยชื่อไฟล์',
  ],
  [
    'A row that has changed since this file was written is refused with what changed. Nothing is done unless every row is right.',
    'รายการที่เปลี่ยนไปหลังจากสร้างไฟล์นี้จะถูกปฏิเสธพร้อมแจ้งสิ่งที่เปลี่ยน และจะไม่มีการดำเนินการใดๆ จนกว่าทุกแถวจะถูกต้อง',
  ],
];

export function makeHowToSheet(): SheetTable {
  return {
    name: 'How to',
    frozenColumns: 0,
    columns: [{ width: 6 }, { width: 70, isWrapped: true }, { width: 70, isWrapped: true }],
    rows: [
      ['no.\nข้อ', 'How to fill it in', 'วิธีกรอก'],
      ...howTo.map(([english, thai], at) => [String(at + 1), english, thai]),
    ],
  };
}
