/** Output of `check --payees` at its end: rows and amounts by what a run would do, and how long it would take. */
import { inEnglishIfAny } from '../../core/message.ts';
import type { DryRunOutcome, RejectedFile } from '../../app/check.ts';
import {
  type ExpectedTime,
  type ForecastOutcome,
  forecastOutcomes,
  quietOutcomes,
} from '../../check/rules/forecast.ts';
import { byName, recordOf, type Said, viewOf } from '../../core/view.ts';
import { type PrintableText, toLines } from '../../core/outgoing-text.ts';
import { holdReasons } from '../../core/payout.ts';
import type { BatchReason } from '../../core/ports.ts';
import { findBankStatus } from '../../core/status-codes.ts';
import type { LoadedSettings } from '../../settings/settings.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { countOf, showAmount, showDuration, showTotal } from './amounts.ts';
import {
  type CheckReport,
  type DescribedTotal,
  readTotalView,
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
  const json = forecastView.json({ dryRun, settings });
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

interface ShownForecast {
  readonly dryRun: DryRunOutcome;
  readonly settings: Settings;
}

const limitsView = viewOf<ShownForecast>()('limits of a forecast', {
  bahtPerPayout: ['baht', 'limit of a payout', ({ settings }) => settings.limits.satangPerPayout],
  overBahtPerPayout: [recordOf(readTotalView), 'rows above it', ({ dryRun }) => dryRun.forecast.holds.limit],
  bahtPerBatch: ['baht', 'limit of a batch', ({ settings }) => settings.limits.satangPerBatch],
  needApproval: [
    recordOf(readTotalView),
    'rows that need approval',
    ({ dryRun }) => dryRun.forecast.holds.approval,
  ],
});

const payeeChecksView = viewOf<DryRunOutcome>()('payee checks', {
  answered: ['number', 'payee checks that were answered'],
  latencyMs: [
    'number',
    'their mean time in milliseconds',
    ({ latencyMs }) => (latencyMs === undefined ? null : Math.round(latencyMs * 10) / 10),
  ],
});

const expectedView = viewOf<ShownForecast & { readonly expected: ExpectedTime }>()('expected time', {
  ms: ['number', 'milliseconds that a run takes', ({ expected }) => Math.round(expected.ms)],
  boundBy: ['text', 'transfers, checks or requestsPerSecond', ({ expected }) => expected.boundBy],
  how: [
    'text',
    'how it is reckoned',
    ({ dryRun, expected, settings }) => explainTime(dryRun, expected, settings),
  ],
});

const stopView = viewOf<BatchReason>()('stop of a run', {
  code: ['text', 'code of the reason'],
  reason: ({ reason }) => reason,
  remedy: ({ remedy }) => remedy,
});

const brakeView = viewOf<BatchReason & { readonly rowNo: number }>()('brake of a run', {
  code: ['text', 'code of the reason'],
  reason: ({ reason }) => reason,
  remedy: ({ remedy }) => remedy,
  rowNo: ({ rowNo }) => rowNo,
});

/** The forecast of a run. @forTests */
export const forecastView = viewOf<ShownForecast>()('forecast', {
  status: ['text', 'predicted', () => 'predicted'],
  batchId: ({ dryRun }) => dryRun.forecast.batchId,
  isKnown: ['flag', 'whether an earlier run has read this file', ({ dryRun }) => dryRun.forecast.isKnown],
  all: [recordOf(readTotalView), 'all rows', ({ dryRun }) => dryRun.forecast.all],
  outcomes: [
    byName(readTotalView),
    'rows by what a run would do',
    ({ dryRun }) => Object.entries(dryRun.forecast.outcomes),
  ],
  holds: [
    byName(readTotalView),
    'rows to be held, by hold',
    ({ dryRun }) => Object.entries(dryRun.forecast.holds),
  ],
  limits: [recordOf(limitsView), 'limits and what they hold', (shown) => shown],
  payeeChecks: [recordOf(payeeChecksView), 'what the bank was asked', ({ dryRun }) => dryRun],
  expectedTime: [
    recordOf(expectedView),
    'how long a run takes',
    (shown) => {
      const { expected } = shown.dryRun;
      return expected && { ...shown, expected };
    },
  ],
  lineStop: [recordOf(stopView), 'the halt of the payer account', ({ dryRun }) => dryRun.forecast.halt],
  brake: [recordOf(brakeView), 'where the brake would stop a run', ({ dryRun }) => dryRun.forecast.brakeStop],
  stop: [recordOf(stopView), 'why not every payee was asked about', ({ dryRun }) => dryRun.forecast.stop],
});

type Described = Said<typeof forecastView>;

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
  const shown = listTotals(outcomes, forecastOutcomes).filter(
    ([name, { rows }]) => name === 'toPay' || rows > 0,
  );
  return toLines([
    `${report.path}: ${showWhole(all)}, ${countOf(report.issues, 'issue')}`,
    ...(isKnown ? ['  An earlier run has read this file: another one goes on where it is.'] : []),
    ...shown.flatMap(([name, total]) => [
      `  ${labels[name]}: ${showWhole(total)}`,
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

/** The totals of these names, in their order. */
const listTotals = <Name extends string>(
  totals: Readonly<Record<string, DescribedTotal>>,
  names: readonly Name[],
): readonly (readonly [Name, DescribedTotal])[] =>
  names.flatMap((name) => {
    const total = totals[name];
    return total === undefined ? [] : [[name, total] as const];
  });

function renderHolds({ holds, limits: { bahtPerPayout } }: Described): string[] {
  const over = bahtPerPayout === null ? '' : ` (above ${showAmount(bahtPerPayout)} baht)`;
  return listTotals(holds, holdReasons)
    .filter(([, { rows }]) => rows > 0)
    .map(([hold, total]) => `    ${hold}${hold === 'limit' ? over : ''}: ${showWhole(total)}`);
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
