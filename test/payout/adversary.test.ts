/** Attacks on money safety: each test was once a way to pay twice, to lose a stop or to hide a doubt, or might have been. */
import { describe, expect, test } from 'vitest';
import { formatBangkokDate } from '../../src/core/bangkok-time.ts';
import type { TransferFields } from '../../src/core/bank-port.ts';
import type { TransferOrder } from '../../src/core/payout.ts';
import type { Clock } from '../../src/core/ports.ts';
import { cancelBatch } from '../../src/payout/operator.ts';
import { settleOnce } from '../../src/payout/settle.ts';
import type { Journal } from '../../src/store/store.ts';
import { lost, noonMs } from '../support/core-fixtures.ts';
import { Dice } from '../support/dice.ts';
import { ingest, makeRows, secondBatchId } from '../support/journal-fixtures.ts';
import type { Script } from '../support/scripted-bank.ts';
import { dayMs, minuteMs, notSent, openTheatre, stage, type Theatre, verify } from '../support/theatre.ts';

describe('a stop of the line', () => {
  /** The first transfer stays in process for two minutes, the second meets an empty account. */
  const oneInProcess = (theatre: Theatre): Script => ({
    transfer: (_order, no) => [theatre.code('EM073'), theatre.code('EM053')][no - 1],
    inquire: (inquiry) => {
      if (inquiry.transRefNo !== theatre.sent[0]?.transRefNo) return theatre.found(inquiry, undefined);
      return theatre.found(inquiry, theatre.now() > noonMs + 2 * minuteMs ? '010004' : '010003');
    },
  });

  test('is in force for whoever runs next, even when its process is killed', async () => {
    await using one = await stage(50, oneInProcess);
    const { theatre, batchId } = one;
    void theatre.start(batchId);
    await theatre.time.advanceTo(noonMs + minuteMs);
    const sentBefore = theatre.sent.length;
    await theatre.run(batchId, { waitMs: 1_000 });
    expect(theatre.sent).toHaveLength(sentBefore);
  });

  test('that a person lifts beside the run stays lifted', async () => {
    await using one = await stage(50, oneInProcess);
    const { theatre, batchId } = one;
    const run = theatre.start(batchId);
    await theatre.time.advanceTo(noonMs + minuteMs);
    await theatre.resume(batchId);
    await theatre.time.drive(run);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 50 });
  });

  test('keeps settle from sending anything again', async () => {
    await using one = await stage(3, (theatre) => ({
      transfer: (_order, no) => [lost, theatre.code('EM053')][no - 1],
    }));
    const { theatre, batchId } = one;
    await theatre.run(batchId, { waitMs: 5_000 });
    theatre.time.jump(2 * minuteMs + 5_000);
    await theatre.time.drive(settleOnce(theatre.context(), 'all'));
    expect(theatre.sent).toHaveLength(2);
  });

  test('comes from the brake in the payee check too', async () => {
    await using one = await stage(100, (theatre) => ({ check: () => theatre.checked('EV033') }));
    const { unpayable = 0 } = await one.theatre
      .run(one.batchId)
      .then(() => one.theatre.statuses(one.batchId));
    expect(unpayable).toBeLessThan(13);
    expect(await one.theatre.exitCode(one.batchId)).toBe(6);
  });
});

describe('a closed or sick service', () => {
  test.each([true, false])('does not use up the attempts of a payout (payee check %s)', async (enabled) => {
    await using one = await stage(1, (theatre) => ({ transfer: () => theatre.code('TM001') }));
    await one.theatre.run(one.batchId, { verify: { ...verify, enabled }, waitMs: 5 * minuteMs });
    expect(one.theatre.sent.length).toBeLessThan(15);
  });

  test('is left alone as long as it asks for, whatever was under way', async () => {
    await using one = await stage(20, (theatre) => ({
      transfer: async ({ transRefNo }, no) => {
        if (no === 1)
          return theatre.answer<TransferFields>(undefined, { httpStatus: 429, retryAfterMs: minuteMs });
        await theatre.time.sleep(500);
        return theatre.code('IC000', { transRefNo });
      },
    }));
    await one.theatre.run(one.batchId);
    const early = one.theatre.sent.filter(({ atMs }) => atMs > noonMs && atMs < noonMs + minuteMs);
    expect(early).toEqual([]);
  });

  test('that completes slowly is not braked', async () => {
    await using one = await stage(30, (theatre) => ({
      transfer: () => theatre.code('EM073'),
      inquire: (inquiry) => theatre.found(inquiry, '010004'),
    }));
    await one.theatre.run(one.batchId);
    expect(await one.theatre.statuses(one.batchId)).toEqual({ paid: 30 });
  });

  test('out of reach for a day leaves nothing in doubt that never left', async () => {
    await using one = await stage(2, () => ({ transfer: () => notSent, inquire: () => notSent }));
    const { theatre, batchId } = one;
    await theatre.run(batchId);
    theatre.time.jump(dayMs - 60 * minuteMs);
    await theatre.run(batchId);
    theatre.script = {};
    await theatre.run(batchId);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 2 });
  });
});

describe('what an inquiry says', () => {
  test('about a reference that never left proves nothing', async () => {
    await using one = await stage(1, (theatre) => ({
      transfer: () => notSent,
      inquire: (inquiry) => theatre.found(inquiry, '010004'),
    }));
    await one.theatre.run(one.batchId);
    expect(await one.theatre.statuses(one.batchId)).toEqual({ unresolved: 1 });
  });

  test.each([
    ['complete', '20261122', '010004', { paid: 1 }, 3],
    ['in process', '20261121', '010003', { unresolved: 1 }, 4],
  ])(
    'about an attempt called refused stops the next one: %s',
    async (_name, day, code, statuses, exitCode) => {
      await using one = await stage(1, (theatre) => ({
        transfer: () => theatre.code('EM053'),
        inquire: (inquiry) => theatre.found(inquiry, inquiry.tranDate === day ? code : undefined),
      }));
      const { theatre, batchId } = one;
      await theatre.run(batchId);
      theatre.time.jump(dayMs);
      await theatre.resume(batchId);
      await theatre.run(batchId);
      expect(theatre.sent).toHaveLength(1);
      expect([await theatre.statuses(batchId), await theatre.exitCode(batchId)]).toEqual([
        statuses,
        exitCode,
      ]);
    },
  );
});

describe('a person', () => {
  test('who cancels a batch keeps what was under way and comes back refused: its request had left', async () => {
    await using one = await stage(1, (theatre) => ({
      transfer: async () => {
        await theatre.time.sleep(20_000);
        return theatre.code('TM001');
      },
    }));
    const { theatre, batchId } = one;
    const run = theatre.start(batchId);
    await theatre.time.advanceTo(noonMs + 10_000);
    await cancelBatch(theatre.journal, await theatre.batch(batchId), theatre.now());
    await theatre.time.drive(run);
    expect([await theatre.statuses(batchId), theatre.sent.length]).toEqual([{ held: 1 }, 1]);
  });

  test('who does not wait has everything sent all the same', async () => {
    await using one = await stage(3, () => ({}));
    await one.theatre.run(one.batchId, { waitMs: 0 });
    expect(await one.theatre.statuses(one.batchId)).toEqual({ paid: 3 });
  });
});
/** What the bank does with the money, and what it says. */
interface Fault {
  readonly money: 'none' | 'now' | 'soon' | 'later' | 'fails';
  readonly says: string;
}

const goesWell: Fault = { money: 'now', says: 'IC000' };

const faults: readonly Fault[] = [
  goesWell,
  { money: 'none', says: 'lost' },
  { money: 'now', says: 'lost' },
  // The bytes arrive after we have given up waiting for the answer.
  { money: 'soon', says: 'lost' },
  { money: 'none', says: 'killed' },
  { money: 'now', says: 'killed' },
  { money: 'none', says: 'not-sent' },
  { money: 'none', says: '429' },
  // A gateway that turns away, and a service that is closed, and yet the transfer gets through.
  { money: 'now', says: '429' },
  { money: 'later', says: 'TM001' },
  { money: 'none', says: 'TM001' },
  { money: 'fails', says: 'EM053' },
  { money: 'none', says: 'EM069' },
  { money: 'later', says: 'EM073' },
  { money: 'fails', says: 'EM003' },
  { money: 'now', says: 'EV058' },
  { money: 'none', says: 'XX999' },
];

type Entry = { readonly day: string; readonly payee: string; state: 'open' | 'failed' | 'complete' };

/** A bank that refuses a repetition on the same day only (§4 rule 2), and counts how often each payee got money. */
function makeUnreliableBank(theatre: Theatre, random: () => number) {
  const clock = theatre.time;
  const book = new Map<string, Entry>();
  const payments = new Map<string, number>();
  const bank = { isCalm: false, kill: () => {} };
  const pick = <T, U>(one: T, other: U): T | U => (random() < 0.5 ? one : other);
  const some = pick(faults, pick(faults.slice(0, 8), faults.slice(8)));
  const complete = (entry: Entry): void => {
    if (entry.state === 'complete') return;
    entry.state = 'complete';
    payments.set(entry.payee, (payments.get(entry.payee) ?? 0) + 1);
  };
  const isRepeat = ({ transRefNo }: TransferOrder): boolean =>
    book.get(transRefNo)?.day === formatBangkokDate(clock.now());
  const take = (order: TransferOrder, money: Fault['money']): void => {
    if (money === 'none' || isRepeat(order)) return;
    const state = money === 'fails' ? 'failed' : 'open';
    const entry: Entry = { day: formatBangkokDate(clock.now()), payee: order.proxyNo, state };
    book.set(order.transRefNo, entry);
    if (money === 'later') void clock.sleep(pick(3_000, 6 * minuteMs)).then(() => complete(entry));
    else if (money !== 'fails') complete(entry);
  };
  const script: Script = {
    transfer: async (order) => {
      const { transRefNo } = order;
      const isFine = bank.isCalm || random() < 0.4;
      const { money, says } = (isFine ? undefined : some[Math.floor(random() * some.length)]) ?? goesWell;
      const wasRepeat = isRepeat(order);
      if (money === 'soon')
        void clock.sleep(Math.floor(random() * 10 * minuteMs)).then(() => take(order, 'now'));
      else take(order, money);
      if (says === 'not-sent') return notSent;
      if (says === 'killed') bank.kill();
      if (says === 'lost') await clock.sleep(30_000);
      if (says === 'lost' || says === 'killed') return lost;
      if (says === '429') return theatre.answer<TransferFields>(undefined, { httpStatus: 429 });
      return theatre.code(wasRepeat ? 'EM001' : says, says === 'IC000' ? { transRefNo } : {});
    },
    inquire: async (inquiry) => {
      if (!bank.isCalm && random() < 0.1) return pick(lost, notSent);
      await clock.sleep(pick(0, 50));
      const entry = book.get(inquiry.transRefNo);
      if (entry?.day !== inquiry.tranDate) return theatre.found(inquiry, undefined);
      if (bank.isCalm && entry.state === 'open') complete(entry);
      return theatre.found(inquiry, { open: '010003', failed: '030003', complete: '010004' }[entry.state]);
    },
  };
  theatre.script = script;
  return { bank, book, payments };
}

/** A journal and a clock that end with their process: once it is killed, nothing of it goes on. */
function makeMortal(theatre: Theatre) {
  const never = new Promise<never>(() => {});
  let isDead = false;
  let kill = (): void => {};
  const killed = new Promise<void>((resolve) => {
    kill = () => {
      isDead = true;
      resolve();
    };
  });
  const outlive = async <T>(work: () => Promise<T>): Promise<T> => {
    if (isDead) return never;
    const result = await work();
    return isDead ? never : result;
  };
  const { sleep } = theatre.time;
  const clock: Clock = { ...theatre.time, sleep: (ms, signal) => outlive(() => sleep(ms, signal)) };
  const journal = new Proxy(theatre.journal, {
    get: (target, name: keyof Journal) => {
      const method = target[name] as ((...args: readonly unknown[]) => Promise<unknown>) | undefined;
      // What a journal that one process works does not have.
      if (method === undefined) return undefined;
      return (...args: readonly unknown[]) => outlive(() => method.apply(target, [...args]));
    },
  });
  return { clock, journal, killed, kill };
}

/** One process: runs the batch, or settles, until it rests or is killed. */
async function live(theatre: Theatre, batchId: string, random: () => number, bank: { kill: () => void }) {
  const { clock, journal, killed, kill } = makeMortal(theatre);
  bank.kill = kill;
  if (random() < 0.4) await theatre.resume(batchId);
  const work =
    random() < 0.2
      ? settleOnce(theatre.context({ clock, journal }), 'all')
      : theatre.start(batchId, { clock, journal, waitMs: random() < 0.5 ? 20_000 : 5 * minuteMs });
  await theatre.time.drive(Promise.race([work, killed]));
  if (random() < 0.3) await theatre.time.advanceTo(theatre.now() + Math.floor(random() * 40) * minuteMs);
}

/** What the journal believes and the bank's book contradicts. */
async function findLies(
  theatre: Theatre,
  batchId: string,
  book: ReadonlyMap<string, Entry>,
): Promise<string[]> {
  const lies: string[] = [];
  await using snapshot = await theatre.journal.snapshot();
  for (const { seq, status, instruction } of (await Array.fromAsync(snapshot.resultRows(batchId))).flat()) {
    const found = await theatre.journal.findPayouts(instruction?.payoutId ?? '');
    const attempts = found.find(({ row }) => row.seq === seq)?.attempts ?? [];
    const isPaid = attempts.some(({ order }) => book.get(order.transRefNo)?.state === 'complete');
    // Rows of two files may bear one reference: the first was refused, or called so.
    const isPaidByAnother = found.some(({ row }) => row.seq !== seq && row.status === 'paid');
    const isKnownPaid = status === 'paid' || (isPaid && isPaidByAnother);
    if (status !== 'unresolved' && isPaid !== isKnownPaid) lies.push(`row ${seq} is ${status}`);
    if (status === 'held' && isPaidByAnother) continue;
    if (!['paid', 'failed', 'rejected', 'unresolved'].includes(status))
      lies.push(`row ${seq} stays ${status}`);
  }
  return lies;
}

describe('whatever the bank does and whenever the process is killed', () => {
  const seeds = [9, 21, 25, 32, 37, 48, 57, 58];

  test.each(seeds)(
    'nobody is paid twice, nothing is believed wrongly and all comes to an end: %i',
    async (seed) => {
      const dice = new Dice(seed);
      const random = (): number => dice.next();
      await using theatre = await openTheatre(random() < 0.5 ? noonMs : noonMs + dayMs / 2 - 18 * minuteMs);
      const { bank, book, payments } = makeUnreliableBank(theatre, random);
      const batchIds = [(await ingest(theatre.journal, makeRows(6))).batchId];
      for (let life = 0; life < 10; life += 1) {
        if (life === 4) {
          const again = { batchId: secondBatchId, fileName: 'again.csv' };
          batchIds.push((await ingest(theatre.journal, makeRows(6), again)).batchId);
        }
        await live(theatre, batchIds[Math.floor(random() * batchIds.length)] ?? '', random, bank);
      }
      bank.isCalm = true;
      bank.kill = () => {};
      await theatre.time.advanceTo(theatre.now() + 10 * minuteMs);
      for (const batchId of [...batchIds, ...batchIds]) {
        await theatre.resume(batchId);
        await theatre.run(batchId);
        theatre.time.jump(dayMs);
      }
      expect([...payments.values()].filter((times) => times > 1)).toEqual([]);
      for (const batchId of batchIds) expect(await findLies(theatre, batchId, book)).toEqual([]);
    },
  );
});
