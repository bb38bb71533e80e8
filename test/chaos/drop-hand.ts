/** Whoever drops the files: with the manners, good and bad, of programs that write into a folder. */
import { lstat, mkdir, open, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { computeBatchId } from '../../src/core/reference.ts';
import type { Dice } from '../support/dice.ts';
import { type DropPlan, type GoodDrop, hashOf, type LateDrop, type PlannedDrop } from './drop-plan.ts';

/** What the hand sees of whoever works the inbox. */
export interface Inbox {
  readonly path: string;
  /** How long a file must be still. */
  readonly stillMs: number;
  /** True once the batch of a file has been read in. */
  hasRead(batchId: string): boolean;
  /** True once the batch is reported, and its file at its end. */
  isDone(batchId: string): boolean;
}

/** What became of the bad manners. */
export interface Manners {
  /** The longest pause of a slow writer: longer than the time of stillness, and the file counts as finished. */
  longestPauseMs: number;
  /** Late writers that had bytes left to write when their file was claimed. */
  wroteLate: number;
}

/**
 * Never taken: a hidden file, a folder, a link to a payout file outside, one still under its temporary name, and the drop
 * folder of registrations.
 */
export const leftInInbox = [
  '..x.csv',
  '.hidden.csv',
  'a folder.csv',
  'a link.csv',
  'half.csv.part',
  'registrations',
  '~$open.csv',
];

const waitMsMax = 900_000;
const lookMs = 10;
const slowPieces = 12;
/** Of the time of stillness. */
const pauseShare = 0.25;
const latePieces = 10;
const latePauseMs = 60;

export class DropHand {
  readonly manners: Manners = { longestPauseMs: 0, wroteLate: 0 };
  /** Files that are in the inbox, or have been. */
  dropped = 0;
  readonly #inbox: Inbox;
  readonly #dice: Dice;
  /** Copies and slow files on their way. */
  readonly #errands: Promise<void>[] = [];

  constructor(inbox: Inbox, dice: Dice) {
    this.#inbox = inbox;
    this.#dice = dice;
  }

  /** Puts there what must stay; `outside` holds a payout file that a link leads to. */
  async litter(outside: string, csv: string): Promise<void> {
    const { path } = this.#inbox;
    const target = join(outside, 'outside.csv');
    await writeFile(target, csv);
    await symlink(target, join(path, 'a link.csv'));
    await mkdir(join(path, 'a folder.csv'));
    await writeFile(join(path, 'a folder.csv', 'inside.csv'), csv);
    for (const name of ['..x.csv', '.hidden.csv', 'half.csv.part', '~$open.csv'])
      await writeFile(join(path, name), csv);
  }

  /** Drops everything. @param mayDrop told how many were dropped, resolves when the next may be */
  async dropAll({ drops }: DropPlan, mayDrop: (dropped: number) => Promise<void>): Promise<void> {
    for (const [place, drop] of drops.entries()) {
      await mayDrop(place);
      await this.#drop(drop);
    }
    await Promise.all(this.#errands);
  }

  async #drop(drop: PlannedDrop): Promise<void> {
    switch (drop.kind) {
      case 'broken':
        return this.#put(drop, drop.name);
      case 'late':
        this.#errands.push(this.#putLate(drop));
        return undefined;
      case 'good':
        if (drop.manner === 'slow' || drop.manner === 'slow-temporary')
          this.#errands.push(this.#putSlowly(drop));
        else await this.#put(drop, drop.name);
        for (const copy of drop.copies) this.#errands.push(this.#putAgain(drop, copy));
    }
  }

  async #putAgain(drop: GoodDrop, { name, moment }: GoodDrop['copies'][number]): Promise<void> {
    if (moment === 'when its first is taken') await this.#untilTaken(drop.name);
    if (moment === 'when its first is done') await waitUntil(() => this.#inbox.isDone(drop.batchId));
    await this.#put(drop, name);
  }

  /** In one go, with its control file before or after it. */
  async #put(drop: PlannedDrop, name: string): Promise<void> {
    await this.#untilTaken(name);
    const { path } = this.#inbox;
    const isSidecarFirst = this.#dice.between(0, 1) < 0.5;
    if (isSidecarFirst) await this.#putSidecar(drop, name);
    if (drop.manner === 'renamed') {
      const temporary = join(path, `${hashOf(Buffer.from(name)).slice(0, 12)}.tmp`);
      await writeFile(temporary, drop.bytes);
      await rename(temporary, join(path, name));
    } else await writeFile(join(path, name), drop.bytes);
    if (!isSidecarFirst) await this.#putSidecar(drop, name);
    this.dropped += 1;
  }

  async #putSidecar({ sidecar }: PlannedDrop, name: string): Promise<void> {
    if (sidecar === undefined) return;
    const path = join(this.#inbox.path, `${name}.control.json`);
    await writeFile(`${path}.part`, sidecar);
    await rename(`${path}.part`, path);
  }

  /** In pieces, which end in the middle of a row. */
  async #putSlowly(drop: GoodDrop): Promise<void> {
    await this.#untilTaken(drop.name);
    await this.#putSidecar(drop, drop.name);
    const path = join(this.#inbox.path, drop.name);
    const isTemporary = drop.manner === 'slow-temporary';
    const writtenAs = isTemporary ? `${path}.filepart` : path;
    await using handle = await open(writtenAs, 'ax');
    const pieceBytes = Math.ceil(drop.bytes.length / slowPieces);
    let lastMs = performance.now();
    for (let from = 0; from < drop.bytes.length; from += pieceBytes) {
      await handle.write(drop.bytes.subarray(from, from + pieceBytes));
      if (!isTemporary) this.#notePause(performance.now() - lastMs);
      lastMs = performance.now();
      await sleep(this.#inbox.stillMs * this.#dice.between(pauseShare / 2, pauseShare));
    }
    if (isTemporary) await rename(writtenAs, path);
    this.dropped += 1;
  }

  #notePause(ms: number): void {
    this.manners.longestPauseMs = Math.max(this.manners.longestPauseMs, ms);
  }

  /** Stops in the middle for longer than anybody waits, and goes on through the same descriptor. */
  async #putLate(drop: LateDrop): Promise<void> {
    const { name, bytes, bytesAtFirst } = drop;
    await this.#putSidecar(drop, name);
    await using handle = await open(join(this.#inbox.path, name), 'ax');
    const first = bytes.subarray(0, bytesAtFirst);
    await handle.write(first);
    this.dropped += 1;
    await this.#untilTaken(name);
    const firstBatch = computeBatchId(hashOf(first));
    if (drop.manner === 'very-late') await waitUntil(() => this.#inbox.hasRead(firstBatch));
    this.manners.wroteLate += 1;
    const pieceBytes = Math.ceil((bytes.length - bytesAtFirst) / latePieces);
    for (let from = bytesAtFirst; from < bytes.length; from += pieceBytes) {
      await handle.write(bytes.subarray(from, from + pieceBytes));
      await sleep(latePauseMs);
    }
  }

  /** Waits until no file of this name is in the inbox. */
  #untilTaken(name: string): Promise<void> {
    const path = join(this.#inbox.path, name);
    return waitUntil(async () => !(await isThere(path)));
  }
}

/** Looks now and then: many wait at once. */
async function waitUntil(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const endsAtMs = performance.now() + waitMsMax;
  while (!(await isSo())) {
    if (performance.now() > endsAtMs) throw new Error(`waited ${waitMsMax} ms in vain: ${String(isSo)}`);
    await sleep(lookMs);
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch {
    return false;
  }
}
