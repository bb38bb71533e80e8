/** Records the intent to register one customer's account and sends it: no intent durably recorded, no request sent. */
import { randomUUID } from 'node:crypto';
import type { RunInTurn } from '../platform/fair-semaphore.ts';
import { noticeHalt, type Pass, recordHalt } from '../payout/circuit-breaker.ts';
import type { BreakerSignal } from '../payout/rules/read-reply.ts';
import { findCompanyHalt, type RegistrationContext, serviceBreaker } from './context.ts';
import type { RegistrationBatch } from './ports.ts';
import { decideAnswer, decideDisplaced, decideHalted } from './rules/after-answer.ts';
import { afterRegistrationChange, type RegistrationChange } from './rules/change.ts';
import { companyPayer, decideIntent, decideRenewal } from './rules/intent.ts';
import { type AnswerReading, readAnswer } from './rules/read-answer.ts';
import type { Registration, RegistrationAttempt, RegistrationInstruction } from './rules/registration.ts';

/** A ready row, with its instruction. */
interface Row {
  readonly registration: Registration;
  readonly instruction: RegistrationInstruction;
  readonly batch: RegistrationBatch;
}

interface Intended extends Row {
  readonly attempt: RegistrationAttempt;
  readonly passes: Passes;
}

/** Passes through both breakers. */
interface Passes {
  readonly isProbe: boolean;
  leave(service?: BreakerSignal, company?: BreakerSignal): void;
}

/** Sends one ready registration and records the outcome, unless a breaker or a person's action forbids it. */
export async function submitRegistration(
  context: RegistrationContext,
  registration: Registration,
  batch: RegistrationBatch,
  inLane: RunInTurn,
): Promise<void> {
  const { instruction } = registration;
  if (instruction === null) throw new Error(`row ${registration.rowNo} asks for nothing and is ready`);
  const row = { registration, instruction, batch };
  await inLane(async () => {
    const passes = await enterBoth(context, row);
    const intended = passes && (await recordIntent(context, row, passes));
    if (intended !== undefined) await sendAndRecord(context, intended);
  });
}

/** Waits for the service; undefined when nothing may be sent, after holding a row of a halted company. */
async function enterBoth(context: RegistrationContext, row: Row): Promise<Passes | undefined> {
  const { service, gateOf, companyId } = context;
  const payer = companyPayer(companyId, row.instruction);
  if (await holdForCompany(context, row)) return undefined;
  const served = await service.enter();
  if (served.kind !== 'go') return undefined;
  const own = await gateOf(payer).enter();
  if (own.kind === 'go') return bothOf(served, own);
  served.leave();
  await holdForCompany(context, row);
  return undefined;
}

const bothOf = (service: Pass, company: Pass): Passes => ({
  isProbe: service.isProbe,
  leave: (ofService, ofCompany) => {
    company.leave(ofCompany);
    service.leave(ofService);
  },
});

/** Holds the row if its company is halted: it waits for a person, other companies' rows do not. @returns true if held */
async function holdForCompany(
  context: RegistrationContext,
  { registration, instruction }: Row,
): Promise<boolean> {
  const { companyId, clock } = context;
  const payer = companyPayer(companyId, instruction);
  const halt = await findCompanyHalt(context, payer);
  if (halt === undefined) return false;
  await applyOnLatest(context, registration, (current) => decideHalted(current, halt, clock.now()));
  return true;
}

async function recordIntent(
  context: RegistrationContext,
  row: Row,
  passes: Passes,
): Promise<Intended | undefined> {
  const { journal, run, clock } = context;
  const { change, attempt } = decideIntent({
    ...row,
    companyId: context.companyId,
    requestUid: randomUUID(),
    ipAddress: context.ipAddress,
    answerWithinMs: context.answerWithinMs,
    nowMs: clock.now(),
  });
  const { seq } = row.registration;
  run.inFlight.add(seq);
  context.inFlight.add(seq);
  run.hasSent = true;
  let isRecorded = false;
  try {
    [isRecorded = false] = await journal.applyRegistrations([change]);
  } finally {
    if (!isRecorded) {
      forget(context, seq);
      passes.leave();
    }
  }
  if (isRecorded) return { ...row, registration: afterRegistrationChange(change), attempt, passes };
  // Meanwhile a person cancelled or held the row, or halted its batch, the service or its company.
  const { context: breaker, batch } = serviceBreaker(context, row.batch);
  await noticeHalt(breaker, batch);
  if (!(await holdForCompany(context, row))) await holdDisplaced(context, row);
  return undefined;
}

/** Holds a row that has lost its registrationId, which would otherwise be tried again for ever. */
async function holdDisplaced(
  context: RegistrationContext,
  { registration, instruction }: Row,
): Promise<void> {
  const { journal, companyId, clock } = context;
  const holder = await journal.registrationHolder(companyId, instruction.registrationId);
  await applyOnLatest(context, registration, (current) => decideDisplaced(current, holder, clock.now()));
}

function forget({ run, inFlight }: RegistrationContext, seq: number): void {
  run.inFlight.delete(seq);
  inFlight.delete(seq);
}

/** Findings that count as progress: the bank works on the row, or has named its fault. */
const gettingOn: readonly AnswerReading['finding']['kind'][] = ['acknowledged', 'turned-down'];

async function sendAndRecord(context: RegistrationContext, intended: Intended): Promise<void> {
  const { bank, run, limit } = context;
  const { registration, instruction, attempt, passes } = intended;
  const { requestUid, ipAddress } = attempt;
  let service: BreakerSignal | undefined;
  let company: BreakerSignal | undefined;
  try {
    const { round } = limit.state;
    const order = { ...instruction, requestUid, ipAddress };
    const keepRenewed = (uid: string): Promise<boolean> => recordRenewal(context, intended, uid);
    const read = readAnswer(
      await bank.register(order, () => mayTransmit(context, intended), keepRenewed, context.stop),
    );
    limit.observe(read.limit, round);
    ({ service, company } = read);
    if (gettingOn.includes(read.finding.kind)) run.noteProgress();
    // Before the outcome is recorded, so that no other row passes meanwhile.
    passes.leave(service, company);
    await recordAnswer(context, intended, read);
  } finally {
    passes.leave(service, company);
    forget(context, registration.seq);
    run.notify();
  }
}

/** Called right before the bytes leave: the service or the company may have been stopped since the intent. */
function mayTransmit(
  { service, gateOf, companyId, mayTransmit: mayStillSend = () => true }: RegistrationContext,
  { instruction, passes }: Intended,
): boolean {
  if (!mayStillSend()) return false;
  const { status } = service.transfers;
  if (gateOf(companyPayer(companyId, instruction)).transfers.status === 'halted') return false;
  return status === 'open' || (status === 'paused' && passes.isProbe);
}

/** False where something else has become of the registration meanwhile: a callback has shown that the bank has it. */
async function recordRenewal(
  { journal, clock }: RegistrationContext,
  { registration, attempt }: Intended,
  requestUid: string,
): Promise<boolean> {
  const current = await journal.registration(registration.seq);
  const change = current && decideRenewal(current, attempt, requestUid, clock.now());
  if (change === undefined) return false;
  const [isKept = false] = await journal.applyRegistrations([change]);
  return isKept;
}

async function recordAnswer(
  context: RegistrationContext,
  { registration, instruction, attempt, batch }: Intended,
  { finding, facts }: AnswerReading,
): Promise<void> {
  const { clock, log, service, gateOf, companyId, doubts } = context;
  const settled = await applyOnLatest(context, registration, (current) =>
    decideAnswer({ registration: current, attempt, finding, facts, nowMs: clock.now() }),
  );
  log(levelOf(finding), 'registration answered', {
    batchId: batch.batchId,
    rowNo: registration.rowNo,
    requestUid: facts.requestUid ?? attempt.requestUid,
    xRequestId: facts.xRequestId,
    finding: finding.kind,
    code: 'reason' in finding ? finding.reason.code : null,
    status: settled?.status,
  });
  const payer = companyPayer(companyId, instruction);
  const { context: breaker, batch: ofService } = serviceBreaker(context, batch);
  await recordHalt({ ...breaker, gate: service }, ofService);
  await recordHalt({ ...breaker, gate: gateOf(payer) }, payer);
  if (settled?.status === 'in-doubt') doubts.add(settled.seq);
  await observeInDoubt(context);
}

/** Counts only this run's doubts: rows of earlier runs may await their callbacks for a whole day, and stop nothing. */
async function observeInDoubt({ doubts, journal, service, inDoubtMax }: RegistrationContext): Promise<void> {
  if (doubts.size < inDoubtMax) return;
  for (const seq of doubts) if ((await journal.registration(seq))?.status !== 'in-doubt') doubts.delete(seq);
  service.observeInDoubt(doubts.size);
}

/** Log level of a finding: higher where it concerns more than the row. */
function levelOf(finding: AnswerReading['finding']): 'debug' | 'info' | 'warn' {
  switch (finding.kind) {
    case 'acknowledged':
      return 'debug';
    case 'turned-down':
      return finding.scope === 'registration' ? 'debug' : 'warn';
    case 'unknown':
      return finding.scope === 'registration' ? 'info' : 'warn';
    case 'usage-exceeded':
    case 'not-sent':
    case 'aborted-before-send':
      return 'warn';
  }
}

/** Decides again after another change of the row meanwhile, such as a callback that comes before the answer. */
async function applyOnLatest(
  { journal }: Pick<RegistrationContext, 'journal'>,
  known: Registration,
  decide: (current: Registration) => RegistrationChange | undefined,
): Promise<Registration | undefined> {
  let current: Registration | undefined = known;
  while (current !== undefined) {
    const change = decide(current);
    if (change === undefined) return current;
    const [isApplied] = await journal.applyRegistrations([change]);
    if (isApplied === true) return afterRegistrationChange(change);
    const latest: Registration | undefined = await journal.registration(known.seq);
    if (latest?.version === current.version) return undefined;
    current = latest;
  }
  return undefined;
}
