/** Faults of the cells and rows of a file, and of a file as a whole, each with its cure. */
import { wordings } from './wording.ts';

const writeBaht = 'write baht in digits with at most two decimals, as 1234.50';
const bahtTh = 'กรอกเป็นตัวเลขบาท ทศนิยมไม่เกินสองตำแหน่ง เช่น 1234.50';
const writeBahtTh = `ให้${bahtTh}` as const;
const asText = 'format the column as text and write it again';
const asTextTh = 'ให้ตั้งคอลัมน์เป็นข้อความแล้วกรอกใหม่';
const writeName = 'write the name in plain Latin letters (A-Z) or in Thai, or leave it empty';
const writeNameTh = 'ให้กรอกชื่อเป็นตัวอักษรอังกฤษ (A-Z) หรือภาษาไทย หรือเว้นว่าง';
const digitsAlone = 'only the digits 0-9 can stand here, with single hyphens or spaces between them';
const digitsAloneTh = 'กรอกได้เฉพาะตัวเลข 0-9 คั่นด้วยขีดหรือช่องว่างได้ครั้งละหนึ่งตัว';

export const issueWordings = wordings({
  'issue.found': ['{place}: {issue} (found "{found}")', '{place}: {issue} (พบ "{found}")'],
  'issue.at': ['{place}: {issue}', '{place}: {issue}'],
  'issue.line': ['line {line}', 'บรรทัดที่ {line}'],
  'issue.cell': ['line {line}, {column}', 'บรรทัดที่ {line} คอลัมน์ {column}'],

  'issue.amount-characters': [`this is no amount: ${writeBaht}`, `ไม่ใช่จำนวนเงิน ${writeBahtTh}`],
  'issue.amount-missing': [`the amount is empty: ${writeBaht}`, `ไม่มีจำนวนเงิน ${writeBahtTh}`],
  'issue.amount-formula': [
    'a formula stands here: give its result, as 1234.50',
    'มีสูตรอยู่ในช่องนี้ ให้กรอกผลลัพธ์ เช่น 1234.50',
  ],
  'issue.amount-apostrophe': [
    `an apostrophe stands before the number, as in files for a spreadsheet: leave it out and ${writeBaht}`,
    `มีเครื่องหมาย ' นำหน้าตัวเลข เช่นในไฟล์ของโปรแกรมตารางคำนวณ ให้นำออก แล้ว${bahtTh}`,
  ],
  'issue.amount-damaged': [
    'a spreadsheet shows an error here instead of a value: correct the cell',
    'โปรแกรมตารางคำนวณแสดงข้อผิดพลาดแทนค่า ให้แก้ช่องนี้',
  ],
  'issue.amount-exponent': [
    `an exponent, as a spreadsheet writes it, may have lost digits: format the column as text and ${writeBaht}`,
    `เลขยกกำลังจากโปรแกรมตารางคำนวณอาจทำให้ตัวเลขบางหลักหายไป ให้ตั้งคอลัมน์เป็นข้อความ แล้ว${bahtTh}`,
  ],
  'issue.amount-thai-digits': [
    `Thai digits cannot be read as an amount: ${writeBaht}`,
    `อ่านเลขไทยเป็นจำนวนเงินไม่ได้ ${writeBahtTh}`,
  ],
  'issue.amount-currency': [
    `a currency stands beside the number: leave it out and ${writeBaht}`,
    `มีสกุลเงินอยู่กับตัวเลข ให้นำออก แล้ว${bahtTh}`,
  ],
  'issue.amount-negative': [
    'a negative amount cannot be paid: remove the row or correct the sign',
    'จ่ายจำนวนเงินติดลบไม่ได้ ให้ลบแถวหรือแก้เครื่องหมาย',
  ],
  'issue.amount-sign': [`leave the plus sign out: ${writeBaht}`, `ให้นำเครื่องหมายบวกออก แล้ว${bahtTh}`],
  'issue.amount-decimals': [
    'no amount is smaller than a satang: give at most two decimals (a point is never a thousands separator)',
    'หน่วยย่อยที่สุดคือหนึ่งสตางค์ ให้กรอกทศนิยมไม่เกินสองตำแหน่ง (จุดไม่ใช่เครื่องหมายคั่นหลักพัน)',
  ],
  'issue.amount-separator': [
    `thousands separators and decimal commas can be misread: ${writeBaht}`,
    `เครื่องหมายคั่นหลักพันหรือจุลภาคอาจทำให้อ่านจำนวนเงินผิด ${writeBahtTh}`,
  ],
  'issue.amount-point-first': [
    `a digit must stand before the point: ${writeBaht}`,
    `ต้องมีตัวเลขก่อนจุดทศนิยม ${writeBahtTh}`,
  ],
  'issue.amount-point-last': [
    `a digit must stand after the point: ${writeBaht}`,
    `ต้องมีตัวเลขหลังจุดทศนิยม ${writeBahtTh}`,
  ],
  'issue.amount-spaces': ['spaces stand around the amount: remove them', 'มีช่องว่างก่อนหรือหลังจำนวนเงิน ให้ลบออก'],
  'issue.amount-digits': [
    'more than {most} digits before the point cannot be sent: correct the amount',
    'ส่งจำนวนเงินที่มีตัวเลขหน้าจุดทศนิยมเกิน {most} หลักไม่ได้ ให้แก้จำนวนเงิน',
  ],
  'issue.amount-character': [
    `{character} stands in this amount, type it again: ${writeBaht}`,
    `มีอักขระ {character} อยู่ในจำนวนเงิน ให้ลบออก แล้ว${bahtTh}`,
  ],
  'issue.amount-zero': [
    'nothing can be paid with 0: remove the row or correct the amount',
    'จ่าย 0 บาทไม่ได้ ให้ลบแถวหรือแก้จำนวนเงิน',
  ],
  'issue.amount-cut': [
    'with the cells after it this reads as {uncut}, which its comma has cut: write amounts without separators, as 1234.50; where {amount} is the whole amount, write {amount}.00',
    'เมื่อรวมกับช่องถัดไปอ่านได้เป็น {uncut} ซึ่งถูกจุลภาคตัดเป็นสองช่อง ให้กรอกจำนวนเงินโดยไม่คั่นหลัก เช่น 1234.50 ถ้า {amount} เป็นจำนวนเต็ม ให้กรอก {amount}.00',
  ],

  'issue.proxy-type': [
    'only NATID (citizen or tax ID) or MSISDN (mobile number) can stand here, or nothing',
    'กรอกได้เฉพาะ NATID (เลขประจำตัวประชาชนหรือเลขประจำตัวผู้เสียภาษี) หรือ MSISDN (หมายเลขโทรศัพท์มือถือ) หรือเว้นว่าง',
  ],
  'issue.proxy-formula': [
    'a formula stands here: give the number itself, in a column formatted as text',
    'มีสูตรอยู่ในช่องนี้ ให้กรอกตัวเลขในคอลัมน์ที่ตั้งเป็นข้อความ',
  ],
  'issue.proxy-missing': [
    'proxyNo is empty: give a mobile number or a citizen or tax ID',
    'ไม่มี proxyNo ให้กรอกหมายเลขโทรศัพท์มือถือ เลขประจำตัวประชาชน หรือเลขประจำตัวผู้เสียภาษี',
  ],
  'issue.proxy-mobile-prefix': [
    'a Thai mobile number starts with 06, 08 or 09: correct the number',
    'หมายเลขโทรศัพท์มือถือไทยขึ้นต้นด้วย 06, 08 หรือ 09 ให้แก้ไขหมายเลข',
  ],
  'issue.proxy-damaged': [
    `the leading zero is gone, as when a spreadsheet takes it for a number: ${asText}`,
    `เลขศูนย์นำหน้าหายไป เพราะโปรแกรมตารางคำนวณอ่านเป็นจำนวน ${asTextTh}`,
  ],
  'issue.proxy-damaged-tax-id': [
    `the leading zero of this tax ID is gone, as when a spreadsheet takes it for a number: ${asText}`,
    `เลขศูนย์นำหน้าของเลขประจำตัวผู้เสียภาษีนี้หายไป เพราะโปรแกรมตารางคำนวณอ่านเป็นจำนวน ${asTextTh}`,
  ],
  'issue.proxy-landline': [
    'a landline number (9 digits that start with 02 to 05 or 07) cannot be paid: give a mobile number, with its ten digits, or a citizen or tax ID',
    'จ่ายเข้าหมายเลขโทรศัพท์บ้าน (9 หลัก ขึ้นต้นด้วย 02 ถึง 05 หรือ 07) ไม่ได้ ให้ใช้หมายเลขโทรศัพท์มือถือ 10 หลัก เลขประจำตัวประชาชน หรือเลขประจำตัวผู้เสียภาษี',
  ],
  'issue.proxy-type-not-mobile': [
    'proxyType is MSISDN but these are the 13 digits of a citizen or tax ID: correct one of the two',
    'proxyType เป็น MSISDN แต่ proxyNo เป็นเลขประจำตัวประชาชนหรือเลขประจำตัวผู้เสียภาษี 13 หลัก ให้แก้ไขช่องใดช่องหนึ่ง',
  ],
  'issue.proxy-type-not-id': [
    'proxyType is NATID but this is a mobile number: correct one of the two',
    'proxyType เป็น NATID แต่ proxyNo เป็นหมายเลขโทรศัพท์มือถือ ให้แก้ไขช่องใดช่องหนึ่ง',
  ],
  'issue.proxy-type-international': [
    'proxyType is NATID but this is an international mobile number: correct one of the two',
    'proxyType เป็น NATID แต่ proxyNo เป็นหมายเลขโทรศัพท์มือถือแบบสากล ให้แก้ไขช่องใดช่องหนึ่ง',
  ],
  'issue.proxy-country-zero': [
    'after 66 the leading 0 is left out: write 66 and nine digits, or 0 and nine digits',
    'หลัง 66 ไม่ต้องใส่เลขศูนย์ ให้กรอก 66 ตามด้วย 9 หลัก หรือ 0 ตามด้วย 9 หลัก',
  ],
  'issue.proxy-no-mobile': [
    '{digits} no mobile number: write ten digits that begin with 0',
    'มี {digits} ไม่ใช่หมายเลขโทรศัพท์มือถือ ให้กรอก 10 หลัก ขึ้นต้นด้วย 0',
  ],
  'issue.proxy-other-country': [
    'only Thai mobile numbers can be paid: after the + stands 66, and then nine digits',
    'จ่ายได้เฉพาะหมายเลขโทรศัพท์มือถือไทย หลัง + ต้องเป็น 66 แล้วตามด้วย 9 หลัก',
  ],
  'issue.proxy-plus-13': [
    '13 digits after the +: write a mobile number as +66 and nine digits, an ID without the +',
    'มี 13 หลักหลัง + ให้กรอกหมายเลขโทรศัพท์มือถือเป็น +66 ตามด้วย 9 หลัก ส่วนเลขประจำตัวประชาชนหรือเลขประจำตัวผู้เสียภาษีไม่ต้องมี +',
  ],
  'issue.proxy-check-digit': [
    'the check digit of this citizen or tax ID is wrong: correct the number',
    'หลักตรวจสอบของเลขประจำตัวประชาชนหรือเลขประจำตัวผู้เสียภาษีไม่ถูกต้อง ให้แก้ไขหมายเลข',
  ],
  'issue.proxy-id-length': [
    '{digits}: a citizen or tax ID has 13, a digit is missing or too many',
    'มี {digits} เลขประจำตัวประชาชนหรือเลขประจำตัวผู้เสียภาษีมี 13 หลัก ตัวเลขขาดหรือเกิน',
  ],
  'issue.proxy-length': [
    '{digits}: a mobile number has 10, a citizen or tax ID 13, a digit is missing or too many',
    'มี {digits} หมายเลขโทรศัพท์มือถือมี 10 หลัก เลขประจำตัวประชาชนหรือเลขประจำตัวผู้เสียภาษีมี 13 หลัก ตัวเลขขาดหรือเกิน',
  ],
  'issue.proxy-ambiguous': [
    'this can be a mobile number or a tax ID: say which in proxyType (MSISDN or NATID)',
    'อาจเป็นหมายเลขโทรศัพท์มือถือหรือเลขประจำตัวผู้เสียภาษี ให้ระบุใน proxyType (MSISDN หรือ NATID)',
  ],
  'digit.one': ['{count} digit', '{count} หลัก'],
  'digit.many': ['{count} digits', '{count} หลัก'],
  'digit-is.one': ['{count} digit is', '{count} หลัก'],
  'digit-is.many': ['{count} digits are', '{count} หลัก'],

  'issue.number-apostrophe': [
    'an apostrophe stands before this number, as in files for a spreadsheet: write the digits alone',
    "มีเครื่องหมาย ' นำหน้าหมายเลขแบบไฟล์ของโปรแกรมตารางคำนวณ ให้กรอกเฉพาะตัวเลข",
  ],
  'issue.number-exponent': [
    `a spreadsheet has turned this number into an exponent, its digits are lost: ${asText}`,
    `โปรแกรมตารางคำนวณแปลงหมายเลขเป็นเลขยกกำลัง ตัวเลขบางหลักหายไป ${asTextTh}`,
  ],
  'issue.number-decimals': [
    `a spreadsheet has given this number decimals: ${asText}`,
    `โปรแกรมตารางคำนวณใส่ทศนิยมให้หมายเลขนี้ ${asTextTh}`,
  ],
  'issue.number-thai-digits': [
    'Thai digits cannot be sent: write the number with 0-9',
    'ส่งเลขไทยไม่ได้ ให้กรอกด้วยเลขอารบิก 0-9',
  ],
  'issue.number-letters': [
    'letters stand in this number, the first is "{letter}": only the digits 0-9 can',
    'มีตัวอักษรอยู่ในหมายเลข ตัวแรกคือ "{letter}" กรอกได้เฉพาะตัวเลข 0-9',
  ],
  'issue.number-sign': ['"{character}" stands in this number: {rule}', 'มี "{character}" อยู่ในหมายเลข {rule}'],
  'issue.number-character': [
    '{character} stands in this number, type it again: {rule}',
    'มีอักขระ {character} อยู่ในหมายเลข ให้กรอกหมายเลขใหม่ {rule}',
  ],
  'number-rule.groups': [digitsAlone, digitsAloneTh],
  'number-rule.plus': [`${digitsAlone} or a leading +`, `${digitsAloneTh} หรือขึ้นต้นด้วย +`],

  'issue.control-character': [
    'the control character {character} stands in this cell (a line break or a tab?): remove it',
    'มีอักขระควบคุม {character} ในช่องนี้ (อาจเป็นการขึ้นบรรทัดใหม่หรือแท็บ) ให้ลบออก',
  ],
  'issue.text-formula': [
    'a text that starts with {first} would run as a formula: give plain text',
    'ข้อความที่ขึ้นต้นด้วย {first} จะทำงานเป็นสูตร ให้กรอกข้อความธรรมดา',
  ],
  'issue.damaged': [`{damage}: ${asText}`, `{damage} ${asTextTh}`],
  'damage.error': [
    'a spreadsheet shows an error here instead of a value',
    'โปรแกรมตารางคำนวณแสดงข้อผิดพลาดแทนค่า',
  ],
  'damage.exponent': [
    'a spreadsheet has turned this number into an exponent, its digits are lost',
    'โปรแกรมตารางคำนวณแปลงหมายเลขเป็นเลขยกกำลัง ตัวเลขบางหลักหายไป',
  ],
  'issue.text-length': [
    '{length} characters: at most {most} fit, shorten it',
    'มี {length} ตัวอักษร กรอกได้ไม่เกิน {most} ตัวอักษร ให้กรอกให้สั้นลง',
  ],
  'issue.text-characters': [
    '{character} cannot be used here: only letters A-Z, digits and signs of plain ASCII can',
    'ใช้ {character} ในช่องนี้ไม่ได้ ใช้ได้เฉพาะตัวอักษร A-Z ตัวเลข และเครื่องหมาย ASCII',
  ],
  'issue.text-unseen': [
    '{character} cannot be used here: only letters A-Z, digits and signs of plain ASCII can; it cannot be seen, type the text again',
    'ใช้ {character} ในช่องนี้ไม่ได้ ใช้ได้เฉพาะตัวอักษร A-Z ตัวเลข และเครื่องหมาย ASCII อักขระนี้มองไม่เห็น ให้กรอกข้อความใหม่',
  ],
  'issue.id-missing': [
    '{column} is empty: give every {thing} a name of its own',
    'ไม่มี {column} ให้กรอกค่าที่ไม่ซ้ำกันสำหรับทุก{thing}',
  ],
  'issue.id-ambiguous': [
    `a spreadsheet has given this number decimals or grouped its digits, it may be {one} or {thousand}: ${asText}`,
    `โปรแกรมตารางคำนวณใส่ทศนิยมหรือคั่นหลักตัวเลข เลขนี้อาจเป็น {one} หรือ {thousand} ${asTextTh}`,
  ],
  'thing.payout': ['payout', 'รายการจ่าย'],
  'thing.registration': ['registration', 'รายการลงทะเบียน'],
  'issue.name-unseen': [
    '{character} stands in this name and cannot be seen there: type the name again, with plain spaces',
    'มีอักขระ {character} ที่มองไม่เห็นอยู่ในชื่อ ให้กรอกชื่อใหม่และใช้ช่องว่างธรรมดา',
  ],
  'issue.name-letters': [`no letter stands in it: ${writeName}`, `ชื่อไม่มีตัวอักษร ${writeNameTh}`],
  'issue.name-script': [
    `{character} cannot be compared: ${writeName}`,
    `เปรียบเทียบอักขระ {character} ไม่ได้ ${writeNameTh}`,
  ],

  'issue.customer-id-missing': [
    'customerId is empty: say whose account it is, by your own number of the customer',
    'ไม่มี customerId ให้กรอกเลขประจำตัวลูกค้าที่บริษัทใช้ เพื่อระบุเจ้าของบัญชี',
  ],
  'issue.code-missing': [
    '{column} is empty: give it, or set registration.{column} for all rows',
    'ไม่มี {column} ให้กรอก หรือตั้งค่า registration.{column} สำหรับทุกแถว',
  ],
  'issue.code-spaces': ['a space stands inside: remove it', 'มีช่องว่างระหว่างตัวอักษร ให้ลบออก'],
  'issue.account-missing': [
    'accountNo is empty: give the account to be debited',
    'ไม่มี accountNo ให้กรอกเลขที่บัญชีที่จะหักเงิน',
  ],
  'issue.account-formula': [
    'a text that starts with {first} would run as a formula: give the digits alone',
    'ข้อความที่ขึ้นต้นด้วย {first} จะทำงานเป็นสูตร ให้กรอกเฉพาะตัวเลข',
  ],
  'issue.account-length': [
    '{digits}: an account number has at most {most}, digits are too many',
    'มี {digits} เลขที่บัญชีมีได้ไม่เกิน {most} หลัก ตัวเลขเกิน',
  ],
  'issue.account-damaged': [
    `{digits}: an account number has {least} or more; a leading zero is gone, as when a spreadsheet takes it for a number, or digits are missing: ${asText}`,
    `มี {digits} เลขที่บัญชีต้องมี {least} หลักขึ้นไป เลขศูนย์นำหน้าอาจหายไปเพราะโปรแกรมตารางคำนวณอ่านเป็นจำนวน หรือตัวเลขขาด ${asTextTh}`,
  ],

  'issue.cell-error': [
    'the sheet shows an error here instead of a value: correct the cell',
    'แผ่นงานแสดงข้อผิดพลาดแทนค่า ให้แก้ช่องนี้',
  ],
  'issue.cell-formula': [
    'the formula here has no result: open the workbook in a spreadsheet, save it, and give it again',
    'สูตรในช่องนี้ไม่มีผลลัพธ์ ให้เปิดไฟล์ในโปรแกรมตารางคำนวณ บันทึก แล้วส่งใหม่',
  ],
  'issue.cell-digits': [
    'a number of more than 15 digits, whose last ones a spreadsheet loses: format the cell as text and write it again',
    'ตัวเลขเกิน 15 หลัก โปรแกรมตารางคำนวณทำให้หลักท้ายหายไป ให้ตั้งช่องเป็นข้อความแล้วกรอกใหม่',
  ],
  'issue.cell-rounded': [
    'the cell holds another number than it shows: round it to what is meant, or format the cell as text',
    'ค่าในช่องต่างจากที่แสดง ให้ปัดเป็นค่าที่ต้องการ หรือตั้งช่องเป็นข้อความ',
  ],
  'issue.cell-date': [
    'a spreadsheet has made a date of this cell: format it as text and write it again',
    'โปรแกรมตารางคำนวณแปลงช่องนี้เป็นวันที่ ให้ตั้งเป็นข้อความแล้วกรอกใหม่',
  ],
  'issue.cell-format': [
    'the format shows another text here than the cell holds: clear it, and look at what is there',
    'รูปแบบของช่องทำให้ค่าที่แสดงต่างจากค่าที่เก็บไว้ ให้ล้างรูปแบบแล้วตรวจสอบค่า',
  ],
  'issue.cell-merged': [
    'the cell is part of a merged one ({area}): split it and write each value in its own cell',
    'ช่องนี้เป็นส่วนหนึ่งของช่องที่ผสาน ({area}) ให้ยกเลิกการผสานและใส่ค่าในแต่ละช่อง',
  ],

  'issue.quote-misplaced': [
    'a quotation mark stands inside a cell: put the whole cell in quotation marks and double those inside',
    'มีเครื่องหมายคำพูดอยู่ในช่อง ให้ใส่เครื่องหมายคำพูดครอบทั้งช่อง และพิมพ์เครื่องหมายข้างในสองครั้ง',
  ],
  'issue.text-formulas.one': [
    '{columns} is written as a formula that keeps its text as it is (="…"): write what is between the quotation marks alone',
    '{columns} เขียนเป็นสูตรที่คงข้อความไว้ (="…") ให้กรอกเฉพาะข้อความระหว่างเครื่องหมายคำพูด',
  ],
  'issue.text-formulas.many': [
    '{columns} are written as formulas that keep their text as it is (="…"): write what is between the quotation marks alone',
    '{columns} เขียนเป็นสูตรที่คงข้อความไว้ (="…") ให้กรอกเฉพาะข้อความระหว่างเครื่องหมายคำพูด',
  ],
  'issue.row-hidden': [
    'the row is hidden in the sheet: show it and look at it, or remove it',
    'แถวนี้ซ่อนอยู่ในแผ่นงาน ให้แสดงแล้วตรวจดู หรือลบออก',
  ],
  'issue.row-empty': ['every cell is empty: remove the line', 'ทุกช่องว่างเปล่า ให้ลบบรรทัดนี้'],
  'issue.cell-count.one': [
    '{count} cell where the header has {expected}: {why}',
    'มี {count} ช่อง แต่หัวตารางมี {expected} ช่อง: {why}',
  ],
  'issue.cell-count.many': [
    '{count} cells where the header has {expected}: {why}',
    'มี {count} ช่อง แต่หัวตารางมี {expected} ช่อง: {why}',
  ],
  'cell-count.trailer': [
    'is it the trailer row? set input.control to trailer',
    'หากเป็นแถวสรุปยอด ให้ตั้งค่า input.control เป็น trailer',
  ],
  'cell-count.beyond-headings': [
    'something stands to the right of the last heading: give that column a heading, or empty its cells',
    'มีข้อมูลทางขวาของหัวคอลัมน์สุดท้าย ให้ใส่หัวคอลัมน์ หรือล้างช่องเหล่านั้น',
  ],
  'cell-count.line-ends-in-one': [
    'the line ends in a separator too many: remove it, or end the header in one, too',
    'บรรทัดนี้มีตัวคั่นท้ายเกินหนึ่งตัว ให้ลบออก หรือใส่ท้ายหัวตารางด้วย',
  ],
  'cell-count.line-ends-in-many': [
    'the line ends in {count} separators too many: remove them, or end the header in as many',
    'บรรทัดนี้มีตัวคั่นท้ายเกิน {count} ตัว ให้ลบออก หรือใส่ท้ายหัวตารางให้เท่ากัน',
  ],
  'cell-count.header-ends-in-one': [
    'the header ends in a separator too many: remove it, or end each line in one, too',
    'หัวตารางมีตัวคั่นท้ายเกินหนึ่งตัว ให้ลบออก หรือใส่ท้ายทุกบรรทัดด้วย',
  ],
  'cell-count.header-ends-in-many': [
    'the header ends in {count} separators too many: remove them, or end each line in as many',
    'หัวตารางมีตัวคั่นท้ายเกิน {count} ตัว ให้ลบออก หรือใส่ท้ายทุกบรรทัดให้เท่ากัน',
  ],
  'cell-count.separator-inside': [
    'a separator stands inside a cell: write an amount without it, as 1234.50, and put any other such cell in quotation marks',
    'มีตัวคั่นอยู่ในช่อง ให้กรอกจำนวนเงินโดยไม่มีตัวคั่น เช่น 1234.50 และใส่เครื่องหมายคำพูดครอบช่องอื่น',
  ],
  'cell-count.cut-short': [
    'the row is cut short or cells are missing (empty ones need their separators too)',
    'แถวไม่ครบหรือขาดช่อง (ช่องว่างต้องมีตัวคั่นด้วย)',
  ],
  'issue.duplicate-repeat': [
    'this row repeats {first} in every cell: only that one counts, remove the repeat',
    'แถวนี้ซ้ำกับ {first} ทุกช่อง ระบบใช้เฉพาะแถวนั้น ให้ลบแถวที่ซ้ำ',
  ],
  'issue.duplicate-payout': [
    '{first} has the same payoutId and other cells: all such rows are rejected, give each payout a payoutId of its own',
    '{first} ใช้ payoutId เดียวกันแต่ข้อมูลต่างกัน จึงไม่รับทุกแถวที่ใช้ payoutId นี้ ให้ใช้ payoutId ที่ไม่ซ้ำกันในแต่ละรายการ',
  ],
  'issue.duplicate-registration': [
    '{first} has the same registrationId and other cells: all such rows are rejected, give each registration a registrationId of its own',
    '{first} ใช้ registrationId เดียวกันแต่ข้อมูลต่างกัน จึงไม่รับทุกแถวที่ใช้ registrationId นี้ ให้ใช้ registrationId ที่ไม่ซ้ำกันในแต่ละรายการ',
  ],
  'issue.first-row': ['line {line} (row {row})', 'บรรทัดที่ {line} (แถวที่ {row})'],
});
