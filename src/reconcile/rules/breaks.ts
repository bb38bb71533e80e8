/**
 * The life of breaks across days and versions of a statement: a break stays open, with its age, until later evidence
 * closes it. Our own records that rest on the differing line are no such evidence.
 */
import { inEnglish, type Message } from '../../core/message.ts';
import type { MoneyMoved } from '../../payout/rules/search.ts';
import { dayMs } from '../../core/bangkok-time.ts';
import { parseBaht, type Satang, zeroSatang } from '../../core/money.ts';
import { bookStatusOf, findOwnLines } from './evidence.ts';
import type { StatementLine } from './statement.ts';
import {
  breakKinds,
  type BreakAcceptance,
  type BreakClosure,
  type BreakFinding,
  type BreakKind,
  type BreakRecord,
  type DayFacts,
  isAccepted,
  type Judgement,
  type Severity,
  severities,
} from './types.ts';

/** The change of one break. `kept` changes at most the version. */
export interface BreakMove {
  readonly kind: 'opened' | 'kept' | 'changed' | 'closed';
  readonly record: BreakRecord;
}

/** A new matching of one key of one day, with the breaks of that key and day so far. */
interface Rejudged {
  readonly facts: DayFacts;
  readonly judgement: Judgement;
  /** Open breaks, and those that people have accepted. */
  readonly standing: readonly BreakRecord[];
  /** Judged version of the day's statement. */
  readonly version: number;
  readonly nowMs: number;
}

/** The effect of a matching on the breaks of its key, most severe first; closed ones come last. */
export function followBreaks(rejudged: Rejudged): readonly BreakMove[] {
  const { judgement, standing } = rejudged;
  const open = standing.filter(({ state }) => state === 'open');
  const news = judgement.breaks.filter((finding) => !isStillAccepted(finding, rejudged));
  const shown = news.map((finding) => {
    const move = showBreak(finding, rejudged);
    return finding.isResolved === true ? closeResolved(move.record, rejudged) : move;
  });
  const gone = open
    .filter(({ kind }) => !judgement.breaks.some((finding) => finding.kind === kind))
    .map((record) => (isAdmittedByUs(record, rejudged) ? stay(record, rejudged) : close(record, rejudged)));
  return [...shown, ...gone];
}

const findOpen = (kind: BreakKind, { standing }: Rejudged): BreakRecord | undefined =>
  standing.find((record) => record.state === 'open' && record.kind === kind);

/**
 * True when people have accepted the break, and it still says the same. One that is more severe, or rests on other
 * lines, words or another outcome, is not the accepted one, and is opened anew.
 */
function isStillAccepted(finding: BreakFinding, rejudged: Rejudged): boolean {
  const { standing, facts } = rejudged;
  const accepted = standing.findLast((record) => isAccepted(record) && record.kind === finding.kind);
  if (accepted === undefined || findOpen(finding.kind, rejudged) !== undefined) return false;
  if (finding.isResolved === true) return true;
  const isNoWorse = moreSevere(accepted.severity, finding.severity) === accepted.severity;
  const isSaidTheSame = withoutNumbers(accepted.reason) === withoutNumbers(finding.reason);
  const areLinesSame = areSameLines(withoutPlace(accepted.lines), withoutPlace(facts.lines));
  return isNoWorse && isSaidTheSame && areLinesSame && !isOutcomeOther(accepted, facts);
}

/** The text without numbers: lines and order give the figures, and a line's place in the file may change. */
const withoutNumbers = (reason: Message): string => inEnglish(reason).replaceAll(/\d+/g, '');

/** The content of lines, without their place in the file. */
const withoutPlace = (lines: readonly StatementLine[]): readonly StatementLine[] =>
  lines.map((line) => ({ ...line, line: 0, no: '' })).toSorted(byContent);

const contentOf = (line: StatementLine): string => Object.values(line).map(String).join('\n');
const byContent = (one: StatementLine, other: StatementLine): number =>
  contentOf(one) < contentOf(other) ? -1 : 1;

/** True when the attempt was settled at the acceptance, and is settled differently now. */
function isOutcomeOther({ attempt: then }: BreakRecord, { attempt: now }: DayFacts): boolean {
  if (then === null || now === undefined) return (then === null) !== (now === undefined);
  return bookStatusOf(then) !== 'pending' && bookStatusOf(then) !== bookStatusOf(now);
}

/** The break as closed by people who accept it. */
export const acceptBreak = (
  record: BreakRecord,
  acceptance: Omit<BreakAcceptance, 'kind'>,
  nowMs: number,
): BreakRecord => ({
  ...record,
  state: 'closed',
  closedAtMs: nowMs,
  closedBy: { kind: 'accepted', ...acceptance },
});

/** Opens or keeps a break, without the parts of a finding that only hold for this matching. */
function showBreak({ kind, severity, date, lineAt, reason }: BreakFinding, rejudged: Rejudged): BreakMove {
  const finding = { kind, severity, date, lineAt, reason };
  const known = findOpen(kind, rejudged);
  return known === undefined ? openBreak(finding, rejudged) : keepBreak(known, finding, rejudged);
}

/** Closes a break at once: newer evidence was there first, or has come since. */
function closeResolved(record: BreakRecord, { facts, nowMs }: Rejudged): BreakMove {
  const closedBy = findResolution(facts, record.date);
  return { kind: 'closed', record: { ...record, state: 'closed', closedAtMs: nowMs, closedBy } };
}

/**
 * The closure by the last statement that mentions the transfer; without one, our own side has been settled differently.
 */
function findResolution({ attempt, otherDayLines }: DayFacts, date: string): BreakClosure {
  const last = otherDayLines
    .map((other) => other.date)
    .toSorted()
    .at(-1);
  if (last !== undefined && last > date) return { kind: 'later-statement', date: last };
  if (attempt === undefined) throw new RangeError('what is not ours was settled by us');
  return { kind: 'settled', attemptStatus: attempt.attemptStatus };
}

function openBreak(finding: BreakFinding, { facts, version, nowMs }: Rejudged): BreakMove {
  const record: BreakRecord = {
    ...finding,
    key: facts.key,
    version,
    attempt: facts.attempt ?? null,
    lines: facts.lines,
    openedAtMs: nowMs,
    state: 'open',
    closedAtMs: null,
    closedBy: null,
  };
  return { kind: 'opened', record };
}

const moreSevere = (a: Severity, b: Severity): Severity =>
  severities.indexOf(a) <= severities.indexOf(b) ? a : b;

function keepBreak(
  known: BreakRecord,
  finding: BreakFinding,
  { facts, version }: Pick<Rejudged, 'facts' | 'version'>,
): BreakMove {
  const isSameVersion = known.version === version;
  // While the statement says the same, our own answer to it does not lower the severity.
  const severity = isSameVersion ? moreSevere(known.severity, finding.severity) : finding.severity;
  const { lines } = facts;
  const attempt = facts.attempt ?? known.attempt;
  // Nor does our answer change the reason that the statement gave.
  const reason = severity === finding.severity ? finding.reason : known.reason;
  const record: BreakRecord = { ...known, ...finding, reason, severity, version, attempt, lines };
  const isSame = inEnglish(known.reason) === inEnglish(reason) && known.severity === severity;
  return { kind: isSame ? 'kept' : 'changed', record };
}

/**
 * True when the bank paid a transfer that we had called failed, or whose payout was already paid: we call it paid by
 * now, but a person must still look.
 */
function isAdmittedByUs(record: BreakRecord, { facts }: Rejudged): boolean {
  return (
    (record.kind === 'status-mismatch' || record.kind === 'paid-twice') &&
    record.severity === 'critical' &&
    facts.lines.some(({ status }) => status === 'complete')
  );
}

/** Keeps the break, with our side as it was at the opening. */
function stay(record: BreakRecord, { facts, version }: Rejudged): BreakMove {
  return { kind: 'kept', record: { ...record, version, lines: facts.lines } };
}

/**
 * Closes a break. One of an interrupted matching has this version's number, too, although the file may have been
 * another: if its lines are not in this one, it was last seen in the version before.
 */
function close(record: BreakRecord, rejudged: Rejudged): BreakMove {
  const { facts, version, nowMs } = rejudged;
  const isGone = record.version === version && !areSameLines(record.lines, facts.lines);
  const seenIn = isGone ? version - 1 : record.version;
  const isOtherFile = isGone && !areSameLines(withoutMeaning(record.lines), withoutMeaning(facts.lines));
  const closedBy: BreakClosure = isOtherFile ? { kind: 'corrected', version } : findClosure(record, rejudged);
  return {
    kind: 'closed',
    record: { ...record, version: seenIn, state: 'closed', closedAtMs: nowMs, closedBy },
  };
}

/** True when both are the same lines of one file. */
export function areSameLines(some: readonly StatementLine[], others: readonly StatementLine[]): boolean {
  return some.length === others.length && some.every((line, at) => isSameLine(line, others[at]));
}

const isSameLine = (line: StatementLine, other: StatementLine | undefined): boolean =>
  other !== undefined &&
  (Object.keys(line) as (keyof StatementLine)[]).every((name) => line[name] === other[name]);

/** Lines as in the file: the meaning of the word in STATUS depends on the settings. */
const withoutMeaning = (lines: readonly StatementLine[]): readonly StatementLine[] =>
  lines.map((line) => ({ ...line, status: 'other' }));

function findClosure(record: BreakRecord, { facts, version }: Rejudged): BreakClosure {
  const { attempt, otherDayLines, lines } = facts;
  const [found] = attempt === undefined ? otherDayLines : findOwnLines(attempt, otherDayLines);
  if (record.lineAt === null && lines.length === 0 && found !== undefined) {
    return { kind: 'later-statement', date: found.date };
  }
  if (version > record.version) return { kind: 'corrected', version };
  if (attempt !== undefined && attempt.attemptStatus !== record.attempt?.attemptStatus) {
    return { kind: 'settled', attemptStatus: attempt.attemptStatus };
  }
  // A line that repeated the transfer's own day no longer does: that day was corrected.
  if (attempt !== undefined && record.kind === 'duplicate-line' && attempt.order.tranDate !== record.date) {
    return { kind: 'later-statement', date: attempt.order.tranDate };
  }
  return { kind: 'judged-anew' };
}

/** The amount that moved by the bank's line; the ordered amount without a readable line. */
export function amountOfBreak({ lines, lineAt, attempt }: BreakRecord): Satang {
  const line = lines[lineAt ?? -1];
  const ordered = parseBaht(attempt?.order.amountText ?? '');
  const isListed = line !== undefined && (line.fault === '' || ordered === undefined);
  return isListed ? line.amountSatang : (ordered ?? zeroSatang);
}

/** Whole days for which a break has been, or was, open. */
export function computeAgeDays({ openedAtMs, closedAtMs }: BreakRecord, nowMs: number): number {
  return Math.max(0, Math.floor(((closedAtMs ?? nowMs) - openedAtMs) / dayMs));
}

/** Version of the break that a decision was based on; if it differs, the break has changed. */
export const versionOfBreak = ({ severity, version, openedAtMs, reason }: BreakRecord): string =>
  [severity, version, openedAtMs, inEnglish(reason)].join(' ');

/** Whether money moved, by the bank's lines of a break. */
export function moneyMovedOfBreak({ lines, attempt }: Pick<BreakRecord, 'lines' | 'attempt'>): MoneyMoved {
  const statuses = new Set(lines.map(({ status }) => status));
  const [only] = statuses;
  if (statuses.size !== 1) return 'unknown';
  if (only === 'complete') return 'yes';
  return only === 'failed' && attempt?.attemptStatus !== 'paid' ? 'no' : 'unknown';
}

/** Key of a break: day, kind and transfer; the last may contain any character. */
export const breakKeyOf = ({ date, kind, key }: Pick<BreakRecord, 'date' | 'kind' | 'key'>): string =>
  [date, kind, key].join('/');

/** The name of a break from its key; undefined for any other text. */
export function readBreakKey(key: string): Pick<BreakRecord, 'date' | 'kind' | 'key'> | undefined {
  const [date = '', word = '', ...rest] = key.split('/');
  const kind = breakKinds.find((name) => name === word);
  return kind === undefined ? undefined : { date, kind, key: rest.join('/') };
}
