/** What a bank that is killed, and started again with its state file, knows of registrations and still owes. */
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { SandboxOptions } from '../../../src/sandbox/bank.ts';
import type { RegistrationTableInput } from '../../../src/sandbox/registration/table.ts';
import { StateFile } from '../../../src/sandbox/state-file.ts';
import { eventually } from '../../support/eventually.ts';
import { goodTransfer } from '../../support/sandbox-kit.ts';
import type { Fields } from '../../support/sandbox-kit.ts';
import { openRegistrationBank } from '../../support/sandbox-registration-kit.ts';
import type { AnswerCall, RegistrationBank } from '../../support/sandbox-registration-kit.ts';

let stateFile = '';

beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-registrations-'));
  stateFile = join(folder, 'bank.jsonl');
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

const open = (registration: RegistrationTableInput = {}, options: Partial<SandboxOptions> = {}) =>
  openRegistrationBank(registration, { stateFile, ...options });

/** The time of a bank that was closed goes on in the next one. */
const timeOf = ({ clock }: RegistrationBank) => ({
  now: clock.now,
  sleep: (ms: number, signal?: AbortSignal) => clock.sleep(ms, signal),
});

const unavailable: AnswerCall = (response) => response.writeHead(503).end();
const body = (fields: Fields) => ({ body: fields });

test('it goes on calling: what is due, what is tried again, and nothing that was answered', async () => {
  const table: RegistrationTableInput = {
    callbackConcurrency: 1,
    callbackRetries: { max: 3, delayMs: 2_000 },
    behaviours: [
      {
        match: { ref1: 'TWICE' },
        outcome: 'reject',
        callbacks: [{}, { afterMs: 9_000, key: 'wrong', fields: { colour: 'red' } }],
      },
      { match: { ref1: 'UNDECIDED' }, outcome: 'undecided' },
    ],
  };
  const before = await open(table);
  const { clock } = before;
  for (const ref1 of ['TWICE', 'UNDECIDED', 'ONCE']) await before.register(body({ ref1 }));
  before.listener.answers.push(unavailable);
  await clock.advance(1_000);
  const ledger = await before.untilTries(2);
  expect(ledger.callbacks).toEqual({ acknowledged: 1, owed: 2, givenUp: 0, tries: 2 });
  await before.sandbox.close();

  const after = await open(table, timeOf(before));
  expect(after.registrations()).toEqual(ledger);
  await clock.advance(1_999);
  expect(after.listener.calls).toEqual([]);
  await clock.advance(1);
  await after.untilTries(3);
  await clock.advance(7_000);
  expect((await after.untilTries(4)).callbacks).toEqual({ acknowledged: 3, owed: 0, givenUp: 0, tries: 4 });
  const refused = before.listener.calls.find((call) => call.body['ref1'] === 'TWICE')?.body ?? {};
  expect(after.listener.calls.map((call) => call.body)).toEqual([refused, { ...refused, colour: 'red' }]);
  expect(after.listener.calls[1]?.header['x-api-key']).toBe('a-key-never-given-out');
});

test('a call that was under way when it ended is made again', async () => {
  const before = await open({ decideAfterMs: 0 });
  before.listener.answers.push(() => undefined);
  await before.register();
  await eventually(() => expect(before.listener.calls).toHaveLength(1));
  await before.sandbox.close();
  const after = await open({}, timeOf(before));
  expect((await after.untilTries(1)).callbacks.acknowledged).toBe(1);
  expect(after.listener.calls.map((call) => call.body)).toEqual(
    before.listener.calls.map((call) => call.body),
  );
});

test('it knows duplicates, requestUIDs, numbers and the usage limit', async () => {
  const before = await open({ registrationsPerHourLimit: 5 });
  const refused = { header: { requestUID: 'REFUSED' }, ...body({ vendorID: 'NOBODY' }) };
  expect(await before.register({ header: { requestUID: 'TAKEN' } })).toMatchObject({ statusCode: '0' });
  expect(await before.register()).toMatchObject({ statusCode: 'BSN002' });
  expect(await before.register(refused)).toMatchObject({ statusCode: 'BSN001' });
  await before.sandbox.close();

  const after = await open({ registrationsPerHourLimit: 5 }, timeOf(before));
  expect(after.registrations()).toMatchObject({ duplicatesRefused: 1, entries: [{ requests: 2 }] });
  for (const [changes, statusCode] of [
    [{}, 'BSN002'],
    [{ header: { requestUID: 'TAKEN' } }, 'BSN007'],
    [{ header: { requestUID: 'REFUSED' } }, 'BSN007'],
  ] as const)
    expect(await after.register(changes)).toMatchObject({ statusCode });
  expect(await after.register(body({ ref1: 'B' }))).toMatchObject({ ddrOapiSeqId: 100_002 });
  await after.register(body({ ref1: 'C' }));
  expect(await after.register(body({ ref1: 'D' }))).toMatchObject({ statusCode: '0429' });
  await after.sandbox.close();

  const again = await open({ registrationsPerHourLimit: 5 }, timeOf(before));
  expect(again.registrations()).toMatchObject({ duplicatesRefused: 2, repeatedRequestUids: 2 });
  expect(await again.register(body({ ref1: 'D' }))).toMatchObject({ statusCode: '0429' });
  before.clock.skip(3_600_000);
  await again.renew();
  expect(await again.register(body({ ref1: 'D' }))).toMatchObject({ statusCode: '0', ddrOapiSeqId: 100_004 });
});

test('what it cannot write down it neither answers nor calls about', async () => {
  const bank = await open({ decideAfterMs: 0 });
  vi.spyOn(StateFile.prototype, 'append').mockRejectedValue(new Error('no space left'));
  expect(await bank.sendRegistration()).toBe('closed');
  await bank.clock.advance(100_000);
  expect(bank.listener.calls).toEqual([]);
});

test('the file holds neither key nor token, and transfers beside registrations', async () => {
  const bank = await open({ decideAfterMs: 0 });
  await bank.register();
  await bank.ask('transfer', goodTransfer);
  await bank.untilTries(1);
  await bank.sandbox.close();
  const text = readFileSync(stateFile, 'utf8');
  expect(text.split('\n').map((line) => /"kind":"(\w+)"/.exec(line)?.[1])).toEqual(
    expect.arrayContaining(['sandbox', 'registration', 'transfer', 'callback']),
  );
  expect(text).not.toContain('the-right-key');
  expect(text).not.toContain(bank.token);
  const again = await open();
  expect(again.sandbox.ledger()).toMatchObject({
    totals: { count: 1 },
    registrations: { totals: { success: 1 } },
  });
});

test.each([
  { kind: 'registration', seqId: 'x' },
  { kind: 'registration-refused', clientId: 'a', requestUid: 'b', seqId: 7 },
  { kind: 'callback', seqId: 100_001, call: 0 },
  { kind: 'registrations' },
])('a line that cannot be read is named: %j', async (line) => {
  const bank = await open();
  await bank.sandbox.close();
  appendFileSync(stateFile, `${JSON.stringify(line)}\n`);
  await expect(open()).rejects.toThrow(/^line 2 of the state file .* cannot be read/);
});
