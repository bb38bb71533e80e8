/** Outages of the transfers while inquiries are answered: questions go on, and what was in doubt is settled soon. */
import { describe, expect, test } from 'vitest';
import type { BankReply, TransferFields } from '../../src/core/bank-port.ts';
import type { TransferOrder } from '../../src/core/payout.ts';
import type { ResultRow } from '../../src/core/ports.ts';
import { lost, policy } from '../support/core-fixtures.ts';
import { ingest, makeRows } from '../support/journal-fixtures.ts';
import { minuteMs, openMemoryTheatre, type Theatre, verify } from '../support/theatre.ts';

const timeoutMs = 30_000;
const transferMs = 200;
const secondMs = 1_000;

/** When the transfers of a bank hang. */
interface Outage {
  readonly rows: number;
  /** The transfer with which the first one begins. */
  readonly fromNo: number;
  /** How long they hang, and then how long they are answered, in turn; answered for good after the last. */
  readonly turnsMs: readonly number[];
  /** Of those that hang, every so manieth reaches the bank all the same; none for 0. */
  readonly reachesEach: number;
}

/** A bank whose transfers hang for a while; some of those reach it all the same. */
class HangingBank {
  readonly booked = new Map<string, number>();
  readonly hung = new Set<string>();
  inquiriesInOutage = 0;
  doubled = 0;
  fromMs = Infinity;
  readonly #theatre: Theatre;
  readonly #outage: Outage;

  constructor(theatre: Theatre, outage: Outage) {
    this.#theatre = theatre;
    this.#outage = outage;
    theatre.script = {
      transfer: (order, no) => this.#transfer(order, no),
      inquire: (inquiry) => {
        if (this.isOut) this.inquiriesInOutage += 1;
        return theatre.found(inquiry, this.booked.has(inquiry.transRefNo) ? '010004' : undefined);
      },
    };
  }

  /** The end of the last one. */
  get endMs(): number {
    return this.#outage.turnsMs.reduce((sumMs, ms) => sumMs + ms, this.fromMs);
  }

  get isOut(): boolean {
    let turnEndsMs = this.fromMs;
    if (this.#theatre.now() < turnEndsMs) return false;
    for (const [place, ms] of this.#outage.turnsMs.entries()) {
      turnEndsMs += ms;
      if (this.#theatre.now() < turnEndsMs) return place % 2 === 0;
    }
    return false;
  }

  async #transfer(order: TransferOrder, no: number): Promise<BankReply<TransferFields>> {
    const { time } = this.#theatre;
    const { fromNo, reachesEach } = this.#outage;
    if (no === fromNo) this.fromMs = this.#theatre.now();
    if (this.isOut) {
      this.hung.add(order.transRefNo);
      if (reachesEach > 0 && no % reachesEach === 0) this.#book(order);
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

async function play(outage: Outage) {
  await using theatre = openMemoryTheatre();
  const bank = new HangingBank(theatre, outage);
  const { batchId } = await ingest(theatre.journal, makeRows(outage.rows));
  await theatre.run(batchId, {
    waitMs: 60 * minuteMs,
    transferConcurrency: 4,
    verify: { ...verify, enabled: false },
    settle: { ...policy, intentMaxAgeMs: 0 },
  });
  await using snapshot = await theatre.journal.snapshot();
  const all: ResultRow[] = (await Array.fromAsync(snapshot.resultRows(batchId))).flat();
  return { bank, statuses: await theatre.statuses(batchId), all, sent: theatre.sent };
}

/** The longest that a row which hung took to be settled after the last outage, by whether it had reached the bank. */
function measure(bank: HangingBank, all: readonly ResultRow[]) {
  const { endMs } = bank;
  let arrivedMs = -Infinity;
  let othersMs = -Infinity;
  for (const { transRefNo, settledAtMs } of all) {
    if (transRefNo === null || !bank.hung.has(transRefNo)) continue;
    const tookMs = (settledAtMs ?? Infinity) - endMs;
    if ((bank.booked.get(transRefNo) ?? Infinity) < endMs) arrivedMs = Math.max(arrivedMs, tookMs);
    else othersMs = Math.max(othersMs, tookMs);
  }
  return { arrivedMs, othersMs };
}

/** The shortest time between two sends of one reference. */
function findShortestGap(sent: Theatre['sent']): number {
  const latest = new Map<string, number>();
  let shortestMs = Infinity;
  for (const { transRefNo, atMs } of sent) {
    shortestMs = Math.min(shortestMs, atMs - (latest.get(transRefNo) ?? -Infinity));
    latest.set(transRefNo, atMs);
  }
  return shortestMs;
}

async function expectSettledSoon(outage: Outage): Promise<void> {
  const { bank, statuses, all, sent } = await play(outage);
  expect(statuses).toEqual({ paid: outage.rows });
  expect([bank.booked.size, bank.doubled]).toEqual([outage.rows, 0]);
  expect(bank.hung.size).toBeGreaterThan(0);
  expect(bank.inquiriesInOutage).toBeGreaterThan(2);
  const { arrivedMs, othersMs } = measure(bank, all);
  expect(arrivedMs).toBeLessThanOrEqual(minuteMs);
  expect(othersMs).toBeLessThanOrEqual(policy.notFoundTrustMs + minuteMs);
  expect(findShortestGap(sent)).toBeGreaterThanOrEqual(policy.notFoundTrustMs);
}

describe('an outage, transfers without an answer and inquiries answered', () => {
  const shapes = [
    { where: 'over both rows', rows: 2, fromNo: 1, reachesEach: 0 },
    { where: 'over the last row', rows: 10, fromNo: 10, reachesEach: 0 },
    { where: 'over the last four rows', rows: 20, fromNo: 17, reachesEach: 3 },
    { where: 'at the start', rows: 24, fromNo: 1, reachesEach: 3 },
    { where: 'in the midst', rows: 24, fromNo: 12, reachesEach: 0 },
  ];
  const turns = [
    { long: '4 minutes', turnsMs: [4 * minuteMs] },
    { long: '10 minutes', turnsMs: [10 * minuteMs] },
    { long: '30 minutes', turnsMs: [30 * minuteMs] },
    { long: '2 minutes and again 3', turnsMs: [2 * minuteMs, 20 * secondMs, 3 * minuteMs] },
    { long: '3 minutes four times', turnsMs: [3, 1, 3, 1, 3, 1, 3].map((minutes) => minutes * minuteMs) },
  ];
  test.each(shapes.flatMap((shape) => turns.map((turn) => ({ ...shape, ...turn }))))(
    '$where, $long: all is settled soon',
    expectSettledSoon,
  );

  test.each(Array.from({ length: 17 }, (_, place) => (place + 2) * 45))(
    'over a lone row, %i s: it is settled soon',
    (seconds) => expectSettledSoon({ rows: 1, fromNo: 1, turnsMs: [seconds * secondMs], reachesEach: 0 }),
  );

  test('over one transfer alone, while others are paid: it is sent again as often as the settings allow', async () => {
    await using theatre = openMemoryTheatre();
    let hung = '';
    theatre.script = {
      transfer: async (order, no) => {
        if (no === 1) hung = order.transRefNo;
        await theatre.time.sleep(20 * secondMs);
        return order.transRefNo === hung ? lost : undefined;
      },
    };
    const { batchId } = await ingest(theatre.journal, makeRows(50));
    await theatre.run(batchId, { settle: { ...policy, intentMaxAgeMs: 0 } });
    expect(theatre.sent.filter(({ transRefNo }) => transRefNo === hung)).toHaveLength(1 + policy.resendsMax);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 49, unresolved: 1 });
  });

  test('in the midst of 2,000 rows, 10 minutes: all is settled soon', () =>
    expectSettledSoon({ rows: 2_000, fromNo: 900, turnsMs: [10 * minuteMs], reachesEach: 3 }));
});
