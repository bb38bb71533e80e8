/** One run: what the seed decides, then what happens, then the verdict. */
import { computeTransRefNo } from '../../src/core/reference.ts';
import { type AskBeforeCancel, bankNotAsked } from '../../src/payout/operator.ts';
import { actOn, letAllGoOn } from './acts.ts';
import type { Archives } from './archives.ts';
import { Auditor } from './auditor.ts';
import { bangkokDay } from './bank-book.ts';
import { SimulatedBank } from './bank.ts';
import { Office } from './decisions/office.ts';
import { decisionsAtRest, type PlannedDecision } from './decisions/plan.ts';
import { Connection, isDiskFull } from './disk.ts';
import { Figures } from './figures.ts';
import type { Journals } from './journals.ts';
import { makeMemoryDisk, type SimulatedDisk } from './memory/disk.ts';
import { Network } from './network.ts';
import { makeMemoryOutbox, type MemoryOutbox } from './outbox.ts';
import {
  type Act,
  drawPlan,
  drawShape,
  type Plan,
  type PlannedLife,
  type PlannedStatement,
  type Shape,
  type StatementGiver,
} from './plan.ts';
import { makePlannedReader } from './planned-files.ts';
import { makeAsk, company, noPlace, runProcess, terminal } from './process.ts';
import { type DayFile, type Reading, StatementDesk } from './statements.ts';
import { judge, type VerdictParts } from './verdict.ts';
import { type Life, World } from './world.ts';

export interface RunOptions {
  /**
   * `journals`: the journal is lost, put back or copied in the midst of the run; `archives`: its batches are moved into
   * archives between two lives.
   */
  readonly shape?: Shape | 'journals' | 'archives' | undefined;
  readonly makeDisk?: () => Promise<SimulatedDisk>;
  readonly trace?: ((line: string) => void) | undefined;
}

export interface RunOutcome {
  readonly seed: number;
  /** What is broken, in words; undefined when all holds. */
  readonly broken: string | undefined;
  /** The same for the same seed, whatever happens. */
  readonly hash: number;
  readonly steps: number;
  readonly figures: Readonly<Record<string, number>>;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Pauses before each run of the end, when the bank is healthy: long enough for everything to be proved or given up. */
const restGapsMs = [minuteMs, 10 * minuteMs, 3 * hourMs, 30 * hourMs, 30 * hourMs, hourMs, hourMs];

/** Fewer where opening the journal takes real time. */
const fewRestGapsMs = [10 * minuteMs, 30 * hourMs];

/** After a night on which what is done is archived, often enough that nothing waits for a day. */
const archivesRestGapsMs = [50 * hourMs, 10 * minuteMs, 10 * minuteMs, 10 * minuteMs];

/** What befalls real journals between two lives. */
interface RealJournals {
  readonly journals?: Journals | undefined;
  readonly archives?: Archives | undefined;
}

class Simulation {
  readonly #world: World;
  readonly #plan: Plan;
  readonly #disk: SimulatedDisk;
  readonly #auditor: Auditor;
  readonly #bank: SimulatedBank;
  readonly #network: Network;
  readonly #outbox: MemoryOutbox;
  readonly #statements: StatementDesk;
  readonly #office: Office;
  /** Real ones, of which one takes the place of another. */
  readonly #journals: Journals | undefined;
  readonly #archives: Archives | undefined;
  /** Days whose statement was read after their end. */
  readonly #closed = new Set<string>();
  #lives = 0;

  constructor(world: World, plan: Plan, disk: SimulatedDisk, real: RealJournals = {}) {
    this.#world = world;
    this.#plan = plan;
    this.#disk = disk;
    this.#auditor = new Auditor(world, plan);
    this.#bank = new SimulatedBank(world, plan, (entry) => this.#auditor.entered(entry));
    this.#statements = new StatementDesk(world, this.#bank.book, this.#auditor);
    this.#office = new Office(world, this.#bank.book);
    this.#network = new Network(world, plan, this.#bank, this.#auditor);
    this.#journals = real.journals;
    this.#archives = real.archives;
    this.#outbox = makeMemoryOutbox(this.#journals?.publish, this.#journals?.hasReport);
    if (this.#journals === undefined) this.#auditor.look(this.#bank.book, disk.view);
    disk.onWritten = () => this.#auditor.written();
  }

  get parts(): VerdictParts {
    const { files } = this.#plan;
    const book = this.#bank.book;
    const isLying = this.#plan.lie !== 'none';
    const isEdited = this.#plan.editedBeforeLife !== undefined;
    const journal = this.#journals === undefined ? 'kept' : this.#journals.isOpen ? 'another' : 'refused';
    const isBankTimeOff = this.#plan.bankOffsetMs !== 0 || this.#plan.dateOffsetMs !== 0;
    return {
      world: this.#world,
      book,
      auditor: this.#auditor,
      disk: this.#disk,
      files,
      isLying,
      isEdited,
      hasDecisions: this.#plan.decisions !== undefined,
      hasStatements: this.#plan.statements.length > 0,
      isBankTimeOff,
      journal,
    };
  }

  async play(): Promise<void> {
    const { startMs, lives, disturbances } = this.#plan;
    this.#world.nowMs = startMs;
    this.#enterForeign();
    for (const { atMs, what } of disturbances) {
      this.#world.after(atMs - startMs, what.kind, undefined, () => {
        if (this.#bank.isHealed) return;
        this.#world.figures.count(what.kind);
        if (what.kind === 'suspend') this.#world.suspend(what.ms);
        else if (what.kind === 'clock-jump') this.#world.machine.clockOffsetMs += what.ms;
        else this.#act(what.act);
      });
    }
    for (const [place, life] of lives.entries()) {
      await this.#world.pause(life.gapMs);
      if (this.#plan.editedBeforeLife === place && this.#disk.editAmount?.(this.#world.dice) === true)
        this.#world.figures.count('amount-edited');
      await this.#archive(place);
      await this.#live(life, place);
    }
    if (this.#plan.outage !== undefined) await this.#judgeOutage();
    await this.#rest();
  }

  /** The statements of all days are read, what may go goes, and people turn to what they please. */
  async #archive(place: number): Promise<void> {
    const archives = this.#archives;
    if (archives === undefined) return;
    const today = bangkokDay(this.#world.ourMs);
    // Of days that are archived, now and then.
    const days = this.#statements.days.filter(
      (date) => !this.#closed.has(date) || this.#world.dice.chance(0.1),
    );
    await this.#readAll(days);
    for (const date of days) if (date < today) this.#closed.add(date);
    const round = archives.roundBefore(place);
    await archives.archive(round);
    for (const act of round.acts) {
      const life = this.#newLife('person ', Infinity);
      await this.#doAct(act, this.#connect(life), bankNotAsked);
    }
  }

  async #judgeOutage(): Promise<void> {
    const { journal } = this.#disk;
    await using snapshot = await journal.snapshot();
    for (const { batchId } of await journal.batches())
      for await (const rows of snapshot.resultRows(batchId)) this.#auditor.judgeOutage(rows);
  }

  /** Somebody else has used references of ours. */
  #enterForeign(): void {
    const { foreignPayoutIds, startMs, bankOffsetMs } = this.#plan;
    for (const payoutId of foreignPayoutIds) {
      const transRefNo = computeTransRefNo(company.companyId, payoutId, 1);
      const payee = {
        proxyType: 'MSISDN',
        proxyNo: '0899999999',
        proxyName: null,
        amountText: '1.00',
      } as const;
      const made = {
        tranDate: bangkokDay(startMs),
        tranTime: '00:00:01',
        reference1: 'FOREIGN',
        reference2: null,
      };
      this.#bank.book.enter({
        order: { ...company, ...terminal, transRefNo, ...payee, ...made },
        day: bangkokDay(startMs + bankOffsetMs),
        sysRefNo: `FOREIGN ${payoutId}`,
        visibleAtMs: startMs,
        countsFromMs: startMs,
        endsAtMs: startMs,
        end: 'complete',
        failedItems: 0,
        revivesAtMs: Infinity,
        isForeign: true,
      });
    }
  }

  #newLife(name: string, killAtStep: number): Life {
    this.#lives += 1;
    return { name: `${name}${this.#lives}`, isAlive: true, steps: 0, killAtStep, onKill: () => {} };
  }

  #connect(life: Life): Connection['journal'] {
    const onAsked: ConstructorParameters<typeof Connection>[5] = (changes, who) =>
      this.#auditor.asked(changes, who);
    return new Connection(this.#world, this.#plan, this.#bank, this.#disk, life, onAsked).journal;
  }

  /** Opens the journal where it is a real one. @returns false when it is refused */
  async #begin(place: number): Promise<boolean> {
    if (this.#journals === undefined) return true;
    const begun = await this.#journals.begin(place);
    if (begun === 'refused') return false;
    if (begun === 'another') this.#auditor.lookAnew(this.#journals.view);
    else this.#auditor.look(this.#bank.book, this.#journals.view);
    return true;
  }

  /** A process, from its start to its end or its death. */
  async #live({ killAtStep, interruptAfterMs, termId }: PlannedLife, place: number): Promise<void> {
    if (!(await this.#begin(place))) return;
    for (const planned of this.#plan.statements) if (planned.life === place) this.#expect(planned);
    for (const planned of this.#plan.decisions ?? [])
      if (planned.life === place && place !== Infinity) this.#decideLater(planned);
    const life = this.#newLife('process ', killAtStep);
    const journal = this.#connect(life);
    const interrupt = new AbortController();
    if (interruptAfterMs !== undefined)
      this.#world.after(interruptAfterMs, 'is interrupted', life, () => interrupt.abort());
    const files = this.#plan.files.filter(({ fromLife }) => fromLife <= place).map(({ name }) => name);
    const lose = life.onKill;
    const died = new Promise<void>((resolve) => {
      life.onKill = () => {
        lose();
        resolve();
      };
    });
    const { seed } = this.#world;
    const parts = {
      world: this.#world,
      life,
      plan: this.#plan,
      journal,
      bank: this.#network.portFor(life),
      outbox: this.#outbox.outbox,
      reader: makePlannedReader(seed, this.#plan.files),
      interrupted: interrupt.signal,
      place: (await this.#journals?.place()) ?? noPlace(this.#plan, termId),
    };
    this.#world.figures.count('life');
    this.#auditor.begins(life);
    let hasBroken = false;
    const ended = runProcess(parts, files, this.#plan.waitMs).catch((error: unknown) => {
      // Whoever is dead may find a real journal closed.
      if (!life.isAlive) return;
      hasBroken = true;
      this.#break(error);
    });
    await Promise.race([died, ended]);
    if (life.isAlive && this.#plan.statements.length > 0 && !hasBroken) this.#auditor.judgeProofs(life);
    life.isAlive = false;
  }

  /** The process has ended with an error: right when its disk is full, else a bug. */
  #break(error: unknown): void {
    if (isDiskFull(error)) {
      this.#world.note('ends: the disk is full');
      return;
    }
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.#world.fail(`the process broke: ${text}`);
  }

  /** A statement comes of itself, once the bank has written it. */
  #expect({ afterMs, isOfDayBefore, how, by, lagMs, killAtStep }: PlannedStatement): void {
    this.#world.after(afterMs, 'the bank writes a statement', undefined, () => {
      if (this.#bank.isHealed) return;
      const date = bangkokDay(this.#bank.book.bankMs - (isOfDayBefore ? dayMs : 0));
      const file = this.#statements.write(date, how);
      this.#world.figures.count(`statement ${how}`);
      this.#world.after(lagMs, 'a statement is there', undefined, () => {
        const life = this.#newLife('reader ', killAtStep);
        this.#read(life, file, by).catch((error: unknown) => this.#break(error));
      });
    });
  }

  async #read(life: Life, file: DayFile, by: StatementGiver): Promise<Reading> {
    const reading = await this.#statements.read(life, this.#connect(life), file, by);
    life.isAlive = false;
    return reading;
  }

  /** The bank has corrected its statements, and those of the days are read. */
  async #readAll(days = this.#statements.days): Promise<void> {
    for (const date of days) {
      const file = this.#statements.write(date, 'honest');
      const readBy = async (by: StatementGiver): Promise<Reading> =>
        this.#read(this.#newLife('reader ', Infinity), file, by);
      if ((await readBy('bank')) === 'accepted' || (await readBy('insists')) === 'accepted') continue;
      this.#world.fail(`the last statement of ${date} is not taken`);
    }
  }

  /** Somebody decides by the review, beside whoever is sending. */
  #decideLater(planned: PlannedDecision): void {
    this.#world.after(planned.afterMs, 'somebody comes to decide', undefined, () => {
      if (!this.#bank.isHealed) void this.#decide(planned);
    });
  }

  async #decide(planned: PlannedDecision): Promise<void> {
    const life = this.#newLife('reviewer ', planned.killAtStep);
    const journal = this.#connect(life);
    const lose = life.onKill;
    const died = new Promise<void>((resolve) => {
      life.onKill = () => {
        lose();
        resolve();
      };
    });
    const ended = this.#office.act(planned, life, journal).catch((error: unknown) => this.#break(error));
    await Promise.race([died, ended]);
    life.isAlive = false;
  }

  /** People turn to what is left, and the last of them applies what the others have left. */
  async #decideAtRest(place: number): Promise<void> {
    const planned = this.#plan.decisions?.filter(({ life }) => life === Infinity) ?? [];
    const from = place * decisionsAtRest;
    await Promise.all(planned.slice(from, from + decisionsAtRest).map((one) => this.#decide(one)));
  }

  /** What was approved is applied when nobody is killed any more. */
  async #sweep(): Promise<void> {
    if (this.#plan.decisions === undefined) return;
    const last = { life: Infinity, afterMs: 0, act: 'sweep', thinksMs: 0, killAtStep: Infinity } as const;
    await this.#decide(last);
  }

  /** A person's command, beside whoever is sending. */
  #act(act: Act): void {
    const life = this.#newLife('person ', Infinity);
    const journal = this.#connect(life);
    const bank = this.#network.portFor(life);
    const ask = makeAsk({ world: this.#world, plan: this.#plan, life, journal, bank });
    this.#doAct(act, journal, ask).catch((error: unknown) => this.#break(error));
  }

  async #doAct(act: Act, journal: Connection['journal'], ask: AskBeforeCancel): Promise<void> {
    const recalls = this.#archives !== undefined;
    const parts = { world: this.#world, plan: this.#plan, auditor: this.#auditor };
    await actOn(act, { ...parts, journal, ask, recalls });
  }

  /** Pauses of the end in which people decide. */
  get #decisionRounds(): number {
    return this.#plan.decisions === undefined ? 0 : 3;
  }

  get #restGapsMs(): readonly number[] {
    if (this.#archives !== undefined) return archivesRestGapsMs;
    return this.#journals === undefined ? restGapsMs : fewRestGapsMs;
  }

  /** The bank is healthy, the clocks are right, people do their part, and everything is run again and again. */
  async #rest(): Promise<void> {
    const { machine } = this.#world;
    this.#bank.isHealed = true;
    machine.clockOffsetMs = 0;
    machine.suspendedUntilMs = 0;
    this.#world.note('the bank is healthy');
    // Running it all again must change nothing when nothing is left: looked at now and then.
    const isDone =
      this.#plan.lie === 'none' &&
      this.#plan.statements.length === 0 &&
      this.#plan.decisions === undefined &&
      this.#journals === undefined &&
      this.#archives === undefined &&
      (await judge(this.parts, true)).length === 0;
    if (isDone && this.#world.dice.chance(0.7)) return;
    const isReal = this.#journals !== undefined || this.#archives !== undefined;
    for (const [place, gapMs] of this.#restGapsMs.entries()) {
      await this.#world.pause(gapMs);
      await this.#archive(Infinity);
      await this.#decideAtRest(place);
      await this.#sweep();
      await this.#live({ gapMs, killAtStep: Infinity, interruptAfterMs: undefined }, Infinity);
      if (this.#plan.statements.length > 0) await this.#readAll();
      const isOver = this.#plan.lie === 'none' && !isReal && place >= this.#decisionRounds;
      if (isOver && (await judge(this.parts, true)).length === 0) return;
      const isLast = this.#archives !== undefined && place === archivesRestGapsMs.length - 1;
      if (this.#journals?.isOpen !== false && !isLast) await this.#letAllGoOn();
    }
  }

  async #letAllGoOn(): Promise<void> {
    const journal = this.#connect(this.#newLife('person ', Infinity));
    await letAllGoOn({ world: this.#world, plan: this.#plan, auditor: this.#auditor, journal });
  }
}

async function openJournals(world: World) {
  // Loads the real store, which the other shapes do without.
  const { drawJournalsPlan, Journals: RealJournals } = await import('./journals.ts');
  const drawn = drawJournalsPlan(world.dice);
  return { plan: drawn.plan, journals: new RealJournals(world, drawn) };
}

async function openArchives(world: World) {
  const { Archives: RealArchives, drawArchivesPlan } = await import('./archives.ts');
  const drawn = drawArchivesPlan(world.dice);
  world.nowMs = drawn.plan.startMs;
  const archives = new RealArchives(world, drawn);
  await archives.open();
  return { plan: drawn.plan, archives };
}

/** Plays one seed. */
export async function runSeed(seed: number, options: RunOptions = {}): Promise<RunOutcome> {
  const figures = new Figures();
  const world = new World(seed, figures, options.trace);
  const shape = drawShape(world.dice);
  const wanted = options.shape ?? shape;
  const lost = wanted === 'journals' ? await openJournals(world) : undefined;
  const archived = wanted === 'archives' ? await openArchives(world) : undefined;
  const isUsual = wanted !== 'journals' && wanted !== 'archives';
  const plan = lost?.plan ?? archived?.plan ?? drawPlan(world.dice, isUsual ? wanted : shape);
  if (options.trace !== undefined) options.trace(describePlan(plan));
  const disk = lost?.journals ?? archived?.archives ?? (await options.makeDisk?.()) ?? makeMemoryDisk();
  try {
    const simulation = new Simulation(world, plan, disk, { ...lost, ...archived });
    let broken: string | undefined;
    try {
      await world.drive(simulation.play());
      broken = world.violation?.message ?? (await judge(simulation.parts, true))[0];
      await archived?.archives.recallAll();
      if (archived !== undefined) broken ??= (await judge(simulation.parts, true))[0];
    } catch (error) {
      broken = `the simulation broke: ${error instanceof Error ? error.stack : String(error)}`;
    }
    figures.count('payout', plan.files.flatMap(({ rows }) => rows).length);
    figures.count('step', world.steps);
    return { seed, broken, hash: world.hash, steps: world.steps, figures: figures.counts };
  } finally {
    await disk.close();
  }
}

function describePlan({ files, ...plan }: Plan): string {
  const rows = files.map(({ name, rows: planned, fromLife }) => {
    const texts = planned.map(
      ({ cells, amountSatang, holds }) => `${cells.payoutId} ${amountSatang ?? 'bad'} ${holds.join()}`,
    );
    return `${name} from life ${fromLife}: ${texts.join('; ')}`;
  });
  return [JSON.stringify(plan, undefined, 1), ...rows].join('\n');
}
