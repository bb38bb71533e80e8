/** Brings one file of registrations from the disk to its reports: what `register` does for each FILE. */
import { countRows } from '../../core/exit-code.ts';
import { basename } from 'node:path';
import { findOwnAddress } from '../../bank/own-address.ts';
import type { FileRejection, Inspection } from '../../core/payout-file.ts';
import type { Progress } from '../../core/progress.ts';
import { ingestRegistrations } from '../../intake/ingest.ts';
import { AdaptiveLimit } from '../../payout/adaptive-limit.ts';
import { BreakerGate, type Payer, PayerBreaker } from '../../payout/circuit-breaker.ts';
import { RunState } from '../../payout/context.ts';
import { isNothingLeft } from '../../registration/conclude.ts';
import type { RegistrationContext } from '../../registration/context.ts';
import type { RegistrationBatch, RegistrationTotal } from '../../registration/ports.ts';
import { servicePayer } from '../../registration/rules/intent.ts';
import { awaitedStatuses, type RegistrationStatus } from '../../registration/rules/registration.ts';
import { runRegistrations } from '../../registration/run-batch.ts';
import { bindKeptCallbacks } from '../../registration/take-callback.ts';
import {
  writeRegistrationReports,
  type WrittenRegistrationReports,
} from '../../registration/write-reports.ts';
import { finishReports, removeUnrecorded, requireReportable } from '../../reports/batch-reports.ts';
import { makeMayMissAttempts } from '../ask-first.ts';
import { reportInPlace } from '../machines/report-in-place.ts';
import { makeRegistrationReader } from '../open-store.ts';
import type { RunFileOptions } from '../run-file.ts';
import { type Session, toLog } from '../session.ts';

/** A session with what all its files of registrations share. */
export interface RegisterSession {
  readonly session: Session;
  readonly ipAddress: string;
  readonly limit: AdaptiveLimit;
  /** Rows that this process is sending now. */
  readonly inFlight: Set<number>;
}

/** @param session just opened: it has sent no registration */
export async function openRegistering(session: Session): Promise<RegisterSession> {
  const { registration } = session.loaded.settings;
  return {
    session,
    ipAddress: registration.ipAddress || (await findOwnAddress(session.bankAddress)),
    limit: new AdaptiveLimit(registration.concurrency),
    inFlight: new Set(),
  };
}

export type RegisterOutcome =
  | { readonly kind: 'rejected'; readonly rejection: FileRejection }
  /** `isRepeat`: the bytes were processed before, and this run sent nothing. */
  | { readonly kind: 'rested'; readonly reports: WrittenRegistrationReports; readonly isRepeat: boolean }
  | { readonly kind: 'interrupted'; readonly batch: RegistrationBatch | undefined };

/** Reads, sends, awaits and reports one file, or resumes it. */
export async function registerFile(
  registering: RegisterSession,
  path: string,
  options: RunFileOptions,
): Promise<RegisterOutcome> {
  const { session } = registering;
  const { journal, clock, loaded } = session;
  const onRows = (rowsDone: number): void =>
    options.progress.show({ phase: 'reading', rowsDone, rowsTotal: undefined, inDoubt: 0 });
  let knownAs: string | undefined;
  const mayRead = async (batchId: string): Promise<boolean> => {
    knownAs = batchId;
    // Recorded before the batch: after any crash the journal knows the runner, who may release nothing of it.
    if ((await journal.registrationBatch(batchId)) === undefined) await session.noteRunner?.(batchId);
    return true;
  };
  const ingested = await ingestRegistrations(
    {
      journal: journal.registrationIntake,
      reader: await makeRegistrationReader(loaded),
      clock,
      companyId: loaded.settings.bank.companyId,
      findTrace: (inspection: Inspection) =>
        session.findRegistrationTrace?.(inspection) ?? Promise.resolve(undefined),
      stop: options.interrupted,
      mayRead,
      onRows,
    },
    path,
    basename(path),
  );
  switch (ingested.kind) {
    case 'rejected': {
      const { rejection } = ingested;
      await session.noteRefused?.(basename(path), { kind: 'registration', rejection, batchId: knownAs });
      return { kind: 'rejected', rejection };
    }
    case 'turned-away':
    case 'stopped':
      return { kind: 'interrupted', batch: undefined };
    case 'batch':
      return registerKnown(registering, ingested.batch, options);
  }
}

async function registerKnown(
  registering: RegisterSession,
  batch: RegistrationBatch,
  options: RunFileOptions,
): Promise<RegisterOutcome> {
  const { journal, outbox } = registering.session;
  const isRepeat = await isNothingLeft(journal, batch);
  if (!isRepeat) {
    await requireReportableRegistrations(registering.session, batch);
    const waitOver = new AbortController();
    const stop = AbortSignal.any([options.interrupted, waitOver.signal]);
    const context = makeRegistrationContext(registering, batch, stop, options.progress);
    const { waitMs, interrupted } = options;
    const end = await runRegistrations(context, batch, { waitMs, interrupted, waitOver });
    if (end === 'interrupted') {
      await finishReports(journal.registrationReports, outbox, batch.batchId);
      return { kind: 'interrupted', batch };
    }
  }
  const reports = await restRegistrations(registering.session, batch.batchId, options.exceptionsOk);
  return { kind: 'rested', reports, isRepeat };
}

const workbookRowsMaxOf = ({ settings }: Session['loaded']): number =>
  settings.output.workbook ? settings.output.workbookRows : 0;

/** Checks that a batch can be reported on, before any row of it is sent. */
export const requireReportableRegistrations = (
  { journal, outbox, loaded }: Session,
  batch: RegistrationBatch,
): Promise<void> => requireReportable(journal.registrationReports, outbox, batch, workbookRowsMaxOf(loaded));

/** Writes the due reports of a batch at rest. */
export function restRegistrations(
  { journal, outbox, loaded, bankAddress, clock }: Session,
  batchId: string,
  exceptionsOk: boolean,
): Promise<WrittenRegistrationReports> {
  const { isSandbox } = loaded;
  const records = journal.registrationReports;
  const context = {
    isSandbox,
    bankAddress,
    nowMs: clock.now(),
    exceptionsOk,
    guardFormulas: loaded.settings.output.guardFormulas,
    workbookRowsMax: workbookRowsMaxOf(loaded),
  };
  return reportInPlace(
    () => writeRegistrationReports(records, outbox, batchId, context),
    () => removeUnrecorded(records, outbox, batchId),
  );
}

/** Context shared by the steps of one run. @param stop aborted when nothing new may begin */
export function makeRegistrationContext(
  { session, ipAddress, limit, inFlight }: RegisterSession,
  batch: RegistrationBatch,
  stop: AbortSignal,
  progress: Progress,
): RegistrationContext {
  const { journal, bank, clock } = session;
  const { registration, brake } = session.loaded.settings;
  const log = toLog(session.log);
  const run = new RunState(clock);
  const lease = session.place?.keeper;
  const stopOrBroken = AbortSignal.any([stop, run.broken.signal, ...(lease ? [lease.lost] : [])]);
  const gateOf = makeGates(session, stopOrBroken);
  const mayMissAttempts = makeMayMissAttempts(session.loaded, journal, clock);
  return {
    journal,
    bank,
    clock,
    log,
    companyId: batch.companyId,
    ipAddress,
    answerWithinMs: registration.answerWithinMs,
    limit,
    service: gateOf(servicePayer(batch.companyId)),
    gateOf,
    run,
    doubts: new Set(),
    stop: stopOrBroken,
    ...(lease && { isPaused: () => !lease.isHeld, mayTransmit: lease.mayTransmit }),
    inFlight,
    inDoubtMax: brake.inDoubtMax,
    consecutiveRefusalsMax: brake.consecutiveFailures,
    bindKept: async () => void (await bindKeptCallbacks({ journal, clock, log, mayMissAttempts })),
    report: (totals) => progress.show(describeStanding(batch, totals)),
    reportWait: progress.showWait?.bind(progress),
  };
}

/** The gate of each payer, opened once; its breaker outlives the run. */
function makeGates({ loaded, clock, breakers }: Session, stop: AbortSignal): (payer: Payer) => BreakerGate {
  const gates = new Map<string, BreakerGate>();
  const brake = { ...loaded.settings.brake, things: 'registration' as const };
  return ({ companyId, payerAccount }) => {
    const key = `${companyId} ${payerAccount}`;
    const breaker = breakers.get(key) ?? new PayerBreaker();
    breakers.set(key, breaker);
    const gate = gates.get(key) ?? new BreakerGate({ clock, brake, stop, breaker });
    gates.set(key, gate);
    return gate;
  };
}

const unsentStatuses: readonly RegistrationStatus[] = ['staged', 'ready'];

function describeStanding({ rows }: RegistrationBatch, totals: readonly RegistrationTotal[]) {
  const awaited = countRows(totals, awaitedStatuses);
  const unsent = countRows(totals, unsentStatuses);
  return {
    phase: unsent > 0 ? 'registering' : 'waiting',
    rowsDone: rows - unsent - awaited,
    rowsTotal: rows,
    registered: countRows(totals, ['registered']),
    awaited: countRows(totals, ['acknowledged', 'submitted']),
    inDoubt: countRows(totals, ['in-doubt']),
  };
}
