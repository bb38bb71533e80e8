/** `paydrop register` as a shell runs it, misled on its way; the verdict is the bank's own ledger. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { describe, expect, test } from 'vitest';
import { formatBangkokDateTime } from '../../src/core/bangkok-time.ts';
import { callBack } from '../support/callback-kit.ts';
import { readPresentResult, type Scene, until } from './harness.ts';
import { accountOf, openRegisterScene } from './register-scene.ts';

const header = 'registrationId,customerId,accountNo';
const hourMs = 3_600_000;
/** The time by which the bank's callbacks are dated before our request. */
const bankBehindMs = 65_000 + 5_000;
/** Told before the answer, which shows the bank's clock. */
const overtaking = [{ beforeAnswer: true }];

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
    '600',
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
      /** The pause is over in more than 20 s, the outcome is there in less than 600 s. */
      const register = (wait: '20' | '600') => scene.run('register', file, '--wait', wait);
      const countTaken = async () => (await scene.bank.ledger()).registrations.entries.length;
      const first = await register('20');
      expect(first).toEndWith(6);
      expect(first.stdout).toMatch(/paused: .*the request limit/);
      scene.clocks.pass(hourMs - 600_000);
      expect(await register('20')).toEndWith(6);
      expect(await countTaken()).toBe(0);
      scene.clocks.pass(11 * 60_000);
      scene.clocks.setWrong(bankBehindMs);
      expect(await register('600')).toEndWith(3);
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
  const end = await scene.run('register', file, '--wait', '600');
  expect(end).toEndWith(2);
  expect(end.stderr).toMatch(/is taken by a program that takes no callbacks for this journal.*end it/s);
  expect((await scene.bank.ledger()).registrations.entries).toEqual([]);
  foreign.close();
  foreign.closeAllConnections();
  expect(await scene.run('register', file, '--wait', '600')).toEndWith(0);
  expect(await statusesOf(scene)).toEqual({ 'F-1': ['registered', '1'] });
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
