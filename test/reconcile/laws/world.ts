/** The real store, folders, reader and worker of a law, in a temporary folder; a process of it can be killed at a commit. */
import { verbatim } from '../../../src/core/message.ts';
import { hash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parse } from 'csv-parse/sync';
import type { Attempt, Payout } from '../../../src/core/payout.ts';
import type { Change } from '../../../src/core/ports.ts';
import { endWhenSettled, isConcluded } from '../../../src/payout/conclude.ts';
import { decideInquiry } from '../../../src/payout/rules/after-inquiry.ts';
import type { Case } from '../../../src/payout/rules/case.ts';
import type { InquiryReading } from '../../../src/payout/rules/read-reply.ts';
import { decideSuperseded } from '../../../src/payout/rules/superseded.ts';
import { type FetchContext, takeFile } from '../../../src/reconcile/fetch.ts';
import { openStatementOriginals } from '../../../src/reconcile/file/originals.ts';
import { makeStatementReader } from '../../../src/reconcile/file/reader.ts';
import { openStatementOutbox } from '../../../src/reconcile/file/tables.ts';
import { makeStatementUnpacker } from '../../../src/reconcile/file/unpacker.ts';
import { reconcile, type Reconciliation } from '../../../src/reconcile/reconcile.ts';
import { commonStatementWords } from '../../../src/reconcile/rules/statement.ts';
import { openOutbox } from '../../../src/reports/outbox.ts';
import { payoutLines } from '../../../src/reports/rules/report-rows.ts';
import { writeReports } from '../../../src/reports/write-reports.ts';
import { openJournal } from '../../../src/store/open.ts';
import type { Store } from '../../../src/store/store.ts';
import { caseAt, noonMs, payer, toJson } from '../../support/core-fixtures.ts';
import { openingIn } from '../../support/sqlite-store.ts';
import { dayMs } from './bank.ts';
import { fillJournal, type JournalAttempt } from './journal.ts';
import type { Finding, KillPlan, RowPlan } from './plan.ts';

/** The process was killed. */
class Killed extends Error {
  override readonly name = 'Killed';
}

/** What changes the journal or makes a file appear. */
const commits: ReadonlySet<string | symbol> = new Set([
  'apply',
  'beginStatement',
  'recordBreaks',
  'beginRecording',
  'recordLines',
  'recordCleanLines',
  'markReports',
  'acceptStatement',
  'endStatement',
  'publish',
  'recordReports',
  'clearDueReport',
]);

type Method = (...args: unknown[]) => Promise<unknown>;

/** Dies at one commit, before or after it; nothing that comes later is done. */
class Death {
  #left: number;
  readonly #isDone: boolean;

  constructor({ at, isDone }: KillPlan) {
    this.#left = at;
    this.#isDone = isDone;
  }

  wrap<T extends object>(whole: T): T {
    return new Proxy(whole, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function' || !commits.has(name)) return value;
        return (...args: unknown[]) => this.#commit(() => Reflect.apply(value as Method, target, args));
      },
    });
  }

  async #commit(work: () => Promise<unknown>): Promise<unknown> {
    this.#left -= 1;
    if (this.#left < 0 || (this.#left === 0 && !this.#isDone)) throw new Killed('killed');
    const result = await work();
    if (this.#left === 0) throw new Killed('killed');
    return result;
  }
}

/** A row as a reader of results sees it. */
export interface SeenRow {
  readonly batchId: string;
  readonly rowNo: number;
  readonly cells: string;
  readonly isAlarm: boolean;
}

export class World implements AsyncDisposable {
  readonly #folder: string;
  readonly #kit: FetchContext;
  readonly #stack: AsyncDisposableStack;
  #store: Store;
  #files = 0;
  #clockMs = noonMs + 5 * dayMs;
  attempts: readonly JournalAttempt[] = [];
  batchIds: readonly string[] = [];

  private constructor(folder: string, kit: FetchContext, stack: AsyncDisposableStack, store: Store) {
    this.#folder = folder;
    this.#kit = kit;
    this.#stack = stack;
    this.#store = store;
  }

  static async open(rows: readonly RowPlan[]): Promise<World> {
    await using stack = new AsyncDisposableStack();
    const folder = await mkdtemp(join(tmpdir(), 'paydrop-laws-'));
    stack.defer(() => rm(folder, { recursive: true, force: true }));
    const statements = join(folder, 'statements');
    const options = { scheme: 'proxy', words: commonStatementWords, bytesMax: 1_000_000 };
    const nobody = (): never => {
      throw new Error('nothing is fetched here');
    };
    const kit: FetchContext = {
      desk: { request: nobody },
      downloader: { bring: nobody },
      originals: await openStatementOriginals(statements, options.bytesMax),
      unpacker: makeStatementUnpacker({ folder: statements, bytesMax: options.bytesMax }),
      reader: makeStatementReader(options),
      reading: 'words',
      // Files that lose lines, or have others' alone, are for the judging of them too.
      scope: { companyId: payer.companyId, isOfAllCompanies: true, scheme: 'proxy' },
    };
    const store = await openJournal(openingIn(join(folder, 'journal')));
    const world = new World(folder, kit, stack.move(), store);
    const { attempts, batchIds } = await fillJournal(store, rows);
    Object.assign(world, { attempts, batchIds });
    for (const batchId of batchIds) await world.#report(store, batchId);
    return world;
  }

  get store(): Store {
    return this.#store;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#store[Symbol.asyncDispose]();
    await this.#stack.disposeAsync();
  }

  /** Places a file, as a person would who has it from the bank. */
  async place(bytes: Uint8Array): Promise<string> {
    const path = join(this.#folder, `bank-${(this.#files += 1)}.csv`);
    await writeFile(path, bytes);
    return path;
  }

  /** Reconciles a file and writes what is due; undefined when the process was killed meanwhile. */
  async run(date: string, path: string, kill: KillPlan | null = null): Promise<Reconciliation | undefined> {
    this.#clockMs += 60_000;
    const death = kill === null ? undefined : new Death(kill);
    try {
      return await this.#reconcile(date, path, death, true);
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      if (kill?.isReopened === true) await this.#reopen();
      return undefined;
    }
  }

  /** Hands a file in without insisting on it. */
  async offer(date: string, path: string): Promise<Reconciliation> {
    this.#clockMs += 60_000;
    return this.#reconcile(date, path, undefined, false);
  }

  async #reconcile(
    date: string,
    path: string,
    death: Death | undefined,
    isForced: boolean,
  ): Promise<Reconciliation> {
    const store = death?.wrap(this.#store) ?? this.#store;
    const tables = await openStatementOutbox(join(this.#folder, 'statements'));
    const outbox = death?.wrap(tables) ?? tables;
    const fetched = await takeFile(this.#kit, date, path, { user: 'alice', isForced });
    if (fetched.kind !== 'fetched') throw new Error(`the file is not taken: ${fetched.kind}`);
    const clock = { now: () => this.#clockMs, elapsedMs: () => this.#clockMs, sleep: async () => {} };
    const context = { store, clock, companyId: payer.companyId, log: () => {} };
    const stop = new AbortController().signal;
    const done = await reconcile({ ...context, stop }, outbox, fetched.source);
    await this.#reportDue(store);
    return done;
  }

  async #reopen(): Promise<void> {
    await this.#store[Symbol.asyncDispose]();
    this.#store = await openJournal(openingIn(join(this.#folder, 'journal')));
  }

  /** As whoever has the right to send does it. */
  async #reportDue(store: Store): Promise<void> {
    for (const due of await store.dueReports()) {
      await endWhenSettled(store, due.batchId, this.#clockMs);
      if (await isConcluded(store, due.batchId)) await this.#report(store, due.batchId);
      await store.clearDueReport(due);
    }
  }

  async #report(store: Store, batchId: string): Promise<void> {
    const outbox = await openOutbox(join(this.#folder, 'outbox'));
    const bank = { isSandbox: false, bankAddress: '' };
    const context = {
      ...bank,
      nowMs: this.#clockMs,
      exceptionsOk: false,
      guardFormulas: true,
      similarDays: 3,
    };
    await writeReports(store, outbox, batchId, context);
  }

  /**
   * Asks the bank about one of the attempts that are in doubt, or that a statement's line has ended.
   * @param of which of them
   * @returns its transRefNo, where what was found is recorded
   */
  async inquire(of: number, finding: Finding): Promise<string | undefined> {
    this.#clockMs += 60_000;
    const known = await this.#readAskable();
    const one = known[of % Math.max(1, known.length)];
    if (one === undefined) return undefined;
    const reason = { code: 'said', text: verbatim('said by the bank') };
    const change = decideFound(one, {
      kind: finding,
      reason,
      sysRefNo: null,
      send: null,
      moments: [{ tranDate: '', tranTime: '' }],
      isTwice: false,
      sends: [],
      isOfLast: true,
    });
    if (change === undefined) return undefined;
    const [isApplied] = await this.#store.apply([change]);
    if (isApplied !== true) throw new Error('the inquiry was not recorded');
    for (const batchId of this.batchIds) await this.#report(this.#store, batchId);
    return one.attempt.order.transRefNo;
  }

  /** The latest attempts of rows in doubt, and those that a line has ended of rows whose payoutId no other row bears: these first. */
  async #readAskable(): Promise<readonly Case[]> {
    const attempts = await this.readAttempts();
    const known = await Promise.all(
      this.attempts.map(async ({ payoutSeq, order, hasSibling }) => {
        const payout = await this.#store.payout(payoutSeq);
        const attempt = attempts.get(order.transRefNo);
        if (payout === undefined || attempt === undefined) throw new Error('there is no such attempt');
        const isAskable = isInDoubt(payout, attempt) || (isEndedByLine(payout, attempt) && !hasSibling);
        return isAskable ? [caseAt(this.#clockMs, { payout, attempt })] : [];
      }),
    );
    const all = known.flat();
    const isEnded = ({ payout, attempt }: Case): boolean => isEndedByLine(payout, attempt);
    return [...all.filter(isEnded), ...all.filter((one) => !isEnded(one))];
  }

  /** Every attempt by its transRefNo. */
  async readAttempts(): Promise<ReadonlyMap<string, Attempt>> {
    const ids = new Set(this.attempts.map(({ order }) => order.transRefNo));
    const found = new Map<string, Attempt>();
    for (const reference of ids) {
      const [history] = await this.#store.findPayouts(reference);
      for (const attempt of history?.attempts ?? []) found.set(attempt.order.transRefNo, attempt);
    }
    return found;
  }

  /** All rows as results would show them. */
  async readRows(): Promise<ReadonlyMap<number, SeenRow>> {
    const rows = new Map<number, SeenRow>();
    await using snapshot = await this.#store.snapshot();
    for (const batchId of this.batchIds) {
      for (const row of (await Array.fromAsync(snapshot.resultRows(batchId))).flat()) {
        // What a row in doubt waits for, and the bank's own reference, make no row a changed one.
        const quiet = { reasonCode: null, reason: null, sysRefNo: null };
        const cells = payoutLines.renderResult({ ...row, ...quiet }, 0).join(',');
        rows.set(row.seq, { batchId, rowNo: row.rowNo, cells, isAlarm: row.isAlarm });
      }
    }
    return rows;
  }

  /** Rows of a table of the journal, as text, in the order of their keys. */
  readTable(name: 'event' | 'statement_version' | 'statement_break' | 'attempt' | 'payout'): string[] {
    using db = new DatabaseSync(join(this.#folder, 'journal', 'journal.db'), { readOnly: true });
    const order = name === 'statement_version' ? 'accepted_at_ms, date, version' : '1, 2';
    const statement = db.prepare(`select * from ${name} order by ${order}`);
    statement.setReadBigInts(true);
    return statement.all().map(toJson);
  }

  /** Records of the files in a folder whose names have these ends, by file. */
  async readFiles(
    folder: 'statements' | 'outbox',
    ending: RegExp,
  ): Promise<ReadonlyMap<string, Record<string, string>[]>> {
    const root = join(this.#folder, folder);
    const found = new Map<string, Record<string, string>[]>();
    for (const name of (await readdir(root)).filter((one) => ending.test(one)).toSorted()) {
      const text = await readFile(join(root, name));
      found.set(name, parse<Record<string, string>>(text, { columns: true, bom: true }));
    }
    return found;
  }

  /** What must stay as it was where nothing changes, in one line. */
  fingerprint(): string {
    const tables = (['event', 'statement_version', 'statement_break', 'attempt', 'payout'] as const).map(
      (name) => this.readTable(name),
    );
    return hash('sha256', JSON.stringify(tables), 'hex');
  }
}

const isInDoubt = ({ status, attemptNo }: Payout, attempt: Attempt): boolean =>
  (status === 'submitted' || status === 'unresolved') &&
  ['recorded', 'sent', 'unresolved'].includes(attempt.status) &&
  attemptNo === attempt.attemptNo;

const isEndedByLine = ({ status, settledBy, attemptNo }: Payout, attempt: Attempt): boolean =>
  status === 'failed' &&
  settledBy === 'statement' &&
  attempt.status === 'failed' &&
  attemptNo === attempt.attemptNo;

/** What is recorded of an inquiry; undefined when it says of an ended attempt what we say. */
function decideFound(known: Case, reading: InquiryReading): Change | undefined {
  if (isEndedByLine(known.payout, known.attempt)) return decideSuperseded(known, reading);
  const { sendAgain, keep } = decideInquiry(known, reading);
  return sendAgain ?? keep;
}
