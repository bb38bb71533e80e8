/** Payouts in tables for people and programs: the rows that need a person, their columns, and the texts of a workbook. */
import { say, sayCode } from '../../core/message.ts';
import { showBaht, showCount } from '../../core/figures.ts';
import { type Satang, sumSatang, zeroSatang } from '../../core/money.ts';
import { holdReasons, type PayoutStatus, payoutStatuses } from '../../core/payout.ts';
import type { ResultRow } from '../../core/ports.ts';
import { bankStatuses } from '../../core/status-codes.ts';
import { decisionWords } from '../../review/rules/decision-words.ts';
import type { SheetTable } from './column-words.ts';
import {
  addThaiRemedy,
  exceptionColumns,
  isException,
  moneyMovedOf,
  renderException,
  renderExceptionHeader,
  renderResultHeader,
  renderResultRow,
  resultColumns,
} from './report-rows.ts';
import type { ReportTables } from './report-tables.ts';
import { type BookTally, type BookWords, summaryColumns } from './workbook.ts';

/** Rows of one status, and whether their money moved. */
interface TallyLine {
  readonly status: PayoutStatus;
  readonly moneyMoved: string;
  readonly rows: number;
  readonly amountSatang: Satang;
}

/** Adds up payouts as they come. */
class StatusTally implements BookTally<Tallied> {
  readonly #lines = new Map<string, TallyLine>();

  add(row: Tallied): void {
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

  /** Lines in the order of a payout's life. */
  #listLines(): readonly TallyLine[] {
    const placeOf = ({ status }: TallyLine): number => payoutStatuses.indexOf(status);
    return [...this.#lines.values()].toSorted(
      (one, other) => placeOf(one) - placeOf(other) || one.moneyMoved.localeCompare(other.moneyMoved),
    );
  }

  table(): Pick<SheetTable, 'columns' | 'rows'> {
    const lines = this.#listLines();
    const rows = lines.map(({ status, moneyMoved, rows: count, amountSatang }) => [
      `${status}\n${statusWords[status]}`,
      `${moneyMoved}\n${moneyWords[moneyMoved] ?? ''}`,
      showCount(count),
      showBaht(amountSatang),
    ]);
    let count = 0;
    for (const line of lines) count += line.rows;
    const sum = showBaht(sumSatang(lines.map((line) => line.amountSatang)));
    const heads = [
      'status\nสถานะ',
      'moneyMoved\nเงินออกแล้วหรือไม่',
      'rows\nจำนวนรายการ',
      'amount\nจำนวนเงิน (บาท)',
    ];
    return { columns: summaryColumns, rows: [heads, ...rows, ['total\nรวม', '', showCount(count), sum]] };
  }
}

type Tallied = Pick<ResultRow, 'status' | 'isAlarm' | 'amountSatang'>;

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
  unresolved: 'Its outcome is not proved',
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
    'Every cell is a text, so that no digit is lost. Save as .xlsx or as CSV UTF-8; the person who decides returns it with "paydrop decide" and its name.',
    'ทุกเซลล์เป็นข้อความ เพื่อไม่ให้ตัวเลขสูญหาย บันทึกเป็น .xlsx หรือ CSV UTF-8 แล้วผู้ตัดสินใจส่งกลับด้วยคำสั่ง "paydrop decide" ตามด้วยชื่อไฟล์',
  ],
  [
    'A row that has changed since this file was written is refused with what changed. Nothing is done unless every row is right.',
    'รายการที่เปลี่ยนไปหลังจากสร้างไฟล์นี้จะถูกปฏิเสธพร้อมแจ้งสิ่งที่เปลี่ยน และจะไม่มีการดำเนินการใดๆ จนกว่าทุกแถวจะถูกต้อง',
  ],
];

const book: BookWords<ResultRow> = {
  idColumn: 'payoutId',
  // The bank's names stand beside the name in the file.
  beside: { payeeName: ['bankPayeeName', 'bankPayeeNameTh'] },
  decisions: decisionWords,
  lists: [
    ...payoutStatuses.map(
      (status) => [status, statusMeanings[status], statusWords[status], 'status'] as const,
    ),
    ...Object.keys(moneyWords).map(
      (word) => [word, moneyMeanings[word] ?? '', moneyWords[word] ?? '', 'moneyMoved'] as const,
    ),
    ...holdReasons.map(
      (hold) =>
        [
          hold,
          sayCode('en', `hold-reason.${hold}`),
          sayCode('th', `hold-reason.${hold}`),
          'reasonCode',
        ] as const,
    ),
    ...bankStatuses.map(
      ({ code, remedy }) => [code, say('en', remedy), say('th', remedy), 'reasonCode'] as const,
    ),
    ...payoutStatuses.map(
      (status) =>
        [
          status,
          sayCode('en', `payout-remedy.${status}`),
          sayCode('th', `payout-remedy.${status}`),
          'remedy',
        ] as const,
    ),
  ],
  howTo,
  batchTh: 'ชุดจ่ายเงิน',
  openTally: () => new StatusTally(),
};

export const payoutTables: ReportTables<ResultRow> = {
  resultColumns,
  exceptionColumns,
  isException,
  renderResultHeader,
  renderExceptionHeader,
  renderResult: renderResultRow,
  renderException,
  addThaiRemedy,
  book,
};
