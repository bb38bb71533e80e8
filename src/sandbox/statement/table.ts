/** The `statement` section of the sandbox's table: what the daily statement is like, and what is wrong with it. */
import { z } from 'zod';
import { readDay } from '../../core/bangkok-time.ts';
import { parseBaht } from '../../core/money.ts';
import { statementColumns } from '../../reconcile/rules/statement.ts';

/** What happens to lines. */
const editKinds = [
  /** The lines that match are not in the file. */
  'drop',
  /** Each line that matches is there twice. */
  'double',
  /** The lines that match have other `columns`. */
  'alter',
  /** A line that the bank's book does not have, with these `columns`. */
  'add',
] as const;

/** What becomes of the file on its way. */
export const damageKinds = [
  /** It ends in the middle, as if that were all of it. */
  'truncated',
  /** The connection is closed in the middle. */
  'cut',
  /** Status 200 and a page for people. */
  'html',
  /** Status 302 to `redirectTo`. */
  'redirect',
  /** Status 302 to an address of the same server that has the file. */
  'moved',
  /** It says nothing of its length and never ends. */
  'endless',
  /** It says that it has 10 GB, and they come. */
  'huge',
  /** It says that it is half as long as it is. */
  'short-length',
  /** Zeros instead of lines: `bombBytes` of them in a small ZIP or gzip. */
  'bomb',
  /** The ZIP's entry is named ../../<file>. */
  'path',
  /** The ZIP has two entries. */
  'two-entries',
  /** The ZIP does not open with the key that was given out. */
  'wrong-key',
] as const;
export type Damage = (typeof damageKinds)[number];

const issueNo = z.number().int().min(1);

/** Which files of a day: each answer of endpoint 8 that gives an address is an issue of its own, the first is 1. */
const issueSpan = { fromIssue: issueNo.default(1), toIssue: issueNo.optional() };

/** An exact amount in decimal baht. */
export const bahtSchema = z
  .string('must be an amount in quotes, such as "1001.01"')
  .refine((text) => parseBaht(text) !== undefined, 'must be an amount in baht, such as "1001.01"');

const matchSchema = z.strictObject({
  /** Place in the day's file before any edit, the first is 1. */
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
  /** All given values must match; none given: every line. */
  match: matchSchema.optional(),
  /** By the names of §2.7 with the word PROXY, whatever the scheme's word is. */
  columns: z.partialRecord(z.enum(statementColumns), z.string('must be text in quotes')).optional(),
  /** Only in this day's file. */
  date: day.optional(),
  ...issueSpan,
  /** Only the first so many lines that match. */
  times: z.number().int().min(1).optional(),
});

/** One line a contradiction: the key at fault, when it is, what to do. */
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
  /** In the file's name and lines. */
  partnerId: z
    .string()
    .regex(/^[A-Za-z0-9]{1,20}$/, 'must be 1 to 20 letters and digits')
    .default('PARTNER001'),
  /** How a request names the date: §2.7 has both. */
  dateField: z.enum(['either', 'date', 'Date']).default('either'),
  /** True: there is a file of the day that has not ended. */
  today: z.boolean().default(false),
  /** True: a day without transfers has a file with nothing but the header. */
  emptyDays: z.boolean().default(false),
  /** AU00002 before the so manieth request for the day, and before so many seconds after the first. */
  notBefore: z
    .strictObject({ requests: z.number().int().min(0).default(0), seconds: z.number().min(0).default(0) })
    .prefault({}),
  /** How long a signed address serves. */
  expiresSeconds: z.number().int().min(1).default(300),
  /** `other`: files come from a listener of their own on another port. Fixed once the bank runs. */
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
  /** §2.7. */
  chargeType: z.enum(['Our', 'Ben']).default('Our'),
  /** NET AMOUNT (not shown what it is): what the payee received or what the payer was debited. */
  net: z.enum(['received', 'debited']).default('received'),
  /** AMOUNT, FEE and NET AMOUNT of a transfer that failed: as sent, 0.00 or empty (AMOUNT is what was credited, §2.7). */
  failedAmount: z.enum(['sent', 'zero', 'blank']).default('sent'),
  edits: z.array(editSchema).default([]),
  /** The first that is for the issue. */
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
/** The same before the defaults are filled in. */
export type StatementTableInput = z.input<typeof statementFields>;
export type StatementEdit = z.infer<typeof editSchema>;

/** True for what is for the issue of this number. */
export function isForIssue(
  { fromIssue, toIssue = Infinity }: Pick<StatementEdit, 'fromIssue' | 'toIssue'>,
  issue: number,
): boolean {
  return issue >= fromIssue && issue <= toIssue;
}
