/** Statements that people insist on, or hand in: what names one, and what they may decide about it. */
import type { FileRejection } from '../../core/payout-file.ts';
import { isIncomplete, isSuperseded, type Provenance } from '../../reconcile/rules/custody.ts';
import type { Target } from './proposal.ts';
import type { Decision } from './terms.ts';

/** A statement whose bytes are kept, to be reconciled with once it is decided. */
export interface KeptStatement {
  /** YYYYMMDD. */
  readonly date: string;
  readonly from: Provenance['from'];
  /** Version of the day's statement that it was held against; 0 where there was none. */
  readonly present: number;
  /** SHA-256 (hex) of the bytes as they came: what was checked is what is applied. */
  readonly originalSha256: string;
}

const versionPattern = /^(bank|file) (\d+) ([0-9a-f]{64})$/;

/** One day is decided on at a time; the version says by which bytes. @param note what it has, and what it lacks */
export const statementTargetOf = (
  { date, from, present, originalSha256 }: KeptStatement,
  note: string,
): Target => ({ kind: 'statement', key: date, version: `${from} ${present} ${originalSha256}`, note });

/** Undefined for what `statementTargetOf` has not made. */
export function readStatementTarget({
  key: date,
  version,
}: Pick<Target, 'key' | 'version'>): KeptStatement | undefined {
  const [, from, present, originalSha256] = versionPattern.exec(version) ?? [];
  if (originalSha256 === undefined || !/^\d{8}$/.test(date)) return undefined;
  return { date, from: from === 'bank' ? 'bank' : 'file', present: Number(present), originalSha256 };
}

/**
 * Why a statement cannot be decided on so; undefined when it can.
 * @param refusal why reconciling would not take it as it is
 */
export function decideStatement(
  decision: Decision,
  { from }: Pick<KeptStatement, 'from'>,
  refusal: Pick<FileRejection, 'code' | 'message'> | undefined,
): string | undefined {
  if (decision !== 'accept-statement' && decision !== 'adopt-statement')
    return 'a statement can be accepted or adopted, and nothing else';
  if (decision === 'adopt-statement')
    return from === 'bank' ? 'the bank has given it: reconcile the day' : refusal?.message;
  if (refusal === undefined) return 'it lacks nothing: there is nothing to insist on';
  return isIncomplete(refusal) || isSuperseded(refusal) ? undefined : refusal.message;
}
