/** Settles what is in doubt on demand: each is asked about once, and a bank that tells nothing is not waited for. */
import type { Bank } from '../core/bank-port.ts';
import { endWhenSettled } from './conclude.ts';
import type { WorkerContext } from './context.ts';
import { classifyInquiryReply } from './rules/read-reply.ts';
import { settleOnce } from './settle.ts';

export interface Settled {
  /** Transfers that were in doubt. */
  readonly asked: number;
  /** Inquiries that told something about their transfer. */
  readonly told: number;
  /** Batches that are done by it. */
  readonly ended: readonly string[];
}

export interface SettleLimits {
  /** One batch; all of them when undefined. */
  readonly batchId: string | undefined;
  /** How long to go on while the bank tells nothing. */
  readonly waitMs: number;
  /** Aborted here when that is over; part of the context's `stop`. */
  readonly waitOver: AbortController;
}

/** Inquires about everything in doubt and brings to rest what has nothing left to send. */
export async function settleNow(unheard: WorkerContext, limits: SettleLimits): Promise<Settled> {
  const ear = new Ear(unheard);
  const context = { ...unheard, bank: ear.bank };
  const watchEnds = new AbortController();
  const watching = ear.giveUpAfter(limits, watchEnds.signal);
  let asked: number;
  try {
    asked = await settleOnce(context, 'all', limits.batchId);
  } finally {
    watchEnds.abort();
    await watching;
  }
  return { asked, told: ear.told, ended: await endBatches(context, limits.batchId) };
}

/** Hears when the bank last told something. */
class Ear {
  told = 0;
  readonly bank: Bank;
  readonly #context: WorkerContext;
  #lastToldAtMs: number;

  constructor(context: WorkerContext) {
    const { bank, clock } = context;
    this.#context = context;
    this.#lastToldAtMs = clock.now();
    this.bank = {
      checkPayee: (check) => bank.checkPayee(check),
      transfer: (order, mayLeave) => bank.transfer(order, mayLeave),
      inquire: async (inquiry) => {
        const reply = await bank.inquire(inquiry);
        if (classifyInquiryReply(reply, inquiry.transRefNo).kind !== 'nothing-said') this.#note();
        return reply;
      },
    };
  }

  #note(): void {
    this.told += 1;
    this.#lastToldAtMs = this.#context.clock.now();
  }

  async giveUpAfter({ waitMs, waitOver }: SettleLimits, end: AbortSignal): Promise<void> {
    const { clock } = this.#context;
    while (!end.aborted) {
      const leftMs = this.#lastToldAtMs + waitMs - clock.now();
      if (leftMs <= 0) {
        waitOver.abort();
        return;
      }
      await clock.sleep(leftMs, end);
    }
  }
}

async function endBatches({ journal, clock }: WorkerContext, only?: string): Promise<readonly string[]> {
  const ended: string[] = [];
  for (const { batchId } of await journal.batches()) {
    const isWanted = only === undefined || only === batchId;
    if (isWanted && (await endWhenSettled(journal, batchId, clock.now()))) ended.push(batchId);
  }
  return ended;
}
