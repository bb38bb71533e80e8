/** What `check` prints: issues as they are found, so that memory stays flat, and the totals at the end. */
import type { CheckOutcome, RejectedFile, Report, RowIssue } from '../../app/check.ts';
import type { RowTotal } from '../../core/ports.ts';
import { formatBaht } from '../../core/money.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { type ShownTotal, showTotal } from './amounts.ts';
import { alignColumns, print, type Shown, type ShownEnd } from './shown.ts';

export class CheckReport {
  readonly path: string;
  issues = 0;
  readonly #asJson: boolean;

  constructor(path: string, asJson: boolean) {
    this.path = path;
    this.#asJson = asJson;
  }

  /** A stretch of rows at a time. */
  readonly report: Report = (kind, found) => {
    if (kind === 'issue') this.issues += found.length;
    const lines = found.map((one) => {
      const { json, text } = this.#show(kind, one);
      return `${this.#asJson ? JSON.stringify(json) : text}\n`;
    });
    if (lines.length > 0) process.stdout.write(lines.join(''));
  };

  #show(kind: Parameters<Report>[0], { rowNo, issue }: RowIssue): Shown {
    const { line, column, value, message, code } = issue;
    const where = column === null ? '' : ` ${column}${value === null || value === '' ? '' : ` "${value}"`}:`;
    const text = `${this.path}:${line}:${kind === 'note' ? ' note:' : ''}${where} ${message} [${code}]`;
    return { json: { kind, file: this.path, rowNo, ...issue }, text };
  }

  end({ exitCode, text, json }: ShownEnd): ExitCode {
    const head = { kind: 'check', file: this.path, exitCode, issues: this.issues };
    print({ json: { ...head, ...json }, text }, this.#asJson);
    return exitCode;
  }
}

/** The end of a file that would be rejected as a whole. */
export function showRejected({ path }: CheckReport, { rejection }: RejectedFile): ShownEnd {
  const { line, message, code } = rejection;
  const where = line === null ? path : `${path}:${line}`;
  return {
    exitCode: exitCodes.fileRejected,
    text: `${where}: ${message} [${code}]\nThe whole file is rejected: nothing of it would be sent.`,
    json: { status: 'rejected', ...rejection },
  };
}

/** The end of a check that asked nobody. */
export function showChecked(report: CheckReport, outcome: CheckOutcome): ShownEnd {
  if (outcome.kind === 'rejected') return showRejected(report, outcome);
  const { batchId, totals } = outcome;
  const all = describeTotal(totals.all);
  const ready = describeTotal(totals.ready);
  const held = describeTotal(totals.held);
  const rejected = describeTotal(totals.rejected);
  const { path, issues } = report;
  const rows = alignColumns([
    ['  to be paid', showTotal(ready)],
    ['  to be held', showTotal(held)],
    ['  rejected', `${showTotal(rejected)}, ${rejected.unreadableAmounts} amounts unreadable`],
  ]);
  return {
    exitCode: issues > 0 ? exitCodes.exceptions : exitCodes.ok,
    text: [`${path}: ${showTotal(all)}, ${issues} issues`, ...rows, 'Nothing was sent.'].join('\n'),
    json: { status: 'checked', batchId, all, ready, held, rejected },
  };
}

export interface DescribedTotal extends ShownTotal {
  readonly unreadableAmounts: number;
}

export const describeTotal = ({ rows, amountSatang, unreadableAmounts }: RowTotal): DescribedTotal => ({
  rows,
  amount: formatBaht(amountSatang),
  unreadableAmounts,
});
