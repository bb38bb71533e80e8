/** The dry run as a shell sees it, against a bank of its own over HTTP. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { startSandbox } from '../../src/sandbox/server.ts';
import { parseSandboxTable } from '../../src/sandbox/table.ts';
import { acquireSenderLock } from '../../src/app/sender-lock.ts';
import { type Ended, runPaydrop } from './run-paydrop.ts';

const header = 'payoutId,proxyType,proxyNo,payeeName,amount,reference1,reference2';
const directory = [
  { proxyNo: '0890000033', name: 'Inactive Payee', state: 'inactive' },
  { proxyNo: '0890000052', name: 'Duangjai Meesuk', nameTh: 'ดวงใจ มีสุข' },
];

let folder = '';
let sandbox: Awaited<ReturnType<typeof startSandbox>>;

async function open(table: object = {}, settings: object = {}): Promise<void> {
  sandbox = await startSandbox({
    ...parseSandboxTable({ directory, ...table }),
    clientId: 'test-app',
    clientSecret: 'test-secret',
    companyId: 'COMP000001',
    payerAccounts: ['0000345924'],
  });
  const bank = {
    baseUrl: sandbox.baseUrl,
    clientId: 'test-app',
    clientSecret: 'test-secret',
    channelId: 'PAYDROP',
    termId: 'TERM0001',
    companyId: 'COMP000001',
    payerAccount: '0000345924',
  };
  await writeFile(join(folder, 'paydrop.yaml'), stringify({ dataDir: './data', ...settings, bank }));
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paydrop-dry-run-'));
});
afterEach(async () => {
  await sandbox.close();
  await rm(folder, { recursive: true, force: true });
});

async function write(...rows: readonly string[]): Promise<void> {
  await writeFile(join(folder, 'payouts.csv'), `${[header, ...rows].join('\n')}\n`);
}

const check = (...more: readonly string[]): Promise<Ended> =>
  runPaydrop(['check', 'payouts.csv', '--payees', ...more], { cwd: folder });

const good = ['A,MSISDN,0810000001,,100,,', 'B,MSISDN,0810000002,,50.50,,'];
const bad = [
  'C,MSISDN,0890000033,,10,,',
  'D,MSISDN,0890000052,สมชาย ใจดี,20,,',
  'E,MSISDN,0810000003,,9000000,,',
  'F,MSISDN,08100,,1,,',
];

describe('check --payees', () => {
  test('tells what a run would do, sends no transfer and leaves nothing behind', async () => {
    await open();
    await write(...good, ...bad);
    const { code, stdout, stderr } = await check();
    expect({ code, stderr }).toEqual({ code: 3, stderr: '' });
    for (const line of [
      'payouts.csv:4: proxyNo "******0033": the payee cannot be paid: Payee account invalid [EV033]',
      'payouts.csv:6: amount: the amount is above limits.bahtPerPayout: held until',
      'payouts.csv: 6 rows, 9,000,181.50 baht, 4 issues',
      '  would be paid: 2 rows, 150.50 baht',
      '  would be held: 2 rows, 9,000,020.00 baht',
      '    name: 1 row, 20.00 baht',
      '    limit (above 2,000,000.00 baht): 1 row, 9,000,000.00 baht',
      '  unpayable: 1 row, 10.00 baht',
      '  rejected: 1 row, 1.00 baht',
      '5 payee checks were answered. Nothing else was sent.',
    ])
      expect(stdout).toContain(line);
    expect(stdout).toMatch(/^A run takes about 1 s: \d .*mean of 5 answered payee checks\.$/m);
    expect(sandbox.ledger().totals).toMatchObject({ count: 0, amount: '0.00' });
    expect((await readdir(folder)).toSorted()).toEqual(['paydrop.yaml', 'payouts.csv']);
  });

  test('counts the inquiries that a run makes before each transfer', async () => {
    await open({ latencyMs: 20 }, { transfer: { askFirst: 'always', concurrency: 1 } });
    await write(...good);
    const { expectedTime, payeeChecks } = JSON.parse((await check('--json')).stdout.trim()) as {
      readonly expectedTime: { readonly ms: number; readonly how: string };
      readonly payeeChecks: { readonly latencyMs: number };
    };
    expect(expectedTime.how).toMatch(
      /^2 transfers with 2 inquiries before each \(transfer\.askFirst\), 1 at a time/,
    );
    // Four inquiries, one at a time, take longest.
    expect(expectedTime.ms / payeeChecks.latencyMs).toBeCloseTo(4, 0);
    expect(sandbox.ledger().totals).toMatchObject({ count: 0 });
  });

  test('ends with 0 when all would be paid, beside whoever has the right to send', async () => {
    await open({}, { bank: {}, verify: { enabled: false } });
    await write(...good);
    using lock = (await acquireSenderLock(join(folder, 'data'), 'run')) as Disposable;
    expect(lock).not.toHaveProperty('heldBy');
    expect(await check()).toMatchObject({ code: 0, stdout: expect.stringContaining('2 payee checks') });
  });

  test('--json has the same figures for programs', async () => {
    await open();
    await write(...good, ...bad);
    const lines = (await check('--json')).stdout.trim().split('\n');
    const [last, ...rest] = lines.map((line) => JSON.parse(line) as Record<string, unknown>).toReversed();
    expect(rest.map(({ kind, rowNo, code }) => `${String(kind)} ${String(rowNo)} ${String(code)}`)).toEqual([
      'issue 5 limit',
      'issue 4 thai-name-differs',
      'issue 3 EV033',
      'issue 6 proxy-length',
    ]);
    expect(last).toMatchObject({
      kind: 'check',
      status: 'predicted',
      exitCode: 3,
      issues: 4,
      isKnown: false,
      all: { rows: 6, amount: '9000181.50' },
      outcomes: { toPay: { rows: 2, amount: '150.50' }, held: { rows: 2 }, unpayable: { rows: 1 } },
      holds: { name: { rows: 1 }, limit: { rows: 1, amount: '9000000.00' }, approval: { rows: 0 } },
      limits: { bahtPerPayout: '2000000.00', overBahtPerPayout: { rows: 1 }, bahtPerBatch: null },
      payeeChecks: { answered: 5 },
      expectedTime: { boundBy: 'transfers' },
      stop: null,
    });
  });

  test('ends with 6 and says why when the bank refuses the payer', async () => {
    await open({ behaviours: [{ match: {}, endpoint: 'payeeCheck', code: 'EM004' }] });
    await write(...good);
    const { code, stdout } = await check();
    expect(code).toBe(6);
    expect(stdout).toMatch(/Not every payee was asked about\..*\[EM004\]\. Register the payer account/);
    expect(stdout).toContain('  not asked about: 2 rows, 150.50 baht');
  });

  test('waits for a bank out of reach as long as --wait says', async () => {
    await open();
    await write(...good);
    await sandbox.close();
    const { code, stdout } = await check('--wait', '2');
    expect(code).toBe(6);
    expect(stdout).toContain('not asked about: 2 rows');
  });

  test('at SIGINT ends by itself and tells what was learnt', async () => {
    await open({ latencyMs: 150 });
    await write(...Array.from({ length: 200 }, (_, place) => `P${place},MSISDN,0890000033,,1,,`));
    const main = join(import.meta.dirname, '../../src/main.ts');
    const args = [main, 'check', 'payouts.csv', '--payees', '--log-level', 'debug'];
    const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    const said = text(child.stdout);
    const ended = once(child, 'close');
    for await (const line of createInterface({ input: child.stderr }))
      if (line.includes('"payeeCheck"')) break;
    child.kill('SIGINT');
    expect(await ended).toEqual([6, null]);
    const [, unpayable = '0', notAsked = '0'] =
      /unpayable: (\d+) rows?,[\s\S]*not asked about: (\d+) rows?,/.exec(await said) ?? [];
    expect(Number(unpayable) + Number(notAsked)).toBe(200);
    expect(Number(unpayable)).toBeGreaterThan(0);
    expect(await said).toContain('the check was interrupted');
  });
});
