/** What a person, or a program, reads when there is no statement to be used. */
import { showDate } from '../payout/rules/lost-journal.ts';
import type { StatementRefusal } from '../reconcile/ports.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import type { NotFetched } from './reconcile-wait.ts';

/** What was to be reconciled. */
export interface Subject {
  /** YYYYMMDD; undefined for a file whose day is not known. */
  readonly date: string | undefined;
  /** A file that a person has given. */
  readonly file: string | undefined;
}

/** Codes of what is no file at all, rather than a file that is not as it should be. */
const isNoFile = ({ code }: StatementRefusal): boolean =>
  /^file-(?:missing|directory|link|special|unreadable)$/.test(code);

function explainRefusal(refusal: StatementRefusal): string {
  const { line, column, message } = refusal;
  if (isNoFile(refusal)) return message;
  const place = [line === null ? [] : `line ${line}`, column ?? []].flat().join(', ');
  return `the statement is refused, nothing of it is used: ${place === '' ? '' : `${place}: `}${message}`;
}

/** Why there is no statement, with what to do, and the exit code that goes with it. */
function explain(fetched: NotFetched): { readonly text: string; readonly exitCode: ExitCode } {
  switch (fetched.kind) {
    case 'not-found':
      return {
        text: 'the bank has no statement of this day, or not yet: ask again later (--wait), or ask the bank',
        exitCode: exitCodes.fileRejected,
      };
    case 'refused':
      return {
        text: `the bank gives no statement (${fetched.code}: ${fetched.text}): see reconcile.companyId and reconcile.dateField in the settings, or ask the bank`,
        exitCode: exitCodes.fileRejected,
      };
    case 'not-allowed':
      return {
        text: `the bank does not let us ask for statements (${fetched.code}): ${fetched.text}`,
        exitCode: exitCodes.stoppedShort,
      };
    case 'unavailable':
      return {
        text: `the statement cannot be had now: ${fetched.why}; run it again`,
        exitCode: exitCodes.stoppedShort,
      };
    case 'unusable':
      return { text: explainRefusal(fetched.refusal), exitCode: exitCodes.fileRejected };
  }
}

/** Says on stderr, or as JSON on stdout, why there is no statement. */
export function complain({ date, file }: Subject, fetched: NotFetched, json: boolean): ExitCode {
  const { text, exitCode } = explain(fetched);
  const refusal = fetched.kind === 'unusable' ? { ...fetched.refusal } : undefined;
  const day = date === undefined ? null : showDate(date);
  if (json)
    process.stdout.write(
      `${JSON.stringify({ date: day, file, outcome: fetched.kind, reason: text, refusal })}\n`,
    );
  else process.stderr.write(`paydrop: ${[day ?? [], file ?? []].flat().join(', ')}: ${text}\n`);
  return exitCode;
}
