/** `paydrop check FILE..`: every issue of every row, and what the rows would become. Sends nothing. */
import type { CommandModule } from 'yargs';
import { formatBaht } from '../core/money.ts';
import type { Journal, PayoutFileReader, StagedRow } from '../core/ports.ts';
import type { CheckOutcome, CheckTotal, RowIssue } from '../worker/check.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import { loadCommandSettings } from './load-settings.ts';
import type { GlobalOptions } from './options.ts';
import type { PayeeDesk } from './payee-desk.ts';

interface CheckOptions extends GlobalOptions {
  readonly file: string[];
  readonly payees: boolean;
}

export const checkCommand: CommandModule<GlobalOptions, CheckOptions> = {
  command: 'check <file..>',
  describe: 'validate files and print every issue; sends nothing',
  builder: (command) =>
    command
      .positional('file', { type: 'string', array: true, demandOption: true, describe: 'payout files (CSV)' })
      .option('payees', {
        type: 'boolean',
        default: false,
        describe: 'also ask the bank about each payee (moves no money)',
      })
      .example('$0 check payouts.csv', 'issues with line and column, then totals')
      .example('$0 check payouts.csv --payees', 'also who of the payees cannot be paid'),
  handler: async (options) => {
    process.exitCode = await checkFiles(options);
  },
};

async function checkFiles(options: CheckOptions): Promise<ExitCode> {
  const loaded = await loadCommandSettings(options);
  const { makeReader, openJournalBeside } = await import('./adapters.ts');
  const reader = await makeReader(loaded);
  await using journal = await openJournalBeside(loaded);
  await using stack = new AsyncDisposableStack();
  const desk = options.payees ? await openDesk(loaded, options, stack) : undefined;
  let exitCode: ExitCode = exitCodes.ok;
  for (const path of options.file) {
    const report = new CheckReport(path, options.json);
    const outcome = await checkOne(reader, path, journal, loaded.settings.bank.companyId, report, desk);
    const code = report.end(outcome);
    exitCode = code > exitCode ? code : exitCode;
  }
  return exitCode;
}

async function openDesk(
  loaded: Awaited<ReturnType<typeof loadCommandSettings>>,
  options: CheckOptions,
  stack: AsyncDisposableStack,
): Promise<PayeeDesk> {
  const { makeLogger } = await import('../log.ts');
  const { openBank } = await import('./bank.ts');
  const { makePayeeDesk } = await import('./payee-desk.ts');
  const { bank } = await openBank(loaded, makeLogger(options.logLevel), stack);
  return makePayeeDesk(bank, loaded.settings);
}

async function checkOne(
  reader: PayoutFileReader,
  path: string,
  journal: Journal | undefined,
  companyId: string,
  report: CheckReport,
  desk: PayeeDesk | undefined,
): Promise<CheckOutcome> {
  const { checkFile } = await import('../worker/check.ts');
  return checkFile(reader, path, {
    onIssues: (issues) => report.tell(issues),
    onRows: async (rows) => {
      report.tell(rows.flatMap(describeHolds));
      if (desk !== undefined) report.tell(await desk.ask(rows));
    },
    ...(journal === undefined
      ? {}
      : { claimHolders: (ids: readonly string[]) => journal.claimHolders(companyId, ids) }),
  });
}

/** A row that will wait for a person is no good surprise either. */
function describeHolds({ rowNo, line, instruction, holds }: StagedRow): RowIssue[] {
  if (instruction === null) return [];
  return holds.map((hold) => {
    const message = `held until a person lets it go on ("paydrop resume ${instruction.payoutId}")`;
    return {
      rowNo,
      issue: { line, column: hold === 'limit' ? 'amount' : null, code: hold, value: null, message },
    };
  });
}

/** Prints issues as they are found, so that memory stays flat, and the totals at the end. */
class CheckReport {
  readonly #path: string;
  readonly #json: boolean;
  #issues = 0;

  constructor(path: string, json: boolean) {
    this.#path = path;
    this.#json = json;
  }

  tell(found: readonly RowIssue[]): void {
    if (found.length === 0) return;
    this.#issues += found.length;
    const lines = found.map((one) => (this.#json ? this.#asJson(one) : this.#asText(one)));
    process.stdout.write(`${lines.join('\n')}\n`);
  }

  #asJson({ rowNo, issue }: RowIssue): string {
    return JSON.stringify({ kind: 'issue', file: this.#path, rowNo, ...issue });
  }

  #asText({ issue }: RowIssue): string {
    const { line, column, value, message, code } = issue;
    const where = column === null ? '' : ` ${column}${value === null || value === '' ? '' : ` "${value}"`}:`;
    return `${this.#path}:${line}:${where} ${message} [${code}]`;
  }

  end(outcome: CheckOutcome): ExitCode {
    const exitCode = this.#exitCode(outcome);
    process.stdout.write(`${this.#json ? this.#endAsJson(outcome, exitCode) : this.#endAsText(outcome)}\n`);
    return exitCode;
  }

  #exitCode(outcome: CheckOutcome): ExitCode {
    if (outcome.kind === 'rejected') return exitCodes.fileRejected;
    return this.#issues > 0 ? exitCodes.exceptions : exitCodes.ok;
  }

  #endAsJson(outcome: CheckOutcome, exitCode: ExitCode): string {
    const head = { kind: 'check', file: this.#path, exitCode, issues: this.#issues };
    if (outcome.kind === 'rejected')
      return JSON.stringify({ ...head, status: 'rejected', ...outcome.rejection });
    const totals = Object.entries(outcome.totals).map(([name, total]: [string, CheckTotal]) => [
      name,
      describeTotal(total),
    ]);
    return JSON.stringify({
      ...head,
      status: 'checked',
      batchId: outcome.batchId,
      ...Object.fromEntries(totals),
    });
  }

  #endAsText(outcome: CheckOutcome): string {
    if (outcome.kind === 'rejected') {
      const { line, message, code } = outcome.rejection;
      const where = line === null ? this.#path : `${this.#path}:${line}`;
      return `${where}: ${message} [${code}]\nThe whole file is rejected: nothing of it would be sent.`;
    }
    const { all, ready, held, rejected } = outcome.totals;
    return [
      `${this.#path}: ${all.rows} rows, ${formatBaht(all.amountSatang)} baht, ${this.#issues} issues`,
      `  to be paid  ${ready.rows} rows, ${formatBaht(ready.amountSatang)} baht`,
      `  to be held  ${held.rows} rows, ${formatBaht(held.amountSatang)} baht`,
      `  rejected    ${rejected.rows} rows, ${formatBaht(rejected.amountSatang)} baht, ${rejected.unreadableAmounts} amounts unreadable`,
      'Nothing was sent.',
    ].join('\n');
  }
}

const describeTotal = ({ rows, amountSatang, unreadableAmounts }: CheckTotal): object => ({
  rows,
  amount: formatBaht(amountSatang),
  unreadableAmounts,
});
