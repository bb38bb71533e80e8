/** What is laid side by side after a soak: the folders, the reports and the bank's own ledger. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ledger, LedgerEntry } from '../../src/sandbox/book.ts';
import type { Scene } from '../end-to-end/harness.ts';
import { type DropPlan, hashOf } from './drop-plan.ts';

/** A file that has ended. */
export interface EndedFile {
  readonly path: string;
  readonly hash: string;
  /** Of a rejected file: what the partner is told; undefined when nothing is. */
  readonly reason: string | undefined;
}

/** All that there is to judge by. */
export interface DropEvidence {
  readonly plan: DropPlan;
  /** Names in inbox, claimed/ and work/. */
  readonly inbox: readonly string[];
  readonly claimed: readonly string[];
  readonly work: readonly string[];
  readonly archived: readonly EndedFile[];
  readonly rejected: readonly EndedFile[];
  /** Names of the outbox. */
  readonly reports: readonly string[];
  readonly ledger: Ledger;
  readonly outbox: string;
  readonly entriesByPayout: ReadonlyMap<string, readonly LedgerEntry[]>;
}

const reasonEnding = '.reason.txt';

async function gatherFolder(folder: string): Promise<EndedFile[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = found.filter((one) => one.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const all = new Set(paths);
  const isCompanion = (path: string): boolean =>
    [reasonEnding, '.control.json'].some(
      (ending) => path.endsWith(ending) && all.has(path.slice(0, -ending.length)),
    );
  return Promise.all(
    paths
      .filter((path) => !isCompanion(path))
      .map(async (path) => {
        const reason = all.has(path + reasonEnding) ? await readFile(path + reasonEnding, 'utf8') : undefined;
        return { path, hash: hashOf(await readFile(path)), reason };
      }),
  );
}

/** Looks at everything, when nothing more happens. */
export async function gatherDropEvidence(scene: Scene, plan: DropPlan, inbox: string): Promise<DropEvidence> {
  const { dataDir, outbox } = scene;
  const ledger = await scene.bank.ledger();
  return {
    plan,
    outbox,
    ledger,
    inbox: await readdir(inbox),
    claimed: await readdir(join(inbox, '.paydrop', 'claimed')),
    work: await readdir(join(dataDir, 'work')),
    archived: await gatherFolder(join(dataDir, 'archive')),
    rejected: await gatherFolder(join(dataDir, 'rejected')),
    reports: await readdir(outbox),
    entriesByPayout: Map.groupBy(ledger.entries, ({ reference1 }) => reference1),
  };
}

/** True when everything has come to its end: nothing in the inbox or on its way. */
export async function isConcluded(
  scene: Scene,
  plan: DropPlan,
  inbox: string,
  left: readonly string[],
): Promise<boolean> {
  const waiting = (await readdir(inbox)).filter((name) => name !== '.paydrop' && !left.includes(name));
  if (waiting.length > 0) return false;
  const work = await readdir(join(scene.dataDir, 'work'));
  // Of whoever was killed while it wrote what the folder is for there is another, with two dots.
  if (work.some((name) => !/^\.{1,2}paydrop/.test(name))) return false;
  const reports = new Set(await readdir(scene.outbox));
  const batchIds = plan.drops.flatMap((drop) => (drop.kind === 'good' ? [drop.batchId] : []));
  const summaries = [...reports].filter((name) => name.endsWith('.summary.json'));
  return batchIds.every((id) => summaries.some((name) => name.endsWith(`.${id}.summary.json`)));
}
