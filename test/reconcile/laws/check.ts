/** Plays a plan on the real store and worker beside the model, and holds them against each other after every step. */
import { deepStrictEqual as equal } from 'node:assert/strict';
import type { Reconciled } from '../../../src/reconcile/reconcile.ts';
import { payer } from '../../support/core-fixtures.ts';
import { bahtToSatang, type BankLine, dateOf, linesFor, strangersOf, writeStatement } from './bank.ts';
import { isProof, isUnplaced, keyOf, Model, showKey, wordOf } from './model.ts';
import type { Breadth, FormPlan, KillPlan, Plan, StepPlan } from './plan.ts';
import { type SeenRow, World } from './world.ts';

type StatementStep = Extract<StepPlan, { kind: 'statement' }>;

interface ReadFile {
  readonly path: string;
  readonly lines: readonly BankLine[];
}

const isPaidTwice = (text: string): boolean => text.endsWith('paid-twice!');

/** A judged day has shown so many breaks of each kind and so on; the reader of a failure sees the step, too. */
class Trial {
  readonly #world: World;
  readonly #model: Model;
  readonly #breadth: Breadth;
  /** Every line that any statement has had, also one that was superseded. */
  readonly #lines: BankLine[] = [];
  readonly #present = new Map<number, readonly BankLine[]>();
  /** The file that each day was read from last, with its lines. */
  readonly #read = new Map<number, ReadFile>();
  #events: readonly string[] = [];
  #closed: ReadonlyMap<string, string> = new Map();
  #versions: readonly string[] = [];
  #rows: ReadonlyMap<number, SeenRow> = new Map();
  readonly #inquired = new Set<string>();

  constructor(world: World, breadth: Breadth) {
    this.#world = world;
    this.#model = new Model(world.attempts);
    this.#breadth = breadth;
  }

  async begin(): Promise<void> {
    this.#rows = await this.#world.readRows();
    await this.#checkHistory();
  }

  async take(step: StepPlan): Promise<void> {
    switch (step.kind) {
      case 'statement':
        return this.#takeStatement(step.day, this.#linesOf(step), step.form, step.kill);
      case 'rewritten': {
        const lines = this.#present.get(step.day);
        return lines === undefined ? undefined : this.#takeStatement(step.day, lines, step.form, null);
      }
      case 'repeated': {
        const read = this.#read.get(step.day);
        return read === undefined ? undefined : this.#repeat(dateOf(step.day), read);
      }
      case 'inquiry': {
        const asked = await this.#world.inquire(step.of, step.finding);
        if (asked === undefined) return;
        this.#model.inquire(asked, step.finding);
        this.#inquired.add(asked);
        this.#rows = await this.#world.readRows();
      }
    }
  }

  #linesOf({ day, edits, strangers }: StatementStep): BankLine[] {
    const ours = this.#world.attempts.flatMap((made, at) => {
      const edit = edits[at % edits.length];
      return edit === undefined ? [] : linesFor(made, day, edit, this.#breadth.isWild);
    });
    return [...ours, ...strangersOf(strangers, day)];
  }

  async #takeStatement(
    day: number,
    lines: readonly BankLine[],
    form: FormPlan,
    kill: KillPlan | null,
  ): Promise<void> {
    const [world, model] = [this.#world, this.#model];
    const date = dateOf(day);
    const path = await world.place(writeStatement(lines, form));
    this.#lines.push(...lines);
    const killed = kill === null ? undefined : await world.run(date, path, kill);
    if (kill !== null && killed === undefined) await this.#checkHistory();
    const done = await world.run(date, path);
    if (done?.kind === 'refused') {
      equal([done.refusal.code, model.isRefused(date, lines)], ['wrong-day', true]);
      return;
    }
    equal(model.isRefused(date, lines), false);
    if (done === undefined) throw new Error('nobody has killed it');
    this.#present.set(day, lines);
    this.#read.set(day, { path, lines });
    model.read(date, lines);
    await this.#checkAll(date, lines, done);
    await this.#checkAgain(date, path);
    await this.#checkLess(date, lines, form);
  }

  /** A file that lacks one of our transfers, or all of them, is not complete yet: nothing comes of it. */
  async #checkLess(date: string, lines: readonly BankLine[], form: FormPlan): Promise<void> {
    const lost = lines.find(
      (line) => line.companyId === payer.companyId && line.reference !== '' && !isUnplaced(line),
    );
    if (lost === undefined) return;
    const before = this.#world.fingerprint();
    for (const less of [[], lines.filter((line) => keyOf(line) !== keyOf(lost))]) {
      const done = await this.#world.offer(date, await this.#world.place(writeStatement(less, form)));
      // It may have been read before, or have lines of other days alone.
      const codes = ['statement-incomplete', 'statement-superseded', 'wrong-day'];
      equal([done.kind, codes.includes(done.kind === 'refused' ? done.refusal.code : '')], ['refused', true]);
    }
    equal(this.#world.fingerprint(), before);
  }

  /** What an inquiry has said since is newer than lines that were read before. */
  async #repeat(date: string, { path, lines }: ReadFile): Promise<void> {
    const done = await this.#world.run(date, path);
    if (done?.kind !== 'reconciled') throw new Error('what was read before is refused');
    equal(done.isRepeat, true);
    await this.#checkAll(date, lines, done);
  }

  async #checkAll(date: string, lines: readonly BankLine[], done: Reconciled): Promise<void> {
    if (!this.#breadth.isWild) await this.#checkModel();
    await this.#checkProofs();
    await this.#checkTotals(date, lines, done);
    await this.#checkTables(done);
    await this.#checkUpdates();
    await this.#checkHistory();
  }

  /** The breaks, the attempts and the alarms are those of the model. */
  async #checkModel(): Promise<void> {
    const { store } = this.#world;
    const open = await Promise.all(
      (await store.statementDays()).map(async ({ date, openBreaks }) => {
        const breaks = await store.openBreaks(date, 1_000);
        equal(breaks.length, openBreaks);
        return breaks.map(
          ({ key, kind, severity }) => `${date} ${showKey(key)} ${kind}${severity === 'critical' ? '!' : ''}`,
        );
      }),
    );
    const [twice, rest] = [open.flat().filter(isPaidTwice), open.flat().filter((text) => !isPaidTwice(text))];
    equal(rest.toSorted(), this.#model.breaks());
    for (const row of this.#model.secondProofs()) {
      const isNamed = twice.some((text) => row.includes(text.split(' ')[1] ?? ''));
      equal(`${row.join(' ')} ${isNamed}`, `${row.join(' ')} true`);
    }
    for (const text of twice)
      equal(`${text} ${this.#model.isPaidTwice(text.split(' ')[1] ?? '')}`, `${text} true`);
    const attempts = await this.#world.readAttempts();
    for (const { made, word, isAlarm, isDisputed } of this.#model.attempts) {
      const { transRefNo } = made.order;
      const status = attempts.get(transRefNo)?.status ?? 'recorded';
      equal(`${transRefNo} ${wordOf(status)}`, `${transRefNo} ${word}`);
      const row = await store.payout(made.payoutSeq);
      if (isAlarm) equal(`${transRefNo} ${row?.isAlarm}`, `${transRefNo} true`);
      // Another paid attempt of the row stands for it.
      const isOnly = this.#model.attempts.every(
        (one) => one.made === made || one.made.payoutSeq !== made.payoutSeq,
      );
      if (isOnly) equal(`${transRefNo} ${row?.status === 'disputed'}`, `${transRefNo} ${isDisputed}`);
    }
    await this.#checkQuiet();
  }

  /** No row bears an alarm without a reason for one; rows that share their payoutId warn each other. */
  async #checkQuiet(): Promise<void> {
    const alarming = this.#model.attempts.filter(({ isAlarm }) => isAlarm).map(({ made }) => made.payoutSeq);
    const shared = this.#world.attempts
      .filter(({ hasSibling }) => hasSibling)
      .map(({ payoutSeq }) => payoutSeq);
    const excused = new Set([...alarming, ...shared]);
    for (const [seq, { isAlarm }] of await this.#world.readRows()) {
      if (!excused.has(seq)) equal(`row ${seq}: ${isAlarm}`, `row ${seq}: false`);
    }
  }

  /** Paid is what we saw paid, what an inquiry has proved, and what a line that is complete and all ours has. */
  async #checkProofs(): Promise<void> {
    const attempts = await this.#world.readAttempts();
    for (const made of this.#world.attempts) {
      const { transRefNo } = made.order;
      if (attempts.get(transRefNo)?.status !== 'paid') continue;
      const isProved =
        made.plan.ending === 'paid' ||
        this.#inquired.has(transRefNo) ||
        this.#lines.some((line) => line.reference === transRefNo && isProof(made, line));
      equal(`${transRefNo} ${isProved}`, `${transRefNo} true`);
    }
  }

  async #checkTotals(
    date: string,
    lines: readonly BankLine[],
    { totals, isRepeat }: Reconciled,
  ): Promise<void> {
    const sum = (figures: Iterable<{ count: number; satang: bigint }>) => {
      const all = [...figures];
      return [all.reduce((n, { count }) => n + count, 0), all.reduce((n, { satang }) => n + satang, 0n)];
    };
    const amount = lines.reduce((all, line) => all + (line.isUnread ? 0n : line.amount), 0n);
    equal(sum(totals.lines.values()), [lines.length, amount]);
    // What an inquiry or another day has proved since is in no totals of before.
    if (isRepeat) return;
    const attempts = await this.#world.readAttempts();
    const paid = [...attempts.values()].filter(
      ({ status, order }) => status === 'paid' && order.tranDate === date,
    );
    const paidAmount = paid.reduce((all, { order }) => all + bahtToSatang(order.amountText), 0n);
    equal(sum(totals.paid.values()), [paid.length, paidAmount]);
  }

  /** The tables of the version hold what agrees and what does not. */
  async #checkTables({ statement, isRepeat }: Reconciled): Promise<void> {
    const name = new RegExp(`^${statement.date}\\.v${statement.version}\\.(matched|breaks)\\.csv$`);
    const tables = await this.#world.readFiles('statements', name);
    equal(tables.size, 2);
    if (isRepeat || this.#breadth.isWild) return;
    const [breaks = [], matched = []] = [...tables.values()];
    const open = breaks
      .filter((row) => row['state'] === 'open' && row['date']?.replaceAll(/\D/g, '') === statement.date)
      .map((row) => `${row['kind']}${row['severity'] === 'critical' ? '!' : ''}`);
    const expected = this.#model.breaksOf(statement.date).map((text) => text.split(' ')[2] ?? '');
    equal(open.filter((kind) => !isPaidTwice(kind)).toSorted(), expected.toSorted());
    equal(
      breaks.every((row) => row['remedy'] !== '' && row['reason'] !== ''),
      true,
    );
    const agreed = this.#agreed(statement.date);
    // What we had denied agrees once we have taken it back, and stays a break.
    const listed = matched
      .map((row) => row['transRefNo'] ?? '')
      .filter((key) => agreed.get(key) !== undefined);
    equal(
      listed.toSorted(),
      [...agreed].flatMap(([key, isAgreed]) => (isAgreed === true ? [key] : [])).toSorted(),
    );
  }

  /** Of each reference whether its first line in the statement differs in nothing; undefined where that depends. */
  #agreed(date: string): ReadonlyMap<string, boolean | undefined> {
    const broken = this.#model.breaksOf(date).map((text) => text.split(' '));
    const lines = [...this.#present].find(([day]) => dateOf(day) === date)?.[1] ?? [];
    return new Map(
      [...Map.groupBy(lines, keyOf)].map(([key, all]) => {
        const kinds = broken.filter(([, of]) => of === key).map(([, , kind]) => kind);
        const isKnown = this.#model.attempts.some(({ made }) => made.order.transRefNo === key);
        if (kinds.includes('status-mismatch!') || this.#model.isPaidTwice(key)) return [key, undefined];
        // Neither line of two is the one that counts where an earlier day has the transfer.
        const isEarlier = [...this.#present].some(
          ([day, others]) => dateOf(day) < date && others.some((line) => keyOf(line) === key),
        );
        if (isEarlier && all.length > 1) return [key, undefined];
        // What was finished later is named, and closed at once: it is no break, and nothing that agrees.
        if (all[0]?.status === 'in-process') return [key, false];
        return [key, isKnown && kinds.every((kind) => kind === 'duplicate-line' && all.length > 1)];
      }),
    );
  }

  /** Updates hold the rows that look otherwise than before, and no others. */
  async #checkUpdates(): Promise<void> {
    const before = this.#rows;
    this.#rows = await this.#world.readRows();
    const changed = [...this.#rows].filter(([seq, row]) => {
      const known = before.get(seq);
      return known?.cells !== row.cells || known.isAlarm !== row.isAlarm;
    });
    equal(await this.#world.store.dueReports(), []);
    const written = await this.#newUpdates();
    const nameOf = ({ batchId, rowNo }: SeenRow): string => `${batchId} ${rowNo}`;
    const alarms = [...this.#rows.values()].filter(({ isAlarm }) => isAlarm).map(nameOf);
    const expected = changed.map(([, row]) => nameOf(row));
    // One alarm more for a row that bears one already changes nothing that a result shows.
    const shown = written.filter((row) => expected.includes(row) || !alarms.includes(row));
    equal(shown, expected.toSorted());
  }

  readonly #seenUpdates = new Set<string>();

  /** Rows of updates that were not there at the last look. */
  async #newUpdates(): Promise<string[]> {
    const rows: string[] = [];
    for (const [name, records] of await this.#world.readFiles('outbox', /\.result-update-\d+\.csv$/)) {
      if (this.#seenUpdates.has(name)) continue;
      this.#seenUpdates.add(name);
      rows.push(...records.map((record) => `${name.split('.').at(-3)} ${record['rowNo']}`));
    }
    return rows.toSorted();
  }

  /** What has happened stays as it was written. */
  async #checkHistory(): Promise<void> {
    const events = this.#world.readTable('event');
    equal(events.slice(0, this.#events.length), this.#events);
    this.#events = events;
    const versions = this.#world.readTable('statement_version');
    equal(versions.slice(0, this.#versions.length), this.#versions);
    this.#versions = versions;
    const breaks = this.#world.readTable('statement_break');
    const closed = breaks.filter((text) => text.includes('"state":"closed"'));
    const byId = new Map(closed.map((text) => [text.split(',')[0] ?? '', text]));
    for (const [id, text] of this.#closed) equal(byId.get(id), text);
    this.#closed = byId;
  }

  /** The same bytes again change nothing; where days contradict each other, no more than once. */
  async #checkAgain(date: string, path: string): Promise<void> {
    if (this.#breadth.isWild) {
      await this.#world.run(date, path);
      await this.#newUpdates();
      this.#rows = await this.#world.readRows();
    }
    const before = this.#world.fingerprint();
    const done = await this.#world.run(date, path);
    if (done?.kind !== 'reconciled') throw new Error('the same file is not taken again');
    const { opened, changed, closed } = done.recorded;
    equal([done.isRepeat, opened, changed, closed], [true, 0, 0, 0]);
    equal(this.#world.fingerprint(), before);
    equal(await this.#newUpdates(), []);
  }

  /** After an inquiry a batch has been reported on at once. */
  async settleUpdates(): Promise<void> {
    await this.#newUpdates();
  }
}

/** Plays a plan from its beginning to its end. @throws when anything is not as it must be */
export async function play({ rows, steps }: Plan, breadth: Breadth): Promise<void> {
  await using world = await World.open(rows);
  const trial = new Trial(world, breadth);
  await trial.begin();
  for (const [at, step] of steps.entries()) {
    try {
      await trial.take(step);
      if (step.kind === 'inquiry') await trial.settleUpdates();
    } catch (error) {
      throw new Error(`step ${at + 1} (${step.kind}): ${(error as Error).message}`, { cause: error });
    }
  }
}
