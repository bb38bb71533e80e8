/** What the header of each kind of file must name, may name, and is usually called by those who write it. */
import { type RowColumn, rowColumns } from '../../core/payout-file.ts';
import { type RegistrationColumn, registrationColumns } from '../../registration/rules/registration-file.ts';
import { exceptionMarks } from '../../reports/rules/report-rows.ts';

/** The columns of one kind of file. */
export interface FileColumns<Column extends string = string> {
  /** The columns that paydrop reads, in its own order. */
  readonly names: readonly Column[];
  /** A file without one of these is rejected as a whole; the first is what names a row. */
  readonly required: readonly [Column, ...Column[]];
  /** Parts of the headers that partners give these columns, in English and Thai. */
  readonly usualHeaders: Readonly<Record<Column, RegExp>>;
  /** The section of the settings whose `columns` names the file's own headers. */
  readonly section: 'input' | 'registration';
  /** Columns by which an exceptions file of ours is known, also when a spreadsheet has saved it. */
  readonly exceptionMarks: readonly string[];
  /** Those of them that people fill in. */
  readonly filledIn: string;
  /** What an exceptions file was written about. */
  readonly rowsAre: string;
  /** Why such a file is not taken for one of another kind. */
  readonly otherKind: { readonly code: string; readonly message: string };
}

const payoutColumns: FileColumns<RowColumn> = {
  names: rowColumns,
  required: ['payoutId', 'proxyNo', 'amount'],
  usualHeaders: {
    payoutId: /payout|payment.?(id|no)|invoice|order|เลขที่/iu,
    proxyType: /type|ประเภท/iu,
    proxyNo: /proxy|promptpay|mobile|phone|citizen|tax.?id|พร้อมเพย์|มือถือ|บัตร/iu,
    payeeName: /name|payee|ชื่อ/iu,
    amount: /amount|baht|total|sum|จำนวน|ยอด/iu,
    reference1: /ref.*1|อ้างอิง.*1/iu,
    reference2: /ref.*2|อ้างอิง.*2/iu,
  },
  section: 'input',
  exceptionMarks,
  filledIn: 'newProxyNo and newAmount',
  rowsAre: 'payout',
  otherKind: {
    code: 'payout-file',
    message:
      'these are payouts, not registrations: give the file to "paydrop run", or drop it into the inbox itself, not into its ' +
      'folder registrations',
  },
};

const columnsOfRegistrations: FileColumns<RegistrationColumn> = {
  names: registrationColumns,
  required: ['registrationId', 'customerId', 'accountNo'],
  usualHeaders: {
    registrationId: /regist|mandate|ลงทะเบียน|สมัคร|คำขอ|เลขที่(?!บัญชี)/iu,
    customerId: /customer|client|member|digital|citizen|national|ลูกค้า|สมาชิก|ประชาชน/iu,
    vendorId: /vendor|company.?code|biller|รหัสบริษัท/iu,
    companyId: /company.?id|comp.?id|service|บริษัท/iu,
    accountNo: /account|acct|a\/c|บัญชี/iu,
    ref1: /ref.*1|อ้างอิง.*1/iu,
    ref2: /ref.*2|อ้างอิง.*2/iu,
    ref3: /ref.*3|อ้างอิง.*3/iu,
    ref4: /ref.*4|อ้างอิง.*4/iu,
  },
  section: 'registration',
  exceptionMarks: ['registrationId', 'remedy', 'decision', 'newAccountNo'],
  filledIn: 'newAccountNo',
  rowsAre: 'registration',
  otherKind: {
    code: 'registration-file',
    message:
      'these are registrations of direct debits, not payouts: give the file to "paydrop register", or drop it into the ' +
      'folder registrations of the inbox',
  },
};

/** The columns of each kind of file, by what its rows are. */
export const fileColumns = { payout: payoutColumns, registration: columnsOfRegistrations } as const;
