/** Remedies for breaks, in words that a finance officer can act on. Every kind has one. */
import { dayMs, formatBangkokDate, parseBangkokDate } from '../../core/bangkok-time.ts';
import { message, type Message, type MessageCode } from '../../core/message.ts';
import { findRemedy } from '../../core/messages/row-remedies.ts';
import type { AttemptStatus } from '../../core/payout.ts';
import { showDate } from '../../payout/rules/lost-journal.ts';
import { findDamagedCode } from './statement.ts';
import type { BreakRecord } from './types.ts';

/** Statuses about which "paydrop settle" asks no more: only the bank's staff can tell more. */
const settledStatuses: readonly (AttemptStatus | undefined)[] = ['paid', 'failed', 'refused'];

/** Remedies that have the bank asked by "paydrop settle". @forTests */
export const settleRemedies: readonly MessageCode[] = [
  'break-remedy.status-contradiction',
  'break-remedy.pending-at-bank',
  'break-remedy.pending-not-in-statement',
  'break-remedy.waits',
];

/** The remedy of a send that only a statement settles, since another journal has made it. */
function byStatement(date: string): Message {
  const next = formatBangkokDate((parseBangkokDate(date) ?? 0) + dayMs);
  return message('break-remedy.by-statement', { day: showDate(date), next: showDate(next) });
}

type Remedied = Pick<BreakRecord, 'kind' | 'severity' | 'attempt' | 'lines' | 'lineAt' | 'date'>;

/** The remedy for a break. */
export function describeBreakRemedy(record: Remedied): Message {
  const remedy = findBreakRemedy(record);
  const isInVain = record.attempt?.isByStatement === true && settleRemedies.includes(remedy.code);
  return isInVain ? byStatement(record.date) : remedy;
}

function findBreakRemedy({ kind, severity, attempt, lines, lineAt }: Remedied): Message {
  const line = lines[lineAt ?? -1];
  const ofKind = `break-remedy.${kind}` as const;
  const own = (table: 'settled' | 'called' | 'word' | 'failed', name: string | undefined): Message =>
    message(findRemedy(`break-remedy-${table}.${name}`) ?? ofKind);
  if (kind === 'status-mismatch') {
    if (severity === 'low') return message('break-remedy.waits');
    const isContradicted = lines.some(({ status }) => status !== line?.status);
    return isContradicted ? message(ofKind) : own('called', attempt?.attemptStatus);
  }
  if (kind === 'date-mismatch' && severity === 'high') return message('break-remedy.earlier-transfer');
  if (kind === 'unknown-status-word') {
    if (line !== undefined && findDamagedCode(line.statusText) !== undefined)
      return message('break-remedy.damaged-code');
    return own('word', attempt?.attemptStatus);
  }
  if (settledStatuses.includes(attempt?.attemptStatus) && findRemedy(`break-remedy-settled.${kind}`))
    return own('settled', kind);
  return line?.status === 'failed' ? own('failed', kind) : message(ofKind);
}
