/** The store of registrations. */
import type { RegistrationIntakeStore, RegistrationStore } from '../../registration/ports.ts';
import type { Engine } from '../engine.ts';
import { type Body, driveEach, type Reading } from '../statements.ts';
import { makeRegistrationApplier } from './apply.ts';
import { registrationBatchReads, registrationBatchWrites } from './batches.ts';
import { makeRegistrationBulk } from './bulk.ts';
import { registrationIngestWrites } from './ingest.ts';
import { registrationReads } from './reads.ts';
import { sealRegistrations } from './seal.ts';
import { openRegistrationSnapshot } from './snapshot.ts';

interface RegistrationStoreParts {
  readonly engine: Engine;
  /** Told the number of the latest event of a registration once it is durable. */
  readonly onCommit: (latestEventSeq: number) => void;
  /** Told that a file was taken in. */
  readonly onSeal: () => void | Promise<void>;
}

interface OpenRegistrationStore {
  readonly store: RegistrationStore & { readonly registrationIntake: RegistrationIntakeStore };
  /** Takes no more changes, and resolves when all that were asked for are settled. */
  end(): Promise<void>;
}

export function makeRegistrationStore(parts: RegistrationStoreParts): OpenRegistrationStore {
  const { engine } = parts;
  const applier = makeRegistrationApplier(engine, parts.onCommit);
  const write = (makeBody: () => Body<unknown>) => engine.write(makeBody);
  const { applyRegistrations, keepCallback } = applier;
  const registrationIntake: RegistrationIntakeStore = {
    batch: async (batchId) => engine.read(() => registrationBatchReads.registrationBatch(batchId)),
    ...driveEach(registrationIngestWrites, write),
    seal: async (batchId, totals, nowMs) => {
      const batch = await engine.write(() => sealRegistrations(batchId, totals, nowMs));
      await parts.onSeal();
      return batch;
    },
  };
  const store = {
    ...driveEach(registrationReads, (read: () => Reading<unknown>) => engine.read(read)),
    ...driveEach(registrationBatchWrites, write),
    ...makeRegistrationBulk(applier, engine),
    applyRegistrations,
    keepCallback,
    registrationIntake,
    registrationSnapshot: async () => openRegistrationSnapshot(engine),
  };
  return { store, end: applier.end };
}
