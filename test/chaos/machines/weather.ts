/** Lets the planned troubles come over the machines and their database: each kind in a lane of its own, so that they meet. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { Scene } from '../../end-to-end/harness.ts';
import type { OwnPostgres } from '../../support/own-postgres.ts';
import type { TransferCount } from '../moments.ts';
import type { Machine } from './fleet.ts';
import type { Recoveries } from './recoveries.ts';
import {
  describeTrouble,
  type KillAt,
  type PlannedTrouble,
  type Trouble,
  type TroubleKind,
} from './troubles.ts';

type Of<Kind extends TroubleKind> = Extract<Trouble, { kind: Kind }>;

const lookMs = 20;
/** So long a kill waits for its moment. */
const momentMaxMs = 3_000;
const upMaxMs = 60_000;
const calmMaxMs = 60_000;
/** Nothing is paid for so long: something hangs. */
const stuckMs = 120_000;

export interface Struck {
  readonly scene: Scene;
  readonly machines: readonly Machine[];
  readonly postgres: OwnPostgres;
  readonly count: TransferCount;
  readonly recoveries: Recoveries;
  readonly say: (line: string) => void;
}

/** False when it has not become so in this time. */
async function isSoWithin(waitMs: number, isSo: () => boolean): Promise<boolean> {
  const endsAtMs = performance.now() + waitMs;
  while (!isSo()) {
    if (performance.now() > endsAtMs) return false;
    await sleep(lookMs);
  }
  return true;
}

const listOf = (folder: string): Promise<string[]> => readdir(folder, { recursive: true }).catch(() => []);

/** Where something new stands at a moment of a file. */
const foldersOf = ({ dataDir, outbox }: Scene): Readonly<Record<KillAt, string | undefined>> => ({
  time: undefined,
  alone: undefined,
  start: undefined,
  claim: join(dataDir, 'inbox', '.paydrop', 'claimed'),
  work: join(dataDir, 'work'),
  report: outbox,
  archive: join(dataDir, 'archive'),
});

export class Weather {
  /** What has come, by kind. */
  readonly came = new Map<TroubleKind, number>();
  /** Set when nothing was paid for too long. */
  stuck: string | undefined;
  readonly #struck: Struck;
  #killedAlone = 0;

  constructor(struck: Struck) {
    this.#struck = struck;
  }

  /** Lets everything come in its time; resolves when it is over, and the database is there. */
  async blow(storm: readonly PlannedTrouble[], end: AbortSignal): Promise<void> {
    const lanes = new Map<TroubleKind, Promise<void>>();
    for (const { afterTransfers, trouble } of storm) {
      await this.#untilPaid(afterTransfers, end);
      if (end.aborted || this.stuck !== undefined) break;
      if (trouble.kind === 'kill' && trouble.at === 'alone') await Promise.all(lanes.values());
      const before = lanes.get(trouble.kind) ?? Promise.resolve();
      const bring = before.then(() => (end.aborted ? undefined : this.#bring(trouble)));
      lanes.set(trouble.kind, bring);
      // Kills are as many as there are: who is late waits for the one before.
      if (trouble.kind === 'kill') await bring;
    }
    await Promise.all(lanes.values());
  }

  async #untilPaid(transfers: number, end: AbortSignal): Promise<void> {
    const { count } = this.#struck;
    let [last, lastMs] = [count.read(), performance.now()];
    while (!end.aborted && last < transfers) {
      await sleep(lookMs);
      const now = count.read();
      if (now > last) [last, lastMs] = [now, performance.now()];
      if (performance.now() - lastMs < stuckMs) continue;
      this.stuck = `nothing was paid for ${stuckMs} ms, after ${last} transfers`;
      return;
    }
  }

  async #bring(trouble: Trouble): Promise<void> {
    this.#struck.say(`  ${describeTrouble(trouble)}`);
    if (!(await this.#befallBy(trouble))) return;
    this.came.set(trouble.kind, (this.came.get(trouble.kind) ?? 0) + 1);
  }

  /** False when there was nothing for it to befall. */
  #befallBy(trouble: Trouble): Promise<boolean> {
    switch (trouble.kind) {
      case 'kill':
        return this.#kill(trouble);
      case 'freeze':
        return this.#freeze(trouble);
      case 'restart':
        return this.#restart(trouble);
      case 'cut':
        return this.#cut(trouble);
    }
  }

  async #kill({ machine, at, waitMs, awayMs }: Of<'kill'>): Promise<boolean> {
    if (at === 'start') return this.#killAtStart(machine, waitMs, awayMs);
    if (at === 'alone') return this.#killAlone(machine, awayMs);
    await this.#untilMoment(at);
    await sleep(waitMs);
    const sender = foldersOf(this.#struck.scene)[at] === undefined ? undefined : await this.#findSender();
    const victim = sender ?? (await this.#findUp(machine));
    if (victim?.pid === undefined) return false;
    const { pid } = victim;
    victim.kill(awayMs);
    this.#struck.recoveries.noteKill(pid, false);
    return true;
  }

  /** Every second one hits the sender. */
  async #killAlone(machine: number, awayMs: number): Promise<boolean> {
    const { machines, recoveries } = this.#struck;
    const isCalm = (): boolean => recoveries.waiting === 0 && machines.every(({ state }) => state === 'up');
    if (!(await isSoWithin(calmMaxMs, isCalm))) return false;
    this.#killedAlone += 1;
    const sender = this.#killedAlone % 2 === 0 ? await this.#findSender() : undefined;
    const victim = sender ?? machines[machine];
    if (victim?.pid === undefined) return false;
    recoveries.noteKill(victim.pid, true);
    victim.kill(awayMs);
    await isSoWithin(calmMaxMs, () => recoveries.waiting === 0);
    return true;
  }

  async #killAtStart(machine: number, waitMs: number, awayMs: number): Promise<boolean> {
    const victim = await this.#find(machine, ({ state }) => state === 'starting');
    if (victim === undefined) return false;
    await sleep(waitMs);
    victim.kill(awayMs);
    return true;
  }

  /** Resolves when something new stands in the folder of this moment, or has not for a while. */
  async #untilMoment(at: KillAt): Promise<void> {
    const folder = foldersOf(this.#struck.scene)[at];
    if (folder === undefined) return;
    const before = new Set(await listOf(folder));
    const endsAtMs = performance.now() + momentMaxMs;
    const isNew = (name: string): boolean => !before.has(name) && (at !== 'report' || name.endsWith('.tmp'));
    while (!(await listOf(folder)).some(isNew) && performance.now() < endsAtMs) await sleep(lookMs / 4);
  }

  async #findSender(): Promise<Machine | undefined> {
    const found = await this.#ask<{ readonly pid: string }>(
      `select pid::text from paydrop.worker where role = 'sender' and ended_at_ms is null and superseded_at_ms is null`,
    );
    return this.#struck.machines.find(({ pid, state }) => state === 'up' && String(pid) === found[0]?.pid);
  }

  #findUp(machine: number): Promise<Machine | undefined> {
    return this.#find(machine, ({ state }) => state === 'up');
  }

  /** The machine, or the next one of which it is so; undefined when that takes too long. */
  async #find(machine: number, isSo: (machine: Machine) => boolean): Promise<Machine | undefined> {
    const { machines } = this.#struck;
    const inTurn = [...machines.slice(machine), ...machines.slice(0, machine)];
    await isSoWithin(upMaxMs, () => inTurn.some(isSo));
    return inTurn.find(isSo);
  }

  async #freeze({ machine, at, forMs }: Of<'freeze'>): Promise<boolean> {
    await this.#untilMoment(at);
    const sender = at === 'report' ? await this.#findSender() : undefined;
    const victim = sender ?? (await this.#findUp(machine));
    await victim?.freeze(forMs);
    return victim !== undefined;
  }

  async #restart({ how, forMs }: Of<'restart'>): Promise<boolean> {
    const { postgres } = this.#struck;
    await postgres.kill(how);
    await sleep(forMs);
    await postgres.start();
    return true;
  }

  async #cut({ machine, cut }: Of<'cut'>): Promise<boolean> {
    const { link } = this.#struck.machines[machine] ?? {};
    if (link === undefined) return false;
    switch (cut.how) {
      case 'terminate':
        return (await this.#terminate(cut.backends)) > 0;
      case 'break':
        link.cut();
        return true;
      case 'lose-answers':
        await link.loseAnswers(cut.forMs);
        return true;
      case 'stall':
        await link.stall(cut.forMs);
        return true;
      case 'close':
        await link.close(cut.forMs);
        return true;
    }
  }

  /** @returns how many connections were ended */
  async #terminate(backends: number): Promise<number> {
    const ended = await this.#ask(
      `select pg_terminate_backend(pid) from (
         select pid from pg_stat_activity where usename = 'paydrop' order by random() limit ${backends}) as p`,
    );
    return ended.length;
  }

  /** None when there is no database. */
  async #ask<Found extends object>(text: string): Promise<Found[]> {
    const client = new Client({
      connectionString: this.#struck.postgres.adminUrl,
      connectionTimeoutMillis: 1_000,
      query_timeout: 2_000,
    });
    client.on('error', () => {});
    try {
      await client.connect();
      return (await client.query<Found>(text)).rows;
    } catch {
      return [];
    } finally {
      await client.end().catch(() => {});
    }
  }
}
