/** Statements that people accept or hand in: their names as targets, and the decisions about them. */
import { type Message, message } from '../../core/message.ts';
import type { FileRejection } from '../../core/payout-file.ts';
import { isIncomplete, isSuperseded, type Provenance } from '../../reconcile/rules/custody.ts';
import type { Target } from './proposal.ts';
import type { Decision } from './terms.ts';

/** A statement whose bytes are kept until the decision to reconcile with it. */
export interface KeptStatement {
  /** YYYYMMDD. */
  readonly date: string;
  readonly from: Provenance['from'];
  /** The version of the day's statement that it was compared with; 0 where there was none. */
  readonly present: number;
  /** SHA-256 (hex) of the original bytes: the decision applies to exactly these. */
  readonly originalSha256: string;
}

const versionPattern = /^(bank|file) (\d+) ([0-9a-f]{64})$/;

/**
 * A target for one day's statement; its version names the bytes.
 * @param note the content of the statement, and its gaps
 */
export const statementTargetOf = (
  { date, from, present, originalSha256 }: KeptStatement,
  note: string,
): Target => ({ kind: 'statement', key: date, version: `${from} ${present} ${originalSha256}`, note });

/** Undefined for a target that `statementTargetOf` has not made. */
export function readStatementTarget({
  key: date,
  version,
}: Pick<Target, 'key' | 'version'>): KeptStatement | undefined {
  const [, from, present, originalSha256] = versionPattern.exec(version) ?? [];
  if (originalSha256 === undefined || !/^\d{8}$/.test(date)) return undefined;
  return { date, from: from === 'bank' ? 'bank' : 'file', present: Number(present), originalSha256 };
}

/**
 * The reason why a decision on a statement is impossible; undefined when it is possible.
 * @param refusal the reason why reconciling would refuse it as it is
 */
export function decideStatement(
  decision: Decision,
  { from }: Pick<KeptStatement, 'from'>,
  refusal: Pick<FileRejection, 'code' | 'message'> | undefined,
): Message | undefined {
  if (decision !== 'accept-statement' && decision !== 'adopt-statement')
    return message('statement.decisions');
  if (decision === 'adopt-statement')
    return from === 'bank' ? message('statement.from-bank') : refusal?.message;
  if (refusal === undefined) return message('statement.lacks-nothing');
  return isIncomplete(refusal) || isSuperseded(refusal) ? undefined : refusal.message;
}
