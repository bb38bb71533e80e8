/**
 * The lost-journal probe: after a loss of the journal the bank is asked for every reference that a payout may have used
 * on the days in question, before anything is sent for it.
 */
import { formatBangkokDateTime } from '../core/bangkok-time.ts';
import { decideHold } from '../core/change.ts';
import type { Batch, Change, JournalLoss } from '../core/ports.ts';
import { computeTransRefNo } from '../core/reference.ts';
import { payerOf, type WorkerContext } from './context.ts';
import { askUntilSaid, inquireFor } from './inquire.ts';
import type { InDoubt, ReadyPayout } from './ports.ts';
import type { PayerSetup } from './rules/intent.ts';
import {
  addDay,
  computeNextToAsk,
  daysInQuestion,
  decideAfterProbe,
  decideAskLater,
  decideBeyond,
  isInQuestion,
  mayHaveMoved,
  mustProbe,
  type ReferenceFinding,
} from './rules/lost-journal.ts';

/**
 * Asks about a ready payout that a lost journal may have sent. `clear` when the bank knows nothing of it, or nothing is
 * in question; `blocked` when something was found, or the bank could not be asked, which is recorded.
 */
export async function probeLostJournal(
  context: WorkerContext,
  batch: Batch,
  { payout, attemptsRecorded }: ReadyPayout,
): Promise<'clear' | 'blocked'> {
  const { journal, run, settle, clock } = context;
  const loss = await journal.loss();
  if (!isInQuestion(loss) || run.probed.has(payout.seq)) return 'clear';
  const { payoutId } = payout.instruction;
  if (!mustProbe(loss, await journal.attemptsOf(batch.companyId, payoutId))) return 'clear';
  const tooEarly = await waitUntilTrusted(context, loss);
  if (context.stop.aborted) return 'blocked';
  if (tooEarly !== undefined) {
    const reason = { code: 'clock-behind-journal', text: tooEarly };
    return block(context, decideHold(payout, 'unavailable', reason, clock.now()));
  }
  const payer = payerOf(context, batch);
  const findings = await search({ context, payer, payoutId, loss, passHalted: false }, attemptsRecorded);
  if (findings === undefined) return 'blocked';
  run.noteProgress();
  const found = decideAfterProbe({ payout, findings, payer, policy: settle, nowMs: clock.now() });
  if (found !== undefined) return block(context, found);
  if (run.probed.size >= rememberedMax) run.probed.clear();
  run.probed.add(payout.seq);
  return 'clear';
}

/** Rows that are remembered at once: one that was forgotten is asked about again. */
const rememberedMax = 10_000;

/**
 * Looks beyond an attempt from before the loss that the bank shows as failed: the lost part may have made another one
 * since. `clear` when it knows of none that may have moved money; else what it knows is recorded.
 */
export async function probeBeyond(
  context: WorkerContext,
  { payout, attempt }: InDoubt,
): Promise<'clear' | 'blocked'> {
  const { journal, settle, clock } = context;
  const loss = await journal.loss();
  if (!isInQuestion(loss) || attempt.intentAtMs > loss.recoveredAtMs) return 'clear';
  const payer = payerOf(attempt.order, attempt.order);
  const { payoutId } = payout.instruction;
  const known = await journal.attemptsOf(payer.companyId, payoutId);
  if (!mustProbe(loss, known)) return 'clear';
  const tooEarly = await waitUntilTrusted(context, loss);
  if (context.stop.aborted) return 'blocked';
  if (tooEarly !== undefined) {
    const probe = { payout, policy: settle, nowMs: clock.now() };
    return block(context, decideAskLater(probe, attempt, { tooEarly }));
  }
  const highest = Math.max(...known.map(({ attemptNo }) => attemptNo));
  const findings = await search({ context, payer, payoutId, loss, passHalted: true }, highest);
  if (findings === undefined) return 'blocked';
  const found = decideBeyond({ payout, findings, payer, policy: settle, nowMs: clock.now() }, attempt);
  return found === undefined ? 'clear' : block(context, found);
}

async function block(context: WorkerContext, change: Change): Promise<'blocked'> {
  const { batchId, rowNo, reasonCode, status } = change.after;
  const found = change.adopts?.map(({ order, lastFinding }) => `${order.transRefNo} ${lastFinding}`) ?? [];
  const facts = { batchId, rowNo, status, reasonCode, found };
  context.log('warn', 'looked up after a loss of the journal', facts);
  const [isApplied] = await context.journal.apply([change]);
  if (isApplied === true) context.count(change.after);
  return 'blocked';
}

/** Longer than this nobody waits: the clock has been set back since. */
const waitSlackMs = 60_000;

/**
 * The lost process may have sent until the very moment of the recovery, and what was sent just now is not found at
 * once. Returns why it makes no sense to wait.
 */
async function waitUntilTrusted(
  { clock, settle, stop }: WorkerContext,
  loss: JournalLoss,
): Promise<string | undefined> {
  const waitMs = loss.recoveredAtMs + settle.notFoundTrustMs - clock.now();
  if (waitMs > settle.notFoundTrustMs + waitSlackMs) {
    const [now, then] = [clock.now(), loss.recoveredAtMs].map(formatBangkokDateTime);
    return `the clock says ${now}, and the journal went on after its loss at ${then}: set the clock right`;
  }
  if (waitMs > 0) await clock.sleep(waitMs, stop);
  return undefined;
}

/** What is asked for, and through which gate. */
interface Search {
  readonly context: WorkerContext;
  readonly payer: PayerSetup;
  readonly payoutId: string;
  readonly loss: JournalLoss;
  readonly passHalted: boolean;
}

/** Asks for one reference after another. Undefined when the gate lets nothing through, or the run ends. */
async function search(
  wanted: Search,
  attemptsRecorded: number,
): Promise<readonly ReferenceFinding[] | undefined> {
  const findings: ReferenceFinding[] = [];
  for (;;) {
    const attemptNo = computeNextToAsk(attemptsRecorded, findings);
    if (attemptNo === undefined) return findings;
    const finding = await searchReference(wanted, attemptNo);
    if (finding === undefined) return undefined;
    findings.push(finding);
    // It is held whatever the others show, unless money may have moved: all of them are asked for next time.
    if (finding.reading.kind === 'nothing-said') return findings;
  }
}

/** Asks on each day, the latest first, until it is found or nobody answers. */
async function searchReference(wanted: Search, attemptNo: number): Promise<ReferenceFinding | undefined> {
  const { context, payer, payoutId, loss, passHalted } = wanted;
  const transRefNo = computeTransRefNo(payer.companyId, payoutId, attemptNo);
  let finding: ReferenceFinding | undefined;
  for (const tranDate of daysInQuestion(loss).toReversed()) {
    // Who passes a halted account is not kept waiting by it: a bank in trouble is asked again later.
    const said = await askUntilSaid(context, !passHalted, () =>
      inquireFor(context, { ...payer, transRefNo }, tranDate, passHalted),
    );
    if (said === undefined) return undefined;
    finding = addDay(finding, { attemptNo, transRefNo, tranDate, reading: said.finding });
    if (mayHaveMoved(finding) || said.finding.kind === 'nothing-said') break;
  }
  return finding;
}
