/** `paydrop check FILE.. --payees`: the dry run. Needs no right to send and works beside a run. */
import { predictFile } from '../check/dry-run.ts';
import type { BatchReader } from '../core/ports.ts';
import type { PayoutFileReader } from '../intake/ports.ts';
import { PayeeDesk } from '../payout/payee-checker.ts';
import type { ClaimReader, PayerBreakerReader } from '../payout/ports.ts';
import { systemClock } from '../platform/clock.ts';
import type { LoadedSettings } from '../settings/settings.ts';
import type { openBank } from './bank.ts';
import { describeForecast } from './check-forecast.ts';
import { CheckReport, describeRejected } from './check-report.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';

export interface PayeesOptions {
  readonly loaded: LoadedSettings;
  readonly reader: PayoutFileReader;
  readonly journal: (BatchReader & ClaimReader & PayerBreakerReader) | undefined;
  readonly bank: Awaited<ReturnType<typeof openBank>>['bank'];
  readonly interrupted: AbortSignal;
  readonly waitMs: number;
  readonly json: boolean;
}

/** Predicts what a run of the files would do. */
export async function predictFiles(paths: readonly string[], options: PayeesOptions): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.ok;
  for (const path of paths) {
    const code = await predictOne(path, options);
    exitCode = code > exitCode ? code : exitCode;
    if (options.interrupted.aborted) return exitCodes.stoppedShort;
  }
  return exitCode;
}

async function predictOne(path: string, options: PayeesOptions): Promise<ExitCode> {
  const { loaded, reader, journal, bank, interrupted, waitMs, json } = options;
  const { bank: names, verify, brake, limits } = loaded.settings;
  const report = new CheckReport(path, json);
  const desk = new PayeeDesk({
    bank,
    clock: systemClock,
    concurrency: verify.concurrency,
    waitMs,
    unansweredMax: brake.consecutiveFailures,
    interrupted,
  });
  const prediction = await predictFile(
    {
      reader,
      desk,
      journal,
      companyId: names.companyId,
      payerAccount: names.payerAccount,
      verify,
      brake,
      similarDays: limits.similarDays,
      batchMaxAgeHours: limits.batchMaxAgeHours,
      clock: systemClock,
      onIssues: (issues) => report.tell(issues),
      onNotes: (notes) => report.note(notes),
    },
    path,
  );
  return report.end(
    prediction.kind === 'rejected'
      ? describeRejected(report, prediction)
      : describeForecast(report, { prediction, settings: loaded, desk }),
  );
}
