/** Plays seeds until one breaks an invariant, and says which; started with a mutation by catch-mutations.ts. */
import { runSeed } from './run-seed.ts';

const [seedsText, journal] = process.argv.slice(2);
Error.stackTraceLimit = 0;

const onSqlite = async () => {
  const { makeSqliteDisk } = await import('./sqlite-disk.ts');
  return { makeDisk: makeSqliteDisk, shape: 'people' } as const;
};
const options = journal === 'sqlite' ? await onSqlite() : {};

let found: object = { broken: '' };
for (let seed = 1; seed <= Number(seedsText); seed += 1) {
  const { broken } = await runSeed(seed, options);
  if (broken === undefined) continue;
  found = { seed, broken };
  break;
}
console.log(JSON.stringify(found));
