/** A reconciled day for a person or a program: figures that tie out, rows settled, breaks and files. */
import { inEnglish } from '../../core/message.ts';
import type { NoStatement, NotFetched, ReconcileReport, StatementRefusal } from '../../app/reconcile.ts';
import { formatBangkokMoment } from '../../core/bangkok-time.ts';
import { sumSatang, toSatang } from '../../core/money.ts';
import { byName, listOf, recordOf, type Said, viewOf } from '../../core/view.ts';
import { joinLines, printable, toLines } from '../../core/outgoing-text.ts';
import { showDate } from '../../payout/rules/lost-journal.ts';
import { countAlarms, countBreaks, isQuiet } from '../../reconcile/rules/attention.ts';
import { describeBreakRemedy } from '../../reconcile/rules/break-remedies.ts';
import { amountOfBreak, computeAgeDays } from '../../reconcile/rules/breaks.ts';
import { describeProvenance } from '../../reconcile/rules/custody.ts';
import { isBreakKind } from '../../reconcile/rules/tally.ts';
import type { BreakKind, BreakRecord, Figures, LineClass, PaidClass } from '../../reconcile/rules/types.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { countOf, showAmount, showBaht, showCount } from './amounts.ts';
import { sourceView } from './status.ts';
import { alignColumns, sandboxBanner, showPath, showReportPath, type ShownEnd } from './shown.ts';

const figuresView = viewOf<Figures>()('count and amount', {
  count: ['number', 'how many', ({ count }) => count],
  amount: ({ satang }) => satang,
});

type Side = ReadonlyMap<LineClass | PaidClass, Figures>;

const groupOf = (place: LineClass | PaidClass): 'matched' | 'others' | 'breaks' =>
  place === 'others' ? 'others' : isBreakKind(place) ? 'breaks' : 'matched';

function sumOf(side: Side, group?: ReturnType<typeof groupOf>): Figures {
  const figures = [...side].filter(([place]) => group === undefined || groupOf(place) === group);
  return {
    count: figures.reduce((sum, [, one]) => sum + one.count, 0),
    satang: sumSatang(figures.map(([, one]) => one.satang)),
  };
}

/** The groups of one side as shown: matched + others' + breaks = total. */
const sideView = viewOf<Side>()('side of a day', {
  matched: [recordOf(figuresView), 'what both sides have', (side) => sumOf(side, 'matched')],
  others: [recordOf(figuresView), "other companies' lines", (side) => sumOf(side, 'others')],
  breaks: [recordOf(figuresView), 'what differs', (side) => sumOf(side, 'breaks')],
  total: [recordOf(figuresView), 'all of it', (side) => sumOf(side)],
  places: [byName(figuresView), 'the same by kind of agreement or break', (side) => side],
});

type Words<Place extends string> = Readonly<Record<Exclude<Place, BreakKind | 'others'>, string>>;

/** Words for lines on which both sides agree. */
const lineWords: Words<LineClass> = {
  matched: 'paid',
  'matched-other-day': 'paid, sent on another day',
  'settled-paid': 'paid, in doubt before',
  'settled-paid-other-day': 'paid, in doubt before, sent on another day',
  'agreed-failed': 'failed on both sides',
  'settled-failed': 'failed, in doubt before',
};

/** Words for payouts that paydrop calls paid, by where the bank's side shows them. */
const paidWords: Words<PaidClass> = {
  matched: 'in the statement',
  'settled-paid': 'in the statement, in doubt before',
  'found-other-day': "in another day's statement",
};

type Cells = readonly [label: string, count: string, baht: string];

const cellsOf = (label: string, { count, amount }: Said<typeof figuresView>): Cells => [
  label,
  showCount(count),
  showAmount(amount),
];

function renderSide(
  title: string,
  { matched, others, breaks, total, places }: Said<typeof sideView>,
  words: Readonly<Record<string, string>>,
): readonly string[] {
  const found = Object.entries(places);
  const kinds = found.filter(([place]) => words[place] !== undefined);
  // Parts of the matched figures, where there are several kinds: failed ones have an amount, too.
  const parts = kinds.every(([place]) => place === 'matched') ? [] : kinds;
  const rows: Cells[] = [
    [title, 'Count', 'Baht'],
    cellsOf('matched', matched),
    ...parts.map(([place, figures]) => cellsOf(`  ${words[place]}`, figures)),
    ...(others.count === 0 ? [] : [cellsOf("other companies'", others)]),
    cellsOf('breaks', breaks),
    ...found
      .filter(([place]) => words[place] === undefined && place !== 'others')
      .map(([place, figures]) => cellsOf(`  ${place}`, figures)),
    cellsOf('total', total),
  ];
  return alignColumns(rows, [1, 2]);
}

function renderHead({ reconciled }: ReconcileReport): readonly string[] {
  const { statement, isRepeat, supersedes } = reconciled;
  const { date, version, acceptedAtMs, provenance } = statement;
  const before = isRepeat
    ? 'the same as before: nothing of it is recorded again'
    : supersedes === undefined
      ? 'the first of the day'
      : `supersedes version ${supersedes}`;
  return [
    `Statement  ${showDate(date)}, version ${version}, ${before}`,
    `Accepted   ${formatBangkokMoment(acceptedAtMs)}`,
    `Original   ${statement.originalPath}`,
    `From       ${inEnglish(describeProvenance(provenance))}`,
  ];
}

const causeWords: Readonly<Record<string, string>> = {
  proved: 'proved paid',
  'late-proof': 'ALARM: proved paid after we had closed them',
  'second-proof': 'ALARM: paid twice',
  'statement-failed': 'proved failed',
  'statement-contradicts': 'ALARM: disputed, called paid before',
  'earlier-attempt-alive': 'ALARM: closed before, and the bank works on them',
  'alarm-raised': 'ALARM: contradict what was called proved',
  'statement-read': 'in doubt, and the bank knows them',
};

/** "1,234 (5,678.90)". */
const showChangedFigures = ({ count, satang }: { readonly count: number; readonly satang: string }): string =>
  `${showCount(count)} (${showBaht(toSatang(BigInt(satang)))})`;

function renderChanges({ payoutsChanged, breaks, differences }: DescribedReport): readonly string[] {
  const causes = Object.entries(payoutsChanged).map(
    ([cause, rows]) => `  ${causeWords[cause] ?? cause}: ${rows}`,
  );
  const { opened, changed, closed } = breaks;
  const moved = opened + changed + closed;
  return [
    ...(causes.length === 0 ? [] : ['Payouts changed', ...causes]),
    ...(moved === 0 ? [] : [`Breaks: ${opened} opened, ${changed} changed, ${closed} closed`]),
    ...(differences.length === 0 ? [] : ['Figures that differ from the version before']),
    ...differences.map(
      ({ side, place, before, after }) =>
        `  ${side} ${place}: ${showChangedFigures(before)} -> ${showChangedFigures(after)}`,
    ),
  ];
}

/** A break with its age. */
interface AgedBreak {
  readonly record: BreakRecord;
  readonly nowMs: number;
}

const breakView = viewOf<AgedBreak>()('break', {
  date: ['day', 'the day that it is of', ({ record }) => record.date],
  key: ['text', 'its key within the day', ({ record }) => record.key],
  kind: ['text', 'kind of break; docs/reconciliation.md has them all', ({ record }) => record.kind],
  severity: ['text', 'critical, high, medium or low', ({ record }) => record.severity],
  payoutId: ({ record }) => record.attempt?.payoutId,
  transRefNo: ({ record }) =>
    record.attempt?.order.transRefNo ?? record.lines[record.lineAt ?? -1]?.transRefNo,
  reason: ({ record }) => record.reason,
  remedy: ['advice', 'what to do about it', ({ record }) => describeBreakRemedy(record)],
  ageDays: [
    'number',
    'whole days for which it is open',
    ({ record, nowMs }) => computeAgeDays(record, nowMs),
  ],
  amount: ({ record }) => amountOfBreak(record),
});

const describeBreak = (record: BreakRecord, nowMs: number) => breakView.json({ record, nowMs });

/** @param isOfDay true for the reported day, which is not named again */
function renderBreak(record: BreakRecord, nowMs: number, isOfDay: boolean): readonly string[] {
  const { date, kind, severity, payoutId, reason, remedy, ageDays, amount } = describeBreak(record, nowMs);
  const name = `${payoutId ?? record.key}, ${showAmount(amount)} baht`;
  const ofDay = isOfDay ? '' : `${date} `;
  const since = ageDays === 0 ? '' : `, open for ${countOf(ageDays, 'day')}`;
  return [`  ${ofDay}${kind} (${severity}${since})  ${name}: ${reason}`, `    ${remedy}`];
}

function renderBreaks(report: ReconcileReport, { date, openBreaks }: DescribedReport): readonly string[] {
  const { breaks, nowMs, reconciled } = report;
  const { count: all, byKind } = openBreaks;
  const { acceptedBreaks } = report;
  const accepted = acceptedBreaks === 0 ? [] : [`Breaks accepted by people: ${acceptedBreaks}`];
  const otherDays = [...accepted, ...renderOtherDays(report)];
  if (all === 0) {
    if (isQuiet(report.openBreaks, reconciled.recorded)) return ['Open breaks: none', ...accepted];
    return [`Open breaks of ${date}: 0`, ...otherDays];
  }
  const kinds = Object.entries(byKind)
    .map(([kind, rows]) => `${rows} ${kind}`)
    .join(', ');
  const shown = breaks.flatMap((record) => renderBreak(record, nowMs, true));
  return [`Open breaks: ${all} (${kinds})`, ...shown, ...renderRest(all - breaks.length), ...otherDays];
}

const renderRest = (left: number): readonly string[] =>
  left > 0 ? [`  and ${left} more: see the breaks file`] : [];

/** Breaks and alarms of this matching on other days. */
function renderOtherDays({ reconciled: { recorded }, nowMs }: ReconcileReport): readonly string[] {
  const { openedOnOtherDays: all, firstOnOtherDays: first } = recorded;
  const alarms = countAlarms(recorded);
  return [
    ...(all === 0 ? [] : [`Breaks opened on other days: ${all}`]),
    ...first.flatMap((record) => renderBreak(record, nowMs, false)),
    ...renderRest(all - first.length),
    ...(alarms === 0 ? [] : [`Alarms raised: ${alarms}; see "Payouts changed" above and "paydrop status"`]),
  ];
}

function renderFiles({ reconciled, updates, isWatched, failure }: ReconcileReport): readonly string[] {
  const rows = [
    ...reconciled.files.map(({ kind, path, state }) => [`  ${kind}`, showReportPath(path, state === 'gone')]),
    ...(updates ?? []).map((path) => ['  update', showPath(path)]),
  ];
  const due = isWatched
    ? 'The watcher that runs writes the result updates.'
    : 'Result updates are due, and another process has the right to send: reconcile the day again when it has ended.';
  const short = 'Not every result update could be written: mend what the error says and run it again.';
  return [
    'Files',
    ...alignColumns(rows),
    ...(updates === undefined ? [due] : []),
    ...(failure === undefined ? [] : [short]),
  ];
}

/** The verdict. A day with breaks, or an incomplete day, does not tie out, even though each side adds up. */
function renderVerdict({ openBreaks, acceptedBreaks, isWhole }: DescribedReport): string {
  const tiesOut = `Both sides tie out to the satang${acceptedBreaks === 0 ? '' : ', with what people have accepted'}`;
  const verdict = openBreaks.count === 0 && isWhole ? tiesOut : 'Each side adds up to the satang';
  const notWhole =
    ' The day is not complete: it had not ended, or a line cannot be read. Reconcile it again.';
  const rest = isWhole ? '' : notWhole;
  return `${verdict}: matched and breaks make up each total.${rest}`;
}

type DescribedReport = Said<typeof reconcileView>;

const movedView = viewOf<ReconcileReport>()('moved breaks', {
  opened: ['number', 'breaks that were opened', ({ reconciled }) => reconciled.recorded.opened],
  changed: ['number', 'breaks that were changed', ({ reconciled }) => reconciled.recorded.changed],
  closed: ['number', 'breaks that were closed', ({ reconciled }) => reconciled.recorded.closed],
});

type Difference = ReconcileReport['reconciled']['statement']['changes']['figures'][number];

const keptFiguresView = viewOf<Difference['before']>()('figures of a version', {
  count: ['number', 'how many', ({ count }) => count],
  satang: ['text', 'amount in satang', ({ satang }) => satang],
});

const differenceView = viewOf<Difference>()('difference of versions', {
  side: ['text', 'lines of the statement or paid by us', ({ side }) => side],
  place: ['text', 'kind of agreement or break', ({ place }) => place],
  before: [recordOf(keptFiguresView), 'figures of the version before', ({ before }) => before],
  after: [recordOf(keptFiguresView), 'figures of this version', ({ after }) => after],
});

const openBreaksView = viewOf<ReconcileReport['openBreaks']>()('open breaks', {
  count: ['number', 'how many', countBreaks],
  byKind: ['counts', 'how many by kind', (breaks) => Object.fromEntries(breaks)],
});

const otherDaysView = viewOf<ReconcileReport>()('breaks of other days', {
  count: ['number', 'how many', ({ reconciled }) => reconciled.recorded.openedOnOtherDays],
  breaks: [
    listOf(breakView),
    'the first of them',
    ({ reconciled, nowMs }) => agedOf(reconciled.recorded.firstOnOtherDays, nowMs),
  ],
});

const reportFileView = viewOf<ReconcileReport['reconciled']['files'][number]>()('report of a day', {
  kind: ['text', 'kind of report', ({ kind }) => kind],
  path: ({ path }) => path,
  isGone: ['flag', 'whether it was taken away since', ({ state }) => state === 'gone'],
});

const agedOf = (records: readonly BreakRecord[], nowMs: number): readonly AgedBreak[] =>
  records.map((record) => ({ record, nowMs }));

/** A reconciled day, by `reconcile`. @forTests */
export const reconcileView = viewOf<ReconcileReport>()('reconciled day', {
  date: ['day', 'the day, in Bangkok', ({ reconciled }) => reconciled.statement.date],
  statementVersion: [
    'number',
    'version of its statement, the first is 1',
    ({ reconciled }) => reconciled.statement.version,
  ],
  acceptedAt: [
    'moment',
    'when the statement was accepted',
    ({ reconciled }) => reconciled.statement.acceptedAtMs,
  ],
  isRepeat: ({ reconciled }) => reconciled.isRepeat,
  isWhole: ['flag', 'whether the day had ended and every line could be read', ({ isWhole }) => isWhole],
  supersedes: ['number', 'the version that it supersedes', ({ reconciled }) => reconciled.supersedes],
  isSandbox: ({ isSandbox }) => isSandbox,
  original: [
    'text',
    'path of the statement as it came',
    ({ reconciled }) => reconciled.statement.originalPath,
  ],
  sha256: ({ reconciled }) => reconciled.statement.sha256,
  source: [
    recordOf(sourceView),
    'where the statement came from',
    ({ reconciled }) => reconciled.statement.provenance,
  ],
  statement: [recordOf(sideView), "the bank's side", ({ reconciled }) => reconciled.totals.lines],
  paid: [recordOf(sideView), 'our side', ({ reconciled }) => reconciled.totals.paid],
  fees: ['baht', 'fees of the statement', ({ reconciled }) => reconciled.statement.statement.feeSatang],
  net: ['baht', 'net amount of the statement', ({ reconciled }) => reconciled.statement.statement.netSatang],
  payoutsChanged: [
    'counts',
    'payouts that it changed, by cause',
    ({ reconciled }) => Object.fromEntries(reconciled.recorded.causes),
  ],
  breaks: [recordOf(movedView), 'breaks that it moved', (report) => report],
  differences: [
    listOf(differenceView),
    'figures that differ from the version before',
    ({ reconciled }) => (reconciled.isRepeat ? [] : reconciled.statement.changes.figures),
  ],
  openBreaks: [recordOf(openBreaksView), 'open breaks of the day', ({ openBreaks }) => openBreaks],
  acceptedBreaks: ['number', 'breaks that people have accepted', ({ acceptedBreaks }) => acceptedBreaks],
  worstBreaks: [
    listOf(breakView),
    'the most severe of them; the breaks file has all',
    ({ breaks, nowMs }) => agedOf(breaks, nowMs),
  ],
  openedOnOtherDays: [recordOf(otherDaysView), 'breaks that it opened on other days', (report) => report],
  alarms: ['number', 'alarms that it raised', ({ reconciled }) => countAlarms(reconciled.recorded)],
  files: [listOf(reportFileView), 'its reports', ({ reconciled }) => reconciled.files],
  updates: [
    'texts',
    'paths of result updates; null where another process has the right to send',
    ({ updates }) => updates,
  ],
  isWatched: ['flag', 'whether that process is a watcher, which writes them', ({ isWatched }) => isWatched],
  isShortOfUpdates: [
    'flag',
    'whether not every update could be written',
    ({ failure }) => failure !== undefined,
  ],
});

export function showReport(report: ReconcileReport): ShownEnd {
  const json = reconcileView.json(report);
  const { statement, paid, fees, net } = json;
  const parts = [
    report.isSandbox ? [sandboxBanner] : [],
    renderHead(report),
    [...renderSide('Statement', statement, lineWords), `fees ${showAmount(fees)}, net ${showAmount(net)}`],
    [...renderSide('Paid by us', paid, paidWords), renderVerdict(json)],
    renderChanges(json),
    renderBreaks(report, json),
    renderFiles(report),
  ].filter((lines) => lines.length > 0);
  const isDone = isQuiet(report.openBreaks, report.reconciled.recorded);
  return {
    json,
    text: joinLines(parts.map(toLines), '\n\n'),
    exitCode: isDone ? exitCodes.ok : exitCodes.exceptions,
  };
}

// ---------------------------------------------------------------- no statement

/** True for codes of a path without a file, as opposed to a faulty file. */
const isNoFile = ({ code }: StatementRefusal): boolean =>
  /^file-(?:missing|directory|link|special|unreadable)$/.test(code);

function explainRefusal(refusal: StatementRefusal): string {
  const { line, column } = refusal;
  const why = inEnglish(refusal.message);
  if (isNoFile(refusal)) return why;
  const place = [line === null ? [] : `line ${line}`, column ?? []].flat().join(', ');
  return `the statement is refused, nothing of it is used: ${place === '' ? '' : `${place}: `}${why}`;
}

/** Why there is no statement, with the remedy, and the exit code. */
function explain(fetched: NotFetched): readonly [reason: string, exitCode: ExitCode] {
  const { fileRejected, stoppedShort } = exitCodes;
  switch (fetched.kind) {
    case 'not-found':
      return [
        'the bank has no statement of this day, or not yet: ask again later (--wait), or ask the bank',
        fileRejected,
      ];
    case 'refused':
      return [
        `the bank gives no statement (${fetched.code}: ${fetched.text}): see reconcile.companyId and reconcile.dateField in the settings, or ask the bank`,
        fileRejected,
      ];
    case 'not-allowed':
      return [`the bank does not let us ask for statements (${fetched.code}): ${fetched.text}`, stoppedShort];
    case 'unavailable':
      return [`the statement cannot be had now: ${fetched.why}; run it again`, stoppedShort];
    case 'unusable':
      return [explainRefusal(fetched.refusal), fileRejected];
  }
}

const refusalView = viewOf<StatementRefusal>()('refusal of a statement', {
  code: ['text', 'code of the fault', ({ code }) => code],
  line: ({ line }) => line,
  column: ({ column }) => column,
  message: ['message', 'the fault and its cure', ({ message }) => message],
});

/** No usable statement, by `reconcile` and `accept`. @forTests */
export const noStatementView = viewOf<NoStatement>()('no statement', {
  date: ['day', 'the day, in Bangkok', ({ date }) => date],
  file: ['text', 'path as it was given', ({ file }) => file],
  outcome: [
    'text',
    'not-found, refused, not-allowed, unavailable or unusable',
    ({ fetched }) => fetched.kind,
  ],
  reason: ['foreign', 'why, and what to do', ({ fetched }) => explain(fetched)[0]],
  refusal: [
    recordOf(refusalView),
    'the fault of an unusable file',
    ({ fetched }) => (fetched.kind === 'unusable' ? fetched.refusal : null),
  ],
});

export function showNoStatement(none: NoStatement): ShownEnd {
  const json = noStatementView.json(none);
  const { date, file, reason } = json;
  const text = printable(`paydrop: ${[date ?? [], file ?? []].flat().join(', ')}: ${reason}`);
  return { json, text, exitCode: explain(none.fetched)[1] };
}
