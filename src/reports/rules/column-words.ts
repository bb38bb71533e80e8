/** Headings and looks of the columns of exceptions and result in a workbook, in both languages. */
import { headingKey } from '../../intake/rules/headings.ts';

/** Contents of a sheet; every cell is a text. */
export interface SheetTable {
  readonly name: string;
  readonly frozenColumns: number;
  readonly columns: readonly ColumnLook[];
  /** The first row is the head. */
  readonly rows: readonly (readonly string[])[];
}

export interface ColumnLook {
  /** Width in characters. */
  readonly width: number;
  readonly isNumber?: boolean;
  /** True for a column to be filled in. */
  readonly isInput?: boolean;
  readonly isWrapped?: boolean;
  /** Range with the list of its values. */
  readonly listedAt?: string;
}

const number = { isNumber: true } as const;
const wrapped = { isWrapped: true } as const;
const input = { isInput: true } as const;

/** Thai heading and look of each of paydrop's columns. */
const words: Readonly<Record<string, readonly [thai: string, look: ColumnLook]>> = {
  batchId: ['รหัสชุดจ่ายเงิน', { width: 14 }],
  rowNo: ['แถวที่', { width: 8, ...number }],
  version: ['ฉบับที่', { width: 8, ...number }],
  payoutId: ['เลขที่รายการจ่าย', { width: 18 }],
  proxyType: ['ประเภทเลขผู้รับเงิน', { width: 16 }],
  proxyNo: ['เลขผู้รับเงิน', { width: 16 }],
  payeeName: ['ชื่อผู้รับเงิน', { width: 24, ...wrapped }],
  amount: ['จำนวนเงิน (บาท)', { width: 15, ...number }],
  status: ['สถานะ', { width: 12 }],
  final: ['สิ้นสุดแล้ว', { width: 10 }],
  moneyMoved: ['เงินออกแล้วหรือไม่', { width: 16 }],
  reasonCode: ['รหัสสาเหตุ', { width: 18, ...wrapped }],
  reason: ['สาเหตุ', { width: 40, ...wrapped }],
  remedy: ['วิธีแก้ไข', { width: 50, ...wrapped }],
  transRefNo: ['เลขอ้างอิงการโอน', { width: 23 }],
  sysRefNo: ['เลขอ้างอิงธนาคาร', { width: 24 }],
  fee: ['ค่าธรรมเนียม', { width: 12, ...number }],
  decision: ['การตัดสินใจ', { width: 17, ...input }],
  newProxyNo: ['เลขผู้รับเงินใหม่', { width: 17, ...input }],
  newAmount: ['จำนวนเงินใหม่', { width: 15, ...input, ...number }],
  note: ['หมายเหตุ', { width: 32, ...input, ...wrapped }],
  reference1: ['อ้างอิง 1', { width: 18 }],
  reference2: ['อ้างอิง 2', { width: 18 }],
  bankPayeeName: ['ชื่อที่ธนาคาร (อังกฤษ)', { width: 24, ...wrapped }],
  bankPayeeNameTh: ['ชื่อที่ธนาคาร (ไทย)', { width: 24, ...wrapped }],
  attempts: ['จำนวนครั้งที่ส่ง', { width: 14, ...number }],
  submittedAt: ['ส่งเมื่อ', { width: 26 }],
  settledAt: ['ทราบผลเมื่อ', { width: 26 }],
  settledBy: ['ทราบผลจาก', { width: 12 }],
  registrationId: ['เลขที่ลงทะเบียน', { width: 18 }],
  customerId: ['เลขประจำตัวลูกค้า', { width: 17 }],
  vendorId: ['รหัสผู้ให้บริการ', { width: 13 }],
  companyId: ['รหัสบริษัท', { width: 14 }],
  accountNo: ['เลขที่บัญชี', { width: 15 }],
  ref1: ['อ้างอิงที่ 1', { width: 18 }],
  ref2: ['อ้างอิงที่ 2', { width: 18 }],
  ref3: ['อ้างอิงที่ 3', { width: 18 }],
  ref4: ['อ้างอิงที่ 4', { width: 18 }],
  requestUID: ['เลขที่คำขอ', { width: 38 }],
  statusCode: ['รหัสตอบรับ', { width: 12 }],
  statusDesc: ['คำตอบรับ', { width: 24, ...wrapped }],
  ddrOapiSeqId: ['เลขลำดับธนาคาร', { width: 20 }],
  respCode: ['รหัสผล', { width: 10 }],
  respDesc: ['ผล', { width: 10 }],
  applyDtm: ['ธนาคารดำเนินการเมื่อ', { width: 20 }],
  newAccountNo: ['เลขที่บัญชีใหม่', { width: 16, ...input }],
};

/** Look of a carried-through column. */
const carriedLook: ColumnLook = { width: 18, isWrapped: true };

export const lookOf = (column: string): ColumnLook => words[column]?.[1] ?? carriedLook;

/** Heading in English over Thai; a carried-through column keeps that of its own file. */
export function headingOf(column: string): string {
  const thai = words[column]?.[0];
  return thai === undefined ? column : `${column}\n${thai}`;
}

/** paydrop's columns in a table that came back. */
export interface FoundColumns {
  /** Place of each column, from 0; undefined for one that was left out. */
  readonly places: Readonly<Record<string, number | undefined>>;
  /** True for headings in both languages, as in a workbook, whose cells are unchanged. */
  readonly isBilingual: boolean;
  /** Missing columns, with the headings that look like theirs. */
  readonly alike: Readonly<Record<string, string | undefined>>;
  /** A column that stands twice. */
  readonly doubled: string | undefined;
}

const squeeze = (text: string): string => text.normalize('NFKC').toLowerCase().replaceAll(/\s/g, '');
const firstLine = (heading: string): string =>
  heading
    .trim()
    .split(/[\r\n]/)[0]
    ?.trim()
    .toLowerCase() ?? '';

/** Tests of a heading, the surest first: a carried column may have the Thai name of one of paydrop's. */
const headingTests: readonly ((heading: string, column: string, thai: string) => boolean)[] = [
  (heading, column, thai) => squeeze(heading) === squeeze(`${column}${thai}`),
  (heading, column) => firstLine(heading) === column.toLowerCase(),
  (heading, _, thai) => squeeze(heading) === squeeze(thai),
];

function findAlike(headings: readonly string[], places: FoundColumns['places']): FoundColumns['alike'] {
  const taken = Object.values(places);
  const keys = headings.map((heading, place) => (taken.includes(place) ? '' : headingKey(heading)));
  const lacking = Object.entries(words).filter(([column]) => places[column] === undefined);
  return Object.fromEntries(
    lacking.map(([column, [thai]]) => [
      column,
      headings[keys.findIndex((key) => key === headingKey(column) || key === headingKey(thai))],
    ]),
  );
}

/** Finds paydrop's columns by their headings: in both languages, in English, or in Thai. */
export function findColumns(head: readonly string[]): FoundColumns {
  const headings = head.map((heading) => heading.replace(/^[\ufeff']+/, ''));
  const places: Record<string, number> = {};
  let [isBilingual, doubled]: [boolean, string | undefined] = [false, undefined];
  for (const [column, [thai]] of Object.entries(words)) {
    const found = headingTests
      .map((test) => headings.flatMap((heading, place) => (test(heading, column, thai) ? [place] : [])))
      .map((of, certainty) => ({ of, certainty }))
      .find(({ of }) => of.length > 0);
    if (found === undefined) continue;
    if (found.of.length > 1) doubled ??= column;
    isBilingual ||= found.certainty === 0;
    places[column] = found.of[0] ?? 0;
  }
  return { places, alike: findAlike(headings, places), isBilingual, doubled };
}
