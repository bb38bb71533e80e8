/** The listener on a journal of its own, and as the command that a person types. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openCallbackListener } from '../../../src/app/registration/callbacks.ts';
import { silentLogger } from '../../../src/platform/log.ts';
import { takeCallback } from '../../../src/registration/take-callback.ts';
import { loadSettings } from '../../../src/settings/settings.ts';
import { callPaydrop } from '../../cli/call-paydrop.ts';
import {
  callBack,
  CallbackBook,
  callbackKeys,
  makeHeardLog,
  openTestListener,
} from '../../support/callback-kit.ts';
import { eventually } from '../../support/eventually.ts';
import {
  callbackOf,
  intentOf,
  makeRegistrationRow,
  present,
  runRegistrations,
  makeRegisteredJournal,
} from '../../support/registration-journal.ts';
import { noonMs } from '../../support/report-fixtures.ts';
import { startInResident } from '../../support/resident.ts';
import { makeSqliteStore } from '../../support/sqlite-store.ts';
import { makeVirtualClock } from '../../support/virtual-clock.ts';

const bankNames = 'channelId: C, termId: T, companyId: C, payerAccount: "1"';

async function openSent() {
  const sqlite = await makeSqliteStore();
  onTestFinished(() => sqlite[Symbol.asyncDispose]());
  const [registration] = await runRegistrations(sqlite.store, [makeRegistrationRow(1)]);
  if (registration === undefined || registration.instruction === null) throw new Error('none is ready');
  const record = callbackOf(registration.instruction);
  return { ...sqlite, registration, record };
}

describe('a journal', () => {
  test('has the callback when the program dies before it answers: told again, it counts once', async () => {
    const { store, registration, record } = await openSent();
    await store.applyRegistrations([intentOf(registration)]);
    // Committed, and nobody was answered.
    await takeCallback(
      { journal: store, clock: { now: () => noonMs }, mayMissAttempts: async () => false, ...makeHeardLog() },
      record,
    );
    const { version } = await present(store, registration);
    const { listener } = await openTestListener({}, { journal: store });
    for (const bytes of [record.body, record.body])
      expect(await callBack(listener.url, { bytes })).toMatchObject({
        status: 200,
        fields: { statusCode: '0' },
      });
    expect(listener.counts).toMatchObject({ applied: 0, repeated: 2 });
    expect(await present(store, registration)).toMatchObject({ status: 'registered', version });
    const history = await store.registrationHistory(registration.seq);
    expect(history?.callbacks).toMatchObject([{ body: record.body, repeats: 2 }]);
    expect(history?.events.filter(({ cause }) => cause === 'called-back')).toHaveLength(1);
  });

  test('keeps a callback that overtakes its registration, and has it bound', async () => {
    const { store, registration, record } = await openSent();
    const { listener } = await openTestListener({}, { journal: store });
    expect((await callBack(listener.url, { bytes: record.body })).status).toBe(200);
    expect(await store.countUnknownCallbacks()).toBe(1);
    await store.applyRegistrations([intentOf(registration)]);
    const again = await openTestListener({}, { journal: store });
    await eventually(async () => expect((await present(store, registration)).status).toBe('registered'));
    expect(again.listener.counts).toMatchObject({ applied: 1 });
    expect(await store.countUnknownCallbacks()).toBe(0);
  });

  test('takes many at once, each in the right place', async () => {
    const sqlite = await makeSqliteStore();
    onTestFinished(() => sqlite[Symbol.asyncDispose]());
    const { store } = sqlite;
    const rows = Array.from({ length: 60 }, (_, place) => makeRegistrationRow(place + 1));
    const ready = await runRegistrations(store, rows);
    await store.applyRegistrations(ready.map((one) => intentOf(one)));
    const { listener } = await openTestListener({}, { journal: store });
    const told = ready.map(({ instruction, rowNo }) =>
      instruction === null ? '' : callbackOf(instruction, rowNo % 3 === 0 ? 'refused' : 'registered').body,
    );
    const answers = await Promise.all([...told, ...told].map((bytes) => callBack(listener.url, { bytes })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(listener.counts).toMatchObject({ applied: 60, repeated: 60, unknown: 0 });
    for (const one of ready)
      expect((await present(store, one)).status).toBe(one.rowNo % 3 === 0 ? 'refused' : 'registered');
  });
});

test('keys come from the file of the settings, and are read again; a certificate that is not there is named', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'paydrop-keys-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const configPath = join(folder, 'paydrop.yaml');
  const write = (name: string, text: string) => writeFile(join(folder, name), text, { mode: 0o600 });
  const open = async (callbacks: string, clock = makeVirtualClock()) => {
    await write(
      'paydrop.yaml',
      `bank: { baseUrl: sandbox, ${bankNames} }\nregistration: { callbacks: { ${callbacks} } }\n`,
    );
    const loaded = loadSettings({ configPath, cwd: folder, env: {} });
    const listener = await openCallbackListener({
      loaded,
      journal: Object.assign(new CallbackBook(), { newSinceMs: undefined, loss: async () => undefined }),
      log: silentLogger,
      clock,
      port: 0,
    });
    if (listener.kind !== 'listening') throw new Error('a free port is taken');
    onTestFinished(() => listener[Symbol.asyncDispose]());
    return listener.url;
  };
  const clock = makeVirtualClock();
  await write('keys', 'the-old-key\n');
  const url = await open('keysFile: keys', clock);
  const callWith = async (key: string) => (await callBack(url, { header: { 'x-api-key': key } })).status;
  expect([await callWith('the-old-key'), await callWith('the-new-key')]).toEqual([200, 401]);
  await write('keys', 'the-old-key\nthe-new-key\n');
  await clock.advance(2_000);
  expect([await callWith('the-old-key'), await callWith('the-new-key')]).toEqual([200, 200]);
  // Half written: the old ones stay.
  await write('keys', '');
  await clock.advance(2_000);
  expect(await callWith('the-new-key')).toBe(200);
  await expect(open('tls: { certFile: no.pem, keyFile: no.key }')).rejects.toThrow(
    /registration\.callbacks\.tls\.certFile .*no\.pem cannot be read \(ENOENT\)/,
  );
});

describe('paydrop callbacks', () => {
  const config = join(import.meta.dirname, '../../../config/sandbox.yaml');
  const key = 'sandbox-callback-key';
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'paydrop-callbacks-'));
    await makeRegisteredJournal(config, folder, noonMs);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('takes them beside whoever sends, tells of each, and ends when it is asked to', async () => {
    const args = ['callbacks', '--port', '0', '--json', '--config', config, '--data-dir', folder];
    const program = startInResident({ args, cwd: folder, env: process.env });
    onTestFinished(() => program.kill('SIGKILL'));
    const read = () =>
      program.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
    const url = await eventually(() => read()[0].url as string);
    const applyDtm = '2026-11-21 14:30:00';
    const body = {
      vendorId: 'V001',
      companyId: 'COMP01',
      accountNo: '0012345605',
      ref1: 'POLICY-5',
      applyDtm,
    };
    const header = { 'x-api-key': key };
    expect((await callBack(url, { header, body })).status).toBe(200);
    expect(
      (await callBack(url, { header, body: { ...body, respCode: 'I0001', respDesc: 'Reject' } })).status,
    ).toBe(200);
    expect((await callBack(url, { header: { 'x-api-key': callbackKeys[0] } })).status).toBe(401);
    await eventually(() => expect(read()).toHaveLength(3));
    program.kill('SIGTERM');
    const { code, stdout, stderr } = await program.ended;
    expect(code).toBe(0);
    expect(read().slice(1)).toMatchObject([
      { event: 'callback', result: 'applied', status: 'registered', registrationId: 'REG-5', isAlarm: false },
      { event: 'callback', status: 'contradicted', isAlarm: true, accountNo: '******5605' },
    ]);
    expect(stdout + stderr).not.toMatch(/0012345605|sandbox-callback-key|the-first-key/);
    const shown = await callPaydrop('status', '--json', '--config', config, '--data-dir', folder);
    expect(shown.stdout).toContain('"alarms":2');
  });

  const refuse = async (...args: readonly string[]) => {
    const { code, stderr } = await callPaydrop('callbacks', ...args);
    return [code, stderr] as const;
  };

  test('says what is missing: a journal, a port that is free, a key', async () => {
    const empty = join(folder, 'empty');
    const noJournal = await refuse('--port', '0', '--config', config, '--data-dir', empty);
    expect(noJournal).toEqual([2, expect.stringContaining('there is no journal')]);
    const { port: foreign } = await openTestListener();
    const { journalId } = JSON.parse(await readFile(join(folder, 'journal.mark'), 'utf8')) as {
      readonly journalId: string;
    };
    const { port: own } = await openTestListener(
      {},
      { journal: Object.assign(new CallbackBook(), { journalId }) },
    );
    for (const [port, why] of [
      [own, /is taken: a watcher.*of this journal.*--port or registration\.callbacks\.port/s],
      [
        foreign,
        /is taken by a program that takes no callbacks for this journal.*registration\.callbacks\.port/s,
      ],
    ] as const) {
      const taken = await refuse('--port', String(port), '--config', config, '--data-dir', folder);
      expect(taken).toEqual([2, expect.stringMatching(why)]);
    }
    const bank = join(folder, 'bank.yaml');
    await writeFile(
      bank,
      `bank: { baseUrl: "https://bank.example", clientId: c, clientSecret: s, ${bankNames} }\n`,
      {
        mode: 0o600,
      },
    );
    const noKey = await refuse('--port', '0', '--config', bank);
    expect(noKey).toEqual([2, expect.stringMatching(/no key for callbacks: set PAYDROP_CALLBACK_KEYS/)]);
    const noPort = await refuse('--port', '70000', '--config', config, '--data-dir', folder);
    expect(noPort).toEqual([2, expect.stringContaining('--port takes a whole number')]);
  });
});
