/** The same people again under new payoutIds: a file exported anew, and the file of the next week. */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { findReports, openScene, readTable, type Scene } from './harness.ts';

const header = 'payoutId,proxyType,proxyNo,payeeName,amount,reference1,reference2';
const rowCount = 8;
const dayMs = 86_400_000;

/** The same payees and amounts each time; payoutIds and references are the export's own. */
function exportOf(name: string, withReferences = false): string {
  const rows = Array.from({ length: rowCount }, (_, place) => {
    const reference = withReferences ? `${name}-R${place}` : '';
    return `${name}-${place},MSISDN,081234567${place},,${100 + place}.00,${reference},`;
  });
  return `${[header, ...rows].join('\n')}\n`;
}

const countMoved = async ({ bank }: Scene): Promise<number> => (await bank.ledger()).entries.length;

interface Summary {
  readonly batchId: string;
  readonly otherReferences: { readonly rows: number; readonly firstRowNos: readonly number[] };
}

async function runFile(scene: Scene, name: string, csv: string) {
  const ended = await scene.run('run', await scene.addFile(name, csv), '--json');
  const summary = JSON.parse(ended.stdout) as Summary;
  return { code: ended.code, ...summary };
}

test.each([
  ['without references', false],
  ['with references of its own', true],
])(
  'a file exported anew %s 80 s later pays nobody until a person lets it go on',
  async (_, withReferences) => {
    await using scene = await openScene();
    const first = await runFile(scene, 'march.csv', exportOf('M', withReferences));
    expect([first.code, await countMoved(scene)]).toEqual([0, rowCount]);
    scene.clocks.pass(80_000);
    const again = await runFile(scene, 'march-again.csv', exportOf('N', withReferences));
    expect([again.code, await countMoved(scene)]).toEqual([3, rowCount]);
    const [exceptions = ''] = await findReports(scene.outbox, /^march-again.*\.exceptions\.csv$/);
    const lines = await readTable(exceptions);
    expect(lines).toHaveLength(rowCount);
    for (const { reasonCode, reason, remedy } of lines) {
      expect(reasonCode).toBe('like-file');
      expect(reason).toContain(`march.csv, batch ${first.batchId}`);
      expect(remedy).toContain('paydrop resume');
    }
    expect(await runFile(scene, 'march-again.csv', exportOf('N', withReferences))).toEndWith(3);
    expect(await scene.run('resume', again.batchId)).toEndWith(0);
    expect(await runFile(scene, 'march-again.csv', exportOf('N', withReferences))).toEndWith(0);
    expect(await countMoved(scene)).toBe(2 * rowCount);
  },
);

test('a file held as like another stays held when it goes on with an account that another file resumes', async () => {
  await using scene = await openScene();
  await runFile(scene, 'march.csv', exportOf('M'));
  scene.clocks.pass(80_000);
  const again = await runFile(scene, 'march-again.csv', exportOf('N'));
  expect(await scene.run('resume', 'N-0')).toEndWith(0);
  expect(await scene.run('halt', '--note', 'a look at the balance')).toEndWith(0);
  const other = await runFile(scene, 'other.csv', `${header}\nX,MSISDN,0898765432,,55.00,,\n`);
  expect((await runFile(scene, 'march-again.csv', exportOf('N'))).code).toBe(6);
  expect([other.code, await countMoved(scene)]).toEqual([6, rowCount]);
  const resumed = await scene.run('resume', other.batchId, again.batchId);
  expect(resumed.stdout).toContain('it goes on with its payer account');
  expect(resumed.stdout).toContain(`${rowCount - 1} rows stay held as like others`);
  expect((await runFile(scene, 'march-again.csv', exportOf('N'))).code).toBe(3);
  expect(await countMoved(scene)).toBe(rowCount + 1);
  expect(await scene.run('resume', again.batchId)).toEndWith(0);
  expect((await runFile(scene, 'march-again.csv', exportOf('N'))).code).toBe(0);
  expect(await countMoved(scene)).toBe(2 * rowCount);
});

test('a like row of a small file is held, in one file, too, unless both have references that differ', async () => {
  await using scene = await openScene();
  const rows = ['A,,0812345670,,100.00,r1,', 'B,,0812345670,,100.00,r2,', 'C,,0812345670,,100.00,r1,'];
  const first = await runFile(scene, 'first.csv', `${[header, ...rows].join('\n')}\n`);
  expect([first.code, await countMoved(scene)]).toEqual([3, 2]);
  // Whichever of the two went second: it is told of, on the screen and in the file.
  expect(first.otherReferences.rows).toBe(1);
  const [path = ''] = await findReports(scene.outbox, /^first.*\.summary\.json$/);
  const { otherReferences } = JSON.parse(await readFile(path, 'utf8')) as Summary;
  expect(otherReferences).toEqual(first.otherReferences);
  scene.clocks.pass(dayMs);
  const second = await runFile(scene, 'second.csv', `${header}\nD,,0812345670,,100.00,,\n`);
  expect([second.code, await countMoved(scene)]).toEqual([3, 2]);
});

test('weekly and monthly files of the same people pass without a word', async () => {
  await using scene = await openScene();
  for (const [place, days] of [7, 7, 30, 4].entries()) {
    const { code } = await runFile(scene, `week-${place}.csv`, exportOf(`W${place}`));
    expect([code, await countMoved(scene)]).toEqual([0, (place + 1) * rowCount]);
    scene.clocks.pass(days * dayMs);
  }
});
