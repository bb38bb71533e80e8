/**
 * Notices in Thai, kind by kind, from the facts in their bodies. Codes, commands and figures stay as they are; so do words
 * of the bank, the system or the journal, which follow after a colon.
 */
import { say, sayCode } from '../../core/message.ts';
import { formatThaiDate } from '../../core/bangkok-time.ts';
import { showAmount, showCount } from '../../core/figures.ts';
import { findBankStatus } from '../../core/status-codes.ts';
import { findRegistrationCode } from '../../registration/rules/status-codes.ts';
import { breakWords } from '../../reconcile/rules/break-words.ts';
import type { BreakKind } from '../../reconcile/rules/types.ts';
import type { PersonEventKind } from '../../review/rules/chain.ts';
import { personEventWords } from '../../review/rules/person-words.ts';
import type { HealthReason } from '../../watch/rules/health.ts';
import type { NoticeDraft, NoticeKind } from './notice.ts';

type Body = NoticeDraft['body'];

/** Replaces the English; `remedy` is null where nothing needs to be done. */
interface Saying {
  readonly reason: string;
  readonly remedy: string | null;
}

/** A text of the body; empty where there is none. */
const textOf = (body: Body, name: string): string => {
  const value = body[name];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
};

const withDetail = (text: string, detail: string): string => (detail === '' ? text : `${text}: ${detail}`);

/** `21 พ.ย. 2569` of the day `2026-11-21` in a body. */
const dayOf = (body: Body, name: string): string => formatThaiDate(textOf(body, name).replaceAll('-', ''));

const find = (texts: Readonly<Record<string, string>>, code: string): string | undefined =>
  Object.hasOwn(texts, code) ? texts[code] : undefined;

// ---------------------------------------------------------------- batches

const resumeIt = 'เมื่อแก้สาเหตุแล้ว เลือก "ดำเนินการต่อ" ที่ชุดจ่ายเงิน หรือใช้คำสั่ง "paydrop resume" ตามด้วยรหัสชุด';
const askFirst = 'ถ้าแน่ใจว่าไม่ถูกต้อง ให้ยกเลิกทั้งชุดด้วยคำสั่ง "paydrop cancel" ตามด้วยรหัสชุด';
const changedJournal =
  'จะไม่มีการส่งรายการใดจากบัญชีผู้จ่ายนี้อีก ตรวจสอบว่าใครหรือสิ่งใดแก้ไขไฟล์ข้อมูล journal.db ก่อนดำเนินการต่อ';

/** Remedies for paydrop's own codes of a batch for review; the bank's codes have theirs in its table. */
const batchRemedies: Readonly<Record<string, string>> = {
  'brake-consecutive': `${sayCode('th', 'code-remedy.brake-consecutive')} ${resumeIt}`,
  'brake-share': `${sayCode('th', 'code-remedy.brake-share')} ${resumeIt}`,
  'brake-in-doubt': `ห้ามจ่ายซ้ำ ใช้คำสั่ง "paydrop settle" สอบถามผลกับธนาคารจนทราบผลก่อน ${resumeIt}`,
  'batch-too-old': `${sayCode('th', 'code-remedy.batch-too-old')} ${resumeIt} ${askFirst}`,
  'file-grown': `ขอไฟล์ฉบับเต็มก่อน คำสั่ง "paydrop resume" จ่ายรายการที่อ่านแล้ว และไฟล์ฉบับเต็มที่วางใหม่จ่ายรายการที่เหลือ ${askFirst}`,
  cancelled: 'ไม่ต้องดำเนินการ มีผู้ยกเลิกชุดจ่ายเงินนี้แล้ว รายการที่ส่งไปก่อนจะติดตามจนทราบผล',
};

/** Null where the batch needs no person; a remedy without Thai stays as the journal has it. */
function remedyOfBatch(body: Body): string | null {
  const [code, english] = [textOf(body, 'reasonCode'), textOf(body, 'remedy')];
  if (english === '') return null;
  // The rest of the text says how to bring the journal back.
  if (code === 'journal-changed') return withDetail(changedJournal, english);
  const own = find(batchRemedies, code);
  if (own !== undefined) return own;
  const bankStatus = findBankStatus(code);
  return bankStatus === undefined ? withDetail('ให้ดำเนินการดังนี้', english) : say('th', bankStatus.remedy);
}

/** Rows by status: `paid 2, held 1`. */
const countsOf = (body: Body): string =>
  Object.entries((body['byStatus'] ?? {}) as Readonly<Record<string, { readonly rows: number }>>)
    .map(([status, { rows }]) => `${status} ${showCount(rows)}`)
    .join(', ');

const lookAtExceptions = 'ให้ดูรายการที่ต้องตรวจสอบ แต่ละรายการมีวิธีดำเนินการ';

/** A batch without a code of its own shows only its rows by status. */
function sayBatch(body: Body, what: string, otherwise: string): Saying {
  if (body['reasonCode'] === null)
    return { reason: withDetail(what, countsOf(body)), remedy: body['remedy'] === null ? null : otherwise };
  return { reason: withDetail(what, textOf(body, 'reason')), remedy: remedyOfBatch(body) };
}

/** The remedy for the bank's code, or paydrop's own, is in the table of registrations. */
function sayRegistrations(body: Body, what: string): Saying {
  if (body['reasonCode'] === null) return sayBatch(body, what, lookAtExceptions);
  const [code, english] = [textOf(body, 'reasonCode'), textOf(body, 'remedy')];
  const told = findRegistrationCode(code)?.remedy;
  const known = told === undefined ? find(batchRemedies, code) : say('th', told);
  const remedy = english === '' ? null : (known ?? withDetail('ให้ดำเนินการดังนี้', english));
  return { reason: withDetail(what, textOf(body, 'reason')), remedy };
}

// ---------------------------------------------------------------- files

const sayGrown = (body: Body): Saying => {
  const [file, batchId] = [textOf(body, 'file'), textOf(body, 'batchId')];
  const rows = body['rowsNotPaid'];
  const what =
    typeof rows === 'number'
      ? `มีรายการเพิ่ม ${showCount(rows)} รายการ รวม ${showAmount(textOf(body, 'amountNotPaid') || '0.00')} บาท ซึ่งยังไม่ได้จ่าย`
      : 'ข้อมูลในไฟล์ไม่ตรงกับที่อ่านไว้';
  return {
    reason: `มีการเขียนไฟล์ ${file} หลังจากอ่านเป็นชุดจ่ายเงิน ${batchId} แล้ว: ${what}`,
    remedy: withDetail(
      `ให้คู่ค้าส่งไฟล์ฉบับเต็มอีกครั้ง หรือวางไฟล์ฉบับเต็มใหม่ รายการที่อยู่ในชุด ${batchId} แล้วจะถูกปฏิเสธตาม payoutId และจ่ายเฉพาะรายการที่เหลือ`,
      textOf(body, 'remedy'),
    ),
  };
};

// ---------------------------------------------------------------- ready or not

const goesOn = 'ระหว่างนี้ไม่มีการส่งรายการ และจะทำงานต่อเองเมื่อแก้ปัญหาแล้ว';

const moveAwayIt = 'ถ้ามีไฟล์รายงานเดิมใช้ชื่อเดียวกัน ให้ย้ายไปเก็บที่อื่นด้วยคำสั่งที่แสดงไว้ ถ้าไม่ใช่ ระบบจะลองใหม่เอง';

/** Every code of health that is told; `true` where the English remedy says more than its code. */
const troubles: Readonly<
  Record<HealthReason['code'], readonly [text: string, remedy: string, isMore?: true]>
> = {
  'loop-stalled': ['โปรแกรมเฝ้าโฟลเดอร์ไม่ทำงานนานกว่า 60 วินาที', 'ให้เริ่มโปรแกรมใหม่ ข้อมูลไม่สูญหาย และไม่มีการจ่ายซ้ำ'],
  standby: ['โปรแกรมอื่นกำลังส่งรายการจากข้อมูลชุดนี้', 'ไม่ต้องดำเนินการ จะทำงานแทนเมื่ออีกโปรแกรมหยุด'],
  starting: ['โปรแกรมกำลังเริ่มทำงาน', 'ไม่ต้องดำเนินการ'],
  stopping: ['โปรแกรมกำลังหยุด จะไม่รับไฟล์ใหม่', 'เริ่มโปรแกรมอีกครั้ง งานที่ค้างจะทำต่อ'],
  'inbox-gone': ['ใช้โฟลเดอร์รับไฟล์ (inbox) ไม่ได้', 'จะทำงานต่อเองเมื่อใช้โฟลเดอร์ได้อีกครั้ง', true],
  'inbox-unresponsive': ['โฟลเดอร์รับไฟล์ (inbox) ไม่ตอบสนอง', `ตรวจสอบดิสก์หรือที่เก็บไฟล์ร่วม ${goesOn}`],
  disk: ['เขียนข้อมูลลงดิสก์ไม่ได้', `ตรวจสอบดิสก์ ${goesOn}`],
  'journal-locked': ['ไฟล์ข้อมูล journal ถูกโปรแกรมอื่นล็อกไว้', goesOn],
  'journal-away': ['เขียนข้อมูลลงฐานข้อมูล journal ไม่ได้', `ตรวจสอบเซิร์ฟเวอร์ฐานข้อมูล ${goesOn}`],
  bank: ['ติดต่อธนาคารไม่ได้', goesOn],
  'payer-halted': ['หยุดจ่ายจากบัญชีผู้จ่าย', 'แก้สาเหตุที่หยุดจ่ายก่อน แล้วดำเนินการต่อ', true],
  'payer-paused': ['พักการส่งรายการชั่วคราว', 'จะลองส่งต่อเอง', true],
  'journal-damaged': ['ข้อมูลใน journal เสียหาย จึงหยุดส่งทุกรายการ', 'กู้คืนจากสำเนาสำรองตามคู่มือ ห้ามจ่ายซ้ำด้วยวิธีอื่น'],
  'service-closed': ['นอกเวลาให้บริการ ไฟล์ที่รับแล้วจะรอ', 'จะส่งต่อเองเมื่อบริการเปิด'],
  'batch-failing': ['ชุดจ่ายเงินดำเนินการต่อไม่ได้', moveAwayIt, true],
  'after-loss': ['journal สูญหายหรือกู้คืนจากสำเนา จึงสอบถามธนาคารก่อนส่ง', 'ไม่ต้องดำเนินการ', true],
  'file-stuck': ['นำไฟล์เข้าดำเนินการไม่ได้', 'ระบบจะลองใหม่เอง ยังไม่มีการจ่ายจากไฟล์นี้'],
  'inbox-left': ['มีไฟล์ค้างในโฟลเดอร์รับไฟล์ ซึ่งยังไม่ได้จ่าย', 'วางเฉพาะไฟล์จ่ายเงิน ไม่ใช่โฟลเดอร์หรือลิงก์'],
  'file-grown': ['มีการเขียนไฟล์หลังจากอ่านแล้ว', 'ตรวจสอบรายการที่เพิ่ม ซึ่งยังไม่ได้จ่าย', true],
  'statement-late': ['ยังไม่ได้รับรายการเดินบัญชี', 'ระบบจะขอซ้ำเองหนึ่งสัปดาห์ ให้สอบถามธนาคาร'],
  'critical-breaks': ['มีผลต่างร้ายแรงที่ยังไม่ได้แก้', 'ห้ามจ่ายซ้ำ ตรวจสอบผลต่างของวันนั้น'],
  alarm: ['มีรายการที่ผลขัดแย้งกับธนาคาร', 'ห้ามจ่ายซ้ำ ตรวจสอบทุกรายการกับธนาคาร'],
  clock: ['นาฬิกาของเครื่องไม่ตรงกับธนาคาร', 'ตั้งนาฬิกาของเครื่องจากเซิร์ฟเวอร์เวลา'],
};

function sayTrouble({ code, text, remedy, command }: HealthReason): HealthReason {
  const [inThai, cure, isMore] = troubles[code];
  return {
    code,
    text: code === 'loop-stalled' ? inThai : withDetail(inThai, text),
    remedy: isMore === true ? withDetail(cure, remedy) : cure,
    command,
  };
}

const troublesOf = (body: Body): readonly HealthReason[] =>
  ((body['reasons'] ?? []) as readonly HealthReason[]).map(sayTrouble);

// ---------------------------------------------------------------- clocks and sums

const clocks: Readonly<Record<string, Saying>> = {
  differs: {
    reason: 'นาฬิกาของเครื่องไม่ตรงกับนาฬิกาของธนาคาร',
    remedy: 'ตั้งนาฬิกาของเครื่องจากเซิร์ฟเวอร์เวลา จะไม่มีการส่งรายการขณะที่วันที่ไม่ตรงกัน',
  },
  jumped: {
    reason: 'นาฬิกาของเครื่องหรือของธนาคารเปลี่ยนไปกะทันหัน',
    remedy: 'ตรวจสอบว่าเซิร์ฟเวอร์เวลาเป็นผู้ตั้งนาฬิกาของเครื่อง และไม่มีผู้อื่นตั้ง',
  },
  untold: {
    reason: 'ธนาคารไม่แจ้งเวลาในคำตอบ',
    remedy: 'ขอให้ธนาคารส่งส่วนหัว Date ในคำตอบ หากไม่มีจะไม่มีการส่งรายการซ้ำเป็นครั้งที่สอง',
  },
  agrees: { reason: 'นาฬิกาของเครื่องตรงกับนาฬิกาของธนาคารแล้ว', remedy: null },
};

function saySums(body: Body): Saying {
  const [code, detail] = [textOf(body, 'reasonCode'), textOf(body, 'reason')];
  if (code === 'does-not-add-up')
    return {
      reason: withDetail('ยอดรวมของชุดจ่ายเงินไม่ตรงกับไฟล์', detail),
      remedy: 'ห้ามจ่ายรายการในชุดนี้ด้วยวิธีอื่น ทำสำเนาด้วยคำสั่ง "paydrop backup" แล้วแจ้งผู้ดูแลระบบ',
    };
  if (code === 'statement-does-not-tie-out')
    return {
      reason: withDetail(`รายการเดินบัญชีวันที่ ${dayOf(body, 'statement')} กระทบยอดไม่ลงตัว`, detail),
      remedy:
        'ระบบไม่ได้ใช้ข้อมูลจากรายการเดินบัญชีนี้ ทำสำเนาด้วยคำสั่ง "paydrop backup" เก็บไฟล์รายการเดินบัญชีไว้ แล้วแจ้งผู้ดูแลระบบ',
    };
  return {
    reason: withDetail('หยุดจ่าย เพราะข้อมูลของชุดจ่ายเงินไม่ตรงกับที่รับเข้าระบบ', detail),
    remedy: withDetail(changedJournal, textOf(body, 'remedy')),
  };
}

// ---------------------------------------------------------------- people

const personRemedies: Readonly<Record<string, string>> = {
  critical: 'สอบถามว่าใครเป็นผู้ทำและเพราะเหตุใด ถ้าไม่มีผู้ใดรับ ให้ปิดใช้งานผู้ใช้นั้น และเปลี่ยนสิทธิ์ผู้ที่เขียนไฟล์ข้อมูล journal ได้',
  high: 'สอบถามเจ้าของบัญชีผู้ใช้ว่าใส่รหัสผ่านผิดเองหรือไม่ ถ้าใช่ ให้ผู้ดูแลระบบเปิดให้ลองใหม่ ถ้าไม่ใช่ แสดงว่ามีผู้อื่นเดารหัสผ่าน',
};

// ---------------------------------------------------------------- kinds

const byStatementOnly =
  'ห้ามจ่ายซ้ำด้วยวิธีอื่น สรุปผลได้จากรายการเดินบัญชีเท่านั้น ให้ใช้ "paydrop reconcile --date" ของวันนั้นหรือวันถัดไป หรือบันทึกสิ่งที่ธนาคารแจ้งด้วย "paydrop confirm"';

/** Every kind has its text. */
const sayings: Readonly<Record<NoticeKind, (body: Body) => Saying>> = {
  'batch-done': (body) => sayBatch(body, 'ชุดจ่ายเงินดำเนินการเสร็จแล้ว', lookAtExceptions),
  'batch-halted': (body) => sayBatch(body, 'หยุดจ่ายชุดจ่ายเงินนี้ รอผู้ตรวจสอบ', resumeIt),
  'batch-failing': (body) => ({
    reason: withDetail('ชุดจ่ายเงินดำเนินการต่อไม่ได้', textOf(body, 'reason')),
    remedy: withDetail(moveAwayIt, textOf(body, 'remedy')),
  }),
  'in-doubt': (body) => {
    const isInVain = !((body['commands'] ?? []) as readonly string[]).some((one) => one.includes(' settle '));
    const ask = isInVain
      ? byStatementOnly
      : 'ห้ามจ่ายซ้ำด้วยวิธีอื่น ใช้คำสั่ง "paydrop settle" สอบถามผลกับธนาคาร หรือกระทบยอดกับรายการเดินบัญชีของวันนั้นด้วย "paydrop reconcile --date"';
    const { reason, remedy } = sayBatch(body, 'มีรายการที่ส่งธนาคารแล้วแต่ยังไม่ทราบผลนานเกินกำหนด', ask);
    return { reason, remedy: remedy === null || remedy === ask ? ask : `${ask} ${remedy}` };
  },
  'file-rejected': (body) => ({
    reason: withDetail('ไม่รับไฟล์นี้เข้าระบบทั้งไฟล์ และไม่มีการส่งรายการจากไฟล์นี้', textOf(body, 'reason')),
    // The English remedy was made for the kind of the file, in the language of the notice.
    remedy: textOf(body, 'remedy'),
  }),
  'journal-refused': (body) => ({
    reason: withDetail(
      'หยุดส่งทุกรายการ เพราะไม่พบไฟล์ข้อมูล journal หรือไม่ใช่ไฟล์เดิมที่เคยใช้งาน',
      textOf(body, 'reason'),
    ),
    remedy:
      'เริ่มใช้งานครั้งแรก: "paydrop init" ข้อมูลสูญหายแต่มีสำเนาสำรอง: "paydrop restore FILE --since YYYY-MM-DD" ' +
      'ข้อมูลสูญหายและไม่มีสำเนาสำรอง: "paydrop run --journal-lost --since YYYY-MM-DD FILE.." ' +
      'ระบุวันแรกที่ข้อมูลอาจขาดหายไป ระบบจะสอบถามธนาคารก่อนส่ง จึงไม่มีการจ่ายซ้ำ',
  }),
  'file-grown': sayGrown,
  'not-ready': (body) => ({
    reason: withDetail(
      'ระบบไม่พร้อม ไฟล์ที่วางตอนนี้จะยังไม่ดำเนินการ',
      troublesOf(body)
        .map(({ text }) => text)
        .join('; '),
    ),
    remedy: troublesOf(body)
      .map(({ remedy }) => remedy)
      .join('; '),
  }),
  ready: (body) => ({
    reason:
      textOf(body, 'status') === 'standby'
        ? 'เครื่องสำรองพร้อมแล้ว และจะทำงานแทนเมื่อเครื่องหลักหยุด'
        : 'ระบบพร้อมแล้ว ไฟล์ที่วางจะดำเนินการตามปกติ',
    remedy: null,
  }),
  'statement-late': (body) => ({
    reason: `มีการส่งรายการจ่ายในวันที่ ${dayOf(body, 'statement')} แต่ยังไม่ได้รับรายการเดินบัญชีครบทั้งวัน`,
    remedy: 'ระบบจะขอซ้ำเองหนึ่งสัปดาห์ ให้สอบถามธนาคาร หรือส่งไฟล์ที่มีอยู่ด้วย --file',
  }),
  'statement-came': (body) => ({
    reason: `ได้รับรายการเดินบัญชีวันที่ ${dayOf(body, 'statement')} และกระทบยอดแล้ว`,
    remedy: null,
  }),
  'critical-breaks': (body) => ({
    reason:
      `รายการเดินบัญชีวันที่ ${dayOf(body, 'statement')} แสดงว่าเงินออกแล้ว แต่ระบบบันทึกว่าเงินยังไม่ออก ` +
      `ผลต่างร้ายแรง ${showCount(Number(body['breaks']))} รายการ`,
    // The English remedy was made for the first break, in the language of the notice.
    remedy: body['remedy'] === null ? null : textOf(body, 'remedy'),
  }),
  alarm: (body) => ({
    reason: `แจ้งเตือนสำคัญ: ${showCount(Number(body['rows']))} รายการขัดแย้งกับผลที่เคยยืนยันแล้ว`,
    remedy: 'ห้ามจ่ายซ้ำ ตรวจสอบทุกรายการ และสอบถามธนาคารด้วยเลขอ้างอิง (docs/files.md, Alarms)',
  }),
  clock: (body) => {
    const status = textOf(body, 'status');
    const { reason, remedy } = clocks[status] ?? { reason: 'นาฬิกาของเครื่องและของธนาคาร', remedy: null };
    return { reason: status === 'agrees' ? reason : withDetail(reason, textOf(body, 'reason')), remedy };
  },
  sums: saySums,
  people: (body) => {
    const what = personEventWords[textOf(body, 'reasonCode') as PersonEventKind][1];
    return {
      reason: withDetail(what, textOf(body, 'reason')),
      remedy: find(personRemedies, textOf(body, 'severity')) ?? null,
    };
  },
  'day-head': (body) => ({
    reason: `ค่าสรุปประจำวันที่ ${dayOf(body, 'day')}: ให้เก็บไว้ในที่ที่ผู้ที่เขียนไฟล์ข้อมูล journal แก้ไขไม่ได้`,
    remedy: null,
  }),
  'decisions-dropped': (body) => ({
    reason: withDetail('มีไฟล์การตัดสินใจถูกวางไว้ และยังไม่มีผู้ใดรับว่าเป็นของตน', textOf(body, 'asks')),
    remedy:
      'ให้ผู้จัดทำตรวจดูในหน้าตรวจสอบหรือด้วย "paydrop decide --waiting" แล้วเสนอตามไฟล์นั้นด้วย "paydrop decide --dropped" หรือทิ้งไฟล์',
  }),
  'registrations-done': (body) => sayRegistrations(body, 'ชุดลงทะเบียนหักบัญชีดำเนินการเสร็จแล้ว'),
  'registrations-halted': (body) => sayRegistrations(body, 'หยุดส่งชุดลงทะเบียนหักบัญชีนี้ รอผู้ตรวจสอบ'),
  'registration-alarm': (body) => ({
    reason: `แจ้งเตือนสำคัญ: การลงทะเบียนหักบัญชี ${showCount(Number(body['rows']))} รายการขัดแย้งกับผลที่เคยทราบแล้ว`,
    // The English remedy was made for the first row, in the language of the notice.
    remedy: body['remedy'] === null ? null : textOf(body, 'remedy'),
  }),
  'unknown-callbacks': (body) => ({
    reason: `ธนาคารแจ้งผลการลงทะเบียนหักบัญชี ${showCount(Number(body['callbacks']))} รายการที่ระบบนี้ไม่ได้ส่ง`,
    remedy: 'ตรวจสอบว่ามีการลงทะเบียนด้วยวิธีอื่นหรือด้วย journal อื่นหรือไม่ ระบบเก็บการแจ้งผลไว้ และจะจับคู่เมื่อมีการลงทะเบียนนั้น',
  }),
};

/** The body in Thai: the same keys, codes, figures and commands. */
export function sayInThai(kind: NoticeKind, body: Body): Body {
  const said = { ...body, ...sayings[kind](body) };
  return kind === 'not-ready' ? { ...said, reasons: troublesOf(body) } : said;
}

/** Reason of a break: its kind in Thai, then the finding. */
export const sayBreak = (kind: BreakKind, reason: string): string => withDetail(breakWords[kind][1], reason);
