/** What a process of the program does with registrations: it sends, or it takes callbacks. */
import type { RegistrationBank } from '../../../src/core/bank-port.ts';
import type { Clock, Log } from '../../../src/core/ports.ts';
import { type AdaptiveLimit, makeAdaptiveLimits } from '../../../src/payout/adaptive-limit.ts';
import { BreakerGate, type Payer, PayerBreaker } from '../../../src/payout/circuit-breaker.ts';
import { RunState } from '../../../src/payout/context.ts';
import type { RegistrationContext } from '../../../src/registration/context.ts';
import { readCall } from '../../../src/registration/listener/server.ts';
import { runRegistrations } from '../../../src/registration/run-batch.ts';
import { sweepOverdue } from '../../../src/registration/sweep.ts';
import { bindKeptCallbacks, takeCallback } from '../../../src/registration/take-callback.ts';
import { writeRegistrationReports } from '../../../src/registration/write-reports.ts';
import type { ReportOutbox } from '../../../src/reports/ports.ts';
import type { Store } from '../../../src/store/store.ts';
import type { Life, World } from '../world.ts';
import { companyId, hashOfFile, type PlannedRegistrations, type RegistrationsPlan } from './plan.ts';

export interface OwnParts {
  readonly world: World;
  readonly life: Life;
  readonly store: Store;
  readonly clock: Clock;
}

/** A process that takes callbacks. */
export type Listening = OwnParts;

const logOf =
  ({ world, life }: OwnParts): Log =>
  (level, message, facts) =>
    world.trace?.(`        ${life.name} ${level}: ${message} ${JSON.stringify(facts)}`);

const callbackContext = (own: OwnParts) => ({
  journal: own.store,
  clock: own.clock,
  log: logOf(own),
  mayMissAttempts: async () => false,
});

/** One call, from its bytes to its answer. @returns whether it is answered as taken */
export async function takeCall(own: Listening, body: string, requestUid: string): Promise<boolean> {
  const header = JSON.stringify({ requestUID: requestUid, 'x-api-key': 'right' });
  const reading = readCall({ fromAddress: '192.0.2.1', header }, Buffer.from(body), own.clock.now());
  if (!reading.ok) throw new Error(`a good call cannot be read: ${JSON.stringify(reading.faults)}`);
  try {
    await takeCallback(callbackContext(own), reading.record);
    return true;
  } catch (error) {
    if (error instanceof Error && error.name === 'DiskFullError') return false;
    throw error;
  }
}

const lookMs = 3_600_000;

/** Marks what is overdue, and binds what was kept, until told to end. */
export async function listenAndSweep(own: OwnParts, end: AbortSignal): Promise<void> {
  const context = callbackContext(own);
  while (!end.aborted) {
    await bindKeptCallbacks(context);
    await sweepOverdue(context);
    await own.clock.sleep(lookMs, end);
  }
}

export interface SenderParts extends OwnParts {
  readonly plan: RegistrationsPlan;
  readonly bank: RegistrationBank;
  readonly outbox: ReportOutbox;
  readonly files: readonly PlannedRegistrations[];
}

const brake = { consecutiveFailures: 1_000, failureShare: 1, window: 1_000, inDoubtMax: 1_000 };

/** What every file of a process shares. */
interface Process {
  readonly service: PayerBreaker;
  readonly companies: Map<string, PayerBreaker>;
  readonly limit: AdaptiveLimit;
  readonly inFlight: Set<number>;
}

function makeContext(parts: SenderParts, process: Process, stop: AbortSignal): RegistrationContext {
  const { store: journal, clock, bank, plan } = parts;
  const run = new RunState(clock);
  const stopOrBroken = AbortSignal.any([stop, run.broken.signal]);
  const gates = new Map<string, BreakerGate>();
  const makeGate = (breaker: PayerBreaker): BreakerGate =>
    new BreakerGate({ clock, brake, stop: stopOrBroken, breaker });
  const gateOf = ({ payerAccount }: Payer): BreakerGate => {
    const breaker = process.companies.get(payerAccount) ?? new PayerBreaker();
    process.companies.set(payerAccount, breaker);
    const gate = gates.get(payerAccount) ?? makeGate(breaker);
    gates.set(payerAccount, gate);
    return gate;
  };
  return {
    journal,
    bank,
    clock,
    log: logOf(parts),
    companyId,
    ipAddress: '192.0.2.7',
    answerWithinMs: plan.answerWithinMs,
    limit: process.limit,
    service: makeGate(process.service),
    gateOf,
    run,
    doubts: new Set(),
    stop: stopOrBroken,
    inFlight: process.inFlight,
    inDoubtMax: brake.inDoubtMax,
    consecutiveRefusalsMax: 1_000,
    bindKept: async () => void (await bindKeptCallbacks(callbackContext(parts))),
    report: () => {},
  };
}

/** Takes a file in, unless it is there; as `ingestFile` does. */
async function takeIn(
  { store: { registrationIntake: intake }, clock }: SenderParts,
  file: PlannedRegistrations,
): Promise<void> {
  const { batchId, rows } = file;
  const known = await intake.batch(batchId);
  if (known !== undefined && known.sealedAtMs !== null) return;
  const start = { batchId, sha256: hashOfFile(file), fileName: file.name, companyId, extraColumns: [] };
  await intake.startIngest({ ...start, nowMs: clock.now() });
  // In two pieces, between which it may be killed.
  for (const piece of [rows.slice(0, 2), rows.slice(2)])
    if (piece.length > 0) await intake.stage(batchId, piece);
  await intake.seal(batchId, { rows: rows.length, conflictingRowNos: [] }, clock.now());
}

/** Takes one file in, sends it, awaits its outcomes and reports on it. */
async function runFile(
  parts: SenderParts,
  process: Process,
  file: PlannedRegistrations,
  interrupted: AbortSignal,
): Promise<void> {
  const { store, plan, clock, outbox } = parts;
  await takeIn(parts, file);
  const batch = await store.registrationBatch(file.batchId);
  if (batch === undefined) throw new Error(`${file.name} was not taken in`);
  const waitOver = new AbortController();
  const context = makeContext(parts, process, AbortSignal.any([interrupted, waitOver.signal]));
  const { waitMs, isPatient } = plan;
  await runRegistrations(context, batch, { waitMs, isPatient, interrupted, waitOver });
  await writeRegistrationReports(store.registrationReports, outbox, file.batchId, {
    exceptionsOk: false,
    guardFormulas: true,
    isSandbox: false,
    bankAddress: 'https://bank.example',
    nowMs: clock.now(),
  });
}

/** Sends the files, one after the other as `paydrop register FILE..` does, or all at once as the watcher may. */
export async function runSender(parts: SenderParts, interrupted: AbortSignal): Promise<void> {
  const { plan, files } = parts;
  const process: Process = {
    service: new PayerBreaker(),
    companies: new Map(),
    limit: makeAdaptiveLimits(plan.concurrency, plan.concurrency).transfers,
    inFlight: new Set(),
  };
  if (plan.isAtOnce) {
    await Promise.all(files.map((file) => runFile(parts, process, file, interrupted)));
    return;
  }
  for (const file of files) {
    await runFile(parts, process, file, interrupted);
    if (interrupted.aborted) return;
  }
}
