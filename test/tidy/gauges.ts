/** Gauges of the whole house: each may only fall. docs/architecture.md tells what they measure and what they aim for. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { findUnusedExports } from './export-rules.ts';
import { isNode, listOf, nameOf, projectRoot } from './source.ts';
import type { Node, Source } from './source.ts';

/** Every gauge by its name, with the value that it may not exceed. Lower the value in the commit that lowers the gauge. */
export const heldGauges = {
  'files in src/': 677,
  'lines in src/': 130871,
  'arrows between rooms': 132,
  'files that one neighbour alone imports': 18,
  'exports that no other file of src/ uses, those marked for tests apart': 0,
  'folders with files named after registration': 16,
  'comments that begin with Of, Where, Those, It, Whoever, What, Nobody': 0,
  'nobody, somebody, whoever': 0,
  'members of the largest context': 28,
  'members of the largest class': 53,
  'optional members of contexts': 50,
  'files named ports.ts': 11,
  'hand-written docs in kB': 148,
  'docs/architecture.md in kB': 15,
  'README.md in bytes': 6000,
  'lines of CHANGELOG.md': 60,
} as const;

export type Gauges = Readonly<Record<keyof typeof heldGauges, number>>;

/** @param own the files of src/ */
export function measureGauges(own: readonly Source[]): Gauges {
  const importers = findImporters(own);
  const { contexts, classes } = measureMembers(own);
  return {
    'files in src/': own.length,
    'lines in src/': sum(own.map(({ text }) => text.split('\n').length - 1)),
    'arrows between rooms': countArrows(own),
    'files that one neighbour alone imports': [...importers].filter(isOfOneNeighbour).length,
    'exports that no other file of src/ uses, those marked for tests apart': findUnusedExports(own).length,
    'folders with files named after registration': countRegistrationFolders(own),
    'comments that begin with Of, Where, Those, It, Whoever, What, Nobody': countMatches(own, oddBeginning),
    'nobody, somebody, whoever': countMatches(own, /\b(?:nobody|somebody|whoever)\b/gi),
    'members of the largest context': Math.max(...contexts.map(({ members }) => members)),
    'members of the largest class': Math.max(...classes),
    'optional members of contexts': sum(contexts.map(({ optional }) => optional)),
    'files named ports.ts': own.filter(({ path }) => path.endsWith('/ports.ts')).length,
    ...measureDocs(),
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

const oddBeginning = /^\s*(?:\/\/|\/\*\*|\*)\s+(?:Of|Where|Those|It|Whoever|What|Nobody|Somebody|None)\s/gm;

const countMatches = (own: readonly Source[], pattern: RegExp): number =>
  sum(own.map(({ text }) => (text.match(pattern) ?? []).length));

const roomOf = (path: string): string | undefined => {
  const parts = path.split('/');
  return parts.length > 2 ? parts[1] : undefined;
};

/** Pairs of rooms of which the one imports the other. */
function countArrows(own: readonly Source[]): number {
  const arrows = own.flatMap(({ path, imports }) =>
    imports.flatMap(({ target }) => {
      const [from, to] = [roomOf(path), target && roomOf(target)];
      return from === undefined || to === undefined || from === to ? [] : [`${from} > ${to}`];
    }),
  );
  return new Set(arrows).size;
}

/** The files that import each file. */
function findImporters(own: readonly Source[]): ReadonlyMap<string, ReadonlySet<string>> {
  const importers = new Map(own.map(({ path }) => [path, new Set<string>()]));
  for (const { path, imports } of own)
    for (const { target } of imports) if (target !== undefined) importers.get(target)?.add(path);
  return importers;
}

function isOfOneNeighbour([path, by]: readonly [string, ReadonlySet<string>]): boolean {
  const [only] = by;
  return by.size === 1 && only !== undefined && posix.dirname(only) === posix.dirname(path);
}

const countRegistrationFolders = (own: readonly Source[]): number =>
  new Set(own.filter(({ path }) => path.includes('registration')).map(({ path }) => posix.dirname(path)))
    .size;

interface Members {
  readonly members: number;
  readonly optional: number;
}

/** Members of each context (an interface of that name, with what it extends in its own file) and of each class. */
function measureMembers(own: readonly Source[]): {
  readonly contexts: readonly Members[];
  readonly classes: readonly number[];
} {
  const contexts = own.flatMap(({ nodes }) => {
    const interfaces = new Map(
      nodes
        .filter(({ type }) => type === 'TSInterfaceDeclaration')
        .map((node) => [nameOf(node['id'])[0] ?? '', node]),
    );
    return [...interfaces].flatMap(([name, node]) =>
      name.endsWith('Context') ? [measureInterface(node, interfaces)] : [],
    );
  });
  const classes = own.flatMap(({ nodes }) =>
    nodes.filter(({ type }) => type === 'ClassBody').map(({ body }) => listOf(body).length),
  );
  return { contexts, classes };
}

function measureInterface(node: Node, known: ReadonlyMap<string, Node>): Members {
  const { body } = node;
  const own = isNode(body) ? listOf(body['body']) : [];
  const bases = listOf(node['extends']).flatMap(({ expression }) => {
    const base = known.get(nameOf(expression)[0] ?? '');
    return base === undefined ? [] : [measureInterface(base, known)];
  });
  return {
    members: own.length + sum(bases.map(({ members }) => members)),
    optional:
      own.filter((member) => member['optional'] === true).length + sum(bases.map(({ optional }) => optional)),
  };
}

/** Pages that `npm run docs` writes. */
const generatedPages = new Set(['commands.md', 'settings.md', 'states.md', 'json.md']);

function measureDocs() {
  const docs = join(projectRoot, 'docs');
  const pages = readdirSync(docs, { recursive: true, encoding: 'utf8' }).filter(
    (page) => page.endsWith('.md') && !generatedPages.has(page),
  );
  const sizeOf = (path: string): number => statSync(join(projectRoot, path)).size;
  return {
    'hand-written docs in kB': Math.round(sum(pages.map((page) => sizeOf(join('docs', page)))) / 1000),
    'docs/architecture.md in kB': Math.round(sizeOf('docs/architecture.md') / 1000),
    'README.md in bytes': sizeOf('README.md'),
    'lines of CHANGELOG.md': readFileSync(join(projectRoot, 'CHANGELOG.md'), 'utf8').split('\n').length,
  };
}
