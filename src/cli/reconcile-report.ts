/** What a person, or a program, reads of a reconciled day: figures that tie out, what was settled, breaks and files. */
import { formatBangkokMoment } from '../core/bangkok-time.ts';
import { printable } from '../core/cell-text.ts';
import { formatBaht, toSatang } from '../core/money.ts';
import { showDate } from '../payout/rules/lost-journal.ts';
import type { NotFetched } from '../reconcile/fetch.ts';
import { type AcceptedStatement, type StatementRefusal, wholeDay } from '../reconcile/ports.ts';
import type { Reconciled } from '../reconcile/reconcile.ts';
import type { Recorded } from '../reconcile/record.ts';
import { describeBreakRemedy } from '../reconcile/rules/break-remedies.ts';
import { computeAgeDays } from '../reconcile/rules/breaks.ts';
import { isBreakKind } from '../reconcile/rules/tally.ts';
import type { BreakKind, BreakRecord, Figures, LineClass, PaidClass } from '../reconcile/rules/types.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { showBaht, showCount } from './views/amounts.ts';
import { sandboxBanner } from './views/shown.ts';

/** What a report is made of. */
export interface ReconcileReport {
  readonly reconciled: Reconciled;
  /** Of the day, the loudest first; no more than are shown. */
  readonly breaks: readonly BreakRecord[];
  readonly openBreaks: ReadonlyMap<BreakKind, number>;
  /** Result updates that were written; undefined when some are due and another process has the right to send. */
  readonly updates: readonly string[] | undefined;
  /** That process is a watcher, which writes them. */
  readonly isWatched: boolean;
  /** Some could not be written: the error follows the report. */
  readonly isShortOfUpdates: boolean;
  readonly isSandbox: boolean;
  readonly nowMs: number;
}

/** Breaks that are shown on a screen; the file has them all. */
export const breaksShownMax = 20;

export function countAll(openBreaks: ReadonlyMap<BreakKind, number>): number {
  return [...openBreaks.values()].reduce((all, rows) => all + rows, 0);
}

type Places = ReadonlyMap<LineClass | PaidClass, Figures>;

function sum(places: Places, isWanted: (place: LineClass | PaidClass) => boolean): Figures {
  let count = 0;
  let satang = 0n;
  for (const [place, figures] of places) {
    if (!isWanted(place)) continue;
    count += figures.count;
    satang += figures.satang;
  }
  return { count, satang: toSatang(satang) };
}

/** matched + others' + breaks = total, as both sides are shown. */
function summariseSide(places: Places) {
  return {
    matched: sum(places, (place) => place !== 'others' && !isBreakKind(place)),
    others: sum(places, (place) => place === 'others'),
    breaks: sum(places, isBreakKind),
    total: sum(places, () => true),
  };
}

type Cells = readonly [label: string, count: string, baht: string];

const cellsOf = (label: string, figures: Figures): Cells => [
  label,
  showCount(figures.count),
  showBaht(figures.satang),
];

function layOut(rows: readonly Cells[]): string[] {
  const widths = [0, 1, 2].map((place) => Math.max(...rows.map((row) => (row[place] ?? '').length)));
  return rows.map(([label, count, baht]) =>
    `${label.padEnd(widths[0] ?? 0)}  ${count.padStart(widths[1] ?? 0)}  ${baht.padStart(widths[2] ?? 0)}`.trimEnd(),
  );
}

type Words<Place extends string> = Readonly<Record<Exclude<Place, BreakKind | 'others'>, string>>;

/** What lines are that match, the other side being of one mind with them. */
const lineWords: Words<LineClass> = {
  matched: 'paid',
  'matched-other-day': 'paid, sent on another day',
  'settled-paid': 'paid, in doubt before',
  'settled-paid-other-day': 'paid, in doubt before, sent on another day',
  'agreed-failed': 'failed on both sides',
  'settled-failed': 'failed, in doubt before',
};

/** Where payouts are found that we call paid. */
const paidWords: Words<PaidClass> = {
  matched: 'in the statement',
  'settled-paid': 'in the statement, in doubt before',
  'found-other-day': "in another day's statement",
};

/** What the matched ones are made of, where they are of several kinds: failed ones have an amount, too. */
function renderMatched(places: Places, words: Readonly<Record<string, string>>): Cells[] {
  const kinds = [...places].flatMap(([place, figures]) => {
    const word = words[place];
    return word === undefined ? [] : [[place, cellsOf(`  ${word}`, figures)] as const];
  });
  return kinds.every(([place]) => place === 'matched') ? [] : kinds.map(([, cells]) => cells);
}

function renderSide(title: string, places: Places, words: Readonly<Record<string, string>>): string[] {
  const { matched, others, breaks, total } = summariseSide(places);
  const rows: Cells[] = [
    [title, 'Count', 'Baht'],
    cellsOf('matched', matched),
    ...renderMatched(places, words),
    ...(others.count === 0 ? [] : [cellsOf("other companies'", others)]),
    cellsOf('breaks', breaks),
    ...[...places]
      .filter(([place]) => isBreakKind(place))
      .map(([place, figures]) => cellsOf(`  ${place}`, figures)),
    cellsOf('total', total),
  ];
  return layOut(rows);
}

function renderHead({ reconciled, isSandbox }: ReconcileReport): string[] {
  const { statement, isRepeat, supersedes } = reconciled;
  const { date, version, acceptedAtMs } = statement;
  const before = isRepeat
    ? 'the same as before: nothing of it is recorded again'
    : supersedes === undefined
      ? 'the first of the day'
      : `supersedes version ${supersedes}`;
  return [
    ...(isSandbox ? [sandboxBanner, ''] : []),
    `Statement  ${showDate(date)}, version ${version}, ${before}`,
    `Accepted   ${formatBangkokMoment(acceptedAtMs)}`,
    `Original   ${statement.originalPath}`,
    '',
  ];
}

/** Causes after which a person must look, whatever breaks are open. */
const alarmCauses: ReadonlySet<string> = new Set([
  'late-proof',
  'second-proof',
  'statement-contradicts',
  'earlier-attempt-alive',
  'alarm-raised',
]);

/** Payouts about which this matching has raised an alarm. */
function countAlarms({ causes }: Recorded): number {
  let alarms = 0;
  for (const [cause, rows] of causes) if (alarmCauses.has(cause)) alarms += rows;
  return alarms;
}

/** Nothing is left for a person: no break is open on the day, none was opened on another, and no alarm was raised. */
export function isQuiet(openBreaks: ReadonlyMap<BreakKind, number>, recorded: Recorded): boolean {
  return countAll(openBreaks) === 0 && recorded.openedOnOtherDays === 0 && countAlarms(recorded) === 0;
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

function renderChanges({ reconciled: { recorded, statement, isRepeat } }: ReconcileReport): string[] {
  const causes = [...recorded.causes].map(([cause, rows]) => `  ${causeWords[cause] ?? cause}: ${rows}`);
  const { opened, changed, closed } = recorded;
  const moved = opened + changed + closed;
  const figures = isRepeat ? [] : statement.changes.figures;
  return [
    ...(causes.length === 0 ? [] : ['Payouts changed', ...causes]),
    ...(moved === 0 ? [] : [`Breaks: ${opened} opened, ${changed} changed, ${closed} closed`]),
    ...(figures.length === 0 ? [] : ['Figures that differ from the version before']),
    ...figures.map(
      ({ side, place, before, after }) =>
        `  ${side} ${place}: ${showChangedFigures(before)} -> ${showChangedFigures(after)}`,
    ),
  ];
}

function renderBreak(record: BreakRecord, nowMs: number, ofDay = ''): string[] {
  const name = record.attempt?.payoutId ?? record.key;
  const age = computeAgeDays(record, nowMs);
  const since = age === 0 ? '' : `, open for ${age} ${age === 1 ? 'day' : 'days'}`;
  return [
    `  ${ofDay}${record.kind} (${record.loudness}${since})  ${name}: ${record.reason}`,
    `    ${describeBreakRemedy(record)}`,
  ];
}

function renderBreaks(report: ReconcileReport): string[] {
  const { breaks, openBreaks, nowMs, reconciled } = report;
  const all = countAll(openBreaks);
  const otherDays = renderOtherDays(report);
  if (all === 0) {
    if (isQuiet(openBreaks, reconciled.recorded)) return ['Open breaks: none'];
    return [`Open breaks of ${showDate(reconciled.statement.date)}: 0`, ...otherDays];
  }
  const kinds = [...openBreaks].map(([kind, rows]) => `${rows} ${kind}`).join(', ');
  const shown = breaks.flatMap((record) => renderBreak(record, nowMs));
  const rest = all > breaks.length ? [`  and ${all - breaks.length} more: see the breaks file`] : [];
  return [`Open breaks: ${all} (${kinds})`, ...shown, ...rest, ...otherDays];
}

/** What this matching has brought up beside the day's own breaks. */
function renderOtherDays({ reconciled: { recorded }, nowMs }: ReconcileReport): string[] {
  const { openedOnOtherDays: all, firstOnOtherDays: first } = recorded;
  const alarms = countAlarms(recorded);
  const rest = all > first.length ? [`  and ${all - first.length} more: see the breaks file`] : [];
  return [
    ...(all === 0 ? [] : [`Breaks opened on other days: ${all}`]),
    ...first.flatMap((record) => renderBreak(record, nowMs, `${showDate(record.date)} `)),
    ...rest,
    ...(alarms === 0 ? [] : [`Alarms raised: ${alarms}; see "Payouts changed" above and "paydrop status"`]),
  ];
}

const watcherWrites = 'The watcher that runs writes the result updates.';
const updatesAreDue =
  'Result updates are due, and another process has the right to send: reconcile the day again when it has ended.';

function renderFiles({
  reconciled: { files },
  updates,
  isWatched,
  isShortOfUpdates,
}: ReconcileReport): string[] {
  const lines = files.map(
    ({ kind, path, state }) =>
      `  ${kind.padEnd(7)}  ${path}${state === 'gone' ? '  (taken away since)' : ''}`,
  );
  const told =
    updates === undefined
      ? [isWatched ? watcherWrites : updatesAreDue]
      : updates.map((path) => `  update   ${path}`);
  const short = isShortOfUpdates
    ? ['Not every result update could be written: mend what the error says and run it again.']
    : [];
  return ['Files', ...lines, ...told, ...short];
}

/** A day with breaks does not tie out, though each side adds up; and nobody knows of one that goes on. */
function renderVerdict({ openBreaks, reconciled: { statement } }: ReconcileReport): string {
  const isWhole = isWholeDay(statement);
  const verdict =
    countAll(openBreaks) === 0 && isWhole
      ? 'Both sides tie out to the satang'
      : 'Each side adds up to the satang';
  const rest = isWhole ? '' : ' The day had not ended: reconcile it again.';
  return `${verdict}: matched and breaks make up each total.${rest}`;
}

const isWholeDay = ({ reading }: AcceptedStatement): boolean => reading.endsWith(` ${wholeDay}`);

/** Plain text for stdout, without a last line end. */
export function renderReport(report: ReconcileReport): string {
  const { statement, totals } = report.reconciled;
  const { feeSatang, netSatang } = statement.statement;
  const changes = renderChanges(report);
  return [
    ...renderHead(report),
    ...renderSide('Statement', totals.lines, lineWords),
    `fees ${showBaht(feeSatang)}, net ${showBaht(netSatang)}`,
    '',
    ...renderSide('Paid by us', totals.paid, paidWords),
    renderVerdict(report),
    '',
    ...changes,
    ...(changes.length === 0 ? [] : ['']),
    ...renderBreaks(report),
    '',
    ...renderFiles(report),
  ]
    .map(printable)
    .join('\n');
}

const describeBreak = (record: BreakRecord, nowMs: number): object => ({
  date: showDate(record.date),
  kind: record.kind,
  loudness: record.loudness,
  payoutId: record.attempt?.payoutId ?? null,
  transRefNo: record.attempt?.order.transRefNo ?? record.lines[record.lineAt ?? -1]?.transRefNo ?? null,
  reason: record.reason,
  remedy: describeBreakRemedy(record),
  ageDays: computeAgeDays(record, nowMs),
});

const describeFigures = ({ count, satang }: Figures): object => ({ count, amount: formatBaht(satang) });

const describeSide = (places: Places): object => ({
  ...Object.fromEntries(
    Object.entries(summariseSide(places)).map(([name, figures]) => [name, describeFigures(figures)]),
  ),
  places: Object.fromEntries([...places].map(([place, figures]) => [place, describeFigures(figures)])),
});

/** The same for a program; amounts as decimal baht. */
export function describeReport(report: ReconcileReport): object {
  const { reconciled, breaks, openBreaks, updates, isShortOfUpdates, isSandbox, nowMs } = report;
  const { statement, totals, recorded, isRepeat, supersedes, files } = reconciled;
  return {
    date: showDate(statement.date),
    version: statement.version,
    isRepeat,
    isWhole: isWholeDay(statement),
    supersedes: supersedes ?? null,
    isSandbox,
    original: statement.originalPath,
    sha256: statement.sha256,
    statement: describeSide(totals.lines),
    paid: describeSide(totals.paid),
    fees: formatBaht(statement.statement.feeSatang),
    net: formatBaht(statement.statement.netSatang),
    payoutsChanged: Object.fromEntries(recorded.causes),
    breaks: { opened: recorded.opened, changed: recorded.changed, closed: recorded.closed },
    differences: isRepeat ? [] : statement.changes.figures,
    openBreaks: { count: countAll(openBreaks), byKind: Object.fromEntries(openBreaks) },
    loudestBreaks: breaks.map((record) => describeBreak(record, nowMs)),
    openedOnOtherDays: {
      count: recorded.openedOnOtherDays,
      breaks: recorded.firstOnOtherDays.map((record) => describeBreak(record, nowMs)),
    },
    alarms: countAlarms(recorded),
    files: files.map(({ kind, path }) => ({ kind, path })),
    updates: updates ?? null,
    isShortOfUpdates,
  };
}

// ---------------------------------------------------------------- no statement

/** What was to be reconciled. */
export interface Subject {
  /** YYYYMMDD; undefined for a file whose day is not known. */
  readonly date: string | undefined;
  /** A file that a person has given. */
  readonly file: string | undefined;
}

/** Codes of what is no file at all, rather than a file that is not as it should be. */
const isNoFile = ({ code }: StatementRefusal): boolean =>
  /^file-(?:missing|directory|link|special|unreadable)$/.test(code);

function explainRefusal(refusal: StatementRefusal): string {
  const { line, column, message } = refusal;
  if (isNoFile(refusal)) return message;
  const place = [line === null ? [] : `line ${line}`, column ?? []].flat().join(', ');
  return `the statement is refused, nothing of it is used: ${place === '' ? '' : `${place}: `}${message}`;
}

/** Why there is no statement, with what to do, and the exit code that goes with it. */
function explain(fetched: NotFetched): { readonly text: string; readonly exitCode: ExitCode } {
  switch (fetched.kind) {
    case 'not-found':
      return {
        text: 'the bank has no statement of this day, or not yet: ask again later (--wait), or ask the bank',
        exitCode: exitCodes.fileRejected,
      };
    case 'refused':
      return {
        text: `the bank gives no statement (${fetched.code}: ${fetched.text}): see reconcile.companyId and reconcile.dateField in the settings, or ask the bank`,
        exitCode: exitCodes.fileRejected,
      };
    case 'not-allowed':
      return {
        text: `the bank does not let us ask for statements (${fetched.code}): ${fetched.text}`,
        exitCode: exitCodes.stoppedShort,
      };
    case 'unavailable':
      return {
        text: `the statement cannot be had now: ${fetched.why}; run it again`,
        exitCode: exitCodes.stoppedShort,
      };
    case 'unusable':
      return { text: explainRefusal(fetched.refusal), exitCode: exitCodes.fileRejected };
  }
}

/** Says on stderr, or as JSON on stdout, why there is no statement. */
export function complain({ date, file }: Subject, fetched: NotFetched, json: boolean): ExitCode {
  const { text, exitCode } = explain(fetched);
  const refusal = fetched.kind === 'unusable' ? { ...fetched.refusal } : undefined;
  const day = date === undefined ? null : showDate(date);
  if (json)
    process.stdout.write(
      `${JSON.stringify({ date: day, file, outcome: fetched.kind, reason: text, refusal })}\n`,
    );
  else process.stderr.write(`paydrop: ${[day ?? [], file ?? []].flat().join(', ')}: ${text}\n`);
  return exitCode;
}
