/** Has files paid by several machines through everything that befalls them, and on until all is settled. */
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { computeBatchId } from '../../../src/core/reference.ts';
import { openScene, type Scene } from '../../end-to-end/harness.ts';
import { Dice } from '../../support/dice.ts';
import { openOwnPostgres } from '../../support/own-postgres.ts';
import { isConcluded } from '../drop-evidence.ts';
import { type DropPlan, type GoodDrop, hashOf } from '../drop-plan.ts';
import { TransferCount } from '../moments.ts';
import { faultyBehaviours, planRows, writeRows } from '../plan.ts';
import { type Machine, openFleet, type Said } from './fleet.ts';
import type { MachineOptions } from './options.ts';
import { Recoveries, type Recovery } from './recoveries.ts';
import { planTroubles, type TroubleKind } from './troubles.ts';
import {
  findUnsettled,
  findUntold,
  judgeMachines,
  leftInInbox,
  readJournal,
  readMachineHistory,
  type Verdict,
} from './verdict.ts';
import { Weather } from './weather.ts';

/** A row that repeats the one before stands in the middle of a hundred. */
const filePartRows = 100;
const smallFileRowsMax = 800;

/** One file with half of the rows, and smaller ones with the others. */
function planFiles(rows: number, prefix: string, dice: Dice): DropPlan {
  const planned = planRows(rows, prefix, dice);
  const drops: GoodDrop[] = [];
  for (let from = 0; from < planned.length;) {
    const wanted = from === 0 ? planned.length / 2 : dice.wide(filePartRows, smallFileRowsMax);
    const to = Math.min(planned.length, from + Math.ceil(wanted / filePartRows) * filePartRows);
    const own = planned.slice(from, to);
    const bytes = Buffer.from(writeRows(own));
    const batchId = computeBatchId(hashOf(bytes));
    const name = `payouts ${drops.length}.csv`;
    const whole = { sidecar: undefined, manner: 'renamed', isFrayed: false, copies: [] } as const;
    drops.push({ kind: 'good', name, bytes, rows: own, batchId, ...whole });
    from = to;
  }
  const none = { broken: 0, duplicates: 0, slow: 0, late: 0 };
  return { ...none, drops, rows, files: drops.length, rowsMax: rows, control: 'none' };
}

/** A file comes when this share of the rows before it is paid: there is always something to do, and something new. */
const dropShare = 0.7;
const lookMs = 50;

async function dropFiles(
  { drops }: DropPlan,
  inbox: string,
  count: TransferCount,
  hasToEnd: () => boolean,
): Promise<void> {
  let before = 0;
  for (const drop of drops) {
    if (drop.kind !== 'good') continue;
    while (!hasToEnd() && count.read() < before * dropShare) await sleep(lookMs);
    await writeFile(join(inbox, `${drop.name}.tmp`), drop.bytes);
    await rename(join(inbox, `${drop.name}.tmp`), join(inbox, drop.name));
    before += drop.rows.length;
  }
}

export interface Besieged {
  readonly verdict: Verdict;
  readonly said: Said;
  readonly recoveries: readonly Recovery[];
  readonly came: ReadonlyMap<TroubleKind, number>;
  readonly files: number;
  /** From the first file to the end of the last trouble, and on until all was settled. */
  readonly stormMs: number;
  readonly quietMs: number;
}

/** So long everything may take to settle once nothing more befalls it. */
const quietMaxMs = 180_000;
const quietLookMs = 500;

/** Waits until everything is settled and told. @returns what is not, when that takes too long */
async function untilSettled(scene: Scene, plan: DropPlan, adminUrl: string): Promise<string[]> {
  const endsAtMs = performance.now() + quietMaxMs;
  const inbox = join(scene.dataDir, 'inbox');
  for (;;) {
    const isEnded = await isConcluded(scene, plan, inbox, leftInInbox);
    const journal = await readJournal(adminUrl);
    const unsettled = findUnsettled(journal).length;
    const untold = await findUntold(scene.outbox, journal);
    if (isEnded && unsettled + untold.length === 0) return [];
    if (performance.now() > endsAtMs)
      return [`after ${quietMaxMs} quiet ms ${unsettled} rows are not settled, ${untold.length} not told`];
    await sleep(quietLookMs);
  }
}

const settingsOf = ({ latencyMs, rate, keep }: MachineOptions) => ({
  ownProcesses: true,
  sandbox: { latencyMs, behaviours: faultyBehaviours },
  transfer: { concurrency: 4 },
  watch: { stillMs: 300 },
  bank: { requestsPerSecond: rate },
  keep,
});

/**
 * Pays the planned rows through all that the options ask for.
 * @param programs the folder of PostgreSQL's programs
 */
export async function besiegeMachines(
  programs: string,
  options: MachineOptions,
  say: (line: string) => void,
): Promise<Besieged> {
  const dice = new Dice(options.seed);
  const plan = planFiles(options.rows, `M${options.seed}`, dice);
  const transfers = plan.drops.flatMap((drop) =>
    drop.kind === 'good' ? drop.rows.filter(({ endsAs }) => endsAs !== 'rejected') : [],
  ).length;
  await using postgres = await openOwnPostgres(programs);
  await using scene = await openScene(settingsOf(options));
  if (options.keep) say(`the scene stays in ${scene.folder}`);
  const folder = options.keep ? scene.folder : undefined;
  const said: Said = { complaints: [], errors: new Map(), folder };
  await using machines = await openFleet(scene, postgres, options.machines, said);
  const count = new TransferCount(scene);
  const isUp = (pid: number): boolean => machines.some((one) => one.pid === pid && one.state === 'up');
  await using recoveries = new Recoveries(postgres.adminUrl, isUp);
  const weather = new Weather({ scene, machines, postgres, count, recoveries, say });
  const storm = planTroubles(options, options.machines, transfers, new Dice(options.seed + 1));
  const startMs = performance.now();
  for (const machine of machines) machine.start();
  await Promise.all(machines.map((machine) => machine.untilUp()));
  const inbox = join(scene.dataDir, 'inbox');
  await mkdir(inbox, { recursive: true });
  const isOver = new AbortController();
  const dropping = dropFiles(plan, inbox, new TransferCount(scene), () => isOver.signal.aborted);
  const ending = endWhenConcluded(scene, plan, isOver);
  await weather.blow(storm, isOver.signal);
  if (weather.stuck !== undefined) isOver.abort();
  await dropping;
  const stormMs = performance.now() - startMs;
  say(`  the storm is over, ${count.read()} transfers so far`);
  const unrested = await settle(machines, scene, plan, postgres.adminUrl);
  isOver.abort();
  await ending;
  const quietMs = performance.now() - startMs - stormMs;
  await Promise.all(machines.map((machine) => machine.stop()));
  if (folder !== undefined)
    await writeFile(join(folder, 'machines.json'), await readMachineHistory(postgres.adminUrl));
  const waiting = recoveries.waiting;
  const ended = [...recoveries.ended];
  const evidence = {
    scene,
    machines,
    plan,
    adminUrl: postgres.adminUrl,
    recoveries: ended,
    rate: options.rate,
  };
  const verdict = await judgeMachines(evidence);
  const complaints = [
    ...(weather.stuck === undefined ? [] : [weather.stuck]),
    ...unrested,
    ...(waiting === 0 ? [] : [`the rows of ${waiting} kills have not gone on`]),
    ...said.complaints,
    ...verdict.complaints,
  ];
  return {
    verdict: { ...verdict, complaints },
    said,
    recoveries: ended,
    came: weather.came,
    files: plan.files,
    stormMs,
    quietMs,
  };
}

/** Nothing more befalls a scene in which nothing is left to do. */
async function endWhenConcluded(scene: Scene, plan: DropPlan, isOver: AbortController): Promise<void> {
  while (!isOver.signal.aborted) {
    await sleep(1_000, undefined, { ref: false });
    if (await isConcluded(scene, plan, join(scene.dataDir, 'inbox'), leftInInbox).catch(() => false))
      isOver.abort();
  }
}

async function settle(
  machines: readonly Machine[],
  scene: Scene,
  plan: DropPlan,
  adminUrl: string,
): Promise<string[]> {
  await Promise.all(machines.map((machine) => machine.untilUp()));
  return untilSettled(scene, plan, adminUrl);
}
