/**
 * Registers thousands of direct debits with a bank that calls back late, twice, against its own word or never, while the
 * program is killed, and judges by the bank's ledger. What is asked for and when somebody dies is drawn from the seed.
 * `npm run register-soak -- [--rows 5000] [--files 10] [--kills 20] [--sender watch|register] [--seed N] [--keep]`
 */
import { parseArgs } from 'node:util';
import { openScene } from '../end-to-end/harness.ts';
import { Dice } from '../support/dice.ts';
import { planRegistrations } from './register-plan.ts';
import {
  besiegeRegistrations,
  describeRegistrationScene,
  type KilledRegistrations,
  type Sender,
} from './register-siege.ts';
import {
  findBrokenRegistrations,
  gatherRegistrationEvidence,
  type RegistrationEvidence,
} from './register-verdict.ts';

interface Options {
  readonly rows: number;
  readonly files: number;
  readonly kills: number;
  readonly sender: Sender;
  readonly seed: number;
  readonly keep: boolean;
}

const seedsMax = 1_000_000;
const waitMs = 600_000;
/** Longer than any call comes late, a listener that is down included. */
const answerWithinMs = 30_000;
const complaintsShown = 40;

/** @throws Error for a word that is no option, or a value that is no count */
function readOptions(args: readonly string[]): Options {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...args],
    options: { rows: text, files: text, kills: text, sender: text, seed: text, keep: { type: 'boolean' } },
  });
  const countOf = (name: 'rows' | 'files' | 'kills' | 'seed', otherwise: number): number => {
    const value = values[name] === undefined ? otherwise : Number(values[name]);
    if (!Number.isInteger(value) || value < 0) throw new Error(`--${name} takes a whole number, 0 or more`);
    return value;
  };
  const sender = (['watch', 'register'] as const).find((known) => known === (values.sender ?? 'watch'));
  if (sender === undefined) throw new Error('--sender takes watch or register');
  return {
    rows: Math.max(1, countOf('rows', 5_000)),
    files: Math.max(1, countOf('files', 10)),
    kills: countOf('kills', 20),
    sender,
    seed: countOf('seed', Date.now() % seedsMax),
    keep: values.keep === true,
  };
}

function describeFigures({ reported, ledger }: RegistrationEvidence, killed: KilledRegistrations): string {
  const statuses = Map.groupBy(
    reported.flatMap(({ present }) => present),
    (line) => line['status'] ?? '',
  );
  const { callbacks, totals, duplicatesRefused, entries } = ledger;
  return [
    `${killed.senderKills} kills of whoever sends, ${killed.listenerKills} of the listener, ${(killed.workedMs / 1_000).toFixed(1)} s`,
    `result: ${[...statuses].map(([status, lines]) => `${status} ${lines.length}`).join(', ')}`,
    `ledger: ${entries.length} taken (${totals.success} registered, ${totals.reject} refused, ${totals.undecided} undecided), ${callbacks.tries} calls, ${callbacks.acknowledged} heard; ${duplicatesRefused} requests for what it had`,
  ].join('\n');
}

async function soak(options: Options): Promise<boolean> {
  const dice = new Dice(options.seed);
  const files = planRegistrations(options, `R${options.seed}`, dice);
  await using scene = await openScene({
    ...(await describeRegistrationScene(answerWithinMs)),
    ownProcesses: true,
    keep: options.keep,
  });
  if (options.keep) console.log(`the scene stays in ${scene.folder}`);
  const { kills, sender } = options;
  const say = (line: string): void => console.log(line);
  const killed = await besiegeRegistrations({ scene, files, sender, kills, dice, say, waitMs });
  const evidence = await gatherRegistrationEvidence(scene, files);
  console.log(describeFigures(evidence, killed));
  const complaints = findBrokenRegistrations(evidence);
  if (complaints.length === 0) console.log('Every outcome is in a result, once.');
  else
    console.log(`BROKEN PROMISES: ${complaints.length}\n${complaints.slice(0, complaintsShown).join('\n')}`);
  return complaints.length === 0;
}

// An error that nobody catches ends every program of the scene with this one.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    throw new Error(`stopped by ${signal}`);
  });
}

const options = readOptions(process.argv.slice(2));
const { rows, files, kills, sender, seed } = options;
console.log(
  `seed ${seed}: npm run register-soak -- --rows ${rows} --files ${files} --kills ${kills} --sender ${sender} --seed ${seed}`,
);
if (!(await soak(options))) process.exitCode = 1;
