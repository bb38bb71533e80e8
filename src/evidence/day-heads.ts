/** Makes the heads of ended days, once a day, by the process that may send. */
import { dayMs, formatBangkokDate, msSinceBangkokMidnight } from '../core/bangkok-time.ts';
import type { ChainEnds, DayHeadStore } from './ports.ts';
import {
  composeDayHead,
  type DayHead,
  EventTree,
  type HeadChain,
  headChains,
  type Stretch,
} from './rules/day-head.ts';

/** Most days with a head of their own; after a longer gap, the first head covers all events before it, too. */
const daysMax = 31;

const endsOf = (head: DayHead | undefined): ChainEnds =>
  perChain((chain) => head?.stretches[chain].upTo ?? 0);

const perChain = <Value>(valueOf: (chain: HeadChain) => Value): Readonly<Record<HeadChain, Value>> =>
  Object.fromEntries(headChains.map((chain) => [chain, valueOf(chain)])) as Record<HeadChain, Value>;

/**
 * Makes a head for each day with events up to yesterday, as of the latest transaction: an event that was dated on a day
 * and written after its head belongs to the next one.
 * @returns the heads made
 */
export async function makeDayHeads(
  store: DayHeadStore,
  journalId: string,
  nowMs: number,
): Promise<readonly DayHead[]> {
  const made: DayHead[] = [];
  let latest = await store.latestDayHead();
  for (const date of await listDays(store, latest, nowMs)) {
    const after = endsOf(latest);
    const upTo = await store.chainEnds(after, date.endMs);
    if (headChains.every((chain) => upTo[chain] <= after[chain])) continue;
    const stretches: Partial<Record<HeadChain, Stretch>> = {};
    for (const chain of headChains)
      stretches[chain] = await readStretch(store, chain, after[chain], Math.max(after[chain], upTo[chain]));
    const head = composeDayHead({
      journalId,
      number: (latest?.number ?? 0) + 1,
      date: date.name,
      before: latest?.hash ?? null,
      stretches: stretches as Record<HeadChain, Stretch>,
    });
    await store.addDayHead(head);
    made.push(head);
    latest = head;
  }
  return made;
}

/** Ended days without a head, oldest first. */
async function listDays(store: DayHeadStore, latest: DayHead | undefined, nowMs: number) {
  const firstMs = await store.firstEventMs(endsOf(latest));
  const todayMs = nowMs - msSinceBangkokMidnight(nowMs);
  const days: { readonly name: string; readonly endMs: number }[] = [];
  for (let back = daysMax; back >= 1; back -= 1) {
    const endMs = todayMs - (back - 1) * dayMs;
    const name = formatBangkokDate(endMs - dayMs);
    const isDue = back === 1 || (firstMs !== undefined && firstMs < endMs);
    if (isDue && name > (latest?.date ?? '')) days.push({ name, endMs });
  }
  return days;
}

async function readStretch(
  store: DayHeadStore,
  chain: HeadChain,
  after: number,
  upTo: number,
): Promise<Stretch> {
  const tree = new EventTree();
  for await (const page of store.eventHashes(chain, after, upTo)) {
    for (const { hash } of page) tree.add(hash ?? '');
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { after, upTo, events: tree.events, root: tree.root() };
}
