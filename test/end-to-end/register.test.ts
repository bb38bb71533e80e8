/** `paydrop register` as a shell runs it, killed on its way; the verdict is the bank's own ledger. */
import { expect, test } from 'vitest';
import { readPresentResult, type Scene, until } from './harness.ts';
import { accountOf, expectedOf, limitedAccount, openRegisterScene } from './register-scene.ts';

test('60 registrations, killed twice on the way: each is sent once, and every outcome is in the result', async () => {
  await using scene = await openRegisterScene();
  const rows = Array.from(
    { length: 60 },
    (_, index) => `R-${index + 1},C-${index + 1},${accountOf(index + 1)}`,
  );
  const file = await scene.addFile('reg.csv', `registrationId,customerId,accountNo\n${rows.join('\n')}\n`);
  const countSent = async (): Promise<number> => (await scene.bank.ledger()).registrations.entries.length;
  for (const sent of [8, 30]) {
    const program = scene.start('register', file, '--json');
    await until(async () => (await countSent()) >= sent);
    program.kill('SIGKILL');
    expect((await program.ended).signal).toBe('SIGKILL');
  }
  const end = await scene.run('register', file, '--json');
  expect(end).toEndWith(3);
  expect(JSON.parse(end.stdout)).toMatchObject({ status: 'done', addsUp: true, isRepeat: false });
  const { registrations } = await scene.bank.ledger();
  expect(registrations).toMatchObject({ duplicatesRefused: 0, repeatedRequestUids: 0 });
  const sentOnce = new Map(registrations.entries.map(({ accountNo, requestUID }) => [accountNo, requestUID]));
  expect(sentOnce.size).toBe(registrations.entries.length);
  for (const line of await readPresentResult(scene.outbox)) {
    const rowNo = Number(line['rowNo']);
    const requestUid = sentOnce.get(accountOf(rowNo));
    // Killed between its intent and its bytes, it never reached the bank; nobody can know, and it is not sent again.
    const status = requestUid === undefined ? 'unanswered' : expectedOf(rowNo);
    expect([rowNo, line['status'], line['attempts']]).toEqual([rowNo, status, '1']);
    expect(line['requestUID']).toBe(requestUid ?? line['requestUID']);
  }
  await stopsAtTheLimit(scene, file);
});

/** What is done is told again; what is too much for the bank stops short, and says so. */
async function stopsAtTheLimit(scene: Scene, done: string): Promise<void> {
  const file = await scene.addFile(
    'late.csv',
    `registrationId,customerId,accountNo\nL-1,C-1,${limitedAccount}\n`,
  );
  const end = await scene.run('register', done, file);
  expect(end).toEndWith(6);
  expect(end.stdout).toMatch(/by an earlier run; nothing is registered again[^]*paused: .*the request limit/);
  expect(end.stdout + end.stderr).not.toContain(limitedAccount);
}
