/** The settings about files and where they go, and about registrations with the listener for their callbacks. */
import { isIP } from 'node:net';
import { z } from 'zod';
import { isHostName, parseAddressRange, parseListenAddress } from '../core/network-address.ts';
import { rowColumns } from '../core/payout-file.ts';
import { registrationColumns } from '../registration/rules/registration-file.ts';
import { checkedText, hasNoRepeat, hostName, optionalTimeOfDay, wireText } from './fields.ts';
import { numberOf } from './ranges.ts';
import { complainAboutCallbackKey } from './secrets.ts';

export const folderNames = [
  'inbox',
  'work',
  'archive',
  'rejected',
  'outbox',
  'statements',
  'decisions',
] as const;
export type FolderName = (typeof folderNames)[number];

export const inputSchema = z.strictObject({
  columns: z
    .partialRecord(z.enum(rowColumns), z.string().min(1))
    .refine((columns) => hasNoRepeat(Object.values(columns)), 'must not map two columns to the same header')
    .default({})
    .meta({
      description: "our column name → the file's header, for files with headers of their own",
      allowed: `keys: ${rowColumns.map((name) => `\`${name}\``).join(', ')}`,
    }),
  carry: z.array(z.string().trim().min(1)).default([]).meta({
    description: 'headers that are only carried through, though they look like columns of ours',
    allowed: 'a list of headers',
  }),
  encoding: z
    .enum(['auto', 'utf-8', 'utf-16le', 'utf-16be', 'windows-874', 'windows-1252'])
    .default('auto')
    .describe('encoding of the file; `auto` detects it, but for `windows-1252`'),
  /** A tab may be written as the word, since it is invisible. */
  delimiter: z
    .enum(['auto', ',', ';', '\t', 'tab'])
    .default('auto')
    .transform((word) => (word === 'tab' ? '\t' : word))
    .meta({
      description: 'what separates the cells; `auto` detects it',
      allowed: '`auto`, `,`, `;`, `tab`',
    }),
  control: z
    .enum(['none', 'trailer', 'sidecar'])
    .default('none')
    .describe('where the control totals stand: nowhere, in a last row, or in a file beside it'),
  trailerMark: z
    .string()
    .min(1)
    .default('TRAILER')
    .meta({ description: 'first cell of the trailer row', allowed: 'text' }),
  finalLineEnd: z
    .enum(['required', 'optional'])
    .default('required')
    .describe('whether a file may end without a line end, which may be a sign of a cut amount'),
  numberAfterAmount: z
    .enum(['refused', 'allowed'])
    .default('refused')
    .describe(
      'whether one to three digits may stand in the cell after an amount such as `18`, where they may be the rest of an unquoted `18,500` or `18,5`',
    ),
});

export const watchSchema = z.strictObject({
  filesAtOnce: numberOf('watch.filesAtOnce').default(4).describe('files whose rows are sent at once'),
  stillMs: numberOf('watch.stillMs')
    .default(1_000)
    .describe('how long size and times of a file must have been still before it is taken'),
  marker: z
    .enum(['none', 'done'])
    .default('none')
    .describe('`done`: a file counts only when `<file>.done` stands beside it'),
  polling: z.boolean().default(false).describe('`true` for network shares, which tell nothing of changes'),
  pollMs: numberOf('watch.pollMs').default(1_000).describe('between two looks at the inbox when polling'),
  rescanMs: numberOf('watch.rescanMs')
    .default(10_000)
    .describe('between two looks at the whole inbox, for what no event has told'),
  waitMs: numberOf('watch.waitMs')
    .default(300_000)
    .describe('how long what is in doubt is waited for before a result is written'),
  graceMs: numberOf('watch.graceMs')
    .default(45_000)
    .describe('how long what is in flight may take when the watcher is asked to stop'),
  listen: z
    .string()
    .refine(
      (text) => text === '' || parseListenAddress(text) !== undefined,
      'must be host:port, such as 127.0.0.1:8765, or empty',
    )
    .default('127.0.0.1:8765')
    .meta({
      description: 'address of `/healthz`, `/livez` and `/metrics`, which have no password',
      allowed: '`host:port`, or empty for none',
    }),
  probeMs: numberOf('watch.probeMs')
    .default(15_000)
    .describe('between two looks at bank and disks, while nothing else shows how they are'),
  inquiryAt: optionalTimeOfDay
    .default('07:30')
    .describe('when everything in doubt is asked about, every day'),
  hosts: z.array(hostName).default([]).meta({
    description:
      'names by which other machines ask at `watch.listen`, such as a collector does; addresses, `localhost` and the name in `watch.listen` need none',
    allowed: 'a list of host names, without port',
  }),
});

export const outputSchema = z.strictObject({
  guardFormulas: z
    .boolean()
    .default(true)
    .describe(
      'an apostrophe stands in a result before what a spreadsheet would run as a formula, in every column but `payoutId` (or `registrationId`); input and files of decisions are read without it',
    ),
  groupReadable: z
    .boolean()
    .default(false)
    .describe(
      'the group of the outbox may read what is written there, and nothing else; without it its owner alone',
    ),
  workbook: z
    .boolean()
    .default(false)
    .describe('a workbook (.xlsx) of summary, exceptions and result for each batch, beside its CSV files'),
  workbookRows: numberOf('output.workbookRows')
    .default(10_000)
    .describe('most rows of a workbook; of more, CSV alone is written'),
});

const callbackKeysMax = 10;

const wireDefault = (lengthMax: number) =>
  z
    .union([z.literal(''), wireText(lengthMax)])
    .default('')
    .meta({ allowed: `1 to ${lengthMax} printable ASCII characters, no spaces, or empty` });

const optionalPath = z.string().default('').meta({ allowed: 'a path, or empty' });

const addressRanges = z
  .array(
    z
      .string()
      .refine(
        (text) => parseAddressRange(text) !== undefined,
        'must be an IP address or a range of them, such as 203.0.113.7 or 203.0.113.0/24',
      ),
  )
  .refine(hasNoRepeat, 'must not name a range twice')
  .default([])
  .meta({ allowed: 'a list of IP addresses and ranges such as `203.0.113.0/24`' });

const tlsSchema = z
  .strictObject({
    certFile: optionalPath.describe(
      'certificates (PEM) by which callbacks come over TLS, the chain included; empty: plain HTTP, for behind a proxy that speaks TLS',
    ),
    keyFile: optionalPath.describe(
      'the key (PEM) of that certificate, in a file that is not open to everybody',
    ),
  })
  .superRefine(({ certFile, keyFile }, context) => {
    if ((certFile === '') === (keyFile === '')) return;
    const [given, lacking] = certFile === '' ? ['keyFile', 'certFile'] : ['certFile', 'keyFile'];
    context.addIssue({
      code: 'custom',
      path: [given],
      message: `stands without registration.callbacks.tls.${lacking}: give both, or neither`,
    });
  });

const callbacksSchema = z.strictObject({
  address: z
    .string()
    .refine((text) => isHostName(text), 'must be a host name or IP address alone, without port')
    .default('127.0.0.1')
    .meta({
      description: 'where callbacks are listened for; `0.0.0.0` or `::` on every address of this machine',
      allowed: 'a host name or IP address',
    }),
  port: numberOf('registration.callbacks.port')
    .default(0)
    .describe('its port; 0: neither `watch` nor `register` listens'),
  path: z
    .string()
    .regex(/^\/[\w\-./~]*$/, 'must be the path of a web address, such as /callbacks')
    .default('/callbacks')
    .meta({ description: 'the path under which the bank calls', allowed: 'a path that begins with `/`' }),
  keys: z
    .array(checkedText(complainAboutCallbackKey))
    .max(callbackKeysMax)
    .refine(hasNoRepeat, 'must not have a key twice')
    .default([])
    .meta({
      description:
        'what the bank sends as `x-api-key`, any of them: two while one takes the place of the other; or the variable `PAYDROP_CALLBACK_KEYS` (comma separated), which wins, or `registration.callbacks.keysFile`',
      allowed: `a list of up to ${callbackKeysMax} texts of 8 to 512 printable ASCII characters, no spaces or commas`,
    }),
  keysFile: optionalPath.describe(
    'a file that holds these keys alone, one a line, and is not open to everybody',
  ),
  allowFrom: addressRanges.describe('from where callbacks are taken; empty: from everywhere'),
  trustedProxies: addressRanges.describe(
    'from where `X-Forwarded-For` is believed, so that `registration.callbacks.allowFrom` means who called the proxy',
  ),
  tls: tlsSchema.prefault({}),
  bodyBytesMax: numberOf('registration.callbacks.bodyBytesMax')
    .default(65_536)
    .describe('a bigger callback is refused'),
  requestTimeoutMs: numberOf('registration.callbacks.requestTimeoutMs')
    .default(10_000)
    .describe('within which a whole callback must have come'),
  connectionsMax: numberOf('registration.callbacks.connectionsMax')
    .default(1_000)
    .describe('connections at a time'),
});

export const registrationSchema = z.strictObject({
  vendorId: wireDefault(10).describe('company code of a row that names none'),
  companyId: wireDefault(15).describe('company ID of a row that names none'),
  columns: z
    .partialRecord(z.enum(registrationColumns), z.string().min(1))
    .refine((columns) => hasNoRepeat(Object.values(columns)), 'must not map two columns to the same header')
    .default({})
    .meta({
      description: "our column name → the file's header, for files with headers of their own",
      allowed: `keys: ${registrationColumns.map((name) => `\`${name}\``).join(', ')}`,
    }),
  concurrency: numberOf('registration.concurrency').default(4).describe('registrations sent at a time'),
  answerWithinMs: numberOf('registration.answerWithinMs')
    .default(86_400_000)
    .describe('how long the callback is awaited; then the registration is `unanswered`'),
  ipAddress: z
    .string()
    .refine((text) => text === '' || isIP(text) !== 0, 'must be an IP address, or empty')
    .default('')
    .meta({
      description: "what is sent as the caller's address; empty: the address from which the bank is reached",
      allowed: 'an IP address, or empty',
    }),
  callbacks: callbacksSchema.prefault({}),
});
