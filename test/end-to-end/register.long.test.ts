/** `paydrop register` as a shell runs it, killed on its way; the verdict is the bank's own ledger. */
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { readPresentResult, type Scene, until } from './harness.ts';
import { accountOf, expectedOf, limitedAccount, openRegisterScene } from './register-scene.ts';

const header = 'registrationId,customerId,accountNo';

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

/** A file that is done reports again; a run beyond the limit of the bank pauses, and says so. */
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

/** Whether a listener takes connections on a port. */
const isListening = (port: number): Promise<boolean> => {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, '127.0.0.1');
  socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
  return promise.finally(() => socket.destroy());
};

test('the listener that it left the port to ends meanwhile: it takes the callbacks itself', async () => {
  const accountNo = accountOf(703);
  await using scene = await openRegisterScene({}, [
    { match: { accountNo }, outcome: 'success', decideAfterMs: 2_000 },
  ]);
  await scene.run('register', await scene.addFile('z.csv', `${header}\nZ-1,C-1,${accountOf(701)}\n`));
  const listening = scene.start('callbacks');
  await until(() => isListening(scene.port));
  const file = await scene.addFile('a.csv', `${header}\nA-1,C-1,${accountNo}\n`);
  const program = scene.start('register', file, '--wait', '15');
  await until(async () => (await scene.bank.ledger()).registrations.entries.length >= 2);
  listening.kill('SIGTERM');
  await listening.ended;
  expect(await program.ended).toEndWith(0);
  expect((await program.ended).stdout + (await program.ended).stderr).toContain(
    'Callbacks are taken here now',
  );
});

test('killed before the answer to a request that went again after a 401: the bank’s requestUID finds the row', async () => {
  const accountNo = accountOf(501);
  await using scene = await openRegisterScene({}, [
    { match: { accountNo }, outcome: 'untouched', times: 1, reply: 'http', httpStatus: 401 },
    { match: { accountNo }, outcome: 'success', callbacks: [], reply: 'silent' },
  ]);
  const file = await scene.addFile('a.csv', `registrationId,customerId,accountNo\nA-1,C-1,${accountNo}\n`);
  const program = scene.start('register', file, '--wait', '5');
  await until(async () => (await scene.bank.ledger()).registrations.entries.length === 1);
  program.kill('SIGKILL');
  await program.ended;
  await scene.run('register', file, '--wait', '1');
  const uid = (await scene.bank.ledger()).registrations.entries[0]?.requestUID ?? '';
  const shown = await scene.run('show', uid);
  expect(shown.stdout).toContain('A-1');
  const [row] = await readPresentResult(scene.outbox);
  expect(row).toMatchObject({ status: 'in-doubt', requestUID: uid });
  const [, first] = /requestUID (\S+) or (\S+)\)/.exec(row?.['reason'] ?? '') ?? [];
  expect(row?.['reason']).toContain(uid);
  expect((await scene.run('show', first ?? '')).stdout).toContain(uid);
});
