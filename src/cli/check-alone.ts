/** `paydrop check FILE..` without questions to the bank. */
import { checkFile } from '../check/check.ts';
import { describeHolds } from '../check/rules/forecast.ts';
import type { PayoutFileReader } from '../intake/ports.ts';
import type { ClaimReader } from '../payout/ports.ts';
import { CheckReport, describeChecked } from './check-report.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';

export interface AloneOptions {
  readonly reader: PayoutFileReader;
  readonly journal: ClaimReader | undefined;
  readonly companyId: string;
  readonly json: boolean;
}

/** Checks the files and prints what is found; of several the highest exit code applies. */
export async function checkFilesAlone(paths: readonly string[], options: AloneOptions): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.ok;
  for (const path of paths) {
    const code = await checkOne(path, options);
    exitCode = code > exitCode ? code : exitCode;
  }
  return exitCode;
}

async function checkOne(path: string, { reader, journal, companyId, json }: AloneOptions): Promise<ExitCode> {
  const report = new CheckReport(path, json);
  const outcome = await checkFile(reader, path, {
    onIssues: (issues) => report.tell(issues),
    onRows: (rows) => {
      for (const { rowNo, line, holds, instruction } of rows) {
        if (instruction === null || holds.length === 0) continue;
        // A row that will wait for a person is no good surprise either.
        const issues = describeHolds({ line, holds, instruction });
        report.tell(issues.map((issue) => ({ rowNo, issue })));
      }
    },
    ...(journal === undefined
      ? {}
      : { claimHolders: (ids: readonly string[]) => journal.claimHolders(companyId, ids) }),
  });
  return report.end(describeChecked(report, outcome));
}
