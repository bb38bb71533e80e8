/** The settings file as YAML: its values, and the line of each key. */
import {
  type Document,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type YAMLError,
} from 'yaml';
import { SettingsError } from './secrets.ts';

type KeyPath = readonly (string | number)[];

export interface SettingsDocument {
  readonly value: unknown;
  /** Line (from 1) of the key at this path, or of the nearest existing section. */
  lineOf(path: KeyPath): number;
}

/**
 * Parses the text of a settings file. Numbers under `textKeys` are returned as their text in the file.
 * @throws SettingsError naming line and column; it never quotes the line, which may contain a secret
 */
export function parseSettingsText(
  text: string,
  fileName: string,
  textKeys: readonly KeyPath[],
): SettingsDocument {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  const problem = document.errors[0] ?? document.warnings[0];
  if (problem !== undefined) {
    const { line, col } = lines.linePos(problem.pos[0]);
    throw new SettingsError(
      `${fileName}, line ${line}, column ${col}: not readable as YAML: ${explainProblem(problem, text)}`,
    );
  }
  for (const path of textKeys) keepAsText(document, path);
  return {
    value: toPlainValue(document, fileName),
    lineOf: (path) => lines.linePos(findOffset(document, path)).line,
  };
}

/** A key before its colon, without any part of a value, which may be a secret. */
const keyPattern = /^[a-z][A-Za-z0-9]{1,40}(?=\s*:)/;

/** The fault in words that name the key, if the parser's do not. */
function explainProblem({ code, message, pos }: YAMLError, text: string): string {
  const [key] = keyPattern.exec(text.slice(pos[0])) ?? [];
  if (code === 'DUPLICATE_KEY' && key !== undefined)
    return `${key} stands here for the second time: put all of it into one place`;
  return message;
}

function keepAsText(document: Document.Parsed, path: KeyPath): void {
  const node = document.getIn(path, true);
  if (isScalar(node) && typeof node.value === 'number' && node.source !== undefined) node.value = node.source;
}

function toPlainValue(document: Document.Parsed, fileName: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    throw new SettingsError(`${fileName}: not readable as YAML: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** Finds the start of the key, or the list item, at `path`; else of the deepest section above it. */
function findOffset(document: Document.Parsed, path: KeyPath): number {
  let node: unknown = document.contents;
  let offset = 0;
  for (const key of path) {
    const pair = isMap(node)
      ? node.items.find((item) => isScalar(item.key) && item.key.value === key)
      : undefined;
    const item = isSeq(node) ? node.items[Number(key)] : undefined;
    const start = pair?.key ?? item;
    if (!isNode(start)) return offset;
    offset = start.range?.[0] ?? offset;
    node = pair?.value ?? item;
  }
  return offset;
}
