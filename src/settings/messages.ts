/** Turns the schema's complaints into messages that name the key, its value, and the cure. */
import { z } from 'zod';
import { maskDigits } from '../core/proxy-id.ts';
import { findNearest } from '../core/nearest.ts';
import { settingsSchema } from './schema.ts';
import type { SettingsDocument } from './yaml.ts';

type Issue = z.core.$ZodIssue;

const foundLengthMax = 40;

/** One message for all faults of a settings file, one line each. */
export function describeIssues(
  issues: readonly Issue[],
  document: SettingsDocument,
  fileName: string,
): string {
  // A number beyond all integers breaks two rules; it is reported once.
  const keys = issues.map(({ path, code }) => `${code} ${path.join('.')}`);
  const firsts = issues.filter((_, place) => keys.indexOf(keys[place] ?? '') === place);
  const lines = firsts.flatMap((issue) => describeIssue(issue, document));
  const [only] = lines;
  if (lines.length === 1 && only !== undefined) return `${fileName}: ${only}`;
  return [`${fileName}: ${lines.length} settings are wrong`, ...lines.map((line) => `  ${line}`)].join('\n');
}

function describeIssue(issue: Issue, document: SettingsDocument): string[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => complainAt(document, [...path, key], explainUnknownKey(key, path)));
  }
  const found = valueAt(document.value, path);
  return [complainAt(document, path, explain(issue, path, found))];
}

/**
 * The message of a complaint from outside the schema.
 * @param key such as `bank.termId`
 */
export const describeComplaint = (
  document: SettingsDocument,
  fileName: string,
  key: string,
  complaint: string,
): string => `${fileName}: ${complainAt(document, key.split('.'), complaint)}`;

function complainAt(document: SettingsDocument, path: readonly string[], complaint: string): string {
  const name = path.length === 0 ? 'the file' : path.join('.');
  return `${name} (line ${document.lineOf(path)}): ${complaint}`;
}

function explainUnknownKey(key: string, path: readonly string[]): string {
  const known = knownKeys(path);
  const nearest = findNearest(key, known);
  if (nearest !== undefined) return `unknown key: did you mean ${nearest}?`;
  return `unknown key: known here are ${known.join(', ')}`;
}

function explain(issue: Issue, path: readonly string[], found: unknown): string {
  if (found === undefined) return `is missing: ${cureForMissing(path)}`;
  const shown = showFound(path, found);
  if (issue.code === 'invalid_type' && issue.expected === 'string' && typeof found === 'number') {
    const form = forms[path.join('.')];
    if (form !== undefined) return `is a number here: ${form}`;
    return 'is a number here, which loses leading zeros: put the value in quotes';
  }
  if (issue.code === 'invalid_type') {
    const isQuoted = typeof found === 'string' && quotableTypes.has(issue.expected) && isPlain(found);
    const cure = isQuoted ? ': take the quotes away' : '';
    return `must be ${typeNames[issue.expected] ?? issue.expected}, found ${shown}${cure}`;
  }
  if (issue.code === 'invalid_value') {
    const isQuoted = typeof found === 'string' && issue.values.map(String).includes(found);
    const cure = isQuoted ? ': take the quotes away' : '';
    return `must be one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}, found ${shown}${cure}`;
  }
  if (issue.code === 'too_small' || issue.code === 'too_big') {
    return typeof found === 'string' && found.trim() === ''
      ? `is empty: ${cureForEmpty(path)}`
      : explainSize(issue, found, shown);
  }
  return typeof found === 'object' ? issue.message : `${issue.message}, found ${shown}`;
}

function explainSize(
  issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig,
  found: unknown,
  shown: string,
): string {
  const bound = issue.code === 'too_small' ? `at least ${issue.minimum}` : `at most ${issue.maximum}`;
  if (typeof found === 'string') return `must be ${bound} characters, found ${found.length}`;
  const why = typeof found === 'number' ? `: ${issue.message}` : '';
  return `must be ${bound}, found ${shown}${why}`;
}

/** Cures for keys whose text has a special form, when a number was given. */
const forms: Readonly<Record<string, string>> = {
  'watch.listen': 'give host and port, such as "127.0.0.1:8765"',
};

/** The key's description says what to add. */
function cureForMissing(path: readonly string[]): string {
  const description = valueAt(describeSection(path), ['description']);
  return `add ${typeof description === 'string' ? description : 'it'}`;
}

/** A required key cannot be left out. */
function cureForEmpty(path: readonly string[]): string {
  const required = valueAt(describeSection(path.slice(0, -1)), ['required']);
  const isRequired = Array.isArray(required) && required.includes(path.at(-1));
  return isRequired ? cureForMissing(path) : 'give a value, or remove the line';
}

/** Types that quotes turn into text. */
const quotableTypes: ReadonlySet<string> = new Set(['number', 'int', 'boolean']);

/** True for a number or truth value that is text only because of its quotes. */
const isPlain = (text: string): boolean => /^(?:-?\d+(?:\.\d+)?|true|false)$/.test(text);

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'a section with keys of its own',
  record: 'a section with keys of its own',
  array: 'a list, in square brackets',
};

/** Keys whose values are hidden: secrets, and an address that often works like one. */
const hiddenKeys = new Set(['clientSecret', 'webhookSecret', 'webhookUrl', 'keys', 'url']);

/** The value in the file, without secrets and whole account numbers. */
function showFound(path: readonly string[], found: unknown): string {
  const key = path.at(-1) ?? '';
  if (path.some((part) => hiddenKeys.has(part))) return 'a value that is not shown here';
  if (found === null) return 'nothing';
  if (Array.isArray(found)) return 'a list';
  if (typeof found === 'object') return 'a section';
  if (typeof found === 'number' || typeof found === 'boolean') return String(found);
  if (typeof found !== 'string' || path.length < 2) return 'text';
  if (key === 'payerAccount') return JSON.stringify(maskDigits(found));
  if (found.includes('@')) return 'an address with a user';
  return JSON.stringify(found.length > foundLengthMax ? `${found.slice(0, foundLengthMax)}…` : found);
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  let found = value;
  for (const key of path) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = (found as Record<string, unknown>)[key];
  }
  return found;
}

/** The schema of the section or key at `path`. */
function describeSection(path: readonly string[]): unknown {
  const whole = z.toJSONSchema(settingsSchema, { io: 'input', unrepresentable: 'any' });
  return valueAt(
    whole,
    path.flatMap((key) => ['properties', key]),
  );
}

/** The keys in the schema of the section at `path`. */
function knownKeys(path: readonly string[]): string[] {
  const section = describeSection(path);
  const names = valueAt(section, ['properties']) ?? {};
  const pattern = valueAt(section, ['propertyNames', 'enum']);
  return Array.isArray(pattern) ? pattern.map(String) : Object.keys(names);
}
