/** Who may import whom (design: "The inside"), as data, and the rules that hold it. */
import { posix } from 'node:path';
import type { Finding, Import, Source } from './source.ts';

/** A room is a folder of src/; the files beside the folders are the composition root, `main`. */
const everything = 'everything';

/** From → what it may import besides itself: rooms or single files. */
const importTable: Readonly<Record<string, typeof everything | readonly string[]>> = {
  core: [],
  files: ['core'],
  bank: ['core'],
  journal: ['core'],
  notices: ['core'],
  monitor: ['core'],
  worker: ['core'],
  registration: ['core'],
  review: ['core', 'worker'],
  sandbox: ['core', 'src/bank/wire.ts'],
  cli: everything,
  main: everything,
};

/** Rooms that only these may import. */
const importersOf: Readonly<Record<string, readonly string[]>> = {
  sandbox: ['cli'],
  cli: ['main'],
};

/** The core may hash; nothing else from outside. */
const coreMayImport: Readonly<Record<string, readonly string[]>> = { 'node:crypto': ['createHash', 'hash'] };

/** Packages that `paydrop --help` may load; the rest waits until a command runs. */
const helpMayLoad: readonly string[] = ['yargs'];

/** Room of a file under src/: its folder, or `main`. */
function roomOf(path: string): string {
  const [, room = '', file] = path.split('/');
  return file === undefined ? 'main' : room;
}

function breaksTable(from: string, target: string): boolean {
  const room = roomOf(target);
  if (room === from) return false;
  if (importersOf[room]?.includes(from) === false) return true;
  const allowed = importTable[from];
  if (allowed === undefined) return true;
  return allowed !== everything && !allowed.includes(room) && !allowed.includes(target);
}

/** Imports between rooms that the table does not have. */
export function findForbiddenImports(source: Source): Finding[] {
  if (!source.path.startsWith('src/')) return [];
  const from = roomOf(source.path);
  return source.imports
    .filter(({ target }) => target !== undefined && breaksTable(from, target))
    .map(({ specifier }) => ({ path: source.path, line: 1, what: `${from} may not import ${specifier}` }));
}

/** What core imports from outside the project. */
export function findOutsideImportsOfCore(source: Source): Finding[] {
  if (roomOf(source.path) !== 'core' || !source.path.startsWith('src/')) return [];
  return source.imports
    .filter((entry) => entry.target === undefined && !isAllowedInCore(entry))
    .map(({ specifier, names }) => ({
      path: source.path,
      line: 1,
      what: `core may not import ${names.join(', ')} from ${specifier}`,
    }));
}

function isAllowedInCore({ specifier, names }: Import): boolean {
  const allowed = coreMayImport[specifier] ?? [];
  return names.length > 0 && names.every((name) => allowed.includes(name));
}

/** Packages that are loaded before any command runs, though `--help` has no need of them. */
export function findHeavyStart(sources: readonly Source[], entry: string): Finding[] {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const seen = new Set([entry]);
  const findings: Finding[] = [];
  for (const path of seen) {
    for (const { specifier, target, isType, isDynamic } of byPath.get(path)?.imports ?? []) {
      if (isType || isDynamic) continue;
      if (target !== undefined) seen.add(posix.normalize(target));
      else if (!specifier.startsWith('node:') && !helpMayLoad.includes(specifier)) {
        findings.push({
          path,
          line: 1,
          what: `loads ${specifier} before a command runs: import it in the handler`,
        });
      }
    }
  }
  return findings;
}
