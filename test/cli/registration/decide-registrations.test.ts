/** Registrations in a journal, and what people decide about them from the shell. */
import { hash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { inEnglish } from '../../../src/core/message.ts';
import { describeIdentity } from '../../../src/app/open-store.ts';
import { makeToken } from '../../../src/review/tokens.ts';
import { loadSettings } from '../../../src/settings/settings.ts';
import { openJournal } from '../../../src/store/open.ts';
import { ingest, makeRow } from '../../support/journal-fixtures.ts';
import { Users } from '../../support/persons.ts';
import { makeRegisteredJournal, registeredBatchId } from '../../support/registration-journal.ts';
import { noonMs } from '../../support/report-fixtures.ts';
import { callPaydrop } from '../call-paydrop.ts';

const config = join(import.meta.dirname, '../../../config/sandbox.yaml');
let folder = '';
const tokens: Record<string, string> = {};

/** By whom; nobody while there are no users. */
async function call(who: string | undefined, ...args: readonly string[]) {
  vi.stubEnv('PAYDROP_TOKEN', who === undefined ? '' : (tokens[who] ?? ''));
  try {
    return await callPaydrop(...args, '--config', config, '--data-dir', folder);
  } finally {
    vi.unstubAllEnvs();
  }
}

const openStore = () => {
  const loaded = loadSettings({ configPath: config, dataDir: folder, env: {}, cwd: folder });
  return openJournal({ dataDir: folder, stamp: describeIdentity(loaded), access: 'beside' });
};

async function statusOf(registrationId: string): Promise<string | undefined> {
  await using store = await openStore();
  return (await store.findRegistrations(registrationId))[0]?.row.status;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paydrop-decided-'));
  await makeRegisteredJournal(config, folder, noonMs);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('while there are no users', () => {
  test('resume, cancel and retry do it at once, each or a whole batch, or say why not', async () => {
    expect(await call(undefined, 'resume', 'REG-9')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('1 row released'),
    });
    expect(await call(undefined, 'cancel', 'registration:REG-9')).toEndWith(0);
    expect(await statusOf('REG-9')).toBe('cancelled');
    expect(await call(undefined, 'retry', 'REG-5')).toMatchObject({
      code: 2,
      stdout: expect.stringContaining('it is acknowledged: the bank may yet tell its outcome'),
    });
    expect(await call(undefined, 'retry', 'REG-3')).toEndWith(0);
    expect(await statusOf('REG-3')).toBe('ready');
    expect(await call(undefined, 'cancel', registeredBatchId)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('1 row cancelled'),
    });
    expect(await call(undefined, 'resume', registeredBatchId.toLowerCase())).toEndWith(0);
    expect(await call(undefined, 'retry', 'REG-99')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no batch, payout or registration is called REG-99'),
    });
    expect(await call(undefined, 'ack', 'REG-2', '--note', 'seen')).toEndWith(2);
  });
});

describe('with users', () => {
  beforeAll(async () => {
    await using store = await openStore();
    const users = new Users(store);
    users.clock.ms = Date.now() - users.clock.now() - 1_000;
    await users.add('ann', 'admin', null);
    for (const [name, role] of [
      ['mali', 'maker'],
      ['nok', 'checker'],
      ['som', 'viewer'],
    ] as const) {
      await users.add(name, role, await users.find('ann'));
      const made = await makeToken(users.context, await users.prove(name), { label: '', days: 7 });
      if ('why' in made) throw new Error(inEnglish(made.why));
      tokens[name] = made.token;
    }
    await ingest(store, [makeRow(1, { payoutId: 'REG-2' })]);
  });

  test('what a payout and a registration are called is refused, with the way to say which', async () => {
    const asked = await call('mali', 'ack', 'REG-2', '--note', 'seen');
    expect(asked).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('say payout:REG-2 or registration:REG-2'),
    });
    expect(await call('mali', 'ack', 'registration:REG-2', '--note', 'seen')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/Acknowledge: 1 registration: it leaves the queue/),
    });
  });

  test('an outcome is confirmed with evidence by two, in the words of registrations', async () => {
    const confirm = (...more: readonly string[]) =>
      call('mali', 'confirm', 'REG-4', '--note', 'asked by phone', ...more);
    expect(await confirm('--paid', '--evidence', 'case 1')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('REG-4 is a registration, not a payout'),
    });
    expect(await confirm('--registered', '--failed', '--evidence', 'case 1')).toEndWith(2);
    expect(await confirm('--registered')).toMatchObject({
      code: 2,
      stdout: expect.stringContaining('Confirm registered needs evidence'),
    });
    const letter = join(folder, 'letter.pdf');
    await writeFile(letter, 'a letter');
    const proposed = await confirm('--registered', '--evidence', 'case 4711', '--evidence-file', letter);
    const kept = await readdir(join(folder, 'evidence'));
    expect(kept).toEqual([hash('sha256', 'a letter', 'hex')]);
    // What is refused leaves none of its own, and does not take away what another proposal names.
    for (const text of ['a letter', 'another letter']) {
      await writeFile(letter, text);
      expect(await confirm('--registered', '--evidence-file', letter)).toEndWith(2);
      expect(await readdir(join(folder, 'evidence'))).toEqual(kept);
    }
    expect(proposed.stdout).toContain(
      'Confirm registered: 1 registration: it counts as registered, by your proof',
    );
    expect(proposed.stdout).not.toContain('baht');
    const number = /"paydrop approve (\d+)"/.exec(proposed.stdout)?.[1] ?? '';
    expect((await call('nok', 'proposals', number)).stdout).toMatch(
      /REG-4 \(row 4 of batch \w+\)\n {5}account \*+\d{4}, now in-doubt/,
    );
    expect(await call('som', 'approve', number)).toEndWith(2);
    expect(await call('nok', 'approve', number)).toEndWith(0);
    expect(await statusOf('REG-4')).toBe('registered');
  });

  test('an exceptions file goes out, is filled in, and comes back', async () => {
    const out = join(folder, 'registrations.csv');
    expect(await call('mali', 'exceptions', '--registrations', '--out', out)).toEndWith(0);
    const records: string[][] = parse(await readFile(out, 'utf8'), { bom: true });
    const [head = [], ...rows] = records;
    const place = (column: string): number => head.indexOf(column);
    const fill: Readonly<Record<string, Readonly<Record<string, string>>>> = {
      'REG-6': { decision: 'ส่งลงทะเบียนใหม่', note: 'the bank has none' },
      'REG-8': { decision: 'retry-corrected', newAccountNo: '0012345699', note: 'by mail' },
      'REG-7': { decision: 'Confirm refused', note: 'letter 12' },
    };
    const filled = rows.map((row) => {
      const id = (row[place('registrationId')] ?? '').replace(/^'/, '');
      return row.map((cell, at) => fill[id]?.[head[at] ?? ''] ?? cell);
    });
    expect(rows.map((row) => row[place('registrationId')])).toEqual(
      expect.arrayContaining(['REG-6', 'REG-7', 'REG-8']),
    );
    await writeFile(join(folder, 'filled.csv'), stringify([head, ...filled]));
    const decided = await call('mali', 'decide', join(folder, 'filled.csv'));
    expect([decided.code, decided.stderr]).toEqual([0, '']);
    const numbers = [...decided.stdout.matchAll(/"paydrop approve (\d+)"/g)].map(([, number = '']) => number);
    expect(numbers).toHaveLength(3);
    for (const number of numbers) expect(await call('nok', 'approve', number)).toEndWith(0);
    expect([await statusOf('REG-6'), await statusOf('REG-7'), await statusOf('REG-8')]).toEqual([
      'ready',
      'refused',
      'ready',
    ]);
    expect(await call('mali', 'decide', join(folder, 'filled.csv'))).toMatchObject({
      code: 2,
      stdout: expect.stringContaining('Nothing was decided'),
    });
  });

  test('a workbook of them is written, too', async () => {
    const out = join(folder, 'registrations.xlsx');
    expect(await call('mali', 'exceptions', '--batch', registeredBatchId, '--out', out)).toMatchObject({
      code: 0,
    });
    expect((await readFile(out)).subarray(0, 2).toString()).toBe('PK');
  });

  test('the queue has what waits of them, who looks after it, and callbacks of nobody', async () => {
    const shown = await call('mali', 'queue', '--json');
    const queue = JSON.parse(shown.stdout) as { items: { name: string; kind: string }[] };
    const names = queue.items.map(({ name }) => name);
    const nobodys = names.find((name) => name.startsWith('callback:')) ?? '';
    expect(shown.stdout).not.toContain('0099999999');
    expect(await call('mali', 'queue', nobodys, '--ack', '--note', 'another program made it')).toMatchObject({
      code: 0,
    });
    expect((await call('mali', 'queue')).stdout).not.toContain('callback:');
    await call('mali', 'retry', 'REG-7');
    const waiting = names.find((name) => name.startsWith('registration:')) ?? 'registration:REG-7';
    expect((await call('mali', 'queue', waiting, '--take')).stdout).toContain('you look after it');
  });

  test('direct debit is halted by one, and goes on by two', async () => {
    expect(await call('mali', 'halt', '--direct-debit', '--note', 'looked at')).toEndWith(0);
    expect((await call('mali', 'queue', '--kind', 'payer')).stdout).toContain('direct debit');
    const asked = await call('mali', 'halt', '--direct-debit', '--lift', '--note', 'done');
    const number = /"paydrop approve (\d+)"/.exec(asked.stdout)?.[1] ?? '';
    expect(await call('nok', 'approve', number)).toEndWith(0);
    expect((await call('mali', 'queue', '--kind', 'payer')).stdout).not.toContain('direct debit');
    expect(await call('mali', 'halt', '--direct-debit', '--company', 'V001/COMP01', '--note', 'x')).toEndWith(
      0,
    );
    expect((await call('mali', 'queue', '--kind', 'payer')).stdout).toContain('direct debit of V001, COMP01');
    expect(await call('mali', 'halt', '--company', 'V001/COMP01', '--note', 'x')).toEndWith(2);
  });

  test('a file that is refused waits in the queue, and whoever registers one approves nothing of it', async () => {
    const header = 'registrationId,customerId,vendorId,companyId,accountNo,ref1,ref2,ref3,ref4';
    const [bad, none] = [join(folder, 'bad.csv'), join(folder, 'none-valid.csv')];
    await writeFile(bad, 'registrationId,accountNo\nA-1\n');
    await writeFile(none, `${header}\nA-1,9100000000011,V001,COMP01,12,R-1,,,\n`);
    expect(await call('mali', 'register', bad)).toEndWith(5);
    expect((await call('mali', 'queue', '--kind', 'file')).stdout).toContain('bad.csv');
    expect(await call('mali', 'register', none, '--wait', '0')).toEndWith(3);
    await using store = await openStore();
    const batch = (await store.registrationBatches()).find(({ fileName }) => fileName === 'none-valid.csv');
    const { people } = await store.persons();
    const mali = people.find(({ name }) => name === 'mali')?.personId;
    expect(await store.handsOf(batch?.batchId ?? '')).toEqual([mali]);
  });
});
