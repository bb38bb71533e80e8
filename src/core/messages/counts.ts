/** Texts of several subjects. */
import { wordings } from './wording.ts';

export const countWordings = wordings({
  /** A text that is not paydrop's own. */
  verbatim: ['{text}', '{text}'],

  'row.one': ['{count} row', '{count} รายการ'],
  'row.many': ['{count} rows', '{count} รายการ'],
  'payout.one': ['{count} payout', '{count} รายการ'],
  'payout.many': ['{count} payouts', '{count} รายการ'],
  'registration.one': ['{count} registration', 'การลงทะเบียน {count} รายการ'],
  'registration.many': ['{count} registrations', 'การลงทะเบียน {count} รายการ'],
  'payee.one': ['{count} payee', 'ผู้รับเงิน {count} ราย'],
  'payee.many': ['{count} payees', 'ผู้รับเงิน {count} ราย'],
  'item.one': ['{count} item', '{count} รายการ'],
  'item.many': ['{count} items', '{count} รายการ'],
  'transfer.one': ['{count} transfer', 'การโอน {count} รายการ'],
  'transfer.many': ['{count} transfers', 'การโอน {count} รายการ'],

  'open-break.one': ['{count} open break', 'ผลต่างคงค้าง {count} รายการ'],
  'open-break.many': ['{count} open breaks', 'ผลต่างคงค้าง {count} รายการ'],
  'accepted-break.one': ['{count} accepted break', 'ผลต่างที่ยอมรับแล้ว {count} รายการ'],
  'accepted-break.many': ['{count} accepted breaks', 'ผลต่างที่ยอมรับแล้ว {count} รายการ'],
  'version.one': ['{count} version', '{count} ฉบับ'],
  'version.many': ['{count} versions', '{count} ฉบับ'],

  'passkey.one': ['{count} passkey', 'พาสคีย์ {count} รายการ'],
  'passkey.many': ['{count} passkeys', 'พาสคีย์ {count} รายการ'],
  'line.one': ['{count} line', '{count} บรรทัด'],
  'line.many': ['{count} lines', '{count} บรรทัด'],
  'cell.one': ['{count} cell', '{count} ช่อง'],
  'cell.many': ['{count} cells', '{count} ช่อง'],
  'amount.one': ['{count} amount', 'จำนวนเงิน {count} รายการ'],
  'amount.many': ['{count} amounts', 'จำนวนเงิน {count} รายการ'],
  'list.and': ['{all} and {last}', '{all} และ {last}'],
  'list.others': ['others', 'บรรทัดอื่น'],

  'count.of': ['{count} of {all}', '{count} จาก {all}'],
  'money.baht': ['{amount} baht', '{amount} บาท'],
  'money.counted': ['{count}, {amount} baht', '{count} {amount} บาท'],
  'money.one-stays-held': ['{counted}, of which {held} stays held', '{counted} โดย {held} ยังระงับไว้'],
  'money.some-stay-held': ['{counted}, of which {held} stay held', '{counted} โดย {held} ยังระงับไว้'],
  'minute.one': ['{count} minute', '{count} นาที'],
  'minute.many': ['{count} minutes', '{count} นาที'],
});
