/** Why a file or a statement is refused as a whole, each with its cure. */
import { wordings } from './wording.ts';

const asCsv = 'save the sheet as "CSV UTF-8" and give that file';
const asCsvTh = 'ให้บันทึกแผ่นงานเป็น "CSV UTF-8" แล้วส่งไฟล์นั้น';

/** The bytes of a file, before any of its rows is read. */
const byteWordings = wordings({
  'file.missing': ['there is no such file: check its name', 'ไม่พบไฟล์นี้ ให้ตรวจสอบชื่อไฟล์'],
  'file.missing-folder': [
    'there is no such file: a part of its path is no folder',
    'ไม่พบไฟล์นี้ บางส่วนของเส้นทางไม่ใช่โฟลเดอร์',
  ],
  'file.missing-long-name': ['there is no such file: its name is too long', 'ไม่พบไฟล์นี้ ชื่อไฟล์ยาวเกินไป'],
  'file.is-link': ['this is a link: give the file itself', 'รายการนี้เป็นลิงก์ ให้ส่งไฟล์จริง'],
  'file.is-folder': ['this is a folder: give a file', 'รายการนี้เป็นโฟลเดอร์ ให้ส่งเป็นไฟล์'],
  'file.is-device': [
    'this is a pipe, socket or device: give a regular file',
    'รายการนี้เป็น pipe, socket หรืออุปกรณ์ ให้ส่งไฟล์ปกติ',
  ],
  'file.not-regular': ['this is no regular file: give one', 'รายการนี้ไม่ใช่ไฟล์ปกติ ให้ส่งไฟล์ปกติ'],
  'file.not-allowed': [
    'the file may not be read: give yourself the right to read it',
    'ไม่มีสิทธิ์อ่านไฟล์นี้ ให้กำหนดสิทธิ์อ่านไฟล์',
  ],
  'file.changed': [
    'the file changed while it was read: wait until it is complete, then run it again',
    'ไฟล์เปลี่ยนแปลงระหว่างอ่าน ให้รอจนไฟล์สมบูรณ์แล้วรันใหม่',
  ],
  'file.empty': ['the file is empty: have it written again', 'ไฟล์ว่างเปล่า ให้จัดทำไฟล์ใหม่'],
  'file.sheet-empty': ['the first sheet is empty: have it written again', 'แผ่นงานแรกว่างเปล่า ให้จัดทำไฟล์ใหม่'],
  'file.too-many-bytes': [
    'the file has {bytes} bytes, more than limits.bytesPerFile allows ({most}): split it',
    'ไฟล์มีขนาด {bytes} ไบต์ เกินกว่าที่ limits.bytesPerFile กำหนด ({most}) ให้แบ่งไฟล์',
  ],
  'file.nul-byte': [
    'a NUL byte stands at offset {offset}: the file is no text or was damaged, have it written again as CSV',
    'พบไบต์ NUL ที่ตำแหน่ง {offset} ไฟล์ไม่ใช่ข้อความหรือเสียหาย ให้จัดทำใหม่เป็น CSV',
  ],
  'file.utf16-unmarked': [
    'the file is UTF-16 without its mark: save it as UTF-8, or set input.encoding to {encoding}',
    'ไฟล์เป็น UTF-16 ที่ไม่มีเครื่องหมายต้นไฟล์ ให้บันทึกเป็น UTF-8 หรือตั้งค่า input.encoding เป็น {encoding}',
  ],
  'file.encoding-contradicts': [
    'the file starts with the mark of {encoding} but input.encoding says {setting}: correct the setting, or set it to auto',
    'ไฟล์ขึ้นต้นด้วยเครื่องหมายของ {encoding} แต่ input.encoding ระบุ {setting} ให้แก้การตั้งค่า หรือตั้งเป็น auto',
  ],
  'file.undecodable': [
    'the byte at offset {offset} is no {encoding}: save the file as UTF-8, or set input.encoding',
    'ไบต์ที่ตำแหน่ง {offset} ไม่ใช่ {encoding} ให้บันทึกไฟล์เป็น UTF-8 หรือตั้งค่า input.encoding',
  ],
  'file.undecodable-auto': [
    'the byte at offset {offset} is no {encoding} (nor is the file windows-874): save the file as UTF-8, or set input.encoding to windows-1252 where it is that',
    'ไบต์ที่ตำแหน่ง {offset} ไม่ใช่ {encoding} (และไฟล์ไม่ใช่ windows-874) ให้บันทึกไฟล์เป็น UTF-8 หรือตั้งค่า input.encoding เป็น windows-1252 ถ้าไฟล์เป็นรหัสนั้น',
  ],
  'file.encoding-unclear': [
    '"{word}" is no Thai: the file looks like windows-1252, in which it is "{western}"; save it as UTF-8',
    '"{word}" ไม่ใช่ภาษาไทย ไฟล์น่าจะเป็น windows-1252 ซึ่งอ่านได้ว่า "{western}" ให้บันทึกเป็น UTF-8',
  ],
  'file.encoding-unclear-set': [
    '{what}, or set input.encoding to windows-1252 or, if it is Thai after all, to windows-874',
    '{what} หรือตั้งค่า input.encoding เป็น windows-1252 หรือเป็น windows-874 ถ้าเป็นภาษาไทยจริง',
  ],
  'file.no-csv': ['the file is no CSV but {what}: {cure}', 'ไฟล์ไม่ใช่ CSV แต่เป็น{what} {cure}'],
  'other-file.archive': [
    'a workbook (.xlsx, .ods) or another ZIP archive',
    'ไฟล์ตาราง (.xlsx, .ods) หรือไฟล์ ZIP อื่น',
  ],
  'other-file.pdf': ['a PDF', 'ไฟล์ PDF'],
  'other-file.gzip': ['compressed (gzip)', 'ไฟล์บีบอัด (gzip)'],
  'other-file.7z': ['a 7z archive', 'ไฟล์บีบอัด 7z'],
  'other-file.rar': ['a RAR archive', 'ไฟล์บีบอัด RAR'],
  'other-file.pgp': ['encrypted (PGP)', 'ไฟล์ที่เข้ารหัส (PGP)'],
  'other-file.lfs': ['a pointer of Git LFS', 'ไฟล์อ้างอิงของ Git LFS'],
  'other-file.html': ['a web page (HTML)', 'หน้าเว็บ (HTML)'],
  'other-file.xml': ['an XML file', 'ไฟล์ XML'],
  'other-file.json': ['a JSON file', 'ไฟล์ JSON'],
  'other-file.with-password': ['a workbook with a password', 'ไฟล์ตารางที่มีรหัสผ่าน'],
  'other-file.old-office': [
    'an old workbook or document (.xls, .doc)',
    'ไฟล์ตารางหรือเอกสารรุ่นเก่า (.xls, .doc)',
  ],
  'other-file-cure.save-as-csv': [asCsv, asCsvTh],
  'other-file-cure.export': ['have the list exported as CSV', 'ให้ส่งออกรายการเป็น CSV'],
  'other-file-cure.unpack': ['unpack it first', 'ให้แตกไฟล์ก่อน'],
  'other-file-cure.unpack-and-give': [
    'unpack it and give the CSV file that is in it',
    'ให้แตกไฟล์แล้วส่งไฟล์ CSV ที่อยู่ข้างใน',
  ],
  'other-file-cure.decrypt': ['decrypt it and give the CSV file that comes out', 'ให้ถอดรหัสแล้วส่งไฟล์ CSV ที่ได้'],
  'other-file-cure.fetch': ['fetch the file that it stands for', 'ให้ดาวน์โหลดไฟล์จริงที่อ้างอิงถึง'],
  'other-file-cure.open-and-save': [
    `open it in the spreadsheet program, ${asCsv}`,
    `ให้เปิดในโปรแกรมตาราง ${asCsvTh}`,
  ],
  'other-file-cure.without-password': [
    `open it and save it without a password, or ${asCsv}`,
    `ให้เปิดแล้วบันทึกโดยไม่ใส่รหัสผ่าน หรือ${asCsvTh}`,
  ],
});

/** Workbooks. */
const workbookWordings = wordings({
  'workbook.no-workbook': [
    'the file is a ZIP archive that holds no Excel workbook (.ods, .docx, .xlsb and the like are none): save the sheet as .xlsx or "CSV UTF-8" and give that file',
    'ไฟล์เป็น ZIP ที่ไม่มีไฟล์ตาราง Excel (.ods, .docx, .xlsb และไฟล์ทำนองเดียวกันใช้ไม่ได้) ให้บันทึกแผ่นงานเป็น .xlsx หรือ "CSV UTF-8" แล้วส่งไฟล์นั้น',
  ],
  'workbook.too-large': [`the workbook {what}: ${asCsv}, or split it`, `ไฟล์ตาราง{what} ${asCsvTh} หรือแบ่งไฟล์`],
  'workbook.many-parts': ['has more than {most} parts', 'มีเกิน {most} ส่วน'],
  'workbook.many-bytes': ['has more than {most} bytes', 'มีขนาดเกิน {most} ไบต์'],
  'workbook.many-unpacked-bytes': ['unpacks to more than {most} bytes', 'เมื่อแตกไฟล์แล้วมีขนาดเกิน {most} ไบต์'],
  'workbook.slow': ['takes longer than {seconds} seconds to read', 'ใช้เวลาอ่านนานเกิน {seconds} วินาที'],
  'workbook.much-memory': ['takes too much memory to read', 'ใช้หน่วยความจำในการอ่านมากเกินไป'],
  'workbook.encrypted': [
    `the workbook is encrypted: save it without a password, or ${asCsv}`,
    `ไฟล์ตารางเข้ารหัสไว้ ให้บันทึกโดยไม่ใส่รหัสผ่าน หรือ${asCsvTh}`,
  ],
  'workbook.cut-short': [
    `the workbook is damaged or cut short: save it again, or ${asCsv}`,
    `ไฟล์ตารางเสียหายหรือไม่ครบ ให้บันทึกใหม่ หรือ${asCsvTh}`,
  ],
  'workbook.damaged': [
    'the workbook is damaged, {what}: have the program that made it write it again, or give the rows as "CSV UTF-8"',
    'ไฟล์ตารางเสียหาย {what} ให้โปรแกรมที่สร้างไฟล์จัดทำใหม่ หรือส่งรายการเป็น "CSV UTF-8"',
  ],
  'workbook.part-missing': ['its part {part} is missing', 'ไม่มีส่วน {part}'],
  'workbook.part-twice': ['its part {part} is there twice', 'มีส่วน {part} ซ้ำ'],
  'workbook.part-has': ['its part {part} has {fault}', 'ส่วน {part} มี {fault}'],
  'workbook.part-name-shared': [
    'its part {part} has one name for several parts',
    'ส่วน {part} ใช้ชื่อเดียวกับหลายส่วน',
  ],
  'workbook.parts-of-type': ['it has {count} parts of the type {type}', 'มีส่วนชนิด {type} จำนวน {count} ส่วน'],
  'workbook.sheets-of-name': [
    'it has {count} sheets of the name "{name}"',
    'มีแผ่นงานชื่อ "{name}" จำนวน {count} แผ่น',
  ],
  'workbook.sheet-missing': ['its sheet "{name}" is missing', 'ไม่มีแผ่นงาน "{name}"'],
  'workbook.no-main-part': ['it does not say which part the workbook is', 'ไม่ระบุว่าส่วนใดเป็นไฟล์ตาราง'],
  'workbook.place-has': ['{place} has {fault}', '{place} มี {fault}'],
  'workbook.sheet': ['sheet {name}', 'แผ่นงาน {name}'],
  'workbook.row': ['row {row} of sheet {name}', 'แถว {row} ของแผ่นงาน {name}'],
  'workbook.cell': ['cell {cell} of sheet {name}', 'ช่อง {cell} ของแผ่นงาน {name}'],
  'workbook.no-visible-sheet': [
    'the workbook has no sheet that is not hidden: unhide the one that is meant',
    'ไฟล์ตารางซ่อนแผ่นงานไว้ทั้งหมด ให้ยกเลิกการซ่อนแผ่นงานที่ต้องการใช้',
  ],
  'workbook.header-hidden': [
    'the header (row {row}) is hidden: show it and look at it, or remove it',
    'หัวตาราง (แถว {row}) ซ่อนอยู่ ให้แสดงแล้วตรวจดู หรือลบออก',
  ],
  'workbook.column-hidden': [
    'column {column} ({name}) is hidden: show it and look at it, or remove it',
    'คอลัมน์ {column} ({name}) ซ่อนอยู่ ให้แสดงแล้วตรวจดู หรือลบออก',
  ],
});

/** The header of a file, and its lines. */
const headerWordings = wordings({
  'header.doubled': [
    'the header has this column twice (as number {numbers}): rename or remove one',
    'หัวตารางมีคอลัมน์นี้ซ้ำ (ลำดับที่ {numbers}) ให้เปลี่ยนชื่อหรือลบออกหนึ่งคอลัมน์',
  ],
  'header.lacks': ['the header lacks {headers}: {cure}', 'หัวตารางไม่มี {headers} {cure}'],
  'header.lacks-similar': [
    'the header lacks {headers} ({similar} is not taken for it): {cure}',
    'หัวตารางไม่มี {headers} ({similar} ไม่นับเป็นคอลัมน์นี้) {cure}',
  ],
  'header.name-in-settings': [
    "name the file's own headers in the settings: {mapping}",
    'ให้ระบุหัวคอลัมน์ของไฟล์ในการตั้งค่า: {mapping}',
  ],
  'header.add': [
    'add {headers}, or set {keys} to what the file calls them',
    'ให้เพิ่ม {headers} หรือตั้งค่า {keys} เป็นชื่อที่ไฟล์ใช้',
  ],
  'header.add-and-name': [
    'add {headers}, or set {keys} to what the file calls them, and name the others in the settings: {mapping}',
    'ให้เพิ่ม {headers} หรือตั้งค่า {keys} เป็นชื่อที่ไฟล์ใช้ และระบุคอลัมน์อื่นในการตั้งค่า: {mapping}',
  ],
  'header.none': [
    'the first line is no header: it must name {wanted}, separated by commas, semicolons or tabs (by input.delimiter alone where the settings name one of them); {cure}',
    'บรรทัดแรกไม่ใช่หัวตาราง ต้องมี {wanted} คั่นด้วยจุลภาค อัฒภาค หรือแท็บ (เฉพาะ input.delimiter ถ้ากำหนดไว้ในการตั้งค่า) {cure}',
  ],
  'header.write-so': [
    'have the file written so, without quotation marks around whole lines',
    'ให้จัดทำไฟล์ตามนี้ โดยไม่ใส่เครื่องหมายคำพูดครอบทั้งบรรทัด',
  ],
  'header.unclear.one': [
    'is {headers} meant as {columns}? Write it so in the file, or set {mapping}; what is only to be carried through, name in {carry}',
    '{headers} หมายถึง {columns} ใช่หรือไม่ ให้เขียนชื่อนั้นในไฟล์ หรือตั้งค่า {mapping} คอลัมน์ที่เพียงส่งผ่านให้ระบุใน {carry}',
  ],
  'header.unclear.many': [
    'are {headers} meant as {columns}? Write it so in the file, or set {mapping}; what is only to be carried through, name in {carry}',
    '{headers} หมายถึง {columns} ใช่หรือไม่ ให้เขียนชื่อเหล่านั้นในไฟล์ หรือตั้งค่า {mapping} คอลัมน์ที่เพียงส่งผ่านให้ระบุใน {carry}',
  ],
  'header.marks-around': [
    'every heading has marks around it that are read as part of it, as in {heading}: write the cells without them, or in one pair of plain quotation marks (")',
    'หัวคอลัมน์ทุกช่องมีเครื่องหมายครอบซึ่งอ่านเป็นส่วนหนึ่งของชื่อ เช่น {heading} ให้เขียนโดยไม่มีเครื่องหมาย หรือใช้เครื่องหมายคำพูดธรรมดา (") คู่เดียว',
  ],
  'header.of-exceptions-file.payout': [
    'this is an exceptions file that paydrop wrote: newProxyNo and newAmount would not be read. What was decided in it is taken by "paydrop decide" and its name; or take the rows out of your own payout file, correct them there, and give them, under the same payoutId, as a new file',
    'ไฟล์นี้เป็นไฟล์รายการที่ต้องตรวจสอบซึ่ง paydrop สร้าง ระบบจะไม่อ่าน newProxyNo และ newAmount ถ้าต้องการส่งการตัดสินใจในไฟล์ ให้ส่งเป็นไฟล์การตัดสินใจ หรือแยกแถวจากไฟล์จ่ายเงินของท่าน แก้ไข แล้วส่งเป็นไฟล์ใหม่โดยใช้ payoutId เดิม',
    'this is an exceptions file that paydrop wrote: newProxyNo and newAmount would not be read. Give what was decided in it as a decision file; or take the rows out of your own payout file, correct them there, and give them, under the same payoutId, as a new file',
  ],
  'header.of-exceptions-file.registration': [
    'this is an exceptions file that paydrop wrote: newAccountNo would not be read. What was decided in it is taken by "paydrop decide" and its name; or take the rows out of your own registration file, correct them there, and give them, under the same registrationId, as a new file',
    'ไฟล์นี้เป็นไฟล์รายการที่ต้องตรวจสอบซึ่ง paydrop สร้าง ระบบจะไม่อ่าน newAccountNo ถ้าต้องการส่งการตัดสินใจในไฟล์ ให้ส่งเป็นไฟล์การตัดสินใจ หรือแยกแถวจากไฟล์ลงทะเบียนของท่าน แก้ไข แล้วส่งเป็นไฟล์ใหม่โดยใช้ registrationId เดิม',
    'this is an exceptions file that paydrop wrote: newAccountNo would not be read. Give what was decided in it as a decision file; or take the rows out of your own registration file, correct them there, and give them, under the same registrationId, as a new file',
  ],
  'header.of-payouts': [
    'these are payouts, not registrations: give the file to "paydrop run", or drop it into the inbox itself, not into its folder registrations',
    'ไฟล์นี้เป็นรายการจ่ายเงิน ไม่ใช่การลงทะเบียน ให้ส่งเป็นไฟล์จ่ายเงิน หรือวางในโฟลเดอร์ inbox โดยตรง ไม่ใช่ในโฟลเดอร์ registrations',
    'these are payouts, not registrations: hand the file in as payouts',
  ],
  'header.of-registrations': [
    'these are registrations of direct debits, not payouts: give the file to "paydrop register", or drop it into the folder registrations of the inbox',
    'ไฟล์นี้เป็นการลงทะเบียนหักบัญชี ไม่ใช่รายการจ่ายเงิน ให้วางในโฟลเดอร์ registrations ของ inbox',
    'these are registrations of direct debits, not payouts: drop the file into the folder registrations of the inbox',
  ],
  'header.line-below': [
    'this line is no header: the header stands in line {line}, remove the line above it',
    'บรรทัดนี้ไม่ใช่หัวตาราง หัวตารางอยู่ที่บรรทัด {line} ให้ลบบรรทัดที่อยู่เหนือขึ้นไป',
  ],
  'header.lines-below': [
    'this line is no header: the header stands in line {line}, remove the {above} above it',
    'บรรทัดนี้ไม่ใช่หัวตาราง หัวตารางอยู่ที่บรรทัด {line} ให้ลบ {above} ที่อยู่เหนือขึ้นไป',
  ],
  'header.too-long': [
    'the header cannot be read: its line is too long (more than {most} bytes): a line end may be missing, have the file written again',
    'อ่านหัวตารางไม่ได้ บรรทัดยาวเกินไป (เกิน {most} ไบต์) อาจไม่มีการขึ้นบรรทัดใหม่ ให้จัดทำไฟล์ใหม่',
  ],
  'header.formulas': [
    'the header cannot be read: its names are written as formulas (="payoutId"): write the names alone',
    'อ่านหัวตารางไม่ได้ ชื่อคอลัมน์เขียนเป็นสูตร (="payoutId") ให้เขียนเฉพาะชื่อ',
  ],
  'header.quotes': [
    'the header cannot be read: a quotation mark in it is missing or misplaced: write the names without quotation marks',
    'อ่านหัวตารางไม่ได้ เครื่องหมายคำพูดขาดหรืออยู่ผิดที่ ให้เขียนชื่อคอลัมน์โดยไม่มีเครื่องหมายคำพูด',
  ],
  'header.line-ends': [
    '{which} stands in the header, where LF or CR LF should end its line: have the file written with such line ends',
    'พบ {which} ในหัวตาราง ซึ่งควรจบบรรทัดด้วย LF หรือ CR LF ให้จัดทำไฟล์ด้วยการขึ้นบรรทัดแบบนั้น',
  ],
  'file.quote-unclosed': [
    'a quotation mark opens a cell in this line and is not closed there: close it, or double it where it belongs to the text',
    'มีเครื่องหมายคำพูดเปิดในบรรทัดนี้แต่ไม่ปิด ให้ปิด หรือพิมพ์สองครั้งถ้าเป็นส่วนหนึ่งของข้อความ',
  ],
  'file.row-too-long': [
    'the row is longer than {most} bytes: shorten its cells, or look for a missing line end',
    'แถวนี้ยาวเกิน {most} ไบต์ ให้ทำข้อมูลให้สั้นลง หรือตรวจว่าขาดการขึ้นบรรทัดใหม่หรือไม่',
  ],
  'file.line-end-missing': [
    'the last line has no line end, so its last cell may be cut short: have the file written again, use control totals, or set input.finalLineEnd to optional',
    'บรรทัดสุดท้ายไม่มีการขึ้นบรรทัดใหม่ ช่องสุดท้ายอาจไม่ครบ ให้จัดทำไฟล์ใหม่ ใช้ยอดควบคุม หรือตั้งค่า input.finalLineEnd เป็น optional',
  ],
  'file.too-many-rows': [
    'the file has more rows than limits.rowsPerFile allows ({most}): split it',
    'ไฟล์มีแถวเกินกว่าที่ limits.rowsPerFile กำหนด ({most}) ให้แบ่งไฟล์',
  ],
  'file.no-rows': [
    'the file has a header and no rows: have it written again',
    'ไฟล์มีแต่หัวตาราง ไม่มีรายการ ให้จัดทำไฟล์ใหม่',
  ],
  'file.over-baht-limit': [
    'the rows add up to {total} baht, more than limits.bahtPerBatch allows ({most}): split the file, or correct an amount',
    'ยอดรวมทุกแถวเป็น {total} บาท เกินกว่าที่ limits.bahtPerBatch กำหนด ({most}) ให้แบ่งไฟล์ หรือแก้จำนวนเงิน',
  ],
  'file.over-any-limit': [
    'the rows add up to {total} baht, more than any batch can hold ({most}): split the file, or correct an amount',
    'ยอดรวมทุกแถวเป็น {total} บาท เกินกว่าที่ชุดจ่ายเงินรองรับได้ ({most}) ให้แบ่งไฟล์ หรือแก้จำนวนเงิน',
  ],
  'file.amount-unclear': [
    "this may be {uncut}, which its comma has cut into two cells; no other amount shows that the file writes them without commas: write it whole, this one as {whole}, or as {amount}.00 if the next cell is another column's; or use control totals; or, where the column after the amount holds such numbers, set input.numberAfterAmount to allowed",
    'จำนวนนี้อาจเป็น {uncut} ซึ่งถูกจุลภาคแบ่งเป็นสองช่อง และไม่มีจำนวนเงินอื่นที่แสดงว่าไฟล์เขียนโดยไม่มีจุลภาค ให้เขียนเต็มจำนวนเป็น {whole} หรือเป็น {amount}.00 ถ้าช่องถัดไปเป็นของคอลัมน์อื่น หรือใช้ยอดควบคุม หรือตั้งค่า input.numberAfterAmount เป็น allowed ถ้าคอลัมน์ถัดจากจำนวนเงินเป็นตัวเลขแบบนี้',
  ],
  'file.amounts-unclear': [
    "this may be {uncut}, which its comma has cut into two cells, and so may {count} more ({lines}); no other amount shows that the file writes them without commas: write each of them whole, this one as {whole}, or as {amount}.00 if the next cell is another column's; or use control totals; or, where the column after the amount holds such numbers, set input.numberAfterAmount to allowed",
    'จำนวนนี้อาจเป็น {uncut} ซึ่งถูกจุลภาคแบ่งเป็นสองช่อง และอาจมีอีก {count} จำนวน ({lines}) ไม่มีจำนวนเงินอื่นที่แสดงว่าไฟล์เขียนโดยไม่มีจุลภาค ให้เขียนทุกจำนวนให้เต็ม จำนวนนี้เป็น {whole} หรือเป็น {amount}.00 ถ้าช่องถัดไปเป็นของคอลัมน์อื่น หรือใช้ยอดควบคุม หรือตั้งค่า input.numberAfterAmount เป็น allowed ถ้าคอลัมน์ถัดจากจำนวนเงินเป็นตัวเลขแบบนี้',
  ],
  'file.line-named': ['line {line}', 'บรรทัด {line}'],
  'file.lines-named': ['lines {lines}', 'บรรทัด {lines}'],
  'file.taken-by-another-journal': [
    '{trace} shows that these very bytes were taken before, and this journal does not know them: another one has them, or this one is an older copy. {cure}',
    '{trace} แสดงว่าไฟล์ที่มีข้อมูลเดียวกันนี้เคยรับเข้าแล้ว แต่ไม่มีในสมุดบันทึกนี้ อาจอยู่ในสมุดบันทึกอื่น หรือสมุดบันทึกนี้เป็นสำเนาเก่า {cure}',
  ],
});

/** The cure for a file that another journal has taken. */
const journalWordings = wordings({
  'other-journal.payouts': [
    'Look there first: they may be paid. If the journal was lost or replaced, "paydrop run --journal-lost --since YYYY-MM-DD FILE.." asks the bank about every payout before it sends one',
    'ให้ตรวจที่นั่นก่อนเพราะอาจจ่ายไปแล้ว ถ้าสมุดบันทึกสูญหายหรือถูกเปลี่ยน ให้ผู้ดูแลโปรแกรมรับไฟล์โดยสอบถามธนาคารทุกรายการก่อนส่ง (docs/runbook.md, Journal lost)',
    'Look there first: they may be paid. If the journal was lost or replaced, the person who runs paydrop runs the file so that the bank is asked about every payout before one is sent (docs/runbook.md, Journal lost)',
  ],
  'other-journal.registrations': [
    'Look there first: they may be with the bank, which can be asked about none of them. If the journal was lost, have the bank say which it has, and give the others as a new file',
    'ให้ตรวจที่นั่นก่อนเพราะอาจส่งถึงธนาคารแล้ว ซึ่งระบบสอบถามธนาคารไม่ได้ ถ้าสมุดบันทึกสูญหาย ให้ธนาคารแจ้งว่ามีรายการใดแล้ว และส่งรายการที่เหลือเป็นไฟล์ใหม่',
  ],
});

/** Control totals. */
const controlWordings = wordings({
  'control.empty-rows-after': [
    'the trailer row ({mark}) must be the last: empty rows stand after it (from line {line}), remove the empty lines at the end',
    'แถวสรุปท้ายไฟล์ ({mark}) ต้องเป็นแถวสุดท้าย มีแถวว่างตามหลัง (ตั้งแต่บรรทัด {line}) ให้ลบบรรทัดว่างท้ายไฟล์',
  ],
  'control.rows-after': [
    'the trailer row ({mark}) must be the last: rows stand after it (from line {line}), remove them or move the trailer to the end',
    'แถวสรุปท้ายไฟล์ ({mark}) ต้องเป็นแถวสุดท้าย มีแถวตามหลัง (ตั้งแต่บรรทัด {line}) ให้ลบออก หรือย้ายแถวสรุปไปท้ายไฟล์',
  ],
  'control.empty-row': [
    'the control totals speak of {declared} and the file has {rows}, of which {empty} is empty (line {line}): remove the empty lines',
    'ยอดควบคุมระบุ {declared} แต่ไฟล์มี {rows} แถว เป็นแถวว่าง {empty} แถว (บรรทัด {line}) ให้ลบบรรทัดว่าง',
  ],
  'control.empty-rows': [
    'the control totals speak of {declared} and the file has {rows}, of which {empty} are empty (line {line}): remove the empty lines',
    'ยอดควบคุมระบุ {declared} แต่ไฟล์มี {rows} แถว เป็นแถวว่าง {empty} แถว (บรรทัด {line}) ให้ลบบรรทัดว่าง',
  ],
  'control.trailer-unread': [
    'the last row looks like a trailer with control totals ("{mark}"), and input.control is none: set input.control to trailer, with this word as input.trailerMark, or have the row left out',
    'แถวสุดท้ายดูเหมือนแถวสรุปยอดควบคุม ("{mark}") แต่ input.control เป็น none ให้ตั้งค่า input.control เป็น trailer และใช้คำนี้เป็น input.trailerMark หรือนำแถวนี้ออก',
  ],
  'control.missing': [
    'the last row must be {form}: the file is cut short, or input.control is wrong',
    'แถวสุดท้ายต้องเป็น {form} ไฟล์ไม่ครบ หรือ input.control ไม่ถูกต้อง',
  ],
  'control.about': ['{path}: {why}', '{path}: {why}'],
  'control.too-large': ['too large for a control file', 'ใหญ่เกินไปสำหรับไฟล์ยอดควบคุม'],
  'control.trailer-rows-unread': [
    'the trailer row must give the number of rows in digits, without separators',
    'แถวสรุปต้องระบุจำนวนแถวเป็นตัวเลขโดยไม่มีเครื่องหมายคั่น',
  ],
  'control.file-rows-unread': [
    'the control file must give the number of rows in digits, without separators',
    'ไฟล์ยอดควบคุมต้องระบุจำนวนแถวเป็นตัวเลขโดยไม่มีเครื่องหมายคั่น',
  ],
  'control.trailer-total-unread': [
    'the trailer row must give the total in baht with at most two decimals, as 1234.50',
    'แถวสรุปต้องระบุยอดรวมเป็นบาท ทศนิยมไม่เกินสองตำแหน่ง เช่น 1234.50',
  ],
  'control.file-total-unread': [
    'the control file must give the total in baht with at most two decimals, as 1234.50',
    'ไฟล์ยอดควบคุมต้องระบุยอดรวมเป็นบาท ทศนิยมไม่เกินสองตำแหน่ง เช่น 1234.50',
  ],
  'control.more-than-rows': [
    'the trailer row has more than its mark and the number of rows: a row that starts with the mark, or a total, which registrations do not have?',
    'แถวสรุปมีข้อมูลนอกจากคำขึ้นต้นและจำนวนแถว อาจเป็นแถวที่ขึ้นต้นด้วยคำนี้ หรือเป็นยอดรวม ซึ่งการลงทะเบียนไม่มี',
  ],
  'control.more-than-total': [
    'the trailer row has more than its mark, the number of rows and the total: a thousands separator, or a row that starts with the mark?',
    'แถวสรุปมีข้อมูลนอกจากคำขึ้นต้น จำนวนแถว และยอดรวม อาจมีเครื่องหมายคั่นหลักพัน หรือเป็นแถวที่ขึ้นต้นด้วยคำนี้',
  ],
  'control.no-json': [
    'the control file is no JSON: write {example}',
    'ไฟล์ยอดควบคุมไม่ใช่ JSON ให้เขียนเป็น {example}',
  ],
  'control.needs-rows': [
    'the control file needs the key rows: {example}',
    'ไฟล์ยอดควบคุมต้องมีคีย์ rows: {example}',
  ],
  'control.needs-both': ['the control file needs both keys: {example}', 'ไฟล์ยอดควบคุมต้องมีทั้งสองคีย์: {example}'],
  'control.rows-not-whole': [
    'rows in the control file must be a whole number: {example}',
    'rows ในไฟล์ยอดควบคุมต้องเป็นจำนวนเต็ม: {example}',
  ],
  'control.total-not-text': [
    'total in the control file must be a text in quotes, or it is not exact: "1234.50"',
    'total ในไฟล์ยอดควบคุมต้องเป็นข้อความในเครื่องหมายคำพูดเพื่อให้ตรงทุกสตางค์: "1234.50"',
  ],
  'control.rows-differ': [
    'the control totals speak of {declared} and the file has {rows}: have the file written again',
    'ยอดควบคุมระบุ {declared} แต่ไฟล์มี {rows} แถว ให้จัดทำไฟล์ใหม่',
  ],
  'control.unproved': [
    '{amounts} cannot be read, the first in this line, so the control total of {total} cannot be proved: correct them',
    'อ่าน{amounts} ไม่ได้ รายการแรกอยู่ที่บรรทัดนี้ จึงตรวจยอดควบคุม {total} ไม่ได้ ให้แก้จำนวนเงินเหล่านั้น',
  ],
  'control.total-differs': [
    'the control totals speak of {declared} baht and the rows add up to {total}: have the file written again',
    'ยอดควบคุมระบุ {declared} บาท แต่ทุกแถวรวมได้ {total} ให้จัดทำไฟล์ใหม่',
  ],
});

/** Files of the drop folder, and files of decisions. */
const dropWordings = wordings({
  'drop.same-bytes': ['the same bytes as {name}, batch {batch}', 'ข้อมูลเหมือนกับไฟล์ {name} ชุด {batch} ทุกประการ'],
  'drop.same-bytes-as-payouts': [
    'the same bytes as {name}, which was taken as payouts, batch {batch}',
    'ข้อมูลเหมือนกับไฟล์ {name} ทุกประการ ซึ่งรับเป็นรายการจ่ายเงินแล้ว ชุด {batch}',
  ],
  'drop.same-bytes-as-registrations': [
    'the same bytes as {name}, which was taken as registrations, batch {batch}',
    'ข้อมูลเหมือนกับไฟล์ {name} ทุกประการ ซึ่งรับเป็นการลงทะเบียนแล้ว ชุด {batch}',
  ],
  'drop.same-bytes-wait': ['the same bytes wait already, as {name}', 'ไฟล์ที่มีข้อมูลเดียวกันรออยู่แล้ว ชื่อ {name}'],
  'drop.still-written': ['the file was still being written when it was taken', 'ไฟล์ยังเขียนไม่เสร็จเมื่อระบบรับเข้า'],
  'drop.written-after': ['written to after its {rows} had been read', 'ไฟล์ถูกเขียนเพิ่มหลังจากอ่านไปแล้ว {rows}'],
  'drop.removed-before': [
    'removed from the work folder before it was read',
    'ไฟล์ถูกนำออกจากโฟลเดอร์ work ก่อนระบบอ่าน',
  ],
  'drop.removed-after': [
    'removed from the work folder after its {rows} had been read',
    'ไฟล์ถูกนำออกจากโฟลเดอร์ work หลังจากอ่านไปแล้ว {rows}',
  ],
  'drop.and-more': [
    '{first}; and {count} more, in its .reason.txt',
    '{first} และอีก {count} ข้อในไฟล์ .reason.txt',
  ],
  'decision-file.nothing-decided': ['nothing is decided in this file', 'ไม่มีการตัดสินใจในไฟล์นี้'],
  'decision-file.amount-cut': [
    'with the cells after it this reads as {uncut}, which its comma has cut: write it as 1234.50, with two decimals',
    'เมื่ออ่านรวมกับช่องถัดไปจะเป็น {uncut} ซึ่งถูกจุลภาคแบ่ง ให้เขียนแบบ 1234.50 ทศนิยมสองตำแหน่ง',
  ],
  'decision-file.quote-misplaced': [
    'a quotation mark stands inside a cell, or is never closed: save the file again from the spreadsheet',
    'มีเครื่องหมายคำพูดอยู่ในช่องหรือไม่ปิด ให้บันทึกไฟล์จากโปรแกรมตารางใหม่',
  ],
  'decision-file.column-hidden': [
    'the column is hidden and this cell of it is filled in: show it, look at it, and save the file again',
    'คอลัมน์นี้ซ่อนอยู่และช่องนี้มีข้อมูล ให้แสดงคอลัมน์ ตรวจดู แล้วบันทึกไฟล์ใหม่',
  ],
  'decision-file.too-many-rows': [
    'the file has more than {most} rows: split it',
    'ไฟล์มีเกิน {most} แถว ให้แบ่งไฟล์',
  ],
  'decision-file.too-many-bytes': [
    'the file has more than {most} bytes: split it',
    'ไฟล์มีขนาดเกิน {most} ไบต์ ให้แบ่งไฟล์',
  ],
});

const fetchAgain = 'fetch the statement again; if it stays so, ask the bank for a new file';
const fetchAgainTh = 'ให้ดึงรายการเดินบัญชีใหม่ ถ้ายังเป็นเช่นเดิมให้ขอไฟล์ใหม่จากธนาคาร';
const byHand =
  'open it by hand (with 7-Zip, which asks for the key, or whatever the bank says it is) and reconcile what comes out as a file';
const byHandTh = 'ให้เปิดไฟล์เอง (ใช้ 7-Zip ซึ่งจะถามรหัส หรือโปรแกรมตามที่ธนาคารระบุ) แล้วกระทบยอดกับไฟล์ที่ได้';
const nothingRecorded = 'nothing of it is recorded';
const nothingRecordedTh = 'ไม่มีการบันทึกข้อมูลจากไฟล์นี้';
const incomplete =
  `${nothingRecorded}, ask again later ("paydrop reconcile --date {day}"), or, if the bank says that it is right, add --force (where there are users: "paydrop accept {day} --statement")` as const;
const incompletePage =
  `${nothingRecorded}, fetch it again later, or, if the bank says that it is right, two people accept it` as const;
const incompleteTh = `${nothingRecordedTh} ให้ดึงใหม่ภายหลัง หรือถ้าธนาคารยืนยันว่าถูกต้อง ให้สองคนยอมรับ` as const;

/** Files of statements: packed, their header, their lines. */
const statementFileWordings = wordings({
  'statement-file.with-place': ['{why} ({place})', '{why} ({place})'],
  'statement-file.kept-as': ['it is kept as {path}', 'เก็บไว้ที่ {path}'],
  'statement-file.banks-kept-as': ["the bank's file is kept as {path}", 'ไฟล์ของธนาคารเก็บไว้ที่ {path}'],
  'statement-file.banks-kept-with-key': [
    "the bank's file is kept as {path}, its key as {keyPath}",
    'ไฟล์ของธนาคารเก็บไว้ที่ {path} และรหัสของไฟล์ที่ {keyPath}',
  ],
  'statement-file.too-many-bytes': [
    'the file has more than {most} bytes: raise reconcile.maxBytes',
    'ไฟล์มีขนาดเกิน {most} ไบต์ ให้เพิ่มค่า reconcile.maxBytes',
  ],
  'statement-file.too-large': [
    'the statement has more than {most} bytes: raise reconcile.maxBytes',
    'รายการเดินบัญชีมีขนาดเกิน {most} ไบต์ ให้เพิ่มค่า reconcile.maxBytes',
  ],
  'statement-file.gzip-cut-short': [
    'the gzip file is cut short: fetch the statement again',
    'ไฟล์ gzip ไม่ครบ ให้ดึงรายการเดินบัญชีใหม่',
  ],
  'statement-file.gzip-damaged': [
    `the gzip file is damaged: fetch the statement again, or ${byHand}`,
    `ไฟล์ gzip เสียหาย ให้ดึงรายการเดินบัญชีใหม่ หรือ${byHandTh}`,
  ],
  'statement-file.form-unknown': ['the file is {what}: {cure}', 'ไฟล์นี้{what} {cure}'],
  'statement-file.by-hand': [byHand, byHandTh],
  'statement-file.fetch-again': [fetchAgain, fetchAgainTh],
  'statement-file.see-in-browser': [
    `a login or an error page, perhaps: see in a browser what it says, then ${fetchAgain}`,
    `อาจเป็นหน้าเข้าสู่ระบบหรือหน้าข้อผิดพลาด ให้เปิดดูในเบราว์เซอร์ แล้ว${fetchAgainTh}`,
  ],
  'statement-file.look-at-it': [`look at it, then ${fetchAgain}`, `ให้ตรวจดู แล้ว${fetchAgainTh}`],
  'statement-file.bomb': [
    `the archive unpacks to more than {most} times its size, as no statement does: look at it, then ${byHand}`,
    `ไฟล์บีบอัดขยายเกิน {most} เท่าของขนาดเดิม ซึ่งผิดปกติสำหรับรายการเดินบัญชี ให้ตรวจดู แล้ว${byHandTh}`,
  ],
  'statement-file.no-text': [
    `the archive holds no text: it is {what}; ${byHand}`,
    `ไฟล์ในไฟล์บีบอัดไม่ใช่ข้อความ: {what} ${byHandTh}`,
  ],
  'statement-form.zip': ['a ZIP archive', 'เป็นไฟล์ ZIP'],
  'statement-form.gzip': ['a gzip file', 'เป็นไฟล์ gzip'],
  'statement-form.text': ['a text', 'เป็นข้อความ'],
  'statement-form.7z': ['a 7z archive', 'เป็นไฟล์บีบอัด 7z'],
  'statement-form.rar': ['a RAR archive', 'เป็นไฟล์บีบอัด RAR'],
  'statement-form.bzip2': ['a bzip2 file', 'เป็นไฟล์ bzip2'],
  'statement-form.xz': ['an xz file', 'เป็นไฟล์ xz'],
  'statement-form.zstandard': ['a Zstandard file', 'เป็นไฟล์ Zstandard'],
  'statement-form.openssl': ['a file encrypted with OpenSSL', 'เข้ารหัสด้วย OpenSSL'],
  'statement-form.pgp': ['a file encrypted with PGP', 'เข้ารหัสด้วย PGP'],
  'statement-form.pdf': ['a PDF', 'เป็นไฟล์ PDF'],
  'statement-form.old-excel': ['an old Excel file', 'เป็นไฟล์ Excel รุ่นเก่า'],
  'statement-form.web-page': ['a web page, not a statement', 'เป็นหน้าเว็บ ไม่ใช่รายการเดินบัญชี'],
  'statement-form.json': ['a JSON text, not a statement', 'เป็นข้อความ JSON ไม่ใช่รายการเดินบัญชี'],
  'statement-form.empty': ['empty', 'ว่างเปล่า'],
  'statement-form.unknown': ['in a form that we do not know', 'อยู่ในรูปแบบที่ระบบไม่รู้จัก'],

  'statement-zip.contents-too-long': [
    `the ZIP's table of contents is far too long: ${byHand}`,
    `สารบัญของไฟล์ ZIP ยาวผิดปกติ ${byHandTh}`,
  ],
  'statement-zip.key-missing': [
    `the ZIP is encrypted and there is no key: with a file of your own give it by a key file or PAYDROP_UNZIP_KEY, or ${byHand}`,
    `ไฟล์ ZIP เข้ารหัสไว้และไม่มีรหัส เมื่อใช้ไฟล์ของตนเอง ให้ระบุรหัสด้วยไฟล์รหัสหรือ PAYDROP_UNZIP_KEY หรือ${byHandTh}`,
  ],
  'statement-zip.wrong-key': [
    `the bank's key does not open the ZIP: fetch the statement again for a new key, or ${byHand}`,
    `รหัสของธนาคารเปิดไฟล์ ZIP ไม่ได้ ให้ดึงรายการเดินบัญชีใหม่เพื่อรับรหัสใหม่ หรือ${byHandTh}`,
  ],
  'statement-zip.damaged': [
    `the ZIP is damaged: fetch the statement again, or ${byHand}`,
    `ไฟล์ ZIP เสียหาย ให้ดึงรายการเดินบัญชีใหม่ หรือ${byHandTh}`,
  ],
  'statement-zip.key-or-damage': [
    `the ZIP is damaged, or the bank's key is not the one it was made with: fetch the statement again, or ${byHand}`,
    `ไฟล์ ZIP เสียหาย หรือรหัสของธนาคารไม่ใช่รหัสที่ใช้สร้างไฟล์ ให้ดึงรายการเดินบัญชีใหม่ หรือ${byHandTh}`,
  ],
  'statement-zip.unknown-packing': [
    `the ZIP is packed in a way that we do not know: ${byHand}`,
    `ระบบไม่รู้จักวิธีบีบอัดของไฟล์ ZIP นี้ ${byHandTh}`,
  ],
  'statement-zip.unknown-encryption': [
    `the ZIP is encrypted in a way that we do not know: ${byHand}`,
    `ระบบไม่รู้จักวิธีเข้ารหัสของไฟล์ ZIP นี้ ${byHandTh}`,
  ],
  'statement-zip.path-in-name': [
    `the file in the ZIP has a path in its name: look at it, then ${byHand}`,
    `ชื่อไฟล์ใน ZIP มีเส้นทางโฟลเดอร์ ให้ตรวจดู แล้ว${byHandTh}`,
  ],
  'statement-zip.path-in-this-name': [
    `the file in the ZIP has a path in its name ({name}): ${byHand}`,
    `ชื่อไฟล์ใน ZIP มีเส้นทางโฟลเดอร์ ({name}) ${byHandTh}`,
  ],
  'statement-zip.disagrees': [
    `the ZIP's records contradict each other about its content: look at it, then ${byHand}`,
    `ข้อมูลเกี่ยวกับเนื้อหาในไฟล์ ZIP ขัดแย้งกัน ให้ตรวจดู แล้ว${byHandTh}`,
  ],
  'statement-zip.split': [
    `the ZIP is one part of several: ${byHand}`,
    `ไฟล์ ZIP เป็นเพียงส่วนหนึ่งจากหลายส่วน ${byHandTh}`,
  ],
  'statement-zip.cut-short': [
    'the ZIP is cut short: fetch the statement again',
    'ไฟล์ ZIP ไม่ครบ ให้ดึงรายการเดินบัญชีใหม่',
  ],
  'statement-zip.empty': [`the ZIP holds no file: ${byHand}`, `ไม่มีไฟล์ใน ZIP ${byHandTh}`],
  'statement-zip.several': [
    `the ZIP holds more than one file ({name}, {second}), so that it is unclear which is the statement: ${byHand}`,
    `มีหลายไฟล์ใน ZIP ({name}, {second}) จึงไม่ทราบว่าไฟล์ใดเป็นรายการเดินบัญชี ${byHandTh}`,
  ],
  'statement-zip.folder': [
    `the ZIP holds a folder and no file: ${byHand}`,
    `ใน ZIP มีโฟลเดอร์แต่ไม่มีไฟล์ ${byHandTh}`,
  ],

  'statement-file.empty': [`the file is empty: ${fetchAgain}`, `ไฟล์ว่างเปล่า ${fetchAgainTh}`],
  'statement-file.nul-byte': [
    `a NUL byte stands here, so the file is no text or was damaged: ${fetchAgain}`,
    `พบไบต์ NUL ไฟล์จึงไม่ใช่ข้อความหรือเสียหาย ${fetchAgainTh}`,
  ],
  'statement-file.undecodable': [
    `the file is neither UTF-8 nor windows-874, or was damaged here: ${fetchAgain}`,
    `ไฟล์ไม่ใช่ทั้ง UTF-8 และ windows-874 หรือเสียหายที่จุดนี้ ${fetchAgainTh}`,
  ],
  'statement-file.quote-unclosed': [
    `a quotation mark opens a cell in this line and is not closed there: ${fetchAgain}`,
    `มีเครื่องหมายคำพูดเปิดในบรรทัดนี้แต่ไม่ปิด ${fetchAgainTh}`,
  ],
  'statement-file.row-too-long': [
    `the line is far too long, or its line end is missing: ${fetchAgain}`,
    `บรรทัดยาวผิดปกติ หรือขาดการขึ้นบรรทัดใหม่ ${fetchAgainTh}`,
  ],
  'statement-file.line-end-missing': [
    `the last line has no line end, so that its last cells, or lines after it, may be cut off: ${fetchAgain}`,
    `บรรทัดสุดท้ายไม่มีการขึ้นบรรทัดใหม่ ช่องท้ายหรือบรรทัดถัดไปอาจขาดหาย ${fetchAgainTh}`,
  ],
  'statement-file.header-unreadable': [
    'the header cannot be read: its line is too long, or a quotation mark is missing or misplaced; ask the bank for a new file',
    'อ่านหัวตารางไม่ได้ บรรทัดยาวเกินไป หรือเครื่องหมายคำพูดขาดหรืออยู่ผิดที่ ให้ขอไฟล์ใหม่จากธนาคาร',
  ],
  'statement-file.column-doubled': [
    'the header has this column twice (as number {first} and {second}), so that it is unclear which one counts: ask the bank for a new file',
    'หัวตารางมีคอลัมน์นี้ซ้ำ (ลำดับที่ {first} และ {second}) จึงไม่ทราบว่าให้ใช้คอลัมน์ใด ให้ขอไฟล์ใหม่จากธนาคาร',
  ],
  'statement-file.no-header': [
    'the first line is no header of a statement: is this the right file? if so, look at it and ask the bank',
    'บรรทัดแรกไม่ใช่หัวตารางของรายการเดินบัญชี ให้ตรวจสอบว่าใช้ไฟล์ถูกต้องหรือไม่ ถ้าถูกต้องให้ตรวจดูไฟล์แล้วสอบถามธนาคาร',
  ],
  'statement-file.lacks': [
    'the header lacks {columns}: ask the bank for a file with all columns',
    'หัวตารางไม่มี {columns} ให้ขอไฟล์ที่มีครบทุกคอลัมน์จากธนาคาร',
  ],
  'statement-file.lacks-scheme': [
    'the header lacks {columns}: ask the bank for a file with all columns (or set bank.scheme to the word that the file has in its place)',
    'หัวตารางไม่มี {columns} ให้ขอไฟล์ที่มีครบทุกคอลัมน์จากธนาคาร (หรือตั้งค่า bank.scheme เป็นคำที่ไฟล์ใช้แทน)',
  ],
  'statement-file.number-gap': [
    `the record's number should be {expected} and is {found}: lines are lost, doubled or out of order: ${fetchAgain}`,
    `ลำดับของรายการควรเป็น {expected} แต่เป็น {found} มีบรรทัดหาย ซ้ำ หรือสลับลำดับ ${fetchAgainTh}`,
  ],
  'statement-file.number-mixed': [
    `the record has the number {found} where those before it have none: lines of two files are mixed: ${fetchAgain}`,
    `รายการนี้มีลำดับ {found} แต่รายการก่อนหน้าไม่มีลำดับ มีบรรทัดจากสองไฟล์ปนกัน ${fetchAgainTh}`,
  ],
  'statement-file.no-number': ['none', 'ไม่มี'],
  'statement-file.quote-misplaced': [
    `a quotation mark stands inside a cell: ${fetchAgain}`,
    `มีเครื่องหมายคำพูดอยู่ในช่อง ${fetchAgainTh}`,
  ],
  'statement-file.cells-missing': [
    `{cells} where the header has {expected}: the line is cut short or cells are missing: ${fetchAgain}`,
    `มี {cells} แต่หัวตารางมี {expected} ช่อง บรรทัดไม่ครบหรือขาดช่อง ${fetchAgainTh}`,
  ],
  'statement-file.cells-too-many': [
    `{cells} where the header has {expected}: a separator is one too many: ${fetchAgain}`,
    `มี {cells} แต่หัวตารางมี {expected} ช่อง มีตัวคั่นเกิน ${fetchAgainTh}`,
  ],
  'statement-file.lines-repeated': [
    'more than {most} lines have the same transfer reference, as in no statement: look at the file and ask the bank for a new one',
    'มีเกิน {most} บรรทัดที่ใช้เลขอ้างอิงการโอนเดียวกัน ซึ่งผิดปกติสำหรับรายการเดินบัญชี ให้ตรวจดูไฟล์และขอไฟล์ใหม่จากธนาคาร',
  ],
  'statement-file.other-day': [
    'no line of the file is of {day}; the first is of {first}: name the right day, or ask the bank for the file of the day',
    'ไฟล์ไม่มีรายการของวันที่ {day} รายการแรกเป็นของวันที่ {first} ให้ระบุวันที่ให้ถูกต้อง หรือขอไฟล์ของวันนั้นจากธนาคาร',
  ],
  'statement-file.line-unread': [`{fault}: ${fetchAgain}`, `{fault} ${fetchAgainTh}`],
  'statement-file.lines-unread': [
    `{fault}, and {others} more cannot be read: ${fetchAgain}`,
    `{fault} และอ่านไม่ได้อีก {others} ${fetchAgainTh}`,
  ],

  'statement-fault.cell': ['{column}: {what} ({code})', '{column}: {what} ({code})'],
  'statement-fault.line-empty': ['the line is empty (line-empty)', 'บรรทัดว่างเปล่า (line-empty)'],
  'statement-fault.amount-empty': ['the amount is empty', 'ไม่มีจำนวนเงิน'],
  'statement-fault.amount-negative': ['the amount "{text}" is negative', 'จำนวนเงิน "{text}" ติดลบ'],
  'statement-fault.amount-exponent': [
    'the amount "{text}" is an exponent, as a spreadsheet writes it, which has lost digits',
    'จำนวนเงิน "{text}" เป็นเลขยกกำลังจากโปรแกรมตาราง หลักตัวเลขหายไป',
  ],
  'statement-fault.amount-unreadable': [
    'the amount "{text}" is no amount of baht with at most two decimals',
    '"{text}" ไม่ใช่จำนวนเงินบาทที่มีทศนิยมไม่เกินสองตำแหน่ง',
  ],
  'statement-fault.date': [
    'the date "{text}" names no day of the years {first} to {last}: a date is YYYYMMDD or YYYY-MM-DD, by the Christian era',
    '"{text}" ไม่ใช่วันที่ในปี ค.ศ. {first} ถึง {last} วันที่ต้องเป็น YYYYMMDD หรือ YYYY-MM-DD ตามคริสต์ศักราช',
  ],
  'statement-fault.buddhist-date': [
    'the date "{text}" is of the Buddhist era: {meant} is meant',
    'วันที่ "{text}" เป็นพุทธศักราช หมายถึง {meant}',
  ],

  'statement-file.name-of-other-company': [
    `the file's name says that it is the statement of company {other}, and the settings are those of {company}: ${nothingRecorded}; give the statement of {company}, or rename the file if its name is wrong`,
    `ชื่อไฟล์ระบุว่าเป็นรายการเดินบัญชีของบริษัท {other} แต่การตั้งค่าเป็นของ {company} ${nothingRecordedTh} ให้ส่งรายการเดินบัญชีของ {company} หรือเปลี่ยนชื่อไฟล์ถ้าชื่อผิด`,
  ],
  'statement-file.of-other-company': [
    `every line is of company {other} or another, and the settings are those of {company}: ${nothingRecorded}; give the statement of {company}`,
    `ทุกบรรทัดเป็นของบริษัท {other} หรือบริษัทอื่น แต่การตั้งค่าเป็นของ {company} ${nothingRecordedTh} ให้ส่งรายการเดินบัญชีของ {company}`,
  ],
  'statement-file.lost-transfers': [
    `the statement is not complete yet: it lacks {transfers} (such as {key}) that the accepted statement of {day} has; ${incomplete}`,
    `รายการเดินบัญชียังไม่ครบ ไม่มี{transfers} (เช่น {key}) ที่มีในฉบับที่รับแล้วของวันที่ {day} ${incompleteTh}`,
    `the statement is not complete yet: it lacks {transfers} (such as {key}) that the accepted statement of {day} has; ${incompletePage}`,
  ],
  'statement-file.no-own-line.one': [
    `the statement is not complete yet: it has no line of ours, and {payouts} of {day} is paid; ${incomplete}`,
    `รายการเดินบัญชียังไม่ครบ ไม่มีบรรทัดของเรา แต่มี {payouts} ของวันที่ {day} ที่จ่ายแล้ว ${incompleteTh}`,
    `the statement is not complete yet: it has no line of ours, and {payouts} of {day} is paid; ${incompletePage}`,
  ],
  'statement-file.no-own-line.many': [
    `the statement is not complete yet: it has no line of ours, and {payouts} of {day} are paid; ${incomplete}`,
    `รายการเดินบัญชียังไม่ครบ ไม่มีบรรทัดของเรา แต่มี {payouts} ของวันที่ {day} ที่จ่ายแล้ว ${incompleteTh}`,
    `the statement is not complete yet: it has no line of ours, and {payouts} of {day} are paid; ${incompletePage}`,
  ],
  'statement-file.superseded': [
    `this is version {known} of the statement of {day}, which version {present} has superseded: ${nothingRecorded}; what the bank has now is fetched with "paydrop reconcile --date {day}", and to go back to this version add --force (where there are users: "paydrop accept {day} --file FILE --force")`,
    `ไฟล์นี้เป็นรายการเดินบัญชีวันที่ {day} ฉบับที่ {known} ซึ่งถูกแทนที่ด้วยฉบับที่ {present} แล้ว ${nothingRecordedTh} ให้ดึงฉบับปัจจุบันของธนาคาร หรือให้สองคนยอมรับถ้าจะกลับไปใช้ฉบับนี้`,
    `this is version {known} of the statement of {day}, which version {present} has superseded: ${nothingRecorded}; fetch what the bank has now, or have two people accept this version`,
  ],
});

const askAgain = 'ask for the statement again later';
const askAgainTh = 'ให้ขอรายการเดินบัญชีใหม่ภายหลัง';
const askBank = 'ask the bank for an address that leads to the file';
const askBankTh = 'ให้ขอที่อยู่ที่นำไปยังไฟล์จากธนาคาร';

/** The download of a statement. */
const downloadWordings = wordings({
  'download.stopped': [
    'the download was stopped: ask for the statement again',
    'การดาวน์โหลดถูกหยุด ให้ขอรายการเดินบัญชีใหม่',
  ],
  'download.slow': [
    `the file has not come whole within {ms} ms: ${askAgain}`,
    `ได้รับไฟล์ไม่ครบภายใน {ms} มิลลิวินาที ${askAgainTh}`,
  ],
  'download.redirects': [
    `the address leads over more than {most} redirects: ${askBank}`,
    `ที่อยู่นี้ส่งต่อเกิน {most} ครั้ง ${askBankTh}`,
  ],
  'download.no-address': [
    `the bank's address of the file is no web address: ${askBank}`,
    `ที่อยู่ไฟล์ที่ธนาคารให้มาไม่ใช่ที่อยู่เว็บ ${askBankTh}`,
  ],
  'download.holds-user': [
    `the bank's address of the file holds a user: ${askBank}`,
    `ที่อยู่ไฟล์ที่ธนาคารให้มามีชื่อผู้ใช้ ${askBankTh}`,
  ],
  'download.in-the-clear': [
    "the bank's address of the file is plain http to {host}, where anybody can read and change it: ask the bank for an https address",
    'ที่อยู่ไฟล์ที่ธนาคารให้มาเป็น http ไปยัง {host} โดยไม่เข้ารหัส ซึ่งผู้อื่นอ่านและแก้ไขได้ ให้ขอที่อยู่ https จากธนาคาร',
  ],
  'download.leads-here': [
    `{host} redirects to this machine: ${askBank}`,
    `{host} ส่งต่อมายังเครื่องนี้ ${askBankTh}`,
  ],
  'download.redirect-unusable': [
    `{host} redirects to no address: ${askBank}`,
    `{host} ส่งต่อไปยังที่อยู่ที่ใช้ไม่ได้ ${askBankTh}`,
  ],
  'download.redirect-refused': [
    `{host} redirects from {from} to {to}, which is not followed: ${askBank}`,
    `{host} ส่งต่อจาก {from} ไป {to} ซึ่งระบบไม่ไปตาม ${askBankTh}`,
  ],
  'download.leads-inside': [
    `the bank's address of the file leads to {host}, which is this machine or inside your own network, where the bank is not: ${askBank}, or add {host} to reconcile.hosts if its files are really there`,
    `ที่อยู่ไฟล์ที่ธนาคารให้มานำไปยัง {host} ซึ่งเป็นเครื่องนี้หรืออยู่ในเครือข่ายของท่าน ไม่ใช่ของธนาคาร ${askBankTh} หรือเพิ่ม {host} ใน reconcile.hosts ถ้าไฟล์อยู่ที่นั่นจริง`,
  ],
  'download.certificate': [
    'the certificate of {host} ({code}) {trouble}',
    'ใบรับรองของ {host} ({code}) {trouble}',
  ],
  'certificate.expired': [
    'has expired: tell the bank, and look at the clock of this machine',
    'หมดอายุแล้ว ให้แจ้งธนาคาร และตรวจนาฬิกาของเครื่องนี้',
  ],
  'certificate.not-yet-valid': [
    'is not valid yet: look at the clock of this machine',
    'ยังไม่มีผลใช้งาน ให้ตรวจนาฬิกาของเครื่องนี้',
  ],
  'certificate.other-name': [`is for another name: ${askBank}`, `เป็นของชื่ออื่น ${askBankTh}`],
  'certificate.distrusted': [
    'is not trusted by this machine: look for a proxy on the way, and have the issuer trusted (NODE_EXTRA_CA_CERTS)',
    'เครื่องนี้ไม่เชื่อถือ ให้ตรวจว่ามีพร็อกซีคั่นอยู่หรือไม่ และกำหนดให้เชื่อถือผู้ออกใบรับรอง (NODE_EXTRA_CA_CERTS)',
  ],
  'certificate.not-accepted': ['is not accepted: tell the bank', 'ไม่ผ่านการตรวจสอบ ให้แจ้งธนาคาร'],
  'download.no-connection': [
    `no connection to {host} ({code}): ${askAgain}`,
    `เชื่อมต่อ {host} ไม่ได้ ({code}) ${askAgainTh}`,
  ],
  'download.silent': [
    `the file's host was silent for {ms} ms: ${askAgain}`,
    `เครื่องที่เก็บไฟล์ไม่ตอบเป็นเวลา {ms} มิลลิวินาที ${askAgainTh}`,
  ],
  'download.http': ['{host} answered HTTP {status}: {cure}', '{host} ตอบ HTTP {status} {cure}'],
  'download.address-expired': [
    'the address has expired, or this machine may not fetch it: ask for the statement again',
    'ที่อยู่หมดอายุ หรือเครื่องนี้ไม่มีสิทธิ์ดาวน์โหลด ให้ขอรายการเดินบัญชีใหม่',
  ],
  'download.not-there': [
    'the file is not there any more: ask for the statement again',
    'ไม่มีไฟล์นี้แล้ว ให้ขอรายการเดินบัญชีใหม่',
  ],
  'download.ask-again': [askAgain, askAgainTh],
  'download.length-missing': [
    '{host} does not say how long the file is, so that one cut short would look whole: ask the bank, or fetch it yourself and hand it in as a file',
    '{host} ไม่ระบุความยาวของไฟล์ จึงไม่ทราบว่าไฟล์ครบหรือไม่ ให้สอบถามธนาคาร หรือดาวน์โหลดเองแล้วส่งเป็นไฟล์',
  ],
  'download.too-large': [
    'the file is larger than {most} bytes: raise reconcile.maxBytes',
    'ไฟล์มีขนาดเกิน {most} ไบต์ ให้เพิ่มค่า reconcile.maxBytes',
  ],
  'download.cut': [`the file from {host} was cut short: ${askAgain}`, `ไฟล์จาก {host} ไม่ครบ ${askAgainTh}`],
  'download.web-page': [
    `{host} sent a web page, not a statement: a login or an error page, perhaps a proxy's; look at what was kept, then ${askAgain}`,
    `{host} ส่งหน้าเว็บมาแทนรายการเดินบัญชี อาจเป็นหน้าเข้าสู่ระบบ หน้าข้อผิดพลาด หรือหน้าของพร็อกซี ให้ตรวจดูไฟล์ที่เก็บไว้ แล้ว${askAgainTh}`,
  ],
});

export const fileWordings = {
  ...byteWordings,
  ...workbookWordings,
  ...headerWordings,
  ...journalWordings,
  ...controlWordings,
  ...dropWordings,
  ...statementFileWordings,
  ...downloadWordings,
};
