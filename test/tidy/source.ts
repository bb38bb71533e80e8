/** The project's own source files, parsed, for the rules of tidy.test.ts. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative, resolve, sep } from 'node:path';
import { parseSync } from 'oxc-parser';

export const projectRoot = resolve(import.meta.dirname, '../..');

/** A node of the syntax tree (ESTree with TypeScript); offsets count UTF-16 units. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

export interface Import {
  /** As written: "node:fs", "./money.ts". */
  readonly specifier: string;
  /** Path from the project root for a relative import, undefined for a package. */
  readonly target: string | undefined;
  /** Names imported; empty for a dynamic import or one for its effects. */
  readonly names: readonly string[];
  readonly isType: boolean;
  readonly isDynamic: boolean;
}

export interface Source {
  /** From the project root, with slashes: "src/core/money.ts". */
  readonly path: string;
  readonly text: string;
  readonly nodes: readonly Node[];
  readonly imports: readonly Import[];
  lineOf(node: Node): number;
  /** Source text of a node. */
  show(node: Node): string;
}

/** What breaks a rule, and where. */
export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly what: string;
}

const folders = ['src', 'test'];

/** Every TypeScript file under src/ and test/. */
export function readSources(): Source[] {
  return folders
    .flatMap((folder) => listFiles(join(projectRoot, folder)))
    .filter((file) => file.endsWith('.ts'))
    .map((file) => parseSource(toProjectPath(file), readFileSync(file, 'utf8')));
}

/** Paths of all files in a folder and below; none when there is no such folder. */
export function listFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}

export function toProjectPath(file: string): string {
  return relative(projectRoot, file).split(sep).join('/');
}

/** @throws when the text is no TypeScript */
export function parseSource(path: string, text: string): Source {
  const parsed = parseSync(path, text);
  const [problem] = parsed.errors;
  if (problem !== undefined) throw new Error(`${path}: ${problem.message}`);
  const nodes = [...walk(parsed.program as unknown as Node)];
  const lineStarts = findLineStarts(text);
  return {
    path,
    text,
    nodes,
    imports: nodes.flatMap((node) => readImport(path, node) ?? []),
    lineOf: (node) => lineStarts.findLastIndex((start) => start <= node.start) + 1,
    show: (node) => text.slice(node.start, node.end),
  };
}

function findLineStarts(text: string): number[] {
  return [0, ...Array.from(text.matchAll(/\n/g), (match) => match.index + 1)];
}

function* walk(node: Node): Generator<Node> {
  yield node;
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) yield* walk(child);
  }
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

export const listOf = (value: unknown): Node[] => (Array.isArray(value) ? value.filter(isNode) : []);

/** The name of an identifier. */
export const nameOf = (value: unknown): string[] =>
  isNode(value) && typeof value['name'] === 'string' ? [value['name']] : [];

function readImport(path: string, node: Node): Import | undefined {
  const { source } = node;
  if (!isNode(source) || typeof source['value'] !== 'string') return undefined;
  const specifier = source['value'];
  const specifiers = (Array.isArray(node['specifiers']) ? node['specifiers'] : []).filter(isNode);
  return {
    specifier,
    target: specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : undefined,
    names: specifiers.map(readName),
    isType: node['importKind'] === 'type' || node['exportKind'] === 'type',
    isDynamic: node.type === 'ImportExpression',
  };
}

function readName({ imported, type }: Node): string {
  if (isNode(imported) && typeof imported['name'] === 'string') return imported['name'];
  return type === 'ImportDefaultSpecifier' ? 'default' : '*';
}
