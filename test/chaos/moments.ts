/** The moments at which a run is killed: while it reads, pays, settles, reports, or when nothing is left to do. */
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Program, type Scene, until } from '../end-to-end/harness.ts';
import type { Dice } from '../support/dice.ts';

/** A kill falls so many milliseconds after something that can be seen from outside. */
export type Moment =
  /** The run has taken the right to send; it then opens the journal, reads and seals the file, or goes on with it. */
  | { readonly after: 'start'; readonly waitMs: number }
  /** It has written to the journal for the first time: while it is made, a file is read, or a batch goes on. */
  | { readonly after: 'journal'; readonly waitMs: number }
  /** So many transfers have entered the bank since the beginning. */
  | { readonly after: 'transfers'; readonly transfers: number; readonly waitMs: number }
  /** A report is being written under its temporary name. */
  | { readonly after: 'report'; readonly waitMs: number };

export const describeMoment = (moment: Moment): string =>
  `${Math.round(moment.waitMs)} ms after ${moment.after === 'transfers' ? `${moment.transfers} transfers` : moment.after}`;

const readingShare = 0.2;
const reportingShare = 0.2;

/** Plans the kills in the order of a run's life. @param transfers how many the file makes in all, about */
export function planMoments(
  kills: number,
  transfers: number,
  readingMs: number,
  reportingMs: number,
  dice: Dice,
): Moment[] {
  const reading = Math.ceil(kills * readingShare);
  const reporting = Math.min(kills - reading, Math.ceil(kills * reportingShare));
  const paying = kills - reading - reporting;
  const moments: Moment[] = [];
  for (let kill = 0; kill < reading; kill += 1) {
    moments.push({ after: kill % 4 === 0 ? 'start' : 'journal', waitMs: dice.between(0, readingMs) });
  }
  for (let kill = 0; kill < paying; kill += 1) {
    const share = (kill + dice.between(0, 1)) / paying;
    moments.push({
      after: 'transfers',
      transfers: Math.floor(share * transfers),
      waitMs: dice.between(0, 60),
    });
  }
  for (let kill = 0; kill < reporting; kill += 1)
    moments.push({ after: 'report', waitMs: dice.between(0, reportingMs) });
  return moments;
}

/** Counts the transfers that have entered the bank, from what its state file has grown by. */
export class TransferCount {
  readonly #path: string;
  readonly #chunk = Buffer.alloc(1 << 20);
  #readBytes = 0;
  #lines = 0;

  constructor(scene: Scene) {
    this.#path = scene.bankStatePath;
  }

  read(): number {
    const file = openSync(this.#path, 'r');
    try {
      for (;;) {
        const bytes = readSync(file, this.#chunk, 0, this.#chunk.length, this.#readBytes);
        if (bytes === 0) return Math.max(0, this.#lines - 1);
        this.#readBytes += bytes;
        for (const byte of this.#chunk.subarray(0, bytes)) if (byte === 0x0a) this.#lines += 1;
      }
    } finally {
      closeSync(file);
    }
  }
}

/** True once this very process has the right to send. */
export function isSending(scene: Scene, { pid }: Program): boolean {
  try {
    const holder = JSON.parse(readFileSync(join(scene.dataDir, 'sender.json'), 'utf8')) as {
      readonly pid: number;
    };
    return holder.pid === pid;
  } catch {
    return false;
  }
}

/** When the journal was last written to, epoch milliseconds; 0 when it never was. */
function journalWrittenAtMs(scene: Scene): number {
  return statSync(join(scene.dataDir, 'journal.db-wal'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** True while a report stands under its temporary name. */
function isReporting(scene: Scene): boolean {
  return existsSync(scene.outbox) && readdirSync(scene.outbox).some((name) => name.endsWith('.tmp'));
}

const momentWaitMs = 600_000;

/** Waits for the moment; the caller looks whether the run has ended of itself meanwhile. */
export async function waitForMoment(
  scene: Scene,
  program: Program,
  moment: Moment,
  count: TransferCount,
): Promise<void> {
  let hasEnded = false;
  const writtenBeforeMs = journalWrittenAtMs(scene);
  void program.ended.then(() => (hasEnded = true));
  await until(() => hasEnded || isSending(scene, program), momentWaitMs);
  if (moment.after === 'journal')
    await until(() => hasEnded || journalWrittenAtMs(scene) > writtenBeforeMs, momentWaitMs);
  if (moment.after === 'transfers')
    await until(() => hasEnded || count.read() >= moment.transfers, momentWaitMs);
  if (moment.after === 'report') await until(() => hasEnded || isReporting(scene), momentWaitMs);
  if (!hasEnded) await Promise.race([sleep(moment.waitMs), program.ended]);
}
