/** Words of the batches. */
import type { BatchStep } from '../../rules/batch-steps.ts';
import type { Pair, Words } from './pair.ts';

export const batchWords = {
  noBatches: ['No file was taken in yet', 'ยังไม่มีไฟล์ที่รับเข้าระบบ'],
  rows: ['Rows', 'จำนวนแถว'],
  rowsCounted: ['rows', 'แถว'],
  oneRow: ['row', 'แถว'],
  begun: ['Taken in', 'รับเข้าเมื่อ'],
  rested: ['At rest since', 'หยุดพักเมื่อ'],
  payerAccount: ['Paid from account', 'จ่ายจากบัญชี'],
  digestOfFile: ['SHA-256 of the file', 'SHA-256 ของไฟล์'],
  steps: ['How far it is', 'ขั้นตอน'],
  stepDone: ['done', 'เสร็จแล้ว'],
  stepNow: ['under way', 'กำลังดำเนินการ'],
  stepLater: ['later', 'ยังไม่ถึง'],
  stepStopped: ['waits for a person', 'รอผู้มีอำนาจ'],
  byStatus: ['By status', 'แยกตามสถานะ'],
  waitsApproval: ['Waits for approval', 'รออนุมัติก่อนจ่าย'],
  toBePaid: ['Would be paid', 'จะจ่าย'],
  heldBesides: ['Held besides', 'ถูกระงับด้วยเหตุอื่น'],
  approvedInAll: ['Approved with it, in all', 'รวมที่จะได้รับอนุมัติทั้งหมด'],
  notPaid: ['Not paid', 'ไม่จ่าย'],
  before: ['Sent or approved before', 'ส่งหรืออนุมัติแล้วก่อนหน้า'],
  newPayees: ['To payees never paid before', 'ผู้รับเงินที่ไม่เคยจ่าย'],
  likeEarlier: ['Like earlier payments', 'คล้ายรายการที่จ่ายก่อนหน้า'],
  limited: ['Held by limits over time, if sent now', 'จะถูกระงับด้วยวงเงินหรือวันทำการหากส่งตอนนี้'],
  largest: ['The five largest', 'ห้ารายการที่มากที่สุด'],
  payeeIsNew: ['never paid before', 'ไม่เคยจ่าย'],
  digest: ['Digest of what waits', 'ค่าแฮชของรายการที่รออนุมัติ'],
  digestHint: [
    'The file alone must have it, too: "paydrop check FILE --digest" on another machine',
    'คำนวณจากไฟล์ได้ค่าเดียวกันด้วยคำสั่ง "paydrop check FILE --digest" บนเครื่องอื่น',
  ],
  digestCorrected: [
    'Rows were corrected since: the file alone does not have this digest',
    'มีการแก้ไขแถวแล้ว ค่าแฮชนี้จึงไม่ตรงกับไฟล์เดิม',
  ],
  files: ['Files', 'ไฟล์ผลลัพธ์'],
  filesHint: [
    'They hold whole numbers of payees: who takes one is recorded',
    'ไฟล์มีเลขผู้รับเงินแบบเต็ม ระบบบันทึกผู้ดาวน์โหลด',
  ],
  noFiles: ['None so far', 'ยังไม่มีไฟล์'],
  allRows: ['All rows', 'ทุกแถว'],
  fromLast: ['From the last row', 'กลับแถวสุดท้าย'],
  olderRows: ['Rows before', 'แถวก่อนหน้า'],
  fileGone: ['The file is no longer as and where it was written', 'ไฟล์ไม่อยู่ในที่เดิมหรือถูกเปลี่ยนแปลง'],
  toBatches: ['All batches', 'ชุดจ่ายเงินทั้งหมด'],
  uploadFile: ['Upload a file', 'อัปโหลดไฟล์'],
  payeeCount: ['payees', 'ผู้รับเงิน'],
  onePayee: ['payee', 'ผู้รับเงิน'],
} as const satisfies Words;

export const stepWords: Readonly<Record<BatchStep, Pair>> = {
  sealed: ['Sealed', 'ปิดผนึก'],
  checked: ['Checked', 'ตรวจผู้รับ'],
  approval: ['Approval', 'อนุมัติ'],
  paying: ['Paying', 'จ่ายเงิน'],
  result: ['Result', 'ผลลัพธ์'],
};
