/** Headings of columns, and other texts of workbooks. */
import { wordingsOffPage } from './wording.ts';

export const columnWordings = wordingsOffPage({
  // ---- headings: the name of the column, over Thai

  'column.batchId': ['batchId', 'รหัสชุดจ่ายเงิน'],
  'column.rowNo': ['rowNo', 'แถวที่'],
  'column.version': ['version', 'ฉบับที่'],
  'column.payoutId': ['payoutId', 'เลขที่รายการจ่าย'],
  'column.proxyType': ['proxyType', 'ประเภทเลขผู้รับเงิน'],
  'column.proxyNo': ['proxyNo', 'เลขผู้รับเงิน'],
  'column.payeeName': ['payeeName', 'ชื่อผู้รับเงิน'],
  'column.amount': ['amount', 'จำนวนเงิน (บาท)'],
  'column.status': ['status', 'สถานะ'],
  'column.final': ['final', 'สิ้นสุดแล้ว'],
  'column.moneyMoved': ['moneyMoved', 'เงินออกแล้วหรือไม่'],
  'column.reasonCode': ['reasonCode', 'รหัสสาเหตุ'],
  'column.reason': ['reason', 'สาเหตุ'],
  'column.remedy': ['remedy', 'วิธีแก้ไข'],
  'column.transRefNo': ['transRefNo', 'เลขอ้างอิงการโอน'],
  'column.sysRefNo': ['sysRefNo', 'เลขอ้างอิงธนาคาร'],
  'column.fee': ['fee', 'ค่าธรรมเนียม'],
  'column.decision': ['decision', 'การตัดสินใจ'],
  'column.newProxyNo': ['newProxyNo', 'เลขผู้รับเงินใหม่'],
  'column.newAmount': ['newAmount', 'จำนวนเงินใหม่'],
  'column.note': ['note', 'หมายเหตุ'],
  'column.reference1': ['reference1', 'อ้างอิง 1'],
  'column.reference2': ['reference2', 'อ้างอิง 2'],
  'column.bankPayeeName': ['bankPayeeName', 'ชื่อที่ธนาคาร (อังกฤษ)'],
  'column.bankPayeeNameTh': ['bankPayeeNameTh', 'ชื่อที่ธนาคาร (ไทย)'],
  'column.attempts': ['attempts', 'จำนวนครั้งที่ส่ง'],
  'column.submittedAt': ['submittedAt', 'ส่งเมื่อ'],
  'column.settledAt': ['settledAt', 'ทราบผลเมื่อ'],
  'column.settledBy': ['settledBy', 'ทราบผลจาก'],
  'column.registrationId': ['registrationId', 'เลขที่ลงทะเบียน'],
  'column.customerId': ['customerId', 'เลขประจำตัวลูกค้า'],
  'column.vendorId': ['vendorId', 'รหัสผู้ให้บริการ'],
  'column.companyId': ['companyId', 'รหัสบริษัท'],
  'column.accountNo': ['accountNo', 'เลขที่บัญชี'],
  'column.ref1': ['ref1', 'อ้างอิงที่ 1'],
  'column.ref2': ['ref2', 'อ้างอิงที่ 2'],
  'column.ref3': ['ref3', 'อ้างอิงที่ 3'],
  'column.ref4': ['ref4', 'อ้างอิงที่ 4'],
  'column.requestUID': ['requestUID', 'เลขที่คำขอ'],
  'column.statusCode': ['statusCode', 'รหัสตอบรับ'],
  'column.statusDesc': ['statusDesc', 'ข้อความตอบรับ'],
  'column.ddrOapiSeqId': ['ddrOapiSeqId', 'เลขลำดับธนาคาร'],
  'column.respCode': ['respCode', 'รหัสผล'],
  'column.respDesc': ['respDesc', 'รายละเอียดผล'],
  'column.applyDtm': ['applyDtm', 'ธนาคารดำเนินการเมื่อ'],
  'column.newAccountNo': ['newAccountNo', 'เลขที่บัญชีใหม่'],

  // ---- the sheets of a workbook; the first column of a list is a code

  'sheet.total': ['total', 'รวม'],
  'sheet.rows': ['rows', 'จำนวนรายการ'],
  'sheet.meaning': ['meaning', 'ความหมาย'],
  'sheet.as-of': ['as of', 'ณ วันที่'],
  'sheet.sandbox': ['sandbox', 'ระบบทดสอบ'],
  'sheet.rehearsal': ['a rehearsal, no real money', 'ไม่มีเงินจริง'],
  'sheet.code': ['code', 'รหัส'],
  'sheet.english': ['English', 'อังกฤษ'],
  'sheet.thai': ['Thai', 'ไทย'],
  'sheet.column': ['column', 'คอลัมน์'],
  'sheet.number': ['no.', 'ข้อ'],
  'sheet.how-to': ['How to fill it in', 'วิธีกรอก'],
  'sheet.state': ['state', 'สถานะของชุด'],
  'sheet.adds-up': ['adds up to the file', 'ยอดรวมตรงกับไฟล์'],
  'sheet.yes': ['yes', 'ตรง'],
  'sheet.no': ['NO', 'ไม่ตรง'],
  'sheet.payout-batch': ['batch', 'ชุดจ่ายเงิน'],
  'sheet.registration-batch': ['batch', 'ชุดลงทะเบียน'],

  // ---- how to fill in a workbook

  'how-to.payouts': [
    'Each row of "Exceptions" needs a person. "reason" says why, "remedy" what to do, "moneyMoved" whether money left the account.',
    'ทุกแถวในแผ่น "Exceptions" ต้องมีคนตรวจสอบ คอลัมน์ reason บอกสาเหตุ remedy บอกวิธีแก้ไข moneyMoved บอกว่าเงินออกแล้วหรือไม่',
  ],
  'how-to.unknown-money': [
    'Where moneyMoved is "unknown", do not pay the row by any other means.',
    'ถ้า moneyMoved เป็น "unknown" ห้ามจ่ายซ้ำด้วยวิธีอื่น',
  ],
  'how-to.yellow-columns': [
    'Fill in the yellow columns only: choose a decision from the list, and say why in "note". A row without a decision stays as it is.',
    'กรอกเฉพาะคอลัมน์สีเหลือง เลือกการตัดสินใจจากรายการ และเขียนเหตุผลใน "note" แถวที่ไม่ได้เลือกจะไม่เปลี่ยนแปลง',
  ],
  'how-to.payout-decisions': [
    'With "retry-corrected" give newProxyNo or newAmount, or both. With confirm-paid and confirm-failed say in "note" what proves it.',
    'ถ้าเลือก "retry-corrected" ให้กรอก newProxyNo หรือ newAmount หรือทั้งสองอย่าง ถ้าเลือก confirm-paid หรือ confirm-failed ให้ระบุหลักฐานใน "note"',
  ],
  'how-to.payout-columns': [
    'Rows and columns may be sorted, filtered, moved or left out, but batchId, rowNo, version, payoutId, decision and note must stay.',
    'เรียงลำดับ กรอง ย้าย หรือลบแถวและคอลัมน์ได้ แต่ต้องคงคอลัมน์ batchId, rowNo, version, payoutId, decision และ note ไว้',
  ],
  'how-to.every-cell-is-text': [
    'Every cell is a text, so that no digit is lost. Save as .xlsx or as CSV UTF-8; the person who decides returns it with "paydrop decide" and its name.',
    'ทุกช่องเป็นข้อความ เพื่อไม่ให้ตัวเลขสูญหาย บันทึกเป็น .xlsx หรือ CSV UTF-8 แล้วให้ผู้ตัดสินใจส่งกลับด้วยคำสั่ง "paydrop decide" ตามด้วยชื่อไฟล์',
  ],
  'how-to.changed-rows': [
    'A row that has changed since this file was written is refused with what changed. Nothing is done unless every row is right.',
    'รายการที่เปลี่ยนไปหลังจากสร้างไฟล์นี้จะถูกปฏิเสธพร้อมแจ้งสิ่งที่เปลี่ยน และจะไม่มีการดำเนินการใด ๆ จนกว่าทุกแถวจะถูกต้อง',
  ],
  'how-to.registrations': [
    'Each row of "Exceptions" needs a person. "reason" says why, "remedy" what to do.',
    'ทุกแถวในแผ่น "Exceptions" ต้องมีคนตรวจสอบ คอลัมน์ reason บอกสาเหตุ remedy บอกวิธีแก้ไข',
  ],
  'how-to.unknown-outcome': [
    'Do not register a row again by any other means where "status" is submitted or in-doubt: the bank may have it.',
    'ถ้า status เป็น submitted หรือ in-doubt ห้ามลงทะเบียนซ้ำด้วยวิธีอื่น ธนาคารอาจได้รับรายการแล้ว',
  ],
  'how-to.registration-decisions': [
    'With "retry-corrected" give newAccountNo. With confirm-registered, confirm-refused and confirm-failed say in "note" what proves it.',
    'ถ้าเลือก "retry-corrected" ให้กรอก newAccountNo ถ้าเลือก confirm-registered, confirm-refused หรือ confirm-failed ให้ระบุหลักฐานใน "note"',
  ],
  'how-to.registration-columns': [
    'Rows and columns may be sorted, filtered, moved or left out, but batchId, rowNo, version, registrationId, decision and note must stay.',
    'เรียงลำดับ กรอง ย้าย หรือลบแถวและคอลัมน์ได้ แต่ต้องคงคอลัมน์ batchId, rowNo, version, registrationId, decision และ note ไว้',
  ],
});
