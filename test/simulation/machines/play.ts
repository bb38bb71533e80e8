/** One run of several machines on one journal: what the seed decides, then what happens, then the verdict. */
import type { TransferOrder } from '../../../src/core/payout.ts';
import { bankNotAsked, cancelPayouts } from '../../../src/payout/operator.ts';
import { lastSendOverMs, leaseMs } from '../../../src/payout/rules/lease.ts';
import { Dice } from '../../support/dice.ts';
import { actOn, letAllGoOn } from '../acts.ts';
import { Auditor } from '../auditor.ts';
import { SimulatedBank } from '../bank.ts';
import { Figures } from '../figures.ts';
import { Network, type Witness } from '../network.ts';
import { makeMemoryOutbox } from '../outbox.ts';
import { makePlannedReader } from '../planned-files.ts';
import type { RunOutcome } from '../run-seed.ts';
import { judge, type VerdictParts } from '../verdict.ts';
import { type Freeze, type Life, type Machine, World } from '../world.ts';
import { type Database, MemoryDatabase } from './database.ts';
import { Link, noTrouble, onDeath, type OnApplied, Server } from './link.ts';
import { type ClusterPlan, drawCluster, heldBytesMaxMs, type PlannedMachine } from './plan.ts';
import { PutBack } from './put-back.ts';
import { watch } from './watcher.ts';

export interface ClusterOptions {
  readonly trace?: ((line: string) => void) | undefined;
  readonly makeDatabase?: (shardRowsMax: number) => Promise<Database>;
}

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** More than any run of several processes, which all look around, should need. */
const stepsMax = 400_000;

/** Before each run of the end. */
const restGapsMs = [minuteMs, 10 * minuteMs, 3 * hourMs, 30 * hourMs, 30 * hourMs, hourMs, hourMs];
/** In the end, machines that are left alone have done all that can be done by then. */
const restMaxMs = 10 * minuteMs;
const restPollMs = 10 * secondMs;
/** A process whose place was taken has another by then, though the answers to two commits never came, one after the other. */
const placelessMaxMs = 150 * secondMs;
/** A process that is asked to stop has ended by then: transfers are waited for. */
const stopMaxMs = 3 * minuteMs;

/** What a person is told when the database is away. */
function ignoreUnwritten(error: unknown): void {
  if ((error as Error).name !== 'JournalWriteError') throw error;
}

class ClusterRun {
  readonly #world: World;
  readonly #cluster: ClusterPlan;
  readonly #database: Database;
  readonly #server: Server;
  readonly #auditor: Auditor;
  readonly #bank: SimulatedBank;
  readonly #network: Network;
  readonly #outbox = makeMemoryOutbox();
  /** Those that have had a place. */
  readonly #places = new Set<Life>();
  /** Asked to stop: nobody holds them to anything but that. */
  readonly #stopping = new Set<Life>();
  readonly #askedAtMs = { latest: 0 };
  #lives = 0;
  #putBack: PutBack | undefined;

  constructor(world: World, cluster: ClusterPlan, database: Database) {
    const { plan, luck, databaseOffsetMs } = cluster;
    this.#world = world;
    this.#cluster = cluster;
    this.#database = database;
    this.#server = new Server(world, database, luck, databaseOffsetMs);
    this.#server.cancel = (seqs) => this.#cancel(seqs);
    this.#auditor = new Auditor(world, plan);
    this.#bank = new SimulatedBank(world, plan, (entry) => this.#auditor.entered(entry));
    this.#network = new Network(world, plan, this.#bank, this.#witness(), () => this.#drawHold());
    this.#auditor.look(this.#bank.book, database.view);
    database.onWritten = () => {
      this.#auditor.written();
      const twice = database.findSharedTwice(this.#databaseMs);
      if (twice !== undefined) this.#world.fail(`two workers have been handed ${twice}`);
    };
  }

  /** The auditor, who looks besides whether whoever sends has the right to. */
  #witness(): Witness {
    const auditor = this.#auditor;
    return {
      leaves: (order: TransferOrder, isRepetitionOf401, life) => {
        // Recorded in a journal that is lost by now.
        if (this.#putBack?.isFormer(life) === true) return;
        this.#judgeRight(order, life);
        this.#judgeOthersSends(order, life);
        auditor.leaves(order, isRepetitionOf401, life);
      },
      toldOfTransfer: (order, reply, life) => auditor.toldOfTransfer(order, reply, life),
      toldOfInquiry: (inquiry, reply, life) => auditor.toldOfInquiry(inquiry, reply, life),
    };
  }

  #judgeRight({ transRefNo }: TransferOrder, life: Life): void {
    if (!this.#server.leases.isRunning(life, this.#world.nowMs))
      this.#world.fail(`${transRefNo} is sent by ${life.name}, whose lease is over`);
  }

  /** By payoutId: what was recorded to be sent, by whom, and when that was asked for. */
  readonly #sends = new Map<string, { transRefNo: string; life: Life; atMs: number }[]>();

  readonly #noteApplied: OnApplied = (changes, life, { askedAtMs: atMs, beganAtMs }) => {
    this.#auditor.asked(changes, life, atMs);
    for (const { isIntent, isRepetition, attempt, before } of changes) {
      if (attempt === undefined || (isIntent ?? isRepetition) !== true) continue;
      const { payoutId } = before.instruction;
      this.#putBack?.judgeIntent(payoutId, life);
      if (!this.#server.leases.isRunning(life, beganAtMs))
        this.#world.fail(`${payoutId} is recorded to be sent by ${life.name}, whose lease is over`);
      const send = { transRefNo: attempt.order.transRefNo, life, atMs };
      this.#sends.set(payoutId, [...(this.#sends.get(payoutId) ?? []), send]);
    }
  };

  /**
   * A next attempt leaves once nothing that another has sent of the payout can be on its way, and no attempt does that
   * another has recorded to be sent since.
   */
  #judgeOthersSends({ transRefNo, reference1 }: TransferOrder, life: Life): void {
    const { nowMs } = this.#world;
    const latest = this.#sends.get(reference1 ?? '')?.findLast((send) => send.transRefNo === transRefNo);
    if (latest !== undefined && latest.life !== life)
      this.#world.fail(
        `${transRefNo} is sent by ${life.name} after ${latest.life.name} has recorded that it sends it`,
      );
    const early = this.#sends
      .get(reference1 ?? '')
      ?.find(
        (send) =>
          send.transRefNo.slice(-2) < transRefNo.slice(-2) &&
          send.life !== life &&
          !this.#server.leases.gaveBack.has(send.life) &&
          nowMs - send.atMs < lastSendOverMs,
      );
    if (early !== undefined)
      this.#world.fail(`${transRefNo} is sent ${nowMs - early.atMs} ms after ${early.transRefNo} of another`);
  }

  get #databaseMs(): number {
    return this.#world.nowMs + this.#server.offsetMs;
  }

  #drawHold(): number {
    const { dice } = this.#world;
    const isHeld = !this.#bank.isHealed && dice.chance(this.#cluster.heldBytesShare);
    return isHeld ? dice.wide(100, heldBytesMaxMs) : 0;
  }

  get parts(): VerdictParts {
    const { plan } = this.#cluster;
    return {
      world: this.#world,
      book: this.#bank.book,
      auditor: this.#auditor,
      disk: this.#disk,
      files: plan.files,
      isLying: false,
      isEdited: false,
      hasDecisions: false,
      hasStatements: false,
      isBankTimeOff: plan.bankOffsetMs !== 0 || plan.dateOffsetMs !== 0,
      journal: this.#putBack?.hasHappened === true ? 'put-back' : 'kept',
    };
  }

  #disk: VerdictParts['disk'] = undefined as never;

  async open(): Promise<void> {
    const { journal } = await this.#database.open({ workerId: undefined, noteRefused: () => {} });
    const { view } = this.#database;
    const findContradictions = (): string[] | Promise<string[]> => this.#database.findContradictions();
    this.#disk = { journal, view, findContradictions, onWritten: () => {}, close: async () => {} };
  }

  #after(ms: number, what: string, run: () => void): void {
    this.#world.after(ms, what, undefined, () => {
      if (!this.#bank.isHealed) run();
    });
  }

  async play(): Promise<void> {
    const { plan, machines, workMs, aways, jumps, acts } = this.#cluster;
    const world = this.#world;
    world.nowMs = plan.startMs;
    const computers = machines.map(({ clockOffsetMs }): Machine => ({
      clockOffsetMs,
      suspendedUntilMs: 0,
      sleptMs: 0,
    }));
    for (const { afterMs, ms } of aways)
      this.#after(afterMs, 'the database is away', () => {
        world.figures.count('database-away');
        this.#server.awayUntilMs = Math.max(this.#server.awayUntilMs, world.nowMs + ms);
      });
    for (const { afterMs, machine, ms } of jumps)
      this.#after(afterMs, 'a clock jumps', () => {
        world.figures.count('clock-jump');
        const computer = computers[machine];
        if (computer !== undefined) computer.clockOffsetMs += ms;
      });
    for (const { afterMs, act } of acts)
      this.#after(
        afterMs,
        'a person comes',
        () => void this.#act(act).catch((error: unknown) => this.#break(error)),
      );
    const over = new AbortController();
    this.#beginPutBack(computers);
    void this.#judgePlaces(over.signal);
    const ended = machines.map((planned, place) =>
      this.#liveOn(planned, computers[place] as Machine, over.signal),
    );
    await world.pause(workMs);
    over.abort();
    await Promise.all(ended);
    await this.#putBack?.ended();
    await this.#rest(computers);
  }

  #beginPutBack(computers: readonly Machine[]): void {
    const { putBack: plan } = this.#cluster;
    const { putBack: database, view } = this.#database;
    if (plan === undefined || database === undefined) return;
    this.#putBack = new PutBack(plan, {
      world: this.#world,
      database,
      machines: computers,
      lives: () => [...this.#working.keys()],
      onPutBack: () => {
        this.#auditor.lookAnew(view);
        this.#sends.clear();
        this.#server.leases.forgetAll();
      },
      moveReports: () => this.#outbox.moveAway(),
      stopAll: () => this.#stopAll(),
      rest: async (ms) => {
        this.#mayBegin = false;
        await this.#world.pause(ms);
        this.#mayBegin = true;
      },
    });
    void this.#putBack.play().catch((error: unknown) => this.#break(error));
  }

  /** Those at work, each with what asks it to stop. */
  readonly #working = new Map<Life, AbortController>();

  /** A person stops every process, and waits until nobody has a place any more. */
  async #stopAll(): Promise<void> {
    const world = this.#world;
    this.#mayBegin = false;
    for (const [life, stop] of this.#working) {
      this.#stopping.add(life);
      stop.abort();
    }
    const endsAtMs = world.nowMs + stopMaxMs;
    while (this.#working.size > 0) {
      if (world.nowMs > endsAtMs) for (const life of this.#working.keys()) life.killAtStep = 0;
      await world.pause(restPollMs);
    }
    await world.pause(2 * leaseMs);
    this.#mayBegin = true;
  }

  #mayBegin = true;

  /** Whoever lives and reaches the database has a place. */
  async #judgePlaces(over: AbortSignal): Promise<void> {
    const world = this.#world;
    // A token is waited for longer than any place.
    if (this.#cluster.plan.faults['token-slow'] !== undefined) return;
    const seenAtMs = new Map<Life, number>();
    while (!over.aborted) {
      for (const life of this.#places) {
        const isExcused = this.#server.isAway || this.#stopping.has(life) || !life.isAlive;
        const isFrozen = world.machineOf(life).suspendedUntilMs > world.nowMs;
        if (isExcused || isFrozen || this.#server.leases.isRunning(life, world.nowMs))
          seenAtMs.set(life, world.nowMs);
        if (world.nowMs - (seenAtMs.get(life) ?? world.nowMs) > placelessMaxMs)
          world.fail(`liveness: ${life.name} has no place`);
      }
      await world.pause(restPollMs);
    }
  }

  /** The lives of one machine, one after the other. */
  async #liveOn({ lives }: PlannedMachine, machine: Machine, over: AbortSignal): Promise<void> {
    for (const { gapMs, killAtStep, interruptAfterMs, freezes } of lives) {
      await this.#world.pause(gapMs);
      while (!this.#mayBegin && !over.aborted) await this.#world.pause(secondMs);
      if (over.aborted) return;
      const stop = new AbortController();
      const life = this.#begin(machine, { killAtStep, freezes });
      if (interruptAfterMs !== undefined)
        this.#world.after(interruptAfterMs, 'is interrupted', life, () => {
          this.#stopping.add(life);
          stop.abort();
        });
      over.addEventListener('abort', () => this.#endAtLast(life, stop), { once: true });
      await this.#live(life, stop);
    }
  }

  /** Asked to stop, or killed. */
  #endAtLast(life: Life, stop: AbortController): void {
    if (!life.isAlive) return;
    if (this.#world.dice.chance(0.3)) life.killAtStep = life.steps + 1;
    else stop.abort();
    this.#world.after(5 * minuteMs, 'is killed in the end', life, () => (life.killAtStep = 0));
  }

  #begin(
    machine: Machine,
    { killAtStep, freezes }: { readonly killAtStep: number; readonly freezes: readonly Freeze[] },
    name = 'process ',
  ): Life {
    this.#lives += 1;
    const named = { name: `${name}${this.#lives}`, isAlive: true, steps: 0, killAtStep };
    return { ...named, onKill: () => {}, machine, freezes };
  }

  async #live(life: Life, stop: AbortController): Promise<void> {
    this.#working.set(life, stop);
    const putBack = this.#putBack;
    const seen = putBack?.see(life);
    const { plan, droppedAfterMs } = this.#cluster;
    const died = new Promise<void>((resolve) => onDeath(life, resolve));
    const files = (): readonly string[] =>
      plan.files
        .filter((_file, place) => this.#world.nowMs >= plan.startMs + (droppedAfterMs[place] ?? 0))
        .map(({ name }) => name);
    this.#world.figures.count('life');
    const ended = watch({
      world: this.#world,
      life,
      plan,
      server: this.#server,
      bank: this.#network.portFor(life),
      outbox: this.#outbox.outbox,
      reader: makePlannedReader(this.#world.seed, plan.files),
      stop: stop.signal,
      files,
      askedAtMs: this.#askedAtMs,
      onApplied: this.#noteApplied,
      seen,
      isWitnessed: () => putBack?.isWitnessed(life) === true,
      onPlace: () => {
        this.#places.add(life);
        // Whoever has lost its place and takes another begins anew.
        this.#auditor.begins(life);
      },
    }).catch((error: unknown) => {
      if ((error as Error).name !== 'JournalRefusedError') this.#break(error);
      else this.#putBack?.judgeRefused(life, (error as Error).message);
    });
    await Promise.race([died, ended]);
    life.isAlive = false;
    this.#working.delete(life);
  }

  #break(error: unknown): void {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.#world.fail(`the process broke: ${text}`);
  }

  /** The way of a person to the journal. */
  async #connect(): Promise<Link> {
    const life = this.#begin(
      { clockOffsetMs: 0, suspendedUntilMs: 0 },
      { killAtStep: Infinity, freezes: [] },
      'person ',
    );
    const opened = await this.#database.open({ workerId: undefined, noteRefused: () => {} });
    return new Link(this.#server, life, opened, () => {});
  }

  async #act(act: ClusterPlan['acts'][number]['act']): Promise<void> {
    // A person's command is refused an older copy, too.
    if (this.#putBack?.isLost === true) return;
    // What somebody gives back, others would look for.
    if (this.#server.isHelperHeld) return;
    const { journal } = await this.#connect();
    const acting = { world: this.#world, plan: this.#cluster.plan, auditor: this.#auditor, journal };
    await actOn(act, { ...acting, ask: bankNotAsked, recalls: false }).catch(ignoreUnwritten);
  }

  async #cancel(seqs: readonly number[]): Promise<void> {
    const { journal } = await this.#connect();
    await cancelPayouts(journal, seqs, this.#world.ourMs).catch(ignoreUnwritten);
  }

  /** All is well from here on, people do their part, and machines go on until nothing is left. */
  async #rest(computers: readonly Machine[]): Promise<void> {
    const world = this.#world;
    this.#bank.isHealed = true;
    this.#server.luck = noTrouble;
    this.#server.awayUntilMs = 0;
    for (const machine of computers) Object.assign(machine, { clockOffsetMs: 0, suspendedUntilMs: 0 });
    world.note('all is well');
    for (const gapMs of restGapsMs) {
      await world.pause(gapMs);
      await this.#workTogether(computers.slice(0, world.dice.whole(1, 2)));
      if (world.violation !== undefined || (await this.#judge()).length === 0) return;
      const { journal } = await this.#connect();
      await letAllGoOn({ world, plan: this.#cluster.plan, auditor: this.#auditor, journal });
    }
  }

  #judge(): Promise<string[]> {
    return this.#server.run(() => judge(this.parts, true));
  }

  async #workTogether(computers: readonly Machine[]): Promise<void> {
    const world = this.#world;
    const stop = new AbortController();
    const lives = computers.map((machine) =>
      this.#begin(machine, { killAtStep: Infinity, freezes: [] }, 'last process '),
    );
    const working = Promise.all(lives.map((life) => this.#live(life, stop)));
    const endsAtMs = world.nowMs + restMaxMs;
    this.#askedAtMs.latest = 0;
    do await world.pause(restPollMs);
    while (world.nowMs < endsAtMs && !(await this.#isAtRest()));
    stop.abort();
    const late = world.after(stopMaxMs, 'must have ended', undefined, () =>
      world.fail('liveness: a process that was asked to stop goes on'),
    );
    await working;
    world.cancel(late);
  }

  async #isAtRest(): Promise<boolean> {
    const { journal } = this.#disk;
    if (this.#askedAtMs.latest === 0) return false;
    return this.#server.run(async () => {
      const batches = await journal.batches();
      const isOpen = batches.some(({ status }) => status !== 'done' && status !== 'halted');
      return !isOpen && (await journal.nextInquiryAtMs()) === undefined;
    });
  }
}

const otherSeeds = 1_000_000;

/** Plays one seed. */
export async function playCluster(seed: number, options: ClusterOptions = {}): Promise<RunOutcome> {
  const figures = new Figures();
  const world = new World(seed, figures, options.trace, stepsMax);
  const cluster = drawCluster(world.dice, new Dice(seed + otherSeeds));
  options.trace?.(JSON.stringify({ ...cluster, plan: { ...cluster.plan, files: undefined } }, undefined, 1));
  const database =
    (await options.makeDatabase?.(cluster.shardRowsMax)) ?? new MemoryDatabase(cluster.shardRowsMax);
  try {
    const run = new ClusterRun(world, cluster, database);
    await run.open();
    let broken: string | undefined;
    try {
      await world.drive(run.play());
      broken = world.violation?.message ?? (await judge(run.parts, true))[0];
    } catch (error) {
      broken = `the simulation broke: ${error instanceof Error ? error.stack : String(error)}`;
    }
    figures.count('payout', cluster.plan.files.flatMap(({ rows }) => rows).length);
    figures.count('step', world.steps);
    return { seed, broken, hash: world.hash, steps: world.steps, figures: figures.counts };
  } finally {
    await database.close();
  }
}
