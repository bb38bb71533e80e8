/** Who may import whom (docs/architecture.md), as data, and the rules that hold it. */
import { posix } from 'node:path';
import type { Finding, Import, Source } from './source.ts';

/** A room is a folder of src/, or the `rules/` inside one; the files beside the folders are `main`. */
const everything = 'everything';

/** Rooms by name, single files by path; `rules` is the rules/ of every capability, `ports` the ports.ts of each. */
type Allowed = typeof everything | readonly string[];

/** What a capability may import besides core, platform, its own folder and the rules of all. */
const arrows: Readonly<Record<string, readonly string[]>> = {
  intake: [],
  payout: [],
  check: ['intake', 'payout', 'src/registration/ports.ts'],
  reconcile: ['payout', 'reports'],
  reports: [],
  watch: ['intake', 'payout', 'reports', 'reconcile', 'notify', 'registration'],
  attention: ['review', 'payout', 'reconcile', 'registration'],
  review: [
    'attention',
    'settings',
    'payout',
    'reconcile',
    'reports',
    'check',
    'intake',
    'watch',
    'src/registration/ports.ts',
  ],
  evidence: ['review', 'payout', 'reconcile'],
  overview: [
    'attention',
    'review',
    'payout',
    'reconcile',
    'reports',
    'check',
    'intake',
    'src/registration/ports.ts',
  ],
  registration: ['intake', 'reports', 'payout'],
  notify: [],
};

const capabilities = Object.keys(arrows);

/** From → what it may import besides itself. */
const importTable: Readonly<Record<string, Allowed>> = {
  core: [],
  platform: ['core'],
  rules: ['core', 'rules'],
  bank: ['core', 'platform', 'rules', 'ports'],
  store: ['core', 'platform', 'rules', 'ports'],
  settings: ['core', 'platform', 'rules'],
  sandbox: ['core', 'platform', 'src/bank/wire.ts', 'reconcile/rules', 'registration/rules'],
  app: everything,
  cli: ['app', 'review', 'settings', 'rules', 'platform', 'core'],
  main: everything,
  ...Object.fromEntries(
    Object.entries(arrows).map(([from, others]) => [from, ['core', 'platform', 'rules', ...others]]),
  ),
};

/** Rooms that only these may import. */
const importersOf: Readonly<Record<string, readonly string[]>> = {
  sandbox: ['app'],
  app: ['cli'],
  cli: ['main'],
};

/** The core and the rules may hash, hold a signature against its key, and count slips of the keyboard; nothing else from outside. */
const coreMayImport: Readonly<Record<string, readonly string[]>> = {
  'node:crypto': ['createHash', 'createPublicKey', 'hash', 'verify'],
  'fastest-levenshtein': ['distance'],
};

/** Packages that `paydrop --help` may load; the rest waits until a command runs. */
const helpMayLoad: readonly string[] = ['yargs'];

/** Room of a file under src/: its folder, with its rules/ apart, or `main`. */
function roomOf(path: string): string {
  const [, room = '', part, file] = path.split('/');
  if (part === undefined) return 'main';
  return part === 'rules' && file !== undefined ? `${room}/rules` : room;
}

function isRules(room: string): boolean {
  return room.endsWith('/rules');
}

function isPorts(path: string): boolean {
  return capabilities.some((capability) => path === `src/${capability}/ports.ts`);
}

function breaksTable(from: string, target: string): boolean {
  const room = roomOf(target);
  if (room === from) return false;
  if (importersOf[room]?.includes(from) === false) return true;
  const allowed = importTable[isRules(from) ? 'rules' : from];
  if (allowed === undefined) return true;
  if (allowed === everything) return false;
  return !(
    allowed.includes(room) ||
    allowed.includes(target) ||
    (allowed.includes('rules') && isRules(room)) ||
    (allowed.includes('ports') && isPorts(target))
  );
}

/** Imports between rooms that the table does not have. */
export function findForbiddenImports(source: Source): Finding[] {
  if (!source.path.startsWith('src/')) return [];
  const from = roomOf(source.path);
  return source.imports
    .filter(({ target }) => target !== undefined && breaksTable(from, target))
    .map(({ specifier }) => ({ path: source.path, line: 1, what: `${from} may not import ${specifier}` }));
}

/** True for what is pure: the core, and the rules of every capability. */
export function isPure(path: string): boolean {
  const room = path.startsWith('src/') ? roomOf(path) : '';
  return room === 'core' || isRules(room);
}

/** What core and rules import from outside the project. */
export function findOutsideImportsOfCore(source: Source): Finding[] {
  if (!isPure(source.path)) return [];
  return source.imports
    .filter((entry) => entry.target === undefined && !isAllowedInCore(entry))
    .map(({ specifier, names }) => ({
      path: source.path,
      line: 1,
      what: `core and rules may not import ${names.join(', ')} from ${specifier}`,
    }));
}

function isAllowedInCore({ specifier, names }: Import): boolean {
  const allowed = coreMayImport[specifier] ?? [];
  return names.length > 0 && names.every((name) => allowed.includes(name));
}

/** Files that import one another in a ring, types included. */
export function findImportCycles(sources: readonly Source[]): Finding[] {
  const targets = new Map(
    sources.map(({ path, imports }) => [path, imports.flatMap(({ target }) => target ?? [])]),
  );
  const done = new Set<string>();
  const findings: Finding[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) {
      const ring = [...trail.slice(trail.indexOf(path)), path].join(' -> ');
      findings.push({ path, line: 1, what: `a ring of imports: ${ring}` });
      return;
    }
    if (done.has(path)) return;
    for (const target of targets.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const path of targets.keys()) visit(path, []);
  return findings;
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
