/** Output of `run` about each file: figures that add up, its files, and the next commands. */
import { inEnglish } from '../../core/message.ts';
import type { FileOutcome } from '../../app/run-file.ts';
import type { PresentReports } from '../../app/result.ts';
import type { Session } from '../../app/session.ts';
import { formatBangkokMoment } from '../../core/bangkok-time.ts';
import { showMessage, toLines } from '../../core/outgoing-text.ts';
import { countRows } from '../../core/exit-code.ts';
import { wrapText } from '../../core/wrap-text.ts';
import type { FileRejection } from '../../core/payout-file.ts';
import type { Batch, JournalLoss, OtherReferences, RowTotal } from '../../core/ports.ts';
import { byName, listOf, recordOf, viewOf } from '../../core/view.ts';
import type { LowestLimit } from '../../payout/rules/adaptive-limit.ts';
import { isInQuestion } from '../../payout/rules/lost-journal.ts';
import { journalChanged } from '../../payout/rules/seal.ts';
import { type BatchSummary, stripSecrets, type SummaryContext } from '../../reports/rules/summary.ts';
import { commandsOfHolds, listNextOfBatch, type NextCommand } from '../../reports/rules/next-commands.ts';
import { describeHoldRemedy } from '../../reports/rules/remedies.ts';
import { approvalCode } from '../../review/rules/approval.ts';
import { describeGrowth, remedyOfGrowth, type TakenFile } from '../../watch/rules/file-growth.ts';
import { exitCodes, weightierOf } from '../exit-codes.ts';
import {
  countOf,
  namedTotals,
  showBaht,
  showCount,
  showDuration,
  showForReview,
  showReady,
  showState,
} from './amounts.ts';
import { holdsOfRest } from './status.ts';
import { alignColumns, sandboxBanner, showReportPath, type Shown, type ShownEnd } from './shown.ts';

/** A duration, with tenths of a second for a short run. */
const showElapsed = (ms: number): string => (ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : showDuration(ms));

/** Time and duration of the work on a batch. */
export function showWhen(batch: Pick<Batch, 'startedAtMs' | 'restedAtMs'>): string {
  if (batch.restedAtMs === null) return `began ${formatBangkokMoment(batch.startedAtMs)}`;
  return `${formatBangkokMoment(batch.restedAtMs)}, after ${showElapsed(batch.restedAtMs - batch.startedAtMs)}`;
}

/** The bank's address; a built-in sandbox has none before it runs. */
export function showBank(isSandbox: boolean, bankAddress: string): string {
  if (bankAddress === 'sandbox') return 'SANDBOX, built in';
  return `${isSandbox ? 'SANDBOX ' : ''}${stripSecrets(bankAddress)}`;
}

function renderHead(
  { batch, totals }: BatchSummary,
  { isSandbox, bankAddress, pace }: SummaryContext,
  isRepeat: boolean,
  isSending = false,
): string[] {
  const ready = showReady(batch.status, totals);
  const why =
    batch.reason === null ? (ready === undefined ? '' : `, ${ready}`) : `: ${showMessage(batch.reason)}`;
  const reduced = pace && `reduced to ${pace.limit} of ${pace.ceiling} transfers at once (${pace.why})`;
  return alignColumns([
    ['File', batch.fileName],
    ['Batch', batch.batchId],
    ['Processed', showWhen(batch)],
    ...(isRepeat ? [['', 'by an earlier run; no payee is paid again']] : []),
    ['Bank', showBank(isSandbox, bankAddress)],
    ['State', `${showState(batch.status, totals, isSending)}${why}`],
    ...(reduced === undefined ? [] : [['Concurrency', reduced]]),
  ]);
}

function renderTotals(summary: BatchSummary): string[] {
  const { totals, addsUp, batch, unreadableAmounts, correctionSatang } = summary;
  const [head = '', ...lines] = alignColumns(
    [
      ['Status', 'Rows', 'Baht'],
      ...totals.map(({ status, rows, amountSatang }) => [status, showCount(rows), showBaht(amountSatang)]),
      ['total', showCount(summary.rows), showBaht(summary.amountSatang)],
    ],
    [1, 2],
  );
  const rule = '-'.repeat(head.length);
  const found = `the file has ${countOf(batch.rows, 'row')}, ${showBaht(batch.totalSatang)} baht`;
  const unreadable = `Rows whose amount cannot be read, and is in no total: ${showCount(unreadableAmounts)}`;
  return [
    head,
    rule,
    ...lines.slice(0, -1),
    rule,
    `${lines.at(-1)}${addsUp ? `  adds up to the file${correctionSatang === 0n ? '' : ` and its corrections (${showBaht(correctionSatang)})`}` : ''}`,
    ...(addsUp ? [] : [`DOES NOT ADD UP: ${found}`]),
    ...(unreadableAmounts === 0 ? [] : [unreadable]),
  ];
}

/** Reported, not held: rows with references of their own are other payments. */
function renderOtherReferences({ rows, firstRowNos }: OtherReferences): string[] {
  if (rows === 0) return [];
  const more = rows - firstRowNos.length;
  const named = `${firstRowNos.join(', ')}${more === 0 ? '' : ` and ${showCount(more)} more`}`;
  return [
    '',
    `${rows === 1 ? 'Row' : 'Rows'} ${named} ${rows === 1 ? 'pays' : 'pay'} a payee`,
    'the amount that another row paid, with another reference1: told, not held.',
    `Make sure that ${rows === 1 ? 'it is a payment of its own' : 'they are payments of their own'}.`,
  ];
}

type Rested = Extract<FileOutcome, { kind: 'rested' }>;

export interface ShownFile {
  readonly kind: string;
  readonly path: string;
  readonly number?: number;
  readonly isGone?: boolean;
  readonly rows?: number;
  readonly sha256?: string;
}

const fileView = viewOf<ShownFile>()('report', {
  kind: ['text', 'kind of report', ({ kind }) => kind],
  number: ['number', 'number of an update, the first is 1', ({ number }) => number],
  path: ({ path }) => path,
  isGone: ['flag', 'whether it was taken away since', ({ isGone }) => isGone],
  rows: ({ rows }) => rows,
  sha256: ({ sha256 }) => sha256,
});

const statusTotalView = viewOf<Partial<RowTotal>>()('total of a status', {
  rows: ({ rows }) => rows,
  amount: ({ amountSatang }) => amountSatang,
  unreadableAmounts: ({ unreadableAmounts }) => unreadableAmounts,
});

const otherReferencesView = viewOf<OtherReferences>()('other references', {
  rows: ({ rows }) => rows,
  firstRowNos: ['numbers', 'numbers of the first of them', ({ firstRowNos }) => firstRowNos],
});

const paceView = viewOf<LowestLimit>()('lowest pace', {
  transfersAtOnce: ['number', 'the fewest transfers at once', ({ limit }) => limit],
  settings: ['number', 'transfers at once by the settings', ({ ceiling }) => ceiling],
  why: ['text', 'why they were fewer', ({ why }) => why],
});

const lossView = viewOf<JournalLoss>()('loss of the journal', {
  recoveredAt: ['moment', 'when the journal went on', ({ recoveredAtMs }) => recoveredAtMs],
  since: ['day', 'first day that may lack records', ({ sinceDate }) => sinceDate],
  until: ['day', 'last day that may lack records', ({ untilDate }) => untilDate],
});

const addedView = viewOf<NonNullable<TakenFile['growth']>>()('rows added to a file', {
  rows: ({ rows }) => rows,
  amount: ({ amount }) => amount,
  payoutIds: ['texts', 'the first of their payoutIds', ({ payoutIds }) => payoutIds],
});

/** A batch of either kind in figures. */
interface SummaryFacts {
  readonly kind: 'payouts' | 'registrations';
  readonly summary: Pick<BatchSummary, 'exitCode' | 'addsUp' | 'exceptionRows' | 'alarmRows'> & {
    readonly batch: Omit<Batch, 'totalSatang' | 'unreadableAmounts' | 'payerAccount' | 'ageFromMs'>;
    readonly totals: readonly (Partial<RowTotal> & { readonly status: string })[];
    readonly holds: readonly { readonly hold: string; readonly rows: number }[];
  };
  /** Undefined for registrations, which move no money. */
  readonly money: BatchSummary | undefined;
  readonly awaitedRows?: number;
  readonly context: Omit<SummaryContext, 'otherReferences'>;
  readonly otherReferences?: OtherReferences;
  readonly state: string;
  readonly files: readonly ShownFile[];
  readonly isRepeat?: boolean;
  readonly loss?: JournalLoss | undefined;
  readonly growth?: TakenFile['growth'] | undefined;
  readonly advice: readonly string[];
}

/** A batch at rest or as it is now, by `run`, `register` and `result`. */
export const summaryView = viewOf<SummaryFacts>()('summary', {
  kind: ['text', 'payouts or registrations', ({ kind }) => kind],
  batchId: ({ summary }) => summary.batch.batchId,
  file: ({ summary }) => summary.batch.fileName,
  sha256: ({ summary }) => summary.batch.sha256,
  isSandbox: ({ context }) => context.isSandbox,
  bank: ['text', "the bank's address", ({ context }) => stripSecrets(context.bankAddress)],
  companyId: ({ summary }) => summary.batch.companyId,
  status: ({ summary }) => summary.batch.status,
  state: ['text', 'status in a word, as the screen has it', ({ state }) => state],
  reasonCode: ({ summary }) => summary.batch.reasonCode,
  reason: ({ summary }) => summary.batch.reason,
  remedy: ({ summary }) => summary.batch.remedy,
  exitCode: ({ summary }) => summary.exitCode,
  rows: ({ summary }) => summary.batch.rows,
  amount: ({ money }) => money?.batch.totalSatang,
  unreadableAmounts: ({ money }) => money?.batch.unreadableAmounts,
  byStatus: [
    byName(statusTotalView),
    'rows and amount by status',
    ({ summary }) => namedTotals(summary.totals),
  ],
  corrected: [
    'baht',
    'amount by which corrected rows exceed the file',
    ({ money }) => (money === undefined || money.correctionSatang === 0n ? null : money.correctionSatang),
  ],
  holds: [
    'counts',
    'rows by hold',
    ({ summary }) => Object.fromEntries(summary.holds.map(({ hold, rows }) => [hold, rows])),
  ],
  addsUp: [
    'flag',
    'whether the rows by status add up to the file and its corrections',
    ({ summary }) => summary.addsUp,
  ],
  exceptions: ({ summary }) => summary.exceptionRows,
  alarms: ({ summary }) => summary.alarmRows,
  inDoubt: ['number', 'payouts that may be with the bank', ({ money }) => money?.inDoubtRows],
  awaited: ['number', "registrations that wait for the bank's callback", ({ awaitedRows }) => awaitedRows],
  otherReferences: [
    recordOf(otherReferencesView),
    'rows that pay a payee as much as another row, with another reference1',
    (facts) => facts.otherReferences,
  ],
  startedAt: ({ summary }) => summary.batch.startedAtMs,
  sealedAt: ({ summary }) => summary.batch.sealedAtMs,
  restedAt: ({ summary }) => summary.batch.restedAtMs,
  reportedAt: ['moment', 'as of when', ({ context }) => context.nowMs],
  durationMs: [
    'number',
    'milliseconds from its start until it came to rest, or until now',
    ({ summary: { batch }, context }) => (batch.restedAtMs ?? context.nowMs) - batch.startedAtMs,
  ],
  lowestPace: [
    recordOf(paceView),
    'the lowest pace, where it was below the settings',
    ({ context }) => context.pace,
  ],
  isRepeat: ({ isRepeat }) => isRepeat,
  journalLoss: [
    recordOf(lossView),
    'the loss of the journal that is in question',
    ({ loss }) => (isInQuestion(loss) ? loss : null),
  ],
  files: [listOf(fileView), 'its reports', ({ files }) => files],
  fileGrown: [recordOf(addedView), 'what was added to the file after it was read', ({ growth }) => growth],
  advice: ['texts', 'what to do next, line by line', ({ advice }) => advice],
});

export function renderFiles(files: readonly ShownFile[]): string[] {
  if (files.length === 0) return [];
  const rows = files.map(({ kind, path, isGone = false }) => [`  ${kind}`, showReportPath(path, isGone)]);
  return ['', 'Files', ...alignColumns(rows)];
}

/** Advice below "Next:". */
export const renderNext = (advice: readonly string[]): string[] =>
  advice.map((line, index) => (index === 0 ? `Next: ${line}` : `      ${line}`));

const adviseAll = (summary: BatchSummary, files: readonly ShownFile[]): string[] => [
  ...adviseNext(summary),
  ...adviseUpdated(summary, files),
];

/** True while a sender works on the batch, and nothing has stopped it. */
const isBeingPaid = ({ batch, alarmRows }: BatchSummary, isSending: boolean): boolean =>
  isSending && batch.status === 'running' && alarmRows === 0;

/** Output of `result`. @param isSending true while a process is sending */
export function showPresent({ summary, context, files }: PresentReports, isSending: boolean): Shown {
  const { isSandbox, nowMs, otherReferences } = context;
  const advice = isBeingPaid(summary, isSending)
    ? ['Nothing to do: it is being paid.']
    : adviseAll(summary, files);
  const text = toLines([
    ...(isSandbox ? [sandboxBanner, ''] : []),
    ...renderHead(summary, context, false, isSending),
    `As of      ${formatBangkokMoment(nowMs)}`,
    '',
    ...renderTotals(summary),
    ...renderOtherReferences(otherReferences),
    ...renderFiles(files),
    '',
    ...renderNext(advice),
  ]);
  const state = showState(summary.batch.status, summary.totals, isSending);
  const facts = {
    kind: 'payouts',
    summary,
    money: summary,
    context,
    otherReferences,
    state,
    files,
    advice,
  } as const;
  return { json: summaryView.json(facts), text };
}

/** Advice after changes: the exceptions file is written once, and a new one has what changed since. */
function adviseUpdated({ batch, exceptionRows }: BatchSummary, files: readonly ShownFile[]): string[] {
  if (exceptionRows === 0 || !files.some(({ kind }) => kind === 'result-update')) return [];
  const command = `paydrop exceptions --batch ${batch.batchId} --out exceptions.xlsx`;
  return ['That file is of before the update; as they are now they are written by', `"${command}"`];
}

function adviseStopped(summary: BatchSummary): string[] {
  const { batch, holds, totals } = summary;
  const ready = showReady(batch.status, totals);
  if (ready !== undefined) return [`${ready}.`, 'Run the same file again, or leave it to a watcher.'];
  const remedy = batch.remedy === null ? [] : [`${showMessage(batch.remedy)}.`];
  const goOn = `go on with "paydrop resume ${batch.batchId}".`;
  if (batch.status === 'halted') return ['It was halted.', ...remedy, `Then let it ${goOn}`];
  if (batch.reasonCode === approvalCode) return ['It waits for approval.', ...remedy];
  if (holds.some(({ hold }) => hold === 'halted')) return ['Rows are held.', ...remedy, `Let them ${goOn}`];
  const held = adviseHeld(summary);
  if (held.length > 0) return held;
  return [
    'It stopped before every row was sent.',
    ...remedy,
    'Run the same file again: it goes on where it was.',
  ];
}

/** Advice for a batch at rest with held rows: what each hold asks for, and the command. */
function adviseHeld({ batch, holds, totals, exceptionRows }: BatchSummary): string[] {
  const kept = holdsOfRest(batch, holds);
  if (kept.length === 0) return [];
  const others = exceptionRows - countRows(totals, ['held']);
  return [
    ...kept.flatMap((held) =>
      inColumns(`${countOf(held.rows, 'row')} held (${held.hold}). ${inEnglish(describeHoldRemedy(held))}.`),
    ),
    ...commandsOfHolds(batch.batchId, kept).map(sayCommand),
    'The exceptions file says it of each row.',
    ...(others > 0 ? [`${showForReview(others)} besides.`] : []),
  ];
}

/** Columns for the text beside "Next:", so that it fits a terminal of 80 columns. */
const adviceColumns = 72;

const inColumns = (text: string): string[] => wrapText(text, adviceColumns).split('\n');

const sayCommand = ({ command, why }: NextCommand): string => `"${command}" ${why}.`;

/** Commands that settle rows in doubt. */
const settlingVerbs = /^paydrop (settle|reconcile) /;

/** Advice on the next step: an alarm comes first, whatever the exit code. */
function adviseNext(summary: BatchSummary): string[] {
  const { alarmRows } = summary;
  const contradict = countOf(alarmRows, 'row contradicts', 'rows contradict');
  const alarm = alarmRows === 0 ? [] : [`ALARM: ${contradict} what was called proved before.`];
  return [...alarm, ...adviseByCode(summary)];
}

function adviseByCode(summary: BatchSummary): string[] {
  const { batch, exitCode, exceptionRows, inDoubtRows } = summary;
  const forReview = showForReview(exceptionRows);
  switch (exitCode) {
    case 0:
      return exceptionRows === 0 ? ['Nothing to do.'] : [`${forReview} (see the exceptions file).`];
    case 3: {
      const held = adviseHeld(summary);
      if (held.length > 0) return held;
      const files = summary.alarmRows > 0 ? 'files say' : 'file says';
      if (exceptionRows === 0) return ['Nothing to do: what is not paid was cancelled or noted by a person.'];
      return [`${forReview}. The exceptions ${files} what to do about each.`];
    }
    case 4:
      return [
        `Transfers in doubt: ${showCount(inDoubtRows)}. Do not pay them again by hand.`,
        ...listNextOfBatch(batch, summary.totals)
          .filter(({ command }) => settlingVerbs.test(command))
          .map(sayCommand),
        ...(exceptionRows > inDoubtRows
          ? [`${showForReview(exceptionRows - inDoubtRows)} besides: see the exceptions file.`]
          : []),
      ];
    case 5:
      return ['The whole file was rejected and nothing of it was sent. Correct it and run it again.'];
    case 6:
      return adviseStopped(summary);
  }
}

interface RejectedFile {
  readonly path: string;
  readonly rejection: FileRejection;
}

/** A file that was rejected as a whole, by `run` and `register`. @forTests */
export const rejectionView = viewOf<RejectedFile>()('rejected file', {
  file: ['text', 'path as it was given', ({ path }) => path],
  status: ['text', 'rejected', () => 'rejected'],
  exitCode: () => exitCodes.fileRejected,
  code: ['text', 'code of the fault', ({ rejection }) => rejection.code],
  line: ({ rejection }) => rejection.line,
  column: ({ rejection }) => rejection.column,
  message: ['message', 'the fault and its cure', ({ rejection }) => rejection.message],
});

interface InterruptedFile {
  readonly path: string;
  readonly batch: Pick<Batch, 'batchId'> | undefined;
}

/** A file whose work was interrupted, by `run` and `register`. @forTests */
export const interruptedView = viewOf<InterruptedFile>()('interrupted file', {
  file: ['text', 'path as it was given', ({ path }) => path],
  status: ['text', 'interrupted', () => 'interrupted'],
  exitCode: () => exitCodes.stoppedShort,
  batchId: ({ batch }) => batch?.batchId,
});

/** @param again what to do with the file */
export function showInterruption(file: InterruptedFile, again: 'Run' | 'Register'): ShownEnd {
  const text = toLines([
    `${file.path}: interrupted; everything that was sent is recorded. ${again} it again: it goes on where it was.`,
  ]);
  return { json: interruptedView.json(file), text, exitCode: exitCodes.stoppedShort };
}

/** A file of either kind that was rejected as a whole. */
export function showRejection(path: string, rejection: FileRejection): ShownEnd {
  const json = rejectionView.json({ path, rejection });
  const { code, line, message } = json;
  const exitCode = exitCodes.fileRejected;
  const where = line === null ? path : `${path}:${line}`;
  const text = toLines([
    `${where}: ${message}`,
    `The whole file was rejected (${code}) and nothing of it was sent.`,
  ]);
  return { json, text, exitCode };
}

export function showOutcome(session: Session, path: string, outcome: FileOutcome): ShownEnd {
  switch (outcome.kind) {
    case 'rejected':
      return showRejection(path, outcome.rejection);
    case 'interrupted':
      return showInterruption({ path, batch: outcome.batch }, 'Run');
    case 'rested':
      return showRested(session, outcome);
  }
}

/** Lines longer than 80 characters hold only paths or the bank's own words. */
function showRested(
  { loaded: { isSandbox }, bankAddress, clock, loss }: Session,
  { reports, isRepeat, pace, grown }: Rested,
): ShownEnd {
  const { summary, files, otherReferences } = reports;
  const context: SummaryContext = { isSandbox, bankAddress, nowMs: clock.now(), pace, otherReferences };
  const shownFiles = files.map(({ kind, number, path, state }) => {
    return { kind, number, path, isGone: state === 'gone' };
  });
  const growth = grown?.growth ?? null;
  const advice = adviseAll(summary, shownFiles);
  const alarm =
    grown === undefined || growth === null
      ? []
      : [
          '',
          `ALARM: ${inEnglish(describeGrowth(grown, growth))}.`,
          `${inEnglish(remedyOfGrowth(grown, growth))}.`,
        ];
  const text = toLines([
    ...(isSandbox ? [sandboxBanner, ''] : []),
    ...renderHead(summary, context, isRepeat),
    ...(summary.rows === 0 ? [] : ['', ...renderTotals(summary)]),
    ...renderOtherReferences(otherReferences),
    ...renderFiles(shownFiles),
    ...alarm,
    '',
    ...renderNext(advice),
  ]);
  const state = showState(summary.batch.status, summary.totals, false);
  const json = summaryView.json({
    kind: 'payouts',
    summary,
    money: summary,
    context,
    otherReferences,
    state,
    files: shownFiles,
    isRepeat,
    loss,
    growth,
    advice,
  });
  const exitCode = growth === null ? summary.exitCode : weightierOf(summary.exitCode, exitCodes.exceptions);
  return { json, text, exitCode };
}

/** @throws Error for rows that do not add up, unless the batch is halted for that: the gap is then known */
export function refuseUnexplained(
  name: string,
  { addsUp, batch }: { readonly addsUp: boolean; readonly batch: Pick<Batch, 'status' | 'reasonCode'> },
): void {
  if (addsUp || (batch.status === 'halted' && batch.reasonCode === journalChanged)) return;
  throw new Error(`${name}: the rows by status do not add up to the file; nothing of it can be trusted`);
}
