/** Registers files while whoever sends and whoever listens are killed, and on until everything has ended. */
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { awaitedStatuses } from '../../src/registration/rules/registration.ts';
import { type Program, type Scene, type SceneSettings, until } from '../end-to-end/harness.ts';
import { partner } from '../support/core-fixtures.ts';
import type { Dice } from '../support/dice.ts';
import { type Moment, planMoments, TransferCount, waitForMoment } from './moments.ts';
import {
  type PlannedRegistrationFile,
  registrationBehaviours,
  vendorId,
  writeRegistrations,
} from './register-plan.ts';
import { gatherRegistrationEvidence } from './register-verdict.ts';
import { findFreePort } from '../support/free-port.ts';

/** Who sends: the watcher, which listens itself, or the command of a shell, beside a listener of its own. */
export type Sender = 'watch' | 'register';

export interface RegistrationSiege {
  readonly scene: Scene;
  readonly files: readonly PlannedRegistrationFile[];
  readonly sender: Sender;
  readonly kills: number;
  readonly dice: Dice;
  readonly say: (line: string) => void;
  /** The longest that everything may take. */
  readonly waitMs: number;
}

/** What the kills came to. */
export interface KilledRegistrations {
  readonly senderKills: number;
  readonly listenerKills: number;
  /** From the first start until everything had ended. */
  readonly workedMs: number;
}

const apiKey = 'the-key-of-the-siege';

/** Settings for a bank that calls back, and for a partner who is called. @param answerWithinMs as of the settings */
export async function describeRegistrationScene(answerWithinMs: number): Promise<SceneSettings> {
  const port = await findFreePort();
  return {
    sandbox: {
      latencyMs: 4,
      vendors: [{ vendorId, companyIds: [partner.companyId] }],
      registration: {
        callbackUrl: `http://127.0.0.1:${port}/callbacks`,
        apiKey,
        decideAfterMs: 150,
        callbackRetries: { max: 1_000, delayMs: 200, delayMaxMs: 2_000 },
        behaviours: registrationBehaviours,
      },
    },
    registration: {
      vendorId,
      companyId: partner.companyId,
      concurrency: 8,
      answerWithinMs,
      callbacks: { port, keys: [apiKey] },
    },
    watch: { stillMs: 300 },
  };
}

// ---------------------------------------------------------------- whoever sends

const shownLength = 2_000;
/** All registered, with exceptions, outcomes still awaited, stopped short: none of these is a fault. */
const codesOfRegister: readonly (number | null)[] = [0, 3, 4, 6];

class Siege {
  readonly #siege: RegistrationSiege;
  readonly #paths: readonly string[];
  readonly #count: TransferCount;
  readonly complaints: string[] = [];
  senderKills = 0;
  listenerKills = 0;

  constructor(siege: RegistrationSiege, paths: readonly string[]) {
    this.#siege = siege;
    this.#paths = paths;
    this.#count = new TransferCount(siege.scene);
  }

  startSender(): Program {
    const { scene, sender } = this.#siege;
    return sender === 'watch'
      ? scene.start('watch', '--log-level', 'error')
      : scene.start('register', ...this.#paths, '--json', '--wait', '2', '--log-level', 'error');
  }

  #judge({ code, signal, stdout, stderr }: Awaited<Program['ended']>, what: string): void {
    if (signal === 'SIGKILL' || codesOfRegister.includes(code)) return;
    this.complaints.push(
      `${what} ended with ${signal ?? code}: ${stdout.slice(-shownLength)} ${stderr.slice(-shownLength)}`,
    );
  }

  async killSenders(moments: readonly Moment[]): Promise<void> {
    const { scene, say } = this.#siege;
    for (const moment of moments) {
      const program = this.startSender();
      await waitForMoment(scene, program, moment, this.#count);
      program.kill('SIGKILL');
      const end = await program.ended;
      this.#judge(end, 'whoever sends');
      const isKilled = end.signal === 'SIGKILL';
      if (isKilled) this.senderKills += 1;
      say(
        `  ${isKilled ? 'killed' : 'ended'} after ${moment.after}, ${this.#count.read()} lines in the bank's book`,
      );
      if (this.complaints.length > 0) return;
    }
  }

  /** Beside whoever sends: a listener, killed now and then, and started again. */
  async keepListening(kills: number, end: AbortSignal): Promise<void> {
    const { scene, dice } = this.#siege;
    for (let kill = 0; !end.aborted; kill += 1) {
      const program = scene.start('callbacks', '--log-level', 'error');
      const over = Promise.withResolvers<void>();
      end.addEventListener('abort', () => over.resolve(), { once: true });
      const waits = kill < kills ? [sleep(dice.between(300, 3_000)), over.promise] : [over.promise];
      await Promise.race([...waits, program.ended]);
      program.kill(end.aborted ? 'SIGTERM' : 'SIGKILL');
      const ended = await program.ended;
      if (ended.signal === 'SIGKILL') this.listenerKills += 1;
      else if (!hasNothingToDo.test(ended.stderr)) this.#judge(ended, 'the listener');
      if (this.complaints.length > 0) return;
      if (!end.aborted) await sleep(dice.between(0, 400));
    }
  }

  /** Everything is heard, and every row has ended in a report. */
  async bringToRest(): Promise<void> {
    const { sender, waitMs } = this.#siege;
    const isHeard = async (): Promise<boolean> =>
      (await this.#siege.scene.bank.ledger()).registrations.callbacks.owed === 0;
    if (sender === 'watch') {
      const program = this.startSender();
      await until(async () => (await isHeard()) && (await this.#isAllReported()), waitMs, lookMs);
      program.kill('SIGTERM');
      this.#judge(await program.ended, 'the watcher');
      return;
    }
    await until(
      async () => {
        const end = await this.startSender().ended;
        this.#judge(end, 'the last run');
        return this.complaints.length > 0 || ((end.code === 0 || end.code === 3) && (await isHeard()));
      },
      waitMs,
      lookMs,
    );
  }

  /** No row waits for the bank any more, by the reports. */
  async #isAllReported(): Promise<boolean> {
    const { scene, files } = this.#siege;
    const evidence = await gatherRegistrationEvidence(scene, files).catch(() => undefined);
    const present = evidence?.reported.flatMap((reported) => reported.present);
    return present !== undefined && !present.some(({ status = '' }) => isAwaited(status));
  }
}

const isAwaited = (status: string): boolean => awaitedStatuses.some((one) => one === status);

const lookMs = 500;
/** Whoever sends listens himself where nobody does, and makes the journal. */
const hasNothingToDo = /listens there already|there is no journal/;

/** While a file of this many rows is read, and a little longer; the same for its reports. */
const readingMsPerRow = 0.06;
const reportingMsPerRow = 0.02;
const msLeast = 300;
/** Lines of the bank's book: a registration, and most often one call. */
const linesPerRow = 1.9;

async function hand({ scene, files, sender }: RegistrationSiege): Promise<readonly string[]> {
  const paths = await Promise.all(
    files.map(async ({ name, rows }) => scene.addFile(name, writeRegistrations(rows))),
  );
  if (sender === 'register') return paths;
  const inbox = join(scene.dataDir, 'inbox', 'registrations');
  await mkdir(inbox, { recursive: true, mode: 0o700 });
  await Promise.all(files.map(async ({ name }, place) => rename(paths[place] ?? '', join(inbox, name))));
  return [];
}

/**
 * Registers the planned files through all the kills, and brings them to rest.
 * @throws Error when a command ends as none may, or it takes too long
 */
export async function besiegeRegistrations(siege: RegistrationSiege): Promise<KilledRegistrations> {
  const { files, kills, dice, sender } = siege;
  const rows = files.reduce((sum, file) => sum + file.rows.length, 0);
  const work = new Siege(siege, await hand(siege));
  const moments = planMoments(
    kills,
    Math.round(rows * linesPerRow),
    msLeast + rows * readingMsPerRow,
    msLeast + rows * reportingMsPerRow,
    dice,
  );
  const startMs = performance.now();
  const isOver = new AbortController();
  const listening = sender === 'watch' ? Promise.resolve() : work.keepListening(kills, isOver.signal);
  try {
    await work.killSenders(moments);
    if (work.complaints.length === 0) await work.bringToRest();
  } finally {
    isOver.abort();
    await listening;
  }
  if (work.complaints.length > 0) throw new Error(work.complaints.join('\n'));
  const { senderKills, listenerKills } = work;
  return { senderKills, listenerKills, workedMs: performance.now() - startMs };
}
