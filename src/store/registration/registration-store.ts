/** The store of registrations. */
import { message, stopInEnglish } from '../../core/message.ts';
import type { BatchReason, Report } from '../../core/ports.ts';
import type { BatchStanding } from '../../payout/ports.ts';
import type {
  RegistrationIntakeStore,
  RegistrationRow,
  RegistrationSnapshot,
  RegistrationStore,
} from '../../registration/ports.ts';
import { moveRegistration, type RegistrationChange } from '../../registration/rules/change.ts';
import type { Registration, RegistrationHold } from '../../registration/rules/registration.ts';
import { isConcluded, keepReports, moveKept, readReports } from '../batch-steps.ts';
import { type Engine, openOn, type Reader, type View } from '../engine.ts';
import { type BodiesOf, type Body, define, driveEach, query, type Reading, select } from '../statements.ts';
import { type FileGuard, inOwnFile } from '../payouts/bulk-work.ts';
import { makeRegistrationApplier, type RegistrationApplier } from './apply.ts';
import { readLatestRegistrationEventSeq } from './chain.ts';
import { registrationIngestWrites } from './ingest.ts';
import { registrationBatchReads, registrationReads } from './reads.ts';
import { selectRegistrations, selectResultRows, statusLiteral, toRegistration, toResultRow } from './rows.ts';
import { sealRegistrations } from './seal.ts';

interface RegistrationStoreParts {
  readonly engine: Engine;
  /** The engine for those who work the journal: it refuses once another has taken their place. */
  readonly fenced: Engine;
  /** The guard of files that are read in; left out where one process alone takes files in. */
  readonly fileGuard?: FileGuard | undefined;
  /** True while this process may send; left out where one process alone does. */
  readonly fence?: (() => Body<boolean>) | undefined;
  /** Receives the number of the latest event of a registration once it is durable. */
  readonly onCommit: (latestEventSeq: number) => void;
  /** Runs after a file was taken in. */
  readonly onSeal: () => void | Promise<void>;
}

interface OpenRegistrationStore {
  readonly store: RegistrationStore & { readonly registrationIntake: RegistrationIntakeStore };
  /** The writes for people's decisions, whichever process sends meanwhile. */
  readonly withoutSenderFence: Partial<RegistrationStore>;
  /** Takes no more changes, and resolves when all that were asked for are settled. */
  end(): Promise<void>;
}

export function makeRegistrationStore(parts: RegistrationStoreParts): OpenRegistrationStore {
  const { engine, fenced } = parts;
  const applier = makeRegistrationApplier(engine, parts.onCommit, parts.fence);
  const fencedApplier = makeRegistrationApplier(fenced, parts.onCommit);
  const { applyRegistrations, keepCallback } = applier;
  const write = <Result>(batchId: string, makeBody: () => Body<Result>, begins = false): Promise<Result> =>
    fenced.write(() => inOwnFile(parts.fileGuard, batchId, begins, makeBody));
  const { startIngest, stage, rejectBatch } = registrationIngestWrites;
  const registrationIntake: RegistrationIntakeStore = {
    batch: async (batchId) => engine.read(() => registrationBatchReads.registrationBatch(batchId)),
    startIngest: async (start) => write(start.batchId, () => startIngest(start), true),
    stage: async (batchId, rows) => write(batchId, () => stage(batchId, rows)),
    rejectBatch: async (...asked) => write(asked[0], () => rejectBatch(...asked)),
    seal: async (batchId, totals, nowMs) => {
      const batch = await write(batchId, () => sealRegistrations(batchId, totals, nowMs));
      await parts.onSeal();
      return batch;
    },
  };
  const onBatches = (by: Engine, changing: RegistrationApplier) => ({
    ...driveEach(registrationBatchWrites, (makeBody: () => Body<unknown>) => by.write(makeBody)),
    ...makeRegistrationBulk(changing, engine),
  });
  const store = {
    ...driveEach(registrationReads, (read: () => Reading<unknown>) => engine.read(read)),
    ...onBatches(fenced, fencedApplier),
    applyRegistrations,
    keepCallback,
    registrationIntake,
    registrationReports: {
      reports: async (batchId: string) => engine.read(() => readReports('registration_report', batchId)),
      recordReports: async (reports: readonly Report[]) =>
        fenced.write(() => keepReports('registration_report', reports)),
      snapshot: async () => openRegistrationSnapshot(engine),
    },
  };
  return {
    store,
    withoutSenderFence: onBatches(engine, applier),
    end: async () => void (await Promise.all([applier.end(), fencedApplier.end()])),
  };
}

// ---------------------------------------------------------------- batches

/** Writes that are one transaction each. */
const registrationBatchWrites = {
  *moveRegistrationBatch(batchId, to, why, nowMs, seen?: BatchStanding) {
    const found = yield* registrationBatchReads.registrationBatch(batchId);
    const rest = isConcluded(to) ? { rested_at_ms: nowMs } : {};
    return yield* moveKept('registration_batch', batchId, found, to, why, seen, rest);
  },
} satisfies Partial<BodiesOf<RegistrationStore>>;

/** Rows that are read at a time, so that memory stays flat. */
const pageRows = 500;

const changedPage = define((values: { batchId: string; afterRowNo: number; changedSince: number }) =>
  selectResultRows()
    .where('p.batch_id', '=', values.batchId)
    .where('p.row_no', '>', values.afterRowNo)
    .where('p.last_news_seq', '>', values.changedSince)
    .orderBy('p.row_no')
    .limit(pageRows),
);

async function* readRows(
  view: View,
  batchId: string,
  changedSince: number,
): AsyncGenerator<readonly RegistrationRow[]> {
  let afterRowNo = 0;
  for (;;) {
    const asked = { batchId, afterRowNo, changedSince };
    const page = await view.read(() => changedPage.all(asked));
    yield page.map(toResultRow);
    afterRowNo = page.at(-1)?.row_no ?? afterRowNo;
    if (page.length < pageRows) return;
  }
}

/** Opens a view of this moment; its owner closes it soon. */
async function openRegistrationSnapshot(engine: Engine): Promise<RegistrationSnapshot> {
  return openOn(await engine.openView(), async (view) => {
    const eventSeq = await view.read(readLatestRegistrationEventSeq);
    return {
      eventSeq,
      batch: async (batchId) => view.read(() => registrationBatchReads.registrationBatch(batchId)),
      totals: async (batchId) => view.read(() => registrationBatchReads.registrationTotals(batchId)),
      holdTotals: async (batchId) => view.read(() => registrationBatchReads.registrationHoldTotals(batchId)),
      // Every event number is above -1: without a bound, rows that never had an event are shown too.
      resultRows: (batchId, changedSince) => readRows(view, batchId, changedSince ?? -1),
      [Symbol.asyncDispose]: async () => view[Symbol.asyncDispose](),
    };
  });
}

type Unsent = 'ready' | 'held';

const page = define((values: { batchId: string; status: Unsent; afterRowNo: number }) =>
  selectRegistrations()
    .where('p.batch_id', '=', values.batchId)
    .where('p.status', '=', values.status)
    .where('p.row_no', '>', values.afterRowNo)
    .orderBy('p.row_no')
    .limit(pageRows),
);

const batchesWithHeld = () =>
  query.selectFrom('registration').select('batch_id').distinct().where('status', '=', statusLiteral('held'));

/** Decides a change; undefined of a row that stays as it is. */
type Decide = (registration: Registration) => RegistrationChange | undefined;

function decideHold(
  registration: Registration,
  hold: RegistrationHold,
  why: BatchReason,
  nowMs: number,
): RegistrationChange {
  const holds = [...new Set([...registration.holds, hold])];
  const patch = { status: 'held', holds, reasonCode: why.code, reason: why.reason } as const;
  const detail = { hold, ...stopInEnglish(why) };
  return moveRegistration({ registration, patch, cause: 'hold-added', nowMs, detail });
}

function decideLift(
  registration: Registration,
  lifted: readonly RegistrationHold[],
  nowMs: number,
): RegistrationChange | undefined {
  const holds = registration.holds.filter((hold) => !lifted.includes(hold));
  if (holds.length === registration.holds.length) return undefined;
  const ready = { status: 'ready', holds, reasonCode: null, reason: null } as const;
  const patch = holds.length === 0 ? ready : { holds };
  return moveRegistration({ registration, patch, cause: 'hold-lifted', nowMs, detail: { lifted } });
}

const cancelled = {
  status: 'cancelled',
  holds: [],
  reasonCode: 'cancelled',
  reason: message('reason.cancelled'),
  settledBy: 'decision',
} as const;

const decideCancel = (registration: Registration, nowMs: number): RegistrationChange =>
  moveRegistration({ registration, patch: { ...cancelled, settledAtMs: nowMs }, cause: 'cancelled', nowMs });

type BulkStore = Pick<
  RegistrationStore,
  'holdReadyRegistrations' | 'liftRegistrationHolds' | 'cancelUnsentRegistrations'
>;

function makeRegistrationBulk({ applyRegistrations }: RegistrationApplier, engine: Reader): BulkStore {
  const changeEach = async (batchId: string, status: Unsent, decide: Decide): Promise<number> => {
    let [changed, afterRowNo] = [0, 0];
    for (;;) {
      const asked = { batchId, status, afterRowNo };
      const rows = (await engine.read(() => page.all(asked))).map(toRegistration);
      const changes = rows.map(decide).filter((decided) => decided !== undefined);
      changed += (await applyRegistrations(changes)).filter(Boolean).length;
      afterRowNo = rows.at(-1)?.rowNo ?? afterRowNo;
      if (rows.length < pageRows) return changed;
    }
  };
  return {
    holdReadyRegistrations: async (batchId, hold, why, nowMs) =>
      changeEach(batchId, 'ready', (row) => decideHold(row, hold, why, nowMs)),
    liftRegistrationHolds: async (batchId, holds, nowMs) => {
      const held = batchId === null ? await engine.read(() => select(batchesWithHeld())) : [];
      const batchIds = batchId === null ? held.map((row) => row.batch_id) : [batchId];
      let changed = 0;
      for (const one of batchIds)
        changed += await changeEach(one, 'held', (row) => decideLift(row, holds, nowMs));
      return changed;
    },
    cancelUnsentRegistrations: async (batchId, nowMs) => {
      const cancel: Decide = (row) => decideCancel(row, nowMs);
      return (await changeEach(batchId, 'ready', cancel)) + (await changeEach(batchId, 'held', cancel));
    },
  };
}
