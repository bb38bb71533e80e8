/** Words that the screens of several commands have in common. */
import { formatBangkokMoment } from '../core/bangkok-time.ts';
import type { SenderHolder } from '../journal/sender-lock.ts';

/** The first line of what is shown of a rehearsal. */
export const sandboxBanner = '*** SANDBOX: a rehearsal, no real money moves ***';

/** A file's name, or the bank's words, on one line: they must not break it or steer the terminal. */
export const printable = (text: string): string => text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '?');

/** Who holds the right to send: `"paydrop watch" (process 12, since 2026-11-21 14:03:05)`, in Bangkok. */
export function nameSender(holder: SenderHolder | undefined): string {
  if (holder === undefined) return 'another paydrop process';
  const { command, pid, sinceMs } = holder;
  return `"paydrop ${printable(command)}" (process ${pid}, since ${formatBangkokMoment(sinceMs)})`;
}
