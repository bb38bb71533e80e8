/** Further checks in the transaction of a send where several machines send from one journal. */
import { sql } from 'kysely';
import type { Change, JournalLoss } from '../../core/ports.ts';
import { computeAttemptWaitMs, type LastSend } from '../../payout/rules/lease.ts';
import { readLoss } from '../loss.ts';
import type { SendGuards } from '../payouts/apply.ts';
import { payoutReads } from '../payouts/payout-queries.ts';
import { define, type Reading, textStatement, together } from '../statements.ts';
import { endCounting } from './payer-breakers.ts';
import { databaseNowMs } from './prune.ts';
import { isWorkerThere } from './workers.ts';

/** The worker that this process is. */
export interface OwnWorker {
  /** The number of the worker; undefined while the process is none: it sends nothing then. */
  readonly workerId: number | undefined;
  /** Reports that its lease is over, as the journal has just found. */
  noteRefused(): void;
}

/** The latest sends of every attempt of a payoutId, over all files, whichever worker sent it. */
const lastSends = define(({ companyId, payoutId }: { companyId: string; payoutId: string }) =>
  textStatement<LastSend & { readonly nowMs: number }>(sql`
    select s.worker_id as "workerId", s.sent_at_ms as "sentAtMs", w.ended_at_ms as "endedAtMs", ${databaseNowMs} as "nowMs"
    from payout_place o join latest_send s using (payout_seq) join attempt a using (payout_seq, attempt_no)
    join worker w using (worker_id)
    where o.payout_id = ${payoutId} and a.company_id = ${companyId}`),
);

const keepSends = define((values: { workerId: number; payoutSeqs: number[]; attemptNos: number[] }) =>
  textStatement(sql`
    insert into latest_send (payout_seq, attempt_no, worker_id, sent_at_ms)
    select s.payout_seq, s.attempt_no, ${values.workerId}, ${databaseNowMs}
    from unnest(${values.payoutSeqs}::bigint[], ${values.attemptNos}::bigint[]) as s (payout_seq, attempt_no)
    on conflict (payout_seq, attempt_no, worker_id) do update set sent_at_ms = excluded.sent_at_ms`),
);

/** A number that no worker has. */
const noWorker = 0;

function* readAttemptWaitMs(own: OwnWorker, companyId: string, payoutId: string): Reading<number> {
  const sends = yield* lastSends.all({ companyId, payoutId });
  return computeAttemptWaitMs(sends, own.workerId ?? noWorker, sends[0]?.nowMs ?? 0);
}

export const makeSendReads = (own: OwnWorker) => ({
  attemptWaitMs: (companyId: string, payoutId: string) => readAttemptWaitMs(own, companyId, payoutId),
});

/**
 * The latest loss of the journal as this process has read it: every row that is to be sent asks for it. The fence looks
 * whether there is a later one.
 */
export class KnownLoss {
  readonly #readNow: () => Promise<JournalLoss | undefined>;
  #known: { readonly loss: JournalLoss | undefined } | undefined;
  #isStale = false;
  /** The time of the latest loss, as the writing transaction has found it. */
  #latestMs: number | null = null;

  constructor(readNow: () => Promise<JournalLoss | undefined>) {
    this.#readNow = readNow;
  }

  readonly read = async (): Promise<JournalLoss | undefined> => {
    if (this.#known !== undefined && !this.#isStale) return this.#known.loss;
    const loss = await this.#readNow();
    this.#known = { loss };
    this.#isStale = false;
    return loss;
  };

  /** False when what was told is out of date, until it is read anew. */
  *isLatest(): Reading<boolean> {
    const latest = yield* readLoss();
    this.#latestMs = latest?.recoveredAtMs ?? null;
    if (this.#known !== undefined && this.#known.loss?.recoveredAtMs !== latest?.recoveredAtMs)
      this.#isStale = true;
    return !this.#isStale;
  }

  /** False of an intent that was looked at when an earlier loss was known, though a later one was read since. */
  wasKnownTo({ lossKnownMs }: Pick<Change, 'lossKnownMs'>): boolean {
    return lossKnownMs === undefined || lossKnownMs === this.#latestMs;
  }
}

/** @param loss what rows that are to be sent are told */
export const makeSendGuards = (own: OwnWorker, loss: KnownLoss): SendGuards => ({
  ...endCounting,
  *fence() {
    const [isThere, isLossKnown] = yield* together([
      isWorkerThere(own.workerId ?? noWorker),
      loss.isLatest(),
    ]);
    if (!isThere) own.noteRefused();
    return isThere && isLossKnown;
  },
  *mayIntend(change, companyId) {
    const { before, attempt, likeness } = change;
    if (!loss.wasKnownTo(change)) return false;
    if (likeness !== undefined && (yield* payoutReads.similarPayment(likeness)) !== undefined) return false;
    if ((attempt?.attemptNo ?? 0) <= 1) return true;
    return (yield* readAttemptWaitMs(own, companyId, before.instruction.payoutId)) === 0;
  },
  *noteSends(sent) {
    const payoutSeqs = sent.map(({ payoutSeq }) => payoutSeq);
    const attemptNos = sent.map(({ attemptNo }) => attemptNo);
    yield* keepSends.note({ workerId: own.workerId ?? noWorker, payoutSeqs, attemptNos });
  },
});
