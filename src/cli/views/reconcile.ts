/** A reconciled day for a person or a program: figures that tie out, rows settled, breaks and files. */
import { inEnglish } from '../../core/message.ts';
import type { NoStatement, NotFetched, ReconcileReport, StatementRefusal } from '../../app/reconcile.ts';
import { formatBangkokMoment } from '../../core/bangkok-time.ts';
import { formatBaht, sumSatang, toSatang } from '../../core/money.ts';
import { joinLines, printable, showText, showTextIfAny, toLines } from '../../core/outgoing-text.ts';
import { showDate } from '../../payout/rules/lost-journal.ts';
import { countAlarms, countBreaks, isQuiet } from '../../reconcile/rules/attention.ts';
import { describeBreakRemedy } from '../../reconcile/rules/break-remedies.ts';
import { amountOfBreak, computeAgeDays } from '../../reconcile/rules/breaks.ts';
import { describeProvenance } from '../../reconcile/rules/custody.ts';
import { isBreakKind } from '../../reconcile/rules/tally.ts';
import type { BreakKind, BreakRecord, Figures, LineClass, PaidClass } from '../../reconcile/rules/types.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { countOf, showAmount, showBaht, showCount } from './amounts.ts';
import { alignColumns, sandboxBanner, showPath, showReportPath, type ShownEnd } from './shown.ts';

const describeFigures = ({ count, satang }: Figures) => ({ count, amount: formatBaht(satang) });

function describeSum(figures: readonly Figures[]) {
  const count = figures.reduce((sum, one) => sum + one.count, 0);
  return describeFigures({ count, satang: sumSatang(figures.map(({ satang }) => satang)) });
}

/** The groups of one side as shown: matched + others' + breaks = total. */
function describeSide(places: ReadonlyMap<LineClass | PaidClass, Figures>) {
  const groups = Map.groupBy(places, ([place]) =>
    place === 'others' ? 'others' : isBreakKind(place) ? 'breaks' : 'matched',
  );
  const describeGroup = (name: 'matched' | 'others' | 'breaks') =>
    describeSum((groups.get(name) ?? []).map(([, figures]) => figures));
  return {
    matched: describeGroup('matched'),
    others: describeGroup('others'),
    breaks: describeGroup('breaks'),
    total: describeSum([...places.values()]),
    places: Object.fromEntries([...places].map(([place, figures]) => [place, describeFigures(figures)])),
  };
}

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

const cellsOf = (label: string, { count, amount }: ReturnType<typeof describeFigures>): Cells => [
  label,
  showCount(count),
  showAmount(amount),
];

function renderSide(
  title: string,
  { matched, others, breaks, total, places }: ReturnType<typeof describeSide>,
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

const describeBreak = (record: BreakRecord, nowMs: number) => ({
  date: showDate(record.date),
  kind: record.kind,
  severity: record.severity,
  payoutId: record.attempt?.payoutId ?? null,
  transRefNo: record.attempt?.order.transRefNo ?? record.lines[record.lineAt ?? -1]?.transRefNo ?? null,
  reason: showText(inEnglish(record.reason)),
  remedy: inEnglish(describeBreakRemedy(record)),
  ageDays: computeAgeDays(record, nowMs),
  amount: formatBaht(amountOfBreak(record)),
});

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

type DescribedReport = ReturnType<typeof describeReport>;

/** The report for a program; amounts as decimal baht. */
function describeReport(report: ReconcileReport) {
  const { reconciled, isWhole, breaks, openBreaks, updates, failure, isSandbox, nowMs } = report;
  const { statement, totals, recorded, isRepeat, supersedes, files } = reconciled;
  return {
    date: showDate(statement.date),
    statementVersion: statement.version,
    isRepeat,
    isWhole,
    supersedes: supersedes ?? null,
    isSandbox,
    original: statement.originalPath,
    sha256: statement.sha256,
    source: statement.provenance,
    statement: describeSide(totals.lines),
    paid: describeSide(totals.paid),
    fees: formatBaht(statement.statement.feeSatang),
    net: formatBaht(statement.statement.netSatang),
    payoutsChanged: Object.fromEntries(recorded.causes),
    breaks: { opened: recorded.opened, changed: recorded.changed, closed: recorded.closed },
    differences: isRepeat ? [] : statement.changes.figures,
    openBreaks: { count: countBreaks(openBreaks), byKind: Object.fromEntries(openBreaks) },
    acceptedBreaks: report.acceptedBreaks,
    worstBreaks: breaks.map((record) => describeBreak(record, nowMs)),
    openedOnOtherDays: {
      count: recorded.openedOnOtherDays,
      breaks: recorded.firstOnOtherDays.map((record) => describeBreak(record, nowMs)),
    },
    alarms: countAlarms(recorded),
    files: files.map(({ kind, path }) => ({ kind, path })),
    updates: updates ?? null,
    isShortOfUpdates: failure !== undefined,
  };
}

export function showReport(report: ReconcileReport): ShownEnd {
  const json = describeReport(report);
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

const maskRefusal = (refusal: StatementRefusal): object => ({
  ...refusal,
  message: showText(inEnglish(refusal.message)),
  column: showTextIfAny(refusal.column),
});

export function showNoStatement({ date, file, fetched }: NoStatement): ShownEnd {
  const [why, exitCode] = explain(fetched);
  const reason = showText(why);
  const refusal = fetched.kind === 'unusable' ? maskRefusal(fetched.refusal) : undefined;
  const day = date === undefined ? null : showDate(date);
  const text = printable(`paydrop: ${[day ?? [], file ?? []].flat().join(', ')}: ${reason}`);
  return { json: { date: day, file, outcome: fetched.kind, reason, refusal }, text, exitCode };
}
