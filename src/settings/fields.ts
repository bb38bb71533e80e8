/** The kinds of text in settings, each with its bounds; web addresses are the page's own, and the target of notices. */
import { isIP } from 'node:net';
import { z } from 'zod';
import { explainDay, readDay } from '../core/bangkok-time.ts';
import { isHostName, isLoopback } from '../core/network-address.ts';
import { parseTimeOfDay } from '../payout/rules/service-hours.ts';

export const path = z.string().min(1).meta({ allowed: 'a path' });
export const anyText = z.string().min(1).meta({ allowed: 'text' });

/** Text of the bank's fixed fields (§2.2, §2.4). */
export const wireText = (lengthMax: number) =>
  z
    .string()
    .min(1)
    .max(lengthMax)
    .regex(/^[\x21-\x7e]*$/, 'must be printable ASCII without spaces')
    .meta({ allowed: `1 to ${lengthMax} printable ASCII characters, no spaces` });

/** termID (§2.4). */
export const terminalId = wireText(20);

/** @param complain returns the fault; undefined without one */
export const checkedText = (complain: (text: string) => string | undefined) =>
  z.string().superRefine((text, context) => {
    const message = complain(text);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });

/** A day with hyphens: limits compare days as text. */
export const dayText = checkedText((text) => {
  const reading = readDay(text);
  if (!reading.ok) return explainDay(reading);
  return text.includes('-') ? undefined : 'must be a day such as "2026-12-31"';
});

export const optionalTimeOfDay = z
  .string()
  .refine(
    (text) => text === '' || (parseTimeOfDay(text) !== undefined && text !== '24:00'),
    'must be a time of day in Bangkok, such as "07:30", or empty for never',
  )
  .meta({ unit: 'Bangkok time', allowed: '`00:00` to `23:59`, or empty for never' });

export const hostName = z
  .string()
  .refine(
    (text) => isHostName(text),
    'must be a host name or IP address alone, without scheme, port or path',
  );

export function hasNoRepeat(words: readonly string[]): boolean {
  return new Set(words).size === words.length;
}

/** Reason why the page cannot have this address; undefined when it can. */
export function complainAboutOrigin(text: string): string | undefined {
  if (text === '') return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:') return 'must begin with https://';
  if (url.origin !== text) return 'must be a name alone, such as https://review.example';
  return isIP(url.hostname.replaceAll(/[[\]]/g, '')) === 0 ? undefined : 'must be a name, not an IP address';
}

/** Reason why notices cannot be posted to it; undefined when they can. */
export function complainAboutWebhook(text: string): string | undefined {
  if (text === '') return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return 'must be a web address: https://…';
  if (url.username !== '' || url.password !== '') return 'must not hold a user or password';
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    return `is plain http to ${url.hostname}, which is allowed to a loopback address only: use https`;
  return undefined;
}
