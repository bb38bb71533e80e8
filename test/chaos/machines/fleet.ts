/**
 * Machines that work one journal: each a watcher with a data directory and a way to the database of its own, and the same
 * folders for files as the others. Who ends is started again.
 */
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse, stringify } from 'yaml';
import { type Program, type Scene, until } from '../../end-to-end/harness.ts';
import { type CuttableLink, openCuttableLink } from '../../support/cuttable-link.ts';
import type { OwnPostgres } from '../../support/own-postgres.ts';

/** `up`: it has said that it sends or helps. */
type MachineState = 'down' | 'starting' | 'up' | 'frozen';

/** Lines of its log by which a watcher says so. */
const partWords = /"msg":"(?:standing by|this process has the right to send)"/;
const programFault = /internal error|^\s+at .*\.ts:\d+/m;
const loudLine = /^\{.*"level":"(?:error|fatal)".*"msg":"([^"]*)"/gm;
const shownLength = 2_000;
const startMaxMs = 120_000;
const stopMaxMs = 20_000;
const lookMs = 20;
/** After which a process that has ended by itself is started again. */
const supervisorMs = 1_000;

/** What the watchers have had to say for themselves. */
export interface Said {
  /** Ends and failures that no watcher may have. */
  readonly complaints: string[];
  /** How often each error was logged: with so much going wrong there must be some. */
  readonly errors: Map<string, number>;
  /** Where all that each of them has logged is kept; undefined: nowhere. */
  readonly folder?: string | undefined;
}

function noteErrors({ errors }: Said, log: string): void {
  for (const [, message = ''] of log.matchAll(loudLine)) errors.set(message, (errors.get(message) ?? 0) + 1);
}

export class Machine implements AsyncDisposable {
  readonly name: string;
  readonly configPath: string;
  readonly link: CuttableLink;
  readonly #scene: Scene;
  readonly #said: Said;
  #program: Program | undefined;
  #state: MachineState = 'down';
  #isOver = false;

  constructor(name: string, configPath: string, link: CuttableLink, scene: Scene, said: Said) {
    this.name = name;
    this.configPath = configPath;
    this.link = link;
    this.#scene = scene;
    this.#said = said;
  }

  get state(): MachineState {
    return this.#state;
  }

  /** Of the watcher, while there is one. */
  get pid(): number | undefined {
    return this.#program?.pid;
  }

  start(): void {
    const program = this.#scene.startWith(this.configPath, 'watch');
    this.#program = program;
    this.#state = 'starting';
    void this.#noteUp(program);
    void this.#noteEnd(program);
  }

  async #noteEnd(program: Program): Promise<void> {
    const { code, signal, stderr } = await program.ended;
    noteErrors(this.#said, stderr);
    const { folder } = this.#said;
    if (folder !== undefined) await appendFile(join(folder, `${this.name}.log`), stderr);
    const last = stderr.slice(-shownLength);
    if (programFault.test(stderr)) this.#said.complaints.push(`${this.name} has failed: ${last}`);
    if (this.#program !== program) return;
    this.#said.complaints.push(`${this.name} has ended by itself with ${signal ?? code}: ${last}`);
    void this.#startAgain(supervisorMs);
  }

  async #noteUp(program: Program): Promise<void> {
    while (this.#program === program && !partWords.test(program.stderr)) await sleep(lookMs);
    if (this.#program === program && this.#state === 'starting') this.#state = 'up';
  }

  async #startAgain(afterMs: number): Promise<void> {
    this.#program = undefined;
    this.#state = 'down';
    await sleep(afterMs, undefined, { ref: false });
    if (!this.#isOver) this.start();
  }

  /** SIGKILL; it is started again after a while. */
  kill(awayMs: number): void {
    this.#program?.kill('SIGKILL');
    void this.#startAgain(awayMs);
  }

  /** It stands still for a while; a kill ends that, too. */
  async freeze(forMs: number): Promise<void> {
    const program = this.#program;
    if (program === undefined) return;
    this.#state = 'frozen';
    program.kill('SIGSTOP');
    await sleep(forMs);
    program.kill('SIGCONT');
    if (this.#program === program) this.#state = 'up';
  }

  /** Resolves when it takes part. @throws Error when it does not in time */
  async untilUp(): Promise<void> {
    await until(() => this.#state === 'up', startMaxMs);
  }

  /** It is started no more. */
  #end(): Program | undefined {
    const program = this.#program;
    this.#program = undefined;
    this.#state = 'down';
    this.#isOver = true;
    return program;
  }

  /** Asks it to stop, and looks how it does. */
  async stop(): Promise<void> {
    const program = this.#end();
    if (program === undefined) return;
    const beganMs = performance.now();
    program.kill('SIGTERM');
    const { code, signal, stderr } = await program.ended;
    const tookMs = performance.now() - beganMs;
    if (code !== 0)
      this.#said.complaints.push(
        `${this.name} was stopped and ended with ${signal ?? code}: ${stderr.slice(-shownLength)}`,
      );
    if (tookMs > stopMaxMs)
      this.#said.complaints.push(`${this.name} took ${Math.round(tookMs)} ms to stop with nothing to do`);
  }

  /** Ends it at once. */
  async [Symbol.asyncDispose](): Promise<void> {
    const program = this.#end();
    program?.kill('SIGKILL');
    await program?.ended;
    await this.link[Symbol.asyncDispose]();
  }
}

/** Folders that all machines have in common, as a share that each of them mounts. */
const sharedFolders = ['inbox', 'work', 'archive', 'rejected', 'outbox'] as const;

/** The settings of one machine: the scene's, but for its data directory, its way to the journal and the common folders. */
async function writeSettings(
  { folder, dataDir, configPath }: Scene,
  name: string,
  url: string,
): Promise<string> {
  const settings = parse(await readFile(configPath, 'utf8')) as object;
  const own = join(folder, name);
  await mkdir(own, { mode: 0o700 });
  const folders = Object.fromEntries(sharedFolders.map((which) => [which, join(dataDir, which)]));
  const path = join(folder, `${name}.yaml`);
  await writeFile(path, stringify({ ...settings, dataDir: own, folders, journal: { url } }), { mode: 0o600 });
  return path;
}

/**
 * Sets machines up, and the journal with them; none is started yet.
 * @param scene whose data directory holds the common folders
 */
export async function openFleet(
  scene: Scene,
  postgres: OwnPostgres,
  count: number,
  said: Said,
): Promise<readonly Machine[] & AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  for (const which of sharedFolders)
    await mkdir(join(scene.dataDir, which), { recursive: true, mode: 0o700 });
  const machines: Machine[] = [];
  for (let place = 0; place < count; place += 1) {
    const link = await openCuttableLink(postgres.port);
    const name = `machine-${place}`;
    const configPath = await writeSettings(scene, name, postgres.url(link.port));
    machines.push(stack.use(new Machine(name, configPath, link, scene, said)));
  }
  const [first] = machines;
  if (first === undefined) throw new Error('there are no machines');
  const made = await scene.runWith(first.configPath, 'init');
  if (made.code !== 0) throw new Error(`init has failed: ${made.stdout}\n${made.stderr}`);
  const owned = stack.move();
  return Object.assign(machines, { [Symbol.asyncDispose]: () => owned.disposeAsync() });
}
