/** Words that the screens of several commands have in common. */
import { formatBangkokMoment } from '../core/bangkok-time.ts';
import { printable } from '../core/cell-text.ts';
import { formatBaht, type Satang } from '../core/money.ts';
import type { SenderHolder } from '../store/locks.ts';

/** The first line of what is shown of a rehearsal. */
export const sandboxBanner = '*** SANDBOX: a rehearsal, no real money moves ***';

/** Says that what follows is of a rehearsal; a program is told by what it reads instead. */
export function printBanner({ isSandbox }: { readonly isSandbox: boolean }, json: boolean): void {
  if (isSandbox && !json) process.stdout.write(`${sandboxBanner}\n\n`);
}

/** For display only: "1,234,567". */
export const showCount = (count: number): string => groupDigits(String(count));

const groupDigits = (digits: string): string => digits.replaceAll(/\B(?=(\d{3})+(?!\d))/g, ',');

/** For display only: "1,234,567.50". Files and the wire carry no separators. */
export function showBaht(amount: Satang): string {
  const [whole = '', fraction = ''] = formatBaht(amount).split('.');
  return `${groupDigits(whole)}.${fraction}`;
}

/** Who holds the right to send: `"paydrop watch" (process 12, since 2026-11-21 14:03:05)`, in Bangkok. */
export function nameSender(holder: SenderHolder | undefined): string {
  if (holder === undefined) return 'another paydrop process';
  const { command, pid, sinceMs } = holder;
  return `"paydrop ${printable(command)}" (process ${pid}, since ${formatBangkokMoment(sinceMs)})`;
}
