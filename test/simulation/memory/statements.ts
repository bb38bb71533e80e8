/** What the simulated journal keeps of statements: as much of the port as `reconcile` asks of it. */
import type { Attempt, PayoutStatus } from '../../../src/core/payout.ts';
import type { AttemptKey } from '../../../src/core/ports.ts';
import {
  type Deferred,
  isOfWholeDay,
  isUnread,
  StatementOvertakenError,
  type StatementRun,
  type StatementStore,
  type StatementView,
} from '../../../src/reconcile/ports.ts';
import { rebuildLine } from '../../../src/reconcile/rules/differences.ts';
import { isRepeatedOnDay, statusesInDoubt } from '../../../src/reconcile/rules/evidence.ts';
import type { StatementLine } from '../../../src/reconcile/rules/statement.ts';
import {
  type AttemptFacts,
  type BreakRecord,
  type DayLines,
  factsOf,
  isAccepted,
  severities,
} from '../../../src/reconcile/rules/types.ts';
import { isInDoubt, takeView } from './reads.ts';
import {
  type MemoryStatements,
  type MemoryStore,
  requireRow,
  type StoredBreak,
  type StoredEvent,
  type StoredLine,
} from './store.ts';

// ---------------------------------------------------------------- the store at one moment

/** What an event says, as far as a statement asks for it. */
interface EventDetail {
  readonly transRefNo?: string;
  readonly failedBy?: string;
  readonly statement?: string;
}

const detailOf = ({ detail }: StoredEvent): EventDetail => JSON.parse(detail) as EventDetail;

function isFailedByStatement(store: MemoryStore, { payoutSeq, status, order }: Attempt): boolean {
  if (status !== 'failed') return false;
  return store.events.some((event) => {
    if (event.payoutSeq !== payoutSeq) return false;
    const { transRefNo, failedBy } = detailOf(event);
    const isByStatement = failedBy === 'statement' || event.cause === 'statement-failed';
    return isByStatement && transRefNo === order.transRefNo;
  });
}

function toFacts(store: MemoryStore, attempt: Attempt): AttemptFacts {
  const { payout } = requireRow(store, attempt.payoutSeq);
  const others = store.attempts.get(attempt.payoutSeq) ?? [];
  const isPaidOtherwise =
    payout.isAlarm &&
    others.some(({ attemptNo, status }) => attemptNo !== attempt.attemptNo && status === 'paid');
  return {
    ...factsOf(payout, attempt),
    isPaidOtherwise,
    isFailedByStatement: isFailedByStatement(store, attempt),
    isRepeatedOnDay: isRepeatedOnDay(attempt, others),
  };
}

function allAttempts(store: MemoryStore): Attempt[] {
  return [...store.attempts.keys()].toSorted((a, b) => a - b).flatMap((seq) => store.attempts.get(seq) ?? []);
}

function findAttempt(store: MemoryStore, transRefNo: string): Attempt | undefined {
  return (store.references.get(transRefNo) ?? [])
    .flatMap((seq) => store.attempts.get(seq) ?? [])
    .filter(({ order }) => order.transRefNo === transRefNo)
    .toSorted(
      (one, other) => Math.sign(one.sends) - Math.sign(other.sends) || one.attemptNo - other.attemptNo,
    )
    .at(-1);
}

const rowStatusOf = (store: MemoryStore, { payoutSeq }: Attempt): PayoutStatus =>
  requireRow(store, payoutSeq).payout.status;

function makeAttemptViews(store: MemoryStore) {
  return {
    async *attemptsOfDay(date) {
      yield allAttempts(store)
        .filter(({ order }) => order.tranDate === date)
        .filter((attempt) => findAttempt(store, attempt.order.transRefNo) === attempt)
        .map((attempt) => {
          const { payoutSeq, attemptNo, order, status } = attempt;
          const { amountSatang } = requireRow(store, payoutSeq).payout.instruction;
          const known = { payoutSeq, attemptNo, transRefNo: order.transRefNo, status, amountSatang };
          return { ...known, isFailedByStatement: isFailedByStatement(store, attempt) };
        });
    },
    attempt: ({ payoutSeq, attemptNo }) => {
      const found = store.attempts.get(payoutSeq)?.find((one) => one.attemptNo === attemptNo);
      if (found === undefined) throw new Error(`payout ${payoutSeq} has no attempt ${attemptNo}`);
      return toFacts(store, found);
    },
    byReference: async (references) => {
      const found = references.flatMap((reference) => findAttempt(store, reference) ?? []);
      return new Map(found.map((attempt) => [attempt.order.transRefNo, toFacts(store, attempt)]));
    },
    async *attemptsInDoubt() {
      yield allAttempts(store)
        .filter(({ payoutSeq }) => isInDoubt(requireRow(store, payoutSeq)))
        .filter(({ status }) => (statusesInDoubt as readonly string[]).includes(status))
        .map((attempt) => toFacts(store, attempt));
    },
    attemptsProvedLate: async () =>
      allAttempts(store)
        .filter((attempt) => attempt.status === 'paid' && attempt.lastFinding === 'complete')
        .filter((attempt) => rowStatusOf(store, attempt) === 'paid')
        .filter(({ payoutSeq }) => requireRow(store, payoutSeq).payout.isAlarm)
        .map((attempt) => toFacts(store, attempt)),
  } satisfies Partial<StatementView>;
}

const presentVersion = ({ versions }: MemoryStatements, date: string): number =>
  Math.max(0, ...versions.filter((one) => one.date === date).map(({ version }) => version));

function presentLines(statements: MemoryStatements): readonly StoredLine[] {
  return statements.lines.filter(({ date, version }) => version === presentVersion(statements, date));
}

function makeLineViews({ statements }: MemoryStore) {
  const present = presentLines(statements);
  const findClean = (on: string, { payoutSeq, attemptNo }: AttemptKey): StoredLine | undefined =>
    present.find(
      ({ date, clean }) => date === on && clean?.payoutSeq === payoutSeq && clean.attemptNo === attemptNo,
    );
  const linesOf = (key: string, attempt: AttemptFacts | undefined): readonly DayLines[] => {
    const found = present.flatMap((one) =>
      one.key === key && one.cells !== undefined ? [{ date: one.date, line: one.cells }] : [],
    );
    const clean = attempt === undefined ? undefined : findClean(attempt.order.tranDate, attempt);
    if (attempt !== undefined && clean !== undefined)
      found.unshift({ date: clean.date, line: rebuildLine(attempt, clean.line) });
    const sorted = found.toSorted((one, other) => one.line.line - other.line.line);
    return [...Map.groupBy(sorted, ({ date }) => date)]
      .map(([date, lines]) => ({ date, lines: lines.map(({ line }) => line) }))
      .toSorted((one, other) => (one.date < other.date ? -1 : 1));
  };
  return {
    withCleanLine: async (date, places) => places.filter((place) => findClean(date, place) !== undefined),
    linesOf: async (keys, attempts) => {
      const known = new Map([...attempts].map((attempt) => [attempt.order.transRefNo, attempt]));
      const found = keys.map((key) => [key, linesOf(key, known.get(key))] as const);
      return new Map(found.filter(([, days]) => days.length > 0));
    },
    async *unclearKeysOf(on) {
      yield present.flatMap(({ date, key, cells }) => (date === on && cells ? [key ?? ''] : []));
    },
  } satisfies Partial<StatementView>;
}

function openView(live: MemoryStore): StatementView {
  const store = takeView(live);
  const { statements } = store;
  const { versions, breaks, lines } = statements;
  const open = breaks.filter(({ state }) => state === 'open');
  const standing = breaks.filter((one) => one.state === 'open' || isAccepted(one));
  const present = [...new Map(versions.map((one) => [one.date, one])).values()];
  const datesOf = (isOne: (reading: string) => boolean) =>
    new Set(present.flatMap(({ date, reading }) => (isOne(reading) ? [date] : [])));
  const days: ReturnType<StatementView['days']> = {
    days: new Map(present.map(({ date, version }) => [date, version])),
    acceptedAtMs: new Map(present.map(({ date, acceptedAtMs }) => [date, acceptedAtMs])),
    wholeDates: datesOf(isOfWholeDay),
    unreadDates: datesOf(isUnread),
    provenances: new Map(present.map(({ date, provenance }) => [date, provenance])),
  };
  return {
    ...makeAttemptViews(store),
    ...makeLineViews(store),
    days: () => days,
    standingBreaks: async (keys) =>
      Map.groupBy(standing.filter(({ key }) => keys.includes(key)).map(toRecord), ({ key }) => key),
    async *keysWithBreaks(on) {
      yield standing.flatMap(({ date, key }) => (on === undefined || date === on ? [key] : []));
    },
    async *keysWithPast(on) {
      const withCells = lines.flatMap(({ key, cells }) => (cells === undefined ? [] : [key ?? '']));
      const keys = [...open.map(({ key }) => key), ...withCells];
      yield keys.filter((key) => findAttempt(store, key)?.order.tranDate === on);
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

const toRecord = ({ id: _id, movedBy: _movedBy, ...record }: StoredBreak): BreakRecord => record;

/** What is to be judged, by key. */
function openDeferred(): Deferred {
  const lines = new Map<string, Map<number, StatementLine | undefined>>();
  const put = (key: string, lineNo: number, line: StatementLine | undefined): void => {
    const known = lines.get(key) ?? new Map<number, StatementLine | undefined>();
    lines.set(key, known);
    if (lineNo > 0 && !known.has(lineNo)) known.set(lineNo, line);
  };
  return {
    put: (key, line) => put(key, line.line, line),
    putCounted: (key, lineNo) => put(key, lineNo, undefined),
    note: (keys) => {
      for (const key of keys) put(key, 0, undefined);
    },
    keys: () =>
      [...lines]
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([key, known]) => {
          const sorted = [...known].toSorted(([one], [other]) => one - other);
          return { key, lines: sorted.flatMap(([, line]) => line ?? []) };
        }),
    hasLine: (key) => (lines.get(key)?.size ?? 0) > 0,
    largestKey: () => Math.max(0, ...[...lines.values()].map(({ size }) => size)),
    [Symbol.dispose]: () => {},
  };
}

// ---------------------------------------------------------------- one matching

function keepBreak(statements: MemoryStatements, record: BreakRecord, movedBy: string): void {
  const { breaks } = statements;
  const isSame = (one: StoredBreak): boolean =>
    one.state === 'open' && one.date === record.date && one.key === record.key && one.kind === record.kind;
  const known = breaks.find(isSame);
  if (known === undefined) {
    statements.breaks = [...breaks, { ...record, id: breaks.length + 1, movedBy }];
    return;
  }
  const { id, openedAtMs } = known;
  const moved = { ...record, id, openedAtMs, movedBy };
  statements.breaks = breaks.map((one) => (one === known ? moved : one));
}

const withoutReading = ({ readings }: MemoryStatements, date: string): MemoryStatements['readings'] =>
  new Map([...readings].filter(([one]) => one !== date));

/** Those of a matching that broke off, too: its changes stand. */
function makeDue(statements: MemoryStatements, { date, runId }: StatementRun): void {
  statements.reports = statements.reports.map((one) =>
    one.date === date ? { ...one, runId, isDue: true } : one,
  );
}

function makeMatchingMethods(store: MemoryStore) {
  const { statements } = store;
  const requirePresent = ({ date, runId }: StatementRun): void => {
    if (statements.runId !== runId) throw new StatementOvertakenError(`the reading of ${date} was overtaken`);
  };
  const keep = (lines: readonly StoredLine[]): void => {
    statements.lines = [...statements.lines, ...lines];
  };
  return {
    // Nothing is ever archived.
    recall: async () => 0,
    beginStatement: async ({ runId }) => {
      statements.runId = runId;
    },
    beginRecording: async (run, version) => {
      requirePresent(run);
      const begun = { eventSeq: store.latestEventSeq, breaks: statements.breaks.length };
      statements.readings = new Map([[run.date, begun], ...statements.readings]);
      statements.lines = statements.lines.filter((one) => one.date !== run.date || one.version < version);
    },
    recordBreaks: async (run, moves) => {
      if (moves.length === 0) return undefined;
      requirePresent(run);
      // Nobody accepts a break here, so that each is as it was judged.
      for (const { record } of moves) keepBreak(statements, record, run.runId);
      return undefined;
    },
    recordLines: async (run, version, lines) => {
      if (lines.length === 0) return;
      requirePresent(run);
      keep(
        lines.map(({ key, line, hasCells }) => {
          const cells = hasCells ? line : undefined;
          return { date: run.date, version, line: line.line, clean: undefined, key, cells };
        }),
      );
    },
    recordCleanLines: async (run, version, lines) => {
      if (lines.length === 0) return;
      requirePresent(run);
      keep(
        lines.map(({ line, ...clean }) => {
          return { date: run.date, version, line, clean, key: undefined, cells: undefined };
        }),
      );
    },
    markReports: async (run, batchIds) => {
      if (batchIds.length === 0) return;
      requirePresent(run);
      const others = statements.reports.filter(
        ({ date, batchId }) => date !== run.date || !batchIds.includes(batchId),
      );
      statements.reports = [...others, ...batchIds.map((batchId) => ({ ...run, batchId, isDue: false }))];
    },
    acceptStatement: async (run, accepted) => {
      requirePresent(run);
      statements.versions = [...statements.versions, accepted];
      statements.readings = withoutReading(statements, run.date);
      makeDue(statements, run);
      return true;
    },
    endStatement: async (run) => {
      requirePresent(run);
      makeDue(statements, run);
    },
  } satisfies Partial<StatementStore>;
}

function makeStatementReads(store: MemoryStore) {
  const { statements } = store;
  return {
    statement: async (date) => statements.versions.findLast((one) => one.date === date),
    statementVersions: async (date) => statements.versions.filter((one) => one.date === date),
    brokenOff: async (on, limit) => {
      const begun = statements.readings.get(on);
      if (begun === undefined) return undefined;
      const opened = statements.breaks
        .filter(({ id, date, state }) => id > begun.breaks && date !== on && state === 'open')
        .map(toRecord);
      const causes = new Map<string, number>();
      for (const event of store.events) {
        if (event.seq <= begun.eventSeq || detailOf(event).statement === undefined) continue;
        causes.set(event.cause, (causes.get(event.cause) ?? 0) + 1);
      }
      return { openedOnOtherDays: opened.length, firstOnOtherDays: opened.slice(0, limit), causes };
    },
    async *breaksToShow({ date, runId }) {
      for (const severity of severities) {
        yield statements.breaks
          .filter((one) => one.severity === severity)
          .filter((one) => (one.date === date && one.state === 'open') || one.movedBy === runId)
          .map(toRecord);
      }
    },
    openBreaks: async (on, limit) =>
      statements.breaks
        .filter(({ date, state }) => date === on && state === 'open')
        .slice(0, limit)
        .map(toRecord),
    dueReports: async () => statements.reports.filter(({ isDue }) => isDue),
  } satisfies Partial<StatementStore>;
}

/** What lists or counts for a screen is left out: nobody asks for it here. */
export function makeStatementMethods(store: MemoryStore): StatementStore {
  const methods = {
    openStatementView: async () => openView(store),
    openDeferred,
    ...makeStatementReads(store),
    ...makeMatchingMethods(store),
  } satisfies Partial<StatementStore>;
  return methods as unknown as StatementStore;
}
