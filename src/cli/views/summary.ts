/** Output of `run` about each file: figures that add up, its files, and the next commands. */
import { inEnglish } from '../../core/message.ts';
import type { FileOutcome } from '../../app/run-file.ts';
import type { RegisterOutcome } from '../../app/registration/register-file.ts';
import type { WrittenPresent } from '../../app/result.ts';
import type { Session } from '../../app/session.ts';
import { formatBangkokMoment } from '../../core/bangkok-time.ts';
import { showMessage, toLines } from '../../core/outgoing-text.ts';
import { countRows } from '../../core/exit-code.ts';
import { wrapText } from '../../core/wrap-text.ts';
import type { FileRejection } from '../../core/payout-file.ts';
import type { Batch, JournalLoss, OtherReferences, RowTotal } from '../../core/ports.ts';
import { byName, listOf, recordOf, viewOf } from '../../core/view.ts';
import { type Satang, zeroSatang } from '../../core/money.ts';
import type { LowestLimit } from '../../payout/rules/adaptive-limit.ts';
import { isInQuestion } from '../../payout/rules/lost-journal.ts';
import { journalChanged } from '../../payout/rules/seal.ts';
import type { RegistrationSummary } from '../../registration/rules/summary.ts';
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
import { showRegistrationState } from './registration-status.ts';
import { holdsOfRest } from './status.ts';
import { alignColumns, sandboxBanner, showReportPath, type Shown, type ShownEnd } from './shown.ts';

/** A duration, with tenths of a second for a short run. */
const showElapsed = (ms: number): string => (ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : showDuration(ms));

/** Time and duration of the work on a batch. */
function showWhen(batch: Pick<Batch, 'startedAtMs' | 'restedAtMs'>): string {
  if (batch.restedAtMs === null) return `began ${formatBangkokMoment(batch.startedAtMs)}`;
  return `${formatBangkokMoment(batch.restedAtMs)}, after ${showElapsed(batch.restedAtMs - batch.startedAtMs)}`;
}

/** The bank's address; a built-in sandbox has none before it runs. */
function showBank(isSandbox: boolean, bankAddress: string): string {
  if (bankAddress === 'sandbox') return 'SANDBOX, built in';
  return `${isSandbox ? 'SANDBOX ' : ''}${stripSecrets(bankAddress)}`;
}

/** Words that differ between the kinds of batches. */
const wordsOf = {
  payouts: {
    again: 'Run',
    repeat: 'no payee is paid again',
    contradicted: 'what was called proved before',
    undone: 'what is not paid',
  },
  registrations: {
    again: 'Register',
    repeat: 'nothing is registered again',
    contradicted: 'what was called ended',
    undone: 'what is not registered',
  },
} as const;

function renderHead(facts: SummaryFacts, state: string): string[] {
  const { batch } = facts.summary;
  const { isSandbox, bankAddress, pace } = facts.context;
  const ready = readyOf(facts);
  const why =
    batch.reason === null ? (ready === undefined ? '' : `, ${ready}`) : `: ${showMessage(batch.reason)}`;
  const reduced = pace && `reduced to ${pace.limit} of ${pace.ceiling} transfers at once (${pace.why})`;
  return alignColumns([
    ['File', batch.fileName],
    ['Batch', batch.batchId],
    ['Processed', showWhen(batch)],
    ...(facts.isRepeat === true ? [['', `by an earlier run; ${wordsOf[facts.kind].repeat}`]] : []),
    ['Bank', showBank(isSandbox, bankAddress)],
    ['State', `${state}${why}`],
    ...(reduced === undefined ? [] : [['Concurrency', reduced]]),
  ]);
}

function renderTotals(facts: SummaryFacts): string[] {
  const { rows, addsUp, batch } = facts.summary;
  const money = moneyOf(facts);
  const lineOf = ({ status, rows: count, amountSatang }: SummaryTotal): string[] => [
    status,
    showCount(count),
    ...(amountSatang === undefined ? [] : [showBaht(amountSatang)]),
  ];
  const [head = '', ...lines] = alignColumns(
    [
      ['Status', 'Rows', ...(money === undefined ? [] : ['Baht'])],
      ...totalsOf(facts).map(lineOf),
      lineOf({ status: 'total', rows, ...(money && { amountSatang: money.amountSatang }) }),
    ],
    [1, 2],
  );
  const rule = '-'.repeat(head.length);
  const { correctionSatang = 0n, unreadableAmounts = 0 } = money ?? {};
  const corrected = correctionSatang === 0n ? '' : ` and its corrections (${showBaht(correctionSatang)})`;
  const sealed = money === undefined ? '' : `, ${showBaht(money.batch.totalSatang)} baht`;
  return [
    head,
    rule,
    ...lines.slice(0, -1),
    rule,
    `${lines.at(-1)}${addsUp ? `  adds up to the file${corrected}` : ''}`,
    ...(addsUp ? [] : [`DOES NOT ADD UP: the file has ${countOf(batch.rows, 'row')}${sealed}`]),
    ...(unreadableAmounts === 0
      ? []
      : [`Rows whose amount cannot be read, and is in no total: ${showCount(unreadableAmounts)}`]),
  ];
}

const noReferences: OtherReferences = { rows: 0, firstRowNos: [] };

/** Reported, not held: rows with references of their own are other payments. */
function renderOtherReferences({ otherReferences = noReferences }: SummaryFacts): string[] {
  const { rows, firstRowNos } = otherReferences;
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

interface ShownFile {
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
type SummaryFacts = (
  | { readonly kind: 'payouts'; readonly summary: BatchSummary }
  | { readonly kind: 'registrations'; readonly summary: RegistrationSummary }
) & {
  readonly context: Omit<SummaryContext, 'otherReferences'>;
  readonly otherReferences?: OtherReferences;
  readonly files: readonly ShownFile[];
  readonly isRepeat?: boolean;
  readonly loss?: JournalLoss | undefined;
  readonly grown?: TakenFile | undefined;
};

/** With what follows from the figures. */
type ShownSummary = SummaryFacts & { readonly state: string; readonly advice: readonly string[] };

/** Undefined for registrations, which move no money. */
const moneyOf = (facts: SummaryFacts): BatchSummary | undefined =>
  facts.kind === 'payouts' ? facts.summary : undefined;

type SummaryTotal = Partial<RowTotal> & { readonly status: string; readonly rows: number };

const totalsOf = ({ summary }: SummaryFacts): readonly SummaryTotal[] => summary.totals;

const readyOf = (facts: SummaryFacts): string | undefined =>
  facts.kind === 'payouts' ? showReady(facts.summary.batch.status, facts.summary.totals) : undefined;

const correctionOf = (facts: SummaryFacts): Satang | null => {
  const { correctionSatang = zeroSatang } = moneyOf(facts) ?? {};
  return correctionSatang === 0n ? null : correctionSatang;
};

const awaitedOf = (facts: SummaryFacts): number | null =>
  facts.kind === 'registrations' ? facts.summary.awaitedRows : null;

/** A batch at rest or as it is now, by `run`, `register` and `result`. @forTests */
export const summaryView = viewOf<ShownSummary>()('summary', {
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
  amount: (facts) => moneyOf(facts)?.batch.totalSatang,
  unreadableAmounts: (facts) => moneyOf(facts)?.batch.unreadableAmounts,
  byStatus: [byName(statusTotalView), 'rows and amount by status', (facts) => namedTotals(totalsOf(facts))],
  corrected: ['baht', 'amount by which corrected rows exceed the file', (facts) => correctionOf(facts)],
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
  inDoubt: ['number', 'payouts that may be with the bank', (facts) => moneyOf(facts)?.inDoubtRows],
  awaited: ['number', "registrations that wait for the bank's callback", (facts) => awaitedOf(facts)],
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
  fileGrown: [
    recordOf(addedView),
    'what was added to the file after it was read',
    ({ grown }) => grown?.growth,
  ],
  advice: ['texts', 'what to do next, line by line', ({ advice }) => advice],
});

function renderFiles(files: readonly ShownFile[]): string[] {
  if (files.length === 0) return [];
  const rows = files.map(({ kind, path, isGone = false }) => [`  ${kind}`, showReportPath(path, isGone)]);
  return ['', 'Files', ...alignColumns(rows)];
}

/** The alarm of a file that was written to after its rows had been read. */
const renderGrowth = ({ grown }: SummaryFacts): string[] =>
  grown === undefined || grown.growth === null
    ? []
    : [
        '',
        `ALARM: ${inEnglish(describeGrowth(grown, grown.growth))}.`,
        `${inEnglish(remedyOfGrowth(grown, grown.growth))}.`,
      ];

/** True while a sender pays the batch, and nothing has stopped it. */
const isBeingPaid = (facts: SummaryFacts, isSending: boolean): boolean =>
  facts.kind === 'payouts' &&
  isSending &&
  facts.summary.batch.status === 'running' &&
  facts.summary.alarmRows === 0;

function stateOf(facts: SummaryFacts, isSending: boolean): string {
  if (facts.kind === 'payouts') return showState(facts.summary.batch.status, facts.summary.totals, isSending);
  return showRegistrationState(facts.summary.batch.status, facts.summary.totals, isSending);
}

/**
 * Lines longer than 80 characters hold only paths or the bank's own words.
 * @param isSending true while a process is sending
 * @param asOfMs the moment that it shows; undefined of a batch that has just come to rest
 */
function showSummary(facts: SummaryFacts, isSending: boolean, asOfMs?: number): Shown {
  const state = stateOf(facts, isSending);
  const advice = isBeingPaid(facts, isSending)
    ? ['Nothing to do: it is being paid.']
    : [...adviseNext(facts), ...adviseUpdated(facts)];
  const text = toLines([
    ...(facts.context.isSandbox ? [sandboxBanner, ''] : []),
    ...renderHead(facts, state),
    ...(asOfMs === undefined ? [] : [`As of      ${formatBangkokMoment(asOfMs)}`]),
    ...(facts.summary.rows === 0 ? [] : ['', ...renderTotals(facts)]),
    ...renderOtherReferences(facts),
    ...renderFiles(facts.files),
    ...renderGrowth(facts),
    '',
    ...advice.map((line, index) => (index === 0 ? `Next: ${line}` : `      ${line}`)),
  ]);
  return { json: summaryView.json({ ...facts, state, advice }), text };
}

/** Output of `result`. */
export function showPresent(written: WrittenPresent): Shown {
  const { isSending } = written;
  const { nowMs } = written.reports.context;
  if (written.kind === 'registrations')
    return showSummary({ kind: 'registrations', ...written.reports }, isSending, nowMs);
  const { otherReferences } = written.reports.context;
  return showSummary({ kind: 'payouts', ...written.reports, otherReferences }, isSending, nowMs);
}

/** Advice after changes: the exceptions file is written once, and a new one has what changed since. */
function adviseUpdated({ kind, summary: { batch, exceptionRows }, files }: SummaryFacts): string[] {
  if (kind === 'registrations' || exceptionRows === 0 || !files.some((file) => file.kind === 'result-update'))
    return [];
  const command = `paydrop exceptions --batch ${batch.batchId} --out exceptions.xlsx`;
  return ['That file is of before the update; as they are now they are written by', `"${command}"`];
}

function adviseStopped(facts: SummaryFacts): string[] {
  const { batch, holds } = facts.summary;
  const ready = readyOf(facts);
  const { again } = wordsOf[facts.kind];
  if (ready !== undefined) return [`${ready}.`, `${again} the same file again, or leave it to a watcher.`];
  const remedy = batch.remedy === null ? [] : [`${showMessage(batch.remedy)}.`];
  const goOn = `go on with "paydrop resume ${batch.batchId}".`;
  if (batch.status === 'halted') return ['It was halted.', ...remedy, `Then let it ${goOn}`];
  if (batch.reasonCode === approvalCode) return ['It waits for approval.', ...remedy];
  if (holds.some(({ hold }) => hold === 'halted')) return ['Rows are held.', ...remedy, `Let them ${goOn}`];
  const held = adviseHeld(facts);
  if (held.length > 0) return held;
  return [
    'It stopped before every row was sent.',
    ...remedy,
    `${again} the same file again: it goes on where it was.`,
  ];
}

/** Advice for a batch of payouts at rest with held rows: what each hold asks for, and the command. */
function adviseHeld(facts: SummaryFacts): string[] {
  if (facts.kind === 'registrations') return [];
  const { batch, holds, totals, exceptionRows } = facts.summary;
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
function adviseNext(facts: SummaryFacts): string[] {
  const { alarmRows } = facts.summary;
  const contradict = countOf(alarmRows, 'row contradicts', 'rows contradict');
  const alarm = alarmRows === 0 ? [] : [`ALARM: ${contradict} ${wordsOf[facts.kind].contradicted}.`];
  return [...alarm, ...adviseByCode(facts)];
}

/** Advice while rows are in doubt, and the number of these. */
function adviseDoubt(facts: SummaryFacts): readonly [advice: string[], inDoubt: number] {
  if (facts.kind === 'registrations') {
    const { awaitedRows, totals } = facts.summary;
    const advice = [
      `Waiting for the bank's callback: ${countOf(awaitedRows, 'row')}. Do not register ${awaitedRows === 1 ? 'it' : 'them'} again.`,
      '"paydrop callbacks" takes them; a watcher does so by itself.',
    ];
    return [advice, countRows(totals, ['in-doubt', 'submitted'])];
  }
  const { batch, totals, inDoubtRows } = facts.summary;
  const settling = listNextOfBatch(batch, totals).filter(({ command }) => settlingVerbs.test(command));
  const advice = `Transfers in doubt: ${showCount(inDoubtRows)}. Do not pay them again by hand.`;
  return [[advice, ...settling.map(sayCommand)], inDoubtRows];
}

function adviseByCode(facts: SummaryFacts): string[] {
  const { exitCode, exceptionRows, alarmRows } = facts.summary;
  const { again, undone } = wordsOf[facts.kind];
  const forReview = showForReview(exceptionRows);
  switch (exitCode) {
    case 0:
      return exceptionRows === 0 ? ['Nothing to do.'] : [`${forReview} (see the exceptions file).`];
    case 3: {
      const held = adviseHeld(facts);
      if (held.length > 0) return held;
      const files = facts.kind === 'payouts' && alarmRows > 0 ? 'files say' : 'file says';
      if (exceptionRows === 0) return [`Nothing to do: ${undone} was cancelled or noted by a person.`];
      return [`${forReview}. The exceptions ${files} what to do about each.`];
    }
    case 4: {
      const [advice, inDoubt] = adviseDoubt(facts);
      const others = exceptionRows - inDoubt;
      return others > 0 ? [...advice, `${showForReview(others)} besides: see the exceptions file.`] : advice;
    }
    case 5:
      return [
        `The whole file was rejected and nothing of it was sent. Correct it and ${again.toLowerCase()} it again.`,
      ];
    case 6:
      return adviseStopped(facts);
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

function showInterruption(file: InterruptedFile, kind: SummaryFacts['kind']): ShownEnd {
  const text = toLines([
    `${file.path}: interrupted; everything that was sent is recorded. ${wordsOf[kind].again} it again: it goes on where it was.`,
  ]);
  return { json: interruptedView.json(file), text, exitCode: exitCodes.stoppedShort };
}

/** A file of either kind that was rejected as a whole. */
function showRejection(path: string, rejection: FileRejection): ShownEnd {
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

/** Output of `run` or `register` about a file. */
export function showOutcome(
  kind: SummaryFacts['kind'],
  session: Session,
  path: string,
  outcome: FileOutcome | RegisterOutcome,
): ShownEnd {
  switch (outcome.kind) {
    case 'rejected':
      return showRejection(path, outcome.rejection);
    case 'interrupted':
      return showInterruption({ path, batch: outcome.batch }, kind);
    case 'rested':
      return showRested(session, outcome);
  }
}

function showRested(
  { loaded: { isSandbox }, bankAddress, clock, loss }: Session,
  outcome: Extract<FileOutcome | RegisterOutcome, { kind: 'rested' }>,
): ShownEnd {
  const { isRepeat } = outcome;
  const files = outcome.reports.files.map(({ kind, number, path, state }) => {
    return { kind, number, path, isGone: state === 'gone' };
  });
  const context = { isSandbox, bankAddress, nowMs: clock.now() };
  const { exitCode } = outcome.reports.summary;
  if (!('pace' in outcome)) {
    const { summary } = outcome.reports;
    return { ...showSummary({ kind: 'registrations', summary, context, files, isRepeat }, false), exitCode };
  }
  const { reports, pace, grown } = outcome;
  const course = { isRepeat, loss, grown, context: { ...context, pace } };
  const shown = showSummary({ kind: 'payouts', ...reports, files, ...course }, false);
  const hasGrown = grown !== undefined && grown.growth !== null;
  return { ...shown, exitCode: hasGrown ? weightierOf(exitCode, exitCodes.exceptions) : exitCode };
}

/** @throws Error for rows that do not add up, unless the batch is halted for that: the gap is then known */
export function refuseUnexplained(
  name: string,
  { addsUp, batch }: { readonly addsUp: boolean; readonly batch: Pick<Batch, 'status' | 'reasonCode'> },
): void {
  if (addsUp || (batch.status === 'halted' && batch.reasonCode === journalChanged)) return;
  throw new Error(`${name}: the rows by status do not add up to the file; nothing of it can be trusted`);
}
