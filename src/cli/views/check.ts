/** Output of `check`: issues as they are found, so that memory stays flat, and the totals at the end. */
import type {
  CheckedRegistrations,
  CheckOutcome,
  FileDigest,
  RejectedFile,
  Report,
  RowIssue,
} from '../../app/check.ts';
import type { RowTotal } from '../../core/ports.ts';
import { recordOf, viewOf } from '../../core/view.ts';
import { joinLines, printable, toLines } from '../../core/outgoing-text.ts';
import type { LoadedSettings } from '../../settings/settings.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { printText, printWrapped } from '../output.ts';
import { countOf, rowsView, type ShownTotal, showTotal } from './amounts.ts';
import { alignColumns, encodeResult, print, type Shown, type ShownEnd } from './shown.ts';

interface ShownIssue extends RowIssue {
  readonly kind: Parameters<Report>[0];
  readonly path: string;
}

/** An issue of a row. @forTests */
export const issueView = viewOf<ShownIssue>()('issue', {
  kind: ['text', 'issue, or note for what keeps nothing from being paid', ({ kind }) => kind],
  file: ['text', 'path as it was given', ({ path }) => path],
  rowNo: ({ rowNo }) => rowNo,
  code: ['text', 'code of the fault', ({ issue }) => issue.code],
  line: ({ issue }) => issue.line,
  column: ({ issue }) => issue.column,
  value: ['foreign', 'what the cell has', ({ issue }) => issue.value],
  message: ['message', 'the fault and its cure', ({ issue }) => issue.message],
});

/** Facts that every end of a check bears. */
interface CheckEnd {
  readonly path: string;
  readonly issues: number;
  readonly exitCode: ExitCode;
}

/** The end of a check, above what is told of the file. @forTests */
export const checkEndView = viewOf<CheckEnd>()('end of a check', {
  kind: ['text', 'check', () => 'check'],
  file: ['text', 'path as it was given', ({ path }) => path],
  exitCode: ({ exitCode }) => exitCode,
  issues: ['number', 'number of its issues'],
});

/** A total with its unreadable amounts. */
export const readTotalView = viewOf<RowTotal>()('total of rows', {
  rows: ({ rows }) => rows,
  amount: ({ amountSatang }) => amountSatang,
  unreadableAmounts: ({ unreadableAmounts }) => unreadableAmounts,
});

/** A file that would be rejected. @forTests */
export const checkRejectedView = viewOf<RejectedFile['rejection']>()('check of a rejected file', {
  status: ['text', 'rejected', () => 'rejected'],
  code: ['text', 'code of the fault'],
  line: ({ line }) => line,
  column: ({ column }) => column,
  message: ['message', 'the fault and its cure'],
});

/** The digest of a file. @forTests */
export const digestView = viewOf<
  Extract<FileDigest, { version: string }> & { readonly payerAccount: string }
>()('digest of a file', {
  status: ['text', 'digest', () => 'digest'],
  batchId: ({ batchId }) => batchId,
  rows: ({ rows }) => rows,
  amount: ({ amountSatang }) => amountSatang,
  payerAccount: ({ payerAccount }) => payerAccount,
  digest: ['text', 'digest that an approval names', ({ version }) => version],
});

/** A file of payouts that was checked. @forTests */
export const checkedView = viewOf<Extract<CheckOutcome, { kind: 'checked' }>>()('checked file', {
  status: ['text', 'checked', () => 'checked'],
  batchId: ({ batchId }) => batchId,
  all: [recordOf(readTotalView), 'all rows', ({ totals }) => totals.all],
  ready: [recordOf(readTotalView), 'rows to be paid', ({ totals }) => totals.ready],
  held: [recordOf(readTotalView), 'rows to be held', ({ totals }) => totals.held],
  rejected: [recordOf(readTotalView), 'rejected rows', ({ totals }) => totals.rejected],
  likeRows: ['number', 'rows that pay a payee as much as another file a short time ago'],
});

/** A file of registrations that was checked. @forTests */
export const checkedRegistrationsView = viewOf<CheckedRegistrations>()('checked registrations', {
  status: ['text', 'checked', () => 'checked'],
  of: ['text', 'registrations', () => 'registrations'],
  batchId: ({ batchId }) => batchId,
  all: [recordOf(rowsView), 'all rows', ({ totals }) => ({ rows: totals.all })],
  ready: [recordOf(rowsView), 'rows to be sent', ({ totals }) => ({ rows: totals.ready })],
  held: [recordOf(rowsView), 'rows to be held', ({ totals }) => ({ rows: totals.held })],
  rejected: [recordOf(rowsView), 'rejected rows', ({ totals }) => ({ rows: totals.rejected })],
});

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

  #show(kind: Parameters<Report>[0], found: RowIssue): Shown {
    const json = issueView.json({ ...found, kind, path: this.path });
    const { line, column, value, code, message } = json;
    const where = column === null ? '' : ` ${column}${value === null || value === '' ? '' : ` "${value}"`}:`;
    const text = `${this.path}:${line}:${kind === 'note' ? ' note:' : ''}${where} ${message} [${code}]`;
    return { json, text: printable(text) };
  }

  end({ exitCode, text, json }: ShownEnd): ExitCode {
    const head = checkEndView.json({ path: this.path, issues: this.issues, exitCode });
    print({ json: { ...head, ...json }, text }, this.#asJson);
    return exitCode;
  }
}

/** The end of a file that would be rejected as a whole. */
export function showRejected({ path }: CheckReport, { rejection }: RejectedFile): ShownEnd {
  const json = checkRejectedView.json(rejection);
  const { line, code, message } = json;
  const where = line === null ? path : `${path}:${line}`;
  return {
    exitCode: exitCodes.fileRejected,
    text: toLines([
      `${where}: ${message} [${code}]`,
      'The whole file is rejected: nothing of it would be sent.',
    ]),
    json,
  };
}

/** The digest that an approval of the file's batch names. */
export function showDigest(
  report: CheckReport,
  outcome: FileDigest | RejectedFile,
  { settings: { bank } }: Pick<LoadedSettings, 'settings'>,
): ShownEnd {
  if (outcome.kind === 'rejected') return showRejected(report, outcome);
  const json = digestView.json({ ...outcome, payerAccount: bank.payerAccount });
  const { batchId, payerAccount, digest } = json;
  return {
    exitCode: exitCodes.ok,
    text: toLines([
      `${report.path}: batch ${batchId}, ${showTotal(json)}, from account ${payerAccount}`,
      `  digest ${digest}`,
    ]),
    json,
  };
}

const showEnd = (
  { path, issues }: CheckReport,
  all: string,
  json: ShownEnd['json'],
  outcomes: readonly string[],
): ShownEnd => ({
  exitCode: issues > 0 ? exitCodes.exceptions : exitCodes.ok,
  text: toLines([`${path}: ${all}, ${countOf(issues, 'issue')}`, ...outcomes, 'Nothing was sent.']),
  json,
});

/** The end of a check without the bank. */
export function showChecked(report: CheckReport, outcome: CheckOutcome): ShownEnd {
  if (outcome.kind === 'rejected') return showRejected(report, outcome);
  const json = checkedView.json(outcome);
  const { all, ready, held, rejected, likeRows } = json;
  return showEnd(report, showTotal(all), json, [
    ...alignColumns([
      ['  to be paid', showTotal(ready)],
      ['  to be held', showTotal(held)],
      ['  rejected', `${showTotal(rejected)}${showUnreadable(rejected)}`],
    ]),
    ...showLike(likeRows),
  ]);
}

/** The end of a check of registrations. */
export function showCheckedRegistrations(
  report: CheckReport,
  outcome: CheckedRegistrations | RejectedFile,
): ShownEnd {
  if (outcome.kind === 'rejected') return showRejected(report, outcome);
  const { totals } = outcome;
  return showEnd(
    report,
    countOf(totals.all, 'registration'),
    checkedRegistrationsView.json(outcome),
    alignColumns([
      ['  to be sent', countOf(totals.ready, 'row')],
      ['  to be held', countOf(totals.held, 'row')],
      ['  rejected', countOf(totals.rejected, 'row')],
    ]),
  );
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
