/** The shape of the settings file: every key, what it may hold, and its default. Unknown keys are refused. */
import { z } from 'zod';
import { parseBaht } from '../core/money.ts';
import {
  BankAddressError,
  isLoopback,
  parseListenAddress,
  readBankAddress,
} from '../core/network-address.ts';
import { parseTimeOfDay } from '../payout/rules/service-hours.ts';

/** bank.baseUrl that starts the built-in sandbox bank. */
export const sandboxBaseUrl = 'sandbox';

/** Longest time that a timer of the platform can wait (about 24 days). */
const durationMaxMs = 2_147_483_647;
/** More requests at once than this is a slip of the keyboard. */
const concurrencyMax = 1_000;

const duration = z.number().int().min(0).max(durationMaxMs);
const count = z.number().int().min(0);
const positive = z.number().int().min(1);
const concurrency = positive.max(concurrencyMax);
const path = z.string().min(1);

/** Text that travels in the bank's fixed fields (§2.4). */
const wireText = (lengthMax: number) =>
  z
    .string()
    .min(1)
    .max(lengthMax)
    .regex(/^[\x21-\x7e]*$/, 'must be printable ASCII without spaces');

/** Decimal baht, taken from the file as text, so that no amount ever passes through a float. */
const baht = z
  .string()
  .refine(
    (text) => parseBaht(text) !== undefined,
    'must be an amount in baht such as 2000000 or 1500.50 (0 means no limit)',
  );

const bankSchema = z.strictObject({
  baseUrl: z.string().superRefine((text, context) => {
    const complaint = complainAboutAddress(text);
    if (complaint !== undefined) context.addIssue({ code: 'custom', message: complaint });
  }),
  clientId: z.string().min(1).optional(),
  clientSecret: z.string().min(1).optional(),
  clientSecretFile: path.optional(),
  channelId: wireText(10),
  termId: wireText(20),
  companyId: wireText(10),
  payerAccount: z.string().regex(/^\d{1,15}$/, 'must be 1 to 15 digits, in quotes'),
  scheme: z
    .string()
    .regex(/^[a-z]+$/, 'must be one word in lower-case letters')
    .default('proxy'),
  timeoutMs: duration.min(1).default(30_000),
  requestsPerSecond: z.number().min(0).default(0),
});

const verifySchema = z.strictObject({
  enabled: z.boolean().default(true),
  concurrency: concurrency.default(8),
  whenUnavailable: z.enum(['hold', 'pay']).default('hold'),
  onThaiNameMismatch: z.enum(['hold', 'pay']).default('hold'),
});

const settleSchema = z.strictObject({
  firstDelayMs: duration.default(2_000),
  maxDelayMs: duration.min(1).default(300_000),
  giveUpAfterMs: duration.default(86_400_000),
  notFoundTrustMs: duration.default(120_000),
  resendsMax: count.default(2),
  intentMaxAgeMs: duration.default(300_000),
});

const brakeSchema = z.strictObject({
  consecutiveFailures: positive.default(10),
  failureShare: z.number().min(0).max(1).default(0.5),
  window: positive.default(100),
  inDoubtMax: positive.default(200),
});

const timeOfDay = z
  .string()
  .refine((text) => parseTimeOfDay(text) !== undefined, 'must be a time of day in Bangkok, such as "06:00"');

const serviceHoursSchema = z
  .strictObject({
    open: timeOfDay.refine((text) => text !== '24:00', 'must be "00:00" when the service opens at midnight'),
    close: timeOfDay.refine(
      (text) => text !== '00:00',
      'must be "24:00" when the service closes at midnight',
    ),
  })
  .refine(({ open, close }) => open !== close, {
    path: ['close'],
    message: 'must differ from serviceHours.open: leave the section out when the service never closes',
  });

const limitsSchema = z.strictObject({
  rowsPerFile: count.default(1_000_000),
  bytesPerFile: count.default(536_870_912),
  bahtPerPayout: baht.default('2000000'),
  bahtPerBatch: baht.default('0'),
  batchMaxAgeHours: count.default(24),
  similarDays: count.default(0),
});

const inputColumns = [
  'payoutId',
  'proxyType',
  'proxyNo',
  'payeeName',
  'amount',
  'reference1',
  'reference2',
] as const;

const inputSchema = z.strictObject({
  /** Our column name → the file's header. */
  columns: z
    .partialRecord(z.enum(inputColumns), z.string().min(1))
    .refine((columns) => hasNoRepeat(Object.values(columns)), 'must not map two columns to the same header')
    .default({}),
  encoding: z.enum(['auto', 'utf-8', 'utf-16le', 'utf-16be', 'windows-874']).default('auto'),
  /** A tab may be written as the word, since it cannot be seen. */
  delimiter: z
    .enum(['auto', ',', ';', '\t', 'tab'])
    .default('auto')
    .transform((word) => (word === 'tab' ? '\t' : word)),
  control: z.enum(['none', 'trailer', 'sidecar']).default('none'),
  /** First cell of the trailer row. */
  trailerMark: z.string().min(1).default('TRAILER'),
  finalLineEnd: z.enum(['required', 'optional']).default('required'),
});

const optionalTimeOfDay = z
  .string()
  .refine(
    (text) => text === '' || (parseTimeOfDay(text) !== undefined && text !== '24:00'),
    'must be a time of day in Bangkok, such as "07:30", or empty for never',
  );

const watchSchema = z.strictObject({
  /** Files whose rows are being sent at once. */
  filesAtOnce: positive.max(100).default(4),
  /** How long size and time of a file must have been still before it is taken. */
  stillMs: duration.min(50).default(1_000),
  /** `done`: a file counts only when `<file>.done` stands beside it. */
  marker: z.enum(['none', 'done']).default('none'),
  /** Looks by polling, for network shares, which tell nothing of changes. */
  polling: z.boolean().default(false),
  pollMs: duration.min(50).default(1_000),
  /** How often the whole inbox is looked at, for what no event has told. */
  rescanMs: duration.min(100).default(10_000),
  /** How long what is in doubt is waited for before a batch's result is written. */
  waitMs: duration.default(300_000),
  /** How long what is in flight may take when the process is asked to stop. */
  graceMs: duration.default(45_000),
  /** Address of /healthz and /metrics; empty for none. */
  listen: z
    .string()
    .refine(
      (text) => text === '' || parseListenAddress(text) !== undefined,
      'must be host:port, such as 127.0.0.1:8765, or empty',
    )
    .default('127.0.0.1:8765'),
  /** How often bank and disks are looked at while nothing else shows how they are. */
  probeMs: duration.min(100).default(15_000),
  /** When everything in doubt is inquired about, every day. */
  inquiryAt: optionalTimeOfDay.default('07:30'),
});

const noticesSchema = z.strictObject({
  webhookUrl: z
    .string()
    .superRefine((text, context) => {
      const complaint = text === '' ? undefined : complainAboutWebhook(text);
      if (complaint !== undefined) context.addIssue({ code: 'custom', message: complaint });
    })
    .default(''),
  /** Key of the signature. */
  webhookSecret: z.string().min(1).optional(),
  webhookSecretFile: path.optional(),
  /** A program and its arguments; it is given the notice on its standard input. */
  command: z.array(z.string().min(1)).default([]),
  /** From when on transfers in doubt are told of. */
  inDoubtAfterMs: duration.default(3_600_000),
});

/** Words of STATUS in the bank's statement beside the usual ones; compared without regard to case. */
const statusWords = z.array(z.string().min(1)).default([]);

const statementWordsSchema = z
  .strictObject({ complete: statusWords, failed: statusWords, inProcess: statusWords })
  .refine(
    ({ complete, failed, inProcess }) =>
      hasNoRepeat([...complete, ...failed, ...inProcess].map((word) => word.trim().toUpperCase())),
    'must not have a word twice: each means one thing',
  );

const reconcileSchema = z.strictObject({
  /** How endpoint 8 names the date: the interface shows both. */
  dateField: z.enum(['date', 'Date']).default('date'),
  /** Left out: bank.companyId; empty: all companies of the partner. */
  companyId: z.union([z.literal(''), wireText(15)]).optional(),
  /** When the watcher asks for the statement of the day before. */
  at: optionalTimeOfDay.default('09:00'),
  words: statementWordsSchema.prefault({}),
  /** Of the file, packed and unpacked. */
  maxBytes: positive.default(1_073_741_824),
  /** For the whole download. */
  timeoutMs: duration.min(1_000).default(600_000),
});

export const folderNames = ['inbox', 'work', 'archive', 'rejected', 'outbox', 'statements'] as const;
export type FolderName = (typeof folderNames)[number];

export const settingsSchema = z.strictObject({
  dataDir: path.default('./paydrop-data'),
  folders: z.partialRecord(z.enum(folderNames), path).prefault({}),
  bank: bankSchema,
  verify: verifySchema.prefault({}),
  transfer: z.strictObject({ concurrency: concurrency.default(4) }).prefault({}),
  settle: settleSchema.prefault({}),
  brake: brakeSchema.prefault({}),
  limits: limitsSchema.prefault({}),
  /** Bangkok time; may cross midnight. Left out: the service never closes. */
  serviceHours: serviceHoursSchema.optional(),
  input: inputSchema.prefault({}),
  watch: watchSchema.prefault({}),
  notices: noticesSchema.prefault({}),
  reconcile: reconcileSchema.prefault({}),
  journal: z
    .strictObject({
      url: z
        .string()
        .refine((url) => url === '', 'must be empty: only SQLite so far, in dataDir')
        .default(''),
    })
    .prefault({}),
  /** The sandbox bank's own table; read by the sandbox alone. */
  sandbox: z.unknown().optional(),
});

export type Settings = z.infer<typeof settingsSchema>;

/** Keys whose numbers are taken as they stand in the file. */
export const amountKeys = [
  ['limits', 'bahtPerPayout'],
  ['limits', 'bahtPerBatch'],
] as const;

function hasNoRepeat(words: readonly string[]): boolean {
  return new Set(words).size === words.length;
}

/** Why the bank's address cannot be used; undefined when it can. */
function complainAboutAddress(text: string): string | undefined {
  if (text === sandboxBaseUrl) return undefined;
  try {
    readBankAddress(text);
    return undefined;
  } catch (error) {
    if (!(error instanceof BankAddressError)) throw error;
    return error.message.replace(/^bank\.baseUrl /, '');
  }
}

/** Why notices cannot be posted there; undefined when they can. */
function complainAboutWebhook(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return 'must be a web address: https://…';
  if (url.username !== '' || url.password !== '') return 'must not hold a user or password';
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    return `is plain http to ${url.hostname}, which is allowed to a loopback address only: use https`;
  return undefined;
}
