/**
 * How breaks live across days and versions of a statement: one stays open, with its age, until later evidence closes it.
 * What we have recorded on the strength of the very line that differs is no such evidence.
 */
import {
  type BreakClosure,
  type BreakFinding,
  type BreakRecord,
  type Judgement,
  type KeyFacts,
  type Loudness,
} from './statement-types.ts';

/** What has become of one break. `kept` differs from before in its version at most. */
export interface BreakMove {
  readonly kind: 'opened' | 'kept' | 'changed' | 'closed';
  readonly record: BreakRecord;
}

/** A new judging of one key of one day, and the breaks of that key and day that are open so far. */
export interface Rejudged {
  readonly facts: KeyFacts;
  readonly judgement: Judgement;
  readonly open: readonly BreakRecord[];
  /** Version of the day's statement that was judged. */
  readonly version: number;
  readonly nowMs: number;
}

/** Says what the judging of a key means for its breaks, the loudest first, those that are closed last. */
export function followBreaks(rejudged: Rejudged): readonly BreakMove[] {
  const { judgement, open } = rejudged;
  const shown = judgement.breaks.map((finding) => {
    const move = showBreak(finding, rejudged);
    return finding.isAnswered === true ? closeAnswered(move.record, rejudged) : move;
  });
  const gone = open
    .filter(({ kind }) => !judgement.breaks.some((finding) => finding.kind === kind))
    .map((record) => (isAnsweredByUs(record, rejudged) ? stay(record, rejudged) : close(record, rejudged)));
  return [...shown, ...gone];
}

/** A finding without what holds for this judging alone. */
function showBreak({ kind, loudness, date, lineAt, reason }: BreakFinding, rejudged: Rejudged): BreakMove {
  const finding = { kind, loudness, date, lineAt, reason };
  const known = rejudged.open.find((record) => record.kind === kind);
  return known === undefined ? openBreak(finding, rejudged) : keepBreak(known, finding, rejudged);
}

/** Newer evidence was there first, or has come since: the break is kept as one that it has closed. */
function closeAnswered(record: BreakRecord, { facts, nowMs }: Rejudged): BreakMove {
  const closedBy = findAnswer(facts, record.date);
  return { kind: 'closed', record: { ...record, state: 'closed', closedAtMs: nowMs, closedBy } };
}

/** The last statement that speaks of it; without one our own side has been settled otherwise. */
function findAnswer({ attempt, elsewhere }: KeyFacts, date: string): BreakClosure {
  const last = elsewhere
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

const loudnesses: readonly Loudness[] = ['loudest', 'loud', 'plain', 'quiet'];

const louder = (a: Loudness, b: Loudness): Loudness =>
  loudnesses.indexOf(a) <= loudnesses.indexOf(b) ? a : b;

function keepBreak(
  known: BreakRecord,
  finding: BreakFinding,
  { facts, version }: Pick<Rejudged, 'facts' | 'version'>,
): BreakMove {
  const isSameVersion = known.version === version;
  // While the statement says the same, what we have answered to it makes the break no quieter.
  const loudness = isSameVersion ? louder(known.loudness, finding.loudness) : finding.loudness;
  const { lines } = facts;
  const attempt = facts.attempt ?? known.attempt;
  const record: BreakRecord = { ...known, ...finding, loudness, version, attempt, lines };
  const isSame = known.reason === finding.reason && known.loudness === loudness;
  return { kind: isSame ? 'kept' : 'changed', record };
}

/** We had called it failed, the bank paid it, and by now we say so too: a person must still look. */
function isAnsweredByUs(record: BreakRecord, { facts }: Rejudged): boolean {
  return (
    record.kind === 'status-differs' &&
    record.loudness === 'loudest' &&
    facts.lines.some(({ status }) => status === 'complete')
  );
}

/** Our side stays as it was when the break was opened. */
function stay(record: BreakRecord, { facts, version }: Rejudged): BreakMove {
  return { kind: 'kept', record: { ...record, version, lines: facts.lines } };
}

function close(record: BreakRecord, rejudged: Rejudged): BreakMove {
  const closedBy = findClosure(record, rejudged);
  return { kind: 'closed', record: { ...record, state: 'closed', closedAtMs: rejudged.nowMs, closedBy } };
}

function findClosure(record: BreakRecord, { facts, version }: Rejudged): BreakClosure {
  const [found] = facts.elsewhere;
  const attemptStatus = facts.attempt?.attemptStatus;
  if (record.lineAt === null && facts.lines.length === 0 && found !== undefined) {
    return { kind: 'later-statement', date: found.date };
  }
  if (version > record.version) return { kind: 'corrected', version };
  if (attemptStatus !== undefined && attemptStatus !== record.attempt?.attemptStatus) {
    return { kind: 'settled', attemptStatus };
  }
  return { kind: 'judged-anew' };
}

const dayMs = 86_400_000;

/** Whole days that a break has been, or was, open. */
export function computeAgeDays({ openedAtMs, closedAtMs }: BreakRecord, nowMs: number): number {
  return Math.max(0, Math.floor(((closedAtMs ?? nowMs) - openedAtMs) / dayMs));
}
