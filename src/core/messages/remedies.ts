/** Remedies for the status codes of the bank. */
import { wordings } from './wording.ts';

/** The transfer status codes of §7.3. */
const transferRemedies = wordings({
  'bank-remedy.IC000': ['Nothing to do', 'ไม่ต้องดำเนินการ'],
  'bank-remedy.PT001': [
    'Correct the field that the bank names and send the payout again',
    'แก้ไขข้อมูลตามที่ธนาคารระบุ แล้วส่งจ่ายใหม่',
  ],
  'bank-remedy.TM001': ['Sent again when the service opens', 'ระบบจะส่งใหม่เมื่อบริการเปิด'],
  'bank-remedy.IC001': [
    'Means a successful inquiry; as a transfer answer it proves nothing: inquire',
    'เป็นรหัสของการสอบถามสำเร็จ ไม่ใช่หลักฐานผลการโอน ต้องสอบถามสถานะกับธนาคาร',
  ],
  'bank-remedy.ED001': [
    'Bank must investigate if the inquiry does not settle it',
    'หากสอบถามแล้วยังไม่ทราบผล ต้องให้ธนาคารตรวจสอบ',
  ],
  'bank-remedy.EA001': [
    'Bank must investigate if the inquiry does not settle it',
    'หากสอบถามแล้วยังไม่ทราบผล ต้องให้ธนาคารตรวจสอบ',
  ],
  'bank-remedy.EA002': [
    'Bank must investigate if the inquiry does not settle it',
    'หากสอบถามแล้วยังไม่ทราบผล ต้องให้ธนาคารตรวจสอบ',
  ],
  'bank-remedy.EA003': [
    'Bank must investigate if the inquiry does not settle it',
    'หากสอบถามแล้วยังไม่ทราบผล ต้องให้ธนาคารตรวจสอบ',
  ],
  'bank-remedy.EA004': [
    'Bank must investigate if the inquiry does not settle it',
    'หากสอบถามแล้วยังไม่ทราบผล ต้องให้ธนาคารตรวจสอบ',
  ],
  'bank-remedy.EM000': [
    'Bank must investigate if the inquiry does not settle it',
    'หากสอบถามแล้วยังไม่ทราบผล ต้องให้ธนาคารตรวจสอบ',
  ],
  'bank-remedy.EM001': [
    'The bank already holds this reference: inquire and compare before believing anything',
    'ธนาคารมีเลขอ้างอิงนี้อยู่แล้ว ให้สอบถามสถานะและเทียบรายการก่อน',
  ],
  'bank-remedy.EM002': [
    'Ask the bank to subscribe the company to the service',
    'ติดต่อธนาคารเพื่อสมัครใช้บริการให้บริษัท',
  ],
  'bank-remedy.EM003': [
    'Executed and failed as the description says: the inquiry proves it',
    'ธนาคารทำรายการแล้วไม่สำเร็จตามคำอธิบาย ยืนยันผลด้วยการสอบถามสถานะ',
  ],
  'bank-remedy.EM004': [
    'Register the payer account for the company or correct it in the configuration',
    'ผูกบัญชีผู้จ่ายกับบริษัท หรือแก้ไขเลขบัญชีในการตั้งค่า',
  ],
  'bank-remedy.EM005': [
    'Ask the bank why the payer account is not allowed',
    'สอบถามธนาคารว่าเหตุใดบัญชีผู้จ่ายจึงใช้ไม่ได้',
  ],
  'bank-remedy.EM006': [
    'Ask the bank to allow direct credit registration',
    'ติดต่อธนาคารเพื่อเปิดใช้การลงทะเบียนรับเงินเข้าบัญชี',
  ],
  'bank-remedy.EM009': ['Check the status of the company ID with the bank', 'ตรวจสอบสถานะของรหัสบริษัทกับธนาคาร'],
  'bank-remedy.EM013': [
    'Check the payer account in the configuration with the bank',
    'ตรวจสอบเลขบัญชีผู้จ่ายในการตั้งค่ากับธนาคาร',
  ],
  'bank-remedy.EM026': ['Check the bank code in the configuration', 'ตรวจสอบรหัสธนาคารในการตั้งค่า'],
  'bank-remedy.EM027': [
    'The destination bank timed out: inquire',
    'ธนาคารปลายทางไม่ตอบภายในเวลา ให้สอบถามสถานะ',
  ],
  'bank-remedy.EM053': [
    'Fund the payer account then resume the batch',
    'นำเงินเข้าบัญชีผู้จ่าย แล้วดำเนินการชุดจ่ายเงินต่อ',
  ],
  'bank-remedy.EM058': ['Sent again later', 'ระบบจะส่งใหม่ภายหลัง'],
  'bank-remedy.EM059': [
    'The bank holds this reference with other details: inquire and compare',
    'ธนาคารมีเลขอ้างอิงนี้แต่รายละเอียดต่างกัน ให้สอบถามสถานะและเทียบรายการ',
  ],
  'bank-remedy.EM063': ['Ask the bank which service the company may use', 'สอบถามธนาคารว่าบริษัทใช้บริการใดได้บ้าง'],
  'bank-remedy.EM066': [
    'In process at the bank: inquire and do not send again',
    'ธนาคารกำลังดำเนินการ ให้สอบถามสถานะ ห้ามส่งซ้ำ',
  ],
  'bank-remedy.EM067': [
    'The bank holds this reference with other details: inquire and compare',
    'ธนาคารมีเลขอ้างอิงนี้แต่รายละเอียดต่างกัน ให้สอบถามสถานะและเทียบรายการ',
  ],
  'bank-remedy.EM068': [
    'Ask the bank to allow transfers to other banks',
    'ติดต่อธนาคารเพื่อเปิดใช้การโอนต่างธนาคาร',
  ],
  'bank-remedy.EM069': ['Reduce or split the amount', 'ลดจำนวนเงิน หรือแบ่งเป็นหลายรายการ'],
  'bank-remedy.EM070': ['Check the fee conditions with the bank', 'ตรวจสอบเงื่อนไขค่าธรรมเนียมกับธนาคาร'],
  'bank-remedy.EM073': [
    'In process at the bank: inquire and do not send again',
    'ธนาคารกำลังดำเนินการ ให้สอบถามสถานะ ห้ามส่งซ้ำ',
  ],
  'bank-remedy.EV001': ['Check the permission and status of the API user', 'ตรวจสอบสิทธิ์และสถานะของผู้ใช้ API'],
  'bank-remedy.EV006': ['Ask the payee for a registered proxy ID', 'ขอเลขพร้อมเพย์ที่ลงทะเบียนแล้วจากผู้รับเงิน'],
  'bank-remedy.EV007': ['Check the financial limit settings with the bank', 'ตรวจสอบวงเงินที่ตั้งไว้กับธนาคาร'],
  'bank-remedy.EV011': ["The payee's account is not active", 'บัญชีผู้รับเงินไม่อยู่ในสถานะใช้งาน'],
  'bank-remedy.EV012': [
    'The request has a wrong parameter type: check the configuration',
    'ข้อมูลที่ส่งผิดประเภท ให้ตรวจสอบการตั้งค่า',
  ],
  'bank-remedy.EV013': ['The payer bank code must be 006', 'รหัสธนาคารของผู้จ่ายต้องเป็น 006'],
  'bank-remedy.EV032': ['Check the status of the payer account with the bank', 'ตรวจสอบสถานะบัญชีผู้จ่ายกับธนาคาร'],
  'bank-remedy.EV033': ["The payee's account cannot receive funds", 'บัญชีผู้รับเงินรับเงินไม่ได้'],
  'bank-remedy.EV034': ['The bank knows no such transaction', 'ธนาคารไม่พบรายการนี้'],
  'bank-remedy.EV035': ['The bank knows no such transaction', 'ธนาคารไม่พบรายการนี้'],
  'bank-remedy.EV036': ['Check the status of the payer account', 'ตรวจสอบสถานะบัญชีผู้จ่าย'],
  'bank-remedy.EV037': ["The payee's account is closed or not active", 'บัญชีผู้รับเงินปิดแล้วหรือไม่อยู่ในสถานะใช้งาน'],
  'bank-remedy.EV038': [
    "The payee's account is not registered for direct credit",
    'บัญชีผู้รับเงินยังไม่ได้ลงทะเบียนรับเงินเข้าบัญชี',
  ],
  'bank-remedy.EV039': ["The reference does not match the payee's account", 'เลขอ้างอิงไม่ตรงกับบัญชีผู้รับเงิน'],
  'bank-remedy.EV040': [
    "The citizen ID does not match the payee's account",
    'เลขประจำตัวประชาชนไม่ตรงกับบัญชีผู้รับเงิน',
  ],
  'bank-remedy.EV042': [
    "The payee's account must be a saving or current account",
    'บัญชีผู้รับเงินต้องเป็นบัญชีออมทรัพย์หรือกระแสรายวัน',
  ],
  'bank-remedy.EV043': [
    "The payee's account must be a saving or current account",
    'บัญชีผู้รับเงินต้องเป็นบัญชีออมทรัพย์หรือกระแสรายวัน',
  ],
  'bank-remedy.EV051': ["Confirm the payee's name and send the payout again", 'ยืนยันชื่อผู้รับเงิน แล้วส่งจ่ายใหม่'],
  'bank-remedy.EV052': ['Ask the bank to allow same-bank transfers', 'ติดต่อธนาคารเพื่อเปิดใช้การโอนภายในธนาคาร'],
  'bank-remedy.EV053': ['Ask the bank to allow other-bank transfers', 'ติดต่อธนาคารเพื่อเปิดใช้การโอนต่างธนาคาร'],
  'bank-remedy.EV054': ['Ask the bank to allow proxy transfer', 'ติดต่อธนาคารเพื่อเปิดใช้การโอนพร้อมเพย์'],
  'bank-remedy.EV055': ['Correct the proxy number', 'แก้ไขเลขผู้รับเงิน'],
  'bank-remedy.EV056': ['Correct the proxy type', 'แก้ไขประเภทเลขผู้รับเงิน'],
  'bank-remedy.EV058': [
    'Interbank service unavailable: inquire and slow down',
    'บริการระหว่างธนาคารใช้งานไม่ได้ ให้สอบถามสถานะและชะลอการส่ง',
  ],
  'bank-remedy.ET001': [
    'Timed out inside the bank: inquire and do not send again',
    'หมดเวลาภายในระบบธนาคาร ให้สอบถามสถานะ ห้ามส่งซ้ำ',
  ],
  'bank-remedy.ET002': [
    'Destination bank unreachable: inquire and slow down',
    'ติดต่อธนาคารปลายทางไม่ได้ ให้สอบถามสถานะและชะลอการส่ง',
  ],
  'bank-remedy.ET004': [
    'Maintenance or technical issue: inquire and slow down',
    'ธนาคารปิดปรับปรุงหรือขัดข้อง ให้สอบถามสถานะและชะลอการส่ง',
  ],
});

/** The registration status codes of §7.1. */
const registrationRemedies = wordings({
  'registration-remedy.0': ['Wait for the callback', 'รอการแจ้งผลจากธนาคาร'],
  'registration-remedy.AU00400': [
    'The bank could not read the request: check the settings of the registration with the bank',
    'ธนาคารอ่านคำขอไม่ได้ ตรวจสอบการตั้งค่าการลงทะเบียนกับธนาคาร',
  ],
  'registration-remedy.AU00401': [
    'Check the client ID and secret, and that the application may register direct debits',
    'ตรวจสอบ client ID และ secret และสิทธิ์ลงทะเบียนหักบัญชีของแอปพลิเคชัน',
  ],
  'registration-remedy.AU00003': [
    'A header is missing at the bank: check bank.clientId and what stands between here and the bank',
    'ธนาคารไม่ได้รับส่วนหัวของคำขอครบ ตรวจสอบ bank.clientId และระบบที่อยู่ระหว่างทาง',
  ],
  'registration-remedy.AU00004': [
    'The bank refuses the form of a header: ask the bank which form it wants',
    'ธนาคารไม่รับรูปแบบส่วนหัวของคำขอ สอบถามรูปแบบที่ถูกต้องจากธนาคาร',
  ],
  'registration-remedy.SYS001': [
    'Wait for the callback; without one, ask the bank whether it has it',
    'รอการแจ้งผล หากไม่ได้รับ สอบถามธนาคารว่าได้รับคำขอหรือไม่',
  ],
  'registration-remedy.SYS002': [
    'Wait for the callback; without one, ask the bank whether it has it',
    'รอการแจ้งผล หากไม่ได้รับ สอบถามธนาคารว่าได้รับคำขอหรือไม่',
  ],
  'registration-remedy.CMN001': [
    'Give what the bank says is missing, and try again',
    'เพิ่มข้อมูลที่ธนาคารแจ้งว่าขาด แล้วส่งใหม่',
  ],
  'registration-remedy.CMN002': [
    'Correct the field that the bank names, and try again',
    'แก้ไขข้อมูลที่ธนาคารระบุ แล้วส่งใหม่',
  ],
  'registration-remedy.CMN003': [
    'Correct the field that the bank names, and try again',
    'แก้ไขข้อมูลที่ธนาคารระบุ แล้วส่งใหม่',
  ],
  'registration-remedy.CMN004': [
    'Give the account number in digits alone, and try again',
    'กรอกเลขที่บัญชีเป็นตัวเลขเท่านั้น แล้วส่งใหม่',
  ],
  'registration-remedy.CMN005': [
    'Shorten the field that the bank names, and try again',
    'ย่อข้อมูลที่ธนาคารระบุ แล้วส่งใหม่',
  ],
  'registration-remedy.BSN001': [
    'The bank does not know this company code: correct vendorId, or ask the bank',
    'ธนาคารไม่พบรหัสบริษัทนี้ แก้ไข vendorId หรือสอบถามธนาคาร',
  ],
  'registration-remedy.BSN002': [
    'The bank has such a registration already, ours or another: wait for the callback, else ask the bank',
    'ธนาคารมีการลงทะเบียนนี้อยู่แล้ว รอการแจ้งผล หากไม่ได้รับ สอบถามธนาคาร',
  ],
  'registration-remedy.BSN003': [
    'Wait for the callback; without one, ask the bank why it failed',
    'รอการแจ้งผล หากไม่ได้รับ สอบถามธนาคารถึงสาเหตุ',
  ],
  'registration-remedy.BSN004': [
    'The bank has no profile of this company: correct companyId, or ask the bank',
    'ธนาคารไม่พบข้อมูลบริษัทนี้ แก้ไข companyId หรือสอบถามธนาคาร',
  ],
  'registration-remedy.BSN005': [
    'Ask the bank which company ID belongs to which company code',
    'สอบถามธนาคารว่า companyId ใดเป็นของรหัสบริษัทใด',
  ],
  'registration-remedy.BSN006': [
    'The bank does not know the partner: check the application with the bank',
    'ธนาคารไม่พบคู่ค้านี้ ตรวจสอบแอปพลิเคชันกับธนาคาร',
  ],
  'registration-remedy.BSN007': [
    'The bank has seen this request before: wait for the callback, else ask the bank',
    'ธนาคารเคยได้รับคำขอนี้แล้ว รอการแจ้งผล หากไม่ได้รับ สอบถามธนาคาร',
  ],
  'registration-remedy.CBS001': ['Ask the customer for the right account number', 'ขอเลขที่บัญชีที่ถูกต้องจากลูกค้า'],
  'registration-remedy.CBS002': [
    'Ask the customer for a retail account that may be debited',
    'ขอบัญชีบุคคลธรรมดาที่หักบัญชีได้จากลูกค้า',
  ],
  'registration-remedy.CBS003': [
    "The customer's account is not active: ask for another one",
    'บัญชีของลูกค้าไม่อยู่ในสถานะใช้งาน ให้ขอบัญชีอื่นจากลูกค้า',
  ],
  'registration-remedy.0429': ['Goes on by itself an hour later', 'ระบบจะดำเนินการต่อเองในอีกหนึ่งชั่วโมง'],
});

export const remedyWordings = { ...transferRemedies, ...registrationRemedies };
