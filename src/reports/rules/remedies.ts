/**
 * Remedies for a row, in words that a finance officer can act on. Total: every status and every hold has an answer; the
 * bank's code, or paydrop's own, makes it more precise.
 */
import { inEnglish, joined, message, type Message, type PlainCode } from '../../core/message.ts';
import { statementCodes } from '../../core/exit-code.ts';
import { findRemedy } from '../../core/messages/row-remedies.ts';
import type { HoldReason } from '../../core/payout.ts';
import type { HoldTotal, ResultRow } from '../../core/ports.ts';
import { type BankStatus, findBankStatus } from '../../core/status-codes.ts';
import { likeFileCodes } from '../../payout/rules/similar.ts';

const holdRemedy = (hold: HoldReason, reasonCode: string | null): Message =>
  message(findRemedy(`hold-remedy.${hold}.${reasonCode}`) ?? `hold-remedy.${hold}`);

/** Remedy for the rows of a batch that a hold keeps back. */
export const describeHoldRemedy = ({ hold, isOfFile }: HoldTotal): Message =>
  holdRemedy(hold, isOfFile === true ? likeFileCodes.like : null);

/** Reason for a held row that has none of its own. */
export const describeHolds = (holds: readonly HoldReason[]): Message =>
  joined(holds.map((hold) => message(`hold-reason.${hold}`)));

/** Codes of a payoutId that breaks a rule; a claimed one has a remedy of its own. */
const idPattern = /^payout-id-(?!claimed)/;

/** The remedy of a code, if it agrees with what is known about the money. */
function codeRemedy(reasonCode: string | null, outcome: BankStatus['outcome']): Message[] {
  const code = reasonCode ?? '';
  const bankStatus = findBankStatus(code);
  if (bankStatus?.outcome === outcome) return [bankStatus.remedy];
  const own = outcome === 'failed' ? findRemedy(`code-remedy.${code}`) : undefined;
  return own === undefined ? [] : [message(own)];
}

/** The remedies as sentences, each once. */
export const joinSentences = (sentences: readonly Message[]): Message =>
  joined([...new Map(sentences.map((one) => [inEnglish(one), one])).values()], 'sentences');

/** One remedy for each cause: all cells to correct count as one. */
function rejectedRemedies({ issues, reasonCode }: RemediedRow): Message[] {
  const codes = issues.map((issue) => issue.code);
  if (reasonCode !== null || codes.length === 0) codes.push(reasonCode ?? '');
  const isIdWrong = codes.some((code) => idPattern.test(code));
  const corrected: PlainCode = `payout-remedy.${isIdWrong ? 'rejected-for-its-id' : 'rejected'}`;
  return codes.map((code) => message(findRemedy(`rejection-remedy.${code}`) ?? corrected));
}

type RemediedRow = Pick<ResultRow, 'status' | 'holds' | 'reasonCode' | 'issues'>;

/** Remedy for the row as it stands. */
export function describeRemedy(row: RemediedRow): Message {
  const { status, holds, reasonCode } = row;
  const ofStatus = message(`payout-remedy.${status}`);
  switch (status) {
    case 'failed':
    case 'unpayable':
      return joinSentences([...codeRemedy(reasonCode, 'failed'), ofStatus]);
    case 'held':
      return joinSentences([
        ...codeRemedy(reasonCode, 'failed'),
        ...(holds.length === 0 ? [ofStatus] : holds.map((hold) => holdRemedy(hold, reasonCode))),
      ]);
    case 'submitted':
    case 'unresolved':
      if (statementCodes.includes(reasonCode ?? '')) return message('payout-remedy.by-statement');
      return joinSentences([ofStatus, ...codeRemedy(reasonCode, 'unknown')]);
    case 'rejected':
      return joinSentences(rejectedRemedies(row));
    case 'staged':
    case 'ready':
    case 'cancelled':
    case 'paid':
    case 'disputed':
      return ofStatus;
  }
}

/** Remedy for a row that contradicts a proved outcome; paydrop's own code of the alarm makes it more precise. */
export function describeAlarmRemedy(row: RemediedRow): Message {
  const remedy = findRemedy(`alarm-remedy.${row.reasonCode ?? ''}`);
  const end = message('alarm-remedy.end');
  return joinSentences(
    remedy === undefined ? [message('alarm-remedy.other'), end, describeRemedy(row)] : [message(remedy), end],
  );
}
