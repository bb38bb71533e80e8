/** Requests of an operator: release held rows, cancel unsent ones, retry those that moved no money. */
import { isMessage, message, type Message } from '../core/message.ts';
import { paydropCommand } from '../core/command-line.ts';
import { countRows, inDoubtStatuses } from '../core/exit-code.ts';
import { showCount } from '../core/figures.ts';
import type { Attempt, Payout, PayoutStatus } from '../core/payout.ts';
import type { Batch, BatchReader, BatchReason, Change, ResultRow, StatusTotal } from '../core/ports.ts';
import { maskDigits } from '../core/proxy-id.ts';
import type { RowRules } from '../intake/rules/row.ts';
import type { BatchStore, ClaimReader, PayerBreakerStore, PayoutJournal, PayoutStore } from './ports.ts';
import { journalChanged } from './rules/seal.ts';
import { isInQuestion } from './rules/lost-journal.ts';
import {
  accountHolds,
  cancelledCode,
  dayHolds,
  decideCancel,
  decideLift,
  decideRetry,
  decideRetryRejected,
  describeRow,
  describeTransfer,
  describeUnknownSends,
  payoutWideHolds,
  retriedStatuses,
  unsentStatuses,
} from './rules/operator.ts';

export interface OperatorResult {
  readonly rowsChanged: number;
  /** Why the request does not fit the journal. */
  readonly refusals: readonly Message[];
  /** Decisions still to be made after the request was carried out. */
  readonly notes?: readonly Message[];
  /** True when the payer account was paused or halted, and goes on. */
  readonly isLineOpened?: boolean;
  /** Old and new payer account, masked, when the rest of the batch is paid from another account from now on. */
  readonly payerMoved?: { readonly from: string; readonly to: string } | undefined;
}

/** The account from which the rest of a batch is paid once it is resumed; a batch that is done keeps its own. */
export const payerOnceResumed = (
  batch: Pick<Batch, 'payerAccount' | 'status'>,
  payerAccount: string,
): string => (batch.status === 'done' ? batch.payerAccount : payerAccount);

/**
 * Lifts the halt of the account that pays the batch from now on and the holds of the batch as a whole, and counts the
 * batch's age anew. A hold for a like file is lifted, too, but not together with a halt: the operator was shown only the
 * halt. Rows held by a limit of a day are checked against today's limits again. When the settings name another account
 * than the batch, the resume approves that account.
 * @param payerAccount account of the settings; left out: the batch's own
 */
export async function resumeBatch(
  journal: BatchStore & PayerBreakerStore,
  batch: Batch,
  nowMs: number,
  payerAccount: string = batch.payerAccount,
): Promise<OperatorResult> {
  const from = payerOnceResumed(batch, payerAccount);
  const isOther = from !== batch.payerAccount;
  if (isOther && !(await journal.movePayer(batch.batchId, from, nowMs)))
    return { rowsChanged: 0, refusals: [inDoubtUnderOther(batch, from)] };
  // Comes first, so that a sending process never sees the batch both running and too old.
  await journal.renewAge(batch.batchId, nowMs);
  const isHalted = batch.status === 'halted';
  const released = isHalted ? 0 : await journal.releaseLikeFile(batch.batchId, nowMs);
  const rowsChanged =
    released + (await journal.liftHolds(batch.batchId, [...accountHolds, ...dayHolds], nowMs));
  if (isHalted || rowsChanged > 0) {
    await journal.moveBatch(batch.batchId, 'running', null, nowMs);
  }
  // An account that it leaves stays as it is: what else waits there was not decided on.
  const isLineOpened = await openPayer(journal, { companyId: batch.companyId, payerAccount: from }, nowMs);
  const moved = { from: maskDigits(batch.payerAccount), to: maskDigits(payerAccount) };
  const notes = isHalted ? await describeLikeRows(journal, batch.batchId) : [];
  return { rowsChanged, refusals: [], notes, isLineOpened, payerMoved: isOther ? moved : undefined };
}

/** Rows still held as like another payout when a halt is lifted. */
export async function describeLikeRows(journal: BatchReader, batchId: string): Promise<readonly Message[]> {
  const similar = (await journal.holdTotals(batchId)).find(({ hold }) => hold === 'similar');
  if (similar === undefined || similar.rows === 0) return [];
  const { rows } = similar;
  const command = paydropCommand(undefined, 'status', batchId);
  const command2 = paydropCommand(undefined, 'resume', batchId);
  const args = { rows: showCount(rows), command, command2 };
  return [message(rows === 1 ? 'batch.like-row-stays' : 'batch.like-rows-stay', args)];
}

const inDoubtUnderOther = ({ batchId, payerAccount: before }: Batch, payerAccount: string): Message =>
  message('batch.in-doubt-under-other', {
    batch: batchId,
    from: maskDigits(before),
    to: maskDigits(payerAccount),
    command: paydropCommand(undefined, 'settle', batchId),
  });

/**
 * Opens the payer account: an operator who resumes a batch knows that the service is back. True when the account was
 * paused or halted.
 */
export async function openPayer(
  journal: PayerBreakerStore,
  { companyId, payerAccount }: Pick<Batch, 'companyId' | 'payerAccount'>,
  nowMs: number,
): Promise<boolean> {
  const isPaused = (await journal.payerPause(companyId, payerAccount)) !== undefined;
  await journal.clearPayerPause(companyId, payerAccount);
  // Comes last, so that a sending process sees the halt lifted only when it has rows to go on with.
  return (await journal.liftPayerHalt(companyId, payerAccount, nowMs)) || isPaused;
}

/** Reason of the halt of a batch that an operator has cancelled while some of its transfers were under way. */
export const cancelledReason: BatchReason = {
  code: cancelledCode,
  reason: message('batch.cancelled'),
  remedy: message('batch.what-is-cancelled'),
};

/**
 * Asks the bank about the reference of an attempt whose request has left. Without an attempt, asks about sends of the
 * row that another journal, or a lost part of this one, may have made.
 * @returns why the row cannot be cancelled; undefined when it has moved no money and will move none
 */
export type AskBeforeCancel = (payout: Payout, attempt: Attempt | undefined) => Promise<Message | undefined>;

/** Questions before a cancellation; the bank is opened with the first one. */
export interface CancelQuestions extends AsyncDisposable {
  readonly ask: AskBeforeCancel;
}

/** Refuses a row that was sent, when the bank cannot be asked. */
export const bankNotAsked: AskBeforeCancel = async (payout, attempt) => {
  const command = paydropCommand(undefined, 'cancel', payout.instruction.payoutId);
  const sent = attempt === undefined ? describeUnknownSends(payout) : describeTransfer(payout, attempt);
  return message('cancel.not-asked-here', { sent, command });
};

/** Cancels every ready or held row of the batch; a row that was sent, only when the bank shows that no money moved. */
export async function cancelBatch(
  journal: PayoutJournal,
  batch: Batch,
  nowMs: number,
  ask: AskBeforeCancel = bankNotAsked,
): Promise<OperatorResult> {
  const { batchId } = batch;
  // A row under way may come back unsent; a halted batch does not send it again.
  const isHalted = await journal.moveBatch(batchId, 'halted', cancelledReason, nowMs);
  const done = await cancelRows(journal, batchId, nowMs, ask);
  // Started since: a batch can be halted only once it runs.
  const isUnderWay = (await journal.nextInquiryAtMs(batchId)) !== undefined;
  if (isUnderWay && !isHalted) await journal.moveBatch(batchId, 'halted', cancelledReason, nowMs);
  const isEnded = (isHalted || done.rowsChanged > 0) && (await endCancelled(journal, batchId, nowMs));
  if (isEnded) return done;
  const isStopped = await isCancelled(journal, batchId);
  const notes = isStopped ? [describeStopped(batchId, await journal.totals(batchId))] : [];
  if (done.refusals.length > 0) return { ...done, notes };
  if (done.rowsChanged === 0 && !isStopped) return { ...done, refusals: [nothingToCancel(batch)] };
  return { ...done, notes, refusals: isUnderWay ? [] : await describeLeft(journal, batchId) };
}

const nothingToCancel = ({ batchId }: Batch): Message =>
  message('cancel.nothing-waits', {
    batch: batchId,
    command: paydropCommand(undefined, 'status', batchId),
  });

/** Describes the rest of a cancelled batch, whose rows may be with the bank. */
function describeStopped(batchId: string, totals: readonly StatusTotal[]): Message {
  const rows = countRows(totals, inDoubtStatuses);
  if (rows === 0) return message('cancel.halted', { batch: batchId });
  const command = paydropCommand(undefined, 'settle', batchId);
  const args = { batch: batchId, rows: showCount(rows), command };
  return message(rows === 1 ? 'cancel.halted-one-in-doubt' : 'cancel.halted-some-in-doubt', args);
}

/** Rows that were under way when the others were cancelled. */
async function describeLeft(journal: BatchReader, batchId: string): Promise<readonly Message[]> {
  const rows = countRows(await journal.totals(batchId), unsentStatuses);
  if (rows === 0) return [];
  const args = { rows: showCount(rows), command: paydropCommand(undefined, 'cancel', batchId) };
  return [message(rows === 1 ? 'cancel.one-came-back' : 'cancel.some-came-back', args)];
}

/** Cancels the ready and held rows of a batch; those that were sent, one by one. */
async function cancelRows(
  journal: PayoutJournal,
  batchId: string,
  nowMs: number,
  ask: AskBeforeCancel,
): Promise<OperatorResult> {
  const rowsChanged = isInQuestion(await journal.loss()) ? 0 : await journal.cancelUnsent(batchId, nowMs);
  const left = await findUnsent(journal, batchId);
  const each = await cancelEach(journal, left, nowMs, ask);
  return { ...each, rowsChanged: rowsChanged + each.rowsChanged };
}

/** Numbers of the ready and held rows, read before the bank is asked, so that no snapshot stays open meanwhile. */
async function findUnsent(journal: PayoutJournal, batchId: string): Promise<readonly number[]> {
  if (countRows(await journal.totals(batchId), unsentStatuses) === 0) return [];
  await using snapshot = await journal.snapshot();
  const found: number[] = [];
  for await (const rows of snapshot.resultRows(batchId))
    found.push(...rows.filter(({ status }) => unsentStatuses.includes(status)).map(({ seq }) => seq));
  return found;
}

/** True for a batch that an operator has cancelled while some of its transfers were under way. */
export async function isCancelled(journal: BatchReader, batchId: string): Promise<boolean> {
  const batch = await journal.batch(batchId);
  return batch?.status === 'halted' && batch.reasonCode === cancelledReason.code;
}

/**
 * Cancels the rows of a cancelled batch that came back unsent. Ends the batch when nothing is in doubt and no row waits
 * for a person. It stays halted while a sent row is left; otherwise the next run would send it again.
 * @returns true when it is done by that
 */
export async function endCancelled(journal: PayoutJournal, batchId: string, nowMs: number): Promise<boolean> {
  await cancelRows(journal, batchId, nowMs, bankNotAsked);
  if (countRows(await journal.totals(batchId), unsentStatuses) > 0) return false;
  if ((await journal.nextInquiryAtMs(batchId)) !== undefined) return false;
  return journal.moveBatch(batchId, 'done', null, nowMs);
}

/** Statuses of rows that ask for nothing more: no money is in doubt, and none is to be sent. */
const overStatuses: readonly PayoutStatus[] = ['paid', 'cancelled', 'rejected', 'unpayable'];

/**
 * Ends a halted batch that the halt keeps from nothing: each row is over, and the bank is asked about none. The halt of
 * its payer account stays; so does a batch that is not what was sealed, whatever its rows say.
 * @returns true when it is done by that
 */
export async function endHalted(journal: PayoutJournal, batchId: string, nowMs: number): Promise<boolean> {
  const batch = await journal.batch(batchId);
  if (batch?.status !== 'halted' || batch.reasonCode === journalChanged) return false;
  const totals = await journal.totals(batchId);
  const isOver = totals.every(({ status, rows }) => rows === 0 || overStatuses.includes(status));
  if (!isOver || (await journal.nextInquiryAtMs(batchId)) !== undefined) return false;
  return journal.moveBatch(batchId, 'done', null, nowMs, batch);
}

/**
 * Releases each of these held payouts. An operator has looked at the row, so name, limit and similar are lifted too,
 * but not at the batch: its age counts on.
 */
export function resumePayouts(
  journal: PayoutStore,
  seqs: readonly number[],
  nowMs: number,
): Promise<OperatorResult> {
  return changePayouts(journal, seqs, (payout) => decideLift(payout, payoutWideHolds, nowMs));
}

/**
 * Cancels each of these payouts that is ready or held, after asking the bank about its sends; a halted batch that has
 * nothing else left comes to its end.
 */
export async function cancelPayouts(
  journal: PayoutJournal,
  seqs: readonly number[],
  nowMs: number,
  ask: AskBeforeCancel = bankNotAsked,
): Promise<OperatorResult> {
  const done = await cancelEach(journal, seqs, nowMs, ask);
  const batchIds = new Set<string>();
  for (const seq of seqs) batchIds.add((await journal.payout(seq))?.batchId ?? '');
  for (const batchId of batchIds) await endHalted(journal, batchId, nowMs);
  return done;
}

function cancelEach(
  journal: PayoutJournal,
  seqs: readonly number[],
  nowMs: number,
  ask: AskBeforeCancel,
): Promise<OperatorResult> {
  return changePayouts(journal, seqs, async (payout) => {
    const change = decideCancel(payout, nowMs);
    if (isMessage(change)) return change;
    const answer = await askWhyNotCancel(journal, payout, ask);
    return answer.kind === 'kept' ? answer.why : noteAskedOf(change, answer.asked);
  });
}

/** The answer whether a row can be cancelled: the reason why not, or the references asked about. */
export type CancelAnswer =
  | { readonly kind: 'kept'; readonly why: Message }
  | { readonly kind: 'clear'; readonly asked: readonly string[] };

/** A cancellation with the references for which the bank has just shown that no money moved. */
export const noteAskedOf = (change: Change, asked: readonly string[]): Change =>
  asked.length === 0
    ? change
    : { ...change, event: { ...change.event, detail: { ...change.event.detail, asked, moneyMoved: 'no' } } };

/** Asks about each reference under which a request of the row has left. */
export async function askWhyNotCancel(
  journal: PayoutJournal,
  payout: Payout,
  ask: AskBeforeCancel,
): Promise<CancelAnswer> {
  const { seq, batchId, attemptNo, instruction } = payout;
  const lost = isInQuestion(await journal.loss()) ? await ask(payout, undefined) : undefined;
  if (lost !== undefined) return { kind: 'kept', why: lost };
  if (attemptNo === 0) return { kind: 'clear', asked: [] };
  const batch = await journal.batch(batchId);
  const attempts = batch && (await journal.attemptsOf(batch.companyId, instruction.payoutId));
  const sent = (attempts ?? []).filter(({ payoutSeq, sends }) => payoutSeq === seq && sends > 0);
  const latestOf = new Map(sent.map((one) => [one.order.transRefNo, one]));
  for (const latest of latestOf.values()) {
    const why = await ask(payout, latest);
    if (why !== undefined) return { kind: 'kept', why };
  }
  return { kind: 'clear', asked: [...latestOf.keys()] };
}

function changePayouts(
  journal: PayoutStore,
  seqs: readonly number[],
  decide: (payout: Payout) => Change | Message | Promise<Change | Message>,
): Promise<OperatorResult> {
  return changeEach(seqs, async (seq) => {
    const payout = await journal.payout(seq);
    if (payout === undefined) return false;
    const change = await decide(payout);
    if (isMessage(change)) return change;
    const [isApplied] = await journal.apply([change]);
    return isApplied === true || changedMeanwhile(payout);
  });
}

const changedMeanwhile = (row: Pick<Payout, 'rowNo' | 'batchId'>): Message =>
  message('change.at-same-moment', { where: describeRow(row) });

/** Refusals listed one by one; the rest is counted. */
const refusalsToldMax = 20;

/**
 * Changes rows one by one.
 * @param change true when it has changed the row, false when there is no change; otherwise the reason
 */
export async function changeEach<Row>(
  rows: Iterable<Row> | AsyncIterable<Row>,
  change: (row: Row) => Promise<boolean | Message>,
): Promise<OperatorResult> {
  let rowsChanged = 0;
  let further = 0;
  const refusals: Message[] = [];
  for await (const row of rows) {
    const outcome = await change(row);
    if (outcome === true) rowsChanged += 1;
    else if (outcome === false) continue;
    else if (refusals.length < refusalsToldMax) refusals.push(outcome);
    else further += 1;
  }
  if (further > 0) refusals.push(message('change.more-left', { rows: further }));
  return { rowsChanged, refusals };
}

/** A row to retry. */
interface Retry {
  readonly row: ResultRow;
  readonly batch: Batch;
}

/** Retries every failed, unpayable and rejected row of the batch; a rejected one is validated anew. */
export async function retryBatch(
  journal: PayoutJournal,
  batch: Batch,
  rules: RowRules,
  nowMs: number,
): Promise<OperatorResult> {
  // An operator lets the batch go on: its age counts anew.
  await journal.renewAge(batch.batchId, nowMs);
  await using snapshot = await journal.snapshot();
  return await retryPayouts(journal, failedRows(batch, snapshot.resultRows(batch.batchId)), rules, nowMs);
}

async function* failedRows(batch: Batch, pages: AsyncIterable<readonly ResultRow[]>): AsyncGenerator<Retry> {
  for await (const rows of pages)
    for (const row of rows) if (retriedStatuses.includes(row.status)) yield { row, batch };
}

/** Retries these payouts, one by one. */
export function retryPayouts(
  journal: PayoutJournal,
  found: Iterable<Retry> | AsyncIterable<Retry>,
  rules: RowRules,
  nowMs: number,
): Promise<OperatorResult> {
  return changeEach(found, async ({ row, batch }) => {
    const { batchId, companyId } = batch;
    const payoutId = row.cells.payoutId.trim();
    const similar = await journal.similarHolders(companyId, payoutId);
    const payout = row.status === 'rejected' ? undefined : await journal.payout(row.seq);
    if (payout === undefined && row.status !== 'rejected')
      return message('retry.asks-for-nothing', { where: describeRow({ rowNo: row.rowNo, batchId }) });
    const changes =
      payout === undefined
        ? decideRetryRejected({ row, batchId, rules, similar, nowMs })
        : decideRetry(payout, similar, nowMs);
    if (isMessage(changes)) return changes;
    const applied = await journal.apply(changes);
    if (applied.every(Boolean)) return true;
    return (await findHolder(journal, row, batch)) ?? changedMeanwhile({ rowNo: row.rowNo, batchId });
  });
}

/** Describes the row that holds this row's payoutId; undefined when none does. */
async function findHolder(
  journal: ClaimReader,
  { cells, rowNo }: ResultRow,
  { batchId, companyId }: Batch,
): Promise<Message | undefined> {
  const [holder] = await journal.claimHolders(companyId, [cells.payoutId.trim()]);
  return (
    holder &&
    message('retry.id-taken', {
      where: describeRow({ rowNo, batchId }),
      row2: holder.rowNo,
      file: holder.fileName,
      batch2: holder.batchId,
      status: message(`payout-is.${holder.status}`),
    })
  );
}

/** Requests that an operator can make for rows. */
export type OperatorVerb = 'resume' | 'cancel' | 'retry';

/**
 * Checks a request for an archived row, which has ended and cannot change there.
 * @returns why it stays as it is; undefined when it would change, and must be brought back first
 */
export async function findRefusal(
  journal: ClaimReader,
  verb: OperatorVerb,
  { row, batch }: Retry,
  rules: RowRules,
  nowMs: number,
): Promise<Message | undefined> {
  const { batchId, companyId } = batch;
  const { instruction } = row;
  const payout = instruction && { ...row, batchId, instruction, acceptedHolds: [], settledBy: null };
  const decide = async (): Promise<unknown> => {
    if (verb === 'retry') {
      const similar = await journal.similarHolders(companyId, row.cells.payoutId.trim());
      if (row.status === 'rejected') return decideRetryRejected({ row, batchId, rules, similar, nowMs });
      return payout && decideRetry(payout, similar, nowMs);
    }
    return (
      payout && (verb === 'resume' ? decideLift(payout, payoutWideHolds, nowMs) : decideCancel(payout, nowMs))
    );
  };
  const where = describeRow({ rowNo: row.rowNo, batchId });
  const decided = (await decide()) ?? message('retry.asks-for-nothing', { where });
  return isMessage(decided) ? decided : findHolder(journal, row, batch);
}

/**
 * Checks a retry for the archived rows of a batch.
 * @returns why all of them stay as they are; undefined when one of them would change
 */
export async function findRetryRefusal(
  journal: PayoutJournal,
  batch: Batch,
  rules: RowRules,
  nowMs: number,
): Promise<OperatorResult | undefined> {
  await using snapshot = await journal.snapshot();
  let wouldChange = false;
  const looked = await changeEach(failedRows(batch, snapshot.resultRows(batch.batchId)), async (found) => {
    const why = wouldChange ? undefined : await findRefusal(journal, 'retry', found, rules, nowMs);
    wouldChange ||= why === undefined;
    return why ?? false;
  });
  return wouldChange ? undefined : looked;
}
