/** Keeps the house in order: import directions, sizes, banned calls, names, and what no file may hold. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  findBannedForms,
  findDefaultBranches,
  findEmptyNames,
  findFloatMoney,
  findImpureCore,
  findLongFiles,
  findLongFunctions,
  findWaysAroundTheGate,
  findParseFloat,
  measureFunctions,
} from './tidy/code-rules.ts';
import {
  findForbiddenImports,
  findHeavyStart,
  findImportCycles,
  findOutsideImportsOfCore,
} from './tidy/import-rules.ts';
import { findUnusedExports, findWrongMarks } from './tidy/export-rules.ts';
import { findCrowdedFolders, findLargeRooms } from './tidy/folder-rules.ts';
import { heldGauges, measureGauges } from './tidy/gauges.ts';
import { findGoneWords } from './tidy/name-rules.ts';
import { parseSource, projectRoot, readSources } from './tidy/source.ts';
import type { Finding, Source } from './tidy/source.ts';
import {
  findForeignPlaces,
  findPrivateKeys,
  findRealPeople,
  findUnhashedPackages,
  readTextFiles,
} from './tidy/text-rules.ts';
import type { TextFile } from './tidy/text-rules.ts';
import { inWords } from './support/in-words.ts';

/** A right check digit under a first digit that people have. */
const anybodysId = ['1000000', '000009'].join('');

/** Most functions fit on a quarter of a screen. */
const medianLinesMax = 15;

interface Rule<Subject> {
  readonly name: string;
  readonly find: (subject: Subject) => Finding[];
  /** Path and text of files that break the rule, each by itself. */
  readonly bad: readonly Example[];
  /** The same, mended. */
  readonly good: readonly Example[];
}

type Example = readonly [path: string, text: string];

const lines = (count: number, line: string) => Array.from({ length: count }, () => line).join('\n');

const sourceRules: readonly Rule<Source>[] = [
  {
    name: 'imports follow the table',
    find: findForbiddenImports,
    bad: [
      ['src/core/a.ts', `import type { Y } from '../payout/b.ts';`],
      ['src/payout/rules/a.ts', `import { y } from '../submit.ts';`],
      ['src/platform/a.ts', `import { y } from '../intake/b.ts';`],
      ['src/bank/a.ts', `import type { Settings } from '../settings/settings.ts';`],
      ['src/store/payouts/a.ts', `const { y } = await import('../../payout/submit.ts');`],
      ['src/payout/a.ts', `export { y } from '../store/b.ts';`],
      ['src/payout/a.ts', `import { y } from '../intake/ingest.ts';`],
      ['src/sandbox/a.ts', `import { y } from '../bank/client.ts';`],
      ['src/settings/a.ts', `import { y } from '../sandbox/server.ts';`],
      ['src/watch/folders/a.ts', `import { y } from '../../cli/run.ts';`],
      ['src/newcomer/a.ts', `import { y } from '../core/b.ts';`],
    ],
    good: [
      ['src/core/a.ts', `import type { Y } from './b.ts';`],
      ['src/payout/rules/a.ts', `import { y } from '../../intake/rules/b.ts';`],
      ['src/store/a.ts', `import type { Y } from '../payout/ports.ts';`],
      ['src/reconcile/file/a.ts', `import { y } from '../../reports/outbox.ts';`],
      ['src/sandbox/a.ts', `import { y } from '../bank/wire.ts';`],
      ['src/cli/a.ts', `import type { S } from '../settings/settings.ts';`],
    ],
  },
  {
    name: 'core and rules import nothing from outside but hashing and signatures',
    find: findOutsideImportsOfCore,
    bad: [
      ['src/core/a.ts', `import { createHash, randomBytes } from 'node:crypto';`],
      ['src/core/a.ts', `import { readFileSync } from 'node:fs';`],
      ['src/payout/rules/a.ts', `import 'zod';`],
    ],
    good: [
      ['src/core/a.ts', `import { createHash } from 'node:crypto';`],
      ['src/intake/a.ts', `import { readFileSync } from 'node:fs';`],
    ],
  },
  {
    name: 'core and rules have no clock, no chance, no environment',
    find: findImpureCore,
    bad: [
      'Date.now()',
      'new Date()',
      'Date()',
      'Math.random()',
      'process.env',
      `fetch('x')`,
      'setTimeout(f, 1)',
      'performance.now()',
      'crypto.randomUUID()',
    ].map((call) => ['src/core/a.ts', `const y = ${call};`] as const),
    good: [
      ['src/core/a.ts', 'const y = [new Date(nowMs), Date.UTC(1, 2), Math.max(1, 2)];'],
      ['src/payout/a.ts', 'const y = Date.now();'],
    ],
  },
  {
    name: 'files have at most 600 lines, tables of data apart',
    find: findLongFiles,
    bad: [
      ['test/a.test.ts', lines(601, '//')],
      ['src/core/a.ts', `export const a = [\n${lines(600, '() => 1,')}\n];`],
      ['src/core/a.ts', `function f() {\n  const a = [\n${lines(600, '1,')}\n];\n}`],
    ],
    good: [
      ['test/a.test.ts', `${lines(600, '//')}\n`],
      ['src/core/a.ts', `export const a = [\n${lines(900, '1,')}\n] as const;`],
      ['src/core/a.ts', `const a = wordings({\n${lines(900, "'a.b': ['b', 'ข'],")}\n});`],
    ],
  },
  {
    name: 'functions stay below 70 lines',
    find: findLongFunctions,
    bad: [
      ['src/intake/a.ts', `function f() {\n${lines(68, 'g();')}\n}`],
      ['src/intake/a.ts', `const f = async () => {\n${lines(68, 'g();')}\n}`],
      ['test/a.test.ts', `describe('a', () => { test('b', () => {\n${lines(70, 'g();')}\n}); });`],
    ],
    good: [
      ['src/intake/a.ts', `function f() {\n${lines(67, 'g();')}\n}`],
      ['test/a.test.ts', `describe.each([1])('a', () => {\n${lines(70, 'g();')}\n});`],
      ['test/a.test.ts', `describePostgres('a', () => {\n${lines(70, 'g();')}\n});`],
    ],
  },
  {
    name: 'no amount becomes a float',
    find: findFloatMoney,
    bad: [
      ['src/payout/a.ts', 'const y = Number(row.amountSatang);'],
      ['src/payout/a.ts', 'const y = +amountText;'],
      ['test/a.test.ts', 'const y = parseInt(fee, 10);'],
    ],
    good: [['src/payout/a.ts', 'const y = [Number(row.port), a + amountText];']],
  },
  {
    name: 'no parseFloat',
    find: findParseFloat,
    bad: [
      ['src/intake/a.ts', `const y = parseFloat('1.5');`],
      ['src/intake/a.ts', `const y = Number.parseFloat('1.5');`],
    ],
    good: [['src/intake/a.ts', `const y = parse('parseFloat');`]],
  },
  {
    name: 'no enum, no any',
    find: findBannedForms,
    bad: [
      ['src/intake/a.ts', 'enum Colour { Red }'],
      ['test/a.test.ts', 'const y = z as any;'],
    ],
    good: [['test/a.test.ts', `type Colour = 'red'; const any = z as unknown;`]],
  },
  {
    name: 'no default branch in core',
    find: findDefaultBranches,
    bad: [['src/core/a.ts', 'switch (y) { case 1: f(); break; default: g(); }']],
    good: [
      ['src/core/a.ts', 'switch (y) { case 1: f(); }'],
      ['src/intake/a.ts', 'switch (y) { default: f(); }'],
    ],
  },
  {
    name: 'names say something',
    find: findEmptyNames,
    bad: [
      ['src/core/money-utils.ts', ''],
      ['src/helpers/money.ts', ''],
      ['src/core/a.ts', 'class BatchManager {}'],
    ],
    good: [['src/core/money.ts', 'function describeInformant() {}']],
  },
  {
    name: 'exported names have no word that has gone',
    find: findGoneWords,
    bad: [
      ['src/watch/a.ts', 'export class BatchDesk {}'],
      ['src/payout/a.ts', 'export const lineStopOf = () => 1;'],
      ['src/payout/a.ts', 'export interface PeopleResult {}'],
    ],
    good: [
      ['src/watch/a.ts', 'export class BatchScheduler {}'],
      ['src/watch/a.ts', 'const space = 1; export const deskew = space;'],
    ],
  },
  {
    name: 'what people and programs read leaves through the one gate',
    find: findWaysAroundTheGate,
    bad: [
      ['src/cli/a.ts', `process.stdout.write('x');`],
      ['src/cli/a.ts', `const { stderr } = process;`],
      ['src/app/a.ts', `console.log('x');`],
      ['src/watch/a.ts', `import { pino } from 'pino';`],
      ['src/watch/a.ts', `const { pino } = await import('pino');`],
      ['src/cli/a.ts', `import { stdout } from 'node:process';`],
      ['src/cli/views/a.ts', 'const text = JSON.stringify(json);'],
      ['src/notify/a.ts', 'const body = JSON.stringify(notice);'],
      ['src/watch/monitor/a.ts', 'reply.send(JSON.stringify(health));'],
      ['src/cli/a.ts', 'const text = raw as PrintableText;'],
    ],
    good: [
      ['src/cli/output.ts', 'process.stdout.write(text);'],
      ['src/platform/log.ts', `import { pino } from 'pino';`],
      ['src/watch/a.ts', `import type { Logger } from 'pino';`],
      ['src/notify/command.ts', 'child.stdout.destroy();'],
      ['src/store/a.ts', 'const column = JSON.stringify(value);'],
      ['src/core/outgoing-text.ts', 'const text = raw as PrintableText;'],
    ],
  },
];

const textRules: readonly Rule<TextFile>[] = [
  {
    name: 'no place outside the project',
    find: findForeignPlaces,
    bad: [
      ['README.md', `see ${['', 'home', 'me'].join('/')}`],
      ['package-lock.json', `${JSON.stringify('resolved')}: "https://packages.example/a.tgz"`],
      ['.ci/run', `npm ci --registry https://${['registry', 'example'].join('.')}`],
    ],
    good: [
      ['README.md', 'see samples/payouts.csv and https://bank.example/home/me'],
      ['package-lock.json', '"integrity": "sha512-x"'],
    ],
  },
  {
    name: 'no private keys',
    find: findPrivateKeys,
    bad: [['test/a.pem', ['-----BEGIN', 'PRIVATE KEY-----'].join(' ')]],
    good: [['test/a.pem', '-----BEGIN CERTIFICATE-----']],
  },
  {
    name: "no living person's citizen ID",
    find: findRealPeople,
    bad: [
      ['samples/a.csv', `P1,NATID,${anybodysId},x`],
      ['test/a.test.ts', `const id = '${anybodysId}';`],
    ],
    good: [
      ['samples/a.csv', 'P1,NATID,9000000000004,x'],
      ['test/a.test.ts', `const atMs = ${anybodysId};`],
    ],
  },
  {
    name: 'everything that production installs has a hash',
    find: findUnhashedPackages,
    bad: [['package-lock.json', '{"packages":{"":{},"node_modules/a":{"version":"1.0.0"}}}']],
    good: [
      ['package-lock.json', '{"packages":{"":{},"node_modules/a":{"integrity":"sha512-x"}}}'],
      ['package-lock.json', '{"packages":{"":{},"node_modules/a":{"dev":true}}}'],
      ['docs/a.md', 'package-lock.json'],
    ],
  },
];

function report(findings: readonly Finding[]): string[] {
  return findings.map(({ path, line, what }) => `${path}:${line}: ${what}`);
}

const sources = readSources();
const textFiles = readTextFiles();

describe.each(sourceRules)('$name', ({ find, bad, good }) => {
  test.each(bad)('is broken by an example in %s', (path, text) => {
    expect(find(parseSource(path, text))).not.toEqual([]);
  });
  test.each(good)('is kept by an example in %s', (path, text) => {
    expect(report(find(parseSource(path, text)))).toEqual([]);
  });
  test('is kept by the project', () => expect(inWords(report(sources.flatMap(find)))).toEqual([]));
});

describe.each(textRules)('$name', ({ find, bad, good }) => {
  test.each(bad)('is broken by an example in %s', (path, text) => {
    expect(find({ path, text })).not.toEqual([]);
  });
  test.each(good)('is kept by an example in %s', (path, text) => {
    expect(report(find({ path, text }))).toEqual([]);
  });
  test('is kept by the project', () => expect(report(textFiles.flatMap(find))).toEqual([]));
});

describe('no file imports itself in a ring, types included', () => {
  const one = parseSource('src/core/a.ts', `import type { B } from './b.ts';`);

  test('a ring is found', () => {
    const other = parseSource('src/core/b.ts', `export type { A } from './a.ts';`);
    expect(report(findImportCycles([one, other]))).toHaveLength(1);
  });

  test('a line is not', () => {
    expect(report(findImportCycles([one, parseSource('src/core/b.ts', '')]))).toEqual([]);
  });

  test('the project keeps it', () => {
    expect(report(findImportCycles(sources.filter(({ path }) => path.startsWith('src/'))))).toEqual([]);
  });
});

describe('a room is as large as one can know it', () => {
  const fileOf = (path: string, count = 1) => parseSource(path, lines(count, '//'));

  test('a folder of 31 files at one level is found', () => {
    const files = Array.from({ length: 31 }, (_, place) => fileOf(`src/core/a${place}.ts`));
    expect(report(findCrowdedFolders(files))).toHaveLength(1);
    expect(report(findCrowdedFolders(files.slice(1)))).toEqual([]);
  });

  test('a folder with more than 17 % of the lines is found', () => {
    const rest = Array.from({ length: 5 }, (_, place) => fileOf(`src/room${place}/a.ts`, 16));
    expect(report(findLargeRooms([...rest, fileOf('src/core/a.ts', 20)]))).toHaveLength(1);
    expect(report(findLargeRooms([...rest, fileOf('src/core/a.ts', 10), fileOf('src/x/a.ts', 10)]))).toEqual(
      [],
    );
  });

  test('what one engine alone needs counts by itself', () => {
    const rest = Array.from({ length: 5 }, (_, place) => fileOf(`src/room${place}/a.ts`, 15));
    const store = [fileOf('src/store/a.ts', 12), fileOf('src/store/postgres/a.ts', 12)];
    expect(report(findLargeRooms([...rest, ...store]))).toEqual([]);
  });

  test('the project keeps it', () => {
    const own = sources.filter(({ path }) => path.startsWith('src/'));
    expect(report([...findCrowdedFolders(own), ...findLargeRooms(own)])).toEqual([]);
  });
});

describe('--help stays light', () => {
  const entry = 'src/main.ts';
  const main = parseSource(entry, `import { c } from './cli/c.ts';`);

  test('a package loaded by a command module is found', () => {
    const heavy = parseSource('src/cli/c.ts', `import { z } from 'zod';`);
    expect(report(findHeavyStart([main, heavy], entry))).toHaveLength(1);
  });

  test('one loaded in the handler is not', () => {
    const light = parseSource('src/cli/c.ts', `import type { Z } from 'zod'; const f = () => import('zod');`);
    expect(report(findHeavyStart([main, light], entry))).toEqual([]);
  });

  test('the project keeps it', () => expect(report(findHeavyStart(sources, entry))).toEqual([]));
});

test('the median function is short', () => {
  const sizes = sources
    .filter(({ path }) => path.startsWith('src/'))
    .flatMap((source) => measureFunctions(source).map((size) => size.lines))
    .toSorted((one, other) => one - other);
  const median = sizes[Math.floor(sizes.length / 2)] ?? 0;
  console.log(`${sizes.length} functions in src/, median ${median} lines, longest ${sizes.at(-1)}`);
  expect(median).toBeGreaterThan(0);
  expect(median).toBeLessThanOrEqual(medianLinesMax);
});

describe('gauges of the house may only fall', () => {
  const gauges = measureGauges(sources.filter(({ path }) => path.startsWith('src/')));
  console.table(gauges);
  test.each(Object.entries(heldGauges))('%s: at most %d', (name, held) => {
    expect(inWords(gauges[name as keyof typeof heldGauges])).toBeLessThanOrEqual(held);
  });
});

describe('gauges are measured as they say', () => {
  const one = parseSource(
    'src/intake/a.ts',
    `/** Of a file. */\nimport { b } from '../core/b.ts';\nexport const a = b;\ninterface Base { y: 1 }
    export interface RunContext extends Base { x?: 1; }\nclass C { m() {} n() {} }`,
  );
  const two = parseSource(
    'src/core/b.ts',
    `export const b = 1; export const c = 2; export const d = 'nobody';`,
  );
  const three = parseSource('src/core/c.ts', `import { d } from './b.ts'; console.log(d);`);

  test.each<[keyof typeof heldGauges, number]>([
    ['files in src/', 3],
    ['arrows between rooms', 1],
    ['files that one neighbour alone imports', 0],
    ['exports that no other file of src/ uses, those marked for tests apart', 3],
    ['comments that begin with Of, Where, Those, It, Whoever, What, Nobody', 1],
    ['nobody, somebody, whoever', 1],
    ['members of the largest context', 2],
    ['members of the largest class', 2],
    ['optional members of contexts', 1],
  ])('%s', (name, expected) => expect(measureGauges([one, two, three])[name]).toBe(expected));
});

describe('exports are used by src/, or marked for the tests that use them', () => {
  const own = parseSource(
    'src/core/a.ts',
    `export const used = 1;\n/** @forTests */\nexport const tested = 2;\nexport interface Neither {}`,
  );
  const testOf = (text: string) => parseSource('test/core/a.test.ts', text);
  const user = parseSource('src/core/b.ts', `const { used } = await import('./a.ts'); used();`);
  const names = (findings: readonly Finding[]) => findings.map(({ what }) => what);

  test('an unused name without a mark is found', () => {
    expect(names(findUnusedExports([own, user]))).toEqual(['no other file of src/ uses Neither']);
  });

  test.each([
    ['a name that a test uses', `import { tested } from '../../src/core/a.ts';`, '', []],
    ['one that a test uses of the whole', `import * as a from '../../src/core/a.ts'; a.tested;`, '', []],
    ['one that no test uses', '', '', ['no test uses tested: do not export it']],
    [
      'one that src/ uses',
      `import { tested } from '../../src/core/a.ts';`,
      `import { tested } from './a.ts';`,
      ['src/ uses tested: drop its mark'],
    ],
  ])('a mark at %s', (_name, inTest, inSource, expected) => {
    const all = [own, testOf(inTest), parseSource('src/core/c.ts', inSource)];
    expect(names(findWrongMarks(all))).toEqual(expected);
  });

  test('a mark at no export is found', () => {
    const loose = parseSource('src/core/a.ts', '/** @forTests */\nconst a = 1;');
    expect(names(findWrongMarks([loose]))).toEqual(['a mark at no export']);
  });

  test('the project keeps it', () => {
    const unused = findUnusedExports(sources.filter(({ path }) => path.startsWith('src/')));
    expect(report([...unused, ...findWrongMarks(sources)])).toEqual([]);
  });
});

test("the proof of a clean clone is the README's test command", () => {
  const command = 'npm ci && npm test';
  const read = (path: string) => readFileSync(join(projectRoot, path), 'utf8');
  expect(read('.ci/run').trim().split('\n').slice(-2)).toEqual([command, 'npm run test:long']);
  expect(read('README.md')).toContain(command);
});
