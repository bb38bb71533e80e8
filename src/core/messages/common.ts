/** Texts of several subjects. */
import { wordings } from './wording.ts';

export const commonWordings = wordings({
  /** A text that is not paydrop's own. */
  verbatim: ['{text}', '{text}'],

  'row.one': ['{count} row', '{count} แถว'],
  'row.many': ['{count} rows', '{count} แถว'],
  'payout.one': ['{count} payout', '{count} รายการ'],
  'payout.many': ['{count} payouts', '{count} รายการ'],
  'transfer.one': ['{count} transfer', 'การโอน {count} รายการ'],
  'transfer.many': ['{count} transfers', 'การโอน {count} รายการ'],
  'registration.one': ['{count} registration', 'การลงทะเบียน {count} รายการ'],
  'registration.many': ['{count} registrations', 'การลงทะเบียน {count} รายการ'],
  'minute.one': ['{count} minute', '{count} นาที'],
  'minute.many': ['{count} minutes', '{count} นาที'],
});
