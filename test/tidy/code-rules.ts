/** Rules about single source files: sizes, banned calls and banned forms. */
import { isPure } from './import-rules.ts';
import { isNode } from './source.ts';
import type { Finding, Node, Source } from './source.ts';

const fileLinesMax = 600;
const functionLinesMax = 69;

const isCore = (source: Source) => isPure(source.path);

function found(source: Source, node: Node, what: string): Finding {
  return { path: source.path, line: source.lineOf(node), what };
}

function select(source: Source, breaksRule: (node: Node) => boolean, what: string): Finding[] {
  return source.nodes
    .filter(breaksRule)
    .map((node) => found(source, node, `${what}: ${source.show(node).slice(0, 60)}`));
}

function isNamed(value: unknown, name: string | ReadonlySet<string>): boolean {
  if (!isNode(value) || value.type !== 'Identifier') return false;
  return typeof name === 'string' ? value['name'] === name : name.has(String(value['name']));
}

/** Literals that hold data. */
const dataTypes = new Set(['ObjectExpression', 'ArrayExpression', 'TemplateLiteral']);
const wrapperTypes = new Set(['TSAsExpression', 'TSSatisfiesExpression']);

/** The table of texts in a call of `wordings`; any other node stays. */
const tableOf = (node: unknown): unknown =>
  isNode(node) && node.type === 'CallExpression' && isNamed(node['callee'], 'wordings')
    ? (node['arguments'] as unknown[])[0]
    : node;

/** Lines of the constants of a file that are tables of data: literals in which nothing runs. */
function countTableLines({ nodes, show, text }: Source): number {
  const running = nodes.filter(({ type }) => functionTypes.has(type));
  const tables = nodes.filter(({ type, init }) => {
    if (type !== 'VariableDeclarator') return false;
    let literal = tableOf(init);
    while (isNode(literal) && wrapperTypes.has(literal.type)) literal = literal['expression'];
    return isNode(literal) && dataTypes.has(literal.type);
  });
  const isAtTop = ({ start }: Node): boolean => /(?:^|\n)(?:export )?const $/.test(text.slice(0, start));
  return tables
    .filter(isAtTop)
    .filter((table) => !running.some(({ start, end }) => start >= table.start && end <= table.end))
    .map((table) => show(table).split('\n').length)
    .reduce((total, lines) => total + lines, 0);
}

export function findLongFiles(source: Source): Finding[] {
  const all = source.text.split('\n').length - (source.text.endsWith('\n') ? 1 : 0);
  const lines = all <= fileLinesMax ? all : all - countTableLines(source);
  if (lines <= fileLinesMax) return [];
  return [{ path: source.path, line: lines, what: `${lines} lines: split it` }];
}

/** A function with a body of its own, and how many lines it takes. */
export interface FunctionSize {
  readonly node: Node;
  readonly lines: number;
}

const functionTypes = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

/** The functions with a block body; the body of `describe` is a table of tests, not a function in this sense. */
export function measureFunctions(source: Source): FunctionSize[] {
  const tables = new Set(
    source.nodes.filter(isDescribeCall).flatMap((call) => call['arguments'] as unknown[]),
  );
  return source.nodes
    .filter((node) => functionTypes.has(node.type) && isNode(node['body']) && !tables.has(node))
    .filter((node) => isNode(node['body']) && node['body'].type === 'BlockStatement')
    .map((node) => ({ node, lines: source.show(node).split('\n').length }));
}

/** `describe`, and what is skipped where a machine lacks something. */
const describing = new Set(['describe', 'describeOnEngines', 'describePostgres']);

function isDescribeCall(node: Node): boolean {
  if (node.type !== 'CallExpression') return false;
  let { callee } = node;
  while (isNode(callee) && !isNamed(callee, describing)) callee = callee['object'] ?? callee['callee'];
  return isNode(callee);
}

export function findLongFunctions(source: Source): Finding[] {
  return measureFunctions(source)
    .filter(({ lines }) => lines > functionLinesMax)
    .map(({ node, lines }) => found(source, node, `a function of ${lines} lines: split it`));
}

const impureNames = new Set([
  'process',
  'performance',
  'console',
  'fetch',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
  'crypto',
  'globalThis',
]);

/** Clock, chance, environment and I/O, which the pure core is handed and never fetches. */
export function findImpureCore(source: Source): Finding[] {
  return isCore(source) ? select(source, isImpure, 'not pure') : [];
}

function isImpure(node: Node): boolean {
  switch (node.type) {
    case 'NewExpression':
      return isNamed(node['callee'], 'Date') && (node['arguments'] as unknown[]).length === 0;
    case 'CallExpression':
      return isNamed(node['callee'], 'Date') || isNamed(node['callee'], impureNames);
    case 'MemberExpression':
      return (
        isNamed(node['object'], impureNames) ||
        (isNamed(node['object'], 'Date') && isNamed(node['property'], 'now')) ||
        (isNamed(node['object'], 'Math') && isNamed(node['property'], 'random'))
      );
    default:
      return false;
  }
}

const amountPattern = /amount|satang|baht|fee|total/i;
const numberMakers = new Set(['Number', 'parseInt']);

/** Amounts that would pass through a float. */
export function findFloatMoney(source: Source): Finding[] {
  return select(
    source,
    (node) => {
      if (node.type === 'UnaryExpression') {
        return (
          node['operator'] === '+' &&
          isNode(node['argument']) &&
          amountPattern.test(source.show(node['argument']))
        );
      }
      if (node.type !== 'CallExpression' || !isNamed(node['callee'], numberMakers)) return false;
      return amountPattern.test(
        (node['arguments'] as Node[]).map((argument) => source.show(argument)).join(),
      );
    },
    'an amount as a float',
  );
}

export function findParseFloat(source: Source): Finding[] {
  return select(source, (node) => isNamed(node, 'parseFloat'), 'parseFloat');
}

const bannedForms: Readonly<Record<string, string>> = {
  TSEnumDeclaration: 'an enum',
  TSAnyKeyword: 'any',
};

export function findBannedForms(source: Source): Finding[] {
  return source.nodes
    .filter(({ type }) => bannedForms[type] !== undefined)
    .map((node) => found(source, node, `${bannedForms[node.type]}: use a union or unknown`));
}

/** A default hides the member that a union gains later. */
export function findDefaultBranches(source: Source): Finding[] {
  if (!isCore(source)) return [];
  return select(
    source,
    (node) => node.type === 'SwitchCase' && node['test'] === null,
    'a switch with default',
  );
}

const emptyNames = new Set([
  'data',
  'info',
  'manager',
  'managers',
  'helper',
  'helpers',
  'util',
  'utils',
  'common',
  'misc',
]);

/** Names of files and folders, and of what they declare, that say nothing about what is inside. */
export function findEmptyNames(source: Source): Finding[] {
  const inPath = source.path.split(/[/.-]/).filter((word) => emptyNames.has(word));
  const findings = inPath.map((word) => ({ path: source.path, line: 1, what: `"${word}" in a file's name` }));
  const declared = select(source, isEmptilyNamed, 'a name that says nothing');
  return [...findings, ...declared];
}

const declarationTypes = new Set([
  'FunctionDeclaration',
  'ClassDeclaration',
  'TSInterfaceDeclaration',
  'TSTypeAliasDeclaration',
]);

function isEmptilyNamed(node: Node): boolean {
  const { id } = node;
  if (!declarationTypes.has(node.type) || !isNode(id)) return false;
  const words = String(id['name']).split(/(?=[A-Z])/);
  return words.some((word) => emptyNames.has(word.toLowerCase()));
}

const screenFile = 'src/cli/output.ts';
const logFile = 'src/platform/log.ts';
const gateFile = 'src/core/outgoing-text.ts';
const streams = new Set(['stdout', 'stderr']);
/** Rooms whose JSON others read; notices' ids are hashed from theirs. */
const speakingRooms = /^src\/(?:cli|notify|watch\/monitor)\//;
const idOfNotices = 'src/notify/rules/notice-body.ts';

/** Screens are written in one file, logs in another, and both take only what the gate lets through. */
export function findWaysAroundTheGate(source: Source): Finding[] {
  const { path } = source;
  if (!path.startsWith('src/')) return [];
  const what = 'leaves around the gate (core/outgoing-text.ts)';
  const isAround = (node: Node): boolean =>
    (path !== screenFile && isScreen(source, node)) ||
    (path !== logFile && isLogPackage(node)) ||
    (path !== gateFile && node.type === 'TSAsExpression' && source.show(node).endsWith('PrintableText')) ||
    (speakingRooms.test(path) && path !== idOfNotices && isJsonMade(node));
  return select(source, isAround, what);
}

function isScreen(source: Source, node: Node): boolean {
  switch (node.type) {
    case 'MemberExpression':
      return (
        isNamed(node['object'], 'console') ||
        (isNamed(node['object'], 'process') && isNamed(node['property'], streams))
      );
    case 'VariableDeclarator':
      return (
        isNamed(node['init'], 'process') &&
        isNode(node['id']) &&
        /\bstd(?:out|err)\b/.test(source.show(node['id']))
      );
    case 'ImportDeclaration':
      return (
        isNode(node['source']) && /^(?:node:)?(?:process|console)$/.test(String(node['source']['value']))
      );
    default:
      return false;
  }
}

function isLogPackage(node: Node): boolean {
  const isImport = node.type === 'ImportDeclaration' && node['importKind'] !== 'type';
  if (!isImport && node.type !== 'ImportExpression') return false;
  return isNode(node['source']) && node['source']['value'] === 'pino';
}

const isJsonMade = (node: Node): boolean =>
  node.type === 'MemberExpression' &&
  isNamed(node['object'], 'JSON') &&
  isNamed(node['property'], 'stringify');
