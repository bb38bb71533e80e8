/** Words for states, causes, kinds and other codes of the journal. */
import { wordings } from './wording.ts';

export const wordWordings = wordings({
  // ---------------------------------------------------------------- states of payouts

  'payout-status.staged': ['Being read', 'กำลังอ่านไฟล์'],
  'payout-status.ready': ['Ready', 'พร้อมจ่าย'],
  'payout-status.held': ['Held', 'ระงับไว้'],
  'payout-status.submitted': ['In doubt', 'ยังไม่ทราบผล'],
  'payout-status.unresolved': ['Unresolved', 'ยังสรุปผลไม่ได้'],
  'payout-status.paid': ['Paid', 'จ่ายสำเร็จ'],
  'payout-status.failed': ['Failed', 'จ่ายไม่สำเร็จ'],
  'payout-status.unpayable': ['Unpayable', 'ตรวจผู้รับไม่ผ่าน'],
  'payout-status.rejected': ['Rejected', 'ไม่รับเข้าระบบ'],
  'payout-status.cancelled': ['Cancelled', 'ยกเลิกแล้ว'],
  'payout-status.disputed': ['Disputed', 'ผลขัดแย้งกับธนาคาร'],

  // ---------------------------------------------------------------- their meanings, as in the list of words of a workbook

  'payout-meaning.staged': ['Being read', 'กำลังอ่านไฟล์'],
  'payout-meaning.rejected': ['Rejected: never sent', 'ไม่รับเข้าระบบ และไม่ได้ส่งจ่าย'],
  'payout-meaning.ready': ['Ready to be paid', 'พร้อมจ่าย'],
  'payout-meaning.held': ['Held: waits for a person', 'ระงับไว้ รอดำเนินการ'],
  'payout-meaning.cancelled': ['Cancelled: never sent', 'ยกเลิกแล้ว และไม่ได้ส่งจ่าย'],
  'payout-meaning.unpayable': ['The payee check said no', 'ธนาคารแจ้งว่าจ่ายให้ผู้รับเงินรายนี้ไม่ได้'],
  'payout-meaning.submitted': ['Sent to the bank, in doubt', 'ส่งธนาคารแล้ว ยังไม่ทราบผล'],
  'payout-meaning.paid': ['Paid, proved by the bank', 'จ่ายสำเร็จ ธนาคารยืนยันแล้ว'],
  'payout-meaning.failed': ['Not paid, proved by the bank', 'จ่ายไม่สำเร็จ ธนาคารยืนยันแล้ว'],
  'payout-meaning.unresolved': ['Its outcome is not proved', 'ยังสรุปผลไม่ได้'],
  'payout-meaning.disputed': ['The bank contradicts itself', 'ผลขัดแย้งกับธนาคาร'],

  // ---------------------------------------------------------------- states of registrations

  'registration-status.staged': ['Being read', 'กำลังอ่านไฟล์'],
  'registration-status.rejected': ['Rejected', 'ไม่รับเข้าระบบ'],
  'registration-status.ready': ['Ready', 'พร้อมส่ง'],
  'registration-status.held': ['Held', 'ระงับไว้'],
  'registration-status.cancelled': ['Cancelled', 'ยกเลิกแล้ว'],
  'registration-status.submitted': ['Submitted', 'กำลังส่งธนาคาร'],
  'registration-status.in-doubt': ['In doubt', 'ยังไม่ทราบผล'],
  'registration-status.acknowledged': ['With the bank', 'ธนาคารรับเรื่องแล้ว'],
  'registration-status.unanswered': ['Unanswered', 'ธนาคารไม่แจ้งผล'],
  'registration-status.registered': ['Registered', 'ลงทะเบียนสำเร็จ'],
  'registration-status.refused': ['Refused', 'ธนาคารปฏิเสธ'],
  'registration-status.failed': ['Failed', 'ลงทะเบียนไม่สำเร็จ'],
  'registration-status.contradicted': ['Contradicted', 'ผลขัดแย้งกัน'],

  // ---------------------------------------------------------------- their meanings

  'registration-meaning.staged': ['Being read', 'กำลังอ่านไฟล์'],
  'registration-meaning.rejected': ['Rejected: never sent', 'ไม่รับเข้าระบบ และไม่ได้ส่ง'],
  'registration-meaning.ready': ['Ready to be sent', 'พร้อมส่ง'],
  'registration-meaning.held': ['Held: waits for a person', 'ระงับไว้ รอดำเนินการ'],
  'registration-meaning.cancelled': ['Cancelled: never sent', 'ยกเลิกแล้ว และไม่ได้ส่ง'],
  'registration-meaning.submitted': ['Sent to the bank, no answer yet', 'ส่งธนาคารแล้ว ยังไม่ได้รับคำตอบ'],
  'registration-meaning.in-doubt': ['The bank may have it: its callback tells', 'ยังไม่ทราบผล รอธนาคารแจ้งผล'],
  'registration-meaning.acknowledged': [
    'The bank has taken it, and calls back',
    'ธนาคารรับเรื่องแล้ว และจะแจ้งผล',
  ],
  'registration-meaning.unanswered': ['The bank never called back', 'ธนาคารไม่แจ้งผล'],
  'registration-meaning.registered': ['Registered, told by the bank', 'ลงทะเบียนสำเร็จ ธนาคารแจ้งผลแล้ว'],
  'registration-meaning.refused': ['Refused, told by the bank', 'ธนาคารแจ้งผลว่าปฏิเสธ'],
  'registration-meaning.failed': ['The bank did not take it', 'ธนาคารไม่รับคำขอ'],
  'registration-meaning.contradicted': ['The bank has told both', 'ธนาคารแจ้งผลทั้งสำเร็จและปฏิเสธ'],

  // ---------------------------------------------------------------- states of batches

  'batch-status.ingesting': ['Being read', 'กำลังอ่านไฟล์'],
  'batch-status.sealed': ['Sealed', 'ล็อกข้อมูลแล้ว'],
  'batch-status.running': ['Paying', 'กำลังจ่าย'],
  'batch-status.paused': ['Paused', 'พักการจ่าย'],
  'batch-status.halted': ['Halted', 'ระงับการจ่าย'],
  'batch-status.done': ['Done', 'เสร็จสิ้น'],
  'batch-status.rejected': ['Rejected', 'ไม่รับเข้าระบบ'],

  // ---------------------------------------------------------------- steps of a batch

  'batch-step.sealed': ['Locked', 'ล็อกข้อมูลแล้ว'],
  'batch-step.checked': ['Payees checked', 'ตรวจผู้รับเงิน'],
  'batch-step.approval': ['Approval', 'อนุมัติ'],
  'batch-step.paying': ['Paying', 'จ่ายเงิน'],
  'batch-step.result': ['Result', 'ผลการจ่าย'],

  // ---------------------------------------------------------------- states of transfers

  'attempt-status.recorded': ['recorded', 'บันทึกแล้ว'],
  'attempt-status.sent': ['sent', 'ส่งแล้ว'],
  'attempt-status.paid': ['paid', 'จ่ายสำเร็จ'],
  'attempt-status.failed': ['failed', 'ไม่สำเร็จ'],
  'attempt-status.refused': ['refused', 'ธนาคารปฏิเสธ'],
  'attempt-status.unresolved': ['unresolved', 'ยังสรุปผลไม่ได้'],

  // ---------------------------------------------------------------- states of proposals

  'proposal-status.proposed': ['Waits for a check', 'รออนุมัติ'],
  'proposal-status.approved': ['Being applied', 'กำลังดำเนินการ'],
  'proposal-status.applied': ['Applied', 'ดำเนินการแล้ว'],
  'proposal-status.sent-back': ['Sent back', 'ส่งกลับแล้ว'],
  'proposal-status.withdrawn': ['Withdrawn', 'ถอนแล้ว'],
  'proposal-status.stale': [
    'Out of date: what it is about has changed since',
    'ใช้ไม่ได้แล้ว เพราะข้อมูลเปลี่ยนไปหลังจากเสนอ',
  ],
  'proposal-status.expired': ['Lapsed: not checked in time', 'หมดอายุ เพราะไม่ได้รับอนุมัติภายในกำหนด'],

  // ---------------------------------------------------------------- whether money moved

  'money-moved.no': ['No money moved', 'เงินยังไม่ออก'],
  'money-moved.unknown': ['Unknown if it moved', 'ยังไม่ทราบว่าเงินออกหรือไม่'],
  'money-moved.yes': ['Money moved', 'เงินออกแล้ว'],

  // ---------------------------------------------------------------- the same, with what follows from it

  'money-meaning.no': ['No money moved', 'เงินยังไม่ออก'],
  'money-meaning.unknown': ['Unknown if it moved: do not pay again', 'ยังไม่ทราบว่าเงินออกหรือไม่ ห้ามจ่ายซ้ำ'],
  'money-meaning.yes': ['Money moved', 'เงินออกแล้ว'],

  // ---------------------------------------------------------------- roles

  'role.viewer': ['viewer', 'ผู้ดูข้อมูล'],
  'role.maker': ['maker', 'ผู้ทำรายการ'],
  'role.checker': ['checker', 'ผู้อนุมัติ'],
  'role.admin': ['admin', 'ผู้ดูแลระบบ'],

  // ---------------------------------------------------------------- kinds of what waits

  'queue-kind.break': ['Break', 'ผลต่าง'],
  'queue-kind.day': ['Day without a statement', 'ยังไม่ได้รับรายการเดินบัญชี'],
  'queue-kind.file': ['Refused file', 'ไฟล์ที่ไม่รับเข้าระบบ'],
  'queue-kind.payer': ['Halted account', 'บัญชีถูกระงับการจ่าย'],
  'queue-kind.batch': ['Held batch', 'ชุดจ่ายเงินที่ระงับไว้'],
  'queue-kind.doubt': ['Long in doubt', 'ยังไม่ทราบผลเป็นเวลานาน'],
  'queue-kind.registration': ['Registration', 'การลงทะเบียนหักบัญชี'],
  'queue-kind.callback': ['Unknown callback', 'การแจ้งผลที่ไม่ตรงกับรายการใด'],
  'queue-kind.proposal': ['Waits for a check', 'รออนุมัติ'],
  'queue-kind.decisions': ['File of decisions', 'ไฟล์การตัดสินใจ'],

  // ---------------------------------------------------------------- causes of changes to a payout

  'payout-cause.sealed': ['The whole file was read and sealed', 'อ่านไฟล์ครบและล็อกข้อมูลแล้ว'],
  'payout-cause.hold-added': ['Held', 'ระงับไว้'],
  'payout-cause.hold-lifted': ['A hold was lifted', 'ยกเลิกการระงับ'],
  'payout-cause.cancelled': ['Cancelled', 'ยกเลิกรายการ'],
  'payout-cause.payee-check-refused': [
    'The bank says that this payee cannot be paid',
    'ธนาคารแจ้งว่าจ่ายให้ผู้รับเงินรายนี้ไม่ได้',
  ],
  'payout-cause.intent-recorded': ['Recorded, and then sent to the bank', 'บันทึกแล้วจึงส่งให้ธนาคาร'],
  'payout-cause.earlier-attempt-alive': [
    'An earlier transfer is in process at the bank after all',
    'ธนาคารยังดำเนินการโอนครั้งก่อนอยู่',
  ],
  'payout-cause.found-after-loss': [
    'The bank knows a transfer that the lost journal had made',
    'ธนาคารมีการโอนที่ส่งไว้ก่อนข้อมูลสูญหาย',
  ],
  'payout-cause.outcome-in-doubt': ['No clear answer: the bank is asked', 'ไม่มีคำตอบชัดเจน จึงสอบถามธนาคาร'],
  'payout-cause.inquired': ['The bank was asked: nothing new', 'สอบถามธนาคารแล้ว ไม่มีข้อมูลเพิ่มเติม'],
  'payout-cause.inquiry-requested': ['A person has requested an inquiry', 'มีผู้ขอให้สอบถามธนาคารทันที'],
  'payout-cause.sending-again': ['The same transfer sent again', 'ส่งการโอนเดิมอีกครั้ง'],
  'payout-cause.proved': ['The bank has proved the payment', 'ธนาคารยืนยันว่าจ่ายแล้ว'],
  'payout-cause.refused-for-payout': ['The bank has refused it', 'ธนาคารปฏิเสธรายการ'],
  'payout-cause.inquiry-failed': ['The bank says that it failed', 'ธนาคารแจ้งว่าจ่ายไม่สำเร็จ'],
  'payout-cause.refused-for-line': [
    'Refused for the payer account or the service; no money moved',
    'ธนาคารปฏิเสธเพราะบัญชีผู้จ่ายหรือบริการ เงินยังไม่ออก',
  ],
  'payout-cause.given-up': ['Inquiries have proved nothing', 'สอบถามจนครบแล้วยังสรุปผลไม่ได้'],
  'payout-cause.decided-paid': ['Confirmed as paid by people', 'ผู้มีอำนาจยืนยันว่าจ่ายสำเร็จ'],
  'payout-cause.decided-failed': ['Confirmed as failed by people', 'ผู้มีอำนาจยืนยันว่าจ่ายไม่สำเร็จ'],
  'payout-cause.statement-failed': ['The statement says that it failed', 'รายการเดินบัญชีระบุว่าจ่ายไม่สำเร็จ'],
  'payout-cause.tried-again': ['To be tried again', 'ให้ส่งจ่ายใหม่'],
  'payout-cause.corrected': ['Corrected', 'แก้ไขข้อมูล'],
  'payout-cause.released': ['Its number was released', 'ปลดเลขที่ให้ใช้ใหม่'],
  'payout-cause.acknowledged': ['Acknowledged by a person', 'รับทราบแล้ว'],
  'payout-cause.late-proof': ['Paid after all: an alarm', 'ปรากฏว่าจ่ายแล้ว: แจ้งเตือนสำคัญ'],
  'payout-cause.second-proof': ['Paid a second time: an alarm', 'ปรากฏว่าจ่ายซ้ำ: แจ้งเตือนสำคัญ'],
  'payout-cause.alarm-raised': [
    'The bank contradicts what was proved: an alarm',
    'ข้อมูลธนาคารขัดแย้งกับผลที่ยืนยันแล้ว: แจ้งเตือนสำคัญ',
  ],
  'payout-cause.statement-read': ['A statement tells of it', 'ปรากฏในรายการเดินบัญชี'],
  'payout-cause.statement-contradicts': [
    'A statement contradicts the payment: an alarm',
    'รายการเดินบัญชีขัดแย้งกับผลการจ่าย: แจ้งเตือนสำคัญ',
  ],

  // ---------------------------------------------------------------- causes of changes to a registration

  'registration-cause.sealed': ['The whole file was read and sealed', 'อ่านไฟล์ครบและล็อกข้อมูลแล้ว'],
  'registration-cause.hold-added': ['Held', 'ระงับไว้'],
  'registration-cause.hold-lifted': ['A hold was lifted', 'ยกเลิกการระงับ'],
  'registration-cause.cancelled': ['Cancelled', 'ยกเลิกรายการ'],
  'registration-cause.intent-recorded': ['Recorded, and then sent to the bank', 'บันทึกแล้วจึงส่งให้ธนาคาร'],
  'registration-cause.request-renewed': [
    'Refused for its access token: recorded, and then sent again with a new one',
    'โทเคนใช้ไม่ได้ จึงบันทึกแล้วส่งอีกครั้งด้วยโทเคนใหม่',
  ],
  'registration-cause.acknowledged': [
    'The bank works on it, and will call back',
    'ธนาคารรับเรื่องแล้ว และจะแจ้งผล',
  ],
  'registration-cause.outcome-in-doubt': [
    "No clear answer: the bank's callback is awaited",
    'ไม่มีคำตอบชัดเจน จึงรอธนาคารแจ้งผล',
  ],
  'registration-cause.turned-down': ['The bank has turned the request down', 'ธนาคารไม่รับคำขอ'],
  'registration-cause.turned-down-for-all': [
    'Turned down for the company or the service: it is as if it had not been sent',
    'ธนาคารไม่รับคำขอของทั้งบริษัทหรือทั้งบริการ ถือว่ายังไม่ได้ส่ง',
  ],
  'registration-cause.answered-late': ['The answer came after the callback', 'ได้รับคำตอบหลังการแจ้งผล'],
  'registration-cause.called-back': ['The bank has told its outcome', 'ธนาคารแจ้งผลแล้ว'],
  'registration-cause.time-passed': ['The bank has not called back in time', 'ธนาคารไม่แจ้งผลภายในเวลาที่กำหนด'],
  'registration-cause.called-back-after-all': [
    'The bank tells of it after all: an alarm',
    'ปรากฏว่าธนาคารแจ้งผลรายการนี้: แจ้งเตือนสำคัญ',
  ],
  'registration-cause.contradicted': [
    'The bank contradicts what it has told: an alarm',
    'ธนาคารแจ้งผลขัดแย้งกับที่เคยแจ้ง: แจ้งเตือนสำคัญ',
  ],
  'registration-cause.decided': ['Its outcome was confirmed by people', 'ผู้มีอำนาจยืนยันผล'],
  'registration-cause.tried-again': ['To be registered again', 'ให้ส่งลงทะเบียนใหม่'],
  'registration-cause.released': ['Its registrationId was released', 'ปลดเลขที่ลงทะเบียนให้ใช้ใหม่'],
  'registration-cause.acknowledged-by-person': ['Acknowledged by a person', 'รับทราบแล้ว'],

  // ---------------------------------------------------------------- facts of events, by their names in the journal

  'fact.transRefNo': ['Transfer', 'เลขอ้างอิงการโอน'],
  'fact.sysRefNo': ["Bank's reference", 'เลขอ้างอิงธนาคาร'],
  'fact.severity': ['Severity', 'ระดับ'],
  'fact.transFee': ['Fee', 'ค่าธรรมเนียม'],
  'fact.httpStatus': ['HTTP status', 'สถานะ HTTP'],
  'fact.why': ['Why', 'สาเหตุ'],
  'fact.reason': ['Why', 'สาเหตุ'],
  'fact.remedy': ['What to do', 'วิธีแก้ไข'],
  'fact.elapsedMs': ['Answered after (ms)', 'เวลาตอบ (มิลลิวินาที)'],
  'fact.finding': ['The bank says', 'ธนาคารแจ้งว่า'],
  'fact.hold': ['Hold', 'เหตุที่ระงับ'],
  'fact.lifted': ['Holds lifted', 'เหตุที่ยกเลิกการระงับ'],
  'fact.was': ['It was', 'สถานะก่อนหน้า'],
  'fact.proxyNo': ['Payee number', 'เลขผู้รับเงิน'],
  'fact.amount': ['Amount', 'จำนวนเงิน'],
  'fact.statement': ['Statement of', 'รายการเดินบัญชีวันที่'],
  'fact.version': ['Version', 'ฉบับที่'],
  'fact.line': ['Line', 'บรรทัดที่'],
  'fact.statusText': ['Status there', 'สถานะในรายการเดินบัญชี'],
  'fact.source': ['Came from', 'ที่มา'],
  'fact.sends': ['Sent so often', 'จำนวนครั้งที่ส่ง'],
  'fact.clearedRefs': ['After', 'ต่อจาก'],
  'fact.changed': ['Changed', 'สิ่งที่เปลี่ยน'],
  'fact.open': ['Still open', 'ยังไม่สิ้นสุด'],
  'fact.earlier': ['Earlier payment', 'รายการก่อนหน้า'],
  'fact.requestUid': ['Request', 'เลขที่คำขอ'],
  'fact.accountNo': ['Account', 'เลขที่บัญชี'],
  'fact.respCode': ['Code', 'รหัส'],
  'fact.respDesc': ['Told', 'ผลที่แจ้ง'],
  'fact.ddrOapiSeqId': ["Bank's reference", 'เลขอ้างอิงธนาคาร'],
  'fact.wasInDoubt': ['It was in doubt', 'ก่อนหน้านี้ยังไม่ทราบผล'],
  'fact.xRequestId': ['x-request-id', 'รหัสอ้างอิง x-request-id'],
  'fact.asksFor': ['Hash of what it asks for now', 'ค่าแฮชของข้อมูลที่ขอจ่ายใหม่'],
  'fact.orderHash': ['Hash of what was sent', 'ค่าแฮชของข้อมูลที่ส่ง'],

  // ---------------------------------------------------------------- breaks

  'break.paid-twice': ['paid twice', 'จ่ายซ้ำ'],
  'break.status-mismatch': ['status differs', 'สถานะไม่ตรงกัน'],
  'break.status-contradiction': ['codes of one line contradict each other', 'รหัสในบรรทัดเดียวกันขัดแย้งกัน'],
  'break.line-unreadable': ['line that cannot be read', 'บรรทัดที่อ่านไม่ได้'],
  'break.payee-mismatch': ['payee differs', 'ผู้รับเงินไม่ตรงกัน'],
  'break.amount-mismatch': ['amount differs', 'จำนวนเงินไม่ตรงกัน'],
  'break.other-company': ['booked for another company', 'ลงรายการในชื่อบริษัทอื่น'],
  'break.payer-mismatch': ['another account was debited', 'หักจากบัญชีอื่น'],
  'break.duplicate-line': ['the same transfer twice', 'รายการซ้ำในรายการเดินบัญชี'],
  'break.unmatched-bank-line': ['unknown to us', 'ไม่ใช่รายการที่ส่งจาก paydrop'],
  'break.missing-at-bank': ['missing at the bank', 'บันทึกว่าจ่ายแล้ว แต่ไม่พบในรายการเดินบัญชี'],
  'break.no-trace': ['no trace at the bank', 'ธนาคารไม่พบรายการนี้'],
  'break.unknown-status-word': ['unknown word for the status', 'ไม่มีคำบอกสถานะนี้ในการตั้งค่า'],
  'break.fee-mismatch': ['fee differs', 'ค่าธรรมเนียมไม่ตรงกัน'],
  'break.net-mismatch': ['net amount differs', 'ยอดสุทธิไม่ตรงกัน'],
  'break.date-mismatch': ['date differs', 'วันที่ไม่ตรงกัน'],
  'break.pending-at-bank': ['in process at the bank', 'ธนาคารกำลังดำเนินการ'],
  'break.pending-not-in-statement': [
    'in doubt, and not in the statement',
    'ยังไม่ทราบผล และไม่พบในรายการเดินบัญชี',
  ],

  // ---------------------------------------------------------------- places on which the bank and paydrop agree

  'agreed.matched': ['paid on both sides', 'จ่ายสำเร็จตรงกันทั้งสองฝ่าย'],
  'agreed.matched-other-day': ['paid, sent on another day', 'จ่ายสำเร็จ ส่งในวันอื่น'],
  'agreed.settled-paid': ['paid, in doubt before', 'จ่ายสำเร็จ ก่อนหน้านี้ยังไม่ทราบผล'],
  'agreed.settled-paid-other-day': [
    'paid, in doubt before, sent on another day',
    'จ่ายสำเร็จ ก่อนหน้านี้ยังไม่ทราบผล และส่งในวันอื่น',
  ],
  'agreed.agreed-failed': ['failed on both sides', 'จ่ายไม่สำเร็จตรงกันทั้งสองฝ่าย'],
  'agreed.settled-failed': ['failed, in doubt before', 'จ่ายไม่สำเร็จ ก่อนหน้านี้ยังไม่ทราบผล'],
  'agreed.others': ["other companies'", 'รายการของบริษัทอื่น'],
  'agreed.found-other-day': ["in another day's statement", 'อยู่ในรายการเดินบัญชีของวันอื่น'],

  // ---------------------------------------------------------------- events of people, without user and actor

  'person-event.made': ['user added', 'เพิ่มผู้ใช้'],
  'person-event.role-changed': ['role changed', 'เปลี่ยนสิทธิ์'],
  'person-event.disabled': ['user disabled', 'ปิดใช้งานผู้ใช้'],
  'person-event.enabled': ['user enabled', 'เปิดใช้งานผู้ใช้'],
  'person-event.password-reset': ['new one-time password', 'ออกรหัสผ่านครั้งเดียวใหม่'],
  'person-event.password-changed': ['password set', 'ตั้งรหัสผ่าน'],
  'person-event.passkey-enrolled': ['passkey enrolled', 'ลงทะเบียนพาสคีย์'],
  'person-event.passkey-confirmed': ['passkey confirmed', 'ยืนยันพาสคีย์'],
  'person-event.passkey-revoked': ['passkey revoked', 'เพิกถอนพาสคีย์'],
  'person-event.approval-signed': ['approval signed with a passkey', 'ลงนามอนุมัติด้วยพาสคีย์'],
  'person-event.policy-changed': ['rule of approval agreed on', 'ตกลงเกณฑ์การอนุมัติ'],
  'person-event.token-made': ['token made', 'สร้างโทเคน'],
  'person-event.token-revoked': ['token revoked', 'เพิกถอนโทเคน'],
  'person-event.locked-out': ['locked out after wrong passwords', 'ถูกล็อกเพราะใส่รหัสผ่านผิด'],
  'person-event.signed-in': ['signed in', 'เข้าสู่ระบบ'],
  'person-event.sign-in-failed': ['sign-in failed', 'เข้าสู่ระบบไม่สำเร็จ'],
  'person-event.refused': ['refused', 'ถูกปฏิเสธเพราะไม่มีสิทธิ์'],
  'person-event.recovered': ['made an admin without an admin', 'ตั้งเป็นผู้ดูแลระบบโดยไม่มีผู้ดูแลระบบอนุมัติ'],
  'person-event.revealed': ['looked at a whole number', 'เปิดดูเลขเต็ม'],
  'person-event.noted': ['took, gave back or noted what waits', 'รับเรื่อง คืนเรื่อง หรือรับทราบรายการ'],
  'person-event.erased': ['erased what names a payee', 'ลบข้อมูลที่ระบุตัวผู้รับเงิน'],
  'person-event.session-begun': ['signed in on the page', 'เข้าสู่ระบบบนหน้าเว็บ'],
  'person-event.uploaded': ['file uploaded', 'อัปโหลดไฟล์'],
  'person-event.batch-sealed': ['batch sealed', 'ล็อกข้อมูลชุดจ่ายเงิน'],
  'person-event.payer-moved': ['payer account of a batch changed', 'เปลี่ยนบัญชีผู้จ่ายของชุดจ่ายเงิน'],
  'person-event.approval-taken-back': ['approval of a batch taken back', 'เพิกถอนการอนุมัติชุดจ่ายเงิน'],
  'person-event.reports-written': ['reports of a batch written', 'ออกรายงานของชุดจ่ายเงิน'],

  // ---------------------------------------------------------------- time

  'month.jan': ['Jan', 'ม.ค.'],
  'month.feb': ['Feb', 'ก.พ.'],
  'month.mar': ['Mar', 'มี.ค.'],
  'month.apr': ['Apr', 'เม.ย.'],
  'month.may': ['May', 'พ.ค.'],
  'month.jun': ['Jun', 'มิ.ย.'],
  'month.jul': ['Jul', 'ก.ค.'],
  'month.aug': ['Aug', 'ส.ค.'],
  'month.sep': ['Sep', 'ก.ย.'],
  'month.oct': ['Oct', 'ต.ค.'],
  'month.nov': ['Nov', 'พ.ย.'],
  'month.dec': ['Dec', 'ธ.ค.'],
  'time.moment': ['{day} {clock}', '{day} {clock} น.'],
  'time.days': ['{count}d', '{count} วัน'],
  'time.hours': ['{count}h', '{count} ชม.'],
  'time.minutes': ['{count}min', '{count} นาที'],
  'time.under-a-minute': ['under 1min', 'ไม่ถึง 1 นาที'],
});
