/** The store of registrations on an open connection. */
import type { DatabaseSync } from 'node:sqlite';
import type { RegistrationIntakeStore, RegistrationStore } from '../../registration/ports.ts';
import type { Write } from '../connection.ts';
import { type Body, drive, driveEach, type Reading } from '../statements.ts';
import type { WriteQueue } from '../write-queue.ts';
import { makeRegistrationApplier } from './apply.ts';
import { registrationBatchReads, registrationBatchWrites } from './batches.ts';
import { makeRegistrationBulk } from './bulk.ts';
import { registrationIngestWrites } from './ingest.ts';
import { registrationReads } from './reads.ts';
import { sealRegistrations } from './seal.ts';
import { openRegistrationSnapshot } from './snapshot.ts';

interface RegistrationStoreParts {
  readonly db: DatabaseSync;
  /** Of the file, for snapshots. */
  readonly path: string;
  readonly queue: WriteQueue;
  readonly transact: Write;
  /** Told the number of the latest event of a registration once it is durable. */
  readonly onCommit: (latestEventSeq: number) => void;
  /** Told that a file was taken in. */
  readonly onSeal: () => void;
}

interface OpenRegistrationStore {
  readonly store: RegistrationStore & { readonly registrationIntake: RegistrationIntakeStore };
  /** Has what is waiting committed, as soon as those who write before it have done so. */
  flush(): void;
}

export function makeRegistrationStore(parts: RegistrationStoreParts): OpenRegistrationStore {
  const { db, path, queue, transact } = parts;
  const applier = makeRegistrationApplier(db, parts.onCommit, queue);
  const write = (makeBody: () => Body<unknown>) => transact(() => drive(db, makeBody()));
  const { applyRegistrations, keepCallback } = applier;
  const registrationIntake: RegistrationIntakeStore = {
    batch: async (batchId) => drive(db, registrationBatchReads.registrationBatch(batchId)),
    ...driveEach(registrationIngestWrites, write),
    seal: async (batchId, totals, nowMs) => {
      const batch = await transact(() => drive(db, sealRegistrations(batchId, totals, nowMs)));
      parts.onSeal();
      return batch;
    },
  };
  const store = {
    ...driveEach(registrationReads, (read: () => Reading<unknown>) => drive(db, read())),
    ...driveEach(registrationBatchWrites, write),
    ...makeRegistrationBulk(applier, (reading) => drive(db, reading)),
    applyRegistrations,
    keepCallback,
    registrationIntake,
    registrationSnapshot: async () => openRegistrationSnapshot(path),
  };
  return { store, flush: applier.flush };
}
