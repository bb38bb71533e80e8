/** Headings and looks of the columns of exceptions and result in a workbook. */
import { inBoth, type PlainCode, sayCode } from '../../core/message.ts';
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

/** Look of each of paydrop's columns, by its name; `column.` and the name is the code of its heading. */
const looks = {
  batchId: { width: 14 },
  rowNo: { width: 8, ...number },
  version: { width: 8, ...number },
  payoutId: { width: 18 },
  proxyType: { width: 16 },
  proxyNo: { width: 16 },
  payeeName: { width: 24, ...wrapped },
  amount: { width: 15, ...number },
  status: { width: 12 },
  final: { width: 10 },
  moneyMoved: { width: 16 },
  reasonCode: { width: 18, ...wrapped },
  reason: { width: 40, ...wrapped },
  remedy: { width: 50, ...wrapped },
  transRefNo: { width: 23 },
  sysRefNo: { width: 24 },
  fee: { width: 12, ...number },
  decision: { width: 17, ...input },
  newProxyNo: { width: 17, ...input },
  newAmount: { width: 15, ...input, ...number },
  note: { width: 32, ...input, ...wrapped },
  reference1: { width: 18 },
  reference2: { width: 18 },
  bankPayeeName: { width: 24, ...wrapped },
  bankPayeeNameTh: { width: 24, ...wrapped },
  attempts: { width: 14, ...number },
  submittedAt: { width: 26 },
  settledAt: { width: 26 },
  settledBy: { width: 12 },
  registrationId: { width: 18 },
  customerId: { width: 17 },
  vendorId: { width: 13 },
  companyId: { width: 14 },
  accountNo: { width: 15 },
  ref1: { width: 18 },
  ref2: { width: 18 },
  ref3: { width: 18 },
  ref4: { width: 18 },
  requestUID: { width: 38 },
  statusCode: { width: 12 },
  statusDesc: { width: 24, ...wrapped },
  ddrOapiSeqId: { width: 20 },
  respCode: { width: 10 },
  respDesc: { width: 10 },
  applyDtm: { width: 20 },
  newAccountNo: { width: 16, ...input },
} as const satisfies Readonly<Record<string, ColumnLook>>;

type Column = keyof typeof looks;

const columns = Object.keys(looks) as Column[];
const isColumn = (name: string): name is Column => Object.hasOwn(looks, name);
const headingCodeOf = (column: Column): PlainCode => `column.${column}`;
const thaiHeadingOf = (column: Column): string => sayCode('th', headingCodeOf(column));

/** Look of a carried-through column. */
const carriedLook: ColumnLook = { width: 18, isWrapped: true };

export const lookOf = (column: string): ColumnLook => (isColumn(column) ? looks[column] : carriedLook);

/** Heading in English over Thai; a carried-through column keeps that of its own file. */
export const headingOf = (column: string): string =>
  isColumn(column) ? inBoth(headingCodeOf(column)) : column;

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
  const lacking = columns.filter((column) => places[column] === undefined);
  return Object.fromEntries(
    lacking.map((column) => {
      const sought = [headingKey(column), headingKey(thaiHeadingOf(column))];
      return [column, headings[keys.findIndex((key) => sought.includes(key))]];
    }),
  );
}

/** Finds paydrop's columns by their headings: in both languages, in English, or in Thai. */
export function findColumns(head: readonly string[]): FoundColumns {
  const headings = head.map((heading) => heading.replace(/^[\ufeff']+/, ''));
  const places: Record<string, number> = {};
  let [isBilingual, doubled]: [boolean, string | undefined] = [false, undefined];
  for (const column of columns) {
    const thai = thaiHeadingOf(column);
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
