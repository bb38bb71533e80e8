/** Workbooks whose cells a careless reader takes for others, from the shell: judged by the bank's ledger. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeXlsx, textRow } from '../support/workbook-kit.ts';
import { openScene, readPresentResult, type Scene } from './harness.ts';

const texts = '0810000001 payoutId proxyNo amount reference1 PAY-1 100.00 PAY-2 200.00 R1 0810000002'.split(
  ' ',
);

/** Cells of a row that point to texts; undefined for one that points to none. */
const pointers = (row: number, ...at: readonly (string | number | undefined)[]): string =>
  textRow(
    row,
    at.map((text, place) =>
      text === undefined
        ? `<c r="${'ABCD'[place]}${row}" t="s"/>`
        : `<c r="${'ABCD'[place]}${row}" t="s"><v>${text}</v></c>`,
    ),
  );

const headAndFirst = pointers(1, 1, 2, 3, 4) + pointers(2, 5, 0, 6, 9);

async function addWorkbook(scene: Scene, name: string, rows: string, columns = ''): Promise<string> {
  const path = join(scene.folder, 'in', name);
  const sharedStrings = texts.map((text) => `<t>${text}</t>`);
  await writeFile(path, await makeXlsx({ sheets: [{ name: 'Pay', rows, columns }], sharedStrings }));
  return path;
}

const listPaid = async ({ bank }: Scene): Promise<string[]> =>
  (await bank.ledger()).entries.map(
    ({ proxyNo, amount, reference1 }) => `${proxyNo} ${amount} ${reference1}`,
  );

test('an empty cell is no cell of the list of texts: its row is rejected, and the others are paid', async () => {
  await using scene = await openScene();
  const file = await addWorkbook(scene, 'empty.xlsx', headAndFirst + pointers(3, 7, undefined, 8, undefined));
  expect(await scene.run('run', file)).toEndWith(3);
  expect(await listPaid(scene)).toEqual(['0810000001 100.00 R1']);
  expect(
    (await readPresentResult(scene.outbox)).map(({ payoutId, proxyNo, status }) => [
      payoutId,
      proxyNo,
      status,
    ]),
  ).toEqual([
    ['PAY-1', '0810000001', 'paid'],
    ['PAY-2', '', 'rejected'],
  ]);
});

test.each([
  [
    'points beyond the list of texts',
    pointers(3, 7, 10, 11, 9),
    /short\.xlsx:3: .*cell C3 of sheet "Pay" has no text.*workbook-damaged/,
  ],
  [
    'points to nothing',
    pointers(3, 7, '', 8, 9),
    /short\.xlsx:3: .*cell B3 of sheet "Pay" has no text.*workbook-damaged/,
  ],
  [
    'is there twice',
    pointers(3, 7, 10, 8, 9) + pointers(3, 5, 10, 8, 9),
    /short\.xlsx:3: .*cell A3 of sheet "Pay" has two contents.*workbook-damaged/,
  ],
])('a cell that %s refuses the workbook, and the rows as CSV are paid', async (_, row, words) => {
  await using scene = await openScene();
  const file = await addWorkbook(scene, 'short.xlsx', headAndFirst + row);
  const checked = await scene.run('check', file);
  expect(checked).toEndWith(5);
  expect(checked.stdout).toMatch(words);
  expect(checked.stdout).toContain('give the rows as "CSV UTF-8"');
  expect(await scene.run('run', file)).toEndWith(5);
  expect(await scene.run('register', file)).toEndWith(5);
  expect(await listPaid(scene)).toEqual([]);
  const csv = 'payoutId,proxyNo,amount,reference1\nPAY-1,0810000001,100.00,R1\nPAY-2,0810000002,200.00,R1\n';
  expect(await scene.run('run', await scene.addFile('short.csv', csv))).toEndWith(0);
  expect(await listPaid(scene)).toEqual(['0810000001 100.00 R1', '0810000002 200.00 R1']);
});

test('rows and columns that a person does not see are not paid, however they are hidden', async () => {
  await using scene = await openScene();
  const second = pointers(3, 7, 10, 8, 9);
  const hidden = second.replace('<row r="3"', '<row hidden="1"').replaceAll(/ r="\w+"/g, '');
  for (const row of [hidden, second.replace('<row', '<row ht="0"')]) {
    const file = await addWorkbook(scene, `${row.length}.xlsx`, headAndFirst + row);
    expect(await scene.run('check', file)).toMatchObject({
      code: 3,
      stdout: expect.stringContaining('row-hidden'),
    });
  }
  const narrow = '<cols><col min="3" max="3" width="0"/></cols>';
  const file = await addWorkbook(scene, 'narrow.xlsx', headAndFirst + second, narrow);
  expect(await scene.run('run', file)).toMatchObject({
    code: 5,
    stdout: expect.stringContaining('column-hidden'),
  });
  expect(await scene.run('run', await addWorkbook(scene, 'low.xlsx', headAndFirst + hidden))).toEndWith(3);
  expect(await listPaid(scene)).toEqual(['0810000001 100.00 R1']);
});
