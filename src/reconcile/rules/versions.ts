/** What a day's earlier versions say about bytes that a person hands in: they may be older than what the bank has. */
import { showDate } from '../../payout/rules/lost-journal.ts';
import { partOfDay, type StatementRefusal, type StatementVersionMark, wholeDay } from '../ports.ts';

/** Bytes as the bank packed them, or, once they were read, in plain text. */
export type StatementBytes = Partial<Pick<StatementVersionMark, 'originalSha256' | 'sha256'>>;

const isOf =
  ({ originalSha256, sha256 }: StatementBytes) =>
  (mark: StatementVersionMark): boolean =>
    mark.originalSha256 === originalSha256 || mark.sha256 === sha256;

/**
 * Why bytes that a person hands in are not taken: they are those of a version that another one has superseded, and
 * would undo its correction.
 * @param versions of the day, the oldest first
 */
export function refuseSuperseded(
  date: string,
  versions: readonly StatementVersionMark[],
  bytes: StatementBytes,
): StatementRefusal | undefined {
  const present = versions.at(-1);
  const known = versions.findLast(isOf(bytes));
  if (present === undefined || known === undefined || isOf(bytes)(present)) return undefined;
  const day = showDate(date);
  const message =
    `this is version ${known.version} of the statement of ${day}, which version ${present.version} has superseded: nothing ` +
    `of it is recorded; what the bank has now is fetched with "paydrop reconcile --date ${day}"`;
  return { code: 'statement-superseded', line: null, column: null, message };
}

/**
 * The settings that a day is judged by, with whether its statement is of the whole day. Bytes that a person hands in are
 * of a part of it for good when they were read before it had ended.
 * @param isOver the day has ended
 * @param isHandedIn false when the bank has given them now
 */
export function describeReading(
  settings: string,
  { isOver, isHandedIn }: { readonly isOver: boolean; readonly isHandedIn: boolean },
  versions: readonly StatementVersionMark[],
  bytes: StatementBytes,
): string {
  const isPart = ({ reading }: StatementVersionMark): boolean => reading.endsWith(` ${partOfDay}`);
  const known = versions.filter(isOf(bytes));
  const isOld = isHandedIn && known.length > 0 && known.every(isPart);
  return `${settings} ${isOver && !isOld ? wholeDay : partOfDay}`;
}
