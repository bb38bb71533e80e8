/** Watches payoutIds that a spreadsheet has written in another way. */
import type { PayoutStatus } from '../../src/core/payout.ts';
import type { SeenEvent, SeenRow } from './disk-view.ts';
import { originOf } from './planned-files.ts';
import type { World } from './world.ts';

/** A row in one of these has given its payoutId back, or never had it. */
const claimless: readonly PayoutStatus[] = ['staged', 'rejected', 'failed', 'unpayable'];

/** A row whose payoutId another has in another way of writing waits for a person while that one keeps its own. */
export class OriginWatch {
  readonly #world: World;
  /** By what was written at first, each row with its own way of writing it. */
  readonly #written = new Map<
    string,
    Map<number, { readonly payoutId: string; readonly status: PayoutStatus }>
  >();

  constructor(world: World) {
    this.#world = world;
  }

  lookAnew(): void {
    this.#written.clear();
  }

  see({ payoutSeq, cause, to }: SeenEvent, { payoutId }: SeenRow): void {
    if (payoutId === null) return;
    const origin = originOf(payoutId);
    const rows = this.#written.get(origin) ?? new Map();
    const status = cause === 'released' ? 'failed' : to;
    this.#written.set(origin, rows.set(payoutSeq, { payoutId, status }));
    if (cause !== 'sealed' || to !== 'ready') return;
    for (const other of rows.values())
      if (other.payoutId !== payoutId && !claimless.includes(other.status))
        this.#world.fail(`row ${payoutSeq}: ${payoutId} goes on though ${other.payoutId} is ${other.status}`);
  }
}
