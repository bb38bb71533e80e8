/** An outage of the transfers while inquiries are answered: questions go on, and what was in doubt is settled soon. */
import { describe, expect, test } from 'vitest';
import type { BankReply, TransferFields } from '../../src/core/bank-port.ts';
import type { ResultRow } from '../../src/core/ports.ts';
import type { TransferOrder } from '../../src/core/payout.ts';
import { lost, policy } from '../support/core-fixtures.ts';
import { ingest, makeRows } from '../support/journal-fixtures.ts';
import { minuteMs, openTheatre, type Theatre, verify } from '../support/theatre.ts';

const timeoutMs = 30_000;
const transferMs = 200;
const outageMs = 10 * minuteMs;

/** A bank whose transfers hang for a while; every n-th of those reaches it all the same. */
class HangingBank {
  readonly booked = new Map<string, number>();
  readonly hung = new Set<string>();
  inquiriesInOutage = 0;
  doubled = 0;
  fromMs = Infinity;
  readonly #theatre: Theatre;
  readonly #fromNo: number;
  readonly #reachesEach: number;

  /** @param fromNo the transfer with which the outage begins */
  constructor(theatre: Theatre, fromNo: number, reachesEach: number) {
    this.#theatre = theatre;
    this.#fromNo = fromNo;
    this.#reachesEach = reachesEach;
    theatre.script = {
      transfer: (order, no) => this.#transfer(order, no),
      inquire: (inquiry) => {
        if (this.isOut) this.inquiriesInOutage += 1;
        return theatre.found(inquiry, this.booked.has(inquiry.transRefNo) ? '010004' : undefined);
      },
    };
  }

  get isOut(): boolean {
    const nowMs = this.#theatre.now();
    return nowMs >= this.fromMs && nowMs < this.fromMs + outageMs;
  }

  async #transfer(order: TransferOrder, no: number): Promise<BankReply<TransferFields>> {
    const { time } = this.#theatre;
    if (no === this.#fromNo) this.fromMs = this.#theatre.now();
    if (this.isOut) {
      this.hung.add(order.transRefNo);
      if (this.#reachesEach > 0 && no % this.#reachesEach === 0) this.#book(order);
      await time.sleep(timeoutMs);
      return lost;
    }
    await time.sleep(transferMs);
    this.#book(order);
    return this.#theatre.paid(order);
  }

  #book({ transRefNo }: TransferOrder): void {
    if (this.booked.has(transRefNo)) this.doubled += 1;
    else this.booked.set(transRefNo, this.#theatre.now());
  }
}

async function play(rows: number, fromNo: number, reachesEach: number) {
  await using theatre = await openTheatre();
  const bank = new HangingBank(theatre, fromNo, reachesEach);
  const { batchId } = await ingest(theatre.journal, makeRows(rows));
  await theatre.run(batchId, {
    waitMs: 60 * minuteMs,
    transferConcurrency: 4,
    verify: { ...verify, enabled: false },
    settle: { ...policy, intentMaxAgeMs: 0 },
  });
  await using snapshot = await theatre.journal.snapshot();
  const all: ResultRow[] = (await Array.fromAsync(snapshot.resultRows(batchId))).flat();
  return { bank, statuses: await theatre.statuses(batchId), all };
}

describe('an outage of ten minutes, transfers without an answer and inquiries answered', () => {
  test.each([
    ['at the start', 24, 1, 3],
    ['in the middle, nothing arriving', 24, 12, 0],
    ['over the last ten rows', 20, 11, 3],
    ['over the last four rows, nothing arriving', 20, 17, 0],
    ['over the last row', 10, 10, 0],
  ])(
    '%s, leaves nothing in doubt: what arrived is settled within a minute, the rest in three',
    async (_name, rows, fromNo, reachesEach) => {
      const { bank, statuses, all } = await play(rows, fromNo, reachesEach);
      expect(statuses).toEqual({ paid: rows });
      expect([bank.booked.size, bank.doubled]).toEqual([rows, 0]);
      expect(bank.hung.size).toBeGreaterThan(0);
      expect(bank.inquiriesInOutage).toBeGreaterThan(2);
      const endMs = bank.fromMs + outageMs;
      for (const { transRefNo, settledAtMs } of all) {
        if (transRefNo === null || !bank.hung.has(transRefNo)) continue;
        const isArrived = (bank.booked.get(transRefNo) ?? Infinity) < endMs;
        const limitMs = isArrived ? minuteMs : policy.notFoundTrustMs + minuteMs;
        expect((settledAtMs ?? Infinity) - endMs).toBeLessThanOrEqual(limitMs);
      }
    },
    240_000,
  );
});
