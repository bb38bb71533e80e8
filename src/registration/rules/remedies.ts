/**
 * Remedies for a registration, in words that a clerk can act on. Total: every status and every hold has an answer; the
 * bank's code, or paydrop's own, makes it more precise.
 */
import { joined, message, type Message, type PlainCode } from '../../core/message.ts';
import { findRemedy } from '../../core/messages/row-remedies.ts';
import { joinSentences } from '../../reports/rules/remedies.ts';
import type { RegistrationRow } from './registration-batch.ts';
import type { RegistrationHold, RegistrationStatus } from './registration.ts';
import { findRegistrationCode, type RegistrationCode } from './status-codes.ts';

/** Reason for a held registration that has none of its own. */
export const describeRegistrationHolds = (holds: readonly RegistrationHold[]): Message =>
  joined(holds.map((hold) => message(`registration-hold-reason.${hold}`)));

/** The remedy of the bank's code, if it agrees with the status. */
function codeRemedy(reasonCode: string | null, outcome: RegistrationCode['outcome']): Message[] {
  const known = findRegistrationCode(reasonCode ?? '');
  return known?.outcome === outcome ? [known.remedy] : [];
}

/** Codes of a registrationId that breaks a rule: it cannot stay as it is. */
const idPattern = /^registration-id-(?!claimed)/;

/** One remedy for each cause: all cells to correct count as one. */
function rejectedRemedies({ issues, reasonCode }: RemediedRow): Message[] {
  const codes = issues.map((issue) => issue.code);
  if (reasonCode !== null || codes.length === 0) codes.push(reasonCode ?? '');
  const isIdWrong = codes.some((code) => idPattern.test(code));
  const corrected: PlainCode = `registered-remedy.${isIdWrong ? 'rejected-for-its-id' : 'rejected'}`;
  return codes.map((code) => message(findRemedy(`registration-rejection-remedy.${code}`) ?? corrected));
}

type RemediedRow = Pick<RegistrationRow, 'status' | 'holds' | 'reasonCode' | 'issues'>;

/** Remedy for the row as it stands. */
export function describeRegistrationRemedy(row: RemediedRow): Message {
  const { status, holds, reasonCode } = row;
  const ofStatus = message(`registered-remedy.${status}`);
  switch (status) {
    case 'failed':
      return joinSentences([...codeRemedy(reasonCode, 'not-taken'), ofStatus]);
    case 'held':
      return joinSentences([
        ...codeRemedy(reasonCode, 'not-taken'),
        ...(holds.length === 0
          ? [ofStatus]
          : holds.map((hold) => message(`registration-hold-remedy.${hold}`))),
      ]);
    case 'submitted':
    case 'in-doubt':
      return joinSentences([ofStatus, ...codeRemedy(reasonCode, 'unknown')]);
    case 'rejected':
      return joinSentences(rejectedRemedies(row));
    case 'staged':
    case 'ready':
    case 'cancelled':
    case 'acknowledged':
    case 'unanswered':
    case 'registered':
    case 'refused':
    case 'contradicted':
      return ofStatus;
  }
}

const isTold: readonly RegistrationStatus[] = ['registered', 'refused'];

/** Remedy for a row that contradicts a recorded end. */
export function describeRegistrationAlarmRemedy(row: RemediedRow): Message {
  if (row.status === 'contradicted') return message('registered-remedy.contradicted');
  if (isTold.includes(row.status)) return message('registered-remedy.told-after-all');
  return joinSentences([message('registered-remedy.other-alarm'), describeRegistrationRemedy(row)]);
}
