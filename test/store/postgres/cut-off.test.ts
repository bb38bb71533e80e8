/**
 * The way to the server breaks at any byte of a transaction, in either direction, and what was asked or answered after it
 * is lost: callers are told what is in the journal, and that is what it would be had nothing broken.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import type { Change } from '../../../src/core/ports.ts';
import { hashEvent, textOf } from '../../../src/review/rules/payout-chain.ts';
import { readChain } from '../../../src/store/payouts/chain.ts';
import { type Cluster, type Machine, openCluster } from '../../support/cluster.ts';
import { intentOf } from '../../support/journal-fixtures.ts';
import { describePostgres } from '../../support/postgres.ts';

/** What the server is asked, and what it answers. */
const ways = ['asked', 'answered'] as const;
type Way = (typeof ways)[number];

/** A way to the server that breaks once after so many bytes. */
interface BreakingWay extends AsyncDisposable {
  readonly port: number;
  /** How many more bytes come through: the connection of the next one breaks, and all that come later are let through. */
  readonly left: Record<Way, number>;
}

async function openBreakingWay(to: number): Promise<BreakingWay> {
  const left = { asked: Infinity, answered: Infinity };
  const open = new Set<Socket>();
  const proxy = createServer({ noDelay: true }, (near) => {
    const far = connect({ port: to, host: '127.0.0.1', noDelay: true });
    const end = (): void => {
      for (const socket of [near, far]) {
        socket.destroy();
        open.delete(socket);
      }
    };
    const carry = (from: Socket, into: Socket, way: Way): void => {
      from.on('data', (piece: Buffer) => {
        if (piece.length <= left[way]) {
          left[way] -= piece.length;
          into.write(piece);
          return;
        }
        from.pause();
        into.write(piece.subarray(0, left[way]), end);
        left[way] = Infinity;
      });
      from.on('error', end).on('close', end);
      open.add(from);
    };
    carry(near, far, 'asked');
    carry(far, near, 'answered');
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    port: (proxy.address() as AddressInfo).port,
    left,
    [Symbol.asyncDispose]: async () => {
      for (const socket of open) socket.destroy();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}

/** Of the rows of a transaction two are paid, one has changed meanwhile, and one has other attempts than was thought. */
const kinds = ['paid', 'changed', 'counted', 'paid'] as const;
const toldOf = {
  paid: true,
  changed: false,
  counted: expect.stringContaining('attempt 2 is not the next one') as unknown,
} as const;

async function makeIntents(cluster: Cluster, machine: Machine, from: number): Promise<readonly Change[]> {
  const rows = kinds.map((_kind, place) => from + place);
  await cluster.ready(...rows);
  const payouts = await Promise.all(rows.map((row) => machine.payout(row)));
  return kinds.map((kind, place) => {
    const payout = payouts[place];
    if (payout === undefined) throw new Error('every row is there');
    const { change, attempt } = intentOf(kind === 'changed' ? { ...payout, version: 7 } : payout);
    if (kind !== 'counted') return change;
    const second = { ...attempt, attemptNo: 2 };
    return { ...change, after: { ...change.after, attemptNo: 2 }, attempt: second };
  });
}

/** What each caller is told: whether it was applied, or why it was refused. */
async function applyEach(machine: Machine, changes: readonly Change[]): Promise<readonly unknown[]> {
  const ends = await Promise.allSettled(changes.map((change) => machine.apply([change])));
  return ends.map((end) => (end.status === 'fulfilled' ? end.value[0] : String(end.reason)));
}

const kept = `
select p.seq::int, p.status, p.version::int, c.attempts_recorded::int as attempts,
  (select count(*)::int from event e where e.payout_seq = p.seq and e.seq = p.last_event_seq) as events,
  (select count(*)::int from attempt a where a.payout_seq = p.seq and a.status = 'recorded') as recorded,
  (select count(*)::int from latest_send s where s.payout_seq = p.seq) as sends,
  (select count(*)::int from open_payout o where o.seq = p.seq) as open
from payout p join claim c on c.payout_seq = p.seq where p.seq >= `;

const paid = { status: 'submitted', version: 2, attempts: 1, events: 1, recorded: 1, sends: 1, open: 0 };
const untouched = { status: 'ready', version: 1, attempts: 0, events: 0, recorded: 0, sends: 0, open: 0 };

async function requireWhole(cluster: Cluster, from: number): Promise<void> {
  const rows = await cluster.sql(`${kept} ${from} order by 1`);
  expect(rows).toEqual(
    kinds.map((kind, place) => ({ seq: from + place, ...(kind === 'paid' ? paid : untouched) })),
  );
  for (const [place, kind] of kinds.entries()) {
    const chain = await cluster.engine.read(() => readChain(from + place));
    for (const event of chain?.events ?? [])
      expect(event.hash).toBe(hashEvent(chain?.start ?? null, textOf(event)));
    expect(chain?.events ?? []).toHaveLength(kind === 'paid' ? 1 : 0);
  }
}

/** How many places each way is broken at, apart from one another as far as can be. */
const placesOfWay = 12;
/** In the commit, and in the answer to it. */
const beforeEnd = [1, 7, 13];

/** @param whole how many bytes go this way */
const listPlaces = (whole: number): readonly number[] => [
  ...beforeEnd.map((bytes) => whole - bytes),
  ...Array.from({ length: placesOfWay }, (_, place) => Math.floor(((place + 0.5) / placesOfWay) * whole)),
];

/** More bytes than any transaction has. */
const plenty = 2 ** 30;

describePostgres('a transaction whose way to the server breaks', () => {
  test('is told as it is kept, wherever that was', async () => {
    await using cluster = await openCluster();
    const url = new URL(cluster.database.url);
    await using way = await openBreakingWay(Number(url.port));
    const machine = cluster.open(Object.assign(url, { port: String(way.port) }).href);
    machine.workerId = await machine.workers.joinAsHelper({ machine: 'pay-1', pid: 1, command: 'watch' });
    await cluster.age(machine.workerId, -3_600_000);
    // Numbers of as many digits in each transaction.
    let from = 101;
    const applyNext = async (left: Partial<Record<Way, number>> = {}) => {
      const changes = await makeIntents(cluster, machine, from);
      Object.assign(way.left, { asked: Infinity, answered: Infinity, ...left });
      const told = await applyEach(machine, changes);
      expect(told).toEqual(kinds.map((kind) => toldOf[kind]));
      await requireWhole(cluster, from);
      from += kinds.length;
    };
    // The server has to have seen each statement alone before it is asked for several.
    for (let round = 0; round < 3; round += 1) await applyNext();
    await applyNext({ asked: plenty, answered: plenty });
    const whole = { asked: plenty - way.left.asked, answered: plenty - way.left.answered };
    for (const one of ways) for (const place of listPlaces(whole[one])) await applyNext({ [one]: place });
  });
});
