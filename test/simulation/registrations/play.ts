/**
 * Registrations on a real journal: files that are alike, processes that are killed while they send or take callbacks, a bank
 * that answers late or never and calls when it likes, people, and clocks that are set. The bank's book is the judge.
 */
import { Figures } from '../figures.ts';
import { makeMemoryOutbox } from '../outbox.ts';
import { makeClock } from '../process.ts';
import { type Life, World } from '../world.ts';
import { RegistrationAuditor } from './auditor.ts';
import { type Call, RegisteringBank, writeCall } from './bank.ts';
import { connect, openPlayJournal, type PlayJournal } from './journal.ts';
import { judgeEnd } from './judge.ts';
import {
  type Act,
  drawRegistrationsPlan,
  type PlannedListener,
  type PlannedSender,
  type RegistrationsPlan,
} from './plan.ts';
import { listenAndSweep, type Listening, runSender, takeCall } from './process.ts';
import { actOn } from './people.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

class Play {
  readonly world: World;
  readonly plan: RegistrationsPlan;
  readonly auditor: RegistrationAuditor;
  readonly bank: RegisteringBank;
  readonly #outbox = makeMemoryOutbox();
  readonly #journal: PlayJournal;
  /** Whoever takes callbacks now. */
  readonly #listening: Listening[] = [];
  #lives = 0;

  constructor(world: World, plan: RegistrationsPlan, journal: PlayJournal) {
    this.world = world;
    this.plan = plan;
    this.#journal = journal;
    this.auditor = new RegistrationAuditor(world, plan, journal.view);
    this.bank = new RegisteringBank(world, plan, this.auditor, (call, onAnswer) =>
      this.#deliver(call, onAnswer),
    );
    this.auditor.bank = this.bank;
  }

  // -------------------------------------------------------------- processes

  #begin(name: string, killAtStep: number) {
    this.#lives += 1;
    const life: Life = {
      name: `${name} ${this.#lives}`,
      isAlive: true,
      steps: 0,
      killAtStep,
      onKill: () => {},
    };
    const store = connect(this.world, this.#journal.store, life, {
      roll: (kind) => this.bank.roll(kind),
      untoldShare: this.plan.untoldShare,
      onWritten: () => this.auditor.written(),
    });
    const lose = life.onKill;
    const died = new Promise<void>((resolve) => {
      life.onKill = () => {
        lose();
        this.auditor.ended(life, true);
        resolve();
      };
    });
    this.world.figures.count('life');
    const clock = makeClock(this.world, life);
    const { oversleepMs } = this.plan;
    const sleep: typeof clock.sleep = (ms, signal) => clock.sleep(Math.max(ms, oversleepMs), signal);
    return { world: this.world, life, store, clock: { ...clock, sleep }, died };
  }

  /** Until it ends, or is killed. */
  async #live(life: Life, died: Promise<void>, work: Promise<void>): Promise<void> {
    const ended = work.catch((error: unknown) => this.#break(error));
    await Promise.race([died, ended]);
    if (life.isAlive) this.auditor.ended(life, false);
    life.isAlive = false;
  }

  #break(error: unknown): void {
    if (error instanceof Error && error.name === 'DiskFullError') {
      this.world.note('ends: the disk is full');
      return;
    }
    this.world.fail(
      `a process broke: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
  }

  async #send(planned: PlannedSender, place: number): Promise<void> {
    const { died, ...own } = this.#begin('sender', planned.killAtStep);
    const interrupt = new AbortController();
    if (planned.interruptAfterMs !== undefined)
      this.world.after(planned.interruptAfterMs, 'is interrupted', own.life, () => interrupt.abort());
    const files = this.plan.files.filter(({ fromLife }) => fromLife <= place);
    const parts = {
      ...own,
      plan: this.plan,
      bank: this.bank.portFor(own.life),
      outbox: this.#outbox.outbox,
      files,
    };
    if (planned.listens) this.#listening.push(own);
    await this.#live(own.life, died, runSender(parts, interrupt.signal));
    this.#hangUp(own.life);
  }

  async #listen({ forMs, killAtStep }: Omit<PlannedListener, 'atMs'>): Promise<void> {
    const { died, ...own } = this.#begin('listener', killAtStep);
    const end = new AbortController();
    this.world.after(forMs, 'is told to end', own.life, () => end.abort());
    this.#listening.push(own);
    await this.#live(own.life, died, listenAndSweep(own, end.signal));
    this.#hangUp(own.life);
  }

  #hangUp(life: Life): void {
    const place = this.#listening.findIndex((one) => one.life === life);
    if (place >= 0) this.#listening.splice(place, 1);
  }

  /** One try of a call: whoever listens takes it, unless he dies over it. */
  #deliver(call: Call, onAnswer: (isTaken: boolean) => void): boolean {
    const { dice } = this.world;
    const listening = this.#listening[0];
    if (listening === undefined) return false;
    const body = writeCall(call);
    this.world.after(dice.whole(0, 20), `hears call ${call.number}`, listening.life, () => {
      this.world.figures.count('call-heard');
      const name = `CALL-${call.number}-${call.tries}`;
      void this.#hear(listening, call, body, name).then((isTaken) => onAnswer(isTaken));
    });
    return true;
  }

  /** @returns true when it is answered as taken; whoever is dead answers nobody */
  async #hear(listening: Listening, call: Call, body: string, requestUid: string): Promise<boolean> {
    try {
      const isTaken = (await takeCall(listening, body, requestUid)) && listening.life.isAlive;
      if (isTaken) this.auditor.answered(call);
      return isTaken;
    } catch (error) {
      this.#break(error);
      return false;
    }
  }

  // -------------------------------------------------------------- what happens

  #schedule(): void {
    const { startMs, clockJumps, acts, strays, listeners } = this.plan;
    const at = (atMs: number, label: string, run: () => void): void =>
      void this.world.after(atMs - startMs, label, undefined, () => {
        if (!this.bank.isHealed) run();
      });
    for (const { atMs, ms } of clockJumps)
      at(atMs, `the clock is set by ${ms} ms`, () => {
        this.world.machine.clockOffsetMs += ms;
        this.auditor.hasJumped = true;
        this.auditor.forgetPauses();
        this.world.figures.count('clock-jump');
      });
    for (const planned of acts) at(planned.atMs, `somebody: ${planned.act}`, () => void this.#act(planned));
    for (const { atMs, of } of strays)
      at(atMs, 'the bank makes a stray call', () =>
        this.bank.callStray(
          of ?? {
            vendorId: 'VENDOR0009',
            companyId: 'ELSEWHERE',
            accountNo: '1',
            refs: [null, null, null, null],
          },
        ),
      );
    for (const planned of listeners)
      at(planned.atMs, 'a listener is started', () => void this.#listen(planned));
  }

  async #act({ act }: { readonly act: Act | 'let-all-go-on' }): Promise<void> {
    const { died, ...own } = this.#begin('person', Infinity);
    const { plan, auditor } = this;
    await this.#live(own.life, died, actOn({ ...own, plan, auditor }, act));
  }

  async play(): Promise<void> {
    this.world.nowMs = this.plan.startMs;
    this.#schedule();
    for (const [place, sender] of this.plan.senders.entries()) {
      await this.world.pause(sender.gapMs);
      for (const act of sender.actsBefore) await this.#act({ act });
      if (sender.isCalledBefore) this.#callOfAnyRow();
      await this.#send(sender, place);
    }
    await this.#rest();
  }

  /** About what is not sent yet, it may be: by the bank's clock it could be meant by the next request. */
  #callOfAnyRow(): void {
    const rows = this.plan.files.flatMap((file) => file.rows.flatMap(({ instruction }) => instruction ?? []));
    if (rows.length > 0) this.bank.callStray(this.world.dice.pick(rows));
  }

  /** The bank is well and tells what it owes, people let all go on, and everything is run again until it has ended. */
  async #rest(): Promise<void> {
    const { machine } = this.world;
    this.bank.isHealed = true;
    machine.clockOffsetMs = 0;
    this.world.note('the bank is well');
    const always = {
      gapMs: 0,
      killAtStep: Infinity,
      interruptAfterMs: undefined,
      listens: true,
      actsBefore: [],
      isCalledBefore: false,
    };
    const listening = { forMs: 400 * hourMs, killAtStep: Infinity };
    void this.#listen(listening);
    for (const gapMs of [
      2 * hourMs,
      this.plan.answerWithinMs + hourMs,
      80 * hourMs,
      this.plan.answerWithinMs + hourMs,
    ]) {
      await this.world.pause(gapMs);
      await this.#act({ act: 'let-all-go-on' });
      await this.#send(always, Infinity);
    }
    await this.world.pause(10 * minuteMs);
  }

  async verdict(): Promise<string | undefined> {
    const { plan, bank, auditor } = this;
    const { store, view } = this.#journal;
    return judgeEnd({ plan, bank, auditor, store, view, published: this.#outbox.published });
  }
}

export interface RegistrationsOutcome {
  readonly seed: number;
  /** What is broken, in words; undefined when all holds. */
  readonly broken: string | undefined;
  /** The same for the same seed, whatever happens. */
  readonly hash: number;
  readonly steps: number;
  readonly figures: Readonly<Record<string, number>>;
}

interface PlayOptions {
  readonly trace?: ((line: string) => void) | undefined;
  /** Of earlier plays; one of its own when left out. */
  readonly journal?: PlayJournal | undefined;
}

/** Plays one seed. */
export async function playRegistrations(
  seed: number,
  { trace, journal }: PlayOptions = {},
): Promise<RegistrationsOutcome> {
  if (journal === undefined) {
    await using own = await openPlayJournal();
    return await playRegistrations(seed, { trace, journal: own });
  }
  journal.wipe();
  const figures = new Figures();
  const world = new World(seed, figures, trace);
  const plan = drawRegistrationsPlan(world.dice);
  trace?.(describePlan(plan));
  const play = new Play(world, plan, journal);
  let broken: string | undefined;
  try {
    await world.drive(play.play());
    broken = world.violation?.message ?? (await play.verdict());
  } catch (error) {
    broken = `the play broke: ${error instanceof Error ? error.stack : String(error)}`;
  }
  figures.count('step', world.steps);
  return { seed, broken, hash: world.hash, steps: world.steps, figures: figures.counts };
}

function describePlan({ files, ...plan }: RegistrationsPlan): string {
  const shown = files.map(({ name, batchId, rows, fromLife }) => {
    const texts = rows.map(
      ({ cells }) => `${cells.registrationId} ${cells.vendorId} ${cells.accountNo} ${cells.ref1}`,
    );
    return `${name} (${batchId}) from life ${fromLife}: ${texts.join('; ')}`;
  });
  return [JSON.stringify(plan, undefined, 1), ...shown].join('\n');
}
