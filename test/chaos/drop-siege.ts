/** Drops the planned files while watchers work and are killed, and on until everything has come to its end. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Scene } from '../end-to-end/harness.ts';
import type { Dice } from '../support/dice.ts';
import { type DropEvidence, gatherDropEvidence, isConcluded } from './drop-evidence.ts';
import { DropHand, leftInInbox, type Manners } from './drop-hand.ts';
import type { DropPlan } from './drop-plan.ts';
import { findBrokenDrops } from './drop-verdict.ts';
import { type Takeover, Watchers } from './drop-watchers.ts';
import { planGoodRows, writeRows } from './plan.ts';

export interface DropSiege {
  readonly scene: Scene;
  readonly plan: DropPlan;
  readonly inbox: string;
  readonly stillMs: number;
  readonly kills: number;
  /** One kill at the most, the standby takes over, and no other is started. */
  readonly isBrief: boolean;
  readonly dice: Dice;
  readonly say: (line: string) => void;
  /** The longest that everything may take. */
  readonly waitMs: number;
}

/** How it went. */
export interface Besieged {
  readonly evidence: DropEvidence;
  readonly complaints: readonly string[];
  readonly takeovers: readonly Takeover[];
  readonly manners: Manners;
  /** From the first drop to the end of the last file. */
  readonly workedMs: number;
}

/** What a kill waits for; the time comes on top. */
type KillAt = 'right' | 'claim' | 'work' | 'report' | 'end' | 'time';
const killMoments: readonly KillAt[] = ['time', 'claim', 'report', 'time', 'end', 'work', 'right'];
const bothShare = 0.15;
const momentWaitMs = 4_000;
const lookMs = 3;
const restLookMs = 100;

const listOf = (folder: string): Promise<string[]> => readdir(folder, { recursive: true }).catch(() => []);

/** Resolves when this happens, or has not for a while. */
async function waitForMoment({ scene, inbox, dice }: DropSiege, at: KillAt): Promise<void> {
  const folders: Readonly<Record<KillAt, string | undefined>> = {
    right: undefined,
    time: undefined,
    claim: join(inbox, '.paydrop', 'claimed'),
    work: join(scene.dataDir, 'work'),
    report: scene.outbox,
    end: join(scene.dataDir, 'archive'),
  };
  const folder = folders[at];
  if (folder === undefined) {
    await sleep(at === 'right' ? dice.between(0, 400) : dice.between(200, 2_500));
    return;
  }
  const before = new Set(await listOf(folder));
  const endsAtMs = performance.now() + momentWaitMs;
  const isNew = (name: string): boolean => !before.has(name) && (at !== 'report' || name.endsWith('.tmp'));
  while (!(await listOf(folder)).some(isNew) && performance.now() < endsAtMs) await sleep(lookMs);
  await sleep(dice.between(0, 12));
}

/** Lets so many files be dropped as kills have come. */
async function pace({ plan, kills, dice }: DropSiege, killed: () => number, dropped: number): Promise<void> {
  if (kills === 0) {
    await sleep(dice.between(0, 40));
    return;
  }
  const allowed = (): number => ((killed() + 1) * plan.drops.length) / kills;
  while (dropped >= allowed()) await sleep(lookMs * 10);
}

async function killThem(
  siege: DropSiege,
  watchers: Watchers,
  isOver: () => boolean,
  note: () => void,
): Promise<void> {
  const { kills, dice, say, isBrief } = siege;
  for (let kill = 0; kill < kills && !isOver(); kill += 1) {
    const at = killMoments[kill % killMoments.length] ?? 'time';
    await waitForMoment(siege, at);
    const both = !isBrief && dice.between(0, 1) < bothShare;
    await watchers.kill(both, isBrief);
    note();
    const { rightMs } = watchers.takeovers.at(-1) ?? { rightMs: 0 };
    say(`  kill ${kill + 1} (${at}${both ? ', both' : ''}): taken over after ${Math.round(rightMs)} ms`);
  }
}

async function untilAtRest({ scene, plan, inbox, waitMs }: DropSiege, startMs: number): Promise<string[]> {
  while (!(await isConcluded(scene, plan, inbox, leftInInbox))) {
    if (performance.now() - startMs > waitMs)
      return [`after ${waitMs} ms not everything has come to its end`];
    await sleep(restLookMs);
  }
  return [];
}

/** Whatever is outside is never touched. */
async function findTouched(inbox: string, outside: string, csv: string): Promise<string[]> {
  const complaints: string[] = [];
  for (const path of [join(outside, 'outside.csv'), join(inbox, 'a folder.csv', 'inside.csv')])
    if ((await readFile(path, 'utf8').catch(() => '')) !== csv) complaints.push(`${path} was touched`);
  return complaints;
}

/** A watcher logs as an error that somebody has written to a file that it had read: the late ones do. */
const isOfLateFile = ({ drops }: DropPlan, line: string): boolean =>
  line.includes('"msg":"a file was written to after its rows had been read"') &&
  drops.some(({ kind, name }) => kind === 'late' && line.includes(`"file":${JSON.stringify(name)}`));

/** Lets everything come over the watchers, and judges. */
export async function besiegeInbox(siege: DropSiege): Promise<Besieged> {
  const { scene, plan, inbox, stillMs, dice } = siege;
  const watchers = await Watchers.open(scene);
  const done = new Set<string>();
  const hand = new DropHand(
    {
      path: inbox,
      stillMs,
      hasRead: (batchId) => watchers.hasSaid(batchId),
      isDone: (batchId) => done.has(batchId),
    },
    dice,
  );
  const stray = writeRows(planGoodRows(3, 'STRAY', dice));
  await hand.litter(scene.folder, stray);
  const isOver = new AbortController();
  const observing = watchers.observe(isOver.signal);
  const noting = noteDone(siege, done, isOver.signal);
  const startMs = performance.now();
  let killed = 0;
  const killing = killThem(
    siege,
    watchers,
    () => isOver.signal.aborted,
    () => (killed += 1),
  );
  await Promise.all([hand.dropAll(plan, (dropped) => pace(siege, () => killed, dropped)), killing]);
  const unrested = await untilAtRest(siege, startMs);
  const workedMs = performance.now() - startMs;
  isOver.abort();
  await Promise.all([observing, noting]);
  await watchers.stop();
  const evidence = await gatherDropEvidence(scene, plan, inbox);
  const complaints = [
    ...unrested,
    ...(await findBrokenDrops(evidence, leftInInbox)),
    ...watchers.complaints,
    ...watchers.findErrors().filter((line) => !isOfLateFile(plan, line)),
    ...(await findTouched(inbox, scene.folder, stray)),
    ...(hand.manners.longestPauseMs < stillMs
      ? []
      : ['the machine was so slow that a slow file counted as finished']),
  ];
  const { takeovers } = watchers;
  return { evidence, complaints, takeovers, workedMs, manners: hand.manners };
}

/** Notes which batches are reported and whose files have left work/. */
async function noteDone({ scene }: DropSiege, done: Set<string>, end: AbortSignal): Promise<void> {
  while (!end.aborted) {
    const archived = (await listOf(join(scene.dataDir, 'archive'))).length;
    for (const name of archived === 0 ? [] : await listOf(scene.outbox)) {
      const batchId = /\.(\w{10})\.summary\.json$/.exec(name)?.[1];
      if (batchId !== undefined) done.add(batchId);
    }
    await sleep(restLookMs);
  }
}
