/** The decisions about a payout that a person may write into an exceptions file, in the words of both languages. */

/** Code, English, Thai; in the order of the list that a spreadsheet offers. */
export const decisionWords = [
  ['go-on', 'Go on', 'ดำเนินการต่อ'],
  ['cancel', 'Cancel payout', 'ยกเลิกรายการ'],
  ['release', 'Release the number', 'ปลดเลขที่ให้ใช้ใหม่'],
  ['retry', 'Retry', 'ส่งจ่ายใหม่'],
  ['retry-corrected', 'Retry corrected', 'แก้ไขแล้วส่งจ่ายใหม่'],
  ['confirm-paid', 'Confirm paid', 'ยืนยันว่าจ่ายสำเร็จ'],
  ['confirm-failed', 'Confirm failed', 'ยืนยันว่าจ่ายไม่สำเร็จ'],
  ['acknowledge', 'Acknowledge', 'รับทราบ'],
] as const;
