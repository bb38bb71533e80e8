/** A watcher and its standby on one data directory, which are killed and follow each other. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Program, type Scene, until } from '../end-to-end/harness.ts';
import { isSending, TransferCount } from './moments.ts';

/** How long it took from a kill until somebody worked again; milliseconds. */
export interface Takeover {
  /** `standby`: one stood by; `restart`: both were killed, and one was started anew. */
  readonly by: 'standby' | 'restart';
  /** Until another process had the right to send. */
  readonly rightMs: number;
  /** Until that process had written something into its log. */
  logMs?: number;
  /** Until its first transfer had entered the bank. */
  transferMs?: number;
}

const startWaitMs = 60_000;
const lookMs = 5;
/** Lines that a standby may write. */
const standbyWords = /"msg":"(?:standing by|health and metrics .*)"/;

/** What is printed once a process works. */
const workedWords = /^\S+ \S+ {2}(?:working|taken over|archived|rejected|duplicate|batch)\b/m;

export class Watchers {
  readonly takeovers: Takeover[] = [];
  readonly complaints: string[] = [];
  /** Every process that ever watched. */
  readonly all: Program[] = [];
  readonly #scene: Scene;
  readonly #count: TransferCount;
  readonly #bankPort: string;
  #active: Program;
  #standby: Program | undefined;

  private constructor(scene: Scene, active: Program, standby: Program) {
    this.#scene = scene;
    this.#count = new TransferCount(scene);
    this.#bankPort = Number(new URL(scene.bank.baseUrl).port).toString(16).toUpperCase().padStart(4, '0');
    this.#active = active;
    this.#standby = standby;
    this.all.push(active, standby);
  }

  static async open(scene: Scene): Promise<Watchers> {
    const active = scene.start('watch');
    await untilSo(active, () => isSending(scene, active));
    const standby = scene.start('watch');
    await untilSo(standby, () => isStandingBy(standby));
    return new Watchers(scene, active, standby);
  }

  get active(): Program {
    return this.#active;
  }

  /** True once any of them has said this. */
  hasSaid(words: string): boolean {
    return this.all.some(({ stderr }) => stderr.includes(words));
  }

  /**
   * Kills the active one, and its standby too when `both`; returns when another works and the next stands by.
   * @param isLast no new standby is started
   */
  async kill(both: boolean, isLast: boolean): Promise<void> {
    const before = this.#standby;
    if (before === undefined) throw new Error('there is no standby');
    if (both) before.kill('SIGKILL');
    else this.#requireIdle(before);
    const killedMs = performance.now();
    this.#active.kill('SIGKILL');
    const candidates = [both ? this.#start() : before, ...(isLast ? [] : [this.#start()])];
    const saidBefore = candidates.map(({ stderr }) => stderr.length);
    const findWinner = (): number => candidates.findIndex((one) => isSending(this.#scene, one));
    await Promise.race(candidates.map((one) => untilSo(one, () => findWinner() >= 0)));
    const takeover: Takeover = { by: both ? 'restart' : 'standby', rightMs: performance.now() - killedMs };
    this.takeovers.push(takeover);
    // Whoever comes first: the one that was started last may overtake the other.
    const winner = findWinner();
    const next = candidates[winner];
    if (next === undefined) throw new Error('nobody has taken over');
    this.#active = next;
    this.#standby = candidates.find((one) => one !== next);
    void this.#noteFirstSigns(takeover, next, saidBefore[winner] ?? 0, killedMs);
    const standby = this.#standby;
    if (standby !== undefined) await untilSo(standby, () => isStandingBy(standby));
  }

  #start(): Program {
    const program = this.#scene.start('watch');
    this.all.push(program);
    return program;
  }

  async #noteFirstSigns(
    takeover: Takeover,
    next: Program,
    saidBefore: number,
    killedMs: number,
  ): Promise<void> {
    const transfersBefore = this.#count.read();
    while (this.#active === next && !hasEnded(next)) {
      const nowMs = performance.now() - killedMs;
      if (takeover.logMs === undefined && hasWorked(next.stderr.slice(saidBefore))) takeover.logMs = nowMs;
      if (this.#count.read() > transfersBefore) {
        takeover.transferMs = nowMs;
        return;
      }
      await sleep(lookMs);
    }
  }

  /** Looks at the standby for as long as it stands by: it must not say a word to the bank. */
  async observe(end: AbortSignal): Promise<void> {
    while (!end.aborted) {
      const standby = this.#standby;
      const isTalking = standby !== undefined && hasConnection(standby.pid, this.#bankPort);
      if (isTalking && standby === this.#standby && !isSending(this.#scene, standby))
        this.complaints.push(`the standby ${standby.pid} has a connection to the bank`);
      await sleep(observeMs);
    }
  }

  #requireIdle({ pid, stderr, stdout }: Program): void {
    if (!hasWorked(stderr) && !workedWords.test(stdout)) return;
    this.complaints.push(`the standby ${pid} has worked: ${stderr} ${stdout}`);
  }

  /** Asks both to stop, the standby first. */
  async stop(): Promise<void> {
    const standby = this.#standby;
    if (standby !== undefined) this.#requireIdle(standby);
    for (const program of [...(standby === undefined ? [] : [standby]), this.#active]) {
      const startMs = performance.now();
      program.kill('SIGTERM');
      const { code, signal, stderr } = await program.ended;
      if (code !== 0)
        this.complaints.push(`a watcher ended with ${signal ?? code}: ${stderr.slice(-shownLength)}`);
      const took = performance.now() - startMs;
      if (took > stopMsMax)
        this.complaints.push(`a watcher took ${Math.round(took)} ms to stop with nothing to do`);
    }
  }

  /** Faults that any of them has logged: nothing is wrong with bank or machine. */
  findErrors(): string[] {
    const lines = this.all.flatMap(({ stderr }) => stderr.split('\n'));
    return lines.filter((line) => /"level":"(?:error|fatal)"|internal error|^\s+at .*\.ts:\d+/.test(line));
  }
}

const observeMs = 100;
const stopMsMax = 5_000;
const shownLength = 2_000;

const isStandingBy = ({ stderr }: Program): boolean => stderr.includes('"msg":"standing by"');

/** True for a log with a line that no standby writes. */
const hasWorked = (log: string): boolean =>
  log.split('\n').some((line) => line !== '' && !standbyWords.test(line));

const ended = new WeakSet<Program>();

const hasEnded = (program: Program): boolean => ended.has(program);

/** @throws Error with what the program said when it has ended: no watcher ends by itself */
async function untilSo(program: Program, isSo: () => boolean): Promise<void> {
  void program.ended.then(() => ended.add(program));
  await until(() => isSo() || hasEnded(program), startWaitMs);
  if (!isSo()) throw new Error(`a watcher has ended by itself: ${program.stderr.slice(-shownLength)}`);
}

/** True while the process has a socket to this port (in hexadecimal), where the system tells. */
function hasConnection(pid: number, port: string): boolean {
  try {
    const own = new Set(readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`)));
    return readFileSync('/proc/net/tcp', 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .some(
        ([, , remote = '', , , , , , , inode = '']) =>
          remote.endsWith(`:${port}`) && own.has(`socket:[${inode}]`),
      );
  } catch {
    return false;
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
