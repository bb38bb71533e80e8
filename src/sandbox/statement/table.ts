/** The `statement` section of the sandbox's table: the form of the daily statement, and its faults. */
import { z } from 'zod';
import { readDay } from '../../core/bangkok-time.ts';
import { parseBaht } from '../../core/money.ts';
import { statementColumns } from '../../reconcile/rules/statement.ts';

/** Kinds of edits to lines. */
const editKinds = [
  /** The lines that match are not in the file. */
  'drop',
  /** Each matching line is there twice. */
  'double',
  /** The matching lines have other `columns`. */
  'alter',
  /** A line outside the bank's book, with these `columns`. */
  'add',
] as const;

/** Damages of a file on its way. */
const damageKinds = [
  /** The file ends in the middle, as if that were all. */
  'truncated',
  /** The connection is closed in the middle. */
  'cut',
  /** Status 200 and a page for people. */
  'html',
  /** Status 302 to `redirectTo`. */
  'redirect',
  /** Status 302 to an address of the same server that has the file. */
  'moved',
  /** The file has no length and never ends. */
  'endless',
  /** The file announces 10 GB and sends them. */
  'huge',
  /** The file announces half its length. */
  'short-length',
  /** Zeros instead of lines: `bombBytes` of them in a small ZIP or gzip. */
  'bomb',
  /** The ZIP's entry is named ../../<file>. */
  'path',
  /** The ZIP has two entries. */
  'two-entries',
  /** The ZIP does not open with the issued key. */
  'wrong-key',
] as const;
export type Damage = (typeof damageKinds)[number];

const issueNo = z.number().int().min(1);

/** The issues of a day: each answer of endpoint 8 with an address is an issue, counted from 1. */
const issueSpan = { fromIssue: issueNo.default(1), toIssue: issueNo.optional() };

/** An exact amount in decimal baht. */
export const bahtSchema = z
  .string('must be an amount in quotes, such as "1001.01"')
  .refine((text) => parseBaht(text) !== undefined, 'must be an amount in baht, such as "1001.01"');

const matchSchema = z.strictObject({
  /** Position in the day's file before any edit, from 1. */
  row: z.number().int().min(1).optional(),
  transRefNo: z.string().min(1).optional(),
  reference1: z.string('must be text in quotes').min(1).optional(),
  reference2: z.string('must be text in quotes').min(1).optional(),
  proxyNo: z.string('must be a proxy ID in quotes').optional(),
  amount: bahtSchema.optional(),
});

const day = z
  .string('must be a date in quotes, such as "2026-11-21"')
  .refine((text) => text.includes('-') && readDay(text).ok, 'must be a date, such as "2026-11-21"');

const editFields = z.strictObject({
  edit: z.enum(editKinds),
  /** Every given value must match; without one, all lines match. */
  match: matchSchema.optional(),
  /** Columns by the names of §2.7 with the word PROXY, whatever the scheme's word is. */
  columns: z.partialRecord(z.enum(statementColumns), z.string('must be text in quotes')).optional(),
  /** Day of the file that it applies to. */
  date: day.optional(),
  ...issueSpan,
  /** Number of lines that it applies to. */
  times: z.number().int().min(1).optional(),
});

/** One line per contradiction: the key at fault, its condition, the cure. */
export type Contradictions<Row> = readonly (readonly [string, (row: Row) => boolean, string])[];

/** Refuses a row that contradicts itself. */
export const refuseContradictions =
  <Row>(contradictions: Contradictions<Row>) =>
  (row: Row, context: z.RefinementCtx): void => {
    for (const [key, isBroken, message] of contradictions) {
      if (isBroken(row)) context.addIssue({ code: 'custom', path: [key], message });
    }
  };

const editFaults: Contradictions<z.infer<typeof editFields>> = [
  ['match', (e) => e.edit !== 'add' && e.match === undefined, 'say which lines; write match: {} for all'],
  [
    'match',
    (e) => e.edit === 'add' && e.match !== undefined,
    'a line that is added matches nothing: leave it out',
  ],
  ['times', (e) => e.edit === 'add' && e.times !== undefined, 'a line is added once: leave it out'],
  ['columns', (e) => e.edit === 'alter' && e.columns === undefined, 'say which columns are altered'],
  [
    'columns',
    (e) => (e.edit === 'drop' || e.edit === 'double') && e.columns !== undefined,
    'only for alter and add',
  ],
];

const editSchema = editFields.superRefine(refuseContradictions(editFaults));

const damageSchema = z.strictObject({ damage: z.enum(damageKinds), ...issueSpan });

const statementFields = z.strictObject({
  /** PartnerID in the file's name and lines. */
  partnerId: z
    .string()
    .regex(/^[A-Za-z0-9]{1,20}$/, 'must be 1 to 20 letters and digits')
    .default('PARTNER001'),
  /** Name of the date field in a request; §2.7 has both. */
  dateField: z.enum(['either', 'date', 'Date']).default('either'),
  /** True: today's file exists before the day has ended. */
  today: z.boolean().default(false),
  /** True: a day without transfers has a file with the header only. */
  emptyDays: z.boolean().default(false),
  /** AU00002 before this number of requests for the day, and before this number of seconds after the first. */
  notBefore: z
    .strictObject({ requests: z.number().int().min(0).default(0), seconds: z.number().min(0).default(0) })
    .prefault({}),
  /** Life of a signed address in seconds. */
  expiresSeconds: z.number().int().min(1).default(300),
  /** `other`: files are served by another listener, on another port. Fixed while the bank runs. */
  host: z.enum(['same', 'other']).default('same'),
  form: z.enum(['plain', 'gzip', 'zipcrypto', 'aes']).default('plain'),
  /** Key of the ZIP; empty: a new one for each file. */
  unZipKey: z.string().default(''),
  bom: z.boolean().default(false),
  lineEnd: z.enum(['crlf', 'lf']).default('crlf'),
  encoding: z.enum(['utf-8', 'windows-874']).default('utf-8'),
  /** True: amounts are written 1,234.50. */
  thousands: z.boolean().default(false),
  /** STATUS as tranStatusCode (010004) or its name (COMPLETE), §3.2. */
  status: z.enum(['code', 'name']).default('code'),
  /** Charge type of §2.7. */
  chargeType: z.enum(['Our', 'Ben']).default('Our'),
  /** NET AMOUNT (its meaning is not shown): the amount that the payee received, or that the payer was debited. */
  net: z.enum(['received', 'debited']).default('received'),
  /** AMOUNT, FEE and NET AMOUNT of a transfer that failed: as sent, 0.00 or empty (AMOUNT is what was credited, §2.7). */
  failedAmount: z.enum(['sent', 'zero', 'blank']).default('sent'),
  edits: z.array(editSchema).default([]),
  /** The first damage for an issue applies. */
  damages: z.array(damageSchema).default([]),
  redirectTo: z.string().default('ftp://127.0.0.1/statement.csv'),
  bombBytes: z
    .number()
    .int()
    .min(1)
    .default(1 << 30),
});

const needsZip: readonly Damage[] = ['path', 'two-entries', 'wrong-key'];

function findDamageFault(damage: Damage, form: StatementTable['form']): string | undefined {
  const isZip = form !== 'plain' && form !== 'gzip';
  if (needsZip.includes(damage) && !isZip) return 'only for form: zipcrypto or aes';
  return damage === 'bomb' && form === 'plain' ? 'not for form: plain' : undefined;
}

export const statementSchema = statementFields
  .superRefine(({ damages, form, bom, encoding }, context) => {
    for (const [place, { damage }] of damages.entries()) {
      const message = findDamageFault(damage, form);
      const path = ['damages', place, 'damage'];
      if (message !== undefined) context.addIssue({ code: 'custom', path, message });
    }
    if (bom && encoding !== 'utf-8')
      context.addIssue({ code: 'custom', path: ['bom'], message: 'only for encoding: utf-8' });
  })
  .prefault({});

export type StatementTable = z.infer<typeof statementFields>;
/** The section before the defaults are applied. @forTests */
export type StatementTableInput = z.input<typeof statementFields>;
export type StatementEdit = z.infer<typeof editSchema>;

/** True when the span includes the issue of this number. */
export function isForIssue(
  { fromIssue, toIssue = Infinity }: Pick<StatementEdit, 'fromIssue' | 'toIssue'>,
  issue: number,
): boolean {
  return issue >= fromIssue && issue <= toIssue;
}
