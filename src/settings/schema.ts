/**
 * The shape of the settings file: every key with its type and default. Unknown keys are refused. The text beside each
 * key serves messages and docs/settings.md alike: `description` (for a key without a default, the message about its
 * absence uses it as what to add); `unit` and `allowed` come with the type if possible.
 */
import { isIP } from 'node:net';
import { z } from 'zod';
import { parseBaht } from '../core/money.ts';
import { languages } from '../core/language.ts';
import { BankAddressError, parseListenAddress, readBankAddress } from '../core/network-address.ts';
import { usualWindow } from '../payout/rules/brake.ts';
import { weekdays } from '../payout/rules/limits.ts';
import { parseTimeOfDay } from '../payout/rules/service-hours.ts';
import { findWordTroubles } from '../reconcile/rules/status-words.ts';
import {
  anyText,
  checkedText,
  complainAboutOrigin,
  complainAboutWebhook,
  dayText,
  hasNoRepeat,
  hostName,
  optionalTimeOfDay,
  path,
  terminalId,
  wireText,
} from './fields.ts';
import { complainAboutJournalUrl } from './journal-url.ts';
import { folderNames, inputSchema, outputSchema, registrationSchema, watchSchema } from './files-schema.ts';
import { numberOf } from './ranges.ts';

/** bank.baseUrl that starts the built-in sandbox bank. */
export const sandboxBaseUrl = 'sandbox';

/** Decimal baht, read from the file as text, so that no amount passes through a float. */
const baht = checkedText(complainAboutBaht).meta({
  unit: 'baht',
  allowed: 'an amount such as `2000000` or `1500.50`, 0 to 999999999999999.99',
});

const bankSchema = z.strictObject({
  baseUrl: checkedText(complainAboutAddress).meta({
    description: '"sandbox", or the bank\'s address',
    allowed: '`sandbox`, or an `https://` address; plain `http://` only to this machine',
  }),
  clientId: anyText
    .optional()
    .describe('the name of this program at the bank; or the variable `PAYDROP_CLIENT_ID`, which wins'),
  clientSecret: anyText
    .optional()
    .describe('its secret; or the variable `PAYDROP_CLIENT_SECRET`, which wins, or `bank.clientSecretFile`'),
  clientSecretFile: path
    .optional()
    .describe('a file that holds the secret alone and is not open to everybody'),
  channelId: wireText(10).describe('the channel agreed with the bank'),
  termId: terminalId.describe('the terminal ID that the bank gave you'),
  companyId: wireText(10).describe('the company ID that the bank gave you'),
  payerAccount: z
    .string()
    .regex(/^\d{1,15}$/, 'must be 1 to 15 digits, in quotes')
    .meta({
      description: 'the account that pays, in quotes',
      allowed: '1 to 15 digits, in quotes, or leading zeros are lost',
    }),
  scheme: z
    .string()
    .regex(/^[a-z]+$/, 'must be one word in lower-case letters')
    .default('proxy')
    .meta({
      description: "the scheme's word in the bank's paths, field names, statement columns and file names",
      allowed: 'one word in lower-case letters',
    }),
  timeoutMs: numberOf('bank.timeoutMs')
    .default(30_000)
    .describe('for one request, its whole answer included; at most 30000 on machines that share a journal'),
  requestsPerSecond: numberOf('bank.requestsPerSecond')
    .default(0)
    .describe('cap on requests to the bank, of all machines that send from one journal together; 0: none'),
  accessToken: z
    .enum(['perMachine', 'shared'])
    .default('perMachine')
    .describe(
      'whether each process asks the bank for an access token of its own, or all machines on one PostgreSQL journal share one: for a bank where a new token ends the one before',
    ),
});

const verifySchema = z.strictObject({
  enabled: z.boolean().default(true).describe('ask the bank whether the payee can receive, before paying'),
  concurrency: numberOf('verify.concurrency').default(8).describe('payee checks at a time'),
  whenUnavailable: z
    .enum(['hold', 'pay'])
    .default('hold')
    .describe('what to do with a row whose payee check gets no answer'),
  onThaiNameMismatch: z
    .enum(['hold', 'pay'])
    .default('hold')
    .describe('what to do with a row whose Thai name differs from the name that the bank returns'),
});

const transferSchema = z.strictObject({
  concurrency: numberOf('transfer.concurrency')
    .default(4)
    .describe('transfers at a time, at most, of the whole process'),
  askFirst: z
    .enum(['newJournal', 'always', 'never'])
    .default('newJournal')
    .describe(
      'ask the bank about the next reference, for today and yesterday (and all days since the file was read in, or since an adopted journal knew of anything), before each new attempt, under each terminal that the journal has had; `newJournal`: for seven days after `init`, `adopt`, `restore` or `--journal-lost`, or after a machine without `journal.mark` has joined a journal in PostgreSQL, and not with a sandbox',
    ),
});

const settleSchema = z.strictObject({
  firstDelayMs: numberOf('settle.firstDelayMs')
    .default(2_000)
    .describe('before the first inquiry about a transfer in doubt'),
  maxDelayMs: numberOf('settle.maxDelayMs')
    .default(300_000)
    .describe('longest pause between two inquiries about it'),
  giveUpAfterMs: numberOf('settle.giveUpAfterMs')
    .default(86_400_000)
    .describe('how long inquiries go on; then the row is `unresolved`'),
  notFoundTrustMs: numberOf('settle.notFoundTrustMs')
    .default(120_000)
    .describe(
      'how long after a send "not found" begins to count; with a real bank at least 30000 and no less than `bank.timeoutMs`; at least 120000 on machines that share a journal',
    ),
  resendsMax: numberOf('settle.resendsMax')
    .default(2)
    .describe(
      'how often the same attempt may be sent again; what only tries whether transfers are answered again does not count',
    ),
  intentMaxAgeMs: numberOf('settle.intentMaxAgeMs')
    .default(0)
    .describe('an older intent is never sent, nor sent again; 0: until 15 minutes before midnight'),
});

const brakeSchema = z.strictObject({
  consecutiveFailures: numberOf('brake.consecutiveFailures')
    .default(10)
    .describe('so many rows in a row that end otherwise than paid halt the batch'),
  failureShare: numberOf('brake.failureShare').default(0.5).describe('such a share of the window does too'),
  window: numberOf('brake.window').default(usualWindow).describe('rows looked back on for that share'),
  inDoubtMax: numberOf('brake.inDoubtMax')
    .default(200)
    .describe('so many rows in doubt at once halt the batch'),
});

const timeOfDay = z
  .string()
  .refine((text) => parseTimeOfDay(text) !== undefined, 'must be a time of day in Bangkok, such as "06:00"');

const serviceHoursSchema = z
  .strictObject({
    open: timeOfDay
      .refine((text) => text !== '24:00', 'must be "00:00" when the service opens at midnight')
      .meta({
        description: 'the time of day at which the service opens, such as "06:00"',
        unit: 'Bangkok time',
        allowed: '`00:00` to `23:59`',
      }),
    close: timeOfDay
      .refine((text) => text !== '00:00', 'must be "24:00" when the service closes at midnight')
      .meta({
        description: 'the time of day at which the service closes, such as "22:30"',
        unit: 'Bangkok time',
        allowed: '`00:01` to `24:00`; may be earlier than `open`, across midnight',
      }),
  })
  .refine(({ open, close }) => open !== close, {
    path: ['close'],
    message: 'must differ from serviceHours.open: leave the section out when the service never closes',
  });

const limitsSchema = z.strictObject({
  rowsPerFile: numberOf('limits.rowsPerFile')
    .default(1_000_000)
    .describe('a file with more rows is rejected'),
  bytesPerFile: numberOf('limits.bytesPerFile').default(536_870_912).describe('a bigger file is rejected'),
  bahtPerPayout: baht.default('2000000').describe('a row above it is held until a person lets it go on'),
  bahtPerBatch: baht.default('0').describe('a file whose total is above it is rejected'),
  batchMaxAgeHours: numberOf('limits.batchMaxAgeHours')
    .default(24)
    .describe(
      'a batch that waited longer since its file was dropped, or since a person last let it go on, is held',
    ),
  similarDays: numberOf('limits.similarDays')
    .default(3)
    .describe(
      'hold a payout to a payee who was paid the same amount under another `payoutId` within so many days, unless both have a `reference1` and these differ; 0 = never',
    ),
  likeFileDays: numberOf('limits.likeFileDays')
    .default(3)
    .describe(
      'hold a whole file when at least half of its rows, and at least five, have the payee and amount of rows of other files that were paid, or are under way, within this many days; 0 = never',
    ),
  bahtPerDay: baht
    .default('0')
    .describe('a row with which more than this would be submitted on one Bangkok day is held'),
  bahtPerPayeePerDay: baht.default('0').describe('the same for one payee'),
  filesPerDay: numberOf('limits.filesPerDay')
    .default(0)
    .describe('rows of a further file are held once so many others were paid from on one Bangkok day'),
  newPayeeBaht: baht
    .default('0')
    .describe('a row above it is held where no payout to the same payee number was ever proved paid'),
  serviceDays: z
    .array(z.enum(weekdays))
    .refine(hasNoRepeat, 'must not name a day twice')
    .default([])
    .meta({
      description:
        'days of the week on which payouts are sent; what comes up on another is held. Empty: on all',
      allowed: `a list of ${weekdays.map((day) => `\`${day}\``).join(', ')}`,
    }),
  closedDates: z.array(dayText).refine(hasNoRepeat, 'must not name a day twice').default([]).meta({
    description: 'days on which nothing is sent, such as "2026-12-31": what comes up on them is held',
    allowed: 'a list of days, YYYY-MM-DD by the Christian era, in quotes',
  }),
});

const noticesSchema = z.strictObject({
  webhookUrl: checkedText(complainAboutWebhook).default('').meta({
    description: 'where notices are posted',
    allowed: 'an `https://` address, plain `http://` only to this machine; empty for none',
  }),
  webhookSecret: anyText
    .optional()
    .describe(
      'key of the signature; or the variable `PAYDROP_WEBHOOK_SECRET`, which wins, or `notices.webhookSecretFile`',
    ),
  webhookSecretFile: path.optional().describe('a file that holds the key alone and is not open to everybody'),
  command: z.array(z.string().min(1)).default([]).meta({
    description: 'a program and its arguments; it is given the notice on its standard input',
    allowed: 'a list of texts, no shell; empty for none',
  }),
  inDoubtAfterMs: numberOf('notices.inDoubtAfterMs')
    .default(3_600_000)
    .describe('from when on transfers in doubt are told of'),
  notReadyAfterMs: numberOf('notices.notReadyAfterMs')
    .default(60_000)
    .describe('how long a watcher must not be ready, or be ready again, before that is told'),
  language: z
    .enum(languages)
    .default('en')
    .describe('language of `reason` and `remedy` in notices: `en` English, `th` Thai'),
});

/** Compared without case. */
const statusWords = z
  .array(z.string().trim().min(1))
  .default([])
  .meta({ allowed: 'a list of texts; case does not matter' });

const statementWordsSchema = z
  .strictObject({
    complete: statusWords.describe(
      'words of STATUS that mean complete, besides 010004, COMPLETE, SUCCESS and their like',
    ),
    failed: statusWords.describe('words that mean failed, besides 030002, 030003, FAILED and their like'),
    inProcess: statusWords.describe(
      'words that mean in process, besides 010001–010003, 030004, PENDING and their like',
    ),
  })
  .superRefine((words, context) => {
    for (const { kind, place, why } of findWordTroubles(words))
      context.addIssue({ code: 'custom', path: [kind, place], message: why });
  });

const reconcileSchema = z.strictObject({
  dateField: z
    .enum(['date', 'Date'])
    .default('date')
    .describe("how the request for a statement names the date: the bank's interface shows both"),
  companyId: z
    .union([z.literal(''), wireText(15)])
    .optional()
    .meta({
      description: 'another company to ask for than `bank.companyId`; empty: all companies of the partner',
      allowed: '1 to 15 printable ASCII characters, no spaces, or empty',
    }),
  at: optionalTimeOfDay.default('09:00').describe('when the watcher reconciles the day before'),
  words: statementWordsSchema.prefault({}),
  maxBytes: numberOf('reconcile.maxBytes')
    .default(1_073_741_824)
    .describe('largest statement, packed and unpacked'),
  timeoutMs: numberOf('reconcile.timeoutMs')
    .default(600_000)
    .describe('for the whole download of a statement'),
  hosts: z.array(hostName).default([]).meta({
    description:
      'hosts besides that of `bank.baseUrl` whose statements may come from this machine or a private network',
    allowed: 'a list of host names and IP addresses, as they stand in the address, without port',
  }),
  lateAt: optionalTimeOfDay
    .default('12:00')
    .describe(
      'from when on a day before without its statement is told to be late, where payouts were sent; not where `reconcile.at` is empty',
    ),
});

const machineMax = 64;

const journalSchema = z.strictObject({
  url: checkedText(complainAboutJournalUrl).default('').meta({
    description:
      'where the journal is: empty for SQLite in `dataDir`, or a PostgreSQL database; or the variable `PAYDROP_JOURNAL_URL`, which wins, or `journal.urlFile`',
    allowed:
      'empty; `postgres://user:password@host:5432/database`, with `?sslmode=verify-full` over a network',
  }),
  urlFile: path
    .optional()
    .describe(
      'a file that holds the address alone and is not open to everybody, since it may hold a password',
    ),
  machine: z
    .string()
    .max(machineMax)
    .default('')
    .meta({
      description:
        'what the others call this machine; empty: its host name. Needed where containers share one network, and with it one name',
      allowed: `empty, or a text of up to ${machineMax} characters`,
    }),
});

const userHeaderForm =
  /^(?!(sec|accept|content|if)-|x-live$|x-forwarded-(for|proto|host)$)([a-z]+(-[a-z\d]+)+)?$/i;

const reviewFields = z.strictObject({
  people: z.literal([1, 2]).default(2).meta({
    description:
      'how many people a decision takes that can move money or declares an outcome: who proposes it, and who approves it',
    allowed: '`1` or `2`',
  }),
  expireDays: numberOf('review.expireDays')
    .default(7)
    .describe('proposals that are not approved within this time lapse'),
  tokenFile: path
    .optional()
    .describe(
      'a file that holds your personal token alone and is not open to everybody; or the variable `PAYDROP_TOKEN`, or `PAYDROP_TOKEN_FILE` with its path, which win',
    ),
  doubtAfterMs: numberOf('review.doubtAfterMs')
    .default(3_600_000)
    .describe('from when on a transfer in doubt stands in the queue of what needs a person'),
  listen: z
    .string()
    .refine(
      (text) => text === '' || parseListenAddress(text) !== undefined,
      'must be host:port, such as 127.0.0.1:8484, or empty',
    )
    .default('')
    .meta({
      description:
        'where `paydrop watch` opens the review page, too; another address than a loopback one only behind a proxy, with `review.origin`',
      allowed: '`host:port`, or empty for none',
    }),
  origin: checkedText(complainAboutOrigin).default('').meta({
    description:
      'under which name the review page is asked for behind a proxy that speaks https; passkeys hang on it: empty on this machine alone',
    allowed: '`https://` and a name, with a port where there is one; empty',
  }),
  trustedProxy: z
    .array(z.string().refine((text) => isIP(text) !== 0, 'must be an IP address'))
    .default([])
    .meta({
      description:
        'addresses of the proxy in front of `review.origin`: requests from other addresses are refused, and the headers of the proxy about the visitor are trusted',
      allowed: 'a list of IP addresses',
    }),
  userHeader: z.string().regex(userHeaderForm, 'must be a header such as X-Forwarded-User').default('').meta({
    description: 'header in which that proxy names the user who is asking; no password signs in then',
    allowed: 'the name of a header with a hyphen, such as `X-Forwarded-User`, that says nothing else; empty',
  }),
});

const reviewSchema = reviewFields.refine(
  ({ userHeader, origin, trustedProxy }) => userHeader === '' || (origin !== '' && trustedProxy.length > 0),
  { path: ['userHeader'], error: 'needs review.origin and review.trustedProxy' },
);

const approvalSchema = z.strictObject({
  when: z
    .enum(['never', 'always', 'above'])
    .default('never')
    .describe(
      'which batches wait for approval before anything of them is paid: none, all, or those that would pay more than `approval.baht`',
    ),
  baht: baht.default('0').describe('with `above`: a batch that would pay more than this waits'),
  people: z.literal([1, 2]).default(1).meta({
    description:
      'how many people it takes: who proposes it, and who approves it; also of a changed payer account, a lifted limit and a corrected payee, where `review.people` is less',
    allowed: '`1` or `2`',
  }),
  signed: z
    .enum(['optional', 'required'])
    .default('optional')
    .describe(
      'whether every approval must be signed with a passkey, which only the review page accepts; otherwise a person with a passkey may sign',
    ),
  keys: z
    .array(
      z
        .string()
        .transform((text) => text.replaceAll(/[\s:]/g, '').toLowerCase())
        .pipe(
          z
            .string()
            .regex(/^[0-9a-f]{64}$/, 'must be the whole fingerprint of a passkey: 64 digits 0-9, a-f'),
        ),
    )
    .default([])
    .meta({
      description:
        'with `signed: required`: fingerprints of the passkeys that count, as `paydrop user list NAME` shows them; write access to the journal alone then permits no approval. Empty: every confirmed passkey counts',
      allowed: 'a list of fingerprints',
    }),
});

export const settingsSchema = z.strictObject({
  dataDir: path.default('./paydrop-data').describe('where journal and folders are'),
  folders: z
    .partialRecord(z.enum(folderNames), path)
    .prefault({})
    .meta({
      description: 'folders that are elsewhere than under `dataDir`',
      allowed: `a path for any of ${folderNames.map((name) => `\`${name}\``).join(', ')}`,
    }),
  bank: bankSchema.describe("a section with the bank's address and what it calls you"),
  verify: verifySchema.prefault({}).describe('the payee check before a transfer'),
  transfer: transferSchema.prefault({}).describe('sending transfers'),
  settle: settleSchema.prefault({}).describe('asking what became of transfers in doubt'),
  brake: brakeSchema.prefault({}).describe('what halts a batch that goes wrong'),
  limits: limitsSchema.prefault({}).describe('limits; 0 means none'),
  serviceHours: serviceHoursSchema
    .optional()
    .describe('when the bank takes transfers, every day; left out: always'),
  input: inputSchema.prefault({}).describe('how files are written; `input.columns` are those of payouts'),
  watch: watchSchema.prefault({}).describe('the drop folder'),
  notices: noticesSchema.prefault({}).describe('whom to tell of batches and files'),
  reconcile: reconcileSchema.prefault({}).describe("the bank's daily statement"),
  journal: journalSchema.prefault({}).describe('the journal'),
  output: outputSchema.prefault({}).describe('the files of the outbox'),
  review: reviewSchema.prefault({}).describe('who decides, and how'),
  approval: approvalSchema.prefault({}).describe('approval of a batch before it is paid'),
  registration: registrationSchema
    .prefault({})
    .describe('registering direct debits, and where the bank tells how each ended'),
  sandbox: z.unknown().optional().meta({
    description: "the sandbox bank's own table: payees and behaviours; read by the sandbox alone",
    allowed: 'see `config/sandbox.yaml`',
  }),
});

export type Settings = z.infer<typeof settingsSchema>;

/** Keys whose numbers are read as text. */
export const amountKeys = [
  ['limits', 'bahtPerPayout'],
  ['limits', 'bahtPerBatch'],
  ['approval', 'baht'],
  ['limits', 'bahtPerDay'],
  ['limits', 'bahtPerPayeePerDay'],
  ['limits', 'newPayeeBaht'],
] as const;

/** Reason why an amount cannot be used; undefined when it can. */
function complainAboutBaht(text: string): string | undefined {
  if (parseBaht(text) !== undefined) return undefined;
  return /^\d{16,}(?:\.\d{1,2})?$/.test(text)
    ? "must be at most 999999999999999.99, which is all that the bank's field holds (0 means no limit)"
    : 'must be an amount in baht such as 2000000 or 1500.50 (0 means no limit)';
}

/** Reason why the bank's address cannot be used; undefined when it can. */
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
