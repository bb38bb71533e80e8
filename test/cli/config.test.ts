import { chmodSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { answer, startFakeBank, tokenReply } from '../support/fake-bank.ts';
import { runPaydrop } from './run-paydrop.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'paydrop-config-command-'));
  writeFileSync(
    join(folder, 'paydrop.yaml'),
    `bank:
  baseUrl: https://bank.example
  clientId: my-app
  clientSecret: hush-hush
  channelId: PAYDROP
  termId: TERM0001
  companyId: COMP000001
  payerAccount: "0000345924"
`,
    { mode: 0o600 },
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

const shown = {
  settingsFile: expect.stringMatching(/paydrop\.yaml$/),
  isSandbox: false,
  settings: {
    bank: { clientId: 'my-app', clientSecret: '****', payerAccount: '******5924' },
    settle: { resendsMax: 2 },
  },
};

test('prints what is in effect as YAML, secrets masked', async () => {
  const { code, stdout, stderr } = await runPaydrop(['config'], { cwd: folder });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(parse(stdout)).toMatchObject(shown);
  expect(stdout).not.toMatch(/hush|0000345924/);
});

test('a secret that cannot be read ends with 2, after what is in effect', async () => {
  const bank = { baseUrl: 'https://bank.example', clientId: 'my-app', clientSecretFile: './no-such-secret' };
  const names = {
    channelId: 'PAYDROP',
    termId: 'TERM0001',
    companyId: 'COMP000001',
    payerAccount: '0000345924',
  };
  writeFileSync(join(folder, 'away.yaml'), stringify({ bank: { ...bank, ...names } }));
  const { code, stdout, stderr } = await runPaydrop(['config', '--config', 'away.yaml'], { cwd: folder });
  expect(code).toBe(2);
  expect(parse(stdout)).toMatchObject({ settings: { bank: { clientId: 'my-app' } } });
  expect(stderr).toMatch(/^paydrop: bank\.clientSecretFile .*no-such-secret cannot be read \(ENOENT\)/);
});

test('settings with the secret in them that everybody may read are told of', async () => {
  const path = join(folder, 'open.yaml');
  copyFileSync(join(folder, 'paydrop.yaml'), path);
  chmodSync(path, 0o644);
  const { code, stderr } = await runPaydrop(['config', '--config', 'open.yaml'], { cwd: folder });
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringMatching(/^paydrop: note: bank\.clientSecret stands in .* chmod 600 /s),
  });
});

test('and as JSON', async () => {
  const { code, stdout } = await runPaydrop(['config', '--json'], { cwd: folder });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject(shown);
});

test('--config and --data-dir are followed', async () => {
  const args = ['config', '--json', '--config', join(folder, 'paydrop.yaml'), '--data-dir', 'elsewhere'];
  const { stdout } = await runPaydrop(args, { cwd: tmpdir() });
  expect(JSON.parse(stdout).settings.folders.outbox).toMatch(/\/elsewhere\/outbox$/);
});

test('without settings it ends with 2 and says what to do', async () => {
  const { code, stdout, stderr } = await runPaydrop(['config', '--data-dir', folder], { cwd: tmpdir() });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^paydrop: no settings: .*--config FILE/);
});

test('wrong settings end with 2 and name file, key and line', async () => {
  writeFileSync(join(folder, 'wrong.yaml'), 'bnak: {}\n');
  const { code, stderr } = await runPaydrop(['config', '--config', 'wrong.yaml'], { cwd: folder });
  expect(code).toBe(2);
  expect(stderr).toMatch(
    /wrong\.yaml: .*\n.*bank .*is missing.*\n.*bnak \(line 1\): unknown key: did you mean bank\?/,
  );
});

describe('--login', () => {
  const settings = (bank: object) =>
    stringify({
      bank: {
        channelId: 'PAYDROP',
        termId: 'TERM0001',
        companyId: 'COMP000001',
        payerAccount: '0000345924',
        ...bank,
      },
    });

  async function logIn(bank: object, ...more: string[]) {
    writeFileSync(join(folder, 'login.yaml'), settings(bank));
    return runPaydrop(['config', '--login', '--config', 'login.yaml', ...more], { cwd: folder });
  }

  test('against the built-in sandbox', async () => {
    const { code, stdout } = await logIn({ baseUrl: 'sandbox' });
    expect(stdout).toMatch(
      /^http:\/\/127\.0\.0\.1:\d+ \(the sandbox\): the credentials of sandbox-client are accepted\n$/,
    );
    expect(code).toBe(0);
  });

  type Answer = 'well' | 'credentials' | 'token' | 'payer' | 'endless token';

  /** A bank that takes one secret, and says of itself that it is no sandbox. */
  async function startBank(how: Answer) {
    const bank = await startFakeBank();
    bank.behave = ({ path, body }, response) => {
      if (path === '/sandbox') return answer(response, {}, 404);
      const isToken = path.includes('/oauth/');
      if (isToken && how === 'credentials') return answer(response, { code: 'TK001' });
      if (isToken) return answer(response, tokenReply('t'.repeat(how === 'endless token' ? 20_000 : 12_000)));
      if (how === 'token') return answer(response, { statusCode: 'ZZ999', requestUID: '' }, 401);
      const { requestUID } = JSON.parse(body) as { readonly requestUID: string };
      return answer(response, { statusCode: how === 'payer' ? 'EM002' : 'EV034', requestUID });
    };
    return bank;
  }

  test.each<readonly [Answer, number, RegExp, asked: number]>([
    ['well', 0, /the credentials of my-app are accepted\n$/, 1],
    ['credentials', 2, /are refused \(TK001\): correct clientId/, 0],
    ['token', 2, /are accepted, and the service refuses us \(ZZ999\): ask the bank whether/, 2],
    ['payer', 2, /the service refuses us \(EM002\): Ask the bank to subscribe the company/, 1],
    ['endless token', 6, /the access token has 20000 characters, more than the 16384/, 0],
  ])('%s, at a bank over http', async (how, code, message, asked) => {
    await using bank = await startBank(how);
    const ended = await logIn({ baseUrl: bank.baseUrl, clientId: 'my-app', clientSecret: 'hush-hush' });
    expect(ended).toMatchObject({ code, stdout: expect.stringMatching(message) });
    expect(JSON.stringify(ended)).not.toMatch(/hush|ttttt/);
    const inquiries = bank.business().filter(({ path }) => path !== '/sandbox');
    expect(inquiries).toHaveLength(asked);
    for (const { path, headers, body } of inquiries) {
      expect(path).toMatch(/fundtransferinquiry$|\/inquiry/i);
      expect(headers.authorization).toBe(`Bearer ${'t'.repeat(12_000)}`);
      expect(JSON.parse(body)).toMatchObject({ transRefNo: 'ZZ000000000000000000' });
    }
  });

  test('a bank out of reach ends with 6', async () => {
    const { code, stdout } = await logIn(
      { baseUrl: 'http://127.0.0.1:9', clientId: 'a', clientSecret: 'b' },
      '--json',
    );
    expect(JSON.parse(stdout)).toMatchObject({ exitCode: 6, login: { kind: 'no-answer' } });
    expect(code).toBe(6);
  });

  test('without credentials it ends with 2 and asks nobody', async () => {
    const { code, stdout, stderr } = await logIn({ baseUrl: 'https://bank.example' });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^paydrop: no client ID: set /);
  });
});
