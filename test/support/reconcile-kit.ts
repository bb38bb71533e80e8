/** A day on the real store, and statements of it that a test writes line by line. */
import { inEnglish } from '../../src/core/message.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toSatang } from '../../src/core/money.ts';
import { openStatementOutbox } from '../../src/reconcile/file/tables.ts';
import type { StatementPart } from '../../src/reconcile/ports.ts';
import type { ReconcileContext } from '../../src/reconcile/read-lines.ts';
import type { StatementSource } from '../../src/reconcile/inspect.ts';
import { reconcile, type Reconciled } from '../../src/reconcile/reconcile.ts';
import type { StatementLine } from '../../src/reconcile/rules/statement.ts';
import type { AttemptFacts } from '../../src/reconcile/rules/types.ts';
import type { Store } from '../../src/store/store.ts';
import { toJson } from './core-fixtures.ts';
import { ingestAs, noonMs, payer } from './journal-fixtures.ts';
import type { MakeStore } from './engines.ts';
import { makeSqliteStore } from './sqlite-store.ts';
import { date, makeLine } from './statement-fixtures.ts';
import { type Line, readTables } from './tables.ts';

export const dayMs = 86_400_000;
type Ending = 'paid' | 'failed' | 'unresolved' | 'submitted';

export interface ReconcileDay extends AsyncDisposable {
  readonly store: Store;
  /** Attempts of the day as they were when it began, in row order. */
  readonly attempts: readonly AttemptFacts[];
  /** The folder of the tables. */
  readonly folder: string;
  /** Of the journal's file; empty where it is none. */
  readonly path: string;
  /** How many days after noon of the day the process looks at its clock. */
  daysLater: number;
  /** @param through stands in for the store */
  reconcile(lines: readonly StatementLine[], options?: Options): Promise<Reconciled>;
  tables(kind: 'matched' | 'breaks'): Promise<readonly Line[]>;
  /** Everything that reconciling may change, as text. */
  dump(): Promise<string>;
}

interface Options {
  readonly on?: string;
  readonly through?: Store;
  readonly reading?: string;
  readonly isHandedIn?: boolean;
  /** Though it lacks lines, is empty, or was superseded before; true when left out: these tests look at the judging. */
  readonly isForced?: boolean;
  /** True when left out, so that a file may have others' lines alone. */
  readonly isOfAllCompanies?: boolean;
}

/** Lines numbered anew, as a file has them. */
const number = (lines: readonly StatementLine[]): StatementLine[] =>
  lines.map((line, place) => ({ ...line, line: place + 2, no: String(place + 1) }));

async function* partsOf(lines: readonly StatementLine[]): AsyncGenerator<StatementPart> {
  for (const line of lines) yield { kind: 'lines', lines: [line] };
  let amount = 0n;
  for (const line of lines) amount += line.amountSatang;
  const sum = toSatang(amount);
  const sha256 = toJson(lines);
  const totals = {
    lines: lines.length,
    amountSatang: sum,
    feeSatang: sum,
    netSatang: sum,
    sha256,
    sizeBytes: 1,
  };
  yield { kind: 'summary', totals };
}

const sourceOf = (
  lines: readonly StatementLine[],
  on: string,
  reading: string,
  { isHandedIn = false, isForced = true, isOfAllCompanies = true }: Options,
): StatementSource => ({
  provenance: { from: isHandedIn ? 'file' : 'bank', user: isHandedIn ? 'alice' : null, isForced },
  scope: { companyId: payer.companyId, isOfAllCompanies, scheme: 'proxy' },
  date: on,
  originalSha256: toJson(lines),
  originalPath: `/statements/${on}.csv`,
  reading,
  read: (use) => use(partsOf(lines)),
});

/** Opens a day whose rows have these endings. */
export async function openDay(
  endings: readonly Ending[],
  makeStore: MakeStore = makeSqliteStore,
): Promise<ReconcileDay> {
  await using stack = new AsyncDisposableStack();
  const { store, path = '' } = stack.use(await makeStore());
  await ingestAs(store, endings);
  return await openDayOf(store, path, stack.move());
}

/** What the journal knows now of the attempts of a day, in the order in which they were made. */
export async function attemptsOn(
  store: Pick<Store, 'openStatementView'>,
  day: string,
): Promise<readonly AttemptFacts[]> {
  await using view = await store.openStatementView();
  const attempts: AttemptFacts[] = [];
  for await (const page of view.attemptsOfDay(day))
    for (const place of page) attempts.push(await view.attempt(place));
  return attempts;
}

/** Opens the day of a journal that is there. @param stack owns it */
export async function openDayOf(
  store: Store,
  path: string,
  owner: AsyncDisposableStack,
): Promise<ReconcileDay> {
  await using stack = owner;
  const folder = await mkdtemp(join(tmpdir(), 'paydrop-statements-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const outbox = await openStatementOutbox(folder);
  const attempts = await attemptsOn(store, date);
  const owned = stack.move();
  const day: ReconcileDay = {
    store,
    attempts,
    folder,
    path,
    daysLater: 1,
    reconcile: async (lines, options = {}) => {
      const { on = date, through = store, reading = 'words' } = options;
      const clock = { now: () => noonMs + day.daysLater * dayMs, elapsedMs: () => 0, sleep: async () => {} };
      const stop = new AbortController().signal;
      const context: ReconcileContext = {
        store: through,
        clock,
        companyId: payer.companyId,
        log: () => {},
        stop,
      };
      const done = await reconcile(context, outbox, sourceOf(number(lines), on, reading, options));
      if (done.kind !== 'reconciled') throw new Error(inEnglish(done.refusal.message));
      return done;
    },
    tables: (kind) => readTables(folder, new RegExp(`\\.${kind}\\.csv$`)),
    dump: async () => {
      const breaks = await store.openBreaks(date, 1_000);
      const versions = await store.statementDays();
      const rows = await Promise.all(attempts.map(({ payoutSeq }) => store.payout(payoutSeq)));
      return toJson([breaks, versions, rows]);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
  return day;
}

/** The line that a bank would write for an attempt: complete unless told otherwise. */
export function lineFor(
  attempt: AttemptFacts | undefined,
  changes: Partial<StatementLine> = {},
): StatementLine {
  if (attempt === undefined) throw new Error('there is no such attempt');
  return makeLine(attempt, changes.status ?? 'complete', changes);
}

/** Kinds of the breaks that are open, the most severe first. */
export async function openKinds({ store }: ReconcileDay, on = date): Promise<string[]> {
  return (await store.openBreaks(on, 1_000)).map(({ kind }) => kind);
}

/** A matching that has changed nothing. */
export const noneRecorded: Reconciled['recorded'] = {
  opened: 0,
  changed: 0,
  closed: 0,
  causes: new Map(),
  openedOnOtherDays: 0,
  firstOnOtherDays: [],
  secondProof: undefined,
};
