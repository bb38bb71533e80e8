/** The journal of a law: files of rows, each brought to where its plan says, through the store's own guarded changes. */
import { verbatim } from '../../../src/core/message.ts';
import { afterChange, move, reasonPatch, settled } from '../../../src/core/change.ts';
import { toSatang } from '../../../src/core/money.ts';
import type { StagedRow } from '../../../src/core/payout-file.ts';
import type { Attempt, Payout } from '../../../src/core/payout.ts';
import type { Change } from '../../../src/core/ports.ts';
import type { ReadyPayout } from '../../../src/payout/ports.ts';
import { returnUnsent } from '../../../src/payout/rules/case.ts';
import { decideIntent, noBankNames } from '../../../src/payout/rules/intent.ts';
import type { Store } from '../../../src/store/store.ts';
import { caseAt, noonMs, payer, policy } from '../../support/core-fixtures.ts';
import { applied, ingestRunning, makeRow } from '../../support/journal-fixtures.ts';
import { dayMs, type Made } from './bank.ts';
import type { AttemptPlan, RowPlan } from './plan.ts';

/** A row as it was staged, with the attempts that are made of it. */
interface PlannedRow {
  readonly file: number;
  readonly payoutId: string;
  readonly staged: (rowNo: number) => StagedRow;
  readonly attempts: readonly AttemptPlan[];
}

/** An attempt in the journal, with the plan that it was made by. */
export interface JournalAttempt extends Made {
  readonly payoutSeq: number;
  readonly attemptNo: number;
  /** Another row has the same payoutId. */
  readonly hasSibling: boolean;
}

const batchIdOf = (file: number): string => `BATCH0000${file}`;

/** A citizen ID that nobody has: it begins with 9. */
const citizenOf = (at: number): string => `9${String(at).padStart(12, '0')}`;

function stagerOf({ satang, proxyType }: RowPlan, at: number, payoutId: string) {
  const amountSatang = toSatang(satang);
  const proxyNo = proxyType === 'NATID' ? citizenOf(at) : `08${String(10_000_000 + at)}`;
  return (rowNo: number): StagedRow => {
    const row = makeRow(rowNo, { payoutId, amountSatang });
    const { instruction } = row;
    if (instruction === null) throw new Error('a sound row has an instruction');
    return { ...row, instruction: { ...instruction, proxyType, proxyNo } };
  };
}

/** A row whose first attempt failed may be sent again in a later file. */
function planRows(plan: RowPlan, at: number): PlannedRow[] {
  const payoutId = `INV-${at}`;
  const shared = { payoutId, staged: stagerOf(plan, at, payoutId) };
  const [first, ...rest] = plan.attempts;
  const isSentAgain = plan.isSentAgain && first?.ending === 'failed' && rest.length > 0;
  if (!isSentAgain) return [{ ...shared, file: plan.file, attempts: plan.attempts }];
  return [
    { ...shared, file: plan.file, attempts: [first] },
    { ...shared, file: plan.file + 1, attempts: rest },
  ];
}

function endOf(payout: Payout, attempt: Attempt, plan: AttemptPlan, nowMs: number): Change | undefined {
  const reason = { code: 'X', text: verbatim('said by the bank') };
  const shared = { payout, nowMs, detail: { code: 'X' } };
  const ended = { ...attempt, nextInquiryAtMs: null };
  const patch = { ...reasonPatch(reason), ...settled('reply', nowMs) };
  switch (plan.ending) {
    case 'recorded':
      return undefined;
    case 'sent':
      return move({
        ...shared,
        patch: {},
        cause: 'outcome-in-doubt',
        attempt: { ...attempt, status: 'sent' },
      });
    case 'paid': {
      const proved: Attempt = { ...ended, status: 'paid', feeText: plan.hasFee ? '5.00' : null };
      return move({ ...shared, patch: { status: 'paid', ...patch }, cause: 'proved', attempt: proved });
    }
    case 'failed':
      return move({
        ...shared,
        patch: { status: 'failed', ...patch },
        cause: 'refused-for-payout',
        attempt: { ...ended, status: 'failed' },
      });
    case 'refused':
      return returnUnsent(
        caseAt(nowMs, { payout, attempt: { ...ended, status: 'refused' } }),
        'paused',
        reason,
      );
    case 'unresolved':
      return move({
        ...shared,
        patch: { status: 'unresolved', ...reasonPatch(reason) },
        cause: 'given-up',
        attempt: { ...ended, status: 'unresolved' },
      });
  }
}

/** What lets a row have its next attempt. */
async function makeReady(store: Store, payout: Payout, nowMs: number): Promise<Payout> {
  if (payout.status === 'ready') return payout;
  const cause = payout.status === 'held' ? 'hold-lifted' : 'tried-again';
  return applied(store, move({ payout, patch: { status: 'ready', holds: [] }, cause, nowMs }));
}

/** Makes the attempts of one row, one after another. */
async function pay(
  store: Store,
  { payout: first, attemptsRecorded }: ReadyPayout,
  plans: readonly AttemptPlan[],
): Promise<Omit<JournalAttempt, 'hasSibling'>[]> {
  const made: Omit<JournalAttempt, 'hasSibling'>[] = [];
  let payout = first;
  for (const [at, plan] of plans.entries()) {
    const nowMs = noonMs + plan.day * dayMs + at;
    payout = await makeReady(store, payout, nowMs);
    const before = await store.attemptsOf(payer.companyId, payout.instruction.payoutId);
    const cleared = before.map((attempt) => ({ ...attempt, hasFailedItem: true }));
    const number = attemptsRecorded + at + 1;
    const shared = { attemptsRecorded: number - 1, number, cleared, names: noBankNames };
    const intent = decideIntent({ payout, ...shared, payer, policy, nowMs });
    payout = await applied(store, intent.change);
    const asked = plan.isAskedEarly
      ? { inquiries: 1, lastInquiryAtMs: nowMs, lastFinding: 'not-found' as const }
      : {};
    const attempt: Attempt = { ...intent.attempt, ...asked, acknowledged: plan.isAcknowledged };
    const note = move({ payout, patch: {}, cause: 'inquired', nowMs, attempt });
    payout = await applied(store, note);
    const end = endOf(payout, attempt, plan, nowMs);
    if (end !== undefined) {
      await applied(store, end);
      payout = afterChange(end);
    }
    const { payoutSeq, attemptNo, order } = attempt;
    made.push({ plan, order, payoutSeq, attemptNo });
  }
  return made;
}

/** Takes the files in, one after another, and pays their rows. */
export async function fillJournal(
  store: Store,
  plans: readonly RowPlan[],
): Promise<{ readonly attempts: readonly JournalAttempt[]; readonly batchIds: readonly string[] }> {
  const rows = plans.flatMap(planRows);
  const attempts: JournalAttempt[] = [];
  const batchIds: string[] = [];
  for (const file of new Set(rows.map((row) => row.file).toSorted((one, other) => one - other))) {
    const batchId = batchIdOf(file);
    const own = rows.filter((row) => row.file === file);
    const staged = own.map((row, at) => row.staged(at + 1));
    await ingestRunning(store, staged, { batchId, fileName: `file-${file}.csv` });
    const ready = await store.readyPage(batchId, 0, own.length);
    const paid = await Promise.all(ready.map((one, at) => pay(store, one, own[at]?.attempts ?? [])));
    for (const [at, made] of paid.entries()) {
      const hasSibling = rows.filter(({ payoutId }) => payoutId === own[at]?.payoutId).length > 1;
      attempts.push(...made.map((one) => ({ ...one, hasSibling })));
    }
    batchIds.push(batchId);
  }
  return { attempts, batchIds };
}
