/** Output of `check`: issues as they are found, so that memory stays flat, and the totals at the end. */
import { inEnglish } from '../../core/message.ts';
import type {
  CheckedRegistrations,
  CheckOutcome,
  FileDigest,
  RejectedFile,
  Report,
  RowIssue,
} from '../../app/check.ts';
import type { RowTotal } from '../../core/ports.ts';
import { formatBaht } from '../../core/money.ts';
import { joinLines, printable, showText, showTextIfAny, toLines } from '../../core/outgoing-text.ts';
import { maskDigits } from '../../core/proxy-id.ts';
import type { LoadedSettings } from '../../settings/settings.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { printText, printWrapped } from '../output.ts';
import { countOf, type ShownTotal, showTotal } from './amounts.ts';
import { alignColumns, encodeResult, print, type Shown, type ShownEnd } from './shown.ts';

export class CheckReport {
  readonly path: string;
  issues = 0;
  readonly #asJson: boolean;

  constructor(path: string, asJson: boolean) {
    this.path = path;
    this.#asJson = asJson;
  }

  /** Reports a page of rows at a time. */
  readonly report: Report = (kind, found) => {
    if (kind === 'issue') this.issues += found.length;
    const lines = found.map((one) => {
      const { json, text } = this.#show(kind, one);
      return this.#asJson ? encodeResult(json) : text;
    });
    if (lines.length > 0) (this.#asJson ? printText : printWrapped)(joinLines(lines));
  };

  #show(kind: Parameters<Report>[0], { rowNo, issue: found }: RowIssue): Shown {
    const message = showText(inEnglish(found.message));
    const issue = {
      ...found,
      column: showTextIfAny(found.column),
      value: showTextIfAny(found.value),
      message,
    };
    const { line, column, value, code } = issue;
    const where = column === null ? '' : ` ${column}${value === null || value === '' ? '' : ` "${value}"`}:`;
    const text = `${this.path}:${line}:${kind === 'note' ? ' note:' : ''}${where} ${message} [${code}]`;
    return { json: { kind, file: this.path, rowNo, ...issue }, text: printable(text) };
  }

  end({ exitCode, text, json }: ShownEnd): ExitCode {
    const head = { kind: 'check', file: this.path, exitCode, issues: this.issues };
    print({ json: { ...head, ...json }, text }, this.#asJson);
    return exitCode;
  }
}

/** The end of a file that would be rejected as a whole. */
export function showRejected({ path }: CheckReport, { rejection }: RejectedFile): ShownEnd {
  const { line, code } = rejection;
  const message = showText(inEnglish(rejection.message));
  const where = line === null ? path : `${path}:${line}`;
  return {
    exitCode: exitCodes.fileRejected,
    text: toLines([
      `${where}: ${message} [${code}]`,
      'The whole file is rejected: nothing of it would be sent.',
    ]),
    json: { status: 'rejected', ...rejection, message, column: showTextIfAny(rejection.column) },
  };
}

/** The digest that an approval of the file's batch names. */
export function showDigest(
  report: CheckReport,
  outcome: FileDigest | RejectedFile,
  { settings: { bank } }: Pick<LoadedSettings, 'settings'>,
): ShownEnd {
  if (outcome.kind === 'rejected') return showRejected(report, outcome);
  const { batchId, rows, version: digest } = outcome;
  const payerAccount = maskDigits(bank.payerAccount);
  const total = { rows, amount: formatBaht(outcome.amountSatang) };
  return {
    exitCode: exitCodes.ok,
    text: toLines([
      `${report.path}: batch ${batchId}, ${showTotal(total)}, from account ${payerAccount}`,
      `  digest ${digest}`,
    ]),
    json: { status: 'digest', batchId, ...total, payerAccount, digest },
  };
}

/** The end of a check without the bank. */
export function showChecked(report: CheckReport, outcome: CheckOutcome): ShownEnd {
  if (outcome.kind === 'rejected') return showRejected(report, outcome);
  const { batchId, totals, likeRows } = outcome;
  const all = describeTotal(totals.all);
  const ready = describeTotal(totals.ready);
  const held = describeTotal(totals.held);
  const rejected = describeTotal(totals.rejected);
  const { path, issues } = report;
  const rows = alignColumns([
    ['  to be paid', showTotal(ready)],
    ['  to be held', showTotal(held)],
    ['  rejected', `${showTotal(rejected)}${showUnreadable(rejected)}`],
  ]);
  return {
    exitCode: issues > 0 ? exitCodes.exceptions : exitCodes.ok,
    text: toLines([
      `${path}: ${showTotal(all)}, ${countOf(issues, 'issue')}`,
      ...rows,
      ...showLike(likeRows),
      'Nothing was sent.',
    ]),
    json: { status: 'checked', batchId, all, ready, held, rejected, likeRows },
  };
}

/** The end of a check of registrations. */
export function showCheckedRegistrations(
  report: CheckReport,
  outcome: CheckedRegistrations | RejectedFile,
): ShownEnd {
  if (outcome.kind === 'rejected') return showRejected(report, outcome);
  const { batchId, totals } = outcome;
  const { path, issues } = report;
  const rows = alignColumns([
    ['  to be sent', countOf(totals.ready, 'row')],
    ['  to be held', countOf(totals.held, 'row')],
    ['  rejected', countOf(totals.rejected, 'row')],
  ]);
  const [all, ready, held, rejected] = [totals.all, totals.ready, totals.held, totals.rejected].map(
    (count) => ({ rows: count }),
  );
  return {
    exitCode: issues > 0 ? exitCodes.exceptions : exitCodes.ok,
    text: toLines([
      `${path}: ${countOf(totals.all, 'registration')}, ${countOf(issues, 'issue')}`,
      ...rows,
      'Nothing was sent.',
    ]),
    json: { status: 'checked', of: 'registrations', batchId, all, ready, held, rejected },
  };
}

/** Reported, not held: rows with references of their own are other payments (limits.similarDays holds those without). */
const showLike = (rows: number): string[] =>
  rows === 0
    ? []
    : [
        `${countOf(rows, 'row')} of it ${rows === 1 ? 'pays' : 'pay'} a payee as much as another file did a short time ago; "paydrop check --payees" says which`,
        'would be held (limits.similarDays, limits.likeFileDays).',
      ];

export interface DescribedTotal extends ShownTotal {
  readonly unreadableAmounts: number;
}

/** ", 2 amounts unreadable"; empty when all can be read. */
export const showUnreadable = ({ unreadableAmounts }: DescribedTotal): string =>
  unreadableAmounts === 0 ? '' : `, ${countOf(unreadableAmounts, 'amount')} unreadable`;

export const describeTotal = ({ rows, amountSatang, unreadableAmounts }: RowTotal): DescribedTotal => ({
  rows,
  amount: formatBaht(amountSatang),
  unreadableAmounts,
});
