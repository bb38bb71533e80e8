/** Exports: each is used by another file of src/, or is marked `@forTests` and used by a test. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isNode, listOf, nameOf, projectRoot } from './source.ts';
import type { Finding, Node, Source } from './source.ts';

const mark = /@forTests\b/g;

/** Files that are started by their path, or called by hand: knip.json names them with "!" at the end. */
const entries: ReadonlySet<string> = new Set(
  (JSON.parse(readFileSync(join(projectRoot, 'knip.json'), 'utf8')) as { entry: string[] }).entry
    .filter((path) => path.endsWith('!'))
    .map((path) => path.slice(0, -1)),
);

interface Exported {
  readonly name: string;
  readonly node: Node;
  readonly isMarked: boolean;
}

/** Exported names without a mark that no other file of src/ uses. */
export function findUnusedExports(own: readonly Source[]): Finding[] {
  const isUsed = findUses(own);
  return own
    .filter(({ path }) => !entries.has(path))
    .flatMap((source) =>
      readExports(source)
        .filter(({ name, isMarked }) => !isMarked && !isUsed(source.path, name))
        .map(({ name, node }) => ({
          path: source.path,
          line: source.lineOf(node),
          what: `no other file of src/ uses ${name}`,
        })),
    );
}

/** Marks at names that src/ uses, that no test uses, or that are no exports at all. */
export function findWrongMarks(all: readonly Source[]): Finding[] {
  const own = all.filter(({ path }) => path.startsWith('src/'));
  const isUsedHere = findUses(own);
  const isTested = findUses(all.filter(({ path }) => path.startsWith('test/')));
  return own.flatMap((source) => {
    const marked = readExports(source).filter(({ isMarked }) => isMarked);
    const findings = marked.flatMap(({ name, node }) => {
      const finding = { path: source.path, line: source.lineOf(node) };
      return [
        ...(isUsedHere(source.path, name) ? [{ ...finding, what: `src/ uses ${name}: drop its mark` }] : []),
        ...(isTested(source.path, name)
          ? []
          : [{ ...finding, what: `no test uses ${name}: do not export it` }]),
      ];
    });
    const loose = (source.text.match(mark) ?? []).length - new Set(marked.map(({ node }) => node)).size;
    return loose === 0
      ? findings
      : [...findings, { path: source.path, line: 1, what: 'a mark at no export' }];
  });
}

/** Tells whether these files use a name of a module. One that imports the module whole uses the names in its text. */
function findUses(sources: readonly Source[]): (path: string, name: string) => boolean {
  const named = new Set<string>();
  const whole = new Map<string, string[]>();
  for (const { imports, text } of sources)
    for (const { target, names, isDynamic } of imports) {
      if (target === undefined) continue;
      for (const name of names) named.add(`${target} ${name}`);
      if (isDynamic || names.includes('*')) whole.set(target, [...(whole.get(target) ?? []), text]);
    }
  return (path, name) =>
    named.has(`${path} ${name}`) ||
    (whole.get(path) ?? []).some((text) => new RegExp(`\\b${name}\\b`).test(text));
}

function readExports({ nodes, text }: Source): Exported[] {
  return nodes.flatMap((node) => {
    if (node.type !== 'ExportNamedDeclaration') return [];
    const before = text.slice(0, node.start).trimEnd();
    const docstring = before.endsWith('*/') ? before.slice(before.lastIndexOf('/**')) : '';
    const isMarked = docstring.match(mark) !== null;
    return readNames(node).map((name) => ({ name, node, isMarked }));
  });
}

function readNames(node: Node): string[] {
  const { declaration } = node;
  const ofList = listOf(node['specifiers']).flatMap(({ exported }) => nameOf(exported));
  if (!isNode(declaration)) return ofList;
  return [
    ...ofList,
    ...nameOf(declaration['id']),
    ...listOf(declaration['declarations']).flatMap(({ id }) => nameOf(id)),
  ];
}
