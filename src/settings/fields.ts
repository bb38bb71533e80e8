/** The kinds of text in settings, each with its bounds. */
import { z } from 'zod';
import { explainDay, readDay } from '../core/bangkok-time.ts';

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

export function hasNoRepeat(words: readonly string[]): boolean {
  return new Set(words).size === words.length;
}
