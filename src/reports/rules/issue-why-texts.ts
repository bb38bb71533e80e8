/** Issues of a file's row, in the words of the rules, with their Thai; see why-texts.ts. */
export const issuePairs: readonly (readonly [en: string, th: string])[] = [
  ['line {row}, {column}: {why} (found "{found}")', 'บรรทัด {row} ช่อง {column}: {why} (พบ "{found}")'],
  ['line {row}, {column}: {why}', 'บรรทัด {row} ช่อง {column}: {why}'],
  ['line {row}: {why}', 'บรรทัด {row}: {why}'],
  ['this is no amount: {why}', 'ไม่ใช่จำนวนเงิน {why}'],
  [
    'write baht in digits with at most two decimals, as 1234.50',
    'เขียนเป็นตัวเลขบาท ทศนิยมไม่เกินสองตำแหน่ง เช่น 1234.50',
  ],
  ['the amount is empty: {why}', 'ไม่มีจำนวนเงิน {why}'],
  ['a formula stands here: give its result, as 1234.50', 'มีสูตรอยู่ในช่องนี้ ให้ใส่ผลลัพธ์ เช่น 1234.50'],
  [
    'a spreadsheet shows an error here instead of a value: correct the cell',
    'โปรแกรมตารางแสดงข้อผิดพลาดแทนค่า ให้แก้ช่องนี้',
  ],
  ['Thai digits cannot be read as an amount: {why}', 'อ่านเลขไทยเป็นจำนวนเงินไม่ได้ {why}'],
  ['a currency stands beside the number: leave it out and {why}', 'มีสกุลเงินอยู่ข้างตัวเลข ให้นำออก {why}'],
  [
    'a negative amount cannot be paid: remove the row or correct the sign',
    'จ่ายจำนวนเงินติดลบไม่ได้ ให้ลบแถวหรือแก้เครื่องหมาย',
  ],
  [
    'no amount is smaller than a satang: give at most two decimals (a point is never a thousands separator)',
    'ไม่มีจำนวนเงินที่เล็กกว่าหนึ่งสตางค์ ใส่ทศนิยมไม่เกินสองตำแหน่ง',
  ],
  ['thousands separators and decimal commas can be misread: {why}', 'เครื่องหมายคั่นหลักพันหรือจุลภาคอาจอ่านผิด {why}'],
  ['a digit must stand before the point: {why}', 'ต้องมีตัวเลขก่อนจุดทศนิยม {why}'],
  ['a digit must stand after the point: {why}', 'ต้องมีตัวเลขหลังจุดทศนิยม {why}'],
  ['spaces stand around the amount: remove them', 'มีช่องว่างรอบจำนวนเงิน ให้ลบออก'],
  ['nothing can be paid with 0: remove the row or correct the amount', 'จ่าย 0 บาทไม่ได้ ให้ลบแถวหรือแก้จำนวนเงิน'],
  ['payoutId is empty: give every payout a name of its own', 'ไม่มี payoutId ให้ใส่ชื่อเฉพาะของทุกรายการ'],
  [
    'only NATID (citizen or tax ID) or MSISDN (mobile number) can stand here, or nothing',
    'ใส่ได้เพียง NATID (เลขบัตรประชาชนหรือเลขภาษี) MSISDN (หมายเลขโทรศัพท์) หรือเว้นว่าง',
  ],
  [
    'the check digit of this citizen or tax ID is wrong: correct the number',
    'เลขตรวจสอบของเลขบัตรประชาชนหรือเลขภาษีนี้ไม่ถูกต้อง ให้แก้ตัวเลข',
  ],
  [
    '{count} digits: a citizen or tax ID has 13, a digit is missing or too many',
    'มี {count} หลัก เลขบัตรประชาชนหรือเลขภาษีมี 13 หลัก ขาดหรือเกิน',
  ],
  [
    '{count} digits: a mobile number has 10, a citizen or tax ID 13, a digit is missing or too many',
    'มี {count} หลัก หมายเลขโทรศัพท์มี 10 หลัก เลขบัตรประชาชนหรือเลขภาษีมี 13 หลัก ขาดหรือเกิน',
  ],
  [
    'this can be a mobile number or a tax ID: say which in proxyType (MSISDN or NATID)',
    'อาจเป็นหมายเลขโทรศัพท์หรือเลขภาษี ให้ระบุใน proxyType (MSISDN หรือ NATID)',
  ],
  [
    'proxyType is NATID but this is a mobile number: correct one of the two',
    'proxyType เป็น NATID แต่นี่เป็นหมายเลขโทรศัพท์ ให้แก้อย่างใดอย่างหนึ่ง',
  ],
  [
    'proxyType is MSISDN but these are the 13 digits of a citizen or tax ID: correct one of the two',
    'proxyType เป็น MSISDN แต่นี่เป็นเลขบัตรประชาชนหรือเลขภาษี 13 หลัก ให้แก้อย่างใดอย่างหนึ่ง',
  ],
  [
    'the leading zero is gone, as when a spreadsheet takes it for a number: format the column as text and write it again',
    'เลขศูนย์นำหน้าหายไป ให้ตั้งคอลัมน์เป็นข้อความแล้วเขียนใหม่',
  ],
  [
    'a spreadsheet has turned this number into an exponent, its digits are lost: format the column as text and write it again',
    'โปรแกรมตารางแปลงเลขเป็นเลขยกกำลัง หลักตัวเลขหายไป ให้ตั้งคอลัมน์เป็นข้อความแล้วเขียนใหม่',
  ],
  [
    'a spreadsheet has given this number decimals or grouped its digits, it may be {one} or {thousand}: format the column as text and write it again',
    'โปรแกรมตารางใส่ทศนิยมหรือคั่นหลักตัวเลข เลขนี้อาจเป็น {one} หรือ {thousand} ให้ตั้งคอลัมน์เป็นข้อความแล้วเขียนใหม่',
  ],
  ['every cell is empty: remove the line', 'ทุกช่องว่างเปล่า ให้ลบบรรทัดนี้'],
  [
    '{character} stands in this number, type it again: {why}',
    'มีอักขระ {character} อยู่ในหมายเลข ให้พิมพ์หมายเลขใหม่ {why}',
  ],
  ['{character} stands in this number: {why}', 'มีอักขระ {character} อยู่ในหมายเลข {why}'],
  [
    'letters stand in this number, the first is {letter}: only the digits 0-9 can',
    'มีตัวอักษรอยู่ในหมายเลข ตัวแรกคือ {letter} ใส่ได้เฉพาะตัวเลข 0-9',
  ],
  [
    'only the digits 0-9 can stand here, with single hyphens or spaces between them',
    'ใส่ได้เฉพาะตัวเลข 0-9 คั่นด้วยขีดหรือช่องว่างได้ครั้งละหนึ่งตัว',
  ],
  [
    'only the digits 0-9 can stand here, with single hyphens or spaces between them or a leading +',
    'ใส่ได้เฉพาะตัวเลข 0-9 คั่นด้วยขีดหรือช่องว่างได้ครั้งละหนึ่งตัว หรือขึ้นต้นด้วย +',
  ],
  [
    'a landline number (9 digits that start with 02 to 05 or 07) cannot be paid: give a mobile number, with its ten digits, or a citizen or tax ID',
    'จ่ายเข้าหมายเลขโทรศัพท์พื้นฐาน (9 หลัก ขึ้นต้นด้วย 02 ถึง 05 หรือ 07) ไม่ได้ ให้ใช้หมายเลขโทรศัพท์มือถือ 10 หลัก เลขบัตรประชาชน หรือเลขภาษี',
  ],
  [
    '{character} stands in this name and cannot be seen there: type the name again, with plain spaces',
    'มีอักขระ {character} ที่มองไม่เห็นอยู่ในชื่อ ให้พิมพ์ชื่อใหม่และใช้ช่องว่างธรรมดา',
  ],
  ['{character} cannot be compared: {why}', 'เทียบอักขระ {character} ไม่ได้ {why}'],
  ['no letter stands in it: {why}', 'ไม่มีตัวอักษรอยู่ในชื่อ {why}'],
  [
    'write the name in plain Latin letters (A-Z) or in Thai, or leave it empty',
    'ให้เขียนชื่อเป็นตัวอักษรอังกฤษ (A-Z) หรือภาษาไทย หรือเว้นว่าง',
  ],
  [
    '{character} stands in this amount, type it again: {why}',
    'มีอักขระ {character} อยู่ในจำนวนเงิน ให้พิมพ์ใหม่ {why}',
  ],
  [
    'an apostrophe stands before the number, as in files for a spreadsheet: leave it out and {why}',
    "มีอะพอสทรอฟี (') นำหน้าตัวเลขแบบไฟล์สำหรับโปรแกรมตาราง ให้นำออกแล้ว{why}",
  ],
];
