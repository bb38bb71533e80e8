/**
 * How long rows stood still whose machine was killed: measured at the journal itself, from the kill to the first of those
 * rows that got on.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';

/** How it went on after one kill. Of rows that nobody had there is nothing to wait for. */
export interface Recovery {
  readonly pid: number;
  /** Nothing else befell anybody meanwhile. */
  readonly isAlone: boolean;
  readonly role: 'sender' | 'helper';
  /** Rows of its that were ready or under way. */
  readonly rows: number;
  /** From the kill to the first of them that got on. */
  readonly tookMs: number;
  /**
   * The same without the time in which nobody could: there was no database, or no machine was up and in its place; for
   * rows that all were under way, whom only a sender asks about, no sender.
   */
  readonly ableMs: number;
  /** Of the rows, those that were under way. */
  readonly inDoubt: number;
  /** Of a sender: until another had its place. */
  readonly placeMs: number | undefined;
}

interface Row {
  readonly seq: string;
  readonly version: string;
  readonly status: string;
}

interface Pending {
  readonly pid: number;
  readonly isAlone: boolean;
  readonly killedMs: number;
  /** Undefined until the journal has been asked. */
  seen:
    { readonly role: 'sender' | 'helper'; readonly epoch: string; readonly rows: readonly Row[] } | undefined;
  ableMs: number;
  wentOn: { readonly tookMs: number; readonly ableMs: number } | undefined;
  placeMs: number | undefined;
}

const isReady = ({ status }: Row): boolean => status === 'ready';

const findReady = ({ seen }: Pending): readonly Row[] => seen?.rows.filter(isReady) ?? [];

/** What a dead process had committed, but not heard, has been written by then. */
const settleMs = 150;
const pollMs = 100;

/** The next attempt of a payout waits by itself, until nothing of the one before can be on its way: nobody is late with it. */
const ownRows = `
select p.seq::text, p.version::text, p.status from shard s join worker w using (worker_id)
join payout p on p.batch_id = s.batch_id and p.row_no between s.from_row and s.to_row
where w.pid = $1 and s.ended_at_ms is null and (p.status = 'submitted' or (p.status = 'ready' and p.attempt_no = 0))`;

const ownPlace = `select role, epoch::text from worker where pid = $1 order by worker_id desc limit 1`;

const placedWorkers = `
select pid::text, role from worker where ended_at_ms is null and superseded_at_ms is null
  and lease_until_ms > (extract(epoch from clock_timestamp()) * 1000)::bigint`;

export class Recoveries implements AsyncDisposable {
  readonly ended: Recovery[] = [];
  readonly #url: string;
  readonly #isUp: (pid: number) => boolean;
  readonly #pending = new Set<Pending>();
  readonly #over = new AbortController();
  readonly #work: Promise<void>;
  #client: Client | undefined;

  /** @param isUp true of a process that is running */
  constructor(url: string, isUp: (pid: number) => boolean) {
    this.#url = url;
    this.#isUp = isUp;
    this.#work = this.#watch();
  }

  /** Kills whose rows have not got on yet. */
  get waiting(): number {
    return this.#pending.size;
  }

  /** This process is killed now. @param isAlone nothing else befalls anybody until its rows have gone on */
  noteKill(pid: number, isAlone: boolean): void {
    const killedMs = performance.now();
    const nothing = { seen: undefined, ableMs: 0, wentOn: undefined, placeMs: undefined };
    this.#pending.add({ pid, isAlone, killedMs, ...nothing });
  }

  async #watch(): Promise<void> {
    let lastMs = performance.now();
    while (!this.#over.signal.aborted) {
      await sleep(pollMs);
      try {
        const roles = await this.#findAble();
        this.#count(roles, lastMs);
        lastMs = performance.now();
        await this.#look();
      } catch {
        // The database is away.
        lastMs = performance.now();
        await this.#disconnect();
      }
    }
  }

  /** Adds the time since the last look where it counts. */
  #count(roles: ReadonlySet<string>, lastMs: number): void {
    const nowMs = performance.now();
    for (const one of this.#pending) {
      const isAble = roles.has('sender') || (roles.size > 0 && findReady(one).length > 0);
      if (isAble) one.ableMs += nowMs - Math.max(lastMs, one.killedMs);
    }
  }

  /** What those are who could go on with it. */
  async #findAble(): Promise<ReadonlySet<string>> {
    if (this.#pending.size === 0) return new Set();
    const placed = await this.#ask<{ readonly pid: string; readonly role: string }>(placedWorkers, []);
    return new Set(placed.filter(({ pid }) => this.#isUp(Number(pid))).map(({ role }) => role));
  }

  async #look(): Promise<void> {
    for (const one of this.#pending) {
      if (performance.now() - one.killedMs < settleMs) continue;
      await this.#lookAt(one);
      const { seen, wentOn } = one;
      if (seen === undefined || wentOn === undefined) continue;
      if (seen.role === 'sender' && one.placeMs === undefined) continue;
      this.#pending.delete(one);
      const rows = seen.rows.length;
      const inDoubt = rows - findReady(one).length;
      if (rows > 0 || seen.role === 'sender')
        this.ended.push({
          pid: one.pid,
          isAlone: one.isAlone,
          role: seen.role,
          rows,
          inDoubt,
          ...wentOn,
          placeMs: one.placeMs,
        });
    }
  }

  async #lookAt(one: Pending): Promise<void> {
    one.seen ??= await this.#findWhatIsLeft(one.pid);
    const tookMs = performance.now() - one.killedMs;
    const { rows, role, epoch } = one.seen;
    if (one.wentOn === undefined && (rows.length === 0 || (await this.#haveGotOn(rows))))
      one.wentOn = { tookMs, ableMs: one.ableMs };
    if (role !== 'sender' || one.placeMs !== undefined) return;
    const [next] = await this.#ask(`select 1 from worker where role = 'sender' and epoch > $1 limit 1`, [
      epoch,
    ]);
    if (next !== undefined) one.placeMs = tookMs;
  }

  async #findWhatIsLeft(pid: number): Promise<NonNullable<Pending['seen']>> {
    const [place] = await this.#ask<{ readonly role: 'sender' | 'helper'; readonly epoch: string }>(
      ownPlace,
      [pid],
    );
    // One that was killed before it had any place had no rows either.
    if (place === undefined) return { role: 'helper', epoch: '0', rows: [] };
    return { ...place, rows: await this.#ask<Row>(ownRows, [pid]) };
  }

  /** Those that were ready are paid by others; those that were under way are asked about. Either is enough, ready first. */
  async #haveGotOn(rows: readonly Row[]): Promise<boolean> {
    const ready = rows.filter(isReady);
    const watched = ready.length > 0 ? ready : rows;
    const [changed] = await this.#ask(
      `select 1 from payout p join unnest($1::bigint[], $2::bigint[]) as o(seq, version) using (seq)
       where p.version <> o.version limit 1`,
      [watched.map(({ seq }) => seq), watched.map(({ version }) => version)],
    );
    return changed !== undefined;
  }

  async #ask<Found extends object>(text: string, values: readonly unknown[]): Promise<Found[]> {
    this.#client ??= await connect(this.#url);
    return (await this.#client.query<Found>(text, [...values])).rows;
  }

  async #disconnect(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    await client?.end().catch(() => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    await this.#work;
    await this.#disconnect();
  }
}

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 1_000, query_timeout: 5_000 });
  client.on('error', () => {});
  await client.connect();
  await client.query('set search_path = paydrop, pg_catalog');
  return client;
}
