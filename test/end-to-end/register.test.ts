/** `paydrop register` as a shell runs it, killed and misled on its way; the verdict is the bank's own ledger. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { formatBangkokDateTime } from '../../src/core/bangkok-time.ts';
import { callBack } from '../support/callback-kit.ts';
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

const header = 'registrationId,customerId,accountNo';
const hourMs = 3_600_000;
/** The time by which the bank's callbacks are dated before our request. */
const bankBehindMs = 65_000 + 5_000;
/** Told before the answer, which shows the bank's clock. */
const overtaking = [{ beforeAnswer: true }];

/** Whether a listener takes connections on a port. */
const isListening = (port: number): Promise<boolean> => {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, '127.0.0.1');
  socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
  return promise.finally(() => socket.destroy());
};

const statusesOf = async (
  scene: Scene,
): Promise<Record<string, readonly [status?: string, attempts?: string]>> =>
  Object.fromEntries(
    (await readPresentResult(scene.outbox)).map((line) => [
      line['registrationId'],
      [line['status'], line['attempts']],
    ]),
  );

test('a callback whose time is 65 s before our request ends its row', async () => {
  await using scene = await openRegisterScene({ ownProcesses: false }, [
    { match: { accountNo: accountOf(101) }, outcome: 'success', callbacks: overtaking },
    { match: { accountNo: accountOf(102) }, outcome: 'reject', callbacks: overtaking },
    { match: { accountNo: accountOf(103) }, outcome: 'reject' },
  ]);
  scene.clocks.setWrong(bankBehindMs);
  const rows = [101, 102, 103, 104].map((no) => `E-${no},C-${no},${accountOf(no)}`);
  const end = await scene.run(
    'register',
    await scene.addFile('early.csv', `${[header, ...rows].join('\n')}\n`),
    '--wait',
    '20',
    '--json',
  );
  expect(end).toEndWith(3);
  expect(await statusesOf(scene)).toEqual({
    'E-101': ['registered', '1'],
    'E-102': ['refused', '1'],
    'E-103': ['refused', '1'],
    'E-104': ['registered', '1'],
  });
  expect(end.stderr).toContain('compare the clocks');
});

describe('0429, the usage limit,', () => {
  test.each([
    ['200', {}],
    ['429', { reply: 'http', httpStatus: 429, retryAfterSeconds: 1 }],
  ] as const)(
    'with HTTP %s stops all for an hour; the attempt after it is the one that an early callback means',
    async (_status, reply) => {
      const match = { accountNo: accountOf(201) };
      await using scene = await openRegisterScene({ ownProcesses: false }, [
        { match, outcome: 'untouched', code: '0429', times: 1, ...reply },
        { match, outcome: 'reject', callbacks: overtaking },
      ]);
      const file = await scene.addFile('limit.csv', `${header}\nU-1,C-1,${accountOf(201)}\n`);
      const register = () => scene.run('register', file, '--wait', '20');
      const countTaken = async () => (await scene.bank.ledger()).registrations.entries.length;
      const first = await register();
      expect(first).toEndWith(6);
      expect(first.stdout).toMatch(/paused: .*the request limit/);
      scene.clocks.pass(hourMs - 60_000);
      expect(await register()).toEndWith(6);
      expect(await countTaken()).toBe(0);
      scene.clocks.pass(2 * 60_000);
      scene.clocks.setWrong(bankBehindMs);
      expect(await register()).toEndWith(3);
      expect(await countTaken()).toBe(1);
      expect(await statusesOf(scene)).toEqual({ 'U-1': ['refused', '2'] });
    },
  );
});

test('a foreign server on the port of the callbacks ends it before anything is sent', async () => {
  await using scene = await openRegisterScene({ ownProcesses: false });
  const foreign = createServer((_request, response) => response.end('{"statusCode":"0"}'));
  await once(foreign.listen(scene.port, '127.0.0.1'), 'listening');
  const file = await scene.addFile('foreign.csv', `${header}\nF-1,C-1,${accountOf(301)}\n`);
  const end = await scene.run('register', file, '--wait', '20');
  expect(end).toEndWith(2);
  expect(end.stderr).toMatch(/is taken by a program that takes no callbacks for this journal.*end it/s);
  expect((await scene.bank.ledger()).registrations.entries).toEqual([]);
  foreign.close();
  foreign.closeAllConnections();
  expect(await scene.run('register', file, '--wait', '20')).toEndWith(0);
  expect(await statusesOf(scene)).toEqual({ 'F-1': ['registered', '1'] });
});

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

test('the code 0429 in the answer to another request: its late refusal does not end the next attempt', async () => {
  const accountNo = accountOf(401);
  await using scene = await openRegisterScene({ ownProcesses: false }, [
    {
      match: { accountNo },
      outcome: 'reject',
      callbacks: [],
      times: 1,
      reply: 'wrong-request',
      code: '0429',
    },
    { match: { accountNo }, outcome: 'undecided' },
  ]);
  const file = await scene.addFile('a.csv', `registrationId,customerId,accountNo\nA-1,C-1,${accountNo}\n`);
  await scene.run('register', file, '--wait', '1');
  const applyDtm = formatBangkokDateTime(scene.clocks.readMs() + 1_000)
    .slice(0, 19)
    .replace('T', ' ');
  scene.clocks.pass(60_000);
  await scene.run('register', file, '--wait', '1');
  scene.clocks.pass(2 * 3_600_000);
  await scene.run('retry', 'A-1');
  const program = scene.start('register', file, '--wait', '3');
  await until(async () => (await scene.bank.ledger()).registrations.entries.length >= 2);
  const told = { vendorId: 'VENDOR0001', companyId: 'COMP000001', accountNo, applyDtm };
  const { status } = await callBack(`http://127.0.0.1:${scene.port}/callbacks`, {
    header: { 'x-api-key': 'the-key-of-the-callbacks' },
    bytes: JSON.stringify({ ...told, respCode: 'I0001', respDesc: 'Reject' }),
  });
  expect(status).toBe(200);
  await program.ended;
  const [row] = await readPresentResult(scene.outbox);
  expect(row).toMatchObject({ attempts: '2', respCode: '' });
  expect(['acknowledged', 'submitted', 'in-doubt']).toContain(row?.['status']);
});
