/** Plays seeds until one breaks an invariant, and says which; started with a mutation by catch-mutations.ts. */
import { playApprovals } from './approvals.ts';
import { playCluster } from './machines/play.ts';
import { loadPostgres } from './machines/server.ts';
import { openPlayJournal } from './registrations/journal.ts';
import { playRegistrations } from './registrations/play.ts';
import { type RunOptions, runSeed } from './run-seed.ts';

const [seedsText, journal, firstText] = process.argv.slice(2);
const seeds = Number(seedsText);
/** Played before seeds 1 to `seeds`; it may lie beyond them. */
const first = Number(firstText ?? 1);
Error.stackTraceLimit = 0;

async function readOptions(): Promise<RunOptions> {
  if (journal === 'lost') return { shape: 'journals' };
  if (journal === 'outage') return { shape: 'outage' };
  if (journal === 'edited' || journal === 'clocks' || journal === 'statements') return { shape: journal };
  if (journal === 'archives' || journal === 'limits' || journal === 'decisions') return { shape: journal };
  if (journal !== 'sqlite' && journal !== 'decided-in-journal') return {};
  const { makeSqliteDisk } = await import('./sqlite-disk.ts');
  return { makeDisk: makeSqliteDisk, shape: journal === 'sqlite' ? 'people' : 'decisions' };
}

const options = await readOptions();
await using shared = journal === 'registrations' ? await openPlayJournal() : undefined;

const makeDatabase = journal === 'machines-postgres' ? await loadPostgres() : undefined;

function play(seed: number): Promise<{ readonly broken: string | undefined }> {
  if (journal === 'approvals') return playApprovals(seed);
  if (journal === 'machines') return playCluster(seed);
  if (makeDatabase !== undefined) return playCluster(seed, { makeDatabase });
  if (shared !== undefined) return playRegistrations(seed, { journal: shared });
  return runSeed(seed, options);
}

let found: object = { broken: '' };
for (let played = 0; played <= seeds; played += 1) {
  const seed = played === 0 ? first : played;
  const { broken } = await play(seed);
  if (broken === undefined) continue;
  found = { seed, broken };
  break;
}
console.log(JSON.stringify(found));
