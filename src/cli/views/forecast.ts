/** Output of `check --payees` at its end: rows and amounts by what a run would do, and how long it would take. */
import { inEnglishIfAny, stopInEnglish } from '../../core/message.ts';
import type { DryRunOutcome, RejectedFile } from '../../app/check.ts';
import {
  type ExpectedTime,
  type ForecastOutcome,
  forecastOutcomes,
  quietOutcomes,
} from '../../check/rules/forecast.ts';
import { formatBaht, type Satang } from '../../core/money.ts';
import { type PrintableText, showText, toLines } from '../../core/outgoing-text.ts';
import { holdReasons } from '../../core/payout.ts';
import type { BatchReason, RowTotal } from '../../core/ports.ts';
import { findBankStatus } from '../../core/status-codes.ts';
import type { LoadedSettings } from '../../settings/settings.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { countOf, showAmount, showDuration, showTotal } from './amounts.ts';
import {
  type CheckReport,
  type DescribedTotal,
  describeTotal,
  showRejected,
  showUnreadable,
} from './check.ts';
import type { ShownEnd } from './shown.ts';

const labels: Readonly<Record<ForecastOutcome, string>> = {
  toPay: 'would be paid',
  held: 'would be held',
  unpayable: 'unpayable',
  rejected: 'rejected',
  notAsked: 'not asked about',
  inDoubt: 'in doubt since an earlier run',
  paidEarlier: 'paid by an earlier run',
  endedEarlier: 'ended in an earlier run, not tried again',
};

type Settings = Pick<LoadedSettings, 'settings' | 'limits'>;

/** The end of a dry run. */
export function showForecast(
  report: CheckReport,
  dryRun: DryRunOutcome | RejectedFile,
  settings: Settings,
): ShownEnd {
  if (dryRun.kind === 'rejected') return showRejected(report, dryRun);
  const json = describeForecast(dryRun, settings);
  return {
    exitCode: exitCodeOf(dryRun, report.issues),
    text: renderForecast(report, json, dryRun.expected),
    json,
  };
}

function exitCodeOf({ forecast: { outcomes, stop, halt } }: DryRunOutcome, issues: number): ExitCode {
  if (stop !== undefined) return exitCodes.stoppedShort;
  const isSomethingOpen = forecastOutcomes.some(
    (name) => outcomes[name].rows > 0 && !quietOutcomes.includes(name),
  );
  return isSomethingOpen || issues > 0 || halt !== undefined ? exitCodes.exceptions : exitCodes.ok;
}

function describeForecast(dryRun: DryRunOutcome, settings: Settings) {
  const { forecast, expected, answered, latencyMs } = dryRun;
  const { batchId, isKnown, all, outcomes, holds, stop, halt, brakeStop } = forecast;
  const { satangPerPayout, satangPerBatch } = settings.limits;
  return {
    status: 'predicted',
    batchId,
    isKnown,
    all: describeTotal(all),
    outcomes: describeEach(outcomes),
    holds: describeEach(holds),
    limits: {
      bahtPerPayout: formatLimit(satangPerPayout),
      overBahtPerPayout: describeTotal(holds.limit),
      bahtPerBatch: formatLimit(satangPerBatch),
      needApproval: describeTotal(holds.approval),
    },
    payeeChecks: { answered, latencyMs: latencyMs === undefined ? null : Math.round(latencyMs * 10) / 10 },
    expectedTime:
      expected === undefined
        ? null
        : {
            ms: Math.round(expected.ms),
            boundBy: expected.boundBy,
            how: explainTime(dryRun, expected, settings),
          },
    lineStop: maskReason(halt),
    brake: maskReason(brakeStop),
    stop: maskReason(stop),
  };
}

/** A stop with its texts in English. */
type Said<Stop> = Omit<Stop, 'reason' | 'remedy'> & { readonly reason: string; readonly remedy: string };

/** Masks the bank's words, which may hold a person's number. */
function maskReason<Told extends BatchReason>(told: Told | undefined): Said<Told> | null {
  if (told === undefined) return null;
  const { reason, remedy } = stopInEnglish(told);
  return { ...told, reason: showText(reason), remedy: showText(remedy) };
}

type Described = ReturnType<typeof describeForecast>;

const formatLimit = (limit: Satang | null): string | null => (limit === null ? null : formatBaht(limit));

const describeEach = <Name extends string>(
  totals: Readonly<Record<Name, RowTotal>>,
): Record<Name, DescribedTotal> =>
  Object.fromEntries(
    Object.entries<RowTotal>(totals).map(([name, total]) => [name, describeTotal(total)]),
  ) as Record<Name, DescribedTotal>;

function explainTime(
  { forecast, inquiriesBefore, answered, latencyMs }: DryRunOutcome,
  { boundBy }: ExpectedTime,
  { settings: { bank, transfer, verify } }: Settings,
): string {
  const { rows } = forecast.outcomes.toPay;
  const transfers = `${countOf(rows, 'transfer')}${explainInquiries(inquiriesBefore)}`;
  const questions = countOf(verify.enabled ? forecast.checks : 0, 'payee check');
  const latency = `${latencyMs?.toFixed(1)} ms each, the mean of ${countOf(answered, 'answered payee check')}`;
  switch (boundBy) {
    case 'transfers':
      return `${transfers}, ${transfer.concurrency} at a time (transfer.concurrency), ${latency}`;
    case 'checks':
      return `${questions}, ${verify.concurrency} at a time (verify.concurrency), ${latency}`;
    case 'requestsPerSecond':
      return `${questions} and ${transfers}, ${bank.requestsPerSecond} a second (bank.requestsPerSecond)`;
  }
}

/** Why inquiries precede each transfer, as the setting or term to look up. */
const inquiryReasons = {
  askFirst: 'transfer.askFirst',
  loss: 'the journal was lost or restored',
  signed: 'approval.signed',
} as const;

function explainInquiries({ each, reasons }: DryRunOutcome['inquiriesBefore']): string {
  if (each === 0) return '';
  const why = reasons.map((reason) => inquiryReasons[reason]).join(', ');
  return ` with ${countOf(each, 'inquiry', 'inquiries')} before each (${why})`;
}

function renderForecast(
  report: CheckReport,
  json: Described,
  expected: ExpectedTime | undefined,
): PrintableText {
  const { all, outcomes, isKnown, payeeChecks } = json;
  const shown = forecastOutcomes.filter((name) => name === 'toPay' || outcomes[name].rows > 0);
  return toLines([
    `${report.path}: ${showWhole(all)}, ${countOf(report.issues, 'issue')}`,
    ...(isKnown ? ['  An earlier run has read this file: another one goes on where it is.'] : []),
    ...shown.flatMap((name) => [
      `  ${labels[name]}: ${showWhole(outcomes[name])}`,
      ...(name === 'held' ? renderHolds(json) : []),
    ]),
    ...renderStops(json),
    json.expectedTime === null || expected === undefined
      ? 'No time can be told: nothing would be sent, or no payee check was answered.'
      : `A run takes about ${showDuration(Math.ceil(expected.ms / 1_000) * 1_000)}: ${json.expectedTime.how}.`,
    `${countOf(payeeChecks.answered, 'payee check was', 'payee checks were')} answered. Nothing else was sent.`,
  ]);
}

const showWhole = (total: DescribedTotal): string => `${showTotal(total)}${showUnreadable(total)}`;

function renderHolds({ holds, limits: { bahtPerPayout } }: Described): string[] {
  const over = bahtPerPayout === null ? '' : ` (above ${showAmount(bahtPerPayout)} baht)`;
  return holdReasons
    .filter((hold) => holds[hold].rows > 0)
    .map((hold) => `    ${hold}${hold === 'limit' ? over : ''}: ${showWhole(holds[hold])}`);
}

function renderStops({ stop, lineStop, brake }: Described): string[] {
  const line = lineStop && `A run would send nothing: the payer account is halted. ${showReason(lineStop)}`;
  const braked = brake && `The brake would stop a run at row ${brake.rowNo}: ${brake.reason} [${brake.code}]`;
  const asking = stop && `Not every payee was asked about. ${showReason(stop)}`;
  return [line, braked, asking].filter((text) => text !== null);
}

/** The reason with the bank status's remedy: its own speaks of resuming a batch, and nothing has run here. */
function showReason({ code, reason, remedy }: Record<'code' | 'reason' | 'remedy', string>): string {
  return `${reason} [${code}]. ${inEnglishIfAny(findBankStatus(code)?.remedy) || remedy}`;
}
