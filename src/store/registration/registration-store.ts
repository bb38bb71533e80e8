/** The store of registrations. */
import type { RegistrationIntakeStore, RegistrationStore } from '../../registration/ports.ts';
import type { Engine } from '../engine.ts';
import { type Body, driveEach, type Reading } from '../statements.ts';
import { type FileGuard, inOwnFile } from '../payouts/bulk-work.ts';
import { makeRegistrationApplier, type RegistrationApplier } from './apply.ts';
import { registrationBatchReads, registrationBatchWrites } from './batches.ts';
import { makeRegistrationBulk } from './bulk.ts';
import { registrationIngestWrites } from './ingest.ts';
import { registrationReads } from './reads.ts';
import { sealRegistrations } from './seal.ts';
import { openRegistrationSnapshot } from './snapshot.ts';

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
    registrationSnapshot: async () => openRegistrationSnapshot(engine),
  };
  return {
    store,
    withoutSenderFence: onBatches(engine, applier),
    end: async () => void (await Promise.all([applier.end(), fencedApplier.end()])),
  };
}
