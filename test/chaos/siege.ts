/** Pays a file under kills and a storm, and on until it rests. */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { computeBatchId } from '../../src/core/reference.ts';
import { type Program, type ProgramEnd, type Scene, until } from '../end-to-end/harness.ts';
import { Dice } from '../support/dice.ts';
import type { Disk } from './disk.ts';
import type { EndKind } from './ends.ts';
import {
  describeMoment,
  isSending,
  type Moment,
  planMoments,
  TransferCount,
  waitForMoment,
} from './moments.ts';
import type { Options } from './options.ts';
import { type PlannedRow, writeRows } from './plan.ts';
import { planStorm } from './storm.ts';
import { type Came, Weather } from './weather.ts';

/** A row that a wrong clock has put off is not waited for: the next run asks about it. */
const runArgs = ['run', 'FILE', '--json', '--log-level', 'error', '--wait', '15'] as const;

interface Siege {
  readonly scene: Scene;
  readonly weather: Weather;
  readonly count: TransferCount;
  readonly dice: Dice;
  /** SIGKILL leaves a run no time at all; at SIGTERM or SIGINT it finishes what is in flight. */
  readonly signal: NodeJS.Signals;
  readonly say: (line: string) => void;
}

/** What the kills came to. */
interface Killed {
  readonly kills: number;
  /** Runs that ended of themselves before their moment came. */
  readonly escaped: number;
}

interface Started {
  readonly program: Program;
  readonly ended: Promise<EndKind>;
}

/**
 * Starts a run with its rivals, all at once on one data directory. When it returns, one of them has the right to send
 * and the others have ended; or all have.
 */
async function startTogether({ scene, weather }: Siege, rivals: number): Promise<Started> {
  const started = Array.from({ length: 1 + rivals }, (): Started => weather.start(runArgs));
  const over = new Set<Started>();
  for (const one of started) void one.ended.then(() => over.add(one));
  const findWinner = (): Started | undefined => started.find(({ program }) => isSending(scene, program));
  await until(() => over.size === started.length || findWinner() !== undefined, startWaitMs);
  const winner = findWinner() ?? started[0];
  if (winner === undefined) throw new Error('no run was started');
  weather.befall(winner.program);
  await Promise.all(started.filter((one) => one !== winner).map(({ ended }) => ended));
  return winner;
}

const startWaitMs = 60_000;
const retryWithinMs = 400;

/** True when the signal has ended the run, at once or after what was in flight. */
async function killAt(siege: Siege, moment: Moment, rivals: number): Promise<boolean> {
  const { scene, count, signal, say } = siege;
  for (;;) {
    const { program, ended } = await startTogether(siege, rivals);
    await waitForMoment(scene, program, moment, count);
    program.kill(signal);
    // One that a storm has stopped hears nothing but SIGKILL until it goes on.
    const end = await ended;
    if (end === 'machine') {
      say(`  a run ended on the disk, ${count.read()} transfers so far`);
      await sleep(siege.dice.between(0, retryWithinMs));
      continue;
    }
    // Halted, it is a person's turn: a clock that was wrong by a day makes any file an old one.
    if (end === 'stopped-short') await siege.weather.start(['resume', 'BATCH', '--log-level', 'error']).ended;
    const isKilled = end === 'killed' || (signal !== 'SIGKILL' && end === 'stopped-short');
    say(`${isKilled ? 'killed' : 'ended'} ${describeMoment(moment)}, ${count.read()} transfers so far`);
    return isKilled;
  }
}

/** Goes through the moments, and on until there are kills enough: a run may end before its moment comes. */
async function killAgainAndAgain(
  siege: Siege,
  moments: readonly Moment[],
  rivalStarts: number,
): Promise<Killed> {
  const { dice } = siege;
  const further = Array.from({ length: moments.length }, (): Moment => {
    return { after: 'start', waitMs: dice.between(0, 40) };
  });
  // Where there is not even a data directory yet, and then here and there.
  const rivalEvery = Math.max(1, Math.floor(moments.length / Math.max(1, rivalStarts)));
  let kills = 0;
  let escaped = 0;
  for (const [place, moment] of [...moments, ...further].entries()) {
    if (kills >= moments.length || siege.weather.complaints.length > 0) break;
    const isRace = place % rivalEvery === 0 && place / rivalEvery < rivalStarts;
    if (await killAt(siege, moment, isRace ? dice.whole(1, 2) : 0)) kills += 1;
    else escaped += 1;
  }
  return { kills, escaped };
}

const triesMax = 12;
const inDoubt = 4;
const stoppedShort = 6;

/**
 * Goes on, as a person would: runs the file until it rests, resumes what is held, asks about what is in doubt.
 * @returns how the last run ended: all paid, with exceptions, or with rows in doubt that another inquiry leaves so
 * @throws Error when it does not come to rest
 */
async function bringToRest(scene: Scene, file: string, batchId: string): Promise<ProgramEnd> {
  let timesInDoubt = 0;
  for (let tries = 0; tries < triesMax; tries += 1) {
    const end = await scene.run('run', file, '--json', '--wait', '20', '--log-level', 'error');
    if (end.code === 0 || end.code === 3) return end;
    if (end.code === inDoubt) {
      timesInDoubt += 1;
      if (timesInDoubt > 1) return end;
      await scene.run('settle', '--log-level', 'error');
    } else if (end.code === stoppedShort) await scene.run('resume', batchId, '--log-level', 'error');
    else throw new Error(`the last run ended with ${show(end)}`);
  }
  throw new Error(`after ${triesMax} runs the batch does not rest`);
}

const show = ({ code, signal, stdout, stderr }: ProgramEnd): string =>
  `${signal ?? code}\n${stdout}\n${stderr}`;

/** While a file of this many rows is read, and a little longer. */
const readingMsPerRow = 0.06;
const readingMsLeast = 300;
/** The same for its reports. */
const reportingMsPerRow = 0.02;
const reportingMsLeast = 20;

/** What a siege came to; the scene is at rest. */
export interface Besieged {
  readonly killed: Killed;
  readonly came: Came;
  readonly passedMs: number;
  readonly exitCode: number | null;
}

/**
 * Pays the planned file through everything that the options ask for, and brings it to rest.
 * @throws Error when a command ends as none may
 */
export async function besiege(
  scene: Scene,
  disk: Disk | undefined,
  planned: readonly PlannedRow[],
  options: Omit<Options, 'keep' | 'rows'>,
  say: (line: string) => void,
): Promise<Besieged> {
  const dice = new Dice(options.seed + 1);
  const csv = writeRows(planned);
  const file = await scene.addFile('chaos.csv', csv);
  const batchId = computeBatchId(createHash('sha256').update(csv).digest('hex'));
  const transfers = planned.filter(({ endsAs }) => endsAs !== 'rejected').length;
  const names = { FILE: file, BATCH: batchId, PAYOUT: planned[0]?.payoutId ?? '' };
  const weather = new Weather(scene, disk, names, say);
  const count = new TransferCount(scene);
  const siege = { scene, weather, count, dice, signal: options.signal, say };
  const readingMs = readingMsLeast + planned.length * readingMsPerRow;
  const reportingMs = reportingMsLeast + planned.length * reportingMsPerRow;
  const moments = planMoments(options.kills, transfers, readingMs, reportingMs, dice);
  const isOver = new AbortController();
  const storm = weather.blow(planStorm(options, transfers, dice), new TransferCount(scene), isOver.signal);
  let killed: Killed;
  try {
    killed = await killAgainAndAgain(siege, moments, options.rivalStarts);
  } finally {
    isOver.abort();
    await storm;
  }
  const { complaints, came } = weather;
  if (complaints.length > 0) throw new Error(`a command ended as none may:\n${complaints.join('\n')}`);
  const { code: exitCode } = await bringToRest(scene, file, batchId);
  return { killed, came, passedMs: scene.clocks.passedMs, exitCode };
}
