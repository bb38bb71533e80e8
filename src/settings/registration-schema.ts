/** The settings group `registration`: defaults for registrations, and the listener for the bank's callbacks. */
import { isIP } from 'node:net';
import { z } from 'zod';
import { isHostName, parseAddressRange } from '../core/network-address.ts';
import { registrationColumns } from '../registration/rules/registration-file.ts';
import { checkedText, hasNoRepeat, wireText } from './fields.ts';
import { numberOf } from './ranges.ts';
import { complainAboutCallbackKey } from './secrets.ts';

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
