/** What `check` prints: issues as they are found, so that memory stays flat, and the totals at the end. */
import type { CheckOutcome, RowIssue } from '../check/check.ts';
import type { RowTotal } from '../check/rules/row-tally.ts';
import { formatBaht } from '../core/money.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';

/** How a check of one file ends, for a person and for a program. */
export interface CheckEnd {
  readonly exitCode: ExitCode;
  readonly text: string;
  readonly json: object;
}

export class CheckReport {
  readonly #path: string;
  readonly #json: boolean;
  #issues = 0;

  constructor(path: string, json: boolean) {
    this.#path = path;
    this.#json = json;
  }

  get path(): string {
    return this.#path;
  }

  get issues(): number {
    return this.#issues;
  }

  tell(found: readonly RowIssue[]): void {
    this.#issues += found.length;
    this.#print('issue', found);
  }

  /** What is worth knowing and no issue. */
  note(found: readonly RowIssue[]): void {
    this.#print('note', found);
  }

  #print(kind: 'issue' | 'note', found: readonly RowIssue[]): void {
    if (found.length === 0) return;
    const lines = found.map((one) => (this.#json ? this.#asJson(kind, one) : this.#asText(kind, one)));
    process.stdout.write(`${lines.join('\n')}\n`);
  }

  #asJson(kind: string, { rowNo, issue }: RowIssue): string {
    return JSON.stringify({ kind, file: this.#path, rowNo, ...issue });
  }

  #asText(kind: 'issue' | 'note', { issue }: RowIssue): string {
    const { line, column, value, message, code } = issue;
    const where = column === null ? '' : ` ${column}${value === null || value === '' ? '' : ` "${value}"`}:`;
    return `${this.#path}:${line}:${kind === 'note' ? ' note:' : ''}${where} ${message} [${code}]`;
  }

  end({ exitCode, text, json }: CheckEnd): ExitCode {
    const head = { kind: 'check', file: this.#path, exitCode, issues: this.#issues };
    process.stdout.write(`${this.#json ? JSON.stringify({ ...head, ...json }) : text}\n`);
    return exitCode;
  }
}

/** The end of a file that would be rejected as a whole. */
export function describeRejected(
  { path }: CheckReport,
  { rejection }: Extract<CheckOutcome, { kind: 'rejected' }>,
): CheckEnd {
  const { line, message, code } = rejection;
  const where = line === null ? path : `${path}:${line}`;
  return {
    exitCode: exitCodes.fileRejected,
    text: `${where}: ${message} [${code}]\nThe whole file is rejected: nothing of it would be sent.`,
    json: { status: 'rejected', ...rejection },
  };
}

/** The end of a check that asked nobody. */
export function describeChecked(report: CheckReport, outcome: CheckOutcome): CheckEnd {
  if (outcome.kind === 'rejected') return describeRejected(report, outcome);
  const { batchId, totals } = outcome;
  const { all, ready, held, rejected } = totals;
  const { path, issues } = report;
  return {
    exitCode: issues > 0 ? exitCodes.exceptions : exitCodes.ok,
    text: [
      `${path}: ${all.rows} rows, ${formatBaht(all.amountSatang)} baht, ${issues} issues`,
      `  to be paid  ${ready.rows} rows, ${formatBaht(ready.amountSatang)} baht`,
      `  to be held  ${held.rows} rows, ${formatBaht(held.amountSatang)} baht`,
      `  rejected    ${rejected.rows} rows, ${formatBaht(rejected.amountSatang)} baht, ${rejected.unreadableAmounts} amounts unreadable`,
      'Nothing was sent.',
    ].join('\n'),
    json: {
      status: 'checked',
      batchId,
      all: describeTotal(all),
      ready: describeTotal(ready),
      held: describeTotal(held),
      rejected: describeTotal(rejected),
    },
  };
}

export const describeTotal = ({ rows, amountSatang, unreadableAmounts }: RowTotal): object => ({
  rows,
  amount: formatBaht(amountSatang),
  unreadableAmounts,
});
