/** README and docs/ name everything that a user can set, meet or call, are current, and lead nowhere but to what is there. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commands } from '../../src/commands.ts';
import { exitCodes } from '../../src/cli/exit-codes.ts';
import { holdReasons, moneyMoved, payoutStatuses } from '../../src/core/payout.ts';
import { noticeKinds } from '../../src/notify/rules/notice.ts';
import { breakKinds } from '../../src/reconcile/rules/types.ts';
import { payoutLines } from '../../src/reports/rules/report-rows.ts';
import { healthCodes } from '../../src/watch/rules/health.ts';
import { nameOf } from './commands-page.ts';
import { listAnchors, listLinks, projectRoot } from './markdown.ts';
import { writePage, writtenPages } from './pages.ts';
import { settings } from './settings-page.ts';

const readmeCharactersMax = 6_000;

const read = (path: string): string => readFileSync(join(projectRoot, path), 'utf8');
const docs = readdirSync(join(projectRoot, 'docs')).filter((name) => name.endsWith('.md'));
const pages = ['README.md', 'CHANGELOG.md', ...docs.map((name) => `docs/${name}`)];

/** Cells of the table rows of a page whose first cell is this, in backquotes or bare. */
function rowsOf(page: string, first: string | number): string[][] {
  return read(page)
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')))
    .filter((cells) => cells[1] === String(first));
}

/** Links of a page to files or headings that are not there. */
function findDeadLinks(page: string, text: string): string[] {
  return listLinks(text).filter((link) => {
    const [target = '', heading] = link.split('#');
    const path = target === '' ? page : join(dirname(page), target);
    if (!existsSync(join(projectRoot, path))) return true;
    return heading !== undefined && !listAnchors(path === page ? text : read(path)).has(heading);
  });
}

test(`the README has at most ${readmeCharactersMax} characters`, () => {
  expect(read('README.md').length).toBeLessThanOrEqual(readmeCharactersMax);
});

test.each(writtenPages)('%s is current; else run "npm run docs"', async (path) => {
  expect(read(path)).toBe(await writePage(path));
});

describe('links', () => {
  test.each(pages)('of %s lead somewhere', (page) => expect(findDeadLinks(page, read(page))).toEqual([]));

  test('that are dead are found', () => {
    const text =
      '# A heading\n[a](#a-heading) [b](#b) [c](docs/none.md) [d](README.md#none) [e](https://bank.example)';
    expect(findDeadLinks('README.md', text)).toEqual(['#b', 'docs/none.md', 'README.md#none']);
  });

  test('from the README reach every page', () => {
    const reached = new Set(listLinks(read('README.md')).map((link) => link.split('#')[0]));
    expect(docs.filter((name) => !reached.has(`docs/${name}`))).toEqual([]);
  });

  test('reach only pages that are in the package', () => {
    const { files } = JSON.parse(read('package.json')) as { readonly files: readonly string[] };
    expect(files).toEqual(expect.arrayContaining(['docs', 'CHANGELOG.md']));
  });
});

test('the settings are found', () => expect(settings.length).toBeGreaterThan(55));

test.each(settings)('setting $key has a meaning of its own, and a row', ({ key, described }) => {
  expect(described.description).toMatch(/\w/);
  expect(rowsOf('docs/settings.md', key)).toHaveLength(1);
});

test.each(commands.map(nameOf))('command %s has a section', (name) => {
  expect(listAnchors(read('docs/commands.md'))).toContain(name);
});

test.each(Object.values(exitCodes))('exit code %d stands among the codes, and with a command', (code) => {
  expect(rowsOf('docs/commands.md', code).length).toBeGreaterThan(1);
});

test.each(payoutStatuses)('status %s, with what is known of the money', (status) => {
  const rows = rowsOf('docs/states.md', status).filter(([, , money]) => money === moneyMoved(status));
  expect(rows).toHaveLength(1);
});

test.each(holdReasons)('hold %s', (hold) => expect(rowsOf('docs/files.md', hold)).toHaveLength(1));

test.each(breakKinds)('break %s', (kind) => expect(rowsOf('docs/reconciliation.md', kind)).toHaveLength(1));

test.each(noticeKinds)('notice %s', (kind) => expect(read('docs/operations.md')).toContain(`\`${kind}\``));

test.each(healthCodes)('/healthz says %s', (code) =>
  expect(read('docs/operations.md')).toMatch(new RegExp(`^\\| .*\`${code}\``, 'm')),
);

test.each([
  ['result', payoutLines.resultColumns],
  ['exceptions', payoutLines.exceptionColumns],
])('columns of the %s, in order', (name, columns) => {
  const [, listed = ''] =
    new RegExp(`Columns of the ${name}: ([^]*?)\\n\\n`).exec(read('docs/files.md')) ?? [];
  expect(Array.from(listed.matchAll(/`(\w+)`/g), ([, column]) => column)).toEqual([...columns]);
});

describe('commands that a text has somebody type', () => {
  const call = String.raw`paydrop ([a-z][a-z-]*)((?: (?:"\S+"|--[a-z-]+|[\w.<$[{/'-][^\s"\x60)|]*))*)`;
  /** Between quotes, in backquotes, in parentheses, or on a line of a shell. */
  const quoted = new RegExp(`["\x60(]${call}`, 'g');
  const onLine = new RegExp(`^ *(?:\\$ )?${call}`, 'gm');
  const known = new Map(commands.map((command) => [nameOf(command), command]));
  /** Those of every command, and of the parser. */
  const everywhere = ['--config', '--data-dir', '--json', '--log-level', '--help', '--version'];

  function findUnknown(text: string): string[] {
    const shells = Array.from(text.matchAll(/^```sh\n([^]*?)^```/gm), ([, lines = '']) => lines).join('\n');
    const calls = [...text.matchAll(quoted), ...shells.matchAll(onLine)];
    return calls.flatMap(([, name = '', rest = '']) => {
      if (name === 'completion') return [];
      if (!known.has(name)) return [name];
      const options = rest.match(/(?<= )--[a-z-]+/g) ?? [];
      const page = read('docs/commands.md').split(`\n## ${name}\n`)[1]?.split('\n## ')[0] ?? '';
      return options.filter((option) => !everywhere.includes(option) && !page.includes(`\`${option}\``));
    });
  }

  const sources = readdirSync(join(projectRoot, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.[cm]?ts$/.test(name))
    .map((name) => `src/${name}`);
  const samples = readdirSync(join(projectRoot, 'samples'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.includes('.'))
    .map((name) => `samples/${name}`);
  const older = ['CHANGELOG.md'];

  test('are there, with their options', () => {
    const texts = [...pages.filter((page) => !older.includes(page)), ...sources, ...samples];
    const unknown = texts.flatMap((path) => findUnknown(read(path)).map((word) => `${path}: ${word}`));
    expect(unknown).toEqual([]);
  });

  test.each([
    ['record it with "paydrop unpay"', ['unpay']],
    ['`paydrop bless BATCH` lets it go on', ['bless']],
    ['```sh\npaydrop retry INV-1 --amount 5\n```', ['--amount']],
    ['"paydrop list --status failed" shows them; paydrop pays', []],
  ])('are found that are not: %s', (text, unknown) => expect(findUnknown(text)).toEqual(unknown));
});
