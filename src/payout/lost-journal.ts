/**
 * After a loss of the journal: asks the bank for every reference that a payout may have used on the days in question,
 * before anything is sent for it.
 */
import { formatBangkokStamp } from '../core/bangkok-time.ts';
import { decideHold } from '../core/change.ts';
import type { Attempt, Payout } from '../core/payout.ts';
import type { Batch, Change, JournalLoss } from '../core/ports.ts';
import { computeTransRefNo } from '../core/reference.ts';
import { payerOf, type WorkerContext } from './context.ts';
import { askUntilSaid, inquireFor } from './inquire.ts';
import type { ReadyPayout } from './ports.ts';
import type { PayerSetup } from './rules/intent.ts';
import {
  addDay,
  computeNextToAsk,
  daysInQuestion,
  decideAfterLookUp,
  decideAskLater,
  decideBeyond,
  isInQuestion,
  mayHaveMoved,
  mustLookUp,
  type ReferenceFinding,
} from './rules/lost-journal.ts';

/**
 * Looks a ready payout up that a lost journal may have sent. `clear` when the bank knows nothing of it, or nothing is
 * in question; `blocked` when something was found, or the bank could not be asked, which is recorded.
 */
export async function lookUpAfterLoss(
  context: WorkerContext,
  batch: Batch,
  { payout, attemptsRecorded }: ReadyPayout,
): Promise<'clear' | 'blocked'> {
  const { journal, run } = context;
  const loss = await journal.loss();
  if (!isInQuestion(loss) || run.lookedUp.has(payout.seq)) return 'clear';
  const { payoutId } = payout.instruction;
  if (!mustLookUp(loss, await journal.attemptsOf(batch.companyId, payoutId))) return 'clear';
  const tooEarly = await waitUntilTrusted(context, loss);
  if (context.stop.aborted) return 'blocked';
  if (tooEarly !== undefined) {
    const reason = { code: 'clock-behind-journal', text: tooEarly };
    return block(context, decideHold(payout, 'unavailable', reason, context.clock.now()));
  }
  const payer = payerOf(context, batch);
  const findings = await search({ context, payer, payoutId, loss, passHalted: false }, attemptsRecorded);
  if (findings === undefined) return 'blocked';
  run.noteProgress();
  const nowMs = context.clock.now();
  const step = decideAfterLookUp({ payout, findings, payer, policy: context.settle, nowMs });
  if (step.kind === 'blocked') return block(context, step.change);
  remember(run.lookedUp, payout.seq);
  return 'clear';
}

/**
 * Looks beyond an attempt from before the loss that the bank shows as failed: the lost part may have made another one
 * since. `clear` when it knows of none that may have moved money; else what it knows is recorded.
 * @param payout in doubt about this attempt
 */
export async function lookUpBeyond(
  context: WorkerContext,
  payout: Payout,
  attempt: Attempt,
): Promise<'clear' | 'blocked'> {
  const { journal, settle } = context;
  const loss = await journal.loss();
  if (!isInQuestion(loss) || attempt.intentAtMs > loss.recoveredAtMs) return 'clear';
  const { channelId, termId, companyId, payerAccount } = attempt.order;
  const payer = { channelId, termId, companyId, payerAccount };
  const { payoutId } = payout.instruction;
  const known = await journal.attemptsOf(companyId, payoutId);
  if (!mustLookUp(loss, known)) return 'clear';
  const tooEarly = await waitUntilTrusted(context, loss);
  if (context.stop.aborted) return 'blocked';
  if (tooEarly !== undefined) {
    const looked = { payout, policy: settle, nowMs: context.clock.now() };
    return block(context, decideAskLater(looked, attempt, { tooEarly }));
  }
  const highest = Math.max(...known.map(({ attemptNo }) => attemptNo));
  const findings = await search({ context, payer, payoutId, loss, passHalted: true }, highest);
  if (findings === undefined) return 'blocked';
  const nowMs = context.clock.now();
  const step = decideBeyond({ payout, findings, payer, policy: settle, nowMs }, attempt);
  return step.kind === 'failed' ? 'clear' : block(context, step.change);
}

/** Rows that are remembered at once: one that was forgotten is looked up again. */
const rememberedMax = 10_000;

function remember(lookedUp: Set<number>, seq: number): void {
  if (lookedUp.size >= rememberedMax) lookedUp.clear();
  lookedUp.add(seq);
}

async function block(context: WorkerContext, change: Change): Promise<'blocked'> {
  const { reasonCode, status } = change.after;
  const found = change.adopts?.map(({ order, lastFinding }) => `${order.transRefNo} ${lastFinding}`) ?? [];
  context.log('warn', 'looked up after a loss of the journal', {
    batchId: change.after.batchId,
    rowNo: change.after.rowNo,
    status,
    reasonCode,
    found,
  });
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
async function waitUntilTrusted(context: WorkerContext, loss: JournalLoss): Promise<string | undefined> {
  const { clock, settle, stop } = context;
  const waitMs = loss.recoveredAtMs + settle.notFoundTrustMs - clock.now();
  if (waitMs > settle.notFoundTrustMs + waitSlackMs) {
    const [now, then] = [clock.now(), loss.recoveredAtMs].map(formatBangkokStamp);
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

/** Asks for one reference after another. Undefined when the line lets nothing through, or the run ends. */
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
    // Who passes a halted line is not kept waiting by it: a bank in trouble is asked again later.
    const said = await askUntilSaid(context, !passHalted, () =>
      inquireFor(context, { ...payer, transRefNo }, tranDate, passHalted),
    );
    if (said === undefined) return undefined;
    const { reading } = said;
    finding = addDay(finding, { attemptNo, transRefNo, tranDate, reading });
    if (mayHaveMoved(finding) || reading.kind === 'nothing-said') break;
  }
  return finding;
}
