/**
 * Files that say one thing to their writers and could be read as another: by `check` and by `run`, judged by the bank's
 * ledger. What a message offers as its cure is typed, and then works.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { openScene, type ProgramEnd, type Scene } from './harness.ts';
import { partner } from '../support/core-fixtures.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await openScene({ limits: { similarDays: 0, likeFileDays: 0 } });
});
afterAll(() => scene[Symbol.asyncDispose]());

let configs = 0;

/** The scene's settings with these of `input`. */
async function configWith(input: object): Promise<string> {
  configs += 1;
  const path = join(scene.folder, `with-${configs}.yaml`);
  const { baseUrl } = scene.bank;
  const limits = { similarDays: 0, likeFileDays: 0 };
  const settings = { dataDir: './data', bank: { baseUrl, ...partner }, limits, input };
  await writeFile(path, stringify(settings));
  return path;
}

interface Played {
  readonly check: ProgramEnd;
  readonly run: ProgramEnd;
  /** What the bank has paid for it. */
  readonly paid: readonly string[];
}

async function play(name: string, content: string | Uint8Array, input: object = {}): Promise<Played> {
  const path = join(scene.folder, 'in', name);
  await writeFile(path, content);
  const config = await configWith(input);
  const before = (await scene.bank.ledger()).entries.length;
  const check = await scene.runWith(config, 'check', path);
  expect((await scene.bank.ledger()).entries).toHaveLength(before);
  const run = await scene.runWith(config, 'run', path);
  const { entries } = await scene.bank.ledger();
  return { check, run, paid: entries.slice(before).map(({ amount }) => amount) };
}

/** Exit codes of `check` and `run`, then what was paid. */
const outline = ({ check, run, paid }: Played): readonly unknown[] => [check.code, run.code, ...paid];

describe('amounts that a comma has cut', () => {
  const thousands = (prefix: string): string =>
    [
      'payoutId,proxyNo,payeeName,amount,reference1,reference2',
      `${prefix}-1,0810000001,Somchai Jaidee,18,500.00,INV-1`,
      `${prefix}-2,0810000002,Malee Srisuk,22,750.00,INV-2`,
      `${prefix}-3,0810000003,Anan Thongdee,40.00,,INV-3\n`,
    ].join('\n');

  test('their rows are rejected, and the others are paid', async () => {
    const played = await play('thousands.csv', thousands('T'));
    expect(outline(played)).toEqual([3, 3, '40.00']);
    expect(played.check.stdout).toContain('this reads as 18,500.00');
    expect(await play('mended.csv', thousands('M').replaceAll(/(\d),(\d{3}\.00)/g, '$1$2,'))).toMatchObject({
      paid: ['18500.00', '22750.00', '40.00'],
    });
  });

  test.each([
    ['thousands', ['S-1,0810000001,1,500', 'S-2,0810000002,20.00,']],
    ['decimals', ['D-1,0810000001,1234,50', 'D-2,0810000002,99,95']],
  ])('a file that does not show whether they are cut is refused: %s', async (name, rows) => {
    const content = `${['payoutId,proxyNo,amount,branch', ...rows].join('\n')}\n`;
    const played = await play(`${name}.csv`, content);
    expect(outline(played)).toEqual([5, 5]);
    const [, key = '', value = ''] =
      /set input\.(\w+) to (\w+)/.exec(played.run.stdout + played.run.stderr) ?? [];
    const cured = await play(`${name}.csv`, content, { [key]: value });
    expect(outline(cured).slice(0, 2)).toEqual([0, 0]);
    expect(cured.paid).toHaveLength(2);
  });
});
