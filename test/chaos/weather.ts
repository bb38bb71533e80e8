/** Lets a planned storm come over the runs of a scene: each kind of trouble in a lane of its own, so that they meet. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Program, ProgramEnd, Scene } from '../end-to-end/harness.ts';
import type { Disk } from './disk.ts';
import { describeEnd, type EndKind, judgeEnd } from './ends.ts';
import type { TransferCount } from './moments.ts';
import { describeTrouble, type PlannedTrouble, type Trouble } from './storm.ts';

/** What the words FILE, BATCH and PAYOUT of a command stand for. */
export type Names = Readonly<Record<'FILE' | 'BATCH' | 'PAYOUT', string>>;

type Kind = Trouble['kind'];
type Of<K extends Kind> = Extract<Trouble, { kind: K }>;

/** How often each trouble has come, and how often commands have ended in each way. */
export type Came = Map<Kind | EndKind, number>;

const lookMs = 5;
const nextRunWithinMs = 5_000;

export class Weather {
  /** Ends that no command may have. */
  readonly complaints: string[] = [];
  /** What has come, by kind. */
  readonly came: Came = new Map();
  readonly #scene: Scene;
  readonly #disk: Disk | undefined;
  readonly #names: Names;
  readonly #say: (line: string) => void;
  #current: Program | undefined;
  #diskTroubles = 0;
  #lastDiskTroubleMs = -Infinity;

  constructor(scene: Scene, disk: Disk | undefined, names: Names, say: (line: string) => void) {
    this.#scene = scene;
    this.#disk = disk;
    this.#names = names;
    this.#say = say;
  }

  /** Starts a command; a run is what the next trouble befalls. */
  start(args: readonly string[]): { readonly program: Program; readonly ended: Promise<EndKind> } {
    const startedMs = performance.now();
    const words = args.map((word) => (word in this.#names ? this.#names[word as keyof Names] : word));
    const program = this.#scene.start(...words);
    const ended = program.ended.then((end) => this.#judge(args, end, startedMs));
    return { program, ended };
  }

  /** This run is under way. */
  befall(program: Program): void {
    this.#current = program;
    void program.ended.finally(() => {
      if (this.#current === program) this.#current = undefined;
    });
  }

  get isDiskFine(): boolean {
    return this.#diskTroubles === 0;
  }

  /** Lets everything come in its time; resolves when it is over, and all is well again. */
  async blow(storm: readonly PlannedTrouble[], count: TransferCount, end: AbortSignal): Promise<void> {
    const lanes = new Map<Kind, Promise<void>>();
    for (const { afterTransfers, trouble } of storm) {
      while (!end.aborted && count.read() < afterTransfers) await sleep(lookMs);
      if (end.aborted) break;
      const before = lanes.get(trouble.kind) ?? Promise.resolve();
      lanes.set(
        trouble.kind,
        before.then(() => this.#bring(trouble)),
      );
    }
    await Promise.all(lanes.values());
  }

  async #bring(trouble: Trouble): Promise<void> {
    this.#say(`  ${describeTrouble(trouble)}`);
    if (await this.#befallBy(trouble)) this.#note(trouble.kind);
  }

  #note(what: Kind | EndKind): void {
    this.came.set(what, (this.came.get(what) ?? 0) + 1);
  }

  /** False when there was nothing for it to befall. */
  #befallBy(trouble: Trouble): Promise<boolean> {
    switch (trouble.kind) {
      case 'bank':
        return this.#killBank(trouble);
      case 'stop':
        return this.#stopRun(trouble);
      case 'full-disk':
        return this.#troubleDisk(trouble);
      case 'read-only':
        return this.#troubleDisk(trouble);
      case 'clock':
        return this.#setClock(trouble);
      case 'command':
        return this.#typeCommand(trouble);
    }
  }

  async #killBank({ forMs }: Of<'bank'>): Promise<boolean> {
    const { bank } = this.#scene;
    await bank.kill();
    await sleep(forMs);
    await bank.reopen();
    return true;
  }

  async #stopRun({ forMs, jumpMs }: Of<'stop'>): Promise<boolean> {
    const run = await this.#findRun();
    if (run === undefined) return false;
    run.kill('SIGSTOP');
    await sleep(forMs);
    this.#scene.clocks.pass(jumpMs);
    run.kill('SIGCONT');
    return true;
  }

  /** The run under way, or the next one; undefined when none comes. */
  async #findRun(): Promise<Program | undefined> {
    const untilMs = performance.now() + nextRunWithinMs;
    while (this.#current === undefined && performance.now() < untilMs) await sleep(lookMs);
    return this.#current;
  }

  async #troubleDisk({ kind, forMs }: Of<'full-disk' | 'read-only'>): Promise<boolean> {
    const disk = this.#disk;
    const means = kind === 'full-disk' ? disk?.means.full : disk?.means.readOnly;
    if (disk === undefined || means === undefined) return false;
    const pid = this.#current?.pid;
    this.#diskTroubles += 1;
    if (kind === 'full-disk') disk.fill(pid);
    else disk.protect();
    await sleep(forMs);
    if (kind === 'full-disk') disk.free(pid);
    else disk.unprotect();
    this.#diskTroubles -= 1;
    this.#lastDiskTroubleMs = performance.now();
    return true;
  }

  async #setClock({ whose, jumpMs, forMs }: Of<'clock'>): Promise<boolean> {
    const { clocks } = this.#scene;
    if (whose === 'both') {
      clocks.pass(jumpMs);
      return true;
    }
    clocks.setWrong(jumpMs);
    await sleep(forMs);
    clocks.setWrong(0);
    return true;
  }

  async #typeCommand({ args }: Of<'command'>): Promise<boolean> {
    await this.start([...args, '--log-level', 'error', ...(args[0] === 'run' ? ['--json'] : [])]).ended;
    return true;
  }

  #judge(args: readonly string[], end: ProgramEnd, startedMs: number): EndKind {
    const hadDiskTrouble = !this.isDiskFine || this.#lastDiskTroubleMs >= startedMs;
    const kind = judgeEnd(args, end, hadDiskTrouble);
    if (kind === 'wrong') this.complaints.push(describeEnd(args, end));
    this.#note(kind);
    return kind;
  }
}
