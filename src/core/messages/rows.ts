/** Why a row of a file waits, has ended, or is rejected by what others have done. */
import { wordings } from './wording.ts';

const onlyIn = 'only in case, leading zeros, decimals of zeros, punctuation or blanks';
const onlyInTh = 'ต่างกันเพียงตัวพิมพ์ใหญ่เล็ก เลขศูนย์นำหน้า ทศนิยมที่เป็นศูนย์ เครื่องหมาย หรือช่องว่าง';

/** Statuses and holds within a sentence; English names them as files and JSON do. */
const stateWordings = wordings({
  'hold-is.approval': ['approval', 'รออนุมัติ'],
  'hold-is.name': ['name', 'ชื่อที่ธนาคารไม่ตรงกับในไฟล์'],
  'hold-is.limit': ['limit', 'จำนวนเงินเกินวงเงินต่อรายการ'],
  'hold-is.halted': ['halted', 'ถูกระงับไว้'],
  'hold-is.paused': ['paused', 'บริการของธนาคารยังไม่พร้อม'],
  'hold-is.unavailable': ['unavailable', 'การตรวจสอบก่อนส่งไม่ได้รับคำตอบ'],
  'hold-is.similar': ['similar', 'มีรายการอื่นที่คล้ายกัน'],
  'hold-is.new-payee': ['new-payee', 'ไม่เคยจ่ายให้ผู้รับเงินรายนี้มาก่อน'],
  'hold-is.day-limit': ['day-limit', 'ใช้วงเงินของวันเต็มแล้ว'],
  'hold-is.service-day': ['service-day', 'วันนี้ไม่ส่งรายการ'],
  'hold-is.resend': ['resend', 'ต้องมีผู้ตัดสินใจว่าจะส่งเลขอ้างอิงเดิมอีกครั้งหรือไม่'],
  'hold-is.called-back': ['called-back', 'ธนาคารเคยแจ้งผลของการลงทะเบียนแบบนี้แล้ว'],

  'inquiry-says.complete': ['complete', 'เสร็จสมบูรณ์'],
  'inquiry-says.in-process': ['in-process', 'กำลังดำเนินการ', 'in process'],
  'inquiry-says.failed': ['failed', 'ไม่สำเร็จ'],
  'inquiry-says.not-found': ['not-found', 'ไม่พบรายการ', 'not found'],
  'inquiry-says.nothing-said': ['nothing-said', 'ไม่แจ้งผล', 'no result'],
});

/** The reason of a held row that has none of its own. */
const holdWordings = wordings({
  'hold-reason.approval': ['it waits for approval', 'รออนุมัติ'],
  'hold-reason.name': ['the bank holds another name', 'ชื่อที่ธนาคารไม่ตรงกับในไฟล์'],
  'hold-reason.limit': [
    'its amount is above limits.bahtPerPayout of the settings',
    'จำนวนเงินเกินวงเงินต่อรายการ',
    'its amount is above the limit of a payout',
  ],
  'hold-reason.halted': ['sending is halted', 'ถูกระงับการจ่าย'],
  'hold-reason.paused': ['the service could not take it', 'บริการของธนาคารยังไม่พร้อม'],
  'hold-reason.unavailable': ['a check before sending got no answer', 'การตรวจสอบก่อนส่งไม่ได้รับคำตอบ'],
  'hold-reason.similar': ['another payout is like it', 'มีรายการอื่นที่คล้ายกัน'],
  'hold-reason.new-payee': ['its payee was never paid before', 'ไม่เคยจ่ายให้ผู้รับเงินรายนี้มาก่อน'],
  'hold-reason.day-limit': ['a limit of the day is used up', 'ใช้วงเงินของวันเต็มแล้ว'],
  'hold-reason.service-day': ['nothing is sent on this day', 'วันนี้ไม่ส่งรายการ'],
  'hold-reason.resend': [
    'a person must decide whether its reference goes again',
    'ต้องมีผู้ตัดสินใจว่าจะส่งเลขอ้างอิงเดิมอีกครั้งหรือไม่',
  ],
  'registration-hold-reason.paused': ['the service could not take it', 'บริการของธนาคารยังไม่พร้อม'],
  'registration-hold-reason.halted': ['registering is halted', 'ถูกระงับการส่ง'],
  'registration-hold-reason.similar': ['another registrationId is like it', 'มี registrationId อื่นที่คล้ายกัน'],
  'registration-hold-reason.called-back': [
    'the bank has told of such a registration before',
    'ธนาคารเคยแจ้งผลของการลงทะเบียนแบบนี้แล้ว',
  ],
});

/** Reasons found when a file is taken in, by the limits, or by a person. */
const ownWordings = wordings({
  'reason.several': ['{reasons}', '{reasons}'],
  'reason.held': ['{reason} (held: {holds})', '{reason} (เหตุที่ระงับ: {holds})'],

  'row.of-file': ['row {row} of this file', 'แถวที่ {row} ของไฟล์นี้'],
  'row.of-other-file': ['row {row} of {file} (batch {batch})', 'แถวที่ {row} ของ {file} (ชุด {batch})'],
  'row.of-batch': ['row {row} of batch {batch}', 'แถวที่ {row} ของชุด {batch}'],
  'row.sent': [
    'row {row} of {file}, batch {batch}, sent on {day}',
    'แถวที่ {row} ของ {file} ชุด {batch} ส่งวันที่ {day}',
  ],
  'row.beside': ['row {row} of {file}, batch {batch}', 'แถวที่ {row} ของ {file} ชุด {batch}'],

  'reason.over-limit': [
    'the amount is over limits.bahtPerPayout',
    'จำนวนเงินเกินวงเงินต่อรายการ',
    'the amount is above the limit of a payout',
  ],
  'reason.corrected-over-limit': [
    'the corrected amount is over limits.bahtPerPayout',
    'จำนวนเงินที่แก้ไขเกินวงเงินต่อรายการ',
    'the corrected amount is above the limit of a payout',
  ],
  'reason.similar-id': [
    `differs from payoutId {payoutId} ({place}) ${onlyIn}`,
    `คล้ายกับ payoutId {payoutId} ({place}) ${onlyInTh}`,
  ],
  'reason.paid-the-same': [
    'the same amount was paid to the same payee as payoutId {payoutId} ({place})',
    'เคยจ่ายจำนวนเงินเท่ากันให้ผู้รับเงินรายเดียวกันใน payoutId {payoutId} ({place})',
  ],
  'reason.maybe-paid-the-same': [
    'the same amount may have been paid to the same payee as payoutId {payoutId} ({place})',
    'อาจเคยจ่ายจำนวนเงินเท่ากันให้ผู้รับเงินรายเดียวกันใน payoutId {payoutId} ({place})',
  ],
  'reason.like-file': [
    'its file may have been paid before: {likeRows} of {rows} share payee and amount with rows that are paid or under way ({otherRows} of them with {file}, batch {batch})',
    'ไฟล์นี้อาจจ่ายไปแล้ว: {likeRows} จาก {rows} มีผู้รับเงินและจำนวนเงินตรงกับรายการที่จ่ายแล้วหรือกำลังจ่าย (ในจำนวนนี้ {otherRows} รายการตรงกับ {file} ชุด {batch})',
  ],
  'reason.claimed': [
    'this payoutId is already taken by {place}, which is {status}: {advice}',
    'payoutId นี้ใช้แล้วใน{place} ซึ่งมีสถานะ {status} {advice}',
  ],
  'reason.holder': [
    'row {row} of batch {batch} ({file}) has this payoutId and is {status}: {advice}; remove the row',
    'แถวที่ {row} ของชุด {batch} ({file}) ใช้ payoutId นี้แล้ว และมีสถานะ {status} {advice} ให้ลบแถวนี้',
  ],
  'claimed-by.waiting': [
    'do not send it twice; it goes on or is cancelled there, and only another payment gets another payoutId',
    'ห้ามส่งซ้ำ ให้ดำเนินการต่อหรือยกเลิกที่รายการนั้น ใช้ payoutId ใหม่เฉพาะเมื่อเป็นการจ่ายคนละรายการ',
  ],
  'claimed-by.cancelled': [
    'a person has cancelled it, and it keeps its payoutId; if it is to be paid after all, send it under another one',
    'มีผู้ยกเลิกแล้ว และ payoutId นี้ยังใช้ซ้ำไม่ได้ หากต้องการจ่าย ให้ส่งด้วย payoutId อื่น',
  ],
  'claimed-by.sent': [
    'do not pay it again; a payoutId is paid once, and only another payment gets another one',
    'ห้ามจ่ายซ้ำ payoutId หนึ่งจ่ายได้ครั้งเดียว ใช้ payoutId ใหม่เฉพาะเมื่อเป็นการจ่ายคนละรายการ',
  ],
  'reason.later-row-differs': [
    'a later row has the same payoutId with other contents: neither is paid; give each payout a payoutId of its own',
    'มีแถวถัดไปที่ใช้ payoutId เดียวกันแต่ข้อมูลต่างกัน จึงไม่จ่ายทั้งสองแถว ให้ใช้ payoutId ที่ไม่ซ้ำกันในแต่ละรายการ',
  ],
  'reason.later-row-has-other-cells': [
    'a later row has the same payoutId and other cells: all such rows are rejected, give each payout a payoutId of its own',
    'มีแถวถัดไปที่ใช้ payoutId เดียวกันแต่ข้อมูลต่างกัน จึงไม่รับทุกแถวที่ใช้ payoutId นี้ ให้ใช้ payoutId ที่ไม่ซ้ำกันในแต่ละรายการ',
  ],
  'reason.cancelled': ['cancelled by a person', 'มีผู้ยกเลิก'],
  'reason.cancelled-unsent': ['cancelled by a person before it was sent', 'มีผู้ยกเลิกก่อนส่ง'],
  'reason.confirmed-paid': ['confirmed as paid by people, with evidence', 'มีผู้ยืนยันว่าจ่ายสำเร็จ พร้อมหลักฐาน'],
  'reason.confirmed-failed': ['confirmed as failed by people, with evidence', 'มีผู้ยืนยันว่าไม่สำเร็จ พร้อมหลักฐาน'],
  'reason.confirmed-registered': [
    'confirmed as registered by people, with evidence',
    'มีผู้ยืนยันว่าลงทะเบียนสำเร็จ พร้อมหลักฐาน',
  ],
  'reason.confirmed-refused': [
    'confirmed as refused by people, with evidence',
    'มีผู้ยืนยันว่าธนาคารปฏิเสธ พร้อมหลักฐาน',
  ],

  'limit.baht-per-day': [
    'with it {amount} baht would be sent on {day}, more than {limit} (limits.bahtPerDay)',
    'ถ้ารวมรายการนี้จะส่ง {amount} บาทในวันที่ {day} เกิน {limit} บาท (limits.bahtPerDay)',
  ],
  'limit.payee-per-day': [
    'with it {amount} baht would be sent to this payee on {day}, more than {limit} (limits.bahtPerPayeePerDay)',
    'ถ้ารวมรายการนี้จะส่ง {amount} บาทให้ผู้รับเงินรายนี้ในวันที่ {day} เกิน {limit} บาท (limits.bahtPerPayeePerDay)',
  ],
  'limit.file-per-day': [
    '{files} other file was paid from on {day}, as many as limits.filesPerDay allows',
    'จ่ายจากไฟล์อื่นแล้ว {files} ไฟล์ในวันที่ {day} ครบตามที่กำหนด (limits.filesPerDay)',
  ],
  'limit.files-per-day': [
    '{files} other files were paid from on {day}, as many as limits.filesPerDay allows',
    'จ่ายจากไฟล์อื่นแล้ว {files} ไฟล์ในวันที่ {day} ครบตามที่กำหนด (limits.filesPerDay)',
  ],
  'limit.closed-day': [
    '{day} is a day on which nothing is sent (limits.closedDates)',
    '{day} เป็นวันที่ไม่ส่งรายการ (limits.closedDates)',
  ],
  'limit.weekday': [
    'nothing is sent on a {weekday}, and {day} is one (limits.serviceDays)',
    'วันที่ {day} ตรงกับ{weekday} ซึ่งไม่ส่งรายการ (limits.serviceDays)',
  ],
  'weekday.mon': ['mon', 'วันจันทร์'],
  'weekday.tue': ['tue', 'วันอังคาร'],
  'weekday.wed': ['wed', 'วันพุธ'],
  'weekday.thu': ['thu', 'วันพฤหัสบดี'],
  'weekday.fri': ['fri', 'วันศุกร์'],
  'weekday.sat': ['sat', 'วันเสาร์'],
  'weekday.sun': ['sun', 'วันอาทิตย์'],
  'limit.new-payee': [
    'no payment to this number has been proved before, and the amount is above {limit} baht (limits.newPayeeBaht)',
    'ยังไม่เคยจ่ายสำเร็จให้เลขนี้ และจำนวนเงินเกิน {limit} บาท (limits.newPayeeBaht)',
  ],
  'payee.other-thai-name': [
    'the Thai name in the file differs from the name that the bank holds',
    'ชื่อภาษาไทยในไฟล์ไม่ตรงกับชื่อที่ธนาคาร',
  ],
  'payee.no-answer': ['the payee check gave no answer: {why}', 'การตรวจสอบผู้รับเงินไม่ได้รับคำตอบ: {why}'],
});

/** The bank's answer to a request, or the lack of one. */
const replyWordings = wordings({
  'reply.code-alone': ['the bank answered {code}', 'ธนาคารตอบรหัส {code}'],
  'reply.transfer-status': ['transfer status {code}', 'สถานะการโอน {code}'],
  'reply.transfer-status-missing': ['transfer status missing', 'ไม่มีสถานะการโอน'],
  'reply.token-refused': [
    'the bank refuses our access token even after it was renewed',
    'ธนาคารไม่รับโทเคนของระบบแม้ขอใหม่แล้ว',
  ],
  'reply.forbidden': ['the bank forbids this request (HTTP 403)', 'ธนาคารไม่อนุญาตคำขอนี้ (HTTP 403)'],
  'reply.slow-down': ['the bank asks us to slow down (HTTP 429)', 'ธนาคารขอให้ชะลอการส่ง (HTTP 429)'],
  'reply.unreadable': [
    'the body of the reply is not what the interface says',
    'คำตอบของธนาคารไม่เป็นไปตามข้อกำหนด',
  ],
  'reply.nothing-sent': ['nothing was sent: {why}', 'ยังไม่ได้ส่ง: {why}'],
  'reply.lost': [
    'the request may have arrived, no answer came: {why}',
    'คำขออาจถึงธนาคารแล้ว แต่ไม่ได้รับคำตอบ: {why}',
  ],
  'reply.inquiry-not-sent': ['the inquiry was not sent: {why}', 'ยังไม่ได้ส่งคำสอบถาม: {why}'],
  'reply.inquiry-lost': ['no answer to the inquiry: {why}', 'ไม่ได้รับคำตอบของการสอบถาม: {why}'],
  'reply.inquiry-withheld': ['the inquiry was not sent', 'ยังไม่ได้ส่งคำสอบถาม'],
  'reply.not-asked': ['it could not be asked', 'สอบถามธนาคารไม่ได้'],
  'reply.credentials-refused': [
    'the bank refuses our client ID and secret: correct them in the settings',
    'ธนาคารไม่รับ client ID และ secret ให้แก้ไขในการตั้งค่า',
  ],
  'reply.redirected': [
    'the bank answered HTTP {status}; redirects are never followed',
    'ธนาคารตอบ HTTP {status} ระบบไม่ส่งต่อไปยังที่อยู่อื่น',
  ],
  'reply.foreign-reference': [
    'the reply bears the transRefNo of another transfer',
    'คำตอบมี transRefNo ของการโอนอื่น',
  ],
  'reply.foreign-request': [
    'the reply bears the requestUID of another request',
    'คำตอบมี requestUID ของคำขออื่น',
  ],
  'reply.no-code': [
    'the bank answered HTTP {status} without a status code',
    'ธนาคารตอบ HTTP {status} โดยไม่มีรหัสสถานะ',
  ],
  'reply.no-token': [
    'the bank refuses our access token, and it cannot be sent with a new one: {why}',
    'ธนาคารไม่รับโทเคนของระบบ และส่งด้วยโทเคนใหม่ไม่ได้: {why}',
  ],
  'reply.token-too-late': [
    'the bank refuses our access token, and the moment to send it with a new one had passed',
    'ธนาคารไม่รับโทเคนของระบบ และพ้นเวลาที่จะส่งด้วยโทเคนใหม่แล้ว',
  ],
  'reply.unknown-code': ['the interface has no such code; {text}', 'ไม่มีรหัสนี้ในข้อกำหนดของธนาคาร {text}'],
  'reply.unproven': [
    'IC000 without our transRefNo and requestUID',
    'IC000 โดยไม่มี transRefNo และ requestUID ของระบบ',
  ],
  'reply.unproven-registration': ['code 0 without our requestUID', 'รหัส 0 โดยไม่มี requestUID ของระบบ'],
  'reply.others-alone': [
    'the inquiry answered with transfers that are not the one asked for',
    'คำตอบของการสอบถามเป็นการโอนอื่นที่ไม่ได้สอบถาม',
  ],
  'reply.contradictory-item': [
    'the bank shows the transfer as {status} and, in the same answer, as {code}: that proves nothing',
    'ธนาคารแสดงการโอนเป็น {status} และในคำตอบเดียวกันเป็น {code} จึงไม่ใช่หลักฐาน',
  ],
  'reply.failed-elsewhere': [
    'the bank shows a failed transfer under this reference, but not the one that was last sent',
    'ธนาคารแสดงการโอนที่ไม่สำเร็จภายใต้เลขอ้างอิงนี้ แต่ไม่ใช่ครั้งที่ส่งล่าสุด',
  ],
});

/** The fate of a transfer. */
const attemptWordings = wordings({
  'attempt.too-late': [
    'the moment to send this attempt had passed before its bytes left',
    'พ้นเวลาที่จะส่งครั้งนี้แล้ว ข้อมูลยังไม่ออกจากระบบ',
  ],
  'attempt.two-contents': [
    'the bank completed this reference, which was sent with two contents: only a statement line tells which of them is paid',
    'ธนาคารโอนสำเร็จด้วยเลขอ้างอิงนี้ ซึ่งเคยส่งสองครั้งด้วยข้อมูลต่างกัน ทราบได้จากรายการเดินบัญชีเท่านั้นว่าจ่ายครั้งใด',
  ],
  'attempt.sent-by-another': [
    'the bank has this reference at another time than it was sent: another journal, or a lost part of this one, may have sent it with another amount or payee, so only a statement line can call it paid',
    'เวลาของเลขอ้างอิงนี้ที่ธนาคารไม่ตรงกับเวลาที่ส่ง อาจส่งจากฐานข้อมูล journal อื่นหรือส่วนที่สูญหาย ด้วยจำนวนเงินหรือผู้รับเงินอื่น ยืนยันการจ่ายได้ด้วยรายการเดินบัญชีเท่านั้น',
  ],
  'attempt.contested': [
    'the bank already held this reference, or holds it with other details: only a statement line can prove whose transfer it is',
    'ธนาคารมีเลขอ้างอิงนี้อยู่ก่อน หรือมีด้วยรายละเอียดอื่น ยืนยันได้ด้วยรายการเดินบัญชีเท่านั้นว่าเป็นการโอนของรายการใด',
  ],
  'attempt.not-found-yet': [
    'the bank finds nothing under this reference so far',
    'ธนาคารยังไม่พบรายการตามเลขอ้างอิงนี้',
  ],
  'attempt.refused-and-not-found': [
    'the bank refused it ({code}) without naming our request, and finds nothing under its reference',
    'ธนาคารปฏิเสธ ({code}) โดยไม่อ้างถึงคำขอของระบบ และไม่พบรายการตามเลขอ้างอิงนี้',
  ],
  'attempt.not-found': [
    'the bank finds nothing under this reference, and it may not be sent again',
    'ธนาคารไม่พบรายการตามเลขอ้างอิงนี้ และห้ามส่งอีก',
  ],
  'attempt.goes-again': [
    'the bank finds nothing under this reference; the same transfer is sent again when transfers go on',
    'ธนาคารไม่พบรายการตามเลขอ้างอิงนี้ ระบบจะส่งการโอนเดิมอีกครั้งเมื่อส่งต่อได้',
  ],
  'attempt.next-due': [
    'refused before processing and unknown to the bank; its next attempt is made when the payer account goes on',
    'ธนาคารปฏิเสธก่อนทำรายการและไม่พบรายการนี้ ระบบจะส่งครั้งถัดไปเมื่อบัญชีผู้จ่ายส่งต่อได้',
  ],
  'attempt.earlier-paid': ['earlier attempt {ref} is paid', 'การส่งครั้งก่อน {ref} จ่ายสำเร็จแล้ว'],
  'attempt.earlier-open': ['earlier attempt {ref} is not settled', 'การส่งครั้งก่อน {ref} ยังไม่ทราบผล'],
  'attempt.earlier-says': [
    'earlier attempt {ref} is not settled: the inquiry says {finding}',
    'การส่งครั้งก่อน {ref} ยังไม่ทราบผล การสอบถามแจ้งว่า{finding}',
  ],
  'attempt.earlier-open-later-ended': [
    'earlier attempt {ref} is not settled, though a later one has ended',
    'การส่งครั้งก่อน {ref} ยังไม่ทราบผล แม้ครั้งหลังสิ้นสุดแล้ว',
  ],
  'attempt.late-proof': [
    'attempt {ref}, closed before, was completed by the bank',
    'ธนาคารโอน {ref} สำเร็จ แม้ระบบเคยสรุปผลเป็นอย่างอื่น',
  ],
  'attempt.paid-twice': [
    'the bank completed attempt {ref} too: two transfers were made for this payoutId',
    'ธนาคารโอน {ref} สำเร็จด้วย มีการโอนสองครั้งสำหรับ payoutId นี้',
  ],
  'attempt.of-earlier-row': [
    'attempt {ref} of an earlier row with this payoutId was completed by the bank',
    'ธนาคารโอน {ref} ของแถวก่อนหน้าที่ใช้ payoutId นี้สำเร็จแล้ว',
  ],
  'attempt.reference-kept': [
    'the bank holds {ref} and shows no failed transfer for it: it is never sent again',
    'ธนาคารมี {ref} และไม่แสดงว่าโอนไม่สำเร็จ จึงไม่ส่งเลขอ้างอิงนี้อีก',
  ],
  'attempt.undecided': [
    'the bank may have processed {ref} on another day or with other content, and finds nothing under it now',
    'ธนาคารอาจทำรายการ {ref} ในวันอื่นหรือด้วยข้อมูลอื่น และขณะนี้ไม่พบรายการ',
  ],
  'attempt.used-up': [
    '{count} attempts have failed; a further one has no reference',
    'ส่งไม่สำเร็จแล้ว {count} ครั้ง และไม่มีเลขอ้างอิงสำหรับครั้งถัดไป',
  ],
  'attempt.may-have-moved': [
    'the bank knows {ref}, and money may have moved under it',
    'ธนาคารมีรายการ {ref} และเงินอาจออกแล้ว',
  ],
  'attempt.unanswered': ['asked about {ref}, the bank gave no answer', 'สอบถาม {ref} แล้ว ธนาคารไม่ตอบ'],
  'attempt.none-failed-before': [
    'the bank shows no failed transfer for {ref}, which comes before',
    'ธนาคารไม่แสดงว่าการส่งครั้งก่อน {ref} โอนไม่สำเร็จ',
  ],
  'attempt.found': [
    'the bank knows {ref} ({day}, {finding}), which another journal, or a lost part of this one, must have sent: only a proof with amount and payee, such as a statement line, can call it paid',
    'ธนาคารมีรายการ {ref} ({day} {finding}) ซึ่งส่งจากฐานข้อมูล journal อื่นหรือส่วนที่สูญหาย ยืนยันการจ่ายได้ด้วยหลักฐานที่มีจำนวนเงินและผู้รับเงินเท่านั้น เช่น รายการเดินบัญชี',
  ],
  'attempt.found-failed': [
    'sent as {ref} ({day}) by another journal, or a lost part of this one, and failed: {why}',
    'ส่งเป็น {ref} ({day}) จากฐานข้อมูล journal อื่นหรือส่วนที่สูญหาย และไม่สำเร็จ: {why}',
  ],
  'attempt.other-journal-unanswered': [
    'asked about {ref}, which another journal may have used, the bank gave no answer: {why}',
    'สอบถาม {ref} ซึ่งฐานข้อมูล journal อื่นอาจใช้แล้ว แต่ธนาคารไม่ตอบ: {why}',
  ],

  'attempt.clock-behind-journal': [
    'the clock says {now}, and the journal went on after its loss at {since}: set the clock right',
    'นาฬิกาของเครื่องคือ {now} แต่ฐานข้อมูล journal เริ่มทำงานต่อหลังสูญหายเมื่อ {since} ให้ตั้งนาฬิกาให้ถูกต้อง',
  ],

  'registration.both-requests': [
    '{said} (requestUID {requestUid} or {renewedUid})',
    '{said} (requestUID {requestUid} หรือ {renewedUid})',
  ],
  'registration.kept-back': [
    'the moment to send it had passed before its bytes left',
    'พ้นเวลาที่จะส่งแล้ว ข้อมูลยังไม่ออกจากระบบ',
  ],
  'registration.sender-ended': [
    'the program ended while it was with the bank: it may have it, which only the callback shows',
    'โปรแกรมหยุดขณะที่รายการอยู่ที่ธนาคาร ธนาคารอาจได้รับแล้ว ต้องรอการแจ้งผล',
  ],
  'registration.no-callback': [
    'the bank has not told its outcome within the time set (registration.answerWithinMs)',
    'ธนาคารไม่แจ้งผลภายในเวลาที่กำหนด (registration.answerWithinMs)',
  ],
  'registration.displaced-by': [
    'the bank has called row {row} of batch {batch} registered since, which has this registrationId now: cancel this one',
    'ธนาคารแจ้งว่าแถวที่ {row} ของชุด {batch} ลงทะเบียนสำเร็จแล้ว และใช้ registrationId นี้อยู่ ให้ยกเลิกรายการนี้',
  ],
  'registration.displaced': [
    'the bank has called another registered since, which has this registrationId now: cancel this one',
    'ธนาคารแจ้งว่ารายการอื่นลงทะเบียนสำเร็จแล้ว และใช้ registrationId นี้อยู่ ให้ยกเลิกรายการนี้',
  ],
  'registration.contradicted': [
    'the bank calls it {outcome} ({code}) after it was known as {known}',
    'ธนาคารแจ้งว่า{outcome} ({code}) หลังจากที่ระบบบันทึกว่า{known}',
  ],
  'registration.both-outcomes': ['both outcomes', 'ทั้งสองผล'],
  'registration.companys-rows-held': ['rows are held for their company', 'ระงับรายการของบริษัทนี้ไว้'],
  'registration.called-before': [
    'the bank has told of such a registration, and it is not known which',
    'ธนาคารเคยแจ้งผลของการลงทะเบียนแบบนี้ แต่ไม่ทราบว่าเป็นของรายการใด',
  ],
  'registration.similar-id': [
    `differs from registrationId {registrationId} ({place}) ${onlyIn}`,
    `คล้ายกับ registrationId {registrationId} ({place}) ${onlyInTh}`,
  ],
});

/** Registrations that clash with another. */
const clashWordings = wordings({
  'clash.contradicted-in-file': [
    'a later row has the same registrationId and other cells: all such rows are rejected, give each registration a registrationId of its own',
    'มีแถวถัดไปที่ใช้ registrationId เดียวกันแต่ข้อมูลต่างกัน จึงไม่รับทุกแถวที่ใช้ registrationId นี้ ให้ใช้ registrationId ที่ไม่ซ้ำกันในแต่ละรายการ',
  ],
  'clash.claimed': [
    'this registrationId is already taken by {place}, which is {status}: {advice}',
    'registrationId นี้ใช้แล้วใน{place} ซึ่งมีสถานะ {status} {advice}',
  ],
  'registration-is.taken-in': ['taken in', 'รับไฟล์แล้ว'],
  'registration-claimed-by.cancelled': [
    'a person has cancelled it, and it keeps its registrationId until it is released; else send it under another one',
    'มีผู้ยกเลิกแล้ว และ registrationId นี้ยังใช้ซ้ำไม่ได้จนกว่าจะปลด หากไม่ปลด ให้ส่งด้วย registrationId อื่น',
  ],
  'registration-claimed-by.registered': [
    'do not register it again; another registration gets another registrationId',
    'ห้ามลงทะเบียนซ้ำ ถ้าเป็นคนละรายการให้ใช้ registrationId อื่น',
  ],
  'registration-claimed-by.waiting': [
    'do not send it twice; it goes on or ends there, and another registration gets another registrationId',
    'ห้ามส่งซ้ำ ให้ดำเนินการที่รายการนั้นจนสิ้นสุด ถ้าเป็นคนละรายการให้ใช้ registrationId อื่น',
  ],
  'clash.indistinct': [
    'company code, company ID, account and references are those of {other}, which has not ended: a callback could not tell the two apart; give it another reference, or send it when the other has ended',
    'รหัสบริษัท เลขที่บัญชี และเลขอ้างอิงเหมือนกับ {other} ซึ่งยังไม่สิ้นสุด จึงแยกไม่ได้ว่าการแจ้งผลเป็นของรายการใด ให้ใช้เลขอ้างอิงอื่น หรือส่งเมื่อรายการนั้นสิ้นสุดแล้ว',
  ],
  'clash.similar': [
    `differs from {other} ${onlyIn}: let it go on if both are meant, else cancel it`,
    `คล้ายกับ {other} ${onlyInTh} ถ้าตั้งใจทั้งสองรายการให้ดำเนินการต่อ มิฉะนั้นให้ยกเลิก`,
  ],
  'clash.called': [
    'the bank has called such a registration {outcome} before, for {other}: let it go on if it is to be registered nevertheless, else cancel it',
    'ธนาคารเคยแจ้งผลว่า {outcome} สำหรับ {other} ถ้ายังต้องการลงทะเบียนให้ดำเนินการต่อ มิฉะนั้นให้ยกเลิก',
  ],
  'clash.that-of': ['that of {row}', 'รายการใน{row}'],
  'clash.that-of-later-row': ['that of a later row of this file', 'รายการในแถวถัดไปของไฟล์นี้'],
  'clash.named': ['registrationId {registrationId} ({row})', 'registrationId {registrationId} ของ{row}'],
  'clash.unknown-registration': ['no registration that is known here', 'รายการที่ไม่มีในระบบนี้'],
});

/** The forecast for a row, by the check of a file. */
const forecastWordings = wordings({
  'forecast.held-until': [
    '{why}: held until a person lets it go on ("paydrop resume {payoutId}")',
    '{why} รายการจะระงับไว้จนกว่าจะมีผู้ให้ดำเนินการต่อ',
    '{why}: held until a person lets it go on',
  ],
  'forecast.approval': ['held until it is approved', 'ระงับไว้จนกว่าจะอนุมัติ'],
  'forecast.name': ['the bank holds another Thai name', 'ชื่อภาษาไทยที่ธนาคารไม่ตรงกับในไฟล์'],
  'forecast.limit': [
    'the amount is above limits.bahtPerPayout',
    'จำนวนเงินเกินวงเงินต่อรายการ',
    'the amount is above the limit of a payout',
  ],
  'forecast.halted': ['the payer account is halted', 'บัญชีผู้จ่ายถูกระงับการจ่าย'],
  'forecast.paused': ['the service could not take it', 'บริการของธนาคารยังไม่พร้อม'],
  'forecast.unavailable': ['a check before sending got no answer', 'การตรวจสอบก่อนส่งไม่ได้รับคำตอบ'],
  'forecast.similar': [
    'another payout is so like it that a person must compare the two',
    'มีรายการอื่นที่คล้ายกันมาก ต้องมีผู้เทียบทั้งสองรายการ',
  ],
  'forecast.new-payee': [
    'its payee was never paid before (limits.newPayeeBaht)',
    'ไม่เคยจ่ายให้ผู้รับเงินรายนี้มาก่อน (limits.newPayeeBaht)',
  ],
  'forecast.day-limit': ['a limit of the day is used up', 'ใช้วงเงินของวันเต็มแล้ว'],
  'forecast.service-day': ['nothing is sent on this day', 'วันนี้ไม่ส่งรายการ'],
  'forecast.resend': [
    'a person must decide whether its reference goes again',
    'ต้องมีผู้ตัดสินใจว่าจะส่งเลขอ้างอิงเดิมอีกครั้งหรือไม่',
  ],
  'forecast.unpayable': ['the payee cannot be paid: {why}', 'จ่ายให้ผู้รับเงินรายนี้ไม่ได้: {why}'],
  'forecast.unpayable-unchecked': [
    'the payee cannot be paid, and a run would only learn it from the refused transfer (verify.enabled is false): {why}',
    'จ่ายให้ผู้รับเงินรายนี้ไม่ได้ และจะทราบเมื่อธนาคารปฏิเสธการโอนเท่านั้น (verify.enabled เป็น false): {why}',
  ],
  'forecast.would-be-held': ['{why}: it would be held', '{why} รายการจะระงับไว้'],
  'forecast.paid-all-the-same': ['{why}: the settings pay it all the same', '{why} แต่การตั้งค่าให้จ่ายต่อไป'],
  'forecast.all-held-now': ['{why}: a run would hold all of it now', '{why} หากส่งขณะนี้จะระงับไว้ทั้งไฟล์'],
  'forecast.all-held': [
    '{why}: a run would hold all of it until an operator resumes its batch',
    '{why} เมื่อส่งจะระงับไว้ทั้งไฟล์จนกว่าจะมีผู้ให้ดำเนินการต่อ',
  ],
  'forecast.like-payment': [
    'the same amount was paid, or would be, to the same payee under another payoutId (limits.similarDays)',
    'จ่ายหรือจะจ่ายจำนวนเงินเท่ากันให้ผู้รับเงินรายเดียวกันด้วย payoutId อื่น (limits.similarDays)',
  ],
  'forecast.other-reference': [
    'the same amount was paid, or would be, to the same payee with another reference1 (limits.similarDays): it is paid, make sure that it is another payment',
    'จ่ายหรือจะจ่ายจำนวนเงินเท่ากันให้ผู้รับเงินรายเดียวกันด้วย reference1 อื่น (limits.similarDays) รายการนี้จะจ่าย ให้ตรวจสอบว่าเป็นการจ่ายคนละรายการ',
  ],
  'forecast.because': [': {reason}', ': {reason}'],
  'forecast.held-since': [
    'held since an earlier run ({holds}){why}; a person must let it go on',
    'ระงับไว้ตั้งแต่รอบก่อน ({holds}){why} ต้องมีผู้ให้ดำเนินการต่อ',
  ],
  'forecast.in-doubt-since': [
    '{status} since an earlier run: a run asks the bank and sends nothing',
    '{status}ตั้งแต่รอบก่อน ในรอบถัดไประบบจะสอบถามธนาคารและไม่ส่งรายการนี้',
  ],
  'forecast.rejected': ['rejected by an earlier run{why}', 'ไม่รับเข้าระบบตั้งแต่รอบก่อน{why}'],
  'forecast.unpayable-since': ['unpayable since an earlier run{why}', 'ตรวจผู้รับไม่ผ่านตั้งแต่รอบก่อน{why}'],
  'forecast.ended': [
    '{status} in an earlier run{why}; running the file again does not try it again',
    '{status}ในรอบก่อน{why} การส่งไฟล์เดิมอีกครั้งจะไม่ส่งรายการนี้ใหม่',
  ],
});

export const rowWordings = {
  ...stateWordings,
  ...holdWordings,
  ...ownWordings,
  ...replyWordings,
  ...attemptWordings,
  ...clashWordings,
  ...forecastWordings,
};
