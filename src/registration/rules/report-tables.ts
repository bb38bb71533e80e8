/** Registrations in tables for people and programs: their columns, and the texts of a workbook. */
import { say, sayCode } from '../../core/message.ts';
import { showCount } from '../../core/figures.ts';
import type { SheetTable } from '../../reports/rules/column-words.ts';
import type { ReportTables } from '../../reports/rules/report-tables.ts';
import { type BookTally, type BookWords, summaryColumns } from '../../reports/rules/workbook.ts';
import { registrationDecisionWords } from '../../review/rules/decision-words.ts';
import type { RegistrationRow } from './registration-batch.ts';
import { registrationHolds, type RegistrationStatus, registrationStatuses } from './registration.ts';
import {
  addThaiRegistrationRemedy,
  isRegistrationException,
  registrationExceptionColumns,
  registrationResultColumns,
  renderRegistrationException,
  renderRegistrationExceptionHeader,
  renderRegistrationResult,
  renderRegistrationResultHeader,
} from './report-rows.ts';
import { registrationCodes } from './status-codes.ts';
import { registrationStatusWords } from './words.ts';

/** Adds up registrations as they come. */
function openTally(): BookTally<Pick<RegistrationRow, 'status'>> {
  const counts = new Map<RegistrationStatus, number>();
  return {
    add: ({ status }) => void counts.set(status, (counts.get(status) ?? 0) + 1),
    table: (): Pick<SheetTable, 'columns' | 'rows'> => {
      const lines = registrationStatuses.flatMap((status) => {
        const rows = counts.get(status);
        const [, thai] = registrationStatusWords[status];
        return rows === undefined ? [] : [[`${status}\n${thai}`, statusMeanings[status], showCount(rows)]];
      });
      let rows = 0;
      for (const count of counts.values()) rows += count;
      return {
        columns: summaryColumns,
        rows: [
          ['status\nสถานะ', 'meaning\nความหมาย', 'rows\nจำนวนรายการ'],
          ...lines,
          ['total\nรวม', '', showCount(rows)],
        ],
      };
    },
  };
}

const statusMeanings: Readonly<Record<RegistrationStatus, string>> = {
  staged: 'Being read',
  rejected: 'Rejected: never sent',
  ready: 'Ready to be sent',
  held: 'Held: waits for a person',
  cancelled: 'Cancelled: never sent',
  submitted: 'Sent to the bank, no answer yet',
  'in-doubt': 'The bank may have it: its callback tells',
  acknowledged: 'The bank has taken it, and calls back',
  unanswered: 'The bank never called back',
  registered: 'Registered, told by the bank',
  refused: 'Refused, told by the bank',
  failed: 'The bank did not take it',
  contradicted: 'The bank has told both',
};

const howTo: BookWords<RegistrationRow>['howTo'] = [
  [
    'Each row of "Exceptions" needs a person. "reason" says why, "remedy" what to do.',
    'ทุกแถวในแผ่น "Exceptions" ต้องมีคนตรวจสอบ คอลัมน์ reason บอกสาเหตุ remedy บอกวิธีแก้ไข',
  ],
  [
    'Do not register a row again by any other means where "status" is submitted or in-doubt: the bank may have it.',
    'ถ้า status เป็น submitted หรือ in-doubt ห้ามลงทะเบียนซ้ำด้วยวิธีอื่น ธนาคารอาจได้รับรายการแล้ว',
  ],
  [
    'Fill in the yellow columns only: choose a decision from the list, and say why in "note". A row without a decision stays as it is.',
    'กรอกเฉพาะคอลัมน์สีเหลือง เลือกการตัดสินใจจากรายการ และเขียนเหตุผลใน "note" แถวที่ไม่ได้เลือกจะไม่เปลี่ยนแปลง',
  ],
  [
    'With "retry-corrected" give newAccountNo. With confirm-registered, confirm-refused and confirm-failed say in "note" what proves it.',
    'ถ้าเลือก "retry-corrected" ให้กรอก newAccountNo ถ้าเลือก confirm-registered confirm-refused หรือ confirm-failed ให้ระบุหลักฐานใน "note"',
  ],
  [
    'Rows and columns may be sorted, filtered, moved or left out, but batchId, rowNo, version, registrationId, decision and note must stay.',
    'เรียงลำดับ กรอง ย้าย หรือลบแถวและคอลัมน์ได้ แต่ต้องคงคอลัมน์ batchId, rowNo, version, registrationId, decision และ note ไว้',
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

const book: BookWords<RegistrationRow> = {
  idColumn: 'registrationId',
  beside: {},
  decisions: registrationDecisionWords,
  lists: [
    ...registrationStatuses.map(
      (status) => [status, statusMeanings[status], registrationStatusWords[status][1], 'status'] as const,
    ),
    ...registrationHolds.map(
      (hold) =>
        [
          hold,
          sayCode('en', `registration-hold-reason.${hold}`),
          sayCode('th', `registration-hold-reason.${hold}`),
          'reasonCode',
        ] as const,
    ),
    ...registrationCodes.map(
      ({ code, remedy }) => [code, say('en', remedy), say('th', remedy), 'reasonCode'] as const,
    ),
    ...registrationStatuses.map(
      (status) =>
        [
          status,
          sayCode('en', `registered-remedy.${status}`),
          sayCode('th', `registered-remedy.${status}`),
          'remedy',
        ] as const,
    ),
  ],
  howTo,
  batchTh: 'ชุดลงทะเบียน',
  openTally,
};

export const registrationTables: ReportTables<RegistrationRow> = {
  resultColumns: registrationResultColumns,
  exceptionColumns: registrationExceptionColumns,
  isException: isRegistrationException,
  renderResultHeader: renderRegistrationResultHeader,
  renderExceptionHeader: renderRegistrationExceptionHeader,
  renderResult: renderRegistrationResult,
  renderException: renderRegistrationException,
  addThaiRemedy: addThaiRegistrationRemedy,
  book,
};
