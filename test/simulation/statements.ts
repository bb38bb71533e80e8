/**
 * The bank's day files: written from its book at any moment, early, cut short or too hasty as banks write them, and read
 * by the program's own reconciling beside whoever sends.
 */
import { hash } from 'node:crypto';
import { parseBaht, toSatang, zeroSatang } from '../../src/core/money.ts';
import type { StatementOutbox } from '../../src/reconcile/file/tables.ts';
import {
  type AcceptedStatement,
  isOfWholeDay,
  type StatementPart,
  type StatementStore,
} from '../../src/reconcile/ports.ts';
import type { StatementSource } from '../../src/reconcile/inspect.ts';
import { reconcile, type Reconciled, type Reconciliation } from '../../src/reconcile/reconcile.ts';
import {
  blankLine,
  commonStatementWords,
  encodeLine,
  makeStatusReader,
  type StatementLine,
} from '../../src/reconcile/rules/statement.ts';
import type { Journal } from '../../src/store/store.ts';
import type { Auditor } from './auditor.ts';
import { completeState, contradictoryCodes, saysFailed } from './bank-codes.ts';
import type { BankBook, Entry } from './bank-book.ts';
import type { PlannedStatement, StatementGiver } from './plan.ts';
import { company } from './process.ts';
import type { Life, World } from './world.ts';

/** One file, as the bank has written it. */
export interface DayFile {
  readonly date: string;
  readonly lines: readonly StatementLine[];
  readonly sha256: string;
}

type StatementJournal = Journal & StatementStore;

/** How its day stood when a matching began. */
interface Before {
  readonly statement: AcceptedStatement | undefined;
  readonly isAnyPaid: boolean;
}

/** What may come between a reading and its end; the next reading takes up what it leaves. */
const interruptions: readonly string[] = ['StatementOvertakenError', 'ChangedMeanwhile', 'DiskFullError'];

/** As the program reads them. */
const readStatus = makeStatusReader(commonStatementWords);

/** STATUS and REASON CODE of a line. */
type Codes = readonly [status: string, reasonCode: string];
const codes = {
  complete: [completeState, ''],
  failed: ['030003', ''],
  open: ['010003', ''],
} as const satisfies Record<string, Codes>;

const referencesOf = (file: DayFile | undefined): ReadonlySet<string> =>
  new Set(file?.lines.map(({ transRefNo }) => transRefNo));

/** References that a file calls failed, whatever the program makes of its codes. */
const failedIn = ({ lines }: DayFile): ReadonlySet<string> =>
  new Set(
    lines
      .filter(({ statusText, reasonCode }) => saysFailed(statusText, reasonCode))
      .map(({ transRefNo }) => transRefNo),
  );

export class StatementDesk {
  readonly #world: World;
  readonly #book: BankBook;
  readonly #auditor: Auditor;
  /** All that the bank has written, by day, the oldest first. */
  readonly #written = new Map<string, DayFile[]>();

  constructor(world: World, book: BankBook, auditor: Auditor) {
    this.#world = world;
    this.#book = book;
    this.#auditor = auditor;
  }

  /** Days by the bank's clock on which it has taken in anything. */
  get days(): readonly string[] {
    return [...new Set(this.#book.entries.map(({ day }) => day))].toSorted();
  }

  /** The bank writes the file of a day, as it stands at this moment. */
  write(date: string, how: PlannedStatement['how']): DayFile {
    const { dice } = this.#world;
    const former = this.#written.get(date) ?? [];
    const [old] = how === 'old' ? dice.shuffle(former) : [];
    if (old !== undefined) return old;
    const lines = this.#book.entries
      .filter((entry) => entry.day === date)
      .flatMap((entry) => this.#lineOf(entry, how))
      .map((line, place) => ({ ...line, line: place + 2, no: String(place + 1) }));
    const sha256 = hash('sha256', `${date} ${lines.map(encodeLine).join(' ')}`, 'hex');
    const file = { date, lines, sha256 };
    this.#written.set(date, [...former, file]);
    return file;
  }

  #lineOf(entry: Entry, how: PlannedStatement['how']): StatementLine[] {
    const { dice } = this.#world;
    const state = this.#book.stateOf(entry);
    const isShown = this.#world.nowMs >= entry.visibleAtMs;
    if (this.#world.nowMs < entry.countsFromMs || entry.visibleAtMs === Infinity) return [];
    if (how === 'empty' || (how === 'early' && dice.chance(0.5))) return [];
    if (how === 'contradicting' && dice.chance(0.7))
      return [makeLine(entry, contradictoryCodes(dice, state))];
    if (state !== 'open') return [makeLine(entry, codes[state])];
    // Called failed too early, for which nobody waits who looks at the file alone.
    if (how === 'hasty' && isShown && dice.chance(0.7)) return [makeLine(entry, codes.failed)];
    return dice.chance(0.7) ? [makeLine(entry, codes.open)] : [];
  }

  /** Reads a file as `paydrop reconcile` does, beside whoever sends. */
  async read(life: Life, journal: StatementJournal, file: DayFile, by: StatementGiver): Promise<Reading> {
    const { date } = file;
    const { figures } = this.#world;
    const { begun, end } = this.#auditor.beginStatement(date, failedIn(file));
    this.#world.note(`${life.name} reads ${describe(file)}`);
    let before: Before = { statement: undefined, isAnyPaid: false };
    const beginStatement: StatementJournal['beginStatement'] = async (run) => {
      await journal.beginStatement(run);
      // All that had begun before it have ended by that.
      begun();
      before = { statement: await journal.statement(date), isAnyPaid: this.#auditor.isAnyPaidOn(date) };
    };
    try {
      const done = await this.#reconcile(life, { ...journal, beginStatement }, file, by);
      if (done.kind === 'refused') {
        end('refused');
        this.#world.note(`${life.name} is refused: ${done.refusal.code}`);
        figures.count(`statement ${done.refusal.code}`);
        return 'refused';
      }
      if (by !== 'insists' && !done.isRepeat) this.#judgeTaken(file, done, before);
      figures.count(done.isRepeat ? 'statement repeated' : 'statement accepted');
      this.#world.note(`${life.name} has version ${done.statement.version} of ${date}`);
      end('accepted');
      return 'accepted';
    } catch (error) {
      if (!(error instanceof Error) || !interruptions.includes(error.name)) throw error;
      this.#world.note(`${life.name} breaks off: ${error.name}`);
      figures.count(`statement ${error.name}`);
      return 'broken-off';
    }
  }

  async #reconcile(
    life: Life,
    journal: StatementJournal,
    file: DayFile,
    by: StatementGiver,
  ): Promise<Reconciliation> {
    const world = this.#world;
    const log = (level: string, message: string, facts: object = {}): void =>
      world.trace?.(`        ${life.name} ${level}: ${message} ${JSON.stringify(facts)}`);
    const clock = { now: () => world.ourMs, elapsedMs: () => world.nowMs, sleep: async () => {} };
    const { companyId } = company;
    const stop = new AbortController().signal;
    const stay = standStill(world, journal);
    try {
      const context = { store: stay.journal, clock, companyId, log, stop };
      return await reconcile(context, noOutbox, sourceOf(file, by));
    } finally {
      stay.end();
    }
  }

  /**
   * What lacks lines that were there, or is empty where we have paid, takes the place of nothing; the one that stands may
   * be taken again, but closes the day no sooner than any other.
   */
  #judgeTaken(file: DayFile, { statement: taken }: Reconciled, { statement, isAnyPaid }: Before): void {
    const { date, sha256 } = file;
    const isWhole = isOfWholeDay(taken.reading);
    const isAgain = statement?.sha256 === sha256;
    if (isAgain && isOfWholeDay(statement?.reading ?? '') === isWhole) return;
    const present = referencesOf(file);
    const former = this.#written.get(date)?.find((one) => one.sha256 === statement?.sha256);
    const lost = [...referencesOf(former)].find((reference) => !present.has(reference));
    if (lost !== undefined) this.#world.fail(`a statement of ${date} takes the place of one with ${lost}`);
    else if (present.size === 0 && isAnyPaid)
      this.#world.fail(`an empty statement of ${date} is taken, of which payouts are paid`);
  }
}

export type Reading = 'accepted' | 'refused' | 'broken-off';

function makeLine({ order, day, sysRefNo }: Entry, [statusText, reasonCode]: Codes): StatementLine {
  const { transRefNo, payerAccount, proxyType, proxyNo, companyId, reference1, tranTime } = order;
  const amountSatang = parseBaht(order.amountText) ?? zeroSatang;
  const named = { transRefNo, sysRefNo, payerAccount, proxyType, proxyNo, companyId };
  const status = readStatus(statusText, reasonCode);
  const told = { status, statusText, reasonCode, reference1: reference1 ?? '', chargeType: 'Our' };
  const amounts = { amountSatang, netSatang: amountSatang };
  return { ...blankLine, ...named, ...amounts, ...told, effectiveDate: day, effectiveTime: tranTime };
}

const describe = ({ date, lines }: DayFile): string => {
  const told = lines.map(({ transRefNo, ...line }) => `${transRefNo} ${line.statusText} ${line.reasonCode}`);
  return `the statement of ${date}: ${told.join(', ')}`;
};

async function* partsOf({ lines, sha256 }: DayFile): AsyncGenerator<StatementPart> {
  if (lines.length > 0) yield { kind: 'lines', lines };
  let sum = 0n;
  for (const { amountSatang } of lines) sum += amountSatang;
  const amountSatang = toSatang(sum);
  const sums = { amountSatang, feeSatang: zeroSatang, netSatang: amountSatang };
  yield { kind: 'summary', totals: { lines: lines.length, ...sums, sha256, sizeBytes: 1 } };
}

function sourceOf(file: DayFile, by: StatementGiver): StatementSource {
  const { date, sha256 } = file;
  const provenance = {
    from: by === 'bank' ? 'bank' : 'file',
    user: by === 'bank' ? null : 'alice',
    isForced: by === 'insists',
  } as const;
  return {
    date,
    originalSha256: sha256,
    originalPath: `${date}.csv`,
    reading: 'words',
    provenance,
    scope: { companyId: company.companyId, isOfAllCompanies: false, scheme: 'proxy' },
    read: async (use) => use(partsOf(file)),
  };
}

/** Tables that nobody reads. */
const noOutbox = {
  openMatched: async (name: string) => noTable(name),
  openBreaks: async (name: string) => noTable(name),
  publish: async () => 'published',
} as unknown as StatementOutbox;

const noTable = (path: string) => ({
  add: () => undefined,
  finish: async () => ({ path, temporaryPath: path, sha256: '' }),
  [Symbol.asyncDispose]: async () => {},
});

/** Reconciling yields to the event loop: meanwhile the world stands still, but while all of it waits for the disk. */
function standStill(world: World, journal: StatementJournal) {
  let waiting = 0;
  let isOver = false;
  world.diskCalls += 1;
  const wait = (isMore: boolean): void => {
    waiting += isMore ? 1 : -1;
    if (!isOver && waiting === (isMore ? 1 : 0)) world.diskCalls += isMore ? -1 : 1;
  };
  const methods = Object.entries(journal).map(([name, method]) => {
    if (!writes.includes(name)) return [name, method as unknown];
    const delayed = method as (...asked: readonly unknown[]) => Promise<unknown>;
    const waited = async (...asked: readonly unknown[]): Promise<unknown> => {
      wait(true);
      return delayed(...asked).finally(() => wait(false));
    };
    return [name, waited];
  });
  return {
    journal: Object.fromEntries(methods) as StatementJournal,
    end: (): void => {
      if (!isOver && waiting === 0) world.diskCalls -= 1;
      isOver = true;
    },
  };
}

/** What reconciling writes: each waits for the disk. */
const writes: readonly string[] = [
  ...(['apply', 'beginStatement', 'beginRecording', 'recordBreaks', 'recordLines'] as const),
  ...(['recordCleanLines', 'markReports', 'acceptStatement', 'endStatement', 'recall'] as const),
];
