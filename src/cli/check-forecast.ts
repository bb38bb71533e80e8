/** What `check --payees` says at the end: rows and amounts by what a run would do, and how long it would take. */
import type { FilePrediction } from '../check/dry-run.ts';
import {
  computeExpectedTime,
  type ExpectedTime,
  type PredictedOutcome,
  predictedOutcomes,
  quietOutcomes,
} from '../check/rules/forecast.ts';
import type { RowTotal } from '../check/rules/row-tally.ts';
import { formatBaht } from '../core/money.ts';
import { holdReasons } from '../core/payout.ts';
import type { BatchReason } from '../core/ports.ts';
import { findBankStatus } from '../core/status-codes.ts';
import type { PayeeDesk } from '../payout/payee-checker.ts';
import type { LoadedSettings } from '../settings/settings.ts';
import { type CheckEnd, type CheckReport, describeTotal } from './check-report.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';

const labels: Readonly<Record<PredictedOutcome, string>> = {
  toPay: 'would be paid',
  held: 'would be held',
  unpayable: 'unpayable',
  rejected: 'rejected',
  notAsked: 'not asked about',
  inDoubt: 'in doubt since an earlier run',
  paidEarlier: 'paid by an earlier run',
  endedEarlier: 'ended in an earlier run, not tried again',
};

/** What the forecast is made of. */
export interface Forecast {
  readonly prediction: FilePrediction;
  readonly settings: Pick<LoadedSettings, 'settings' | 'limits'>;
  readonly desk: Pick<PayeeDesk, 'answers' | 'latencyMs'>;
}

/** The end of a dry run. */
export function describeForecast(report: CheckReport, forecast: Forecast): CheckEnd {
  const { prediction, desk } = forecast;
  const expected = expectTime(forecast);
  const { batchId, isKnown, all, outcomes, holds, stop, lineStop, brakeStop } = prediction;
  const json = {
    status: 'predicted',
    batchId,
    isKnown,
    all: describeTotal(all),
    outcomes: Object.fromEntries(predictedOutcomes.map((name) => [name, describeTotal(outcomes[name])])),
    holds: Object.fromEntries(holdReasons.map((hold) => [hold, describeTotal(holds[hold])])),
    limits: describeLimits(forecast),
    payeeChecks: { answered: desk.answers, latencyMs: round(desk.latencyMs) },
    expectedTime:
      expected === undefined
        ? null
        : { ms: Math.round(expected.ms), boundBy: expected.boundBy, how: explainTime(forecast, expected) },
    lineStop: lineStop ?? null,
    brake: brakeStop ?? null,
    stop: stop ?? null,
  };
  return { exitCode: exitCodeOf(prediction, report.issues), text: renderText(report, forecast), json };
}

function exitCodeOf({ outcomes, stop, lineStop }: FilePrediction, issues: number): ExitCode {
  if (stop !== undefined) return exitCodes.stoppedShort;
  const isSomethingOpen = predictedOutcomes.some(
    (name) => outcomes[name].rows > 0 && !quietOutcomes.includes(name),
  );
  return isSomethingOpen || issues > 0 || lineStop !== undefined ? exitCodes.exceptions : exitCodes.ok;
}

const round = (ms: number | undefined): number | null => (ms === undefined ? null : Math.round(ms * 10) / 10);

function describeLimits({ prediction, settings: { limits } }: Forecast): object {
  const { satangPerPayout, satangPerBatch } = limits;
  return {
    bahtPerPayout: satangPerPayout === null ? null : formatBaht(satangPerPayout),
    overBahtPerPayout: describeTotal(prediction.holds.limit),
    bahtPerBatch: satangPerBatch === null ? null : formatBaht(satangPerBatch),
    needApproval: describeTotal(prediction.holds.approval),
  };
}

function expectTime({ prediction, settings: { settings }, desk }: Forecast): ExpectedTime | undefined {
  const transfers = prediction.outcomes.toPay.rows;
  if (desk.latencyMs === undefined || transfers === 0) return undefined;
  return computeExpectedTime({
    transfers,
    checks: settings.verify.enabled ? prediction.checks : 0,
    transferConcurrency: settings.transfer.concurrency,
    checkConcurrency: settings.verify.concurrency,
    requestsPerSecond: settings.bank.requestsPerSecond,
    latencyMs: desk.latencyMs,
  });
}

function explainTime(
  { prediction, settings: { settings }, desk }: Forecast,
  { boundBy }: ExpectedTime,
): string {
  const { toPay } = prediction.outcomes;
  const latency = `${desk.latencyMs?.toFixed(1)} ms each, the mean of ${desk.answers} answered payee checks`;
  switch (boundBy) {
    case 'transfers':
      return `${toPay.rows} transfers, ${settings.transfer.concurrency} at a time (transfer.concurrency), ${latency}`;
    case 'checks':
      return `${prediction.checks} payee checks, ${settings.verify.concurrency} at a time (verify.concurrency), ${latency}`;
    case 'requestsPerSecond': {
      const checks = settings.verify.enabled ? prediction.checks : 0;
      return `${checks} payee checks and ${toPay.rows} transfers, ${settings.bank.requestsPerSecond} a second (bank.requestsPerSecond)`;
    }
  }
}

/** "4 min 10 s"; what is shorter than a second is a second. */
function showDuration(ms: number): string {
  const seconds = Math.max(1, Math.ceil(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function renderText(report: CheckReport, forecast: Forecast): string {
  const { prediction, desk } = forecast;
  const { all, outcomes, isKnown } = prediction;
  const shown = predictedOutcomes.filter((name) => name === 'toPay' || outcomes[name].rows > 0);
  return [
    `${report.path}: ${showTotal(all)}, ${report.issues} issues`,
    ...(isKnown ? ['  An earlier run has read this file: another one goes on where it is.'] : []),
    ...shown.flatMap((name) => [
      `  ${labels[name]}: ${showTotal(outcomes[name])}`,
      ...(name === 'held' ? renderHolds(forecast) : []),
    ]),
    ...renderStops(prediction),
    renderTime(forecast),
    `${desk.answers} payee checks were answered. Nothing else was sent.`,
  ].join('\n');
}

const showTotal = ({ rows, amountSatang, unreadableAmounts }: RowTotal): string =>
  `${rows} rows, ${formatBaht(amountSatang)} baht${unreadableAmounts > 0 ? `, ${unreadableAmounts} amounts unreadable` : ''}`;

function renderHolds({ prediction: { holds }, settings: { limits } }: Forecast): string[] {
  const over = limits.satangPerPayout === null ? '' : ` (above ${formatBaht(limits.satangPerPayout)} baht)`;
  return holdReasons
    .filter((hold) => holds[hold].rows > 0)
    .map((hold) => `    ${hold}${hold === 'limit' ? over : ''}: ${showTotal(holds[hold])}`);
}

function renderStops({ stop, lineStop, brakeStop }: FilePrediction): string[] {
  const lines: string[] = [];
  if (lineStop !== undefined)
    lines.push(`A run would send nothing: the line is stopped. ${showReason(lineStop)}`);
  if (brakeStop !== undefined)
    lines.push(
      `The brake would stop a run at row ${brakeStop.rowNo}: ${brakeStop.reason} [${brakeStop.code}]`,
    );
  if (stop !== undefined) lines.push(`Not every payee was asked about. ${showReason(stop)}`);
  return lines;
}

/** A remedy that speaks of resuming a batch is for one that runs; nothing has run here. */
function showReason({ code, reason, remedy }: BatchReason): string {
  return `${reason} [${code}]. ${findBankStatus(code)?.remedy ?? remedy}`;
}

function renderTime(forecast: Forecast): string {
  const expected = expectTime(forecast);
  if (expected === undefined)
    return 'No time can be told: nothing would be sent, or no payee check was answered.';
  return `A run takes about ${showDuration(expected.ms)}: ${explainTime(forecast, expected)}.`;
}
