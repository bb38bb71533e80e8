/** Keeps a pause of the line in the journal, so that the next run begins with it, and a person can end it. */
import { formatBangkokStamp } from '../core/bangkok-time.ts';
import type { Batch } from '../core/ports.ts';
import { noticeStop, type Payer } from './breaker-stop.ts';
import type { WorkerContext } from './context.ts';
import { openLine, takeUpPause } from './rules/circuit-breaker.ts';

/**
 * Takes the line as the journal has it when a run begins: the pause of an earlier run goes on, and what a person has
 * lifted since is open.
 */
export async function takeUpLine(context: WorkerContext, payer: Payer): Promise<void> {
  const { journal, gate, clock } = context;
  const { line } = gate;
  if (line.state.status === 'halted' && (await isLiftedSince(context, payer))) gate.reopen();
  const pause = await journal.linePause(payer.companyId, payer.payerAccount);
  if (pause === undefined) {
    if (line.recordedPause !== undefined && line.state.status === 'paused') line.become(openLine);
    line.recordedPause = undefined;
  } else if (line.state.status === 'open') {
    line.recordedPause = { pausedAtMs: pause.sinceMs, pausedUntilMs: pause.untilMs };
    line.become(takeUpPause(line.state, pause, clock.now()));
  }
}

/** True when the stop has been recorded and is no longer there: a person has lifted it. */
async function isLiftedSince({ journal, gate }: WorkerContext, payer: Payer): Promise<boolean> {
  const { line } = gate;
  // Whoever has halted it is about to record the stop.
  if (line.stopRecorded === undefined) return false;
  await line.stopRecorded;
  const stop = await journal.lineStop(payer.companyId, payer.payerAccount);
  return stop === undefined && line.state.status === 'halted';
}

/** Records what has become of the line's pause, if it is not what the journal knows. */
export async function recordLinePause(context: WorkerContext, payer: Payer): Promise<void> {
  const { journal, gate, log } = context;
  const { line } = gate;
  const { companyId, payerAccount } = payer;
  const { status, why, pausedAtMs, pausedUntilMs, troubles, isTransferTrouble } = line.state;
  const recorded = line.recordedPause;
  if (status === 'open' && recorded !== undefined) {
    line.recordedPause = undefined;
    await journal.clearLinePause(companyId, payerAccount);
    log('info', 'the line goes on', {});
  }
  if (status !== 'paused' || why === null) return;
  if (recorded?.pausedAtMs === pausedAtMs && recorded.pausedUntilMs === pausedUntilMs) return;
  line.recordedPause = { pausedAtMs, pausedUntilMs };
  const times = { sinceMs: pausedAtMs, untilMs: pausedUntilMs };
  const pause = { ...why, troubles, isTransfer: isTransferTrouble, ...times };
  await journal.recordLinePause({ companyId, payerAccount, ...pause });
  const { code, reason } = why;
  log('warn', 'the line is paused', { code, reason, forMs: pausedUntilMs - pausedAtMs });
}

/** Records every pause as it begins and ends, and sees what a person does meanwhile, until told to end. */
export async function keepLinePause(context: WorkerContext, batch: Batch, end: AbortSignal): Promise<void> {
  const { gate } = context;
  let toldOfMs: number | undefined;
  while (!end.aborted) {
    const { opensAtMs } = gate;
    if (opensAtMs !== toldOfMs) tellOfHours(context, opensAtMs);
    toldOfMs = opensAtMs;
    const waitMs = gate.line.state.status === 'paused' ? clearedLookMs : gate.hasHours ? hoursLookMs : idleMs;
    // Begun before anything is awaited, so that no news is missed.
    const news = gate.waitForNews(waitMs, end);
    await recordLinePause(context, batch);
    await news;
    await endClearedPause(context, batch);
    // Rows that wait for the line meet no guard that would tell them of a person's word.
    if (gate.state.status === 'paused') await noticeStop(context, batch);
  }
  await recordLinePause(context, batch);
}

function tellOfHours({ log }: WorkerContext, opensAtMs: number | undefined): void {
  if (opensAtMs === undefined) log('info', 'the service is open', {});
  else log('warn', 'the service is closed', { opensAt: formatBangkokStamp(opensAtMs) });
}

/** A person who resumes knows that the service is back: the next transfer tries at once. */
async function endClearedPause({ journal, gate, clock }: WorkerContext, payer: Payer): Promise<void> {
  const { line } = gate;
  if (line.recordedPause === undefined || line.state.status !== 'paused') return;
  if ((await journal.linePause(payer.companyId, payer.payerAccount)) !== undefined) return;
  const nowMs = clock.now();
  line.recordedPause = undefined;
  line.become({ ...line.state, pausedAtMs: nowMs, pausedUntilMs: nowMs, questionsUntilMs: nowMs });
}

/** How often a paused line looks whether a person has ended the pause. */
const clearedLookMs = 5_000;
/** How often it is looked whether the service has opened or closed. */
const hoursLookMs = 60_000;
/** An open line waits for news alone. */
const idleMs = 24 * 3_600_000;
