/** What commands print with --json, held against docs/json.md: each field has a meaning, and each meaning its field. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callPaydrop } from '../cli/call-paydrop.ts';
import { type AnyView, outputs } from './json-page.ts';
import { projectRoot } from './markdown.ts';

const csv = `payoutId,proxyNo,payeeName,amount,reference1,branch
PAY-1,0810000001,Somchai Jaidee,100.00,INV-1,BKK
PAY-2,0890000033,Inactive Payee,500.00,INV-2,CNX
PAY-3,0995000000023,Rung Arun Transport,2500000.00,INV-3,HDY
PAY-4,081000001,Somchai Jaidee,450.00,INV-4,HDY
`;
let folder = '';
let batchId = '';

const call = (...args: readonly string[]) =>
  callPaydrop(...args, '--json', '--config', join(projectRoot, 'config/sandbox.yaml'), '--data-dir', folder);

/** Fields as the page lists them under the name of a view. */
let page: ReadonlyMap<string, readonly string[]> = new Map();

const readPage = (text: string): ReadonlyMap<string, readonly string[]> =>
  new Map(
    text.split(/^### /m).map((section) => {
      const [name = ''] = section.split('\n');
      return [name, Array.from(section.matchAll(/^\| `(\w+)`/gm), ([, field = '']) => field)] as const;
    }),
  );

type Json = Readonly<Record<string, unknown>>;

const forms: Readonly<Record<string, (value: unknown) => boolean>> = {
  number: (value) => typeof value === 'number',
  flag: (value) => typeof value === 'boolean',
  baht: (value) => /^-?\d+\.\d\d$/.test(String(value)),
  moment: (value) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+07:00$/.test(String(value)),
  day: (value) => /^\d{4}-\d\d-\d\d$/.test(String(value)),
  texts: Array.isArray,
  messages: Array.isArray,
  numbers: Array.isArray,
  counts: (value) => Object.values(value as Json).every((count) => typeof count === 'number'),
  words: (value) => Object.values(value as Json).every((text) => typeof text === 'string'),
  facts: () => true,
};

/** Faults of a value, as against the page and the view. */
function findFaults(views: readonly AnyView[], value: Json, path: string): string[] {
  const documented = views.flatMap(({ name }) => page.get(name) ?? []);
  const printed = Object.keys(value);
  const fields = Object.assign({}, ...views.map((view) => view.fields)) as AnyView['fields'];
  return [
    ...printed.filter((key) => !documented.includes(key)).map((key) => `${path}.${key} has no meaning`),
    ...documented.filter((key) => !printed.includes(key)).map((key) => `${path}.${key} has no field`),
    ...Object.entries(fields).flatMap(([key, field]) => {
      const inner = value[key];
      if (inner === null || inner === undefined) return [];
      if (typeof field.type === 'string') {
        const isOf = forms[field.type] ?? ((text) => typeof text === 'string');
        return isOf(inner) ? [] : [`${path}.${key} is no ${field.type}: ${JSON.stringify(inner)}`];
      }
      const { view, form } = field.type;
      const parts = form === 'record' ? [inner] : Object.values(inner);
      return parts.flatMap((part) => findFaults([view], part as Json, `${path}.${key}`));
    }),
  ];
}

/** The values that a command has printed, each without its version. */
async function valuesOf(...args: readonly string[]): Promise<readonly Json[]> {
  const { stdout } = await call(...args);
  expect(stdout).not.toBe('');
  return stdout
    .trim()
    .split('\n')
    .flatMap((line) => JSON.parse(line) as Json | readonly Json[])
    .map(({ version, ...rest }: Json) => {
      expect(version).toBe(1);
      return rest;
    });
}

beforeAll(async () => {
  page = readPage(await readFile(join(projectRoot, 'docs/json.md'), 'utf8'));
  folder = await mkdtemp(join(tmpdir(), 'paydrop-json-'));
  await writeFile(join(folder, 'payouts.csv'), csv);
  await writeFile(join(folder, 'broken.csv'), 'nothing of it\n');
  await writeFile(
    join(folder, 'registrations.csv'),
    await readFile(join(projectRoot, 'samples/registrations.csv'), 'utf8'),
  );
  const [ran] = await valuesOf('run', join(folder, 'payouts.csv'));
  batchId = String(ran?.['batchId']);
  await call('register', join(folder, 'registrations.csv'), '--wait', '0');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const calls: readonly (readonly string[])[] = [
  ['run', 'payouts.csv'],
  ['run', 'broken.csv'],
  ['register', 'registrations.csv', '--wait', '0'],
  ['check', 'payouts.csv'],
  ['check', 'broken.csv'],
  ['check', 'registrations.csv'],
  ['check', 'payouts.csv', '--digest'],
  ['check', 'payouts.csv', '--payees'],
  ['result', 'BATCH'],
  ['status'],
  ['status', 'BATCH'],
  ['status', '--registrations'],
  ['show', 'PAY-1'],
  ['show', 'PAY-3'],
  ['list'],
  ['list', '--registrations'],
  ['settle'],
  ['verify', 'BATCH'],
  ['audit'],
  ['queue'],
  ['exceptions', '--out', 'exceptions.csv'],
  ['evidence', 'PAY-1', '--out', 'evidence.json'],
  ['archive', '--before', '2026-01-01', '--dry-run'],
  ['resume', 'PAY-3'],
  ['cancel', 'PAY-3'],
  ['reconcile', '--date', '2026-01-05'],
  ['halt', '--note', 'looked at'],
  ['user', 'list'],
  ['user', 'add', 'mali', '--role', 'admin'],
];

/** Words of a call that name a file here, or the batch. */
const place = (word: string): string =>
  word === 'BATCH' ? batchId : /\.(csv|json)$/.test(word) ? join(folder, word) : word;

test.each(calls.map((words) => [words.join(' '), words] as const))('%s', async (_, words) => {
  const [command = ''] = words;
  for (const value of await valuesOf(...words.map(place))) {
    const possible = outputs.filter((one) => one.command === command);
    const faults = possible.map(({ views }) => findFaults(views, value, command));
    expect(faults.toSorted((one, other) => one.length - other.length)[0]).toEqual([]);
  }
});

test('a field without a meaning is found, and a meaning without a field', () => {
  const view = outputs.find(({ command }) => command === 'verify')?.views ?? [];
  const value = { batchId, file: 'a', isWhole: true, isOfMachines: false, more: 1 };
  expect(findFaults(view, value, 'verify')).toEqual([
    'verify.more has no meaning',
    'verify.files has no field',
  ]);
});
