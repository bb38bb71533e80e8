/**
 * What a database that was put back tells of itself, what a person has said of its losses, and what each machine has seen
 * of its journal. What stands in statements on PostgreSQL stands here again; what is a rule there is that rule here.
 */
import { formatBangkokDate } from '../../../src/core/bangkok-time.ts';
import type { JournalLoss } from '../../../src/core/ports.ts';
import {
  type DatabaseIdentity,
  decideUnmarked,
  describeBehind,
  describeMoved,
  describeOtherDatabase,
  findKnownDays,
  type JournalProgress,
  keepFurthest,
  type JournalPlace,
  siteOfDatabase,
} from '../../../src/payout/rules/journal-place.ts';
import { computeMissesSince } from '../../../src/payout/rules/lost-journal.ts';
import { JournalRefusedError } from '../../../src/store/connection.ts';
import type { writeUnmarked } from '../../../src/store/place.ts';

type LatestUnmarked = Parameters<typeof writeUnmarked>[0];

/** What the tables tell besides those of payouts: put back with them. */
export interface PastTables {
  loss: JournalLoss | undefined;
  newSinceMs: number | undefined;
  /** To which the journal is bound. */
  timeline: number;
  unmarked: LatestUnmarked | undefined;
}

export const makePastTables = (): PastTables => ({
  loss: undefined,
  newSinceMs: undefined,
  timeline: 1,
  unmarked: undefined,
});

/** Since when the journal counts as new, and since when it may miss something. */
export function readBeginnings({ newSinceMs = 0, unmarked }: PastTables) {
  if (unmarked?.isOver !== false) return { newSinceMs: newSinceMs || undefined, missesSinceMs: undefined };
  return { newSinceMs: Math.max(newSinceMs, unmarked.sinceMs), missesSinceMs: unmarked.missesSinceMs };
}

/** A database that can be put back to an earlier copy of itself. */
export interface PutBackDatabase {
  readonly past: PastTables;
  /** One higher after a promotion, or a recovery to a point in time; the same after a snapshot of its disk. */
  readonly timeline: number;
  /** Higher each time that it was put back: no connection from before is there any more. */
  readonly generation: number;
  readProgress(): JournalProgress;
  /** When anything was recorded last; 0 in a new journal. */
  readLatestMs(): number;
  copy(): void;
  /** @param isOtherTimeline its identity tells; else nothing does but what machines have seen */
  putBack(isOtherTimeline: boolean): void;
}

const site = siteOfDatabase('the data directory', 'the database');

const identify = (timeline: number): DatabaseIdentity => ({
  systemId: '1',
  oid: '1',
  timeline: String(timeline),
});
const placeOf = (timeline: number): JournalPlace => ({
  termId: undefined,
  file: undefined,
  database: identify(timeline),
});

/** Of each machine, the mark beside its journal. */
export type Marks<Machine> = Map<Machine, JournalProgress>;

/** What one process has seen of the journal, and the mark of its machine. */
export class SeenJournal<Machine> {
  readonly #database: PutBackDatabase;
  readonly #marks: Marks<Machine>;
  readonly #machine: Machine;
  readonly #identity: DatabaseIdentity;
  #generation: number;
  #seen: JournalProgress | undefined;
  /** It knows that nothing is missing. */
  isWitness = false;
  readonly #refused = new AbortController();

  constructor(database: PutBackDatabase, marks: Marks<Machine>, machine: Machine) {
    this.#database = database;
    this.#marks = marks;
    this.#machine = machine;
    this.#identity = identify(database.timeline);
    this.#generation = database.generation;
  }

  get refused(): AbortSignal {
    return this.#refused.signal;
  }

  /** The connections of the process are to the database as it is now. */
  get isConnected(): boolean {
    return this.#generation === this.#database.generation;
  }

  #refuse(why: string | undefined): void {
    if (why === undefined) return;
    const error = new JournalRefusedError(why);
    this.#refused.abort(error);
    throw error;
  }

  /**
   * The process begins to work.
   * @param isWitnessed another is at work that knows that nothing is missing
   * @throws JournalRefusedError when the journal is an older copy, or stands elsewhere
   */
  takeUp(nowMs: number, isWitnessed: boolean): void {
    const { past, timeline } = this.#database;
    const present = this.#database.readProgress();
    this.#refuse(describeBehind(site, this.#marks.get(this.#machine), present));
    this.#refuse(describeMoved(site, placeOf(past.timeline), placeOf(timeline)));
    this.#noteJoined(nowMs, isWitnessed, present);
    this.#keep(this.#database.readProgress());
  }

  #noteJoined(nowMs: number, isWitnessed: boolean, present: JournalProgress): void {
    const { past } = this.#database;
    const latest = past.unmarked;
    const found = latest?.isOver === false ? latest : undefined;
    const moments = {
      latestMs: this.#database.readLatestMs(),
      ...readBeginnings({ ...past, unmarked: undefined }),
    };
    const unmarked = decideUnmarked({
      found,
      markedSeq: this.#findMarkedSeq(present, latest),
      isWitnessed,
      present: {
        sinceMs: nowMs,
        missesSinceMs: computeMissesSince(moments, nowMs),
        latestEventSeq: present.latestEventSeq,
      },
    });
    const next = unmarked ?? found;
    if (next !== undefined) past.unmarked = { ...next, isOver: unmarked === undefined };
    this.isWitness = unmarked === undefined;
  }

  #findMarkedSeq(present: JournalProgress, latest: LatestUnmarked | undefined): number | undefined {
    // Until the database is put back, whoever comes is there from the beginning.
    if (this.#database.generation === 0) return 0;
    const mark = this.#marks.get(this.#machine);
    if (mark === undefined || mark.recoveredAtMs !== present.recoveredAtMs) return undefined;
    const overSinceMs = latest?.isOver === true ? latest.sinceMs : 0;
    return mark.unmarkedSinceMs > overSinceMs ? undefined : mark.latestEventSeq;
  }

  /** New connections, where those before them are gone. @throws JournalRefusedError when they lead to an older copy */
  reconnect(): void {
    if (this.isConnected) return;
    this.#refuse(describeOtherDatabase(site, this.#identity, identify(this.#database.timeline)));
    this.#refuse(describeBehind(site, this.#seen, this.#database.readProgress()));
    this.#generation = this.#database.generation;
  }

  requireNothingLost(): void {
    const found = this.#database.readProgress();
    this.#refuse(describeBehind(site, this.#seen, found));
    this.#keep(found);
  }

  /** The process was told of a commit. */
  note(present: JournalProgress): void {
    if (this.#seen !== undefined) this.#keep(present);
  }

  #keep(found: JournalProgress): void {
    this.#seen = this.#seen === undefined ? found : keepFurthest(this.#seen, found);
    this.#marks.set(this.#machine, this.#seen);
  }
}

/** What a person says by `restore --since`: the journal goes on, and the bank is asked about what it may have lost. */
export function goOnAfterLoss(database: PutBackDatabase, sinceDate: string, nowMs: number): void {
  const { past } = database;
  const latestMs = database.readLatestMs();
  const recoveredAtMs = Math.max(nowMs, latestMs, (past.loss?.recoveredAtMs ?? 0) + 1);
  const [earliest = sinceDate] = [sinceDate, ...findKnownDays(past.loss, latestMs)].toSorted();
  past.loss = { recoveredAtMs, sinceDate: earliest, untilDate: formatBangkokDate(recoveredAtMs) };
  past.newSinceMs = nowMs;
  past.timeline = database.timeline;
  if (past.unmarked !== undefined) past.unmarked = { ...past.unmarked, isOver: true };
}

/** The loss as one process knows it; whoever writes finds out that there is a later one. */
export class ToldLoss {
  readonly #past: PastTables;
  #told: { readonly loss: JournalLoss | undefined } | undefined;

  constructor(past: PastTables) {
    this.#past = past;
  }

  readonly read = async (): Promise<JournalLoss | undefined> => {
    this.#told ??= { loss: this.#past.loss };
    return this.#told.loss;
  };

  /** False when what was told is out of date: it is read anew next time. */
  isLatest(): boolean {
    const isLatest =
      this.#told === undefined || this.#told.loss?.recoveredAtMs === this.#past.loss?.recoveredAtMs;
    if (!isLatest) this.#told = undefined;
    return isLatest;
  }

  wasKnownTo(lossKnownMs: number | null | undefined): boolean {
    return lossKnownMs === undefined || lossKnownMs === (this.#past.loss?.recoveredAtMs ?? null);
  }
}

/** Copies tables whose records are replaced and never changed in place. */
export function copyTables<Tables extends object>(tables: Tables): Tables {
  const copied = Object.entries(tables).map(([name, table]: [string, unknown]) => {
    if (table instanceof Map) return [name, new Map(table)];
    return [name, Array.isArray(table) ? [...(table as unknown[])] : table];
  });
  return Object.fromEntries(copied) as Tables;
}

/** Puts the records of a copy in the place of those of today; whoever has the tables sees them. */
export function fillTables<Tables extends object>(tables: Tables, copy: Tables): void {
  for (const [name, kept] of Object.entries(copy)) {
    const table: unknown = tables[name as keyof Tables];
    if (table instanceof Map && kept instanceof Map) {
      table.clear();
      for (const [key, value] of kept) table.set(key, value);
    } else if (Array.isArray(table)) table.splice(0, table.length, ...(kept as unknown[]));
    else Object.assign(tables, { [name]: kept as unknown });
  }
}
