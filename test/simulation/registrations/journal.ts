/**
 * The real journal of a play: one file, which each play finds as new; each process has a way to it of its own, on which
 * what is not durable dies with it; and what it holds can be seen at any moment.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openJournal } from '../../../src/store/open.ts';
import type { Store } from '../../../src/store/store.ts';
import type {
  RegistrationCause,
  RegistrationInstruction,
  RegistrationStatus,
} from '../../../src/registration/rules/registration.ts';
import { DelayedWrites, type DiskLuck } from '../disk.ts';
import type { Life, World } from '../world.ts';
import { companyId } from './plan.ts';

/** Of the store's methods those that only look; all others write. */
const looks =
  /^(?:(?:count|find|search|ready|submitted|overdue|next|similar|sent|unbound|unknown|has|unreported|runnable)[A-Z]|registration(?!Intake)|batch|payer(?:Halt|Pause)$|person$|proposal|openItems|involvedIn|handsOf)/;
/** Calls that share a commit. */
const gathered: ReadonlySet<string> = new Set(['applyRegistrations', 'keepCallback']);

type Method = (...asked: readonly unknown[]) => Promise<unknown>;

/** A process's way to the journal. */
export function connect(world: World, store: Store, life: Life, luck: DiskLuck): Store {
  const writes = new DelayedWrites(world, life, luck);
  const look =
    (method: Method): Method =>
    async (...asked) => {
      // Some of it yields to the event loop: meanwhile time stands still.
      world.diskCalls += 1;
      return method(...asked).finally(() => (world.diskCalls -= 1));
    };
  const wrap = (name: string, method: Method): Method => {
    if (looks.test(name)) return look(method);
    if (gathered.has(name)) return async (...asked) => writes.commitSoon(() => method(...asked));
    return async (...asked) => writes.writeAlone(name, () => method(...asked));
  };
  const wrapAll = <Whole extends object>(whole: Whole): Whole =>
    Object.fromEntries(
      Object.entries(whole).map(([name, value]: [string, unknown]) => [
        name,
        typeof value === 'function' ? wrap(name, value as Method) : value,
      ]),
    ) as Whole;
  return { ...wrapAll(store), registrationIntake: wrapAll(store.registrationIntake) };
}

// ---------------------------------------------------------------- what can be seen

export interface SeenEvent {
  readonly seq: number;
  readonly registrationSeq: number;
  readonly from: RegistrationStatus;
  readonly to: RegistrationStatus;
  readonly cause: RegistrationCause;
  readonly atMs: number;
  readonly attemptNo: number;
}

export interface SeenRow {
  readonly seq: number;
  readonly batchId: string;
  readonly rowNo: number;
  readonly status: RegistrationStatus;
  readonly attemptNo: number;
  readonly isAlarm: number;
  readonly registrationId: string | null;
  readonly identity: string | null;
}

export interface SeenAttempt {
  readonly seq: number;
  readonly attemptNo: number;
  readonly requestUid: string;
  readonly intentAtMs: number;
  readonly instruction: RegistrationInstruction;
}

export interface SeenCallback {
  readonly id: number;
  readonly identity: string;
  readonly outcome: string;
  readonly appliedAtMs: number;
  readonly seq: number | null;
  readonly repeats: number;
}

/** The journal as it is on the disk at this moment. */
export interface JournalView {
  eventsAfter(seq: number): readonly SeenEvent[];
  rows(): readonly SeenRow[];
  row(seq: number): SeenRow | undefined;
  attempt(requestUid: string): SeenAttempt | undefined;
  attempts(): readonly SeenAttempt[];
  callbacks(): readonly SeenCallback[];
}

const rowColumns = `p.seq, p.batch_id batchId, p.row_no rowNo, p.status, p.attempt_no attemptNo, p.is_alarm isAlarm,
  a.registration_id registrationId, a.identity_key identity
  from registration p left join registration_asked a on a.seq = p.seq`;
const attemptColumns = `registration_seq seq, attempt_no attemptNo, request_uid requestUid, intent_at_ms intentAtMs,
  instruction from registration_attempt`;

function makeView(db: DatabaseSync): JournalView {
  const events = db.prepare(
    `select seq, registration_seq registrationSeq, from_status "from", to_status "to", cause, at_ms atMs,
       attempt_no attemptNo from registration_event where seq > ? order by seq`,
  );
  const rows = db.prepare(`select ${rowColumns} order by p.seq`);
  const row = db.prepare(`select ${rowColumns} where p.seq = ?`);
  const attempt = db.prepare(`select ${attemptColumns} where request_uid = ?`);
  const attempts = db.prepare(`select ${attemptColumns} order by intent_at_ms`);
  const callbacks = db.prepare(
    `select id, identity_key identity, outcome, applied_at_ms appliedAtMs, registration_seq seq, repeats
     from registration_callback order by id`,
  );
  const toAttempt = (found: Record<string, unknown>): SeenAttempt => ({
    ...(found as unknown as SeenAttempt),
    instruction: JSON.parse(String(found['instruction'])) as RegistrationInstruction,
  });
  return {
    eventsAfter: (seq) => events.all(seq) as unknown as readonly SeenEvent[],
    rows: () => rows.all() as unknown as readonly SeenRow[],
    row: (seq) => row.get(seq) as unknown as SeenRow | undefined,
    attempt: (requestUid) => {
      const found = attempt.get(requestUid);
      return found && toAttempt(found);
    },
    attempts: () => attempts.all().map(toAttempt),
    callbacks: () => callbacks.all() as unknown as readonly SeenCallback[],
  };
}

// ---------------------------------------------------------------- one file for many plays

/** Of what a play leaves in the journal. */
const tablesOfPlays = /^(?:registration|line_(?:stop|pause)|proposal|decision)/;

/** Empties what plays have written. The triggers that forbid it come back at once. */
function wipe(db: DatabaseSync): void {
  const list = (kind: string) =>
    db
      .prepare(`select name, tbl_name "table", sql from sqlite_schema where type = ?`)
      .all(kind) as unknown as {
      readonly name: string;
      readonly table: string;
      readonly sql: string;
    }[];
  const triggers = list('trigger').filter(({ table }) => tablesOfPlays.test(table));
  db.exec('pragma foreign_keys = off; begin immediate');
  for (const { name } of triggers) db.exec(`drop trigger ${name}`);
  for (const { name } of list('table')) if (tablesOfPlays.test(name)) db.exec(`delete from ${name}`);
  for (const { sql } of triggers) db.exec(sql);
  db.exec('commit');
}

export interface PlayJournal extends AsyncDisposable {
  readonly store: Store;
  readonly view: JournalView;
  /** As it was when it was made. */
  wipe(): void;
}

export async function openPlayJournal(): Promise<PlayJournal> {
  const dataDir = await mkdtemp(join(tmpdir(), 'paydrop-registrations-'));
  const stamp = { bankAddress: 'https://bank.example', companyId, isSandbox: false };
  const store = await openJournal({ dataDir, stamp, access: 'own', nowMs: 0 });
  const db = new DatabaseSync(join(dataDir, 'journal.db'));
  db.exec('pragma busy_timeout = 5000');
  return {
    store,
    view: makeView(db),
    wipe: () => wipe(db),
    [Symbol.asyncDispose]: async () => {
      db.close();
      await store[Symbol.asyncDispose]();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
