/** Statements and breaks that two people decide on in the shell, and payer accounts that are halted. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readTables } from '../support/tables.ts';
import { dayOf, openBankScene, passTo, showDay } from './as-bank.ts';
import { until } from './harness.ts';
import { addPeople } from './scene-people.ts';

const csv = [
  'payoutId,proxyType,proxyNo,amount',
  'A-1,MSISDN,0811111111,10.00',
  'A-2,MSISDN,0811111112,20.00',
  '',
];

const refusedAs = (text: string | RegExp) => ({
  code: expect.toBeOneOf([2, 5]) as number,
  stderr: expect.stringMatching(text) as string,
});

/** A day whose statement was accepted, and lacks a line from the second time on that the bank gives it. */
async function openDay() {
  const drop = { edit: 'drop', match: { row: 2 }, fromIssue: 2 };
  const scene = await openBankScene({ sandbox: { statement: { emptyDays: true, edits: [drop] } } });
  await scene.run('run', await scene.addFile('a.csv', csv.join('\n')));
  const date = dayOf(scene);
  const day = showDay(date);
  passTo(scene, '09:00');
  expect(await scene.run('reconcile', '--date', day)).toEndWith(0);
  const become = await addPeople(scene, 'bank');
  return { scene, date, day, become, [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose]() };
}

test('from the first user on two people take a statement that loses lines, with the bytes that they saw', async () => {
  await using opened = await openDay();
  const { scene, date, day, become } = opened;
  expect(await scene.run('reconcile', '--date', day)).toMatchObject(refusedAs(/lacks 1 transfer/));
  await become('mali');
  expect(await scene.run('reconcile', '--date', day, '--force')).toMatchObject(
    refusedAs(
      new RegExp(
        `type "paydrop accept ${day} --statement --note '...'"|type "paydrop accept ${day} --statement"`,
      ),
    ),
  );
  const wish = ['accept', day, '--statement', '--note', 'the bank says that it is right'] as const;
  const proposed = await scene.run(...wish);
  expect([proposed.code, proposed.stdout]).toEqual([
    0,
    expect.stringContaining('"paydrop approve 1" by another person'),
  ]);
  expect((await scene.run('proposals', '1')).stdout).toMatch(
    new RegExp(`statement of ${day}: 1 line, [12]0.00 baht; .*lacks 1 transfer .*; kept as .*statements`),
  );
  await become('nok');
  expect(await scene.run('approve', '1')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('1 item applied'),
  });
  const folder = join(scene.dataDir, 'statements');
  const [gone] = await readTables(folder, new RegExp(`^${date}\\.v2\\.breaks\\.csv$`));
  expect(gone).toMatchObject({
    kind: 'missing-at-bank',
    source: 'the bank, mali insisted, checked by nok (proposal 1)',
  });

  // Back to the first version, by the file that is kept: its bytes are changed before the second person looks.
  await become('mali');
  const names = (await readdir(folder)).filter((name) => name.includes('.original.'));
  const sizes = await Promise.all(names.map(async (name) => (await readFile(join(folder, name))).length));
  const first = join(folder, names[sizes.indexOf(Math.max(...sizes))] ?? '');
  expect(await scene.run('reconcile', '--file', first)).toMatchObject(refusedAs(/paydrop accept/));
  expect(await scene.run('accept', day, '--file', first, '--note', 'x')).toMatchObject({
    code: 2,
    stdout: expect.stringContaining('has superseded'),
  });
  expect(
    await scene.run('accept', day, '--file', first, '--force', '--note', 'the first was right'),
  ).toEndWith(0);
  const bytes = await readFile(first);
  await writeFile(first, Buffer.concat([bytes, Buffer.from('x')]));
  await become('nok');
  expect(await scene.run('approve', '2')).toMatchObject({
    stdout: expect.stringContaining('its bytes are not'),
  });
  await writeFile(first, bytes);
  await become('mali');
  await scene.run('accept', day, '--file', first, '--force', '--note', 'the first was right');

  const key = String(gone?.['transRefNo']);
  expect(await scene.run('accept', day, 'NONE', '--note', 'x')).toMatchObject(
    refusedAs(/no such break is open: NONE/),
  );
  expect(await scene.run('accept', day, key, '--note', 'booked on the next day')).toEndWith(0);
  await become('nok');
  expect(await scene.run('approve', '4')).toEndWith(0);
  expect(await scene.run('approve', '3')).toMatchObject({
    stdout: expect.stringContaining('1 item applied'),
  });
  const status = await scene.run('status', '--statements', '--json');
  expect(JSON.parse(status.stdout)).toMatchObject([{ statementVersion: 3, openBreaks: 0 }]);
});

test('a payer account is halted by one person at once, and goes on by two', async () => {
  await using scene = await openBankScene();
  const file = await scene.addFile('a.csv', csv.join('\n'));
  // While there are no users whoever is at the machine does both.
  expect(await scene.run('halt', '--note', 'a look at the balance')).toEndWith(0);
  expect(await scene.run('run', file)).toEndWith(6);
  expect(await scene.run('halt', '--lift', '--note', 'looked at')).toEndWith(0);
  const become = await addPeople(scene, 'bank');
  await become('mali');
  expect(await scene.run('halt', '0000000000', '--note', 'x')).toMatchObject(
    refusedAs(/nothing is paid from/),
  );
  expect(await scene.run('halt', '--note', 'again')).toMatchObject({
    stdout: expect.stringContaining('1 item applied'),
  });
  expect(await scene.run('halt', '--lift', '--note', 'it is right')).toEndWith(0);
  await become('nok');
  expect(await scene.run('run', file)).toEndWith(6);
  expect(await scene.run('approve', '2')).toMatchObject({
    stdout: expect.stringContaining('1 item applied'),
  });

  // What nobody checks lapses by itself where a watcher runs.
  await become('mali');
  await scene.run('halt', '--note', 'once more');
  expect(await scene.run('halt', '--lift', '--note', 'looked at')).toEndWith(0);
  passTo(scene, '01:00', 8);
  const watch = scene.start('watch', '--json');
  await until(() => watch.stderr.includes('proposals have lapsed'));
  watch.kill('SIGTERM');
  await watch.ended;
  expect((await scene.run('proposals', '4')).stdout).toContain('it has lapsed');
});
